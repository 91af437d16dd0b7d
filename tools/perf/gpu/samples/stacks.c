// SPDX-License-Identifier: GPL-2.0
/*
 * See stacks.h. Names and nodes are numbered as they come. A number is found again
 * through a table of numbers, at the place that the name's, or the node's, hash says,
 * or at the next free one behind it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "samples/stacks.h"

#define TABLE_MIN	1024U
#define BLOCK_SIZE	(64U * 1024)

struct table {
	uint32_t *number;	/* 0: free */
	uint32_t size;		/* a power of two */
	uint32_t used;
};

struct name {
	const char *text;
	uint32_t hash;
};

struct node {
	uint32_t caller;
	uint32_t name;
	uint32_t depth;
};

/* where names are kept: they do not move when there are more of them */
struct block {
	struct block *next;
	char text[];
};

struct stacks {
	struct table names_by_text;
	struct table nodes_by_place;
	struct name *names;		/* that with number 1 is the first */
	struct node *nodes;
	uint32_t nr_names, room_names;
	uint32_t nr_nodes, room_nodes;
	struct block *blocks;
	size_t block_left;
};

/* ---- tables ---- */

static uint32_t mix(uint64_t key)
{
	key ^= key >> 31;
	key *= 0x9e3779b97f4a7c15ULL;
	return key >> 32;
}

static uint32_t hash_text(const char *text, size_t size)
{
	uint64_t hash = size;

	for (; size >= sizeof(hash); text += sizeof(hash), size -= sizeof(hash)) {
		uint64_t word;

		memcpy(&word, text, sizeof(word));
		hash = ((uint64_t)mix(hash ^ word) << 32) ^ (hash * 31 + word);
	}
	while (size--)
		hash = hash * 31 + (unsigned char)*text++;
	return mix(hash);
}

static uint32_t node_hash(uint32_t caller, uint32_t name)
{
	return mix((uint64_t)caller << 32 ^ ((uint64_t)name * 0x9e3779b1U));
}

static uint32_t hash_of(const struct stacks *stacks, const struct table *table,
			uint32_t number)
{
	const struct node *node;

	if (table == &stacks->names_by_text)
		return stacks->names[number - 1].hash;
	node = &stacks->nodes[number - 1];
	return node_hash(node->caller, node->name);
}

static void table_put(struct table *table, uint32_t hash, uint32_t number)
{
	uint32_t at = hash & (table->size - 1);

	while (table->number[at])
		at = (at + 1) & (table->size - 1);
	table->number[at] = number;
	table->used++;
}

/* no more than half of it is used: what is looked for is found soon */
static bool table_has_room(const struct stacks *stacks, struct table *table)
{
	struct table old = *table;

	if (2 * (table->used + 1) <= table->size)
		return true;
	if (table->size > UINT32_MAX / 4)
		return false;
	table->size = old.size ? 2 * old.size : TABLE_MIN;
	table->number = calloc(table->size, sizeof(*table->number));
	if (!table->number) {
		*table = old;
		return false;
	}
	table->used = 0;
	for (uint32_t i = 0; i < old.size; i++)
		if (old.number[i])
			table_put(table, hash_of(stacks, table, old.number[i]), old.number[i]);
	free(old.number);
	return true;
}

/* room for one more element at *array */
static bool array_has_room(void **array, uint32_t nr, uint32_t *room, size_t size)
{
	uint32_t more = *room ? 2 * *room : 256;
	void *grown;

	if (nr < *room)
		return true;
	if (*room > UINT32_MAX / 4)
		return false;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* ---- names ---- */

static char *text_new(struct stacks *stacks, size_t size)
{
	size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	struct block *block;

	if (size > stacks->block_left) {
		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = stacks->blocks;
		stacks->blocks = block;
		stacks->block_left = room;
	}
	stacks->block_left -= size;
	/* from the block's end to its begin: what is left is all that is to be known */
	return stacks->blocks->text + stacks->block_left;
}

uint32_t stacks__name(struct stacks *stacks, const char *name)
{
	struct table *table = &stacks->names_by_text;
	size_t size = strlen(name) + 1;
	uint32_t hash = hash_text(name, size - 1), at;
	char *text;

	if (!table_has_room(stacks, table) ||
	    !array_has_room((void **)&stacks->names, stacks->nr_names, &stacks->room_names,
			    sizeof(*stacks->names)))
		return 0;
	for (at = hash & (table->size - 1); table->number[at]; at = (at + 1) & (table->size - 1)) {
		const struct name *known = &stacks->names[table->number[at] - 1];

		if (known->hash == hash && !strcmp(known->text, name))
			return table->number[at];
	}
	text = text_new(stacks, size);
	if (!text)
		return 0;
	memcpy(text, name, size);
	stacks->names[stacks->nr_names] = (struct name){ .text = text, .hash = hash };
	table->number[at] = ++stacks->nr_names;
	table->used++;
	return stacks->nr_names;
}

const char *stacks__name_of(const struct stacks *stacks, uint32_t name)
{
	return name && name <= stacks->nr_names ? stacks->names[name - 1].text : "";
}

uint32_t stacks__nr_names(const struct stacks *stacks)
{
	return stacks->nr_names;
}

/* ---- nodes ---- */

uint32_t stacks__push(struct stacks *stacks, uint32_t caller, uint32_t name)
{
	struct table *table = &stacks->nodes_by_place;
	uint32_t hash = node_hash(caller, name), at;

	if (!table_has_room(stacks, table) ||
	    !array_has_room((void **)&stacks->nodes, stacks->nr_nodes, &stacks->room_nodes,
			    sizeof(*stacks->nodes)))
		return 0;
	for (at = hash & (table->size - 1); table->number[at]; at = (at + 1) & (table->size - 1)) {
		const struct node *known = &stacks->nodes[table->number[at] - 1];

		if (known->caller == caller && known->name == name)
			return table->number[at];
	}
	stacks->nodes[stacks->nr_nodes] = (struct node){
		.caller = caller,
		.name = name,
		.depth = stacks__depth(stacks, caller) + 1,
	};
	table->number[at] = ++stacks->nr_nodes;
	table->used++;
	return stacks->nr_nodes;
}

static const struct node *node_of(const struct stacks *stacks, uint32_t stack)
{
	static const struct node none;

	return stack && stack <= stacks->nr_nodes ? &stacks->nodes[stack - 1] : &none;
}

uint32_t stacks__caller(const struct stacks *stacks, uint32_t stack)
{
	return node_of(stacks, stack)->caller;
}

const char *stacks__frame(const struct stacks *stacks, uint32_t stack)
{
	return stacks__name_of(stacks, node_of(stacks, stack)->name);
}

unsigned int stacks__depth(const struct stacks *stacks, uint32_t stack)
{
	return node_of(stacks, stack)->depth;
}

uint32_t stacks__nr(const struct stacks *stacks)
{
	return stacks->nr_nodes;
}

struct stacks *stacks__new(void)
{
	return calloc(1, sizeof(struct stacks));
}

void stacks__delete(struct stacks *stacks)
{
	struct block *block, *next;

	if (!stacks)
		return;
	for (block = stacks->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(stacks->names_by_text.number);
	free(stacks->nodes_by_place.number);
	free(stacks->names);
	free(stacks->nodes);
	free(stacks);
}
