/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that a seed determines. An operation gets a seed of its own, and takes all
 * its choices from that: so a line of the log is enough to do it again.
 */
#ifndef _FUZZ_PMU_RANDOM_H
#define _FUZZ_PMU_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rnd {
	uint64_t state;
};

static inline uint64_t rnd_next(struct rnd *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static inline uint64_t rnd_below(struct rnd *r, uint64_t n)
{
	return rnd_next(r) % n;
}

static inline bool rnd_one_in(struct rnd *r, uint64_t n)
{
	return !rnd_below(r, n);
}

/* a number of any size: small ones are as likely as large ones */
static inline uint64_t rnd_any(struct rnd *r)
{
	return rnd_next(r) >> rnd_below(r, 64);
}

#define RND_FIRST(first, ...)	first

/* one of these; + 0: of strings it is a pointer */
#define rnd_of(r, ...)								\
({										\
	static const __typeof__((RND_FIRST(__VA_ARGS__, 0)) + 0) of_[] = {	\
		__VA_ARGS__							\
	};									\
	of_[rnd_below(r, sizeof(of_) / sizeof(of_[0]))];			\
})

#endif /* _FUZZ_PMU_RANDOM_H */
