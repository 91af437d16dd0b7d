/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers for things that have long names: contexts, threads, fences. Pure.
 */
#ifndef PERF_GPU_KEYS_H
#define PERF_GPU_KEYS_H

#include <stdint.h>

#define KEY_NONE	UINT32_MAX

struct key {
	uint64_t part[3];
};

/**
 * struct keys - a set of keys, numbered from 0 in the order in which they came
 * @key:	the keys
 * @nr:		how many
 * @room:	for how many there is room in @key
 * @slots:	a hash table of numbers + 1; 0 is a free slot
 * @mask:	how many slots there are, less one
 */
struct keys {
	struct key *key;
	uint32_t nr;
	uint32_t room;
	uint32_t *slots;
	uint32_t mask;
};

/* its number, KEY_NONE if it is not there */
uint32_t keys__find(const struct keys *keys, const struct key *key);
/* its number, a new one if it was not there; KEY_NONE: no memory */
uint32_t keys__add(struct keys *keys, const struct key *key);
/* of a key, for tables of one's own */
uint32_t keys__hash(const struct key *key);
void keys__exit(struct keys *keys);

#endif /* PERF_GPU_KEYS_H */
