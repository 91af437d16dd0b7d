/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf script, as a child: its output line by line, and what it says when it fails.
 */
#ifndef PERF_GPU_SCRIPT_H
#define PERF_GPU_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* the perf to run: $PERF, or the one in PATH */
const char *script__perf(void);

struct script;

/**
 * struct script_options - what it is to do
 * @input:	the file, "-" for standard input
 * @force:	also a file of somebody else's
 * @inlined:	show inlined functions, too
 * @max_stack:	frames of one stack, without the inlined ones
 */
struct script_options {
	const char *input;
	bool force;
	bool inlined;
	unsigned int max_stack;
};

/* negative errno; -ENOENT: our dlfilter is not there */
int script__open(struct script **script, const struct script_options *options);

/**
 * script__line() - the next line
 * @script:	it
 * @line:	out: the line, NUL-terminated, without its end; valid until the next call
 *
 * Of a line that is longer than there is room for, the rest is left out.
 *
 * Return: 1: there is one, 0: there will be none, -EAGAIN: there is none yet, after a
 * fraction of a second; or when a signal came; or another negative errno.
 */
int script__line(struct script *script, char **line);

/**
 * script__close() - the end
 * @script:	it
 * @kill:	do not wait until it has done everything
 * @said:	out: what it said that looks most like a reason, empty if it said nothing
 * @size:	room for that
 *
 * Return: its exit status; -1: it was killed, or it could not be run.
 */
int script__close(struct script *script, bool kill, char *said, size_t size);

#endif /* PERF_GPU_SCRIPT_H */
