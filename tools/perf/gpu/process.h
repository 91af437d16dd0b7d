/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The DRM files of other processes.
 */
#ifndef PERF_GPU_PROCESS_H
#define PERF_GPU_PROCESS_H

#include <stddef.h>

/**
 * process__take_drm() - have a DRM file of another process, too
 * @pid:	the process
 *
 * The first one that has a context, else the first one.
 *
 * Return: a fd of ours, open across exec, or a negative errno: -ESRCH no such
 * process, -EPERM it may not be looked into, -ENOENT it has no such file.
 */
int process__take_drm(int pid);
/* what to do about an error of process__take_drm(), in a sentence */
const char *process__strerror(int pid, int err, char *text, size_t size);

#endif /* PERF_GPU_PROCESS_H */
