// SPDX-License-Identifier: GPL-2.0
/* Cells in columns. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/table.h"
#include "test.h"

static struct table table;

static void cells(const char *first, const char *second, const char *third)
{
	CHECK_EQ(0, table__cell(&table, "%s", first));
	CHECK_EQ(0, table__cell(&table, "%s", second));
	CHECK_EQ(0, table__cell(&table, "%s", third));
}

static char *print(void)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	table__print(&table, file);
	fclose(file);
	return text;
}

static void heads(void)
{
	table__column(&table, "PID", true);
	table__column(&table, "COMMAND", false);
	table__column(&table, "N", true);
}

static void columns_are_as_wide_as_they_must_be(void)
{
	char line[64], *text;

	heads();
	CHECK_EQ(1, table__rows(&table));
	cells("12345", "sh", "-1");
	cells("1", "a long name", "");
	CHECK_EQ(3, table__rows(&table));
	text = print();
	CHECK_STR("  PID  COMMAND       N\n12345  sh           -1\n    1  a long name\n", text);
	free(text);
	table__line(&table, 1, line, sizeof(line));
	CHECK_STR("12345  sh           -1", line);
	/* a narrow terminal */
	table__line(&table, 1, line, 9);
	CHECK_STR("12345  s", line);
	table__line(&table, 1, line, 8);
	CHECK_STR("12345", line);
	table__line(&table, 1, line, 1);
	CHECK_STR("", line);
	table__free(&table);
	CHECK_EQ(0, table__rows(&table));
}

static void a_cell_has_its_bounds(void)
{
	char name[200], line[TABLE_CELL_MAX + 20];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	heads();
	cells("", name, "");
	table__line(&table, 1, line, sizeof(line));
	CHECK_EQ(3 + 2 + TABLE_CELL_MAX - 1, strlen(line));
	table__free(&table);
}

static void five_thousand_rows(void)
{
	char number[16], *text, *at;

	heads();
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(number, sizeof(number), "%u", i);
		cells(number, "x", number);
	}
	CHECK_EQ(5001, table__rows(&table));
	text = print();
	at = text;
	for (unsigned int i = 0; i < 5001; i++, at = strchr(at, '\n') + 1) {
		unsigned int first, last;

		CHECK_EQ(4 + 2 + 7 + 2 + 4, strchr(at, '\n') - at);
		if (!i)
			continue;
		CHECK_EQ(2, sscanf(at, "%u x %u", &first, &last));
		CHECK_EQ(i - 1, first);
		CHECK_EQ(i - 1, last);
	}
	CHECK_EQ(0, *at);
	free(text);
	table__free(&table);
}

static void as_many_columns_as_there_is_room_for(void)
{
	char wide[TABLE_CELL_MAX], *text;

	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = 0;
	for (unsigned int i = 0; i < TABLE_COLUMNS_MAX; i++)
		CHECK_EQ(0, table__column(&table, wide, i % 2));
	CHECK_EQ((uint64_t)-E2BIG, table__column(&table, wide, true));
	CHECK_EQ(1, table__rows(&table));
	text = print();
	CHECK_EQ(TABLE_COLUMNS_MAX * (TABLE_CELL_MAX + 1) - 2 + 1, strlen(text));
	free(text);
	table__free(&table);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(columns_are_as_wide_as_they_must_be),
		TEST(a_cell_has_its_bounds),
		TEST(five_thousand_rows),
		TEST(as_many_columns_as_there_is_room_for),
	};

	return TESTS_RUN(tests);
}
