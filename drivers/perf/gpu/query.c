// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/gpu_pmu, and two of its answers: how anyone knows what to give for fd and
 * ctx, and whose a fence is. That comes from the open files themselves, so it needs
 * no event and no probe, but for a fence context that the driver does not tell.
 * The other answers are in list.c and usage.c.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "compat.h"
#include "internal.h"
#include <uapi/linux/gpu_pmu.h>

/* as many as a caller can take at once; who has more asks by fd */
#define GPU_QUERY_ROOM_MAX	65536U
/* contexts that hardly any file has more of */
#define GPU_QUERY_IDS		256

struct gpu_query;

/**
 * struct gpu_query_kind - what is asked for
 * @size:	of an entry
 * @add:	add the entries of a context; the file is open during the call
 */
struct gpu_query_kind {
	size_t size;
	void (*add)(struct gpu_query *query, struct gpu_pmu_device *gdev,
		    struct drm_file *file, const struct gpu_pmu_context_info *info);
};

/**
 * struct gpu_query - an answer
 * @kind:	what was asked for
 * @infos:	the entries
 * @room:	how many there is room for
 * @nr:		how many there are; may exceed the room
 * @ids:	of a file's contexts
 * @nr_ids:	how many there is room for
 * @few_ids:	where they are, until a file has more
 */
struct gpu_query {
	const struct gpu_query_kind *kind;
	void *infos;
	unsigned int room;
	unsigned int nr;
	u64 *ids;
	unsigned int nr_ids;
	u64 few_ids[GPU_QUERY_IDS];
};

static void query_add(struct gpu_query *query, const void *info)
{
	if (query->nr < query->room)
		memcpy(query->infos + query->nr * query->kind->size, info, query->kind->size);
	query->nr++;
}

static void add_context(struct gpu_query *query, struct gpu_pmu_device *gdev,
			struct drm_file *file, const struct gpu_pmu_context_info *info)
{
	query_add(query, info);
}

static const struct gpu_query_kind query_contexts = {
	.size	= sizeof(struct gpu_pmu_context_info),
	.add	= add_context,
};

static void add_fences(struct gpu_query *query, struct gpu_pmu_device *gdev,
		       struct drm_file *file, const struct gpu_pmu_context_info *info)
{
	struct gpu_pmu_fence_info fence = {
		.ctx = info->ctx,
		.client = info->client,
		.dev = info->dev,
	};

	for (; info->ctx && fence.engine < gdev->nr_engines; fence.engine++) {
		fence.fence_context = gpu_context_fence_context(gdev, file, info->ctx,
								fence.engine);
		if (fence.fence_context)
			query_add(query, &fence);
	}
}

static const struct gpu_query_kind query_fences = {
	.size	= sizeof(struct gpu_pmu_fence_info),
	.add	= add_fences,
};

static void query_opener(struct drm_file *file, struct gpu_pmu_context_info *info)
{
	struct task_struct *task;
	struct pid *pid;

	rcu_read_lock();
	pid = gpu_compat_drm_file_pid(file);
	info->pid = pid_vnr(pid);
	/* before 6.8 it is the thread that opened the file */
	task = info->pid ? pid_task(pid, PIDTYPE_PID) : NULL;
	if (task) {
		info->pid = task_tgid_vnr(task);
		strscpy(info->comm, task->group_leader->comm, sizeof(info->comm));
	}
	rcu_read_unlock();
}

static void query_ids_free(struct gpu_query *query)
{
	if (query->ids != query->few_ids)
		kvfree(query->ids);
}

/* how many contexts a file has, whose ids are there then; or -ENOMEM */
static int query_ids(struct gpu_query *query, struct gpu_pmu_device *gdev,
		     struct drm_file *file)
{
	unsigned int nr = gdev->ops->contexts(file, query->ids, query->nr_ids);
	u64 *ids;

	if (nr <= query->nr_ids)
		return nr;
	ids = kvcalloc(nr, sizeof(*ids), GFP_KERNEL_ACCOUNT);
	if (!ids)
		return -ENOMEM;
	query_ids_free(query);
	query->ids = ids;
	query->nr_ids = nr;
	/* those that have come since are as if they came after the call */
	return min(nr, gdev->ops->contexts(file, query->ids, nr));
}

/* the file cannot go away during the call */
static int query_file(struct gpu_query *query, struct gpu_pmu_device *gdev,
		      struct drm_file *file)
{
	struct gpu_pmu_context_info info = {
		.client = gpu_client_id(file),
		.dev = gdev->minor,
	};
	int nr, i;

	strscpy(info.driver, gdev->drm->driver->name, sizeof(info.driver));
	query_opener(file, &info);

	nr = query_ids(query, gdev, file);
	if (!nr)
		query->kind->add(query, gdev, file, &info);
	for (i = 0; i < nr; i++) {
		info.ctx = query->ids[i];
		query->kind->add(query, gdev, file, &info);
	}
	return min(nr, 0);
}

static int query_fd(struct gpu_query *query, unsigned int fd)
{
	struct gpu_pmu_device *gdev;
	struct drm_file *drm_file;
	struct file *file;
	int err;

	file = gpu_drm_file_get(fd, &drm_file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	gdev = gpu_device_by_drm(drm_file->minor->dev);
	err = gdev ? query_file(query, gdev, drm_file) : -ENODEV;
	fput(file);
	return err;
}

static int query_all(struct gpu_query *query)
{
	struct gpu_pmu_device *gdev;
	struct drm_file *file;
	int err = 0;

	if (!perfmon_capable())
		return -EACCES;
	list_for_each_entry(gdev, &gpu_devices, link) {
		/* a file that is being released leaves this list first */
		mutex_lock(&gdev->drm->filelist_mutex);
		list_for_each_entry(file, &gdev->drm->filelist, lhead) {
			err = query_file(query, gdev, file);
			if (err)
				break;
		}
		mutex_unlock(&gdev->drm->filelist_mutex);
		if (err)
			break;
	}
	return err;
}

static long query_answer(struct gpu_pmu_contexts __user *uarg,
			 const struct gpu_query_kind *kind)
{
	struct gpu_pmu_contexts arg;
	struct gpu_query *query;
	unsigned int nr;
	long err;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;

	query = kzalloc(sizeof(*query), GFP_KERNEL);
	if (!query)
		return -ENOMEM;
	query->kind = kind;
	query->ids = query->few_ids;
	query->nr_ids = GPU_QUERY_IDS;
	query->room = min(arg.nr, GPU_QUERY_ROOM_MAX);
	query->infos = kvcalloc(query->room, kind->size, GFP_KERNEL_ACCOUNT);
	err = -ENOMEM;
	if (query->room && !query->infos)
		goto out;

	err = -EINTR;
	if (mutex_lock_killable(&gpu_mutex))
		goto out;
	err = arg.fd == -1 ? query_all(query) : query_fd(query, arg.fd);
	mutex_unlock(&gpu_mutex);
	if (err)
		goto out;

	nr = min(query->nr, query->room);
	arg.nr = query->nr;
	if (copy_to_user(u64_to_user_ptr(arg.infos), query->infos,
			 nr * kind->size) ||
	    copy_to_user(uarg, &arg, sizeof(arg)))
		err = -EFAULT;
out:
	query_ids_free(query);
	kvfree(query->infos);
	kfree(query);
	return err;
}

static long gpu_query_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case GPU_PMU_IOCTL_CONTEXTS:
		return query_answer(uarg, &query_contexts);
	case GPU_PMU_IOCTL_FENCES:
		return query_answer(uarg, &query_fences);
	case GPU_PMU_IOCTL_DEVICES:
		return gpu_list_devices(uarg);
	case GPU_PMU_IOCTL_ENGINES:
		return gpu_list_engines(uarg);
	case GPU_PMU_IOCTL_EVENTS:
		return gpu_list_events(uarg);
	case GPU_PMU_IOCTL_USAGES:
		return gpu_usage_read(file->private_data, uarg);
	default:
		return -ENOTTY;
	}
}

static int gpu_query_open(struct inode *inode, struct file *file)
{
	file->private_data = gpu_usage_reader_alloc();
	return file->private_data ? 0 : -ENOMEM;
}

static int gpu_query_release(struct inode *inode, struct file *file)
{
	gpu_usage_reader_free(file->private_data);
	return 0;
}

static const struct file_operations gpu_query_fops = {
	.owner		= THIS_MODULE,
	.open		= gpu_query_open,
	.release	= gpu_query_release,
	.unlocked_ioctl	= gpu_query_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= noop_llseek,
};

static struct miscdevice gpu_query_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "gpu_pmu",
	.mode	= 0666,
	.fops	= &gpu_query_fops,
};

/**
 * gpu_query_register() - make /dev/gpu_pmu
 *
 * Context: process, sleeps. Undone by gpu_query_unregister().
 * Return: 0 or a negative errno.
 */
int gpu_query_register(void)
{
	return misc_register(&gpu_query_misc);
}

/**
 * gpu_query_unregister() - the mirror of gpu_query_register()
 */
void gpu_query_unregister(void)
{
	misc_deregister(&gpu_query_misc);
}
