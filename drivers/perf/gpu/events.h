/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events: one table, from which sysfs, parsing and crediting are made.
 */
#ifndef _GPU_PMU_EVENTS_H
#define _GPU_PMU_EVENTS_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/gpu_pmu.h>
#include <uapi/linux/gpu_pmu.h>

#include "account.h"

/**
 * struct gpu_event_desc - an event, without a scope
 * @name:	its name in events/, which must open without further terms
 * @unit:	its unit, or NULL for a plain number
 * @ctx_alias:	the name in events/ that asks for fd and ctx, or NULL
 * @counter:	what of an account it reads
 * @at_submit:	without a fd it is counted by the task that submits, on its
 *		CPU, as a software event is
 * @of_device:	only a whole device can tell: scopes below are widened to it
 * @of_context:	a device's own counter: contexts can be told apart, tasks cannot
 */
struct gpu_event_desc {
	const char *name;
	const char *unit;
	const char *ctx_alias;
	unsigned int counter;
	bool at_submit;
	bool of_device;
	bool of_context;
};

#define GPU_NR_EVENTS	(GPU_PMU_EVENT_LOST + 1)

/* room for the name of an event, and for that of a file of it */
#define GPU_EVENT_NAME_MAX	32
#define GPU_EVENT_FILE_MAX	(GPU_EVENT_NAME_MAX + 8)

/**
 * struct gpu_event_file - a file in events/
 * @attr:	as perf wants it
 * @name:	its name
 * @text:	what is in it
 */
struct gpu_event_file {
	struct perf_pmu_events_attr attr;
	char name[GPU_EVENT_FILE_MAX];
	char text[GPU_EVENT_FILE_MAX];
};

/* events.c */
extern const struct gpu_event_desc gpu_event_descs[GPU_NR_EVENTS];
const struct gpu_event_desc *gpu_event_by_name(const char *name);

/* pmu.c */
__printf(3, 4)
void gpu_event_file_set(struct gpu_event_file *file, const char *name, const char *fmt, ...);
void gpu_event_unit_file_set(struct gpu_event_file *file, const char *name,
			     const char *unit);

/* native.c */
const struct gpu_event_desc *gpu_native_desc(unsigned int id);

#endif /* _GPU_PMU_EVENTS_H */
