/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the tool's pure parts share: checks that say where and what, TAP on
 * standard output, and a plain sum at the end.
 */
#ifndef TESTS_TOOLS_TEST_H
#define TESTS_TOOLS_TEST_H

#include <stdbool.h>
#include <stdint.h>

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function)	{ #function, function }
#define TESTS_RUN(tests)	tests_run(tests, sizeof(tests) / sizeof((tests)[0]))

#define CHECK(condition) \
	test_check(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(expected, value) \
	test_check_eq(expected, value, __FILE__, __LINE__, #value)
#define CHECK_STR(expected, value) \
	test_check_str(expected, value, __FILE__, __LINE__, #value)

void test_check(bool ok, const char *file, int line, const char *what);
void test_check_eq(uint64_t expected, uint64_t value, const char *file, int line,
		   const char *what);
void test_check_str(const char *expected, const char *value, const char *file, int line,
		    const char *what);

/* the same numbers in each run */
uint64_t test_random(void);

/* the exit status of the program */
int tests_run(const struct test *tests, unsigned int nr);

#endif /* TESTS_TOOLS_TEST_H */
