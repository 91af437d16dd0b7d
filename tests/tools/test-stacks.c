// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/stacks.h"
#include "test.h"

static void a_name_is_kept_once(void)
{
	struct stacks *stacks = stacks__new();
	uint32_t f = stacks__name(stacks, "f"), empty = stacks__name(stacks, "");

	CHECK_EQ(1, f);
	CHECK_EQ(2, empty);
	CHECK_EQ(f, stacks__name(stacks, "f"));
	CHECK_EQ(2, stacks__nr_names(stacks));
	CHECK_STR("f", stacks__name_of(stacks, f));
	CHECK_STR("", stacks__name_of(stacks, empty));
	CHECK_STR("", stacks__name_of(stacks, 0));
	CHECK_STR("", stacks__name_of(stacks, 3));
	stacks__delete(stacks);
}

static void a_name_stays_where_it_is(void)
{
	struct stacks *stacks = stacks__new();
	const char *first = stacks__name_of(stacks, stacks__name(stacks, "the first one"));
	char *long_name = malloc(200000), text[32];

	memset(long_name, 'x', 199999);
	long_name[199999] = '\0';
	for (unsigned int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		CHECK_EQ(i + 2, stacks__name(stacks, text));
	}
	CHECK_EQ(50002, stacks__name(stacks, long_name));
	CHECK_EQ(50002, stacks__name(stacks, long_name));
	CHECK_STR(long_name, stacks__name_of(stacks, 50002));
	for (unsigned int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		CHECK_EQ(i + 2, stacks__name(stacks, text));
		CHECK_STR(text, stacks__name_of(stacks, i + 2));
	}
	CHECK(first == stacks__name_of(stacks, 1));
	CHECK_STR("the first one", first);
	free(long_name);
	stacks__delete(stacks);
}

static void a_stack_is_kept_once(void)
{
	struct stacks *stacks = stacks__new();
	uint32_t main_name = stacks__name(stacks, "main"), f = stacks__name(stacks, "f");
	uint32_t a = stacks__push(stacks, STACK_NONE, main_name);
	uint32_t b = stacks__push(stacks, a, f);
	uint32_t c = stacks__push(stacks, b, f);
	uint32_t other = stacks__push(stacks, STACK_NONE, f);

	CHECK_EQ(4, stacks__nr(stacks));
	CHECK(a && b > a && c > b && other > c);
	CHECK_EQ(b, stacks__push(stacks, a, f));
	CHECK_EQ(4, stacks__nr(stacks));
	CHECK_EQ(b, stacks__caller(stacks, c));
	CHECK_EQ(STACK_NONE, stacks__caller(stacks, a));
	CHECK_EQ(3, stacks__depth(stacks, c));
	CHECK_EQ(1, stacks__depth(stacks, other));
	CHECK_EQ(0, stacks__depth(stacks, STACK_NONE));
	CHECK_STR("main", stacks__frame(stacks, a));
	CHECK_STR("f", stacks__frame(stacks, c));
	CHECK_STR("", stacks__frame(stacks, 99));
	stacks__delete(stacks);
}

/* many, in any order: each is found again by what it is */
static void many_stacks_are_told_apart(void)
{
	enum { NR = 30000, NAMES = 40 };
	struct stacks *stacks = stacks__new();
	uint32_t *caller = calloc(NR + 1, sizeof(*caller)), *name = calloc(NR + 1, sizeof(*name));
	uint32_t nr = 0;
	char text[16];

	for (unsigned int i = 0; i < NAMES; i++) {
		snprintf(text, sizeof(text), "f%u", i);
		stacks__name(stacks, text);
	}
	while (nr < NR) {
		uint32_t from = test_random() % (nr + 1), of = test_random() % NAMES + 1;
		uint32_t stack = stacks__push(stacks, from, of);

		if (stack > nr) {
			CHECK_EQ(nr + 1, stack);
			nr++;
			caller[stack] = from;
			name[stack] = of;
		}
		CHECK_EQ(from, caller[stack]);
		CHECK_EQ(of, name[stack]);
	}
	for (uint32_t i = 1; i <= nr; i++) {
		CHECK_EQ(i, stacks__push(stacks, caller[i], name[i]));
		CHECK_EQ(stacks__depth(stacks, caller[i]) + 1, stacks__depth(stacks, i));
		CHECK(stacks__caller(stacks, i) < i);
	}
	CHECK_EQ(NR, stacks__nr(stacks));
	free(caller);
	free(name);
	stacks__delete(stacks);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_name_is_kept_once),
		TEST(a_name_stays_where_it_is),
		TEST(a_stack_is_kept_once),
		TEST(many_stacks_are_told_apart),
	};

	return TESTS_RUN(tests);
}
