// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu record and perf gpu report: on which stacks the time of the GPU, and that of
 * waiting, is laid. The truth is what the client was told to do, and what stock perf
 * stat counts in the same run.
 */
#include <json-c/json.h>

#include <linux/gpu_pmu.h>

#include "harness.h"

#include "fields.h"
#include "perf.h"
#include "virtgpu.h"
#include "with-refgpu.h"

#define TOOL		"build/tools/perf-gpu "
#define STACKS		"build/clients/stacks"
#define CLIENT		"build/clients/gpu-client"
#define DIR		"/tmp/report"
#define DATA		DIR "/data"
#define SAID		DIR "/said"
#define COMPLAINED	DIR "/complained"
#define PATIENCE	120

/* neither is what is tested, and on 9p they take their time */
#define QUICKLY		"--perf -q --no-buildid --no-buildid-cache -- "
#define RECORD		TOOL "record -o " DATA " "
#define REPORT		TOOL "report -i " DATA " "
#define AS_USER		"setpriv --reuid 1000 --regid 1000 --clear-groups -- env HOME=" DIR " "

/* 12 jobs by f(), 8 by g() and h(); w() waits for 2 of the first ones, which take 5 ms */
#define WORK		" -f 12 -g 8 -w 2 -m 5"

/* a command whose output is kept, and is shown if it fails */
#define RUN(...)							\
	({								\
		int _status = shell("{ " __VA_ARGS__);			\
		if (_status)						\
			shell("cat " SAID " " COMPLAINED " >&2");	\
		_status;						\
	})
#define KEPT		"; } >" SAID " 2>" COMPLAINED

/* ---- lines of --folded ---- */

/* the sum of the lines that have these words, or of all; -1: one has no number */
static int64_t folded_sum(const char *words)
{
	FILE *file = fopen(SAID, "r");
	int64_t sum = 0;
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		const char *number = strrchr(line, ' ');
		char *end;
		uint64_t value;

		value = number ? strtoull(number + 1, &end, 10) : 0;
		if (!number || *end != '\n' || end == number + 1)
			sum = INT64_MIN / 2;
		if (!words || strstr(line, words))
			sum += value;
	}
	if (!file)
		return -1;
	fclose(file);
	return sum < 0 ? -1 : sum;
}

/* ---- the document of --json ---- */

static int64_t list_sum(struct json_object *document, const char *array, const char *key)
{
	struct json_object *list;
	int64_t sum = 0;

	if (!json_object_object_get_ex(document, array, &list))
		return -1;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		sum += json_number(json_object_array_get_idx(list, i), key);
	return sum;
}

/* ---- whose stacks ---- */

FIXTURE(stacks)
{
};

FIXTURE_VARIANT(stacks)
{
	const char *before;
	const char *how;
	const char *client;
};

#define STACKS_ADD(_name, _before, _how, _client)	\
	FIXTURE_VARIANT_ADD(stacks, _name)		\
	{						\
		.before = _before,			\
		.how = _how,				\
		.client = _client,			\
	}

STACKS_ADD(dwarf, "", "", STACKS WORK);
STACKS_ADD(virtio_dwarf, "", "", STACKS " -v" WORK);
STACKS_ADD(virtio_fp, "", "-g fp ", STACKS "-fp -v" WORK);
STACKS_ADD(users_dwarf, AS_USER, "", STACKS WORK);

static void dir_make(void)
{
	shell("rm -rf " DIR "; mkdir -m 777 " DIR);
}

static int paranoid_before;

FIXTURE_SETUP(stacks)
{
	dir_make();
	ASSERT_EQ(0, paranoid_set(2));
	EXPECT_EQ(0, RUN("%s" RECORD "%s" QUICKLY "%s" KEPT, variant->before, variant->how,
			 variant->client));
	EXPECT_EQ(0, paranoid_set(paranoid_before));
}

FIXTURE_TEARDOWN(stacks)
{
}

TEST_F_TIMEOUT(stacks, are_those, PATIENCE)
{
	int64_t busy;

	/* the report is its owner's to make */
	ASSERT_EQ(0, RUN("%s" REPORT "--jobs --folded" KEPT, variant->before));
	EXPECT_EQ(12, folded_sum("main;f;"));
	EXPECT_EQ(8, folded_sum("main;g;h;"));
	EXPECT_EQ(20, folded_sum(NULL));

	/* each nanosecond is on one of them */
	ASSERT_EQ(0, RUN("%s" REPORT "--gpu --folded" KEPT, variant->before));
	busy = folded_sum(NULL);
	EXPECT_LT(0, busy);
	EXPECT_EQ(busy, folded_sum("main;f;") + folded_sum("main;g;h;"));

	ASSERT_EQ(0, RUN("%s" REPORT "--wait --folded" KEPT, variant->before));
	EXPECT_EQ(folded_sum(NULL), folded_sum("main;w;"));
	if (!__test_passed(_metadata))
		shell("cat " SAID " >&2");
}

/* ---- a file that goes through an exec ---- */

FIXTURE(exec)
{
	struct json_object *json;
};

FIXTURE_SETUP(exec)
{
	dir_make();
	ASSERT_EQ(0, RUN(RECORD "-g none " QUICKLY "sh -c 'exec 5<>" VIRTGPU_RENDER_NODE "; "
			 CLIENT " -F 5 -n 3; exec sh -c \"exec " CLIENT " -F 5 -n 4\"'" KEPT));
	ASSERT_EQ(0, RUN(REPORT "--json" KEPT));
	self->json = json_read(SAID);
	ASSERT_NE(NULL, self->json);
}

FIXTURE_TEARDOWN(exec)
{
	json_object_put(self->json);
}

/* the jobs behind it are the same context's */
TEST_F_TIMEOUT(exec, leaves_the_context, PATIENCE)
{
	struct json_object *contexts;

	EXPECT_EQ(7, json_number(self->json, "jobs"));
	EXPECT_EQ(0, json_number(self->json, "not_joined.no_submission"));
	EXPECT_TRUE(json_object_object_get_ex(self->json, "contexts", &contexts));
	EXPECT_EQ(7, json_number(json_object_array_get_idx(contexts, 0), "jobs"));
	EXPECT_EQ(1, json_object_array_length(contexts));
	if (!__test_passed(_metadata))
		shell("cat " SAID " >&2");
	EXPECT_EQ(0, RUN(TOOL "timeline -i " DATA " --trace-json " DIR "/trace" KEPT));
	EXPECT_EQ(0, shell("test $(grep -c '\"cat\":\"submit\"' " DIR "/trace) = 7"));
	/* under the name that the thread has by now */
	EXPECT_EQ(0, shell("grep -q '\"thread_name\".*\"gpu-client\"' " DIR "/trace"));
}

/* ---- which events ---- */

FIXTURE(names)
{
	struct json_object *json;
};

FIXTURE_SETUP(names)
{
	dir_make();
	/* perf's own raw data are no sample of ours, whatever their event is called */
	ASSERT_EQ(0, RUN("perf record -q --no-buildid --no-buildid-cache -R -a -o " DATA
			 " -e gpu/jobs,name=submit/,gpu/jobs-done,name=done/"
			 ",gpu/waits,name=stall/,sched:sched_switch " STACKS WORK " -m 300" KEPT));
	ASSERT_EQ(0, RUN(REPORT "--json" KEPT));
	self->json = json_read(SAID);
	ASSERT_NE(NULL, self->json);
}

FIXTURE_TEARDOWN(names)
{
	json_object_put(self->json);
}

TEST_F_TIMEOUT(names, do_not_matter, PATIENCE)
{
	EXPECT_EQ(20, json_number(self->json, "jobs"));
	EXPECT_EQ(20, json_number(self->json, "joined.jobs"));
	EXPECT_LT(0, json_number(self->json, "waits"));
	EXPECT_EQ(0, shell("[ ! -s " COMPLAINED " ]"));
	if (!__test_passed(_metadata))
		shell("cat " SAID " " COMPLAINED " >&2");
}

/* ---- how deep ---- */

FIXTURE(deep)
{
	struct json_object *json;
};

FIXTURE_VARIANT(deep)
{
	const char *how;
	const char *client;
	unsigned int depth;
	bool cut;
};

#define DEEP_ADD(_name, _how, _client, _depth, _cut)	\
	FIXTURE_VARIANT_ADD(deep, _name)		\
	{						\
		.how = _how,				\
		.client = _client,			\
		.depth = _depth,			\
		.cut = _cut,				\
	}

/* perf cuts at 127, if it is not told otherwise; and the kernel does, by frame pointers */
DEEP_ADD(dwarf, "", STACKS " -v", 200, false);
DEEP_ADD(too_deep_dwarf, "-g dwarf,65528 ", STACKS " -v", 1100, true);
DEEP_ADD(too_deep_fp, "-g fp ", STACKS "-fp -v", 200, true);

FIXTURE_SETUP(deep)
{
	dir_make();
	ASSERT_EQ(0, RUN(RECORD "%s" QUICKLY "%s -f 3 -d %u" KEPT, variant->how, variant->client,
			 variant->depth));
	ASSERT_EQ(0, RUN(REPORT "--json" KEPT));
	self->json = json_read(SAID);
	ASSERT_NE(NULL, self->json);
}

FIXTURE_TEARDOWN(deep)
{
	json_object_put(self->json);
}

/* a stack without its root is none of main()'s, and it is said that it has none */
TEST_F_TIMEOUT(deep, has_its_root_or_says_so, PATIENCE)
{
	EXPECT_EQ(3, json_number(self->json, "jobs"));
	EXPECT_EQ(variant->cut ? 3 : 0, json_number(self->json, "stacks_cut"));
	EXPECT_EQ(0, RUN(REPORT "--jobs --folded" KEPT));
	EXPECT_EQ(0, shell("grep -qE '^(%s;|.*;main;)deep;.*;deep;work;f;.* 3$' " SAID,
			   variant->cut ? "\\(cut off\\)" : "main"))
		shell("cat " SAID " >&2");
}

/* ---- how much ---- */

FIXTURE(sums)
{
	struct perf_stat stat;
	struct json_object *json;
};

FIXTURE_SETUP(sums)
{
	dir_make();
	/* of all there is: what is complete when the record ends is in it */
	ASSERT_EQ(0, perf_stat_run(&self->stat, "-e gpu/gpu-busy/,gpu/queue-wait/,gpu/jobs/,"
				   "gpu/jobs-done/,gpu/waits/,gpu/wait-time/ " RECORD "-a -g fp " QUICKLY
				   STACKS "-fp" WORK));
	ASSERT_EQ(0, RUN(REPORT "--json" KEPT));
	self->json = json_read(SAID);
	ASSERT_NE(NULL, self->json);
}

FIXTURE_TEARDOWN(sums)
{
	json_object_put(self->json);
}

/* how long jobs were queued; of their order there is only what must be so */
static void queue_equals_perf_stat(struct __test_metadata *_metadata, struct json_object *json,
				   int64_t wait)
{
	static const char * const parts[] = { "engines", "contexts" };
	static const char * const rising[] = { "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns",
					       "sum_ns" };
	char key[40];

	EXPECT_LT(0, wait);
	for (unsigned int i = 0; i < 2; i++) {
		int64_t before = 0, value;

		EXPECT_EQ(20, list_sum(json, parts[i], "queue_latency.count"));
		EXPECT_EQ(wait, list_sum(json, parts[i], "queue_latency.sum_ns"));
		for (unsigned int k = 0; k < sizeof(rising) / sizeof(rising[0]); k++) {
			snprintf(key, sizeof(key), "queue_latency.%s", rising[k]);
			value = list_sum(json, parts[i], key);
			EXPECT_LE(before, value);
			before = value;
		}
		/* the longest is one of 20 */
		EXPECT_LE(wait, 20 * list_sum(json, parts[i], "queue_latency.max_ns"));
	}
}

static void equals_perf_stat(struct __test_metadata *_metadata, struct json_object *json,
			     const struct perf_stat *stat)
{
	int64_t busy = perf_stat_sum(stat, "gpu/gpu-busy/");
	int64_t wait = perf_stat_sum(stat, "gpu/wait-time/");

	EXPECT_LE(2 * 5000000, busy);
	EXPECT_EQ(20, json_number(json, "jobs"));
	EXPECT_EQ(20, json_number(json, "jobs_done"));
	EXPECT_EQ(20, json_number(json, "joined.jobs"));
	EXPECT_EQ(busy, json_number(json, "gpu_busy_ns"));
	EXPECT_EQ(busy, json_number(json, "joined.gpu_busy_ns"));
	EXPECT_EQ(busy, list_sum(json, "contexts", "gpu_busy_ns"));
	EXPECT_EQ(busy, list_sum(json, "engines", "gpu_busy_ns"));
	EXPECT_EQ(busy, list_sum(json, "stacks", "gpu_busy_ns"));
	EXPECT_EQ(20, list_sum(json, "contexts", "jobs"));
	EXPECT_EQ(20, list_sum(json, "stacks", "jobs"));
	EXPECT_EQ((int64_t)perf_stat_sum(stat, "gpu/waits/"), json_number(json, "waits"));
	EXPECT_EQ(wait, json_number(json, "wait_time_ns"));
	EXPECT_EQ(wait, list_sum(json, "stacks", "wait_time_ns"));
	queue_equals_perf_stat(_metadata, json, perf_stat_sum(stat, "gpu/queue-wait/"));
	EXPECT_EQ(0, json_number(json, "lost"));
	EXPECT_EQ(0, json_number(json, "not_joined.unfinished"));
	EXPECT_EQ(0, json_number(json, "not_joined.no_submission"));
	if (!__test_passed(_metadata))
		shell("cat " SAID " >&2");
}

static void is_told_to_people(struct __test_metadata *_metadata)
{
	EXPECT_EQ(0, RUN(REPORT KEPT));
	EXPECT_EQ(0, shell("grep -q '^# jobs: 20 submitted, 20 completed, GPU time ' " SAID));
	EXPECT_EQ(0, shell("grep -q '^# lost records: 0$' " SAID));
	EXPECT_EQ(0, shell("grep -q '^# joined: 20 of 20 completions, 100.00 %%' " SAID));
	EXPECT_EQ(0, shell("grep -qE '^ +[0-9.]+ %% +[0-9.]+ ms +f$' " SAID));
	EXPECT_EQ(0, shell("grep -qE '^ +100.00 %% .* __libc_start_call_main$' " SAID));
	/* and by stock perf */
	EXPECT_EQ(0, RUN("perf report --stdio -i " DATA KEPT));
	EXPECT_EQ(0, shell("grep -q \"of event 'gpu/jobs,period=1/'\" " SAID));
}

/* perf that has read all, says so, and does not end */
#define SLOW_PERF	"printf '#!/bin/sh\\nperf \"$@\"\\n>" READ_ALL "\\nexec sleep 100\\n' >" \
			DIR "/perf && chmod 755 " DIR "/perf"
#define READ_ALL	DIR "/read-all"

/* the exit status of a report that gets a signal when it has all, and waits for more */
static int interrupted(int signal)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	int status;
	pid_t pid;

	unlink(READ_ALL);
	pid = fork();
	if (!pid) {
		/* whoever runs the tests may ignore it, and then so does what they run */
		sigaction(signal, &by_default, NULL);
		setenv("PERF", DIR "/perf", 1);
		execl("/bin/sh", "sh", "-c", "exec " REPORT "--json >" SAID " 2>" COMPLAINED, NULL);
		_exit(127);
	}
	while (access(READ_ALL, F_OK) && !waitpid(pid, &status, WNOHANG))
		usleep(10000);
	/* what is in the pipe */
	usleep(500000);
	kill(pid, signal);
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void is_valid_when_interrupted(struct __test_metadata *_metadata, int signal, int64_t busy)
{
	struct json_object *json, *complete;

	EXPECT_EQ(128 + signal, interrupted(signal));
	json = json_read(SAID);
	ASSERT_NE(NULL, json);
	EXPECT_TRUE(json_object_object_get_ex(json, "complete", &complete));
	EXPECT_FALSE(json_object_get_boolean(complete));
	EXPECT_EQ(20, json_number(json, "jobs"));
	EXPECT_EQ(busy, json_number(json, "gpu_busy_ns"));
	json_object_put(json);
}

/* to record takes the longest: all is asked of one */
TEST_F_TIMEOUT(sums, are_those_of_perf_stat, PATIENCE)
{
	equals_perf_stat(_metadata, self->json, &self->stat);
	is_told_to_people(_metadata);
	ASSERT_EQ(0, shell(SLOW_PERF));
	is_valid_when_interrupted(_metadata, SIGINT, json_number(self->json, "gpu_busy_ns"));
	is_valid_when_interrupted(_metadata, SIGTERM, json_number(self->json, "gpu_busy_ns"));
}

/* ---- processes that run already, and signals ---- */

FIXTURE(attached)
{
};

FIXTURE_VARIANT(attached)
{
	int signal;	/* that ends the record; 0: its command ends */
	const char *whom;
};

#define ATTACHED_ADD(_name, _signal, _whom)	\
	FIXTURE_VARIANT_ADD(attached, _name)	\
	{					\
		.signal = _signal,		\
		.whom = _whom,			\
	}

/* it ends before perf's command does: with it alone perf would end, and end that */
ATTACHED_ADD(of_a_process, 0, "-p $pid,1");
ATTACHED_ADD(of_a_process_until_ctrl_c, SIGINT, "-p $pid,1");
ATTACHED_ADD(of_all_until_sigterm, SIGTERM, "-a");

FIXTURE_SETUP(attached)
{
	dir_make();
	ASSERT_EQ(0, shell("mkfifo " DIR "/in " DIR "/out"));
}

FIXTURE_TEARDOWN(attached)
{
}

/* a client that has its files before it is recorded, and begins when it is */
#define CLIENT_IN_WAIT	STACKS "-fp -i" WORK " <" DIR "/in >" DIR "/out & pid=$!; "	\
			"exec 3>" DIR "/in 4<" DIR "/out; read ready <&4; "
#define CLIENT_GOES	"echo >&3; cat <&4; "

/* the exit status, or 128 and the signal that ended it, as a shell has it */
static int recorded(const char *whom, int signal)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	char command[1024];
	int status;
	pid_t pid;

	snprintf(command, sizeof(command), CLIENT_IN_WAIT "exec " RECORD "-g fp %s " QUICKLY
		 "sh -c '" CLIENT_GOES "%s' >" SAID " 2>" COMPLAINED, whom,
		 signal ? "touch " DIR "/worked; exec sleep 1000" : "");
	pid = fork();
	if (!pid) {
		sigaction(signal ?: SIGINT, &by_default, NULL);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (signal && access(DIR "/worked", F_OK)) {
		if (waitpid(pid, &status, WNOHANG))
			return -1;
		usleep(10000);
	}
	if (signal)
		kill(pid, signal);
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* stock perf record dies by the signal, when it has written its file */
TEST_F_TIMEOUT(attached, are_those, PATIENCE)
{
	EXPECT_EQ(variant->signal ? 128 + variant->signal : 0,
		  recorded(variant->whom, variant->signal))
		shell("cat " SAID " " COMPLAINED " >&2");
	ASSERT_EQ(0, RUN(REPORT "--jobs --folded" KEPT));
	EXPECT_EQ(12, folded_sum("main;f;"));
	EXPECT_EQ(8, folded_sum("main;g;h;"));
	EXPECT_EQ(20, folded_sum(NULL));
	if (!__test_passed(_metadata))
		shell("cat " SAID " >&2");
}

/* ---- what cannot be done ---- */

FIXTURE(refusal)
{
};

FIXTURE_SETUP(refusal)
{
	dir_make();
	shell("echo nonsense >" DIR "/nonsense");
}

FIXTURE_TEARDOWN(refusal)
{
	paranoid_set(paranoid_before);
}

/* status 1, a sentence, and nothing else */
#define EXPECT_REFUSED(words, ...)						\
	do {									\
		EXPECT_EQ(1, shell("{ " __VA_ARGS__));				\
		EXPECT_EQ(0, shell("[ ! -s " SAID " ] && [ $(wc -l <" COMPLAINED ") = 1 ] && "	\
				   "grep -q '%s' " COMPLAINED, words))		\
			shell("cat " SAID " " COMPLAINED " >&2");		\
	} while (0)

TEST_F_TIMEOUT(refusal, of_report_is_a_sentence, PATIENCE)
{
	EXPECT_REFUSED("there is no file .*/none", TOOL "report -i " DIR "/none --json" KEPT);
	EXPECT_REFUSED("cannot read .*/nonsense", TOOL "report -i " DIR "/nonsense" KEPT);
	EXPECT_REFUSED("no sample of the gpu PMU .*perf record -R", "perf record -q -o " DATA " -e cpu-clock true "
		       "2>/dev/null; " REPORT "--folded" KEPT);
	EXPECT_REFUSED("cannot be written", TOOL "report -i " DIR "/nonsense --flamegraph "
		       "/nowhere/x.svg" KEPT);
	EXPECT_EQ(2, shell(TOOL "report --json --folded 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL "report --nonsense 2>/dev/null"));
	EXPECT_EQ(0, shell(TOOL "report --help | grep -q Examples"));
}

TEST_F_TIMEOUT(refusal, of_record_is_a_sentence, PATIENCE)
{
	ASSERT_EQ(0, paranoid_set(2));
	EXPECT_REFUSED("root", AS_USER RECORD "-a" KEPT);
	EXPECT_REFUSED("another user", AS_USER RECORD "-p 1" KEPT);
	EXPECT_REFUSED("No such process: 999999999", RECORD "-p 999999999" KEPT);
	EXPECT_REFUSED("No such process: 999999999", RECORD "-p 1,999999999" KEPT);
	ASSERT_EQ(0, paranoid_set(3));
	EXPECT_REFUSED("perf_event_paranoid is 3", AS_USER RECORD "true" KEPT);
	EXPECT_EQ(2, shell(TOOL "record 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL "record -p x 2>/dev/null"));
	EXPECT_EQ(2, shell(TOOL "record -g lbr true 2>/dev/null"));
	EXPECT_EQ(0, shell(TOOL "record --help | grep -q Examples"));
	EXPECT_EQ(0, shell(TOOL "record -n true | grep -q '^perf record -e gpu/jobs,period=1/ '"));
}

/* ---- what is there as long as the tests run ---- */

static int tests(int argc, char **argv)
{
	return test_harness_run(argc, argv);
}

int main(int argc, char **argv)
{
	paranoid_before = sysctl_number("perf_event_paranoid");
	return with_refgpu(argc, argv, tests);
}
