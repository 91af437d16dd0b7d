// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "place.h"

/* it may be in no mapping: what was compressed, or came through a pipe, was copied */
#define SEARCHES_MAX	64

bool place__of_line(struct place *place, const char *line, char *name, size_t size)
{
	int path = 0;

	if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &place->begin, &place->end,
		   &place->offset, &path) != 3 || !path || line[path] != '/')
		return false;
	return snprintf(name, size, "%.*s", (int)strcspn(line + path, "\n"), line + path) <
	       (int)size;
}

static bool line_read(const char *line, struct place *place)
{
	struct stat st;
	char name[4096];

	if (!place__of_line(place, line, name, sizeof(name)) || stat(name, &st) ||
	    !S_ISREG(st.st_mode))
		return false;
	place->size = st.st_size;
	return true;
}

static bool is_within(const struct place *place, uintptr_t at)
{
	return at >= place->begin && at < place->end;
}

static void search(struct place *place, uintptr_t at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct place found = {};
	char line[4352];

	place->searched++;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!line_read(line, &found) || !is_within(&found, at))
			continue;
		found.searched = place->searched;
		*place = found;
		break;
	}
	if (maps)
		fclose(maps);
}

int place__permille(struct place *place, const void *byte)
{
	uintptr_t at = (uintptr_t)byte;
	uint64_t in_file;

	if (!is_within(place, at) && place->searched < SEARCHES_MAX)
		search(place, at);
	if (!is_within(place, at) || !place->size)
		return -1;
	in_file = place->offset + (at - place->begin);
	return in_file >= place->size ? 1000 : in_file * 1000 / place->size;
}
