/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far perf is in the file that it reads. perf does not say so; but it maps the file
 * into memory, and a sample is where it is mapped.
 */
#ifndef PERF_GPU_PLACE_H
#define PERF_GPU_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* all 0 at first */
struct place {
	uintptr_t begin;	/* of the mapping */
	uintptr_t end;
	uint64_t offset;	/* of the mapping, in the file */
	uint64_t size;		/* of the file */
	unsigned int searched;	/* how often */
};

/* of a byte of the file; -1: it is not known */
int place__permille(struct place *place, const void *byte);

/* of a line of /proc/PID/maps, and the file's name; false: it is no file, or too long a name */
bool place__of_line(struct place *place, const char *line, char *name, size_t size);

#endif /* PERF_GPU_PLACE_H */
