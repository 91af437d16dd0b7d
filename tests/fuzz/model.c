// SPDX-License-Identifier: GPL-2.0
/*
 * The reference model: what becomes of records. See model.h.
 */
#include <stdlib.h>

#include "model.h"

void model_init(struct model *m, bool tells_run, unsigned int nr_engines,
		unsigned int ring_slots, unsigned int room, unsigned int nodes,
		bool (*is_there)(const struct model *m, int owner))
{
	m->tells_run = tells_run;
	m->is_there = is_there;
	m->nr_stretches = 0;
	m->nr_engines = nr_engines;
	m->nr_works = 0;
	m->nr_records = 0;
	m->nr_staged = 0;
	m->ring_slots = ring_slots;
	m->ring_lost = 0;
	m->left_out = 0;
	m->unfollowed = 0;
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
	bool offered = rec->type == MODEL_SCOPES_AHEAD || rec->type == MODEL_FENCE;

	if (offered && m->nr_records >= m->ring_slots / 2)
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
	if (m->tells_run)
		model_run_end(m, w - m->work, time, state != COMPLETED);
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
			if (s->type == MODEL_FENCE) {
				w->fence = s->fence;
				m->nodes++;
				continue;
			}
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
	bool known = !rec->by_context || m->is_there(m, rec->owner);

	*w = (struct model_work) {
		.engine = rec->engine,
		.key = rec->key,
		.job = rec->job,
		.counted = rec->job && !rec->earlier && known,
		.started = rec->started,
		.ran_before = rec->started,
		.owner = known ? rec->owner : MODEL_NOBODY,
		.submit = rec->time,
		.state = UNFOLLOWED,
	};
	take_staged(m, w, rec);
	if (old) {
		end(m, old, LOST, rec->time);
		m->lost++;
		m->seq++;
	}
	if (known && m->room) {
		m->room--;
		add_scopes(w, rec);
		w->state = OUTSTANDING;
		return;
	}
	m->nodes += w->nr_nodes;
	w->nr_scopes = 0;
	if (m->tells_run && rec->earlier) {
		m->unfollowed++;
		return;
	}
	m->lost++;
	if (!m->tells_run) {
		/* as if its record had been lost */
		m->lost += model_outstanding(m);
		end_all(m, LOST, rec->time);
	}
}

static void apply_run(struct model *m, const struct model_record *rec)
{
	struct model_work *w = find(m, rec);

	model_run_begin(m, rec->engine, w ? (int)(w - m->work) : MODEL_NOBODY, rec->time);
	if (!w || w->started)
		return;
	w->started = true;
	if (w->job && w->submit <= rec->time)
		w->wait = rec->time - w->submit;
	else if (w->job)
		m->lost++;
}

static void apply_done(struct model *m, const struct model_record *rec)
{
	struct model_work *w = find(m, rec);

	if (!w && m->unfollowed) {
		m->unfollowed--;
		m->lost++;
	}
	if (!w)
		return;
	if (m->tells_run && w->job && !w->started && w->submit < rec->time)
		w->wait = rec->time - w->submit;
	end(m, w, COMPLETED, rec->time);
}

static void apply(struct model *m, const struct model_record *rec)
{
	m->seq++;
	switch (rec->type) {
	case MODEL_QUEUE:
		apply_queue(m, rec);
		break;
	case MODEL_SCOPES_AHEAD:
	case MODEL_FENCE:
		if (m->nodes) {
			m->nodes--;
			m->staged[m->nr_staged++] = *rec;
		} else if (rec->type == MODEL_SCOPES_AHEAD) {
			m->lost++;
		}
		break;
	case MODEL_RUN:
		apply_run(m, rec);
		break;
	case MODEL_DONE:
		apply_done(m, rec);
		break;
	}
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
	if (m->tells_run)
		model_run_credit(m, now);
	else
		model_line_credit(m, now);
	m->flushed = now;
}

/* the source goes away, right after a flush */
void model_leave(struct model *m, u64 now)
{
	end_all(m, LEFT, now);
	m->unfollowed = 0;
	m->nr_stretches = 0;
}
