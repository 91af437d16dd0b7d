// SPDX-License-Identifier: GPL-2.0
/* Files that are polled until they end: by files that do. */
#include <unistd.h>

#include "test.h"
#include "stat/polls.h"

#define NR	3

static int pipes[NR][2];
static struct pollfd polls[NR];

static void setup(void)
{
	for (int i = 0; i < NR; i++) {
		CHECK(!pipe(pipes[i]));
		polls[i] = (struct pollfd){ .fd = pipes[i][0], .events = POLLIN };
	}
}

static void teardown(void)
{
	for (int i = 0; i < NR; i++) {
		close(pipes[i][0]);
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
	}
}

static void end(int nr)
{
	close(pipes[nr][1]);
	pipes[nr][1] = -1;
}

/* as a process' pidfd, which is readable from its end on */
static void what_is_readable_is_said_once(void)
{
	setup();
	CHECK_EQ(0, poll(polls, NR, 0));
	CHECK_EQ(NR, polls__drop(polls, NR, POLLIN));
	CHECK_EQ(1, write(pipes[1][1], "", 1));
	CHECK_EQ(1, poll(polls, NR, 0));
	CHECK_EQ(NR - 1, polls__drop(polls, NR, POLLIN));
	/* it is still readable, and nobody is woken up */
	CHECK_EQ(0, poll(polls, NR, 0));
	CHECK_EQ(NR - 1, polls__drop(polls, NR, POLLIN));
	CHECK_EQ(1, write(pipes[0][1], "", 1));
	CHECK_EQ(1, write(pipes[2][1], "", 1));
	CHECK_EQ(2, poll(polls, NR, 0));
	CHECK_EQ(0, polls__drop(polls, NR, POLLIN));
	CHECK_EQ(0, poll(polls, NR, 0));
	CHECK_EQ(0, polls__drop(polls, NR, POLLIN));
	teardown();
}

/* as perf's events, whose files hang up when the last of their tasks has ended */
static void what_hangs_up_is_said_once(void)
{
	setup();
	CHECK_EQ(1, write(pipes[0][1], "", 1));
	end(2);
	CHECK_EQ(2, poll(polls, NR, 0));
	CHECK_EQ(NR - 1, polls__drop(polls, NR, POLLHUP | POLLERR));
	/* the one that has something to say goes on to say so */
	CHECK_EQ(1, poll(polls, NR, 0));
	CHECK(polls[0].revents & POLLIN);
	CHECK(!polls[2].revents);
	CHECK_EQ(NR - 1, polls__drop(polls, NR, POLLHUP | POLLERR));
	teardown();
}

static void of_none_none_are_left(void)
{
	CHECK_EQ(0, polls__drop(NULL, 0, POLLIN));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_is_readable_is_said_once),
		TEST(what_hangs_up_is_said_once),
		TEST(of_none_none_are_left),
	};

	return TESTS_RUN(tests);
}
