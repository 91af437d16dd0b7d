// SPDX-License-Identifier: GPL-2.0
/*
 * usage: make-pages FOLDER
 *
 * Write pages of known data to FOLDER, by the functions that write those of perf gpu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "report/flamegraph.h"
#include "timeline/items.h"
#include "timeline/page.h"
#include "timeline/trace.h"

static void check(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "make-pages: %s: %s\n", what, strerror(-err));
		exit(1);
	}
}

static FILE *create(const char *folder, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void make_flamegraph(const char *folder, const char *name, unsigned int many)
{
	struct stacks *stacks = stacks__new();
	uint64_t *self = known__self(stacks, many);
	FILE *file = create(folder, name);

	check(flamegraph__write(file, stacks, self, stacks__nr(stacks),
				"GPU time by stack: <known> & \xff", "ns"), name);
	fclose(file);
	free(self);
	stacks__delete(stacks);
}

static int add_item(void *arg, const struct stream_sample *sample)
{
	check(items__add(arg, sample), "items");
	return 0;
}

static int add_event(void *arg, const struct stream_sample *sample)
{
	check(trace__add(arg, sample), "trace");
	return 0;
}

static void make_timeline(const char *folder, const char *name, unsigned int frames, uint64_t max,
			  uint64_t lost)
{
	struct stacks *stacks = stacks__new();
	struct items items = ITEMS_INIT;
	FILE *file = create(folder, name);

	items.max = max;
	items.lost = lost;
	known__samples(stacks, frames, add_item, &items);
	check(page__write(file, &items, stacks, "GPU timeline: </script> <known> \xff", lost > 0),
	      name);
	fclose(file);
	items__exit(&items);
	stacks__delete(stacks);
}

static void make_trace(const char *folder, const char *name, unsigned int frames)
{
	struct stacks *stacks = stacks__new();
	FILE *file = create(folder, name);
	struct trace trace;

	trace__init(&trace, file, stacks);
	if (frames)
		known__samples(stacks, frames, add_event, &trace);
	check(trace__finish(&trace), name);
	fclose(file);
	trace__exit(&trace);
	stacks__delete(stacks);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make-pages FOLDER\n");
		return 2;
	}
	make_flamegraph(argv[1], "flamegraph.svg", 0);
	make_flamegraph(argv[1], "flamegraph-many.svg", 9000);
	make_timeline(argv[1], "timeline.html", 60, ITEMS_MAX, 0);
	make_timeline(argv[1], "timeline-many.html", 50000, ITEMS_MAX, 0);
	make_timeline(argv[1], "timeline-cut.html", 60, 100, 7);
	make_trace(argv[1], "trace.json", 60);
	make_trace(argv[1], "trace-empty.json", 0);
	return 0;
}
