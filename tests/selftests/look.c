// SPDX-License-Identifier: GPL-2.0
/* See look.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "look.h"

struct look *look_open(const __u64 *events)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	look->query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);
	if (look->query < 0) {
		free(look);
		return NULL;
	}
	while (events[look->nr_events] && look->nr_events < LOOK_VALUES) {
		look->event[look->nr_events] = events[look->nr_events];
		look->nr_events++;
	}
	return look;
}

void look_close(struct look *look)
{
	close(look->query);
	free(look);
}

static void row_take(struct look_row *row, const struct gpu_pmu_usage *usage)
{
	*row = (struct look_row){
		.id = usage->id,
		.client = usage->client,
		.ctx = usage->ctx,
		.dev = usage->dev,
		.pid = usage->pid,
		.flags = usage->flags,
		.engine = usage->engine,
	};
	memcpy(row->comm, usage->comm, sizeof(row->comm));
	for (unsigned int i = 0; i < usage->nr_values && i < LOOK_VALUES; i++)
		row->value[i] = usage->values[i];
}

int look_with_room(struct look *look, int fd, unsigned int room)
{
	size_t size = sizeof(struct gpu_pmu_usage) + look->nr_events * sizeof(__u64);
	char *entries = malloc(room * size + 1);
	struct gpu_pmu_usages arg = {
		.fd = fd,
		.flags = look->flags,
		.nr_events = look->nr_events,
		.nr = room,
		.events = (uintptr_t)look->event,
		.usages = (uintptr_t)entries,
	};
	int err;

	if (!entries)
		return -ENOMEM;
	entries[room * size] = 0x5a;
	err = ioctl(look->query, GPU_PMU_IOCTL_USAGES, &arg) ? -errno : 0;
	/* it has not written where there was no room */
	if (entries[room * size] != 0x5a)
		err = -EOVERFLOW;
	look->nr = err ? 0 : arg.nr;
	look->missed = arg.missed;
	look->time = arg.time;
	look->torn = arg.flags & GPU_PMU_USAGES_TORN;
	for (unsigned int i = 0; i < look->nr && i < room && i < LOOK_ROOM; i++)
		row_take(&look->row[i], (void *)(entries + i * size));
	free(entries);
	return err;
}

int look_at(struct look *look, int fd)
{
	int err = look_with_room(look, fd, LOOK_ROOM);

	return !err && look->nr > LOOK_ROOM ? -E2BIG : err;
}

const struct look_row *look_find(const struct look *look, __u64 client, __u64 ctx)
{
	for (unsigned int i = 0; i < look->nr; i++) {
		const struct look_row *row = &look->row[i];

		if (row->client == client && row->ctx == ctx &&
		    row->engine == GPU_PMU_SAMPLE_NO_ENGINE)
			return row;
	}
	return NULL;
}

unsigned int look_clients(const struct look *look, __u32 pid, const struct look_row **row)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < look->nr; i++) {
		if (look->row[i].pid != pid || look->row[i].ctx ||
		    look->row[i].engine != GPU_PMU_SAMPLE_NO_ENGINE)
			continue;
		*row = &look->row[i];
		nr++;
	}
	return nr;
}
