/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels that are slow by design: with KASAN and the like. tests/vm/run knows them. */
#ifndef TESTS_SLOWDOWN_H
#define TESTS_SLOWDOWN_H

#include <stdlib.h>

/* how many times as long as on a stock kernel things may take */
static inline unsigned int slowdown(void)
{
	const char *times = getenv("VM_SLOWDOWN");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

/* of what finds the more the more often it is done: so often as takes the same time */
static inline unsigned int slow_rounds(unsigned int stock)
{
	return (stock + slowdown() - 1) / slowdown();
}

#endif /* TESTS_SLOWDOWN_H */
