/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a fuzz target of the tool gives: inputs that make sense, and what is done with any.
 * libFuzzer calls that; or driver.c, with -DSTANDALONE, which needs no clang.
 */
#ifndef TESTS_FUZZ_DRIVER_H
#define TESTS_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUZZ_INPUT_MAX	4096

/* the input of that number, its size; 0: there are no more */
size_t fuzz_good(unsigned int nr, uint8_t data[FUZZ_INPUT_MAX]);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* of texts that end with a NULL; one input each */
size_t fuzz_good_text(const char *const *texts, unsigned int nr, uint8_t data[FUZZ_INPUT_MAX]);

/* assert(), whatever standard error is at the time */
#define HOLD(condition)									\
do {											\
	if (!(condition)) {								\
		dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);	\
		abort();								\
	}										\
} while (0)

/* an input, taken bit by bit; from its end on there are zeroes */
struct taker {
	const uint8_t *at;
	size_t left;
};

uint64_t take(struct taker *taker, unsigned int bytes);
/* a copy of so many bytes, or of those that are left: of its exact size, with a NUL behind */
char *take_text(struct taker *taker, size_t size, size_t *got);

#endif /* TESTS_FUZZ_DRIVER_H */
