// SPDX-License-Identifier: GPL-2.0
/*
 * What the fuzz targets share. See tale.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/unit.h"
#include "tale.h"

unsigned int tale_step;

static const u8 *input, *input_end;
static bool tracing;
static const char *origin = ""; /* of the input, if it was made up */

void tale_begin(const u8 *data, size_t size)
{
	input = data;
	input_end = data + size;
	tale_step = 0;
	tracing = getenv("FUZZ_TRACE");
}

bool tale_over(void)
{
	return input == input_end;
}

u8 byte(void)
{
	return input < input_end ? *input++ : 0;
}

unsigned int pick(unsigned int nr)
{
	return byte() % nr;
}

void trace(const char *fmt, ...)
{
	va_list ap;

	if (!tracing)
		return;
	fprintf(stderr, "%u: %llu: ", tale_step, unit_clock);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void violated(const char *file, int line, const char *what, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: step %u%s: %s: ", file, line, tale_step, origin, what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

#ifdef STANDALONE

static u64 random_state;

static u8 random_byte(void)
{
	/* xorshift64*, of Marsaglia and Vigna */
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL >> 56;
}

static void write_input(const char *dir, unsigned long seed, const u8 *data,
			size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%lu", dir, seed);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(2);
	}
}

/*
 * usage: fuzz-... [ROUNDS [SEED [DIR]]]
 *
 * One round with the seed that was named repeats the one that failed. With a
 * folder, the inputs are written there and not run.
 */
int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	static u8 data[1024];
	char name[64];

	origin = name;
	for (; rounds; rounds--, seed++) {
		size_t size = 64 + seed * 97 % (sizeof(data) - 64);

		snprintf(name, sizeof(name), " of seed %lu", seed);
		random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
		for (size_t i = 0; i < size; i++)
			data[i] = random_byte();
		if (argc > 3)
			write_input(argv[3], seed, data, size);
		else
			LLVMFuzzerTestOneInput(data, size);
	}
	printf("1 passed, 0 failed\n");
	return 0;
}

#endif
