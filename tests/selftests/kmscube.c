// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu of a GL program that is not ours: each command's numbers are those of stock
 * perf stat in the same run.
 */
#include <json-c/json.h>

#include "harness.h"

#include "fields.h"
#include "perf.h"

#define TOOL	"build/tools/perf-gpu "
/* it ends when there is something on its standard input, or that ends */
#define CUBE	"sh -c 'exec kmscube -D /dev/dri/card0 -c 25 <>/tmp/cube.silence >/tmp/cube.said 2>&1'"
#define OUT	"/tmp/cube.out"
#define DATA	"/tmp/cube.data"

FIXTURE(cube)
{
	struct perf_stat perf;
	struct fields *fields;
	struct json_object *json;
};

FIXTURE_SETUP(cube)
{
	if (!has_output())
		SKIP(return, "this kernel's driver has no outputs");
	ASSERT_EQ(0, console_calm());
	ASSERT_EQ(0, paranoid_set(2));
	ASSERT_EQ(0, shell("rm -f /tmp/cube.silence; mkfifo /tmp/cube.silence"));
}

FIXTURE_TEARDOWN(cube)
{
	free(self->fields);
	json_object_put(self->json);
	if (!__test_passed(_metadata)) {
		perf_stat_dump(&self->perf);
		shell("tail -n 20 " OUT " /tmp/cube.said >&2");
	}
}

/* those of the totals, and of the one client that there is */
TEST_F_TIMEOUT(cube, stat, 90)
{
	static const char *const events[] = { "gpu-busy", "queue-wait", "jobs", "jobs-done" };
	char event[32];

	ASSERT_EQ(0, perf_stat_run(&self->perf, "-e gpu/gpu-busy/,gpu/queue-wait/,gpu/jobs/,"
				   "gpu/jobs-done/ " TOOL "stat --per-client -x , -o " OUT " "
				   CUBE));
	ASSERT_EQ(0, self->perf.status);
	self->fields = fields_read(OUT);
	ASSERT_NE(NULL, self->fields);
	EXPECT_EQ(0, self->fields->broken);
	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(event, sizeof(event), "gpu/%s/", events[i]);
		EXPECT_EQ((int64_t)perf_stat_sum(&self->perf, event),
			  fields_sum(self->fields, "total", 0, events[i]));
	}
	EXPECT_LE(25, fields_sum(self->fields, "total", 0, "jobs"));
	EXPECT_EQ(fields_sum(self->fields, "total", 0, "jobs"),
		  fields_sum(self->fields, "client", 0, "jobs"));
	EXPECT_EQ(1, fields_lines(self->fields, "client", 0, "jobs"));
}

/* of a report: how long jobs were queued */
static int64_t queue_sum(struct json_object *report, const char *parts)
{
	struct json_object *list;
	int64_t sum = 0;

	if (!json_object_object_get_ex(report, parts, &list))
		return -1;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		sum += json_number(json_object_array_get_idx(list, i), "queue_latency.sum_ns");
	return sum;
}

/* halted, it has submitted what list and top say, and stock perf stat, which is around */
TEST_F_TIMEOUT(cube, list_and_top, 90)
{
	unsigned int lines;
	char line[64];
	int64_t jobs;
	int pid;

	ASSERT_EQ(0, shell("rm -rf /tmp/cube.seen; mkdir /tmp/cube.seen"));
	ASSERT_EQ(0, perf_stat_run(&self->perf, "-a -e gpu/jobs/,gpu/jobs-done/ "
				   "tests/selftests/cube-list /tmp/cube.seen"));
	ASSERT_EQ(0, self->perf.status);
	jobs = perf_stat_sum(&self->perf, "gpu/jobs/");
	EXPECT_LE(25, jobs);
	shell_line(line, sizeof(line), "cat /tmp/cube.seen/pid");
	pid = atoi(line);
	shell_line(line, sizeof(line), "awk -F , '$1 == %d && $2 == \"kmscube\" && "
		   "$4 == \"virtio_gpu\" { sum += $7 } END { print sum + 0 }' /tmp/cube.seen/list",
		   pid);
	EXPECT_EQ(jobs, atoi(line));
	self->json = json_read("/tmp/cube.seen/top");
	ASSERT_NE(NULL, self->json);
	EXPECT_EQ(jobs, json_sum(self->json, "client", pid, "jobs", &lines));
	EXPECT_LT(0, lines);
	EXPECT_EQ((int64_t)perf_stat_sum(&self->perf, "gpu/jobs-done/"),
		  json_sum(self->json, "client", pid, "jobs-done", &lines));
	EXPECT_EQ(jobs, json_sum(self->json, "engine", 0, "jobs", &lines));
	if (!__test_passed(_metadata))
		shell("head -c 2000 /tmp/cube.seen/list /tmp/cube.seen/top >&2");
}

/* a record of it, as it is reported and drawn */
TEST_F_TIMEOUT(cube, record, 120)
{
	int64_t jobs, busy, wait;

	ASSERT_EQ(0, perf_stat_run(&self->perf, "-a -e gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/,"
				   "gpu/queue-wait/ " TOOL "record -a -g fp -o " DATA
				   " --perf -q --no-buildid --no-buildid-cache -- " CUBE));
	ASSERT_EQ(0, self->perf.status);
	ASSERT_EQ(0, shell(TOOL "report --json -i " DATA " >" OUT " 2>/tmp/cube.said"));
	self->json = json_read(OUT);
	ASSERT_NE(NULL, self->json);
	jobs = perf_stat_sum(&self->perf, "gpu/jobs/");
	busy = json_number(self->json, "gpu_busy_ns");
	EXPECT_LE(25, jobs);
	EXPECT_EQ(jobs, json_number(self->json, "jobs"));
	EXPECT_EQ(jobs, json_number(self->json, "jobs_done"));
	EXPECT_EQ(jobs, json_number(self->json, "joined.jobs"));
	EXPECT_EQ(busy, json_number(self->json, "joined.gpu_busy_ns"));
	EXPECT_LT(0, busy);
	wait = queue_sum(self->json, "engines");
	EXPECT_LT(0, wait);
	EXPECT_EQ(wait, queue_sum(self->json, "contexts"));
	/* there is the kernel's own work, too */
	EXPECT_GE((int64_t)perf_stat_sum(&self->perf, "gpu/gpu-busy/"), busy);
	EXPECT_GE((int64_t)perf_stat_sum(&self->perf, "gpu/queue-wait/"), wait);
	EXPECT_EQ(0, json_number(self->json, "lost"));

	ASSERT_EQ(0, shell(TOOL "timeline -i " DATA " -o " OUT ".html --trace-json " OUT ".json"
			   " 2>/tmp/cube.said"));
	EXPECT_EQ(0, shell("grep -q '</html>' " OUT ".html"));
	/* an arrow for each job: it begins at the submission, and ends at the run */
	EXPECT_EQ(0, shell("test $(grep -c '\"ph\":\"s\"' " OUT ".json) = %ld", (long)jobs));
	EXPECT_EQ(0, shell("test $(grep -c '\"ph\":\"f\"' " OUT ".json) = %ld", (long)jobs));
	json_object_put(self->json);
	self->json = json_read(OUT ".json");
	EXPECT_NE(NULL, self->json);
}

TEST_HARNESS_MAIN
