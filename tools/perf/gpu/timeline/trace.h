/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A timeline in the trace event format, which Perfetto and chrome://tracing read. It is
 * written as the samples come: no more is kept than the names, and the last jobs.
 */
#ifndef PERF_GPU_TIMELINE_TRACE_H
#define PERF_GPU_TIMELINE_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "samples/stacks.h"
#include "samples/stream.h"
#include "timeline/items.h"

/* who submitted a job is remembered for so many more jobs, at least */
#define TRACE_REMEMBERED	(1U << 18)

/* more lanes than an engine runs jobs side by side */
#define TRACE_LANES		8

/**
 * struct trace_engine - an engine's lanes: jobs that overlap in time are side by side
 * @end:	of each lane, when its last job ended
 */
struct trace_engine {
	uint64_t end[TRACE_LANES];
};

/**
 * struct trace_jobs - jobs, and who submitted them
 * @fences:	their fences: device, fence context, number
 * @thread:	of each, ITEM_NONE if it is done
 */
struct trace_jobs {
	struct keys fences;
	uint32_t *thread;
};

/**
 * struct trace - a trace file that is being written
 * @out:	where to
 * @stacks:	stacks of the samples
 * @items:	contexts and threads, and what is to be shown; it has no items
 * @engine_keys: (device, engine, 0) of @engines
 * @engines:	lanes
 * @engines_room: how many there is room for in @engines
 * @young:	the last jobs
 * @old:	those before: forgotten when @young is full
 * @ids:	how many flows there were
 * @events:	how many events were written
 * @first:	no event was written yet
 */
struct trace {
	FILE *out;
	const struct stacks *stacks;
	struct items items;
	struct keys engine_keys;
	struct trace_engine *engines;
	uint32_t engines_room;
	struct trace_jobs young;
	struct trace_jobs old;
	uint64_t ids;
	uint64_t events;
	bool first;
};

/* @items of the trace may be given a time from and to, after this */
void trace__init(struct trace *trace, FILE *out, const struct stacks *stacks);
/* 0 or a negative errno */
int trace__add(struct trace *trace, const struct stream_sample *sample);
/* names, and the end of the document: also after an error, also when it is early */
int trace__finish(struct trace *trace);
void trace__exit(struct trace *trace);

#endif /* PERF_GPU_TIMELINE_TRACE_H */
