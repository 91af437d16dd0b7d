// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "kernel/query.h"

/* clients come at any time: a few more than there were */
#define ROOM_MORE	16

static int query_open(void)
{
	int query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);

	return query < 0 ? -errno : query;
}

/*
 * One of the lists that differ in nothing but what is in them; so many are expected. With an
 * error there is none.
 */
static void *list_get(unsigned long request, unsigned int dev, unsigned int expected,
		      size_t size, unsigned int *nr, int *err)
{
	struct gpu_pmu_infos arg = { .dev = dev, .nr = expected };
	void *info = NULL, *more;
	unsigned int room;
	int query;

	*nr = 0;
	query = query_open();
	if (query < 0) {
		*err = query;
		return NULL;
	}
	do {
		room = arg.nr + ROOM_MORE;
		more = reallocarray(info, room, size);
		if (!more) {
			*err = -ENOMEM;
			break;
		}
		info = more;
		/* the kernel writes it, of which valgrind knows nothing */
		memset(info, 0, room * size);
		arg.nr = room;
		arg.infos = (uintptr_t)info;
		*err = ioctl(query, request, &arg) ? -errno : 0;
	} while (!*err && arg.nr > room);
	close(query);

	if (*err) {
		free(info);
		return NULL;
	}
	*nr = arg.nr;
	return info;
}

/* the argument of these is the same, but that it names a file, and not a device */
_Static_assert(sizeof(struct gpu_pmu_contexts) == sizeof(struct gpu_pmu_infos), "");

int contexts__get_about(struct contexts *contexts, int fd, unsigned int expected)
{
	int err;

	contexts->info = list_get(GPU_PMU_IOCTL_CONTEXTS, fd, expected, sizeof(*contexts->info),
				  &contexts->nr, &err);
	return err;
}

int contexts__get(struct contexts *contexts, int fd)
{
	return contexts__get_about(contexts, fd, 0);
}

void contexts__put(struct contexts *contexts)
{
	free(contexts->info);
}

int fences__get(struct fences *fences, int fd)
{
	int err;

	fences->info = list_get(GPU_PMU_IOCTL_FENCES, fd, 0, sizeof(*fences->info),
				&fences->nr, &err);
	return err;
}

void fences__put(struct fences *fences)
{
	free(fences->info);
}

int devices__get(struct devices *devices)
{
	int err;

	devices->info = list_get(GPU_PMU_IOCTL_DEVICES, 0, 0, sizeof(*devices->info),
				 &devices->nr, &err);
	return err;
}

void devices__put(struct devices *devices)
{
	free(devices->info);
}

int engines__get(struct engines *engines, unsigned int dev)
{
	int err;

	engines->info = list_get(GPU_PMU_IOCTL_ENGINES, dev, 0, sizeof(*engines->info),
				 &engines->nr, &err);
	return err;
}

void engines__put(struct engines *engines)
{
	free(engines->info);
}

int gpu_events__get(struct gpu_events *events, unsigned int dev)
{
	int err;

	events->info = list_get(GPU_PMU_IOCTL_EVENTS, dev, 0, sizeof(*events->info),
				&events->nr, &err);
	return err;
}

void gpu_events__put(struct gpu_events *events)
{
	free(events->info);
}

static size_t usages_entry_size(const struct usages *usages)
{
	return sizeof(struct gpu_pmu_usage) + usages->nr_events * sizeof(__u64);
}

int usages__open(struct usages *usages, const __u64 *events, unsigned int nr_events,
		 bool engines)
{
	int query;

	if (nr_events > GPU_PMU_USAGES_EVENTS_MAX)
		return -EINVAL;
	query = query_open();
	if (query < 0)
		return query;
	*usages = (struct usages){
		.query = query,
		.nr_events = nr_events,
		.engines = engines,
	};
	memcpy(usages->events, events, nr_events * sizeof(*events));
	return 0;
}

void usages__close(struct usages *usages)
{
	free(usages->buffer);
	close(usages->query);
}

static int usages_make_room(struct usages *usages, unsigned int nr)
{
	void *more;

	if (nr + ROOM_MORE <= usages->room)
		return 0;
	more = reallocarray(usages->buffer, nr + ROOM_MORE, usages_entry_size(usages));
	if (!more)
		return -ENOMEM;
	usages->buffer = more;
	usages->room = nr + ROOM_MORE;
	/* likewise */
	memset(more, 0, usages->room * usages_entry_size(usages));
	return 0;
}

int usages__read(struct usages *usages, int fd)
{
	struct gpu_pmu_usages arg = {};
	int err;

	do {
		err = usages_make_room(usages, arg.nr);
		if (err)
			return err;
		arg = (struct gpu_pmu_usages){
			.fd = fd,
			.flags = usages->engines ? GPU_PMU_USAGES_ENGINES : 0,
			.nr_events = usages->nr_events,
			.nr = usages->room,
			.events = (uintptr_t)usages->events,
			.usages = (uintptr_t)usages->buffer,
		};
		if (ioctl(usages->query, GPU_PMU_IOCTL_USAGES, &arg))
			return -errno;
	} while (arg.nr > usages->room);
	usages->nr = arg.nr;
	/* told anew with each answer that had room for all, and with no other */
	usages->missed += arg.missed;
	usages->torn = arg.flags & GPU_PMU_USAGES_TORN;
	usages->time = arg.time;
	return 0;
}

const struct gpu_pmu_usage *usages__entry(const struct usages *usages, unsigned int i)
{
	return (const void *)((const char *)usages->buffer + i * usages_entry_size(usages));
}

const char *query__strerror(int err, char *text, size_t size)
{
	return obstacle__of_query(err, text, size);
}
