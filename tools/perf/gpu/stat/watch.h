/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks at the clients of a target: who they are, and what they have used.
 */
#ifndef PERF_GPU_WATCH_H
#define PERF_GPU_WATCH_H

#include <stdbool.h>

#include "kernel/event.h"
#include "stat/held.h"
#include "kernel/query.h"
#include "stat/rows.h"
#include "stat/target.h"
#include "stat/tree.h"

/**
 * struct watch - of a target's clients
 * @all:	of all clients that the caller may see
 * @usages:	of all, by /dev/gpu_pmu
 * @by_fd:	of those whose files we have copies of
 * @rows:	what they have used
 * @slot:	of each event, its place in the rows' values; -1: not kept by client
 * @nr_contexts: how many of all clients there were, when they were asked for
 * @tree:	the target's processes; unused if @all
 * @held:	clients whose files they have; unused if @all
 * @torn:	a look was not of one time
 */
struct watch {
	bool all;
	struct usages usages;
	struct usages by_fd;
	struct rows rows;
	int *slot;
	unsigned int nr_contexts;
	struct tree tree;
	struct held held;
	bool torn;
};

/* all functions return 0 or a negative errno */

/**
 * watch__open() - begin, without a look
 * @watch:	out: it
 * @events:	what to look at
 * @engines:	tell engines apart
 * @target:	whose clients
 * @places:	its threads; NULL: do not follow what they fork
 */
int watch__open(struct watch *watch, const struct events *events, bool engines,
		const struct target *target, const struct places *places);
/* the first look, with the target's events open: it is where counts begin */
int watch__begin(struct watch *watch);
int watch__look(struct watch *watch);
/* those that have not worked yet, too; as far as the caller may see them */
int watch__idle(struct watch *watch);
/* who has come, and what files do they have: often, as that may be short-lived */
int watch__follow(struct watch *watch);
void watch__close(struct watch *watch);

#endif /* PERF_GPU_WATCH_H */
