/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The DRM devices of the machine, whether or not anyone tells of their work.
 */
#ifndef PERF_GPU_DRM_H
#define PERF_GPU_DRM_H

#include <stdbool.h>

/**
 * struct drm_node - a device
 * @minor:	of its render node, or of its primary one if it has no other
 * @covered:	it has a source of GPU events; see drm_nodes__cover()
 * @driver:	name of the driver that is bound to it, of virtio to what its transport has made
 * @bus:	its name there
 */
struct drm_node {
	unsigned int minor;
	bool covered;
	char driver[32];
	char bus[40];
};

struct drm_nodes {
	unsigned int nr;
	struct drm_node *node;
};

/* 0 or a negative errno; needs no module, and no right */
int drm_nodes__get(struct drm_nodes *nodes);
/* ask /dev/gpu_pmu which of them it covers: 0 or a negative errno */
int drm_nodes__cover(struct drm_nodes *nodes);
void drm_nodes__put(struct drm_nodes *nodes);

#endif /* PERF_GPU_DRM_H */
