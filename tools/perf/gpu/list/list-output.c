// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu list: for people, as fields, and as JSON.
 */
#include <stdio.h>
#include <string.h>
#include <json-c/json.h>

#include "common/text.h"
#include "list/list.h"
#include "kernel/obstacle.h"

/*
 * A process has any name it likes: nothing of it may steer a terminal, or end a line.
 * And what is no ASCII need not be UTF-8.
 */
static const char *plain(const char *text, char *copy, size_t size)
{
	size_t i;

	for (i = 0; text[i] && i < size - 1; i++)
		copy[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
	copy[i] = 0;
	return copy;
}

/* ---- fence contexts ---- */

/* the next one of a client's context, from a place in the list on; NULL: no more */
static const struct gpu_pmu_fence_info *fence_next(const struct listing *listing,
						   const struct list_client *client,
						   unsigned int *at)
{
	while (*at < listing->fences.nr) {
		const struct gpu_pmu_fence_info *fence = &listing->fences.info[(*at)++];

		if (fence->client == client->info.client && fence->ctx == client->info.ctx)
			return fence;
	}
	return NULL;
}

static const char *fence_engine(const struct listing *listing,
				const struct gpu_pmu_fence_info *fence, char text[40])
{
	const char *name = names__engine(&listing->names, fence->dev, fence->engine);

	/* of a device that has come since */
	if (!name)
		snprintf(text, 40, "%u", fence->engine);
	return name ?: text;
}

#define FENCES_TEXT	OBSTACLE_TEXT

/* "render:812 copy:814", or "-" */
static const char *fences_text(const struct listing *listing, const struct list_client *client,
			       char text[FENCES_TEXT])
{
	const struct gpu_pmu_fence_info *fence;
	unsigned int next = 0;
	char engine[40];
	size_t at = 0;

	while (at < FENCES_TEXT && (fence = fence_next(listing, client, &next)))
		at += snprintf(text + at, FENCES_TEXT - at, "%s%s:%llu", at ? " " : "",
			       fence_engine(listing, fence, engine),
			       (unsigned long long)fence->fence_context);
	if (!at)
		strcpy(text, "-");
	return text;
}

/* ---- descriptors ---- */

#define FDS_TEXT	64
#define FDS_MORE	" ..."

/* "3 5 7", or those that there is room for, and that there are more */
static const char *fds_text(const struct list_client *client, char text[FDS_TEXT])
{
	char number[16];
	size_t at = 0, size, left;

	text[0] = 0;
	for (unsigned int i = 0; i < client->nr_fds; i++) {
		size = snprintf(number, sizeof(number), "%s%d", i ? " " : "", client->fd[i]);
		/* the last one needs no room for a word about more */
		left = FDS_TEXT - at - (i + 1 < client->nr_fds ? strlen(FDS_MORE) : 0);
		if (size >= left) {
			strcpy(text + at, FDS_MORE);
			break;
		}
		strcpy(text + at, number);
		at += size;
	}
	return text;
}

/* ---- for people ---- */

static void text_event(const struct gpu_pmu_event_info *event)
{
	printf("  %-18s %-8s %s\n", event->name, event->unit, event->desc);
}

static void text_device(const struct list_device *device)
{
	printf("  %-4u %-12s %-16s", device->info.dev, device->info.driver, device->info.bus);
	for (unsigned int i = 0; i < device->engines.nr; i++)
		printf("%s%s", i ? ", " : "", device->engines.info[i].name);
	putchar('\n');
}

static void text_things(const struct listing *listing, const char *separator)
{
	char text[OBSTACLE_TEXT];
	const char *limit;

	(void)separator;
	puts("Devices:");
	printf("  %-4s %-12s %-16s%s\n", "DEV", "DRIVER", "BUS", "ENGINES");
	for (unsigned int i = 0; i < listing->nr_devices; i++)
		text_device(&listing->device[i]);
	if (!listing->nr_devices)
		puts("  none that has a source of GPU events");

	puts("\nEvents, for perf as gpu/NAME/:");
	printf("  %-18s %-8s %s\n", "NAME", "UNIT", "MEANING");
	for (unsigned int i = 0; i < listing->events.nr; i++)
		text_event(&listing->events.info[i]);
	for (unsigned int i = 0; i < listing->nr_devices; i++) {
		const struct list_device *device = &listing->device[i];

		if (device->events.nr)
			printf("\nCounters of device %u's own (%s):\n", device->info.dev,
			       device->info.driver);
		for (unsigned int k = 0; k < device->events.nr; k++)
			text_event(&device->events.info[k]);
	}

	for (unsigned int i = 0; (limit = obstacle__limit(i, text, sizeof(text))); i++)
		printf("%s  %s\n", i ? "" : "\nLimits:\n", limit);
}

static void text_clients(const struct listing *listing, const char *separator)
{
	char comm[20], jobs[24], fds[FDS_TEXT], fences[FENCES_TEXT];

	(void)separator;
	printf("%8s  %-16s %4s  %-12s %8s %10s  %-8s  %s\n", "PID", "COMMAND", "DEV", "DRIVER",
	       "CTX", "JOBS", "FD", "FENCE CONTEXT");
	for (unsigned int i = 0; i < listing->nr_clients; i++) {
		const struct list_client *client = &listing->client[i];
		const struct gpu_pmu_context_info *info = &client->info;

		snprintf(jobs, sizeof(jobs), client->counted ? "%llu" : "-", client->jobs);
		printf("%8u  %-16s %4u  %-12s %8llu %10s  %-8s  %s\n", info->pid,
		       plain(info->comm, comm, sizeof(comm)), info->dev, info->driver,
		       (unsigned long long)info->ctx, jobs, fds_text(client, fds),
		       fences_text(listing, client, fences));
	}
	if (listing->denied) {
		char text[OBSTACLE_TEXT];
		const char *limit;

		printf("\n%u of your processes could not be looked into.\n", listing->denied);
		for (unsigned int i = 0; (limit = obstacle__limit(i, text, sizeof(text))); i++)
			printf("  %s\n", limit);
	}
}

const struct list_output list_text = { text_things, text_clients };

/* ---- as fields ---- */

/* the separator in front of all but the first; a name with a comma in it is no two fields */
static void field(const char *separator, bool first, const char *text)
{
	char copy[OBSTACLE_TEXT];

	snprintf(copy, sizeof(copy), "%s", text);
	text__separable(copy, separator);
	printf("%s%s", first ? "" : separator, copy);
}

static void fields_thing(const char *separator, const char *kind, unsigned int dev,
			 const char *name, const char *unit, unsigned long long number,
			 const char *text)
{
	char digits[24];

	field(separator, true, kind);
	snprintf(digits, sizeof(digits), dev ? "%u" : "", dev);
	field(separator, false, digits);
	field(separator, false, name);
	field(separator, false, unit);
	snprintf(digits, sizeof(digits), "%llu", number);
	field(separator, false, digits);
	field(separator, false, text);
	putchar('\n');
}

static void fields_events(const char *separator, unsigned int dev,
			  const struct gpu_events *events)
{
	for (unsigned int i = 0; i < events->nr; i++)
		fields_thing(separator, "event", dev, events->info[i].name,
			     events->info[i].unit, events->info[i].event,
			     events->info[i].desc);
}

static void fields_things(const struct listing *listing, const char *separator)
{
	char text[OBSTACLE_TEXT];
	const char *limit;

	for (unsigned int i = 0; i < listing->nr_devices; i++) {
		const struct list_device *device = &listing->device[i];

		fields_thing(separator, "device", device->info.dev, device->info.driver, "",
			     device->info.nr_engines, device->info.bus);
		for (unsigned int k = 0; k < device->engines.nr; k++)
			fields_thing(separator, "engine", device->info.dev,
				     device->engines.info[k].name, "", k + 1, "");
		fields_events(separator, device->info.dev, &device->events);
	}
	fields_events(separator, 0, &listing->events);
	for (unsigned int i = 0; (limit = obstacle__limit(i, text, sizeof(text))); i++)
		fields_thing(separator, "limit", 0, "", "", i, limit);
}

static void fields_clients(const struct listing *listing, const char *separator)
{
	char text[24], fds[FDS_TEXT], fences[FENCES_TEXT];

	for (unsigned int i = 0; i < listing->nr_clients; i++) {
		const struct list_client *client = &listing->client[i];
		const struct gpu_pmu_context_info *info = &client->info;

		snprintf(text, sizeof(text), "%u", info->pid);
		field(separator, true, text);
		field(separator, false, plain(info->comm, text, sizeof(text)));
		snprintf(text, sizeof(text), "%u", info->dev);
		field(separator, false, text);
		field(separator, false, info->driver);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)info->ctx);
		field(separator, false, text);
		field(separator, false, fds_text(client, fds));
		snprintf(text, sizeof(text), client->counted ? "%llu" : "-", client->jobs);
		field(separator, false, text);
		snprintf(text, sizeof(text), "%016llx", (unsigned long long)info->client);
		field(separator, false, text);
		field(separator, false, fences_text(listing, client, fences));
		putchar('\n');
	}
}

const struct list_output list_fields = { fields_things, fields_clients };

/* ---- as JSON ---- */

static void put_text(struct json_object *to, const char *name, const char *text)
{
	char copy[OBSTACLE_TEXT];

	json_object_object_add(to, name,
			       json_object_new_string(plain(text, copy, sizeof(copy))));
}

static void put_number(struct json_object *to, const char *name, unsigned long long number)
{
	json_object_object_add(to, name, json_object_new_uint64(number));
}

/* a number of JSON has 53 bits */
static void put_id(struct json_object *to, const char *name, unsigned long long id)
{
	char text[20];

	snprintf(text, sizeof(text), "%016llx", id);
	put_text(to, name, text);
}

static struct json_object *json_events(const struct gpu_events *events)
{
	struct json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < events->nr; i++) {
		struct json_object *event = json_object_new_object();

		put_text(event, "name", events->info[i].name);
		put_text(event, "unit", events->info[i].unit);
		put_text(event, "description", events->info[i].desc);
		put_number(event, "event", events->info[i].event);
		json_object_array_add(array, event);
	}
	return array;
}

static struct json_object *json_device(const struct list_device *device)
{
	struct json_object *object = json_object_new_object();
	struct json_object *engines = json_object_new_array();

	put_number(object, "device", device->info.dev);
	put_text(object, "driver", device->info.driver);
	put_text(object, "bus", device->info.bus);
	for (unsigned int i = 0; i < device->engines.nr; i++)
		json_object_array_add(engines,
				      json_object_new_string(device->engines.info[i].name));
	json_object_object_add(object, "engines", engines);
	json_object_object_add(object, "events", json_events(&device->events));
	return object;
}

static struct json_object *json_limits(void)
{
	struct json_object *array = json_object_new_array();
	char text[OBSTACLE_TEXT];
	const char *limit;

	for (unsigned int i = 0; (limit = obstacle__limit(i, text, sizeof(text))); i++)
		json_object_array_add(array, json_object_new_string(limit));
	return array;
}

static void json_print(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static void json_things(const struct listing *listing, const char *separator)
{
	struct json_object *document = json_object_new_object();
	struct json_object *devices = json_object_new_array();

	(void)separator;
	for (unsigned int i = 0; i < listing->nr_devices; i++)
		json_object_array_add(devices, json_device(&listing->device[i]));
	json_object_object_add(document, "devices", devices);
	json_object_object_add(document, "events", json_events(&listing->events));
	json_object_object_add(document, "limits", json_limits());
	json_print(document);
}

static struct json_object *json_fences(const struct listing *listing,
				       const struct list_client *client)
{
	const struct gpu_pmu_fence_info *fence;
	struct json_object *object = NULL;
	unsigned int at = 0;
	char engine[40];

	while ((fence = fence_next(listing, client, &at))) {
		object = object ?: json_object_new_object();
		put_number(object, fence_engine(listing, fence, engine), fence->fence_context);
	}
	return object;
}

static void json_clients(const struct listing *listing, const char *separator)
{
	struct json_object *document = json_object_new_object();
	struct json_object *contexts = json_object_new_array();

	(void)separator;
	for (unsigned int i = 0; i < listing->nr_clients; i++) {
		const struct list_client *client = &listing->client[i];
		struct json_object *object = json_object_new_object();
		struct json_object *fds = json_object_new_array();

		put_id(object, "client", client->info.client);
		put_number(object, "context", client->info.ctx);
		put_number(object, "pid", client->info.pid);
		put_text(object, "command", client->info.comm);
		put_number(object, "device", client->info.dev);
		put_text(object, "driver", client->info.driver);
		for (unsigned int k = 0; k < client->nr_fds; k++)
			json_object_array_add(fds, json_object_new_int(client->fd[k]));
		json_object_object_add(object, "fds", fds);
		json_object_object_add(object, "jobs", client->counted ?
				       json_object_new_uint64(client->jobs) : NULL);
		json_object_object_add(object, "fence_contexts", json_fences(listing, client));
		json_object_array_add(contexts, object);
	}
	json_object_object_add(document, "contexts", contexts);
	put_number(document, "denied", listing->denied);
	json_object_object_add(document, "limits", json_limits());
	json_print(document);
}

const struct list_output list_json = { json_things, json_clients };
