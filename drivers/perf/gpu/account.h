/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting: from records to the counters of contexts, clients, devices and
 * task events. Pure logic: no lock, no clock, no memory of its own; also
 * built in user space, for tests/unit and tests/fuzz.
 */
#ifndef _GPU_PMU_ACCOUNT_H
#define _GPU_PMU_ACCOUNT_H

#include <linux/list.h>
#include <linux/types.h>

#include "ring.h"

/*
 * What is counted; monotonic, each in the unit of its event. The counters of
 * the devices' own come behind these.
 */
enum gpu_counter {
	GPU_COUNTER_BUSY,
	GPU_COUNTER_WAIT,
	GPU_COUNTER_JOBS,
	GPU_COUNTER_DONE,
	GPU_COUNTER_LOST,
	GPU_COUNTER_WAITS,
	GPU_COUNTER_WAIT_TIME,
	GPU_COUNTER_REPORTS,
	GPU_NR_COUNTERS
};

/**
 * struct gpu_account - the counters of a scope
 * @up:		the wider scope that this one is a part of: from a context to
 *		its client, to its device, to all devices; NULL at the end
 * @release:	called when the last outstanding job that names the account is
 *		gone; NULL while something else keeps the account
 * @jobs:	how many outstanding jobs name the account
 * @nr_engines:	how many engines it tells apart
 * @nr_counters: how many counters it has, GPU_NR_COUNTERS or more
 * @count:	the counters, see gpu_account_slot()
 */
struct gpu_account {
	struct gpu_account *up;
	void (*release)(struct gpu_account *account);
	unsigned int jobs;
	unsigned int nr_engines;
	unsigned int nr_counters;
	u64 count[];
};

/* for what did not happen on any engine in particular */
#define GPU_NO_ENGINE	(~0U)

#define gpu_account_bytes(nr_engines, nr_counters) \
	(((nr_engines) + 1) * (nr_counters) * sizeof(u64))

/**
 * gpu_account_slot() - the counters of an engine, or of all
 * @account:	the account
 * @slot:	0 over all engines, i + 1 of engine i: the encoding of
 *		perf_event_attr.config's engine field
 *
 * Context: any.
 * Return: the counts of that slot, as many as there are counters.
 */
static inline u64 *gpu_account_slot(struct gpu_account *account, unsigned int slot)
{
	return &account->count[slot * account->nr_counters];
}

/**
 * struct gpu_job - a piece of outstanding work
 * @queue:	in its engine's queue, or in one of the ledger's lists
 * @hash:	in the ledger's index
 * @chain:	of the ledger's index; not this job's, see there
 * @more:	further nodes that hold nothing but scopes
 * @engine:	index of its engine
 * @key:	as in its records
 * @submit:	when it was handed over
 * @start:	when it began to run; 0: it did not
 * @busy:	for how long it has run
 * @fence_context: of the fence that it signals, or 0
 * @fence_seqno: of the same
 * @pid:	process that submitted it, in the initial namespace, or 0
 * @owner:	the account of its context
 * @scope:	the accounts of the task events it is counted in
 * @nr_scopes:	how many of @scope are set
 * @flags:	GPU_PMU_WORK_*
 * @started:	it has run, or was told to have; its wait is over
 */
struct gpu_job {
	struct list_head queue;
	struct hlist_node hash;
	struct hlist_head chain;
	struct gpu_job *more;
	u64 key;
	u64 submit;
	u64 start;
	u64 busy;
	u64 fence_context;
	u64 fence_seqno;
	u32 pid;
	struct gpu_account *owner;
	struct gpu_account *scope[GPU_RECORD_SCOPES_MAX];
	u8 nr_scopes;
	u8 engine;
	u8 flags;
	bool started;
};

/**
 * gpu_job_has_scope() - the task events that a job counts for, beside its owner
 * @part:	the job, and then what goes on with it
 * @i:		0, and then one more than it was
 *
 * Return: whether there is one more: (*@part)->scope[*@i].
 */
static inline bool gpu_job_has_scope(const struct gpu_job **part, int *i)
{
	while (*part && *i == (*part)->nr_scopes) {
		*part = (*part)->more;
		*i = 0;
	}
	return *part;
}

/**
 * struct gpu_engine - a queue of a device that runs one piece of work at a time
 * @queue:	the outstanding work, in hand-over order
 * @running:	the work that runs: what the source told last or, if it does not
 *		tell, the first in the queue
 * @clock:	up to when the work that runs has been credited
 */
struct gpu_engine {
	struct list_head queue;
	struct gpu_job *running;
	u64 clock;
};

/**
 * struct gpu_ledger - the accounting of one device
 * @free:	unused jobs
 * @free_nodes:	unused nodes for scopes that a job has no room for
 * @staged:	scopes and fences of work whose QUEUE is still to come
 * @index:	the outstanding work of all engines, by engine and key: as many chains
 *		as there can be jobs, so that they stay short. Each is in the memory of
 *		some job, used or not
 * @index_mask:	how many there are, a power of two, - 1
 * @account:	the device's own account
 * @lost_seen:	how much of the ring's loss has been taken over
 * @left_out_seen: and of what it has left out
 * @untold_seen: and of the earlier work that it was not told
 * @unfollowed:	earlier work that had no room, and is still outstanding
 * @outstanding: how many jobs are in the engines' queues
 * @ahead:	how many records, from the ring's tail on, were taken over already
 * @tells_run:	the source tells what runs, by RUN records
 * @find:	the account of a context, or NULL: for records that name one
 * @done:	called for each job that is complete, or NULL
 * @nr_engines:	how many engines there are
 * @engine:	the engines
 */
struct gpu_ledger {
	struct list_head free;
	struct list_head free_nodes;
	struct list_head staged;
	struct gpu_job *index;
	unsigned int index_mask;
	struct gpu_account *account;
	unsigned long lost_seen;
	unsigned long left_out_seen;
	unsigned long untold_seen;
	unsigned long unfollowed;
	unsigned int outstanding;
	unsigned int ahead;
	bool tells_run;
	struct gpu_account *(*find)(struct gpu_ledger *ledger, u64 ctx);
	void (*done)(struct gpu_ledger *ledger, const struct gpu_job *job, u64 time);
	unsigned int nr_engines;
	struct gpu_engine *engine;
};

void gpu_account_init(struct gpu_account *account, struct gpu_account *up,
		      unsigned int nr_engines, unsigned int nr_counters);
void gpu_account_add(struct gpu_account *account, unsigned int engine,
		     unsigned int counter, u64 delta);
void gpu_account_lose(struct gpu_account *account, u64 nr);
bool gpu_account_is_part(const struct gpu_account *account, const struct gpu_account *of);

void gpu_ledger_init(struct gpu_ledger *ledger, struct gpu_account *account,
		     struct gpu_engine *engine, unsigned int nr_engines,
		     struct gpu_job *jobs, unsigned int nr_jobs,
		     struct gpu_job *nodes, unsigned int nr_nodes);
bool gpu_ledger_drain(struct gpu_ledger *ledger, struct gpu_ring *ring,
		      unsigned int work, unsigned int done_work);
void gpu_ledger_flush(struct gpu_ledger *ledger, struct gpu_ring *ring, u64 now);
bool gpu_ledger_forget(struct gpu_ledger *ledger, unsigned int nr);

#endif /* _GPU_PMU_ACCOUNT_H */
