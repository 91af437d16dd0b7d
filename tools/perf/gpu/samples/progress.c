// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "samples/progress.h"

#define FIRST_NS	500000000ULL
#define EACH_NS		100000000ULL
#define CLEAR_LINE	"\r\033[K"

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void progress__begin(struct progress *progress, const char *what, bool on)
{
	progress->what = what;
	progress->on = on && isatty(STDERR_FILENO);
	progress->shown = false;
	progress->next = now() + FIRST_NS;
}

void progress__show(struct progress *progress, int permille, uint64_t samples)
{
	uint64_t time;

	if (!progress->on)
		return;
	time = now();
	if (time < progress->next)
		return;
	progress->next = time + EACH_NS;
	progress->shown = true;
	if (permille < 0)
		fprintf(stderr, CLEAR_LINE "%s: %lu samples", progress->what, samples);
	else
		fprintf(stderr, CLEAR_LINE "%s: %3d %%, %lu samples", progress->what,
			permille / 10, samples);
}

void progress__end(struct progress *progress)
{
	if (progress->shown)
		fputs(CLEAR_LINE, stderr);
	progress->shown = false;
}
