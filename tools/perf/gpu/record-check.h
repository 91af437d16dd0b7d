/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPU_RECORD_CHECK_H
#define PERF_GPU_RECORD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define RECORD_CHECK_TEXT	512

/* may this process see what others do? */
bool record_check__privileged(void);
/**
 * record_check__obstacle() - what is in the way, before perf is run
 * @pid:	the process, 0: a command
 * @all:	the whole machine
 * @text:	a sentence, if there is something
 * @size:	room for it
 *
 * Return: 0, or a negative errno.
 */
int record_check__obstacle(int pid, bool all, char *text, size_t size);

#endif /* PERF_GPU_RECORD_CHECK_H */
