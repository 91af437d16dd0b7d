// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "refgpu.h"

static int gpu_ioctl(struct refgpu *gpu, unsigned long request, void *args)
{
	return drmIoctl(gpu->fd, request, args) ? -errno : 0;
}

int refgpu_open(struct refgpu *gpu, unsigned int n)
{
	char pattern[64], path[64];
	glob_t found;
	uint64_t value;
	int ret;

	gpu->fd = -1;
	snprintf(pattern, sizeof(pattern),
		 "/sys/bus/platform/devices/refgpu.%u/drm/renderD*", n);
	if (glob(pattern, 0, NULL, &found))
		return -ENODEV;
	snprintf(path, sizeof(path), "/dev/dri/%s", basename(found.gl_pathv[0]));
	globfree(&found);
	gpu->fd = open(path, O_RDWR | O_CLOEXEC);
	if (gpu->fd < 0)
		return -errno;
	ret = refgpu_get(gpu, REFGPU_PARAM_ENGINES, 0, &value);
	gpu->engines = value;
	if (ret)
		refgpu_close(gpu);
	return ret;
}

void refgpu_close(struct refgpu *gpu)
{
	close(gpu->fd);
	gpu->fd = -1;
}

int refgpu_get(struct refgpu *gpu, uint32_t param, uint32_t index, uint64_t *value)
{
	struct drm_refgpu_get_param args = { .param = param, .index = index };
	int ret = gpu_ioctl(gpu, DRM_IOCTL_REFGPU_GET_PARAM, &args);

	*value = args.value;
	return ret;
}

int refgpu_usage(struct refgpu *gpu, struct refgpu_usage *usage)
{
	char path[64], line[256];
	FILE *file;

	*usage = (struct refgpu_usage) {};
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", gpu->fd);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "drm-client-id: %lu", &usage->client);
		/* if there are more of them, that is said in the next line */
		if (sscanf(line, "drm-engine-render: %lu", &usage->render) == 1)
			usage->render_engines = 1;
		if (sscanf(line, "drm-engine-copy: %lu", &usage->copy) == 1)
			usage->copy_engines = 1;
		sscanf(line, "drm-engine-capacity-render: %u", &usage->render_engines);
		sscanf(line, "drm-engine-capacity-copy: %u", &usage->copy_engines);
		sscanf(line, "drm-memory-memory: %lu", &usage->memory);
		sscanf(line, "drm-total-memory: %lu", &usage->total);
		sscanf(line, "drm-shared-memory: %lu", &usage->shared);
		sscanf(line, "drm-resident-memory: %lu", &usage->resident);
	}
	fclose(file);
	return 0;
}

bool refgpu_until_both_run(struct refgpu *gpu)
{
	int64_t end = refgpu_now() + 10000000000L;
	struct refgpu_usage now;

	do {
		if (refgpu_usage(gpu, &now))
			return false;
		if (now.render && now.copy)
			return true;
	} while (refgpu_now() < end);
	return false;
}

int refgpu_context(struct refgpu *gpu, uint32_t priority, uint32_t *ctx)
{
	struct drm_refgpu_ctx_create args = { .priority = priority };
	int ret = gpu_ioctl(gpu, DRM_IOCTL_REFGPU_CTX_CREATE, &args);

	*ctx = args.ctx;
	return ret;
}

int refgpu_context_destroy(struct refgpu *gpu, uint32_t ctx)
{
	struct drm_refgpu_ctx_destroy args = { .ctx = ctx };

	return gpu_ioctl(gpu, DRM_IOCTL_REFGPU_CTX_DESTROY, &args);
}

int refgpu_buffer(struct refgpu *gpu, uint64_t size, struct refgpu_buffer *bo)
{
	struct drm_refgpu_bo_create args = { .size = size };
	int ret = gpu_ioctl(gpu, DRM_IOCTL_REFGPU_BO_CREATE, &args);

	if (ret)
		return ret;
	bo->handle = args.handle;
	bo->size = args.size;
	bo->map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, gpu->fd,
		       args.mmap_offset);
	if (bo->map != MAP_FAILED)
		return 0;
	ret = -errno;
	drmCloseBufferHandle(gpu->fd, bo->handle);
	return ret;
}

void refgpu_buffer_free(struct refgpu *gpu, struct refgpu_buffer *bo)
{
	munmap(bo->map, bo->size);
	drmCloseBufferHandle(gpu->fd, bo->handle);
}

int refgpu_buffer_wait(struct refgpu *gpu, const struct refgpu_buffer *bo,
		       int64_t timeout_ns)
{
	struct drm_refgpu_wait args = {
		.handle = bo->handle,
		.deadline_ns = refgpu_now() + timeout_ns,
	};

	return gpu_ioctl(gpu, DRM_IOCTL_REFGPU_WAIT, &args);
}

static struct drm_refgpu_cmd *batch_add(struct refgpu_batch *batch, uint32_t op)
{
	struct drm_refgpu_cmd *cmd;

	if (batch->nr == REFGPU_MAX_CMDS)
		abort();
	cmd = &batch->cmds[batch->nr++];
	*cmd = (struct drm_refgpu_cmd) { .op = op };
	return cmd;
}

void refgpu_spin(struct refgpu_batch *batch, uint64_t cycles)
{
	batch_add(batch, REFGPU_OP_SPIN)->n = cycles;
}

void refgpu_wait(struct refgpu_batch *batch, uint64_t cycles)
{
	batch_add(batch, REFGPU_OP_WAIT)->n = cycles;
}

void refgpu_fill(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		 uint64_t offset, uint64_t bytes, uint32_t value)
{
	struct drm_refgpu_cmd *cmd = batch_add(batch, REFGPU_OP_FILL);

	cmd->dst = dst->handle;
	cmd->dst_offset = offset;
	cmd->n = bytes;
	cmd->value = value;
}

void refgpu_copy(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		 uint64_t dst_offset, const struct refgpu_buffer *src,
		 uint64_t src_offset, uint64_t bytes)
{
	struct drm_refgpu_cmd *cmd = batch_add(batch, REFGPU_OP_COPY);

	cmd->dst = dst->handle;
	cmd->dst_offset = dst_offset;
	cmd->src = src->handle;
	cmd->src_offset = src_offset;
	cmd->n = bytes;
}

void refgpu_timestamp(struct refgpu_batch *batch, const struct refgpu_buffer *dst,
		      uint64_t offset)
{
	struct drm_refgpu_cmd *cmd = batch_add(batch, REFGPU_OP_TIMESTAMP);

	cmd->dst = dst->handle;
	cmd->dst_offset = offset;
}

void refgpu_hang(struct refgpu_batch *batch)
{
	batch_add(batch, REFGPU_OP_HANG);
}

int refgpu_submit(struct refgpu *gpu, uint32_t ctx, uint32_t engine,
		  struct refgpu_batch *batch, uint32_t in, uint32_t out)
{
	struct drm_refgpu_submit args = {
		.ctx = ctx,
		.engine = engine,
		.cmds = (uintptr_t)batch->cmds,
		.nr_cmds = batch->nr,
		.in_syncs = (uintptr_t)&in,
		.nr_in_syncs = in ? 1 : 0,
		.out_sync = out,
	};

	batch->nr = 0;
	return gpu_ioctl(gpu, DRM_IOCTL_REFGPU_SUBMIT, &args);
}

uint32_t refgpu_sync(struct refgpu *gpu)
{
	uint32_t sync;

	return drmSyncobjCreate(gpu->fd, 0, &sync) ? 0 : sync;
}

void refgpu_sync_free(struct refgpu *gpu, uint32_t sync)
{
	drmSyncobjDestroy(gpu->fd, sync);
}

int refgpu_sync_wait(struct refgpu *gpu, uint32_t sync, int64_t timeout_ns)
{
	return drmSyncobjWait(gpu->fd, &sync, 1, refgpu_now() + timeout_ns, 0, NULL);
}

int refgpu_sync_file_status(int fd)
{
	struct sync_file_info info = {};

	return ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

int refgpu_sync_status(struct refgpu *gpu, uint32_t sync)
{
	int fd, ret;

	ret = drmSyncobjExportSyncFile(gpu->fd, sync, &fd);
	if (ret)
		return ret;
	ret = refgpu_sync_file_status(fd);
	close(fd);
	return ret;
}

int64_t refgpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}
