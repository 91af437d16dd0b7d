// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/keys.h"

uint32_t keys__hash(const struct key *key)
{
	uint64_t h = 0;

	for (unsigned int i = 0; i < 3; i++) {
		h = (h ^ key->part[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return h;
}

/* the slot that has it, or the free one where it would be */
static uint32_t *slot_of(const struct keys *keys, const struct key *key)
{
	uint32_t at = keys__hash(key) & keys->mask;

	while (keys->slots[at] &&
	       memcmp(&keys->key[keys->slots[at] - 1], key, sizeof(*key)))
		at = (at + 1) & keys->mask;
	return &keys->slots[at];
}

static bool grow(struct keys *keys)
{
	uint32_t room = keys->room ? keys->room * 2 : 64, nr_slots = room * 2;
	struct key *key;
	uint32_t *slots;

	if (room > UINT32_MAX / 4)
		return false;
	key = reallocarray(keys->key, room, sizeof(*key));
	if (!key)
		return false;
	keys->key = key;
	slots = calloc(nr_slots, sizeof(*slots));
	if (!slots)
		return false;
	free(keys->slots);
	keys->slots = slots;
	keys->mask = nr_slots - 1;
	keys->room = room;
	for (uint32_t i = 0; i < keys->nr; i++)
		*slot_of(keys, &key[i]) = i + 1;
	return true;
}

uint32_t keys__find(const struct keys *keys, const struct key *key)
{
	/* a free slot's 0 is KEY_NONE + 1 */
	return keys->nr ? *slot_of(keys, key) - 1 : KEY_NONE;
}

uint32_t keys__add(struct keys *keys, const struct key *key)
{
	uint32_t nr = keys__find(keys, key);

	if (nr != KEY_NONE)
		return nr;
	if (keys->nr == keys->room && !grow(keys))
		return KEY_NONE;
	keys->key[keys->nr++] = *key;
	*slot_of(keys, key) = keys->nr;
	return keys->nr - 1;
}

void keys__exit(struct keys *keys)
{
	free(keys->key);
	free(keys->slots);
	memset(keys, 0, sizeof(*keys));
}
