// SPDX-License-Identifier: GPL-2.0
/*
 * Which operation is next: by the weights; or, where it is known what of the kernel's
 * code was reached, often one of a sequence that had reached something new, with a
 * change to it.
 */
#include <string.h>

#include "fuzz.h"

void plan_init(struct plan *plan, uint64_t seed)
{
	memset(plan, 0, sizeof(*plan));
	plan->rnd.state = seed;
}

static struct step step_new(struct rnd *r, const struct worker *worker)
{
	unsigned int sum = 0, i;
	uint64_t at;

	for (i = 0; i < nr_ops; i++)
		sum += op_may(&ops[i], worker) ? ops[i].weight : 0;
	at = rnd_below(r, sum);
	for (i = 0; i < nr_ops; i++) {
		if (!op_may(&ops[i], worker))
			continue;
		if (at < ops[i].weight)
			break;
		at -= ops[i].weight;
	}
	return (struct step) { .op = i, .seed = rnd_next(r) };
}

/* a step less, one more, or another one; or others' choices in it */
static void sequence_change(struct sequence *seq, struct rnd *r, const struct worker *worker)
{
	unsigned int at = rnd_below(r, seq->nr), rest = seq->nr - at - 1;

	switch (rnd_below(r, 5)) {
	case 0:
		memmove(&seq->step[at], &seq->step[at + 1], rest * sizeof(seq->step[0]));
		seq->nr--;
		break;
	case 1:
		if (seq->nr == STEPS_MAX)
			break;
		memmove(&seq->step[at + 1], &seq->step[at], (rest + 1) * sizeof(seq->step[0]));
		seq->step[at] = step_new(r, worker);
		seq->nr++;
		break;
	case 2:
		seq->step[at] = step_new(r, worker);
		break;
	case 3:
		seq->step[at].seed = rnd_next(r);
		break;
	}
}

static bool plan_take(struct plan *plan, struct fuzzer *f)
{
	struct shared *shared = f->worker->shared;
	unsigned int nr = shared->corpus_nr;
	struct sequence *seq;

	if (!nr)
		return false;
	seq = &shared->corpus[rnd_below(&plan->rnd, nr < CORPUS_MAX ? nr : CORPUS_MAX)];
	if (!seq->ready)
		return false;
	plan->now.nr = seq->nr;
	memcpy(plan->now.step, seq->step, sizeof(seq->step));
	plan->at = 0;
	sequence_change(&plan->now, &plan->rnd, f->worker);
	return true;
}

struct step plan_next(struct plan *plan, struct fuzzer *f)
{
	struct step step;

	if (plan->at == plan->now.nr && rnd_one_in(&plan->rnd, 8))
		plan_take(plan, f);
	while (plan->at < plan->now.nr) {
		step = plan->now.step[plan->at++];
		/* it may be a worker's that may do more */
		if (op_may(&ops[step.op], f->worker))
			return step;
	}
	return step_new(&plan->rnd, f->worker);
}

void plan_keep(struct fuzzer *f)
{
	struct shared *shared = f->worker->shared;
	unsigned int at = atomic_fetch_add(&shared->corpus_nr, 1);
	struct sequence *seq;

	if (at >= CORPUS_MAX) {
		shared->corpus_nr = CORPUS_MAX;
		return;
	}
	seq = &shared->corpus[at];
	seq->nr = f->nr_last;
	memcpy(seq->step, f->last, sizeof(f->last));
	atomic_store(&seq->ready, true);
}
