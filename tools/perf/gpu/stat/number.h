/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and words as they are shown. Pure.
 */
#ifndef PERF_GPU_NUMBER_H
#define PERF_GPU_NUMBER_H

#include <stddef.h>
#include <linux/types.h>

#define NUMBER_SIZE	32

/* all of these fill @text, and return it */

/* "1,234,567" */
char *number__thousands(char text[NUMBER_SIZE], __s64 value);
/* "1.234 K", "12.34 M": four digits, with a unit behind it ("/s") */
char *number__short(char text[NUMBER_SIZE], double value, const char *unit);
/* ns as "12.3 us", "4.567 ms", "8.901 s" */
char *number__time(char text[NUMBER_SIZE], double ns);

#endif /* PERF_GPU_NUMBER_H */
