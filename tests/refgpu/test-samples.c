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
#include <linux/sync_file.h>

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

static uint32_t context_with(struct refgpu *of, uint32_t priority)
{
	uint32_t ctx = 0;

	CHECK_EQ(refgpu_context(of, priority, &ctx), 0);
	return ctx;
}

static uint32_t context_of(struct refgpu *of)
{
	return context_with(of, REFGPU_PRIORITY_NORMAL);
}

/* what was submitted, and its fence */
static struct drm_refgpu_submit submit_cmds(struct refgpu *to, uint32_t ctx, uint32_t engine,
					    const struct drm_refgpu_cmd *cmds, unsigned int nr,
					    uint32_t out)
{
	struct drm_refgpu_submit args = {
		.ctx = ctx, .engine = engine, .cmds = (uintptr_t)cmds, .nr_cmds = nr,
		.out_sync = out,
	};

	CHECK_EQ(ioctl(to->fd, DRM_IOCTL_REFGPU_SUBMIT, &args), 0);
	return args;
}

static struct drm_refgpu_submit submit(struct refgpu *to, uint32_t ctx, uint32_t engine,
				       uint64_t cycles, uint32_t out)
{
	const struct drm_refgpu_cmd cmd = { .op = REFGPU_OP_SPIN, .n = cycles };

	return submit_cmds(to, ctx, engine, &cmd, 1, out);
}

#define CONTEXTS	300	/* more than the PMU has room for at once */

/* what /dev/gpu_pmu says of a file, or of all (-1); how many entries there are */
static unsigned int ask(unsigned long request, int fd, unsigned int room, void *infos)
{
	struct gpu_pmu_contexts arg = { .fd = fd, .nr = room, .infos = (uintptr_t)infos };
	int query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);

	CHECK(query >= 0);
	CHECK_EQ(ioctl(query, request, &arg), 0);
	close(query);
	return arg.nr;
}

static uint64_t fence_context_of(int fd, uint32_t ctx, unsigned int engine, uint64_t *client)
{
	static struct gpu_pmu_fence_info fences[4 * CONTEXTS];
	unsigned int nr = ask(GPU_PMU_IOCTL_FENCES, fd, 4 * CONTEXTS, fences), i;
	uint64_t fence_context = 0;

	CHECK(nr <= 4 * CONTEXTS);
	for (i = 0; i < nr; i++) {
		if (fences[i].ctx != ctx || fences[i].engine != engine ||
		    (*client && fences[i].client != *client))
			continue;
		CHECK(!fence_context);
		fence_context = fences[i].fence_context;
		*client = fences[i].client;
	}
	return fence_context;
}

/* told by the driver: before anything is submitted, with no event, and so it is then */
static void fence_contexts_are_told(void)
{
	struct ring ring;
	uint32_t ctx[2], sync;
	uint64_t client = 0, told;
	unsigned int i;

	setup();
	sync = refgpu_sync(&gpu);
	for (i = 0; i < 2; i++)
		ctx[i] = context_of(&gpu);
	CHECK_EQ(ring_open(&ring, &jobs, 0, -1, 1, 0), 0);
	for (i = 0; i < 4; i++) {
		told = fence_context_of(gpu.fd, ctx[i / 2], i % 2, &client);
		CHECK(told);
		if (i == 1)
			CHECK_EQ(gpu_event_enable(ring.fd), 0);
		CHECK_EQ(submit(&gpu, ctx[i / 2], i % 2, 100, sync).fence_context, told);
		CHECK_EQ(fence_context_of(-1, ctx[i / 2], i % 2, &client), told);
		if (!i)
			continue;
		CHECK(ring_next(&ring, &sample));
		CHECK_EQ(sample.gpu.fence_context, told);
		CHECK_EQ(sample.gpu.ctx, ctx[i / 2]);
		CHECK_EQ(sample.gpu.client, client);
	}
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx[0]), 0);
	CHECK_EQ(fence_context_of(gpu.fd, ctx[0], 0, &client), 0);
	ring_close(&ring);
	refgpu_close(&gpu);
}

/* of a file with many contexts each one is told, once */
static void many_contexts_are_told(void)
{
	static struct gpu_pmu_context_info infos[CONTEXTS];
	static struct gpu_pmu_fence_info fences[2 * CONTEXTS];
	unsigned int i;

	setup();
	for (i = 0; i < CONTEXTS; i++)
		context_of(&gpu);
	memset(infos, 0, sizeof(infos));
	CHECK_EQ(ask(GPU_PMU_IOCTL_CONTEXTS, gpu.fd, 0, NULL), CONTEXTS);
	CHECK_EQ(ask(GPU_PMU_IOCTL_CONTEXTS, gpu.fd, CONTEXTS, infos), CONTEXTS);
	CHECK_EQ(ask(GPU_PMU_IOCTL_FENCES, gpu.fd, 7, fences), 2 * CONTEXTS);
	CHECK_EQ(ask(GPU_PMU_IOCTL_FENCES, gpu.fd, 2 * CONTEXTS, fences), 2 * CONTEXTS);
	for (i = 0; i < CONTEXTS; i++) {
		CHECK(infos[i].ctx && (!i || infos[i].ctx > infos[i - 1].ctx));
		CHECK_EQ(infos[i].client, infos[0].client);
		CHECK_EQ(fences[2 * i].ctx, infos[i].ctx);
		CHECK_EQ(fences[2 * i + 1].engine, 1);
	}
	refgpu_close(&gpu);
}

static unsigned int drain(struct ring *ring)
{
	unsigned int nr = 0;

	while (ring_next(ring, &sample))
		nr++;
	return nr;
}

/* in whatever clock: the times are those of the ioctl */
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

static void jobs_in_boottime_clock(void)
{
	jobs_say_what_they_are(RING_BOOTTIME);
}

/*
 * What a record can have its times from, and how near to the GPU's own times it is:
 * CLOCK_MONOTONIC is what these are converted to, by ticks; and from that to others
 */
static const struct {
	unsigned int flag;
	uint64_t slack;
} clocks[] = {
	{ 0, 20000 },
	{ RING_MONOTONIC, TICK_NS },
	{ RING_BOOTTIME, 20000 },
};

#define CLOCKS	(sizeof(clocks) / sizeof(clocks[0]))

static void by_all_clocks(struct ring *rings, const struct gpu_config *config)
{
	unsigned int i;

	for (i = 0; i < CLOCKS; i++) {
		CHECK_EQ(ring_open(&rings[i], config, 0, -1, 1, clocks[i].flag), 0);
		CHECK_EQ(gpu_event_enable(rings[i].fd), 0);
	}
}

static void read_all_clocks(const struct ring *rings, uint64_t *now)
{
	unsigned int i;

	for (i = 0; i < CLOCKS; i++)
		now[i] = ring_clock(&rings[i]);
}

static void close_all_clocks(struct ring *rings, uint64_t count)
{
	unsigned int i;

	for (i = 0; i < CLOCKS; i++) {
		CHECK_EQ(gpu_event_read(rings[i].fd), count);
		CHECK_EQ(rings[i].lost, 0);
		ring_close(&rings[i]);
	}
}

/* between the submission and the end of the wait, in order, and as long by each of them */
static void done_in_all_clocks(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	uint64_t before[20][CLOCKS], after[20][CLOCKS], begin[20][2];
	struct drm_refgpu_submit jobs[20];
	struct ring rings[CLOCKS];
	unsigned int i, k;
	uint32_t ctx, sync;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	by_all_clocks(rings, &done);
	for (i = 0; i < 20; i++) {
		read_all_clocks(rings, before[i]);
		jobs[i] = submit(&gpu, ctx, i & 1, MS_CYCLES, sync);
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		read_all_clocks(rings, after[i]);
	}
	for (k = 0; k < CLOCKS; k++)
		CHECK_EQ(gpu_event_disable(rings[k].fd), 0);
	for (k = 0; k < CLOCKS; k++) {
		for (i = 0; i < 20; i++) {
			CHECK(ring_next(&rings[k], &sample));
			CHECK_EQ(sample.gpu.fence_seqno, jobs[i].fence_seqno);
			CHECK(before[i][k] <= sample.gpu.submit + clocks[k].slack);
			CHECK(sample.gpu.submit <= sample.gpu.begin);
			CHECK_EQ(sample.gpu.end - sample.gpu.begin, MS_CYCLES * TICK_NS);
			CHECK(sample.gpu.end <= after[i][k] + clocks[k].slack);
			CHECK(sample.gpu.end <= sample.time);
			if (!k) {
				begin[i][0] = sample.gpu.submit;
				begin[i][1] = sample.gpu.begin;
			}
			CHECK_EQ(sample.gpu.begin - sample.gpu.submit, begin[i][1] - begin[i][0]);
		}
		CHECK(!ring_next(&rings[k], &sample));
	}
	close_all_clocks(rings, 20);
	refgpu_close(&gpu);
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

/* who goes from CPU to CPU, and how much it submits */
struct mover {
	unsigned int jobs;
	unsigned int first_cpu;
};

static void *mover(void *arg)
{
	unsigned int i, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct mover *self = arg;
	uint32_t ctx = context_of(&gpu);

	for (i = 0; i < self->jobs; i++) {
		if (i % 5 == 0)
			move_to_cpu((i / 5 + self->first_cpu) % cpus);
		submit(&gpu, ctx, i & 1, 10, 0);
	}
	return NULL;
}

#define MOVER_THREADS	8
#define MOVER_CHILDREN	3
#define MOVERS		(MOVER_THREADS + MOVER_CHILDREN)

static void all_move(unsigned int jobs)
{
	struct mover movers[MOVERS];
	pthread_t threads[MOVER_THREADS];
	unsigned int i;
	int status;

	for (i = 0; i < MOVERS; i++)
		movers[i] = (struct mover) { jobs, i };
	for (i = 0; i < MOVER_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, mover, &movers[i]), 0);
	for (i = 0; i < MOVER_CHILDREN; i++) {
		if (!fork()) {
			tap_failed = 0;
			mover(&movers[MOVER_THREADS + i]);
			_exit(tap_failed != 0);
		}
	}
	for (i = 0; i < MOVER_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < MOVER_CHILDREN; i++) {
		CHECK(wait(&status) > 0);
		CHECK_EQ(status, 0);
	}
}

/* threads and children that go from CPU to CPU; how many samples */
static unsigned int samples_of_all(unsigned int jobs_each, unsigned int period)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), c, nr = 0;
	struct ring rings[16];
	uint64_t count = 0;

	CHECK(cpus <= 16);
	setup();
	for (c = 0; c < cpus; c++) {
		CHECK_EQ(ring_open(&rings[c], &jobs, 0, c, period, RING_INHERIT), 0);
		CHECK_EQ(gpu_event_enable(rings[c].fd), 0);
	}
	all_move(jobs_each);
	for (c = 0; c < cpus; c++) {
		nr += drain(&rings[c]);
		count += gpu_event_read(rings[c].fd);
		CHECK_EQ(rings[c].lost, 0);
		CHECK_EQ(rings[c].throttled, 0);
		ring_close(&rings[c]);
	}
	CHECK_EQ(count, MOVERS * jobs_each);
	refgpu_close(&gpu);
	return nr;
}

/* nobody is lost, or seen twice */
static void jobs_of_all_who_move(void)
{
	CHECK_EQ(samples_of_all(60, 1), MOVERS * 60);
}

/* perf keeps a rest of the period for each CPU's event, and for each task that inherits it */
static void jobs_of_all_by_period(void)
{
	unsigned int rests = sysconf(_SC_NPROCESSORS_ONLN) * MOVERS;
	unsigned int nr = samples_of_all(100, 10);

	CHECK(nr <= MOVERS * 100 / 10);
	CHECK(nr * 10 + rests * 9 >= MOVERS * 100);
	printf("# %u samples of %u jobs\n", nr, MOVERS * 100);
}

/* forked by a task of a namespace of its own: perf makes its event there */
static void submit_inside(uint32_t ctx, uint32_t sync)
{
	int status;

	if (!fork()) {
		tap_failed = 0;
		CHECK(getpid() < 10);
		submit(&gpu, ctx, 0, 100, sync);
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		/* the completion's sample is this task's, if it is still there */
		usleep(50000 * slowdown());
		_exit(tap_failed != 0);
	}
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);
}

/* pids are those of the namespace in which the event was opened, whoever inherits it */
static void pids_are_the_openers(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	struct ring at_submit, at_end;
	uint32_t ctx, sync;
	int status, submitter;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	CHECK_EQ(ring_open(&at_submit, &jobs, 0, 0, 1, RING_INHERIT), 0);
	CHECK_EQ(ring_open(&at_end, &done, 0, 0, 1, RING_INHERIT), 0);
	CHECK_EQ(gpu_event_enable(at_submit.fd), 0);
	CHECK_EQ(gpu_event_enable(at_end.fd), 0);
	if (!fork()) {
		tap_failed = 0;
		move_to_cpu(0);
		CHECK_EQ(unshare(CLONE_NEWPID), 0);
		if (!fork()) {
			submit_inside(ctx, sync);
			_exit(tap_failed != 0);
		}
		CHECK(wait(&status) > 0);
		_exit(status || tap_failed);
	}
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);

	CHECK(ring_next(&at_submit, &sample));
	submitter = sample.pid;
	CHECK(submitter > getpid());
	CHECK_EQ(sample.gpu.pid, submitter);
	CHECK(!ring_next(&at_submit, &sample));
	CHECK(ring_next(&at_end, &sample));
	CHECK_EQ(sample.gpu.pid, submitter);
	CHECK(!ring_next(&at_end, &sample));
	ring_close(&at_submit);
	ring_close(&at_end);
	refgpu_close(&gpu);
}

/*
 * What the GPU did, on what was submitted: joined by the fence, to the nanosecond. A job of
 * a higher priority has each engine until all others are queued: so these are preempted,
 * however slowly they are submitted.
 */
static void done_is_joined_to_jobs(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	static const struct gpu_config busy = { .event = GPU_PMU_EVENT_GPU_BUSY };
	uint64_t fences[JOBS_MAX][2], times[JOBS_MAX], sum = 0, cycles = 0, held = 0, n;
	unsigned int i, k, submitted = 0, joined = 0, preempted = 0;
	struct drm_refgpu_submit holds[2];
	struct load_random random = { 42 };
	struct ring at_submit, at_end;
	uint32_t ctx[4], sync[8], high;
	int counter;

	setup();
	high = context_with(&gpu, REFGPU_PRIORITY_HIGH);
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

	for (i = 0; i < 2; i++)
		holds[i] = submit(&gpu, high, i, REFGPU_MAX_CYCLES, 0);
	for (i = 0; i < 200; i++) {
		k = i % 4 * 2 + load_random(&random, 2);
		n = 1 + load_random(&random, 30000);
		submit(&gpu, ctx[k / 2], k & 1, n, sync[k]);
		cycles += n;
	}
	CHECK(refgpu_until_both_run(&gpu));
	CHECK_EQ(refgpu_context_destroy(&gpu, high), 0);
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
	CHECK_EQ(submitted, 202);
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
		for (k = 0; k < 2; k++) {
			if (sample.gpu.fence_context != holds[k].fence_context)
				continue;
			/* nobody has preempted this one */
			CHECK_EQ(sample.gpu.busy, sample.gpu.end - sample.gpu.begin);
			held += sample.gpu.busy;
		}
		preempted += sample.gpu.busy < sample.gpu.end - sample.gpu.begin;
		CHECK(sample.gpu.busy <= sample.gpu.end - sample.gpu.begin);
		CHECK(sample.gpu.submit <= sample.gpu.begin && sample.gpu.begin < sample.gpu.end);
		/* two clocks' conversions, one for each sample */
		CHECK(sample.gpu.submit - times[i] + 20000 < 40000);
		CHECK(sample.gpu.end <= sample.time);
	}
	CHECK_EQ(joined, 202);
	CHECK(preempted > 0);
	CHECK(held > 0);
	CHECK_EQ(sum - held, cycles * TICK_NS);
	CHECK_EQ(gpu_event_read(counter), sum);
	CHECK_EQ(gpu_event_read(at_end.fd), 202);
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

static void *submit_others(void *arg)
{
	const uint32_t *of = arg;
	unsigned int i;

	for (i = 0; i < 30; i++)
		submit(&gpu, of[0], 0, 5000, of[1]);
	CHECK_EQ(refgpu_sync_wait(&gpu, of[1], 60 * SECOND), 0);
	return NULL;
}

/* without a file: what that task has submitted, and not what others have to the same file */
static void done_of_a_task(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	uint32_t ctx, sync, others[2];
	uint64_t fence_context = 0;
	pthread_t thread;
	struct ring ring;
	unsigned int i;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	others[0] = context_of(&gpu);
	others[1] = refgpu_sync(&gpu);
	CHECK_EQ(ring_open(&ring, &done, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	CHECK_EQ(pthread_create(&thread, NULL, submit_others, others), 0);
	for (i = 0; i < 30; i++)
		fence_context = submit(&gpu, ctx, 0, 5000, sync).fence_context;
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	for (i = 0; ring_next(&ring, &sample); i++) {
		CHECK_EQ(sample.gpu.fence_context, fence_context);
		CHECK_EQ(sample.gpu.ctx, ctx);
	}
	CHECK_EQ(i, 30);
	CHECK_EQ(gpu_event_read(ring.fd), 30);
	ring_close(&ring);
	refgpu_close(&gpu);
}

/* one that was submitted before the first event: it has no other sample, and says so */
static void done_of_earlier_jobs(void)
{
	static const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	struct drm_refgpu_submit jobs[2];
	uint32_t ctx, earlier, sync;
	struct ring ring;
	struct gpu_config mine = done;
	unsigned int i;

	setup();
	ctx = context_of(&gpu);
	earlier = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	/* still there when the event is, and the events' source: it ends with its context */
	jobs[0] = submit(&gpu, earlier, 0, REFGPU_MAX_CYCLES, sync);
	mine.fd = gpu.fd;
	CHECK_EQ(ring_open(&ring, &mine, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	CHECK_EQ(refgpu_context_destroy(&gpu, earlier), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	jobs[1] = submit(&gpu, ctx, 0, 100, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	for (i = 0; i < 2; i++) {
		CHECK(ring_next(&ring, &sample));
		CHECK_EQ(sample.gpu.fence_context, jobs[i].fence_context);
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
 * what it has done is counted. Samples may be lost, for FIFOs and perf's rings are small:
 * how many of them is what full_rings_say_it() and full_fifos_say_it() look at.
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

#define OVERFLOW_JOBS	100

/* perf's ring is too small: it says how many it had no room for */
static void full_rings_say_it(void)
{
	static const unsigned int sampled[] = { GPU_PMU_EVENT_JOBS, GPU_PMU_EVENT_JOBS_DONE };
	struct gpu_config config = {};
	unsigned int i, k, nr;
	struct ring ring;
	uint32_t ctx, sync;

	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	for (i = 0; i < 2; i++) {
		config.event = sampled[i];
		CHECK_EQ(ring_open(&ring, &config, 0, -1, 1, RING_SMALL), 0);
		CHECK_EQ(gpu_event_enable(ring.fd), 0);
		for (k = 0; k < OVERFLOW_JOBS; k++)
			submit(&gpu, ctx, 0, 10, sync);
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		CHECK_EQ(gpu_event_disable(ring.fd), 0);
		nr = drain(&ring);
		/* it says so in front of the next one that has room */
		CHECK_EQ(gpu_event_enable(ring.fd), 0);
		submit(&gpu, ctx, 0, 10, sync);
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		CHECK_EQ(gpu_event_disable(ring.fd), 0);
		CHECK_EQ(drain(&ring), 1);
		CHECK(ring.lost > 0);
		CHECK_EQ(nr + ring.lost, OVERFLOW_JOBS);
		CHECK_EQ(ring.throttled, 0);
		CHECK_EQ(gpu_event_read(ring.fd), OVERFLOW_JOBS + 1);
		ring_close(&ring);
	}
	refgpu_close(&gpu);
}

/* a task that sleeps, but when it is told to run once */
struct sleeper {
	pid_t pid;
	int to;
	int from;
};

static void sleeper_start(struct sleeper *sleeper)
{
	int to[2], from[2];
	char c;

	CHECK_EQ(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
	sleeper->pid = fork();
	if (!sleeper->pid) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
			;
		_exit(0);
	}
	sleeper->to = to[1];
	sleeper->from = from[0];
	close(to[0]);
	close(from[1]);
}

/* it has answered, and sleeps again */
static void sleeper_run(const struct sleeper *sleeper)
{
	char path[64], state = 0, c = 0;
	FILE *file;

	CHECK_EQ(write(sleeper->to, &c, 1), 1);
	CHECK_EQ(read(sleeper->from, &c, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/stat", sleeper->pid);
	while (state != 'S') {
		file = fopen(path, "re");
		CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
		if (!file)
			return;
		fclose(file);
	}
}

static void sleeper_end(struct sleeper *sleeper)
{
	int status;

	close(sleeper->to);
	CHECK_EQ(waitpid(sleeper->pid, &status, 0), sleeper->pid);
	close(sleeper->from);
}

#define FIFO_FILE	"/sys/module/gpu_pmu/parameters/fifo_samples"
#define FIFO_SMALL	16

static unsigned int fifo_samples(unsigned int nr)
{
	unsigned int before = 0;
	FILE *file = fopen(FIFO_FILE, "r+e");

	CHECK(file && fscanf(file, "%u", &before) == 1);
	if (file) {
		rewind(file);
		fprintf(file, "%u", nr);
		CHECK_EQ(fclose(file), 0);
	}
	return before;
}

/* the event's task sleeps: the FIFO is full, and what does not fit is lost, and no more */
static void full_fifos_say_it(void)
{
	struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	static const struct gpu_config lost = { .event = GPU_PMU_EVENT_LOST };
	struct sleeper sleeper;
	cpu_set_t all;
	int counter, losses;
	unsigned int before, i;
	uint32_t ctx, sync;
	struct ring ring;

	/* while this runs, the sleeper does not */
	CHECK_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	move_to_cpu(0);
	sleeper_start(&sleeper);
	setup();
	ctx = context_of(&gpu);
	sync = refgpu_sync(&gpu);
	done.fd = gpu.fd;
	before = fifo_samples(FIFO_SMALL);
	CHECK_EQ(ring_open(&ring, &done, sleeper.pid, -1, 1, 0), 0);
	fifo_samples(before);
	counter = gpu_event_open(&done, 0, -1, -1);
	losses = gpu_event_open(&lost, 0, -1, -1);
	CHECK(counter >= 0 && losses >= 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_enable(losses), 0);
	sleeper_run(&sleeper);
	for (i = 0; i < OVERFLOW_JOBS; i++)
		submit(&gpu, ctx, 0, 10, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	/* all that has happened is counted with it */
	CHECK_EQ(gpu_event_disable(counter), 0);
	CHECK_EQ(gpu_event_read(counter), OVERFLOW_JOBS);
	CHECK_EQ(drain(&ring), 0);
	sleeper_run(&sleeper);
	CHECK_EQ(drain(&ring), FIFO_SMALL);
	CHECK_EQ(ring.lost, 0);
	CHECK_EQ(gpu_event_disable(losses), 0);
	CHECK_EQ(gpu_event_read(losses), OVERFLOW_JOBS - FIFO_SMALL);
	/* an event that is sampled counts what it has handed over */
	CHECK_EQ(gpu_event_read(ring.fd), FIFO_SMALL);
	close(losses);
	close(counter);
	ring_close(&ring);
	refgpu_close(&gpu);
	sleeper_end(&sleeper);
	CHECK_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

/* ---- waits ---- */

enum way {
	BY_BUFFER, BY_SYNCOBJ, BY_ANY, BY_TIMELINE,
	/* on a sync file */
	BY_POLL, BY_PPOLL, BY_SELECT, BY_PSELECT, WAYS
};

static int sync_file_of(uint32_t sync)
{
	int fd = -1;

	CHECK_EQ(drmSyncobjExportSyncFile(gpu.fd, sync, &fd), 0);
	return fd;
}

static void wait_by_file(enum way way, uint32_t sync)
{
	const struct timespec timeout = { .tv_sec = 60 };
	struct pollfd poll_fd = { .fd = sync_file_of(sync), .events = POLLIN };
	int fd = poll_fd.fd;
	fd_set set;

	if (fd < 0)
		return;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	if (way == BY_POLL)
		CHECK_EQ(poll(&poll_fd, 1, 60000), 1);
	else if (way == BY_PPOLL)
		CHECK_EQ(ppoll(&poll_fd, 1, &timeout, NULL), 1);
	else if (way == BY_SELECT)
		CHECK_EQ(select(fd + 1, &set, NULL, NULL, NULL), 1);
	else
		CHECK_EQ(pselect(fd + 1, &set, NULL, NULL, &timeout, NULL), 1);
	close(fd);
}

/* what is in a syncobj is what this point of a timeline waits for, too */
static void point_add(uint32_t timeline, uint64_t point, uint32_t sync)
{
	CHECK_EQ(drmSyncobjTransfer(gpu.fd, timeline, point, sync, 0, 0), 0);
}

static int point_wait(uint32_t timeline, uint64_t point, int64_t until, uint32_t flags)
{
	return drmSyncobjTimelineWait(gpu.fd, &timeline, &point, 1, until, flags, NULL);
}

static void wait_by(enum way way, const struct refgpu_buffer *bo, uint32_t sync)
{
	uint32_t syncs[2] = { sync };

	switch (way) {
	case BY_BUFFER:
		CHECK_EQ(refgpu_buffer_wait(&gpu, bo, 60 * SECOND), 0);
		break;
	case BY_SYNCOBJ:
		CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
		break;
	case BY_ANY:
		syncs[1] = refgpu_sync(&gpu);	/* never */
		CHECK_EQ(drmSyncobjWait(gpu.fd, syncs, 2, INT64_MAX,
					DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL), 0);
		refgpu_sync_free(&gpu, syncs[1]);
		break;
	case BY_TIMELINE:
		syncs[1] = refgpu_sync(&gpu);
		point_add(syncs[1], 3, sync);
		CHECK_EQ(point_wait(syncs[1], 3, INT64_MAX, 0), 0);
		refgpu_sync_free(&gpu, syncs[1]);
		break;
	default:
		wait_by_file(way, sync);
		break;
	}
}

/* long enough for the wait not to come too late; and what writes to the buffer */
static struct drm_refgpu_submit spin_and_fill(uint32_t ctx, const struct refgpu_buffer *bo,
					      uint32_t sync)
{
	const struct drm_refgpu_cmd cmds[] = {
		{ .op = REFGPU_OP_SPIN, .n = 200 * MS_CYCLES * slowdown() },
		{ .op = REFGPU_OP_FILL, .n = 4096, .dst = bo->handle, .value = 1 },
	};

	return submit_cmds(&gpu, ctx, 0, cmds, 2, sync);
}

/* the sample that each clock's ring has of the same wait; its length */
static uint64_t wait_check(struct ring *rings, const uint64_t *before, const uint64_t *after,
			   const struct drm_refgpu_submit *job, enum way way)
{
	uint64_t length = 0;
	unsigned int i;

	for (i = 0; i < CLOCKS; i++) {
		CHECK(ring_next(&rings[i], &sample));
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_WAIT);
		CHECK_EQ(sample.gpu.fence_context, job->fence_context);
		CHECK_EQ(sample.gpu.fence_seqno, job->fence_seqno);
		CHECK(before[i] <= sample.gpu.begin + clocks[i].slack);
		CHECK(sample.gpu.end <= after[i] + clocks[i].slack);
		CHECK_EQ(sample.gpu.pid, getpid());
		/* nobody knows for which client a sync file is polled */
		CHECK_EQ(!sample.gpu.client, way >= BY_POLL);
		CHECK(!length || length == sample.gpu.end - sample.gpu.begin);
		length = sample.gpu.end - sample.gpu.begin;
		CHECK(!ring_next(&rings[i], &sample));
	}
	return length;
}

/* in whatever way and by whatever clock: one wait, for that fence, as long as it took */
static void waits_in_all_ways(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	static const struct gpu_config wait_time = { .event = GPU_PMU_EVENT_WAIT_TIME };
	uint64_t before[CLOCKS], after[CLOCKS], total = 0;
	struct drm_refgpu_submit job;
	struct ring rings[CLOCKS];
	struct refgpu_buffer bo;
	uint32_t ctx, sync;
	enum way way;
	int time;

	setup();
	ctx = context_of(&gpu);
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &bo), 0);
	by_all_clocks(rings, &waits);
	time = gpu_event_open(&wait_time, 0, -1, -1);
	CHECK(time >= 0);
	CHECK_EQ(gpu_event_enable(time), 0);
	for (way = 0; way < WAYS; way++) {
		sync = refgpu_sync(&gpu);
		job = spin_and_fill(ctx, &bo, sync);
		read_all_clocks(rings, before);
		wait_by(way, &bo, sync);
		read_all_clocks(rings, after);
		/* what is over already is no wait */
		wait_by(way, &bo, sync);
		total += wait_check(rings, before, after, &job, way);
		refgpu_sync_free(&gpu, sync);
	}
	/* one of them may have come late */
	CHECK(total >= WAYS * (SECOND / 10));
	CHECK_EQ(gpu_event_read(time), total);
	close(time);
	close_all_clocks(rings, WAYS);
	refgpu_buffer_free(&gpu, &bo);
	refgpu_close(&gpu);
}

/* a job that ends with its context, and its syncobj */
struct endless {
	uint32_t ctx;
	uint32_t sync;
	struct drm_refgpu_submit job;
};

static struct endless endless_start(uint32_t engine)
{
	struct endless endless = { .ctx = context_of(&gpu), .sync = refgpu_sync(&gpu) };

	endless.job = submit(&gpu, endless.ctx, engine, REFGPU_MAX_CYCLES, endless.sync);
	return endless;
}

/* this is no wait */
static void endless_end(const struct endless *endless)
{
	CHECK_EQ(refgpu_context_destroy(&gpu, endless->ctx), 0);
	while (!refgpu_sync_status(&gpu, endless->sync))
		usleep(1000);
}

static int merged_file(uint32_t a, uint32_t b)
{
	struct sync_merge_data merge = { .name = "both", .fd2 = sync_file_of(b) };
	int fd = sync_file_of(a);

	CHECK_EQ(ioctl(fd, SYNC_IOC_MERGE, &merge), 0);
	close(merge.fd2);
	close(fd);
	return merge.fence;
}

static int poll_both(int a, int b, int ms)
{
	struct pollfd fds[2] = {
		{ .fd = a, .events = POLLIN },
		{ .fd = b, .events = POLLIN },
	};

	return poll(fds, 2, ms);
}

/* more syncobjs than are looked at before a wait */
#define MANY	9

/*
 * What is over when it is waited for, and whatever else returns at once, whether the
 * arguments say so or not; and then that which does wait.
 */
static void who_is_not_blocked_does_not_wait(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	int64_t deadline, patience = 200000000LL * slowdown();
	uint32_t many[MANY], timeline, done, i;
	struct endless busy, over[2];
	int counter, merged, pending, ready[2];

	setup();
	busy = endless_start(0);
	over[0] = endless_start(1);
	over[1] = endless_start(1);
	timeline = refgpu_sync(&gpu);
	point_add(timeline, 1, over[0].sync);
	point_add(timeline, 2, busy.sync);
	/* none of these has been asked before it is waited for */
	done = refgpu_sync(&gpu);
	point_add(done, 1, over[0].sync);
	for (i = 0; i < MANY; i++) {
		many[i] = refgpu_sync(&gpu);
		point_add(many[i], 1, over[0].sync);
	}
	merged = merged_file(over[0].sync, over[1].sync);
	endless_end(&over[0]);
	endless_end(&over[1]);
	pending = sync_file_of(busy.sync);
	CHECK_EQ(pipe(ready) | close(ready[1]), 0);
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK_EQ(gpu_event_enable(counter), 0);

#define NO_WAIT(result, call)	do {						\
		CHECK_EQ(call, result);						\
		CHECK_EQ(gpu_event_read(counter), 0);				\
	} while (0)
	NO_WAIT(-ETIME, drmSyncobjWait(gpu.fd, &busy.sync, 1, 0, 0, NULL));
	NO_WAIT(-ETIME, drmSyncobjWait(gpu.fd, &busy.sync, 1, refgpu_now() - 1, 0, NULL));
	NO_WAIT(-ETIME, point_wait(timeline, 2, refgpu_now() - 1, 0));
	NO_WAIT(0, point_wait(timeline, 2, INT64_MAX, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE));
	NO_WAIT(0, point_wait(timeline, 1, INT64_MAX, 0));
	NO_WAIT(0, point_wait(done, 1, INT64_MAX, 0));
	NO_WAIT(0, drmSyncobjWait(gpu.fd, many, MANY, INT64_MAX,
				  DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL));
	for (i = 0; i < MANY - 1; i++)
		many[i] = busy.sync;
	NO_WAIT(0, drmSyncobjWait(gpu.fd, many, MANY, INT64_MAX, 0, NULL));
	NO_WAIT(1, poll_both(merged, -1, 60000));
	NO_WAIT(0, poll_both(pending, -1, 0));
	NO_WAIT(1, poll_both(pending, ready[0], 60000));
#undef NO_WAIT

	deadline = refgpu_now() + patience;
	CHECK_EQ(point_wait(timeline, 2, deadline, 0), -ETIME);
	CHECK_EQ(gpu_event_read(counter), 1);
	/* a point that is not there yet, of a timeline on which all is over */
	deadline = refgpu_now() + patience;
	CHECK_EQ(point_wait(done, 2, deadline, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT), -ETIME);
	CHECK_EQ(gpu_event_read(counter), 2);
	deadline = refgpu_now() + patience;
	CHECK_EQ(point_wait(timeline, 3, deadline, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE), -ETIME);
	CHECK_EQ(gpu_event_read(counter), 3);
	CHECK_EQ(poll_both(pending, -1, patience / 1000000), 0);
	CHECK_EQ(gpu_event_read(counter), 4);

	close(counter);
	close(merged);
	close(pending);
	close(ready[0]);
	endless_end(&busy);
	refgpu_close(&gpu);
}

static void is_named(struct ring *ring, const struct endless *endless)
{
	CHECK(ring_next(ring, &sample));
	CHECK_EQ(sample.gpu.fence_context, endless->job.fence_context);
	CHECK_EQ(sample.gpu.fence_seqno, endless->job.fence_seqno);
	CHECK(!ring_next(ring, &sample));
}

/* by a job's fence, also where another one is what is waited for; of several the first one */
static void waits_name_a_job(void)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	int64_t patience = 200000000LL * slowdown();
	uint32_t timeline, first = 2, syncs[2];
	struct endless old, new, short_one;
	struct ring ring;
	int merged;

	setup();
	old = endless_start(0);
	new = endless_start(1);
	timeline = refgpu_sync(&gpu);
	point_add(timeline, 10, old.sync);
	point_add(timeline, 20, new.sync);
	merged = merged_file(timeline, new.sync);
	CHECK_EQ(ring_open(&ring, &waits, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);

	CHECK_EQ(point_wait(timeline, 5, refgpu_now() + patience, 0), -ETIME);
	is_named(&ring, &old);
	CHECK_EQ(point_wait(timeline, 10, refgpu_now() + patience, 0), -ETIME);
	is_named(&ring, &old);
	CHECK_EQ(point_wait(timeline, 11, refgpu_now() + patience, 0), -ETIME);
	is_named(&ring, &new);
	CHECK_EQ(point_wait(timeline, 0, refgpu_now() + patience, 0), -ETIME);
	is_named(&ring, &new);
	CHECK_EQ(poll_both(merged, -1, patience / 1000000), 0);
	CHECK(ring_next(&ring, &sample));
	CHECK(sample.gpu.fence_context == old.job.fence_context ||
	      sample.gpu.fence_context == new.job.fence_context);
	endless_end(&new);
	/* what is left, at that point or before it */
	CHECK_EQ(point_wait(timeline, 20, refgpu_now() + patience, 0), -ETIME);
	is_named(&ring, &old);
	CHECK_EQ(poll_both(merged, -1, patience / 1000000), 0);
	is_named(&ring, &old);

	/* any of two, of which the second one ends first */
	short_one.sync = refgpu_sync(&gpu);
	short_one.job = submit(&gpu, context_of(&gpu), 1, 200 * MS_CYCLES * slowdown(),
			       short_one.sync);
	syncs[0] = old.sync;
	syncs[1] = short_one.sync;
	CHECK_EQ(drmSyncobjWait(gpu.fd, syncs, 2, INT64_MAX, 0, &first), 0);
	CHECK_EQ(first, 1);
	is_named(&ring, &old);
	CHECK_EQ(gpu_event_read(ring.fd), 8);
	ring_close(&ring);
	close(merged);
	endless_end(&old);
	refgpu_close(&gpu);
}

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/* what perf takes of an event in one tick of the kernel's */
static unsigned int samples_of_a_tick(void)
{
	struct timespec tick;
	unsigned int hz;
	char rate[16];

	CHECK_EQ(shell_line(rate, sizeof(rate), "cat " SAMPLE_RATE), 0);
	/* this clock goes on with the tick */
	CHECK_EQ(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
	hz = SECOND / tick.tv_nsec;
	return (strtoul(rate, NULL, 10) + hz - 1) / hz;
}

static void wait_ms(uint32_t ctx, unsigned int ms)
{
	uint32_t sync = refgpu_sync(&gpu);

	submit(&gpu, ctx, 0, ms * MS_CYCLES, sync);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	refgpu_sync_free(&gpu, sync);
}

/*
 * The whole time of a wait is there as period: so many ms are so many samples of 1 ms. They
 * come at once: perf takes no more of them than a tick's share of its rate, and the rest is in
 * the count only. The next wait has its samples again.
 */
static void wait_has_a_sample_for_each_ms(unsigned int ms)
{
	static const struct gpu_config wait_time = { .event = GPU_PMU_EVENT_WAIT_TIME };
	unsigned int most = samples_of_a_tick(), taken;
	uint32_t ctx = context_of(&gpu);
	uint64_t first, both, total;
	struct ring ring;
	int counter;

	CHECK_EQ(ring_open(&ring, &wait_time, 0, -1, 1000000, 0), 0);
	counter = gpu_event_open(&wait_time, 0, -1, -1);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	wait_ms(ctx, ms);
	total = gpu_event_read(counter);
	first = gpu_event_read(ring.fd) / 1000000;
	taken = first < most ? first : most;
	CHECK_EQ(gpu_event_read(ring.fd), total);
	CHECK(first + 20 >= ms);
	CHECK_EQ(drain(&ring), taken);
	CHECK_EQ(ring.throttled, first >= most);
	printf("# %u samples of %lu ms, %u in a tick\n", taken, first, most);

	/* perf takes it up again at a tick */
	usleep(50000 * slowdown());
	wait_ms(ctx, 50);
	CHECK_EQ(gpu_event_disable(ring.fd), 0);
	both = gpu_event_read(ring.fd);
	CHECK_EQ(both, gpu_event_read(counter));
	CHECK(both > total);
	CHECK_EQ(drain(&ring), both / 1000000 - first);
	close(counter);
	ring_close(&ring);
}

static void wait_time_by_period(void)
{
	char rate[16];

	setup();
	wait_has_a_sample_for_each_ms(300);
	wait_has_a_sample_for_each_ms(600);
	CHECK_EQ(shell_line(rate, sizeof(rate), "cat " SAMPLE_RATE), 0);
	CHECK_EQ(shell("echo 10000000 >" SAMPLE_RATE), 0);
	wait_has_a_sample_for_each_ms(600);
	CHECK_EQ(shell("echo %s >" SAMPLE_RATE, rate), 0);
	refgpu_close(&gpu);
}

/* for a job that does not end: however late it begins, it is a wait */
static void wait_in_vain(struct refgpu *of)
{
	uint32_t ctx = context_of(of), sync = refgpu_sync(of);

	submit(of, ctx, 0, REFGPU_MAX_CYCLES, sync);
	CHECK_EQ(refgpu_sync_wait(of, sync, SECOND / 100), -ETIME);
	CHECK_EQ(refgpu_context_destroy(of, ctx), 0);
	refgpu_sync_free(of, sync);
}

/* by file: counted for whoever waits; sampled only where the event is */
static void waits_of_a_client(void)
{
	struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	struct refgpu other;
	struct ring ring;
	int counter;

	setup();
	CHECK_EQ(refgpu_open(&other, 0), 0);
	waits.fd = gpu.fd;
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(ring_open(&ring, &waits, 0, -1, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_enable(ring.fd), 0);
	wait_in_vain(&other);
	wait_in_vain(&gpu);
	CHECK_EQ(gpu_event_disable(counter), 0);
	CHECK_EQ(gpu_event_read(counter), 1);
	CHECK_EQ(drain(&ring), 1);
	waits.ctx = context_of(&gpu);
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
	int counter;

	setup();
	wrong.fd = 1000;
	CHECK_EQ(gpu_event_open(&wrong, 0, -1, -1), -EBADF);
	wrong.fd = gpu.fd;
	wrong.ctx = 1;
	CHECK(gpu_event_open(&wrong, 0, -1, -1) < 0);
	counter = gpu_event_open(&waits, 0, -1, -1);
	CHECK(counter >= 0);
	CHECK_EQ(gpu_event_enable(counter), 0);
	CHECK_EQ(gpu_event_open(&wrong, 0, -1, -1) < 0, 1);
	wait_in_vain(&gpu);
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

#define WAITS_MAX	512	/* tasks in a wait of a kind that there is room for */
#define WAITERS		(WAITS_MAX + 4)
#define CPUS_MAX	64

struct waiter {
	enum way way;
	struct refgpu_buffer bo;
	uint32_t sync;
};

static void *waiter_run(void *arg)
{
	const struct waiter *waiter = arg;

	wait_by(waiter->way, &waiter->bo, waiter->sync);
	return NULL;
}

static void waiters_start(struct waiter *waiter, pthread_t *threads)
{
	pthread_attr_t attr;
	unsigned int i;

	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstacksize(&attr, 64 << 10), 0);
	for (i = 0; i < WAITERS; i++)
		CHECK_EQ(pthread_create(&threads[i], &attr, waiter_run, waiter), 0);
}

/* on each CPU */
static unsigned int waits_open(int *fds)
{
	static const struct gpu_config waits = { .event = GPU_PMU_EVENT_WAITS };
	unsigned int nr = sysconf(_SC_NPROCESSORS_ONLN), i;

	CHECK(nr <= CPUS_MAX);
	for (i = 0; i < nr && i < CPUS_MAX; i++) {
		fds[i] = gpu_event_open(&waits, -1, i, -1);
		CHECK_EQ(gpu_event_enable(fds[i]), 0);
	}
	return i;
}

/* those that there is no room for are lost, as many as there are */
static void wait_with_many(enum way way, uint32_t ctx, struct refgpu_buffer bo)
{
	static const struct gpu_config lost = { .event = GPU_PMU_EVENT_LOST };
	struct waiter waiter = { way, bo, refgpu_sync(&gpu) };
	const struct drm_refgpu_cmd cmds[] = {
		{ .op = REFGPU_OP_SPIN, .n = REFGPU_MAX_CYCLES },
		{ .op = REFGPU_OP_FILL, .n = 4096, .dst = bo.handle, .value = 1 },
	};
	int fds[CPUS_MAX], losses = gpu_event_open(&lost, -1, 0, -1);
	unsigned int cpus = waits_open(fds), i, ms;
	static pthread_t threads[WAITERS];
	uint64_t waits = 0;

	CHECK_EQ(gpu_event_enable(losses), 0);
	submit_cmds(&gpu, ctx, 0, cmds, 2, waiter.sync);
	waiters_start(&waiter, threads);
	/* the last ones are in it, too */
	for (ms = 0; ms < 30000 * slowdown(); ms += 10) {
		if (gpu_event_read(losses) >= WAITERS - WAITS_MAX)
			break;
		usleep(10000);
	}
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
	for (i = 0; i < WAITERS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	for (i = 0; i < cpus; i++) {
		CHECK_EQ(gpu_event_disable(fds[i]), 0);
		waits += gpu_event_read(fds[i]);
		close(fds[i]);
	}
	CHECK_EQ(waits, WAITS_MAX);
	CHECK_EQ(gpu_event_disable(losses), 0);
	CHECK_EQ(gpu_event_read(losses), WAITERS - WAITS_MAX);
	close(losses);
	refgpu_sync_free(&gpu, waiter.sync);
}

/* the probes on calls are all alike; who polls has a note instead */
static void too_many_waits_say_it(void)
{
	static const enum way ways[] = { BY_SYNCOBJ, BY_POLL };
	struct refgpu_buffer bo;
	unsigned int i;

	setup();
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &bo), 0);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		wait_with_many(ways[i], context_of(&gpu), bo);
	refgpu_buffer_free(&gpu, &bo);
	refgpu_close(&gpu);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(fence_contexts_are_told),
		TEST(many_contexts_are_told),
		TEST(jobs_in_perfs_clock),
		TEST(jobs_in_monotonic_clock),
		TEST(jobs_in_boottime_clock),
		TEST(done_in_all_clocks),
		TEST(jobs_by_period),
		TEST(jobs_of_all_who_move),
		TEST(jobs_of_all_by_period),
		TEST(pids_are_the_openers),
		TEST(done_is_joined_to_jobs),
		TEST(others_are_not_seen),
		TEST(done_of_a_task),
		TEST(done_of_earlier_jobs),
		TEST(flood_is_kept_up_with),
		TEST(full_rings_say_it),
		TEST(full_fifos_say_it),
		TEST(waits_in_all_ways),
		TEST(who_is_not_blocked_does_not_wait),
		TEST(waits_name_a_job),
		TEST(wait_time_by_period),
		TEST(waits_of_a_client),
		TEST(waits_after_a_refusal),
		TEST(waits_are_not_epolls),
		TEST(too_many_waits_say_it),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
