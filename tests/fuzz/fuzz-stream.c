// SPDX-License-Identifier: GPL-2.0
/*
 * Any lines of perf script, as perf gpu report and perf gpu timeline read them: the sums
 * over stacks are those over samples, whatever the samples say; what is written for programs
 * is JSON, and a page has no more scripts in it than it should.
 *
 * An input is what perf script writes; a line "~" stands for a while in which nothing comes.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "driver.h"
#include "report/report.h"
#include "samples/script.h"
#include "samples/stream.h"
#include "timeline/items.h"
#include "timeline/page.h"
#include "timeline/trace.h"

const struct report_weight report_weights[JOIN_WEIGHTS] = {
	[JOIN_GPU] = { "GPU time", "gpu_busy_ns", "ns" },
	[JOIN_WAIT] = { "time waited", "wait_time_ns", "ns" },
	[JOIN_JOBS] = { "jobs", "jobs", "" },
};

/* ---- a perf script ---- */

struct script {
	struct taker rest;
	char *line;
};

static struct script the_script;

const char *script__perf(void)
{
	return "perf";
}

int script__open(struct script **script, const struct script_options *options)
{
	(void)options;
	*script = &the_script;
	return 0;
}

int script__line(struct script *script, char **line)
{
	const uint8_t *end;
	size_t size;

	free(script->line);
	script->line = NULL;
	if (!script->rest.left)
		return 0;
	end = memchr(script->rest.at, '\n', script->rest.left);
	size = end ? (size_t)(end - script->rest.at) : script->rest.left;
	script->line = take_text(&script->rest, size, &size);
	if (end)
		take(&script->rest, 1);
	*line = script->line;
	return strcmp(script->line, "~") ? 1 : -EAGAIN;
}

int script__close(struct script *script, bool kill, char *said, size_t size)
{
	free(script->line);
	script->line = NULL;
	snprintf(said, size, "nothing");
	return kill ? -1 : 0;
}

/* ---- who reads ---- */

struct readers {
	struct join *join;
	struct items items;
	struct trace trace;
	uint64_t samples;
};

static int on_sample(void *arg, const struct stream_sample *sample)
{
	struct readers *readers = arg;

	HOLD(sample->event && sample->comm && sample->gpu);
	readers->samples++;
	HOLD(!join__sample(readers->join, sample));
	HOLD(!items__add(&readers->items, sample));
	HOLD(!trace__add(&readers->trace, sample));
	return 0;
}

static void on_lost(void *arg, uint64_t nr)
{
	struct readers *readers = arg;

	join__lost(readers->join, nr);
	readers->items.lost += nr;
	readers->trace.items.lost += nr;
}

/* ---- what must hold ---- */

static void check_sums(struct join *join, const struct stacks *stacks)
{
	const struct join_sums *sums = join__sums(join);
	const uint64_t whole[JOIN_WEIGHTS] = {
		[JOIN_GPU] = sums->busy, [JOIN_WAIT] = sums->wait_time, [JOIN_JOBS] = sums->jobs,
	};

	HOLD(sums->joined + sums->earlier + sums->unknown == sums->done);
	HOLD(sums->joined_busy + sums->earlier_busy + sums->unknown_busy == sums->busy);
	for (int weight = 0; weight < JOIN_WEIGHTS; weight++) {
		const uint64_t *selves;
		uint64_t sum = 0;

		HOLD(!join__selves(join, weight, &selves));
		for (uint32_t i = 0; i <= stacks__nr(stacks); i++)
			sum += selves[i];
		HOLD(sum == whole[weight]);
	}
}

static void check_json(const char *text)
{
	struct json_object *document = json_tokener_parse(text);

	HOLD(document);
	json_object_put(document);
}

static void output(const struct report *report, bool json,
		   int (*write)(FILE *out, const struct report *report))
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	HOLD(file && !write(file, report) && !fclose(file));
	HOLD(strlen(text) == size);
	if (json)
		check_json(text);
	free(text);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int nr = 0;

	for (; (text = strcasestr(text, what)); text++)
		nr++;
	return nr;
}

static void check_page(const struct readers *readers, const struct stacks *stacks)
{
	static const char open[] = "<script type=\"application/json\" id=\"data\">";
	static unsigned int usual;	/* scripts, in the page's own text */
	unsigned int nr;
	char *text, *begin, *end;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	HOLD(file && !page__write(file, &readers->items, stacks, "a </script> title", false));
	HOLD(!fclose(file));
	nr = count(text, "</script");
	if (!usual)
		usual = nr;
	HOLD(nr == usual);
	begin = strstr(text, open);
	HOLD(begin);
	begin += sizeof(open) - 1;
	end = strstr(begin, "</script>");
	HOLD(end);
	*end = '\0';
	check_json(begin);
	free(text);
}

static void read_all(const struct stream_options *options, bool page)
{
	static const struct stream_ops ops = { .sample = on_sample, .lost = on_lost };
	struct readers readers = { .items = ITEMS_INIT };
	struct stacks *stacks = stacks__new();
	struct report report = { .input = "a\"b", .complete = true, .stacks = stacks };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	readers.join = report.join = join__new(stacks, 4);
	readers.items.max = 64;
	HOLD(stacks && readers.join && file);
	trace__init(&readers.trace, file, stacks);
	if (!stream__read(options, stacks, &ops, &readers)) {
		join__end(readers.join);
		check_sums(readers.join, stacks);
		output(&report, true, report__json);
		output(&report, false, report__folded);
		output(&report, false, report__stdio);
		output(&report, false, report__flamegraph);
		HOLD(items__nr(&readers.items) <= readers.items.max);
		if (page)
			check_page(&readers, stacks);
	}
	HOLD(!trace__finish(&readers.trace) && !fclose(file));
	check_json(text);
	free(text);
	trace__exit(&readers.trace);
	items__exit(&readers.items);
	join__delete(readers.join);
	stacks__delete(stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct stream_options options = { .input = "/dev/null", .command = "fuzz-stream" };
	/* what it says is not for us */
	FILE *terminal = stderr, *null = fopen("/dev/null", "w");

	the_script.rest = (struct taker){ data, size };
	HOLD(null);
	stderr = null;
	/* a page is long: seldom */
	read_all(&options, size % 16 == 0);
	stderr = terminal;
	fclose(null);
	return 0;
}

size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
#define JOB	"@S 1 2 0 0 2 3e8 1 5 5 0 0 1 1 0 0 80 5 9 1 7 1 64 0 0 0 0\n"
#define STACK	"@N gpu/jobs/u\n@N client\n@F 0 2\n@F 1 1\n"
#define DONE	"@S 1 2 0 0 0 7d0 1 5 5 0 0 1 3 0 0 80 5 9 1 7 1 64 6e c8 5a 0\n"
#define WAITED	"@S 1 2 1 0 0 bb8 1 5 5 0 0 1 2 0 0 80 5 9 1 7 1 64 6e c8 5a 0\n" \
		"\t    7f12 f(int)+0x12 (/usr/lib/x.so)\n\t 7f12 [unknown] (/a/b)\n"
	static const char *const good[] = {
		STACK JOB DONE "@Z 0\n", STACK JOB WAITED DONE "@Z 2", STACK DONE "@P 1f\n@Z 0\n",
		STACK JOB JOB "~\n" DONE "PERF_RECORD_LOST lost 12\n" WAITED "@Z 0\n",
		"@N </script><!--\n" STACK JOB "@S 1 1 0 0 1 1 1 1 1 1 1 1 4 1 2 1 1 1 1 1 1 1 1 1 1 1 5 6 7 8\n@Z 0\n",
		NULL,
	};

	return fuzz_good_text(good, nr, data);
}
