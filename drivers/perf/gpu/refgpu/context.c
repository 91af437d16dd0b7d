// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts of an open file.
 *
 * A context that is destroyed, or whose file is closed, takes its unfinished
 * jobs with it: what they did up to then is counted. Its hardware id is free
 * for others when its last job is, and used again when all the others were.
 */
#include <linux/capability.h>
#include <linux/slab.h>

#include "compat.h"
#include "refgpu.h"

static enum drm_sched_priority context_sched_priority(u32 priority)
{
	switch (priority) {
	case REFGPU_PRIORITY_HIGH:
		return DRM_SCHED_PRIORITY_HIGH;
	case REFGPU_PRIORITY_NORMAL:
		return DRM_SCHED_PRIORITY_NORMAL;
	default:
		return REFGPU_COMPAT_PRIORITY_LOW;
	}
}

static void context_release(struct kref *ref)
{
	struct refgpu_context *ctx = container_of(ref, struct refgpu_context, ref);

	refgpu_pmu_context_end(ctx->rdev, ctx->hw_id);
	xa_erase(&ctx->rdev->hw_ids, ctx->hw_id);
	mutex_destroy(&ctx->submit);
	kfree_rcu(ctx, rcu);
}

/**
 * refgpu_context_put() - let go of a context
 * @ctx:	the context
 *
 * Context: may sleep.
 */
void refgpu_context_put(struct refgpu_context *ctx)
{
	kref_put(&ctx->ref, context_release);
}

/**
 * refgpu_context_get() - find a context
 * @file:	whose
 * @id:		which
 *
 * Context: any.
 * Return: the context, with a reference; NULL if there is none.
 */
struct refgpu_context *refgpu_context_get(struct refgpu_file *file, u32 id)
{
	struct refgpu_context *ctx;

	xa_lock(&file->contexts);
	ctx = xa_load(&file->contexts, id);
	if (ctx)
		kref_get(&ctx->ref);
	xa_unlock(&file->contexts);
	return ctx;
}

/**
 * refgpu_context_hw_id() - which hardware id has a context?
 * @file:	whose; it is open
 * @id:		which
 *
 * Context: process context, may not sleep.
 * Return: its hardware id, or -ENOENT.
 */
int refgpu_context_hw_id(const struct drm_file *file, u32 id)
{
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;
	int ret = -ENOENT;

	rcu_read_lock();
	ctx = xa_load(&rfile->contexts, id);
	if (ctx)
		ret = ctx->hw_id;
	rcu_read_unlock();
	return ret;
}

/**
 * refgpu_context_fence_context() - which fence context have a context's jobs?
 * @file:	whose; it is open
 * @id:		which
 * @engine:	on which engine
 *
 * Context: process context, does not sleep.
 * Return: that of the fences that user space waits for, or 0.
 */
u64 refgpu_context_fence_context(const struct drm_file *file, u32 id, unsigned int engine)
{
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;
	u64 fence_context = 0;

	rcu_read_lock();
	ctx = xa_load(&rfile->contexts, id);
	/* drm_sched's entity has two: the next one is that of the finished jobs */
	if (ctx && engine < ctx->rdev->nr_rings)
		fence_context = ctx->slots[engine].entity.fence_context + 1;
	rcu_read_unlock();
	return fence_context;
}

/**
 * refgpu_context_ids() - which contexts has a file?
 * @file:	whose; it is open
 * @ids:	room for their ids
 * @nr:		for how many
 *
 * Context: process context, does not sleep.
 * Return: how many there are.
 */
unsigned int refgpu_context_ids(struct drm_file *file, u64 *ids, unsigned int nr)
{
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;
	unsigned int found = 0;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&rfile->contexts, id, ctx) {
		if (found < nr)
			ids[found] = id;
		found++;
	}
	rcu_read_unlock();
	return found;
}

static int context_init_entities(struct refgpu_context *ctx, u32 priority)
{
	struct drm_gpu_scheduler *sched;
	unsigned int i;
	int ret;

	for (i = 0; i < ctx->rdev->nr_rings; i++) {
		sched = &ctx->rdev->rings[i].sched;
		ret = drm_sched_entity_init(&ctx->slots[i].entity,
					    context_sched_priority(priority),
					    &sched, 1, &ctx->guilty);
		if (ret)
			goto err_entities;
		refgpu_queue_init(&ctx->slots[i].queue, priority, ctx->hw_id);
	}
	return 0;

err_entities:
	while (i--)
		drm_sched_entity_fini(&ctx->slots[i].entity);
	return ret;
}

/*
 * Until 6.1, the end of an entity waits for what its jobs wait for: that may be
 * a job of a context, or of a file, that nobody would close while this one is in
 * the way. So nobody waits for it.
 */
static void context_fini_entities(struct work_struct *fini)
{
	struct refgpu_context *ctx = container_of(fini, struct refgpu_context, fini);
	unsigned int i;

	for (i = 0; i < ctx->rdev->nr_rings; i++)
		refgpu_sched_end(&ctx->rdev->rings[i], &ctx->slots[i].entity);
	refgpu_context_put(ctx);
}

static struct refgpu_context *context_create(struct refgpu_file *file, u32 priority)
{
	struct refgpu_device *rdev = file->rdev;
	struct refgpu_context *ctx;
	unsigned long irq;
	int ret;

	ctx = kzalloc(struct_size(ctx, slots, rdev->nr_rings), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	kref_init(&ctx->ref);
	mutex_init(&ctx->submit);
	INIT_WORK(&ctx->fini, context_fini_entities);
	ctx->rdev = rdev;
	ctx->file = file->drm;

	ret = xa_alloc_cyclic(&rdev->hw_ids, &ctx->hw_id, ctx,
			      XA_LIMIT(1, U16_MAX), &rdev->next_hw_id, GFP_KERNEL);
	if (ret < 0)
		goto err_free;
	ret = context_init_entities(ctx, priority);
	if (ret)
		goto err_hw_id;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	list_add_tail(&ctx->node, &file->live);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	return ctx;

err_hw_id:
	xa_erase(&rdev->hw_ids, ctx->hw_id);
err_free:
	mutex_destroy(&ctx->submit);
	kfree_rcu(ctx, rcu);
	return ERR_PTR(ret == -EBUSY ? -ENOSPC : ret);
}

/* the mirror of context_create(); its id is gone, or was never given */
static void context_close(struct refgpu_file *file, struct refgpu_context *ctx)
{
	struct refgpu_device *rdev = ctx->rdev;
	unsigned long irq;
	unsigned int i;

	mutex_lock(&ctx->submit);
	raw_spin_lock_irqsave(&rdev->lock, irq);
	ctx->dead = true;
	refgpu_hw_sync(rdev);
	for (i = 0; i < rdev->nr_rings; i++) {
		struct refgpu_queue *queue = &ctx->slots[i].queue;

		refgpu_hw_cancel(rdev, &rdev->rings[i], queue, -ECANCELED, -ECANCELED);
		file->closed[i] += queue->counters.v[REFGPU_GPU_CYCLES];
	}
	list_del(&ctx->node);
	raw_spin_unlock_irqrestore(&rdev->lock, irq);
	mutex_unlock(&ctx->submit);

	queue_work(rdev->free_wq, &ctx->fini);
}

int refgpu_ctx_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_refgpu_ctx_create *args = data;
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;
	int ret;

	if (args->flags || args->ctx || args->pad ||
	    args->priority > REFGPU_PRIORITY_HIGH)
		return -EINVAL;
	if (args->priority == REFGPU_PRIORITY_HIGH && !capable(CAP_SYS_NICE))
		return -EACCES;

	ctx = context_create(rfile, args->priority);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);

	/* once it can be found, others can destroy it */
	kref_get(&ctx->ref);
	ret = xa_alloc_cyclic(&rfile->contexts, &ctx->id, ctx,
			      XA_LIMIT(1, REFGPU_MAX_CONTEXTS), &rfile->next_id,
			      GFP_KERNEL);
	args->ctx = ctx->id;
	if (ret < 0)
		context_close(rfile, ctx);
	refgpu_context_put(ctx);
	if (ret < 0)
		return ret == -EBUSY ? -ENOSPC : ret;
	return 0;
}

int refgpu_ctx_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_refgpu_ctx_destroy *args = data;
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;

	if (args->pad)
		return -EINVAL;
	ctx = xa_erase(&rfile->contexts, args->ctx);
	if (!ctx)
		return -ENOENT;
	context_close(rfile, ctx);
	return 0;
}

/**
 * refgpu_open() - drm_driver.open()
 * @drm:	the device
 * @file:	the file
 *
 * Return: 0, or -ENOMEM.
 */
int refgpu_open(struct drm_device *drm, struct drm_file *file)
{
	struct refgpu_device *rdev = to_refgpu(drm);
	struct refgpu_file *rfile;

	rfile = kzalloc(sizeof(*rfile), GFP_KERNEL);
	if (!rfile)
		return -ENOMEM;
	rfile->rdev = rdev;
	rfile->drm = file;
	rfile->client_id = atomic64_inc_return(&rdev->next_client);
	xa_init_flags(&rfile->contexts, XA_FLAGS_ALLOC1);
	INIT_LIST_HEAD(&rfile->live);
	file->driver_priv = rfile;
	return 0;
}

/**
 * refgpu_postclose() - drm_driver.postclose()
 * @drm:	the device
 * @file:	the file
 */
void refgpu_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_context *ctx;
	unsigned long id;

	xa_for_each(&rfile->contexts, id, ctx) {
		xa_erase(&rfile->contexts, id);
		context_close(rfile, ctx);
	}
	xa_destroy(&rfile->contexts);
	kfree(rfile);
}
