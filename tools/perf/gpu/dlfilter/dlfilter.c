// SPDX-License-Identifier: GPL-2.0
/*
 * perf script loads this, and has it look at each sample: perf itself prints nothing of
 * what the gpu PMU puts into one. Writes the lines of wire.h to perf's own standard
 * output, so that they are in order with those of perf.
 *
 * A stack by frame pointers is a list of addresses: it is resolved here, and goes out as
 * one number. A copy of the stack's memory (dwarf) can be unwound by perf alone: then
 * the sample is left to perf, which prints the frames behind our line.
 */
#include <perf/perf_dlfilter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/stacks.h"
#include "samples/wire.h"
#include "place.h"

/* PERF_MAX_STACK_DEPTH: addresses of a stack that the kernel records if it is not told otherwise */
#define RECORDED_MAX	127
/* samples between two words about how far it is */
#define PROGRESS_EACH	4096

/* found by perf by its name */
struct perf_dlfilter_fns perf_dlfilter_fns;

/**
 * struct filter - what is remembered from one sample to the next
 * @stacks:	names and frames that the reader has been told, by the same numbers
 * @sample:	the one that is looked at
 * @not_understood: samples of ours that are of another version, or too short
 * @seen:	samples of ours
 * @place:	where perf is in its file
 */
struct filter {
	struct stacks *stacks;
	struct wire_sample sample;
	uint64_t not_understood;
	uint64_t seen;
	struct place place;
};

static void say(const char *line, size_t size)
{
	fwrite(line, 1, size, stdout);
}

static uint32_t name_number(struct filter *filter, const char *name)
{
	uint32_t before = stacks__nr_names(filter->stacks);
	uint32_t number = stacks__name(filter->stacks, name);
	char line[WIRE_LINE_MAX];

	if (number > before)
		say(line, wire__put_name(line, name));
	return number;
}

static uint32_t frame_number(struct filter *filter, uint32_t caller, uint32_t name)
{
	uint32_t before = stacks__nr(filter->stacks);
	uint32_t number = stacks__push(filter->stacks, caller, name);
	char line[WIRE_LINE_MAX];

	if (number > before)
		say(line, wire__put_frame(line, caller, name));
	return number;
}

/* ---- stacks by frame pointers ---- */

static uint32_t address_name(struct filter *filter, void *ctx, uint64_t address)
{
	/*
	 * No more than is looked at: a perf that is given room for more pins the place there
	 * until al_cleanup(), which older headers do not know.
	 */
	struct perf_dlfilter_al al = { .size = offsetof(struct perf_dlfilter_al, filtered) };
	char text[WIRE_NAME_MAX + 1];

	if (!perf_dlfilter_fns.resolve_address(ctx, address, &al) && al.sym)
		return name_number(filter, al.sym);
	wire__unnamed(text, al.dso);
	return name_number(filter, text);
}

/* those of the user: what is behind PERF_CONTEXT_KERNEL is not */
static unsigned int user_addresses(const struct perf_dlfilter_sample *sample,
				   uint64_t addresses[STACK_DEPTH_MAX], bool *cut)
{
	unsigned int nr = 0;
	bool user = true;

	*cut = false;
	for (uint64_t i = 0; i < sample->raw_callchain_nr; i++) {
		uint64_t address = sample->raw_callchain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX)
			user = address == (uint64_t)PERF_CONTEXT_USER;
		else if (user && nr < STACK_DEPTH_MAX)
			addresses[nr++] = address;
		else if (user)
			*cut = true;
	}
	return nr;
}

/* the kernel took no more addresses than these: there will have been some */
static bool is_cut(const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);
	uint64_t nr = 0;

	for (uint64_t i = 0; i < sample->raw_callchain_nr; i++)
		nr += sample->raw_callchain[i] < (uint64_t)PERF_CONTEXT_MAX;
	return nr == (attr && attr->sample_max_stack ? attr->sample_max_stack : RECORDED_MAX);
}

static uint32_t stack_number(struct filter *filter, const struct perf_dlfilter_sample *sample,
			     void *ctx, bool *cut)
{
	uint64_t addresses[STACK_DEPTH_MAX];
	unsigned int nr = user_addresses(sample, addresses, cut);
	uint32_t stack = STACK_NONE;

	*cut |= nr && is_cut(sample, ctx);
	if (*cut)
		stack = frame_number(filter, stack, name_number(filter, STACK_CUT));
	while (nr--) {
		/* a caller's address is where it is returned to: the call is before it */
		uint64_t address = addresses[nr] - (nr ? 1 : 0);

		stack = frame_number(filter, stack, address_name(filter, ctx, address));
	}
	return stack;
}

/* ---- the payload ---- */

/* the bytes may lie anywhere, and say anything */
static bool payload_read(struct wire_sample *to, const void *raw, size_t size)
{
	struct gpu_pmu_sample *gpu = &to->gpu;
	size_t values;

	if (!raw || size < sizeof(*gpu))
		return false;
	memcpy(gpu, raw, sizeof(*gpu));
	if (gpu->version != GPU_PMU_SAMPLE_VERSION)
		return false;
	if (gpu->kind != GPU_PMU_SAMPLE_REPORT)
		gpu->nr_values = 0;
	if (gpu->nr_values > WIRE_VALUES_MAX)
		return false;
	values = gpu->nr_values * sizeof(to->values[0]);
	if (size - sizeof(*gpu) < values)
		return false;
	memcpy(to->values, (const char *)raw + sizeof(*gpu), values);
	return true;
}

/* what perf makes of raw data: their size, in front of them, fills eights with them */
static bool size_is_exact(const struct gpu_pmu_sample *gpu, size_t size)
{
	size_t payload = sizeof(*gpu) + gpu->nr_values * sizeof(struct gpu_pmu_sample_value);

	return size == (payload + sizeof(uint32_t) + 7) / 8 * 8 - sizeof(uint32_t);
}

/* are those there that its kind has, and no others? */
static bool fields_are_of_kind(const struct gpu_pmu_sample *gpu)
{
	bool ordered = gpu->begin <= gpu->end;

	switch (gpu->kind) {
	case GPU_PMU_SAMPLE_JOB:
		return gpu->submit && !gpu->begin && !gpu->end && !gpu->busy;
	case GPU_PMU_SAMPLE_WAIT:
		return gpu->begin && ordered && !gpu->submit && !gpu->busy;
	case GPU_PMU_SAMPLE_DONE:
		return gpu->end && ordered;
	case GPU_PMU_SAMPLE_REPORT:
		return gpu->end && ordered && !gpu->submit && !gpu->busy;
	default:
		return false;
	}
}

/* of devices: their numbers have 20 bits */
#define NR_MINORS	(1U << 20)

/*
 * Events can be given any name (gpu/jobs,name=submit/). perf does not tell which PMU's they
 * are, but that it is one whose number is given out when it is made; other PMUs with raw data
 * (IBS, and those of tracepoints) do not have all this at once.
 */
static bool is_ours_by_payload(const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);
	struct gpu_pmu_sample gpu;

	if (!attr || attr->type < PERF_TYPE_MAX || !(attr->sample_type & PERF_SAMPLE_RAW) ||
	    !sample->raw_data || sample->raw_size < sizeof(gpu))
		return false;
	memcpy(&gpu, sample->raw_data, sizeof(gpu));
	return gpu.version == GPU_PMU_SAMPLE_VERSION && fields_are_of_kind(&gpu) &&
	       /* the id of a tracepoint: this is none */
	       !(uint16_t)gpu.perf &&
	       gpu.dev < NR_MINORS &&
	       (!gpu.nr_values || gpu.kind == GPU_PMU_SAMPLE_REPORT) &&
	       (!gpu.flags || (gpu.flags == GPU_PMU_SAMPLE_EARLIER &&
			       gpu.kind == GPU_PMU_SAMPLE_DONE)) &&
	       size_is_exact(&gpu, sample->raw_size);
}

static bool is_ours(const struct perf_dlfilter_sample *sample, void *ctx)
{
	return sample->event && (!strncmp(sample->event, "gpu/", 4) ||
				 is_ours_by_payload(sample, ctx));
}

/* perf unwinds what it has the memory of */
static bool is_unwound(void *ctx)
{
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);

	return attr && attr->sample_type & PERF_SAMPLE_STACK_USER;
}

/* whose thread a completion's or a report's sample was written in means nothing */
static const char *thread_name(const struct gpu_pmu_sample *gpu, void *ctx)
{
	const struct perf_dlfilter_al *al;

	if (gpu->kind != GPU_PMU_SAMPLE_JOB && gpu->kind != GPU_PMU_SAMPLE_WAIT)
		return "";
	al = perf_dlfilter_fns.resolve_ip(ctx);

	return al && al->comm ? al->comm : "";
}

static void sample_say(struct filter *filter, const struct perf_dlfilter_sample *from,
		       bool chain, void *ctx)
{
	struct wire_sample *sample = &filter->sample;
	char line[WIRE_LINE_MAX];
	int permille = -1;

	if (!(filter->seen++ % PROGRESS_EACH))
		permille = place__permille(&filter->place, from->raw_data);
	if (permille >= 0)
		say(line, wire__put_progress(line, permille));

	sample->event = name_number(filter, from->event);
	sample->comm = name_number(filter, thread_name(&sample->gpu, ctx));
	sample->chain = chain;
	sample->cut = false;
	sample->stack = chain ? STACK_NONE : stack_number(filter, from, ctx, &sample->cut);
	sample->time = from->time;
	sample->period = from->period;
	sample->pid = from->pid;
	sample->tid = from->tid;
	sample->cpu = from->cpu;
	say(line, wire__put_sample(line, sample));
}

/* ---- what perf calls ---- */

int start(void **data, void *ctx)
{
	struct filter *filter = calloc(1, sizeof(*filter));

	(void)ctx;
	if (!filter)
		return -1;
	filter->stacks = stacks__new();
	if (!filter->stacks) {
		free(filter);
		return -1;
	}
	*data = filter;
	return 0;
}

/* here is what perf need not do anything for */
int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct filter *filter = data;

	if (!is_ours(sample, ctx))
		return 1;
	if (!payload_read(&filter->sample, sample->raw_data, sample->raw_size)) {
		filter->not_understood++;
		return 1;
	}
	if (is_unwound(ctx))
		return 0;
	sample_say(filter, sample, false, ctx);
	return 1;
}

/* and here are those that it prints the frames of, next */
int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	sample_say(data, sample, true, ctx);
	return 0;
}

int stop(void *data, void *ctx)
{
	struct filter *filter = data;
	char line[WIRE_LINE_MAX];

	(void)ctx;
	say(line, wire__put_end(line, filter->not_understood));
	stacks__delete(filter->stacks);
	free(filter);
	return 0;
}

const char *filter_description(const char **long_description)
{
	*long_description = "For 'perf gpu report' and 'perf gpu timeline': writes the payload of the gpu PMU's samples as lines that these read.";
	return "the gpu PMU's samples, for perf gpu";
}
