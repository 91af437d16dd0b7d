// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting, on cases whose result was computed by hand. A case is a short
 * story of one device, told by the helpers of story.h; the comments in it draw
 * the engine's time. Sources that tell what runs are for test-run.c.
 */
#include <stdlib.h>
#include <string.h>

#include "story.h"

/* ---- accounts ---- */

/* an account that is a device's own counters wider: each is at its place */
static void counters_of_the_devices_own(void)
{
	enum { NR = GPU_NR_COUNTERS + 3, ENGINES = 2 };
	size_t size = sizeof(struct gpu_account) + gpu_account_bytes(ENGINES, NR);
	struct gpu_account *wide = malloc(size);

	CHECK_EQ(gpu_account_bytes(ENGINES, NR), 3 * 11 * 8);
	setup(NR_JOBS);
	memset(wide, 0xa5, size);
	gpu_account_init(wide, NULL, ENGINES, NR);
	CHECK_EQ(wide->nr_counters, NR);
	for (unsigned int i = 0; i < (ENGINES + 1) * NR; i++)
		CHECK_EQ(wide->count[i], 0);
	for (unsigned int c = 0; c < NR; c++) {
		gpu_account_add(wide, 0, c, 10 + c);
		gpu_account_add(wide, 1, c, 30 + c);
		gpu_account_add(wide, ENGINES, c, 100);
	}
	for (unsigned int c = 0; c < NR; c++) {
		CHECK_EQ(wide->count[c], 140 + 2 * c);
		CHECK_EQ(wide->count[NR + c], 10 + c);
		CHECK_EQ(wide->count[2 * NR + c], 30 + c);
		CHECK(gpu_account_slot(wide, 2) + c == &wide->count[2 * NR + c]);
	}

	/* its narrower ones have as many, its wider one may have more */
	gpu_account_init(wide, device, 0, GPU_NR_COUNTERS);
	gpu_account_add(wide, 1, GPU_COUNTER_DONE, 5);
	CHECK_EQ(completed(wide), 5);
	CHECK_EQ(gpu_account_slot(device, 2)[GPU_COUNTER_DONE], 5);
	CHECK_EQ(gpu_account_slot(all, 2)[GPU_COUNTER_DONE], 5);
	free(wide);
	teardown(NR_JOBS);
}

static void a_loss_is_the_devices(void)
{
	setup(NR_JOBS);
	gpu_account_lose(device, 3);
	gpu_account_lose(device, 1ULL << 40);
	CHECK_EQ(lost(device), (1ULL << 40) + 3);
	CHECK_EQ(lost(all), (1ULL << 40) + 3);
	for (unsigned int i = 1; i <= NR_ENGINES; i++)
		CHECK_EQ(gpu_account_slot(device, i)[GPU_COUNTER_LOST], 0);
	CHECK_EQ(busy(device) + waited(device) + submitted(device) + completed(device), 0);
	teardown(NR_JOBS);
}

static void counts_in_all_wider_scopes(void)
{
	setup(NR_JOBS);
	gpu_account_add(ctx[1], 1, GPU_COUNTER_BUSY, 5);
	gpu_account_add(client[0], 1, GPU_COUNTER_BUSY, 7);
	CHECK_EQ(busy_on(ctx[1], 1), 5);
	CHECK_EQ(busy_on(client[0], 1), 12);
	CHECK_EQ(busy_on(device, 1), 12);
	CHECK_EQ(busy_on(all, 1), 12);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(busy(all), 12);
	CHECK_EQ(busy(ctx[0]) + busy(client[1]) + busy(kernel), 0);
	CHECK_EQ(busy_on(device, 0) + busy_on(device, 2), 0);
	CHECK_EQ(waited(device) + lost(device), 0);
	teardown(NR_JOBS);
}

static void counts_unknown_engines_in_the_sum(void)
{
	setup(NR_JOBS);
	gpu_account_add(ctx[0], NR_ENGINES - 1, GPU_COUNTER_DONE, 3);
	gpu_account_add(ctx[0], GPU_NO_ENGINE, GPU_COUNTER_DONE, 4);
	CHECK_EQ(completed(ctx[0]), 7);
	CHECK_EQ(gpu_account_slot(ctx[0], NR_ENGINES)[GPU_COUNTER_DONE], 3);
	CHECK_EQ(completed(all), 7); /* which has no such engine */
	CHECK_EQ(gpu_account_slot(all, 1)[GPU_COUNTER_DONE], 0);
	CHECK_EQ(gpu_account_slot(all, 2)[GPU_COUNTER_DONE], 0);
	teardown(NR_JOBS);
}

/* ---- the head-of-line rule ---- */

static void one_job(void)
{
	setup(NR_JOBS);
	queue(100, ctx[0], 1);
	done(130, 1);
	flush(200);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(waited(ctx[0]), 0);
	CHECK_EQ(submitted(ctx[0]), 1);
	CHECK_EQ(completed(ctx[0]), 1);
	CHECK_EQ(busy(device), 30);
	CHECK_EQ(busy(all), 30);
	CHECK_EQ(lost(device), 0);
	teardown(NR_JOBS);
}

/* ctx 0: 0 to 100; ctx 1: 100 to 150 */
static void in_order(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(10, ctx[1], 2);
	done(100, 1);
	done(150, 2);
	flush(500);
	CHECK_EQ(busy(ctx[0]), 100);
	CHECK_EQ(busy(ctx[1]), 50);
	CHECK_EQ(waited(ctx[0]), 0);
	CHECK_EQ(waited(ctx[1]), 90);
	CHECK_EQ(busy(client[0]), 150);
	CHECK_EQ(busy(device), 150);
	teardown(NR_JOBS);
}

/* ctx 2 completes while ctx 0 holds the engine up: 0 to 100 is ctx 0's */
static void overtaking(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(10, ctx[2], 2);
	done(40, 2);
	done(100, 1);
	flush(100);
	CHECK_EQ(busy(ctx[0]), 100);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(waited(ctx[2]), 30);
	CHECK_EQ(completed(ctx[2]), 1);
	CHECK_EQ(busy(device), 100);
	teardown(NR_JOBS);
}

/* ctx 0: 0 to 50; then ctx 2, past ctx 1 that is done already: 50 to 60 */
static void overtaken_head_is_followed_by_the_next_outstanding(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(10, ctx[1], 2);
	queue(20, ctx[2], 3);
	done(30, 2);
	done(50, 1);
	done(60, 3);
	flush(60);
	CHECK_EQ(busy(ctx[0]), 50);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(waited(ctx[1]), 20);
	CHECK_EQ(waited(ctx[2]), 30);
	teardown(NR_JOBS);
}

/* all behind the head complete, last one first */
static void reverse_order(void)
{
	setup(NR_JOBS);
	for (u64 key = 1; key <= 5; key++)
		queue(key, ctx[key % 3], key);
	for (u64 key = 5; key >= 1; key--)
		done(100 - key, key);
	flush(200);
	CHECK_EQ(busy(ctx[1]), 98); /* job 1: 1 to 99 */
	CHECK_EQ(busy(device), 98);
	CHECK_EQ(completed(device), 5);
	CHECK_EQ(waited(device), 98 - 2 + 97 - 3 + 96 - 4 + 95 - 5);
	teardown(NR_JOBS);
}

static void idle_gaps_are_nobodys(void)
{
	setup(NR_JOBS);
	queue(10, ctx[0], 1);
	done(20, 1);
	flush(30);
	flush(40);
	queue(50, ctx[0], 2);
	done(65, 2);
	queue(70, ctx[1], 3);
	flush(75);
	done(80, 3);
	flush(1000);
	CHECK_EQ(busy(ctx[0]), 10 + 15);
	CHECK_EQ(busy(ctx[1]), 10);
	CHECK_EQ(busy(device), 35);
	CHECK_EQ(waited(device), 0);
	teardown(NR_JOBS);
}

static void advances_at_each_flush(void)
{
	setup(NR_JOBS);
	queue(5, ctx[0], 1);
	flush(10);
	CHECK_EQ(busy(ctx[0]), 5);
	flush(10);
	CHECK_EQ(busy(ctx[0]), 5);
	flush(30);
	CHECK_EQ(busy(ctx[0]), 25);
	queue(31, ctx[1], 2);
	flush(40);
	CHECK_EQ(busy(ctx[0]), 35);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(waited(ctx[1]), 0);
	done(45, 1);
	flush(50);
	CHECK_EQ(busy(ctx[0]), 40);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(waited(ctx[1]), 14);
	done(50, 2);
	flush(60);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(busy(device), 45);
	teardown(NR_JOBS);
}

static void no_time_at_all(void)
{
	setup(NR_JOBS);
	queue(10, ctx[0], 1);
	queue(10, ctx[1], 2);
	done(10, 1);
	done(10, 2);
	flush(10);
	CHECK_EQ(busy(device) + waited(device), 0);
	CHECK_EQ(completed(device), 2);
	teardown(NR_JOBS);
}

/* a job that was outstanding for years is not cut to 32 bits */
static void long_times(void)
{
	u64 year = 365ULL * 24 * 3600 * 1000000000;

	setup(NR_JOBS);
	queue(year, ctx[0], 1);
	queue(2 * year, ctx[1], 2);
	done(11 * year, 1);
	flush(21 * year);
	CHECK_EQ(busy(ctx[0]), 10 * year);
	CHECK_EQ(waited(ctx[1]), 9 * year);
	CHECK_EQ(busy(ctx[1]), 10 * year);
	teardown(NR_JOBS);
}

static void unknown_completions_are_ignored(void)
{
	setup(NR_JOBS);
	done(5, 1);
	queue(10, ctx[0], 2);
	done(20, 3);
	done_on(20, 1, 2);
	flush(30);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(completed(device), 0);
	CHECK_EQ(lost(device), 0);
	done(40, 2);
	done(50, 2);
	flush(60);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(lost(device), 0);
	teardown(NR_JOBS);
}

static void client_without_context(void)
{
	setup(NR_JOBS);
	queue(0, client[0], 1);
	queue(0, ctx[0], 2);
	done(10, 1);
	done(30, 2);
	flush(30);
	CHECK_EQ(busy(client[0]), 30);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(busy(device), 30);
	CHECK_EQ(client[0]->jobs, 0);
	teardown(NR_JOBS);
}

/* ---- the kernel's own work ---- */

/* it holds the engine up, but nobody submitted it, and nobody waits for it */
static void work_that_is_no_job(void)
{
	setup(NR_JOBS);
	queue_work(0, kernel, 1);
	queue(5, ctx[0], 2);
	queue_work(8, kernel, 3);
	queue_work(9, kernel, 4);
	done(10, 4);
	done(20, 1);
	done(30, 2);
	done(45, 3);
	flush(100);
	CHECK_EQ(busy(kernel), 20 + 15);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(waited(ctx[0]), 15);
	CHECK_EQ(waited(kernel), 0);
	CHECK_EQ(submitted(kernel) + completed(kernel), 0);
	CHECK_EQ(submitted(device), 1);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(busy(device), 45);
	teardown(NR_JOBS);
}

/* ---- engines ---- */

/* the same key on each of them: three pieces of work, side by side */
static void engines_are_apart(void)
{
	setup(NR_JOBS);
	queue_on(0, 0, ctx[0], 1);
	queue_on(10, 1, ctx[1], 1);
	queue_on(20, 2, ctx[0], 1);
	flush(30);
	done_on(40, 1, 1);
	done_on(50, 0, 1);
	done_on(60, 2, 1);
	flush(60);
	CHECK_EQ(busy_on(device, 0), 50);
	CHECK_EQ(busy_on(device, 1), 30);
	CHECK_EQ(busy_on(device, 2), 40);
	CHECK_EQ(busy(device), 120);
	CHECK_EQ(busy_on(ctx[0], 0), 50);
	CHECK_EQ(busy_on(ctx[0], 1), 0);
	CHECK_EQ(busy_on(ctx[0], 2), 40);
	CHECK_EQ(busy(ctx[0]), 90);
	CHECK_EQ(waited(device), 0);
	CHECK_EQ(gpu_account_slot(device, 1 + 1)[GPU_COUNTER_JOBS], 1);
	CHECK_EQ(gpu_account_slot(device, 1 + 2)[GPU_COUNTER_DONE], 1);
	CHECK_EQ(submitted(device), 3);
	teardown(NR_JOBS);
}

/* ---- records of several CPUs ---- */

/* a record is in the ring that is younger than the flush's clock */
static void record_younger_than_the_flush(void)
{
	setup(NR_JOBS);
	queue(50, ctx[0], 1);
	gpu_ledger_flush(&ledger, &ring, 40);
	CHECK_EQ(busy(ctx[0]), 0);
	CHECK_EQ(submitted(ctx[0]), 1);
	done(70, 1);
	queue(72, ctx[1], 2);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(busy(ctx[1]), 0);
	flush(80);
	CHECK_EQ(busy(ctx[1]), 8);
	CHECK_EQ(busy(device), 28);
	teardown(NR_JOBS);
}

/* neighbours in the ring whose clocks were read in the other order */
static void records_out_of_time_order(void)
{
	setup(NR_JOBS);
	queue(20, ctx[0], 1);
	queue(15, ctx[1], 2);
	queue(30, ctx[2], 3);
	done(18, 1);	/* before it was queued: it ran for no time */
	done(29, 3);
	done(40, 2);	/* from 20, when the engine got free, to 40 */
	flush(50);
	CHECK_EQ(busy(ctx[0]), 0);
	CHECK_EQ(busy(ctx[1]), 20);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(waited(ctx[0]), 0);
	CHECK_EQ(waited(ctx[1]), 5);
	CHECK_EQ(waited(ctx[2]), 0);
	CHECK_EQ(completed(device), 3);
	teardown(NR_JOBS);
}

/* the engine's clock never runs back, so nothing is credited twice */
static void clock_never_runs_back(void)
{
	setup(NR_JOBS);
	queue(10, ctx[0], 1);
	queue(11, ctx[1], 2);
	done(50, 1);
	done(45, 2);
	queue(30, ctx[2], 3);
	done(55, 3);
	gpu_ledger_flush(&ledger, &ring, 20);
	CHECK_EQ(busy(ctx[0]), 40);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(busy(ctx[2]), 5);
	CHECK_EQ(busy(device), 45);
	teardown(NR_JOBS);
}

/* ---- in portions ---- */

static void portions_add_up(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	done(10, 1);
	queue(10, ctx[1], 2);
	done(30, 2);
	queue(30, ctx[0], 3);
	CHECK(gpu_ledger_drain(&ledger, &ring, 2, 1));
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(submitted(device), 1);
	/* a completion may be more than is left of a portion, and costs all of it */
	CHECK(gpu_ledger_drain(&ledger, &ring, 2, 5));
	CHECK_EQ(busy(ctx[1]), 20);
	CHECK_EQ(completed(device), 2);
	/* nothing is given back before the end, nor credited beyond the last record */
	CHECK_EQ(ring.tail, 0);
	CHECK(!gpu_ledger_drain(&ledger, &ring, 1, 1));
	CHECK_EQ(submitted(device), 3);
	CHECK_EQ(busy(device), 30);
	flush(50);
	CHECK_EQ(ring.tail, 5);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(busy(device), 50);
	/* and the next round begins behind them */
	done(60, 3);
	CHECK(!gpu_ledger_drain(&ledger, &ring, 10, 1));
	CHECK_EQ(completed(device), 3);
	flush(70);
	CHECK_EQ(busy(device), 60);
	teardown(NR_JOBS);
}

/* what is lost between two portions was lost after all that is in the ring */
static void lost_between_portions(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	done(10, 1);
	queue(10, ctx[1], 2);
	CHECK(gpu_ledger_drain(&ledger, &ring, 1, 1));
	overflow(2);
	CHECK(gpu_ledger_drain(&ledger, &ring, 1, 1));
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(busy(ctx[0]), 10);
	flush(40);
	CHECK_EQ(lost(device), 2 + 1);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(submitted(device), 2);
	teardown(NR_JOBS);
}

/* ---- task events ---- */

static void scopes_get_what_the_owner_gets(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue_scoped(10, ctx[1], 2, 0, 2);
	queue_scoped(20, ctx[0], 3, 1, 1);
	done(30, 1);
	flush(35);
	CHECK_EQ(busy(scope[0]), 5);
	done(50, 2);
	done(60, 3);
	flush(60);
	CHECK_EQ(busy(scope[0]), 20);
	CHECK_EQ(waited(scope[0]), 20);
	CHECK_EQ(submitted(scope[0]), 1);
	CHECK_EQ(completed(scope[0]), 1);
	CHECK_EQ(busy(scope[1]), 20 + 10);
	CHECK_EQ(waited(scope[1]), 20 + 30);
	CHECK_EQ(submitted(scope[1]), 2);
	CHECK_EQ(completed(scope[1]), 2);
	CHECK_EQ(busy(scope[2]), 0);
	CHECK_EQ(busy(device), 60); /* scopes are not a part of it */
	teardown(NR_JOBS);
}

static void scopes_of_overtaking_work(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue_scoped(10, ctx[1], 2, 0, 1);
	done(25, 2);
	flush(30);
	CHECK_EQ(busy(scope[0]), 0);
	CHECK_EQ(waited(scope[0]), 15);
	CHECK_EQ(completed(scope[0]), 1);
	CHECK_EQ(scope[0]->jobs, 0);
	teardown(NR_JOBS);
}

/* eleven task events: two records with four each ahead of the one with three */
static void more_scopes_than_a_record_holds(void)
{
	setup(NR_JOBS);
	announce_scopes(9, 0, 2, 0, 4);
	flush(9);	/* the rest comes after it */
	announce_scopes(10, 0, 2, 4, 4);
	queue_scoped(10, ctx[0], 2, 8, 3);
	flush(14);
	for (int i = 0; i < NR_SCOPES; i++) {
		CHECK_EQ(submitted(scope[i]), 1);
		CHECK_EQ(busy(scope[i]), 4);
		CHECK_EQ(scope[i]->jobs, 1);
	}
	CHECK_EQ(list_length(&ledger.free), NR_JOBS - 1);
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS - 2);
	CHECK_EQ(ledger.outstanding, 1);
	done(20, 2);
	flush(30);
	for (int i = 0; i < NR_SCOPES; i++) {
		CHECK_EQ(busy(scope[i]), 10);
		CHECK_EQ(completed(scope[i]), 1);
		CHECK_EQ(scope[i]->jobs, 0);
	}
	CHECK_EQ(busy(device), 10);
	CHECK_EQ(list_length(&ledger.free), NR_JOBS);
	teardown(NR_JOBS);
}

/* what is staged waits for its own work: the same engine and the same key */
static void staged_scopes_are_not_mixed_up(void)
{
	setup(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 4);
	announce_scopes(0, 1, 1, 4, 4);
	queue_on(1, 1, ctx[1], 2);	/* that engine, another key */
	queue_scoped(2, ctx[0], 1, 8, 1);
	flush(4);
	CHECK_EQ(submitted(scope[0]), 1);
	CHECK_EQ(submitted(scope[8]), 1);
	CHECK_EQ(submitted(scope[4]), 0);
	CHECK_EQ(list_length(&ledger.staged), 1);
	queue_on(5, 1, ctx[1], 1);
	done_on(6, 1, 2);
	flush(10);
	CHECK_EQ(submitted(scope[4]), 1);
	CHECK_EQ(busy(scope[4]), 4);
	CHECK_EQ(busy(scope[0]), 8);
	CHECK_EQ(list_length(&ledger.staged), 0);
	teardown(NR_JOBS);
}

/* a job that was used with more scopes is used again without */
static void room_is_clean_when_used_again(void)
{
	setup(2);
	announce_scopes(0, 0, 1, 0, 4);
	queue_scoped(0, ctx[0], 1, 4, 4);
	done(10, 1);
	queue(20, ctx[0], 2);
	queue(20, ctx[0], 3);
	done(30, 2);
	done(40, 3);
	flush(40);
	for (int i = 0; i < NR_SCOPES; i++)
		CHECK_EQ(busy(scope[i]), i < 8 ? 10 : 0);
	teardown(2);
}

/* the same for scopes that never get to their work */
static void room_is_clean_when_dropped(void)
{
	setup(2);
	announce_scopes(0, 0, 1, 0, 4);
	announce_scopes(0, 0, 1, 4, 4);
	queue_scoped(0, ctx[0], 1, 8, 3);
	done(10, 1);
	announce_scopes(20, 0, 2, 0, 4);
	announce_scopes(20, 0, 3, 4, 4);
	overflow(1);
	flush(30);
	CHECK_EQ(list_length(&ledger.free), 2);
	CHECK_EQ(lost(device), 1);
	for (int i = 0; i < NR_SCOPES; i++)
		CHECK_EQ(scope[i]->jobs, 0);
	teardown(2);
}

/* ---- no room ---- */

/*
 * Work that cannot be followed is as a record that was lost: nobody knows what
 * runs when, and all that is outstanding is forgotten.
 */
static void work_beyond_the_pool_is_counted_as_lost(void)
{
	setup(2);
	queue(0, ctx[0], 1);
	queue(1, ctx[0], 2);
	flush(2);
	queue_scoped(3, ctx[1], 3, 0, 1);
	queue_work(4, kernel, 4);
	flush(5);
	CHECK_EQ(lost(device), 3);
	CHECK_EQ(lost(all), 3);
	CHECK_EQ(submitted(ctx[1]), 1); /* that is certain */
	CHECK_EQ(submitted(kernel), 0);
	CHECK_EQ(submitted(device), 3);
	CHECK_EQ(scope[0]->jobs, 0);
	CHECK_EQ(ctx[0]->jobs + ctx[1]->jobs, 0);
	CHECK_EQ(ledger.outstanding, 1); /* what came after it */
	CHECK_EQ(busy(ctx[0]), 2);	/* up to the flush before */
	CHECK_EQ(busy(kernel), 1);

	done(10, 3);
	done(20, 1);
	queue(25, ctx[2], 5);
	done(30, 4);
	done(50, 5);
	flush(50);
	CHECK_EQ(busy(ctx[0]), 2);
	CHECK_EQ(busy(kernel), 26);
	CHECK_EQ(busy(ctx[2]), 20);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(lost(device), 3);
	teardown(2);
}

/* its scopes had found room: that is given back */
static void work_beyond_the_pool_leaves_no_scopes(void)
{
	setup(1);
	queue(0, ctx[0], 1);
	announce_scopes(1, 0, 2, 0, 4);
	queue_scoped(1, ctx[1], 2, 4, 1);
	flush(2);
	CHECK_EQ(lost(device), 2);
	CHECK_EQ(list_length(&ledger.free), 1);
	CHECK_EQ(list_length(&ledger.free_nodes), 1);
	CHECK_EQ(scope[0]->jobs + scope[4]->jobs, 0);
	teardown(1);
}

/* scopes that find no room miss the work; the work, and others, miss nothing */
static void scopes_beyond_the_pool_are_counted_as_lost(void)
{
	setup(2);
	queue(0, ctx[0], 1);
	announce_scopes(1, 0, 2, 0, 4);
	announce_scopes(1, 0, 2, 4, 4);
	announce_scopes(1, 0, 2, 4, 4);	/* no room */
	queue_scoped(1, ctx[1], 2, 8, 1);
	flush(2);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(submitted(ctx[1]), 1);
	CHECK_EQ(submitted(scope[0]), 1);
	CHECK_EQ(submitted(scope[4]), 1);
	CHECK_EQ(submitted(scope[8]), 1);
	CHECK_EQ(list_length(&ledger.free_nodes), 0);
	done(10, 1);
	done(15, 2);
	flush(20);
	CHECK_EQ(busy(scope[0]), 5);
	CHECK_EQ(busy(scope[8]), 5);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(lost(device), 1);
	teardown(2);
}

/* what was left out for the others' sake is a loss of its own, and no more */
static void left_out_records_are_counted_alone(void)
{
	setup(2);
	queue(0, ctx[0], 1);
	gpu_ring_leave_out(&ring);
	gpu_ring_leave_out(&ring);
	flush(5);
	CHECK_EQ(lost(device), 2);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(ledger.outstanding, 1);
	flush(6);
	CHECK_EQ(lost(device), 2);
	teardown(2);
}

static void room_comes_back(void)
{
	setup(3);
	for (u64 i = 0; i < 1000; i++) {
		announce_scopes(10 * i, 0, i, 0, 4);
		queue_scoped(10 * i + 1, ctx[0], i, 4, 2);
		done(10 * i + 5, i);
		flush(10 * i + 7);
	}
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(busy(ctx[0]), 4000);
	CHECK_EQ(busy(scope[3]), 4000);
	CHECK_EQ(busy(scope[5]), 4000);
	teardown(3);
}

/* ---- lost records ---- */

static void loss_is_counted_and_outstanding_work_forgotten(void)
{
	setup(NR_JOBS);
	queue_scoped(0, ctx[0], 1, 0, 1);
	queue(5, ctx[1], 2);
	queue_on(6, 2, ctx[2], 3);
	flush(10);
	done(20, 1);	/* still in the ring: certain */
	overflow(3);	/* the completion of 2 may be among them */
	flush(50);
	CHECK_EQ(lost(device), 3 + 2);
	CHECK_EQ(lost(all), 3 + 2);
	CHECK_EQ(gpu_account_slot(device, 1)[GPU_COUNTER_LOST], 0); /* of no engine */
	CHECK_EQ(ledger.outstanding, 0);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(busy(scope[0]), 20);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(busy(ctx[2]), 4);	/* 6 to 10 */
	CHECK_EQ(waited(ctx[1]), 15);	/* it had begun */
	CHECK_EQ(ctx[1]->jobs, 0);

	/* it is over: they are unknown now, new work counts as ever */
	done(60, 2);
	done_on(60, 2, 3);
	queue(70, ctx[1], 2);
	flush(75);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(busy(ctx[2]), 4);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(waited(ctx[1]), 15);
	CHECK_EQ(lost(device), 5);
	teardown(NR_JOBS);
}

/* that 2 was done says nothing of how long 1 had the engine */
static void overtaking_does_not_make_the_head_certain(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(5, ctx[1], 2);
	flush(10);
	done(20, 2);
	overflow(1);
	flush(50);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(waited(ctx[1]), 15);
	CHECK_EQ(completed(ctx[1]), 1);
	CHECK_EQ(lost(device), 1 + 1);
	teardown(NR_JOBS);
}

static void loss_is_counted_once(void)
{
	setup(NR_JOBS);
	overflow(2);
	flush(1);
	CHECK_EQ(lost(device), 2);
	queue(2, ctx[0], 1);
	flush(4);
	CHECK_EQ(lost(device), 2);
	CHECK_EQ(busy(ctx[0]), 2);
	overflow(1);
	flush(6);
	CHECK_EQ(lost(device), 2 + 1 + 1);
	CHECK_EQ(busy(ctx[0]), 2);
	flush(8);
	CHECK_EQ(lost(device), 4);
	teardown(NR_JOBS);
}

/* a real overflow: the head of the ring is credited, the rest is lost */
static void full_ring(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	for (u64 i = 1; i < NR_SLOTS - 1; i++)
		done(i, 1000); /* nobody's */
	done(100, 1);
	queue(101, ctx[1], 2);
	done(102, 2);
	flush(200);
	CHECK_EQ(busy(ctx[0]), 100);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(lost(device), 2);
	queue(201, ctx[1], 3);
	flush(203);
	CHECK_EQ(busy(ctx[1]), 2);
	CHECK_EQ(lost(device), 2);
	teardown(NR_JOBS);
}

static unsigned int race_at, race_step;

/* once, at the race_at'th atomic access: another CPU fills the ring */
static void overflow_once(void)
{
	if (race_step++ != race_at)
		return;
	unit_race = NULL;
	queue(20, ctx[0], 1);
	for (u32 nr = gpu_ring_head(&ring) - ring.tail; nr < NR_SLOTS; nr++)
		done(21, 1000); /* nobody's */
	done(22, 1);
}

/*
 * The ring overflows while it is flushed: the work was queued before, so it is
 * forgotten with it, if not at this flush, then at the next one.
 */
static void loss_while_the_flush_runs(void)
{
	for (race_at = 0; ; race_at++) {
		setup(NR_JOBS);
		queue(1, ctx[1], 2);
		done(5, 2);
		race_step = 0;
		unit_race = overflow_once;
		flush(10);
		unit_race = NULL;
		if (race_step <= race_at)
			break;
		flush(30);
		flush(100);
		CHECK_EQ(ledger.outstanding, 0);
		CHECK_EQ(busy(ctx[0]), 0);
		CHECK_EQ(busy(ctx[1]), 4);
		CHECK_EQ(lost(device), 1 + 1);
		teardown(NR_JOBS);
	}
	CHECK(race_at >= 4);
	teardown(NR_JOBS);
}

/* the work of staged scopes is lost: they are not kept waiting for it */
static void loss_drops_staged_scopes(void)
{
	setup(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 4);
	overflow(1);
	flush(1);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(scope[0]->jobs, 0);
	queue_scoped(2, ctx[0], 1, 4, 1);
	flush(3);
	CHECK_EQ(submitted(scope[0]), 0);
	CHECK_EQ(submitted(scope[4]), 1);
	teardown(NR_JOBS);
}

/* ---- a key that comes again ---- */

/* ctx 0 is credited up to the flush at 10; 10 to 50 is nobody's */
static void superseded_head(void)
{
	setup(NR_JOBS);
	queue_scoped(0, ctx[0], 1, 0, 1);
	queue(5, ctx[1], 2);
	flush(10);
	queue(50, ctx[2], 1);
	flush(55);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(scope[0]), 10);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(waited(ctx[1]), 45);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(ctx[0]->jobs + scope[0]->jobs, 0);
	done(60, 2);
	done(70, 1);
	flush(70);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(ctx[1]), 10);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(waited(ctx[2]), 10);
	CHECK_EQ(submitted(device), 3);
	CHECK_EQ(completed(device), 2);
	CHECK_EQ(busy(device), 30);
	teardown(NR_JOBS);
}

static void superseded_alone(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	flush(10);
	queue(50, ctx[1], 1);
	done(70, 1);
	flush(80);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(ctx[1]), 20);
	CHECK_EQ(waited(device), 0);
	teardown(NR_JOBS);
}

/* it never began: the head is not held up by it */
static void superseded_behind_the_head(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(5, ctx[1], 2);
	flush(10);
	queue(20, ctx[2], 2);
	done(30, 1);
	done(45, 2);
	flush(50);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(busy(ctx[1]) + waited(ctx[1]), 0);
	CHECK_EQ(busy(ctx[2]), 15);
	CHECK_EQ(waited(ctx[2]), 10);
	CHECK_EQ(completed(ctx[1]), 0);
	teardown(NR_JOBS);
}

/* the new work's clock was read first: the time up to 50 is credited already */
static void superseded_out_of_time_order(void)
{
	setup(NR_JOBS);
	queue(10, ctx[0], 1);
	queue(11, ctx[1], 2);
	done(50, 1);
	queue(45, ctx[2], 2);
	done(60, 2);
	flush(70);
	CHECK_EQ(busy(ctx[0]), 40);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(waited(ctx[2]), 5);
	CHECK_EQ(busy(device), 50);
	teardown(NR_JOBS);
}

/* the scopes that were announced are the new work's */
static void superseded_with_staged_scopes(void)
{
	setup(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 4);
	queue_scoped(0, ctx[0], 1, 8, 1);
	flush(10);
	announce_scopes(20, 0, 1, 4, 4);
	queue_scoped(20, ctx[0], 1, 9, 1);
	flush(25);
	CHECK_EQ(busy(scope[0]), 10);
	CHECK_EQ(scope[0]->jobs, 0);
	CHECK_EQ(busy(scope[8]), 10);
	CHECK_EQ(busy(scope[4]), 5);
	CHECK_EQ(busy(scope[9]), 5);
	CHECK_EQ(lost(device), 1);
	teardown(NR_JOBS);
}

/* the room of the old work is enough for the new one */
static void superseded_in_a_full_pool(void)
{
	setup(1);
	queue(0, ctx[0], 1);
	queue(10, ctx[1], 1);
	flush(15);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 0);
	CHECK_EQ(busy(ctx[1]), 5);
	teardown(1);
}

/* ---- who keeps an account ---- */

static void released_with_the_last_job(void)
{
	setup(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[0], 2);
	queue(0, ctx[1], 3);
	flush(1);
	CHECK_EQ(ctx[0]->jobs, 2);
	ctx[0]->release = note_release;
	done(5, 2);
	done(6, 3);
	flush(7);
	CHECK_EQ(nr_released, 0);
	done(8, 1);
	flush(9);
	CHECK_EQ(nr_released, 1);
	CHECK(released == ctx[0]);
	CHECK_EQ(completed_when_released, 2); /* nothing comes after it */
	flush(10);
	CHECK_EQ(nr_released, 1);
	CHECK_EQ(busy(ctx[0]), 8);
	teardown(NR_JOBS);
}

static void scopes_are_released_with_the_last_job(void)
{
	setup(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 4);
	queue_scoped(0, ctx[0], 1, 4, 1);
	queue_scoped(0, ctx[0], 2, 3, 1);
	flush(1);
	CHECK_EQ(scope[3]->jobs, 2);
	scope[3]->release = note_release;
	done(5, 1);
	flush(6);
	CHECK_EQ(nr_released, 0);
	done(8, 2);
	flush(9);
	CHECK_EQ(nr_released, 1);
	CHECK(released == scope[3]);
	CHECK_EQ(busy(scope[3]), 8);
	teardown(NR_JOBS);
}

/* however work ends: it lets go of its account once */
static void released_by_loss(void)
{
	setup(NR_JOBS);
	queue_scoped(0, ctx[0], 1, 0, 1);
	flush(1);
	scope[0]->release = note_release;
	overflow(1);
	flush(2);
	CHECK_EQ(nr_released, 1);
	flush(3);
	CHECK_EQ(nr_released, 1);
	teardown(NR_JOBS);
}

static void released_by_supersession(void)
{
	setup(NR_JOBS);
	queue_scoped(0, ctx[0], 1, 0, 1);
	flush(1);
	scope[0]->release = note_release;
	ctx[0]->release = note_release;
	queue(2, ctx[1], 1);
	flush(3);
	CHECK_EQ(nr_released, 2);
	done(4, 1);
	flush(5);
	CHECK_EQ(nr_released, 2);
	teardown(NR_JOBS);
}

static void released_by_forgetting(void)
{
	setup(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 1);	/* still staged */
	queue_scoped(0, ctx[0], 2, 1, 1);
	queue_on(0, 1, ctx[0], 2);
	flush(5);
	scope[0]->release = note_release;
	scope[1]->release = note_release;
	ctx[0]->release = note_release;
	gpu_ledger_forget(&ledger, ~0U);
	CHECK_EQ(nr_released, 3);
	CHECK_EQ(busy(ctx[0]), 10); /* up to the flush, on two engines */
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(ledger.outstanding, 0);
	CHECK_EQ(list_length(&ledger.free), NR_JOBS);
	gpu_ledger_forget(&ledger, ~0U);
	CHECK_EQ(nr_released, 3);

	/* and can go on */
	done(6, 2);
	queue(7, ctx[1], 2);
	flush(9);
	CHECK_EQ(busy(ctx[1]), 2);
	CHECK_EQ(waited(ctx[1]), 0);
	CHECK_EQ(lost(device), 0);
	teardown(NR_JOBS);
}

/* work that could not be followed names nobody */
static void released_by_work_without_room(void)
{
	setup(1);
	queue_scoped(0, ctx[0], 1, 0, 1);
	flush(1);
	scope[0]->release = note_release;
	queue_scoped(2, ctx[0], 2, 0, 1);
	flush(3);
	CHECK_EQ(nr_released, 1);
	CHECK_EQ(scope[0]->jobs, 0);
	done(4, 1);
	flush(5);
	CHECK_EQ(nr_released, 1);
	teardown(1);
}

/* ---- many ---- */

#define MANY	500

/* chains of the index get long; the middle of them is removed first */
static void many_outstanding(void)
{
	u64 key, now = 0;

	setup(MANY);
	for (key = 0; key < MANY; key++) {
		queue(now++, ctx[0], key << 20);
		flush(now);
	}
	CHECK_EQ(ledger.outstanding, MANY);
	for (key = 1; key < MANY; key++) {
		/* 7 and MANY have no common divisor: each of them, shuffled */
		done(now++, (key * 7 % MANY) << 20);
		flush(now);
	}
	CHECK_EQ(completed(ctx[0]), MANY - 1);
	CHECK_EQ(ledger.outstanding, 1);
	done(now, 0);
	flush(now);
	CHECK_EQ(completed(ctx[0]), MANY);
	CHECK_EQ(busy(ctx[0]), now);
	CHECK_EQ(lost(device), 0);
	teardown(MANY);
}

static const struct unit_test tests[] = {
	TEST(counters_of_the_devices_own),
	TEST(a_loss_is_the_devices),
	TEST(counts_in_all_wider_scopes),
	TEST(counts_unknown_engines_in_the_sum),
	TEST(one_job),
	TEST(in_order),
	TEST(overtaking),
	TEST(overtaken_head_is_followed_by_the_next_outstanding),
	TEST(reverse_order),
	TEST(idle_gaps_are_nobodys),
	TEST(advances_at_each_flush),
	TEST(no_time_at_all),
	TEST(long_times),
	TEST(unknown_completions_are_ignored),
	TEST(client_without_context),
	TEST(work_that_is_no_job),
	TEST(engines_are_apart),
	TEST(record_younger_than_the_flush),
	TEST(records_out_of_time_order),
	TEST(clock_never_runs_back),
	TEST(portions_add_up),
	TEST(lost_between_portions),
	TEST(scopes_get_what_the_owner_gets),
	TEST(scopes_of_overtaking_work),
	TEST(more_scopes_than_a_record_holds),
	TEST(staged_scopes_are_not_mixed_up),
	TEST(room_is_clean_when_used_again),
	TEST(room_is_clean_when_dropped),
	TEST(work_beyond_the_pool_is_counted_as_lost),
	TEST(work_beyond_the_pool_leaves_no_scopes),
	TEST(scopes_beyond_the_pool_are_counted_as_lost),
	TEST(left_out_records_are_counted_alone),
	TEST(room_comes_back),
	TEST(loss_is_counted_and_outstanding_work_forgotten),
	TEST(overtaking_does_not_make_the_head_certain),
	TEST(loss_is_counted_once),
	TEST(full_ring),
	TEST(loss_while_the_flush_runs),
	TEST(loss_drops_staged_scopes),
	TEST(superseded_head),
	TEST(superseded_alone),
	TEST(superseded_behind_the_head),
	TEST(superseded_out_of_time_order),
	TEST(superseded_with_staged_scopes),
	TEST(superseded_in_a_full_pool),
	TEST(released_with_the_last_job),
	TEST(scopes_are_released_with_the_last_job),
	TEST(released_by_loss),
	TEST(released_by_supersession),
	TEST(released_by_forgetting),
	TEST(released_by_work_without_room),
	TEST(many_outstanding),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
