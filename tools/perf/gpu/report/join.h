/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the samples say together: the time that the GPU ran a job is laid on the stack
 * that submitted it, by the job's fence. Pure.
 */
#ifndef PERF_GPU_JOIN_H
#define PERF_GPU_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "report/histogram.h"
#include "samples/stacks.h"
#include "samples/stream.h"

/* of jobs whose completion was not seen yet; about 20 MB */
#define JOIN_OUTSTANDING_MAX	(1U << 18)

/* what a stack can be charged with */
enum join_weight {
	JOIN_GPU,	/* ns that the GPU ran what it submitted */
	JOIN_WAIT,	/* ns that it waited for a fence */
	JOIN_JOBS,	/* jobs that it submitted */
	JOIN_WEIGHTS,
};

/**
 * struct join_context - a context of a client
 * @dev:	render minor of the device
 * @client:	see struct gpu_pmu_sample
 * @ctx:	likewise
 * @pid:	the process that submits, 0 if it is not known
 * @comm:	its name, by its number in the stacks; 0: it is not known
 * @jobs:	jobs that were submitted
 * @done:	jobs that were completed
 * @busy:	for how long the GPU ran them, ns
 * @latency:	from the submission to the start, ns
 */
struct join_context {
	uint32_t dev;
	uint64_t client;
	uint64_t ctx;
	uint32_t pid;
	uint32_t comm;
	uint64_t jobs;
	uint64_t done;
	uint64_t busy;
	struct histogram latency;
};

/**
 * struct join_engine - an engine of a device
 * @dev:	render minor of the device
 * @engine:	its index
 * @done:	jobs that were completed
 * @busy:	for how long it ran them, ns
 * @latency:	from the submission to the start, ns
 */
struct join_engine {
	uint32_t dev;
	uint32_t engine;
	uint64_t done;
	uint64_t busy;
	struct histogram latency;
};

/**
 * struct join_waiter - a process that waits for the GPU
 * @pid:	it
 * @comm:	name of the thread of it that waited first
 * @time:	of each wait, ns
 */
struct join_waiter {
	uint32_t pid;
	uint32_t comm;
	struct histogram time;
};

/**
 * struct join_sums - what there is over all
 * @jobs:	submissions
 * @done:	completions
 * @waits:	waits
 * @reports:	reports of counter units, which are passed over
 * @twice:	samples that say what another one has said: several events that sample
 *		the same are in the file
 * @busy:	ns that the GPU ran jobs
 * @wait_time:	ns of waits
 * @joined:	completions whose submission is known
 * @joined_busy: ns of these
 * @earlier:	completions of what was submitted before anyone looked
 * @earlier_busy: ns of these
 * @unknown:	completions whose submission's sample is missing for another reason
 * @unknown_busy: ns of these
 * @unfinished:	submissions without a completion, when all was read
 * @evicted:	of these, those that had to be forgotten before, to have room
 * @nameless:	submissions without a fence, which no completion can be joined to
 * @cut:	submissions and waits whose stack is not whole
 * @no_start:	completions that do not say when the job began to run
 * @lost:	records that perf has lost
 * @first:	time of the first sample, of the record's clock, ns
 * @last:	of the last one
 */
struct join_sums {
	uint64_t jobs;
	uint64_t done;
	uint64_t waits;
	uint64_t reports;
	uint64_t twice;
	uint64_t busy;
	uint64_t wait_time;
	uint64_t joined;
	uint64_t joined_busy;
	uint64_t earlier;
	uint64_t earlier_busy;
	uint64_t unknown;
	uint64_t unknown_busy;
	uint64_t unfinished;
	uint64_t evicted;
	uint64_t nameless;
	uint64_t cut;
	uint64_t no_start;
	uint64_t lost;
	uint64_t first;
	uint64_t last;
};

struct join;

/* NULL: no memory. @outstanding: of how many jobs the stack is kept at a time */
struct join *join__new(struct stacks *stacks, uint32_t outstanding);
void join__delete(struct join *join);

/* 0 or -ENOMEM */
int join__sample(struct join *join, const struct stream_sample *sample);
void join__lost(struct join *join, uint64_t nr);
/* all was read: what is outstanding is unfinished */
void join__end(struct join *join);

/* the rest are valid until the next sample, or join__delete() */
const struct join_sums *join__sums(const struct join *join);
/*
 * What each stack is charged with by itself, by the number of its node: up to
 * stacks__nr(). What belongs to no stack is charged to one of a frame that says why, in
 * round brackets: the sum over all is that of struct join_sums.
 */
int join__selves(struct join *join, enum join_weight weight, const uint64_t **selves);
const struct join_context *join__contexts(const struct join *join, uint32_t *nr);
const struct join_engine *join__engines(const struct join *join, uint32_t *nr);
const struct join_waiter *join__waiters(const struct join *join, uint32_t *nr);

#endif /* PERF_GPU_JOIN_H */
