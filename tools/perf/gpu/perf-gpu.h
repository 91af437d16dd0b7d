/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPU_H
#define PERF_GPU_H

#include <linux/gpu_pmu.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* subcommands: exit status */
int cmd_list(int argc, char **argv);
int cmd_attach(int argc, char **argv);

/* contexts.c: what /dev/gpu_pmu knows */

/**
 * struct contexts - a list of contexts
 * @nr:		how many
 * @info:	the contexts
 */
struct contexts {
	unsigned int nr;
	struct gpu_pmu_context_info *info;
};

#define CONTEXTS_OF_ALL	(-1)

/* of an open DRM file, or of all clients; 0 or a negative errno */
int contexts__get(struct contexts *contexts, int fd);
void contexts__put(struct contexts *contexts);
/* what to do about an error of contexts__get(), in a sentence */
const char *contexts__strerror(int err, char *text, size_t size);

/* process.c: the DRM files of another process */

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

#endif /* PERF_GPU_H */
