// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/text.h"

struct json_object *json__string(const char *text)
{
	struct json_object *object;
	char *copy = strdup(text);

	if (!copy)
		return NULL;
	text__utf8(copy);
	object = json_object_new_string(copy);
	free(copy);
	return object;
}

struct json_object *json__id(unsigned long long id)
{
	char text[20];

	snprintf(text, sizeof(text), "%016llx", id);
	return json_object_new_string(text);
}

struct json_object *json__double(double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.9f", value);
	return json_object_new_double_s(value, text);
}

void json__print(FILE *file, struct json_object *object)
{
	fputs(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					     JSON_C_TO_STRING_NOSLASHESCAPE), file);
	json_object_put(object);
}
