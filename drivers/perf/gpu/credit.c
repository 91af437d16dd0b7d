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

static u64 view_read(const struct gpu_view *view)
{
	return gpu_account_slot(view->account, view->slot)[view->counter];
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
	set->view = *view;
	set->opener = opener;
	set->solo = solo;
	set->last = view_read(view);
}

/**
 * gpu_set_takes() - may an event share the set's deltas?
 * @set:	the set
 * @like:	a set with the event's own view, opener and solo
 * @member:	the event
 *
 * A second event for the same CPU and task is not a part of the same sum: the
 * user asked for the number twice.
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
}

/**
 * gpu_set_leave() - remove an event from its set
 * @member:	the event
 */
void gpu_set_leave(struct gpu_member *member)
{
	list_del(&member->link);
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
		if (m->cpu < 0 || !m->task || ops->task_cpu(m) == m->cpu)
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
 * @leaving:	as for gpu_set_pick()
 */
void gpu_set_settle(struct gpu_set *set, const struct gpu_credit_ops *ops,
		    struct gpu_member *leaving)
{
	u64 value = view_read(&set->view), delta = value - set->last;
	struct gpu_member *m, *pick = NULL;

	set->last = value;
	if (delta)
		pick = gpu_set_pick(set, ops, leaving);
	list_for_each_entry(m, &set->members, link)
		m->live = m == leaving || ops->live(m);
	if (pick)
		ops->credit(pick, delta);
}
