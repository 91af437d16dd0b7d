// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/args.h"
#include "common/text.h"

bool args__number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	unsigned long long value;
	char *end;

	/* strtoull() would take blanks and signs, too */
	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end || errno || value < min || value > max)
		return false;
	*number = value;
	return true;
}

int args__pid(const char *text)
{
	uint64_t pid = 0;

	args__number(text, 1, INT_MAX, &pid);
	return pid;
}

const char *args__check_form(const char *separator, bool json)
{
	if (separator && json)
		return "-x and -j exclude each other";
	if (separator && !text__can_separate(separator))
		return "-x takes a separator without letters, digits, '.', '-' and '_'";
	return NULL;
}

int args__wrong(const char *command, const char *what, const char *usage)
{
	if (what)
		fprintf(stderr, "perf gpu %s: %s\n\n", command, what);
	fputs(usage, stderr);
	return 2;
}
