// SPDX-License-Identifier: GPL-2.0
/* What stands beside a count. */
#include <math.h>
#include <linux/gpu_pmu.h>

#include "stat/metric.h"
#include "test.h"

enum { BUSY, QUEUE, JOBS, QUEUE_1, JOBS_1, WAIT_TIME, WAITS, LOST, NATIVE, EVENTS };

#define ENGINE_1	(1 << GPU_PMU_CONFIG_ENGINE_SHIFT)

static struct event event[EVENTS] = {
	[BUSY] = { .config = { GPU_PMU_EVENT_GPU_BUSY } },
	[QUEUE] = { .config = { GPU_PMU_EVENT_QUEUE_WAIT } },
	[JOBS] = { .config = { GPU_PMU_EVENT_JOBS } },
	[QUEUE_1] = { .config = { GPU_PMU_EVENT_QUEUE_WAIT | ENGINE_1 } },
	[JOBS_1] = { .config = { GPU_PMU_EVENT_JOBS | ENGINE_1 } },
	[WAIT_TIME] = { .config = { GPU_PMU_EVENT_WAIT_TIME, 0, 3 } },
	[WAITS] = { .config = { GPU_PMU_EVENT_WAITS } },
	[LOST] = { .config = { GPU_PMU_EVENT_LOST } },
	[NATIVE] = { .config = { GPU_PMU_EVENT_NATIVE + 2 } },
};
static const struct events events = { .nr = EVENTS, .event = event };
static struct view_count counts[EVENTS];
static const struct view_line line = { .count = counts };
static struct metric metric;
static char text[2 * NUMBER_SIZE];

static bool get(unsigned int i, __s64 value, double seconds)
{
	counts[i] = (struct view_count){ value, true };
	return metric__get(&metric, &events, &line, i, seconds);
}

static void check(const char *unit, double value, const char *shown)
{
	CHECK_STR(unit, metric.unit);
	CHECK(fabs(metric.value - value) <= 1e-9 * fabs(value));
	CHECK_STR(shown, metric__text(text, &metric));
}

static void shares(void)
{
	CHECK(get(BUSY, 250000000, 2));
	check("%", 12.5, "12.5 % of the time");
	CHECK(get(BUSY, 0, 2));
	check("%", 0, "0.0 % of the time");
	/* two engines at once; more in (others)' place than there is */
	CHECK(get(BUSY, 4000000000, 2));
	check("%", 200, "200.0 % of the time");
	CHECK(get(BUSY, -250000000, 2));
	check("%", -12.5, "-12.5 % of the time");
}

static void means(void)
{
	CHECK(!get(QUEUE, 3000, 1));
	counts[JOBS] = (struct view_count){ 2, true };
	counts[JOBS_1] = (struct view_count){ 1, true };
	CHECK(get(QUEUE, 3000, 0.001));
	check("ns/job", 1500, "1.500 us per job");
	/* those of the same engine */
	CHECK(get(QUEUE_1, 3000, 1));
	check("ns/job", 3000, "3.000 us per job");
	counts[JOBS].value = 0;
	CHECK(!get(QUEUE, 3000, 1));
	counts[JOBS].value = -2;
	CHECK(!get(QUEUE, 3000, 1));
	counts[JOBS] = (struct view_count){ 2, false };
	CHECK(!get(QUEUE, 3000, 1));
	/* no waits of the same context are there, and then they are */
	counts[WAITS] = (struct view_count){ 4, true };
	CHECK(!get(WAIT_TIME, 1000, 1));
	event[WAITS].config[2] = 3;
	CHECK(get(WAIT_TIME, 1000, 1));
	check("ns/wait", 250, "250.0 ns per wait");
}

static void rates(void)
{
	CHECK(get(JOBS, 3, 2));
	check("/s", 1.5, "1.500 /s");
	CHECK(get(NATIVE, INT64_MAX, 1));
	check("/s", 9223372036854775807.0, "9223 P/s");
	CHECK(get(JOBS, -3000, 2));
	check("/s", -1500, "-1.500 K/s");
}

static void none(void)
{
	CHECK(!get(LOST, 3, 2));
	CHECK(!get(JOBS, 3, 0));
	CHECK(!get(BUSY, 3, -1));
	counts[BUSY].counted = false;
	CHECK(!metric__get(&metric, &events, &line, BUSY, 1));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(shares),
		TEST(means),
		TEST(rates),
		TEST(none),
	};

	return TESTS_RUN(tests);
}
