// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold for the counts of any GPU's driver: as IGT's perf_pmu has it, but
 * with bounds instead of tolerances where the reference GPU allows for it. As
 * root, in a machine that has refgpu loaded with two devices, and two CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gpu_pmu.h>

#include "events.h"
#include "spin.h"
#include "tap.h"

#define ENGINES		2
#define FOREVER		REFGPU_MAX_CYCLES
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static struct refgpu second;

static void setup(void)
{
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_open(&second, 1), 0);
}

static void teardown(void)
{
	refgpu_close(&second);
	refgpu_close(&gpu);
}

/* until the driver says that it is on the engine */
static void until_busy(unsigned int engine)
{
	struct refgpu_usage first, now;
	int64_t end = refgpu_now() + 10 * SECOND;

	CHECK_EQ(refgpu_usage(&gpu, &first), 0);
	do {
		CHECK_EQ(refgpu_usage(&gpu, &now), 0);
	} while ((engine ? now.copy == first.copy : now.render == first.render) &&
		 refgpu_now() < end);
	CHECK(refgpu_now() < end);
}

/* until somebody was taken off the engine for somebody else */
static void until_preempted(const struct device_state *before)
{
	int64_t end = refgpu_now() + 10 * SECOND;
	struct device_state now;

	do {
		CHECK_EQ(device_state(0, &now), 0);
	} while (now.engine[0].preemptions == before->engine[0].preemptions &&
		 refgpu_now() < end);
	CHECK(refgpu_now() < end);
}

static void sleep_ms(unsigned int ms)
{
	sleep_until(refgpu_now() + ms * MS);
}

static uint64_t ns_of(const struct meter *meter)
{
	return meter->event < LOAD_NR_COUNTERS ? meter->value * TICK_NS : meter->value;
}

static void open_on(struct meter *m, unsigned int nr, struct window *window)
{
	CHECK_EQ(meters_open(m, nr), 0);
	CHECK_EQ(meters_on(m, nr, window), 0);
}

static void off_close(struct meter *m, unsigned int nr, struct window *window)
{
	CHECK_EQ(meters_off(m, nr, window), 0);
	meters_close(m, nr);
}

/* ---- nothing runs ---- */

static void idle(void)
{
	struct meter m[4 * EVENT_NR + ENGINES];
	struct window window;
	unsigned int i;
	uint32_t ctx;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	run(ctx, 0, 100);
	for (i = 0; i < EVENT_NR; i++) {
		m[4 * i] = (struct meter)METER(i, .fd = gpu.fd, .ctx = ctx);
		m[4 * i + 1] = (struct meter)METER(i, .fd = gpu.fd);
		m[4 * i + 2] = (struct meter)METER(i, .dev = device_minor(&gpu));
		m[4 * i + 3] = (struct meter)METER(i, 0);
	}
	for (i = 0; i < ENGINES; i++)
		m[4 * EVENT_NR + i] = (struct meter)METER(EVENT_BUSY, .engine = i + 1);
	open_on(m, NR(m), &window);
	sleep_ms(100);
	off_close(m, NR(m), &window);
	for (i = 0; i < NR(m); i++)
		CHECK_EQ(m[i].value, 0);
	teardown();
}

/* ---- one job runs ---- */

static void one_is_busy(unsigned int engine)
{
	uint32_t ctx, other, minor;
	struct window window;
	unsigned int i;

	setup();
	minor = device_minor(&gpu);
	other = context(REFGPU_PRIORITY_NORMAL);
	ctx = spin_forever(REFGPU_PRIORITY_NORMAL, engine);
	until_busy(engine);

	unsigned int here = engine + 1, there = ENGINES - engine;
	struct meter busy[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_BUSY, .fd = gpu.fd),
		METER(EVENT_BUSY, .fd = gpu.fd, .engine = here),
		METER(EVENT_BUSY, .dev = minor),
		METER(EVENT_BUSY, .dev = minor, .engine = here),
		METER(EVENT_BUSY, .engine = here),
		METER(EVENT_BUSY, 0),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_CYCLES, .dev = minor, .engine = here),
		METER(LOAD_ACTIVE, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_ACTIVE, 0),
	}, idle[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx, .engine = there),
		METER(EVENT_BUSY, .fd = gpu.fd, .engine = there),
		METER(EVENT_BUSY, .dev = minor, .engine = there),
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = other),
		METER(EVENT_BUSY, .fd = second.fd),
		METER(EVENT_BUSY, .dev = device_minor(&second)),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = other),
		METER(LOAD_CYCLES, .fd = gpu.fd, .engine = there),
		METER(LOAD_CYCLES, .fd = second.fd),
		METER(LOAD_ACTIVE, .dev = minor, .engine = there),
		METER(LOAD_READ, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_WRITE, .dev = minor),
		METER(LOAD_MISSES, 0),
		METER(EVENT_JOBS, .fd = gpu.fd),
		METER(EVENT_DONE, .fd = gpu.fd),
		METER(EVENT_WAIT, .fd = gpu.fd),
		METER(EVENT_LOST, 0),
	};

	open_on(idle, NR(idle), &window);
	open_on(busy, NR(busy), &window);
	sleep_ms(200);
	off_close(busy, NR(busy), &window);
	for (i = 0; i < NR(busy); i++)
		CHECK(window_holds(&window, ns_of(&busy[i])));
	off_close(idle, NR(idle), &window);
	for (i = 0; i < NR(idle); i++)
		CHECK_EQ(idle[i].value, 0);

	/* by itself, for as narrow a window as can be had */
	struct meter alone = METER(EVENT_BUSY, .fd = gpu.fd, .engine = here);

	open_on(&alone, 1, &window);
	sleep_ms(200);
	off_close(&alone, 1, &window);
	CHECK(window_holds(&window, alone.value));
	printf("# %.3f %%\n", 200.0 * alone.value /
	       (window.after - window.before + window.off - window.on));
	stop(ctx);
	teardown();
}

static void render_is_busy(void)
{
	one_is_busy(0);
}

static void copy_is_busy(void)
{
	one_is_busy(1);
}

/* all at once, each its own */
static void all_are_busy(void)
{
	struct meter m[ENGINES + 1];
	uint32_t ctx[ENGINES];
	struct window window;
	unsigned int e;

	setup();
	for (e = 0; e < ENGINES; e++) {
		ctx[e] = spin_forever(REFGPU_PRIORITY_NORMAL, e);
		until_busy(e);
		m[e] = (struct meter)METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx[e]);
	}
	m[e] = (struct meter)METER(EVENT_BUSY, .fd = gpu.fd);
	open_on(m, NR(m), &window);
	sleep_ms(50);
	off_close(m, NR(m), &window);
	CHECK(window_holds(&window, m[0].value));
	CHECK(window_holds(&window, m[1].value));
	CHECK(window_holds(&window, m[2].value / 2));
	for (e = 0; e < ENGINES; e++)
		stop(ctx[e]);
	teardown();
}

/* ---- partly busy ---- */

#define PERIODS		20
#define PERIOD_MS	50
#define PLANNED_NS	(PERIODS * PERIOD_MS * 1000000UL)

/* where the device was, by its own clock, when meters were switched on, and off */
struct moments {
	uint64_t before, on, off, after;
};

static uint64_t ticks(void)
{
	uint64_t now = 0;

	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &now), 0);
	return now;
}

/* ns of the jobs, as the driver says when they ran, from one moment to another */
static uint64_t ran_between(const struct job_line *jobs, unsigned int nr, uint64_t from, uint64_t to)
{
	uint64_t sum = 0, begin, end;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		begin = jobs[i].started > from ? jobs[i].started : from;
		end = jobs[i].ended < to ? jobs[i].ended : to;
		if (begin < end)
			sum += (end - begin) * TICK_NS;
	}
	return sum;
}

/*
 * A job at the beginning of each period: late ones catch up, as long as they can. The share
 * of the window is within 2 points of the plan if the machine was in time. By how much it
 * was not, is measured without the events: how much longer than planned the window was, and
 * for how long the jobs went on after it. That much the share may be off; but in any case
 * it is what the jobs' own times say of this window.
 */
static void duty_cycle(unsigned int percent)
{
	const uint64_t cycles = PERIOD_MS * MS_CYCLES * percent / 100;
	int jobs_fd = device_file(0, "jobs", O_RDONLY);
	struct job_line jobs[PERIODS] = {};
	uint32_t ctx, syncs[PERIODS];
	double took, late, share, own;
	struct window window;
	struct moments at;
	unsigned int i;
	int64_t begin;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);

	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_BUSY, .dev = device_minor(&gpu), .engine = 1),
		METER(LOAD_CYCLES, .fd = gpu.fd),
	};

	CHECK_EQ(meters_open(m, NR(m)), 0);
	at.before = ticks();
	CHECK_EQ(meters_on(m, NR(m), &window), 0);
	at.on = ticks();
	begin = refgpu_now();
	for (i = 0; i < PERIODS; i++) {
		sleep_until(begin + i * PERIOD_MS * MS);
		syncs[i] = spin(ctx, 0, cycles);
	}
	sleep_until(begin + PERIODS * PERIOD_MS * MS);
	at.off = ticks();
	off_close(m, NR(m), &window);
	at.after = ticks();
	for (i = 0; i < PERIODS; i++)
		wait_for(syncs[i]);
	CHECK_EQ(job_lines(jobs_fd, jobs, PERIODS), PERIODS);
	for (i = 0; i < PERIODS; i++)
		CHECK_EQ(jobs[i].ended - jobs[i].started, cycles);

	took = window.off - window.on;
	late = took - PLANNED_NS + ran_between(jobs, PERIODS, at.off, UINT64_MAX);
	own = 100.0 * ran_between(jobs, PERIODS, at.on, at.off) / took;
	for (i = 0; i < NR(m); i++) {
		CHECK(ns_of(&m[i]) + TICK_NS >= ran_between(jobs, PERIODS, at.on, at.off));
		CHECK(ns_of(&m[i]) <= ran_between(jobs, PERIODS, at.before, at.after) + TICK_NS);
		share = 100.0 * ns_of(&m[i]) / took;
		CHECK(share >= percent - 2 - 100 * late / took);
		CHECK(share <= percent + 2 + 100 * late / took);
	}
	printf("# %u %% planned, %.2f %% of the time, %.2f %% by the jobs; %.2f ms late\n", percent,
	       100.0 * ns_of(&m[0]) / took, own, late / MS);
	close(jobs_fd);
	teardown();
}

static void duty_2_percent(void)
{
	duty_cycle(2);
}

static void duty_50_percent(void)
{
	duty_cycle(50);
}

static void duty_98_percent(void)
{
	duty_cycle(98);
}

/* ---- opened, or enabled, late ---- */

static void opened_late(void)
{
	struct window window;
	uint32_t ctx;

	setup();
	ctx = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	until_busy(0);

	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_ACTIVE, .dev = device_minor(&gpu), .engine = 1),
	};

	/* nothing is known of the time before, and nothing is counted while off */
	CHECK_EQ(meters_open(m, NR(m)), 0);
	sleep_ms(20);
	meters_read(m, NR(m));
	for (unsigned int i = 0; i < NR(m); i++)
		CHECK_EQ(m[i].value, 0);
	CHECK_EQ(meters_on(m, NR(m), &window), 0);
	sleep_ms(20);
	off_close(m, NR(m), &window);
	for (unsigned int i = 0; i < NR(m); i++)
		CHECK(window_holds(&window, ns_of(&m[i])));
	stop(ctx);
	teardown();
}

/* on and off while it runs: what is counted are the times that it was on */
static void enabled_again(void)
{
	struct window window, sum = {};
	uint64_t last;
	uint32_t ctx;
	int i;

	setup();
	struct meter m = METER(EVENT_BUSY, .fd = gpu.fd);

	CHECK_EQ(meters_open(&m, 1), 0);
	ctx = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	until_busy(0);
	for (i = 0; i < 10; i++) {
		last = m.value;
		CHECK_EQ(meters_on(&m, 1, &window), 0);
		sleep_ms(5);
		CHECK_EQ(meters_off(&m, 1, &window), 0);
		CHECK(window_holds(&window, m.value - last));
		sum.after += window.after - window.before;
		sum.off += window.off - window.on;
		last = m.value;
		sleep_ms(12);
		meters_read(&m, 1);
		CHECK_EQ(m.value, last);
	}
	CHECK(m.value + 10 * TICK_NS >= (uint64_t)sum.off &&
	      m.value <= sum.after + 10 * TICK_NS);
	meters_close(&m, 1);
	stop(ctx);
	teardown();
}

/* read while it is on: it grows by itself, and never falls back */
static void grows(void)
{
	struct window window;
	uint64_t last;
	uint32_t ctx;
	int64_t end;

	setup();
	ctx = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	until_busy(0);
	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
	};

	open_on(m, 2, &window);
	for (int i = 0; i < 2; i++) {
		end = refgpu_now() + 10 * SECOND;
		for (int steps = 0; steps < 10 && refgpu_now() < end;) {
			last = m[i].value;
			meters_read(&m[i], 1);
			CHECK(m[i].value >= last);
			steps += m[i].value > last;
		}
		CHECK(refgpu_now() < end);
	}
	off_close(m, 2, &window);
	CHECK(window_holds(&window, ns_of(&m[0])) && window_holds(&window, ns_of(&m[1])));
	stop(ctx);
	teardown();
}

/* ---- events beside each other ---- */

/* the same, opened and closed while the first one counts, and the other way round */
static void opened_twice(void)
{
	struct window outer, inner, third;
	uint32_t ctx;
	int round;

	setup();
	ctx = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	until_busy(0);
	for (round = 0; round < 5; round++) {
		unsigned int event = round & 1 ? LOAD_CYCLES : EVENT_BUSY;
		struct meter first = METER(event, .fd = gpu.fd, .ctx = ctx);
		struct meter other = METER(event, .fd = gpu.fd, .ctx = ctx);
		struct meter last = METER(event, .fd = gpu.fd, .ctx = ctx);

		open_on(&first, 1, &outer);
		open_on(&other, 1, &inner);
		sleep_ms(5);
		off_close(&other, 1, &inner);
		CHECK(window_holds(&inner, ns_of(&other)));
		open_on(&last, 1, &third);
		sleep_ms(5);
		off_close(&first, 1, &outer);
		CHECK(window_holds(&outer, ns_of(&first)));
		sleep_ms(5);
		off_close(&last, 1, &third);
		CHECK(window_holds(&third, ns_of(&last)));
	}
	stop(ctx);
	teardown();
}

/*
 * Others come and go, and have the counter unit start and stop, while jobs come and
 * go: those that stay have all of it, and those that do not, no more than their time.
 */
static void opened_in_a_race(void)
{
	static const unsigned int brief[] = { EVENT_BUSY, LOAD_CYCLES, LOAD_ACTIVE };
	uint64_t jobs = 400, cycles = 2000, begun = 0;
	struct window window, moment;
	unsigned int i, rounds;
	int pid, status = 0;
	uint32_t ctx;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_BUSY, .dev = device_minor(&gpu), .engine = 1),
		METER(EVENT_JOBS, .fd = gpu.fd),
		METER(EVENT_DONE, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_LOST, 0),
	};

	open_on(m, NR(m), &window);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		for (i = 0; i < jobs; i++)
			run(ctx, 0, cycles);
		_exit(tap_failed != 0);
	}
	for (rounds = 0; !waitpid(pid, &status, WNOHANG); rounds++) {
		struct meter one = METER(brief[rounds % NR(brief)], .fd = gpu.fd, .ctx = ctx);

		open_on(&one, 1, &moment);
		usleep(rounds % 5 * 200);
		off_close(&one, 1, &moment);
		CHECK(ns_of(&one) <= (uint64_t)(moment.after - moment.before) + TICK_NS);
		begun += one.value != 0;
	}
	CHECK_EQ(status, 0);
	printf("# %u others, %lu of them counted something\n", rounds, begun);
	CHECK(begun > 0);
	off_close(m, NR(m), &window);
	CHECK_EQ(m[0].value, jobs * cycles * TICK_NS);
	CHECK_EQ(m[1].value, jobs * cycles * TICK_NS);
	CHECK_EQ(m[2].value, jobs);
	CHECK_EQ(m[3].value, jobs);
	CHECK_EQ(m[4].value, 0);
	teardown();
}

/* all with one read() */
static void group(void)
{
	struct {
		uint64_t nr, enabled, running, value[EVENT_NR];
	} got = {};
	struct load_counts counts = { .jobs = 3 };
	unsigned int i;
	struct tally expected = {};
	int fds[EVENT_NR];
	uint32_t ctx;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	for (i = 0; i < EVENT_NR; i++) {
		struct perf_event_attr attr = {
			.type = gpu_pmu_type(),
			.size = sizeof(attr),
			.config = gpu_event_id(event_names[i]),
			.config1 = gpu.fd,
			.config2 = ctx,
			.disabled = !i,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		fds[i] = syscall(SYS_perf_event_open, &attr, -1, 0, i ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
		CHECK(fds[i] >= 0);
	}
	CHECK_EQ(ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	for (i = 1; i <= 3; i++) {
		counts.v[LOAD_CYCLES] += 1000 * i;
		counts.v[LOAD_ACTIVE] += 1000 * i;
		run(ctx, i & 1, 1000 * i);
	}
	CHECK_EQ(ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	CHECK_EQ(read(fds[0], &got, sizeof(got)), sizeof(got));
	CHECK_EQ(got.nr, EVENT_NR);
	CHECK(got.enabled > 0);
	CHECK_EQ(got.running, got.enabled);
	tally_count(&expected, &counts);
	for (i = 0; i < EVENT_NR; i++)
		if (i != EVENT_WAIT)
			CHECK_EQ(got.value[i], expected.v[i]);
	for (i = 0; i < EVENT_NR; i++)
		close(fds[i]);
	teardown();
}

/* ---- read() to where there is no page yet ---- */

static void faulting_read(void)
{
	struct refgpu_buffer bo;
	struct window window;
	uint64_t *page;
	uint32_t ctx;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &bo), 0);

	struct meter m = METER(EVENT_BUSY, .fd = gpu.fd);

	open_on(&m, 1, &window);
	run(ctx, 0, 1234);
	CHECK_EQ(meters_off(&m, 1, &window), 0);
	*page = 1;
	CHECK_EQ(madvise(page, 4096, MADV_DONTNEED), 0);
	CHECK_EQ(read(m.fd, page, 8), 8);
	CHECK_EQ(*page, 1234 * TICK_NS);
	/* memory of the GPU's, that was not touched yet */
	CHECK_EQ(read(m.fd, bo.map, 8), 8);
	CHECK_EQ(*(uint64_t *)bo.map, 1234 * TICK_NS);
	munmap(page, 4096);
	CHECK(read(m.fd, page, 8) < 0 && errno == EFAULT);
	meters_close(&m, 1);
	munmap(bo.map, bo.size);
	teardown();
}

/* ---- a CPU goes and comes ---- */

static int cpu_online(int cpu, int on)
{
	return shell("echo %d >/sys/devices/system/cpu/cpu%d/online", on, cpu);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* the timer was started there, and one event is there; those elsewhere go on */
static void cpu_offline(void)
{
	cpu_set_t all;
	struct window window;
	uint32_t ctx;
	int64_t end;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_BUSY, .fd = gpu.fd),
	};

	m[2].cpu = 1;
	CHECK_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	pin(1);
	open_on(m, NR(m), &window);
	CHECK_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
	run(ctx, 0, 1000);
	CHECK_EQ(cpu_online(1, 0), 0);
	run(ctx, 1, 2000);
	/* nobody but the timer could see these two */
	end = refgpu_now() + 10 * SECOND;
	do {
		meters_read(m, 2);
	} while ((m[0].value < 3000 * TICK_NS || m[1].value < 3000) && refgpu_now() < end);
	CHECK_EQ(m[0].value, 3000 * TICK_NS);
	CHECK_EQ(m[1].value, 3000);
	CHECK_EQ(cpu_online(1, 1), 0);
	run(ctx, 0, 4000);
	CHECK_EQ(meters_off(m, 2, &window), 0);
	CHECK_EQ(m[0].value, 7000 * TICK_NS);
	CHECK_EQ(m[1].value, 7000);
	/* perf does not put an event back when its CPU comes back */
	meters_read(&m[2], 1);
	CHECK_EQ(m[2].value, 1000 * TICK_NS);
	meters_close(m, NR(m));

	open_on(&m[2], 1, &window);
	run(ctx, 0, 500);
	off_close(&m[2], 1, &window);
	CHECK_EQ(m[2].value, 500 * TICK_NS);
	teardown();
}

/* ---- who shares an engine ---- */

/* two of the same priority take turns, a slice each */
static void shared_engine(void)
{
	struct device_state before;
	struct window window;
	uint64_t slice = 0;
	uint32_t a, b;
	unsigned int i;

	setup();
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TIMESLICE, 0, &slice), 0);
	slice *= TICK_NS;
	CHECK_EQ(device_state(0, &before), 0);
	a = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	b = spin_forever(REFGPU_PRIORITY_NORMAL, 0);
	until_preempted(&before);

	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = a),
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = b),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = a),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = b),
	};

	open_on(m, NR(m), &window);
	sleep_ms(200);
	off_close(m, NR(m), &window);
	for (i = 0; i < NR(m); i++) {
		CHECK(ns_of(&m[i]) + slice >= (uint64_t)(window.off - window.on) / 2);
		CHECK(ns_of(&m[i]) <= (uint64_t)(window.after - window.before) / 2 + slice);
	}
	stop(a);
	stop(b);
	teardown();
}

/* the engine's time is somebody's, and nobody's twice */
static void shares_add_up(void)
{
	uint32_t ctx[4], syncs[4];
	struct meter m[NR(ctx) + 1];
	struct window window;
	uint64_t sum = 0;
	unsigned int i;

	setup();
	for (i = 0; i < NR(ctx); i++) {
		ctx[i] = context(i < 3 ? REFGPU_PRIORITY_NORMAL : REFGPU_PRIORITY_HIGH);
		m[i] = (struct meter)METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx[i]);
	}
	m[i] = (struct meter)METER(EVENT_BUSY, .dev = device_minor(&gpu), .engine = 1);
	open_on(m, NR(m), &window);
	for (i = 0; i < NR(ctx); i++)
		syncs[i] = spin(ctx[i], 0, 20 * MS_CYCLES + i);
	for (i = 0; i < NR(ctx); i++)
		wait_for(syncs[i]);
	off_close(m, NR(m), &window);
	for (i = 0; i < NR(ctx); i++) {
		CHECK_EQ(m[i].value, (20 * MS_CYCLES + i) * TICK_NS);
		sum += m[i].value;
	}
	CHECK_EQ(m[i].value, sum);
	teardown();
}

/* who is preempted, or waits for another job, does not run */
static void preempted(void)
{
	struct refgpu_batch batch = {};
	struct device_state before;
	uint32_t low, high, waits, sync;
	struct window window;
	unsigned int i;

	setup();
	low = spin_forever(REFGPU_PRIORITY_LOW, 0);
	until_busy(0);
	high = context(REFGPU_PRIORITY_HIGH);
	CHECK_EQ(device_state(0, &before), 0);
	sync = spin(high, 0, FOREVER);
	waits = context(REFGPU_PRIORITY_NORMAL);
	refgpu_spin(&batch, 100);
	CHECK_EQ(refgpu_submit(&gpu, waits, 1, &batch, sync, 0), 0);
	until_preempted(&before);

	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = high),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = high),
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = low),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = low),
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = waits),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = waits),
		METER(EVENT_BUSY, .fd = gpu.fd, .engine = 2),
	};

	open_on(m, NR(m), &window);
	sleep_ms(50);
	off_close(m, NR(m), &window);
	for (i = 0; i < NR(m); i++) {
		if (i < 2)
			CHECK(window_holds(&window, ns_of(&m[i])));
		else
			CHECK_EQ(m[i].value, 0);
	}
	stop(waits);
	stop(high);
	stop(low);
	teardown();
}

/* ---- who is stopped ---- */

static void stopped_client(void)
{
	struct window window, task_window;
	struct refgpu_usage usage;
	struct meter task[2];
	int pid, status;
	int64_t end;
	uint32_t ctx;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		spin(ctx, 0, FOREVER);
		raise(SIGSTOP);
		_exit(tap_failed != 0);
	}
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	task[0] = (struct meter)TASK_METER(EVENT_BUSY, pid);
	task[1] = (struct meter)TASK_METER(EVENT_DONE, pid);
	open_on(task, 2, &task_window);
	kill(pid, SIGCONT);
	CHECK_EQ(waitpid(pid, &status, WUNTRACED), pid);
	CHECK(WIFSTOPPED(status));

	/* it is in the middle of its job, and sleeps */
	struct meter m[] = {
		METER(EVENT_BUSY, .fd = gpu.fd, .ctx = ctx),
		METER(LOAD_CYCLES, .fd = gpu.fd, .ctx = ctx),
		METER(EVENT_DONE, .fd = gpu.fd, .ctx = ctx),
	};

	until_busy(0);
	open_on(m, NR(m), &window);
	sleep_ms(20);
	CHECK_EQ(meters_off(m, 2, &window), 0);
	CHECK(window_holds(&window, ns_of(&m[0])) && window_holds(&window, ns_of(&m[1])));

	/* who stopped is not there to see the end; the flush is */
	stop(ctx);
	CHECK_EQ(refgpu_usage(&gpu, &usage), 0);
	end = refgpu_now() + 10 * SECOND;
	do {
		meters_read(task, 2);
	} while ((task[0].value < usage.render || !task[1].value) && refgpu_now() < end);
	CHECK_EQ(task[0].value, usage.render);
	CHECK_EQ(task[1].value, 1);
	kill(pid, SIGCONT);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	off_close(task, 2, &task_window);
	CHECK_EQ(task[0].value, usage.render);
	CHECK_EQ(meters_off(&m[2], 1, &window), 0);
	CHECK_EQ(m[2].value, 1);
	meters_close(m, NR(m));
	teardown();
}

/* ---- who may what ---- */

static void as_user(uint32_t ctx)
{
	struct window window;
	unsigned int i, minor = device_minor(&gpu);
	struct meter own[] = {
		TASK_METER(EVENT_BUSY, 0, .fd = gpu.fd, .ctx = ctx),
		TASK_METER(LOAD_CYCLES, 0, .fd = gpu.fd, .ctx = ctx),
		TASK_METER(LOAD_CYCLES, 0, .fd = gpu.fd),
		TASK_METER(EVENT_BUSY, 0),
	};

	CHECK_EQ(become_user(), 0);
	open_on(own, NR(own), &window);
	run(ctx, 0, 3000);
	CHECK_EQ(meters_off(own, NR(own), &window), 0);
	for (i = 0; i < NR(own); i++)
		CHECK_EQ(ns_of(&own[i]), 3000 * TICK_NS);

#define REFUSED(event, pid, cpu, ...)						\
	CHECK_EQ(meter_try(event, (struct gpu_config) { __VA_ARGS__ }, pid, cpu), -EACCES)
	for (i = 0; i < EVENT_ALL; i++) {
		REFUSED(i, -1, 0, 0);
		REFUSED(i, -1, 0, .dev = minor);
		REFUSED(i, -1, 0, .fd = gpu.fd);
		REFUSED(i, 0, -1, .fd = GPU_PMU_FD_KERNEL, .dev = minor);
		REFUSED(i, getppid(), -1, .fd = gpu.fd);
		if (i >= LOAD_NR_COUNTERS)
			REFUSED(i, getppid(), -1, 0);
	}
	meters_close(own, NR(own));
}

static void unprivileged(void)
{
	uint32_t ctx;
	int pid, status;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(paranoid_set(2), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		as_user(ctx);
		fflush(stdout);
		_exit(tap_failed != 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	teardown();
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(idle), TEST(render_is_busy), TEST(copy_is_busy), TEST(all_are_busy),
		TEST(duty_2_percent), TEST(duty_50_percent), TEST(duty_98_percent),
		TEST(opened_late), TEST(enabled_again), TEST(grows), TEST(opened_twice),
		TEST(opened_in_a_race), TEST(group), TEST(faulting_read), TEST(cpu_offline), TEST(shared_engine),
		TEST(shares_add_up), TEST(preempted), TEST(stopped_client), TEST(unprivileged),
	};

	return tap_main(tests, NR(tests));
}
