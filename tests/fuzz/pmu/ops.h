/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The operations, one a line: name, how often, what it needs. op_NAME() is in the
 * file that is named above it.
 */
/* clang-format off */
#define FUZZ_OPS(OP)						\
	/* ops-event.c */					\
	OP(event_open,		60,	0)			\
	OP(event_open_group,	10,	0)			\
	OP(event_open_groups,	8,	0)			\
	OP(event_close,		25,	0)			\
	OP(event_enable,	25,	0)			\
	OP(event_disable,	20,	0)			\
	OP(event_refresh,	4,	0)			\
	OP(event_reset,		6,	0)			\
	OP(event_period,	6,	0)			\
	OP(event_set_output,	6,	0)			\
	OP(event_pause,		4,	0)			\
	OP(event_ioctl,		6,	0)			\
	OP(event_read,		25,	0)			\
	OP(event_poll,		4,	0)			\
	OP(event_signal,	4,	0)			\
	OP(event_map,		18,	0)			\
	OP(event_unmap,		6,	0)			\
	OP(event_consume,	14,	0)			\
	OP(event_many,		2,	0)			\
	OP(events_prctl,	4,	0)			\
	/* ops-query.c */					\
	OP(query_open,		4,	0)			\
	OP(query_close,		2,	0)			\
	OP(query_contexts,	8,	0)			\
	OP(query_fences,	8,	0)			\
	OP(query_infos,		10,	0)			\
	OP(query_usages,	14,	0)			\
	OP(query_ioctl,		3,	0)			\
	OP(sysfs_read,		4,	0)			\
	/* ops-drm.c */						\
	OP(drm_open,		14,	0)			\
	OP(drm_close,		8,	0)			\
	OP(drm_fdinfo,		4,	0)			\
	OP(drm_sync_create,	6,	0)			\
	OP(drm_sync_destroy,	2,	0)			\
	OP(drm_sync_wait,	8,	0)			\
	OP(drm_sync_timeline,	4,	0)			\
	OP(drm_sync_export,	6,	0)			\
	OP(fence_poll,		8,	0)			\
	OP(fence_close,		4,	0)			\
	OP(refgpu_context,	14,	0)			\
	OP(refgpu_context_end,	8,	0)			\
	OP(refgpu_buffer,	6,	0)			\
	OP(refgpu_submit,	50,	0)			\
	OP(refgpu_submit_many,	5,	0)			\
	OP(refgpu_wait,		10,	0)			\
	OP(refgpu_ioctl,	6,	0)			\
	OP(virtgpu_submit,	30,	0)			\
	OP(virtgpu_wait,	4,	0)			\
	/* ops-process.c */					\
	OP(process_fork,	6,	0)			\
	OP(process_exec,	3,	0)			\
	OP(process_namespace,	1,	0)			\
	OP(thread_start,	4,	0)			\
	OP(fd_dup,		8,	0)			\
	OP(fd_exchange,		6,	0)			\
	OP(fd_send,		6,	0)			\
	OP(fd_receive,		6,	0)			\
	OP(signal_send,		6,	0)			\
	OP(signal_timer,	3,	0)			\
	OP(task_move,		6,	0)			\
	OP(task_sleep,		10,	0)			\
	OP(task_spin,		4,	0)			\
	/* ops-system.c */					\
	OP(cpu_switch,		3,	NEEDS_SYSTEM)		\
	OP(refgpu_rebind,	2,	NEEDS_SYSTEM)		\
	OP(module_reload,	3,	NEEDS_SYSTEM)		\
	OP(parameter_set,	6,	NEEDS_SYSTEM)		\
	OP(sysctl_set,		4,	NEEDS_SYSTEM)		\
	OP(refgpu_fault,	8,	NEEDS_SYSTEM)		\
	OP(refgpu_debugfs_open,	3,	NEEDS_ROOT)		\
	OP(refgpu_debugfs_use,	8,	NEEDS_ROOT)		\
	OP(cgroup_event,	3,	NEEDS_ROOT)
/* clang-format on */

#define OP_DECLARE(op, weight, needs)	long op_##op(struct fuzzer *f, struct rnd *r);
FUZZ_OPS(OP_DECLARE)
#undef OP_DECLARE
