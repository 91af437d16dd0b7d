/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events under which something is measured, by name:
 *
 *	EVENT[@SCOPE][*NUMBER]
 *
 * EVENT is one of the gpu PMU, a tracepoint (with a colon), or one of perf's own:
 * task-clock or context-switches. SCOPE is where it is open: see scopes[] in under.c.
 */
#ifndef TESTS_BENCH_UNDER_H
#define TESTS_BENCH_UNDER_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h>

struct bench_gpu;

struct under {
	const struct bench_gpu *gpu;
	int fd;			/* of the client that is measured */
	uint64_t ctx;
	int other_fd;		/* of one that is not, or -1 as long as nobody needs it */
	uint64_t other_ctx;
	int sleeper;		/* a task that does nothing, or 0 */
	bool group;		/* all in one */
	bool inherit;
};

/* what perf_event_open() is given */
struct under_event {
	struct perf_event_attr attr;
	int task;
	int cpu;
};

/* what a name means, without its number */
void under_name(struct under *under, const char *spec, struct under_event *event);
/* in the group of another event, or -1; a fd or a negative errno */
int under_open(const struct under_event *event, int group);
/* as often as it says; in events[], at most max; how many */
unsigned int under_open_all(struct under *under, const char *spec, int *events,
			    unsigned int max);
void under_end(struct under *under);

#endif /* TESTS_BENCH_UNDER_H */
