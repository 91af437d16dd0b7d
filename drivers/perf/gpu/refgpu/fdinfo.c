// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc/PID/fdinfo says of a client, see Documentation/gpu/drm-usage-stats.rst.
 */
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_print.h>

#include "compat.h"
#include "refgpu.h"

struct client_memory {
	u64 total;
	u64 shared;
	u64 resident;
};

static void show_engines(struct drm_printer *p, struct refgpu_file *file)
{
	static const char * const names[] = {
		[REFGPU_ENGINE_RENDER] = "render",
		[REFGPU_ENGINE_COPY] = "copy",
	};
	struct refgpu_device *rdev = file->rdev;
	unsigned int count[ARRAY_SIZE(names)] = {};
	u64 cycles[ARRAY_SIZE(names)] = {};
	struct refgpu_context *ctx;
	unsigned long irq;
	unsigned int i;
	u32 class;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	for (i = 0; i < rdev->nr_rings; i++) {
		class = rdev->rings[i].class;
		count[class]++;
		cycles[class] += file->closed[i];
		list_for_each_entry(ctx, &file->live, node)
			cycles[class] +=
				ctx->slots[i].queue.counters.v[REFGPU_GPU_CYCLES];
	}
	raw_spin_unlock_irqrestore(&rdev->lock, irq);

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!count[i])
			continue;
		drm_printf(p, "drm-engine-%s:\t%llu ns\n", names[i],
			   cycles[i] * REFGPU_TICK_NS);
		if (count[i] > 1)
			drm_printf(p, "drm-engine-capacity-%s:\t%u\n", names[i], count[i]);
	}
}

static int add_bo(int id, void *ptr, void *data)
{
	struct drm_gem_object *obj = ptr;
	struct client_memory *memory = data;

	memory->total += obj->size;
	if (obj->handle_count > 1 || obj->dma_buf)
		memory->shared += obj->size;
	if (obj->import_attach || to_drm_gem_shmem_obj(obj)->pages)
		memory->resident += obj->size;
	return 0;
}

static void show_memory(struct drm_printer *p, struct drm_file *file)
{
	struct client_memory memory = {};

	spin_lock(&file->table_lock);
	idr_for_each(&file->object_idr, add_bo, &memory);
	spin_unlock(&file->table_lock);

	/* the first one is the old name of resident */
	drm_printf(p, "drm-memory-memory:\t%llu KiB\n", memory.resident >> 10);
	drm_printf(p, "drm-total-memory:\t%llu KiB\n", memory.total >> 10);
	drm_printf(p, "drm-shared-memory:\t%llu KiB\n", memory.shared >> 10);
	drm_printf(p, "drm-resident-memory:\t%llu KiB\n", memory.resident >> 10);
}

/**
 * refgpu_show_fdinfo() - drm_driver.show_fdinfo(), where DRM has that
 * @p:		where to
 * @file:	which client
 */
void refgpu_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	show_engines(p, file->driver_priv);
	show_memory(p, file);
}

#ifndef REFGPU_COMPAT_DRM_FDINFO
static void drm_show_fdinfo(struct seq_file *m, struct file *f)
{
	struct drm_file *file = f->private_data;
	struct refgpu_file *rfile = file->driver_priv;
	struct drm_printer p = drm_seq_file_printer(m);

	drm_printf(&p, "drm-driver:\t%s\n", file->minor->dev->driver->name);
	drm_printf(&p, "drm-client-id:\t%llu\n", rfile->client_id);
	refgpu_show_fdinfo(&p, file);
}
#endif

const struct file_operations refgpu_fops = {
	.owner = THIS_MODULE,
	DRM_GEM_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};
