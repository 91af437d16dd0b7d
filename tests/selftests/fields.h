/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf gpu stat and top say with -x and --json, as they are read by a program.
 */
#ifndef TESTS_SELFTESTS_FIELDS_H
#define TESTS_SELFTESTS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#define FIELDS_LINES_MAX	2048
#define FIELDS_NR		14

struct fields_line {
	double time;
	char part[16];
	unsigned int dev;
	char client[20];
	int pid;
	char command[32];
	uint64_t ctx;
	char engine[32];
	char state[8];
	char event[64];
	int64_t value;
	bool counted;
};

struct fields {
	unsigned int nr;
	unsigned int broken;	/* lines that do not have FIELDS_NR fields */
	struct fields_line line[FIELDS_LINES_MAX];
};

/* a file of -x ","; to be freed; NULL: no such file */
struct fields *fields_read(const char *path);
/* over all lines of a part ("client") and an event; pid 0: of any process */
int64_t fields_sum(const struct fields *fields, const char *part, int pid,
		   const char *event);
unsigned int fields_lines(const struct fields *fields, const char *part, int pid,
			  const char *event);
/* the sum of all parts that are disjoint: of "client", with those of others and kernel */
int64_t fields_parts(const struct fields *fields, const char *part, const char *event);

struct json_object;

/* a file that is one JSON document, and nothing else; NULL: it is not */
struct json_object *json_read(const char *path);
/* "whole.total.jobs.value": -1 if there is no such number */
int64_t json_number(struct json_object *object, const char *path);

/* over all intervals, and all parts of this kind; pid 0: of any process; *lines: how many */
int64_t json_sum(struct json_object *object, const char *part, int pid, const char *event,
		 unsigned int *lines);

#endif /* TESTS_SELFTESTS_FIELDS_H */
