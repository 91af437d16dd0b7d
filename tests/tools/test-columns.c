// SPDX-License-Identifier: GPL-2.0
/* perf gpu stat's tables, with as much in them as there can be. */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake-query.h"
#include "stat/output.h"
#include "test.h"

#define WHO	6	/* TIME, DEV, PID, COMMAND, CTX, ENGINE */

static struct event event[OUTPUT_EVENTS_MAX];
static struct view_count counts[OUTPUT_EVENTS_MAX];
static struct view_line line[] = {
	{ .kind = VIEW_CONTEXT, .dev = 128, .client = 1, .pid = 7, .comm = "a\xff" "b",
	  .ctx = UINT64_MAX, .engine = 0xfffe, .count = counts },
	{ .kind = VIEW_TOTAL, .dev = 128, .pid = 7, .ctx = 1, .engine = 0, .count = counts },
};

static unsigned int words(const char *from, const char *to)
{
	unsigned int nr = 0;

	for (; from < to; from++)
		nr += *from != ' ' && (from[1] == ' ' || from + 1 == to);
	return nr;
}

/* an event that is a share of time, too, has two columns */
static void a_table_of_as_many_events_as_there_can_be(void)
{
	const struct events events = { .nr = OUTPUT_EVENTS_MAX, .event = event };
	const struct view_how how = { .clients = true, .contexts = true, .engines = true };
	const struct view view = { .nr_events = OUTPUT_EVENTS_MAX, .nr = 2, .line = line };
	const struct output_part part = { .to = 1, .view = &view };
	const unsigned int columns = WHO + 2 * OUTPUT_EVENTS_MAX;
	struct names names = {};
	struct output output = {
		.ops = &output_text, .events = &events, .how = &how, .names = &names,
	};
	char *text, *end, number[32];
	size_t size;

	for (unsigned int i = 0; i < OUTPUT_EVENTS_MAX; i++) {
		snprintf(event[i].name, sizeof(event[i].name), "gpu-busy:%u", i);
		event[i].config[0] = GPU_PMU_EVENT_GPU_BUSY;
		counts[i] = (struct view_count){ (i + 1) * 10000000LL, true };
	}
	output.file = open_memstream(&text, &size);
	output__interval(&output, &part);
	fclose(output.file);

	end = strchr(text, '\n');
	CHECK_EQ(columns, words(text, end));
	CHECK(strstr(text, "  gpu-busy:124  "));
	for (unsigned int l = 0; l < 2; l++) {
		char *begin = end + 1;

		end = strchr(begin, '\n');
		/* the total is nobody's: it has no context */
		CHECK_EQ(l ? columns - 1 : columns, words(begin, end));
		snprintf(number, sizeof(number), " %u.0", OUTPUT_EVENTS_MAX);
		CHECK(!strncmp(end - strlen(number), number, strlen(number)));
	}
	CHECK(strstr(text, " a?b "));
	CHECK(strstr(text, " 18446744073709551615 "));
	CHECK(strstr(text, " 65534 "));
	free(text);
}

enum { BUSY, JOBS, QUEUE, LOST, EVENTS };

static struct event few[EVENTS] = {
	[BUSY] = { .name = "gpu-busy", .unit = "ns", .config = { GPU_PMU_EVENT_GPU_BUSY } },
	[JOBS] = { .name = "jobs", .config = { GPU_PMU_EVENT_JOBS } },
	[QUEUE] = { .name = "queue-wait", .unit = "ns",
		    .config = { GPU_PMU_EVENT_QUEUE_WAIT } },
	[LOST] = { .name = "lost", .config = { GPU_PMU_EVENT_LOST } },
};

static char shown[4096];

/* what a terminal that is so wide is shown, of two seconds; 0: it is a file */
static void show(unsigned short width, struct view_count *count)
{
	static const struct view_how how = { .clients = true };
	static const struct events events = { .nr = EVENTS, .event = few };
	struct view_line lines[] = {
		{ .kind = VIEW_CLIENT, .dev = 128, .pid = 7, .comm = "cube", .count = count },
		{ .kind = VIEW_TOTAL, .count = count },
	};
	const struct view view = { .nr_events = EVENTS, .nr = 2, .line = lines };
	const struct output_part part = { .to = 2, .view = &view };
	struct winsize size = { .ws_row = 24, .ws_col = width };
	struct names names = {};
	struct output output = {
		.ops = &output_text, .events = &events, .how = &how, .names = &names,
	};
	int in = -1, out = -1, pipes[2];
	ssize_t nr;

	if (width) {
		CHECK(!openpty(&in, &out, NULL, NULL, &size));
	} else {
		CHECK(!pipe(pipes));
		in = pipes[0];
		out = pipes[1];
	}
	output.file = fdopen(out, "w");
	output__interval(&output, &part);
	nr = read(in, shown, sizeof(shown) - 1);
	shown[nr > 0 ? nr : 0] = 0;
	fclose(output.file);
	close(in);
}

static void rates_stand_beside_counts(void)
{
	struct view_count count[EVENTS] = {
		{ 500000000, true }, { 12, true }, { 36000, true }, { 0, true },
	};

	show(0, count);
	CHECK(strstr(shown, "  gpu-busy, ns     %  jobs     /s  queue-wait, ns      /job  lost\n"));
	CHECK(strstr(shown, "cube      500,000,000  25.0    12  6.000          36,000"
			    "  3.000 us     0\n"));
	/* nothing to divide by, and nothing counted */
	count[JOBS].value = 0;
	count[BUSY].counted = false;
	show(0, count);
	CHECK(strstr(shown, "cube                -  -     0  0.000          36,000     -     0\n"));
}

/* the counts come first */
static void narrow_terminals_have_no_rates(void)
{
	struct view_count count[EVENTS] = {
		{ 500000000, true }, { 12, true }, { 36000, true }, { 0, true },
	};

	show(100, count);
	CHECK(strstr(shown, "queue-wait, ns      /job  lost"));
	show(80, count);
	CHECK(strstr(shown, "  gpu-busy, ns     %  jobs  queue-wait, ns  lost"));
	CHECK(!strstr(shown, "/job"));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_table_of_as_many_events_as_there_can_be),
		TEST(rates_stand_beside_counts),
		TEST(narrow_terminals_have_no_rates),
	};

	return TESTS_RUN(tests);
}
