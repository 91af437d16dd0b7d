// SPDX-License-Identifier: GPL-2.0
/*
 * The submit ioctl: all that user space says is checked here, once, and what
 * it says is copied before. What comes behind it takes it at its word.
 */
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_syncobj.h>

#include "compat.h"
#include "refgpu.h"

/* with a place for one more command */
static struct refgpu_job *job_alloc(struct refgpu_device *rdev,
				    const struct drm_refgpu_submit *args,
				    struct refgpu_context *ctx)
{
	struct refgpu_job *job;

	job = kvzalloc(struct_size(job, cmds, args->nr_cmds + 1), GFP_KERNEL_ACCOUNT);
	if (!job)
		return NULL;
	job->ring = &rdev->rings[args->engine];
	job->ctx = ctx;
	kref_get(&ctx->ref);
	refgpu_job_init(job);
	return job;
}

/* the buffer of a handle, as one of those that the job has a reference of */
static struct refgpu_bo *job_bo(struct refgpu_job *job, struct drm_file *file,
				u32 handle, u64 offset, u64 bytes, bool write)
{
	struct drm_gem_object *obj;
	unsigned int i;
	int ret;

	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return ERR_PTR(-ENOENT);
	for (i = 0; i < job->nr_bos && job->bos[i] != obj; i++)
		;
	if (i < job->nr_bos)
		drm_gem_object_put(obj);
	else
		job->bos[job->nr_bos++] = obj;
	if (write)
		__set_bit(i, job->written);

	if (bytes > obj->size || offset > obj->size - bytes)
		return ERR_PTR(-EINVAL);
	ret = refgpu_bo_map(to_refgpu_bo(obj));
	if (ret)
		return ERR_PTR(ret);
	return to_refgpu_bo(obj);
}

/* what a command must leave out, and what it must say */
static int cmd_check(const struct drm_refgpu_cmd *arg)
{
	bool copy = arg->op == REFGPU_OP_COPY, fill = arg->op == REFGPU_OP_FILL;
	bool stamp = arg->op == REFGPU_OP_TIMESTAMP;
	bool sized = copy || fill || arg->op == REFGPU_OP_SPIN ||
		     arg->op == REFGPU_OP_WAIT;

	if (arg->op > REFGPU_OP_HANG)
		return -EINVAL;
	if (!fill && arg->value)
		return -EINVAL;
	if (!copy && (arg->src || arg->src_offset))
		return -EINVAL;
	if (!copy && !fill && !stamp && (arg->dst || arg->dst_offset))
		return -EINVAL;
	if (sized ? !arg->n || arg->n > REFGPU_MAX_CYCLES : arg->n)
		return -EINVAL;
	if (fill && (arg->n | arg->dst_offset) % sizeof(u32))
		return -EINVAL;
	if (stamp && arg->dst_offset % sizeof(u64))
		return -EINVAL;
	return 0;
}

static int job_add_cmd(struct refgpu_job *job, struct drm_file *file,
		       struct refgpu_cmd *cmd, const struct drm_refgpu_cmd *arg)
{
	u64 bytes = arg->op == REFGPU_OP_TIMESTAMP ? sizeof(u64) : arg->n;
	int ret;

	ret = cmd_check(arg);
	if (ret)
		return ret;
	*cmd = (struct refgpu_cmd) {
		.op = arg->op,
		.value = arg->value,
		.n = arg->n,
		.dst_offset = arg->dst_offset,
		.src_offset = arg->src_offset,
	};

	switch (arg->op) {
	case REFGPU_OP_COPY:
		cmd->src = job_bo(job, file, arg->src, arg->src_offset, bytes, false);
		if (IS_ERR(cmd->src))
			return PTR_ERR(cmd->src);
		fallthrough;
	case REFGPU_OP_FILL:
	case REFGPU_OP_TIMESTAMP:
		cmd->dst = job_bo(job, file, arg->dst, arg->dst_offset, bytes, true);
		if (IS_ERR(cmd->dst))
			return PTR_ERR(cmd->dst);
	}
	return 0;
}

static int job_add_cmds(struct refgpu_job *job, struct drm_file *file,
			const struct drm_refgpu_submit *args)
{
	const struct drm_refgpu_cmd __user *from = u64_to_user_ptr(args->cmds);
	struct refgpu_device *rdev = job->ring->rdev;
	unsigned int nr = args->nr_cmds, i;
	struct drm_refgpu_cmd arg;
	int ret;

	for (i = 0; i < nr; i++) {
		if (copy_from_user(&arg, &from[i], sizeof(arg)))
			return -EFAULT;
		ret = job_add_cmd(job, file, &job->cmds[i], &arg);
		if (ret)
			return ret;
	}
	if (atomic_dec_if_positive(&rdev->hang) >= 0)
		job->cmds[nr++].op = REFGPU_OP_HANG;
	refgpu_work_init(&job->work, &job->ctx->slots[args->engine].queue,
			 job->cmds, nr);
	return 0;
}

static int job_add_syncs(struct refgpu_job *job, struct drm_file *file,
			 const struct drm_refgpu_submit *args)
{
	const u32 __user *handles = u64_to_user_ptr(args->in_syncs);
	struct dma_fence *fence;
	unsigned int i;
	u32 handle;
	int ret;

	for (i = 0; i < args->nr_in_syncs; i++) {
		if (get_user(handle, &handles[i]))
			return -EFAULT;
		ret = drm_syncobj_find_fence(file, handle, 0, 0, &fence);
		if (ret)
			return ret;
		/* takes the reference, also when it fails */
		ret = drm_sched_job_add_dependency(&job->base, fence);
		if (ret)
			return ret;
	}
	return 0;
}

/* wait for those who use the job's buffers; their reservations are locked */
static int job_add_users(struct refgpu_job *job)
{
	unsigned int i;
	int ret;

	for (i = 0; i < job->nr_bos; i++) {
		ret = dma_resv_reserve_fences(job->bos[i]->resv, 1);
		if (ret)
			return ret;
		ret = drm_sched_job_add_implicit_dependencies(&job->base, job->bos[i],
							      test_bit(i, job->written));
		if (ret)
			return ret;
	}
	return 0;
}

/* from here on nothing can fail, and the job has a place in the order of all */
static void job_queue(struct refgpu_job *job, struct drm_file *file,
		      struct drm_refgpu_submit *args, struct drm_syncobj *out)
{
	struct dma_fence *fence;
	unsigned int i;

	drm_sched_job_arm(&job->base);
	fence = &job->base.s_fence->finished;
	args->fence_context = fence->context;
	args->fence_seqno = fence->seqno;
	job->info = (struct refgpu_job_info) {
		.file = file,
		.ctx = job->ctx->id,
		.hw_id = job->ctx->hw_id,
		.engine = args->engine,
		.fence_context = fence->context,
		.fence_seqno = fence->seqno,
	};

	for (i = 0; i < job->nr_bos; i++)
		dma_resv_add_fence(job->bos[i]->resv, fence,
				   test_bit(i, job->written) ? DMA_RESV_USAGE_WRITE :
							       DMA_RESV_USAGE_READ);
	if (out)
		drm_syncobj_replace_fence(out, fence);

	refgpu_job_announce(job);
	kref_get(&job->ref);
	drm_sched_entity_push_job(&job->base);
}

static int job_submit(struct refgpu_job *job, struct drm_file *file,
		      struct drm_refgpu_submit *args, struct drm_syncobj *out)
{
	struct refgpu_context *ctx = job->ctx;
	struct ww_acquire_ctx acquire;
	int ret;

	ret = drm_gem_lock_reservations(job->bos, job->nr_bos, &acquire);
	if (ret)
		return ret;
	ret = job_add_users(job);
	if (ret)
		goto out_unlock;

	mutex_lock(&ctx->submit);
	if (ctx->dead)
		ret = -ENOENT;
	else if (atomic_read(&ctx->guilty))
		ret = -EIO;
	else
		job_queue(job, file, args, out);
	mutex_unlock(&ctx->submit);

out_unlock:
	drm_gem_unlock_reservations(job->bos, job->nr_bos, &acquire);
	return ret;
}

static int submit(struct refgpu_device *rdev, struct drm_refgpu_submit *args,
		  struct drm_file *file, struct refgpu_context *ctx,
		  struct drm_syncobj *out)
{
	struct refgpu_file *rfile = file->driver_priv;
	struct refgpu_job *job;
	int ret;

	job = job_alloc(rdev, args, ctx);
	if (!job)
		return -ENOMEM;
	ret = -ENOMEM;
	job->fence = kzalloc(sizeof(*job->fence), GFP_KERNEL);
	if (!job->fence)
		goto out_put;
	ret = job_add_cmds(job, file, args);
	if (ret)
		goto out_put;
	ret = refgpu_compat_job_init(&job->base, &ctx->slots[args->engine].entity,
				     rfile, rfile->client_id);
	if (ret)
		goto out_put;
	ret = job_add_syncs(job, file, args);
	if (!ret)
		ret = job_submit(job, file, args, out);
	if (ret)
		drm_sched_job_cleanup(&job->base);
out_put:
	refgpu_job_put(job);
	return ret;
}

int refgpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct refgpu_device *rdev = to_refgpu(drm);
	struct drm_refgpu_submit *args = data;
	struct drm_syncobj *out = NULL;
	struct refgpu_context *ctx;
	int ret = -ENOENT;

	if (args->flags || args->fence_context || args->fence_seqno ||
	    !args->nr_cmds || args->nr_cmds > REFGPU_MAX_CMDS ||
	    args->nr_in_syncs > REFGPU_MAX_SYNCS)
		return -EINVAL;
	if (args->engine >= rdev->nr_rings)
		return -ENOENT;

	ctx = static_call(refgpu_pmu_context_get)(file->driver_priv, args->ctx);
	if (!ctx)
		return -ENOENT;
	if (args->out_sync) {
		out = drm_syncobj_find(file, args->out_sync);
		if (!out)
			goto out_put;
	}
	ret = submit(rdev, args, file, ctx, out);
	if (out)
		drm_syncobj_put(out);
out_put:
	refgpu_context_put(ctx);
	return ret;
}
