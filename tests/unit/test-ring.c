// SPDX-License-Identifier: GPL-2.0
/*
 * The record ring, one step at a time: "another CPU" is the hook that the
 * shim's atomics call. Real threads are in test-ring-threads.c.
 */
#include <limits.h>
#include <string.h>

#include "../../drivers/perf/gpu/ring.h"
#include "unit.h"

#define NR	8

static struct gpu_record slots[NR];
static struct gpu_ring ring;

/* what was consumed, by key */
static u64 seen[4 * NR];
static unsigned int nr_seen;

/* an empty ring whose next position is @pos */
static void ring_at(u32 pos)
{
	memset(slots, 0, sizeof(slots));
	gpu_ring_init(&ring, slots, NR);
	atomic_set(&ring.head, (int)pos);
	ring.tail = pos;
	/* as the lap before has left them: ticket 0 is a valid one after 2^32 */
	for (u32 i = 0; i < NR; i++)
		slots[(pos + i) & (NR - 1)].ticket = pos + i + 1 - NR;
	nr_seen = 0;
}

static void push(u64 key)
{
	struct gpu_record rec = { .key = key };

	gpu_ring_push(&ring, &rec);
}

static void offer(u64 key)
{
	struct gpu_record rec = { .key = key };

	gpu_ring_offer(&ring, &rec);
}

/* returns how many there were */
static unsigned int drain(void)
{
	u32 head = gpu_ring_head(&ring), pos;
	unsigned int nr = head - ring.tail;

	for (pos = ring.tail; pos != head; pos++)
		seen[nr_seen++ % ARRAY_SIZE(seen)] = gpu_ring_peek(&ring, pos)->key;
	gpu_ring_release(&ring, head);
	return nr;
}

/* ---- alone ---- */

static void starts_empty(void)
{
	gpu_ring_init(&ring, slots, NR);
	CHECK_EQ(gpu_ring_head(&ring), 0);
	CHECK_EQ(ring.tail, 0);
	CHECK_EQ(gpu_ring_lost(&ring), 0);
	CHECK_EQ(drain(), 0);
}

/* also when the first place of the batch was taken by what says nothing */
static void tells_each_batch_once(void)
{
	struct gpu_record rec = { .key = 1 };
	u32 pos, from = -2U * GPU_RING_BATCH;
	unsigned int told = 0;

	ring_at(from);
	gpu_ring_push(&ring, &rec);
	drain();
	for (pos = from + 1; pos != GPU_RING_BATCH - 1; pos++) {
		if (!(pos & (GPU_RING_BATCH - 1)) && pos) {
			CHECK(gpu_ring_try(&ring, &rec));
		} else if (gpu_ring_push(&ring, &rec)) {
			CHECK_EQ(pos, pos < GPU_RING_BATCH ? 0 : -GPU_RING_BATCH + 1U);
			told++;
		}
		drain();
	}
	CHECK_EQ(told, 2);
}

static void keeps_what_was_pushed(void)
{
	struct gpu_account *a = (void *)0x10, *b = (void *)0x20;
	const struct gpu_record *got;
	struct gpu_record rec = {
		.key = 0x123456789abcdef0, .owner = a,
		.scope = { b, a }, .ticket = 77, .type = GPU_RECORD_DONE,
		.engine = 63, .flags = 5, .nr_scopes = 2,
	};

	ring_at(0);
	unit_clock = 42;
	gpu_ring_push(&ring, &rec);
	CHECK_EQ(gpu_ring_head(&ring), 1);
	got = gpu_ring_peek(&ring, 0);
	CHECK_EQ(got->time, 42);
	CHECK_EQ(got->key, rec.key);
	CHECK(got->owner == a);
	CHECK_EQ(got->type, GPU_RECORD_DONE);
	CHECK_EQ(got->engine, 63);
	CHECK_EQ(got->flags, 5);
	CHECK_EQ(got->nr_scopes, 2);
	CHECK(got->scope[0] == b && got->scope[1] == a);
}

/* a source with a clock of its own says when it was */
static void keeps_the_time_it_was_given(void)
{
	struct gpu_record rec = { .time = 17 };

	ring_at(0);
	unit_clock = 42;
	gpu_ring_push(&ring, &rec);
	gpu_ring_offer(&ring, &rec);
	CHECK_EQ(gpu_ring_peek(&ring, 0)->time, 17);
	CHECK_EQ(gpu_ring_peek(&ring, 1)->time, 17);
}

/* it has no scopes, and its numbers are where they would be */
static void keeps_a_fence(void)
{
	struct gpu_record rec = {
		.key = 0x123456789abcdef0, .type = GPU_RECORD_FENCE, .engine = 3,
		.fence_context = 0xabcdef0123456789, .fence_seqno = 0xfedcba9876543210,
	};
	const struct gpu_record *got;

	ring_at(0);
	gpu_ring_push(&ring, &rec);
	gpu_ring_offer(&ring, &rec);
	for (int i = 0; i < 2; i++) {
		got = gpu_ring_peek(&ring, i);
		CHECK_EQ(got->type, GPU_RECORD_FENCE);
		CHECK_EQ(got->key, rec.key);
		CHECK_EQ(got->engine, 3);
		CHECK_EQ(got->nr_scopes, 0);
		CHECK_EQ(got->fence_context, rec.fence_context);
		CHECK_EQ(got->fence_seqno, rec.fence_seqno);
	}
}

static void keeps_all_scopes(void)
{
	struct gpu_record rec = { .nr_scopes = GPU_RECORD_SCOPES_MAX };
	const struct gpu_record *got;

	for (unsigned int i = 0; i < GPU_RECORD_SCOPES_MAX; i++)
		rec.scope[i] = (void *)(0x10UL + i);
	ring_at(0);
	gpu_ring_push(&ring, &rec);
	got = gpu_ring_peek(&ring, 0);
	CHECK_EQ(got->nr_scopes, GPU_RECORD_SCOPES_MAX);
	CHECK(!memcmp(got->scope, rec.scope, sizeof(rec.scope)));
}

static void keeps_order(void)
{
	ring_at(0);
	for (unsigned int key = 0; key < 3 * NR; key++) {
		push(key);
		if (key % 3 == 2)
			CHECK_EQ(drain(), 3);
	}
	CHECK_EQ(nr_seen, 3 * NR);
	for (unsigned int i = 0; i < 3 * NR; i++)
		CHECK_EQ(seen[i], i);
	CHECK_EQ(gpu_ring_lost(&ring), 0);
}

/* what may be left out finds no room where half of it is taken, and loses nothing */
static void offers_leave_half_of_it(void)
{
	ring_at(UINT_MAX - 1);
	for (unsigned int key = 0; key < NR; key++)
		offer(key);
	CHECK_EQ(gpu_ring_left_out(&ring), NR / 2);
	for (unsigned int key = 0; key < NR / 2; key++)
		push(100 + key);
	CHECK_EQ(gpu_ring_lost(&ring), 0);
	CHECK_EQ(drain(), NR);
	CHECK_EQ(seen[NR / 2 - 1], NR / 2 - 1);
	CHECK_EQ(seen[NR - 1], 100 + NR / 2 - 1);
}

static void holds_all_its_slots(void)
{
	ring_at(0);
	for (unsigned int key = 0; key < NR; key++)
		push(key);
	CHECK_EQ(gpu_ring_lost(&ring), 0);
	CHECK_EQ(drain(), NR);
}

static void full_ring_keeps_the_oldest(void)
{
	ring_at(0);
	for (unsigned int key = 0; key < NR + 5; key++)
		push(key);
	CHECK_EQ(gpu_ring_lost(&ring), 5);
	CHECK_EQ(drain(), NR);
	for (unsigned int i = 0; i < NR; i++)
		CHECK_EQ(seen[i], i);

	push(100);
	CHECK_EQ(gpu_ring_lost(&ring), 5);
	CHECK_EQ(drain(), 1);
	CHECK_EQ(seen[NR], 100);
}

/* a slot that is read but not given back is not written to */
static void unreleased_slots_are_taken(void)
{
	const struct gpu_record *got;

	ring_at(0);
	for (unsigned int key = 0; key < NR; key++)
		push(key);
	got = gpu_ring_peek(&ring, 0);
	push(100);
	CHECK_EQ(got->key, 0);
	CHECK_EQ(gpu_ring_lost(&ring), 1);

	gpu_ring_release(&ring, 1);
	push(101);
	push(102);
	CHECK_EQ(gpu_ring_lost(&ring), 2);
	CHECK_EQ(gpu_ring_peek(&ring, NR)->key, 101);
}

/* each start, so that 2^32 and 2^31 are crossed at each place of a lap */
static void position_wraps_at(u32 wrap)
{
	for (u32 before = 0; before <= 2 * NR; before++) {
		ring_at(wrap - before);
		for (unsigned int key = 0; key < 3 * NR; key += NR / 2) {
			for (unsigned int i = 0; i < NR / 2; i++)
				push(key + i);
			CHECK_EQ(drain(), NR / 2);
		}
		for (unsigned int i = 0; i < 3 * NR; i++)
			CHECK_EQ(seen[i], i);
		CHECK_EQ(gpu_ring_lost(&ring), 0);
	}
}

static void position_wraps(void)
{
	position_wraps_at(0);
	position_wraps_at((u32)INT_MAX + 1);
}

static void full_ring_across_the_wrap(void)
{
	for (u32 before = 0; before <= NR; before++) {
		ring_at(UINT_MAX - before);
		for (unsigned int key = 0; key < NR + 3; key++)
			push(key);
		CHECK_EQ(gpu_ring_lost(&ring), 3);
		CHECK_EQ(drain(), NR);
		for (unsigned int i = 0; i < NR; i++)
			CHECK_EQ(seen[i], i);
	}
}

/* ---- with another CPU ---- */

static unsigned int race_at, race_step;
static void (*race_with)(void);

/* once, at the race_at'th atomic access */
static void race_once(void)
{
	if (race_step++ != race_at)
		return;
	unit_race = NULL;
	race_with();
}

/* returns whether the push had as many steps */
static bool raced(void (*what)(u64 key), u64 key, unsigned int step,
		  void (*with)(void))
{
	race_at = step;
	race_step = 0;
	race_with = with;
	unit_race = race_once;
	what(key);
	unit_race = NULL;
	return race_step > race_at;
}

static bool push_raced(u64 key, unsigned int step, void (*with)(void))
{
	return raced(push, key, step, with);
}

static void push_other(void)
{
	push(200);
}

/* wherever another producer gets in: both are there, once */
static void producers_do_not_collide(void)
{
	unsigned int step;

	for (step = 0; ; step++) {
		ring_at(UINT_MAX - 1);
		if (!push_raced(100, step, push_other))
			break;
		CHECK_EQ(drain(), 2);
		CHECK_EQ(seen[0] + seen[1], 300);
		CHECK_EQ(gpu_ring_lost(&ring), 0);
	}
	CHECK(step >= 4);
}

static void push_and_drain_others(void)
{
	for (unsigned int i = 0; i < NR; i++)
		push(200 + i);
	CHECK_EQ(drain(), NR);
}

/*
 * A lap of records, and the flush of them, get in before the slot is reserved:
 * the head that was read is behind the tail, and the ring is empty, not full.
 */
static void stale_head_is_no_full_ring(void)
{
	for (unsigned int step = 0; step < 3; step++) {
		ring_at(UINT_MAX - 1);
		CHECK(push_raced(100, step, push_and_drain_others));
		CHECK_EQ(gpu_ring_lost(&ring), 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(seen[NR], 100);

		ring_at(UINT_MAX - 1);
		CHECK(raced(offer, 100, step, push_and_drain_others));
		CHECK_EQ(gpu_ring_left_out(&ring), 0);
		CHECK_EQ(drain(), 1);
		CHECK_EQ(seen[NR], 100);
	}
}

/* one free slot, two producers: one of them is lost */
static void producers_share_the_last_slot(void)
{
	unsigned int step;

	for (step = 0; ; step++) {
		ring_at(0);
		for (unsigned int key = 0; key < NR - 1; key++)
			push(key);
		if (!push_raced(100, step, push_other))
			break;
		CHECK_EQ(gpu_ring_lost(&ring), 1);
		CHECK_EQ(drain(), NR);
		CHECK(seen[NR - 1] == 100 || seen[NR - 1] == 200);
	}
	CHECK(step >= 4);
}

static u64 flush_clock;
static u32 flush_head;

/* what a flush does first; the clock goes on */
static void begin_flush(void)
{
	flush_clock = unit_clock;
	flush_head = gpu_ring_head(&ring);
	unit_clock += 10;
}

/*
 * Wherever the flush begins: a record that it does not see is younger than the
 * clock that it has read.
 */
static void unseen_records_are_younger(void)
{
	unsigned int step;

	for (step = 0; ; step++) {
		ring_at(3);
		if (!push_raced(100, step, begin_flush))
			break;
		unit_clock += 5;
		if (flush_head == 3)
			CHECK(gpu_ring_peek(&ring, 3)->time > flush_clock);
		else
			CHECK_EQ(flush_head, 4);
	}
	CHECK(step >= 4);
}

static u64 clock_and_push(void)
{
	unit_ktime = NULL;
	push(200);
	CHECK_EQ(gpu_ring_head(&ring), 2);
	CHECK_EQ(gpu_ring_peek(&ring, 1)->key, 200);
	/* the slot in front of it is reserved, and not published yet */
	CHECK(slots[0].ticket != 1);
	return 7;
}

/* a record is published by its ticket, not by its position */
static void slots_complete_out_of_order(void)
{
	ring_at(0);
	unit_ktime = clock_and_push;
	push(100);
	CHECK_EQ(drain(), 2);
	CHECK_EQ(seen[0], 100);
	CHECK_EQ(seen[1], 200);
}

static const struct unit_test tests[] = {
	TEST(starts_empty),
	TEST(keeps_what_was_pushed),
	TEST(keeps_the_time_it_was_given),
	TEST(keeps_a_fence),
	TEST(keeps_all_scopes),
	TEST(keeps_order),
	TEST(offers_leave_half_of_it),
	TEST(holds_all_its_slots),
	TEST(full_ring_keeps_the_oldest),
	TEST(unreleased_slots_are_taken),
	TEST(position_wraps),
	TEST(full_ring_across_the_wrap),
	TEST(producers_do_not_collide),
	TEST(producers_share_the_last_slot),
	TEST(stale_head_is_no_full_ring),
	TEST(unseen_records_are_younger),
	TEST(slots_complete_out_of_order),
	TEST(tells_each_batch_once),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
