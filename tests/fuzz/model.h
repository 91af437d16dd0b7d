/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the accounting of one device is to say, told by the definition of the
 * head-of-line rule, with no thought of speed or memory: all work that ever
 * was is kept, and for each stretch of time the oldest piece that was
 * outstanding then is looked for. It shares no code, type or idea with
 * drivers/perf/gpu/account.c, but the rule.
 *
 * Times have to come in order.
 */
#ifndef _FUZZ_MODEL_H
#define _FUZZ_MODEL_H

#include <linux/types.h>

#define MODEL_WORKS	1024
#define MODEL_RECORDS	128
#define MODEL_SCOPES	64

enum model_type { MODEL_QUEUE, MODEL_SCOPES_AHEAD, MODEL_DONE };

enum model_state {
	OUTSTANDING,
	COMPLETED,
	LOST,		/* nobody knows when it ended */
	LEFT,		/* outstanding when the source went away */
	UNFOLLOWED,	/* there was no room */
};

/* who is named: any numbers */
struct model_record {
	enum model_type type;
	u64 time;
	u64 key;
	unsigned int engine;
	bool job;
	int owner;
	int scope[4];
	int nr_scopes;
};

struct model_work {
	enum model_state state;
	unsigned int engine;
	u64 key;
	bool job;
	int owner;
	int scope[MODEL_SCOPES];
	int nr_scopes;
	int nr_nodes;		/* for scopes */
	u64 submit;
	u64 end;
	unsigned int end_seq;	/* in which order they ended, also at one time */
	bool lost_now;		/* in this flush */
	bool waited;		/* @wait is final */

	/* the result */
	u64 busy;
	u64 wait;
};

struct model {
	struct model_work work[MODEL_WORKS];
	unsigned int nr_works;
	struct model_record record[MODEL_RECORDS];	/* in the ring */
	unsigned int nr_records;
	struct model_record staged[MODEL_RECORDS];
	unsigned int nr_staged;
	unsigned int nr_engines;
	unsigned int ring_slots;
	unsigned int ring_lost;	/* not seen by a flush yet */
	unsigned int left_out;	/* likewise */
	unsigned int room;	/* for work */
	unsigned int nodes;	/* for more scopes */
	unsigned int seq;
	u64 flushed;		/* when the last flush was */
	u64 lost;
};

void model_init(struct model *m, unsigned int nr_engines,
		unsigned int ring_slots, unsigned int room,
		unsigned int nodes);
void model_push(struct model *m, const struct model_record *rec);
void model_flush(struct model *m, u64 now);
void model_leave(struct model *m, u64 now);
unsigned int model_outstanding(const struct model *m);
bool model_is_full(const struct model *m);

#endif /* _FUZZ_MODEL_H */
