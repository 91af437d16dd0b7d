// SPDX-License-Identifier: GPL-2.0
/*
 * What can be exhausted, and who pays for it: bounds of settings and of answers, and the
 * cgroup that memory is charged to. Numbers of events are in credentials.c, of readers in
 * query.c.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "harness.h"

#include "perf.h"
#include "virtgpu.h"

#define RENDER_MINOR	128

/* ---- the administrator's settings ---- */

#define SETTINGS	"/sys/module/gpu_pmu/parameters/"

static int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int setting_write(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), SETTINGS "%s", name);
	return file_write(path, value);
}

TEST(flush_us_has_bounds)
{
	static const struct {
		const char *value;
		int err;
	} tries[] = {
		{ "0", -EINVAL }, { "99", -EINVAL }, { "100", 0 }, { "10000000", 0 },
		{ "10000001", -EINVAL }, { "4294967396", -ERANGE }, { "-1", -EINVAL },
		{ "5000", 0 },
	};
	char is[16], was[16] = "5000";

	for (unsigned int i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		EXPECT_EQ(tries[i].err, setting_write("flush_us", tries[i].value)) {
			TH_LOG("flush_us=%s", tries[i].value);
		}
		if (!tries[i].err)
			snprintf(was, sizeof(was), "%s", tries[i].value);
		ASSERT_EQ(0, shell_line(is, sizeof(is), "cat " SETTINGS "flush_us"));
		EXPECT_STREQ(was, is);
	}
}

TEST(settings_are_roots)
{
	static const char * const names[] = {
		"flush_us", "max_user_events", "fifo_samples", "max_jobs", "ring_size",
	};

	ASSERT_EQ(0, become_user());
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		EXPECT_EQ(-EACCES, setting_write(names[i], "1000")) {
			TH_LOG("%s", names[i]);
		}
	}
}

/* ---- who pays for memory ---- */

#define CGROUPS		"/sys/fs/cgroup/"
#define CGROUP		CGROUPS "credentials"

static bool memory_is_counted(void)
{
	return !shell("grep -qw memory " CGROUPS "cgroup.controllers");
}

/* 0: this process is in a cgroup of its own that counts memory */
static int memory_enter(void)
{
	int err = file_write(CGROUPS "cgroup.subtree_control", "+memory");

	if (err)
		return err;
	if (mkdir(CGROUP, 0755))
		return -errno;
	return file_write(CGROUP "/cgroup.procs", "0");
}

/* others' tests have cgroups without this controller */
static int memory_leave(void)
{
	int err = file_write(CGROUPS "cgroup.procs", "0");

	if (!err && rmdir(CGROUP))
		err = -errno;
	return err ?: file_write(CGROUPS "cgroup.subtree_control", "-memory");
}

/* bytes, in "NAME BYTES" of a file; or all that it has; -1: none. No fork, which costs memory */
static long memory_number(const char *file, const char *name)
{
	char path[128], text[4096], *at = text;
	int fd;
	ssize_t nr;

	snprintf(path, sizeof(path), CGROUP "/%s", file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	nr = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[nr < 0 ? 0 : nr] = 0;
	if (name) {
		snprintf(path, sizeof(path), "\n%s ", name);
		at = strstr(text, path);
		if (!at)
			return -1;
		at += strlen(path);
	}
	return atol(at);
}

/* the kernel adds it up each two seconds; the last number that was seen */
static long memory_wait(long from, long to)
{
	long is = -1;

	for (unsigned int ms = 0; ms < 10000 * slowdown(); ms += 10) {
		is = memory_number("memory.stat", "kernel");
		if (is >= from && is <= to)
			break;
		usleep(10000);
	}
	return is;
}

static int open_sampled(int drm)
{
	const struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS_DONE, .fd = drm };
	struct perf_event_attr attr;

	gpu_event_attr(&attr, &config);
	attr.sample_period = 1;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

#define SAMPLED		32
#define FIFOS_BYTES	(SAMPLED * 256 * (long)sizeof(struct gpu_pmu_sample))

TEST(who_samples_pays)
{
	int fds[SAMPLED], drm = virtgpu_open(), i;
	long before, during, after;

	if (!memory_is_counted())
		SKIP(return, "this kernel has no controller of memory");
	ASSERT_EQ(0, memory_enter());
	ASSERT_LE(0, drm);
	/* what is made with the first one is there then */
	ASSERT_LE(0, open_sampled(drm));
	before = memory_number("memory.stat", "kernel");
	for (i = 0; i < SAMPLED; i++)
		fds[i] = open_sampled(drm);
	during = memory_wait(before + FIFOS_BYTES, LONG_MAX);
	for (i = 0; i < SAMPLED; i++) {
		EXPECT_LE(0, fds[i]);
		close(fds[i]);
	}
	after = memory_wait(0, before + FIFOS_BYTES / 4);
	TH_LOG("%ld bytes before, %ld, and %ld after", before, during, after);
	EXPECT_LE(0, before);
	EXPECT_LE(before + FIFOS_BYTES, during);
	EXPECT_GE(before + FIFOS_BYTES / 4, after);
	EXPECT_EQ(0, memory_leave());
}

/*
 * A caller may say that it has room for more than there can be: it is served, with as much
 * memory as the most that an answer may have, at its own cost.
 */
static int ask_for_all(unsigned long request)
{
	static const __u64 event = GPU_PMU_EVENT_JOBS;
	static char room[1 << 20];
	struct gpu_pmu_contexts contexts = { .fd = -1, .nr = ~0U, .infos = (uintptr_t)room };
	struct gpu_pmu_infos infos = { .nr = ~0U, .infos = (uintptr_t)room };
	struct gpu_pmu_usages usages = {
		.fd = -1, .nr = ~0U, .usages = (uintptr_t)room,
		.nr_events = 1, .events = (uintptr_t)&event,
	};
	int query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC), err;
	void *arg = &infos;

	if (request == GPU_PMU_IOCTL_CONTEXTS || request == GPU_PMU_IOCTL_FENCES)
		arg = &contexts;
	if (request == GPU_PMU_IOCTL_USAGES)
		arg = &usages;
	if (request == GPU_PMU_IOCTL_ENGINES)
		infos.dev = RENDER_MINOR;
	memset(room, 0, sizeof(room));
	err = ioctl(query, request, arg) ? -errno : 0;
	close(query);
	return err;
}

/* of what is charged in advance, for each CPU, and of what else there is */
#define MEMORY_SLACK	(3L << 18)

FIXTURE(room) { };

FIXTURE_VARIANT(room)
{
	unsigned long request;
	long bytes;	/* at most */
};

#define ROOM(_name, _bytes)				\
	FIXTURE_VARIANT_ADD(room, _name)		\
	{						\
		.request = GPU_PMU_IOCTL_ ## _name,	\
		.bytes = _bytes,			\
	}

ROOM(CONTEXTS, 65536 * sizeof(struct gpu_pmu_context_info));
ROOM(FENCES, 65536 * sizeof(struct gpu_pmu_fence_info));
ROOM(USAGES, 0);	/* for those that there are */
ROOM(DEVICES, 1024 * sizeof(struct gpu_pmu_device_info));
ROOM(ENGINES, 1024 * sizeof(struct gpu_pmu_engine_info));
ROOM(EVENTS, 1024 * sizeof(struct gpu_pmu_event_info));

FIXTURE_SETUP(room)
{
}

FIXTURE_TEARDOWN(room)
{
}

TEST_F(room, is_bounded)
{
	long before, peak;

	if (!memory_is_counted())
		SKIP(return, "this kernel has no controller of memory");
	/* what it takes for the first time is not of interest */
	ASSERT_EQ(0, ask_for_all(variant->request));
	ASSERT_EQ(0, memory_enter());
	before = memory_number("memory.peak", NULL);
	EXPECT_EQ(0, ask_for_all(variant->request));
	peak = memory_number("memory.peak", NULL);
	EXPECT_EQ(0, memory_leave());
	TH_LOG("%ld bytes more, expected: %ld", peak - before, variant->bytes);
	EXPECT_LT(0, before);
	EXPECT_LE(variant->bytes - MEMORY_SLACK, peak - before);
	EXPECT_GE(variant->bytes + MEMORY_SLACK, peak - before);
}

TEST_HARNESS_MAIN
