// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks whose shares are known: see the table. Names are such as documents have to
 * be careful with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"

static const struct known {
	const char *frames;	/* from the outermost, separated by ';' */
	uint64_t value;		/* ns */
} known[] = {
	{ "_start;main;draw;submit_batch;ioctl", 40000000 },
	{ "_start;main;draw;upload_texture;ioctl", 20000000 },
	{ "_start;main;std::vector<std::pair<int, char>>::emplace_back<int&&, char>", 10000000 },
	{ "_start;main;operator<<(std::ostream&, \"</script>]]>\" const&)", 8000000 },
	{ "_start;main;bytes \xff\xfe\xc3( \xed\xa0\x80 \x01\x1b[0m \xe2\x82\xac", 2000000 },
	{ "clone3;start_thread;worker;compute_particles;submit_batch;ioctl", 15000000 },
	/* too narrow to be seen */
	{ "clone3;start_thread;worker;never_seen", 300 },
	{ NULL, KNOWN_NO_STACK },
};

static uint32_t push(struct stacks *stacks, const char *frames)
{
	char *copy = strdup(frames), *frame, *rest = copy;
	uint32_t stack = STACK_NONE;

	while ((frame = strsep(&rest, ";")))
		stack = stacks__push(stacks, stack, stacks__name(stacks, frame));
	free(copy);
	return stack;
}

uint32_t known__stack(struct stacks *stacks, unsigned int i)
{
	return known[i].frames ? push(stacks, known[i].frames) : STACK_NONE;
}

/* below one frame, many that are wide enough to be drawn, but just */
static void push_many(struct stacks *stacks, unsigned int many, uint32_t *stack)
{
	for (unsigned int i = 0; i < many; i++) {
		char frames[64];

		snprintf(frames, sizeof(frames), "_start;main;many;%u;leaf_%u", i % 97, i);
		stack[i] = push(stacks, frames);
	}
}

uint64_t *known__self(struct stacks *stacks, unsigned int many)
{
	uint32_t *stack = calloc(many + 1, sizeof(*stack));
	uint64_t *self;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		known__stack(stacks, i);
	push_many(stacks, many, stack);
	self = calloc(stacks__nr(stacks) + 1, sizeof(*self));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		self[known__stack(stacks, i)] += known[i].value;
	for (unsigned int i = 0; i < many; i++)
		self[stack[i]] += 100000;
	free(stack);
	return self;
}
