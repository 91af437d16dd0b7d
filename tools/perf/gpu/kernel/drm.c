// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/drm.h"
#include "kernel/query.h"

#define CLASS	"/sys/class/drm"

/* the last part of where a link leads to */
static int link_name(const char *node, const char *link, char *name, size_t size)
{
	char path[PATH_MAX], to[PATH_MAX];
	const char *last;
	ssize_t len;

	snprintf(path, sizeof(path), CLASS "/%s/%s", node, link);
	len = readlink(path, to, sizeof(to) - 1);
	if (len < 0)
		return -errno;
	to[len] = 0;
	last = strrchr(to, '/');
	last = last ? last + 1 : to;
	if (strlen(last) >= size)
		return -ENAMETOOLONG;
	strcpy(name, last);
	return 0;
}

static struct drm_node *node_of_bus(struct drm_nodes *nodes, const char *bus)
{
	for (unsigned int i = 0; i < nodes->nr; i++)
		if (!strcmp(nodes->node[i].bus, bus))
			return &nodes->node[i];
	return NULL;
}

/*
 * Of virtio the DRM device may be that of the transport's (virtio-pci): its driver is that of
 * the device that this has made.
 */
static void virtio_driver(const char *node, char *name, size_t size)
{
	char path[PATH_MAX];
	glob_t found;

	snprintf(path, sizeof(path), CLASS "/%s/device/virtio[0-9]*/driver", node);
	if (glob(path, 0, NULL, &found))
		return;
	/* what is behind the node's folder */
	link_name(node, found.gl_pathv[0] + strlen(CLASS "/") + strlen(node) + 1, name, size);
	globfree(&found);
}

static int node_add(struct drm_nodes *nodes, const char *name, unsigned int minor)
{
	struct drm_node new = { .minor = minor }, *node, *more;

	if (link_name(name, "device", new.bus, sizeof(new.bus)))
		return 0;	/* it has just gone */
	if (link_name(name, "device/driver", new.driver, sizeof(new.driver)))
		snprintf(new.driver, sizeof(new.driver), "(no driver)");
	virtio_driver(name, new.driver, sizeof(new.driver));
	node = node_of_bus(nodes, new.bus);
	if (node) {
		/* the render node is the one with the larger minor */
		if (minor > node->minor)
			node->minor = minor;
		return 0;
	}
	more = reallocarray(nodes->node, nodes->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	nodes->node = more;
	more[nodes->nr++] = new;
	return 0;
}

static int by_minor(const void *a, const void *b)
{
	const struct drm_node *x = a, *y = b;

	return (x->minor > y->minor) - (x->minor < y->minor);
}

int drm_nodes__get(struct drm_nodes *nodes)
{
	struct dirent *entry;
	unsigned int minor;
	int err = 0, end;
	DIR *dir;

	*nodes = (struct drm_nodes){};
	dir = opendir(CLASS);
	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!err && (entry = readdir(dir))) {
		/* and not the connectors, card0-HDMI-1 */
		end = 0;
		if ((sscanf(entry->d_name, "card%u%n", &minor, &end) == 1 ||
		     sscanf(entry->d_name, "renderD%u%n", &minor, &end) == 1) &&
		    !entry->d_name[end])
			err = node_add(nodes, entry->d_name, minor);
	}
	closedir(dir);
	if (err) {
		drm_nodes__put(nodes);
		return err;
	}
	if (nodes->nr)
		qsort(nodes->node, nodes->nr, sizeof(*nodes->node), by_minor);
	return 0;
}

int drm_nodes__cover(struct drm_nodes *nodes)
{
	struct devices devices;
	int err = devices__get(&devices);

	if (err)
		return err;
	for (unsigned int i = 0; i < nodes->nr; i++)
		for (unsigned int k = 0; k < devices.nr; k++)
			if (devices.info[k].dev == nodes->node[i].minor)
				nodes->node[i].covered = true;
	devices__put(&devices);
	return 0;
}

void drm_nodes__put(struct drm_nodes *nodes)
{
	free(nodes->node);
	*nodes = (struct drm_nodes){};
}
