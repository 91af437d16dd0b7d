// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of fields, always as many.
 */
#include <string.h>

#include "common/text.h"
#include "stat/metric.h"
#include "stat/output.h"

const char output_fields_help[] =
	"With -x each line is an event of a part of an interval, and has 14 fields:\n"
	"  time        the end of the interval, in seconds since the beginning\n"
	"  part        total, client, context, no-context, engine, kernel or others\n"
	"  device      render minor (128...)\n"
	"  client      tells the open DRM files apart\n"
	"  pid         process that opened it\n"
	"  command     its name\n"
	"  context     the driver's id\n"
	"  engine      its name\n"
	"  state       live or ended\n"
	"  event       as in -e\n"
	"  count       or <not counted>\n"
	"  unit        of the count\n"
	"  metric      share, mean or rate\n"
	"  unit        of the metric: %, ns/job, ns/wait, /s\n"
	"What a line does not have is empty. What is in the separator becomes '_' in\n"
	"words; so it has no letter, digit, '.', '-' or '_' of its own.\n";

/* names are others' words: they may not look like more fields, or lines, or parts of these */
static void print_word(const struct output *output, const char *word)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", word);
	text__printable(text);
	text__separable(text, output->separator);
	fprintf(output->file, "%s%s", output->separator, text);
}

static void print_number(const struct output *output, __u64 number)
{
	fputs(output->separator, output->file);
	if (number)
		fprintf(output->file, "%llu", (unsigned long long)number);
}

static void print_who(const struct output *output, const struct view_line *line)
{
	char engine[40];

	print_word(output, output__kind(line));
	print_number(output, line->dev);
	fputs(output->separator, output->file);
	if (line->client)
		fprintf(output->file, "%016llx", (unsigned long long)line->client);
	print_number(output, line->pid);
	print_word(output, line->comm);
	print_number(output, line->ctx);
	print_word(output, output__engine(output->names, line, engine));
	print_word(output, line->kind >= VIEW_OTHERS ? "" : line->ended ? "ended" : "live");
}

static void print_count(const struct output *output, const struct view_line *line,
			unsigned int i, double seconds)
{
	const struct event *event = &output->events->event[i];
	struct metric metric;

	print_word(output, event->name);
	if (line->count[i].counted)
		fprintf(output->file, "%s%lld", output->separator,
			(long long)line->count[i].value);
	else
		print_word(output, "<not counted>");
	print_word(output, event->unit);
	fputs(output->separator, output->file);
	if (metric__get(&metric, output->events, line, i, seconds)) {
		fprintf(output->file, "%.3f", metric.value);
		print_word(output, metric.unit);
	} else {
		print_word(output, "");
	}
}

static void print_part(const struct output *output, const struct output_part *part)
{
	for (unsigned int l = 0; l < part->view->nr; l++) {
		const struct view_line *line = &part->view->line[l];

		for (unsigned int i = 0; i < output->events->nr; i++) {
			fprintf(output->file, "%.9f", part->to);
			print_who(output, line);
			print_count(output, line, i, part->to - part->from);
			fputc('\n', output->file);
		}
	}
}

static void fields_begin(struct output *output)
{
	(void)output;
}

static void fields_interval(struct output *output, const struct output_part *part)
{
	print_part(output, part);
}

/* the lines of all intervals are the whole: it is not said once more */
static void fields_end(struct output *output, const struct output_end *end)
{
	if (!output->intervals && end->whole.view)
		print_part(output, &end->whole);
}

const struct output_ops output_fields = {
	.begin = fields_begin,
	.interval = fields_interval,
	.end = fields_end,
};
