/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A look at what clients and contexts have used: GPU_PMU_IOCTL_USAGES, with nothing
 * in between.
 */
#ifndef TESTS_SELFTESTS_LOOK_H
#define TESTS_SELFTESTS_LOOK_H

#include <stdbool.h>
#include <linux/gpu_pmu.h>

#define LOOK_VALUES	8
#define LOOK_ROOM	8192

/* an entry of as many values as there can be, whatever was asked for */
struct look_row {
	__u64 id;
	__u64 client;
	__u64 ctx;
	__u32 dev;
	__u32 pid;
	__u32 flags;
	__u16 engine;
	char comm[16];
	__u64 value[LOOK_VALUES];
};

struct look {
	int query;			/* /dev/gpu_pmu */
	__u64 event[LOOK_VALUES];
	unsigned int nr_events;
	__u32 flags;			/* in */
	bool torn;
	unsigned int nr;
	__u64 missed;
	__u64 time;
	struct look_row row[LOOK_ROOM];
};

/* events: up to a 0; NULL: no memory, or no /dev/gpu_pmu */
struct look *look_open(const __u64 *events);
void look_close(struct look *look);
/* 0 or a negative errno */
int look_at(struct look *look, int fd);
/* with that much room; look->nr is how many there are */
int look_with_room(struct look *look, int fd, unsigned int room);

/* the row of all engines; NULL: there is none */
const struct look_row *look_find(const struct look *look, __u64 client, __u64 ctx);
/* the clients (ctx is 0) of a process: how many, and the last one */
unsigned int look_clients(const struct look *look, __u32 pid, const struct look_row **row);

#endif /* TESTS_SELFTESTS_LOOK_H */
