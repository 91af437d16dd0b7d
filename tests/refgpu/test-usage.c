// SPDX-License-Identifier: GPL-2.0
/*
 * What contexts and clients have used, as /dev/gpu_pmu tells it: exact, also of those
 * that end before anyone looks. As root, in a machine that has refgpu loaded with two
 * devices.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "events.h"
#include "look.h"
#include "tap.h"

#define ENGINES		2
#define ENDED_MAX	4096	/* as many as are kept for a reader */
#define IDS_MAX		65536

/* the counters of the device's own, in load.h's order; then these */
enum { BUSY = LOAD_NR_COUNTERS, JOBS, DONE, VALUES };

static __u64 events[LOOK_VALUES + 1];
static struct load_random randoms = { 1 };
static struct look *look;
static int counting;

/* clients, but for the kernel */
static bool clients_are_told(void)
{
	unsigned int i;

	for (i = 0; i < look->nr; i++)
		if (!(look->row[i].flags & GPU_PMU_USAGE_KERNEL))
			return true;
	return false;
}

/* the counter units run, too; and the last test's clients have left the tables, some time */
static void setup(void)
{
	int64_t end = refgpu_now() + 10 * SECOND;
	struct gpu_config config = {};
	int i;

	for (i = 0; i < LOAD_NR_COUNTERS; i++)
		events[i] = gpu_event_id(load_counter_names[i]);
	events[BUSY] = GPU_PMU_EVENT_GPU_BUSY;
	events[JOBS] = GPU_PMU_EVENT_JOBS;
	events[DONE] = GPU_PMU_EVENT_JOBS_DONE;
	config.event = events[0];
	counting = gpu_event_open(&config, -1, 0, -1);
	CHECK(counting >= 0);
	look = look_open(events);
	CHECK(look);
	CHECK_EQ(look_at(look, -1), 0);
	while (clients_are_told() && refgpu_now() < end) {
		usleep(1000);
		CHECK_EQ(look_at(look, -1), 0);
	}
	CHECK(!clients_are_told());
}

static void teardown(void)
{
	look_close(look);
	close(counting);
}

static uint64_t counts_value(const struct load_counts *counts, unsigned int i)
{
	if (i < LOAD_NR_COUNTERS)
		return counts->v[i];
	return i == BUSY ? counts->v[LOAD_CYCLES] * TICK_NS : counts->jobs;
}

/* random jobs of a context, to their end; what they have counted on each engine */
static void run(struct refgpu *gpu, const struct refgpu_buffer *bo, uint32_t ctx,
		unsigned int jobs, struct load_counts *counts)
{
	static const struct load_mix mix = { LOAD_MIX_ALL, 4, 2000 };
	struct refgpu_batch batch = {};
	uint32_t sync[ENGINES];
	unsigned int i, engine;

	for (i = 0; i < ENGINES; i++)
		sync[i] = 0;
	for (i = 0; i < jobs; i++) {
		engine = load_random(&randoms, ENGINES);
		if (!sync[engine])
			sync[engine] = refgpu_sync(gpu);
		load_job(&randoms, &mix, bo, &batch, &counts[engine]);
		CHECK_EQ(refgpu_submit(gpu, ctx, engine, &batch, 0, sync[engine]), 0);
	}
	for (i = 0; i < ENGINES; i++) {
		if (!sync[i])
			continue;
		CHECK_EQ(refgpu_sync_wait(gpu, sync[i], 60 * SECOND), 0);
		refgpu_sync_free(gpu, sync[i]);
	}
}

static const struct look_row *row_of(uint64_t client, uint32_t ctx, unsigned int engine)
{
	unsigned int i;

	for (i = 0; i < look->nr; i++)
		if (look->row[i].client == client && look->row[i].ctx == ctx &&
		    look->row[i].engine == engine)
			return &look->row[i];
	return NULL;
}

static void check_row(const struct look_row *row, const struct load_counts *counts)
{
	unsigned int i;

	CHECK(row);
	for (i = 0; row && i < VALUES; i++)
		CHECK_EQ(row->value[i], counts_value(counts, i));
}

static void counts_add(struct load_counts *to, const struct load_counts *from)
{
	unsigned int i;

	to->jobs += from->jobs;
	for (i = 0; i < LOAD_NR_COUNTERS; i++)
		to->v[i] += from->v[i];
}

#define CONTEXTS	24

/* each is there, with all of its counters on each engine, though nobody looked before */
static void contexts_that_ended_are_told(void)
{
	struct load_counts counts[CONTEXTS][ENGINES] = {}, sum = {}, all;
	const struct look_row *row;
	struct refgpu_buffer bo;
	bool ended[CONTEXTS] = {};
	uint32_t ctx[CONTEXTS];
	uint64_t client = 0;
	struct refgpu gpu;
	unsigned int i, e, left;

	setup();
	look->flags = GPU_PMU_USAGES_ENGINES;
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_buffer(&gpu, 1 << 16, &bo), 0);
	for (i = 0; i < CONTEXTS; i++) {
		CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx[i]), 0);
		run(&gpu, &bo, ctx[i], 1 + i % 5, counts[i]);
		CHECK_EQ(refgpu_context_destroy(&gpu, ctx[i]), 0);
	}
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look->missed, 0);
	CHECK_EQ(look_clients(look, getpid(), &row), 1);
	client = row->client;
	for (i = 0; i < CONTEXTS; i++) {
		memset(&all, 0, sizeof(all));
		for (e = 0; e < ENGINES; e++) {
			check_row(row_of(client, ctx[i], e), &counts[i][e]);
			counts_add(&all, &counts[i][e]);
		}
		check_row(row_of(client, ctx[i], GPU_PMU_SAMPLE_NO_ENGINE), &all);
		counts_add(&sum, &all);
	}
	row = row_of(client, 0, GPU_PMU_SAMPLE_NO_ENGINE);
	check_row(row, &sum);
	if (row)
		CHECK_EQ(row->flags, 0);

	/* the driver takes its time to end them: each is there until it was told so */
	do {
		left = 0;
		for (i = 0; i < CONTEXTS; i++) {
			row = look_find(look, client, ctx[i]);
			CHECK(row || ended[i]);
			if (row)
				ended[i] = row->flags & GPU_PMU_USAGE_ENDED;
			left += !!row;
		}
		usleep(1000);
		CHECK_EQ(look_at(look, -1), 0);
	} while (left);
	munmap(bo.map, bo.size);
	refgpu_close(&gpu);
	teardown();
}

/* what is told last of a client is all that the device has done until its file was closed */
static void work_outlives_its_client(void)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	uint64_t busy = 0, kernel = 0, id = 0;
	const struct look_row *row;
	struct refgpu_batch batch = {};
	struct refgpu gpu;
	unsigned int i;
	uint32_t ctx;
	int whole;

	setup();
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	config.dev = device_minor(&gpu);
	whole = gpu_event_open(&config, -1, 0, -1);
	CHECK(whole >= 0);
	CHECK_EQ(gpu_event_enable(whole), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	for (i = 0; i < 4; i++) {
		refgpu_spin(&batch, REFGPU_MAX_CYCLES);
		CHECK_EQ(refgpu_submit(&gpu, ctx, i & 1, &batch, 0, 0), 0);
	}
	/* the first of each engine has begun */
	CHECK(refgpu_until_both_run(&gpu));
	refgpu_close(&gpu);
	for (i = 0; i < 5000; i++) {
		CHECK_EQ(look_at(look, -1), 0);
		if (look_clients(look, getpid(), &row) != 1)
			break;
		/* absolute, and never less than before */
		CHECK(row->value[BUSY] >= busy);
		CHECK(!id || row->id == id);
		busy = row->value[BUSY];
		id = row->id;
		usleep(1000);
	}
	CHECK(i > 0 && i < 5000);
	CHECK_EQ(gpu_event_disable(whole), 0);
	for (i = 0; i < look->nr; i++)
		if (look->row[i].flags & GPU_PMU_USAGE_KERNEL && look->row[i].dev == config.dev)
			kernel = look->row[i].value[BUSY];
	CHECK(busy > 0);
	CHECK_EQ(busy + kernel, gpu_event_read(whole));
	close(whole);
	teardown();
}

/* as many are kept as can be; who has missed some is told how many */
static void too_many_ended(void)
{
	unsigned int more = 100, i, ended = 0;
	struct refgpu_batch batch = {};
	struct look *user;
	struct refgpu gpu;
	uint32_t ctx;
	pid_t pid;
	int fds[2], status;
	char c;

	setup();
	/* a reader that does not see root's */
	CHECK_EQ(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		close(fds[1]);
		user = become_user() ? NULL : look_open(events);
		if (!user || look_at(user, -1) || read(fds[0], &c, 1) < 0 || look_at(user, -1))
			_exit(1);
		_exit(user->missed || user->nr ? 2 : 0);
	}
	close(fds[0]);
	usleep(200000);
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	for (i = 0; i < ENDED_MAX + more; i++) {
		CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
		refgpu_spin(&batch, 1);
		CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, 0), 0);
		CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
	}
	/* nothing is forgotten as long as there is no room */
	for (i = 0; i < 10000; i++) {
		CHECK_EQ(look_with_room(look, -1, 10), 0);
		if (look->missed >= more)
			break;
		usleep(1000);
	}
	CHECK_EQ(look->missed, more);
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look->missed, more);
	for (i = 0; i < look->nr; i++)
		ended += look->row[i].flags == GPU_PMU_USAGE_ENDED;
	CHECK_EQ(ended, ENDED_MAX);
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look->missed, 0);
	close(fds[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	refgpu_close(&gpu);
	teardown();
}

/* a device that goes takes its clients, and the kernel's account; it is told, once */
static void unplugged(void)
{
	struct load_counts counts[ENGINES] = {};
	const struct look_row *row;
	unsigned int minor, i, kernels = 0;
	struct refgpu_buffer bo;
	struct refgpu gpu;
	uint32_t ctx;

	setup();
	CHECK_EQ(refgpu_open(&gpu, 1), 0);
	minor = device_minor(&gpu);
	CHECK_EQ(refgpu_buffer(&gpu, 1 << 16, &bo), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	run(&gpu, &bo, ctx, 10, counts);
	CHECK_EQ(shell("echo refgpu.1 >/sys/bus/platform/drivers/refgpu/unbind"), 0);
	CHECK_EQ(look_at(look, gpu.fd), -ENODEV);
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look_clients(look, getpid(), &row), 1);
	if (row)
		CHECK_EQ(row->flags, GPU_PMU_USAGE_ENDED);
	counts_add(&counts[0], &counts[1]);
	check_row(row, &counts[0]);
	check_row(look_find(look, row->client, ctx), &counts[0]);
	for (i = 0; i < look->nr; i++)
		kernels += look->row[i].dev == minor && look->row[i].flags ==
			   (GPU_PMU_USAGE_KERNEL | GPU_PMU_USAGE_ENDED);
	CHECK_EQ(kernels, 1);
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look_clients(look, getpid(), &row), 0);
	munmap(bo.map, bo.size);
	refgpu_close(&gpu);
	CHECK_EQ(shell("echo refgpu.1 >/sys/bus/platform/drivers/refgpu/bind"), 0);
	CHECK_EQ(look_at(look, -1), 0);
	teardown();
}

/* ---- contexts that come and go while it is looked at, again and again ---- */

#define WORKERS		3
#define ROUNDS		(20 * slow_rounds(3))

static int work(unsigned int n)
{
	struct refgpu_batch batch = {};
	struct refgpu gpu;
	uint32_t ctx, sync;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		if (i % 20 == 0 && refgpu_open(&gpu, n & 1))
			return 1;
		if (refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx))
			return 2;
		sync = refgpu_sync(&gpu);
		refgpu_spin(&batch, 1 + i * 10);
		if (refgpu_submit(&gpu, ctx, i & 1, &batch, 0, sync) ||
		    refgpu_sync_wait(&gpu, sync, 60 * SECOND) ||
		    refgpu_context_destroy(&gpu, ctx))
			return 3;
		refgpu_sync_free(&gpu, sync);
		if (i % 20 == 19)
			refgpu_close(&gpu);
	}
	return 0;
}

/* the last that was told of each, by id */
static struct {
	bool told;
	bool client;
	bool gone;
	uint64_t value[VALUES];
} seen[IDS_MAX];

static void look_and_note(void)
{
	static bool now[IDS_MAX];
	unsigned int i, k;

	memset(now, 0, sizeof(now));
	CHECK_EQ(look_at(look, -1), 0);
	CHECK_EQ(look->missed, 0);
	for (i = 0; i < look->nr; i++) {
		const struct look_row *row = &look->row[i];

		if (row->flags & GPU_PMU_USAGE_KERNEL || row->id >= IDS_MAX)
			continue;
		/* once in a look, and not after it was told that it is no more */
		CHECK(!now[row->id]);
		CHECK(!seen[row->id].gone);
		now[row->id] = true;
		for (k = 0; k < VALUES; k++) {
			CHECK(row->value[k] >= seen[row->id].value[k]);
			seen[row->id].value[k] = row->value[k];
		}
		seen[row->id].told = true;
		seen[row->id].client = !row->ctx;
	}
	for (i = 0; i < IDS_MAX; i++)
		seen[i].gone |= seen[i].told && !now[i];
}

static void none_is_missed(void)
{
	unsigned int clients = 0, contexts = 0, running = WORKERS, i, status;
	uint64_t jobs = 0, cycles = 0, of_contexts = 0, expected = 0;
	pid_t pid[WORKERS];

	memset(seen, 0, sizeof(seen));
	setup();
	for (i = 0; i < WORKERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(work(i));
	}
	while (running) {
		look_and_note();
		for (i = 0; i < WORKERS; i++) {
			if (!pid[i] || waitpid(pid[i], (int *)&status, WNOHANG) != pid[i])
				continue;
			CHECK_EQ(status, 0);
			pid[i] = 0;
			running--;
		}
	}
	look_and_note();
	for (i = 0; i < IDS_MAX; i++) {
		if (!seen[i].told)
			continue;
		if (seen[i].client) {
			clients++;
			jobs += seen[i].value[JOBS];
			cycles += seen[i].value[LOAD_CYCLES];
			CHECK_EQ(seen[i].value[JOBS], 20);
			CHECK_EQ(seen[i].value[DONE], 20);
		} else {
			contexts++;
			of_contexts += seen[i].value[BUSY];
			CHECK_EQ(seen[i].value[JOBS], 1);
			CHECK_EQ(seen[i].value[DONE], 1);
		}
	}
	for (i = 0; i < ROUNDS; i++)
		expected += WORKERS * (1 + i * 10);
	CHECK_EQ(clients, WORKERS * ROUNDS / 20);
	CHECK_EQ(contexts, WORKERS * ROUNDS);
	CHECK_EQ(jobs, WORKERS * ROUNDS);
	CHECK_EQ(cycles, expected);
	CHECK_EQ(of_contexts, expected * TICK_NS);
	teardown();
}

/* ---- two at a time, and events that come and go under them ---- */

static bool stop;

static void *disturb(void *arg)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	struct look *other;
	unsigned int nr = 0;
	int fd;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		other = look_open(events);
		if (!other || look_at(other, -1))
			return (void *)1;
		fd = gpu_event_open(&config, -1, 0, -1);
		if (fd < 0 || look_at(other, -1))
			return (void *)1;
		close(fd);
		look_close(other);
		nr++;
	}
	return nr ? NULL : (void *)1;
}

static void none_is_missed_with_others_about(void)
{
	pthread_t thread;
	void *failed;

	stop = false;
	CHECK_EQ(pthread_create(&thread, NULL, disturb, NULL), 0);
	none_is_missed();
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(thread, &failed), 0);
	CHECK(!failed);
}

/* ---- what there is ---- */

static void lists(void)
{
	struct gpu_pmu_device_info device[4];
	struct gpu_pmu_event_info event[32];
	struct gpu_pmu_infos arg = { .nr = 4, .infos = (uintptr_t)device };
	int query = open("/dev/gpu_pmu", O_RDONLY);
	bool reports = false;
	unsigned int i;

	CHECK_EQ(ioctl(query, GPU_PMU_IOCTL_DEVICES, &arg), 0);
	CHECK_EQ(arg.nr, 2);
	CHECK_EQ(strcmp(device[0].bus, "refgpu.0"), 0);
	CHECK_EQ(strcmp(device[1].driver, "refgpu"), 0);
	CHECK_EQ(device[0].nr_engines, ENGINES);
	CHECK_EQ(device[0].nr_counters, LOAD_NR_COUNTERS);

	arg = (struct gpu_pmu_infos){ .dev = device[0].dev, .nr = 32,
				      .infos = (uintptr_t)event };
	CHECK_EQ(ioctl(query, GPU_PMU_IOCTL_EVENTS, &arg), 0);
	CHECK_EQ(arg.nr, LOAD_NR_COUNTERS);
	for (i = 0; i < arg.nr; i++) {
		CHECK_EQ(event[i].event, gpu_event_id(event[i].name));
		CHECK(event[i].event >= GPU_PMU_EVENT_NATIVE);
		CHECK(event[i].desc[0]);
	}
	arg = (struct gpu_pmu_infos){ .nr = 32, .infos = (uintptr_t)event };
	CHECK_EQ(ioctl(query, GPU_PMU_IOCTL_EVENTS, &arg), 0);
	for (i = 0; i < arg.nr; i++)
		reports |= !strcmp(event[i].name, "reports");
	CHECK(reports);
	close(query);
}

static const struct tap_test tests[] = {
	TEST(lists),
	TEST(contexts_that_ended_are_told),
	TEST(work_outlives_its_client),
	TEST(too_many_ended),
	TEST(none_is_missed),
	TEST(none_is_missed_with_others_about),
	TEST(unplugged),
};

int main(void)
{
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
