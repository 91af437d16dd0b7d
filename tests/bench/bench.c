// SPDX-License-Identifier: GPL-2.0
/* See bench.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	exit(1);
}

void check(const char *what, int ret)
{
	if (ret < 0)
		die("%s: %s", what, strerror(-ret));
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

uint64_t bench_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t bench_cpu(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* how many of a sorted array, from the first one on, are the same within a thousandth */
static unsigned int same(const uint64_t *took, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && took[i] - took[0] <= took[0] / 1000; i++)
		;
	return i;
}

uint64_t bench_usual(uint64_t *took, unsigned int nr)
{
	unsigned int enough = nr / 50 > 1 ? nr / 50 : 2, most = 0, at = 0, i;
	uint64_t limit = UINT64_MAX;

	qsort(took, nr, sizeof(*took), compare);
	for (i = 0; i < nr && took[i] < limit; i++) {
		if (same(took + i, nr - i) >= enough && limit == UINT64_MAX)
			limit = took[i] + BENCH_INTERRUPT;
		if (same(took + i, nr - i) > most) {
			most = same(took + i, nr - i);
			at = i;
		}
	}
	if (most < enough)
		die("of %u measurements no %u are the same: from %lu to %lu, half below %lu",
		    nr, enough, took[0], took[nr - 1], took[nr / 2]);
	return took[at + most / 2];
}

void bench_set(const char *path, uint64_t value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%lu", value) < 0 || fclose(file))
		die("%s: %s", path, strerror(errno));
}
