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

/* a record of it, as it is reported and drawn */
TEST_F_TIMEOUT(cube, record, 120)
{
	int64_t jobs, busy;

	ASSERT_EQ(0, perf_stat_run(&self->perf, "-a -e gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/ "
				   TOOL "record -a -g fp -o " DATA
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
	/* there is the kernel's own work, too */
	EXPECT_GE((int64_t)perf_stat_sum(&self->perf, "gpu/gpu-busy/"), busy);
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
