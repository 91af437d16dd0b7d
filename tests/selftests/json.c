// SPDX-License-Identifier: GPL-2.0
/*
 * json .NAME.0.NAME: is it one JSON document that comes on stdin, and nothing else? Then
 * print what there is at that place. 1: it is not, 2: there is nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

static struct json_object *parse(void)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object = NULL;
	char *text = NULL;
	size_t size = 0;

	/* up to the end; a document has no NUL */
	if (!tokener || getdelim(&text, &size, 0, stdin) <= 0)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, strlen(text) + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    strspn(text + json_tokener_get_parse_end(tokener), " \n") !=
	    strlen(text + json_tokener_get_parse_end(tokener)))
		return NULL;
	return object;
}

static struct json_object *step(struct json_object *object, const char *name)
{
	if (json_object_is_type(object, json_type_array))
		return json_object_array_get_idx(object, atoi(name));
	return json_object_object_get(object, name);
}

int main(int argc, char **argv)
{
	struct json_object *object = parse();
	char *name;

	if (!object || argc != 2)
		return 1;
	for (name = strtok(argv[1], "."); name && object; name = strtok(NULL, "."))
		object = step(object, name);
	if (!object)
		return 2;
	puts(json_object_get_string(object));
	return 0;
}
