/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long functions of the kernel take, by ftrace's function graph. Its own cost is
 * the same whatever they do, as long as no function that they call is traced, too.
 */
#ifndef TESTS_BENCH_TRACE_H
#define TESTS_BENCH_TRACE_H

#include <stdbool.h>

/* functions: a NULL at the end; tracing is off */
void trace_setup(const char *const *functions);
void trace_clear(void);
void trace_on(bool on);
void trace_end(void);
/*
 * Each one: its name, and ns when it has ended; before, with 0 ns, that it has begun if
 * another one was called in it. what() returns false to stop.
 */
void trace_read(bool (*what)(void *arg, const char *function, double ns), void *arg);

#endif /* TESTS_BENCH_TRACE_H */
