/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks, each kept once: a tree of frames. Pure.
 */
#ifndef PERF_GPU_STACKS_H
#define PERF_GPU_STACKS_H

#include <stdint.h>

struct stacks;

/* a stack is the number of its innermost frame's node; its outer ones are the parents */
#define STACK_NONE	0U

/* frames of one stack; what is further out is left out, and this is there instead */
#define STACK_DEPTH_MAX	1024
#define STACK_CUT	"(cut off)"

struct stacks *stacks__new(void);
void stacks__delete(struct stacks *stacks);

/* a name, kept once: its number; 0 if there is no memory */
uint32_t stacks__name(struct stacks *stacks, const char *name);
/* stays where it is as long as @stacks does */
const char *stacks__name_of(const struct stacks *stacks, uint32_t name);
/* how many names there are: numbers go from 1 to that */
uint32_t stacks__nr_names(const struct stacks *stacks);

/* the frame that is called from @caller (STACK_NONE: the outermost); 0: no memory */
uint32_t stacks__push(struct stacks *stacks, uint32_t caller, uint32_t name);
/* always a smaller number than @stack */
uint32_t stacks__caller(const struct stacks *stacks, uint32_t stack);
const char *stacks__frame(const struct stacks *stacks, uint32_t stack);
unsigned int stacks__depth(const struct stacks *stacks, uint32_t stack);
/* how many nodes there are: numbers go from 1 to that */
uint32_t stacks__nr(const struct stacks *stacks);

#endif /* PERF_GPU_STACKS_H */
