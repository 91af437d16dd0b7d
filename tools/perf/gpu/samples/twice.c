// SPDX-License-Identifier: GPL-2.0
/*
 * See twice.h. What says the same comes close together: of fences the last ones are
 * remembered.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/keys.h"
#include "samples/twice.h"

#define RECENT		4096U

/* at the place that its hash says; what has a fence is not all 0 */
struct recent {
	struct key fence[RECENT];
};

/**
 * struct twice - what was said
 * @jobs:	submissions
 * @dones:	completions
 * @threads:	who waited
 * @middles:	of each, the middle of its last wait, ns
 * @room:	for how many there is room in @middles
 */
struct twice {
	struct recent jobs;
	struct recent dones;
	struct keys threads;
	uint64_t *middles;
	uint32_t room;
};

static bool is_fence_twice(struct recent *recent, const struct gpu_pmu_sample *gpu)
{
	struct key key = { { gpu->dev, gpu->fence_context, gpu->fence_seqno } };
	struct key *last;

	if (!gpu->fence_context && !gpu->fence_seqno)
		return false;
	last = &recent->fence[keys__hash(&key) % RECENT];
	if (!memcmp(last, &key, sizeof(key)))
		return true;
	*last = key;
	return false;
}

/* NULL: no memory */
static uint64_t *middle_of(struct twice *twice, uint32_t tid)
{
	struct key key = { { tid } };
	uint32_t nr = keys__add(&twice->threads, &key), room = twice->room;
	uint64_t *more;

	if (nr == KEY_NONE)
		return NULL;
	if (nr < room)
		return &twice->middles[nr];
	room = room ? 2 * room : 64;
	more = reallocarray(twice->middles, room, sizeof(*more));
	if (!more)
		return NULL;
	memset(more + twice->room, 0, (room - twice->room) * sizeof(*more));
	twice->middles = more;
	twice->room = room;
	return &more[nr];
}

/*
 * A thread is in one wait at a time: one that begins while its last one was under way is
 * the same. Two samples may be off by some ns: what begins in the second half comes next.
 */
static bool is_wait_twice(struct twice *twice, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	uint64_t *middle = middle_of(twice, sample->tid);

	if (!middle)
		return false;
	if (gpu->begin < *middle)
		return true;
	*middle = gpu->begin + (gpu->end - gpu->begin) / 2;
	return false;
}

bool twice__is(struct twice *twice, const struct stream_sample *sample)
{
	switch (sample->gpu->kind) {
	case GPU_PMU_SAMPLE_JOB:
		return is_fence_twice(&twice->jobs, sample->gpu);
	case GPU_PMU_SAMPLE_DONE:
		return is_fence_twice(&twice->dones, sample->gpu);
	case GPU_PMU_SAMPLE_WAIT:
		return is_wait_twice(twice, sample);
	default:
		return false;
	}
}

struct twice *twice__new(void)
{
	return calloc(1, sizeof(struct twice));
}

void twice__delete(struct twice *twice)
{
	if (!twice)
		return;
	keys__exit(&twice->threads);
	free(twice->middles);
	free(twice);
}
