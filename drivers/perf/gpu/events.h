/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events: one table, from which sysfs, parsing and crediting are made.
 */
#ifndef _GPU_PMU_EVENTS_H
#define _GPU_PMU_EVENTS_H

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
 */
struct gpu_event_desc {
	const char *name;
	const char *unit;
	const char *ctx_alias;
	enum gpu_counter counter;
	bool at_submit;
	bool of_device;
};

#define GPU_NR_EVENTS	(GPU_PMU_EVENT_LOST + 1)

extern const struct gpu_event_desc gpu_event_descs[GPU_NR_EVENTS];

#endif /* _GPU_PMU_EVENTS_H */
