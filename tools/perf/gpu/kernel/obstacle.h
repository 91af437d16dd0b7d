/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in the way, and the way out: one sentence for each, for all subcommands.
 *
 * A sentence has no full stop and no newline; it is put into @text, of at least
 * OBSTACLE_TEXT bytes, which is also what is returned.
 */
#ifndef PERF_GPU_OBSTACLE_H
#define PERF_GPU_OBSTACLE_H

#include <stdbool.h>
#include <stddef.h>

#define OBSTACLE_TEXT	512

/**
 * struct obstacle_target - what is looked at, as -p PIDS and -a say
 * @pid:	the processes
 * @nr_pids:	how many; 0: none
 * @all:	the whole machine
 */
struct obstacle_target {
	const int *pid;
	unsigned int nr_pids;
	bool all;
};

/**
 * obstacle__check() - before anything is begun: can it work at all?
 * @target:	what is to be looked at; neither: a command of one's own
 * @text:	the sentence, if it cannot
 * @size:	of @text
 *
 * Asks the kernel by an event that counts nothing, on each of the processes: a sentence is of
 * the first one that is in the way.
 *
 * Return: 0, or a negative errno and a sentence.
 */
int obstacle__check(const struct obstacle_target *target, char *text, size_t size);

/*
 * Why an event could not be opened; err: negative, from perf_event_open(). Of more than one
 * process, it is asked again which of them that was.
 */
const char *obstacle__of_open(int err, const char *event,
			      const struct obstacle_target *target, char *text, size_t size);
/* why the files of a process could not be had; err: negative, from process.h */
const char *obstacle__of_process(int err, int pid, char *text, size_t size);
/* why /dev/gpu_pmu did not answer; err: negative, from query.h */
const char *obstacle__of_query(int err, char *text, size_t size);

/*
 * What limits this user here though nothing has failed yet: call it with 0, 1, ... until
 * it returns NULL.
 */
const char *obstacle__limit(unsigned int i, char *text, size_t size);

/* may this process see what others do: CAP_PERFMON, where the kernel asks for it? */
bool obstacle__privileged(void);

#endif /* PERF_GPU_OBSTACLE_H */
