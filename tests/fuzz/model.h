/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the accounting of one device is to say, told by the definition, with no
 * thought of speed or memory: all work that ever was is kept. It shares no code,
 * type or idea with drivers/perf/gpu/account.c, but the two rules:
 *
 *  - model-line.c: for each stretch of time the oldest piece of work that was
 *    outstanding then is looked for;
 *  - model-run.c: there is a list of stretches, as the source told them.
 *
 * Times have to come in order; but that of a submission need not, if the source
 * tells what runs.
 */
#ifndef _FUZZ_MODEL_H
#define _FUZZ_MODEL_H

#include <linux/types.h>

#define MODEL_WORKS	1024
#define MODEL_RECORDS	128
#define MODEL_SCOPES	64
#define MODEL_NOBODY	(-1)

enum model_type { MODEL_QUEUE, MODEL_SCOPES_AHEAD, MODEL_FENCE, MODEL_RUN, MODEL_DONE };

enum model_state {
	OUTSTANDING,
	COMPLETED,
	LOST,		/* nobody knows when it ended */
	LEFT,		/* outstanding when the source went away */
	UNFOLLOWED,	/* there was no room, or it is nobody's */
};

/* who is named: any numbers */
struct model_record {
	enum model_type type;
	u64 time;
	u64 key;
	unsigned int engine;
	bool job;
	bool earlier;
	bool started;
	bool by_context;	/* @owner, if it is there when this is looked at */
	int owner;
	int scope[4];
	int nr_scopes;
	u64 fence;		/* any number but 0 */
};

struct model_work {
	enum model_state state;
	unsigned int engine;
	u64 key;
	bool job;
	bool counted;		/* in the jobs */
	bool started;		/* it had run before; or it has, if that is told */
	int owner;		/* or MODEL_NOBODY */
	int scope[MODEL_SCOPES];
	int nr_scopes;
	int nr_nodes;		/* for scopes, and a fence */
	u64 fence;		/* or 0 */
	u64 submit;
	u64 end;
	unsigned int end_seq;	/* in which order they ended, also at one time */
	bool lost_now;		/* in this flush */
	bool waited;		/* @wait is final */
	bool ran_before;	/* anyone looked */
	bool told;		/* that it is complete */

	/* the result */
	u64 busy;
	u64 wait;
};

/* an engine was with a piece of work, or with something else, for a while */
struct model_stretch {
	unsigned int engine;
	int work;		/* or MODEL_NOBODY */
	u64 from;
	u64 until;		/* unless it is @open */
	bool open;
	bool lost;		/* nobody knows how long, since the last flush */
};

struct model {
	bool tells_run;
	bool (*is_there)(const struct model *m, int owner);
	struct model_work work[MODEL_WORKS];
	unsigned int nr_works;
	struct model_stretch stretch[MODEL_RECORDS];
	unsigned int nr_stretches;
	struct model_record record[MODEL_RECORDS];	/* in the ring */
	unsigned int nr_records;
	struct model_record staged[MODEL_RECORDS];
	unsigned int nr_staged;
	unsigned int nr_engines;
	unsigned int ring_slots;
	unsigned int ring_lost;	/* not seen by a flush yet */
	unsigned int left_out;	/* likewise */
	unsigned int unfollowed; /* earlier work: lost when it is done */
	unsigned int room;	/* for work */
	unsigned int nodes;	/* for more scopes */
	unsigned int seq;
	u64 flushed;		/* when the last flush was */
	u64 lost;
};

void model_init(struct model *m, bool tells_run, unsigned int nr_engines,
		unsigned int ring_slots, unsigned int room, unsigned int nodes,
		bool (*is_there)(const struct model *m, int owner));
void model_push(struct model *m, const struct model_record *rec);
void model_flush(struct model *m, u64 now);
void model_leave(struct model *m, u64 now);
unsigned int model_outstanding(const struct model *m);
bool model_is_full(const struct model *m);

/* the two rules: what each piece of work has got since the last flush */
void model_line_credit(struct model *m, u64 now);
void model_run_credit(struct model *m, u64 now);

/* by the second rule: the engine changes hands, its work ends, or is lost */
void model_run_begin(struct model *m, unsigned int engine, int work, u64 time);
void model_run_end(struct model *m, int work, u64 time, bool lost);

#endif /* _FUZZ_MODEL_H */
