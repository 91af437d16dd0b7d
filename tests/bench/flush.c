// SPDX-License-Identifier: GPL-2.0
/*
 * What a flush costs: by the reports that it reads, by the contexts that there are,
 * and by the events that are open. Runs in a virtual machine in which a nanosecond
 * is an instruction; ftrace says how long the timer took, less what the simulated
 * hardware did in it.
 *
 * Prints a line for each case: contexts, events, the unit's period (us, 0: it does
 * not run), reports, nanoseconds of the flush and, as the floor, those that it takes to copy as many bytes as the reports have.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "perf.h"
#include "refgpu.h"

#define TRACING		"/sys/kernel/tracing/"
#define FLUSH_US	"/sys/module/gpu_pmu/parameters/flush_us"
#define REFGPU		"/sys/module/refgpu/parameters/"
#define STATE		"/sys/kernel/debug/refgpu/refgpu.0/state"
#define FLUSH_MS	100
#define REPORT_BYTES	64
#define FILES		4	/* over which the contexts are spread */
#define TICKS		7	/* of the timer, of which the median is taken */

static struct refgpu gpu[FILES];
static uint32_t context[FILES][4096 / FILES];
static unsigned int minor_number;

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("flush: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	exit(1);
}

static void check(const char *what, int ret)
{
	if (ret < 0)
		die("%s: %s", what, strerror(-ret));
}

static void set(const char *path, const char *fmt, unsigned int value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, fmt, value) < 0 || fclose(file))
		die("%s: %s", path, strerror(errno));
}

/* how many reports the unit has written */
static uint64_t reports_written(void)
{
	FILE *file = fopen(STATE, "r");
	uint64_t nr = 0;
	char line[256];

	if (!file)
		die("%s: %s", STATE, strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "reports %lu", &nr) == 1)
			break;
	fclose(file);
	return nr;
}

static int event_open(const char *name, unsigned int dev, int fd, uint32_t ctx)
{
	struct gpu_config config = {
		.event = gpu_event_id(name), .dev = dev, .fd = fd, .ctx = ctx,
	};
	int event = gpu_event_open(&config, -1, 0, -1);

	check(name, event);
	check("enable", gpu_event_enable(event));
	return event;
}

/* each has had the GPU once, so that the PMU knows it */
static void contexts_make(unsigned int nr)
{
	struct refgpu_batch batch = {};
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct refgpu *g = &gpu[i % FILES];
		uint32_t *ctx = &context[i % FILES][i / FILES];

		check("context", refgpu_context(g, REFGPU_PRIORITY_NORMAL, ctx));
		refgpu_spin(&batch, 1);
		check("submit", refgpu_submit(g, *ctx, i & 1, &batch, 0, 0));
	}
}

static void contexts_end(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		check("destroy", refgpu_context_destroy(&gpu[i % FILES],
							context[i % FILES][i / FILES]));
}

/* both engines are busy, and change between two contexts each millisecond */
static void load_start(uint32_t *busy)
{
	struct refgpu_batch batch = {};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		check("context", refgpu_context(&gpu[0], REFGPU_PRIORITY_NORMAL, &busy[i]));
		refgpu_spin(&batch, REFGPU_MAX_CYCLES);
		check("submit", refgpu_submit(&gpu[0], busy[i], i & 1, &batch, 0, 0));
	}
}

static void load_end(const uint32_t *busy)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		check("destroy", refgpu_context_destroy(&gpu[0], busy[i]));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* a line of the trace says how long a function took: ns, or 0 if it does not */
static double line_duration(char *line)
{
	char *at = strstr(line, " us");

	if (!at)
		return 0;
	while (at > line && strchr("0123456789.", at[-1]))
		at--;
	return strtod(at, NULL) * 1000;
}

/* how long each flush took by the timer, without the hardware's part; how many */
static unsigned int flushes_read(double *ns, unsigned int max)
{
	FILE *file = fopen(TRACING "trace", "r");
	double hardware = 0, duration;
	unsigned int nr = 0;
	char line[256];

	if (!file)
		die("trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), file) && nr < max) {
		duration = line_duration(line);
		if (!duration)
			continue;
		if (strstr(line, "pmu_sync")) {
			hardware += duration;
		} else if (strstr(line, "flush_tick")) {
			ns[nr++] = duration - hardware;
			hardware = 0;
		}
	}
	fclose(file);
	return nr;
}

static double flush_median(double *reports)
{
	uint64_t before, after;
	double ns[TICKS + 1];
	unsigned int nr;

	set(TRACING "trace", "%u", 0);
	before = reports_written();
	set(TRACING "tracing_on", "%u", 1);
	do {
		usleep(FLUSH_MS * 1000);
		nr = flushes_read(ns, TICKS + 1);
	} while (nr <= TICKS);
	after = reports_written();
	set(TRACING "tracing_on", "%u", 0);
	*reports = (double)(after - before) / nr;
	/* the first one may have had what was there before */
	qsort(ns + 1, TICKS, sizeof(ns[0]), compare);
	return ns[1 + TICKS / 2];
}

static double copy_ns(double reports)
{
	static char from[1 << 21], to[1 << 21];
	size_t bytes = reports * REPORT_BYTES;
	struct timespec begin, end;
	int i;

	/* the second time there is no page to be had first */
	for (i = 0; i < 2; i++) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		memcpy(to, from, bytes < sizeof(to) ? bytes : sizeof(to));
		__asm__ volatile("" :: "r"(to) : "memory");
		clock_gettime(CLOCK_MONOTONIC, &end);
	}
	return (end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec);
}

static void measure(unsigned int contexts, unsigned int events, unsigned int period_us)
{
	int native = -1, lost, *fds = calloc(events + 1, sizeof(*fds));
	double reports, ns, copy;
	uint32_t busy[4];
	unsigned int i;

	set(REFGPU "counters_period_us", "%u", period_us);
	lost = event_open("lost", minor_number, 0, 0);
	contexts_make(contexts);
	load_start(busy);
	/* the unit runs if there are to be reports at all */
	if (period_us)
		native = event_open("gpu-cycles", minor_number, 0, 0);
	for (i = 0; i < events; i++) {
		unsigned int of = i % contexts;

		fds[i] = event_open(i & 1 || !period_us ? "gpu-busy" : "gpu-cycles", 0,
				    gpu[of % FILES].fd, context[of % FILES][of / FILES]);
	}

	ns = flush_median(&reports);
	copy = copy_ns(reports);
	printf("%u %u %u %.0f %.0f %.0f\n", contexts, events, period_us, reports, ns, copy);
	fflush(stdout);
	if (gpu_event_read(lost))
		die("%lu reports were lost", gpu_event_read(lost));

	for (i = 0; i < events; i++)
		close(fds[i]);
	free(fds);
	load_end(busy);
	contexts_end(contexts);
	if (native >= 0)
		close(native);
	close(lost);
}

static void setup(void)
{
	struct rlimit files = { 8192, 8192 };
	unsigned int i;
	char line[64];

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("files: %s", strerror(errno));
	for (i = 0; i < FILES; i++)
		check("open", refgpu_open(&gpu[i], 0));
	if (shell_line(line, sizeof(line),
		       "ls /sys/bus/platform/devices/refgpu.0/drm | sed -n s/renderD//p"))
		die("no render node");
	minor_number = atoi(line);
	set(FLUSH_US, "%u", FLUSH_MS * 1000);
	set(REFGPU "counters_size", "%u", 4 << 20);
	if (shell("cd " TRACING " && echo 0 >tracing_on && echo flush_tick >set_ftrace_filter && "
		  "echo pmu_sync >>set_ftrace_filter && echo 1 >options/funcgraph-tail && "
		  "echo function_graph >current_tracer"))
		die("no function graph tracer");
}

int main(void)
{
	static const unsigned int periods[] = { 0, 10000, 1000, 100, 20 };
	static const unsigned int contexts[] = { 1, 64, 1024, 4096 };
	static const unsigned int events[] = { 1, 64, 1024 };
	unsigned int i, k;

	setup();
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		measure(1, 1, periods[i]);
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		measure(4096, 1024, periods[i]);
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		for (k = 0; k < sizeof(events) / sizeof(events[0]); k++)
			measure(contexts[i], events[k], 1000);
	return 0;
}
