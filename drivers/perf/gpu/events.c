// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from perf's config words to a scope, and from what was counted in
 * that scope to the right perf_event's count.
 *
 * DOC: three ways to count
 *
 * HERE		"jobs", "waits" and "wait-time" without a fd, or sampled. Counted at
 *		once, on the events that are active on the CPU, as perf counts a
 *		software event: for the task that submits, or has waited, or for
 *		the CPU that it does it on.
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
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <drm/drm_file.h>

#include "compat.h"
#include "events.h"
#include "internal.h"

static unsigned int max_user_events = 1024;
module_param(max_user_events, uint, 0644);
MODULE_PARM_DESC(max_user_events, "events that a user without CAP_PERFMON may have open at once");

/*
 * Task events other than "jobs" that one task may have open for any CPU, and as many
 * again for each: each submission names those that are enabled where it is made. So it
 * never names more than twice as many, those that the task has inherited included.
 */
#define GPU_TASK_SCOPES_MAX	64

/*
 * Events of a user without CAP_PERFMON that are sampled by the flush, and that each
 * completion is held against: all but a task's, which its jobs name. perf record opens one
 * for each CPU.
 */
#define GPU_USER_SAMPLED_MAX	(64 + 2 * nr_cpu_ids)

const struct gpu_event_desc gpu_event_descs[GPU_NR_EVENTS] = {
	[GPU_PMU_EVENT_GPU_BUSY] = {
		.name = "gpu-busy",
		.unit = "ns",
		.desc = "time that an engine ran the work: it goes on while the program sleeps",
		.ctx_alias = "ctx-busy",
		.counter = GPU_COUNTER_BUSY,
	},
	[GPU_PMU_EVENT_QUEUE_WAIT] = {
		.name = "queue-wait",
		.unit = "ns",
		.desc = "time from the submission of a job to its start, summed over jobs",
		.counter = GPU_COUNTER_WAIT,
	},
	[GPU_PMU_EVENT_JOBS] = {
		.name = "jobs",
		.desc = "jobs submitted",
		.ctx_alias = "ctx-jobs",
		.period = 1,
		.counter = GPU_COUNTER_JOBS,
		.at = GPU_AT_SUBMIT,
	},
	[GPU_PMU_EVENT_JOBS_DONE] = {
		.name = "jobs-done",
		.desc = "jobs completed",
		.period = 1,
		.counter = GPU_COUNTER_DONE,
	},
	[GPU_PMU_EVENT_LOST] = {
		.name = "lost",
		.desc = "records that could not be counted: then other counts are too small",
		.counter = GPU_COUNTER_LOST,
		.of_device = true,
	},
	[GPU_PMU_EVENT_WAITS] = {
		.name = "waits",
		.desc = "times that a task was blocked on a fence",
		.period = 1,
		.counter = GPU_COUNTER_WAITS,
		.at = GPU_AT_WAIT,
	},
	[GPU_PMU_EVENT_WAIT_TIME] = {
		.name = "wait-time",
		.unit = "ns",
		.desc = "time that tasks were blocked on a fence",
		.period = NSEC_PER_MSEC,
		.counter = GPU_COUNTER_WAIT_TIME,
		.at = GPU_AT_WAIT,
	},
	[GPU_PMU_EVENT_REPORTS] = {
		.name = "reports",
		.desc = "reports of the hardware's counter unit",
		.period = 1,
		.counter = GPU_COUNTER_REPORTS,
		.of_context = true,
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

/**
 * gpu_event_by_id() - what config's EVENT names
 * @id:		the event's id
 *
 * Context: gpu_mutex held; valid while it is.
 * Return: the event, or NULL.
 */
const struct gpu_event_desc *gpu_event_by_id(u64 id)
{
	if (id < GPU_NR_EVENTS)
		return gpu_event_descs[id].name ? &gpu_event_descs[id] : NULL;
	return gpu_native_desc(id);
}

DEFINE_PER_CPU(struct gpu_cpu_events, gpu_cpu_events);

/* under gpu_lock; changed under gpu_mutex, too */
static LIST_HEAD(gpu_roots);
static LIST_HEAD(gpu_sets);
static LIST_HEAD(gpu_sampled_sets);	/* but for those of tasks' work */
static unsigned int report_users;	/* open events that want each report */
static unsigned int nr_members;		/* events that are in a set */
unsigned int gpu_nr_sampled;		/* those of them that the flush samples */
static unsigned int nr_sampled_scopes;	/* and those of these that are of tasks' work */

/* how far gpu_events_settle() has come: the next ones, or the heads of the lists */
static struct list_head *sets_next = &gpu_sets;
static struct list_head *roots_next = &gpu_roots;

/* events whose sets are settled under one hold of gpu_lock, where all of them are */
#define GPU_SETTLE_PORTION	256

/**
 * gpu_events_init() - before the PMU is registered
 */
void gpu_events_init(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct gpu_cpu_events *here = per_cpu_ptr(&gpu_cpu_events, cpu);

		for (i = 0; i < ARRAY_SIZE(here->jobs.of); i++) {
			INIT_LIST_HEAD(&here->jobs.of[i]);
			INIT_LIST_HEAD(&here->scopes.of[i]);
		}
		INIT_LIST_HEAD(&here->waits);
		INIT_LIST_HEAD(&here->sampled);
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

/* gpu_lock held */
static bool clone_is_live(struct gpu_event *root)
{
	unsigned int look = GPU_CLONES_LOOK;
	struct gpu_event *clone;

	list_for_each_entry(clone, &root->clones, link) {
		if (event_state(clone->event) >= PERF_EVENT_STATE_INACTIVE)
			return true;
		if (!--look) {
			/* the next call begins behind it */
			list_bulk_move_tail(&root->clones, root->clones.next, &clone->link);
			break;
		}
	}
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

/* a device-wide number is no cgroup's, and would be counted as if it was */
static bool event_is_cgroup(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return event->cgrp;
#else
	return false;
#endif
}

static bool event_is_live(struct gpu_event *root)
{
	int state = event_state(root->event);

	if (event_is_cgroup(root->event))
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
static bool event_is_armed(struct gpu_event *root)
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

/* what it counts comes by the stream of a counter unit's reports */
static bool event_lags(const struct gpu_event *root)
{
	return root->wants_unit;
}

static bool member_live(struct gpu_member *member)
{
	struct gpu_event *root = member_event(member);
	struct gpu_unit_progress progress;
	bool live = event_is_live(root);

	if (!event_lags(root))
		return live;
	gpu_unit_progress(root->gdev, &progress);
	live = gpu_member_follow(member, live, progress.written, progress.read);
	if (member->nr_marks)
		gpu_unit_mark(root->gdev, member->marks[0].at);
	else if (member->told && progress.read < member->left)
		/* if it is off by the next time, it was not before that */
		gpu_unit_mark(root->gdev, member->left);
	if (member->spilled) {
		member->spilled = false;
		gpu_lose(root->gdev);
	}
	return live;
}

static int member_task_cpu(struct gpu_member *member)
{
	return task_cpu(member_event(member)->event->hw.target);
}

static void member_credit(struct gpu_member *member, u64 delta)
{
	struct perf_event *event = member_event(member)->event;

	/* perf counts what is sampled, when it is */
	if (member_event(member)->fifo)
		return;
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

/* its task's time off the CPU is time that it has counted for */
static void root_settle(struct gpu_event *root, u64 now)
{
	struct perf_event *event = root->event;
	u64 elapsed = now - root->settled;

	root->settled = now;
	if (event->hw.target && event_is_live(root) &&
	    event_state(event) == PERF_EVENT_STATE_INACTIVE) {
		atomic64_add(elapsed, &event->child_total_time_enabled);
		atomic64_add(elapsed, &event->child_total_time_running);
	}
}

/* it is not there any more when it is its turn */
static void list_leave(struct list_head *link, struct list_head **next)
{
	if (*next == link)
		*next = link->next;
	list_del(link);
}

/**
 * gpu_events_settle() - share out what all accounts have counted, to some of the events
 * @work:	how many of them
 * @armed:	set to whether one of them could be counting, if one could
 *
 * A task event's enabled and running time are the task's time on a CPU. For
 * what the GPU does that is not the time that was measured, and an event whose
 * task did not run at all would read as never counted. So the time that a live
 * event's task is off the CPU is added to both: their ratio stays 1.
 *
 * Context: gpu_lock held.
 * Return: whether there are more, for the next call. Else that begins anew.
 */
bool gpu_events_settle(unsigned int work, bool *armed)
{
	u64 now = ktime_get_ns();

	lockdep_assert_held(&gpu_lock);

	/* a round begins */
	if (sets_next == &gpu_sets && roots_next == &gpu_roots) {
		sets_next = gpu_sets.next;
		roots_next = gpu_roots.next;
	}
	while (sets_next != &gpu_sets && work) {
		struct gpu_set *set = list_entry(sets_next, struct gpu_set, link);

		gpu_set_settle(set, &gpu_credit_ops, NULL);
		work -= min(work, set->nr);
		sets_next = sets_next->next;
	}
	for (; roots_next != &gpu_roots && work; work--) {
		struct gpu_event *root = list_entry(roots_next, struct gpu_event, link);

		*armed |= event_is_armed(root);
		root_settle(root, now);
		gpu_fifo_settle(root);
		roots_next = roots_next->next;
	}
	return sets_next != &gpu_sets || roots_next != &gpu_roots;
}

/**
 * gpu_events_settle_all() - the same, to all events: but for the time
 *
 * Context: process, gpu_mutex held, so that the sets stay; sleeps.
 */
void gpu_events_settle_all(void)
{
	unsigned int work = GPU_SETTLE_PORTION;
	struct gpu_set *set;

	lockdep_assert_held(&gpu_mutex);

	raw_spin_lock_irq(&gpu_lock);
	list_for_each_entry(set, &gpu_sets, link) {
		if (!work) {
			raw_spin_unlock_irq(&gpu_lock);
			cond_resched();
			raw_spin_lock_irq(&gpu_lock);
			work = GPU_SETTLE_PORTION;
		}
		gpu_set_settle(set, &gpu_credit_ops, NULL);
		work -= min(work, set->nr);
	}
	raw_spin_unlock_irq(&gpu_lock);
}

/* an event of the set that has counted what was read up to here, and does not go on */
static struct gpu_member *set_leaving(struct gpu_set *set)
{
	struct gpu_member *member, *leaving = NULL;
	struct gpu_unit_progress progress;
	struct gpu_event *root;
	bool before;

	list_for_each_entry(member, &set->members, link) {
		root = member_event(member);
		gpu_unit_progress(root->gdev, &progress);
		before = member->here;
		/* off since some time, and nobody has noticed: not up to here */
		if (member->told && member->left < progress.read && !event_is_live(root))
			before = false;
		if (!member_live(member) && before)
			leaving = member;
	}
	return leaving;
}

/**
 * gpu_events_mark() - reports are read up to where an event was switched
 *
 * Context: gpu_lock held.
 * Return: how many events were looked at.
 */
unsigned int gpu_events_mark(void)
{
	struct gpu_member *member;
	struct gpu_set *set;

	lockdep_assert_held(&gpu_lock);
	list_for_each_entry(set, &gpu_sets, link) {
		member = list_first_entry(&set->members, struct gpu_member, link);
		if (!event_lags(member_event(member)))
			continue;
		gpu_set_settle(set, &gpu_credit_ops, set_leaving(set));
		list_for_each_entry(member, &set->members, link)
			member->live = member->here;
	}
	return nr_members;
}

/* ---- what a submission is counted in ---- */

/*
 * Which device's and which engine's work it is, in one word; of an event, what it is
 * restricted to: 0, or 0 in one half of it, if it is not.
 */
#define WORK_KEY_DEVICE		GENMASK_ULL(63, 32)
#define WORK_KEY_ENGINE		GENMASK_ULL(31, 0)

/* of a device, by its number, or of all (0); of an engine, or of all (0): see struct gpu_account */
static u64 work_key(u32 device, unsigned int slot)
{
	return FIELD_PREP(WORK_KEY_DEVICE, device) | FIELD_PREP(WORK_KEY_ENGINE, slot);
}

static struct list_head *work_events_of(struct gpu_work_events *events, u64 key)
{
	return &events->of[hash_64(key, GPU_WORK_HASH_BITS)];
}

static void work_events_add(struct gpu_work_events *events, struct gpu_event *ev)
{
	events->nr++;
	events->nr_bound += !!ev->key;
	list_add_tail(&ev->active, work_events_of(events, ev->key));
}

static void work_events_del(struct gpu_work_events *events, struct gpu_event *ev)
{
	events->nr--;
	events->nr_bound -= !!ev->key;
	list_del(&ev->active);
}

/* which parts of a key an event can be restricted to, if it is */
static const u64 work_masks[] = {
	WORK_KEY_DEVICE, WORK_KEY_ENGINE, WORK_KEY_DEVICE | WORK_KEY_ENGINE,
};

/* from an account that work belongs to */
static void who_has_account(struct gpu_pmu_device *gdev, struct gpu_account *owner,
			    struct gpu_who *who)
{
	if (owner->up == &gdev->account) {
		who->client = container_of(owner, struct gpu_client, account);
	} else {
		who->context = container_of(owner, struct gpu_context, account);
		who->client = who->context->client;
	}
}

static bool event_is_of(const struct gpu_event *root, const struct gpu_who *who)
{
	return (!root->client || root->client == who->client) &&
	       (!root->context || root->context == who->context);
}

static void sample_who(struct gpu_pmu_sample *sample, const struct gpu_who *who)
{
	if (who->client)
		sample->client = who->client->id;
	if (who->context)
		sample->ctx = who->context->id;
}

/* what is submitted */
struct submission {
	struct gpu_pmu_device *gdev;
	const struct gpu_pmu_work *work;
	struct gpu_record *rec;
	unsigned int room;	/* for so many more scopes */
	bool left_out;		/* and there was one more */
};

/* not inline: it has much on the stack, which is initialized, and is not for all */
static noinline void submission_sample(const struct submission *s, struct gpu_event *ev)
{
	const struct gpu_record *rec = s->rec;
	struct gpu_account *owner = rec->flags & GPU_RECORD_BY_CONTEXT ?
		gpu_context_account(s->gdev, rec->ctx, U64_MAX) : rec->owner;
	struct gpu_pmu_sample sample = {
		.kind = GPU_PMU_SAMPLE_JOB,
		.engine = s->work->engine,
		.dev = s->gdev->minor,
		.fence_context = s->work->fence_context,
		.fence_seqno = s->work->fence_seqno,
		.submit = s->work->time,
	};
	struct gpu_who who = {};

	/* interrupts are off, which RCU waits for, too: who is found stays */
	if (owner)
		who_has_account(s->gdev, owner, &who);
	sample_who(&sample, &who);
	if (event_is_of(ev->root, &who))
		gpu_sample_here(ev, s->gdev, &sample, 1);
}

/* those that count, or sample, submissions of the key */
static void jobs_submit(struct gpu_work_events *jobs, u64 key, struct submission *s)
{
	bool interrupted = !in_task();
	struct gpu_event *ev;

	list_for_each_entry(ev, work_events_of(jobs, key), active) {
		if (ev->key != key)
			continue;
		if (interrupted && ev->event->hw.target)
			continue; /* current has nothing to do with it */
		if (is_sampling_event(ev->event))
			submission_sample(s, ev);
		else
			local64_inc(&ev->event->count);
	}
}

/* likewise; those that the record has no room for go ahead of it */
static noinline void submission_spill(const struct submission *s)
{
	struct gpu_record more = *s->rec;

	more.type = GPU_RECORD_SCOPES;
	gpu_ring_offer(&s->gdev->ring, &more);
	s->rec->nr_scopes = 0;
}

/* those that count what becomes of it */
static void scopes_submit(struct gpu_work_events *scopes, u64 key, struct submission *s)
{
	struct gpu_record *rec = s->rec;
	struct gpu_event *ev;

	list_for_each_entry(ev, work_events_of(scopes, key), active) {
		if (ev->key != key)
			continue;
		if (!s->room) {
			s->left_out = true;
			return;
		}
		s->room--;
		if (rec->nr_scopes == GPU_RECORD_SCOPES_MAX)
			submission_spill(s);
		rec->scope[rec->nr_scopes++] = &ev->root->scope->account;
	}
}

/* inline: a call through a pointer costs as much as a list */
static __always_inline void
work_submit(struct gpu_work_events *events, struct submission *s,
	    void (*submit)(struct gpu_work_events *events, u64 key, struct submission *s))
{
	unsigned int i;
	u64 key;

	if (!events->nr)
		return;
	submit(events, 0, s);
	if (!events->nr_bound)
		return;
	key = work_key(s->gdev->number, s->rec->engine + 1);
	for (i = 0; i < ARRAY_SIZE(work_masks); i++)
		submit(events, key & work_masks[i], s);
}

/**
 * gpu_events_submit() - count a submission, and find who it is counted for
 * @gdev:	the device
 * @work:	what is submitted
 * @rec:	its QUEUE record: its scopes are filled in; those for which there is
 *		no room are pushed to the ring ahead of it
 *
 * Context: interrupts off, so that this CPU's lists stand still; in the
 * context of the task that submits, if one does.
 */
void gpu_events_submit(struct gpu_pmu_device *gdev, const struct gpu_pmu_work *work,
		       struct gpu_record *rec)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	struct submission s = { gdev, work, rec, .room = 2 * GPU_TASK_SCOPES_MAX };

	if (work->flags & GPU_PMU_WORK_EARLIER)
		return;
	if (work->flags & GPU_PMU_WORK_JOB)
		work_submit(&here->jobs, &s, jobs_submit);
	if (in_task() && rec->owner != &gdev->kernel->account)
		work_submit(&here->scopes, &s, scopes_submit);
	if (s.left_out)
		gpu_ring_leave_out(&gdev->ring);
}

/**
 * gpu_events_wait() - count, and sample, that the current task has waited
 * @gdev:	the device that it has waited for, or NULL
 * @client:	for whom, or NULL
 * @sample:	what to say of it; begin and end are set
 *
 * Context: the task that has waited, interrupts off.
 */
void gpu_events_wait(struct gpu_pmu_device *gdev, struct gpu_client *client,
		     struct gpu_pmu_sample *sample)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	struct gpu_who who = { .client = client };
	struct gpu_event *ev;
	u64 count;

	sample_who(sample, &who);
	list_for_each_entry(ev, &here->waits, active) {
		if ((ev->root->gdev && ev->root->gdev != gdev) || !event_is_of(ev->root, &who))
			continue;
		count = ev->root->counter == GPU_COUNTER_WAITS ? 1 :
			sample->end - sample->begin;
		if (is_sampling_event(ev->event))
			gpu_sample_here(ev, gdev, sample, count);
		else
			local64_add(count, &ev->event->count);
	}
}

/* ---- samples of what the flush finds out ---- */

/* to who of a set would be credited: as in gpu_set_settle() */
static void set_sample(struct gpu_set *set, const struct gpu_pmu_sample *sample,
		       const struct gpu_pmu_sample_value *values)
{
	struct gpu_member *member = gpu_set_pick(set, &gpu_credit_ops, NULL);

	if (member)
		gpu_sample_later(member_event(member), sample, values);
}

static bool set_samples(const struct gpu_set *set, unsigned int counter, unsigned int engine)
{
	return set->view.counter == counter &&
	       (!set->view.slot || set->view.slot == engine + 1);
}

/**
 * gpu_events_done() - sample a completion
 * @gdev:	the device
 * @job:	what is complete
 * @time:	when that was, ns
 *
 * Context: gpu_lock held.
 */
void gpu_events_done(struct gpu_pmu_device *gdev, const struct gpu_job *job, u64 time)
{
	struct gpu_pmu_sample sample = {
		.kind = GPU_PMU_SAMPLE_DONE,
		.engine = job->engine,
		.dev = gdev->minor,
		.pid = job->pid,
		.fence_context = job->fence_context,
		.fence_seqno = job->fence_seqno,
		.submit = job->submit,
		.begin = job->start,
		.end = time,
		.busy = job->busy,
		.flags = job->flags & GPU_PMU_WORK_EARLIER ? GPU_PMU_SAMPLE_EARLIER : 0,
	};
	const struct gpu_job *part;
	struct gpu_who who = {};
	struct gpu_set *set;
	int i;

	lockdep_assert_held(&gpu_lock);
	who_has_account(gdev, job->owner, &who);
	sample_who(&sample, &who);
	list_for_each_entry(set, &gpu_sampled_sets, sampled) {
		if (set_samples(set, GPU_COUNTER_DONE, job->engine) &&
		    gpu_account_is_part(job->owner, set->view.account))
			set_sample(set, &sample, NULL);
	}
	for (part = job, i = 0; gpu_job_has_scope(&part, &i); i++) {
		set = container_of(part->scope[i], struct gpu_scope, account)->sampled;
		if (set && set->view.counter == GPU_COUNTER_DONE)
			set_sample(set, &sample, NULL);
	}
}

/**
 * gpu_events_report() - sample a report
 * @gdev:	the device
 * @owner:	whose interval it is the end of
 * @sample:	what to say of it; who it is about is filled in
 * @values:	@sample->nr_values of them
 *
 * Context: gpu_lock held.
 */
void gpu_events_report(struct gpu_pmu_device *gdev, struct gpu_account *owner,
		       struct gpu_pmu_sample *sample,
		       const struct gpu_pmu_sample_value *values)
{
	struct gpu_who who = {};
	struct gpu_set *set;

	lockdep_assert_held(&gpu_lock);
	sample->dev = gdev->minor;
	if (owner != &gdev->account)
		who_has_account(gdev, owner, &who);
	sample_who(sample, &who);
	list_for_each_entry(set, &gpu_sampled_sets, sampled) {
		if (set_samples(set, GPU_COUNTER_REPORTS, sample->engine) &&
		    gpu_account_is_part(owner, set->view.account))
			set_sample(set, sample, values);
	}
}

/**
 * gpu_events_want_reports() - does anyone want each report?
 *
 * Context: gpu_lock held.
 * Return: whether one does.
 */
bool gpu_events_want_reports(void)
{
	lockdep_assert_held(&gpu_lock);
	return report_users;
}

/**
 * gpu_events_sample_work() - how much is done for what can be sampled
 *
 * Context: gpu_lock held.
 * Return: 1, and 2 for each event that may want a sample.
 */
unsigned int gpu_events_sample_work(void)
{
	lockdep_assert_held(&gpu_lock);
	/* no job names more */
	return 1 + 2 * (gpu_nr_sampled - nr_sampled_scopes +
			min(nr_sampled_scopes, 2 * GPU_TASK_SCOPES_MAX));
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

/**
 * gpu_events_batch() - perf begins, or ends, to switch several events on this CPU
 * @begin:	which
 *
 * For perf they are switched at one time. A task with many events would else pay a
 * flush for each of them at each context switch.
 *
 * Context: interrupts off.
 */
void gpu_events_batch(bool begin)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);

	here->batch = begin;
	here->flushed = false;
	here->drained = 0;
}

/* up to when an event is switched; gpu_lock held, interrupts off */
static void events_flush(void)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);

	if (here->flushed)
		return;
	gpu_flush_devices();
	here->flushed = here->batch;
}

/*
 * An event of the set is switched. If nothing was counted since the set was settled
 * last, there is nothing to share out, and the others are as they were then: they are
 * looked at when there is, and by each flush of the timer. So a task that is switched
 * does not pay for all that share a number with its events.
 */
static void event_settle(struct gpu_event *root, bool leaving)
{
	/* with late data, it is where the stream has come to that counts */
	if (event_lags(root))
		gpu_set_settle(root->set, &gpu_credit_ops, NULL);
	else if (gpu_set_is_settled(root->set))
		root->member.live = leaving || event_is_live(root);
	else
		gpu_set_settle(root->set, &gpu_credit_ops, leaving ? &root->member : NULL);
}

/* the flush has not run since: what is found out from now on is not the event's */
static void event_off(struct gpu_event *root)
{
	struct gpu_unit_progress progress;

	if (!event_lags(root)) {
		root->member.live = false;
		return;
	}
	gpu_unit_progress(root->gdev, &progress);
	gpu_member_off(&root->member, progress.read);
	if (root->member.nr_marks)
		gpu_unit_mark(root->gdev, root->member.marks[0].at);
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
	gpu_sample_arm(event);
	if (ev->how == GPU_EVENT_HERE) {
		if (ev->root->at == GPU_AT_WAIT)
			list_add_tail(&ev->active, &here->waits);
		else
			work_events_add(&here->jobs, ev);
		return 0;
	}

	if (event_is_cgroup(event))
		return -EOPNOTSUPP;
	raw_spin_lock(&gpu_lock);
	if (ev->root != ev)
		list_move(&ev->link, &ev->root->clones);
	if (event_was_off(ev))
		event_off(ev->root);
	events_flush();
	event_settle(ev->root, false);
	raw_spin_unlock(&gpu_lock);

	if (ev->how == GPU_EVENT_SCOPE)
		work_events_add(&here->scopes, ev);
	if (ev->root->fifo)
		gpu_fifo_begin(ev);
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
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	struct gpu_event *root = ev->root;

	if (ev->how == GPU_EVENT_HERE) {
		if (root->at == GPU_AT_WAIT)
			list_del(&ev->active);
		else
			work_events_del(&here->jobs, ev);
		return;
	}
	if (ev->how == GPU_EVENT_SCOPE)
		work_events_del(&here->scopes, ev);

	raw_spin_lock(&gpu_lock);
	events_flush();
	event_settle(root, true);
	raw_spin_unlock(&gpu_lock);
	if (root->fifo)
		gpu_fifo_end(ev);
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

static void sampled_add(const struct gpu_event *ev, int nr)
{
	lockdep_assert_held(&gpu_lock);
	WRITE_ONCE(gpu_nr_sampled, gpu_nr_sampled + nr);
	if (ev->scope)
		nr_sampled_scopes += nr;
}

/* all that a root event holds, in whatever state gpu_event_open() left it */
static void root_free(struct gpu_event *ev)
{
	struct gpu_event *clone, *next;
	struct gpu_set *set = NULL;

	lockdep_assert_held(&gpu_mutex);

	if (ev->wants_unit)
		gpu_unit_put(ev->gdev);
	if (ev->wants_unit && ev->counter >= GPU_NR_COUNTERS)
		gpu_native_release(ev->counter);
	gpu_flush_ahead();
	raw_spin_lock_irq(&gpu_lock);
	if (!list_empty(&ev->link)) {
		list_leave(&ev->link, &roots_next);
		report_users -= ev->counter == GPU_COUNTER_REPORTS;
	}
	/* a fork that fails drops the parent before the clone on some kernels */
	list_for_each_entry_safe(clone, next, &ev->clones, link)
		list_del_init(&clone->link);
	/* records on their way may name the scope */
	gpu_flush_devices();
	if (ev->set) {
		gpu_set_leave(ev->set, &ev->member);
		nr_members--;
		sampled_add(ev, -ev->set->view.sampled);
		if (!ev->set->nr) {
			set = ev->set;
			list_leave(&set->link, &sets_next);
			list_del(&set->sampled);
			if (ev->scope)
				ev->scope->sampled = NULL;
		}
	}
	if (ev->fifo)
		gpu_fifo_close(ev);
	if (ev->scope && !--ev->scope->users)
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
	if (ev->at == GPU_AT_WAIT)
		gpu_waits_put();
	gpu_fifo_free(ev);
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
	struct gpu_event *ev = kzalloc(sizeof(*ev), GFP_KERNEL_ACCOUNT);

	if (!ev)
		return NULL;
	ev->event = event;
	ev->root = root ?: ev;
	INIT_LIST_HEAD(&ev->link);
	INIT_LIST_HEAD(&ev->active);
	INIT_LIST_HEAD(&ev->sampling);
	INIT_LIST_HEAD(&ev->clones);
	hlist_add_head(&event->hlist_entry, &ev->solo);
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
	ev->key = root->key;
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
	if (attr->config1 & ~GPU_PMU_CONFIG1_FD_MASK || gpu_compat_config3(attr))
		return -EINVAL;
	c->desc = gpu_event_by_id(id);
	if (!c->desc)
		return -EINVAL;
	c->slot = FIELD_GET(GPU_PMU_CONFIG_ENGINE_MASK, attr->config);
	c->dev = FIELD_GET(GPU_PMU_CONFIG_DEV_MASK, attr->config);
	c->fd = FIELD_GET(GPU_PMU_CONFIG1_FD_MASK, attr->config1);
	c->ctx = attr->config2;
	if (c->ctx && !c->fd)
		return -EINVAL; /* whose context? */
	if (c->slot && (c->desc->of_device || c->desc->at == GPU_AT_WAIT))
		return -EINVAL; /* a lost record, or a wait, is no engine's */
	return 0;
}

/* the flush looks at each event: nobody may make it look at too many */
static int event_permit(struct perf_event *event, const struct gpu_config *c)
{
	bool scope = event->hw.target && !c->fd && c->desc->at == GPU_AT_FLUSH;
	unsigned int mine = 0, task = 0, sampled = 0;
	kuid_t payer = gpu_payer();
	const struct gpu_event *root;

	lockdep_assert_held(&gpu_mutex);

	list_for_each_entry(root, &gpu_roots, link) {
		/*
		 * Others' do not count, not on the task either: perf looks whether they
		 * may be there when they have been here already.
		 */
		if (!uid_eq(root->payer, payer))
			continue;
		mine++;
		sampled += root->fifo && !root->scope;
		task += root->how == GPU_EVENT_SCOPE && root->event->cpu == event->cpu &&
			root->event->hw.target == event->hw.target;
	}
	if (mine >= READ_ONCE(max_user_events) && !perfmon_capable())
		return -EMFILE;
	/* and each completion, or report, at those that have samples of it */
	if (is_sampling_event(event) && c->desc->at == GPU_AT_FLUSH && !scope &&
	    sampled >= GPU_USER_SAMPLED_MAX && !perfmon_capable())
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
	if (desc->counter == GPU_COUNTER_REPORTS)
		return gdev->unit;
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

static struct gpu_scope *scope_alloc(void)
{
	struct gpu_scope *scope = kzalloc(sizeof(*scope) + gpu_account_bytes(0, GPU_NR_COUNTERS),
					  GFP_KERNEL_ACCOUNT);

	if (scope)
		gpu_account_init(&scope->account, NULL, 0, GPU_NR_COUNTERS);
	return scope;
}

static bool scope_is_for(const struct gpu_event *root, const struct gpu_event *ev,
			 const struct gpu_pmu_device *gdev)
{
	return root->how == GPU_EVENT_SCOPE && root->fifo &&
	       root->set->opener == task_tgid(current) &&
	       root->event->hw.target == ev->event->hw.target &&
	       root->counter == ev->counter && root->slot == ev->slot && root->gdev == gdev;
}

/*
 * perf record opens an event of a task for each CPU. What the GPU has done for it is found
 * out when it may be on another one than at the submission, and asleep: so they are one.
 * Those of one CPU are not: the user has asked twice.
 */
static struct gpu_scope *scope_of_other_cpus(const struct gpu_event *ev,
					     const struct gpu_pmu_device *gdev)
{
	const struct gpu_member *member;
	struct gpu_event *root;

	lockdep_assert_held(&gpu_mutex);
	if (ev->event->cpu < 0 || !is_sampling_event(ev->event))
		return NULL;
	list_for_each_entry(root, &gpu_roots, link) {
		if (!scope_is_for(root, ev, gdev))
			continue;
		list_for_each_entry(member, &root->set->members, link)
			if (member->cpu < 0 || member->cpu == ev->event->cpu)
				break;
		if (list_entry_is_head(member, &root->set->members, link))
			return root->scope;
	}
	return NULL;
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

	if (c->desc->at != GPU_AT_FLUSH) {
		ev->how = GPU_EVENT_HERE;
	} else if (ev->event->hw.target && !c->desc->of_device) {
		ev->how = GPU_EVENT_SCOPE;
		ev->scope = scope_of_other_cpus(ev, gdev) ?: scope_alloc();
		if (!ev->scope)
			return -ENOMEM;
		ev->scope->users++;
		*account = &ev->scope->account;
	} else {
		ev->how = GPU_EVENT_VIEW;
		*account = gdev ? &gdev->account : gpu_all;
	}
	ev->gdev = gdev;
	return 0;
}

/* an account that counts by itself, or events that are there when it happens */
static struct gpu_account *bind_account(struct gpu_event *ev, const struct gpu_config *c,
					struct gpu_account *account)
{
	if (c->desc->at != GPU_AT_FLUSH && is_sampling_event(ev->event)) {
		ev->how = GPU_EVENT_HERE;
		return NULL;
	}
	ev->how = GPU_EVENT_VIEW;
	return account;
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

	ev->gdev = gdev;
	raw_spin_lock_irq(&gpu_lock);
	ev->client = gdev->kernel;
	ev->client->refs++;
	raw_spin_unlock_irq(&gpu_lock);
	*account = bind_account(ev, c, c->desc->of_device ? &gdev->account :
							    &ev->client->account);
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
	/* a wait is for a fence, of whatever context */
	if (c->ctx && c->desc->at == GPU_AT_WAIT)
		return -EOPNOTSUPP;

	ev->gdev = gdev;
	if (c->desc->of_device) {
		*account = bind_account(ev, c, &gdev->account);
	} else if (c->ctx) {
		ev->context = gpu_context_get_file(gdev, file, c->ctx, number);
		if (!ev->context)
			return -ENOMEM;
		*account = bind_account(ev, c, &ev->context->account);
	} else {
		ev->client = gpu_client_get_file(gdev, file);
		if (!ev->client)
			return -ENOMEM;
		*account = bind_account(ev, c, &ev->client->account);
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
	struct gpu_view view = { account, ev->scope ? 0 : c->slot, c->desc->counter,
				 ev->fifo };
	bool own = task && same_thread_group(task, current);
	const struct gpu_member *member;
	struct gpu_set *set, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	ev->member.cpu = ev->event->cpu;
	ev->member.task = task;

	raw_spin_lock_irq(&gpu_lock);
	gpu_set_init(new, &view, get_pid(task_tgid(current)), own ? task : NULL);
	raw_spin_unlock_irq(&gpu_lock);
	/* there may be many of them, and under gpu_mutex none comes or goes */
	list_for_each_entry(set, &gpu_sets, link)
		if (gpu_set_takes(set, new, &ev->member))
			break;

	/* wherever its task is, it gets what waits for it */
	if (ev->fifo && task && !list_entry_is_head(set, &gpu_sets, link))
		list_for_each_entry(member, &set->members, link)
			if (member->task == task) {
				gpu_fifo_share(ev, container_of(member, struct gpu_event, member));
				break;
			}

	raw_spin_lock_irq(&gpu_lock);
	if (list_entry_is_head(set, &gpu_sets, link)) {
		set = new;
		new = NULL;
		list_add_tail(&set->link, &gpu_sets);
		INIT_LIST_HEAD(&set->sampled);
		if (ev->fifo && ev->scope)
			ev->scope->sampled = set;
		else if (ev->fifo)
			list_add_tail(&set->sampled, &gpu_sampled_sets);
	}
	gpu_set_join(set, &ev->member);
	nr_members++;
	sampled_add(ev, view.sampled);
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
	ev->counter = c->desc->counter;
	ev->payer = gpu_payer();

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
	/* what it is restricted to does not change any more */
	ev->key = work_key(ev->gdev ? ev->gdev->number : 0, ev->slot);
	if (!err && ev->gdev && !device_counts(ev->gdev, c->desc))
		err = -ENODATA;
	if (!err && c->desc->of_context) {
		err = gpu_unit_get(ev->gdev);
		ev->wants_unit = !err;
		if (!err && ev->counter >= GPU_NR_COUNTERS)
			gpu_native_hold(ev->counter);
	}
	if (!err && c->desc->at == GPU_AT_WAIT) {
		err = gpu_waits_get();
		ev->at = err ? GPU_AT_FLUSH : GPU_AT_WAIT;
	} else if (!err) {
		ev->at = c->desc->at;
	}
	if (!err && account && is_sampling_event(event))
		err = gpu_fifo_alloc(ev);
	if (!err && account)
		err = event_join(ev, c, account);
	if (err) {
		root_free(ev);
		return err;
	}

	raw_spin_lock_irq(&gpu_lock);
	ev->settled = ktime_get_ns();
	list_add_tail(&ev->link, &gpu_roots);
	report_users += ev->counter == GPU_COUNTER_REPORTS;
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
		err = gpu_sample_check(event, config.desc);
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
