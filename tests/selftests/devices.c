// SPDX-License-Identifier: GPL-2.0
/*
 * Two GPUs: "tests/vm/run --gpus 2". An event is for one of them, or for both.
 */
#include <fcntl.h>

#include <linux/gpu_pmu.h>

#include "harness.h"

#include "perf.h"
#include "virtgpu.h"

#define FIRST	128
#define SECOND	129

static int open_on(unsigned int event, unsigned int dev, unsigned int fd, int cpu)
{
	struct gpu_config config = { .event = event, .dev = dev, .fd = fd };

	return gpu_event_open(&config, cpu < 0 ? 0 : -1, cpu, -1);
}

TEST(jobs_of_one_are_not_the_others)
{
	int drm = virtgpu_open(), i;
	int task[3], cpu[3];
	static const unsigned int dev[] = { 0, FIRST, SECOND };
	static const unsigned int jobs[] = { 8, 8, 0 };

	ASSERT_LE(0, drm);
	for (i = 0; i < 3; i++) {
		task[i] = open_on(GPU_PMU_EVENT_JOBS, dev[i], 0, -1);
		cpu[i] = open_on(GPU_PMU_EVENT_JOBS_DONE, dev[i], 0, 0);
		ASSERT_LE(0, task[i]);
		ASSERT_LE(0, cpu[i]);
		ASSERT_EQ(0, gpu_event_enable(task[i]));
		ASSERT_EQ(0, gpu_event_enable(cpu[i]));
	}
	ASSERT_EQ(0, virtgpu_run(drm, 8));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gpu_event_disable(cpu[i]));
		EXPECT_EQ(jobs[i], gpu_event_read(task[i]));
		EXPECT_EQ(jobs[i], gpu_event_read(cpu[i]));
	}
}

TEST(names_must_say_which)
{
	int drm = virtgpu_open();
	int second = open("/dev/dri/renderD129", O_RDWR);

	ASSERT_LE(0, drm);
	ASSERT_LE(0, second);
	EXPECT_EQ(-EXDEV, open_on(GPU_PMU_EVENT_JOBS, SECOND, drm, -1));
	EXPECT_EQ(-EXDEV, open_on(GPU_PMU_EVENT_JOBS, FIRST, second, -1));
	EXPECT_LE(0, open_on(GPU_PMU_EVENT_JOBS, SECOND, second, -1));
	EXPECT_EQ(-ENODEV, open_on(GPU_PMU_EVENT_JOBS, SECOND + 1, 0, -1));
	/* whose kernel? */
	EXPECT_EQ(-ENOTUNIQ, open_on(GPU_PMU_EVENT_GPU_BUSY, 0, GPU_PMU_FD_KERNEL, 0));
	EXPECT_LE(0, open_on(GPU_PMU_EVENT_GPU_BUSY, FIRST, GPU_PMU_FD_KERNEL, 0));
	EXPECT_LE(0, open_on(GPU_PMU_EVENT_GPU_BUSY, SECOND, GPU_PMU_FD_KERNEL, 0));
}

/* a client without 3D has no context: it is named by its fd alone */
TEST(client_without_context)
{
	struct gpu_pmu_context_info info = {};
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	int fd = open("/dev/dri/renderD129", O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, virtgpu_contexts(fd, &info, 1));
	EXPECT_EQ(0, info.ctx);
	EXPECT_EQ(SECOND, info.dev);
	config.fd = fd;
	EXPECT_LE(0, gpu_event_open(&config, 0, -1, -1));
	config.ctx = 1;
	EXPECT_EQ(-ENOENT, gpu_event_open(&config, 0, -1, -1));
}

TEST_HARNESS_MAIN
