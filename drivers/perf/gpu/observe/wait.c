// SPDX-License-Identifier: GPL-2.0
/*
 * When a task is blocked on a fence. Common to all drivers, and probed only while an
 * event wants to know.
 *
 * DOC: where tasks wait
 *
 * dma_fence_wait_timeout()	in an ioctl of a driver: for a fence, or for each of a
 *				reservation's
 * dma_fence_wait_any_timeout()	likewise: for the first of several
 * drm_syncobj_*wait_ioctl()	for syncobjs: they wait by callbacks of their own
 * poll() and select()		on a sync file: from sync_file_poll(), which finds that
 *				a fence is not signalled yet, to poll_freewait()
 *
 * All but the last are calls that return when the wait is over: a kretprobe has a
 * place for each of them, with the task that is in it. For the last there is a note
 * from the one to the other. A task that waits by epoll is not seen.
 *
 * Kernel threads are left out: what they wait for is nobody's.
 *
 * DOC: what is a wait
 *
 * What the arguments say is not enough to tell whether a call waits: a fence may be
 * signalled and not know it, as a timeline's or an array's does before it is asked; a
 * deadline may be over; another file of a poll() may be ready. So the last word is the
 * scheduler's: a task that was not switched out of its own will (nvcsw) has not slept, and
 * there was no wait. One that is preempted (nivcsw) goes on, and sleeps if there is still
 * something to wait for. A driver that spins for a while before it sleeps, as i915 does,
 * makes a wait only if it does sleep.
 *
 * The arguments are looked at, too: what surely does not wait needs no room, and is
 * no wait if it sleeps for something else, such as a page that is read in.
 *
 * DOC: the fence of a wait
 *
 * It is one that a job's sample has, too: not the node of a timeline, or an array, but
 * what is in there. Of several it is the first one that is not signalled when the wait
 * begins, and of a timeline the newest one up to the point that is asked for.
 */
#include <linux/dma-fence-array.h>
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <uapi/drm/drm.h>
#include <uapi/linux/gpu_pmu.h>

#include "../compat.h"
#include "../internal.h"

/* tasks that can be in a wait at once; those beyond are counted as lost */
#define WAITS_MAX	512

/**
 * struct wait - a task that waits
 * @begin:	ns, when it began; 0: it has not
 * @fence_context: of what it waits for, or 0
 * @fence_seqno: of the same
 * @sleeps:	how often the task had slept when it began
 * @file:	for whom; only in the call that was given it
 */
struct wait {
	u64 begin;
	u64 fence_context;
	u64 fence_seqno;
	unsigned long sleeps;
	struct drm_file *file;
};

static void wait_begin(struct wait *wait, struct dma_fence *fence)
{
	wait->begin = ktime_get_ns();
	wait->sleeps = current->nvcsw;
	if (fence) {
		wait->fence_context = fence->context;
		wait->fence_seqno = fence->seqno;
	}
}

/*
 * How many nodes of a timeline, or fences of an array, are looked at: how many there are
 * is the user's choice, and this must not take long
 */
#define FENCES_MAX	16

/* as far as that is known without asking: it may be over, and not know it */
static bool fence_is_over(const struct dma_fence *fence)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags);
}

/* the job's fence that is not over: this one, or one of its array. NULL: it is over */
static struct dma_fence *fence_left(struct dma_fence *fence)
{
	struct dma_fence_array *array = to_dma_fence_array(fence);
	unsigned int i;

	if (fence_is_over(fence))
		return NULL;
	if (!array)
		return fence;
	for (i = 0; i < min_t(unsigned int, array->num_fences, FENCES_MAX); i++)
		if (!fence_is_over(array->fences[i]))
			return array->fences[i];
	return i < array->num_fences ? fence : NULL;
}

/* the node before this one, which is put. NULL: there is none */
static struct dma_fence *fence_before(struct dma_fence *fence)
{
	struct dma_fence_chain *chain = to_dma_fence_chain(fence);
	struct dma_fence *before = NULL;

	if (chain) {
		rcu_read_lock();
		before = dma_fence_get_rcu_safe(&chain->prev);
		rcu_read_unlock();
	}
	dma_fence_put(fence);
	return before;
}

/* 0: whatever there is */
static bool point_is_there(struct dma_fence *fence, u64 point)
{
	struct dma_fence_chain *chain = to_dma_fence_chain(fence);

	return !point || (chain && chain->base.seqno >= point);
}

/*
 * Is there something to wait for? @fence is what is in a syncobj, or, with point 0, what is
 * waited for by other means; it is put. A point waits for the first node that has it, and for
 * all that are before that one.
 */
static bool point_begin(struct wait *wait, struct dma_fence *fence, u64 point)
{
	unsigned int most = point_is_there(fence, point) ? FENCES_MAX : 0, i;
	struct dma_fence *left = NULL;
	struct dma_fence_chain *chain;

	for (i = 0; fence && i < most; i++) {
		chain = to_dma_fence_chain(fence);
		if (!chain || !point || chain->prev_seqno < point)
			left = fence_left(dma_fence_chain_contained(fence));
		if (left)
			break;
		fence = fence_before(fence);
	}
	/* a point that is not there yet, or far away: for nothing in particular */
	if (fence)
		wait_begin(wait, left);
	dma_fence_put(fence);
	return wait->begin;
}

/* of the file that was given, or the one that the current ioctl is on */
static void wait_end(const struct wait *wait)
{
	bool slept = current->nvcsw != wait->sleeps;
	struct gpu_pmu_sample sample = {
		.kind = GPU_PMU_SAMPLE_WAIT,
		.engine = GPU_PMU_SAMPLE_NO_ENGINE,
		.fence_context = wait->fence_context,
		.fence_seqno = wait->fence_seqno,
		.begin = wait->begin,
		.end = ktime_get_ns(),
	};
	struct drm_file *drm_file = wait->file;
	struct gpu_pmu_device *gdev = NULL;
	struct gpu_client *client = NULL;
	struct file *file = NULL;
	unsigned long irq;

	if (!slept)
		return;
	if (!drm_file)
		file = gpu_current_drm_file(NULL, &drm_file);

	local_irq_save(irq);
	raw_spin_lock(&gpu_lock);
	if (drm_file) {
		gdev = gpu_device_by_drm(drm_file->minor->dev);
		client = gpu_client_of_file(drm_file);
	}
	if (client) {
		gpu_account_add(&client->account, GPU_NO_ENGINE, GPU_COUNTER_WAITS, 1);
		gpu_account_add(&client->account, GPU_NO_ENGINE, GPU_COUNTER_WAIT_TIME,
				sample.end - sample.begin);
	}
	raw_spin_unlock(&gpu_lock);
	if (gdev)
		sample.dev = gdev->minor;
	/* neither can go: the file is open, and this CPU's events hold the device */
	gpu_events_wait(gdev, client, &sample);
	local_irq_restore(irq);

	if (file)
		fput(file);
}

/* ---- fences and reservations: dma_fence_wait_timeout(fence, intr, timeout) ---- */

static int fence_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_fence *fence = (void *)regs_get_kernel_argument(regs, 0);
	struct wait *wait = (void *)ri->data;

	if (!gpu_in_user_task() || !regs_get_kernel_argument(regs, 2) || fence_is_over(fence))
		return 1;
	*wait = (struct wait) {};
	return !point_begin(wait, dma_fence_get(fence), 0);
}

static int call_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	wait_end((void *)ri->data);
	return 0;
}

/* dma_fence_wait_any_timeout(fences, count, intr, timeout, idx) */
static int fences_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct dma_fence **fences = (void *)regs_get_kernel_argument(regs, 0);
	u32 nr = regs_get_kernel_argument(regs, 1), i;
	struct wait *wait = (void *)ri->data;

	if (!gpu_in_user_task() || !nr || !regs_get_kernel_argument(regs, 3))
		return 1;
	for (i = 0; i < nr; i++)
		if (fence_is_over(fences[i]))
			return 1;
	*wait = (struct wait) {};
	return !point_begin(wait, dma_fence_get(fences[0]), 0);
}

/* ---- syncobjs: drm_syncobj_wait_ioctl(dev, data, file) and its like ---- */

/**
 * struct sync_args - what both of them are asked
 * @handles:	user pointer to handles
 * @points:	user pointer to a point for each of them; 0: there are none
 * @timeout:	absolute
 * @nr:		how many
 * @flags:	DRM_SYNCOBJ_WAIT_FLAGS_*
 */
struct sync_args {
	u64 handles;
	u64 points;
	s64 timeout;
	u32 nr;
	u32 flags;
};

/* who has more of them waits for these, or for others */
#define SYNCS_MAX	8

/* false: it cannot be read, or is not there yet */
static bool sync_read(struct drm_file *file, const struct sync_args *args, u32 i,
		      struct dma_fence **fence, u64 *point)
{
	u32 handle;

	if (copy_from_user_nofault(&handle, u64_to_user_ptr(args->handles) +
				   i * sizeof(handle), sizeof(handle)))
		return false;
	*point = 0;
	if (args->points &&
	    copy_from_user_nofault(point, u64_to_user_ptr(args->points) + i * sizeof(*point),
				   sizeof(*point)))
		return false;
	return !drm_syncobj_find_fence(file, handle, 0, 0, fence);
}

/* is there something to wait for? the first fence that can be named is noted */
static bool sync_wait(struct drm_file *file, const struct sync_args *args, struct wait *wait)
{
	bool all = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
	bool available = args->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
	struct dma_fence *fence;
	u64 point;
	u32 i;

	for (i = 0; i < min_t(u32, args->nr, SYNCS_MAX); i++) {
		struct wait one = { .file = file };

		if (!sync_read(file, args, i, &fence, &point)) {
			wait_begin(&one, NULL);
		} else if (available) {
			/* it is not the fence that is waited for, but that there is one */
			if (!point_is_there(fence, point))
				wait_begin(&one, NULL);
			dma_fence_put(fence);
		} else {
			point_begin(&one, fence, point);
		}
		if (!one.begin && !all)
			return false;
		if (one.begin && !wait->fence_context)
			*wait = one;
	}
	if (args->nr > SYNCS_MAX && !wait->begin)
		wait_begin(wait, NULL);
	return wait->begin;
}

static int sync_enter(struct kretprobe_instance *ri, struct drm_file *file,
		      const struct sync_args *args)
{
	struct wait *wait = (void *)ri->data;

	*wait = (struct wait) { .file = file };
	/* who asks with a time that is over does not wait */
	return !(gpu_in_user_task() && args->timeout > (s64)ktime_get_ns() &&
		 sync_wait(file, args, wait));
}

static int syncobj_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct drm_syncobj_wait *arg = (void *)regs_get_kernel_argument(regs, 1);
	const struct sync_args args = {
		.handles = arg->handles,
		.timeout = arg->timeout_nsec,
		.nr = arg->count_handles,
		.flags = arg->flags,
	};

	return sync_enter(ri, (void *)regs_get_kernel_argument(regs, 2), &args);
}

static int timeline_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct drm_syncobj_timeline_wait *arg = (void *)regs_get_kernel_argument(regs, 1);
	const struct sync_args args = {
		.handles = arg->handles,
		.points = arg->points,
		.timeout = arg->timeout_nsec,
		.nr = arg->count_handles,
		.flags = arg->flags,
	};

	return sync_enter(ri, (void *)regs_get_kernel_argument(regs, 2), &args);
}

/* ---- sync files: from sync_file_poll(file, table) to poll_freewait(table) ---- */

/**
 * struct poll_note - a task polls a fence that is not signalled
 * @link:	in notes[], or in free_notes
 * @task:	a key
 * @wait:	what it waits for
 */
struct poll_note {
	struct hlist_node link;
	struct task_struct *task;
	struct wait wait;
};

#define POLL_HASH_BITS	6

static DEFINE_RAW_SPINLOCK(notes_lock);	/* innermost; of all of these */
static struct hlist_head notes[1 << POLL_HASH_BITS];
static struct poll_note note_pool[WAITS_MAX];
static HLIST_HEAD(free_notes);
static unsigned long notes_missed;

static struct hlist_head *notes_of_current(void)
{
	return &notes[hash_ptr(current, POLL_HASH_BITS)];
}

static struct poll_note *note_find(void)
{
	struct poll_note *note;

	hlist_for_each_entry(note, notes_of_current(), link)
		if (note->task == current)
			return note;
	return NULL;
}

static void note_take(const struct wait *wait)
{
	struct poll_note *note;

	if (note_find())
		return;		/* of several it is the first one */
	if (hlist_empty(&free_notes)) {
		notes_missed++;
		return;
	}
	note = hlist_entry(free_notes.first, struct poll_note, link);
	hlist_del(&note->link);
	note->task = current;
	note->wait = *wait;
	hlist_add_head(&note->link, notes_of_current());
}

/*
 * Others ask a file once, and wait by other means: epoll, io_uring. For them no end of
 * a poll would come.
 */
static bool current_is_in_poll(void)
{
	int nr = syscall_get_nr(current, task_pt_regs(current));

#ifdef CONFIG_COMPAT
	/* the 32-bit tables of both x86 and arm: poll, ppoll, pselect6, and for time64 */
	if (in_compat_syscall())
		return nr == 168 || nr == 142 || nr == 308 || nr == 309 || nr == 335 ||
		       nr == 336 || nr == 413 || nr == 414;
#endif
	switch (nr) {
#ifdef __NR_poll
	case __NR_poll:
	case __NR_select:
#endif
	case __NR_ppoll:
	case __NR_pselect6:
		return true;
	default:
		return false;
	}
}

static int sync_file_asked(struct kprobe *probe, struct pt_regs *regs)
{
	struct file *file = (void *)regs_get_kernel_argument(regs, 0);
	struct sync_file *sync = file->private_data;
	struct wait wait = {};
	unsigned long irq;

	if (!gpu_in_user_task() || !current_is_in_poll() ||
	    poll_does_not_wait((void *)regs_get_kernel_argument(regs, 1)) ||
	    !point_begin(&wait, dma_fence_get(sync->fence), 0))
		return 0;
	raw_spin_lock_irqsave(&notes_lock, irq);
	note_take(&wait);
	raw_spin_unlock_irqrestore(&notes_lock, irq);
	return 0;
}

/* the end of each poll() and select(); few have a note */
static int poll_over(struct kprobe *probe, struct pt_regs *regs)
{
	struct poll_note *note;
	struct wait wait = {};
	unsigned long irq;

	if (hlist_empty(notes_of_current()))
		return 0;
	raw_spin_lock_irqsave(&notes_lock, irq);
	note = note_find();
	if (note) {
		wait = note->wait;
		hlist_del(&note->link);
		hlist_add_head(&note->link, &free_notes);
	}
	raw_spin_unlock_irqrestore(&notes_lock, irq);
	if (note)
		wait_end(&wait);
	return 0;
}

/* no poll is under way that could still use them: its end has not been told */
static void notes_reset(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(notes); i++)
		INIT_HLIST_HEAD(&notes[i]);
	INIT_HLIST_HEAD(&free_notes);
	for (i = 0; i < WAITS_MAX; i++)
		hlist_add_head(&note_pool[i].link, &free_notes);
}

/* ---- when they are there ---- */

#define WAIT_CALL(name, enter) {						\
	.kp.symbol_name = name,							\
	.entry_handler = enter,							\
	.handler = call_return,							\
	.data_size = sizeof(struct wait),					\
	.maxactive = WAITS_MAX,							\
}

static struct kretprobe wait_calls[] = {
	WAIT_CALL("dma_fence_wait_timeout", fence_enter),
	WAIT_CALL("dma_fence_wait_any_timeout", fences_enter),
	WAIT_CALL("drm_syncobj_wait_ioctl", syncobj_enter),
	WAIT_CALL("drm_syncobj_timeline_wait_ioctl", timeline_enter),
};

static struct kprobe poll_probes[] = {
	{ .symbol_name = "poll_freewait", .pre_handler = poll_over },
	{ .symbol_name = "sync_file_poll", .pre_handler = sync_file_asked },
};

static unsigned int wait_users;		/* under gpu_mutex */
static unsigned long calls_missed;	/* by calls that were; under gpu_lock */

/* a probe that was registered once has to forget where that was */
static void probe_forget(struct kprobe *probe)
{
	probe->addr = NULL;
	probe->flags = 0;
}

static void calls_unregister(unsigned int nr)
{
	while (nr--) {
		unregister_kretprobe(&wait_calls[nr]);
		probe_forget(&wait_calls[nr].kp);
		/* registering it again would start from 0 */
		raw_spin_lock_irq(&gpu_lock);
		calls_missed += wait_calls[nr].nmissed;
		wait_calls[nr].nmissed = 0;
		raw_spin_unlock_irq(&gpu_lock);
	}
}

static void polls_unregister(unsigned int nr)
{
	while (nr--) {
		unregister_kprobe(&poll_probes[nr]);
		probe_forget(&poll_probes[nr]);
	}
}

static int probes_register(void)
{
	unsigned int calls, polls = 0;
	int err;

	notes_reset();
	for (calls = 0; calls < ARRAY_SIZE(wait_calls); calls++) {
		/* one that could not be registered has noted where that was, too */
		probe_forget(&wait_calls[calls].kp);
		err = register_kretprobe(&wait_calls[calls]);
		if (err)
			goto err_probes;
	}
	for (; polls < ARRAY_SIZE(poll_probes); polls++) {
		probe_forget(&poll_probes[polls]);
		err = register_kprobe(&poll_probes[polls]);
		if (err)
			goto err_probes;
	}
	return 0;

err_probes:
	polls_unregister(polls);
	calls_unregister(calls);
	return err;
}

/**
 * gpu_waits_get() - an event that wants to know of waits is being opened
 *
 * Context: process, gpu_mutex held, sleeps. Undone by gpu_waits_put().
 * Return: 0, or why waits cannot be observed.
 */
int gpu_waits_get(void)
{
	int err = 0;

	lockdep_assert_held(&gpu_mutex);
	if (!wait_users)
		err = probes_register();
	if (!err)
		wait_users++;
	return err;
}

/**
 * gpu_waits_put() - such an event was closed
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_waits_put(void)
{
	lockdep_assert_held(&gpu_mutex);
	if (--wait_users)
		return;
	polls_unregister(ARRAY_SIZE(poll_probes));
	calls_unregister(ARRAY_SIZE(wait_calls));
}

/**
 * gpu_waits_lost() - how many waits there was no room for, since the last call
 *
 * Context: gpu_lock held.
 * Return: how many.
 */
unsigned long gpu_waits_lost(void)
{
	static unsigned long seen;
	unsigned long missed = READ_ONCE(notes_missed) + calls_missed, lost;
	unsigned int i;

	lockdep_assert_held(&gpu_lock);
	for (i = 0; i < ARRAY_SIZE(wait_calls); i++)
		missed += READ_ONCE(wait_calls[i].nmissed);
	lost = missed - seen;
	seen = missed;
	return lost;
}
