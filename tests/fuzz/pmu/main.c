// SPDX-License-Identifier: GPL-2.0
/* See usage(), and fuzz.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define WORKERS_MAX	8

static void usage(FILE *out)
{
	fputs("usage: pmu-fuzz [OPTION]...\n"
	      "\n"
	      "Calls the gpu PMU, and the drivers that it looks at, in all ways, for some time.\n"
	      "As root, every other worker is uid 1000.\n"
	      "\n"
	      "  --seed N       what is done (default 1)\n"
	      "  --seconds N    for how long (default 60)\n"
	      "  --workers N    processes (default 3)\n"
	      "  --threads N    of each (default 2)\n"
	      "  --log FILE     write down each operation before it is done\n"
	      "  --replay FILE  do what such a file says, and no more\n"
	      "  --system       CPUs, drivers and modules come and go, too\n"
	      "  --modules DIR  where the modules are, for them to be loaded again\n"
	      "  --root         no worker is uid 1000\n"
	      "  --stuck N      an operation that takes as many seconds is a failure (120)\n"
	      "  --no-cover     do not be led by what was reached of the kernel's code\n"
	      "\n"
	      "Prints figures. The status is not 0 if something was stuck, or ended badly.\n"
	      "Whether the kernel is well is for its log to say.\n", out);
}

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

struct crew {
	const struct options *options;
	struct shared *shared;
	pid_t pid[WORKERS_MAX];
	unsigned int life[WORKERS_MAX];
	unsigned int working;
	struct rnd rnd;
	bool failed;
};

static void crew_start(struct crew *crew, unsigned int nr)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("pmu-fuzz: fork");
		crew->failed = true;
		return;
	}
	if (!pid)
		worker_main(crew->options, crew->shared, nr, crew->life[nr]);
	crew->pid[nr] = pid;
	crew->working++;
}

/* one that was killed is begun again; ended by another signal: the fuzzer is wrong */
static void crew_ended(struct crew *crew, pid_t pid, int status)
{
	unsigned int nr;

	for (nr = 0; nr < crew->options->workers; nr++)
		if (crew->pid[nr] == pid)
			break;
	if (nr == crew->options->workers)
		return;		/* the child of one that was killed */
	crew->pid[nr] = 0;
	crew->working--;
	for (unsigned int i = 0; i < crew->options->threads; i++)
		crew->shared->progress[nr * crew->options->threads + i].tid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !crew->shared->stop) {
		crew->life[nr]++;
		crew_start(crew, nr);
	} else if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) {
		fprintf(stderr, "pmu-fuzz: worker %u ended with status %#x\n", nr, status);
		crew->failed = true;
	}
}

static void crew_reap(struct crew *crew)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		crew_ended(crew, pid, status);
}

static void file_show(const char *fmt, int pid)
{
	char path[64], text[8192];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), fmt, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text));
	if (size > 0)
		fprintf(stderr, "%s:\n%.*s\n", path, (int)size, text);
	close(fd);
}

/* an operation that does not come to its end */
static bool crew_is_stuck(struct crew *crew)
{
	int64_t now = now_ns();
	bool stuck = false;

	for (unsigned int i = 0; i < THREADS_MAX; i++) {
		struct progress *progress = &crew->shared->progress[i];
		int tid = progress->tid, op = progress->op;
		long since = progress->since;

		if (!tid || op < 0 || now - since < crew->options->stuck_s * 1000000000L)
			continue;
		fprintf(stderr, "pmu-fuzz: stuck in %s since %ld s, thread %d\n", ops[op].name,
			(now - since) / 1000000000, tid);
		file_show("/proc/%d/stack", tid);
		stuck = true;
	}
	if (stuck) {
		int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

		/* who is blocked, into the kernel's log */
		if (fd >= 0 && write(fd, "w", 1) == 1)
			close(fd);
		crew->failed = true;
	}
	return stuck;
}

static void crew_end(struct crew *crew)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	int64_t end = now_ns() + crew->options->stuck_s * 1000000000L;
	bool killed = false;

	crew->shared->stop = true;
	for (;;) {
		crew_reap(crew);
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		if (!killed && (!crew->working || now_ns() > end - crew->options->stuck_s *
							 500000000L)) {
			kill(-crew->options->group, SIGKILL);
			killed = true;
		}
		if (now_ns() > end)
			break;
		nanosleep(&nap, NULL);
	}
	fprintf(stderr, "pmu-fuzz: processes do not end\n");
	for (unsigned int i = 0; i < crew->options->workers; i++)
		if (crew->pid[i])
			file_show("/proc/%d/stack", crew->pid[i]);
	crew->failed = true;
}

/* all that works, and what it forks, is killed at once: by the group of this one */
static pid_t group_make(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return setpgid(pid, pid) ? -errno : pid;
}

/*
 * The first event that is opened, and the last one that is closed, take long. That is
 * tried often enough while there is none that stays.
 */
static void anchor_turn(int *anchor, struct rnd *r)
{
	if (*anchor < 0 && rnd_one_in(r, 8)) {
		*anchor = event_anchor();
	} else if (*anchor >= 0 && rnd_one_in(r, 50)) {
		close(*anchor);
		*anchor = -1;
	}
}

static bool crew_run(struct crew *crew)
{
	const struct options *options = crew->options;
	const struct timespec nap = { .tv_nsec = 200000000 };
	int64_t start = now_ns(), end = start + options->seconds * 1000000000L;
	unsigned int nr;
	int anchor = -1;

	/* children of those that are killed are waited for, too */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (nr = 0; nr < options->workers; nr++)
		crew_start(crew, nr);
	while (crew->working && now_ns() < end && !crew->failed) {
		nanosleep(&nap, NULL);
		crew_reap(crew);
		anchor_turn(&anchor, &crew->rnd);
		if (crew_is_stuck(crew))
			break;
		nr = rnd_below(&crew->rnd, options->workers);
		if (!options->lines && rnd_one_in(&crew->rnd, 60) && crew->pid[nr])
			kill(crew->pid[nr], SIGKILL);
	}
	close(anchor);
	crew_end(crew);
	report_print(crew->shared, (now_ns() - start) / 1e9);
	return !crew->failed;
}

enum {
	OPT_SEED = 256, OPT_SECONDS, OPT_WORKERS, OPT_THREADS, OPT_LOG, OPT_REPLAY, OPT_SYSTEM,
	OPT_MODULES, OPT_ROOT, OPT_STUCK, OPT_NO_COVER, OPT_HELP,
};

static const struct option long_options[] = {
	{ "seed",	required_argument, NULL, OPT_SEED },
	{ "seconds",	required_argument, NULL, OPT_SECONDS },
	{ "workers",	required_argument, NULL, OPT_WORKERS },
	{ "threads",	required_argument, NULL, OPT_THREADS },
	{ "log",	required_argument, NULL, OPT_LOG },
	{ "replay",	required_argument, NULL, OPT_REPLAY },
	{ "system",	no_argument, NULL, OPT_SYSTEM },
	{ "modules",	required_argument, NULL, OPT_MODULES },
	{ "root",	no_argument, NULL, OPT_ROOT },
	{ "stuck",	required_argument, NULL, OPT_STUCK },
	{ "no-cover",	no_argument, NULL, OPT_NO_COVER },
	{ "help",	no_argument, NULL, OPT_HELP },
	{}
};

/* 0, or the status to end with, negative: 0 */
static int options_parse(struct options *o, int argc, char **argv, const char **replay)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "", long_options, NULL)) >= 0) {
		switch (opt) {
		case OPT_SEED:		o->seed = strtoul(optarg, NULL, 0); break;
		case OPT_SECONDS:	o->seconds = atoi(optarg); break;
		case OPT_WORKERS:	o->workers = atoi(optarg); break;
		case OPT_THREADS:	o->threads = atoi(optarg); break;
		case OPT_LOG:		o->log = optarg; break;
		case OPT_REPLAY:	*replay = optarg; break;
		case OPT_SYSTEM:	o->system = true; break;
		case OPT_MODULES:	o->modules = optarg; break;
		case OPT_ROOT:		o->root = true; break;
		case OPT_STUCK:		o->stuck_s = atoi(optarg); break;
		case OPT_NO_COVER:	o->cover = false; break;
		case OPT_HELP:		usage(stdout); return -1;
		default:		usage(stderr); return 2;
		}
	}
	if (optind < argc || !o->workers || o->workers > WORKERS_MAX || !o->threads ||
	    o->threads > THREADS_MAX / WORKERS_MAX || !o->stuck_s) {
		usage(stderr);
		return 2;
	}
	return 0;
}

static int options_open(struct options *o, struct shared **shared, const char *replay)
{
	struct log_line *lines = NULL;
	int err;

	/* programs that are executed inherit it */
	o->shared_fd = memfd_create("pmu-fuzz", 0);
	if (o->shared_fd < 0 || ftruncate(o->shared_fd, sizeof(**shared)))
		return -errno;
	err = shared_map(o->shared_fd, shared);
	if (err)
		return err;
	o->group = group_make();
	if (o->group < 0)
		return o->group;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, o->mail))
		return -errno;
	if (replay) {
		err = log_read(replay, o, &lines, &o->nr_lines);
		o->lines = lines;
	}
	o->log_fd = -1;
	if (!err && o->log) {
		o->log_fd = log_open(o->log, o);
		err = o->log_fd < 0 ? o->log_fd : 0;
	}
	return err;
}

int main(int argc, char **argv)
{
	struct options options = {
		.seed = 1, .seconds = 60, .workers = 3, .threads = 2, .stuck_s = 120,
		.cover = true,
	};
	struct crew crew = { .options = &options };
	const char *replay = NULL;
	int err;

	if (argc == 5 && !strcmp(argv[1], "--executed"))
		return worker_executed(argv + 2);
	err = options_parse(&options, argc, argv, &replay);
	if (err)
		return err < 0 ? 0 : err;
	err = options_open(&options, &crew.shared, replay);
	if (err) {
		fprintf(stderr, "pmu-fuzz: cannot begin: %s\n", strerror(-err));
		return 1;
	}
	crew.rnd.state = ~options.seed;
	setvbuf(stdout, NULL, _IOLBF, 0);
	return crew_run(&crew) ? 0 : 1;
}
