// SPDX-License-Identifier: GPL-2.0
/*
 * Which way of opening an event makes sense: each event by each mode, and what that
 * answers. As root, in a machine that has the modules loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "perf.h"
#include "refgpu.h"
#include "tap.h"

static struct refgpu gpu;

/* when it happens: in a task, or found out by the flush; and can it be sampled? */
enum kind { COUNTED, SAMPLED_LATER, SAMPLED_HERE };

static const struct event {
	const char *name;
	enum kind kind;
	bool by_fd;		/* no task's own */
} events[] = {
	{ "gpu-busy", COUNTED, false },
	{ "queue-wait", COUNTED, false },
	{ "lost", COUNTED, false },
	{ "gpu-cycles", COUNTED, true },
	{ "mem-read-bytes", COUNTED, true },
	{ "jobs-done", SAMPLED_LATER, false },
	{ "reports", SAMPLED_LATER, true },
	{ "jobs", SAMPLED_HERE, false },
	{ "waits", SAMPLED_HERE, false },
	{ "wait-time", SAMPLED_HERE, false },
};

static void period(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
}

static void freq(struct perf_event_attr *attr)
{
	attr->freq = 1;
	attr->sample_freq = 100;
}

static void raw(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID;
}

static void precise(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->precise_ip = 1;
}

static void no_user(struct perf_event_attr *attr)
{
	attr->exclude_user = 1;
}

static void no_kernel(struct perf_event_attr *attr)
{
	attr->exclude_kernel = 1;
}

static void branches(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
}

static void callchain(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_CALLCHAIN;
}

static void user_regs(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = 1;
}

static void user_stack(struct perf_event_attr *attr)
{
	user_regs(attr);
	attr->sample_type |= PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = 1024;
}

static void any_regs(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_REGS_INTR;
	attr->sample_regs_intr = 1;
}

static void signal_at_once(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sigtrap = 1;
	attr->remove_on_exec = 1;
}

static void inherited(struct perf_event_attr *attr)
{
	attr->inherit = 1;
}

static void inherited_stat(struct perf_event_attr *attr)
{
	attr->inherit = 1;
	attr->inherit_stat = 1;
}

static void inherited_read(struct perf_event_attr *attr)
{
	attr->inherit = 1;
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_READ;
}

static void plain(struct perf_event_attr *attr)
{
	(void)attr;
}

#define NO	EOPNOTSUPP

/* what it answers, by the event's kind */
static const struct mode {
	const char *name;
	void (*set)(struct perf_event_attr *attr);
	int answer[3];
} modes[] = {
	{ "plain", plain,			{ 0, 0, 0 } },
	{ "exclude_kernel", no_kernel,		{ 0, 0, 0 } },
	{ "inherit", inherited,			{ 0, 0, 0 } },
	{ "exclude_user", no_user,		{ NO, NO, NO } },
	{ "inherit_stat", inherited_stat,	{ NO, NO, NO } },
	{ "period", period,			{ NO, 0, 0 } },
	{ "freq", freq,				{ NO, 0, 0 } },
	{ "raw", raw,				{ NO, 0, 0 } },
	{ "precise", precise,			{ NO, NO, NO } },
	{ "branch stack", branches,		{ NO, NO, NO } },
	{ "callchain", callchain,		{ NO, NO, 0 } },
	{ "user registers", user_regs,		{ NO, NO, 0 } },
	{ "user stack", user_stack,		{ NO, NO, 0 } },
	{ "registers", any_regs,		{ NO, NO, 0 } },
	{ "sigtrap", signal_at_once,		{ NO, NO, 0 } },
	/* perf itself */
	{ "inherit and SAMPLE_READ", inherited_read, { EINVAL, EINVAL, EINVAL } },
};

static int open_as(const struct event *event, const struct mode *mode, pid_t pid, int cpu,
		   unsigned long flags)
{
	struct perf_event_attr attr = {
		.type = gpu_pmu_type(),
		.size = sizeof(attr),
		.config = gpu_event_id(event->name),
		.config1 = event->by_fd && pid == 0 ? gpu.fd : 0,
	};
	int fd;

	mode->set(&attr);
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void each_event_by_each_mode(void)
{
	unsigned int e, m;
	int fd, expected;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	for (e = 0; e < sizeof(events) / sizeof(events[0]); e++) {
		for (m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
			fd = open_as(&events[e], &modes[m], 0, -1, 0);
			expected = modes[m].answer[events[e].kind];
			if (expected ? fd != -expected : fd < 0) {
				tap_failed++;
				printf("# %s, %s: %d, expected %d\n", events[e].name,
				       modes[m].name, fd, -expected);
			}
			if (fd >= 0)
				close(fd);
		}
	}
	printf("# %u cases\n", e * m);
	refgpu_close(&gpu);
}

static void move_to_cpu0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void move_to_cgroup(const char *procs)
{
	int fd = open(procs, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, "0", 1) == 1);
	close(fd);
}

#define CGROUP	"/tmp/cgroup"

/* a cgroup has what its tasks do themselves; the rest is not its own, and says so */
static void of_a_cgroup(void)
{
	static const struct mode mode = { "cgroup", plain, {} };
	int cgroup, fds[sizeof(events) / sizeof(events[0])];
	struct refgpu_batch batch = {};
	uint32_t ctx, sync;
	unsigned int e;
	uint64_t value;
	ssize_t bytes;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	mkdir(CGROUP, 0700);
	CHECK_EQ(mount("none", CGROUP, "cgroup", 0, "perf_event") ? errno : 0, 0);
	CHECK_EQ(mkdir(CGROUP "/a", 0700), 0);
	cgroup = open(CGROUP "/a", O_RDONLY | O_CLOEXEC);
	move_to_cpu0();
	for (e = 0; e < sizeof(events) / sizeof(events[0]); e++) {
		fds[e] = open_as(&events[e], &mode, cgroup, 0, PERF_FLAG_PID_CGROUP);
		CHECK_EQ(fds[e] < 0 ? -fds[e] : 0, 0);
	}
	move_to_cgroup(CGROUP "/a/cgroup.procs");
	sync = refgpu_sync(&gpu);
	refgpu_spin(&batch, 125000);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, sync), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10000000000LL), 0);

	for (e = 0; e < sizeof(events) / sizeof(events[0]); e++) {
		bytes = read(fds[e], &value, sizeof(value));
		if (events[e].kind == SAMPLED_HERE) {
			CHECK_EQ(bytes, sizeof(value));
			CHECK(value > 0);
		} else {
			/* perf could not add it: there is nothing to be read */
			CHECK_EQ(bytes == sizeof(value) ? value : 0, 0);
		}
		close(fds[e]);
	}
	move_to_cgroup(CGROUP "/cgroup.procs");
	close(cgroup);
	CHECK_EQ(rmdir(CGROUP "/a"), 0);
	CHECK_EQ(umount(CGROUP), 0);
	refgpu_close(&gpu);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(each_event_by_each_mode),
		TEST(of_a_cgroup),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
