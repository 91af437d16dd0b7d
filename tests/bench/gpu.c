// SPDX-License-Identifier: GPL-2.0
/* See gpu.h. Functions return 0, or what they say, or a negative errno. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <virtgpu_drm.h>
#include <xf86drm.h>

#include "../clients/virtgpu.h"
#include "bench.h"
#include "gpu.h"
#include "refgpu.h"

/* ---- refgpu: all that it does follows from the guest's clock ---- */

#define REFGPU_TICK_NS	80

/* a client has one context, number 1, and a buffer that its jobs write to */
static struct refgpu_buffer buffer;

static struct refgpu refgpu_of(int fd)
{
	return (struct refgpu){ .fd = fd };
}

static int ref_submit(int fd)
{
	struct refgpu_batch batch = {};
	struct refgpu gpu = refgpu_of(fd);

	refgpu_spin(&batch, BENCH_JOB_US * 1000 / REFGPU_TICK_NS);
	return refgpu_submit(&gpu, 1, 0, &batch, 0, 0);
}

static int ref_start(int fd)
{
	struct refgpu_batch batch = {};
	struct refgpu gpu = refgpu_of(fd);

	refgpu_spin(&batch, BENCH_JOB_US * 1000 / REFGPU_TICK_NS);
	refgpu_fill(&batch, &buffer, 0, 4, 1);
	return refgpu_submit(&gpu, 1, 0, &batch, 0, 0);
}

static int ref_wait(int fd)
{
	struct refgpu gpu = refgpu_of(fd);

	return refgpu_buffer_wait(&gpu, &buffer, 1000000000);
}

static int ref_open(uint64_t *ctx)
{
	struct refgpu gpu;
	uint32_t id;
	int ret;

	ret = refgpu_open(&gpu, 0);
	if (!ret)
		ret = refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &id);
	if (!ret && !buffer.handle)
		ret = refgpu_buffer(&gpu, 4096, &buffer);
	if (!ret)
		ret = ref_submit(gpu.fd);
	*ctx = id;
	return ret ?: gpu.fd;
}

static int ref_nothing(int fd)
{
	struct refgpu gpu = refgpu_of(fd);
	uint64_t value;

	return refgpu_get(&gpu, REFGPU_PARAM_ENGINES, 0, &value);
}

static const char *const ref_done[] = { "hw_interrupt", "hw_finish", NULL };

/* ---- virtio-gpu: it answers when the host has done it ---- */

static int fence = -1;

static int virt_open(uint64_t *ctx)
{
	int fd = virtgpu_open();
	int ret = fd < 0 ? fd : virtgpu_run(fd, 1);

	/* without the module, nobody can say which context it is; and nobody asks */
	if (ret || virtgpu_context(fd, ctx))
		*ctx = 0;
	return ret ?: fd;
}

static int virt_nothing(int fd)
{
	uint64_t value;
	struct drm_virtgpu_getparam get = {
		.param = VIRTGPU_PARAM_3D_FEATURES,
		.value = (uintptr_t)&value,
	};

	return drmIoctl(fd, DRM_IOCTL_VIRTGPU_GETPARAM, &get) ? -errno : 0;
}

static int virt_submit(int fd)
{
	uint32_t nop = 0;
	struct drm_virtgpu_execbuffer job = {
		.size = sizeof(nop),
		.command = (uintptr_t)&nop,
		.fence_fd = -1,
	};

	return drmIoctl(fd, DRM_IOCTL_VIRTGPU_EXECBUFFER, &job) ? -errno : 0;
}

static int virt_start(int fd)
{
	fence = virtgpu_submit(fd);
	return fence < 0 ? fence : 0;
}

static int virt_wait(int fd)
{
	(void)fd;
	return virtgpu_wait(fence);
}

static const char *const virt_done[] = { "virtio_gpu_dequeue_ctrl_func", NULL };

static const struct bench_gpu gpus[] = {
	{ "refgpu", ref_done, ref_open, ref_nothing, ref_submit, ref_start, ref_wait },
	{ "virtio", virt_done, virt_open, virt_nothing, virt_submit, virt_start, virt_wait },
};

const struct bench_gpu *bench_gpu(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++)
		if (!strcmp(gpus[i].name, name))
			return &gpus[i];
	die("no such GPU: %s", name);
}
