/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf gpu stat: from the opening of events to the last line.
 *
 * The totals are perf's own events, opened as stock perf stat opens them. The parts are
 * what /dev/gpu_pmu tells of each client; each look at them comes right before the reading
 * of the events.
 */
#ifndef PERF_GPU_STAT_H
#define PERF_GPU_STAT_H

#include <linux/types.h>

#include "common/outfile.h"
#include "stat/counter.h"
#include "stat/keeper.h"
#include "stat/output.h"
#include "stat/watch.h"

/**
 * struct stat_run - a perf gpu stat
 * @target:	of whom
 * @events:	of what
 * @how:	taken apart how
 * @interval_ms: of each interval, 0: none
 * @counter:	perf's events; one that is not open is counted by clients
 * @base:	what they said when counting began
 * @now:	what they say, from there
 * @before:	what they said when the interval began
 * @watching:	clients are looked at
 * @watch:	at them
 * @keeper:	keeps the hardware's counters running
 * @names:	of devices and engines
 * @output:	how it is said, to the file of @out
 * @out:	where to
 * @signals:	a signalfd
 * @pidfd:	of the processes
 * @began:	CLOCK_MONOTONIC, ns
 * @interval_began: likewise
 * @signal:	that ended it
 * @command_status: what the command ended with, -1: it has not
 */
struct stat_run {
	struct target target;
	struct events events;
	struct view_how how;
	unsigned int interval_ms;
	struct counter *counter;
	__u64 *base;
	struct view_count *now;
	struct view_count *before;
	bool watching;
	struct watch watch;
	struct keeper keeper;
	struct names names;
	struct output output;
	struct outfile out;
	int signals;
	int *pidfd;
	__u64 began;
	__u64 interval_began;
	int signal;
	int command_status;
};

/**
 * stat__run() - count
 * @run:	what, with @target, @events, @how, @interval_ms and @output filled in, @out
 *		reserved, the command forked
 *
 * Return: the exit status; what went wrong has been said.
 */
int stat__run(struct stat_run *run);
void stat__close(struct stat_run *run);

/* "perf gpu stat: ...": 1, the exit status */
int stat__fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* likewise; err: a negative errno of anything but an event */
int stat__refuse(const struct stat_run *run, int err);

#endif /* PERF_GPU_STAT_H */
