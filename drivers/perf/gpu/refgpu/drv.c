// SPDX-License-Identifier: GPL-2.0
/*
 * refgpu: a DRM render driver for a GPU that is not there.
 *
 * The devices are platform devices: so /sys/bus/platform/drivers/refgpu/unbind
 * unplugs one, whatever it is doing, and .../bind plugs in a new one.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem_shmem_helper.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>

#include "compat.h"
#include "refgpu.h"

static unsigned int devices = 1;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "Number of GPUs, 1 to 16 (1)");

static unsigned int render_engines = 1;
module_param(render_engines, uint, 0444);
MODULE_PARM_DESC(render_engines, "Render engines of each, 1 to 4 (1)");

static unsigned int copy_engines = 1;
module_param(copy_engines, uint, 0444);
MODULE_PARM_DESC(copy_engines, "Copy engines of each, 0 to 4 (1)");

unsigned int refgpu_timeslice_us = 1000;
module_param_named(timeslice_us, refgpu_timeslice_us, uint, 0444);
MODULE_PARM_DESC(timeslice_us, "For how long a context has an engine while others wait, us (1000)");

unsigned int refgpu_timeout_ms = 500;
module_param_named(timeout_ms, refgpu_timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "For how long an engine must hang to be reset, ms (500)");

/* as jiffies do, to find out early who cannot cope with it */
unsigned long long refgpu_clock_base = (1ULL << 32) - 60 * (NSEC_PER_SEC / REFGPU_TICK_NS);
module_param_named(clock_base, refgpu_clock_base, ullong, 0444);
MODULE_PARM_DESC(clock_base, "The clock's ticks at first (its low 32 bits wrap after a minute)");

unsigned long long refgpu_counter_base = (1ULL << 40) - (1 << 20);
module_param_named(counter_base, refgpu_counter_base, ullong, 0444);
MODULE_PARM_DESC(counter_base, "What counters are at first (all wrap after 2^20)");

unsigned int refgpu_report_base = U32_MAX - 10000;
module_param_named(report_base, refgpu_report_base, uint, 0444);
MODULE_PARM_DESC(report_base, "The number before that of the counter unit's first report (2^32 - 10001)");

static int get_param_index(struct refgpu_device *rdev, struct drm_file *file,
			   struct drm_refgpu_get_param *args)
{
	int ret;

	switch (args->param) {
	case REFGPU_PARAM_ENGINE_CLASS:
		if (args->index >= rdev->nr_rings)
			return -ENOENT;
		args->value = rdev->rings[args->index].class;
		return 0;
	case REFGPU_PARAM_HW_ID:
		ret = refgpu_context_hw_id(file, args->index);
		if (ret < 0)
			return ret;
		args->value = ret;
		return 0;
	default:
		return -EINVAL;
	}
}

static int refgpu_get_param_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct refgpu_device *rdev = to_refgpu(drm);
	struct drm_refgpu_get_param *args = data;

	if (args->value)
		return -EINVAL;
	if (args->param == REFGPU_PARAM_ENGINE_CLASS || args->param == REFGPU_PARAM_HW_ID)
		return get_param_index(rdev, file, args);
	if (args->index)
		return -EINVAL;

	switch (args->param) {
	case REFGPU_PARAM_ENGINES:
		args->value = rdev->nr_rings;
		return 0;
	case REFGPU_PARAM_TICK_NS:
		args->value = REFGPU_TICK_NS;
		return 0;
	case REFGPU_PARAM_TICKS:
		args->value = refgpu_ticks(rdev);
		return 0;
	case REFGPU_PARAM_TIMESLICE:
		args->value = rdev->rings[0].engine.slice;
		return 0;
	default:
		return -EINVAL;
	}
}

/* no ioctl is under way when drm_dev_unplug() returns */
#define DEFINE_REFGPU_IOCTL(name)						\
static int name(struct drm_device *drm, void *data, struct drm_file *file)	\
{										\
	int idx, ret;								\
										\
	if (!drm_dev_enter(drm, &idx))						\
		return -ENODEV;							\
	ret = refgpu_##name##_ioctl(drm, data, file);				\
	drm_dev_exit(idx);							\
	return ret;								\
}

DEFINE_REFGPU_IOCTL(get_param)
DEFINE_REFGPU_IOCTL(ctx_create)
DEFINE_REFGPU_IOCTL(bo_create)
DEFINE_REFGPU_IOCTL(submit)

static const struct drm_ioctl_desc refgpu_ioctls[] = {
	DRM_IOCTL_DEF_DRV(REFGPU_GET_PARAM, get_param, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(REFGPU_CTX_CREATE, ctx_create, DRM_RENDER_ALLOW),
	/* these two may sleep for long, and need nothing that unplugging takes */
	DRM_IOCTL_DEF_DRV(REFGPU_CTX_DESTROY, refgpu_ctx_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(REFGPU_BO_CREATE, bo_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(REFGPU_SUBMIT, submit, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(REFGPU_WAIT, refgpu_wait_ioctl, DRM_RENDER_ALLOW),
};

static const struct drm_driver refgpu_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = refgpu_open,
	.postclose = refgpu_postclose,
	.gem_create_object = refgpu_bo_alloc,
	DRM_GEM_SHMEM_DRIVER_OPS,
	.ioctls = refgpu_ioctls,
	.num_ioctls = ARRAY_SIZE(refgpu_ioctls),
	.fops = &refgpu_fops,
#ifdef REFGPU_COMPAT_DRM_FDINFO
	.show_fdinfo = refgpu_show_fdinfo,
#endif
	.name = "refgpu",
	.desc = "Reference GPU (simulated)",
	REFGPU_COMPAT_DATE
	.major = 1,
	.minor = 0,
};

/**
 * refgpu_of_file() - which reference GPU is it a file of?
 * @file:	an open DRM file
 *
 * Context: any.
 * Return: the device, or NULL if it is one of another driver.
 */
struct refgpu_device *refgpu_of_file(const struct drm_file *file)
{
	struct drm_device *drm = file->minor->dev;

	return drm->driver == &refgpu_drm_driver ? to_refgpu(drm) : NULL;
}

static void hw_ids_release(struct drm_device *drm, void *data)
{
	xa_destroy(data);
}

static int refgpu_probe(struct platform_device *pdev)
{
	struct refgpu_device *rdev;
	int ret;

	ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	rdev = devm_drm_dev_alloc(&pdev->dev, &refgpu_drm_driver,
				  struct refgpu_device, drm);
	if (IS_ERR(rdev))
		return PTR_ERR(rdev);

	xa_init_flags(&rdev->hw_ids, XA_FLAGS_ALLOC1);
	ret = drmm_add_action_or_reset(&rdev->drm, hw_ids_release, &rdev->hw_ids);
	if (ret)
		return ret;
	ret = refgpu_hw_init(rdev, render_engines, copy_engines);
	if (ret)
		return ret;
	ret = refgpu_sched_init(rdev);
	if (ret)
		return ret;
	ret = drm_dev_register(&rdev->drm, 0);
	if (ret)
		return ret;
	platform_set_drvdata(pdev, rdev);
	refgpu_pmu_register(rdev);
	refgpu_debugfs_add(rdev, dev_name(&pdev->dev));
	return 0;
}

static REFGPU_COMPAT_REMOVE refgpu_remove(struct platform_device *pdev)
{
	struct refgpu_device *rdev = platform_get_drvdata(pdev);

	refgpu_debugfs_remove(rdev);
	drm_dev_unplug(&rdev->drm);
	refgpu_hw_unplug(rdev);
	/* last: so it knows how all jobs have ended */
	refgpu_pmu_unregister(rdev);
	return REFGPU_COMPAT_REMOVED;
}

static struct platform_driver refgpu_driver = {
	.probe = refgpu_probe,
	.remove = refgpu_remove,
	.driver = {
		.name = "refgpu",
	},
};

static struct platform_device *refgpu_devices[REFGPU_MAX_DEVICES];

static void refgpu_unregister(unsigned int nr)
{
	while (nr--)
		platform_device_unregister(refgpu_devices[nr]);
	platform_driver_unregister(&refgpu_driver);
	refgpu_debugfs_fini();
}

static int __init refgpu_init(void)
{
	struct platform_device *pdev;
	unsigned int i;
	int ret;

	if (!devices || devices > REFGPU_MAX_DEVICES ||
	    !render_engines || render_engines > REFGPU_MAX_ENGINES / 2 ||
	    copy_engines > REFGPU_MAX_ENGINES / 2 ||
	    refgpu_timeslice_us < 10 || refgpu_timeslice_us > USEC_PER_SEC ||
	    refgpu_timeout_ms < 10 || refgpu_timeout_ms > 60 * MSEC_PER_SEC)
		return -EINVAL;

	refgpu_debugfs_init();
	ret = platform_driver_register(&refgpu_driver);
	if (ret) {
		refgpu_debugfs_fini();
		return ret;
	}
	for (i = 0; i < devices; i++) {
		pdev = platform_device_register_simple("refgpu", i, NULL, 0);
		if (IS_ERR(pdev)) {
			refgpu_unregister(i);
			return PTR_ERR(pdev);
		}
		refgpu_devices[i] = pdev;
	}
	return 0;
}
module_init(refgpu_init);

static void __exit refgpu_exit(void)
{
	refgpu_unregister(devices);
}
module_exit(refgpu_exit);

MODULE_DESCRIPTION("Reference GPU (simulated)");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(DMA_BUF);
