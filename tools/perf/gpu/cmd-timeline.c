// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/args.h"
#include "common/outfile.h"
#include "perf-gpu.h"
#include "samples/stacks.h"
#include "samples/stop.h"
#include "samples/stream.h"
#include "timeline/items.h"
#include "timeline/page.h"
#include "timeline/trace.h"

#define COMMAND		"perf gpu timeline"
#define MAX_ITEMS	100000000ULL

static const char usage[] =
	"usage: perf gpu timeline [-i] [FILE] [-o PAGE.html] [--trace-json FILE] [OPTION...]\n\n"
	"Draws a record of 'perf gpu record' (perf.data): who ran on the GPU's engines and when,\n"
	"how long jobs were queued, who submitted them, and who waited for them. The page needs\n"
	"nothing but a browser.\n\n"
	"  -i, --input FILE      the record (perf.data); - is standard input\n"
	"  -o, --output PAGE     the page (FILE.html); - is standard output\n"
	"      --trace-json OUT  trace events, for Perfetto or chrome://tracing; no page is\n"
	"                        written then, unless there is -o\n"
	"      --time FROM,TO    only what was between, in seconds since the record's first\n"
	"                        sample; either may be left out\n"
	"      --max-items N     put no more than the first N submissions, runs and waits on the\n"
	"                        page (1000000)\n"
	"      --inlined         show inlined functions, too; that takes perf a while\n"
	"  -f, --force           also read a file that is somebody else's\n"
	"  -h, --help            this\n\n"
	"Examples:\n"
	"  perf gpu record -- ./program && perf gpu timeline    # then open perf.data.html\n"
	"  perf gpu timeline -o slow.html --time 12.5,13        # half a second of it\n"
	"  perf gpu timeline --trace-json trace.json            # for https://ui.perfetto.dev\n\n"
	"Ctrl-C ends the reading: what was read until then is written, and the exit status is\n"
	"128 and the signal's number. perf script reads the file: $PERF says which perf it is.\n";

/**
 * struct timeline - what is being read, and for whom
 * @stacks:	the stacks
 * @items:	for the page
 * @trace:	the trace file, with @trace_file
 * @page_file:	where the page goes
 * @trace_file:	where the trace goes
 * @has_page:	there is to be a page
 * @has_trace:	there is to be a trace
 * @samples:	how many there were
 * @err:	why reading has ended early
 */
struct timeline {
	struct stacks *stacks;
	struct items items;
	struct trace trace;
	struct outfile page_file;
	struct outfile trace_file;
	bool has_page;
	bool has_trace;
	uint64_t samples;
	int err;
};

struct options {
	const char *input;
	const char *page;
	const char *trace;
	int64_t from;
	int64_t to;
	uint64_t max;
	bool inlined;
	bool force;
};

static int fail(const char *what, int err)
{
	fprintf(stderr, COMMAND ": %s: %s\n", what, strerror(-err));
	return 1;
}

static int fail_file(const struct outfile *file, int err)
{
	return fail(strcmp(file->path, "-") ? file->path : "standard output",
		    outfile__why(file, err));
}

/* ---- options ---- */

/* seconds as ns; an empty text leaves it as it is */
static bool parse_seconds(const char *text, const char *end, int64_t *ns)
{
	char *behind;
	double seconds;

	if (text == end)
		return true;
	seconds = strtod(text, &behind);
	if (behind != end || !isfinite(seconds) || fabs(seconds) > 9e9)
		return false;
	*ns = llrint(seconds * 1e9);
	return true;
}

static bool parse_time(const char *text, struct options *options)
{
	const char *comma = strchr(text, ',');

	return comma && parse_seconds(text, comma, &options->from) &&
	       parse_seconds(comma + 1, text + strlen(text), &options->to) &&
	       options->from <= options->to;
}

/* -1: go on; else the exit status */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "trace-json", required_argument, NULL, 'j' },
		{ "time", required_argument, NULL, 't' },
		{ "max-items", required_argument, NULL, 'm' },
		{ "inlined", no_argument, NULL, 'l' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool ok = true;
	int opt;

	while (ok && (opt = getopt_long(argc, argv, "i:o:fh", longs, NULL)) != -1) {
		switch (opt) {
		case 'i':
			options->input = optarg;
			break;
		case 'o':
			options->page = optarg;
			break;
		case 'j':
			options->trace = optarg;
			break;
		case 't':
			ok = parse_time(optarg, options);
			if (!ok)
				fprintf(stderr, COMMAND ": '%s' is no time: FROM,TO in seconds\n\n",
					optarg);
			break;
		case 'm':
			ok = args__number(optarg, 1, MAX_ITEMS, &options->max);
			if (!ok)
				fprintf(stderr, COMMAND ": '%s' is no number from 1 to %llu\n\n",
					optarg, MAX_ITEMS);
			break;
		case 'l':
			options->inlined = true;
			break;
		case 'f':
			options->force = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			ok = false;
		}
	}
	if (ok && optind < argc && !options->input)
		options->input = argv[optind++];
	if (ok && optind < argc) {
		fprintf(stderr, COMMAND ": '%s' is too much: one file is drawn\n\n", argv[optind]);
		ok = false;
	}
	if (ok && options->page && options->trace && !strcmp(options->page, "-") &&
	    !strcmp(options->trace, "-")) {
		fprintf(stderr, COMMAND ": only one of the outputs can go to standard output\n");
		return 2;
	}
	if (!ok)
		fputs(usage, stderr);
	return ok ? -1 : 2;
}

/* ---- reading ---- */

static int on_sample(void *arg, const struct stream_sample *sample)
{
	struct timeline *timeline = arg;

	timeline->samples++;
	if (timeline->has_page)
		timeline->err = items__add(&timeline->items, sample);
	if (timeline->has_trace && !timeline->err)
		timeline->err = trace__add(&timeline->trace, sample);
	return timeline->err;
}

static void on_lost(void *arg, uint64_t nr)
{
	struct timeline *timeline = arg;

	timeline->items.lost += nr;
	timeline->trace.items.lost += nr;
}

/* ---- writing ---- */

/* what people must know, though they may not look at the page */
static void say_missing(const struct items *items, const struct options *options)
{
	if (items->lost)
		fprintf(stderr, COMMAND ": perf has lost %" PRIu64
			" records: give 'perf gpu record' a larger buffer ('--perf -m 16M', or more)\n",
			items->lost);
	if (items->left_out)
		fprintf(stderr, COMMAND ": %" PRIu64 " items were left out, after the first %" PRIu64
			": see --time and --max-items\n", items->left_out, options->max);
	if (items->unknown_begin)
		fprintf(stderr, COMMAND ": of %" PRIu64 " runs it is not known when they began\n",
			items->unknown_begin);
}

static int write_page(struct timeline *timeline, const struct options *options)
{
	const struct items *items = &timeline->items;
	char *title;
	int err;

	if (asprintf(&title, "GPU timeline: %s",
		     strcmp(options->input, "-") ? options->input : "standard input") < 0)
		return fail(options->page, -ENOMEM);
	err = page__write(timeline->page_file.file, items, timeline->stacks, title, stop_signal);
	free(title);
	if (!err)
		err = outfile__commit(&timeline->page_file);
	if (err)
		return fail_file(&timeline->page_file, err);
	fprintf(stderr, COMMAND ": %s has %u runs, %u waits and %u submissions\n", options->page,
		items->runs.nr, items->waits.nr, items->submissions.nr);
	say_missing(items, options);
	return 0;
}

static int write_trace(struct timeline *timeline, const struct options *options)
{
	int err = trace__finish(&timeline->trace);

	if (!err)
		err = outfile__commit(&timeline->trace_file);
	if (err)
		return fail_file(&timeline->trace_file, err);
	fprintf(stderr, COMMAND ": %s has %" PRIu64 " events\n", options->trace,
		timeline->trace.events);
	if (!timeline->has_page)
		say_missing(&timeline->trace.items, options);
	return 0;
}

static int write_all(struct timeline *timeline, const struct options *options)
{
	int status = 0;

	if (timeline->has_page)
		status = write_page(timeline, options);
	if (timeline->has_trace && !status)
		status = write_trace(timeline, options);
	return status;
}

static int open_all(struct timeline *timeline, const struct options *options)
{
	int err;

	timeline->stacks = stacks__new();
	if (!timeline->stacks)
		return fail(options->input, -ENOMEM);
	timeline->has_page = options->page;
	timeline->has_trace = options->trace;
	if (timeline->has_page) {
		err = outfile__open(&timeline->page_file, options->page);
		if (err)
			return fail(options->page, err);
		timeline->items.max = options->max;
		timeline->items.from = options->from;
		timeline->items.to = options->to;
	}
	if (timeline->has_trace) {
		err = outfile__open(&timeline->trace_file, options->trace);
		if (err)
			return fail(options->trace, err);
		trace__init(&timeline->trace, timeline->trace_file.file, timeline->stacks);
		timeline->trace.items.from = options->from;
		timeline->trace.items.to = options->to;
	}
	return 0;
}

static int run(struct timeline *timeline, const struct options *options)
{
	const struct stream_options stream_options = {
		.input = options->input,
		.command = COMMAND,
		.force = options->force,
		.inlined = options->inlined,
		.progress = true,
		.stop = &stop_signal,
	};
	static const struct stream_ops ops = { .sample = on_sample, .lost = on_lost };
	int status = open_all(timeline, options);

	if (status)
		return status;
	/* it has said what was wrong */
	if (stream__read(&stream_options, timeline->stacks, &ops, timeline))
		return 1;
	/* the trace is written as it is read */
	if (timeline->err)
		return outfile__why(&timeline->trace_file, 0) ?
		       fail_file(&timeline->trace_file, timeline->err) :
		       fail(options->input, timeline->err);
	if (!timeline->samples) {
		fprintf(stderr, COMMAND ": '%s' has no samples of a GPU%s: make one with 'perf gpu record', or 'perf record -R'\n",
			options->input, stop_signal ? " that were read until now" : "");
		return stop_signal ? 128 + stop_signal : 1;
	}
	status = write_all(timeline, options);
	if (!status && stop_signal) {
		fprintf(stderr, COMMAND ": interrupted: it has what was read until then\n");
		status = 128 + stop_signal;
	}
	return status;
}

/* of a trace that goes where it is read at once: what is there is to be a document */
static void end_trace(struct timeline *timeline)
{
	if (timeline->trace_file.file)
		trace__finish(&timeline->trace);
	outfile__abort(&timeline->trace_file);
}

int cmd_timeline(int argc, char **argv)
{
	struct options options = { .from = INT64_MIN, .to = INT64_MAX, .max = ITEMS_MAX };
	struct timeline timeline = { .items = ITEMS_INIT };
	int status = parse(argc, argv, &options);
	char *page = NULL;

	if (status >= 0)
		return status;
	if (!options.input)
		options.input = "perf.data";
	if (!options.page && !options.trace) {
		if (asprintf(&page, "%s.html",
			     strcmp(options.input, "-") ? options.input : "timeline") < 0)
			return fail(options.input, -ENOMEM);
		options.page = page;
	}
	stop__catch();
	status = run(&timeline, &options);

	outfile__abort(&timeline.page_file);
	end_trace(&timeline);
	items__exit(&timeline.items);
	trace__exit(&timeline.trace);
	stacks__delete(timeline.stacks);
	free(page);
	return status;
}
