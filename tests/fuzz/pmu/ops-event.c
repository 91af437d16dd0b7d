// SPDX-License-Identifier: GPL-2.0
/* Operations on events: opening them in all ways, and all that perf lets one do then. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "fuzz.h"
#include "ops.h"

/* the module may come again, with another number: it is asked for now and then */
static unsigned int pmu_type(struct rnd *r)
{
	static atomic_uint known;
	unsigned int type = 0;
	FILE *file;

	if (known && !rnd_one_in(r, 32))
		return known;
	file = fopen("/sys/bus/event_source/devices/gpu/type", "re");
	if (!file)
		return known;
	if (fscanf(file, "%u", &type) == 1)
		known = type;
	fclose(file);
	return known;
}

/*
 * What is refused tells less than what is not: of what a call takes, either all makes
 * sense, or it is wild, and then any of it may make none.
 */
static bool odd(struct rnd *r, bool wild, unsigned int n)
{
	return wild && rnd_one_in(r, n);
}

static uint64_t any_event(struct rnd *r, bool wild)
{
	if (odd(r, wild, 8))
		return rnd_below(r, 1 << 16);
	switch (rnd_below(r, 16)) {
	case 0:
	case 1:
	case 2:
		return GPU_PMU_EVENT_NATIVE + rnd_below(r, 5);
	default:
		return 1 + rnd_below(r, GPU_PMU_EVENT_REPORTS);
	}
}

/* render minors, of which some are there */
static uint64_t any_dev(struct rnd *r, bool wild)
{
	if (odd(r, wild, 8))
		return rnd_below(r, 1 << 16);
	/* devices that come again may have other numbers */
	return rnd_one_in(r, 6) ? 128 + rnd_below(r, rnd_one_in(r, 3) ? 8 : 2) : 0;
}

static uint32_t any_config_fd(struct fuzzer *f, struct rnd *r, bool wild)
{
	struct slots *slots = &f->worker->slots;
	enum slot_kind kind;
	int fd;

	if (odd(r, wild, 8))
		return slot_any_kind(slots, r, &kind);
	if (odd(r, wild, 8))
		return rnd_one_in(r, 2) ? rnd_below(r, 256) : rnd_any(r);
	if (rnd_one_in(r, f->worker->root ? 8 : 40))
		return GPU_PMU_FD_KERNEL;
	if (rnd_one_in(r, 2))
		return 0;
	fd = slot_any_drm(slots, r);
	return fd < 0 ? 0 : fd;
}

static void attr_config(struct fuzzer *f, struct rnd *r, struct perf_event_attr *attr, bool wild)
{
	uint64_t event = any_event(r, wild);
	int refgpu = slot_any(&f->worker->slots, SLOT_REFGPU, r);

	attr->type = pmu_type(r);
	attr->config1 = any_config_fd(f, r, wild);
	/* a task has none of these without a fd, nor has any other driver */
	if (event >= GPU_PMU_EVENT_REPORTS && refgpu >= 0 && !rnd_one_in(r, 4))
		attr->config1 = refgpu;
	attr->config = event << GPU_PMU_CONFIG_EVENT_SHIFT;
	/* a fd is a device's already */
	if (!attr->config1 || wild)
		attr->config |= any_dev(r, wild) << GPU_PMU_CONFIG_DEV_SHIFT;
	if (rnd_one_in(r, 5))
		attr->config |= rnd_of(r, 1UL, 2UL, 1UL) << GPU_PMU_CONFIG_ENGINE_SHIFT;
	if (odd(r, wild, 8))
		attr->config |= rnd_of(r, 3UL, 255UL) << GPU_PMU_CONFIG_ENGINE_SHIFT;
	if (odd(r, wild, 10))
		attr->config |= 1UL << rnd_below(r, 64);
	if (odd(r, wild, 10))
		attr->config1 |= 1UL << rnd_below(r, 64);
	if (attr->config1 && rnd_one_in(r, 3))
		attr->config2 = odd(r, wild, 4) ? rnd_any(r) : 1 + rnd_below(r, 2);
	if (odd(r, wild, 15))
		attr->config2 = rnd_any(r);
}

static void attr_sampling(struct rnd *r, struct perf_event_attr *attr, bool wild)
{
	static const uint64_t stacks = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR;
	static const uint64_t plain = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
				      PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |
				      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER |
				      PERF_SAMPLE_TRANSACTION;

	bool later;

	/* others are refused */
	if (!odd(r, wild, 2))
		attr->config = (attr->config & ~GPU_PMU_CONFIG_EVENT_MASK) |
			       rnd_of(r, GPU_PMU_EVENT_JOBS, GPU_PMU_EVENT_JOBS_DONE,
				      GPU_PMU_EVENT_WAITS, GPU_PMU_EVENT_WAIT_TIME,
				      GPU_PMU_EVENT_REPORTS);
	later = (attr->config & GPU_PMU_CONFIG_EVENT_MASK) == GPU_PMU_EVENT_JOBS_DONE ||
		(attr->config & GPU_PMU_CONFIG_EVENT_MASK) == GPU_PMU_EVENT_REPORTS;
	attr->sample_period = rnd_of(r, 1UL, 1UL, 1UL, 2UL, 1000UL, 1000000UL, ~0UL >> 1);
	attr->sample_type = PERF_SAMPLE_RAW | (rnd_next(r) & plain);
	if (odd(r, wild, 4))
		attr->sample_type |= rnd_next(r) & (PERF_SAMPLE_MAX - 1);
	/* they are refused with what is sampled later */
	if (later ? odd(r, wild, 4) : rnd_one_in(r, 2))
		attr->sample_type |= rnd_next(r) & stacks;
	if (odd(r, wild, 4))
		attr->sample_type |= PERF_SAMPLE_READ;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = odd(r, wild, 6) ? 3 : rnd_of(r, 8, 512, 8192, 65528, 512);
	if (attr->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR)) {
		attr->sample_regs_user = odd(r, wild, 6) ? 1UL << 40 :
					 rnd_of(r, 1UL, 0xff0fffUL, 0xff0fffUL);
		attr->sample_regs_intr = attr->sample_regs_user;
	}
	attr->freq = rnd_one_in(r, 6);
	if (attr->freq)
		attr->sample_freq = odd(r, wild, 4) ? 1000000UL : rnd_of(r, 1UL, 100UL, 4000UL);
	attr->sample_id_all = rnd_one_in(r, 2);
	attr->watermark = rnd_one_in(r, 4);
	attr->wakeup_events = rnd_below(r, 4);
	attr->sample_max_stack = rnd_one_in(r, 4) ? rnd_below(r, odd(r, wild, 4) ? 200 : 120) : 0;
	attr->aux_sample_size = odd(r, wild, 10) ? rnd_any(r) : 0;
	attr->sigtrap = rnd_one_in(r, 16);
	attr->write_backward = rnd_one_in(r, 8);
}

static void attr_any(struct fuzzer *f, struct rnd *r, struct perf_event_attr *attr)
{
	bool wild = rnd_one_in(r, 4);

	*attr = (struct perf_event_attr) {};
	attr_config(f, r, attr, wild);
	if (rnd_one_in(r, 3))
		attr_sampling(r, attr, wild);
	attr->size = odd(r, wild, 5) ? rnd_below(r, 256) : sizeof(*attr);
	attr->read_format = rnd_next(r) & (PERF_FORMAT_TOTAL_TIME_ENABLED |
					   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID);
	if (odd(r, wild, 3))
		attr->read_format = rnd_next(r) & (PERF_FORMAT_MAX - 1);
	attr->disabled = rnd_one_in(r, 2);
	attr->inherit = rnd_one_in(r, 3);
	attr->inherit_thread = attr->inherit && rnd_one_in(r, 4);
	attr->pinned = rnd_one_in(r, 12);
	attr->exclusive = rnd_one_in(r, 20);
	attr->exclude_kernel = odd(r, wild, 4) ? rnd_one_in(r, 2) :
			       !f->worker->root || rnd_one_in(r, 2);
	attr->exclude_hv = rnd_one_in(r, 2);
	attr->exclude_idle = rnd_one_in(r, 8);
	attr->exclude_user = odd(r, wild, 10);
	attr->mmap = rnd_one_in(r, 6);
	attr->mmap2 = attr->mmap && rnd_one_in(r, 2);
	attr->comm = rnd_one_in(r, 6);
	attr->task = rnd_one_in(r, 6);
	attr->context_switch = rnd_one_in(r, 8);
	attr->namespaces = rnd_one_in(r, 16);
	attr->inherit_stat = odd(r, wild, 8);
	attr->enable_on_exec = rnd_one_in(r, 6);
	attr->remove_on_exec = attr->sigtrap || rnd_one_in(r, 10);
	if (attr->remove_on_exec && !odd(r, wild, 8)) {
		attr->enable_on_exec = 0;
		attr->inherit = attr->inherit_thread;
	}
	attr->precise_ip = odd(r, wild, 10) ? rnd_below(r, 4) : 0;
	attr->use_clockid = rnd_one_in(r, 4);
	if (attr->use_clockid)
		attr->clockid = odd(r, wild, 4) ? 99 : rnd_of(r, 0, 1, 4, 7, 11);
}

/* one that there may not be, seldom */
static int any_cpu(struct rnd *r)
{
	return rnd_one_in(r, 10) ? 2 : rnd_below(r, 2);
}

/* whom it is to count, and where */
static void target_any(struct fuzzer *f, struct rnd *r, pid_t *pid, int *cpu)
{
	struct worker *worker = f->worker;

	*pid = 0;
	*cpu = -1;
	switch (rnd_below(r, 10)) {
	case 0:
	case 1:
		/* others may not */
		if (!worker->root && !rnd_one_in(r, 4))
			break;
		*pid = -1;
		*cpu = any_cpu(r);
		break;
	case 2:
		*cpu = any_cpu(r);
		break;
	case 3:
	case 4:
		*pid = worker->tids[rnd_below(r, worker->nr_tids)];
		break;
	case 5:
		*pid = worker->shared->progress[rnd_below(r, worker->options->workers *
							    worker->options->threads)].tid;
		break;
	case 6:
		if (rnd_one_in(r, 3))
			*pid = rnd_one_in(r, 4) ? (pid_t)rnd_any(r) : getppid();
		break;
	}
}

/* a fd, or a negative errno */
static long event_open_at(struct fuzzer *f, struct rnd *r, struct perf_event_attr *attr, pid_t pid,
			  int cpu, int group)
{
	struct shared *shared = f->worker->shared;
	bool ours = attr->type > PERF_TYPE_MAX;
	unsigned long flags = 0;
	struct op_stats *stats;
	long fd;

	if (!rnd_one_in(r, 4))
		flags |= PERF_FLAG_FD_CLOEXEC;
	if (group >= 0 && rnd_one_in(r, 4))
		flags |= rnd_of(r, PERF_FLAG_FD_OUTPUT, PERF_FLAG_FD_NO_GROUP);
	if (rnd_one_in(r, 60))
		flags |= rnd_next(r) & 0x1f & ~PERF_FLAG_PID_CGROUP;

	stats = &shared->kind[event_kind(attr->config, attr->config1, pid != -1,
					 attr->sample_period)];
	stats->calls += ours;
	fd = outcome(syscall(SYS_perf_event_open, attr, pid, cpu, group, flags));
	if (fd >= 0)
		stats->done += ours;
	else if (ours && -fd < ERRNOS)
		shared->open_errno[-fd]++;
	return fd;
}

static long event_open(struct fuzzer *f, struct rnd *r, struct perf_event_attr *attr, int group)
{
	pid_t pid;
	int cpu;

	target_any(f, r, &pid, &cpu);
	/* see op_event_open_groups() */
	if (group >= 0 && pid == -1)
		pid = 0;
	return slot_put(&f->worker->slots, SLOT_EVENT, r,
			event_open_at(f, r, attr, pid, cpu, group));
}

long op_event_open(struct fuzzer *f, struct rnd *r)
{
	struct perf_event_attr attr;

	attr_any(f, r, &attr);
	return event_open(f, r, &attr, -1);
}

/* others' events are in groups with ours, too */
static void attr_any_member(struct fuzzer *f, struct rnd *r, struct perf_event_attr *attr)
{
	attr_any(f, r, attr);
	if (!rnd_one_in(r, 4))
		return;
	attr->type = rnd_of(r, PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE);
	attr->config = rnd_below(r, 12);
	attr->config1 = attr->config2 = 0;
}

/* one more in any group, wherever that is */
long op_event_open_group(struct fuzzer *f, struct rnd *r)
{
	int leader = slot_any(&f->worker->slots, SLOT_EVENT, r);
	struct perf_event_attr attr;

	attr_any_member(f, r, &attr);
	return event_open(f, r, &attr, leader);
}

/*
 * A leader, and some more at the same place. Those of a CPU are in a group only like this:
 * perf takes one that is opened after its CPU was away into the group of a leader that was
 * opened before, though that group has ended, and then uses it when the leader is freed
 * (Debian's 6.12; any two software events do).
 */
long op_event_open_groups(struct fuzzer *f, struct rnd *r)
{
	unsigned int switches = f->worker->shared->cpu_switches;
	unsigned int nr = 1 + rnd_below(r, 4), opened = 0;
	struct perf_event_attr attr;
	long leader, fd;
	pid_t pid;
	int cpu;

	target_any(f, r, &pid, &cpu);
	attr_any_member(f, r, &attr);
	leader = event_open_at(f, r, &attr, pid, cpu, -1);
	if (leader < 0)
		return leader;
	while (nr--) {
		attr_any_member(f, r, &attr);
		/* what differs from the leader is refused */
		if (!rnd_one_in(r, 4))
			attr.pinned = attr.exclusive = 0;
		fd = event_open_at(f, r, &attr, pid, cpu, leader);
		if (fd >= 0 && pid == -1 && f->worker->shared->cpu_switches != switches) {
			close(fd);
			break;
		}
		opened += slot_put(&f->worker->slots, SLOT_EVENT, r, fd) == 0;
	}
	slot_put(&f->worker->slots, SLOT_EVENT, r, leader);
	return opened ? 0 : -ENOENT;
}

long op_event_close(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_take(&f->worker->slots, SLOT_EVENT, r);

	return fd < 0 ? -ENOENT : outcome(close(fd));
}

static long event_ioctl(struct fuzzer *f, struct rnd *r, unsigned long request, void *arg)
{
	int fd = slot_any(&f->worker->slots, SLOT_EVENT, r);

	return outcome(ioctl(fd, request, arg));
}

/* of the event, or of its group */
static long event_switch(struct fuzzer *f, struct rnd *r, unsigned long request)
{
	return event_ioctl(f, r, request,
			   (void *)(rnd_one_in(r, 3) ? (unsigned long)PERF_IOC_FLAG_GROUP : 0));
}

long op_event_enable(struct fuzzer *f, struct rnd *r)
{
	return event_switch(f, r, PERF_EVENT_IOC_ENABLE);
}

long op_event_disable(struct fuzzer *f, struct rnd *r)
{
	return event_switch(f, r, PERF_EVENT_IOC_DISABLE);
}

long op_event_reset(struct fuzzer *f, struct rnd *r)
{
	return event_switch(f, r, PERF_EVENT_IOC_RESET);
}

long op_event_refresh(struct fuzzer *f, struct rnd *r)
{
	return event_ioctl(f, r, PERF_EVENT_IOC_REFRESH, (void *)rnd_below(r, 8));
}

long op_event_period(struct fuzzer *f, struct rnd *r)
{
	uint64_t period = rnd_of(r, 1UL, 2UL, 1000UL, 0UL, ~0UL, 1UL << 63);

	return event_ioctl(f, r, PERF_EVENT_IOC_PERIOD, &period);
}

long op_event_set_output(struct fuzzer *f, struct rnd *r)
{
	int to = rnd_one_in(r, 5) ? -1 : slot_any(&f->worker->slots, SLOT_EVENT, r);

	return event_ioctl(f, r, PERF_EVENT_IOC_SET_OUTPUT, (void *)(long)to);
}

long op_event_pause(struct fuzzer *f, struct rnd *r)
{
	return event_ioctl(f, r, PERF_EVENT_IOC_PAUSE_OUTPUT, (void *)rnd_below(r, 2));
}

/* those that our events have no use for, and some that nobody has */
long op_event_ioctl(struct fuzzer *f, struct rnd *r)
{
	static const char filter[] = "pid == 1";
	struct perf_event_attr attr;
	uint64_t buffer[16] = { 8 };

	switch (rnd_below(r, 6)) {
	case 0:
		return event_ioctl(f, r, PERF_EVENT_IOC_SET_FILTER, (void *)filter);
	case 1:
		return event_ioctl(f, r, PERF_EVENT_IOC_SET_BPF, (void *)rnd_below(r, 64));
	case 2:
		return event_ioctl(f, r, PERF_EVENT_IOC_QUERY_BPF, buffer);
	case 3:
		attr_any(f, r, &attr);
		return event_ioctl(f, r, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
	case 4:
		return event_ioctl(f, r, PERF_EVENT_IOC_ID, buffer);
	default:
		return event_ioctl(f, r, _IO('$', rnd_below(r, 32)), buffer);
	}
}

long op_event_read(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_any(&f->worker->slots, SLOT_EVENT, r);
	uint64_t buffer[128];

	return outcome(read(fd, buffer, rnd_one_in(r, 8) ? rnd_below(r, 64) : sizeof(buffer)));
}

long op_event_poll(struct fuzzer *f, struct rnd *r)
{
	struct pollfd fd = {
		.fd = slot_any(&f->worker->slots, SLOT_EVENT, r),
		.events = POLLIN | POLLHUP,
	};

	return outcome(poll(&fd, 1, rnd_below(r, 4)));
}

/* samples that signal */
long op_event_signal(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_any(&f->worker->slots, SLOT_EVENT, r);
	int on = rnd_one_in(r, 3) ? 0 : O_ASYNC;

	if (fcntl(fd, F_SETOWN, rnd_one_in(r, 2) ? getpid() : gettid()))
		return -errno;
	return outcome(fcntl(fd, F_SETFL, on | O_RDWR));
}

long op_event_map(struct fuzzer *f, struct rnd *r)
{
	static const int pages[] = { 1, 2, 3, 5, 9, 17, 0, 4 };
	int fd = slot_any(&f->worker->slots, SLOT_EVENT, r);
	struct slot_map *map = malloc(sizeof(*map));

	if (!map)
		return -ENOMEM;
	map->size = 4096 * pages[rnd_below(r, 8)];
	map->base = mmap(NULL, map->size, PROT_READ | (rnd_one_in(r, 4) ? 0 : PROT_WRITE),
			 rnd_one_in(r, 20) ? MAP_PRIVATE : MAP_SHARED, fd,
			 rnd_one_in(r, 20) ? 4096 : 0);
	if (map->base == MAP_FAILED) {
		free(map);
		return -errno;
	}
	slot_map_put(&f->worker->slots, r, map);
	return 0;
}

long op_event_unmap(struct fuzzer *f, struct rnd *r)
{
	struct slot_map *map = slot_map_take(&f->worker->slots, r);

	if (!map)
		return -ENOENT;
	slot_map_free(map);
	return 0;
}

/* read what there is, or say that it was; or nonsense, to the page that perf trusts least */
long op_event_consume(struct fuzzer *f, struct rnd *r)
{
	struct slot_map *map = slot_map_take(&f->worker->slots, r);
	struct perf_event_mmap_page *page;
	volatile char *data;
	uint64_t sum = 0;

	if (!map)
		return -ENOENT;
	page = map->base;
	data = map->base;
	for (size_t at = 0; at < map->size; at += 64)
		sum += data[at];
	/* one that was mapped without PROT_WRITE cannot be written to: the kernel can tell */
	switch (rnd_below(r, 4)) {
	case 0:
		page = NULL;
		break;
	case 1:
		sum = rnd_any(r);
		break;
	default:
		sum = page->data_head;
	}
	if (page) {
		int null = open("/dev/zero", O_RDONLY | O_CLOEXEC);

		/* zero first: it fails where a store would end the process */
		if (null >= 0 && read(null, (void *)&page->data_tail, 8) == 8)
			__atomic_store_n(&page->data_tail, sum, __ATOMIC_RELEASE);
		close(null);
	}
	slot_map_put(&f->worker->slots, r, map);
	return 0;
}

/* up to the limit of events; they go at once */
long op_event_many(struct fuzzer *f, struct rnd *r)
{
	unsigned int nr = 1 + rnd_below(r, 200), i, open = 0;
	struct perf_event_attr attr;
	int *fds = malloc(nr * sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	attr_any(f, r, &attr);
	for (i = 0; i < nr; i++) {
		fds[open] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[open] < 0)
			break;
		op_goes_on(f);
		open++;
	}
	op_refgpu_submit(f, r);
	for (i = 0; i < open; i++) {
		close(fds[i]);
		op_goes_on(f);
	}
	free(fds);
	return open ? 0 : -EMFILE;
}

long op_events_prctl(struct fuzzer *f, struct rnd *r)
{
	(void)f;
	return outcome(prctl(rnd_of(r, PR_TASK_PERF_EVENTS_DISABLE, PR_TASK_PERF_EVENTS_ENABLE,
				    PR_TASK_PERF_EVENTS_ENABLE)));
}

int event_anchor(void)
{
	struct rnd now = { 0 };
	struct perf_event_attr attr = {
		.type = pmu_type(&now),
		.size = sizeof(attr),
		.config = GPU_PMU_EVENT_JOBS,
		.exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

long event_open_to_exec(struct fuzzer *f, struct rnd *r)
{
	struct op_stats *stats = &f->worker->shared->part[PART_EXEC_EVENT];
	struct perf_event_attr attr;
	long ret;

	attr_any(f, r, &attr);
	switch (rnd_below(r, 3)) {
	case 0:
		attr.remove_on_exec = 1;
		attr.enable_on_exec = 0;
		/* perf refuses the two, but for threads */
		attr.inherit = attr.inherit_thread;
		break;
	case 1:
		attr.disabled = 1;
		attr.enable_on_exec = 1;
		attr.remove_on_exec = 0;
		attr.sigtrap = 0;
		break;
	}
	stats->calls++;
	ret = slot_put(&f->worker->slots, SLOT_EVENT, r,
		       event_open_at(f, r, &attr, 0, rnd_one_in(r, 4) ? any_cpu(r) : -1, -1));
	stats->done += !ret;
	return ret;
}

/* it is a task's events that are a cgroup's here */
long op_cgroup_event(struct fuzzer *f, struct rnd *r)
{
	int cgroup = open("/sys/fs/cgroup", O_RDONLY | O_CLOEXEC);
	struct perf_event_attr attr;
	long fd;

	if (cgroup < 0)
		return -errno;
	attr_any(f, r, &attr);
	attr.inherit = 0;
	fd = outcome(syscall(SYS_perf_event_open, &attr, cgroup, rnd_below(r, 2), -1,
			     PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC));
	close(cgroup);
	return slot_put(&f->worker->slots, SLOT_EVENT, r, fd);
}
