// SPDX-License-Identifier: GPL-2.0
/*
 * The flush: a timer that takes over what the rings hold, credits what runs up
 * to now, and shares the result out to the events.
 *
 * The timer runs while an event is open, and slower while none could be
 * counting: then it only keeps the rings from filling up, so that what is
 * outstanding is known when an event is enabled. Events whose task is switched
 * in or out, or that are enabled or disabled on their CPU, flush by themselves;
 * so counts are at most one period old, and exact at those times.
 *
 * DOC: portions
 *
 * gpu_lock is held with interrupts off. So what may be much is done in portions, each
 * under a hold of its own: the timer's next portion comes after a gap in which others
 * have the CPU. perf and the scheduler cannot wait for that when they switch an event:
 * they take over all that there is. That is little, for whoever pushes a batch of records
 * does not go on before the ring is empty: an irq_work on its CPU, which has one portion
 * done and then queues itself again. Who pushes on other CPUs meanwhile gets at most as
 * far as the next batch.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "internal.h"

#define FLUSH_US_MIN	100
#define FLUSH_US_MAX	(10 * USEC_PER_SEC)

static int flush_us_set(const char *val, const struct kernel_param *kp);

static const struct kernel_param_ops flush_us_ops = {
	.set = flush_us_set,
	.get = param_get_uint,
};

static unsigned int flush_us = 5000;
module_param_cb(flush_us, &flush_us_ops, &flush_us, 0644);
MODULE_PARM_DESC(flush_us, "flush period in microseconds, 100 to 10000000");

/* while no event can count, the rings are only kept from filling up */
#define FLUSH_IDLE_FACTOR	4

/*
 * A portion, of each device's ring and of its reports: one of it is 1, and 2 for each
 * event that may want a sample of it. So these samples are handed over in one go, too.
 */
#define FLUSH_WORK		512

/* and so many events get what was counted */
#define FLUSH_SETTLE		256

/* between two portions, and at least as long as the first one took */
#define FLUSH_GAP_NS		(20 * NSEC_PER_USEC)

/* if there is no end to what comes, events get what was counted all the same */
#define FLUSH_PORTIONS_MAX	256

/* under gpu_lock, all of these */
static bool flush_on;		/* the timer runs */
static bool flush_idle;		/* a hint without the lock, and so is the next one */
static bool flush_settling;	/* the round has come to the events; then */
static bool flush_armed;	/* one of those so far could be counting */
static unsigned int flush_portions;	/* of this round */

/**
 * gpu_flush_device() - take over what a device has reported
 * @gdev:	the device
 * @now:	a clock that was read before the call
 *
 * Context: gpu_lock held.
 */
void gpu_flush_device(struct gpu_pmu_device *gdev, u64 now)
{
	const struct gpu_pmu_source_ops *ops = gdev->ops;

	lockdep_assert_held(&gpu_lock);
	if (!gdev->flowing)
		return;
	if (ops->sync)
		now = ops->sync(gdev);
	gpu_ledger_flush(&gdev->ledger, &gdev->ring, now);
	/* one that was full had no room for the newest reports */
	if (gpu_unit_drain(gdev, UINT_MAX)) {
		ops->sync(gdev);
		gpu_unit_drain(gdev, UINT_MAX);
	}
}

/* what a portion has left; there may be more of other kinds behind it */
#define FLUSH_MORE_RECORDS	BIT(0)
#define FLUSH_MORE_REPORTS	BIT(1)

static unsigned int flush_device_some(struct gpu_pmu_device *gdev, u64 now)
{
	if (!gdev->flowing)
		return 0;
	if (gdev->ops->sync)
		now = gdev->ops->sync(gdev);
	if (gpu_ledger_drain(&gdev->ledger, &gdev->ring, FLUSH_WORK,
			     gpu_events_sample_work()))
		return FLUSH_MORE_RECORDS;
	gpu_ledger_flush(&gdev->ledger, &gdev->ring, now);
	return gpu_unit_drain(gdev, FLUSH_WORK) ? FLUSH_MORE_REPORTS : 0;
}

/**
 * gpu_flush_begin() - from now on what a device reports is taken over
 * @gdev:	the device
 *
 * What it has told of earlier work can be much: in portions, of which the last one
 * lets it flow. There is an end to them, see gpu_ledger_drain().
 *
 * Context: process, gpu_lock not held; sleeps.
 */
void gpu_flush_begin(struct gpu_pmu_device *gdev)
{
	bool more;

	do {
		raw_spin_lock_irq(&gpu_lock);
		more = gpu_ledger_drain(&gdev->ledger, &gdev->ring, FLUSH_WORK,
					gpu_events_sample_work());
		gdev->flowing |= !more;
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
	} while (more);
}

/**
 * gpu_flush_devices() - the same as gpu_flush_device(), for all devices
 *
 * Context: gpu_lock held.
 * Return: up to when it has been counted now, CLOCK_MONOTONIC in ns.
 */
u64 gpu_flush_devices(void)
{
	struct gpu_pmu_device *gdev;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&gpu_lock);
	list_for_each_entry(gdev, &gpu_devices, link)
		gpu_flush_device(gdev, now);
	gpu_lost_take_over();
	return now;
}

/* FLUSH_MORE_* of all devices */
static unsigned int flush_some(void)
{
	struct gpu_pmu_device *gdev;
	u64 now = ktime_get_ns();
	unsigned int more = 0;

	lockdep_assert_held(&gpu_lock);
	list_for_each_entry(gdev, &gpu_devices, link)
		more |= flush_device_some(gdev, now);
	gpu_lost_take_over();
	return more;
}

/**
 * gpu_flush_ahead() - have little left for the flush that follows
 *
 * To be called where that flush is under one hold of gpu_lock, and interrupts are on.
 *
 * Context: any but NMI, gpu_lock not held; does not sleep.
 */
void gpu_flush_ahead(void)
{
	unsigned int portions = FLUSH_PORTIONS_MAX, more;
	unsigned long irq;

	do {
		raw_spin_lock_irqsave(&gpu_lock, irq);
		more = flush_some();
		raw_spin_unlock_irqrestore(&gpu_lock, irq);
	} while (more && --portions);
}

/* a portion of the timer's round; whether there is more */
static bool flush_round(void)
{
	bool more;

	if (!flush_settling) {
		if (flush_some() && ++flush_portions < FLUSH_PORTIONS_MAX)
			return true;
		WRITE_ONCE(flush_settling, true);
		flush_armed = false;
	}
	if (gpu_events_settle(FLUSH_SETTLE, &flush_armed))
		return true;
	flush_idle = !flush_armed;
	WRITE_ONCE(flush_settling, false);
	more = flush_portions == FLUSH_PORTIONS_MAX;
	flush_portions = 0;
	return more;
}

static ktime_t flush_period(void)
{
	u64 us = READ_ONCE(flush_us);

	return ns_to_ktime(us * NSEC_PER_USEC * (flush_idle ? FLUSH_IDLE_FACTOR : 1));
}

static enum hrtimer_restart flush_tick(struct hrtimer *timer)
{
	ktime_t begin = ktime_get(), end;
	unsigned long irq;
	bool more;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	more = flush_round();
	more |= gpu_samples_go_on();
	/* under the lock: whoever starts the timer has it, too, or had it by now */
	if (!hrtimer_is_queued(timer)) {
		end = ktime_get();
		if (more)
			hrtimer_set_expires(timer, ktime_add(end, max(ktime_sub(end, begin),
								      ns_to_ktime(FLUSH_GAP_NS))));
		else
			hrtimer_forward_now(timer, flush_period());
	}
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return HRTIMER_RESTART;
}

static struct hrtimer flush_timer;

/*
 * A batch of records has come together on this CPU. Reports are not the doing of whoever
 * pushes: they come to the timer.
 */
static void flush_batch(struct irq_work *work)
{
	unsigned int more = 0;
	unsigned long irq;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	if (flush_on)
		more = flush_some();
	if (more & FLUSH_MORE_REPORTS)
		hrtimer_start(&flush_timer, ns_to_ktime(FLUSH_GAP_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	raw_spin_unlock_irqrestore(&gpu_lock, irq);

	/* one that goes offline would keep it, and all that is queued there after it */
	if (more & FLUSH_MORE_RECORDS && cpu_online(smp_processor_id()))
		irq_work_queue(work);
}

/* a module's per-CPU data is not relocated: it cannot have the function from the start */
static DEFINE_PER_CPU(struct irq_work, batch_work);

/**
 * gpu_flush_init() - before any event can be opened
 */
void gpu_flush_init(void)
{
	int cpu;

	hrtimer_init(&flush_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	flush_timer.function = flush_tick;
	for_each_possible_cpu(cpu)
		per_cpu(batch_work, cpu) = IRQ_WORK_INIT_HARD(flush_batch);
}

/**
 * gpu_flush_exit() - the mirror of gpu_flush_init()
 *
 * Context: process, sleeps; no event is open any more, and no source is there.
 */
void gpu_flush_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&batch_work, cpu));
}

/**
 * gpu_flush_soon() - a batch of records has come together, the last one from this CPU
 *
 * Context: interrupts off.
 */
void gpu_flush_soon(void)
{
	irq_work_queue(this_cpu_ptr(&batch_work));
}

static void flush_timer_start(void)
{
	flush_idle = false;
	/* as perf's own timers: hard and pinned, so that it can be started
	 * under the scheduler's locks
	 */
	hrtimer_start(&flush_timer, flush_period(), HRTIMER_MODE_REL_PINNED_HARD);
}

/* what was set is the period from now on: the old one may still be long */
static int flush_us_set(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint_minmax(val, kp, FLUSH_US_MIN, FLUSH_US_MAX);
	unsigned long irq;

	if (err)
		return err;
	raw_spin_lock_irqsave(&gpu_lock, irq);
	if (flush_on)
		flush_timer_start();
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return 0;
}

/**
 * gpu_flush_timer_start() - the first event is being opened
 *
 * Context: gpu_lock held; does not sleep.
 */
void gpu_flush_timer_start(void)
{
	lockdep_assert_held(&gpu_lock);
	flush_on = true;
	flush_settling = false;
	flush_portions = 0;
	flush_timer_start();
}

/**
 * gpu_flush_timer_stop() - the last event was closed
 *
 * Context: process; waits for a flush that runs.
 */
void gpu_flush_timer_stop(void)
{
	raw_spin_lock_irq(&gpu_lock);
	flush_on = false;
	raw_spin_unlock_irq(&gpu_lock);
	hrtimer_cancel(&flush_timer);
}

/**
 * gpu_flush_hurry_locked() - an event may begin to count: flush at the full rate
 *
 * Context: gpu_lock held.
 */
void gpu_flush_hurry_locked(void)
{
	lockdep_assert_held(&gpu_lock);
	/* the round may have looked at the event before */
	flush_armed = true;
	if (flush_idle)
		flush_timer_start();
}

/**
 * gpu_flush_hurry() - the same
 *
 * Context: gpu_lock not held, interrupts off.
 */
void gpu_flush_hurry(void)
{
	if (!READ_ONCE(flush_idle) && !READ_ONCE(flush_settling))
		return;
	raw_spin_lock(&gpu_lock);
	gpu_flush_hurry_locked();
	raw_spin_unlock(&gpu_lock);
}
