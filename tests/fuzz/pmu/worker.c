// SPDX-License-Identifier: GPL-2.0
/* A process that works, by its threads; and what it forks, or executes. */
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fuzz.h"

#define CHILD_OPS	12
#define USER		1000

static void on_signal(int nr)
{
	(void)nr;
}

/* interrupted is interrupted: nothing is begun again */
static void signals_prepare(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int shared_map(int fd, struct shared **shared)
{
	*shared = mmap(NULL, sizeof(**shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *shared == MAP_FAILED ? -errno : 0;
}

static void step_do(struct fuzzer *f, const struct step *step)
{
	cover_begin(f->cover, f->worker->shared);
	op_run(f, step->op, step->seed);
	if (cover_end(f->cover, f->worker->shared))
		plan_keep(f);
}

static void fuzzer_start(struct fuzzer *f, struct worker *worker, unsigned int nr,
			 struct progress *progress)
{
	memset(f, 0, sizeof(*f));
	f->worker = worker;
	f->nr = nr;
	f->progress = progress;
	f->progress->op = -1;
	f->progress->tid = gettid();
	worker->tids[nr] = gettid();
	if (worker->options->cover)
		f->cover = cover_open();
}

/* something of each kind to begin with: most operations take what others have opened */
static void furnish(struct fuzzer *f, struct rnd *r)
{
	static const char * const first[] = {
		"query_open", "drm_open", "drm_open", "event_open", "refgpu_submit", "virtgpu_submit",
	};
	unsigned int i;

	for (i = 0; i < sizeof(first) / sizeof(first[0]) && !f->worker->shared->stop; i++) {
		const struct step step = { .op = op_by_name(first[i]), .seed = rnd_next(r) };

		step_do(f, &step);
	}
}

struct thread_arg {
	struct worker *worker;
	unsigned int nr;
};

static void *thread_main(void *data)
{
	struct thread_arg *arg = data;
	const struct options *options = arg->worker->options;
	struct shared *shared = arg->worker->shared;
	unsigned int at = arg->worker->nr * options->threads + arg->nr;
	struct plan plan;
	struct fuzzer f;
	struct step step;

	fuzzer_start(&f, arg->worker, arg->nr, &shared->progress[at]);
	if (options->lines) {
		replay_lines(&f);
		f.progress->tid = 0;
		return NULL;
	}
	plan_init(&plan, options->seed + ((uint64_t)arg->worker->life << 48) +
			 ((uint64_t)arg->worker->nr << 32) + arg->nr);
	if (!arg->nr)
		furnish(&f, &plan.rnd);
	while (!shared->stop) {
		step = plan_next(&plan, &f);
		step_do(&f, &step);
	}
	f.progress->tid = 0;
	return NULL;
}

static int become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		return -errno;
	/* its own /proc and events stay its own */
	return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

void worker_main(const struct options *options, struct shared *shared, unsigned int nr,
		 unsigned int life, unsigned int from_line)
{
	struct worker worker = {
		.options = options, .shared = shared, .nr = nr, .life = life,
		.from_line = from_line,
		.root = !getuid() && (options->root || !(nr & 1)),
		.nr_tids = options->threads,
	};
	struct rlimit files = { 4096, 4096 };
	struct thread_arg arg[16];
	pthread_t thread[16];
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, shared->group);
	setrlimit(RLIMIT_NOFILE, &files);
	signals_prepare();
	slots_init(&worker.slots);
	for (i = 0; i < worker.nr_tids; i++)
		worker.tids[i] = getpid();
	if (!worker.root && !getuid() && become_nobody())
		_exit(1);
	for (i = 0; i < options->threads; i++) {
		arg[i] = (struct thread_arg) { &worker, i };
		if (i && pthread_create(&thread[i], NULL, thread_main, &arg[i]))
			_exit(1);
	}
	thread_main(&arg[0]);
	for (i = 1; i < options->threads; i++)
		pthread_join(thread[i], NULL);
	/* half of them leave it to the kernel */
	if (options->seed & 1)
		slots_close(&worker.slots);
	_exit(0);
}

static void child_steps(struct fuzzer *f, struct rnd *r)
{
	unsigned int nr = 1 + rnd_below(r, CHILD_OPS), op;

	while (nr--) {
		op = rnd_below(r, nr_ops);
		/* forks of forks: one is enough */
		if (op_may(&ops[op], f->worker) && !(ops[op].weight < 2))
			op_run(f, op, rnd_next(r));
	}
}

void worker_child(struct fuzzer *f, struct rnd *r)
{
	/* it has its parent's memory, but no thread of it */
	struct progress progress = { .op = -1 };

	f->worker->depth++;
	f->worker->nr_tids = 1;
	f->worker->tids[0] = getpid();
	f->progress = &progress;
	f->cover = NULL;
	child_steps(f, r);
	_exit(0);
}

int worker_executed(char **argv)
{
	struct options options = { .mail = { -1, -1 }, .workers = 1, .threads = 1 };
	struct worker worker = { .options = &options, .nr = THREADS_MAX - 1, .depth = 2 };
	struct rnd rnd = { strtoul(argv[1], NULL, 16) };
	/* nobody watches it but who waits for it: it may be killed at any place */
	struct progress progress = {};
	struct fuzzer f;

	if (shared_map(atoi(argv[0]), &worker.shared))
		return 1;
	signals_prepare();
	worker.root = atoi(argv[2]);
	worker.nr_tids = 1;
	slots_init(&worker.slots);
	/*
	 * what it has inherited, whatever that is: but a driver that is not what is tested
	 * gets no calls that are another one's
	 */
	for (int fd = 3; fd < 40; fd++) {
		enum slot_kind kind = slot_kind_of(fd);

		if (kind == SLOT_FILE)
			kind = rnd_below(&rnd, SLOT_KINDS);
		slot_put(&worker.slots, kind, &rnd, dup(fd));
	}
	fuzzer_start(&f, &worker, 0, &progress);
	child_steps(&f, &rnd);
	return 0;
}
