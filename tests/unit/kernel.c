// SPDX-License-Identifier: GPL-2.0
/*
 * What the shim's headers do not do inline. See unit.h.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/processor.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "unit.h"

u64 unit_clock;
u64 (*unit_ktime)(void);
void (*unit_race)(void);
bool unit_threads;

u64 ktime_get_ns(void)
{
	return unit_ktime ? unit_ktime() : unit_clock;
}

void unit_race_here(void)
{
	if (unit_race)
		unit_race();
}

u64 unit_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + now.tv_nsec;
}

void unit_dawdle(void)
{
	static _Thread_local unsigned int steps;

	if (++steps % 61 == 0)
		sched_yield();
}

void cpu_relax(void)
{
	if (!unit_threads) {
		fprintf(stderr, "waits for a record that nobody is writing\n");
		abort();
	}
	sched_yield(); /* who is writing it may need this CPU to get on */
}
