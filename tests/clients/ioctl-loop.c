// SPDX-License-Identifier: GPL-2.0
/*
 * What an ioctl and what a submission cost a client. usage: ioctl-loop
 *
 * Prints two numbers: the least ns of a batch of ioctls that do nothing, and of one
 * of submissions. Under "tests/vm/run --icount" a ns is an instruction, and the least
 * of many is one without an interrupt in it: the number repeats.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <virtgpu_drm.h>
#include <xf86drm.h>

#include "virtgpu.h"

#define ROUNDS	400
#define BATCH	10

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int nothing(int fd)
{
	uint64_t value;
	struct drm_virtgpu_getparam get = {
		.param = VIRTGPU_PARAM_3D_FEATURES,
		.value = (uintptr_t)&value,
	};

	return drmIoctl(fd, DRM_IOCTL_VIRTGPU_GETPARAM, &get);
}

/* a job without a fence: no file is made for it */
static int submit(int fd)
{
	uint32_t nop = 0;
	struct drm_virtgpu_execbuffer job = {
		.size = sizeof(nop),
		.command = (uintptr_t)&nop,
		.fence_fd = -1,
	};

	return drmIoctl(fd, DRM_IOCTL_VIRTGPU_EXECBUFFER, &job);
}

static uint64_t least(int fd, int (*work)(int fd))
{
	uint64_t best = UINT64_MAX, start, took;

	for (int round = 0; round < ROUNDS; round++) {
		start = now();
		for (int i = 0; i < BATCH; i++)
			if (work(fd))
				return 0;
		took = now() - start;
		if (took < best)
			best = took;
		/* the device catches up: a full queue would make the next one wait */
		usleep(2000);
	}
	return best;
}

int main(void)
{
	int fd = virtgpu_open();

	if (fd < 0 || virtgpu_run(fd, 1))
		return 1;
	printf("%lu %lu\n", least(fd, nothing), least(fd, submit));
	return 0;
}
