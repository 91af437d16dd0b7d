// SPDX-License-Identifier: GPL-2.0
/* See events.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "events.h"

const char * const event_names[EVENT_ALL] = {
	[LOAD_CYCLES]	= "gpu-cycles",
	[LOAD_ACTIVE]	= "shader-active",
	[LOAD_READ]	= "mem-read-bytes",
	[LOAD_WRITE]	= "mem-write-bytes",
	[LOAD_MISSES]	= "l3-misses",
	[EVENT_BUSY]	= "gpu-busy",
	[EVENT_WAIT]	= "queue-wait",
	[EVENT_JOBS]	= "jobs",
	[EVENT_DONE]	= "jobs-done",
	[EVENT_LOST]	= "lost",
};

void tally_add(struct tally *to, const struct tally *from)
{
	for (unsigned int i = 0; i < EVENT_NR; i++)
		to->v[i] += from->v[i];
}

void tally_count(struct tally *to, const struct load_counts *counts)
{
	for (unsigned int i = 0; i < LOAD_NR_COUNTERS; i++)
		to->v[i] += counts->v[i];
	to->v[EVENT_BUSY] += counts->v[LOAD_CYCLES] * TICK_NS;
	to->v[EVENT_JOBS] += counts->jobs;
	to->v[EVENT_DONE] += counts->jobs;
}

/* the GPU's clock tells no less than a tick */
bool window_holds(const struct window *window, uint64_t ns)
{
	return ns + TICK_NS >= (uint64_t)(window->off - window->on) &&
	       ns <= window->after - window->before + TICK_NS;
}

static int event_open(const struct meter *meter, bool inherit)
{
	unsigned int id = gpu_event_id(event_names[meter->event]);
	struct perf_event_attr attr = {
		.type = gpu_pmu_type(),
		.size = sizeof(attr),
		.config = (uint64_t)id << GPU_PMU_CONFIG_EVENT_SHIFT |
			  (uint64_t)meter->config.engine << GPU_PMU_CONFIG_ENGINE_SHIFT |
			  (uint64_t)meter->config.dev << GPU_PMU_CONFIG_DEV_SHIFT,
		.config1 = meter->config.fd,
		.config2 = meter->config.ctx,
		.disabled = meter->leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = inherit,
	};
	int fd = syscall(SYS_perf_event_open, &attr, meter->pid, meter->cpu, meter->leader,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* join the last group on the same CPU or task, if it has room */
static void meter_join(struct meter *meters, unsigned int i, unsigned int size)
{
	struct meter *meter = &meters[i];
	const struct meter *last;

	meter->leader = -1;
	meter->rank = 0;
	while (i--) {
		last = &meters[i];
		if (last->cpu != meter->cpu || last->pid != meter->pid)
			continue;
		if (last->rank + 1 < size) {
			meter->leader = last->rank ? last->leader : last->fd;
			meter->rank = last->rank + 1;
		}
		return;
	}
}

static int open_all(struct meter *meters, unsigned int nr, unsigned int size, bool inherit)
{
	for (unsigned int i = 0; i < nr; i++) {
		meters[i].value = 0;
		meter_join(meters, i, size);
		meters[i].fd = event_open(&meters[i], inherit);
		if (meters[i].fd < 0) {
			int err = meters[i].fd;

			meters_close(meters, i);
			return err;
		}
	}
	return 0;
}

int meters_open(struct meter *meters, unsigned int nr)
{
	return open_all(meters, nr, 1, false);
}

int meters_open_inherited(struct meter *meters, unsigned int nr)
{
	return open_all(meters, nr, 1, true);
}

int meters_open_groups(struct meter *meters, unsigned int nr, unsigned int size)
{
	return open_all(meters, nr, size, false);
}

int meters_on(const struct meter *meters, unsigned int nr, struct window *window)
{
	int err = 0;

	window->before = refgpu_now();
	for (unsigned int i = 0; i < nr && !err; i++)
		if (meters[i].leader < 0)
			err = gpu_event_enable(meters[i].fd);
	window->on = refgpu_now();
	return err;
}

int meters_off(struct meter *meters, unsigned int nr, struct window *window)
{
	int err = 0;

	window->off = refgpu_now();
	for (unsigned int i = 0; i < nr && !err; i++)
		if (meters[i].leader < 0)
			err = gpu_event_disable(meters[i].fd);
	window->after = refgpu_now();
	meters_read(meters, nr);
	return err;
}

void meters_read(struct meter *meters, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		meters[i].value = gpu_event_read(meters[i].fd);
}

/* leaders last: they would be replaced, one by one */
void meters_close(struct meter *meters, unsigned int nr)
{
	while (nr--)
		close(meters[nr].fd);
}

int meter_try(unsigned int event, struct gpu_config config, pid_t pid, int cpu)
{
	struct meter meter = {
		.event = event, .config = config, .pid = pid, .cpu = cpu, .leader = -1,
	};

	return event_open(&meter, false);
}

void sleep_until(int64_t then)
{
	struct timespec at = { then / SECOND, then % SECOND };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

unsigned int device_minor(const struct refgpu *gpu)
{
	struct stat st;

	return fstat(gpu->fd, &st) ? 0 : minor(st.st_rdev);
}

int device_file(unsigned int n, const char *name, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/refgpu/refgpu.%u/%s", n, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int device_state(unsigned int n, struct device_state *state)
{
	unsigned int engines = 0;
	char line[512];
	FILE *file;
	int fd;

	memset(state, 0, sizeof(*state));
	fd = device_file(n, "state", O_RDONLY);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	while (fgets(line, sizeof(line), file)) {
		uint64_t *v = state->engine[engines].counters;

		if (engines < STATE_ENGINES &&
		    sscanf(line, "%*s changes %lu preemptions %lu counters %lu %lu %lu %lu %lu",
			   &state->engine[engines].changes, &state->engine[engines].preemptions,
			   &v[LOAD_CYCLES], &v[LOAD_ACTIVE], &v[LOAD_READ], &v[LOAD_WRITE],
			   &v[LOAD_MISSES]) == 7)
			engines++;
		sscanf(line, "jobs %lu", &state->jobs);
	}
	fclose(file);
	return engines == STATE_ENGINES ? 0 : -EINVAL;
}

int job_lines(int fd, struct job_line *lines, unsigned int room)
{
	bool complete = false;
	unsigned int nr = 0;
	char text[256];
	FILE *file;

	fd = dup(fd);
	if (fd < 0 || lseek(fd, 0, SEEK_SET))
		return -1;
	file = fdopen(fd, "r");
	while (fgets(text, sizeof(text), file)) {
		struct job_line *line = &lines[nr];

		if (!strcmp(text, "lost 0\n"))
			complete = true;
		else if (nr < room &&
			 sscanf(text, "hw %u engine %u fence %*u:%*u submitted %lu started %lu ended %lu error %d",
				&line->hw_id, &line->engine, &line->submitted, &line->started,
				&line->ended, &line->error) == 6)
			nr++;
		else
			break;
	}
	fclose(file);
	return complete ? (int)nr : -1;
}
