/* SPDX-License-Identifier: GPL-2.0 */
/*
 * refgpu: a DRM render driver for a GPU that is not there.
 *
 * DOC: overview
 *
 * What vkms is to displays, and netdevsim to networks, refgpu is to render
 * nodes. From the bottom:
 *
 *	engine.c	which job runs when, and what that counts: pure arithmetic
 *	oa.c		the counter unit and its buffer
 *	hw.c		the device: a clock, engines, a counter unit, an "interrupt"
 *	counters.c	the counter unit's registers
 *	sched.c		drm_sched's view of an engine; hangs
 *	context.c, bo.c, submit.c, fdinfo.c	what user space asks for
 *	pmu.c		the gpu PMU: how a driver is plugged into it
 *	debugfs.c	the counter unit for tests, and faults on demand
 *	drv.c		devices come and go
 *
 * DOC: locking
 *
 * refgpu_device.lock, a raw spinlock that is taken with interrupts off,
 * protects the device: clock, engines, queues, the list of jobs that ended. The
 * counter unit has a lock of its own, inside of that one: so that it can be
 * read while the device is busy. All that ends or starts is brought up to date
 * by refgpu_hw_sync(), whoever needs to know calls it first. The PMU does so
 * under the scheduler's locks: so nothing is woken, and no work is queued, while
 * that lock is held.
 *
 * DOC: unplug
 *
 * Ioctls are inside drm_dev_enter(). After drm_dev_unplug() the device ends
 * all jobs with ENODEV, and takes no more. Schedulers and the rest of the
 * memory are drm_managed, and stay until the last file is closed.
 */
#ifndef _REFGPU_H
#define _REFGPU_H

#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/iosys-map.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/static_call.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/gpu_scheduler.h>
#include <drm/refgpu_drm.h>

#include "engine.h"
#include "oa.h"

#define REFGPU_TICK_NS		80	/* 12.5 MHz */
#define REFGPU_MAX_DEVICES	16
#define REFGPU_MAX_ENGINES	8
#define REFGPU_MAX_CONTEXTS	4096	/* of a file */

struct refgpu_device;
struct refgpu_pmu;

/**
 * struct refgpu_job_info - which job is it?
 * @number:		in the order of submission to the device, from 1
 * @file:		whose; only to compare with, it may be gone
 * @ctx:		id of the context in that file
 * @hw_id:		of the context
 * @engine:		index
 * @fence_context:	of the job's fence, the one that user space waits for
 * @fence_seqno:	of the job's fence
 */
struct refgpu_job_info {
	u64 number;
	const struct drm_file *file;
	u32 ctx;
	u32 hw_id;
	u32 engine;
	u64 fence_context;
	u64 fence_seqno;
};

struct refgpu_listener;

/**
 * struct refgpu_job_ops - who wants to know what becomes of jobs
 * @submit:	a job was submitted; called in the task that does it
 * @earlier:	a job had been submitted before, and is not over; called while one
 *		begins to listen. If it is NULL, nothing is told of such jobs
 * @run:	it runs from now on: for the first time, or again
 * @end:	it is over; @started is REFGPU_NEVER if it did not run; @error is 0
 *		if it came to its end
 *
 * Each submit() and earlier() is followed by exactly one end(), unless the
 * listener leaves before. run() and end() of an engine come in the order of
 * their ticks; that of a job's submit() is not later. A job runs until another
 * one does, or until its end. All are called with refgpu_device.lock held and
 * interrupts off, run() and end() from any context: they must not sleep, nor wake
 * up anything, and not call anything that takes that lock.
 */
struct refgpu_job_ops {
	void (*submit)(struct refgpu_listener *listener,
		       const struct refgpu_job_info *job, u64 ticks);
	void (*earlier)(struct refgpu_listener *listener,
			const struct refgpu_job_info *job, u64 ticks, bool started);
	void (*run)(struct refgpu_listener *listener,
		    const struct refgpu_job_info *job, u64 ticks);
	void (*end)(struct refgpu_listener *listener,
		    const struct refgpu_job_info *job, u64 started, u64 ticks,
		    int error);
};

/**
 * struct refgpu_listener - one who wants to know
 * @ops:	what it wants to know
 * @node:	in refgpu_device.listeners
 * @since:	number of the first job that it hears of
 */
struct refgpu_listener {
	const struct refgpu_job_ops *ops;
	struct list_head node;
	u64 since;
};

/**
 * struct refgpu_ring - an engine, and the way to it
 * @engine:		what runs
 * @sched:		what waits for its turn, or for other jobs
 * @park:		one parks it at a time
 * @rdev:		the device
 * @class:		enum drm_refgpu_engine_class
 * @name:		for people
 * @fence_context:	of its hardware's fences
 * @fence_seqno:	the last one of them
 */
struct refgpu_ring {
	struct refgpu_engine engine;
	struct drm_gpu_scheduler sched;
	struct mutex park;	/* one parks it at a time */
	struct refgpu_device *rdev;
	u32 class;
	char name[16];
	u64 fence_context;
	u64 fence_seqno;
};

/**
 * struct refgpu_device - a GPU
 * @drm:	as DRM sees it
 * @lock:	see above
 * @gone:	unplugged; under @lock
 * @epoch:	ktime, ns, at which the clock had @base ticks
 * @base:	ticks; so that the clock's low half wraps soon after load
 * @timeout:	ticks that a hang lasts until the engine is reset
 * @timer:	the interrupt: fires when an engine has something to do
 * @ended:	jobs that are off their engine, in order; under @lock
 * @finish:	does what they did to memory, and signals them
 * @finish_later: queues @finish, from where it can be
 * @finish_wq:	for @finish, and nothing that could wait for it
 * @free_wq:	for what follows
 * @nr_jobs:	how many jobs there are
 * @idle:	woken when there are none
 * @hw_ids:	contexts by hardware id
 * @next_hw_id:	ids are used again as late as possible
 * @next_client: number of the next client
 * @listeners:	who is told what becomes of jobs; under @lock
 * @submitted:	jobs that were submitted and are not over; under @lock
 * @nr_submitted: number of the newest job; under @lock
 * @resets:	of engines; under @lock
 * @hang:	fault: so many jobs to come hang at their end
 * @oa:		the counter unit
 * @oa_owner:	whether someone has it
 * @oa_size:	of its buffer, for debugfs
 * @oa_period:	ticks, for debugfs
 * @debugfs:	its folder
 * @pmu_lock:	whoever uses @pmu outside of an ioctl
 * @pmu:	the connection to the gpu PMU, until it is unplugged, or NULL
 * @nr_rings:	engines
 * @rings:	engines
 */
struct refgpu_device {
	struct drm_device drm;
	raw_spinlock_t lock;
	bool gone;
	u64 epoch;
	u64 base;
	u64 timeout;
	struct hrtimer timer;
	struct list_head ended;
	struct work_struct finish;
	struct irq_work finish_later;
	struct workqueue_struct *finish_wq;
	struct workqueue_struct *free_wq;
	atomic_t nr_jobs;
	wait_queue_head_t idle;
	struct xarray hw_ids;
	u32 next_hw_id;
	atomic64_t next_client;
	struct list_head listeners;
	struct list_head submitted;
	u64 nr_submitted;
	u64 resets;
	atomic_t hang;
	struct refgpu_oa oa;
	atomic_t oa_owner;
	u32 oa_size;
	u32 oa_period;
	struct dentry *debugfs;
	struct mutex pmu_lock;	/* of pmu */
	struct refgpu_pmu *pmu;
	unsigned int nr_rings;
	struct refgpu_ring rings[REFGPU_MAX_ENGINES];
};

/**
 * struct refgpu_file - an open file
 * @rdev:	the device
 * @drm:	as DRM sees it
 * @client_id:	its number
 * @contexts:	by id
 * @next_id:	ids are used again as late as possible
 * @live:	contexts that may still run; under @rdev->lock
 * @closed:	cycles, by engine, of those that do not any more; under @rdev->lock
 */
struct refgpu_file {
	struct refgpu_device *rdev;
	struct drm_file *drm;
	u64 client_id;
	struct xarray contexts;
	u32 next_id;
	struct list_head live;
	u64 closed[REFGPU_MAX_ENGINES];
};

/**
 * struct refgpu_slot - what a context has on an engine
 * @queue:	jobs that the engine has
 * @entity:	jobs that it does not have yet
 */
struct refgpu_slot {
	struct refgpu_queue queue;
	struct drm_sched_entity entity;
};

/**
 * struct refgpu_context - a context
 * @ref:	its id, and each job, has one
 * @rcu:	it is looked up by hardware id
 * @rdev:	the device
 * @file:	whose; only to compare with, it may be gone
 * @node:	in refgpu_file.live
 * @id:		in its file; 0 until it has one
 * @hw_id:	on the device, from 1 to 65535
 * @submit:	jobs get their fences in the order in which they are queued
 * @fini:	ends its entities
 * @dead:	takes no more jobs; under @submit, and @rdev->lock
 * @guilty:	it hung an engine, and takes no more jobs
 * @pmu_bound:	refgpu_pmu.attached, when the PMU was told of it
 * @slots:	by engine
 */
struct refgpu_context {
	struct kref ref;
	struct rcu_head rcu;
	struct refgpu_device *rdev;
	const struct drm_file *file;
	struct list_head node;
	u32 id;
	u32 hw_id;
	struct mutex submit;	/* order of fences and queue */
	struct work_struct fini;
	bool dead;
	atomic_t guilty;
	unsigned int pmu_bound;
	struct refgpu_slot slots[];
};

/**
 * struct refgpu_bo - a buffer
 * @base:	its pages
 * @lock:	protects @map
 * @map:	where the engines find it; unset until they first need it
 */
struct refgpu_bo {
	struct drm_gem_shmem_object base;
	struct mutex lock;	/* of map */
	struct iosys_map map;
};

/**
 * struct refgpu_fence - of an engine
 * @base:	the fence
 * @lock:	its lock; a fence may live longer than its device
 */
struct refgpu_fence {
	struct dma_fence base;
	spinlock_t lock;	/* dma_fence needs one */
};

/**
 * struct refgpu_job - a job
 * @base:	for the scheduler
 * @work:	for the engine
 * @ref:	the scheduler's, and the submitter's
 * @info:	for others
 * @ring:	its engine
 * @ctx:	its context, with a reference
 * @fence:	the engine's; not initialized before it has the job
 * @node:	in refgpu_device.submitted, or nowhere
 * @submitted:	when it was, ticks
 * @release:	gives back what it had
 * @nr_bos:	how many buffers
 * @bos:	which, with a reference for each
 * @written:	which of them it writes
 * @cmds:	what it does
 */
struct refgpu_job {
	struct drm_sched_job base;
	struct refgpu_work work;
	struct kref ref;
	struct refgpu_job_info info;
	struct refgpu_ring *ring;
	struct refgpu_context *ctx;
	struct refgpu_fence *fence;
	struct list_head node;
	u64 submitted;
	struct work_struct release;
	unsigned int nr_bos;
	struct drm_gem_object *bos[2 * REFGPU_MAX_CMDS];
	DECLARE_BITMAP(written, 2 * REFGPU_MAX_CMDS);
	struct refgpu_cmd cmds[];
};

#define to_refgpu(dev)		container_of(dev, struct refgpu_device, drm)
#define to_refgpu_bo(obj)	container_of(obj, struct refgpu_bo, base.base)
#define to_refgpu_job(job)	container_of(job, struct refgpu_job, base)
#define work_to_refgpu_job(w)	container_of(w, struct refgpu_job, work)
#define to_refgpu_ring(e)	container_of(e, struct refgpu_ring, engine)

/* drv.c */
struct refgpu_device *refgpu_of_file(const struct drm_file *file);

/* module parameters */
extern unsigned int refgpu_timeslice_us;
extern unsigned int refgpu_timeout_ms;
extern unsigned long long refgpu_clock_base;
extern unsigned long long refgpu_counter_base;
extern unsigned int refgpu_report_base;

/* hw.c */
int refgpu_hw_init(struct refgpu_device *rdev, unsigned int render,
		   unsigned int copy);
void refgpu_hw_unplug(struct refgpu_device *rdev);
u64 refgpu_ticks(const struct refgpu_device *rdev);
u64 refgpu_ticks_to_ns(const struct refgpu_device *rdev, u64 ticks);
void refgpu_hw_sync(struct refgpu_device *rdev);
void refgpu_hw_kick(struct refgpu_device *rdev);
int refgpu_hw_submit(struct refgpu_job *job);
void refgpu_hw_cancel(struct refgpu_device *rdev, struct refgpu_ring *ring,
		      struct refgpu_queue *queue, int first, int rest);
void refgpu_listen(struct refgpu_device *rdev, struct refgpu_listener *listener);
void refgpu_unlisten(struct refgpu_device *rdev, struct refgpu_listener *listener);
void refgpu_job_announce(struct refgpu_job *job);
void refgpu_job_forget(struct refgpu_job *job);

/* counters.c */
int refgpu_counters_acquire(struct refgpu_device *rdev, u32 size);
void refgpu_counters_release(struct refgpu_device *rdev);
int refgpu_counters_start(struct refgpu_device *rdev, u32 period);
void refgpu_counters_stop(struct refgpu_device *rdev);
void refgpu_counters_trigger(struct refgpu_device *rdev);
u64 refgpu_counters_sync(struct refgpu_device *rdev, bool trigger);
u64 refgpu_counters_clock(struct refgpu_device *rdev);
struct refgpu_report *refgpu_counters_buffer(struct refgpu_device *rdev, u32 *size);
u32 refgpu_counters_tail(struct refgpu_device *rdev);
u32 refgpu_counters_head(struct refgpu_device *rdev);
u32 refgpu_counters_number(struct refgpu_device *rdev);
int refgpu_counters_set_head(struct refgpu_device *rdev, u32 head);
u32 refgpu_counters_status(struct refgpu_device *rdev);
void refgpu_counters_clear_status(struct refgpu_device *rdev, u32 status);

/* sched.c */
int refgpu_sched_init(struct refgpu_device *rdev);
void refgpu_sched_end(struct refgpu_ring *ring, struct drm_sched_entity *entity);
void refgpu_job_init(struct refgpu_job *job);
void refgpu_job_put(struct refgpu_job *job);

/* context.c */
int refgpu_open(struct drm_device *drm, struct drm_file *file);
void refgpu_postclose(struct drm_device *drm, struct drm_file *file);
struct refgpu_context *refgpu_context_get(struct refgpu_file *file, u32 id);
void refgpu_context_put(struct refgpu_context *ctx);
int refgpu_context_hw_id(const struct drm_file *file, u32 id);
u64 refgpu_context_fence_context(const struct drm_file *file, u32 id, unsigned int engine);
unsigned int refgpu_context_ids(struct drm_file *file, u64 *ids, unsigned int nr);
int refgpu_ctx_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int refgpu_ctx_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* bo.c */
struct drm_gem_object *refgpu_bo_alloc(struct drm_device *drm, size_t size);
int refgpu_bo_map(struct refgpu_bo *bo);
int refgpu_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int refgpu_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* submit.c */
int refgpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* fdinfo.c */
extern const struct file_operations refgpu_fops;
void refgpu_show_fdinfo(struct drm_printer *p, struct drm_file *file);

/* pmu.c */
void refgpu_pmu_register(struct refgpu_device *rdev);
void refgpu_pmu_unregister(struct refgpu_device *rdev);
void refgpu_pmu_context_end(struct refgpu_device *rdev, u32 hw_id);
/* refgpu_context_get(), for a job to be submitted; may sleep */
DECLARE_STATIC_CALL(refgpu_pmu_context_get, refgpu_context_get);

/* debugfs.c */
#ifdef CONFIG_DEBUG_FS
void refgpu_debugfs_init(void);
void refgpu_debugfs_fini(void);
void refgpu_debugfs_add(struct refgpu_device *rdev, const char *name);
void refgpu_debugfs_remove(struct refgpu_device *rdev);
#else
static inline void refgpu_debugfs_init(void) {}
static inline void refgpu_debugfs_fini(void) {}
static inline void refgpu_debugfs_add(struct refgpu_device *rdev, const char *name) {}
static inline void refgpu_debugfs_remove(struct refgpu_device *rdev) {}
#endif

#endif /* _REFGPU_H */
