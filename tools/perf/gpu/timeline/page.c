// SPDX-License-Identifier: GPL-2.0
/*
 * The data are columns: a number takes a few characters, as it is the difference to the
 * one before, or to another of the same item. All times are ns since the first sample.
 * -1 is what is not known, or not there. pages/timeline.js reads this.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "pages/pages.h"
#include "samples/stacks.h"
#include "common/text.h"
#include "timeline/items.h"
#include "timeline/page.h"

/* above that, a double does not have each integer */
#define EXACT	(1ULL << 53)

/* ids are compared and shown, not calculated with */
static void put_id(FILE *out, uint64_t id)
{
	fprintf(out, id < EXACT ? "%" PRIu64 : "\"%" PRIu64 "\"", id);
}

static void put_index(FILE *out, uint32_t index)
{
	fprintf(out, "%" PRId64, index == ITEM_NONE ? -1 : (int64_t)index);
}

struct page {
	FILE *out;
	const struct items *items;
};

/* one column: a comma before each number but the first */
#define column(page, name, array, ...) do {				\
	fprintf((page)->out, ",\n\"%s\":[", name);			\
	for (uint32_t i = 0; i < (array)->nr; i++) {			\
		__typeof__((array)->item) it = &(array)->item[i];	\
									\
		if (i)							\
			fputc(',', (page)->out);			\
		__VA_ARGS__;						\
	}								\
	fputc(']', (page)->out);					\
} while (0)

/* a time, and what the one before it was */
static void put_time(const struct page *page, uint64_t time, uint64_t *before)
{
	fprintf(page->out, "%" PRId64, (int64_t)(time - *before));
	*before = time;
}

static void put_span(const struct page *page, uint64_t from, uint64_t to)
{
	fprintf(page->out, "%" PRId64, from ? (int64_t)(to - from) : -1);
}

static void put_contexts(const struct page *page)
{
	const struct items *items = page->items;
	FILE *out = page->out;

	fputs(",\n\"contexts\":[", out);
	for (uint32_t i = 0; i < items->contexts.nr; i++) {
		const struct item_context *context = &items->contexts.item[i];

		fprintf(out, "%s\n{\"dev\":%u,\"client\":\"%" PRIu64 "\",\"ctx\":", i ? "," : "",
			context->dev, context->client);
		put_id(out, context->ctx);
		fprintf(out, ",\"pid\":%u,\"comm\":", context->pid);
		text__json(out, context->comm);
		fputc('}', out);
	}
	fputs("],\n\"threads\":[", out);
	for (uint32_t i = 0; i < items->threads.nr; i++) {
		const struct item_thread *thread = &items->threads.item[i];

		fprintf(out, "%s\n{\"pid\":%u,\"tid\":%u,\"comm\":", i ? "," : "", thread->pid,
			thread->tid);
		text__json(out, thread->comm);
		fputc('}', out);
	}
	fputs("],\n\"lines\":[", out);
	for (uint32_t i = 0; i < items->line_keys.nr; i++) {
		const struct key *key = &items->line_keys.key[i];

		fprintf(out, "%s[%" PRIu64 ",\"%" PRIu64 "\"]", i ? "," : "", key->part[0],
			key->part[1]);
	}
	fputc(']', out);
}

static void put_submissions(const struct page *page)
{
	__auto_type array = &page->items->submissions;
	uint64_t before = page->items->start;
	FILE *out = page->out;

	fputs(",\n\"submissions\":{\"nr\":", out);
	fprintf(out, "%u", array->nr);
	column(page, "time", array, put_time(page, it->time, &before));
	column(page, "line", array, put_index(out, it->fence.line));
	column(page, "seqno", array, put_id(out, it->fence.seqno));
	column(page, "thread", array, put_index(out, it->thread));
	column(page, "context", array, put_index(out, it->context));
	column(page, "stack", array, put_index(out, it->stack));
	column(page, "cpu", array, fprintf(out, "%d", it->cpu));
	fputc('}', out);
}

static void put_runs(const struct page *page)
{
	__auto_type array = &page->items->runs;
	uint64_t before = page->items->start;
	FILE *out = page->out;

	fputs(",\n\"runs\":{\"nr\":", out);
	fprintf(out, "%u", array->nr);
	column(page, "end", array, put_time(page, it->end, &before));
	column(page, "begin", array, put_span(page, it->begin, it->end));
	column(page, "submit", array, put_span(page, it->submit, it->end));
	column(page, "busy", array, fprintf(out, "%" PRIu64, it->busy));
	column(page, "line", array, put_index(out, it->fence.line));
	column(page, "seqno", array, put_id(out, it->fence.seqno));
	column(page, "context", array, put_index(out, it->context));
	column(page, "submission", array, put_index(out, it->submission));
	column(page, "engine", array,
	       fprintf(out, "%d", it->engine == GPU_PMU_SAMPLE_NO_ENGINE ? -1 : it->engine));
	column(page, "earlier", array, fprintf(out, "%d", it->earlier));
	fputc('}', out);
}

static void put_waits(const struct page *page)
{
	__auto_type array = &page->items->waits;
	uint64_t before = page->items->start;
	FILE *out = page->out;

	fputs(",\n\"waits\":{\"nr\":", out);
	fprintf(out, "%u", array->nr);
	column(page, "end", array, put_time(page, it->end, &before));
	column(page, "begin", array, put_span(page, it->begin, it->end));
	column(page, "line", array, put_index(out, it->fence.line));
	column(page, "seqno", array, put_id(out, it->fence.seqno));
	column(page, "thread", array, put_index(out, it->thread));
	column(page, "context", array, put_index(out, it->context));
	column(page, "submission", array, put_index(out, it->submission));
	column(page, "stack", array, put_index(out, it->stack));
	fputc('}', out);
}

/*
 * Those that the items have, and their callers, which have lower numbers. Names are
 * numbered in the order in which the stacks have them.
 */
static int put_stacks(const struct page *page, const struct stacks *stacks)
{
	const struct items *items = page->items;
	FILE *out = page->out;
	uint32_t *name_of;
	struct keys names = {};
	uint32_t nr = 0;
	int err = 0;

	for (uint32_t i = 0; i < items->submissions.nr; i++)
		if (items->submissions.item[i].stack > nr)
			nr = items->submissions.item[i].stack;
	for (uint32_t i = 0; i < items->waits.nr; i++)
		if (items->waits.item[i].stack > nr)
			nr = items->waits.item[i].stack;
	name_of = calloc(nr + 1, sizeof(*name_of));
	if (!name_of)
		return -ENOMEM;
	/* a name is kept once: it is where it is */
	for (uint32_t i = 1; i <= nr && !err; i++) {
		struct key key = { { (uintptr_t)stacks__frame(stacks, i), 0, 0 } };

		name_of[i] = keys__add(&names, &key);
		if (name_of[i] == KEY_NONE)
			err = -ENOMEM;
	}
	if (err)
		goto out;
	fputs(",\n\"names\":[", out);
	for (uint32_t i = 0; i < names.nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		text__json(out, (const char *)(uintptr_t)names.key[i].part[0]);
	}
	fputs("],\n\"callers\":[-1", out);
	for (uint32_t i = 1; i <= nr; i++)
		fprintf(out, ",%u", stacks__caller(stacks, i));
	fputs("],\n\"frames\":[-1", out);
	for (uint32_t i = 1; i <= nr; i++)
		fprintf(out, ",%u", name_of[i]);
	fputc(']', out);
out:
	keys__exit(&names);
	free(name_of);
	return err;
}

int page__write(FILE *out, const struct items *items, const struct stacks *stacks,
		const char *title, bool partial)
{
	const struct page page = { .out = out, .items = items };
	int err;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", out);
	text__xml(out, title);
	/* nothing comes from elsewhere, and the browser sees to it */
	fputs("</title>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
	      " script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<style>\n", out);
	fputs(page_timeline_css, out);
	fputs("</style>\n</head>\n", out);
	fputs(page_timeline_html, out);
	fputs("<script type=\"application/json\" id=\"data\">\n{\"version\":1,\"title\":", out);
	text__json(out, title);
	fprintf(out,
		",\n\"start\":\"%" PRIu64 "\",\"partial\":%s,\"lost\":%" PRIu64
		",\"left_out\":%" PRIu64 ",\"outside\":%" PRIu64 ",\"unknown_begin\":%" PRIu64
		",\"earlier\":%" PRIu64 ",\"unjoined\":%" PRIu64 ",\"reports\":%" PRIu64,
		items->start, partial ? "true" : "false", items->lost, items->left_out,
		items->outside, items->unknown_begin, items->earlier, items->unjoined,
		items->reports);
	put_contexts(&page);
	put_submissions(&page);
	put_runs(&page);
	put_waits(&page);
	err = put_stacks(&page, stacks);
	if (err)
		return err;
	fputs("}\n</script>\n<script>\n", out);
	fputs(page_timeline_js, out);
	fputs("</script>\n</html>\n", out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
