// SPDX-License-Identifier: GPL-2.0
/* See histogram.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/histogram.h"

static unsigned int octave_of(uint64_t value)
{
	unsigned int bits;

	if (value < HISTOGRAM_BUCKETS)
		return 0;
	bits = 64 - __builtin_clzll(value);
	return bits - HISTOGRAM_BITS;
}

/* a value of octave N > 0 has its highest bit above N - 1 + the bits that are looked at */
static unsigned int shift_of(unsigned int octave)
{
	return octave ? octave - 1 : 0;
}

static unsigned int bucket_of(uint64_t value, unsigned int octave)
{
	return (value >> shift_of(octave)) & (HISTOGRAM_BUCKETS - 1);
}

/* the middle of a bucket */
static uint64_t value_of(unsigned int octave, unsigned int bucket)
{
	unsigned int shift = shift_of(octave);
	uint64_t value = bucket;

	if (octave)
		value |= HISTOGRAM_BUCKETS;
	value <<= shift;
	return shift ? value + (1ULL << (shift - 1)) : value;
}

int histogram__add(struct histogram *histogram, uint64_t value)
{
	unsigned int octave = octave_of(value);
	uint64_t **buckets = &histogram->octaves[octave];

	if (!*buckets)
		*buckets = calloc(HISTOGRAM_BUCKETS, sizeof(**buckets));
	if (!*buckets)
		return -ENOMEM;
	(*buckets)[bucket_of(value, octave)]++;
	if (!histogram->nr || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->nr++;
	histogram->sum += value;
	return 0;
}

static uint64_t within(const struct histogram *histogram, uint64_t value)
{
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

uint64_t histogram__quantile(const struct histogram *histogram, double share)
{
	uint64_t rank = ceil(share * histogram->nr), seen = 0;

	/* the first and the last one are known exactly */
	if (rank <= 1)
		return histogram->min;
	if (rank >= histogram->nr)
		return histogram->max;
	for (unsigned int i = 0; i < HISTOGRAM_OCTAVES; i++) {
		if (!histogram->octaves[i])
			continue;
		for (unsigned int k = 0; k < HISTOGRAM_BUCKETS; k++) {
			seen += histogram->octaves[i][k];
			if (seen >= rank)
				return within(histogram, value_of(i, k));
		}
	}
	return histogram->max;
}

void histogram__clear(struct histogram *histogram)
{
	for (unsigned int i = 0; i < HISTOGRAM_OCTAVES; i++)
		free(histogram->octaves[i]);
	memset(histogram, 0, sizeof(*histogram));
}
