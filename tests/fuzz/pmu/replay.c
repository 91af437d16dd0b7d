// SPDX-License-Identifier: GPL-2.0
/*
 * Does again what a log says: each thread, and the crew, does its own lines, and waits
 * until those before them have begun, so that they come in the order of the log.
 */
#include <time.h>

#include "fuzz.h"

/*
 * What has blocked, as it did not then, does not block the others for ever. But there are
 * operations that take half a minute on a busy machine: two hundred events are one.
 */
#define TURN_MS		300000

static bool turn_wait(struct shared *shared, unsigned int turn)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	int64_t end = now_ns() + TURN_MS * 1000000L;

	while (shared->turn < turn && now_ns() < end && !shared->stop)
		nanosleep(&nap, NULL);
	return !shared->stop;
}

/* the next one may begin, but for what others have begun meanwhile */
static void turn_pass(struct shared *shared, unsigned int turn)
{
	unsigned int now = shared->turn;

	while (now <= turn && !atomic_compare_exchange_weak(&shared->turn, &now, turn + 1))
		;
}

static bool is_mine(const struct fuzzer *f, const struct log_line *line)
{
	return !line->crew && line->worker == f->worker->nr && line->thread == f->nr;
}

void replay_lines(struct fuzzer *f)
{
	const struct options *options = f->worker->options;
	struct shared *shared = f->worker->shared;

	for (unsigned int i = f->worker->from_line; i < options->nr_lines; i++) {
		const struct step *step = &options->lines[i].step;

		if (!is_mine(f, &options->lines[i]))
			continue;
		if (!turn_wait(shared, i))
			break;
		log_step(f, step);
		turn_pass(shared, i);
		op_do(f, step);
	}
}

void replay_crew(struct crew *crew, const struct options *options, struct shared *shared)
{
	for (unsigned int i = 0; i < options->nr_lines; i++) {
		const struct log_line *line = &options->lines[i];

		if (!line->crew)
			continue;
		while (shared->turn < i && crew_watch(crew))
			;
		/* those that it starts anew begin behind this line */
		crew_act(crew, line->step.op, line->step.seed, i + 1);
		turn_pass(shared, i);
	}
	while (crew_watch(crew))
		;
}
