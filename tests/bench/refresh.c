// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to ask how much each client has used: of /dev/gpu_pmu, in one ioctl; and
 * of fdinfo, a file for each client, as nvtop and intel_gpu_top do. Without what they do
 * besides: finding out which files are of a GPU, and parsing.
 *
 * Prints a line for each number of clients: that, and the instructions of both.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "bench.h"
#include "perf.h"
#include "refgpu.h"

#define CLIENTS_MAX	4096
#define EVENTS		2
#define ROUNDS		5
/* each client, its context; the kernel, and some that come */
#define ENTRIES_SPARE	64
#define ENTRIES_MAX	(2 * CLIENTS_MAX + ENTRIES_SPARE)

static struct refgpu clients[CLIENTS_MAX];

struct entry {
	struct gpu_pmu_usage usage;
	uint64_t values[EVENTS];
};

static void clients_open(unsigned int from, unsigned int to)
{
	struct refgpu_batch batch = {};
	uint32_t ctx;
	unsigned int i;

	for (i = from; i < to; i++) {
		check("open", refgpu_open(&clients[i], 0));
		check("context", refgpu_context(&clients[i], REFGPU_PRIORITY_NORMAL, &ctx));
		refgpu_spin(&batch, 1);
		check("submit", refgpu_submit(&clients[i], ctx, 0, &batch, 0, 0));
	}
}

static uint64_t ask_usages(int dev, unsigned int nr)
{
	static const uint64_t events[EVENTS] = { GPU_PMU_EVENT_GPU_BUSY, GPU_PMU_EVENT_JOBS };
	static struct entry entries[ENTRIES_MAX];
	struct gpu_pmu_usages arg = {
		.fd = -1,
		.nr_events = EVENTS,
		.nr = 2 * nr + ENTRIES_SPARE,
		.events = (uintptr_t)events,
		.usages = (uintptr_t)entries,
	};
	uint64_t start = bench_now(), took;

	if (ioctl(dev, GPU_PMU_IOCTL_USAGES, &arg))
		die("USAGES: %s", strerror(errno));
	took = bench_now() - start;
	if (arg.nr < 2 * nr)
		die("USAGES: %u entries for %u clients", arg.nr, nr);
	return took;
}

static uint64_t ask_fdinfo(unsigned int nr)
{
	uint64_t start = bench_now();
	char path[64], text[4096];
	unsigned int i;
	ssize_t size;
	int fd;

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", clients[i].fd);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		size = fd < 0 ? fd : read(fd, text, sizeof(text));
		if (size <= 0)
			die("%s: %s", path, strerror(errno));
		close(fd);
	}
	return bench_now() - start;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* long enough to have the timer's interrupt in each */
static uint64_t median(uint64_t *took)
{
	qsort(took, ROUNDS, sizeof(*took), compare);
	return took[ROUNDS / 2];
}

int main(void)
{
	static const unsigned int numbers[] = { 1, 10, 100, 1000, CLIENTS_MAX };
	struct rlimit files = { 8192, 8192 };
	uint64_t usages[ROUNDS], fdinfo[ROUNDS];
	unsigned int i, k, before = 0;
	int dev, event;

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("files: %s", strerror(errno));
	event = gpu_event_open(&(struct gpu_config){ .event = GPU_PMU_EVENT_GPU_BUSY }, -1, 0, -1);
	check("gpu-busy", event);
	check("enable", gpu_event_enable(event));
	dev = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);
	if (dev < 0)
		die("/dev/gpu_pmu: %s", strerror(errno));
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		clients_open(before, numbers[i]);
		before = numbers[i];
		usleep(100000);
		for (k = 0; k < ROUNDS; k++) {
			usages[k] = ask_usages(dev, before);
			fdinfo[k] = ask_fdinfo(before);
		}
		printf("%u %lu %lu\n", before, median(usages), median(fdinfo));
		fflush(stdout);
	}
	return 0;
}
