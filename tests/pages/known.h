/* SPDX-License-Identifier: GPL-2.0 */
/* Known data for the pages. */
#ifndef _TESTS_PAGES_KNOWN_H
#define _TESTS_PAGES_KNOWN_H

#include <stdint.h>

#include "samples/stacks.h"
#include "samples/stream.h"

#define KNOWN_NO_STACK	5000000
#define KNOWN_STACKS	8

/* one of the known stacks: the first of them submit, and the last has no frames */
uint32_t known__stack(struct stacks *stacks, unsigned int i);
/* the values of the known stacks, and of so @many narrow ones; free() it */
uint64_t *known__self(struct stacks *stacks, unsigned int many);

/*
 * Samples of @frames frames of two programs, a few ns of the kernel's, and of a program
 * with a bad name; in an order in which perf has them. See known-samples.c.
 */
void known__samples(struct stacks *stacks, unsigned int frames,
		    int (*fn)(void *arg, const struct stream_sample *sample), void *arg);

#endif /* _TESTS_PAGES_KNOWN_H */
