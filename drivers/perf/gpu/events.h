/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events: one table, from which sysfs, parsing and crediting are made.
 */
#ifndef _GPU_PMU_EVENTS_H
#define _GPU_PMU_EVENTS_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/gpu_pmu.h>
#include <uapi/linux/gpu_pmu.h>

#include "account.h"
#include "credit.h"

struct gpu_client;
struct gpu_context;
struct gpu_fifo;
struct gpu_pmu_device;

/* when something happens that an event counts, or samples */
enum gpu_trigger {
	GPU_AT_FLUSH,	/* it is found out later, by the flush */
	GPU_AT_SUBMIT,	/* in the task that submits */
	GPU_AT_WAIT,	/* in the task that has waited */
};

/**
 * struct gpu_event_desc - an event, without a scope
 * @name:	its name in events/, which must open without further terms
 * @unit:	its unit, or NULL for a plain number
 * @desc:	what it means, in one line; NULL if nobody said so
 * @ctx_alias:	the name in events/ that asks for fd and ctx, or NULL
 * @period:	it can be sampled, and is at this period if none is given; or 0
 * @counter:	what of an account it reads
 * @at:		if that is not at the flush: without a fd it is counted by the task
 *		that does it, on its CPU, as a software event is
 * @of_device:	only a whole device can tell: scopes below are widened to it
 * @of_context:	a device's own counter: contexts can be told apart, tasks cannot
 */
struct gpu_event_desc {
	const char *name;
	const char *unit;
	const char *desc;
	const char *ctx_alias;
	unsigned int period;
	unsigned int counter;
	enum gpu_trigger at;
	bool of_device;
	bool of_context;
};

#define GPU_NR_EVENTS	(GPU_PMU_EVENT_REPORTS + 1)

enum gpu_event_how {
	GPU_EVENT_HERE,
	GPU_EVENT_SCOPE,
	GPU_EVENT_VIEW,
};

/**
 * struct gpu_scope - the account of one SCOPE event
 * @rcu:	for freeing
 * @users:	how many events have it: those of perf record, which are one for each CPU,
 *		share it; under gpu_mutex
 * @sampled:	their set, if they are sampled; under gpu_lock
 * @account:	what it has counted; last
 *
 * Outlives its events while jobs name it.
 */
struct gpu_scope {
	struct rcu_head rcu;
	unsigned int users;
	struct gpu_set *sampled;
	struct gpu_account account;
};

/**
 * struct gpu_event - what a perf_event is to us
 * @active:	in one of this CPU's lists while added, HERE and SCOPE only
 * @key:	of the work that it is restricted to: see work_key()
 * @event:	the perf_event
 * @root:	the event that it was cloned from at a fork, or itself
 * @solo:	the perf_event alone, as a list: what perf_tp_event() samples
 * @how:	see above
 * @ahead:	ns that its clock was ahead of CLOCK_MONOTONIC, when that was measured
 * @seen:	it was added before; then
 * @seen_enabled: perf's total_time_enabled at that time, and
 * @seen_time:	perf's clock
 * @link:	root: in gpu_roots; clone: in its root's @clones
 * @sampling:	in this CPU's list of events with a @fifo, while added
 * @clones:	root only, like all that follows
 * @counter:	what it counts, see struct gpu_event_desc
 * @at:		when, likewise
 * @payer:	whose limits it is counted against, see gpu_payer()
 * @settled:	when its enabled and running time were brought up to date last, ns
 * @gdev:	the device that it is restricted to, or NULL
 * @slot:	of all engines (0) or of one, see struct gpu_account
 * @client:	what it is restricted to, or NULL
 * @context:	what it is restricted to, or NULL
 * @wants_unit:	it wants the counter unit of @gdev, or of all devices
 * @scope:	SCOPE only
 * @fifo:	samples on their way, or NULL: shared by the events of its set that are on
 *		the same task
 * @set:	SCOPE, VIEW: with whom it shares a number
 * @member:	its place there
 */
struct gpu_event {
	/* a submission looks at these of each event of its task, and its CPU */
	struct list_head active;
	u64 key;

	struct perf_event *event;
	struct gpu_event *root;
	struct hlist_head solo;
	enum gpu_event_how how;
	u64 ahead;
	bool seen;
	u64 seen_enabled;
	u64 seen_time;
	struct list_head link;
	struct list_head sampling;
	struct list_head clones;
	unsigned int counter;
	enum gpu_trigger at;
	kuid_t payer;
	u64 settled;
	struct gpu_pmu_device *gdev;
	unsigned int slot;
	struct gpu_client *client;
	struct gpu_context *context;
	bool wants_unit;
	struct gpu_scope *scope;
	struct gpu_fifo *fifo;
	struct gpu_set *set;
	struct gpu_member member;
};

/* keys are few: so most of them have a list for themselves */
#define GPU_WORK_HASH_BITS	6

/**
 * struct gpu_work_events - events that a submission is looked up in
 * @nr:		how many there are
 * @nr_bound:	and how many of them are restricted to a device, or an engine
 * @of:		all of them, by the hash of their key: those of other devices' and
 *		engines' work are not come across
 */
struct gpu_work_events {
	unsigned int nr;
	unsigned int nr_bound;
	struct list_head of[1 << GPU_WORK_HASH_BITS];
};

/**
 * struct gpu_cpu_events - the events that are added on a CPU
 * @jobs:	HERE, of submissions
 * @scopes:	SCOPE
 * @waits:	HERE, of waits
 * @sampled:	those that have a @fifo
 * @batch:	perf adds, or takes off, several at once
 * @flushed:	and for the first of them there was a flush: the others are switched at
 *		the same time
 * @drained:	and of them so many samples were handed over
 *
 * Touched by that CPU alone, with interrupts off.
 */
struct gpu_cpu_events {
	struct gpu_work_events jobs;
	struct gpu_work_events scopes;
	struct list_head waits;
	struct list_head sampled;
	bool batch;
	bool flushed;
	unsigned int drained;
};

DECLARE_PER_CPU(struct gpu_cpu_events, gpu_cpu_events);

/*
 * How many of an event's clones are looked at, at once: that is done with interrupts off,
 * and a task can have any number of children. Those that came to a CPU last are first.
 */
#define GPU_CLONES_LOOK		8

/* room for the name of an event, and for that of a file of it */
#define GPU_EVENT_NAME_MAX	32
#define GPU_EVENT_FILE_MAX	(GPU_EVENT_NAME_MAX + 8)

/**
 * struct gpu_event_file - a file in events/
 * @attr:	as perf wants it
 * @name:	its name
 * @text:	what is in it
 */
struct gpu_event_file {
	struct perf_pmu_events_attr attr;
	char name[GPU_EVENT_FILE_MAX];
	char text[GPU_EVENT_FILE_MAX];
};

/**
 * struct gpu_who - whose work it is
 * @client:	the client, or NULL
 * @context:	the context, or NULL
 */
struct gpu_who {
	struct gpu_client *client;
	struct gpu_context *context;
};

/* events.c */
extern const struct gpu_event_desc gpu_event_descs[GPU_NR_EVENTS];
const struct gpu_event_desc *gpu_event_by_id(u64 id);
const struct gpu_event_desc *gpu_event_by_name(const char *name);

/* pmu.c */
__printf(3, 4)
void gpu_event_file_set(struct gpu_event_file *file, const char *name, const char *fmt, ...);
void gpu_event_name_file_set(struct gpu_event_file *file,
			     const struct gpu_event_desc *desc, unsigned int id);
void gpu_event_unit_file_set(struct gpu_event_file *file, const char *name,
			     const char *unit);

/* sample.c */
int gpu_sample_check(const struct perf_event *event, const struct gpu_event_desc *desc);
void gpu_sample_arm(struct perf_event *event);
void gpu_sample_here(struct gpu_event *ev, struct gpu_pmu_device *gdev,
		     struct gpu_pmu_sample *sample, u64 count);
int gpu_fifo_alloc(struct gpu_event *root);
void gpu_fifo_share(struct gpu_event *root, const struct gpu_event *with);
void gpu_fifo_close(struct gpu_event *root);
void gpu_fifo_free(struct gpu_event *root);
void gpu_fifo_begin(struct gpu_event *ev);
void gpu_fifo_end(struct gpu_event *ev);
void gpu_fifo_settle(struct gpu_event *root);
void gpu_sample_later(struct gpu_event *root, const struct gpu_pmu_sample *sample,
		      const struct gpu_pmu_sample_value *values);

/* native.c */
static inline unsigned int gpu_native_event(unsigned int slot)
{
	return GPU_PMU_EVENT_NATIVE + slot - GPU_NR_COUNTERS;
}

const struct gpu_event_desc *gpu_native_desc(u64 id);
bool gpu_native_any(void);

#endif /* _GPU_PMU_EVENTS_H */
