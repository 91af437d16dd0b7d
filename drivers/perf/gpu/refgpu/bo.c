// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: GEM objects of the shmem helper, which engines see through a kernel
 * mapping. That is made when an engine first needs it, and stays until the end
 * of the buffer, as a mapping in a GPU's page table would.
 */
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_utils.h>

#include "compat.h"
#include "refgpu.h"

static void bo_free(struct drm_gem_object *obj)
{
	struct refgpu_bo *bo = to_refgpu_bo(obj);

	if (iosys_map_is_set(&bo->map))
		refgpu_compat_vunmap(obj, &bo->map);
	mutex_destroy(&bo->lock);
	drm_gem_shmem_free(&bo->base);
}

/* the memory would still be there after unplugging, a real device's would not */
static vm_fault_t bo_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	vm_fault_t ret;
	int idx;

	if (!drm_dev_enter(obj->dev, &idx))
		return VM_FAULT_SIGBUS;
	ret = drm_gem_shmem_vm_ops.fault(vmf);
	drm_dev_exit(idx);
	return ret;
}

static void bo_vm_open(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.open(vma);
}

static void bo_vm_close(struct vm_area_struct *vma)
{
	drm_gem_shmem_vm_ops.close(vma);
}

static const struct vm_operations_struct bo_vm_ops = {
	.fault = bo_fault,
	.open = bo_vm_open,
	.close = bo_vm_close,
};

static const struct drm_gem_object_funcs bo_funcs = {
	.free = bo_free,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &bo_vm_ops,
};

/**
 * refgpu_bo_alloc() - drm_driver.gem_create_object()
 * @drm:	the device
 * @size:	bytes
 *
 * Return: an object for the shmem helper to fill in, or an ERR_PTR().
 */
struct drm_gem_object *refgpu_bo_alloc(struct drm_device *drm, size_t size)
{
	struct refgpu_bo *bo;

	bo = kzalloc(sizeof(*bo), GFP_KERNEL);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_init(&bo->lock);
	bo->base.base.funcs = &bo_funcs;
	return &bo->base.base;
}

/**
 * refgpu_bo_map() - let engines find a buffer
 * @bo:		the buffer
 *
 * Context: may sleep; takes the lock of its reservation.
 * Return: 0, or a negative errno.
 */
int refgpu_bo_map(struct refgpu_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	struct iosys_map map;
	int ret = 0;

	mutex_lock(&bo->lock);
	if (!iosys_map_is_set(&bo->map)) {
		ret = refgpu_compat_vmap(obj, &map);
		if (!ret && map.is_iomem) {
			refgpu_compat_vunmap(obj, &map);
			ret = -EOPNOTSUPP;
		}
		if (!ret)
			bo->map = map;
	}
	mutex_unlock(&bo->lock);
	return ret;
}

int refgpu_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_refgpu_bo_create *args = data;
	struct drm_gem_shmem_object *shmem;
	struct drm_gem_object *obj;
	int ret;

	if (args->flags || args->handle || args->mmap_offset ||
	    !args->size || args->size > REFGPU_MAX_BO_SIZE)
		return -EINVAL;

	shmem = drm_gem_shmem_create(drm, PAGE_ALIGN(args->size));
	if (IS_ERR(shmem))
		return PTR_ERR(shmem);
	obj = &shmem->base;
	ret = drm_gem_create_mmap_offset(obj);
	if (ret)
		goto out_put;
	args->size = obj->size;
	args->mmap_offset = drm_vma_node_offset_addr(&obj->vma_node);
	/* others may use, and close, the handle from here on */
	ret = drm_gem_handle_create(file, obj, &args->handle);
out_put:
	drm_gem_object_put(obj);
	return ret;
}

int refgpu_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_refgpu_wait *args = data;
	enum dma_resv_usage usage;
	struct drm_gem_object *obj;
	long ret;

	if (args->flags & ~REFGPU_WAIT_WRITERS)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	usage = dma_resv_usage_rw(!(args->flags & REFGPU_WAIT_WRITERS));
	ret = dma_resv_wait_timeout(obj->resv, usage, true,
				    drm_timeout_abs_to_jiffies(args->deadline_ns));
	drm_gem_object_put(obj);
	if (!ret)
		return -ETIME;
	return ret < 0 ? ret : 0;
}
