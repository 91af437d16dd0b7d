/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which clients a target holds: those whose files its processes have open, though
 * another process may have opened them, as an X server does for its clients.
 */
#ifndef PERF_GPU_HELD_H
#define PERF_GPU_HELD_H

#include <stdbool.h>
#include <linux/types.h>

#include "stat/tree.h"

/**
 * struct held_client - a client that was seen held
 * @client:	its id
 * @fd:		a copy of its file, as there is no other way to read its counts; or -1
 * @now:	the last scan has seen it
 */
struct held_client {
	__u64 client;
	int fd;
	bool now;
};

/* what people are told of @denied; the end may be cut off by a terminal */
#define HELD_DENIED	"Some files could not be looked into: clients that others opened may be missing" \
			" (see 'perf gpu list')"

/**
 * struct held - those that were ever seen
 * @client:	the clients
 * @nr:		how many
 * @denied:	files of a process could not be looked into
 */
struct held {
	struct held_client *client;
	unsigned int nr;
	bool denied;
};

/**
 * held__scan() - look into the target's processes
 * @held:	what is known
 * @tree:	the processes; those that are gone are marked so
 * @shown:	whether the counts of a client can be read without its file
 * @arg:	of @shown
 *
 * A copy of a file keeps the client alive. So it is kept only where counts cannot be read
 * without it, and until the next scan after the target's own has gone.
 *
 * Return: 0 or a negative errno.
 */
int held__scan(struct held *held, struct tree *tree,
	       bool (*shown)(void *arg, __u64 client), void *arg);
bool held__has(const struct held *held, __u64 client);
/* close the copies of files that the target has no more: after their last reading */
void held__release(struct held *held);
void held__free(struct held *held);

#endif /* PERF_GPU_HELD_H */
