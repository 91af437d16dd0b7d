// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/cpus.h"

/* no kernel has more */
#define CPU_MAX		65535

static int range_add(int **cpus, unsigned int *nr, unsigned int from, unsigned int to)
{
	int *more = reallocarray(*cpus, *nr + to - from + 1, sizeof(**cpus));

	if (!more)
		return -ENOMEM;
	*cpus = more;
	for (; from <= to; from++)
		more[(*nr)++] = from;
	return 0;
}

int cpus__parse(char *text, int **cpus, unsigned int *nr)
{
	unsigned int from, to;
	char *range;
	int err = 0;

	*cpus = NULL;
	*nr = 0;
	while (!err && (range = strsep(&text, ","))) {
		int fields = sscanf(range, "%u-%u", &from, &to);

		if (fields == 1)
			to = from;
		if (fields < 1 || to < from || to > CPU_MAX)
			err = -EINVAL;
		else
			err = range_add(cpus, nr, from, to);
	}
	if (err) {
		free(*cpus);
		*cpus = NULL;
		*nr = 0;
	}
	return err;
}

int cpus__online(int **cpus, unsigned int *nr)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	char line[1024];

	*cpus = NULL;
	*nr = 0;
	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	return cpus__parse(line, cpus, nr);
}
