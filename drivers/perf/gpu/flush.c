// SPDX-License-Identifier: GPL-2.0
/*
 * The flush: a timer that takes over what the rings hold, credits what runs up
 * to now, and shares the result out to the events.
 *
 * The timer runs only while an event could be counting. Events whose task is
 * switched in or out, or that are enabled or disabled on their CPU, flush by
 * themselves; so counts are at most one period old, and exact at those times.
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

static bool flush_timer_on;	/* under gpu_lock */
static u64 flush_last;		/* when the timer ran last; likewise */

/**
 * gpu_flush_device() - take over what a device's ring holds
 * @gdev:	the device
 * @now:	a clock that was read before the call
 *
 * Context: gpu_lock held.
 */
void gpu_flush_device(struct gpu_pmu_device *gdev, u64 now)
{
	lockdep_assert_held(&gpu_lock);
	if (gdev->attached)
		gpu_ledger_flush(&gdev->ledger, &gdev->ring, now);
}

/**
 * gpu_flush_devices() - the same for all devices
 *
 * Context: gpu_lock held.
 */
void gpu_flush_devices(void)
{
	struct gpu_pmu_device *gdev;
	u64 now = ktime_get_ns();

	lockdep_assert_held(&gpu_lock);
	list_for_each_entry(gdev, &gpu_devices, link)
		gpu_flush_device(gdev, now);
}

static ktime_t flush_period(void)
{
	return ns_to_ktime((u64)READ_ONCE(flush_us) * NSEC_PER_USEC);
}

static enum hrtimer_restart flush_tick(struct hrtimer *timer)
{
	unsigned long irq;
	bool more;
	u64 now;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	gpu_flush_devices();
	now = ktime_get_ns();
	more = gpu_events_settle(now - flush_last);
	flush_last = now;
	flush_timer_on = more;
	raw_spin_unlock_irqrestore(&gpu_lock, irq);

	if (!more)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, flush_period());
	return HRTIMER_RESTART;
}

static struct hrtimer flush_timer;

/**
 * gpu_flush_timer_start() - an event may begin to count
 *
 * Context: gpu_lock held; does not sleep.
 */
void gpu_flush_timer_start(void)
{
	lockdep_assert_held(&gpu_lock);
	if (flush_timer_on)
		return;
	flush_timer_on = true;
	flush_last = ktime_get_ns();
	/* as perf's own timers: hard and pinned, so that it can be started
	 * under the scheduler's locks
	 */
	hrtimer_start(&flush_timer, flush_period(), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * gpu_flush_timer_init() - before any event can be opened
 */
void gpu_flush_timer_init(void)
{
	hrtimer_init(&flush_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	flush_timer.function = flush_tick;
}

/**
 * gpu_flush_timer_cancel() - no event is open any more
 *
 * Context: process; waits for a flush that runs.
 */
void gpu_flush_timer_cancel(void)
{
	hrtimer_cancel(&flush_timer);
}
