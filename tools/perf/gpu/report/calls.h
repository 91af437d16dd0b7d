/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks as a tree of calls, with what each function is charged with, and all that it
 * calls. Pure.
 */
#ifndef PERF_GPU_CALLS_H
#define PERF_GPU_CALLS_H

#include <stdint.h>

#include "samples/stacks.h"

/**
 * struct calls - the tree; all arrays by the number of a stack's node
 * @nr:		the highest number
 * @total:	its own value, and those of all that it calls
 * @first:	what it calls that has the most, or 0; of 0: the outermost functions
 * @next:	what its caller calls that has the next less, or 0
 */
struct calls {
	uint32_t nr;
	uint64_t *total;
	uint32_t *first;
	uint32_t *next;
};

/* 0 or -ENOMEM; @selves has stacks__nr() + 1 entries */
int calls__init(struct calls *calls, const struct stacks *stacks, const uint64_t *selves);
void calls__free(struct calls *calls);

#endif /* PERF_GPU_CALLS_H */
