// SPDX-License-Identifier: GPL-2.0
/* Operations of processes: they fork, execute, end, and pass files on. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "ops.h"

#define CHILD_MS	3000

/* what was forked ends by itself, or is ended */
static long child_wait(pid_t pid, unsigned int ms)
{
	const struct timespec nap = { .tv_nsec = 2000000 };
	int64_t end = now_ns() + ms * 1000000L;
	int status;

	while (now_ns() < end) {
		if (waitpid(pid, &status, WNOHANG))
			return 0;
		nanosleep(&nap, NULL);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 1;
}

long op_process_fork(struct fuzzer *f, struct rnd *r)
{
	unsigned int ms = rnd_one_in(r, 4) ? rnd_below(r, 10) : CHILD_MS;
	pid_t pid;

	if (f->worker->depth > 1)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		worker_child(f, r);
	return child_wait(pid, ms);
}

struct execution {
	struct fuzzer *f;
	struct rnd *rnd;
	char **argv;
	uint64_t other_seed;	/* of the thread that does not execute it */
};

/* most are refused */
static void execution_event(struct execution *e)
{
	for (int tries = 4; tries && event_open_to_exec(e->f, e->rnd) < 0; tries--)
		;
}

static void *execution_main(void *arg)
{
	struct execution *e = arg;

	if (rnd_one_in(e->rnd, 2))
		execution_event(e);
	execv("/proc/self/exe", e->argv);
	_exit(1);
}

/* works until the other one's program ends it; has pauses, which grace periods need */
static void *execution_beside(void *arg)
{
	struct execution *e = arg;
	struct rnd rnd = { e->other_seed };

	for (;;) {
		op_refgpu_submit(e->f, &rnd);
		op_task_sleep(e->f, &rnd);
	}
	return NULL;
}

/*
 * perf looks at what a task has of events when it executes a program, and when a thread of
 * it ends, as all others do then: any of them may be the one that executes it.
 */
static void execute(struct execution *e)
{
	bool two = rnd_one_in(e->rnd, 2), leader = rnd_one_in(e->rnd, 2);
	pthread_t thread;

	e->f->cover = NULL;
	/* a thread that is made now inherits it */
	execution_event(e);
	e->other_seed = rnd_next(e->rnd);
	if (two && !pthread_create(&thread, NULL, leader ? execution_beside : execution_main, e) &&
	    !leader)
		execution_beside(e);
	execution_main(e);
}

/* a program inherits the files that were not opened with CLOEXEC */
long op_process_exec(struct fuzzer *f, struct rnd *r)
{
	struct execution execution = { .f = f, .rnd = r };
	char shared[16], seed[24], root[4];
	char *argv[] = { "pmu-fuzz", "--executed", shared, seed, root, NULL };
	pid_t pid;

	if (f->worker->depth > 1)
		return -EAGAIN;
	snprintf(shared, sizeof(shared), "%d", f->worker->options->shared_fd);
	snprintf(seed, sizeof(seed), "%lx", rnd_next(r));
	snprintf(root, sizeof(root), "%d", f->worker->root);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		execution.argv = argv;
		execute(&execution);
	}
	return child_wait(pid, CHILD_MS);
}

/* in namespaces of its own: other pids, another root */
long op_process_namespace(struct fuzzer *f, struct rnd *r)
{
	pid_t pid;

	if (f->worker->depth)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(0);
		f->worker->depth++;
		op_process_fork(f, r);
		_exit(0);
	}
	return child_wait(pid, CHILD_MS);
}

struct thread_work {
	struct fuzzer fuzzer;
	uint64_t seed;
};

static void *thread_main(void *arg)
{
	struct thread_work *work = arg;
	struct fuzzer *f = &work->fuzzer;
	struct rnd rnd = { work->seed };
	unsigned int nr = rnd_below(&rnd, 6);

	/* its operations are a part of the one that has started it: not in the log */
	while (nr--) {
		unsigned int op = rnd_below(&rnd, nr_ops);
		struct rnd choices = { rnd_next(&rnd) };

		if (op_may(&ops[op], f->worker) && ops[op].run != op_thread_start &&
		    ops[op].run != op_process_fork && ops[op].run != op_process_exec &&
		    ops[op].run != op_process_namespace)
			ops[op].run(f, &choices);
	}
	return NULL;
}

/* one that lives for a few operations, beside this one */
long op_thread_start(struct fuzzer *f, struct rnd *r)
{
	struct thread_work work = { .fuzzer = *f, .seed = rnd_next(r) };
	pthread_t thread;
	int err;

	work.fuzzer.cover = NULL;
	err = pthread_create(&thread, NULL, thread_main, &work);
	if (err)
		return -err;
	op_refgpu_submit(f, r);
	op_event_read(f, r);
	return -pthread_join(thread, NULL);
}

/* ---- files ---- */

long op_fd_dup(struct fuzzer *f, struct rnd *r)
{
	enum slot_kind kind;
	int fd = slot_any_kind(&f->worker->slots, r, &kind);

	return slot_put(&f->worker->slots, kind, r,
			outcome(fcntl(fd, rnd_one_in(r, 3) ? F_DUPFD : F_DUPFD_CLOEXEC, 3)));
}

/* another file under a number that is in use, maybe in the middle of an ioctl */
long op_fd_exchange(struct fuzzer *f, struct rnd *r)
{
	enum slot_kind kind = rnd_of(r, SLOT_EVENT, SLOT_REFGPU, SLOT_VIRTGPU, SLOT_QUERY);
	int from = slot_any(&f->worker->slots, kind, r);
	int to = slot_any(&f->worker->slots, kind, r);

	if (from < 0 || to < 0 || from == to)
		return -ENOENT;
	return outcome(dup3(from, to, O_CLOEXEC));
}

long op_fd_send(struct fuzzer *f, struct rnd *r)
{
	enum slot_kind kind;
	int fd = slot_any_kind(&f->worker->slots, r, &kind);
	char byte = kind, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	if (fd < 0)
		return -ENOENT;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return outcome(sendmsg(f->worker->options->mail[0], &msg, MSG_DONTWAIT | MSG_NOSIGNAL));
}

int mail_take(const struct options *options, enum slot_kind *kind)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int fd;

	if (recvmsg(options->mail[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS || byte < 0 || byte >= SLOT_KINDS)
		return -EPROTO;
	*kind = byte;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

long op_fd_receive(struct fuzzer *f, struct rnd *r)
{
	enum slot_kind kind = SLOT_FILE;
	int fd = mail_take(f->worker->options, &kind);

	return slot_put(&f->worker->slots, kind, r, fd);
}

/* ---- signals and tasks ---- */

long op_signal_send(struct fuzzer *f, struct rnd *r)
{
	struct worker *worker = f->worker;
	pid_t tid = worker->tids[rnd_below(r, worker->nr_tids)];

	return outcome(syscall(SYS_tgkill, getpid(), tid, SIGUSR1));
}

/* system calls that are interrupted */
long op_signal_timer(struct fuzzer *f, struct rnd *r)
{
	long us = rnd_of(r, 0, 500, 3000);
	const struct itimerval timer = {
		.it_interval.tv_usec = us, .it_value.tv_usec = us,
	};

	(void)f;
	return outcome(setitimer(ITIMER_REAL, &timer, NULL));
}

long op_task_move(struct fuzzer *f, struct rnd *r)
{
	cpu_set_t cpus;

	(void)f;
	CPU_ZERO(&cpus);
	CPU_SET(rnd_below(r, 2), &cpus);
	if (rnd_one_in(r, 2))
		CPU_SET(1, &cpus);
	return outcome(sched_setaffinity(0, sizeof(cpus), &cpus));
}

long op_task_sleep(struct fuzzer *f, struct rnd *r)
{
	const struct timespec nap = { .tv_nsec = rnd_below(r, 6000000) };

	(void)f;
	return outcome(nanosleep(&nap, NULL));
}

long op_task_spin(struct fuzzer *f, struct rnd *r)
{
	int64_t end = now_ns() + (long)rnd_below(r, 5000000);

	(void)f;
	while (now_ns() < end)
		;
	return 0;
}
