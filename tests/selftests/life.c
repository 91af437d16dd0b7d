// SPDX-License-Identifier: GPL-2.0
/*
 * Devices, modules and CPUs come and go while events are open.
 */
#include <fcntl.h>

#include <linux/gpu_pmu.h>

#include "harness.h"

#include "client.h"
#include "perf.h"
#include "virtgpu.h"

#define DRIVER	"/sys/bus/virtio/drivers/virtio_gpu"

static const struct gpu_config busy = { .event = GPU_PMU_EVENT_GPU_BUSY };
static const struct gpu_config jobs = { .event = GPU_PMU_EVENT_JOBS };
static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };

static int module_refs(const char *name)
{
	char line[64];

	return shell_line(line, sizeof(line), "cat /sys/module/%s/refcnt", name) ?
	       -1 : atoi(line);
}

/* ---- modules ---- */

TEST(module_is_held_by_an_event)
{
	int fd = gpu_event_open(&jobs, 0, -1, -1);

	ASSERT_LE(0, fd);
	EXPECT_NE(0, shell("rmmod gpu_pmu_virtio 2>/dev/null"));
	EXPECT_NE(0, shell("rmmod gpu_pmu 2>/dev/null"));
	EXPECT_LT(0, module_refs("gpu_pmu_virtio"));
	close(fd);
	EXPECT_EQ(0, module_refs("gpu_pmu_virtio"));
	EXPECT_EQ(0, shell("rmmod gpu_pmu_virtio"));
	EXPECT_EQ(0, shell("rmmod gpu_pmu"));
	EXPECT_NE(0, access("/sys/bus/event_source/devices/gpu", F_OK));
	EXPECT_NE(0, access("/dev/gpu_pmu", F_OK));
	/* this one alone brings both */
	EXPECT_EQ(0, shell("modprobe gpu_pmu"));
	EXPECT_EQ(0, module_refs("gpu_pmu_virtio"));
}

TEST(no_source_no_event)
{
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio"));
	EXPECT_EQ(-ENODEV, gpu_event_open(&jobs, 0, -1, -1));
	EXPECT_EQ(-ENODEV, gpu_event_open(&busy, -1, 0, -1));
	ASSERT_EQ(0, shell("modprobe gpu_pmu_virtio"));
	EXPECT_LE(0, gpu_event_open(&jobs, 0, -1, -1));
}

/* noise of a kernel that does other things, too; a round that counts takes 300 */
#define LEAK_KB		1024

static long unreclaimable_kb(void)
{
	char line[64];

	/* what was freed after a grace period is freed */
	shell("sync; echo 3 >/proc/sys/vm/drop_caches; sleep 1");
	shell_line(line, sizeof(line),
		   "awk '/^SUnreclaim|^VmallocUsed|^Percpu/ { kb += $2 } END { print kb }'"
		   " /proc/meminfo");
	return atol(line);
}

/* the observer comes, an event counts in some rounds, the observer goes */
static int observer_round(int drm, bool count)
{
	int fd, err;

	if (shell("modprobe gpu_pmu_virtio"))
		return -1;
	if (!count)
		return shell("rmmod gpu_pmu_virtio");
	fd = gpu_event_open(&jobs, 0, -1, -1);
	if (fd < 0)
		return fd;
	gpu_event_enable(fd);
	err = virtgpu_run(drm, 2);
	if (!err && gpu_event_read(fd) != 2)
		err = -2;
	close(fd);
	return err ?: shell("rmmod gpu_pmu_virtio");
}

/* 200 rounds, while two other processes submit */
FIXTURE(load)
{
	struct client client[2];
};

FIXTURE_SETUP(load)
{
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, client_start(&self->client[i], "-n 100000 -u 5000"));
		ASSERT_EQ(0, client_go(&self->client[i]));
	}
}

FIXTURE_TEARDOWN(load)
{
	for (int i = 0; i < 2; i++) {
		kill(self->client[i].pid, SIGKILL);
		client_end(&self->client[i]);
	}
	shell("modprobe gpu_pmu_virtio");
}

TEST_F_TIMEOUT(load, two_hundred_rounds, 1200)
{
	long before, after;
	int drm, i;

	drm = virtgpu_open();
	ASSERT_LE(0, drm);
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio"));
	for (i = 0; i < 12; i++)
		ASSERT_EQ(0, observer_round(drm, !(i % 4)));
	before = unreclaimable_kb();
	for (i = 0; i < (int)slow_rounds(200); i++)
		ASSERT_EQ(0, observer_round(drm, !(i % 4))) TH_LOG("round %d", i);
	after = unreclaimable_kb();
	TH_LOG("unreclaimable memory: %ld KiB before, %ld KiB after", before, after);
	/* KASAN keeps what is freed for a while, and on its kernel kmemleak looks for leaks */
	EXPECT_LT(after - before, LEAK_KB * (long)slowdown());
}

/* ---- the device ---- */

static int device_name(char *name, size_t size)
{
	return shell_line(name, size, "cd " DRIVER " && ls -d virtio*");
}

/* counts freeze, new events are refused, and after the rebind all is as before */
FIXTURE(device)
{
	char name[32];
	int drm;
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, device_name(self->name, sizeof(self->name)));
	ASSERT_EQ(0, strncmp(self->name, "virtio", 6));
	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
}

FIXTURE_TEARDOWN(device)
{
}

TEST_F_TIMEOUT(device, unbound_and_bound_again, 120)
{
	struct gpu_config of_fd = jobs, of_dev = jobs;
	int task, cpu, view, again, drm, i;
	uint64_t frozen[3];

	of_fd.fd = self->drm;
	of_dev.event = GPU_PMU_EVENT_JOBS_DONE;
	of_dev.dev = 128;
	task = gpu_event_open(&jobs, 0, -1, -1);
	cpu = gpu_event_open(&of_dev, -1, 0, -1);
	view = gpu_event_open(&of_fd, 0, -1, -1);
	ASSERT_LE(0, task);
	ASSERT_LE(0, cpu);
	ASSERT_LE(0, view);
	ASSERT_EQ(0, gpu_event_enable(task));
	ASSERT_EQ(0, gpu_event_enable(cpu));
	ASSERT_EQ(0, gpu_event_enable(view));
	ASSERT_EQ(0, virtgpu_run(self->drm, 5));

	ASSERT_EQ(0, shell("echo %s >" DRIVER "/unbind", self->name));
	frozen[0] = gpu_event_read(task);
	frozen[1] = gpu_event_read(cpu);
	frozen[2] = gpu_event_read(view);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(5, frozen[i]);
	EXPECT_EQ(-ENODEV, gpu_event_open(&jobs, 0, -1, -1));
	EXPECT_EQ(-ENODEV, gpu_event_open(&of_fd, 0, -1, -1));
	EXPECT_EQ(-ENODEV, virtgpu_contexts(self->drm, NULL, 0));
	EXPECT_GT(0, virtgpu_run(self->drm, 1));

	close(self->drm);
	ASSERT_EQ(0, shell("echo %s >" DRIVER "/bind", self->name));
	drm = virtgpu_open();
	ASSERT_LE(0, drm);
	again = gpu_event_open(&of_dev, -1, 0, -1);
	ASSERT_LE(0, again);
	ASSERT_EQ(0, gpu_event_enable(again));
	ASSERT_EQ(0, virtgpu_run(drm, 4));
	/* a task event is for all devices, the new one too; the others are not */
	EXPECT_EQ(9, gpu_event_read(task));
	ASSERT_EQ(0, gpu_event_disable(again));
	EXPECT_EQ(4, gpu_event_read(again));
	EXPECT_EQ(frozen[1], gpu_event_read(cpu));
	EXPECT_EQ(frozen[2], gpu_event_read(view));
}

/* the driver itself is not held by us */
TEST_F_TIMEOUT(device, driver_removed_under_an_event, 120)
{
	int cpu = gpu_event_open(&done, -1, 0, -1);

	ASSERT_LE(0, cpu);
	ASSERT_EQ(0, gpu_event_enable(cpu));
	ASSERT_EQ(0, virtgpu_run(self->drm, 3));
	close(self->drm);
	ASSERT_EQ(0, shell("modprobe -r virtio_gpu"));
	ASSERT_EQ(0, gpu_event_disable(cpu));
	EXPECT_EQ(3, gpu_event_read(cpu));
	ASSERT_EQ(0, shell("modprobe virtio_gpu"));
	ASSERT_EQ(0, gpu_event_enable(cpu));
	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
	ASSERT_EQ(0, virtgpu_run(self->drm, 2));
	ASSERT_EQ(0, gpu_event_disable(cpu));
	EXPECT_EQ(5, gpu_event_read(cpu));
}

/* ---- CPUs ---- */

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

/* the CPU that was credited goes away, and comes back; nothing is counted twice */
FIXTURE(hotplug)
{
	struct perf_stat stat;
};

FIXTURE_SETUP(hotplug)
{
}

FIXTURE_TEARDOWN(hotplug)
{
	shell("echo 1 >" CPU1);
}

TEST_F_TIMEOUT(hotplug, while_perf_counts, 120)
{
	ASSERT_EQ(0, perf_stat_run(&self->stat,
		"-a -e gpu/jobs-done/,gpu/gpu-busy/,gpu/lost/ sh -c '"
		"build/clients/gpu-client -n 10; echo 0 >" CPU1 "; "
		"build/clients/gpu-client -n 10; echo 1 >" CPU1 "; "
		"build/clients/gpu-client -n 10'"));
	EXPECT_EQ(30, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	EXPECT_EQ(0, perf_stat_sum(&self->stat, "gpu/lost/"));
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/* an event of the CPU that goes is not live any more: the other one takes over */
TEST_F_TIMEOUT(hotplug, the_credited_cpu, 120)
{
	int drm = virtgpu_open(), one, zero;

	ASSERT_LE(0, drm);
	one = gpu_event_open(&done, -1, 1, -1);
	zero = gpu_event_open(&done, -1, 0, -1);
	ASSERT_LE(0, one);
	ASSERT_LE(0, zero);
	ASSERT_EQ(0, gpu_event_enable(one));
	ASSERT_EQ(0, gpu_event_enable(zero));
	ASSERT_EQ(0, virtgpu_run(drm, 3));
	ASSERT_EQ(0, shell("echo 0 >" CPU1));
	ASSERT_EQ(0, virtgpu_run(drm, 4));
	ASSERT_EQ(0, gpu_event_disable(zero));
	EXPECT_EQ(3, gpu_event_read(one));
	EXPECT_EQ(4, gpu_event_read(zero));
}

TEST_HARNESS_MAIN
