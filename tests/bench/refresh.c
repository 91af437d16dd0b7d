// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to ask how much each client has used: of /dev/gpu_pmu, in one ioctl; and
 * of fdinfo, a file for each client, as nvtop and intel_gpu_top do. Without what they do
 * besides: finding out which files are of a GPU, and parsing. And what it costs perf gpu
 * to ask, and to show it: in a terminal as many as it has lines, else all of them.
 * usage: refresh PERF-GPU
 *
 * Prints a line for each: clients, who asks, instructions.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

/* ---- perf gpu ---- */

/**
 * struct tool_run - a program, and how it is run
 * @args:	its arguments
 * @ms:		in a terminal, until it is told to quit after so long; 0: by itself
 */
struct tool_run {
	char *const *args;
	unsigned int ms;
};

static uint64_t now_ms(void)
{
	return bench_now() / 1000000;
}

/* look at what it shows; and then type q */
static void watch_screen(int terminal, unsigned int ms)
{
	uint64_t until = now_ms() + ms, now;
	struct pollfd polls = { .fd = terminal, .events = POLLIN };
	char text[4096];

	while ((now = now_ms()) < until)
		if (poll(&polls, 1, until - now) > 0 && read(terminal, text, sizeof(text)) <= 0)
			return;
	if (write(terminal, "q", 1) != 1)
		die("terminal: %s", strerror(errno));
	while (read(terminal, text, sizeof(text)) > 0)
		;
}

/* what a program has had of the CPU, with all that it has run: ns; 0: it has failed */
static uint64_t run_cpu(const char *path, const struct tool_run *run)
{
	struct winsize size = { .ws_row = 50, .ws_col = 132 };
	int status, terminal = -1;
	struct rusage used;
	pid_t pid;

	fflush(stdout);
	pid = run->ms ? forkpty(&terminal, NULL, NULL, &size) : fork();
	if (!pid) {
		setenv("TERM", "xterm", 1);
		if (!run->ms && !freopen("/dev/null", "w", stdout))
			_exit(127);
		execv(path, run->args);
		_exit(127);
	}
	if (pid > 0 && run->ms)
		watch_screen(terminal, run->ms);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		die("%s: %s", path, strerror(errno));
	close(terminal);
	if (status)
		return 0;
	return ((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000ULL +
		used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

#define TOOL_REFRESHES	5

/* many refreshes take so much more than few */
static void tool(unsigned int nr, const char *name, const char *path,
		 const struct tool_run *few, const struct tool_run *many)
{
	uint64_t less, more = 0;

	/* the first time it is read from the disk */
	run_cpu(path, few);
	less = run_cpu(path, few);
	if (less)
		more = run_cpu(path, many);
	if (more > less)
		printf("%u\tperf gpu %s\t%lu\n", nr, name, (more - less) / TOOL_REFRESHES);
	else
		printf("%u\tperf gpu %s\tn/a: %s\n", nr, name,
		       less && more ? "less than its starts differ by" : "it has failed");
}

static void tools(unsigned int nr, const char *path)
{
	static char *const screen[] = { "perf-gpu", "top", NULL };
	static char *const top[] = { "perf-gpu", "top", "-d", "0.2", "-n", "1", NULL };
	static char *const more_top[] = { "perf-gpu", "top", "-d", "0.2", "-n", "6", NULL };
	static char *const stat[] = { "perf-gpu", "stat", "-a", "--per-client", "-I", "1000",
				      "-o", "/dev/null", "--", "sleep", "1.5", NULL };
	static char *const more_stat[] = { "perf-gpu", "stat", "-a", "--per-client", "-I", "1000",
					   "-o", "/dev/null", "--", "sleep", "6.5", NULL };

	tool(nr, "top, in a terminal", path, &(struct tool_run){ .args = screen, .ms = 1500 },
	     &(struct tool_run){ .args = screen, .ms = 6500 });
	tool(nr, "top -n, all lines", path, &(struct tool_run){ .args = top },
	     &(struct tool_run){ .args = more_top });
	tool(nr, "stat -I", path, &(struct tool_run){ .args = stat },
	     &(struct tool_run){ .args = more_stat });
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

int main(int argc, char **argv)
{
	static const unsigned int numbers[] = { 1, 10, 100, 1000, CLIENTS_MAX };
	struct rlimit files = { 8192, 8192 };
	uint64_t usages[ROUNDS], fdinfo[ROUNDS];
	unsigned int i, k, before = 0;
	int dev, event;

	if (argc != 2)
		die("usage: refresh PERF-GPU");
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
		printf("%u\t/dev/gpu_pmu\t%lu\n", before, median(usages));
		printf("%u\t  fdinfo\t%lu\n", before, median(fdinfo));
		/* in between they tell nothing more */
		if (before == 1 || before == 100 || before == CLIENTS_MAX)
			tools(before, argv[1]);
		fflush(stdout);
	}
	return 0;
}
