// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf-gpu.h"
#include "process.h"
#include "query.h"

static const char usage[] =
	"usage: perf gpu list [-p PID] [-x SEP]\n\n"
	"Lists the clients of all GPUs (as root), or that of one process: what runs on\n"
	"which device, and the driver's id of its context, which is what to give as ctx.\n\n"
	"  -p, --pid PID         only this process\n"
	"  -x, --field-separator SEP  for programs: fields separated by SEP\n";

static void print(const struct contexts *contexts, const char *separator)
{
	if (!separator)
		printf("%8s  %-16s %4s  %-12s %s\n", "PID", "COMMAND", "DEV", "DRIVER", "CTX");
	for (unsigned int i = 0; i < contexts->nr; i++) {
		const struct gpu_pmu_context_info *info = &contexts->info[i];

		if (separator)
			printf("%u%s%s%s%u%s%s%s%llu\n", info->pid, separator, info->comm,
			       separator, info->dev, separator, info->driver, separator,
			       (unsigned long long)info->ctx);
		else
			printf("%8u  %-16s %4u  %-12s %llu\n", info->pid, info->comm,
			       info->dev, info->driver, (unsigned long long)info->ctx);
	}
}

int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "field-separator", required_argument, NULL, 'x' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int opt, pid = 0, fd = CONTEXTS_OF_ALL, err;
	const char *separator = NULL;
	struct contexts contexts;
	char text[160];

	while ((opt = getopt_long(argc, argv, "p:x:h", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			pid = atoi(optarg);
			break;
		case 'x':
			separator = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		return 2;
	}

	if (pid) {
		fd = process__take_drm(pid);
		if (fd < 0) {
			fprintf(stderr, "perf gpu list: %s\n",
				process__strerror(pid, fd, text, sizeof(text)));
			return 1;
		}
	}
	err = contexts__get(&contexts, fd);
	if (err) {
		fprintf(stderr, "perf gpu list: %s\n",
			query__strerror(err, text, sizeof(text)));
		return 1;
	}
	print(&contexts, separator);
	contexts__put(&contexts);
	return 0;
}
