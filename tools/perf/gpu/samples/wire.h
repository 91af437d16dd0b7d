/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What comes out of perf script: lines of our dlfilter, and between them lines of
 * perf's own. Both sides are here, so that they are tested against each other. Pure.
 *
 * A line of ours begins with '@' and a letter; numbers are hexadecimal.
 *
 *	@N TEXT			a name; names are numbered from 1 as they come
 *	@F CALLER NAME		a frame, and the number of its caller, 0: it has none;
 *				frames are numbered from 1 as they come, too
 *	@S ...			a sample: see struct wire_sample
 *	@P PERMILLE		how far perf has got in the file
 *	@Z NR			the end: so many samples of ours were not understood
 *
 * perf's lines are the frames of the sample before, from the innermost one, and what
 * it says about lost records. None of them begins with '@'.
 */
#ifndef PERF_GPU_WIRE_H
#define PERF_GPU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/gpu_pmu.h>

#define WIRE_VALUES_MAX		128
/* longer names are cut */
#define WIRE_NAME_MAX		8191
/* of any line of ours, with its end */
#define WIRE_LINE_MAX		(WIRE_NAME_MAX + 16)

/**
 * struct wire_sample - a sample
 * @event:	name of the event, by number
 * @comm:	name of the thread, by number
 * @stack:	its innermost frame, by number; 0: none
 * @chain:	the frames are in the lines of perf that follow
 * @cut:	the stack is not whole; not if @chain
 * @time:	as in struct stream_sample; so are the others
 */
struct wire_sample {
	uint32_t event;
	uint32_t comm;
	uint32_t stack;
	bool chain;
	bool cut;
	uint64_t time;
	uint64_t period;
	uint32_t pid;
	uint32_t tid;
	int32_t cpu;
	struct gpu_pmu_sample gpu;
	struct gpu_pmu_sample_value values[WIRE_VALUES_MAX];
};

/* write a line to @line, which has room for WIRE_LINE_MAX bytes; return its size */
size_t wire__put_name(char *line, const char *name);
size_t wire__put_frame(char *line, uint32_t caller, uint32_t name);
size_t wire__put_sample(char *line, const struct wire_sample *sample);
size_t wire__put_progress(char *line, unsigned int permille);
size_t wire__put_end(char *line, uint64_t not_understood);

enum wire_kind {
	WIRE_BROKEN,	/* begins like one of ours, and is none */
	WIRE_NAME,
	WIRE_FRAME,
	WIRE_SAMPLE,
	WIRE_PROGRESS,
	WIRE_END,
	WIRE_CHAIN,	/* a frame, by perf */
	WIRE_LOST,	/* lost records, by perf */
	WIRE_OTHER,	/* of perf's, and says nothing */
};

/**
 * struct wire_line - a line that was understood
 * @kind:	what it is, and so which of the others there are
 * @name:	NAME, CHAIN: it
 * @number:	PROGRESS, END, LOST: it
 * @caller:	FRAME: the number of its caller
 * @frame:	FRAME: the number of its name
 * @sample:	SAMPLE: it
 */
struct wire_line {
	enum wire_kind kind;
	const char *name;
	uint64_t number;
	uint32_t caller;
	uint32_t frame;
	struct wire_sample sample;
};

/**
 * wire__parse() - understand a line
 * @text:	the line without its end, and a NUL instead; it is written to
 * @line:	what it says; @line->name is in @text
 */
void wire__parse(char *text, struct wire_line *line);

/**
 * wire__unnamed() - what a function is called that has no name
 * @name:	where to, WIRE_NAME_MAX + 1 bytes
 * @file:	the program or library that it is in, NULL if that is not known either
 */
void wire__unnamed(char *name, const char *file);

#endif /* PERF_GPU_WIRE_H */
