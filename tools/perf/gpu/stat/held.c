// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "stat/held.h"
#include "kernel/query.h"

#define DRM_MAJOR	226

static struct held_client *held_find(const struct held *held, __u64 client)
{
	for (unsigned int i = 0; i < held->nr; i++)
		if (held->client[i].client == client)
			return &held->client[i];
	return NULL;
}

bool held__has(const struct held *held, __u64 client)
{
	return held_find(held, client);
}

static struct held_client *held_add(struct held *held, __u64 client)
{
	struct held_client *more = held_find(held, client);

	if (more)
		return more;
	more = reallocarray(held->client, held->nr + 1, sizeof(*more));
	if (!more)
		return NULL;
	held->client = more;
	more += held->nr++;
	*more = (struct held_client){ .client = client, .fd = -1 };
	return more;
}

struct scan {
	struct held *held;
	bool (*shown)(void *arg, __u64 client);
	void *arg;
};

/* our copy of a file of the target's */
static int scan_file(struct scan *scan, int fd)
{
	struct held_client *client;
	struct contexts contexts;
	bool shown;
	__u64 id;

	/* a device without a source has nothing to count */
	if (contexts__get(&contexts, fd)) {
		close(fd);
		return 0;
	}
	id = contexts.nr ? contexts.info[0].client : 0;
	contexts__put(&contexts);
	client = id ? held_add(scan->held, id) : NULL;
	if (client)
		client->now = true;
	shown = !client || scan->shown(scan->arg, id);
	if (!shown && client->fd < 0) {
		client->fd = fd;
		return 0;
	}
	close(fd);
	if (client && shown && client->fd >= 0) {
		close(client->fd);
		client->fd = -1;
	}
	return id && !client ? -ENOMEM : 0;
}

static int scan_process(struct scan *scan, struct tree_process *process)
{
	int pidfd, fd, err = 0;
	struct dirent *entry;
	struct stat st;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", process->pid);
	dir = opendir(path);
	if (!dir) {
		if (errno == ENOENT || errno == ESRCH)
			process->alive = false;
		else
			scan->held->denied = true;
		return 0;
	}
	pidfd = syscall(SYS_pidfd_open, process->pid, 0);
	while (!err && pidfd >= 0 && (entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]) ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) ||
		    !S_ISCHR(st.st_mode) || major(st.st_rdev) != DRM_MAJOR)
			continue;
		fd = syscall(SYS_pidfd_getfd, pidfd, atoi(entry->d_name), 0);
		if (fd >= 0)
			err = scan_file(scan, fd);
		else if (errno == EPERM)
			scan->held->denied = true;
	}
	if (pidfd >= 0)
		close(pidfd);
	closedir(dir);
	return err;
}

int held__scan(struct held *held, struct tree *tree,
	       bool (*shown)(void *arg, __u64 client), void *arg)
{
	struct scan scan = { .held = held, .shown = shown, .arg = arg };
	int err = 0;

	for (unsigned int i = 0; i < held->nr; i++)
		held->client[i].now = false;
	for (unsigned int i = 0; !err && i < tree->nr; i++)
		if (tree->process[i].alive)
			err = scan_process(&scan, &tree->process[i]);
	return err;
}

void held__release(struct held *held)
{
	for (unsigned int i = 0; i < held->nr; i++) {
		if (held->client[i].now || held->client[i].fd < 0)
			continue;
		close(held->client[i].fd);
		held->client[i].fd = -1;
	}
}

void held__free(struct held *held)
{
	for (unsigned int i = 0; i < held->nr; i++)
		if (held->client[i].fd >= 0)
			close(held->client[i].fd);
	free(held->client);
	*held = (struct held){};
}
