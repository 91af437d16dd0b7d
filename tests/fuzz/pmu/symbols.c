// SPDX-License-Identifier: GPL-2.0
/*
 * Which function of the modules an address is in, by /proc/kallsyms: a module that is
 * loaded again has other addresses, and the same functions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const char * const modules[] = { "gpu_pmu", "gpu_pmu_virtio", "refgpu" };

static bool is_ours(const char *module)
{
	for (unsigned int i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!strcmp(module, modules[i]))
			return true;
	return false;
}

/* what the compiler and the kernel's build put before a function is no function */
static bool is_function(const char *name, char type)
{
	return (type == 't' || type == 'T') && strncmp(name, "__pfx_", 6) &&
	       strncmp(name, "_sub_", 5);
}

/* its number, which it keeps */
static int function_number(struct shared *shared, const char *module, const char *name)
{
	char full[FUNCTION_NAME];
	unsigned int i;

	snprintf(full, sizeof(full), "%s:%s", module, name);
	for (i = 0; i < shared->nr_functions; i++)
		if (!strcmp(shared->function[i].name, full))
			return i;
	if (i == FUNCTIONS_MAX)
		return -ENOSPC;
	strcpy(shared->function[i].name, full);
	shared->nr_functions++;
	return i;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* one process at a time; who looks meanwhile looks at those from before */
void symbols_load(struct shared *shared)
{
	struct symbols *to = &shared->symbols[(shared->loads + 1) % 2];
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256], type, name[128], module[64];
	unsigned long address;
	int number;

	if (!file)
		return;
	to->nr = 0;
	while (fgets(line, sizeof(line), file) && to->nr < FUNCTIONS_MAX) {
		if (sscanf(line, "%lx %c %127s [%63[^]]]", &address, &type, name, module) != 4 ||
		    !address || !is_ours(module) || !is_function(name, type))
			continue;
		number = function_number(shared, module, name);
		if (number >= 0)
			to->symbol[to->nr++] = (struct symbol){ address, number };
	}
	fclose(file);
	qsort(to->symbol, to->nr, sizeof(to->symbol[0]), by_address);
	shared->loads++;
}

bool symbols_find(const struct shared *shared, unsigned long address, unsigned int *function,
		  unsigned long *offset)
{
	const struct symbols *in = &shared->symbols[shared->loads % 2];
	unsigned int low = 0, high = in->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (in->symbol[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	*function = in->symbol[low - 1].function;
	*offset = address - in->symbol[low - 1].address;
	return true;
}
