/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the selftests need of stock perf: to run it, to read what it printed, and
 * to open events without it.
 */
#ifndef TESTS_SELFTESTS_PERF_H
#define TESTS_SELFTESTS_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_LINES_MAX	1024

/* a line of "perf stat -x;" */
struct perf_line {
	char event[96];
	char where[32];		/* CPU, socket or thread; empty without -A and such */
	double time;		/* with -I */
	uint64_t value;
	bool counted;		/* else "<not counted>" or "<not supported>" */
};

struct perf_stat {
	int status;		/* of perf: that of what it ran */
	unsigned int nr;
	struct perf_line line[PERF_LINES_MAX];
	char text[4096];	/* what it said, if it said something else */
};

/* 0 or a negative errno, -E2BIG: there were more lines; the arguments are given to a shell */
#define perf_stat_run(stat, ...)	perf_stat_run_as(stat, "", __VA_ARGS__)
/* the same, with something in front of perf that ends in a blank */
int perf_stat_run_as(struct perf_stat *stat, const char *prefix, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
uint64_t perf_stat_sum(const struct perf_stat *stat, const char *event);
unsigned int perf_stat_lines(const struct perf_stat *stat, const char *event);
bool perf_stat_counted(const struct perf_stat *stat);
void perf_stat_dump(const struct perf_stat *stat);

/* run a shell command; its status, or -1 if it was ended by a signal */
int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* the same, and the first line of what it printed */
int shell_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* the config words of an event of ours */
struct gpu_config {
	unsigned int event;
	unsigned int engine;
	unsigned int dev;
	unsigned int fd;
	uint64_t ctx;
};

struct perf_event_attr;

unsigned int gpu_pmu_type(void);
/* what names the event: the rest of *attr is 0 */
void gpu_event_attr(struct perf_event_attr *attr, const struct gpu_config *config);
/* the id that events/NAME says, or 0 */
unsigned int gpu_event_id(const char *name);
/* an event that is disabled and user-only; returns the fd or a negative errno */
int gpu_event_open(const struct gpu_config *config, pid_t pid, int cpu, int group);
int gpu_event_enable(int fd);
int gpu_event_disable(int fd);
uint64_t gpu_event_read(int fd);

/* set kernel.perf_event_paranoid */
int paranoid_set(int level);
/* for the rest of this process' life: uid and gid 1000, no capabilities */
int become_user(void);
/* the same, of that number */
int become_uid(unsigned int uid);
/* that user, and then uid 0 of a user namespace of its own, with all capabilities there */
int become_namespace_root(unsigned int uid);

/* has the first GPU an output? kmscube needs one */
bool has_output(void);

/* 0: the console's cursor blinks no more, which draws on the GPU twice a second */
int console_calm(void);

#endif /* TESTS_SELFTESTS_PERF_H */
