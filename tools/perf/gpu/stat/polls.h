/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are polled for their end. Pure, but for the files.
 */
#ifndef PERF_GPU_POLLS_H
#define PERF_GPU_POLLS_H

#include <poll.h>

/*
 * What poll() has said one of @ended of is polled no more: it would be said at once, for ever.
 * Return: how many are left.
 */
unsigned int polls__drop(struct pollfd *polls, unsigned int nr, short ended);

#endif /* PERF_GPU_POLLS_H */
