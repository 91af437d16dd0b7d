// SPDX-License-Identifier: GPL-2.0
/*
 * The flush while others push: real threads and the real clock. Also run under
 * the thread sanitizer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <linux/gpu_pmu.h>

#include "../../drivers/perf/gpu/account.h"
#include "unit.h"

#define NR_PRODUCERS	3
#define NR_SLOTS	64
#define NR_JOBS		64
#define IN_FLIGHT	8	/* jobs of each producer: there is room for all */

static unsigned int rounds = 30000; /* jobs of each producer */

static struct gpu_account *device, *ctx[NR_PRODUCERS];
static struct gpu_ring ring;
static struct gpu_ledger ledger;
static u64 flushed[NR_PRODUCERS]; /* jobs that are done; the producer reads it */
static unsigned int running;

static struct gpu_account *account_new(struct gpu_account *up)
{
	struct gpu_account *account;

	account = malloc(sizeof(*account) + gpu_account_bytes(1, GPU_NR_COUNTERS));
	gpu_account_init(account, up, 1, GPU_NR_COUNTERS);
	return account;
}

static void push(enum gpu_record_type type, unsigned long producer, u64 serial)
{
	struct gpu_record rec = {
		.type = type,
		.owner = ctx[producer],
		.key = (u64)producer << 32 | serial,
		.flags = GPU_PMU_WORK_JOB,
	};

	gpu_ring_push(&ring, &rec);
}

static void *produce(void *arg)
{
	unsigned long producer = (unsigned long)arg;

	for (u64 serial = 0; serial < rounds; serial++) {
		while (serial - __atomic_load_n(&flushed[producer],
						__ATOMIC_ACQUIRE) >= IN_FLIGHT &&
		       !gpu_ring_lost(&ring))
			sched_yield();
		push(GPU_RECORD_QUEUE, producer, serial);
		push(GPU_RECORD_DONE, producer, serial);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static u64 count(struct gpu_account *account, enum gpu_counter counter)
{
	return gpu_account_slot(account, 0)[counter];
}

static u64 sum(enum gpu_counter counter)
{
	u64 sum = 0;

	for (int i = 0; i < NR_PRODUCERS; i++)
		sum += count(ctx[i], counter);
	return sum;
}

static void flush(u64 since)
{
	gpu_ledger_flush(&ledger, &ring, unit_monotonic());
	for (int i = 0; i < NR_PRODUCERS; i++)
		__atomic_store_n(&flushed[i], count(ctx[i], GPU_COUNTER_DONE),
				 __ATOMIC_RELEASE);
	CHECK_EQ(sum(GPU_COUNTER_BUSY), count(device, GPU_COUNTER_BUSY));
	CHECK(count(device, GPU_COUNTER_BUSY) <= unit_monotonic() - since);
}

static void flush_while_others_push(void)
{
	struct gpu_record *slots = calloc(NR_SLOTS, sizeof(*slots));
	struct gpu_job *jobs = calloc(NR_JOBS, sizeof(*jobs));
	pthread_t thread[NR_PRODUCERS];
	struct gpu_engine engine;
	u64 all, lost, start;

	device = account_new(NULL);
	for (int i = 0; i < NR_PRODUCERS; i++)
		ctx[i] = account_new(device);
	gpu_ring_init(&ring, slots, NR_SLOTS);
	gpu_ledger_init(&ledger, device, &engine, 1, jobs, NR_JOBS, NULL, 0);
	unit_ktime = unit_monotonic;
	unit_race = unit_dawdle;
	unit_threads = true;
	start = unit_monotonic();

	running = NR_PRODUCERS;
	for (unsigned long i = 0; i < NR_PRODUCERS; i++)
		pthread_create(&thread[i], NULL, produce, (void *)i);
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		flush(start);
	for (int i = 0; i < NR_PRODUCERS; i++)
		pthread_join(thread[i], NULL);
	flush(start);

	all = (u64)NR_PRODUCERS * rounds;
	lost = count(device, GPU_COUNTER_LOST);
	CHECK(count(device, GPU_COUNTER_JOBS) + lost >= all);
	CHECK(count(device, GPU_COUNTER_DONE) + lost >= all);
	CHECK(count(device, GPU_COUNTER_JOBS) <= all);
	CHECK(count(device, GPU_COUNTER_DONE) <= all);
	CHECK(count(device, GPU_COUNTER_BUSY) > 0);
	CHECK_EQ(ledger.outstanding, 0);

	for (int i = 0; i < NR_PRODUCERS; i++) {
		CHECK_EQ(ctx[i]->jobs, 0);
		free(ctx[i]);
	}
	free(device);
	free(jobs);
	free(slots);
}

static const struct unit_test tests[] = {
	TEST(flush_while_others_push),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 0);
	return unit_main(tests, ARRAY_SIZE(tests));
}
