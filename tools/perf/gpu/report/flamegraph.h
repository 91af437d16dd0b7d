/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A flame graph: an SVG picture that a browser zooms and searches, by the script in it.
 */
#ifndef PERF_GPU_FLAMEGRAPH_H
#define PERF_GPU_FLAMEGRAPH_H

#include <stdint.h>
#include <stdio.h>

struct stacks;

/**
 * flamegraph__write() - write a flame graph
 * @out:	where to
 * @stacks:	the stacks
 * @self:	the value of each stack, by its number; self[STACK_NONE] is of what
 *		has no stack
 * @nr:		the highest number in @self: it has @nr + 1 entries
 * @title:	what the graph shows, as its headline
 * @unit:	of the values. "ns" is shown in units that people read
 *
 * Frames that are too narrow to be seen are left out; the picture says how many.
 *
 * Return: 0 or a negative errno.
 */
int flamegraph__write(FILE *out, const struct stacks *stacks, const uint64_t *self,
		      uint32_t nr, const char *title, const char *unit);

#endif /* PERF_GPU_FLAMEGRAPH_H */
