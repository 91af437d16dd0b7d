// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that work: begun, watched, and killed now and then. What the crew does
 * to them is in the log, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

struct crew {
	const struct options *options;
	struct shared *shared;
	struct cover *cover;
	pid_t pid[WORKERS_MAX];
	unsigned int life[WORKERS_MAX];
	unsigned int working;
	unsigned int from_line;	/* those that are begun do the log's lines from there on */
	int anchor;
	int64_t end;
	bool killing;		/* who ends now does not do so by itself */
	bool failed;
};

const char * const crew_acts[CREW_ACTS] = {
	[CREW_KILL]	= "kill",
	[CREW_ANCHOR]	= "anchor",
	[CREW_RELOAD]	= "reload",
};

static void crew_start(struct crew *crew, unsigned int nr)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("pmu-fuzz: fork");
		crew->failed = true;
		return;
	}
	if (!pid)
		worker_main(crew->options, crew->shared, nr, crew->life[nr], crew->from_line);
	/* it does that, too; but it may be killed before it has come to it */
	setpgid(pid, crew->shared->group);
	crew->pid[nr] = pid;
	crew->working++;
}

/* one that ends by itself does so with 0: else the fuzzer is wrong, or there is no memory */
static void crew_ended(struct crew *crew, pid_t pid, int status)
{
	unsigned int nr;

	for (nr = 0; nr < crew->options->workers; nr++)
		if (crew->pid[nr] == pid)
			break;
	if (nr == crew->options->workers)
		return;		/* the child of one that was killed */
	crew->pid[nr] = 0;
	crew->working--;
	for (unsigned int i = 0; i < crew->options->threads; i++)
		crew->shared->progress[nr * crew->options->threads + i].tid = 0;
	if (status && !(crew->killing && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) {
		fprintf(stderr, "pmu-fuzz: worker %u ended with status %#x\n", nr, status);
		crew->failed = true;
	}
}

/* true: nobody is left, of the workers and of those that they have forked */
static bool crew_reap(struct crew *crew)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		crew_ended(crew, pid, status);
	return pid < 0 && errno == ECHILD;
}

static void nap(unsigned int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000L };

	nanosleep(&time, NULL);
}

/* ---- what is wrong ---- */

static void file_show(const char *fmt, int pid)
{
	char path[64], text[8192];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), fmt, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text));
	if (size > 0)
		fprintf(stderr, "%s:\n%.*s\n", path, (int)size, text);
	close(fd);
}

/* an operation that does not come to its end */
static bool crew_is_stuck(struct crew *crew)
{
	int64_t now = now_ns();
	bool stuck = false;

	for (unsigned int i = 0; i < THREADS_MAX; i++) {
		struct progress *progress = &crew->shared->progress[i];
		int tid = progress->tid, op = progress->op;
		long since = progress->since;

		if (!tid || op < 0 || now - since < crew->options->stuck_s * 1000000000L)
			continue;
		fprintf(stderr, "pmu-fuzz: stuck in %s since %ld s, thread %d\n", ops[op].name,
			(now - since) / 1000000000, tid);
		file_show("/proc/%d/stack", tid);
		stuck = true;
	}
	if (stuck) {
		int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);

		/* who is blocked, into the kernel's log */
		if (fd >= 0 && write(fd, "w", 1) == 1)
			close(fd);
		crew->failed = true;
	}
	return stuck;
}

/* ---- what it does ---- */

/* until they are gone: one of the workers, or all processes that there are */
static bool crew_wait(struct crew *crew, unsigned int nr)
{
	int64_t end = now_ns() + crew->options->stuck_s * 1000000000L;

	crew->killing = true;
	while (now_ns() < end) {
		bool nobody = crew_reap(crew);

		if (nr < WORKERS_MAX ? !crew->pid[nr] : nobody) {
			crew->killing = false;
			return true;
		}
		nap(1);
	}
	fprintf(stderr, "pmu-fuzz: processes do not end\n");
	for (unsigned int i = 0; i < crew->options->workers; i++)
		if (crew->pid[i])
			file_show("/proc/%d/stack", crew->pid[i]);
	crew->failed = true;
	return false;
}

static void crew_kill(struct crew *crew, unsigned int nr)
{
	if (crew->pid[nr])
		kill(crew->pid[nr], SIGKILL);
	if (!crew_wait(crew, nr))
		return;
	crew->life[nr]++;
	crew_start(crew, nr);
}

/* all that works, and what it forks, is killed at once: by the group of this one */
static pid_t group_make(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return setpgid(pid, pid) ? -errno : pid;
}

static void crew_begin(struct crew *crew)
{
	crew->shared->group = group_make();
	if (crew->shared->group < 0) {
		crew->failed = true;
		return;
	}
	for (unsigned int i = 0; i < crew->options->workers; i++)
		crew_start(crew, i);
}

static bool crew_kill_all(struct crew *crew)
{
	kill(-crew->shared->group, SIGKILL);
	return crew_wait(crew, WORKERS_MAX);
}

/* with nobody there, and no file on its way to someone, drivers and modules can go */
static void crew_reload(struct crew *crew)
{
	enum slot_kind kind;
	int fd;

	if (crew->anchor >= 0)
		close(crew->anchor);
	crew->anchor = -1;
	if (!crew_kill_all(crew))
		return;
	while ((fd = mail_take(crew->options, &kind)) >= 0)
		close(fd);
	cover_begin(crew->cover, crew->shared);
	virtgpu_rebind(crew->shared);
	modules_reload(crew->options, crew->shared);
	cover_end(crew->cover, crew->shared);
	if (crew->cover)
		symbols_load(crew->shared);
	for (unsigned int i = 0; i < crew->options->workers; i++)
		crew->life[i]++;
	crew_begin(crew);
}

void crew_act(struct crew *crew, enum crew_act act, unsigned int number, unsigned int from_line)
{
	struct op_stats *stats = &crew->shared->part[PART_CREW_KILL + act];

	log_crew(crew->options, crew->shared, act, number);
	stats->calls++;
	crew->from_line = from_line;
	switch (act) {
	case CREW_KILL:
		crew_kill(crew, number % crew->options->workers);
		break;
	case CREW_ANCHOR:
		if (crew->anchor >= 0)
			close(crew->anchor);
		crew->anchor = number ? event_anchor() : -1;
		break;
	case CREW_RELOAD:
		crew_reload(crew);
		break;
	case CREW_ACTS:
		break;
	}
	stats->done += !crew->failed;
}

bool crew_watch(struct crew *crew)
{
	nap(crew->options->lines ? 1 : 100);
	crew_reap(crew);
	return crew->working && !crew->failed && !crew_is_stuck(crew) &&
	       (crew->options->lines || now_ns() < crew->end);
}

/*
 * The first event that is opened, and the last one that is closed, take long. That is
 * tried often enough while there is none that stays.
 */
static void crew_turn(struct crew *crew, struct rnd *r)
{
	if (rnd_one_in(r, crew->anchor < 0 ? 16 : 100))
		crew_act(crew, CREW_ANCHOR, crew->anchor < 0, 0);
	if (rnd_one_in(r, 120))
		crew_act(crew, CREW_KILL, rnd_below(r, crew->options->workers), 0);
	if (crew->options->system && rnd_one_in(r, 250))
		crew_act(crew, CREW_RELOAD, 0, 0);
}

static void crew_end(struct crew *crew)
{
	int64_t end = now_ns() + crew->options->stuck_s * 500000000L;

	crew->shared->stop = true;
	while (crew->working && now_ns() < end) {
		crew_reap(crew);
		nap(20);
	}
	crew_kill_all(crew);
}

bool crew_run(const struct options *options, struct shared *shared)
{
	int64_t start = now_ns();
	struct crew crew = {
		.options = options,
		.shared = shared,
		.anchor = -1,
		.end = start + options->seconds * 1000000000L,
	};
	struct rnd rnd = { ~options->seed };

	/* children of those that are killed are waited for, too */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (options->cover)
		crew.cover = cover_open();
	if (crew.cover)
		symbols_load(shared);
	log_begin(options, shared);
	crew_begin(&crew);
	if (options->lines)
		replay_crew(&crew, options, shared);
	else
		while (crew_watch(&crew))
			crew_turn(&crew, &rnd);
	if (crew.anchor >= 0)
		close(crew.anchor);
	crew_end(&crew);
	report_print(shared, (now_ns() - start) / 1e9);
	return !crew.failed;
}
