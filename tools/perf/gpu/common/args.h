/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What subcommands are given, by the same rules everywhere. Pure, but for args__wrong().
 */
#ifndef PERF_GPU_ARGS_H
#define PERF_GPU_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/* decimal digits, and nothing else, of a number from @min to @max; else it is left as it is */
bool args__number(const char *text, uint64_t min, uint64_t max, uint64_t *number);
/* likewise, of a process; 0: it is none */
int args__pid(const char *text);

/**
 * args__check_form() - in which form: for people, as lines of fields, as JSON
 * @separator:	of -x, or NULL
 * @json:	-j was given
 *
 * Return: NULL, or what is wrong with these, in a sentence without an end.
 */
const char *args__check_form(const char *separator, bool json);

/* says what is wrong, or NULL if getopt() has, and how @command is used. The exit status: 2 */
int args__wrong(const char *command, const char *what, const char *usage);

#endif /* PERF_GPU_ARGS_H */
