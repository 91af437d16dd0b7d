// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpu: perf runs it as "perf gpu". One file per subcommand, and one line
 * for it in the table here.
 */
#include <stdio.h>
#include <string.h>

#include "perf-gpu.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{ "list", cmd_list, "devices, events, and the clients of the GPUs" },
	{ "stat", cmd_stat, "count what a command, processes or the machine do on the GPU" },
	{ "top", cmd_top, "who uses the GPUs now" },
	{ "record", cmd_record, "record submissions and waits with the user's stacks" },
	{ "report", cmd_report, "GPU time and waits by stack, context and engine" },
	{ "timeline", cmd_timeline, "draw a record: who ran when, and who waited for it" },
	{ "attach", cmd_attach, "run a command that can count another process' context" },
};

static int usage(FILE *out)
{
	fprintf(out, "usage: perf gpu COMMAND [ARG...]\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
	fprintf(out, "\n'perf gpu COMMAND --help' says more.\n");
	return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return usage(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "perf gpu: there is no command '%s'\n\n", argv[1]);
	return usage(stderr);
}
