// SPDX-License-Identifier: GPL-2.0
/*
 * For people.
 */
#include <signal.h>
#include <string.h>
#include <linux/gpu_pmu.h>
#include <sys/ioctl.h>

#include "common/text.h"
#include "stat/held.h"
#include "stat/metric.h"
#include "stat/number.h"
#include "stat/output.h"
#include "stat/table.h"

static void text_begin(struct output *output)
{
	const struct target *target = output->target;

	fprintf(output->file, "\n What ");
	switch (target->kind) {
	case TARGET_COMMAND:
		fputc('\'', output->file);
		for (char **arg = target->argv; *arg; arg++)
			fprintf(output->file, "%s%s", arg == target->argv ? "" : " ", *arg);
		fputc('\'', output->file);
		break;
	case TARGET_PROCESSES:
		fprintf(output->file, "process%s", target->nr_pids > 1 ? "es" : "");
		for (unsigned int i = 0; i < target->nr_pids; i++)
			fprintf(output->file, "%s %d", i ? "," : "", target->pid[i]);
		break;
	case TARGET_ALL:
		fprintf(output->file, "the whole machine");
		break;
	}
	fprintf(output->file, " did on the GPU:\n\n");
}

/* ---- the parts ---- */

#define WHO_COLUMNS	6

_Static_assert(WHO_COLUMNS + 2 * OUTPUT_EVENTS_MAX <= TABLE_COLUMNS_MAX, "");

static bool has_parts(const struct output *output)
{
	return output->how->clients || output->how->contexts || output->how->engines;
}

/* of an event that has a column for what its count comes to: its head; else NULL */
static const char *metric_head(const struct output *output, const struct event *event)
{
	/* how busy the GPU was is what one looks for first */
	if (output->narrow && event__id(event) != GPU_PMU_EVENT_GPU_BUSY)
		return NULL;
	return metric__head(event);
}

static void heads(struct table *table, const struct output *output, bool time)
{
	const struct view_how *how = output->how;
	const struct event *event;
	char head[TABLE_CELL_MAX];

	if (time)
		table__column(table, "TIME", true);
	table__column(table, "DEV", true);
	if (how->clients || how->contexts) {
		table__column(table, "PID", true);
		table__column(table, "COMMAND", false);
	}
	if (how->contexts)
		table__column(table, "CTX", true);
	if (how->engines)
		table__column(table, "ENGINE", false);
	for (unsigned int i = 0; i < output->events->nr; i++) {
		event = &output->events->event[i];
		snprintf(head, sizeof(head), event->unit[0] ? "%.40s, %.6s" : "%.40s%.0s",
			 event->name, event->unit);
		table__column(table, head, true);
		if (metric_head(output, event))
			table__column(table, metric_head(output, event), true);
	}
}

static void who_cells(struct table *table, const struct output *output,
		      const struct view_line *line)
{
	const struct view_how *how = output->how;
	char name[sizeof(line->comm)], engine[40];
	bool whole = line->kind >= VIEW_OTHERS;
	const char *word = line->kind == VIEW_TOTAL ? "total" :
			   line->kind == VIEW_OTHERS ? "(others)" : "(kernel)";

	if (line->dev)
		table__cell(table, "%u", line->dev);
	else
		table__cell(table, "%s", "");
	if (how->clients || how->contexts) {
		memcpy(name, line->comm, sizeof(name));
		text__printable(name);
		if (line->pid)
			table__cell(table, "%u", line->pid);
		else
			table__cell(table, "%s", whole || line->kernel ? "" : "?");
		table__cell(table, "%s%s", whole || line->kernel ? word : name,
			    line->ended ? " (ended)" : "");
	}
	if (how->contexts) {
		if (line->kind == VIEW_CONTEXT)
			table__cell(table, "%llu", (unsigned long long)line->ctx);
		else
			table__cell(table, "%s", line->kind == VIEW_NO_CONTEXT ? "none" :
				    line->kind == VIEW_CLIENT ? "all" : "");
	}
	if (how->engines)
		table__cell(table, "%s", whole && !how->clients && !how->contexts ? word :
			    output__engine(output->names, line, engine));
}

static void count_cells(struct table *table, const struct output *output,
			const struct view_line *line, double seconds)
{
	char text[NUMBER_SIZE];
	struct metric metric;

	for (unsigned int i = 0; i < output->events->nr; i++) {
		table__cell(table, "%s", line->count[i].counted ?
			    number__thousands(text, line->count[i].value) : "-");
		if (!metric_head(output, &output->events->event[i]))
			continue;
		table__cell(table, "%s", metric__get(&metric, output->events, line, i, seconds) ?
			    metric__cell(text, &metric) : "-");
	}
}

static void make_table(struct table *table, const struct output *output,
		       const struct output_part *part, bool time)
{
	heads(table, output, time);
	for (unsigned int i = 0; i < part->view->nr; i++) {
		if (time)
			table__cell(table, "%.6f", part->to);
		who_cells(table, output, &part->view->line[i]);
		count_cells(table, output, &part->view->line[i], part->to - part->from);
	}
}

/* 0: it is no terminal, and lines are as long as they are */
static unsigned int terminal_width(FILE *file)
{
	struct winsize size;

	return ioctl(fileno(file), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static void print_parts(struct output *output, const struct output_part *part, bool time)
{
	unsigned int width = terminal_width(output->file);
	struct table table = {};

	make_table(&table, output, part, time);
	/* and it stays so: tables of a run have the same columns */
	if (!output->narrow && width && table__width(&table) > width) {
		output->narrow = true;
		table__free(&table);
		make_table(&table, output, part, time);
	}
	table__print(&table, output->file);
	table__free(&table);
}

/* ---- the whole ---- */

static void print_total(const struct output *output, const struct output_part *part,
			bool time)
{
	const struct view_line *total = view__total(part->view);
	char number[NUMBER_SIZE], text[2 * NUMBER_SIZE];
	const struct event *event;
	struct metric metric;

	for (unsigned int i = 0; i < output->events->nr; i++) {
		event = &output->events->event[i];
		if (time)
			fprintf(output->file, "%12.6f", part->to);
		fprintf(output->file, "%22s %-6s %-20s",
			total->count[i].counted ?
			number__thousands(number, total->count[i].value) : "<not counted>",
			event->unit, event->name);
		if (metric__get(&metric, output->events, total, i, part->to - part->from))
			fprintf(output->file, " # %s", metric__text(text, &metric));
		fputc('\n', output->file);
	}
}

static void text_interval(struct output *output, const struct output_part *part)
{
	if (has_parts(output))
		print_parts(output, part, true);
	else
		print_total(output, part, true);
	fputc('\n', output->file);
}

static void text_end(struct output *output, const struct output_end *end)
{
	FILE *file = output->file;

	if (output->intervals)
		fprintf(file, " All together:\n\n");
	if (has_parts(output)) {
		print_parts(output, &end->whole, false);
		fputc('\n', file);
	}
	print_total(output, &end->whole, false);
	fprintf(file, "\n%18.9f seconds\n\n", end->whole.to);
	if (end->missed)
		fprintf(file, " %llu clients or contexts came and went unseen: they are in (others)\n",
			end->missed);
	if (end->forks_lost)
		fprintf(file, " %llu records of processes were lost: some may be in (others)\n",
			end->forks_lost);
	if (end->torn && has_parts(output))
		fprintf(file, " The lines were not read at one time: their sum may differ\n");
	if (end->denied)
		fprintf(file, " " HELD_DENIED "\n");
}

const struct output_ops output_text = {
	.begin = text_begin,
	.interval = text_interval,
	.end = text_end,
};
