/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a long work is, in one line on standard error that is written over; nothing
 * if that is no terminal, and nothing of what is over in a moment. What the line is too long
 * for is left out of the input's name: a line that is wrapped could not be written over.
 */
#ifndef PERF_GPU_PROGRESS_H
#define PERF_GPU_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *command;
	const char *input;
	bool on;
	bool shown;
	uint64_t next;		/* when it is written again, ns */
};

/* @command, @input: who reads what; they stay where they are */
void progress__begin(struct progress *progress, const char *command, const char *input, bool on);
/* @permille: -1: it is not known */
void progress__show(struct progress *progress, int permille, uint64_t samples);
void progress__end(struct progress *progress);

#endif /* PERF_GPU_PROGRESS_H */
