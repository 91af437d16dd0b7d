/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is shown: the counts of the target as a whole, and of its parts. Pure.
 */
#ifndef PERF_GPU_VIEW_H
#define PERF_GPU_VIEW_H

#include <stdbool.h>
#include <linux/types.h>

#include "kernel/event.h"
#include "stat/rows.h"

/* in the order in which the lines of one client are shown */
enum view_kind {
	VIEW_CLIENT,		/* a client */
	VIEW_CONTEXT,		/* a context of a client */
	VIEW_NO_CONTEXT,	/* what a client did without a context */
	VIEW_ENGINE,		/* an engine */
	VIEW_OTHERS,		/* what the total has, and no other line */
	VIEW_TOTAL,
};

/**
 * struct view_count - of an event
 * @value:	the count
 * @counted:	else there is none
 */
struct view_count {
	__s64 value;
	bool counted;
};

/**
 * struct view_line - a line
 * @kind:	of what
 * @dev:	device, 0: none in particular
 * @client:	client, 0: none
 * @pid:	process
 * @comm:	its name
 * @ctx:	context
 * @engine:	engine, GPU_PMU_SAMPLE_NO_ENGINE: all of them
 * @kernel:	it is the kernel's own work
 * @ended:	it is gone
 * @look:	the last one that has told of it: the name is from there
 * @count:	one for each event
 */
struct view_line {
	enum view_kind kind;
	__u32 dev;
	__u64 client;
	__u32 pid;
	char comm[16];
	__u64 ctx;
	__u16 engine;
	bool kernel;
	bool ended;
	unsigned long look;
	struct view_count *count;
};

/**
 * struct view_how - how it is taken apart
 * @clients:	a line for each client
 * @contexts:	a line for each context
 * @engines:	each of these for each engine; or, alone, a line for each engine
 * @all:	what is not the target's, too
 */
struct view_how {
	bool clients;
	bool contexts;
	bool engines;
	bool all;
};

/**
 * struct view - the lines of one interval
 * @nr_events:	how many counts a line has
 * @nr:		how many lines
 * @line:	the lines; VIEW_TOTAL is the last one
 */
struct view {
	unsigned int nr_events;
	unsigned int nr;
	struct view_line *line;
};

/**
 * view__make() - take counts apart
 * @view:	out: the lines
 * @how:	how
 * @events:	what was counted
 * @slot:	of each event, its place in @rows' values; -1: it is not kept by client
 * @total:	of each event
 * @rows:	of clients and contexts
 * @since:	since when
 *
 * Return: 0 or -ENOMEM.
 */
int view__make(struct view *view, const struct view_how *how, const struct events *events,
	       const int *slot, const struct view_count *total, const struct rows *rows,
	       enum since since);
/* the lines of one view in front of another's: it has both, and the other none */
int view__prepend(struct view *view, struct view *other);
void view__free(struct view *view);

/* what the target's clients have counted, all together */
__u64 view__sum(const struct rows *rows, const struct event *event, int slot, bool all,
		enum since since);

static inline const struct view_line *view__total(const struct view *view)
{
	return &view->line[view->nr - 1];
}

#endif /* PERF_GPU_VIEW_H */
