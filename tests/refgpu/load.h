/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random jobs for the reference GPU, and what they must count: from what the
 * uapi header says of commands, not from the driver.
 */
#ifndef _TESTS_REFGPU_LOAD_H
#define _TESTS_REFGPU_LOAD_H

#include "refgpu.h"

enum load_counter {
	LOAD_CYCLES,
	LOAD_ACTIVE,
	LOAD_READ,
	LOAD_WRITE,
	LOAD_MISSES,
	LOAD_NR_COUNTERS
};

extern const char * const load_counter_names[LOAD_NR_COUNTERS];

struct load_counts {
	uint64_t jobs;
	uint64_t v[LOAD_NR_COUNTERS];
};

/* which commands: bits of enum drm_refgpu_op, without HANG */
#define LOAD_MIX_ALL	0x1f

struct load_mix {
	unsigned int ops;
	unsigned int max_cmds;
	uint64_t max_cycles;
};

struct load_random {
	uint64_t state;
};

/* below @limit */
uint64_t load_random(struct load_random *random, uint64_t limit);

/* add random commands to @batch, and what they count to @counts */
void load_job(struct load_random *random, const struct load_mix *mix,
	      const struct refgpu_buffer *bo, struct refgpu_batch *batch,
	      struct load_counts *counts);

/* what a command counts */
void load_count(const struct drm_refgpu_cmd *cmd, struct load_counts *counts);

#endif /* _TESTS_REFGPU_LOAD_H */
