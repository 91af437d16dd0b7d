// SPDX-License-Identifier: GPL-2.0
/*
 * The device: a clock, engines, a counter unit, and an interrupt.
 *
 * DOC: the clock
 *
 * Ticks follow from CLOCK_MONOTONIC, and all else follows from ticks. The
 * hrtimer is the interrupt of a real device: it makes the CPU look when there
 * is something to be seen, and it has no say in what that is, or in when it
 * happened. Engines and counter unit are brought up to date together, tick by
 * tick of those at which something happens: so that reports are in order.
 */
#include <linux/math64.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "refgpu.h"

/**
 * refgpu_ticks() - the GPU's clock
 * @rdev:	the device
 *
 * Context: any.
 * Return: ticks now.
 */
u64 refgpu_ticks(const struct refgpu_device *rdev)
{
	return rdev->base + div_u64(ktime_get_ns() - rdev->epoch, REFGPU_TICK_NS);
}

/**
 * refgpu_ticks_to_ns() - when was, or will be, a tick?
 * @rdev:	the device
 * @ticks:	the GPU's clock
 *
 * Context: any.
 * Return: ns of CLOCK_MONOTONIC.
 */
u64 refgpu_ticks_to_ns(const struct refgpu_device *rdev, u64 ticks)
{
	return rdev->epoch + (ticks - rdev->base) * REFGPU_TICK_NS;
}

/* was a job submitted since it listens? */
static bool listener_knows(const struct refgpu_listener *listener,
			   const struct refgpu_job *job)
{
	return job->info.number >= listener->since;
}

static void ring_run(struct refgpu_engine *engine, struct refgpu_work *work)
{
	struct refgpu_device *rdev = to_refgpu_ring(engine)->rdev;
	struct refgpu_job *job = work_to_refgpu_job(work);
	struct refgpu_listener *listener;

	list_for_each_entry(listener, &rdev->listeners, node)
		if (listener_knows(listener, job))
			listener->ops->run(listener, &job->info, engine->now);
}

static void job_over(struct refgpu_device *rdev, struct refgpu_job *job, u64 ticks)
{
	struct refgpu_listener *listener;

	list_for_each_entry(listener, &rdev->listeners, node)
		if (listener_knows(listener, job))
			listener->ops->end(listener, &job->info, job->work.started,
					   ticks, job->work.error);
	list_del_init(&job->node);
}

static void ring_end(struct refgpu_engine *engine, struct refgpu_work *work)
{
	struct refgpu_device *rdev = to_refgpu_ring(engine)->rdev;
	struct refgpu_job *job = work_to_refgpu_job(work);

	job_over(rdev, job, work->ended);
	list_add_tail(&work->node, &rdev->ended);
}

static struct refgpu_work *queue_job(const struct refgpu_queue *queue)
{
	return list_first_entry(&queue->works, struct refgpu_work, node);
}

static void ring_change(struct refgpu_engine *engine, struct refgpu_queue *from,
			struct refgpu_queue *to)
{
	struct refgpu_device *rdev = to_refgpu_ring(engine)->rdev;
	bool preempted = from && !list_empty(&from->works);

	refgpu_oa_write(&rdev->oa, engine, REFGPU_OA_CHANGE,
			preempted ? REFGPU_OA_PREEMPTED : 0);
	/* one that was interrupted goes on; of a new one the engine tells by itself */
	if (to && queue_job(to)->started != REFGPU_NEVER)
		ring_run(engine, queue_job(to));
}

static const struct refgpu_engine_ops ring_ops = {
	.start = ring_run,
	.end = ring_end,
	.change = ring_change,
};

/* one period is over; or several, if there is no room for their reports */
static void hw_period(struct refgpu_device *rdev, u64 now)
{
	struct refgpu_oa *oa = &rdev->oa;
	unsigned int i;
	u64 periods;

	if (refgpu_oa_full(oa)) {
		periods = div_u64(now - oa->next, oa->period) + 1;
		refgpu_oa_skip(oa, periods * rdev->nr_rings);
		oa->next += periods * oa->period;
		return;
	}
	for (i = 0; i < rdev->nr_rings; i++)
		refgpu_oa_write(oa, &rdev->rings[i].engine, REFGPU_OA_PERIOD, 0);
	oa->next += oa->period;
}

static void hw_advance(struct refgpu_device *rdev)
{
	u64 now = refgpu_ticks(rdev);
	unsigned int i;
	u64 next;

	lockdep_assert_held(&rdev->lock);
	do {
		next = min(now, rdev->oa.next);
		for (i = 0; i < rdev->nr_rings; i++)
			next = min(next, refgpu_engine_next(&rdev->rings[i].engine));
		for (i = 0; i < rdev->nr_rings; i++)
			refgpu_engine_advance(&rdev->rings[i].engine, next);
		if (next == rdev->oa.next)
			hw_period(rdev, now);
	} while (next < now);
	refgpu_oa_land(&rdev->oa, now);
}

/**
 * refgpu_hw_sync() - let happen what should have happened by now
 * @rdev:	the device
 *
 * Context: rdev->lock held.
 */
void refgpu_hw_sync(struct refgpu_device *rdev)
{
	lockdep_assert_held(&rdev->lock);
	if (!rdev->gone)
		hw_advance(rdev);
}

/**
 * refgpu_hw_kick() - hand over what has ended, and wake up for the next
 * @rdev:	the device
 *
 * To be called when engines may have got or lost jobs, or ended some.
 *
 * Context: rdev->lock held.
 */
void refgpu_hw_kick(struct refgpu_device *rdev)
{
	u64 next = REFGPU_NEVER;
	unsigned int i;

	lockdep_assert_held(&rdev->lock);
	if (!list_empty(&rdev->ended))
		irq_work_queue(&rdev->finish_later);
	if (rdev->gone)
		return;

	for (i = 0; i < rdev->nr_rings; i++)
		next = min(next, refgpu_engine_next(&rdev->rings[i].engine));
	if (next != REFGPU_NEVER)
		hrtimer_start(&rdev->timer,
			      ns_to_ktime(refgpu_ticks_to_ns(rdev, next)),
			      HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart hw_interrupt(struct hrtimer *timer)
{
	struct refgpu_device *rdev = container_of(timer, struct refgpu_device, timer);
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return HRTIMER_NORESTART;
}

static void cmd_execute(const struct refgpu_cmd *cmd)
{
	void *to = cmd->dst ? cmd->dst->map.vaddr + cmd->dst_offset : NULL;

	switch (cmd->op) {
	case REFGPU_OP_FILL:
		memset32(to, cmd->value, cmd->n / sizeof(u32));
		break;
	case REFGPU_OP_COPY:
		memmove(to, cmd->src->map.vaddr + cmd->src_offset, cmd->n);
		break;
	case REFGPU_OP_TIMESTAMP:
		*(u64 *)to = cmd->stamp;
		break;
	}
}

static void job_finish(struct refgpu_job *job)
{
	struct dma_fence *fence = dma_fence_get(&job->fence->base);
	unsigned int i;

	if (job->work.error) {
		/* before 6.8, drm_sched does not take it over from the other one */
		dma_fence_set_error(&job->base.s_fence->finished, job->work.error);
		dma_fence_set_error(fence, job->work.error);
	} else {
		for (i = 0; i < job->work.nr_cmds; i++)
			cmd_execute(&job->cmds[i]);
	}
	/* the scheduler may free the job from here on */
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

static void hw_finish_later(struct irq_work *later)
{
	struct refgpu_device *rdev = container_of(later, struct refgpu_device, finish_later);

	queue_work(rdev->finish_wq, &rdev->finish);
}

static void hw_finish(struct work_struct *finish)
{
	struct refgpu_device *rdev = container_of(finish, struct refgpu_device, finish);
	struct refgpu_work *work;
	unsigned long irq;
	bool cookie;

	cookie = dma_fence_begin_signalling();
	for (;;) {
		raw_spin_lock_irqsave(&rdev->lock, irq);
		work = list_first_entry_or_null(&rdev->ended, struct refgpu_work, node);
		if (work)
			list_del_init(&work->node);
		raw_spin_unlock_irqrestore(&rdev->lock, irq);
		if (!work)
			break;
		job_finish(work_to_refgpu_job(work));
		cond_resched();
	}
	dma_fence_end_signalling(cookie);
}

/**
 * refgpu_hw_submit() - give a job to its engine
 * @job:	the job; its fence is initialized
 *
 * Context: any.
 * Return: 0, -ENODEV if the device is gone, -ECANCELED if the context is.
 */
int refgpu_hw_submit(struct refgpu_job *job)
{
	struct refgpu_ring *ring = job->ring;
	struct refgpu_device *rdev = ring->rdev;
	unsigned long irq;
	int ret = 0;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	if (rdev->gone) {
		ret = -ENODEV;
	} else if (job->ctx->dead || atomic_read(&job->ctx->guilty)) {
		ret = -ECANCELED;
	} else {
		refgpu_hw_sync(rdev);
		refgpu_engine_submit(&ring->engine, &job->work);
		refgpu_hw_kick(rdev);
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return ret;
}

/**
 * refgpu_hw_cancel() - end all jobs that a context has on an engine
 * @rdev:	the device
 * @ring:	the engine
 * @queue:	what the context has there
 * @first:	error for the job that is under way
 * @rest:	error for those that wait
 *
 * Context: rdev->lock held, the device is up to date.
 */
void refgpu_hw_cancel(struct refgpu_device *rdev, struct refgpu_ring *ring,
		      struct refgpu_queue *queue, int first, int rest)
{
	refgpu_engine_cancel(&ring->engine, queue, first, rest);
	refgpu_hw_kick(rdev);
}

/* tell of jobs that were submitted before, and of those that run */
static void listener_catch_up(struct refgpu_device *rdev,
			      struct refgpu_listener *listener)
{
	struct refgpu_engine *engine;
	struct refgpu_job *job;
	unsigned int i;

	list_for_each_entry(job, &rdev->submitted, node)
		listener->ops->earlier(listener, &job->info, job->submitted,
				       job->work.started != REFGPU_NEVER);
	for (i = 0; i < rdev->nr_rings; i++) {
		engine = &rdev->rings[i].engine;
		if (!engine->running)
			continue;
		job = work_to_refgpu_job(queue_job(engine->running));
		listener->ops->run(listener, &job->info, engine->now);
	}
}

/**
 * refgpu_listen() - be told what becomes of jobs
 * @rdev:	the device
 * @listener:	who; its ops are set
 *
 * Context: any, but not from its ops. Undone by refgpu_unlisten().
 */
void refgpu_listen(struct refgpu_device *rdev, struct refgpu_listener *listener)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	listener->since = rdev->nr_submitted + 1;
	if (listener->ops->earlier) {
		listener->since = 0;
		listener_catch_up(rdev, listener);
	}
	list_add_tail(&listener->node, &rdev->listeners);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

/**
 * refgpu_unlisten() - be told no more
 * @rdev:	the device; may be unplugged
 * @listener:	who; no call is under way when this returns
 *
 * Context: any, but not from its ops.
 */
void refgpu_unlisten(struct refgpu_device *rdev, struct refgpu_listener *listener)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	list_del(&listener->node);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

/**
 * refgpu_job_announce() - a job is about to be queued
 * @job:	the job; its fence has a number
 *
 * Context: the task that submits it.
 */
void refgpu_job_announce(struct refgpu_job *job)
{
	struct refgpu_device *rdev = job->ring->rdev;
	struct refgpu_listener *listener;
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	job->info.number = ++rdev->nr_submitted;
	job->submitted = job->ring->engine.now;
	list_add_tail(&job->node, &rdev->submitted);
	list_for_each_entry(listener, &rdev->listeners, node)
		listener->ops->submit(listener, &job->info, job->submitted);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

/**
 * refgpu_job_forget() - a job is no more
 * @job:	the job
 *
 * If it was announced, and never came to its engine, this is its end.
 *
 * Context: any.
 */
void refgpu_job_forget(struct refgpu_job *job)
{
	struct refgpu_device *rdev = job->ring->rdev;
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	if (!list_empty(&job->node)) {
		refgpu_hw_sync(rdev);
		refgpu_hw_kick(rdev);
		job->work.error = -ECANCELED;
		job_over(rdev, job, job->ring->engine.now);
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
}

static void hw_release(struct drm_device *drm, void *data)
{
	struct refgpu_device *rdev = data;

	refgpu_oa_free(&rdev->oa);
	destroy_workqueue(rdev->free_wq);
	destroy_workqueue(rdev->finish_wq);
	mutex_destroy(&rdev->pmu_lock);
}

static void ring_init(struct refgpu_device *rdev, u32 class, unsigned int nr)
{
	static const char * const names[] = {
		[REFGPU_ENGINE_RENDER] = "render",
		[REFGPU_ENGINE_COPY] = "copy",
	};
	struct refgpu_ring *ring = &rdev->rings[rdev->nr_rings];

	ring->rdev = rdev;
	ring->class = class;
	ring->fence_context = dma_fence_context_alloc(1);
	snprintf(ring->name, sizeof(ring->name), "%s%u", names[class], nr);
	refgpu_engine_init(&ring->engine, &ring_ops, rdev->nr_rings, rdev->base,
			   div_u64(refgpu_timeslice_us * 1000ULL, REFGPU_TICK_NS));
	rdev->nr_rings++;
}

/**
 * refgpu_hw_init() - power up
 * @rdev:	the device
 * @render:	number of render engines
 * @copy:	number of copy engines
 *
 * Context: may sleep. Undone by refgpu_hw_unplug(), and by the end of the
 * drm_device.
 * Return: 0, or a negative errno.
 */
int refgpu_hw_init(struct refgpu_device *rdev, unsigned int render,
		   unsigned int copy)
{
	unsigned int i;

	raw_spin_lock_init(&rdev->lock);
	mutex_init(&rdev->pmu_lock);
	INIT_LIST_HEAD(&rdev->ended);
	INIT_LIST_HEAD(&rdev->listeners);
	INIT_LIST_HEAD(&rdev->submitted);
	INIT_WORK(&rdev->finish, hw_finish);
	init_irq_work(&rdev->finish_later, hw_finish_later);
	hrtimer_init(&rdev->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	rdev->timer.function = hw_interrupt;
	refgpu_oa_init(&rdev->oa, refgpu_counter_base, refgpu_report_base);

	rdev->epoch = ktime_get_ns();
	rdev->base = refgpu_clock_base;
	rdev->timeout = div_u64(refgpu_timeout_ms * 1000000ULL, REFGPU_TICK_NS);
	for (i = 0; i < render; i++)
		ring_init(rdev, REFGPU_ENGINE_RENDER, i);
	for (i = 0; i < copy; i++)
		ring_init(rdev, REFGPU_ENGINE_COPY, i);

	rdev->finish_wq = alloc_workqueue("refgpu-finish-%s", WQ_HIGHPRI | WQ_MEM_RECLAIM,
					  0, dev_name(rdev->drm.dev));
	if (!rdev->finish_wq)
		return -ENOMEM;
	rdev->free_wq = alloc_workqueue("refgpu-free-%s", WQ_UNBOUND, 0,
					dev_name(rdev->drm.dev));
	if (!rdev->free_wq) {
		destroy_workqueue(rdev->finish_wq);
		return -ENOMEM;
	}
	return drmm_add_action_or_reset(&rdev->drm, hw_release, rdev);
}

/**
 * refgpu_hw_unplug() - there is no device any more
 * @rdev:	the device
 *
 * All jobs end with ENODEV. On return all that were on an engine are signalled.
 *
 * Context: may sleep.
 */
void refgpu_hw_unplug(struct refgpu_device *rdev)
{
	unsigned long irq;
	unsigned int i;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	for (i = 0; i < rdev->nr_rings; i++)
		refgpu_engine_cancel_all(&rdev->rings[i].engine, -ENODEV);
	rdev->gone = true;
	refgpu_hw_kick(rdev);
	refgpu_oa_stop(&rdev->oa);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);

	hrtimer_cancel(&rdev->timer);
	irq_work_sync(&rdev->finish_later);
	flush_work(&rdev->finish);
}
