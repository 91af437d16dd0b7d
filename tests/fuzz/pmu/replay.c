// SPDX-License-Identifier: GPL-2.0
/*
 * Does again what a log says: each thread does its own lines, and waits for a short
 * while until those before them have begun, so that they come in the order of the log.
 */
#include <time.h>

#include "fuzz.h"

/* what has blocked does not block the others for ever */
#define TURN_MS		200

static void turn_wait(struct shared *shared, unsigned int turn)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	int64_t end = now_ns() + TURN_MS * 1000000L;

	while (shared->turn < turn && now_ns() < end)
		nanosleep(&nap, NULL);
	if (shared->turn <= turn)
		shared->turn = turn + 1;
}

void replay_lines(struct fuzzer *f, const struct log_line *lines, unsigned int nr)
{
	struct shared *shared = f->worker->shared;
	unsigned int i;

	for (i = 0; i < nr && !shared->stop; i++) {
		if (lines[i].worker != f->worker->nr || lines[i].thread != f->nr)
			continue;
		turn_wait(shared, i);
		if (op_may(&ops[lines[i].step.op], f->worker))
			op_run(f, lines[i].step.op, lines[i].step.seed);
	}
}
