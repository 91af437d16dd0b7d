/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a source of GPU activity tells the gpu PMU.
 *
 * A source is a GPU driver, or an observer of an unmodified one. It registers
 * its devices, and while an event is live it reports the work that is handed
 * to an engine and the work that an engine has completed. It knows nothing of
 * perf; the PMU knows nothing of drivers.
 *
 * See Documentation/gpu-pmu.rst for the whole picture.
 */
#ifndef _LINUX_GPU_PMU_H
#define _LINUX_GPU_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct gpu_account;
struct gpu_pmu_device;
struct module;

/* config's engine field is eight bits wide, and 0 means "all" */
#define GPU_PMU_MAX_ENGINES	64

/**
 * struct gpu_pmu_source_ops - what the PMU asks of a source
 */
struct gpu_pmu_source_ops {
	/** @owner: the source's module: held while an event is live */
	struct module *owner;

	/**
	 * @attach: start to report: the first event is being opened. Process
	 * context, may sleep; called with the PMU's mutex held, so it must not
	 * (un)register devices. Returns 0 or a negative errno, which becomes
	 * perf_event_open()'s.
	 */
	int (*attach)(struct gpu_pmu_device *gdev);

	/**
	 * @detach: stop to report: the last event was closed, or the device is
	 * being unregistered. Same context as @attach. When it returns, no call
	 * of gpu_pmu_queue() or gpu_pmu_complete() for @gdev may be running.
	 */
	void (*detach)(struct gpu_pmu_device *gdev);

	/**
	 * @contexts: list the contexts of an open file: write the ids of at
	 * most @nr of them to @ids and return how many there are. Ids are not
	 * 0. @file cannot go away during the call. Called from process context,
	 * and from gpu_pmu_owner() with whatever locks its caller holds: must
	 * not sleep.
	 */
	unsigned int (*contexts)(struct drm_file *file, u64 *ids, unsigned int nr);

	/**
	 * @has_context: is @ctx, not 0, one of the file's contexts? Same context
	 * as @contexts. What a client may count depends on the answer.
	 */
	bool (*has_context)(struct drm_file *file, u64 ctx);
};

/**
 * struct gpu_pmu_device_info - what a source says of a device
 * @drm:	the DRM device; a reference is held until it is unregistered
 * @ops:	the source
 * @engines:	names of the engines; the index in this array is the engine's
 * @nr_engines:	1 to GPU_PMU_MAX_ENGINES
 * @priv:	the source's own, see gpu_pmu_device_priv()
 */
struct gpu_pmu_device_info {
	struct drm_device *drm;
	const struct gpu_pmu_source_ops *ops;
	const char * const *engines;
	unsigned int nr_engines;
	void *priv;
};

/* work's flags */
#define GPU_PMU_WORK_JOB	BIT(0)	/* a client's submission: counts as a job */

struct gpu_pmu_device *
gpu_pmu_device_register(const struct gpu_pmu_device_info *info);
void gpu_pmu_device_unregister(struct gpu_pmu_device *gdev);
void *gpu_pmu_device_priv(struct gpu_pmu_device *gdev);

struct gpu_account *gpu_pmu_owner(struct gpu_pmu_device *gdev, u64 ctx);
void gpu_pmu_queue(struct gpu_pmu_device *gdev, unsigned int engine,
		   struct gpu_account *owner, u64 key, unsigned int flags);
void gpu_pmu_complete(struct gpu_pmu_device *gdev, unsigned int engine, u64 key);

#endif /* _LINUX_GPU_PMU_H */
