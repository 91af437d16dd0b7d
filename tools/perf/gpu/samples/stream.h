/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of a perf.data, in order of time. stock perf reads the file, finds the
 * symbols and unwinds the stacks (perf script); a dlfilter of ours, loaded into it,
 * hands over what perf cannot print: the payload of the gpu PMU's samples.
 */
#ifndef PERF_GPU_STREAM_H
#define PERF_GPU_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/gpu_pmu.h>

#include "samples/stacks.h"

/**
 * struct stream_sample - a sample
 * @event:	the event's name, as perf has it in the file ("gpu/jobs/u")
 * @time:	ns, of the record's clock
 * @period:	of the sample
 * @pid:	process that the sample was written in; see gpu_pmu_sample.pid
 * @tid:	thread
 * @cpu:	CPU, -1 if it was not recorded
 * @comm:	name of the thread; empty in samples of jobs-done and reports
 * @stack:	the user's stack, STACK_NONE if there is none
 * @cut:	it has no more than its inner frames, and STACK_CUT for the outermost one
 * @gpu:	the payload
 * @values:	of a report, @gpu->nr_values of them
 */
struct stream_sample {
	const char *event;
	uint64_t time;
	uint64_t period;
	uint32_t pid;
	uint32_t tid;
	int cpu;
	const char *comm;
	uint32_t stack;
	bool cut;
	const struct gpu_pmu_sample *gpu;
	const struct gpu_pmu_sample_value *values;
};

/**
 * struct stream_ops - who reads
 * @sample:	a sample of the gpu PMU; what it points to is valid during the call,
 *		but for the stack. Returns 0 to go on
 * @lost:	perf has lost so many records here
 */
struct stream_ops {
	int (*sample)(void *arg, const struct stream_sample *sample);
	void (*lost)(void *arg, uint64_t nr);
};

/**
 * struct stream_options - what to read
 * @input:	the file, "-" for standard input
 * @command:	who asks, for messages: "perf gpu report"
 * @force:	also a file of somebody else's
 * @inlined:	show inlined functions, too, which takes perf a while
 * @progress:	show on standard error how far it is, if that is a terminal
 * @stop:	set by a signal handler: end early, or NULL
 */
struct stream_options {
	const char *input;
	const char *command;
	bool force;
	bool inlined;
	bool progress;
	const volatile int *stop;
};

/**
 * stream__read() - read a file
 * @options:	which
 * @stacks:	where stacks are kept
 * @ops:	who reads
 * @arg:	theirs
 *
 * Return: 0 (also when it was stopped), or a negative errno; it has then said on
 * standard error what is wrong.
 */
int stream__read(const struct stream_options *options, struct stacks *stacks,
		 const struct stream_ops *ops, void *arg);

#endif /* PERF_GPU_STREAM_H */
