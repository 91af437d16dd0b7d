/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table whose columns are as wide as what is in them. Pure.
 */
#ifndef PERF_GPU_TABLE_H
#define PERF_GPU_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX	256
#define TABLE_CELL_MAX		48

struct table_cell {
	char text[TABLE_CELL_MAX];
};

/**
 * struct table - rows of cells; the first row is the heads
 * @nr_columns:	how many cells a row has
 * @right:	of each column, whether it is aligned to the right
 * @cell:	the cells
 * @nr:		how many cells
 * @room:	for how many there is memory
 */
struct table {
	unsigned int nr_columns;
	bool right[TABLE_COLUMNS_MAX];
	struct table_cell *cell;
	unsigned int nr;
	unsigned int room;
};

/* a column, with its head: all of them before the first row; -E2BIG, -ENOMEM */
int table__column(struct table *table, const char *head, bool right);
/* the next cell; a row has as many as there are columns */
int table__cell(struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* of the widest row */
unsigned int table__width(const struct table *table);
unsigned int table__rows(const struct table *table);
/* a row as a line of text, without its end */
void table__line(const struct table *table, unsigned int row, char *line, size_t size);
void table__print(const struct table *table, FILE *out);
void table__free(struct table *table);

#endif /* PERF_GPU_TABLE_H */
