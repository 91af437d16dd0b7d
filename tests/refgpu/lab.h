/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of faults and of unplugging share: modules that come and go,
 * the driver's debugfs, and events by scope. As root, in a virtual machine.
 */
#ifndef _TESTS_REFGPU_LAB_H
#define _TESTS_REFGPU_LAB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "events.h"

#define LAB_DRIVER	"/sys/bus/platform/drivers/refgpu/"

/* ticks */
#define LAB_US(us)	((us) * 1000ULL / TICK_NS)

#define LAB_NATIVE	((1U << LOAD_NR_COUNTERS) - 1)
#define LAB_ALL		((1U << EVENT_NR) - 1)

/* events that look at the same, on CPU 0 */
struct lab_scope {
	unsigned int nr;
	struct meter meter[EVENT_NR];
};

/*
 * Stay on CPU 0. Then the flush's timer is there, too: and whoever sleeps past the
 * time at which it was due has seen it run.
 */
void lab_pin(void);
void lab_unpin(void);

/* FOLDER/NAME.ko; 0 or a negative errno */
void lab_modules(const char *folder);
int lab_load(const char *name, const char *args);
int lab_unload(const char *name);
bool lab_loaded(const char *name);
/* both of them, anew */
int lab_reload(const char *pmu_args, const char *refgpu_args);

int lab_write(const char *path, const char *text);
/* a line */
void lab_read(const char *path, char *text, unsigned int size);
void lab_param(const char *module, const char *name, unsigned int value);
/* debugfs of refgpu.0 */
int lab_debugfs(const char *name, int flags);
void lab_set(const char *name, uint64_t value);
uint64_t lab_get(const char *name);
/* the number behind @key in "state", on the line that starts with it */
uint64_t lab_state(const char *key);
/* reports that the unit has made since it was started: those in the buffer, and those lost */
uint64_t lab_reports(void);

/* an event on CPU 0, enabled; a file descriptor or a negative errno */
int lab_event(unsigned int event, const struct gpu_config *where);
/* off, and exactly up to now */
uint64_t lab_final(int fd);
/* @mask: which of enum event_index; enabled */
void lab_scope_open(struct lab_scope *scope, const struct gpu_config *where,
		    unsigned int mask);
/* as they are */
void lab_scope_peek(struct lab_scope *scope, struct tally *values);
/* switched off first: exactly up to now */
void lab_scope_read(struct lab_scope *scope, struct tally *values);
void lab_scope_close(struct lab_scope *scope);

/* what a job log, an open "jobs", says of one context on one engine; ns */
struct lab_log {
	uint64_t ended;
	uint64_t wait;
	uint64_t run;	/* if nothing else was in between */
};

void lab_log_read(int fd, uint64_t hw_id, unsigned int engine, struct lab_log *log);

#endif /* _TESTS_REFGPU_LAB_H */
