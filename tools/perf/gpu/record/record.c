// SPDX-License-Identifier: GPL-2.0
/* See record.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-gpu.h"
#include "record/record.h"

/* a copy of a stack's memory is 8 KiB, and many may come at once */
#define BUFFER_KB	4096U
/* but not on all CPUs of a large machine */
#define BUFFERS_KB	(256U << 10)
/* what perf takes by itself, besides a page */
#define DEFAULT_KB	512U
#define PAGE_KB		4U

/* perf takes no more in a sample, and no size that is no multiple of 8 */
#define STACK_MAX	65528

/*
 * Each job and each wait is a sample, and a wait's period is its time: so perf report
 * weighs waits by time, too. What the GPU has completed is found out in no task of the
 * user's, and has no stack.
 */
static const struct {
	const char *name;
	bool stack;
} events[] = {
	{ "jobs", true },
	{ "jobs-done", false },
	{ "wait-time", true },
};

bool record__is_call_graph(const char *text)
{
	static const char dwarf[] = "dwarf";
	unsigned long size;
	char *end;

	if (!strcmp(text, "fp") || !strcmp(text, dwarf))
		return true;
	if (strncmp(text, "dwarf,", sizeof(dwarf)) || text[sizeof(dwarf)] < '1' ||
	    text[sizeof(dwarf)] > '9')
		return false;
	size = strtoul(text + sizeof(dwarf), &end, 10);
	return !*end && size <= STACK_MAX && !(size % 8);
}

static unsigned int power_of_two_within(unsigned int number)
{
	unsigned int power = 1;

	if (!number)
		return 0;
	while (power <= number / 2)
		power *= 2;
	return power;
}

unsigned int record__buffer_kb(const struct record_here *here)
{
	unsigned int cpus = here->cpus ? here->cpus : 1;
	uint64_t wanted = BUFFERS_KB / cpus, may;

	if (wanted > BUFFER_KB)
		wanted = BUFFER_KB;
	if (!here->privileged) {
		may = here->mlock_kb + here->memlock / 1024 / cpus;
		may = may > PAGE_KB ? may - PAGE_KB : 0;
		if (may < wanted)
			wanted = may;
	}
	wanted = power_of_two_within(wanted);
	return wanted > DEFAULT_KB ? wanted : 0;
}

/* ---- the list of arguments ---- */

struct args {
	char **arg;
	size_t nr;
	bool failed;
};

static __attribute__((format(printf, 2, 3))) void add(struct args *args, const char *fmt, ...)
{
	char **more = reallocarray(args->arg, args->nr + 2, sizeof(*more));
	va_list ap;

	if (!more) {
		args->failed = true;
		return;
	}
	args->arg = more;
	va_start(ap, fmt);
	if (vasprintf(&more[args->nr], fmt, ap) < 0) {
		more[args->nr] = NULL;
		args->failed = true;
	}
	va_end(ap);
	if (more[args->nr])
		more[++args->nr] = NULL;
}

static void add_all(struct args *args, char **list)
{
	for (; list && *list; list++)
		add(args, "%s", *list);
}

static void add_events(struct args *args, const struct record_options *options,
		       const struct record_here *here)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		bool no_stack = options->call_graph && !events[i].stack;

		add(args, "-e");
		add(args, "gpu/%s,period=1%s/%s", events[i].name,
		    no_stack ? ",call-graph=no" : "", here->privileged ? "" : "u");
	}
}

char **record__command(const struct record_options *options, const struct record_here *here)
{
	unsigned int kb = record__buffer_kb(here);
	struct args args = {};

	add(&args, "%s", options->perf);
	add(&args, "record");
	add_events(&args, options, here);
	/* the payload; whose and when; a wait's time */
	add(&args, "--raw-samples");
	add(&args, "--sample-cpu");
	add(&args, "--timestamp");
	add(&args, "--period");
	if (options->call_graph) {
		add(&args, "--call-graph");
		add(&args, "%s", options->call_graph);
		/* there are no others; and who is not root may not ask for them */
		add(&args, "--user-callchains");
	}
	if (kb) {
		add(&args, "-m");
		add(&args, "%uK", kb);
	}
	/* by itself it writes to standard output, if that is a pipe */
	add(&args, "-o");
	add(&args, "%s", options->output ? options->output : "perf.data");
	if (options->all)
		add(&args, "-a");
	if (options->pids) {
		add(&args, "-p");
		add(&args, "%s", options->pids);
	}
	add_all(&args, options->extra);
	if (options->command) {
		add(&args, "--");
		add_all(&args, options->command);
	}
	if (!args.failed)
		return args.arg;
	record__free(args.arg);
	return NULL;
}

void record__free(char **command)
{
	for (size_t i = 0; command && command[i]; i++)
		free(command[i]);
	free(command);
}
