// SPDX-License-Identifier: GPL-2.0
/*
 * A device is a process of the trace, an engine a thread of it. Their ids are above
 * those that Linux gives, so that they are nobody else's.
 *
 * The events of a job's way are all written at its end: where an arrow begins is known
 * by then, and an arrow that is begun has an end. The format has no order of events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "timeline/trace.h"

/* PID_MAX_LIMIT of 64 bit kernels */
#define ABOVE_PIDS	(1U << 22)

/* of a stack, the innermost ones */
#define FRAMES_MAX	64

struct names {
	uint32_t process;
	uint32_t thread;
};

static uint32_t device_process(uint32_t dev)
{
	return ABOVE_PIDS + dev;
}

static uint32_t lane_thread(uint32_t engine, unsigned int lane)
{
	return 2 * ABOVE_PIDS + engine * TRACE_LANES + lane;
}

static struct names names_of(const struct trace *trace, uint32_t thread)
{
	const struct item_thread *item = &trace->items.threads.item[thread];

	return (struct names){ item->pid, item->tid };
}

/* µs, as the format has them, with ns behind the point */
static void put_us(FILE *out, const char *key, int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	fprintf(out, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "", size / 1000,
		(unsigned int)(size % 1000));
}

/* the beginning of an event, up to its time */
static void open_event(struct trace *trace, const char *phase, const char *name,
		       struct names at, uint64_t time)
{
	FILE *out = trace->out;

	fputs(trace->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"", out);
	trace->first = false;
	trace->events++;
	fprintf(out, "%s\",\"name\":", phase);
	text__json(out, name);
	fprintf(out, ",\"pid\":%u,\"tid\":%u", at.process, at.thread);
	put_us(out, "ts", time - trace->items.start);
}

static void put_stack(const struct trace *trace, uint32_t stack)
{
	FILE *out = trace->out;

	fputs(",\"stack\":[", out);
	for (unsigned int i = 0; stack != STACK_NONE && i < FRAMES_MAX; i++) {
		if (i)
			fputc(',', out);
		text__json(out, stacks__frame(trace->stacks, stack));
		stack = stacks__caller(trace->stacks, stack);
	}
	fputc(']', out);
}

static void put_fence(FILE *out, const struct gpu_pmu_sample *gpu)
{
	/* as text: numbers of JSON readers have 53 bits */
	fprintf(out, "\"fence\":\"%" PRIu64 ":%" PRIu64 "\"", (uint64_t)gpu->fence_context,
		(uint64_t)gpu->fence_seqno);
}

/* ---- who submitted what ---- */

static struct key job_key(const struct gpu_pmu_sample *gpu)
{
	return (struct key){ { gpu->dev, gpu->fence_context, gpu->fence_seqno } };
}

static int jobs__put(struct trace *trace, const struct gpu_pmu_sample *gpu, uint32_t thread)
{
	struct key key = job_key(gpu);
	struct trace_jobs *young = &trace->young;
	uint32_t nr;

	if (young->fences.nr == TRACE_REMEMBERED) {
		keys__exit(&trace->old.fences);
		free(trace->old.thread);
		trace->old = *young;
		memset(young, 0, sizeof(*young));
	}
	if (!young->thread)
		young->thread = calloc(TRACE_REMEMBERED, sizeof(*young->thread));
	nr = young->thread ? keys__add(&young->fences, &key) : KEY_NONE;
	if (nr == KEY_NONE)
		return -ENOMEM;
	young->thread[nr] = thread;
	return 0;
}

/* who submitted it, ITEM_NONE if that is not known; it is asked for once */
static uint32_t jobs__take(struct trace *trace, const struct gpu_pmu_sample *gpu)
{
	struct trace_jobs *const all[] = { &trace->young, &trace->old };
	struct key key = job_key(gpu);

	for (unsigned int i = 0; i < 2; i++) {
		uint32_t nr = keys__find(&all[i]->fences, &key), thread;

		if (nr == KEY_NONE)
			continue;
		thread = all[i]->thread[nr];
		all[i]->thread[nr] = ITEM_NONE;
		return thread;
	}
	return ITEM_NONE;
}

static void jobs__exit(struct trace_jobs *jobs)
{
	keys__exit(&jobs->fences);
	free(jobs->thread);
}

/* ---- samples ---- */

static int add_job(struct trace *trace, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	uint32_t thread = items__thread(&trace->items, sample);

	if (thread == ITEM_NONE || items__context(&trace->items, sample) == ITEM_NONE)
		return -ENOMEM;
	open_event(trace, "i", "submit", names_of(trace, thread), gpu->submit);
	fputs(",\"cat\":\"submit\",\"s\":\"t\",\"args\":{", trace->out);
	put_fence(trace->out, gpu);
	fprintf(trace->out, ",\"ctx\":\"%" PRIu64 "\"", (uint64_t)gpu->ctx);
	if (sample->cpu >= 0)
		fprintf(trace->out, ",\"cpu\":%d", sample->cpu);
	put_stack(trace, sample->stack);
	fputs("}}", trace->out);
	return gpu->fence_context ? jobs__put(trace, gpu, thread) : 0;
}

static struct trace_engine *engine_of(struct trace *trace, const struct gpu_pmu_sample *gpu,
				      uint32_t *nr)
{
	struct key key = { { gpu->dev, gpu->engine, 0 } };
	struct trace_engine *engines;

	*nr = keys__add(&trace->engine_keys, &key);
	if (*nr == KEY_NONE)
		return NULL;
	if (*nr < trace->engines_room)
		return &trace->engines[*nr];
	engines = reallocarray(trace->engines, *nr + 1, sizeof(*engines));
	if (!engines)
		return NULL;
	trace->engines = engines;
	trace->engines_room = *nr + 1;
	memset(&engines[*nr], 0, sizeof(*engines));
	return &engines[*nr];
}

static unsigned int lane_of(struct trace_engine *engine, uint64_t begin, uint64_t end)
{
	unsigned int lane = 0;

	while (lane < TRACE_LANES - 1 && engine->end[lane] > begin)
		lane++;
	engine->end[lane] = end;
	return lane;
}

static void context_name(const struct trace *trace, uint32_t nr, char *text, size_t size)
{
	const struct item_context *context = &trace->items.contexts.item[nr];
	struct key first = { { context->pid, context->pid, 0 } };
	uint32_t thread = keys__find(&trace->items.thread_keys, &first);
	/* a process is called as its first thread */
	const char *comm = thread != KEY_NONE ? trace->items.threads.item[thread].comm :
			   *context->comm ? context->comm :
			   context->client ? "process" : "kernel";
	int len = snprintf(text, size, "%s", comm);

	if (context->pid)
		len += snprintf(text + len, size - len, " %u", context->pid);
	if (context->ctx)
		snprintf(text + len, size - len, ", context %" PRIu64, context->ctx);
}

/* a phase of a job that may overlap with others of its context */
static void put_queue(struct trace *trace, const struct gpu_pmu_sample *gpu,
		      const char *name, struct names at)
{
	const uint64_t times[] = { gpu->submit, gpu->begin };

	for (unsigned int i = 0; i < 2; i++) {
		open_event(trace, i ? "e" : "b", name, at, times[i]);
		fprintf(trace->out, ",\"cat\":\"queue\",\"id\":\"q%" PRIu64 "\"", trace->ids);
		if (!i) {
			fputs(",\"args\":{", trace->out);
			put_fence(trace->out, gpu);
			fputc('}', trace->out);
		}
		fputc('}', trace->out);
	}
}

static void put_flow(struct trace *trace, const struct gpu_pmu_sample *gpu, struct names from,
		     struct names to, uint64_t begin)
{
	open_event(trace, "s", "submit to run", from, gpu->submit);
	fprintf(trace->out, ",\"cat\":\"flow\",\"id\":%" PRIu64 "}", trace->ids);
	open_event(trace, "f", "submit to run", to, begin);
	fprintf(trace->out, ",\"cat\":\"flow\",\"bp\":\"e\",\"id\":%" PRIu64 "}", trace->ids);
}

static int add_done(struct trace *trace, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	uint32_t context = items__context(&trace->items, sample), nr, thread;
	struct trace_engine *engine;
	/* the latest that it can have begun, if that is not known */
	uint64_t begin = gpu->begin ? gpu->begin : gpu->end - gpu->busy;
	struct names at = { .process = device_process(gpu->dev) };
	char name[64], queued[80];

	engine = engine_of(trace, gpu, &nr);
	if (context == ITEM_NONE || !engine)
		return -ENOMEM;
	at.thread = lane_thread(nr, lane_of(engine, begin, gpu->end));
	context_name(trace, context, name, sizeof(name));
	trace->ids++;

	open_event(trace, "X", name, at, begin);
	put_us(trace->out, "dur", gpu->end - begin);
	fputs(",\"cat\":\"run\",\"args\":{", trace->out);
	put_fence(trace->out, gpu);
	fprintf(trace->out, ",\"busy_ns\":%" PRIu64 ",\"ctx\":\"%" PRIu64 "\",\"client\":\"%" PRIu64 "\"",
		(uint64_t)gpu->busy, (uint64_t)gpu->ctx, (uint64_t)gpu->client);
	if (!gpu->begin)
		fputs(",\"begin\":\"unknown\"", trace->out);
	if (gpu->flags & GPU_PMU_SAMPLE_EARLIER)
		fputs(",\"submitted\":\"before the record began\"", trace->out);
	fputs("}}", trace->out);

	if (gpu->submit && gpu->begin > gpu->submit) {
		snprintf(queued, sizeof(queued), "%s, queued", name);
		put_queue(trace, gpu, queued, at);
	}
	thread = gpu->fence_context ? jobs__take(trace, gpu) : ITEM_NONE;
	if (thread != ITEM_NONE)
		put_flow(trace, gpu, names_of(trace, thread), at, begin);
	return 0;
}

static int add_wait(struct trace *trace, const struct stream_sample *sample)
{
	const struct gpu_pmu_sample *gpu = sample->gpu;
	uint32_t thread = items__thread(&trace->items, sample);

	if (thread == ITEM_NONE)
		return -ENOMEM;
	open_event(trace, "X", "wait for the GPU", names_of(trace, thread), gpu->begin);
	put_us(trace->out, "dur", gpu->end - gpu->begin);
	fputs(",\"cat\":\"wait\",\"args\":{", trace->out);
	put_fence(trace->out, gpu);
	put_stack(trace, sample->stack);
	fputs("}}", trace->out);
	return 0;
}

/* ---- the document ---- */

static void put_name(struct trace *trace, const char *what, struct names of, const char *name)
{
	FILE *out = trace->out;

	fprintf(out, "%s\n{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
		trace->first ? "" : ",", what, of.process, of.thread);
	trace->first = false;
	text__json(out, name);
	fputs("}}", out);
}

static void put_names(struct trace *trace)
{
	char name[64];

	for (uint32_t i = 0; i < trace->items.threads.nr; i++) {
		const struct item_thread *thread = &trace->items.threads.item[i];
		struct key first = { { thread->pid, thread->pid, 0 } };
		struct names of = names_of(trace, i);

		put_name(trace, "thread_name", of, thread->comm);
		/* a process is called as its first thread, or as any if that did nothing */
		if (thread->pid == thread->tid ||
		    keys__find(&trace->items.thread_keys, &first) == KEY_NONE)
			put_name(trace, "process_name", of, thread->comm);
	}
	for (uint32_t i = 0; i < trace->engine_keys.nr; i++) {
		uint32_t dev = trace->engine_keys.key[i].part[0];
		uint32_t engine = trace->engine_keys.key[i].part[1];

		snprintf(name, sizeof(name), "GPU renderD%u", dev);
		put_name(trace, "process_name",
			 (struct names){ device_process(dev), device_process(dev) }, name);
		for (unsigned int lane = 0; lane < TRACE_LANES; lane++) {
			if (!trace->engines[i].end[lane])
				continue;
			if (engine == GPU_PMU_SAMPLE_NO_ENGINE)
				snprintf(name, sizeof(name), "no engine");
			else
				snprintf(name, sizeof(name), lane ? "engine %u (+%u)" : "engine %u",
					 engine, lane);
			put_name(trace, "thread_name",
				 (struct names){ device_process(dev), lane_thread(i, lane) }, name);
		}
	}
}

void trace__init(struct trace *trace, FILE *out, const struct stacks *stacks)
{
	*trace = (struct trace){
		.out = out, .stacks = stacks, .items = ITEMS_INIT, .first = true,
	};
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

int trace__add(struct trace *trace, const struct stream_sample *sample)
{
	static int (*const add[])(struct trace *, const struct stream_sample *) = {
		[GPU_PMU_SAMPLE_JOB] = add_job,
		[GPU_PMU_SAMPLE_DONE] = add_done,
		[GPU_PMU_SAMPLE_WAIT] = add_wait,
	};
	unsigned int kind = sample->gpu->kind;
	int err;

	if (kind >= sizeof(add) / sizeof(add[0]) || !add[kind]) {
		trace->items.reports++;
		return 0;
	}
	if (!items__wanted(&trace->items, sample))
		return 0;
	err = add[kind](trace, sample);
	return !err && ferror(trace->out) ? -EIO : err;
}

int trace__finish(struct trace *trace)
{
	put_names(trace);
	fprintf(trace->out,
		"\n],\n\"otherData\":{\"clock of the first sample, ns\":\"%" PRIu64
		"\",\"records lost\":\"%" PRIu64 "\"}}\n",
		trace->items.start, trace->items.lost);
	return fflush(trace->out) || ferror(trace->out) ? -EIO : 0;
}

void trace__exit(struct trace *trace)
{
	items__exit(&trace->items);
	keys__exit(&trace->engine_keys);
	free(trace->engines);
	jobs__exit(&trace->young);
	jobs__exit(&trace->old);
}
