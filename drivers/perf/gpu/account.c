// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting. See account.h.
 *
 * DOC: who runs
 *
 * An engine runs one piece of work at a time, and each nanosecond that it does
 * belongs to exactly one owner:
 *
 *	sum over owners of gpu-busy = gpu-busy of the engine <= wall time
 *
 * Time is credited by moving the engine's clock forward, and never otherwise:
 * this is why the identity holds in whatever order records come. What differs
 * is how one knows which work it is that runs. Some sources tell: by RUN
 * records, for the first time or again after an interruption, and it runs until
 * the next one of these, or its own completion. For all others there is
 *
 * DOC: the head-of-line rule
 *
 * What a driver reports is when work was handed over and when it was completed;
 * and neighbours in a
 * queue complete out of order, for example when the host of a virtual GPU
 * answers one command while another one waits for its fence. "A job starts
 * when the one before it ends" then loses time, and "from submission to
 * completion" counts some twice.
 *
 * So: outstanding work is kept in hand-over order. Only the oldest piece
 * accrues time. When it completes, the next one becomes the oldest. A piece
 * that completes out of order is credited no time at all: it did not hold the
 * engine up. The engine's busy time is then the union of the outstanding
 * intervals.
 */
#include <linux/gpu_pmu.h>
#include <linux/hash.h>
#include <linux/minmax.h>

#include "account.h"

/**
 * gpu_account_init() - make an empty account
 * @account:	room for it, with gpu_account_bytes() behind it
 * @up:		the scope that it is a part of, or NULL
 * @nr_engines:	how many engines it tells apart
 * @nr_counters: how many counters it has, at least GPU_NR_COUNTERS
 */
void gpu_account_init(struct gpu_account *account, struct gpu_account *up,
		      unsigned int nr_engines, unsigned int nr_counters)
{
	account->up = up;
	account->release = NULL;
	account->jobs = 0;
	account->nr_engines = nr_engines;
	account->nr_counters = nr_counters;
	for (unsigned int i = 0; i < (nr_engines + 1) * nr_counters; i++)
		account->count[i] = 0;
}

/**
 * gpu_account_add() - count, here and in all wider scopes
 * @account:	where to count
 * @engine:	index of the engine that it happened on
 * @counter:	what: enum gpu_counter, or a counter behind those
 * @delta:	how much
 */
void gpu_account_add(struct gpu_account *account, unsigned int engine,
		     unsigned int counter, u64 delta)
{
	for (; account; account = account->up) {
		gpu_account_slot(account, 0)[counter] += delta;
		if (engine < account->nr_engines)
			gpu_account_slot(account, engine + 1)[counter] += delta;
	}
}

/**
 * gpu_account_lose() - say that something could not be counted
 * @account:	a device's
 * @nr:		how many records of it
 */
void gpu_account_lose(struct gpu_account *account, u64 nr)
{
	gpu_account_add(account, GPU_NO_ENGINE, GPU_COUNTER_LOST, nr);
}

/**
 * gpu_account_is_part() - does what is counted here count there?
 * @account:	here
 * @of:		there
 *
 * Return: whether @of is @account, or a wider scope.
 */
bool gpu_account_is_part(const struct gpu_account *account, const struct gpu_account *of)
{
	for (; account; account = account->up)
		if (account == of)
			return true;
	return false;
}

static void account_unpin(struct gpu_account *account)
{
	if (!--account->jobs && account->release)
		account->release(account);
}

/* in the owner, and in each task event that saw the submission */
static void job_count(struct gpu_job *job, unsigned int engine,
		      enum gpu_counter counter, u64 delta)
{
	const struct gpu_job *part;
	int i;

	gpu_account_add(job->owner, engine, counter, delta);
	for (part = job, i = 0; gpu_job_has_scope(&part, &i); i++)
		gpu_account_add(part->scope[i], engine, counter, delta);
}

static struct gpu_job *job_get(struct list_head *free)
{
	struct gpu_job *job;

	job = list_first_entry_or_null(free, struct gpu_job, queue);
	if (job) {
		list_del(&job->queue);
		job->more = NULL;
	}
	return job;
}

static void job_set_scopes(struct gpu_job *job, const struct gpu_record *rec)
{
	job->nr_scopes = rec->nr_scopes;
	for (int i = 0; i < rec->nr_scopes; i++) {
		job->scope[i] = rec->scope[i];
		job->scope[i]->jobs++;
	}
}

static void job_put(struct gpu_job *job, struct list_head *free)
{
	for (int i = 0; i < job->nr_scopes; i++)
		account_unpin(job->scope[i]);
	list_add(&job->queue, free);
}

/* a chain of nodes that hold scopes */
static void nodes_put(struct gpu_ledger *ledger, struct gpu_job *node)
{
	struct gpu_job *more;

	for (; node; node = more) {
		more = node->more;
		job_put(node, &ledger->free_nodes);
	}
}

static void job_drop(struct gpu_ledger *ledger, struct gpu_job *job)
{
	struct gpu_engine *engine = &ledger->engine[job->engine];

	if (engine->running == job)
		engine->running = NULL;
	list_del(&job->queue);
	hlist_del(&job->hash);
	ledger->outstanding--;
	account_unpin(job->owner);
	nodes_put(ledger, job->more);
	job_put(job, &ledger->free);
}

static struct hlist_head *ledger_chain(struct gpu_ledger *ledger, unsigned int engine, u64 key)
{
	/* engines may count their work each from 1 */
	return &ledger->index[hash_64(key ^ (u64)engine << 56, 32) & ledger->index_mask].chain;
}

static struct gpu_job *ledger_job(struct gpu_ledger *ledger, unsigned int engine, u64 key)
{
	struct gpu_job *job;

	hlist_for_each_entry(job, ledger_chain(ledger, engine, key), hash)
		if (job->key == key && job->engine == engine)
			return job;
	return NULL;
}

static struct gpu_job *engine_head(struct gpu_engine *engine)
{
	return list_first_entry_or_null(&engine->queue, struct gpu_job, queue);
}

static void ledger_lose(struct gpu_ledger *ledger, u64 nr)
{
	gpu_account_lose(ledger->account, nr);
}

/* the only place where busy time is credited */
static void engine_run(struct gpu_ledger *ledger, unsigned int i, u64 until)
{
	struct gpu_engine *engine = &ledger->engine[i];
	struct gpu_job *job = engine->running;

	if (job && until > engine->clock) {
		job_count(job, i, GPU_COUNTER_BUSY, until - engine->clock);
		job->busy += until - engine->clock;
		engine->clock = until;
	}
}

/* work runs for the first time: it has waited up to now */
static void job_start(struct gpu_ledger *ledger, struct gpu_job *job, u64 now)
{
	if (job->started)
		return;
	job->started = true;
	job->start = now;
	if (!(job->flags & GPU_PMU_WORK_JOB))
		return;
	if (now >= job->submit)
		job_count(job, job->engine, GPU_COUNTER_WAIT, now - job->submit);
	else
		ledger_lose(ledger, 1);	/* a source's clock that cannot be right */
}

/* nothing runs any more: if nobody tells what does, the oldest work does */
static void engine_next(struct gpu_ledger *ledger, unsigned int i)
{
	struct gpu_engine *engine = &ledger->engine[i];
	struct gpu_job *head = engine_head(engine);

	if (ledger->tells_run || engine->running || !head)
		return;
	engine->running = head;
	engine->clock = max(engine->clock, head->submit);
	job_start(ledger, head, engine->clock);
}

static struct gpu_job *ledger_stage(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_job *node = job_get(&ledger->free_nodes);

	if (!node)
		return NULL;
	node->key = rec->key;
	node->engine = rec->engine;
	node->fence_context = 0;
	node->nr_scopes = 0;
	list_add_tail(&node->queue, &ledger->staged);
	return node;
}

/*
 * Scopes for which there is no room in the QUEUE come before it, so that work
 * never accrues anything that some of its scopes would miss. If there is no node
 * for them, those scopes miss all of it, and nobody else anything.
 */
static void ledger_scopes(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_job *node = ledger_stage(ledger, rec);

	if (node)
		job_set_scopes(node, rec);
	else
		ledger_lose(ledger, 1);
}

/* the fence comes before it, too; without one it is not known, and all is counted */
static void ledger_fence(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_job *node = ledger_stage(ledger, rec);

	if (!node)
		return;
	node->fence_context = rec->fence_context;
	node->fence_seqno = rec->fence_seqno;
	node->pid = rec->pid;
}

/* keep the scopes; the newest fence comes first, and none needs its node any more */
static struct gpu_job *ledger_take_fence(struct gpu_ledger *ledger, struct gpu_job *job,
					 struct gpu_job *more)
{
	struct gpu_job *node, *next, *scopes = NULL;

	job->fence_context = 0;
	job->fence_seqno = 0;
	job->pid = 0;
	for (node = more; node; node = next) {
		next = node->more;
		if (!node->fence_context) {
			node->more = scopes;
			scopes = node;
			continue;
		}
		if (!job->fence_context) {
			job->fence_context = node->fence_context;
			job->fence_seqno = node->fence_seqno;
			job->pid = node->pid;
		}
		job_put(node, &ledger->free_nodes);
	}
	return scopes;
}

/* the scopes that were announced for a piece of work */
static struct gpu_job *ledger_unstage(struct gpu_ledger *ledger,
				      const struct gpu_record *rec)
{
	struct gpu_job *node, *next, *more = NULL;

	list_for_each_entry_safe(node, next, &ledger->staged, queue) {
		if (node->key != rec->key || node->engine != rec->engine)
			continue;
		list_del(&node->queue);
		node->more = more;
		more = node;
	}
	return more;
}

/*
 * A key that comes again says that the work it named is long gone: the driver
 * was reset, say. Its completion was never seen, nobody knows until when it
 * ran: it is lost, and so is the time since it was last credited.
 */
static void ledger_supersede(struct gpu_ledger *ledger, struct gpu_job *job,
			     const struct gpu_record *rec)
{
	struct gpu_engine *engine = &ledger->engine[rec->engine];

	if (job == engine->running)
		engine->clock = max(engine->clock, rec->time);
	job_drop(ledger, job);
	ledger_lose(ledger, 1);
	engine_next(ledger, rec->engine);
}

/*
 * It cannot be followed. If nobody tells what runs, that is not certain any more
 * for anyone, as when its record had been lost.
 *
 * Of earlier work that is told before anyone counts: it is lost for those who count
 * when it is done.
 */
static void ledger_cannot_follow(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	if (ledger->tells_run && rec->flags & GPU_PMU_WORK_EARLIER) {
		ledger->unfollowed++;
		return;
	}
	ledger_lose(ledger, 1);
	if (!ledger->tells_run) {
		ledger_lose(ledger, ledger->outstanding);
		gpu_ledger_forget(ledger, ~0U);
	}
}

static void ledger_queue(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_engine *engine = &ledger->engine[rec->engine];
	struct gpu_job *job = ledger_job(ledger, rec->engine, rec->key);
	struct gpu_job *more = ledger_unstage(ledger, rec);
	bool counts = (rec->flags & GPU_PMU_WORK_JOB) &&
		      !(rec->flags & GPU_PMU_WORK_EARLIER);
	struct gpu_account *owner;

	if (job)
		ledger_supersede(ledger, job, rec);

	owner = rec->flags & GPU_RECORD_BY_CONTEXT ?
		ledger->find(ledger, rec->ctx) : rec->owner;
	job = owner ? job_get(&ledger->free) : NULL;
	if (!job) {
		/* that it was submitted is certain */
		if (owner && counts)
			gpu_account_add(owner, rec->engine, GPU_COUNTER_JOBS, 1);
		nodes_put(ledger, more);
		ledger_cannot_follow(ledger, rec);
		return;
	}

	job->key = rec->key;
	job->submit = rec->time;
	job->started = rec->flags & GPU_PMU_WORK_STARTED;
	job->engine = rec->engine;
	job->flags = rec->flags;
	job->owner = owner;
	job->owner->jobs++;
	job_set_scopes(job, rec);
	job->more = ledger_take_fence(ledger, job, more);
	job->start = 0;
	job->busy = 0;
	list_add_tail(&job->queue, &engine->queue);
	hlist_add_head(&job->hash, ledger_chain(ledger, rec->engine, rec->key));
	ledger->outstanding++;
	if (counts)
		job_count(job, rec->engine, GPU_COUNTER_JOBS, 1);
	engine_next(ledger, rec->engine);
}

static void ledger_run(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_engine *engine = &ledger->engine[rec->engine];

	engine_run(ledger, rec->engine, rec->time);
	engine->clock = max(engine->clock, rec->time);
	/* none: it was queued before anyone looked, or is not followed */
	engine->running = ledger_job(ledger, rec->engine, rec->key);
	if (engine->running)
		job_start(ledger, engine->running, rec->time);
}

static void ledger_done(struct gpu_ledger *ledger, const struct gpu_record *rec)
{
	struct gpu_engine *engine = &ledger->engine[rec->engine];
	struct gpu_job *job = ledger_job(ledger, rec->engine, rec->key);

	if (!job) {
		/* it was queued before anyone looked; any of those that had no room */
		if (ledger->unfollowed) {
			ledger->unfollowed--;
			ledger_lose(ledger, 1);
		}
		return;
	}

	if (job == engine->running)
		engine_run(ledger, rec->engine, rec->time);
	if (rec->time > job->submit && !job->started) {
		job_start(ledger, job, rec->time);
		job->start = 0;		/* it never ran: it only waited */
	}
	if (job->flags & GPU_PMU_WORK_JOB) {
		job_count(job, rec->engine, GPU_COUNTER_DONE, 1);
		if (ledger->done)
			ledger->done(ledger, job, rec->time);
	}
	job_drop(ledger, job);
	engine_next(ledger, rec->engine);
}

static void (*const ledger_apply[])(struct gpu_ledger *ledger,
				    const struct gpu_record *rec) = {
	[GPU_RECORD_QUEUE]	= ledger_queue,
	[GPU_RECORD_SCOPES]	= ledger_scopes,
	[GPU_RECORD_FENCE]	= ledger_fence,
	[GPU_RECORD_RUN]	= ledger_run,
	[GPU_RECORD_DONE]	= ledger_done,
};

/**
 * gpu_ledger_init() - make the accounting of a device
 * @ledger:	room for it
 * @account:	the device's account
 * @engine:	room for its engines
 * @nr_engines:	how many there are
 * @jobs:	room for jobs
 * @nr_jobs:	how many can be outstanding, at least one
 * @nodes:	room for the scopes that jobs have no room for
 * @nr_nodes:	how many; each holds GPU_RECORD_SCOPES_MAX
 *
 * The caller may set @tells_run, @find and @done then.
 */
void gpu_ledger_init(struct gpu_ledger *ledger, struct gpu_account *account,
		     struct gpu_engine *engine, unsigned int nr_engines,
		     struct gpu_job *jobs, unsigned int nr_jobs,
		     struct gpu_job *nodes, unsigned int nr_nodes)
{
	INIT_LIST_HEAD(&ledger->free);
	INIT_LIST_HEAD(&ledger->free_nodes);
	INIT_LIST_HEAD(&ledger->staged);
	ledger->account = account;
	ledger->lost_seen = 0;
	ledger->left_out_seen = 0;
	ledger->untold_seen = 0;
	ledger->unfollowed = 0;
	ledger->outstanding = 0;
	ledger->ahead = 0;
	ledger->tells_run = false;
	ledger->find = NULL;
	ledger->done = NULL;
	ledger->nr_engines = nr_engines;
	ledger->engine = engine;
	for (unsigned int i = 0; i < nr_engines; i++) {
		INIT_LIST_HEAD(&engine[i].queue);
		engine[i].running = NULL;
		engine[i].clock = 0;
	}
	ledger->index = jobs;
	ledger->index_mask = 0;
	while (2 * ledger->index_mask + 1 < nr_jobs)
		ledger->index_mask = 2 * ledger->index_mask + 1;
	for (unsigned int i = 0; i < nr_jobs; i++) {
		INIT_HLIST_HEAD(&jobs[i].chain);
		list_add_tail(&jobs[i].queue, &ledger->free);
	}
	for (unsigned int i = 0; i < nr_nodes; i++)
		list_add_tail(&nodes[i].queue, &ledger->free_nodes);
}

/**
 * gpu_ledger_forget() - drop outstanding work
 * @ledger:	the accounting
 * @nr:		how much at most; ~0U: all
 *
 * Nothing more is credited to it, and it is not counted as lost: that is for
 * the caller to decide.
 *
 * Return: whether there may be more.
 */
bool gpu_ledger_forget(struct gpu_ledger *ledger, unsigned int nr)
{
	struct gpu_job *node, *next;

	list_for_each_entry_safe(node, next, &ledger->staged, queue) {
		if (!nr--)
			return true;
		list_del(&node->queue);
		nodes_put(ledger, node);
	}
	for (unsigned int i = 0; i < ledger->nr_engines; i++) {
		struct gpu_engine *engine = &ledger->engine[i];

		while (!list_empty(&engine->queue)) {
			if (!nr--)
				return true;
			job_drop(ledger, engine_head(engine));
		}
	}
	return false;
}

/* before the records: the completions of what was not told are behind that */
static void ledger_see_untold(struct gpu_ledger *ledger, struct gpu_ring *ring)
{
	unsigned long untold = gpu_ring_untold(ring);

	ledger->unfollowed += untold - ledger->untold_seen;
	ledger->untold_seen = untold;
}

/**
 * gpu_ledger_drain() - take over some of what the ring holds
 * @ledger:	the accounting
 * @ring:	the records of its device
 * @work:	how much may be done: a record is 1,
 * @done_work:	but this one's completion is so much
 *
 * The slots stay taken until gpu_ledger_flush(): so whatever was lost, was lost after
 * the records that are there; and there is an end to it, at a whole ring.
 *
 * Return: whether there is more.
 */
bool gpu_ledger_drain(struct gpu_ledger *ledger, struct gpu_ring *ring,
		      unsigned int work, unsigned int done_work)
{
	u32 head = gpu_ring_head(ring), pos = ring->tail + ledger->ahead;
	unsigned int cost;

	ledger_see_untold(ledger, ring);
	for (; pos != head && work; pos++) {
		const struct gpu_record *rec = gpu_ring_peek(ring, pos);

		ledger_apply[rec->type](ledger, rec);
		cost = rec->type == GPU_RECORD_DONE ? done_work : 1;
		work -= min(work, cost);
	}
	ledger->ahead = pos - ring->tail;
	return pos != head;
}

/**
 * gpu_ledger_flush() - take over what the ring holds, and credit up to now
 * @ledger:	the accounting
 * @ring:	the records of its device
 * @now:	a time up to which all records are in the ring: a clock that was
 *		read before the call, or what the source says
 *
 * When records were lost, one of them may have been the completion of work
 * that would then accrue for ever, or be the start of work whose time would be
 * given to its neighbour. So all outstanding work is forgotten, from the last
 * time that is certain, and counted as lost beside the records themselves. The
 * loss is looked at before the head: what was in the ring before it is then
 * outstanding, and not still to come.
 */
void gpu_ledger_flush(struct gpu_ledger *ledger, struct gpu_ring *ring, u64 now)
{
	unsigned long lost = gpu_ring_lost(ring);
	unsigned long left_out = gpu_ring_left_out(ring);
	u32 head = gpu_ring_head(ring), pos;

	ledger_see_untold(ledger, ring);
	for (pos = ring->tail + ledger->ahead; pos != head; pos++) {
		const struct gpu_record *rec = gpu_ring_peek(ring, pos);

		ledger_apply[rec->type](ledger, rec);
	}
	gpu_ring_release(ring, head);
	ledger->ahead = 0;

	if (left_out != ledger->left_out_seen) {
		ledger_lose(ledger, left_out - ledger->left_out_seen);
		ledger->left_out_seen = left_out;
	}
	if (lost != ledger->lost_seen) {
		ledger_lose(ledger, lost - ledger->lost_seen + ledger->outstanding);
		ledger->lost_seen = lost;
		gpu_ledger_forget(ledger, ~0U);
	}

	for (unsigned int i = 0; i < ledger->nr_engines; i++)
		engine_run(ledger, i, now);
}
