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
 */
#include <linux/hrtimer.h>
#include <linux/module.h>

#include "internal.h"

static int flush_us_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 100, USEC_PER_SEC);
}

static const struct kernel_param_ops flush_us_ops = {
	.set = flush_us_set,
	.get = param_get_uint,
};

static unsigned int flush_us = 5000;
module_param_cb(flush_us, &flush_us_ops, &flush_us, 0644);
MODULE_PARM_DESC(flush_us, "flush period in microseconds, 100 to 1000000");

/* while no event can count, the rings are only kept from filling up */
#define FLUSH_IDLE_FACTOR	4

static bool flush_idle;		/* under gpu_lock; a hint without it */
static u64 flush_last;		/* when the timer ran last; under gpu_lock */

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
	if (gpu_unit_drain(gdev)) {
		ops->sync(gdev);
		gpu_unit_drain(gdev);
	}
}

/**
 * gpu_flush_devices() - the same for all devices
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

static ktime_t flush_period(void)
{
	u64 us = READ_ONCE(flush_us);

	return ns_to_ktime(us * NSEC_PER_USEC * (flush_idle ? FLUSH_IDLE_FACTOR : 1));
}

static enum hrtimer_restart flush_tick(struct hrtimer *timer)
{
	unsigned long irq;
	u64 now;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	gpu_flush_devices();
	now = ktime_get_ns();
	flush_idle = !gpu_events_settle(now - flush_last);
	flush_last = now;
	/* under the lock: gpu_flush_hurry() may start the timer meanwhile */
	hrtimer_forward_now(timer, flush_period());
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return HRTIMER_RESTART;
}

static struct hrtimer flush_timer;

/**
 * gpu_flush_timer_init() - before any event can be opened
 */
void gpu_flush_timer_init(void)
{
	hrtimer_init(&flush_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	flush_timer.function = flush_tick;
}

static void flush_timer_start(void)
{
	flush_idle = false;
	/* as perf's own timers: hard and pinned, so that it can be started
	 * under the scheduler's locks
	 */
	hrtimer_start(&flush_timer, flush_period(), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * gpu_flush_timer_start() - the first event is being opened
 *
 * Context: gpu_lock held; does not sleep.
 */
void gpu_flush_timer_start(void)
{
	lockdep_assert_held(&gpu_lock);
	flush_last = ktime_get_ns();
	flush_timer_start();
}

/**
 * gpu_flush_timer_stop() - the last event was closed
 *
 * Context: process; waits for a flush that runs.
 */
void gpu_flush_timer_stop(void)
{
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
	if (!READ_ONCE(flush_idle))
		return;
	raw_spin_lock(&gpu_lock);
	gpu_flush_hurry_locked();
	raw_spin_unlock(&gpu_lock);
}
