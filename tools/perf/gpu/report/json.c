// SPDX-License-Identifier: GPL-2.0
/*
 * One JSON document. What there may be a lot of is written one by one: it takes no
 * memory. Times and durations are ns; ids of 64 bits are text of 16 digits, as a number
 * of JSON has 53 bits.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report.h"
#include "common/text.h"

/**
 * struct writer - what was written last, for the comma
 * @out:	where to
 * @first:	nothing yet in the object or array that is open
 */
struct writer {
	FILE *out;
	bool first;
};

static void comma(struct writer *w)
{
	if (!w->first)
		fputc(',', w->out);
	w->first = false;
}

static void key(struct writer *w, const char *name)
{
	comma(w);
	text__json(w->out, name);
	fputc(':', w->out);
}

static void open_at(struct writer *w, const char *name, char bracket)
{
	if (name)
		key(w, name);
	else
		comma(w);
	if (bracket == '{' && !name)
		fputc('\n', w->out);
	fputc(bracket, w->out);
	w->first = true;
}

static void close_it(struct writer *w, char bracket)
{
	fputc(bracket, w->out);
	w->first = false;
}

static void number(struct writer *w, const char *name, uint64_t value)
{
	key(w, name);
	fprintf(w->out, "%" PRIu64, value);
}

static void id(struct writer *w, const char *name, uint64_t value)
{
	key(w, name);
	fprintf(w->out, "\"%016" PRIx64 "\"", value);
}

static void text(struct writer *w, const char *name, const char *value)
{
	key(w, name);
	text__json(w->out, value);
}

static void histogram(struct writer *w, const char *name, const struct histogram *histogram)
{
	open_at(w, name, '{');
	number(w, "count", histogram->nr);
	number(w, "sum_ns", histogram->sum);
	number(w, "min_ns", histogram->min);
	number(w, "p50_ns", histogram__quantile(histogram, 0.50));
	number(w, "p90_ns", histogram__quantile(histogram, 0.90));
	number(w, "p99_ns", histogram__quantile(histogram, 0.99));
	number(w, "max_ns", histogram->max);
	close_it(w, '}');
}

static void sums(struct writer *w, const struct join_sums *sums)
{
	number(w, "time_ns", sums->last - sums->first);
	number(w, "lost", sums->lost);
	number(w, "jobs", sums->jobs);
	number(w, "jobs_done", sums->done);
	number(w, "gpu_busy_ns", sums->busy);
	number(w, "waits", sums->waits);
	number(w, "wait_time_ns", sums->wait_time);
	number(w, "reports", sums->reports);
	number(w, "told_twice", sums->twice);
	number(w, "stacks_cut", sums->cut);
	open_at(w, "joined", '{');
	number(w, "jobs", sums->joined);
	number(w, "gpu_busy_ns", sums->joined_busy);
	close_it(w, '}');
	open_at(w, "not_joined", '{');
	number(w, "submitted_earlier", sums->earlier);
	number(w, "submitted_earlier_busy_ns", sums->earlier_busy);
	number(w, "no_submission", sums->unknown);
	number(w, "no_submission_busy_ns", sums->unknown_busy);
	number(w, "unfinished", sums->unfinished);
	number(w, "forgotten", sums->evicted);
	number(w, "no_fence", sums->nameless);
	number(w, "no_start", sums->no_start);
	close_it(w, '}');
}

static void engines(struct writer *w, const struct join *join)
{
	uint32_t nr;
	const struct join_engine *engines = join__engines(join, &nr);

	open_at(w, "engines", '[');
	for (uint32_t i = 0; i < nr; i++) {
		open_at(w, NULL, '{');
		number(w, "dev", engines[i].dev);
		number(w, "engine", engines[i].engine);
		number(w, "jobs_done", engines[i].done);
		number(w, "gpu_busy_ns", engines[i].busy);
		histogram(w, "queue_latency", &engines[i].latency);
		close_it(w, '}');
	}
	close_it(w, ']');
}

static void contexts(struct writer *w, const struct report *report)
{
	uint32_t nr;
	const struct join_context *contexts = join__contexts(report->join, &nr);

	open_at(w, "contexts", '[');
	for (uint32_t i = 0; i < nr; i++) {
		const struct join_context *context = &contexts[i];

		open_at(w, NULL, '{');
		number(w, "dev", context->dev);
		id(w, "client", context->client);
		number(w, "ctx", context->ctx);
		number(w, "pid", context->pid);
		text(w, "comm", stacks__name_of(report->stacks, context->comm));
		number(w, "jobs", context->jobs);
		number(w, "jobs_done", context->done);
		number(w, "gpu_busy_ns", context->busy);
		histogram(w, "queue_latency", &context->latency);
		close_it(w, '}');
	}
	close_it(w, ']');
}

static void waiters(struct writer *w, const struct report *report)
{
	uint32_t nr;
	const struct join_waiter *waiters = join__waiters(report->join, &nr);

	open_at(w, "waiters", '[');
	for (uint32_t i = 0; i < nr; i++) {
		open_at(w, NULL, '{');
		number(w, "pid", waiters[i].pid);
		text(w, "comm", stacks__name_of(report->stacks, waiters[i].comm));
		histogram(w, "wait", &waiters[i].time);
		close_it(w, '}');
	}
	close_it(w, ']');
}

/* from the outermost one on, as they are read */
static int frames(struct writer *w, const struct stacks *stacks, uint32_t stack)
{
	unsigned int depth = stacks__depth(stacks, stack), i = depth;
	uint32_t *nodes = calloc(depth, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (; stack; stack = stacks__caller(stacks, stack))
		nodes[--i] = stack;
	open_at(w, "frames", '[');
	for (i = 0; i < depth; i++) {
		comma(w);
		text__json(w->out, stacks__frame(stacks, nodes[i]));
	}
	close_it(w, ']');
	free(nodes);
	return 0;
}

static int stacks(struct writer *w, const struct report *report)
{
	const uint64_t *selves[JOIN_WEIGHTS];
	uint32_t nr = stacks__nr(report->stacks);
	int err = 0;

	for (unsigned int i = 0; !err && i < JOIN_WEIGHTS; i++)
		err = join__selves(report->join, i, &selves[i]);
	if (err)
		return err;
	open_at(w, "stacks", '[');
	for (uint32_t stack = 1; !err && stack <= nr; stack++) {
		bool any = false;

		for (unsigned int i = 0; i < JOIN_WEIGHTS; i++)
			any |= selves[i][stack] != 0;
		if (!any)
			continue;
		open_at(w, NULL, '{');
		err = frames(w, report->stacks, stack);
		for (unsigned int i = 0; i < JOIN_WEIGHTS; i++)
			number(w, report_weights[i].key, selves[i][stack]);
		close_it(w, '}');
	}
	close_it(w, ']');
	return err;
}

int report__json(FILE *out, const struct report *report)
{
	struct writer w = { .out = out, .first = true };
	int err;

	fputc('{', out);
	text(&w, "file", report->input);
	key(&w, "complete");
	fputs(report->complete ? "true" : "false", out);
	sums(&w, join__sums(report->join));
	engines(&w, report->join);
	contexts(&w, report);
	waiters(&w, report);
	err = stacks(&w, report);
	fputs("}\n", out);
	return err;
}
