// SPDX-License-Identifier: GPL-2.0
/* See lines.h. */
#include <string.h>

#include "samples/lines.h"

char *lines__room(struct lines *lines, size_t *size)
{
	lines->end -= lines->begin;
	memmove(lines->buffer, lines->buffer + lines->begin, lines->end);
	lines->begin = 0;
	*size = lines->room - lines->end;
	return lines->buffer + lines->end;
}

void lines__put(struct lines *lines, size_t size)
{
	lines->end += size;
	lines->over = !size;
}

char *lines__next(struct lines *lines)
{
	for (;;) {
		char *at = lines->buffer + lines->begin;
		size_t size = lines->end - lines->begin;
		char *end = memchr(at, '\n', size);
		bool is_rest = lines->skip;

		lines->skip = !end && size == lines->room;
		if (end) {
			lines->begin = end + 1 - lines->buffer;
		} else if (lines->skip || (lines->over && size)) {
			end = at + size;
			lines->begin = lines->end;
		} else {
			lines->skip = is_rest;
			return NULL;
		}
		*end = '\0';
		if (!is_rest)
			return at;
	}
}
