// SPDX-License-Identifier: GPL-2.0
/* Lines of fields: 14 of them, whatever names and separators there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "fake-query.h"
#include "stat/output.h"
#include "test.h"

#define FIELDS	14

static const struct gpu_pmu_engine_info engine[] = { { "ren,der;0 :|\t/" }, { ":na\xffsty" } };
static const struct fake_device device = {
	.info = { .dev = 128, .nr_engines = 2 }, .engine = engine,
};
static struct event event[] = {
	{ .name = "gpu-busy", .unit = "ns", .config = { GPU_PMU_EVENT_GPU_BUSY } },
	{ .name = "queue-wait,engine=1", .unit = "ns", .config = { GPU_PMU_EVENT_QUEUE_WAIT } },
	{ .name = "jobs", .config = { GPU_PMU_EVENT_JOBS } },
};
static const struct events events = { .nr = 3, .event = event };
static struct view_count counts[][3] = {
	{ { 500000000, true }, { 3000, true }, { 2, true } },
	{ { 0, false }, { 0, false }, { 0, false } },
	{ { -7, true }, { INT64_MAX, true }, { INT64_MIN, true } },
};
static struct view_line line[] = {
	{ .kind = VIEW_CONTEXT, .dev = 128, .client = UINT64_MAX, .pid = UINT32_MAX,
	  .comm = "a,b;c d:|\t/\n\xff", .ctx = UINT64_MAX, .engine = 0, .count = counts[0] },
	{ .kind = VIEW_CLIENT, .dev = 128, .comm = ",;: |\t:", .engine = 1, .ended = true,
	  .count = counts[1] },
	{ .kind = VIEW_OTHERS, .engine = GPU_PMU_SAMPLE_NO_ENGINE, .count = counts[2] },
	{ .kind = VIEW_TOTAL, .engine = 0xfffe, .dev = 128, .count = counts[0] },
};
static struct names names;

/* as they are written */
static char *print(const char *separator)
{
	const struct view view = { .nr_events = 3, .nr = 4, .line = line };
	const struct output_part part = { .from = 0, .to = 1, .view = &view };
	struct output output = { .separator = separator, .events = &events, .names = &names };
	char *text;
	size_t size;

	fake_devices(&device, 1, 0);
	CHECK_EQ(0, names__get(&names));
	output.file = open_memstream(&text, &size);
	output_fields.begin(&output);
	output_fields.interval(&output, &part);
	output.intervals = 1;
	output_fields.end(&output, &(struct output_end){ .whole = part });
	fclose(output.file);
	names__put(&names);
	return text;
}

static void a_line_says_all(void)
{
	char *text = print(",");

	CHECK(strstr(text, "1.000000000,context,128,ffffffffffffffff,4294967295,"
		     "a_b;c d:|?/??,18446744073709551615,ren_der;0 :|?/,live,gpu-busy,"
		     "500000000,ns,50.000,%\n") == text);
	CHECK(strstr(text, "\n1.000000000,context,128,ffffffffffffffff,4294967295,"
		     "a_b;c d:|?/??,18446744073709551615,ren_der;0 :|?/,live,"
		     "queue-wait_engine=1,3000,ns,1500.000,ns/job\n"));
	CHECK(strstr(text, "\n1.000000000,client,128,,,_;: |?:,,:na?sty,ended,jobs,"
		     "<not counted>,,,\n"));
	CHECK(strstr(text, "\n1.000000000,others,,,,,,,,gpu-busy,-7,ns,-0.000,%\n"));
	CHECK(strstr(text, "\n1.000000000,total,128,,,,,65534,,jobs,2,,2.000,/s\n"));
	free(text);
}

/* now, or when the next part is written, or the file is closed: it is told, and stays so */
static void what_cannot_be_written_is_told(void)
{
	const struct view view = { .nr_events = 3, .nr = 4, .line = line };
	const struct output_part part = { .from = 0, .to = 1, .view = &view };
	static const int modes[] = { _IOFBF, _IOLBF, _IONBF };

	for (int i = 0; i < 3; i++) {
		struct output output = {
			.ops = &output_fields, .separator = ",", .events = &events,
			.names = &names, .file = fopen("/dev/full", "w"),
		};

		setvbuf(output.file, NULL, modes[i], i == 2 ? 0 : 64);
		output__begin(&output);
		CHECK_EQ(0, output.err);
		output__interval(&output, &part);
		CHECK_EQ(1, output.intervals);
		CHECK(output.err == -ENOSPC || output.err == -EIO);
		output__end(&output, &(struct output_end){ .whole = part });
		CHECK(output.err == -ENOSPC || output.err == -EIO);
		fclose(output.file);
	}
}

static void what_is_written_is_there(void)
{
	struct output output = { .ops = &output_fields, .file = fopen("/dev/null", "w") };

	output__begin(&output);
	fputc('x', output.file);
	CHECK_EQ(0, output__flush(&output));
	fclose(output.file);
}

static unsigned int count(const char *text, const char *end, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strstr(text, what)) && text < end; text += strlen(what))
		nr++;
	return nr;
}

static void as_many_fields_by_any_separator(void)
{
	static const char *const separators[] = {
		",", ";", ":", "|", " ", "\t", "/", "::", ", ", " | ", ":;", "<>", "<", ">", "%", "=",
	};

	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++) {
		char *text = print(separators[i]), *end;
		unsigned int lines = 0;

		CHECK(text__can_separate(separators[i]));
		for (char *at = text; *at; at = end + 1, lines++) {
			end = strchr(at, '\n');
			if (count(at, end, separators[i]) == FIELDS - 1)
				continue;
			printf("# '%s': %.*s\n", separators[i], (int)(end - at), at);
			CHECK(!"14 fields");
		}
		CHECK_EQ(12, lines);
		free(text);
	}
}

/* what is in a number, or would be where the separator in a name was */
static void what_cannot_separate(void)
{
	static const char *const wrong[] = {
		"", "0", "9", ".", "-", "e", "F", "x", "_", "a_", ",_", "-,", "\n", ",\n",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!text__can_separate(wrong[i]));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_line_says_all),
		TEST(as_many_fields_by_any_separator),
		TEST(what_cannot_separate),
		TEST(what_cannot_be_written_is_told),
		TEST(what_is_written_is_there),
	};

	return TESTS_RUN(tests);
}
