// SPDX-License-Identifier: GPL-2.0
/*
 * The reference model: the head-of-line rule. See model.h.
 */
#include "model.h"

static bool is_followed(const struct model_work *w, unsigned int engine)
{
	return w->engine == engine && w->state != UNFOLLOWED;
}

/* the oldest piece that is outstanding at a time has the engine */
static struct model_work *holder(struct model *m, unsigned int engine, u64 time)
{
	for (unsigned int i = 0; i < m->nr_works; i++) {
		struct model_work *w = &m->work[i];

		if (is_followed(w, engine) && w->submit <= time &&
		    (w->state == OUTSTANDING || time < w->end))
			return w;
	}
	return NULL;
}

/* the first time after @time at which something happened, or @until */
static u64 next_change(const struct model *m, unsigned int engine, u64 time,
		       u64 until)
{
	for (unsigned int i = 0; i < m->nr_works; i++) {
		const struct model_work *w = &m->work[i];

		if (!is_followed(w, engine))
			continue;
		if (w->submit > time && w->submit < until)
			until = w->submit;
		if (w->state != OUTSTANDING && w->end > time && w->end < until)
			until = w->end;
	}
	return until;
}

/*
 * What was lost is credited up to the last flush: later, nobody knows whether
 * it had the engine or who else.
 */
static void credit(struct model *m, unsigned int engine, u64 from, u64 until)
{
	u64 next;

	for (; from < until; from = next) {
		struct model_work *w = holder(m, engine, from);

		next = next_change(m, engine, from, until);
		if (w && !w->lost_now)
			w->busy += next - from;
	}
}

/*
 * Work begins when all that is older has ended, if it has not ended itself by
 * then. It waits until it begins, or until it ends without.
 */
static void settle_wait(struct model *m, struct model_work *w)
{
	u64 begin = w->submit;
	bool begun = true;

	for (const struct model_work *old = m->work; old < w; old++) {
		if (!is_followed(old, w->engine))
			continue;
		if (old->state == OUTSTANDING ||
		    (w->state != OUTSTANDING && old->end_seq >= w->end_seq))
			begun = false;
		else if (old->end > begin)
			begin = old->end;
	}
	if (begun)
		w->wait = begin - w->submit;
	else if (w->state == COMPLETED)
		w->wait = w->end - w->submit;
	w->waited = begun || w->state != OUTSTANDING;
}

void model_line_credit(struct model *m, u64 now)
{
	for (unsigned int i = 0; i < m->nr_works; i++) {
		struct model_work *w = &m->work[i];

		if (w->job && !w->started && w->state != UNFOLLOWED && !w->waited)
			settle_wait(m, w);
	}
	for (unsigned int e = 0; e < m->nr_engines; e++)
		credit(m, e, m->flushed, now);
	for (unsigned int i = 0; i < m->nr_works; i++)
		m->work[i].lost_now = false;
}
