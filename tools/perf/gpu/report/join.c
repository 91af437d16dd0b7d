// SPDX-License-Identifier: GPL-2.0
/* See join.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/join.h"
#include "report/outstanding.h"
#include "samples/twice.h"
#include "perf-gpu.h"

/* an array that grows */
struct list {
	void *items;
	uint32_t nr;
	uint32_t room;
};

/**
 * struct join - what is known so far
 * @stacks:	the caller's
 * @outstanding: jobs that are not complete
 * @sums:	over all
 * @selves:	for each weight, what each stack is charged with
 * @nr_selves:	for each weight, how many numbers of stacks there is room for
 * @contexts:	of struct join_context; so are the others
 * @places:	of contexts, + 1, at the place that their hash says or at the next free
 *		one behind it
 * @nr_places:	a power of two, twice as many as there are contexts at least
 * @twice:	what was said already
 */
struct join {
	struct stacks *stacks;
	struct outstanding *outstanding;
	struct join_sums sums;
	uint64_t *selves[JOIN_WEIGHTS];
	uint32_t nr_selves[JOIN_WEIGHTS];
	struct list contexts;
	struct list engines;
	struct list waiters;
	uint32_t *places;
	uint32_t nr_places;
	struct twice *twice;
};

static void *list_add(struct list *list, size_t size)
{
	void *items;
	uint32_t room;

	if (list->nr == list->room) {
		room = list->room ? 2 * list->room : 16;
		items = reallocarray(list->items, room, size);
		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	return memset((char *)list->items + size * list->nr++, 0, size);
}

static uint32_t hash_of(uint64_t a, uint64_t b, uint32_t c)
{
	uint64_t hash = a * 0x9e3779b97f4a7c15ULL + c;

	hash = (hash ^ hash >> 32 ^ b) * 0x9e3779b97f4a7c15ULL;
	return hash >> 32;
}

/* ---- who ---- */

/* where the number of a context is, or would be */
static uint32_t *place_of(const struct join *join, uint32_t dev, uint64_t client, uint64_t ctx)
{
	const struct join_context *contexts = join->contexts.items;
	uint32_t at = hash_of(client, ctx, dev) & (join->nr_places - 1);

	for (;; at = (at + 1) & (join->nr_places - 1)) {
		const struct join_context *context;

		if (!join->places[at])
			return &join->places[at];
		context = &contexts[join->places[at] - 1];
		if (context->ctx == ctx && context->client == client && context->dev == dev)
			return &join->places[at];
	}
}

static int places_grow(struct join *join)
{
	const struct join_context *contexts = join->contexts.items;
	uint32_t nr = join->nr_places ? 2 * join->nr_places : 64;
	uint32_t *places;

	if (2 * (join->contexts.nr + 1) <= join->nr_places)
		return 0;
	places = calloc(nr, sizeof(*places));
	if (!places)
		return -ENOMEM;
	free(join->places);
	join->places = places;
	join->nr_places = nr;
	for (uint32_t i = 0; i < join->contexts.nr; i++)
		*place_of(join, contexts[i].dev, contexts[i].client, contexts[i].ctx) = i + 1;
	return 0;
}

static struct join_context *context_of(struct join *join, const struct gpu_pmu_sample *gpu)
{
	struct join_context *context;
	uint32_t *place;

	if (places_grow(join))
		return NULL;
	place = place_of(join, gpu->dev, gpu->client, gpu->ctx);
	if (*place)
		return (struct join_context *)join->contexts.items + *place - 1;
	context = list_add(&join->contexts, sizeof(*context));
	if (!context)
		return NULL;
	*place = join->contexts.nr;
	context->dev = gpu->dev;
	context->client = gpu->client;
	context->ctx = gpu->ctx;
	return context;
}

static struct join_engine *engine_of(struct join *join, const struct gpu_pmu_sample *gpu)
{
	struct join_engine *engines = join->engines.items, *engine;

	for (uint32_t i = 0; i < join->engines.nr; i++)
		if (engines[i].engine == gpu->engine && engines[i].dev == gpu->dev)
			return &engines[i];
	engine = list_add(&join->engines, sizeof(*engine));
	if (engine) {
		engine->dev = gpu->dev;
		engine->engine = gpu->engine;
	}
	return engine;
}

static uint32_t process_of(const struct stream_sample *sample)
{
	return sample->gpu->pid ? sample->gpu->pid : sample->pid;
}

static struct join_waiter *waiter_of(struct join *join, const struct stream_sample *sample)
{
	struct join_waiter *waiters = join->waiters.items, *waiter;
	uint32_t pid = process_of(sample);

	for (uint32_t i = 0; i < join->waiters.nr; i++)
		if (waiters[i].pid == pid)
			return &waiters[i];
	waiter = list_add(&join->waiters, sizeof(*waiter));
	if (waiter) {
		waiter->pid = pid;
		waiter->comm = stacks__name(join->stacks, sample->comm);
	}
	return waiter;
}

/* ---- stacks ---- */

static int charge(struct join *join, enum join_weight weight, uint32_t stack, uint64_t value)
{
	uint32_t room = join->nr_selves[weight];
	uint64_t *more;

	if (stack >= room) {
		room = room ? room : 256;
		while (stack >= room)
			room *= 2;
		more = reallocarray(join->selves[weight], room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + join->nr_selves[weight], 0,
		       (room - join->nr_selves[weight]) * sizeof(*more));
		join->selves[weight] = more;
		join->nr_selves[weight] = room;
	}
	join->selves[weight][stack] += value;
	return 0;
}

static int charge_reason(struct join *join, enum join_weight weight, const char *reason,
			 uint64_t value)
{
	uint32_t name = stacks__name(join->stacks, reason);
	uint32_t stack = name ? stacks__push(join->stacks, STACK_NONE, name) : 0;

	return stack ? charge(join, weight, stack, value) : -ENOMEM;
}

static int charge_stack(struct join *join, enum join_weight weight, uint32_t stack,
			uint64_t value)
{
	if (stack == STACK_NONE)
		return charge_reason(join, weight, "(no stack)", value);
	return charge(join, weight, stack, value);
}

/* ---- samples, by kind ---- */

static struct fence fence_of(const struct gpu_pmu_sample *gpu)
{
	return (struct fence){
		.dev = gpu->dev,
		.context = gpu->fence_context,
		.seqno = gpu->fence_seqno,
	};
}

static bool is_known(const struct fence *fence)
{
	return fence->context || fence->seqno;
}

/* the job waits for its completion; 1: it does already */
static int expect_done(struct join *join, const struct stream_sample *sample)
{
	struct fence fence = fence_of(sample->gpu);
	bool evicted = false;
	int err;

	if (!is_known(&fence)) {
		join->sums.nameless++;
		return 0;
	}
	err = outstanding__put(join->outstanding, &fence, sample->stack, &evicted);
	join->sums.evicted += evicted;
	return err;
}

static int take_job(struct join *join, const struct stream_sample *sample)
{
	struct join_context *context;
	int err = expect_done(join, sample);

	if (err < 0)
		return err;
	if (err) {
		join->sums.twice++;
		return 0;
	}
	join->sums.jobs++;
	join->sums.cut += sample->cut;
	context = context_of(join, sample->gpu);
	if (!context)
		return -ENOMEM;
	context->jobs++;
	if (!context->comm) {
		context->pid = process_of(sample);
		context->comm = stacks__name(join->stacks, sample->comm);
	}
	return charge_stack(join, JOIN_JOBS, sample->stack, 1);
}

static int charge_busy(struct join *join, const struct gpu_pmu_sample *gpu,
		       const struct fence *fence)
{
	struct join_sums *sums = &join->sums;
	uint32_t stack;

	if (outstanding__take(join->outstanding, fence, &stack)) {
		sums->joined++;
		sums->joined_busy += gpu->busy;
		return charge_stack(join, JOIN_GPU, stack, gpu->busy);
	}
	if (gpu->flags & GPU_PMU_SAMPLE_EARLIER) {
		sums->earlier++;
		sums->earlier_busy += gpu->busy;
		return charge_reason(join, JOIN_GPU, "(submitted earlier)", gpu->busy);
	}
	sums->unknown++;
	sums->unknown_busy += gpu->busy;
	return charge_reason(join, JOIN_GPU, "(not joined)", gpu->busy);
}

/* how long it was queued; 0 in @begin: nobody knows */
static int take_latency(struct join *join, const struct gpu_pmu_sample *gpu,
			struct join_context *context, struct join_engine *engine)
{
	uint64_t latency = gpu->begin - gpu->submit;
	int err;

	if (!gpu->begin || !gpu->submit || gpu->begin < gpu->submit) {
		join->sums.no_start++;
		return 0;
	}
	err = histogram__add(&context->latency, latency);
	return err ? err : histogram__add(&engine->latency, latency);
}

static int take_done(struct join *join, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	struct fence fence = fence_of(gpu);
	struct join_context *context;
	struct join_engine *engine;
	int err;

	context = context_of(join, gpu);
	engine = engine_of(join, gpu);
	if (!context || !engine)
		return -ENOMEM;
	join->sums.done++;
	join->sums.busy += gpu->busy;
	context->done++;
	context->busy += gpu->busy;
	if (!context->pid)
		context->pid = gpu->pid;
	engine->done++;
	engine->busy += gpu->busy;
	err = take_latency(join, gpu, context, engine);
	return err ? err : charge_busy(join, gpu, &fence);
}

static int take_wait(struct join *join, const struct stream_sample *sample)
{
	uint64_t time = sample->gpu->end - sample->gpu->begin;
	struct join_waiter *waiter;
	int err;

	waiter = waiter_of(join, sample);
	if (!waiter)
		return -ENOMEM;
	join->sums.waits++;
	join->sums.cut += sample->cut;
	join->sums.wait_time += time;
	err = histogram__add(&waiter->time, time);
	return err ? err : charge_stack(join, JOIN_WAIT, sample->stack, time);
}

static int take_report(struct join *join, const struct stream_sample *sample)
{
	(void)sample;
	join->sums.reports++;
	return 0;
}

int join__sample(struct join *join, const struct stream_sample *sample)
{
	static int (*const take[])(struct join *, const struct stream_sample *) = {
		[GPU_PMU_SAMPLE_JOB] = take_job,
		[GPU_PMU_SAMPLE_DONE] = take_done,
		[GPU_PMU_SAMPLE_WAIT] = take_wait,
		[GPU_PMU_SAMPLE_REPORT] = take_report,
	};
	unsigned int kind = sample->gpu->kind;

	if (kind >= ARRAY_SIZE(take) || !take[kind])
		return 0;
	if (!join->sums.first || sample->time < join->sums.first)
		join->sums.first = sample->time;
	if (sample->time > join->sums.last)
		join->sums.last = sample->time;
	if (twice__is(join->twice, sample)) {
		join->sums.twice++;
		return 0;
	}
	return take[kind](join, sample);
}

void join__lost(struct join *join, uint64_t nr)
{
	join->sums.lost += nr;
}

void join__end(struct join *join)
{
	join->sums.unfinished = join->sums.evicted + outstanding__nr(join->outstanding);
}

/* ---- what came out ---- */

const struct join_sums *join__sums(const struct join *join)
{
	return &join->sums;
}

int join__selves(struct join *join, enum join_weight weight, const uint64_t **selves)
{
	/* as many as there are stacks, though this weight may have charged but a few */
	int err = charge(join, weight, stacks__nr(join->stacks), 0);

	*selves = join->selves[weight];
	return err;
}

const struct join_context *join__contexts(const struct join *join, uint32_t *nr)
{
	*nr = join->contexts.nr;
	return join->contexts.items;
}

const struct join_engine *join__engines(const struct join *join, uint32_t *nr)
{
	*nr = join->engines.nr;
	return join->engines.items;
}

const struct join_waiter *join__waiters(const struct join *join, uint32_t *nr)
{
	*nr = join->waiters.nr;
	return join->waiters.items;
}

struct join *join__new(struct stacks *stacks, uint32_t outstanding)
{
	struct join *join = calloc(1, sizeof(*join));

	if (!join)
		return NULL;
	join->stacks = stacks;
	join->outstanding = outstanding__new(outstanding);
	join->twice = twice__new();
	if (!join->outstanding || !join->twice) {
		join__delete(join);
		return NULL;
	}
	return join;
}

void join__delete(struct join *join)
{
	struct join_context *contexts;
	struct join_engine *engines;
	struct join_waiter *waiters;

	if (!join)
		return;
	contexts = join->contexts.items;
	engines = join->engines.items;
	waiters = join->waiters.items;
	for (uint32_t i = 0; i < join->contexts.nr; i++)
		histogram__clear(&contexts[i].latency);
	for (uint32_t i = 0; i < join->engines.nr; i++)
		histogram__clear(&engines[i].latency);
	for (uint32_t i = 0; i < join->waiters.nr; i++)
		histogram__clear(&waiters[i].time);
	free(contexts);
	free(engines);
	free(waiters);
	free(join->places);
	for (unsigned int i = 0; i < JOIN_WEIGHTS; i++)
		free(join->selves[i]);
	outstanding__delete(join->outstanding);
	twice__delete(join->twice);
	free(join);
}
