// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is loaded and idle costs nothing: an ioctl and a submission take as
 * many instructions as without it. To be run under "tests/vm/run --icount", where
 * guest time is instructions; elsewhere it compares noise, and fails.
 */
#include "harness.h"

#include "perf.h"
#include "virtgpu.h"

#define LOOP	"build/clients/ioctl-loop"

struct cost {
	unsigned long ioctl;
	unsigned long submit;
};

static int cost_measure(struct cost *cost)
{
	char line[64];

	if (shell_line(line, sizeof(line), LOOP))
		return -1;
	return sscanf(line, "%lu %lu", &cost->ioctl, &cost->submit) == 2 ? 0 : -1;
}

FIXTURE(cost)
{
	struct cost absent;
	struct cost idle;
	struct cost live;
	struct cost again;
};

FIXTURE_SETUP(cost)
{
	ASSERT_EQ(0, console_calm());
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio gpu_pmu"));
}

FIXTURE_TEARDOWN(cost)
{
}

TEST_F_TIMEOUT(cost, idle_is_free, 240)
{
	int fd;

	ASSERT_EQ(0, cost_measure(&self->absent));
	ASSERT_EQ(0, shell("modprobe gpu_pmu"));
	ASSERT_EQ(0, cost_measure(&self->idle));
	fd = gpu_event_open(&(struct gpu_config){ .event = 1 }, -1, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_event_enable(fd));
	ASSERT_EQ(0, cost_measure(&self->live));
	close(fd);
	ASSERT_EQ(0, cost_measure(&self->again));

	TH_LOG("instructions of an ioctl, of a submission:");
	TH_LOG("  module absent      %7lu %7lu", self->absent.ioctl, self->absent.submit);
	TH_LOG("  loaded, no event   %7lu %7lu", self->idle.ioctl, self->idle.submit);
	TH_LOG("  one event, counting %6lu %7lu", self->live.ioctl, self->live.submit);
	TH_LOG("  event closed       %7lu %7lu", self->again.ioctl, self->again.submit);
	EXPECT_EQ(self->absent.ioctl, self->idle.ioctl);
	EXPECT_EQ(self->absent.submit, self->idle.submit);
	EXPECT_EQ(self->absent.ioctl, self->again.ioctl);
	EXPECT_EQ(self->absent.submit, self->again.submit);
	/* an ioctl that submits nothing is never touched; a submission is seen */
	EXPECT_EQ(self->absent.ioctl, self->live.ioctl);
	EXPECT_LT(self->absent.submit, self->live.submit);
}

TEST_HARNESS_MAIN
