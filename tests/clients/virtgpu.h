/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The smallest client of virtio-gpu: it submits jobs that do nothing, so that a
 * test knows how many there are by arithmetic.
 */
#ifndef TESTS_CLIENTS_VIRTGPU_H
#define TESTS_CLIENTS_VIRTGPU_H

#include <stddef.h>
#include <stdint.h>

#define VIRTGPU_RENDER_NODE	"/dev/dri/renderD128"

/* of a job: QEMU takes 1024 pieces of memory at a time, and here each page is one */
#define VIRTGPU_NOPS_MAX	(1000 * 4096 / sizeof(uint32_t))

int virtgpu_open(void);
int virtgpu_submit(int fd);
int virtgpu_submit_nops(int fd, uint32_t handle, unsigned int nops);
int virtgpu_buffer(int fd, uint32_t *handle);
int virtgpu_buffer_wait(int fd, uint32_t handle);
int virtgpu_wait(int fence_fd);
int virtgpu_run(int fd, unsigned int jobs);

struct gpu_pmu_context_info;

int virtgpu_contexts(int fd, struct gpu_pmu_context_info *infos, unsigned int room);
int virtgpu_context(int fd, uint64_t *ctx);

#endif /* TESTS_CLIENTS_VIRTGPU_H */
