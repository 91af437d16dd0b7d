// SPDX-License-Identifier: GPL-2.0
/*
 * The picture is complete without its script: frames have their places in percent of
 * the width, names are cut to what fits a usual window. The script makes them fit the
 * real one, zooms and searches.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flamegraph.h"
#include "pages/pages.h"
#include "samples/stacks.h"
#include "common/text.h"

/* pixels; the script reads them from the picture */
#define FRAME_HEIGHT	18
#define HEADER		64
#define FOOTER		30
#define USUAL_WIDTH	1200
#define CHAR_WIDTH	7.25
/* without a line around it */
#define NARROW		4

/* what is narrower than a tenth of a pixel is left out */
#define SEEN		(0.1 / USUAL_WIDTH)

/* percent of the width at each side */
#define MARGIN		0.8

/* the picture's root is no node of the stacks: it is what they have in common */
#define ROOT_NAME	"all"
#define GREY		0xd2cfc8
#define NO_STACK_NAME	"(no stack)"

/**
 * struct graph - a flame graph while it is made
 * @stacks:	the stacks
 * @nr:		the highest number of a stack
 * @total:	of each stack: its own value and that of all that it calls
 * @first:	of each stack: where its callees begin in @callees; one more at the end
 * @callees:	all stacks, by caller, and by name among those of one caller
 * @unit:	of the values
 * @deepest:	depth of the deepest frame that is seen
 * @frames:	how many there are
 * @drawn:	how many of them are drawn
 * @left_out:	value of what is left out: each ns once
 */
struct graph {
	const struct stacks *stacks;
	uint32_t nr;
	uint64_t *total;
	uint32_t *first;
	uint32_t *callees;
	const char *unit;
	unsigned int deepest;
	uint64_t frames;
	uint64_t drawn;
	uint64_t left_out;
};

/* a frame whose callees are being drawn */
struct level {
	uint32_t next;	/* in callees */
	uint32_t end;
	uint64_t x;
};

static int by_name(const void *a, const void *b, void *arg)
{
	const struct stacks *stacks = arg;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int order = strcmp(stacks__frame(stacks, left), stacks__frame(stacks, right));

	return order ? order : (left > right) - (left < right);
}

/* A callee has a higher number than its caller: it was pushed later. */
static void graph__sum(struct graph *graph, const uint64_t *self)
{
	memcpy(graph->total, self, (graph->nr + 1) * sizeof(*self));
	for (uint32_t i = graph->nr; i > 0; i--)
		graph->total[stacks__caller(graph->stacks, i)] += graph->total[i];
	for (uint32_t i = 1; i <= graph->nr; i++)
		graph->frames += graph->total[i] != 0;
}

static void graph__sort(struct graph *graph)
{
	uint32_t *first = graph->first;

	/* first[] is how many callees, then where they end, then where they begin */
	for (uint32_t i = 1; i <= graph->nr; i++)
		first[stacks__caller(graph->stacks, i)]++;
	for (uint32_t i = 1; i <= graph->nr; i++)
		first[i] += first[i - 1];
	first[graph->nr + 1] = graph->nr;
	for (uint32_t i = graph->nr; i > 0; i--)
		graph->callees[--first[stacks__caller(graph->stacks, i)]] = i;
	for (uint32_t i = 0; i <= graph->nr; i++)
		qsort_r(graph->callees + first[i], first[i + 1] - first[i],
			sizeof(*graph->callees), by_name, (void *)graph->stacks);
}

static int graph__init(struct graph *graph, const uint64_t *self)
{
	size_t nr = graph->nr;

	graph->total = calloc(nr + 1, sizeof(*graph->total));
	graph->first = calloc(nr + 2, sizeof(*graph->first));
	graph->callees = calloc(nr + 1, sizeof(*graph->callees));
	if (!graph->total || !graph->first || !graph->callees)
		return -ENOMEM;
	graph__sum(graph, self);
	graph__sort(graph);
	return 0;
}

static void graph__exit(struct graph *graph)
{
	free(graph->total);
	free(graph->first);
	free(graph->callees);
}

typedef int (*frame_fn)(FILE *out, struct graph *graph, const char *name,
			unsigned int depth, uint64_t x, uint64_t value);

/* Calls for each frame that is seen, the caller before its callees. */
static int graph__walk(FILE *out, struct graph *graph, uint64_t no_stack, frame_fn fn)
{
	uint64_t all = graph->total[0], seen = all * SEEN;
	struct level *levels;
	unsigned int depth = 0, room = 64;
	int err;

	levels = calloc(room, sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	err = fn(out, graph, ROOT_NAME, 0, 0, all);
	levels[0] = (struct level){ graph->first[0], graph->first[1], no_stack };
	if (no_stack <= seen)
		graph->left_out += no_stack;
	else if (!err)
		err = fn(out, graph, NO_STACK_NAME, 1, 0, no_stack);
	while (!err) {
		struct level *level = &levels[depth];
		uint64_t x = level->x, value;
		uint32_t node;

		if (level->next == level->end) {
			if (!depth--)
				break;
			continue;
		}
		node = graph->callees[level->next++];
		value = graph->total[node];
		level->x += value;
		if (!value)
			continue;
		if (value <= seen) {
			graph->left_out += value;
			continue;
		}
		depth++;
		err = fn(out, graph, stacks__frame(graph->stacks, node), depth, x, value);
		if (!err && depth == room) {
			struct level *more = reallocarray(levels, room * 2, sizeof(*levels));

			if (!more) {
				err = -ENOMEM;
				break;
			}
			levels = more;
			room *= 2;
		}
		levels[depth] = (struct level){ graph->first[node], graph->first[node + 1], x };
	}
	free(levels);
	return err;
}

static int measure(FILE *out, struct graph *graph, const char *name, unsigned int depth,
		   uint64_t x, uint64_t value)
{
	(void)out;
	(void)name;
	(void)x;
	(void)value;
	if (depth > graph->deepest)
		graph->deepest = depth;
	graph->drawn++;
	return 0;
}

/* 1234567 as 1,234,567 */
static void put_grouped(FILE *out, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			fputc(',', out);
		fputc(digits[i], out);
	}
}

static void put_value(FILE *out, uint64_t value, const char *unit)
{
	static const struct scale {
		const char *unit;
		double ns;
	} scales[] = { { "s", 1e9 }, { "ms", 1e6 }, { "µs", 1e3 } };

	if (!strcmp(unit, "ns")) {
		for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
			if (value >= scales[i].ns) {
				fprintf(out, "%.3f %s", value / scales[i].ns, scales[i].unit);
				return;
			}
		}
	}
	put_grouped(out, value);
	if (*unit) {
		fputc(' ', out);
		text__xml(out, unit);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* A name keeps its colour, in every picture: it is made of the name. What is no name of
 * a function, as "[unknown]", is grey.
 */
static uint32_t colour(const char *name)
{
	uint32_t hash = 2166136261u;
	uint32_t red, green, blue;

	if (*name == '[' || (*name == '(' && strncmp(name, "(anonymous", 10)))
		return GREY;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	hash ^= hash >> 15;
	/* from red over orange to yellow, all light enough for dark letters */
	red = 222 + hash % 30;
	green = 96 + (hash >> 8) % 118;
	blue = 58 + (hash >> 20) % 40;
	return red << 16 | green << 8 | blue;
}

/* what fits of a name into a frame of a window of the usual width */
static void put_clipped(FILE *out, const char *name, double width)
{
	int room = (width * USUAL_WIDTH - 6) / CHAR_WIDTH, len = 0;
	const char *at = name, *cut = NULL;
	char *head;

	while (*at) {
		if (len++ == room - 2)
			cut = at;
		text__next(&at);
	}
	if (len <= room) {
		text__xml(out, name);
		return;
	}
	head = room > 2 ? strndup(name, cut - name) : NULL;
	if (head) {
		text__xml(out, head);
		fputs("..", out);
	}
	free(head);
}

static int draw(FILE *out, struct graph *graph, const char *name, unsigned int depth,
		uint64_t x, uint64_t value)
{
	double all = graph->total[0], inner = 100 - 2 * MARGIN;
	double left = all ? x / all : 0, width = all ? value / all : 1;
	unsigned int y = HEADER + (graph->deepest - depth) * FRAME_HEIGHT;

	fprintf(out, "<g%s data-x=\"%" PRIu64 "\" data-v=\"%" PRIu64 "\" data-d=\"%u\"><title>",
		width * USUAL_WIDTH < NARROW ? " class=\"narrow\"" : "", x, value, depth);
	text__xml(out, name);
	fputc('\n', out);
	put_value(out, value, graph->unit);
	fprintf(out, ", %.2f %%</title>", percent(value, graph->total[0]));
	fprintf(out, "<rect x=\"%.5f%%\" y=\"%u\" width=\"%.5f%%\" height=\"%u\" fill=\"#%06x\"/>",
		MARGIN + left * inner, y, width * inner, FRAME_HEIGHT - 1,
		depth ? colour(name) : GREY);
	/* the script makes those that are missing, when they are zoomed to */
	if (width * USUAL_WIDTH > 4 * CHAR_WIDTH) {
		fprintf(out, "<text x=\"%.5f%%\" y=\"%u\">", MARGIN + left * inner, y + 13);
		put_clipped(out, name, width * inner / 100);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
	return ferror(out) ? -EIO : 0;
}

static void put_share(FILE *out, double share)
{
	if (share < 0.001)
		fputs("less than 0.001 % of the whole.", out);
	else
		fprintf(out, "%.3f %% of the whole.", share);
}

static void put_head(FILE *out, const struct graph *graph, const char *title)
{
	unsigned int height = HEADER + (graph->deepest + 1) * FRAME_HEIGHT + FOOTER;
	uint64_t missing = graph->frames + 1 - graph->drawn;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"flamegraph\" width=\"100%%\" height=\"%u\"\n"
		" data-total=\"%" PRIu64 "\" data-row=\"%u\" data-margin=\"%.2f\" data-unit=\"",
		height, graph->total[0], FRAME_HEIGHT, MARGIN);
	text__xml(out, graph->unit);
	fputs("\">\n<title>", out);
	text__xml(out, title);
	fputs("</title>\n<style><![CDATA[\n", out);
	fputs(page_flamegraph_css, out);
	fprintf(out,
		"]]></style>\n"
		"<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"note\" x=\"%.2f%%\" y=\"%u\">",
		MARGIN, height - 10);
	if (missing) {
		put_grouped(out, missing);
		fprintf(out, " frame%s narrower than 0.1 pixel %s left out: ",
			missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
		put_share(out, percent(graph->left_out, graph->total[0]));
	}
	fputs("</text>\n<g id=\"frames\">\n", out);
}

static void put_tail(FILE *out, const struct graph *graph, const char *title)
{
	/* last, so that it lies over the frames when they are scrolled */
	fprintf(out,
		"</g>\n<g id=\"header\"><rect class=\"paper\" width=\"100%%\" height=\"%u\"/>\n"
		"<text class=\"title\" x=\"%.2f%%\" y=\"28\">",
		HEADER - 8, MARGIN);
	text__xml(out, title);
	fprintf(out,
		"</text>\n<text id=\"details\" x=\"%.2f%%\" y=\"48\">Total: ", MARGIN);
	put_value(out, graph->total[0], graph->unit);
	fputs("</text>\n</g>\n<script><![CDATA[\n", out);
	fputs(page_flamegraph_js, out);
	fputs("]]></script>\n</svg>\n", out);
}

int flamegraph__write(FILE *out, const struct stacks *stacks, const uint64_t *self,
		      uint32_t nr, const char *title, const char *unit)
{
	struct graph graph = { .stacks = stacks, .nr = nr, .unit = unit };
	uint64_t no_stack = self[STACK_NONE];
	int err;

	err = graph__init(&graph, self);
	if (!err) {
		graph.frames += no_stack != 0;
		err = graph__walk(out, &graph, no_stack, measure);
	}
	if (!err) {
		put_head(out, &graph, title);
		graph.left_out = 0;
		err = graph__walk(out, &graph, no_stack, draw);
	}
	if (!err) {
		put_tail(out, &graph, title);
		err = fflush(out) || ferror(out) ? -EIO : 0;
	}
	graph__exit(&graph);
	return err;
}
