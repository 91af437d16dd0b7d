// SPDX-License-Identifier: GPL-2.0
/*
 * What /dev/gpu_pmu answers is initialised in whole: no byte of it is what was in the kernel's
 * memory before. As root, in a machine whose kernel writes a pattern to all memory that it
 * allocates and frees (slub_debug=P), and that has no modules of ours loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>

#include "lab.h"
#include "tap.h"

#define OURS	0xa5	/* what was in the room before */
#define ROOM	16
#define EVENTS	3

struct usage {
	struct gpu_pmu_usage usage;
	__u64 values[EVENTS];
};

/* a part of an entry */
struct part {
	size_t at;
	size_t size;
};

#define PART(type, member)	{ offsetof(type, member), sizeof(((type *)0)->member) }
#define OF(request, type)	.name = #request, .what = GPU_PMU_IOCTL_ ## request, \
				.size = sizeof(type)

static const struct answer {
	const char *name;
	unsigned long what;
	size_t size;
	bool by_dev;
	struct part texts[3];	/* nothing but zeroes behind their ends */
	struct part reserved;	/* nothing but zeroes */
} answers[] = {
	{ OF(CONTEXTS, struct gpu_pmu_context_info),
	  .texts = { PART(struct gpu_pmu_context_info, comm),
		     PART(struct gpu_pmu_context_info, driver) } },
	{ OF(FENCES, struct gpu_pmu_fence_info) },
	{ OF(DEVICES, struct gpu_pmu_device_info),
	  .texts = { PART(struct gpu_pmu_device_info, driver),
		     PART(struct gpu_pmu_device_info, bus) },
	  .reserved = PART(struct gpu_pmu_device_info, reserved) },
	{ OF(ENGINES, struct gpu_pmu_engine_info), .by_dev = true,
	  .texts = { PART(struct gpu_pmu_engine_info, name) } },
	{ OF(EVENTS, struct gpu_pmu_event_info),
	  .texts = { PART(struct gpu_pmu_event_info, name), PART(struct gpu_pmu_event_info, unit),
		     PART(struct gpu_pmu_event_info, desc) } },
	{ OF(EVENTS, struct gpu_pmu_event_info), .by_dev = true,
	  .texts = { PART(struct gpu_pmu_event_info, name), PART(struct gpu_pmu_event_info, unit),
		     PART(struct gpu_pmu_event_info, desc) } },
	{ OF(USAGES, struct usage), .texts = { PART(struct usage, usage.comm) } },
};

/* how many entries there are */
static unsigned int ask(const struct answer *answer, unsigned int dev, void *room)
{
	static const __u64 events[EVENTS] = {
		GPU_PMU_EVENT_JOBS, GPU_PMU_EVENT_GPU_BUSY, GPU_PMU_EVENT_WAITS,
	};
	struct gpu_pmu_contexts contexts = { .fd = -1, .nr = ROOM, .infos = (uintptr_t)room };
	struct gpu_pmu_infos infos = { .dev = dev, .nr = ROOM, .infos = (uintptr_t)room };
	struct gpu_pmu_usages usages = {
		.fd = -1, .nr = ROOM, .usages = (uintptr_t)room, .flags = GPU_PMU_USAGES_ENGINES,
		.nr_events = EVENTS, .events = (uintptr_t)events,
	};
	int query = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);

	switch (answer->what) {
	case GPU_PMU_IOCTL_CONTEXTS:
	case GPU_PMU_IOCTL_FENCES:
		CHECK_EQ(ioctl(query, answer->what, &contexts), 0);
		infos.nr = contexts.nr;
		break;
	case GPU_PMU_IOCTL_USAGES:
		CHECK_EQ(ioctl(query, answer->what, &usages), 0);
		infos.nr = usages.nr;
		break;
	default:
		CHECK_EQ(ioctl(query, answer->what, &infos), 0);
	}
	close(query);
	return infos.nr;
}

/* are they all that byte? */
static bool all_are(const uint8_t *bytes, size_t nr, uint8_t byte)
{
	while (nr && *bytes == byte) {
		bytes++;
		nr--;
	}
	return !nr;
}

static void check_entry(const struct answer *answer, const uint8_t *entry)
{
	const struct part *part;
	size_t len;

	CHECK(all_are(entry + answer->reserved.at, answer->reserved.size, 0));
	for (part = answer->texts; part < answer->texts + 3 && part->size; part++) {
		len = strnlen((const char *)entry + part->at, part->size);
		CHECK(len < part->size);
		CHECK(all_are(entry + part->at + len, part->size - len, 0));
	}
}

/* what has no text, and flags that are put in one after the other */
static void check_numbers(const struct usage *usages, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		CHECK_EQ(usages[i].usage.nr_values, EVENTS);
		CHECK_EQ(usages[i].usage.flags &
			 ~(GPU_PMU_USAGE_ENDED | GPU_PMU_USAGE_KERNEL), 0);
	}
}

static void check_answer(const struct answer *answer, unsigned int dev)
{
	uint8_t room[(ROOM + 1) * sizeof(struct gpu_pmu_event_info)] __attribute__((aligned(8)));
	unsigned int nr, i, before = tap_failed;

	memset(room, OURS, sizeof(room));
	nr = ask(answer, answer->by_dev ? dev : 0, room);
	CHECK(nr > 0 && nr <= ROOM);
	for (i = 0; i < nr && i < ROOM; i++)
		check_entry(answer, room + i * answer->size);
	if (answer->what == GPU_PMU_IOCTL_USAGES)
		check_numbers((const void *)room, nr);
	CHECK(all_are(room + nr * answer->size, sizeof(room) - nr * answer->size, OURS));
	if (tap_failed != before)
		printf("# those were of %s\n", answer->name);
}

/* no part of an entry is without a name */
static void check_sizes(void)
{
	CHECK_EQ(sizeof(struct gpu_pmu_context_info), 2 * 8 + 2 * 4 + 16 + 24);
	CHECK_EQ(sizeof(struct gpu_pmu_fence_info), 3 * 8 + 2 * 4);
	CHECK_EQ(sizeof(struct gpu_pmu_device_info), 4 * 4 + 24 + 40);
	CHECK_EQ(sizeof(struct gpu_pmu_engine_info), 32);
	CHECK_EQ(sizeof(struct gpu_pmu_event_info), 8 + 32 + 16 + 104);
	CHECK_EQ(sizeof(struct gpu_pmu_usage), 3 * 8 + 3 * 4 + 2 * 2 + 16);
}

static void answers_are_initialised(void)
{
	const struct gpu_config all = {};
	struct refgpu_batch batch = {};
	struct refgpu gpu;
	unsigned int i;
	uint32_t ctx, sync;
	int counting;

	check_sizes();
	CHECK_EQ(prctl(PR_SET_NAME, "a"), 0);
	counting = lab_event(EVENT_BUSY, &all);
	CHECK(counting >= 0);
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	sync = refgpu_sync(&gpu);
	refgpu_spin(&batch, 1);
	CHECK_EQ(refgpu_submit(&gpu, ctx, 0, &batch, 0, sync), 0);
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60 * SECOND), 0);
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		check_answer(&answers[i], device_minor(&gpu));
	refgpu_close(&gpu);
	close(counting);
}

/* else it would be the kernel's luck */
static bool memory_is_poisoned(void)
{
	char line[8] = "";

	return !shell_line(line, sizeof(line), "cat /sys/kernel/slab/kmalloc-cg-2k/poison") &&
	       !strcmp(line, "1");
}

int main(int argc, char **argv)
{
	static const struct tap_test tests[] = { TEST(answers_are_initialised) };

	if (argc != 2) {
		fprintf(stderr, "usage: test-answers FOLDER\n");
		return 2;
	}
	if (!memory_is_poisoned()) {
		printf("Bail out! this kernel was not started with slub_debug=P\n");
		return 1;
	}
	lab_modules(argv[1]);
	lab_pin();
	if (lab_reload("", ""))
		return 2;
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
