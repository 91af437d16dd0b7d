// SPDX-License-Identifier: GPL-2.0
/* A signal that ends the reading, while what has been read is written, and while it is not. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "samples/stop.h"

#define WHOLE	(1 << 20)

/* by stdio, which drops what it could not write; more than there is room for in a pipe */
static int writer(int fd)
{
	FILE *file = fdopen(fd, "w");

	stop__catch();
	for (int i = 0; i < WHOLE; i++)
		fputc('x', file);
	return fclose(file) || stop_signal != SIGTERM;
}

/* was it told of all signals that it was sent? */
static bool knows_signals(pid_t pid)
{
	unsigned long long pending = ~0ULL;
	char path[40], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file) &&
	       sscanf(line, "ShdPnd: %llx", &pending) != 1)
		;
	if (file)
		fclose(file);
	return !pending;
}

static bool sleeps(pid_t pid)
{
	char path[40], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%*d %*s %c", &state) != 1)
			state = 0;
		fclose(file);
	}
	return state == 'S';
}

/* until it waits for room, which is all that it sleeps for when the pipe is full */
static void wait_for_full(int fd, pid_t pid)
{
	int nr = 0;

	while (ioctl(fd, FIONREAD, &nr) || nr < fcntl(fd, F_GETPIPE_SZ) ||
	       !knows_signals(pid) || !sleeps(pid))
		usleep(1000);
}

static void what_is_being_written_is_whole(void)
{
	int fds[2], status, total = 0;
	static char text[4096];
	ssize_t got;
	pid_t pid;

	CHECK(!pipe(fds));
	pid = fork();
	if (!pid) {
		close(fds[0]);
		_exit(writer(fds[1]));
	}
	close(fds[1]);
	wait_for_full(fds[0], pid);
	CHECK(!kill(pid, SIGTERM));
	wait_for_full(fds[0], pid);
	while ((got = read(fds[0], text, sizeof(text))) > 0)
		total += got;
	CHECK_EQ(WHOLE, total);
	CHECK_EQ(pid, waitpid(pid, &status, 0));
	CHECK_EQ(0, status);
	close(fds[0]);
}

static int poller(void)
{
	int fds[2], ret;
	struct pollfd polls = { .events = POLLIN };

	if (pipe(fds))
		return 1;
	polls.fd = fds[0];
	stop__catch();
	ret = poll(&polls, 1, 60000);
	return ret != -1 || errno != EINTR || stop_signal != SIGINT;
}

/* the reader waits by poll(), which nothing restarts */
static void a_wait_ends(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(poller());
	while (!sleeps(pid))
		usleep(1000);
	CHECK(!kill(pid, SIGINT));
	CHECK_EQ(pid, waitpid(pid, &status, 0));
	CHECK_EQ(0, status);
}

/* and the second signal ends the program */
static void twice_is_the_end(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		stop__catch();
		raise(SIGTERM);
		raise(SIGTERM);
		_exit(0);
	}
	CHECK_EQ(pid, waitpid(pid, &status, 0));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_is_being_written_is_whole),
		TEST(a_wait_ends),
		TEST(twice_is_the_end),
	};

	return TESTS_RUN(tests);
}
