// SPDX-License-Identifier: GPL-2.0
/*
 * Any text where the kernel has some that the tool reads: what the PMU says of its events
 * and terms in sysfs, together with any list of events that a user may ask for; the list
 * of processors; a line of /proc/PID/maps.
 *
 * An input is: which of them; then, for events, the list and the files, each up to a line's
 * end, in the order in which they are asked for.
 */
#include <errno.h>
#include <string.h>
#include <linux/gpu_pmu.h>

#include "dlfilter/place.h"
#include "driver.h"
#include "kernel/event.h"
#include "kernel/sysfs.h"
#include "stat/cpus.h"

static struct taker files;

static char *line_take(struct taker *taker)
{
	const uint8_t *end = memchr(taker->at, '\n', taker->left);
	size_t size = end ? (size_t)(end - taker->at) : taker->left;
	char *line = take_text(taker, size, &size);

	if (end)
		take(taker, 1);
	return line;
}

/* as the true one cuts it; a file in four is not there */
int sysfs__line(char *line, size_t size, const char *sysfs, const char *folder,
		const char *name, const char *suffix)
{
	char *text;

	HOLD(sysfs && folder && name && suffix);
	if (strchr(name, '/') || name[0] == '.' || !files.left)
		return -ENOENT;
	text = line_take(&files);
	if (text[0] == '!') {
		free(text);
		return -ENOENT;
	}
	snprintf(line, size, "%s", text);
	free(text);
	return 0;
}

static void events(struct taker *taker)
{
	char *list = line_take(taker), text[64];
	struct events events = {};
	int err;

	files = *taker;
	err = events__parse(&events, EVENT_SYSFS, list, text, sizeof(text));
	/* a sentence that is whole, if something is wrong */
	HOLD(strnlen(text, sizeof(text)) < sizeof(text));
	HOLD(!err || err == -EINVAL || err == -ENODEV);
	HOLD((err == -EINVAL) == !!text[0]);
	for (unsigned int i = 0; i < events.nr; i++) {
		struct event *event = &events.event[i];
		struct perf_event_attr attr;

		HOLD(strnlen(event->name, sizeof(event->name)) < sizeof(event->name));
		HOLD(strnlen(event->unit, sizeof(event->unit)) < sizeof(event->unit));
		event__attr(event, &attr);
		HOLD(attr.config == event->config[0]);
		HOLD(event__engine(event) <= 255 && event__dev(event) <= 65535);
		HOLD(!event__is_native(event) || event__has_engines(event));
	}
	events__free(&events);
	free(list);
}

static void cpus(struct taker *taker)
{
	char *text = line_take(taker);
	unsigned int nr;
	int *cpus, err = cpus__parse(text, &cpus, &nr);

	HOLD(err == -EINVAL ? !cpus && !nr : !err && nr);
	for (unsigned int i = 0; i < nr; i++)
		HOLD(cpus[i] >= 0 && cpus[i] <= 65535);
	free(cpus);
	free(text);
}

static void maps(struct taker *taker)
{
	char *line = line_take(taker), name[32];
	struct place place = {};

	if (place__of_line(&place, line, name, sizeof(name)))
		HOLD(name[0] == '/' && strstr(line, name));
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taker taker = { data, size };

	switch (take(&taker, 1) % 4) {
	case 0:
		cpus(&taker);
		break;
	case 1:
		maps(&taker);
		break;
	default:
		events(&taker);
	}
	return 0;
}

size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
	static const char *const good[] = {
		"\x04""0-3,5,7-7", "\x04""0", "\x04""0-65535",
		"\x05""7f12-7f1300 r-xp 00001000 08:01 123 /usr/lib/x.so",
		"\x05""7f12-7f1300 rw-p 00000000 00:00 0", "\x05""1-2 r 3 4 5 /a b (deleted)",
		"\x06""jobs\n10\nevent=0x1\n\nconfig:0-15",
		"\x06""gpu/jobs,engine=1/u\n8\nevent=0x1,period=1\njobs\nconfig:0-15\nconfig:16-23",
		"\x06""gpu/ctx-busy,fd=7,ctx=2/,jobs\n10\nevent=0x1,fd=?,ctx=?\nns\nconfig:0-15\n"
			"config1:0-31\nconfig2:0-63\nconfig1:0-31\nconfig2:0-63\nevent=2\n!\nconfig:0-15",
		"\x06""a=1\n1\nconfig2:63",
		/* of the longest name that there may be */
		"\x06""gpu/jobs,engine=0x00000000000000000000000000001,dev=0x00000000000080/u\n8\n"
			"event=0x1\n!\nconfig:0-15\nconfig:16-23\nconfig:32-47", NULL,
	};

	return fuzz_good_text(good, nr, data);
}
