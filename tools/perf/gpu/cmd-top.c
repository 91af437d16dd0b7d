// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu top: its command line, and its output where there is no terminal.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/args.h"
#include "kernel/obstacle.h"
#include "kernel/process.h"
#include "stat/output.h"
#include "perf-gpu.h"
#include "stat/signals.h"
#include "top/top.h"

static const char usage[] =
	"usage: perf gpu top [OPTION...]\n\n"
	"Shows who uses the GPUs now: engines, and clients (open DRM files) or their\n"
	"contexts. For root everybody's, else those whose files you have opened.\n\n"
	"  -p, --pid PIDS        only what these processes have open\n"
	"  -d, --delay SECONDS   between two looks (1), from 0.01 to 86400\n"
	"  -n, --iterations N    end after N of them; without a terminal's means\n"
	"  -s, --sort KEY        busy, jobs, wait (in the queue) or pid\n"
	"      --per-context     a line for each context, not for each client\n"
	"  -x, --field-separator SEP  lines of fields, for programs: see perf gpu stat --help;\n"
	"                        engines come before clients\n"
	"  -j, --json            one JSON document, for programs; not with -x\n"
	"  -h, --help            this text\n\n"
	"Keys: b, j, w and p sort, c changes between clients and contexts, arrows scroll,\n"
	"space looks now, q quits.\n\n"
	"The first lines come after one delay. Exit status: 1: it could not, 2: wrong usage.\n\n"
	"Examples:\n"
	"  sudo perf gpu top\n"
	"  perf gpu top -p 1234 --per-context -d 0.5\n"
	"  perf gpu top -n 1 --json | jq '.intervals[0].parts'\n";

struct top_args {
	struct top top;
	const struct output_ops *ops;
	const char *separator;
	bool json;
	const char *pids;
	unsigned int iterations;
	int unwritten;	/* the errno of what could not be */
};

static int fail(const char *what)
{
	fprintf(stderr, "perf gpu top: %s\n", what);
	return 1;
}

static int fail_unwritten(int err)
{
	char text[OBSTACLE_TEXT];

	snprintf(text, sizeof(text), "the output cannot be written: %s", strerror(-err));
	return fail(text);
}

static int fail_terminal(void)
{
	const char *term = getenv("TERM");
	char text[OBSTACLE_TEXT];

	snprintf(text, sizeof(text),
		 "the terminal '%s' (TERM) is not known here: -n N or -j goes without one's means",
		 term ?: "");
	return fail(text);
}

static int refuse(int err, const char *event)
{
	/* its event is on itself, or on the machine */
	const struct obstacle_target target = {};
	char text[OBSTACLE_TEXT];

	return fail(event ? obstacle__of_open(err, event, &target, text, sizeof(text)) :
		    obstacle__of_query(err, text, sizeof(text)));
}

/* until it is time; the signal that has come before */
static int wait_or_signal(int signals, int ms)
{
	struct pollfd polls = { .fd = signals, .events = POLLIN };
	int signal;

	do
		signal = poll(&polls, 1, ms) > 0 ? signals__read(signals) : 0;
	while (signal == SIGCHLD);
	return signal;
}

static double seconds_since(const struct top *top, unsigned long long time)
{
	return (time - top->began) / 1e9;
}

static int print_part(struct top *top, struct output *output)
{
	struct output_part part = {
		.from = seconds_since(top, top->from),
		.to = seconds_since(top, top->to),
		.view = &top->clients,
	};
	int err;

	/* engines first, and their total is the clients' */
	top->engines.nr--;
	free(top->engines.line[top->engines.nr].count);
	err = view__prepend(&top->clients, &top->engines);
	if (err)
		return err;
	output__interval(output, &part);
	return output->err;
}

static int print_text(struct top *top, struct output *output)
{
	return top__print(top, output->file) ?: output__flush(output);
}

/* without a terminal; the signal that has ended it, or a negative errno */
static int run_plain(struct top_args *args, int signals)
{
	struct top *top = &args->top;
	const struct view_how how = { .clients = !top->contexts, .contexts = top->contexts };
	struct output output = {
		.ops = args->ops,
		.file = stdout,
		.separator = args->separator,
		.target = &top->target,
		.events = &top->events,
		.how = &how,
		.names = &top->names,
	};
	struct output_end end = { .command_status = -1 };
	int signal = 0, err = 0;

	if (output.ops)
		output__begin(&output);
	err = output.err;
	for (unsigned int i = 0; !err && (!args->iterations || i < args->iterations); i++) {
		signal = wait_or_signal(signals, top->delay_ms);
		if (signal)
			break;
		err = top__look(top);
		if (!err)
			err = output.ops ? print_part(top, &output) : print_text(top, &output);
	}
	if (output.ops) {
		end.signal = signal;
		end.missed = top->watch.usages.missed;
		end.torn = top->watch.torn;
		end.denied = top->watch.held.denied;
		output__end(&output, &end);
	}
	args->unwritten = output.err;
	return err ?: output.err ?: signal;
}

static int wrong_usage(const char *what)
{
	return args__wrong("top", what, usage);
}

static int parse_sort(struct top *top, const char *name)
{
	for (unsigned int i = 0; i < TOP_SORTS; i++) {
		if (!strcmp(name, top_sort_names[i])) {
			top->sort = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* 0: go on; else the exit status + 1 */
static int parse(struct top_args *args, int argc, char **argv)
{
	enum { OPT_PER_CONTEXT = 256 };
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "delay", required_argument, NULL, 'd' },
		{ "iterations", required_argument, NULL, 'n' },
		{ "sort", required_argument, NULL, 's' },
		{ "per-context", no_argument, NULL, OPT_PER_CONTEXT },
		{ "field-separator", required_argument, NULL, 'x' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct top *top = &args->top;
	const char *wrong;
	uint64_t times;
	double seconds;
	char *end;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:d:n:s:x:jh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			args->pids = optarg;
			break;
		case 'd':
			seconds = strtod(optarg, &end);
			if (end == optarg || *end || !(seconds >= 0.01 && seconds <= 86400))
				return 1 + wrong_usage("-d takes seconds, from 0.01 to 86400");
			top->delay_ms = lround(seconds * 1000);
			break;
		case 'n':
			if (!args__number(optarg, 1, UINT_MAX, &times))
				return 1 + wrong_usage("-n takes a number, from 1 to 4294967295");
			args->iterations = times;
			break;
		case 's':
			if (parse_sort(top, optarg))
				return 1 + wrong_usage("--sort takes busy, jobs, wait or pid");
			break;
		case OPT_PER_CONTEXT:
			top->contexts = true;
			break;
		case 'x':
			args->ops = &output_fields;
			args->separator = optarg;
			break;
		case 'j':
			args->ops = &output_json;
			args->json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1 + 0;
		default:
			return 1 + wrong_usage(NULL);
		}
	}
	if (optind < argc)
		return 1 + wrong_usage("it takes no command");
	wrong = args__check_form(args->separator, args->json);
	if (wrong)
		return 1 + wrong_usage(wrong);
	if (!args->pids)
		return 0;
	top->target.kind = TARGET_PROCESSES;
	if (target__parse_pids(&top->target, args->pids))
		return 1 + wrong_usage("-p takes process ids");
	return 0;
}

/*
 * Who may see everybody needs no file of theirs. All others see what they have opened, and
 * what a process of theirs holds: in one that may not be looked into that is nothing.
 */
static int check(struct top *top)
{
	const struct obstacle_target target = {
		.pid = top->target.pid,
		.nr_pids = top->target.nr_pids,
	};
	char text[OBSTACLE_TEXT];
	int err;

	if (obstacle__check(&target, text, sizeof(text)))
		return fail(text);
	for (unsigned int i = 0; i < top->target.nr_pids; i++) {
		err = process__check(top->target.pid[i]);
		if (err && !(err == -EPERM && obstacle__privileged()))
			return fail(obstacle__of_process(err, top->target.pid[i], text,
							 sizeof(text)));
	}
	return 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_args args = {
		.top = { .target = { .kind = TARGET_ALL }, .delay_ms = 1000 },
	};
	struct top *top = &args.top;
	const char *event = NULL;
	int status, signals = -1, ended = 0;
	bool screen;

	status = parse(&args, argc, argv);
	if (status) {
		target__free(&top->target);
		return status - 1;
	}
	files__raise_limit();
	status = check(top);
	if (status)
		goto out;
	signals = signals__open();
	ended = signals < 0 ? signals : top__open(top, &event);
	screen = !ended && !args.ops && !args.iterations && isatty(STDIN_FILENO) &&
		 isatty(STDOUT_FILENO);
	if (screen)
		ended = top__screen(top, signals, 0);
	else if (!ended)
		ended = run_plain(&args, signals);
	if (args.unwritten)
		status = fail_unwritten(args.unwritten);
	else if (screen && ended == -ENOTTY)
		status = fail_terminal();
	else if (ended < 0)
		status = refuse(ended, event);
out:
	top__close(top);
	if (signals >= 0)
		close(signals);
	if (ended > 0)
		signals__die(ended);
	return status;
}
