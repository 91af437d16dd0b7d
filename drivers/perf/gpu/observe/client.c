// SPDX-License-Identifier: GPL-2.0
/*
 * Which DRM file is it? Common to all observers of unmodified drivers: the file
 * that the current ioctl is on, and the end of a file.
 *
 * DOC: no probe on the ioctl
 *
 * A probe on drm_ioctl() costs each ioctl of each client some hundred
 * instructions. But whoever wants to know is inside that ioctl: the system
 * call's own arguments say which fd it is on. This costs nothing where nobody
 * asks. It can be fooled by a thread that exchanges the fd in the middle of its
 * own ioctl, for another DRM file of its own process; so a context is bound only
 * to a file that has it, see file_owner().
 *
 * DOC: the end of a file
 *
 * Each driver's release is drm_release() or drm_release_noglobal(), or calls
 * one of them. Both are hooked by ftrace. A kprobe would do, too, but those
 * are silently disarmed by the sysctl kernel.ftrace_enabled = 0, and then a
 * client would take over the identity of a dead one. The PERMANENT flag makes
 * that sysctl fail instead, and the registration if it was set before.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <drm/drm_file.h>

#include "../compat.h"
#include "../internal.h"

/* ioctl's number in the 32-bit tables of both x86 and arm */
#define GPU_COMPAT_NR_IOCTL	54

static void client_release_hook(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct file *file = (struct file *)gpu_compat_ftrace_argument(fregs, 1);
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	gpu_client_end(file->private_data);
	ftrace_test_recursion_unlock(bit);
}

static struct ftrace_ops client_release_ops = {
	.func = client_release_hook,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/**
 * gpu_observe_clients_init() - say what is to be hooked, and hook nothing yet
 *
 * Once: ftrace_free_filter() leaves the ops unfit for another filter.
 *
 * Context: process, sleeps.
 * Return: 0 or a negative errno.
 */
int gpu_observe_clients_init(void)
{
	int err;

	err = ftrace_set_filter_ip(&client_release_ops,
				   (unsigned long)drm_release, 0, 1);
	if (err)
		return err;
	err = ftrace_set_filter_ip(&client_release_ops,
				   (unsigned long)drm_release_noglobal, 0, 0);
	if (err)
		ftrace_free_filter(&client_release_ops);
	return err;
}

/**
 * gpu_observe_clients_exit() - the mirror of gpu_observe_clients_init()
 */
void gpu_observe_clients_exit(void)
{
	ftrace_free_filter(&client_release_ops);
}

/**
 * gpu_observe_clients() - from now on no client ends unseen
 *
 * Context: process, gpu_mutex held, sleeps.
 * Return: 0 or a negative errno; -EBUSY if ftrace is switched off.
 */
int gpu_observe_clients(void)
{
	return register_ftrace_function(&client_release_ops);
}

/**
 * gpu_unobserve_clients() - the mirror of gpu_observe_clients()
 *
 * Context: process, gpu_mutex held, sleeps.
 */
void gpu_unobserve_clients(void)
{
	unregister_ftrace_function(&client_release_ops);
}

/**
 * gpu_drm_file_get() - an open DRM file of the current process
 * @fd:		its descriptor
 * @drm_file:	where to put it
 *
 * Context: process; does not sleep.
 * Return: the file, to be put with fput(), or an ERR_PTR: -EBADF the
 * descriptor is not open, -ENOTTY it is not a DRM file.
 */
struct file *gpu_drm_file_get(unsigned int fd, struct drm_file **drm_file)
{
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	/* drivers wrap each operation of a DRM file but this one */
	if (file->f_op->open != drm_open || !file->private_data) {
		fput(file);
		return ERR_PTR(-ENOTTY);
	}
	*drm_file = file->private_data;
	return file;
}

static bool current_is_in_ioctl(struct pt_regs *regs)
{
	int nr = syscall_get_nr(current, regs);

#ifdef CONFIG_COMPAT
	if (in_compat_syscall())
		return nr == GPU_COMPAT_NR_IOCTL;
#endif
	return nr == __NR_ioctl;
}

/**
 * gpu_current_drm_file() - the DRM file that the current ioctl is on
 * @drm:	the device that it must be of, or NULL for any
 * @drm_file:	where to put it
 *
 * Context: any but NMI.
 * Return: the file, to be put with fput(), or NULL if the current context is
 * not an ioctl on a file of that device.
 */
struct file *gpu_current_drm_file(const struct drm_device *drm,
				  struct drm_file **drm_file)
{
	unsigned long args[6];
	struct pt_regs *regs;
	struct file *file;

	if (!gpu_in_user_task() || current->flags & (PF_IO_WORKER | PF_EXITING))
		return NULL;
	regs = task_pt_regs(current);
	if (!current_is_in_ioctl(regs))
		return NULL;
	syscall_get_arguments(current, regs, args);

	file = gpu_drm_file_get(args[0], drm_file);
	if (IS_ERR(file))
		return NULL;
	if (drm && (*drm_file)->minor->dev != drm) {
		fput(file);
		return NULL;
	}
	return file;
}
