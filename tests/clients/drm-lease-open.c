// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD, see drm-lease.c: an open() of the leased device gives the lease.
 * (Through /proc/self/fd it would open the device anew.)
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *path, int flags, ...);
	const char *device = getenv("DRM_LEASE_DEVICE");
	const char *lease = getenv("DRM_LEASE_FD");
	mode_t mode = 0;
	va_list args;

	if (device && lease && !strcmp(path, device))
		return fcntl(atoi(lease), F_DUPFD_CLOEXEC, 0);

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "open");
	return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open"), copy(open)));
