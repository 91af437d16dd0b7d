// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu stat: its numbers are the arithmetic's and stock perf's of the same run, its
 * parts are the whole, and what it cannot do it says in one sentence.
 */
#include <json-c/json.h>
#include <signal.h>
#include <sys/wait.h>

#include "harness.h"

#include "client.h"
#include "fields.h"
#include "perf.h"
#include "virtgpu.h"

#define STAT	"build/tools/perf-gpu stat "
#define CLIENT	"build/clients/gpu-client"
#define OUT	"/tmp/stat.out"
#define FIELDS	"-x , -o " OUT " "
#define AS_USER	"setpriv --reuid 1000 --regid 1000 --clear-groups -- "
#define EVENTS	"-e gpu/gpu-busy/,gpu/queue-wait/,gpu/jobs/,gpu/jobs-done/,gpu/waits/,gpu/wait-time/ "

/*
 * As a user, who may not write to the pipe of a client: root does, when the user's look has
 * begun; it ends when the client is done. To be given a pid three times.
 */
#define USER_LOOKS(options)							\
	"rm -f /tmp/go; (until test -e /tmp/go; do sleep 0.05; done; " CLIENT_GO ") & "	\
	AS_USER STAT FIELDS options " -p %d sh -c 'touch /tmp/go; "			\
	"until grep -q done /tmp/client.%d; do sleep 0.05; done'; s=$?; wait; exit $s"

FIXTURE(stat)
{
	struct perf_stat perf;
	struct fields *fields;
	struct json_object *json;
	int status;
	char line[256];
};

FIXTURE_SETUP(stat)
{
	ASSERT_EQ(0, paranoid_set(2));
	ASSERT_EQ(0, console_calm());
	shell("rm -rf " OUT "; touch " OUT "; chmod 666 " OUT);
}

FIXTURE_TEARDOWN(stat)
{
	free(self->fields);
	json_object_put(self->json);
	paranoid_set(2);
	if (!__test_passed(_metadata))
		shell("head -c 8000 " OUT " >&2");
}

#define READ_FIELDS()							\
	do {								\
		self->fields = fields_read(OUT);			\
		ASSERT_NE(NULL, self->fields);				\
		EXPECT_LT(0, self->fields->nr);				\
		EXPECT_EQ(0, self->fields->broken);			\
	} while (0)

#define EXPECT_SUM(value, part, pid, event) \
	EXPECT_EQ(value, fields_sum(self->fields, part, pid, event))

/* the parts of this kind, those of the kernel and the others are the total */
#define EXPECT_WHOLE(part, event)					\
	EXPECT_EQ(fields_sum(self->fields, "total", 0, event),		\
		  fields_parts(self->fields, part, event))

/* the same, and there are no others */
#define EXPECT_ALL_KNOWN(part, event)					\
	do {								\
		EXPECT_WHOLE(part, event);				\
		EXPECT_SUM(0, "others", 0, event);			\
	} while (0)

/* of the same run: each event's total is what stock perf has counted */
static void totals_equal_perf(struct __test_metadata *_metadata, FIXTURE_DATA(stat) *self)
{
	static const char * const events[] = {
		"gpu-busy", "queue-wait", "jobs", "jobs-done", "waits", "wait-time",
	};
	char event[32];

	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(event, sizeof(event), "gpu/%s/", events[i]);
		EXPECT_SUM((int64_t)perf_stat_sum(&self->perf, event), "total", 0, events[i]);
	}
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->perf);
}

/* stock perf counts perf gpu and its command, of which only the latter uses the GPU */
static void equals_perf(struct __test_metadata *_metadata, FIXTURE_DATA(stat) *self,
			const char *who)
{
	ASSERT_EQ(0, perf_stat_run_as(&self->perf, who, EVENTS STAT FIELDS CLIENT " -n 20 -t 2"));
	EXPECT_EQ(0, self->perf.status);
	READ_FIELDS();
	EXPECT_SUM(40, "total", 0, "jobs");
	EXPECT_SUM(40, "total", 0, "jobs-done");
	EXPECT_SUM(0, "total", 0, "lost");
	EXPECT_EQ(7, self->fields->nr);
	totals_equal_perf(_metadata, self);
}

TEST_F_TIMEOUT(stat, equals_perf_as_root, 60)
{
	equals_perf(_metadata, self, "");
}

TEST_F_TIMEOUT(stat, equals_perf_as_user, 60)
{
	equals_perf(_metadata, self, AS_USER);
}

/* one that waits to be told to work, by stock perf, too */
static void count_process(struct __test_metadata *_metadata, FIXTURE_DATA(stat) *self,
			  struct client *client)
{
	ASSERT_EQ(0, perf_stat_run(&self->perf, EVENTS "-p %d " STAT FIELDS
				   "--per-client -p %d " CLIENT_GO, client->pid, client->pid,
				   client->pid));
	EXPECT_EQ(0, client_end(client));
	EXPECT_EQ(0, self->perf.status);
	READ_FIELDS();
}

/* a process that runs already, for stock perf and us at once */
TEST_F_TIMEOUT(stat, of_a_process, 60)
{
	struct client client;

	ASSERT_EQ(0, client_start(&client, "-n 12"));
	count_process(_metadata, self, &client);
	EXPECT_SUM(12, "client", client.pid, "jobs");
	EXPECT_SUM(12, "client", client.pid, "jobs-done");
	EXPECT_EQ(12, perf_stat_sum(&self->perf, "gpu/jobs/"));
	EXPECT_SUM((int64_t)perf_stat_sum(&self->perf, "gpu/gpu-busy/"), "total", 0,
		   "gpu-busy");
	EXPECT_SUM((int64_t)perf_stat_sum(&self->perf, "gpu/wait-time/"), "total", 0,
		   "wait-time");
	EXPECT_ALL_KNOWN("client", "jobs");
	EXPECT_ALL_KNOWN("client", "jobs-done");
	EXPECT_ALL_KNOWN("client", "gpu-busy");
	EXPECT_ALL_KNOWN("client", "queue-wait");
}

/* a shell that runs already starts a client: another process, and another file */
TEST_F_TIMEOUT(stat, of_a_process_that_starts_one, 60)
{
	struct client shell;

	ASSERT_EQ(0, client_start_by(&shell, "exec sh -c 'echo ready; read go; "
				     "{ echo; cat; } | \"$@\"' sh", "-n 12"));
	count_process(_metadata, self, &shell);
	EXPECT_SUM(12, "total", 0, "jobs");
	totals_equal_perf(_metadata, self);
	EXPECT_EQ(1, fields_lines(self->fields, "client", 0, "jobs"));
	EXPECT_SUM(0, "client", shell.pid, "jobs");
	EXPECT_ALL_KNOWN("client", "jobs");
	EXPECT_ALL_KNOWN("client", "gpu-busy");
}

/* -p without a command is until the process is gone */
TEST_F_TIMEOUT(stat, until_the_process_is_gone, 60)
{
	struct client client;
	pid_t pid;

	ASSERT_EQ(0, client_start(&client, "-n 3"));
	pid = fork();
	if (!pid) {
		/* or the client would wait for its end */
		close(client.in);
		_exit(shell("exec " STAT "-j -o " OUT " -p %d", client.pid));
	}
	/* it says so when it counts */
	EXPECT_EQ(0, shell("for i in $(seq 200); do grep -q intervals " OUT " && exit 0; sleep 0.1; done; exit 1"));
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_end(&client));
	EXPECT_EQ(pid, waitpid(pid, &self->status, 0));
	EXPECT_EQ(0, self->status);
	self->json = json_read(OUT);
	ASSERT_NE(NULL, self->json);
	EXPECT_EQ(3, json_number(self->json, "whole.total.jobs.value"));
}

#define SYSTEM_CALL	"raw_syscalls:sys_enter"

/* of two processes one ends: the other one is waited for, and no time is spent on that */
static void waits_quietly(struct __test_metadata *_metadata, const char *options)
{
	struct perf_stat calls;
	char command[256];
	int status;
	pid_t pid;

	shell("sleep 1000 & echo $! >/tmp/first; sleep 1000 & echo $! >/tmp/second");
	snprintf(command, sizeof(command), "exec " STAT "%s -j -o " OUT
		 " -p $(cat /tmp/first),$(cat /tmp/second)", options);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, shell("for i in $(seq 300); do grep -q intervals " OUT
			   " && exit 0; sleep 0.1; done; exit 1"));
	EXPECT_EQ(0, shell("kill $(cat /tmp/first)"));
	/*
	 * Who does not sleep asks the kernel again and again, thousands of times. Its time is no
	 * measure: it is longer where the machine stands still. None at all is "not counted".
	 */
	usleep(500000);
	EXPECT_EQ(0, perf_stat_run(&calls, "-e " SYSTEM_CALL " -p %d sleep 1.5", pid));
	EXPECT_EQ(0, calls.status);
	EXPECT_EQ(1, perf_stat_lines(&calls, SYSTEM_CALL));
	TH_LOG("%lu system calls", perf_stat_sum(&calls, SYSTEM_CALL));
	EXPECT_GT(600, perf_stat_sum(&calls, SYSTEM_CALL))
		perf_stat_dump(&calls);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, shell("kill $(cat /tmp/second)"));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F_TIMEOUT(stat, waits_for_the_last_of_two, 60)
{
	waits_quietly(_metadata, "");
	/* the records of what they fork hang up, too */
	shell(": >" OUT);
	waits_quietly(_metadata, "--per-client");
}

/* three clients of two users, and one that comes later, beside what perf counts */
TEST_F_TIMEOUT(stat, clients_of_two_users, 90)
{
	struct client client[3];
	static const char * const args[] = { "-n 12", "-n 7", "-n 5" };
	int late;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, client_start_as(&client[i], i ? 1000 : 0, args[i]));
	ASSERT_EQ(0, perf_stat_run(&self->perf, "-a -e gpu/gpu-busy/,gpu/queue-wait/,"
				   "gpu/jobs/,gpu/jobs-done/ " STAT FIELDS
				   "-a --per-client --per-context sh -c '" CLIENT_GO "; "
				   CLIENT_GO "; " CLIENT " -n 9 & echo $! >/tmp/late; wait $!; "
				   CLIENT_GO "'",
				   client[0].pid, client[1].pid, client[2].pid));
	EXPECT_EQ(0, self->perf.status);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, client_end(&client[i]));
	shell_line(self->line, sizeof(self->line), "cat /tmp/late");
	late = atoi(self->line);
	READ_FIELDS();
	EXPECT_SUM(12, "client", client[0].pid, "jobs");
	EXPECT_SUM(7, "client", client[1].pid, "jobs");
	EXPECT_SUM(5, "client", client[2].pid, "jobs");
	EXPECT_SUM(9, "client", late, "jobs");
	EXPECT_SUM(9, "context", late, "jobs-done");
	EXPECT_EQ(4, fields_lines(self->fields, "client", 0, "jobs"));
	EXPECT_SUM(33, "total", 0, "jobs");
	EXPECT_EQ(33, perf_stat_sum(&self->perf, "gpu/jobs/"));
	EXPECT_EQ(33, perf_stat_sum(&self->perf, "gpu/jobs-done/"));
	EXPECT_SUM((int64_t)perf_stat_sum(&self->perf, "gpu/gpu-busy/"), "total", 0, "gpu-busy");
	EXPECT_SUM((int64_t)perf_stat_sum(&self->perf, "gpu/queue-wait/"), "total", 0,
		   "queue-wait");
	EXPECT_ALL_KNOWN("client", "jobs");
	EXPECT_ALL_KNOWN("client", "jobs-done");
	EXPECT_ALL_KNOWN("client", "queue-wait");
	EXPECT_WHOLE("client", "gpu-busy");
}

/* a user sees what is the user's: another's clients are none of these */
TEST_F_TIMEOUT(stat, a_user_sees_no_other, 60)
{
	struct client other;

	ASSERT_EQ(0, client_start(&other, "-n 4"));
	EXPECT_EQ(0, shell(AS_USER STAT FIELDS "--per-client sh -c '" CLIENT " -n 3; "
			   CLIENT " -n 2'"));
	EXPECT_EQ(0, client_go(&other));
	EXPECT_EQ(0, client_end(&other));
	READ_FIELDS();
	EXPECT_EQ(2, fields_lines(self->fields, "client", 0, "jobs"));
	EXPECT_SUM(0, "client", other.pid, "jobs");
	EXPECT_SUM(5, "total", 0, "jobs");
	EXPECT_ALL_KNOWN("client", "jobs");
	EXPECT_ALL_KNOWN("client", "gpu-busy");
}

/* twenty that are gone before anyone looks */
TEST_F_TIMEOUT(stat, short_lives, 90)
{
	unsigned int ended = 0;

	EXPECT_EQ(0, shell(AS_USER STAT FIELDS "--per-context sh -c '"
			   "for i in $(seq 20); do " CLIENT " -n 1; done'"));
	READ_FIELDS();
	EXPECT_EQ(20, fields_lines(self->fields, "context", 0, "jobs"));
	EXPECT_SUM(20, "context", 0, "jobs");
	EXPECT_ALL_KNOWN("context", "jobs");
	for (unsigned int i = 0; i < self->fields->nr; i++)
		ended += !strcmp(self->fields->line[i].part, "context") &&
			 !strcmp(self->fields->line[i].state, "ended") &&
			 !strcmp(self->fields->line[i].event, "jobs") &&
			 self->fields->line[i].value == 1;
	/* perf gpu may have a copy of the last one's file, which it closes at its own end */
	EXPECT_LE(19, ended);
}

/* a file goes through an exec, and another one is opened behind it, by the same process */
TEST_F_TIMEOUT(stat, through_an_exec, 60)
{
	ASSERT_EQ(0, perf_stat_run_as(&self->perf, AS_USER, EVENTS STAT FIELDS
				      "--per-context sh -c 'exec 5<>" VIRTGPU_RENDER_NODE "; "
				      CLIENT " -F 5 -n 3; exec sh -c \"" CLIENT " -F 5 -n 2; exec "
				      CLIENT " -n 4\"'"));
	EXPECT_EQ(0, self->perf.status);
	READ_FIELDS();
	totals_equal_perf(_metadata, self);
	/* newer kernels name the process that uses a file, not the one that opened it */
	EXPECT_EQ(2, fields_lines(self->fields, "context", 0, "jobs"));
	EXPECT_SUM(9, "context", 0, "jobs");
	EXPECT_SUM(9, "total", 0, "jobs");
	EXPECT_ALL_KNOWN("context", "jobs-done");
	/* the one that was opened behind the exec */
	EXPECT_EQ(0, shell("grep -q ',context,.*,gpu-client,.*,jobs,4,' " OUT));
	/* and whose processes are gone, but for their names */
	EXPECT_EQ(0, shell("grep -qE ',context,.*,(sh|gpu-client),.*,jobs,5,' " OUT));
}

/* root has opened the file, and a user's process works with it: as with an X server */
TEST_F_TIMEOUT(stat, of_a_file_that_root_opened, 60)
{
	struct client client;

	shell("echo 0 >/proc/sys/kernel/yama/ptrace_scope 2>/dev/null");
	ASSERT_EQ(0, client_start_by(&client, "exec 5<>" VIRTGPU_RENDER_NODE "; exec "
				     AS_USER, "-F 5 -n 8"));
	EXPECT_EQ(0, shell(USER_LOOKS("--per-client"), client.pid, client.pid, client.pid));
	EXPECT_EQ(0, client_end(&client));
	READ_FIELDS();
	EXPECT_SUM(8, "total", 0, "jobs");
	EXPECT_EQ(1, fields_lines(self->fields, "client", 0, "jobs"));
	EXPECT_ALL_KNOWN("client", "jobs");
	EXPECT_ALL_KNOWN("client", "jobs-done");
}

/* yama keeps us from files, not from counting: and these files are the user's own */
TEST_F_TIMEOUT(stat, with_ptrace_restricted, 60)
{
	struct client client;

	for (int scope = 1; scope <= 2; scope++) {
		if (shell("echo %d 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope", scope))
			SKIP(return, "this kernel has no yama");
		ASSERT_EQ(0, client_start_as(&client, 1000, "-n 6"));
		EXPECT_EQ(0, shell(USER_LOOKS("--per-client"), client.pid, client.pid,
				   client.pid));
		EXPECT_EQ(0, client_end(&client));
		READ_FIELDS();
		EXPECT_SUM(6, "client", client.pid, "jobs");
		EXPECT_ALL_KNOWN("client", "jobs");
		free(self->fields);
		self->fields = NULL;
	}
	shell("echo 0 >/proc/sys/kernel/yama/ptrace_scope");
}

/* it is said, to programs and to people, if it is so */
TEST_F_TIMEOUT(stat, says_what_it_may_not_look_into, 60)
{
	struct json_object *looked;
	struct client client;

	ASSERT_EQ(0, client_start_as(&client, 1000, "-n 1"));
	for (int scope = 0; scope <= 2; scope++) {
		if (shell("echo %d 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope", scope))
			break;
		EXPECT_EQ(0, shell(AS_USER STAT "--per-client -p %d sleep 0.3 >" OUT, client.pid));
		EXPECT_EQ(scope ? 0 : 1, shell("grep -q '^ Some files could not be looked into: ' "
					       OUT));
		EXPECT_EQ(0, shell(AS_USER STAT "-j --per-client -p %d sleep 0.3 >" OUT, client.pid));
		self->json = json_read(OUT);
		ASSERT_NE(NULL, self->json);
		looked = json_object_object_get(json_object_object_get(self->json, "end"),
						"files_could_be_looked_into");
		EXPECT_EQ(!scope, json_object_get_boolean(looked));
		json_object_put(self->json);
		self->json = NULL;
	}
	shell("echo 0 2>/dev/null >/proc/sys/kernel/yama/ptrace_scope");
	EXPECT_EQ(0, client_go(&client));
	EXPECT_EQ(0, client_end(&client));
}

/* intervals add up, and so do engines */
TEST_F_TIMEOUT(stat, intervals, 60)
{
	double last = 0;

	EXPECT_EQ(0, shell(AS_USER STAT FIELDS "--per-client --per-engine -I 50 " CLIENT
			   " -n 15 -u 30000"));
	READ_FIELDS();
	EXPECT_SUM(15, "total", 0, "jobs");
	EXPECT_SUM(15, "client", 0, "jobs");
	EXPECT_LE(3, fields_lines(self->fields, "total", 0, "jobs"));
	EXPECT_WHOLE("client", "jobs");
	EXPECT_WHOLE("client", "gpu-busy");
	for (unsigned int i = 0; i < self->fields->nr; i++) {
		EXPECT_LE(last, self->fields->line[i].time);
		last = self->fields->line[i].time;
		if (!strcmp(self->fields->line[i].part, "client"))
			EXPECT_STREQ("ctrl", self->fields->line[i].engine);
	}
}

TEST_F_TIMEOUT(stat, terms, 60)
{
	EXPECT_EQ(0, shell(AS_USER STAT FIELDS
			   "-e gpu/jobs,engine=1/,gpu/jobs,dev=128/u,jobs-done --per-client "
			   CLIENT " -n 10"));
	READ_FIELDS();
	EXPECT_SUM(10, "total", 0, "jobs_engine=1");
	EXPECT_SUM(10, "total", 0, "jobs_dev=128");
	EXPECT_SUM(10, "client", 0, "jobs_engine=1");
	EXPECT_SUM(10, "client", 0, "jobs_dev=128");
	EXPECT_ALL_KNOWN("client", "jobs-done");
}

/* as those of stock perf; and what is in two of them is there once */
TEST_F_TIMEOUT(stat, lists_add_up, 60)
{
	EXPECT_EQ(0, shell(AS_USER STAT FIELDS "-e jobs -e gpu/jobs-done/,jobs --event lost "
			   CLIENT " -n 3"));
	READ_FIELDS();
	EXPECT_SUM(3, "total", 0, "jobs");
	EXPECT_SUM(3, "total", 0, "jobs-done");
	EXPECT_EQ(1, fields_lines(self->fields, "total", 0, "lost"));
	EXPECT_EQ(3, self->fields->nr);
}

/* a name that looks like two fields, and one that no parser would take */
TEST_F_TIMEOUT(stat, names_are_words, 60)
{
	ASSERT_EQ(0, shell("ln -sf $PWD/" CLIENT " '/tmp/a,b'; ln -sf $PWD/" CLIENT
			   " \"$(printf '/tmp/x\\377\"\\ny')\""));
	EXPECT_EQ(0, shell(STAT FIELDS "--per-client sh -c \"'/tmp/a,b'; /tmp/x*\""));
	READ_FIELDS();
	EXPECT_SUM(2, "total", 0, "jobs");
	EXPECT_EQ(0, shell("grep -q ',a_b,' " OUT));
	EXPECT_EQ(0, shell(STAT "-j -o " OUT " --per-client sh -c \"'/tmp/a,b'; /tmp/x*\""));
	self->json = json_read(OUT);
	EXPECT_NE(NULL, self->json);
	EXPECT_EQ(0, shell("grep -q '\"a,b\"' " OUT));
	/* all of it is UTF-8 */
	EXPECT_EQ(0, shell("iconv -f UTF-8 -t UTF-8 " OUT " >/dev/null"));
}

/* ---- JSON ---- */

TEST_F_TIMEOUT(stat, json, 60)
{
	EXPECT_EQ(0, shell(AS_USER STAT "-j -I 50 --per-context --per-client " CLIENT
			   " -n 8 -u 20000 >" OUT));
	self->json = json_read(OUT);
	ASSERT_NE(NULL, self->json);
	EXPECT_EQ(8, json_number(self->json, "whole.total.jobs.value"));
	EXPECT_EQ(8, json_number(self->json, "whole.total.jobs-done.value"));
	EXPECT_EQ(0, json_number(self->json, "end.command_status"));
}

/* its output is alone there: what the command says goes elsewhere */
TEST_F_TIMEOUT(stat, json_of_a_command_that_talks, 60)
{
	EXPECT_EQ(5, shell(STAT "-j sh -c 'echo hello; exit 5' >" OUT " 2>/tmp/talk"));
	self->json = json_read(OUT);
	ASSERT_NE(NULL, self->json);
	EXPECT_EQ(5, json_number(self->json, "end.command_status"));
	EXPECT_EQ(0, shell("grep -qx hello /tmp/talk"));
	EXPECT_EQ(0, shell(STAT "-j -o " OUT " echo hello | grep -qx hello"));
}

/* ended by a signal, it says what it has, and dies by that signal; so does its command */
static void ended_by(struct __test_metadata *_metadata, int signal, const char *options)
{
	char command[256];
	int status;
	pid_t pid;

	snprintf(command, sizeof(command), "exec " STAT "%s sh -c 'echo $$ >/tmp/pid; "
		 CLIENT " -n 3; echo >/tmp/ready; exec sleep 1000' >" OUT, options);
	shell("rm -f /tmp/ready");
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, shell("for i in $(seq 300); do test -e /tmp/ready && exit 0; sleep 0.1; done; exit 1"));
	EXPECT_EQ(0, kill(pid, signal));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(signal, WTERMSIG(status));
	EXPECT_EQ(0, shell("for i in $(seq 100); do kill -0 $(cat /tmp/pid) 2>/dev/null || exit 0; sleep 0.1; done; exit 1"));
}

TEST_F_TIMEOUT(stat, json_on_signals, 90)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (int i = 0; i < 3; i++) {
		ended_by(_metadata, signals[i], i ? "-j --per-client" : "-j -I 20");
		self->json = json_read(OUT);
		ASSERT_NE(NULL, self->json);
		EXPECT_EQ(3, json_number(self->json, "whole.total.jobs.value"));
		json_object_put(self->json);
		self->json = NULL;
	}
}

TEST_F_TIMEOUT(stat, fields_on_signals, 60)
{
	static const int signals[] = { SIGINT, SIGTERM };

	for (int i = 0; i < 2; i++) {
		ended_by(_metadata, signals[i], "-x , --per-client");
		READ_FIELDS();
		EXPECT_SUM(3, "total", 0, "jobs");
		EXPECT_SUM(3, "client", 0, "jobs");
		free(self->fields);
		self->fields = NULL;
	}
}

/* ---- why not ---- */

/* a command that must end with this status, one line on standard error, nothing else */
#define EXPECT_SENTENCE(status, words, ...)					\
	do {									\
		EXPECT_EQ(status, shell(__VA_ARGS__));				\
		EXPECT_EQ(0, shell("test $(wc -l </tmp/sentence) = 1"));	\
		EXPECT_EQ(0, shell("test ! -s /tmp/nothing"));			\
		EXPECT_EQ(0, shell("grep -q -e '%s' /tmp/sentence", words))	\
			shell("cat /tmp/sentence >&2");				\
	} while (0)
#define SAID	" >/tmp/nothing 2>/tmp/sentence"

TEST_F_TIMEOUT(stat, says_why_not, 60)
{
	EXPECT_SENTENCE(1, "another user", AS_USER STAT "-p %d" SAID, getpid());
	EXPECT_SENTENCE(1, "No such process", STAT "-j -p 99999" SAID);
	/* of more than one, the one that is it */
	EXPECT_SENTENCE(1, "No such process: 99999", STAT "-p %d,99999 true" SAID, getpid());
	EXPECT_SENTENCE(1, "another user", AS_USER "sh -c '" STAT "-p $$,%d true'"
			SAID, getpid());
	EXPECT_SENTENCE(1, "-p PID", AS_USER STAT "-j -a true" SAID);
	EXPECT_SENTENCE(1, "no event .jubs.", STAT "-e jubs true" SAID);
	EXPECT_SENTENCE(1, "no term .speed.", STAT "-e gpu/jobs,speed=1/ true" SAID);
	EXPECT_SENTENCE(1, "no such engine", STAT "-e gpu/jobs,dev=128,engine=9/ true" SAID);
	EXPECT_SENTENCE(1, "No such file", STAT "-o /no/such/file true" SAID);
	EXPECT_SENTENCE(127, "No such file", STAT "-j /no/such/command" SAID);
	EXPECT_SENTENCE(1, "No such process", "unshare -p -f --mount-proc " STAT "-p %d" SAID,
			getpid());
	ASSERT_EQ(0, paranoid_set(3));
	EXPECT_SENTENCE(1, "perf_event_paranoid", AS_USER STAT "-j " CLIENT SAID);
	ASSERT_EQ(0, paranoid_set(2));
}

/* a file is what it was until counting begins, and then it is that alone */
TEST_F_TIMEOUT(stat, refused_with_a_file, 60)
{
	shell("seq 1000 >" OUT "; rm -f /tmp/stat.new");
	EXPECT_SENTENCE(127, "No such file", STAT FIELDS "/no/such/command" SAID);
	EXPECT_SENTENCE(1, "no such engine", STAT FIELDS "-e gpu/jobs,dev=128,engine=9/ true" SAID);
	EXPECT_EQ(0, shell("seq 1000 | cmp - " OUT));
	EXPECT_SENTENCE(127, "No such file", STAT "-o /tmp/stat.new /no/such/command" SAID);
	EXPECT_NE(0, shell("test -e /tmp/stat.new"));
	EXPECT_EQ(0, shell(STAT FIELDS CLIENT " -n 2"));
	READ_FIELDS();
	EXPECT_EQ(7, self->fields->nr);
	EXPECT_SUM(2, "total", 0, "jobs");
	/* as if it had not been given */
	EXPECT_EQ(0, shell(STAT "-j -o - echo hello >" OUT " 2>/tmp/talk"));
	EXPECT_EQ(0, shell("grep -qx hello /tmp/talk"));
	self->json = json_read(OUT);
	EXPECT_NE(NULL, self->json);
}

#define UNWRITTEN(how) \
	EXPECT_SENTENCE(1, "cannot be written", "{ " how "; } 2>/tmp/sentence")

/* a full disk: nobody waits for what cannot be read, and a command is not disturbed by that */
TEST_F_TIMEOUT(stat, cannot_be_written, 60)
{
	shell(": >/tmp/nothing; rm -f /tmp/lives");
	UNWRITTEN(STAT "true >/dev/full");
	UNWRITTEN(STAT "-j true >/dev/full");
	UNWRITTEN(STAT "-x , -o /dev/full true");
	UNWRITTEN(STAT "-j -I 20 sh -c 'sleep 0.3; touch /tmp/lives; exit 3' >/dev/full");
	EXPECT_EQ(0, shell("test -e /tmp/lives"));
	UNWRITTEN(STAT "-a -j >/dev/full");
	UNWRITTEN(STAT "-a -x , -I 20 >/dev/full");
	/* a reader that has gone, where SIGPIPE is ignored */
	UNWRITTEN("trap '' PIPE; { " STAT "-a -I 20; echo $? >/tmp/status; } | true; "
		  "exit $(cat /tmp/status)");
}

TEST_F_TIMEOUT(stat, usage, 60)
{
	EXPECT_EQ(2, shell(STAT SAID));
	EXPECT_EQ(2, shell(STAT "-I 5 true" SAID));
	EXPECT_EQ(2, shell(STAT "-p 12x" SAID));
	EXPECT_EQ(2, shell(STAT "-a -p 1" SAID));
	EXPECT_EQ(2, shell(STAT "--nonsense" SAID));
	EXPECT_EQ(0, shell("test ! -s /tmp/nothing"));
	EXPECT_EQ(0, shell(STAT "--help | grep -q Examples"));
	EXPECT_EQ(3, shell(STAT "sh -c 'exit 3'" SAID));
	EXPECT_EQ(137, shell(STAT "sh -c 'kill -9 $$'" SAID));
}

/* for people: what counts come to, beside the total's and beside those of each client */
TEST_F_TIMEOUT(stat, text, 60)
{
	EXPECT_EQ(0, shell(AS_USER STAT CLIENT " -n 15 >" OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *15 +jobs +# [0-9.]+ [KM]?/s$' " OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *[0-9,]+ ns +gpu-busy +# [0-9.]+ %% of the time$' " OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *[0-9,]+ ns +queue-wait +# [0-9.]+ [nmu]?s per job$' " OUT));
	EXPECT_EQ(0, shell(AS_USER STAT "--per-client -e gpu-busy,jobs " CLIENT " -n 15 >" OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *DEV +PID +COMMAND +gpu-busy, ns +%% +jobs +/s$' " OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *128 +[0-9]+ +gpu-client.* +[0-9,]+ +[0-9.]+ +15 "
			   "+[0-9.]+( [KM])?$' " OUT));
	EXPECT_EQ(0, shell("grep -qE '^ *total +[0-9,]+ +[0-9.]+ +15 +[0-9.]+( [KM])?$' " OUT));
}

TEST(without_the_module)
{
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio gpu_pmu"));
	EXPECT_SENTENCE(1, "modprobe gpu_pmu", STAT "-j true" SAID);
	ASSERT_EQ(0, shell("modprobe gpu_pmu"));
}

TEST_HARNESS_MAIN
