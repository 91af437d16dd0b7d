// SPDX-License-Identifier: GPL-2.0
/* See virtgpu.h. Functions return a negative errno when they fail. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <virtgpu_drm.h>
#include <xf86drm.h>

#include <linux/gpu_pmu.h>

#include "virtgpu.h"

/* open the first GPU as a client of its own */
int virtgpu_open(void)
{
	int fd = open(VIRTGPU_RENDER_NODE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* a buffer that jobs can use */
int virtgpu_buffer(int fd, uint32_t *handle)
{
	struct drm_virtgpu_resource_create arg = {
		.target = 0,	/* PIPE_BUFFER */
		.format = 64,	/* VIRGL_FORMAT_R8_UNORM */
		.bind = 1 << 4,	/* VIRGL_BIND_VERTEX_BUFFER */
		.width = 4096,
		.height = 1,
		.depth = 1,
		.array_size = 1,
		.size = 4096,
	};

	if (drmIoctl(fd, DRM_IOCTL_VIRTGPU_RESOURCE_CREATE, &arg))
		return -errno;
	*handle = arg.bo_handle;
	return 0;
}

/* for all jobs that use it */
int virtgpu_buffer_wait(int fd, uint32_t handle)
{
	struct drm_virtgpu_3d_wait arg = { .handle = handle };

	return drmIoctl(fd, DRM_IOCTL_VIRTGPU_WAIT, &arg) ? -errno : 0;
}

/*
 * submit one job of so many commands, which uses a buffer, unless that is 0; returns a fence to
 * be given to virtgpu_wait()
 */
int virtgpu_submit_nops(int fd, uint32_t handle, unsigned int nops)
{
	static uint32_t nop[VIRTGPU_NOPS_MAX]; /* VIRGL_CCMD_NOP, without operands */
	struct drm_virtgpu_execbuffer job = {
		.flags = VIRTGPU_EXECBUF_FENCE_FD_OUT,
		.size = nops * sizeof(nop[0]),
		.command = (uintptr_t)nop,
		.bo_handles = (uintptr_t)&handle,
		.num_bo_handles = !!handle,
		.fence_fd = -1,
	};

	if (drmIoctl(fd, DRM_IOCTL_VIRTGPU_EXECBUFFER, &job))
		return -errno;
	return job.fence_fd;
}

/* one that takes no time */
int virtgpu_submit(int fd)
{
	return virtgpu_submit_nops(fd, 0, 1);
}

/* wait for a job's end and give its fence back */
int virtgpu_wait(int fence_fd)
{
	struct pollfd pfd = { .fd = fence_fd, .events = POLLIN };
	int err = poll(&pfd, 1, -1);

	err = err < 0 ? -errno : 0;
	close(fence_fd);
	return err;
}

/* submit jobs one after the other, each when the one before has ended */
int virtgpu_run(int fd, unsigned int jobs)
{
	int err = 0;

	while (!err && jobs--) {
		err = virtgpu_submit(fd);
		if (err >= 0)
			err = virtgpu_wait(err);
	}
	return err;
}

/* the contexts of a fd (-1: all clients'); returns how many there are */
int virtgpu_contexts(int fd, struct gpu_pmu_context_info *infos, unsigned int room)
{
	struct gpu_pmu_contexts arg = {
		.fd = fd,
		.nr = room,
		.infos = (uintptr_t)infos,
	};
	int dev = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC), err;

	if (dev < 0)
		return -errno;
	err = ioctl(dev, GPU_PMU_IOCTL_CONTEXTS, &arg) ? -errno : (int)arg.nr;
	close(dev);
	return err;
}

/* the one context that a virtio-gpu client has */
int virtgpu_context(int fd, uint64_t *ctx)
{
	struct gpu_pmu_context_info info;
	int nr = virtgpu_contexts(fd, &info, 1);

	if (nr < 0)
		return nr;
	*ctx = info.ctx;
	return nr == 1 && info.ctx ? 0 : -ENOENT;
}
