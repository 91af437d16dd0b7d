/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs that were submitted, until they are complete: found by their fence, and bounded:
 * if there are too many, the oldest one goes. Pure.
 */
#ifndef PERF_GPU_OUTSTANDING_H
#define PERF_GPU_OUTSTANDING_H

#include <stdbool.h>
#include <stdint.h>

struct fence {
	uint32_t dev;
	uint64_t context;
	uint64_t seqno;
};

struct outstanding;

/* NULL: no memory */
struct outstanding *outstanding__new(uint32_t max);
void outstanding__delete(struct outstanding *outstanding);

/**
 * outstanding__put() - a job was submitted
 * @outstanding: where to
 * @fence:	the job's
 * @stack:	what submitted it
 * @evicted:	out: whether another one had to go
 *
 * Return: 1: it is known already, 0, or -ENOMEM.
 */
int outstanding__put(struct outstanding *outstanding, const struct fence *fence,
		     uint32_t stack, bool *evicted);
/* it is complete; false: it is not known */
bool outstanding__take(struct outstanding *outstanding, const struct fence *fence,
		       uint32_t *stack);
uint32_t outstanding__nr(const struct outstanding *outstanding);

#endif /* PERF_GPU_OUTSTANDING_H */
