/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An engine of the reference GPU: when which job runs, and what that counts.
 */
#ifndef _REFGPU_ENGINE_H
#define _REFGPU_ENGINE_H

#include <linux/list.h>
#include <linux/types.h>
#include <drm/refgpu_drm.h>

#define REFGPU_NEVER	(~0ULL)

#define REFGPU_NR_PRIORITIES	(REFGPU_PRIORITY_HIGH + 1)

struct refgpu_bo;
struct refgpu_engine;
struct refgpu_queue;

enum refgpu_counter {
	REFGPU_GPU_CYCLES,	/* ticks with a job on the engine */
	REFGPU_SHADER_ACTIVE,	/* those of them that were spent in SPIN */
	REFGPU_MEM_READ,	/* bytes */
	REFGPU_MEM_WRITE,	/* bytes */
	REFGPU_L3_MISSES,
	REFGPU_NR_COUNTERS
};

struct refgpu_counters {
	u64 v[REFGPU_NR_COUNTERS];
};

/**
 * struct refgpu_cmd - a command of a job
 * @op:		enum drm_refgpu_op
 * @value:	of FILL
 * @n:		cycles, or bytes
 * @ticks:	how long it takes: see refgpu_cmd_ticks()
 * @stamp:	the clock when it began, of TIMESTAMP
 * @dst:	what it writes to; none of the engine's business
 * @src:	what it reads
 * @dst_offset:	bytes
 * @src_offset:	bytes
 */
struct refgpu_cmd {
	u32 op;
	u32 value;
	u64 n;
	u64 ticks;
	u64 stamp;
	struct refgpu_bo *dst;
	struct refgpu_bo *src;
	u64 dst_offset;
	u64 src_offset;
};

/**
 * struct refgpu_work - a job, as its engine sees it
 * @node:	in @queue->works; when it has ended, the owner's
 * @queue:	where it waits
 * @cmds:	what to do
 * @nr_cmds:	how many of them
 * @cmd:	which is next, or under way
 * @done:	ticks that @cmd had
 * @left:	ticks until it ends; REFGPU_NEVER if it does not
 * @submitted:	when the engine got it
 * @started:	when it first ran; REFGPU_NEVER before
 * @ended:	when it left the engine; REFGPU_NEVER before
 * @error:	0, or why it was cancelled
 */
struct refgpu_work {
	struct list_head node;
	struct refgpu_queue *queue;
	struct refgpu_cmd *cmds;
	unsigned int nr_cmds;
	unsigned int cmd;
	u64 done;
	u64 left;
	u64 submitted;
	u64 started;
	u64 ended;
	int error;
};

/**
 * struct refgpu_queue - what one context has on one engine
 * @node:	in the engine's list of its priority, while it is ready, and does not run
 * @works:	in order; the first one is under way
 * @priority:	0 (low) to REFGPU_NR_PRIORITIES - 1
 * @hw_id:	of the context
 * @slice_left:	ticks of its slice that a preemption took; 0: none
 * @counters:	what its jobs counted so far
 */
struct refgpu_queue {
	struct list_head node;
	struct list_head works;
	unsigned int priority;
	u32 hw_id;
	u64 slice_left;
	struct refgpu_counters counters;
};

/**
 * struct refgpu_engine_ops - what an engine tells; its clock says when that was
 * @start:	a job runs for the first time
 * @end:	a job left the engine, see its @error
 * @change:	one queue made room for another one; either may be NULL, for
 *		idleness. @from still has jobs if it was preempted.
 */
struct refgpu_engine_ops {
	void (*start)(struct refgpu_engine *engine, struct refgpu_work *work);
	void (*end)(struct refgpu_engine *engine, struct refgpu_work *work);
	void (*change)(struct refgpu_engine *engine, struct refgpu_queue *from,
		       struct refgpu_queue *to);
};

/**
 * struct refgpu_engine - an engine
 * @ops:	whom it tells
 * @index:	its number
 * @now:	its clock: all that happened before, and at, this tick is done
 * @slice:	ticks for a context while others of its priority wait
 * @slice_end:	when that of @running is over
 * @stuck_since: when @running came to a HANG; REFGPU_NEVER if it did not
 * @running:	the queue whose first job runs; NULL if idle
 * @ready:	those that wait, by priority
 * @counters:	what all jobs counted so far
 * @changes:	number of changes of context
 * @preemptions: those of them that interrupted a job
 */
struct refgpu_engine {
	const struct refgpu_engine_ops *ops;
	unsigned int index;
	u64 now;
	u64 slice;
	u64 slice_end;
	u64 stuck_since;
	struct refgpu_queue *running;
	struct list_head ready[REFGPU_NR_PRIORITIES];
	struct refgpu_counters counters;
	u64 changes;
	u64 preemptions;
};

u64 refgpu_cmd_ticks(const struct refgpu_cmd *cmd);

void refgpu_engine_init(struct refgpu_engine *engine,
			const struct refgpu_engine_ops *ops, unsigned int index,
			u64 now, u64 slice);
void refgpu_queue_init(struct refgpu_queue *queue, unsigned int priority,
		       u32 hw_id);
void refgpu_work_init(struct refgpu_work *work, struct refgpu_queue *queue,
		      struct refgpu_cmd *cmds, unsigned int nr_cmds);

void refgpu_engine_submit(struct refgpu_engine *engine, struct refgpu_work *work);
u64 refgpu_engine_next(const struct refgpu_engine *engine);
void refgpu_engine_advance(struct refgpu_engine *engine, u64 to);
void refgpu_engine_cancel(struct refgpu_engine *engine,
			  struct refgpu_queue *queue, int first, int rest);
void refgpu_engine_cancel_all(struct refgpu_engine *engine, int error);

#endif /* _REFGPU_ENGINE_H */
