// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu top: who is there is shown, and nobody else; in a terminal, and without one.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "harness.h"

#include "client.h"
#include "fields.h"
#include "perf.h"
#include "virtgpu.h"

#define TOP	"build/tools/perf-gpu top "
#define CLIENT	"build/clients/gpu-client"
#define OUT	"/tmp/top.out"
#define AS_USER	"setpriv --reuid 1000 --regid 1000 --clear-groups -- "

FIXTURE(top)
{
	struct fields *fields;
	struct json_object *json;
	unsigned int lines;
	int fd;
	pid_t pid;
	char seen[1 << 16];
	size_t nr_seen;
};

FIXTURE_SETUP(top)
{
	ASSERT_EQ(0, paranoid_set(2));
	shell("rm -f " OUT "; touch " OUT "; chmod 666 " OUT);
}

FIXTURE_TEARDOWN(top)
{
	free(self->fields);
	json_object_put(self->json);
	paranoid_set(2);
	if (!__test_passed(_metadata))
		shell("head -c 4000 " OUT " >&2");
}

/* what follows happens when the first look is done: it says so */
#define WHEN_IT_LOOKS "until grep -q intervals " OUT "; do sleep 0.05; done; "

/* it says when each begins: what was before the first one of them is in what it has said then */
#define TWO_MORE_LOOKS "looks() { grep -o '\"from\"' " OUT " | wc -l; }; nr=$(looks); " \
		       "until test $(looks) -ge $((nr + 2)); do sleep 0.05; done; "

#define READ_JSON()							\
	do {								\
		self->json = json_read(OUT);				\
		ASSERT_NE(NULL, self->json);				\
	} while (0)

#define EXPECT_SUM(value, part, pid, event) \
	EXPECT_EQ(value, json_sum(self->json, part, pid, event, &self->lines))

/*
 * Each job is seen once, in one of the looks; as stock perf does in the same run, around
 * which no one else uses the GPU
 */
TEST_F_TIMEOUT(top, two_looks_of_two_users, 60)
{
	struct perf_stat perf;
	struct client root, user;
	int64_t busy;

	ASSERT_EQ(0, client_start(&root, "-n 10"));
	ASSERT_EQ(0, client_start_as(&user, 1000, "-n 14"));
	ASSERT_EQ(0, console_calm());
	ASSERT_EQ(0, perf_stat_run(&perf, "-a -e gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/ sh -c '("
				   WHEN_IT_LOOKS CLIENT_GO "; " CLIENT_GO ") & " TOP
				   "-n 2 -d %d -j >" OUT " && wait'", root.pid, user.pid,
				   3 * slowdown()));
	EXPECT_EQ(0, perf.status);
	EXPECT_EQ(0, client_end(&root));
	EXPECT_EQ(0, client_end(&user));
	READ_JSON();
	EXPECT_SUM(10, "client", root.pid, "jobs");
	EXPECT_LE(1, self->lines);
	EXPECT_SUM(14, "client", user.pid, "jobs");
	EXPECT_SUM(14, "client", user.pid, "jobs-done");
	EXPECT_SUM(24, "engine", 0, "jobs");
	busy = json_sum(self->json, "client", 0, "gpu-busy", &self->lines) +
	       json_sum(self->json, "kernel", 0, "gpu-busy", &self->lines);
	EXPECT_LT(0, busy);
	EXPECT_SUM(busy, "engine", 0, "gpu-busy");
	EXPECT_SUM((int64_t)perf_stat_sum(&perf, "gpu/jobs/"), "client", 0, "jobs");
	EXPECT_SUM((int64_t)perf_stat_sum(&perf, "gpu/jobs-done/"), "client", 0, "jobs-done");
	EXPECT_EQ((int64_t)perf_stat_sum(&perf, "gpu/gpu-busy/"), busy);
	if (!__test_passed(_metadata))
		perf_stat_dump(&perf);
}

/* a file that a process opened, that its child used, and that it uses itself behind an exec */
TEST_F_TIMEOUT(top, through_an_exec, 60)
{
	struct client client;

	ASSERT_EQ(0, client_start_by(&client, "exec 5<>" VIRTGPU_RENDER_NODE "; echo ready; "
				     "read go; " CLIENT " -F 5 -n 3; exec", "-F 5 -n 4"));
	ASSERT_EQ(0, console_calm());
	EXPECT_EQ(0, shell("(" WHEN_IT_LOOKS "echo >/proc/%d/fd/0; " CLIENT_GO ") & " TOP
			   "-n 1 -d %d -j >" OUT " && wait", client.pid, client.pid,
			   4 * slowdown()));
	EXPECT_EQ(0, client_end(&client));
	READ_JSON();
	/* which of the processes that used the file it is named after depends on the kernel */
	EXPECT_SUM(7, "client", 0, "jobs");
	EXPECT_EQ(1, self->lines);
	EXPECT_SUM(7, "client", 0, "jobs-done");
}

/* which of two processes is told first */
static pid_t first_of(pid_t a, pid_t b)
{
	char pid[32];

	shell_line(pid, sizeof(pid), "grep -oE '\"pid\": *(%d|%d)\\b' " OUT
		   " | grep -oE '[0-9]+'", a, b);
	return atoi(pid);
}

/* most jobs first, or by pid, whoever that is: the one with more jobs has the higher pid */
TEST_F_TIMEOUT(top, rows_in_order, 90)
{
	static const char * const keys[] = { "jobs", "pid" };
	struct client few, many;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, client_start(&few, "-n 10"));
		ASSERT_EQ(0, client_start(&many, "-n 14"));
		ASSERT_LT(few.pid, many.pid);
		shell(": >" OUT);
		EXPECT_EQ(0, shell("(" WHEN_IT_LOOKS CLIENT_GO "; " CLIENT_GO ") & " TOP
				   "-n 1 -d %d -s %s -j >" OUT " && wait", few.pid, many.pid,
				   10 * slowdown(), keys[i]));
		EXPECT_EQ(0, client_end(&few));
		EXPECT_EQ(0, client_end(&many));
		READ_JSON();
		EXPECT_SUM(10, "client", few.pid, "jobs");
		EXPECT_SUM(14, "client", many.pid, "jobs");
		EXPECT_EQ(i ? few.pid : many.pid, first_of(few.pid, many.pid));
		json_object_put(self->json);
		self->json = NULL;
	}
}

/* an engine that works has a bar; it works before anyone looks */
TEST_F_TIMEOUT(top, bars, 60)
{
	struct client client;

	ASSERT_EQ(0, client_start(&client, "-n 1000000 -t 4"));
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, shell(TOP "-n 1 -d %d >" OUT, 2 * slowdown()));
	kill(client.pid, SIGKILL);
	client_end(&client);
	EXPECT_EQ(0, shell("grep -qE '^  ctrl +\\[#+ *\\] +[0-9.]+ %%$' " OUT));
}

/* idle ones are there, too; a user sees no others, and -p no others than that one's */
TEST_F_TIMEOUT(top, who_is_shown, 60)
{
	struct client root, user;

	ASSERT_EQ(0, client_start(&root, "-n 1"));
	ASSERT_EQ(0, client_start_as(&user, 1000, "-n 1"));
	EXPECT_EQ(0, shell(TOP "-n 1 -d 0.2 --per-context >" OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *%d +gpu-client ' " OUT, root.pid));
	EXPECT_EQ(0, shell("grep -qE '^ *%d +gpu-client ' " OUT, user.pid));
	EXPECT_EQ(0, shell("grep -q '^128 virtio_gpu at ' " OUT));
	/* plain text has no codes of a terminal, even where there is one */
	EXPECT_NE(0, shell("TERM=xterm " TOP "-n 1 -d 0.2 | grep -q \"$(printf '\\033')\""));

	EXPECT_EQ(0, shell(TOP "-n 1 -d 0.2 -p %d >" OUT, user.pid));
	EXPECT_NE(0, shell("grep -qE '^ *%d +gpu-client ' " OUT, root.pid));
	EXPECT_EQ(0, shell("grep -qE '^ *%d +gpu-client ' " OUT, user.pid));

	EXPECT_EQ(0, client_go(&root));
	shell(": >" OUT);
	EXPECT_EQ(0, shell("(" WHEN_IT_LOOKS CLIENT_GO ") & " AS_USER TOP
			   "-n 1 -d %d -s pid -j >" OUT " && wait", user.pid,
			   3 * slowdown()));
	EXPECT_EQ(0, client_end(&root));
	EXPECT_EQ(0, client_end(&user));
	READ_JSON();
	EXPECT_SUM(1, "client", user.pid, "jobs");
	EXPECT_EQ(1, self->lines);
	EXPECT_SUM(0, "client", root.pid, "jobs");
	EXPECT_EQ(0, self->lines);
	EXPECT_SUM(0, "kernel", 0, "jobs");
	EXPECT_EQ(0, self->lines);
}

/* twelve clients that come and go while it looks: each job is seen once */
TEST_F_TIMEOUT(top, they_come_and_go, 90)
{
	EXPECT_EQ(0, shell("(" WHEN_IT_LOOKS "for i in $(seq 12); do " CLIENT
			   " -n 2; done; touch /tmp/gone) & " TOP "-d 0.1 -j >" OUT
			   " & top=$!; until test -e /tmp/gone; do sleep 0.1; done; "
			   TWO_MORE_LOOKS "kill -TERM $top; wait $top; test $? = 143"));
	READ_JSON();
	EXPECT_SUM(24, "client", 0, "jobs");
	EXPECT_LE(12, self->lines);
	EXPECT_SUM(24, "engine", 0, "jobs-done");
}

/* lines of fields have as many, whoever comes and goes */
TEST_F_TIMEOUT(top, fields, 60)
{
	EXPECT_EQ(0, shell("(sleep 0.5; " CLIENT " -n 20 -u 20000) & " TOP
			   "-n 10 -d 0.2 --per-context -x , >" OUT "; wait"));
	self->fields = fields_read(OUT);
	ASSERT_NE(NULL, self->fields);
	EXPECT_EQ(0, self->fields->broken);
	EXPECT_EQ(10, fields_lines(self->fields, "total", 0, "jobs"));
	EXPECT_EQ(10, fields_lines(self->fields, "engine", 0, "jobs"));
}

TEST_F_TIMEOUT(top, json, 60)
{
	EXPECT_EQ(0, shell(AS_USER TOP "-n 2 -d 0.1 -j >" OUT));
	self->json = json_read(OUT);
	EXPECT_NE(NULL, self->json);
	json_object_put(self->json);
	/* ended before the first look, and behind some */
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, shell(TOP "-d %s -j >" OUT " & top=$!; until grep -q intervals " OUT
				   "; do sleep 0.1; done; sleep 0.5; kill -INT $top; wait $top; "
				   "test $? = 130", i ? "0.1" : "100"));
		self->json = json_read(OUT);
		EXPECT_NE(NULL, self->json);
		json_object_put(self->json);
		self->json = NULL;
	}
}

/* ---- in a terminal ---- */

static int in_terminal(FIXTURE_DATA(top) *self, const char *term, const char *command)
{
	struct winsize size = { .ws_row = 24, .ws_col = 100 };

	self->pid = forkpty(&self->fd, NULL, NULL, &size);
	if (!self->pid) {
		setenv("TERM", term, 1);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	self->nr_seen = 0;
	return self->pid < 0 ? -errno : 0;
}

static int top_in_terminal(FIXTURE_DATA(top) *self, const char *args)
{
	char command[128];

	snprintf(command, sizeof(command), "exec " TOP "%s", args);
	return in_terminal(self, "xterm", command);
}

/* until the terminal was given a word, behind the last one that was looked for */
static bool sees(FIXTURE_DATA(top) *self, const char *word)
{
	struct pollfd polls = { .fd = self->fd, .events = POLLIN };
	const char *found;
	ssize_t nr;

	for (;;) {
		self->seen[self->nr_seen] = 0;
		found = strstr(self->seen, word);
		if (found) {
			found += strlen(word);
			self->nr_seen -= found - self->seen;
			memmove(self->seen, found, self->nr_seen);
			return true;
		}
		if (poll(&polls, 1, 20000) <= 0 || self->nr_seen + 1 >= sizeof(self->seen))
			return false;
		nr = read(self->fd, self->seen + self->nr_seen,
			  sizeof(self->seen) - 1 - self->nr_seen);
		if (nr <= 0)
			return false;
		self->nr_seen += nr;
	}
}

static bool keys(FIXTURE_DATA(top) *self, const char *text)
{
	return write(self->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static int end_of(FIXTURE_DATA(top) *self)
{
	int status = -1;

	/* what it still writes must be read, or it waits */
	while (sees(self, "no such word"))
		;
	waitpid(self->pid, &status, 0);
	close(self->fd);
	return status;
}

TEST_F_TIMEOUT(top, keys, 90)
{
	struct winsize size = { .ws_row = 12, .ws_col = 90 };
	struct client client;

	ASSERT_EQ(0, client_start(&client, "-n 1"));
	ASSERT_EQ(0, top_in_terminal(self, "-d 0.3"));
	EXPECT_TRUE(sees(self, "by busy"));
	EXPECT_TRUE(sees(self, "gpu-client"));
	EXPECT_TRUE(keys(self, "c"));
	EXPECT_TRUE(sees(self, "CTX"));
	EXPECT_TRUE(keys(self, "p"));
	EXPECT_TRUE(sees(self, "pid"));
	EXPECT_TRUE(keys(self, "w"));
	EXPECT_TRUE(sees(self, "wait"));
	/* it is drawn anew, in the new size */
	EXPECT_EQ(0, ioctl(self->fd, TIOCSWINSZ, &size));
	EXPECT_TRUE(sees(self, "gpu-client"));
	/* a client that goes does not disturb */
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_end(&client));
	EXPECT_TRUE(keys(self, "\033[B\033[A jjb"));
	EXPECT_TRUE(sees(self, "busy"));
	EXPECT_TRUE(keys(self, "q"));
	EXPECT_EQ(0, end_of(self));
}

/* the terminal is as it was, and the status says by what it ended */
TEST_F_TIMEOUT(top, interrupted, 60)
{
	int status;

	ASSERT_EQ(0, top_in_terminal(self, "-d 0.2"));
	EXPECT_TRUE(sees(self, "by busy"));
	EXPECT_TRUE(keys(self, "\003"));
	status = end_of(self);
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGINT, WTERMSIG(status));
}

/* a child of whoever was there before it ends, before there is anything to see */
TEST_F_TIMEOUT(top, with_a_child, 60)
{
	ASSERT_EQ(0, in_terminal(self, "xterm", "sleep 0.3 & exec " TOP "-d 1"));
	EXPECT_TRUE(sees(self, "by busy"));
	EXPECT_TRUE(keys(self, "w"));
	EXPECT_TRUE(sees(self, "wait"));
	EXPECT_TRUE(keys(self, "q"));
	EXPECT_EQ(0, end_of(self));
}

TEST_F_TIMEOUT(top, unknown_terminal, 60)
{
	int status;

	ASSERT_EQ(0, in_terminal(self, "nonsense", "exec " TOP));
	EXPECT_TRUE(sees(self, "perf gpu top: the terminal 'nonsense' (TERM) is not known"));
	EXPECT_TRUE(sees(self, "-n N or -j"));
	status = end_of(self);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(1, WEXITSTATUS(status));
}

/* yama keeps a user from files of a process that runs already: that is said */
TEST_F_TIMEOUT(top, with_ptrace_restricted, 60)
{
	struct client client;
	char command[256];

	ASSERT_EQ(0, client_start_as(&client, 1000, "-n 1"));
	snprintf(command, sizeof(command), "exec " AS_USER TOP "-d 0.2 -p %d", client.pid);
	for (int scope = 0; scope <= 2; scope++) {
		if (shell("echo %d 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope", scope))
			break;
		EXPECT_EQ(0, shell(AS_USER TOP "-n 1 -d 0.2 -p %d >" OUT, client.pid));
		EXPECT_EQ(scope ? 0 : 1, shell("grep -q '^Some files could not be looked into: ' "
					       OUT));
		if (!scope)
			continue;
		ASSERT_EQ(0, in_terminal(self, "xterm", command));
		EXPECT_TRUE(sees(self, "Some files could not be looked into"));
		EXPECT_TRUE(keys(self, "q"));
		EXPECT_EQ(0, end_of(self));
	}
	shell("echo 0 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope");
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_end(&client));
}

/* ---- why not ---- */

/* a command that must end with status 1, one line on standard error, nothing else */
#define EXPECT_SENTENCE(words, ...)						\
	do {									\
		EXPECT_EQ(1, shell(__VA_ARGS__));				\
		EXPECT_EQ(0, shell("test $(wc -l </tmp/sentence) = 1"));	\
		EXPECT_EQ(0, shell("test ! -s /tmp/nothing"));			\
		EXPECT_EQ(0, shell("grep -q -e '%s' /tmp/sentence", words))	\
			shell("cat /tmp/sentence >&2");				\
	} while (0)
#define SAID	" >/tmp/nothing 2>/tmp/sentence"

TEST_F_TIMEOUT(top, says_why_not, 60)
{
	static const char * const how[] = { "", "-j", "-x ," };

	EXPECT_SENTENCE("No such process", TOP "-n 1 -j -p 99999" SAID);
	for (int i = 0; i < 3; i++)
		EXPECT_SENTENCE("another user", AS_USER TOP "-n 1 %s -p %d" SAID, how[i],
				getpid());
	/* one of one's own does not hide that the other one is not */
	EXPECT_SENTENCE("another user", AS_USER "sh -c '" TOP "-n 1 -p $$,%d'" SAID, getpid());
	EXPECT_SENTENCE("No such process: 99999", TOP "-n 1 -p %d,99999" SAID, getpid());
	ASSERT_EQ(0, paranoid_set(3));
	EXPECT_SENTENCE("perf_event_paranoid", AS_USER TOP "-n 1 -j" SAID);
	ASSERT_EQ(0, paranoid_set(2));
	EXPECT_EQ(2, shell(TOP "-n 0" SAID));
	EXPECT_EQ(2, shell(TOP "-d x" SAID));
	EXPECT_EQ(2, shell(TOP "-s size" SAID));
	EXPECT_EQ(2, shell(TOP "true" SAID));
	EXPECT_EQ(0, shell("test ! -s /tmp/nothing"));
	EXPECT_EQ(0, shell(TOP "--help | grep -q Examples"));
}

#define UNWRITTEN(how) \
	EXPECT_SENTENCE("cannot be written", "{ " how "; } 2>/tmp/sentence")

/* a full disk, or a reader that has gone, where SIGPIPE is ignored: it is not for ever */
TEST_F_TIMEOUT(top, cannot_be_written, 60)
{
	shell(": >/tmp/nothing");
	UNWRITTEN(TOP "-d 0.1 >/dev/full");
	UNWRITTEN(TOP "-d 0.1 -n 1000 -x , >/dev/full");
	UNWRITTEN(TOP "-d 0.1 -j >/dev/full");
	UNWRITTEN("trap '' PIPE; { " TOP "-d 0.1 -j; echo $? >/tmp/status; } | true; "
		  "exit $(cat /tmp/status)");
}

TEST(without_the_module)
{
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio gpu_pmu"));
	EXPECT_SENTENCE("modprobe gpu_pmu", TOP "-n 1 -j" SAID);
	ASSERT_EQ(0, shell("modprobe gpu_pmu"));
}

TEST_HARNESS_MAIN
