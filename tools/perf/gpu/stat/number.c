// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat/number.h"
#include "perf-gpu.h"

char *number__thousands(char text[NUMBER_SIZE], __s64 value)
{
	__u64 rest = value < 0 ? -(__u64)value : (__u64)value;
	char *at = text + NUMBER_SIZE - 1;
	unsigned int digits = 0;

	*at = 0;
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + rest % 10;
		rest /= 10;
		digits++;
	} while (rest);
	if (value < 0)
		*--at = '-';
	memmove(text, at, strlen(at) + 1);
	return text;
}

/* four digits that matter */
static void four_digits(char text[NUMBER_SIZE], double value, const char *prefix,
			const char *unit)
{
	int places = fabs(value) < 9.9995 ? 3 : fabs(value) < 99.995 ? 2 :
		     fabs(value) < 999.95 ? 1 : 0;

	snprintf(text, NUMBER_SIZE, "%.*f%s%s%s", places, value,
		 *prefix || *unit ? " " : "", prefix, unit);
}

char *number__short(char text[NUMBER_SIZE], double value, const char *unit)
{
	static const char * const prefixes[] = { "", "K", "M", "G", "T", "P" };
	unsigned int i = 0;

	while (fabs(value) >= 999.95 && i + 1 < ARRAY_SIZE(prefixes)) {
		value /= 1000;
		i++;
	}
	four_digits(text, value, prefixes[i], unit);
	return text;
}

char *number__time(char text[NUMBER_SIZE], double ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	unsigned int i = 0;

	while (fabs(ns) >= 999.95 && i + 1 < ARRAY_SIZE(units)) {
		ns /= 1000;
		i++;
	}
	four_digits(text, ns, "", units[i]);
	return text;
}
