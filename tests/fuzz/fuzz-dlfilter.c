// SPDX-License-Identifier: GPL-2.0
/*
 * Any perf.data, as perf script hands it to the dlfilter: samples of any event, with any
 * payload of any size, and any stack. What is written is lines that their reader
 * understands, in which no number comes before what it is a number of; and of each sample
 * of ours there is a line, or it was counted as not understood; one of another name may be.
 *
 * An input is the samples, one after the other: what it is, sizes, payload, addresses.
 */
#include <linux/perf_event.h>
#include <perf/perf_dlfilter.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "driver.h"
#include "samples/wire.h"

extern struct perf_dlfilter_fns perf_dlfilter_fns;

static struct perf_event_attr attr;
static char symbol[2 * WIRE_NAME_MAX];
static bool wants_al;

/* ---- a perf ---- */

static const char *const names[] = {
	"gpu/jobs/u", "gpu/wait-time/", "gpu/reports/", "gpu/", "cycles", "gpu", "",
	"gpu/a\nb/", "gpu/\xff\x01\x1f@N/",
};

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	static struct perf_dlfilter_al al = { .size = sizeof(al), .comm = "a\n@S b" };

	(void)ctx;
	return wants_al ? &al : NULL;
}

/* names of any length, of any file, or none */
static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	static const char *const files[] = { NULL, "", "/", "/lib/x.so", "[vdso]", "/a\n/b", "x" };
	size_t size = address % sizeof(symbol);

	(void)ctx;
	/* no more than what is set here, and the addresses before it */
	HOLD(al->size == offsetof(struct perf_dlfilter_al, filtered));
	al->dso = files[address / 7 % 7];
	if (address & 1)
		return -1;
	memset(symbol, 'a' + address % 26, size);
	symbol[size] = '\0';
	if (size > 3)
		symbol[size / 2] = address >> 8;
	al->sym = address & 2 ? symbol : NULL;
	return 0;
}

static struct perf_event_attr *get_attr(void *ctx)
{
	(void)ctx;
	return wants_al ? &attr : NULL;
}

/* ---- what it writes ---- */

struct reader {
	uint32_t names;
	uint32_t frames;
	unsigned int samples;
	uint64_t not_understood;
	bool ended;
};

static void line_check(struct reader *reader, char *text)
{
	static struct wire_line line;

	HOLD(!reader->ended);
	wire__parse(text, &line);
	switch (line.kind) {
	case WIRE_NAME:
		reader->names++;
		return;
	case WIRE_FRAME:
		HOLD(line.caller <= reader->frames && line.frame &&
		       line.frame <= reader->names);
		reader->frames++;
		return;
	case WIRE_SAMPLE:
		HOLD(line.sample.event && line.sample.event <= reader->names);
		HOLD(line.sample.comm && line.sample.comm <= reader->names);
		HOLD(line.sample.stack <= reader->frames);
		reader->samples++;
		return;
	case WIRE_END:
		reader->not_understood = line.number;
		reader->ended = true;
		return;
	default:
		HOLD(line.kind == WIRE_PROGRESS);
	}
}

/* ---- the input ---- */

static bool is_ours(const char *event)
{
	return event && !strncmp(event, "gpu/", 4);
}

/* @renamed: those that may be ours, by their payload */
static void sample_filter(struct taker *taker, void *data, unsigned int *ours,
			  unsigned int *renamed)
{
	unsigned int what = take(taker, 1), nr = take(taker, 1) % 16;
	size_t size = take(taker, 2) % 2400, raw_size;
	char *raw = take_text(taker, size, &raw_size);
	void *exact = raw_size ? malloc(raw_size) : NULL;
	uint64_t *chain = nr ? malloc(nr * sizeof(*chain)) : NULL;
	struct perf_dlfilter_sample sample = {
		.size = sizeof(sample),
		.event = what % 16 < 9 ? names[what % 16] : what % 16 == 9 ? NULL : names[0],
		.raw_data = exact,
		.raw_size = raw_size,
		.raw_callchain = (const __u64 *)chain,
		.raw_callchain_nr = nr,
	};

	HOLD((exact || !raw_size) && (chain || !nr));
	memcpy(exact ?: raw, raw, raw_size);
	for (unsigned int i = 0; i < nr; i++)
		chain[i] = take(taker, 1) % 8 ? take(taker, 3) :
			   (uint64_t)(take(taker, 1) & 1 ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
	wants_al = what & 16;
	attr.sample_type = what & 32 ? PERF_SAMPLE_STACK_USER : 0;
	attr.type = what & 64 ? PERF_TYPE_MAX : PERF_TYPE_TRACEPOINT;
	if (what & 64)
		attr.sample_type |= PERF_SAMPLE_RAW;
	*ours += is_ours(sample.event);
	*renamed += wants_al && what & 64 && sample.event && !is_ours(sample.event);
	if (!filter_event_early(data, &sample, NULL))
		filter_event(data, &sample, NULL);
	free(chain);
	free(exact);
	free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size)
{
	struct taker taker = { input, input_size };
	FILE *terminal = stdout;
	char *text, *rest, *line;
	struct reader reader = {};
	unsigned int ours = 0, renamed = 0;
	size_t size;
	void *data;

	perf_dlfilter_fns.resolve_ip = resolve_ip;
	perf_dlfilter_fns.resolve_address = resolve_address;
	perf_dlfilter_fns.attr = get_attr;
	stdout = open_memstream(&text, &size);
	HOLD(stdout && !start(&data, NULL));
	while (taker.left)
		sample_filter(&taker, data, &ours, &renamed);
	stop(data, NULL);
	HOLD(!fclose(stdout));
	stdout = terminal;
	/* no NUL in between: it is all lines */
	HOLD(strlen(text) == size);
	rest = text;
	while ((line = strsep(&rest, "\n")) && rest)
		line_check(&reader, line);
	HOLD(reader.ended && !*line);
	HOLD(reader.samples + reader.not_understood >= ours);
	HOLD(reader.samples + reader.not_understood <= ours + renamed);
	free(text);
	return 0;
}

/* ---- those that make sense ---- */

size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
	const struct gpu_pmu_sample gpu = {
		.version = GPU_PMU_SAMPLE_VERSION,
		.kind = 1 + nr % 4,
		.nr_values = nr % 4 == 3 ? nr % 5 : 0,
		.dev = 128, .pid = 7, .fence_context = 1, .fence_seqno = nr,
		.submit = nr % 2 ? 0 : 90, .begin = nr % 4 ? 100 : 0, .end = nr % 4 ? 110 : 0,
	};
	struct gpu_pmu_sample_value values[4] = { { .event = 0x8000, .delta = 12 } };
	/* of any name, as perf has it */
	bool renamed = nr >= 24;
	size_t payload = sizeof(gpu) + gpu.nr_values * sizeof(values[0]);
	size_t raw = payload + (renamed ? sizeof(uint32_t) : 0), at = 4;

	if (nr >= 32)
		return 0;
	data[0] = renamed ? 4 + 16 + 64 : nr % 3 + (nr & 16) + (nr & 8 ? 32 : 0);
	data[1] = 4;
	data[2] = raw >> 8;
	data[3] = raw;
	memcpy(data + at, &gpu, sizeof(gpu));
	memcpy(data + at + sizeof(gpu), values, payload - sizeof(gpu));
	memset(data + at + payload, 0, raw - payload);
	at += raw;
	memcpy(data + at, "\1\0\1\2\1\0\1\2\0\1\0\1\0\7", 14);
	return at + 14;
}
