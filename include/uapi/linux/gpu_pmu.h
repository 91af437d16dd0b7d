/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The contract between the gpu PMU and user space: the layout of
 * perf_event_attr's config words, the event ids, what a sample carries, and
 * /dev/gpu_pmu.
 *
 * perf reads the same layout from /sys/bus/event_source/devices/gpu/format
 * and events; a program that opens its events itself needs this header.
 */
#ifndef _UAPI_LINUX_GPU_PMU_H
#define _UAPI_LINUX_GPU_PMU_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * perf_event_attr.config
 *
 * EVENT	one of enum gpu_pmu_event
 * ENGINE	0: all engines; else the engine's index + 1
 * DEV		0: the fd's device, or all of them; else the device's render
 *		minor (128...)
 *
 * All other bits are reserved and must be 0.
 */
#define GPU_PMU_CONFIG_EVENT_SHIFT	0
#define GPU_PMU_CONFIG_EVENT_MASK	0x000000000000ffffULL
#define GPU_PMU_CONFIG_ENGINE_SHIFT	16
#define GPU_PMU_CONFIG_ENGINE_MASK	0x0000000000ff0000ULL
#define GPU_PMU_CONFIG_DEV_SHIFT	32
#define GPU_PMU_CONFIG_DEV_MASK		0x0000ffff00000000ULL

/*
 * perf_event_attr.config1
 *
 * FD		0: none; GPU_PMU_FD_KERNEL: the kernel's own work on the
 *		device; else an open DRM file of the caller. File descriptor 0
 *		itself cannot be named: dup() it.
 *
 * perf_event_attr.config2
 *
 * CTX		0: all contexts of FD; else the driver's id of one of them
 */
#define GPU_PMU_CONFIG1_FD_SHIFT	0
#define GPU_PMU_CONFIG1_FD_MASK		0x00000000ffffffffULL

#define GPU_PMU_FD_KERNEL		0xffffffffU

enum gpu_pmu_event {
	GPU_PMU_EVENT_GPU_BUSY	 = 1,	/* ns that an engine ran the scope's work */
	GPU_PMU_EVENT_QUEUE_WAIT = 2,	/* ns from submission to start, over jobs */
	GPU_PMU_EVENT_JOBS	 = 3,	/* jobs submitted */
	GPU_PMU_EVENT_JOBS_DONE	 = 4,	/* jobs completed */
	GPU_PMU_EVENT_LOST	 = 5,	/* records that could not be counted */
	GPU_PMU_EVENT_WAITS	 = 6,	/* times that a task was blocked on a fence */
	GPU_PMU_EVENT_WAIT_TIME	 = 7,	/* ns of that */
	GPU_PMU_EVENT_REPORTS	 = 8,	/* reports of the hardware's counter unit */

	/*
	 * From here on: counters of devices' own, in no particular order. The
	 * file in events/ that has such a counter's name says which it is.
	 */
	GPU_PMU_EVENT_NATIVE	 = 0x100,
};

enum gpu_pmu_sample_kind {
	GPU_PMU_SAMPLE_JOB	= 1,	/* of jobs: at the submission */
	GPU_PMU_SAMPLE_WAIT	= 2,	/* of waits and wait-time: at the wait's end */
	GPU_PMU_SAMPLE_DONE	= 3,	/* of jobs-done: some time after the completion */
	GPU_PMU_SAMPLE_REPORT	= 4,	/* of reports: some time after the report */
};

#define GPU_PMU_SAMPLE_VERSION	1

#define GPU_PMU_SAMPLE_NO_ENGINE 0xffff

/* flags of a sample */
#define GPU_PMU_SAMPLE_EARLIER	(1ULL << 0)	/* DONE: the job was submitted before
						 * anyone looked; it has no JOB sample
						 */

/**
 * struct gpu_pmu_sample - PERF_SAMPLE_RAW of a sample
 * @perf:	perf's own, as in the records of tracepoints; it has the current
 *		thread's id in the initial pid namespace
 * @version:	GPU_PMU_SAMPLE_VERSION; what is added later comes behind the rest,
 *		and leaves this as it is
 * @kind:	enum gpu_pmu_sample_kind
 * @engine:	index of the engine, or GPU_PMU_SAMPLE_NO_ENGINE
 * @nr_values:	REPORT: how many of @values there are
 * @dev:	render minor of the device; 0 if it is not known
 * @pid:	process that submitted, or waited, in the pid namespace of the event's
 *		opener; 0 if it is not visible there, or not known. PERF_SAMPLE_TID of
 *		DONE and REPORT is whoever ran when the sample was written
 * @client:	as in struct gpu_pmu_context_info; 0 if it is not known
 * @ctx:	the driver's id of the context; 0 if there is none, or it is not known
 * @fence_context: of the fence that the job signals, or that was waited for; 0 if
 *		it is not known
 * @fence_seqno: of the same
 * @submit:	JOB, DONE: when the job was submitted
 * @begin:	DONE: when it began to run, 0: it did not, or before anyone looked;
 *		WAIT: when the wait began; REPORT: when the interval began that the
 *		report ends
 * @end:	DONE: when it was complete; WAIT: when the wait ended; REPORT: the
 *		report's own time
 * @busy:	DONE: for how long an engine ran it, ns; it may have been preempted
 * @flags:	GPU_PMU_SAMPLE_*
 *
 * All times are ns of the clock that the event's samples have their times from.
 */
struct gpu_pmu_sample {
	__u64 perf;
	__u16 version;
	__u16 kind;
	__u16 engine;
	__u16 nr_values;
	__u32 dev;
	__u32 pid;
	__u64 client;
	__u64 ctx;
	__u64 fence_context;
	__u64 fence_seqno;
	__u64 submit;
	__u64 begin;
	__u64 end;
	__u64 busy;
	__u64 flags;
};

/**
 * struct gpu_pmu_sample_value - by how much a counter has advanced
 * @event:	its event id
 * @delta:	by how much, in the interval
 */
struct gpu_pmu_sample_value {
	__u64 event;
	__u64 delta;
};

/**
 * struct gpu_pmu_sample_report - PERF_SAMPLE_RAW of a report
 * @sample:	what it has in common with others
 * @values:	@sample.nr_values of them
 */
struct gpu_pmu_sample_report {
	struct gpu_pmu_sample sample;
	struct gpu_pmu_sample_value values[];
};

/**
 * struct gpu_pmu_context_info - one context of one client
 * @ctx:	the driver's id of the context: what config2 takes. 0: the
 *		client has none (yet), and is named by its fd alone
 * @client:	tells clients apart; equal for the contexts of one open file
 * @dev:	render minor of the device
 * @pid:	process that opened the file, in the caller's pid namespace;
 *		0 if it is not visible there
 * @comm:	name of that process, NUL-terminated; empty once it is gone
 * @driver:	name of the device's DRM driver, NUL-terminated
 */
struct gpu_pmu_context_info {
	__u64 ctx;
	__u64 client;
	__u32 dev;
	__u32 pid;
	char comm[16];
	char driver[24];
};

/**
 * struct gpu_pmu_fence_info - what tells that a fence is one of a context's jobs
 * @ctx:	the driver's id of the context, and
 * @client:	whose it is, as in struct gpu_pmu_context_info
 * @fence_context: of the fences that its jobs on the engine signal, as in struct
 *		gpu_pmu_sample. Several contexts may share one. If those of its jobs
 *		differ, it is the latest one's
 * @dev:	render minor of the device
 * @engine:	index of the engine
 *
 * An engine of a context that is not in the list: not known. Where the driver itself
 * tells nothing, that is so until the context submits a job while an event of the device
 * is open, and again when the last event is closed.
 */
struct gpu_pmu_fence_info {
	__u64 ctx;
	__u64 client;
	__u64 fence_context;
	__u32 dev;
	__u32 engine;
};

/**
 * struct gpu_pmu_contexts - argument of GPU_PMU_IOCTL_CONTEXTS and _FENCES
 * @fd:		in: an open DRM file, or -1 for all clients of all devices
 *		(needs CAP_PERFMON)
 * @nr:		in: room at @infos, in entries; out: how many entries there
 *		are. If that is more than the room, @infos holds the first ones
 * @infos:	in: address of an array of struct gpu_pmu_context_info, or of struct
 *		gpu_pmu_fence_info
 */
struct gpu_pmu_contexts {
	__s32 fd;
	__u32 nr;
	__u64 infos;
};

/**
 * struct gpu_pmu_device_info - a device that has a source of GPU events
 * @dev:	render minor: what config's DEV takes
 * @nr_engines:	how many engines it has
 * @nr_counters: how many counters of its own
 * @reserved:	0
 * @driver:	name of its DRM driver, NUL-terminated
 * @bus:	its name on its bus ("0000:01:00.0"), NUL-terminated
 */
struct gpu_pmu_device_info {
	__u32 dev;
	__u32 nr_engines;
	__u32 nr_counters;
	__u32 reserved;
	char driver[24];
	char bus[40];
};

/**
 * struct gpu_pmu_engine_info - an engine of a device
 * @name:	its name, NUL-terminated; config's ENGINE is the place in the list + 1
 */
struct gpu_pmu_engine_info {
	char name[32];
};

/**
 * struct gpu_pmu_event_info - an event that can be opened
 * @event:	config's EVENT
 * @name:	its name in events/, NUL-terminated
 * @unit:	the unit of its counts, NUL-terminated; empty for a plain number
 * @desc:	what it means, in one line, NUL-terminated
 */
struct gpu_pmu_event_info {
	__u64 event;
	char name[32];
	char unit[16];
	char desc[104];
};

/**
 * struct gpu_pmu_infos - argument of GPU_PMU_IOCTL_DEVICES, _ENGINES and _EVENTS
 * @dev:	in: ENGINES: of this device. EVENTS: the counters of this device's
 *		own; 0: the events that every device has. DEVICES: 0
 * @nr:		in: room at @infos, in entries; out: how many entries there
 *		are. If that is more than the room, @infos holds the first ones
 * @infos:	in: address of an array of what the ioctl lists
 */
struct gpu_pmu_infos {
	__u32 dev;
	__u32 nr;
	__u64 infos;
};

/* flags of struct gpu_pmu_usage */
#define GPU_PMU_USAGE_ENDED	(1U << 0)	/* it is gone, or its file is closed */
#define GPU_PMU_USAGE_KERNEL	(1U << 1)	/* the kernel's own work on the device */

/**
 * struct gpu_pmu_usage - what a context, or a client, has used
 * @id:		tells apart all that is told, those that ended included: a driver gives
 *		a @ctx to another context again
 * @client:	as in struct gpu_pmu_context_info; 0: the kernel, once for each device
 * @ctx:	the driver's id of the context; 0: the client as a whole, with what it
 *		did without a context, and all contexts that it has had
 * @dev:	render minor of the device
 * @pid:	process that opened the file, in the caller's pid namespace;
 *		0 if it is not visible there
 * @flags:	GPU_PMU_USAGE_*
 * @engine:	index of the engine, or GPU_PMU_SAMPLE_NO_ENGINE: over all of them
 * @nr_values:	how many of @values there are
 * @comm:	name of the process, NUL-terminated; its last one, when it is gone
 * @values:	what has been counted, of each event that was asked for, in that order
 */
struct gpu_pmu_usage {
	__u64 id;
	__u64 client;
	__u64 ctx;
	__u32 dev;
	__u32 pid;
	__u32 flags;
	__u16 engine;
	__u16 nr_values;
	char comm[16];
	__u64 values[];
};

/* flags of struct gpu_pmu_usages */
#define GPU_PMU_USAGES_ENGINES	(1U << 0)	/* in: also tell the engines apart */
#define GPU_PMU_USAGES_TORN	(1U << 1)	/* out: counted on while it was read: the
						 * entries are not all of the same time
						 */

#define GPU_PMU_USAGES_EVENTS_MAX	32

/**
 * struct gpu_pmu_usages - argument of GPU_PMU_IOCTL_USAGES
 * @fd:		in: an open DRM file; or -1 for all clients that the caller may see:
 *		with CAP_PERFMON all, else those whose files the caller's user opened
 * @flags:	GPU_PMU_USAGES_*
 * @nr_events:	in: how many @events there are, 1 to GPU_PMU_USAGES_EVENTS_MAX
 * @nr:		in: room at @usages, in entries; out: how many entries there are. If
 *		that is more than the room, @usages holds the first ones
 * @events:	in: address of an array of __u64, event ids
 * @usages:	in: address of the entries, of sizeof(struct gpu_pmu_usage) +
 *		8 * @nr_events bytes each
 * @missed:	out: how many that have ended, and would have been here, are not: too
 *		many ended since the last time
 * @time:	out: up to when it has been counted, CLOCK_MONOTONIC in ns
 *
 * Counts begin when a client or context is first seen to work, and go on while an
 * event of the device is open; those of native counters while one of these is. So:
 * open an event, take a first look, and whoever comes later begins at 0. waits and
 * wait-time are a client's: 0 in its contexts and engines. So are counters that the
 * device has not.
 *
 * An open /dev/gpu_pmu that has asked for all (fd is -1) is told about each client and
 * context that ended since the last time that there was room for all entries.
 */
struct gpu_pmu_usages {
	__s32 fd;
	__u32 flags;
	__u32 nr_events;
	__u32 nr;
	__u64 events;
	__u64 usages;
	__u64 missed;
	__u64 time;
};

/*
 * On /dev/gpu_pmu. Errors: EBADF not a file descriptor, ENOTTY not a DRM file,
 * ENODEV the device has no source of GPU events or is gone, EACCES fd is -1
 * and the caller may not see all clients (CONTEXTS, FENCES), EINVAL no such event or flag,
 * ENOENT an event is not kept by context (USAGES), EMFILE the user has too many files
 * open that have asked for all (USAGES), EINTR, EFAULT, ENOMEM.
 */
#define GPU_PMU_IOCTL_CONTEXTS	_IOWR('G', 0xe0, struct gpu_pmu_contexts)
#define GPU_PMU_IOCTL_DEVICES	_IOWR('G', 0xe1, struct gpu_pmu_infos)
#define GPU_PMU_IOCTL_ENGINES	_IOWR('G', 0xe2, struct gpu_pmu_infos)
#define GPU_PMU_IOCTL_EVENTS	_IOWR('G', 0xe3, struct gpu_pmu_infos)
#define GPU_PMU_IOCTL_USAGES	_IOWR('G', 0xe4, struct gpu_pmu_usages)
#define GPU_PMU_IOCTL_FENCES	_IOWR('G', 0xe5, struct gpu_pmu_contexts)

#endif /* _UAPI_LINUX_GPU_PMU_H */
