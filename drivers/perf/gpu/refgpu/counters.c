// SPDX-License-Identifier: GPL-2.0
/*
 * The counter unit's registers, as software finds them.
 *
 * To use it: acquire, start; then, again and again: read the tail; for each
 * report from the head up to it, if its last word is there, use it and zero it;
 * write the new head. A report that has not landed ends the round, or is given
 * up if that takes too long. Stop, and release.
 */
#include "refgpu.h"

/**
 * refgpu_counters_acquire() - have the counter unit for oneself
 * @rdev:	the device
 * @size:	bytes of its buffer, a power of two
 *
 * Context: may sleep. Undone by refgpu_counters_release().
 * Return: 0, -EBUSY if someone else has it, -EINVAL, or -ENOMEM.
 */
int refgpu_counters_acquire(struct refgpu_device *rdev, u32 size)
{
	int ret;

	if (atomic_cmpxchg(&rdev->oa_owner, 0, 1))
		return -EBUSY;
	ret = refgpu_oa_alloc(&rdev->oa, size);
	if (ret)
		atomic_set(&rdev->oa_owner, 0);
	return ret;
}

/**
 * refgpu_counters_release() - let others have the counter unit
 * @rdev:	the device
 *
 * Stops it.
 *
 * Context: may sleep.
 */
void refgpu_counters_release(struct refgpu_device *rdev)
{
	refgpu_counters_stop(rdev);
	refgpu_oa_free(&rdev->oa);
	atomic_set_release(&rdev->oa_owner, 0);
}

static void counters_write(struct refgpu_device *rdev, u32 reason)
{
	unsigned int i;

	for (i = 0; i < rdev->nr_rings; i++)
		refgpu_oa_write(&rdev->oa, &rdev->rings[i].engine, reason, 0);
}

/**
 * refgpu_counters_start() - from now on, reports are written
 * @rdev:	the device
 * @period:	ticks, 0 for none
 *
 * The first report of each engine says where its counters are at the start.
 *
 * Context: any; the caller has the unit, and it is stopped.
 * Return: 0, -EINVAL for a period that is too short, -ENODEV.
 */
int refgpu_counters_start(struct refgpu_device *rdev, u32 period)
{
	unsigned long irq;
	int ret = 0;

	if (period && period < REFGPU_OA_MIN_PERIOD)
		return -EINVAL;

	refgpu_oa_clear(&rdev->oa);
	raw_spin_lock_irqsave(&rdev->lock, irq);
	if (rdev->gone) {
		ret = -ENODEV;
	} else {
		refgpu_hw_sync(rdev);
		refgpu_hw_kick(rdev);
		refgpu_oa_reset(&rdev->oa, period, rdev->rings[0].engine.now);
		counters_write(rdev, REFGPU_OA_START);
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return ret;
}

/**
 * refgpu_counters_stop() - from now on, no reports are written
 * @rdev:	the device
 *
 * Those that were can still be read.
 *
 * Context: any.
 */
void refgpu_counters_stop(struct refgpu_device *rdev)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	refgpu_oa_stop(&rdev->oa);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

/**
 * refgpu_counters_trigger() - have a report of each engine written now
 * @rdev:	the device
 *
 * Context: any; the caller has the unit.
 */
void refgpu_counters_trigger(struct refgpu_device *rdev)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	if (!rdev->gone) {
		refgpu_hw_sync(rdev);
		refgpu_hw_kick(rdev);
		counters_write(rdev, REFGPU_OA_TRIGGER);
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

/**
 * refgpu_counters_sync() - let happen what should have happened by now
 * @rdev:	the device
 * @trigger:	have a report of each engine written, if there is room; the caller
 *		has the unit
 *
 * What ends is handed over by the interrupt, which is due by then.
 *
 * Context: any, but not from refgpu_job_ops; also under the scheduler's locks.
 * Return: ticks; up to when it has.
 */
u64 refgpu_counters_sync(struct refgpu_device *rdev, bool trigger)
{
	unsigned long irq;
	u64 now;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	if (trigger && !rdev->gone && !refgpu_oa_full(&rdev->oa))
		counters_write(rdev, REFGPU_OA_TRIGGER);
	now = rdev->rings[0].engine.now;
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return now;
}

/**
 * refgpu_counters_clock() - read the clock that reports have their times from
 * @rdev:	the device
 *
 * Context: any.
 * Return: ticks; those of a report are the low 32 bits.
 */
u64 refgpu_counters_clock(struct refgpu_device *rdev)
{
	return refgpu_ticks(rdev) + READ_ONCE(rdev->oa.faults.jump);
}

/**
 * refgpu_counters_buffer() - where reports are written to
 * @rdev:	the device
 * @size:	bytes of it
 *
 * Context: any; valid while the caller has the unit.
 * Return: the first report; report number n is at (n * 64) of head and tail.
 */
struct refgpu_report *refgpu_counters_buffer(struct refgpu_device *rdev, u32 *size)
{
	*size = rdev->oa.size;
	return (struct refgpu_report *)rdev->oa.buf;
}

static u32 counters_read(struct refgpu_device *rdev, const u32 *reg)
{
	unsigned long irq;
	u32 value;

	raw_spin_lock_irqsave(&rdev->oa.lock, irq);
	value = *reg;
	raw_spin_unlock_irqrestore(&rdev->oa.lock, irq);
	return value;
}

/**
 * refgpu_counters_tail() - read the tail register
 * @rdev:	the device
 *
 * Context: any, but not from refgpu_job_ops; also under the scheduler's locks. The
 * caller has the unit.
 * Return: offset behind the newest report; which may not have landed.
 */
u32 refgpu_counters_tail(struct refgpu_device *rdev)
{
	unsigned long irq;
	u32 tail;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	tail = counters_read(rdev, &rdev->oa.tail);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return tail;
}

/**
 * refgpu_counters_head() - read the head register
 * @rdev:	the device
 *
 * Context: any.
 * Return: offset of the oldest report that was not freed.
 */
u32 refgpu_counters_head(struct refgpu_device *rdev)
{
	return counters_read(rdev, &rdev->oa.head);
}

/**
 * refgpu_counters_number() - read the register that numbers reports
 * @rdev:	the device
 *
 * Context: any; the caller has the unit.
 * Return: number of the newest report, also of one that there was no room for.
 */
u32 refgpu_counters_number(struct refgpu_device *rdev)
{
	return counters_read(rdev, &rdev->oa.sequence);
}

/**
 * refgpu_counters_set_head() - write the head register: free what is before it
 * @rdev:	the device
 * @head:	offset; a multiple of 64, between head and tail
 *
 * Software has zeroed what it frees.
 *
 * Context: any; the caller has the unit.
 * Return: 0, or -EINVAL.
 */
int refgpu_counters_set_head(struct refgpu_device *rdev, u32 head)
{
	struct refgpu_oa *oa = &rdev->oa;
	unsigned long irq;
	int ret = -EINVAL;
	u32 mask;

	raw_spin_lock_irqsave(&oa->lock, irq);
	mask = oa->size - 1;
	if (head < oa->size && !(head % sizeof(struct refgpu_report)) &&
	    ((head - oa->head) & mask) <= ((oa->tail - oa->head) & mask)) {
		/* data that comes later than this would be in the next round's place */
		if (((oa->landed - oa->head) & mask) < ((head - oa->head) & mask))
			oa->landed = head;
		oa->head = head;
		ret = 0;
	}
	raw_spin_unlock_irqrestore(&oa->lock, irq);
	return ret;
}

/**
 * refgpu_counters_status() - read the status register
 * @rdev:	the device
 *
 * Context: any.
 * Return: REFGPU_OA_FULL, REFGPU_OA_LOST.
 */
u32 refgpu_counters_status(struct refgpu_device *rdev)
{
	return counters_read(rdev, &rdev->oa.status);
}

/**
 * refgpu_counters_clear_status() - write the status register
 * @rdev:	the device
 * @status:	the bits to clear
 *
 * Context: any.
 */
void refgpu_counters_clear_status(struct refgpu_device *rdev, u32 status)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->oa.lock, irq);
	rdev->oa.status &= ~status;
	raw_spin_unlock_irqrestore(&rdev->oa.lock, irq);
}
