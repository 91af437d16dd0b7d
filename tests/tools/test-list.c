// SPDX-License-Identifier: GPL-2.0
/*
 * What perf gpu list finds in processes that are made up, which come and go while it looks;
 * and what it says of it.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/obstacle.h"
#include "kernel/process.h"
#include "list/list.h"
#include "test.h"

/* ---- the kernel ---- */

static int file_err;	/* of the first file of each process */
static int process_err;
static int nr_files;

static int list_copy(void *info, unsigned int *nr, const void *from, size_t size)
{
	void **to = info;

	*to = malloc(size);
	memcpy(*to, from, size);
	*nr = 1;
	return 0;
}

int contexts__get(struct contexts *contexts, int fd)
{
	static const struct gpu_pmu_context_info info = {
		.client = 7, .ctx = 1, .pid = 100, .dev = 128, .comm = "x",
	};

	*contexts = (struct contexts){};
	if (fd == 0 && file_err)
		return file_err;
	return list_copy(&contexts->info, &contexts->nr, &info, sizeof(info));
}

void contexts__put(struct contexts *contexts)
{
	free(contexts->info);
}

/* this process alone has files: each is the same client's, by another number */
int process__each_drm(int pid, int (*each)(void *arg, int fd, int number), void *arg)
{
	int ret = 0;

	if (pid != getpid())
		return process_err;
	for (int i = 0; ret >= 0 && i < nr_files; i++)
		ret = each(arg, i, 1000 + i);
	return ret < 0 ? ret : nr_files;
}

int fences__get(struct fences *fences, int fd)
{
	(void)fd;
	*fences = (struct fences){ .info = malloc(1) };
	return 0;
}

void fences__put(struct fences *fences)
{
	free(fences->info);
}

int usages__open(struct usages *usages, const __u64 *events, unsigned int nr_events, bool engines)
{
	(void)events;
	(void)nr_events;
	(void)engines;
	*usages = (struct usages){};
	return 0;
}

int usages__read(struct usages *usages, int fd)
{
	(void)usages;
	(void)fd;
	return 0;
}

void usages__close(struct usages *usages)
{
	(void)usages;
}

const struct gpu_pmu_usage *usages__entry(const struct usages *usages, unsigned int i)
{
	(void)usages;
	(void)i;
	return NULL;
}

int gpu_events__get(struct gpu_events *events, unsigned int dev)
{
	(void)dev;
	*events = (struct gpu_events){};
	return 0;
}

void gpu_events__put(struct gpu_events *events)
{
	(void)events;
}

const char *obstacle__limit(unsigned int i, char *text, size_t size)
{
	(void)i;
	(void)text;
	(void)size;
	return NULL;
}

/* ---- tests ---- */

static struct listing listing;

static void setup(int files)
{
	listing = (struct listing){};
	nr_files = files;
	file_err = 0;
	process_err = 0;
}

static void of_ones_own(void)
{
	setup(3);
	CHECK_EQ(0, listing__own(&listing));
	CHECK_EQ(1, listing.nr_clients);
	CHECK_EQ(3, listing.client[0].nr_fds);
	CHECK_EQ(1000, listing.client[0].fd[0]);
	CHECK_EQ(1002, listing.client[0].fd[2]);
	listing__free(&listing);
}

/* a file is closed, and its number another's; a process ends: neither is the end of the list */
static void what_has_gone_is_passed_over(void)
{
	setup(3);
	file_err = -ENOTTY;
	process_err = -ESRCH;
	CHECK_EQ(0, listing__own(&listing));
	CHECK_EQ(1, listing.nr_clients);
	CHECK_EQ(2, listing.client ? listing.client[0].nr_fds : 0);
	listing__free(&listing);

	setup(1);
	file_err = -ENODEV;
	CHECK_EQ(0, listing__own(&listing));
	CHECK_EQ(0, listing.nr_clients);
	listing__free(&listing);
	/* what else is wrong is not passed over */
	setup(1);
	file_err = -EMFILE;
	CHECK_EQ((uint64_t)-EMFILE, listing__own(&listing));
	listing__free(&listing);
}

/* what an output says of this process' files, to be freed */
static char *print(const struct list_output *output)
{
	FILE *terminal = stdout;
	char *text;
	size_t size;

	stdout = open_memstream(&text, &size);
	output->clients(&listing, ",");
	fclose(stdout);
	stdout = terminal;
	return text;
}

/* of any number of files: no number is cut off, and it is said that there are more */
static void many_files(void)
{
	for (int files = 1; files < 40; files++) {
		char *text, *at, *field = NULL, *rest;
		int nr = 0, more = 0;

		setup(files);
		CHECK_EQ(0, listing__own(&listing));
		text = rest = print(&list_fields);
		for (int i = 0; i < 6; i++)
			field = strsep(&rest, ",");
		while ((at = strsep(&field, " "))) {
			CHECK(!more);
			more = !strcmp(at, "...");
			CHECK(more || atoi(at) == 1000 + nr);
			nr += !more;
		}
		/* each is 5 bytes long with a blank, and the NUL and "..." are at the end */
		CHECK_EQ(files <= 12 ? files : 12, nr);
		CHECK_EQ(files > 12, more);
		free(text);
		listing__free(&listing);
	}
}

static void json_has_all(void)
{
	struct json_object *document, *fds, *client;
	char *text;

	setup(500);
	CHECK_EQ(0, listing__own(&listing));
	text = print(&list_json);
	document = json_tokener_parse(text);
	client = json_object_array_get_idx(json_object_object_get(document, "contexts"), 0);
	fds = json_object_object_get(client, "fds");
	CHECK_EQ(500, json_object_array_length(fds));
	CHECK_EQ(1499, json_object_get_int(json_object_array_get_idx(fds, 499)));
	json_object_put(document);
	free(text);
	listing__free(&listing);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(of_ones_own),
		TEST(what_has_gone_is_passed_over),
		TEST(many_files),
		TEST(json_has_all),
	};

	return TESTS_RUN(tests);
}
