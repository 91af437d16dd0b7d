/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps counting on where nobody else does: what clients use is kept only while an event
 * is open, and the hardware's own counters run only while one of theirs is.
 */
#ifndef PERF_GPU_KEEPER_H
#define PERF_GPU_KEEPER_H

#include "kernel/event.h"
#include "kernel/names.h"

/**
 * struct keeper - events that are open for that alone
 * @fd:		the events, and the files that they are of
 * @nr:		how many
 */
struct keeper {
	int *fd;
	unsigned int nr;
};

/* all functions return 0 or a negative errno */

/*
 * A counter of the hardware's own, on each device that has it: of a client of ours, which
 * anyone may count. -ENODATA: no device has it.
 */
int keeper__native(struct keeper *keeper, const struct event *event,
		   const struct names *names);
/* an event: of the machine for root, else of our own thread */
int keeper__event(struct keeper *keeper, const struct event *event);
void keeper__close(struct keeper *keeper);

#endif /* PERF_GPU_KEEPER_H */
