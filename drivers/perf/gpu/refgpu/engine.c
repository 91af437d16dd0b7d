// SPDX-License-Identifier: GPL-2.0
/*
 * An engine of the reference GPU: when which job runs, and what that counts.
 *
 * DOC: time
 *
 * This is arithmetic, and uses no function of the kernel: it is also built in
 * user space, for its tests. The engine's clock moves only when it is told
 * to, and then all that should have happened up to there happens, at the very
 * tick where it should: a job starts at the tick at which it was submitted or
 * at which the engine became free, and has its last tick after exactly as
 * many ticks as its commands say. It makes no difference whether the engine
 * is told of each tick or of the last one only. So a timer that fires late
 * delays what the CPU sees, and changes nothing in what it sees.
 *
 * DOC: which job
 *
 * Higher priorities come first, and preempt at once. Queues of the same
 * priority take turns: a queue may stay for a slice, and longer while no
 * other one of its priority is ready. One that was preempted keeps its turn,
 * with what was left of its slice. A job that hangs cannot be preempted: that
 * is what makes it a hang, and not a long job.
 */
#include <linux/minmax.h>

#include "engine.h"

/**
 * refgpu_cmd_ticks() - how long a command takes
 * @cmd:	the command
 *
 * Return: ticks, at least 1; REFGPU_NEVER if it does not end.
 */
u64 refgpu_cmd_ticks(const struct refgpu_cmd *cmd)
{
	switch (cmd->op) {
	case REFGPU_OP_FILL:
	case REFGPU_OP_COPY:
		return (cmd->n + REFGPU_BYTES_PER_CYCLE - 1) / REFGPU_BYTES_PER_CYCLE;
	case REFGPU_OP_TIMESTAMP:
		return 1;
	case REFGPU_OP_HANG:
		return REFGPU_NEVER;
	default:
		return cmd->n;
	}
}

/**
 * refgpu_engine_init() - an idle engine
 * @engine:	the engine
 * @ops:	whom it tells
 * @index:	its number
 * @now:	the clock
 * @slice:	ticks of a time slice
 */
void refgpu_engine_init(struct refgpu_engine *engine,
			const struct refgpu_engine_ops *ops, unsigned int index,
			u64 now, u64 slice)
{
	unsigned int i;

	*engine = (struct refgpu_engine) {
		.ops = ops,
		.index = index,
		.now = now,
		.slice = slice,
		.stuck_since = REFGPU_NEVER,
	};
	for (i = 0; i < REFGPU_NR_PRIORITIES; i++)
		INIT_LIST_HEAD(&engine->ready[i]);
}

/**
 * refgpu_queue_init() - an empty queue
 * @queue:	the queue
 * @priority:	of its context
 * @hw_id:	of its context
 */
void refgpu_queue_init(struct refgpu_queue *queue, unsigned int priority,
		       u32 hw_id)
{
	*queue = (struct refgpu_queue) {
		.priority = priority,
		.hw_id = hw_id,
	};
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->works);
}

/**
 * refgpu_work_init() - a job that can be submitted
 * @work:	the job
 * @queue:	where it will wait
 * @cmds:	what it does
 * @nr_cmds:	how many of them, at least one
 */
void refgpu_work_init(struct refgpu_work *work, struct refgpu_queue *queue,
		      struct refgpu_cmd *cmds, unsigned int nr_cmds)
{
	unsigned int i;

	*work = (struct refgpu_work) {
		.queue = queue,
		.cmds = cmds,
		.nr_cmds = nr_cmds,
		.submitted = REFGPU_NEVER,
		.started = REFGPU_NEVER,
		.ended = REFGPU_NEVER,
	};
	INIT_LIST_HEAD(&work->node);

	for (i = 0; i < nr_cmds; i++) {
		cmds[i].ticks = refgpu_cmd_ticks(&cmds[i]);
		if (cmds[i].ticks == REFGPU_NEVER) {
			work->left = REFGPU_NEVER;
			break;
		}
		work->left += cmds[i].ticks;
	}
}

/* of a job that was interrupted, both parts together count what the whole does */
static void engine_count(struct refgpu_engine *engine,
			 const struct refgpu_cmd *cmd, u64 from, u64 to)
{
	u64 *all = engine->counters.v, *own = engine->running->counters.v;
	u64 before, after;

	all[REFGPU_GPU_CYCLES] += to - from;
	own[REFGPU_GPU_CYCLES] += to - from;

	switch (cmd->op) {
	case REFGPU_OP_SPIN:
		all[REFGPU_SHADER_ACTIVE] += to - from;
		own[REFGPU_SHADER_ACTIVE] += to - from;
		break;
	case REFGPU_OP_FILL:
	case REFGPU_OP_COPY:
		before = min(cmd->n, from * REFGPU_BYTES_PER_CYCLE);
		after = min(cmd->n, to * REFGPU_BYTES_PER_CYCLE);
		all[REFGPU_MEM_WRITE] += after - before;
		own[REFGPU_MEM_WRITE] += after - before;
		if (cmd->op == REFGPU_OP_COPY) {
			all[REFGPU_MEM_READ] += after - before;
			own[REFGPU_MEM_READ] += after - before;
		}
		before /= REFGPU_BYTES_PER_MISS;
		after /= REFGPU_BYTES_PER_MISS;
		all[REFGPU_L3_MISSES] += after - before;
		own[REFGPU_L3_MISSES] += after - before;
		break;
	}
}

static struct refgpu_work *queue_first(const struct refgpu_queue *queue)
{
	return list_first_entry(&queue->works, struct refgpu_work, node);
}

/* the job that runs has these ticks; it does not end, or change, before @to */
static void engine_run(struct refgpu_engine *engine, u64 to)
{
	struct refgpu_work *work = queue_first(engine->running);
	struct refgpu_cmd *cmd;
	u64 ticks;

	while (engine->now < to) {
		cmd = &work->cmds[work->cmd];
		if (!work->done) {
			if (cmd->op == REFGPU_OP_TIMESTAMP)
				cmd->stamp = engine->now;
			if (cmd->op == REFGPU_OP_HANG)
				engine->stuck_since = engine->now;
		}
		ticks = min(to - engine->now, cmd->ticks - work->done);
		engine_count(engine, cmd, work->done, work->done + ticks);
		engine->now += ticks;
		work->done += ticks;
		if (work->left != REFGPU_NEVER)
			work->left -= ticks;
		if (work->done == cmd->ticks) {
			work->cmd++;
			work->done = 0;
		}
	}
}

static void engine_end_work(struct refgpu_engine *engine,
			    struct refgpu_work *work, int error)
{
	list_del_init(&work->node);
	work->ended = engine->now;
	work->error = error;
	engine->ops->end(engine, work);
}

static struct refgpu_queue *engine_best(struct refgpu_engine *engine)
{
	unsigned int i = REFGPU_NR_PRIORITIES;

	while (i--)
		if (!list_empty(&engine->ready[i]))
			return list_first_entry(&engine->ready[i],
						struct refgpu_queue, node);
	return NULL;
}

/* is there nothing better to run than what runs? */
static bool engine_stays(const struct refgpu_engine *engine,
			 const struct refgpu_queue *best)
{
	const struct refgpu_queue *running = engine->running;

	if (!running || list_empty(&running->works))
		return false;
	if (!best || engine->stuck_since != REFGPU_NEVER)
		return true;
	if (best->priority == running->priority)
		return engine->now < engine->slice_end;
	return best->priority < running->priority;
}

/* take what runs from the engine; @best comes in its place */
static void engine_put_back(struct refgpu_engine *engine,
			    const struct refgpu_queue *best)
{
	struct refgpu_queue *queue = engine->running;
	struct list_head *ready = &engine->ready[queue->priority];

	if (list_empty(&queue->works))
		return;
	engine->preemptions++;
	if (best->priority > queue->priority && engine->now < engine->slice_end) {
		queue->slice_left = engine->slice_end - engine->now;
		list_add(&queue->node, ready);
	} else {
		list_add_tail(&queue->node, ready);
	}
}

/* run what is to be run from this tick on */
static void engine_pick(struct refgpu_engine *engine)
{
	struct refgpu_queue *best = engine_best(engine), *from = engine->running;
	struct refgpu_work *work;

	if (!engine_stays(engine, best)) {
		if (!from && !best)
			return;
		if (from)
			engine_put_back(engine, best);
		if (best) {
			list_del_init(&best->node);
			engine->slice_end = engine->now +
				(best->slice_left ?: engine->slice);
			best->slice_left = 0;
		}
		engine->stuck_since = REFGPU_NEVER;
		engine->running = best;
		engine->changes++;
		engine->ops->change(engine, from, best);
		if (!best)
			return;
	}

	work = queue_first(engine->running);
	if (work->started == REFGPU_NEVER) {
		work->started = engine->now;
		engine->ops->start(engine, work);
	}
}

/**
 * refgpu_engine_submit() - queue a job
 * @engine:	the engine; its clock says when that is
 * @work:	the job
 */
void refgpu_engine_submit(struct refgpu_engine *engine, struct refgpu_work *work)
{
	struct refgpu_queue *queue = work->queue;

	if (list_empty(&queue->works)) {
		queue->slice_left = 0;
		list_add_tail(&queue->node, &engine->ready[queue->priority]);
	}
	work->submitted = engine->now;
	list_add_tail(&work->node, &queue->works);
	engine_pick(engine);
}

/**
 * refgpu_engine_next() - when will something happen, if nothing is submitted?
 * @engine:	the engine
 *
 * Return: a tick later than its clock, or REFGPU_NEVER.
 */
u64 refgpu_engine_next(const struct refgpu_engine *engine)
{
	const struct refgpu_queue *running = engine->running;
	u64 next = REFGPU_NEVER;
	u64 left;

	if (!running || engine->stuck_since != REFGPU_NEVER)
		return next;
	left = queue_first(running)->left;
	if (left != REFGPU_NEVER)
		next = engine->now + left;
	if (!list_empty(&engine->ready[running->priority]))
		next = min(next, engine->slice_end);
	return next;
}

/**
 * refgpu_engine_advance() - let time pass
 * @engine:	the engine
 * @to:		the clock from now on; not before what it was
 */
void refgpu_engine_advance(struct refgpu_engine *engine, u64 to)
{
	struct refgpu_work *work;
	u64 next;

	while ((next = refgpu_engine_next(engine)) <= to && next != REFGPU_NEVER) {
		engine_run(engine, next);
		work = queue_first(engine->running);
		if (!work->left)
			engine_end_work(engine, work, 0);
		engine_pick(engine);
	}
	if (engine->running)
		engine_run(engine, to);
	else
		engine->now = to;
}

static void queue_cancel(struct refgpu_engine *engine,
			 struct refgpu_queue *queue, int first, int rest)
{
	int error = first;

	while (!list_empty(&queue->works)) {
		engine_end_work(engine, queue_first(queue), error);
		error = rest;
	}
	if (queue == engine->running)
		engine->stuck_since = REFGPU_NEVER;
	else
		list_del_init(&queue->node);
}

/**
 * refgpu_engine_cancel() - end all jobs of a queue now
 * @engine:	the engine
 * @queue:	the queue
 * @first:	error for the job that is under way
 * @rest:	error for those that wait
 */
void refgpu_engine_cancel(struct refgpu_engine *engine,
			  struct refgpu_queue *queue, int first, int rest)
{
	queue_cancel(engine, queue, first, rest);
	engine_pick(engine);
}

/**
 * refgpu_engine_cancel_all() - end all jobs now
 * @engine:	the engine
 * @error:	for all of them
 */
void refgpu_engine_cancel_all(struct refgpu_engine *engine, int error)
{
	struct refgpu_queue *queue;

	while ((queue = engine_best(engine)))
		queue_cancel(engine, queue, error, error);
	if (engine->running)
		refgpu_engine_cancel(engine, engine->running, error, error);
}
