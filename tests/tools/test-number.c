// SPDX-License-Identifier: GPL-2.0
/* Numbers and others' words as they are shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "stat/number.h"
#include "test.h"

static char text[NUMBER_SIZE];

static void thousands(void)
{
	CHECK_STR("0", number__thousands(text, 0));
	CHECK_STR("-1", number__thousands(text, -1));
	CHECK_STR("999", number__thousands(text, 999));
	CHECK_STR("1,000", number__thousands(text, 1000));
	CHECK_STR("-999", number__thousands(text, -999));
	CHECK_STR("-1,000,000", number__thousands(text, -1000000));
	CHECK_STR("9,223,372,036,854,775,807", number__thousands(text, INT64_MAX));
	CHECK_STR("-9,223,372,036,854,775,808", number__thousands(text, INT64_MIN));
}

/* without its commas it is what printf has; and these are where they belong */
static void any_thousands(void)
{
	char expected[NUMBER_SIZE], *to;

	for (unsigned int i = 0; i < 20000; i++) {
		int64_t value = (int64_t)test_random() >> (test_random() % 64);
		size_t length = strlen(number__thousands(text, value));

		for (size_t k = 1; k <= length; k++)
			if (text[length - k] != '-')
				CHECK((text[length - k] == ',') == (k % 4 == 0));
		to = text;
		for (char *from = text; *from; from++)
			if (*from != ',')
				*to++ = *from;
		*to = 0;
		snprintf(expected, sizeof(expected), "%lld", (long long)value);
		CHECK_STR(expected, text);
	}
}

static void short_ones(void)
{
	CHECK_STR("0.000", number__short(text, 0, ""));
	CHECK_STR("0.000 /s", number__short(text, 0, "/s"));
	CHECK_STR("9.999", number__short(text, 9.9994, ""));
	CHECK_STR("10.00", number__short(text, 9.9996, ""));
	CHECK_STR("99.99", number__short(text, 99.994, ""));
	CHECK_STR("100.0", number__short(text, 99.996, ""));
	CHECK_STR("999.9", number__short(text, 999.94, ""));
	CHECK_STR("1.000 K", number__short(text, 999.96, ""));
	CHECK_STR("-1.000 K/s", number__short(text, -1000, "/s"));
	CHECK_STR("1.235 M", number__short(text, 1234567, ""));
	CHECK_STR("18447 Pjobs/s", number__short(text, UINT64_MAX, "jobs/s"));
	CHECK(strlen(number__short(text, 1e300, "jobs/s")) < NUMBER_SIZE);
	CHECK_STR("inf P", number__short(text, INFINITY, ""));
}

static void times(void)
{
	CHECK_STR("0.000 ns", number__time(text, 0));
	CHECK_STR("999.0 ns", number__time(text, 999));
	CHECK_STR("1.000 us", number__time(text, 999.96));
	CHECK_STR("-12.35 us", number__time(text, -12345.678));
	CHECK_STR("4.567 ms", number__time(text, 4567000));
	CHECK_STR("1.000 s", number__time(text, 999999999));
	CHECK_STR("86400 s", number__time(text, 86400e9));
	CHECK_STR("18446744074 s", number__time(text, UINT64_MAX));
}

/* four digits, and the error is at most half of the last one */
static void any_short_ones(void)
{
	static const char prefixes[] = " KMGTP";

	for (unsigned int i = 0; i < 20000; i++) {
		double value = test_random() >> (14 + test_random() % 50), shown;
		unsigned int digits = 0;
		char prefix = ' ';

		number__short(text, value, "");
		CHECK(sscanf(text, "%lf %c", &shown, &prefix) >= 1);
		CHECK(strchr(prefixes, prefix));
		shown *= pow(1000, strchr(prefixes, prefix) - prefixes);
		CHECK(fabs(shown - value) <= value * 0.0005001);
		for (char *at = text; *at && *at != ' '; at++)
			digits += *at != '.';
		CHECK_EQ(4, digits);
	}
}

static void what_a_terminal_can_show(void)
{
	char word[] = "a b~\x7f\x1b[2J\t\n\xc3\xa4\xff";
	char empty[] = "";

	text__printable(word);
	CHECK_STR("a b~??[2J?????", word);
	text__printable(empty);
	CHECK_STR("", empty);
}

static const char *utf8(const char *bytes)
{
	static char copy[64];

	snprintf(copy, sizeof(copy), "%s", bytes);
	text__utf8(copy);
	return copy;
}

static const char *shown(const char *bytes)
{
	static char text[64];
	FILE *file = fmemopen(text, sizeof(text), "w");

	while (*bytes)
		text__show_next(file, &bytes);
	fclose(file);
	return text;
}

/* to a terminal that is told UTF-8, a control is one whichever way it is written */
static void what_is_shown(void)
{
	CHECK_STR("a b~?", shown("a b~\x7f"));
	CHECK_STR("??[2J?", shown("\n\x1b[2J\t"));
	/* CSI, of two bytes, and of one where the terminal has none of it */
	CHECK_STR("?2J?2J", shown("\xc2\x9b" "2J\x9b" "2J"));
	CHECK_STR("??", shown("\xc2\x80\xc2\x9f"));
	CHECK_STR("\xc2\xa0\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  shown("\xc2\xa0\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
	CHECK_STR("na?sty", shown("na\xffsty"));
	CHECK_STR("a??", shown("a\xe2\x82"));
	CHECK_STR("\xef\xbf\xbd", shown("\xef\xbf\xbd"));
}

static void what_is_utf8(void)
{
	CHECK_STR("", utf8(""));
	CHECK_STR("na?sty\n", utf8("na\xffsty\n"));
	CHECK_STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
	/* a name was cut in the middle of a character */
	CHECK_STR("a?", utf8("a\xc3"));
	CHECK_STR("a??", utf8("a\xe2\x82"));
	CHECK_STR("a???b", utf8("a\xf0\x9f\x98" "b"));
	/* longer than it must be; surrogates; behind the last one; no lead */
	CHECK_STR("??", utf8("\xc0\xaf"));
	CHECK_STR("???", utf8("\xe0\x80\xaf"));
	CHECK_STR("???", utf8("\xed\xa0\x80"));
	CHECK_STR("\xed\x9f\xbf\xee\x80\x80", utf8("\xed\x9f\xbf\xee\x80\x80"));
	CHECK_STR("????", utf8("\xf4\x90\x80\x80"));
	CHECK_STR("\xf4\x8f\xbf\xbf", utf8("\xf4\x8f\xbf\xbf"));
	CHECK_STR("?\xc3\xa4", utf8("\x80\xc3\xa4"));
	/* that one may be there, and is no sign that something else was */
	CHECK_STR("\xef\xbf\xbd?", utf8("\xef\xbf\xbd\xf8"));
}

/* each character there is, as it is built up from its number */
static void all_of_utf8(void)
{
	unsigned int wrong = 0;

	for (uint32_t c = 1; c < 0x110000; c++) {
		char bytes[5] = "", copy[5];
		unsigned int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

		for (unsigned int i = more, rest = c; i; i--, rest >>= 6)
			bytes[i] = 0x80 | (rest & 0x3f);
		bytes[0] = more ? (0xf80 >> more & 0xff) | c >> 6 * more : c;
		memcpy(copy, bytes, sizeof(copy));
		text__utf8(copy);
		wrong += !strcmp(bytes, copy) != (c < 0xd800 || c >= 0xe000);
	}
	CHECK_EQ(0, wrong);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(thousands),
		TEST(any_thousands),
		TEST(short_ones),
		TEST(times),
		TEST(any_short_ones),
		TEST(what_a_terminal_can_show),
		TEST(what_is_shown),
		TEST(what_is_utf8),
		TEST(all_of_utf8),
	};

	return TESTS_RUN(tests);
}
