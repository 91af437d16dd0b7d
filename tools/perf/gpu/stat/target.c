// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stat/signals.h"
#include "stat/target.h"

/* what the command gets back: the limit that we were started with */
static struct rlimit files_limit;

void files__raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &files_limit))
		return;
	limit = files_limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int pids_add(struct target *target, pid_t pid)
{
	pid_t *more = reallocarray(target->pid, target->nr_pids + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	target->pid = more;
	target->pid[target->nr_pids++] = pid;
	return 0;
}

static bool pids_have(const struct target *target, pid_t pid)
{
	for (unsigned int i = 0; i < target->nr_pids; i++)
		if (target->pid[i] == pid)
			return true;
	return false;
}

int target__parse_pids(struct target *target, const char *list)
{
	char *end;
	long pid;
	int err;

	for (;; list = end + 1) {
		errno = 0;
		pid = strtol(list, &end, 10);
		if (!isdigit(list[0]) || errno || pid <= 0 || pid > 0x7fffffff ||
		    (*end && *end != ','))
			return -EINVAL;
		/* named twice, it is there once */
		err = pids_have(target, pid) ? 0 : pids_add(target, pid);
		if (err || !*end)
			return err;
	}
}

/* in the child: waits for the word, then becomes the command */
static void child_run(struct target *target, int go, int failed, int stdout_fd)
{
	int err;
	char c;

	/* nobody waits for a command that was never told to begin */
	if (read(go, &c, 1) != 1)
		_exit(0);
	signals__release();
	if (files_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &files_limit);
	if (stdout_fd >= 0 && dup2(stdout_fd, STDOUT_FILENO) < 0)
		_exit(127);
	execvp(target->argv[0], target->argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int target__fork(struct target *target, int stdout_fd)
{
	int go[2], failed[2], err;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		err = -errno;
		goto close_go;
	}
	target->child = fork();
	if (target->child < 0) {
		err = -errno;
		target->child = 0;
		goto close_failed;
	}
	if (!target->child) {
		close(go[1]);
		close(failed[0]);
		child_run(target, go[0], failed[1], stdout_fd);
	}
	close(go[0]);
	close(failed[1]);
	target->go = go[1];
	target->exec_failed = failed[0];
	if (target->kind != TARGET_COMMAND)
		return 0;
	return pids_add(target, target->child);

close_failed:
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return err;
}

int target__exec(struct target *target)
{
	int err = 0;

	if (write(target->go, "", 1) != 1)
		return -errno;
	/* the end of the pipe is closed by the exec */
	if (read(target->exec_failed, &err, sizeof(err)) != sizeof(err))
		err = 0;
	return -err;
}

void target__free(struct target *target)
{
	if (target->child) {
		close(target->go);
		close(target->exec_failed);
	}
	free(target->pid);
}

int process__threads(pid_t pid, pid_t **tids, unsigned int *nr)
{
	struct dirent *entry;
	pid_t *more;
	char path[32];
	int err = 0;
	DIR *dir;

	*tids = NULL;
	*nr = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		more = reallocarray(*tids, *nr + 1, sizeof(**tids));
		if (!more) {
			err = -ENOMEM;
			break;
		}
		*tids = more;
		more[(*nr)++] = atoi(entry->d_name);
	}
	closedir(dir);
	if (!err && !*nr)
		err = -ESRCH;
	if (err) {
		free(*tids);
		*tids = NULL;
	}
	return err;
}
