// SPDX-License-Identifier: GPL-2.0
/* See driver.h. */
#include <signal.h>
#include <string.h>

#include "driver.h"

size_t fuzz_good_text(const char *const *texts, unsigned int nr, uint8_t data[FUZZ_INPUT_MAX])
{
	size_t size;

	while (nr && *texts) {
		texts++;
		nr--;
	}
	if (!*texts)
		return 0;
	size = strlen(*texts);
	HOLD(size && size <= FUZZ_INPUT_MAX);
	memcpy(data, *texts, size);
	return size;
}

uint64_t take(struct taker *taker, unsigned int bytes)
{
	uint64_t number = 0;

	while (bytes--) {
		number = number << 8 | (taker->left ? *taker->at : 0);
		if (taker->left) {
			taker->at++;
			taker->left--;
		}
	}
	return number;
}

char *take_text(struct taker *taker, size_t size, size_t *got)
{
	char *text;

	if (size > taker->left)
		size = taker->left;
	text = malloc(size + 1);
	HOLD(text);
	memcpy(text, taker->at, size);
	text[size] = '\0';
	taker->at += size;
	taker->left -= size;
	*got = size;
	return text;
}

#ifdef STANDALONE

static uint64_t state;

static uint64_t below(uint64_t n)
{
	uint64_t x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % n;
}

static size_t good_any(uint8_t data[FUZZ_INPUT_MAX])
{
	unsigned int nr = 0;

	while (fuzz_good(nr, data))
		nr++;
	HOLD(nr);
	return fuzz_good(below(nr), data);
}

static uint8_t byte_any(void)
{
	static const char likely[] = "0123456789abcdef@SNFPZ \t\n.,:;=/+-()[]x\\\"<>&'?%";

	return below(2) ? (uint8_t)likely[below(sizeof(likely))] : below(256);
}

static size_t piece_remove(uint8_t *data, size_t size)
{
	size_t at = below(size), length = 1 + below(size - at);

	memmove(data + at, data + at + length, size - at - length);
	return size - length;
}

static size_t piece_insert(uint8_t *data, size_t size, const uint8_t *from, size_t from_size)
{
	size_t at = below(size + 1), begin = below(from_size);
	size_t length = 1 + below(from_size - begin);

	if (size + length > FUZZ_INPUT_MAX)
		return size;
	memmove(data + at + length, data + at, size - at);
	memcpy(data + at, from + begin, length);
	return size + length;
}

/* less, more, or other bytes; of itself, or of another input */
static size_t change(uint8_t data[FUZZ_INPUT_MAX], size_t size)
{
	uint8_t other[FUZZ_INPUT_MAX];
	size_t other_size;

	if (!size)
		return 0;
	switch (below(5)) {
	case 0:
		return piece_remove(data, size);
	case 1:
		memcpy(other, data, size);
		return piece_insert(data, size, other, size);
	case 2:
		other_size = good_any(other);
		return piece_insert(data, size, other, other_size);
	default:
		data[below(size)] = byte_any();
		return size;
	}
}

static void input_write(const char *folder, unsigned long seed, const uint8_t *data, size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%lu", folder, seed);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(2);
	}
}

static unsigned long seed;

static void on_abort(int nr)
{
	(void)nr;
	dprintf(STDERR_FILENO, "seed %lu\n", seed);
}

/* the sanitizer calls it before it says what is wrong */
void __asan_on_error(void);
void __asan_on_error(void)
{
	on_abort(0);
}

/*
 * usage: fuzz-... [ROUNDS [SEED [FOLDER]]]
 *
 * One round with the seed of one that failed repeats it. With a folder, the inputs are
 * written there, and nothing is done with them.
 */
int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	static uint8_t data[FUZZ_INPUT_MAX];

	signal(SIGABRT, on_abort);
	seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	for (; rounds; rounds--, seed++) {
		size_t size;

		state = seed;
		size = good_any(data);
		for (unsigned int nr = below(2) ? below(5) : below(40); nr; nr--)
			size = change(data, size);
		if (argc > 3)
			input_write(argv[3], seed, data, size);
		else
			LLVMFuzzerTestOneInput(data, size);
	}
	puts("1 passed, 0 failed");
	return 0;
}

#endif /* STANDALONE */
