// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of GPUs' users: files, contexts, jobs, fences, waits. Ids and handles are
 * small numbers, so they are guessed. Jobs are short, but for those that hang.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <drm/refgpu_drm.h>
#include <virtgpu_drm.h>
#include <xf86drm.h>

#include "fuzz.h"
#include "ops.h"

#define MS	1000000L

static long drm(int fd, unsigned long request, void *arg)
{
	return outcome(ioctl(fd, request, arg));
}

static long refgpu(struct fuzzer *f, struct rnd *r, unsigned long request, void *arg)
{
	return drm(slot_any(&f->worker->slots, SLOT_REFGPU, r), request, arg);
}

static long virtgpu(struct fuzzer *f, struct rnd *r, unsigned long request, void *arg)
{
	return drm(slot_any(&f->worker->slots, SLOT_VIRTGPU, r), request, arg);
}

static uint32_t any_id(struct rnd *r)
{
	return rnd_one_in(r, 30) ? rnd_any(r) : 1 + rnd_below(r, rnd_one_in(r, 4) ? 8 : 2);
}

/* something to begin with, or each guess of an id would be wrong */
static void refgpu_furnish(int fd, struct rnd *r)
{
	struct drm_refgpu_ctx_create ctx = { .priority = REFGPU_PRIORITY_NORMAL };
	struct drm_refgpu_bo_create bo = { .size = 65536 };
	struct drm_syncobj_create sync = {};

	for (unsigned int nr = 1 + rnd_below(r, 3); nr; nr--) {
		ctx.ctx = bo.handle = sync.handle = 0;
		bo.mmap_offset = 0;
		if (drm(fd, DRM_IOCTL_REFGPU_CTX_CREATE, &ctx) < 0)
			return;
		drm(fd, DRM_IOCTL_REFGPU_BO_CREATE, &bo);
		drm(fd, DRM_IOCTL_SYNCOBJ_CREATE, &sync);
	}
}

long op_drm_open(struct fuzzer *f, struct rnd *r)
{
	unsigned int which = rnd_below(r, 4), nr = 0;
	struct dirent *entry;
	char path[300] = "";
	DIR *dir = opendir("/dev/dri");
	int fd;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)) && nr <= which)
		if (!strncmp(entry->d_name, "renderD", 7)) {
			snprintf(path, sizeof(path), "/dev/dri/%s", entry->d_name);
			nr++;
		}
	closedir(dir);
	fd = open(path, O_RDWR | (rnd_one_in(r, 4) ? 0 : O_CLOEXEC));
	if (fd < 0)
		return -errno;
	refgpu_furnish(fd, r);
	return slot_put(&f->worker->slots, slot_kind_of(fd), r, fd);
}

long op_drm_close(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_take(&f->worker->slots, rnd_of(r, SLOT_REFGPU, SLOT_VIRTGPU), r);

	return fd < 0 ? -ENOENT : outcome(close(fd));
}

long op_drm_fdinfo(struct fuzzer *f, struct rnd *r)
{
	char path[64], text[1024];
	long ret;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", slot_any_drm(&f->worker->slots, r));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = outcome(read(fd, text, sizeof(text)));
	close(fd);
	return ret;
}

/* ---- syncobjs and sync files ---- */

long op_drm_sync_create(struct fuzzer *f, struct rnd *r)
{
	struct drm_syncobj_create arg = {
		.flags = rnd_one_in(r, 8) ? DRM_SYNCOBJ_CREATE_SIGNALED : 0,
	};

	return drm(slot_any_drm(&f->worker->slots, r), DRM_IOCTL_SYNCOBJ_CREATE, &arg);
}

long op_drm_sync_destroy(struct fuzzer *f, struct rnd *r)
{
	struct drm_syncobj_destroy arg = { .handle = any_id(r) };

	return drm(slot_any_drm(&f->worker->slots, r), DRM_IOCTL_SYNCOBJ_DESTROY, &arg);
}

static void any_handles(struct rnd *r, uint32_t *handles, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		handles[i] = any_id(r);
}

static uint32_t any_wait_flags(struct rnd *r)
{
	return rnd_next(r) & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL |
			      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
			      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE);
}

long op_drm_sync_wait(struct fuzzer *f, struct rnd *r)
{
	uint32_t handles[16];
	struct drm_syncobj_wait arg = {
		.handles = rnd_one_in(r, 30) ? rnd_any(r) : (uintptr_t)handles,
		.timeout_nsec = rnd_one_in(r, 4) ? 0 : now_ns() + (long)rnd_below(r, 8) * MS,
		.count_handles = 1 + rnd_below(r, rnd_one_in(r, 4) ? 16 : 2),
		.flags = any_wait_flags(r) & ~DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE,
	};

	any_handles(r, handles, 16);
	return drm(slot_any_drm(&f->worker->slots, r), DRM_IOCTL_SYNCOBJ_WAIT, &arg);
}

long op_drm_sync_timeline(struct fuzzer *f, struct rnd *r)
{
	uint64_t points[16];
	uint32_t handles[16];
	struct drm_syncobj_timeline_wait wait = {
		.handles = (uintptr_t)handles,
		.points = (uintptr_t)points,
		.timeout_nsec = now_ns() + (long)rnd_below(r, 8) * MS,
		.count_handles = 1 + rnd_below(r, rnd_one_in(r, 4) ? 16 : 2),
		.flags = any_wait_flags(r),
	};
	struct drm_syncobj_timeline_array signal = {
		.handles = (uintptr_t)handles,
		.points = (uintptr_t)points,
		.count_handles = 1,
	};
	int fd = slot_any_drm(&f->worker->slots, r);

	any_handles(r, handles, 16);
	for (int i = 0; i < 16; i++)
		points[i] = rnd_below(r, 4);
	if (rnd_one_in(r, 2))
		return drm(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &signal);
	return drm(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait);
}

long op_drm_sync_export(struct fuzzer *f, struct rnd *r)
{
	struct drm_syncobj_handle arg = {
		.handle = any_id(r),
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	long ret = drm(slot_any_drm(&f->worker->slots, r), DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &arg);

	return ret < 0 ? ret : slot_put(&f->worker->slots, SLOT_FENCE, r, arg.fd);
}

long op_fence_poll(struct fuzzer *f, struct rnd *r)
{
	struct pollfd fd[3];
	unsigned int nr = 1 + rnd_below(r, 3);

	for (unsigned int i = 0; i < nr; i++)
		fd[i] = (struct pollfd) {
			.fd = slot_any(&f->worker->slots, SLOT_FENCE, r),
			.events = POLLIN,
		};
	return outcome(poll(fd, nr, rnd_below(r, 8)));
}

long op_fence_close(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_take(&f->worker->slots, SLOT_FENCE, r);

	return fd < 0 ? -ENOENT : outcome(close(fd));
}

/* ---- refgpu ---- */

long op_refgpu_context(struct fuzzer *f, struct rnd *r)
{
	struct drm_refgpu_ctx_create arg = { .priority = rnd_below(r, 3) };

	return refgpu(f, r, DRM_IOCTL_REFGPU_CTX_CREATE, &arg);
}

long op_refgpu_context_end(struct fuzzer *f, struct rnd *r)
{
	struct drm_refgpu_ctx_destroy arg = { .ctx = any_id(r) };

	return refgpu(f, r, DRM_IOCTL_REFGPU_CTX_DESTROY, &arg);
}

/* its pages are there, or cannot be had any more: madvise() says so without a signal */
static long buffer_look(int fd, const struct drm_refgpu_bo_create *bo)
{
	void *map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, bo->mmap_offset);
	long ret;

	if (map == MAP_FAILED)
		return -errno;
	ret = outcome(madvise(map, bo->size, MADV_POPULATE_WRITE));
	munmap(map, bo->size);
	return ret;
}

long op_refgpu_buffer(struct fuzzer *f, struct rnd *r)
{
	struct drm_refgpu_bo_create arg = { .size = 4096 * (1 + rnd_below(r, 16)) };
	struct drm_gem_close close = { .handle = any_id(r) };
	int fd = slot_any(&f->worker->slots, SLOT_REFGPU, r);
	long ret;

	if (rnd_one_in(r, 2))
		return drm(fd, DRM_IOCTL_GEM_CLOSE, &close);
	ret = drm(fd, DRM_IOCTL_REFGPU_BO_CREATE, &arg);
	return ret < 0 || rnd_one_in(r, 2) ? ret : buffer_look(fd, &arg);
}

static void any_command(struct rnd *r, struct drm_refgpu_cmd *cmd)
{
	*cmd = (struct drm_refgpu_cmd) {
		.op = rnd_one_in(r, 4) ?
			rnd_of(r, REFGPU_OP_WAIT, REFGPU_OP_FILL, REFGPU_OP_COPY,
			       REFGPU_OP_TIMESTAMP) : REFGPU_OP_SPIN,
	};
	if (rnd_one_in(r, 200))
		cmd->op = REFGPU_OP_HANG;
	if (cmd->op == REFGPU_OP_SPIN || cmd->op == REFGPU_OP_WAIT)
		cmd->n = 1 + rnd_below(r, rnd_one_in(r, 8) ? 50000 : 2000);
	else if (cmd->op != REFGPU_OP_HANG)
		cmd->dst = any_id(r);
	if (cmd->op == REFGPU_OP_FILL || cmd->op == REFGPU_OP_COPY)
		cmd->n = 4 * (1 + rnd_below(r, 1024));
	if (cmd->op == REFGPU_OP_COPY)
		cmd->src = any_id(r);
	if (rnd_one_in(r, 100))
		cmd->n = rnd_any(r);
}

static long refgpu_submit(int fd, struct rnd *r)
{
	struct drm_refgpu_cmd cmds[8];
	uint32_t in[4];
	struct drm_refgpu_submit arg = {
		.ctx = any_id(r),
		.engine = rnd_one_in(r, 30) ? rnd_any(r) : rnd_below(r, 2),
		.cmds = rnd_one_in(r, 60) ? rnd_any(r) : (uintptr_t)cmds,
		.in_syncs = (uintptr_t)in,
		.nr_cmds = 1 + rnd_below(r, rnd_one_in(r, 4) ? 8 : 1),
		.nr_in_syncs = rnd_one_in(r, 6) ? 1 + rnd_below(r, 4) : 0,
		.out_sync = rnd_one_in(r, 3) ? any_id(r) : 0,
		.flags = rnd_one_in(r, 100) ? rnd_any(r) : 0,
	};

	for (unsigned int i = 0; i < arg.nr_cmds; i++)
		any_command(r, &cmds[i]);
	any_handles(r, in, 4);
	return drm(fd, DRM_IOCTL_REFGPU_SUBMIT, &arg);
}

long op_refgpu_submit(struct fuzzer *f, struct rnd *r)
{
	return refgpu_submit(slot_any(&f->worker->slots, SLOT_REFGPU, r), r);
}

/* faster than they are taken over */
long op_refgpu_submit_many(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_any(&f->worker->slots, SLOT_REFGPU, r);
	unsigned int nr = 1 + rnd_below(r, 300);
	struct drm_refgpu_cmd cmd = { .op = REFGPU_OP_SPIN, .n = 1 + rnd_below(r, 100) };
	struct drm_refgpu_submit arg = {
		.ctx = any_id(r),
		.engine = rnd_below(r, 2),
		.cmds = (uintptr_t)&cmd,
		.nr_cmds = 1,
	};
	long ret = 0;

	while (nr-- && ret >= 0) {
		op_goes_on(f);
		arg.fence_context = arg.fence_seqno = 0;
		ret = drm(fd, DRM_IOCTL_REFGPU_SUBMIT, &arg);
	}
	return ret;
}

long op_refgpu_wait(struct fuzzer *f, struct rnd *r)
{
	struct drm_refgpu_wait arg = {
		.handle = any_id(r),
		.flags = rnd_below(r, 2) * REFGPU_WAIT_WRITERS,
		.deadline_ns = now_ns() + (long)rnd_below(r, 8) * MS,
	};

	return refgpu(f, r, DRM_IOCTL_REFGPU_WAIT, &arg);
}

/* anything at all */
long op_refgpu_ioctl(struct fuzzer *f, struct rnd *r)
{
	uint64_t words[16];

	for (int i = 0; i < 16; i++)
		words[i] = rnd_one_in(r, 3) ? rnd_any(r) : 0;
	return refgpu(f, r, _IOC(_IOC_READ | _IOC_WRITE, 'd', DRM_COMMAND_BASE + rnd_below(r, 8),
				 8 * rnd_below(r, 16)), words);
}

/*
 * ---- virtio_gpu: a job that does nothing; its host is not what is tested ----
 *
 * No buffers: the driver warns when a device is unbound that has some.
 */

long op_virtgpu_submit(struct fuzzer *f, struct rnd *r)
{
	uint32_t nop = 0;
	bool sync_file = rnd_one_in(r, 2);
	struct drm_virtgpu_execbuffer job = {
		.flags = sync_file ? VIRTGPU_EXECBUF_FENCE_FD_OUT : 0,
		.size = sizeof(nop),
		.command = (uintptr_t)&nop,
		.fence_fd = -1,
	};
	long ret;

	if (rnd_one_in(r, 6)) {
		job.flags |= VIRTGPU_EXECBUF_FENCE_FD_IN;
		job.fence_fd = slot_any(&f->worker->slots, SLOT_FENCE, r);
	}
	ret = virtgpu(f, r, DRM_IOCTL_VIRTGPU_EXECBUFFER, &job);
	if (ret < 0 || !sync_file)
		return ret;
	return slot_put(&f->worker->slots, SLOT_FENCE, r, job.fence_fd);
}

long op_virtgpu_wait(struct fuzzer *f, struct rnd *r)
{
	struct drm_virtgpu_3d_wait arg = {
		.handle = any_id(r),
		.flags = rnd_one_in(r, 2) ? VIRTGPU_WAIT_NOWAIT : 0,
	};

	return virtgpu(f, r, DRM_IOCTL_VIRTGPU_WAIT, &arg);
}
