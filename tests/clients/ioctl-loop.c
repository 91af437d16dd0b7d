// SPDX-License-Identifier: GPL-2.0
/*
 * What an ioctl and what a submission cost a client. usage: ioctl-loop
 *
 * Prints two numbers: the ns of an ioctl that does nothing, and of one that submits.
 * Under "tests/vm/run --icount" a ns is an instruction, and what is undisturbed takes the
 * same each time, to the last digit. A submission is disturbed by the interrupt that
 * tells of its completion when the host is quick: up to three of four are, as the host
 * pleases. What is rarest is the clock that rounded down. So it is the one below which a
 * twentieth are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <virtgpu_drm.h>
#include <xf86drm.h>

#include "virtgpu.h"

#define ROUNDS	400

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

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t undisturbed(int fd, int (*work)(int fd))
{
	uint64_t took[ROUNDS], start;

	for (int round = 0; round < ROUNDS; round++) {
		start = now();
		if (work(fd))
			return 0;
		took[round] = now() - start;
		/*
		 * The device catches up: while it has work in its queue it need not be
		 * woken, which is a third of a submission.
		 */
		if (virtgpu_run(fd, 1))
			return 0;
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return took[ROUNDS / 20];
}

int main(void)
{
	int fd = virtgpu_open();

	if (fd < 0 || virtgpu_run(fd, 1))
		return 1;
	printf("%lu %lu\n", undisturbed(fd, nothing),
	       undisturbed(fd, submit));
	return 0;
}
