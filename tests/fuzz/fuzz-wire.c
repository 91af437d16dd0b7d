// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a line that perf script may have printed: nothing is read or written
 * beyond the line, and a sample, name or frame that was understood says the same when
 * it is written and read again.
 */
#include <string.h>

#include "driver.h"
#include "samples/wire.h"

static struct wire_line line, again;

static void parse_copy(const char *text, size_t size, struct wire_line *to, char **copy)
{
	/* of its exact size: the sanitizer sees a byte too far */
	*copy = malloc(size + 1);
	HOLD(*copy);
	memcpy(*copy, text, size);
	(*copy)[size] = '\0';
	wire__parse(*copy, to);
}

static void check_same(void)
{
	char text[WIRE_LINE_MAX], *copy;
	size_t size;

	switch (line.kind) {
	case WIRE_SAMPLE:
		HOLD(line.sample.gpu.nr_values <= WIRE_VALUES_MAX);
		size = wire__put_sample(text, &line.sample);
		break;
	case WIRE_NAME:
		size = wire__put_name(text, line.name);
		break;
	case WIRE_FRAME:
		size = wire__put_frame(text, line.caller, line.frame);
		break;
	case WIRE_CHAIN:
		HOLD(strlen(line.name) < WIRE_LINE_MAX * 8);
		return;
	default:
		return;
	}
	HOLD(size && size <= sizeof(text) && text[size - 1] == '\n');
	parse_copy(text, size - 1, &again, &copy);
	HOLD(again.kind == line.kind);
	if (line.kind == WIRE_FRAME)
		HOLD(again.caller == line.caller && again.frame == line.frame);
	if (line.kind == WIRE_SAMPLE) {
		HOLD(!memcmp(&again.sample.gpu, &line.sample.gpu, sizeof(line.sample.gpu)));
		HOLD(!memcmp(again.sample.values, line.sample.values,
			       line.sample.gpu.nr_values * sizeof(line.sample.values[0])));
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy;

	/* a line ends at a NUL, as what is read does */
	size = strnlen((const char *)data, size);
	parse_copy((const char *)data, size, &line, &copy);
	check_same();
	free(copy);
	return 0;
}

size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
	static const char *const good[] = {
		"@S 1 1 0 0 1 1 1 1 1 1 1 1 4 1 2 1 1 1 1 1 1 1 1 1 1 1 5 6 7 8",
		"@N a name", "@F 12 ab", "@P 1f", "@Z 0", "PERF_RECORD_LOST lost 12",
		"\t    7f12 f(int)+0x12 (/usr/lib/x.so)", "\t 7f12 [unknown] (/a/b)", NULL,
	};

	return fuzz_good_text(good, nr, data);
}
