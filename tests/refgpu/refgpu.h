/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thin client library for the reference GPU, over libdrm. Functions return 0
 * or a negative errno, if they do not say otherwise.
 */
#ifndef _TESTS_REFGPU_H
#define _TESTS_REFGPU_H

#include <stdbool.h>
#include <stdint.h>
#include <drm/refgpu_drm.h>

struct refgpu {
	int fd;
	unsigned int engines;
};

struct refgpu_buffer {
	uint32_t handle;
	uint64_t size;
	void *map;
};

/* a job in the making */
struct refgpu_batch {
	unsigned int nr;
	struct drm_refgpu_cmd cmds[REFGPU_MAX_CMDS];
};

/* what a client's fdinfo says, ns and KiB */
struct refgpu_usage {
	uint64_t client;
	uint64_t render;
	uint64_t copy;
	unsigned int render_engines;	/* 1 if it does not say */
	unsigned int copy_engines;
	uint64_t memory;		/* the old name of resident */
	uint64_t total;
	uint64_t shared;
	uint64_t resident;
};

/* platform device refgpu.N */
int refgpu_open(struct refgpu *gpu, unsigned int n);
void refgpu_close(struct refgpu *gpu);
int refgpu_get(struct refgpu *gpu, uint32_t param, uint32_t index, uint64_t *value);
int refgpu_usage(struct refgpu *gpu, struct refgpu_usage *usage);
/*
 * The scheduler hands jobs over later, and those of a higher priority before. Wait until
 * engines of both kinds have run for it; false: for 10 s, they have not.
 */
bool refgpu_until_both_run(struct refgpu *gpu);

int refgpu_context(struct refgpu *gpu, uint32_t priority, uint32_t *ctx);
int refgpu_context_destroy(struct refgpu *gpu, uint32_t ctx);

/* mapped */
int refgpu_buffer(struct refgpu *gpu, uint64_t size, struct refgpu_buffer *bo);
void refgpu_buffer_free(struct refgpu *gpu, struct refgpu_buffer *bo);
int refgpu_buffer_wait(struct refgpu *gpu, const struct refgpu_buffer *bo,
		       int64_t timeout_ns);

void refgpu_spin(struct refgpu_batch *batch, uint64_t cycles);
void refgpu_wait(struct refgpu_batch *batch, uint64_t cycles);
void refgpu_fill(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		 uint64_t offset, uint64_t bytes, uint32_t value);
void refgpu_copy(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		 uint64_t dst_offset, const struct refgpu_buffer *src,
		 uint64_t src_offset, uint64_t bytes);
void refgpu_timestamp(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		      uint64_t offset);
void refgpu_hang(struct refgpu_batch *batch);

/* in and out are syncobjs, or 0; the batch is empty afterwards */
int refgpu_submit(struct refgpu *gpu, uint32_t ctx, uint32_t engine,
		  struct refgpu_batch *batch, uint32_t in, uint32_t out);

uint32_t refgpu_sync(struct refgpu *gpu);
void refgpu_sync_free(struct refgpu *gpu, uint32_t sync);
int refgpu_sync_wait(struct refgpu *gpu, uint32_t sync, int64_t timeout_ns);
/* 0: not yet, 1: signalled, negative: its error */
int refgpu_sync_status(struct refgpu *gpu, uint32_t sync);
int refgpu_sync_file_status(int fd);

int64_t refgpu_now(void);

#endif /* _TESTS_REFGPU_H */
