// SPDX-License-Identifier: GPL-2.0
/*
 * Observer of virtio_gpu, the DRM driver of virtual GPUs, as it is in the
 * kernel, by its two tracepoints.
 *
 * DOC: what is counted
 *
 * The device has one engine: its control queue. Each command that is queued
 * there is work; a response means that the host has done it (a fenced command:
 * that the GPU behind the host has). SUBMIT_3D is a client's job. All commands
 * are followed, not only that one: the host takes them in order, so the
 * creation of a context holds up the job behind it, and its time must not be
 * billed to that job. The cursor queue moves a picture and is left out.
 *
 * Work belongs to the context that its header names, else to the client in
 * whose ioctl it was queued, else to the kernel: fbdev, page flips by a worker,
 * and what is torn down when a file is closed.
 *
 * DOC: which response is whose
 *
 * Since 6.8 command and response carry a sequence number. Before, the only
 * thing they share is memory: the driver places a small response right behind
 * its command. Commands with a large response (GET_*) have it elsewhere; they
 * are queued when the device or a display is set up, and are left out there.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/gpu_pmu.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>
#include <linux/virtio_gpu.h>
#include <linux/virtio_ids.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <trace/events/dma_fence.h>

#include "../compat.h"
#include "tracepoint.h"

#define VIRTIO_GPU_CTRL_VQ	0	/* virtio 1.2, 5.7.2 */
#define VIRTIO_GPU_ENGINE	0

/**
 * struct observed - a virtio_gpu device
 * @bound:	in bound_devices
 * @link:	in observed_devices, while its records are wanted
 * @vdev:	the virtio device, while it is bound to its driver: a key
 * @gdev:	what we have registered
 */
struct observed {
	struct list_head bound;
	struct list_head link;
	const struct virtio_device *vdev;
	struct gpu_pmu_device *gdev;
};

/*
 * Devices that are attached, by what a tracepoint knows of them. Few: a list
 * will do. Changed under observed_lock, read under RCU.
 */
static LIST_HEAD(observed_devices);
static DEFINE_MUTEX(observed_lock);

static struct observed *observed_find(const struct virtio_device *vdev)
{
	struct observed *obs;

	list_for_each_entry_rcu(obs, &observed_devices, link,
				lockdep_is_held(&observed_lock))
		if (obs->vdev == vdev)
			return obs;
	return NULL;
}

/* ---- the tracepoints; preemption is off in a probe: an RCU section ---- */

#ifndef GPU_COMPAT_VIRTIO_SEQNO
/* the size of a command whose response follows it at once, else 0 */
static size_t command_size(u32 type)
{
	switch (type) {
	case VIRTIO_GPU_CMD_RESOURCE_CREATE_2D:
		return sizeof(struct virtio_gpu_resource_create_2d);
	case VIRTIO_GPU_CMD_RESOURCE_UNREF:
		return sizeof(struct virtio_gpu_resource_unref);
	case VIRTIO_GPU_CMD_SET_SCANOUT:
		return sizeof(struct virtio_gpu_set_scanout);
	case VIRTIO_GPU_CMD_RESOURCE_FLUSH:
		return sizeof(struct virtio_gpu_resource_flush);
	case VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D:
		return sizeof(struct virtio_gpu_transfer_to_host_2d);
	case VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING:
		return sizeof(struct virtio_gpu_resource_attach_backing);
	case VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING:
		return sizeof(struct virtio_gpu_resource_detach_backing);
	case VIRTIO_GPU_CMD_RESOURCE_CREATE_BLOB:
		return sizeof(struct virtio_gpu_resource_create_blob);
	case VIRTIO_GPU_CMD_SET_SCANOUT_BLOB:
		return sizeof(struct virtio_gpu_set_scanout_blob);
	case VIRTIO_GPU_CMD_CTX_CREATE:
		return sizeof(struct virtio_gpu_ctx_create);
	case VIRTIO_GPU_CMD_CTX_DESTROY:
		return sizeof(struct virtio_gpu_ctx_destroy);
	case VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE:
	case VIRTIO_GPU_CMD_CTX_DETACH_RESOURCE:
		return sizeof(struct virtio_gpu_ctx_resource);
	case VIRTIO_GPU_CMD_RESOURCE_CREATE_3D:
		return sizeof(struct virtio_gpu_resource_create_3d);
	case VIRTIO_GPU_CMD_TRANSFER_TO_HOST_3D:
	case VIRTIO_GPU_CMD_TRANSFER_FROM_HOST_3D:
		return sizeof(struct virtio_gpu_transfer_host_3d);
	case VIRTIO_GPU_CMD_SUBMIT_3D:
		return sizeof(struct virtio_gpu_cmd_submit);
	case VIRTIO_GPU_CMD_RESOURCE_UNMAP_BLOB:
		return sizeof(struct virtio_gpu_resource_unmap_blob);
	default:
		return 0;
	}
}
#endif

/*
 * A fence gets its number, and is told by dma_fence_emit, under the queue's lock; then
 * the command that signals it is told, under the same lock, with that number.
 */
struct emitted {
	u64 context;
	u64 seqno;
};

static DEFINE_PER_CPU(struct emitted, last_emitted);

static void probe_fence_emit(void *data, struct dma_fence *fence)
{
	this_cpu_write(last_emitted.context, fence->context);
	this_cpu_write(last_emitted.seqno, fence->seqno);
}

static void work_set_fence(struct gpu_pmu_work *work, const struct virtio_gpu_ctrl_hdr *hdr)
{
	u64 seqno = le64_to_cpu(hdr->fence_id);

	if (!(hdr->flags & cpu_to_le32(VIRTIO_GPU_FLAG_FENCE)) ||
	    this_cpu_read(last_emitted.seqno) != seqno)
		return;
	work->fence_context = this_cpu_read(last_emitted.context);
	work->fence_seqno = seqno;
}

static void observe_queue(struct virtqueue *vq, struct virtio_gpu_ctrl_hdr *hdr, u64 key)
{
	struct gpu_pmu_work work = {
		.engine = VIRTIO_GPU_ENGINE,
		.key = key,
	};
	struct observed *obs;

	if (vq->index != VIRTIO_GPU_CTRL_VQ)
		return;
	obs = observed_find(vq->vdev);
	if (!obs)
		return;
	if (hdr->type == cpu_to_le32(VIRTIO_GPU_CMD_SUBMIT_3D))
		work.flags = GPU_PMU_WORK_JOB;
	work_set_fence(&work, hdr);
	gpu_pmu_queue(obs->gdev, &work,
		      gpu_pmu_owner(obs->gdev, &work, le32_to_cpu(hdr->ctx_id)));
}

static void observe_response(struct virtqueue *vq, u64 key)
{
	struct observed *obs;

	if (vq->index != VIRTIO_GPU_CTRL_VQ)
		return;
	obs = observed_find(vq->vdev);
	if (obs)
		gpu_pmu_complete(obs->gdev, VIRTIO_GPU_ENGINE, key, 0);
}

#ifdef GPU_COMPAT_VIRTIO_SEQNO
static void probe_queue(void *data, struct virtqueue *vq,
			struct virtio_gpu_ctrl_hdr *hdr, u32 seqno)
{
	observe_queue(vq, hdr, seqno);
}

static void probe_response(void *data, struct virtqueue *vq,
			   struct virtio_gpu_ctrl_hdr *hdr, u32 seqno)
{
	observe_response(vq, seqno);
}
#else
static void probe_queue(void *data, struct virtqueue *vq,
			struct virtio_gpu_ctrl_hdr *hdr)
{
	size_t size = command_size(le32_to_cpu(hdr->type));

	if (size)
		observe_queue(vq, hdr, (unsigned long)hdr + size);
}

static void probe_response(void *data, struct virtqueue *vq,
			   struct virtio_gpu_ctrl_hdr *hdr)
{
	observe_response(vq, (unsigned long)hdr);
}
#endif

static struct gpu_probe virtio_gpu_probe[] = {
	{ "virtio_gpu_cmd_queue", probe_queue },
	{ "virtio_gpu_cmd_response", probe_response },
};

static struct gpu_probes virtio_gpu_probes = {
	.module	= "virtio_gpu",
	.probe	= virtio_gpu_probe,
	.nr	= ARRAY_SIZE(virtio_gpu_probe),
};

/* ---- what the PMU asks ---- */

static int probes_attach(void)
{
	int err;

	err = register_trace_dma_fence_emit(probe_fence_emit, NULL);
	if (err)
		return err;
	err = gpu_probes_attach(&virtio_gpu_probes);
	if (err) {
		unregister_trace_dma_fence_emit(probe_fence_emit, NULL);
		tracepoint_synchronize_unregister();
	}
	return err;
}

/* nobody is in a probe when this returns */
static void probes_detach(void)
{
	unregister_trace_dma_fence_emit(probe_fence_emit, NULL);
	gpu_probes_detach(&virtio_gpu_probes);
}

/* the probes are there for all devices: the first brings them, the last ends them */
static int observe_attach(struct gpu_pmu_device *gdev)
{
	struct observed *obs = gpu_pmu_device_priv(gdev);
	int err = 0;

	mutex_lock(&observed_lock);
	obs->gdev = gdev;
	if (list_empty(&observed_devices))
		err = probes_attach();
	if (!err)
		list_add_tail_rcu(&obs->link, &observed_devices);
	mutex_unlock(&observed_lock);
	return err;
}

static void observe_detach(struct gpu_pmu_device *gdev)
{
	struct observed *obs = gpu_pmu_device_priv(gdev);

	mutex_lock(&observed_lock);
	list_del_rcu(&obs->link);
	if (list_empty(&observed_devices))
		probes_detach();
	else
		synchronize_rcu();
	mutex_unlock(&observed_lock);
}

/*
 * In 3D mode a file has one context, whose id is given out when the file is
 * opened, and is the first field of the driver's struct virtio_gpu_fpriv: so
 * it has been since the driver knows contexts. Its header is not installed;
 * tests/selftests/exact.c compares the id with what the device is told.
 */
static unsigned int observe_contexts(struct drm_file *file, u64 *ids, unsigned int nr)
{
	const u32 *fpriv = READ_ONCE(file->driver_priv);

	if (!fpriv)
		return 0;
	if (nr)
		ids[0] = READ_ONCE(*fpriv);
	return 1;
}

/* ids are the device's own */
static u64 observe_context(struct drm_file *file, u64 ctx)
{
	u64 id;

	return observe_contexts(file, &id, 1) && id == ctx ? ctx : 0;
}

static const struct gpu_pmu_source_ops observe_ops = {
	.owner		= THIS_MODULE,
	.attach		= observe_attach,
	.detach		= observe_detach,
	.contexts	= observe_contexts,
	.context	= observe_context,
};

static const char * const observe_engines[] = { "ctrl" };

/* ---- which devices are there ---- */

/* all that are bound to the driver, attached or not; outside of gpu_mutex */
static LIST_HEAD(bound_devices);
static DEFINE_MUTEX(bound_lock);

static struct observed *bound_find(const struct virtio_device *vdev)
{
	struct observed *obs;

	list_for_each_entry(obs, &bound_devices, bound)
		if (obs->vdev == vdev)
			return obs;
	return NULL;
}

static bool is_virtio_gpu(const struct virtio_device *vdev)
{
	return vdev->id.device == VIRTIO_ID_GPU && vdev->dev.driver &&
	       !strcmp(vdev->dev.driver->name, "virtio_gpu") && vdev->priv;
}

static void device_bound(struct virtio_device *vdev)
{
	struct gpu_pmu_source_info info = {
		.drm = vdev->priv, /* since the driver's first day */
		.ops = &observe_ops,
		.engines = observe_engines,
		.nr_engines = ARRAY_SIZE(observe_engines),
	};
	struct gpu_pmu_device *gdev;
	struct observed *obs;

	obs = kzalloc(sizeof(*obs), GFP_KERNEL);
	if (!obs)
		return;
	obs->vdev = vdev;
	info.priv = obs;
	gdev = gpu_pmu_device_register(&info);
	if (IS_ERR(gdev)) {
		dev_warn(&vdev->dev, "no GPU events: %pe\n", gdev);
		kfree(obs);
		return;
	}
	obs->gdev = gdev;
	list_add_tail(&obs->bound, &bound_devices);
}

static void device_unbound(struct observed *obs)
{
	list_del(&obs->bound);
	/* whoever could still see it through a tracepoint is done after this */
	gpu_pmu_device_unregister(obs->gdev);
	kfree(obs);
}

/* the device is locked: it is not being bound or unbound */
static void device_met(struct device *dev)
{
	struct virtio_device *vdev = dev_to_virtio(dev);

	mutex_lock(&bound_lock);
	if (is_virtio_gpu(vdev) && !bound_find(vdev))
		device_bound(vdev);
	mutex_unlock(&bound_lock);
}

/* one that is bound meanwhile is met twice */
static int device_is_there(struct device *dev, void *data)
{
	device_lock(dev);
	device_met(dev);
	device_unlock(dev);
	return 0;
}

static int bus_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct observed *obs;

	if (action == BUS_NOTIFY_BOUND_DRIVER) {
		device_met(data);
	} else if (action == BUS_NOTIFY_UNBIND_DRIVER) {
		mutex_lock(&bound_lock);
		obs = bound_find(dev_to_virtio((struct device *)data));
		if (obs)
			device_unbound(obs);
		mutex_unlock(&bound_lock);
	}
	return NOTIFY_DONE;
}

static struct notifier_block bus_nb = {
	.notifier_call = bus_notify,
};

/*
 * The virtio bus is not exported, but a driver knows its bus. This one matches
 * no device.
 */
static const struct virtio_device_id no_ids[] = { { 0 } };

static int never_probe(struct virtio_device *vdev)
{
	return -ENODEV;
}

static struct virtio_driver bus_driver = {
	.driver.name	= KBUILD_MODNAME,
	.id_table	= no_ids,
	.probe		= never_probe,
};

static int __init gpu_pmu_virtio_init(void)
{
	int err;

	err = gpu_probes_init(&virtio_gpu_probes);
	if (err)
		return err;
	err = register_virtio_driver(&bus_driver);
	if (err)
		goto err_probes;
	err = bus_register_notifier(bus_driver.driver.bus, &bus_nb);
	if (err)
		goto err_driver;
	bus_for_each_dev(bus_driver.driver.bus, NULL, NULL, device_is_there);
	return 0;

err_driver:
	unregister_virtio_driver(&bus_driver);
err_probes:
	gpu_probes_exit(&virtio_gpu_probes);
	return err;
}
module_init(gpu_pmu_virtio_init);

static void __exit gpu_pmu_virtio_exit(void)
{
	struct observed *obs, *next;

	bus_unregister_notifier(bus_driver.driver.bus, &bus_nb);
	mutex_lock(&bound_lock);
	list_for_each_entry_safe(obs, next, &bound_devices, bound)
		device_unbound(obs);
	mutex_unlock(&bound_lock);
	unregister_virtio_driver(&bus_driver);
	gpu_probes_exit(&virtio_gpu_probes);
}
module_exit(gpu_pmu_virtio_exit);

MODULE_DESCRIPTION("GPU events of virtio_gpu devices");
MODULE_LICENSE("GPL");
