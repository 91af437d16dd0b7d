/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /dev/gpu_pmu knows: devices, engines, events, contexts, and what they use.
 */
#ifndef PERF_GPU_QUERY_H
#define PERF_GPU_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/gpu_pmu.h>

/* all functions return 0 or a negative errno, unless they say otherwise */

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

/* of an open DRM file, or of all clients */
int contexts__get(struct contexts *contexts, int fd);
/* if there are no more than were expected, or few, the kernel has to be asked only once */
int contexts__get_about(struct contexts *contexts, int fd, unsigned int expected);
void contexts__put(struct contexts *contexts);

/**
 * struct fences - which contexts' jobs signal which fences
 * @nr:		how many
 * @info:	the fence context of a context on an engine
 */
struct fences {
	unsigned int nr;
	struct gpu_pmu_fence_info *info;
};

/* as contexts__get() */
int fences__get(struct fences *fences, int fd);
void fences__put(struct fences *fences);

struct devices {
	unsigned int nr;
	struct gpu_pmu_device_info *info;
};

int devices__get(struct devices *devices);
void devices__put(struct devices *devices);

struct engines {
	unsigned int nr;
	struct gpu_pmu_engine_info *info;
};

int engines__get(struct engines *engines, unsigned int dev);
void engines__put(struct engines *engines);

struct gpu_events {
	unsigned int nr;
	struct gpu_pmu_event_info *info;
};

/* those that every device has (dev is 0), or a device's own counters */
int gpu_events__get(struct gpu_events *events, unsigned int dev);
void gpu_events__put(struct gpu_events *events);

/**
 * struct usages - looks at what contexts and clients have used
 * @query:	/dev/gpu_pmu: it remembers what this reader has seen end
 * @events:	the events to be looked at
 * @nr_events:	how many
 * @engines:	tell engines apart, too
 * @buffer:	the entries; see usages__entry()
 * @room:	how many fit
 * @nr:		how many there are
 * @missed:	how many that have ended were missed, since usages__open()
 * @torn:	the entries are not all of the same time
 * @time:	of the last look, CLOCK_MONOTONIC in ns
 */
struct usages {
	int query;
	__u64 events[GPU_PMU_USAGES_EVENTS_MAX];
	unsigned int nr_events;
	bool engines;
	void *buffer;
	unsigned int room;
	unsigned int nr;
	unsigned long long missed;
	bool torn;
	unsigned long long time;
};

int usages__open(struct usages *usages, const __u64 *events, unsigned int nr_events,
		 bool engines);
void usages__close(struct usages *usages);
/* of a DRM file, or of all that the caller may see (-1); makes room as it must */
int usages__read(struct usages *usages, int fd);
const struct gpu_pmu_usage *usages__entry(const struct usages *usages, unsigned int i);

/* what to do about an error of any of these, in a sentence */
const char *query__strerror(int err, char *text, size_t size);

#endif /* PERF_GPU_QUERY_H */
