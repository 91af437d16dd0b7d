/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of a module that may come and go, found by name.
 */
#ifndef _GPU_PMU_OBSERVE_TRACEPOINT_H
#define _GPU_PMU_OBSERVE_TRACEPOINT_H

#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/types.h>

struct tracepoint;

/**
 * struct gpu_probe - a tracepoint and the function to be called by it
 * @name:	the tracepoint's name
 * @func:	the probe
 * @tp:		the tracepoint, while it exists
 */
struct gpu_probe {
	const char *name;
	void *func;
	struct tracepoint *tp;
};

/**
 * struct gpu_probes - some tracepoints of one module
 * @module:	the module's name; it may also be built in
 * @probe:	the tracepoints
 * @nr:		how many
 * @lock:	protects what follows, and each @tp
 * @attached:	the probes are wanted
 * @nb:		tells when the module comes and goes
 */
struct gpu_probes {
	const char *module;
	struct gpu_probe *probe;
	unsigned int nr;
	struct mutex lock; /* outside of the tracepoint core's own */
	bool attached;
	struct notifier_block nb;
};

int gpu_probes_init(struct gpu_probes *probes);
void gpu_probes_exit(struct gpu_probes *probes);
int gpu_probes_attach(struct gpu_probes *probes);
void gpu_probes_detach(struct gpu_probes *probes);

#endif /* _GPU_PMU_OBSERVE_TRACEPOINT_H */
