// SPDX-License-Identifier: GPL-2.0
/*
 * refgpu-load: a load for the reference GPU, and what it must count.
 *
 * Each client is a process that submits jobs from all of its contexts, waits
 * for them, and prints what they counted, by arithmetic. It fails if the
 * driver's fdinfo says something else.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"

static const char usage[] =
"usage: refgpu-load [OPTION...]\n"
"\n"
"  -d, --device N     which reference GPU (0)\n"
"  -c, --clients N    processes (1)\n"
"  -x, --contexts N   contexts of each (2), of low and normal priority in turn\n"
"  -j, --jobs N       jobs of each context (50)\n"
"  -l, --length N     cycles of a command, at most (25000: 2 ms)\n"
"  -n, --commands N   commands of a job, at most (4)\n"
"  -m, --mix LIST     of spin, wait, fill, copy, timestamp (all)\n"
"  -s, --seed N       of the random numbers (1)\n"
"  -k, --hold         keep the file open until stdin ends\n"
"\n"
"Prints a line for each context and engine:\n"
"  client C pid P ctx X hw H engine E jobs N gpu-cycles N shader-active N\n"
"  mem-read-bytes N mem-write-bytes N l3-misses N\n";

struct options {
	unsigned int device;
	unsigned int clients;
	unsigned int contexts;
	unsigned int jobs;
	uint64_t seed;
	bool hold;
	struct load_mix mix;
};

struct load_context {
	uint32_t id;
	struct load_counts *counts;
};

static void die(const char *what, int ret)
{
	fprintf(stderr, "refgpu-load: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static void check(const char *what, int ret)
{
	if (ret)
		die(what, ret);
}

static void client_print(struct refgpu *gpu, unsigned int client,
			 const struct load_context *context)
{
	uint64_t hw_id;
	unsigned int e, i;

	check("hardware id", refgpu_get(gpu, REFGPU_PARAM_HW_ID, context->id, &hw_id));
	for (e = 0; e < gpu->engines; e++) {
		const struct load_counts *counts = &context->counts[e];

		printf("client %u pid %d ctx %u hw %lu engine %u jobs %lu", client,
		       getpid(), context->id, hw_id, e, counts->jobs);
		for (i = 0; i < LOAD_NR_COUNTERS; i++)
			printf(" %s %lu", load_counter_names[i], counts->v[i]);
		printf("\n");
	}
}

/* does fdinfo agree? */
static bool client_check(struct refgpu *gpu, const struct options *options,
			 const struct load_context *contexts)
{
	uint64_t expected[2] = {}, tick_ns, class;
	struct refgpu_usage usage;
	unsigned int i, e;

	check("tick", refgpu_get(gpu, REFGPU_PARAM_TICK_NS, 0, &tick_ns));
	check("fdinfo", refgpu_usage(gpu, &usage));
	for (e = 0; e < gpu->engines; e++) {
		check("class", refgpu_get(gpu, REFGPU_PARAM_ENGINE_CLASS, e, &class));
		for (i = 0; i < options->contexts; i++)
			expected[class] += contexts[i].counts[e].v[LOAD_CYCLES] * tick_ns;
	}
	if (usage.render == expected[REFGPU_ENGINE_RENDER] &&
	    usage.copy == expected[REFGPU_ENGINE_COPY])
		return true;
	fprintf(stderr, "refgpu-load: fdinfo: render %lu copy %lu, expected %lu %lu\n",
		usage.render, usage.copy, expected[REFGPU_ENGINE_RENDER],
		expected[REFGPU_ENGINE_COPY]);
	return false;
}

static int client(const struct options *options, unsigned int number)
{
	struct load_random random = { options->seed * 1000003 + number };
	struct load_context *contexts;
	struct refgpu_batch batch = {};
	struct refgpu_buffer bo;
	unsigned int i, j, e;
	struct refgpu gpu;
	uint32_t *syncs;
	bool ok;

	check("open", refgpu_open(&gpu, options->device));
	check("buffer", refgpu_buffer(&gpu, 1 << 20, &bo));
	contexts = calloc(options->contexts, sizeof(*contexts));
	syncs = calloc(options->contexts * gpu.engines, sizeof(*syncs));
	for (i = 0; i < options->contexts; i++) {
		contexts[i].counts = calloc(gpu.engines, sizeof(struct load_counts));
		check("context", refgpu_context(&gpu, i & 1, &contexts[i].id));
		for (e = 0; e < gpu.engines; e++)
			syncs[i * gpu.engines + e] = refgpu_sync(&gpu);
	}

	/* what the last job on an engine signals comes after all before it */
	for (j = 0; j < options->jobs; j++) {
		for (i = 0; i < options->contexts; i++) {
			e = load_random(&random, gpu.engines);
			load_job(&random, &options->mix, &bo, &batch, &contexts[i].counts[e]);
			check("submit", refgpu_submit(&gpu, contexts[i].id, e, &batch, 0,
						      syncs[i * gpu.engines + e]));
		}
	}
	for (i = 0; i < options->contexts; i++)
		for (e = 0; e < gpu.engines; e++)
			if (contexts[i].counts[e].jobs)
				check("wait", refgpu_sync_wait(&gpu, syncs[i * gpu.engines + e],
							       600000000000LL));

	for (i = 0; i < options->contexts; i++)
		client_print(&gpu, number, &contexts[i]);
	fflush(stdout);
	ok = client_check(&gpu, options, contexts);
	if (options->hold)
		while (getchar() != EOF)
			;
	return ok ? 0 : 1;
}

static unsigned int parse_mix(char *list)
{
	static const char * const names[] = { "spin", "wait", "fill", "copy", "timestamp" };
	unsigned int ops = 0, i;
	char *name;

	for (name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		for (i = 0; i < 5 && strcmp(name, names[i]); i++)
			;
		if (i == 5) {
			fputs(usage, stderr);
			exit(2);
		}
		ops |= 1U << i;
	}
	return ops;
}

static uint64_t parse_number(const char *text)
{
	uint64_t number;
	char *end;

	number = strtoull(text, &end, 0);
	if (!*text || *end) {
		fputs(usage, stderr);
		exit(2);
	}
	return number;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "device", 1, NULL, 'd' }, { "clients", 1, NULL, 'c' },
		{ "contexts", 1, NULL, 'x' }, { "jobs", 1, NULL, 'j' },
		{ "length", 1, NULL, 'l' }, { "commands", 1, NULL, 'n' },
		{ "mix", 1, NULL, 'm' }, { "seed", 1, NULL, 's' },
		{ "hold", 0, NULL, 'k' }, { "help", 0, NULL, 'h' }, {}
	};
	struct options options = {
		.clients = 1, .contexts = 2, .jobs = 50, .seed = 1,
		.mix = { LOAD_MIX_ALL, 4, 25000 },
	};
	int option, status, failed = 0;
	unsigned int i;

	while ((option = getopt_long(argc, argv, "d:c:x:j:l:n:m:s:kh", long_options,
				     NULL)) != -1) {
		switch (option) {
		case 'd':
			options.device = parse_number(optarg);
			break;
		case 'c':
			options.clients = parse_number(optarg);
			break;
		case 'x':
			options.contexts = parse_number(optarg);
			break;
		case 'j':
			options.jobs = parse_number(optarg);
			break;
		case 'l':
			options.mix.max_cycles = parse_number(optarg);
			break;
		case 'n':
			options.mix.max_cmds = parse_number(optarg);
			break;
		case 'm':
			options.mix.ops = parse_mix(optarg);
			break;
		case 's':
			options.seed = parse_number(optarg);
			break;
		case 'k':
			options.hold = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!options.clients || !options.contexts || !options.mix.max_cycles ||
	    !options.mix.ops || !options.mix.max_cmds ||
	    options.mix.max_cmds > REFGPU_MAX_CMDS || optind < argc) {
		fputs(usage, stderr);
		return 2;
	}

	for (i = 0; i < options.clients; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork", -1);
		if (!pid)
			exit(client(&options, i));
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
