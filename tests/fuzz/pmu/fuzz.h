/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer of the gpu PMU's system calls. Its parts:
 *
 *	main.c		options
 *	crew.c		processes that work, and a watchdog over them
 *	worker.c	what a process of them does
 *	plan.c		which operation is next
 *	cover.c		what of the kernel's code was reached (KCOV)
 *	symbols.c	which function that is
 *	replay.c	the same again
 *	log.c		all that was done, in a file that outlives the kernel
 *	report.c	figures
 *	slots.c		open files, which the threads of a process share
 *	ops-*.c		operations; ops.h is the list of them
 */
#ifndef _FUZZ_PMU_FUZZ_H
#define _FUZZ_PMU_FUZZ_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "random.h"

/* ---- slots ---- */

/* files of the same kind lie in slots: an operation takes any of them */
enum slot_kind {
	SLOT_EVENT,
	SLOT_REFGPU,
	SLOT_VIRTGPU,
	SLOT_QUERY,	/* /dev/gpu_pmu */
	SLOT_FENCE,	/* sync files */
	SLOT_FILE,	/* of debugfs, and others */
	SLOT_KINDS
};

#define SLOTS		16	/* of each kind */
#define SLOTS_DRM	4	/* of each driver: so that they have contexts */
#define SLOT_MAPS	12

struct slot_map {
	void *base;
	size_t size;
};

struct slots {
	atomic_int fd[SLOT_KINDS][SLOTS];
	/* whoever takes a map out has it for itself */
	_Atomic(struct slot_map *) map[SLOT_MAPS];
};

void slots_init(struct slots *slots);
/* all of them */
void slots_close(struct slots *slots);
/* a fd, or -1; others may close it meanwhile, which is the point */
int slot_any(struct slots *slots, enum slot_kind kind, struct rnd *r);
/* of some GPU */
int slot_any_drm(struct slots *slots, struct rnd *r);
/* of any kind; the kind is told */
int slot_any_kind(struct slots *slots, struct rnd *r, enum slot_kind *kind);
/* @fd: an open file, which is given away, or a negative errno; returns 0 or that */
long slot_put(struct slots *slots, enum slot_kind kind, struct rnd *r, long fd);
/* a GPU's file, by its driver; SLOT_FILE: it is none */
enum slot_kind slot_kind_of(int fd);
/* out of its slot: the caller's */
int slot_take(struct slots *slots, enum slot_kind kind, struct rnd *r);
struct slot_map *slot_map_take(struct slots *slots, struct rnd *r);
/* @map is given away; one that is in its place is unmapped */
void slot_map_put(struct slots *slots, struct rnd *r, struct slot_map *map);
void slot_map_free(struct slot_map *map);

/* ---- what all processes share ---- */

#define OPS_MAX		96
#define ERRNOS		140
#define KINDS_MAX	16	/* of events, see event_kind() */
#define THREADS_MAX	64
#define COVER_BITS	18
#define CORPUS_MAX	4096
#define STEPS_MAX	8	/* of one sequence of the corpus */

#define FUNCTIONS_MAX	2048	/* of the modules */
#define FUNCTION_NAME	192

#define WORKERS_MAX	8

struct crew;
struct log;
struct log_line;

struct op_stats {
	atomic_ulong calls;
	atomic_ulong done;	/* that succeeded */
	atomic_ulong ns;
};

/* figures that are no operation's */
enum part {
	PART_CREW_KILL,
	PART_CREW_ANCHOR,
	PART_CREW_RELOAD,
	PART_VIRTGPU_REBIND,
	PART_EXEC_EVENT,	/* of a task that then executes a program */
	PARTS
};

struct progress {
	atomic_int tid;		/* 0: nobody */
	atomic_int op;		/* index in the list, -1: between two of them */
	atomic_long since;	/* ns */
};

struct step {
	uint16_t op;
	uint64_t seed;
};

/* a sequence that has reached something new */
struct sequence {
	atomic_bool ready;
	unsigned int nr;
	struct step step[STEPS_MAX];
};

struct function {
	char name[FUNCTION_NAME];	/* and its module's before it */
	atomic_bool entered;
};

struct symbols {
	unsigned int nr;
	struct symbol {
		unsigned long address;
		unsigned int function;	/* number of its function */
	} symbol[FUNCTIONS_MAX];
};

struct shared {
	atomic_size_t log_at;
	pid_t group;		/* of all processes that work */
	atomic_bool stop;
	atomic_uint turn;	/* replay: line by line */
	atomic_uint cpu_switches;	/* counted before each */
	struct op_stats op[OPS_MAX];
	struct op_stats part[PARTS];
	struct op_stats kind[KINDS_MAX];
	atomic_ulong open_errno[ERRNOS];
	struct progress progress[THREADS_MAX];
	atomic_ulong cover[(1 << COVER_BITS) / 64];
	atomic_ulong covered;
	unsigned int nr_functions;
	struct function function[FUNCTIONS_MAX];
	atomic_uint loads;	/* of symbols: those in use are [loads % 2] */
	struct symbols symbols[2];
	atomic_uint corpus_nr;
	struct sequence corpus[CORPUS_MAX];
};

/* ---- who works ---- */

struct options {
	uint64_t seed;
	unsigned int seconds;
	unsigned int workers;
	unsigned int threads;	/* of each */
	unsigned int stuck_s;	/* an operation that takes longer is a failure */
	struct log *log;		/* or NULL */
	const struct log_line *lines;	/* to be done again, or NULL */
	unsigned int nr_lines;
	const char *modules;	/* folder, for what loads and unloads them */
	int shared_fd;
	int mail[2];		/* where files are passed */
	bool cover;
	bool system;		/* operations on the whole machine, too */
	bool root;		/* else half of the workers are nobody in particular */
};

struct worker {
	const struct options *options;
	struct shared *shared;
	struct slots slots;
	unsigned int nr;
	unsigned int life;	/* how often it was killed, and begun again */
	unsigned int from_line;	/* of a log that is done again */
	unsigned int depth;	/* generations of forks above it */
	bool root;
	pid_t tids[16];
	unsigned int nr_tids;
};

struct cover;

struct fuzzer {
	struct worker *worker;
	unsigned int nr;	/* of its thread in the worker */
	struct progress *progress;
	struct cover *cover;
	unsigned int nr_last;
	struct step last[STEPS_MAX];	/* what was done last */
};

/* ---- operations ---- */

#define NEEDS_ROOT	1
#define NEEDS_SYSTEM	2	/* and changes the whole machine */
#define NEEDS_TOP	4	/* not in what it has forked */

struct op {
	const char *name;
	unsigned int weight;
	unsigned int needs;
	/* a number that is not negative, or a negative errno */
	long (*run)(struct fuzzer *f, struct rnd *r);
};

extern const struct op ops[];
extern const unsigned int nr_ops;

int op_by_name(const char *name);
bool op_may(const struct op *op, const struct worker *worker);
/* in the log, in the figures, under the watchdog */
long op_run(struct fuzzer *f, unsigned int op, uint64_t seed);
/* the same without the log */
long op_do(struct fuzzer *f, const struct step *step);
/* one that does the same for many times has got so far: it is not stuck */
void op_goes_on(struct fuzzer *f);
/* an event of the caller's own, which keeps the sources attached; a fd, or -1 */
int event_anchor(void);
/* a file that was passed and is still on its way, or a negative errno */
int mail_take(const struct options *options, enum slot_kind *kind);
/* an event of the caller's own, who is about to execute a program; 0 or a negative errno */
long event_open_to_exec(struct fuzzer *f, struct rnd *r);
/* virtio_gpu is unbound, and bound again, under an event; if there is one */
void virtgpu_rebind(struct shared *shared);
/* all of them go, and come again, if nobody holds them */
void modules_reload(const struct options *options, struct shared *shared);

/* what a system call says, or errno's negative */
#define outcome(call)								\
({										\
	long outcome_ = (call);							\
										\
	outcome_ < 0 ? -(long)errno : outcome_;					\
})

/* ---- plan.c ---- */

struct plan {
	struct rnd rnd;
	struct sequence now;	/* one of the corpus that is being done again, changed */
	unsigned int at;
};

void plan_init(struct plan *plan, uint64_t seed);
struct step plan_next(struct plan *plan, struct fuzzer *f);
/* what was done last has reached something new */
void plan_keep(struct fuzzer *f);

/* ---- cover.c ---- */

/* NULL: this kernel cannot */
struct cover *cover_open(void);
void cover_begin(struct cover *cover, const struct shared *shared);
/* how many places were reached that nobody had reached before */
unsigned int cover_end(struct cover *cover, struct shared *shared);

/* ---- symbols.c ---- */

/* the modules were loaded, or loaded again */
void symbols_load(struct shared *shared);
/* false: in none of ours */
bool symbols_find(const struct shared *shared, unsigned long address, unsigned int *function,
		  unsigned long *offset);

/* ---- crew.c ---- */

enum crew_act {
	CREW_KILL,		/* a worker, and it begins again */
	CREW_ANCHOR,		/* 1: there is an event that stays; 0: it goes */
	CREW_RELOAD,		/* all of them, and the modules */
	CREW_ACTS
};

extern const char * const crew_acts[CREW_ACTS];

bool crew_run(const struct options *options, struct shared *shared);
void crew_act(struct crew *crew, enum crew_act act, unsigned int number,
	      unsigned int from_line);
/* for a while; false: it is over */
bool crew_watch(struct crew *crew);

/* ---- log.c ---- */


int log_open(struct log **log, const char *path);
/* which options it was */
void log_begin(const struct options *options, struct shared *shared);
/* before it is done */
void log_step(const struct fuzzer *f, const struct step *step);
void log_crew(const struct options *options, struct shared *shared, enum crew_act act,
	      unsigned int number);

struct log_line {
	bool crew;		/* it is the crew's; else a thread's of a worker */
	unsigned int worker;
	unsigned int thread;
	struct step step;	/* .op: an enum crew_act */
};

/* lines of the crew and of the workers themselves; 0 or a negative errno */
int log_read(const char *path, struct options *options, struct log_line **lines,
	     unsigned int *nr);

/* ---- worker.c ---- */

/* does not return */
void worker_main(const struct options *options, struct shared *shared, unsigned int nr,
		 unsigned int life, unsigned int from_line) __attribute__((noreturn));
/* so many operations, that a seed determines; in a process that was forked */
void worker_child(struct fuzzer *f, struct rnd *r);
/* what a program that was executed does; its arguments */
int worker_executed(char **argv);
int shared_map(int fd, struct shared **shared);

/* ---- replay.c ---- */

/* those of one thread */
void replay_lines(struct fuzzer *f);
/* those of the crew; until it is over */
void replay_crew(struct crew *crew, const struct options *options, struct shared *shared);

/* ---- report.c ---- */

void report_print(const struct shared *shared, double seconds);
/* which of the figures an event's opening counts for */
unsigned int event_kind(uint64_t config, uint64_t config1, bool task, bool sampling);
extern const char * const event_kind_names[KINDS_MAX];

int64_t now_ns(void);

#endif /* _FUZZ_PMU_FUZZ_H */
