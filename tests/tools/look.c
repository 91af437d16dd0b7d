// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "look.h"

union entry {
	struct gpu_pmu_usage usage;
	char bytes[sizeof(struct gpu_pmu_usage) + GPU_PMU_USAGES_EVENTS_MAX * sizeof(__u64)];
};

int look_tell(struct rows *rows, const struct gpu_pmu_usage *who, const __u64 *values)
{
	union entry entry = { .usage = *who };

	entry.usage.nr_values = rows->nr_values;
	memcpy(entry.usage.values, values, rows->nr_values * sizeof(*values));
	return rows__entry(rows, &entry.usage);
}

int look_idle(struct rows *rows, const struct gpu_pmu_usage *who)
{
	union entry entry = { .bytes = "" };

	entry.usage = *who;
	entry.usage.nr_values = rows->nr_values;
	return rows__idle(rows, &entry.usage);
}

struct row *look_row(const struct rows *rows, __u64 id)
{
	struct row *found = NULL;

	for (struct row *row = rows->first; row; row = row->newer)
		if (row->id == id)
			found = row;
	return found;
}

unsigned int look_nr_rows(const struct rows *rows)
{
	unsigned int nr = 0;

	for (const struct row *row = rows->first; row; row = row->newer)
		nr++;
	return nr;
}
