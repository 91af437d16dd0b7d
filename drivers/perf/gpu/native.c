// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of devices' own as events: a name has one event, whichever drivers
 * register a counter of that name. It can be opened while one of them is there. An
 * event that is open then keeps the name's place, so that no other name gets it, and
 * what that counts.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events.h"
#include "internal.h"

/**
 * struct gpu_native - a name
 * @counters:	counters of that name
 * @events:	open events
 * @desc:	the event
 * @file:	events/NAME
 * @unit_file:	events/NAME.unit
 */
struct gpu_native {
	unsigned int counters;
	unsigned int events;
	struct gpu_event_desc desc;
	struct gpu_event_file file;
	struct gpu_event_file unit_file;
};

/* by id - GPU_PMU_EVENT_NATIVE; under gpu_mutex */
static struct gpu_native *gpu_natives[GPU_PMU_MAX_COUNTERS];

/* names that can be opened; while there are some, "reports" can, too */
static unsigned int nr_published;
static struct gpu_event_file reports_file;

static bool name_makes_sense(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len && !name[len] && len < GPU_EVENT_NAME_MAX &&
	       name[0] >= 'a' && name[0] <= 'z' && !gpu_event_by_name(name);
}

static bool same_unit(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int reports_publish(void)
{
	const unsigned int id = GPU_PMU_EVENT_REPORTS;

	if (nr_published)
		return 0;
	gpu_event_name_file_set(&reports_file, &gpu_event_descs[id], id);
	return gpu_pmu_face_add(&reports_file.attr.attr.attr);
}

static void reports_unpublish(void)
{
	if (!nr_published)
		gpu_pmu_face_remove(&reports_file.attr.attr.attr);
}

static int native_publish(struct gpu_native *native, unsigned int id)
{
	const struct gpu_event_desc *desc = &native->desc;
	int err;

	err = reports_publish();
	if (err)
		return err;
	gpu_event_name_file_set(&native->file, desc, id);
	err = gpu_pmu_face_add(&native->file.attr.attr.attr);
	if (err)
		goto err_reports;
	if (desc->unit) {
		gpu_event_unit_file_set(&native->unit_file, desc->name, desc->unit);
		err = gpu_pmu_face_add(&native->unit_file.attr.attr.attr);
		if (err)
			goto err_name;
	}
	nr_published++;
	return 0;

err_name:
	gpu_pmu_face_remove(&native->file.attr.attr.attr);
err_reports:
	reports_unpublish();
	return err;
}

static void native_unpublish(struct gpu_native *native)
{
	nr_published--;
	if (native->desc.unit)
		gpu_pmu_face_remove(&native->unit_file.attr.attr.attr);
	gpu_pmu_face_remove(&native->file.attr.attr.attr);
	reports_unpublish();
}

static void native_free(struct gpu_native *native)
{
	kfree_const(native->desc.unit);
	kfree_const(native->desc.name);
	kfree(native);
}

static struct gpu_native *native_alloc(const struct gpu_pmu_counter *counter,
				       unsigned int slot)
{
	struct gpu_native *native = kzalloc(sizeof(*native), GFP_KERNEL);

	if (!native)
		return NULL;
	native->desc.counter = slot;
	native->desc.of_context = true;
	/* the name may outlive the driver that came with it first */
	native->desc.name = kstrdup_const(counter->name, GFP_KERNEL);
	if (counter->unit)
		native->desc.unit = kstrdup_const(counter->unit, GFP_KERNEL);
	if (!native->desc.name || (counter->unit && !native->desc.unit)) {
		native_free(native);
		return NULL;
	}
	return native;
}

/* a place for the name: its own, or one that is free */
static int native_place(const struct gpu_pmu_counter *counter)
{
	const struct gpu_native *native;
	int i, place = -ENOSPC;

	for (i = 0; i < GPU_PMU_MAX_COUNTERS; i++) {
		native = gpu_natives[i];
		if (native && !strcmp(native->desc.name, counter->name))
			return same_unit(native->desc.unit, counter->unit) ? i : -EEXIST;
		if (!native && place < 0)
			place = i;
	}
	return place;
}

static void native_put_place(unsigned int place)
{
	struct gpu_native *native = gpu_natives[place];

	if (native->counters || native->events)
		return;
	gpu_natives[place] = NULL;
	native_free(native);
}

/**
 * gpu_native_get() - a driver has a counter
 * @counter:	the counter
 *
 * Context: process, gpu_mutex held, sleeps. Undone by gpu_native_put().
 * Return: which counter of an account it is, or -EINVAL the name makes no sense,
 * -EEXIST it has another unit elsewhere, -ENOSPC there are too many names,
 * -ENOMEM.
 */
int gpu_native_get(const struct gpu_pmu_counter *counter)
{
	struct gpu_native *native;
	int place, err;

	lockdep_assert_held(&gpu_mutex);

	if (!name_makes_sense(counter->name))
		return -EINVAL;
	place = native_place(counter);
	if (place < 0)
		return place;
	if (!gpu_natives[place])
		gpu_natives[place] = native_alloc(counter, GPU_NR_COUNTERS + place);
	native = gpu_natives[place];
	if (!native)
		return -ENOMEM;

	if (!native->counters) {
		err = native_publish(native, gpu_native_event(native->desc.counter));
		if (err) {
			native_put_place(place);
			return err;
		}
	}
	native->counters++;
	return native->desc.counter;
}

/**
 * gpu_native_put() - the mirror of gpu_native_get()
 * @slot:	what that returned
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_native_put(unsigned int slot)
{
	struct gpu_native *native = gpu_natives[slot - GPU_NR_COUNTERS];

	lockdep_assert_held(&gpu_mutex);

	if (--native->counters)
		return;
	native_unpublish(native);
	native_put_place(slot - GPU_NR_COUNTERS);
}

/**
 * gpu_native_hold() - an event of such a counter is being opened
 * @slot:	which counter of an account it is
 *
 * Context: gpu_mutex held. Undone by gpu_native_release().
 */
void gpu_native_hold(unsigned int slot)
{
	lockdep_assert_held(&gpu_mutex);
	gpu_natives[slot - GPU_NR_COUNTERS]->events++;
}

/**
 * gpu_native_release() - the mirror of gpu_native_hold()
 * @slot:	as given to that
 *
 * Context: gpu_mutex held.
 */
void gpu_native_release(unsigned int slot)
{
	lockdep_assert_held(&gpu_mutex);
	gpu_natives[slot - GPU_NR_COUNTERS]->events--;
	native_put_place(slot - GPU_NR_COUNTERS);
}

/**
 * gpu_native_desc() - an event that is a counter of some device's own
 * @id:		its event id
 *
 * Context: gpu_mutex held; valid while it is.
 * Return: the event, or NULL.
 */
const struct gpu_event_desc *gpu_native_desc(u64 id)
{
	const struct gpu_native *native;

	lockdep_assert_held(&gpu_mutex);

	if (id < GPU_PMU_EVENT_NATIVE || id >= GPU_PMU_EVENT_NATIVE + GPU_PMU_MAX_COUNTERS)
		return NULL;
	native = gpu_natives[id - GPU_PMU_EVENT_NATIVE];
	return native && native->counters ? &native->desc : NULL;
}

/**
 * gpu_native_any() - has any device counters of its own, and so reports?
 *
 * Context: gpu_mutex held.
 * Return: whether there is one.
 */
bool gpu_native_any(void)
{
	lockdep_assert_held(&gpu_mutex);
	return nr_published;
}
