// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "report/histogram.h"
#include "test.h"

#define NR	20000

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* against what is true: the values, sorted */
static void values_check(uint64_t *values, unsigned int nr)
{
	static const double shares[] = { 0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1 };
	struct histogram histogram = {};
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr; i++) {
		CHECK_EQ(0, histogram__add(&histogram, values[i]));
		sum += values[i];
	}
	qsort(values, nr, sizeof(*values), compare);
	CHECK_EQ(nr, histogram.nr);
	CHECK_EQ(sum, histogram.sum);
	CHECK_EQ(values[0], histogram.min);
	CHECK_EQ(values[nr - 1], histogram.max);
	for (unsigned int i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		uint64_t rank = ceil(shares[i] * nr);
		uint64_t expected = values[rank ? rank - 1 : 0];
		uint64_t got = histogram__quantile(&histogram, shares[i]);

		CHECK(fabs((double)got - (double)expected) <= 0.01 * expected);
	}
	CHECK_EQ(values[nr - 1], histogram__quantile(&histogram, 1));
	CHECK_EQ(values[0], histogram__quantile(&histogram, 0));
	histogram__clear(&histogram);
	CHECK_EQ(0, histogram.nr);
}

static void any_values(void)
{
	uint64_t *values = calloc(NR, sizeof(*values));

	for (unsigned int i = 0; i < NR; i++)
		values[i] = test_random() >> (test_random() % 64);
	values_check(values, NR);
	free(values);
}

static void values_of_one_size(void)
{
	uint64_t *values = calloc(NR, sizeof(*values));

	for (unsigned int i = 0; i < NR; i++)
		values[i] = 1000000 + test_random() % 100000;
	values_check(values, NR);
	free(values);
}

static void small_values_are_exact(void)
{
	struct histogram histogram = {};

	for (uint64_t i = 0; i < 128; i++)
		histogram__add(&histogram, i);
	for (uint64_t i = 0; i < 128; i++)
		CHECK_EQ(i, histogram__quantile(&histogram, (i + 1) / 128.0));
	histogram__clear(&histogram);
}

static void the_edges(void)
{
	struct histogram histogram = {};

	CHECK_EQ(0, histogram__quantile(&histogram, 0.5));
	histogram__add(&histogram, UINT64_MAX);
	CHECK_EQ(UINT64_MAX, histogram__quantile(&histogram, 0.5));
	histogram__add(&histogram, 0);
	CHECK_EQ(0, histogram.min);
	CHECK_EQ(0, histogram__quantile(&histogram, 0.5));
	CHECK_EQ(UINT64_MAX, histogram__quantile(&histogram, 0.99));
	for (unsigned int i = 0; i < 64; i++)
		histogram__add(&histogram, 1ULL << i);
	CHECK_EQ(66, histogram.nr);
	histogram__clear(&histogram);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(any_values),
		TEST(values_of_one_size),
		TEST(small_values_are_exact),
		TEST(the_edges),
	};

	return TESTS_RUN(tests);
}
