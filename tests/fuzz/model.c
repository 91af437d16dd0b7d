// SPDX-License-Identifier: GPL-2.0
/*
 * The reference model. See model.h.
 */
#include <stdlib.h>

#include "model.h"

void model_init(struct model *m, unsigned int nr_engines,
		unsigned int ring_slots, unsigned int room,
		unsigned int nodes)
{
	m->nr_engines = nr_engines;
	m->nr_works = 0;
	m->nr_records = 0;
	m->nr_staged = 0;
	m->ring_slots = ring_slots;
	m->ring_lost = 0;
	m->left_out = 0;
	m->room = room;
	m->nodes = nodes;
	m->seq = 0;
	m->flushed = 0;
	m->lost = 0;
}

/* would one more step have no place to be kept in? */
bool model_is_full(const struct model *m)
{
	return m->nr_works + m->nr_records >= MODEL_WORKS ||
	       m->nr_staged + m->nr_records >= MODEL_RECORDS;
}

unsigned int model_outstanding(const struct model *m)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < m->nr_works; i++)
		nr += m->work[i].state == OUTSTANDING;
	return nr;
}

void model_push(struct model *m, const struct model_record *rec)
{
	if (rec->type == MODEL_SCOPES_AHEAD && m->nr_records >= m->ring_slots / 2)
		m->left_out++;
	else if (m->nr_records == m->ring_slots)
		m->ring_lost++;
	else
		m->record[m->nr_records++] = *rec;
}

/* ---- what becomes of each record ---- */

static struct model_work *find(struct model *m, const struct model_record *rec)
{
	for (unsigned int i = 0; i < m->nr_works; i++) {
		struct model_work *w = &m->work[i];

		if (w->state == OUTSTANDING && w->engine == rec->engine &&
		    w->key == rec->key)
			return w;
	}
	return NULL;
}

static void end(struct model *m, struct model_work *w, enum model_state state,
		u64 time)
{
	w->state = state;
	w->end = time;
	w->end_seq = m->seq;
	w->lost_now = state == LOST;
	m->room++;
	m->nodes += w->nr_nodes;
}

static void add_scopes(struct model_work *w, const struct model_record *rec)
{
	for (int i = 0; i < rec->nr_scopes; i++) {
		if (w->nr_scopes == MODEL_SCOPES)
			abort();
		w->scope[w->nr_scopes++] = rec->scope[i];
	}
}

static void take_staged(struct model *m, struct model_work *w,
			const struct model_record *rec)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < m->nr_staged; i++) {
		const struct model_record *s = &m->staged[i];

		if (s->engine == rec->engine && s->key == rec->key) {
			add_scopes(w, s);
			w->nr_nodes++;
		} else {
			m->staged[kept++] = *s;
		}
	}
	m->nr_staged = kept;
}

static void end_all(struct model *m, enum model_state state, u64 now)
{
	for (unsigned int i = 0; i < m->nr_works; i++)
		if (m->work[i].state == OUTSTANDING)
			end(m, &m->work[i], state, now);
	m->nodes += m->nr_staged;
	m->nr_staged = 0;
}

static void apply_queue(struct model *m, const struct model_record *rec)
{
	struct model_work *old = find(m, rec);
	struct model_work *w = &m->work[m->nr_works++];

	*w = (struct model_work) {
		.engine = rec->engine,
		.key = rec->key,
		.job = rec->job,
		.owner = rec->owner,
		.submit = rec->time,
		.state = UNFOLLOWED,
	};
	take_staged(m, w, rec);
	if (old) {
		end(m, old, LOST, rec->time);
		m->lost++;
	}
	if (m->room) {
		m->room--;
		add_scopes(w, rec);
		w->state = OUTSTANDING;
	} else {
		/* as if its record had been lost */
		m->lost += 1 + model_outstanding(m);
		m->nodes += w->nr_nodes;
		w->nr_scopes = 0;
		end_all(m, LOST, rec->time);
	}
}

static void apply(struct model *m, const struct model_record *rec)
{
	struct model_work *w;

	m->seq++;
	switch (rec->type) {
	case MODEL_QUEUE:
		apply_queue(m, rec);
		break;
	case MODEL_SCOPES_AHEAD:
		if (m->nodes) {
			m->nodes--;
			m->staged[m->nr_staged++] = *rec;
		} else {
			m->lost++;
		}
		break;
	case MODEL_DONE:
		w = find(m, rec);
		if (w)
			end(m, w, COMPLETED, rec->time);
		break;
	}
}

/* ---- the rule ---- */

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

void model_flush(struct model *m, u64 now)
{
	for (unsigned int i = 0; i < m->nr_records; i++)
		apply(m, &m->record[i]);
	m->nr_records = 0;
	m->lost += m->left_out;
	m->left_out = 0;
	if (m->ring_lost) {
		m->lost += m->ring_lost + model_outstanding(m);
		m->ring_lost = 0;
		m->seq++;
		end_all(m, LOST, now);
	}

	for (unsigned int i = 0; i < m->nr_works; i++) {
		struct model_work *w = &m->work[i];

		if (w->job && w->state != UNFOLLOWED && !w->waited)
			settle_wait(m, w);
	}
	for (unsigned int e = 0; e < m->nr_engines; e++)
		credit(m, e, m->flushed, now);
	for (unsigned int i = 0; i < m->nr_works; i++)
		m->work[i].lost_now = false;
	m->flushed = now;
}

/* the source goes away, right after a flush */
void model_leave(struct model *m, u64 now)
{
	end_all(m, LEFT, now);
}
