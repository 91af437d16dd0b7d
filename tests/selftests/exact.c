// SPDX-License-Identifier: GPL-2.0
/*
 * Two kmscubes at once, of different frame counts: what each program, each context
 * and the whole machine has submitted is what the stock tracepoint has seen of each
 * context, and in all.
 */
#include <sys/stat.h>

#include "harness.h"

#include "perf.h"
#include "truth.h"

/*
 * $1 the name of its results, $2 its frames. Counts the program as a whole, and the
 * one context of the file that it will open, which is there already.
 */
#define SCRIPT								\
	"#!/bin/sh\n"							\
	"exec build/tools/perf-gpu attach -f $DRM_LEASE_FD sh -c '"	\
	"echo $GPU_CTX >/tmp/$0.ctx; "					\
	"LC_ALL=C exec perf stat -x \";\" -o /tmp/$0 "			\
	"-e gpu/jobs/u -e gpu/jobs-done/u "				\
	"-e gpu/ctx-jobs,fd=$GPU_FD,ctx=$GPU_CTX/u "			\
	"kmscube -D /dev/dri/card0 -c $1' $1 $2\n"

FIXTURE(cubes)
{
	struct perf_stat all;
	struct truth truth;
};

FIXTURE_SETUP(cubes)
{
	FILE *script = fopen("/tmp/cube", "w");

	if (!has_output())
		SKIP(return, "this kernel's driver has no outputs");
	ASSERT_NE(NULL, script);
	fputs(SCRIPT, script);
	ASSERT_EQ(0, fclose(script));
	ASSERT_EQ(0, chmod("/tmp/cube", 0755));
}

FIXTURE_TEARDOWN(cubes)
{
}

static int number(const char *fmt, const char *name)
{
	char command[256], line[64];

	snprintf(command, sizeof(command), fmt, name);
	return shell_line(line, sizeof(line), "%s", command) ? -1 : atoi(line);
}

/* the value of an event in a file that perf stat has written */
#define VALUE(event)	"awk -F ';' '$3 ~ \"^" event "\" { print $1 }' /tmp/%s"

TEST_F_TIMEOUT(cubes, equal_the_tracepoint, 240)
{
	static const char *const names[] = { "small", "large" };
	static const int frames[] = { 30, 75 };
	int i, jobs, ctx, sum = 0;

	ASSERT_EQ(0, perf_stat_run(&self->all, "-a -e gpu/jobs/,gpu/jobs-done/,gpu/lost/ "
				   TRUTH_RECORD "build/clients/drm-lease /dev/dri/card0 "
				   "build/clients/drm-lease-open.so "
				   "'/tmp/cube %s %d' '/tmp/cube %s %d' 2>/tmp/said",
				   "/tmp/truth.data", names[0], frames[0], names[1],
				   frames[1]));
	ASSERT_EQ(0, self->all.status)
		shell("tail -20 /tmp/said >&2");
	ASSERT_EQ(0, truth_read(&self->truth, "/tmp/truth.data"));

	for (i = 0; i < 2; i++) {
		ctx = number("cat /tmp/%s.ctx", names[i]);
		jobs = number(VALUE("gpu/jobs/u"), names[i]);
		TH_LOG("%d frames, context %d: %d jobs", frames[i], ctx, jobs);
		ASSERT_LT(0, ctx);
		ASSERT_GT(TRUTH_CTX_MAX, ctx);
		EXPECT_LE(frames[i], jobs);
		EXPECT_EQ(self->truth.jobs[ctx], jobs);
		EXPECT_EQ(self->truth.jobs[ctx], number(VALUE("gpu/ctx-jobs,"), names[i]));
		EXPECT_EQ(self->truth.jobs[ctx], number(VALUE("gpu/jobs-done/u"), names[i]));
		sum += jobs;
	}
	EXPECT_EQ(self->truth.all_jobs, sum);
	EXPECT_EQ(self->truth.all_jobs, perf_stat_sum(&self->all, "gpu/jobs/"));
	EXPECT_EQ(self->truth.all_jobs, perf_stat_sum(&self->all, "gpu/jobs-done/"));
	EXPECT_EQ(0, perf_stat_sum(&self->all, "gpu/lost/"));
}

TEST_HARNESS_MAIN
