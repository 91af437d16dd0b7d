// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-account: the ring, accounting and crediting together. The input is a
 * story: what happens on two devices, and to the events that look at them. A
 * device follows the head-of-line rule, or its source tells what runs; it may
 * have a clock of its own, and name contexts by their numbers. At each step the
 * identities hold that the numbers are trusted for:
 *
 *  - no counter ever goes back;
 *  - of each engine, and of all of a device's: what the kernel, the clients
 *    without a context and the contexts have adds up to what the device has,
 *    the contexts' of a client (with its own) to what the client has, and the
 *    devices' to what all have. This goes for each counter but "lost", which
 *    is a device's;
 *  - an engine is busy for no more than the wall time, between any two flushes;
 *  - jobs - jobs-done = outstanding jobs + jobs that were dropped, because
 *    they were lost, or their source went away; without those that were submitted
 *    before anyone looked; and jobs dropped by loss are never more than what
 *    "lost" says;
 *  - what the events of a set have got together is what their view has counted
 *    between settlements at both of which some event was live, and each of
 *    these deltas went to one event, in one piece.
 *
 * Beyond these, each counter of each account is the model's, exactly (see
 * model.h): with records lost and without, but not in stories with records out
 * of time order. So is what is said of each job that is complete: in which order,
 * when it began, for how long it ran, and which fence it has signalled.
 *
 * Built for libFuzzer, or with -DSTANDALONE to make its inputs up by itself.
 * FUZZ_TRACE=1 in the environment tells the story.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <linux/gpu_pmu.h>

#include "../../drivers/perf/gpu/account.h"
#include "../../drivers/perf/gpu/credit.h"
#include "../unit/unit.h"
#include "model.h"
#include "tale.h"

#define fallthrough	__attribute__((__fallthrough__))

#define NR_DEVICES	2
#define MAX_ENGINES	3
#define MAX_SLOTS	64
#define MAX_JOBS	32
#define NR_KEYS		8
#define MAX_NODES	96
#define MAX_EVENTS	16
#define MAX_STEPS	400

/* ---- the world ---- */

enum kind { ALL, DEVICE, KERNEL, CLIENT, CONTEXT, TASK };

/*
 * An account, and what is to be in it. Its number is its index. Once it has
 * ended, @account goes away with the last job; @last stays.
 */
static struct node {
	enum kind kind;
	struct gpu_account *account;
	int up;			/* or -1 */
	int device;		/* or -1 */
	unsigned int nr_engines;
	bool ended;
	unsigned int views;
	u64 last[MAX_ENGINES + 1][GPU_NR_COUNTERS];
	u64 want[MAX_ENGINES + 1][GPU_NR_COUNTERS];
	unsigned int want_jobs;
} node[MAX_NODES];
static int nr_nodes;

static struct device {
	unsigned int nr_engines;
	int node;
	struct gpu_record *slots;
	unsigned int nr_slots;
	struct gpu_ring ring;
	struct gpu_engine *engine;
	struct gpu_job *jobs;
	struct gpu_job *nodes;
	unsigned int nr_jobs;
	unsigned int nr_nodes;
	struct gpu_ledger ledger;
	struct model model;
	bool tells_run;
	bool own_clock;		/* records have times of the source's own, */
	u64 clock;		/* and this was the last one */
	u64 youngest;		/* time of any record, or of a flush */
	s64 credit[MAX_ENGINES]; /* least of busy - wall time, over all flushes */
	unsigned int ahead[MAX_ENGINES][NR_KEYS]; /* scopes records of it */
	bool fenced[MAX_ENGINES][NR_KEYS];	/* and a fence */
	struct told {
		u64 key, submit, start, busy, end, context, seqno;
		unsigned int engine;
	} told[MODEL_RECORDS];	/* completions, in this flush */
	unsigned int nr_told;
	struct {
		unsigned int engine;
		u64 key;
	} open[64];		/* queued, not completed: where to find work */
	unsigned int nr_open;
} device[NR_DEVICES];

/* several CPUs push: a record may be younger than the next one */
static bool out_of_order;

static u64 key_of(unsigned int number)
{
	return number * 0x0101010101010101ULL;
}

static int node_new(enum kind kind, int up, int dev, unsigned int nr_engines)
{
	struct node *n = &node[nr_nodes];
	size_t size = sizeof(*n->account) + gpu_account_bytes(nr_engines, GPU_NR_COUNTERS);

	memset(n, 0, sizeof(*n));
	n->kind = kind;
	n->up = up;
	n->device = dev;
	n->nr_engines = nr_engines;
	n->account = malloc(size);
	memset(n->account, 0x5a, size);
	gpu_account_init(n->account, up < 0 ? NULL : node[up].account, nr_engines,
			 GPU_NR_COUNTERS);
	return nr_nodes++;
}

/* a random node of these kinds that has not ended, or -1 */
static int node_pick(unsigned int kinds, int dev)
{
	int at = pick(nr_nodes);

	for (int i = 0; i < nr_nodes; i++, at = (at + 1) % nr_nodes) {
		const struct node *n = &node[at];

		if ((kinds & BIT(n->kind)) && !n->ended &&
		    (dev < 0 || n->device == dev))
			return at;
	}
	return -1;
}

/* the number of a context, and of no account: wide */
static u64 number_of(int n)
{
	return key_of(n + 1);
}

static bool context_is_there(const struct device *d, int n)
{
	return n < nr_nodes && node[n].kind == CONTEXT && !node[n].ended &&
	       node[n].device == d - device;
}

static struct gpu_account *ledger_find(struct gpu_ledger *ledger, u64 ctx)
{
	const struct device *d = container_of(ledger, struct device, ledger);
	int n = (int)(ctx & 0xff) - 1;

	HOLD(ctx == number_of(n), "%llx", ctx);
	return context_is_there(d, n) ? node[n].account : NULL;
}

static bool model_is_there(const struct model *m, int n)
{
	return context_is_there(container_of(m, struct device, model), n);
}

static void ledger_done(struct gpu_ledger *ledger, const struct gpu_job *job, u64 time)
{
	struct device *d = container_of(ledger, struct device, ledger);

	HOLD(d->nr_told < MODEL_RECORDS, "%u", d->nr_told);
	HOLD(gpu_account_is_part(job->owner, node[d->node].account), "%llx", job->key);
	d->told[d->nr_told++] = (struct told) {
		.key = job->key,
		.submit = job->submit,
		.start = job->start,
		.busy = job->busy,
		.end = time,
		.context = job->fence_context,
		.seqno = job->fence_seqno,
		.engine = job->engine,
	};
}

static void attach(struct device *d)
{
	static const u32 start[] = { 0, UINT_MAX - 20, INT_MAX - 20 };
	u32 pos = start[pick(ARRAY_SIZE(start))];

	d->slots = calloc(d->nr_slots, sizeof(*d->slots));
	gpu_ring_init(&d->ring, d->slots, d->nr_slots);
	atomic_set(&d->ring.head, (int)pos);
	d->ring.tail = pos;
	d->engine = malloc(d->nr_engines * sizeof(*d->engine));
	memset(d->engine, 0x5a, d->nr_engines * sizeof(*d->engine));
	d->jobs = calloc(d->nr_jobs, sizeof(*d->jobs));
	d->nodes = calloc(d->nr_nodes, sizeof(*d->nodes));
	gpu_ledger_init(&d->ledger, node[d->node].account, d->engine,
			d->nr_engines, d->jobs, d->nr_jobs, d->nodes, d->nr_nodes);
	d->ledger.tells_run = d->tells_run;
	d->ledger.find = ledger_find;
	d->ledger.done = ledger_done;
}

static void detach(struct device *d)
{
	free(d->slots);
	free(d->engine);
	free(d->jobs);
	free(d->nodes);
}

static void device_new(struct device *d, int number)
{
	memset(d, 0, offsetof(struct device, model));
	d->nr_engines = 1 + pick(MAX_ENGINES);
	d->nr_slots = 1 << (2 + pick(5));
	d->nr_jobs = 1 + pick(MAX_JOBS);
	d->nr_nodes = pick(MAX_JOBS);
	d->node = node_new(DEVICE, 0, number, d->nr_engines);
	d->tells_run = pick(2);
	d->own_clock = pick(2);
	d->clock = d->own_clock && !unit_clock ? 1 : unit_clock;
	d->youngest = d->clock;
	for (int i = 0; i < MAX_ENGINES; i++)
		d->credit[i] = -(s64)d->clock;
	memset(d->ahead, 0, sizeof(d->ahead));
	memset(d->fenced, 0, sizeof(d->fenced));
	d->nr_told = 0;
	d->nr_open = 0;
	model_init(&d->model, d->tells_run, d->nr_engines, d->nr_slots, d->nr_jobs,
		   d->nr_nodes, model_is_there);
	attach(d);

	node_new(KERNEL, d->node, number, d->nr_engines);
	for (int i = 0; i < 2; i++) {
		int client = node_new(CLIENT, d->node, number, d->nr_engines);

		node_new(CONTEXT, client, number, d->nr_engines);
		node_new(CONTEXT, client, number, d->nr_engines);
	}
}

/* ---- what is to be in the accounts ---- */

static void want_add(int n, unsigned int engine, enum gpu_counter c, u64 delta)
{
	for (; n >= 0; n = node[n].up) {
		node[n].want[0][c] += delta;
		if (engine < node[n].nr_engines)
			node[n].want[engine + 1][c] += delta;
	}
}

static void want_work(const struct model_work *w)
{
	u64 value[GPU_NR_COUNTERS] = {
		[GPU_COUNTER_BUSY] = w->busy,
		[GPU_COUNTER_WAIT] = w->wait,
		[GPU_COUNTER_JOBS] = w->counted,
		[GPU_COUNTER_DONE] = w->job && w->state == COMPLETED,
	};
	bool names = w->state == OUTSTANDING;

	if (w->owner == MODEL_NOBODY)
		return;
	node[w->owner].want_jobs += names;
	for (int c = 0; c < GPU_NR_COUNTERS; c++)
		want_add(w->owner, w->engine, c, value[c]);
	for (int i = 0; i < w->nr_scopes; i++) {
		node[w->scope[i]].want_jobs += names;
		for (int c = 0; c < GPU_NR_COUNTERS; c++)
			want_add(w->scope[i], w->engine, c, value[c]);
	}
}

static void want_device(const struct device *d)
{
	const struct model *m = &d->model;

	for (unsigned int i = 0; i < m->nr_works; i++)
		want_work(&m->work[i]);
	for (unsigned int i = 0; i < m->nr_staged; i++)
		for (int s = 0; s < m->staged[i].nr_scopes; s++)
			node[m->staged[i].scope[s]].want_jobs++;
	want_add(d->node, GPU_NO_ENGINE, GPU_COUNTER_LOST, m->lost);
}

static bool depends_on_time(enum gpu_counter c)
{
	return c == GPU_COUNTER_BUSY || c == GPU_COUNTER_WAIT;
}

/* all of it, as the model of the definition has it */
static void check_model(void)
{
	for (int i = 0; i < nr_nodes; i++) {
		memset(node[i].want, 0, sizeof(node[i].want));
		node[i].want_jobs = 0;
	}
	for (int i = 0; i < NR_DEVICES; i++)
		want_device(&device[i]);

	for (int i = 0; i < nr_nodes; i++) {
		const struct node *n = &node[i];

		if (n->account)
			HOLD(n->account->jobs == n->want_jobs,
			     "account %d: %u, not %u", i, n->account->jobs,
			     n->want_jobs);
		else
			HOLD(!n->want_jobs, "account %d", i);
		for (unsigned int s = 0; s <= n->nr_engines; s++)
			for (int c = 0; c < GPU_NR_COUNTERS; c++)
				HOLD(n->last[s][c] == n->want[s][c] ||
				     (out_of_order && depends_on_time(c)),
				     "account %d slot %u counter %d: %llu, not %llu",
				     i, s, c, n->last[s][c], n->want[s][c]);
	}
}

/* ---- the identities ---- */

static void look(struct node *n, int i)
{
	if (!n->account)
		return;
	for (unsigned int s = 0; s <= n->nr_engines; s++)
		for (int c = 0; c < GPU_NR_COUNTERS; c++)
			HOLD(gpu_account_slot(n->account, s)[c] >= n->last[s][c],
			     "account %d slot %u counter %d went back", i, s, c);
	memcpy(n->last, n->account->count, (n->nr_engines + 1) * sizeof(n->last[0]));
}

/* what an account has counted itself, not a narrower one: the model knows */
static u64 own(int n, unsigned int slot, enum gpu_counter c)
{
	const struct model *m;
	u64 sum = 0;

	if (node[n].kind != CLIENT || out_of_order)
		return 0;
	m = &device[node[n].device].model;
	for (unsigned int i = 0; i < m->nr_works; i++) {
		const struct model_work *w = &m->work[i];

		if (w->owner == n && (!slot || slot == w->engine + 1))
			sum += c == GPU_COUNTER_BUSY ? w->busy : w->wait;
	}
	return sum;
}

/*
 * Each account that has narrower ones is their sum. Jobs are sums of the same
 * kind; that they are right is for check_model() to say.
 */
static void check_sums(int i)
{
	const struct node *n = &node[i];

	if (n->kind != ALL && n->kind != DEVICE && n->kind != CLIENT)
		return;
	for (unsigned int s = 0; s <= n->nr_engines; s++) {
		for (int c = GPU_COUNTER_BUSY; c <= GPU_COUNTER_WAIT; c++) {
			u64 sum = own(i, s, c);

			for (int k = 0; k < nr_nodes; k++)
				if (node[k].up == i && s <= node[k].nr_engines)
					sum += node[k].last[s][c];
			HOLD(n->last[s][c] == sum,
			     "account %d slot %u counter %d: %llu, not %llu",
			     i, s, c, n->last[s][c], sum);
		}
	}
}

static void check_slots(int i)
{
	const struct node *n = &node[i];

	for (int c = 0; n->nr_engines && c < GPU_COUNTER_LOST; c++) {
		u64 sum = 0;

		for (unsigned int s = 1; s <= n->nr_engines; s++)
			sum += n->last[s][c];
		HOLD(n->last[0][c] == sum, "account %d counter %d", i, c);
	}
}

static void check_accounts(void)
{
	for (int i = 0; i < nr_nodes; i++)
		look(&node[i], i);
	for (int i = 0; i < nr_nodes; i++) {
		check_sums(i);
		check_slots(i);
	}
}

/*
 * Between this flush and any one before, an engine was busy for no longer than
 * the time between the two; records that are younger than the flush included.
 */
static void check_wall_time(struct device *d, u64 now)
{
	for (unsigned int e = 0; e < d->nr_engines; e++) {
		s64 busy = node[d->node].last[e + 1][GPU_COUNTER_BUSY];

		HOLD(busy - (s64)d->youngest <= d->credit[e],
		     "engine %u: %lld, at %llu", e, busy, d->youngest);
		if (busy - (s64)now < d->credit[e])
			d->credit[e] = busy - (s64)now;
	}
}

static void check_jobs(const struct device *d)
{
	const u64 *count = node[d->node].last[0];
	const struct model *m = &d->model;
	u64 outstanding = 0, left = 0, lost = 0, earlier = 0;
	const struct gpu_job *job;

	for (unsigned int e = 0; e < d->nr_engines; e++)
		list_for_each_entry(job, &d->engine[e].queue, queue)
			outstanding += (job->flags & GPU_PMU_WORK_JOB) &&
				       !(job->flags & GPU_PMU_WORK_EARLIER);
	for (unsigned int i = 0; i < m->nr_works; i++) {
		const struct model_work *w = &m->work[i];

		left += w->counted && w->state == LEFT;
		lost += w->counted && (w->state == LOST || w->state == UNFOLLOWED);
		earlier += w->job && !w->counted && w->state == COMPLETED;
	}
	HOLD(count[GPU_COUNTER_JOBS] + earlier - count[GPU_COUNTER_DONE] ==
	     outstanding + left + lost,
	     "%llu + %llu - %llu, %llu + %llu + %llu", count[GPU_COUNTER_JOBS],
	     earlier, count[GPU_COUNTER_DONE], outstanding, left, lost);
	HOLD(lost <= count[GPU_COUNTER_LOST], "%llu", lost);
}

/* a list that is damaged may have no end */
static unsigned int list_length(const struct list_head *head)
{
	const struct list_head *entry;
	unsigned int nr = 0;

	for (entry = head->next; entry != head && nr < 10000; entry = entry->next)
		nr++;
	return nr;
}

/* each room for a job is in one place */
static void check_ledger(const struct device *d)
{
	unsigned int queued = 0;

	for (unsigned int e = 0; e < d->nr_engines; e++)
		queued += list_length(&d->engine[e].queue);
	HOLD(d->ledger.outstanding == queued, "%u", queued);
	HOLD(queued == model_outstanding(&d->model), "%u", queued);
	HOLD(list_length(&d->ledger.staged) == d->model.nr_staged, "%u",
	     d->model.nr_staged);
	HOLD(list_length(&d->ledger.free) == d->model.room, "%u, not %u",
	     list_length(&d->ledger.free), d->model.room);
	HOLD(list_length(&d->ledger.free_nodes) == d->model.nodes, "%u, not %u",
	     list_length(&d->ledger.free_nodes), d->model.nodes);
}

static u64 fence_context_of(u64 fence)
{
	return fence ? key_of(fence & 0x7f) + 1 : 0;
}

/* the job that was complete next, after those that were told */
static struct model_work *next_to_tell(struct model *m)
{
	struct model_work *next = NULL;

	for (unsigned int i = 0; i < m->nr_works; i++) {
		struct model_work *w = &m->work[i];

		if (w->state == COMPLETED && w->job && !w->told &&
		    (!next || w->end_seq < next->end_seq))
			next = w;
	}
	return next;
}

/*
 * All jobs that were complete by this flush, in this order. What they ran after it,
 * by records that are younger, the model does not know yet.
 */
static void check_told(struct device *d, u64 now)
{
	for (unsigned int i = 0; i < d->nr_told; i++) {
		const struct told *told = &d->told[i];
		struct model_work *w = next_to_tell(&d->model);

		HOLD(w, "key %llx is not complete", told->key);
		w->told = true;
		HOLD(told->key == w->key && told->engine == w->engine,
		     "key %llx, not %llx", told->key, w->key);
		HOLD(told->context == fence_context_of(w->fence) &&
		     told->seqno == w->fence, "%llu, not %llu", told->seqno, w->fence);
		HOLD(told->submit == w->submit && told->end == w->end,
		     "%llu to %llu, not %llu to %llu", told->submit, told->end,
		     w->submit, w->end);
		HOLD(!w->ran_before || !told->start, "%llu", told->start);
		if (out_of_order)
			continue;
		HOLD(told->busy == w->busy || w->end > now, "%llu, not %llu",
		     told->busy, w->busy);
		HOLD(told->start || !told->busy || w->ran_before || !w->submit,
		     "%llu", told->busy);
		HOLD(!told->start || told->start == w->submit + w->wait ||
		     (d->tells_run && told->start < w->submit),
		     "%llu, not %llu + %llu", told->start, w->submit, w->wait);
	}
	HOLD(!next_to_tell(&d->model), "key %llx", next_to_tell(&d->model)->key);
	d->nr_told = 0;
}

/* ---- steps: records ---- */

/*
 * What time it is for the source. One with a clock of its own is behind: what has
 * happened since, it has not told yet.
 */
static u64 source_time(struct device *d)
{
	if (!d->own_clock)
		return unit_clock;
	if (d->clock < unit_clock)
		d->clock += (unit_clock - d->clock) * pick(5) / 4;
	return d->clock;
}

/* when it happens: @rec gets it, or the kernel's clock does, for the ring to read */
static u64 record_time(struct device *d, struct gpu_record *rec)
{
	u64 late = out_of_order ? pick(8) * (u64)pick(16) : 0, back;
	/* who submits may read the kernel's clock, and the engine the source's */
	bool own = d->own_clock &&
		   !(d->tells_run && rec->type == GPU_RECORD_QUEUE && pick(4) == 0);
	u64 time = (own ? source_time(d) : unit_clock) + late;

	if (d->tells_run && (rec->flags & GPU_PMU_WORK_EARLIER)) {
		own = true;
		back = (u64)byte() << pick(24);
		time = time > back ? time - back : 1;
	}
	if (own)
		rec->time = time;
	else
		unit_clock = time;
	return time;
}

static void push(struct device *d, struct gpu_record *rec,
		 struct model_record *told)
{
	u64 clock = unit_clock;

	told->time = record_time(d, rec);
	told->key = rec->key;
	told->engine = rec->engine;
	told->job = rec->flags & GPU_PMU_WORK_JOB;
	told->earlier = rec->flags & GPU_PMU_WORK_EARLIER;
	told->started = rec->flags & GPU_PMU_WORK_STARTED;
	told->by_context = rec->flags & GPU_RECORD_BY_CONTEXT;
	model_push(&d->model, told);
	if (rec->type == GPU_RECORD_SCOPES || rec->type == GPU_RECORD_FENCE)
		gpu_ring_offer(&d->ring, rec);
	else
		gpu_ring_push(&d->ring, rec);
	if (told->time > d->youngest)
		d->youngest = told->time;
	unit_clock = clock;
	HOLD(gpu_ring_lost(&d->ring) - d->ledger.lost_seen == d->model.ring_lost,
	     "%lu - %lu, not %u", gpu_ring_lost(&d->ring), d->ledger.lost_seen,
	     d->model.ring_lost);
	HOLD(gpu_ring_left_out(&d->ring) - d->ledger.left_out_seen ==
	     d->model.left_out, "%lu - %lu, not %u", gpu_ring_left_out(&d->ring),
	     d->ledger.left_out_seen, d->model.left_out);
}

static void add_scopes(struct gpu_record *rec, struct model_record *told,
		       unsigned int nr)
{
	while (nr--) {
		int n = node_pick(BIT(TASK), -1);

		if (n < 0)
			return;
		told->scope[told->nr_scopes++] = n;
		rec->scope[rec->nr_scopes++] = node[n].account;
	}
}

static void push_scopes(struct device *d, unsigned int engine, unsigned int key)
{
	struct gpu_record rec = {
		.type = GPU_RECORD_SCOPES,
		.engine = engine,
		.key = key_of(key),
	};
	struct model_record told = { .type = MODEL_SCOPES_AHEAD };

	if (d->ahead[engine][key] == 3)
		return;
	d->ahead[engine][key]++;
	add_scopes(&rec, &told, GPU_RECORD_SCOPES_MAX);
	trace("device %td engine %u key %u: %d scopes ahead", d - device,
	      engine, key, told.nr_scopes);
	push(d, &rec, &told);
}

static u64 nr_fences;

static void push_fence(struct device *d, unsigned int engine, unsigned int key)
{
	struct gpu_record rec = {
		.type = GPU_RECORD_FENCE,
		.engine = engine,
		.key = key_of(key),
	};
	struct model_record told = { .type = MODEL_FENCE };

	if (d->fenced[engine][key])
		return;
	d->fenced[engine][key] = true;
	told.fence = ++nr_fences;
	rec.fence_context = fence_context_of(told.fence);
	rec.fence_seqno = told.fence;
	trace("device %td engine %u key %u: fence %llu ahead", d - device, engine, key,
	      told.fence);
	push(d, &rec, &told);
}

static void push_queue(struct device *d, unsigned int engine, unsigned int key,
		       unsigned int how)
{
	struct gpu_record rec = {
		.type = GPU_RECORD_QUEUE,
		.engine = engine,
		.key = key_of(key),
		.flags = how & 3 ? GPU_PMU_WORK_JOB : 0,
	};
	struct model_record told = { .type = MODEL_QUEUE };
	unsigned int owners = BIT(KERNEL) | BIT(CONTEXT);
	unsigned int more = byte();

	if ((more & 0x18) == 0) {
		/* one that has ended, is the other device's, or is still to come */
		told.owner = more & 0xe0 ? node_pick(BIT(CONTEXT), d - device) :
					   (int)pick(nr_nodes + 2);
		rec.ctx = number_of(told.owner);
		rec.flags |= GPU_RECORD_BY_CONTEXT;
	} else {
		if (!out_of_order)
			owners |= BIT(CLIENT);
		told.owner = node_pick(owners, d - device);
		rec.owner = node[told.owner].account;
	}
	if ((more & 7) < 2)
		rec.flags |= GPU_PMU_WORK_EARLIER;
	if ((more & 7) == 1)
		rec.flags |= GPU_PMU_WORK_STARTED;
	if (how & 4)
		add_scopes(&rec, &told, pick(GPU_RECORD_SCOPES_MAX + 1));
	d->ahead[engine][key] = 0;
	d->fenced[engine][key] = false;
	if (d->nr_open < ARRAY_SIZE(d->open)) {
		d->open[d->nr_open].engine = engine;
		d->open[d->nr_open++].key = key;
	}
	trace("device %td engine %u key %u: queue for %d, flags %u, %d scopes",
	      d - device, engine, key, told.owner, rec.flags, told.nr_scopes);
	push(d, &rec, &told);
}

static void push_run(struct device *d, unsigned int engine, unsigned int key)
{
	struct gpu_record rec = {
		.type = GPU_RECORD_RUN,
		.engine = engine,
		.key = key_of(key),
	};
	struct model_record told = { .type = MODEL_RUN };

	trace("device %td engine %u key %u: run", d - device, engine, key);
	push(d, &rec, &told);
}

/* what was queued; mostly it is not what runs already */
static void push_run_of_open(struct device *d)
{
	unsigned int at = pick(d->nr_open);

	push_run(d, d->open[at].engine, d->open[at].key);
}

static void push_done(struct device *d, unsigned int engine, unsigned int key)
{
	struct gpu_record rec = {
		.type = GPU_RECORD_DONE,
		.engine = engine,
		.key = key_of(key),
	};
	struct model_record told = { .type = MODEL_DONE };

	trace("device %td engine %u key %u: done", d - device, engine, key);
	push(d, &rec, &told);
}

/* the oldest, or any, that was queued */
static void push_done_of_open(struct device *d, bool any)
{
	unsigned int at = any ? pick(d->nr_open) : 0;
	unsigned int engine = d->open[at].engine, key = d->open[at].key;

	d->nr_open--;
	memmove(&d->open[at], &d->open[at + 1],
		(d->nr_open - at) * sizeof(d->open[0]));
	push_done(d, engine, key);
}

/* a submission whose context could not be told */
static void lose(struct device *d)
{
	trace("device %td: no owner", d - device);
	gpu_ring_lose(&d->ring);
	d->model.ring_lost++;
}

static void flush(struct device *d)
{
	u64 now = source_time(d);

	trace("device %td: is flushed up to %llu", d - device, now);
	gpu_ledger_flush(&d->ledger, &d->ring, now);
	model_flush(&d->model, now);
	if (now > d->youngest)
		d->youngest = now;
	check_accounts();
	check_wall_time(d, now);
	check_ledger(d);
	check_jobs(d);
	check_model();
	check_told(d, now);
}

static void flush_all(void)
{
	for (int i = 0; i < NR_DEVICES; i++)
		flush(&device[i]);
}

/*
 * The last event was closed, and another one opened. The source has stopped
 * when the flush reads its clock: no record is younger.
 */
static void reattach(struct device *d)
{
	if (unit_clock < d->youngest)
		unit_clock = d->youngest;
	d->clock = unit_clock;
	flush(d);
	trace("device %td: detach, attach", d - device);
	gpu_ledger_forget(&d->ledger, ~0U);
	model_leave(&d->model, source_time(d));
	check_accounts();
	check_ledger(d);
	check_model();
	detach(d);
	attach(d);
}

/* ---- steps: the life of accounts ---- */

static void node_free(struct node *n)
{
	look(n, n - node);
	free(n->account);
	n->account = NULL;
}

static void node_release(struct gpu_account *account)
{
	for (int i = 0; i < nr_nodes; i++) {
		if (node[i].account != account)
			continue;
		HOLD(node[i].ended, "account %d is still in use", i);
		trace("account %d: released", i);
		node_free(&node[i]);
		return;
	}
	HOLD(false, "released twice");
}

static void node_end(int i)
{
	struct node *n;

	if (i < 0 || node[i].views)
		return;
	n = &node[i];
	flush_all(); /* records on their way may name it */
	trace("account %d: ends", i);
	n->ended = true;
	if (n->account->jobs)
		n->account->release = node_release;
	else
		node_free(n);
}

static void context_end(void)
{
	int i = node_pick(BIT(CONTEXT), -1);

	if (i < 0 || nr_nodes == MAX_NODES)
		return;
	/* there is always one to submit on */
	node_new(CONTEXT, node[i].up, node[i].device, node[i].nr_engines);
	node_end(i);
}

static void task_new(void)
{
	if (nr_nodes == MAX_NODES)
		return;
	trace("account %d: task", nr_nodes);
	node_new(TASK, -1, -1, 0);
}

/* ---- steps: events ---- */

/* keys; nobody follows them */
static const char opener[2], task[3];

struct share {
	struct gpu_set set;
	int node;
	u64 last;	/* the view's, when it was settled last */
	u64 to_credit;
	u64 credited;
};

static struct event {
	struct gpu_member member;
	struct share *share;	/* NULL: not open */
	bool on;
	bool was_on;		/* when it was settled last */
	int task_cpu;
} event[MAX_EVENTS];

static LIST_HEAD(shares);

/* what the settlement that runs is to do */
static const struct gpu_member *want_member;
static u64 want_delta;
static unsigned int nr_credits;

static struct event *to_event(struct gpu_member *member)
{
	return container_of(member, struct event, member);
}

static bool event_live(struct gpu_member *member)
{
	return to_event(member)->on;
}

static int event_task_cpu(struct gpu_member *member)
{
	HOLD(member->task, "asked for the CPU of no task");
	return to_event(member)->task_cpu;
}

static void event_credit(struct gpu_member *member, u64 delta)
{
	HOLD(member == want_member, "event %td, not %td", to_event(member) - event,
	     want_member ? to_event((struct gpu_member *)want_member) - event : -1);
	HOLD(delta == want_delta, "%llu, not %llu", delta, want_delta);
	to_event(member)->share->credited += delta;
	nr_credits++;
}

static const struct gpu_credit_ops ops = {
	.live = event_live,
	.task_cpu = event_task_cpu,
	.credit = event_credit,
};

static bool is_at_home(const struct event *ev)
{
	return ev->member.cpu == -1 || !ev->member.task ||
	       ev->member.cpu == ev->task_cpu;
}

/* the oldest one that was and is on, at home if there is one */
static const struct gpu_member *heir(const struct share *share,
				     const struct event *leaving, bool at_home)
{
	const struct gpu_member *m;

	list_for_each_entry(m, &share->set.members, link) {
		const struct event *ev = to_event((struct gpu_member *)m);

		if (ev->was_on && (ev->on || ev == leaving) &&
		    (!at_home || is_at_home(ev)))
			return m;
	}
	return NULL;
}

static void settle(struct share *share, struct event *leaving)
{
	const struct gpu_view *view = &share->set.view;
	u64 value = gpu_account_slot(view->account, view->slot)[view->counter];
	struct gpu_member *m;

	want_delta = value - share->last;
	want_member = heir(share, leaving, true) ?: heir(share, leaving, false);
	nr_credits = 0;
	gpu_set_settle(&share->set, &ops, leaving ? &leaving->member : NULL);
	HOLD(nr_credits == (want_member && want_delta), "%u times, %llu",
	     nr_credits, want_delta);

	share->last = value;
	if (want_member)
		share->to_credit += want_delta;
	HOLD(share->credited == share->to_credit, "%llu, not %llu",
	     share->credited, share->to_credit);
	list_for_each_entry(m, &share->set.members, link) {
		struct event *ev = to_event(m);

		ev->was_on = ev->on || ev == leaving;
		HOLD(m->live == ev->was_on, "event %td", ev - event);
	}
}

static void settle_all(void)
{
	struct share *share;

	list_for_each_entry(share, &shares, set.link)
		settle(share, NULL);
}

static bool is_taken(const struct share *share, const struct event *ev)
{
	for (int i = 0; i < MAX_EVENTS; i++)
		if (event[i].share == share &&
		    event[i].member.cpu == ev->member.cpu &&
		    event[i].member.task == ev->member.task)
			return true;
	return false;
}

/* what an event asks for: anything, or what another one has asked for */
static struct share *share_new(void)
{
	const struct share *like = event[pick(MAX_EVENTS)].share;
	struct share *share = calloc(1, sizeof(*share));
	const void *who, *solo;
	struct gpu_view view = {};

	if (like && pick(4)) {
		share->node = like->node;
		view = like->set.view;
		who = like->set.opener;
		solo = like->set.solo;
	} else {
		share->node = node_pick(~0U, -1);
		view.account = node[share->node].account;
		view.slot = pick(node[share->node].nr_engines + 1);
		view.counter = pick(GPU_NR_COUNTERS);
		who = &opener[pick(2)];
		solo = pick(4) ? NULL : &task[pick(3)];
	}
	gpu_set_init(&share->set, &view, who, solo);
	share->last = gpu_account_slot(view.account, view.slot)[view.counter];
	return share;
}

/* as an event is opened: into a set that takes it, or into a new one */
static void event_open(struct event *ev)
{
	struct share *new = share_new(), *share;
	int n = new->node;
	bool take;

	ev->member.cpu = (int)pick(4) - 1;
	ev->member.task = pick(4) ? &task[pick(3)] : NULL;
	ev->on = false;
	ev->was_on = false;
	ev->task_cpu = pick(3);

	list_for_each_entry(share, &shares, set.link) {
		take = share->node == n &&
		       share->set.view.slot == new->set.view.slot &&
		       share->set.view.counter == new->set.view.counter &&
		       share->set.opener == new->set.opener &&
		       share->set.solo == new->set.solo && !is_taken(share, ev);
		HOLD(gpu_set_takes(&share->set, &new->set, &ev->member) == take,
		     "event %td", ev - event);
		if (take) {
			free(new);
			goto found;
		}
	}
	share = new;
	list_add_tail(&share->set.link, &shares);
found:
	trace("event %td: opened on account %d slot %u counter %d", ev - event, n,
	      share->set.view.slot, share->set.view.counter);
	gpu_set_join(&share->set, &ev->member);
	ev->share = share;
	node[n].views++;
}

static void event_close(struct event *ev)
{
	struct share *share = ev->share;

	trace("event %td: closed", ev - event);
	gpu_set_leave(&share->set, &ev->member);
	ev->share = NULL;
	node[share->node].views--;
	if (!share->set.nr) {
		list_del(&share->set.link);
		free(share);
	}
}

/* perf's add(): it flushes and settles in the new state */
static void event_add(struct event *ev)
{
	flush_all();
	trace("event %td: on", ev - event);
	ev->on = true;
	settle(ev->share, NULL);
}

/* perf's del(): it flushes and settles; the state may have changed already */
static void event_del(struct event *ev, bool early)
{
	flush_all();
	trace("event %td: off%s", ev - event, early ? " early" : "");
	if (early)
		ev->on = false;
	settle(ev->share, ev);
	ev->on = false;
}

static void event_step(void)
{
	struct event *ev = &event[pick(MAX_EVENTS)];
	unsigned int what = pick(8);

	if (!ev->share) {
		event_open(ev);
		return;
	}
	switch (what) {
	case 0:
		event_close(ev);
		break;
	case 1:
	case 2:
		event_add(ev);
		break;
	case 3:
		event_del(ev, false);
		break;
	case 4:
		event_del(ev, true);
		break;
	case 5: /* its task does not run: nobody is told */
		ev->on = !ev->on;
		break;
	case 6:
		ev->task_cpu = pick(3);
		break;
	case 7:
		settle(ev->share, NULL);
		break;
	}
}

/* ---- the story ---- */

static void clock_step(void)
{
	static const u8 shift[] = { 0, 0, 0, 2, 5, 10, 20, 33 };

	unit_clock += (u64)byte() << shift[pick(ARRAY_SIZE(shift))];
}

static void tick(void)
{
	flush_all();
	settle_all();
}

static void one_step(void)
{
	unsigned int what = byte(), how = byte();
	struct device *d = &device[how & 1];
	unsigned int engine = (how >> 1 & 3) % d->nr_engines;
	unsigned int key = how >> 3 & (NR_KEYS - 1);

	if (what & 0x80) /* most often time goes on, too */
		unit_clock += how;
	if (model_is_full(&d->model))
		return;

	switch (what & 0x1f) {
	case 4 ... 6:
		if (d->tells_run) {
			if (d->nr_open && (what & 0xe0))
				push_run_of_open(d);
			else
				push_run(d, engine, key);
			break;
		}
		fallthrough;
	case 0 ... 3:
		push_queue(d, engine, key, what >> 5);
		break;
	case 7:
		push_scopes(d, engine, key);
		break;
	case 8:
		push_fence(d, engine, key);
		if (what & 0x40)
			push_queue(d, engine, key, 7);
		break;
	case 9:
		for (unsigned int i = 0; i < 3; i++)
			push_scopes(d, engine, key);
		push_queue(d, engine, key, 7);
		break;
	case 10 ... 12:
		if (d->nr_open)
			push_done_of_open(d, false);
		break;
	case 13 ... 15:
		if (!d->nr_open)
			break;
		if (d->tells_run && (what & 1))
			push_run_of_open(d);
		else
			push_done_of_open(d, true);
		break;
	case 16:
		push_done(d, engine, key);
		break;
	case 17 ... 18:
		clock_step();
		break;
	case 19 ... 20:
		flush(d);
		break;
	case 21 ... 22:
		tick();
		break;
	case 23:
		task_new();
		break;
	case 24:
		if (how & 1)
			node_end(node_pick(BIT(TASK), -1));
		else
			context_end();
		break;
	case 25:
		if (how >= 224)
			reattach(d);
		break;
	case 26:
		if (how >= 192)
			lose(d);
		break;
	default:
		event_step();
		break;
	}
}

static void begin(void)
{
	nr_nodes = 0;
	nr_fences = 0;
	unit_clock = (u64)byte() << (pick(2) ? 40 : 0);
	out_of_order = pick(8) == 0;
	memset(event, 0, sizeof(event));
	node_new(ALL, -1, -1, MAX_ENGINES);
	for (int i = 0; i < NR_DEVICES; i++)
		device_new(&device[i], i);
	task_new();
	task_new();
}

static void finish(void)
{
	tick();
	for (int i = 0; i < MAX_EVENTS; i++)
		if (event[i].share)
			event_close(&event[i]);
	for (int i = 0; i < NR_DEVICES; i++) {
		reattach(&device[i]);
		detach(&device[i]);
	}
	/* nobody names an account any more: those that have ended are gone */
	for (int i = 0; i < nr_nodes; i++) {
		HOLD(!node[i].ended || !node[i].account, "account %d", i);
		free(node[i].account);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	tale_begin(data, size);
	begin();
	while (!tale_over() && tale_step++ < MAX_STEPS) {
		one_step();
		check_accounts();
	}
	finish();
	return 0;
}
