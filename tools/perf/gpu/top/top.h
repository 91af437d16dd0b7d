/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf gpu top shows, from look to look; and how it is shown.
 */
#ifndef PERF_GPU_TOP_H
#define PERF_GPU_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include "stat/keeper.h"
#include "kernel/names.h"
#include "stat/table.h"
#include "stat/target.h"
#include "stat/view.h"
#include "stat/watch.h"

enum top_sort {
	TOP_SORT_BUSY,
	TOP_SORT_JOBS,
	TOP_SORT_WAIT,
	TOP_SORT_PID,
	TOP_SORTS
};

/* the names of these, as in --sort; the key in the terminal is the first letter */
extern const char * const top_sort_names[TOP_SORTS];

/**
 * struct top - a perf gpu top
 * @target:	whose clients: TARGET_ALL, those that the caller may see
 * @delay_ms:	between two looks
 * @sort:	by what
 * @contexts:	a line for each context; else for each client
 * @privileged:	it sees what everybody does
 * @events:	what is looked at
 * @watch:	at clients
 * @keeper:	keeps counts going
 * @names:	of devices and engines
 * @began:	when the first look was
 * @from:	when the last look but one was
 * @to:		when the last look was
 * @clients:	a line for each client or context, sorted
 * @engines:	a line for each engine
 */
struct top {
	struct target target;
	unsigned int delay_ms;
	enum top_sort sort;
	bool contexts;
	bool privileged;
	struct events events;
	struct watch watch;
	struct keeper keeper;
	struct names names;
	unsigned long long began;
	unsigned long long from;
	unsigned long long to;
	struct view clients;
	struct view engines;
};

/* all functions return 0 or a negative errno, unless they say otherwise */

/* the first look; *event: what could not be opened, or NULL */
int top__open(struct top *top, const char **event);
/* another look: the views are of the time between the last two */
int top__look(struct top *top);
/* the views again, after a change of @sort or @contexts */
int top__arrange(struct top *top);
void top__close(struct top *top);

/* how long the views' time is */
double top__seconds(const struct top *top);

/* ---- how it is shown ---- */

/* "128 virtio_gpu at 0000:00:02.0" */
void top__device_text(const struct top *top, unsigned int dev, char *text, size_t size);
/* an engine's name, and the share of time that it was busy */
double top__engine(const struct top *top, const struct view_line *line, char *name,
		   size_t size);
/* "3 clients, 1.001 s, ..." */
void top__summary(const struct top *top, char *text, size_t size);
/* what is not to be seen of these, or NULL */
const char *top__missing(const struct top *top);
/* of the clients, or contexts, so many from one on, as a table */
int top__table(const struct top *top, unsigned int first, unsigned int nr, struct table *table);
/* how many there are */
unsigned int top__lines(const struct top *top);
/* all of it, as lines of text */
int top__print(const struct top *top, FILE *out);

/*
 * In the terminal until the user quits, or a signal comes, which it returns; or a negative
 * errno. -ENOTTY: terminfo does not know the terminal. @iterations: how often, 0: for ever.
 */
int top__screen(struct top *top, int signals, unsigned int iterations);

#endif /* PERF_GPU_TOP_H */
