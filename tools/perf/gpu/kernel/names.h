/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of devices and engines, asked for once.
 */
#ifndef PERF_GPU_NAMES_H
#define PERF_GPU_NAMES_H

#include "kernel/query.h"

/**
 * struct names - of all devices
 * @devices:	the devices
 * @engines:	of each device, its engines
 */
struct names {
	struct devices devices;
	struct engines *engines;
};

/* 0 or a negative errno */
int names__get(struct names *names);
void names__put(struct names *names);
/* the name, or NULL if it is not known */
const char *names__engine(const struct names *names, unsigned int dev, unsigned int engine);
const struct gpu_pmu_device_info *names__device(const struct names *names, unsigned int dev);

#endif /* PERF_GPU_NAMES_H */
