// SPDX-License-Identifier: GPL-2.0
/* See fields.h. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

static bool line_parse(char *text, struct fields_line *line)
{
	char *field[FIELDS_NR + 1], *end;
	int nr = 0;

	while (nr <= FIELDS_NR && (field[nr] = strsep(&text, ",")))
		nr++;
	if (nr != FIELDS_NR)
		return false;
	memset(line, 0, sizeof(*line));
	line->time = strtod(field[0], NULL);
	snprintf(line->part, sizeof(line->part), "%s", field[1]);
	line->dev = atoi(field[2]);
	snprintf(line->client, sizeof(line->client), "%s", field[3]);
	line->pid = atoi(field[4]);
	snprintf(line->command, sizeof(line->command), "%s", field[5]);
	line->ctx = strtoull(field[6], NULL, 10);
	snprintf(line->engine, sizeof(line->engine), "%s", field[7]);
	snprintf(line->state, sizeof(line->state), "%s", field[8]);
	snprintf(line->event, sizeof(line->event), "%s", field[9]);
	line->value = strtoll(field[10], &end, 10);
	line->counted = end != field[10];
	return line->counted || !strcmp(field[10], "<not counted>");
}

struct fields *fields_read(const char *path)
{
	struct fields *fields;
	char text[1024];
	FILE *file = fopen(path, "r");

	if (!file)
		return NULL;
	fields = calloc(1, sizeof(*fields));
	while (fields && fgets(text, sizeof(text), file)) {
		text[strcspn(text, "\n")] = 0;
		if (fields->nr < FIELDS_LINES_MAX &&
		    line_parse(text, &fields->line[fields->nr]))
			fields->nr++;
		else
			fields->broken++;
	}
	fclose(file);
	return fields;
}

static bool line_is(const struct fields_line *line, const char *part, int pid,
		    const char *event)
{
	return !strcmp(line->part, part) && (!pid || line->pid == pid) &&
	       !strcmp(line->event, event);
}

int64_t fields_sum(const struct fields *fields, const char *part, int pid,
		   const char *event)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < fields->nr; i++)
		if (line_is(&fields->line[i], part, pid, event))
			sum += fields->line[i].value;
	return sum;
}

unsigned int fields_lines(const struct fields *fields, const char *part, int pid,
			  const char *event)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < fields->nr; i++)
		nr += line_is(&fields->line[i], part, pid, event);
	return nr;
}

int64_t fields_parts(const struct fields *fields, const char *part, const char *event)
{
	return fields_sum(fields, part, 0, event) +
	       fields_sum(fields, "kernel", 0, event) +
	       fields_sum(fields, "others", 0, event);
}

struct json_object *json_read(const char *path)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object = NULL;
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (file) {
		size = fread(text, 1, sizeof(text), file);
		fclose(file);
	}
	if (size && size < sizeof(text)) {
		/* the one newline behind it is the file's */
		size -= text[size - 1] == '\n';
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
				       JSON_TOKENER_VALIDATE_UTF8);
		object = json_tokener_parse_ex(tokener, text, size);
		if (json_tokener_get_error(tokener) != json_tokener_success ||
		    json_tokener_get_parse_end(tokener) != size) {
			json_object_put(object);
			object = NULL;
		}
	}
	json_tokener_free(tokener);
	return object;
}

int64_t json_number(struct json_object *object, const char *path)
{
	char copy[128], *rest = copy, *name;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((name = strsep(&rest, ".")))
		if (!json_object_object_get_ex(object, name, &object))
			return -1;
	return json_object_is_type(object, json_type_int) ? json_object_get_int64(object) : -1;
}

static int64_t part_value(struct json_object *part, const char *kind, int pid,
			  const char *event, unsigned int *lines)
{
	struct json_object *word, *number;
	char path[64];

	if (!json_object_object_get_ex(part, "part", &word) ||
	    strcmp(json_object_get_string(word), kind))
		return 0;
	if (pid && (!json_object_object_get_ex(part, "pid", &number) ||
		    json_object_get_int(number) != pid))
		return 0;
	++*lines;
	snprintf(path, sizeof(path), "counts.%s.value", event);
	return json_number(part, path);
}

int64_t json_sum(struct json_object *object, const char *part, int pid, const char *event,
		 unsigned int *lines)
{
	struct json_object *intervals, *parts;
	int64_t sum = 0;

	*lines = 0;
	if (!json_object_object_get_ex(object, "intervals", &intervals))
		return -1;
	for (size_t i = 0; i < json_object_array_length(intervals); i++) {
		if (!json_object_object_get_ex(json_object_array_get_idx(intervals, i), "parts",
					       &parts))
			return -1;
		for (size_t k = 0; k < json_object_array_length(parts); k++)
			sum += part_value(json_object_array_get_idx(parts, k), part, pid, event,
					  lines);
	}
	return sum;
}
