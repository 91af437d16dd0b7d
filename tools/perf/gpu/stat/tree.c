// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/process.h"
#include "stat/cpus.h"
#include "stat/tree.h"

/*
 * A fork is 48 bytes: this is room for some 600 on one processor between two looks. All
 * users together may lock some 512 KiB for each processor (kernel.perf_event_mlock_kb).
 */
#define RING_PAGES	8
#define RECORD_MAX	256

struct tree_ring {
	struct perf_event_mmap_page *page;
	size_t size;
	int fd;
};

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct task_record {
	struct perf_event_header header;
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
};

struct lost_record {
	struct perf_event_header header;
	__u64 id;
	__u64 lost;
};

/* the place of the first process that is not before @pid */
static unsigned int tree_place(const struct tree *tree, pid_t pid)
{
	unsigned int low = 0, high = tree->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (tree->process[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tree_process *tree_find(const struct tree *tree, pid_t pid)
{
	unsigned int place = tree_place(tree, pid);

	if (place == tree->nr || tree->process[place].pid != pid)
		return NULL;
	return &tree->process[place];
}

bool tree__has(const struct tree *tree, pid_t pid)
{
	return tree_find(tree, pid);
}

int tree__add(struct tree *tree, pid_t pid)
{
	struct tree_process *known = tree_find(tree, pid), *more;
	unsigned int place = tree_place(tree, pid), room;

	if (known) {
		known->alive = true;
		known->gone = false;
		return 0;
	}
	if (tree->nr == tree->room) {
		room = 2 * tree->room + 16;
		more = reallocarray(tree->process, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		tree->process = more;
		tree->room = room;
	}
	memmove(tree->process + place + 1, tree->process + place,
		(tree->nr - place) * sizeof(*tree->process));
	tree->process[place] = (struct tree_process){ .pid = pid, .alive = true };
	tree->nr++;
	return 0;
}

int tree__record(struct tree *tree, const struct perf_event_header *header)
{
	const struct task_record *task = (const void *)header;
	const struct lost_record *lost = (const void *)header;
	struct tree_process *process;

	switch (header->type) {
	case PERF_RECORD_FORK:
		/* 0: the process is in another pid namespace, and its files are, too */
		if (header->size < sizeof(*task) || !task->pid)
			return 0;
		/* a thread of a process that has exec'd may tell later than that */
		return tree__add(tree, task->pid);
	case PERF_RECORD_EXIT:
		process = header->size < sizeof(*task) || task->pid != task->tid ? NULL :
			  tree_find(tree, task->pid);
		/* other threads of it may go on, and one be the process after an exec */
		if (process)
			process->alive = false;
		return 0;
	case PERF_RECORD_LOST:
		if (header->size >= sizeof(*lost))
			tree->lost += lost->lost;
		return 0;
	default:
		return 0;
	}
}

/* true: it is to be forgotten */
static bool process_is_over(struct tree_process *process)
{
	bool gone = process->gone;

	if (process->alive)
		return false;
	process->gone = kill(process->pid, 0) && errno == ESRCH;
	/* a thread that was not the first one goes on as the process */
	process->alive = !process->gone && process__lives(process->pid);
	return gone && process->gone;
}

void tree__forget(struct tree *tree)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < tree->nr; i++)
		if (!process_is_over(&tree->process[i]))
			tree->process[kept++] = tree->process[i];
	tree->nr = kept;
}

static void copy_out(const struct tree_ring *ring, __u64 at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t offset = at & (ring->size - 1), first = ring->size - offset;

	if (first > size)
		first = size;
	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, size - first);
}

static int ring_read(struct tree *tree, struct tree_ring *ring)
{
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->page->data_tail;
	union {
		struct perf_event_header header;
		char bytes[RECORD_MAX];
	} record;
	int err = 0;

	while (!err && tail != head) {
		copy_out(ring, tail, &record.header, sizeof(record.header));
		if (record.header.size < sizeof(record.header) ||
		    record.header.size > head - tail) {
			err = -EIO;
			break;
		}
		/* what is longer is nothing that we have asked for */
		if (record.header.size <= sizeof(record)) {
			copy_out(ring, tail, &record, record.header.size);
			err = tree__record(tree, &record.header);
		}
		tail += record.header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

int tree__update(struct tree *tree)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < tree->nr_rings; i++)
		err = ring_read(tree, &tree->ring[i]);
	return err;
}

int tree__poll_fd(const struct tree *tree, unsigned int ring)
{
	return tree->ring[ring].fd;
}

/* the first event of a processor has the buffer, the others write there */
static int ring_attach(struct tree_ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	if (ring->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0;
	ring->size = RING_PAGES * page;
	at = mmap(NULL, ring->size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ring->page = at;
	ring->fd = fd;
	return 0;
}

int tree__begin(struct tree *tree, const struct target *target)
{
	int err = 0;

	*tree = (struct tree){};
	for (unsigned int i = 0; !err && i < target->nr_pids; i++)
		err = tree__add(tree, target->pid[i]);
	return err;
}

int tree__open(struct tree *tree, const struct target *target, const struct places *places)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.task = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = RING_PAGES * sysconf(_SC_PAGESIZE) / 2,
	};
	unsigned int nr_cpus = 0;
	int *cpus = NULL, err;

	err = tree__begin(tree, target) ?: cpus__online(&cpus, &nr_cpus);
	if (err)
		goto out;
	tree->ring = calloc(nr_cpus, sizeof(*tree->ring));
	tree->fd = calloc(nr_cpus * places->nr_pids, sizeof(*tree->fd));
	if (!tree->ring || !tree->fd)
		err = -ENOMEM;
	/* perf fills a buffer of an inherited event only from one processor */
	for (unsigned int c = 0; !err && c < nr_cpus; c++) {
		for (unsigned int p = 0; !err && p < places->nr_pids; p++) {
			int fd = syscall(SYS_perf_event_open, &attr, places->pid[p], cpus[c],
					 -1, PERF_FLAG_FD_CLOEXEC);

			if (fd < 0) {
				/* a thread may end, and a processor go away */
				err = errno == ESRCH || errno == ENODEV ? 0 : -errno;
				continue;
			}
			tree->fd[tree->nr_fds++] = fd;
			err = ring_attach(&tree->ring[tree->nr_rings], fd);
		}
		if (tree->ring[tree->nr_rings].page)
			tree->nr_rings++;
	}
out:
	free(cpus);
	if (err)
		tree__close(tree);
	return err;
}

void tree__close(struct tree *tree)
{
	size_t page = sysconf(_SC_PAGESIZE);

	for (unsigned int i = 0; i < tree->nr_rings; i++)
		munmap(tree->ring[i].page, tree->ring[i].size + page);
	for (unsigned int i = 0; i < tree->nr_fds; i++)
		close(tree->fd[i]);
	free(tree->ring);
	free(tree->fd);
	free(tree->process);
	*tree = (struct tree){};
}
