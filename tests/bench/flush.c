// SPDX-License-Identifier: GPL-2.0
/*
 * What a flush costs: by the records and the reports that it takes over, by the contexts
 * that there are, and by the events that are open. It is done in portions, some of them as
 * soon as a batch of records has come: all that a period has are taken together. Runs in a
 * virtual machine in which a nanosecond is an instruction; ftrace says how long they took,
 * less what the simulated hardware did in them.
 *
 * Prints a line for each case: contexts, events, the unit's period (us, 0: it does not
 * run), reports, records (-: some, of engines that are busy; with a b: of a burst of jobs
 * that are outstanding together), nanoseconds of the flush, and, as the floor, those that it
 * takes to copy as many bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "bench.h"
#include "perf.h"
#include "refgpu.h"
#include "trace.h"

#define FLUSH_US	"/sys/module/gpu_pmu/parameters/flush_us"
#define REFGPU		"/sys/module/refgpu/parameters/"
#define STATE		"/sys/kernel/debug/refgpu/refgpu.0/state"
#define FLUSH_MS	100
#define FLUSH_LONG_MS	1000	/* for jobs, one after the other */
#define JOB_US		20	/* in which a short one is complete */
#define LONG_JOB_MS	(3 * FLUSH_LONG_MS / 2)
#define TICK_NS		80
#define REPORT_BYTES	64
#define RECORD_BYTES	64
#define FILES		4	/* over which the contexts are spread */
#define ROUNDS		7	/* of records, of which the median is taken */
#define PERIODS		8	/* of the timer, of which the mean is taken */

static struct refgpu gpu[FILES];
static uint32_t context[FILES][4096 / FILES];
static unsigned int minor_number;

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

/**
 * struct flushes - what was done since the trace was cleared
 * @ns:		how long portions took, all together, without the hardware's part
 * @ticks:	how many of them were the timer's
 * @inside:	of one, it is known that it has begun
 * @hardware:	and that the hardware took so long in it
 */
struct flushes {
	double ns;
	unsigned int ticks;
	bool inside;
	double hardware;
};

static bool flushes_add(void *arg, const char *function, double ns)
{
	struct flushes *flushes = arg;

	if (!strcmp(function, "pmu_sync")) {
		/* else it is of somebody else, who flushes for himself */
		if (flushes->inside)
			flushes->hardware += ns;
	} else if (!ns) {
		flushes->inside = true;
		flushes->hardware = 0;
	} else {
		flushes->ns += ns - flushes->hardware;
		flushes->ticks += !strcmp(function, "flush_tick");
		flushes->inside = false;
		flushes->hardware = 0;
	}
	return true;
}

static struct flushes flushes_read(void)
{
	struct flushes flushes = {};

	trace_read(flushes_add, &flushes);
	return flushes;
}

static void a_while(void)
{
	usleep(FLUSH_MS * 1000 / 4);
}

/* until a round of the timer has just been: all of it, a while is longer than that */
static void flush_wait(void)
{
	trace_clear();
	trace_on(true);
	do
		a_while();
	while (!flushes_read().ticks);
	a_while();
	trace_clear();
}

/* of one period */
static double flush_mean(double *reports)
{
	const uint64_t period = FLUSH_MS * 1000000ULL;
	uint64_t before, start, took;
	unsigned int periods;
	double ns;

	flush_wait();
	before = reports_written();
	start = bench_now();
	/* it ends where it has begun, between two rounds: unless this program was held up */
	do {
		usleep(1000);
		took = bench_now() - start;
	} while (took < PERIODS * period);
	trace_on(false);
	/* it began a quarter of a period behind a round */
	periods = (took + period / 4) / period;
	*reports = (double)(reports_written() - before) / periods;
	ns = flushes_read().ns;
	return ns / periods;
}

static double copy_ns(size_t bytes)
{
	static char from[1 << 21], to[1 << 21];
	uint64_t begin, end;
	int i;

	/* the second time there is no page to be had first */
	for (i = 0; i < 2; i++) {
		begin = bench_now();
		memcpy(to, from, bytes < sizeof(to) ? bytes : sizeof(to));
		__asm__ volatile("" :: "r"(to) : "memory");
		end = bench_now();
	}
	return end - begin;
}

/**
 * struct records - what there is to be taken over in a period
 * @jobs:	each is three records: it is queued, it runs, it is complete
 * @end:	and one of a job that was queued, and began to run, in the period before
 * @burst:	all are outstanding at a time; else each is complete before the next one is
 *		submitted
 */
struct records {
	unsigned int jobs;
	bool end;
	bool burst;
};

/* it ends in the middle of the next period, on an engine of its own */
static void long_job(uint32_t ctx)
{
	struct refgpu_batch batch = {};

	refgpu_spin(&batch, LONG_JOB_MS * 1000000ULL / TICK_NS);
	check("submit", refgpu_submit(&gpu[0], ctx, 1, &batch, 0, 0));
	flush_wait();
}

static void short_jobs(const struct records *records, uint32_t ctx)
{
	struct refgpu_batch batch = {};
	unsigned int i;

	for (i = 0; i < records->jobs; i++) {
		refgpu_spin(&batch, 1);
		check("submit", refgpu_submit(&gpu[0], ctx, 0, &batch, 0, 0));
		if (!records->burst)
			usleep(JOB_US);
	}
}

static void measure_records(const struct records *records)
{
	unsigned int nr = records->jobs * 3 + records->end, i;
	double ns[ROUNDS], copy = copy_ns(nr * RECORD_BYTES);
	uint32_t ctx, long_ctx;
	uint64_t before;
	int lost, done;

	lost = event_open("lost", minor_number, 0, 0);
	done = event_open("jobs-done", minor_number, 0, 0);
	check("context", refgpu_context(&gpu[0], REFGPU_PRIORITY_NORMAL, &ctx));
	check("context", refgpu_context(&gpu[0], REFGPU_PRIORITY_NORMAL, &long_ctx));
	for (i = 0; i < ROUNDS; i++) {
		flush_wait();
		if (records->end)
			long_job(long_ctx);
		before = gpu_event_read(done);
		short_jobs(records, ctx);
		/* the timer's next round has what is left, and tells the event */
		while (!flushes_read().ticks ||
		       gpu_event_read(done) - before < records->jobs + records->end)
			a_while();
		trace_on(false);
		ns[i] = flushes_read().ns;
	}
	if (gpu_event_read(lost))
		die("%lu records were lost", gpu_event_read(lost));
	qsort(ns, ROUNDS, sizeof(ns[0]), compare);
	printf("1 2 0 0 %u%s %.0f %.0f\n", nr, records->burst ? "b" : "", ns[ROUNDS / 2], copy);
	fflush(stdout);
	check("destroy", refgpu_context_destroy(&gpu[0], ctx));
	check("destroy", refgpu_context_destroy(&gpu[0], long_ctx));
	close(done);
	close(lost);
}

static void measure(unsigned int contexts, unsigned int events, unsigned int period_us)
{
	int native = -1, lost, *fds = calloc(events + 1, sizeof(*fds));
	double reports, ns, copy;
	uint32_t busy[4];
	unsigned int i;

	bench_set(REFGPU "counters_period_us", period_us);
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

	ns = flush_mean(&reports);
	copy = copy_ns(reports * REPORT_BYTES);
	printf("%u %u %u %.0f - %.0f %.0f\n", contexts, events, period_us, reports, ns, copy);
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
	const char *functions[] = { "flush_tick", "pmu_sync", NULL, NULL };
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
	bench_set(REFGPU "counters_size", 4 << 20);
	/* a kernel part that is older has the timer alone */
	if (!shell_line(line, sizeof(line),
			"grep '^flush_batch ' /sys/kernel/tracing/available_filter_functions"))
		functions[2] = "flush_batch";
	trace_setup(functions);
}

int main(void)
{
	/* 0, 1, 100, 1000 and 10000 of them */
	static const struct records records[] = {
		{ .jobs = 0 },
		{ .jobs = 0, .end = true },
		{ .jobs = 33, .end = true },
		{ .jobs = 333, .end = true },
		{ .jobs = 3333, .end = true },
		{ .jobs = 33, .end = true, .burst = true },
		{ .jobs = 333, .end = true, .burst = true },
		{ .jobs = 3333, .end = true, .burst = true },
	};
	static const unsigned int periods[] = { 0, 10000, 1000, 100, 20 };
	static const unsigned int contexts[] = { 1, 64, 1024, 4096 };
	static const unsigned int events[] = { 1, 64, 1024 };
	unsigned int i, k;

	setup();
	bench_set(FLUSH_US, FLUSH_LONG_MS * 1000);
	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		measure_records(&records[i]);
	bench_set(FLUSH_US, FLUSH_MS * 1000);
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		measure(1, 1, periods[i]);
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++)
		measure(4096, 1024, periods[i]);
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		for (k = 0; k < sizeof(events) / sizeof(events[0]); k++)
			measure(contexts[i], events[k], 1000);
	return 0;
}
