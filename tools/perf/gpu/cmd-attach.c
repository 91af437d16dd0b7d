// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/args.h"
#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "kernel/process.h"
#include "kernel/query.h"

static const char usage[] =
	"usage: perf gpu attach {-p PID | -f FD} COMMAND [ARG...]\n\n"
	"Runs COMMAND with a DRM file of another process (or with one that was inherited)\n"
	"open, and says in its environment what to give to perf: GPU_FD, GPU_CTX and\n"
	"GPU_DEV. The other process is not stopped, and goes on with its own.\n\n"
	"  -p, --pid PID   the process; it must be yours, or you root\n"
	"  -f, --fd FD     the inherited file\n"
	"  -h, --help      this\n\n"
	"Example:\n"
	"  perf gpu attach -p 1234 sh -c 'perf stat \\\n"
	"      -e gpu/ctx-busy,fd=$GPU_FD,ctx=$GPU_CTX/ sleep 2'\n";

static int fail(const char *what)
{
	fprintf(stderr, "perf gpu attach: %s\n", what);
	return 1;
}

static int wrong_usage(const char *what)
{
	return args__wrong("attach", what, usage);
}

static int export(const char *name, unsigned long long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	return setenv(name, text, 1);
}

/**
 * struct attach_args - whose file
 * @pid:	of this process, 0: none was said
 * @fd:		the inherited one, -1: none was said
 */
struct attach_args {
	int pid;
	int fd;
};

/* 0: go on; else the exit status + 1 */
static int parse(struct attach_args *args, int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "fd", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	uint64_t fd;
	int opt;

	/* "+": the command's own options are its own */
	while ((opt = getopt_long(argc, argv, "+p:f:h", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			args->pid = args__pid(optarg);
			if (!args->pid)
				return 1 + wrong_usage("-p takes a process id");
			break;
		case 'f':
			if (!args__number(optarg, 0, INT_MAX, &fd))
				return 1 + wrong_usage("-f takes the number of an open file");
			args->fd = fd;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1 + 0;
		default:
			return 1 + wrong_usage(NULL);
		}
	}
	if (args->pid && args->fd >= 0)
		return 1 + wrong_usage("-p and -f exclude each other");
	if (!args->pid && args->fd < 0)
		return 1 + wrong_usage("say whose: -p PID or -f FD");
	if (optind == argc)
		return 1 + wrong_usage("say what to run");
	return 0;
}

int cmd_attach(int argc, char **argv)
{
	struct attach_args args = { .fd = -1 };
	struct contexts contexts;
	char text[OBSTACLE_TEXT];
	int status, fd, err;

	status = parse(&args, argc, argv);
	if (status)
		return status - 1;
	fd = args.fd;
	if (args.pid) {
		fd = process__take_drm(args.pid);
		if (fd < 0)
			return fail(process__strerror(args.pid, fd, text, sizeof(text)));
	}
	err = contexts__get(&contexts, fd);
	if (err)
		return fail(query__strerror(err, text, sizeof(text)));
	/* a list is never empty: a client without a context is one line, too */
	err = export("GPU_FD", fd) || export("GPU_CTX", contexts.info[0].ctx) ||
	      export("GPU_DEV", contexts.info[0].dev);
	contexts__put(&contexts);
	if (err)
		return fail(strerror(errno));

	execvp(argv[optind], argv + optind);
	snprintf(text, sizeof(text), "%s: %s", argv[optind], strerror(errno));
	fail(text);
	return 127;
}
