/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How perf gpu stat says what it has counted: for people, as lines of fields, as JSON.
 */
#ifndef PERF_GPU_OUTPUT_H
#define PERF_GPU_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "kernel/event.h"
#include "kernel/names.h"
#include "stat/target.h"
#include "stat/view.h"

/* a table has two columns for each, and those that say whose they are */
#define OUTPUT_EVENTS_MAX	125

/**
 * struct output - where to, and of what
 * @ops:	how
 * @file:	where to
 * @separator:	between fields
 * @target:	of whom
 * @events:	of which events
 * @how:	taken apart how
 * @names:	of engines
 * @intervals:	how many there have been
 * @narrow:	the terminal has no room for a rate beside each count of a table
 * @err:	why it could not be written, or 0
 */
struct output {
	const struct output_ops *ops;
	FILE *file;
	const char *separator;
	const struct target *target;
	const struct events *events;
	const struct view_how *how;
	const struct names *names;
	unsigned int intervals;
	bool narrow;
	int err;
};

/**
 * struct output_part - the counts of some time
 * @from:	since when, seconds from the beginning
 * @to:		until when
 * @view:	the counts
 */
struct output_part {
	double from;
	double to;
	const struct view *view;
};

/**
 * struct output_end - the end
 * @whole:	from the beginning to the end; @view is NULL if that is not known
 * @signal:	that ended it, or 0
 * @command_status: what the command exited with, -1: there was none, or it goes on
 * @missed:	clients and contexts that ended, and were not told
 * @forks_lost:	what perf could not tell of processes
 * @torn:	a look at clients was not of one time
 * @denied:	files of a process could not be looked into
 */
struct output_end {
	struct output_part whole;
	int signal;
	int command_status;
	unsigned long long missed;
	unsigned long long forks_lost;
	bool torn;
	bool denied;
};

struct output_ops {
	void (*begin)(struct output *output);
	void (*interval)(struct output *output, const struct output_part *part);
	void (*end)(struct output *output, const struct output_end *end);
};

extern const struct output_ops output_text;
extern const struct output_ops output_fields;
extern const struct output_ops output_json;

/* each of these is written when it returns; or it has set @err, which stays */
void output__begin(struct output *output);
void output__interval(struct output *output, const struct output_part *part);
void output__end(struct output *output, const struct output_end *end);
/* the same of what was written to its file otherwise */
int output__flush(struct output *output);

/* what is in the fields of output_fields, for --help */
extern const char output_fields_help[];

/* the word for a kind of line: what programs read */
const char *output__kind(const struct view_line *line);
/* the engine's name, or its number if that is all that is known; "" if it is not one */
const char *output__engine(const struct names *names, const struct view_line *line,
			   char text[40]);

#endif /* PERF_GPU_OUTPUT_H */
