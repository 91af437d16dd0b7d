/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose GPU use is looked at: a command, processes, or the whole machine.
 */
#ifndef PERF_GPU_TARGET_H
#define PERF_GPU_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum target_kind {
	TARGET_COMMAND,
	TARGET_PROCESSES,
	TARGET_ALL,
};

/**
 * struct target - whose
 * @kind:	what it is
 * @pid:	the processes; the command's one
 * @nr_pids:	how many
 * @argv:	a command to run; of TARGET_COMMAND it is what is looked at, else it is
 *		the length of the look. NULL: none
 * @child:	its process, 0: not started
 * @go:		what it waits at before it execs
 * @exec_failed: where it says that it could not
 */
struct target {
	enum target_kind kind;
	pid_t *pid;
	unsigned int nr_pids;
	char **argv;
	pid_t child;
	int go;
	int exec_failed;
};

/* all functions return 0 or a negative errno, unless they say otherwise */

/* "PID[,PID...]"; -EINVAL: it is no such list */
int target__parse_pids(struct target *target, const char *list);
/**
 * target__fork() - make the process that the command will be
 * @target:	whose
 * @stdout_fd:	its standard output, or -1: ours
 */
int target__fork(struct target *target, int stdout_fd);
/* let it exec; the errno with which it could not */
int target__exec(struct target *target);
void target__free(struct target *target);

/* the threads of a process; *nr of them, to be freed */
int process__threads(pid_t pid, pid_t **tids, unsigned int *nr);

/* as many open files as we may have: an event is one for each thread or processor */
void files__raise_limit(void);

#endif /* PERF_GPU_TARGET_H */
