// SPDX-License-Identifier: GPL-2.0
/* What a machine with these devices is told: the whole sentence, with the way out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/drm.h"
#include "kernel/obstacle.h"
#include "test.h"

/* ---- the machine's devices ---- */

static struct drm_node fakes[40];
static unsigned int nr_fakes;

static void fake(const char *driver, const char *bus, bool covered)
{
	struct drm_node *node = &fakes[nr_fakes++];

	*node = (struct drm_node){ .minor = 127 + nr_fakes, .covered = covered };
	snprintf(node->driver, sizeof(node->driver), "%s", driver);
	snprintf(node->bus, sizeof(node->bus), "%s", bus);
}

int drm_nodes__get(struct drm_nodes *nodes)
{
	*nodes = (struct drm_nodes){ .nr = nr_fakes, .node = fakes };
	return 0;
}

int drm_nodes__cover(struct drm_nodes *nodes)
{
	(void)nodes;
	return 0;
}

void drm_nodes__put(struct drm_nodes *nodes)
{
	*nodes = (struct drm_nodes){};
}

/* ---- tests ---- */

#define NONE_YET(names)	"there is no source of GPU events for " names \
			" yet: a driver can become one, see gpu-pmu-provider.rst"
#define VIRTIO(names)	"no source of GPU events covers " names \
			": load it with 'modprobe gpu_pmu_virtio' as root"

static char text[OBSTACLE_TEXT];

/* asked for the query, and as a limit of this machine */
static void is_said(const char *expected)
{
	CHECK_STR(expected, obstacle__of_query(-ENODEV, text, sizeof(text)));
	CHECK_STR(expected, obstacle__limit(0, text, sizeof(text)));
	nr_fakes = 0;
}

static void a_driver_without_a_source(void)
{
	fake("i915", "0000:00:02.0", false);
	is_said(NONE_YET("i915 at 0000:00:02.0"));
	fake("i915", "0000:00:02.0", false);
	fake("amdgpu", "0000:03:00.0", false);
	is_said(NONE_YET("i915 at 0000:00:02.0, amdgpu at 0000:03:00.0"));
}

static void a_driver_with_a_source(void)
{
	/* the modules of the machine that this runs on are what they are */
	if (!access("/sys/module/gpu_pmu_virtio", F_OK))
		return;
	fake("virtio_gpu", "virtio0", false);
	is_said(VIRTIO("virtio_gpu at virtio0"));
	fake("virtio_gpu", "virtio0", false);
	fake("xe", "0000:00:02.0", false);
	fake("virtio_gpu", "virtio3", false);
	is_said(VIRTIO("virtio_gpu at virtio0, virtio_gpu at virtio3") "; "
		NONE_YET("xe at 0000:00:02.0"));
}

static void what_is_covered_is_no_limit(void)
{
	const char *limit;

	fake("virtio_gpu", "virtio0", true);
	fake("xe", "0000:00:02.0", false);
	is_said(NONE_YET("xe at 0000:00:02.0"));
	fake("virtio_gpu", "virtio0", true);
	limit = obstacle__limit(0, text, sizeof(text));
	CHECK(!limit || !strstr(limit, "source of GPU events"));
	nr_fakes = 0;
}

static void no_device_at_all(void)
{
	CHECK_STR("there is no GPU here: no driver has made a device in /dev/dri, load the GPU's",
		  obstacle__of_query(-ENODEV, text, sizeof(text)));
}

/* names are cut, and nothing is written behind the text's end */
static void more_than_there_is_room_for(void)
{
	for (unsigned int i = 0; i < 40; i++)
		fake(i % 2 ? "virtio_gpu" : "a-driver-with-a-long-name", "0000:00:00.0", false);
	CHECK(strlen(obstacle__of_query(-ENODEV, text, sizeof(text))) < sizeof(text));
	CHECK(strlen(obstacle__of_query(-ENODEV, text, 40)) < 40);
	nr_fakes = 0;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_driver_without_a_source),
		TEST(a_driver_with_a_source),
		TEST(what_is_covered_is_no_limit),
		TEST(no_device_at_all),
		TEST(more_than_there_is_room_for),
	};

	return TESTS_RUN(tests);
}
