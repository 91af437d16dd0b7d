// SPDX-License-Identifier: GPL-2.0
/*
 * What the PMU makes of a GPU that does wrong: no wrong number, and "lost" says
 * what could not be counted. As root, in a machine that has debugfs; loads the
 * modules from the folder that is its argument, as it needs them.
 *
 * Everything here runs on CPU 0, see lab_pin().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/gpu_pmu.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab.h"
#include "tap.h"

#define CONTEXTS	3
#define ENGINES		2
#define PERIOD_US	1000
#define FLUSH_US	5000
/* it comes too late for a test that has it, which is over by then */
#define FLUSH_LATE_US	10000000
#define BUFFER		(1 << 20)
/* of a job that is polled while it runs, even if the machine stands still for a while */
#define LONG		(1000 * MS_CYCLES)

/* what there is of a task */
#define NR_TASK		4

static const struct meter of_this_task[NR_TASK] = {
	TASK_METER(EVENT_BUSY, 0), TASK_METER(EVENT_WAIT, 0),
	TASK_METER(EVENT_JOBS, 0), TASK_METER(EVENT_DONE, 0),
};

/* a device with one client; all that it does, by arithmetic, and all that is counted */
struct bench {
	struct refgpu gpu;
	unsigned int minor;
	struct refgpu_buffer bo;
	uint32_t ctx[CONTEXTS];
	uint64_t hw[CONTEXTS];
	uint32_t sync[CONTEXTS][ENGINES];
	struct load_counts counts[CONTEXTS][ENGINES];
	struct lab_scope all;
	struct lab_scope engine[ENGINES];
	struct lab_scope client;
	struct lab_scope own[CONTEXTS];
	struct meter task[NR_TASK];
	bool has_task;
	int lost;
	int log;
};

static struct bench bench;
static struct load_random randoms = { 1 };

/* until it is true; the bound is for what never happens */
#define WAIT_FOR(cond) ({							\
	int64_t end_ = refgpu_now() + 10 * SECOND;				\
	bool ok_;								\
										\
	while (!(ok_ = (cond)) && refgpu_now() < end_)				\
		usleep(500);							\
	ok_;									\
})

static uint64_t lost_now(void)
{
	return gpu_event_read(bench.lost);
}

static void bench_contexts(void)
{
	unsigned int i, e;

	for (i = 0; i < CONTEXTS; i++) {
		CHECK_EQ(refgpu_context(&bench.gpu, REFGPU_PRIORITY_NORMAL, &bench.ctx[i]), 0);
		CHECK_EQ(refgpu_get(&bench.gpu, REFGPU_PARAM_HW_ID, bench.ctx[i],
				    &bench.hw[i]), 0);
		for (e = 0; e < ENGINES; e++)
			bench.sync[i][e] = refgpu_sync(&bench.gpu);
	}
}

static void bench_gpu(unsigned int size, unsigned int period_us, unsigned int flush_us)
{
	memset(&bench, 0, sizeof(bench));
	lab_param("refgpu", "counters_size", size);
	lab_param("refgpu", "counters_period_us", period_us);
	lab_param("gpu_pmu", "flush_us", flush_us);
	CHECK_EQ(refgpu_open(&bench.gpu, 0), 0);
	CHECK_EQ(bench.gpu.engines, ENGINES);
	bench.minor = device_minor(&bench.gpu);
	CHECK_EQ(refgpu_buffer(&bench.gpu, 1 << 16, &bench.bo), 0);
	bench_contexts();
	bench.log = device_file(0, "jobs", O_RDONLY);
}

static void bench_events(void)
{
	struct gpu_config where = { .dev = bench.minor };
	unsigned int i;

	bench.lost = lab_event(EVENT_LOST, &where);
	lab_scope_open(&bench.all, &where, LAB_ALL);
	for (i = 0; i < ENGINES; i++) {
		where.engine = i + 1;
		lab_scope_open(&bench.engine[i], &where, LAB_ALL);
	}
	where = (struct gpu_config) { .fd = bench.gpu.fd };
	lab_scope_open(&bench.client, &where, LAB_ALL);
	for (i = 0; i < CONTEXTS; i++) {
		where.ctx = bench.ctx[i];
		lab_scope_open(&bench.own[i], &where, LAB_ALL);
	}
}

/* for tests that do not mind a flush whenever this task comes and goes */
static void bench_task(void)
{
	struct window window;

	memcpy(bench.task, of_this_task, sizeof(of_this_task));
	CHECK_EQ(meters_open(bench.task, NR_TASK), 0);
	CHECK_EQ(meters_on(bench.task, NR_TASK, &window), 0);
	bench.has_task = true;
}

static void bench_open(unsigned int size, unsigned int period_us, unsigned int flush_us)
{
	bench_gpu(size, period_us, flush_us);
	bench_events();
}

/* all but those of what is lost */
static void bench_events_close(void)
{
	unsigned int i;

	lab_scope_close(&bench.all);
	for (i = 0; i < ENGINES; i++)
		lab_scope_close(&bench.engine[i]);
	lab_scope_close(&bench.client);
	for (i = 0; i < CONTEXTS; i++)
		lab_scope_close(&bench.own[i]);
	if (bench.has_task)
		meters_close(bench.task, NR_TASK);
	bench.has_task = false;
}

static void bench_close(void)
{
	bench_events_close();
	close(bench.lost);
	close(bench.log);
	refgpu_buffer_free(&bench.gpu, &bench.bo);
	refgpu_close(&bench.gpu);
}

static void bench_submit(unsigned int i, unsigned int e, struct refgpu_batch *batch,
			 uint32_t after)
{
	unsigned int k;

	for (k = 0; k < batch->nr; k++)
		load_count(&batch->cmds[k], &bench.counts[i][e]);
	bench.counts[i][e].jobs++;
	CHECK_EQ(refgpu_submit(&bench.gpu, bench.ctx[i], e, batch, after, bench.sync[i][e]), 0);
}

static void bench_spin(unsigned int i, unsigned int e, uint64_t cycles, uint32_t after)
{
	struct refgpu_batch batch = {};

	refgpu_spin(&batch, cycles);
	bench_submit(i, e, &batch, after);
}

static void bench_random(unsigned int i, unsigned int e, unsigned int jobs)
{
	static const struct load_mix mix = { LOAD_MIX_ALL, 4, 3000 };
	struct refgpu_batch batch = {};
	struct load_counts unused = {};

	while (jobs--) {
		load_job(&randoms, &mix, &bench.bo, &batch, &unused);
		bench_submit(i, e, &batch, 0);
	}
}

static void bench_wait(unsigned int i, unsigned int e)
{
	CHECK_EQ(refgpu_sync_wait(&bench.gpu, bench.sync[i][e], 60 * SECOND), 0);
}

/* jobs of a context on both engines, from begin to end */
static void bench_run(unsigned int i)
{
	unsigned int e;

	for (e = 0; e < ENGINES; e++)
		bench_random(i, e, 5);
	for (e = 0; e < ENGINES; e++)
		bench_wait(i, e);
}

static bool bench_runs(unsigned int i, unsigned int e)
{
	return refgpu_sync_status(&bench.gpu, bench.sync[i][e]) == 0;
}

/*
 * A job of a context that runs until bench_stop(): what it counts is known then. And it runs:
 * it takes a thread to start it.
 */
static void bench_spin_forever(unsigned int i, unsigned int e)
{
	int busy = bench.engine[e].meter[EVENT_BUSY].fd;
	struct refgpu_batch batch = {};
	uint64_t before;

	usleep(2 * FLUSH_US);
	before = gpu_event_read(busy);
	refgpu_spin(&batch, REFGPU_MAX_CYCLES);
	bench.counts[i][e].jobs++;
	CHECK_EQ(refgpu_submit(&bench.gpu, bench.ctx[i], e, &batch, 0, bench.sync[i][e]), 0);
	CHECK(WAIT_FOR(gpu_event_read(busy) > before));
	CHECK(bench_runs(i, e));
}

static void bench_occupy(unsigned int i)
{
	unsigned int e;

	for (e = 0; e < ENGINES; e++)
		bench_spin_forever(i, e);
}

/*
 * The end of a context that did nothing but to spin, with each engine to itself: so it ran
 * for all the time from when its jobs were started to now.
 */
static void bench_stop(unsigned int i)
{
	struct lab_log log;
	unsigned int e;

	CHECK_EQ(refgpu_context_destroy(&bench.gpu, bench.ctx[i]), 0);
	for (e = 0; e < ENGINES; e++) {
		struct load_counts *counts = &bench.counts[i][e];

		if (!counts->jobs)
			continue;
		bench_wait(i, e);
		CHECK_EQ(refgpu_sync_status(&bench.gpu, bench.sync[i][e]), -ECANCELED);
		lab_log_read(bench.log, bench.hw[i], e, &log);
		CHECK_EQ(log.ended, counts->jobs);
		counts->v[LOAD_CYCLES] = log.run / TICK_NS;
		counts->v[LOAD_ACTIVE] = log.run / TICK_NS;
	}
}

/* what a context did on an engine */
static struct tally truth(unsigned int i, unsigned int e)
{
	struct tally sum = {};
	struct lab_log log;

	tally_count(&sum, &bench.counts[i][e]);
	lab_log_read(bench.log, bench.hw[i], e, &log);
	sum.v[EVENT_WAIT] = log.wait;
	return sum;
}

static bool is_native(unsigned int v)
{
	return v < LOAD_NR_COUNTERS;
}

static void say(const char *who, unsigned int n, unsigned int v, uint64_t is, uint64_t should)
{
	tap_failed++;
	printf("# %s %u: %s is %lu, should be %lu (%+ld)\n", who, n, event_names[v], is,
	       should, (long)(is - should));
}

static void check_equal(const char *who, unsigned int n, const struct tally *is,
			const struct tally *should)
{
	unsigned int v;

	for (v = 0; v < EVENT_NR; v++)
		if (is->v[v] != should->v[v])
			say(who, n, v, is->v[v], should->v[v]);
}

/* what depends on reports may fall short by this much, and that in cycles only */
static void check_short(const char *who, unsigned int n, const struct tally *is,
			const struct tally *should, uint64_t by)
{
	unsigned int v;

	for (v = 0; v < EVENT_NR; v++) {
		if (is->v[v] == should->v[v])
			continue;
		if (!is_native(v) || is->v[v] > should->v[v] ||
		    (v == LOAD_CYCLES && is->v[v] + by < should->v[v]))
			say(who, n, v, is->v[v], should->v[v]);
	}
}

/* contexts of which reports were lost: bits; by no more than so many cycles */
struct harm {
	unsigned int contexts;
	uint64_t cycles;
};

static void check_task(const struct tally *should)
{
	struct window window;
	unsigned int i;

	if (!bench.has_task)
		return;
	CHECK_EQ(meters_off(bench.task, NR_TASK, &window), 0);
	for (i = 0; i < NR_TASK; i++)
		if (bench.task[i].value != should->v[bench.task[i].event])
			say("task", 0, bench.task[i].event, bench.task[i].value,
			    should->v[bench.task[i].event]);
}

/*
 * All is idle: device, engines and the task exact, and all contexts that came to no harm. The
 * client has what its contexts have, whatever became of them.
 */
static void bench_check(const struct harm *harm)
{
	struct tally is, sum = {}, own[CONTEXTS] = {}, engine[ENGINES] = {}, contexts = {};
	unsigned int i, e, v;

	for (i = 0; i < CONTEXTS; i++) {
		for (e = 0; e < ENGINES; e++) {
			struct tally part = truth(i, e);

			tally_add(&own[i], &part);
			tally_add(&engine[e], &part);
			tally_add(&sum, &part);
		}
	}
	lab_scope_read(&bench.all, &is);
	check_equal("device", bench.minor, &is, &sum);
	for (e = 0; e < ENGINES; e++) {
		lab_scope_read(&bench.engine[e], &is);
		check_equal("engine", e, &is, &engine[e]);
	}
	for (i = 0; i < CONTEXTS; i++) {
		lab_scope_read(&bench.own[i], &is);
		tally_add(&contexts, &is);
		if (harm->contexts & 1U << i)
			check_short("context", i, &is, &own[i], harm->cycles);
		else
			check_equal("context", i, &is, &own[i]);
	}
	for (v = 0; v < EVENT_NR; v++)
		CHECK(contexts.v[v] <= sum.v[v]);
	lab_scope_read(&bench.client, &is);
	check_equal("client", 0, &is, &contexts);
	check_task(&sum);
}

static const struct harm no_harm;

static void no_fault(void)
{
	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_task();
	bench_run(0);
	bench_run(1);
	bench_run(2);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	bench_close();
}

/* reports of which one half never lands, while context 1 has both engines */
static void torn_reports(unsigned int nr, unsigned int period_us)
{
	struct harm harm = { .contexts = 1 << 1, .cycles = UINT64_MAX / 2 };
	struct tally is;
	uint64_t cycles;

	bench_open(BUFFER, period_us, FLUSH_US);
	bench_task();
	bench_run(0);
	bench_occupy(1);
	CHECK_EQ(lost_now(), 0);
	lab_set("fault/torn", nr);
	CHECK(WAIT_FOR(!lab_get("fault/torn")));
	CHECK(bench_runs(1, 0) && bench_runs(1, 1));
	CHECK(WAIT_FOR(lost_now() >= nr));
	CHECK_EQ(lost_now(), nr);
	bench_stop(1);
	bench_run(2);

	/* nobody's: from the report before those on, and until the one after them */
	if (period_us)
		harm.cycles = ENGINES * (nr + 1) * period_us * 1000ULL / TICK_NS;
	bench_check(&harm);
	CHECK_EQ(lab_final(bench.lost), nr);
	lab_scope_peek(&bench.own[1], &is);
	cycles = bench.counts[1][0].v[LOAD_CYCLES] + bench.counts[1][1].v[LOAD_CYCLES];
	printf("# %lu of %lu cycles are the context's\n", is.v[LOAD_CYCLES], cycles);
	CHECK(is.v[LOAD_CYCLES] < cycles);
	bench_close();
}

static void torn(void)
{
	torn_reports(1, PERIOD_US);
	torn_reports(3, PERIOD_US);
	/* both reports of a flush, and a half of the next ones */
	torn_reports(2, 0);
	torn_reports(3, 0);
}

/*
 * The unit writes reports when it is started, and when events are switched on; the
 * flush comes too late for more. Then there is one when the job comes, and one when
 * it goes. False if there were not as many as were to be torn.
 */
static bool torn_at_the_start_by(unsigned int nr)
{
	uint64_t cycles, active, lost, left, made;
	struct gpu_config where;
	int lost_fd, fds[2];

	bench_gpu(BUFFER, 0, FLUSH_LATE_US);
	where = (struct gpu_config) { .dev = bench.minor };
	lost_fd = lab_event(EVENT_LOST, &where);
	lab_set("fault/torn", nr);
	fds[0] = lab_event(LOAD_CYCLES, &where);
	fds[1] = lab_event(LOAD_ACTIVE, &where);
	bench_spin(0, 0, 1000, 0);
	bench_wait(0, 0);
	made = lab_reports();
	left = lab_get("fault/torn");
	lab_set("fault/torn", 0);
	/* a flush in between tears more: none, if it was not just due */
	made = lab_reports() - made;
	cycles = lab_final(fds[0]);
	active = lab_final(fds[1]);
	lost = lab_final(lost_fd);
	printf("# %u torn: %lu and %lu of 1000 cycles, lost %lu\n", nr, cycles, active, lost);
	CHECK(cycles <= 1000 && active <= 1000);
	/* what was not counted is in lost */
	CHECK((cycles == 1000 && active == 1000) || lost);
	/* that is each one that was torn, and no other */
	CHECK(lost >= nr - left);
	CHECK(lost <= nr - left + (made < left ? made : left));

	close(fds[0]);
	close(fds[1]);
	close(lost_fd);
	close(bench.log);
	refgpu_buffer_free(&bench.gpu, &bench.bo);
	refgpu_close(&bench.gpu);
	return !left;
}

static void torn_at_the_start(void)
{
	unsigned int nr = 1;

	while (torn_at_the_start_by(nr))
		nr++;
	/* two for each of: start, first event, second event, job */
	CHECK(nr > 8);
}

/* more reports at once than the buffer has room for */
static void burst(void)
{
	const struct harm harm = { .contexts = 1 << 1, .cycles = UINT64_MAX / 2 };
	uint64_t lost;

	bench_open(4096, 0, FLUSH_US);
	bench_run(0);
	/* all is read; then, with a flush, 5000 and one of each engine: 63 fit */
	usleep(2 * FLUSH_US);
	lab_set("fault/burst", 5000);
	CHECK(WAIT_FOR(lost_now()));
	CHECK_EQ(lost_now(), 5000 + ENGINES - 63);
	CHECK_EQ(lost_now(), lab_state("lost"));

	bench_occupy(1);
	usleep(2 * FLUSH_US);
	lost = lost_now();
	lab_set("fault/burst", 200);
	CHECK(WAIT_FOR(lost_now() > lost));
	CHECK(bench_runs(1, 0) && bench_runs(1, 1));
	bench_stop(1);
	bench_run(2);
	bench_check(&harm);
	CHECK_EQ(lab_final(bench.lost), lab_state("lost"));
	CHECK_EQ(lost_now(), 5000 + 200 + 2 * (ENGINES - 63));
	bench_close();
}

/* what the unit cannot do is refused where it is asked for, and nothing changes */
static void bounds(void)
{
#define PARAM	"/sys/module/refgpu/parameters/"
#define FAULT	"/sys/kernel/debug/refgpu/refgpu.0/fault/"
	static const struct {
		const char *path;
		const char *value;
		int ret;
	} tries[] = {
		{ FAULT "burst", "262144", 0 },
		{ FAULT "burst", "262145", -ERANGE },
		{ FAULT "burst", "4294967295", -ERANGE },
		{ FAULT "burst", "4294967296", -ERANGE },
		{ FAULT "burst", "0", 0 },
		{ PARAM "counters_period_us", "0", 0 },
		{ PARAM "counters_period_us", "1", -EINVAL },
		{ PARAM "counters_period_us", "5", -EINVAL },
		{ PARAM "counters_period_us", "6", 0 },
		{ PARAM "counters_period_us", "60000001", -EINVAL },
		{ PARAM "counters_period_us", "343597384", -EINVAL },
		{ PARAM "counters_period_us", "4294967296", -ERANGE },
		{ PARAM "counters_period_us", "60000000", 0 },
		{ PARAM "counters_size", "4096", 0 },
		{ PARAM "counters_size", "2048", -EINVAL },
		{ PARAM "counters_size", "12288", -EINVAL },
		{ PARAM "counters_size", "33554432", -EINVAL },
		{ PARAM "counters_size", "16777216", 0 },
	};
	char was[32], is[32];
	struct gpu_config where;
	unsigned int i;
	int fd;

	bench_gpu(BUFFER, 0, FLUSH_US);
	where = (struct gpu_config) { .dev = bench.minor };
	for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		lab_read(tries[i].path, was, sizeof(was));
		CHECK_EQ(lab_write(tries[i].path, tries[i].value), tries[i].ret);
		lab_read(tries[i].path, is, sizeof(is));
		CHECK(!strcmp(is, tries[i].ret ? was : tries[i].value));
		if (tries[i].ret)
			continue;
		/* and what is taken, the unit can do */
		fd = lab_event(LOAD_CYCLES, &where);
		CHECK(fd >= 0);
		close(fd);
	}
	close(bench.log);
	refgpu_buffer_free(&bench.gpu, &bench.bo);
	refgpu_close(&bench.gpu);
}

/* changes of context fill the buffer, and the flush comes too late */
static void unread_changes(void)
{
	const struct harm harm = { .contexts = 1 << 1, .cycles = UINT64_MAX / 2 };
	unsigned int i;

	bench_open(4096, 0, FLUSH_LATE_US);
	/* what a flush in between makes of it is no error, so time is no matter */
	for (i = 0; i < 100; i++) {
		bench_spin(1, 0, 1000, 0);
		bench_wait(1, 0);
	}
	/* switched off: read */
	bench_check(&harm);
	CHECK_EQ(lab_final(bench.lost), lab_state("lost"));
	CHECK(lost_now() > 0);
	printf("# lost %lu of %u\n", lost_now(), 2 * i);

	bench_close();
	bench_open(4096, 0, FLUSH_US);
	bench_run(1);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	bench_close();
}

/* periodic reports fill it, 20 us after 20 us */
static void unread_periods(void)
{
	const struct harm harm = { .contexts = 1 << 1, .cycles = UINT64_MAX / 2 };
	uint64_t before, lost, after;

	bench_open(4096, 20, FLUSH_LATE_US);
	bench_spin(1, 0, 100 * MS_CYCLES, 0);
	bench_spin(1, 1, 50 * MS_CYCLES, 0);
	bench_wait(1, 0);
	bench_wait(1, 1);
	/* those go on: but only so many between one reading and the next */
	before = lab_state("lost");
	lost = lab_final(bench.lost);
	after = lab_state("lost");
	printf("# lost %lu, the unit says %lu to %lu\n", lost, before, after);
	CHECK(before <= lost && lost <= after);
	CHECK(lost > 0);
	bench_check(&harm);
	bench_close();
}

/* from now on data lands at once, and what was on its way has landed, too */
static void late_no_more(void)
{
	uint64_t ticks = lab_get("fault/late");

	lab_set("fault/late", 0);
	usleep(ticks * TICK_NS / 1000 + 1);
}

/*
 * Data that lands so late. Never more than the engine had done by then, and all
 * of it two flushes after the last has landed.
 */
static void late_by(uint64_t ticks)
{
	const uint64_t cycles = LONG;
	const int64_t late_ns = ticks * TICK_NS, flush_ns = FLUSH_US * 1000LL * slowdown();
	uint64_t value, last = 0;
	unsigned int polls = 0;
	int64_t begin, now, end;
	struct tally is;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_task();
	lab_set("fault/late", ticks);
	begin = refgpu_now();
	bench_spin(0, 0, cycles, 0);
	while (bench_runs(0, 0)) {
		usleep(500);
		value = gpu_event_read(bench.all.meter[LOAD_CYCLES].fd);
		now = refgpu_now();
		/* what has landed by now was written that long ago */
		CHECK(!value || now - late_ns >= begin);
		CHECK(value <= (now - late_ns - begin) / TICK_NS + 1 || !value);
		CHECK(value >= last && value <= cycles);
		last = value;
		polls++;
	}
	end = refgpu_now() + late_ns + 2 * flush_ns;
	while (refgpu_now() < end)
		usleep((end - refgpu_now()) / 1000 + 1);
	lab_scope_peek(&bench.all, &is);
	printf("# %u polls, %lu of %lu cycles when the job had ended\n", polls, last, cycles);
	CHECK(polls > 0);
	CHECK_EQ(is.v[LOAD_CYCLES], cycles);
	CHECK_EQ(is.v[LOAD_ACTIVE], cycles);
	CHECK_EQ(is.v[EVENT_BUSY], cycles * TICK_NS);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	late_no_more();
	bench_close();
}

static void late(void)
{
	late_by(LAB_US(100));
	late_by(LAB_US(4000));
	late_by(LAB_US(50000));
}

/* what lands after an event was switched off, and is from before, is still its own */
static void late_and_disabled(void)
{
	const uint64_t cycles = 10 * MS_CYCLES;
	uint64_t early, other;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	lab_set("fault/late", LAB_US(50000));
	bench_spin(0, 0, cycles, 0);
	bench_wait(0, 0);
	early = lab_final(bench.own[0].meter[LOAD_CYCLES].fd);
	CHECK(early <= cycles);
	printf("# %lu of %lu cycles when switched off\n", early, cycles);
	CHECK(WAIT_FOR((other = gpu_event_read(bench.all.meter[LOAD_CYCLES].fd)) == cycles));
	CHECK_EQ(gpu_event_read(bench.own[0].meter[LOAD_CYCLES].fd), cycles);
	/* and no more: this one is done while it is off */
	bench_spin(0, 0, cycles, 0);
	bench_wait(0, 0);
	CHECK(WAIT_FOR(gpu_event_read(bench.all.meter[LOAD_CYCLES].fd) == 2 * cycles));
	CHECK_EQ(gpu_event_read(bench.own[0].meter[LOAD_CYCLES].fd), cycles);
	CHECK_EQ(gpu_event_read(bench.own[0].meter[EVENT_BUSY].fd), 2 * cycles * TICK_NS);
	CHECK_EQ(lab_final(bench.lost), 0);
	late_no_more();
	bench_close();
}

/* the other way round: what was done before is not the event's */
static void late_and_enabled(void)
{
	const uint64_t cycles = 10 * MS_CYCLES;
	struct gpu_config where;
	uint64_t value;
	int fd;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	where = (struct gpu_config) { .dev = bench.minor };
	lab_set("fault/late", LAB_US(50000));
	bench_spin(0, 0, cycles, 0);
	bench_wait(0, 0);
	fd = lab_event(LOAD_CYCLES, &where);
	CHECK(WAIT_FOR(gpu_event_read(bench.all.meter[LOAD_CYCLES].fd) == cycles));
	usleep(2 * FLUSH_US);
	value = lab_final(fd);
	printf("# %lu of %lu cycles that were over when it was switched on\n", value, cycles);
	CHECK_EQ(value, 0);
	CHECK_EQ(lab_final(bench.lost), 0);
	late_no_more();
	close(fd);
	bench_close();
}

/* a context that is gone when its reports land: the device's, and lost */
static void late_and_destroyed(void)
{
	struct tally is, should;
	uint64_t lost;

	bench_open(BUFFER, 0, FLUSH_US);
	/* for the context to end before that */
	lab_set("fault/late", LAB_US(2000000));
	bench_spin(0, 0, 125, 0);
	bench_wait(0, 0);
	CHECK_EQ(refgpu_context_destroy(&bench.gpu, bench.ctx[0]), 0);
	CHECK(WAIT_FOR(gpu_event_read(bench.all.meter[LOAD_CYCLES].fd) == 125));
	should = truth(0, 0);
	lab_scope_read(&bench.own[0], &is);
	check_short("context", 0, &is, &should, UINT64_MAX / 2);
	lab_scope_read(&bench.all, &is);
	check_equal("device", bench.minor, &is, &should);
	CHECK(WAIT_FOR(lost_now()));
	lost = lab_final(bench.lost);
	/* a report for all of it, and in 10 us there is at most one flush */
	printf("# lost %lu\n", lost);
	CHECK(lost == 1 || lost == 2);
	/* last: what lands at once comes before what is on its way, and that is lost */
	late_no_more();
	bench_close();
}

/*
 * The unit is stopped while data is on its way: that lands nowhere. Lost is each report that
 * the unit has made since data was late, and those only: up to when it is stopped, and that
 * is while the last native event is being closed.
 */
static void closed_before_it_lands(unsigned int late_us)
{
	uint64_t before, first, last, after, lost;
	struct refgpu_usage usage;
	int64_t begin;
	bool landed;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	before = lab_reports();
	begin = refgpu_now();
	lab_set("fault/late", LAB_US(late_us));
	first = lab_reports();
	bench_spin(0, 0, 1000, 0);
	bench_wait(0, 0);
	lab_scope_close(&bench.all);
	lab_scope_close(&bench.engine[0]);
	lab_scope_close(&bench.engine[1]);
	lab_scope_close(&bench.client);
	lab_scope_close(&bench.own[0]);
	lab_scope_close(&bench.own[1]);
	CHECK_EQ(bench.own[2].meter[0].event, LOAD_CYCLES);
	meters_close(bench.own[2].meter + 1, bench.own[2].nr - 1);
	bench.own[2].nr = 1;
	last = lab_reports();
	lab_scope_close(&bench.own[2]);
	after = lab_reports();
	/* else the first of them were there before the end */
	landed = refgpu_now() - begin >= late_us * 1000LL;
	lost = lab_final(bench.lost);
	printf("# %u us late: lost %lu, %lu to %lu were made%s\n", late_us, lost, last - first,
	       after - before, landed ? ", and some have landed" : "");
	CHECK(lost >= (landed ? 1 : last - first));
	CHECK(lost <= after - before);
	/* the device looks after its engines, and its unit */
	CHECK_EQ(refgpu_usage(&bench.gpu, &usage), 0);
	CHECK_EQ(usage.render, 1000 * TICK_NS);
	lab_set("fault/late", 0);
	bench_close();
}

static void late_and_closed(void)
{
	CHECK_EQ(lab_reload("", "timeout_ms=50"), 0);
	/* what lands does so during the next ones, or never */
	closed_before_it_lands(50000);
	closed_before_it_lands(10000000);

	/* of another size; not so small that a flush which is late would lose reports */
	bench_open(BUFFER / 2, PERIOD_US, FLUSH_US);
	bench_run(0);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	bench_close();
}

/* the unit's clock, a second ahead and back, while both engines run */
static void jump(void)
{
	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_task();
	bench_run(0);
	bench_occupy(1);
	lab_set("fault/jump", 12500000);
	CHECK(WAIT_FOR(lost_now()));
	CHECK_EQ(lost_now(), 1);
	lab_set("fault/jump", 0);
	CHECK(WAIT_FOR(lost_now() > 1));
	CHECK_EQ(lost_now(), 2);
	CHECK(bench_runs(1, 0) && bench_runs(1, 1));
	bench_stop(1);
	bench_run(2);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 2);
	bench_close();
}

/*
 * The clocks may differ by one tick in 1024 that has passed since the last reading: with a
 * flush each 100 ms that is 1220 ticks, and all is idle, so no others are in between. A flush
 * may be late, or come soon after one that was: 60 ticks are well from 5 ms on, and 30000
 * are not up to 2.4 s.
 */
static void small_jump(void)
{
	const unsigned int flush_us = 100000;

	bench_open(BUFFER, 0, flush_us);
	bench_run(0);
	usleep(flush_us + 1000);
	lab_set("fault/jump", 60);
	usleep(2 * flush_us + 1000);
	CHECK_EQ(lost_now(), 0);
	lab_set("fault/jump", 0);
	usleep(2 * flush_us + 1000);
	CHECK_EQ(lost_now(), 0);
	/* and one that is more */
	lab_set("fault/jump", 30000);
	usleep(2 * flush_us + 1000);
	CHECK_EQ(lost_now(), 1);
	lab_set("fault/jump", 0);
	usleep(2 * flush_us + 1000);
	CHECK_EQ(lost_now(), 2);
	bench_run(1);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 2);
	bench_close();
}

/* a job that hangs is busy until its engine is reset, and is done then */
static void check_hung(unsigned int i, uint64_t jobs, uint64_t active)
{
	struct refgpu_usage usage;
	uint64_t busy, rest = 0;
	struct tally is, all;
	struct lab_log log;
	unsigned int k, e;

	lab_log_read(bench.log, bench.hw[i], 0, &log);
	CHECK_EQ(log.ended, jobs);
	CHECK_EQ(refgpu_usage(&bench.gpu, &usage), 0);
	for (k = 0; k < CONTEXTS; k++)
		for (e = 0; e < ENGINES; e++)
			rest += bench.counts[k][e].v[LOAD_CYCLES] * TICK_NS;
	busy = usage.render + usage.copy - rest;
	CHECK_EQ(busy, log.run);

	lab_scope_read(&bench.own[i], &is);
	CHECK_EQ(is.v[EVENT_BUSY], busy);
	CHECK_EQ(is.v[EVENT_WAIT], log.wait);
	CHECK_EQ(is.v[EVENT_JOBS], jobs);
	CHECK_EQ(is.v[EVENT_DONE], jobs);
	CHECK_EQ(is.v[LOAD_CYCLES] * TICK_NS, busy);
	CHECK_EQ(is.v[LOAD_ACTIVE], active);
	lab_scope_read(&bench.all, &all);
	CHECK_EQ(all.v[EVENT_BUSY], usage.render + usage.copy);
	CHECK_EQ(all.v[LOAD_CYCLES] * TICK_NS, usage.render + usage.copy);
	printf("# hung for %lu us\n", busy / 1000);
}

static void check_others(unsigned int hung)
{
	struct tally is, should;
	unsigned int i, e;

	for (i = 0; i < CONTEXTS; i++) {
		if (i == hung)
			continue;
		should = (struct tally) {};
		for (e = 0; e < ENGINES; e++) {
			struct tally part = truth(i, e);

			tally_add(&should, &part);
		}
		lab_scope_read(&bench.own[i], &is);
		check_equal("context", i, &is, &should);
	}
	CHECK_EQ(lab_final(bench.lost), 0);
}

/* that begins when all is queued: who submits after the reset is refused */
static void hang(void)
{
	struct refgpu_batch batch = {};
	unsigned int k;
	uint32_t sync;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_random(1, 0, 3);
	bench_spin_forever(2, 1);
	sync = refgpu_sync(&bench.gpu);
	refgpu_spin(&batch, 1000);
	refgpu_hang(&batch);
	CHECK_EQ(refgpu_submit(&bench.gpu, bench.ctx[0], 0, &batch, bench.sync[2][1], sync), 0);
	/* these are cancelled with it */
	for (k = 0; k < 3; k++) {
		refgpu_spin(&batch, 1000);
		CHECK_EQ(refgpu_submit(&bench.gpu, bench.ctx[0], 0, &batch, 0, sync), 0);
	}
	bench_stop(2);
	bench_random(1, 0, 3);
	bench_random(1, 1, 5);
	bench_wait(1, 0);
	bench_wait(1, 1);
	CHECK_EQ(refgpu_sync_wait(&bench.gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&bench.gpu, sync), -ECANCELED);
	check_hung(0, 4, 1000);
	check_others(0);
	bench_close();
}

static void hang_at_the_end(void)
{
	struct refgpu_batch batch = {};
	uint32_t sync;

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_run(1);
	lab_set("fault/hang", 1);
	sync = refgpu_sync(&bench.gpu);
	refgpu_spin(&batch, 1000);
	CHECK_EQ(refgpu_submit(&bench.gpu, bench.ctx[0], 0, &batch, 0, sync), 0);
	bench_random(1, 0, 3);
	bench_random(2, 1, 3);
	bench_wait(1, 0);
	bench_wait(2, 1);
	CHECK_EQ(refgpu_sync_wait(&bench.gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&bench.gpu, sync), -ETIME);
	check_hung(0, 1, 1000);
	check_others(0);
	bench_close();
}

#define RING		64
/* more than there is room for, and not too many for a slow machine */
#define RING_JOBS	24

/*
 * Three records of a job: queued, runs, done. 64 of them are 21 jobs, and one that
 * was queued, and forgotten when the loss was seen.
 */
static void small_ring(void)
{
	const unsigned int whole = RING / 3, open = RING % 3 ? 1 : 0;
	struct gpu_config where;
	struct tally is;
	int64_t begin;
	unsigned int i;

	CHECK_EQ(lab_reload("ring_size=64", "timeout_ms=50"), 0);
	bench_gpu(BUFFER, PERIOD_US, FLUSH_LATE_US);
	begin = refgpu_now();
	where = (struct gpu_config) { .dev = bench.minor };
	bench.lost = lab_event(EVENT_LOST, &where);
	lab_scope_open(&bench.all, &where, LAB_ALL);
	where = (struct gpu_config) { .fd = bench.gpu.fd, .ctx = bench.ctx[0] };
	lab_scope_open(&bench.own[0], &where, LAB_ALL);
	for (i = 0; i < RING_JOBS; i++) {
		bench_spin(0, 0, 1000, 0);
		bench_wait(0, 0);
	}
	printf("# %ld ms\n", (long)(refgpu_now() - begin) / 1000000);
	CHECK_EQ(lost_now(), 0);

	/* that is the period at once: there was no flush before, and numbers are its own */
	lab_param("gpu_pmu", "flush_us", FLUSH_US);
	CHECK(WAIT_FOR(lost_now()));
	CHECK(refgpu_now() - begin < FLUSH_LATE_US * 1000L);
	CHECK_EQ(lost_now(), 3 * RING_JOBS - RING + open);
	lab_scope_peek(&bench.own[0], &is);
	CHECK_EQ(is.v[EVENT_JOBS], whole + open);
	CHECK_EQ(is.v[EVENT_DONE], whole);
	CHECK_EQ(is.v[EVENT_BUSY], whole * 1000 * TICK_NS);
	CHECK(is.v[EVENT_WAIT] <= truth(0, 0).v[EVENT_WAIT]);
	/* these have nothing to do with the ring */
	CHECK_EQ(is.v[LOAD_CYCLES], RING_JOBS * 1000);
	lab_scope_peek(&bench.all, &is);
	CHECK_EQ(is.v[LOAD_CYCLES], RING_JOBS * 1000);
	CHECK_EQ(is.v[EVENT_JOBS], RING_JOBS);
	CHECK_EQ(is.v[EVENT_BUSY], whole * 1000 * TICK_NS);
	lab_scope_close(&bench.all);
	lab_scope_close(&bench.own[0]);

	/* then as few as there is room for, whatever the flush does */
	memset(bench.counts, 0, sizeof(bench.counts));
	close(bench.log);
	bench.log = device_file(0, "jobs", O_RDONLY);
	close(bench.lost);
	bench_events();
	bench_run(0);
	bench_run(1);
	CHECK(3 * 4 * 5 <= RING);
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	bench_close();
}

#define MAX_JOBS	4
#define MANY_JOBS	10

/* jobs that there is no room for are lost, each of them, and nothing else is */
static void few_jobs(void)
{
	uint32_t gate;
	struct tally is;
	unsigned int i;

	CHECK_EQ(lab_reload("max_jobs=4", "timeout_ms=50"), 0);
	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	/* the first of those that are followed; the others wait for it */
	bench_spin_forever(0, 1);
	gate = bench.sync[0][1];
	for (i = 0; i < MANY_JOBS; i++)
		bench_spin(1, 0, 1000, gate);
	CHECK(bench_runs(0, 1));
	bench_stop(0);
	bench_wait(1, 0);

	CHECK_EQ(lab_final(bench.lost), MANY_JOBS + 1 - MAX_JOBS);
	lab_scope_peek(&bench.own[1], &is);
	CHECK_EQ(is.v[EVENT_JOBS], MANY_JOBS);
	lab_scope_read(&bench.own[1], &is);
	CHECK_EQ(is.v[EVENT_DONE], MAX_JOBS - 1);
	CHECK_EQ(is.v[EVENT_BUSY], (MAX_JOBS - 1) * 1000 * TICK_NS);
	CHECK_EQ(is.v[LOAD_CYCLES], MANY_JOBS * 1000);
	CHECK(is.v[EVENT_WAIT] <= truth(1, 0).v[EVENT_WAIT]);
	lab_scope_read(&bench.own[0], &is);
	CHECK(is.v[EVENT_BUSY] > 0);
	CHECK_EQ(is.v[EVENT_BUSY], bench.counts[0][1].v[LOAD_CYCLES] * TICK_NS);
	bench_close();

	bench_open(BUFFER, PERIOD_US, FLUSH_US);
	bench_task();
	for (i = 0; i < CONTEXTS; i++) {
		bench_random(i, 0, 2);
		bench_random(i, 1, 2);
		bench_wait(i, 0);
		bench_wait(i, 1);
	}
	bench_check(&no_harm);
	CHECK_EQ(lab_final(bench.lost), 0);
	bench_close();
}

int main(int argc, char **argv)
{
	static const struct tap_test tests[] = {
		TEST(no_fault), TEST(torn), TEST(torn_at_the_start), TEST(burst),
		TEST(bounds), TEST(unread_changes), TEST(unread_periods), TEST(late),
		TEST(late_and_disabled), TEST(late_and_enabled), TEST(late_and_destroyed),
		TEST(jump), TEST(small_jump), TEST(hang), TEST(hang_at_the_end),
		TEST(small_ring), TEST(few_jobs), TEST(late_and_closed),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: test-faults FOLDER\n");
		return 2;
	}
	lab_modules(argv[1]);
	lab_pin();
	if (lab_reload("", "timeout_ms=50"))
		return 2;
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
