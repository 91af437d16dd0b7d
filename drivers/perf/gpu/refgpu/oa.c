// SPDX-License-Identifier: GPL-2.0
/*
 * The counter unit of the reference GPU, modelled on the OA unit of Intel's.
 *
 * DOC: the unit
 *
 * It writes reports of 64 bytes to a circular buffer: one for each engine at
 * the end of each period, and one at each change of context. As with the
 * original,
 *
 * - the tail is ahead of the data: a report may be counted in the tail register
 *   and be seen in memory only later. Software zeroes what it has read, and
 *   looks at a report only when its last word is there;
 * - the buffer can be full, and reports be lost: the status register says so
 *   until software clears it. Other than with the original, reports are
 *   numbered: so it can be told how many were lost, and where;
 * - timestamps and counters wrap.
 */
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "oa.h"

#define REPORT_BYTES	((u32)sizeof(struct refgpu_report))

/**
 * refgpu_oa_init() - a unit without a buffer, stopped
 * @oa:		the unit
 * @base:	where its counters start
 * @first:	the number before that of its first report
 */
void refgpu_oa_init(struct refgpu_oa *oa, u64 base, u32 first)
{
	raw_spin_lock_init(&oa->lock);
	oa->base = base;
	oa->first = first;
	oa->next = REFGPU_NEVER;
}

/**
 * refgpu_oa_alloc() - give it a buffer
 * @oa:		the unit, stopped and without one
 * @size:	bytes; a power of two
 *
 * Context: may sleep. Undone by refgpu_oa_free().
 * Return: 0, or a negative errno.
 */
int refgpu_oa_alloc(struct refgpu_oa *oa, u32 size)
{
	if (!is_power_of_2(size) || size < REFGPU_OA_MIN_SIZE ||
	    size > REFGPU_OA_MAX_SIZE)
		return -EINVAL;

	oa->buf = vzalloc(size);
	oa->shadow = vzalloc(size);
	oa->due = vcalloc(size / REPORT_BYTES, sizeof(*oa->due));
	if (!oa->buf || !oa->shadow || !oa->due) {
		refgpu_oa_free(oa);
		return -ENOMEM;
	}
	oa->size = size;
	return 0;
}

/**
 * refgpu_oa_free() - take its buffer
 * @oa:		the unit, stopped
 *
 * Context: may sleep.
 */
void refgpu_oa_free(struct refgpu_oa *oa)
{
	u8 *buf = oa->buf, *shadow = oa->shadow;
	u64 *due = oa->due;
	unsigned long irq;

	/* what has not landed by now never will */
	raw_spin_lock_irqsave(&oa->lock, irq);
	oa->head = 0;
	oa->tail = 0;
	oa->landed = 0;
	oa->due = NULL;
	oa->shadow = NULL;
	oa->buf = NULL;
	oa->size = 0;
	raw_spin_unlock_irqrestore(&oa->lock, irq);
	vfree(due);
	vfree(shadow);
	vfree(buf);
}

/**
 * refgpu_oa_clear() - zero the buffer
 * @oa:		the unit, stopped
 *
 * Context: any; takes its time.
 */
void refgpu_oa_clear(struct refgpu_oa *oa)
{
	memset(oa->buf, 0, oa->size);
}

/**
 * refgpu_oa_reset() - start from an empty buffer
 * @oa:		the unit, stopped, and cleared
 * @period:	ticks, 0 for none
 * @now:	the clock
 *
 * Context: any.
 */
void refgpu_oa_reset(struct refgpu_oa *oa, u32 period, u64 now)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&oa->lock, irq);
	oa->head = 0;
	oa->tail = 0;
	oa->landed = 0;
	oa->status = 0;
	oa->sequence = oa->first;
	oa->written = 0;
	oa->lost = 0;
	oa->period = period;
	oa->next = period ? now + period : REFGPU_NEVER;
	oa->enabled = true;
	raw_spin_unlock_irqrestore(&oa->lock, irq);
}

/**
 * refgpu_oa_stop() - no more reports
 * @oa:		the unit
 *
 * What has landed can still be read.
 *
 * Context: any.
 */
void refgpu_oa_stop(struct refgpu_oa *oa)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&oa->lock, irq);
	oa->enabled = false;
	oa->next = REFGPU_NEVER;
	raw_spin_unlock_irqrestore(&oa->lock, irq);
}

static u32 oa_behind(const struct refgpu_oa *oa, u32 offset)
{
	return (offset + REPORT_BYTES) & (oa->size - 1);
}

static bool oa_is_full(const struct refgpu_oa *oa)
{
	return oa_behind(oa, oa->tail) == oa->head;
}

static void oa_number(struct refgpu_oa *oa)
{
	if (!++oa->sequence)
		oa->sequence = 1;
}

/* a report's words arrive; the last one says that the others are there */
static void oa_land_report(struct refgpu_oa *oa)
{
	struct refgpu_report *from = (void *)(oa->shadow + oa->landed);
	struct refgpu_report *to = (void *)(oa->buf + oa->landed);

	if (oa->faults.torn) {
		oa->faults.torn--;
		memcpy(to, from, REPORT_BYTES / 2);
	} else {
		memcpy(to, from, offsetof(struct refgpu_report, sequence));
		/* pairs with the reader's smp_load_acquire() */
		smp_store_release(&to->sequence, from->sequence);
	}
	oa->landed = oa_behind(oa, oa->landed);
}

static void oa_fill(const struct refgpu_oa *oa,
		    const struct refgpu_engine *engine,
		    struct refgpu_report *report, u32 reason, u32 flags)
{
	const u64 *counters = engine->counters.v;
	u64 active = oa->base + counters[REFGPU_SHADER_ACTIVE];
	u64 read = oa->base + counters[REFGPU_MEM_READ];
	u64 write = oa->base + counters[REFGPU_MEM_WRITE];

	*report = (struct refgpu_report) {
		.reason = reason,
		.timestamp = (u32)engine->now + oa->faults.jump,
		.hw_id = engine->running ? engine->running->hw_id : 0,
		.flags = engine->index | flags,
		.gpu_cycles = oa->base + counters[REFGPU_GPU_CYCLES],
		.l3_misses = oa->base + counters[REFGPU_L3_MISSES],
		.shader_active = active,
		.mem_read = read,
		.mem_write = write,
		.high = { active >> 32, read >> 32, write >> 32 },
		.sequence = oa->sequence,
	};
}

static void oa_write_one(struct refgpu_oa *oa, const struct refgpu_engine *engine,
			 u32 reason, u32 flags)
{
	oa_number(oa);
	if (oa_is_full(oa)) {
		oa->status |= REFGPU_OA_FULL | REFGPU_OA_LOST;
		oa->lost++;
		return;
	}
	oa_fill(oa, engine, (void *)(oa->shadow + oa->tail), reason, flags);
	oa->due[oa->tail / REPORT_BYTES] = engine->now + oa->faults.late;
	oa->tail = oa_behind(oa, oa->tail);
	oa->written++;
	if (oa_is_full(oa))
		oa->status |= REFGPU_OA_FULL;
}

static void oa_land(struct refgpu_oa *oa, u64 now)
{
	while (oa->landed != oa->tail &&
	       oa->due[oa->landed / REPORT_BYTES] <= now)
		oa_land_report(oa);
}

/**
 * refgpu_oa_write() - an engine has something to report
 * @oa:		the unit
 * @engine:	the engine; its clock and its counters are reported
 * @reason:	REFGPU_OA_*
 * @flags:	REFGPU_OA_PREEMPTED, or 0
 *
 * Context: any.
 */
void refgpu_oa_write(struct refgpu_oa *oa, const struct refgpu_engine *engine,
		     u32 reason, u32 flags)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&oa->lock, irq);
	if (oa->enabled) {
		for (; oa->faults.burst; oa->faults.burst--)
			oa_write_one(oa, engine, REFGPU_OA_TRIGGER, 0);
		oa_write_one(oa, engine, reason, flags);
		oa_land(oa, engine->now);
	}
	raw_spin_unlock_irqrestore(&oa->lock, irq);
}

/**
 * refgpu_oa_burst() - a fault: many reports at once, at the next occasion
 * @oa:		the unit
 * @reports:	how many, besides the one that is then due
 *
 * Context: any.
 * Return: 0, or -ERANGE if they are more than REFGPU_OA_MAX_BURST.
 */
int refgpu_oa_burst(struct refgpu_oa *oa, u64 reports)
{
	unsigned long irq;

	if (reports > REFGPU_OA_MAX_BURST)
		return -ERANGE;
	raw_spin_lock_irqsave(&oa->lock, irq);
	oa->faults.burst = reports;
	raw_spin_unlock_irqrestore(&oa->lock, irq);
	return 0;
}

/**
 * refgpu_oa_land() - let data arrive that is on its way
 * @oa:		the unit
 * @now:	the clock
 *
 * Context: any.
 */
void refgpu_oa_land(struct refgpu_oa *oa, u64 now)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&oa->lock, irq);
	oa_land(oa, now);
	raw_spin_unlock_irqrestore(&oa->lock, irq);
}

/**
 * refgpu_oa_full() - would a report be lost now?
 * @oa:		the unit
 *
 * Context: any.
 * Return: whether it would.
 */
bool refgpu_oa_full(struct refgpu_oa *oa)
{
	unsigned long irq;
	bool full;

	raw_spin_lock_irqsave(&oa->lock, irq);
	full = oa->enabled && oa_is_full(oa);
	raw_spin_unlock_irqrestore(&oa->lock, irq);
	return full;
}

/**
 * refgpu_oa_skip() - the buffer is full: these reports are lost
 * @oa:		the unit
 * @reports:	how many
 *
 * Context: any.
 */
void refgpu_oa_skip(struct refgpu_oa *oa, u64 reports)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&oa->lock, irq);
	if (oa->enabled && reports) {
		oa->status |= REFGPU_OA_FULL | REFGPU_OA_LOST;
		oa->lost += reports;
		/* none is number 0: it is left out at each wrap */
		reports += oa->sequence;
		div_u64_rem(reports - 1, U32_MAX, &oa->sequence);
		oa->sequence++;
	}
	raw_spin_unlock_irqrestore(&oa->lock, irq);
}
