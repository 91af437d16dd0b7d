// SPDX-License-Identifier: GPL-2.0
/*
 * The record ring. See ring.h.
 *
 * Producers run in process, softirq and irq context, on any CPU, often under
 * a driver's spinlock; so they take no lock. They reserve a position with one
 * cmpxchg, fill the slot, and publish it by its ticket. The time is read
 * after the position was reserved: so every record at or behind the head that
 * the consumer saw is younger than a clock that the consumer read before.
 * That is what lets it credit a running job up to that clock and be certain
 * that no record of the past is still to come. A source that has a clock of its
 * own says by gpu_pmu_source_ops.sync up to when that is so.
 */
#include <linux/ktime.h>
#include <linux/processor.h>

#include "ring.h"

/**
 * gpu_ring_init() - make an empty ring
 * @ring:	the ring
 * @slots:	zeroed memory for its records
 * @nr:		their number, a power of two
 */
void gpu_ring_init(struct gpu_ring *ring, struct gpu_record *slots, u32 nr)
{
	ring->slots = slots;
	ring->mask = nr - 1;
	atomic_set(&ring->head, 0);
	ring->told = 0;
	atomic_long_set(&ring->lost, 0);
	atomic_long_set(&ring->left_out, 0);
	atomic_long_set(&ring->untold, 0);
	ring->tail = 0;
}

/* take a position, unless fewer than @spare others would be left free after it */
static bool ring_reserve(struct gpu_ring *ring, u32 spare, u32 *at)
{
	int pos = atomic_read(&ring->head), head;

	do {
		/* pairs with the release in gpu_ring_release() */
		while ((u32)pos - smp_load_acquire(&ring->tail) > ring->mask - spare) {
			/* full, or the position is an old one */
			head = atomic_read(&ring->head);
			if (head == pos)
				return false;
			pos = head;
		}
	} while (!atomic_try_cmpxchg(&ring->head, &pos, pos + 1));

	*at = pos;
	return true;
}

static void ring_write(struct gpu_ring *ring, u32 pos, const struct gpu_record *rec)
{
	struct gpu_record *slot = &ring->slots[pos & ring->mask];

	slot->time = rec->time ?: ktime_get_ns();
	slot->key = rec->key;
	slot->ctx = rec->ctx;
	slot->type = rec->type;
	slot->engine = rec->engine;
	slot->flags = rec->flags;
	slot->nr_scopes = rec->nr_scopes;
	for (int i = 0; i < rec->nr_scopes; i++)
		slot->scope[i] = rec->scope[i];
	if (rec->type == GPU_RECORD_FENCE) {
		slot->fence_context = rec->fence_context;
		slot->fence_seqno = rec->fence_seqno;
		slot->pid = rec->pid;
	}

	/* pairs with the acquire in gpu_ring_peek() */
	smp_store_release(&slot->ticket, pos + 1);
}

/**
 * gpu_ring_push() - append a record, or count it as lost when the ring is full
 * @ring:	the ring
 * @rec:	what to append; its ticket is set here, and its time if it has none
 *
 * Context: any but NMI, with interrupts off on this CPU: the consumer waits
 * for a slot that was reserved, and could be the interrupt.
 * Return: whether it is the first one of a batch, about: then the batch before is
 * to be taken over.
 */
bool gpu_ring_push(struct gpu_ring *ring, const struct gpu_record *rec)
{
	u32 pos;

	if (!ring_reserve(ring, 0, &pos)) {
		gpu_ring_lose(ring);
		return false;
	}
	ring_write(ring, pos, rec);
	/* two producers may both say so, or a later one */
	if (likely(!((READ_ONCE(ring->told) ^ pos) & ~(GPU_RING_BATCH - 1))))
		return false;
	WRITE_ONCE(ring->told, pos);
	return true;
}

/**
 * gpu_ring_try() - append a record, unless the ring is more than half full
 * @ring:	the ring, of two slots at least
 * @rec:	a record without which the others still make sense
 *
 * Context: as gpu_ring_push().
 * Return: whether it was.
 */
bool gpu_ring_try(struct gpu_ring *ring, const struct gpu_record *rec)
{
	u32 pos;

	if (!ring_reserve(ring, ring->mask / 2 + 1, &pos))
		return false;
	ring_write(ring, pos, rec);
	return true;
}

/**
 * gpu_ring_offer() - the same, and count it as left out if it was not
 * @ring:	the ring
 * @rec:	the record
 *
 * Context: as gpu_ring_push().
 */
void gpu_ring_offer(struct gpu_ring *ring, const struct gpu_record *rec)
{
	if (!gpu_ring_try(ring, rec))
		gpu_ring_leave_out(ring);
}

/**
 * gpu_ring_head() - where the consumer may go
 * @ring:	the ring
 *
 * Every record that is pushed from now on is younger than a clock that the
 * caller has read before the call.
 *
 * Return: the position.
 */
u32 gpu_ring_head(struct gpu_ring *ring)
{
	smp_mb(); /* the caller's clock first, then the head */
	return atomic_read(&ring->head);
}

/**
 * gpu_ring_peek() - read a record
 * @ring:	the ring
 * @pos:	its position, in front of gpu_ring_head()
 *
 * Waits until its producer, which has its interrupts off, has written it.
 *
 * Return: the record.
 */
const struct gpu_record *gpu_ring_peek(struct gpu_ring *ring, u32 pos)
{
	struct gpu_record *slot = &ring->slots[pos & ring->mask];

	/* pairs with the release in gpu_ring_push() */
	while (smp_load_acquire(&slot->ticket) != pos + 1)
		cpu_relax();
	return slot;
}

/**
 * gpu_ring_release() - give the slots before a position back to the producers
 * @ring:	the ring
 * @pos:	the new tail
 */
void gpu_ring_release(struct gpu_ring *ring, u32 pos)
{
	/* pairs with the acquire in gpu_ring_push() */
	smp_store_release(&ring->tail, pos);
}
