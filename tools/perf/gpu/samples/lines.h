/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes that come in pieces of any size, as lines. Pure.
 */
#ifndef PERF_GPU_LINES_H
#define PERF_GPU_LINES_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct lines - what has come, and was not taken yet
 * @buffer:	where it is: @room bytes, and one
 * @room:	the longest line; of a longer one the rest is left out
 * @begin:	of what there is
 * @end:	of it
 * @skip:	what comes is the rest of a line that was too long
 * @over:	no more will come
 */
struct lines {
	char *buffer;
	size_t room;
	size_t begin;
	size_t end;
	bool skip;
	bool over;
};

/* where the next bytes are to be put, and how many there is room for; not 0 if no line is whole */
char *lines__room(struct lines *lines, size_t *size);
/* so many were put there; 0: no more will come */
void lines__put(struct lines *lines, size_t size);
/* a line, with a NUL for its end; NULL: none is whole. It is valid until lines__room() */
char *lines__next(struct lines *lines);

#endif /* PERF_GPU_LINES_H */
