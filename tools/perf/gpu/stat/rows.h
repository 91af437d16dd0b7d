/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What clients and contexts have used, from look to look. Pure.
 *
 * A look tells absolute counts. What was there at the first one began before, and counts
 * from there on; who comes later begins at 0. Who ends is told once more, and stays.
 */
#ifndef PERF_GPU_ROWS_H
#define PERF_GPU_ROWS_H

#include <stdbool.h>
#include <linux/gpu_pmu.h>
#include <linux/types.h>

/**
 * struct row - a client, or a context, over all engines or on one
 * @next:	in its bucket
 * @newer:	in the order in which they were made
 * @id:		as in struct gpu_pmu_usage; 0: it has not worked yet
 * @client:	likewise
 * @ctx:	likewise; 0: the client as a whole
 * @dev:	likewise
 * @pid:	likewise
 * @engine:	likewise
 * @kernel:	it is the kernel's own work
 * @comm:	the process' name
 * @mine:	it is the target's
 * @ended:	it is gone
 * @shown:	it was gone when an interval ended: later ones have nothing of it
 * @look:	the last look that has told of it
 * @value:	three for each event: where it began, where the interval began, the last
 */
struct row {
	struct row *next;
	struct row *newer;
	__u64 id;
	__u64 client;
	__u64 ctx;
	__u32 dev;
	__u32 pid;
	__u16 engine;
	bool kernel;
	char comm[16];
	bool mine;
	bool ended;
	bool shown;
	unsigned long look;
	__u64 value[];
};

#define ROWS_BUCKETS	1024

/**
 * struct rows - all of them
 * @nr_values:	how many events there are
 * @looks:	how many looks there have been
 * @first:	the oldest
 * @last:	the newest
 * @expected:	the one that the look is likely to tell next, or NULL
 * @bucket:	by device, client, context and engine; the newest first
 */
struct rows {
	unsigned int nr_values;
	unsigned long looks;
	struct row *first;
	struct row *last;
	struct row *expected;
	struct row *bucket[ROWS_BUCKETS];
};

/* the same for the same; the upper bits are the better ones */
static inline __u64 row__hash(__u32 dev, __u64 client, __u64 ctx, __u16 engine)
{
	const __u64 odd = 0x9e3779b97f4a7c15ULL;

	return (client ^ ctx * odd ^ ((__u64)dev << 32 | engine)) * odd;
}

/* since when */
enum since {
	SINCE_BEGIN,
	SINCE_INTERVAL,
};

void rows__init(struct rows *rows, unsigned int nr_values);
void rows__free(struct rows *rows);

/* a look: begin, one for each entry, end. 0 or -ENOMEM */
void rows__begin_look(struct rows *rows);
int rows__entry(struct rows *rows, const struct gpu_pmu_usage *usage);

/*
 * A client or context of which no counts are told, as it has not worked yet: @idle says who
 * it is, and counts nothing. Behind all entries of a look.
 */
int rows__idle(struct rows *rows, const struct gpu_pmu_usage *idle);

/* an interval ends here */
void rows__next_interval(struct rows *rows);
/* forget who has ended and was shown: nobody asks for what was since the beginning */
void rows__forget(struct rows *rows);

/* what an event has counted; it is monotonic, so this is not negative */
__u64 row__value(const struct rows *rows, const struct row *row, unsigned int event,
		 enum since since);

#endif /* PERF_GPU_ROWS_H */
