/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices and engines as the tests have them, in place of those of /dev/gpu_pmu.
 */
#ifndef TESTS_TOOLS_FAKE_QUERY_H
#define TESTS_TOOLS_FAKE_QUERY_H

#include "kernel/query.h"

/**
 * struct fake_device - a device
 * @info:	as it is told
 * @engine:	its engines, @info.nr_engines of them
 * @err:	what asking for its engines ends with
 */
struct fake_device {
	struct gpu_pmu_device_info info;
	const struct gpu_pmu_engine_info *engine;
	int err;
};

/* those that there are; err: what asking for them ends with */
void fake_devices(const struct fake_device *device, unsigned int nr, int err);

#endif /* TESTS_TOOLS_FAKE_QUERY_H */
