/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is common to those who say JSON.
 */
#ifndef PERF_GPU_JSON_H
#define PERF_GPU_JSON_H

#include <stdio.h>
#include <json-c/json.h>

/* others' words: what is no UTF-8 becomes '?' */
struct json_object *json__string(const char *text);
/* an id of 64 bits, as 16 digits: a JSON number has 53 */
struct json_object *json__id(unsigned long long id);
/* a number that is not the same but a little longer when it is read again */
struct json_object *json__double(double value);
/* print it, and let go of it */
void json__print(FILE *file, struct json_object *object);

#endif /* PERF_GPU_JSON_H */
