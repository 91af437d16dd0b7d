// SPDX-License-Identifier: GPL-2.0
/*
 * What clients and contexts have used, for /dev/gpu_pmu: a copy of their accounts.
 *
 * DOC: those that end
 *
 * Whoever adds up what contexts have used must not miss one that comes and goes
 * between two looks. So an open /dev/gpu_pmu that looks at all of them is a reader,
 * and while there is a reader a client or context that leaves its table is kept
 * here. What it has submitted may still run: from the close of its file on it is
 * told as ended, again and again, until that is over; then it gets a number, and a
 * reader has had it when it has come by that number. What all readers have had is
 * let go, and so is the oldest one if there are too many: readers are then told how
 * many they have missed.
 *
 * DOC: one time
 *
 * The accounts are copied in portions, for the lock is one that interrupts wait
 * for. All that is counted is counted for all devices, too; so these counts say
 * whether something was counted between two portions. Then it is tried again, from
 * the start, and after some times the answer says that it is torn.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <drm/drm_file.h>

#include "events.h"
#include "internal.h"

/* as many entries as a caller can take at once */
#define GPU_USAGE_ROOM_MAX	65536U

/* those that have ended, and that some reader has not had */
#define GPU_USAGE_ENDED_MAX	4096

/* entries that are looked at, or let go, under one hold of the lock */
#define GPU_USAGE_PORTION	64

/*
 * Room for that many more entries than there were last: a caller may have room for far
 * more than there are, and it takes longer to get the memory than to fill in a few.
 */
#define GPU_USAGE_ROOM_SPARE	64U

/* how often it is tried to have all of them of one time */
#define GPU_USAGE_TRIES		4

/* readers that a user without CAP_PERFMON may have: each is asked what it has had */
#define GPU_USAGE_USER_READERS	64

/**
 * struct gpu_viewer - who looks
 * @all:	it may see what everybody does, and the kernel
 * @uid:	else: what this user has opened,
 * @euid:	as this one,
 * @ns:		and in processes that are there in this namespace
 * @payer:	see gpu_payer()
 */
struct gpu_viewer {
	bool all;
	kuid_t uid;
	kuid_t euid;
	struct pid_namespace *ns;
	kuid_t payer;
};

/**
 * struct gpu_usage_reader - an open /dev/gpu_pmu
 * @link:	in usage_readers, from its first look at all of them on
 * @viewer:	who looked last; holds a reference to the namespace
 * @had:	it has had those that have ended up to this number
 * @missed:	how many it has missed, and was not told of
 * @nr:		how many entries it was told of last: a hint, under no lock
 *
 * All else under gpu_lock.
 */
struct gpu_usage_reader {
	struct list_head link;
	struct gpu_viewer viewer;
	u64 had;
	u64 missed;
	unsigned int nr;
};

/* under gpu_lock, all of these */
static LIST_HEAD(usage_readers);
static LIST_HEAD(usages_known);
static LIST_HEAD(usages_ending);
static LIST_HEAD(usages_ended);
static unsigned int nr_usages_gone;	/* in the latter two */
static u64 usages_number;		/* of the last one that has ended */
static u64 usages_look;			/* tells the looks apart */
static u64 usages_id;			/* of the newest one */

/* the place that the look which is under way, under gpu_mutex, has come to */
static struct list_head *usages_next;

static void usage_unlink(struct gpu_usage *usage)
{
	if (usages_next == &usage->link)
		usages_next = usage->link.next;
	list_del(&usage->link);
}

static void usage_move(struct gpu_usage *usage, struct list_head *to)
{
	usage_unlink(usage);
	list_add_tail(&usage->link, to);
}

static struct gpu_account *usage_account(struct gpu_usage *usage)
{
	return usage->context ? &usage->context->account : &usage->client->account;
}

/**
 * gpu_usage_begin() - from now on there may be work of a client or context
 * @client:	the client
 * @context:	the context of it, or NULL
 *
 * Context: gpu_lock held.
 */
void gpu_usage_begin(struct gpu_client *client, struct gpu_context *context)
{
	struct gpu_usage *usage = context ? &context->usage : &client->usage;

	lockdep_assert_held(&gpu_lock);
	usage->client = client;
	usage->context = context;
	usage->id = ++usages_id;
	usage->state = GPU_USAGE_KNOWN;
	list_add_tail(&usage->link, &usages_known);
}

/* ---- those that have ended ---- */

static bool viewer_sees(const struct gpu_viewer *viewer, const struct gpu_client *client)
{
	if (viewer->all)
		return true;
	return client->pid && uid_eq(client->uid, viewer->uid) &&
	       uid_eq(client->euid, viewer->euid) && pid_nr_ns(client->pid, viewer->ns);
}

/* nothing more is counted for it, and so for its client if it was the last one */
static bool usage_is_final(struct gpu_usage *usage)
{
	struct gpu_client *client = usage->client;

	if (usage_account(usage)->jobs)
		return false;
	return usage->context || (list_empty(&client->contexts) && !client->nr_ending);
}

static void usage_has_ended(struct gpu_usage *usage)
{
	if (usage->context)
		usage->client->nr_ending--;
	usage->state = GPU_USAGE_ENDED;
	usage->number = ++usages_number;
	usage_move(usage, &usages_ended);
}

/* the reference that was taken when it ended */
static void usage_let_go(struct gpu_usage *usage)
{
	usage_unlink(usage);
	nr_usages_gone--;
	if (usage->context)
		gpu_context_put(usage->context);
	else
		gpu_client_put(usage->client);
}

static void usage_miss_oldest(void)
{
	struct gpu_usage_reader *reader;
	struct gpu_usage *usage;

	if (list_empty(&usages_ended))
		usage_has_ended(list_first_entry(&usages_ending, struct gpu_usage, link));
	usage = list_first_entry(&usages_ended, struct gpu_usage, link);
	list_for_each_entry(reader, &usage_readers, link)
		if (reader->had < usage->number && viewer_sees(&reader->viewer, usage->client))
			reader->missed++;
	usage_let_go(usage);
}

/**
 * gpu_usage_end() - a client or context has left its table
 * @usage:	its place
 *
 * Context: gpu_lock held, and a reference to the client or context.
 */
void gpu_usage_end(struct gpu_usage *usage)
{
	lockdep_assert_held(&gpu_lock);

	if (list_empty(&usage_readers)) {
		usage_unlink(usage);
		usage->state = GPU_USAGE_NONE;
		return;
	}
	if (usage->context) {
		usage->context->refs++;
		usage->client->nr_ending++;
	} else {
		usage->client->refs++;
	}
	gpu_client_name(usage->client);
	usage->state = GPU_USAGE_ENDING;
	usage_move(usage, &usages_ending);
	if (++nr_usages_gone > GPU_USAGE_ENDED_MAX)
		usage_miss_oldest();
}

/* the next one that all readers have had, or NULL */
static struct gpu_usage *usage_had(u64 had)
{
	struct gpu_usage *usage;

	usage = list_first_entry_or_null(&usages_ended, struct gpu_usage, link);
	if (usage)
		return usage->number <= had ? usage : NULL;
	/* nobody is there who would be told */
	return list_empty(&usage_readers) ?
		list_first_entry_or_null(&usages_ending, struct gpu_usage, link) : NULL;
}

static void usages_collect(void)
{
	struct gpu_usage_reader *reader;
	struct gpu_usage *usage;
	unsigned int nr;
	u64 had;

	do {
		had = U64_MAX;
		raw_spin_lock_irq(&gpu_lock);
		list_for_each_entry(reader, &usage_readers, link)
			had = min(had, reader->had);
		for (nr = 0; nr < GPU_USAGE_PORTION; nr++) {
			usage = usage_had(had);
			if (!usage)
				break;
			if (usage->state == GPU_USAGE_ENDING)
				usage_has_ended(usage);
			usage_let_go(usage);
		}
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
	} while (nr == GPU_USAGE_PORTION);
}

/* ---- readers ---- */

/**
 * gpu_usage_reader_alloc() - /dev/gpu_pmu is opened
 *
 * Return: the reader, which is none before its first look; or NULL.
 */
struct gpu_usage_reader *gpu_usage_reader_alloc(void)
{
	struct gpu_usage_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);

	if (reader)
		INIT_LIST_HEAD(&reader->link);
	return reader;
}

/**
 * gpu_usage_reader_free() - the mirror of gpu_usage_reader_alloc()
 * @reader:	the reader
 *
 * Context: process, sleeps.
 */
void gpu_usage_reader_free(struct gpu_usage_reader *reader)
{
	bool was;

	raw_spin_lock_irq(&gpu_lock);
	was = !list_empty(&reader->link);
	list_del(&reader->link);
	raw_spin_unlock_irq(&gpu_lock);
	if (was) {
		usages_collect();
		put_pid_ns(reader->viewer.ns);
	}
	kfree(reader);
}

/* what ends from now on is kept until it has had it */
static int reader_enter(struct gpu_usage_reader *reader, const struct gpu_viewer *viewer,
			u64 *past)
{
	struct pid_namespace *was = NULL;
	struct gpu_usage_reader *other;
	unsigned int nr = 0;

	lockdep_assert_held(&gpu_mutex);

	raw_spin_lock_irq(&gpu_lock);
	if (list_empty(&reader->link)) {
		list_for_each_entry(other, &usage_readers, link)
			nr += !other->viewer.all &&
			      uid_eq(other->viewer.payer, viewer->payer);
		if (!viewer->all && nr >= GPU_USAGE_USER_READERS) {
			raw_spin_unlock_irq(&gpu_lock);
			return -EMFILE;
		}
		reader->had = usages_number;
		list_add_tail(&reader->link, &usage_readers);
	} else {
		was = reader->viewer.ns;
	}
	*past = reader->had;
	reader->viewer = *viewer;
	get_pid_ns(viewer->ns);
	raw_spin_unlock_irq(&gpu_lock);
	if (was)
		put_pid_ns(was);
	return 0;
}

/* ---- a look ---- */

/**
 * struct gpu_look - a look, and what it has found
 * @viewer:	who looks
 * @file:	whose client is looked at, or NULL for all of them
 * @client:	that client, or NULL if nothing is known of it
 * @counters:	which counters of an account
 * @nr_counters: how many
 * @engines:	each engine is told, too
 * @entries:	what was found
 * @room:	for how many of them
 * @room_max:	for how many the caller has room
 * @nr:		how many there are
 * @look:	its number
 * @sum:	of all counts, when it began
 * @torn:	it has changed since
 * @past:	what has ended is not for this reader, up to this number
 * @had:	all that has ended was found, up to this number
 * @time:	up to when it has been counted
 */
struct gpu_look {
	struct gpu_viewer viewer;
	const struct drm_file *file;
	const struct gpu_client *client;
	unsigned int counters[GPU_PMU_USAGES_EVENTS_MAX];
	unsigned int nr_counters;
	bool engines;
	void *entries;
	unsigned int room;
	unsigned int room_max;
	unsigned int nr;
	u64 look;
	u64 sum;
	bool torn;
	u64 past;
	u64 had;
	u64 time;
};

static size_t look_entry_size(const struct gpu_look *look)
{
	return sizeof(struct gpu_pmu_usage) + look->nr_counters * sizeof(u64);
}

/* moves with whatever is counted, for whomever */
static u64 usages_sum(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < gpu_all->nr_counters; i++)
		sum += gpu_account_slot(gpu_all, 0)[i];
	return sum;
}

static void look_fill(const struct gpu_look *look, struct gpu_usage *usage,
		      unsigned int slot, struct gpu_pmu_usage *entry)
{
	struct gpu_account *account = usage_account(usage);
	struct gpu_client *client = usage->client;
	unsigned int i, counter;

	memset(entry, 0, sizeof(*entry));
	entry->id = usage->id;
	entry->client = client->id;
	entry->ctx = usage->context ? usage->context->id : 0;
	entry->dev = client->gdev->minor;
	entry->pid = pid_nr_ns(client->pid, look->viewer.ns);
	/* at once: it leaves the tables when readers of them do, and that can take long */
	if (usage->state != GPU_USAGE_KNOWN || client->released)
		entry->flags |= GPU_PMU_USAGE_ENDED;
	if (client == client->gdev->kernel)
		entry->flags |= GPU_PMU_USAGE_KERNEL;
	entry->engine = slot ? slot - 1 : GPU_PMU_SAMPLE_NO_ENGINE;
	entry->nr_values = look->nr_counters;
	strscpy(entry->comm, client->comm, sizeof(entry->comm));
	for (i = 0; i < look->nr_counters; i++) {
		counter = look->counters[i];
		/* a name that another device came with later */
		entry->values[i] = counter < account->nr_counters ?
				   gpu_account_slot(account, slot)[counter] : 0;
	}
}

/* how many entries it has */
static unsigned int look_at(struct gpu_look *look, struct gpu_usage *usage)
{
	unsigned int nr = 1 + (look->engines ? usage->client->gdev->nr_engines : 0), i;

	if (look->file ? usage->client != look->client :
			 !viewer_sees(&look->viewer, usage->client))
		return 0;
	if (usage->state == GPU_USAGE_ENDED && usage->number <= look->past)
		return 0;
	if (usage->state == GPU_USAGE_KNOWN)
		gpu_client_name(usage->client);
	/* it may have ended since it was looked at: this is the newer one */
	if (usage->look != look->look) {
		usage->look = look->look;
		usage->index = look->nr;
		look->nr += nr;
	}
	for (i = 0; i < nr && usage->index + i < look->room; i++)
		look_fill(look, usage, i, look->entries +
					  (usage->index + i) * look_entry_size(look));
	return nr;
}

/* gpu_lock held, and given up from time to time */
static void look_through(struct gpu_look *look, struct list_head *list)
{
	unsigned int portion = 0;
	struct gpu_usage *usage;

	usages_next = list->next;
	while (usages_next != list) {
		usage = list_entry(usages_next, struct gpu_usage, link);
		usages_next = usages_next->next;
		if (usage->state == GPU_USAGE_ENDING && usage_is_final(usage))
			usage_has_ended(usage);
		else
			portion += look_at(look, usage);
		if (usage->state == GPU_USAGE_ENDED && list == &usages_ended)
			look->had = usage->number;
		if (++portion < GPU_USAGE_PORTION)
			continue;
		portion = 0;
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
		raw_spin_lock_irq(&gpu_lock);
	}
	usages_next = NULL;
}

static void look_once(struct gpu_look *look)
{
	gpu_flush_ahead();
	raw_spin_lock_irq(&gpu_lock);
	look->nr = 0;
	look->look = ++usages_look;
	look->time = gpu_flush_devices();
	look->sum = usages_sum();
	look->client = look->file ? gpu_client_of_file(look->file) : NULL;
	/* in the order in which they go from one to the next: so none slips through */
	look_through(look, &usages_known);
	if (!look->file) {
		look_through(look, &usages_ending);
		look_through(look, &usages_ended);
	}
	look->torn = look->sum != usages_sum();
	raw_spin_unlock_irq(&gpu_lock);
	/* events that look at the same accounts have what this look tells */
	gpu_events_settle_all();
}

/* for what there is, as far as the caller has room for it */
static int look_make_room(struct gpu_look *look, unsigned int nr)
{
	kvfree(look->entries);
	look->room = min(look->room_max, nr + GPU_USAGE_ROOM_SPARE);
	look->entries = kvmalloc_array(look->room, look_entry_size(look), GFP_KERNEL_ACCOUNT);
	return look->room && !look->entries ? -ENOMEM : 0;
}

static int look_often(struct gpu_look *look)
{
	unsigned int tries = GPU_USAGE_TRIES;
	int err = 0;

	lockdep_assert_held(&gpu_mutex);
	do {
		look_once(look);
		while (!err && look->nr > look->room && look->room < look->room_max) {
			err = look_make_room(look, look->nr);
			if (!err)
				look_once(look);
		}
	} while (!err && look->torn && --tries);
	return err;
}

static int look_at_file(struct gpu_look *look, unsigned int fd)
{
	struct drm_file *drm_file;
	struct file *file;
	int err = 0;

	file = gpu_drm_file_get(fd, &drm_file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	look->file = drm_file;
	if (gpu_device_by_drm(drm_file->minor->dev))
		err = look_often(look);
	else
		err = -ENODEV;
	fput(file);
	return err;
}

static int look_at_all(struct gpu_look *look, struct gpu_usage_reader *reader)
{
	int err = reader_enter(reader, &look->viewer, &look->past);

	return err ?: look_often(look);
}

/* which counters the events are */
static int look_choose(struct gpu_look *look, const u64 *events)
{
	const struct gpu_event_desc *desc;
	unsigned int i;

	for (i = 0; i < look->nr_counters; i++) {
		desc = gpu_event_by_id(events[i]);
		if (!desc)
			return -EINVAL;
		if (desc->of_device || (desc->of_context && !gpu_native_any()))
			return -ENOENT;
		look->counters[i] = desc->counter;
	}
	return 0;
}

static int look_make(struct gpu_look *look, struct gpu_usage_reader *reader,
		     const struct gpu_pmu_usages *arg)
{
	u64 events[GPU_PMU_USAGES_EVENTS_MAX];
	int err;

	if (arg->flags & ~GPU_PMU_USAGES_ENGINES || !arg->nr_events ||
	    arg->nr_events > GPU_PMU_USAGES_EVENTS_MAX)
		return -EINVAL;
	if (copy_from_user(events, u64_to_user_ptr(arg->events),
			   arg->nr_events * sizeof(*events)))
		return -EFAULT;
	look->viewer.all = perfmon_capable();
	look->viewer.uid = current_uid();
	look->viewer.euid = current_euid();
	look->viewer.ns = task_active_pid_ns(current);
	look->viewer.payer = gpu_payer();
	look->nr_counters = arg->nr_events;
	look->engines = arg->flags & GPU_PMU_USAGES_ENGINES;
	look->room_max = min(arg->nr, GPU_USAGE_ROOM_MAX);
	err = look_make_room(look, arg->fd == -1 ? READ_ONCE(reader->nr) : 0);
	if (err)
		return err;

	if (mutex_lock_killable(&gpu_mutex))
		return -EINTR;
	err = look_choose(look, events);
	if (!err)
		err = arg->fd == -1 ? look_at_all(look, reader) : look_at_file(look, arg->fd);
	mutex_unlock(&gpu_mutex);
	return err;
}

/* it has got the answer: what has ended needs not be said again, if it was all */
static void reader_has_had(struct gpu_usage_reader *reader, const struct gpu_look *look,
			   u64 missed)
{
	if (look->nr > look->room)
		return;
	raw_spin_lock_irq(&gpu_lock);
	reader->had = max(reader->had, look->had);
	reader->missed -= min(reader->missed, missed);
	raw_spin_unlock_irq(&gpu_lock);
	usages_collect();
}

static long look_tell(struct gpu_look *look, struct gpu_usage_reader *reader,
		      struct gpu_pmu_usages *arg, void __user *uarg)
{
	unsigned long irq;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	arg->missed = look->file ? 0 : reader->missed;
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	arg->nr = look->nr;
	arg->time = look->time;
	if (look->torn)
		arg->flags |= GPU_PMU_USAGES_TORN;
	if (copy_to_user(u64_to_user_ptr(arg->usages), look->entries,
			 min(look->nr, look->room) * look_entry_size(look)) ||
	    copy_to_user(uarg, arg, sizeof(*arg)))
		return -EFAULT;
	if (!look->file) {
		WRITE_ONCE(reader->nr, look->nr);
		reader_has_had(reader, look, arg->missed);
	}
	return 0;
}

/**
 * gpu_usage_read() - GPU_PMU_IOCTL_USAGES
 * @reader:	the open /dev/gpu_pmu
 * @uarg:	the caller's struct gpu_pmu_usages
 *
 * Context: process, sleeps.
 * Return: 0 or a negative errno, see the header.
 */
long gpu_usage_read(struct gpu_usage_reader *reader, void __user *uarg)
{
	struct gpu_pmu_usages arg;
	struct gpu_look *look;
	long err;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	look = kzalloc(sizeof(*look), GFP_KERNEL);
	if (!look)
		return -ENOMEM;
	err = look_make(look, reader, &arg);
	if (!err)
		err = look_tell(look, reader, &arg, uarg);
	kvfree(look->entries);
	kfree(look);
	return err;
}
