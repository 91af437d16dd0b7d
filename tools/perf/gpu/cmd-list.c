// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args.h"
#include "common/outfile.h"
#include "list/list.h"
#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "kernel/process.h"
#include "kernel/query.h"

static const char usage[] =
	"usage: perf gpu list [-p PID | -c | -a] [-x SEP | --json]\n\n"
	"Lists the devices that have a source of GPU events, and the events with their\n"
	"units; or who uses the devices.\n\n"
	"  -p, --pid PID         the clients (open DRM files) of this process, and their contexts\n"
	"  -c, --clients         those of all processes that you may look into\n"
	"  -a, --all             those of all processes; for root\n"
	"  -x, --field-separator SEP  for programs: fields separated by SEP; what is in SEP\n"
	"                        becomes '_' in words\n"
	"  -j, --json            for programs: one JSON document\n"
	"  -h, --help            this\n\n"
	"Fields of -x: kind (device, engine, event, limit), render minor, name, unit, number\n"
	"(how many engines; engine's and event's as in config), text. With -p, -c and -a:\n"
	"pid, command, render minor, driver, context, file descriptors, jobs, client,\n"
	"engine:fence context of each engine.\n\n"
	"Jobs are counted while anyone has an event of the device open: '-' is not counted.\n"
	"The fence context is what a sample of a job, and dma_fence's tracepoints, name it by;\n"
	"'-' is not known: virtio_gpu's is seen when a job is counted.\n\n"
	"Examples:\n"
	"  perf gpu list                     what can be counted here\n"
	"  perf gpu list -p $(pidof Xorg)    the contexts of that process\n"
	"  sudo perf gpu list --all --json   everybody's\n";

enum list_of { OF_THINGS, OF_PROCESS, OF_MINE, OF_ALL };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "clients", no_argument, NULL, 'c' },
	{ "all", no_argument, NULL, 'a' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{}
};

static int wrong_usage(const char *what)
{
	return args__wrong("list", what, usage);
}

static int collect(struct listing *listing, enum list_of of, int pid)
{
	switch (of) {
	case OF_THINGS:
		return listing__things(listing);
	case OF_PROCESS:
		return listing__process(listing, pid);
	case OF_MINE:
		if (!obstacle__privileged())
			return listing__own(listing);
		/* fallthrough */
	case OF_ALL:
		return listing__all(listing);
	}
	return -EINVAL;
}

/**
 * struct list_args - what was said
 * @of:		what to list
 * @pid:	of OF_PROCESS
 * @output:	how
 * @separator:	of fields, or NULL
 */
struct list_args {
	enum list_of of;
	int pid;
	const struct list_output *output;
	const char *separator;
};

/* 0: go on; else the exit status + 1 */
static int parse(struct list_args *args, int argc, char **argv)
{
	enum list_of of = OF_THINGS;
	const char *wrong;
	bool json = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:cax:jh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
		case 'c':
		case 'a':
			if (of != OF_THINGS)
				return 1 + wrong_usage("-p, -c and -a exclude each other");
			of = opt == 'p' ? OF_PROCESS : opt == 'a' ? OF_ALL : OF_MINE;
			if (of != OF_PROCESS)
				break;
			args->pid = args__pid(optarg);
			if (!args->pid)
				return 1 + wrong_usage("-p takes a process id");
			break;
		case 'x':
			args->separator = optarg;
			args->output = &list_fields;
			break;
		case 'j':
			json = true;
			args->output = &list_json;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1 + 0;
		default:
			return 1 + wrong_usage(NULL);
		}
	}
	args->of = of;
	if (optind != argc)
		return 1 + wrong_usage("it takes no command");
	wrong = args__check_form(args->separator, json);
	return wrong ? 1 + wrong_usage(wrong) : 0;
}

int cmd_list(int argc, char **argv)
{
	struct list_args args = { .output = &list_text };
	struct listing listing = {};
	char text[OBSTACLE_TEXT];
	int status, err;

	status = parse(&args, argc, argv);
	if (status)
		return status - 1;
	err = collect(&listing, args.of, args.pid);
	if (err) {
		fprintf(stderr, "perf gpu list: %s\n",
			args.of == OF_PROCESS ?
			obstacle__of_process(err, args.pid, text, sizeof(text)) :
			obstacle__of_query(err, text, sizeof(text)));
	} else {
		(args.of == OF_THINGS ? args.output->things :
		 args.output->clients)(&listing, args.separator);
		err = file__flush(stdout);
		if (err)
			fprintf(stderr, "perf gpu list: the output cannot be written: %s\n",
				strerror(-err));
	}
	listing__free(&listing);
	return err ? 1 : 0;
}
