/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a source of GPU activity tells the gpu PMU.
 *
 * A source is a GPU driver, or an observer of an unmodified one. It registers
 * its devices, and while an event is open it reports the work that is handed
 * to an engine and the work that an engine has completed. If the device has a
 * unit that writes reports of counters to memory, it says how to read it, and
 * the PMU reads it while an event wants to know. A source knows nothing of
 * perf; the PMU knows nothing of drivers.
 *
 * See Documentation/gpu-pmu.rst for the whole picture, and
 * Documentation/gpu-pmu-provider.rst for how a driver is plugged in.
 */
#ifndef _LINUX_GPU_PMU_H
#define _LINUX_GPU_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct gpu_account;
struct gpu_pmu_device;
struct module;

/* config's engine field is eight bits wide, and 0 means "all" */
#define GPU_PMU_MAX_ENGINES	64

/* counters of one device; and names of counters, of all devices together */
#define GPU_PMU_MAX_COUNTERS	32

/**
 * struct gpu_pmu_source_ops - what the PMU asks of a source
 */
struct gpu_pmu_source_ops {
	/**
	 * @owner: a module that must stay while an event is open, or NULL if
	 * it may go: gpu_pmu_device_unregister() waits for all that could call
	 * it
	 */
	struct module *owner;

	/**
	 * @attach: start to report: the first event is being opened. What is
	 * outstanding already may be told, with GPU_PMU_WORK_EARLIER. Process
	 * context, may sleep; called with the PMU's mutex held, so it must not
	 * (un)register devices. Returns 0 or a negative errno, which becomes
	 * perf_event_open()'s.
	 */
	int (*attach)(struct gpu_pmu_device *gdev);

	/**
	 * @detach: stop to report: the last event was closed, or the device is
	 * being unregistered. Same context as @attach. When it returns, nothing
	 * that reports for @gdev may be running.
	 */
	void (*detach)(struct gpu_pmu_device *gdev);

	/**
	 * @contexts: list the contexts of an open file: write the ids of at
	 * most @nr of them to @ids and return how many there are. Ids are not
	 * 0. @file cannot go away during the call. Called from process context,
	 * and from gpu_pmu_owner() with whatever locks its caller holds: must
	 * not sleep.
	 */
	unsigned int (*contexts)(struct drm_file *file, u64 *ids, unsigned int nr);

	/**
	 * @context: the number under which the device knows a context: 0 if
	 * @id is none of the file's contexts. No two contexts of the device have
	 * the same number at a time. What a client may count depends on the
	 * answer: so it must be 0 before gpu_pmu_context_end() is called. Same
	 * context as @contexts, and also under the PMU's raw lock.
	 */
	u64 (*context)(struct drm_file *file, u64 id);

	/**
	 * @fence_context: of the fences that a context's jobs on an engine signal;
	 * 0 if it is not known, or @id is none of the file's contexts. @file cannot
	 * go away during the call. Process context, with the PMU's mutex and the
	 * device's filelist_mutex held: must not sleep. NULL: if the device has one
	 * engine, it is what gpu_pmu_owner() was told of the context's latest job.
	 */
	u64 (*fence_context)(struct drm_file *file, u64 id, unsigned int engine);

	/**
	 * @sync: report all that has happened by now. For a source that tells
	 * what an engine runs, or that has a counter unit; else NULL, and what
	 * was not told has not happened. If the counter unit runs, a report of
	 * each engine should be written.
	 *
	 * Returns the time, CLOCK_MONOTONIC in ns and not later than now, up to
	 * which everything was told.
	 *
	 * Called in any context but NMI, with interrupts off, under the
	 * scheduler's locks: neither it, nor anyone who holds a lock that it
	 * takes, may wake up anything, or queue work; irq_work_queue() is how to
	 * have it done a little later. Must not sleep, nor take long.
	 */
	u64 (*sync)(struct gpu_pmu_device *gdev);
};

/**
 * struct gpu_pmu_counter - a counter of the device's own
 * @name:	the event's name: lower case letters, digits and dashes; the same
 *		name means the same thing in the same unit for all drivers
 * @unit:	what it counts, as perf prints it; or NULL for a plain number
 * @desc:	one line that says what it means
 * @width:	how many bits a report has of it, 1 to 64: it counts up, modulo
 *		two to that power, and less than that between two reports
 */
struct gpu_pmu_counter {
	const char *name;
	const char *unit;
	const char *desc;
	unsigned int width;
};

/**
 * struct gpu_pmu_report - what the counter unit has written, decoded
 * @engine:	index of the engine that it is about
 * @ctx:	the context that the engine runs from here on, as told by
 *		gpu_pmu_source_ops.context; 0: none
 * @time:	the unit's clock, ticks; only the clock's width counts
 * @sequence:	number of the report, over all engines; wraps from U32_MAX to 1
 * @value:	counters, as many as were registered and in that order
 *
 * What the counters advance from one report of an engine to its next one belongs
 * to the context that the first of the two names.
 */
struct gpu_pmu_report {
	unsigned int engine;
	u64 ctx;
	u64 time;
	u32 sequence;
	u64 value[GPU_PMU_MAX_COUNTERS];
};

/**
 * struct gpu_pmu_buffer - where the counter unit writes to
 * @base:	the first report; not NULL
 * @size:	bytes, a power of two, for at least two reports: there is none in the
 *		last one's place when it is full
 * @number:	the number before that of the first report: 0 if they start at 1
 */
struct gpu_pmu_buffer {
	const void *base;
	u32 size;
	u32 number;
};

/**
 * struct gpu_pmu_unit_ops - how to use the counter unit
 *
 * All but @start and @stop are called with interrupts off, as
 * gpu_pmu_source_ops.sync, and after it.
 */
struct gpu_pmu_unit_ops {
	/**
	 * @start: the first event that needs it is being opened: begin to write
	 * reports, the first of each engine at once; and say where. Process
	 * context, may sleep; the PMU's mutex is held. Returns 0 or a negative
	 * errno, which becomes perf_event_open()'s: -EBUSY if someone else uses the unit.
	 * A buffer that is not as gpu_pmu_buffer says is warned of, @stop is called, and
	 * perf_event_open() returns -EINVAL.
	 */
	int (*start)(struct gpu_pmu_device *gdev, struct gpu_pmu_buffer *buffer);

	/**
	 * @stop: the mirror of @start. Nothing looks at the buffer any more.
	 */
	void (*stop)(struct gpu_pmu_device *gdev);

	/**
	 * @number: of the newest report, also if it was not written, for want of
	 * room, or has not landed
	 */
	u32 (*number)(struct gpu_pmu_device *gdev);

	/** @clock: the clock of the reports' times, now */
	u64 (*clock)(struct gpu_pmu_device *gdev);

	/**
	 * @tail: offset behind the newest report. It may be ahead of the data:
	 * see @decode.
	 */
	u32 (*tail)(struct gpu_pmu_device *gdev);

	/**
	 * @free: the unit may write to what lies between these two offsets
	 * again. Reports land in order: what has not landed by then never will.
	 */
	void (*free)(struct gpu_pmu_device *gdev, u32 from, u32 to);

	/**
	 * @decode: read a report, at an address in the buffer. Returns whether
	 * it was there in whole.
	 */
	bool (*decode)(struct gpu_pmu_device *gdev, const void *raw,
		       struct gpu_pmu_report *report);
};

/**
 * struct gpu_pmu_unit - a unit that writes reports of counters to memory
 * @ops:	how to use it
 * @counters:	what it counts, for each engine
 * @nr_counters: 1 to GPU_PMU_MAX_COUNTERS
 * @report_size: bytes of a report, a power of two
 * @tick_ns:	ns of a tick of its clock
 * @clock_width: bits of a report's time, 32 to 64: it wraps, as counters do, and
 *		less often than once in a second
 */
struct gpu_pmu_unit {
	const struct gpu_pmu_unit_ops *ops;
	const struct gpu_pmu_counter *counters;
	unsigned int nr_counters;
	unsigned int report_size;
	unsigned int tick_ns;
	unsigned int clock_width;
};

/* info's flags */
#define GPU_PMU_TELLS_RUN	BIT(0)	/* gpu_pmu_run() is called, for all engines */
#define GPU_PMU_TELLS_END	BIT(1)	/* gpu_pmu_context_bind() and _end() are */

/**
 * struct gpu_pmu_source_info - what a source says of a device
 * @drm:	the DRM device; a reference is held until it is unregistered
 * @ops:	the source
 * @unit:	its counter unit, or NULL
 * @engines:	names of the engines; the index in this array is the engine's
 * @nr_engines:	1 to GPU_PMU_MAX_ENGINES
 * @flags:	GPU_PMU_TELLS_*
 * @priv:	the source's own, see gpu_pmu_device_priv()
 */
struct gpu_pmu_source_info {
	struct drm_device *drm;
	const struct gpu_pmu_source_ops *ops;
	const struct gpu_pmu_unit *unit;
	const char * const *engines;
	unsigned int nr_engines;
	unsigned int flags;
	void *priv;
};

/* work's flags */
#define GPU_PMU_WORK_JOB	BIT(0)	/* a client's submission: counts as a job */
#define GPU_PMU_WORK_EARLIER	BIT(1)	/* was submitted before anyone looked, */
#define GPU_PMU_WORK_STARTED	BIT(2)	/* and has run before, too */

/**
 * struct gpu_pmu_work - a piece of work
 * @engine:	index of the engine that it is handed over to
 * @flags:	GPU_PMU_WORK_*
 * @key:	tells the outstanding work of the engine apart
 * @time:	when that was, CLOCK_MONOTONIC in ns; 0: now
 * @fence_context: of the fence that it signals when it is complete, or 0
 * @fence_seqno: of the same
 */
struct gpu_pmu_work {
	unsigned int engine;
	unsigned int flags;
	u64 key;
	u64 time;
	u64 fence_context;
	u64 fence_seqno;
};

struct gpu_pmu_device *
gpu_pmu_device_register(const struct gpu_pmu_source_info *info);
void gpu_pmu_device_unregister(struct gpu_pmu_device *gdev);
void *gpu_pmu_device_priv(struct gpu_pmu_device *gdev);

int gpu_pmu_context_bind(struct gpu_pmu_device *gdev, struct drm_file *file, u64 id);
void gpu_pmu_context_end(struct gpu_pmu_device *gdev, u64 ctx);

struct gpu_account *gpu_pmu_owner(struct gpu_pmu_device *gdev,
				  const struct gpu_pmu_work *work, u64 ctx);
void gpu_pmu_queue(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work,
		   struct gpu_account *owner);
void gpu_pmu_queue_context(struct gpu_pmu_device *gdev,
			   const struct gpu_pmu_work *work, u64 ctx);
void gpu_pmu_run(struct gpu_pmu_device *gdev, unsigned int engine, u64 key, u64 time);
void gpu_pmu_complete(struct gpu_pmu_device *gdev, unsigned int engine, u64 key,
		      u64 time);

#endif /* _LINUX_GPU_PMU_H */
