// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/rows.h"

/* which of a row's three values of an event */
enum { VALUE_BEGIN, VALUE_INTERVAL, VALUE_LAST, VALUES };

static __u64 *row_values(const struct rows *rows, struct row *row, unsigned int which)
{
	return row->value + which * rows->nr_values;
}

void rows__init(struct rows *rows, unsigned int nr_values)
{
	*rows = (struct rows){ .nr_values = nr_values };
}

void rows__free(struct rows *rows)
{
	struct row *row, *newer;

	for (row = rows->first; row; row = newer) {
		newer = row->newer;
		free(row);
	}
	rows__init(rows, rows->nr_values);
}

static struct row **rows_bucket(struct rows *rows, __u32 dev, __u64 client, __u64 ctx,
				__u16 engine)
{
	return &rows->bucket[(row__hash(dev, client, ctx, engine) >> 40) % ROWS_BUCKETS];
}

/* a driver gives a context's id to another one again; our own words of idle ones have no id */
static bool row_is(const struct row *row, const struct gpu_pmu_usage *usage)
{
	return row->dev == usage->dev && row->client == usage->client &&
	       row->ctx == usage->ctx && row->engine == usage->engine &&
	       (row->id == usage->id || !usage->id || (!row->id && !row->ended));
}

static struct row *row_find(struct row *bucket, const struct gpu_pmu_usage *usage)
{
	struct row *row;

	for (row = bucket; row; row = row->next)
		if (row_is(row, usage))
			break;
	return row;
}

static struct row *row_new(struct rows *rows, struct row **bucket,
			   const struct gpu_pmu_usage *usage)
{
	size_t bytes = rows->nr_values * sizeof(*usage->values);
	struct row *row = calloc(1, sizeof(*row) + VALUES * bytes);

	if (!row)
		return NULL;
	row->id = usage->id;
	row->client = usage->client;
	row->ctx = usage->ctx;
	row->dev = usage->dev;
	row->engine = usage->engine;
	row->kernel = usage->flags & GPU_PMU_USAGE_KERNEL;
	if (rows->looks == 1) {
		memcpy(row_values(rows, row, VALUE_BEGIN), usage->values, bytes);
		memcpy(row_values(rows, row, VALUE_INTERVAL), usage->values, bytes);
	}
	row->next = *bucket;
	*bucket = row;
	if (rows->last)
		rows->last->newer = row;
	else
		rows->first = row;
	rows->last = row;
	return row;
}

void rows__begin_look(struct rows *rows)
{
	rows->looks++;
	rows->expected = rows->first;
}

/* from look to look they are told in the same order: so it is the one behind the last */
static struct row *row_expected(const struct rows *rows, const struct gpu_pmu_usage *usage)
{
	struct row *row = rows->expected;

	return row && usage->id && row->id == usage->id && row_is(row, usage) ? row : NULL;
}

static struct row *row_get(struct rows *rows, const struct gpu_pmu_usage *usage)
{
	struct row *row = row_expected(rows, usage), **bucket;

	if (!row) {
		bucket = rows_bucket(rows, usage->dev, usage->client, usage->ctx,
				     usage->engine);
		row = row_find(*bucket, usage) ?: row_new(rows, bucket, usage);
	}
	rows->expected = row ? row->newer : NULL;
	return row;
}

int rows__entry(struct rows *rows, const struct gpu_pmu_usage *usage)
{
	struct row *row;
	size_t bytes = rows->nr_values * sizeof(*usage->values);

	if (usage->nr_values != rows->nr_values)
		return -EINVAL;
	row = row_get(rows, usage);
	if (!row)
		return -ENOMEM;
	/* it is not gone, or has done more than was shown */
	if (!(usage->flags & GPU_PMU_USAGE_ENDED) ||
	    memcmp(row_values(rows, row, VALUE_LAST), usage->values, bytes))
		row->shown = false;
	memcpy(row_values(rows, row, VALUE_LAST), usage->values, bytes);
	if (usage->id)
		row->id = usage->id;
	if (usage->pid)
		row->pid = usage->pid;
	if (usage->comm[0])
		memcpy(row->comm, usage->comm, sizeof(row->comm));
	row->ended = usage->flags & GPU_PMU_USAGE_ENDED;
	row->look = rows->looks;
	return 0;
}

int rows__idle(struct rows *rows, const struct gpu_pmu_usage *idle)
{
	struct row *row = row_find(*rows_bucket(rows, idle->dev, idle->client, idle->ctx,
						idle->engine), idle);

	/* the newest one that is known */
	if (!row || !row->id)
		return rows__entry(rows, idle);
	return 0;
}

void rows__next_interval(struct rows *rows)
{
	for (struct row *row = rows->first; row; row = row->newer) {
		memcpy(row_values(rows, row, VALUE_INTERVAL), row_values(rows, row, VALUE_LAST),
		       rows->nr_values * sizeof(*row->value));
		row->shown = row->ended || row->look != rows->looks;
	}
}

/* what is told once more is no new one: so it is kept as long as it is told */
static bool row_is_forgotten(const struct rows *rows, const struct row *row)
{
	return row->shown && row->look != rows->looks;
}

void rows__forget(struct rows *rows)
{
	struct row **link, *row;

	for (unsigned int i = 0; i < ROWS_BUCKETS; i++)
		for (link = &rows->bucket[i]; *link;) {
			if (row_is_forgotten(rows, *link))
				*link = (*link)->next;
			else
				link = &(*link)->next;
		}
	rows->last = NULL;
	rows->expected = NULL;
	for (link = &rows->first; (row = *link);) {
		if (row_is_forgotten(rows, row)) {
			*link = row->newer;
			free(row);
		} else {
			rows->last = row;
			link = &row->newer;
		}
	}
}

__u64 row__value(const struct rows *rows, const struct row *row, unsigned int event,
		 enum since since)
{
	unsigned int from = since == SINCE_BEGIN ? VALUE_BEGIN : VALUE_INTERVAL;

	return row->value[VALUE_LAST * rows->nr_values + event] -
	       row->value[from * rows->nr_values + event];
}
