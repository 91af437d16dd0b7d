// SPDX-License-Identifier: GPL-2.0
/*
 * The log: a line for each operation, written before it is done.
 *
 *	WORKER.THREAD OPERATION SEED
 *
 * Its file is meant to lie on another machine: what was written is there when the
 * kernel is not any more. A line of what a worker has forked begins with a dot: the
 * fork's own seed tells all that it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

int log_open(const char *path, const struct options *options)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "# seed %lu workers %u threads %u root %d system %d\n", options->seed,
		    options->workers, options->threads, options->root, options->system) < 0)
		return -errno;
	return fd;
}

void log_step(const struct fuzzer *f, const struct step *step)
{
	const struct worker *worker = f->worker;
	sigset_t all, before;
	char line[96];
	bool written;
	int size;

	if (worker->options->log_fd < 0)
		return;
	size = snprintf(line, sizeof(line), "%s%u.%u %s %lx\n", worker->depth ? "." : "",
			worker->nr, f->nr, ops[step->op].name, step->seed);
	worker->shared->sequence++;
	/* a line is whole: no signal comes in between */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	written = write(worker->options->log_fd, line, size) == size;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!written) {
		perror("pmu-fuzz: the log");
		_exit(1);
	}
}

static bool line_parse(const char *text, struct log_line *line)
{
	char name[64];
	int op;

	if (sscanf(text, "%u.%u %63s %lx", &line->worker, &line->thread, name,
		   &line->step.seed) != 4)
		return false;
	op = op_by_name(name);
	line->step.op = op;
	return op >= 0 && line->worker < THREADS_MAX && line->thread < THREADS_MAX;
}

int log_read(const char *path, struct options *options, struct log_line **lines,
	     unsigned int *nr)
{
	FILE *file = fopen(path, "r");
	struct log_line *more;
	int root, system;
	char text[128];

	if (!file)
		return -errno;
	*lines = NULL;
	*nr = 0;
	while (fgets(text, sizeof(text), file)) {
		if (sscanf(text, "# seed %lu workers %u threads %u root %d system %d",
			   &options->seed, &options->workers, &options->threads, &root,
			   &system) == 5) {
			options->root = root;
			options->system = system;
			continue;
		}
		if (text[0] == '.')
			continue;
		more = reallocarray(*lines, *nr + 1, sizeof(*more));
		if (!more)
			goto err;
		*lines = more;
		/* the last one may be cut */
		*nr += line_parse(text, &more[*nr]);
	}
	fclose(file);
	return 0;
err:
	free(*lines);
	fclose(file);
	return -ENOMEM;
}
