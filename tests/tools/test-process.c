// SPDX-License-Identifier: GPL-2.0
/* What /proc says of processes, of some that there are. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "kernel/process.h"
#include "kernel/query.h"
#include "test.h"

/* ---- of process.c's other half, which these tests do not come to ---- */

int contexts__get(struct contexts *contexts, int fd)
{
	(void)fd;
	*contexts = (struct contexts){};
	return 0;
}

void contexts__put(struct contexts *contexts)
{
	(void)contexts;
}

const char *obstacle__of_process(int err, int pid, char *text, size_t size)
{
	(void)err;
	(void)pid;
	(void)size;
	return text;
}

/* ---- tests ---- */

static void who_lives(void)
{
	siginfo_t info;
	pid_t pid;

	CHECK(process__lives(getpid()));
	/* a name that looks like the end of one, and of a life */
	prctl(PR_SET_NAME, "x) Z 1 (");
	CHECK(process__lives(getpid()));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "y) R 1 (");
		for (;;)
			pause();
	}
	CHECK(process__lives(pid));
	kill(pid, SIGKILL);
	/* it has ended, and is not waited for */
	CHECK(!waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	CHECK(!process__lives(pid));
	CHECK_EQ(pid, waitpid(pid, NULL, 0));
	CHECK(!process__lives(pid));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(who_lives),
	};

	return TESTS_RUN(tests);
}
