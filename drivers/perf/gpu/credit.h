/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Crediting: which of the events that look at an account gets what it has
 * counted. Pure logic, also built in user space, for tests/unit and tests/fuzz.
 */
#ifndef _GPU_PMU_CREDIT_H
#define _GPU_PMU_CREDIT_H

#include <linux/list.h>
#include <linux/types.h>

#include "account.h"

/* times that an event can be switched while the same data is late */
#define GPU_MARKS_MAX	4

/**
 * struct gpu_mark - where in a stream of late data an event was switched
 * @at:		so much of the stream is from before
 * @live:	it counts from there on
 */
struct gpu_mark {
	u64 at;
	bool live;
};

/**
 * struct gpu_member - an event's place in an opener set
 * @link:	in its set
 * @cpu:	the CPU that the event is bound to, or -1
 * @task:	the task that it is bound to, or NULL: a key, never followed
 * @live:	it was counting when its set was settled last
 * @told:	gpu_member_follow() was told last that it is counting,
 * @left:	and this was how far the stream had been written
 * @here:	it counts what is read of the stream now
 * @spilled:	there was no room for a mark: what it counts is not exact
 * @nr_marks:	how many of @marks are still to come
 * @marks:	where it was switched, in order
 */
struct gpu_member {
	struct list_head link;
	int cpu;
	const void *task;
	bool live;
	bool told;
	bool here;
	bool spilled;
	u8 nr_marks;
	u64 left;
	struct gpu_mark marks[GPU_MARKS_MAX];
};

/**
 * struct gpu_view - what an event looks at
 * @account:	the scope
 * @slot:	of all engines, or of one: see struct gpu_account
 * @counter:	what is counted, as for gpu_account_add()
 * @sampled:	by events that sample it
 */
struct gpu_view {
	struct gpu_account *account;
	unsigned int slot;
	unsigned int counter;
	bool sampled;
};

/**
 * struct gpu_set - the events that one opener has opened for one number
 * @link:	in the list of sets
 * @sampled:	in the list of those that are sampled, too
 * @members:	the events, struct gpu_member
 * @nr:		how many
 * @view:	what they all look at
 * @opener:	the process that opened them: a key
 * @solo:	when the opener looks at a task of its own: that task, a key
 * @count:	where what it looks at is counted, and
 * @last:	what of it was shared out already
 *
 * perf opens an event once for each CPU, or for each thread, or for each of
 * both, and adds their values up. The account is one number. So each delta
 * goes to exactly one member that is live, and the sum is right.
 */
struct gpu_set {
	struct list_head link;
	struct list_head sampled;
	struct list_head members;
	unsigned int nr;
	struct gpu_view view;
	const void *opener;
	const void *solo;
	const u64 *count;
	u64 last;
};

/**
 * gpu_set_is_settled() - is there nothing to share out?
 * @set:	the set
 *
 * Return: whether it is.
 */
static inline bool gpu_set_is_settled(const struct gpu_set *set)
{
	return *set->count == set->last;
}

/**
 * struct gpu_credit_ops - what only the caller knows of a member
 * @live:	is it counting now?
 * @task_cpu:	the CPU that its task is on, or ran on last
 * @credit:	give it a delta
 */
struct gpu_credit_ops {
	bool (*live)(struct gpu_member *member);
	int (*task_cpu)(struct gpu_member *member);
	void (*credit)(struct gpu_member *member, u64 delta);
};

bool gpu_member_follow(struct gpu_member *member, bool live, u64 written, u64 read);
void gpu_member_off(struct gpu_member *member, u64 read);

void gpu_set_init(struct gpu_set *set, const struct gpu_view *view,
		  const void *opener, const void *solo);
bool gpu_set_takes(const struct gpu_set *set, const struct gpu_set *like,
		   const struct gpu_member *member);
void gpu_set_join(struct gpu_set *set, struct gpu_member *member);
void gpu_set_leave(struct gpu_set *set, struct gpu_member *member);
struct gpu_member *gpu_set_pick(struct gpu_set *set, const struct gpu_credit_ops *ops,
				struct gpu_member *leaving);
void gpu_set_settle(struct gpu_set *set, const struct gpu_credit_ops *ops,
		    struct gpu_member *leaving);

#endif /* _GPU_PMU_CREDIT_H */
