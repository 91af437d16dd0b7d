// SPDX-License-Identifier: GPL-2.0
/*
 * The reference model: engines whose source tells what runs. See model.h.
 */
#include <stdlib.h>

#include "model.h"

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* a stretch cannot begin before the one before it has ended */
static u64 engine_free(const struct model *m, unsigned int engine)
{
	u64 time = 0;

	for (unsigned int i = 0; i < m->nr_stretches; i++)
		if (m->stretch[i].engine == engine)
			time = later(time, m->stretch[i].until);
	return time;
}

static void stretch_end(struct model_stretch *s, u64 time)
{
	s->until = later(time, s->from);
	s->open = false;
}

void model_run_begin(struct model *m, unsigned int engine, int work, u64 time)
{
	struct model_stretch *s;

	for (unsigned int i = 0; i < m->nr_stretches; i++)
		if (m->stretch[i].open && m->stretch[i].engine == engine)
			stretch_end(&m->stretch[i], time);
	if (m->nr_stretches == MODEL_RECORDS)
		abort();
	s = &m->stretch[m->nr_stretches];
	s->engine = engine;
	s->work = work;
	s->from = later(time, engine_free(m, engine));
	s->until = 0;
	s->open = true;
	s->lost = false;
	m->nr_stretches++;
}

void model_run_end(struct model *m, int work, u64 time, bool lost)
{
	for (unsigned int i = 0; i < m->nr_stretches; i++) {
		struct model_stretch *s = &m->stretch[i];

		if (s->open && s->work == work) {
			stretch_end(s, time);
			s->lost = lost;
		}
	}
}

/* the part of it that lies between the last flush and this one */
static u64 part(const struct model *m, const struct model_stretch *s, u64 now)
{
	u64 from = later(s->from, m->flushed);
	u64 until = s->open || s->until > now ? now : s->until;

	return until > from ? until - from : 0;
}

void model_run_credit(struct model *m, u64 now)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < m->nr_stretches; i++) {
		struct model_stretch *s = &m->stretch[i];

		if (s->work != MODEL_NOBODY && !s->lost)
			m->work[s->work].busy += part(m, s, now);
		/* those that ended ahead of now still hold up the next one */
		if (s->open || s->until > now)
			m->stretch[kept++] = *s;
	}
	m->nr_stretches = kept;
}
