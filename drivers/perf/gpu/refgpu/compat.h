/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between the kernels that refgpu is built for. A kernel that
 * needs no line here needs none elsewhere either.
 */
#ifndef _REFGPU_COMPAT_H
#define _REFGPU_COMPAT_H

#include <linux/kthread.h>
#include <linux/version.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/gpu_scheduler.h>

/*
 * Stable kernels take changes of drm_sched, so that one 6.12 has them, and an older one
 * has not: the Makefile looks which its header has, REFGPU_COMPAT_HAS_*. These are
 * - JOB_CLIENT: jobs know their client, since 6.17
 * - SCHED_ARGS: drm_sched_init() takes its arguments in a struct, since 6.15
 */
static inline int refgpu_compat_job_init(struct drm_sched_job *job,
					 struct drm_sched_entity *entity,
					 void *owner, u64 client_id)
{
#if defined(REFGPU_COMPAT_HAS_JOB_CLIENT)
	return drm_sched_job_init(job, entity, 1, owner, client_id);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return drm_sched_job_init(job, entity, 1, owner);
#else
	return drm_sched_job_init(job, entity, owner);
#endif
}

#ifndef REFGPU_COMPAT_HAS_SCHED_ARGS
struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	u32 num_rqs;
	u32 credit_limit;
	long timeout;
	const char *name;
	struct device *dev;
};
#endif

static inline int refgpu_compat_sched_init(struct drm_gpu_scheduler *sched,
					   struct drm_sched_init_args *args)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	args->num_rqs = DRM_SCHED_PRIORITY_COUNT;
#endif
#if defined(REFGPU_COMPAT_HAS_SCHED_ARGS)
	return drm_sched_init(sched, args);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return drm_sched_init(sched, args->ops, NULL, args->num_rqs, args->credit_limit, 0,
			      args->timeout, NULL, NULL, args->name, args->dev);
#else
	return drm_sched_init(sched, args->ops, args->credit_limit, 0, args->timeout,
			      NULL, NULL, args->name, args->dev);
#endif
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define REFGPU_COMPAT_PRIORITY_LOW	DRM_SCHED_PRIORITY_LOW
#else
#define REFGPU_COMPAT_PRIORITY_LOW	DRM_SCHED_PRIORITY_MIN
#endif

/* keep the scheduler from its lists of jobs: it was a thread before 6.8 */
static inline void refgpu_compat_sched_park(struct drm_gpu_scheduler *sched)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	drm_sched_wqueue_stop(sched);
#else
	kthread_park(sched->thread);
#endif
}

/* and have it look at them again */
static inline void refgpu_compat_sched_unpark(struct drm_gpu_scheduler *sched)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	drm_sched_wqueue_start(sched);
#else
	kthread_unpark(sched->thread);
#endif
}

/*
 * Since schedulers have a tree of entities (6.2), one that takes a job puts its entity
 * back, also if that was ended in between: its memory is then used for ever. As it
 * must not take any, it is parked; before 6.8 the end of an entity may wait for it.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define REFGPU_COMPAT_PARK_FOR_FINI	true
#else
#define REFGPU_COMPAT_PARK_FOR_FINI	false
#endif

/* the reservation's lock protects a buffer's kernel mapping since 6.2 */
static inline int refgpu_compat_vmap(struct drm_gem_object *obj,
				     struct iosys_map *map)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return drm_gem_vmap_unlocked(obj, map);
#else
	return drm_gem_shmem_object_vmap(obj, map);
#endif
}

static inline void refgpu_compat_vunmap(struct drm_gem_object *obj,
					struct iosys_map *map)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	drm_gem_vunmap_unlocked(obj, map);
#else
	drm_gem_shmem_object_vunmap(obj, map);
#endif
}

/* DRM has numbered its clients, and printed the common part of fdinfo, since 6.5 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define REFGPU_COMPAT_DRM_FDINFO
#endif

/* the result of a platform driver's remove() was dropped in 6.11 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define REFGPU_COMPAT_REMOVE	void
#define REFGPU_COMPAT_REMOVED
#else
#define REFGPU_COMPAT_REMOVE	int
#define REFGPU_COMPAT_REMOVED	0
#endif

/* a driver's date is gone in 6.14 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define REFGPU_COMPAT_DATE
#else
#define REFGPU_COMPAT_DATE	.date = "0",
#endif

#endif /* _REFGPU_COMPAT_H */
