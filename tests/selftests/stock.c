// SPDX-License-Identifier: GPL-2.0
/*
 * perf's own tests that touch PMUs pass with this one there.
 */
#include "harness.h"

#include "perf.h"

FIXTURE(stock)
{
	char line[256];
};

/* by the words of "perf test list": their numbers change */
FIXTURE_VARIANT(stock)
{
	const char *words;
};

#define STOCK(_name, _words) \
	FIXTURE_VARIANT_ADD(stock, _name) { .words = _words }

STOCK(event_strings, "Parse event definition strings");
STOCK(sysfs_terms, "Parse perf pmu format");
STOCK(pmu_events, "PMU events");

FIXTURE_SETUP(stock)
{
}

FIXTURE_TEARDOWN(stock)
{
}

FIXTURE(all_pmus)
{
};

FIXTURE_SETUP(all_pmus)
{
}

FIXTURE_TEARDOWN(all_pmus)
{
}

TEST_F_TIMEOUT(stock, passes, 300)
{
	int nr;

	shell_line(self->line, sizeof(self->line),
		   "perf test list 2>&1 | grep -F '%s' | head -1", variant->words);
	nr = atoi(self->line);
	ASSERT_LT(0, nr) TH_LOG("perf has no test '%s'", variant->words);
	/* "Ok", and not "Skip": the words after the colon */
	EXPECT_EQ(0, shell("perf test -v %d >/tmp/perf-test 2>&1", nr));
	EXPECT_EQ(0, shell("grep -q ': Ok$' /tmp/perf-test"));
	EXPECT_NE(0, shell("grep ': FAILED!$' /tmp/perf-test"));
	if (!__test_passed(_metadata))
		shell("tail -30 /tmp/perf-test >&2");
}

/*
 * "perf all PMU test" is a script, which Debian's package leaves out; it is in
 * the source of the same kernel.
 */
TEST_F_TIMEOUT(all_pmus, passes, 300)
{
	ASSERT_EQ(0, shell("perf list --raw-dump pmu | grep -q gpu/gpu-busy/"));
	EXPECT_EQ(0, shell("sh " LINUX "/tools/perf/tests/shell/stat_all_pmu.sh "
			   ">/tmp/perf-test 2>&1"));
	EXPECT_EQ(0, shell("grep -q 'Testing gpu/lost/' /tmp/perf-test"));
	if (!__test_passed(_metadata))
		shell("tail -30 /tmp/perf-test >&2");
}

/* and says no "not supported" of ours, with which that script is content */
TEST_F_TIMEOUT(all_pmus, are_supported, 120)
{
	struct perf_stat stat;

	ASSERT_EQ(0, perf_stat_run(&stat, "-e gpu/gpu-busy/,gpu/queue-wait/,gpu/jobs/,"
				   "gpu/jobs-done/,gpu/lost/ true"));
	EXPECT_EQ(0, stat.status);
	EXPECT_EQ(5, stat.nr);
	EXPECT_TRUE(perf_stat_counted(&stat));
	if (!__test_passed(_metadata))
		perf_stat_dump(&stat);
}

TEST_HARNESS_MAIN
