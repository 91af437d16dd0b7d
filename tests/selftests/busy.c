// SPDX-License-Identifier: GPL-2.0
/*
 * gpu-busy: the parts are the whole, to the nanosecond; the whole is no more than
 * the time that has passed; and both are between what the time stamps of two say, by the same
 * rule, worked out by truth.c, who listen to the stock tracepoints: one before the PMU does, and
 * one behind it.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <time.h>

#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "harness.h"

#include "perf.h"
#include "truth.h"
#include "virtgpu.h"

#define CLIENT		"build/clients/gpu-client"
#define LONG_CLIENT	"build/clients/gl-long"
#define CLIENTS		3
#define FLUSH_US	"/sys/module/gpu_pmu/parameters/flush_us"

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* one event of each kind for each client, the kernel and the whole device */
FIXTURE(parts)
{
	int drm[CLIENTS];
	uint64_t ctx[CLIENTS];
	int busy[CLIENTS];
	int jobs[CLIENTS];
	int kernel;
	int engine;
	int device;
	int everything;
	int lost;
};

static int cpu_event(unsigned int event, unsigned int engine, unsigned int dev)
{
	struct gpu_config config = { .event = event, .engine = engine, .dev = dev };

	return gpu_event_open(&config, -1, 0, -1);
}

FIXTURE_SETUP(parts)
{
	struct gpu_config config = {};
	int i;

	ASSERT_EQ(0, console_calm());
	/* before there is an event */
	ASSERT_EQ(0, truth_trace_start());
	for (i = 0; i < CLIENTS; i++) {
		self->drm[i] = virtgpu_open();
		ASSERT_LE(0, self->drm[i]);
		ASSERT_EQ(0, virtgpu_context(self->drm[i], &self->ctx[i]));
		ASSERT_LT(self->ctx[i], TRUTH_CTX_MAX);
		/* programs that the test starts inherit it */
		ASSERT_EQ(0, fcntl(self->drm[i], F_SETFD, 0));
		config.fd = self->drm[i];
		config.ctx = self->ctx[i];
		config.event = GPU_PMU_EVENT_GPU_BUSY;
		self->busy[i] = gpu_event_open(&config, 0, -1, -1);
		ASSERT_LE(0, self->busy[i]);
		config.event = GPU_PMU_EVENT_JOBS;
		self->jobs[i] = gpu_event_open(&config, 0, -1, -1);
		ASSERT_LE(0, self->jobs[i]);
	}
	config = (struct gpu_config) {
		.event = GPU_PMU_EVENT_GPU_BUSY,
		.fd = GPU_PMU_FD_KERNEL,
	};
	self->kernel = gpu_event_open(&config, -1, 0, -1);
	self->engine = cpu_event(GPU_PMU_EVENT_GPU_BUSY, 1, 128);
	self->device = cpu_event(GPU_PMU_EVENT_GPU_BUSY, 0, 128);
	self->everything = cpu_event(GPU_PMU_EVENT_GPU_BUSY, 0, 0);
	self->lost = cpu_event(GPU_PMU_EVENT_LOST, 0, 0);
	ASSERT_LE(0, self->kernel);
	ASSERT_LE(0, self->engine);
	ASSERT_LE(0, self->device);
	ASSERT_LE(0, self->everything);
	ASSERT_LE(0, self->lost);
}

FIXTURE_TEARDOWN(parts)
{
	truth_trace_stop();
}

/*
 * A process that opens events can switch all of them at once; but one after the
 * other all the same. So this is done while the GPU is idle.
 */
static void all_events(bool on)
{
	usleep(100000);
	prctl(on ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE);
}

#define WORKLOAD	"sh -c '" CLIENT " -F %d -n 60 -u 1000 & " CLIENT " -F %d -n 90 & " \
			CLIENT " -F %d -n 20 -t 4 & wait'"

#define EXPECT_BETWEEN(busy, truth)						\
	do {									\
		EXPECT_LE((truth).least, busy);					\
		EXPECT_GE((truth).most, busy);					\
	} while (0)

TEST_F_TIMEOUT(parts, are_the_whole_and_the_truth, 180)
{
	static const unsigned int submitted[CLIENTS] = { 60, 90, 80 };
	uint64_t sum, busy, wall, all;
	struct truth truth;
	int i;

	all_events(true);
	ASSERT_EQ(0, truth_trace_clear());
	wall = now();
	ASSERT_EQ(0, shell(TRUTH_RECORD WORKLOAD, "/tmp/truth.data", self->drm[0],
			   self->drm[1], self->drm[2]));
	usleep(100000);
	wall = now() - wall;
	all_events(false);

	ASSERT_EQ(0, truth_read_between(&truth, "/tmp/truth.data"));
	EXPECT_EQ(0, truth.unpaired);
	sum = gpu_event_read(self->kernel);
	TH_LOG("kernel: %lu ns, truth %lu to %lu", sum, truth.busy[0].least, truth.busy[0].most);
	EXPECT_BETWEEN(sum, truth.busy[0]);
	for (i = 0; i < CLIENTS; i++) {
		const struct truth_busy *said = &truth.busy[self->ctx[i]];

		busy = gpu_event_read(self->busy[i]);
		TH_LOG("context %lu: %lu ns, truth %lu to %lu", self->ctx[i], busy,
		       said->least, said->most);
		sum += busy;
		EXPECT_EQ(submitted[i], gpu_event_read(self->jobs[i]));
		EXPECT_EQ(submitted[i], truth.jobs[self->ctx[i]]);
		EXPECT_BETWEEN(busy, *said);
	}
	all = gpu_event_read(self->engine);
	EXPECT_LT(0, all);
	EXPECT_EQ(all, sum);
	EXPECT_EQ(all, gpu_event_read(self->device));
	EXPECT_EQ(all, gpu_event_read(self->everything));
	EXPECT_LE(all, wall);
	TH_LOG("all: %lu ns, truth %lu to %lu", all, truth.all_busy.least, truth.all_busy.most);
	EXPECT_BETWEEN(all, truth.all_busy);
	EXPECT_EQ(230, truth.all_jobs);
	EXPECT_EQ(0, gpu_event_read(self->lost));
}

/* an idle GPU reads 0 */
TEST_F(parts, idle)
{
	int i;

	all_events(true);
	sleep(1);
	all_events(false);
	for (i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, gpu_event_read(self->busy[i]));
	EXPECT_EQ(0, gpu_event_read(self->engine));
	EXPECT_EQ(0, gpu_event_read(self->everything));
}

/* what others do is not mine; opening a second event disturbs no first one */
TEST_F(parts, others_are_not_mine)
{
	int i;

	all_events(true);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, virtgpu_run(self->drm[0], 1));
		close(cpu_event(GPU_PMU_EVENT_GPU_BUSY, 0, 0));
	}
	all_events(false);
	EXPECT_EQ(20, gpu_event_read(self->jobs[0]));
	EXPECT_LT(0, gpu_event_read(self->busy[0]));
	EXPECT_EQ(0, gpu_event_read(self->busy[1]));
	EXPECT_EQ(0, gpu_event_read(self->jobs[1]));
	EXPECT_EQ(gpu_event_read(self->engine),
		  gpu_event_read(self->busy[0]) + gpu_event_read(self->kernel));
}

/* a disabled event counts nothing, and goes on where it was */
TEST_F(parts, disabled_and_enabled_again)
{
	int i;

	for (i = 0; i < 5; i++) {
		all_events(true);
		ASSERT_EQ(0, virtgpu_run(self->drm[0], 3));
		all_events(false);
		ASSERT_EQ(0, virtgpu_run(self->drm[0], 4));
	}
	EXPECT_EQ(15, gpu_event_read(self->jobs[0]));
}

FIXTURE(blocked)
{
	struct perf_stat stat;
};

FIXTURE_SETUP(blocked)
{
	ASSERT_EQ(0, console_calm());
}

FIXTURE_TEARDOWN(blocked)
{
}

/*
 * One long job, one glFinish(): the counter goes on while the client sleeps. The
 * client's turns are made more until the job takes long enough here.
 */
TEST_F_TIMEOUT(blocked, busy_advances_in_one_long_job, 240)
{
	unsigned int turns, i, full;
	struct perf_stat *stat = &self->stat;

	for (turns = 500; turns <= 1000000; turns *= 4) {
		ASSERT_EQ(0, perf_stat_run(stat, "-I 100 -e gpu/gpu-busy/,gpu/jobs/ "
					   LONG_CLIENT " %u", turns));
		ASSERT_EQ(0, stat->status);
		full = 0;
		for (i = 0; i < stat->nr; i++)
			full += stat->line[i].value > 90000000 &&
				!strncmp(stat->line[i].event, "gpu/gpu-busy/", 13);
		if (full >= 5)
			break;
	}
	TH_LOG("%u intervals of 100 ms in which the GPU ran on, of %u", full,
	       perf_stat_lines(stat, "gpu/gpu-busy/"));
	EXPECT_GE(full, 5);
	if (!__test_passed(_metadata))
		perf_stat_dump(stat);
}

/* an interval is counted in full in which the task never ran, and the GPU did */
TEST_F_TIMEOUT(blocked, task_that_never_runs, 120)
{
	struct perf_stat *stat = &self->stat;
	int drm = virtgpu_open(), i;
	uint64_t ctx;
	pid_t sleeper;

	ASSERT_LE(0, drm);
	ASSERT_EQ(0, fcntl(drm, F_SETFD, 0));
	ASSERT_EQ(0, virtgpu_context(drm, &ctx));
	sleeper = fork();
	if (!sleeper) {
		pause();
		_exit(0);
	}
	usleep(100000);
	EXPECT_EQ(0, perf_stat_run(stat, "-p %d -e gpu/gpu-busy/ -e gpu/jobs/ "
				   "-e gpu/gpu-busy,fd=%d,ctx=%lu/ "
				   "-e gpu/ctx-busy,fd=%d,ctx=%lu/ "
				   "-e gpu/ctx-jobs,fd=%d,ctx=%lu/ "
				   CLIENT " -F %d -n 40 -u 1000",
				   sleeper, drm, ctx, drm, ctx, drm, ctx, drm));
	kill(sleeper, SIGKILL);
	EXPECT_TRUE(perf_stat_counted(stat));
	EXPECT_EQ(0, perf_stat_sum(stat, "gpu/gpu-busy/"));
	EXPECT_EQ(0, perf_stat_sum(stat, "gpu/jobs/"));
	EXPECT_LT(0, perf_stat_sum(stat, "gpu/gpu-busy,fd="));
	EXPECT_EQ(perf_stat_sum(stat, "gpu/gpu-busy,fd="),
		  perf_stat_sum(stat, "gpu/ctx-busy,fd="));
	EXPECT_EQ(40, perf_stat_sum(stat, "gpu/ctx-jobs,fd="));
	/* nor is it scaled: it was there all the time */
	for (i = 0; i < (int)stat->nr; i++)
		EXPECT_NE(NULL, strstr(stat->text, ";100.00;"));
	if (!__test_passed(_metadata))
		perf_stat_dump(stat);
}

#define DEPTH	8

/* a client that always has some jobs outstanding, as long ones as there are */
static void keep_busy(void)
{
	int drm = virtgpu_open(), fence[DEPTH], i;

	for (i = 0; i < DEPTH; i++)
		fence[i] = virtgpu_submit_nops(drm, 0, VIRTGPU_NOPS_MAX);
	for (i = 0; fence[i % DEPTH] >= 0; i++) {
		virtgpu_wait(fence[i % DEPTH]);
		fence[i % DEPTH] = virtgpu_submit_nops(drm, 0, VIRTGPU_NOPS_MAX);
	}
	_exit(1);
}

FIXTURE(loaded)
{
	pid_t load;
};

FIXTURE_SETUP(loaded)
{
	self->load = fork();
	if (!self->load)
		keep_busy();
}

FIXTURE_TEARDOWN(loaded)
{
	shell("echo 5000 >" FLUSH_US);
	kill(self->load, SIGKILL);
	waitpid(self->load, NULL, 0);
}

/*
 * Off and on again, many times, between two flushes: what lies between does not
 * count, though no flush has seen that the event was off. One that is always on
 * tells that the GPU was busy all the time.
 */
TEST_F_TIMEOUT(loaded, off_time_is_not_counted, 120)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	uint64_t start, on = 0, all, before;
	int always, event, i;

	ASSERT_EQ(0, shell("echo 200000 >" FLUSH_US));
	always = gpu_event_open(&config, -1, 0, -1);
	event = gpu_event_open(&config, -1, 0, -1);
	ASSERT_LE(0, always);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, gpu_event_enable(always));
	before = now();
	for (i = 0; i < 50; i++) {
		start = now();
		ASSERT_EQ(0, gpu_event_enable(event));
		usleep(2000);
		ASSERT_EQ(0, gpu_event_disable(event));
		on += now() - start;
		usleep(10000);
	}
	all = now() - before;
	ASSERT_EQ(0, gpu_event_disable(always));
	TH_LOG("on for %lu ms of %lu, counted %lu and %lu ms", on / 1000000, all / 1000000,
	       gpu_event_read(event) / 1000000, gpu_event_read(always) / 1000000);
	/* who is slow gives it less to do */
	EXPECT_LT(all / 2 / slowdown(), gpu_event_read(always));
	EXPECT_LE(gpu_event_read(event), on);
	EXPECT_LT(0, gpu_event_read(event));
}

/*
 * A disabled event keeps the source attached. More happens than the ring holds; what
 * is outstanding when the event is enabled is known all the same. The GPU may be done
 * before it is enabled: so it is tried until it is not.
 */
#define BATCH	20

static int submit_batch(int drm)
{
	int i, fence = -1;

	for (i = 0; i < BATCH; i++) {
		if (fence >= 0)
			close(fence);
		fence = virtgpu_submit(drm);
	}
	return fence;
}

/* no other event is open: one that is on would keep the flush going by itself */
TEST_F_TIMEOUT(blocked, outstanding_work_is_known_when_enabled, 200)
{
	int done = cpu_event(GPU_PMU_EVENT_JOBS_DONE, 0, 0);
	struct pollfd last = { .events = POLLIN };
	int drm = virtgpu_open(), round, i, ready = 1;

	ASSERT_LE(0, done);
	ASSERT_LE(0, drm);
	for (round = 0; ready && round < 50; round++) {
		uint64_t before = gpu_event_read(done);

		/* two records each */
		for (i = 0; i < 1100; i++)
			ASSERT_LE(0, close(virtgpu_submit(drm)));
		last.fd = submit_batch(drm);
		ASSERT_LE(0, last.fd);
		ASSERT_EQ(0, gpu_event_enable(done));
		ready = poll(&last, 1, 0);
		ASSERT_EQ(0, virtgpu_wait(last.fd));
		usleep(50000);
		ASSERT_EQ(0, gpu_event_disable(done));
		if (!ready)
			EXPECT_LT(before, gpu_event_read(done));
	}
	ASSERT_EQ(0, ready) TH_LOG("this GPU is too fast for the test");
}

/* what was submitted while the event was on is counted to its end, off or not */
TEST(job_outlives_its_submitter)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS_DONE };
	int status, event, drm = virtgpu_open();
	pid_t pid;
	char byte;
	int go[2];

	ASSERT_LE(0, drm);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < 10; i++)
			if (virtgpu_submit(drm) < 0)
				_exit(1);
		_exit(0); /* and does not wait */
	}
	event = gpu_event_open(&config, pid, -1, -1);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, gpu_event_enable(event));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	/* a job behind them ends after them; it is counted when it was told of, and once */
	ASSERT_EQ(0, virtgpu_run(drm, 1));
	for (int i = 0; i < 1000 && gpu_event_read(event) < 10; i++)
		usleep(10000);
	usleep(50000);
	EXPECT_EQ(10, gpu_event_read(event));
}

TEST_HARNESS_MAIN
