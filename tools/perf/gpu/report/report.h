/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf gpu report has found out, and the ways to say it: one file for each, and a
 * line in the table of cmd-report.c.
 */
#ifndef PERF_GPU_REPORT_H
#define PERF_GPU_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/join.h"
#include "samples/stacks.h"

/**
 * struct report - what there is to say
 * @input:	the file that was read
 * @complete:	to its end
 * @stacks:	all stacks
 * @join:	the rest
 * @weight:	what stacks are shown by, where they are shown by one thing only
 * @percent_limit: what has less of the whole is not shown to people
 */
struct report {
	const char *input;
	bool complete;
	struct stacks *stacks;
	struct join *join;
	enum join_weight weight;
	double percent_limit;
};

/**
 * struct report_weight - how a weight is called
 * @title:	for people, as a headline
 * @key:	for programs
 * @unit:	"ns", or empty for a number
 */
struct report_weight {
	const char *title;
	const char *key;
	const char *unit;
};

extern const struct report_weight report_weights[JOIN_WEIGHTS];

/* all return 0 or a negative errno; whether @out has an error is the caller's to see */
int report__stdio(FILE *out, const struct report *report);
int report__folded(FILE *out, const struct report *report);
int report__json(FILE *out, const struct report *report);
int report__flamegraph(FILE *out, const struct report *report);

#endif /* PERF_GPU_REPORT_H */
