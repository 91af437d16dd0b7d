// SPDX-License-Identifier: GPL-2.0
/* The faults that are not an allocation's: what hooks, timers, rings and threads can do. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"

#define PARAMETERS	"/sys/module/gpu_pmu/parameters/"

static const char *nothing_begin(void)
{
	return NULL;
}

static void nothing_end(void)
{
}

/* the hook on the end of DRM files cannot be set */
static const char *hook_begin(void)
{
	int err = file_write("/proc/sys/kernel/ftrace_enabled", "0");

	/* a hook that is set forbids it: that of an event that is open. Then nothing is wrong */
	return err == -EBUSY ? "set before" : err ? "n/a: there is no ftrace" : NULL;
}

static void hook_end(void)
{
	file_write("/proc/sys/kernel/ftrace_enabled", "1");
}

/* probes are not armed: all of them in the kernel, by its administrator */
static const char *probes_begin(void)
{
	return file_write("/sys/kernel/debug/kprobes/enabled", "0") ? "n/a: there are no kprobes" :
	       NULL;
}

static void probes_end(void)
{
	file_write("/sys/kernel/debug/kprobes/enabled", "1");
}

/* forty times slower than it should be */
static const char *timer_begin(void)
{
	return file_write(PARAMETERS "flush_us", "200000") ? "n/a: there is no flush_us" : NULL;
}

static void timer_end(void)
{
	const struct timespec nap = { .tv_nsec = 200000000 };

	file_write(PARAMETERS "flush_us", "5000");
	/* it is as slow once more */
	nanosleep(&nap, NULL);
}

/*
 * Whoever submits faster than is taken over: a ring of 64 records, the timer at its
 * slowest, and another process that submits all the time. It is there from the start,
 * so that it inherits no event.
 *
 * After so many jobs it waits for them: on a kernel that can be preempted anywhere, the
 * workers of drm_sched, which have always something to do, would else hold up the grace
 * periods of RCU tasks, which the end of the hooks waits for.
 */
#define FLOOD_JOBS	256
#define FLOOD_WAIT_NS	10000000000L

static pid_t flood;
static int flood_pipe[2] = { -1, -1 };
static int flood_ended[2] = { -1, -1 };

/* a byte to begin, one to end, and one back when all that it has submitted is done */
static void flood_run(int pipe, int ended)
{
	struct pollfd told = { .fd = pipe, .events = POLLIN };
	struct refgpu_batch batch = {};
	unsigned int nr;
	struct refgpu gpu;
	uint32_t ctx, sync;
	char byte;

	/* the device may be gone, and come, meanwhile */
	while (read(pipe, &byte, 1) == 1) {
		while (!poll(&told, 1, 0)) {
			if (refgpu_open(&gpu, 0))
				continue;
			refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx);
			sync = refgpu_sync(&gpu);
			for (nr = 1; !poll(&told, 1, 0); nr++) {
				bool pause = nr % FLOOD_JOBS == 0;

				refgpu_spin(&batch, 1);
				if (refgpu_submit(&gpu, ctx, 1, &batch, 0, pause ? sync : 0))
					break;
				if (pause)
					refgpu_sync_wait(&gpu, sync, FLOOD_WAIT_NS);
			}
			refgpu_spin(&batch, 1);
			if (!refgpu_submit(&gpu, ctx, 1, &batch, 0, sync))
				refgpu_sync_wait(&gpu, sync, FLOOD_WAIT_NS);
			refgpu_close(&gpu);
		}
		if (read(pipe, &byte, 1) != 1 || write(ended, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

int flood_start(void)
{
	if (pipe(flood_pipe) || pipe(flood_ended))
		return -errno;
	flood = fork();
	if (flood < 0)
		return -errno;
	if (!flood) {
		close(flood_pipe[1]);
		close(flood_ended[0]);
		flood_run(flood_pipe[0], flood_ended[1]);
	}
	close(flood_pipe[0]);
	close(flood_ended[1]);
	return 0;
}

static bool flood_tell(void)
{
	return write(flood_pipe[1], "", 1) == 1;
}

static const char *ring_begin(void)
{
	const struct timespec nap = { .tv_nsec = 100000000 };
	const char *reason = timer_begin();

	if (reason)
		return reason;
	if (!flood_tell())
		return "BAD: nobody floods it";
	nanosleep(&nap, NULL);
	return NULL;
}

static void ring_end(void)
{
	char byte;

	if (flood_tell() && read(flood_ended[0], &byte, 1) != 1)
		fprintf(stderr, "faults: the flood is gone\n");
	timer_end();
}

/*
 * Kernel threads do not run: what is more important than them has all CPUs, until the
 * call has come back; or for so long, if it waits for one of them.
 */
#define STALL_NS	300000000L

struct hogs {
	atomic_uint run;	/* so many of them do */
	atomic_long end;	/* 0: not yet told */
};

static struct hogs *hogs;
static pid_t hog_pids[8];
static int nr_hogs;

static void hog(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 10 });
	hogs->run++;
	while (!hogs->end || refgpu_now() < hogs->end)
		;
	_exit(0);
}

static void threads_end(void)
{
	int status;

	hogs->end = 1;
	while (nr_hogs)
		waitpid(hog_pids[--nr_hogs], &status, 0);
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param) {});
}

static const char *threads_begin(void)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int64_t end;

	if (!hogs)
		hogs = mmap(NULL, sizeof(*hogs), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hogs == MAP_FAILED)
		return "BAD: there is no memory";
	hogs->run = 0;
	hogs->end = 0;
	/* the task that calls runs all the same */
	if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 20 }))
		return "n/a: there is no SCHED_FIFO";
	for (nr_hogs = 0; nr_hogs < cpus && nr_hogs < 8; nr_hogs++) {
		hog_pids[nr_hogs] = fork();
		if (hog_pids[nr_hogs] < 0)
			break;
		if (!hog_pids[nr_hogs])
			hog(nr_hogs);
	}
	/* each has its CPU while this one naps */
	end = refgpu_now() + 10000000000L;
	while (hogs->run < (unsigned int)cpus && refgpu_now() < end)
		nanosleep(&nap, NULL);
	if (hogs->run < (unsigned int)cpus) {
		threads_end();
		return "BAD: not all CPUs are busy";
	}
	hogs->end = refgpu_now() + STALL_NS;
	return NULL;
}

const struct fault faults[] = {
	{ .name = "none", .begin = nothing_begin, .end = nothing_end },
	{ .name = "hook refused", .begin = hook_begin, .end = hook_end },
	{ .name = "probes not armed", .begin = probes_begin, .end = probes_end, .blinds = true },
	{ .name = "timer late", .begin = timer_begin, .end = timer_end },
	{ .name = "threads stalled", .begin = threads_begin, .end = threads_end },
	{ .name = "ring full", .begin = ring_begin, .end = ring_end, .floods = true },
};

const unsigned int nr_faults = sizeof(faults) / sizeof(faults[0]);
