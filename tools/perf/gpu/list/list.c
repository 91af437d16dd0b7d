// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/list.h"
#include "kernel/process.h"

/* ---- devices and events ---- */

static int device_fill(struct list_device *device, const struct gpu_pmu_device_info *info)
{
	int err;

	device->info = *info;
	err = engines__get(&device->engines, info->dev);
	return err ? err : gpu_events__get(&device->events, info->dev);
}

int listing__things(struct listing *listing)
{
	struct devices devices;
	int err = devices__get(&devices);

	if (err)
		return err;
	listing->device = calloc(devices.nr + 1, sizeof(*listing->device));
	if (!listing->device)
		err = -ENOMEM;
	for (unsigned int i = 0; !err && i < devices.nr; i++) {
		err = device_fill(&listing->device[listing->nr_devices++], &devices.info[i]);
		/* it has been unplugged since */
		if (err == -ENODEV) {
			listing->nr_devices--;
			engines__put(&listing->device[listing->nr_devices].engines);
			listing->device[listing->nr_devices] = (struct list_device){};
			err = 0;
		}
	}
	devices__put(&devices);
	return err ? err : gpu_events__get(&listing->events, 0);
}

/* ---- clients ---- */

static int client_add(struct listing *listing, const struct gpu_pmu_context_info *info)
{
	struct list_client *more;

	more = reallocarray(listing->client, listing->nr_clients + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	listing->client = more;
	more[listing->nr_clients++] = (struct list_client){ .info = *info };
	return 0;
}

static bool client_is_there(const struct listing *listing, __u64 client)
{
	for (unsigned int i = 0; i < listing->nr_clients; i++)
		if (listing->client[i].info.client == client)
			return true;
	return false;
}

static int client_add_fd(struct list_client *client, int number)
{
	int *more = reallocarray(client->fd, client->nr_fds + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	client->fd = more;
	more[client->nr_fds++] = number;
	return 0;
}

static void jobs_fill(struct listing *listing, const struct usages *usages)
{
	for (unsigned int i = 0; i < usages->nr; i++) {
		const struct gpu_pmu_usage *usage = usages__entry(usages, i);

		if (usage->flags & (GPU_PMU_USAGE_ENDED | GPU_PMU_USAGE_KERNEL))
			continue;
		for (unsigned int k = 0; k < listing->nr_clients; k++) {
			struct list_client *client = &listing->client[k];

			if (client->info.client != usage->client ||
			    client->info.ctx != usage->ctx)
				continue;
			client->counted = true;
			client->jobs = usage->values[0];
		}
	}
}

/* of one file, or of all that may be seen (-1) */
static int jobs_count(struct listing *listing, int fd)
{
	static const __u64 jobs = GPU_PMU_EVENT_JOBS;
	struct usages usages;
	int err = usages__open(&usages, &jobs, 1, false);

	if (err)
		return err;
	err = usages__read(&usages, fd);
	if (!err)
		jobs_fill(listing, &usages);
	usages__close(&usages);
	return err;
}

/* of one file, or of all (-1) */
static int fences_add(struct listing *listing, int fd)
{
	struct gpu_pmu_fence_info *more;
	struct fences fences;
	int err = fences__get(&fences, fd);

	if (err)
		return err;
	more = reallocarray(listing->fences.info, listing->fences.nr + fences.nr + 1,
			    sizeof(*more));
	if (more) {
		listing->fences.info = more;
		memcpy(more + listing->fences.nr, fences.info, fences.nr * sizeof(*more));
		listing->fences.nr += fences.nr;
	}
	fences__put(&fences);
	return more ? 0 : -ENOMEM;
}

/**
 * struct take_over - a process' files are looked at
 * @listing:	where to put what was found
 * @add:	clients that are not there yet are added
 */
struct take_over {
	struct listing *listing;
	bool add;
};

static int take_over_one(void *arg, int fd, int number)
{
	struct take_over *take = arg;
	struct listing *listing = take->listing;
	struct contexts contexts;
	int err = contexts__get(&contexts, fd);

	/* another driver's; or another file by now, which has the number of a DRM file */
	if (err)
		return err == -ENODEV || err == -ENOTTY ? 0 : err;
	if (take->add && contexts.nr && !client_is_there(listing, contexts.info[0].client)) {
		for (unsigned int i = 0; !err && i < contexts.nr; i++)
			err = client_add(listing, &contexts.info[i]);
		if (!err)
			err = jobs_count(listing, fd) ?: fences_add(listing, fd);
	}
	for (unsigned int i = 0; !err && contexts.nr && i < listing->nr_clients; i++)
		if (listing->client[i].info.client == contexts.info[0].client)
			err = client_add_fd(&listing->client[i], number);
	contexts__put(&contexts);
	/* unplugged between the two */
	return err == -ENODEV ? 0 : err;
}

static int take_over(struct listing *listing, int pid, bool add)
{
	struct take_over take = { listing, add };
	int ret = process__each_drm(pid, take_over_one, &take);

	return ret < 0 ? ret : 0;
}

int listing__process(struct listing *listing, int pid)
{
	int err = names__get(&listing->names);

	/* a process without a GPU would else hide that there is no module */
	if (err)
		return err;
	err = take_over(listing, pid, true);
	if (!err && !listing->nr_clients)
		err = -ENOENT;
	return err;
}

/* processes of this user; those of others could not be looked into */
static bool process_is_own(const char *name)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s", name);
	return name[0] >= '1' && name[0] <= '9' && !stat(path, &st) && st.st_uid == geteuid();
}

int listing__own(struct listing *listing)
{
	struct dirent *entry;
	int err;
	DIR *dir;

	err = names__get(&listing->names);
	if (err)
		return err;
	dir = opendir("/proc");
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir))) {
		if (!process_is_own(entry->d_name))
			continue;
		err = take_over(listing, atoi(entry->d_name), true);
		listing->denied += err == -EPERM;
		/* processes go at any time */
		if (err == -EPERM || err == -ESRCH)
			err = 0;
	}
	closedir(dir);
	return err;
}

static bool pid_was_there(const struct listing *listing, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (listing->client[i].info.pid == listing->client[nr].info.pid)
			return true;
	return false;
}

int listing__all(struct listing *listing)
{
	struct contexts contexts;
	int err = contexts__get(&contexts, CONTEXTS_OF_ALL);

	if (err)
		return err;
	err = names__get(&listing->names) ?: fences_add(listing, CONTEXTS_OF_ALL);
	for (unsigned int i = 0; !err && i < contexts.nr; i++)
		err = client_add(listing, &contexts.info[i]);
	contexts__put(&contexts);
	for (unsigned int i = 0; !err && i < listing->nr_clients; i++)
		/* a process that has gone, or is out of reach, has no fds to tell */
		if (listing->client[i].info.pid && !pid_was_there(listing, i))
			take_over(listing, listing->client[i].info.pid, false);
	return err ? err : jobs_count(listing, -1);
}

void listing__free(struct listing *listing)
{
	for (unsigned int i = 0; i < listing->nr_devices; i++) {
		engines__put(&listing->device[i].engines);
		gpu_events__put(&listing->device[i].events);
	}
	free(listing->device);
	gpu_events__put(&listing->events);
	names__put(&listing->names);
	fences__put(&listing->fences);
	for (unsigned int i = 0; i < listing->nr_clients; i++)
		free(listing->client[i].fd);
	free(listing->client);
}
