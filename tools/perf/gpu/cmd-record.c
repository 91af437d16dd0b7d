// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu record: looks what is in the way, and becomes stock perf record.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "record/record.h"
#include "samples/script.h"
#include "stat/target.h"

#define COMMAND	"perf gpu record"

static int usage(FILE *out)
{
	fputs("usage: perf gpu record [OPTION...] [--perf PERF-OPTION...] [--] CMD [ARG...]\n"
	      "       perf gpu record [OPTION...] -p PID[,PID...] [--perf PERF-OPTION...]\n"
	      "       perf gpu record [OPTION...] -a [--perf PERF-OPTION...] [-- CMD [ARG...]]\n\n"
	      "Runs perf record, so that each submission to a GPU and each wait for one is a sample\n"
	      "with the user's stack, and each completion one with its times. perf gpu report and\n"
	      "perf gpu timeline read the file; so does perf report.\n\n"
	      "  -p, --pid PID         processes that run already; until Ctrl-C, or CMD ends\n"
	      "  -a, --all, --all-cpus the whole machine; for root\n"
	      "  -o, --output FILE     the file (perf.data); -: standard output\n"
	      "  -g, --call-graph HOW  dwarf (the default), with a copy of 8192 bytes of the stack;\n"
	      "                        dwarf,SIZE; fp: by frame pointers, which is cheap, and right\n"
	      "                        if the program and its libraries have them; none, or no\n"
	      "  -n, --dry-run         print the perf record that it would be\n"
	      "  --perf                what follows, up to --, is for perf record\n"
	      "  -h, --help            this\n\n"
	      "perf keeps what a process had mapped before an exec, and then may unwind dwarf stacks\n"
	      "wrongly: record the program itself and not a script that runs it, or take fp; also\n"
	      "for programs that begin while -a records.\n\n"
	      "The exit status is that of perf record. $PERF says which perf it is.\n\n"
	      "Examples:\n"
	      "  perf gpu record ./program; perf gpu report\n"
	      "  perf gpu record -p 1234 -g fp -- sleep 10\n"
	      "  perf gpu record -a -o frame.data --perf -k mono -- sleep 1\n"
	      "  perf report --no-children -g -i frame.data\n", out);
	return out == stdout ? 0 : 2;
}

/* ---- options ---- */

/* target: of @record.pids */
struct options {
	struct record_options record;
	struct target target;
	bool dry_run;
};

enum { OPT_PERF = 0x100 };

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "all", no_argument, NULL, 'a' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "output", required_argument, NULL, 'o' },
	{ "call-graph", required_argument, NULL, 'g' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },
	{ "perf", no_argument, NULL, OPT_PERF },
	{ }
};

/* from argv[at] on: options up to "--", and the command */
static void rest_take(char **argv, int at, bool perf, struct options *o)
{
	if (perf) {
		o->record.extra = argv + at;
		while (argv[at] && strcmp(argv[at], "--"))
			at++;
		if (argv[at])
			argv[at++] = NULL;
	}
	if (argv[at])
		o->record.command = argv + at;
}

static int wrong(const char *what, const char *arg)
{
	fprintf(stderr, COMMAND ": '%s' is no %s\n", arg, what);
	return 2;
}

/* -1: go on; else the exit status */
static int options_read(int argc, char **argv, struct options *o)
{
	bool perf = false;
	int opt;

	while (!perf && (opt = getopt_long(argc, argv, "+p:ao:g:nh", long_options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			o->record.pids = optarg;
			/* as perf has it: of more than one list, the last one */
			target__free(&o->target);
			o->target = (struct target){};
			if (target__parse_pids(&o->target, optarg))
				return wrong("list of process ids", optarg);
			break;
		case 'a':
			o->record.all = true;
			break;
		case 'o':
			o->record.output = optarg;
			break;
		case 'g':
			if (!strcmp(optarg, "none") || !strcmp(optarg, "no"))
				o->record.call_graph = NULL;
			else if (record__is_call_graph(optarg))
				o->record.call_graph = optarg;
			else
				return wrong("way to take stacks: dwarf, dwarf,SIZE (a multiple of 8, at most 65528), fp or none",
					     optarg);
			break;
		case 'n':
			o->dry_run = true;
			break;
		case 'h':
			return usage(stdout);
		case OPT_PERF:
			perf = true;
			break;
		default:
			return usage(stderr);
		}
	}
	rest_take(argv, optind, perf, o);
	if (o->record.pids && o->record.all) {
		fprintf(stderr, COMMAND ": -a is the whole machine already: leave -p out\n");
		return 2;
	}
	if (!o->record.pids && !o->record.all && !o->record.command)
		return usage(stderr);
	return -1;
}

/* ---- what is here ---- */

static void here_look(struct record_here *here)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	struct rlimit memlock = {};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	here->privileged = obstacle__privileged();
	here->cpus = cpus > 0 ? cpus : 1;
	if (!file || fscanf(file, "%lu", &here->mlock_kb) != 1)
		here->mlock_kb = 0;
	if (file)
		fclose(file);
	if (!getrlimit(RLIMIT_MEMLOCK, &memlock))
		here->memlock = memlock.rlim_cur;
}

/* as a shell takes it */
static void print_quoted(const char *arg)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./,=:+@%";

	if (*arg && !arg[strspn(arg, plain)]) {
		fputs(arg, stdout);
		return;
	}
	putchar('\'');
	for (; *arg; arg++) {
		if (*arg == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*arg);
	}
	putchar('\'');
}

static void print_command(char **command)
{
	for (; *command; command++) {
		print_quoted(*command);
		putchar(command[1] ? ' ' : '\n');
	}
}

/* 0, or the exit status */
static int check(const struct options *o)
{
	const struct obstacle_target target = {
		.pid = o->target.pid,
		.nr_pids = o->target.nr_pids,
		.all = o->record.all,
	};
	char text[OBSTACLE_TEXT];

	if (!obstacle__check(&target, text, sizeof(text)))
		return 0;
	fprintf(stderr, COMMAND ": %s\n", text);
	return 1;
}

/* 1, or the exit status of a dry run */
static int run(const struct options *o)
{
	struct record_here here = {};
	char **command;

	here_look(&here);
	command = record__command(&o->record, &here);
	if (!command) {
		fprintf(stderr, COMMAND ": there is no memory\n");
		return 1;
	}
	if (o->dry_run) {
		print_command(command);
	} else {
		execvp(command[0], command);
		fprintf(stderr, COMMAND ": %s cannot be run: %s\n", command[0], strerror(errno));
	}
	record__free(command);
	return o->dry_run ? 0 : 1;
}

int cmd_record(int argc, char **argv)
{
	struct options o = {
		.record = { .perf = script__perf(), .call_graph = "dwarf" },
	};
	int status = options_read(argc, argv, &o);

	if (status < 0)
		status = (o.dry_run ? 0 : check(&o)) ?: run(&o);
	target__free(&o.target);
	return status;
}
