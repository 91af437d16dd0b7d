/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events by name: from what a user writes to what perf_event_open() takes, by what
 * the PMU says of itself in sysfs.
 */
#ifndef PERF_GPU_EVENT_H
#define PERF_GPU_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#define EVENT_SYSFS	"/sys/bus/event_source/devices/gpu"

/**
 * struct event - an event that was asked for
 * @name:	as the user wrote it, without the PMU's name and slashes; with ":u" behind it if
 *		it is there without @user, too: no two have the same
 * @unit:	of its counts; empty: a plain number
 * @type:	perf_event_attr.type
 * @config:	perf_event_attr.config, .config1 and .config2
 * @user:	with the modifier u
 */
struct event {
	char name[64];
	char unit[16];
	__u32 type;
	__u64 config[3];
	bool user;
};

struct events {
	unsigned int nr;
	struct event *event;
};

/**
 * events__parse() - the events of a list
 * @events:	they are added to these
 * @sysfs:	the PMU's folder: EVENT_SYSFS
 * @list:	"jobs,gpu/gpu-busy,engine=1/u"
 * @text:	where a sentence is written that says what is wrong
 * @size:	how long that may be
 *
 * Return: 0, or a negative errno: -ENODEV there is no such PMU, -EINVAL something is
 * wrong in the list (@text says what).
 */
int events__parse(struct events *events, const char *sysfs, const char *list, char *text,
		  size_t size);
void events__free(struct events *events);

/* what the config words say; see the uapi header */
unsigned int event__id(const struct event *event);
unsigned int event__engine(const struct event *event);	/* 0: all; else index + 1 */
unsigned int event__dev(const struct event *event);	/* 0: all */
unsigned int event__fd(const struct event *event);	/* 0: none */
/* a counter of the hardware's own, or a report of these */
bool event__is_native(const struct event *event);
/* it is kept for each engine, too */
bool event__has_engines(const struct event *event);
/* and for each context */
bool event__has_contexts(const struct event *event);

/* of the event, for any scope: disabled, for user space if it must be */
void event__attr(const struct event *event, struct perf_event_attr *attr);

#endif /* PERF_GPU_EVENT_H */
