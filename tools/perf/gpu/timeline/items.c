// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "samples/twice.h"
#include "timeline/items.h"

static bool make_room(void **item, uint32_t nr, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 64;
	void *array;

	if (nr < *room)
		return true;
	if (*room > UINT32_MAX / 2)
		return false;
	array = reallocarray(*item, more, size);
	if (!array)
		return false;
	*item = array;
	*room = more;
	return true;
}

/* a new last item, NULL if there is no memory */
#define append(items)								\
	(make_room((void **)&(items)->item, (items)->nr, &(items)->room,	\
		   sizeof(*(items)->item)) ? &(items)->item[(items)->nr++] : NULL)

static void set_comm(char comm[ITEM_COMM], const char *name)
{
	if (!name || !*name)
		return;
	memset(comm, 0, ITEM_COMM);
	memcpy(comm, name, strnlen(name, ITEM_COMM - 1));
}

/*
 * A context is its submitter's. Only at a submission is the sample's thread that one;
 * the process' own name, which is its first thread's, is the best one.
 */
uint32_t items__context(struct items *items, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	struct key key = { { gpu->dev, gpu->client, gpu->ctx } };
	uint32_t nr = keys__add(&items->context_keys, &key);
	struct item_context *context;

	if (nr == KEY_NONE)
		return ITEM_NONE;
	if (nr < items->contexts.nr) {
		context = &items->contexts.item[nr];
	} else {
		context = append(&items->contexts);
		if (!context)
			return ITEM_NONE;
		*context = (struct item_context){ gpu->dev, gpu->client, gpu->ctx, 0, "" };
	}
	if (gpu->pid)
		context->pid = gpu->pid;
	if (gpu->kind == GPU_PMU_SAMPLE_JOB &&
	    (!*context->comm || sample->pid == sample->tid))
		set_comm(context->comm, sample->comm);
	return nr;
}

uint32_t items__thread(struct items *items, const struct stream_sample *sample)
{
	struct key key = { { sample->pid, sample->tid, 0 } };
	uint32_t nr = keys__add(&items->thread_keys, &key);
	struct item_thread *thread;

	if (nr == KEY_NONE)
		return ITEM_NONE;
	if (nr < items->threads.nr) {
		thread = &items->threads.item[nr];
	} else {
		thread = append(&items->threads);
		if (!thread)
			return ITEM_NONE;
		*thread = (struct item_thread){ sample->pid, sample->tid, "" };
	}
	/* an exec gives it another name: the last one is what people know */
	set_comm(thread->comm, sample->comm);
	return nr;
}

/* no memory: whoever adds it finds that out, too */
static bool is_new(struct items *items, const struct stream_sample *sample)
{
	if (!items->twice)
		items->twice = twice__new();
	return !items->twice || !twice__is(items->twice, sample);
}

/* when that began which the sample tells of, and when it ended */
static void span(const struct stream_sample *sample, uint64_t *from, uint64_t *to)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;

	switch (gpu->kind) {
	case GPU_PMU_SAMPLE_JOB:
		*from = gpu->submit;
		*to = gpu->submit;
		break;
	case GPU_PMU_SAMPLE_DONE:
		*from = gpu->submit ? gpu->submit : gpu->begin ? gpu->begin : gpu->end;
		*to = gpu->end;
		break;
	default:
		*from = gpu->begin;
		*to = gpu->end;
	}
}

bool items__wanted(struct items *items, const struct stream_sample *sample)
{
	uint64_t from, to;

	if (!items->start)
		items->start = sample->time;
	if (!is_new(items, sample))
		return false;
	span(sample, &from, &to);
	if ((int64_t)(to - items->start) >= items->from &&
	    (int64_t)(from - items->start) <= items->to)
		return true;
	items->outside++;
	return false;
}

static bool fence_of(struct items *items, const struct gpu_pmu_sample *gpu,
		     struct item_fence *fence)
{
	struct key key = { { gpu->dev, gpu->fence_context, 0 } };

	fence->seqno = gpu->fence_seqno;
	/* what is not known joins nothing */
	fence->line = ITEM_NONE;
	if (!gpu->fence_context)
		return true;
	fence->line = keys__add(&items->line_keys, &key);
	return fence->line != KEY_NONE;
}

static uint32_t submission_of(const struct items *items, const struct item_fence *fence)
{
	struct key key = { { fence->line, fence->seqno, 0 } };

	return fence->line == ITEM_NONE ? ITEM_NONE : keys__find(&items->fence_keys, &key);
}

static int add_submission(struct items *items, const struct stream_sample *sample)
{
	struct submission new = {
		.time = sample->gpu->submit,
		.thread = items__thread(items, sample),
		.context = items__context(items, sample),
		.stack = sample->stack,
		.cpu = sample->cpu,
	};
	struct submission *submission;
	struct key key;

	if (new.thread == ITEM_NONE || new.context == ITEM_NONE ||
	    !fence_of(items, sample->gpu, &new.fence))
		return -ENOMEM;
	/* Keys and submissions go in step. One without a fence has a key that none has. */
	key = (struct key){ { new.fence.line, new.fence.seqno, 0 } };
	if (new.fence.line == ITEM_NONE || keys__find(&items->fence_keys, &key) != KEY_NONE)
		key = (struct key){ { ITEM_NONE, items->submissions.nr, 1 } };
	submission = append(&items->submissions);
	if (!submission || keys__add(&items->fence_keys, &key) == KEY_NONE)
		return -ENOMEM;
	*submission = new;
	return 0;
}

static int add_run(struct items *items, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	struct run new = {
		.submit = gpu->submit,
		.begin = gpu->begin,
		.end = gpu->end,
		.busy = gpu->busy,
		.context = items__context(items, sample),
		.engine = gpu->engine,
		.earlier = gpu->flags & GPU_PMU_SAMPLE_EARLIER,
	};
	struct run *run;

	if (new.context == ITEM_NONE || !fence_of(items, gpu, &new.fence))
		return -ENOMEM;
	new.submission = submission_of(items, &new.fence);
	run = append(&items->runs);
	if (!run)
		return -ENOMEM;
	*run = new;
	items->unknown_begin += !new.begin;
	items->earlier += new.earlier;
	items->unjoined += new.submission == ITEM_NONE && !new.earlier;
	return 0;
}

static int add_wait(struct items *items, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	struct wait new = {
		.begin = gpu->begin,
		.end = gpu->end,
		.thread = items__thread(items, sample),
		.stack = sample->stack,
		.context = ITEM_NONE,
	};
	struct wait *wait;

	if (new.thread == ITEM_NONE || !fence_of(items, gpu, &new.fence))
		return -ENOMEM;
	new.submission = submission_of(items, &new.fence);
	if (new.submission != ITEM_NONE)
		new.context = items->submissions.item[new.submission].context;
	wait = append(&items->waits);
	if (!wait)
		return -ENOMEM;
	*wait = new;
	return 0;
}

uint64_t items__nr(const struct items *items)
{
	return (uint64_t)items->submissions.nr + items->runs.nr + items->waits.nr;
}

int items__add(struct items *items, const struct stream_sample *sample)
{
	static int (*const add[])(struct items *, const struct stream_sample *) = {
		[GPU_PMU_SAMPLE_JOB] = add_submission,
		[GPU_PMU_SAMPLE_DONE] = add_run,
		[GPU_PMU_SAMPLE_WAIT] = add_wait,
	};
	unsigned int kind = sample->gpu->kind;

	if (kind >= sizeof(add) / sizeof(add[0]) || !add[kind]) {
		items->reports++;
		return 0;
	}
	if (!items__wanted(items, sample))
		return 0;
	if (items__nr(items) >= items->max) {
		items->left_out++;
		return 0;
	}
	return add[kind](items, sample);
}

void items__exit(struct items *items)
{
	free(items->submissions.item);
	free(items->runs.item);
	free(items->waits.item);
	free(items->contexts.item);
	free(items->threads.item);
	keys__exit(&items->context_keys);
	keys__exit(&items->thread_keys);
	keys__exit(&items->line_keys);
	keys__exit(&items->fence_keys);
	twice__delete(items->twice);
}
