// SPDX-License-Identifier: GPL-2.0
/*
 * drm_sched's view of an engine, and what becomes of one that hangs.
 *
 * DOC: two schedulers
 *
 * drm_sched orders jobs by what they wait for. Which of those that need to
 * wait no more runs, and for how long, is the engine's own choice, as with
 * hardware and firmware that have queues of their own: so drm_sched may hand
 * over many jobs at a time.
 *
 * DOC: hangs
 *
 * drm_sched has a timeout for the oldest job that is not done. That one may
 * be long, or be behind others: it tells nothing. The engine knows whether it
 * is stuck, and since when. If it was for the whole timeout, the context that
 * did it loses all of its jobs there, and all to come; others do not notice.
 * In any case, the job goes back to the list that drm_sched took it from.
 */
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "compat.h"
#include "refgpu.h"

/* jobs that an engine may have at a time */
#define SCHED_CREDITS	1024

static const char *fence_driver_name(struct dma_fence *fence)
{
	return "refgpu";
}

static const char *fence_timeline_name(struct dma_fence *fence)
{
	return "engine";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = fence_timeline_name,
};

static struct dma_fence *sched_run_job(struct drm_sched_job *sched_job)
{
	struct refgpu_job *job = to_refgpu_job(sched_job);
	struct refgpu_ring *ring = job->ring;
	struct dma_fence *fence = &job->fence->base;
	int ret = sched_job->s_fence->finished.error;

	if (ret)
		return ERR_PTR(ret);

	spin_lock_init(&job->fence->lock);
	dma_fence_init(fence, &fence_ops, &job->fence->lock,
		       ring->fence_context, ++ring->fence_seqno);
	dma_fence_get(fence);
	ret = refgpu_hw_submit(job);
	if (ret) {
		/* before 6.8, drm_sched does not take it from here */
		dma_fence_set_error(&sched_job->s_fence->finished, ret);
		dma_fence_set_error(fence, ret);
		dma_fence_signal(fence);
		dma_fence_put(fence);
		return ERR_PTR(ret);
	}
	return fence;
}

/* if the engine is stuck for too long, get it going; true if it was */
static bool ring_reset(struct refgpu_ring *ring)
{
	struct refgpu_device *rdev = ring->rdev;
	struct refgpu_engine *engine = &ring->engine;
	struct refgpu_context *ctx;
	struct refgpu_slot *slot;
	unsigned long irq;
	bool stuck;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	stuck = engine->stuck_since != REFGPU_NEVER &&
		engine->now - engine->stuck_since >= rdev->timeout;
	if (stuck) {
		slot = container_of(engine->running, struct refgpu_slot, queue);
		ctx = container_of(slot - engine->index, struct refgpu_context,
				   slots[0]);
		atomic_set(&ctx->guilty, 1);
		rdev->resets++;
		refgpu_hw_cancel(rdev, ring, &slot->queue, -ETIME, -ECANCELED);
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return stuck;
}

static enum drm_gpu_sched_stat sched_timedout_job(struct drm_sched_job *sched_job)
{
	struct refgpu_ring *ring = to_refgpu_job(sched_job)->ring;
	struct drm_gpu_scheduler *sched = &ring->sched;

	if (ring_reset(ring))
		drm_info(&ring->rdev->drm, "%s hung: reset\n", ring->name);

	mutex_lock(&ring->park);
	refgpu_compat_sched_park(sched);
	spin_lock(&sched->job_list_lock);
	list_add(&sched_job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	refgpu_compat_sched_unpark(sched);
	mutex_unlock(&ring->park);
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

/**
 * refgpu_sched_end() - end what a context has in a scheduler
 * @ring:	the scheduler's engine
 * @entity:	what it has there
 *
 * Context: may sleep.
 */
void refgpu_sched_end(struct refgpu_ring *ring, struct drm_sched_entity *entity)
{
	if (!REFGPU_COMPAT_PARK_FOR_FINI) {
		drm_sched_entity_fini(entity);
		return;
	}
	mutex_lock(&ring->park);
	refgpu_compat_sched_park(&ring->sched);
	drm_sched_entity_fini(entity);
	refgpu_compat_sched_unpark(&ring->sched);
	mutex_unlock(&ring->park);
}

static void job_release(struct work_struct *release)
{
	struct refgpu_job *job = container_of(release, struct refgpu_job, release);
	struct refgpu_device *rdev = job->ring->rdev;
	unsigned int i;

	for (i = 0; i < job->nr_bos; i++)
		drm_gem_object_put(job->bos[i]);
	refgpu_context_put(job->ctx);
	kvfree(job);
	if (atomic_dec_and_test(&rdev->nr_jobs))
		wake_up_all(&rdev->idle);
}

static void job_put_last(struct kref *ref)
{
	struct refgpu_job *job = container_of(ref, struct refgpu_job, ref);

	if (!job->fence)
		;
	else if (job->fence->base.ops)
		dma_fence_put(&job->fence->base);
	else
		kfree(job->fence);
	/* what buffers need may sleep for long: not in the scheduler's thread */
	queue_work(job->ring->rdev->free_wq, &job->release);
}

/**
 * refgpu_job_init() - a job with one reference
 * @job:	the job; zeroed, with @ring and @ctx set
 *
 * Context: may sleep. Undone by refgpu_job_put().
 */
void refgpu_job_init(struct refgpu_job *job)
{
	kref_init(&job->ref);
	INIT_WORK(&job->release, job_release);
	INIT_LIST_HEAD(&job->node);
	atomic_inc(&job->ring->rdev->nr_jobs);
}

/**
 * refgpu_job_put() - let go of a job
 * @job:	the job
 *
 * Context: any.
 */
void refgpu_job_put(struct refgpu_job *job)
{
	kref_put(&job->ref, job_put_last);
}

static void sched_free_job(struct drm_sched_job *sched_job)
{
	struct refgpu_job *job = to_refgpu_job(sched_job);

	refgpu_job_forget(job);
	drm_sched_job_cleanup(sched_job);
	refgpu_job_put(job);
}

static const struct drm_sched_backend_ops sched_ops = {
	.run_job = sched_run_job,
	.timedout_job = sched_timedout_job,
	.free_job = sched_free_job,
};

static void sched_release(struct drm_device *drm, void *data)
{
	struct refgpu_ring *ring = data;

	/* the scheduler does not end entities, nor free jobs, when it ends */
	flush_workqueue(ring->rdev->free_wq);
	wait_event(ring->rdev->idle, !atomic_read(&ring->rdev->nr_jobs));
	drm_sched_fini(&ring->sched);
	mutex_destroy(&ring->park);
}

/**
 * refgpu_sched_init() - a scheduler for each engine
 * @rdev:	the device
 *
 * Context: may sleep. Undone by the end of the drm_device.
 * Return: 0, or a negative errno.
 */
int refgpu_sched_init(struct refgpu_device *rdev)
{
	unsigned int i;
	int ret;

	init_waitqueue_head(&rdev->idle);
	for (i = 0; i < rdev->nr_rings; i++) {
		struct refgpu_ring *ring = &rdev->rings[i];
		struct drm_sched_init_args args = {
			.ops = &sched_ops,
			.credit_limit = SCHED_CREDITS,
			.timeout = msecs_to_jiffies(refgpu_timeout_ms),
			.name = ring->name,
			.dev = rdev->drm.dev,
		};

		ret = refgpu_compat_sched_init(&ring->sched, &args);
		if (ret)
			return ret;
		mutex_init(&ring->park);
		ret = drmm_add_action_or_reset(&rdev->drm, sched_release, ring);
		if (ret)
			return ret;
	}
	return 0;
}
