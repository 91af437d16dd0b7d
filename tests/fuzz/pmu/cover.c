// SPDX-License-Identifier: GPL-2.0
/*
 * What of the modules' code an operation has reached, by KCOV, where the kernel has
 * it: it tells the places that the calling task came by, and no interrupt's.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "fuzz.h"

#define PLACES	(64 << 10)
#define KNOWN	(16 << 10)

struct cover {
	int fd;
	unsigned int loads;	/* of modules, when the operation began */
	unsigned long *places;	/* their number first */
	unsigned long known[KNOWN];	/* addresses that were looked at, each in its place */
};

struct cover *cover_open(void)
{
	struct cover *cover = calloc(1, sizeof(*cover));

	if (!cover)
		return NULL;
	cover->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (cover->fd < 0)
		goto err_free;
	if (ioctl(cover->fd, KCOV_INIT_TRACE, PLACES))
		goto err_close;
	cover->places = mmap(NULL, PLACES * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED,
			     cover->fd, 0);
	if (cover->places == MAP_FAILED)
		goto err_close;
	if (!ioctl(cover->fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return cover;
	munmap(cover->places, PLACES * sizeof(long));
err_close:
	close(cover->fd);
err_free:
	free(cover);
	return NULL;
}

void cover_begin(struct cover *cover, const struct shared *shared)
{
	if (!cover)
		return;
	if (cover->loads != shared->loads)
		memset(cover->known, 0, sizeof(cover->known));
	cover->loads = shared->loads;
	__atomic_store_n(&cover->places[0], 0, __ATOMIC_RELAXED);
}

/* whether nobody has been there before */
static bool place_is_new(struct shared *shared, unsigned long address)
{
	unsigned long offset, bit, mask, hash;
	unsigned int function;

	if (!symbols_find(shared, address, &function, &offset))
		return false;
	shared->function[function].entered = true;
	hash = ((unsigned long)function << 32 | offset) * 0x9e3779b97f4a7c15;
	bit = hash >> (64 - COVER_BITS);
	mask = 1UL << bit % 64;
	return !(shared->cover[bit / 64] & mask) &&
	       !(atomic_fetch_or(&shared->cover[bit / 64], mask) & mask);
}

unsigned int cover_end(struct cover *cover, struct shared *shared)
{
	unsigned long nr, i;
	unsigned int found = 0;

	/* addresses from before a module was loaded again mean nothing now */
	if (!cover || cover->loads != shared->loads)
		return 0;
	nr = __atomic_load_n(&cover->places[0], __ATOMIC_RELAXED);
	for (i = 1; i <= nr && i < PLACES; i++) {
		unsigned long address = cover->places[i];
		unsigned long *known = &cover->known[address / 4 % KNOWN];

		if (*known != address)
			found += place_is_new(shared, address);
		*known = address;
	}
	shared->covered += found;
	return found;
}
