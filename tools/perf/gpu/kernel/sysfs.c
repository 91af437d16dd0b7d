// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel/sysfs.h"

int sysfs__line(char *line, size_t size, const char *sysfs, const char *folder,
		const char *name, const char *suffix)
{
	char path[256];
	FILE *file;

	/* a name with a slash would lead elsewhere */
	if (strchr(name, '/') || name[0] == '.')
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s%s%s", sysfs, folder, name, suffix);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (!fgets(line, size, file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return 0;
}
