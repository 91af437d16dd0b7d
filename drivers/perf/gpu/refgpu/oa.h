/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counter unit of the reference GPU, modelled on the OA unit of Intel's.
 */
#ifndef _REFGPU_OA_H
#define _REFGPU_OA_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "engine.h"

/* why a report was written */
#define REFGPU_OA_START		BIT(0)	/* the unit was started */
#define REFGPU_OA_PERIOD	BIT(1)	/* the period is over */
#define REFGPU_OA_CHANGE	BIT(2)	/* another context came to the engine */
#define REFGPU_OA_TRIGGER	BIT(3)	/* software asked for it */

/* flags of a report, beside the engine's number */
#define REFGPU_OA_ENGINE	0xff
#define REFGPU_OA_PREEMPTED	BIT(8)	/* CHANGE: it interrupted a job */

/**
 * struct refgpu_report - what the unit writes
 * @reason:	REFGPU_OA_*, never 0
 * @timestamp:	the unit's clock, ticks; wraps
 * @hw_id:	context that the engine runs from now on; 0: none
 * @flags:	engine, and REFGPU_OA_PREEMPTED
 * @gpu_cycles:	32 bits; wraps, as all counters do
 * @l3_misses:	32 bits
 * @shader_active: the low 32 bits of 40
 * @mem_read:	the low 32 bits of 40, bytes
 * @mem_write:	the low 32 bits of 40, bytes
 * @high:	bits 32-39 of @shader_active, @mem_read and @mem_write, a byte each
 * @reserved:	0
 * @sequence:	number of this report, one more than the last one's; wraps, and
 *		leaves 0 out. The last word to land: if it is 0, the report is not
 *		complete yet.
 *
 * Counters are those of the engine. What they advanced from one report to the
 * engine's next one belongs to the context that the first of them names.
 */
struct refgpu_report {
	u32 reason;
	u32 timestamp;
	u32 hw_id;
	u32 flags;
	u32 gpu_cycles;
	u32 l3_misses;
	u32 shader_active;
	u32 mem_read;
	u32 mem_write;
	u8 high[4];
	u32 reserved[5];
	u32 sequence;
};

static_assert(sizeof(struct refgpu_report) == 64);

#define REFGPU_OA_MIN_SIZE	4096U
#define REFGPU_OA_MAX_SIZE	(16U << 20)
#define REFGPU_OA_MIN_PERIOD	64U

/* reports that a fault may write at once, with interrupts off: the largest buffer's */
#define REFGPU_OA_MAX_BURST	(REFGPU_OA_MAX_SIZE / sizeof(struct refgpu_report))

/* status register; write 1 to clear */
#define REFGPU_OA_FULL		BIT(0)	/* the tail came up to the head */
#define REFGPU_OA_LOST		BIT(1)	/* reports were not written */

/**
 * struct refgpu_oa_faults - what can be made to go wrong, through debugfs
 * @torn:	of so many reports to come, only the first half ever lands
 * @burst:	write so many reports at once, at the next occasion: see refgpu_oa_burst()
 * @late:	ticks after which data lands that the tail is already past
 * @jump:	added to the unit's clock
 */
struct refgpu_oa_faults {
	u32 torn;
	u32 burst;
	u32 late;
	u32 jump;
};

/**
 * struct refgpu_oa - the unit
 * @lock:	protects all of it
 * @enabled:	it writes reports
 * @buf:	where software finds them
 * @shadow:	what is on its way to @buf
 * @due:	when that lands, by report
 * @size:	bytes of @buf, a power of two
 * @head:	register: offset of the oldest report that software did not free
 * @tail:	register: offset behind the newest report, even before it landed
 * @landed:	offset of the oldest report that did not land
 * @status:	register: REFGPU_OA_FULL, REFGPU_OA_LOST
 * @sequence:	of the newest report
 * @written:	how many were written since the start; for tests only
 * @lost:	how many were not; likewise
 * @period:	ticks between two reports of an engine; 0: none
 * @next:	when the next period is over; changed by the clock's owner only
 * @base:	what counters are at the start; so wraps come early
 * @first:	the number before that of the first report, likewise
 * @faults:	what is to go wrong
 */
struct refgpu_oa {
	raw_spinlock_t lock;
	bool enabled;
	u8 *buf;
	u8 *shadow;
	u64 *due;
	u32 size;
	u32 head;
	u32 tail;
	u32 landed;
	u32 status;
	u32 sequence;
	u64 written;
	u64 lost;
	u32 period;
	u64 next;
	u64 base;
	u32 first;
	struct refgpu_oa_faults faults;
};

void refgpu_oa_init(struct refgpu_oa *oa, u64 base, u32 first);
int refgpu_oa_alloc(struct refgpu_oa *oa, u32 size);
void refgpu_oa_free(struct refgpu_oa *oa);
void refgpu_oa_clear(struct refgpu_oa *oa);
void refgpu_oa_reset(struct refgpu_oa *oa, u32 period, u64 now);
void refgpu_oa_stop(struct refgpu_oa *oa);

void refgpu_oa_write(struct refgpu_oa *oa, const struct refgpu_engine *engine,
		     u32 reason, u32 flags);
void refgpu_oa_land(struct refgpu_oa *oa, u64 now);
int refgpu_oa_burst(struct refgpu_oa *oa, u64 reports);
bool refgpu_oa_full(struct refgpu_oa *oa);
void refgpu_oa_skip(struct refgpu_oa *oa, u64 reports);

#endif /* _REFGPU_OA_H */
