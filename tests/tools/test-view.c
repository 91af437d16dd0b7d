// SPDX-License-Identifier: GPL-2.0
/* How counts are taken apart, against sums of a machine that is made up here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "look.h"
#include "test.h"
#include "stat/view.h"

#define EVENT_MAX	8

static struct rows rows;
static struct event event[EVENT_MAX];
static struct events events = { .event = event };
static int slot[EVENT_MAX];
static struct view_count total[EVENT_MAX];
static struct view view;

/* an event whose values are in a slot; config as in the uapi header */
static void count(unsigned int id, unsigned int engine, unsigned int dev, int where,
		  __s64 value)
{
	event[events.nr] = (struct event){
		.config = { id | engine << 16 | (__u64)dev << 32 },
	};
	slot[events.nr] = where;
	total[events.nr] = (struct view_count){ value, true };
	events.nr++;
}

static void setup(unsigned int nr_values)
{
	events.nr = 0;
	memset(&view, 0, sizeof(view));
	rows__init(&rows, nr_values);
	/* a look at nobody: all come later, and count from 0 */
	rows__begin_look(&rows);
	rows__begin_look(&rows);
}

static void make(struct view_how how, enum since since)
{
	view__free(&view);
	CHECK_EQ(0, view__make(&view, &how, &events, slot, total, &rows, since));
}

static void teardown(void)
{
	view__free(&view);
	rows__free(&rows);
}

static void tell(const struct gpu_pmu_usage *who, __u64 first, __u64 second)
{
	const __u64 values[2] = { first, second };

	CHECK_EQ(0, look_tell(&rows, who, values));
	look_row(&rows, who->id)->mine = who->client < 1000 && !(who->flags & KERNEL);
}

/* all lines as text: the tests say what they are to be */
static const char *lines(void)
{
	static const char kinds[] = "CXNEOT";
	static char text[4096];
	size_t used = 0;

	text[0] = 0;
	for (unsigned int l = 0; l < view.nr; l++) {
		const struct view_line *line = &view.line[l];

		used += snprintf(text + used, sizeof(text) - used, "%c", kinds[line->kind]);
		if (line->kind < VIEW_OTHERS)
			used += snprintf(text + used, sizeof(text) - used, " %u/%llu/%llu/%d%s%s",
					 line->dev, line->client, line->ctx, (__s16)line->engine,
					 line->kernel ? " kernel" : "",
					 line->ended ? " ended" : "");
		for (unsigned int i = 0; i < view.nr_events; i++)
			used += snprintf(text + used, sizeof(text) - used,
					 line->count[i].counted ? " %lld" : " -",
					 line->count[i].value);
		used += snprintf(text + used, sizeof(text) - used, "\n");
	}
	return text;
}

static void nothing_is_a_total(void)
{
	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 17);
	make((struct view_how){}, SINCE_BEGIN);
	CHECK_STR("T 17\n", lines());
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("O 17\nT 17\n", lines());
	total[0] = (struct view_count){};
	make((struct view_how){ .clients = true, .contexts = true }, SINCE_BEGIN);
	CHECK_STR("T -\n", lines());
	CHECK(view__total(&view)->kind == VIEW_TOTAL);
	teardown();
}

/* the clients were looked at a little later than the total: so others are negative */
static void others_are_the_rest(void)
{
	setup(2);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 10);
	count(GPU_PMU_EVENT_WAITS, 0, 0, 1, 5);
	tell(&(struct gpu_pmu_usage){ .id = 1, .client = 2, .dev = 128, .engine = ALL_ENGINES },
	     9, 1);
	tell(&(struct gpu_pmu_usage){ .id = 2, .client = 1, .dev = 128, .engine = ALL_ENGINES },
	     4, 1);
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("C 128/1/0/-1 4 1\nC 128/2/0/-1 9 1\nO -3 3\nT 10 5\n", lines());
	/* an event that no client is told of is nobody's */
	slot[0] = -1;
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("C 128/1/0/-1 - 1\nC 128/2/0/-1 - 1\nO - 3\nT 10 5\n", lines());
	teardown();
}

static void contexts_and_the_rest_are_the_client(void)
{
	struct gpu_pmu_usage who = { .id = 1, .client = 1, .dev = 128, .engine = ALL_ENGINES };

	setup(2);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 100);
	count(GPU_PMU_EVENT_WAITS, 0, 0, 1, 20);
	tell(&who, 100, 20);
	who.id = 2;
	who.ctx = 7;
	tell(&who, 60, 0);
	who.id = 3;
	who.ctx = 6;
	tell(&who, 30, 0);
	who.id = 4;
	who.client = who.ctx = 0;
	who.flags = KERNEL;
	tell(&who, 5, 0);
	make((struct view_how){ .contexts = true }, SINCE_BEGIN);
	CHECK_STR("X 128/1/6/-1 30 -\nX 128/1/7/-1 60 -\nN 128/1/0/-1 10 20\nT 100 20\n",
		  lines());
	make((struct view_how){ .clients = true, .contexts = true, .all = true }, SINCE_BEGIN);
	CHECK_STR("C 128/1/0/-1 100 20\nX 128/1/6/-1 30 -\nX 128/1/7/-1 60 -\n"
		  "N 128/1/0/-1 10 20\nC 128/0/0/-1 kernel 5 0\nO -5 0\nT 100 20\n", lines());
	make((struct view_how){ .contexts = true, .all = true }, SINCE_BEGIN);
	CHECK_STR("X 128/1/6/-1 30 -\nX 128/1/7/-1 60 -\nN 128/1/0/-1 10 20\n"
		  "N 128/0/0/-1 kernel 5 0\nO -5 0\nT 100 20\n", lines());
	teardown();
}

/* what runs on an engine that has no name, and on the last one that an event can have */
static void engines_with_high_indices(void)
{
	struct gpu_pmu_usage who = { .client = 1, .dev = 128 };

	setup(1);
	count(GPU_PMU_EVENT_GPU_BUSY, 0, 0, 0, 1000);
	count(GPU_PMU_EVENT_GPU_BUSY, 1, 0, 0, 1);
	count(GPU_PMU_EVENT_GPU_BUSY, 255, 0, 0, 300);
	count(GPU_PMU_EVENT_GPU_BUSY, 0, 129, 0, 0);
	count(GPU_PMU_EVENT_WAITS, 0, 0, 0, 6);
	who.id = 1, who.engine = ALL_ENGINES, tell(&who, 901, 0);
	who.id = 2, who.engine = 0xfffe, tell(&who, 600, 0);
	who.id = 3, who.engine = 254, tell(&who, 300, 0);
	who.id = 4, who.engine = 0, tell(&who, 1, 0);
	make((struct view_how){ .engines = true }, SINCE_BEGIN);
	CHECK_STR("E 128/0/0/0 1 1 - - -\nE 128/0/0/254 300 - 300 - -\nE 128/0/0/-2 600 - - - -\n"
		  "O 99 0 0 0 -\nT 1000 1 300 0 6\n", lines());
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("C 128/1/0/-1 901 1 300 - 901\nO 99 0 0 0 -895\nT 1000 1 300 0 6\n", lines());
	CHECK_EQ(901, view__sum(&rows, &event[0], 0, false, SINCE_BEGIN));
	CHECK_EQ(300, view__sum(&rows, &event[2], 0, false, SINCE_BEGIN));
	CHECK_EQ(0, view__sum(&rows, &event[3], 0, false, SINCE_BEGIN));
	teardown();
}

/* an event that looks at one file is that file's: no client has a share in it */
static void an_event_of_a_file_has_no_parts(void)
{
	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 8);
	event[0].config[1] = 5;
	tell(&(struct gpu_pmu_usage){ .id = 1, .client = 1, .engine = ALL_ENGINES }, 9, 0);
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("C 0/1/0/-1 -\nT 8\n", lines());
	CHECK_EQ(0, view__sum(&rows, &event[0], 0, true, SINCE_BEGIN));
	teardown();
}

static void who_has_ended_is_shown_once(void)
{
	struct gpu_pmu_usage who = { .id = 1, .client = 1, .engine = ALL_ENGINES };

	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 3);
	who.flags = ENDED;
	tell(&who, 3, 0);
	make((struct view_how){ .clients = true }, SINCE_INTERVAL);
	CHECK_STR("C 0/1/0/-1 ended 3\nT 3\n", lines());
	rows__next_interval(&rows);
	total[0].value = 0;
	make((struct view_how){ .clients = true }, SINCE_INTERVAL);
	CHECK_STR("T 0\n", lines());
	total[0].value = 3;
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_STR("C 0/1/0/-1 ended 3\nT 3\n", lines());
	/* who lives and does nothing is shown */
	rows__begin_look(&rows);
	tell(&(struct gpu_pmu_usage){ .id = 2, .client = 2, .engine = ALL_ENGINES }, 0, 0);
	total[0].value = 0;
	make((struct view_how){ .clients = true }, SINCE_INTERVAL);
	CHECK_STR("C 0/2/0/-1 0\nT 0\n", lines());
	/* who is told no more, without a word, is gone; and an end alone is no line */
	rows__begin_look(&rows);
	rows__next_interval(&rows);
	make((struct view_how){ .clients = true }, SINCE_INTERVAL);
	CHECK_STR("T 0\n", lines());
	tell(&(struct gpu_pmu_usage){ .id = 3, .client = 3, .engine = ALL_ENGINES,
				      .flags = ENDED }, 0, 0);
	make((struct view_how){ .clients = true }, SINCE_INTERVAL);
	CHECK_STR("T 0\n", lines());
	teardown();
}

/* a context that has ended keeps the name that its client had then */
static void a_line_has_the_newest_name(void)
{
	struct gpu_pmu_usage who = { .client = 1, .engine = ALL_ENGINES, .comm = "sh" };

	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 0);
	who.id = 1, tell(&who, 5, 0);
	who.id = 2, who.ctx = 3, who.flags = ENDED, tell(&who, 2, 0);
	rows__begin_look(&rows);
	strcpy(who.comm, "kmscube");
	who.id = 1, who.ctx = 0, who.flags = 0, tell(&who, 6, 0);
	make((struct view_how){ .contexts = true }, SINCE_BEGIN);
	CHECK_STR("X 0/1/3/-1 ended 2\nN 0/1/0/-1 4\nO -6\nT 0\n", lines());
	CHECK_STR("sh", view.line[0].comm);
	CHECK_STR("kmscube", view.line[1].comm);
	teardown();
}

static void large_counts(void)
{
	struct gpu_pmu_usage who = { .client = 1, .engine = ALL_ENGINES };

	setup(1);
	count(GPU_PMU_EVENT_GPU_BUSY, 0, 0, 0, INT64_MAX);
	who.id = 1, tell(&who, UINT64_MAX, 0);
	CHECK_EQ(UINT64_MAX, view__sum(&rows, &event[0], 0, false, SINCE_BEGIN));
	who.id = 2, who.client = 2, tell(&who, INT64_MAX, 0);
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	/* of two's complement, what is more than 2^63 is negative; the sum is right again */
	CHECK_STR("C 0/1/0/-1 -1\nC 0/2/0/-1 9223372036854775807\nO 1\n"
		  "T 9223372036854775807\n", lines());
	teardown();
}

static void views_are_put_together(void)
{
	struct gpu_pmu_usage who = { .client = 1, .dev = 128 };
	struct view engines;

	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, 5);
	who.id = 1, who.engine = ALL_ENGINES, tell(&who, 5, 0);
	who.id = 2, who.engine = 3, tell(&who, 5, 0);
	make((struct view_how){ .engines = true }, SINCE_BEGIN);
	engines = view;
	view = (struct view){};
	make((struct view_how){ .clients = true }, SINCE_BEGIN);
	CHECK_EQ(0, view__prepend(&view, &engines));
	CHECK_STR("E 128/0/0/3 5\nT 5\nC 128/1/0/-1 5\nT 5\n", lines());
	CHECK_EQ(0, engines.nr);
	view__free(&engines);
	teardown();
}

/* ---- a machine: clients with contexts, at work on engines ---- */

#define CLIENTS		120
#define CONTEXTS	3	/* and 0: without any */
#define ENGINES		4

static __u64 work[CLIENTS][1 + CONTEXTS][ENGINES];
static __u64 waits[CLIENTS];

static bool matches(const struct view_line *line, unsigned int client, unsigned int ctx,
		    unsigned int engine)
{
	if (line->engine != ALL_ENGINES && line->engine != engine)
		return false;
	switch (line->kind) {
	case VIEW_CLIENT:
		return line->client == client + 1;
	case VIEW_CONTEXT:
		return line->client == client + 1 && line->ctx == ctx;
	case VIEW_NO_CONTEXT:
		return line->client == client + 1 && !ctx;
	case VIEW_ENGINE:
		return line->dev == 128 + client % 2;
	default:
		return true;
	}
}

static __u64 sum_of_work(const struct view_line *line)
{
	__u64 sum = 0;

	for (unsigned int c = 0; c < CLIENTS; c++)
		for (unsigned int x = 0; x <= CONTEXTS; x++)
			for (unsigned int e = 0; e < ENGINES; e++)
				sum += matches(line, c, x, e) ? work[c][x][e] : 0;
	return sum;
}

static void tell_client(unsigned int c)
{
	struct gpu_pmu_usage who = { .client = c + 1, .dev = 128 + c % 2, .pid = 1 + c / 3 };
	static __u64 id;
	__u64 of_engine;

	for (unsigned int x = 0; x <= CONTEXTS; x++) {
		__u64 of_all = 0;

		who.ctx = x;
		for (unsigned int e = 0; e < ENGINES; e++) {
			of_engine = work[c][x][e];
			/* the client as a whole has its contexts' */
			for (unsigned int k = 1; !x && k <= CONTEXTS; k++)
				of_engine += work[c][k][e];
			of_all += of_engine;
			who.id = ++id;
			who.engine = e;
			tell(&who, of_engine, 0);
		}
		who.id = ++id;
		who.engine = ALL_ENGINES;
		tell(&who, of_all, x ? 0 : waits[c]);
	}
}

static void any_view_is_the_whole(void)
{
	static const struct view_how hows[] = {
		{ .clients = true }, { .contexts = true }, { .engines = true },
		{ .clients = true, .contexts = true }, { .clients = true, .engines = true },
		{ .contexts = true, .engines = true },
		{ .clients = true, .contexts = true, .engines = true },
	};
	static const unsigned int nr_lines[] = {
		CLIENTS, CLIENTS * (1 + CONTEXTS), 2 * ENGINES, CLIENTS * (2 + CONTEXTS),
		CLIENTS * ENGINES, CLIENTS * (1 + CONTEXTS) * ENGINES,
		CLIENTS * (2 + CONTEXTS) * ENGINES,
	};
	__u64 all = 0, all_waits = 0;

	setup(2);
	for (unsigned int c = 0; c < CLIENTS; c++) {
		for (unsigned int x = 0; x <= CONTEXTS; x++)
			for (unsigned int e = 0; e < ENGINES; e++)
				all += work[c][x][e] = 1 + (test_random() >> 40);
		all_waits += waits[c] = 1 + test_random() % 100;
		tell_client(c);
	}
	count(GPU_PMU_EVENT_GPU_BUSY, 0, 0, 0, all + 12345);
	count(GPU_PMU_EVENT_WAITS, 0, 0, 1, all_waits - 3);
	for (unsigned int h = 0; h < sizeof(hows) / sizeof(hows[0]); h++) {
		make(hows[h], SINCE_BEGIN);
		CHECK_EQ(nr_lines[h] + 2, view.nr);
		for (unsigned int l = 0; l < view.nr; l++) {
			const struct view_line *line = &view.line[l];
			bool whole = line->kind >= VIEW_OTHERS;

			if (!whole)
				CHECK_EQ(sum_of_work(line), line->count[0].value);
			if (!whole && !hows[h].engines && line->kind != VIEW_CONTEXT)
				CHECK_EQ(waits[line->client - 1], line->count[1].value);
			if (!whole && hows[h].engines)
				CHECK(!line->count[1].counted);
			if (line->kind == VIEW_OTHERS) {
				CHECK_EQ(view.nr - 2, l);
				CHECK_EQ(12345, line->count[0].value);
				CHECK_EQ(hows[h].engines ? 0 : (uint64_t)-3, line->count[1].value);
			}
		}
		CHECK_EQ(all + 12345, view__total(&view)->count[0].value);
	}
	teardown();
}

static double seconds_for(unsigned int nr)
{
	struct timespec from, to;

	setup(1);
	count(GPU_PMU_EVENT_JOBS, 0, 0, 0, nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct gpu_pmu_usage who = {
			.id = 1 + i, .client = 1 + i, .pid = nr - i, .engine = ALL_ENGINES,
		};

		look_tell(&rows, &who, &(__u64){ 1 });
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	make((struct view_how){ .clients = true, .all = true }, SINCE_BEGIN);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	CHECK_EQ(nr + 1, view.nr);
	CHECK_EQ(nr, view.line[0].client);
	for (unsigned int l = 0; l < nr; l++)
		CHECK_EQ(1, view.line[l].count[0].value);
	teardown();
	return to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
}

/* eight times as many take some eight times as long, and not 64 times */
static void thousands_of_clients(void)
{
	double few = seconds_for(5000), many = seconds_for(40000);

	CHECK(many < 32 * few);
	if (getenv("VERBOSE"))
		printf("# 5000 clients: %.6f s, 40000: %.6f s\n", few, many);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(nothing_is_a_total),
		TEST(others_are_the_rest),
		TEST(contexts_and_the_rest_are_the_client),
		TEST(engines_with_high_indices),
		TEST(an_event_of_a_file_has_no_parts),
		TEST(who_has_ended_is_shown_once),
		TEST(a_line_has_the_newest_name),
		TEST(large_counts),
		TEST(views_are_put_together),
		TEST(any_view_is_the_whole),
		TEST(thousands_of_clients),
	};

	return TESTS_RUN(tests);
}
