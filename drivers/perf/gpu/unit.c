// SPDX-License-Identifier: GPL-2.0
/*
 * Counter units: when they run, and how their buffers are read.
 *
 * A unit runs while an event is open that wants one of its counters. Its buffer
 * is read by the flush. Reports land in order, and the tail may be ahead of them:
 * so the first one that is not there in whole ends the round; unless a later one
 * is, for then it never will be.
 */
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "events.h"
#include "internal.h"
#include "report.h"

/**
 * struct gpu_unit_reader - a counter unit that runs
 * @gdev:	its device
 * @buffer:	what it writes to
 * @head:	offset of the oldest report that was not read
 * @tail:	offset behind the newest one, when it was looked at last
 * @at:		offset up to which it was looked at, if not all was
 * @progress:	how far it has come
 * @mark:	an event wants to know when so much is read
 * @reports:	what was read; last
 */
struct gpu_unit_reader {
	struct gpu_pmu_device *gdev;
	struct gpu_pmu_buffer buffer;
	u32 head;
	u32 tail;
	u32 at;
	struct gpu_unit_progress progress;
	u64 mark;
	struct gpu_reports reports;
};

/* events that want the counters of whatever device there is; under gpu_mutex */
static unsigned int unit_users;

/* of all units together; under gpu_lock */
static struct gpu_unit_progress units_progress;
static u64 units_mark = U64_MAX;

/**
 * gpu_unit_progress() - how far reports have come
 * @gdev:	of which device, or NULL for all of them together
 * @progress:	where to put it
 *
 * Context: gpu_lock held.
 */
void gpu_unit_progress(const struct gpu_pmu_device *gdev, struct gpu_unit_progress *progress)
{
	lockdep_assert_held(&gpu_lock);
	if (!gdev)
		*progress = units_progress;
	else if (gdev->reader)
		*progress = gdev->reader->progress;
	else
		*progress = (struct gpu_unit_progress) { U64_MAX, U64_MAX };
}

/**
 * gpu_unit_mark() - have gpu_events_mark() called at a place in the stream
 * @gdev:	of which device, or NULL for all of them together
 * @at:		when so many reports were read
 *
 * Context: gpu_lock held.
 */
void gpu_unit_mark(struct gpu_pmu_device *gdev, u64 at)
{
	lockdep_assert_held(&gpu_lock);
	if (!gdev)
		units_mark = min(units_mark, at);
	else if (gdev->reader)
		gdev->reader->mark = min(gdev->reader->mark, at);
}

static void reader_written(struct gpu_unit_reader *reader, u32 tail)
{
	u32 bytes = (tail - reader->tail) & (reader->buffer.size - 1);
	u32 nr = bytes / reader->gdev->unit->report_size;

	reader->tail = tail;
	reader->progress.written += nr;
	units_progress.written += nr;
}

static struct gpu_account *reader_find(struct gpu_reports *reports, u64 ctx, u64 time)
{
	struct gpu_unit_reader *reader;

	reader = container_of(reports, struct gpu_unit_reader, reports);
	return gpu_context_account(reader->gdev, ctx, time);
}

/* for events that want each report, and not only what has advanced */
static void reader_interval(struct gpu_reports *reports,
			    const struct gpu_report_interval *interval)
{
	struct gpu_unit_reader *reader = container_of(reports, struct gpu_unit_reader, reports);
	struct gpu_pmu_device *gdev = reader->gdev;
	struct gpu_pmu_sample_value values[GPU_PMU_MAX_COUNTERS];
	struct gpu_pmu_sample sample = {
		.kind = GPU_PMU_SAMPLE_REPORT,
		.engine = interval->engine,
		.begin = interval->begin,
		.end = interval->end,
	};
	unsigned int i;

	gpu_account_add(interval->owner, interval->engine, GPU_COUNTER_REPORTS, 1);
	if (!gpu_events_sample())
		return;
	for (i = 0; i < gdev->unit->nr_counters; i++) {
		values[i].event = gpu_native_event(gdev->unit_slots[i]);
		values[i].delta = interval->delta[i];
	}
	sample.nr_values = i;
	gpu_events_report(gdev, interval->owner, &sample, values);
}

static void reader_clock(struct gpu_unit_reader *reader)
{
	struct gpu_pmu_device *gdev = reader->gdev;
	struct gpu_clock_pair pair;

	pair.before = ktime_get_ns();
	pair.ticks = gdev->unit->ops->clock(gdev);
	pair.after = ktime_get_ns();
	gpu_reports_clock(&reader->reports, &pair);
}

static u32 reader_behind(const struct gpu_unit_reader *reader, u32 offset)
{
	return (offset + reader->gdev->unit->report_size) & (reader->buffer.size - 1);
}

/* one more was read, or given up; how many events had to be looked at */
static unsigned int reader_step(struct gpu_unit_reader *reader)
{
	reader->head = reader_behind(reader, reader->head);
	reader->progress.read++;
	units_progress.read++;
	if (likely(reader->progress.read < reader->mark && units_progress.read < units_mark))
		return 0;
	gpu_reports_settle(&reader->reports);
	/* those that are still to come are said again */
	reader->mark = U64_MAX;
	units_mark = U64_MAX;
	return gpu_events_mark();
}

static bool reader_decode(struct gpu_unit_reader *reader, u32 offset,
			  struct gpu_pmu_report *report)
{
	struct gpu_pmu_device *gdev = reader->gdev;

	return gdev->unit->ops->decode(gdev, reader->buffer.base + offset, report);
}

/**
 * gpu_unit_drain() - read what a device's counter unit has written
 * @gdev:	the device; its source has synced
 * @work:	how much may be done: a report is 1, an event that may want it 2, and one
 *		that must be looked at 1
 *
 * Context: gpu_lock held.
 * Return: whether there is more, or may be after another sync: the buffer was full.
 */
bool gpu_unit_drain(struct gpu_pmu_device *gdev, unsigned int work)
{
	struct gpu_unit_reader *reader = gdev->reader;
	struct gpu_pmu_report report;
	unsigned int each, cost;
	u32 from, tail, at;
	bool full;

	lockdep_assert_held(&gpu_lock);
	if (!reader)
		return false;

	reader->reports.interval = gpu_events_want_reports() ? reader_interval : NULL;
	each = reader->reports.interval ? gpu_events_sample_work() : 1;
	from = reader->head;
	/* first the tail, then the clock: so no report can be from later */
	tail = gdev->unit->ops->tail(gdev);
	full = reader_behind(reader, tail) == from;
	reader_written(reader, tail);
	reader_clock(reader);

	for (at = reader->at; at != tail && work; at = reader_behind(reader, at)) {
		cost = 1;
		if (reader_decode(reader, at, &report)) {
			cost = each;
			/* those before it that are not there are given up: its number says so */
			while (reader->head != at)
				cost += reader_step(reader);
			gpu_reports_add(&reader->reports, &report);
			cost += reader_step(reader);
		}
		work -= min(work, cost);
	}
	/* of those that were not there the next time may find some */
	reader->at = at == tail ? reader->head : at;
	gpu_reports_settle(&reader->reports);
	if (reader->head != from)
		gdev->unit->ops->free(gdev, from, reader->head);
	return full || at != tail;
}

/* what is read, and with which mask, depends on it: a driver's mistake ends here */
static bool buffer_makes_sense(const struct gpu_pmu_buffer *buffer, unsigned int report_size)
{
	return buffer->base && is_power_of_2(buffer->size) && buffer->size / report_size >= 2;
}

static int reader_start(struct gpu_pmu_device *gdev)
{
	struct gpu_unit_reader *reader;
	unsigned long irq;
	int err;

	reader = kzalloc(struct_size(reader, reports.engine, gdev->nr_engines), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	reader->gdev = gdev;
	reader->reports.unit = gdev->unit;
	reader->reports.slot = gdev->unit_slots;
	reader->reports.account = &gdev->account;
	reader->reports.find = reader_find;
	reader->reports.nr_engines = gdev->nr_engines;
	reader->mark = U64_MAX;
	local_irq_save(irq);
	reader_clock(reader);
	local_irq_restore(irq);

	err = gdev->unit->ops->start(gdev, &reader->buffer);
	if (err)
		goto err_free;
	if (WARN_ON_ONCE(!buffer_makes_sense(&reader->buffer, gdev->unit->report_size))) {
		gdev->unit->ops->stop(gdev);
		err = -EINVAL;
		goto err_free;
	}
	reader->reports.sequence = reader->buffer.number;
	raw_spin_lock_irq(&gpu_lock);
	gdev->reader = reader;
	raw_spin_unlock_irq(&gpu_lock);
	return 0;

err_free:
	kfree(reader);
	return err;
}

static void reader_stop(struct gpu_pmu_device *gdev)
{
	struct gpu_unit_reader *reader = gdev->reader;
	u32 number;

	gpu_flush_ahead();
	raw_spin_lock_irq(&gpu_lock);
	/* first: the unit goes on to write */
	number = gdev->unit->ops->number(gdev);
	gpu_flush_device(gdev, ktime_get_ns());
	/* those that did not land, and those that there was no room for */
	gpu_reports_end(&reader->reports, number);
	units_progress.read += reader->progress.written - reader->progress.read;
	gdev->reader = NULL;
	gpu_events_mark();
	raw_spin_unlock_irq(&gpu_lock);
	gdev->unit->ops->stop(gdev);
	kfree(reader);
}

/**
 * gpu_unit_update() - start or stop a device's counter unit, if that is due
 * @gdev:	the device
 *
 * To be called when an event, or the device, comes or goes.
 *
 * Context: process, gpu_mutex held, sleeps.
 * Return: 0, or why the unit cannot be started.
 */
int gpu_unit_update(struct gpu_pmu_device *gdev)
{
	bool wanted;

	lockdep_assert_held(&gpu_mutex);

	wanted = gdev->unit && gdev->attached && (gdev->unit_users || unit_users);
	if (wanted && !gdev->reader)
		return reader_start(gdev);
	if (!wanted && gdev->reader)
		reader_stop(gdev);
	return 0;
}

/**
 * gpu_unit_stop() - the device goes: stop its counter unit, if it runs
 * @gdev:	the device
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_unit_stop(struct gpu_pmu_device *gdev)
{
	lockdep_assert_held(&gpu_mutex);
	if (gdev->reader)
		reader_stop(gdev);
}

/**
 * gpu_unit_get() - an event that wants a counter of this kind is being opened
 * @gdev:	the device that it looks at, or NULL for all of them
 *
 * Context: process, gpu_mutex held, sleeps. Undone by gpu_unit_put().
 * Return: 0, or why a unit cannot be started.
 */
int gpu_unit_get(struct gpu_pmu_device *gdev)
{
	int err = 0;

	lockdep_assert_held(&gpu_mutex);

	if (gdev) {
		gdev->unit_users++;
		err = gpu_unit_update(gdev);
	} else {
		unit_users++;
		list_for_each_entry(gdev, &gpu_devices, link) {
			err = gpu_unit_update(gdev);
			if (err)
				break;
		}
		if (err)
			gdev = NULL;
	}
	if (err)
		gpu_unit_put(gdev);
	return err;
}

/**
 * gpu_unit_put() - such an event was closed
 * @gdev:	as in gpu_unit_get(); it may have been unregistered meanwhile
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_unit_put(struct gpu_pmu_device *gdev)
{
	lockdep_assert_held(&gpu_mutex);

	if (gdev) {
		gdev->unit_users--;
		gpu_unit_update(gdev);
		return;
	}
	unit_users--;
	list_for_each_entry(gdev, &gpu_devices, link)
		gpu_unit_update(gdev);
}
