// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting of sources that tell more than others: what runs, when it was by a
 * clock of their own, which context it is for, and what was outstanding before
 * anyone looked. As in test-account.c, each result was computed by hand.
 */
#include <stdlib.h>

#include "story.h"

#define JOB		GPU_PMU_WORK_JOB
#define EARLIER		GPU_PMU_WORK_EARLIER
#define STARTED		GPU_PMU_WORK_STARTED

static void setup_run(unsigned int nr_jobs)
{
	setup(nr_jobs);
	ledger.tells_run = true;
}

/* each nanosecond of an engine has one owner, here and in all wider scopes */
static void check_identity(void)
{
	for (unsigned int slot = 0; slot <= NR_ENGINES; slot++) {
		u64 sum = gpu_account_slot(kernel, slot)[GPU_COUNTER_BUSY] +
			  gpu_account_slot(client[0], slot)[GPU_COUNTER_BUSY] +
			  gpu_account_slot(client[1], slot)[GPU_COUNTER_BUSY];

		CHECK_EQ(gpu_account_slot(device, slot)[GPU_COUNTER_BUSY], sum);
		if (slot < NR_ENGINES)
			CHECK_EQ(gpu_account_slot(all, slot)[GPU_COUNTER_BUSY], sum);
	}
	CHECK_EQ(busy(device), busy_on(device, 0) + busy_on(device, 1) +
		 busy_on(device, 2));
}

static void end(unsigned int nr_jobs)
{
	check_identity();
	teardown(nr_jobs);
}

/* who says nothing else follows the head-of-line rule, and names no context */
static void not_told_otherwise(void)
{
	setup(NR_JOBS);
	CHECK(!ledger.tells_run);
	CHECK(!ledger.find);
	teardown(NR_JOBS);
}

/* ---- who runs ---- */

static void from_run_to_completion(void)
{
	setup_run(NR_JOBS);
	queue(5, ctx[0], 1);
	run(15, 1);
	done(40, 1);
	flush(100);
	CHECK_EQ(busy(ctx[0]), 25);
	CHECK_EQ(waited(ctx[0]), 10);
	CHECK_EQ(submitted(ctx[0]), 1);
	CHECK_EQ(completed(ctx[0]), 1);
	CHECK_EQ(busy(device), 25);
	CHECK_EQ(busy(all), 25);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* that it is the oldest means nothing here, also when the engine gets free */
static void nothing_runs_that_was_not_told(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[1], 2);
	queue(0, ctx[2], 3);
	flush(10);
	CHECK_EQ(busy(device) + waited(device), 0);
	run(20, 2);
	done(25, 2);
	flush(50);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(busy(ctx[0]) + busy(ctx[2]), 0);
	CHECK_EQ(waited(ctx[0]) + waited(ctx[2]), 0);
	CHECK_EQ(ledger.outstanding, 2);
	run(60, 3);
	flush(65);
	CHECK_EQ(busy(ctx[2]), 5);
	CHECK_EQ(waited(ctx[2]), 60);
	end(NR_JOBS);
}

/*
 * ctx 0: 10 to 20, and 35 to 40; ctx 1: 20 to 35, and 50 to 60. In between
 * nobody. Each waits once: up to when it ran first.
 */
static void preemption(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(3, ctx[1], 2);
	run(10, 1);
	run(20, 2);
	flush(30);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(ctx[1]), 10);
	run(35, 1);
	done(40, 1);
	flush(45);
	CHECK_EQ(busy(ctx[0]), 15);
	CHECK_EQ(busy(ctx[1]), 15);
	run(50, 2);
	done(60, 2);
	flush(70);
	CHECK_EQ(busy(ctx[0]), 15);
	CHECK_EQ(busy(ctx[1]), 25);
	CHECK_EQ(waited(ctx[0]), 10);
	CHECK_EQ(waited(ctx[1]), 17);
	CHECK_EQ(completed(client[0]), 2);
	CHECK_EQ(busy(device), 40);
	end(NR_JOBS);
}

/* the flush comes between all of it: nothing is credited twice, or missing */
static void preemption_with_flushes(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[2], 2);
	flush(1);
	for (u64 t = 10; t < 1010; t += 10) {
		run(t, 1);
		flush(t + 1);
		flush(t + 3);
		run(t + 4, 2);
		flush(t + 9);
	}
	done(1012, 2);
	flush(1020);
	CHECK_EQ(busy(ctx[0]), 100 * 4);
	CHECK_EQ(busy(ctx[2]), 100 * 6 + 2);
	CHECK_EQ(waited(ctx[0]), 10);
	CHECK_EQ(waited(ctx[2]), 14);
	CHECK_EQ(busy(device), 1002);
	end(NR_JOBS);
}

/* it goes on with what it runs already */
static void the_same_work_again(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	run(10, 1);
	run(15, 1);
	flush(17);
	run(20, 1);
	done(30, 1);
	flush(40);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(waited(ctx[0]), 10);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* it never ran: it only waited, and is credited nothing; and who runs goes on */
static void completion_of_work_that_never_ran(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(5, ctx[2], 2);
	run(10, 1);
	done(20, 2);
	flush(25);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(waited(ctx[2]), 15);
	CHECK_EQ(completed(ctx[2]), 1);
	CHECK_EQ(busy(ctx[0]), 15);
	done(30, 1);
	flush(40);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* it was interrupted, and completes while another one has the engine */
static void completion_of_work_that_was_interrupted(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[2], 2);
	run(10, 1);
	run(20, 2);
	done(30, 1);
	flush(35);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(waited(ctx[0]), 10);
	CHECK_EQ(busy(ctx[2]), 15);
	done(40, 2);
	flush(50);
	CHECK_EQ(busy(ctx[2]), 20);
	end(NR_JOBS);
}

static void completion_in_no_time(void)
{
	setup_run(NR_JOBS);
	queue(10, ctx[0], 1);
	done(10, 1);	/* never ran, and did not wait */
	queue(10, ctx[0], 2);
	run(10, 2);
	done(10, 2);
	flush(20);
	CHECK_EQ(busy(device) + waited(device), 0);
	CHECK_EQ(completed(device), 2);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* something that is not followed has the engine: it is nobody's */
static void unknown_work_runs(void)
{
	setup_run(NR_JOBS);
	run(1, 99);
	queue(5, ctx[0], 1);
	flush(8);
	CHECK_EQ(busy(device), 0);
	run(10, 1);
	run(20, 99);
	flush(25);
	CHECK_EQ(busy(ctx[0]), 10);
	done(27, 99);
	done(30, 1);
	flush(40);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(device), 10);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* that it runs was told before it was known: it was not this work */
static void run_before_queue(void)
{
	setup_run(NR_JOBS);
	run(1, 1);
	queue(5, ctx[0], 1);
	flush(10);
	CHECK_EQ(busy(ctx[0]), 0);
	run(20, 1);
	done(22, 1);
	flush(30);
	CHECK_EQ(busy(ctx[0]), 2);
	CHECK_EQ(waited(ctx[0]), 15);
	end(NR_JOBS);
}

/* the key is the engine's: the others' work of that name is other work */
static void engines_run_apart(void)
{
	setup_run(NR_JOBS);
	queue_on(0, 0, ctx[0], 1);
	queue_on(0, 1, ctx[1], 1);
	queue_on(0, 2, ctx[2], 1);
	run_on(10, 0, 1);
	run_on(20, 2, 1);
	run_on(25, 1, 7);
	flush(30);
	run_on(35, 2, 7);
	done_on(40, 0, 1);
	flush(50);
	CHECK_EQ(busy_on(ctx[0], 0), 30);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(busy_on(ctx[2], 2), 15);
	CHECK_EQ(waited(ctx[1]), 0);
	CHECK_EQ(waited(ctx[2]), 20);
	CHECK_EQ(gpu_account_slot(ctx[2], 3)[GPU_COUNTER_WAIT], 20);
	CHECK_EQ(busy(device), 45);
	end(NR_JOBS);
}

/* the kernel's own work runs as others do, but waits for nobody */
static void work_that_is_no_job_runs(void)
{
	setup_run(NR_JOBS);
	queue_work(0, kernel, 1);
	queue(0, ctx[0], 2);
	run(10, 1);
	run(15, 2);
	run(18, 1);
	done(20, 1);
	flush(30);
	CHECK_EQ(busy(kernel), 7);
	CHECK_EQ(busy(ctx[0]), 3);
	CHECK_EQ(waited(kernel) + submitted(kernel) + completed(kernel), 0);
	CHECK_EQ(waited(device), 15);
	end(NR_JOBS);
}

/* a task event that saw the submission gets what the work gets, all of it */
static void scopes_of_interrupted_work(void)
{
	setup_run(NR_JOBS);
	announce_scopes(0, 0, 1, 0, 4);
	queue_scoped(0, ctx[0], 1, 4, 2);
	queue_scoped(0, ctx[0], 2, 5, 1);
	run(10, 1);
	run(20, 2);
	run(25, 1);
	flush(30);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(busy(scope[i]), 15);
		CHECK_EQ(waited(scope[i]), 10);
		CHECK_EQ(submitted(scope[i]), 1);
	}
	CHECK_EQ(busy(scope[5]), 20);
	CHECK_EQ(waited(scope[5]), 30);
	CHECK_EQ(busy(scope[6]), 0);
	end(NR_JOBS);
}

/* ---- before anyone looked ---- */

/* it was counted when it was submitted, or never will be; it still waits */
static void submitted_earlier(void)
{
	setup_run(NR_JOBS);
	queue_flags(10, JOB | EARLIER, ctx[0], 1);
	queue(10, ctx[0], 2);
	run(30, 1);
	done(35, 1);
	flush(40);
	CHECK_EQ(submitted(ctx[0]), 1);
	CHECK_EQ(waited(ctx[0]), 20);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(completed(ctx[0]), 1);
	end(NR_JOBS);
}

/* it has waited already */
static void started_earlier(void)
{
	setup_run(NR_JOBS);
	queue_flags(10, JOB | EARLIER | STARTED, ctx[0], 1);
	queue_flags(10, JOB | EARLIER | STARTED, ctx[1], 2);
	flush(20);
	CHECK_EQ(busy(device), 0);	/* it may have been interrupted */
	run(30, 1);
	done(35, 1);
	done(40, 2);	/* its end is not a wait either */
	flush(40);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(busy(ctx[1]), 0);
	CHECK_EQ(waited(device), 0);
	CHECK_EQ(submitted(device), 0);
	CHECK_EQ(completed(device), 2);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* room that was work that had run is used by work that has not */
static void room_does_not_remember_the_start(void)
{
	setup_run(1);
	queue_flags(0, JOB | STARTED, ctx[0], 1);
	done(5, 1);
	queue(10, ctx[0], 2);
	run(17, 2);
	flush(20);
	CHECK_EQ(waited(ctx[0]), 7);
	CHECK_EQ(busy(ctx[0]), 3);
	end(1);
}

/* what others submitted that is no job is none earlier either */
static void earlier_work_that_is_no_job(void)
{
	setup_run(NR_JOBS);
	queue_flags(0, EARLIER, kernel, 1);
	queue_flags(0, EARLIER | STARTED, kernel, 2);
	run(5, 1);
	run(10, 2);
	done(12, 1);
	done(14, 2);
	flush(20);
	CHECK_EQ(busy(kernel), 9);
	CHECK_EQ(waited(kernel) + submitted(kernel) + completed(kernel), 0);
	end(NR_JOBS);
}

/* the head-of-line rule knows them, too */
static void earlier_without_being_told_what_runs(void)
{
	setup(NR_JOBS);
	queue_flags(0, JOB | EARLIER | STARTED, ctx[0], 1);
	queue_flags(5, JOB | EARLIER, ctx[1], 2);
	queue_flags(6, JOB | EARLIER | STARTED, ctx[2], 3);
	done(20, 1);
	done(30, 2);
	done(40, 3);
	flush(50);
	CHECK_EQ(waited(ctx[0]) + waited(ctx[2]), 0);
	CHECK_EQ(waited(ctx[1]), 15);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(busy(ctx[1]), 10);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(submitted(device), 0);
	CHECK_EQ(completed(device), 3);
	end(NR_JOBS);
}

/* ---- a clock of the source's own ---- */

static void push_at(u64 time, enum gpu_record_type type, unsigned int flags,
		    struct gpu_account *owner, u64 key)
{
	struct gpu_record rec = {
		.time = time,
		.type = type,
		.flags = flags,
		.owner = owner,
		.key = key,
	};

	gpu_ring_push(&ring, &rec);
}

/* the kernel's clock is far ahead of what is told, and does not matter */
static void told_later(void)
{
	setup_run(NR_JOBS);
	unit_clock = 100000;
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 25);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(waited(ctx[0]), 10);
	push_at(30, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 40);
	CHECK_EQ(busy(ctx[0]), 10);
	end(NR_JOBS);
}

static void told_by_the_head_of_line(void)
{
	setup(NR_JOBS);
	unit_clock = 100000;
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(12, GPU_RECORD_QUEUE, JOB, ctx[1], 2);
	push_at(20, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 25);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(waited(ctx[1]), 8);
	end(NR_JOBS);
}

/* who has no time of its own gets the kernel's */
static void told_now(void)
{
	setup_run(NR_JOBS);
	unit_clock = 50;
	push_at(20, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(0, GPU_RECORD_RUN, 0, NULL, 1);
	unit_clock = 60;
	push_at(0, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(waited(ctx[0]), 30);
	CHECK_EQ(busy(ctx[0]), 10);
	end(NR_JOBS);
}

/* what runs from after the flush on is credited from there, not before */
static void told_ahead_of_the_flush(void)
{
	setup_run(NR_JOBS);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[2], 2);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 2);
	push_at(100, GPU_RECORD_RUN, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 80);
	CHECK_EQ(busy(ctx[2]), 80);	/* that it was interrupted is certain */
	CHECK_EQ(busy(ctx[0]), 0);
	gpu_ledger_flush(&ledger, &ring, 95);
	CHECK_EQ(busy(ctx[0]), 0);
	gpu_ledger_flush(&ledger, &ring, 120);
	CHECK_EQ(busy(ctx[0]), 20);
	CHECK_EQ(busy(device), 100);
	end(NR_JOBS);
}

/* the engine's clock does not run back */
static void told_out_of_order(void)
{
	setup_run(NR_JOBS);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[2], 2);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(50, GPU_RECORD_RUN, 0, NULL, 2);
	push_at(40, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(45, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(busy(ctx[2]), 0);
	push_at(55, GPU_RECORD_RUN, 0, NULL, 2);
	gpu_ledger_flush(&ledger, &ring, 58);
	CHECK_EQ(busy(ctx[2]), 3);	/* 55 to 58: the engine was free before */
	CHECK_EQ(waited(ctx[2]), 40);	/* it had begun at 50 */
	CHECK_EQ(busy(device), 33);

	/* it waits up to when it was told to run, and has the rest */
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[1], 3);
	push_at(53, GPU_RECORD_RUN, 0, NULL, 3);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(waited(ctx[1]), 43);
	CHECK_EQ(busy(ctx[1]), 2);
	CHECK_EQ(busy(device), 35);
	end(NR_JOBS);
}

/* an engine that nobody had is free up to when it is told, and not later */
static void idle_up_to_the_run(void)
{
	setup_run(NR_JOBS);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 99);
	gpu_ledger_flush(&ledger, &ring, 50);
	push_at(30, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(60, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 70);
	CHECK_EQ(busy(ctx[0]), 30);
	CHECK_EQ(waited(ctx[0]), 20);
	end(NR_JOBS);
}

/* two clocks that do not agree: no time is made up, and it is said once */
static void run_before_its_submission(void)
{
	setup_run(NR_JOBS);
	push_at(100, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(90, GPU_RECORD_RUN, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 95);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(waited(ctx[0]), 0);
	CHECK_EQ(busy(ctx[0]), 5);
	push_at(98, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(120, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(130, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 140);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(lost(all), 1);
	CHECK_EQ(waited(ctx[0]), 0);
	CHECK_EQ(busy(ctx[0]), 40);
	CHECK_EQ(completed(ctx[0]), 1);
	end(NR_JOBS);
}

/* to the nanosecond; and what has no wait to be counted has none to be lost */
static void run_at_its_submission(void)
{
	setup_run(NR_JOBS);
	push_at(100, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(100, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(200, GPU_RECORD_QUEUE, 0, kernel, 2);
	push_at(150, GPU_RECORD_RUN, 0, NULL, 2);
	push_at(200, GPU_RECORD_QUEUE, JOB | STARTED, ctx[1], 3);
	push_at(160, GPU_RECORD_RUN, 0, NULL, 3);
	gpu_ledger_flush(&ledger, &ring, 160);
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(waited(device), 0);
	CHECK_EQ(busy(ctx[0]), 50);
	CHECK_EQ(busy(kernel), 10);

	push_at(300, GPU_RECORD_QUEUE, JOB, ctx[2], 4);
	push_at(299, GPU_RECORD_RUN, 0, NULL, 4);
	gpu_ledger_flush(&ledger, &ring, 299);
	CHECK_EQ(lost(device), 1);
	end(NR_JOBS);
}

/* likewise of work that never ran: there is no wait, and it is no loss */
static void completed_before_its_submission(void)
{
	setup_run(NR_JOBS);
	push_at(100, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(90, GPU_RECORD_DONE, 0, NULL, 1);
	push_at(100, GPU_RECORD_QUEUE, JOB, ctx[0], 2);
	push_at(101, GPU_RECORD_DONE, 0, NULL, 2);
	gpu_ledger_flush(&ledger, &ring, 200);
	CHECK_EQ(waited(ctx[0]), 1);
	CHECK_EQ(completed(ctx[0]), 2);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* ---- which context it is for ---- */

/* wider than 32 bits, and no number of an account's */
#define NUMBER(i)	(0x1234567800000001ULL + (i))

static unsigned int nr_found;
static bool there[3];

static struct gpu_account *find(struct gpu_ledger *from, u64 number)
{
	CHECK(from == &ledger);
	nr_found++;
	for (unsigned int i = 0; i < ARRAY_SIZE(there); i++)
		if (number == NUMBER(i))
			return there[i] ? ctx[i] : NULL;
	return NULL;
}

static void setup_find(unsigned int nr_jobs, bool tells_run)
{
	setup(nr_jobs);
	ledger.tells_run = tells_run;
	ledger.find = find;
	nr_found = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(there); i++)
		there[i] = true;
}

static void queue_number(u64 time, u64 number, u64 key, unsigned int flags)
{
	struct gpu_record rec = {
		.time = time,
		.type = GPU_RECORD_QUEUE,
		.flags = flags | GPU_RECORD_BY_CONTEXT,
		.ctx = number,
		.key = key,
		.scope = { scope[0] },
		.nr_scopes = 1,
	};

	gpu_ring_push(&ring, &rec);
}

static void context_by_number(void)
{
	setup_find(NR_JOBS, true);
	queue_number(10, NUMBER(1), 1, JOB);
	queue_number(10, NUMBER(2), 2, 0);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 3);
	push_at(15, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 2);
	push_at(30, GPU_RECORD_DONE, 0, NULL, 2);
	gpu_ledger_flush(&ledger, &ring, 40);
	CHECK_EQ(nr_found, 2);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(waited(ctx[1]), 5);
	CHECK_EQ(submitted(ctx[1]), 1);
	CHECK_EQ(ctx[1]->jobs, 1);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(submitted(ctx[2]) + completed(ctx[2]), 0);
	CHECK_EQ(submitted(ctx[0]), 1);
	CHECK_EQ(busy(scope[0]), 15);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* it is looked for at the flush, and once */
static void context_that_comes_before_the_flush(void)
{
	setup_find(NR_JOBS, true);
	there[0] = false;
	queue_number(10, NUMBER(0), 1, JOB);
	CHECK_EQ(nr_found, 0);
	there[0] = true;
	gpu_ledger_flush(&ledger, &ring, 20);
	there[0] = false;
	push_at(30, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(35, GPU_RECORD_DONE, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 40);
	CHECK_EQ(nr_found, 1);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* it is nobody's: what it does is lost, and the others go on */
static void context_that_is_not_there(void)
{
	setup_find(NR_JOBS, true);
	there[1] = false;
	queue_number(10, NUMBER(0), 1, JOB);
	push_at(15, GPU_RECORD_RUN, 0, NULL, 1);
	queue_number(20, NUMBER(1), 2, JOB);
	push_at(30, GPU_RECORD_RUN, 0, NULL, 2);
	push_at(40, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(50, GPU_RECORD_DONE, 0, NULL, 2);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 15 + 20);
	CHECK_EQ(busy(device), 35);
	CHECK_EQ(submitted(device), 1);
	CHECK_EQ(completed(device), 0);
	CHECK_EQ(submitted(scope[0]), 1);	/* of key 1 */
	CHECK_EQ(scope[0]->jobs, 1);
	CHECK_EQ(ledger.outstanding, 1);
	end(NR_JOBS);
}

/* if nobody tells what runs, that is not certain any more for anyone */
static void context_that_is_not_there_of_the_head_of_line(void)
{
	setup_find(NR_JOBS, false);
	there[1] = false;
	queue_number(10, NUMBER(0), 1, JOB);
	queue_number(11, NUMBER(2), 2, JOB);
	gpu_ledger_flush(&ledger, &ring, 20);
	queue_number(30, NUMBER(1), 3, JOB);
	queue_number(40, NUMBER(2), 4, JOB);
	gpu_ledger_flush(&ledger, &ring, 50);
	CHECK_EQ(lost(device), 1 + 2);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(busy(ctx[2]), 10);	/* key 4: 40 to 50 */
	CHECK_EQ(ctx[0]->jobs, 0);
	CHECK_EQ(ctx[2]->jobs, 1);
	CHECK_EQ(scope[0]->jobs, 1);
	CHECK_EQ(submitted(device), 3);
	end(NR_JOBS);
}

/* the work that it supersedes held others up, for whom that is over */
static void context_that_is_not_there_supersedes(void)
{
	setup_find(NR_JOBS, false);
	there[1] = false;
	queue_number(10, NUMBER(0), 1, JOB);
	queue_number(12, NUMBER(2), 2, JOB);
	gpu_ledger_flush(&ledger, &ring, 20);
	queue_number(30, NUMBER(1), 1, JOB);
	gpu_ledger_flush(&ledger, &ring, 50);
	CHECK_EQ(lost(device), 1 + 1 + 1);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(waited(ctx[2]), 18);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(ledger.outstanding, 0);
	end(NR_JOBS);
}

/* its staged scopes are given back; old work of that key is gone all the same */
static void context_that_is_not_there_leaves_nothing(void)
{
	setup_find(NR_JOBS, true);
	queue_number(10, NUMBER(0), 1, JOB);
	push_at(10, GPU_RECORD_RUN, 0, NULL, 1);
	gpu_ledger_flush(&ledger, &ring, 20);
	announce_scopes(20, 0, 1, 1, 4);
	queue_number(30, 0, 1, JOB);
	gpu_ledger_flush(&ledger, &ring, 40);
	CHECK_EQ(lost(device), 1 + 1);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(ledger.outstanding, 0);
	CHECK_EQ(scope[0]->jobs + scope[1]->jobs, 0);
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS);
	CHECK_EQ(list_length(&ledger.free), NR_JOBS);
	end(NR_JOBS);
}

/* ---- no room ---- */

/* only that work is lost; what runs is still known */
static void no_room(void)
{
	setup_run(2);
	queue(0, ctx[0], 1);
	queue(0, ctx[1], 2);
	run(5, 1);
	announce_scopes(9, 0, 3, 0, 2);
	queue_scoped(10, ctx[2], 3, 2, 1);
	queue_work(10, kernel, 5);
	flush(15);
	CHECK_EQ(lost(device), 2);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(ledger.outstanding, 2);
	CHECK_EQ(submitted(ctx[2]), 1);
	CHECK_EQ(submitted(device), 3);
	CHECK_EQ(ctx[2]->jobs + scope[0]->jobs + scope[2]->jobs, 0);
	run(20, 3);	/* not followed */
	flush(25);
	CHECK_EQ(busy(ctx[0]), 15);
	run(30, 2);
	done(32, 3);
	done(35, 2);
	flush(40);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(busy(ctx[2]) + busy(kernel), 0);
	CHECK_EQ(completed(device), 1);
	CHECK_EQ(lost(device), 2);

	/* there is room again */
	queue(50, ctx[2], 3);
	run(55, 3);
	flush(60);
	CHECK_EQ(busy(ctx[2]), 5);
	CHECK_EQ(lost(device), 2);
	end(2);
}

/* nobody counted when it was told: it is lost for those who count when it is done */
static void no_room_for_earlier_work(void)
{
	setup_run(2);
	for (u64 key = 1; key <= 4; key++)
		queue_flags(10, JOB | EARLIER, ctx[0], key);
	run(10, 1);
	flush(15);
	CHECK_EQ(ledger.outstanding, 2);
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(busy(ctx[0]), 5);
	done(20, 1);
	run(20, 3);	/* not followed */
	flush(25);
	CHECK_EQ(busy(ctx[0]), 10);
	CHECK_EQ(lost(device), 0);
	done(30, 3);
	flush(35);
	CHECK_EQ(lost(device), 1);
	done(40, 4);
	done(40, 2);
	flush(45);
	CHECK_EQ(lost(device), 2);
	CHECK_EQ(completed(device), 2);
	CHECK_EQ(submitted(device), 0);

	/* what is not known any more is none of it */
	done(50, 3);
	flush(55);
	CHECK_EQ(lost(device), 2);
	end(2);
}

/* as much of it as the ring's half holds, and no record of others is lost for it */
static void earlier_work_that_was_not_told(void)
{
	setup_run(NR_JOBS);
	gpu_ring_leave_untold(&ring);
	gpu_ring_leave_untold(&ring);
	queue(10, ctx[0], 1);
	flush(15);
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(ledger.outstanding, 1);
	done(20, 7);
	done(20, 1);
	CHECK(!gpu_ledger_drain(&ledger, &ring, ~0U, 1));
	gpu_ring_leave_untold(&ring);
	done(25, 8);
	done(30, 9);
	done(35, 10);
	flush(35);
	CHECK_EQ(lost(device), 3);
	CHECK_EQ(completed(device), 1);
	end(NR_JOBS);
}

/* ---- lost records ---- */

/* up to 20 it is certain who ran; then nobody is, until it is told again */
static void loss_while_it_runs(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[2], 2);
	run(5, 1);
	flush(10);
	run(20, 2);
	overflow(2);
	flush(50);
	CHECK_EQ(lost(device), 2 + 2);
	CHECK_EQ(busy(ctx[0]), 15);
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(waited(ctx[2]), 20);
	CHECK_EQ(ledger.outstanding, 0);

	run(60, 1);	/* it is not known any more */
	queue(70, ctx[1], 3);
	flush(80);
	CHECK_EQ(busy(ctx[0]) + busy(ctx[1]), 15);
	run(90, 3);
	flush(95);
	CHECK_EQ(busy(ctx[1]), 5);
	CHECK_EQ(lost(device), 4);
	end(NR_JOBS);
}

/* what is forgotten does not run on */
static void forgotten_while_it_runs(void)
{
	setup_run(NR_JOBS);
	queue_on(0, 1, ctx[0], 1);
	run_on(5, 1, 1);
	flush(10);
	ctx[0]->release = note_release;
	gpu_ledger_forget(&ledger, ~0U);
	CHECK_EQ(nr_released, 1);
	CHECK(!engine[1].running);
	flush(20);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(lost(device), 0);
	end(NR_JOBS);
}

/* ---- a key that comes again ---- */

/* ctx 0 is credited up to the flush at 10; 10 to 40 is nobody's */
static void superseded_while_it_runs(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[1], 2);
	run(5, 1);
	flush(10);
	queue(30, ctx[2], 1);
	flush(35);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(busy(ctx[1]) + busy(ctx[2]), 0);	/* no head of a line */
	run(40, 1);
	flush(50);
	CHECK_EQ(busy(ctx[2]), 10);
	CHECK_EQ(waited(ctx[2]), 10);
	CHECK_EQ(busy(ctx[0]), 5);
	CHECK_EQ(busy(device), 15);
	end(NR_JOBS);
}

/* the new work was submitted by a clock that is ahead of what is told after it */
static void superseded_from_ahead(void)
{
	setup_run(NR_JOBS);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[0], 1);
	push_at(10, GPU_RECORD_QUEUE, JOB, ctx[1], 2);
	push_at(10, GPU_RECORD_RUN, 0, NULL, 1);
	push_at(50, GPU_RECORD_QUEUE, JOB, ctx[2], 1);
	push_at(20, GPU_RECORD_RUN, 0, NULL, 2);
	gpu_ledger_flush(&ledger, &ring, 60);
	CHECK_EQ(busy(ctx[0]), 0);
	CHECK_EQ(busy(ctx[1]), 10);	/* until 50, nobody knows */
	CHECK_EQ(busy(ctx[2]), 0);
	CHECK_EQ(lost(device), 1);
	end(NR_JOBS);
}

/* who runs is not held up by what is lost behind it */
static void superseded_while_another_runs(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[1], 2);
	run(5, 1);
	run(8, 2);
	flush(10);
	queue(20, ctx[2], 1);
	flush(30);
	CHECK_EQ(busy(ctx[1]), 22);
	CHECK_EQ(busy(ctx[0]), 3);
	CHECK_EQ(lost(device), 1);
	end(NR_JOBS);
}

/* ---- all of it ---- */

/* three engines that change hands all the time: the sum is always right */
static void each_nanosecond_has_one_owner(void)
{
	struct gpu_account *owner[5];
	u64 now = 0, last[NR_ENGINES] = { 0 };
	u32 dice = 1;

	setup_run(NR_JOBS);
	owner[0] = kernel;
	for (int i = 0; i < 3; i++)
		owner[1 + i] = ctx[i];
	owner[4] = client[0];
	for (int i = 0; i < 5000; i++) {
		unsigned int eng, key;
		u64 since = now;

		dice = dice * 1664525 + 1013904223;
		eng = (dice >> 8) % NR_ENGINES;
		key = (dice >> 12) % 6;
		now += dice >> 28;
		switch ((dice >> 20) % 8) {
		case 0 ... 1:
			queue_on(now, eng, owner[(dice >> 16) % 5], key);
			break;
		case 2 ... 4:
			run_on(now, eng, key);
			break;
		case 5:
			done_on(now, eng, key);
			break;
		case 6:
			if (i % 16 == 0)
				overflow(1);
			break;
		default:
			now = since + 50;
		}
		flush(now);
		check_identity();
		for (unsigned int e = 0; e < NR_ENGINES; e++) {
			CHECK(busy_on(device, e) - last[e] <= now - since);
			last[e] = busy_on(device, e);
		}
	}
	for (unsigned int e = 0; e < NR_ENGINES; e++)
		CHECK(last[e] > now / 10);
	CHECK(lost(device) > 0);
	end(NR_JOBS);
}

static const struct unit_test tests[] = {
	TEST(not_told_otherwise),
	TEST(from_run_to_completion),
	TEST(nothing_runs_that_was_not_told),
	TEST(preemption),
	TEST(preemption_with_flushes),
	TEST(the_same_work_again),
	TEST(completion_of_work_that_never_ran),
	TEST(completion_of_work_that_was_interrupted),
	TEST(completion_in_no_time),
	TEST(unknown_work_runs),
	TEST(run_before_queue),
	TEST(engines_run_apart),
	TEST(work_that_is_no_job_runs),
	TEST(scopes_of_interrupted_work),
	TEST(submitted_earlier),
	TEST(started_earlier),
	TEST(room_does_not_remember_the_start),
	TEST(earlier_work_that_is_no_job),
	TEST(earlier_without_being_told_what_runs),
	TEST(told_later),
	TEST(told_by_the_head_of_line),
	TEST(told_now),
	TEST(told_ahead_of_the_flush),
	TEST(told_out_of_order),
	TEST(idle_up_to_the_run),
	TEST(run_before_its_submission),
	TEST(run_at_its_submission),
	TEST(completed_before_its_submission),
	TEST(context_by_number),
	TEST(context_that_comes_before_the_flush),
	TEST(context_that_is_not_there),
	TEST(context_that_is_not_there_of_the_head_of_line),
	TEST(context_that_is_not_there_supersedes),
	TEST(context_that_is_not_there_leaves_nothing),
	TEST(no_room), TEST(no_room_for_earlier_work),
		TEST(earlier_work_that_was_not_told),
	TEST(loss_while_it_runs),
	TEST(forgotten_while_it_runs),
	TEST(superseded_while_it_runs),
	TEST(superseded_from_ahead),
	TEST(superseded_while_another_runs),
	TEST(each_nanosecond_has_one_owner),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
