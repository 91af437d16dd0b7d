// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the driver itself, in a machine that has it loaded with two
 * devices, as root. Each leaves no job behind.
 *
 *	test-driver		all of them
 *	test-driver capacity	that one, of any number of devices and engines
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include "load.h"
#include "tap.h"

#define DEBUGFS		"/sys/kernel/debug/refgpu/refgpu.%u/%s"
#define DRIVER		"/sys/bus/platform/drivers/refgpu/"
#define SECOND		1000000000LL
#define MS_CYCLES	12500ULL	/* 1 ms */

/* a report of the counter unit, see the driver's oa.h */
struct report {
	uint32_t reason, timestamp, hw_id, flags;
	uint32_t cycles, misses, active, read, write;
	uint8_t high[4];
	uint32_t reserved[5];
	uint32_t sequence;
};

#define REASON_START	1
#define REASON_PERIOD	2
#define REASON_CHANGE	4
#define REASON_TRIGGER	8
#define STATUS_FULL	1
#define STATUS_LOST	2

static struct refgpu gpu;

static int debugfs_open(unsigned int device, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS, device, name);
	return open(path, flags | O_CLOEXEC);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static void debugfs_set(const char *name, uint64_t value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), DEBUGFS, 0, name);
	snprintf(text, sizeof(text), "%lu", value);
	CHECK_EQ(write_file(path, text), 0);
}

/* a line of the file "state": the number behind @key, on @line */
static uint64_t state(const char *line, const char *key)
{
	char text[256], *at;
	uint64_t value = 0;
	FILE *file;

	file = fdopen(debugfs_open(0, "state", O_RDONLY), "r");
	while (file && fgets(text, sizeof(text), file)) {
		if (strncmp(text, line, strlen(line)))
			continue;
		at = strstr(text, key);
		if (at)
			value = strtoull(at + strlen(key), NULL, 10);
	}
	fclose(file);
	return value;
}

static uint64_t status(void)
{
	char text[32] = "";
	int fd = debugfs_open(0, "counters/status", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		tap_failed++;
	close(fd);
	return strtoull(text, NULL, 10);
}

static void setup(void)
{
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
}

static uint32_t context(uint32_t priority)
{
	uint32_t ctx = 0;

	CHECK_EQ(refgpu_context(&gpu, priority, &ctx), 0);
	return ctx;
}

/* a spin, and the syncobj that it signals */
static uint32_t spin(uint32_t ctx, uint32_t engine, uint64_t cycles, uint32_t in)
{
	struct refgpu_batch batch = {};
	uint32_t out = refgpu_sync(&gpu);

	refgpu_spin(&batch, cycles);
	CHECK_EQ(refgpu_submit(&gpu, ctx, engine, &batch, in, out), 0);
	return out;
}

/* both engines are its own until it is destroyed: what is queued meanwhile waits */
static uint32_t hold_engines(void)
{
	uint32_t ctx = context(REFGPU_PRIORITY_HIGH);
	unsigned int e;

	for (e = 0; e < gpu.engines; e++)
		refgpu_sync_free(&gpu, spin(ctx, e, REFGPU_MAX_CYCLES, 0));
	return ctx;
}

static void let_go(uint32_t ctx)
{
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
}

static int xioctl(unsigned long request, void *args)
{
	return ioctl(gpu.fd, request, args) ? -errno : 0;
}

static void params(void)
{
	uint64_t value, again;

	setup();
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICK_NS, 0, &value), 0);
	CHECK_EQ(value, 80);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &value), 0);
	usleep(1000);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &again), 0);
	CHECK(again >= value + MS_CYCLES);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_ENGINE_CLASS, 0, &value), 0);
	CHECK_EQ(value, REFGPU_ENGINE_RENDER);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_ENGINE_CLASS, gpu.engines, &value), -ENOENT);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, 1, &value), -ENOENT);
	CHECK_EQ(refgpu_get(&gpu, 99, 0, &value), -EINVAL);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 1, &value), -EINVAL);
	refgpu_close(&gpu);
}

static int submit_cmd(uint32_t ctx, struct drm_refgpu_cmd cmd)
{
	struct drm_refgpu_submit args = {
		.ctx = ctx, .cmds = (uintptr_t)&cmd, .nr_cmds = 1,
	};

	return xioctl(DRM_IOCTL_REFGPU_SUBMIT, &args);
}

static void bad_input(void)
{
	struct drm_refgpu_cmd good = { .op = REFGPU_OP_SPIN, .n = 1 };
	struct drm_refgpu_submit args, ok;
	struct refgpu_buffer bo;
	uint32_t ctx, handle = 12345;
	unsigned int i;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_buffer(&gpu, 5000, &bo), 0);
	CHECK_EQ(bo.size, 8192);
	ok = (struct drm_refgpu_submit) {
		.ctx = ctx, .cmds = (uintptr_t)&good, .nr_cmds = 1,
	};

	for (i = 0; i < 11; i++) {
		static const int expected[] = {
			-ENOENT, -ENOENT, -EFAULT, -EINVAL, -EINVAL, -EINVAL,
			-EFAULT, -ENOENT, -EINVAL, -EINVAL, -ENOENT,
		};

		args = ok;
		switch (i) {
		case 0:
			args.ctx = 0;
			break;
		case 1:
			args.engine = gpu.engines;
			break;
		case 2:
			args.cmds = 0;
			break;
		case 3:
			args.nr_cmds = 0;
			break;
		case 4:
			args.nr_cmds = REFGPU_MAX_CMDS + 1;
			break;
		case 5:
			args.nr_in_syncs = REFGPU_MAX_SYNCS + 1;
			break;
		case 6:
			args.nr_in_syncs = 1;
			break;
		case 7:
			args.nr_in_syncs = 1;
			args.in_syncs = (uintptr_t)&handle;
			break;
		case 8:
			args.flags = 1;
			break;
		case 9:
			args.fence_seqno = 1;
			break;
		case 10:
			args.out_sync = 12345;
			break;
		}
		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_SUBMIT, &args), expected[i]);
	}

#define CMD(...) submit_cmd(ctx, (struct drm_refgpu_cmd) { __VA_ARGS__ })
	CHECK_EQ(CMD(.op = 6), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_SPIN), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_SPIN, .n = REFGPU_MAX_CYCLES + 1), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_SPIN, .n = 1, .dst = bo.handle), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_WAIT, .n = 1, .value = 1), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_FILL, .n = 4, .dst = 99), -ENOENT);
	CHECK_EQ(CMD(.op = REFGPU_OP_FILL, .n = 3, .dst = bo.handle), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_FILL, .n = 8196, .dst = bo.handle), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_FILL, .n = 4, .dst = bo.handle, .dst_offset = 8192),
		 -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_FILL, .n = 4, .dst = bo.handle,
		     .dst_offset = -4ULL), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_COPY, .n = 8, .dst = bo.handle, .src = bo.handle,
		     .src_offset = 8185), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_COPY, .n = 8, .dst = bo.handle), -ENOENT);
	CHECK_EQ(CMD(.op = REFGPU_OP_TIMESTAMP, .dst = bo.handle, .dst_offset = 4), -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_TIMESTAMP, .dst = bo.handle, .dst_offset = 8192),
		 -EINVAL);
	CHECK_EQ(CMD(.op = REFGPU_OP_HANG, .n = 1), -EINVAL);

	CHECK_EQ(refgpu_context(&gpu, 3, &handle), -EINVAL);
	CHECK_EQ(refgpu_context_destroy(&gpu, 77), -ENOENT);
	{
		struct drm_refgpu_bo_create create = { .size = 0 };
		struct drm_refgpu_wait wait = { .handle = 99 };

		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_BO_CREATE, &create), -EINVAL);
		create.size = REFGPU_MAX_BO_SIZE + 1;
		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_BO_CREATE, &create), -EINVAL);
		create.size = ~0ULL;
		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_BO_CREATE, &create), -EINVAL);
		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_WAIT, &wait), -ENOENT);
		wait.flags = 2;
		CHECK_EQ(xioctl(DRM_IOCTL_REFGPU_WAIT, &wait), -EINVAL);
	}
	refgpu_close(&gpu);
	munmap(bo.map, bo.size);
}

static void memory(void)
{
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo, other;
	struct refgpu_usage usage;
	uint64_t ticks, *stamps;
	uint32_t ctx, hold, *words;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_buffer(&gpu, 65536, &bo), 0);
	CHECK_EQ(refgpu_buffer(&gpu, 65536, &other), 0);
	words = other.map;
	stamps = bo.map;

	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &ticks), 0);
	refgpu_fill(&batch, &bo, 4096, 8192, 0xdeadbeef);
	refgpu_copy(&batch, &other, 1, &bo, 4096, 8191);
	refgpu_timestamp(&batch, &bo, 0);
	refgpu_spin(&batch, 1000);
	refgpu_timestamp(&batch, &bo, 8);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, 0), 0);
	CHECK_EQ(refgpu_buffer_wait(&gpu, &other, 10 * SECOND), 0);
	CHECK_EQ(refgpu_buffer_wait(&gpu, &bo, 0), 0);
	CHECK_EQ(words[0], 0xadbeef00);
	CHECK_EQ(words[2047], 0xadbeefde);
	CHECK_EQ(words[2048], 0);
	CHECK(stamps[0] >= ticks + 2 * 512);
	CHECK_EQ(stamps[1] - stamps[0], 1001);
	CHECK_EQ(refgpu_usage(&gpu, &usage), 0);
	CHECK_EQ(usage.total, 128);
	CHECK_EQ(usage.resident, 128);
	CHECK_EQ(usage.memory, 128);
	CHECK_EQ(usage.shared, 0);

	hold = hold_engines();
	refgpu_timestamp(&batch, &bo, 0);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, 0), 0);
	CHECK_EQ(refgpu_buffer_wait(&gpu, &bo, 0), -ETIME);
	let_go(hold);
	CHECK_EQ(refgpu_buffer_wait(&gpu, &bo, 10 * SECOND), 0);
	refgpu_buffer_free(&gpu, &bo);
	refgpu_buffer_free(&gpu, &other);
	refgpu_close(&gpu);
}

/* how many engines there are of each class */
static void capacity(void)
{
	unsigned int of[] = { [REFGPU_ENGINE_RENDER] = 0, [REFGPU_ENGINE_COPY] = 0 }, i;
	struct refgpu_usage usage;
	uint64_t class;

	setup();
	for (i = 0; i < gpu.engines; i++) {
		CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_ENGINE_CLASS, i, &class), 0);
		CHECK(class == REFGPU_ENGINE_RENDER || class == REFGPU_ENGINE_COPY);
		of[class == REFGPU_ENGINE_COPY]++;
	}
	CHECK_EQ(refgpu_usage(&gpu, &usage), 0);
	CHECK_EQ(usage.render_engines, of[REFGPU_ENGINE_RENDER]);
	CHECK_EQ(usage.copy_engines, of[REFGPU_ENGINE_COPY]);
	printf("# %u render engines, and %u that copy\n", usage.render_engines,
	       usage.copy_engines);
	refgpu_close(&gpu);
}

/* a job of one engine waits for one of the other */
static void syncs(void)
{
	struct refgpu_batch batch = {};
	struct refgpu_buffer a, b;
	uint32_t ctx, first, second;
	uint64_t *end, *start;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &a), 0);
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &b), 0);
	first = refgpu_sync(&gpu);
	refgpu_spin(&batch, 10 * MS_CYCLES);
	refgpu_timestamp(&batch, &a, 0);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, first), 0);
	second = refgpu_sync(&gpu);
	refgpu_timestamp(&batch, &b, 0);
	CHECK_EQ(refgpu_submit(&gpu, ctx, gpu.engines - 1, &batch, first, second), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, second, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, first), 1);
	end = a.map;
	start = b.map;
	CHECK(*start > *end);
	refgpu_buffer_free(&gpu, &a);
	refgpu_buffer_free(&gpu, &b);
	refgpu_close(&gpu);
}

/* random jobs on several contexts; sums of all that is exact */

#define MIX_CONTEXTS	5
#define MIX_JOBS	16

struct mix {
	uint64_t hw_id[MIX_CONTEXTS];
	struct load_counts counts[MIX_CONTEXTS][8];
};

static void run_mix(struct mix *mix, unsigned int seed)
{
	static const struct load_mix what = { LOAD_MIX_ALL, 4, 3000 };
	struct load_random random = { seed };
	struct refgpu_buffer bo[MIX_CONTEXTS];
	uint32_t ctx[MIX_CONTEXTS], sync[MIX_CONTEXTS][8];
	struct refgpu_batch batch = {};
	unsigned int i, j, e;

	memset(mix, 0, sizeof(*mix));
	for (i = 0; i < MIX_CONTEXTS; i++) {
		ctx[i] = context(load_random(&random, 3));
		CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx[i], &mix->hw_id[i]), 0);
		CHECK_EQ(refgpu_buffer(&gpu, 1 << 16, &bo[i]), 0);
		for (e = 0; e < gpu.engines; e++)
			sync[i][e] = refgpu_sync(&gpu);
	}
	for (j = 0; j < MIX_JOBS * MIX_CONTEXTS; j++) {
		i = load_random(&random, MIX_CONTEXTS);
		e = load_random(&random, gpu.engines);
		load_job(&random, &what, &bo[i], &batch, &mix->counts[i][e]);
		CHECK_EQ(refgpu_submit(&gpu, ctx[i], e, &batch, 0, sync[i][e]), 0);
	}
	for (i = 0; i < MIX_CONTEXTS; i++)
		for (e = 0; e < gpu.engines; e++)
			if (mix->counts[i][e].jobs)
				CHECK_EQ(refgpu_sync_wait(&gpu, sync[i][e], 60 * SECOND), 0);
	for (i = 0; i < MIX_CONTEXTS; i++) {
		refgpu_buffer_free(&gpu, &bo[i]);
		/* some, for fdinfo to count what is no more */
		if (load_random(&random, 2))
			CHECK_EQ(refgpu_context_destroy(&gpu, ctx[i]), 0);
	}
}

static void fdinfo_is_exact(void)
{
	unsigned int seed, i, e;
	struct refgpu_usage usage;
	struct mix mix;

	for (seed = 1; seed <= slow_rounds(20) && !tap_failed; seed++) {
		uint64_t expected[2] = {}, class;

		setup();
		run_mix(&mix, seed);
		for (e = 0; e < gpu.engines; e++) {
			CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_ENGINE_CLASS, e, &class), 0);
			for (i = 0; i < MIX_CONTEXTS; i++)
				expected[class] += mix.counts[i][e].v[LOAD_CYCLES] * 80;
		}
		CHECK_EQ(refgpu_usage(&gpu, &usage), 0);
		CHECK_EQ(usage.render, expected[REFGPU_ENGINE_RENDER]);
		CHECK_EQ(usage.copy, expected[REFGPU_ENGINE_COPY]);
		refgpu_close(&gpu);
	}
}

/* what consecutive reports say of contexts */

struct counting {
	struct report last[8];
	uint32_t sequence;
	uint64_t reports, lost, torn, wraps, sequence_wraps, changes, preempted;
	uint64_t by_hw_id[65536][LOAD_NR_COUNTERS];
	uint64_t jobs;
};

static struct counting counting;

static uint64_t long_counter(uint32_t low, uint8_t high)
{
	return low | (uint64_t)high << 32;
}

static uint64_t long_delta(uint32_t low, uint8_t high, uint32_t low0, uint8_t high0)
{
	uint64_t now = long_counter(low, high), before = long_counter(low0, high0);

	if (now < before)
		counting.wraps++;
	return (now - before) & ((1ULL << 40) - 1);
}

static void count_report(const struct report *report)
{
	struct report *last = &counting.last[report->flags & 7];
	uint64_t *counters = counting.by_hw_id[last->hw_id & 0xffff];
	uint32_t missing;

	counting.reports++;
	if (!report->sequence) {
		counting.torn++;
		return;
	}
	if (counting.sequence) {
		/* 0 is left out */
		missing = report->sequence - counting.sequence - 1 -
			  (report->sequence < counting.sequence);
		counting.lost += missing;
		if (missing)
			memset(counting.last, 0, sizeof(counting.last));
		counting.sequence_wraps += report->sequence < counting.sequence;
	}
	counting.sequence = report->sequence;
	if (report->reason == REASON_CHANGE)
		counting.changes++;
	if (report->flags & 0x100)
		counting.preempted++;
	if (last->sequence) {
		CHECK((int32_t)(report->timestamp - last->timestamp) >= 0);
		counters[LOAD_CYCLES] += report->cycles - last->cycles;
		counters[LOAD_MISSES] += report->misses - last->misses;
		counters[LOAD_ACTIVE] += long_delta(report->active, report->high[0],
						    last->active, last->high[0]);
		counters[LOAD_READ] += long_delta(report->read, report->high[1],
						  last->read, last->high[1]);
		counters[LOAD_WRITE] += long_delta(report->write, report->high[2],
						   last->write, last->high[2]);
		/* an engine that runs a context does nothing else */
		if (last->hw_id)
			CHECK_EQ(report->cycles - last->cycles,
				 report->timestamp - last->timestamp);
		else
			CHECK_EQ(report->cycles, last->cycles);
	}
	*last = *report;
}

static ssize_t read_some_reports(int fd)
{
	struct report reports[256];
	ssize_t bytes = read(fd, reports, sizeof(reports)), i;

	for (i = 0; i < bytes / (ssize_t)sizeof(reports[0]); i++)
		count_report(&reports[i]);
	return bytes;
}

static void read_reports(int fd)
{
	ssize_t bytes;

	do {
		bytes = read_some_reports(fd);
	} while (bytes > 0);
	CHECK_EQ(bytes, 0);
}

static int start_reports(uint32_t size, uint32_t period)
{
	int fd;

	memset(&counting, 0, sizeof(counting));
	debugfs_set("counters/size", size);
	debugfs_set("counters/period", period);
	fd = debugfs_open(0, "counters/reports", O_RDONLY);
	CHECK(fd >= 0);
	return fd;
}

static void reports_are_exact(void)
{
	unsigned int seed, i, e, k, wraps = 0;
	struct mix mix;
	int fd;

	for (seed = 1; seed <= slow_rounds(20) && !tap_failed; seed++) {
		setup();
		fd = start_reports(1 << 20, seed & 1 ? 12500 : 0);
		run_mix(&mix, seed);
		debugfs_set("counters/trigger", 1);
		read_reports(fd);
		close(fd);
		CHECK_EQ(counting.lost, 0);
		CHECK_EQ(counting.torn, 0);
		for (i = 0; i < MIX_CONTEXTS; i++)
			for (k = 0; k < LOAD_NR_COUNTERS; k++) {
				uint64_t expected = 0;

				for (e = 0; e < gpu.engines; e++)
					expected += mix.counts[i][e].v[k];
				CHECK_EQ(counting.by_hw_id[mix.hw_id[i]][k], expected);
			}
		wraps += counting.wraps;
		refgpu_close(&gpu);
	}
	/* they are near at the start: no more of them if this runs once more */
	printf("# %u wraps\n", wraps);
}

/* a line of the file "jobs" */
struct job_line {
	unsigned int hw_id;
	unsigned int engine;
	uint64_t submitted;
	long long started;	/* -1: never */
	uint64_t ended;
	int error;
};

/* false: there is no more, and none was lost */
static bool job_line_next(FILE *file, struct job_line *job)
{
	uint64_t fence_context, seqno;
	char line[256];

	if (!fgets(line, sizeof(line), file))
		return false;
	if (sscanf(line,
		   "hw %u engine %u fence %lu:%lu submitted %lu started %lld ended %lu error %d",
		   &job->hw_id, &job->engine, &fence_context, &seqno, &job->submitted,
		   &job->started, &job->ended, &job->error) == 8)
		return true;
	CHECK(!strcmp(line, "lost 0\n"));
	return job_line_next(file, job);
}

/* when the first job ended of a context on an engine, ticks; 0: none has */
static uint64_t job_ended(int fd, uint32_t ctx, unsigned int engine)
{
	struct job_line job;
	uint64_t hw_id, ended = 0;
	FILE *file;

	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx, &hw_id), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
	file = fdopen(dup(fd), "r");
	while (job_line_next(file, &job))
		if (!ended && job.hw_id == hw_id && job.engine == engine)
			ended = job.ended;
	fclose(file);
	return ended;
}

/* what is said of jobs, of those that ended and of others */
static void job_log(void)
{
	int fd = debugfs_open(0, "jobs", O_RDONLY), jobs = 0, i;
	uint64_t sum = 0, expected = 0;
	struct job_line job;
	unsigned int e;
	struct mix mix;
	uint32_t ctx;
	FILE *file;

	setup();
	run_mix(&mix, 42);
	/* two that end before their time: one on the engine, one that never gets there */
	ctx = context(REFGPU_PRIORITY_NORMAL);
	spin(ctx, 0, 1000000 * MS_CYCLES, 0);
	spin(ctx, 1, 100, spin(ctx, 0, 100, 0));
	usleep(20000);
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
	for (i = 0; i < 100 && state("jobs", "jobs "); i++)
		usleep(20000);

	for (i = 0; i < MIX_CONTEXTS; i++)
		for (e = 0; e < gpu.engines; e++)
			expected += mix.counts[i][e].jobs;
	file = fdopen(fd, "r");
	while (job_line_next(file, &job)) {
		jobs++;
		CHECK(job.started == -1 || (job.submitted <= (uint64_t)job.started &&
					    (uint64_t)job.started <= job.ended));
		CHECK(job.error ? job.error == -ECANCELED : job.started != -1);
		if (!job.error)
			sum++;
	}
	CHECK_EQ(jobs, expected + 3);
	CHECK_EQ(sum, expected);
	fclose(file);
	refgpu_close(&gpu);
}

static void one_reader(void)
{
	int fd = start_reports(1 << 16, 1000), other;

	other = debugfs_open(0, "counters/reports", O_RDONLY);
	CHECK(other < 0 && errno == EBUSY);
	close(fd);
	debugfs_set("counters/period", 63);
	CHECK(debugfs_open(0, "counters/reports", O_RDONLY) < 0 && errno == EINVAL);
	debugfs_set("counters/size", 100000);
	CHECK(debugfs_open(0, "counters/reports", O_RDONLY) < 0 && errno == EINVAL);
	debugfs_set("counters/size", 1 << 20);
	debugfs_set("counters/period", 12500);
}

static uint64_t preemptions(void)
{
	return state("render0", "preemptions ");
}

/* each slice of those who share the engine ends with one, whenever that is looked at */
static void check_slices(void)
{
	uint64_t slice, first, last;
	int64_t before, begin, end, after;

	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TIMESLICE, 0, &slice), 0);
	slice *= 80;
	before = refgpu_now();
	first = preemptions();
	begin = refgpu_now();
	usleep(40000);
	end = refgpu_now();
	last = preemptions();
	after = refgpu_now();
	printf("# %lu preemptions in %lu to %lu slices\n", last - first, (end - begin) / slice,
	       (after - before) / slice);
	CHECK(last - first + 1 >= (end - begin) / slice);
	CHECK(last - first <= (after - before) / slice + 1);
}

/* two contexts, with slices; one of high priority in between */
static void preemption(void)
{
	uint64_t before = preemptions();
	uint32_t a, b, high, sync_a, sync_b, sync_high;
	int i;

	setup();
	a = context(REFGPU_PRIORITY_NORMAL);
	b = context(REFGPU_PRIORITY_NORMAL);
	sync_a = spin(a, 0, REFGPU_MAX_CYCLES, 0);
	sync_b = spin(b, 0, REFGPU_MAX_CYCLES, 0);
	/* each of them was on the engine */
	for (i = 0; i < 1000 && preemptions() < before + 2; i++)
		usleep(10000);
	CHECK(preemptions() >= before + 2);
	check_slices();

	high = context(REFGPU_PRIORITY_HIGH);
	sync_high = spin(high, 0, MS_CYCLES, 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_high, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_a), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_b), 0);
	/* what is destroyed ends */
	CHECK_EQ(refgpu_context_destroy(&gpu, a), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_a, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_a), -ECANCELED);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_b), 0);
	refgpu_close(&gpu);
}

static void hangs(void)
{
	uint32_t bad, good, hold, sync_bad, sync_next, sync_good, sync_other, sync_long;
	uint64_t resets = state("resets", "resets ");
	int jobs_fd;
	struct refgpu_batch batch = {};
	int64_t begin;

	setup();
	bad = context(REFGPU_PRIORITY_NORMAL);
	good = context(REFGPU_PRIORITY_NORMAL);
	/* longer than the timeout, and not a hang */
	sync_long = spin(good, 0, 800 * MS_CYCLES, 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_long, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_long), 1);
	CHECK_EQ(state("resets", "resets "), resets);

	jobs_fd = debugfs_open(0, "jobs", O_RDONLY);
	hold = hold_engines();
	refgpu_hang(&batch);
	sync_bad = refgpu_sync(&gpu);
	CHECK_EQ(refgpu_submit(&gpu, bad, 0, &batch, 0, sync_bad), 0);
	sync_next = spin(bad, 0, 100, 0);
	sync_good = spin(good, 0, 100, 0);
	sync_other = spin(good, 1, 100, 0);
	begin = refgpu_now();
	let_go(hold);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_other, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_good, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_bad, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_next, 10 * SECOND), 0);
	printf("# %lld ms\n", (long long)(refgpu_now() - begin) / 1000000);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_bad), -ETIME);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_next), -ECANCELED);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_good), 1);
	/* the other engine's jobs did not wait for the end of it, and its own engine's did */
	CHECK(job_ended(jobs_fd, good, 1));
	CHECK(job_ended(jobs_fd, good, 1) < job_ended(jobs_fd, bad, 0));
	CHECK(job_ended(jobs_fd, bad, 0) < job_ended(jobs_fd, good, 0));
	close(jobs_fd);
	CHECK_EQ(state("resets", "resets "), resets + 1);
	refgpu_spin(&batch, 1);
	CHECK_EQ(refgpu_submit(&gpu, bad, 0, &batch, 0, 0), -EIO);

	debugfs_set("fault/hang", 1);
	bad = context(REFGPU_PRIORITY_NORMAL);
	sync_bad = spin(bad, 0, 100, 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_bad, 10 * SECOND), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_bad), -ETIME);
	CHECK_EQ(state("resets", "resets "), resets + 2);
	refgpu_close(&gpu);
}

/* a process that is killed in the middle leaves nothing running */
static void killed(void)
{
	int pid = fork(), wstatus, i;

	if (!pid) {
		setup();
		for (i = 0; i < 10; i++)
			spin(context(REFGPU_PRIORITY_NORMAL), i % gpu.engines,
			     REFGPU_MAX_CYCLES, 0);
		pause();
	}
	for (i = 0; i < 1000 && state("jobs", "jobs ") < 10; i++)
		usleep(10000);
	CHECK(state("jobs", "jobs ") >= 10);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &wstatus, 0), pid);
	for (i = 0; i < 100 && state("jobs", "jobs "); i++)
		usleep(50000);
	CHECK_EQ(state("jobs", "jobs "), 0);
}

/* a context ends although one of its jobs waits for one that does not */
static void destroyed_while_waiting(void)
{
	uint32_t a, b, sync_a, sync_b;

	setup();
	a = context(REFGPU_PRIORITY_NORMAL);
	b = context(REFGPU_PRIORITY_NORMAL);
	sync_a = spin(a, 0, REFGPU_MAX_CYCLES, 0);
	sync_b = spin(b, 1, 100, sync_a);
	CHECK_EQ(refgpu_context_destroy(&gpu, b), 0);
	CHECK_EQ(refgpu_sync_status(&gpu, sync_a), 0);
	CHECK_EQ(refgpu_context_destroy(&gpu, a), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync_b, 10 * SECOND), 0);
	CHECK(refgpu_sync_status(&gpu, sync_b) < 0);
	refgpu_close(&gpu);
}

/* a client that leaves while the schedulers still hand over its jobs, again and again */
static void left_with_jobs_queued(void)
{
	int wstatus, i, k;
	uint32_t ctx;
	pid_t pid;

	for (i = 0; i < (int)slow_rounds(200); i++) {
		pid = fork();
		if (!pid) {
			setup();
			ctx = context(REFGPU_PRIORITY_NORMAL);
			for (k = 0; k < 40; k++)
				spin(ctx, k % gpu.engines, 100, 0);
			_exit(tap_failed != 0);
		}
		CHECK_EQ(waitpid(pid, &wstatus, 0), pid);
		CHECK_EQ(wstatus, 0);
	}
	for (i = 0; i < 100 && state("jobs", "jobs "); i++)
		usleep(50000);
	CHECK_EQ(state("jobs", "jobs "), 0);
}

static void prime(void)
{
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo, imported = {};
	struct refgpu_usage usage;
	struct refgpu other;
	uint32_t ctx, high, sync, again;
	int fd;

	setup();
	CHECK_EQ(refgpu_open(&other, 1), 0);
	CHECK_EQ(refgpu_buffer(&gpu, 65536, &bo), 0);
	CHECK_EQ(drmPrimeHandleToFD(gpu.fd, bo.handle, O_CLOEXEC | O_RDWR, &fd), 0);
	CHECK_EQ(drmPrimeFDToHandle(other.fd, fd, &imported.handle), 0);
	CHECK_EQ(drmPrimeFDToHandle(gpu.fd, fd, &again), 0);
	CHECK_EQ(again, bo.handle);
	close(fd);

	CHECK_EQ(refgpu_context(&other, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	CHECK_EQ(refgpu_context(&other, REFGPU_PRIORITY_HIGH, &high), 0);
	sync = refgpu_sync(&other);
	refgpu_spin(&batch, REFGPU_MAX_CYCLES);
	CHECK_EQ(refgpu_submit(&other, high, 0, &batch, 0, 0), 0);
	refgpu_fill(&batch, &imported, 0, 65536, 0x12345678);
	CHECK_EQ(refgpu_submit(&other, ctx, 0, &batch, 0, sync), 0);
	/* the exporter sees the importer's job on its own buffer */
	CHECK_EQ(refgpu_buffer_wait(&gpu, &bo, 0), -ETIME);
	CHECK_EQ(refgpu_context_destroy(&other, high), 0);
	CHECK_EQ(refgpu_buffer_wait(&gpu, &bo, 10 * SECOND), 0);
	CHECK_EQ(((uint32_t *)bo.map)[16383], 0x12345678);
	CHECK_EQ(refgpu_usage(&other, &usage), 0);
	CHECK_EQ(usage.total, 64);
	CHECK_EQ(usage.shared, 64);
	refgpu_close(&gpu);
	CHECK_EQ(((uint32_t *)bo.map)[0], 0x12345678);
	munmap(bo.map, bo.size);
	refgpu_close(&other);
}

static void faults(void)
{
	uint32_t ctx, sync;
	int64_t begin;
	unsigned int i;
	int fd;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);

	/* half of a report never comes */
	fd = start_reports(1 << 16, 0);
	read_reports(fd);
	CHECK_EQ(counting.reports, gpu.engines);
	debugfs_set("fault/torn", 1);
	sync = spin(ctx, 0, 1000, 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 10 * SECOND), 0);
	debugfs_set("counters/trigger", 1);
	read_reports(fd);
	CHECK_EQ(counting.torn, 1);
	CHECK_EQ(counting.lost, 1);
	close(fd);

	/* more than there is room for */
	fd = start_reports(1 << 16, 0);
	debugfs_set("fault/burst", 5000);
	debugfs_set("counters/trigger", 1);
	CHECK_EQ(status(), STATUS_FULL | STATUS_LOST);
	read_reports(fd);
	debugfs_set("counters/status", STATUS_FULL | STATUS_LOST);
	CHECK_EQ(status(), 0);
	debugfs_set("counters/trigger", 1);
	read_reports(fd);
	CHECK_EQ(counting.reports + counting.lost, 5000 + 3 * gpu.engines);
	CHECK_EQ(counting.reports, 1023 + gpu.engines);
	CHECK_EQ(counting.sequence_wraps, 1);
	close(fd);

	/* a buffer that nobody reads, and a period that goes on */
	fd = start_reports(4096, 64);
	usleep(50000);
	CHECK_EQ(status() & STATUS_LOST, 0);
	debugfs_set("counters/trigger", 1);
	CHECK_EQ(status(), STATUS_FULL | STATUS_LOST);
	/* not to the end: they may come as fast as they are read */
	for (i = 0; i < 1000 && !counting.lost; i++)
		CHECK(read_some_reports(fd) >= 0);
	CHECK(counting.lost >= 2 * (50000000 / 80 / 64) - 64);
	close(fd);

	/* data that comes 100 ms after the tail */
	fd = start_reports(1 << 16, 0);
	read_reports(fd);
	debugfs_set("fault/late", 100 * MS_CYCLES);
	begin = refgpu_now();
	debugfs_set("counters/trigger", 1);
	for (i = 0; i < 100 && counting.reports < 2 * gpu.engines; i++) {
		usleep(10000);
		read_reports(fd);
	}
	CHECK(refgpu_now() - begin >= SECOND / 10);
	CHECK_EQ(counting.reports, 2 * gpu.engines);
	CHECK_EQ(counting.lost, 0);
	debugfs_set("fault/late", 0);
	close(fd);

	/* the clock jumps a second ahead */
	fd = start_reports(1 << 16, 0);
	read_reports(fd);
	i = counting.last[0].timestamp;
	debugfs_set("fault/jump", 12500000);
	debugfs_set("counters/trigger", 1);
	read_reports(fd);
	CHECK(counting.last[0].timestamp - i >= 12500000);
	debugfs_set("fault/jump", 0);
	close(fd);
	refgpu_close(&gpu);
}

static void hardware_ids(void)
{
	uint64_t first, next;
	uint32_t ctx;
	int i;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx, &first), 0);
	for (i = 0; i < (int)slow_rounds(1000); i++) {
		CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
		ctx = context(REFGPU_PRIORITY_NORMAL);
		CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_HW_ID, ctx, &next), 0);
		CHECK(next != first);
	}
	refgpu_close(&gpu);
}

static void limits(void)
{
	struct rlimit old, limit;
	struct refgpu_buffer bo;
	uint32_t ctx;
	int i, ret, fd;

	setup();
	for (i = 0; !(ret = refgpu_context(&gpu, REFGPU_PRIORITY_LOW, &ctx)); i++)
		;
	CHECK_EQ(i, 4096);
	CHECK_EQ(ret, -ENOSPC);
	refgpu_close(&gpu);

	setup();
	CHECK_EQ(refgpu_buffer(&gpu, 4096, &bo), 0);
	getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	limit.rlim_cur = gpu.fd + 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	CHECK(drmPrimeHandleToFD(gpu.fd, bo.handle, O_CLOEXEC, &fd) && errno == EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);

	getrlimit(RLIMIT_AS, &old);
	limit = old;
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_AS, &limit);
	CHECK_EQ(refgpu_buffer(&gpu, 64 << 20, &bo), -ENOMEM);
	setrlimit(RLIMIT_AS, &old);
	refgpu_close(&gpu);
}

/* another user has no high priority, and the rest works */
static void unprivileged(void)
{
	int pid, wstatus;
	uint32_t ctx;

	setup();
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		CHECK_EQ(setuid(65534), 0);
		CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_HIGH, &ctx), -EACCES);
		CHECK_EQ(refgpu_sync_wait(&gpu, spin(context(REFGPU_PRIORITY_NORMAL), 0, 100, 0),
					  10 * SECOND), 0);
		fflush(stdout);
		_exit(tap_failed != 0);
	}
	CHECK_EQ(waitpid(pid, &wstatus, 0), pid);
	CHECK_EQ(wstatus, 0);
	refgpu_close(&gpu);
}

static sigjmp_buf bus_error;

static void on_bus_error(int number)
{
	siglongjmp(bus_error, number);
}

static bool bus_error_at(const volatile char *at)
{
	volatile bool got = true;

	signal(SIGBUS, on_bus_error);
	if (!sigsetjmp(bus_error, 1)) {
		(void)*at;
		got = false;
	}
	signal(SIGBUS, SIG_DFL);
	return got;
}

static void unplug(unsigned int round)
{
	uint32_t ctx, sync, hung_sync;
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo;
	uint64_t value;
	int reports = -1, jobs = -1, i;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	CHECK_EQ(refgpu_buffer(&gpu, 65536, &bo), 0);
	if (round & 2)
		jobs = debugfs_open(0, "jobs", O_RDONLY);
	memset(bo.map, 1, bo.size);
	if (round & 1)
		reports = start_reports(1 << 16, 64);
	sync = spin(ctx, 0, REFGPU_MAX_CYCLES, 0);
	spin(ctx, gpu.engines - 1, 100, sync);
	for (i = 0; i < 2000; i++)
		refgpu_sync_free(&gpu, spin(ctx, 0, 100, 0));
	hung_sync = refgpu_sync(&gpu);
	refgpu_hang(&batch);
	CHECK_EQ(refgpu_submit(&gpu, context(REFGPU_PRIORITY_HIGH), 0, &batch, 0, hung_sync), 0);
	usleep(round * 1000);

	CHECK_EQ(write_file(DRIVER "unbind", "refgpu.0"), 0);
	CHECK_EQ(refgpu_get(&gpu, REFGPU_PARAM_TICKS, 0, &value), -ENODEV);
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx), -ENODEV);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, 0), -ENODEV);
	CHECK(bus_error_at(bo.map));
	if (reports >= 0)
		close(reports);
	if (jobs >= 0)
		close(jobs);
	munmap(bo.map, bo.size);
	refgpu_close(&gpu);
	CHECK_EQ(write_file(DRIVER "bind", "refgpu.0"), 0);
}

static void unplugged_in_flight(void)
{
	unsigned int round;

	for (round = 0; round < 10 && !tap_failed; round++)
		unplug(round);
}

/* those who hold fences of a device that is gone see them end */
static void unplugged_fences(void)
{
	uint32_t ctx, first, second;
	int fds[2], i;

	setup();
	ctx = context(REFGPU_PRIORITY_NORMAL);
	first = spin(ctx, 0, REFGPU_MAX_CYCLES, 0);
	second = spin(ctx, 1, 100, first);
	CHECK_EQ(drmSyncobjExportSyncFile(gpu.fd, first, &fds[0]), 0);
	CHECK_EQ(drmSyncobjExportSyncFile(gpu.fd, second, &fds[1]), 0);
	CHECK_EQ(write_file(DRIVER "unbind", "refgpu.0"), 0);
	for (i = 0; i < 2; i++) {
		int k;

		for (k = 0; k < 100 && !refgpu_sync_file_status(fds[i]); k++)
			usleep(20000);
		CHECK_EQ(refgpu_sync_file_status(fds[i]), -ENODEV);
		close(fds[i]);
	}
	refgpu_close(&gpu);
	CHECK_EQ(write_file(DRIVER "bind", "refgpu.0"), 0);
}

/* a client that says whatever comes to its mind, for some seconds; longer if it was slow */
static void fuzz_client(unsigned int seed)
{
	struct load_random random = { seed };
	int64_t end = refgpu_now() + 4 * SECOND, last = end + 60 * SECOND;
	struct drm_refgpu_cmd cmds[4];
	unsigned int i, k, ok = 0;

#define R(limit) load_random(&random, limit)
	while (refgpu_now() < end || (!ok && refgpu_now() < last)) {
		if (refgpu_open(&gpu, 0)) {
			usleep(10000);
			continue;
		}
		for (i = 0; i < 3; i++)
			refgpu_sync(&gpu);
		for (i = 0; i < 300; i++) {
			struct drm_refgpu_submit submit = {
				.ctx = R(6), .engine = R(3), .cmds = (uintptr_t)cmds,
				.in_syncs = (uintptr_t)&submit.out_sync,
				.nr_cmds = R(5), .nr_in_syncs = R(2), .out_sync = R(5),
				.flags = !R(30),
			};
			struct drm_refgpu_ctx_create create = { .priority = R(4) };
			struct drm_refgpu_ctx_destroy destroy = { .ctx = R(6) };
			struct drm_refgpu_bo_create bo = { .size = R(1 << 18) };
			struct drm_refgpu_wait wait = { .handle = R(8), .flags = R(3) };

			for (k = 0; k < 4; k++)
				cmds[k] = (struct drm_refgpu_cmd) {
					.op = R(20) ? R(5) : R(7),
					.value = R(2), .dst = R(8), .src = R(8),
					.dst_offset = R(10) ? R(1 << 18) & ~7ULL : -R(1 << 18),
					.src_offset = R(10) ? R(1 << 18) : -R(1 << 18),
					.n = R(20) ? R(1 << 14) & ~3ULL : R(1ULL << 42),
				};
			for (k = 0; k < 4; k++) {
				/* so that most of it is accepted */
				if (!R(10))
					continue;
				if (cmds[k].op != REFGPU_OP_FILL)
					cmds[k].value = 0;
				if (cmds[k].op != REFGPU_OP_COPY)
					cmds[k].src = cmds[k].src_offset = 0;
				if (cmds[k].op < REFGPU_OP_FILL || cmds[k].op > 4)
					cmds[k].dst = cmds[k].dst_offset = 0;
				if (cmds[k].op >= REFGPU_OP_TIMESTAMP)
					cmds[k].n = 0;
			}
			switch (R(12)) {
			case 0:
				xioctl(DRM_IOCTL_REFGPU_CTX_CREATE, &create);
				break;
			case 1:
				if (!R(3))
					xioctl(DRM_IOCTL_REFGPU_CTX_DESTROY, &destroy);
				break;
			case 2:
				xioctl(DRM_IOCTL_REFGPU_BO_CREATE, &bo);
				break;
			case 3:
				xioctl(DRM_IOCTL_REFGPU_WAIT, &wait);
				break;
			case 4:
				if (!R(5))
					drmCloseBufferHandle(gpu.fd, R(8));
				break;
			default:
				ok += !xioctl(DRM_IOCTL_REFGPU_SUBMIT, &submit);
			}
		}
		refgpu_close(&gpu);
	}
	printf("# %u jobs accepted\n", ok);
	fflush(stdout);
	_exit(!ok);
}

/* nonsense from several sides, and a device that comes and goes */
static void nonsense(void)
{
	int i, wstatus, pids[3];

	fflush(stdout);
	for (i = 0; i < 3; i++) {
		pids[i] = fork();
		if (!pids[i])
			fuzz_client(i + 1);
	}
	for (i = 0; i < 6; i++) {
		int reports = debugfs_open(0, "counters/reports", O_RDONLY);

		usleep(300000);
		CHECK_EQ(write_file(DRIVER "unbind", "refgpu.0"), 0);
		close(reports);
		CHECK_EQ(write_file(DRIVER "bind", "refgpu.0"), 0);
	}
	for (i = 0; i < 3; i++) {
		CHECK_EQ(waitpid(pids[i], &wstatus, 0), pids[i]);
		CHECK_EQ(wstatus, 0);
	}
	for (i = 0; i < 100 && state("jobs", "jobs "); i++)
		usleep(50000);
	CHECK_EQ(state("jobs", "jobs "), 0);
}

int main(int argc, char **argv)
{
	/* of a device with any number of engines */
	static const struct tap_test capacity_alone[] = { TEST(capacity) };
	static const struct tap_test tests[] = {
		TEST(params), TEST(bad_input), TEST(memory), TEST(capacity), TEST(syncs),
		TEST(reports_are_exact), TEST(fdinfo_is_exact), TEST(job_log), TEST(one_reader),
		TEST(preemption), TEST(hangs), TEST(killed), TEST(destroyed_while_waiting),
		TEST(left_with_jobs_queued),
		TEST(prime), TEST(faults),
		TEST(hardware_ids), TEST(limits), TEST(unprivileged),
		TEST(unplugged_fences), TEST(unplugged_in_flight),
		TEST(nonsense),
	};

	if (argc > 1 && !strcmp(argv[1], "capacity"))
		return tap_main(capacity_alone, 1);
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
