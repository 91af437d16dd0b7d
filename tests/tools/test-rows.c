// SPDX-License-Identifier: GPL-2.0
/* Counts from look to look, against numbers that are kept beside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "test.h"

#define EVENTS	2

static struct rows rows;

static void tell(const struct gpu_pmu_usage *who, __u64 first, __u64 second)
{
	const __u64 values[EVENTS] = { first, second };

	CHECK_EQ(0, look_tell(&rows, who, values));
}

static __u64 value(__u64 id, unsigned int event, enum since since)
{
	const struct row *row = look_row(&rows, id);

	CHECK(row);
	return row ? row__value(&rows, row, event, since) : 0;
}

static void it_counts_from_the_first_look(void)
{
	const struct gpu_pmu_usage who = { .id = 7, .client = 1, .engine = ALL_ENGINES };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	tell(&who, 100, UINT64_MAX - 5);
	CHECK_EQ(0, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(0, value(7, 1, SINCE_INTERVAL));
	rows__begin_look(&rows);
	tell(&who, 130, UINT64_MAX - 1);
	CHECK_EQ(30, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(30, value(7, 0, SINCE_INTERVAL));
	rows__next_interval(&rows);
	rows__begin_look(&rows);
	tell(&who, 131, UINT64_MAX);
	CHECK_EQ(31, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(1, value(7, 0, SINCE_INTERVAL));
	CHECK_EQ(5, value(7, 1, SINCE_BEGIN));
	CHECK_EQ(1, value(7, 1, SINCE_INTERVAL));
	rows__free(&rows);
	CHECK(!rows.first && !rows.last);
}

static void who_comes_later_begins_at_0(void)
{
	const struct gpu_pmu_usage who = { .id = 7, .client = 1, .engine = ALL_ENGINES };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	rows__begin_look(&rows);
	tell(&who, 100, UINT64_MAX);
	CHECK_EQ(100, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(100, value(7, 0, SINCE_INTERVAL));
	CHECK_EQ(UINT64_MAX, value(7, 1, SINCE_BEGIN));
	rows__free(&rows);
}

/* told once, with all that it has done */
static void who_comes_and_ends_between_looks(void)
{
	const struct gpu_pmu_usage who = {
		.id = 7, .client = 1, .engine = ALL_ENGINES, .flags = ENDED, .comm = "short",
	};

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	rows__begin_look(&rows);
	tell(&who, 3, 4);
	rows__begin_look(&rows);
	CHECK_EQ(3, value(7, 0, SINCE_INTERVAL));
	CHECK(look_row(&rows, 7)->ended);
	CHECK(!look_row(&rows, 7)->shown);
	CHECK_STR("short", look_row(&rows, 7)->comm);
	rows__next_interval(&rows);
	CHECK(look_row(&rows, 7)->shown);
	CHECK_EQ(0, value(7, 0, SINCE_INTERVAL));
	CHECK_EQ(4, value(7, 1, SINCE_BEGIN));
	rows__free(&rows);
}

static void a_context_id_is_given_again(void)
{
	struct gpu_pmu_usage who = { .id = 7, .client = 1, .ctx = 5, .engine = ALL_ENGINES };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	tell(&who, 10, 0);
	rows__begin_look(&rows);
	who.flags = ENDED;
	tell(&who, 12, 0);
	who.flags = 0;
	who.id = 8;
	tell(&who, 1, 0);
	CHECK_EQ(2, look_nr_rows(&rows));
	CHECK_EQ(2, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(1, value(8, 0, SINCE_BEGIN));
	CHECK(look_row(&rows, 7)->ended && !look_row(&rows, 8)->ended);
	rows__free(&rows);
}

/* all that is told of a client has one id */
static void each_engine_is_a_row(void)
{
	static const __u16 engines[] = { 0, 1, 254, 255, 256, 0xfffe, ALL_ENGINES };
	struct gpu_pmu_usage who = { .id = 1, .client = UINT64_MAX };
	unsigned int nr = 0;

	rows__init(&rows, EVENTS);
	for (unsigned int look = 1; look <= 3; look++) {
		rows__begin_look(&rows);
		for (unsigned int i = 0; i < 7; i++) {
			who.engine = engines[i];
			tell(&who, look * (i + 1), 0);
		}
	}
	CHECK_EQ(7, look_nr_rows(&rows));
	for (const struct row *row = rows.first; row; row = row->newer, nr++) {
		CHECK_EQ(engines[nr], row->engine);
		CHECK_EQ(2 * (nr + 1), row__value(&rows, row, 0, SINCE_BEGIN));
	}
	/* engines in one bucket, too */
	for (unsigned int i = 0; i < 5000; i++) {
		who.engine = i;
		tell(&who, 1, 0);
	}
	CHECK_EQ(5000 + 2, look_nr_rows(&rows));
	rows__free(&rows);
	rows__begin_look(&rows);
	for (unsigned int i = 0; i < 7; i++) {
		who.engine = engines[i];
		tell(&who, 1, 0);
	}
	/* so is each device, client and context */
	who.id = 100;
	who.dev = 1;
	tell(&who, 1, 1);
	who.id = 101;
	who.ctx = 1;
	tell(&who, 1, 1);
	who.id = 102;
	who.client = 0;
	tell(&who, 1, 1);
	CHECK_EQ(10, look_nr_rows(&rows));
	rows__free(&rows);
}

static void idle_ones_become_what_they_are(void)
{
	struct gpu_pmu_usage who = { .client = 1, .ctx = 5, .pid = 9, .engine = ALL_ENGINES,
				     .comm = "before" };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	CHECK_EQ(0, look_idle(&rows, &who));
	CHECK_EQ(0, look_idle(&rows, &who));
	CHECK_EQ(1, look_nr_rows(&rows));
	CHECK_EQ(0, value(0, 0, SINCE_BEGIN));
	CHECK_STR("before", rows.first->comm);
	rows__begin_look(&rows);
	who.id = 7;
	who.pid = 0;
	strcpy(who.comm, "after");
	tell(&who, 40, 2);
	CHECK_EQ(1, look_nr_rows(&rows));
	CHECK_EQ(40, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(9, look_row(&rows, 7)->pid);
	CHECK_STR("after", look_row(&rows, 7)->comm);
	/* it is known now: nothing is taken back */
	who.id = 0;
	CHECK_EQ(0, look_idle(&rows, &who));
	CHECK_EQ(40, value(7, 0, SINCE_BEGIN));
	CHECK_EQ(1, look_nr_rows(&rows));
	rows__free(&rows);
}

static void a_look_of_other_events_is_refused(void)
{
	const struct gpu_pmu_usage who = { .id = 7, .client = 1, .nr_values = EVENTS + 1 };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	CHECK_EQ((uint64_t)-EINVAL, rows__entry(&rows, &who));
	CHECK_EQ(0, look_nr_rows(&rows));
	rows__free(&rows);
}

/* it could not be looked at for an interval, and is as it was */
static void who_is_back_is_shown(void)
{
	const struct gpu_pmu_usage who = { .id = 7, .client = 1, .engine = ALL_ENGINES };

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	tell(&who, 1, 1);
	rows__begin_look(&rows);
	rows__next_interval(&rows);
	CHECK(look_row(&rows, 7)->shown);
	rows__begin_look(&rows);
	tell(&who, 1, 1);
	CHECK(!look_row(&rows, 7)->shown);
	rows__free(&rows);
}

static void who_has_ended_is_forgotten(void)
{
	struct gpu_pmu_usage who = { .engine = ALL_ENGINES };
	unsigned int nr = 0;

	rows__init(&rows, EVENTS);
	rows__begin_look(&rows);
	for (who.id = 1; who.id <= 5000; who.id++) {
		who.client = who.id / 4;
		who.ctx = who.id % 4;
		who.flags = who.id % 3 ? 0 : ENDED;
		tell(&who, 1, 1);
	}
	/* not before it was shown */
	rows__forget(&rows);
	CHECK_EQ(5000, look_nr_rows(&rows));
	rows__next_interval(&rows);
	/* and not as long as it is told: 6 is, over and over */
	for (unsigned int look = 0; look < 2; look++) {
		rows__begin_look(&rows);
		for (who.id = 1; who.id <= 5000; who.id++) {
			who.client = who.id / 4;
			who.ctx = who.id % 4;
			who.flags = who.id == 6 ? ENDED : 0;
			if (who.id == 6 || who.id % 3)
				tell(&who, 1, 1);
		}
		CHECK(look_row(&rows, 6)->shown);
		rows__forget(&rows);
	}
	CHECK_EQ(5000 - 1666 + 1, look_nr_rows(&rows));
	for (const struct row *row = rows.first; row; row = row->newer) {
		CHECK(row->id == 6 || row->id % 3);
		if (!row->newer)
			CHECK(row == rows.last);
	}
	for (unsigned int i = 0; i < ROWS_BUCKETS; i++)
		for (const struct row *row = rows.bucket[i]; row; row = row->next)
			nr++;
	CHECK_EQ(5000 - 1666 + 1, nr);
	/* all of them, the last one too; and then there is one again */
	rows__begin_look(&rows);
	rows__next_interval(&rows);
	rows__forget(&rows);
	CHECK(!rows.first && !rows.last);
	tell(&who, 1, 1);
	CHECK_EQ(1, look_nr_rows(&rows));
	rows__free(&rows);
}

#define MANY	5000

/* they come, work and end at any time; all sums are kept beside */
static void many_rows_at_random(void)
{
	struct model {
		enum { NOT_YET, LIVE, OVER } state;
		__u64 last, begin, interval;
	} *model = calloc(MANY, sizeof(*model));
	struct row **row = calloc(MANY, sizeof(*row));

	rows__init(&rows, EVENTS);
	for (unsigned int look = 1; look <= 12; look++) {
		rows__begin_look(&rows);
		for (unsigned int k = 0; k < MANY; k++) {
			/* mostly in the same order, but not always */
			unsigned int i = look % 4 ? k : MANY - 1 - k;
			struct model *m = &model[i];
			struct gpu_pmu_usage who = {
				.id = 1 + i, .client = i / 50, .ctx = i % 50 / 5,
				.dev = 128 + i / 2500, .engine = i % 5,
			};

			if (m->state == OVER || (m->state == NOT_YET && test_random() % 4))
				continue;
			m->last += test_random() >> (test_random() % 60 + 4);
			if (m->state == NOT_YET && look == 1)
				m->begin = m->interval = m->last;
			m->state = test_random() % 10 ? LIVE : OVER;
			who.flags = m->state == OVER ? ENDED : 0;
			tell(&who, m->last, ~m->last);
		}
		for (struct row *r = rows.first; r; r = r->newer)
			row[r->id - 1] = r;
		for (unsigned int i = 0; i < MANY; i++) {
			struct model *m = &model[i];

			CHECK_EQ(m->state != NOT_YET, row[i] != NULL);
			if (!row[i])
				continue;
			CHECK_EQ(m->last - m->begin, row__value(&rows, row[i], 0, SINCE_BEGIN));
			CHECK_EQ(m->last - m->interval,
				 row__value(&rows, row[i], 0, SINCE_INTERVAL));
			CHECK_EQ(m->state == OVER, row[i]->ended);
		}
		if (look % 3)
			continue;
		rows__next_interval(&rows);
		for (unsigned int i = 0; i < MANY; i++)
			model[i].interval = model[i].last;
	}
	rows__free(&rows);
	free(model);
	free(row);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(it_counts_from_the_first_look),
		TEST(who_comes_later_begins_at_0),
		TEST(who_comes_and_ends_between_looks),
		TEST(a_context_id_is_given_again),
		TEST(each_engine_is_a_row),
		TEST(idle_ones_become_what_they_are),
		TEST(a_look_of_other_events_is_refused),
		TEST(who_is_back_is_shown),
		TEST(who_has_ended_is_forgotten),
		TEST(many_rows_at_random),
	};

	return TESTS_RUN(tests);
}
