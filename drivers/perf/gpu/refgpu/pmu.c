// SPDX-License-Identifier: GPL-2.0
/*
 * How this driver is plugged into the gpu PMU: an example for others, see
 * Documentation/gpu-pmu-provider.rst.
 *
 * What the engines do is told as it happens, by the listener that hw.c calls. What
 * they count is in the reports of the counter unit, which runs while an event
 * wants it.
 */
#include <linux/gpu_pmu.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/time64.h>
#include <drm/drm_managed.h>

#include "refgpu.h"

static int counters_size_set(const char *val, const struct kernel_param *kp)
{
	unsigned int size;
	int ret = kstrtouint(val, 0, &size);

	if (ret)
		return ret;
	if (!is_power_of_2(size))
		return -EINVAL;
	return param_set_uint_minmax(val, kp, REFGPU_OA_MIN_SIZE, REFGPU_OA_MAX_SIZE);
}

static const struct kernel_param_ops counters_size_ops = {
	.set = counters_size_set,
	.get = param_get_uint,
};

static unsigned int counters_size = 1 << 20;
module_param_cb(counters_size, &counters_size_ops, &counters_size, 0644);
MODULE_PARM_DESC(counters_size, "Bytes of the counter unit's buffer, for the next event: a power of two, 4096 to 16777216 (1 MiB)");

#define MIN_PERIOD_US	DIV_ROUND_UP(REFGPU_OA_MIN_PERIOD * REFGPU_TICK_NS, NSEC_PER_USEC)
#define MAX_PERIOD_US	(60ULL * USEC_PER_SEC)

/* the unit counts ticks in 32 bits */
static_assert(MAX_PERIOD_US * NSEC_PER_USEC / REFGPU_TICK_NS <= U32_MAX);

static int counters_period_us_set(const char *val, const struct kernel_param *kp)
{
	unsigned int us;
	int ret = kstrtouint(val, 0, &us);

	if (ret)
		return ret;
	/* none at all is fine, too */
	return param_set_uint_minmax(val, kp, us ? MIN_PERIOD_US : 0, MAX_PERIOD_US);
}

static const struct kernel_param_ops counters_period_us_ops = {
	.set = counters_period_us_set,
	.get = param_get_uint,
};

static unsigned int counters_period_us = 1000;
module_param_cb(counters_period_us, &counters_period_us_ops, &counters_period_us, 0644);
MODULE_PARM_DESC(counters_period_us, "Time between reports of an engine, us, for the next event: 6 to 60000000; 0: none (1000)");

/**
 * struct refgpu_pmu - a device's connection to the PMU
 * @rdev:	the device
 * @gdev:	what the PMU knows it as
 * @listener:	hears of jobs, while the PMU wants to
 * @unit_runs:	the counter unit is the PMU's
 * @attached:	which time it is that the PMU wants to hear; 0: it does not
 * @times:	how often it has wanted to
 * @engines:	their names
 */
struct refgpu_pmu {
	struct refgpu_device *rdev;
	struct gpu_pmu_device *gdev;
	struct refgpu_listener listener;
	bool unit_runs;
	unsigned int attached;
	unsigned int times;
	const char *engines[REFGPU_MAX_ENGINES];
};

static struct refgpu_device *to_rdev(struct gpu_pmu_device *gdev)
{
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);

	return pmu->rdev;
}

/* ---- what becomes of jobs ---- */

static void pmu_queue(struct refgpu_listener *listener,
		      const struct refgpu_job_info *job, u64 ticks, unsigned int flags)
{
	struct refgpu_pmu *pmu = container_of(listener, struct refgpu_pmu, listener);
	struct gpu_pmu_work work = {
		.engine = job->engine,
		.flags = GPU_PMU_WORK_JOB | flags,
		.key = job->number,
		.time = refgpu_ticks_to_ns(pmu->rdev, ticks),
		.fence_context = job->fence_context,
		.fence_seqno = job->fence_seqno,
	};

	gpu_pmu_queue_context(pmu->gdev, &work, job->hw_id);
}

static void pmu_submit(struct refgpu_listener *listener,
		       const struct refgpu_job_info *job, u64 ticks)
{
	pmu_queue(listener, job, ticks, 0);
}

static void pmu_earlier(struct refgpu_listener *listener,
			const struct refgpu_job_info *job, u64 ticks, bool started)
{
	pmu_queue(listener, job, ticks, GPU_PMU_WORK_EARLIER |
		  (started ? GPU_PMU_WORK_STARTED : 0));
}

static void pmu_run(struct refgpu_listener *listener,
		    const struct refgpu_job_info *job, u64 ticks)
{
	struct refgpu_pmu *pmu = container_of(listener, struct refgpu_pmu, listener);

	gpu_pmu_run(pmu->gdev, job->engine, job->number,
		    refgpu_ticks_to_ns(pmu->rdev, ticks));
}

static void pmu_end(struct refgpu_listener *listener,
		    const struct refgpu_job_info *job, u64 started, u64 ticks, int error)
{
	struct refgpu_pmu *pmu = container_of(listener, struct refgpu_pmu, listener);

	gpu_pmu_complete(pmu->gdev, job->engine, job->number,
			 refgpu_ticks_to_ns(pmu->rdev, ticks));
}

static const struct refgpu_job_ops pmu_job_ops = {
	.submit		= pmu_submit,
	.earlier	= pmu_earlier,
	.run		= pmu_run,
	.end		= pmu_end,
};

/* ---- contexts are bound before they submit ---- */

/* It stays bound until it ends, or the PMU does not want to hear any more: it is done once. */
static void pmu_bind(struct refgpu_file *file, struct refgpu_context *ctx, u32 id)
{
	/* pairs with the store in refgpu_pmu_register() */
	struct refgpu_pmu *pmu = smp_load_acquire(&file->rdev->pmu);
	unsigned int attached;

	/* pairs with the store in pmu_attach() */
	attached = pmu ? smp_load_acquire(&pmu->attached) : 0;
	/* pairs with the release below: who does not bind it queues after it was bound */
	if (!attached || smp_load_acquire(&ctx->pmu_bound) == attached)
		return;
	/* if that fails, the PMU counts what the job does as lost */
	if (gpu_pmu_context_bind(pmu->gdev, file->drm, id))
		return;
	/* it is bound before anyone sees that it is */
	smp_store_release(&ctx->pmu_bound, attached);
}

static struct refgpu_context *pmu_context_get(struct refgpu_file *file, u32 id)
{
	struct refgpu_context *ctx = refgpu_context_get(file, id);

	if (ctx)
		pmu_bind(file, ctx, id);
	return ctx;
}

/*
 * Who submits a job gets its context by this. While no event is open, that is the same call
 * as it was without a PMU.
 */
DEFINE_STATIC_CALL(refgpu_pmu_context_get, refgpu_context_get);

/* devices that the PMU wants to hear of; under its mutex */
static unsigned int pmu_wanted;

static void pmu_want(void)
{
	if (!pmu_wanted++)
		static_call_update(refgpu_pmu_context_get, pmu_context_get);
}

static void pmu_want_no_more(void)
{
	if (!--pmu_wanted)
		static_call_update(refgpu_pmu_context_get, refgpu_context_get);
}

/* ---- what the PMU asks of a source ---- */

static int pmu_attach(struct gpu_pmu_device *gdev)
{
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);

	pmu->gdev = gdev;
	pmu_want();
	/* first: who submits from now on binds its context; it is never 0 */
	smp_store_release(&pmu->attached, ++pmu->times ?: ++pmu->times);
	refgpu_listen(pmu->rdev, &pmu->listener);
	return 0;
}

static void pmu_detach(struct gpu_pmu_device *gdev)
{
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);

	refgpu_unlisten(pmu->rdev, &pmu->listener);
	WRITE_ONCE(pmu->attached, 0);
	pmu_want_no_more();
}

static u64 pmu_context(struct drm_file *file, u64 id)
{
	int hw_id = id <= REFGPU_MAX_CONTEXTS ? refgpu_context_hw_id(file, id) : 0;

	return hw_id > 0 ? hw_id : 0;
}

static u64 pmu_fence_context(struct drm_file *file, u64 id, unsigned int engine)
{
	return id <= REFGPU_MAX_CONTEXTS ? refgpu_context_fence_context(file, id, engine) : 0;
}

static u64 pmu_sync(struct gpu_pmu_device *gdev)
{
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);

	return refgpu_ticks_to_ns(pmu->rdev,
				  refgpu_counters_sync(pmu->rdev, READ_ONCE(pmu->unit_runs)));
}

static const struct gpu_pmu_source_ops pmu_source_ops = {
	.attach		= pmu_attach,
	.detach		= pmu_detach,
	.contexts	= refgpu_context_ids,
	.context	= pmu_context,
	.fence_context	= pmu_fence_context,
	.sync		= pmu_sync,
};

/* ---- the counter unit ---- */

static int unit_start(struct gpu_pmu_device *gdev, struct gpu_pmu_buffer *buffer)
{
	u32 period = div_u64(READ_ONCE(counters_period_us) * 1000ULL, REFGPU_TICK_NS);
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);
	struct refgpu_device *rdev = pmu->rdev;
	int ret;

	ret = refgpu_counters_acquire(rdev, READ_ONCE(counters_size));
	if (ret)
		return ret;
	ret = refgpu_counters_start(rdev, period);
	if (ret) {
		refgpu_counters_release(rdev);
		return ret;
	}
	buffer->base = refgpu_counters_buffer(rdev, &buffer->size);
	buffer->number = refgpu_report_base;
	WRITE_ONCE(pmu->unit_runs, true);
	return 0;
}

static void unit_stop(struct gpu_pmu_device *gdev)
{
	struct refgpu_pmu *pmu = gpu_pmu_device_priv(gdev);

	WRITE_ONCE(pmu->unit_runs, false);
	refgpu_counters_release(pmu->rdev);
}

static u32 unit_number(struct gpu_pmu_device *gdev)
{
	return refgpu_counters_number(to_rdev(gdev));
}

static u64 unit_clock(struct gpu_pmu_device *gdev)
{
	return refgpu_counters_clock(to_rdev(gdev));
}

static u32 unit_tail(struct gpu_pmu_device *gdev)
{
	return refgpu_counters_tail(to_rdev(gdev));
}

static void unit_free(struct gpu_pmu_device *gdev, u32 from, u32 to)
{
	struct refgpu_device *rdev = to_rdev(gdev);
	struct refgpu_report *reports;
	u32 size;

	reports = refgpu_counters_buffer(rdev, &size);
	if (to < from) {
		memset((void *)reports + from, 0, size - from);
		from = 0;
	}
	memset((void *)reports + from, 0, to - from);
	refgpu_counters_set_head(rdev, to);
	refgpu_counters_clear_status(rdev, REFGPU_OA_FULL | REFGPU_OA_LOST);
}

/* as pmu_counters[] has them */
enum {
	PMU_GPU_CYCLES,
	PMU_SHADER_ACTIVE,
	PMU_MEM_READ,
	PMU_MEM_WRITE,
	PMU_L3_MISSES,
};

static bool unit_decode(struct gpu_pmu_device *gdev, const void *raw,
			struct gpu_pmu_report *report)
{
	const struct refgpu_report *from = raw;

	/* pairs with the unit's smp_store_release(): this word is the last one */
	report->sequence = smp_load_acquire(&from->sequence);
	if (!report->sequence)
		return false;
	report->engine = from->flags & REFGPU_OA_ENGINE;
	report->ctx = from->hw_id;
	report->time = from->timestamp;
	report->value[PMU_GPU_CYCLES] = from->gpu_cycles;
	report->value[PMU_SHADER_ACTIVE] = from->shader_active | (u64)from->high[0] << 32;
	report->value[PMU_MEM_READ] = from->mem_read | (u64)from->high[1] << 32;
	report->value[PMU_MEM_WRITE] = from->mem_write | (u64)from->high[2] << 32;
	report->value[PMU_L3_MISSES] = from->l3_misses;
	return true;
}

static const struct gpu_pmu_unit_ops pmu_unit_ops = {
	.start	= unit_start,
	.stop	= unit_stop,
	.number	= unit_number,
	.clock	= unit_clock,
	.tail	= unit_tail,
	.free	= unit_free,
	.decode	= unit_decode,
};

static const struct gpu_pmu_counter pmu_counters[] = {
	[PMU_GPU_CYCLES] = {
		.name = "gpu-cycles",
		.desc = "cycles that an engine had a job",
		.width = 32,
	},
	[PMU_SHADER_ACTIVE] = {
		.name = "shader-active",
		.desc = "cycles that the shaders were busy",
		.width = 40,
	},
	[PMU_MEM_READ] = {
		.name = "mem-read-bytes",
		.unit = "bytes",
		.desc = "bytes that an engine read from memory",
		.width = 40,
	},
	[PMU_MEM_WRITE] = {
		.name = "mem-write-bytes",
		.unit = "bytes",
		.desc = "bytes that an engine wrote to memory",
		.width = 40,
	},
	[PMU_L3_MISSES] = {
		.name = "l3-misses",
		.desc = "accesses that missed the last cache",
		.width = 32,
	},
};

static const struct gpu_pmu_unit pmu_unit = {
	.ops		= &pmu_unit_ops,
	.counters	= pmu_counters,
	.nr_counters	= ARRAY_SIZE(pmu_counters),
	.report_size	= sizeof(struct refgpu_report),
	.tick_ns	= REFGPU_TICK_NS,
	.clock_width	= 32,
};

/* ---- the device ---- */

/**
 * refgpu_pmu_register() - tell the PMU of a device
 * @rdev:	the device, registered
 *
 * The device works without, if it fails.
 *
 * Context: may sleep. Undone by refgpu_pmu_unregister().
 */
void refgpu_pmu_register(struct refgpu_device *rdev)
{
	struct gpu_pmu_source_info info = {
		.drm = &rdev->drm,
		.ops = &pmu_source_ops,
		.unit = &pmu_unit,
		.nr_engines = rdev->nr_rings,
		.flags = GPU_PMU_TELLS_RUN | GPU_PMU_TELLS_END,
	};
	struct gpu_pmu_device *gdev;
	struct refgpu_pmu *pmu;
	unsigned int i;

	pmu = drmm_kzalloc(&rdev->drm, sizeof(*pmu), GFP_KERNEL);
	if (!pmu)
		return;
	pmu->rdev = rdev;
	pmu->listener.ops = &pmu_job_ops;
	for (i = 0; i < rdev->nr_rings; i++)
		pmu->engines[i] = rdev->rings[i].name;
	info.engines = pmu->engines;
	info.priv = pmu;
	/* first: events may be open, and it is attached at once */
	smp_store_release(&rdev->pmu, pmu);
	gdev = gpu_pmu_device_register(&info);
	if (IS_ERR(gdev)) {
		drm_warn(&rdev->drm, "no GPU events: %pe\n", gdev);
		return;
	}
	mutex_lock(&rdev->pmu_lock);
	pmu->gdev = gdev;
	mutex_unlock(&rdev->pmu_lock);
}

/**
 * refgpu_pmu_unregister() - the mirror of refgpu_pmu_register()
 * @rdev:	the device, unplugged: no ioctl is under way, all jobs have ended
 *
 * Context: may sleep.
 */
void refgpu_pmu_unregister(struct refgpu_device *rdev)
{
	struct gpu_pmu_device *gdev = NULL;

	mutex_lock(&rdev->pmu_lock);
	if (rdev->pmu)
		gdev = rdev->pmu->gdev;
	rdev->pmu = NULL;
	mutex_unlock(&rdev->pmu_lock);
	if (gdev)
		gpu_pmu_device_unregister(gdev);
}

/**
 * refgpu_pmu_context_end() - a context's hardware id is about to be free
 * @rdev:	the device; may be unplugged
 * @hw_id:	the id
 *
 * Context: may sleep.
 */
void refgpu_pmu_context_end(struct refgpu_device *rdev, u32 hw_id)
{
	mutex_lock(&rdev->pmu_lock);
	if (rdev->pmu && rdev->pmu->gdev)
		gpu_pmu_context_end(rdev->pmu->gdev, hw_id);
	mutex_unlock(&rdev->pmu_lock);
}
