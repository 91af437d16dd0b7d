// SPDX-License-Identifier: GPL-2.0
/*
 * The reference model of reports. See log.h.
 */
#include <stdlib.h>
#include <string.h>

#include "log.h"

void log_init(struct log *log, unsigned int nr_engines, unsigned int nr_counters,
	      int (*owner)(int number, u64 time))
{
	log->nr_engines = nr_engines;
	log->nr_counters = nr_counters;
	log->owner = owner;
	log->nr_entries = 0;
	log->jumps = false;
	log->jumped = 0;
	log->lost = 0;
	memset(log->sum, 0, sizeof(log->sum));
}

const struct log_entry *log_last(const struct log *log, unsigned int engine)
{
	for (unsigned int i = log->nr_entries; i--; )
		if (log->entry[i].engine == engine && !log->entry[i].refused)
			return &log->entry[i];
	return NULL;
}

/* what it said last was in time, and by the same clock */
bool log_is_clocked(const struct log *log, unsigned int engine)
{
	for (unsigned int i = log->nr_entries; !log->jumps && i-- > log->jumped; )
		if (log->entry[i].engine == engine)
			return !log->entry[i].refused;
	return false;
}

/* one loss, when it is seen: before what was written by then is read */
void log_jump(struct log *log)
{
	log->lost++;
	log->jumps = true;
}

/* what was read in the round of the jump may be from before it, or from after it */
void log_round_over(struct log *log)
{
	if (log->jumps)
		log->jumped = log->nr_entries;
	log->jumps = false;
}

/* how many were written between the one that was read before it and this one */
static void read_place(struct log *log, struct log_entry *e)
{
	u64 next = log->nr_entries ? log->entry[log->nr_entries - 1].place + 1 : 0;

	if (e->place == next)
		return;
	e->breaks = true;
	/* it is an old one: so there is one that it is read instead of */
	log->lost += e->place < next ? 1 : e->place - next;
}

static bool same(const struct log *log, const struct log_entry *a,
		 const struct log_entry *b)
{
	return !memcmp(a->total, b->total, log->nr_counters * sizeof(a->total[0]));
}

static int owner_between(struct log *log, const struct log_entry *first,
			 const struct log_entry *second)
{
	int owner;

	for (const struct log_entry *e = first + 1; e <= second; e++)
		if (e->breaks)
			return LOG_NOBODY;
	if (first->number == LOG_NOBODY || same(log, first, second))
		return LOG_NOBODY;
	owner = log->owner(first->number, first->time);
	if (owner == LOG_NOBODY)
		log->lost++;
	return owner;
}

void log_read(struct log *log, const struct log_entry *entry)
{
	struct log_entry *e = &log->entry[log->nr_entries];
	const struct log_entry *first;
	int owner;

	if (log->nr_entries == LOG_ENTRIES)
		abort();
	*e = *entry;
	e->breaks = false;
	read_place(log, e);
	e->refused = e->engine >= log->nr_engines ||
		     (e->forged && log_is_clocked(log, e->engine));
	if (e->refused) {
		e->breaks = true;
		log->lost++;
	} else {
		first = log_last(log, e->engine);
		if (first) {
			owner = owner_between(log, first, e);
			if (owner == LOG_NOBODY)
				owner = LOG_OWNERS;
			for (unsigned int c = 0; c < log->nr_counters; c++)
				log->sum[owner][e->engine][c] += e->total[c] - first->total[c];
		}
	}
	log->nr_entries++;
}
