// SPDX-License-Identifier: GPL-2.0
/*
 * Crediting of data that is late: a unit writes reports, they land later, and
 * events are switched meanwhile. What a report adds is counted by an event if it was
 * on when the report was written, whenever that is read.
 *
 * The unit is the stream below; what moves it, and what asks the events, is called
 * as in drivers/perf/gpu: see member_live(), event_off(), gpu_event_add() and
 * gpu_event_del() in events.c, reader_step() and gpu_unit_drain() in unit.c. To be
 * kept the same.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/limits.h>

#include "../../drivers/perf/gpu/credit.h"
#include "unit.h"

#ifndef U64_MAX
#define U64_MAX		(~0ULL)
#endif

#define MAX_REPORTS	16384
#define MAX_EVENTS	6
#define MAX_SETS	(MAX_EVENTS + 1)

struct event {
	struct gpu_member member;
	struct gpu_set *set;
	bool on;	/* as perf shows it */
	bool prompt;	/* what it counts is never late: nobody follows it */
	bool was_off;	/* since it was added last */
	u64 count;
	u64 samples;

	/* the model: which reports are its own */
	bool seen_on;		/* when it was looked at last, */
	u64 seen_written;	/* and so many were written */
	bool own[MAX_REPORTS];
};

static struct event event[MAX_EVENTS];
static struct gpu_set sets[MAX_SETS];
static unsigned int nr_sets, nr_events;
static struct gpu_account *account;
static const char opener[MAX_SETS]; /* keys */
static unsigned int nr_spilled;
static bool samples;	/* each report is one, for who is picked */

/* the unit: so much is written, landed; and what each report adds */
static u64 written, landed;
static u64 value[MAX_REPORTS];

/* as the reader knows it */
static struct {
	u64 written;
	u64 read;
} progress;
static u64 mark;

/* ---- the driver ---- */

static struct event *to_event(struct gpu_member *member)
{
	return container_of(member, struct event, member);
}

/*
 * The model: the reports between two looks at which the event was on, and was not
 * known to be off in between, are its own. It knows nothing of what is read.
 */
static void model_look(struct event *ev)
{
	if (ev->on && ev->seen_on)
		for (u64 i = ev->seen_written; i < progress.written; i++)
			ev->own[i] = true;
	ev->seen_on = ev->on;
	ev->seen_written = progress.written;
}

static void want_mark(u64 at)
{
	if (at < mark)
		mark = at;
}

static bool member_live(struct gpu_member *member)
{
	struct event *ev = to_event(member);
	bool live = ev->on;

	if (ev->prompt)
		return live;
	model_look(ev);
	live = gpu_member_follow(member, live, progress.written, progress.read);
	if (member->nr_marks)
		want_mark(member->marks[0].at);
	else if (member->told && progress.read < member->left)
		want_mark(member->left);
	if (member->spilled) {
		member->spilled = false;
		nr_spilled++;
	}
	return live;
}

static int member_task_cpu(struct gpu_member *member)
{
	return member->cpu;
}

static void member_credit(struct gpu_member *member, u64 delta)
{
	to_event(member)->count += delta;
}

static const struct gpu_credit_ops ops = {
	.live = member_live,
	.task_cpu = member_task_cpu,
	.credit = member_credit,
};

static struct gpu_member *set_leaving(struct gpu_set *set)
{
	struct gpu_member *member, *leaving = NULL;
	bool before;

	list_for_each_entry(member, &set->members, link) {
		before = member->here;
		if (member->told && !to_event(member)->on &&
		    member->left < progress.read)
			before = false;
		if (!member_live(member) && before)
			leaving = member;
	}
	return leaving;
}

static void events_mark(void)
{
	struct gpu_member *member;

	for (unsigned int i = 0; i < nr_sets; i++) {
		struct gpu_set *set = &sets[i];

		member = list_first_entry_or_null(&set->members, struct gpu_member,
						  link);
		if (to_event(member)->prompt)
			continue;
		gpu_set_settle(set, &ops, set_leaving(set));
		list_for_each_entry(member, &set->members, link)
			member->live = member->here;
	}
}

static void reader_step(void)
{
	progress.read++;
	if (progress.read < mark)
		return;
	mark = U64_MAX;
	events_mark();
}

static void report_sample(void)
{
	for (unsigned int i = 0; i < nr_sets; i++) {
		struct gpu_member *m = gpu_set_pick(&sets[i], &ops, NULL);

		if (m)
			to_event(m)->samples += value[progress.read];
	}
}

static void drain(void)
{
	progress.written = written;
	while (progress.read < landed) {
		gpu_account_add(account, 0, GPU_COUNTER_REPORTS, value[progress.read]);
		if (samples)
			report_sample();
		reader_step();
	}
}

static void tick(void)
{
	drain();
	for (unsigned int i = 0; i < nr_sets; i++)
		gpu_set_settle(&sets[i], &ops, NULL);
}

static void event_off(struct event *ev)
{
	ev->seen_on = false;
	if (ev->prompt) {
		ev->member.live = false;
		return;
	}
	gpu_member_off(&ev->member, progress.read);
	if (ev->member.nr_marks)
		want_mark(ev->member.marks[0].at);
}

static void add(struct event *ev)
{
	ev->on = true;	/* perf's state comes first */
	if (ev->was_off)
		event_off(ev);
	ev->was_off = false;
	drain();
	gpu_set_settle(ev->set, &ops, NULL);
}

static void del(struct event *ev)
{
	drain();
	gpu_set_settle(ev->set, &ops, ev->prompt ? &ev->member : NULL);
}

/* ---- what happens ---- */

static void quiet(struct event *ev, bool on)
{
	ev->was_off |= !on;
	ev->on = on;
}

/* perf's state comes last, and then nobody is told */
static void off(struct event *ev)
{
	del(ev);
	quiet(ev, false);
}

static void writes(unsigned int nr)
{
	CHECK(written + nr <= MAX_REPORTS);
	written += nr;
}

static void lands(unsigned int nr)
{
	landed += nr;
	CHECK(landed <= written);
}

/* in time */
static void reports(unsigned int nr)
{
	writes(nr);
	landed = written;
	drain();
}

/* one after the other, and each in a flush of its own */
static void lands_slowly(void)
{
	while (landed < written) {
		lands(1);
		tick();
	}
}

static void lands_at_once(void)
{
	landed = written;
	tick();
}

static struct event *event_new_in(struct gpu_set *set, bool prompt)
{
	struct event *ev = &event[nr_events];

	memset(ev, 0, sizeof(*ev));
	ev->member.cpu = nr_events++;
	ev->prompt = prompt;
	ev->set = set;
	gpu_set_join(set, &ev->member);
	return ev;
}

static struct event *event_new(bool prompt)
{
	struct gpu_view view = { account, 0, GPU_COUNTER_REPORTS, false };
	struct gpu_set *set = &sets[nr_sets];

	gpu_set_init(set, &view, &opener[nr_sets++], NULL);
	return event_new_in(set, prompt);
}

/* a count is then the set of reports that it is made of */
#define BITS(from, to)	((1ULL << (to)) - (1ULL << (from)))

static void setup(void)
{
	account = malloc(sizeof(*account) + gpu_account_bytes(1, GPU_NR_COUNTERS));
	gpu_account_init(account, NULL, 1, GPU_NR_COUNTERS);
	nr_sets = 0;
	nr_events = 0;
	nr_spilled = 0;
	samples = false;
	written = 0;
	landed = 0;
	progress.written = 0;
	progress.read = 0;
	mark = U64_MAX;
	for (int i = 0; i < MAX_REPORTS; i++)
		value[i] = 1ULL << (i & 63);
}

static void teardown(void)
{
	free(account);
}

/* ---- the two calls by themselves ---- */

static void follows_at_once_what_is_in_time(void)
{
	struct gpu_member m = {};

	CHECK(!gpu_member_follow(&m, false, 5, 5));
	CHECK(gpu_member_follow(&m, true, 7, 7));
	CHECK(gpu_member_follow(&m, true, 9, 9));
	CHECK(!gpu_member_follow(&m, false, 12, 12));
	CHECK(gpu_member_follow(&m, true, 12, 12));
	CHECK_EQ(m.nr_marks, 0);
	CHECK(!m.spilled);
}

static void follows_when_it_is_read(void)
{
	struct gpu_member m = {};

	CHECK(!gpu_member_follow(&m, true, 7, 5));
	CHECK_EQ(m.nr_marks, 1);
	CHECK_EQ(m.marks[0].at, 7);
	CHECK(m.marks[0].live);
	CHECK(!gpu_member_follow(&m, true, 8, 6));
	CHECK(gpu_member_follow(&m, true, 9, 7));
	CHECK_EQ(m.nr_marks, 0);
	/* since 9, where it was on */
	CHECK(gpu_member_follow(&m, false, 15, 8));
	CHECK_EQ(m.marks[0].at, 9);
	CHECK(!m.marks[0].live);
	CHECK(!gpu_member_follow(&m, true, 16, 9));
	CHECK(gpu_member_follow(&m, true, 17, 20));
	CHECK(!m.spilled);
}

/* several of them are passed at once: the last one is what holds */
static void follows_the_last_of_many(void)
{
	struct gpu_member m = {};

	gpu_member_follow(&m, true, 5, 1);
	gpu_member_follow(&m, true, 10, 1);
	gpu_member_follow(&m, false, 11, 1);
	gpu_member_follow(&m, true, 15, 1);
	CHECK_EQ(m.nr_marks, 3);
	CHECK_EQ(m.marks[1].at, 10);
	CHECK_EQ(m.marks[2].at, 15);
	CHECK(!gpu_member_follow(&m, true, 20, 10));
	CHECK_EQ(m.nr_marks, 1);
	CHECK(gpu_member_follow(&m, true, 20, 19));
	gpu_member_follow(&m, false, 21, 19);
	CHECK_EQ(m.marks[0].at, 20);
}

static void off_of_what_is_off(void)
{
	struct gpu_member m = {};

	m.live = true;
	gpu_member_off(&m, 0);
	CHECK(m.live);
	CHECK_EQ(m.nr_marks, 0);
	/* it has said so itself: it goes on to count what is late */
	gpu_member_follow(&m, true, 0, 0);
	gpu_member_follow(&m, true, 5, 2);
	CHECK(gpu_member_follow(&m, false, 6, 3));
	gpu_member_off(&m, 3);
	CHECK_EQ(m.nr_marks, 1);
	CHECK(m.here);
	CHECK(m.live);
}

static void off_with_nothing_late(void)
{
	struct gpu_member m = { .live = true };

	gpu_member_follow(&m, true, 5, 5);
	gpu_member_off(&m, 5);
	CHECK_EQ(m.nr_marks, 0);
	CHECK(!m.told);
	CHECK(!m.here);
	CHECK(!m.live);
	CHECK(!m.spilled);
}

static void off_with_something_late(void)
{
	struct gpu_member m = { .live = true };

	gpu_member_follow(&m, true, 4, 4);
	gpu_member_follow(&m, true, 6, 5);
	gpu_member_off(&m, 5);
	CHECK_EQ(m.nr_marks, 1);
	CHECK_EQ(m.marks[0].at, 6);
	CHECK(!m.marks[0].live);
	CHECK(m.here);
	CHECK(m.live);
	CHECK(!m.told);
	/* and on again, from here on */
	CHECK(m.here && gpu_member_follow(&m, true, 9, 5));
	CHECK_EQ(m.nr_marks, 2);
	CHECK_EQ(m.marks[1].at, 9);
	CHECK(!gpu_member_follow(&m, true, 9, 8));
	CHECK(gpu_member_follow(&m, true, 9, 9));
}

/* ---- one event ---- */

static void in_time(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	reports(2);
	add(ev);
	CHECK_EQ(ev->count, 0);
	reports(3);
	tick();
	CHECK_EQ(ev->count, BITS(2, 5));
	reports(1);
	off(ev);
	CHECK_EQ(ev->count, BITS(2, 6));
	reports(2);
	tick();
	reports(2);
	add(ev);
	reports(1);
	tick();
	CHECK_EQ(ev->count, BITS(2, 6) | BITS(10, 11));
	CHECK_EQ(nr_spilled, 0);
	CHECK_EQ(mark, U64_MAX);
	teardown();
}

/* what was written before is not its own, however late it lands */
static void switched_on(unsigned int late, void (*land)(void))
{
	struct event *ev;

	setup();
	ev = event_new(false);
	reports(2);
	writes(late);
	add(ev);
	writes(3);
	land();
	CHECK_EQ(ev->count, BITS(2 + late, 5 + late));
	reports(2);
	tick();
	CHECK_EQ(ev->count, BITS(2 + late, 7 + late));
	CHECK_EQ(nr_spilled, 0);
	teardown();
}

static void switched_on_while_data_is_late(void)
{
	for (unsigned int late = 0; late < 6; late++) {
		switched_on(late, lands_slowly);
		switched_on(late, lands_at_once);
	}
}

/* all that was written before is its own, and nothing that was written after */
static void switched_off(unsigned int late, void (*land)(void))
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	reports(2);
	writes(late);
	off(ev);
	CHECK_EQ(ev->count, BITS(0, 2));
	writes(3);
	land();
	CHECK_EQ(ev->count, BITS(0, 2 + late));
	reports(2);
	tick();
	CHECK_EQ(ev->count, BITS(0, 2 + late));
	CHECK_EQ(nr_spilled, 0);
	teardown();
}

/* a flush reads all that was late before it asks whether the event is on: it was */
static void late_and_read_at_once(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	reports(2);
	writes(3);		/* late */
	off(ev);
	writes(1);
	lands_at_once();
	CHECK_EQ(ev->count, BITS(0, 5));
	teardown();
}

/* one that leaves its CPU before its mark has not come to it by that */
static void leaves_before_its_mark(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	writes(3);		/* late, and not its own */
	add(ev);
	writes(1);
	del(ev);		/* its task sleeps */
	lands_at_once();
	CHECK_EQ(ev->count, BITS(3, 4));
	teardown();
}

/* at the mark of another one it is found that it is off: it was before that */
static void off_before_the_mark_of_another(void)
{
	struct event *ev, *other;

	setup();
	ev = event_new(false);
	other = event_new(false);
	add(ev);
	reports(2);
	tick();			/* here it was seen on, and nothing was late */
	quiet(ev, false);
	writes(3);
	add(other);		/* its mark */
	writes(1);
	lands_at_once();
	CHECK_EQ(ev->count, BITS(0, 2));
	CHECK_EQ(other->count, BITS(5, 6));
	teardown();
}

static void switched_off_while_data_is_late(void)
{
	for (unsigned int late = 0; late < 6; late++) {
		switched_off(late, lands_slowly);
		switched_off(late, lands_at_once);
	}
}

/*
 * On, off, and on again, with all numbers of reports between, which land all at
 * once at any of the times, or not before the end. The flush comes at none of these
 * times but by the event's being switched.
 */
static void on_off_on(const unsigned int n[4], unsigned int when, void (*land)(void))
{
	unsigned int at[5] = { 1 };
	struct event *ev;

	for (int i = 0; i < 4; i++)
		at[i + 1] = at[i] + n[i];
	setup();
	ev = event_new(false);
	reports(1);
	writes(n[0]);
	if (when == 0)
		landed = written;
	add(ev);
	writes(n[1]);
	if (when == 1)
		landed = written;
	off(ev);
	writes(n[2]);
	if (when == 2)
		landed = written;
	add(ev);
	writes(n[3]);
	land();
	CHECK_EQ(ev->count, BITS(at[1], at[2]) | BITS(at[3], at[4]));
	CHECK_EQ(nr_spilled, 0);
	CHECK_EQ(ev->member.nr_marks, 0);
	teardown();
}

static void on_off_and_on_again(void)
{
	for (unsigned int i = 0; i < 4 * 4 * 4 * 4 * 4; i++) {
		unsigned int n[4] = { i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3 };

		on_off_on(n, i >> 8, lands_slowly);
		on_off_on(n, i >> 8, lands_at_once);
	}
}

/* its task does not run when it is switched off: the timer finds out */
static void off_is_noticed_by_the_timer(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	writes(3);
	tick();			/* here it was seen on */
	writes(2);
	quiet(ev, false);
	writes(2);
	tick();
	lands(2);
	tick();
	CHECK_EQ(ev->count, BITS(0, 2));
	lands(2);
	tick();
	CHECK_EQ(ev->count, BITS(0, 3));
	lands_slowly();
	CHECK_EQ(ev->count, BITS(0, 3));
	teardown();
}

/* and so it does when it is switched on: it counts from there on */
static void on_is_noticed_by_the_timer(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	writes(2);
	quiet(ev, true);
	writes(2);
	tick();
	writes(2);
	tick();
	lands_slowly();
	CHECK_EQ(ev->count, BITS(4, 6));
	teardown();
}

/* its task sleeps: it leaves its CPU, and counts on */
static void task_is_switched_out_and_in(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	reports(1);
	add(ev);
	for (int i = 0; i < 5; i++) {
		writes(2);
		lands(1);
		del(ev);
		writes(2);
		lands(1);
		add(ev);
	}
	CHECK_EQ(ev->member.nr_marks, 0);
	lands_slowly();
	CHECK_EQ(ev->count, BITS(1, 21));
	teardown();
}

/* its last report is written before del(), and is read by it */
static void leaving_is_asked_in_del(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	writes(2);
	tick();
	writes(2);
	del(ev);		/* nothing to share out, but it is seen on */
	CHECK_EQ(ev->member.left, 4);
	quiet(ev, false);
	tick();
	lands_slowly();
	CHECK_EQ(ev->count, BITS(0, 4));
	teardown();
}

/* the same, and there is something to share out */
static void leaving_with_data_is_asked_in_del(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	writes(2);
	tick();
	writes(2);
	lands(1);
	del(ev);
	CHECK_EQ(ev->count, BITS(0, 1));
	CHECK_EQ(ev->member.left, 4);
	quiet(ev, false);
	tick();
	lands_slowly();
	CHECK_EQ(ev->count, BITS(0, 4));
	teardown();
}

/* on, off, on, off: with all of them there is room for no more */
static void as_many_switches_as_marks(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	for (int i = 0; i < GPU_MARKS_MAX / 2; i++) {
		writes(1);
		add(ev);
		writes(2);
		off(ev);
		tick();
		writes(1);
	}
	CHECK_EQ(ev->member.nr_marks, GPU_MARKS_MAX);
	lands_slowly();
	CHECK_EQ(ev->count, BITS(1, 3) | BITS(5, 7));
	CHECK_EQ(nr_spilled, 0);
	teardown();
}

/*
 * One more: that is said, and it counts as if all was in time. From there on it is
 * exact again: what is written later is not its own before it is on.
 */
static void more_switches_than_marks(void (*land)(void))
{
	struct event *ev;

	setup();
	ev = event_new(false);
	for (int i = 0; i < GPU_MARKS_MAX / 2; i++) {
		writes(1);
		add(ev);
		writes(2);
		off(ev);
		tick();
		writes(1);
	}
	add(ev);
	CHECK_EQ(nr_spilled, 1);
	CHECK_EQ(ev->member.nr_marks, 0);
	CHECK(ev->member.here);
	writes(2);
	tick();
	land();
	CHECK_EQ(ev->count, BITS(0, 10));
	CHECK_EQ(nr_spilled, 1);

	/* 10, 11 are its own, 12 to 14 are not, 15 is */
	writes(2);
	off(ev);
	writes(3);
	add(ev);
	writes(1);
	land();
	CHECK_EQ(ev->count, BITS(0, 12) | BITS(15, 16));
	CHECK_EQ(nr_spilled, 1);
	teardown();
}

static void more_switches_than_marks_can_say(void)
{
	more_switches_than_marks(lands_slowly);
	more_switches_than_marks(lands_at_once);
}

/* there is no room to say that it was off in between: it is off at once */
static void no_mark_for_off(void)
{
	struct event *ev;

	setup();
	ev = event_new(false);
	add(ev);
	reports(1);
	tick();
	for (int i = 0; i < GPU_MARKS_MAX / 2; i++) {
		writes(2);
		off(ev);
		writes(2);
		add(ev);
	}
	CHECK_EQ(ev->member.nr_marks, GPU_MARKS_MAX);
	writes(2);
	off(ev);
	CHECK_EQ(ev->count, BITS(0, 1));
	ev->on = true;
	event_off(ev);
	CHECK(!ev->member.here);
	CHECK(!ev->member.told);
	CHECK(ev->member.spilled);
	CHECK_EQ(ev->member.nr_marks, 0);
	ev->was_off = false;
	add(ev);
	CHECK_EQ(nr_spilled, 1);
	CHECK_EQ(ev->member.nr_marks, 1);
	writes(1);
	lands_slowly();
	CHECK_EQ(ev->count, BITS(0, 1) | BITS(11, 12));
	teardown();
}

/* each report is a sample, too, of who counts it */
static void samples_are_what_is_counted(void)
{
	for (int slowly = 0; slowly < 2; slowly++) {
		struct event *ev;

		setup();
		samples = true;
		ev = event_new(false);
		writes(2);
		add(ev);
		writes(3);
		off(ev);
		writes(2);
		add(ev);
		writes(2);
		if (slowly)
			lands_slowly();
		else
			lands_at_once();
		CHECK_EQ(ev->samples, BITS(2, 5) | BITS(7, 9));
		CHECK_EQ(ev->count, ev->samples);
		teardown();
	}
}

/* ---- several events ---- */

/* of one set: each report goes to one that was on, and two are no more than one */
static void members_of_a_set(void (*land)(void))
{
	struct event *a, *b;

	setup();
	a = event_new(false);
	b = event_new_in(a->set, false);
	writes(2);
	add(a);			/* from 2 on */
	writes(2);
	add(b);			/* from 4 on */
	writes(2);
	off(a);			/* up to 6 */
	tick();
	writes(2);
	off(b);			/* up to 8 */
	tick();
	writes(2);
	land();
	CHECK_EQ(a->count, BITS(2, 6));
	CHECK_EQ(b->count, BITS(6, 8));
	CHECK_EQ(nr_spilled, 0);
	teardown();
}

/* both at the same place: as many as the set has, and nobody gets it twice */
static void members_leave_together(void (*land)(void))
{
	struct event *a, *b;

	setup();
	a = event_new(false);
	b = event_new_in(a->set, false);
	add(a);
	add(b);
	writes(3);
	off(a);
	off(b);
	tick();
	writes(2);
	land();
	CHECK_EQ(a->count + b->count, BITS(0, 3));
	add(b);
	add(a);
	writes(2);
	land();
	CHECK_EQ(a->count + b->count, BITS(0, 3) | BITS(5, 7));
	teardown();
}

static void sets_of_late_events(void)
{
	members_of_a_set(lands_slowly);
	members_of_a_set(lands_at_once);
	members_leave_together(lands_slowly);
	members_leave_together(lands_at_once);
}

/* each one's place in the stream is its own, and one's mark is no one else's end */
static void events_apart(void)
{
	struct event *a, *b, *prompt;

	setup();
	a = event_new(false);
	b = event_new(false);
	prompt = event_new(true);
	add(prompt);
	writes(1);
	add(a);
	writes(2);
	add(b);
	writes(2);
	off(a);
	tick();
	writes(2);
	off(b);
	tick();
	writes(1);
	landed = written;
	drain();
	CHECK_EQ(prompt->count, 0);	/* it is settled by the timer alone */
	tick();
	CHECK_EQ(a->count, BITS(1, 5));
	CHECK_EQ(b->count, BITS(3, 7));
	CHECK_EQ(prompt->count, BITS(0, 8));
	teardown();
}

/* ---- at random ---- */

static u64 seed;

static unsigned int pick(unsigned int nr)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % nr;
}

static void switch_at_random(struct event *ev)
{
	switch (pick(4)) {
	case 0:
	case 1:
		if (ev->on)
			off(ev);
		else
			add(ev);
		break;
	case 2:	/* it goes to another CPU */
		if (!ev->on)
			break;
		del(ev);
		add(ev);
		break;
	case 3:
		quiet(ev, !ev->on);
		break;
	}
}

static u64 owns(const struct event *ev)
{
	u64 sum = 0;

	for (u64 i = 0; i < written; i++)
		sum += ev->own[i] ? value[i] : 0;
	return sum;
}

/* what the model says that the events of a set have together */
static u64 set_owns(const struct gpu_set *set)
{
	u64 sum = 0;

	for (u64 i = 0; i < written; i++)
		for (unsigned int e = 0; e < nr_events; e++)
			if (event[e].set == set && event[e].own[i]) {
				sum += value[i];
				break;
			}
	return sum;
}

static void check_set(const struct gpu_set *set)
{
	u64 sum = 0;

	for (unsigned int e = 0; e < nr_events; e++) {
		const struct event *ev = &event[e];

		if (ev->set != set)
			continue;
		CHECK(ev->count <= owns(ev));
		sum += ev->count;
	}
	CHECK_EQ(sum, set_owns(set));
}

/* up to all of it lands, and is read: what the events have is what the model says */
static void walk(u64 number, unsigned int most_late)
{
	seed = number;
	setup();
	for (int i = 0; i < MAX_REPORTS; i++)
		value[i] = 1 + pick(1000);
	event_new(false);
	event_new(false);
	event_new_in(&sets[1], false);
	event_new(false);
	event_new_in(&sets[2], false);
	event_new_in(&sets[2], false);

	for (int i = 0; i < 300; i++) {
		writes(pick(4));
		if (written - landed > most_late)
			landed = written - most_late;
		lands(pick(written - landed + 1));
		switch (pick(4)) {
		case 0:
			tick();
			break;
		case 1:
			switch_at_random(&event[pick(nr_events)]);
			break;
		}
		/* not more switches than there is room for */
		for (unsigned int e = 0; e < nr_events; e++)
			if (event[e].member.nr_marks >= GPU_MARKS_MAX - 1)
				lands_at_once();
	}
	tick();
	lands_at_once();
	CHECK_EQ(nr_spilled, 0);
	for (unsigned int i = 0; i < nr_sets; i++)
		check_set(&sets[i]);
	teardown();
}

static void at_random(void)
{
	for (u64 number = 0; number < 300; number++)
		walk(number, number % 40);
}

/* it makes no difference that it is followed, if there is nothing late */
static void in_time_at_random(void)
{
	for (u64 number = 0; number < 200; number++) {
		struct event *a[2], *b[2];

		seed = number;
		setup();
		for (int i = 0; i < MAX_REPORTS; i++)
			value[i] = 1 + pick(1000);
		a[0] = event_new(false);
		a[1] = event_new_in(a[0]->set, false);
		b[0] = event_new(true);
		b[1] = event_new_in(b[0]->set, true);
		for (int i = 0; i < 300; i++) {
			unsigned int which = pick(2);
			u64 before;

			writes(pick(4));
			landed = written;
			switch (pick(3)) {
			case 0:
				tick();
				break;
			case 1:
				before = seed;
				switch_at_random(a[which]);
				seed = before;
				switch_at_random(b[which]);
				break;
			}
			for (int k = 0; k < 2; k++) {
				CHECK_EQ(a[k]->count, b[k]->count);
				CHECK_EQ(a[k]->member.live, b[k]->member.live);
				CHECK_EQ(a[k]->member.nr_marks, 0);
			}
			CHECK_EQ(mark, U64_MAX);
		}
		CHECK_EQ(nr_spilled, 0);
		teardown();
	}
}

static const struct unit_test tests[] = {
	TEST(follows_at_once_what_is_in_time),
	TEST(follows_when_it_is_read),
	TEST(follows_the_last_of_many),
	TEST(off_of_what_is_off),
	TEST(off_with_nothing_late),
	TEST(off_with_something_late),
	TEST(in_time),
	TEST(switched_on_while_data_is_late),
	TEST(switched_off_while_data_is_late),
	TEST(late_and_read_at_once),
	TEST(leaves_before_its_mark),
	TEST(off_before_the_mark_of_another),
	TEST(on_off_and_on_again),
	TEST(off_is_noticed_by_the_timer),
	TEST(on_is_noticed_by_the_timer),
	TEST(task_is_switched_out_and_in),
	TEST(leaving_is_asked_in_del),
	TEST(leaving_with_data_is_asked_in_del),
	TEST(as_many_switches_as_marks),
	TEST(more_switches_than_marks_can_say),
	TEST(no_mark_for_off),
	TEST(samples_are_what_is_counted),
	TEST(sets_of_late_events),
	TEST(events_apart),
	TEST(at_random),
	TEST(in_time_at_random),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
