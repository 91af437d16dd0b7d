// SPDX-License-Identifier: GPL-2.0
/*
 * See stream.h. What wire.h's lines say is put together here: the numbers of names and
 * frames are the writer's, and are translated to those of the caller's stacks.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples/progress.h"
#include "samples/script.h"
#include "samples/stream.h"
#include "samples/wire.h"

/**
 * struct numbers - the writer's numbers, from 1 on, to ours
 * @ours:	that with number 1 is the first
 * @nr:		how many
 * @room:	for how many there is room
 */
struct numbers {
	uint32_t *ours;
	uint32_t nr;
	uint32_t room;
};

/**
 * struct stream - a file that is being read
 * @options:	what is to be read
 * @stacks:	where stacks are kept
 * @ops:	who reads
 * @arg:	theirs
 * @names:	numbers of names
 * @frames:	numbers of frames
 * @line:	the line that is looked at
 * @sample:	the sample whose frames are still to come
 * @pending:	there is one
 * @chain:	its frames, by name, from the innermost one
 * @depth:	how many
 * @cut:	there were more
 * @samples:	handed over so far
 * @permille:	how far it is; -1: it is not known
 * @broken:	what was not understood
 * @piped:	perf reads what was written to a pipe, and then does not print stacks
 * @ended:	perf script has got to the end
 * @enough:	the reader has had enough
 */
struct stream {
	const struct stream_options *options;
	struct stacks *stacks;
	const struct stream_ops *ops;
	void *arg;
	struct numbers names;
	struct numbers frames;
	struct wire_line line;
	struct wire_sample sample;
	bool pending;
	uint32_t chain[STACK_DEPTH_MAX];
	unsigned int depth;
	bool cut;
	uint64_t samples;
	int permille;
	uint64_t broken;
	bool piped;
	bool ended;
	bool enough;
};

static int numbers_add(struct numbers *numbers, uint32_t ours)
{
	if (!ours)
		return -ENOMEM;
	if (numbers->nr == numbers->room) {
		uint32_t room = numbers->room ? 2 * numbers->room : 256;
		uint32_t *more = reallocarray(numbers->ours, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		numbers->ours = more;
		numbers->room = room;
	}
	numbers->ours[numbers->nr++] = ours;
	return 0;
}

/* 0 for one that was never told */
static uint32_t numbers_get(const struct numbers *numbers, uint32_t number)
{
	return number && number <= numbers->nr ? numbers->ours[number - 1] : 0;
}

static const char *name_get(const struct stream *stream, uint32_t number)
{
	return stacks__name_of(stream->stacks, numbers_get(&stream->names, number));
}

/* ---- samples ---- */

static int sample_hand_over(struct stream *stream, const struct wire_sample *from,
			    uint32_t stack, bool cut)
{
	struct stream_sample sample = {
		.event = name_get(stream, from->event),
		.time = from->time,
		.period = from->period,
		.pid = from->pid,
		.tid = from->tid,
		.cpu = from->cpu,
		.comm = name_get(stream, from->comm),
		.stack = stack,
		.cut = cut,
		.gpu = &from->gpu,
		.values = from->values,
	};

	stream->samples++;
	stream->enough = stream->ops->sample(stream->arg, &sample);
	return 0;
}

/* the last sample has all of its frames */
static int pending_end(struct stream *stream)
{
	uint32_t stack = STACK_NONE;

	if (!stream->pending)
		return 0;
	stream->pending = false;
	if (stream->cut) {
		stack = stacks__push(stream->stacks, stack,
				     stacks__name(stream->stacks, STACK_CUT));
		if (!stack)
			return -ENOMEM;
	}
	while (stream->depth) {
		stack = stacks__push(stream->stacks, stack, stream->chain[--stream->depth]);
		if (!stack)
			return -ENOMEM;
	}
	return sample_hand_over(stream, &stream->sample, stack, stream->cut);
}

static int sample_take(struct stream *stream)
{
	const struct wire_sample *sample = &stream->line.sample;
	int err = pending_end(stream);

	if (err || stream->enough)
		return err;
	if (!sample->chain)
		return sample_hand_over(stream, sample,
					numbers_get(&stream->frames, sample->stack), sample->cut);
	if (stream->piped)
		return -EOPNOTSUPP;
	stream->sample = *sample;
	stream->pending = true;
	stream->depth = 0;
	stream->cut = false;
	return 0;
}

static int chain_take(struct stream *stream)
{
	uint32_t name;

	if (!stream->pending)
		return 0;
	if (stream->depth == STACK_DEPTH_MAX) {
		stream->cut = true;
		return 0;
	}
	name = stacks__name(stream->stacks, stream->line.name);
	if (!name)
		return -ENOMEM;
	stream->chain[stream->depth++] = name;
	return 0;
}

/* ---- lines ---- */

static int frame_take(struct stream *stream)
{
	const struct wire_line *line = &stream->line;
	uint32_t caller = numbers_get(&stream->frames, line->caller);
	uint32_t name = numbers_get(&stream->names, line->frame);

	return numbers_add(&stream->frames, stacks__push(stream->stacks, caller, name));
}

static int lost_take(struct stream *stream)
{
	int err = pending_end(stream);

	if (!err && !stream->enough && stream->ops->lost)
		stream->ops->lost(stream->arg, stream->line.number);
	return err;
}

static int line_take(struct stream *stream, char *text)
{
	wire__parse(text, &stream->line);
	switch (stream->line.kind) {
	case WIRE_SAMPLE:
		return sample_take(stream);
	case WIRE_CHAIN:
		return chain_take(stream);
	case WIRE_FRAME:
		return frame_take(stream);
	case WIRE_NAME:
		return numbers_add(&stream->names,
				   stacks__name(stream->stacks, stream->line.name));
	case WIRE_LOST:
		return lost_take(stream);
	case WIRE_PROGRESS:
		stream->permille = stream->line.number;
		return 0;
	case WIRE_END:
		stream->broken += stream->line.number;
		stream->ended = true;
		return 0;
	case WIRE_BROKEN:
		stream->broken++;
		return 0;
	case WIRE_OTHER:
		return 0;
	}
	return 0;
}

static bool is_stopped(const struct stream *stream)
{
	return stream->enough || (stream->options->stop && *stream->options->stop);
}

static int lines_read(struct stream *stream, struct script *script)
{
	struct progress progress;
	char *text;
	unsigned int lines = 0;
	int got, err = 0;

	progress__begin(&progress, stream->options->command, stream->options->input,
			stream->options->progress);
	while (!err && !is_stopped(stream)) {
		got = script__line(script, &text);
		if (got == -EAGAIN || !(++lines % 1024))
			progress__show(&progress, stream->permille, stream->samples);
		if (got == -EAGAIN)
			continue;
		if (got <= 0) {
			err = got ? got : pending_end(stream);
			break;
		}
		err = line_take(stream, text);
	}
	/* what has come of it is right, though there may be frames missing */
	if (!err && is_stopped(stream) && !stream->enough)
		err = pending_end(stream);
	progress__end(&progress);
	return err;
}

/* ---- what is wrong ---- */

static __attribute__((format(printf, 2, 3)))
void say(const struct stream *stream, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s: ", stream->options->command);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

/* what perf script would say in more words, and after a while */
static int input_check(const struct stream *stream)
{
	const char *input = stream->options->input;
	int err;

	if (!strcmp(input, "-") || !access(input, R_OK))
		return 0;
	err = -errno;
	if (err == -ENOENT)
		say(stream, "there is no file '%s': make one with 'perf gpu record', or name one with -i",
		    input);
	else
		say(stream, "'%s' cannot be read: %s", input, strerror(-err));
	return err;
}

/* the magic number, and the size of the shorter header that is for pipes */
static bool is_piped(const char *input)
{
	struct {
		char magic[8];
		uint64_t size;
	} header = {};
	FILE *file;

	if (!strcmp(input, "-"))
		return true;
	file = fopen(input, "r");
	if (!file)
		return false;
	if (fread(&header, sizeof(header), 1, file) != 1)
		header.size = 0;
	fclose(file);
	return !memcmp(header.magic, "PERFILE2", 8) && header.size == sizeof(header);
}

static int start(const struct stream *stream, struct script **script)
{
	const struct stream_options *options = stream->options;
	struct script_options script_options = {
		.input = options->input,
		.force = options->force,
		.inlined = options->inlined,
		/* one more, to know that there are */
		.max_stack = STACK_DEPTH_MAX + 1,
	};
	int err = script__open(script, &script_options);

	if (err == -ENOENT)
		say(stream, "perf-gpu-dlfilter.so is not beside perf-gpu, nor in ../lib/perf-gpu from there: install it with 'make install'");
	else if (err)
		say(stream, "perf script cannot be started: %s", strerror(-err));
	return err;
}

static int finish(struct stream *stream, struct script *script, int err)
{
	bool stopped = is_stopped(stream);
	char said[512];
	int status = script__close(script, err || stopped, said, sizeof(said));

	if (err == -EOPNOTSUPP)
		say(stream, "perf cannot show the stacks in '%s', which went through a pipe: record to a file, or with --call-graph fp",
		    stream->options->input);
	else if (err)
		say(stream, "%s", strerror(-err));
	if (err)
		return err;
	if (!stopped && status) {
		say(stream, "perf script cannot read '%s': %s", stream->options->input,
		    said[0] ? said : "it failed without a word");
		return -EIO;
	}
	if (!stopped && !stream->ended) {
		say(stream, "perf script did not load perf-gpu-dlfilter.so%s%s: it takes a perf of 6.1 or later",
		    said[0] ? ": " : "", said);
		return -ENOTSUP;
	}
	if (stream->broken)
		say(stream, "%lu samples were not understood: they are without a payload ('perf record -R' has it), damaged, or of a newer gpu PMU",
		    stream->broken);
	return 0;
}

int stream__read(const struct stream_options *options, struct stacks *stacks,
		 const struct stream_ops *ops, void *arg)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	struct script *script;
	int err;

	if (!stream)
		return -ENOMEM;
	stream->options = options;
	stream->stacks = stacks;
	stream->ops = ops;
	stream->arg = arg;
	stream->permille = -1;
	stream->piped = is_piped(options->input);

	err = input_check(stream);
	if (!err)
		err = start(stream, &script);
	if (!err)
		err = finish(stream, script, lines_read(stream, script));
	free(stream->names.ours);
	free(stream->frames.ours);
	free(stream);
	return err;
}
