// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stddef.h>

#include "common/args.h"
#include "test.h"

static void numbers_are_digits(void)
{
	static const char *const wrong[] = {
		"", "x", "1x", " 1", "1 ", "+1", "-1", "0x10", "1.", "1,2",
		"18446744073709551616", "99999999999999999999",
	};
	uint64_t number = 7;

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!args__number(wrong[i], 0, UINT64_MAX, &number));
	CHECK_EQ(7, number);
	CHECK(args__number("0", 0, 0, &number));
	CHECK_EQ(0, number);
	CHECK(args__number("010", 0, 100, &number));
	CHECK_EQ(10, number);
	CHECK(args__number("18446744073709551615", 0, UINT64_MAX, &number));
	CHECK_EQ(UINT64_MAX, number);
}

/* also what would be within them if it were cut off */
static void numbers_have_bounds(void)
{
	uint64_t number = 7;

	CHECK(!args__number("9", 10, 20, &number));
	CHECK(!args__number("21", 10, 20, &number));
	CHECK(!args__number("4294967306", 10, 20, &number));
	CHECK_EQ(7, number);
	CHECK(args__number("10", 10, 20, &number));
	CHECK(args__number("20", 10, 20, &number));
	CHECK_EQ(20, number);
}

static void processes(void)
{
	CHECK_EQ(1, args__pid("1"));
	CHECK_EQ(INT_MAX, args__pid("2147483647"));
	CHECK_EQ(0, args__pid("0"));
	CHECK_EQ(0, args__pid("2147483648"));
	CHECK_EQ(0, args__pid("4294967297"));
	CHECK_EQ(0, args__pid("-5"));
	CHECK_EQ(0, args__pid("1x"));
}

static void one_form_at_a_time(void)
{
	CHECK(!args__check_form(NULL, false));
	CHECK(!args__check_form(NULL, true));
	CHECK(!args__check_form(",", false));
	CHECK(args__check_form(",", true));
	CHECK(args__check_form("", false));
	CHECK(args__check_form("a", false));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(numbers_are_digits),
		TEST(numbers_have_bounds),
		TEST(processes),
		TEST(one_form_at_a_time),
	};

	return TESTS_RUN(tests);
}
