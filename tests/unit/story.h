/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One device, for tests of the accounting: its accounts, its ring, its ledger,
 * and the helpers that tell what happens to it.
 */
#ifndef _UNIT_STORY_H
#define _UNIT_STORY_H

#include <linux/gpu_pmu.h>

#include "../../drivers/perf/gpu/account.h"
#include "unit.h"

#define NR_ENGINES	3
#define NR_JOBS		8
#define NR_SLOTS	32
#define NR_SCOPES	11

/* the account of everything is told of two engines only */
extern struct gpu_account *all, *device, *kernel, *client[2], *ctx[3];
extern struct gpu_account *scope[NR_SCOPES];
extern struct gpu_engine engine[NR_ENGINES];
extern struct gpu_ring ring;
extern struct gpu_ledger ledger;

/* what note_release() has seen */
extern unsigned int nr_released;
extern struct gpu_account *released;
extern u64 completed_when_released;

void setup(unsigned int nr_jobs);
void teardown(unsigned int nr_jobs);
unsigned int list_length(const struct list_head *head);
void note_release(struct gpu_account *account);

/* ---- what happens to it ---- */

void push_scoped(u64 time, enum gpu_record_type type, unsigned int flags,
		 unsigned int eng, struct gpu_account *owner, u64 key,
		 unsigned int first_scope, unsigned int nr_scopes);
void overflow(unsigned int nr);
void flush(u64 now);

static inline void queue_on(u64 time, unsigned int eng, struct gpu_account *owner,
			    u64 key)
{
	push_scoped(time, GPU_RECORD_QUEUE, GPU_PMU_WORK_JOB, eng, owner, key, 0, 0);
}

static inline void run_on(u64 time, unsigned int eng, u64 key)
{
	push_scoped(time, GPU_RECORD_RUN, 0, eng, NULL, key, 0, 0);
}

static inline void done_on(u64 time, unsigned int eng, u64 key)
{
	push_scoped(time, GPU_RECORD_DONE, 0, eng, NULL, key, 0, 0);
}

static inline void queue(u64 time, struct gpu_account *owner, u64 key)
{
	queue_on(time, 0, owner, key);
}

static inline void run(u64 time, u64 key)
{
	run_on(time, 0, key);
}

static inline void done(u64 time, u64 key)
{
	done_on(time, 0, key);
}

static inline void queue_flags(u64 time, unsigned int flags,
			       struct gpu_account *owner, u64 key)
{
	push_scoped(time, GPU_RECORD_QUEUE, flags, 0, owner, key, 0, 0);
}

/* work of nobody's submission: not a job */
static inline void queue_work(u64 time, struct gpu_account *owner, u64 key)
{
	queue_flags(time, 0, owner, key);
}

static inline void queue_scoped(u64 time, struct gpu_account *owner, u64 key,
				unsigned int first_scope, unsigned int nr_scopes)
{
	push_scoped(time, GPU_RECORD_QUEUE, GPU_PMU_WORK_JOB, 0, owner, key,
		    first_scope, nr_scopes);
}

static inline void announce_scopes(u64 time, unsigned int eng, u64 key,
				   unsigned int first_scope, unsigned int nr_scopes)
{
	push_scoped(time, GPU_RECORD_SCOPES, GPU_PMU_WORK_JOB, eng, ctx[0], key,
		    first_scope, nr_scopes);
}

/* ---- what was counted ---- */

static inline u64 busy(struct gpu_account *account)
{
	return gpu_account_slot(account, 0)[GPU_COUNTER_BUSY];
}

static inline u64 busy_on(struct gpu_account *account, unsigned int eng)
{
	return gpu_account_slot(account, eng + 1)[GPU_COUNTER_BUSY];
}

static inline u64 waited(struct gpu_account *account)
{
	return gpu_account_slot(account, 0)[GPU_COUNTER_WAIT];
}

static inline u64 submitted(struct gpu_account *account)
{
	return gpu_account_slot(account, 0)[GPU_COUNTER_JOBS];
}

static inline u64 completed(struct gpu_account *account)
{
	return gpu_account_slot(account, 0)[GPU_COUNTER_DONE];
}

static inline u64 lost(struct gpu_account *account)
{
	return gpu_account_slot(account, 0)[GPU_COUNTER_LOST];
}

#endif /* _UNIT_STORY_H */
