/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a timeline shows: who submitted, what ran, who waited. Made of the samples of a
 * record, one after the other; bounded. Pure.
 */
#ifndef PERF_GPU_ITEMS_H
#define PERF_GPU_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "samples/stream.h"
#include "common/keys.h"

#define ITEM_NONE	UINT32_MAX

/* as long as the kernel has them */
#define ITEM_COMM	16

/**
 * struct item_context - a context of a client
 * @dev:	render minor of the device
 * @client:	tells clients apart
 * @ctx:	the driver's id, 0: work without a context
 * @pid:	process that submits to it, 0 if it is not known
 * @comm:	its name, or that of one of its threads; may be empty
 */
struct item_context {
	uint32_t dev;
	uint64_t client;
	uint64_t ctx;
	uint32_t pid;
	char comm[ITEM_COMM];
};

/**
 * struct item_thread - a thread
 * @pid:	its process
 * @tid:	its id
 * @comm:	its name
 */
struct item_thread {
	uint32_t pid;
	uint32_t tid;
	char comm[ITEM_COMM];
};

/**
 * struct item_fence - a fence
 * @line:	number of its device and fence context, in struct items
 * @seqno:	its number there
 */
struct item_fence {
	uint32_t line;
	uint64_t seqno;
};

/* all times are those of the record's clock, ns; all other numbers index tables of
 * struct items, or are ITEM_NONE
 */

struct submission {
	uint64_t time;
	struct item_fence fence;
	uint32_t thread;
	uint32_t context;
	uint32_t stack;
	int cpu;
};

/**
 * struct run - a job that is done
 * @submit:	when it was submitted
 * @begin:	when it began to run; 0 if it is not known
 * @end:	when it was complete
 * @busy:	for how long an engine ran it
 * @fence:	that it signalled
 * @context:	of it
 * @submission:	of it
 * @engine:	index of the engine, or GPU_PMU_SAMPLE_NO_ENGINE
 * @earlier:	it was submitted before the record began
 */
struct run {
	uint64_t submit;
	uint64_t begin;
	uint64_t end;
	uint64_t busy;
	struct item_fence fence;
	uint32_t context;
	uint32_t submission;
	uint16_t engine;
	bool earlier;
};

/* @context: of the job that was waited for, if it is known; @submission: likewise */
struct wait {
	uint64_t begin;
	uint64_t end;
	struct item_fence fence;
	uint32_t thread;
	uint32_t context;
	uint32_t submission;
	uint32_t stack;
};

/* an array that grows */
#define ITEMS_OF(type)				\
	struct {				\
		struct type *item;		\
		uint32_t nr;			\
		uint32_t room;			\
	}

/**
 * struct items - all of it
 * @max:	keep at most so many submissions, runs and waits together
 * @from:	keep what was between these two: ns since the first sample
 * @to:		likewise
 * @start:	when the first sample was written; 0: there was none
 * @submissions: what there is to show
 * @runs:	likewise
 * @waits:	likewise
 * @contexts:	who is who
 * @threads:	likewise
 * @context_keys: (device, client, context) of @contexts
 * @thread_keys: (process, thread) of @threads
 * @line_keys:	(device, fence context, 0): a fence is a line and a number
 * @fence_keys:	(line, number, 0) of @submissions, in their order
 * @twice:	what was said already; NULL: nothing was
 * @left_out:	what @max left no room for
 * @outside:	what was not between @from and @to
 * @unknown_begin: runs of which it is not known when they began
 * @earlier:	runs that were submitted before the record began
 * @unjoined:	runs without a submission, besides
 * @reports:	samples that a timeline does not show
 * @lost:	records that perf has lost
 */
struct items {
	uint64_t max;
	int64_t from;
	int64_t to;
	uint64_t start;
	ITEMS_OF(submission) submissions;
	ITEMS_OF(run) runs;
	ITEMS_OF(wait) waits;
	ITEMS_OF(item_context) contexts;
	ITEMS_OF(item_thread) threads;
	struct keys context_keys;
	struct keys thread_keys;
	struct keys line_keys;
	struct keys fence_keys;
	struct twice *twice;
	uint64_t left_out;
	uint64_t outside;
	uint64_t unknown_begin;
	uint64_t earlier;
	uint64_t unjoined;
	uint64_t reports;
	uint64_t lost;
};

#define ITEMS_MAX	1000000
#define ITEMS_INIT	{ .max = ITEMS_MAX, .from = INT64_MIN, .to = INT64_MAX }

/* 0, or -ENOMEM */
int items__add(struct items *items, const struct stream_sample *sample);
void items__exit(struct items *items);
/* how many it has */
uint64_t items__nr(const struct items *items);

/*
 * Parts of items__add(), for who keeps no items: the numbers of a sample's context and
 * thread, ITEM_NONE if there is no memory. What the sample knows of their names is kept.
 */
uint32_t items__context(struct items *items, const struct stream_sample *sample);
uint32_t items__thread(struct items *items, const struct stream_sample *sample);
/* is it of the time that was asked for, and new? See samples/twice.h */
bool items__wanted(struct items *items, const struct stream_sample *sample);

#endif /* PERF_GPU_ITEMS_H */
