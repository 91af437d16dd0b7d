/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the PMU says of itself.
 */
#ifndef PERF_GPU_SYSFS_H
#define PERF_GPU_SYSFS_H

#include <stddef.h>

/**
 * sysfs__line() - the first line of a file, without its end
 * @line:	where to
 * @size:	how long that is; what is longer is cut
 * @sysfs:	the PMU's folder
 * @folder:	a folder in it, with a slash behind it, or ""
 * @name:	the file; what is no name of one is not there
 * @suffix:	what is behind the name, or ""
 *
 * Return: 0 or a negative errno.
 */
int sysfs__line(char *line, size_t size, const char *sysfs, const char *folder,
		const char *name, const char *suffix);

#endif /* PERF_GPU_SYSFS_H */
