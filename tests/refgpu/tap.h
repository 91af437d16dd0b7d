/* SPDX-License-Identifier: GPL-2.0 */
/* Checks that say where and what, and TAP on stdout. */
#ifndef _TESTS_REFGPU_TAP_H
#define _TESTS_REFGPU_TAP_H

#include <stdio.h>
#include <time.h>

#include "../slowdown.h"

struct tap_test {
	const char *name;
	void (*run)(void);
};

#define TEST(fn)	{ #fn, fn }

static unsigned int tap_failed;

#define CHECK(cond) do {							\
	if (!(cond)) {								\
		tap_failed++;							\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);		\
	}									\
} while (0)

#define CHECK_EQ(a, b) do {							\
	unsigned long long a_ = (a), b_ = (b);					\
	if (a_ != b_) {								\
		tap_failed++;							\
		printf("# %s:%d: %s == %s: %lld, %lld\n", __FILE__, __LINE__,	\
		       #a, #b, a_, b_);						\
	}									\
} while (0)

static inline double tap_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* the exit status */
static inline int tap_main(const struct tap_test *tests, unsigned int nr)
{
	unsigned int i, bad = 0;

	printf("TAP version 13\n1..%u\n", nr);
	for (i = 0; i < nr; i++) {
		double begin = tap_now();

		tap_failed = 0;
		tests[i].run();
		if (tap_failed)
			bad++;
		printf("%sok %u %s # %.1f s\n", tap_failed ? "not " : "", i + 1, tests[i].name,
		       tap_now() - begin);
		fflush(stdout);
	}
	return bad ? 1 : 0;
}

#endif /* _TESTS_REFGPU_TAP_H */
