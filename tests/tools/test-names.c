// SPDX-License-Identifier: GPL-2.0
/* Names of devices and engines. */
#include <errno.h>

#include "fake-query.h"
#include "kernel/names.h"
#include "test.h"

static const struct gpu_pmu_engine_info engines[] = { { "render" }, { "copy" }, { "" } };
static const struct fake_device devices[] = {
	{ .info = { .dev = 130, .nr_engines = 3, .driver = "a" }, .engine = engines },
	{ .info = { .dev = 128, .nr_engines = 1, .driver = "b" }, .engine = engines + 1 },
	/* it goes before it is asked for its engines; and one that has none */
	{ .info = { .dev = 129, .nr_engines = 3, .driver = "c" }, .err = -ENODEV },
	{ .info = { .dev = 131, .driver = "d" }, .engine = engines },
};
static struct names names;

static void of_all_devices(void)
{
	fake_devices(devices, 4, 0);
	CHECK_EQ(0, names__get(&names));
	CHECK_STR("render", names__engine(&names, 130, 0));
	CHECK_STR("copy", names__engine(&names, 130, 1));
	CHECK_STR("", names__engine(&names, 130, 2));
	CHECK(!names__engine(&names, 130, 3));
	CHECK_STR("copy", names__engine(&names, 128, 0));
	CHECK(!names__engine(&names, 128, 1));
	CHECK(!names__engine(&names, 128, GPU_PMU_SAMPLE_NO_ENGINE));
	CHECK(!names__engine(&names, 128, UINT32_MAX));
	CHECK(!names__engine(&names, 129, 0));
	CHECK(!names__engine(&names, 131, 0));
	CHECK(!names__engine(&names, 0, 0));
	CHECK_STR("c", names__device(&names, 129)->driver);
	CHECK(!names__device(&names, 132));
	names__put(&names);
	CHECK(!names__device(&names, 128));
	names__put(&names);
}

static void of_none(void)
{
	fake_devices(devices, 0, 0);
	CHECK_EQ(0, names__get(&names));
	CHECK(!names__engine(&names, 128, 0));
	names__put(&names);
	fake_devices(devices, 4, -ENOENT);
	CHECK_EQ((uint64_t)-ENOENT, names__get(&names));
	CHECK(!names__engine(&names, 128, 0));
	names__put(&names);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(of_all_devices),
		TEST(of_none),
	};

	return TESTS_RUN(tests);
}
