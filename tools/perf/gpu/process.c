// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "process.h"
#include "query.h"

#define DRM_MAJOR	226

/* does our copy of a file have a context? 2: yes; 1: it is a client's without one */
static int drm_rank(int fd)
{
	struct contexts contexts;
	int rank = 0;

	if (contexts__get(&contexts, fd))
		return 0;
	if (contexts.nr)
		rank = contexts.info[0].ctx ? 2 : 1;
	contexts__put(&contexts);
	return rank;
}

static int take(int pidfd, int pid, int number)
{
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, number);
	if (stat(path, &st))
		return -errno;
	if (!S_ISCHR(st.st_mode) || major(st.st_rdev) != DRM_MAJOR)
		return -ENOENT;
	fd = syscall(SYS_pidfd_getfd, pidfd, number, 0);
	return fd < 0 ? -errno : fd;
}

int process__take_drm(int pid)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0), best = -ENOENT, best_rank = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	if (pidfd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir) {
		best = errno == EACCES ? -EPERM : -errno;
		goto out;
	}
	while (best_rank < 2 && (entry = readdir(dir))) {
		int fd, rank;

		if (entry->d_name[0] == '.')
			continue;
		fd = take(pidfd, pid, atoi(entry->d_name));
		if (fd < 0) {
			if (fd == -EPERM && best < 0)
				best = fd;
			continue;
		}
		rank = drm_rank(fd);
		if (rank <= best_rank) {
			close(fd);
			continue;
		}
		if (best >= 0)
			close(best);
		best = fd;
		best_rank = rank;
	}
	closedir(dir);
	/* pidfd_getfd() gives a fd that an exec would close */
	if (best >= 0 && fcntl(best, F_SETFD, 0)) {
		close(best);
		best = -errno;
	}
out:
	close(pidfd);
	return best;
}

const char *process__strerror(int pid, int err, char *text, size_t size)
{
	switch (-err) {
	case ENOENT:
		snprintf(text, size,
			 "process %d has no GPU open that has a source of events", pid);
		break;
	case EPERM:
		snprintf(text, size,
			 "process %d may not be looked into: it is another user's, or ptrace is restricted (kernel.yama.ptrace_scope)",
			 pid);
		break;
	default:
		snprintf(text, size, "process %d: %s", pid, strerror(-err));
	}
	return text;
}
