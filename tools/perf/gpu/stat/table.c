// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stat/table.h"

static struct table_cell *cell_new(struct table *table)
{
	struct table_cell *more;

	if (table->nr == table->room) {
		more = reallocarray(table->cell, 2 * table->room + 64, sizeof(*more));
		if (!more)
			return NULL;
		table->cell = more;
		table->room = 2 * table->room + 64;
	}
	return &table->cell[table->nr++];
}

int table__column(struct table *table, const char *head, bool right)
{
	int err;

	if (table->nr_columns == TABLE_COLUMNS_MAX)
		return -E2BIG;
	err = table__cell(table, "%s", head);
	if (!err)
		table->right[table->nr_columns++] = right;
	return err;
}

int table__cell(struct table *table, const char *fmt, ...)
{
	struct table_cell *cell = cell_new(table);
	va_list ap;

	if (!cell)
		return -ENOMEM;
	va_start(ap, fmt);
	vsnprintf(cell->text, sizeof(cell->text), fmt, ap);
	va_end(ap);
	return 0;
}

unsigned int table__rows(const struct table *table)
{
	return table->nr_columns ? table->nr / table->nr_columns : 0;
}

static int column_width(const struct table *table, unsigned int column)
{
	size_t width = 0, length;

	for (unsigned int i = column; i < table->nr; i += table->nr_columns) {
		length = strlen(table->cell[i].text);
		if (length > width)
			width = length;
	}
	return width;
}

/* of a text as much as there is room for, or of blanks if it is NULL; returns its end */
static char *append(char *at, const char *end, const char *text, size_t length)
{
	if (length > (size_t)(end - at))
		length = end - at;
	if (text)
		memcpy(at, text, length);
	else
		memset(at, ' ', length);
	return at + length;
}

/* there may be ten thousands of cells, each second: printf() would take most of the time */
static void line_format(const struct table *table, const int *width, unsigned int row,
			char *line, size_t size)
{
	const struct table_cell *cell = table->cell + row * table->nr_columns;
	char *at = line, *end = line + size - 1;

	for (unsigned int i = 0; i < table->nr_columns; i++) {
		size_t length = strlen(cell[i].text), blanks = width[i] - length;

		at = append(at, end, NULL, (i ? 2 : 0) + (table->right[i] ? blanks : 0));
		at = append(at, end, cell[i].text, length);
		if (!table->right[i])
			at = append(at, end, NULL, blanks);
	}
	/* no blanks at the end of a line */
	while (at > line && at[-1] == ' ')
		at--;
	*at = 0;
}

static void widths(const struct table *table, int *width)
{
	for (unsigned int i = 0; i < table->nr_columns; i++)
		width[i] = column_width(table, i);
}

unsigned int table__width(const struct table *table)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < table->nr_columns; i++)
		sum += (i ? 2 : 0) + column_width(table, i);
	return sum;
}

void table__line(const struct table *table, unsigned int row, char *line, size_t size)
{
	int width[TABLE_COLUMNS_MAX];

	widths(table, width);
	line_format(table, width, row, line, size);
}

void table__print(const struct table *table, FILE *out)
{
	char line[TABLE_COLUMNS_MAX * (TABLE_CELL_MAX + 2)];
	int width[TABLE_COLUMNS_MAX];

	widths(table, width);
	for (unsigned int row = 0; row < table__rows(table); row++) {
		line_format(table, width, row, line, sizeof(line));
		fputs(line, out);
		fputc('\n', out);
	}
}

void table__free(struct table *table)
{
	free(table->cell);
	*table = (struct table){};
}
