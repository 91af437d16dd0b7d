// SPDX-License-Identifier: GPL-2.0
/* Signals that come as lines of a file, whatever who has started us does with them. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "stat/signals.h"

#define PATIENCE_MS	30000

/* in a process of its own: what is done to signals stays done */
static void in_child(int (*run)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(run());
	CHECK(pid > 0);
	CHECK_EQ(pid, waitpid(pid, &status, 0));
	CHECK_EQ(0, status);
}

static int next(int fd)
{
	struct pollfd polls = { .fd = fd, .events = POLLIN };

	return poll(&polls, 1, PATIENCE_MS) == 1 ? signals__read(fd) : -1;
}

/* a child that ends with this status is told, and so is its status */
static int child_is_told(void)
{
	int fd, status;
	pid_t pid;

	/* it waits to be told, so it is there before */
	pid = fork();
	if (!pid) {
		pause();
		_exit(1);
	}
	fd = signals__open();
	if (fd < 0 || kill(pid, SIGKILL) || next(fd) != SIGCHLD)
		return 1;
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		return 2;
	return 0;
}

static int child_is_told_where_it_was_ignored(void)
{
	signal(SIGCHLD, SIG_IGN);
	return child_is_told();
}

static void the_end_of_a_child(void)
{
	in_child(child_is_told);
	in_child(child_is_told_where_it_was_ignored);
}

static int hangup_is_not_told(void)
{
	int fd;

	signal(SIGHUP, SIG_IGN);
	fd = signals__open();
	if (fd < 0 || raise(SIGHUP) || signals__read(fd))
		return 1;
	return raise(SIGTERM) || next(fd) != SIGTERM;
}

/* nohup has said so */
static void a_hangup_that_is_ignored(void)
{
	in_child(hangup_is_not_told);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(the_end_of_a_child),
		TEST(a_hangup_that_is_ignored),
	};

	return TESTS_RUN(tests);
}
