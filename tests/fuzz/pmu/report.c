// SPDX-License-Identifier: GPL-2.0
/* Figures of a run: what was done, how fast, and how much of it succeeded. */
#include <stdio.h>
#include <string.h>
#include <linux/gpu_pmu.h>

#include "fuzz.h"

/* by what is looked at, and how; bit 0: sampled */
enum kind {
	KIND_TASK_SCOPE,	/* what the GPU does for a task */
	KIND_TASK_SCOPE_SAMPLED,
	KIND_TASK_HERE,		/* what a task does: jobs, waits */
	KIND_TASK_HERE_SAMPLED,
	KIND_FILE,		/* a client or a context */
	KIND_FILE_SAMPLED,
	KIND_DEVICE,		/* on a CPU */
	KIND_DEVICE_SAMPLED,
	KIND_NATIVE,
	KIND_NATIVE_SAMPLED,
	KIND_NONE,		/* no such event */
	KIND_NONE_SAMPLED,
};

const char * const event_kind_names[KINDS_MAX] = {
	[KIND_TASK_SCOPE]		= "task's GPU work",
	[KIND_TASK_SCOPE_SAMPLED]	= "task's GPU work, sampled",
	[KIND_TASK_HERE]		= "task's jobs, waits",
	[KIND_TASK_HERE_SAMPLED]	= "task's jobs, waits, sampled",
	[KIND_FILE]			= "by fd",
	[KIND_FILE_SAMPLED]		= "by fd, sampled",
	[KIND_DEVICE]			= "device",
	[KIND_DEVICE_SAMPLED]		= "device, sampled",
	[KIND_NATIVE]			= "native counters, reports",
	[KIND_NATIVE_SAMPLED]		= "native counters, reports, sampled",
	[KIND_NONE]			= "no such event",
	[KIND_NONE_SAMPLED]		= "no such event, sampled",
};

static const char * const part_names[PARTS] = {
	[PART_CREW_KILL]	= "a worker is killed",
	[PART_CREW_ANCHOR]	= "an event stays, or goes",
	[PART_CREW_RELOAD]	= "all are killed, modules loaded again",
	[PART_VIRTGPU_REBIND]	= "virtio_gpu is unbound then",
	[PART_EXEC_EVENT]	= "event of one that executes",
};

unsigned int event_kind(uint64_t config, uint64_t config1, bool task, bool sampling)
{
	unsigned int event = config & GPU_PMU_CONFIG_EVENT_MASK;
	enum kind kind = KIND_TASK_SCOPE;

	if (event >= GPU_PMU_EVENT_NATIVE || event == GPU_PMU_EVENT_REPORTS)
		kind = KIND_NATIVE;
	else if (!event || event > GPU_PMU_EVENT_REPORTS)
		kind = KIND_NONE;
	else if (config1 & GPU_PMU_CONFIG1_FD_MASK)
		kind = KIND_FILE;
	else if (!task)
		kind = KIND_DEVICE;
	else if (event == GPU_PMU_EVENT_JOBS || event == GPU_PMU_EVENT_WAITS ||
		 event == GPU_PMU_EVENT_WAIT_TIME)
		kind = KIND_TASK_HERE;
	return kind + sampling;
}

static void row_print(const char *name, const struct op_stats *stats)
{
	if (!stats->calls)
		return;
	printf("%-36s %9lu %9lu", name, stats->calls, stats->done);
	if (stats->ns)
		printf(" %9.2f", stats->ns / 1e6 / stats->calls);
	printf("\n");
}

static void never_print(const struct shared *shared)
{
	unsigned int i, nr = 0;

	for (i = 0; i < shared->nr_functions; i++)
		nr += shared->function[i].entered;
	printf("\n%u of %u functions of the modules were entered by a system call; never:\n",
	       nr, shared->nr_functions);
	for (i = 0; i < shared->nr_functions; i++)
		if (!shared->function[i].entered)
			printf("  %s\n", shared->function[i].name);
}

void report_print(const struct shared *shared, double seconds)
{
	unsigned long calls = 0;
	unsigned int i;

	printf("%-36s %9s %9s %9s\n", "operation", "done", "succeeded", "ms each");
	for (i = 0; i < nr_ops; i++) {
		row_print(ops[i].name, &shared->op[i]);
		calls += shared->op[i].calls;
	}
	for (i = 0; i < PARTS; i++)
		row_print(part_names[i], &shared->part[i]);
	printf("\n%-36s %9s %9s\n", "event that was opened", "tried", "succeeded");
	for (i = 0; i < KINDS_MAX; i++)
		if (event_kind_names[i])
			row_print(event_kind_names[i], &shared->kind[i]);
	printf("refused with");
	for (i = 0; i < ERRNOS; i++)
		if (shared->open_errno[i])
			printf(" %s: %lu", strerrorname_np(i) ?: "?", shared->open_errno[i]);
	printf("\n");
	if (shared->covered)
		never_print(shared);
	printf("\n%lu operations in %.0f s, %.0f each second", calls, seconds, calls / seconds);
	if (shared->covered)
		printf("; %lu places in the modules' code, %u sequences kept", shared->covered,
		       shared->corpus_nr);
	printf("; %lu crews ended by the way, %lu times with virtio_gpu unbound\n",
	       shared->part[PART_CREW_RELOAD].calls, shared->part[PART_VIRTGPU_REBIND].done);
}
