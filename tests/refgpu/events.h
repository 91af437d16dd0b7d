/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of the PMU need: events by name, what they must count, when they
 * were on, and what the reference GPU's debugfs says.
 */
#ifndef _TESTS_REFGPU_EVENTS_H
#define _TESTS_REFGPU_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../selftests/perf.h"
#include "load.h"

#define TICK_NS		80UL
#define MS_CYCLES	12500UL	/* 1 ms */
#define MS		1000000L
#define SECOND		1000000000L

/* what is counted: counters of the device's own, as load.h has them, then all others */
enum event_index {
	EVENT_BUSY = LOAD_NR_COUNTERS,
	EVENT_WAIT,
	EVENT_JOBS,
	EVENT_DONE,
	EVENT_NR,
	EVENT_LOST = EVENT_NR,
	EVENT_ALL
};

extern const char * const event_names[EVENT_ALL];

/* all of it, of something */
struct tally {
	uint64_t v[EVENT_NR];
};

void tally_add(struct tally *to, const struct tally *from);
/* all but queue-wait, of jobs that were submitted and ended */
void tally_count(struct tally *to, const struct load_counts *counts);

/* when events were switched on, and off */
struct window {
	int64_t before, on, off, after;
};

/* could that have been counted by something that ran all the time? */
bool window_holds(const struct window *window, uint64_t ns);

/* an event, and what it has read */
struct meter {
	unsigned int event;
	struct gpu_config config;	/* but for the event */
	pid_t pid;			/* -1: none, 0: this task */
	int cpu;
	int fd;
	int leader;			/* whom it is switched on and off with; or -1 */
	unsigned int rank;		/* behind its leader */
	uint64_t value;
};

/* what a meter looks at: config's words, on CPU 0 or on a task */
#define METER(what, ...)	{ .event = (what), .config = { __VA_ARGS__ }, .pid = -1 }
#define TASK_METER(what, task, ...)						\
	{ .event = (what), .config = { __VA_ARGS__ }, .pid = (task), .cpu = -1 }

/* 0 or a negative errno, that of the first one which fails; none is open then */
int meters_open(struct meter *meters, unsigned int nr);
/* the same, for the tasks' children, too */
int meters_open_inherited(struct meter *meters, unsigned int nr);
/*
 * Those of a CPU, or a task, in groups of that many. Each event that is switched on
 * has perf take all others off the CPU and put them back: this is for many.
 */
int meters_open_groups(struct meter *meters, unsigned int nr, unsigned int size);
int meters_on(const struct meter *meters, unsigned int nr, struct window *window);
int meters_off(struct meter *meters, unsigned int nr, struct window *window);
/* without switching them off */
void meters_read(struct meter *meters, unsigned int nr);
void meters_close(struct meter *meters, unsigned int nr);
/* by itself: the event's fd or a negative errno */
int meter_try(unsigned int event, struct gpu_config config, pid_t pid, int cpu);

/* of CLOCK_MONOTONIC */
void sleep_until(int64_t then);

/* render minor of an open device */
unsigned int device_minor(const struct refgpu *gpu);
/* a file in device refgpu.N's folder */
int device_file(unsigned int n, const char *name, int flags);

#define STATE_ENGINES	2

struct device_state {
	struct {
		uint64_t changes;
		uint64_t preemptions;
		uint64_t counters[LOAD_NR_COUNTERS];
	} engine[STATE_ENGINES];
	uint64_t jobs;
};

int device_state(unsigned int n, struct device_state *state);

/* a line of the file jobs */
struct job_line {
	unsigned int hw_id;
	unsigned int engine;
	uint64_t submitted;
	uint64_t started;
	uint64_t ended;
	int error;
};

/* all jobs that have ended; how many, or -1 if it is not all of them */
int job_lines(int fd, struct job_line *lines, unsigned int room);

#endif /* _TESTS_REFGPU_EVENTS_H */
