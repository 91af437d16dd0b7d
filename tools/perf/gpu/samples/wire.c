// SPDX-License-Identifier: GPL-2.0
/* See wire.h. */
#include <stdio.h>
#include <string.h>

#include "samples/wire.h"

/* ---- numbers ---- */

static char *put_hex(char *at, uint64_t number)
{
	unsigned int shift = 60;

	while (shift && !(number >> shift))
		shift -= 4;
	*at++ = ' ';
	for (;; shift -= 4) {
		*at++ = "0123456789abcdef"[number >> shift & 15];
		if (!shift)
			return at;
	}
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* a blank and a number of no more than @max; NULL: it is not there */
static const char *get_hex(const char *at, uint64_t max, uint64_t *number)
{
	unsigned int digits = 0;
	int digit;

	if (!at || *at++ != ' ')
		return NULL;
	*number = 0;
	while ((digit = digit_of(*at)) >= 0) {
		if (++digits > 16)
			return NULL;
		*number = *number << 4 | digit;
		at++;
	}
	return digits && *number <= max ? at : NULL;
}

/* ---- a sample's numbers: one table for both sides ---- */

struct field {
	unsigned short offset;
	unsigned short size;
};

#define FIELD(name)	{ offsetof(struct wire_sample, name), \
			  sizeof(((struct wire_sample *)NULL)->name) }

static const struct field fields[] = {
	FIELD(event), FIELD(comm), FIELD(chain), FIELD(cut), FIELD(stack), FIELD(time),
	FIELD(period), FIELD(pid), FIELD(tid), FIELD(cpu),
	FIELD(gpu.perf), FIELD(gpu.version), FIELD(gpu.kind), FIELD(gpu.engine),
	FIELD(gpu.nr_values), FIELD(gpu.dev), FIELD(gpu.pid), FIELD(gpu.client),
	FIELD(gpu.ctx), FIELD(gpu.fence_context), FIELD(gpu.fence_seqno), FIELD(gpu.submit),
	FIELD(gpu.begin), FIELD(gpu.end), FIELD(gpu.busy), FIELD(gpu.flags),
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))

/* "@S", a number of 16 digits and a blank for each, and the end */
_Static_assert(3 + 17 * (NR_FIELDS + 2 * WIRE_VALUES_MAX) <= WIRE_LINE_MAX,
	       "a sample is too long for a line");
_Static_assert(sizeof(bool) == 1, "the table takes a bool for a byte");

static uint64_t field_read(const struct wire_sample *sample, const struct field *field)
{
	const char *at = (const char *)sample + field->offset;
	uint64_t number = 0;

	/* the low bytes come first on every machine that the PMU runs on */
	memcpy(&number, at, field->size);
	return number;
}

static void field_write(struct wire_sample *sample, const struct field *field, uint64_t number)
{
	memcpy((char *)sample + field->offset, &number, field->size);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are copied low bytes first");

static uint64_t field_max(const struct field *field)
{
	if (field->offset == offsetof(struct wire_sample, chain) ||
	    field->offset == offsetof(struct wire_sample, cut))
		return 1;
	return field->size == 8 ? UINT64_MAX : (1ULL << 8 * field->size) - 1;
}

/* ---- writing ---- */

static size_t put_end(char *line, char *at)
{
	*at++ = '\n';
	return at - line;
}

size_t wire__put_name(char *line, const char *name)
{
	char *at = line;

	memcpy(at, "@N ", 3);
	at += 3;
	for (unsigned int i = 0; name[i] && i < WIRE_NAME_MAX; i++)
		*at++ = (unsigned char)name[i] < ' ' ? '?' : name[i];
	return put_end(line, at);
}

size_t wire__put_frame(char *line, uint32_t caller, uint32_t name)
{
	memcpy(line, "@F", 2);
	return put_end(line, put_hex(put_hex(line + 2, caller), name));
}

size_t wire__put_sample(char *line, const struct wire_sample *sample)
{
	char *at = line + 2;
	unsigned int i;

	memcpy(line, "@S", 2);
	for (i = 0; i < NR_FIELDS; i++)
		at = put_hex(at, field_read(sample, &fields[i]));
	for (i = 0; i < sample->gpu.nr_values; i++)
		at = put_hex(put_hex(at, sample->values[i].event), sample->values[i].delta);
	return put_end(line, at);
}

static size_t put_number(char *line, char letter, uint64_t number)
{
	line[0] = '@';
	line[1] = letter;
	return put_end(line, put_hex(line + 2, number));
}

size_t wire__put_progress(char *line, unsigned int permille)
{
	return put_number(line, 'P', permille);
}

size_t wire__put_end(char *line, uint64_t not_understood)
{
	return put_number(line, 'Z', not_understood);
}

/* ---- reading ---- */

static bool is_end(const char *at)
{
	return at && !*at;
}

static bool get_sample(const char *at, struct wire_sample *sample)
{
	uint64_t number = 0;
	unsigned int i;

	for (i = 0; i < NR_FIELDS; i++) {
		at = get_hex(at, field_max(&fields[i]), &number);
		if (!at)
			return false;
		field_write(sample, &fields[i], number);
	}
	if (sample->gpu.nr_values > WIRE_VALUES_MAX)
		return false;
	for (i = 0; i < sample->gpu.nr_values; i++) {
		struct gpu_pmu_sample_value *value = &sample->values[i];
		uint64_t event, delta;

		at = get_hex(get_hex(at, UINT64_MAX, &event), UINT64_MAX, &delta);
		if (!at)
			return false;
		value->event = event;
		value->delta = delta;
	}
	return is_end(at);
}

static enum wire_kind parse_ours(char *text, struct wire_line *line)
{
	uint64_t caller, name;
	const char *at = text + 2;

	switch (text[1]) {
	case 'N':
		if (*at != ' ')
			return WIRE_BROKEN;
		line->name = at + 1;
		return WIRE_NAME;
	case 'F':
		if (!is_end(get_hex(get_hex(at, UINT32_MAX, &caller), UINT32_MAX, &name)))
			return WIRE_BROKEN;
		line->caller = caller;
		line->frame = name;
		return WIRE_FRAME;
	case 'S':
		return get_sample(at, &line->sample) ? WIRE_SAMPLE : WIRE_BROKEN;
	case 'P':
		return is_end(get_hex(at, 1000, &line->number)) ? WIRE_PROGRESS : WIRE_BROKEN;
	case 'Z':
		return is_end(get_hex(at, UINT64_MAX, &line->number)) ? WIRE_END : WIRE_BROKEN;
	default:
		return WIRE_BROKEN;
	}
}

void wire__unnamed(char *name, const char *file)
{
	const char *base = file ? strrchr(file, '/') : NULL;

	if (base && base[1])
		file = base + 1;
	if (!file || !*file)
		file = "unknown";
	snprintf(name, WIRE_NAME_MAX + 1, *file == '[' ? "%s" : "[%s]", file);
}

/* " (FILE)" at the end: the address is in FILE, of which no symbol is known */
static const char *chain_unnamed(char *name)
{
	static const char unknown[] = "[unknown] (";
	size_t size = strlen(name);
	char *file;

	if (strncmp(name, unknown, sizeof(unknown) - 1) || name[size - 1] != ')')
		return NULL;
	name[size - 1] = '\0';
	file = name + sizeof(unknown) - 1;
	if (*file == '[')
		return file;
	file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	/* in brackets, in the room that "[unknown] (" leaves */
	size = strlen(file);
	if (!size)
		return "[unknown]";
	file[-1] = '[';
	file[size] = ']';
	file[size + 1] = '\0';
	return file - 1;
}

/*
 * "\t         ADDRESS NAME+0xOFFSET (FILE)", or " (inlined)" instead of the file. With
 * the offset it is certain where a name ends that has blanks and brackets.
 */
static bool parse_chain(char *text, struct wire_line *line)
{
	char *name = text + strspn(text, " \t"), *end;

	if (name == text || digit_of(*name) < 0)
		return false;
	while (digit_of(*name) >= 0)
		name++;
	if (*name++ != ' ')
		return false;
	line->name = chain_unnamed(name);
	if (line->name)
		return true;
	line->name = name;
	for (end = name; (end = strstr(end, "+0x")); end++) {
		char *at = end + 3;

		while (digit_of(*at) >= 0)
			at++;
		if (at > end + 3 && (!*at || !strncmp(at, " (", 2))) {
			*end = '\0';
			break;
		}
	}
	return true;
}

/* "... PERF_RECORD_LOST lost NR" */
static bool parse_lost(const char *text, struct wire_line *line)
{
	static const char lost[] = "PERF_RECORD_LOST";
	unsigned long long nr;
	const char *at = strstr(text, lost);

	if (!at)
		return false;
	at = strstr(at + sizeof(lost) - 1, "lost ");
	if (!at || sscanf(at, "lost %llu", &nr) != 1)
		return false;
	line->number = nr;
	return true;
}

void wire__parse(char *text, struct wire_line *line)
{
	if (text[0] == '@')
		line->kind = parse_ours(text, line);
	else if (parse_chain(text, line))
		line->kind = WIRE_CHAIN;
	else if (parse_lost(text, line))
		line->kind = WIRE_LOST;
	else
		line->kind = WIRE_OTHER;
}
