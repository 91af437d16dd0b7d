// SPDX-License-Identifier: GPL-2.0
/* What is written: whatever functions are called, programs must be able to read it. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/calls.h"
#include "report/report.h"
#include "test.h"

#define NASTY	"a;b \"q\" \\ <\xff\xc3(\n\x01&\xe2\x82\xac>"

const struct report_weight report_weights[JOIN_WEIGHTS] = {
	[JOIN_GPU] = { "GPU time", "gpu_busy_ns", "ns" },
	[JOIN_WAIT] = { "time waited", "wait_time_ns", "ns" },
	[JOIN_JOBS] = { "jobs", "jobs", "" },
};

static struct report report;
static char *text;

static void setup(void)
{
	report = (struct report){
		.input = "perf\"data", .complete = true, .stacks = stacks__new(),
	};
	report.join = join__new(report.stacks, 10);
}

static void teardown(void)
{
	free(text);
	text = NULL;
	join__delete(report.join);
	stacks__delete(report.stacks);
}

static uint32_t push(uint32_t caller, const char *name)
{
	return stacks__push(report.stacks, caller, stacks__name(report.stacks, name));
}

/* a job that took @busy, and a wait of @wait */
static void work(uint32_t stack, uint64_t seqno, uint64_t busy, uint64_t wait)
{
	struct gpu_pmu_sample gpu = {
		.version = 1, .kind = GPU_PMU_SAMPLE_JOB, .dev = 128, .pid = 5,
		.client = UINT64_MAX, .ctx = 3, .fence_context = 1, .fence_seqno = seqno,
		.submit = 100, .begin = 110, .end = 110 + busy, .busy = busy,
	};
	struct stream_sample sample = {
		.event = "gpu/x/", .time = 1000 + seqno, .pid = 5, .tid = 5,
		.comm = "na\xffsty", .stack = stack, .gpu = &gpu,
	};

	join__sample(report.join, &sample);
	gpu.kind = GPU_PMU_SAMPLE_DONE;
	join__sample(report.join, &sample);
	gpu.kind = GPU_PMU_SAMPLE_WAIT;
	gpu.begin = 1000000 * seqno;
	gpu.end = gpu.begin + wait;
	if (wait)
		join__sample(report.join, &sample);
}

static void output(int (*write)(FILE *out, const struct report *report))
{
	size_t size;
	FILE *file = open_memstream(&text, &size);

	CHECK_EQ(0, write(file, &report));
	fclose(file);
}

static uint64_t get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	CHECK(json_object_object_get_ex(object, key, &value));
	return json_object_get_int64(value);
}

static const char *get_text(struct json_object *object, const char *key)
{
	return json_object_get_string(json_object_object_get(object, key));
}

static void json_is_json(void)
{
	struct json_object *document, *stacks, *stack, *frames, *contexts;
	uint32_t main_node;

	setup();
	main_node = push(STACK_NONE, "main");
	work(push(main_node, NASTY), 1, 500, 0);
	work(push(main_node, "g"), 2, 70, 33);
	join__end(report.join);
	output(report__json);
	document = json_tokener_parse(text);
	CHECK(document);
	CHECK_STR("perf\"data", get_text(document, "file"));
	CHECK_EQ(570, get(document, "gpu_busy_ns"));
	stacks = json_object_object_get(document, "stacks");
	CHECK_EQ(2, json_object_array_length(stacks));
	stack = json_object_array_get_idx(stacks, 0);
	CHECK_EQ(500, get(stack, "gpu_busy_ns"));
	CHECK_EQ(0, get(stack, "wait_time_ns"));
	frames = json_object_object_get(stack, "frames");
	CHECK_EQ(2, json_object_array_length(frames));
	CHECK_STR("main", json_object_get_string(json_object_array_get_idx(frames, 0)));
	CHECK_STR("a;b \"q\" \\ <\xef\xbf\xbd\xef\xbf\xbd(\n\x01&\xe2\x82\xac>",
		  json_object_get_string(json_object_array_get_idx(frames, 1)));
	stack = json_object_array_get_idx(stacks, 1);
	CHECK_EQ(70, get(stack, "gpu_busy_ns"));
	CHECK_EQ(33, get(stack, "wait_time_ns"));
	CHECK_EQ(1, get(stack, "jobs"));
	contexts = json_object_object_get(document, "contexts");
	CHECK_EQ(1, json_object_array_length(contexts));
	CHECK_STR("ffffffffffffffff", get_text(json_object_array_get_idx(contexts, 0), "client"));
	json_object_put(document);
	teardown();
}

static void json_is_json_of_nothing(void)
{
	struct json_object *document;

	setup();
	report.complete = false;
	output(report__json);
	document = json_tokener_parse(text);
	CHECK(document);
	CHECK_STR("false", get_text(document, "complete"));
	CHECK_EQ(0, get(document, "jobs"));
	CHECK_EQ(0, json_object_array_length(json_object_object_get(document, "stacks")));
	json_object_put(document);
	teardown();
}

static void folded_lines_can_be_split(void)
{
	uint32_t main_node;

	setup();
	main_node = push(STACK_NONE, "main");
	work(push(main_node, NASTY), 1, 500, 0);
	work(push(main_node, "g"), 2, 70, 33);
	work(main_node, 3, 0, 0);
	output(report__folded);
	CHECK_STR("main;a:b \"q\" \\ <?\?(??&\xe2\x82\xac> 500\nmain;g 70\n", text);
	free(text);
	report.weight = JOIN_WAIT;
	output(report__folded);
	CHECK_STR("main;g 33\n", text);
	teardown();
}

static void the_largest_call_comes_first(void)
{
	struct calls calls;
	uint64_t selves[6] = {};
	uint32_t a, b, c, d;

	setup();
	a = push(STACK_NONE, "a");
	b = push(a, "b");
	c = push(a, "c");
	d = push(STACK_NONE, "d");
	push(d, "never");
	selves[a] = 1;
	selves[b] = 10;
	selves[c] = 20;
	selves[d] = 5;
	CHECK_EQ(0, calls__init(&calls, report.stacks, selves));
	CHECK_EQ(36, calls.total[STACK_NONE]);
	CHECK_EQ(31, calls.total[a]);
	CHECK_EQ(a, calls.first[STACK_NONE]);
	CHECK_EQ(d, calls.next[a]);
	CHECK_EQ(0, calls.next[d]);
	CHECK_EQ(c, calls.first[a]);
	CHECK_EQ(b, calls.next[c]);
	CHECK_EQ(0, calls.first[d]);
	calls__free(&calls);
	teardown();
}

/* the tree at the end, as people see it */
static void calls_are_indented_where_they_part(void)
{
	static const char expected[] =
		"# GPU time by stack: 1.000 us; less than 1 % is not shown\n"
		"  100.00 %      1.000 us  main\n"
		"                          run\n"
		"   90.00 %        900 ns    f\n"
		"                            ioctl\n"
		"    9.50 %         95 ns    ?g\n";
	uint32_t run;
	char *tree;

	setup();
	report.percent_limit = 1;
	run = push(push(STACK_NONE, "main"), "run");
	work(push(push(run, "f"), "ioctl"), 1, 900, 0);
	work(push(run, "\302\233g"), 2, 95, 0);
	work(push(run, "little"), 3, 5, 0);
	output(report__stdio);
	tree = strstr(text, "# GPU time by stack");
	CHECK_STR(expected, tree);
	teardown();
}

/* and what helps is an option that there is */
static void what_was_lost_is_said(void)
{
	setup();
	output(report__stdio);
	CHECK(strstr(text, "# lost records: 0\n"));
	free(text);
	join__lost(report.join, 3);
	output(report__stdio);
	CHECK(strstr(text, "# lost records: 3: record with '--perf -m 16M', or more\n"));
	teardown();
}

static void what_stacks_have_no_root_is_said(void)
{
	struct gpu_pmu_sample gpu = { .kind = GPU_PMU_SAMPLE_JOB, .fence_context = 1 };
	struct stream_sample sample = { .comm = "", .gpu = &gpu, .cut = true };
	struct json_object *document;

	setup();
	output(report__stdio);
	CHECK(!strstr(text, "not whole"));
	free(text);
	for (; gpu.fence_seqno < 3; gpu.fence_seqno++)
		join__sample(report.join, &sample);
	output(report__stdio);
	CHECK(strstr(text, "#   3 submitted, or waits, whose stack is not whole: it was too deep\n"));
	free(text);
	output(report__json);
	document = json_tokener_parse(text);
	CHECK_EQ(3, get(document, "stacks_cut"));
	json_object_put(document);
	teardown();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(json_is_json),
		TEST(json_is_json_of_nothing),
		TEST(folded_lines_can_be_split),
		TEST(the_largest_call_comes_first),
		TEST(calls_are_indented_where_they_part),
		TEST(what_was_lost_is_said),
		TEST(what_stacks_have_no_root_is_said),
	};

	return TESTS_RUN(tests);
}
