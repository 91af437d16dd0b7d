// SPDX-License-Identifier: GPL-2.0
/* Samples as their reader gets them, of lines of a perf script that is made up. */
#include <stdio.h>
#include <string.h>

#include "samples/script.h"
#include "samples/stream.h"
#include "test.h"

#define SAMPLE	"@S 1 1 1 0 0 3e8 1 5 5 0 0 1 1 0 0 80 5 9 1 7 1 64 0 0 0 0"

/* ---- a perf script: a sample, and a stack of so many frames ---- */

static unsigned int frames;
static unsigned int line_nr;
static unsigned int max_stack;

const char *script__perf(void)
{
	return "perf";
}

int script__open(struct script **script, const struct script_options *options)
{
	*script = NULL;
	line_nr = 0;
	max_stack = options->max_stack;
	return 0;
}

int script__line(struct script *script, char **line)
{
	static char text[128];
	/* as perf does: what is further out is not printed */
	unsigned int nr = line_nr++, printed = frames < max_stack ? frames : max_stack;

	(void)script;
	if (!nr)
		snprintf(text, sizeof(text), "@N gpu/jobs/");
	else if (nr == 1)
		snprintf(text, sizeof(text), SAMPLE);
	else if (nr < 2 + printed)
		snprintf(text, sizeof(text), "\t  %x f%u+0x1 (/b)", 0x1000 + nr, nr - 2);
	else
		snprintf(text, sizeof(text), "@Z 0");
	*line = text;
	return nr <= 2 + printed;
}

int script__close(struct script *script, bool kill, char *said, size_t size)
{
	(void)script;
	(void)kill;
	snprintf(said, size, "nothing");
	return 0;
}

/* ---- a reader ---- */

static struct stacks *stacks;
static unsigned int samples;
static bool cut;
static uint32_t stack;

static int on_sample(void *arg, const struct stream_sample *sample)
{
	(void)arg;
	samples++;
	cut = sample->cut;
	stack = sample->stack;
	return 0;
}

static const char *outermost(void)
{
	uint32_t at = stack;

	while (stacks__caller(stacks, at))
		at = stacks__caller(stacks, at);
	return stacks__frame(stacks, at);
}

static void read_stack(unsigned int nr)
{
	static const struct stream_options options = { .input = "/dev/null", .command = "test" };
	static const struct stream_ops ops = { .sample = on_sample };

	frames = nr;
	samples = 0;
	stacks = stacks__new();
	CHECK_EQ(0, stream__read(&options, stacks, &ops, NULL));
	CHECK_EQ(1, samples);
	CHECK_STR(nr ? "f0" : "", stacks__frame(stacks, stack));
}

/* ---- tests ---- */

static void a_stack_has_its_root(void)
{
	static const unsigned int depths[] = { 1, 127, 128, 200, STACK_DEPTH_MAX };

	for (unsigned int i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		char root[16];

		read_stack(depths[i]);
		snprintf(root, sizeof(root), "f%u", depths[i] - 1);
		CHECK_EQ(depths[i], stacks__depth(stacks, stack));
		CHECK_STR(root, outermost());
		CHECK(!cut);
		stacks__delete(stacks);
	}
	read_stack(0);
	CHECK_EQ(STACK_NONE, stack);
	CHECK(!cut);
	stacks__delete(stacks);
}

static void a_stack_that_has_none_says_so(void)
{
	static const unsigned int depths[] = { STACK_DEPTH_MAX + 1, 5000 };

	for (unsigned int i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		read_stack(depths[i]);
		CHECK(cut);
		CHECK_EQ(STACK_DEPTH_MAX + 1, stacks__depth(stacks, stack));
		CHECK_STR(STACK_CUT, outermost());
		stacks__delete(stacks);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_stack_has_its_root),
		TEST(a_stack_that_has_none_says_so),
	};

	return TESTS_RUN(tests);
}
