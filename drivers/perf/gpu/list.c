// SPDX-License-Identifier: GPL-2.0
/*
 * What there is: devices, engines and events, for /dev/gpu_pmu.
 */
#include <linux/device.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>

#include "events.h"
#include "internal.h"

/* more than any of the lists has entries */
#define GPU_LIST_ROOM_MAX	1024U

/**
 * struct gpu_list - an answer
 * @entries:	the entries
 * @size:	of each
 * @room:	how many there is room for
 * @nr:		how many there are
 */
struct gpu_list {
	void *entries;
	size_t size;
	unsigned int room;
	unsigned int nr;
};

/* the entries of one kind, for what the caller has given as dev; gpu_mutex held */
typedef int (*gpu_lister)(struct gpu_list *list, unsigned int dev);

static void list_entry_add(struct gpu_list *list, const void *entry)
{
	if (list->nr < list->room)
		memcpy(list->entries + list->nr * list->size, entry, list->size);
	list->nr++;
}

/* also one whose source does not report now */
static struct gpu_pmu_device *device_find(unsigned int minor)
{
	struct gpu_pmu_device *gdev;

	list_for_each_entry(gdev, &gpu_devices, link)
		if (gdev->minor == minor)
			return gdev;
	return NULL;
}

static int devices_list(struct gpu_list *list, unsigned int dev)
{
	struct gpu_pmu_device *gdev;

	if (dev)
		return -EINVAL;
	list_for_each_entry(gdev, &gpu_devices, link) {
		struct gpu_pmu_device_info info = {
			.dev = gdev->minor,
			.nr_engines = gdev->nr_engines,
			.nr_counters = gdev->unit ? gdev->unit->nr_counters : 0,
		};

		strscpy(info.driver, gdev->drm->driver->name, sizeof(info.driver));
		strscpy(info.bus, dev_name(gdev->drm->dev), sizeof(info.bus));
		list_entry_add(list, &info);
	}
	return 0;
}

static int engines_list(struct gpu_list *list, unsigned int dev)
{
	struct gpu_pmu_device *gdev = device_find(dev);
	unsigned int i;

	if (!gdev)
		return -ENODEV;
	for (i = 0; i < gdev->nr_engines; i++) {
		struct gpu_pmu_engine_info info = {};

		strscpy(info.name, gdev->engines[i], sizeof(info.name));
		list_entry_add(list, &info);
	}
	return 0;
}

static void event_add(struct gpu_list *list, u64 id, const char *name, const char *unit,
		      const char *desc)
{
	struct gpu_pmu_event_info info = { .event = id };

	strscpy(info.name, name, sizeof(info.name));
	strscpy(info.unit, unit ?: "", sizeof(info.unit));
	strscpy(info.desc, desc ?: "", sizeof(info.desc));
	list_entry_add(list, &info);
}

static int events_list(struct gpu_list *list, unsigned int dev)
{
	const struct gpu_event_desc *desc;
	struct gpu_pmu_device *gdev;
	unsigned int i;

	if (!dev) {
		for (i = 0; i < GPU_NR_EVENTS; i++) {
			desc = &gpu_event_descs[i];
			if (desc->name && (!desc->of_context || gpu_native_any()))
				event_add(list, i, desc->name, desc->unit, desc->desc);
		}
		return 0;
	}

	gdev = device_find(dev);
	if (!gdev)
		return -ENODEV;
	for (i = 0; gdev->unit && i < gdev->unit->nr_counters; i++) {
		const struct gpu_pmu_counter *counter = &gdev->unit->counters[i];

		event_add(list, gpu_native_event(gdev->unit_slots[i]), counter->name,
			  counter->unit, counter->desc);
	}
	return 0;
}

static long list_answer(void __user *uarg, gpu_lister lister, size_t size)
{
	struct gpu_list list = { .size = size };
	struct gpu_pmu_infos arg;
	long err;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	list.room = min(arg.nr, GPU_LIST_ROOM_MAX);
	list.entries = kvcalloc(list.room, size, GFP_KERNEL_ACCOUNT);
	if (list.room && !list.entries)
		return -ENOMEM;

	err = -EINTR;
	if (mutex_lock_killable(&gpu_mutex))
		goto out;
	err = lister(&list, arg.dev);
	mutex_unlock(&gpu_mutex);
	if (err)
		goto out;

	arg.nr = list.nr;
	if (copy_to_user(u64_to_user_ptr(arg.infos), list.entries,
			 min(list.nr, list.room) * size) ||
	    copy_to_user(uarg, &arg, sizeof(arg)))
		err = -EFAULT;
out:
	kvfree(list.entries);
	return err;
}

/**
 * gpu_list_devices() - GPU_PMU_IOCTL_DEVICES
 * @uarg:	the caller's struct gpu_pmu_infos
 *
 * Context: process, sleeps.
 * Return: as an ioctl does.
 */
long gpu_list_devices(void __user *uarg)
{
	return list_answer(uarg, devices_list, sizeof(struct gpu_pmu_device_info));
}

/**
 * gpu_list_engines() - GPU_PMU_IOCTL_ENGINES
 * @uarg:	the caller's struct gpu_pmu_infos
 *
 * Context: process, sleeps.
 * Return: as an ioctl does.
 */
long gpu_list_engines(void __user *uarg)
{
	return list_answer(uarg, engines_list, sizeof(struct gpu_pmu_engine_info));
}

/**
 * gpu_list_events() - GPU_PMU_IOCTL_EVENTS
 * @uarg:	the caller's struct gpu_pmu_infos
 *
 * Context: process, sleeps.
 * Return: as an ioctl does.
 */
long gpu_list_events(void __user *uarg)
{
	return list_answer(uarg, events_list, sizeof(struct gpu_pmu_event_info));
}
