// SPDX-License-Identifier: GPL-2.0
/* See calls.h. */
#include <errno.h>
#include <stdlib.h>

#include "calls.h"

/* a node and what it is sorted by; of equal ones the first that came is first */
struct rank {
	uint64_t total;
	uint32_t node;
};

static int compare(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? -1 : 1;
	return x->node > y->node ? -1 : x->node < y->node;
}

/* from the least one on, each becomes the first of its caller's */
static int link_sorted(struct calls *calls, const struct stacks *stacks)
{
	struct rank *ranks = calloc(calls->nr + 1, sizeof(*ranks));
	uint32_t nr = 0;

	if (!ranks)
		return -ENOMEM;
	for (uint32_t i = 1; i <= calls->nr; i++)
		if (calls->total[i])
			ranks[nr++] = (struct rank){ calls->total[i], i };
	qsort(ranks, nr, sizeof(*ranks), compare);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t node = ranks[i].node, caller = stacks__caller(stacks, node);

		calls->next[node] = calls->first[caller];
		calls->first[caller] = node;
	}
	free(ranks);
	return 0;
}

int calls__init(struct calls *calls, const struct stacks *stacks, const uint64_t *selves)
{
	uint32_t nr = stacks__nr(stacks);
	int err = -ENOMEM;

	calls->nr = nr;
	calls->total = calloc(nr + 1, sizeof(*calls->total));
	calls->first = calloc(nr + 1, sizeof(*calls->first));
	calls->next = calloc(nr + 1, sizeof(*calls->next));
	if (!calls->total || !calls->first || !calls->next)
		goto fail;
	/* a caller's number is smaller than those of what it calls */
	for (uint32_t i = nr; i; i--) {
		calls->total[i] += selves[i];
		calls->total[stacks__caller(stacks, i)] += calls->total[i];
	}
	err = link_sorted(calls, stacks);
	if (err)
		goto fail;
	return 0;

fail:
	calls__free(calls);
	return err;
}

void calls__free(struct calls *calls)
{
	free(calls->total);
	free(calls->first);
	free(calls->next);
}
