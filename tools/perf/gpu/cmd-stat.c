// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu stat: its command line.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/args.h"
#include "common/outfile.h"
#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "stat/signals.h"
#include "stat/stat.h"

#define DEFAULT_EVENTS	"gpu-busy,queue-wait,jobs,jobs-done,waits,wait-time,lost"
#define INTERVAL_MS_MIN	10
#define INTERVAL_MS_MAX	86400000

#define WORD_OF(number)	#number
#define WORD(number)	WORD_OF(number)

static const char usage[] =
	"usage: perf gpu stat [OPTION...] [--] COMMAND [ARG...]\n"
	"       perf gpu stat [OPTION...] {-p PID[,PID...] | -a} [COMMAND [ARG...]]\n\n"
	"Counts what a command, processes, or the whole machine do on the GPU: until the\n"
	"command ends, the processes are gone, or Ctrl-C. With -p or -a, a command says only\n"
	"how long that is.\n\n"
	"  -p, --pid PIDS        these processes, and what they fork\n"
	"  -a, --all-cpus        the whole machine (needs CAP_PERFMON, or root)\n"
	"  -e, --event LIST      what to count: names as 'perf gpu list' shows them, or as\n"
	"                        stock perf takes them: gpu/jobs,engine=1/; more\n"
	"                        than one -e add up\n"
	"                        (" DEFAULT_EVENTS ")\n"
	"      --per-client      a line for each client, which is an open DRM file\n"
	"      --per-context     a line for each context of these\n"
	"      --per-engine      each of these by engine; alone: a line for each engine\n"
	"  -I, --interval-print MS  counts of each MS milliseconds, from 10 to 86400000\n"
	"  -x, --field-separator SEP  lines of fields, for programs\n"
	"  -j, --json            one JSON document, for programs; not with -x\n"
	"  -o, --output FILE     to a file, which is as it was until counting begins;\n"
	"                        -: standard output\n"
	"  -h, --help            this text\n\n"
	"With -x or --json, and without -o, what the command writes to its standard output\n"
	"goes to standard error. The exit status is the command's; 1: it could not be\n"
	"counted or written, 2: wrong usage, 127: the command could not be run. A signal (Ctrl-C) ends\n"
	"it with what was counted until then, and with that signal's status.\n\n"
	"A line '(others)' has what the total has and no other line: of clients that may not\n"
	"be seen, or between the reading of the one and the other. It is negative if a client\n"
	"has finished what was submitted before, or by someone else.\n\n";

static const char examples[] =
	"\nExamples:\n"
	"  perf gpu stat kmscube -c 60\n"
	"  perf gpu stat -p 1234 --per-context sleep 10\n"
	"  sudo perf gpu stat -a --per-client -I 1000\n"
	"  perf gpu stat -e gpu-busy,gpu-cycles,mem-read-bytes --json -o out.json ./program\n";

static int wrong_usage(const char *what)
{
	return args__wrong("stat", what, usage);
}

enum { OPT_PER_CLIENT = 256, OPT_PER_CONTEXT, OPT_PER_ENGINE };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "event", required_argument, NULL, 'e' },
	{ "per-client", no_argument, NULL, OPT_PER_CLIENT },
	{ "per-context", no_argument, NULL, OPT_PER_CONTEXT },
	{ "per-engine", no_argument, NULL, OPT_PER_ENGINE },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

/**
 * struct stat_args - what was said
 * @run:	of what, by whom
 * @events:	lists of events, which add up
 * @nr_events:	how many lists
 * @file:	where to; "-": standard output
 * @pids:	list of processes, or NULL
 * @json:	as JSON
 */
struct stat_args {
	struct stat_run run;
	const char **events;
	unsigned int nr_events;
	const char *file;
	const char *pids;
	bool json;
};

/* an option; 0: go on, else the exit status + 1 */
static int parse_option(struct stat_args *args, int opt)
{
	struct stat_run *run = &args->run;
	uint64_t ms;

	switch (opt) {
	case 'p':
		args->pids = optarg;
		return 0;
	case 'a':
		run->target.kind = TARGET_ALL;
		run->how.all = true;
		return 0;
	case 'e':
		args->events[args->nr_events++] = optarg;
		return 0;
	case OPT_PER_CLIENT:
		run->how.clients = true;
		return 0;
	case OPT_PER_CONTEXT:
		run->how.contexts = true;
		return 0;
	case OPT_PER_ENGINE:
		run->how.engines = true;
		return 0;
	case 'I':
		if (!args__number(optarg, INTERVAL_MS_MIN, INTERVAL_MS_MAX, &ms))
			return 1 + wrong_usage("-I takes milliseconds, from "
					       WORD(INTERVAL_MS_MIN) " to " WORD(INTERVAL_MS_MAX));
		run->interval_ms = ms;
		return 0;
	case 'x':
		run->output.ops = &output_fields;
		run->output.separator = optarg;
		return 0;
	case 'j':
		run->output.ops = &output_json;
		args->json = true;
		return 0;
	case 'o':
		args->file = optarg;
		return 0;
	case 'h':
		fputs(usage, stdout);
		fputs(output_fields_help, stdout);
		fputs(examples, stdout);
		return 1 + 0;
	default:
		return 1 + wrong_usage(NULL);
	}
}

static int parse(struct stat_args *args, int argc, char **argv)
{
	struct target *target = &args->run.target;
	const char *wrong;
	int opt, status;

	/* of as many arguments no more can be lists */
	args->events = calloc(argc, sizeof(*args->events));
	if (!args->events)
		return 1 + stat__fail("%s", strerror(ENOMEM));
	/* "+": the command's own options are its own */
	while ((opt = getopt_long(argc, argv, "+p:ae:I:x:jo:h", options, NULL)) != -1) {
		status = parse_option(args, opt);
		if (status)
			return status;
	}
	if (optind < argc)
		target->argv = argv + optind;
	wrong = args__check_form(args->run.output.separator, args->json);
	if (wrong)
		return 1 + wrong_usage(wrong);
	if (args->pids && target->kind == TARGET_ALL)
		return 1 + wrong_usage("-p and -a exclude each other");
	if (!args->pids && target->kind == TARGET_COMMAND && !target->argv)
		return 1 + wrong_usage("say whose: a command, -p PID or -a");
	if (!args->pids)
		return 0;
	target->kind = TARGET_PROCESSES;
	if (target__parse_pids(target, args->pids))
		return 1 + wrong_usage("-p takes process ids");
	return 0;
}

/* one list after the other: what one of them leaves open does not go on in the next */
static int parse_events(struct stat_args *args, char *text, size_t size)
{
	struct events *events = &args->run.events;
	int err = 0;

	if (!args->nr_events)
		return events__parse(events, EVENT_SYSFS, DEFAULT_EVENTS, text, size);
	for (unsigned int i = 0; !err && i < args->nr_events; i++)
		err = events__parse(events, EVENT_SYSFS, args->events[i], text, size);
	return err;
}

/* all that can be refused before the command is forked; 0 or the exit status */
static int prepare(struct stat_args *args)
{
	struct stat_run *run = &args->run;
	const struct obstacle_target target = {
		.pid = run->target.pid,
		.nr_pids = run->target.nr_pids,
		.all = run->target.kind == TARGET_ALL,
	};
	char text[OBSTACLE_TEXT];
	int err;

	if (obstacle__check(&target, text, sizeof(text)))
		return stat__fail("%s", text);
	err = parse_events(args, text, sizeof(text));
	if (err)
		return text[0] ? stat__fail("%s", text) : stat__refuse(run, err);
	if (run->events.nr > OUTPUT_EVENTS_MAX)
		return stat__fail("%u events are too many: %u can be counted at once",
				  run->events.nr, OUTPUT_EVENTS_MAX);
	run->counter = calloc(run->events.nr, sizeof(*run->counter));
	run->base = calloc(run->events.nr, sizeof(*run->base));
	run->now = calloc(run->events.nr, sizeof(*run->now));
	run->before = calloc(run->events.nr, sizeof(*run->before));
	if (!run->counter || !run->base || !run->now || !run->before)
		return stat__refuse(run, -ENOMEM);
	err = outfile__reserve(&run->out, args->file);
	if (err)
		return stat__fail("%s: %s", args->file, strerror(-err));
	run->output.file = run->out.file;
	return 0;
}

/* before anything is open that it would inherit */
static int fork_command(struct stat_args *args)
{
	struct stat_run *run = &args->run;
	bool talks = !strcmp(args->file, "-") && run->output.ops != &output_text;
	int err;

	if (!run->target.argv)
		return 0;
	err = target__fork(&run->target, talks ? STDERR_FILENO : -1);
	return err ? stat__refuse(run, err) : 0;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_args args = {
		.run = {
			.signals = -1,
			.command_status = -1,
			.output = { .ops = &output_text },
			.target = { .kind = TARGET_COMMAND },
		},
		.file = "-",
	};
	struct stat_run *run = &args.run;
	int status;

	run->output.target = &run->target;
	run->output.events = &run->events;
	run->output.how = &run->how;
	run->output.names = &run->names;
	status = parse(&args, argc, argv);
	if (status) {
		target__free(&run->target);
		free(args.events);
		return status - 1;
	}
	files__raise_limit();
	status = prepare(&args) ?: fork_command(&args) ?: stat__run(run);
	free(args.events);
	stat__close(run);
	/* so that who has started us sees what has ended us */
	if (run->signal)
		signals__die(run->signal);
	return status;
}
