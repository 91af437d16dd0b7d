// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/view.h"

/**
 * struct wanted - which rows' counts belong to an event
 * @slot:	where they are in a row; -1: there are none of it
 * @dev:	those of a device, 0: of all
 * @engine:	those of an engine, WANTED_ALL: over all of them, WANTED_EACH: of each
 * @contexts:	those of contexts, too
 */
struct wanted {
	int slot;
	__u32 dev;
	int engine;
	bool contexts;
};

#define WANTED_ALL	GPU_PMU_SAMPLE_NO_ENGINE
#define WANTED_EACH	(-1)

struct maker {
	struct view *view;
	const struct view_how *how;
	const struct events *events;
	const int *slot;
	struct wanted *wanted;		/* of each event, in lines of all engines; then of one */
	bool one_engine;		/* an event wants one engine's, in lines of all of them */
	const struct rows *rows;
	enum since since;
	unsigned int *index;		/* by line_hash(): place of a line + 1; 0: free */
	unsigned int mask;
};

/* asked once: there may be ten thousands of rows. In lines of an engine, or of all? */
static struct wanted event_wanted(const struct event *event, int slot, bool by_engine)
{
	unsigned int engine = event__engine(event);
	struct wanted wanted = {
		.slot = slot,
		.dev = event__dev(event),
		.engine = engine ? (int)engine - 1 : by_engine ? WANTED_EACH : WANTED_ALL,
		.contexts = event__has_contexts(event),
	};

	/* an event of one client is no client's line */
	if (event__fd(event) || (!engine && by_engine && !event__has_engines(event)))
		wanted.slot = -1;
	return wanted;
}

static bool is_wanted(const struct wanted *wanted, const struct row *row)
{
	if (wanted->slot < 0 || (wanted->dev && wanted->dev != row->dev) ||
	    (row->ctx && !wanted->contexts))
		return false;
	return wanted->engine == WANTED_EACH ? row->engine != GPU_PMU_SAMPLE_NO_ENGINE :
	       wanted->engine == row->engine;
}

__u64 view__sum(const struct rows *rows, const struct event *event, int slot, bool all,
		enum since since)
{
	const struct wanted wanted = event_wanted(event, slot, false);
	__u64 sum = 0;

	for (const struct row *row = rows->first; row; row = row->newer)
		if (!row->ctx && (row->mine || all) && is_wanted(&wanted, row))
			sum += row__value(rows, row, slot, since);
	return sum;
}

static int line_order(const void *a, const void *b)
{
	const struct view_line *x = a, *y = b;

#define ORDER(field) do { if (x->field != y->field) return x->field < y->field ? -1 : 1; } while (0)
	if ((x->kind >= VIEW_OTHERS) != (y->kind >= VIEW_OTHERS))
		return x->kind >= VIEW_OTHERS ? 1 : -1;
	if (x->kind >= VIEW_OTHERS)
		ORDER(kind);
	ORDER(dev);
	/* the kernel's, if it is shown, behind the clients */
	ORDER(kernel);
	ORDER(pid);
	ORDER(client);
	ORDER(kind);
	ORDER(ctx);
	ORDER(engine);
#undef ORDER
	return 0;
}

static int maker_ask_events(struct maker *maker)
{
	unsigned int nr = maker->events->nr;

	maker->wanted = reallocarray(NULL, 2 * nr, sizeof(*maker->wanted));
	if (!maker->wanted)
		return -ENOMEM;
	for (unsigned int i = 0; i < 2 * nr; i++)
		maker->wanted[i] = event_wanted(&maker->events->event[i % nr],
						maker->slot[i % nr], i >= nr);
	for (unsigned int i = 0; i < nr; i++)
		maker->one_engine |= maker->wanted[i].engine != WANTED_ALL;
	return 0;
}

/* a line has room in the index as long as it is made: not when lines are moved */
static int maker_make_room(struct maker *maker, unsigned int nr_lines)
{
	unsigned int size = 16;

	/* half of it is free, so that a search is short */
	while (size < 2 * nr_lines)
		size *= 2;
	maker->mask = size - 1;
	maker->index = calloc(size, sizeof(*maker->index));
	maker->view->line = reallocarray(NULL, nr_lines, sizeof(*maker->view->line));
	return maker->index && maker->view->line ? 0 : -ENOMEM;
}

/* of lines that line_order() has as equal it is the same */
static unsigned int line_hash(const struct view_line *line)
{
	return row__hash(line->dev, line->client, line->ctx, line->engine) >> 32 ^
	       line->kind * 0x9e3779b1U;
}

/* where a line is in the index, or is to be */
static unsigned int *line_find(const struct maker *maker, const struct view_line *key)
{
	unsigned int i = line_hash(key) & maker->mask;

	while (maker->index[i] && line_order(&maker->view->line[maker->index[i] - 1], key))
		i = (i + 1) & maker->mask;
	return &maker->index[i];
}

static struct view_line *line_get(struct maker *maker, const struct view_line *key)
{
	unsigned int *place = line_find(maker, key);
	struct view *view = maker->view;
	struct view_line *line;

	if (*place)
		return &view->line[*place - 1];
	line = &view->line[view->nr];
	*line = *key;
	line->ended = true;
	line->count = calloc(view->nr_events, sizeof(*line->count));
	if (!line->count)
		return NULL;
	*place = ++view->nr;
	return line;
}

static void line_add(struct maker *maker, struct view_line *line, const struct row *row,
		     int sign)
{
	const struct wanted *wanted = maker->wanted;

	if (line->engine != GPU_PMU_SAMPLE_NO_ENGINE)
		wanted += maker->events->nr;
	for (unsigned int i = 0; i < maker->events->nr; i++) {
		if (!is_wanted(&wanted[i], row))
			continue;
		/* a sum that does not fit wraps around, as counters do */
		line->count[i].value = (__u64)line->count[i].value + (__u64)(__s64)sign *
				       row__value(maker->rows, row, wanted[i].slot,
						  maker->since);
		line->count[i].counted = true;
	}
	line->ended &= row->ended;
	/* the newest name: what has ended keeps the one that it had then */
	if (line->kind != VIEW_ENGINE && row->comm[0] && row->look >= line->look) {
		memcpy(line->comm, row->comm, sizeof(line->comm));
		line->look = row->look;
	}
}

/* a row's counts to a line, which may be a new one */
static int row_to_line(struct maker *maker, const struct row *row, enum view_kind kind,
		       int sign)
{
	struct view_line key = {
		.kind = kind,
		.dev = row->dev,
		.engine = maker->how->engines ? row->engine : GPU_PMU_SAMPLE_NO_ENGINE,
	};
	struct view_line *line;

	if (kind != VIEW_ENGINE) {
		key.client = row->client;
		key.pid = row->pid;
		key.kernel = row->kernel;
	}
	if (kind == VIEW_CONTEXT)
		key.ctx = row->ctx;
	line = line_get(maker, &key);
	if (!line)
		return -ENOMEM;
	line_add(maker, line, row, sign);
	return 0;
}

static int row_to_view(struct maker *maker, const struct row *row)
{
	const struct view_how *how = maker->how;
	int err = 0;

	/* by engine, there are lines of engines only */
	if (how->engines && row->engine == GPU_PMU_SAMPLE_NO_ENGINE)
		return 0;
	if (how->clients && !row->ctx)
		err = row_to_line(maker, row, VIEW_CLIENT, 1);
	/* what no context has is the client's, without those of its contexts; the kernel has none */
	if (!err && how->contexts && !(row->kernel && how->clients))
		err = row_to_line(maker, row, VIEW_NO_CONTEXT, row->ctx ? -1 : 1);
	if (!err && how->contexts && row->ctx)
		err = row_to_line(maker, row, VIEW_CONTEXT, 1);
	if (!err && !how->clients && !how->contexts && !row->ctx)
		err = row_to_line(maker, row, VIEW_ENGINE, 1);
	return err;
}

static bool line_is_empty(const struct view *view, const struct view_line *line)
{
	for (unsigned int i = 0; i < view->nr_events; i++)
		if (line->count[i].value)
			return false;
	return true;
}

/* a line that says nothing: a context that was not used is no such line, but one that is gone */
static bool line_is_idle(const struct maker *maker, const struct view_line *line)
{
	if (!line_is_empty(maker->view, line))
		return false;
	switch (line->kind) {
	case VIEW_NO_CONTEXT:
	case VIEW_OTHERS:
		return true;
	default:
		return line->ended && maker->since == SINCE_INTERVAL;
	}
}

static void view_tidy(struct maker *maker)
{
	struct view *view = maker->view;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < view->nr; i++) {
		if (line_is_idle(maker, &view->line[i]))
			free(view->line[i].count);
		else
			view->line[nr++] = view->line[i];
	}
	view->nr = nr;
}

/* is a line one of those that are disjoint, and together are the whole? */
static bool line_is_part(const struct maker *maker, const struct view_line *line)
{
	switch (line->kind) {
	case VIEW_CLIENT:
	case VIEW_ENGINE:
		return true;
	case VIEW_CONTEXT:
	case VIEW_NO_CONTEXT:
		return !maker->how->clients;
	default:
		return false;
	}
}

static bool event_has_parts(const struct maker *maker, unsigned int i)
{
	const struct event *event = &maker->events->event[i];

	if (maker->slot[i] < 0 || event__fd(event))
		return false;
	return !maker->how->engines || event__has_engines(event);
}

static bool row_is_in_view(const struct maker *maker, const struct row *row)
{
	/* who is on an engine is told over all of them, too; and a context's client as a whole */
	return (row->mine || maker->how->all) &&
	       !(maker->since == SINCE_INTERVAL && row->shown) &&
	       (row->engine == GPU_PMU_SAMPLE_NO_ENGINE || maker->how->engines ||
		maker->one_engine) &&
	       (!row->ctx || maker->how->contexts);
}

static int rows_to_view(struct maker *maker)
{
	unsigned int nr_lines = 2;	/* others and total */
	const struct row *row;
	int err;

	/* a row belongs to two lines at most */
	for (row = maker->rows->first; row; row = row->newer)
		nr_lines += 2 * row_is_in_view(maker, row);
	err = maker_make_room(maker, nr_lines);
	for (row = maker->rows->first; !err && row; row = row->newer)
		if (row_is_in_view(maker, row))
			err = row_to_view(maker, row);
	return err;
}

static int add_others_and_total(struct maker *maker, const struct view_count *total)
{
	const struct view_line others_key = { .kind = VIEW_OTHERS,
					      .engine = GPU_PMU_SAMPLE_NO_ENGINE };
	const struct view_line total_key = { .kind = VIEW_TOTAL,
					     .engine = GPU_PMU_SAMPLE_NO_ENGINE };
	const struct view_how *how = maker->how;
	struct view *view = maker->view;
	struct view_line *line;

	if (how->clients || how->contexts || how->engines) {
		line = line_get(maker, &others_key);
		if (!line)
			return -ENOMEM;
		for (unsigned int i = 0; i < view->nr_events; i++) {
			if (!total[i].counted || !event_has_parts(maker, i))
				continue;
			line->count[i] = total[i];
			for (unsigned int l = 0; l < view->nr; l++)
				if (line_is_part(maker, &view->line[l]))
					line->count[i].value =
						(__u64)line->count[i].value -
						(__u64)view->line[l].count[i].value;
		}
		line->ended = false;
	}
	line = line_get(maker, &total_key);
	if (!line)
		return -ENOMEM;
	memcpy(line->count, total, view->nr_events * sizeof(*total));
	line->ended = false;
	return 0;
}

int view__make(struct view *view, const struct view_how *how, const struct events *events,
	       const int *slot, const struct view_count *total, const struct rows *rows,
	       enum since since)
{
	struct maker maker = {
		.view = view, .how = how, .events = events, .slot = slot, .rows = rows,
		.since = since,
	};
	int err;

	*view = (struct view){ .nr_events = events->nr };
	err = maker_ask_events(&maker) ?: rows_to_view(&maker) ?:
	      add_others_and_total(&maker, total);
	free(maker.wanted);
	free(maker.index);
	if (err) {
		view__free(view);
		return err;
	}
	view_tidy(&maker);
	qsort(view->line, view->nr, sizeof(*view->line), line_order);
	return 0;
}

int view__prepend(struct view *view, struct view *other)
{
	struct view_line *more = reallocarray(view->line, view->nr + other->nr, sizeof(*more));

	if (!more)
		return -ENOMEM;
	memmove(more + other->nr, more, view->nr * sizeof(*more));
	memcpy(more, other->line, other->nr * sizeof(*more));
	view->line = more;
	view->nr += other->nr;
	other->nr = 0;
	return 0;
}

void view__free(struct view *view)
{
	for (unsigned int i = 0; i < view->nr; i++)
		free(view->line[i].count);
	free(view->line);
	*view = (struct view){};
}
