// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu report: reads a record, joins its samples, and says what came out.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/outfile.h"
#include "report/join.h"
#include "perf-gpu.h"
#include "report/report.h"
#include "samples/stacks.h"
#include "samples/stop.h"
#include "samples/stream.h"

#define COMMAND	"perf gpu report"

/**
 * struct output - a way to say it
 * @option:	its name
 * @to_file:	it goes to the file that is the option's argument, else to standard output
 * @write:	how
 * @what:	what it is
 */
struct output {
	const char *option;
	bool to_file;
	int (*write)(FILE *out, const struct report *report);
	const char *what;
};

static const struct output outputs[] = {
	{ "stdio", false, report__stdio, "tables and call trees (the default)" },
	{ "folded", false, report__folded,
	  "'outer;inner VALUE', a line for each stack: for flame graph tools" },
	{ "json", false, report__json, "one JSON document with all there is" },
	{ "flamegraph", true, report__flamegraph,
	  "a picture for a browser, that zooms and searches; -: standard output" },
};

const struct report_weight report_weights[JOIN_WEIGHTS] = {
	[JOIN_GPU] = { "GPU time", "gpu_busy_ns", "ns" },
	[JOIN_WAIT] = { "time waited for the GPU", "wait_time_ns", "ns" },
	[JOIN_JOBS] = { "jobs submitted", "jobs", "" },
};

/**
 * struct options - what was asked for
 * @files:	for each of outputs[], the file that it goes to, "-" is standard output; NULL: it
 *		is not asked for
 */
struct options {
	struct stream_options stream;
	enum join_weight weight;
	double percent_limit;
	const char *files[ARRAY_SIZE(outputs)];
};

static int usage(FILE *out)
{
	fputs("usage: perf gpu report [-i FILE] [OPTION...]\n\n"
	      "Lays the time that the GPU ran on the user's stacks that submitted the work, by the\n"
	      "jobs' fences, and the time that tasks waited on the stacks that waited.\n\n"
	      "  -i, --input FILE      what perf gpu record, or perf record -R, has written (perf.data);\n"
	      "                        -: standard input\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		fprintf(out, "  --%-10s%-10s%s\n", outputs[i].option,
			outputs[i].to_file ? " FILE" : "", outputs[i].what);
	fputs("  --gpu, --wait, --jobs  what stacks are shown by in --folded and --flamegraph:\n"
	      "                        GPU time (the default), time waited, jobs submitted\n"
	      "  --percent-limit P     leave out of call trees what has less of the whole (0.5)\n"
	      "  --inlined             show inlined functions, too; that takes perf a while\n"
	      "  -f, --force           read a file that is another user's\n"
	      "  -h, --help            this\n\n"
	      "Ctrl-C ends the reading: what was read until then is said, and the exit status is\n"
	      "128 and the signal's number. perf script reads the file: $PERF says which perf it is.\n\n"
	      "Examples:\n"
	      "  perf gpu record ./program; perf gpu report\n"
	      "  perf gpu report --flamegraph gpu.svg\n"
	      "  perf gpu report --wait --folded | sort -k2 -n\n"
	      "  perf gpu report --json | jq '.contexts[] | {pid, comm, gpu_busy_ns}'\n", out);
	return out == stdout ? 0 : 2;
}

/* ---- options ---- */

enum {
	OPT_WEIGHT = 0x100,			/* + its number */
	OPT_OUTPUT = OPT_WEIGHT + JOIN_WEIGHTS,	/* + its place in the table */
	OPT_PERCENT_LIMIT = OPT_OUTPUT + ARRAY_SIZE(outputs),
	OPT_INLINED,
};

static const struct option plain_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "force", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "gpu", no_argument, NULL, OPT_WEIGHT + JOIN_GPU },
	{ "wait", no_argument, NULL, OPT_WEIGHT + JOIN_WAIT },
	{ "jobs", no_argument, NULL, OPT_WEIGHT + JOIN_JOBS },
	{ "percent-limit", required_argument, NULL, OPT_PERCENT_LIMIT },
	{ "inlined", no_argument, NULL, OPT_INLINED },
};

/* one for each output, and the end */
#define NR_OPTIONS	(ARRAY_SIZE(plain_options) + ARRAY_SIZE(outputs) + 1)

static void options_list(struct option list[NR_OPTIONS])
{
	memset(list, 0, NR_OPTIONS * sizeof(*list));
	memcpy(list, plain_options, sizeof(plain_options));
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		list[ARRAY_SIZE(plain_options) + i] = (struct option){
			.name = outputs[i].option,
			.has_arg = outputs[i].to_file ? required_argument : no_argument,
			.val = OPT_OUTPUT + i,
		};
}

static bool percent_read(const char *text, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	return end != text && !*end && *percent >= 0 && *percent <= 100;
}

/* only one can have standard output */
static bool outputs_check(struct options *o)
{
	unsigned int nr = 0, to_stdout = 0;

	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		nr += !!o->files[i];
		to_stdout += o->files[i] && !strcmp(o->files[i], "-");
	}
	if (!nr)
		o->files[0] = "-";
	return to_stdout <= 1;
}

/* 0: go on; else the exit status, + 1 */
static int options_read(int argc, char **argv, struct options *o)
{
	struct option list[NR_OPTIONS];
	int opt;

	options_list(list);
	while ((opt = getopt_long(argc, argv, "i:fh", list, NULL)) != -1) {
		if (opt == 'i') {
			o->stream.input = optarg;
		} else if (opt == 'f') {
			o->stream.force = true;
		} else if (opt == 'h') {
			return usage(stdout) + 1;
		} else if (opt == OPT_INLINED) {
			o->stream.inlined = true;
		} else if (opt == OPT_PERCENT_LIMIT) {
			if (!percent_read(optarg, &o->percent_limit)) {
				fprintf(stderr, COMMAND ": '%s' is no percentage\n", optarg);
				return 3;
			}
		} else if (opt >= OPT_OUTPUT && opt < OPT_PERCENT_LIMIT) {
			opt -= OPT_OUTPUT;
			o->files[opt] = outputs[opt].to_file ? optarg : "-";
		} else if (opt >= OPT_WEIGHT && opt < OPT_OUTPUT) {
			o->weight = opt - OPT_WEIGHT;
		} else {
			return usage(stderr) + 1;
		}
	}
	if (optind < argc && optind == argc - 1 && !o->stream.input)
		o->stream.input = argv[optind++];
	if (optind < argc)
		return usage(stderr) + 1;
	if (!outputs_check(o)) {
		fprintf(stderr, COMMAND ": only one of the outputs can go to standard output\n");
		return 3;
	}
	if (!o->stream.input)
		o->stream.input = "perf.data";
	return 0;
}

/* ---- writing ---- */

static int fail(const char *path, int err)
{
	fprintf(stderr, COMMAND ": %s cannot be written: %s\n",
		strcmp(path, "-") ? path : "standard output", strerror(-err));
	return err;
}

/* before what takes long; a file that is there stays as it is until there is a new one */
static int outputs_open(const struct options *o, struct outfile out[ARRAY_SIZE(outputs)])
{
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		int err = o->files[i] ? outfile__open(&out[i], o->files[i]) : 0;

		if (err)
			return fail(o->files[i], err);
	}
	return 0;
}

static int outputs_write(struct outfile out[ARRAY_SIZE(outputs)], const struct report *report)
{
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		int err;

		if (!out[i].file)
			continue;
		err = outputs[i].write(out[i].file, report) ?: outfile__commit(&out[i]);
		if (err)
			return fail(out[i].path, outfile__why(&out[i], err));
	}
	return 0;
}

/* ---- reading ---- */

static int sample(void *join, const struct stream_sample *sample)
{
	return join__sample(join, sample);
}

static void lost(void *join, uint64_t nr)
{
	join__lost(join, nr);
}

static bool is_empty(const struct join_sums *sums)
{
	return !(sums->jobs + sums->done + sums->waits + sums->reports);
}

static int report_make(const struct options *o, struct stacks *stacks, struct join *join,
		       struct outfile out[ARRAY_SIZE(outputs)])
{
	static const struct stream_ops ops = { .sample = sample, .lost = lost };
	struct report report = {
		.input = o->stream.input,
		.stacks = stacks,
		.join = join,
		.weight = o->weight,
		.percent_limit = o->percent_limit,
	};
	int err = stream__read(&o->stream, stacks, &ops, join);

	if (err)
		return err;
	report.complete = !stop_signal;
	join__end(join);
	if (report.complete && is_empty(join__sums(join))) {
		fprintf(stderr, COMMAND ": there is no sample of the gpu PMU in '%s': record with 'perf gpu record', or 'perf record -R'\n",
			o->stream.input);
		return -ENODATA;
	}
	return outputs_write(out, &report);
}

static int run(const struct options *o, struct outfile out[ARRAY_SIZE(outputs)])
{
	struct stacks *stacks = stacks__new();
	struct join *join = stacks ? join__new(stacks, JOIN_OUTSTANDING_MAX) : NULL;
	int err = -ENOMEM;

	if (join)
		err = outputs_open(o, out) ?: report_make(o, stacks, join, out);
	else
		fprintf(stderr, COMMAND ": there is no memory\n");
	join__delete(join);
	stacks__delete(stacks);
	return err;
}

int cmd_report(int argc, char **argv)
{
	struct options o = {
		.stream = { .command = COMMAND, .progress = true, .stop = &stop_signal },
		.percent_limit = 0.5,
	};
	struct outfile out[ARRAY_SIZE(outputs)] = {};
	int status = options_read(argc, argv, &o), err;

	if (status)
		return status - 1;
	stop__catch();
	err = run(&o, out);
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
		outfile__abort(&out[i]);
	if (err)
		return 1;
	return stop_signal ? 128 + stop_signal : 0;
}
