// SPDX-License-Identifier: GPL-2.0
/*
 * Crediting. See credit.h.
 *
 * DOC: when is an event counting?
 *
 * perf's add() and del() cannot tell an enable from a switch to the task, nor
 * a disable from a switch away from it; and enabling the event of a task that
 * does not run calls nothing at all. But what the GPU does for an event goes
 * on while its task sleeps. So whether a delta belongs to an event is decided
 * by its state at both ends of the interval that the delta stands for: it must
 * have been live when the set was settled last, and be live now. add() and
 * del() settle, so for a task that runs both ends are exact; for one that does
 * not, the error is at most the time between two settlements.
 */
#include "credit.h"

/*
 * DOC: data that is late
 *
 * What an event counts may come by a stream of reports, of which some have been
 * written, and cannot be read yet, when the event is switched on or off. They are
 * about the time before. So where the stream was then is marked, and the event
 * begins, or ceases, to count when it has been read up to there.
 */

/* if there is no room, it counts as if the stream was at the mark already */
static void member_mark(struct gpu_member *member, u64 at, bool live)
{
	member->told = live;
	if (member->nr_marks < GPU_MARKS_MAX) {
		member->marks[member->nr_marks++] = (struct gpu_mark) { at, live };
		return;
	}
	member->nr_marks = 0;
	member->here = live;
	member->spilled = true;
}

/**
 * gpu_member_follow() - does an event count what is read of a stream now?
 * @member:	the event
 * @live:	it is switched on, now
 * @written:	how far the stream is written
 * @read:	and how far it is read
 *
 * Of an event that was on, and is not any more, it is not known since when: it was
 * when this was called last. Marks for which there is no room are left out.
 *
 * Return: whether it does.
 */
bool gpu_member_follow(struct gpu_member *member, bool live, u64 written, u64 read)
{
	if (live != member->told)
		member_mark(member, live ? written : member->left, live);
	if (live)
		member->left = written;
	while (member->nr_marks && member->marks[0].at <= read) {
		member->here = member->marks[0].live;
		member->nr_marks--;
		for (int i = 0; i < member->nr_marks; i++)
			member->marks[i] = member->marks[i + 1];
	}
	return member->here;
}

/**
 * gpu_member_off() - an event was off, in between
 * @member:	the event
 * @read:	how far the stream is read, before anything is from after that
 */
void gpu_member_off(struct gpu_member *member, u64 read)
{
	if (!member->told)
		return;
	if (read < member->left) {
		member_mark(member, member->left, false);
		return;
	}
	member->told = false;
	member->here = false;
	member->live = false;
}

/**
 * gpu_set_init() - make an empty set
 * @set:	room for it
 * @view:	what its members look at: from now on
 * @opener:	see struct gpu_set
 * @solo:	see struct gpu_set
 */
void gpu_set_init(struct gpu_set *set, const struct gpu_view *view,
		  const void *opener, const void *solo)
{
	INIT_LIST_HEAD(&set->members);
	set->nr = 0;
	set->view = *view;
	set->opener = opener;
	set->solo = solo;
	set->count = &gpu_account_slot(view->account, view->slot)[view->counter];
	set->last = *set->count;
}

/**
 * gpu_set_takes() - may an event share the set's deltas?
 * @set:	the set
 * @like:	a set with the event's own view, opener and solo
 * @member:	the event
 *
 * A second event for the same CPU and task is not a part of the same sum: the
 * user asked for the number twice.
 *
 * Return: whether it does.
 */
bool gpu_set_takes(const struct gpu_set *set, const struct gpu_set *like,
		   const struct gpu_member *member)
{
	const struct gpu_member *m;

	if (set->view.account != like->view.account ||
	    set->view.slot != like->view.slot ||
	    set->view.counter != like->view.counter ||
	    set->view.sampled != like->view.sampled ||
	    set->opener != like->opener || set->solo != like->solo)
		return false;
	list_for_each_entry(m, &set->members, link)
		if (m->cpu == member->cpu && m->task == member->task)
			return false;
	return true;
}

/**
 * gpu_set_join() - add an event to a set
 * @set:	the set
 * @member:	the event, not live yet
 */
void gpu_set_join(struct gpu_set *set, struct gpu_member *member)
{
	member->live = false;
	list_add_tail(&member->link, &set->members);
	set->nr++;
}

/**
 * gpu_set_leave() - remove an event from its set
 * @set:	the set
 * @member:	the event
 */
void gpu_set_leave(struct gpu_set *set, struct gpu_member *member)
{
	list_del(&member->link);
	set->nr--;
}

static bool member_is_there(struct gpu_member *m, const struct gpu_credit_ops *ops)
{
	return m->cpu < 0 || !m->task || ops->task_cpu(m) == m->cpu;
}

/**
 * gpu_set_pick() - who gets what has been counted since the last settlement?
 * @set:	the set
 * @ops:	what is needed to know of its members
 * @leaving:	a member that counts up to now, whatever it will be after, or NULL
 *
 * Return: one that was and is live: the first one that is where its task is (or
 * that is bound to no CPU, or to no task), else the first one; NULL if nobody was
 * counting.
 */
struct gpu_member *gpu_set_pick(struct gpu_set *set, const struct gpu_credit_ops *ops,
				struct gpu_member *leaving)
{
	struct gpu_member *m, *pick = NULL;

	list_for_each_entry(m, &set->members, link) {
		if (!m->live || (m != leaving && !ops->live(m)))
			continue;
		if (member_is_there(m, ops))
			return m;
		if (!pick)
			pick = m;
	}
	return pick;
}

/**
 * gpu_set_settle() - share out what the view has counted since the last time
 * @set:	the set
 * @ops:	what is needed to know of its members
 * @leaving:	as for gpu_set_pick(), whose choice it makes while it goes through them
 */
void gpu_set_settle(struct gpu_set *set, const struct gpu_credit_ops *ops,
		    struct gpu_member *leaving)
{
	u64 value = *set->count, delta = value - set->last;
	struct gpu_member *m, *pick = NULL;
	bool was, chosen = !delta;

	set->last = value;
	list_for_each_entry(m, &set->members, link) {
		was = m->live;
		m->live = m == leaving || ops->live(m);
		if (chosen || !was || !m->live)
			continue;
		chosen = member_is_there(m, ops);
		if (chosen || !pick)
			pick = m;
	}
	if (pick)
		ops->credit(pick, delta);
}
