/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the core share.
 *
 * DOC: locks, outermost first
 *
 * device lock		held by the driver core around bind and unbind
 * bound_lock		observe/virtio_gpu.c: the devices that are bound
 * perf's ctx->mutex	held by perf around some last references to events
 * gpu_mutex		opening and closing of events, registration of devices,
 *			attaching and detaching of sources
 * observed_lock	observe/virtio_gpu.c: the devices that are attached
 * probes->lock		observe/tracepoint.c; then the tracepoint core's and
 *			ftrace's own; and the filelist_mutex of a drm_device
 * ctx->lock, rq->lock	held by perf and the scheduler around add() and del()
 * a driver's locks	held by a driver around what a source observes, that is in
 *			gpu_pmu_owner(); they are never taken by
 *			gpu_pmu_source_ops.sync
 * gpu_lock		everything that the flush reads or writes: the lists of
 *			devices, sets and events, all accounts, the tables of
 *			clients and contexts and their reference counts
 * a source's locks	those that gpu_pmu_source_ops.sync and gpu_pmu_unit_ops
 *			take; records are pushed under them
 * notes_lock		observe/wait.c
 *
 * gpu_lock is raw and taken with interrupts off, by the scheduler's side, too:
 * under it nothing is called that could wake anyone. Memory that becomes free
 * under it goes through call_rcu(), and not through kfree_rcu(), which may
 * queue work. Producers of records do not take it, but when they see a context
 * for the first time.
 */
#ifndef _GPU_PMU_INTERNAL_H
#define _GPU_PMU_INTERNAL_H

#include <linux/gpu_pmu.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "account.h"
#include "credit.h"
#include "ring.h"

struct attribute;
struct drm_file;
struct file;
struct gpu_pmu_sample;
struct gpu_pmu_sample_value;
struct gpu_unit_reader;
struct perf_event;
struct pmu;

extern struct mutex gpu_mutex;
extern raw_spinlock_t gpu_lock;

/* of an account: each name of a counter of some device has a place */
#define GPU_MAX_COUNTERS	(GPU_NR_COUNTERS + GPU_PMU_MAX_COUNTERS)

#define GPU_CONTEXT_HASH_BITS	10

/**
 * struct gpu_pmu_device - a device that a source has registered
 * @link:	in gpu_devices
 * @refs:	events, clients and the registration; under gpu_lock
 * @rcu:	for freeing
 * @drm:	the DRM device, until it is unregistered
 * @ops:	the source
 * @priv:	the source's own
 * @minor:	index of its render node, or of its primary node if it has none
 * @number:	tells it apart from all others, those that are gone included
 * @flags:	GPU_PMU_TELLS_RUN and so on
 * @attached:	it can have events: the source reports, or begins to; changed under
 *		both gpu_mutex and gpu_lock
 * @flowing:	what it reports can be taken over; under gpu_lock
 * @nr_engines:	how many engines it has
 * @engines:	their names
 * @nr_counters: how many counters its accounts have
 * @unit:	its counter unit, or NULL
 * @unit_slots:	for each of the unit's counters: which one of an account it is
 * @unit_users:	open events that want the unit of this device; under gpu_mutex
 * @reader:	the unit runs; changed under both gpu_mutex and gpu_lock
 * @ring:	the records on their way
 * @ledger:	what became of them
 * @jobs:	the ledger's memory
 * @contexts:	struct gpu_context by number
 * @kernel:	the client that the kernel's own work belongs to
 * @account:	all of it; last
 */
struct gpu_pmu_device {
	struct list_head link;
	unsigned int refs;
	struct rcu_head rcu;
	struct drm_device *drm;
	const struct gpu_pmu_source_ops *ops;
	void *priv;
	unsigned int minor;
	u32 number;
	unsigned int flags;
	bool attached;
	bool flowing;
	unsigned int nr_engines;
	const char * const *engines;
	unsigned int nr_counters;
	const struct gpu_pmu_unit *unit;
	u8 unit_slots[GPU_PMU_MAX_COUNTERS];
	unsigned int unit_users;
	struct gpu_unit_reader *reader;
	struct gpu_ring ring;
	struct gpu_ledger ledger;
	struct gpu_job *jobs;
	DECLARE_HASHTABLE(contexts, GPU_CONTEXT_HASH_BITS);
	struct gpu_client *kernel;
	struct gpu_account account;
};

/**
 * struct gpu_usage - a place among the clients and contexts that user space is told of
 * @link:	in one of the lists of usage.c, while it is known and not told to the end
 * @client:	the client that it is, or that it is a context of
 * @context:	the context, or NULL
 * @id:		tells it apart from all others, for user space
 * @state:	which list it is in
 * @number:	GPU_USAGE_ENDED: in the order in which they came there
 * @look:	the look that it was in last, and
 * @index:	the place that it has there
 *
 * All under gpu_lock.
 */
struct gpu_usage {
	struct list_head link;
	struct gpu_client *client;
	struct gpu_context *context;
	u64 id;
	enum {
		GPU_USAGE_NONE,
		GPU_USAGE_KNOWN,	/* there is work of it, or may be */
		GPU_USAGE_ENDING,	/* it is gone, what it has submitted goes on */
		GPU_USAGE_ENDED,	/* its counts are the last ones */
	} state;
	u64 number;
	u64 look;
	unsigned int index;
};

/**
 * struct gpu_client - one open DRM file, or the kernel itself
 * @node:	in the table of clients, while the file is open
 * @refs:	events, contexts, @usage and the table; under gpu_lock
 * @rcu:	for leaving the table, then for freeing
 * @file:	the key in the table; never followed, it may be long gone
 * @id:		tells it apart from others, for user space
 * @gdev:	its device
 * @uid:	who opened the file,
 * @euid:	and as whom
 * @pid:	the process that did, or NULL
 * @comm:	its name, when it was looked at last; under gpu_lock
 * @released:	the file is closed: no work can come; under gpu_lock
 * @contexts:	struct gpu_context that are in the device's table
 * @nr_ending:	its contexts that are GPU_USAGE_ENDING
 * @usage:	for whom wants to know what it has used
 * @account:	what its contexts have counted, and what it did without one; last
 */
struct gpu_client {
	struct hlist_node node;
	unsigned int refs;
	struct rcu_head rcu;
	const struct drm_file *file;
	u64 id;
	struct gpu_pmu_device *gdev;
	kuid_t uid;
	kuid_t euid;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	bool released;
	struct list_head contexts;
	unsigned int nr_ending;
	struct gpu_usage usage;
	struct gpu_account account;
};

/**
 * struct gpu_context - a context of a client
 * @node:	in the device's table: until the source says that it ended or, if it
 *		does not, while the client's file is open
 * @link:	in its client's list, likewise
 * @refs:	events, @usage and the table; under gpu_lock
 * @rcu:	for freeing
 * @id:		the driver's id in its file
 * @number:	under which the device knows it
 * @fence_context: of its latest job's fence, if gpu_pmu_owner() was told; or 0
 * @born:	ns; no report from before is about it
 * @client:	its client
 * @usage:	for whom wants to know what it has used
 * @account:	what it has counted; last
 */
struct gpu_context {
	struct hlist_node node;
	struct list_head link;
	unsigned int refs;
	struct rcu_head rcu;
	u64 id;
	u64 number;
	u64 fence_context;
	u64 born;
	struct gpu_client *client;
	struct gpu_usage usage;
	struct gpu_account account;
};

/* core.c */
extern struct list_head gpu_devices;
extern struct gpu_account *gpu_all;

void gpu_lose(struct gpu_pmu_device *gdev);
void gpu_lost_take_over(void);
kuid_t gpu_payer(void);
int gpu_users_get(void);
void gpu_users_put(void);
struct gpu_pmu_device *gpu_device_by_minor(unsigned int minor);
struct gpu_pmu_device *gpu_device_by_drm(const struct drm_device *drm);
void gpu_device_get(struct gpu_pmu_device *gdev);
void gpu_device_put(struct gpu_pmu_device *gdev);

/* client.c */
struct gpu_client *gpu_client_alloc(struct gpu_pmu_device *gdev, gfp_t gfp);
void gpu_client_put(struct gpu_client *client);
struct gpu_client *gpu_client_get_file(struct gpu_pmu_device *gdev,
				       struct drm_file *file);
struct gpu_context *gpu_context_get_file(struct gpu_pmu_device *gdev,
					 struct drm_file *file, u64 id, u64 number);
struct gpu_client *gpu_client_of_file(const struct drm_file *file);
struct gpu_account *gpu_context_account(struct gpu_pmu_device *gdev, u64 number,
					u64 time);
u64 gpu_context_fence_context(struct gpu_pmu_device *gdev, struct drm_file *file, u64 id,
			      unsigned int engine);
void gpu_context_put(struct gpu_context *context);
u64 gpu_client_id(const struct drm_file *file);
void gpu_client_name(struct gpu_client *client);
void gpu_clients_init(void);
void gpu_client_end(const struct drm_file *file);
int gpu_clients_bind(struct gpu_pmu_device *gdev);
void gpu_clients_end(struct gpu_pmu_device *gdev);

/* flush.c */
void gpu_flush_begin(struct gpu_pmu_device *gdev);
void gpu_flush_device(struct gpu_pmu_device *gdev, u64 now);
u64 gpu_flush_devices(void);
void gpu_flush_ahead(void);
void gpu_flush_soon(void);
void gpu_flush_init(void);
void gpu_flush_exit(void);
void gpu_flush_timer_start(void);
void gpu_flush_timer_stop(void);
void gpu_flush_hurry(void);
void gpu_flush_hurry_locked(void);

/* events.c */
extern unsigned int gpu_nr_sampled;

int gpu_event_open(struct perf_event *event);
int gpu_event_add(struct perf_event *event);
void gpu_event_del(struct perf_event *event);
void gpu_events_batch(bool begin);
void gpu_events_init(void);
void gpu_events_submit(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work,
		       struct gpu_record *rec);
void gpu_events_wait(struct gpu_pmu_device *gdev, struct gpu_client *client,
		     struct gpu_pmu_sample *sample);
void gpu_events_done(struct gpu_pmu_device *gdev, const struct gpu_job *job, u64 time);
void gpu_events_report(struct gpu_pmu_device *gdev, struct gpu_account *owner,
		       struct gpu_pmu_sample *sample,
		       const struct gpu_pmu_sample_value *values);
unsigned int gpu_events_mark(void);
unsigned int gpu_events_sample_work(void);
bool gpu_events_want_reports(void);
bool gpu_events_settle(unsigned int work, bool *armed);
void gpu_events_settle_all(void);
void gpu_account_abandon(struct gpu_account *account,
			 void (*release)(struct gpu_account *account));

/**
 * gpu_events_sample() - does anyone want samples of what the flush finds out?
 *
 * Context: any; a hint without gpu_lock.
 * Return: whether one may.
 */
static inline bool gpu_events_sample(void)
{
	return READ_ONCE(gpu_nr_sampled);
}

/**
 * struct gpu_unit_progress - how far a stream of reports has come
 * @written:	reports that were written, of which the last ones may be late
 * @read:	reports that were read
 */
struct gpu_unit_progress {
	u64 written;
	u64 read;
};

/* unit.c */
void gpu_unit_progress(const struct gpu_pmu_device *gdev, struct gpu_unit_progress *progress);
void gpu_unit_mark(struct gpu_pmu_device *gdev, u64 at);
bool gpu_unit_drain(struct gpu_pmu_device *gdev, unsigned int work);
int gpu_unit_update(struct gpu_pmu_device *gdev);
void gpu_unit_stop(struct gpu_pmu_device *gdev);
int gpu_unit_get(struct gpu_pmu_device *gdev);
void gpu_unit_put(struct gpu_pmu_device *gdev);

/* native.c */
int gpu_native_get(const struct gpu_pmu_counter *counter);
void gpu_native_put(unsigned int slot);
void gpu_native_hold(unsigned int slot);
void gpu_native_release(unsigned int slot);

/**
 * gpu_in_user_task() - is this a user's task, and not what has interrupted it?
 *
 * Context: any.
 * Return: whether it is.
 */
static inline bool gpu_in_user_task(void)
{
	return in_task() && current->mm && !(current->flags & PF_KTHREAD);
}

/* observe/client.c */
int gpu_observe_clients_init(void);
void gpu_observe_clients_exit(void);
int gpu_observe_clients(void);
void gpu_unobserve_clients(void);
struct file *gpu_drm_file_get(unsigned int fd, struct drm_file **drm_file);
struct file *gpu_current_drm_file(const struct drm_device *drm,
				  struct drm_file **drm_file);

/* observe/wait.c */
int gpu_waits_get(void);
void gpu_waits_put(void);
unsigned long gpu_waits_lost(void);

/* sample.c */
void gpu_samples_init(void);
void gpu_samples_exit(void);
bool gpu_samples_go_on(void);

/* usage.c */
struct gpu_usage_reader;

void gpu_usage_begin(struct gpu_client *client, struct gpu_context *context);
void gpu_usage_end(struct gpu_usage *usage);
struct gpu_usage_reader *gpu_usage_reader_alloc(void);
void gpu_usage_reader_free(struct gpu_usage_reader *reader);
long gpu_usage_read(struct gpu_usage_reader *reader, void __user *uarg);

/* list.c */
long gpu_list_devices(void __user *uarg);
long gpu_list_engines(void __user *uarg);
long gpu_list_events(void __user *uarg);

/* pmu.c */
int gpu_pmu_face_register(void);
int gpu_pmu_face_add(struct attribute *attr);
void gpu_pmu_face_remove(struct attribute *attr);
void gpu_pmu_face_unregister(void);

/* query.c */
int gpu_query_register(void);
void gpu_query_unregister(void);

#endif /* _GPU_PMU_INTERNAL_H */
