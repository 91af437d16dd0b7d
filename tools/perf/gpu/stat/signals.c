// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "perf-gpu.h"
#include "stat/signals.h"

static bool is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

static void signals_set(sigset_t *set)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		/* nohup says that we shall outlive the terminal */
		if (signals[i] != SIGHUP || !is_ignored(SIGHUP))
			sigaddset(set, signals[i]);
}

int signals__open(void)
{
	sigset_t set;
	int fd;

	/* whoever ignores it is told of no child, and not with what it has ended */
	signal(SIGCHLD, SIG_DFL);
	signals_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals__read(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void signals__die(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	/* a shell has a command in the background ignore Ctrl-C: this one is for us */
	sigaction(signal, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void signals__release(void)
{
	sigset_t set;

	signals_set(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
