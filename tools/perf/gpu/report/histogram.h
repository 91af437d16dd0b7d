/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How values are distributed: counts in buckets that are 1/64 of a power of two wide,
 * so that what is read from it is off by 1 % at most. Pure.
 */
#ifndef PERF_GPU_HISTOGRAM_H
#define PERF_GPU_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS		6
#define HISTOGRAM_BUCKETS	(1U << HISTOGRAM_BITS)
/* values below 64 are the first, exactly; each further bit of a value is one more */
#define HISTOGRAM_OCTAVES	(64 - HISTOGRAM_BITS + 1)

/**
 * struct histogram - all 0 at first
 * @octaves:	buckets, as far as there is something in one of them
 * @nr:		how many values
 * @sum:	of them
 * @min:	exactly
 * @max:	exactly
 */
struct histogram {
	uint64_t *octaves[HISTOGRAM_OCTAVES];
	uint64_t nr;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
};

/* 0 or -ENOMEM */
int histogram__add(struct histogram *histogram, uint64_t value);
/* no less than @share (0 to 1) of the values are up to this; 0 if there are none */
uint64_t histogram__quantile(const struct histogram *histogram, double share);
void histogram__clear(struct histogram *histogram);

#endif /* PERF_GPU_HISTOGRAM_H */
