// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "kernel/process.h"
#include "kernel/query.h"

#define DRM_MAJOR	226

static bool is_drm(int pid, int number)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, number);
	return !stat(path, &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) == DRM_MAJOR;
}

/* 1: it was one; 0: it has been closed since */
static int take(int pidfd, int number, int (*each)(void *arg, int fd, int number), void *arg)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, number, 0), ret;

	if (fd < 0)
		return errno == EBADF ? 0 : -errno;
	ret = each(arg, fd, number);
	if (ret != 1)
		close(fd);
	return ret < 0 ? ret : 1;
}

/* its pidfd, and its files' folder; or a negative errno */
static int process_open(int pid, DIR **dir)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0), err;
	char path[64];

	if (pidfd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	*dir = opendir(path);
	if (*dir)
		return pidfd;
	/* a pid that can be signalled, and is not in /proc: that is another's */
	err = errno == EACCES ? -EPERM : errno == ENOENT ? -ESRCH : -errno;
	close(pidfd);
	return err;
}

bool process__lives(int pid)
{
	char path[64], line[256], *name_end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = 0;
	fclose(file);
	/* "PID (NAME) STATE ...": and a name may have anything in it */
	name_end = strrchr(line, ')');
	return name_end && name_end[1] && !strchr("ZXx", name_end[2]);
}

int process__check(int pid)
{
	DIR *dir;
	int pidfd = process_open(pid, &dir);

	if (pidfd < 0)
		return pidfd;
	closedir(dir);
	close(pidfd);
	return 0;
}

int process__each_drm(int pid, int (*each)(void *arg, int fd, int number), void *arg)
{
	int nr = 0, ret = 0, pidfd;
	struct dirent *entry;
	DIR *dir;

	pidfd = process_open(pid, &dir);
	if (pidfd < 0)
		return pidfd;
	while (ret >= 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !is_drm(pid, atoi(entry->d_name)))
			continue;
		ret = take(pidfd, atoi(entry->d_name), each, arg);
		if (ret > 0)
			nr++;
	}
	closedir(dir);
	close(pidfd);
	return ret < 0 ? ret : nr;
}

/**
 * struct best - the best file so far
 * @fd:		our copy, or -1
 * @rank:	2: it has a context, 1: it is a client's without one
 */
struct best {
	int fd;
	int rank;
};

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

static int best_each(void *arg, int fd, int number)
{
	struct best *best = arg;
	int rank = best->rank < 2 ? drm_rank(fd) : 0;

	(void)number;
	if (rank <= best->rank)
		return 0;
	if (best->fd >= 0)
		close(best->fd);
	*best = (struct best){ fd, rank };
	return 1;
}

int process__take_drm(int pid)
{
	struct best best = { .fd = -1 };
	int ret = process__each_drm(pid, best_each, &best);

	if (ret >= 0 && best.fd < 0)
		ret = -ENOENT;
	/* pidfd_getfd() gives a fd that an exec would close */
	if (ret >= 0 && fcntl(best.fd, F_SETFD, 0))
		ret = -errno;
	if (ret < 0 && best.fd >= 0)
		close(best.fd);
	return ret < 0 ? ret : best.fd;
}

const char *process__strerror(int pid, int err, char *text, size_t size)
{
	return obstacle__of_process(err, pid, text, size);
}
