/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes belong to a target: those that were named, and whatever they fork.
 * perf tells of each fork and exit, so that none is too short to be seen.
 */
#ifndef PERF_GPU_TREE_H
#define PERF_GPU_TREE_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "stat/counter.h"

/**
 * struct tree_process - one of them
 * @pid:	its id
 * @alive:	it was there when it was last heard of
 * @gone:	there was nobody of this id at the last look
 */
struct tree_process {
	pid_t pid;
	bool alive;
	bool gone;
};

/**
 * struct tree - the processes of a target
 * @process:	in order of their pid
 * @nr:		how many
 * @room:	for how many there is memory
 * @lost:	how many records perf could not tell
 * @ring:	perf's buffers, one for each processor
 * @nr_rings:	how many
 * @fd:		the events that fill them
 * @nr_fds:	how many
 */
struct tree {
	struct tree_process *process;
	unsigned int nr;
	unsigned int room;
	unsigned long long lost;
	struct tree_ring *ring;
	unsigned int nr_rings;
	int *fd;
	unsigned int nr_fds;
};

/* all functions return 0 or a negative errno, unless they say otherwise */

/* begin with a target's processes, whose threads are @places */
int tree__open(struct tree *tree, const struct target *target, const struct places *places);
/* the same, and nothing of what they fork */
int tree__begin(struct tree *tree, const struct target *target);
void tree__close(struct tree *tree);
/* take over what perf has told */
int tree__update(struct tree *tree);

/* readable when there is much to take over: one for each of nr_rings */
int tree__poll_fd(const struct tree *tree, unsigned int ring);

/* belongs to it; or did, and has not been forgotten */
bool tree__has(const struct tree *tree, pid_t pid);
/*
 * Who has ended is forgotten, before another process is given the id: at the second look that
 * finds nobody there, as what it has done may be told at the one that follows its end. Once
 * for each look, when it is known whose is what it has told.
 */
void tree__forget(struct tree *tree);

/* ---- pure ---- */
int tree__add(struct tree *tree, pid_t pid);
/* a record of perf's, as it is in a buffer, in one piece */
int tree__record(struct tree *tree, const struct perf_event_header *header);

#endif /* PERF_GPU_TREE_H */
