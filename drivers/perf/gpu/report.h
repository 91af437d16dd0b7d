/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the reports of a counter unit to the counters of contexts and devices.
 * Pure logic: no lock, no clock, no memory of its own; also built in user space,
 * for tests/unit and tests/fuzz.
 */
#ifndef _GPU_PMU_REPORT_H
#define _GPU_PMU_REPORT_H

#include <linux/gpu_pmu.h>
#include <linux/types.h>

#include "account.h"

/**
 * struct gpu_report_engine - what the last report said of an engine
 * @counted:	there was one: @value is set
 * @known:	and no report is missing since: @ctx is what the engine runs
 * @clocked:	@ticks can be compared with the next one
 * @ctx:	the context that it runs
 * @ticks:	the unit's clock
 * @time:	the same, ns
 * @value:	its counters
 * @owner:	whose @pending is; NULL: there is none
 * @pending:	what the counters have advanced, and is not in an account yet
 */
struct gpu_report_engine {
	bool counted;
	bool known;
	bool clocked;
	u64 ctx;
	u64 ticks;
	u64 time;
	u64 value[GPU_PMU_MAX_COUNTERS];
	struct gpu_account *owner;
	u64 pending[GPU_PMU_MAX_COUNTERS];
};

/**
 * struct gpu_clock_pair - the unit's clock beside the kernel's
 * @ticks:	the unit's, read between
 * @before:	ns of CLOCK_MONOTONIC, and
 * @after:	this
 */
struct gpu_clock_pair {
	u64 ticks;
	u64 before;
	u64 after;
};

/**
 * struct gpu_report_interval - between two reports of an engine
 * @engine:	index of the engine
 * @owner:	whose it is: a context's account, or the device's
 * @begin:	ns
 * @end:	ns
 * @delta:	by how much the counters have advanced
 */
struct gpu_report_interval {
	unsigned int engine;
	struct gpu_account *owner;
	u64 begin;
	u64 end;
	u64 delta[GPU_PMU_MAX_COUNTERS];
};

struct gpu_reports;

/**
 * struct gpu_reports - the state of reading a unit's reports
 * @unit:	what the reports hold
 * @slot:	for each of its counters: which one of an account it is
 * @account:	the device's own
 * @find:	the account of a context that was there at a time (ns), or NULL
 * @interval:	called for each interval, or NULL
 * @sequence:	of the last report; before the first: the number before that
 * @pair:	how the clocks stood last
 * @jumped:	the unit's clock has jumped between the last two pairs
 * @nr_engines:	how many engines there are
 * @engine:	the engines
 */
struct gpu_reports {
	const struct gpu_pmu_unit *unit;
	const u8 *slot;
	struct gpu_account *account;
	struct gpu_account *(*find)(struct gpu_reports *reports, u64 ctx, u64 time);
	void (*interval)(struct gpu_reports *reports,
			 const struct gpu_report_interval *interval);
	u32 sequence;
	struct gpu_clock_pair pair;
	bool jumped;
	unsigned int nr_engines;
	struct gpu_report_engine engine[];
};

void gpu_reports_clock(struct gpu_reports *reports, const struct gpu_clock_pair *pair);
void gpu_reports_add(struct gpu_reports *reports, const struct gpu_pmu_report *report);
void gpu_reports_settle(struct gpu_reports *reports);
void gpu_reports_end(struct gpu_reports *reports, u32 number);

#endif /* _GPU_PMU_REPORT_H */
