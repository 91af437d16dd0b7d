// SPDX-License-Identifier: GPL-2.0
/* Who belongs to a target, by the records of perf that are made up here. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "kernel/process.h"
#include "stat/tree.h"

static struct tree tree;

/* of tree.c's other half, which these tests do not come to */
int cpus__online(int **cpus, unsigned int *nr)
{
	*cpus = NULL;
	*nr = 0;
	abort();
}

/* of the kernel: who is there, or has not been waited for */
static bool (*is_there)(pid_t pid);

int kill(pid_t pid, int signal)
{
	CHECK_EQ(0, signal);
	if (is_there(pid))
		return 0;
	errno = ESRCH;
	return -1;
}

/* of those that are there: who has not ended */
static bool (*lives)(pid_t pid);

bool process__lives(int pid)
{
	return lives(pid);
}

static bool nobody(pid_t pid)
{
	(void)pid;
	return false;
}

static bool everybody(pid_t pid)
{
	(void)pid;
	return true;
}

static int tell(__u32 type, __u16 size, __u32 pid, __u32 tid)
{
	struct {
		struct perf_event_header header;
		__u32 pid, ppid, tid, ptid;
		__u64 time;
	} record = {
		.header = { .type = type, .size = size ?: sizeof(record) },
		.pid = pid, .ppid = 1, .tid = tid, .ptid = 1,
	};

	return tree__record(&tree, &record.header);
}

static bool alive(pid_t pid)
{
	for (unsigned int i = 0; i < tree.nr; i++)
		if (tree.process[i].pid == pid)
			return tree.process[i].alive;
	return false;
}

static void it_begins_with_the_target(void)
{
	pid_t pids[] = { 30, 10, 20, 10 };
	struct target target = { .pid = pids, .nr_pids = 4 };

	CHECK_EQ(0, tree__begin(&tree, &target));
	CHECK_EQ(3, tree.nr);
	CHECK(tree__has(&tree, 10) && tree__has(&tree, 20) && tree__has(&tree, 30));
	CHECK(!tree__has(&tree, 0) && !tree__has(&tree, 15) && !tree__has(&tree, 31));
	CHECK_EQ(0, tree__update(&tree));
	tree__close(&tree);
	CHECK(!tree__has(&tree, 10));
}

static void forks_and_exits(void)
{
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 7));
	CHECK(tree__has(&tree, 7) && alive(7));
	/* a thread is none of its own, and may end */
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 8));
	CHECK_EQ(1, tree.nr);
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 8));
	CHECK(alive(7));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	CHECK(tree__has(&tree, 7) && !alive(7));
	/* the id is given again */
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 7));
	CHECK(alive(7));
	/* whom we do not know, or cannot see */
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 9, 9));
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 0, 0));
	CHECK_EQ(0, tell(PERF_RECORD_COMM, 0, 11, 11));
	CHECK_EQ(1, tree.nr);
	tree__close(&tree);
}

/* what it has done is told at the look behind its end; the id may be anyone's after that */
static void who_has_ended_is_forgotten(void)
{
	is_there = nobody;
	for (__u32 pid = 5; pid < 10; pid++)
		CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, pid, pid));
	/* nobody asks for those of whom no end was told */
	tree__forget(&tree);
	tree__forget(&tree);
	CHECK_EQ(5, tree.nr);
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 5, 5));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	tree__forget(&tree);
	CHECK_EQ(5, tree.nr);
	CHECK(tree__has(&tree, 5) && tree__has(&tree, 7));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 9, 9));
	/* one of them had the id of the other, and is one of ours */
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 7));
	tree__forget(&tree);
	CHECK_EQ(4, tree.nr);
	CHECK(!tree__has(&tree, 5) && tree__has(&tree, 6) && tree__has(&tree, 7));
	CHECK(tree__has(&tree, 8) && tree__has(&tree, 9));
	tree__forget(&tree);
	CHECK_EQ(3, tree.nr);
	CHECK(!tree__has(&tree, 9));
	/* and it ends: two looks again */
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	tree__forget(&tree);
	CHECK(tree__has(&tree, 7));
	tree__forget(&tree);
	CHECK(!tree__has(&tree, 7));
	CHECK_EQ(2, tree.nr);
	tree__close(&tree);
}

/* the first thread ends, and another one goes on as the process: it is looked at again */
static void who_lives_on(void)
{
	is_there = everybody;
	lives = everybody;
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 7));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	CHECK(!alive(7));
	for (int i = 0; i < 3; i++) {
		tree__forget(&tree);
		CHECK(alive(7));
	}
	/* there is nobody, and then somebody, as none of the records tells: that one is kept */
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	is_there = nobody;
	tree__forget(&tree);
	is_there = everybody;
	tree__forget(&tree);
	CHECK(alive(7));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	is_there = nobody;
	tree__forget(&tree);
	CHECK(tree__has(&tree, 7));
	tree__forget(&tree);
	CHECK_EQ(0, tree.nr);
	tree__close(&tree);
}

/* its files are not looked at, which may be denied; and its id is not anyone else's yet */
static void who_was_not_waited_for(void)
{
	is_there = everybody;
	lives = nobody;
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 0, 7, 7));
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 0, 7, 7));
	for (int i = 0; i < 3; i++) {
		tree__forget(&tree);
		CHECK(tree__has(&tree, 7) && !alive(7));
	}
	is_there = nobody;
	tree__forget(&tree);
	CHECK(tree__has(&tree, 7));
	tree__forget(&tree);
	CHECK(!tree__has(&tree, 7));
	tree__close(&tree);
}

static void a_record_that_is_too_short(void)
{
	for (unsigned int size = sizeof(struct perf_event_header); size < 32; size++)
		CHECK_EQ(0, tell(PERF_RECORD_FORK, size, 7, 7));
	CHECK_EQ(0, tree.nr);
	CHECK_EQ(0, tell(PERF_RECORD_FORK, 32, 7, 7));
	CHECK_EQ(1, tree.nr);
	CHECK_EQ(0, tell(PERF_RECORD_EXIT, 31, 7, 7));
	CHECK(alive(7));
	tree__close(&tree);
}

static void what_was_lost_is_summed_up(void)
{
	struct {
		struct perf_event_header header;
		__u64 id, lost;
	} record = { .header = { .type = PERF_RECORD_LOST, .size = sizeof(record) }, .lost = 5 };

	CHECK_EQ(0, tree__record(&tree, &record.header));
	record.lost = 1ULL << 40;
	CHECK_EQ(0, tree__record(&tree, &record.header));
	record.header.size--;
	CHECK_EQ(0, tree__record(&tree, &record.header));
	CHECK_EQ((1ULL << 40) + 5, tree.lost);
	tree__close(&tree);
}

#define PIDS	5000

/* against a plain list of who was there, and who is */
static void any_forks_and_exits(void)
{
	static enum { NEVER, LIVES, GONE } state[PIDS];

	memset(state, 0, sizeof(state));
	for (unsigned int i = 0; i < 20000; i++) {
		__u32 pid = 1 + test_random() % (PIDS - 1), other = test_random() % 2;
		bool fork = test_random() % 3;

		CHECK_EQ(0, tell(fork ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0, pid, pid + other));
		if (fork)
			state[pid] = LIVES;
		else if (state[pid] && !other)
			state[pid] = GONE;
	}
	for (pid_t pid = 0; pid < PIDS; pid++)
		CHECK_EQ(state[pid] != NEVER, tree__has(&tree, pid));
	for (unsigned int i = 0; i < tree.nr; i++) {
		CHECK(!i || tree.process[i - 1].pid < tree.process[i].pid);
		CHECK_EQ(state[tree.process[i].pid] == LIVES, tree.process[i].alive);
	}
	tree__close(&tree);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(it_begins_with_the_target),
		TEST(forks_and_exits),
		TEST(who_has_ended_is_forgotten),
		TEST(who_lives_on),
		TEST(who_was_not_waited_for),
		TEST(a_record_that_is_too_short),
		TEST(what_was_lost_is_summed_up),
		TEST(any_forks_and_exits),
	};

	return TESTS_RUN(tests);
}
