// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/gpu_pmu, and one of its answers: how anyone knows what to give for fd and
 * ctx. That comes from the open files themselves, so it needs no event and no probe.
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
#define GPU_QUERY_IDS_MAX	256

struct gpu_query {
	struct gpu_pmu_context_info *infos;
	unsigned int room;
	unsigned int nr;	/* may exceed the room */
	u64 ids[GPU_QUERY_IDS_MAX];
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

/* the file cannot go away during the call */
static void query_file(struct gpu_query *query, struct gpu_pmu_device *gdev,
		       struct drm_file *file)
{
	unsigned int nr, i;
	struct gpu_pmu_context_info info = {
		.client = gpu_client_id(file),
		.dev = gdev->minor,
	};

	strscpy(info.driver, gdev->drm->driver->name, sizeof(info.driver));
	query_opener(file, &info);

	nr = gdev->ops->contexts(file, query->ids, GPU_QUERY_IDS_MAX);
	if (!nr)
		query->ids[nr++] = 0;
	for (i = 0; i < min_t(unsigned int, nr, GPU_QUERY_IDS_MAX); i++) {
		info.ctx = query->ids[i];
		if (query->nr < query->room)
			query->infos[query->nr] = info;
		query->nr++;
	}
	query->nr += nr - i;
}

static int query_fd(struct gpu_query *query, unsigned int fd)
{
	struct gpu_pmu_device *gdev;
	struct drm_file *drm_file;
	struct file *file;
	int err = 0;

	file = gpu_drm_file_get(fd, &drm_file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	gdev = gpu_device_by_drm(drm_file->minor->dev);
	if (gdev)
		query_file(query, gdev, drm_file);
	else
		err = -ENODEV;
	fput(file);
	return err;
}

static int query_all(struct gpu_query *query)
{
	struct gpu_pmu_device *gdev;
	struct drm_file *file;

	if (!perfmon_capable())
		return -EACCES;
	list_for_each_entry(gdev, &gpu_devices, link) {
		/* a file that is being released leaves this list first */
		mutex_lock(&gdev->drm->filelist_mutex);
		list_for_each_entry(file, &gdev->drm->filelist, lhead)
			query_file(query, gdev, file);
		mutex_unlock(&gdev->drm->filelist_mutex);
	}
	return 0;
}

static long query_contexts(struct gpu_pmu_contexts __user *uarg)
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
	query->room = min(arg.nr, GPU_QUERY_ROOM_MAX);
	query->infos = kvcalloc(query->room, sizeof(*query->infos),
				GFP_KERNEL_ACCOUNT);
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
			 nr * sizeof(*query->infos)) ||
	    copy_to_user(uarg, &arg, sizeof(arg)))
		err = -EFAULT;
out:
	kvfree(query->infos);
	kfree(query);
	return err;
}

static long gpu_query_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case GPU_PMU_IOCTL_CONTEXTS:
		return query_contexts(uarg);
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
