/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other processes, and their DRM files.
 */
#ifndef PERF_GPU_PROCESS_H
#define PERF_GPU_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* it is there, and has not ended; false also if that may not be seen */
bool process__lives(int pid);

/* 0 if the list of its files may be read, or a negative errno as below */
int process__check(int pid);

/**
 * process__each_drm() - copies of the DRM files that a process has open
 * @pid:	the process
 * @each:	called for each: @fd is ours, and is closed afterwards, unless it returns 1;
 *		@number is the process' own. A negative errno ends it.
 * @arg:	for @each
 *
 * Return: how many there were, or a negative errno: -ESRCH no such process, -EPERM it
 * may not be looked into, -EINVAL it is a thread, or what @each has returned.
 */
int process__each_drm(int pid, int (*each)(void *arg, int fd, int number), void *arg);

/**
 * process__take_drm() - have a DRM file of another process, too
 * @pid:	the process
 *
 * The first one that has a context, else the first one.
 *
 * Return: a fd of ours, open across exec, or a negative errno: as above, -ENOENT it has
 * no such file.
 */
int process__take_drm(int pid);
/* what to do about an error of these, in a sentence */
const char *process__strerror(int pid, int err, char *text, size_t size);

#endif /* PERF_GPU_PROCESS_H */
