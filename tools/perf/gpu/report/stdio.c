// SPDX-License-Identifier: GPL-2.0
/*
 * For people: what was read and what is missing, who had the GPU for how long, how long
 * jobs were queued, and which code it was.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "calls.h"
#include "common/text.h"
#include "report.h"

#define TIME_SIZE	24

/* ---- numbers ---- */

static const char *time_text(char text[TIME_SIZE], uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, TIME_SIZE, "%.3f %s", (double)ns / units[i].ns, units[i].unit);
		return text;
	}
	snprintf(text, TIME_SIZE, "%" PRIu64 " ns", ns);
	return text;
}

static const char *value_text(char text[TIME_SIZE], enum join_weight weight, uint64_t value)
{
	if (*report_weights[weight].unit)
		return time_text(text, value);
	snprintf(text, TIME_SIZE, "%" PRIu64, value);
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void name_put(FILE *out, const char *name)
{
	while (*name)
		text__show_next(out, &name);
}

/* the columns behind it stay in their places */
static void comm_put(FILE *out, const char *comm)
{
	int width = 15;

	for (; *comm; width--)
		text__show_next(out, &comm);
	fprintf(out, "%*s", width > 0 ? width : 0, "");
}

/* ---- the summary ---- */

static void missing(FILE *out, const char *what, uint64_t nr, uint64_t busy, uint64_t all)
{
	char text[TIME_SIZE];

	if (!nr)
		return;
	fprintf(out, "#   %" PRIu64 " %s", nr, what);
	if (busy)
		fprintf(out, ": %s, %.2f %% of the GPU time", time_text(text, busy),
			percent(busy, all));
	fputc('\n', out);
}

static void summary(FILE *out, const struct report *report)
{
	const struct join_sums *sums = join__sums(report->join);
	char text[TIME_SIZE];

	fprintf(out, "# %s: %s\n", report->input,
		time_text(text, sums->last - sums->first));
	if (!report->complete)
		fputs("# INTERRUPTED: this is what was read until then\n", out);
	fprintf(out, "# jobs: %" PRIu64 " submitted, %" PRIu64 " completed, GPU time %s\n",
		sums->jobs, sums->done, time_text(text, sums->busy));
	fprintf(out, "# waits: %" PRIu64 ", %s\n", sums->waits,
		time_text(text, sums->wait_time));
	fprintf(out, "# lost records: %" PRIu64 "%s\n", sums->lost,
		sums->lost ? ": record with '--perf -m 16M', or more" : "");
	fprintf(out, "# joined: %" PRIu64 " of %" PRIu64 " completions, %.2f %% of the GPU time\n",
		sums->joined, sums->done, percent(sums->joined_busy, sums->busy));
	missing(out, "completed that were submitted before the record", sums->earlier,
		sums->earlier_busy, sums->busy);
	missing(out, "completed whose submission is not in the record", sums->unknown,
		sums->unknown_busy, sums->busy);
	missing(out, "submitted whose completion is not in the record", sums->unfinished, 0, 0);
	missing(out, "of these were forgotten, as there were too many", sums->evicted, 0, 0);
	missing(out, "submitted without a fence to join them by", sums->nameless, 0, 0);
	missing(out, "completed that do not tell when they began", sums->no_start, 0, 0);
	missing(out, "submitted, or waits, whose stack is not whole: it was too deep", sums->cut, 0, 0);
	missing(out, "samples that say what others say were passed over", sums->twice, 0, 0);
}

/* ---- tables ---- */

static void latency_print(FILE *out, const struct histogram *latency)
{
	char text[TIME_SIZE];

	if (!latency->nr) {
		fprintf(out, " %11s %11s %11s", "-", "-", "-");
		return;
	}
	fprintf(out, " %11s", time_text(text, histogram__quantile(latency, 0.50)));
	fprintf(out, " %11s", time_text(text, histogram__quantile(latency, 0.99)));
	fprintf(out, " %11s", time_text(text, latency->max));
}

static void engines(FILE *out, const struct report *report)
{
	const struct join_sums *sums = join__sums(report->join);
	uint32_t nr;
	const struct join_engine *engines = join__engines(report->join, &nr);
	char text[TIME_SIZE];

	if (!nr)
		return;
	fputs("\n# engines, and how long jobs were queued\n", out);
	fprintf(out, "#%6s %6s %10s %12s %8s %11s %11s %11s\n", "device", "engine", "jobs done",
		"GPU time", "of time", "queue p50", "p99", "max");
	for (uint32_t i = 0; i < nr; i++) {
		const struct join_engine *e = &engines[i];

		fprintf(out, " %6u %6u %10" PRIu64 " %12s %6.2f %%", e->dev, e->engine, e->done,
			time_text(text, e->busy), percent(e->busy, sums->last - sums->first));
		latency_print(out, &e->latency);
		fputc('\n', out);
	}
}

static int more_busy(const void *a, const void *b)
{
	const struct join_context *x = *(const struct join_context *const *)a;
	const struct join_context *y = *(const struct join_context *const *)b;

	return x->busy != y->busy ? (x->busy < y->busy ? 1 : -1) :
	       x->jobs != y->jobs ? (x->jobs < y->jobs ? 1 : -1) : 0;
}

static int contexts(FILE *out, const struct report *report)
{
	const struct join_sums *sums = join__sums(report->join);
	uint32_t nr;
	const struct join_context *all = join__contexts(report->join, &nr);
	const struct join_context **sorted;
	char text[TIME_SIZE];

	if (!nr)
		return 0;
	sorted = calloc(nr, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = &all[i];
	qsort(sorted, nr, sizeof(*sorted), more_busy);

	fputs("\n# contexts\n", out);
	fprintf(out, "#%6s %7s %-15s %8s %10s %10s %12s %8s %11s %11s %11s\n", "device", "pid",
		"comm", "context", "jobs", "jobs done", "GPU time", "of it", "queue p50", "p99",
		"max");
	for (uint32_t i = 0; i < nr; i++) {
		const struct join_context *c = sorted[i];

		fprintf(out, " %6u", c->dev);
		if (c->pid)
			fprintf(out, " %7u ", c->pid);
		else
			fprintf(out, " %7s ", "-");
		comm_put(out, stacks__name_of(report->stacks, c->comm));
		fprintf(out, " %8" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12s %6.2f %%", c->ctx,
			c->jobs, c->done, time_text(text, c->busy), percent(c->busy, sums->busy));
		latency_print(out, &c->latency);
		fputc('\n', out);
	}
	free(sorted);
	return 0;
}

static void waiters(FILE *out, const struct report *report)
{
	uint32_t nr;
	const struct join_waiter *waiters = join__waiters(report->join, &nr);
	char text[TIME_SIZE];

	if (!nr)
		return;
	fputs("\n# who waited\n", out);
	fprintf(out, "#%7s %-15s %10s %12s %11s %11s %11s\n", "pid", "comm", "waits", "time",
		"p50", "p99", "max");
	for (uint32_t i = 0; i < nr; i++) {
		fprintf(out, " %7u ", waiters[i].pid);
		comm_put(out, stacks__name_of(report->stacks, waiters[i].comm));
		fprintf(out, " %10" PRIu64 " %12s", waiters[i].time.nr,
			time_text(text, waiters[i].time.sum));
		latency_print(out, &waiters[i].time);
		fputc('\n', out);
	}
}

/* ---- calls ---- */

/* what is on the way from the outermost function to where we are */
struct level {
	uint32_t node;		/* the next one there */
	unsigned int indent;
	bool chained;		/* it is all that its caller calls */
};

static bool is_shown(const struct calls *calls, uint32_t node, double limit)
{
	return node && percent(calls->total[node], calls->total[0]) >= limit;
}

/* a function that has all that its caller has is a line below it, and no step */
static bool is_chained(const struct calls *calls, uint32_t caller, uint32_t node)
{
	return caller && calls->total[node] == calls->total[caller];
}

static void call_print(FILE *out, const struct report *report, const struct calls *calls,
		       enum join_weight weight, const struct level *at)
{
	char text[TIME_SIZE];

	if (at->chained)
		fprintf(out, "%24s", "");
	else
		fprintf(out, " %7.2f %% %13s", percent(calls->total[at->node], calls->total[0]),
			value_text(text, weight, calls->total[at->node]));
	fprintf(out, "  %*s", 2 * at->indent, "");
	name_put(out, stacks__frame(report->stacks, at->node));
	fputc('\n', out);
}

static int calls_print(FILE *out, const struct report *report, const struct calls *calls,
		       enum join_weight weight)
{
	unsigned int deepest = 0, level = 0;
	struct level *levels;

	for (uint32_t i = 1; i <= calls->nr; i++)
		if (stacks__depth(report->stacks, i) > deepest)
			deepest = stacks__depth(report->stacks, i);
	levels = calloc(deepest + 2, sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	levels[0].node = calls->first[0];
	for (;;) {
		struct level *at = &levels[level];
		uint32_t node = at->node, inner;

		/* the others at this level have less */
		if (!is_shown(calls, node, report->percent_limit)) {
			if (!level--)
				break;
			continue;
		}
		call_print(out, report, calls, weight, at);
		at->node = calls->next[node];
		at->chained = false;
		inner = calls->first[node];
		level++;
		levels[level].node = inner;
		levels[level].chained = inner && is_chained(calls, node, inner);
		levels[level].indent = at->indent + !levels[level].chained;
	}
	free(levels);
	return 0;
}

static int calls(FILE *out, const struct report *report, enum join_weight weight)
{
	const uint64_t *selves;
	struct calls calls;
	char text[TIME_SIZE];
	int err = join__selves(report->join, weight, &selves);

	if (!err)
		err = calls__init(&calls, report->stacks, selves);
	if (err)
		return err;
	if (calls.total[0]) {
		fprintf(out, "\n# %s by stack: %s", report_weights[weight].title,
			value_text(text, weight, calls.total[0]));
		if (report->percent_limit > 0)
			fprintf(out, "; less than %g %% is not shown", report->percent_limit);
		fputc('\n', out);
		err = calls_print(out, report, &calls, weight);
	}
	calls__free(&calls);
	return err;
}

int report__stdio(FILE *out, const struct report *report)
{
	int err;

	summary(out, report);
	engines(out, report);
	err = contexts(out, report);
	if (err)
		return err;
	waiters(out, report);
	err = calls(out, report, JOIN_GPU);
	/* if the file has no completions, the submissions are what there is */
	if (!err && !join__sums(report->join)->done)
		err = calls(out, report, JOIN_JOBS);
	return err ? err : calls(out, report, JOIN_WAIT);
}
