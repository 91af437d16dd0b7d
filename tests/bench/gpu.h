/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPUs that are measured on, and what can be asked of each: one table.
 */
#ifndef TESTS_BENCH_GPU_H
#define TESTS_BENCH_GPU_H

#include <stdint.h>

#define BENCH_JOB_US	1000	/* how long a job of refgpu's is */

struct bench_gpu {
	const char *name;
	/* functions in which the driver sees that a job is complete, and says so */
	const char *const *done;

	/* a client of its own, with a context that has had a job; a fd */
	int (*open)(uint64_t *ctx);
	/* an ioctl that does nothing */
	int (*nothing)(int fd);
	/* a job without a fence of one's own */
	int (*submit)(int fd);
	/* a job that can be waited for, and to wait for it */
	int (*start)(int fd);
	int (*wait)(int fd);
};

const struct bench_gpu *bench_gpu(const char *name);

#endif /* TESTS_BENCH_GPU_H */
