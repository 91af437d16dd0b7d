// SPDX-License-Identifier: GPL-2.0
/*
 * Crediting: who gets what an account has counted. The events are struct
 * event; whether one is live, and where its task is, is what the test says.
 */
#include <stdlib.h>

#include "../../drivers/perf/gpu/credit.h"
#include "unit.h"

#define NR_ENGINES	2

struct event {
	struct gpu_member member;
	bool on;
	int task_cpu;
	u64 count;
};

/* keys; nobody follows them */
static const char opener[2], task[4];

static struct gpu_account *account;
static struct gpu_set set;
static unsigned int nr_credits; /* calls */

static struct event *to_event(struct gpu_member *member)
{
	return container_of(member, struct event, member);
}

static bool live(struct gpu_member *member)
{
	return to_event(member)->on;
}

static int task_cpu(struct gpu_member *member)
{
	CHECK(member->task);
	return to_event(member)->task_cpu;
}

static void credit(struct gpu_member *member, u64 delta)
{
	nr_credits++;
	to_event(member)->count += delta;
}

static const struct gpu_credit_ops ops = {
	.live = live,
	.task_cpu = task_cpu,
	.credit = credit,
};

static void count(u64 delta)
{
	gpu_account_add(account, 0, GPU_COUNTER_BUSY, delta);
}

static void settle(void)
{
	gpu_set_settle(&set, &ops, NULL);
}

static void settle_leaving(struct event *ev)
{
	gpu_set_settle(&set, &ops, &ev->member);
}

static struct gpu_view view_of(unsigned int slot, enum gpu_counter counter)
{
	struct gpu_view view = { account, slot, counter, false };

	return view;
}

/* an empty set that looks at the account's gpu-busy */
static void setup(void)
{
	struct gpu_view view;

	account = malloc(sizeof(*account) + gpu_account_bytes(NR_ENGINES, GPU_NR_COUNTERS));
	gpu_account_init(account, NULL, NR_ENGINES, GPU_NR_COUNTERS);
	count(1000); /* before anyone looked */
	view = view_of(0, GPU_COUNTER_BUSY);
	gpu_set_init(&set, &view, &opener[0], NULL);
	nr_credits = 0;
}

static void teardown(void)
{
	free(account);
}

static struct event event_at(int cpu, const void *of_task)
{
	struct event ev = { .member = { .cpu = cpu, .task = of_task } };

	return ev;
}

/* as perf does: joined when opened, then live, which settles */
static void open_and_enable(struct event *ev)
{
	gpu_set_join(&set, &ev->member);
	ev->on = true;
	settle();
}

/* ---- one event ---- */

static void gets_what_is_counted(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	open_and_enable(&ev);
	CHECK_EQ(ev.count, 0);
	count(5);
	settle();
	CHECK_EQ(ev.count, 5);
	count(7);
	count(8);
	settle();
	CHECK_EQ(ev.count, 20);
	CHECK_EQ(nr_credits, 2);
	teardown();
}

static void gets_nothing_of_nothing(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	open_and_enable(&ev);
	settle();
	settle();
	CHECK_EQ(nr_credits, 0);
	teardown();
}

static void empty_set_settles(void)
{
	setup();
	count(5);
	settle();
	CHECK_EQ(nr_credits, 0);
	CHECK_EQ(set.last, 1005);
	teardown();
}

static void looks_at_one_number(void)
{
	struct gpu_view view;
	struct event ev = event_at(0, NULL);

	setup();
	view = view_of(2, GPU_COUNTER_WAIT);
	gpu_set_init(&set, &view, &opener[0], NULL);
	open_and_enable(&ev);
	gpu_account_add(account, 1, GPU_COUNTER_BUSY, 1);
	gpu_account_add(account, 0, GPU_COUNTER_WAIT, 2);
	gpu_account_add(account, 1, GPU_COUNTER_WAIT, 4);
	settle();
	CHECK_EQ(ev.count, 4);
	teardown();
}

/* ---- when it is counting ---- */

/* opened at 3, live at 5 of an interval: its part is not known, so none */
static void gets_nothing_of_the_interval_it_goes_live_in(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	gpu_set_join(&set, &ev.member);
	settle();
	count(3);
	ev.on = true;
	count(4);
	settle();
	CHECK_EQ(ev.count, 0);
	count(5);
	settle();
	CHECK_EQ(ev.count, 5);
	teardown();
}

static void gets_nothing_of_the_interval_it_goes_off_in(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	open_and_enable(&ev);
	count(3);
	ev.on = false;
	settle();
	count(4);
	settle();
	CHECK_EQ(ev.count, 0);
	ev.on = true;
	count(5);
	settle();
	CHECK_EQ(ev.count, 0);
	count(6);
	settle();
	CHECK_EQ(ev.count, 6);
	teardown();
}

/* while it was off, nobody counted: that does not come later */
static void disabled_time_is_gone(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	open_and_enable(&ev);
	count(1);
	settle_leaving(&ev);
	ev.on = false;
	settle();
	count(10);
	settle();
	ev.on = true;
	settle();
	count(2);
	settle();
	CHECK_EQ(ev.count, 3);
	teardown();
}

/* a member cannot come with a past, whatever its memory says */
static void joins_without_a_past(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	ev.member.live = true;
	ev.on = true;
	gpu_set_join(&set, &ev.member);
	count(5);
	settle();
	CHECK_EQ(ev.count, 0);
	teardown();
}

/* ---- leaving: what perf's del() knows ---- */

static void leaving_counts_up_to_now(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	open_and_enable(&ev);
	count(5);
	ev.on = false; /* as perf may show it in del() already */
	settle_leaving(&ev);
	CHECK_EQ(ev.count, 5);
	count(7);
	settle();
	CHECK_EQ(ev.count, 5);
	teardown();
}

/* it left its CPU, not the count: the task only sleeps */
static void leaving_to_sleep_goes_on(void)
{
	struct event ev = event_at(-1, &task[0]);

	setup();
	open_and_enable(&ev);
	count(5);
	settle_leaving(&ev);
	count(7);
	settle();
	CHECK_EQ(ev.count, 12);
	teardown();
}

/* off at the last settlement: that it leaves does not make up for it */
static void leaving_needs_a_past(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	gpu_set_join(&set, &ev.member);
	settle();
	count(5);
	settle_leaving(&ev);
	CHECK_EQ(ev.count, 0);
	teardown();
}

/* on and off within one interval: exactly what was counted between */
static void short_life_is_exact(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	gpu_set_join(&set, &ev.member);
	settle();
	count(3);
	ev.on = true;
	settle();
	count(4);
	settle_leaving(&ev);
	ev.on = false;
	count(5);
	settle();
	CHECK_EQ(ev.count, 4);
	teardown();
}

/* the one that leaves is no better than the others */
static void leaving_is_no_preference(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	count(5);
	settle_leaving(&b);
	CHECK_EQ(a.count, 5);
	CHECK_EQ(b.count, 0);
	CHECK_EQ(nr_credits, 1);
	teardown();
}

/* ---- several events of one opener ---- */

/* one for each CPU: their sum is the number */
static void each_delta_goes_to_one_member(void)
{
	struct event ev[4];
	u64 sum = 0;

	setup();
	for (int i = 0; i < 4; i++)
		ev[i] = event_at(i, NULL);
	for (int i = 0; i < 4; i++)
		open_and_enable(&ev[i]);
	for (u64 i = 1; i <= 10; i++) {
		count(i);
		settle();
		CHECK_EQ(nr_credits, i);
	}
	for (int i = 0; i < 4; i++)
		sum += ev[i].count;
	CHECK_EQ(sum, 55);
	CHECK_EQ(ev[0].count, 55); /* all are at home: the first */
	teardown();
}

/* perf record -p on two CPUs: the one where the task is */
static void prefers_the_member_where_its_task_is(void)
{
	struct event a = event_at(0, &task[0]), b = event_at(1, &task[0]);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	a.task_cpu = 1;
	b.task_cpu = 1;
	count(5);
	settle();
	CHECK_EQ(b.count, 5);
	a.task_cpu = 0;
	b.task_cpu = 0;
	count(7);
	settle();
	CHECK_EQ(a.count, 7);
	CHECK_EQ(b.count, 5);
	CHECK_EQ(nr_credits, 2);
	teardown();
}

/* the task is where no member is: the first one, not nobody */
static void falls_back_to_the_first_member(void)
{
	struct event a = event_at(0, &task[0]), b = event_at(1, &task[0]);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	a.task_cpu = 7;
	b.task_cpu = 7;
	count(5);
	settle();
	CHECK_EQ(a.count, 5);
	CHECK_EQ(b.count, 0);
	teardown();
}

/* bound to no CPU, or to no task: at home everywhere */
static void unbound_members_are_at_home(void)
{
	struct event a = event_at(0, &task[0]), b = event_at(-1, &task[1]);
	struct event c = event_at(3, NULL);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	open_and_enable(&c);
	a.task_cpu = 7;
	b.task_cpu = 7;
	count(5);
	settle();
	CHECK_EQ(b.count, 5);
	b.on = false;
	settle();
	count(7);
	settle();
	CHECK_EQ(c.count, 7);
	CHECK_EQ(a.count, 0);
	teardown();
}

static void members_that_are_off_do_not_count(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	gpu_set_join(&set, &a.member);
	open_and_enable(&b);
	count(5);
	settle();
	CHECK_EQ(a.count, 0);
	CHECK_EQ(b.count, 5);

	/* one goes off, another one on: nobody was there all the time */
	b.on = false;
	a.on = true;
	count(6);
	settle();
	CHECK_EQ(nr_credits, 1);
	count(7);
	settle();
	CHECK_EQ(a.count, 7);
	CHECK_EQ(b.count, 5);
	teardown();
}

/* the first one comes in mid-interval: the second one was there */
static void late_member_does_not_take_the_delta(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	gpu_set_join(&set, &a.member);
	open_and_enable(&b);
	count(5);
	a.on = true;
	settle();
	CHECK_EQ(a.count, 0);
	CHECK_EQ(b.count, 5);
	count(6);
	settle();
	CHECK_EQ(a.count, 6);
	CHECK_EQ(b.count, 5);
	teardown();
}

/* what the state is at a settlement counts for all, not only for the one picked */
static void all_members_are_looked_at(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	b.on = false;
	count(5);
	settle();
	a.on = false;
	b.on = true;
	count(6);
	settle();
	CHECK_EQ(a.count, 5);
	CHECK_EQ(b.count, 0);
	CHECK_EQ(nr_credits, 1);
	teardown();
}

static void a_member_that_left_gets_nothing(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	open_and_enable(&a);
	open_and_enable(&b);
	count(5);
	gpu_set_leave(&set, &a.member);
	settle();
	CHECK_EQ(a.count, 0);
	CHECK_EQ(b.count, 5);
	gpu_set_leave(&set, &b.member);
	count(6);
	settle();
	CHECK_EQ(nr_credits, 1);
	CHECK(list_empty(&set.members));
	teardown();
}

/* ---- who would get it ---- */

static struct event *picked(struct event *leaving)
{
	struct gpu_member *m = gpu_set_pick(&set, &ops, leaving ? &leaving->member : NULL);

	return m ? to_event(m) : NULL;
}

static void nobody_is_picked(void)
{
	struct event ev = event_at(0, NULL);

	setup();
	CHECK(!picked(NULL));
	gpu_set_join(&set, &ev.member);
	CHECK(!picked(NULL));
	ev.on = true;	/* but it was not, when the set was settled */
	CHECK(!picked(NULL));
	CHECK(!picked(&ev));
	settle();
	CHECK(picked(NULL) == &ev);
	ev.on = false;
	CHECK(!picked(NULL));
	CHECK(picked(&ev) == &ev);
	teardown();
}

/* a pick is no settlement: it gives nothing, and all stays as it is */
static void pick_changes_nothing(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);

	setup();
	open_and_enable(&a);
	gpu_set_join(&set, &b.member);
	count(5);
	b.on = true;
	CHECK(picked(NULL) == &a);
	CHECK(picked(NULL) == &a);
	CHECK(!b.member.live);
	CHECK_EQ(set.last, 1000);
	CHECK_EQ(nr_credits, 0);
	a.on = false;
	CHECK(!picked(NULL));
	CHECK(a.member.live);
	a.on = true;
	settle();
	CHECK_EQ(a.count, 5);
	teardown();
}

/* the same one that the settlement gives it to */
static void pick_is_who_is_credited(void)
{
	for (unsigned int i = 0; i < 4 * 4 * 4; i++) {
		struct event ev[3] = {
			event_at(0, &task[0]), event_at(1, &task[1]), event_at(2, &task[2]),
		};
		struct event *who;

		setup();
		for (int k = 0; k < 3; k++) {
			open_and_enable(&ev[k]);
			ev[k].on = i >> 2 * k & 1;
			ev[k].task_cpu = i >> 2 * k & 2 ? k : 3;
		}
		who = picked(NULL);
		count(5);
		settle();
		for (int k = 0; k < 3; k++)
			CHECK_EQ(ev[k].count, who == &ev[k] ? 5 : 0);
		CHECK_EQ(nr_credits, !!who);
		CHECK_EQ(!!who, !!(i & 0x15));
		CHECK(!who || who->task_cpu != 3 ||
		      !((i & 3) == 3 || (i >> 2 & 3) == 3 || (i >> 4 & 3) == 3));
		teardown();
	}
}

/* ---- which set ---- */

/* as setup() makes it; the caller then changes something in it */
static void init_alike(struct gpu_set *new)
{
	struct gpu_view view = view_of(0, GPU_COUNTER_BUSY);

	gpu_set_init(new, &view, &opener[0], NULL);
}

static void takes_other_coordinates(void)
{
	struct event first = event_at(0, &task[0]);
	struct event other_cpu = event_at(1, &task[0]);
	struct event other_task = event_at(0, &task[1]);
	struct event no_task = event_at(0, NULL);
	struct gpu_set new;

	setup();
	init_alike(&new);
	CHECK(gpu_set_takes(&set, &new, &first.member)); /* it is empty */
	gpu_set_join(&set, &first.member);
	CHECK(gpu_set_takes(&set, &new, &other_cpu.member));
	CHECK(gpu_set_takes(&set, &new, &other_task.member));
	CHECK(gpu_set_takes(&set, &new, &no_task.member));
	teardown();
}

/* perf stat -e gpu/x/,gpu/x/: the number was asked for twice */
static void repeated_coordinates_need_a_set_of_their_own(void)
{
	struct event a = event_at(0, NULL), b = event_at(1, NULL);
	struct event again = event_at(1, NULL);
	struct gpu_set new;

	setup();
	gpu_set_join(&set, &a.member);
	gpu_set_join(&set, &b.member);
	init_alike(&new);
	CHECK(!gpu_set_takes(&set, &new, &again.member));
	gpu_set_leave(&set, &b.member);
	CHECK(gpu_set_takes(&set, &new, &again.member));
	teardown();
}

static void both_sets_count(void)
{
	struct event a = event_at(0, NULL), again = event_at(0, NULL);
	struct gpu_set second;

	setup();
	init_alike(&second);
	open_and_enable(&a);
	again.on = true;
	gpu_set_join(&second, &again.member);
	gpu_set_settle(&second, &ops, NULL);
	count(5);
	settle();
	gpu_set_settle(&second, &ops, NULL);
	CHECK_EQ(a.count, 5);
	CHECK_EQ(again.count, 5);
	teardown();
}

static void sets_differ_by_what_they_look_at(void)
{
	struct event ev = event_at(0, NULL);
	struct gpu_account other;
	struct gpu_set new;

	setup();
	init_alike(&new);
	new.view.account = &other;
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	init_alike(&new);
	new.view.slot = 1;
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	init_alike(&new);
	new.view.counter = GPU_COUNTER_WAIT;
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	/* who samples it does not count what is not sampled, and the other way round */
	init_alike(&new);
	new.view.sampled = true;
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	set.view.sampled = true;
	CHECK(gpu_set_takes(&set, &new, &ev.member));
	new.view.sampled = false;
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	teardown();
}

static void sets_differ_by_who_looks(void)
{
	struct event ev = event_at(0, NULL);
	struct gpu_set new;

	setup();
	init_alike(&new);
	new.opener = &opener[1];
	CHECK(!gpu_set_takes(&set, &new, &ev.member));
	teardown();
}

/* two threads of the opener that look at themselves: both count */
static void solo_tasks_share_with_nobody_else(void)
{
	struct event a = event_at(-1, &task[0]), b = event_at(-1, &task[1]);
	struct event a_on_cpu = event_at(0, &task[0]);
	struct gpu_set new;

	setup();
	set.solo = &task[0];
	gpu_set_join(&set, &a.member);
	init_alike(&new);
	new.solo = &task[1];
	CHECK(!gpu_set_takes(&set, &new, &b.member));
	new.solo = NULL;
	CHECK(!gpu_set_takes(&set, &new, &b.member));
	new.solo = &task[0]; /* the same one, per CPU */
	CHECK(gpu_set_takes(&set, &new, &a_on_cpu.member));
	teardown();
}

static void set_begins_now(void)
{
	struct gpu_set new;

	setup();
	count(77);
	init_alike(&new);
	CHECK_EQ(new.last, 1077);
	CHECK_EQ(set.last, 1000);
	teardown();
}

static const struct unit_test tests[] = {
	TEST(gets_what_is_counted),
	TEST(gets_nothing_of_nothing),
	TEST(empty_set_settles),
	TEST(looks_at_one_number),
	TEST(gets_nothing_of_the_interval_it_goes_live_in),
	TEST(gets_nothing_of_the_interval_it_goes_off_in),
	TEST(disabled_time_is_gone),
	TEST(joins_without_a_past),
	TEST(leaving_counts_up_to_now),
	TEST(leaving_to_sleep_goes_on),
	TEST(leaving_needs_a_past),
	TEST(short_life_is_exact),
	TEST(leaving_is_no_preference),
	TEST(each_delta_goes_to_one_member),
	TEST(prefers_the_member_where_its_task_is),
	TEST(falls_back_to_the_first_member),
	TEST(unbound_members_are_at_home),
	TEST(members_that_are_off_do_not_count),
	TEST(late_member_does_not_take_the_delta),
	TEST(all_members_are_looked_at),
	TEST(a_member_that_left_gets_nothing),
	TEST(nobody_is_picked),
	TEST(pick_changes_nothing),
	TEST(pick_is_who_is_credited),
	TEST(takes_other_coordinates),
	TEST(repeated_coordinates_need_a_set_of_their_own),
	TEST(both_sets_count),
	TEST(sets_differ_by_what_they_look_at),
	TEST(sets_differ_by_who_looks),
	TEST(solo_tasks_share_with_nobody_else),
	TEST(set_begins_now),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
