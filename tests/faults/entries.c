// SPDX-License-Identifier: GPL-2.0
/* The entry points: of what programs call, and of what drivers do. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "../clients/virtgpu.h"
#include "../selftests/perf.h"
#include "../slowdown.h"
#include "faults.h"

#define JOBS		3
#define MANY		300
/* 20 ms: long enough to be waited for, however late the wait comes */
#define JOB_CYCLES	(250000 * slowdown())
#define WAIT_NS		60000000000L	/* a machine that is simulated is slow */

static bool virtgpu_is_there(void)
{
	return !access("/sys/bus/virtio/drivers/virtio_gpu", F_OK) &&
	       !access("/sys/module/gpu_pmu_virtio", F_OK);
}

/* ---- the bench ---- */

int bench_jobs(struct bench *b, unsigned int nr)
{
	struct refgpu_batch batch = {};
	int err = 0;

	while (!err && nr--) {
		refgpu_spin(&batch, JOB_CYCLES);
		err = refgpu_submit(&b->gpu, b->ctx, 0, &batch, 0, b->sync);
		if (!err)
			err = refgpu_sync_wait(&b->gpu, b->sync, WAIT_NS);
	}
	return err;
}

static int bench_open_gpu(struct bench *b)
{
	int err = refgpu_open(&b->gpu, 0);

	if (!err)
		err = refgpu_context(&b->gpu, REFGPU_PRIORITY_NORMAL, &b->ctx);
	b->sync = err ? 0 : refgpu_sync(&b->gpu);
	return err ?: b->sync ? 0 : -ENOMEM;
}

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->gpu.fd = -1;
	b->virtgpu = -1;
	b->query = -1;
	b->lost = -1;
	b->lost_before = keeper_lost();
	for (int i = 0; i < ENTRY_EVENTS; i++)
		b->event[i] = -1;
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void bench_clear(struct bench *b)
{
	for (int i = 0; i < ENTRY_EVENTS; i++)
		fd_close(&b->event[i]);
	fd_close(&b->lost);
	fd_close(&b->query);
	fd_close(&b->virtgpu);
	fd_close(&b->gpu.fd);
}

static int keeper = -1;

uint64_t keeper_lost(void)
{
	return keeper < 0 ? 0 : gpu_event_read(keeper);
}

/* to read it empties the ring: it must have the time to fill */
bool keeper_loses(uint64_t before)
{
	const struct timespec nap = { .tv_nsec = 250000000 };

	for (int patience = 40; keeper >= 0 && patience; patience--) {
		if (keeper_lost() > before)
			return true;
		nanosleep(&nap, NULL);
	}
	return keeper < 0;
}

/* nobody's: that of all, else nothing */
static uint64_t lost_now(struct bench *b)
{
	return (b->lost < 0 ? keeper_lost() : gpu_event_read(b->lost)) - b->lost_before;
}

/* the flush comes by */
static void flush_wait(void)
{
	const struct timespec nap = { .tv_nsec = 60000000 };

	nanosleep(&nap, NULL);
}

static const char *verify_some(struct bench *b, char *text, size_t size)
{
	if (gpu_event_enable(b->event[0]) || bench_jobs(b, JOBS))
		return "it does not work after that";
	flush_wait();
	gpu_event_disable(b->event[0]);
	if (!gpu_event_read(b->event[0]))
		return "it counts nothing";
	snprintf(text, size, "counts");
	return NULL;
}

const char *bench_verify(struct bench *b, char *text, size_t size)
{
	uint64_t count, lost;

	if (b->counts_some && b->event[0] >= 0)
		return verify_some(b, text, size);
	if (!b->counts || b->event[0] < 0)
		return NULL;
	/* what was opened, and was not used yet */
	if (!b->expected) {
		if (gpu_event_enable(b->event[0]) || bench_jobs(b, JOBS))
			return "it does not work after that";
		b->expected = JOBS;
	}
	flush_wait();
	gpu_event_disable(b->event[0]);
	count = gpu_event_read(b->event[0]);
	lost = lost_now(b);
	if (count == b->expected) {
		snprintf(text, size, "exact");
		return NULL;
	}
	snprintf(text, size, "%lu of %u, %lu said to be lost", count, b->expected, lost);
	b->short_of = true;
	return count < b->expected && lost ? NULL : "and that is wrong";
}

const char *bench_verify_waits(struct bench *b, bool blind, char *text, size_t size)
{
	uint64_t count;

	if (!b->waits || b->event[0] < 0)
		return NULL;
	if (gpu_event_enable(b->event[0]) || bench_jobs(b, JOBS))
		return "it does not work after that";
	gpu_event_disable(b->event[0]);
	count = gpu_event_read(b->event[0]);
	snprintf(text, size, count ? "seen" : "none seen");
	return count || blind ? NULL : "but there were some";
}

static int prepare_gpu(struct bench *b)
{
	bench_init(b);
	return bench_open_gpu(b);
}

/* ---- opening events ---- */

static int event_open(struct bench *b, int at, const struct gpu_config *config, pid_t pid,
		      int cpu, bool sampled, bool inherit)
{
	struct perf_event_attr attr;
	int fd;

	gpu_event_attr(&attr, config);
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.inherit = inherit;
	if (sampled) {
		attr.sample_period = 1;
		attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TID;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	b->event[at] = fd;
	return 0;
}

int keeper_open(void)
{
	const struct gpu_config config = { .event = GPU_PMU_EVENT_LOST };
	struct bench b;
	int err;

	bench_init(&b);
	err = event_open(&b, 0, &config, -1, 0, false, false);
	if (!err)
		err = gpu_event_enable(b.event[0]);
	keeper = b.event[0];
	return err;
}

void keeper_close(void)
{
	fd_close(&keeper);
}

static int task_event(struct bench *b, unsigned int event)
{
	return event_open(b, 0, &(struct gpu_config) { .event = event }, 0, -1, false, false);
}

static int open_task_scope(struct bench *b)
{
	b->counts = true;
	return task_event(b, GPU_PMU_EVENT_JOBS_DONE);
}

static int open_task_here(struct bench *b)
{
	b->counts = true;
	return task_event(b, GPU_PMU_EVENT_JOBS);
}

static int open_waits(struct bench *b)
{
	b->waits = true;
	return task_event(b, GPU_PMU_EVENT_WAITS);
}

static int fd_event(struct bench *b, unsigned int event, uint32_t ctx)
{
	const struct gpu_config config = { .event = event, .fd = b->gpu.fd, .ctx = ctx };

	return event_open(b, 0, &config, 0, -1, false, false);
}

static int open_client(struct bench *b)
{
	b->counts = true;
	return fd_event(b, GPU_PMU_EVENT_JOBS_DONE, 0);
}

static int open_context(struct bench *b)
{
	b->counts = true;
	return fd_event(b, GPU_PMU_EVENT_JOBS_DONE, b->ctx);
}

static int open_native(struct bench *b)
{
	b->counts_some = true;
	return fd_event(b, gpu_event_id("gpu-cycles"), b->ctx);
}

static int open_device(struct bench *b)
{
	const struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS_DONE };

	b->counts = true;
	return event_open(b, 0, &config, -1, 0, false, false);
}

static int open_sampled(struct bench *b)
{
	const struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS_DONE };

	b->counts = true;
	return event_open(b, 0, &config, 0, -1, true, false);
}

static int open_reports(struct bench *b)
{
	const struct gpu_config config = {
		.event = GPU_PMU_EVENT_REPORTS, .fd = b->gpu.fd, .ctx = b->ctx,
	};

	b->counts_some = true;
	return event_open(b, 0, &config, 0, -1, true, false);
}

/* ---- what others do while events are open ---- */

static int prepare_counting(struct bench *b)
{
	const struct gpu_config lost = { .event = GPU_PMU_EVENT_LOST };
	int err;

	bench_init(b);
	b->counts = true;
	err = event_open(b, 0, &(struct gpu_config) { .event = GPU_PMU_EVENT_JOBS_DONE }, 0, -1,
			 false, true);
	if (!err)
		err = event_open(b, 1, &(struct gpu_config) { .event = GPU_PMU_EVENT_JOBS }, 0,
				 -1, false, true);
	if (!err)
		err = event_open(b, 2, &lost, 0, -1, false, false);
	if (err)
		return err;
	b->lost = b->event[2];
	b->event[2] = -1;
	gpu_event_enable(b->lost);
	b->lost_before = gpu_event_read(b->lost);
	return gpu_event_enable(b->event[0]) ?: gpu_event_enable(b->event[1]);
}

static int prepare_counting_gpu(struct bench *b)
{
	return prepare_counting(b) ?: bench_open_gpu(b);
}

static int prepare_counting_virtgpu(struct bench *b)
{
	int err = prepare_counting(b);

	b->virtgpu = err ? err : virtgpu_open();
	return b->virtgpu < 0 ? b->virtgpu : 0;
}

/* a context that nobody has seen, and its first job */
static int submit_refgpu(struct bench *b)
{
	int err = bench_jobs(b, 1);

	if (!err)
		b->expected = 1;
	return err;
}

/* at once, and more than a small ring has room for */
static int submit_many(struct bench *b)
{
	struct refgpu_batch batch = {};
	unsigned int i;
	int err;

	for (i = 0; i < MANY; i++) {
		refgpu_spin(&batch, 1);
		err = refgpu_submit(&b->gpu, b->ctx, 0, &batch, 0, b->sync);
		if (err)
			return err;
	}
	b->expected = MANY;
	return refgpu_sync_wait(&b->gpu, b->sync, WAIT_NS);
}

static int submit_virtgpu(struct bench *b)
{
	int err = virtgpu_run(b->virtgpu, 1);

	if (!err)
		b->expected = 1;
	return err;
}

static int context_create(struct bench *b)
{
	int err = bench_open_gpu(b);

	if (err)
		return err;
	return submit_refgpu(b);
}

static int fork_inherited(struct bench *b)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(bench_jobs(b, 1) ? 1 : 0);
	if (waitpid(pid, &status, 0) != pid || status)
		return -ECHILD;
	b->expected = 1;
	return 0;
}

/* ---- /dev/gpu_pmu ---- */

static int prepare_query(struct bench *b)
{
	int err = prepare_counting_gpu(b);

	if (!err)
		err = bench_jobs(b, 1);
	b->expected = 1;
	b->query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);
	return err ?: b->query < 0 ? -errno : 0;
}

static int query_open(struct bench *b)
{
	b->query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);
	return b->query < 0 ? -errno : 0;
}

#define QUERY_ROOM	64

static int query_all(struct bench *b, unsigned long request, void *infos)
{
	struct gpu_pmu_contexts arg = {
		.fd = -1, .nr = QUERY_ROOM, .infos = (uintptr_t)infos,
	};

	return ioctl(b->query, request, &arg) ? -errno : 0;
}

static int query_contexts(struct bench *b)
{
	struct gpu_pmu_context_info infos[QUERY_ROOM];

	return query_all(b, GPU_PMU_IOCTL_CONTEXTS, infos);
}

static int query_fences(struct bench *b)
{
	struct gpu_pmu_fence_info infos[QUERY_ROOM];

	return query_all(b, GPU_PMU_IOCTL_FENCES, infos);
}

static int query_devices(struct bench *b)
{
	struct gpu_pmu_device_info infos[64];
	struct gpu_pmu_infos arg = { .nr = 64, .infos = (uintptr_t)infos };

	return ioctl(b->query, GPU_PMU_IOCTL_DEVICES, &arg) ? -errno : 0;
}

static int query_usages(struct bench *b)
{
	uint64_t event = GPU_PMU_EVENT_JOBS, room[64 * (sizeof(struct gpu_pmu_usage) + 8) / 8];
	struct gpu_pmu_usages arg = {
		.fd = -1, .nr_events = 1, .nr = 64,
		.events = (uintptr_t)&event, .usages = (uintptr_t)room,
	};

	return ioctl(b->query, GPU_PMU_IOCTL_USAGES, &arg) ? -errno : 0;
}

/* ---- devices ---- */

#define DRIVER	"/sys/bus/platform/drivers/refgpu/"

static int prepare_unbound(struct bench *b)
{
	int err;

	/* it is bound again by the call, or by the next one's preparation */
	file_write(DRIVER "bind", "refgpu.0");
	err = prepare_counting(b);
	b->counts = false;
	return err ?: file_write(DRIVER "unbind", "refgpu.0");
}

/* a device without events is a device all the same: whether it has some is to be seen */
static int device_bind(struct bench *b)
{
	struct gpu_pmu_device_info infos[64];
	struct gpu_pmu_infos arg = { .nr = 64, .infos = (uintptr_t)infos };
	int err = file_write(DRIVER "bind", "refgpu.0");

	if (err)
		return err;
	err = query_open(b);
	if (!err && ioctl(b->query, GPU_PMU_IOCTL_DEVICES, &arg))
		err = -errno;
	for (unsigned int i = 0; !err && i < arg.nr; i++)
		if (!strcmp(infos[i].driver, "refgpu") && !strcmp(infos[i].bus, "refgpu.0"))
			return 0;
	return err ?: -ENODEV;
}

static int prepare_bound(struct bench *b)
{
	file_write(DRIVER "bind", "refgpu.0");
	return prepare_counting_gpu(b);
}

static int device_unbind(struct bench *b)
{
	int err;

	b->counts = false;
	err = file_write(DRIVER "unbind", "refgpu.0");
	return err ?: file_write(DRIVER "bind", "refgpu.0");
}

static int close_last(struct bench *b)
{
	bench_clear(b);
	return 0;
}

const struct entry entries[] = {
	{
		.name = "open: the first event", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_task_scope,
		.first = true,
	},
	{
		.name = "open: task's GPU work", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_task_scope,
		.enomem = 3,	/* itself, its scope, its set */
	},
	{
		.name = "open: task's submissions", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_task_here,
		.enomem = 1,
	},
	{
		.name = "open: task's waits", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_waits,
		.enomem = 1,
	},
	{
		.name = "open: client by fd", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_client,
		.enomem = 2,
	},
	{
		.name = "open: context by fd", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_context,
		.enomem = 2,
	},
	{
		.name = "open: device", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_device,
		.enomem = 2,	/* itself, its set */
		.counts_all = true,
	},
	{
		.name = "open: native counter", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_native,
		.enomem = 2,
	},
	{
		.name = "open: sampled completions", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_sampled,
		.enomem = 3,
	},
	{
		.name = "open: sampled reports", .function = "gpu_pmu_event_init",
		.prepare = prepare_gpu, .call = open_reports,
		.enomem = 2,
	},
	{
		.name = "close of the last event", .function = "gpu_event_destroy",
		.prepare = prepare_counting_gpu, .call = close_last,
		.first = true,
	},
	{
		.name = "fork that inherits", .function = "gpu_pmu_event_init",
		.prepare = prepare_counting_gpu, .call = fork_inherited,
	},
	/* perf tries event_init() twice, so that one failure there is none: of its own it is */
	{
		.name = "fork that fails", .function = "perf_event_init_task",
		.prepare = prepare_counting_gpu, .call = fork_inherited,
		.again = true, .enomem = 3,	/* two events, their context */
	},
	{
		.name = "first job of a refgpu context", .function = "refgpu_submit_ioctl",
		.prepare = prepare_counting_gpu, .call = submit_refgpu,
	},
	{
		.name = "300 jobs at once", .function = "gpu_pmu_context_bind",
		.prepare = prepare_counting_gpu, .call = submit_many,
	},
	{
		.name = "context is made, and its job", .function = "gpu_pmu_context_bind",
		.prepare = prepare_counting, .call = context_create,
	},
	{
		.name = "first job of a virtio_gpu client", .function = "gpu_pmu_owner",
		.there = virtgpu_is_there,
		.prepare = prepare_counting_virtgpu, .call = submit_virtgpu,
	},
	{
		.name = "device is bound", .function = "gpu_pmu_device_register",
		.prepare = prepare_unbound, .call = device_bind,
		.unbound = true,
	},
	{
		.name = "device is unbound", .function = "gpu_pmu_device_unregister",
		.prepare = prepare_bound, .call = device_unbind,
	},
	{
		.name = "/dev/gpu_pmu: open", .function = "misc_open",
		.prepare = prepare_gpu, .call = query_open,
		.enomem = 1,
	},
	{
		.name = "/dev/gpu_pmu: CONTEXTS", .function = "gpu_query_ioctl",
		.prepare = prepare_query, .call = query_contexts,
		.enomem = 1,
	},
	{
		.name = "/dev/gpu_pmu: FENCES", .function = "gpu_query_ioctl",
		.prepare = prepare_query, .call = query_fences,
		.enomem = 1,
	},
	{
		.name = "/dev/gpu_pmu: DEVICES", .function = "gpu_query_ioctl",
		.prepare = prepare_query, .call = query_devices,
	},
	{
		.name = "/dev/gpu_pmu: USAGES", .function = "gpu_query_ioctl",
		.prepare = prepare_query, .call = query_usages,
		.enomem = 2,
	},
};

const unsigned int nr_entries = sizeof(entries) / sizeof(entries[0]);
