// SPDX-License-Identifier: GPL-2.0
/*
 * A stack a line, from the outermost frame on, and what it is charged with: what flame
 * graph tools read.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/text.h"
#include "report.h"

/* a line is split at ';', and ends where it ends */
static void name_put(FILE *out, const char *name)
{
	while (*name) {
		if (*name != ';') {
			text__show_next(out, &name);
			continue;
		}
		fputc(':', out);
		name++;
	}
}

int report__folded(FILE *out, const struct report *report)
{
	const struct stacks *stacks = report->stacks;
	uint32_t nr, *frames = NULL, room = 0;
	const uint64_t *selves;
	int err = join__selves(report->join, report->weight, &selves);

	nr = stacks__nr(stacks);
	for (uint32_t stack = 1; !err && stack <= nr; stack++) {
		unsigned int depth = stacks__depth(stacks, stack), i = depth;

		if (!selves[stack])
			continue;
		if (depth > room) {
			uint32_t *more = reallocarray(frames, 2 * depth, sizeof(*frames));

			if (!more) {
				err = -ENOMEM;
				break;
			}
			frames = more;
			room = 2 * depth;
		}
		for (uint32_t at = stack; at; at = stacks__caller(stacks, at))
			frames[--i] = at;
		for (i = 0; i < depth; i++) {
			if (i)
				fputc(';', out);
			name_put(out, stacks__frame(stacks, frames[i]));
		}
		fprintf(out, " %lu\n", selves[stack]);
	}
	free(frames);
	return err;
}
