// SPDX-License-Identifier: GPL-2.0
/*
 * With no event open, nothing of ours is called: no function is hooked, and the
 * driver's tracepoints do not call the probes. The truth is ftrace, which counts
 * the calls of the probes themselves.
 */
#include <linux/gpu_pmu.h>

#include "harness.h"

#include "perf.h"
#include "virtgpu.h"

#define TRACING	"/sys/kernel/tracing"
#define TRACE	TRACING "/instances/gpu_idle"

static const struct gpu_config jobs = { .event = GPU_PMU_EVENT_JOBS };

FIXTURE(idle)
{
	int drm;
};

FIXTURE_SETUP(idle)
{
	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
	ASSERT_EQ(0, shell("mkdir " TRACE " && cd " TRACE " && "
			   "echo 'probe_queue probe_response' >set_ftrace_filter && "
			   "echo function >current_tracer"));
}

FIXTURE_TEARDOWN(idle)
{
	EXPECT_EQ(0, shell("rmdir " TRACE));
}

static int hooked(const char *function)
{
	char line[32];

	shell_line(line, sizeof(line), "grep -c '^%s ' " TRACING "/enabled_functions",
		   function);
	return atoi(line);
}

static int probed(void)
{
	char line[32];

	shell_line(line, sizeof(line),
		   "cat " TRACE "/trace | grep -c 'probe_\\(queue\\|response\\) <-'");
	return atoi(line);
}

TEST_F_TIMEOUT(idle, nothing_is_called, 60)
{
	int fd;

	ASSERT_EQ(0, virtgpu_run(self->drm, 10));
	EXPECT_EQ(0, hooked("drm_release"));
	EXPECT_EQ(0, hooked("drm_release_noglobal"));
	EXPECT_EQ(0, probed());

	/* this test can see what it is looking for */
	fd = gpu_event_open(&jobs, 0, -1, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(self->drm, 10));
	EXPECT_EQ(1, hooked("drm_release"));
	EXPECT_EQ(1, hooked("drm_release_noglobal"));
	EXPECT_LE(20, probed());
	close(fd);

	ASSERT_EQ(0, shell("echo >" TRACE "/trace"));
	ASSERT_EQ(0, virtgpu_run(self->drm, 10));
	EXPECT_EQ(0, hooked("drm_release"));
	EXPECT_EQ(0, hooked("drm_release_noglobal"));
	EXPECT_EQ(0, probed());
}

TEST_HARNESS_MAIN
