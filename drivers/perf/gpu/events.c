// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from perf's config words to a scope, and from what was counted in
 * that scope to the right perf_event's count.
 *
 * DOC: three ways to count
 *
 * SUBMIT	"jobs" without a fd. Counted at once, on the event that is
 *		active on the submitting CPU, as perf counts a software event:
 *		for the task that submits, or for the CPU that it does it on.
 * SCOPE	what the GPU does for a task. Which events a job belongs to is
 *		decided at its submission (those that the submitting task has
 *		enabled) and travels with the record, so that the job's time is
 *		counted for them when the task sleeps, or is gone.
 * VIEW		what the GPU does for a context, a client, a device or all
 *		devices. The account exists anyway; the event looks at it.
 *
 * For SCOPE and VIEW the flush credits the root event: the one that was
 * opened, not what perf clones from it for each child of an inheriting task.
 * It does so from another CPU than the event's, thus atomically; nothing else
 * writes those counts while an event is open, but a reset by the user.
 */
#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <drm/drm_file.h>

#include "events.h"
#include "internal.h"

static unsigned int max_user_events = 1024;
module_param(max_user_events, uint, 0644);
MODULE_PARM_DESC(max_user_events, "events that a user without CAP_PERFMON may have open at once");

/*
 * Task events other than "jobs" that one task may have open: each submission
 * names those that are enabled. A submission never names more than twice as
 * many, those that the task has inherited included.
 */
#define GPU_TASK_SCOPES_MAX	64

const struct gpu_event_desc gpu_event_descs[GPU_NR_EVENTS] = {
	[GPU_PMU_EVENT_GPU_BUSY] = {
		.name = "gpu-busy",
		.unit = "ns",
		.ctx_alias = "ctx-busy",
		.counter = GPU_COUNTER_BUSY,
	},
	[GPU_PMU_EVENT_QUEUE_WAIT] = {
		.name = "queue-wait",
		.unit = "ns",
		.counter = GPU_COUNTER_WAIT,
	},
	[GPU_PMU_EVENT_JOBS] = {
		.name = "jobs",
		.ctx_alias = "ctx-jobs",
		.counter = GPU_COUNTER_JOBS,
		.at_submit = true,
	},
	[GPU_PMU_EVENT_JOBS_DONE] = {
		.name = "jobs-done",
		.counter = GPU_COUNTER_DONE,
	},
	[GPU_PMU_EVENT_LOST] = {
		.name = "lost",
		.counter = GPU_COUNTER_LOST,
		.of_device = true,
	},
};

/**
 * gpu_event_by_name() - an event that is there for all devices
 * @name:	its name, or that of its alias
 *
 * Return: the event, or NULL.
 */
const struct gpu_event_desc *gpu_event_by_name(const char *name)
{
	const struct gpu_event_desc *desc;

	for (desc = gpu_event_descs; desc < gpu_event_descs + GPU_NR_EVENTS; desc++)
		if ((desc->name && !strcmp(desc->name, name)) ||
		    (desc->ctx_alias && !strcmp(desc->ctx_alias, name)))
			return desc;
	return NULL;
}

enum gpu_event_how {
	GPU_EVENT_SUBMIT,
	GPU_EVENT_SCOPE,
	GPU_EVENT_VIEW,
};

/**
 * struct gpu_scope - the account of one SCOPE event
 * @rcu:	for freeing
 * @account:	what it has counted; last
 *
 * Outlives its event while jobs name it.
 */
struct gpu_scope {
	struct rcu_head rcu;
	struct gpu_account account;
};

/**
 * struct gpu_event - what a perf_event is to us
 * @event:	the perf_event
 * @root:	the event that it was cloned from at a fork, or itself
 * @how:	see above
 * @refused:	it was asked to do what it cannot, and perf was told so
 * @seen:	it was added before; then
 * @seen_enabled: perf's total_time_enabled at that time, and
 * @seen_time:	perf's clock
 * @link:	root: in gpu_roots; clone: in its root's @clones
 * @active:	in this CPU's list while added, SUBMIT and SCOPE only
 * @clones:	root only, like all that follows
 * @user:	who opened it
 * @gdev:	the device that it is restricted to, or NULL
 * @slot:	of all engines (0) or of one, see struct gpu_account
 * @client:	whose account it looks at, or NULL
 * @context:	whose account it looks at, or NULL
 * @wants_unit:	it wants the counter unit of @gdev, or of all devices
 * @scope:	SCOPE only
 * @set:	SCOPE, VIEW: with whom it shares a number
 * @member:	its place there
 */
struct gpu_event {
	struct perf_event *event;
	struct gpu_event *root;
	enum gpu_event_how how;
	bool refused;
	bool seen;
	u64 seen_enabled;
	u64 seen_time;
	struct list_head link;
	struct list_head active;
	struct list_head clones;
	kuid_t user;
	struct gpu_pmu_device *gdev;
	unsigned int slot;
	struct gpu_client *client;
	struct gpu_context *context;
	bool wants_unit;
	struct gpu_scope *scope;
	struct gpu_set *set;
	struct gpu_member member;
};

/* the events that are added on a CPU; touched by it alone, interrupts off */
struct gpu_cpu_events {
	struct list_head submit;
	struct list_head scope;
};

static DEFINE_PER_CPU(struct gpu_cpu_events, gpu_cpu_events);

/* under gpu_lock; changed under gpu_mutex, too */
static LIST_HEAD(gpu_roots);
static LIST_HEAD(gpu_sets);

/**
 * gpu_events_init() - before the PMU is registered
 */
void gpu_events_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct gpu_cpu_events *here = per_cpu_ptr(&gpu_cpu_events, cpu);

		INIT_LIST_HEAD(&here->submit);
		INIT_LIST_HEAD(&here->scope);
	}
}

/* ---- is it counting? ---- */

/*
 * perf leaves the siblings of a leader that is off INACTIVE: the leader's
 * state counts, too. It is read without the context's lock; a state that is
 * about to change is as good as the one after.
 */
static int event_state(const struct perf_event *event)
{
	const struct perf_event *leader = READ_ONCE(event->group_leader);
	int state = READ_ONCE(leader->state);

	if (state <= PERF_EVENT_STATE_OFF)
		return state;
	return READ_ONCE(event->state);
}

static bool clone_is_live(const struct gpu_event *root)
{
	const struct gpu_event *clone;

	list_for_each_entry(clone, &root->clones, link)
		if (event_state(clone->event) >= PERF_EVENT_STATE_INACTIVE)
			return true;
	return false;
}

/*
 * In a group that a CPU's counters lead, INACTIVE also means that the group has
 * to wait for a counter. perf then scales what was counted: so nothing may be.
 */
static bool event_may_wait(const struct perf_event *event)
{
	return !is_software_event(READ_ONCE(event->group_leader));
}

static bool event_is_live(const struct gpu_event *root)
{
	int state = event_state(root->event);

	if (root->refused)
		return false;
	switch (state) {
	case PERF_EVENT_STATE_ACTIVE:
		return true;
	case PERF_EVENT_STATE_INACTIVE:
		return !event_may_wait(root->event);
	case PERF_EVENT_STATE_ERROR:
		return false;
	case PERF_EVENT_STATE_OFF:
		/* opened for an exec, which was a child's */
		return clone_is_live(root);
	default:
		/*
		 * The task has exited. What it had submitted is still the event's,
		 * and it counts on for the task's children.
		 */
		return clone_is_live(root) ||
		       (root->how == GPU_EVENT_SCOPE && list_empty(&root->clones));
	}
}

/* could it begin to count, or get something, with nobody telling us? */
static bool event_is_armed(const struct gpu_event *root)
{
	int state = event_state(root->event);

	if (state < PERF_EVENT_STATE_OFF)
		return clone_is_live(root) ||
		       (root->scope && root->scope->account.jobs);
	return event_is_live(root) ||
	       (state == PERF_EVENT_STATE_OFF && root->event->hw.target);
}

/* ---- crediting ---- */

static struct gpu_event *member_event(struct gpu_member *member)
{
	return container_of(member, struct gpu_event, member);
}

static bool member_live(struct gpu_member *member)
{
	return event_is_live(member_event(member));
}

static int member_task_cpu(struct gpu_member *member)
{
	return task_cpu(member_event(member)->event->hw.target);
}

static void member_credit(struct gpu_member *member, u64 delta)
{
	struct perf_event *event = member_event(member)->event;

#ifdef CONFIG_64BIT
	/*
	 * local64_add() is atomic only against its own CPU. On 64-bit a local64_t
	 * is a local_t, which is an atomic_long_t by its definition.
	 */
	static_assert(sizeof(event->count) == sizeof(atomic_long_t));
	atomic_long_add(delta, (atomic_long_t *)&event->count);
#else
	/* a local64_t is an atomic64_t */
	local64_add(delta, &event->count);
#endif
}

static const struct gpu_credit_ops gpu_credit_ops = {
	.live = member_live,
	.task_cpu = member_task_cpu,
	.credit = member_credit,
};

/**
 * gpu_events_settle() - share out what all accounts have counted
 * @elapsed:	ns since the last call
 *
 * A task event's enabled and running time are the task's time on a CPU. For
 * what the GPU does that is not the time that was measured, and an event whose
 * task did not run at all would read as never counted. So the time that a live
 * event's task is off the CPU is added to both: their ratio stays 1.
 *
 * Context: gpu_lock held.
 * Return: whether one of the events could be counting.
 */
bool gpu_events_settle(u64 elapsed)
{
	struct gpu_event *root;
	struct gpu_set *set;
	bool armed = false;

	lockdep_assert_held(&gpu_lock);

	list_for_each_entry(set, &gpu_sets, link)
		gpu_set_settle(set, &gpu_credit_ops, NULL);

	list_for_each_entry(root, &gpu_roots, link) {
		struct perf_event *event = root->event;

		armed |= event_is_armed(root);
		if (event->hw.target && event_is_live(root) &&
		    event_state(event) == PERF_EVENT_STATE_INACTIVE) {
			atomic64_add(elapsed, &event->child_total_time_enabled);
			atomic64_add(elapsed, &event->child_total_time_running);
		}
	}
	return armed;
}

/* ---- what a submission is counted in ---- */

static bool event_matches(const struct gpu_event *root,
			  const struct gpu_pmu_device *gdev, unsigned int engine)
{
	return (!root->gdev || root->gdev == gdev) &&
	       (!root->slot || root->slot == engine + 1);
}

/**
 * gpu_events_submit() - count a submission, and find who it is counted for
 * @gdev:	the device
 * @rec:	the QUEUE record: its scopes are filled in; those for which there is
 *		no room are pushed to the ring ahead of it
 *
 * Context: interrupts off, so that this CPU's lists stand still; in the
 * context of the task that submits, if one does.
 */
void gpu_events_submit(struct gpu_pmu_device *gdev, struct gpu_record *rec)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	unsigned int room = 2 * GPU_TASK_SCOPES_MAX;
	struct gpu_record more;
	struct gpu_event *ev;
	bool task = in_task();

	if (rec->flags & GPU_PMU_WORK_JOB) {
		list_for_each_entry(ev, &here->submit, active) {
			if (!task && ev->event->hw.target)
				continue; /* current was only interrupted */
			if (event_matches(ev->root, gdev, rec->engine))
				local64_inc(&ev->event->count);
		}
	}

	if (!task || rec->owner == &gdev->kernel->account)
		return;

	list_for_each_entry(ev, &here->scope, active) {
		if (!event_matches(ev->root, gdev, rec->engine))
			continue;
		if (!room--) {
			gpu_ring_leave_out(&gdev->ring);
			break;
		}
		if (rec->nr_scopes == GPU_RECORD_SCOPES_MAX) {
			more = *rec;
			more.type = GPU_RECORD_SCOPES;
			gpu_ring_offer(&gdev->ring, &more);
			rec->nr_scopes = 0;
		}
		rec->scope[rec->nr_scopes++] = &ev->root->scope->account;
	}
}

/* ---- perf switches an event on and off ---- */

/*
 * Was it off since it was added last? perf counts the time that an event is
 * enabled; if that has not grown as perf's clock has, it was off in between, and
 * what was counted since its set was settled last, with del(), is not its own.
 * perf has brought both up to date before it calls add().
 */
static bool event_was_off(struct gpu_event *ev)
{
	struct perf_event *event = ev->event;
	bool off = ev->seen && event->total_time_enabled - ev->seen_enabled !=
			       event->tstamp - ev->seen_time;

	ev->seen = true;
	ev->seen_enabled = event->total_time_enabled;
	ev->seen_time = event->tstamp;
	return off;
}

/* a device-wide number is no cgroup's, and would be counted as if it was */
static bool event_is_cgroup(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return event->cgrp;
#else
	return false;
#endif
}

/**
 * gpu_event_add() - the event begins to count on this CPU, or goes on to
 * @event:	the event
 *
 * Context: perf's ctx->lock held, interrupts off.
 * Return: 0 or -EOPNOTSUPP: a device-side event that is bound to a cgroup.
 */
int gpu_event_add(struct perf_event *event)
{
	struct gpu_event *ev = event->pmu_private;
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);

	gpu_flush_hurry();
	if (ev->how == GPU_EVENT_SUBMIT) {
		list_add_tail(&ev->active, &here->submit);
		return 0;
	}

	if (event_is_cgroup(event)) {
		WRITE_ONCE(ev->root->refused, true);
		return -EOPNOTSUPP;
	}
	raw_spin_lock(&gpu_lock);
	gpu_flush_devices();
	if (event_was_off(ev))
		ev->root->member.live = false;
	gpu_set_settle(ev->root->set, &gpu_credit_ops, NULL);
	raw_spin_unlock(&gpu_lock);
	if (ev->how == GPU_EVENT_SCOPE)
		list_add_tail(&ev->active, &here->scope);
	return 0;
}

/**
 * gpu_event_del() - the event stops to count on this CPU
 * @event:	the event
 *
 * It may have been switched off, or its task may sleep, or be about to die.
 *
 * Context: perf's ctx->lock held, interrupts off.
 */
void gpu_event_del(struct perf_event *event)
{
	struct gpu_event *ev = event->pmu_private;

	if (ev->how != GPU_EVENT_VIEW)
		list_del(&ev->active);
	if (ev->how == GPU_EVENT_SUBMIT)
		return;

	raw_spin_lock(&gpu_lock);
	gpu_flush_devices();
	gpu_set_settle(ev->root->set, &gpu_credit_ops, &ev->root->member);
	raw_spin_unlock(&gpu_lock);
}

/* ---- opening and closing ---- */

static void scope_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct gpu_scope, rcu));
}

static void scope_release(struct gpu_account *account)
{
	call_rcu(&container_of(account, struct gpu_scope, account)->rcu,
		 scope_free_rcu);
}

static void set_free(struct gpu_set *set)
{
	put_pid((struct pid *)set->opener);
	kfree(set);
}

/* all that a root event holds, in whatever state gpu_event_open() left it */
static void root_free(struct gpu_event *ev)
{
	struct gpu_event *clone, *next;
	struct gpu_set *set = NULL;

	lockdep_assert_held(&gpu_mutex);

	if (ev->wants_unit)
		gpu_unit_put(ev->gdev);
	raw_spin_lock_irq(&gpu_lock);
	if (!list_empty(&ev->link))
		list_del(&ev->link);
	/* a fork that fails drops the parent before the clone on some kernels */
	list_for_each_entry_safe(clone, next, &ev->clones, link)
		list_del_init(&clone->link);
	/* records on their way may name the scope */
	gpu_flush_devices();
	if (ev->set) {
		gpu_set_leave(&ev->member);
		if (list_empty(&ev->set->members)) {
			set = ev->set;
			list_del(&set->link);
		}
	}
	if (ev->scope)
		gpu_account_abandon(&ev->scope->account, scope_release);
	if (ev->context)
		gpu_context_put(ev->context);
	if (ev->client)
		gpu_client_put(ev->client);
	if (ev->gdev)
		gpu_device_put(ev->gdev);
	raw_spin_unlock_irq(&gpu_lock);

	if (set)
		set_free(set);
	kfree(ev);
}

static void gpu_event_destroy(struct perf_event *event)
{
	struct gpu_event *ev = event->pmu_private;

	if (ev->root != ev) {
		raw_spin_lock_irq(&gpu_lock);
		list_del_init(&ev->link);
		raw_spin_unlock_irq(&gpu_lock);
		kfree(ev);
		return;
	}

	mutex_lock(&gpu_mutex);
	root_free(ev);
	gpu_users_put();
	mutex_unlock(&gpu_mutex);
}

static struct gpu_event *event_alloc(struct perf_event *event,
				     struct gpu_event *root)
{
	struct gpu_event *ev = kzalloc(sizeof(*ev), GFP_KERNEL);

	if (!ev)
		return NULL;
	ev->event = event;
	ev->root = root ?: ev;
	INIT_LIST_HEAD(&ev->link);
	INIT_LIST_HEAD(&ev->active);
	INIT_LIST_HEAD(&ev->clones);
	return ev;
}

/* a child of an inheriting task: bound as its parent is, fds are not looked at */
static int event_clone(struct perf_event *event)
{
	struct gpu_event *root = event->parent->pmu_private;
	struct gpu_event *ev = event_alloc(event, root);

	if (!ev)
		return -ENOMEM;
	ev->how = root->how;
	raw_spin_lock_irq(&gpu_lock);
	list_add_tail(&ev->link, &root->clones);
	raw_spin_unlock_irq(&gpu_lock);
	event->pmu_private = ev;
	event->destroy = gpu_event_destroy;
	return 0;
}

/* the perf_event_attr's config words, taken apart */
struct gpu_config {
	const struct gpu_event_desc *desc;
	unsigned int slot;
	unsigned int dev;
	unsigned int fd;
	u64 ctx;
};

static int config_parse(const struct perf_event_attr *attr, struct gpu_config *c)
{
	unsigned int id = FIELD_GET(GPU_PMU_CONFIG_EVENT_MASK, attr->config);

	if (attr->config & ~(GPU_PMU_CONFIG_EVENT_MASK | GPU_PMU_CONFIG_ENGINE_MASK |
			     GPU_PMU_CONFIG_DEV_MASK))
		return -EINVAL;
	if (attr->config1 & ~GPU_PMU_CONFIG1_FD_MASK)
		return -EINVAL;
	if (id < GPU_NR_EVENTS)
		c->desc = gpu_event_descs[id].name ? &gpu_event_descs[id] : NULL;
	else
		c->desc = gpu_native_desc(id);
	if (!c->desc)
		return -EINVAL;
	c->slot = FIELD_GET(GPU_PMU_CONFIG_ENGINE_MASK, attr->config);
	c->dev = FIELD_GET(GPU_PMU_CONFIG_DEV_MASK, attr->config);
	c->fd = FIELD_GET(GPU_PMU_CONFIG1_FD_MASK, attr->config1);
	c->ctx = attr->config2;
	if (c->ctx && !c->fd)
		return -EINVAL; /* whose context? */
	if (c->slot && c->desc->of_device)
		return -EINVAL; /* a lost record is no engine's */
	return 0;
}

/* the flush looks at each event: nobody may make it look at too many */
static int event_permit(const struct perf_event *event, const struct gpu_config *c)
{
	bool scope = event->hw.target && !c->fd && !c->desc->at_submit;
	unsigned int mine = 0, task = 0;
	const struct gpu_event *root;

	lockdep_assert_held(&gpu_mutex);

	list_for_each_entry(root, &gpu_roots, link) {
		mine += uid_eq(root->user, current_uid());
		task += root->how == GPU_EVENT_SCOPE &&
			root->event->hw.target == event->hw.target;
	}
	if (mine >= READ_ONCE(max_user_events) && !perfmon_capable())
		return -EMFILE;
	if (scope && task >= GPU_TASK_SCOPES_MAX)
		return -ENOSPC;
	return 0;
}

/* does it count that? */
static bool device_counts(const struct gpu_pmu_device *gdev,
			  const struct gpu_event_desc *desc)
{
	unsigned int i;

	if (!desc->of_context)
		return true;
	for (i = 0; gdev->unit && i < gdev->unit->nr_counters; i++)
		if (gdev->unit_slots[i] == desc->counter)
			return true;
	return false;
}

static int devices_count(const struct gpu_event_desc *desc)
{
	const struct gpu_pmu_device *gdev;

	list_for_each_entry(gdev, &gpu_devices, link)
		if (gdev->attached && device_counts(gdev, desc))
			return 0;
	return -ENODATA;
}

/* no fd: the device, or all of them; or what a task does on them */
static int bind_device(struct gpu_event *ev, const struct gpu_config *c,
		       struct gpu_account **account)
{
	struct gpu_pmu_device *gdev = NULL;
	unsigned int engines = 0;

	if (c->dev) {
		gdev = gpu_device_by_minor(c->dev);
		if (!gdev)
			return -ENODEV;
		engines = gdev->nr_engines;
	} else {
		struct gpu_pmu_device *any;

		list_for_each_entry(any, &gpu_devices, link)
			if (any->attached)
				engines = max(engines, any->nr_engines);
		if (!engines)
			return -ENODEV;
	}
	if (c->slot > engines)
		return -ENXIO;
	if (!gdev && devices_count(c->desc))
		return -ENODATA;
	/* the counters advance with a context: whose task's job it was is not told */
	if (ev->event->hw.target && c->desc->of_context)
		return -EOPNOTSUPP;

	if (c->desc->at_submit) {
		ev->how = GPU_EVENT_SUBMIT;
	} else if (ev->event->hw.target && !c->desc->of_device) {
		ev->how = GPU_EVENT_SCOPE;
		ev->scope = kzalloc(sizeof(*ev->scope) + gpu_account_bytes(0, GPU_NR_COUNTERS),
				    GFP_KERNEL);
		if (!ev->scope)
			return -ENOMEM;
		gpu_account_init(&ev->scope->account, NULL, 0, GPU_NR_COUNTERS);
		*account = &ev->scope->account;
	} else {
		ev->how = GPU_EVENT_VIEW;
		*account = gdev ? &gdev->account : gpu_all;
	}
	ev->gdev = gdev;
	return 0;
}

/* the kernel's own work: an administrator's number, whatever task it is on */
static int bind_kernel(struct gpu_event *ev, const struct gpu_config *c,
		       struct gpu_account **account)
{
	struct gpu_pmu_device *gdev;

	if (!perfmon_capable())
		return -EACCES;
	if (c->ctx)
		return -ENOENT;
	if (c->dev)
		gdev = gpu_device_by_minor(c->dev);
	else
		gdev = list_first_entry_or_null(&gpu_devices,
						struct gpu_pmu_device, link);
	if (!gdev || !gdev->attached)
		return -ENODEV;
	if (!c->dev && !list_is_singular(&gpu_devices))
		return -ENOTUNIQ;
	if (c->slot > gdev->nr_engines)
		return -ENXIO;

	ev->how = GPU_EVENT_VIEW;
	ev->gdev = gdev;
	raw_spin_lock_irq(&gpu_lock);
	ev->client = gdev->kernel;
	ev->client->refs++;
	raw_spin_unlock_irq(&gpu_lock);
	*account = c->desc->of_device ? &gdev->account : &ev->client->account;
	return 0;
}

static int bind_open_file(struct gpu_event *ev, const struct gpu_config *c,
			  struct drm_file *file, struct gpu_account **account)
{
	struct gpu_pmu_device *gdev = gpu_device_by_drm(file->minor->dev);
	u64 number;

	if (!gdev || !gdev->attached)
		return -ENODEV;
	if (c->dev && c->dev != gdev->minor)
		return -EXDEV;
	if (c->slot > gdev->nr_engines)
		return -ENXIO;
	number = c->ctx ? gdev->ops->context(file, c->ctx) : 0;
	if (c->ctx && !number)
		return -ENOENT;

	ev->how = GPU_EVENT_VIEW;
	ev->gdev = gdev;
	if (c->desc->of_device) {
		*account = &gdev->account;
	} else if (c->ctx) {
		ev->context = gpu_context_get_file(gdev, file, number);
		if (!ev->context)
			return -ENOMEM;
		*account = &ev->context->account;
	} else {
		ev->client = gpu_client_get_file(gdev, file);
		if (!ev->client)
			return -ENOMEM;
		*account = &ev->client->account;
	}
	return 0;
}

/* the fd is resolved here, once; from now on the event is its client's */
static int bind_file(struct gpu_event *ev, const struct gpu_config *c,
		     struct gpu_account **account)
{
	struct drm_file *drm_file;
	struct file *file;
	int err;

	file = gpu_drm_file_get(c->fd, &drm_file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = bind_open_file(ev, c, drm_file, account);
	fput(file);
	return err;
}

/* whose numbers add up to one: see struct gpu_set */
static int event_join(struct gpu_event *ev, const struct gpu_config *c,
		      struct gpu_account *account)
{
	struct task_struct *task = ev->event->hw.target;
	struct gpu_view view = { account, ev->scope ? 0 : c->slot, c->desc->counter };
	bool own = task && same_thread_group(task, current);
	struct gpu_set *set, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	ev->member.cpu = ev->event->cpu;
	ev->member.task = task;

	raw_spin_lock_irq(&gpu_lock);
	gpu_set_init(new, &view, get_pid(task_tgid(current)), own ? task : NULL);
	list_for_each_entry(set, &gpu_sets, link)
		if (gpu_set_takes(set, new, &ev->member))
			goto found;
	set = new;
	new = NULL;
	list_add_tail(&set->link, &gpu_sets);
found:
	gpu_set_join(set, &ev->member);
	ev->set = set;
	raw_spin_unlock_irq(&gpu_lock);

	if (new)
		set_free(new);
	return 0;
}

static int event_open_root(struct perf_event *event, const struct gpu_config *c)
{
	struct gpu_account *account = NULL;
	struct gpu_event *ev;
	int err;

	ev = event_alloc(event, NULL);
	if (!ev)
		return -ENOMEM;
	ev->slot = c->slot;
	ev->user = current_uid();

	if (!c->fd)
		err = bind_device(ev, c, &account);
	else if (c->fd == GPU_PMU_FD_KERNEL)
		err = bind_kernel(ev, c, &account);
	else
		err = bind_file(ev, c, &account);
	if (ev->gdev) {
		raw_spin_lock_irq(&gpu_lock);
		gpu_device_get(ev->gdev);
		raw_spin_unlock_irq(&gpu_lock);
	}
	if (!err && ev->gdev && !device_counts(ev->gdev, c->desc))
		err = -ENODATA;
	if (!err && c->desc->of_context) {
		err = gpu_unit_get(ev->gdev);
		ev->wants_unit = !err;
	}
	if (!err && account)
		err = event_join(ev, c, account);
	if (err) {
		root_free(ev);
		return err;
	}

	raw_spin_lock_irq(&gpu_lock);
	list_add_tail(&ev->link, &gpu_roots);
	gpu_flush_hurry_locked();
	raw_spin_unlock_irq(&gpu_lock);
	event->pmu_private = ev;
	event->destroy = gpu_event_destroy;
	return 0;
}

/**
 * gpu_event_open() - bind an event to what its config words name
 * @event:	the event, of this PMU; no other field of its attr is looked at
 *
 * Context: process, sleeps.
 * Return: 0 or a negative errno: -EINVAL the config words make no sense,
 * -EBADF the fd is not open, -ENOTTY it is not a DRM file, -ENODEV there is no
 * such device, or no source for it, -EXDEV the fd is another device's, -ENXIO
 * the device has no such engine, -ENODATA it has no such counter, -EOPNOTSUPP a
 * counter that cannot tell tasks apart, -ENOENT the fd has no such context, -EACCES
 * the kernel's own work is not for everyone, -ENOTUNIQ and there is more than
 * one device that it could be meant on, -EMFILE the user has too many events
 * open, -ENOSPC the task has, -EINTR, -ENOMEM, or why nothing can be observed.
 */
int gpu_event_open(struct perf_event *event)
{
	struct gpu_config config;
	int err;

	if (event->parent)
		return event_clone(event);

	if (mutex_lock_killable(&gpu_mutex))
		return -EINTR;
	err = config_parse(&event->attr, &config);
	if (!err)
		err = event_permit(event, &config);
	if (!err)
		err = gpu_users_get();
	if (!err) {
		err = event_open_root(event, &config);
		if (err)
			gpu_users_put();
	}
	mutex_unlock(&gpu_mutex);
	return err;
}
