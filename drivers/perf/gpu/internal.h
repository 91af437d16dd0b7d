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
 * a driver's locks	held by a driver around what a source observes
 * gpu_lock		everything that the flush reads or writes: the lists of
 *			devices, sets and events, all accounts, the tables of
 *			clients and contexts and their reference counts
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
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "account.h"
#include "credit.h"
#include "ring.h"

struct drm_file;
struct file;
struct perf_event;
struct pmu;

extern struct mutex gpu_mutex;
extern raw_spinlock_t gpu_lock;

#define GPU_CONTEXT_HASH_BITS	8

/**
 * struct gpu_pmu_device - a device that a source has registered
 * @link:	in gpu_devices
 * @refs:	events, clients and the registration; under gpu_lock
 * @rcu:	for freeing
 * @drm:	the DRM device, until it is unregistered
 * @ops:	the source
 * @priv:	the source's own
 * @minor:	index of its render node, or of its primary node if it has none
 * @attached:	the source reports; under gpu_lock
 * @nr_engines:	how many engines it has
 * @engines:	their names
 * @ring:	the records on their way
 * @ledger:	what became of them
 * @jobs:	the ledger's memory
 * @contexts:	struct gpu_context by id
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
	bool attached;
	unsigned int nr_engines;
	const char * const *engines;
	struct gpu_ring ring;
	struct gpu_ledger ledger;
	struct gpu_job *jobs;
	DECLARE_HASHTABLE(contexts, GPU_CONTEXT_HASH_BITS);
	struct gpu_client *kernel;
	struct gpu_account account;
};

/**
 * struct gpu_client - one open DRM file, or the kernel itself
 * @node:	in the table of clients, while the file is open
 * @refs:	events, contexts and the table; under gpu_lock
 * @rcu:	for leaving the table, then for freeing
 * @file:	the key in the table; never followed, it may be long gone
 * @gdev:	its device
 * @contexts:	struct gpu_context that are in the device's table
 * @account:	what its contexts have counted, and what it did without one; last
 */
struct gpu_client {
	struct hlist_node node;
	unsigned int refs;
	struct rcu_head rcu;
	const struct drm_file *file;
	struct gpu_pmu_device *gdev;
	struct list_head contexts;
	struct gpu_account account;
};

/**
 * struct gpu_context - the driver's own id inside a client
 * @node:	in the device's table, while the client's file is open
 * @link:	in its client's list, likewise
 * @refs:	events and the table; under gpu_lock
 * @rcu:	for freeing
 * @id:		the driver's id
 * @client:	its client
 * @account:	what it has counted; last
 */
struct gpu_context {
	struct hlist_node node;
	struct list_head link;
	unsigned int refs;
	struct rcu_head rcu;
	u64 id;
	struct gpu_client *client;
	struct gpu_account account;
};

/* core.c */
extern struct list_head gpu_devices;
extern struct gpu_account *gpu_all;

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
					 struct drm_file *file, u64 id);
void gpu_context_put(struct gpu_context *context);
void gpu_client_end(const struct drm_file *file);
void gpu_clients_end(struct gpu_pmu_device *gdev);

/* flush.c */
void gpu_flush_device(struct gpu_pmu_device *gdev, u64 now);
void gpu_flush_devices(void);
void gpu_flush_timer_init(void);
void gpu_flush_timer_start(void);
void gpu_flush_timer_stop(void);
void gpu_flush_hurry(void);
void gpu_flush_hurry_locked(void);

/* events.c */
int gpu_event_open(struct perf_event *event);
int gpu_event_add(struct perf_event *event);
void gpu_event_del(struct perf_event *event);
void gpu_events_init(void);
void gpu_events_submit(struct gpu_pmu_device *gdev, struct gpu_record *rec);
bool gpu_events_settle(u64 elapsed);
void gpu_account_abandon(struct gpu_account *account,
			 void (*release)(struct gpu_account *account));

/* observe/client.c */
int gpu_observe_clients_init(void);
void gpu_observe_clients_exit(void);
int gpu_observe_clients(void);
void gpu_unobserve_clients(void);
struct file *gpu_drm_file_get(unsigned int fd, struct drm_file **drm_file);
struct file *gpu_current_drm_file(const struct drm_device *drm,
				  struct drm_file **drm_file);

/* pmu.c */
int gpu_pmu_face_register(void);
void gpu_pmu_face_unregister(void);

/* query.c */
int gpu_query_register(void);
void gpu_query_unregister(void);

#endif /* _GPU_PMU_INTERNAL_H */
