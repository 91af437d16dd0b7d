/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What goes wrong (a fault), and where (an entry point of the modules). Each of the
 * entries is called under each of the faults; what came of it is a cell of a table.
 */
#ifndef _TESTS_FAULTS_H
#define _TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../refgpu/refgpu.h"

#define ENTRY_EVENTS	4

/* what an entry works with */
struct bench {
	struct refgpu gpu;
	uint32_t ctx;
	uint32_t sync;
	int virtgpu;			/* a file of it, or -1 */
	int query;
	int event[ENTRY_EVENTS];	/* -1: none */
	int lost;			/* an event that counts what was lost, or -1 */
	uint64_t lost_before;
	unsigned int expected;		/* jobs that event[0] should have counted */
	bool counts;			/* and whether it is such an event */
	bool waits;			/* it should see that it was waited for them */
};

struct entry {
	const char *name;
	/* allocations are made to fail in what this function calls */
	const char *function;
	bool (*there)(void);		/* is there what it needs? NULL: always */
	int (*prepare)(struct bench *b);
	/* 0 or a negative errno */
	int (*call)(struct bench *b);
	/* no event may be open before: else one is, which makes it quick */
	bool first;
};

extern const struct entry entries[];
extern const unsigned int nr_entries;

/* an event that is not looked at, or -1; 0 or a negative errno */
int keeper_open(void);
void keeper_close(void);
/* jobs on the reference GPU, waited for; 0 or a negative errno */
int bench_jobs(struct bench *b, unsigned int nr);
/* whatever it was, and however far it came, is as if it had not been */
void bench_clear(struct bench *b);
/* what was opened counts what it should; NULL: it does, or what it does not do */
const char *bench_verify(struct bench *b, char *text, size_t size);

/* waits are seen, or are not while they cannot be; the same */
const char *bench_verify_waits(struct bench *b, bool blind, char *text, size_t size);

struct fault {
	const char *name;
	/* NULL, or why it cannot be had here */
	const char *(*begin)(void);
	void (*end)(void);
	bool blinds;	/* waits are not seen then: a limit, see gpu-pmu-security.rst */
};

extern const struct fault faults[];
extern const unsigned int nr_faults;

/* the process that fills the ring, idle at first; 0 or a negative errno */
int flood_start(void);

/* allocations that fail, one after the other: all of an entry's. In fail.c */
bool fail_is_there(void);
/* 0 or a negative errno: only allocations below this function */
int fail_below(const char *function);
int fail_arm(unsigned int nth);
/* whether it came to that */
bool fail_disarm(void);

int file_write(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* _TESTS_FAULTS_H */
