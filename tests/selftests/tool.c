// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpu: it names the clients that there are, takes over what it may, and says in
 * one sentence why it may not.
 */
#include <sys/prctl.h>

#include <linux/gpu_pmu.h>

#include "harness.h"

#include "client.h"
#include "perf.h"
#include "ring.h"
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

/* fields: pid, command, device, driver, context, fds, jobs, client, fence contexts */
TEST_F_TIMEOUT(tool, lists_the_client, 60)
{
	unsigned int dev, fd, pid;
	char driver[32];
	unsigned long ctx;

	ASSERT_EQ(0, shell_line(self->line, sizeof(self->line),
				TOOL " list --all -x , | grep '^%d,'", self->client.pid));
	ASSERT_EQ(5, sscanf(self->line, "%u,gpu-client,%u,%31[^,],%lu,%u,-,", &pid, &dev,
			    driver, &ctx, &fd));
	EXPECT_LT(0, ctx);
	EXPECT_EQ(128, dev);
	EXPECT_STREQ("virtio_gpu", driver);
	EXPECT_EQ(0, shell("readlink /proc/%d/fd/%u | grep -qx /dev/dri/renderD128",
			   self->client.pid, fd));
	/* the same by process, and by who may look into it */
	EXPECT_EQ(0, shell(TOOL " list -p %d -x , | grep -qxF '%s'", self->client.pid,
			   self->line));
	EXPECT_EQ(0, shell(TOOL " list -c -x , | grep -qxF '%s'", self->line));
	EXPECT_EQ(1, shell(AS_USER TOOL " list -c -x , | grep -q gpu-client"));
	/* as stock perf runs it */
	EXPECT_EQ(0, shell("PATH=$PWD/build/tools:$PATH perf gpu list -a | grep -q gpu-client"));
}

/* all lines of list -x have as many fields, for a program that knows no quotes */
#define EXPECT_FIELDS(nr, separator, options)						\
	EXPECT_EQ(0, shell(TOOL " list " options " -x '" separator "' | awk -F'[" separator \
			   "]' 'NF != %d { bad = 1 } END { exit bad || !NR }'",		\
			   (nr) + ((nr) - 1) * ((int)strlen(separator) - 1)))

/* a process may have any name: no line, field or document ends with it */
TEST(strange_names)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	int counting = gpu_event_open(&config, -1, 0, -1), fd = virtgpu_open(), pid = getpid();

	ASSERT_LE(0, counting);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 7));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "a,\"\n\033[2J\377"));
	EXPECT_EQ(0, shell(TOOL " list -p %d -x , >/tmp/list", pid));
	EXPECT_EQ(0, shell("test $(wc -l </tmp/list) = 1"));
	EXPECT_EQ(0, shell("grep -q '^%d,a_\"??.2J?,128,virtio_gpu,[0-9]*,%d,7,' /tmp/list",
			   pid, fd));
	EXPECT_FIELDS(9, ",", "-a");
	EXPECT_FIELDS(9, "?\"", "-a");
	EXPECT_EQ(0, shell(TOOL " list -p %d --json >/tmp/list", pid));
	EXPECT_EQ(0, shell("build/selftests/json .contexts.0.jobs </tmp/list | grep -qx 7"));
	EXPECT_EQ(0, shell("build/selftests/json .contexts.0.fds.0 </tmp/list | grep -qx %d", fd));
	prctl(PR_SET_NAME, "tool");
	close(fd);
	close(counting);
}

/* of a process' only context, as each kind of output has it; nothing that is not known */
static void lists_fence_context(struct __test_metadata *_metadata, uint64_t fence_context)
{
	unsigned long long number = fence_context;
	char word[40] = "-";

	if (number)
		snprintf(word, sizeof(word), "ctrl:%llu", number);
	EXPECT_EQ(0, shell(TOOL " list -p %d | tail -n 1 | grep -q ' %s$'", getpid(), word));
	EXPECT_EQ(0, shell(TOOL " list -p %d -x , | grep -qE '^%d(,[^,]+){7},%s$'", getpid(),
			   getpid(), word));
	EXPECT_EQ(0, shell(TOOL " list -a -x , | grep -qE '^%d(,[^,]+){7},%s$'", getpid(),
			   word));
	EXPECT_EQ(number ? 0 : 2,
		  shell(TOOL " list -p %d --json | build/selftests/json "
			".contexts.0.fence_contexts.ctrl >/tmp/list", getpid()));
	if (number)
		EXPECT_EQ(0, shell("grep -qx %llu /tmp/list", number));
}

/* it is what a sample names the context's jobs by */
TEST_F_TIMEOUT(tool, lists_the_fence_context_of_samples, 60)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };
	int fd = virtgpu_open();
	struct ring_sample sample;
	struct ring ring;

	ASSERT_LE(0, fd);
	lists_fence_context(_metadata, 0);
	ASSERT_EQ(0, ring_open(&ring, &config, 0, -1, 1, 0));
	ASSERT_EQ(0, gpu_event_enable(ring.fd));
	lists_fence_context(_metadata, 0);
	ASSERT_EQ(0, virtgpu_run(fd, 2));
	for (int i = 0; i < 2; i++) {
		ASSERT_TRUE(ring_next(&ring, &sample));
		EXPECT_LT(0, sample.gpu.fence_context);
		lists_fence_context(_metadata, sample.gpu.fence_context);
	}
	ring_close(&ring);
	lists_fence_context(_metadata, 0);
	close(fd);
}

TEST(lists_devices_and_events)
{
	EXPECT_EQ(0, shell(TOOL " list | grep -q 'gpu-busy .* ns .* time that an engine ran'"));
	EXPECT_EQ(0, shell(TOOL " list -x ';' >/tmp/list"));
	EXPECT_EQ(0, shell("grep -q '^device;128;virtio_gpu;;1;' /tmp/list"));
	EXPECT_EQ(0, shell("grep -q '^engine;128;[a-z]*;;1;$' /tmp/list"));
	/* each file in events/ but units and aliases is a line, with its number */
	EXPECT_EQ(0, shell("cd /sys/bus/event_source/devices/gpu/events && for e in *; do "
			   "case $e in *.unit|ctx-*) continue ;; esac; "
			   "n=$(sed 's/event=\\(0x[0-9a-f]*\\).*/\\1/' $e); "
			   "grep -q \"^event;;$e;.*;$((n));..\" /tmp/list || exit 1; done"));
	/* some of the meanings and limits have commas in them */
	EXPECT_FIELDS(6, ";", "");
	EXPECT_EQ(0, shell(TOOL " list --json | grep -q 'description.*, '"));
	EXPECT_FIELDS(6, ",", "");
	EXPECT_EQ(0, shell(TOOL " list --json | build/selftests/json .devices.0.driver | "
			   "grep -qx virtio_gpu"));
	EXPECT_EQ(2, shell(TOOL " list -x '' 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " list -x a 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " list -p 0 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " list -p 1 -a 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " list -x , --json 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " list nonsense 2>/dev/null"));
}

/* what limits a user is said before anything fails */
TEST(names_the_limits)
{
	ASSERT_EQ(0, paranoid_set(3));
	EXPECT_EQ(0, shell(AS_USER TOOL " list | grep -q 'perf_event_paranoid is 3.*sysctl'"));
	EXPECT_EQ(0, shell(AS_USER TOOL " list --json | build/selftests/json .limits.0 | "
			   "grep -q 'paranoid is 3'"));
	ASSERT_EQ(0, paranoid_set(2));
	EXPECT_EQ(0, shell(AS_USER TOOL " list | grep -q 'paranoid is 2: you can count'"));
	EXPECT_EQ(1, shell(TOOL " list | grep -q Limits"));
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

/* a command that must end with status 1, one line on standard error, nothing else */
#define EXPECT_SENTENCE(words, ...)						\
	do {									\
		EXPECT_EQ(1, shell(__VA_ARGS__));				\
		EXPECT_EQ(0, shell("test $(wc -l </tmp/sentence) = 1"));	\
		EXPECT_EQ(0, shell("test ! -s /tmp/nothing"));			\
		EXPECT_EQ(0, shell("grep -q '%s' /tmp/sentence", words))	\
			shell("cat /tmp/sentence >&2");				\
	} while (0)
#define SAID	" >/tmp/nothing 2>/tmp/sentence"

TEST_F_TIMEOUT(tool, says_why_not, 60)
{
	EXPECT_SENTENCE("another user", AS_USER TOOL " attach -p %d true" SAID,
			self->client.pid);
	EXPECT_SENTENCE("only root", AS_USER TOOL " list -a" SAID);
	EXPECT_SENTENCE("another user", AS_USER TOOL " list -p %d" SAID,
			self->client.pid);
	EXPECT_SENTENCE("No such process", TOOL " list -p 99999" SAID);
	/* from a pid namespace, with its own /proc and without */
	EXPECT_SENTENCE("in this pid namespace",
			"unshare -fp --mount-proc " TOOL " list -p %d" SAID,
			self->client.pid);
	EXPECT_SENTENCE("another pid namespace",
			"unshare -fp " TOOL " list -p %d" SAID,
			self->client.pid);
	EXPECT_SENTENCE("no GPU open", TOOL " attach -p %d true" SAID, getpid());
	EXPECT_SENTENCE("No such process", TOOL " attach -p 99999 true" SAID);
	EXPECT_SENTENCE("not a DRM file", TOOL " attach -f 0 true </dev/null" SAID);
	EXPECT_SENTENCE("not an open file", TOOL " attach -f 77 true" SAID);
	EXPECT_SENTENCE("cannot be written", TOOL " list 2>/tmp/sentence >/dev/full");
	EXPECT_SENTENCE("cannot be written", TOOL " list -x , 2>/tmp/sentence >/dev/full");
	EXPECT_SENTENCE("cannot be written", TOOL " list -a --json 2>/tmp/sentence >/dev/full");
	EXPECT_EQ(2, shell(TOOL " attach 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL " nonsense 2>/dev/null"));
	EXPECT_EQ(0, shell(TOOL " --help >/dev/null"));
	EXPECT_EQ(127, shell(TOOL " attach -p %d /no/such/command 2>/dev/null",
			     self->client.pid));
	EXPECT_EQ(3, shell(TOOL " attach -p %d sh -c 'exit 3'", self->client.pid));
}

/* a limit that is listed, with its way out */
#define EXPECT_LIMIT(sentence, before)						\
	EXPECT_EQ(0, shell(before TOOL " list -x '|' | grep -qF \"%s\"", sentence))	\
		shell(before TOOL " list >&2")

/* one's own, by uid 1000: with what Debian asks for, and no more */
TEST(own_clients_of_a_user)
{
	struct client client;

	ASSERT_EQ(0, paranoid_set(2));
	EXPECT_LIMIT("kernel.perf_event_paranoid is 2: you can count your own processes; for the whole machine, and what others do, run perf gpu as root (CAP_PERFMON)",
		     AS_USER);
	ASSERT_EQ(0, client_start_as(&client, 1000, "-n 1"));
	EXPECT_EQ(0, shell(AS_USER TOOL " list -p %d -x , | grep -q '^%d,gpu-client,128,'",
			   client.pid, client.pid));
	EXPECT_EQ(0, shell(AS_USER TOOL " list -c -x , | grep -q '^%d,gpu-client,128,'",
			   client.pid));
	EXPECT_EQ(0, shell(AS_USER TOOL " attach -p %d sh -c 'test $GPU_CTX -gt 0'",
			   client.pid));
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_end(&client));
}

/* of the process' line: its client's number; there is one line, with these words in front */
static uint64_t listed_client(struct __test_metadata *_metadata, pid_t pid, const char *words)
{
	uint64_t client = 0;
	char line[256];

	EXPECT_EQ(0, shell_line(line, sizeof(line), TOOL " list --all -x , | grep '^%d,'", pid));
	EXPECT_EQ(1, sscanf(line, "%*d,%*[^,],128,virtio_gpu,%*u,5,-,%lx", &client)) {
		TH_LOG("%s", line);
	}
	EXPECT_EQ(0, strncmp(strchr(line, ',') ?: "", words, strlen(words))) {
		TH_LOG("%s", line);
	}
	EXPECT_EQ(0, shell("test $(" TOOL " list -p %d -x , | wc -l) = 1", pid));
	return client;
}

/* it is the same client, by the name of what it is now */
TEST(list_through_an_exec)
{
	struct client client;
	uint64_t before;

	ASSERT_EQ(0, client_start_by(&client, "exec 5<>" VIRTGPU_RENDER_NODE
				     "; echo ready; read go; exec", "-F 5 -n 3"));
	before = listed_client(_metadata, client.pid, ",sh,");
	EXPECT_NE(0, before);
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_wait(&client, "ready\nready"));
	EXPECT_EQ(before, listed_client(_metadata, client.pid, ",gpu-client,"));
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_wait(&client, "done"));
	EXPECT_EQ(before, listed_client(_metadata, client.pid, ",gpu-client,"));
	EXPECT_EQ(0, client_end(&client));
	EXPECT_EQ(1, shell(TOOL " list --all -x , | grep '^%d,'", client.pid));
}

/* yama: files are taken over as a debugger would; another user's are refused anyway */
TEST_F_TIMEOUT(tool, with_ptrace_restricted, 60)
{
	struct client own, other;

	if (shell("echo 1 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope"))
		SKIP(return, "this kernel has no yama");
	ASSERT_EQ(0, client_start_as(&own, 1000, "-n 1"));
	ASSERT_EQ(0, client_start(&other, "-n 1"));
	for (int scope = 1; scope <= 2; scope++) {
		char words[256];

		snprintf(words, sizeof(words), "ptrace_scope is %d", scope);
		ASSERT_EQ(0, shell("echo %d >/proc/sys/kernel/yama/ptrace_scope", scope));
		EXPECT_SENTENCE(words, AS_USER TOOL " list -p %d" SAID, own.pid);
		EXPECT_SENTENCE("sysctl kernel.yama.ptrace_scope=0", AS_USER TOOL " list -p %d" SAID,
				own.pid);
		snprintf(words, sizeof(words), "kernel.yama.ptrace_scope is %d: files of a process that runs already can be taken over by root alone: run perf gpu as root, or set it to 0 ('sysctl kernel.yama.ptrace_scope=0' as root)",
			 scope);
		EXPECT_LIMIT(words, AS_USER);
		snprintf(words, sizeof(words), "ptrace_scope is %d", scope);
		EXPECT_SENTENCE(words, AS_USER TOOL " list -p %d --json" SAID, own.pid);
		EXPECT_SENTENCE(words, AS_USER TOOL " attach -p %d true" SAID, own.pid);
		EXPECT_SENTENCE("another user", AS_USER TOOL " list -p %d" SAID, other.pid);
		EXPECT_SENTENCE("another user", AS_USER TOOL " attach -p %d true" SAID,
				other.pid);
		/* root may */
		EXPECT_EQ(0, shell(TOOL " list -p %d | grep -q gpu-client", own.pid));
	}
	EXPECT_EQ(0, shell("echo 0 >/proc/sys/kernel/yama/ptrace_scope"));
	EXPECT_EQ(0, client_go(&own));
	EXPECT_EQ(0, client_end(&own));
	EXPECT_EQ(0, client_go(&other));
	EXPECT_EQ(0, client_end(&other));
}

/* of the others a container is told what it cannot see */
TEST_F_TIMEOUT(tool, in_a_pid_namespace, 60)
{
	static const struct {
		const char *before;
		const char *behind;
	} commands[] = {
		{ "top -n 1", "" }, { "record -o /tmp/none", "" }, { "attach", "true" },
	};

	for (int i = 0; i < 3; i++) {
		EXPECT_SENTENCE("in this pid namespace",
				"unshare -fp --mount-proc " TOOL " %s -p %d %s" SAID,
				commands[i].before, self->client.pid, commands[i].behind);
		EXPECT_SENTENCE("another pid namespace",
				"unshare -fp " TOOL " %s -p %d %s" SAID,
				commands[i].before, self->client.pid, commands[i].behind);
	}
	EXPECT_LIMIT("this is a pid namespace: processes outside of it have pid 0 here, and cannot be named: to see these run perf gpu outside of it",
		     "unshare -fp --mount-proc ");
	EXPECT_LIMIT("/proc shows the processes of another pid namespace: mount it anew in this one ('unshare --mount-proc')",
		     "unshare -fp ");
}

TEST(without_the_module)
{
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio gpu_pmu"));
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " list" SAID);
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " list -p 1" SAID);
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " list -a --json" SAID);
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " attach -p %d true" SAID, getpid());
	EXPECT_SENTENCE("modprobe gpu_pmu", TOOL " record -o /tmp/none true" SAID);
	/* the PMU without a source: virtio-gpu's comes apart */
	ASSERT_EQ(0, shell("modprobe gpu_pmu && { rmmod gpu_pmu_virtio || true; }"));
	EXPECT_LIMIT("no source of GPU events covers virtio_gpu at ", "");
	EXPECT_LIMIT(": load it with 'modprobe gpu_pmu_virtio' as root", "");
	ASSERT_EQ(0, shell("rmmod gpu_pmu"));
	ASSERT_EQ(0, shell("modprobe gpu_pmu"));
}

TEST_HARNESS_MAIN
