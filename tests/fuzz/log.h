/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the reports of a counter unit are to say, told by the definition: there is a
 * log of what was read, with what is true about it - totals that never wrap, whole
 * times - beside what the reports could hold of that. What an engine has counted
 * between two of its reports is the difference of the totals; whose it is, is seen
 * by looking back through the log. It shares no code, type or idea with
 * drivers/perf/gpu/report.c, but the definition.
 */
#ifndef _FUZZ_LOG_H
#define _FUZZ_LOG_H

#include <linux/types.h>

#define LOG_ENTRIES	1024
#define LOG_ENGINES	4
#define LOG_COUNTERS	6
#define LOG_OWNERS	32
#define LOG_NOBODY	(-1)

/* a report that was read */
struct log_entry {
	u64 place;		/* in the order in which they were written */
	unsigned int engine;	/* may be one that is not there */
	int number;		/* of the context that runs from here; LOG_NOBODY */
	u64 time;		/* ns, by what was known when it was read */
	u64 total[LOG_COUNTERS];
	bool forged;		/* it says a time that cannot be */
	u64 elapsed;		/* for the teller: the clock's ticks, all of them, */
	u64 stamp;		/* and what was told of them */

	bool refused;		/* for that */
	bool breaks;		/* what was before may be something else after it */
};

struct log {
	unsigned int nr_engines;
	unsigned int nr_counters;
	/* who has a number at the time, or LOG_NOBODY */
	int (*owner)(int number, u64 time);
	struct log_entry entry[LOG_ENTRIES];
	unsigned int nr_entries;
	bool jumps;		/* in the round that is being read */
	unsigned int jumped;	/* how many entries the last jump, and its round, made void */

	/* the result; that of no owner is last */
	u64 lost;
	u64 sum[LOG_OWNERS + 1][LOG_ENGINES][LOG_COUNTERS];
};

void log_init(struct log *log, unsigned int nr_engines, unsigned int nr_counters,
	      int (*owner)(int number, u64 time));
void log_read(struct log *log, const struct log_entry *entry);
void log_jump(struct log *log);
void log_round_over(struct log *log);

/* the one of an engine that counts as its last one, or NULL */
const struct log_entry *log_last(const struct log *log, unsigned int engine);
/* is it known by when the engine's next report must be? */
bool log_is_clocked(const struct log *log, unsigned int engine);

#endif /* _FUZZ_LOG_H */
