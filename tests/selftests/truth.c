// SPDX-License-Identifier: GPL-2.0
/*
 * See truth.h. An interval of busy time is given to the oldest command that is
 * outstanding in it. A fenced command is answered with its fence's number; the
 * others are answered in the order in which they were sent.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf.h"
#include "truth.h"

#define COMMANDS_MAX	65536
#define SUBMIT_3D	0x207
#define FENCED		1
#define ROUNDED_NS	500
#define TRACING		"/sys/kernel/tracing/instances/truth"

struct command {
	uint64_t queued, answered;	/* answered: 0 if it never was */
	uint64_t fence;
	unsigned int ctx, type, flags;
};

struct recording {
	struct command command[COMMANDS_MAX];
	unsigned int nr;
	unsigned int unpaired;
};

struct line {
	uint64_t time;
	uint64_t fence;
	unsigned int vq, type, flags, ctx;
	bool response;
};

/*
 * perf: "   12.345678901: virtio_gpu:virtio_gpu_cmd_queue: vdev=0 vq=0 name=control ..."
 * ftrace: "  TASK-PID  [000] ...1.   12.345679: virtio_gpu_cmd_queue: vdev=0 ...", where the
 * time is rounded to us: the earliest that it can have been is not too late for who is first
 */
static bool time_parse(const char *text, uint64_t *time)
{
	const char *at = strstr(text, "virtio_gpu");
	unsigned long seconds, part;
	int digits, length;

	if (!at)
		return false;
	while (at > text && at[-1] == ' ')
		at--;
	while (at > text && at[-1] != ' ')
		at--;
	if (sscanf(at, "%lu.%n%lu%n:", &seconds, &digits, &part, &length) != 2)
		return false;
	if (length - digits == 6)
		part = part * 1000 - ROUNDED_NS;
	else if (length - digits != 9)
		return false;
	*time = seconds * 1000000000ULL + part;
	return true;
}

static bool line_parse(const char *text, struct line *line)
{
	const char *at;

	if (!time_parse(text, &line->time))
		return false;
	line->response = strstr(text, "cmd_response:");
	at = strstr(text, " vq=");
	if (!at || sscanf(at, " vq=%u", &line->vq) != 1)
		return false;
	at = strstr(text, " type=");
	return at && sscanf(at, " type=%x flags=%x fence_id=%lu ctx_id=%u", &line->type,
			    &line->flags, &line->fence, &line->ctx) == 4;
}

static void answer(struct recording *rec, const struct line *line)
{
	for (unsigned int i = 0; i < rec->nr; i++) {
		struct command *c = &rec->command[i];

		if (c->answered || (c->flags ^ line->flags) & FENCED)
			continue;
		if (line->flags & FENCED && c->fence != line->fence)
			continue;
		c->answered = line->time;
		return;
	}
	rec->unpaired++;
}

static int recording_parse(struct recording *rec, FILE *out)
{
	char text[1024];
	struct line line;
	int err = 0;

	while (fgets(text, sizeof(text), out)) {
		if (!line_parse(text, &line) || line.vq)
			continue;
		if (line.response) {
			answer(rec, &line);
		} else if (rec->nr == COMMANDS_MAX || line.ctx >= TRUTH_CTX_MAX) {
			err = -E2BIG;
		} else {
			rec->command[rec->nr++] = (struct command) {
				.queued = line.time,
				.fence = line.fence,
				.ctx = line.ctx,
				.type = line.type,
				.flags = line.flags,
			};
		}
	}
	return err;
}

static int recording_read(struct recording *rec, const char *fmt, ...)
{
	char command[256];
	va_list ap;
	FILE *out;
	int err;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	out = popen(command, "r");
	if (!out)
		return -errno;
	err = recording_parse(rec, out);
	return pclose(out) ? -EIO : err;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* what of an interval is not covered by those before it */
static uint64_t left_of(uint64_t from, uint64_t to, uint64_t covered)
{
	from = max(from, covered);
	return to > from ? to - from : 0;
}

/*
 * Commands are in the order in which they were queued. Each gets what of its
 * own interval is not covered by the intervals of those before it: the less of it, the
 * later it is queued, and those before it are answered, and the earlier it is answered. All
 * of them have what no interval covers twice: the less of it, the shorter each of them is.
 */
static void share_out(struct truth *truth, const struct recording *early,
		      const struct recording *late)
{
	uint64_t early_covered = 0, late_covered = 0;

	for (unsigned int i = 0; i < early->nr; i++) {
		const struct command *e = &early->command[i], *l = &late->command[i];
		struct truth_busy *busy = &truth->busy[e->ctx];

		if (e->type == SUBMIT_3D) {
			truth->jobs[e->ctx]++;
			truth->all_jobs++;
		}
		truth->unpaired += !e->answered || !l->answered;
		busy->least += left_of(l->queued, e->answered, late_covered);
		busy->most += left_of(e->queued, l->answered, early_covered);
		truth->all_busy.least += left_of(l->queued, e->answered, early_covered);
		truth->all_busy.most += left_of(e->queued, l->answered, late_covered);
		early_covered = max(early_covered, e->answered);
		late_covered = max(late_covered, l->answered);
	}
	truth->unpaired += early->unpaired + late->unpaired;
}

static void command_print(const char *who, const struct recording *rec, unsigned int at)
{
	const struct command *c = &rec->command[at];

	fprintf(stderr, "# %s: %u of %u, context %u type %x flags %x fence %lu, %lu to %lu\n",
		who, at, rec->nr, c->ctx, c->type, c->flags, c->fence, c->queued, c->answered);
}

/* they have seen the same, the one before the other */
static bool is_between(const struct recording *early, const struct recording *late)
{
	for (unsigned int i = 0; i < early->nr; i++) {
		const struct command *e = &early->command[i], *l = &late->command[i];

		if (e->ctx != l->ctx || e->type != l->type || e->flags != l->flags ||
		    e->fence != l->fence || e->queued > l->queued || e->answered > l->answered) {
			command_print("early", early, i);
			command_print("late", late, i);
			return false;
		}
	}
	return early->nr == late->nr;
}

#define PERF_SCRIPT	"perf script --ns -F time,event,trace -i %s 2>/dev/null"

int truth_read(struct truth *truth, const char *file)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	int err;

	if (!rec)
		return -ENOMEM;
	memset(truth, 0, sizeof(*truth));
	err = recording_read(rec, PERF_SCRIPT, file);
	share_out(truth, rec, rec);
	free(rec);
	return err;
}

int truth_read_between(struct truth *truth, const char *file)
{
	struct recording *recs = calloc(2, sizeof(*recs));
	int err;

	if (!recs)
		return -ENOMEM;
	memset(truth, 0, sizeof(*truth));
	err = recording_read(&recs[0], "cat " TRACING "/trace") ?:
	      recording_read(&recs[1], PERF_SCRIPT, file);
	if (!err && !is_between(&recs[0], &recs[1]))
		err = -EILSEQ;
	if (!err)
		share_out(truth, &recs[0], &recs[1]);
	free(recs);
	return err;
}

int truth_trace_start(void)
{
	truth_trace_stop();
	return shell("mkdir " TRACING " && cd " TRACING " && echo mono >trace_clock && "
		     "echo 4096 >buffer_size_kb && cd events/virtio_gpu && "
		     "echo 1 >virtio_gpu_cmd_queue/enable && "
		     "echo 1 >virtio_gpu_cmd_response/enable") ? -EIO : 0;
}

int truth_trace_clear(void)
{
	return shell("echo >" TRACING "/trace") ? -EIO : 0;
}

void truth_trace_stop(void)
{
	shell("if test -d " TRACING "; then rmdir " TRACING "; fi");
}
