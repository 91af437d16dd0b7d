/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmarks have in common: a clock whose nanoseconds are instructions
 * (under "tests/vm/run --icount"), and what is made of many measurements.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdint.h>

#define BENCH_ROUNDS	100

__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);
/* die if ret is a negative errno */
void check(const char *what, int ret);

uint64_t bench_now(void);
/* the same clock, while this thread is on the CPU: what it takes to block, and to go on */
uint64_t bench_cpu(void);

/* an interrupt takes more than this, whatever it is for */
#define BENCH_INTERRUPT	1000

/*
 * What most of those without an interrupt took, within a thousandth. Those are the ones
 * that took the least, if two of a hundred did (two at least), and what is above that by
 * less than an interrupt. How many have one is up to the machine that the virtual one
 * runs on, since virtio devices answer in its time: so it is not for a median to say.
 * Sorts them.
 */
uint64_t bench_usual(uint64_t *took, unsigned int nr);

/* write a number to a file; it must work */
void bench_set(const char *path, uint64_t value);

#endif /* TESTS_BENCH_BENCH_H */
