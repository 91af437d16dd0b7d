/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's atomics by the compiler's, so that the thread sanitizer knows
 * what they order. Before each one, another CPU can get in: see unit_race in
 * unit.h.
 */
#ifndef _UNIT_LINUX_ATOMIC_H
#define _UNIT_LINUX_ATOMIC_H

#include <linux/types.h>

void unit_race_here(void); /* kernel.c */

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

static inline int atomic_read(const atomic_t *v)
{
	unit_race_here();
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic_set(atomic_t *v, int i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	unit_race_here();
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline long atomic_long_read_acquire(const atomic_long_t *v)
{
	unit_race_here();
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

static inline void atomic_long_set(atomic_long_t *v, long i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline long atomic_long_fetch_add_release(long i, atomic_long_t *v)
{
	unit_race_here();
	return __atomic_fetch_add(&v->counter, i, __ATOMIC_RELEASE);
}

#define smp_load_acquire(p) ({				\
	unit_race_here();				\
	__atomic_load_n(p, __ATOMIC_ACQUIRE); })

#define smp_store_release(p, v) ({			\
	unit_race_here();				\
	__atomic_store_n(p, v, __ATOMIC_RELEASE); })

#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)

#endif /* _UNIT_LINUX_ATOMIC_H */
