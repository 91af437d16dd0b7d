// SPDX-License-Identifier: GPL-2.0
/*
 * Samples, as stock perf takes and shows them: of each job and of each wait one, with
 * the stack that led there, and of who did it. The truth is what the client was told
 * to do; for kmscube, and for the time of waits, the kernel's tracepoints.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/timex.h>
#include <time.h>

#include <linux/gpu_pmu.h>

#include "harness.h"

#include "perf.h"
#include "script.h"
#include "with-refgpu.h"

#define STACKS		"build/clients/stacks"
#define DATA		"/tmp/record.data"
#define MS		1000000ULL
#define PATIENCE	120

/* neither is what is tested, and on 9p they take their time */
#define RECORD		"perf record -q --no-buildid --no-buildid-cache -o " DATA " "
#define AS_USER		"setpriv --reuid 1000 --regid 1000 --clear-groups -- " \
			"env HOME=/tmp/record.home "
/* one that goes on between two samples: see script_unique() */
#define MONO		"-k CLOCK_MONOTONIC "
#define JOBS		"-e gpu/jobs/ "
#define WAIT_TIME	"-e gpu/wait-time/ "
#define WAITS_OF_JOBS	"-e gpu/waits/ "

#define SAID		"/tmp/record.said"

/* a shell command that says something only when it fails */
static __attribute__((format(printf, 1, 2))) int quietly(const char *fmt, ...)
{
	char command[1900];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	status = shell("{ %s; } >" SAID " 2>&1", command);
	if (status)
		shell("tail -20 " SAID " >&2");
	return status;
}

/* ---- the chains ---- */

struct expected_chain {
	const char *chain;
	unsigned int samples;	/* 0: all that there are, and some */
};

FIXTURE(chains)
{
	struct script *script;
};

FIXTURE_VARIANT(chains)
{
	const char *before;
	const char *args;
	const char *event;
	struct expected_chain chain[2];
};

#define CHAINS(_name, _before, _args, _event, ...)	\
	FIXTURE_VARIANT_ADD(chains, _name)		\
	{						\
		.before = _before,			\
		.args = _args,				\
		.event = _event,			\
		.chain = { __VA_ARGS__ },		\
	}

/* w() waits for what f() has submitted, and is in no job's chain */
#define SUBMITS		" -f 12 -g 8 -w 2 -m 5"
#define SUBMIT_CHAINS(end)	{ "f main " end, 12 }, { "h g main " end, 8 }
/* a sample for each ms */
#define WAITS		" -f 3 -w 3 -m 10"
/*
 * With 8 KiB of stack each a user's buffer holds some 60 of them, which all come when the wait
 * is over; and a wait is as long as its machine stands still. So there is one for each 50 ms.
 */
#define LONG_WAIT_TIME	"-e gpu/wait-time,period=50000000/ "
/* jobs long enough for each to be waited for, however late the wait comes */
#define LONG_WAITS	" -f 5 -w 5 -m 200"
#define VIRTIO_WAITS	" -v -f 10 -w 10"
/* the same with virtio-gpu, whose jobs are no longer than some ms */
#define VIRTIO_WAIT_TIME	"-e gpu/wait-time,period=5000000/ "
#define MANY_VIRTIO_WAITS	" -v -f 40 -w 40"
#define DWARF		"--call-graph dwarf "
#define FP		"--call-graph fp "
/* dwarf knows the way through libc to the start, which has no frame pointers */
#define START		"_start "

CHAINS(jobs_dwarf, "", JOBS DWARF STACKS SUBMITS, "gpu/jobs/", SUBMIT_CHAINS(START));
CHAINS(jobs_fp, "", JOBS FP STACKS "-fp" SUBMITS, "gpu/jobs/", SUBMIT_CHAINS(""));
CHAINS(virtio_jobs_dwarf, "", JOBS DWARF STACKS " -v" SUBMITS, "gpu/jobs/",
       SUBMIT_CHAINS(START));
CHAINS(waits_dwarf, "", WAITS_OF_JOBS DWARF STACKS LONG_WAITS, "gpu/waits/",
       { "w main " START, 5 });
CHAINS(wait_time_fp, "", WAIT_TIME FP STACKS "-fp" WAITS, "gpu/wait-time/",
       { "w main ", 0 });
/* the kernel must be left out of the chain to take one */
CHAINS(users_jobs_dwarf, AS_USER,
       "-R --user-callchains " JOBS DWARF STACKS SUBMITS, "gpu/jobs/",
       SUBMIT_CHAINS(START));
CHAINS(users_jobs_fp, AS_USER,
       "-R --user-callchains " JOBS FP STACKS "-fp" SUBMITS, "gpu/jobs/",
       SUBMIT_CHAINS(""));
CHAINS(users_wait_time_dwarf, AS_USER,
       "-R --user-callchains " LONG_WAIT_TIME DWARF STACKS LONG_WAITS, "gpu/wait-time,",
       { "w main " START, 0 });
CHAINS(users_wait_time_fp, AS_USER,
       "-R --user-callchains " WAIT_TIME FP STACKS "-fp" WAITS, "gpu/wait-time/",
       { "w main ", 0 });
CHAINS(users_waits_dwarf, AS_USER,
       "-R --user-callchains " WAITS_OF_JOBS DWARF STACKS LONG_WAITS, "gpu/waits/",
       { "w main " START, 5 });
CHAINS(users_waits_fp, AS_USER,
       "-R --user-callchains " WAITS_OF_JOBS FP STACKS "-fp" LONG_WAITS, "gpu/waits/",
       { "w main ", 5 });
/*
 * virtio-gpu: jobs as long as they can be, some ms; for one or the other the wait may come
 * too late. By poll() on a sync file, in libc, which has no frame pointers
 */
CHAINS(virtio_wait_time_dwarf, "", "-m 4M " VIRTIO_WAIT_TIME DWARF STACKS MANY_VIRTIO_WAITS,
       "gpu/wait-time,", { "w main " START, 0 });
CHAINS(users_virtio_jobs_fp, AS_USER,
       "-R --user-callchains " JOBS FP STACKS "-fp -v" SUBMITS, "gpu/jobs/",
       SUBMIT_CHAINS(""));
CHAINS(users_virtio_waits_dwarf, AS_USER,
       "-R --user-callchains " WAITS_OF_JOBS DWARF STACKS VIRTIO_WAITS, "gpu/waits/",
       { "w main " START, 0 });

/* a script that records, for a user, too. Its status, or -1 */
static int record(const char *before, const char *script)
{
	int paranoid = sysctl_number("perf_event_paranoid"), status;

	if (shell("rm -rf " DATA " /tmp/record.home && mkdir -m 777 /tmp/record.home") ||
	    paranoid_set(2))
		return -1;
	status = quietly("%s%s", before, script);
	/* root's perf does not trust a file of someone else's */
	if (paranoid_set(paranoid) || chown(DATA, 0, 0))
		return -1;
	return status;
}

FIXTURE_SETUP(chains)
{
	char script[1024];

	snprintf(script, sizeof(script), " " RECORD MONO "%s", variant->args);
	EXPECT_EQ(0, record(variant->before, script));
	self->script = script_read(DATA);
	ASSERT_NE(NULL, self->script);
	if (variant->chain[0].samples)
		script_unique(self->script);
}

FIXTURE_TEARDOWN(chains)
{
	script_free(self->script);
}

static unsigned int chain_count(const struct script *script, const char *event,
				const char *chain)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		nr += script_is(&script->sample[i], event) &&
		      !strcmp(script->sample[i].chain, chain);
	return nr;
}

static unsigned int kernel_count(const struct script *script)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		nr += script->sample[i].kernel;
	return nr;
}

TEST_F_TIMEOUT(chains, are_those, PATIENCE)
{
	struct script *script = self->script;
	unsigned int i, known = 0;

	EXPECT_EQ(0, script->status);
	EXPECT_EQ(0, script->broken);
	EXPECT_EQ(0, script->lost);
	EXPECT_LT(0, script->nr);
	for (i = 0; i < 2 && variant->chain[i].chain; i++) {
		unsigned int nr = chain_count(script, variant->event, variant->chain[i].chain);

		if (variant->chain[i].samples)
			EXPECT_EQ(variant->chain[i].samples, nr);
		known += nr;
	}
	EXPECT_EQ(script->nr, known);
	EXPECT_EQ(0, kernel_count(script));
	if (!__test_passed(_metadata))
		for (i = 0; i < script->nr; i++)
			TH_LOG("%s %s", script->sample[i].event, script->sample[i].chain);
}

/* ---- how many ---- */

FIXTURE(count)
{
	struct script *script;
};

/*
 * samples: of gpu/jobs/, which there are in each recording. Where gpu/jobs,period=10/ is
 * recorded, too: perf has an event of it for each of events tasks on each CPU, and what each
 * of them has counted in the end is less than one more period. 0: one event for each task, on
 * whatever CPU that is, and its jobs are a multiple of 10. tasks: 0 if the samples are not
 * taken in the task that they are about
 */
FIXTURE_VARIANT(count)
{
	const char *script;
	unsigned int samples;
	unsigned int tasks;
	unsigned int events;
};

#define COUNT(_name, _samples, _tasks, ...)		\
	COUNT_TENTHS(_name, _samples, _tasks, 0, __VA_ARGS__)
#define COUNT_TENTHS(_name, _samples, _tasks, _events, ...)	\
	FIXTURE_VARIANT_ADD(count, _name)		\
	{						\
		.script = __VA_ARGS__,			\
		.samples = _samples,			\
		.tasks = _tasks,			\
		.events = _events,			\
	}

/* jobs of the same thread are told from one another by their fences */
#define RAW		RECORD "-R "

/* a program that has its threads before perf comes: they begin when perf is there */
#define ATTACH(args, options)	ATTACH_TO(JOBS TENTH, args, options)
#define ATTACH_TO(events, args, options)					\
	"rm -f /tmp/record.in /tmp/record.out; "				\
	"mkfifo /tmp/record.in /tmp/record.out; "				\
	STACKS " -i " args " </tmp/record.in >/tmp/record.out & "		\
	"pid=$!; "								\
	"exec 3>/tmp/record.in 4</tmp/record.out; "				\
	"read ready <&4; "							\
	RAW options events "-p $pid -- sh -c 'echo >&3; cat <&4'; "	\
	"wait $pid"
#define TENTH_EVENT	"gpu/jobs,period=10/"
#define TENTH		"-e " TENTH_EVENT " "
/* perf has an event on each CPU, and each of them has a period of its own */
#define ONE_CPU		"taskset -c 1 "

#define CHILDREN	" -c 4 -f 35 -g 15"
#define THREADS		" -t 8 -f 20 -g 10"
#define BOTH		" -c 2 -t 3 -f 30"
#define EACH_THREAD	"-t 8 -f 30"

COUNT(all, 40, 1, RAW "-c 1 " JOBS STACKS " -f 40");
COUNT(each_tenth, 4, 1, RAW "-c 10 " JOBS ONE_CPU STACKS " -f 40");
/* as the event files say it: wait-time's is 1 ms by them */
COUNT(period_as_a_term, 8, 1, RAW "-e gpu/jobs,period=5/ " ONE_CPU STACKS " -f 40");
COUNT_TENTHS(migrates, 40, 1, 1, RAW JOBS TENTH STACKS " -M -f 40");
COUNT_TENTHS(children, 200, 4, 5, RAW JOBS TENTH STACKS CHILDREN);
COUNT_TENTHS(threads, 240, 8, 9, RAW JOBS TENTH STACKS THREADS);
COUNT_TENTHS(children_with_threads, 180, 6, 9, RAW JOBS TENTH STACKS BOTH);
COUNT_TENTHS(system_wide, 200, 4, 1, RAW "-a " JOBS TENTH STACKS CHILDREN);
COUNT(no_inherit, 40, 1, RAW "--per-thread -T " JOBS TENTH STACKS " -M -f 40");
/* what its threads do is not its own then */
COUNT(no_inherit_threads, 0, 0, RAW "--per-thread -T " JOBS STACKS " -t 2 -f 20");
COUNT_TENTHS(attached, 240, 8, 9, ATTACH(EACH_THREAD, ""));
COUNT(attached_per_thread, 240, 8, ATTACH(EACH_THREAD, "--per-thread -T "));
COUNT(overwrite, 40, 1, RAW "--overwrite " JOBS STACKS " -f 40");

/* completions: of all jobs, wherever their task is when they are found out */
#define DONE		"-e gpu/jobs-done/ "
COUNT(done_migrates, 200, 0, RAW DONE STACKS " -M -f 200");
COUNT(done_children, 200, 0, RAW DONE STACKS CHILDREN);
COUNT(done_threads, 240, 0, RAW DONE STACKS THREADS);
COUNT(done_attached, 240, 0, ATTACH_TO(DONE, EACH_THREAD, ""));
COUNT(done_attached_per_thread, 240, 0, ATTACH_TO(DONE, EACH_THREAD, "--per-thread -T "));
COUNT(done_as_user, 240, 0, AS_USER RAW "-e gpu/jobs-done/u " STACKS THREADS);
COUNT(virtio_done_migrates, 200, 0, RAW DONE STACKS " -v -M -f 200");
COUNT(virtio_done_threads, 240, 0, RAW DONE STACKS " -v" THREADS);

COUNT_TENTHS(virtio_children, 200, 4, 5, RAW JOBS TENTH STACKS " -v" CHILDREN);
COUNT_TENTHS(virtio_threads, 240, 8, 9, RAW JOBS TENTH STACKS " -v" THREADS);
COUNT_TENTHS(virtio_system_wide, 200, 4, 1, RAW "-a " JOBS TENTH STACKS " -v" CHILDREN);
COUNT(virtio_no_inherit, 40, 1, RAW "--per-thread -T " JOBS TENTH STACKS " -v -M -f 40");
COUNT_TENTHS(virtio_attached, 240, 8, 9, ATTACH("-v " EACH_THREAD, ""));
COUNT(virtio_attached_per_thread, 240, 8, ATTACH("-v " EACH_THREAD, "--per-thread -T "));

FIXTURE_SETUP(count)
{
	EXPECT_EQ(0, record("", variant->script));
	self->script = script_dump(DATA);
	ASSERT_NE(NULL, self->script);
	script_unique(self->script);
}

FIXTURE_TEARDOWN(count)
{
	script_free(self->script);
}

static unsigned int tasks_count(const struct script *script)
{
	unsigned int nr = 0, i, k;

	for (i = 0; i < script->nr; i++) {
		for (k = 0; k < i; k++)
			if (script->sample[k].tid == script->sample[i].tid)
				break;
		nr += k == i;
	}
	return nr;
}

/* by how often a period of 10 is full, in each of them */
static bool tenth_is_right(unsigned int jobs, unsigned int tenth, unsigned int events)
{
	unsigned int left = events * sysconf(_SC_NPROCESSORS_ONLN);

	if (!events)
		return tenth * 10 == jobs;
	return tenth * 10 <= jobs && (tenth + left) * 10 > jobs;
}

TEST_F_TIMEOUT(count, is_right, PATIENCE)
{
	unsigned int tenths = script_count(self->script, TENTH_EVENT);

	EXPECT_EQ(0, self->script->status);
	EXPECT_EQ(0, self->script->broken);
	EXPECT_EQ(0, self->script->lost);
	EXPECT_EQ(variant->samples, self->script->nr - tenths);
	if (variant->tasks || !variant->samples)
		EXPECT_EQ(variant->tasks, tasks_count(self->script));
	if (strstr(variant->script, TENTH_EVENT))
		EXPECT_TRUE(tenth_is_right(variant->samples, tenths, variant->events))
			TH_LOG("%u of %u", tenths, variant->samples);
	if (!__test_passed(_metadata))
		shell("cat " SAID " /tmp/script.said >&2");
}

FIXTURE(script)
{
	struct script *script;
	struct script *other;
	struct perf_stat stat;
};

FIXTURE_SETUP(script)
{
}

FIXTURE_TEARDOWN(script)
{
	script_free(self->script);
	script_free(self->other);
}

#define LOST_MS		500
#define LOST_SAMPLES	100

/*
 * Hundreds of stacks, of 8 KiB each, into 16 KiB: after one there is room for no other one, but
 * for the small record of the program's end, and that says how many were lost before it: on one
 * CPU, as each has a buffer. One wait, so there is one event that has all of it. The job is long
 * enough for the wait not to come too late, however busy the host is; and a period so long that
 * perf throttles nothing.
 */
TEST_F_TIMEOUT(script, tells_what_is_lost, PATIENCE)
{
	const unsigned int ms = LOST_MS * slowdown();
	const uint64_t period = ms * MS / LOST_SAMPLES;
	struct perf_stat *stat = &self->stat;
	uint64_t waited;

	ASSERT_EQ(0, perf_stat_run(stat, "-e gpu/waits/ -e gpu/wait-time/ " RECORD
				   "-m 4 -e gpu/wait-time,period=%lu/ " DWARF
				   ONE_CPU STACKS " -f 1 -w 1 -m %u", period, ms));
	self->script = script_read(DATA);
	ASSERT_NE(NULL, self->script);
	EXPECT_EQ(0, stat->status);
	EXPECT_EQ(0, self->script->broken);
	EXPECT_EQ(1, perf_stat_sum(stat, "gpu/waits/"));
	waited = perf_stat_sum(stat, "gpu/wait-time/");
	TH_LOG("%lu us, %u samples, %lu lost", waited / 1000, self->script->nr,
	       self->script->lost);
	EXPECT_LT(0, self->script->nr);
	EXPECT_LT(0, self->script->lost);
	EXPECT_EQ(waited / period, self->script->nr + self->script->lost);
	if (!__test_passed(_metadata))
		perf_stat_dump(stat);
}

#define LONG_WAIT_MS	1000

/* what perf takes of an event in one tick of the kernel's, with which this clock goes on */
static unsigned int samples_of_a_tick(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return sysctl_number("perf_event_max_sample_rate") / (1000 * MS / tick.tv_nsec);
}

/*
 * A long wait has more samples than perf takes at once: the file says that there were more, and
 * the count is that of the whole wait. What perf has written twice is not told from the others.
 */
TEST_F_TIMEOUT(script, has_a_ticks_share_of_a_long_wait, PATIENCE)
{
	struct perf_stat *stat = &self->stat;
	unsigned int most = samples_of_a_tick(), waited;

	ASSERT_EQ(0, perf_stat_run(stat, "-e gpu/wait-time/ " RECORD "-R " WAIT_TIME ONE_CPU STACKS
				   " -f 1 -w 1 -m %d", LONG_WAIT_MS));
	self->script = script_dump(DATA);
	ASSERT_NE(NULL, self->script);
	EXPECT_EQ(0, stat->status);
	EXPECT_EQ(0, self->script->broken);
	EXPECT_EQ(0, self->script->lost + self->script->lost_samples);
	waited = perf_stat_sum(stat, "gpu/wait-time/") / MS;
	TH_LOG("%u samples of %u ms, %u in a tick", self->script->nr, waited, most);
	EXPECT_LE(LONG_WAIT_MS * 9 / 10, waited);
	EXPECT_LE(most, self->script->nr);
	EXPECT_GT(waited, self->script->nr);
	EXPECT_LE(1, self->script->throttled);
}

#define OVERWRITTEN	"/tmp/record.overwritten"
#define JOBS_TOO_MANY	400

/*
 * A page, in which there is room for few of the samples: those that are left are the newest ones.
 * Another perf has them all. One CPU, as each has a buffer.
 */
TEST_F_TIMEOUT(script, has_the_newest_if_overwritten, PATIENCE)
{
	const struct script *all, *left;
	unsigned int gone, i;

	ASSERT_EQ(0, quietly(RECORD MONO "-R " JOBS "perf record -q -B -N -R " MONO "-o "
			     OVERWRITTEN " --overwrite -m 1 " JOBS ONE_CPU STACKS " -f %d",
			     JOBS_TOO_MANY));
	all = self->script = script_dump(DATA);
	left = self->other = script_dump(OVERWRITTEN);
	ASSERT_NE(NULL, all);
	ASSERT_NE(NULL, left);
	script_unique(self->script);
	EXPECT_EQ(0, all->broken + left->broken);
	EXPECT_EQ(0, all->lost + all->lost_samples);
	ASSERT_EQ(JOBS_TOO_MANY, all->nr);
	TH_LOG("%u of %u are left", left->nr, all->nr);
	EXPECT_LT(1, left->nr);
	ASSERT_GT(all->nr, left->nr);
	gone = all->nr - left->nr;
	for (i = 0; i < left->nr; i++) {
		EXPECT_NE(0, left->sample[i].gpu.fence_seqno);
		EXPECT_EQ(all->sample[gone + i].gpu.fence_context,
			  left->sample[i].gpu.fence_context);
		EXPECT_EQ(all->sample[gone + i].gpu.fence_seqno,
			  left->sample[i].gpu.fence_seqno);
	}
}

/* the processor here has no LBR, and an event that is not its own could not use it */
TEST_F_TIMEOUT(script, takes_no_branches, PATIENCE)
{
	EXPECT_NE(0, shell(RECORD JOBS "--call-graph lbr " STACKS " -f 1 >" SAID " 2>&1"));
	EXPECT_EQ(0, shell("grep -q \"gpu/jobs/.* doesn't support branch stack sampling\" " SAID))
		shell("cat " SAID " >&2");
}

/* ---- wait-time, and what the kernel says of the same waits ---- */

#define WAIT_START	"dma_fence:dma_fence_wait_start"
#define WAIT_END	"dma_fence:dma_fence_wait_end"
#define WAITERS		8
#define WAIT_MS		50

/* tid 0: of all threads */
static uint64_t period_sum(const struct script *script, const char *event)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		if (script_is(&script->sample[i], event))
			sum += script->sample[i].period;
	return sum;
}

/* one task, which is in one wait at a time */
static uint64_t waited(const struct script *script)
{
	uint64_t sum = 0, start = 0;

	for (unsigned int i = 0; i < script->nr; i++) {
		if (script_is(&script->sample[i], WAIT_START))
			start = script->sample[i].time;
		else if (script_is(&script->sample[i], WAIT_END) && start)
			sum += script->sample[i].time - start;
	}
	return sum;
}

TEST_F_TIMEOUT(script, has_the_time_of_the_tracepoints, PATIENCE)
{
	uint64_t sum, truth, off;
	struct script *script;

	ASSERT_EQ(0, quietly(RECORD MONO "-m 4M --period -e gpu/wait-time/ "
			   "-e gpu/waits,call-graph=no/ -e " WAIT_START "/call-graph=no/ "
			   "-e " WAIT_END "/call-graph=no/ " DWARF
			   STACKS " -f %d -w %d -m %d", WAITERS, WAITERS, WAIT_MS));
	script = self->script = script_read(DATA);
	ASSERT_NE(NULL, script);
	EXPECT_EQ(0, script->status);
	EXPECT_EQ(0, script->broken);
	EXPECT_EQ(0, script->lost);
	script_unique(script);
	EXPECT_EQ(WAITERS, script_count(script, WAIT_START));
	EXPECT_EQ(WAITERS, script_count(script, WAIT_END));
	EXPECT_EQ(WAITERS, script_count(script, "gpu/waits"));
	EXPECT_EQ(WAITERS, script_count(script, "gpu/wait-time/"));
	EXPECT_EQ(WAITERS, chain_count(script, "gpu/wait-time/", "w main " START));
	sum = period_sum(script, "gpu/wait-time/");
	truth = waited(script);
	TH_LOG("wait-time %lu us, by tracepoints %lu us", sum / 1000, truth / 1000);
	EXPECT_LE(WAITERS * WAIT_MS * MS * 9 / 10, truth);
	/* between its clock and theirs there is some code, which may be slow */
	off = sum > truth ? sum - truth : truth - sum;
	EXPECT_LE(off * 100, truth * slowdown());
}

/*
 * Each way to wait, on both GPUs: what the task has slept in the system call, and what fences'
 * tracepoints say, is in a wait, and the wait is in the call. That is so to the nanosecond, by one
 * clock, wherever the machine stands still for a while. By threads, one of which waits for
 * the other one's job, too: each has its own time. On one CPU, so that none of them stands still
 * for what another one does: the host may have one for all.
 */
FIXTURE(call)
{
	struct script *script;
};

FIXTURE_VARIANT(call)
{
	const char *args;
	const char *call;
	const char *has;	/* in what its tracepoint says of the one that waits */
	bool fences;		/* there are tracepoints of its fence, too */
	unsigned int some;	/* jobs are short, and not each is waited for: so many calls */
};

#define CALL(_name, _args, _call, _has, ...)		\
	FIXTURE_VARIANT_ADD(call, _name)		\
	{						\
		.args = _args,				\
		.call = _call,				\
		.has = _has,				\
		__VA_ARGS__				\
	}

/* their ioctls, whatever the argument's size is */
CALL(buffer, "-W buffer", "ioctl", "6445,", .fences = true);
CALL(file, "-W file", "poll", "");
CALL(syncobj, "-W syncobj", "ioctl", "64c3,");
/* a queue of jobs, which are short */
CALL(virtio_buffer, "-v -n 20 -W buffer", "ioctl", "6448,", .fences = true, .some = 12);
CALL(virtio_file, "-v -n 20 -W file", "poll", "", .some = 12);

#define ENTER		"syscalls:sys_enter_"
#define EXIT		"syscalls:sys_exit_"
#define CALL_MS		500
#define CALLERS		2
#define CALLS		2

FIXTURE_SETUP(call)
{
	unsigned int calls = variant->some ?: CALLS;

	ASSERT_EQ(0, quietly(RECORD MONO "-R -m 1M --period --switch-events -e gpu/wait-time/ "
			     "-e gpu/waits/ -e " WAIT_START " -e " WAIT_END " -e " ENTER "%s "
			     "-e " EXIT "%s " ONE_CPU STACKS " -t %d -f %d -w %d -m %d %s",
			     variant->call, variant->call, CALLERS, calls, calls,
			     CALL_MS * slowdown(), variant->args));
	self->script = script_dump(DATA);
	ASSERT_NE(NULL, self->script);
	script_unique(self->script);
}

FIXTURE_TEARDOWN(call)
{
	script_free(self->script);
}

/* the kernel has two readings of one clock, which may be this far apart */
#define CLOCK_NS	1000

/* a time of a thread's, and whether it is in one of its waits */
static bool is_waited(const struct script *script, pid_t tid, uint64_t begin, uint64_t end)
{
	for (unsigned int i = 0; i < script->nr; i++) {
		const struct script_sample *sample = &script->sample[i];

		if (sample->tid == tid && script_is(sample, "gpu/wait-time/") &&
		    sample->gpu.begin <= begin + CLOCK_NS && end <= sample->gpu.end + CLOCK_NS)
			return true;
	}
	return false;
}

/* of a thread, and of those of its calls that are waits: see calls_read() */
struct calls {
	unsigned int waits;
	unsigned int sleeps;
	unsigned int fences;	/* of the tracepoints, while the thread slept */
	unsigned int unseen;	/* sleeps and fences that are in no wait */
	unsigned int wrong;	/* waits that are not in their call, or whose period is another one */
	unsigned int equal;	/* waits that are as long as their call: see close_to() */
};

/* how much longer a call may be: the hundredth part; of a wait of some ms that is no time */
static uint64_t close_to(uint64_t wait)
{
	return (wait < 100 * MS ? MS : wait / 100) * slowdown();
}

/* the waits of a call */
static void call_read(struct __test_metadata *_metadata, const struct script *script, pid_t tid,
		      uint64_t begin, uint64_t end, struct calls *calls)
{
	for (unsigned int i = 0; i < script->nr; i++) {
		const struct script_sample *sample = &script->sample[i];
		uint64_t length = sample->gpu.end - sample->gpu.begin;

		if (sample->tid != tid || !script_is(sample, "gpu/wait-time/") ||
		    sample->gpu.begin + CLOCK_NS < begin || sample->gpu.begin > end)
			continue;
		TH_LOG("wait-time %lu us, by tracepoints %lu us", sample->period / 1000,
		       (end - begin) / 1000);
		calls->waits++;
		calls->wrong += sample->gpu.end > end + CLOCK_NS || sample->period != length;
		calls->equal += end - begin <= length + close_to(length);
	}
}

static void calls_read(struct __test_metadata *_metadata, const struct script *script, pid_t tid,
		       const char *has, struct calls *calls)
{
	uint64_t call = 0, sleep = 0, fence = 0;
	bool slept = false;

	*calls = (struct calls) {};
	for (unsigned int i = 0; i < script->nr; i++) {
		const struct script_sample *sample = &script->sample[i];
		uint64_t now = sample->time;

		if (sample->tid != tid)
			continue;
		if (script_is(sample, ENTER)) {
			call = strstr(sample->trace, has) ? now : 0;
			sleep = 0;
		} else if (!call) {
			continue;
		} else if (script_is(sample, SCRIPT_SLEEPS)) {
			sleep = now;
			slept = true;
		} else if (script_is(sample, SCRIPT_RUNS) && sleep) {
			calls->sleeps++;
			calls->unseen += !is_waited(script, tid, sleep, now);
			sleep = 0;
		} else if (script_is(sample, WAIT_START)) {
			fence = now;
			slept = false;
		} else if (script_is(sample, WAIT_END) && slept) {
			calls->fences++;
			calls->unseen += !is_waited(script, tid, fence, now);
		} else if (script_is(sample, EXIT)) {
			call_read(_metadata, script, tid, call, now, calls);
			call = 0;
		}
	}
}

/* the threads that have waited: how many, and the first ones of them */
static unsigned int waiters(const struct script *script, pid_t *tids, unsigned int room)
{
	unsigned int nr = 0, i, k;

	for (i = 0; i < script->nr; i++) {
		if (!script_is(&script->sample[i], "gpu/waits/"))
			continue;
		for (k = 0; k < nr && k < room; k++)
			if (tids[k] == script->sample[i].tid)
				break;
		if (k == nr && nr < room)
			tids[nr] = script->sample[i].tid;
		nr += k == nr || k == room;
	}
	return nr;
}

/*
 * Where the host is busy the machine may stand still between the end of the wait and that of
 * the call. So it is one of the calls that must be as long as its wait. Each wait has all that
 * was slept in its call, however long that is, and no more than the call.
 */
TEST_F_TIMEOUT(call, has_the_time_of_the_tracepoints, PATIENCE)
{
	const struct script *script = self->script;
	unsigned int waits = 0, equal = 0, threads, i;
	struct calls calls;
	pid_t tids[CALLERS];

	EXPECT_EQ(0, script->status);
	EXPECT_EQ(0, script->broken);
	EXPECT_EQ(0, script->lost + script->lost_samples);
	threads = waiters(script, tids, CALLERS);
	EXPECT_LE(1, threads);
	for (i = 0; i < threads && i < CALLERS; i++) {
		calls_read(_metadata, script, tids[i], variant->has, &calls);
		waits += calls.waits;
		EXPECT_LE(calls.waits, calls.sleeps);
		EXPECT_EQ(variant->fences ? calls.waits : 0, calls.fences);
		EXPECT_EQ(0, calls.unseen);
		EXPECT_EQ(0, calls.wrong);
		equal += calls.equal;
		if (!variant->some)
			EXPECT_EQ(CALLS, calls.waits);
	}
	EXPECT_LE(1, equal);
	EXPECT_EQ(script_count(script, "gpu/waits/"), waits);
	EXPECT_EQ(script_count(script, "gpu/wait-time/"), waits);
	if (!variant->some)
		EXPECT_EQ(CALLERS, threads);
}

/* ---- which fence ---- */

#define EMIT		"dma_fence:dma_fence_emit"
#define SUBMIT		"virtio_gpu:virtio_gpu_cmd_queue"
#define CUBE_DATA	"/tmp/record.cube"
#define FRAMES		20
#define MODE_FRAMES	8
/*
 * kmscube ends when its stdin can be read. On one CPU, as perf has a period on each.
 * It is recorded by itself, too, in the recording of all that there is. By the clock that
 * the PMU has, so that times can be compared as they are; and events of the PMU come first,
 * so that it hears of a command before the recorded tracepoint does.
 */
#define CUBE_RECORD								\
	"rm -f /tmp/record.in; mkfifo /tmp/record.in; "				\
	RECORD MONO "-a -R -e gpu/jobs/ -e gpu/jobs,period=10/ -e gpu/jobs-done/ "	\
	"-e " EMIT " -e " SUBMIT " -- "						\
	"perf record -q -B -N -R " MONO "-o " CUBE_DATA " -e gpu/jobs/ -e gpu/jobs-done/ "	\
	ONE_CPU "kmscube -D /dev/dri/card0 -c %d "				\
	"<>/tmp/record.in"

/* "vdev=3 vq=0 name=control type=0x207 flags=0x1 fence_id=3 ctx_id=2 ..." */
static bool is_job_of(const struct script_sample *sample, uint64_t *seqno, uint64_t *ctx)
{
	const char *at = strstr(sample->trace, " type=0x207 ");

	return script_is(sample, SUBMIT) && at &&
	       sscanf(at, " type=0x207 flags=0x1 fence_id=%lu ctx_id=%lu", seqno, ctx) == 2;
}

static bool is_job(const struct script_sample *sample, uint64_t *seqno)
{
	uint64_t ctx;

	return is_job_of(sample, seqno, &ctx);
}

/* "driver=virtio_gpu timeline=controlq context=1 seqno=1" */
static bool is_emit(const struct script_sample *sample, uint64_t *context, uint64_t *seqno)
{
	const char *at = strstr(sample->trace, " context=");

	return script_is(sample, EMIT) && at &&
	       sscanf(at, " context=%lu seqno=%lu", context, seqno) == 2;
}

static unsigned int jobs_told(const struct script *script)
{
	unsigned int nr = 0;
	uint64_t seqno;

	for (unsigned int i = 0; i < script->nr; i++)
		nr += is_job(&script->sample[i], &seqno);
	return nr;
}

/* how often the driver said that it was a job's command that signals it */
static unsigned int fence_told(const struct script *script, const struct gpu_pmu_sample *gpu)
{
	unsigned int emits = 0, commands = 0;
	uint64_t context, seqno;

	for (unsigned int i = 0; i < script->nr; i++) {
		if (is_emit(&script->sample[i], &context, &seqno))
			emits += context == gpu->fence_context &&
				 seqno == (uint32_t)gpu->fence_seqno;
		if (is_job(&script->sample[i], &seqno))
			commands += seqno == gpu->fence_seqno;
	}
	return emits == commands ? emits : 0;
}

/* how many samples of an event have that fence */
static unsigned int fence_sampled(const struct script *script, const char *event,
				  const struct gpu_pmu_sample *gpu)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		nr += script_is(&script->sample[i], event) &&
		      script->sample[i].gpu.fence_context == gpu->fence_context &&
		      script->sample[i].gpu.fence_seqno == gpu->fence_seqno;
	return nr;
}

static const struct script_sample *emit_find(const struct script *script,
					     const struct gpu_pmu_sample *gpu)
{
	uint64_t context, seqno;

	for (unsigned int i = 0; i < script->nr; i++)
		if (is_emit(&script->sample[i], &context, &seqno) &&
		    context == gpu->fence_context && seqno == (uint32_t)gpu->fence_seqno)
			return &script->sample[i];
	return NULL;
}

static const struct script_sample *command_find(const struct script *script,
						const struct gpu_pmu_sample *gpu)
{
	uint64_t seqno;

	for (unsigned int i = 0; i < script->nr; i++)
		if (is_job(&script->sample[i], &seqno) && seqno == gpu->fence_seqno)
			return &script->sample[i];
	return NULL;
}

/* 0: there is none */
static uint64_t ctx_told(const struct script *script, const struct gpu_pmu_sample *gpu)
{
	const struct script_sample *command = command_find(script, gpu);
	uint64_t seqno, ctx;

	return command && is_job_of(command, &seqno, &ctx) ? ctx : 0;
}

/* the submission's sample of a job, by its fence */
static const struct script_sample *job_find(const struct script *script,
					    const struct gpu_pmu_sample *gpu)
{
	for (unsigned int i = 0; i < script->nr; i++)
		if (script_is(&script->sample[i], "gpu/jobs/") &&
		    script->sample[i].gpu.fence_context == gpu->fence_context &&
		    script->sample[i].gpu.fence_seqno == gpu->fence_seqno)
			return &script->sample[i];
	return NULL;
}

/* the first GPU's render minor, and its one engine */
#define CUBE_DEV	128
#define CUBE_ENGINE	0

FIXTURE(cube)
{
	struct script *all;
	struct script *own;
};

FIXTURE_SETUP(cube)
{
	if (!has_output())
		SKIP(return, "this kernel's driver has no outputs");
	ASSERT_EQ(0, quietly(CUBE_RECORD, FRAMES));
	self->all = script_dump(DATA);
	self->own = script_dump(CUBE_DATA);
	ASSERT_NE(NULL, self->all);
	ASSERT_NE(NULL, self->own);
	script_unique(self->all);
	script_unique(self->own);
}

FIXTURE_TEARDOWN(cube)
{
	script_free(self->all);
	script_free(self->own);
}

TEST_F_TIMEOUT(cube, equals_the_tracepoints, 2 * PATIENCE)
{
	const struct script *scripts[] = { self->all, self->own };
	unsigned int jobs = jobs_told(self->all), i, k;

	TH_LOG("%d frames, %u jobs", FRAMES, jobs);
	EXPECT_LE(FRAMES, jobs);
	EXPECT_EQ(jobs / 10, script_count(self->all, "gpu/jobs,period=10/"));
	for (k = 0; k < 2; k++) {
		const struct script *script = scripts[k];

		EXPECT_EQ(0, script->status);
		EXPECT_EQ(0, script->broken);
		EXPECT_EQ(0, script->lost);
		EXPECT_EQ(jobs, script_count(script, "gpu/jobs/"));
		/* those that were complete when it ended, or the recording did */
		EXPECT_GE(jobs, script_count(script, "gpu/jobs-done/"));
		EXPECT_LE(jobs - 2, script_count(script, "gpu/jobs-done/"));
		for (i = 0; i < script->nr; i++) {
			const struct script_sample *sample = &script->sample[i];
			bool done = script_is(sample, "gpu/jobs-done/");

			if (!script_is(sample, "gpu/jobs"))
				continue;
			ASSERT_EQ(done ? GPU_PMU_SAMPLE_DONE : GPU_PMU_SAMPLE_JOB,
				  sample->gpu.kind);
			EXPECT_NE(0, sample->gpu.fence_context);
			EXPECT_EQ(1, fence_told(self->all, &sample->gpu));
			EXPECT_EQ(1, fence_sampled(script, "gpu/jobs/", &sample->gpu));
			if (done)
				EXPECT_EQ(1, fence_sampled(script, "gpu/jobs-done/",
							   &sample->gpu));
		}
	}
}

/* whose it is, as perf and the tracepoints say it; there is one process, with one file */
TEST_F_TIMEOUT(cube, says_whose_it_is, 2 * PATIENCE)
{
	const struct script *scripts[] = { self->all, self->own };
	unsigned int i, k, samples = 0;
	uint64_t client = 0;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < scripts[k]->nr; i++) {
			const struct script_sample *sample = &scripts[k]->sample[i];
			const struct gpu_pmu_sample *gpu = &sample->gpu;
			const struct script_sample *job, *emit, *command;

			if (!script_is(sample, "gpu/jobs"))
				continue;
			job = job_find(scripts[k], gpu);
			emit = emit_find(self->all, gpu);
			command = command_find(self->all, gpu);
			ASSERT_NE(NULL, job);
			ASSERT_NE(NULL, emit);
			ASSERT_NE(NULL, command);
			client = client ?: gpu->client;
			EXPECT_NE(0, gpu->client);
			EXPECT_EQ(client, gpu->client);
			EXPECT_EQ(CUBE_DEV, gpu->dev);
			EXPECT_EQ(CUBE_ENGINE, gpu->engine);
			EXPECT_NE(0, gpu->ctx);
			EXPECT_EQ(ctx_told(self->all, gpu), gpu->ctx);
			EXPECT_EQ(emit->pid, (pid_t)gpu->pid);
			EXPECT_EQ(job->pid, (pid_t)gpu->pid);
			samples++;
			EXPECT_LE(emit->time, gpu->submit);
			/* the record of the submission is written behind its sample */
			if (gpu->kind == GPU_PMU_SAMPLE_DONE) {
				EXPECT_LE(job->gpu.submit, gpu->submit);
				EXPECT_LE(gpu->submit, command->time);
				EXPECT_LE(gpu->submit, gpu->begin);
				EXPECT_LE(gpu->begin, gpu->end);
				EXPECT_LE(gpu->busy, gpu->end - gpu->begin);
				continue;
			}
			EXPECT_GE(sample->time, gpu->submit);
			EXPECT_LE(sample->time, command->time);
		}
	}
	EXPECT_LE(4 * (FRAMES - 2), samples);
}

FIXTURE(cube_modes)
{
	struct perf_stat stat;
	struct script *script;
};

FIXTURE_SETUP(cube_modes)
{
	if (!has_output())
		SKIP(return, "this kernel's driver has no outputs");
}

FIXTURE_TEARDOWN(cube_modes)
{
	script_free(self->script);
}

/* on any CPU: of the program, of one thread, of a process that is there already */
TEST_F_TIMEOUT(cube_modes, equal_the_tracepoint, 2 * PATIENCE)
{
	static const char *const modes[] = { "program", "thread", "attached" };
	uint64_t jobs;

	ASSERT_EQ(0, perf_stat_run(&self->stat, "-a -e " SUBMIT " --filter 'type == 0x207' "
				   "tests/selftests/record-cube %s %d", CUBE_DATA, MODE_FRAMES));
	EXPECT_EQ(0, self->stat.status);
	jobs = perf_stat_sum(&self->stat, SUBMIT);
	EXPECT_LE(MODE_FRAMES, jobs);
	for (unsigned int i = 0; i < 3; i++) {
		char data[64];

		snprintf(data, sizeof(data), CUBE_DATA ".%s", modes[i]);
		self->script = script_dump(data);
		ASSERT_NE(NULL, self->script);
		script_unique(self->script);
		EXPECT_EQ(0, self->script->status);
		EXPECT_EQ(0, self->script->broken);
		EXPECT_EQ(0, self->script->lost + self->script->lost_samples);
		EXPECT_EQ(jobs, script_count(self->script, "gpu/jobs/"))
			TH_LOG("%s", modes[i]);
		EXPECT_EQ(self->script->nr, script_count(self->script, "gpu/jobs/"));
		script_free(self->script);
		self->script = NULL;
	}
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/* ---- what stock perf makes of it ---- */

FIXTURE(reader)
{
};

/* 30 jobs by f(), 10 by g() and h() */
FIXTURE_SETUP(reader)
{
	ASSERT_EQ(0, quietly(RECORD JOBS FP STACKS "-fp -f 30 -g 10"));
}

FIXTURE_TEARDOWN(reader)
{
}

/* what the last command has printed has such a line */
#define EXPECT_SAID(pattern)							\
	EXPECT_EQ(0, shell("grep -qE '%s' " SAID, pattern))			\
		shell("cat " SAID " /tmp/record.err >&2")
#define EXPECT_LINE(pattern, command)						\
	do {									\
		EXPECT_EQ(0, shell("{ %s; } >" SAID " 2>/tmp/record.err", command));	\
		EXPECT_SAID(pattern);						\
	} while (0)

#define REPORT		"perf report --stdio -i " DATA

TEST_F_TIMEOUT(reader, names_the_functions, PATIENCE)
{
	EXPECT_LINE("^\t +[0-9a-f]+ h[+]0x", "perf script -i " DATA);
	EXPECT_LINE("^ +100.00% .*stacks-fp .*drmIoctl *$", REPORT " --no-children");
	EXPECT_LINE("^ +100.00% +[[].[]] drmIoctl *$", REPORT " --no-children --sort sym");
	EXPECT_LINE("^ +75.00% +0.00% +[[].[]] f *$", REPORT " --children --sort sym");
	EXPECT_SAID("^ +25.00% +0.00% +[[].[]] g *$");
	EXPECT_SAID("^ +25.00% +0.00% +[[].[]] h *$");
	EXPECT_SAID("^ +100.00% +0.00% +[[].[]] main *$");
	EXPECT_LINE("SAMPLE events: +40$", REPORT " --stats");
	/* where a system call returns to */
	EXPECT_LINE("^ +100.00 .*mov", "perf annotate --stdio -i " DATA " -s drmIoctl");
}

#define PIPE_RECORD	"perf record -q -B -N -o - " JOBS STACKS "-fp -f 20 -g 10"

TEST_F_TIMEOUT(reader, reads_a_pipe, PATIENCE)
{
	EXPECT_LINE("^30$", PIPE_RECORD " | perf script -i - -F comm,event | grep -c '^ *stacks-fp "
		    "*gpu/jobs/'");
	EXPECT_LINE("^ +100.00% .*drmIoctl", PIPE_RECORD " | perf report -i - --stdio --sort sym");
}

/* a signal after the first 12: two files, and no sample is in neither or in both */
TEST_F_TIMEOUT(reader, reads_switched_output, PATIENCE)
{
	char line[32];
	int files;

	shell("rm -f " DATA "*");
	ASSERT_EQ(0, quietly(RECORD "--switch-output=signal " JOBS "sh -c '" STACKS " -f 12; "
			   "kill -USR2 $PPID; " STACKS " -f 20'"));
	ASSERT_EQ(0, shell_line(line, sizeof(line), "ls " DATA ".* | wc -l"));
	files = atoi(line);
	EXPECT_EQ(2, files);
	EXPECT_LINE("^32$", "for file in " DATA ".*; do perf script -i $file -F comm,event; done | "
		    "grep -c '^ *stacks *gpu/jobs/'");
	shell("rm -f " DATA ".*");
}

/* ---- clocks ---- */

FIXTURE(clock)
{
	struct script *script;
	uint64_t before, after;
};

FIXTURE_VARIANT(clock)
{
	const char *option;
	const char *event;
	clockid_t clock;	/* NO_CLOCK: perf's own, which nobody else can read */
};

#define NO_CLOCK	(-1)
#define CLOCK_JOBS	20

#define CLOCK(_name, _option, _clock, _event)		\
	FIXTURE_VARIANT_ADD(clock, _name)		\
	{						\
		.option = _option,			\
		.event = _event,			\
		.clock = _clock,			\
	}

CLOCK(of_perf, "", NO_CLOCK, "gpu/jobs/");
CLOCK(monotonic, "-k mono ", CLOCK_MONOTONIC, "gpu/jobs/");
CLOCK(raw, "-k raw ", CLOCK_MONOTONIC_RAW, "gpu/jobs/");
CLOCK(boot, "-k boottime ", CLOCK_BOOTTIME, "gpu/jobs/");
CLOCK(monotonic_done, "-k mono ", CLOCK_MONOTONIC, "gpu/jobs/ -e gpu/jobs-done/");

static uint64_t now(clockid_t clock)
{
	struct timespec time = {};

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/*
 * CLOCK_MONOTONIC gets some 20 ms ahead of CLOCK_MONOTONIC_RAW, so that a time of one is seen
 * not to be one of the other: where nobody adjusts clocks they are the same.
 */
static int clocks_part(void)
{
	struct timex was = {}, fast = { .modes = ADJ_TICK };
	int err;

	if (adjtimex(&was) < 0)
		return -errno;
	fast.tick = was.tick * 11 / 10;
	if (adjtimex(&fast) < 0)
		return -errno;
	usleep(200000);
	was.modes = ADJ_TICK;
	err = adjtimex(&was);
	return err < 0 ? -errno : 0;
}

FIXTURE_SETUP(clock)
{
	if (variant->clock == CLOCK_MONOTONIC_RAW)
		ASSERT_EQ(0, clocks_part());
	self->before = now(variant->clock);
	/* a completion's sample is written on the CPU of its submission: stay there */
	ASSERT_EQ(0, quietly(RECORD "-R %s-e %s " ONE_CPU STACKS " -f %d", variant->option,
			     variant->event, CLOCK_JOBS));
	self->after = now(variant->clock);
	self->script = script_dump(DATA);
	ASSERT_NE(NULL, self->script);
	script_unique(self->script);
}

FIXTURE_TEARDOWN(clock)
{
	script_free(self->script);
}

/* a tick of refgpu's clock, by which it tells the submission's time */
#define TICK_NS		80
/* how much the PMU may be wrong in what one clock is ahead of another one */
#define AHEAD_NS	5000

/* the latest time that a job can have been submitted, by its sample */
static uint64_t submit_most(const struct script_sample *sample, clockid_t clock)
{
	/* what lies between the two is of CLOCK_MONOTONIC: rates are a little apart */
	uint64_t apart = clock == CLOCK_MONOTONIC ? 0 :
			 AHEAD_NS + (sample->time - sample->gpu.submit) / 100;

	return sample->gpu.submit + TICK_NS + apart;
}

/*
 * One thread submits: between the sample of the job before and a job's own one. What is
 * sampled when it is over is told some time later; it was submitted when the job's own
 * sample says.
 */
TEST_F_TIMEOUT(clock, is_the_samples_own, PATIENCE)
{
	const struct script *script = self->script;
	bool has_done = strstr(variant->event, "jobs-done");
	uint64_t before = self->before;

	EXPECT_EQ(0, script->status);
	EXPECT_EQ(0, script->broken);
	EXPECT_EQ(CLOCK_JOBS, script_count(script, "gpu/jobs/"));
	EXPECT_EQ(has_done ? CLOCK_JOBS : 0, script_count(script, "gpu/jobs-done/"));
	for (unsigned int i = 0; i < script->nr; i++) {
		const struct script_sample *sample = &script->sample[i], *job;
		const struct gpu_pmu_sample *gpu = &sample->gpu;

		if (gpu->kind == GPU_PMU_SAMPLE_DONE) {
			job = job_find(script, gpu);
			ASSERT_NE(NULL, job);
			EXPECT_EQ(job->gpu.submit, gpu->submit);
			EXPECT_LE(gpu->submit, gpu->begin);
			EXPECT_LE(gpu->begin, gpu->end);
			EXPECT_LE(gpu->end, sample->time + TICK_NS);
		} else {
			EXPECT_LE(gpu->submit, sample->time + TICK_NS);
			EXPECT_LE(before, submit_most(sample, variant->clock));
			before = sample->time;
		}
		if (variant->clock != NO_CLOCK)
			EXPECT_GE(self->after, sample->time);
	}
}

/* ---- what is there as long as the tests run ---- */

static int tests(int argc, char **argv)
{
	return test_harness_run(argc, argv);
}

int main(int argc, char **argv)
{
	return with_refgpu(argc, argv, tests);
}
