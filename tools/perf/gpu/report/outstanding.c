// SPDX-License-Identifier: GPL-2.0
/*
 * See outstanding.h. Jobs are in one array, chained twice: those of one hash, and all
 * of them by age. Number 0 is the end of a chain; the job of number 0 is the head of
 * the ring by age.
 */
#include <errno.h>
#include <stdlib.h>

#include "report/outstanding.h"

#define BUCKETS_MIN	1024U

struct job {
	struct fence fence;
	uint32_t stack;
	uint32_t same_hash;	/* the next one; of a free one: the next free one */
	uint32_t older;
	uint32_t younger;
};

struct outstanding {
	struct job *jobs;
	uint32_t *buckets;
	uint32_t nr_buckets;	/* a power of two, and more than @room / 2 */
	uint32_t room;		/* with job 0 */
	uint32_t used;		/* of @room, once or still */
	uint32_t free;		/* a chain */
	uint32_t nr;
	uint32_t max;
};

static uint32_t *bucket_of(const struct outstanding *o, const struct fence *fence)
{
	uint64_t hash = fence->context * 0x9e3779b97f4a7c15ULL + fence->dev;

	hash = (hash ^ hash >> 32 ^ fence->seqno) * 0x9e3779b97f4a7c15ULL;
	return &o->buckets[hash >> 32 & (o->nr_buckets - 1)];
}

static bool is_fence(const struct fence *a, const struct fence *b)
{
	return a->seqno == b->seqno && a->context == b->context && a->dev == b->dev;
}

/* what points to the job of that fence, or to the end of its chain */
static uint32_t *link_of(const struct outstanding *o, const struct fence *fence)
{
	uint32_t *link = bucket_of(o, fence);

	while (*link && !is_fence(&o->jobs[*link].fence, fence))
		link = &o->jobs[*link].same_hash;
	return link;
}

static int grow(struct outstanding *o)
{
	uint32_t room = o->room ? 2 * o->room : BUCKETS_MIN;
	struct job *jobs = reallocarray(o->jobs, room, sizeof(*jobs));
	uint32_t *buckets;

	if (!jobs)
		return -ENOMEM;
	o->jobs = jobs;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	free(o->buckets);
	o->buckets = buckets;
	o->nr_buckets = room;
	o->room = room;
	if (!o->used) {
		o->jobs[0] = (struct job){};
		o->used = 1;
	}
	for (uint32_t i = o->jobs[0].younger; i; i = o->jobs[i].younger) {
		uint32_t *bucket = bucket_of(o, &o->jobs[i].fence);

		o->jobs[i].same_hash = *bucket;
		*bucket = i;
	}
	return 0;
}

static void job_remove(struct outstanding *o, uint32_t *link)
{
	uint32_t number = *link;
	struct job *job = &o->jobs[number];

	*link = job->same_hash;
	o->jobs[job->older].younger = job->younger;
	o->jobs[job->younger].older = job->older;
	job->same_hash = o->free;
	o->free = number;
	o->nr--;
}

static uint32_t job_new(struct outstanding *o)
{
	uint32_t number = o->free;

	if (number) {
		o->free = o->jobs[number].same_hash;
		return number;
	}
	if (o->used == o->room && grow(o))
		return 0;
	return o->used++;
}

int outstanding__put(struct outstanding *o, const struct fence *fence, uint32_t stack,
		     bool *evicted)
{
	uint32_t *link, number;

	*evicted = false;
	if (o->room && *link_of(o, fence))
		return 1;
	if (o->nr == o->max) {
		/* the head's younger one is the oldest */
		job_remove(o, link_of(o, &o->jobs[o->jobs[0].younger].fence));
		*evicted = true;
	}
	number = job_new(o);
	if (!number)
		return -ENOMEM;
	link = bucket_of(o, fence);
	o->jobs[number] = (struct job){
		.fence = *fence,
		.stack = stack,
		.same_hash = *link,
		.older = o->jobs[0].older,
	};
	*link = number;
	o->jobs[o->jobs[0].older].younger = number;
	o->jobs[0].older = number;
	o->nr++;
	return 0;
}

bool outstanding__take(struct outstanding *o, const struct fence *fence, uint32_t *stack)
{
	uint32_t *link;

	if (!o->room)
		return false;
	link = link_of(o, fence);
	if (!*link)
		return false;
	*stack = o->jobs[*link].stack;
	job_remove(o, link);
	return true;
}

uint32_t outstanding__nr(const struct outstanding *o)
{
	return o->nr;
}

struct outstanding *outstanding__new(uint32_t max)
{
	struct outstanding *o = calloc(1, sizeof(*o));

	if (o)
		o->max = max;
	return o;
}

void outstanding__delete(struct outstanding *o)
{
	if (!o)
		return;
	free(o->jobs);
	free(o->buckets);
	free(o);
}
