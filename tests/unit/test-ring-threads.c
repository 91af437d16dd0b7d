// SPDX-License-Identifier: GPL-2.0
/*
 * The record ring with real threads and the real clock: many producers, one
 * consumer. Also run under the thread sanitizer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../../drivers/perf/gpu/ring.h"
#include "unit.h"

#define NR_PRODUCERS	4

static struct gpu_ring ring;
static unsigned int records = 100000; /* of each producer */
static unsigned int in_flight; /* at most, of each producer; 0: no limit */

/* what the consumer got of each producer */
static struct {
	u64 nr;
	u64 next;	/* the lowest serial number that can come */
	u64 released;	/* @nr, once the slots are free; read by the producer */
} got[NR_PRODUCERS];

static unsigned int running;

static struct gpu_account *cookie(u64 key)
{
	return (void *)(unsigned long)(key * 2654435761);
}

static void push(unsigned long producer, u64 serial)
{
	u64 key = (u64)producer << 32 | serial;
	struct gpu_record rec = {
		.key = key,
		.owner = cookie(key),
		.engine = producer,
		.nr_scopes = serial % (GPU_RECORD_SCOPES_MAX + 1),
	};

	for (int i = 0; i < rec.nr_scopes; i++)
		rec.scope[i] = cookie(key + i);
	if (serial % 4)
		gpu_ring_push(&ring, &rec);
	else
		gpu_ring_offer(&ring, &rec);
}

/* so many that there could be no slot for another one? */
static bool has_enough_in_flight(unsigned long producer, u64 serial)
{
	u64 gone = __atomic_load_n(&got[producer].released, __ATOMIC_ACQUIRE);

	return in_flight && serial - gone >= in_flight &&
	       /* that has failed, do not wait for ever */
	       !gpu_ring_lost(&ring) && !gpu_ring_left_out(&ring);
}

static void *produce(void *arg)
{
	unsigned long producer = (unsigned long)arg;

	for (u64 serial = 0; serial < records; serial++) {
		while (has_enough_in_flight(producer, serial))
			sched_yield();
		push(producer, serial);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_intact(const struct gpu_record *rec)
{
	bool ok = rec->owner == cookie(rec->key) &&
		  rec->engine == rec->key >> 32 &&
		  rec->nr_scopes == (u32)rec->key % (GPU_RECORD_SCOPES_MAX + 1);

	for (int i = 0; ok && i < rec->nr_scopes; i++)
		ok = rec->scope[i] == cookie(rec->key + i);
	return ok;
}

/*
 * One flush. What it finds was not there at the flush before, so it is not
 * older than the clock that was read then.
 */
static void consume(void)
{
	static u64 clock_before;
	u64 now = unit_monotonic();
	u32 head = gpu_ring_head(&ring), pos;

	for (pos = ring.tail; pos != head; pos++) {
		const struct gpu_record *rec = gpu_ring_peek(&ring, pos);
		unsigned int producer = rec->key >> 32;

		if (!is_intact(rec)) {
			CHECK(!"a record is torn");
			continue;
		}
		if (rec->time < clock_before)
			CHECK_EQ(rec->time, clock_before);
		if ((u32)rec->key < got[producer].next)
			CHECK_EQ((u32)rec->key, got[producer].next);
		got[producer].next = (u32)rec->key + 1;
		got[producer].nr++;
	}
	gpu_ring_release(&ring, head);
	for (int i = 0; i < NR_PRODUCERS; i++)
		__atomic_store_n(&got[i].released, got[i].nr, __ATOMIC_RELEASE);
	clock_before = now;
}

/* returns how many records arrived */
static u64 run(unsigned int slots)
{
	pthread_t thread[NR_PRODUCERS];
	u64 sum = 0;

	unit_ktime = unit_monotonic;
	unit_race = unit_dawdle;
	unit_threads = true;
	gpu_ring_init(&ring, calloc(slots, sizeof(struct gpu_record)), slots);
	running = NR_PRODUCERS;
	for (unsigned long i = 0; i < NR_PRODUCERS; i++) {
		got[i].nr = 0;
		got[i].next = 0;
		got[i].released = 0;
		pthread_create(&thread[i], NULL, produce, (void *)i);
	}
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		consume();
	for (int i = 0; i < NR_PRODUCERS; i++)
		pthread_join(thread[i], NULL);
	consume();

	for (int i = 0; i < NR_PRODUCERS; i++)
		sum += got[i].nr;
	free(ring.slots);
	return sum;
}

/* a ring that overflows all the time: each record arrived, or was counted */
static void arrives_or_is_counted_as_lost(void)
{
	u64 arrived;

	in_flight = 0;
	arrived = run(16);
	CHECK_EQ(arrived + gpu_ring_lost(&ring) + gpu_ring_left_out(&ring),
		 (u64)NR_PRODUCERS * records);
	CHECK(arrived > 0);
}

/* never more records than half of the slots: none is lost, none left out */
static void nothing_lost_while_there_is_room(void)
{
	in_flight = 16;
	CHECK_EQ(run(NR_PRODUCERS * 16 * 2), (u64)NR_PRODUCERS * records);
	CHECK_EQ(gpu_ring_lost(&ring), 0);
	CHECK_EQ(gpu_ring_left_out(&ring), 0);
}

static const struct unit_test tests[] = {
	TEST(arrives_or_is_counted_as_lost),
	TEST(nothing_lost_while_there_is_room),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		records = strtoul(argv[1], NULL, 0);
	return unit_main(tests, ARRAY_SIZE(tests));
}
