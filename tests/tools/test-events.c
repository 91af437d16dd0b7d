// SPDX-License-Identifier: GPL-2.0
/* A list of events as a user writes it, and what each is called then. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event.h"
#include "kernel/sysfs.h"
#include "test.h"

/* ---- sysfs ---- */

int sysfs__line(char *line, size_t size, const char *sysfs, const char *folder,
		const char *name, const char *suffix)
{
	static const char *const files[][2] = {
		{ "type", "11" }, { "format/event", "config:0-31" },
		{ "format/engine", "config:32-47" }, { "events/jobs", "event=0x2" },
		{ "events/gpu-busy", "event=0x1" }, { "events/gpu-busy.unit", "ns" },
	};
	char path[128];

	(void)sysfs;
	snprintf(path, sizeof(path), "%s%s%s", folder, name, suffix);
	for (unsigned int i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(path, files[i][0]))
			continue;
		snprintf(line, size, "%s", files[i][1]);
		return 0;
	}
	return -ENOENT;
}

/* ---- tests ---- */

/* what the events of a list are called, with a blank behind each; or the sentence */
static const char *names(const char *list)
{
	static char text[256];
	struct events events = {};
	char said[128];
	int err = events__parse(&events, "", list, said, sizeof(said));

	text[0] = 0;
	for (unsigned int i = 0; !err && i < events.nr; i++) {
		CHECK(strlen(events.event[i].name) < sizeof(events.event[i].name));
		strcat(strcat(text, events.event[i].name), " ");
		for (unsigned int k = 0; k < i; k++)
			CHECK(strcmp(events.event[i].name, events.event[k].name));
	}
	events__free(&events);
	return err ? strcpy(text, said) : text;
}

static void as_they_are_written(void)
{
	CHECK_STR("jobs ", names("jobs"));
	CHECK_STR("gpu-busy jobs ", names("gpu-busy,gpu/jobs/u"));
	CHECK_STR("jobs,engine=1 jobs ", names("gpu/jobs,engine=1/,jobs"));
	CHECK(strstr(names("jubs"), "no event 'jubs'"));
}

/* of everybody, and of the user alone, they are two counts */
static void with_u_and_without(void)
{
	CHECK_STR("jobs jobs:u ", names("gpu/jobs/,gpu/jobs/u"));
	CHECK_STR("jobs:u jobs ", names("gpu/jobs/u,gpu/jobs/"));
	CHECK_STR("jobs:u gpu-busy jobs ", names("gpu/jobs/u,gpu-busy,jobs"));
	CHECK_STR("jobs,engine=1 jobs,engine=1:u jobs ",
		  names("gpu/jobs,engine=1/,gpu/jobs,engine=1/u,gpu/jobs/u"));
}

static void said_twice(void)
{
	CHECK_STR("jobs ", names("jobs,gpu/jobs/,jobs"));
	CHECK_STR("jobs ", names("gpu/jobs/u,gpu/jobs/u"));
	CHECK_STR("jobs jobs:u gpu-busy ",
		  names("jobs,gpu/jobs/u,jobs,gpu/jobs/u,gpu/jobs/,gpu-busy"));
}

/* 63 bytes are a name; with two more they are none */
static void no_room_for_the_suffix(void)
{
	static const char terms[] = "engine=000000000000000000000000000000000000000000000000000";
	char list[256], name[80];

	for (int length = 58; length <= 63; length++) {
		snprintf(name, sizeof(name), "jobs,%.*s1", length - 6, terms);
		CHECK_EQ(length, strlen(name));
		snprintf(list, sizeof(list), "gpu/%s/,gpu/%s/u", name, name);
		CHECK_EQ(length > 61, !!strstr(names(list), "too long"));
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(as_they_are_written),
		TEST(with_u_and_without),
		TEST(said_twice),
		TEST(no_room_for_the_suffix),
	};

	return TESTS_RUN(tests);
}
