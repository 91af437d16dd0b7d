// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of the reference GPU's jobs, waits and reports: how many there are, what
 * they carry, and who sees them. As root, in a machine that has the modules loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>
#include <linux/gpu_pmu.h>

#include "load.h"
#include "ring.h"
#include "tap.h"

#define SECOND		1000000000LL
#define MS_CYCLES	12500ULL	/* 1 ms */
#define TICK_NS		80
#define JOBS_MAX	512

static struct refgpu gpu;
static struct ring_sample sample;

static const struct gpu_config jobs = { .event = GPU_PMU_EVENT_JOBS };

static void setup(void)
{
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
}

static uint32_t context_of(struct refgpu *of)
{
	uint32_t ctx = 0;

	CHECK_EQ(refgpu_context(of, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	return ctx;
}

/* what was submitted, and its fence */
static struct drm_refgpu_submit submit(struct refgpu *to, uint32_t ctx, uint32_t engine,
				       uint64_t cycles, uint32_t out)
{
	struct drm_refgpu_cmd cmd = { .op = REFGPU_OP_SPIN, .n = cycles };
	struct drm_refgpu_submit args = {
		.ctx = ctx, .engine = engine, .cmds = (uintptr_t)&cmd, .nr_cmds = 1,
		.out_sync = out,
	};

	CHECK_EQ(ioctl(to->fd, DRM_IOCTL_REFGPU_SUBMIT, &args), 0);
	return args;
}

static unsigned int drain(struct ring *ring)
{
	unsigned int nr = 0;

	while (ring_next(ring, &sample))
		nr++;
	return nr;
}

/* of perf's own clock and of CLOCK_MONOTONIC: the times are those of the ioctl */
static void jobs_say_what_they_are(unsigned int flags)
{
	struct drm_refgpu_submit done[20];
	uint64_t before[20], after[20];
	uint32_t ctx, sync;
	struct ring ring;
	unsigned int i;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	CHECK_EQ(ring_open(&ring, &jobs, 0, -1, 1, flags), 0);
	submit(&gpu, ctx, 0, 100, 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	for (i = 0; i < 20; i++) {
		before[i] = ring_clock(&ring);
		done[i] = submit(&gpu, ctx, i & 1, 100, sync);
		after[i] = ring_clock(&ring);
	}
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	submit(&gpu, ctx, 0, 100, 0);
	CHECK(before[0] > 0);

	for (i = 0; i < 20; i++) {
		CHECK(ring_next(&ring, &sample));
		CHECK(sample.size >= sizeof(sample.gpu));
		CHECK_EQ(sample.pid, getpid());
		CHECK_EQ(sample.gpu.version, GPU_PMU_SAMPLE_VERSION);
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_JOB);
		CHECK_EQ(sample.gpu.engine, i & 1);
		CHECK_EQ(sample.gpu.pid, getpid());
		CHECK_EQ(sample.gpu.ctx, ctx);
		CHECK(sample.gpu.client != 0);
		CHECK_EQ(sample.gpu.fence_context, done[i].fence_context);
		CHECK_EQ(sample.gpu.fence_seqno, done[i].fence_seqno);
		/* a tick of the GPU's clock is 80 ns */
		CHECK(sample.gpu.submit + TICK_NS >= before[i] && sample.gpu.submit <= after[i]);
		CHECK(sample.time >= before[i] && sample.time <= after[i]);
		CHECK_EQ(sample.gpu.begin, 0);
		CHECK_EQ(sample.gpu.end, 0);
	}
	CHECK(!ring_next(&ring, &sample));
	CHECK_EQ(gpu_event_read(ring.fd), 20);
	ring_close(&ring);
	refgpu_close(&gpu);
}

static void jobs_in_perfs_clock(void)
{
	jobs_say_what_they_are(0);
}

static void jobs_in_monotonic_clock(void)
{
	jobs_say_what_they_are(RING_MONOTONIC);
}

/* a period goes over the task's rests */
static void jobs_by_period(void)
{
	static const unsigned int periods[] = { 1, 2, 10, 7 };
	unsigned int i, k;
	uint32_t ctx;

	setup();
	ctx = context_of(&gpu);
	for (i = 0; i < 4; i++) {
		struct ring ring;

		CHECK_EQ(ring_open(&ring, &jobs, 0, -1, periods[i], 0), 0);
		CHECK_EQ(gpu_event_enable(ring.fd), 0);
		for (k = 0; k < 100; k++) {
			submit(&gpu, ctx, 0, 100, 0);
			if (k % 9 == 0)
				usleep(1000);
		}
		CHECK_EQ(gpu_event_disable(ring.fd), 0);
		CHECK_EQ(drain(&ring), 100 / periods[i]);
		CHECK_EQ(gpu_event_read(ring.fd), 100);
		ring_close(&ring);
	}
	refgpu_close(&gpu);
}

static void move_to_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

#define MOVER_JOBS	60

static void *mover(void *arg)
{
	uint32_t ctx = context_of(&gpu);
	unsigned int i, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (i = 0; i < MOVER_JOBS; i++) {
		if (i % 5 == 0)
			move_to_cpu((i / 5 + (uintptr_t)arg) % cpus);
		submit(&gpu, ctx, i & 1, 10, 0);
	}
	return NULL;
}

/* threads and children that go from CPU to CPU: nobody is lost, or seen twice */
static void jobs_of_all_who_move(void)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), i, c, nr = 0, throttled = 0;
	struct ring rings[16];
	pthread_t threads[8];
	uint64_t lost = 0;
	pid_t child;
	int status;

	setup();
	for (c = 0; c < cpus; c++) {
		CHECK_EQ(ring_open(&rings[c], &jobs, 0, c, 1, RING_INHERIT), 0);
		CHECK_EQ(gpu_event_enable(rings[c].fd), 0);
	}
	for (i = 0; i < 8; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, mover, (void *)(uintptr_t)i), 0);
	for (i = 0; i < 3; i++) {
		child = fork();
		if (!child) {
			mover(NULL);
			_exit(0);
		}
	}
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 3; i++)
		CHECK(wait(&status) > 0);
	for (c = 0; c < cpus; c++) {
		nr += drain(&rings[c]);
		lost += rings[c].lost;
		throttled += rings[c].throttled;
		ring_close(&rings[c]);
	}
	CHECK_EQ(nr + lost, 11 * MOVER_JOBS);
	CHECK_EQ(lost, 0);
	CHECK_EQ(throttled, 0);
	refgpu_close(&gpu);
}

/* what the GPU did, on what was submitted: joined by the fence, to the nanosecond */
static void done_is_joined_to_jobs(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	static const struct gpu_config busy = { .event = GPU_PMU_EVENT_GPU_BUSY };
	uint64_t fences[JOBS_MAX][2], times[JOBS_MAX], sum = 0, cycles = 0, n;
	unsigned int i, k, submitted = 0, joined = 0, preempted = 0;
	struct load_random random = { 42 };
	struct ring at_submit, at_end;
	uint32_t ctx[4], sync[8];
	int counter;

	setup();
	for (i = 0; i < 4; i++)
		ctx[i] = context_of(&gpu);
	for (i = 0; i < 8; i++)
		sync[i] = refgpu_sync(&gpu);
	CHECK_EQ(ring_open(&at_submit, &jobs, 0, -1, 1, 0), 0);
	CHECK_EQ(ring_open(&at_end, &done, 0, -1, 1, 0), 0);
	counter = gpu_event_open(&busy, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(gpu_event_enable(at_submit.fd), 0);
	CHECK_EQ(gpu_event_enable(at_end.fd), 0);
	CHECK_EQ(gpu_event_enable(counter), 0);

	for (i = 0; i < 200; i++) {
		k = i % 4 * 2 + load_random(&random, 2);
		n = 1 + load_random(&random, 30000);
		submit(&gpu, ctx[k / 2], k & 1, n, sync[k]);
		cycles += n;
	}
	for (i = 0; i < 8; i++)
		CHECK_EQ(refgpu_sync_wait(&gpu, sync[i], 60 * SECOND), 0);
	CHECK_EQ(gpu_event_disable(at_submit.fd), 0);
	CHECK_EQ(gpu_event_disable(at_end.fd), 0);
	CHECK_EQ(gpu_event_disable(counter), 0);

	while (ring_next(&at_submit, &sample) && submitted < JOBS_MAX) {
		fences[submitted][0] = sample.gpu.fence_context;
		fences[submitted][1] = sample.gpu.fence_seqno;
		times[submitted++] = sample.gpu.submit;
	}
	CHECK_EQ(submitted, 200);
	while (ring_next(&at_end, &sample)) {
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_DONE);
		CHECK_EQ(sample.gpu.pid, getpid());
		for (i = 0; i < submitted; i++)
			if (fences[i][0] == sample.gpu.fence_context &&
			    fences[i][1] == sample.gpu.fence_seqno)
				break;
		CHECK(i < submitted);
		fences[i][0] = 0;	/* once */
		joined++;
		sum += sample.gpu.busy;
		preempted += sample.gpu.busy < sample.gpu.end - sample.gpu.begin;
		CHECK(sample.gpu.busy <= sample.gpu.end - sample.gpu.begin);
		CHECK(sample.gpu.submit <= sample.gpu.begin && sample.gpu.begin < sample.gpu.end);
		/* two clocks' conversions, one for each sample */
		CHECK(sample.gpu.submit - times[i] + 20000 < 40000);
		CHECK(sample.gpu.end <= sample.time);
	}
	CHECK_EQ(joined, 200);
	CHECK(preempted > 0);
	CHECK_EQ(sum, cycles * TICK_NS);
	CHECK_EQ(gpu_event_read(counter), cycles * TICK_NS);
	CHECK_EQ(gpu_event_read(at_end.fd), 200);
	close(counter);
	ring_close(&at_end);
	ring_close(&at_submit);
	refgpu_close(&gpu);
}

/* the owner of a file sees what is its own, and nothing else */
static void others_are_not_seen(void)
{
	struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	struct gpu_config reports = { .event = GPU_PMU_EVENT_REPORTS };
	struct gpu_config mine = jobs;
	struct ring rings[3];
	uint32_t ctx, theirs, sync, their_sync;
	uint64_t fence_context = 0, client = 0, cycles = 0, event;
	struct refgpu other;
	unsigned int i, k;

	setup();
	CHECK_EQ(refgpu_open(&other, 0), 0);
	ctx = context_of(&gpu);
	theirs = context_of(&other);
	sync = refgpu_sync(&gpu);
	their_sync = refgpu_sync(&other);
	done.fd = reports.fd = mine.fd = gpu.fd;
	CHECK_EQ(ring_open(&rings[0], &mine, 0, -1, 1, 0), 0);
	CHECK_EQ(ring_open(&rings[1], &done, 0, -1, 1, 0), 0);
	CHECK_EQ(ring_open(&rings[2], &reports, 0, -1, 1, 0), 0);
	event = gpu_event_id("gpu-cycles");
	for (i = 0; i < 3; i++)
		CHECK_EQ(gpu_event_enable(rings[i].fd), 0);
	for (i = 0; i < 30; i++) {
		fence_context = submit(&gpu, ctx, 0, 5000, sync).fence_context;
		submit(&other, theirs, 0, 5000, their_sync);
	}
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_wait(&other, their_sync, 10 * SECOND), 0);
	for (i = 0; i < 3; i++)
		CHECK_EQ(gpu_event_disable(rings[i].fd), 0);

	for (k = 0; k < 2; k++) {
		for (i = 0; ring_next(&rings[k], &sample); i++) {
			CHECK_EQ(sample.gpu.fence_context, fence_context);
			CHECK_EQ(sample.gpu.ctx, ctx);
			CHECK(!client || client == sample.gpu.client);
			client = sample.gpu.client;
		}
		CHECK_EQ(i, 30);
	}
	for (i = 0; ring_next(&rings[2], &sample); i++) {
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_REPORT);
		CHECK_EQ(sample.gpu.client, client);
		CHECK_EQ(sample.gpu.ctx, ctx);
		CHECK_EQ(sample.gpu.engine, 0);
		CHECK_EQ(sample.gpu.nr_values, 5);
		for (k = 0; k < sample.gpu.nr_values; k++)
			if (sample.report.values[k].event == event)
				cycles += sample.report.values[k].delta;
		CHECK(sample.gpu.begin <= sample.gpu.end);
	}
	CHECK(i > 0);
	CHECK_EQ(cycles, 30 * 5000);
	CHECK_EQ(gpu_event_read(rings[2].fd), i);
	for (i = 0; i < 3; i++)
		ring_close(&rings[i]);
	refgpu_close(&other);
	refgpu_close(&gpu);
}

/* one that was submitted before the first event: it has no other sample, and says so */
static void done_of_earlier_jobs(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	struct drm_refgpu_submit jobs[2];
	uint32_t ctx, sync;
	struct ring ring;
	struct gpu_config mine = done;
	unsigned int i;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	/* still there when the event is, and the events' source */
	jobs[0] = submit(&gpu, ctx, 0, 200 * MS_CYCLES * slowdown(), 0);
	mine.fd = gpu.fd;
	CHECK_EQ(ring_open(&ring, &mine, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	jobs[1] = submit(&gpu, ctx, 0, 100, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	for (i = 0; i < 2; i++) {
		CHECK(ring_next(&ring, &sample));
		CHECK_EQ(sample.gpu.fence_seqno, jobs[i].fence_seqno);
		CHECK_EQ(sample.gpu.flags, i ? 0 : GPU_PMU_SAMPLE_EARLIER);
	}
	CHECK(!ring_next(&ring, &sample));
	ring_close(&ring);
	refgpu_close(&gpu);
}

#define FLOOD_JOBS	8000	/* some records each: far more than the ring holds */
#define FLOOD_AT_ONCE	2000	/* half of what can be followed */
#define FLOOD_EVENTS	60	/* each completion is so much work for the flush */

/*
 * Who submits as fast as it can, with all events that sample it, does not outrun the flush:
 * what it has done is counted. Samples may be lost, for FIFOs and perf's rings are small.
 */
static void flood_is_kept_up_with(void)
{
	struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	struct ring ring[FLOOD_EVENTS];
	unsigned int i, last;
	uint32_t ctx, sync;
	int counter;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	done.fd = gpu.fd;
	counter = gpu_event_open(&done, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	for (i = 0; i < FLOOD_EVENTS; i++) {
		CHECK_EQ(ring_open(&ring[i], &done, 0, -1, 1, 0), 0);
		CHECK_EQ(gpu_event_enable(ring[i].fd), 0);
	}
	for (i = 0; i < FLOOD_JOBS; i++) {
		last = (i + 1) % FLOOD_AT_ONCE == 0;
		submit(&gpu, ctx, 0, 1, last ? sync : 0);
		if (last)
			CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	}
	CHECK_EQ(gpu_event_disable(counter), 0);
	CHECK_EQ(gpu_event_read(counter), FLOOD_JOBS);
	for (i = 0; i < FLOOD_EVENTS; i++)
		ring_close(&ring[i]);
	close(counter);
	refgpu_close(&gpu);
}

/* ---- waits ---- */

enum way { BY_BUFFER, BY_SYNCOBJ, BY_ANY, BY_TIMELINE, BY_POLL, BY_SELECT, WAYS };

static int sync_file_of(uint32_t sync)
{
	int fd = -1;

	CHECK_EQ(drmSyncobjExportSyncFile(gpu.fd, sync, &fd), 0);
	return fd;
}

static void wait_by(enum way way, const struct refgpu_buffer *bo, uint32_t sync)
{
	uint32_t syncs[2], never = refgpu_sync(&gpu);
	uint64_t point = 0;
	struct pollfd poll_fd;
	fd_set set;
	int fd;

	switch (way) {
	case BY_BUFFER:
		CHECK_EQ(refgpu_buffer_wait(&gpu, bo, 60 * SECOND), 0);
		break;
	case BY_SYNCOBJ:
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		break;
	case BY_ANY:
		syncs[0] = sync;
		syncs[1] = never;
		CHECK_EQ(drmSyncobjWait(gpu.fd, syncs, 2, INT64_MAX,
					DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL), 0);
		break;
	case BY_TIMELINE:
		CHECK_EQ(drmSyncobjTimelineWait(gpu.fd, &sync, &point, 1, INT64_MAX, 0, NULL), 0);
		break;
	case BY_POLL:
		fd = sync_file_of(sync);
		if (fd < 0)
			break;
		poll_fd = (struct pollfd) { .fd = fd, .events = POLLIN };
		CHECK_EQ(poll(&poll_fd, 1, 60000), 1);
		close(fd);
		break;
	case BY_SELECT:
		fd = sync_file_of(sync);
		if (fd < 0)
			break;
		FD_ZERO(&set);
		FD_SET(fd, &set);
		CHECK_EQ(select(fd + 1, &set, NULL, NULL, NULL), 1);
		close(fd);
		break;
	default:
		break;
	}
	refgpu_sync_free(&gpu, never);
}

/* 50 ms, in whatever way: one wait, for that fence, as long as it took */
static void waits_in_all_ways(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	static const struct gpu_config wait_time = { .event = GPU_PMU_EVENT_WAIT_TIME };
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo;
	uint64_t before, after, total = 0;
	struct ring ring;
	uint32_t ctx, sync;
	enum way way;
	int time;

	setup();
	ctx = context_of(&gpu);
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &bo), 0);
	CHECK_EQ(ring_open(&ring, &waits, 0, -1, 1, RING_MONOTONIC), 0);
	time = gpu_event_open(&wait_time, 0, -1, -1);
	CHECK(time >= 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	CHECK_EQ(gpu_event_enable(time), 0);
	for (way = 0; way < WAYS; way++) {
		sync = refgpu_sync(&gpu);
		refgpu_spin(&batch, 50 * MS_CYCLES);
		refgpu_fill(&batch, &bo, 0, 4096, 1);
		CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, sync), 0);
		before = ring_clock(&ring);
		wait_by(way, &bo, sync);
		after = ring_clock(&ring);
		/* what is over already is no wait */
		wait_by(way, &bo, sync);

		CHECK(ring_next(&ring, &sample));
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_WAIT);
		CHECK(sample.gpu.fence_context != 0);
		CHECK(before <= sample.gpu.begin && sample.gpu.end <= after);
		CHECK(sample.gpu.end - sample.gpu.begin >= 30000000);
		CHECK_EQ(sample.gpu.pid, getpid());
		/* nobody knows for which client a sync file is polled */
		CHECK_EQ(!sample.gpu.client, way == BY_POLL || way == BY_SELECT);
		total += sample.gpu.end - sample.gpu.begin;
		CHECK(!ring_next(&ring, &sample));
		refgpu_sync_free(&gpu, sync);
	}
	CHECK_EQ(gpu_event_read(ring.fd), WAYS);
	/* the same waits, but for what lies between two readings of the clock */
	CHECK_EQ(gpu_event_read(time), total);
	close(time);
	ring_close(&ring);
	refgpu_close(&gpu);
}

/* the whole time of a wait is there as period: 300 ms are 300 samples of 1 ms */
static void wait_time_by_period(void)
{
	static const struct gpu_config wait_time = { .event = GPU_PMU_EVENT_WAIT_TIME };
	unsigned int nr;
	struct ring ring;
	uint32_t sync;

	setup();
	sync = refgpu_sync(&gpu);
	CHECK_EQ(ring_open(&ring, &wait_time, 0, -1, 1000000, 0), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	submit(&gpu, context_of(&gpu), 0, 300 * MS_CYCLES, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	nr = drain(&ring);
	CHECK_EQ(nr, gpu_event_read(ring.fd) / 1000000);
	CHECK(nr >= 280);
	CHECK_EQ(ring.throttled, 0);
	ring_close(&ring);
	refgpu_close(&gpu);
}

/* by file: counted for whoever waits; sampled only where the event is */
static void waits_of_a_client(void)
{
	struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	struct refgpu other;
	uint32_t sync, theirs;
	struct ring ring;
	int counter;

	setup();
	CHECK_EQ(refgpu_open(&other, 0), 0);
	sync = refgpu_sync(&gpu);
	theirs = refgpu_sync(&other);
	waits.fd = gpu.fd;
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(ring_open(&ring, &waits, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	/* long enough for the wait not to come too late */
	submit(&other, context_of(&other), 0, 100 * MS_CYCLES, theirs);
	CHECK_EQ(refgpu_sync_wait(&other, theirs, 10 * SECOND), 0);
	submit(&gpu, context_of(&gpu), 0, 100 * MS_CYCLES, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(gpu_event_disable(counter), 0);
	CHECK_EQ(gpu_event_read(counter), 1);
	CHECK_EQ(drain(&ring), 1);
	waits.ctx = 1;
	CHECK_EQ(gpu_event_open(&waits, 0, -1, -1), -EOPNOTSUPP);
	close(counter);
	ring_close(&ring);
	refgpu_close(&other);
	refgpu_close(&gpu);
}

/* one that is refused takes nothing from those that come after it */
static void waits_after_a_refusal(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	struct gpu_config wrong = waits;
	uint32_t sync;
	int counter;

	setup();
	sync = refgpu_sync(&gpu);
	wrong.fd = 1000;
	CHECK_EQ(gpu_event_open(&wrong, 0, -1, -1), -EBADF);
	wrong.fd = gpu.fd;
	wrong.ctx = 1;
	CHECK(gpu_event_open(&wrong, 0, -1, -1) < 0);
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_open(&wrong, 0, -1, -1) < 0, 1);
	submit(&gpu, context_of(&gpu), 0, 20 * MS_CYCLES, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(gpu_event_read(counter), 1);
	close(counter);
	refgpu_close(&gpu);
}

/* who asks by epoll does not poll: nothing is left for its next poll to end */
static void waits_are_not_epolls(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	struct epoll_event event = { .events = EPOLLIN };
	int counter, epoll = epoll_create1(EPOLL_CLOEXEC), fd;
	uint32_t sync;

	setup();
	sync = refgpu_sync(&gpu);
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK(counter >= 0 && epoll >= 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	submit(&gpu, context_of(&gpu), 0, 200 * MS_CYCLES, sync);
	fd = sync_file_of(sync);
	CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
	CHECK_EQ(poll(NULL, 0, 10), 0);
	CHECK_EQ(gpu_event_read(counter), 0);
	close(counter);
	close(fd);
	close(epoll);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	refgpu_close(&gpu);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(jobs_in_perfs_clock),
		TEST(jobs_in_monotonic_clock),
		TEST(jobs_by_period),
		TEST(jobs_of_all_who_move),
		TEST(done_is_joined_to_jobs),
		TEST(others_are_not_seen),
		TEST(done_of_earlier_jobs),
		TEST(flood_is_kept_up_with),
		TEST(waits_in_all_ways),
		TEST(wait_time_by_period),
		TEST(waits_of_a_client),
		TEST(waits_after_a_refusal),
		TEST(waits_are_not_epolls),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
