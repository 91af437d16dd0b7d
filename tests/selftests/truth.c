// SPDX-License-Identifier: GPL-2.0
/*
 * See truth.h. An interval of busy time is given to the oldest command that is
 * outstanding in it. A fenced command is answered with its fence's number; the
 * others are answered in the order in which they were sent.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#define COMMANDS_MAX	65536
#define SUBMIT_3D	0x207
#define FENCED		1

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

/* "   12.345678901: virtio_gpu:virtio_gpu_cmd_queue: vdev=0 vq=0 name=control ..." */
static bool line_parse(const char *text, struct line *line)
{
	unsigned long seconds, nanoseconds;
	const char *at;

	if (sscanf(text, " %lu.%9lu:", &seconds, &nanoseconds) != 2)
		return false;
	line->time = seconds * 1000000000ULL + nanoseconds;
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

static int recording_read(struct recording *rec, const char *file)
{
	char command[256], text[1024];
	struct line line;
	FILE *out;
	int err = 0;

	snprintf(command, sizeof(command),
		 "perf script --ns -F time,event,trace -i %s 2>/dev/null", file);
	out = popen(command, "r");
	if (!out)
		return -errno;
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
	return pclose(out) ? -EIO : err;
}

/*
 * Commands are in the order in which they were queued. Each gets what of its
 * own interval is not covered by the intervals of those before it.
 */
static void share_out(struct truth *truth, const struct recording *rec)
{
	uint64_t covered = 0;

	for (unsigned int i = 0; i < rec->nr; i++) {
		const struct command *c = &rec->command[i];
		uint64_t from = c->queued > covered ? c->queued : covered;

		if (c->type == SUBMIT_3D) {
			truth->jobs[c->ctx]++;
			truth->all_jobs++;
		}
		if (c->answered > from) {
			truth->busy[c->ctx] += c->answered - from;
			truth->all_busy += c->answered - from;
			covered = c->answered;
		}
	}
}

int truth_read(struct truth *truth, const char *file)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	int err;

	if (!rec)
		return -ENOMEM;
	memset(truth, 0, sizeof(*truth));
	err = recording_read(rec, file);
	share_out(truth, rec);
	truth->unpaired = rec->unpaired;
	free(rec);
	return err;
}
