/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzz targets share: a story that is told by the bytes of an input, and
 * how they say that something does not hold in it.
 */
#ifndef _FUZZ_TALE_H
#define _FUZZ_TALE_H

#include <linux/types.h>

extern unsigned int tale_step;	/* of the story, for who reads about it */

void tale_begin(const u8 *data, size_t size);
bool tale_over(void);

/* the next of the input; 0 when it is over */
u8 byte(void);
unsigned int pick(unsigned int nr);

/* told if FUZZ_TRACE is in the environment */
__attribute__((format(printf, 1, 2)))
void trace(const char *fmt, ...);

__attribute__((noreturn, format(printf, 4, 5)))
void violated(const char *file, int line, const char *what, const char *fmt, ...);

#define HOLD(cond, ...) do {						\
	if (!(cond))							\
		violated(__FILE__, __LINE__, #cond, __VA_ARGS__);	\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* _FUZZ_TALE_H */
