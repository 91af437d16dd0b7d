/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that differs between the kernels that this project is built for. A
 * kernel that needs no line here needs none elsewhere either.
 */
#ifndef _GPU_PMU_COMPAT_H
#define _GPU_PMU_COMPAT_H

#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/version.h>
#include <drm/drm_file.h>

/* drm_file.pid became a pointer under RCU in 6.8; the caller is in a section */
static inline struct pid *gpu_compat_drm_file_pid(struct drm_file *file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return rcu_dereference(file->pid);
#else
	return READ_ONCE(file->pid);
#endif
}

/* a number that no other DRM file ever has came with 6.5 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define GPU_COMPAT_FILE_NUMBER(file)	((file)->client_id)
#endif

/* a reference to an open file, unless it is being released; changed in 6.7 */
static inline bool gpu_compat_file_get_active(struct file **file)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return get_file_active(file);
#else
	return get_file_rcu(*file);
#endif
}

/* ftrace_regs_get_argument() came with 6.2 */
static inline unsigned long
gpu_compat_ftrace_argument(struct ftrace_regs *fregs, unsigned int n)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return ftrace_regs_get_argument(fregs, n);
#else
	return regs_get_kernel_argument(&fregs->regs, n);
#endif
}

/*
 * virtio_gpu's tracepoints carry the sequence number of a command since 6.8.
 * Before, a response is told by its address, see observe/virtio_gpu.c.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define GPU_COMPAT_VIRTIO_SEQNO
#endif

/* perf_event_attr has a fourth config word since 6.3; before, perf refuses its place */
static inline u64 gpu_compat_config3(const struct perf_event_attr *attr)
{
#ifdef PERF_ATTR_SIZE_VER8
	return attr->config3;
#else
	return 0;
#endif
}

#endif /* _GPU_PMU_COMPAT_H */
