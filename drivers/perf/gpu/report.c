// SPDX-License-Identifier: GPL-2.0
/*
 * From reports to counters. See report.h.
 *
 * DOC: whose is it
 *
 * A report says where an engine's counters stand, and which context the engine
 * runs from there on. So what they advance up to the engine's next report is that
 * context's. If a report is missing in between, the engine may have been with
 * others: the advance is still the engine's and the device's, to the last digit,
 * but it is no context's, and the reports that are missing are counted as lost.
 * Reports are numbered over all engines, so one that is missing leaves it open
 * for each engine.
 *
 * An engine makes many reports for one context. What they add up to goes to the
 * account when the context changes, or when someone is going to look.
 *
 * DOC: when was it
 *
 * The unit has a clock of its own. It is read beside the kernel's each time that
 * reports are read, so a report's age is what it lacks to the unit's clock. A
 * report cannot be from the future, nor older than the engine's last one: if it
 * claims to be, it is damaged, and as good as missing. When the unit's clock
 * itself has not moved on as the kernel's has, it has jumped: that is counted as
 * one loss, and the times of that round's reports are not used. No counter
 * depends on them.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "report.h"

/* how much the clocks may differ in rate: 1 / 1024 is more than any crystal */
#define CLOCK_RATE_SHIFT	10

static u64 width_mask(unsigned int width)
{
	return width < 64 ? (1ULL << width) - 1 : ~0ULL;
}

static u64 ticks_between(const struct gpu_reports *reports, u64 from, u64 to)
{
	return (to - from) & width_mask(reports->unit->clock_width);
}

/**
 * gpu_reports_clock() - how the clocks stand, before reports are read
 * @reports:	the state
 * @pair:	read after the newest of the reports was written
 *
 * The first one is to be read before the unit is started.
 */
void gpu_reports_clock(struct gpu_reports *reports, const struct gpu_clock_pair *pair)
{
	const struct gpu_clock_pair *last = &reports->pair;
	u64 least, most, slack, passed;
	unsigned int i;

	reports->jumped = false;
	if (last->after) {
		least = div_u64(pair->before - last->after, reports->unit->tick_ns);
		most = div_u64(pair->after - last->before, reports->unit->tick_ns);
		slack = (most >> CLOCK_RATE_SHIFT) + 2;
		passed = ticks_between(reports, last->ticks, pair->ticks);
		reports->jumped = ticks_between(reports, least - slack, passed) >
				  most - least + 2 * slack;
	}
	if (reports->jumped) {
		gpu_account_lose(reports->account, 1);
		for (i = 0; i < reports->nr_engines; i++)
			reports->engine[i].clocked = false;
	}
	reports->pair = *pair;
}

/* what has added up goes to whose it is */
static void engine_settle(struct gpu_reports *reports, struct gpu_report_engine *engine)
{
	unsigned int i;

	if (!engine->owner)
		return;
	for (i = 0; i < reports->unit->nr_counters; i++) {
		if (engine->pending[i])
			gpu_account_add(engine->owner, engine - reports->engine,
					reports->slot[i], engine->pending[i]);
		engine->pending[i] = 0;
	}
	engine->owner = NULL;
}

/**
 * gpu_reports_settle() - have all in the accounts that was read
 * @reports:	the state
 *
 * To be called before anyone looks at an account, and before one could go.
 */
void gpu_reports_settle(struct gpu_reports *reports)
{
	unsigned int i;

	for (i = 0; i < reports->nr_engines; i++)
		engine_settle(reports, &reports->engine[i]);
}

/* after this, nobody knows what the engines run */
static void reports_lose(struct gpu_reports *reports, u64 nr)
{
	unsigned int i;

	gpu_reports_settle(reports);
	gpu_account_lose(reports->account, nr);
	for (i = 0; i < reports->nr_engines; i++)
		reports->engine[i].known = false;
}

/* how many are between two numbers; there is no number 0 but at the start */
static u32 numbers_between(u32 last, u32 sequence)
{
	return sequence - last - 1 - (sequence < last);
}

/* is it the next one, or a later one? */
static void reports_number(struct gpu_reports *reports, u32 sequence)
{
	u32 missing = numbers_between(reports->sequence, sequence);

	reports->sequence = sequence;
	if (missing > S32_MAX)
		reports_lose(reports, 1);	/* it is an old one */
	else if (missing)
		reports_lose(reports, missing);
}

/* could it be from when it says? */
static bool report_in_time(const struct gpu_reports *reports,
			   const struct gpu_report_engine *engine,
			   const struct gpu_pmu_report *report)
{
	u64 now = reports->pair.ticks;

	return !engine->clocked ||
	       ticks_between(reports, report->time, now) <=
	       ticks_between(reports, engine->ticks, now);
}

/* who had the engine since its last report? NULL: nobody knows */
static struct gpu_account *engine_owner(struct gpu_reports *reports,
					const struct gpu_report_engine *engine)
{
	if (!engine->known || !engine->ctx)
		return reports->account;
	return reports->find(reports, engine->ctx, engine->time);
}

/* what the counters have advanced by is pending; whether any has */
static bool engine_advance(struct gpu_reports *reports, struct gpu_report_engine *engine,
			   const struct gpu_pmu_report *report)
{
	const struct gpu_pmu_unit *unit = reports->unit;
	unsigned int i;
	u64 delta, any = 0;

	for (i = 0; i < unit->nr_counters; i++) {
		delta = (report->value[i] - engine->value[i]) &
			width_mask(unit->counters[i].width);
		engine->value[i] = report->value[i];
		engine->pending[i] += delta;
		any |= delta;
	}
	return any;
}

/* for someone who wants each of them; nothing was pending before it */
static void engine_tell(struct gpu_reports *reports, struct gpu_report_engine *engine,
			u64 time)
{
	struct gpu_report_interval interval = {
		.engine = engine - reports->engine,
		.owner = engine->owner,
		.begin = engine->time,
		.end = time,
	};
	unsigned int i;

	for (i = 0; i < reports->unit->nr_counters; i++)
		interval.delta[i] = engine->pending[i];
	engine_settle(reports, engine);
	reports->interval(reports, &interval);
}

/* the interval that the report ends */
static void engine_count(struct gpu_reports *reports,
			 struct gpu_report_engine *engine,
			 const struct gpu_pmu_report *report, u64 time)
{
	bool any, found = true;

	if (!engine->counted)
		memcpy(engine->value, report->value, sizeof(engine->value));
	any = engine_advance(reports, engine, report);
	if (!engine->counted || (!any && !reports->interval))
		return;

	if (!engine->owner) {
		engine->owner = engine_owner(reports, engine);
		found = engine->owner;
	}
	if (!found) {
		engine->owner = reports->account;
		if (any)
			gpu_account_lose(reports->account, 1);
	}
	if (reports->interval)
		engine_tell(reports, engine, time);
	else if (!found) /* it is looked for again at the next report */
		engine_settle(reports, engine);
}

/**
 * gpu_reports_add() - count what a report says
 * @reports:	the state
 * @report:	the next report in the buffer
 */
void gpu_reports_add(struct gpu_reports *reports, const struct gpu_pmu_report *report)
{
	struct gpu_report_engine *engine;
	u64 age, time;

	reports_number(reports, report->sequence);
	if (report->engine >= reports->nr_engines) {
		reports_lose(reports, 1);
		return;
	}
	engine = &reports->engine[report->engine];
	if (!report_in_time(reports, engine, report)) {
		reports_lose(reports, 1);
		/* if it is the clock that is wrong, then for the next ones, too */
		engine->clocked = false;
		return;
	}
	age = reports->jumped ? 0 :
	      ticks_between(reports, report->time, reports->pair.ticks);
	time = reports->pair.after - age * reports->unit->tick_ns;
	engine_count(reports, engine, report, time);
	/* what follows is somebody else's, or may be: the clock was set back */
	if (engine->ctx != report->ctx || !engine->known || time < engine->time)
		engine_settle(reports, engine);

	engine->counted = true;
	engine->known = true;
	engine->clocked = !reports->jumped;
	engine->ctx = report->ctx;
	engine->ticks = report->time;
	engine->time = time;
}

/**
 * gpu_reports_end() - no report comes any more
 * @reports:	the state
 * @number:	of the last one that the unit had made before those were read that could
 *		be, whatever became of it
 */
void gpu_reports_end(struct gpu_reports *reports, u32 number)
{
	u32 missing = number == reports->sequence ? 0 :
		      numbers_between(reports->sequence, number) + 1;

	/* or those that were read go beyond it */
	if (missing && missing <= S32_MAX)
		reports_lose(reports, missing);
}
