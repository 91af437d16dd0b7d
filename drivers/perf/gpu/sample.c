// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: what they carry, and how they get to where perf wants them.
 *
 * DOC: in the task, or later
 *
 * A submission, or a wait's end, is sampled where it happens: perf takes the
 * task's user registers and stack. A completion, or a hardware report, is found out
 * by the flush, on whatever CPU that runs, and interrupting whatever runs there. Such
 * a sample has no stack and no registers. perf's buffers must be written to on
 * the event's own CPU: so the sample waits in the event's FIFO until that CPU's
 * irq_work comes, or until the event's task is switched in or out.
 *
 * DOC: perf_tp_event()
 *
 * perf_event_overflow() is not for modules. perf_tp_event() is: it does all that
 * perf does for a software event (count, period, frequency, throttling, BPF,
 * signals, callchain), for each event of a list. Here that list is the event
 * itself. It keeps the first eight bytes of the record for itself, and releases the
 * recursion context.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_events.h>
#include <asm/processor.h>

#include "events.h"
#include "internal.h"

static int fifo_samples_set(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 16, 65536);
}

static const struct kernel_param_ops fifo_samples_ops = {
	.set = fifo_samples_set,
	.get = param_get_uint,
};

static unsigned int fifo_samples = 256;
module_param_cb(fifo_samples, &fifo_samples_ops, &fifo_samples, 0644);
MODULE_PARM_DESC(fifo_samples, "samples that an event can have on their way, 16 to 65536");

static_assert(sizeof(struct trace_entry) == sizeof_field(struct gpu_pmu_sample, perf));

/**
 * struct gpu_fifo - samples of an event, on their way to its CPU
 * @head:	the next one to be written; both count up and wrap
 * @tail:	the next one to be read
 * @nr:		how many there is room for
 * @size:	bytes of a sample
 * @users:	how many events have it; under gpu_mutex
 * @cpu:	where one of them has come to last, or -1; under no lock, a hint
 * @slots:	@nr of them
 *
 * Under gpu_lock.
 */
struct gpu_fifo {
	unsigned int head;
	unsigned int tail;
	unsigned int nr;
	size_t size;
	unsigned int users;
	int cpu;
	u8 slots[];
};

/* nothing of what was interrupted, and user space: at user space's address 0 */
static struct pt_regs no_regs;

/**
 * gpu_sample_check() - can this event be sampled, in this way?
 * @event:	the event
 * @desc:	what it counts
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int gpu_sample_check(const struct perf_event *event, const struct gpu_event_desc *desc)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->sample_period)
		return 0;
	if (!desc->period)
		return -EOPNOTSUPP;
	/* whoever runs when the flush finds it out has nothing to do with it */
	if (desc->at == GPU_AT_FLUSH &&
	    (attr->sigtrap || attr->sample_type &
	     (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
	      PERF_SAMPLE_REGS_INTR)))
		return -EOPNOTSUPP;
	return 0;
}

/**
 * gpu_sample_arm() - before an event counts for the first time
 * @event:	the event
 *
 * As perf does it for its software events: once, and what is left of a period stays
 * when the task is switched out.
 */
void gpu_sample_arm(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!is_sampling_event(event) || local64_read(&hwc->period_left) < 0)
		return;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, -(s64)hwc->sample_period);
}

/* a machine that is virtual may stand still between two readings of a clock */
#define CLOCK_TRIES		4
#define CLOCK_CLOSE_NS		2000

static u64 clock_ahead_measure(const struct perf_event *event)
{
	u64 before, now, took, ahead = 0, best = U64_MAX;
	unsigned int i;

	for (i = 0; i < CLOCK_TRIES && best > CLOCK_CLOSE_NS; i++) {
		before = event->clock();
		now = ktime_get_ns();
		took = event->clock() - before;
		if (took < best) {
			best = took;
			ahead = before + took / 2 - now;
		}
	}
	return ahead;
}

/*
 * What the event's clock is ahead of CLOCK_MONOTONIC: now, and as far back as a sample
 * goes, some ms. One figure for all times of a sample, so that what lies between
 * them stays as it is.
 *
 * If one reading of each says what was measured last, the machine did not stand still
 * between them; and so it is mostly.
 */
static u64 event_clock_ahead(struct gpu_event *ev)
{
	const struct perf_event *event = ev->event;
	u64 ahead;

	if (event->clock == ktime_get_mono_fast_ns)
		return 0;
	ahead = event->clock();
	ahead -= ktime_get_ns();
	if (ahead - ev->ahead + CLOCK_CLOSE_NS > 2 * CLOCK_CLOSE_NS) {
		ahead = clock_ahead_measure(event);
		ev->ahead = ahead;
	}
	return ahead;
}

/* the times that there are */
static void sample_shift(struct gpu_pmu_sample *sample, u64 ahead)
{
	if (sample->submit)
		sample->submit += ahead;
	if (sample->begin)
		sample->begin += ahead;
	if (sample->end)
		sample->end += ahead;
}

/*
 * The sample's times are of the event's clock during the call, and then what they were:
 * another event may have another clock, and that is shorter than a copy for each.
 * Interrupts off, on the CPU that the event is active on.
 */
static void sample_output(struct gpu_event *ev, struct gpu_pmu_device *gdev,
			  struct gpu_pmu_sample *sample, size_t size,
			  struct pt_regs *regs, u64 count)
{
	struct perf_event *event = ev->event;
	bool now = !sample->submit && sample->kind == GPU_PMU_SAMPLE_JOB;
	int rctx = perf_swevent_get_recursion_context();
	u64 ahead = 0;

	/* something that perf samples in this context led to here: it cannot be nested */
	if (rctx < 0) {
		gpu_lose(gdev);
		return;
	}
	sample->version = GPU_PMU_SAMPLE_VERSION;
	if (now)
		sample->submit = event->clock();
	else
		ahead = event_clock_ahead(ev);
	sample_shift(sample, ahead);
	perf_tp_event(0, count, sample, size, regs, &ev->solo, rctx, NULL);
	sample_shift(sample, -ahead);
	if (now)
		sample->submit = 0;
}

/**
 * gpu_sample_here() - the current task has done what the event samples
 * @ev:		the event, active on this CPU
 * @gdev:	the device, or NULL
 * @sample:	what there is to say; times are of CLOCK_MONOTONIC, no time of a
 *		submission is now. Can be used for other events, too
 * @count:	by how much the event advances
 *
 * Context: interrupts off.
 */
void gpu_sample_here(struct gpu_event *ev, struct gpu_pmu_device *gdev,
		     struct gpu_pmu_sample *sample, u64 count)
{
	/* perf's clones have that of whoever forked */
	struct pid_namespace *ns = ev->root->event->ns;
	bool user = gpu_in_user_task();

	sample->pid = 0;
	if (user)
		sample->pid = ns == &init_pid_ns ? task_tgid_nr(current) :
						   task_tgid_nr_ns(current, ns);
	sample_output(ev, gdev, sample, sizeof(*sample),
		      user ? task_pt_regs(current) : &no_regs, count);
}

/* ---- later ---- */

/**
 * gpu_fifo_alloc() - an event is going to have samples later
 * @root:	the event
 *
 * Context: process, sleeps. Undone by gpu_fifo_free().
 * Return: 0 or -ENOMEM.
 */
int gpu_fifo_alloc(struct gpu_event *root)
{
	unsigned int nr = roundup_pow_of_two(READ_ONCE(fifo_samples));
	size_t size = sizeof(struct gpu_pmu_sample);

	if (root->counter == GPU_COUNTER_REPORTS)
		size += GPU_PMU_MAX_COUNTERS * sizeof(struct gpu_pmu_sample_value);
	root->fifo = kvzalloc(sizeof(*root->fifo) + nr * size, GFP_KERNEL_ACCOUNT);
	if (!root->fifo)
		return -ENOMEM;
	root->fifo->nr = nr;
	root->fifo->size = size;
	root->fifo->users = 1;
	root->fifo->cpu = -1;
	return 0;
}

/**
 * gpu_fifo_free() - the mirror of gpu_fifo_alloc(), or of gpu_fifo_share()
 * @root:	the event
 *
 * Context: process, gpu_mutex held.
 */
void gpu_fifo_free(struct gpu_event *root)
{
	lockdep_assert_held(&gpu_mutex);
	if (root->fifo && !--root->fifo->users)
		kvfree(root->fifo);
	root->fifo = NULL;
}

/**
 * gpu_fifo_share() - samples of an event may as well be another one's
 * @root:	the event, which has a FIFO that was not used yet
 * @with:	the other one, on the same task
 *
 * Context: process, gpu_mutex held.
 */
void gpu_fifo_share(struct gpu_event *root, const struct gpu_event *with)
{
	gpu_fifo_free(root);
	root->fifo = with->fifo;
	root->fifo->users++;
}

static void *fifo_slot(struct gpu_fifo *fifo, unsigned int at)
{
	return fifo->slots + (at & (fifo->nr - 1)) * fifo->size;
}

static bool fifo_pop(struct gpu_fifo *fifo, void *slot)
{
	bool any;

	raw_spin_lock(&gpu_lock);
	any = fifo->tail != fifo->head;
	if (any)
		memcpy(slot, fifo_slot(fifo, fifo->tail++), fifo->size);
	raw_spin_unlock(&gpu_lock);
	return any;
}

/* what waits for an event that will not have it; gpu_lock held */
static void fifo_lose(struct gpu_event *root)
{
	struct gpu_fifo *fifo = root->fifo;

	for (; fifo->tail != fifo->head; fifo->tail++)
		gpu_lose(root->gdev);
}

/**
 * gpu_fifo_close() - an event is being closed: what waits for it is lost
 * @root:	the event
 *
 * Unless others have the same FIFO.
 *
 * Context: gpu_mutex and gpu_lock held.
 */
void gpu_fifo_close(struct gpu_event *root)
{
	lockdep_assert_held(&gpu_lock);
	if (root->fifo->users == 1)
		fifo_lose(root);
}

/*
 * Samples that are handed over to perf in one go: interrupts are off. As many as one
 * portion of the flush makes.
 */
#define GPU_DRAIN_MAX	256

/* CPUs that have had as many as that, and may have more */
static cpumask_t drain_more;

/* what waits for an event; the event, or a clone of it, is active on this CPU, interrupts off */
static unsigned int fifo_drain(struct gpu_event *ev, unsigned int most)
{
	struct {
		struct gpu_pmu_sample sample;
		struct gpu_pmu_sample_value values[GPU_PMU_MAX_COUNTERS];
	} slot;
	unsigned int nr;

	for (nr = 0; nr < most && fifo_pop(ev->root->fifo, &slot); nr++) {
		/* a number of the initial namespace's */
		if (ev->root->event->ns != &init_pid_ns)
			slot.sample.pid = 0;
		sample_output(ev, ev->root->gdev, &slot.sample, sizeof(slot.sample) +
			      slot.sample.nr_values * sizeof(slot.values[0]), &no_regs, 1);
	}
	return nr;
}

/* interrupts off */
static void cpu_drain(void)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	unsigned int room = GPU_DRAIN_MAX;
	struct gpu_event *ev;

	list_for_each_entry(ev, &here->sampled, sampling)
		room -= fifo_drain(ev, room);
	/* the flush has it go on after a gap */
	if (!room)
		cpumask_set_cpu(smp_processor_id(), &drain_more);
}

static void cpu_drain_self(struct irq_work *work)
{
	cpu_drain();
}

static void cpu_drain_asked(void *unused)
{
	cpu_drain();
}

/* a module's per-CPU data is not relocated: it cannot have the functions from the start */
static DEFINE_PER_CPU(struct irq_work, drain_self);
static DEFINE_PER_CPU(call_single_data_t, drain_asked);

/*
 * gpu_lock is held: on this CPU it is done later. One that was asked already, and
 * has not come to it, sees what there is now, too.
 */
static void drain_on(int cpu)
{
	if (cpu == smp_processor_id())
		irq_work_queue(this_cpu_ptr(&drain_self));
	else
		smp_call_function_single_async(cpu, per_cpu_ptr(&drain_asked, cpu));
}

/**
 * gpu_samples_go_on() - CPUs that have handed over many samples go on
 *
 * Context: gpu_lock held.
 * Return: whether there is one.
 */
bool gpu_samples_go_on(void)
{
	bool any = false;
	int cpu;

	lockdep_assert_held(&gpu_lock);
	for_each_cpu(cpu, &drain_more) {
		cpumask_clear_cpu(cpu, &drain_more);
		drain_on(cpu);
		any = true;
	}
	return any;
}

/**
 * gpu_fifo_begin() - an event that has samples later comes to this CPU
 * @ev:		the event, or a clone of it
 *
 * What waits for it comes when interrupts are on.
 *
 * Context: interrupts off, gpu_lock not held.
 */
void gpu_fifo_begin(struct gpu_event *ev)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	struct gpu_fifo *fifo = ev->root->fifo;

	list_add_tail(&ev->sampling, &here->sampled);
	WRITE_ONCE(fifo->cpu, smp_processor_id());
	/* pairs with gpu_sample_later(): one of us sees the other */
	smp_mb();
	if (READ_ONCE(fifo->head) != READ_ONCE(fifo->tail))
		irq_work_queue(this_cpu_ptr(&drain_self));
}

/**
 * gpu_fifo_end() - it leaves this CPU
 * @ev:		the event, or a clone of it
 *
 * What waits for it is handed over, unless that is very much: that has to wait for the
 * event's next time on a CPU and, if there is none, is lost.
 *
 * Context: interrupts off, gpu_lock not held.
 */
void gpu_fifo_end(struct gpu_event *ev)
{
	struct gpu_cpu_events *here = this_cpu_ptr(&gpu_cpu_events);
	unsigned int room = GPU_DRAIN_MAX - min(here->drained, GPU_DRAIN_MAX);

	room = fifo_drain(ev, room);
	if (here->batch)
		here->drained += room;
	list_del(&ev->sampling);
	if (READ_ONCE(ev->root->fifo->cpu) == smp_processor_id())
		WRITE_ONCE(ev->root->fifo->cpu, -1);

	/* the task ends, and has no children that have the event, too */
	if (ev->event->hw.target != current || !(current->flags & PF_EXITING))
		return;
	raw_spin_lock(&gpu_lock);
	if (list_empty(&ev->root->clones))
		fifo_lose(ev->root);
	raw_spin_unlock(&gpu_lock);
}

/* the CPU that the event, or one of its clones, is active on, or -1 */
static int event_cpu(const struct gpu_event *root)
{
	const struct gpu_event *clone;
	int cpu = READ_ONCE(root->event->oncpu);
	unsigned int look = GPU_CLONES_LOOK;

	if (cpu >= 0)
		return cpu;
	list_for_each_entry(clone, &root->clones, link) {
		cpu = READ_ONCE(clone->event->oncpu);
		if (cpu >= 0 || !--look)
			return cpu;
	}
	return -1;
}

/* its task has exited, and so have those that inherited it: it comes to no CPU */
static bool event_is_over(const struct gpu_event *root)
{
	const struct gpu_event *clone;
	unsigned int look = GPU_CLONES_LOOK;

	if (READ_ONCE(root->event->state) > PERF_EVENT_STATE_EXIT)
		return false;
	list_for_each_entry(clone, &root->clones, link)
		if (READ_ONCE(clone->event->state) > PERF_EVENT_STATE_EXIT || !--look)
			return false;
	return true;
}

/**
 * gpu_fifo_settle() - what waits for an event that comes to no CPU any more is lost
 * @root:	the event
 *
 * The last task that has it may end with more than could be handed over in one go, and
 * what it did may be told of later than that.
 *
 * Context: gpu_lock held.
 */
void gpu_fifo_settle(struct gpu_event *root)
{
	const struct gpu_fifo *fifo = root->fifo;

	lockdep_assert_held(&gpu_lock);
	if (fifo && fifo->tail != fifo->head && event_is_over(root))
		fifo_lose(root);
}

/**
 * gpu_sample_later() - an event is to have a sample
 * @root:	the event
 * @sample:	what there is to say; times are of CLOCK_MONOTONIC
 * @values:	@sample->nr_values of them
 *
 * Context: gpu_lock held.
 */
void gpu_sample_later(struct gpu_event *root, const struct gpu_pmu_sample *sample,
		      const struct gpu_pmu_sample_value *values)
{
	struct gpu_fifo *fifo = root->fifo;
	void *slot = fifo_slot(fifo, fifo->head);
	int cpu;

	lockdep_assert_held(&gpu_lock);

	if (fifo->head - fifo->tail == fifo->nr || event_is_over(root)) {
		gpu_lose(root->gdev);
		return;
	}
	memcpy(slot, sample, sizeof(*sample));
	if (values)
		memcpy(slot + sizeof(*sample), values, sample->nr_values * sizeof(*values));
	fifo->head++;

	/* if it is on none, it gets them when it comes to one */
	smp_mb(); /* see gpu_fifo_begin() */
	cpu = event_cpu(root);
	if (cpu < 0)
		cpu = READ_ONCE(fifo->cpu);
	if (cpu >= 0)
		drain_on(cpu);
}

/**
 * gpu_samples_init() - before any event can be opened
 */
void gpu_samples_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		*per_cpu_ptr(&drain_self, cpu) = IRQ_WORK_INIT_HARD(cpu_drain_self);
		INIT_CSD(per_cpu_ptr(&drain_asked, cpu), cpu_drain_asked, NULL);
	}
#ifdef CONFIG_X86
	no_regs.cs = __USER_CS;
	no_regs.ss = __USER_DS;
#endif
}

static void cpu_nothing(void *unused)
{
}

/**
 * gpu_samples_exit() - the mirror of gpu_samples_init()
 *
 * Context: process, sleeps; no event is open any more.
 */
void gpu_samples_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&drain_self, cpu));
	/*
	 * What was asked of a CPU before this is done there before this is, or
	 * behind it: with interrupts off all the time.
	 */
	on_each_cpu(cpu_nothing, NULL, 1);
	synchronize_rcu();
}
