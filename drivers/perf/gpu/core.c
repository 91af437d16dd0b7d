// SPDX-License-Identifier: GPL-2.0
/*
 * The core of the gpu PMU: the devices that sources have registered, when
 * they report, and how what they report gets into the ring.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "internal.h"

/* half of it has room for all that can be outstanding at first: two records for each of max_jobs */
static unsigned int ring_size = 16384;
module_param(ring_size, uint, 0444);
MODULE_PARM_DESC(ring_size, "records that a device's ring holds, a power of two (64 bytes each)");

static unsigned int max_jobs = 4096;
module_param(max_jobs, uint, 0444);
MODULE_PARM_DESC(max_jobs, "pieces of outstanding work of a device that can be followed at once");

DEFINE_MUTEX(gpu_mutex); /* see internal.h, as for gpu_lock */
DEFINE_RAW_SPINLOCK(gpu_lock);

/* changed under both gpu_mutex and gpu_lock, read under either */
LIST_HEAD(gpu_devices);

static u32 gpu_devices_number;	/* of the newest one; under gpu_mutex */

/* what all devices have counted, those that are gone included */
struct gpu_account *gpu_all;

static unsigned int gpu_users;	/* open root events; under gpu_mutex */

/*
 * Nodes for the scopes that a job has beyond those that it has room for. They
 * are not taken from the jobs: who opens many events must not hurt others.
 */
#define GPU_SCOPE_NODES		1024

/* so much outstanding work is dropped under one hold of gpu_lock */
#define JOBS_FORGET_PORTION	256

/* what could not be counted, of no device in particular, and was not said yet */
static atomic_long_t gpu_lost;

/**
 * gpu_lose() - count what is not there
 * @gdev:	the device, or NULL
 *
 * Context: any.
 */
void gpu_lose(struct gpu_pmu_device *gdev)
{
	/* of one that is gone nobody would take it over */
	if (gdev && READ_ONCE(gdev->flowing))
		gpu_ring_leave_out(&gdev->ring);
	else
		atomic_long_inc(&gpu_lost);
}

/**
 * gpu_lost_take_over() - have what gpu_lose() has counted seen by events
 *
 * Context: gpu_lock held.
 */
void gpu_lost_take_over(void)
{
	unsigned long lost = gpu_waits_lost();

	lockdep_assert_held(&gpu_lock);
	if (atomic_long_read(&gpu_lost))
		lost += atomic_long_xchg(&gpu_lost, 0);
	gpu_account_lose(gpu_all, lost);
}

/**
 * gpu_payer() - whose limits is counted against what the current task opens?
 *
 * Whoever has made a user namespace has all ids that are in it, and would have the limits as
 * many times. Those that root has made are for others: there, it is each id's own.
 *
 * Context: process.
 * Return: the user.
 */
kuid_t gpu_payer(void)
{
	const struct user_namespace *ns;
	kuid_t payer = current_uid();

	for (ns = current_user_ns(); ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			payer = ns->owner;
	return payer;
}

/*
 * The source has stopped to report: what is on its way is counted, but nobody can say
 * up to when what is outstanding has run.
 */
static void device_stop(struct gpu_pmu_device *gdev)
{
	bool more;

	raw_spin_lock_irq(&gpu_lock);
	if (gdev->flowing)
		gpu_ledger_flush(&gdev->ledger, &gdev->ring, 0);
	/* from now on no flush looks at it, and nobody makes a client or a context */
	gdev->attached = false;
	gdev->flowing = false;
	raw_spin_unlock_irq(&gpu_lock);

	do {
		raw_spin_lock_irq(&gpu_lock);
		more = gpu_ledger_forget(&gdev->ledger, JOBS_FORGET_PORTION);
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
	} while (more);
	gpu_clients_end(gdev);

	kvfree(gdev->jobs);
	kfree(gdev->ledger.engine);
	kvfree(gdev->ring.slots);
	module_put(gdev->ops->owner);
}

static void ledger_done(struct gpu_ledger *ledger, const struct gpu_job *job, u64 time)
{
	struct gpu_pmu_device *gdev = container_of(ledger, struct gpu_pmu_device, ledger);

	if (gpu_events_sample())
		gpu_events_done(gdev, job, time);
}

static struct gpu_account *ledger_find(struct gpu_ledger *ledger, u64 ctx)
{
	struct gpu_pmu_device *gdev = container_of(ledger, struct gpu_pmu_device, ledger);

	return gpu_context_account(gdev, ctx, U64_MAX);
}

/*
 * The source begins to report. What it says of contexts that are there already
 * is not looked at before they are known.
 */
static int device_start(struct gpu_pmu_device *gdev)
{
	int err;

	raw_spin_lock_irq(&gpu_lock);
	gdev->attached = true;
	gdev->flowing = !(gdev->flags & GPU_PMU_TELLS_END);
	raw_spin_unlock_irq(&gpu_lock);

	err = gdev->ops->attach(gdev);
	if (err)
		return err;
	if (gdev->flags & GPU_PMU_TELLS_END) {
		err = gpu_clients_bind(gdev);
		if (err)
			goto err_detach;
	}

	gpu_flush_begin(gdev);

	/* for events that are open already; the others of its events are well */
	err = gpu_unit_update(gdev);
	if (err) {
		pr_warn_ratelimited("device %u: its counters cannot be read: %pe\n",
				    gdev->minor, ERR_PTR(err));
		raw_spin_lock_irq(&gpu_lock);
		gpu_account_lose(&gdev->account, 1);
		raw_spin_unlock_irq(&gpu_lock);
	}
	return 0;

err_detach:
	gdev->ops->detach(gdev);
	return err;
}

/* memory and source; on success the device's records flow */
static int device_attach(struct gpu_pmu_device *gdev)
{
	struct gpu_record *slots;
	struct gpu_engine *engines;
	struct gpu_job *jobs;
	int err = -ENOMEM;
	unsigned int i;

	lockdep_assert_held(&gpu_mutex);

	if (!try_module_get(gdev->ops->owner))
		return -ENODEV;

	slots = kvcalloc(ring_size, sizeof(*slots), GFP_KERNEL);
	engines = kcalloc(gdev->nr_engines, sizeof(*engines), GFP_KERNEL);
	jobs = kvcalloc(max_jobs + GPU_SCOPE_NODES, sizeof(*jobs), GFP_KERNEL);
	if (!slots || !engines || !jobs)
		goto err_free;

	gpu_ring_init(&gdev->ring, slots, ring_size);
	gpu_ledger_init(&gdev->ledger, &gdev->account, engines, gdev->nr_engines,
			jobs, max_jobs, jobs + max_jobs, GPU_SCOPE_NODES);
	/* what was submitted earlier ran for nobody, up to now */
	for (i = 0; i < gdev->nr_engines; i++)
		engines[i].clock = ktime_get_ns();
	gdev->ledger.tells_run = gdev->flags & GPU_PMU_TELLS_RUN;
	gdev->ledger.find = ledger_find;
	gdev->ledger.done = ledger_done;
	gdev->jobs = jobs;
	err = device_start(gdev);
	if (err)
		device_stop(gdev);
	return err;

err_free:
	kvfree(jobs);
	kfree(engines);
	kvfree(slots);
	module_put(gdev->ops->owner);
	return err;
}

static void device_detach(struct gpu_pmu_device *gdev)
{
	lockdep_assert_held(&gpu_mutex);

	if (!gdev->attached)
		return;

	gpu_unit_stop(gdev);
	gpu_flush_ahead();
	raw_spin_lock_irq(&gpu_lock);
	gpu_flush_device(gdev, ktime_get_ns());
	raw_spin_unlock_irq(&gpu_lock);
	gdev->ops->detach(gdev);
	device_stop(gdev);
}

/* of a device that comes while events are open: the next one that is opened tries again */
static void device_try_attach(struct gpu_pmu_device *gdev)
{
	int err = device_attach(gdev);

	if (!err)
		return;
	pr_warn_ratelimited("device %u: its source cannot report: %pe\n", gdev->minor,
			    ERR_PTR(err));
	/* it is missing from what events on all devices count */
	gpu_lose(NULL);
}

static void devices_detach(void)
{
	struct gpu_pmu_device *gdev;

	list_for_each_entry(gdev, &gpu_devices, link)
		device_detach(gdev);
	gpu_unobserve_clients();
}

/**
 * gpu_users_get() - an event is being opened: let the sources report
 *
 * All of them do, or the event is not opened: it may look at all devices, and one that
 * does not report would be missing from what it counts.
 *
 * Context: process, gpu_mutex held, sleeps.
 * Return: 0, or why something cannot be observed.
 */
int gpu_users_get(void)
{
	struct gpu_pmu_device *gdev;
	int err;

	lockdep_assert_held(&gpu_mutex);

	/* first: a client that is seen must not end unseen */
	err = gpu_users ? 0 : gpu_observe_clients();
	if (err)
		return err;

	list_for_each_entry(gdev, &gpu_devices, link) {
		err = gdev->attached ? 0 : device_attach(gdev);
		/* ENODEV: its module is going, and so is the device */
		if (err && err != -ENODEV)
			goto err_detach;
	}

	if (!gpu_users++) {
		raw_spin_lock_irq(&gpu_lock);
		gpu_flush_timer_start();
		raw_spin_unlock_irq(&gpu_lock);
	}
	return 0;

err_detach:
	if (!gpu_users)
		devices_detach();
	return err;
}

/**
 * gpu_users_put() - an event was closed: the last one ends all reporting
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_users_put(void)
{
	lockdep_assert_held(&gpu_mutex);

	if (--gpu_users)
		return;

	gpu_flush_timer_stop();
	devices_detach();
}

/**
 * gpu_device_by_minor() - find a registered device whose source reports
 * @minor:	its render minor
 *
 * Context: gpu_mutex or gpu_lock held; no reference is taken.
 * Return: the device or NULL.
 */
struct gpu_pmu_device *gpu_device_by_minor(unsigned int minor)
{
	struct gpu_pmu_device *gdev;

	list_for_each_entry(gdev, &gpu_devices, link)
		if (gdev->minor == minor && gdev->attached)
			return gdev;
	return NULL;
}

/**
 * gpu_device_by_drm() - find a registered device
 * @drm:	its DRM device
 *
 * Context: gpu_mutex or gpu_lock held; no reference is taken.
 * Return: the device or NULL.
 */
struct gpu_pmu_device *gpu_device_by_drm(const struct drm_device *drm)
{
	struct gpu_pmu_device *gdev;

	list_for_each_entry(gdev, &gpu_devices, link)
		if (gdev->drm == drm)
			return gdev;
	return NULL;
}

/**
 * gpu_device_get() - keep a device's memory
 * @gdev:	the device
 *
 * Context: gpu_lock held.
 */
void gpu_device_get(struct gpu_pmu_device *gdev)
{
	lockdep_assert_held(&gpu_lock);
	gdev->refs++;
}

static void device_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct gpu_pmu_device, rcu));
}

/**
 * gpu_device_put() - the mirror of gpu_device_get()
 * @gdev:	the device
 *
 * Context: gpu_lock held.
 */
void gpu_device_put(struct gpu_pmu_device *gdev)
{
	lockdep_assert_held(&gpu_lock);
	if (!--gdev->refs)
		call_rcu(&gdev->rcu, device_free_rcu);
}

/* with room for as many counters as it can get */
static struct gpu_pmu_device *device_alloc(const struct gpu_pmu_source_info *info)
{
	struct gpu_pmu_device *gdev;
	struct drm_minor *minor = info->drm->render ?: info->drm->primary;

	gdev = kzalloc(sizeof(*gdev) + gpu_account_bytes(info->nr_engines, GPU_MAX_COUNTERS),
		       GFP_KERNEL);
	if (!gdev)
		return NULL;
	gdev->refs = 1;
	gdev->drm = info->drm;
	gdev->ops = info->ops;
	gdev->priv = info->priv;
	gdev->minor = minor->index;
	gdev->flags = info->flags;
	gdev->nr_engines = info->nr_engines;
	gdev->engines = info->engines;
	gdev->unit = info->unit;
	hash_init(gdev->contexts);
	return gdev;
}

static bool unit_makes_sense(const struct gpu_pmu_unit *unit)
{
	unsigned int i;

	if (!unit->nr_counters || unit->nr_counters > GPU_PMU_MAX_COUNTERS ||
	    !unit->tick_ns || unit->clock_width < 32 || unit->clock_width > 64 ||
	    !is_power_of_2(unit->report_size))
		return false;
	for (i = 0; i < unit->nr_counters; i++)
		if (!unit->counters[i].width || unit->counters[i].width > 64)
			return false;
	return true;
}

static bool info_makes_sense(const struct gpu_pmu_source_info *info)
{
	if (!info->nr_engines || info->nr_engines > GPU_PMU_MAX_ENGINES)
		return false;
	if (!info->drm->render && !info->drm->primary)
		return false;
	/* only the source knows up to when all was told */
	if (info->unit || info->flags & GPU_PMU_TELLS_RUN)
		return info->ops->sync && (!info->unit || unit_makes_sense(info->unit));
	return true;
}

/* the names of its counters become events */
static int device_name_counters(struct gpu_pmu_device *gdev)
{
	const struct gpu_pmu_unit *unit = gdev->unit;
	unsigned int i;
	int slot;

	gdev->nr_counters = GPU_NR_COUNTERS;
	if (!unit)
		return 0;

	for (i = 0; i < unit->nr_counters; i++) {
		slot = gpu_native_get(&unit->counters[i]);
		if (slot < 0)
			goto err_names;
		gdev->unit_slots[i] = slot;
		gdev->nr_counters = max(gdev->nr_counters, slot + 1U);
	}
	return 0;

err_names:
	while (i--)
		gpu_native_put(gdev->unit_slots[i]);
	return slot;
}

static void device_forget_counters(struct gpu_pmu_device *gdev)
{
	unsigned int i;

	if (!gdev->unit)
		return;
	for (i = 0; i < gdev->unit->nr_counters; i++)
		gpu_native_put(gdev->unit_slots[i]);
}

/**
 * gpu_pmu_device_register() - announce a device whose GPU activity can be told
 * @info:	what there is to know of it; what it points to must outlive the
 *		registration
 *
 * If events are open, the source's attach() is called before this returns. When
 * it fails, the device is registered all the same, and tried again with the next
 * first event.
 *
 * Context: process, sleeps; takes the PMU's mutex, which attach(), detach(), start() and
 * stop() are called with: so not from them, nor under a lock that they take. Undone by
 * gpu_pmu_device_unregister().
 * Return: the device or an ERR_PTR: -EINVAL the info makes no sense, -EEXIST
 * the DRM device has a source already, or a counter's name is another thing in
 * another unit, -ENOSPC there are too many names of counters, -ENOMEM.
 */
struct gpu_pmu_device *
gpu_pmu_device_register(const struct gpu_pmu_source_info *info)
{
	struct gpu_pmu_device *gdev;
	int err;

	if (!info_makes_sense(info))
		return ERR_PTR(-EINVAL);

	gdev = device_alloc(info);
	if (!gdev)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&gpu_mutex);
	err = -EEXIST;
	if (gpu_device_by_drm(info->drm))
		goto err_unlock;
	err = device_name_counters(gdev);
	if (err)
		goto err_unlock;
	gpu_account_init(&gdev->account, gpu_all, gdev->nr_engines, gdev->nr_counters);
	err = -ENOMEM;
	gdev->kernel = gpu_client_alloc(gdev, GFP_KERNEL);
	if (!gdev->kernel)
		goto err_names;

	gdev->number = ++gpu_devices_number;
	drm_dev_get(info->drm);
	raw_spin_lock_irq(&gpu_lock);
	list_add_tail(&gdev->link, &gpu_devices);
	gpu_usage_begin(gdev->kernel, NULL);
	raw_spin_unlock_irq(&gpu_lock);
	if (gpu_users)
		device_try_attach(gdev);
	mutex_unlock(&gpu_mutex);
	return gdev;

err_names:
	device_forget_counters(gdev);
err_unlock:
	mutex_unlock(&gpu_mutex);
	kfree(gdev);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(gpu_pmu_device_register);

/**
 * gpu_pmu_device_unregister() - the device, or its source, goes away
 * @gdev:	the device
 *
 * Detaches the source if it is attached. Events that look at the device stay
 * open, with the counts that they have; work that was outstanding is counted
 * up to now. To be called when the driver is unbound, and not from the DRM
 * device's own release: a reference to it is held here.
 *
 * Context: process, sleeps; as gpu_pmu_device_register(), and waits for whoever is in a
 * callback.
 */
void gpu_pmu_device_unregister(struct gpu_pmu_device *gdev)
{
	struct drm_device *drm = gdev->drm;

	mutex_lock(&gpu_mutex);
	device_detach(gdev);
	raw_spin_lock_irq(&gpu_lock);
	list_del(&gdev->link);
	gpu_usage_end(&gdev->kernel->usage);
	raw_spin_unlock_irq(&gpu_lock);
	gdev->drm = NULL;
	device_forget_counters(gdev);
	gdev->unit = NULL;
	mutex_unlock(&gpu_mutex);
	drm_dev_put(drm);

	raw_spin_lock_irq(&gpu_lock);
	gpu_client_put(gdev->kernel);
	gpu_device_put(gdev);
	raw_spin_unlock_irq(&gpu_lock);
}
EXPORT_SYMBOL_GPL(gpu_pmu_device_unregister);

/**
 * gpu_pmu_device_priv() - the source's own pointer
 * @gdev:	the device
 *
 * Context: any, also the source's callbacks; takes no lock.
 * Return: @priv of the struct gpu_pmu_source_info.
 */
void *gpu_pmu_device_priv(struct gpu_pmu_device *gdev)
{
	return gdev->priv;
}
EXPORT_SYMBOL_GPL(gpu_pmu_device_priv);

/* only a sample of the completion says which fence it was, and who submitted it */
static void device_push_fence(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work)
{
	bool here = gpu_in_user_task() && !(work->flags & GPU_PMU_WORK_EARLIER);
	struct gpu_record rec = {
		.type = GPU_RECORD_FENCE,
		.engine = work->engine,
		.key = work->key,
		.fence_context = work->fence_context,
		.fence_seqno = work->fence_seqno,
		.pid = here ? task_tgid_nr(current) : 0,
	};

	/* without it nothing is counted less */
	gpu_ring_try(&gdev->ring, &rec);
}

/* there may be more than any ring holds, and nobody to take it over yet */
static void device_tell_earlier(struct gpu_pmu_device *gdev, const struct gpu_record *rec)
{
	if (!gpu_ring_try(&gdev->ring, rec))
		gpu_ring_leave_untold(&gdev->ring);
}

static void device_queue(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work,
			 struct gpu_record *rec)
{
	unsigned long irq;

	rec->type = GPU_RECORD_QUEUE;
	rec->engine = work->engine;
	rec->key = work->key;
	rec->time = work->time;
	rec->flags |= work->flags;

	local_irq_save(irq);
	gpu_events_submit(gdev, work, rec);
	/* what is told of earlier work is told while the first event is being opened */
	if (work->fence_context &&
	    (gpu_events_sample() || work->flags & GPU_PMU_WORK_EARLIER))
		device_push_fence(gdev, work);
	if (work->flags & GPU_PMU_WORK_EARLIER)
		device_tell_earlier(gdev, rec);
	else if (gpu_ring_push(&gdev->ring, rec))
		gpu_flush_soon();
	local_irq_restore(irq);
}

/**
 * gpu_pmu_queue() - work is being handed over to an engine
 * @gdev:	the device, attached
 * @work:	the work
 * @owner:	whose work it is, from gpu_pmu_owner() in the same RCU read-side
 *		section; NULL if that could not tell: counted as lost
 *
 * To be called in the order in which the engine gets the work, before it can
 * possibly complete, and in the context of the task that submits it, if one
 * does.
 *
 * Context: any but NMI; takes no lock.
 */
void gpu_pmu_queue(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work,
		   struct gpu_account *owner)
{
	struct gpu_record rec = { .owner = owner };

	if (WARN_ON_ONCE(work->engine >= gdev->nr_engines))
		return;
	if (owner)
		device_queue(gdev, work, &rec);
	else
		gpu_ring_lose(&gdev->ring);
}
EXPORT_SYMBOL_GPL(gpu_pmu_queue);

/**
 * gpu_pmu_queue_context() - the same, for a source that knows the context
 * @gdev:	the device, attached, with GPU_PMU_TELLS_END
 * @work:	the work
 * @ctx:	the number under which the device knows the context that the work is
 *		for. It must be bound before, and not end before the work does
 *
 * Context: any but NMI; takes no lock.
 */
void gpu_pmu_queue_context(struct gpu_pmu_device *gdev,
			   const struct gpu_pmu_work *work, u64 ctx)
{
	struct gpu_record rec = { .ctx = ctx, .flags = GPU_RECORD_BY_CONTEXT };

	if (!WARN_ON_ONCE(work->engine >= gdev->nr_engines))
		device_queue(gdev, work, &rec);
}
EXPORT_SYMBOL_GPL(gpu_pmu_queue_context);

static void device_push(struct gpu_pmu_device *gdev, enum gpu_record_type type,
			unsigned int engine, u64 key, u64 time)
{
	struct gpu_record rec = {
		.type = type,
		.engine = engine,
		.key = key,
		.time = time,
	};
	unsigned long irq;

	if (WARN_ON_ONCE(engine >= gdev->nr_engines))
		return;
	local_irq_save(irq);
	if (gpu_ring_push(&gdev->ring, &rec))
		gpu_flush_soon();
	local_irq_restore(irq);
}

/**
 * gpu_pmu_run() - an engine begins to run work, or goes on with it
 * @gdev:	the device, attached, with GPU_PMU_TELLS_RUN
 * @engine:	index of the engine
 * @key:	of the work; it runs until the next call for that engine, or until
 *		it is complete. Unknown keys: nothing that is followed runs
 * @time:	when that was, CLOCK_MONOTONIC in ns; 0: now
 *
 * Calls for one engine must come in the order of their times.
 *
 * Context: any but NMI; takes no lock.
 */
void gpu_pmu_run(struct gpu_pmu_device *gdev, unsigned int engine, u64 key, u64 time)
{
	device_push(gdev, GPU_RECORD_RUN, engine, key, time);
}
EXPORT_SYMBOL_GPL(gpu_pmu_run);

/**
 * gpu_pmu_complete() - an engine has completed work
 * @gdev:	the device, attached
 * @engine:	index of the engine
 * @key:	as given to gpu_pmu_queue(); unknown keys are ignored: that work
 *		was queued before anyone looked
 * @time:	when that was, CLOCK_MONOTONIC in ns; 0: now
 *
 * Context: any but NMI; takes no lock.
 */
void gpu_pmu_complete(struct gpu_pmu_device *gdev, unsigned int engine, u64 key,
		      u64 time)
{
	device_push(gdev, GPU_RECORD_DONE, engine, key, time);
}
EXPORT_SYMBOL_GPL(gpu_pmu_complete);

static int __init gpu_pmu_init(void)
{
	int err;

	if (!is_power_of_2(ring_size) || ring_size < 64 || ring_size > 1 << 20 ||
	    !max_jobs || max_jobs > 1 << 20) {
		pr_err("ring_size must be a power of two from 64 to %u, and max_jobs from 1 to %u\n",
		       1 << 20, 1 << 20);
		return -EINVAL;
	}

	gpu_all = kzalloc(sizeof(*gpu_all) +
			  gpu_account_bytes(GPU_PMU_MAX_ENGINES, GPU_MAX_COUNTERS),
			  GFP_KERNEL);
	if (!gpu_all)
		return -ENOMEM;
	gpu_account_init(gpu_all, NULL, GPU_PMU_MAX_ENGINES, GPU_MAX_COUNTERS);

	gpu_clients_init();
	gpu_flush_init();
	gpu_events_init();
	gpu_samples_init();

	err = gpu_observe_clients_init();
	if (err)
		goto err_free;
	err = gpu_query_register();
	if (err)
		goto err_observe;
	err = gpu_pmu_face_register();
	if (err)
		goto err_query;
	return 0;

err_query:
	gpu_query_unregister();
err_observe:
	gpu_observe_clients_exit();
err_free:
	kfree(gpu_all);
	return err;
}
module_init(gpu_pmu_init);

static void __exit gpu_pmu_exit(void)
{
	gpu_pmu_face_unregister();
	gpu_query_unregister();
	gpu_observe_clients_exit();
	gpu_flush_exit();
	gpu_samples_exit();
	rcu_barrier(); /* clients on their way out, */
	rcu_barrier(); /* and their memory */
	kfree(gpu_all);
}
module_exit(gpu_pmu_exit);

MODULE_DESCRIPTION("perf PMU for GPUs");
MODULE_LICENSE("GPL");
/* the observers need symbols of the drivers they observe, so they come apart */
MODULE_SOFTDEP("post: gpu_pmu_virtio");
