/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * refgpu: what programs say to the reference GPU.
 *
 * All fields that are not used, and all flags, must be zero: EINVAL if not.
 * Ids and handles that do not exist: ENOENT. Once the device is unplugged, all
 * of these answer ENODEV.
 */
#ifndef _UAPI_REFGPU_DRM_H
#define _UAPI_REFGPU_DRM_H

#ifdef __KERNEL__
#include <drm/drm.h>
#else
#include "drm.h"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* limits */
#define REFGPU_MAX_BO_SIZE	(256ULL << 20)
#define REFGPU_MAX_CMDS		128
#define REFGPU_MAX_SYNCS	64
#define REFGPU_MAX_CYCLES	(1ULL << 40)

/* a fill or a copy moves this many bytes in a cycle */
#define REFGPU_BYTES_PER_CYCLE	16
/* one miss of the last cache for each so many bytes of a fill or a copy */
#define REFGPU_BYTES_PER_MISS	64

enum drm_refgpu_param {
	/* number of engines; their indices start at 0 */
	REFGPU_PARAM_ENGINES = 0,
	/* class of engine number @index */
	REFGPU_PARAM_ENGINE_CLASS = 1,
	/* ns for a tick of the GPU's clock, which is also a cycle of an engine */
	REFGPU_PARAM_TICK_NS = 2,
	/* the GPU's clock now, in ticks */
	REFGPU_PARAM_TICKS = 3,
	/* how many ticks an engine stays with a context while others wait */
	REFGPU_PARAM_TIMESLICE = 4,
	/* hardware id of context number @index */
	REFGPU_PARAM_HW_ID = 5,
};

enum drm_refgpu_engine_class {
	REFGPU_ENGINE_RENDER = 0,
	REFGPU_ENGINE_COPY = 1,
};

enum drm_refgpu_priority {
	REFGPU_PRIORITY_LOW = 0,
	REFGPU_PRIORITY_NORMAL = 1,
	REFGPU_PRIORITY_HIGH = 2,
};

/**
 * struct drm_refgpu_get_param - ask about the device, or a part of it
 */
struct drm_refgpu_get_param {
	/** @param: enum drm_refgpu_param */
	__u32 param;
	/** @index: which engine or context; 0 for others */
	__u32 index;
	/** @value: the answer */
	__u64 value;
};

/**
 * struct drm_refgpu_ctx_create - make a context
 */
struct drm_refgpu_ctx_create {
	/** @priority: enum drm_refgpu_priority; HIGH is for CAP_SYS_NICE only */
	__u32 priority;
	/** @flags: none yet */
	__u32 flags;
	/** @ctx: its id in this file, from 1 */
	__u32 ctx;
	/** @pad: 0 */
	__u32 pad;
};

/**
 * struct drm_refgpu_ctx_destroy - end a context; its unfinished jobs are cancelled
 */
struct drm_refgpu_ctx_destroy {
	/** @ctx: its id */
	__u32 ctx;
	/** @pad: 0 */
	__u32 pad;
};

/**
 * struct drm_refgpu_bo_create - make a buffer, filled with zeroes
 */
struct drm_refgpu_bo_create {
	/** @size: bytes; in: at least these, out: what it has */
	__u64 size;
	/** @mmap_offset: to give to mmap() of the DRM file */
	__u64 mmap_offset;
	/** @handle: its GEM handle */
	__u32 handle;
	/** @flags: none yet */
	__u32 flags;
};

enum drm_refgpu_op {
	/* keep the shaders busy for @n cycles */
	REFGPU_OP_SPIN = 0,
	/* hold the engine for @n cycles, shaders idle */
	REFGPU_OP_WAIT = 1,
	/* write @value to @n bytes at @dst_offset of @dst, all multiples of 4 */
	REFGPU_OP_FILL = 2,
	/* move @n bytes from @src to @dst; they may overlap */
	REFGPU_OP_COPY = 3,
	/* write the clock, 64 bits, to @dst_offset of @dst (a multiple of 8); 1 cycle */
	REFGPU_OP_TIMESTAMP = 4,
	/* never end: the engine gets stuck, and is reset some time later */
	REFGPU_OP_HANG = 5,
};

/**
 * struct drm_refgpu_cmd - a command of a job
 *
 * SPIN and WAIT take @n cycles, FILL and COPY one for each
 * REFGPU_BYTES_PER_CYCLE bytes begun. What FILL, COPY and TIMESTAMP write can
 * be seen when the job has ended, in the order of the commands; nothing of it
 * if the job was cancelled.
 */
struct drm_refgpu_cmd {
	/** @op: enum drm_refgpu_op */
	__u32 op;
	/** @value: of FILL */
	__u32 value;
	/** @dst: handle */
	__u32 dst;
	/** @src: handle */
	__u32 src;
	/** @dst_offset: bytes */
	__u64 dst_offset;
	/** @src_offset: bytes */
	__u64 src_offset;
	/** @n: cycles or bytes, at least 1, at most REFGPU_MAX_CYCLES */
	__u64 n;
};

/**
 * struct drm_refgpu_submit - hand a job to an engine
 *
 * Jobs of one context on one engine run in order. Jobs are also ordered by
 * the buffers that they use.
 */
struct drm_refgpu_submit {
	/** @ctx: whose job it is */
	__u32 ctx;
	/** @engine: index */
	__u32 engine;
	/** @cmds: user pointer to @nr_cmds of struct drm_refgpu_cmd */
	__u64 cmds;
	/** @in_syncs: user pointer to @nr_in_syncs handles of syncobjs to wait for */
	__u64 in_syncs;
	/** @nr_cmds: from 1 to REFGPU_MAX_CMDS */
	__u32 nr_cmds;
	/** @nr_in_syncs: at most REFGPU_MAX_SYNCS */
	__u32 nr_in_syncs;
	/** @out_sync: syncobj that gets the job's fence, or 0 */
	__u32 out_sync;
	/** @flags: none yet */
	__u32 flags;
	/** @fence_context: of the job's fence */
	__u64 fence_context;
	/** @fence_seqno: of the job's fence */
	__u64 fence_seqno;
};

#define REFGPU_WAIT_WRITERS	(1 << 0)	/* not for those that only read it */

/**
 * struct drm_refgpu_wait - wait until no job uses a buffer
 *
 * ETIME if that did not happen in time.
 */
struct drm_refgpu_wait {
	/** @handle: of the buffer */
	__u32 handle;
	/** @flags: REFGPU_WAIT_WRITERS */
	__u32 flags;
	/** @deadline_ns: of CLOCK_MONOTONIC */
	__s64 deadline_ns;
};

#define DRM_REFGPU_GET_PARAM	0x00
#define DRM_REFGPU_CTX_CREATE	0x01
#define DRM_REFGPU_CTX_DESTROY	0x02
#define DRM_REFGPU_BO_CREATE	0x03
#define DRM_REFGPU_SUBMIT	0x04
#define DRM_REFGPU_WAIT		0x05

#define DRM_IOCTL_REFGPU_GET_PARAM \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_REFGPU_GET_PARAM, struct drm_refgpu_get_param)
#define DRM_IOCTL_REFGPU_CTX_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_REFGPU_CTX_CREATE, struct drm_refgpu_ctx_create)
#define DRM_IOCTL_REFGPU_CTX_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_REFGPU_CTX_DESTROY, struct drm_refgpu_ctx_destroy)
#define DRM_IOCTL_REFGPU_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_REFGPU_BO_CREATE, struct drm_refgpu_bo_create)
#define DRM_IOCTL_REFGPU_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_REFGPU_SUBMIT, struct drm_refgpu_submit)
#define DRM_IOCTL_REFGPU_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_REFGPU_WAIT, struct drm_refgpu_wait)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_REFGPU_DRM_H */
