// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static bool failed;	/* the test that runs */
static uint64_t state;

void test_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	failed = true;
	printf("# %s:%d: %s\n", file, line, what);
}

void test_check_eq(uint64_t expected, uint64_t value, const char *file, int line,
		   const char *what)
{
	if (expected == value)
		return;
	failed = true;
	printf("# %s:%d: %s is %" PRIu64 ", not %" PRIu64 "\n", file, line, what, value,
	       expected);
}

void test_check_str(const char *expected, const char *value, const char *file, int line,
		    const char *what)
{
	if (value && !strcmp(expected, value))
		return;
	failed = true;
	printf("# %s:%d: %s is '%s', not '%s'\n", file, line, what, value ? value : "(null)",
	       expected);
}

uint64_t test_random(void)
{
	uint64_t x = state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

int tests_run(const struct test *tests, unsigned int nr)
{
	unsigned int nr_failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", nr);
	for (unsigned int i = 0; i < nr; i++) {
		failed = false;
		state = 1;
		tests[i].run();
		nr_failed += failed;
		printf("%s %u - %s\n", failed ? "not ok" : "ok", i + 1, tests[i].name);
	}
	printf("%u passed, %u failed\n", nr - nr_failed, nr_failed);
	return nr_failed ? 1 : 0;
}
