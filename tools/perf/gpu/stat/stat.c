// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "perf-gpu.h"
#include "stat/polls.h"
#include "stat/signals.h"
#include "stat/stat.h"

/* how often to see whose files the target has: what is held for less may be missed */
#define FOLLOW_MS	100
#define FOLLOW_SHARE	20	/* and no more than 1/20 of the time */
#define LOOKS_MAX	4

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

int stat__fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "perf gpu stat: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* ---- counts ---- */

/* nobody can open the hardware's own counters on a task: its clients have them */
static bool by_clients(const struct stat_run *run, const struct event *event)
{
	return run->target.kind != TARGET_ALL && event__is_native(event) &&
	       !event__fd(event);
}

static int read_counts(struct stat_run *run)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < run->events.nr; i++) {
		const struct event *event = &run->events.event[i];
		struct view_count *now = &run->now[i];
		__u64 value;

		if (by_clients(run, event)) {
			now->counted = run->watch.slot[i] >= 0;
			if (now->counted)
				now->value = view__sum(&run->watch.rows, event,
						       run->watch.slot[i], false, SINCE_BEGIN);
			continue;
		}
		err = counter__read(&run->counter[i], &value, &now->counted);
		now->value = value - run->base[i];
	}
	return err;
}

/* do the parts make up the whole? not if something was counted between the readings */
static bool counts_agree(const struct stat_run *run)
{
	for (unsigned int i = 0; i < run->events.nr; i++) {
		const struct event *event = &run->events.event[i];

		if (run->watch.slot[i] < 0 || event__fd(event) || by_clients(run, event))
			continue;
		if ((__u64)run->now[i].value !=
		    view__sum(&run->watch.rows, event, run->watch.slot[i], run->how.all,
			      SINCE_BEGIN))
			return false;
	}
	return true;
}

static int take_counts(struct stat_run *run)
{
	int err;

	if (!run->watching)
		return read_counts(run);
	for (unsigned int looks = 1; ; looks++) {
		run->watch.torn = false;
		err = watch__look(&run->watch);
		if (!err)
			err = read_counts(run);
		if (err || looks == LOOKS_MAX || counts_agree(run))
			return err;
	}
}

/* ---- output ---- */

static int make_view(struct stat_run *run, struct view *view, enum since since)
{
	struct view_count total[run->events.nr];
	int none[run->events.nr];
	static const struct rows nobody;

	memcpy(total, run->now, sizeof(total));
	for (unsigned int i = 0; i < run->events.nr; i++) {
		none[i] = -1;
		if (since == SINCE_INTERVAL)
			total[i].value -= run->before[i].value;
	}
	return view__make(view, &run->how, &run->events,
			  run->watching ? run->watch.slot : none, total,
			  run->watching ? &run->watch.rows : &nobody, since);
}

static double seconds_of(const struct stat_run *run, __u64 time)
{
	return (double)(time - run->began) / NS_PER_S;
}

static int end_interval(struct stat_run *run, __u64 time)
{
	struct output_part part = {
		.from = seconds_of(run, run->interval_began),
		.to = seconds_of(run, time),
	};
	struct view view;
	int err = make_view(run, &view, SINCE_INTERVAL);

	if (err)
		return err;
	part.view = &view;
	output__interval(&run->output, &part);
	view__free(&view);
	memcpy(run->before, run->now, run->events.nr * sizeof(*run->now));
	if (run->watching)
		rows__next_interval(&run->watch.rows);
	run->interval_began = time;
	return 0;
}

static int end_output(struct stat_run *run, __u64 time)
{
	struct output_end end = {
		.whole = { .to = seconds_of(run, time) },
		.signal = run->signal,
		.command_status = run->command_status,
	};
	struct view view;
	int err = make_view(run, &view, SINCE_BEGIN);

	if (err)
		return err;
	if (run->watching) {
		end.missed = run->watch.usages.missed;
		end.forks_lost = run->watch.tree.lost;
		end.torn = run->watch.torn;
		end.denied = run->watch.held.denied;
	}
	end.whole.view = &view;
	output__end(&run->output, &end);
	view__free(&view);
	return 0;
}

/* ---- the time between the beginning and the end ---- */

/* true: it is over */
static bool handle_signal(struct stat_run *run)
{
	int signal = signals__read(run->signals), status;

	if (!signal)
		return false;
	if (signal != SIGCHLD) {
		run->signal = signal;
		return true;
	}
	if (!run->target.child ||
	    waitpid(run->target.child, &status, WNOHANG) != run->target.child)
		return false;
	run->command_status = WIFEXITED(status) ? WEXITSTATUS(status) :
			      128 + WTERMSIG(status);
	return true;
}

static int ms_until(__u64 time)
{
	__u64 now = now_ns();

	/* a little late is late enough: no turn for nothing */
	return time <= now ? 0 : (time - now + NS_PER_MS - 1) / NS_PER_MS;
}

static int follow(struct stat_run *run, __u64 *next)
{
	__u64 began = now_ns(), took;
	int err;

	if (!run->watching)
		return 0;
	/* those that end are remembered for us, but not too many: so look in between, too */
	err = watch__follow(&run->watch);
	if (!err)
		err = watch__look(&run->watch);
	took = now_ns() - began;
	*next = began + (took * FOLLOW_SHARE > FOLLOW_MS * NS_PER_MS ?
			 took * FOLLOW_SHARE : FOLLOW_MS * NS_PER_MS);
	return err;
}

/* nobody can read it, and there is no command that must not be disturbed by that */
static bool is_in_vain(const struct stat_run *run)
{
	return run->output.err && !run->target.argv;
}

static int count(struct stat_run *run)
{
	unsigned int nr_pids = run->pidfd ? run->target.nr_pids : 0;
	unsigned int nr_rings = run->watching ? run->watch.tree.nr_rings : 0;
	__u64 next_follow = run->watching ? run->began : ~0ULL;
	__u64 next_interval = run->interval_ms ? run->began : ~0ULL;
	struct pollfd polls[1 + nr_pids + nr_rings];
	bool over = is_in_vain(run);
	int err = 0;

	polls[0] = (struct pollfd){ .fd = run->signals, .events = POLLIN };
	for (unsigned int i = 0; i < nr_pids; i++)
		polls[1 + i] = (struct pollfd){ .fd = run->pidfd[i], .events = POLLIN };
	for (unsigned int i = 0; i < nr_rings; i++)
		polls[1 + nr_pids + i] = (struct pollfd){
			.fd = tree__poll_fd(&run->watch.tree, i), .events = POLLIN };
	if (run->interval_ms)
		next_interval += run->interval_ms * NS_PER_MS;

	while (!err && !over) {
		__u64 next = next_follow < next_interval ? next_follow : next_interval;

		if (poll(polls, ARRAY_SIZE(polls), next == ~0ULL ? -1 : ms_until(next)) < 0)
			continue;
		if (polls[0].revents)
			over = handle_signal(run);
		over |= nr_pids && !polls__drop(polls + 1, nr_pids, POLLIN);
		/* of an event that has ended: what others write to its ring is looked for anyway */
		polls__drop(polls + 1 + nr_pids, nr_rings, POLLHUP | POLLERR);
		if (run->watching)
			err = tree__update(&run->watch.tree);
		if (!err && !over && now_ns() >= next_follow)
			err = follow(run, &next_follow);
		if (!err && !over && now_ns() >= next_interval) {
			err = take_counts(run);
			if (!err)
				err = end_interval(run, now_ns());
			over = is_in_vain(run);
			/* if it was late: the next one is at its place */
			while (next_interval <= now_ns())
				next_interval += run->interval_ms * NS_PER_MS;
		}
	}
	return err;
}

/* ---- the beginning ---- */

/* with a command, that says how long it is */
static int open_pidfds(struct stat_run *run)
{
	if (run->target.kind != TARGET_PROCESSES || run->target.argv)
		return 0;
	run->pidfd = calloc(run->target.nr_pids, sizeof(*run->pidfd));
	if (!run->pidfd)
		return -ENOMEM;
	for (unsigned int i = 0; i < run->target.nr_pids; i++) {
		run->pidfd[i] = syscall(SYS_pidfd_open, run->target.pid[i], 0);
		if (run->pidfd[i] < 0)
			return -errno;
	}
	return 0;
}

/* an event could not be opened */
static int refuse_event(const struct stat_run *run, int err, const char *event)
{
	const struct obstacle_target target = {
		.pid = run->target.pid,
		/* a command is ours */
		.nr_pids = run->target.kind == TARGET_PROCESSES ? run->target.nr_pids : 0,
		.all = run->target.kind == TARGET_ALL,
	};
	char text[OBSTACLE_TEXT];

	return stat__fail("%s", obstacle__of_open(err, event, &target, text, sizeof(text)));
}

/* something else could not be had */
int stat__refuse(const struct stat_run *run, int err)
{
	char text[OBSTACLE_TEXT];

	switch (err) {
	case -ESRCH:
	case -EACCES:
	case -EPERM:
		return refuse_event(run, err, "dummy");
	default:
		return stat__fail("%s", obstacle__of_query(err, text, sizeof(text)));
	}
}

/* perf's events, where the target is; and what else has to be open */
static int open_counters(struct stat_run *run, const struct places *places)
{
	int err = 0;

	for (unsigned int i = 0; i < run->events.nr; i++) {
		const struct event *event = &run->events.event[i];

		if (by_clients(run, event))
			err = keeper__native(&run->keeper, event, &run->names);
		else
			err = counter__open(&run->counter[i], event, &run->target, places);
		if (err)
			return refuse_event(run, err, event->name);
	}
	return 0;
}

static int open_all(struct stat_run *run)
{
	bool parts = run->how.clients || run->how.contexts || run->how.engines;
	struct places places = {};
	int err;

	run->watching = parts;
	for (unsigned int i = 0; i < run->events.nr; i++)
		run->watching |= by_clients(run, &run->events.event[i]);

	run->signals = signals__open();
	err = run->signals < 0 ? run->signals : open_pidfds(run);
	err = err ?: places__of_target(&places, &run->target);
	if (!err && run->watching)
		err = names__get(&run->names);
	if (err) {
		err = stat__refuse(run, err);
		goto out;
	}
	err = open_counters(run, &places);
	if (err || !run->watching)
		goto out;
	err = watch__open(&run->watch, &run->events, run->how.engines, &run->target, &places);
	if (err) {
		run->watching = false;
		err = stat__refuse(run, err);
	}
out:
	places__free(&places);
	return err;
}

static int begin(struct stat_run *run)
{
	int err = 0;

	/* the command's are enabled by its exec */
	for (unsigned int i = 0; !err && i < run->events.nr; i++)
		if (run->target.kind != TARGET_COMMAND)
			err = counter__enable(&run->counter[i]);
	if (!err && run->watching)
		err = watch__begin(&run->watch);
	if (!err)
		err = read_counts(run);
	if (err)
		return stat__refuse(run, err);
	for (unsigned int i = 0; i < run->events.nr; i++) {
		run->base[i] = by_clients(run, &run->events.event[i]) ? 0 : run->now[i].value;
		run->now[i].value = 0;
	}
	run->began = run->interval_began = now_ns();
	if (run->target.argv) {
		err = target__exec(&run->target);
		if (err) {
			stat__fail("%s: %s", run->target.argv[0], strerror(-err));
			return 127;
		}
	}
	/* what the file had in it is there until there is something else */
	run->output.err = outfile__begin(&run->out);
	output__begin(&run->output);
	return 0;
}

int stat__run(struct stat_run *run)
{
	int status = open_all(run) ?: begin(run), err;
	__u64 time;

	if (status)
		return status;
	err = count(run);
	/* what was counted is told, whatever came in between */
	if (!err)
		err = take_counts(run);
	time = now_ns();
	if (run->interval_ms)
		err = end_interval(run, time) ?: err;
	err = end_output(run, time) ?: err;
	if (err)
		return stat__refuse(run, err);
	err = outfile__commit(&run->out);
	err = run->output.err ?: err;
	if (err)
		return stat__fail("the output cannot be written: %s", strerror(-err));
	return run->command_status > 0 ? run->command_status : 0;
}

void stat__close(struct stat_run *run)
{
	for (unsigned int i = 0; run->counter && i < run->events.nr; i++)
		counter__close(&run->counter[i]);
	if (run->watching)
		watch__close(&run->watch);
	for (unsigned int i = 0; run->pidfd && i < run->target.nr_pids; i++)
		if (run->pidfd[i] > 0)
			close(run->pidfd[i]);
	keeper__close(&run->keeper);
	names__put(&run->names);
	if (run->target.child && run->command_status < 0) {
		/* it waits to be told to begin, or the signal is for it, too */
		kill(run->target.child, SIGTERM);
	}
	target__free(&run->target);
	outfile__abort(&run->out);
	events__free(&run->events);
	free(run->counter);
	free(run->base);
	free(run->now);
	free(run->before);
	free(run->pidfd);
	if (run->signals >= 0)
		close(run->signals);
}
