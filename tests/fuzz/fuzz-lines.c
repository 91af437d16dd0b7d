// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes, in pieces of any size, into room of any size: the lines are those that the
 * bytes have, each cut to the room, with nothing read or written beyond it.
 */
#include <string.h>

#include "driver.h"
#include "samples/lines.h"

/* the next line of all that there is, whole; false: there is none */
static bool expected_next(const char **at, const char *end, const char **line, size_t *size)
{
	const char *stop;

	if (*at == end)
		return false;
	stop = memchr(*at, '\n', end - *at);
	*line = *at;
	*size = (stop ? stop : end) - *at;
	*at = stop ? stop + 1 : end;
	return true;
}

static void check_lines(struct lines *lines, const char **at, const char *end)
{
	const char *line, *want;
	size_t size;

	while ((line = lines__next(lines))) {
		HOLD(expected_next(at, end, &want, &size));
		if (size > lines->room)
			size = lines->room;
		HOLD(!memcmp(line, want, size) && !line[size]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taker taker = { data, size }, rest;
	struct lines lines = { .room = 1 + take(&taker, 1) % 64 };
	unsigned int step = 1 + take(&taker, 1) % 80;
	const char *at = (const char *)taker.at, *end = at + taker.left;
	size_t room, got;
	char *to;

	rest = taker;
	lines.buffer = malloc(lines.room + 1);
	HOLD(lines.buffer);
	while (!lines.over) {
		to = lines__room(&lines, &room);
		HOLD(room);
		got = room < step ? room : step;
		got = got < rest.left ? got : rest.left;
		memcpy(to, rest.at, got);
		rest.at += got;
		rest.left -= got;
		lines__put(&lines, got);
		check_lines(&lines, &at, end);
	}
	HOLD(at == end);
	free(lines.buffer);
	return 0;
}

size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
	static const char *const good[] = {
		"\x08\x05""one\ntwo\n\nthree and more\nfour", "\x01\x50""\n\n\nabc\nd\n",
		"\x3f\x4f""12345678\n123456789\n1234567\n", NULL,
	};

	return fuzz_good_text(good, nr, data);
}
