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
	bool counts_some;		/* of jobs, who knows how much */
	bool waits;			/* it should see that it was waited for them */
	bool short_of;			/* it has counted less, and that was said */
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
	/* at least so many allocations of the slab's are such that it gives ENOMEM without */
	unsigned int enomem;
	/* it counts the flood's jobs, too: that has to be over first */
	bool counts_all;
	/* its GPU is not there before it */
	bool unbound;
	/* after one that failed, the same bench's next one works */
	bool again;
};

extern const struct entry entries[];
extern const unsigned int nr_entries;

/* an event that counts what was lost, whoever lost it; 0 or a negative errno */
int keeper_open(void);
void keeper_close(void);
/* 0 if there is none */
uint64_t keeper_lost(void);
/* more was lost than that, within some time */
bool keeper_loses(uint64_t before);
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
	/* NULL, or the outcome: why it cannot be had here */
	const char *(*begin)(void);
	void (*end)(void);
	bool blinds;	/* waits are not seen then: a limit, see gpu-pmu-security.rst */
	bool floods;	/* jobs are lost, and it is as full while what was opened is tried */
};

extern const struct fault faults[];
extern const unsigned int nr_faults;

/* the process that fills the ring, idle at first; 0 or a negative errno */
int flood_start(void);

/* allocations that fail, one after the other: all of an entry's. In fail.c */
bool fail_is_there(void);
extern const char * const fail_kinds[2];
#define FAIL_SLAB	0
#define FAIL_PAGES	1
/* 0 or a negative errno: only allocations of this kind, below this function */
int fail_below(unsigned int kind, const char *function);
int fail_arm(unsigned int nth);
/* whether it came to that */
bool fail_disarm(void);

int file_write(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* _TESTS_FAULTS_H */
