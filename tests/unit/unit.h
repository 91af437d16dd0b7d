/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the unit tests share: checks that say where and what, TAP on stdout, a
 * plain summary at the end; and the strings that move the kernel's shim.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* what ktime_get_ns() returns; never moves by itself */
extern u64 unit_clock;

/* if set, it is asked instead */
extern u64 (*unit_ktime)(void);

/* if set, called before each atomic access: another CPU gets in there */
extern void (*unit_race)(void);

/* other threads run: a wait can end. Without, it is a test that failed */
extern bool unit_threads;

/* for tests with threads: the real clock, for unit_ktime */
u64 unit_monotonic(void);

/* and a unit_race that lets the others get in now and then */
void unit_dawdle(void);

struct unit_test {
	const char *name;
	void (*run)(void);
};

#define TEST(fn)	{ #fn, fn }

/* if @cond does not hold, say so, and let the test that runs fail */
#define CHECK(cond) \
	unit_check(!!(cond), __FILE__, __LINE__, #cond)

#define CHECK_EQ(a, b) \
	unit_check_eq((u64)(a), (u64)(b), __FILE__, __LINE__, #a " == " #b)

void unit_check(bool ok, const char *file, int line, const char *what);
void unit_check_eq(u64 a, u64 b, const char *file, int line, const char *what);

/* runs them in order; returns the exit status of the program */
int unit_main(const struct unit_test *tests, unsigned int nr);

#endif /* _UNIT_H */
