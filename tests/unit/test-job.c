// SPDX-License-Identifier: GPL-2.0
/*
 * What is said of each job when it is complete: when it was handed over, when it
 * began, for how long it ran, which fence it has signalled, and whom it is counted
 * for. As in test-account.c, each result was computed by hand.
 */
#include <stdlib.h>

#include "story.h"

#define JOB		GPU_PMU_WORK_JOB
#define EARLIER		GPU_PMU_WORK_EARLIER
#define STARTED		GPU_PMU_WORK_STARTED

#define MAX_SEEN	4096

/* wide ones, to see that they are not cut */
#define FENCES		0xabcdef0100000001ULL
#define NUMBER(i)	(0xfedcba9800000000ULL + (i))

static struct seen {
	struct gpu_job job;	/* a copy: its room is used again */
	u64 time;
	u64 completed;		/* by its owner, this one included */
	unsigned int scopes;	/* bit i: it counts for scope i */
} seen[MAX_SEEN];
static unsigned int nr_seen;

/* as its completion is sampled */
static bool counts_in(const struct gpu_job *job, const struct gpu_account *account)
{
	const struct gpu_job *part;
	int i;

	for (part = job, i = 0; gpu_job_has_scope(&part, &i); i++)
		if (part->scope[i] == account)
			return true;
	return gpu_account_is_part(job->owner, account);
}

static void note(struct gpu_ledger *from, const struct gpu_job *job, u64 time)
{
	struct seen *s = &seen[nr_seen++];

	CHECK(from == &ledger);
	s->job = *job;
	s->time = time;
	s->completed = completed(job->owner);
	s->scopes = 0;
	for (int i = 0; i < NR_SCOPES; i++)
		if (counts_in(job, scope[i]))
			s->scopes |= BIT(i);
}

static void setup_line(unsigned int nr_jobs)
{
	setup(nr_jobs);
	ledger.done = note;
	nr_seen = 0;
}

static void setup_run(unsigned int nr_jobs)
{
	setup_line(nr_jobs);
	ledger.tells_run = true;
}

static void fence_rec(struct gpu_record *rec, unsigned int eng, u64 key, u64 context,
		      u64 seqno)
{
	*rec = (struct gpu_record) {
		.type = GPU_RECORD_FENCE,
		.engine = eng,
		.key = key,
		.fence_context = context,
		.fence_seqno = seqno,
	};
}

static void fence_on(u64 time, unsigned int eng, u64 key, u64 context, u64 seqno)
{
	struct gpu_record rec;

	fence_rec(&rec, eng, key, context, seqno);
	unit_clock = time;
	gpu_ring_push(&ring, &rec);
}

static void fence(u64 time, u64 key, u64 seqno)
{
	fence_on(time, 0, key, FENCES, seqno);
}

/* the i-th that was complete */
static void check_job(unsigned int i, u64 key, u64 submit, u64 start, u64 ran, u64 end)
{
	CHECK(i < nr_seen);
	CHECK_EQ(seen[i].job.key, key);
	CHECK_EQ(seen[i].job.submit, submit);
	CHECK_EQ(seen[i].job.start, start);
	CHECK_EQ(seen[i].job.busy, ran);
	CHECK_EQ(seen[i].time, end);
}

static void check_fence(unsigned int i, u64 context, u64 seqno)
{
	CHECK(i < nr_seen);
	CHECK_EQ(seen[i].job.fence_context, context);
	CHECK_EQ(seen[i].job.fence_seqno, seqno);
}

static u64 sum_of_busy(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < nr_seen; i++)
		sum += seen[i].job.busy;
	return sum;
}

/* ---- who is told ---- */

static void nobody_wants_to_know(void)
{
	setup(NR_JOBS);
	CHECK(!ledger.done);
	nr_seen = 0;
	fence(0, 1, NUMBER(1));
	queue(0, ctx[0], 1);
	done(10, 1);
	flush(20);
	CHECK_EQ(completed(ctx[0]), 1);
	CHECK_EQ(nr_seen, 0);
	teardown(NR_JOBS);
}

static void told_once_when_it_is_counted(void)
{
	setup_line(NR_JOBS);
	queue_on(5, 1, ctx[0], 7);
	flush(30);
	CHECK_EQ(nr_seen, 0);
	done_on(40, 1, 7);
	done_on(41, 1, 7);	/* what is gone is not complete again */
	done_on(42, 0, 7);	/* nor what never was there */
	flush(100);
	flush(200);
	CHECK_EQ(nr_seen, 1);
	check_job(0, 7, 5, 5, 35, 40);
	CHECK_EQ(seen[0].job.engine, 1);
	CHECK(seen[0].job.owner == ctx[0]);
	CHECK_EQ(seen[0].completed, 1);
	teardown(NR_JOBS);
}

static void told_in_order_of_completion(void)
{
	setup_line(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(1, ctx[0], 2);
	queue(2, ctx[0], 3);
	done(10, 2);
	done(20, 1);
	done(25, 3);
	flush(30);
	CHECK_EQ(nr_seen, 3);
	check_job(0, 2, 1, 0, 0, 10);
	check_job(1, 1, 0, 0, 20, 20);
	check_job(2, 3, 2, 20, 5, 25);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(seen[i].completed, i + 1);
	teardown(NR_JOBS);
}

/* whose end nobody saw is not complete */
static void not_told_of_what_is_lost(void)
{
	setup_line(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(5, ctx[1], 1);	/* the first one is superseded */
	flush(10);
	CHECK_EQ(nr_seen, 0);
	overflow(1);
	flush(20);
	done(30, 1);
	flush(40);
	queue(50, ctx[0], 2);
	flush(60);
	gpu_ledger_forget(&ledger, ~0U);
	done(70, 2);
	flush(80);
	CHECK_EQ(nr_seen, 0);
	CHECK_EQ(completed(device), 0);
	teardown(NR_JOBS);
}

/* the kernel's own work is no job, whatever it signals; it has the engine */
static void not_told_of_what_is_no_job(void)
{
	setup_run(NR_JOBS);
	fence(0, 1, NUMBER(1));
	queue_work(0, kernel, 1);
	queue(0, ctx[0], 2);
	run(10, 1);
	run(14, 2);
	run(16, 1);
	done(20, 1);
	run(20, 2);
	done(21, 2);
	flush(30);
	CHECK_EQ(nr_seen, 1);
	check_job(0, 2, 0, 14, 3, 21);
	check_fence(0, 0, 0);
	CHECK_EQ(busy(kernel), 8);
	teardown(NR_JOBS);
}

/* ---- begin, and how long ---- */

static void begins_when_the_one_before_ends(void)
{
	setup_line(NR_JOBS);
	queue(10, ctx[0], 1);
	queue(12, ctx[1], 2);
	done(30, 1);
	flush(35);
	done(50, 2);
	queue(60, ctx[2], 3);
	done(61, 3);
	flush(70);
	CHECK_EQ(nr_seen, 3);
	check_job(0, 1, 10, 10, 20, 30);
	check_job(1, 2, 12, 30, 20, 50);
	check_job(2, 3, 60, 60, 1, 61);
	CHECK_EQ(sum_of_busy(), busy(device));
	teardown(NR_JOBS);
}

/* it began when it ran first; what others had of it in between is not its own */
static void interrupted(void)
{
	setup_run(NR_JOBS);
	queue(1, ctx[0], 1);
	queue(3, ctx[1], 2);
	run(10, 1);
	run(20, 2);
	flush(30);
	run(35, 1);
	done(40, 1);
	flush(45);
	run(50, 2);
	run(52, 2);		/* again: it goes on */
	done(60, 2);
	flush(70);
	CHECK_EQ(nr_seen, 2);
	check_job(0, 1, 1, 10, 15, 40);
	check_job(1, 2, 3, 20, 25, 60);
	CHECK_EQ(sum_of_busy(), busy_on(device, 0));
	teardown(NR_JOBS);
}

/* a wait that ends with the work: it never began */
static void never_began(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(5, ctx[2], 2);
	queue(8, ctx[2], 3);
	run(10, 1);
	done(20, 2);
	done(8, 3);		/* in no time: it did not even wait */
	done(30, 1);
	flush(40);
	CHECK_EQ(nr_seen, 3);
	check_job(0, 2, 5, 0, 0, 20);
	check_job(1, 3, 8, 0, 0, 8);
	check_job(2, 1, 0, 10, 20, 30);
	CHECK_EQ(waited(ctx[2]), 15);
	CHECK_EQ(lost(device), 0);
	teardown(NR_JOBS);
}

/* it began, and was interrupted for good */
static void completed_while_another_runs(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	queue(0, ctx[1], 2);
	run(10, 1);
	run(14, 2);
	done(30, 1);
	done(31, 2);
	flush(40);
	check_job(0, 1, 0, 10, 4, 30);
	check_job(1, 2, 0, 14, 17, 31);
	teardown(NR_JOBS);
}

/* that it had begun is known, but not when */
static void began_before_anyone_looked(void)
{
	setup_run(NR_JOBS);
	queue_flags(100, JOB | EARLIER | STARTED, ctx[0], 1);
	queue_flags(100, JOB | EARLIER, ctx[0], 2);
	run(110, 1);
	run(115, 2);
	done(118, 2);
	done(120, 1);
	flush(130);
	check_job(0, 2, 100, 115, 3, 118);
	check_job(1, 1, 100, 0, 5, 120);
	teardown(NR_JOBS);

	setup_line(NR_JOBS);
	queue_flags(100, JOB | EARLIER | STARTED, ctx[0], 1);
	queue_flags(100, JOB | EARLIER, ctx[0], 2);
	done(110, 1);
	done(125, 2);
	flush(130);
	check_job(0, 1, 100, 0, 10, 110);
	check_job(1, 2, 100, 110, 15, 125);
	teardown(NR_JOBS);
}

/* records of a clock that is ahead of the flush, and one that goes back */
static void times_that_are_not_in_order(void)
{
	setup_run(NR_JOBS);
	queue(0, ctx[0], 1);
	run(20, 1);
	flush(10);
	done(15, 1);
	flush(30);
	check_job(0, 1, 0, 20, 0, 15);
	CHECK_EQ(busy(device), 0);
	queue(40, ctx[0], 2);
	run(35, 2);		/* before it was there */
	done(50, 2);
	flush(60);
	check_job(1, 2, 40, 35, 15, 50);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(busy(device), 15);
	teardown(NR_JOBS);
}

/* the next one in the same room has done nothing yet */
static void room_does_not_remember(void)
{
	setup_run(1);
	fence(0, 1, NUMBER(1));
	queue(0, ctx[0], 1);
	run(5, 1);
	done(25, 1);
	queue(30, ctx[0], 2);
	done(40, 2);
	queue(50, ctx[0], 3);
	run(55, 3);
	flush(57);
	overflow(1);		/* one that is forgotten leaves nothing either */
	flush(60);
	queue(70, ctx[1], 4);
	done(80, 4);
	flush(90);
	CHECK_EQ(nr_seen, 3);
	check_job(0, 1, 0, 5, 20, 25);
	check_fence(0, FENCES, NUMBER(1));
	check_job(1, 2, 30, 0, 0, 40);
	check_fence(1, 0, 0);
	check_job(2, 4, 70, 0, 0, 80);
	check_fence(2, 0, 0);
	teardown(1);
}

static u64 seed;

static unsigned int pick(unsigned int nr)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % nr;
}

/*
 * Work comes and is switched between at random, and all of it ends: what the jobs
 * have run is what the engine was busy, and each one's is what is added up here.
 */
static void run_at_random(u64 number, bool flushes)
{
	struct {
		u64 submit, start, busy, end;
		bool open, is_done;
	} work[NR_JOBS * 8] = {};
	unsigned int nr = 0, nr_done = 0;
	int running = -1;
	u64 now = 1;

	seed = number;
	setup_run(NR_JOBS);
	while (nr_done < ARRAY_SIZE(work)) {
		u64 step = pick(20);
		int w;

		now += step;
		if (running >= 0)
			work[running].busy += step;
		if (flushes || pick(8) == 0 || atomic_read(&ring.head) - ring.tail > 16)
			flush(now);
		switch (pick(3)) {
		case 0:
			if (nr == ARRAY_SIZE(work) || nr - nr_done == NR_JOBS)
				break;
			work[nr].submit = now;
			work[nr].open = true;
			queue(now, ctx[nr % 3], nr);
			nr++;
			break;
		case 1:	/* something else, or what is there */
			w = nr ? (int)pick(nr) : -1;
			run(now, w < 0 ? NUMBER(77) : (u64)w);
			running = w >= 0 && work[w].open ? w : -1;
			if (running >= 0 && !work[w].start)
				work[w].start = now;
			break;
		case 2:
			w = nr ? (int)pick(nr) : -1;
			if (w < 0 || !work[w].open)
				break;
			work[w].open = false;
			work[w].end = now;
			nr_done++;
			if (running == w)
				running = -1;
			done(now, w);
			break;
		}
	}
	flush(now);
	CHECK_EQ(nr_seen, nr);
	CHECK_EQ(sum_of_busy(), busy_on(device, 0));
	CHECK_EQ(lost(device), 0);
	for (unsigned int i = 0; i < nr_seen; i++) {
		unsigned int w = seen[i].job.key;

		check_job(i, w, work[w].submit, work[w].start, work[w].busy,
			  work[w].end);
		CHECK(!work[w].is_done);
		work[w].is_done = true;
	}
	teardown(NR_JOBS);
}

static void jobs_add_up_to_the_engine(void)
{
	for (u64 number = 0; number < 200; number++)
		run_at_random(number, number & 1);
}

/* ---- which fence ---- */

static void fence_given(void)
{
	setup_line(NR_JOBS);
	fence(0, 1, NUMBER(1));
	queue(0, ctx[0], 1);
	queue(5, ctx[0], 2);
	fence(6, 3, 0);		/* its first */
	queue(6, ctx[0], 3);
	flush(8);
	done(10, 1);
	done(11, 2);
	done(12, 3);
	flush(20);
	CHECK_EQ(nr_seen, 3);
	check_fence(0, FENCES, NUMBER(1));
	check_fence(1, 0, 0);	/* not given */
	check_fence(2, FENCES, 0);
	CHECK_EQ(lost(device), 0);
	teardown(NR_JOBS);
}

/* it waits for its own work, and that is told by the engine and the key */
static void fence_of_other_work(void)
{
	setup_line(NR_JOBS);
	fence_on(0, 1, 1, 11, 12);
	fence_on(0, 0, 2, 21, 22);
	queue_on(1, 0, ctx[0], 1);
	flush(2);
	CHECK_EQ(list_length(&ledger.staged), 2);
	queue_on(3, 1, ctx[0], 1);
	queue_on(3, 1, ctx[0], 2);
	queue_on(3, 0, ctx[0], 2);
	flush(4);
	CHECK_EQ(list_length(&ledger.staged), 0);
	/* it is kept with the job, and not in a node */
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS);
	done_on(10, 0, 1);
	done_on(11, 1, 1);
	done_on(12, 1, 2);
	done_on(13, 0, 2);
	flush(20);
	CHECK_EQ(nr_seen, 4);
	check_fence(0, 0, 0);
	check_fence(1, 11, 12);
	check_fence(2, 0, 0);
	check_fence(3, 21, 22);
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS);
	teardown(NR_JOBS);
}

/* as the events push them: scopes for which there is no room, the fence, the rest */
static void fence_among_scopes(void)
{
	for (int at = 0; at <= 2; at++) {
		setup_line(NR_JOBS);
		for (int i = 0; i <= 2; i++) {
			if (i == at)
				fence(0, 1, NUMBER(at));
			if (i < 2)
				announce_scopes(0, 0, 1, i * 4, 4);
		}
		queue_scoped(0, ctx[0], 1, 8, 2);
		done(10, 1);
		flush(20);
		check_fence(0, FENCES, NUMBER(at));
		for (int i = 0; i < NR_SCOPES; i++) {
			CHECK_EQ(busy(scope[i]), i < 10 ? 10 : 0);
			CHECK_EQ(completed(scope[i]), i < 10);
		}
		CHECK_EQ(seen[0].scopes, 0x3ff);
		teardown(NR_JOBS);
	}
}

/* room that held a fence holds scopes next, and the other way round */
static void nodes_do_not_remember(void)
{
	setup_line(1);
	fence(0, 1, NUMBER(1));
	queue(0, ctx[0], 1);
	done(10, 1);
	announce_scopes(20, 0, 2, 0, 4);
	queue(20, ctx[0], 2);
	done(30, 2);
	fence(40, 3, NUMBER(3));
	queue(40, ctx[0], 3);
	done(50, 3);
	flush(60);
	check_fence(0, FENCES, NUMBER(1));
	check_fence(1, 0, 0);
	check_fence(2, FENCES, NUMBER(3));
	CHECK_EQ(seen[0].scopes, 0);
	CHECK_EQ(seen[1].scopes, 0xf);
	CHECK_EQ(seen[2].scopes, 0);
	CHECK_EQ(completed(scope[0]), 1);
	CHECK_EQ(lost(device), 0);
	teardown(1);
}

/* nothing is counted less: only which fence it was is not known */
static void no_node_for_the_fence(void)
{
	setup_line(2);
	fence(0, 8, NUMBER(8));	/* of work that never comes */
	fence(0, 9, NUMBER(9));
	fence(1, 1, NUMBER(1));
	queue_scoped(1, ctx[0], 1, 0, 2);
	flush(5);
	CHECK_EQ(lost(device), 0);
	CHECK_EQ(ledger.outstanding, 1);
	done(10, 1);
	flush(20);
	CHECK_EQ(nr_seen, 1);
	check_job(0, 1, 1, 1, 9, 10);
	check_fence(0, 0, 0);
	CHECK_EQ(seen[0].scopes, 3);
	CHECK_EQ(lost(device), 0);
	teardown(2);
}

/* nor for more scopes: those are missed, and the fence is there */
static void node_for_the_fence_only(void)
{
	setup_line(1);
	fence(0, 1, NUMBER(1));
	announce_scopes(0, 0, 1, 0, 4);
	queue_scoped(0, ctx[0], 1, 4, 1);
	done(10, 1);
	flush(20);
	check_fence(0, FENCES, NUMBER(1));
	CHECK_EQ(seen[0].scopes, BIT(4));
	CHECK_EQ(lost(device), 1);
	teardown(1);
}

/* no room for the work: none is kept for its fence */
static void no_room_for_the_work(void)
{
	setup_run(1);
	queue(0, ctx[0], 1);
	fence(1, 2, NUMBER(2));
	queue(1, ctx[0], 2);
	flush(5);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(list_length(&ledger.free_nodes), 1);
	done(10, 2);
	done(11, 1);
	flush(20);
	CHECK_EQ(nr_seen, 1);
	check_fence(0, 0, 0);
	teardown(1);
}

/* the key comes again: the fence is the new work's */
static void fence_of_a_key_that_comes_again(void)
{
	setup_line(NR_JOBS);
	fence(0, 1, NUMBER(1));
	queue(0, ctx[0], 1);
	fence(5, 1, NUMBER(2));
	queue(5, ctx[1], 1);
	done(10, 1);
	queue(15, ctx[1], 1);
	done(20, 1);
	flush(20);
	CHECK_EQ(nr_seen, 2);
	check_job(0, 1, 5, 5, 5, 10);
	check_fence(0, FENCES, NUMBER(2));
	check_fence(1, 0, 0);
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS);
	teardown(NR_JOBS);
}

/* it is only offered: work that could be followed is better than its fence */
static void fence_left_out(void)
{
	struct gpu_record rec;

	setup_line(NR_SLOTS);
	for (int i = 0; i < NR_SLOTS / 2; i++)
		queue(1, ctx[0], 100 + i);
	unit_clock = 2;
	fence_rec(&rec, 0, 1, FENCES, NUMBER(1));
	gpu_ring_offer(&ring, &rec);
	queue(2, ctx[1], 1);
	flush(5);
	fence_rec(&rec, 0, 2, FENCES, NUMBER(2));
	gpu_ring_offer(&ring, &rec);
	queue(6, ctx[1], 2);
	done(7, 1);
	done(8, 2);
	flush(10);
	CHECK_EQ(nr_seen, 2);
	check_fence(0, 0, 0);
	check_fence(1, FENCES, NUMBER(2));
	CHECK_EQ(lost(device), 1);
	CHECK_EQ(ledger.outstanding, NR_SLOTS / 2);
	teardown(NR_SLOTS);
}

/* a loss forgets the fences of work that is still to come, too */
static void fence_before_a_loss(void)
{
	setup_line(NR_JOBS);
	fence(0, 1, NUMBER(1));
	overflow(1);
	flush(5);
	CHECK_EQ(list_length(&ledger.free_nodes), NR_JOBS);
	queue(6, ctx[0], 1);
	done(10, 1);
	flush(20);
	check_fence(0, 0, 0);
	CHECK_EQ(lost(device), 1);
	teardown(NR_JOBS);
}

/* ---- whom it counts for ---- */

static void part_of_wider_accounts(void)
{
	setup(NR_JOBS);
	CHECK(gpu_account_is_part(ctx[0], ctx[0]));
	CHECK(gpu_account_is_part(ctx[0], client[0]));
	CHECK(gpu_account_is_part(ctx[0], device));
	CHECK(gpu_account_is_part(ctx[0], all));
	CHECK(gpu_account_is_part(all, all));
	CHECK(!gpu_account_is_part(client[0], ctx[0]));
	CHECK(!gpu_account_is_part(all, device));
	CHECK(!gpu_account_is_part(ctx[0], ctx[1]));
	CHECK(!gpu_account_is_part(ctx[2], client[0]));
	CHECK(!gpu_account_is_part(ctx[0], kernel));
	CHECK(!gpu_account_is_part(scope[0], all));
	CHECK(!gpu_account_is_part(NULL, all));
	teardown(NR_JOBS);
}

static unsigned int nr_counted_for;

/* those that have counted it, and nobody else */
static void note_counted_for(struct gpu_ledger *from, const struct gpu_job *job, u64 time)
{
	struct gpu_account *const accounts[] = {
		all, device, kernel, client[0], client[1], ctx[0], ctx[1], ctx[2],
	};

	(void)from;
	(void)time;
	for (unsigned int i = 0; i < ARRAY_SIZE(accounts); i++) {
		CHECK_EQ(counts_in(job, accounts[i]), completed(accounts[i]));
		nr_counted_for += counts_in(job, accounts[i]);
	}
	for (int i = 0; i < NR_SCOPES; i++) {
		CHECK_EQ(counts_in(job, scope[i]), completed(scope[i]));
		nr_counted_for += counts_in(job, scope[i]);
	}
}

/* @owner: where it is, once there is one */
static void counts_for(struct gpu_account **owner, unsigned int nr_ahead,
		       unsigned int nr_scopes, unsigned int nr)
{
	setup(NR_JOBS);
	ledger.done = note_counted_for;
	nr_counted_for = 0;
	for (unsigned int i = 0; i < nr_ahead; i++)
		announce_scopes(0, 0, 1, 4 * i, 4);
	fence(0, 1, NUMBER(1));
	queue_scoped(0, *owner, 1, 8, nr_scopes);
	done(10, 1);
	flush(20);
	CHECK_EQ(nr_counted_for, nr);
	teardown(NR_JOBS);
}

static void counts_for_who_has_counted_it(void)
{
	counts_for(&ctx[2], 0, 0, 4);
	counts_for(&kernel, 0, 0, 3);
	counts_for(&ctx[0], 0, 1, 5);
	counts_for(&ctx[0], 0, 3, 7);
	counts_for(&ctx[1], 1, 0, 8);
	counts_for(&ctx[1], 2, 3, 4 + 8 + 3);
}

static const struct unit_test tests[] = {
	TEST(nobody_wants_to_know),
	TEST(told_once_when_it_is_counted),
	TEST(told_in_order_of_completion),
	TEST(not_told_of_what_is_lost),
	TEST(not_told_of_what_is_no_job),
	TEST(begins_when_the_one_before_ends),
	TEST(interrupted),
	TEST(never_began),
	TEST(completed_while_another_runs),
	TEST(began_before_anyone_looked),
	TEST(times_that_are_not_in_order),
	TEST(room_does_not_remember),
	TEST(jobs_add_up_to_the_engine),
	TEST(fence_given),
	TEST(fence_of_other_work),
	TEST(fence_among_scopes),
	TEST(nodes_do_not_remember),
	TEST(no_node_for_the_fence),
	TEST(node_for_the_fence_only),
	TEST(no_room_for_the_work),
	TEST(fence_of_a_key_that_comes_again),
	TEST(fence_left_out),
	TEST(fence_before_a_loss),
	TEST(part_of_wider_accounts),
	TEST(counts_for_who_has_counted_it),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
