// SPDX-License-Identifier: GPL-2.0
/*
 * One document, written as it goes: its memory does not grow with the intervals.
 */
#include <signal.h>
#include <string.h>

#include "common/json.h"
#include "stat/metric.h"
#include "stat/output.h"

static struct json_object *count_object(const struct output *output,
					const struct view_line *line, unsigned int i,
					double seconds)
{
	struct json_object *object = json_object_new_object();
	struct metric metric;

	json_object_object_add(object, "value", line->count[i].counted ?
			       json_object_new_int64(line->count[i].value) : NULL);
	json_object_object_add(object, "unit", json__string(output->events->event[i].unit));
	if (metric__get(&metric, output->events, line, i, seconds)) {
		json_object_object_add(object, "metric", json__double(metric.value));
		json_object_object_add(object, "metric_unit", json__string(metric.unit));
	}
	return object;
}

static struct json_object *counts_object(const struct output *output,
					 const struct view_line *line, double seconds)
{
	struct json_object *object = json_object_new_object();

	for (unsigned int i = 0; i < output->events->nr; i++)
		json_object_object_add(object, output->events->event[i].name,
				       count_object(output, line, i, seconds));
	return object;
}

static struct json_object *line_object(const struct output *output,
				       const struct view_line *line, double seconds)
{
	struct json_object *object = json_object_new_object();
	char engine[40];

	json_object_object_add(object, "part", json__string(output__kind(line)));
	if (line->dev)
		json_object_object_add(object, "device", json_object_new_int64(line->dev));
	if (line->client) {
		json_object_object_add(object, "client", json__id(line->client));
		json_object_object_add(object, "pid", json_object_new_int64(line->pid));
		json_object_object_add(object, "command", json__string(line->comm));
	}
	if (line->kind == VIEW_CONTEXT)
		json_object_object_add(object, "context", json_object_new_uint64(line->ctx));
	if (*output__engine(output->names, line, engine))
		json_object_object_add(object, "engine",
				       json__string(output__engine(output->names, line,
								   engine)));
	if (line->kind < VIEW_OTHERS)
		json_object_object_add(object, "ended", json_object_new_boolean(line->ended));
	json_object_object_add(object, "counts", counts_object(output, line, seconds));
	return object;
}

static struct json_object *part_object(const struct output *output,
				       const struct output_part *part)
{
	struct json_object *object = json_object_new_object();
	struct json_object *lines = json_object_new_array();
	double seconds = part->to - part->from;
	const struct view *view = part->view;

	json_object_object_add(object, "from", json__double(part->from));
	json_object_object_add(object, "to", json__double(part->to));
	json_object_object_add(object, "total",
			       counts_object(output, view__total(view), seconds));
	for (unsigned int i = 0; i + 1 < view->nr; i++)
		json_object_array_add(lines, line_object(output, &view->line[i], seconds));
	json_object_object_add(object, "parts", lines);
	return object;
}

static struct json_object *target_object(const struct target *target)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list;

	if (target->argv) {
		list = json_object_new_array();
		for (char **arg = target->argv; *arg; arg++)
			json_object_array_add(list, json__string(*arg));
		json_object_object_add(object, "command", list);
	}
	if (target->kind != TARGET_ALL) {
		list = json_object_new_array();
		for (unsigned int i = 0; i < target->nr_pids; i++)
			json_object_array_add(list, json_object_new_int(target->pid[i]));
		json_object_object_add(object, "pids", list);
	}
	json_object_object_add(object, "system_wide",
			       json_object_new_boolean(target->kind == TARGET_ALL));
	return object;
}

static void json_begin(struct output *output)
{
	fputs("{\"target\":", output->file);
	json__print(output->file, target_object(output->target));
	fputs(",\n\"intervals\":[", output->file);
}

static void json_interval(struct output *output, const struct output_part *part)
{
	fputs(output->intervals ? ",\n" : "\n", output->file);
	json__print(output->file, part_object(output, part));
}

static void json_end(struct output *output, const struct output_end *end)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "signal", end->signal ?
			       json__string(sigabbrev_np(end->signal)) : NULL);
	json_object_object_add(object, "command_status", end->command_status >= 0 ?
			       json_object_new_int(end->command_status) : NULL);
	json_object_object_add(object, "ended_unseen", json_object_new_uint64(end->missed));
	json_object_object_add(object, "process_records_lost",
			       json_object_new_uint64(end->forks_lost));
	json_object_object_add(object, "parts_at_one_time", json_object_new_boolean(!end->torn));
	json_object_object_add(object, "files_could_be_looked_into",
			       json_object_new_boolean(!end->denied));
	fputs("],\n", output->file);
	if (end->whole.view) {
		fputs("\"whole\":", output->file);
		json__print(output->file, part_object(output, &end->whole));
		fputs(",\n", output->file);
	}
	fputs("\"end\":", output->file);
	json__print(output->file, object);
	fputs("}\n", output->file);
}

const struct output_ops output_json = {
	.begin = json_begin,
	.interval = json_interval,
	.end = json_end,
};
