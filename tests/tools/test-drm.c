// SPDX-License-Identifier: GPL-2.0
/* The machine's devices, as they are; and what becomes of them. */
#include <stdlib.h>

#include "fake-query.h"
#include "kernel/drm.h"
#include "test.h"

/* drm_nodes__get() lets go of them if it fails; and who has called it may do so, too */
static void they_are_let_go_of_once(void)
{
	struct drm_nodes nodes = { .nr = 1, .node = calloc(1, sizeof(*nodes.node)) };

	drm_nodes__put(&nodes);
	CHECK(!nodes.node);
	CHECK_EQ(0, nodes.nr);
	drm_nodes__put(&nodes);
}

static void those_of_this_machine(void)
{
	struct drm_nodes nodes;

	fake_devices(NULL, 0, 0);
	CHECK_EQ(0, drm_nodes__get(&nodes));
	CHECK_EQ(0, drm_nodes__cover(&nodes));
	for (unsigned int i = 0; i < nodes.nr; i++) {
		CHECK(*nodes.node[i].driver && *nodes.node[i].bus);
		CHECK(!nodes.node[i].covered);
		CHECK(!i || nodes.node[i - 1].minor < nodes.node[i].minor);
	}
	drm_nodes__put(&nodes);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(they_are_let_go_of_once),
		TEST(those_of_this_machine),
	};

	return TESTS_RUN(tests);
}
