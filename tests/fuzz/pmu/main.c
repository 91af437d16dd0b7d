// SPDX-License-Identifier: GPL-2.0
/* See usage(), and fuzz.h. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

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
	      "  --log FILE     write down each operation before it is done, in this file's memory\n"
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
static int options_parse(struct options *o, int argc, char **argv, const char **log,
			 const char **replay)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "", long_options, NULL)) >= 0) {
		switch (opt) {
		case OPT_SEED:		o->seed = strtoul(optarg, NULL, 0); break;
		case OPT_SECONDS:	o->seconds = atoi(optarg); break;
		case OPT_WORKERS:	o->workers = atoi(optarg); break;
		case OPT_THREADS:	o->threads = atoi(optarg); break;
		case OPT_LOG:		*log = optarg; break;
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

static int options_open(struct options *o, struct shared **shared, const char *log,
			const char *replay)
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
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, o->mail))
		return -errno;
	if (replay) {
		err = log_read(replay, o, &lines, &o->nr_lines);
		o->lines = lines;
	}
	if (!err && log)
		err = log_open(&o->log, log);
	return err;
}

int main(int argc, char **argv)
{
	struct options options = {
		.seed = 1, .seconds = 60, .workers = 3, .threads = 2, .stuck_s = 120,
		.cover = true,
	};
	const char *log = NULL, *replay = NULL;
	struct shared *shared;
	int err;

	if (argc == 5 && !strcmp(argv[1], "--executed"))
		return worker_executed(argv + 2);
	err = options_parse(&options, argc, argv, &log, &replay);
	if (err)
		return err < 0 ? 0 : err;
	err = options_open(&options, &shared, log, replay);
	if (err) {
		fprintf(stderr, "pmu-fuzz: cannot begin: %s\n", strerror(-err));
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	return crew_run(&options, shared) ? 0 : 1;
}
