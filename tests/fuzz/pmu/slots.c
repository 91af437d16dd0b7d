// SPDX-License-Identifier: GPL-2.0
/* See fuzz.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "fuzz.h"

void slots_init(struct slots *slots)
{
	for (int kind = 0; kind < SLOT_KINDS; kind++)
		for (int i = 0; i < SLOTS; i++)
			slots->fd[kind][i] = -1;
	for (int i = 0; i < SLOT_MAPS; i++)
		slots->map[i] = NULL;
}

void slots_close(struct slots *slots)
{
	for (int kind = 0; kind < SLOT_KINDS; kind++)
		for (int i = 0; i < SLOTS; i++) {
			int fd = atomic_exchange(&slots->fd[kind][i], -1);

			if (fd >= 0)
				close(fd);
		}
	for (int i = 0; i < SLOT_MAPS; i++)
		slot_map_free(atomic_exchange(&slots->map[i], NULL));
}

/* the first one that is in use from anywhere on */
int slot_any(struct slots *slots, enum slot_kind kind, struct rnd *r)
{
	unsigned int at = rnd_below(r, SLOTS);
	int fd;

	for (int i = 0; i < SLOTS; i++) {
		fd = slots->fd[kind][(at + i) % SLOTS];
		if (fd >= 0)
			return fd;
	}
	return -1;
}

int slot_any_drm(struct slots *slots, struct rnd *r)
{
	enum slot_kind first = rnd_of(r, SLOT_REFGPU, SLOT_REFGPU, SLOT_VIRTGPU);
	int fd = slot_any(slots, first, r);

	return fd >= 0 ? fd : slot_any(slots, SLOT_REFGPU + SLOT_VIRTGPU - first, r);
}

int slot_any_kind(struct slots *slots, struct rnd *r, enum slot_kind *kind)
{
	*kind = rnd_below(r, SLOT_KINDS);
	return slot_any(slots, *kind, r);
}

long slot_put(struct slots *slots, enum slot_kind kind, struct rnd *r, long fd)
{
	bool drm = kind == SLOT_REFGPU || kind == SLOT_VIRTGPU;
	int old;

	if (fd < 0)
		return fd;
	old = atomic_exchange(&slots->fd[kind][rnd_below(r, drm ? SLOTS_DRM : SLOTS)], fd);
	if (old >= 0)
		close(old);
	return 0;
}

enum slot_kind slot_kind_of(int fd)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	if (ioctl(fd, DRM_IOCTL_VERSION, &version))
		return SLOT_FILE;
	return !strcmp(name, "refgpu") ? SLOT_REFGPU :
	       !strcmp(name, "virtio_gpu") ? SLOT_VIRTGPU : SLOT_FILE;
}

int slot_take(struct slots *slots, enum slot_kind kind, struct rnd *r)
{
	unsigned int at = rnd_below(r, SLOTS);
	int fd;

	for (int i = 0; i < SLOTS; i++) {
		fd = atomic_exchange(&slots->fd[kind][(at + i) % SLOTS], -1);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

struct slot_map *slot_map_take(struct slots *slots, struct rnd *r)
{
	return atomic_exchange(&slots->map[rnd_below(r, SLOT_MAPS)], NULL);
}

void slot_map_put(struct slots *slots, struct rnd *r, struct slot_map *map)
{
	slot_map_free(atomic_exchange(&slots->map[rnd_below(r, SLOT_MAPS)], map));
}

void slot_map_free(struct slot_map *map)
{
	if (!map)
		return;
	munmap(map->base, map->size);
	free(map);
}
