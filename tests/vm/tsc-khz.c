// SPDX-License-Identifier: GPL-2.0
/*
 * Says how fast this machine's time stamp counter runs, in kHz: an emulated processor's is
 * the same one. Two pairs of readings, of both clocks at once, however late this program is.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define TRIES	1000
#define APART	100000	/* us */

struct reading {
	uint64_t tsc;
	uint64_t ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* the one that took the least time */
static struct reading read_both(void)
{
	struct reading best = {};
	uint64_t before, ns, after, least = UINT64_MAX;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = __rdtsc();
		ns = now_ns();
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct reading){ before + least / 2, ns };
	}
	return best;
}

int main(void)
{
	struct reading first = read_both(), last;

	usleep(APART);
	last = read_both();
	printf("%.0f\n", (last.tsc - first.tsc) * 1e6 / (last.ns - first.ns));
	return 0;
}
