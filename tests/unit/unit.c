// SPDX-License-Identifier: GPL-2.0
/*
 * Runs tests and reports. See unit.h.
 */
#include <stdio.h>

#include "unit.h"

static bool failed; /* the test that runs; set by its one reporting thread */

void unit_check(bool ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	failed = true;
	printf("# %s:%d: %s\n", file, line, what);
}

void unit_check_eq(u64 a, u64 b, const char *file, int line, const char *what)
{
	if (a == b)
		return;
	failed = true;
	printf("# %s:%d: %s: %llu, not %llu\n", file, line, what, a, b);
}

int unit_main(const struct unit_test *tests, unsigned int nr)
{
	unsigned int nr_failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before a crash */
	printf("TAP version 13\n1..%u\n", nr);
	for (unsigned int i = 0; i < nr; i++) {
		failed = false;
		unit_clock = 0;
		unit_ktime = NULL;
		unit_race = NULL;
		unit_threads = false;
		tests[i].run();
		nr_failed += failed;
		printf("%s %u - %s\n", failed ? "not ok" : "ok", i + 1,
		       tests[i].name);
	}
	printf("%u passed, %u failed\n", nr - nr_failed, nr_failed);
	return nr_failed ? 1 : 0;
}
