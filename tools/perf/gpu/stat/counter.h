/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event, open wherever its target may be: as stock perf stat opens it, so that it
 * counts the same.
 */
#ifndef PERF_GPU_COUNTER_H
#define PERF_GPU_COUNTER_H

#include <stdbool.h>
#include <linux/types.h>

#include "kernel/event.h"
#include "stat/target.h"

/**
 * struct counter - an event of a target
 * @event:	the event
 * @fd:		of its parts: for each thread, or processor
 * @nr:		how many
 */
struct counter {
	const struct event *event;
	int *fd;
	unsigned int nr;
};

/**
 * struct places - where events are to be opened
 * @pid:	the threads, or one -1
 * @nr_pids:	how many
 * @cpu:	the processors, or one -1
 * @nr_cpus:	how many
 */
struct places {
	pid_t *pid;
	unsigned int nr_pids;
	int *cpu;
	unsigned int nr_cpus;
};

/* all functions return 0 or a negative errno */

/* where a target's events are to be opened; -ESRCH: it is gone */
int places__of_target(struct places *places, const struct target *target);
void places__free(struct places *places);

int counter__open(struct counter *counter, const struct event *event,
		  const struct target *target, const struct places *places);
int counter__enable(const struct counter *counter);
/* what it has counted; *counted: it could count */
int counter__read(const struct counter *counter, __u64 *value, bool *counted);
void counter__close(struct counter *counter);

#endif /* PERF_GPU_COUNTER_H */
