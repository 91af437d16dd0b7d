// SPDX-License-Identifier: GPL-2.0
/*
 * Clients and contexts: whose work is it? From an open DRM file, or from the
 * ioctl that the current task is in, to the account that its work belongs to.
 *
 * DOC: lifetime
 *
 * A client is made when an event names its file, or at the first work that is
 * seen of it, and is known by the address of its drm_file. So it must leave
 * the table when that file ends, before the address, or the driver's context
 * ids, are used again: observe/client.c calls gpu_client_end() for that. The
 * table is looked up under RCU by whoever submits; so what it held is put
 * after a grace period, and after the records that name it were consumed.
 *
 * No reference to the file itself is ever kept: that would keep the client's
 * buffers and contexts alive.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>

#include "compat.h"
#include "internal.h"

#define GPU_CLIENT_HASH_BITS	10

/* so many are forgotten under one hold of gpu_lock */
#define CLIENTS_END_PORTION	16

/* by drm_file; changed under gpu_lock, read under it or under RCU */
static DEFINE_HASHTABLE(gpu_clients, GPU_CLIENT_HASH_BITS);

static siphash_key_t client_key;

#ifdef GPU_COMPAT_FILE_NUMBER
static u64 file_id(const struct drm_file *file)
{
	return siphash_1u64(GPU_COMPAT_FILE_NUMBER(file), &client_key);
}

static void file_id_ends(const struct drm_file *file)
{
}
#else
/*
 * All that a file has of its own is its address, which the next one gets when it ends:
 * so it is counted how many have, of the addresses that share a place here. That gives
 * another id also to files that are still open, but not to those in the table.
 */
#define FILE_ENDS_BITS	12

static u64 file_ends[1 << FILE_ENDS_BITS];	/* changed under gpu_lock */

static u64 file_id(const struct drm_file *file)
{
	return siphash_2u64((unsigned long)file,
			    READ_ONCE(file_ends[hash_ptr(file, FILE_ENDS_BITS)]), &client_key);
}

static void file_id_ends(const struct drm_file *file)
{
	u64 *ends = &file_ends[hash_ptr(file, FILE_ENDS_BITS)];

	WRITE_ONCE(*ends, *ends + 1);
}
#endif

/**
 * gpu_clients_init() - before there is any client
 */
void gpu_clients_init(void)
{
	get_random_bytes(&client_key, sizeof(client_key));
}

static void client_free_rcu(struct rcu_head *rcu)
{
	struct gpu_client *client = container_of(rcu, struct gpu_client, rcu);

	put_pid(client->pid);
	kfree(client);
}

static void context_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct gpu_context, rcu));
}

static void client_release(struct gpu_account *account)
{
	struct gpu_client *client;

	lockdep_assert_held(&gpu_lock);
	client = container_of(account, struct gpu_client, account);
	gpu_device_put(client->gdev);
	call_rcu(&client->rcu, client_free_rcu);
}

static void context_release(struct gpu_account *account)
{
	struct gpu_context *context;

	lockdep_assert_held(&gpu_lock);
	context = container_of(account, struct gpu_context, account);
	gpu_client_put(context->client);
	call_rcu(&context->rcu, context_free_rcu);
}

/**
 * gpu_account_abandon() - nothing but outstanding jobs keeps an account now
 * @account:	the account
 * @release:	called at once, or with the last job that names it
 *
 * Context: gpu_lock held.
 */
void gpu_account_abandon(struct gpu_account *account,
			 void (*release)(struct gpu_account *account))
{
	lockdep_assert_held(&gpu_lock);
	if (account->jobs)
		account->release = release;
	else
		release(account);
}

/**
 * gpu_client_put() - let go of a client
 * @client:	the client
 *
 * Context: gpu_lock held.
 */
void gpu_client_put(struct gpu_client *client)
{
	lockdep_assert_held(&gpu_lock);
	if (!--client->refs)
		gpu_account_abandon(&client->account, client_release);
}

/**
 * gpu_context_put() - let go of a context
 * @context:	the context
 *
 * Context: gpu_lock held.
 */
void gpu_context_put(struct gpu_context *context)
{
	lockdep_assert_held(&gpu_lock);
	if (!--context->refs)
		gpu_account_abandon(&context->account, context_release);
}

/**
 * gpu_client_alloc() - make a client that is in no table
 * @gdev:	its device
 * @gfp:	for the allocation
 *
 * Context: gpu_lock not held.
 * Return: the client, with one reference, or NULL.
 */
struct gpu_client *gpu_client_alloc(struct gpu_pmu_device *gdev, gfp_t gfp)
{
	struct gpu_client *client;
	unsigned long irq;

	client = kzalloc(sizeof(*client) +
			 gpu_account_bytes(gdev->nr_engines, gdev->nr_counters),
			 gfp | __GFP_NOWARN);
	if (!client)
		return NULL;
	client->refs = 1;
	client->gdev = gdev;
	INIT_LIST_HEAD(&client->contexts);
	gpu_account_init(&client->account, &gdev->account, gdev->nr_engines,
			 gdev->nr_counters);

	raw_spin_lock_irqsave(&gpu_lock, irq);
	gpu_device_get(gdev);
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return client;
}

static struct gpu_client *client_find(const struct drm_file *file)
{
	struct gpu_client *client;

	hash_for_each_possible_rcu(gpu_clients, client, node, (unsigned long)file,
				   lockdep_is_held(&gpu_lock))
		if (client->file == file)
			return client;
	return NULL;
}

static struct gpu_context *context_find(struct gpu_pmu_device *gdev, u64 number)
{
	struct gpu_context *context;

	hash_for_each_possible_rcu(gdev->contexts, context, node, number,
				   lockdep_is_held(&gpu_lock))
		if (context->number == number)
			return context;
	return NULL;
}

/**
 * gpu_client_id() - tells clients apart, and says nothing of where they are
 * @file:	the client's file, open during the call
 *
 * Context: gpu_lock not held.
 * Return: the number.
 */
u64 gpu_client_id(const struct drm_file *file)
{
	struct gpu_client *client;
	unsigned long irq;
	u64 id;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	client = client_find(file);
	id = client ? client->id : file_id(file);
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return id;
}

/**
 * gpu_client_name() - look at the name of the process that opened a client's file
 * @client:	the client; its @comm is left as it was if the process is gone
 *
 * Context: gpu_lock held.
 */
void gpu_client_name(struct gpu_client *client)
{
	struct task_struct *task;

	lockdep_assert_held(&gpu_lock);
	rcu_read_lock();
	task = pid_task(client->pid, PIDTYPE_TGID);
	if (task)
		strscpy(client->comm, task->comm, sizeof(client->comm));
	rcu_read_unlock();
}

/* who opened the file */
static void client_set_opener(struct gpu_client *client, struct drm_file *file)
{
	struct task_struct *task;
	struct pid *pid;

	client->uid = file->filp->f_cred->uid;
	client->euid = file->filp->f_cred->euid;

	rcu_read_lock();
	pid = gpu_compat_drm_file_pid(file);
	/* before 6.8 it is the thread's */
	task = pid_task(pid, PIDTYPE_PID);
	client->pid = get_pid(task ? task_tgid(task) : pid);
	rcu_read_unlock();
}

/*
 * Find or make; the file is open, and stays so during the call. Once the device
 * is detached nobody would end what is made here.
 */
static struct gpu_client *client_get(struct gpu_pmu_device *gdev,
				     struct drm_file *file, gfp_t gfp)
{
	struct gpu_client *client, *new;
	unsigned long irq;

	new = gpu_client_alloc(gdev, gfp);
	if (new)
		client_set_opener(new, file);
	raw_spin_lock_irqsave(&gpu_lock, irq);
	client = client_find(file);
	if (!client && new && gdev->attached) {
		client = new;
		client->file = file;
		client->id = file_id(file);
		hash_add_rcu(gpu_clients, &client->node, (unsigned long)file);
		/* it may be gone when the client is looked at: a file can outlive it */
		gpu_client_name(client);
		gpu_usage_begin(client, NULL);
	} else if (new) {
		gpu_client_put(new);
	}
	if (client)
		client->refs++;
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return client;
}

/*
 * The same. If the number is still another client's, which is about to end, there is
 * no such context yet.
 */
static struct gpu_context *context_get(struct gpu_client *client,
				       struct drm_file *file, u64 id, u64 number,
				       gfp_t gfp)
{
	struct gpu_pmu_device *gdev = client->gdev;
	struct gpu_context *context, *new;
	unsigned long irq;

	new = kzalloc(sizeof(*new) +
		      gpu_account_bytes(gdev->nr_engines, gdev->nr_counters),
		      gfp | __GFP_NOWARN);
	if (new) {
		new->id = id;
		new->number = number;
		gpu_account_init(&new->account, &client->account, gdev->nr_engines,
				 gdev->nr_counters);
	}

	raw_spin_lock_irqsave(&gpu_lock, irq);
	context = context_find(gdev, number);
	/*
	 * It may have ended meanwhile, and nobody would end what is made here. A
	 * source forgets its id before it says so, for which it needs this lock.
	 */
	if (!context && new && gdev->attached &&
	    gdev->ops->context(file, id) == number) {
		context = new;
		new = NULL;
		context->refs = 1;
		context->born = ktime_get_ns();
		context->client = client;
		client->refs++;
		list_add_tail(&context->link, &client->contexts);
		hash_add_rcu(gdev->contexts, &context->node, number);
		gpu_usage_begin(client, context);
	}
	if (context && context->client != client)
		context = NULL;
	if (context)
		context->refs++;
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	kfree(new);
	return context;
}

/**
 * gpu_client_get_file() - the client of an open file
 * @gdev:	its device
 * @file:	the file, open during the call
 *
 * Context: process, sleeps.
 * Return: the client, with a reference, or NULL if there is no memory.
 */
struct gpu_client *gpu_client_get_file(struct gpu_pmu_device *gdev,
				       struct drm_file *file)
{
	return client_get(gdev, file, GFP_KERNEL_ACCOUNT);
}

static struct gpu_context *context_get_file(struct gpu_pmu_device *gdev,
					    struct drm_file *file, u64 id, u64 number, gfp_t gfp)
{
	struct gpu_client *client = client_get(gdev, file, gfp);
	struct gpu_context *context;

	if (!client)
		return NULL;
	context = context_get(client, file, id, number, gfp);
	raw_spin_lock_irq(&gpu_lock);
	gpu_client_put(client);
	raw_spin_unlock_irq(&gpu_lock);
	return context;
}

/**
 * gpu_context_get_file() - a context of an open file
 * @gdev:	its device
 * @file:	the file, open during the call
 * @id:		of a context, which is one of the file's
 * @number:	under which the device knows it
 *
 * Context: process, sleeps.
 * Return: the context, with a reference, or NULL if there is no memory.
 */
struct gpu_context *gpu_context_get_file(struct gpu_pmu_device *gdev,
					 struct drm_file *file, u64 id, u64 number)
{
	return context_get_file(gdev, file, id, number, GFP_KERNEL_ACCOUNT);
}

/**
 * gpu_context_account() - what belongs to a context, by its number
 * @gdev:	its device
 * @number:	under which the device knows it
 * @time:	ns of CLOCK_MONOTONIC, when it was known; U64_MAX: now
 *
 * Context: gpu_lock held, or an RCU read-side section.
 * Return: the account; NULL if no such context was there at that time.
 */
struct gpu_account *gpu_context_account(struct gpu_pmu_device *gdev, u64 number,
					u64 time)
{
	struct gpu_context *context = context_find(gdev, number);

	return context && context->born <= time ? &context->account : NULL;
}

/**
 * gpu_client_of_file() - the client of a file that is open during the call
 * @file:	the file
 *
 * Context: gpu_lock held.
 * Return: the client, or NULL if nobody has asked for it yet.
 */
struct gpu_client *gpu_client_of_file(const struct drm_file *file)
{
	lockdep_assert_held(&gpu_lock);
	return client_find(file);
}

static int context_bind(struct gpu_pmu_device *gdev, struct drm_file *file, u64 id, gfp_t gfp)
{
	u64 number = gdev->ops->context(file, id);
	struct gpu_context *context;
	bool known;

	if (!number)
		return -ENOENT;
	rcu_read_lock();
	context = context_find(gdev, number);
	known = context && context->client->file == file;
	rcu_read_unlock();
	if (known)
		return 0;

	context = context_get_file(gdev, file, id, number, gfp);
	if (!context)
		return READ_ONCE(gdev->attached) ? -ENOMEM : -ENODEV;
	raw_spin_lock_irq(&gpu_lock);
	gpu_context_put(context);
	raw_spin_unlock_irq(&gpu_lock);
	return 0;
}

/**
 * gpu_pmu_context_bind() - a context is about to be used
 * @gdev:	the device, registered
 * @file:	the file that it is a context of, open during the call
 * @id:		its id there
 *
 * For a source with GPU_PMU_TELLS_END: to be called while it is attached, before
 * work of the context is queued, or a report names it. Costs a look into a table
 * when the context is known already. Memory is charged to the caller's cgroup.
 *
 * Context: process, sleeps.
 * Return: 0, -ENOENT if the file has no such context, -ENODEV if no event looks
 * at the device any more, -ENOMEM. After an error, what the context does is
 * counted as lost.
 */
int gpu_pmu_context_bind(struct gpu_pmu_device *gdev, struct drm_file *file, u64 id)
{
	return context_bind(gdev, file, id, GFP_KERNEL_ACCOUNT);
}
EXPORT_SYMBOL_GPL(gpu_pmu_context_bind);

/* all contexts of a file that is open during the call */
static int file_bind_contexts(struct gpu_pmu_device *gdev, struct drm_file *file)
{
	unsigned int nr = gdev->ops->contexts(file, NULL, 0), i;
	u64 *ids;
	int err;

	ids = kvcalloc(nr, sizeof(*ids), GFP_KERNEL);
	if (!ids)
		return -ENOMEM;
	nr = min(nr, gdev->ops->contexts(file, ids, nr));
	for (i = 0; i < nr; i++) {
		/* whoever opens the first event is not whose they are, and does not pay */
		err = context_bind(gdev, file, ids[i], GFP_KERNEL);
		if (err == -ENOMEM)
			break;
	}
	kvfree(ids);
	return i < nr ? err : 0;
}

/**
 * gpu_clients_bind() - make known all contexts that a device has already
 * @gdev:	the device; contexts that come from now on are bound by its source
 *
 * Context: process, gpu_mutex held, sleeps.
 * Return: 0 or -ENOMEM.
 */
int gpu_clients_bind(struct gpu_pmu_device *gdev)
{
	struct drm_file *file;
	int err = 0;

	lockdep_assert_held(&gpu_mutex);

	mutex_lock(&gdev->drm->filelist_mutex);
	list_for_each_entry(file, &gdev->drm->filelist, lhead) {
		/* one that is being released was told to end already */
		if (!gpu_compat_file_get_active(&file->filp))
			continue;
		err = file_bind_contexts(gdev, file);
		fput(file->filp);
		if (err)
			break;
	}
	mutex_unlock(&gdev->drm->filelist_mutex);
	return err;
}

/* at first sight: make what is to be found from now on */
static struct gpu_account *file_bind(struct gpu_pmu_device *gdev,
				     struct drm_file *file, u64 id, u64 number)
{
	struct gpu_account *account = NULL;
	struct gpu_context *context = NULL;
	struct gpu_client *client;
	unsigned long irq;

	client = client_get(gdev, file, GFP_ATOMIC | __GFP_ACCOUNT);
	if (!client)
		return NULL;
	if (number) {
		context = context_get(client, file, id, number, GFP_ATOMIC | __GFP_ACCOUNT);
		if (context)
			account = &context->account;
	} else {
		account = &client->account;
	}
	/* the table's references outlive the caller's RCU read-side section */
	raw_spin_lock_irqsave(&gpu_lock, irq);
	if (context)
		gpu_context_put(context);
	gpu_client_put(client);
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
	return account;
}

/*
 * The account of what an open file submits under a context id, or without one.
 *
 * A file's context alone may be bound to its client: who holds the file may
 * count what is bound. That the current ioctl is on this file is not enough. The
 * caller may have exchanged it under the ioctl for another one of its own; ids
 * are used again; and then it would count the next owner of this one.
 */
static struct gpu_account *file_owner(struct gpu_pmu_device *gdev,
				      struct drm_file *file, u64 id)
{
	struct gpu_context *context;
	struct gpu_client *client;
	u64 number = 0;

	if (id) {
		number = gdev->ops->context(file, id);
		if (!number)
			return &gdev->kernel->account;
	} else if (gdev->ops->contexts(file, &id, 1)) {
		/*
		 * Work without a context, in the ioctl of a client that has some:
		 * it is the first one's. If it has none it is its own account.
		 */
		number = gdev->ops->context(file, id);
	}

	if (number) {
		context = context_find(gdev, number);
		if (context && context->client->file == file)
			return &context->account;
	} else {
		client = client_find(file);
		if (client)
			return &client->account;
	}
	return file_bind(gdev, file, id, number);
}

/* it hardly ever changes: whoever submits reads it, and does not write */
static void context_note_fence(struct gpu_context *context, const struct gpu_pmu_work *work)
{
	if (work->flags & GPU_PMU_WORK_JOB && work->fence_context &&
	    READ_ONCE(context->fence_context) != work->fence_context)
		WRITE_ONCE(context->fence_context, work->fence_context);
}

/**
 * gpu_context_fence_context() - of the fences that a context's jobs signal
 * @gdev:	its device
 * @file:	its file, open during the call
 * @id:		its id there
 * @engine:	on which engine
 *
 * Context: process, gpu_mutex held.
 * Return: the fence context, or 0 if it is not known.
 */
u64 gpu_context_fence_context(struct gpu_pmu_device *gdev, struct drm_file *file, u64 id,
			      unsigned int engine)
{
	struct gpu_context *context;
	u64 fence_context = 0, number;

	if (gdev->ops->fence_context)
		return gdev->ops->fence_context(file, id, engine);
	number = gdev->nr_engines == 1 ? gdev->ops->context(file, id) : 0;
	if (!number)
		return 0;
	rcu_read_lock();
	context = context_find(gdev, number);
	if (context && context->client->file == file)
		fence_context = READ_ONCE(context->fence_context);
	rcu_read_unlock();
	return fence_context;
}

/**
 * gpu_pmu_owner() - whose work is the current task about to submit?
 * @gdev:	the device, attached
 * @work:	the work
 * @ctx:	the context that the work names, or 0; its id in its file is the
 *		number under which the device knows it
 *
 * A context is bound to the client that has it when it is seen first. Work that
 * names none belongs to the client in whose ioctl it is submitted, and what is
 * submitted elsewhere to the kernel.
 *
 * Context: any but NMI, in an RCU read-side section that also covers the
 * gpu_pmu_queue() that the result is for; takes gpu_lock, and allocates, when
 * a client or a context was not seen before.
 * Return: the account, or NULL if there was no memory for it.
 */
struct gpu_account *gpu_pmu_owner(struct gpu_pmu_device *gdev,
				  const struct gpu_pmu_work *work, u64 ctx)
{
	struct gpu_context *context = ctx ? context_find(gdev, ctx) : NULL;
	struct gpu_account *account;
	struct drm_file *drm_file;
	struct file *file;

	if (context) {
		context_note_fence(context, work);
		return &context->account;
	}

	file = gpu_current_drm_file(gdev->drm, &drm_file);
	if (!file)
		return &gdev->kernel->account;
	account = file_owner(gdev, drm_file, ctx);
	fput(file);
	context = ctx ? context_find(gdev, ctx) : NULL;
	if (context)
		context_note_fence(context, work);
	return account;
}
EXPORT_SYMBOL_GPL(gpu_pmu_owner);

/* out of the tables: nobody finds it from now on; gpu_lock held */
static void client_unhash(struct gpu_client *client)
{
	struct gpu_context *context;

	hash_del_rcu(&client->node);
	if (client->gdev->flags & GPU_PMU_TELLS_END)
		return;
	list_for_each_entry(context, &client->contexts, link)
		hash_del_rcu(&context->node);
}

/* the table's reference; gpu_lock held */
static void context_retire(struct gpu_context *context)
{
	list_del(&context->link);
	gpu_usage_end(&context->usage);
	gpu_context_put(context);
}

/* the tables' references; gpu_lock held */
static void client_retire(struct gpu_client *client)
{
	struct gpu_context *context, *next;

	if (!(client->gdev->flags & GPU_PMU_TELLS_END))
		list_for_each_entry_safe(context, next, &client->contexts, link)
			context_retire(context);
	gpu_usage_end(&client->usage);
	gpu_client_put(client);
}

/**
 * gpu_pmu_context_end() - a context is gone, and its number may be used again
 * @gdev:	the device, registered
 * @ctx:	the number under which the device knew it
 *
 * For a source with GPU_PMU_TELLS_END: to be called for each context that was
 * bound, when all its work is complete.
 *
 * Context: any but NMI, none of the locks held that gpu_pmu_source_ops.sync takes.
 */
void gpu_pmu_context_end(struct gpu_pmu_device *gdev, u64 ctx)
{
	struct gpu_context *context;
	unsigned long irq;

	gpu_flush_ahead();
	raw_spin_lock_irqsave(&gpu_lock, irq);
	context = context_find(gdev, ctx);
	if (context) {
		/* what there is in records and reports of it */
		gpu_flush_device(gdev, ktime_get_ns());
		hash_del_rcu(&context->node);
		context_retire(context);
	}
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
}
EXPORT_SYMBOL_GPL(gpu_pmu_context_end);

static void client_retire_rcu(struct rcu_head *rcu)
{
	struct gpu_client *client = container_of(rcu, struct gpu_client, rcu);
	unsigned long irq;

	gpu_flush_ahead();
	raw_spin_lock_irqsave(&gpu_lock, irq);
	/* whoever could still find it has pushed its record by now */
	gpu_flush_device(client->gdev, ktime_get_ns());
	client_retire(client);
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
}

/**
 * gpu_client_end() - an open DRM file is being released
 * @file:	the file
 *
 * What it has outstanding is still counted for it.
 *
 * Context: process, does not sleep.
 */
void gpu_client_end(const struct drm_file *file)
{
	struct gpu_client *client;
	unsigned long irq;

	raw_spin_lock_irqsave(&gpu_lock, irq);
	client = client_find(file);
	file_id_ends(file);
	if (client) {
		/* the process may be gone when the client is */
		gpu_client_name(client);
		client->released = true;
		client_unhash(client);
		call_rcu(&client->rcu, client_retire_rcu);
	}
	raw_spin_unlock_irqrestore(&gpu_lock, irq);
}

/* whether there are more; tests/latency has the kernel trace how long they take */
static noinline bool contexts_end(struct hlist_head *chain)
{
	struct gpu_context *context;
	struct hlist_node *next;
	unsigned int nr = 0;

	lockdep_assert_held(&gpu_lock);
	hlist_for_each_entry_safe(context, next, chain, node) {
		if (nr++ == CLIENTS_END_PORTION)
			return true;
		hash_del_rcu(&context->node);
		context_retire(context);
	}
	return false;
}

static noinline bool clients_end(struct hlist_head *chain, struct gpu_pmu_device *gdev)
{
	struct gpu_client *client;
	struct hlist_node *next;
	unsigned int nr = 0;

	lockdep_assert_held(&gpu_lock);
	hlist_for_each_entry_safe(client, next, chain, node) {
		if (client->gdev != gdev)
			continue;
		if (nr++ == CLIENTS_END_PORTION)
			return true;
		hash_del_rcu(&client->node);
		gpu_usage_end(&client->usage);
		gpu_client_put(client);
	}
	return false;
}

/**
 * gpu_clients_end() - forget all clients and contexts of a device
 * @gdev:	the device; its source has stopped to report, and it is not attached
 *
 * A user can have many, and it is a user who closes the last event: a portion at a time.
 *
 * Context: process, gpu_mutex held, gpu_lock not held; sleeps.
 */
void gpu_clients_end(struct gpu_pmu_device *gdev)
{
	unsigned int i;
	bool more;

	lockdep_assert_held(&gpu_mutex);
	for (i = 0; i < HASH_SIZE(gdev->contexts); i += !more) {
		raw_spin_lock_irq(&gpu_lock);
		more = contexts_end(&gdev->contexts[i]);
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
	}
	for (i = 0; i < HASH_SIZE(gpu_clients); i += !more) {
		raw_spin_lock_irq(&gpu_lock);
		more = clients_end(&gpu_clients[i], gdev);
		raw_spin_unlock_irq(&gpu_lock);
		cond_resched();
	}
}
