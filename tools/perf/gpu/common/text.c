// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "common/text.h"

/* how many bytes a character has that begins so, which bits of that byte are its own,
 * and what it must at least be: what fits into fewer bytes is invalid
 */
static const struct lead {
	uint8_t mask;
	uint8_t is;
	uint8_t len;
	uint32_t least;
} leads[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

uint32_t text__next(const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	uint32_t c = 0;

	(*text)++;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		const struct lead *lead = &leads[i];

		if ((s[0] & lead->mask) != lead->is)
			continue;
		c = s[0] & ~lead->mask;
		for (unsigned int k = 1; k < lead->len; k++) {
			/* the NUL at the end is no continuation either */
			if ((s[k] & 0xc0) != 0x80)
				return TEXT_REPLACEMENT;
			c = c << 6 | (s[k] & 0x3f);
		}
		if (c < lead->least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return TEXT_REPLACEMENT;
		*text += lead->len - 1;
		return c;
	}
	return TEXT_REPLACEMENT;
}

static void put_utf8(FILE *out, uint32_t c)
{
	if (c < 0x80) {
		fputc(c, out);
	} else if (c < 0x800) {
		fputc(0xc0 | c >> 6, out);
		fputc(0x80 | (c & 0x3f), out);
	} else if (c < 0x10000) {
		fputc(0xe0 | c >> 12, out);
		fputc(0x80 | (c >> 6 & 0x3f), out);
		fputc(0x80 | (c & 0x3f), out);
	} else {
		fputc(0xf0 | c >> 18, out);
		fputc(0x80 | (c >> 12 & 0x3f), out);
		fputc(0x80 | (c >> 6 & 0x3f), out);
		fputc(0x80 | (c & 0x3f), out);
	}
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* controls are left out of names, too: they would move lines */
static bool xml_has(uint32_t c)
{
	return !is_control(c) && c != 0xfffe && c != 0xffff;
}

/* the replacement itself has three bytes: one is a byte that begins nothing */
static bool is_broken(uint32_t c, const char *text, const char *next)
{
	return c == TEXT_REPLACEMENT && next == text + 1;
}

void text__show_next(FILE *out, const char **text)
{
	const char *begin = *text;
	uint32_t c = text__next(text);

	put_utf8(out, is_control(c) || is_broken(c, begin, *text) ? '?' : c);
}

void text__xml(FILE *out, const char *text)
{
	while (*text) {
		uint32_t c = text__next(&text);

		switch (c) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			put_utf8(out, xml_has(c) ? c : TEXT_REPLACEMENT);
		}
	}
}

void text__json(FILE *out, const char *text)
{
	fputc('"', out);
	while (*text) {
		uint32_t c = text__next(&text);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == '<' || c == '>' || c == '&')
			fprintf(out, "\\u%04x", c);
		else
			put_utf8(out, c);
	}
	fputc('"', out);
}

void text__printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			*text = '?';
}

void text__utf8(char *text)
{
	const char *next;
	uint32_t c;

	while (*text) {
		next = text;
		c = text__next(&next);
		if (is_broken(c, text, next))
			*text = '?';
		text += next - text;
	}
}

/* what may be in a number, or stand for a separator in a name, or ends a line, may not */
bool text__can_separate(const char *separator)
{
	for (const char *at = separator; *at; at++)
		if (isalnum((unsigned char)*at) || strchr(".-_", *at) ||
		    (iscntrl((unsigned char)*at) && *at != '\t'))
			return false;
	return *separator;
}

void text__separable(char *text, const char *separator)
{
	while ((text = strpbrk(text, separator)))
		*text = '_';
}
