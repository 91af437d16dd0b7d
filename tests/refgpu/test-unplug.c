// SPDX-License-Identifier: GPL-2.0
/*
 * Devices and drivers that go while they are used: counts stand still, and are
 * exact up to the end. As root, in a machine that has debugfs; loads the modules
 * from the folder that is its argument, as it needs them.
 *
 * Everything here runs on CPU 0, see lab_pin(), but what is meant to disturb.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../selftests/ring.h"
#include "lab.h"
#include "tap.h"

#define FLUSH_US	5000
/* it comes too late for a test that has it, which is over by then */
#define FLUSH_LATE_US	10000000
#define EVENTS		"/sys/bus/event_source/devices/gpu/events/"
#define WORKLOAD	"workload"

static char self[128];
static struct load_random randoms = { 1 };

static void unbind(unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "refgpu.%u", n);
	CHECK_EQ(lab_write(LAB_DRIVER "unbind", name), 0);
}

static void bind(unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "refgpu.%u", n);
	CHECK_EQ(lab_write(LAB_DRIVER "bind", name), 0);
}

/* what there is has been flushed, and shared out: see lab_pin() */
static void flushed(void)
{
	usleep(2 * FLUSH_US + 1000);
}

/* a client with two contexts */
struct client {
	struct refgpu gpu;
	unsigned int minor;
	struct refgpu_buffer bo;
	uint32_t ctx[2];
	struct tally done;
};

static void client_open(struct client *client, unsigned int device)
{
	unsigned int i;

	memset(client, 0, sizeof(*client));
	CHECK_EQ(refgpu_open(&client->gpu, device), 0);
	client->minor = device_minor(&client->gpu);
	CHECK_EQ(refgpu_buffer(&client->gpu, 1 << 16, &client->bo), 0);
	memset(client->bo.map, 1, client->bo.size);
	for (i = 0; i < 2; i++)
		CHECK_EQ(refgpu_context(&client->gpu, REFGPU_PRIORITY_NORMAL,
					&client->ctx[i]), 0);
}

static void client_close(struct client *client)
{
	munmap(client->bo.map, client->bo.size);
	refgpu_close(&client->gpu);
}

/* random jobs, from begin to end */
static void client_run(struct client *client, unsigned int jobs)
{
	static const struct load_mix mix = { LOAD_MIX_ALL, 4, 3000 };
	struct load_counts counts = {};
	struct refgpu_batch batch = {};
	uint32_t sync[2][2];
	unsigned int i;

	for (i = 0; i < 4; i++)
		sync[i & 1][i >> 1] = refgpu_sync(&client->gpu);
	for (i = 0; i < jobs || i < 4; i++) {
		load_job(&randoms, &mix, &client->bo, &batch, &counts);
		CHECK_EQ(refgpu_submit(&client->gpu, client->ctx[i & 1], i >> 1 & 1, &batch, 0,
				       sync[i & 1][i >> 1 & 1]), 0);
	}
	for (i = 0; i < 4; i++) {
		CHECK_EQ(refgpu_sync_wait(&client->gpu, sync[i & 1][i >> 1], 60 * SECOND), 0);
		refgpu_sync_free(&client->gpu, sync[i & 1][i >> 1]);
	}
	tally_count(&client->done, &counts);
}

/* jobs without end on both engines and of both contexts, and some behind them; how many */
static unsigned int client_run_for_ever(struct client *client)
{
	struct refgpu_batch batch = {};
	unsigned int i, jobs = 0;

	for (i = 0; i < 12; i++) {
		refgpu_spin(&batch, REFGPU_MAX_CYCLES);
		CHECK_EQ(refgpu_submit(&client->gpu, client->ctx[i & 1], i >> 1 & 1, &batch,
				       0, 0), 0);
		jobs++;
	}
	/* this long at least, so that there is something to be seen */
	usleep(20000);
	return jobs;
}

static uint64_t client_busy(struct client *client)
{
	struct refgpu_usage usage;

	CHECK_EQ(refgpu_usage(&client->gpu, &usage), 0);
	return usage.render + usage.copy;
}

/*
 * How long were engines busy for it, up to when its device was unplugged? From 6.7
 * on, DRM says nothing of a device that is gone. Then it is known to lie between
 * two clocks; that it is exact follows from the counter unit, which agrees.
 */
struct cut {
	uint64_t least;
	uint64_t most;
};

static void cut_off(struct client *client, unsigned int device, struct cut *cut)
{
	int64_t begin = refgpu_now();
	uint64_t busy;

	cut->least = client_busy(client);
	unbind(device);
	cut->most = cut->least + 2 * (refgpu_now() - begin);
	busy = client_busy(client);
	if (busy) {
		CHECK(cut->least <= busy && busy <= cut->most);
		cut->least = busy;
		cut->most = busy;
	}
	printf("# busy for %lu ns, and %lu at most\n", cut->least, cut->most - cut->least);
}

static void check_cut(const struct cut *cut, uint64_t busy)
{
	CHECK(cut->least <= busy);
	CHECK(busy <= cut->most);
}

static void client_is_cut_off(struct client *client)
{
	struct drm_refgpu_bo_create create = { .size = 4096 };
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo;
	uint64_t value;
	uint32_t ctx;

	refgpu_spin(&batch, 1);
	CHECK_EQ(refgpu_get(&client->gpu, REFGPU_PARAM_TICKS, 0, &value), -ENODEV);
	CHECK_EQ(refgpu_context(&client->gpu, REFGPU_PRIORITY_NORMAL, &ctx), -ENODEV);
	CHECK_EQ(refgpu_context_destroy(&client->gpu, client->ctx[0]), -ENODEV);
	CHECK_EQ(refgpu_buffer(&client->gpu, create.size, &bo), -ENODEV);
	CHECK_EQ(refgpu_submit(&client->gpu, client->ctx[0], 0, &batch, 0, 0), -ENODEV);
	CHECK_EQ(refgpu_buffer_wait(&client->gpu, &client->bo, 0), -ENODEV);
}

/* events of every kind */

#define NR_TASK		4

struct watch {
	struct lab_scope device;
	struct lab_scope client;
	struct lab_scope own[2];
	struct lab_scope all;
	struct meter task[NR_TASK];
	int lost;
	void *page[EVENT_NR + NR_TASK];
	/* of each job that is done on the device, and what was read of them so far */
	struct ring ring;
	unsigned int samples;
	uint64_t sampled_busy;
};

static void watch_map(struct watch *watch)
{
	unsigned int i;

	for (i = 0; i < EVENT_NR + NR_TASK; i++) {
		int fd = i < EVENT_NR ? watch->client.meter[i].fd :
			 watch->task[i - EVENT_NR].fd;

		watch->page[i] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		CHECK(watch->page[i] != MAP_FAILED);
	}
}

static void watch_open(struct watch *watch, const struct client *client)
{
	struct gpu_config where = { .dev = client->minor };
	static const struct meter task[NR_TASK] = {
		TASK_METER(EVENT_BUSY, 0), TASK_METER(EVENT_WAIT, 0),
		TASK_METER(EVENT_JOBS, 0), TASK_METER(EVENT_DONE, 0),
	};
	struct window window;
	unsigned int i;

	memset(watch, 0, sizeof(*watch));
	watch->lost = lab_event(EVENT_LOST, &where);
	lab_scope_open(&watch->device, &where, LAB_ALL);
	where.event = GPU_PMU_EVENT_JOBS_DONE;
	CHECK_EQ(ring_open(&watch->ring, &where, -1, 0, 1, 0), 0);
	CHECK_EQ(gpu_event_enable(watch->ring.fd), 0);
	where = (struct gpu_config) { .fd = client->gpu.fd };
	lab_scope_open(&watch->client, &where, LAB_ALL);
	for (i = 0; i < 2; i++) {
		where.ctx = client->ctx[i];
		lab_scope_open(&watch->own[i], &where, LAB_ALL);
	}
	where = (struct gpu_config) {};
	lab_scope_open(&watch->all, &where, LAB_ALL);
	memcpy(watch->task, task, sizeof(task));
	CHECK_EQ(meters_open(watch->task, NR_TASK), 0);
	CHECK_EQ(meters_on(watch->task, NR_TASK, &window), 0);
	watch_map(watch);
}

static void watch_close(struct watch *watch)
{
	unsigned int i;

	lab_scope_close(&watch->device);
	lab_scope_close(&watch->client);
	lab_scope_close(&watch->own[0]);
	lab_scope_close(&watch->own[1]);
	lab_scope_close(&watch->all);
	meters_close(watch->task, NR_TASK);
	close(watch->lost);
	ring_close(&watch->ring);
	/* each page keeps its event */
	for (i = 0; i < EVENT_NR + NR_TASK; i++) {
		const struct perf_event_mmap_page *page = watch->page[i];

		CHECK(!page->compat_version);
		munmap(watch->page[i], 4096);
	}
}

#define WATCHED		5

struct reading {
	struct tally of[WATCHED];
	uint64_t task[NR_TASK];
	uint64_t lost;
	uint64_t samples;
	uint64_t sampled_busy;
};

static void watch_drain(struct watch *watch)
{
	static struct ring_sample sample;

	while (ring_next(&watch->ring, &sample)) {
		CHECK_EQ(sample.gpu.kind, GPU_PMU_SAMPLE_DONE);
		watch->samples++;
		watch->sampled_busy += sample.gpu.busy;
	}
	CHECK_EQ(watch->ring.lost, 0);
	CHECK_EQ(watch->ring.throttled, 0);
}

static void watch_read(struct watch *watch, struct reading *reading)
{
	unsigned int i;

	watch_drain(watch);
	reading->samples = watch->samples;
	reading->sampled_busy = watch->sampled_busy;
	lab_scope_peek(&watch->device, &reading->of[0]);
	lab_scope_peek(&watch->client, &reading->of[1]);
	lab_scope_peek(&watch->own[0], &reading->of[2]);
	lab_scope_peek(&watch->own[1], &reading->of[3]);
	lab_scope_peek(&watch->all, &reading->of[4]);
	meters_read(watch->task, NR_TASK);
	for (i = 0; i < NR_TASK; i++)
		reading->task[i] = watch->task[i].value;
	reading->lost = gpu_event_read(watch->lost);
}

/* they have all seen the same: jobs, all done, and sampled */
static void watch_agrees(const struct reading *reading, uint64_t jobs)
{
	const struct tally *of = reading->of;
	uint64_t busy = of[0].v[EVENT_BUSY];
	struct tally both = of[2];
	unsigned int i;

	tally_add(&both, &of[3]);
	CHECK_EQ(of[0].v[LOAD_CYCLES] * TICK_NS, busy);
	CHECK_EQ(of[0].v[EVENT_JOBS], jobs);
	CHECK_EQ(of[0].v[EVENT_DONE], jobs);
	for (i = 0; i < EVENT_NR; i++) {
		CHECK_EQ(of[1].v[i], of[0].v[i]);
		CHECK_EQ(of[4].v[i], of[0].v[i]);
		CHECK_EQ(both.v[i], of[0].v[i]);
	}
	CHECK_EQ(reading->task[0], busy);
	CHECK_EQ(reading->task[1], of[0].v[EVENT_WAIT]);
	CHECK_EQ(reading->task[2], jobs);
	CHECK_EQ(reading->task[3], jobs);
	CHECK_EQ(reading->samples, jobs);
	CHECK_EQ(reading->sampled_busy, busy);
	CHECK_EQ(reading->lost, 0);
}

/* and so long, if they all spin */
static void watch_check(const struct reading *reading, const struct cut *cut, uint64_t jobs)
{
	watch_agrees(reading, jobs);
	check_cut(cut, reading->of[0].v[EVENT_BUSY]);
	CHECK_EQ(reading->of[0].v[LOAD_ACTIVE] * TICK_NS, reading->of[0].v[EVENT_BUSY]);
}

static bool same_reading(const struct reading *a, const struct reading *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* the event @event of what is not there any more */
static void check_gone(const struct client *client, unsigned int event)
{
	CHECK_EQ(meter_try(event, (struct gpu_config) { .dev = client->minor }, -1, 0), -ENODEV);
	CHECK_EQ(meter_try(event, (struct gpu_config) { .dev = client->minor }, 0, -1), -ENODEV);
	CHECK_EQ(meter_try(event, (struct gpu_config) { .fd = client->gpu.fd }, 0, -1), -ENODEV);
	CHECK_EQ(meter_try(event, (struct gpu_config) { .fd = client->gpu.fd,
							.ctx = client->ctx[0] }, -1, 0), -ENODEV);
}

/* a device that is new, beside what is left of an old one; what it did */
static struct tally check_new(unsigned int device)
{
	struct gpu_config where = {};
	struct lab_scope scope;
	struct client client;
	struct tally is;
	unsigned int v;
	int lost;

	client_open(&client, device);
	where.dev = client.minor;
	lost = lab_event(EVENT_LOST, &where);
	lab_scope_open(&scope, &where, LAB_ALL);
	client_run(&client, 30);
	lab_scope_read(&scope, &is);
	client.done.v[EVENT_WAIT] = is.v[EVENT_WAIT];
	for (v = 0; v < EVENT_NR; v++)
		CHECK_EQ(is.v[v], client.done.v[v]);
	CHECK_EQ(lab_final(lost), 0);
	lab_scope_close(&scope);
	close(lost);
	client_close(&client);
	return is;
}

static void unplugged(void)
{
	struct reading first, second;
	struct client client;
	struct watch watch;
	struct tally other;
	struct cut cut;
	unsigned int jobs, i, v;

	client_open(&client, 0);
	watch_open(&watch, &client);
	jobs = client_run_for_ever(&client);
	cut_off(&client, 0, &cut);
	client_is_cut_off(&client);
	check_gone(&client, EVENT_BUSY);
	check_gone(&client, LOAD_CYCLES);

	flushed();
	watch_read(&watch, &first);
	watch_check(&first, &cut, jobs);
	usleep(50000);
	watch_read(&watch, &second);
	CHECK(same_reading(&first, &second));

	/* the other one is well, and whoever looks at all of them sees it */
	other = check_new(1);
	bind(0);
	for (i = 0; i < 2; i++) {
		struct tally new = check_new(0);

		tally_add(&other, &new);
	}
	flushed();
	watch_read(&watch, &second);
	for (i = 0; i < 4; i++)
		CHECK(!memcmp(&first.of[i], &second.of[i], sizeof(first.of[i])));
	for (v = 0; v < EVENT_NR; v++)
		CHECK_EQ(second.of[4].v[v] - first.of[4].v[v], other.v[v]);
	CHECK_EQ(second.lost, 0);
	CHECK_EQ(second.samples, first.samples);
	/* a task's events are of whatever device it submits to */
	CHECK_EQ(second.task[0] - first.task[0], other.v[EVENT_BUSY]);
	CHECK_EQ(second.task[3] - first.task[3], other.v[EVENT_DONE]);
	printf("# %lu us busy when it was unplugged, %lu after\n",
	       first.of[0].v[EVENT_BUSY] / 1000, other.v[EVENT_BUSY] / 1000);

	/* they can still be switched off and on, and that is all */
	for (i = 0; i < EVENT_NR; i++) {
		CHECK_EQ(gpu_event_disable(watch.device.meter[i].fd), 0);
		CHECK_EQ(gpu_event_enable(watch.device.meter[i].fd), 0);
	}
	check_new(0);
	flushed();
	watch_read(&watch, &second);
	CHECK(!memcmp(&first.of[0], &second.of[0], sizeof(first.of[0])));
	watch_close(&watch);
	client_close(&client);
}

/* a new device that has the number of the old one is another device */
static void same_minor(void)
{
	struct gpu_config where = {};
	struct client client;
	struct lab_scope old;
	struct tally first, second;
	struct refgpu again;

	/* minors in order */
	CHECK_EQ(lab_reload("", "devices=2"), 0);
	client_open(&client, 0);
	where.dev = client.minor;
	lab_scope_open(&old, &where, LAB_ALL);
	client_run(&client, 10);
	client_close(&client);
	unbind(0);
	flushed();
	lab_scope_peek(&old, &first);
	CHECK_EQ(first.v[LOAD_CYCLES], client.done.v[LOAD_CYCLES]);
	CHECK_EQ(first.v[EVENT_BUSY], client.done.v[EVENT_BUSY]);
	bind(0);
	CHECK_EQ(refgpu_open(&again, 0), 0);
	CHECK_EQ(device_minor(&again), where.dev);
	refgpu_close(&again);
	check_new(0);
	flushed();
	lab_scope_peek(&old, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	lab_scope_close(&old);
}

/* the file ends, or the events do, before the device does; and the other way round */
static void orders(void)
{
	unsigned int round;

	for (round = 0; round < 8; round++) {
		struct client client;
		struct watch watch;

		client_open(&client, 0);
		watch_open(&watch, &client);
		client_run_for_ever(&client);
		if (round & 1)
			client_close(&client);
		if (round & 2)
			watch_close(&watch);
		unbind(0);
		if (round & 4)
			bind(0);
		if (!(round & 2))
			watch_close(&watch);
		if (!(round & 1))
			client_close(&client);
		if (!(round & 4))
			bind(0);
		check_new(0);
	}
}

/* of the unit's and of two contexts that share an engine, each */
#define PERIOD_NS	1000000UL
#define ENGINES		2

/* reports that were made up to a moment, and when that was: by time, and how long engines ran */
struct moment {
	int64_t before, after;
	uint64_t busy_before, busy_after;
	uint64_t reports;
};

/* the moment when events are enabled, or one at which both engines run */
static void moment_take(struct client *client, const int *events, unsigned int nr,
			struct moment *moment)
{
	unsigned int i;

	moment->before = refgpu_now();
	moment->busy_before = client_busy(client);
	for (i = 0; i < nr; i++)
		CHECK_EQ(gpu_event_enable(events[i]), 0);
	moment->reports = lab_reports();
	moment->busy_after = client_busy(client);
	moment->after = refgpu_now();
}

/* that the timer's flushes have engines make in a time, and those of two others */
static uint64_t of_flushes(uint64_t ns, unsigned int flush_us)
{
	return 2 * ENGINES * (ns / (flush_us * 1000UL) + 3);
}

/*
 * Reports that nobody will ever read: each that was made was read, or is lost. How many that
 * are is known up to a moment while both engines run, from the unit; and from there to the
 * end, since engines then were busy for a time that is known: in each period, an engine has
 * its report, and one for the change to the other context; and there is a last change. If
 * there is room, a flush has each engine report, twice if there was none before: after the
 * moment there are those of the timer, and two of a batch that may just be due. How many were
 * read is what "reports" says, and how many are lost "lost", from when they were switched on,
 * which made the PMU read all that there was.
 */
static void check_last_words(const struct moment *on, const struct moment *at, uint64_t busy,
			     unsigned int flush_us, uint64_t read, uint64_t lost)
{
	uint64_t shortest = (busy - at->busy_after) / ENGINES;
	uint64_t longest = (busy - at->busy_before) / ENGINES;
	uint64_t least, most;

	least = at->reports - on->reports + ENGINES * (2 * (shortest / PERIOD_NS) + 1);
	most = at->reports - on->reports + ENGINES * (2 * (longest / PERIOD_NS + 1) + 1);
	most += of_flushes(longest, flush_us);
	/* and those from when it was switched on to when the unit was asked */
	most += ENGINES * ((on->after - on->before) / PERIOD_NS + 1);
	most += of_flushes(on->after - on->before, flush_us);
	printf("# %lu to %lu were made, %lu read, %lu lost\n", least, most, read, lost);
	CHECK(read + lost >= least);
	CHECK(read + lost <= most);
}

static void last_words_by(unsigned int size, unsigned int late_us)
{
	unsigned int flush_us = late_us ? FLUSH_US : FLUSH_LATE_US;
	enum { REPORTS, LOST, ENDS };
	uint64_t cycles, busy, lost;
	struct moment on, at;
	struct gpu_config where;
	struct client client;
	int fds[2], ends[ENDS];
	struct cut cut;

	lab_param("refgpu", "counters_size", size);
	lab_param("gpu_pmu", "flush_us", flush_us);
	client_open(&client, 0);
	where = (struct gpu_config) { .dev = client.minor };
	ends[LOST] = meter_try(EVENT_LOST, where, -1, 0);
	fds[0] = lab_event(LOAD_CYCLES, &where);
	fds[1] = lab_event(EVENT_BUSY, &where);
	where.event = GPU_PMU_EVENT_REPORTS;
	ends[REPORTS] = gpu_event_open(&where, -1, 0, -1);
	CHECK(ends[REPORTS] >= 0 && ends[LOST] >= 0);
	moment_take(&client, ends, ENDS, &on);
	lab_set("fault/late", LAB_US(late_us));
	client_run_for_ever(&client);
	CHECK(refgpu_until_both_run(&client.gpu));
	usleep(100000);
	moment_take(&client, NULL, 0, &at);
	cut_off(&client, 0, &cut);
	cycles = lab_final(fds[0]);
	busy = lab_final(fds[1]);
	lost = lab_final(ends[LOST]);
	check_cut(&cut, busy);
	printf("# %lu of %lu cycles\n", cycles, busy / TICK_NS);
	CHECK(cycles <= busy / TICK_NS);
	CHECK(cycles == busy / TICK_NS || lost);
	check_last_words(&on, &at, busy, flush_us, lab_final(ends[REPORTS]), lost);
	CHECK(lost > 0);
	close(ends[REPORTS]);
	close(fds[0]);
	close(fds[1]);
	close(ends[LOST]);
	client_close(&client);
	bind(0);
	lab_param("refgpu", "counters_size", 1 << 20);
	lab_param("gpu_pmu", "flush_us", FLUSH_US);
}

static void full_at_the_end(void)
{
	last_words_by(4096, 0);
}

static void late_at_the_end(void)
{
	last_words_by(1 << 20, 50000);
}

/* for perf to run: a device that does something, goes, comes again, and does more */
static int workload(const char *result)
{
	struct client client;
	struct cut cut;
	uint64_t more;
	FILE *file;

	client_open(&client, 0);
	client_run_for_ever(&client);
	usleep(200000);
	cut_off(&client, 0, &cut);
	bind(0);
	client_close(&client);
	client_open(&client, 0);
	client_run(&client, 50);
	more = client_busy(&client);
	client_close(&client);
	flushed();
	file = fopen(result, "w");
	fprintf(file, "%lu %lu\n", cut.least + more, cut.most + more);
	fclose(file);
	return tap_failed;
}

static void perf_stat_interval(void)
{
	static struct perf_stat stat;
	struct cut cut = {};
	char line[64];
	uint64_t busy;

	CHECK_EQ(perf_stat_run(&stat, "-a -I 10 -e gpu/gpu-busy/,gpu/gpu-cycles/ -- %s " WORKLOAD
			       " /tmp/workload", self), 0);
	CHECK_EQ(stat.status, 0);
	CHECK(perf_stat_counted(&stat));
	CHECK_EQ(shell_line(line, sizeof(line), "cat /tmp/workload"), 0);
	CHECK_EQ(sscanf(line, "%lu %lu", &cut.least, &cut.most), 2);
	busy = perf_stat_sum(&stat, "gpu/gpu-busy/");
	check_cut(&cut, busy);
	CHECK(busy > 2 * 200000000ULL);
	CHECK_EQ(perf_stat_sum(&stat, "gpu/gpu-cycles/") * TICK_NS, busy);
	printf("# %u lines\n", stat.nr);
	if (tap_failed)
		perf_stat_dump(&stat);
}

static pid_t load_start(unsigned int seed)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		char folder[128], path[160], number[16];

		lab_unpin();
		snprintf(folder, sizeof(folder), "%s", self);
		snprintf(path, sizeof(path), "%s/refgpu-load", dirname(folder));
		snprintf(number, sizeof(number), "%u", seed);
		freopen("/dev/null", "w", stdout);
		freopen("/dev/null", "w", stderr);
		execl(path, path, "--clients", "2", "--jobs", "300", "--seed", number, NULL);
		_exit(127);
	}
	return pid;
}

#define ROUNDS		slow_rounds(50)

/* a device that goes, again and again, while others use it */
static void unplugged_in_a_loop(void)
{
	struct gpu_config where = {};
	struct lab_scope all;
	struct tally is;
	uint64_t before = 0;
	int status, lost, busy;
	unsigned int i;

	lost = lab_event(EVENT_LOST, &where);
	busy = lab_event(EVENT_BUSY, &where);
	/* who submits where is the load's matter: no jobs */
	lab_scope_open(&all, &where, LAB_ALL & ~(1U << EVENT_JOBS));
	for (i = 0; i < ROUNDS && !tap_failed; i++) {
		pid_t pid = load_start(i);
		int64_t end = refgpu_now() + 10 * SECOND;

		/* in the middle of whatever it does then */
		while (gpu_event_read(busy) == before && refgpu_now() < end)
			usleep(500);
		usleep(load_random(&randoms, 40000));
		unbind(0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		/* it has no device any more */
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		flushed();
		lab_scope_peek(&all, &is);
		CHECK_EQ(is.v[LOAD_CYCLES] * TICK_NS, is.v[EVENT_BUSY]);
		CHECK(is.v[EVENT_BUSY] > before);
		before = is.v[EVENT_BUSY];
		bind(0);
	}
	CHECK_EQ(lab_final(lost), 0);
	printf("# %u rounds, %lu jobs, %lu ms\n", i, is.v[EVENT_DONE],
	       is.v[EVENT_BUSY] / 1000000);
	lab_scope_close(&all);
	close(busy);
	close(lost);
	check_new(0);
}

/* ---- modules ---- */

static bool event_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), EVENTS "%s", name);
	return !access(path, F_OK);
}

static void module_goes(void)
{
	struct gpu_config where = {};
	struct lab_scope device, all;
	struct tally first, second, new;
	struct client client;
	unsigned int native, v;

	client_open(&client, 0);
	where.dev = client.minor;
	lab_scope_open(&device, &where, LAB_ALL);
	where.dev = 0;
	lab_scope_open(&all, &where, LAB_ALL);
	client_run(&client, 30);
	/* a file keeps its module */
	CHECK_EQ(lab_unload("refgpu"), -EWOULDBLOCK);
	client_close(&client);

	/* events do not */
	native = gpu_event_id("gpu-cycles");
	CHECK(native);
	CHECK_EQ(lab_unload("refgpu"), 0);
	flushed();
	lab_scope_peek(&device, &first);
	client.done.v[EVENT_WAIT] = first.v[EVENT_WAIT];
	CHECK(!memcmp(&first, &client.done, sizeof(first)));
	usleep(50000);
	lab_scope_peek(&device, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	lab_scope_peek(&all, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	for (v = 0; v < LOAD_NR_COUNTERS; v++)
		CHECK(!event_file(event_names[v]));
	CHECK(!event_file("mem-read-bytes.unit"));
	CHECK(event_file("gpu-busy"));
	CHECK_EQ(gpu_event_open(&(struct gpu_config) { .event = native }, -1, 0, -1), -EINVAL);
	CHECK_EQ(meter_try(EVENT_BUSY, where, -1, 0), -ENODEV);

	/* events keep the PMU */
	CHECK_EQ(lab_unload("gpu_pmu"), -EWOULDBLOCK);

	/* what looks at all devices looks at those that come, native counters included */
	CHECK_EQ(lab_load("refgpu", "devices=2"), 0);
	CHECK_EQ(gpu_event_id("gpu-cycles"), native);
	new = check_new(0);
	flushed();
	lab_scope_peek(&device, &second);
	CHECK(!memcmp(&first, &second, sizeof(first)));
	lab_scope_peek(&all, &second);
	for (v = 0; v < EVENT_NR; v++)
		CHECK_EQ(second.v[v] - first.v[v], new.v[v]);
	/* the driver keeps the PMU, too */
	lab_scope_close(&device);
	lab_scope_close(&all);
	CHECK_EQ(lab_unload("gpu_pmu"), -EWOULDBLOCK);
}

/* ---- nothing is left behind ---- */

static long meminfo(const char *key)
{
	char line[32];

	if (shell_line(line, sizeof(line), "awk '/^%s:/ { print $2 }' /proc/meminfo", key))
		return -1;
	return atol(line);
}

#define AREAS_MAX	1024

/* vmalloc's: how large, and who has allocated it; an address if that code is gone */
struct area {
	unsigned long bytes;
	char caller[64];
};

struct memory {
	long slab;	/* KiB that nobody can reclaim */
	long shmem;	/* KiB */
	unsigned int nr_areas;
	unsigned int orphans;	/* those of them that a module has allocated which is gone */
	struct area area[AREAS_MAX];
};

/* threads' stacks, which the kernel keeps for others, wherever it is inlined; and what is free */
static bool area_comes_and_goes(const char *line)
{
	static const char *const what[] = {
		"kernel_clone+", "copy_process+", "dup_task_struct+", "alloc_thread_stack",
		"unpurged",
	};
	unsigned int i;

	for (i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		if (strstr(line, what[i]))
			return true;
	return false;
}

static void areas_read(struct memory *memory)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[256];

	CHECK(file != NULL);
	while (file && fgets(line, sizeof(line), file) && memory->nr_areas < AREAS_MAX) {
		struct area *area = &memory->area[memory->nr_areas];

		if (area_comes_and_goes(line) ||
		    sscanf(line, "%*s %lu %63s", &area->bytes, area->caller) != 2)
			continue;
		memory->nr_areas++;
		memory->orphans += !strncmp(area->caller, "0x", 2);
	}
	if (file)
		fclose(file);
	CHECK(memory->nr_areas > 0 && memory->nr_areas < AREAS_MAX);
}

static unsigned int areas_like(const struct area *area, unsigned int nr, const struct area *like)
{
	unsigned int i, found = 0;

	for (i = 0; i < nr; i++)
		found += area[i].bytes == like->bytes && !strcmp(area[i].caller, like->caller);
	return found;
}

/* what there is more of than there was, once */
static void areas_say_more(const struct memory *before, const struct memory *after)
{
	unsigned int i, was, is;

	for (i = 0; i < after->nr_areas; i++) {
		was = areas_like(before->area, before->nr_areas, &after->area[i]);
		is = areas_like(after->area, after->nr_areas, &after->area[i]);
		if (is > was && !areas_like(after->area, i, &after->area[i]))
			printf("# %lu bytes by %s: %u, then %u\n", after->area[i].bytes,
			       after->area[i].caller, was, is);
	}
}

static void memory_read(struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	shell("echo 3 >/proc/sys/vm/drop_caches; sleep 0.5; echo 3 >/proc/sys/vm/drop_caches");
	memory->slab = meminfo("SUnreclaim");
	memory->shmem = meminfo("Shmem");
	areas_read(memory);
}

#define LEAK_ROUNDS	(LEAK_WARM + slow_rounds(80))
#define LEAK_WARM	20
#define LEAK_SLAB_KB	128
/* of what goes some grace periods later; what has leaked never does */
#define FREED_SECONDS	10

/* when it gets no less any more */
static void memory_settled(struct memory *memory)
{
	static struct memory last;
	int64_t end = refgpu_now() + FREED_SECONDS * SECOND;

	memory_read(memory);
	do {
		last = *memory;
		memory_read(memory);
	} while ((memory->slab < last.slab || memory->nr_areas < last.nr_areas ||
		  memory->shmem < last.shmem) && refgpu_now() < end);
}

static bool memory_is_back(const struct memory *before, const struct memory *after)
{
	return after->slab - before->slab < LEAK_SLAB_KB && after->nr_areas <= before->nr_areas &&
	       !after->orphans && after->shmem <= before->shmem;
}

/* as it was, if that is what it comes to; else as it is in the end */
static void memory_after(const struct memory *before, struct memory *after)
{
	int64_t end = refgpu_now() + FREED_SECONDS * SECOND;

	do {
		memory_read(after);
	} while (!memory_is_back(before, after) && refgpu_now() < end);
}

/* events whose device, and its driver, are gone */
static void check_frozen(struct watch *watch, unsigned int jobs)
{
	struct reading first, second;

	CHECK_EQ(lab_unload("gpu_pmu"), -EWOULDBLOCK);
	flushed();
	watch_read(watch, &first);
	watch_agrees(&first, jobs);
	usleep(4 * FLUSH_US);
	watch_read(watch, &second);
	CHECK(same_reading(&first, &second));
}

/* jobs run, events are open, their pages and a ring mapped; then one after the other goes */
static void leak_round(unsigned int round)
{
	struct client client;
	struct watch watch;
	unsigned int jobs = 8;

	CHECK_EQ(lab_load("gpu_pmu", ""), 0);
	CHECK_EQ(lab_load("refgpu", "devices=2"), 0);
	client_open(&client, 0);
	watch_open(&watch, &client);
	client_run(&client, jobs);
	jobs += client_run_for_ever(&client);
	CHECK_EQ(lab_unload("refgpu"), -EWOULDBLOCK);
	if (round & 1)
		unbind(0);
	if (round & 2)
		watch_close(&watch);
	/* ends the jobs */
	client_close(&client);
	CHECK_EQ(lab_unload("refgpu"), 0);
	if (!(round & 2)) {
		check_frozen(&watch, jobs);
		watch_close(&watch);
	}
	CHECK_EQ(lab_unload("gpu_pmu"), 0);
}

static void leaks(void)
{
	static struct memory before, after;
	unsigned int round;

	CHECK_EQ(lab_unload("refgpu"), 0);
	CHECK_EQ(lab_unload("gpu_pmu"), 0);
	for (round = 0; round < LEAK_ROUNDS && !tap_failed; round++) {
		if (round == LEAK_WARM)
			memory_settled(&before);
		leak_round(round);
	}
	memory_after(&before, &after);
	printf("# slab %ld to %ld KiB, vmalloc areas %u to %u, shmem %ld to %ld KiB\n",
	       before.slab, after.slab, before.nr_areas, after.nr_areas, before.shmem,
	       after.shmem);
	CHECK(before.slab > 0);
	CHECK(after.slab - before.slab < LEAK_SLAB_KB);
	CHECK(after.nr_areas <= before.nr_areas);
	CHECK_EQ(after.orphans, 0);
	CHECK(after.shmem <= before.shmem);
	areas_say_more(&before, &after);
}

/*
 * Objects that our code has allocated and nobody freed, as the kernel notes it with
 * slub_debug=U; or -1.
 */
static long objects_owned(void)
{
	char line[32];

	if (shell("grep -qs slub_debug=U /proc/cmdline") ||
	    shell_line(line, sizeof(line),
		       "echo 3 >/proc/sys/vm/drop_caches; sleep 1; "
		       "cat /sys/kernel/debug/slab/kmalloc-*/alloc_traces | "
		       "awk '/^ *[0-9]+ .*\\[(refgpu|gpu_pmu)\\]/ { n += $1 } END { print n + 0 }'"))
		return -1;
	return atol(line);
}

/* what RCU has yet to free goes, after some grace periods: so two that agree */
static long objects_settled(void)
{
	int64_t end = refgpu_now() + FREED_SECONDS * SECOND;
	long last, now = objects_owned();

	do {
		last = now;
		now = objects_owned();
	} while (now != last && refgpu_now() < end);
	return now;
}

/* if no more than before are what it comes to, those; else what there is in the end */
static long objects_after(long before)
{
	int64_t end = refgpu_now() + FREED_SECONDS * SECOND;
	long now;

	do {
		now = objects_owned();
	} while (now > before && refgpu_now() < end);
	return now;
}

#define OBJECT_ROUNDS	slow_rounds(20)

static void object_round(unsigned int round)
{
	struct client client;
	struct watch watch;

	client_open(&client, 0);
	watch_open(&watch, &client);
	client_run(&client, 8);
	if (round & 1)
		client_run_for_ever(&client);
	if (round & 2)
		unbind(0);
	watch_close(&watch);
	client_close(&client);
	if (!(round & 2))
		unbind(0);
	bind(0);
}

/* not one object is left of devices, clients, contexts, jobs and events */
static void objects(void)
{
	unsigned int round;
	long before, after;

	/* what is made once is there then */
	object_round(0);
	before = objects_settled();
	CHECK(before > 0);
	for (round = 0; round < OBJECT_ROUNDS && !tap_failed; round++)
		object_round(round);
	after = objects_after(before);
	printf("# %ld objects before, %ld after %u rounds\n", before, after, round);
	CHECK_EQ(after, before);
}

#define RUN(tests)	tap_main(tests, sizeof(tests) / sizeof((tests)[0]))

int main(int argc, char **argv)
{
	static const struct tap_test tests[] = {
		TEST(unplugged), TEST(same_minor), TEST(orders), TEST(full_at_the_end),
		TEST(late_at_the_end), TEST(perf_stat_interval), TEST(unplugged_in_a_loop),
		TEST(module_goes), TEST(leaks),
	};
	/* this one needs a kernel that is slow for it */
	static const struct tap_test debug_tests[] = { TEST(objects) };

	snprintf(self, sizeof(self), "%s", argv[0]);
	lab_pin();
	if (argc == 3 && !strcmp(argv[1], WORKLOAD))
		return workload(argv[2]);
	if (argc != 2 && (argc != 3 || strcmp(argv[2], "objects"))) {
		fprintf(stderr, "usage: test-unplug FOLDER [objects]\n");
		return 2;
	}
	lab_modules(argv[1]);
	if (lab_reload("", "devices=2"))
		return 2;
	return argc == 2 ? RUN(tests) : RUN(debug_tests);
}
