// SPDX-License-Identifier: GPL-2.0
/* The list of operations, and how each of them is done. */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "ops.h"

#define OP_ENTRY(op, weight, needs)	{ #op, weight, needs, op_##op },

const struct op ops[] = {
	FUZZ_OPS(OP_ENTRY)
};

const unsigned int nr_ops = sizeof(ops) / sizeof(ops[0]);
_Static_assert(sizeof(ops) / sizeof(ops[0]) <= OPS_MAX, "there is no room for the figures");

int op_by_name(const char *name)
{
	for (unsigned int i = 0; i < nr_ops; i++)
		if (!strcmp(ops[i].name, name))
			return i;
	return -ENOENT;
}

bool op_may(const struct op *op, const struct worker *worker)
{
	if (op->needs & (NEEDS_ROOT | NEEDS_SYSTEM) && !worker->root)
		return false;
	/* one at a time: what one switches off, another one does not */
	if (op->needs & NEEDS_SYSTEM &&
	    (!worker->options->system || worker->nr || worker->depth))
		return false;
	return !(op->needs & NEEDS_TOP && worker->depth);
}

long op_do(struct fuzzer *f, const struct step *step)
{
	struct op_stats *stats = &f->worker->shared->op[step->op];
	struct rnd rnd = { step->seed };
	int64_t begin = now_ns();
	long result;

	f->progress->since = begin;
	f->progress->op = step->op;
	stats->calls++;
	result = ops[step->op].run(f, &rnd);
	if (result >= 0)
		stats->done++;
	stats->ns += now_ns() - begin;
	f->progress->op = -1;

	if (f->nr_last == STEPS_MAX)
		memmove(f->last, f->last + 1, sizeof(f->last[0]) * --f->nr_last);
	f->last[f->nr_last++] = *step;
	return result;
}

long op_run(struct fuzzer *f, unsigned int op, uint64_t seed)
{
	const struct step step = { .op = op, .seed = seed };

	log_step(f, &step);
	return op_do(f, &step);
}

void op_goes_on(struct fuzzer *f)
{
	f->progress->since = now_ns();
}
