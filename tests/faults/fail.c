// SPDX-License-Identifier: GPL-2.0
/*
 * One allocation fails: the nth of this task below a given function. The kernel's
 * fault injection does it (failslab, fail_page_alloc, /proc/thread-self/fail-nth).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"

#define DEBUGFS	"/sys/kernel/debug/"

static const char * const folders[] = {
	[FAIL_SLAB]	= "failslab",
	[FAIL_PAGES]	= "fail_page_alloc",
};

const char * const fail_kinds[] = {
	[FAIL_SLAB]	= "no slab",
	[FAIL_PAGES]	= "no page",
};

int file_write(const char *path, const char *fmt, ...)
{
	char text[64];
	va_list args;
	int fd, err;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

bool fail_is_there(void)
{
	return !access("/proc/thread-self/fail-nth", F_OK) && !access(DEBUGFS "failslab", F_OK);
}

/* from a symbol to the next one */
static int symbol_range(const char *name, unsigned long *start, unsigned long *end)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], symbol[256];
	unsigned long at;

	if (!file)
		return -errno;
	*start = 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx %*c %255s", &at, symbol) == 2 && !strcmp(symbol, name))
			*start = at;
	*end = ~0UL;
	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx", &at) == 1 && at > *start && at < *end)
			*end = at;
	fclose(file);
	return *start ? 0 : -ENOENT;
}

static int attribute(const char *folder, const char *name, unsigned long value)
{
	char path[96];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", folder, name);
	return file_write(path, "%#lx", value);
}

/*
 * The two count down the same number. How many pages there are to be had depends on what
 * the slab has left, which differs from one time to the next: a number that both count
 * would stand for another place each time, and some places would never come. So one of
 * them has no stack to look at, and then it neither fails nor counts.
 */
int fail_below(unsigned int kind, const char *function)
{
	unsigned long start = 0, end = 0;
	char path[96];
	int err;

	err = symbol_range(function, &start, &end);
	for (unsigned int i = 0; !err && i < 2; i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s/ignore-gfp-wait", folders[i]);
		err = file_write(path, "N");
		err = err ?: attribute(folders[i], "verbose", 0);
		err = err ?: attribute(folders[i], "require-start", start);
		err = err ?: attribute(folders[i], "require-end", end);
		err = err ?: attribute(folders[i], "stacktrace-depth", i == kind ? 32 : 0);
	}
	if (!err)
		err = file_write(DEBUGFS "fail_page_alloc/min-order", "0");
	/* a probe's pool has very many pages; what describes it fails, too, and first */
	if (!err && !symbol_range("objpool_init", &start, &end)) {
		err = attribute(folders[FAIL_PAGES], "reject-start", start);
		err = err ?: attribute(folders[FAIL_PAGES], "reject-end", end);
	}
	return err;
}

static int nth_fd = -1;

int fail_arm(unsigned int nth)
{
	char text[16];

	if (nth_fd < 0)
		nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%u", nth);
	return pwrite(nth_fd, text, strlen(text), 0) < 0 ? -errno : 0;
}

/* what is left of the number says whether it was reached */
bool fail_disarm(void)
{
	char text[16] = "";
	ssize_t size = pread(nth_fd, text, sizeof(text) - 1, 0);

	if (size <= 0 || pwrite(nth_fd, "0", 1, 0) != 1) {
		fprintf(stderr, "faults: fail-nth: %s\n", strerror(errno));
		exit(1);
	}
	return !atoi(text);
}
