/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions and programs are any bytes; documents are UTF-8, and each kind
 * has characters that may not stand in it. Pure.
 */
#ifndef PERF_GPU_TEXT_H
#define PERF_GPU_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_REPLACEMENT	0xfffdU

/**
 * text__next() - the next character of a text
 * @text:	where it begins, moved behind it; not at the end of the text
 *
 * Return: its code point. A byte that begins no valid UTF-8 is TEXT_REPLACEMENT.
 */
uint32_t text__next(const char **text);

/* what may stand in an element or in an attribute; what XML has no way to say is replaced */
void text__xml(FILE *out, const char *text);
/* a JSON string with its quotes, which may also stand in a <script> of HTML */
void text__json(FILE *out, const char *text);

/*
 * The next character of others' words, for people; moved behind it. What is no UTF-8, or would
 * steer a terminal, is '?': also the controls that UTF-8 has two bytes for.
 */
void text__show_next(FILE *out, const char **text);

/* others' words: what a terminal or a parser would trip over becomes '?' */
void text__printable(char *text);
/* and what is no UTF-8 */
void text__utf8(char *text);

/*
 * Lines of fields, for programs: can a line be split at this separator, whatever is in its
 * fields? And what makes it so, for words: what is in the separator becomes '_'.
 */
bool text__can_separate(const char *separator);
void text__separable(char *text, const char *separator);

#endif /* PERF_GPU_TEXT_H */
