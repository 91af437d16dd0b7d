// SPDX-License-Identifier: GPL-2.0
/* Operations on /dev/gpu_pmu, and the files that say what there is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "fuzz.h"
#include "ops.h"

/* an array for the kernel to fill, in a mapping of its own: what is behind it is not there */
struct room {
	void *base;
	size_t size;
};

static int room_make(struct room *room, size_t bytes)
{
	room->size = (bytes + 4095) & ~4095UL;
	if (!room->size)
		room->size = 4096;
	room->base = mmap(NULL, room->size + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room->base == MAP_FAILED)
		return -errno;
	mprotect(room->base + room->size, 4096, PROT_NONE);
	return 0;
}

static void room_free(struct room *room)
{
	munmap(room->base, room->size + 4096);
}

/* right at the end, in most cases; or nowhere */
static uint64_t room_address(const struct room *room, struct rnd *r, size_t bytes)
{
	if (rnd_one_in(r, 30))
		return rnd_any(r);
	if (rnd_one_in(r, 30))
		return (uintptr_t)room->base + room->size;
	return (uintptr_t)room->base + room->size - bytes;
}

static unsigned int any_room(struct rnd *r)
{
	return rnd_one_in(r, 30) ? rnd_any(r) : rnd_of(r, 0U, 1U, 2U, 3U, 16U, 64U, 300U);
}

/* what the kernel may be told there is, and what there is */
static size_t room_bytes(unsigned int nr, size_t size)
{
	return nr > 4096 ? 4096 : nr * size;
}

static int any_query(struct fuzzer *f, struct rnd *r)
{
	return slot_any(&f->worker->slots, SLOT_QUERY, r);
}

static int any_fd(struct fuzzer *f, struct rnd *r)
{
	switch (rnd_below(r, 8)) {
	case 0:
		return rnd_any(r);
	case 1:
		return any_query(f, r);
	case 2:
	case 3:
		return slot_any_drm(&f->worker->slots, r);
	default:
		return -1;
	}
}

long op_query_open(struct fuzzer *f, struct rnd *r)
{
	return slot_put(&f->worker->slots, SLOT_QUERY, r,
			outcome(open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC)));
}

long op_query_close(struct fuzzer *f, struct rnd *r)
{
	int fd = slot_take(&f->worker->slots, SLOT_QUERY, r);

	return fd < 0 ? -ENOENT : outcome(close(fd));
}

static long query_all(struct fuzzer *f, struct rnd *r, unsigned long request, size_t size)
{
	struct gpu_pmu_contexts arg = { .fd = any_fd(f, r), .nr = any_room(r) };
	size_t bytes = room_bytes(arg.nr, size);
	struct room room;
	long ret = room_make(&room, bytes);

	if (ret)
		return ret;
	arg.infos = room_address(&room, r, bytes);
	ret = outcome(ioctl(any_query(f, r), request, &arg));
	room_free(&room);
	return ret;
}

long op_query_contexts(struct fuzzer *f, struct rnd *r)
{
	return query_all(f, r, GPU_PMU_IOCTL_CONTEXTS, sizeof(struct gpu_pmu_context_info));
}

long op_query_fences(struct fuzzer *f, struct rnd *r)
{
	return query_all(f, r, GPU_PMU_IOCTL_FENCES, sizeof(struct gpu_pmu_fence_info));
}

long op_query_infos(struct fuzzer *f, struct rnd *r)
{
	unsigned long request = rnd_of(r, GPU_PMU_IOCTL_DEVICES, GPU_PMU_IOCTL_ENGINES,
				       GPU_PMU_IOCTL_EVENTS);
	struct gpu_pmu_infos arg = { .nr = any_room(r) };
	size_t size = request == GPU_PMU_IOCTL_DEVICES ? sizeof(struct gpu_pmu_device_info) :
		      request == GPU_PMU_IOCTL_ENGINES ? sizeof(struct gpu_pmu_engine_info) :
							 sizeof(struct gpu_pmu_event_info);
	struct room room;
	long ret;

	if (!rnd_one_in(r, 3))
		arg.dev = rnd_one_in(r, 8) ? rnd_any(r) : 128 + rnd_below(r, 3);
	ret = room_make(&room, room_bytes(arg.nr, size));
	if (ret)
		return ret;
	arg.infos = room_address(&room, r, room_bytes(arg.nr, size));
	ret = outcome(ioctl(any_query(f, r), request, &arg));
	room_free(&room);
	return ret;
}

long op_query_usages(struct fuzzer *f, struct rnd *r)
{
	struct gpu_pmu_usages arg = {
		.fd = any_fd(f, r),
		.flags = rnd_one_in(r, 2) ? GPU_PMU_USAGES_ENGINES : 0,
		.nr_events = 1 + rnd_below(r, 8),
		.nr = any_room(r),
	};
	uint64_t events[GPU_PMU_USAGES_EVENTS_MAX + 1];
	struct room room;
	size_t bytes;
	long ret;

	if (rnd_one_in(r, 20))
		arg.flags = rnd_any(r);
	if (rnd_one_in(r, 10))
		arg.nr_events = rnd_of(r, 0U, 32U, 33U, ~0U);
	for (int i = 0; i <= GPU_PMU_USAGES_EVENTS_MAX; i++) {
		events[i] = rnd_of(r, 1, 2, 3, 4);
		if (rnd_one_in(r, 10))
			events[i] = rnd_below(r, 10);
		if (rnd_one_in(r, 40))
			events[i] = rnd_any(r);
		if (rnd_one_in(r, 10))
			events[i] = GPU_PMU_EVENT_NATIVE + rnd_below(r, 6);
	}
	arg.events = rnd_one_in(r, 30) ? rnd_any(r) : (uintptr_t)events;
	bytes = room_bytes(arg.nr, sizeof(struct gpu_pmu_usage) +
			   8 * (arg.nr_events > 33 ? 33 : arg.nr_events));
	ret = room_make(&room, bytes);
	if (ret)
		return ret;
	arg.usages = room_address(&room, r, bytes);
	ret = outcome(ioctl(any_query(f, r), GPU_PMU_IOCTL_USAGES, &arg));
	room_free(&room);
	return ret;
}

long op_query_ioctl(struct fuzzer *f, struct rnd *r)
{
	uint64_t words[32];

	for (int i = 0; i < 32; i++)
		words[i] = rnd_any(r);
	return outcome(ioctl(any_query(f, r),
			     _IOC(rnd_below(r, 4), 'G', 0xe0 + rnd_below(r, 6),
				  rnd_below(r, 128)),
			     rnd_one_in(r, 4) ? (void *)rnd_any(r) : words));
}

static const char * const folders[] = {
	"/sys/bus/event_source/devices/gpu/events",
	"/sys/bus/event_source/devices/gpu/format",
	"/sys/bus/event_source/devices/gpu",
};

/* files that may go while they are read */
long op_sysfs_read(struct fuzzer *f, struct rnd *r)
{
	unsigned int where = rnd_below(r, sizeof(folders) / sizeof(folders[0]));
	const char *folder = folders[where];
	/* one after the other has fewer files */
	unsigned int which = rnd_below(r, 16 >> where);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char text[256];
	int fd = -1;
	long ret;

	(void)f;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_REG && !which--)
			break;
	if (entry)
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -ENOENT : outcome(read(fd, text, sizeof(text)));
	if (fd >= 0)
		close(fd);
	closedir(dir);
	return ret;
}
