// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stat/watch.h"

/* is an event kept by client? 1, 0, or a negative errno */
static int is_kept(const struct event *event)
{
	struct usages usages;
	__u64 id = event__id(event);
	int err = usages__open(&usages, &id, 1, false);

	if (err)
		return err;
	err = usages__read(&usages, -1);
	usages__close(&usages);
	/* EINVAL: no device has such a counter now */
	return err == -ENOENT || err == -EINVAL ? 0 : err ?: 1;
}

struct ids {
	__u64 id[GPU_PMU_USAGES_EVENTS_MAX];
	unsigned int nr;
};

/* the place of an id in the list, to which it is added; -1: the list is full */
static int ids_place(struct ids *ids, __u64 id)
{
	unsigned int i;

	for (i = 0; i < ids->nr; i++)
		if (ids->id[i] == id)
			return i;
	if (ids->nr == GPU_PMU_USAGES_EVENTS_MAX)
		return -1;
	ids->id[ids->nr++] = id;
	return i;
}

/* which events to ask for, and where their values are */
static int choose_events(struct watch *watch, const struct events *events, struct ids *ids,
			 bool *engines)
{
	watch->slot = calloc(events->nr, sizeof(*watch->slot));
	if (!watch->slot)
		return -ENOMEM;
	for (unsigned int i = 0; i < events->nr; i++) {
		int kept = is_kept(&events->event[i]);

		if (kept < 0)
			return kept;
		watch->slot[i] = kept ? ids_place(ids, event__id(&events->event[i])) : -1;
		*engines |= event__engine(&events->event[i]);
	}
	/* who they are is told beside some count */
	if (!ids->nr)
		ids_place(ids, GPU_PMU_EVENT_JOBS);
	rows__init(&watch->rows, ids->nr);
	return 0;
}

int watch__open(struct watch *watch, const struct events *events, bool engines,
		const struct target *target, const struct places *places)
{
	struct ids ids = {};
	int err;

	*watch = (struct watch){ .all = target->kind == TARGET_ALL };
	watch->usages.query = -1;
	watch->by_fd.query = -1;
	err = choose_events(watch, events, &ids, &engines);
	if (!err)
		err = usages__open(&watch->usages, ids.id, ids.nr, engines);
	if (!err)
		err = usages__open(&watch->by_fd, ids.id, ids.nr, engines);
	if (!err && !watch->all)
		err = places ? tree__open(&watch->tree, target, places) :
			       tree__begin(&watch->tree, target);
	if (err)
		watch__close(watch);
	return err;
}

static int take_entries(struct watch *watch, const struct usages *usages)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < usages->nr; i++)
		err = rows__entry(&watch->rows, usages__entry(usages, i));
	watch->torn |= usages->torn;
	return err;
}

/* whose are those that were not known? */
static void claim_rows(struct watch *watch)
{
	for (struct row *row = watch->rows.first; row; row = row->newer)
		if (!row->mine && !row->kernel)
			row->mine = tree__has(&watch->tree, row->pid) ||
				    held__has(&watch->held, row->client);
}

int watch__look(struct watch *watch)
{
	int err;

	rows__begin_look(&watch->rows);
	err = usages__read(&watch->usages, -1);
	if (!err)
		err = take_entries(watch, &watch->usages);
	for (unsigned int i = 0; !err && i < watch->held.nr; i++) {
		if (watch->held.client[i].fd < 0)
			continue;
		err = usages__read(&watch->by_fd, watch->held.client[i].fd);
		if (!err)
			err = take_entries(watch, &watch->by_fd);
		/* the device may have gone */
		else if (err == -ENODEV)
			err = 0;
	}
	if (err || watch->all)
		return err;
	/* their forks were told before what they did */
	err = tree__update(&watch->tree);
	claim_rows(watch);
	tree__forget(&watch->tree);
	return err;
}

/* is a client among those that were told without a file? */
static bool is_shown(void *arg, __u64 client)
{
	const struct watch *watch = arg;

	for (unsigned int i = 0; i < watch->usages.nr; i++)
		if (usages__entry(&watch->usages, i)->client == client)
			return true;
	return false;
}

int watch__follow(struct watch *watch)
{
	int err;

	if (watch->all)
		return 0;
	err = tree__update(&watch->tree);
	if (!err)
		err = held__scan(&watch->held, &watch->tree, is_shown, watch);
	if (err)
		return err;
	/* before our copies of what they have closed are closed, too */
	for (unsigned int i = 0; i < watch->held.nr; i++) {
		if (watch->held.client[i].fd < 0 || watch->held.client[i].now)
			continue;
		err = watch__look(watch);
		held__release(&watch->held);
		break;
	}
	return err;
}

int watch__idle(struct watch *watch)
{
	size_t bytes = sizeof(struct gpu_pmu_usage) + watch->rows.nr_values * sizeof(__u64);
	struct gpu_pmu_usage *idle = calloc(1, bytes);
	struct contexts contexts;
	int err;

	if (!idle)
		return -ENOMEM;
	err = contexts__get_about(&contexts, CONTEXTS_OF_ALL, watch->nr_contexts);
	if (err) {
		free(idle);
		/* what others have not done is no loss */
		return err == -EACCES ? 0 : err;
	}
	watch->nr_contexts = contexts.nr;
	idle->nr_values = watch->rows.nr_values;
	idle->engine = GPU_PMU_SAMPLE_NO_ENGINE;
	for (unsigned int i = 0; !err && i < contexts.nr; i++) {
		const struct gpu_pmu_context_info *info = &contexts.info[i];

		/* our own files are open for the answers alone */
		if (info->pid == (__u32)getpid())
			continue;
		idle->client = info->client;
		idle->dev = info->dev;
		idle->pid = info->pid;
		memcpy(idle->comm, info->comm, sizeof(idle->comm));
		idle->ctx = 0;
		err = rows__idle(&watch->rows, idle);
		idle->ctx = info->ctx;
		if (!err && info->ctx)
			err = rows__idle(&watch->rows, idle);
	}
	contexts__put(&contexts);
	free(idle);
	if (!watch->all)
		claim_rows(watch);
	return err;
}

int watch__begin(struct watch *watch)
{
	/* who can be seen without a file? */
	int err = usages__read(&watch->usages, -1);

	if (!err)
		err = watch__follow(watch);
	return err ?: watch__look(watch);
}

void watch__close(struct watch *watch)
{
	if (watch->usages.query >= 0)
		usages__close(&watch->usages);
	if (watch->by_fd.query >= 0)
		usages__close(&watch->by_fd);
	tree__close(&watch->tree);
	held__free(&watch->held);
	rows__free(&watch->rows);
	free(watch->slot);
	watch->slot = NULL;
}
