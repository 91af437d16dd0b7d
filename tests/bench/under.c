// SPDX-License-Identifier: GPL-2.0
/* See under.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "bench.h"
#include "gpu.h"
#include "perf.h"
#include "under.h"

static int task_of_self(struct under *under)
{
	(void)under;
	return 0;
}

static int task_of_none(struct under *under)
{
	(void)under;
	return -1;
}

static int task_that_sleeps(struct under *under)
{
	if (under->sleeper)
		return under->sleeper;
	under->sleeper = fork();
	if (!under->sleeper) {
		pause();
		_exit(0);
	}
	return under->sleeper;
}

static void at_all(struct under *under, struct gpu_config *config)
{
	(void)under;
	(void)config;
}

static void at_client(struct under *under, struct gpu_config *config)
{
	config->fd = under->fd;
}

static void at_context(struct under *under, struct gpu_config *config)
{
	config->fd = under->fd;
	config->ctx = under->ctx;
}

static void at_other(struct under *under, struct gpu_config *config)
{
	if (under->other_fd < 0) {
		under->other_fd = under->gpu->open(&under->other_ctx);
		check("open another client", under->other_fd);
	}
	config->fd = under->other_fd;
	config->ctx = under->other_ctx;
}

/* a job is submitted to the first one */
static void at_engine(struct under *under, struct gpu_config *config)
{
	(void)under;
	config->engine = 2;
}

static const struct scope {
	const char *name;
	int (*task)(struct under *under);
	int cpu;
	void (*at)(struct under *under, struct gpu_config *config);
} scopes[] = {
	{ "task", task_of_self, -1, at_all },		/* the one that is measured */
	{ "cpu", task_of_none, 0, at_all },		/* the device, or a CPU */
	{ "client", task_of_self, -1, at_client },
	{ "ctx", task_of_self, -1, at_context },
	/* these do not match what is measured */
	{ "other", task_of_self, -1, at_other },	/* another context */
	{ "sleeper", task_that_sleeps, -1, at_all },	/* another task */
	{ "engine", task_of_self, -1, at_engine },	/* another engine */
};

static const struct scope *scope_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
		if (!strcmp(scopes[i].name, name))
			return &scopes[i];
	die("no such scope: %s", name);
}

/* the id of SYSTEM:NAME */
static unsigned int tracepoint_id(const char *event)
{
	const char *colon = strchr(event, ':');
	unsigned int id = 0;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%s/id",
		 (int)(colon - event), event, colon + 1);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%u", &id) != 1)
		die("%s: no such tracepoint", event);
	fclose(file);
	return id;
}

/* perf's own */
static const struct {
	const char *name;
	uint64_t config;
} software[] = {
	{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
};

static bool software_find(const char *name, struct perf_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < sizeof(software) / sizeof(software[0]); i++)
		if (!strcmp(software[i].name, name)) {
			attr->type = PERF_TYPE_SOFTWARE;
			attr->config = software[i].config;
			return true;
		}
	return false;
}

static void attr_make(struct under *under, const char *event, const struct scope *scope,
		      struct perf_event_attr *attr)
{
	struct gpu_config config = {};

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	if (strchr(event, ':')) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = tracepoint_id(event);
	} else if (!software_find(event, attr)) {
		config.event = gpu_event_id(event);
		if (!config.event)
			die("%s: no such event", event);
		scope->at(under, &config);
		gpu_event_attr(attr, &config);
	}
	/* as perf stat has it */
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    (under->group ? PERF_FORMAT_GROUP : 0);
	attr->inherit = under->inherit;
}

void under_name(struct under *under, const char *spec, struct under_event *event)
{
	const struct scope *scope;
	char name[64], at[16] = "task";

	if (sscanf(spec, "%63[^@*]@%15[^*]", name, at) < 1)
		die("no event: %s", spec);
	scope = scope_find(at);
	attr_make(under, name, scope, &event->attr);
	event->task = scope->task(under);
	event->cpu = scope->cpu;
}

int under_open(const struct under_event *event, int group)
{
	int fd = syscall(SYS_perf_event_open, &event->attr, event->task, event->cpu, group,
			 PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

unsigned int under_open_all(struct under *under, const char *spec, int *events,
			    unsigned int max)
{
	const char *star = strchr(spec, '*');
	unsigned int nr = star ? strtoul(star + 1, NULL, 10) : 1, i;
	struct under_event event;

	if (!nr || nr > max)
		die("too many events: %s", spec);
	under_name(under, spec, &event);
	for (i = 0; i < nr; i++) {
		events[i] = under_open(&event, i && under->group ? events[0] : -1);
		check(spec, events[i]);
	}
	return nr;
}

void under_end(struct under *under)
{
	if (under->sleeper) {
		kill(under->sleeper, SIGKILL);
		waitpid(under->sleeper, NULL, 0);
	}
}
