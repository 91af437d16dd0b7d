// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "kernel/event.h"
#include "kernel/sysfs.h"
#include "perf-gpu.h"

/* the bits of a config word that a term sets: "config1:0-31" */
struct field {
	unsigned int word;
	unsigned int low;
	unsigned int high;
};

static int field_get(struct field *field, const char *sysfs, const char *term)
{
	char line[64], word[16];
	int nr;

	if (sysfs__line(line, sizeof(line), sysfs, "format/", term, ""))
		return -ENOENT;
	nr = sscanf(line, "%15[a-z0-9]:%u-%u", word, &field->low, &field->high);
	if (nr == 2)
		field->high = field->low;
	if (nr < 2 || strncmp(word, "config", 6) || field->high > 63 ||
	    field->low > field->high)
		return -ENOENT;
	field->word = atoi(word + 6);
	return field->word < 3 ? 0 : -ENOENT;
}

static __u64 field_max(const struct field *field)
{
	unsigned int bits = field->high - field->low + 1;

	return bits == 64 ? ~0ULL : (1ULL << bits) - 1;
}

static void field_set(struct event *event, const struct field *field, __u64 value)
{
	__u64 mask = field_max(field) << field->low;

	event->config[field->word] &= ~mask;
	event->config[field->word] |= value << field->low;
}

struct parser {
	const char *sysfs;
	char *text;
	size_t size;
};

#define wrong(parser, ...) (snprintf((parser)->text, (parser)->size, __VA_ARGS__), -EINVAL)

/* perf's own terms: of how to sample, which is nothing to who counts */
static bool is_of_sampling(const char *term)
{
	static const char * const terms[] = {
		"period", "freq", "time", "call-graph", "stack-size", "max-stack", "name",
	};

	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (!strcmp(terms[i], term))
			return true;
	return false;
}

/* NAME=VALUE */
static int term_parse(const struct parser *parser, struct event *event, char *term)
{
	char *value = strchr(term, '='), *end;
	struct field field;
	__u64 number;

	*value++ = 0;
	if (is_of_sampling(term))
		return 0;
	if (field_get(&field, parser->sysfs, term))
		return wrong(parser, "there is no term '%s': the terms are event, engine, dev, fd and ctx",
			     term);
	/* an alias says with ? what the user has to add */
	if (!strcmp(value, "?"))
		return 0;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || end == value || *end || value[0] == '-' || number > field_max(&field))
		return wrong(parser, "'%s' is no value of the term '%s'", value, term);
	field_set(event, &field, number);
	return 0;
}

/* from the left: what comes later wins, as perf has it */
static int terms_parse(const struct parser *parser, struct event *event, char *terms)
{
	char *term;
	int err = 0;

	while (!err && (term = strsep(&terms, ",")))
		if (strchr(term, '='))
			err = term_parse(parser, event, term);
	return err;
}

/* the names among the terms: each stands for the terms in its file in events/ */
static int names_parse(const struct parser *parser, struct event *event, const char *terms)
{
	char copy[64], alias[128], *rest = copy, *term;
	int err = 0, names = 0;

	snprintf(copy, sizeof(copy), "%s", terms);
	while (!err && (term = strsep(&rest, ","))) {
		if (strchr(term, '='))
			continue;
		if (sysfs__line(alias, sizeof(alias), parser->sysfs, "events/", term, ""))
			return wrong(parser,
				     "there is no event '%s': 'perf gpu list' shows those that there are",
				     term);
		sysfs__line(event->unit, sizeof(event->unit), parser->sysfs, "events/", term,
			   ".unit");
		err = terms_parse(parser, event, alias);
		names++;
	}
	if (!err && names > 1)
		return wrong(parser, "'%s' names more than one event", terms);
	return err;
}

/* "jobs", "gpu/jobs/", "gpu/jobs,engine=1/u" */
static int event_parse(const struct parser *parser, struct event *event, const char *said)
{
	const char *begin = said, *end = said + strlen(said), *slash;
	char terms[64];
	int err;

	if (!strncmp(said, "gpu/", 4)) {
		begin += 4;
		slash = strchr(begin, '/');
		if (!slash || (slash[1] && strcmp(slash, "/u")))
			return wrong(parser, "'%s' is no event: write gpu/NAME[,TERM=VALUE]/ or NAME",
				     said);
		end = slash;
		event->user = slash[1];
	}
	if (end == begin || end - begin >= (int)sizeof(event->name))
		return wrong(parser, "'%s' is no event", said);
	memcpy(event->name, begin, end - begin);
	memcpy(terms, event->name, sizeof(terms));
	err = names_parse(parser, event, terms);
	return err ?: terms_parse(parser, event, terms);
}

#define USER_SUFFIX	":u"

/* is it the name of this event, or what it was before it was told apart? */
static bool is_named(const struct event *event, const char *name)
{
	size_t size = strlen(name);

	return !strncmp(event->name, name, size) &&
	       (!event->name[size] || !strcmp(event->name + size, USER_SUFFIX));
}

/*
 * Names are what counts are told apart by: of an event with "u" and without, the former's has a
 * suffix. 1: it is there already, and said for the second time; 0, or a negative errno.
 */
static int event_tell_apart(const struct parser *parser, const struct events *events,
			    struct event *event)
{
	struct event *other = NULL, *user;

	for (unsigned int i = 0; i < events->nr; i++) {
		if (!is_named(&events->event[i], event->name))
			continue;
		if (events->event[i].user == event->user)
			return 1;
		other = &events->event[i];
	}
	if (!other)
		return 0;
	user = event->user ? event : other;
	if (strlen(user->name) + sizeof(USER_SUFFIX) > sizeof(user->name))
		return wrong(parser, "'%.40s...' is too long for an event with u and without",
			     event->name);
	strcat(user->name, USER_SUFFIX);
	return 0;
}

/* the end of an event in a list: at a comma that is not between slashes */
static size_t event_length(const char *list)
{
	bool inside = false;
	size_t i;

	for (i = 0; list[i] && (inside || list[i] != ','); i++)
		if (list[i] == '/')
			inside = !inside;
	return i;
}

int events__parse(struct events *events, const char *sysfs, const char *list, char *text,
		  size_t size)
{
	const struct parser parser = { .sysfs = sysfs, .text = text, .size = size };
	char line[32], *said;
	struct event *more;
	int err = 0;
	size_t length;

	text[0] = 0;
	if (sysfs__line(line, sizeof(line), sysfs, "", "type", ""))
		return -ENODEV;
	for (;; list += length + 1) {
		more = reallocarray(events->event, events->nr + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		events->event = more;
		more += events->nr;
		*more = (struct event){ .type = strtoul(line, NULL, 10) };

		length = event_length(list);
		said = strndup(list, length);
		if (!said)
			return -ENOMEM;
		err = event_parse(&parser, more, said);
		free(said);
		if (!err)
			err = event_tell_apart(&parser, events, more);
		if (err < 0)
			return err;
		events->nr += !err;
		if (!list[length])
			return 0;
	}
}

void events__free(struct events *events)
{
	free(events->event);
	*events = (struct events){};
}

#define CONFIG_GET(word, field) \
	(((word) & GPU_PMU_CONFIG##field##_MASK) >> GPU_PMU_CONFIG##field##_SHIFT)

unsigned int event__id(const struct event *event)
{
	return CONFIG_GET(event->config[0], _EVENT);
}

unsigned int event__engine(const struct event *event)
{
	return CONFIG_GET(event->config[0], _ENGINE);
}

unsigned int event__dev(const struct event *event)
{
	return CONFIG_GET(event->config[0], _DEV);
}

unsigned int event__fd(const struct event *event)
{
	return CONFIG_GET(event->config[1], 1_FD);
}

bool event__is_native(const struct event *event)
{
	return event__id(event) >= GPU_PMU_EVENT_NATIVE ||
	       event__id(event) == GPU_PMU_EVENT_REPORTS;
}

bool event__has_engines(const struct event *event)
{
	switch (event__id(event)) {
	case GPU_PMU_EVENT_LOST:
	case GPU_PMU_EVENT_WAITS:
	case GPU_PMU_EVENT_WAIT_TIME:
		return false;
	default:
		return true;
	}
}

bool event__has_contexts(const struct event *event)
{
	return event__has_engines(event);
}

void event__attr(const struct event *event, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr) {
		.type = event->type,
		.size = sizeof(*attr),
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.disabled = 1,
		.exclude_hv = 1,
		/* perf asks for it below root, too: it is all that paranoid 2 allows */
		.exclude_kernel = event->user || geteuid() != 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}
