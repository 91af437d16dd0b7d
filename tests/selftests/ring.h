/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sampling events of ours, and what perf's ring buffer has of them.
 */
#ifndef TESTS_SELFTESTS_RING_H
#define TESTS_SELFTESTS_RING_H

#include <linux/perf_event.h>
#include <time.h>

#include "perf.h"

#define RING_CHAIN_MAX	127

/* bits of ring_open()'s flags */
#define RING_CALLCHAIN	1	/* of the user's side */
#define RING_INHERIT	2
#define RING_MONOTONIC	4	/* CLOCK_MONOTONIC, and not perf's own clock */
#define RING_KERNEL	8	/* exclude nothing */
#define RING_BOOTTIME	16	/* CLOCK_BOOTTIME */
#define RING_SMALL	32	/* of one page */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t mapped;
	unsigned int flags;
	clockid_t clock;	/* -1: perf's own */
	uint64_t lost;		/* samples that perf says it has lost */
	unsigned int throttled;
};

/* a sample; it is valid until the next one is read */
struct ring_sample {
	uint64_t ip;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t nr_ips;
	uint64_t ips[RING_CHAIN_MAX + 1];
	uint32_t size;		/* of raw */
	union {
		struct gpu_pmu_sample gpu;
		struct gpu_pmu_sample_report report;
		uint8_t raw[1024];
	};
};

/* disabled; 0 or a negative errno */
int ring_open(struct ring *ring, const struct gpu_config *config, pid_t pid, int cpu,
	      uint64_t period, unsigned int flags);
/* the same of any attr, with so many pages of records, a power of 2 */
int ring_open_attr(struct ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu,
		   unsigned int pages);
void ring_close(struct ring *ring);
/* the next sample, if there is one */
bool ring_next(struct ring *ring, struct ring_sample *sample);
/* the next record of any type, as it is; what does not fit into the room is left out */
bool ring_record(struct ring *ring, void *record, size_t room);
/* now, by the clock that the samples have their times from */
uint64_t ring_clock(const struct ring *ring);

#endif /* TESTS_SELFTESTS_RING_H */
