// SPDX-License-Identifier: GPL-2.0
/* See script.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <linux/perf_event.h>

#include "script.h"

#define KERNEL_START	0xffff800000000000ULL
#define FIELDS		"comm,pid,tid,time,event,period,ip,sym,dso"
#define RECORD_MAX	4096

/* where chains begin: what is inside of these is the libraries' business */
static const char *const named[] = { "f", "g", "h", "w", "main", "thread_main" };

static bool is_named(const char *function)
{
	for (unsigned int i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(function, named[i]))
			return true;
	return false;
}

static FILE *script_open(const char *file, const char *options)
{
	char command[512];

	snprintf(command, sizeof(command), "LC_ALL=C perf script -i %s --show-lost-events %s "
		 "2>/tmp/script.said", file, options);
	return popen(command, "r");
}

static void script_close(struct script *script, FILE *out)
{
	int status = pclose(out);

	script->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct script_sample *sample_new(struct script *script)
{
	struct script_sample *sample = &script->sample[script->nr];

	if (script->nr == SCRIPT_SAMPLES_MAX) {
		script->broken++;
		return NULL;
	}
	script->nr++;
	memset(sample, 0, sizeof(*sample));
	return sample;
}

/* "... PERF_RECORD_LOST lost N", or "... PERF_RECORD_LOST_SAMPLES: id:ID lost samples :N" */
static bool lost_parse(const char *text, struct script *script)
{
	const char *at = strstr(text, "PERF_RECORD_LOST");
	unsigned long nr;

	if (!at)
		return false;
	/* a dump says the record's name in front of it, too */
	at = strstr(at, "PERF_RECORD_LOST lost ") ?: at;
	if (sscanf(at, "PERF_RECORD_LOST lost %lu", &nr) == 1)
		script->lost += nr;
	else if (sscanf(at, "PERF_RECORD_LOST_SAMPLES: %*s lost samples :%lu", &nr) == 1)
		script->lost_samples += nr;
	else
		script->broken++;
	return true;
}

/* "ADDRESS FUNCTION (FILE)" */
static bool frame_parse(const char *text, struct script_sample *sample)
{
	char function[128], path[256];
	const char *base;
	uint64_t ip;

	if (sscanf(text, " %lx %127s (%255[^)])", &ip, function, path) != 3)
		return false;
	sample->kernel |= ip >= KERNEL_START;
	base = strrchr(path, '/');
	if (!base || strncmp(base, "/stacks", 7) || (!sample->chain[0] && !is_named(function)))
		return true;
	if (strlen(sample->chain) + strlen(function) + 2 > sizeof(sample->chain))
		return false;
	strcat(strcat(sample->chain, function), " ");
	return true;
}

/*
 * "COMM PID/TID SECONDS.NANOSECONDS: PERIOD EVENT: " and the frames, a line each; or
 * the one frame that there is behind it. A COMM has no blank here.
 */
static bool head_parse(const char *text, struct script_sample *sample)
{
	unsigned long seconds, nanoseconds;
	int end = 0;

	if (sscanf(text, " %*s %d/%d %lu.%9lu: %lu %63s%n", &sample->pid, &sample->tid,
		   &seconds, &nanoseconds, &sample->period, sample->event, &end) != 6)
		return false;
	sample->time = seconds * 1000000000ULL + nanoseconds;
	text += end;
	return !text[strspn(text, " \n")] || frame_parse(text, sample);
}

struct script *script_read(const char *file)
{
	struct script *script = calloc(1, sizeof(*script));
	struct script_sample *sample = NULL;
	char text[1024];
	FILE *out;

	out = script ? script_open(file, "--ns --no-inline -F " FIELDS) : NULL;
	if (!out)
		return script;
	while (fgets(text, sizeof(text), out)) {
		if (lost_parse(text, script))
			continue;
		if (text[0] == '\n') {
			sample = NULL;
		} else if (text[0] == '\t') {
			script->broken += !sample || !frame_parse(text, sample);
		} else {
			sample = sample_new(script);
			script->broken += sample && !head_parse(text, sample);
		}
	}
	script_close(script, out);
	return script;
}

/* ---- perf script -D ---- */

/* a record's bytes, as they are printed before what they mean */
struct record {
	uint8_t bytes[RECORD_MAX];
	size_t size;
};

/* ".  0010:  01 02 03 ...  ................" */
static void record_add(struct record *record, const char *text)
{
	unsigned int offset, byte;
	int nr;

	if (sscanf(text, ".  %x:%n", &offset, &nr) != 1)
		return;
	if (!offset)
		record->size = 0;
	text += nr;
	for (int i = 0; i < 16 && sscanf(text, " %2x%n", &byte, &nr) == 1; i++, text += nr)
		if (record->size < RECORD_MAX)
			record->bytes[record->size++] = byte;
}

/*
 * Raw data are a record's last field, unless it has a stack or branches: their size,
 * themselves, and what fills up the last eight bytes, which belongs to the size.
 */
static bool raw_parse(const struct record *record, struct gpu_pmu_sample *gpu)
{
	uint32_t size = (sizeof(*gpu) + sizeof(size) + 7) / 8 * 8 - sizeof(size), said;
	const uint8_t *raw = record->bytes + record->size - size;

	if (record->size < size + sizeof(said))
		return false;
	memcpy(&said, raw - sizeof(said), sizeof(said));
	memcpy(gpu, raw, sizeof(*gpu));
	return said == size && gpu->version == GPU_PMU_SAMPLE_VERSION;
}

/* "CPU TIME OFFSET [SIZE]: PERF_RECORD_SAMPLE(...): PID/TID: ADDRESS period: N ..." */
static bool sample_parse(const char *text, struct script_sample *sample)
{
	return sscanf(text, "%*d %lu %*x [%*x]: PERF_RECORD_SAMPLE(%*[^)]): %d/%d: %*x period: %lu",
		      &sample->time, &sample->pid, &sample->tid, &sample->period) == 4;
}

/* "COMM TID [CPU] TIME: [PERIOD] EVENT: ..." */
static bool event_parse(const char *text, struct script_sample *sample)
{
	const char *at = strstr(text, ": ");

	if (!at || (sscanf(at, ": %*u %63s", sample->event) != 1 &&
		    sscanf(at, ": %63s", sample->event) != 1))
		return false;
	at = strstr(at, sample->event) + strlen(sample->event);
	snprintf(sample->trace, sizeof(sample->trace), "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}

/* the record, and who and when: all that there is in it */
static bool switch_parse(const struct record *record, struct script_sample *sample)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t time;
	} said;

	if (record->size < sizeof(said))
		return false;
	memcpy(&said, record->bytes, sizeof(said));
	if (!(said.header.misc & PERF_RECORD_MISC_SWITCH_OUT))
		strcpy(sample->event, SCRIPT_RUNS);
	else if (said.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		strcpy(sample->event, SCRIPT_PREEMPTED);
	else
		strcpy(sample->event, SCRIPT_SLEEPS);
	sample->pid = said.pid;
	sample->tid = said.tid;
	sample->time = said.time;
	return said.header.type == PERF_RECORD_SWITCH;
}

struct script *script_dump(const char *file)
{
	struct script *script = calloc(1, sizeof(*script));
	struct script_sample *sample = NULL;
	struct record record = {};
	char text[1024];
	FILE *out;

	out = script ? script_open(file, "-D") : NULL;
	if (!out)
		return script;
	while (fgets(text, sizeof(text), out)) {
		if (text[0] == '.') {
			record_add(&record, text);
		} else if (lost_parse(text, script)) {
			continue;
		} else if (strstr(text, " PERF_RECORD_THROTTLE")) {
			script->throttled++;
		} else if (strstr(text, " PERF_RECORD_SWITCH ")) {
			sample = sample_new(script);
			script->broken += sample && !switch_parse(&record, sample);
			sample = NULL;
		} else if (strstr(text, " PERF_RECORD_SAMPLE(")) {
			sample = sample_new(script);
			script->broken += sample && !sample_parse(text, sample);
		} else if (sample && strncmp(text, " ...", 4)) {
			script->broken += !event_parse(text, sample);
			if (!strncmp(sample->event, "gpu/", 4))
				script->broken += !raw_parse(&record, &sample->gpu);
			sample = NULL;
		}
	}
	script_close(script, out);
	return script;
}

static bool sample_is_again(const struct script *script, unsigned int nr,
			    const struct script_sample *sample)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!memcmp(&script->sample[i], sample, sizeof(*sample)))
			return true;
	return false;
}

/*
 * perf_mmap__push() of perf reads twice how far its buffer is full: it writes up to the second
 * place, and goes on from the first one. What came in between is twice in the file.
 */
void script_unique(struct script *script)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		if (!sample_is_again(script, nr, &script->sample[i]))
			script->sample[nr++] = script->sample[i];
	script->nr = nr;
}

void script_free(struct script *script)
{
	free(script);
}

bool script_is(const struct script_sample *sample, const char *event)
{
	return !strncmp(sample->event, event, strlen(event));
}

unsigned int script_count(const struct script *script, const char *event)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < script->nr; i++)
		nr += script_is(&script->sample[i], event);
	return nr;
}
