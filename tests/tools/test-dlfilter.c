// SPDX-License-Identifier: GPL-2.0
/* The dlfilter, with a perf that is made up; what it writes is read as its reader does. */
#include <linux/perf_event.h>
#include <perf/perf_dlfilter.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "samples/stacks.h"
#include "samples/wire.h"

extern struct perf_dlfilter_fns perf_dlfilter_fns;

/* ---- perf ---- */

static struct perf_event_attr attr;
static unsigned int comms;	/* how often it was asked for one */

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	static struct perf_dlfilter_al al = { .size = sizeof(al), .comm = "client" };

	(void)ctx;
	comms++;
	return &al;
}

/* functions are 0x100 long; from 0x1000 on there are none, and no files from 0x2000 on */
static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	static char name[32];

	(void)ctx;
	/* of a place with room for what is behind it, a newer perf would keep a copy for us */
	CHECK_EQ(offsetof(struct perf_dlfilter_al, filtered), al->size);
	if (address >= 0x2000)
		return -1;
	al->dso = "/lib/libx.so";
	if (address < 0x1000) {
		snprintf(name, sizeof(name), "f%llx", address >> 8);
		al->sym = name;
	}
	return 0;
}

static struct perf_event_attr *get_attr(void *ctx)
{
	(void)ctx;
	return &attr;
}

/* ---- what was written ---- */

static FILE *terminal;
static char *text;
static size_t size;
static void *data;

static void setup(void)
{
	attr = (struct perf_event_attr){};
	comms = 0;
	perf_dlfilter_fns.resolve_ip = resolve_ip;
	perf_dlfilter_fns.resolve_address = resolve_address;
	perf_dlfilter_fns.attr = get_attr;
	terminal = stdout;
	stdout = open_memstream(&text, &size);
	CHECK_EQ(0, start(&data, NULL));
}

/* the lines, without those about progress; the last one is how much was not understood */
static void teardown(const char *const *expected, uint64_t not_understood)
{
	static struct wire_line line;
	char *rest, *at;

	stop(data, NULL);
	fclose(stdout);
	stdout = terminal;
	rest = text;
	while ((at = strsep(&rest, "\n")) && *at) {
		char copy[256];

		snprintf(copy, sizeof(copy), "%s", at);
		wire__parse(at, &line);
		CHECK(line.kind != WIRE_BROKEN);
		if (line.kind == WIRE_END)
			CHECK_EQ(not_understood, line.number);
		else if (line.kind == WIRE_SAMPLE)
			CHECK_STR(*expected++, "sample");
		else if (line.kind != WIRE_PROGRESS)
			CHECK_STR(*expected++, copy);
	}
	CHECK_EQ(WIRE_END, line.kind);
	CHECK(!*expected);
	free(text);
}

static struct gpu_pmu_sample_report *job(unsigned int kind)
{
	static struct {
		struct gpu_pmu_sample_report report;
		struct gpu_pmu_sample_value values[4];
	} buffer;

	memset(&buffer, 0, sizeof(buffer));
	buffer.report.sample.version = GPU_PMU_SAMPLE_VERSION;
	buffer.report.sample.kind = kind;
	return &buffer.report;
}

static int filter(const char *event, const void *raw, uint32_t raw_size, const uint64_t *chain,
		  unsigned int nr)
{
	struct perf_dlfilter_sample sample = {
		.size = sizeof(sample), .event = event, .raw_data = raw, .raw_size = raw_size,
		.raw_callchain = (const __u64 *)chain, .raw_callchain_nr = nr,
	};
	int ret = filter_event_early(data, &sample, NULL);

	return ret ? ret : filter_event(data, &sample, NULL);
}

#define SIZE	sizeof(struct gpu_pmu_sample)

/* ---- tests ---- */

static void a_stack_is_told_once(void)
{
	static const uint64_t chain[] = {
		(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000, (uint64_t)PERF_CONTEXT_USER,
		0x110, 0x300, 0x1100, 0x2200,
	};
	static const char *const expected[] = {
		"@N gpu/jobs/u", "@N client", "@N [unknown]", "@F 0 3", "@N [libx.so]", "@F 1 4",
		/* a call that is its function's last instruction is that function's */
		"@N f2", "@F 2 5", "@N f1", "@F 3 6", "sample", "sample", NULL,
	};

	setup();
	CHECK_EQ(1, filter("gpu/jobs/u", job(GPU_PMU_SAMPLE_JOB), SIZE, chain, 7));
	CHECK_EQ(1, filter("gpu/jobs/u", job(GPU_PMU_SAMPLE_JOB), SIZE, chain, 7));
	teardown(expected, 0);
}

/* is the first sample's stack said to be cut, if it is of so many addresses? */
static bool is_cut(unsigned int nr, unsigned int sample_max_stack)
{
	static struct wire_line line;
	static uint64_t chain[2000];
	bool has_marker, cut = false;
	char *rest, *at;

	for (unsigned int i = 0; i < nr; i++)
		chain[i] = 0x100;
	setup();
	attr.sample_max_stack = sample_max_stack;
	CHECK_EQ(1, filter("gpu/jobs/u", job(GPU_PMU_SAMPLE_JOB), SIZE, chain, nr));
	stop(data, NULL);
	fclose(stdout);
	stdout = terminal;
	has_marker = strstr(text, "@N " STACK_CUT "\n");
	rest = text;
	while ((at = strsep(&rest, "\n"))) {
		wire__parse(at, &line);
		if (line.kind == WIRE_SAMPLE)
			cut = line.sample.cut;
	}
	CHECK_EQ(cut, has_marker);
	free(text);
	return cut;
}

static void a_stack_without_its_root_says_so(void)
{
	/* the kernel takes 127 if it is not told otherwise */
	CHECK(!is_cut(0, 0));
	CHECK(!is_cut(126, 0));
	CHECK(is_cut(127, 0));
	/* kernel.perf_event_max_stack was set */
	CHECK(!is_cut(200, 0));
	/* gpu/jobs,max-stack=200/ */
	CHECK(!is_cut(127, 200));
	CHECK(is_cut(200, 200));
	CHECK(!is_cut(STACK_DEPTH_MAX, 0));
	CHECK(is_cut(STACK_DEPTH_MAX + 1, 0));
}

static void perf_prints_what_it_unwinds(void)
{
	static const char *const expected[] = {
		"@N gpu/jobs/", "@N client", "sample", NULL,
	};

	setup();
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	CHECK_EQ(0, filter("gpu/jobs/", job(GPU_PMU_SAMPLE_JOB), SIZE, NULL, 0));
	teardown(expected, 0);
}

static void whoever_ran_at_a_completion_is_not_asked_for(void)
{
	static const char *const expected[] = { "@N gpu/jobs-done/", "@N ", "sample", NULL };

	setup();
	CHECK_EQ(1, filter("gpu/jobs-done/", job(GPU_PMU_SAMPLE_DONE), SIZE, NULL, 0));
	CHECK_EQ(0, comms);
	teardown(expected, 0);
}

static void others_are_passed_over(void)
{
	static const char *const expected[] = { NULL };

	setup();
	CHECK_EQ(1, filter("cycles", job(GPU_PMU_SAMPLE_JOB), SIZE, NULL, 0));
	CHECK_EQ(1, filter(NULL, job(GPU_PMU_SAMPLE_JOB), SIZE, NULL, 0));
	teardown(expected, 0);
}

/* perf's raw data are of 4, 12, 20... bytes */
#define RAW_SIZE	(SIZE + 4)

/* a sample of each kind, as the kernel writes it */
static struct gpu_pmu_sample_report *whole(unsigned int kind)
{
	struct gpu_pmu_sample_report *report = job(kind);
	struct gpu_pmu_sample *gpu = &report->sample;

	gpu->perf = 5ULL << 32;
	gpu->dev = 128;
	if (kind == GPU_PMU_SAMPLE_JOB || kind == GPU_PMU_SAMPLE_DONE)
		gpu->submit = 100;
	if (kind != GPU_PMU_SAMPLE_JOB) {
		gpu->begin = 150;
		gpu->end = 200;
	}
	if (kind == GPU_PMU_SAMPLE_DONE)
		gpu->busy = 40;
	return report;
}

static void of_any_pmu(void)
{
	attr.type = 30;
	attr.sample_type = PERF_SAMPLE_RAW;
}

static void ours_have_any_name(void)
{
	static const char *const expected[] = {
		"@N submit", "@N client", "sample", "@N ", "sample", "@N gpu", "sample",
		"@N r", "sample", NULL,
	};
	struct gpu_pmu_sample_report *report;

	setup();
	of_any_pmu();
	CHECK_EQ(1, filter("submit", whole(GPU_PMU_SAMPLE_JOB), RAW_SIZE, NULL, 0));
	report = whole(GPU_PMU_SAMPLE_DONE);
	report->sample.flags = GPU_PMU_SAMPLE_EARLIER;
	report->sample.begin = 0;
	report->sample.submit = 0;
	CHECK_EQ(1, filter("submit", report, RAW_SIZE, NULL, 0));
	CHECK_EQ(1, filter("gpu", whole(GPU_PMU_SAMPLE_WAIT), RAW_SIZE, NULL, 0));
	report = whole(GPU_PMU_SAMPLE_REPORT);
	report->sample.nr_values = 2;
	CHECK_EQ(1, filter("r", report, RAW_SIZE + 32, NULL, 0));
	teardown(expected, 0);
}

/* each has one thing that ours has not */
static void others_are_not_ours_by_their_payload(void)
{
	static const char *const expected[] = { NULL };
	const unsigned int kinds[] = { 1, 2, 3, 4 };
	struct gpu_pmu_sample_report *report;

#define NOT_OURS(_kind, _size, _change)						\
	do {									\
		report = whole(_kind);						\
		_change;							\
		CHECK_EQ(1, filter("other", report, _size, NULL, 0));		\
	} while (0)

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		of_any_pmu();
		NOT_OURS(kinds[i], RAW_SIZE, attr.type = PERF_TYPE_TRACEPOINT);
		of_any_pmu();
		NOT_OURS(kinds[i], RAW_SIZE, attr.type = PERF_TYPE_RAW);
		of_any_pmu();
		NOT_OURS(kinds[i], RAW_SIZE, attr.sample_type = 0);
		of_any_pmu();
		NOT_OURS(kinds[i], RAW_SIZE + 8, );
		NOT_OURS(kinds[i], RAW_SIZE - 8, );
		NOT_OURS(kinds[i], SIZE, );
		NOT_OURS(kinds[i], 4, );
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.perf = 1);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.version++);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.kind = 0);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.kind = 5);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.nr_values = 1);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.dev = 1 << 20);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.flags = 2);
		NOT_OURS(kinds[i], RAW_SIZE, report->sample.begin = 201);
		if (kinds[i] != GPU_PMU_SAMPLE_DONE) {
			NOT_OURS(kinds[i], RAW_SIZE, report->sample.flags = 1);
			NOT_OURS(kinds[i], RAW_SIZE, report->sample.busy = 1);
			NOT_OURS(kinds[i], RAW_SIZE, report->sample.submit ^= 100);
		}
	}
	NOT_OURS(GPU_PMU_SAMPLE_WAIT, RAW_SIZE, report->sample.begin = 0);
	NOT_OURS(GPU_PMU_SAMPLE_JOB, RAW_SIZE, report->sample.end = 1);
	teardown(expected, 0);
}

static void what_is_not_understood_is_counted(void)
{
	static const char *const expected[] = { "@N gpu/reports/", "@N ", "sample", NULL };
	struct gpu_pmu_sample_report *report = job(GPU_PMU_SAMPLE_REPORT);
	/* of its exact size: a sanitizer sees a byte too far */
	void *exact = malloc(SIZE + 16);

	setup();
	CHECK_EQ(1, filter("gpu/jobs/", NULL, 0, NULL, 0));
	memcpy(exact, report, SIZE);
	CHECK_EQ(1, filter("gpu/jobs/", exact, SIZE - 1, NULL, 0));
	report->sample.version++;
	CHECK_EQ(1, filter("gpu/jobs/", report, SIZE, NULL, 0));
	report->sample.version--;
	/* values that are not there; one that is there; more than there may be */
	report->sample.nr_values = 1;
	memcpy(exact, report, SIZE);
	CHECK_EQ(1, filter("gpu/reports/", exact, SIZE + 15, NULL, 0));
	memcpy(exact, report, SIZE + 16);
	CHECK_EQ(1, filter("gpu/reports/", exact, SIZE + 16, NULL, 0));
	report->sample.nr_values = 0xffff;
	memcpy(exact, report, SIZE);
	CHECK_EQ(1, filter("gpu/reports/", exact, UINT32_MAX, NULL, 0));
	teardown(expected, 5);
	free(exact);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_stack_is_told_once),
		TEST(a_stack_without_its_root_says_so),
		TEST(perf_prints_what_it_unwinds),
		TEST(whoever_ran_at_a_completion_is_not_asked_for),
		TEST(others_are_passed_over),
		TEST(ours_have_any_name),
		TEST(others_are_not_ours_by_their_payload),
		TEST(what_is_not_understood_is_counted),
	};

	return TESTS_RUN(tests);
}
