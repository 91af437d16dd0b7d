// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "stat/number.h"
#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "top/top.h"

/* the places in top->events */
enum { BUSY, QUEUE_WAIT, JOBS, DONE, WAITS, WAIT_TIME, NR_EVENTS };

#define EVENTS	"gpu-busy,queue-wait,jobs,jobs-done,waits,wait-time"

#define NS_PER_S	1e9

const char * const top_sort_names[TOP_SORTS] = {
	[TOP_SORT_BUSY] = "busy",
	[TOP_SORT_JOBS] = "jobs",
	[TOP_SORT_WAIT] = "wait",
	[TOP_SORT_PID] = "pid",
};

double top__seconds(const struct top *top)
{
	return (top->to - top->from) / NS_PER_S;
}

/* ---- looks ---- */

int top__open(struct top *top, const char **event)
{
	char text[128];
	int err;

	*event = NULL;
	err = events__parse(&top->events, EVENT_SYSFS, EVENTS, text, sizeof(text));
	if (err)
		return err;
	top->privileged = obstacle__privileged();
	err = keeper__event(&top->keeper, &top->events.event[BUSY]);
	if (err) {
		*event = top->events.event[BUSY].name;
		return err;
	}
	err = names__get(&top->names) ?:
	      watch__open(&top->watch, &top->events, true, &top->target, NULL);
	if (err)
		return err;
	err = watch__begin(&top->watch) ?: watch__idle(&top->watch);
	top->began = top->from = top->to = top->watch.usages.time;
	return err;
}

static int by_sort(const void *a, const void *b, void *arg)
{
	static const int event[TOP_SORTS] = {
		[TOP_SORT_BUSY] = BUSY,
		[TOP_SORT_JOBS] = JOBS,
		[TOP_SORT_WAIT] = QUEUE_WAIT,
	};
	const struct view_line *x = a, *y = b;
	const struct top *top = arg;
	__s64 of_x, of_y;

	if (top->sort != TOP_SORT_PID) {
		of_x = x->count[event[top->sort]].value;
		of_y = y->count[event[top->sort]].value;
		if (of_x != of_y)
			return of_x > of_y ? -1 : 1;
	}
	/* those that are equal stay where they are, from look to look */
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->client != y->client)
		return x->client < y->client ? -1 : 1;
	return x->ctx < y->ctx ? -1 : x->ctx > y->ctx;
}

int top__arrange(struct top *top)
{
	const struct view_how clients = {
		.clients = !top->contexts, .contexts = top->contexts, .all = top->watch.all,
	};
	const struct view_how engines = { .engines = true, .all = top->watch.all };
	struct view_count total[NR_EVENTS];
	int err;

	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		total[i].counted = top->watch.slot[i] >= 0;
		total[i].value = total[i].counted ?
			view__sum(&top->watch.rows, &top->events.event[i], top->watch.slot[i],
				  top->watch.all, SINCE_INTERVAL) : 0;
	}
	view__free(&top->clients);
	view__free(&top->engines);
	err = view__make(&top->clients, &clients, &top->events, top->watch.slot, total,
			 &top->watch.rows, SINCE_INTERVAL) ?:
	      view__make(&top->engines, &engines, &top->events, top->watch.slot, total,
			 &top->watch.rows, SINCE_INTERVAL);
	if (err)
		return err;
	/* the total stays the last one */
	qsort_r(top->clients.line, top__lines(top), sizeof(*top->clients.line), by_sort,
		top);
	return 0;
}

int top__look(struct top *top)
{
	int err;

	/* what was shown as ended is shown no more */
	rows__next_interval(&top->watch.rows);
	err = watch__follow(&top->watch);
	if (!err)
		err = watch__look(&top->watch);
	if (!err)
		err = watch__idle(&top->watch);
	if (err)
		return err;
	rows__forget(&top->watch.rows);
	top->from = top->to;
	top->to = top->watch.usages.time;
	return top__arrange(top);
}

void top__close(struct top *top)
{
	view__free(&top->clients);
	view__free(&top->engines);
	if (top->watch.slot)
		watch__close(&top->watch);
	keeper__close(&top->keeper);
	names__put(&top->names);
	events__free(&top->events);
	target__free(&top->target);
}

/* ---- text ---- */

void top__device_text(const struct top *top, unsigned int dev, char *text, size_t size)
{
	const struct gpu_pmu_device_info *info = names__device(&top->names, dev);

	if (info)
		snprintf(text, size, "%u %s at %s", dev, info->driver, info->bus);
	else
		snprintf(text, size, "%u", dev);
}

double top__engine(const struct top *top, const struct view_line *line, char *name,
		   size_t size)
{
	const char *known = names__engine(&top->names, line->dev, line->engine);

	if (known)
		snprintf(name, size, "%s", known);
	else
		snprintf(name, size, "%u", line->engine);
	return line->count[BUSY].value / (top__seconds(top) * NS_PER_S);
}

void top__summary(const struct top *top, char *text, size_t size)
{
	const struct view_line *total = view__total(&top->clients);
	char jobs[NUMBER_SIZE];

	snprintf(text, size, "%u %s of %s, %s, in %.3f s, by %s", top__lines(top),
		 top->contexts ? "contexts" : "clients",
		 !top->watch.all ? "the processes" : top->privileged ? "everybody" :
		 "yours (others' are for root)",
		 number__short(jobs, total->count[JOBS].value / top__seconds(top), "jobs/s"),
		 top__seconds(top), top_sort_names[top->sort]);
}

const char *top__missing(const struct top *top)
{
	return top->watch.held.denied ? HELD_DENIED : NULL;
}

static int cells_of_line(const struct top *top, struct table *table,
			 const struct view_line *line)
{
	const struct view_count *count = line->count;
	double seconds = top__seconds(top);
	char text[NUMBER_SIZE], name[sizeof(line->comm)];
	int err = 0;

	memcpy(name, line->comm, sizeof(name));
	text__printable(name);
	if (line->pid)
		err |= table__cell(table, "%u", line->pid);
	else
		err |= table__cell(table, line->kernel ? "-" : "?");
	err |= table__cell(table, "%s%s", line->kernel ? "(kernel)" : name,
			   line->ended ? " (ended)" : "");
	err |= table__cell(table, "%u", line->dev);
	if (top->contexts && line->ctx)
		err |= table__cell(table, "%llu", (unsigned long long)line->ctx);
	else if (top->contexts)
		err |= table__cell(table, "-");
	err |= table__cell(table, "%.1f", 100 * count[BUSY].value / (seconds * NS_PER_S));
	err |= table__cell(table, "%s", number__short(text, count[JOBS].value / seconds, ""));
	err |= table__cell(table, "%s", number__short(text, count[DONE].value / seconds, ""));
	err |= table__cell(table, "%s", count[JOBS].value > 0 ?
			   number__time(text, (double)count[QUEUE_WAIT].value /
					      count[JOBS].value) : "-");
	err |= table__cell(table, "%s", count[WAITS].counted ?
			   number__short(text, count[WAITS].value / seconds, "") : "-");
	if (count[WAIT_TIME].counted)
		err |= table__cell(table, "%.1f",
				   100 * count[WAIT_TIME].value / (seconds * NS_PER_S));
	else
		err |= table__cell(table, "-");
	return err ? -ENOMEM : 0;
}

/* the total is none of them */
unsigned int top__lines(const struct top *top)
{
	return top->clients.nr - 1;
}

int top__table(const struct top *top, unsigned int first, unsigned int nr, struct table *table)
{
	int err = 0;

	err |= table__column(table, "PID", true);
	err |= table__column(table, "COMMAND", false);
	err |= table__column(table, "DEV", true);
	if (top->contexts)
		err |= table__column(table, "CTX", true);
	err |= table__column(table, "GPU%", true);
	err |= table__column(table, "JOBS/s", true);
	err |= table__column(table, "DONE/s", true);
	err |= table__column(table, "QUEUED/JOB", true);
	err |= table__column(table, "WAITS/s", true);
	err |= table__column(table, "WAITING%", true);
	for (unsigned int i = 0; !err && i < nr; i++)
		err = cells_of_line(top, table, &top->clients.line[first + i]);
	return err ? -ENOMEM : 0;
}

#define BAR	40

int top__print(const struct top *top, FILE *out)
{
	char text[128], name[40], bar[BAR + 1];
	struct table table = {};
	unsigned int dev = 0;
	double busy;
	int err;

	top__summary(top, text, sizeof(text));
	fprintf(out, "perf gpu top: %s\n", text);
	if (top__missing(top))
		fprintf(out, "%s\n", top__missing(top));
	for (unsigned int i = 0; i < top->engines.nr; i++) {
		const struct view_line *line = &top->engines.line[i];
		int full;

		/* behind the engines: others, and the total */
		if (line->kind >= VIEW_OTHERS)
			break;
		if (line->dev != dev) {
			dev = line->dev;
			top__device_text(top, dev, text, sizeof(text));
			fprintf(out, "%s\n", text);
		}
		busy = top__engine(top, line, name, sizeof(name));
		full = busy > 1 ? BAR : busy * BAR + 0.5;
		memset(bar, ' ', BAR);
		memset(bar, '#', full);
		bar[BAR] = 0;
		fprintf(out, "  %-12s [%s] %5.1f %%\n", name, bar, 100 * busy);
	}
	fputc('\n', out);
	err = top__table(top, 0, top__lines(top), &table);
	if (!err)
		table__print(&table, out);
	table__free(&table);
	fputc('\n', out);
	return err;
}
