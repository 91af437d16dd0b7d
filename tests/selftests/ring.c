// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "ring.h"

#define RING_PAGES	256
#define RECORD_MAX	65536	/* its size is 16 bits */

int ring_open_attr(struct ring *ring, struct perf_event_attr *attr, pid_t pid, int cpu,
		   unsigned int pages)
{
	/* nobody is woken: whoever reads the ring knows when there is something */
	attr->watermark = 1;
	attr->wakeup_watermark = 1 << 30;

	*ring = (struct ring) { .clock = attr->use_clockid ? attr->clockid : -1 };
	ring->fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	ring->mapped = (pages + 1) * sysconf(_SC_PAGESIZE);
	ring->page = mmap(NULL, ring->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		int err = -errno;

		close(ring->fd);
		return err;
	}
	return 0;
}

/* -1: perf's own */
static clockid_t clock_by_flags(unsigned int flags)
{
	if (flags & RING_MONOTONIC)
		return CLOCK_MONOTONIC;
	return flags & RING_BOOTTIME ? CLOCK_BOOTTIME : -1;
}

int ring_open(struct ring *ring, const struct gpu_config *config, pid_t pid, int cpu,
	      uint64_t period, unsigned int flags)
{
	clockid_t clock = clock_by_flags(flags);
	struct perf_event_attr attr;
	int err;

	gpu_event_attr(&attr, config);
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	attr.disabled = 1;
	attr.exclude_kernel = !(flags & RING_KERNEL);
	attr.exclude_hv = !(flags & RING_KERNEL);
	attr.inherit = !!(flags & RING_INHERIT);
	attr.use_clockid = clock >= 0;
	attr.clockid = clock >= 0 ? clock : 0;
	if (flags & RING_CALLCHAIN) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.exclude_callchain_kernel = !(flags & RING_KERNEL);
	}
	err = ring_open_attr(ring, &attr, pid, cpu, flags & RING_SMALL ? 1 : RING_PAGES);
	ring->flags = flags;
	return err;
}

void ring_close(struct ring *ring)
{
	munmap(ring->page, ring->mapped);
	close(ring->fd);
}

/* records wrap around at the end of the buffer */
static void ring_copy(const struct ring *ring, uint64_t from, void *to, size_t size)
{
	const uint8_t *base = (uint8_t *)ring->page + ring->page->data_offset;
	uint8_t *byte = to;

	while (size--)
		*byte++ = base[from++ % ring->page->data_size];
}

static void sample_parse(const struct ring *ring, const uint8_t *at, struct ring_sample *sample)
{
#define TAKE(field) do {						\
		memcpy(&sample->field, at, sizeof(sample->field));	\
		at += sizeof(sample->field);				\
	} while (0)
	TAKE(ip);
	TAKE(pid);
	TAKE(tid);
	TAKE(time);
	sample->nr_ips = 0;
	if (ring->flags & RING_CALLCHAIN) {
		TAKE(nr_ips);
		memcpy(sample->ips, at, sample->nr_ips * sizeof(uint64_t));
		at += sample->nr_ips * sizeof(uint64_t);
	}
	TAKE(size);
#undef TAKE
	memcpy(sample->raw, at, sample->size < sizeof(sample->raw) ? sample->size :
	       sizeof(sample->raw));
}

bool ring_record(struct ring *ring, void *record, size_t room)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail, lost;
	struct perf_event_header header;
	size_t size;

	if (tail == head)
		return false;
	ring_copy(ring, tail, &header, sizeof(header));
	size = header.size < room ? header.size : room;
	ring_copy(ring, tail, record, size);
	if (header.type == PERF_RECORD_LOST) {
		/* behind the event's id */
		ring_copy(ring, tail + sizeof(header) + sizeof(uint64_t), &lost, sizeof(lost));
		ring->lost += lost;
	} else if (header.type == PERF_RECORD_THROTTLE) {
		ring->throttled++;
	}
	__atomic_store_n(&ring->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return true;
}

bool ring_next(struct ring *ring, struct ring_sample *sample)
{
	union {
		struct perf_event_header header;
		uint8_t bytes[RECORD_MAX];
	} record;

	while (ring_record(ring, &record, sizeof(record))) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		sample_parse(ring, record.bytes + sizeof(record.header), sample);
		return true;
	}
	return false;
}

/* perf's own clock, from what perf says of the counter that it is made of */
static uint64_t perf_clock(const struct perf_event_mmap_page *page)
{
	uint32_t seq, high, low;
	uint64_t cycles, quot, rem, time;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
		cycles = (uint64_t)high << 32 | low;
		quot = cycles >> page->time_shift;
		rem = cycles & ((1ULL << page->time_shift) - 1);
		time = page->time_zero + quot * page->time_mult +
		       ((rem * page->time_mult) >> page->time_shift);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != seq || seq & 1);
	return page->cap_user_time_zero ? time : 0;
}

uint64_t ring_clock(const struct ring *ring)
{
	struct timespec now;

	if (ring->clock < 0)
		return perf_clock(ring->page);
	clock_gettime(ring->clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
