// SPDX-License-Identifier: GPL-2.0
/* What the pages are made of, one by one: characters, keys, items, files. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../refgpu/tap.h"
#include "common/keys.h"
#include "common/outfile.h"
#include "common/text.h"
#include "timeline/items.h"
#include "timeline/trace.h"

typedef void (*write_fn)(FILE *out, const char *text);

static bool writes(write_fn fn, const char *text, const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);
	bool same;

	fn(out, text);
	fclose(out);
	same = !strcmp(got, expected);
	if (!same)
		printf("# '%s', not '%s'\n", got, expected);
	free(got);
	return same;
}

static void characters(void)
{
	static const struct {
		const char *text;
		uint32_t is;
		unsigned int len;
	} cases[] = {
		{ "a", 'a', 1 },
		{ "\x7f", 0x7f, 1 },
		{ "\xc2\x80", 0x80, 2 },
		{ "\xdf\xbf", 0x7ff, 2 },
		{ "\xe0\xa0\x80", 0x800, 3 },
		{ "\xef\xbf\xbf", 0xffff, 3 },
		{ "\xf0\x90\x80\x80", 0x10000, 4 },
		{ "\xf4\x8f\xbf\xbf", 0x10ffff, 4 },
		/* a continuation, too long, a surrogate, too high, no such byte, cut */
		{ "\x80", TEXT_REPLACEMENT, 1 },
		{ "\xc1\xbf", TEXT_REPLACEMENT, 1 },
		{ "\xe0\x9f\xbf", TEXT_REPLACEMENT, 1 },
		{ "\xf0\x8f\xbf\xbf", TEXT_REPLACEMENT, 1 },
		{ "\xed\xa0\x80", TEXT_REPLACEMENT, 1 },
		{ "\xf4\x90\x80\x80", TEXT_REPLACEMENT, 1 },
		{ "\xff", TEXT_REPLACEMENT, 1 },
		{ "\xc3", TEXT_REPLACEMENT, 1 },
		{ "\xe2\x82", TEXT_REPLACEMENT, 1 },
		{ "\xf0\x9f\x98", TEXT_REPLACEMENT, 1 },
		{ "\xe2(\xac", TEXT_REPLACEMENT, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;

		CHECK_EQ(text__next(&at), cases[i].is);
		CHECK_EQ(at - cases[i].text, cases[i].len);
	}
}

static void xml(void)
{
	CHECK(writes(text__xml, "", ""));
	CHECK(writes(text__xml, "a<b>&\"c\"'", "a&lt;b&gt;&amp;&quot;c&quot;'"));
	CHECK(writes(text__xml, "]]>", "]]&gt;"));
	/* neither as themselves nor by number can these be in XML 1.0 */
	CHECK(writes(text__xml, "\x01\n\x7f\xef\xbf\xbe", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	CHECK(writes(text__xml, "\xff" "a\xc3", "\xef\xbf\xbd" "a\xef\xbf\xbd"));
	CHECK(writes(text__xml, "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"));
}

static void json(void)
{
	CHECK(writes(text__json, "", "\"\""));
	CHECK(writes(text__json, "a\"b\\c\n\x01", "\"a\\\"b\\\\c\\u000a\\u0001\""));
	CHECK(writes(text__json, "</script><!--&", "\"\\u003c/script\\u003e\\u003c!--\\u0026\""));
	CHECK(writes(text__json, "\xff", "\"\xef\xbf\xbd\""));
}

static void keys(void)
{
	const unsigned int many = 100000;
	struct keys set = {};

	CHECK_EQ(keys__find(&set, &(struct key){}), KEY_NONE);
	for (uint64_t i = 0; i < many; i++)
		CHECK_EQ(keys__add(&set, &(struct key){ { i % 7, i << 32, i } }), i);
	for (uint64_t i = 0; i < many; i++) {
		CHECK_EQ(keys__add(&set, &(struct key){ { i % 7, i << 32, i } }), i);
		CHECK_EQ(keys__find(&set, &(struct key){ { i % 7, i << 32, i + 1 } }), KEY_NONE);
	}
	CHECK_EQ(set.nr, many);
	keys__exit(&set);
}

static struct gpu_pmu_sample gpu;

/* a submission, or a wait that ends at that time */
static const struct stream_sample *sample_of(int kind, uint64_t seqno, uint64_t time)
{
	static struct stream_sample sample;

	gpu = (struct gpu_pmu_sample){
		.kind = kind, .dev = 128, .client = 1, .ctx = 1, .fence_context = 5,
		.fence_seqno = seqno, .submit = time, .begin = time - 10, .end = time,
	};
	sample = (struct stream_sample){
		.event = "", .time = time, .pid = 1, .tid = 1, .comm = "a-name-that-is-long",
		.gpu = &gpu,
	};
	return &sample;
}

static int add(struct items *items, int kind, uint64_t seqno, uint64_t time)
{
	return items__add(items, sample_of(kind, seqno, time));
}

static void bounded_items(void)
{
	struct items items = ITEMS_INIT;

	items.max = 10;
	for (unsigned int i = 0; i < 25; i++)
		CHECK_EQ(add(&items, GPU_PMU_SAMPLE_JOB, i, 100 + i), 0);
	CHECK_EQ(items__nr(&items), 10);
	CHECK_EQ(items.left_out, 15);
	CHECK_EQ(items.threads.nr, 1);
	CHECK(!strcmp(items.threads.item[0].comm, "a-name-that-is-"));
	items__exit(&items);
}

static void items_of_a_time(void)
{
	struct items items = ITEMS_INIT;

	items.from = 5;
	items.to = 9;
	for (unsigned int i = 0; i < 20; i++)
		CHECK_EQ(add(&items, GPU_PMU_SAMPLE_JOB, i, 100 + i), 0);
	CHECK_EQ(items.submissions.nr, 5);
	CHECK_EQ(items.outside, 15);
	/* from 8 to 18 it waits: that is, in part, of the time */
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_WAIT, 1, 118), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_WAIT, 1, 130), 0);
	CHECK_EQ(items.waits.nr, 1);
	CHECK_EQ(items.outside, 16);
	items__exit(&items);
}

static void joined_items(void)
{
	struct items items = ITEMS_INIT;

	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_JOB, 7, 100), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_JOB, 8, 102), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_DONE, 7, 110), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_DONE, 8, 111), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_DONE, 9, 112), 0);
	CHECK_EQ(add(&items, GPU_PMU_SAMPLE_WAIT, 8, 113), 0);
	CHECK_EQ(items.runs.item[0].submission, 0);
	CHECK_EQ(items.runs.item[1].submission, 1);
	CHECK_EQ(items.runs.item[2].submission, ITEM_NONE);
	CHECK_EQ(items.unjoined, 1);
	CHECK_EQ(items.waits.item[0].submission, 1);
	items__exit(&items);
}

/* two events that see the same; their clock was read twice, and is off by a bit */
static const struct stream_sample *told(unsigned int i)
{
	static const int kinds[] = { GPU_PMU_SAMPLE_JOB, GPU_PMU_SAMPLE_DONE, GPU_PMU_SAMPLE_WAIT };
	unsigned int nr = i / 2 / 3;

	return sample_of(kinds[i / 2 % 3], nr, 1000 + 100 * nr + 10 * (i / 2 % 3) + i % 2);
}

#define TOLD	(2 * 3 * 50)

static void items_that_are_told_twice(void)
{
	struct items items = ITEMS_INIT;

	for (unsigned int i = 0; i < TOLD; i++)
		CHECK_EQ(items__add(&items, told(i)), 0);
	CHECK_EQ(items.submissions.nr, 50);
	CHECK_EQ(items.runs.nr, 50);
	CHECK_EQ(items.waits.nr, 50);
	/* what has no fence may be another one each time */
	for (unsigned int i = 0; i < 2; i++) {
		const struct stream_sample *sample = sample_of(GPU_PMU_SAMPLE_JOB, 0, 9000);

		gpu.fence_context = 0;
		CHECK_EQ(items__add(&items, sample), 0);
	}
	CHECK_EQ(items.submissions.nr, 52);
	items__exit(&items);
}

static unsigned int times(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr++;
	return nr;
}

static void a_trace_of_what_is_told_twice(void)
{
	struct stacks *stacks = stacks__new();
	struct trace trace;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	trace__init(&trace, out, stacks);
	for (unsigned int i = 0; i < TOLD; i++)
		CHECK_EQ(trace__add(&trace, told(i)), 0);
	CHECK_EQ(trace__finish(&trace), 0);
	fclose(out);
	CHECK_EQ(times(text, "\"cat\":\"submit\""), 50);
	CHECK_EQ(times(text, "\"cat\":\"run\""), 50);
	CHECK_EQ(times(text, "\"cat\":\"wait\""), 50);
	/* from each submission to its run */
	CHECK_EQ(times(text, "\"ph\":\"s\""), 50);
	trace__exit(&trace);
	stacks__delete(stacks);
	free(text);
}

static char *content(const char *path)
{
	static char text[64];
	FILE *file = fopen(path, "r");

	memset(text, 0, sizeof(text));
	if (!file || !fread(text, 1, sizeof(text) - 1, file))
		strcpy(text, "none");
	if (file)
		fclose(file);
	return text;
}

static void files(void)
{
	char folder[] = "/tmp/test-parts.XXXXXX", path[64];
	struct outfile file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	CHECK_EQ(outfile__open(&file, path), 0);
	fputs("first", file.file);
	CHECK(!strcmp(content(path), "none"));
	CHECK_EQ(outfile__commit(&file), 0);
	CHECK(!strcmp(content(path), "first"));

	CHECK_EQ(outfile__open(&file, path), 0);
	fputs("second", file.file);
	outfile__abort(&file);
	outfile__abort(&file);
	CHECK(!strcmp(content(path), "first"));

	CHECK_EQ(outfile__open(&file, "/dev/full"), 0);
	fputs("third", file.file);
	CHECK_EQ(outfile__commit(&file), -ENOSPC);
	CHECK(!access("/dev/full", F_OK));
	CHECK_EQ(outfile__open(&file, "/no/such/folder"), -ENOENT);
	outfile__abort(&file);
	/* nothing of it was left behind */
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(rmdir(folder), 0);
}

static void files_that_grow(void)
{
	char folder[] = "/tmp/test-parts.XXXXXX", path[64];
	struct outfile file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	/* it was not there, and nothing has begun */
	CHECK_EQ(outfile__reserve(&file, path), 0);
	CHECK(!strcmp(content(path), "none"));
	outfile__abort(&file);
	CHECK(access(path, F_OK));
	/* what is there is seen at once */
	CHECK_EQ(outfile__reserve(&file, path), 0);
	CHECK_EQ(outfile__begin(&file), 0);
	fputs("first", file.file);
	CHECK_EQ(file__flush(file.file), 0);
	CHECK(!strcmp(content(path), "first"));
	CHECK_EQ(outfile__commit(&file), 0);

	CHECK_EQ(outfile__reserve(&file, path), 0);
	CHECK(!strcmp(content(path), "first"));
	outfile__abort(&file);
	CHECK(!strcmp(content(path), "first"));
	CHECK_EQ(outfile__reserve(&file, path), 0);
	CHECK_EQ(outfile__begin(&file), 0);
	fputs("2", file.file);
	outfile__abort(&file);
	CHECK(!strcmp(content(path), "2"));

	CHECK_EQ(outfile__reserve(&file, "/dev/full"), 0);
	CHECK_EQ(outfile__begin(&file), 0);
	fputs("third", file.file);
	CHECK_EQ(outfile__commit(&file), -ENOSPC);
	CHECK_EQ(outfile__reserve(&file, "/no/such/folder/file"), -ENOENT);
	outfile__abort(&file);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(rmdir(folder), 0);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(characters), TEST(xml), TEST(json), TEST(keys), TEST(bounded_items),
		TEST(items_of_a_time), TEST(joined_items),
		TEST(items_that_are_told_twice), TEST(a_trace_of_what_is_told_twice), TEST(files),
		TEST(files_that_grow),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
