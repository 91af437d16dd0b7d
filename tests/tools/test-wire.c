// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "samples/wire.h"

static struct wire_line line;
static char text[WIRE_LINE_MAX + 1];

/* a line that was put, as it is read: without its end */
static enum wire_kind read_back(size_t size)
{
	CHECK(size && size <= WIRE_LINE_MAX);
	CHECK_EQ('\n', text[size - 1]);
	text[size - 1] = '\0';
	CHECK_EQ(size - 1, strlen(text));
	memset(&line, 0xa5, sizeof(line));
	wire__parse(text, &line);
	return line.kind;
}

static enum wire_kind parse(const char *from)
{
	snprintf(text, sizeof(text), "%s", from);
	wire__parse(text, &line);
	return line.kind;
}

static uint64_t any_number(void)
{
	return test_random() >> (test_random() % 64);
}

static void fill(void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = any_number();
}

static void a_sample_comes_as_it_goes(void)
{
	for (unsigned int i = 0; i < 2000; i++) {
		struct wire_sample sample = {};

		fill(&sample, offsetof(struct wire_sample, values));
		memset((char *)&sample + offsetof(struct wire_sample, chain), 0, 4);
		sample.chain = i & 1;
		sample.cut = i & 2;
		sample.gpu.nr_values = i % (WIRE_VALUES_MAX + 1);
		for (unsigned int k = 0; k < sample.gpu.nr_values; k++) {
			sample.values[k].event = any_number();
			sample.values[k].delta = test_random();
		}
		CHECK_EQ(WIRE_SAMPLE, read_back(wire__put_sample(text, &sample)));
		CHECK_EQ(sample.event, line.sample.event);
		CHECK_EQ(sample.comm, line.sample.comm);
		CHECK_EQ(sample.stack, line.sample.stack);
		CHECK_EQ(sample.chain, line.sample.chain);
		CHECK_EQ(sample.cut, line.sample.cut);
		CHECK_EQ(sample.time, line.sample.time);
		CHECK_EQ(sample.period, line.sample.period);
		CHECK_EQ(sample.pid, line.sample.pid);
		CHECK_EQ(sample.tid, line.sample.tid);
		CHECK_EQ((uint32_t)sample.cpu, (uint32_t)line.sample.cpu);
		CHECK(!memcmp(&sample.gpu, &line.sample.gpu, sizeof(sample.gpu)));
		CHECK(!memcmp(sample.values, line.sample.values,
			      sample.gpu.nr_values * sizeof(sample.values[0])));
	}
}

static void the_longest_sample_fits(void)
{
	struct wire_sample sample;

	memset(&sample, 0xff, sizeof(sample));
	sample.chain = true;
	sample.cut = true;
	sample.gpu.nr_values = WIRE_VALUES_MAX;
	CHECK_EQ(WIRE_SAMPLE, read_back(wire__put_sample(text, &sample)));
	CHECK_EQ(UINT64_MAX, line.sample.values[WIRE_VALUES_MAX - 1].delta);
}

static void names_and_frames_come_as_they_go(void)
{
	char *long_name = malloc(3 * WIRE_NAME_MAX);

	CHECK_EQ(WIRE_NAME, read_back(wire__put_name(text, "std::map<int, a b>::at(int) const")));
	CHECK_STR("std::map<int, a b>::at(int) const", line.name);
	CHECK_EQ(WIRE_NAME, read_back(wire__put_name(text, "")));
	CHECK_STR("", line.name);
	CHECK_EQ(WIRE_NAME, read_back(wire__put_name(text, "a\nb\tc@\xff")));
	CHECK_STR("a?b?c@\xff", line.name);
	memset(long_name, 'n', 3 * WIRE_NAME_MAX - 1);
	long_name[3 * WIRE_NAME_MAX - 1] = '\0';
	CHECK_EQ(WIRE_NAME, read_back(wire__put_name(text, long_name)));
	CHECK_EQ(WIRE_NAME_MAX, strlen(line.name));
	CHECK_EQ(WIRE_FRAME, read_back(wire__put_frame(text, 0, UINT32_MAX)));
	CHECK_EQ(0, line.caller);
	CHECK_EQ(UINT32_MAX, line.frame);
	CHECK_EQ(WIRE_PROGRESS, read_back(wire__put_progress(text, 1000)));
	CHECK_EQ(1000, line.number);
	CHECK_EQ(WIRE_END, read_back(wire__put_end(text, UINT64_MAX)));
	CHECK_EQ(UINT64_MAX, line.number);
	free(long_name);
}

static void what_is_broken_is_seen(void)
{
	static const char *const broken[] = {
		"@", "@S", "@S 1 2 3", "@N", "@F 1", "@F 1 ", "@F 1 2 3", "@F 100000000 1",
		"@F g 1", "@P", "@P 3e9", "@Z -1", "@Z 12345678912345678", "@X 1", "@F  1 2",
		/* of a sample: 27 numbers, and a chain that is neither 0 nor 1 */
		"@S 1 1 0 0 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 1 1 1",
		"@S 1 1 2 0 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 1 1",
		/* more values than are there, and than there may be */
		"@S 1 1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"@S 1 1 0 0 1 1 1 1 1 1 1 1 1 1 ffff 1 1 1 1 1 1 1 1 1 1 1",
		/* a version that is too large for it */
		"@S 1 1 0 0 1 1 1 1 1 1 1 10000 1 1 0 1 1 1 1 1 1 1 1 1 1 1",
	};

	for (unsigned int i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		enum wire_kind kind = parse(broken[i]);

		if (kind != WIRE_BROKEN)
			printf("# %s\n", broken[i]);
		CHECK_EQ(WIRE_BROKEN, kind);
	}
	CHECK_EQ(WIRE_SAMPLE, parse("@S 1 1 0 0 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 1 1"));
}

static void perfs_frames_are_understood(void)
{
	static const struct {
		const char *text;
		const char *name;
	} frames[] = {
		{ "\t           fdd6b __GI___ioctl+0x3b (/usr/lib/libc.so.6)", "__GI___ioctl" },
		{ "\t            24f4 main+0x204 (/a path/with (brackets) (deleted))", "main" },
		{ "\t    7f0000000000 [unknown] (/usr/lib/libfoo.so.1)", "[libfoo.so.1]" },
		{ "\t    7f0000000000 [unknown] (/tmp/a (b).so (deleted))", "[a (b).so (deleted)]" },
		{ "\t    7f0000000000 [unknown] ([vdso])", "[vdso]" },
		{ "\t    7f0000000000 [unknown] ([unknown])", "[unknown]" },
		{ "\t    7f0000000000 [unknown] ()", "[unknown]" },
		{ "\t    7f0000000000 [unknown] (x)", "[x]" },
		{ "\t               1 ns::f(int (*)(int), std::x<(a)1>)+0x1 (/b)",
		  "ns::f(int (*)(int), std::x<(a)1>)" },
		{ "\t               1 operator()<a, b> const+0xabc (/b)",
		  "operator()<a, b> const" },
		{ "\t               1 submit+0x10 (inlined)", "submit" },
		{ "\t               1 f+0xg+0x1f (/b)", "f+0xg" },
		{ "\t               1 no_offset (/b)", "no_offset (/b)" },
		{ "              1 f+0x1 (/b)", "f" },
	};

	for (unsigned int i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		CHECK_EQ(WIRE_CHAIN, parse(frames[i].text));
		CHECK_STR(frames[i].name, line.name);
	}
}

static void perfs_other_lines_are_told_apart(void)
{
	CHECK_EQ(WIRE_LOST, parse("PERF_RECORD_LOST lost 23"));
	CHECK_EQ(23, line.number);
	CHECK_EQ(WIRE_LOST, parse("   stacks  1 [000] 1.0: PERF_RECORD_LOST lost 18446744073709551615"));
	CHECK_EQ(UINT64_MAX, line.number);
	CHECK_EQ(WIRE_OTHER, parse(""));
	CHECK_EQ(WIRE_OTHER, parse(" "));
	CHECK_EQ(WIRE_OTHER, parse("PERF_RECORD_LOST"));
	CHECK_EQ(WIRE_OTHER, parse("\t12"));
	CHECK_EQ(WIRE_OTHER, parse("12 f+0x1"));
	CHECK_EQ(WIRE_OTHER, parse("something else"));
}

static void what_has_no_name_is_called_by_its_file(void)
{
	static char name[WIRE_NAME_MAX + 1];

	wire__unnamed(name, "/usr/lib/libfoo.so");
	CHECK_STR("[libfoo.so]", name);
	wire__unnamed(name, "[vdso]");
	CHECK_STR("[vdso]", name);
	wire__unnamed(name, NULL);
	CHECK_STR("[unknown]", name);
	wire__unnamed(name, "");
	CHECK_STR("[unknown]", name);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_sample_comes_as_it_goes),
		TEST(the_longest_sample_fits),
		TEST(names_and_frames_come_as_they_go),
		TEST(what_is_broken_is_seen),
		TEST(perfs_frames_are_understood),
		TEST(perfs_other_lines_are_told_apart),
		TEST(what_has_no_name_is_called_by_its_file),
	};

	return TESTS_RUN(tests);
}
