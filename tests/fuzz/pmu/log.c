// SPDX-License-Identifier: GPL-2.0
/*
 * The log: a line for each operation, written before it is done.
 *
 *	WORKER.THREAD OPERATION SEED
 *	crew ACTION NUMBER
 *
 * Its file is mapped memory, which is meant to be another machine's: what was written is
 * there when the kernel is not any more, and a line costs no system call. A line of what
 * a worker has forked begins with a dot: the fork's own seed tells all that it does.
 * Behind the last line there are zeroes; and in the place of one whose writer was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define LOG_SIZE	(64UL << 20)	/* of a file that is made for it */
#define LINE_SIZE	96

struct log {
	char *text;
	size_t size;
};

static int log_map(struct log *log, int fd)
{
	struct stat st;

	/* memory of another machine has its size, and does not take another one */
	if (fstat(fd, &st) || (!st.st_size && (ftruncate(fd, LOG_SIZE) || fstat(fd, &st))))
		return -errno;
	log->size = st.st_size;
	log->text = mmap(NULL, log->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return log->text == MAP_FAILED ? -errno : 0;
}

int log_open(struct log **where, const char *path)
{
	struct log *log = calloc(1, sizeof(*log));
	int fd, err;

	if (!log)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	err = fd < 0 ? -errno : log_map(log, fd);
	if (fd >= 0)
		close(fd);
	if (err) {
		free(log);
		return err;
	}
	*where = log;
	return 0;
}

static void log_text(struct log *log, struct shared *shared, const char *line, size_t size)
{
	size_t at = atomic_fetch_add(&shared->log_at, size);

	if (at + size > log->size) {
		fprintf(stderr, "pmu-fuzz: the log is full\n");
		_exit(1);
	}
	memcpy(log->text + at, line, size);
}

void log_begin(const struct options *options, struct shared *shared)
{
	char line[LINE_SIZE];
	int size;

	if (!options->log)
		return;
	size = snprintf(line, sizeof(line), "# seed %lu workers %u threads %u root %d system %d\n",
			options->seed, options->workers, options->threads, options->root,
			options->system);
	log_text(options->log, shared, line, size);
}

void log_step(const struct fuzzer *f, const struct step *step)
{
	const struct worker *worker = f->worker;
	char line[LINE_SIZE];
	int size;

	if (!worker->options->log)
		return;
	size = snprintf(line, sizeof(line), "%s%u.%u %s %016lx\n", worker->depth ? "." : "",
			worker->nr, f->nr, ops[step->op].name, step->seed);
	log_text(worker->options->log, worker->shared, line, size);
}

void log_crew(const struct options *options, struct shared *shared, enum crew_act act,
	      unsigned int number)
{
	char line[LINE_SIZE];
	int size;

	if (!options->log)
		return;
	size = snprintf(line, sizeof(line), "crew %s %016x\n", crew_acts[act], number);
	log_text(options->log, shared, line, size);
}

/* ---- to be done again ---- */

static int act_by_name(const char *name)
{
	for (int i = 0; i < CREW_ACTS; i++)
		if (!strcmp(crew_acts[i], name))
			return i;
	return -ENOENT;
}

/* a number is whole if it has all its digits, and the line's end */
static bool line_parse(const char *text, struct log_line *line)
{
	int begin = 0, end = 0, op;
	char name[64];

	*line = (struct log_line){};
	if (sscanf(text, "crew %63s %n%lx%n", name, &begin, &line->step.seed, &end) == 2) {
		line->crew = true;
		op = act_by_name(name);
	} else if (sscanf(text, "%u.%u %63s %n%lx%n", &line->worker, &line->thread, name,
			  &begin, &line->step.seed, &end) == 4) {
		op = op_by_name(name);
	} else {
		return false;
	}
	if (op < 0 || end - begin != 16 || text[end] != '\n')
		return false;
	line->step.op = op;
	return line->worker < THREADS_MAX && line->thread < THREADS_MAX;
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
