// SPDX-License-Identifier: GPL-2.0
/*
 * What an ioctl and what a submission cost a client. usage: ioctl-loop
 *
 * Prints two numbers: the ns of an ioctl that does nothing, and of one that submits.
 * Under "tests/vm/run --icount" a ns is an instruction, and all but a few take the same:
 * those with an interrupt in them, or in which the clock rounded otherwise. So the
 * median repeats to the last digit. It is of one at a time, since what is submitted is
 * completed by an interrupt, which would come amid several.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static uint64_t median(int fd, int (*work)(int fd))
{
	uint64_t took[ROUNDS], start;

	for (int round = 0; round < ROUNDS; round++) {
		start = now();
		if (work(fd))
			return 0;
		took[round] = now() - start;
		/* the device catches up: a full queue would make the next one wait */
		usleep(2000);
	}
	qsort(took, ROUNDS, sizeof(took[0]), compare);
	return took[ROUNDS / 2];
}

int main(void)
{
	int fd = virtgpu_open();

	if (fd < 0 || virtgpu_run(fd, 1))
		return 1;
	printf("%lu %lu\n", median(fd, nothing), median(fd, submit));
	return 0;
}
