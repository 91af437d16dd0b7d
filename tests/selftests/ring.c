// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "ring.h"

#define RING_PAGES	256

static size_t ring_bytes(void)
{
	return RING_PAGES * sysconf(_SC_PAGESIZE);
}

int ring_open(struct ring *ring, const struct gpu_config *config, pid_t pid, int cpu,
	      uint64_t period, unsigned int flags)
{
	struct perf_event_attr attr;

	gpu_event_attr(&attr, config);
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	attr.disabled = 1;
	attr.exclude_kernel = !(flags & RING_KERNEL);
	attr.exclude_hv = !(flags & RING_KERNEL);
	attr.inherit = !!(flags & RING_INHERIT);
	attr.use_clockid = !!(flags & RING_MONOTONIC);
	attr.clockid = flags & RING_MONOTONIC ? CLOCK_MONOTONIC : 0;
	attr.watermark = 1;
	attr.wakeup_watermark = 1 << 30;

	*ring = (struct ring) { .flags = flags };
	if (flags & RING_CALLCHAIN) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.exclude_callchain_kernel = !(flags & RING_KERNEL);
	}
	ring->fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	ring->page = mmap(NULL, ring_bytes() + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		int err = -errno;

		close(ring->fd);
		return err;
	}
	return 0;
}

void ring_close(struct ring *ring)
{
	munmap(ring->page, ring_bytes() + sysconf(_SC_PAGESIZE));
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

bool ring_next(struct ring *ring, struct ring_sample *sample)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;
	uint8_t record[8192];
	uint64_t lost[2];
	bool found = false;

	while (!found && ring->page->data_tail != head) {
		uint64_t tail = ring->page->data_tail;

		ring_copy(ring, tail, &header, sizeof(header));
		ring_copy(ring, tail + sizeof(header), record, header.size - sizeof(header));
		if (header.type == PERF_RECORD_LOST) {
			memcpy(lost, record, sizeof(lost));
			ring->lost += lost[1];
		} else if (header.type == PERF_RECORD_THROTTLE) {
			ring->throttled++;
		} else if (header.type == PERF_RECORD_SAMPLE) {
			sample_parse(ring, record, sample);
			found = true;
		}
		__atomic_store_n(&ring->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	}
	return found;
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

	if (!(ring->flags & RING_MONOTONIC))
		return perf_clock(ring->page);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
