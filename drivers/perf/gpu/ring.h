/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The record ring: from the sources, in whatever context they run, to the
 * flush. Many producers, one consumer at a time.
 *
 * Also built in user space, for tests/unit.
 */
#ifndef _GPU_PMU_RING_H
#define _GPU_PMU_RING_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct gpu_account;

enum gpu_record_type {
	GPU_RECORD_QUEUE,	/* work was handed over to an engine */
	GPU_RECORD_SCOPES,	/* more scopes of the work whose QUEUE follows */
	GPU_RECORD_FENCE,	/* the fence of the work whose QUEUE follows */
	GPU_RECORD_RUN,		/* from now on the engine runs this work */
	GPU_RECORD_DONE,	/* work was completed */
};

/* a record's flags, beside GPU_PMU_WORK_* */
#define GPU_RECORD_BY_CONTEXT	BIT(7)	/* QUEUE: @ctx, and not @owner */

/* how many task scopes one record or one job can name; more take another */
#define GPU_RECORD_SCOPES_MAX	4

/**
 * struct gpu_record - one thing that happened on a GPU
 * @time:	CLOCK_MONOTONIC, in ns; 0: set by gpu_ring_push()
 * @key:	tells the outstanding work of an engine apart; the same in all
 *		records of one piece of work
 * @owner:	QUEUE: the account of the context that the work is for
 * @ctx:	QUEUE: the context itself, whose account the consumer is to find
 * @scope:	QUEUE, SCOPES: the accounts of the task events that the
 *		submitting task had enabled
 * @fence_context: FENCE: of the fence that the work signals
 * @fence_seqno: FENCE: of the same
 * @pid:	FENCE: process that submits it, in the initial namespace, or 0
 * @ticket:	the ring's own: which position this slot holds
 * @type:	enum gpu_record_type
 * @engine:	index of the engine
 * @flags:	GPU_PMU_WORK_*, GPU_RECORD_*
 * @nr_scopes:	how many of @scope are set
 */
struct gpu_record {
	u64 time;
	u64 key;
	union {
		struct gpu_account *owner;
		u64 ctx;
	};
	union {
		struct gpu_account *scope[GPU_RECORD_SCOPES_MAX];
		struct {
			u64 fence_context;
			u64 fence_seqno;
			u32 pid;
		};
	};
	u32 ticket;
	u8 type;
	u8 engine;
	u8 flags;
	u8 nr_scopes;
};

static_assert(sizeof(struct gpu_record) == 64);

/* when so many records have come, it is time to take them over */
#define GPU_RING_BATCH	256

/**
 * struct gpu_ring - a ring of records
 * @slots:	the records, a power of two of them
 * @mask:	their number - 1
 * @head:	the next position to be reserved by a producer
 * @told:	a position of the batch that the flush was told of last
 * @lost:	how many records found the ring full
 * @left_out:	how many were left out, to keep room for the others
 * @untold:	how much earlier work was, for the same
 * @tail:	the next position to be consumed
 *
 * Positions count up forever and wrap with 32 bits. The slot at position p is
 * complete when its ticket is p + 1, which no earlier lap can have left there.
 */
struct gpu_ring {
	struct gpu_record *slots;
	u32 mask;
	atomic_t head ____cacheline_aligned_in_smp;
	u32 told;
	atomic_long_t lost;
	atomic_long_t left_out;
	atomic_long_t untold;
	u32 tail ____cacheline_aligned_in_smp;
};

void gpu_ring_init(struct gpu_ring *ring, struct gpu_record *slots, u32 nr);
bool gpu_ring_push(struct gpu_ring *ring, const struct gpu_record *rec);
bool gpu_ring_try(struct gpu_ring *ring, const struct gpu_record *rec);
void gpu_ring_offer(struct gpu_ring *ring, const struct gpu_record *rec);
u32 gpu_ring_head(struct gpu_ring *ring);
const struct gpu_record *gpu_ring_peek(struct gpu_ring *ring, u32 pos);
void gpu_ring_release(struct gpu_ring *ring, u32 pos);

/**
 * gpu_ring_lose() - count a record that is not there
 * @ring:	the ring
 */
static inline void gpu_ring_lose(struct gpu_ring *ring)
{
	/* pairs with the acquire in gpu_ring_lost() */
	atomic_long_fetch_add_release(1, &ring->lost);
}

/**
 * gpu_ring_lost() - how many records were lost
 * @ring:	the ring
 *
 * All records that were in the ring before one of them are in front of a
 * gpu_ring_head() that is called after this.
 *
 * Return: how many.
 */
static inline unsigned long gpu_ring_lost(struct gpu_ring *ring)
{
	/* pairs with the release in gpu_ring_lose() */
	return atomic_long_read_acquire(&ring->lost);
}

/**
 * gpu_ring_leave_out() - count what was left out, to keep room for others
 * @ring:	the ring
 */
static inline void gpu_ring_leave_out(struct gpu_ring *ring)
{
	atomic_long_fetch_add_release(1, &ring->left_out);
}

/**
 * gpu_ring_left_out() - how many records were left out
 * @ring:	the ring
 *
 * Return: how many.
 */
static inline unsigned long gpu_ring_left_out(struct gpu_ring *ring)
{
	return atomic_long_read_acquire(&ring->left_out);
}

/**
 * gpu_ring_leave_untold() - count earlier work that is not told, to keep room for others
 * @ring:	the ring
 */
static inline void gpu_ring_leave_untold(struct gpu_ring *ring)
{
	atomic_long_fetch_add_release(1, &ring->untold);
}

/**
 * gpu_ring_untold() - how much earlier work was not told
 * @ring:	the ring
 *
 * Return: how many pieces.
 */
static inline unsigned long gpu_ring_untold(struct gpu_ring *ring)
{
	return atomic_long_read_acquire(&ring->untold);
}

#endif /* _GPU_PMU_RING_H */
