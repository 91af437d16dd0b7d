// SPDX-License-Identifier: GPL-2.0
/*
 * Which way of opening an event makes sense: each event by each mode and scope, and what
 * that answers. As root, in a machine that has the modules loaded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "perf.h"
#include "refgpu.h"
#include "tap.h"

static struct refgpu gpu;

#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#define EVENTS		"/sys/bus/event_source/devices/gpu/events"
#define EVENTS_MAX	64
#define CGROUP		"/tmp/cgroup"

/* when it happens: in a task, or found out by the flush; and can it be sampled? */
enum kind { COUNTED, SAMPLED_LATER, SAMPLED_HERE };

static struct event {
	char name[NAME_MAX + 1];
	unsigned int id;
} events[EVENTS_MAX];

static unsigned int nr_events;

static enum kind kind_of(unsigned int id)
{
	switch (id) {
	case GPU_PMU_EVENT_JOBS:
	case GPU_PMU_EVENT_WAITS:
	case GPU_PMU_EVENT_WAIT_TIME:
		return SAMPLED_HERE;
	case GPU_PMU_EVENT_JOBS_DONE:
	case GPU_PMU_EVENT_REPORTS:
		return SAMPLED_LATER;
	default:
		return COUNTED;
	}
}

/* the counter unit tells contexts apart, and not who has submitted to one */
static bool is_of_context(unsigned int id)
{
	return id >= GPU_PMU_EVENT_NATIVE || id == GPU_PMU_EVENT_REPORTS;
}

/* all that there are: files that are named NAME.unit are none */
static void events_list(void)
{
	static const char * const some[] = { "jobs", "ctx-busy", "reports", "l3-misses" };
	DIR *folder = opendir(EVENTS);
	struct dirent *entry;
	unsigned int i, k;

	nr_events = 0;
	CHECK(folder);
	while (folder && (entry = readdir(folder)) && nr_events < EVENTS_MAX) {
		struct event *event = &events[nr_events];

		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(event->name, sizeof(event->name), "%s", entry->d_name);
		event->id = gpu_event_id(event->name);
		CHECK(event->id > 0);
		nr_events++;
	}
	if (folder)
		closedir(folder);
	for (i = 0; i < NR(some); i++) {
		for (k = 0; k < nr_events && strcmp(events[k].name, some[i]); k++)
			;
		CHECK(k < nr_events);
	}
	CHECK(nr_events < EVENTS_MAX);
}

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

/* whose work it looks at, and what that answers: to events of a context, and to others */
static const struct scope {
	const char *name;
	enum { TASK, CPU, OF_CGROUP } of;
	bool file;
	int of_context;
	int other;
} scopes[] = {
	/* which of a context's work was the task's the hardware does not know */
	{ "task", TASK, false, NO, 0 },
	{ "task and file", TASK, true, 0, 0 },
	{ "CPU", CPU, false, 0, 0 },
	{ "CPU and file", CPU, true, 0, 0 },
	/* perf tells only when it adds the event that it is a cgroup's: see of_a_cgroup() */
	{ "cgroup", OF_CGROUP, false, 0, 0 },
	{ "cgroup and file", OF_CGROUP, true, 0, 0 },
};

static int cgroup;

static int open_as(const struct event *event, const struct mode *mode, const struct scope *scope)
{
	struct perf_event_attr attr = {
		.type = gpu_pmu_type(),
		.size = sizeof(attr),
		.config = event->id,
		.config1 = scope->file ? gpu.fd : 0,
	};
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	pid_t pid = scope->of == TASK ? 0 : -1;
	int fd;

	if (scope->of == OF_CGROUP) {
		pid = cgroup;
		flags |= PERF_FLAG_PID_CGROUP;
	}
	mode->set(&attr);
	fd = syscall(SYS_perf_event_open, &attr, pid, scope->of == TASK ? -1 : 0, -1, flags);
	return fd < 0 ? -errno : fd;
}

/* the mode first: perf itself, and what needs nothing but attr, is looked at before the scope */
static int expected(const struct event *event, const struct mode *mode, const struct scope *scope)
{
	int answer = mode->answer[kind_of(event->id)];

	/* perf itself: there is no task to have the signal */
	if (mode->set == signal_at_once && scope->of != TASK)
		return EINVAL;
	if (!answer)
		answer = is_of_context(event->id) ? scope->of_context : scope->other;
	return answer;
}

static bool check_case(const struct event *event, const struct mode *mode,
		       const struct scope *scope)
{
	int fd = open_as(event, mode, scope), answer = expected(event, mode, scope);

	if (answer ? fd != -answer : fd < 0) {
		tap_failed++;
		printf("# %s, %s, %s: %d, expected %d\n", event->name, mode->name, scope->name, fd,
		       -answer);
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void cgroup_make(void)
{
	mkdir(CGROUP, 0700);
	CHECK_EQ(mount("none", CGROUP, "cgroup", 0, "perf_event") ? errno : 0, 0);
	CHECK_EQ(mkdir(CGROUP "/a", 0700), 0);
	cgroup = open(CGROUP "/a", O_RDONLY | O_CLOEXEC);
	CHECK(cgroup >= 0);
}

static void cgroup_remove(void)
{
	close(cgroup);
	CHECK_EQ(rmdir(CGROUP "/a"), 0);
	CHECK_EQ(umount(CGROUP), 0);
}

static void move_to_cgroup(const char *procs)
{
	int fd = open(procs, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, "0", 1) == 1);
	close(fd);
}

static void each_event_by_each_mode(void)
{
	static const struct gpu_config held[] = {
		{ .event = GPU_PMU_EVENT_WAITS }, { .event = GPU_PMU_EVENT_REPORTS },
	};
	unsigned int e, m, c, opened = 0;
	int fds[NR(held)];

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	cgroup_make();
	events_list();
	/* probes and counter units stay: else each case would begin and end them */
	for (e = 0; e < NR(held); e++) {
		fds[e] = gpu_event_open(&held[e], -1, 0, -1);
		CHECK(fds[e] >= 0);
	}
	for (e = 0; e < nr_events; e++)
		for (m = 0; m < NR(modes); m++)
			for (c = 0; c < NR(scopes); c++)
				opened += check_case(&events[e], &modes[m], &scopes[c]);
	printf("# %zu cases, %u of them good\n", nr_events * NR(modes) * NR(scopes), opened);
	for (e = 0; e < NR(held); e++)
		close(fds[e]);
	cgroup_remove();
	refgpu_close(&gpu);
}

static void move_to_cpu0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

static uint32_t ctx, sync_out;

#define JOB_CYCLES	500000	/* 40 ms: for a wait not to come too late */

/* and wait for each of them, or for none */
static void run_jobs(unsigned int nr, bool wait)
{
	struct refgpu_batch batch = {};

	while (nr--) {
		refgpu_spin(&batch, JOB_CYCLES);
		CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, sync_out), 0);
		if (wait)
			CHECK_EQ(refgpu_sync_wait(&gpu, sync_out, 60000000000LL), 0);
	}
}

static void child_jobs(unsigned int nr)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		tap_failed = 0;
		run_jobs(nr, false);
		_exit(tap_failed != 0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

/* what this task waits by itself, as perf counts it without any cgroup */
struct own {
	int waits;
	int time;
};

static struct own own_open(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	static const struct gpu_config time = { .event = GPU_PMU_EVENT_WAIT_TIME };
	struct own own = {
		gpu_event_open(&waits, 0, -1, -1), gpu_event_open(&time, 0, -1, -1),
	};

	CHECK(own.waits >= 0 && own.time >= 0);
	CHECK_EQ(gpu_event_enable(own.waits), 0);
	CHECK_EQ(gpu_event_enable(own.time), 0);
	return own;
}

#define CGROUP_JOBS	5
#define CHILD_JOBS	4

/* of work before, in and after the cgroup: by events' ids, what was in it */
static void cgroup_work(uint64_t *counts)
{
	struct own own = own_open();
	uint64_t waits, time;

	run_jobs(2, true);
	waits = gpu_event_read(own.waits);
	time = gpu_event_read(own.time);
	move_to_cgroup(CGROUP "/a/cgroup.procs");
	run_jobs(CGROUP_JOBS, true);
	child_jobs(CHILD_JOBS);
	move_to_cgroup(CGROUP "/cgroup.procs");
	counts[GPU_PMU_EVENT_JOBS] = CGROUP_JOBS + CHILD_JOBS;
	counts[GPU_PMU_EVENT_WAITS] = gpu_event_read(own.waits) - waits;
	counts[GPU_PMU_EVENT_WAIT_TIME] = gpu_event_read(own.time) - time;
	run_jobs(3, true);
	close(own.time);
	close(own.waits);
}

/* a cgroup has what its tasks do themselves; the rest is not its own, and says so */
static void of_a_cgroup(void)
{
	static const struct mode mode = { "cgroup", plain, {} };
	static const struct scope scope = { "cgroup", OF_CGROUP, false, 0, 0 };
	uint64_t counts[GPU_PMU_EVENT_NATIVE] = {}, value;
	int fds[EVENTS_MAX];
	unsigned int e;
	ssize_t bytes;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	sync_out = refgpu_sync(&gpu);
	cgroup_make();
	events_list();
	move_to_cpu0();
	for (e = 0; e < nr_events; e++) {
		fds[e] = open_as(&events[e], &mode, &scope);
		CHECK(fds[e] >= 0);
	}
	cgroup_work(counts);
	CHECK(counts[GPU_PMU_EVENT_WAITS] > 0);

	for (e = 0; e < nr_events; e++) {
		bytes = read(fds[e], &value, sizeof(value));
		if (kind_of(events[e].id) == SAMPLED_HERE) {
			CHECK_EQ(bytes, sizeof(value));
			CHECK_EQ(value, counts[events[e].id]);
		} else {
			/* perf could not add it: there is nothing to be read */
			CHECK_EQ(bytes == sizeof(value) ? value : 0, 0);
		}
		close(fds[e]);
	}
	cgroup_remove();
	refgpu_close(&gpu);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(each_event_by_each_mode),
		TEST(of_a_cgroup),
	};

	return tap_main(tests, NR(tests));
}
