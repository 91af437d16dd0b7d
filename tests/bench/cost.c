// SPDX-License-Identifier: GPL-2.0
/*
 * What one operation costs, under some events. usage: cost GPU OPERATION [EVENT...]
 *
 * GPU is refgpu or virtio, operations are in the table at the end, EVENT as in under.h.
 * Prints instructions, if it runs under "tests/vm/run --icount". One at a time, with a
 * pause behind each: what was submitted ends, timers run, and files are written then.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "gpu.h"
#include "trace.h"
#include "under.h"

#define EVENTS_MAX	256

struct cost {
	struct under under;
	const struct bench_gpu *gpu;
	int fd;
	int events[EVENTS_MAX];
	unsigned int nr_events;
	struct under_event last;	/* the last EVENT, if the operation opens it */
};

/* the GPU is idle, and all that is done later has been done */
static void pause_a_while(void)
{
	usleep(4 * BENCH_JOB_US);
}

/* ---- operations: how long one took ---- */

static uint64_t cost_nothing(struct cost *cost)
{
	uint64_t start = bench_now();

	check("ioctl", cost->gpu->nothing(cost->fd));
	return bench_now() - start;
}

static uint64_t cost_submit(struct cost *cost)
{
	uint64_t start = bench_now();

	check("submit", cost->gpu->submit(cost->fd));
	return bench_now() - start;
}

static uint64_t cost_wait(struct cost *cost)
{
	uint64_t start;

	check("submit", cost->gpu->start(cost->fd));
	start = bench_cpu();
	check("wait", cost->gpu->wait(cost->fd));
	return bench_cpu() - start;
}

static uint64_t cost_read(struct cost *cost)
{
	uint64_t values[3 + EVENTS_MAX];
	uint64_t start = bench_now();

	if (read(cost->events[0], values, sizeof(values)) <= 0)
		die("read: %s", strerror(errno));
	return bench_now() - start;
}

/* the first one, and the last one, wait for all CPUs: that is not counted */
static uint64_t cost_open(struct cost *cost)
{
	uint64_t start = bench_cpu(), took;
	int event = under_open(&cost->last, -1);

	took = bench_cpu() - start;
	check("open an event", event);
	close(event);
	return took;
}

static uint64_t cost_close(struct cost *cost)
{
	int event = under_open(&cost->last, -1);
	uint64_t start;

	check("open an event", event);
	start = bench_cpu();
	close(event);
	return bench_cpu() - start;
}

/* a child, and its end */
static uint64_t cost_fork(struct cost *cost)
{
	uint64_t start = bench_now();
	pid_t pid = fork();

	(void)cost;
	if (!pid)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("fork: %s", strerror(errno));
	return bench_now() - start;
}

/* ---- how often, and what is made of it ---- */

static void measure(struct cost *cost, uint64_t (*operation)(struct cost *cost),
		    unsigned int rounds)
{
	uint64_t took[BENCH_ROUNDS];
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		took[i] = operation(cost);
		pause_a_while();
	}
	printf("%lu\n", bench_usual(took, rounds));
}

struct durations {
	const char *function;
	unsigned int nr;
	uint64_t took[2 * BENCH_ROUNDS];
};

static bool durations_add(void *arg, const char *function, double ns)
{
	struct durations *d = arg;

	if (ns && !strcmp(function, d->function) && d->nr < 2 * BENCH_ROUNDS)
		d->took[d->nr++] = ns + 0.5;
	return true;
}

/* what the driver does when a job is complete */
static void measure_completion(struct cost *cost, unsigned int rounds)
{
	const char *const *function;
	uint64_t sum = 0;
	unsigned int i;

	trace_setup(cost->gpu->done);
	trace_clear();
	trace_on(true);
	for (i = 0; i < rounds; i++) {
		check("submit", cost->gpu->submit(cost->fd));
		pause_a_while();
	}
	trace_on(false);
	for (function = cost->gpu->done; *function; function++) {
		struct durations d = { .function = *function };

		trace_read(durations_add, &d);
		if (d.nr < rounds)
			die("%s ran %u times", *function, d.nr);
		sum += bench_usual(d.took, d.nr);
	}
	trace_end();
	printf("%lu\n", sum);
}

/* ---- all that is done for a job, whoever does it, and when ---- */

#define JOBS		50	/* in a window, one after the other */
#define JOB_EACH_NS	(2 * BENCH_JOB_US * 1000ULL)
/*
 * With what is left to do behind the last one. Ticks (4 ms) and flushes (5 ms) fit in as
 * often each time.
 */
#define WINDOW_NS	(JOBS * JOB_EACH_NS + 20000000ULL)
#define WINDOWS		7

struct spinner {
	pid_t pid;
	uint64_t *turns;
};

#define TURN_NS		2	/* two instructions */

/* takes all of the CPU that nobody else does, and counts it */
static void spin(struct spinner *spinner)
{
	struct sched_param param = {};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		_exit(1);
	__asm__ volatile("1: incq %0\n\tjmp 1b" : "+m"(*spinner->turns));
	_exit(1);
}

static uint64_t spinner_turns(const struct spinner *spinner)
{
	return __atomic_load_n(spinner->turns, __ATOMIC_RELAXED);
}

static void spinner_start(struct spinner *spinner)
{
	spinner->turns = mmap(NULL, sizeof(*spinner->turns), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spinner->turns == MAP_FAILED)
		die("memory: %s", strerror(errno));
	spinner->pid = fork();
	if (!spinner->pid)
		spin(spinner);
	if (spinner->pid < 0)
		die("fork: %s", strerror(errno));
	pause_a_while();
	if (!spinner_turns(spinner))
		die("nothing spins");
}

static void spinner_end(struct spinner *spinner)
{
	kill(spinner->pid, SIGKILL);
	waitpid(spinner->pid, NULL, 0);
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* what the CPU did in a window but for spinning */
static uint64_t window(struct cost *cost, const struct spinner *spinner, bool jobs)
{
	uint64_t start = bench_now(), turns = spinner_turns(spinner);
	unsigned int i;

	for (i = 0; i < JOBS; i++) {
		if (jobs)
			check("submit", cost->gpu->submit(cost->fd));
		sleep_until(start + (i + 1) * JOB_EACH_NS);
	}
	sleep_until(start + WINDOW_NS);
	return bench_now() - start - TURN_NS * (spinner_turns(spinner) - turns);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void measure_windows(struct cost *cost, bool jobs)
{
	uint64_t took[WINDOWS];
	struct spinner spinner;
	unsigned int i;

	spinner_start(&spinner);
	for (i = 0; i < WINDOWS; i++)
		took[i] = window(cost, &spinner, jobs);
	spinner_end(&spinner);
	qsort(took, WINDOWS, sizeof(took[0]), compare);
	printf("%lu\n", took[WINDOWS / 2] / JOBS);
}

static void measure_job(struct cost *cost, unsigned int rounds)
{
	(void)rounds;
	measure_windows(cost, true);
}

/* the same, without any: what ticks, sleeping, and the PMU's timer take of it */
static void measure_no_job(struct cost *cost, unsigned int rounds)
{
	(void)rounds;
	measure_windows(cost, false);
}

static const struct operation {
	const char *name;
	uint64_t (*one)(struct cost *cost);
	/* if it is not done one by one */
	void (*all)(struct cost *cost, unsigned int rounds);
	unsigned int rounds;
	bool opens;		/* the last EVENT, by itself */
	bool group;
	bool inherit;
} operations[] = {
	{ .name = "nothing", .one = cost_nothing, .rounds = BENCH_ROUNDS },
	{ .name = "submit", .one = cost_submit, .rounds = BENCH_ROUNDS },
	{ .name = "complete", .all = measure_completion, .rounds = BENCH_ROUNDS },
	{ .name = "job", .all = measure_job },
	{ .name = "no-job", .all = measure_no_job },
	{ .name = "wait", .one = cost_wait, .rounds = BENCH_ROUNDS },
	{ .name = "read", .one = cost_read, .rounds = BENCH_ROUNDS },
	{ .name = "read-group", .one = cost_read, .rounds = BENCH_ROUNDS, .group = true },
	{ .name = "open", .one = cost_open, .rounds = 20, .opens = true },
	{ .name = "close", .one = cost_close, .rounds = 20, .opens = true },
	{ .name = "fork", .one = cost_fork, .rounds = BENCH_ROUNDS, .inherit = true },
};

static const struct operation *operation_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	die("no such operation: %s", name);
}

/*
 * No kernel thread runs before the operation is done. Whether one that is woken would
 * do so depends on what ran before.
 */
static void uninterrupted(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct cost cost = { .under.other_fd = -1 };
	const struct operation *op;
	int i;

	if (argc < 3)
		die("usage: cost GPU OPERATION [EVENT...]");
	uninterrupted();
	cost.gpu = bench_gpu(argv[1]);
	op = operation_find(argv[2]);
	cost.fd = cost.gpu->open(&cost.under.ctx);
	check("open the GPU", cost.fd);
	cost.under.gpu = cost.gpu;
	cost.under.fd = cost.fd;
	cost.under.group = op->group;
	cost.under.inherit = op->inherit;

	for (i = 3; i < argc - op->opens; i++)
		cost.nr_events += under_open_all(&cost.under, argv[i],
						 cost.events + cost.nr_events,
						 EVENTS_MAX - cost.nr_events);
	if (op->opens)
		under_name(&cost.under, argv[argc - 1], &cost.last);
	pause_a_while();
	if (op->one)
		measure(&cost, op->one, op->rounds);
	else
		op->all(&cost, op->rounds);
	under_end(&cost.under);
	return 0;
}
