// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpu: it names the clients that there are, takes over what it may, and says in
 * one sentence why it may not.
 */
#include "kselftest_harness.h"

#include "client.h"
#include "perf.h"
#include "virtgpu.h"

#define TOOL	"build/tools/perf-gpu"
#define AS_USER	"setpriv --reuid 1000 --regid 1000 --clear-groups -- "

FIXTURE(tool)
{
	struct client client;
	char line[256];
};

FIXTURE_SETUP(tool)
{
	ASSERT_EQ(0, client_start(&self->client, "-n 12"));
}

FIXTURE_TEARDOWN(tool)
{
	EXPECT_EQ(0, client_go(&self->client));
	EXPECT_EQ(0, client_end(&self->client));
}

TEST_F_TIMEOUT(tool, lists_the_client, 60)
{
	unsigned long ctx;

	ASSERT_EQ(0, shell_line(self->line, sizeof(self->line),
				TOOL " list -x , | grep '^%d,'", self->client.pid));
	EXPECT_EQ(1, sscanf(strrchr(self->line, ',') + 1, "%lu", &ctx));
	EXPECT_LT(0, ctx);
	EXPECT_NE(NULL, strstr(self->line, ",gpu-client,128,virtio_gpu,"));
	/* the same by process */
	EXPECT_EQ(0, shell(TOOL " list -p %d -x , | grep -qxF '%s'", self->client.pid,
			   self->line));
	/* as stock perf runs it */
	EXPECT_EQ(0, shell("PATH=$PWD/build/tools:$PATH perf gpu list | grep -q gpu-client"));
}

TEST_F_TIMEOUT(tool, attaches_to_the_client, 60)
{
	struct perf_stat stat;

	char attach[256];

	/* perf comes behind it: the terms that only attach knows are added there */
	snprintf(attach, sizeof(attach), TOOL " attach -p %d sh -c 'exec \"$@\" "
		 "-e gpu/ctx-jobs,fd=$GPU_FD,ctx=$GPU_CTX/ " CLIENT_GO "' sh ",
		 self->client.pid, self->client.pid);
	ASSERT_EQ(0, perf_stat_run_as(&stat, attach, "-i"));
	EXPECT_EQ(0, stat.status);
	EXPECT_EQ(12, perf_stat_sum(&stat, "gpu/ctx-jobs,"));
	if (!__test_passed(_metadata))
		perf_stat_dump(&stat);
}

/* what: a command that must end with status 1 and one line that has these words */
#define EXPECT_SENTENCE(words, ...)						\
	do {									\
		EXPECT_EQ(1, shell(__VA_ARGS__));				\
		EXPECT_EQ(0, shell("test $(wc -l </tmp/sentence) = 1"));	\
		EXPECT_EQ(0, shell("grep -q '%s' /tmp/sentence", words))	\
			shell("cat /tmp/sentence >&2");				\
	} while (0)

TEST_F_TIMEOUT(tool, says_why_not, 60)
{
	EXPECT_SENTENCE("another user", AS_USER TOOL " attach -p %d true 2>/tmp/sentence",
			self->client.pid);
	EXPECT_SENTENCE("only root", AS_USER TOOL " list 2>/tmp/sentence");
	EXPECT_SENTENCE("no GPU open", TOOL " attach -p %d true 2>/tmp/sentence", getpid());
	EXPECT_SENTENCE("No such process", TOOL " attach -p 99999 true 2>/tmp/sentence");
	EXPECT_SENTENCE("not a DRM file", TOOL " attach -f 0 true </dev/null 2>/tmp/sentence");
	EXPECT_SENTENCE("not an open file", TOOL " attach -f 77 true 2>/tmp/sentence");
	EXPECT_EQ(2, shell(TOOL " attach 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " nonsense 2>/dev/null"));
	EXPECT_EQ(0, shell(TOOL " --help >/dev/null"));
	EXPECT_EQ(127, shell(TOOL " attach -p %d /no/such/command 2>/dev/null",
			     self->client.pid));
	EXPECT_EQ(3, shell(TOOL " attach -p %d sh -c 'exit 3'", self->client.pid));
}

TEST(without_the_module)
{
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio gpu_pmu"));
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " list 2>/tmp/sentence");
	ASSERT_EQ(0, shell("modprobe gpu_pmu"));
}

TEST_HARNESS_MAIN
