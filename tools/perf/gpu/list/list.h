/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf gpu list lists, apart from how it is printed.
 */
#ifndef PERF_GPU_LIST_H
#define PERF_GPU_LIST_H

#include <stdbool.h>

#include "kernel/names.h"
#include "kernel/query.h"

/**
 * struct list_device - a device that is covered
 * @info:	the device
 * @engines:	its engines
 * @events:	counters of its own
 */
struct list_device {
	struct gpu_pmu_device_info info;
	struct engines engines;
	struct gpu_events events;
};

/**
 * struct list_client - a context, or a client that has none
 * @info:	what it is
 * @fd:		the descriptors that its process has it by
 * @nr_fds:	how many
 * @counted:	somebody counts; then
 * @jobs:	how many it has submitted since
 */
struct list_client {
	struct gpu_pmu_context_info info;
	int *fd;
	unsigned int nr_fds;
	bool counted;
	unsigned long long jobs;
};

/**
 * struct listing - what was found
 * @device:	the devices
 * @nr_devices:	how many
 * @events:	the events that every device has
 * @client:	the contexts
 * @nr_clients:	how many
 * @fences:	the fence contexts of the contexts
 * @names:	of engines, where there are clients
 * @denied:	processes of the user's that could not be looked into
 */
struct listing {
	struct list_device *device;
	unsigned int nr_devices;
	struct gpu_events events;
	struct list_client *client;
	unsigned int nr_clients;
	struct fences fences;
	struct names names;
	unsigned int denied;
};

/* 0 or a negative errno; to be freed in either case */
int listing__things(struct listing *listing);
int listing__process(struct listing *listing, int pid);
int listing__own(struct listing *listing);
int listing__all(struct listing *listing);
void listing__free(struct listing *listing);

/**
 * struct list_output - a way to print it
 * @things:	devices, engines and events
 * @clients:	clients and contexts
 */
struct list_output {
	void (*things)(const struct listing *listing, const char *separator);
	void (*clients)(const struct listing *listing, const char *separator);
};

extern const struct list_output list_text, list_fields, list_json;

#endif /* PERF_GPU_LIST_H */
