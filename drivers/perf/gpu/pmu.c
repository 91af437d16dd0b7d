// SPDX-License-Identifier: GPL-2.0
/*
 * The face that perf sees: the PMU named "gpu", its format/ and events/.
 *
 * DOC: what is not here, and why
 *
 * No cpumask file: the perf tool would open (pid -1, CPU 0), which an
 * unprivileged user may not. No cpus file: it would take the PMU for one of
 * the CPU. No PERF_PMU_CAP_NO_EXCLUDE: at perf_event_paranoid 2 an unprivileged
 * event must carry exclude_kernel, which that flag refuses. PERF_PMU_CAP_NO_NMI
 * is there: no sample is taken in NMI, so it may have any clock. One PMU for all
 * devices, for the module's life: perf_pmu_unregister() does not detach events,
 * so devices come and go under it.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "events.h"
#include "internal.h"

PMU_FORMAT_ATTR(event,	"config:0-15");
PMU_FORMAT_ATTR(engine,	"config:16-23");
PMU_FORMAT_ATTR(dev,	"config:32-47");
PMU_FORMAT_ATTR(fd,	"config1:0-31");
PMU_FORMAT_ATTR(ctx,	"config2:0-63");

/* the strings above say to perf what the masks say to config_parse() */
static_assert(GENMASK_ULL(15, 0) == GPU_PMU_CONFIG_EVENT_MASK);
static_assert(GENMASK_ULL(23, 16) == GPU_PMU_CONFIG_ENGINE_MASK);
static_assert(GENMASK_ULL(47, 32) == GPU_PMU_CONFIG_DEV_MASK);
static_assert(GENMASK_ULL(31, 0) == GPU_PMU_CONFIG1_FD_MASK);

static struct attribute *gpu_format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_engine.attr,
	&format_attr_dev.attr,
	&format_attr_fd.attr,
	&format_attr_ctx.attr,
	NULL
};

static const struct attribute_group gpu_format_group = {
	.name = "format",
	.attrs = gpu_format_attrs,
};

/* an event has a name, and may have an alias with fd and ctx; each with a unit */
#define GPU_EVENT_FILES_MAX	(4 * GPU_NR_EVENTS)

static struct gpu_event_file gpu_event_files[GPU_EVENT_FILES_MAX];
static struct attribute *gpu_event_attrs[GPU_EVENT_FILES_MAX + 1];

static const struct attribute_group gpu_events_group = {
	.name = "events",
	.attrs = gpu_event_attrs,
};

static const struct attribute_group *gpu_attr_groups[] = {
	&gpu_format_group,
	&gpu_events_group,
	NULL
};

/**
 * gpu_event_file_set() - make a file for events/
 * @file:	room for it
 * @name:	its name, of less than GPU_EVENT_FILE_MAX characters
 * @fmt:	what is in it
 */
void gpu_event_file_set(struct gpu_event_file *file, const char *name, const char *fmt, ...)
{
	va_list args;

	strscpy(file->name, name, sizeof(file->name));
	va_start(args, fmt);
	vscnprintf(file->text, sizeof(file->text), fmt, args);
	va_end(args);

	sysfs_attr_init(&file->attr.attr.attr);
	file->attr.attr.attr.name = file->name;
	file->attr.attr.attr.mode = 0444;
	file->attr.attr.show = perf_event_sysfs_show;
	file->attr.event_str = file->text;
}

/**
 * gpu_event_name_file_set() - make the file that an event is named by
 * @file:	room for it
 * @desc:	the event
 * @id:		its number
 */
void gpu_event_name_file_set(struct gpu_event_file *file,
			     const struct gpu_event_desc *desc, unsigned int id)
{
	if (desc->period)
		gpu_event_file_set(file, desc->name, "event=%#x,period=%u", id, desc->period);
	else
		gpu_event_file_set(file, desc->name, "event=%#x", id);
}

/**
 * gpu_event_unit_file_set() - make the file that names an event's unit
 * @file:	room for it
 * @name:	of the event, of less than GPU_EVENT_NAME_MAX characters
 * @unit:	the unit
 */
void gpu_event_unit_file_set(struct gpu_event_file *file, const char *name,
			     const char *unit)
{
	char full[GPU_EVENT_FILE_MAX];

	snprintf(full, sizeof(full), "%s.unit", name);
	gpu_event_file_set(file, full, "%s", unit);
}

static struct gpu_event_file *event_file(unsigned int *nr)
{
	struct gpu_event_file *file = &gpu_event_files[*nr];

	gpu_event_attrs[(*nr)++] = &file->attr.attr.attr;
	return file;
}

static void event_files_make(void)
{
	unsigned int nr = 0, id;

	for (id = 0; id < GPU_NR_EVENTS; id++) {
		const struct gpu_event_desc *desc = &gpu_event_descs[id];

		/* those of counter units are there while there is one: native.c */
		if (!desc->name || desc->of_context)
			continue;
		gpu_event_name_file_set(event_file(&nr), desc, id);
		if (desc->unit)
			gpu_event_unit_file_set(event_file(&nr), desc->name, desc->unit);
		if (!desc->ctx_alias)
			continue;
		gpu_event_file_set(event_file(&nr), desc->ctx_alias,
				   "event=%#x,fd=?,ctx=?", id);
		if (desc->unit)
			gpu_event_unit_file_set(event_file(&nr), desc->ctx_alias,
						desc->unit);
	}
}

static int gpu_pmu_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;

	/* a GPU's progress has no instruction of this CPU that it happened at */
	if (attr->precise_ip || has_branch_stack(event))
		return -EOPNOTSUPP;
	/* the work is a user's; without the user there is nothing to count */
	if (attr->exclude_user)
		return -EOPNOTSUPP;
	/* perf would exchange the counts of a root and a clone under the flush */
	if (attr->inherit_stat)
		return -EOPNOTSUPP;

	return gpu_event_open(event);
}

static int gpu_pmu_add(struct perf_event *event, int flags)
{
	int err;

	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	err = gpu_event_add(event);
	if (err)
		return err;
	/* it looks for that page itself, but takes longer to see that there is none */
	if (READ_ONCE(event->rb))
		perf_event_update_userpage(event);
	return 0;
}

static void gpu_pmu_del(struct perf_event *event, int flags)
{
	gpu_event_del(event);
}

/* perf calls these around all that it switches at once; on 6.1 around each event */
static void gpu_pmu_disable(struct pmu *pmu)
{
	gpu_events_batch(true);
}

static void gpu_pmu_enable(struct pmu *pmu)
{
	gpu_events_batch(false);
}

/* perf calls these to throttle and to change a period: of events that sample */
static void gpu_pmu_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void gpu_pmu_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
}

/*
 * The count is kept by whoever counts. It may be read in NMI, as a sibling of
 * an event that samples: so nothing is flushed here.
 */
static void gpu_pmu_read(struct perf_event *event)
{
}

static struct pmu gpu_pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= gpu_attr_groups,
	.pmu_disable	= gpu_pmu_disable,
	.pmu_enable	= gpu_pmu_enable,
	.event_init	= gpu_pmu_event_init,
	.add		= gpu_pmu_add,
	.del		= gpu_pmu_del,
	.start		= gpu_pmu_start,
	.stop		= gpu_pmu_stop,
	.read		= gpu_pmu_read,
};

/**
 * gpu_pmu_face_add() - add a file to events/
 * @attr:	the file
 *
 * Context: process, sleeps. Undone by gpu_pmu_face_remove().
 * Return: 0 or a negative errno.
 */
int gpu_pmu_face_add(struct attribute *attr)
{
	return sysfs_add_file_to_group(&gpu_pmu.dev->kobj, attr, gpu_events_group.name);
}

/**
 * gpu_pmu_face_remove() - the mirror of gpu_pmu_face_add()
 * @attr:	the file
 *
 * Context: process, sleeps: waits for those who read it.
 */
void gpu_pmu_face_remove(struct attribute *attr)
{
	sysfs_remove_file_from_group(&gpu_pmu.dev->kobj, attr, gpu_events_group.name);
}

/**
 * gpu_pmu_face_register() - make the PMU known to perf
 *
 * Context: process, sleeps. Undone by gpu_pmu_face_unregister().
 * Return: 0 or a negative errno.
 */
int gpu_pmu_face_register(void)
{
	event_files_make();
	return perf_pmu_register(&gpu_pmu, "gpu", -1);
}

/**
 * gpu_pmu_face_unregister() - the mirror of gpu_pmu_face_register()
 *
 * Each open event holds the module, so none is left.
 */
void gpu_pmu_face_unregister(void)
{
	perf_pmu_unregister(&gpu_pmu);
}
