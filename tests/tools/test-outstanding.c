// SPDX-License-Identifier: GPL-2.0
/* Against a list that is looked through from its begin to its end. */
#include <stdlib.h>
#include <string.h>

#include "report/outstanding.h"
#include "test.h"

#define MODEL_MAX	4096

struct model_job {
	struct fence fence;
	uint32_t stack;
};

static struct model_job model[MODEL_MAX];
static uint32_t model_nr;

static int model_find(const struct fence *fence)
{
	for (uint32_t i = 0; i < model_nr; i++)
		if (model[i].fence.dev == fence->dev && model[i].fence.context == fence->context &&
		    model[i].fence.seqno == fence->seqno)
			return i;
	return -1;
}

static void model_remove(uint32_t at)
{
	memmove(&model[at], &model[at + 1], (--model_nr - at) * sizeof(*model));
}

static struct fence any_fence(unsigned int range)
{
	return (struct fence){
		.dev = 128 + test_random() % 2,
		.context = test_random() % 4,
		.seqno = test_random() % range,
	};
}

static void compare(uint32_t max, unsigned int range, unsigned int steps)
{
	struct outstanding *o = outstanding__new(max);

	model_nr = 0;
	for (unsigned int i = 0; i < steps; i++) {
		struct fence fence = any_fence(range);
		int at = model_find(&fence);
		uint32_t stack = 0;
		bool evicted;

		if (test_random() % 5 < 3) {
			CHECK_EQ(at >= 0, outstanding__put(o, &fence, i, &evicted));
			CHECK_EQ(at < 0 && model_nr == max, evicted);
			if (at < 0) {
				if (model_nr == max)
					model_remove(0);
				model[model_nr++] = (struct model_job){ fence, i };
			}
		} else {
			CHECK_EQ(at >= 0, outstanding__take(o, &fence, &stack));
			if (at >= 0) {
				CHECK_EQ(model[at].stack, stack);
				model_remove(at);
			}
		}
		CHECK_EQ(model_nr, outstanding__nr(o));
	}
	outstanding__delete(o);
}

static void as_the_model_says(void)
{
	compare(4000, 1500, 40000);
}

static void the_oldest_one_goes(void)
{
	compare(7, 20, 40000);
	compare(1, 3, 10000);
}

static void none_is_there_at_first(void)
{
	struct outstanding *o = outstanding__new(10);
	struct fence fence = { 128, 1, 1 };
	uint32_t stack;

	CHECK(!outstanding__take(o, &fence, &stack));
	CHECK_EQ(0, outstanding__nr(o));
	outstanding__delete(o);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(none_is_there_at_first),
		TEST(as_the_model_says),
		TEST(the_oldest_one_goes),
	};

	return TESTS_RUN(tests);
}
