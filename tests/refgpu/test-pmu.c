// SPDX-License-Identifier: GPL-2.0
/*
 * Is what the PMU counts what the jobs did, to the last digit? As root, in a
 * machine that has refgpu loaded with two devices.
 *
 *	test-pmu [FIRST [LAST]]	seeds, 1 to 100 if not said; less on a slow kernel
 *	test-pmu wraps		counters and reports wrap, and
 *	test-pmu clock		the clock: these need a refgpu that was just loaded, with
 *				bases a little before
 *	test-pmu submit FD CTX SEED
 *				what a client does that stock perf runs
 *
 * REFGPU_KO names the module, for the test that unloads it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpu_pmu.h>

#include "events.h"
#include "spin.h"
#include "tap.h"

#define FILES		4
#define CONTEXTS	64
#define WORKERS		4
#define ENGINES		2
#define JOB_LINES	4096
#define METERS		2048
/* the one with all contexts: it comes early enough for a slow kernel's few seeds */
#define FULL_SEED	7

static unsigned int first_seed = 1, last_seed;
static unsigned long checks;
static char program[256];

/* ---- a load: contexts of some files, their jobs, and what those must count ---- */

struct context {
	unsigned int file;
	uint32_t id;
	uint64_t hw_id;
	uint32_t priority;
	struct refgpu_buffer bo;
	uint32_t sync[ENGINES];
	struct load_counts counts[ENGINES];
	struct tally tally[ENGINES];
};

/* shared with the processes that submit */
struct world {
	uint64_t seed;
	unsigned int nr_files;
	unsigned int nr_contexts;
	unsigned int nr_workers;
	unsigned int nr_jobs;
	bool processes;
	uint64_t first_cycles;		/* of a job of each worker, ahead of the others */
	struct load_mix mix;
	struct refgpu gpu[FILES];
	struct context context[CONTEXTS];
	bool failed;
	unsigned int minor;
	/* of the last load */
	uint64_t ticks_open, ticks_begin, ticks_end;
	struct device_state begin, end;
};

static struct world *world;
static struct meter meters[METERS];
static unsigned int nr_meters;
static struct job_line lines[JOB_LINES];

static uint64_t ticks(void)
{
	uint64_t value = 0;

	CHECK_EQ(refgpu_get(&world->gpu[0], REFGPU_PARAM_TICKS, 0, &value), 0);
	return value;
}

/* what a seed means */
static void world_plan(uint64_t seed, unsigned int max_contexts)
{
	static const unsigned int cycles[] = { 100, 600, 2500 };
	struct load_random random = { seed * 7919 };

	memset(world, 0, sizeof(*world));
	world->seed = seed;
	world->nr_files = 1 + load_random(&random, FILES);
	world->nr_contexts = 1 + load_random(&random, max_contexts);
	if (world->nr_contexts < world->nr_files)
		world->nr_files = world->nr_contexts;
	world->nr_workers = 1 + load_random(&random, WORKERS);
	world->processes = load_random(&random, 2);
	world->nr_jobs = 100 + load_random(&random, 250);
	world->first_cycles = (1 + load_random(&random, 20)) * MS_CYCLES;
	world->mix.ops = LOAD_MIX_ALL;
	world->mix.max_cmds = 1 + load_random(&random, 4);
	world->mix.max_cycles = cycles[load_random(&random, 3)];
}

static void world_open(void)
{
	struct load_random random = { world->seed };
	unsigned int i, e;

	for (i = 0; i < world->nr_files; i++)
		CHECK_EQ(refgpu_open(&world->gpu[i], 0), 0);
	world->minor = device_minor(&world->gpu[0]);
	for (i = 0; i < world->nr_contexts; i++) {
		struct context *context = &world->context[i];
		struct refgpu *gpu;

		context->file = i < world->nr_files ? i : load_random(&random, world->nr_files);
		gpu = &world->gpu[context->file];
		context->priority = load_random(&random, 3);
		CHECK_EQ(refgpu_context(gpu, context->priority, &context->id), 0);
		CHECK_EQ(refgpu_get(gpu, REFGPU_PARAM_HW_ID, context->id, &context->hw_id), 0);
		CHECK_EQ(refgpu_buffer(gpu, 1 << 16, &context->bo), 0);
		for (e = 0; e < ENGINES; e++)
			context->sync[e] = refgpu_sync(gpu);
	}
}

static void world_close(void)
{
	unsigned int i;

	for (i = 0; i < world->nr_contexts; i++)
		munmap(world->context[i].bo.map, world->context[i].bo.size);
	for (i = 0; i < world->nr_files; i++)
		refgpu_close(&world->gpu[i]);
}

static bool submit(struct context *context, unsigned int engine, struct refgpu_batch *batch,
		   uint32_t in)
{
	return !refgpu_submit(&world->gpu[context->file], context->id, engine, batch, in,
			      context->sync[engine]);
}

static bool submit_wait(struct context *context, unsigned int engine, uint64_t cycles)
{
	struct refgpu_batch batch = {};

	refgpu_wait(&batch, cycles);
	load_count(&batch.cmds[0], &context->counts[engine]);
	context->counts[engine].jobs++;
	return submit(context, engine, &batch, 0);
}

/* submits to its own share of the contexts */
static void work(unsigned int worker)
{
	struct load_random random = { world->seed * 31 + worker };
	unsigned int mine, i, e;
	struct refgpu_batch batch = {};
	struct context *context, *last;
	uint32_t after = 0, in;
	bool ok = true;

	mine = (world->nr_contexts + world->nr_workers - 1 - worker) / world->nr_workers;
	if (!mine)
		return;
	/* the first job is a long one: so the others queue up behind it */
	for (e = 0; e < ENGINES; e++)
		ok &= submit_wait(&world->context[worker], e, world->first_cycles);
	last = &world->context[worker];
	for (i = 0; i < world->nr_jobs / world->nr_workers; i++) {
		context = &world->context[worker +
					  world->nr_workers * load_random(&random, mine)];
		e = load_random(&random, ENGINES);
		load_job(&random, &world->mix, &context->bo, &batch, &context->counts[e]);
		/* some wait for the one before */
		in = last->file == context->file && !load_random(&random, 4) ? after : 0;
		ok &= submit(context, e, &batch, in);
		last = context;
		after = context->sync[e];
	}
	if (!ok)
		world->failed = true;
}

static void *work_thread(void *worker)
{
	work((uintptr_t)worker);
	return NULL;
}

static void work_in_processes(void)
{
	unsigned int i;
	int status;

	fflush(stdout);
	for (i = 1; i < world->nr_workers; i++) {
		if (!fork()) {
			work(i);
			_exit(0);
		}
	}
	work(0);
	for (i = 1; i < world->nr_workers; i++)
		CHECK(wait(&status) > 0 && !status);
}

static void work_in_threads(void)
{
	pthread_t threads[WORKERS];
	unsigned int i;

	for (i = 1; i < world->nr_workers; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, work_thread, (void *)(uintptr_t)i), 0);
	work(0);
	for (i = 1; i < world->nr_workers; i++)
		pthread_join(threads[i], NULL);
}

static uint64_t preemptions(unsigned int engine)
{
	struct device_state state;

	CHECK_EQ(device_state(0, &state), 0);
	return state.engine[engine].preemptions;
}

static uint64_t busy_for(const struct context *context, unsigned int engine)
{
	struct refgpu_usage usage;

	CHECK_EQ(refgpu_usage(&world->gpu[context->file], &usage), 0);
	return engine ? usage.copy : usage.render;
}

/* a job of these cycles, and it is on the engine, or was */
static void run_alone(struct context *context, unsigned int engine, uint64_t cycles)
{
	uint64_t before = busy_for(context, engine);
	int64_t end = refgpu_now() + 10 * SECOND;

	CHECK(submit_wait(context, engine, cycles));
	while (busy_for(context, engine) == before && refgpu_now() < end)
		;
	CHECK(refgpu_now() < end);
}

/*
 * One that runs is taken off its engine for another one, of its priority or a higher. How
 * long it takes to submit that is up to the machine, so the first is longer and longer,
 * until it was there when the second came. That this has an end is what is checked.
 */
static void preempt(unsigned int engine)
{
	struct context *low = &world->context[0], *high = &world->context[1], *swap;
	uint64_t before = preemptions(engine), cycles;

	if (low->priority > high->priority) {
		swap = low;
		low = high;
		high = swap;
	}
	for (cycles = 2 * MS_CYCLES; preemptions(engine) == before; cycles *= 2) {
		CHECK(cycles < 2048 * MS_CYCLES);
		if (tap_failed)
			return;
		run_alone(low, engine, cycles);
		CHECK(submit_wait(high, engine, 1000));
		CHECK_EQ(refgpu_sync_wait(&world->gpu[high->file], high->sync[engine],
					  60 * SECOND), 0);
		CHECK_EQ(refgpu_sync_wait(&world->gpu[low->file], low->sync[engine],
					  60 * SECOND), 0);
	}
}

static void world_run(void)
{
	unsigned int i, e;

	for (e = 0; e < ENGINES && world->nr_contexts > 1; e++)
		preempt(e);
	if (world->processes)
		work_in_processes();
	else
		work_in_threads();
	CHECK(!world->failed);
	for (i = 0; i < world->nr_contexts; i++) {
		struct context *context = &world->context[i];

		for (e = 0; e < ENGINES; e++)
			if (context->counts[e].jobs)
				CHECK_EQ(refgpu_sync_wait(&world->gpu[context->file],
							  context->sync[e], 60 * SECOND), 0);
	}
}

/* what it must have counted, given how long each job waited */
static void world_tally(int jobs_fd)
{
	int nr = job_lines(jobs_fd, lines, JOB_LINES), i;
	unsigned int c, e;

	CHECK(nr > 0);
	for (c = 0; c < world->nr_contexts; c++) {
		for (e = 0; e < ENGINES; e++) {
			struct context *context = &world->context[c];

			memset(&context->tally[e], 0, sizeof(context->tally[e]));
			tally_count(&context->tally[e], &context->counts[e]);
			for (i = 0; i < nr; i++)
				if (lines[i].hw_id == context->hw_id && lines[i].engine == e)
					context->tally[e].v[EVENT_WAIT] += TICK_NS *
						(lines[i].started - lines[i].submitted);
		}
	}
}

/* of a file (-1: all), a context of it (0: all), an engine (from 1; 0: all) */
static struct tally world_sum(int fd, uint32_t ctx, unsigned int engine)
{
	struct tally sum = {};
	unsigned int i, e;

	for (i = 0; i < world->nr_contexts; i++) {
		struct context *context = &world->context[i];

		if (fd > 0 && fd != world->gpu[context->file].fd)
			continue;
		if (ctx && ctx != context->id)
			continue;
		for (e = 0; e < ENGINES; e++)
			if (!engine || engine == e + 1)
				tally_add(&sum, &context->tally[e]);
	}
	return sum;
}

/* ---- events for it ---- */

static void want(unsigned int event, struct gpu_config config, pid_t pid, int cpu)
{
	if (nr_meters == METERS)
		abort();
	meters[nr_meters++] = (struct meter) {
		.event = event, .config = config, .pid = pid, .cpu = cpu,
	};
}

/* all that there is to know of a client or a context */
static void want_view(unsigned int fd, uint32_t ctx, unsigned int engine, bool on_task)
{
	unsigned int event;

	for (event = 0; event < EVENT_NR; event++)
		want(event, (struct gpu_config) { .fd = fd, .ctx = ctx, .engine = engine },
		     on_task ? 0 : -1, on_task ? -1 : 0);
}

/* once for each CPU, as perf does */
static void want_device(unsigned int dev, unsigned int engine)
{
	unsigned int event;
	int cpu;

	for (event = 0; event < EVENT_NR; event++)
		for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
			want(event, (struct gpu_config) { .dev = dev, .engine = engine }, -1,
			     cpu);
}

static void want_all(bool on_task)
{
	unsigned int i, e;

	nr_meters = 0;
	for (i = 0; i < world->nr_contexts; i++) {
		struct context *context = &world->context[i];

		for (e = 0; e <= (i < 4 ? ENGINES : 0); e++)
			want_view(world->gpu[context->file].fd, context->id, e, on_task);
	}
	for (i = 0; i < world->nr_files; i++)
		for (e = 0; e <= ENGINES; e++)
			want_view(world->gpu[i].fd, 0, e, on_task);
	for (e = 0; e <= ENGINES; e++)
		want_device(world->minor, e);
	want_device(0, 0);
	want(EVENT_LOST, (struct gpu_config) { .dev = world->minor }, -1, 0);
	want(EVENT_LOST, (struct gpu_config) { .dev = world->minor }, -1, 0);
	want(EVENT_LOST, (struct gpu_config) {}, -1, 0);
}

/* few of them, for few reports */
static void want_some(void)
{
	unsigned int i;

	nr_meters = 0;
	for (i = 0; i < world->nr_contexts; i++)
		want_view(world->gpu[world->context[i].file].fd, world->context[i].id, 0, false);
	want_device(world->minor, 0);
	want(EVENT_LOST, (struct gpu_config) { .dev = world->minor }, -1, 0);
}

static bool same_sum(const struct meter *a, const struct meter *b)
{
	return a->event == b->event && a->config.fd == b->config.fd &&
	       a->config.ctx == b->config.ctx && a->config.engine == b->config.engine &&
	       a->config.dev == b->config.dev && a->cpu == b->cpu + 1;
}

static void check_meter(const struct meter *meter, uint64_t value)
{
	uint64_t expected = 0;

	if (meter->event != EVENT_LOST)
		expected = world_sum(meter->config.fd ?: -1U, meter->config.ctx,
				     meter->config.engine).v[meter->event];
	checks++;
	if (value == expected)
		return;
	if (++tap_failed <= 10)
		printf("# seed %lu: %s dev %u fd %u ctx %lu engine %u: %lu, not %lu\n",
		       world->seed, event_names[meter->event], meter->config.dev,
		       meter->config.fd, meter->config.ctx, meter->config.engine, value,
		       expected);
}

static void check_meters(void)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < nr_meters; i++) {
		value += meters[i].value;
		if (i + 1 < nr_meters && same_sum(&meters[i + 1], &meters[i]))
			continue;
		check_meter(&meters[i], value);
		value = 0;
	}
}

/* the driver's own word */
static void check_fdinfo(void)
{
	struct refgpu_usage usage;
	unsigned int i;

	for (i = 0; i < world->nr_files; i++) {
		int fd = world->gpu[i].fd;

		CHECK_EQ(refgpu_usage(&world->gpu[i], &usage), 0);
		CHECK_EQ(usage.render, world_sum(fd, 0, 1).v[EVENT_BUSY]);
		CHECK_EQ(usage.copy, world_sum(fd, 0, 2).v[EVENT_BUSY]);
		checks += 2;
	}
}

/* the load that was planned, with the events that are wanted, in groups */
static void run_counted(unsigned int group)
{
	struct window window;
	int jobs_fd = device_file(0, "jobs", O_RDONLY), err;

	CHECK(jobs_fd >= 0);
	world->ticks_open = ticks();
	err = meters_open_groups(meters, nr_meters, group);
	CHECK_EQ(err, 0);
	if (err)
		goto close_jobs;
	CHECK_EQ(meters_on(meters, nr_meters, &window), 0);
	CHECK_EQ(device_state(0, &world->begin), 0);
	world->ticks_begin = ticks();
	world_run();
	world->ticks_end = ticks();
	CHECK_EQ(device_state(0, &world->end), 0);
	CHECK_EQ(meters_off(meters, nr_meters, &window), 0);
	world_tally(jobs_fd);
	check_meters();
	check_fdinfo();
	meters_close(meters, nr_meters);
close_jobs:
	close(jobs_fd);
}

/* how often somebody was in the load that was just done */
static uint64_t preempted(unsigned int engine)
{
	return world->end.engine[engine].preemptions - world->begin.engine[engine].preemptions;
}

static void seeds_are_exact(void)
{
	unsigned int seed, contexts = 0, least = CONTEXTS, most = 0, e;
	uint64_t times = 0, jobs = 0;
	struct tally sum;

	for (seed = first_seed; seed <= last_seed && !tap_failed; seed++) {
		/* an event of a task looks whenever that task comes and goes */
		bool on_task = seed % 10 == 0;

		world_plan(seed, on_task ? 4 : CONTEXTS);
		if (seed == FULL_SEED)
			world->nr_contexts = CONTEXTS;
		world_open();
		want_all(on_task);
		run_counted(nr_meters < 150 ? 1 : 16 << seed % 4);
		sum = world_sum(-1, 0, 0);
		jobs += sum.v[EVENT_JOBS];
		contexts += world->nr_contexts;
		if (least > world->nr_contexts)
			least = world->nr_contexts;
		if (most < world->nr_contexts)
			most = world->nr_contexts;
		for (e = 0; e < ENGINES; e++) {
			CHECK(preempted(e) > 0 || world->nr_contexts < 2);
			times += preempted(e);
		}
		world_close();
	}
	if (first_seed <= FULL_SEED && FULL_SEED <= last_seed)
		CHECK_EQ(most, CONTEXTS);
	printf("# seeds %u to %u: %u contexts, %u to %u of them, %lu jobs, %lu preemptions, %lu checks\n",
	       first_seed, seed - 1, contexts, least, most, jobs, times, checks);
}

/* ---- wraps ---- */

static uint64_t parameter(const char *name)
{
	uint64_t value = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/refgpu/parameters/%s", name);
	file = fopen(path, "r");
	CHECK(file && fscanf(file, "%lu", &value) == 1);
	if (file)
		fclose(file);
	return value;
}

static void wrap_open(uint64_t seed)
{
	world_plan(seed, 4);
	world->nr_contexts = 4;
	world->nr_jobs = 200;
	world->nr_workers = 4;
	world->first_cycles = 120 * MS_CYCLES * slowdown();
	world->mix.max_cycles = 2500;
	world_open();
	want_some();
}

/* each of them in the middle of some load: what it counts is the same before and after */
static void counters_wrap(void)
{
	static const unsigned int width[] = {
		[LOAD_CYCLES] = 32, [LOAD_ACTIVE] = 40, [LOAD_READ] = 40,
		[LOAD_WRITE] = 40, [LOAD_MISSES] = 32,
	};
	uint64_t base = parameter("counter_base");
	unsigned int e, k, rounds = 0, wrapped = 0;
	bool done[ENGINES][LOAD_NR_COUNTERS] = {};

	while (wrapped < ENGINES * LOAD_NR_COUNTERS && rounds++ < 20 && !tap_failed) {
		wrap_open(rounds);
		run_counted(METERS);
		for (e = 0; e < ENGINES; e++)
			for (k = 0; k < LOAD_NR_COUNTERS; k++) {
				uint64_t begin = base + world->begin.engine[e].counters[k];
				uint64_t end = base + world->end.engine[e].counters[k];

				if (done[e][k] || begin >> width[k] == end >> width[k])
					continue;
				done[e][k] = true;
				wrapped++;
			}
		world_close();
	}
	CHECK_EQ(wrapped, ENGINES * LOAD_NR_COUNTERS);
	printf("# all counters have wrapped after %u loads\n", rounds);
}

/* how many there are at most before the load, and at least after it */
static bool reports_wrapped(uint64_t left)
{
	uint64_t before = world->ticks_begin - world->ticks_open;
	uint64_t during = world->ticks_end - world->ticks_begin, most, least = 0;
	unsigned int e;

	/* for each period, each event that comes and goes, each flush, and some more */
	most = ENGINES * (before / MS_CYCLES + 4 * nr_meters + before / (5 * MS_CYCLES) + 4);
	for (e = 0; e < ENGINES; e++)
		least += world->end.engine[e].changes - world->begin.engine[e].changes +
			 during / MS_CYCLES - 1;
	printf("# %lu reports at most before the load, wraps at %lu, %lu at least after it\n", most,
	       left, least);
	return most < left && left < least;
}

/*
 * Numbers begin again with each start of the unit: so they wrap in each load. In the
 * middle of it if nothing held up its beginning, and then that is certain.
 */
static void reports_wrap(void)
{
	uint64_t left = (1ULL << 32) - parameter("report_base");
	unsigned int round, certain = 0;

	for (round = 1; round <= 10 && !tap_failed; round++) {
		wrap_open(100 + round);
		run_counted(METERS);
		certain += reports_wrapped(left);
		world_close();
	}
	printf("# in %u of 10 loads the reports' number has certainly wrapped\n", certain);
	CHECK(certain > 0);
}

static void clock_wraps(void)
{
	uint64_t wrap = ((parameter("clock_base") >> 32) + 1) << 32, now;

	wrap_open(1);
	world->first_cycles = 400 * MS_CYCLES;
	now = ticks();
	CHECK(now < wrap);
	/* the first jobs alone last 1.6 s */
	if (now + SECOND / TICK_NS < wrap)
		sleep_until(refgpu_now() + (wrap - now) * TICK_NS - SECOND);
	run_counted(METERS);
	CHECK(world->ticks_begin < wrap && wrap < world->ticks_end);
	printf("# the clock has wrapped %lu ms after the beginning, %lu ms before the end\n",
	       (wrap - world->ticks_begin) / MS_CYCLES, (world->ticks_end - wrap) / MS_CYCLES);
	world_close();
}

/* ---- one file, few contexts ---- */

#define IN_FLIGHT	20

/* switched off while jobs run, again and again: never ahead of the driver, nor behind */
static void fdinfo_in_flight(void)
{
	struct meter m[IN_FLIGHT + 1][ENGINES];
	struct refgpu_usage before, last = {};
	struct window window, between = {};
	uint32_t ctx[4];
	unsigned int i, e;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	for (i = 0; i <= IN_FLIGHT; i++) {
		for (e = 0; e < ENGINES; e++)
			m[i][e] = (struct meter)METER(EVENT_BUSY, .fd = gpu.fd, .engine = e + 1);
		CHECK_EQ(meters_open(m[i], ENGINES), 0);
		CHECK_EQ(meters_on(m[i], ENGINES, &window), 0);
	}
	for (i = 0; i < 4; i++)
		ctx[i] = spin_forever(REFGPU_PRIORITY_LOW, i & 1);
	CHECK(refgpu_until_both_run(&gpu));
	for (i = 0; i < IN_FLIGHT; i++) {
		between.off = refgpu_now();
		CHECK_EQ(refgpu_usage(&gpu, &before), 0);
		between.after = refgpu_now();
		/* both engines always run */
		CHECK(!i || window_holds(&between, before.render - last.render));
		CHECK(!i || window_holds(&between, before.copy - last.copy));
		CHECK_EQ(meters_off(m[i], ENGINES, &window), 0);
		between.before = refgpu_now();
		CHECK_EQ(refgpu_usage(&gpu, &last), 0);
		between.on = refgpu_now();
		CHECK(m[i][0].value >= before.render && m[i][0].value <= last.render);
		CHECK(m[i][1].value >= before.copy && m[i][1].value <= last.copy);
		run(context(REFGPU_PRIORITY_HIGH), i & 1, 1000);
	}
	for (i = 0; i < 4; i++)
		stop(ctx[i]);
	CHECK_EQ(refgpu_usage(&gpu, &before), 0);
	CHECK_EQ(meters_off(m[IN_FLIGHT], ENGINES, &window), 0);
	CHECK(before.render > last.render && before.copy > last.copy);
	CHECK_EQ(m[IN_FLIGHT][0].value, before.render);
	CHECK_EQ(m[IN_FLIGHT][1].value, before.copy);
	for (i = 0; i <= IN_FLIGHT; i++)
		meters_close(m[i], ENGINES);
	refgpu_close(&gpu);
}

/*
 * One runs and two wait when the first event on the machine is opened. It runs until all that
 * has been looked at, in a context of a higher priority that ends then.
 */
static void opened_in_mid_load(void)
{
	enum { GROWS, RUNS, RUNS_CYCLES, BUSY, CYCLES, WAIT, JOBS, DONE, ALL,
	       NEXT_BUSY, NEXT_CYCLES, NEXT_WAIT, NEXT_DONE, NR };
	static const unsigned int of_all[] = { BUSY, ALL }, of_next = 10000;
	struct refgpu_usage before, after, end;
	int jobs_fd = device_file(0, "jobs", O_RDONLY), nr;
	uint64_t opening, on, least, most;
	struct window window, rest;
	uint32_t runs, ctx, syncs[2];
	struct job_line line[8];
	unsigned int i;
	int64_t limit;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	runs = spin_forever(REFGPU_PRIORITY_HIGH, 0);
	ctx = context(REFGPU_PRIORITY_NORMAL);
	syncs[0] = spin(ctx, 0, 3000);
	syncs[1] = spin(ctx, 0, of_next - 3000);
	limit = refgpu_now() + 10 * SECOND;
	do {
		CHECK_EQ(refgpu_usage(&gpu, &before), 0);
	} while (!before.render && refgpu_now() < limit);
	CHECK(before.render);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &opening), 0);

	struct meter m[NR] = {
		[GROWS]	= METER(EVENT_BUSY, .fd = gpu.fd, .ctx = runs),
		[RUNS]	= METER(EVENT_BUSY, .fd = gpu.fd, .ctx = runs),
		[RUNS_CYCLES] = METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = runs),
		[BUSY]	= METER(EVENT_BUSY, .fd = gpu.fd),
		[CYCLES] = METER(LOAD_CYCLES, .fd = gpu.fd),
		[WAIT]	= METER(EVENT_WAIT, .fd = gpu.fd),
		[JOBS]	= METER(EVENT_JOBS, .fd = gpu.fd),
		[DONE]	= METER(EVENT_DONE, .fd = gpu.fd),
		[ALL]	= METER(EVENT_BUSY, .engine = 1),
		[NEXT_BUSY] = METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		[NEXT_CYCLES] = METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
		[NEXT_WAIT] = METER(EVENT_WAIT, .fd = gpu.fd, .ctx = ctx),
		[NEXT_DONE] = METER(EVENT_DONE, .fd = gpu.fd, .ctx = ctx),
	};

	CHECK_EQ(meters_open(m, NR), 0);
	CHECK_EQ(refgpu_usage(&gpu, &before), 0);
	CHECK_EQ(meters_on(m, NR, &window), 0);
	CHECK_EQ(refgpu_usage(&gpu, &after), 0);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &on), 0);
	usleep(20000);
	CHECK_EQ(meters_off(&m[GROWS], 1, &window), 0);
	CHECK(window_holds(&window, m[GROWS].value));

	stop(runs);
	for (i = 0; i < 2; i++)
		wait_for(syncs[i]);
	CHECK_EQ(refgpu_usage(&gpu, &end), 0);
	CHECK_EQ(meters_off(m, NR, &rest), 0);
	CHECK_EQ(m[JOBS].value, 0);
	CHECK_EQ(m[DONE].value, 3);
	CHECK_EQ(m[NEXT_DONE].value, 2);
	least = end.render - after.render;
	most = end.render - before.render;
	for (i = 0; i < 2; i++)
		CHECK(m[of_all[i]].value >= least && m[of_all[i]].value <= most);
	CHECK(m[CYCLES].value * TICK_NS >= least && m[CYCLES].value * TICK_NS <= most);
	CHECK_EQ(m[NEXT_BUSY].value, of_next * TICK_NS);
	CHECK_EQ(m[NEXT_CYCLES].value, of_next);
	least -= of_next * TICK_NS;
	most -= of_next * TICK_NS;
	CHECK(m[RUNS].value >= least && m[RUNS].value <= most);
	CHECK(m[RUNS_CYCLES].value * TICK_NS >= least && m[RUNS_CYCLES].value * TICK_NS <= most);

	nr = job_lines(jobs_fd, line, 8);
	CHECK_EQ(nr, 3);
	CHECK_EQ(m[NEXT_WAIT].value, TICK_NS * (line[1].started - line[1].submitted +
						line[2].started - line[2].submitted));
	/* of the first one it is too late to say how long it has waited */
	CHECK_EQ(m[WAIT].value, m[NEXT_WAIT].value);
	/* and of the others from before there was an event */
	for (i = 1; i < 3; i++)
		CHECK(line[i].submitted < opening && on < line[i].started);
	meters_close(m, NR);
	close(jobs_fd);
	refgpu_close(&gpu);
}

/* as many as a device's work is followed, see max_jobs */
#define FOLLOWED	4096
#define OF_EACH		1000

/* so many wait for a job of another context when the first event is opened; and those run */
static void many_outstanding(unsigned int nr)
{
	enum { BUSY, JOBS, DONE, ALL, LOST, NR };
	unsigned int followed = nr < FOLLOWED ? nr : FOLLOWED, i;
	struct refgpu_usage before, after;
	struct refgpu_batch batch = {};
	uint32_t ctx, gate, opens, last;
	struct window window, rest;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	gate = context(REFGPU_PRIORITY_NORMAL);
	ctx = context(REFGPU_PRIORITY_NORMAL);
	last = refgpu_sync(&gpu);
	opens = spin(gate, 1, REFGPU_MAX_CYCLES);
	for (i = 0; i < nr - 1; i++) {
		refgpu_spin(&batch, OF_EACH);
		CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, i ? 0 : opens,
				       i == nr - 2 ? last : 0), 0);
	}

	struct meter m[NR] = {
		[BUSY]	= METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		[JOBS]	= METER(EVENT_JOBS, .fd = gpu.fd, .ctx = ctx),
		[DONE]	= METER(EVENT_DONE, .fd = gpu.fd, .ctx = ctx),
		[ALL]	= METER(EVENT_BUSY, .engine = 1),
		[LOST]	= METER(EVENT_LOST),
	};

	CHECK_EQ(meters_open(m, NR), 0);
	CHECK_EQ(meters_on(m, NR, &window), 0);
	CHECK_EQ(refgpu_usage(&gpu, &before), 0);
	CHECK_EQ(refgpu_context_destroy(&gpu, gate), 0);
	wait_for(last);
	CHECK_EQ(refgpu_usage(&gpu, &after), 0);
	CHECK_EQ(meters_off(m, NR, &rest), 0);
	CHECK_EQ(after.render - before.render, (uint64_t)(nr - 1) * OF_EACH * TICK_NS);
	CHECK_EQ(m[JOBS].value, 0);
	/* the gate's job is one of those that are followed */
	CHECK_EQ(m[DONE].value, followed - 1);
	CHECK_EQ(m[BUSY].value, (uint64_t)(followed - 1) * OF_EACH * TICK_NS);
	CHECK_EQ(m[ALL].value, m[BUSY].value);
	CHECK_EQ(m[LOST].value, nr - followed);
	meters_close(m, NR);
	refgpu_sync_free(&gpu, opens);
	refgpu_close(&gpu);
}

static void opened_with_thousands_outstanding(void)
{
	many_outstanding(FOLLOWED);
}

static void opened_with_more_than_are_followed(void)
{
	many_outstanding(FOLLOWED + 700);
}

/* ---- ids that are used again ---- */

#define REUSES		8
#define OF_REUSE	3

static void reuse_open(struct meter *m, uint32_t ctx)
{
	static const unsigned int events[OF_REUSE] = { EVENT_BUSY, EVENT_DONE, LOAD_CYCLES };
	unsigned int i;

	for (i = 0; i < OF_REUSE; i++)
		m[i] = (struct meter)METER(events[i], .fd = gpu.fd, .ctx = ctx);
	CHECK_EQ(meters_open(m, OF_REUSE), 0);
}

/* 1000 cycles for the first context, 2000 for the second one... */
static void reuse_check(const struct meter *m, unsigned int number, unsigned int jobs)
{
	CHECK_EQ(m[0].value, 1000 * number * jobs * TICK_NS);
	CHECK_EQ(m[1].value, jobs);
	CHECK_EQ(m[2].value, 1000 * number * jobs);
}

/* without an end, for the ids of contexts to come round */
static unsigned int churn(uint32_t id, uint64_t hw_id)
{
	unsigned int i;
	uint64_t hw = 0;
	uint32_t ctx;

	for (i = 0; i < 70000 && !tap_failed; i++) {
		ctx = context(REFGPU_PRIORITY_NORMAL);
		if (hw_id)
			CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx, &hw), 0);
		stop(ctx);
		/* the next one is it */
		if (hw_id ? hw % UINT16_MAX + 1 == hw_id : ctx % 4096 + 1 == id)
			break;
	}
	return i;
}

static void ids_used_again(void)
{
	struct meter old[REUSES][OF_REUSE], new[REUSES][OF_REUSE], by_hw[OF_REUSE];
	struct window window;
	uint32_t id[REUSES];
	uint64_t hw_id[REUSES], again;
	unsigned int i, rounds;
	int64_t begin;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	for (i = 0; i < REUSES; i++) {
		id[i] = context(REFGPU_PRIORITY_NORMAL);
		CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, id[i], &hw_id[i]), 0);
		reuse_open(old[i], id[i]);
		CHECK_EQ(meters_on(old[i], OF_REUSE, &window), 0);
		run(id[i], i & 1, 1000 * (i + 1));
		stop(id[i]);
		CHECK_EQ(meter_try(EVENT_BUSY, (struct gpu_config) {
			.fd = gpu.fd, .ctx = id[i] }, -1, 0), -ENOENT);
	}

	rounds = churn(id[0], 0);
	for (i = 0; i < REUSES; i++) {
		CHECK_EQ(context(REFGPU_PRIORITY_NORMAL), id[i]);
		reuse_open(new[i], id[i]);
		CHECK_EQ(meters_on(new[i], OF_REUSE, &window), 0);
		run(id[i], 0, 1000 * (i + 100));
		run(id[i], 1, 1000 * (i + 100));
	}
	printf("# a file's id came again after %u contexts\n", rounds);

	/* and the device's, which reports name */
	begin = refgpu_now();
	rounds = churn(0, hw_id[0]);
	i = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, i, &again), 0);
	CHECK_EQ(again, hw_id[0]);
	reuse_open(by_hw, i);
	CHECK_EQ(meters_on(by_hw, OF_REUSE, &window), 0);
	run(i, 0, 5555000);
	CHECK_EQ(meters_off(by_hw, OF_REUSE, &window), 0);
	reuse_check(by_hw, 5555, 1);
	meters_close(by_hw, OF_REUSE);
	printf("# a device's id came again after %u contexts, %ld ms\n", rounds,
	       (refgpu_now() - begin) / MS);

	for (i = 0; i < REUSES; i++) {
		CHECK_EQ(meters_off(old[i], OF_REUSE, &window), 0);
		CHECK_EQ(meters_off(new[i], OF_REUSE, &window), 0);
		reuse_check(old[i], i + 1, 1);
		reuse_check(new[i], i + 100, 2);
		meters_close(old[i], OF_REUSE);
		meters_close(new[i], OF_REUSE);
	}
	refgpu_close(&gpu);
}

/* ---- tasks ---- */

/* jobs of a task's own, on a file of its own; what they count is added to @counts */
static void task_work(uint64_t seed, struct load_counts *counts)
{
	static const struct load_mix mix = { LOAD_MIX_ALL, 4, 2000 };
	struct load_random random = { seed };
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo;
	uint32_t ctx[2], sync;
	unsigned int i;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_buffer(&gpu, 1 << 16, &bo), 0);
	ctx[0] = context(REFGPU_PRIORITY_NORMAL);
	ctx[1] = context(REFGPU_PRIORITY_HIGH);
	for (i = 0; i < 40; i++) {
		sync = refgpu_sync(&gpu);
		load_job(&random, &mix, &bo, &batch, &counts[i & 1]);
		CHECK_EQ(refgpu_submit(&gpu, ctx[load_random(&random, 2)], i & 1, &batch, 0,
				       sync), 0);
	}
	/* they share a buffer, so they end in order */
	wait_for(sync);
	munmap(bo.map, bo.size);
	refgpu_close(&gpu);
}

static void go(int fd)
{
	CHECK_EQ(write(fd, "", 1), 1);
}

static void await(int fd)
{
	char byte;

	CHECK_EQ(read(fd, &byte, 1), 1);
}

static void tasks(void)
{
	enum { BUSY, WAIT, JOBS, DONE, RENDER, COPY, COPIES, OTHER, LOST, NR };
	struct load_counts *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int jobs_fd = device_file(0, "jobs", O_RDONLY), start[2], status, pid, nr;
	struct tally sum = {};
	struct window window;
	uint64_t wait_ticks = 0, hw_id;
	uint32_t ctx;

	CHECK_EQ(pipe(start), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		await(start[0]);
		task_work(1, counts);
		if (!fork()) {
			task_work(2, counts);
			fflush(stdout);
			_exit(tap_failed != 0);
		}
		CHECK(wait(&status) > 0 && !status);
		fflush(stdout);
		_exit(tap_failed != 0);
	}

	struct meter m[NR] = {
		[BUSY]	= TASK_METER(EVENT_BUSY, pid),
		[WAIT]	= TASK_METER(EVENT_WAIT, pid),
		[JOBS]	= TASK_METER(EVENT_JOBS, pid),
		[DONE]	= TASK_METER(EVENT_DONE, pid),
		[RENDER] = TASK_METER(EVENT_BUSY, pid, .engine = 1),
		[COPY]	= TASK_METER(EVENT_BUSY, pid, .engine = 2),
		[COPIES] = TASK_METER(EVENT_JOBS, pid, .engine = 2),
		[OTHER]	= TASK_METER(EVENT_BUSY, 0),
		[LOST]	= TASK_METER(EVENT_LOST, pid),
	};

	CHECK_EQ(meters_open_inherited(m, NR), 0);
	CHECK_EQ(meters_on(m, NR, &window), 0);
	go(start[1]);
	/* somebody else's is not its own */
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	ctx = context(REFGPU_PRIORITY_LOW);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx, &hw_id), 0);
	run(ctx, 0, 4321);
	refgpu_close(&gpu);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(meters_off(m, NR, &window), 0);

	tally_count(&sum, &counts[0]);
	tally_count(&sum, &counts[1]);
	nr = job_lines(jobs_fd, lines, JOB_LINES);
	CHECK_EQ(nr, 81);
	while (nr-- > 0)
		if (lines[nr].hw_id != hw_id)
			wait_ticks += lines[nr].started - lines[nr].submitted;
	CHECK_EQ(m[BUSY].value, sum.v[EVENT_BUSY]);
	CHECK_EQ(m[WAIT].value, wait_ticks * TICK_NS);
	CHECK_EQ(m[JOBS].value, 80);
	CHECK_EQ(m[DONE].value, 80);
	CHECK_EQ(m[RENDER].value, counts[0].v[LOAD_CYCLES] * TICK_NS);
	CHECK_EQ(m[COPY].value, counts[1].v[LOAD_CYCLES] * TICK_NS);
	CHECK_EQ(m[COPIES].value, 40);
	CHECK_EQ(m[OTHER].value, 4321 * TICK_NS);
	CHECK_EQ(m[LOST].value, 0);
	meters_close(m, NR);
	close(jobs_fd);
	close(start[0]);
	close(start[1]);
	munmap(counts, 4096);
}

/* ---- what is refused ---- */

static void refused(void)
{
	struct refgpu second;
	struct gpu_config config;
	unsigned int i, dev;
	uint32_t ctx;
	int fd, open;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_open(&second, 1), 0);
	ctx = context(REFGPU_PRIORITY_NORMAL);
	dev = device_minor(&gpu);
	/* the sources stay attached: that takes its time */
	open = meter_try(EVENT_BUSY, (struct gpu_config) {}, -1, 0);
	CHECK(open >= 0);

	for (i = 0; i < LOAD_NR_COUNTERS; i++) {
		config = (struct gpu_config) {};
		CHECK_EQ(meter_try(i, config, 0, -1), -EOPNOTSUPP);
		config.dev = dev;
		CHECK_EQ(meter_try(i, config, getppid(), -1), -EOPNOTSUPP);
		config = (struct gpu_config) { .fd = gpu.fd, .ctx = ctx };
		fd = meter_try(i, config, 0, -1);
		CHECK(fd >= 0);
		close(fd);
	}

#define REFUSED(error, event, ...)						\
	CHECK_EQ(meter_try(event, (struct gpu_config) { __VA_ARGS__ }, -1, 0), error)
	for (i = 0; i < EVENT_NR; i++) {
		REFUSED(-ENXIO, i, .fd = gpu.fd, .engine = 3);
		REFUSED(-ENXIO, i, .dev = dev, .engine = 3);
		REFUSED(-ENXIO, i, .engine = 3);
		REFUSED(-ENOENT, i, .fd = gpu.fd, .ctx = ctx + 1);
		REFUSED(-ENOENT, i, .fd = second.fd, .ctx = ctx);
		REFUSED(-ENOENT, i, .fd = gpu.fd, .ctx = 1ULL << 32 | ctx);
		REFUSED(-EINVAL, i, .ctx = ctx);
		REFUSED(-EXDEV, i, .fd = gpu.fd, .dev = device_minor(&second));
		REFUSED(-ENODEV, i, .dev = 191);
		REFUSED(-EBADF, i, .fd = 1023);
		REFUSED(-ENOTTY, i, .fd = 1);
		REFUSED(-ENOTUNIQ, i, .fd = GPU_PMU_FD_KERNEL);
	}
	REFUSED(-EINVAL, EVENT_LOST, .engine = 1);
	config = (struct gpu_config) { .event = GPU_PMU_EVENT_NATIVE + LOAD_NR_COUNTERS };
	CHECK_EQ(gpu_event_open(&config, -1, 0, -1), -EINVAL);

	/* one reader of reports at a time; other events do not need them */
	fd = device_file(0, "counters/reports", O_RDONLY);
	CHECK(fd >= 0);
	REFUSED(-EBUSY, LOAD_CYCLES, .fd = gpu.fd);
	REFUSED(-EBUSY, LOAD_MISSES, .dev = dev);
	REFUSED(-EBUSY, LOAD_READ, .dev = 0);
	i = meter_try(EVENT_BUSY, (struct gpu_config) { .fd = gpu.fd }, -1, 0);
	CHECK((int)i >= 0);
	close(i);
	i = meter_try(LOAD_CYCLES, (struct gpu_config) { .fd = second.fd }, -1, 0);
	CHECK((int)i >= 0);
	close(i);
	close(fd);
	fd = meter_try(LOAD_CYCLES, (struct gpu_config) { .fd = gpu.fd }, -1, 0);
	CHECK(fd >= 0);
	CHECK_EQ(device_file(0, "counters/reports", O_RDONLY), -EBUSY);
	close(fd);
	fd = device_file(0, "counters/reports", O_RDONLY);
	CHECK(fd >= 0);
	close(fd);
	close(open);
	refgpu_close(&second);
	refgpu_close(&gpu);
}

/* ---- names come and go with who has the counters ---- */

static unsigned int native_names(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < LOAD_NR_COUNTERS; i++)
		nr += gpu_event_id(event_names[i]) != 0;
	return nr;
}

static bool unit_file(const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/gpu/events/%s.unit", event);
	return !access(path, R_OK);
}

/*
 * Who holds the module? Nobody should: but who has exited, or was joined, may still be about
 * to let go of what it had. So there is a time for that, and it is said how long it took.
 */
static bool module_is_free(void)
{
	int64_t begin = refgpu_now(), end = begin + 10 * SECOND;
	char line[16] = "?";

	while (!shell_line(line, sizeof(line), "cat /sys/module/refgpu/refcnt") && atoi(line) &&
	       refgpu_now() < end)
		usleep(10000);
	if (strcmp(line, "0"))
		printf("# the module has %s users\n", line);
	else if (refgpu_now() - begin > SECOND)
		printf("# it took %ld ms until the module had no user\n",
		       (refgpu_now() - begin) / MS);
	return !strcmp(line, "0");
}

static void names_come_and_go(void)
{
	struct gpu_config config = {};

	CHECK_EQ(native_names(), LOAD_NR_COUNTERS);
	CHECK(unit_file("mem-read-bytes"));
	CHECK(!unit_file("gpu-cycles"));
	CHECK_EQ(shell("echo refgpu.1 >/sys/bus/platform/drivers/refgpu/unbind"), 0);
	CHECK_EQ(native_names(), LOAD_NR_COUNTERS);
	CHECK_EQ(shell("echo refgpu.0 >/sys/bus/platform/drivers/refgpu/unbind"), 0);
	CHECK_EQ(native_names(), 0);
	CHECK_EQ(gpu_event_id("reports"), 0);
	CHECK_EQ(shell("echo refgpu.1 >/sys/bus/platform/drivers/refgpu/bind"), 0);
	CHECK_EQ(native_names(), LOAD_NR_COUNTERS);
	CHECK_EQ(gpu_event_id("reports"), GPU_PMU_EVENT_REPORTS);
	config.event = gpu_event_id("gpu-cycles");
	CHECK(module_is_free());
	if (shell("rmmod refgpu")) {
		CHECK(!"rmmod refgpu");
		/* the other tests are to have it */
		CHECK_EQ(shell("echo refgpu.0 >/sys/bus/platform/drivers/refgpu/bind"), 0);
		return;
	}
	CHECK_EQ(native_names(), 0);
	CHECK(!unit_file("mem-read-bytes"));
	CHECK_EQ(gpu_event_open(&config, -1, 0, -1), -EINVAL);
	CHECK(gpu_event_id("gpu-busy"));
	CHECK_EQ(shell("insmod $REFGPU_KO devices=2"), 0);
	CHECK_EQ(native_names(), LOAD_NR_COUNTERS);
}

/* ---- stock perf ---- */

static void perf_of_all(void)
{
	struct tally expected = {};
	struct perf_stat stat;
	char line[512], event[64];
	unsigned int i;
	FILE *file;

	CHECK_EQ(perf_stat_run(&stat, "-a -e gpu/gpu-busy/,gpu/jobs/,gpu/jobs-done/,gpu/lost/,"
			       "gpu/gpu-cycles/,gpu/shader-active/,gpu/mem-read-bytes/,"
			       "gpu/mem-write-bytes/,gpu/l3-misses/ -- sh -c '%.*s/refgpu-load "
			       "--clients 2 --contexts 3 --jobs 30 --length 5000 --seed 5 "
			       ">/tmp/load'", (int)(strrchr(program, '/') - program), program), 0);
	CHECK_EQ(stat.status, 0);
	CHECK(perf_stat_counted(&stat));
	file = fopen("/tmp/load", "r");
	CHECK(file != NULL);
	while (file && fgets(line, sizeof(line), file)) {
		struct load_counts counts = {};

		CHECK_EQ(sscanf(line, "client %*u pid %*d ctx %*u hw %*u engine %*u jobs %lu gpu-cycles %lu shader-active %lu mem-read-bytes %lu mem-write-bytes %lu l3-misses %lu",
				&counts.jobs, &counts.v[LOAD_CYCLES], &counts.v[LOAD_ACTIVE],
				&counts.v[LOAD_READ], &counts.v[LOAD_WRITE],
				&counts.v[LOAD_MISSES]), 6);
		tally_count(&expected, &counts);
	}
	if (file)
		fclose(file);
	CHECK_EQ(expected.v[EVENT_JOBS], 2 * 3 * 30);
	for (i = 0; i < EVENT_NR; i++) {
		if (i == EVENT_WAIT)
			continue;
		snprintf(event, sizeof(event), "gpu/%s/", event_names[i]);
		CHECK_EQ(perf_stat_lines(&stat, event), 1);
		CHECK_EQ(perf_stat_sum(&stat, event), expected.v[i]);
	}
	CHECK_EQ(perf_stat_sum(&stat, "gpu/lost/"), 0);
	if (tap_failed)
		perf_stat_dump(&stat);
}

static void submit_job(uint32_t ctx, struct load_random *random, struct load_counts *counts,
		       bool really)
{
	static const struct load_mix mix = { 1 << REFGPU_OP_SPIN | 1 << REFGPU_OP_WAIT, 4, 2000 };
	struct refgpu_batch batch = {};
	uint32_t sync;

	load_job(random, &mix, NULL, &batch, counts);
	if (!really)
		return;
	sync = refgpu_sync(&gpu);
	CHECK_EQ(refgpu_submit(&gpu, ctx, counts->jobs & 1, &batch, 0, sync), 0);
	wait_for(sync);
}

/* what "test-pmu submit" does; or what that counts */
static void submit_jobs(uint32_t ctx, uint64_t seed, struct load_counts *counts, bool really)
{
	struct load_random random = { seed };

	while (counts->jobs < 20)
		submit_job(ctx, &random, counts, really);
}

/* perf finds the file under the number that it has inherited */
static void perf_of_a_context(void)
{
	struct load_counts counts = {}, others = {};
	struct tally expected = {};
	struct perf_stat stat;
	char event[64];
	uint32_t ctx, other;
	unsigned int i;
	int fd;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	/* out of the way of perf_stat_run()'s own, and kept over an exec */
	fd = fcntl(gpu.fd, F_DUPFD, 100);
	CHECK_EQ(fd, 100);
	ctx = context(REFGPU_PRIORITY_NORMAL);
	other = context(REFGPU_PRIORITY_NORMAL);
	submit_jobs(ctx, 7, &counts, false);
	tally_count(&expected, &counts);
	CHECK_EQ(perf_stat_run(&stat, "-e gpu/gpu-cycles,fd=100,ctx=%u/u,gpu/shader-active,fd=100,ctx=%u/u,"
			       "gpu/ctx-busy,fd=100,ctx=%u/u,gpu/ctx-jobs,fd=100,ctx=%u/u,"
			       "gpu/gpu-cycles,fd=100/u -- sh -c '%s submit 100 %u 7; %s submit 100 %u 8'",
			       ctx, ctx, ctx, ctx, program, ctx, program, other), 0);
	CHECK_EQ(stat.status, 0);
	CHECK(perf_stat_counted(&stat));
	for (i = 0; i < 4; i++) {
		static const unsigned int what[] = {
			LOAD_CYCLES, LOAD_ACTIVE, EVENT_BUSY, EVENT_JOBS,
		};
		static const char * const names[] = {
			"gpu-cycles", "shader-active", "ctx-busy", "ctx-jobs",
		};

		snprintf(event, sizeof(event), "gpu/%s,fd=100,ctx=%u/u", names[i], ctx);
		CHECK_EQ(perf_stat_lines(&stat, event), 1);
		CHECK_EQ(perf_stat_sum(&stat, event), expected.v[what[i]]);
	}
	submit_jobs(other, 8, &others, false);
	CHECK_EQ(perf_stat_sum(&stat, "gpu/gpu-cycles,fd=100/u"),
		 counts.v[LOAD_CYCLES] + others.v[LOAD_CYCLES]);
	if (tap_failed)
		perf_stat_dump(&stat);
	close(fd);
	refgpu_close(&gpu);
}

static int submit_main(char **argv)
{
	struct load_counts counts = {};

	gpu.fd = atoi(argv[2]);
	gpu.engines = ENGINES;
	submit_jobs(atoi(argv[3]), atoi(argv[4]), &counts, true);
	return tap_failed != 0;
}

int main(int argc, char **argv)
{
	static const struct tap_test tests[] = {
		TEST(opened_in_mid_load), TEST(opened_with_thousands_outstanding),
		TEST(opened_with_more_than_are_followed), TEST(fdinfo_in_flight), TEST(tasks), TEST(refused),
		TEST(perf_of_all), TEST(perf_of_a_context), TEST(ids_used_again),
		TEST(seeds_are_exact), TEST(names_come_and_go),
	};
	static const struct tap_test wraps[] = { TEST(counters_wrap), TEST(reports_wrap) };
	static const struct tap_test clock[] = { TEST(clock_wraps) };
	struct rlimit limit = { 4096, 4096 };

	if (argc == 5 && !strcmp(argv[1], "submit"))
		return submit_main(argv);
	if (!realpath("/proc/self/exe", program) || setrlimit(RLIMIT_NOFILE, &limit)) {
		perror("test-pmu");
		return 1;
	}
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (argc > 1 && !strcmp(argv[1], "wraps"))
		return tap_main(wraps, 2);
	if (argc > 1 && !strcmp(argv[1], "clock"))
		return tap_main(clock, 1);
	if (argc > 1)
		first_seed = atoi(argv[1]);
	last_seed = slow_rounds(100);
	if (argc > 1)
		last_seed = atoi(argv[argc > 2 ? 2 : 1]);
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
