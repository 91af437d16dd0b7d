// SPDX-License-Identifier: GPL-2.0
/*
 * From reports to counters, on cases whose result was computed by hand. A case
 * is what a unit with four counters wrote about two engines, and when it was
 * read. The clock ticks once in 10 ns; it is read 2 ns after the kernel's, and 3
 * ns before the kernel's second time.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/limits.h>

#include "../../drivers/perf/gpu/report.h"
#include "unit.h"

#define NR_ENGINES	2
#define NR_NATIVE	4
#define NR_COUNTERS	(GPU_NR_COUNTERS + 5)
#define NR_CONTEXTS	3

/* a wide one, to see that it is not cut */
#define NUMBER(i)	(0xabcdef0100000000ULL + (i))

static const struct gpu_pmu_counter counters[NR_NATIVE] = {
	{ .name = "c32", .width = 32 },
	{ .name = "c40", .width = 40 },
	{ .name = "c64", .width = 64 },
	{ .name = "c1", .width = 1 },
};

enum { C32, C40, C64, C1 };

/* not in their order, and not all that the device has */
static const u8 slot_of[NR_NATIVE] = {
	GPU_NR_COUNTERS + 3, GPU_NR_COUNTERS, GPU_NR_COUNTERS + 4, GPU_NR_COUNTERS + 1,
};

static struct gpu_pmu_unit unit;
static struct gpu_reports *reports;
static struct gpu_account *all, *device, *ctx[NR_CONTEXTS];
static u64 born[NR_CONTEXTS];
static bool there[NR_CONTEXTS];

static unsigned int nr_found;
static u64 found_time;
static u32 sequence;	/* of the report that was written last */

static struct gpu_account *find(struct gpu_reports *from, u64 number, u64 time)
{
	CHECK(from == reports);
	nr_found++;
	found_time = time;
	for (unsigned int i = 0; i < NR_CONTEXTS; i++)
		if (number == NUMBER(i))
			return there[i] && born[i] <= time ? ctx[i] : NULL;
	return NULL;
}

static struct gpu_account *account_new(struct gpu_account *up)
{
	size_t size = sizeof(struct gpu_account) +
		      gpu_account_bytes(NR_ENGINES, NR_COUNTERS);
	struct gpu_account *account = malloc(size);

	gpu_account_init(account, up, NR_ENGINES, NR_COUNTERS);
	return account;
}

static void clock_read(u64 ticks, u64 ns)
{
	struct gpu_clock_pair pair = {
		.ticks = ticks,
		.before = ns - 2,
		.after = ns + 3,
	};

	gpu_reports_clock(reports, &pair);
}

static void setup(unsigned int clock_width, u64 ticks)
{
	size_t size = sizeof(*reports) + NR_ENGINES * sizeof(reports->engine[0]);

	all = account_new(NULL);
	device = account_new(all);
	for (unsigned int i = 0; i < NR_CONTEXTS; i++) {
		ctx[i] = account_new(device);
		born[i] = 0;
		there[i] = true;
	}
	unit = (struct gpu_pmu_unit) {
		.counters = counters,
		.nr_counters = NR_NATIVE,
		.tick_ns = 10,
		.clock_width = clock_width,
	};
	reports = malloc(size);
	memset(reports, 0, size);
	reports->unit = &unit;
	reports->slot = slot_of;
	reports->account = device;
	reports->find = find;
	reports->nr_engines = NR_ENGINES;
	nr_found = 0;
	sequence = 0;
	clock_read(ticks, 1000000);
}

static u64 count(struct gpu_account *account, unsigned int slot, unsigned int counter)
{
	return gpu_account_slot(account, slot)[slot_of[counter]];
}

static u64 lost(void)
{
	return gpu_account_slot(device, 0)[GPU_COUNTER_LOST];
}

/* what no context has */
static u64 unattributed(unsigned int slot, unsigned int counter)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < NR_CONTEXTS; i++)
		sum += count(ctx[i], slot, counter);
	CHECK(sum <= count(device, slot, counter));
	return count(device, slot, counter) - sum;
}

/* both engines, of all counters, in all scopes; and nothing else was counted */
static void check_identity(void)
{
	for (unsigned int c = 0; c < NR_NATIVE; c++) {
		for (unsigned int s = 0; s <= NR_ENGINES; s++) {
			CHECK_EQ(count(all, s, c), count(device, s, c));
			unattributed(s, c);
		}
		CHECK_EQ(count(device, 0, c), count(device, 1, c) + count(device, 2, c));
		for (unsigned int i = 0; i < NR_CONTEXTS; i++)
			CHECK_EQ(count(ctx[i], 0, c),
				 count(ctx[i], 1, c) + count(ctx[i], 2, c));
	}
	for (unsigned int i = 0; i < NR_COUNTERS; i++) {
		bool native = memchr(slot_of, i, sizeof(slot_of));

		CHECK(native || i == GPU_COUNTER_LOST ||
		      !gpu_account_slot(device, 0)[i]);
	}
	CHECK_EQ(gpu_account_slot(all, 0)[GPU_COUNTER_LOST], lost());
	CHECK_EQ(gpu_account_slot(device, 1)[GPU_COUNTER_LOST], 0);
}

static void teardown(void)
{
	check_identity();
	for (unsigned int i = 0; i < NR_CONTEXTS; i++)
		free(ctx[i]);
	free(device);
	free(all);
	free(reports);
}

/* ---- reports ---- */

static void report_values(unsigned int engine, u64 who, u64 time, u64 c32, u64 c40,
			  u64 c64, u64 c1)
{
	struct gpu_pmu_report report = {
		.engine = engine,
		.ctx = who,
		.time = time,
		.sequence = sequence,
		.value = { c32, c40, c64, c1 },
	};

	gpu_reports_add(reports, &report);
	gpu_reports_settle(reports);
}

/* the next one, and of it only the first counter */
static void report(unsigned int engine, u64 who, u64 time, u64 c32)
{
	sequence++;
	report_values(engine, who, time, c32, 0, 0, 0);
}

static void report_numbered(u32 number, unsigned int engine, u64 who, u64 time, u64 c32)
{
	sequence = number;
	report_values(engine, who, time, c32, 0, 0, 0);
}

/* ---- whose it is ---- */

/* it says where the counters stand; what they have counted is not known */
static void first_report(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	sequence = 1;
	report_values(0, NUMBER(0), 1050, 123, 456, 789, 1);
	CHECK_EQ(nr_found, 0);
	for (unsigned int c = 0; c < NR_NATIVE; c++)
		CHECK_EQ(count(device, 0, c), 0);
	CHECK_EQ(lost(), 0);
	teardown();
}

/* up to the next report it is the one's that the report before it names */
static void owner_is_named_before(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1010, 100);
	report(0, NUMBER(1), 1020, 150);
	report(0, 0, 1030, 170);
	report(0, NUMBER(0), 1040, 171);
	report(0, NUMBER(0), 1050, 181);
	report(0, NUMBER(2), 1060, 281);
	CHECK_EQ(count(ctx[0], 1, C32), 50 + 10 + 100);
	CHECK_EQ(count(ctx[1], 1, C32), 20);
	CHECK_EQ(count(ctx[2], 1, C32), 0);
	CHECK_EQ(unattributed(1, C32), 1);	/* while it ran none */
	CHECK_EQ(count(device, 1, C32), 181);
	CHECK_EQ(count(device, 2, C32), 0);
	CHECK_EQ(nr_found, 4);
	CHECK_EQ(lost(), 0);
	teardown();
}

static void counters_are_apart(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	sequence = 1;
	report_values(0, NUMBER(0), 1010, 10, 20, 30, 0);
	sequence = 2;
	report_values(0, NUMBER(1), 1020, 11, 22, 33, 1);
	sequence = 3;
	report_values(0, 0, 1030, 11, 122, 1033, 1);
	CHECK_EQ(count(ctx[0], 1, C32), 1);
	CHECK_EQ(count(ctx[0], 1, C40), 2);
	CHECK_EQ(count(ctx[0], 1, C64), 3);
	CHECK_EQ(count(ctx[0], 1, C1), 1);
	CHECK_EQ(count(ctx[1], 1, C32), 0);
	CHECK_EQ(count(ctx[1], 1, C40), 100);
	CHECK_EQ(count(ctx[1], 1, C64), 1000);
	CHECK_EQ(count(ctx[1], 1, C1), 0);
	CHECK_EQ(nr_found, 2);	/* once for each report */
	/* they are where the device wants them */
	CHECK_EQ(gpu_account_slot(ctx[0], 1)[GPU_NR_COUNTERS + 3], 1);
	CHECK_EQ(gpu_account_slot(ctx[0], 1)[GPU_NR_COUNTERS], 2);
	CHECK_EQ(gpu_account_slot(ctx[0], 1)[GPU_NR_COUNTERS + 2], 0);
	teardown();
}

/* each has values, a context and a time of its own */
static void two_engines_interleaved(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1010, 100);
	report(1, NUMBER(1), 1010, 5000);
	report(0, NUMBER(1), 1030, 110);
	report(1, 0, 1020, 5007);	/* older than the other engine's */
	report(1, NUMBER(0), 1040, 5008);
	report(0, NUMBER(1), 1040, 140);
	report(1, NUMBER(0), 1050, 5508);
	CHECK_EQ(count(ctx[0], 1, C32), 10);
	CHECK_EQ(count(ctx[0], 2, C32), 500);
	CHECK_EQ(count(ctx[0], 0, C32), 510);
	CHECK_EQ(count(ctx[1], 1, C32), 30);
	CHECK_EQ(count(ctx[1], 2, C32), 7);
	CHECK_EQ(unattributed(2, C32), 1);
	CHECK_EQ(count(device, 1, C32), 40);
	CHECK_EQ(count(device, 2, C32), 508);
	CHECK_EQ(lost(), 0);
	teardown();
}

/* what it does is the engine's and the device's; each report of it is a loss */
static void unknown_context(void)
{
	setup(32, 1000);
	there[1] = false;
	clock_read(1100, 1001000);
	sequence = 1;
	report_values(0, NUMBER(1), 1010, 100, 0, 0, 0);
	CHECK_EQ(lost(), 0);
	sequence = 2;
	report_values(0, NUMBER(1), 1020, 110, 5, 6, 1);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(nr_found, 1);
	report(0, NUMBER(77), 1030, 110);
	CHECK_EQ(lost(), 2);	/* the other counters have moved */
	report(0, NUMBER(0), 1040, 120);
	CHECK_EQ(lost(), 3);
	report(0, 0, 1050, 125);
	CHECK_EQ(lost(), 3);
	CHECK_EQ(unattributed(1, C32), 20);
	CHECK_EQ(count(ctx[0], 1, C32), 5);
	CHECK_EQ(count(device, 1, C32), 25);
	teardown();
}

/* who has counted nothing is not looked for, and nothing is lost of it */
static void unknown_context_that_did_nothing(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(77), 1010, 100);
	report(0, NUMBER(0), 1020, 100);
	report(0, 0, 1030, 105);
	CHECK_EQ(lost(), 0);
	CHECK_EQ(nr_found, 1);
	CHECK_EQ(count(ctx[0], 1, C32), 5);
	teardown();
}

/*
 * A number that was another context's when the report was written. The clock is
 * read at 1001003 at the latest; a report of n ticks ago is from 10 n ns before.
 */
static void context_born_later(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	born[0] = 1001003 - 600;
	born[1] = 1001003 - 599;
	report(0, NUMBER(0), 1040, 100);
	report(0, NUMBER(1), 1040, 110);
	CHECK_EQ(found_time, 1001003 - 600);
	CHECK_EQ(count(ctx[0], 1, C32), 10);
	CHECK_EQ(lost(), 0);
	report(0, NUMBER(1), 1041, 130);
	CHECK_EQ(found_time, 1001003 - 600);
	CHECK_EQ(count(ctx[1], 1, C32), 0);
	CHECK_EQ(unattributed(1, C32), 20);
	CHECK_EQ(lost(), 1);
	report(0, 0, 1100, 170);
	CHECK_EQ(found_time, 1001003 - 590);
	CHECK_EQ(count(ctx[1], 1, C32), 40);
	CHECK_EQ(lost(), 1);
	teardown();
}

/* the time of a report stays what it was when it was read, rounds later */
static void context_of_a_round_before(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1090, 100);
	born[0] = 1001500;
	clock_read(1200, 1002000);
	clock_read(1300, 1003000);
	report(0, NUMBER(0), 1290, 150);
	CHECK_EQ(found_time, 1001003 - 100);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 0);
	report(0, NUMBER(0), 1300, 151);
	CHECK_EQ(found_time, 1003003 - 100);
	CHECK_EQ(count(ctx[0], 1, C32), 1);
	teardown();
}

/* ---- widths ---- */

static void check_wrap(unsigned int counter, u64 from, u64 to, u64 delta)
{
	u64 value[NR_NATIVE] = { 7, 7, 7, 1 };

	setup(32, 1000);
	clock_read(1100, 1001000);
	value[counter] = from;
	sequence = 1;
	report_values(1, NUMBER(0), 1010, value[0], value[1], value[2], value[3]);
	value[counter] = to;
	sequence = 2;
	report_values(1, NUMBER(1), 1020, value[0], value[1], value[2], value[3]);
	for (unsigned int c = 0; c < NR_NATIVE; c++) {
		CHECK_EQ(count(ctx[0], 2, c), c == counter ? delta : 0);
		CHECK_EQ(count(device, 2, c), c == counter ? delta : 0);
	}
	CHECK_EQ(lost(), 0);
	teardown();
}

static void wrap_of_32_bits(void)
{
	check_wrap(C32, 0xfffffffb, 4, 9);
	check_wrap(C32, 0xffffffff, 0, 1);
	check_wrap(C32, 0, 0xffffffff, 0xffffffff);
	check_wrap(C32, 5, 4, 0xffffffff);
	check_wrap(C32, 0x7fffffff, 0x80000000, 1);
}

static void wrap_of_40_bits(void)
{
	check_wrap(C40, 0xfffffffffb, 4, 9);
	check_wrap(C40, 0xffffffffff, 0, 1);
	check_wrap(C40, 0xfffffffb, 0x100000004, 9);	/* nothing at 32 */
	check_wrap(C40, 5, 4, 0xffffffffff);
	check_wrap(C40, 0, 0x8000000000, 0x8000000000);
}

static void wrap_of_64_bits(void)
{
	check_wrap(C64, ~0ULL - 4, 4, 9);
	check_wrap(C64, ~0ULL, 0, 1);
	check_wrap(C64, 5, 4, ~0ULL);
	check_wrap(C64, 0xfffffffffb, 0x10000000004, 9);	/* nothing at 40 */
	check_wrap(C64, 0, 1ULL << 63, 1ULL << 63);
}

static void wrap_of_one_bit(void)
{
	check_wrap(C1, 0, 1, 1);
	check_wrap(C1, 1, 0, 1);
	check_wrap(C1, 1, 1, 0);
	check_wrap(C1, 0, 0, 0);
}

static void many_wraps(void)
{
	u32 value = 0;
	u64 sum = 0;

	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1000, value);
	for (u32 i = 1; i <= 100; i++) {
		u32 step = 0x90000000 + i;

		value += step;
		sum += step;
		report(0, NUMBER(0), 1000 + i, value);
	}
	CHECK_EQ(count(ctx[0], 1, C32), sum);
	CHECK(sum >> 32 == 56);
	teardown();
}

/* ---- numbers ---- */

static void gap_of_one(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1010, 100);
	report(0, NUMBER(0), 1020, 110);
	sequence++;
	report(0, NUMBER(1), 1040, 130);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 10);
	CHECK_EQ(count(ctx[1], 1, C32), 0);
	CHECK_EQ(unattributed(1, C32), 20);
	CHECK_EQ(count(device, 1, C32), 30);
	/* from there on it is known again */
	report(0, 0, 1050, 135);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[1], 1, C32), 5);
	CHECK_EQ(unattributed(1, C32), 20);
	teardown();
}

/* the one that is missing may have been any engine's */
static void gap_concerns_all_engines(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1010, 100);
	report(1, NUMBER(1), 1010, 200);
	report(1, NUMBER(1), 1020, 210);
	sequence++;
	report(0, NUMBER(0), 1030, 101);	/* nobody's */
	report(0, NUMBER(0), 1040, 103);
	report(1, NUMBER(1), 1050, 230);	/* nobody's */
	report(1, NUMBER(1), 1060, 270);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 2);
	CHECK_EQ(unattributed(1, C32), 1);
	CHECK_EQ(count(ctx[1], 2, C32), 10 + 40);
	CHECK_EQ(unattributed(2, C32), 20);
	CHECK_EQ(count(device, 0, C32), 3 + 70);
	teardown();
}

/* and the first of an engine is none that follows something */
static void gap_before_the_first_of_an_engine(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1010, 100);
	sequence++;
	report(1, NUMBER(1), 1020, 200);
	report(1, 0, 1030, 210);
	report(0, 0, 1040, 150);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[1], 2, C32), 10);
	CHECK_EQ(count(ctx[0], 0, C32), 0);
	CHECK_EQ(count(device, 1, C32), 50);
	teardown();
}

static u64 lost_between(u32 first, u32 second)
{
	u64 nr;

	setup(32, 1000);
	clock_read(1100, 1001000);
	reports->sequence = first - 1;	/* any number is a beginning */
	report_numbered(first, 0, NUMBER(0), 1010, 100);
	CHECK_EQ(lost(), 0);
	report_numbered(second, 0, NUMBER(0), 1020, 110);
	nr = lost();
	CHECK_EQ(count(device, 1, C32), 10);
	CHECK_EQ(count(ctx[0], 1, C32), nr ? 0 : 10);
	/* it goes on from the second */
	report_numbered(second == U32_MAX ? 1 : second + 1, 0, NUMBER(0), 1030, 111);
	CHECK_EQ(lost(), nr);
	CHECK_EQ(count(ctx[0], 1, C32), nr ? 1 : 11);
	teardown();
	return nr;
}

/* there were some before the first that is read, and the unit had said so */
static void gap_at_the_start(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report_numbered(4, 0, NUMBER(0), 1010, 100);
	CHECK_EQ(lost(), 3);
	report_numbered(5, 0, NUMBER(0), 1020, 110);
	CHECK_EQ(lost(), 3);
	CHECK_EQ(count(ctx[0], 1, C32), 10);
	teardown();
}

static u64 lost_at_the_end(u32 read, u32 made)
{
	u64 nr;

	setup(32, 1000);
	clock_read(1100, 1001000);
	reports->sequence = read - 1;
	report_numbered(read, 0, NUMBER(0), 1010, 100);
	gpu_reports_end(reports, made);
	nr = lost();
	teardown();
	return nr;
}

/* the unit has made more than were read */
static void gap_at_the_end(void)
{
	CHECK_EQ(lost_at_the_end(7, 7), 0);
	CHECK_EQ(lost_at_the_end(7, 8), 1);
	CHECK_EQ(lost_at_the_end(7, 1007), 1000);
	CHECK_EQ(lost_at_the_end(U32_MAX, 1), 1);
	/* the unit has gone on, and more were read than it had made by then */
	CHECK_EQ(lost_at_the_end(7, 6), 0);
	CHECK_EQ(lost_at_the_end(1, U32_MAX), 0);
	CHECK_EQ(lost_at_the_end(2, U32_MAX - 5), 0);
	CHECK_EQ(lost_at_the_end(U32_MAX - 1, 2), 3);
}

static void gap_of_many(void)
{
	CHECK_EQ(lost_between(1, 2), 0);
	CHECK_EQ(lost_between(1, 3), 1);
	CHECK_EQ(lost_between(1, 1000), 998);
	CHECK_EQ(lost_between(77777, 77778), 0);
	CHECK_EQ(lost_between(77777, 177778), 100000);
	CHECK_EQ(lost_between(0x7ffffff0, 0x80000010), 31);
	CHECK_EQ(lost_between(1, 0x80000000), 0x7ffffffe);
	CHECK_EQ(lost_between(1, 0x80000001), 0x7fffffff);
}

/* the numbers are U32_MAX - 1, U32_MAX, 1, 2 */
static void gap_across_the_end_of_the_numbers(void)
{
	CHECK_EQ(lost_between(U32_MAX, 1), 0);
	CHECK_EQ(lost_between(U32_MAX, 2), 1);
	CHECK_EQ(lost_between(U32_MAX - 1, 1), 1);
	CHECK_EQ(lost_between(U32_MAX - 2, 3), 4);
	CHECK_EQ(lost_between(U32_MAX - 1, U32_MAX), 0);
	CHECK_EQ(lost_between(0x80000001, 1), 0x7ffffffe);
	CHECK_EQ(lost_between(0x80000001, 2), 0x7fffffff);
}

/* a number cannot be further ahead than half of all: it is behind */
static void old_numbers(void)
{
	CHECK_EQ(lost_between(5, 5), 1);
	CHECK_EQ(lost_between(5, 4), 1);
	CHECK_EQ(lost_between(1000, 1), 1);
	CHECK_EQ(lost_between(1, U32_MAX), 1);
	CHECK_EQ(lost_between(U32_MAX, U32_MAX), 1);
	CHECK_EQ(lost_between(1, 0x80000002), 1);
	CHECK_EQ(lost_between(0x80000001, 3), 1);
}

/* the same report again: it counts nothing, but nobody knows what it was instead of */
static void duplicate(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(1, NUMBER(1), 1010, 200);
	report(0, NUMBER(0), 1020, 100);
	report_numbered(2, 0, NUMBER(0), 1020, 100);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(device, 0, C32), 0);
	report(0, NUMBER(0), 1030, 107);	/* follows it */
	report(1, NUMBER(1), 1040, 250);	/* does not */
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 7);
	CHECK_EQ(count(ctx[1], 2, C32), 0);
	CHECK_EQ(count(device, 2, C32), 50);
	teardown();
}

/* it names nobody of this device: it is no better than one that is missing */
static void report_of_an_unknown_engine(void)
{
	static const unsigned int none[] = { NR_ENGINES, NR_ENGINES + 1, ~0U };

	for (unsigned int i = 0; i < ARRAY_SIZE(none); i++) {
		setup(32, 1000);
		clock_read(1100, 1001000);
		report(0, NUMBER(0), 1010, 100);
		report(1, NUMBER(1), 1010, 200);
		report(none[i], NUMBER(2), 1020, 500);
		CHECK_EQ(lost(), 1);
		report(0, NUMBER(0), 1030, 110);
		report(1, NUMBER(1), 1030, 220);
		report(0, NUMBER(0), 1040, 113);
		report(1, NUMBER(1), 1040, 224);
		CHECK_EQ(lost(), 1);	/* its number was not missing */
		CHECK_EQ(unattributed(1, C32), 10);
		CHECK_EQ(unattributed(2, C32), 20);
		CHECK_EQ(count(ctx[0], 1, C32), 3);
		CHECK_EQ(count(ctx[1], 2, C32), 4);
		CHECK_EQ(count(ctx[2], 0, C32), 0);
		teardown();
	}
}

/* ---- times ---- */

/* one loss; what it says is not counted, but the next one says it, too */
static void check_out_of_time(u64 time)
{
	report(0, NUMBER(0), time, 5000);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(device, 0, C32), 0);
	CHECK_EQ(nr_found, 0);
}

static void from_the_future(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1050, 100);
	report(1, NUMBER(1), 1100, 200);	/* now is not the future */
	report(1, NUMBER(1), 1100, 200);	/* nor is it older */
	check_out_of_time(1101);
	report(0, NUMBER(0), 1060, 120);
	report(1, NUMBER(1), 1100, 230);
	report(0, NUMBER(0), 1070, 125);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(unattributed(1, C32), 20);
	CHECK_EQ(count(ctx[0], 1, C32), 5);
	CHECK_EQ(unattributed(2, C32), 30);
	teardown();
}

static void older_than_the_last(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1050, 100);
	report(1, NUMBER(1), 1010, 200);	/* it is the engine's that counts */
	report(0, NUMBER(0), 1050, 100);
	check_out_of_time(1049);
	report(0, NUMBER(0), 1060, 120);
	report(0, 0, 1061, 121);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(unattributed(1, C32), 20);
	CHECK_EQ(count(ctx[0], 1, C32), 1);
	teardown();
}

/* also a round later */
static void older_than_the_last_of_a_round_before(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1050, 100);
	clock_read(1200, 1002000);
	check_out_of_time(1049);
	teardown();
}

/* if it is the clock that is wrong, it is so for the next one, too: no more loss */
static void out_of_time_twice(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1050, 100);
	check_out_of_time(1150);
	report(0, NUMBER(0), 1160, 110);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(unattributed(1, C32), 10);
	report(0, 0, 1170, 111);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 1);
	teardown();
}

/* the first of an engine can be compared with nothing */
static void first_times(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	report(0, NUMBER(0), 1105, 100);
	report(1, NUMBER(1), 5, 100);
	CHECK_EQ(lost(), 0);
	teardown();
}

/* a clock that wraps between reports, between readings, and at its very width */
static void wrap_of_the_clock(unsigned int width)
{
	u64 mask = width < 64 ? (1ULL << width) - 1 : ~0ULL;

	setup(width, mask - 99);
	clock_read(mask - 9, 1000900);	/* 90 ticks */
	CHECK_EQ(lost(), 0);
	report(0, NUMBER(0), mask - 30, 100);
	report(1, NUMBER(1), mask - 9, 200);
	clock_read(90, 1001900);	/* 100 ticks */
	CHECK_EQ(lost(), 0);
	report(0, NUMBER(0), mask, 110);
	report(0, NUMBER(0), 0, 120);
	CHECK_EQ(found_time, 1001903 - 910);
	report(0, NUMBER(0), 90, 130);
	CHECK_EQ(found_time, 1001903 - 900);
	CHECK_EQ(lost(), 0);
	CHECK_EQ(count(ctx[0], 1, C32), 30);
	report(1, NUMBER(1), mask - 10, 210);
	CHECK_EQ(lost(), 1);
	report(1, NUMBER(1), 5, 210);
	report(0, NUMBER(0), 91, 140);
	CHECK_EQ(lost(), 2);
	teardown();
}

static void wrap_of_the_clock_of_16_bits(void)
{
	wrap_of_the_clock(16);
}

static void wrap_of_the_clock_of_32_bits(void)
{
	wrap_of_the_clock(32);
}

static void wrap_of_the_clock_of_56_bits(void)
{
	wrap_of_the_clock(56);
}

static void wrap_of_the_clock_of_63_bits(void)
{
	wrap_of_the_clock(63);
}

static void wrap_of_the_clock_of_64_bits(void)
{
	wrap_of_the_clock(64);
}

/* what else is in the word that it was read from does not matter */
static void only_the_clocks_width_counts(void)
{
	setup(32, 1000);
	clock_read(0xdead000000000000ULL + 1100, 1001000);
	report(0, NUMBER(0), 0xbeef00000000ULL + 1050, 100);
	report(0, NUMBER(0), 0x100000000ULL + 1060, 110);
	report(0, 0, 1070, 115);
	CHECK_EQ(lost(), 0);
	CHECK_EQ(count(ctx[0], 1, C32), 15);
	CHECK_EQ(found_time, 1001003 - 400);
	teardown();
}

/* ---- the clock itself ---- */

/*
 * 2048000 ns after the first reading: 204800 ticks, and one less or none more for
 * the time that the readings take. A 1024th is 200; 2 more for the rounding.
 */
#define LEAST	(204799 - 202)
#define MOST	(204800 + 202)

static u64 lost_at(u64 ticks)
{
	u64 nr;

	setup(32, 0xfffffff0);
	clock_read(0xfffffff0 + ticks, 1000000 + 2048000);
	nr = lost();
	/* whatever it was, it is over */
	clock_read(0xfffffff0 + ticks + 100, 1000000 + 2048000 + 1000);
	CHECK_EQ(lost(), nr);
	teardown();
	return nr;
}

static void clocks_differ_a_little(void)
{
	CHECK_EQ(lost_at(204800), 0);
	CHECK_EQ(lost_at(204700), 0);
	CHECK_EQ(lost_at(204900), 0);
	CHECK_EQ(lost_at(LEAST), 0);
	CHECK_EQ(lost_at(MOST), 0);
}

static void clock_jumps(void)
{
	CHECK_EQ(lost_at(LEAST - 1), 1);
	CHECK_EQ(lost_at(MOST + 1), 1);
	CHECK_EQ(lost_at(0), 1);
	CHECK_EQ(lost_at(-5000), 1);
	CHECK_EQ(lost_at(0x7fffffff), 1);
	CHECK_EQ(lost_at(204800 * 2), 1);
	/* by all that it holds: nobody can see that */
	CHECK_EQ(lost_at(204800 + 0x100000000ULL), 0);
}

/* hardly any time has passed */
static void clock_read_twice(void)
{
	setup(32, 1000);
	clock_read(1000, 1000005);
	clock_read(1000, 1000010);
	clock_read(1001, 1000015);
	clock_read(1001, 1000020);
	CHECK_EQ(lost(), 0);
	/* 5 ns: up to 1 tick, and 2 that it may be off */
	clock_read(1004, 1000025);
	CHECK_EQ(lost(), 0);
	clock_read(1008, 1000030);
	CHECK_EQ(lost(), 1);
	clock_read(1006, 1000035);
	CHECK_EQ(lost(), 1);
	clock_read(1003, 1000040);
	CHECK_EQ(lost(), 2);
	teardown();
}

/* whoever read it was interrupted: then it may be from any time in between */
static void clock_read_slowly(void)
{
	struct gpu_clock_pair slow = { .before = 1001000, .after = 1021000 };
	static const struct {
		u64 ticks;
		u64 lost;
	} at[] = {
		{ 1000 + 99 - 4 - 1, 1 },
		{ 1000 + 99 - 4, 0 },
		{ 1100, 0 },
		{ 3100, 0 },
		{ 1000 + 2100 + 4, 0 },
		{ 1000 + 2100 + 4 + 1, 1 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++) {
		setup(32, 1000);
		slow.ticks = at[i].ticks;
		gpu_reports_clock(reports, &slow);
		CHECK_EQ(lost(), at[i].lost);
		/* from 0 to 2000 ticks after it, then 1000 more */
		clock_read(at[i].ticks + 1000, 1031000);
		CHECK_EQ(lost(), at[i].lost);
		clock_read(at[i].ticks + 2000, 1041000);
		CHECK_EQ(lost(), at[i].lost);
		teardown();
	}
}

/* by 3000 ticks, in a time of 500: old times and new ones, none of them is used */
static void times_after_a_jump(u64 jump)
{
	setup(32, 100000);
	clock_read(100100, 1001000);
	report(0, NUMBER(0), 100090, 100);
	report(1, NUMBER(1), 100090, 100);
	clock_read(100600 + jump, 1006000);
	CHECK_EQ(lost(), 1);
	report(0, NUMBER(0), 100500, 110);
	report(0, NUMBER(0), 100550 + jump, 120);
	CHECK_EQ(found_time, 1006003);
	report(1, NUMBER(1), 77, 130);
	report(1, NUMBER(1), 33, 150);
	CHECK_EQ(lost(), 1);
	/* of contexts and of engines nothing was lost */
	CHECK_EQ(count(ctx[0], 1, C32), 20);
	CHECK_EQ(count(ctx[1], 2, C32), 50);
	clock_read(101100 + jump, 1011000);
	report(0, NUMBER(0), 101050 + jump, 160);
	report(1, NUMBER(1), 101050 + jump, 170);
	report(0, NUMBER(0), 101060 + jump, 170);
	report(1, NUMBER(1), 101060 + jump, 180);
	CHECK_EQ(found_time, 1011003 - 500);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 70);
	CHECK_EQ(count(ctx[1], 2, C32), 80);
	/* and it is as strict as ever */
	report(0, NUMBER(0), 101059 + jump, 170);
	CHECK_EQ(lost(), 2);
	teardown();
}

static void jump_forward(void)
{
	times_after_a_jump(3000);
}

static void jump_back(void)
{
	times_after_a_jump(-3000);
}

static void jump_to_the_beginning(void)
{
	times_after_a_jump(-100600);
}

/* there was no report in the round of the jump: times of before do not count */
static void jump_without_reports(void)
{
	setup(32, 100000);
	clock_read(100100, 1001000);
	report(0, NUMBER(0), 100090, 100);
	report(1, NUMBER(1), 100090, 100);
	clock_read(97600, 1006000);	/* 3000 back */
	clock_read(107600, 1106000);	/* what was ahead is behind by now */
	report(0, NUMBER(0), 98200, 110);
	report(1, NUMBER(1), 98200, 120);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 10);
	CHECK_EQ(count(ctx[1], 2, C32), 20);
	teardown();
}

/*
 * It jumps back by 400 ticks, to 100300; what was written at 100650, right before
 * that, is read after it. The next report is from 100350: not from before.
 */
static void jump_back_less_than_a_round(void)
{
	setup(32, 100000);
	clock_read(100100, 1001000);
	report(0, NUMBER(0), 100090, 100);
	clock_read(100300, 1007000);
	CHECK_EQ(lost(), 1);
	report(0, NUMBER(0), 100650, 110);
	clock_read(100900, 1013000);
	report(0, NUMBER(0), 100350, 120);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(count(ctx[0], 1, C32), 20);
	teardown();
}

/* ---- each interval, for who wants to know ---- */

#define MAX_SEEN	16

static struct gpu_report_interval seen[MAX_SEEN];
static u64 counted[MAX_SEEN];	/* C32 of its owner and engine, by then */
static unsigned int nr_seen;

static void note(struct gpu_reports *from, const struct gpu_report_interval *interval)
{
	CHECK(from == reports);
	CHECK(interval->engine < NR_ENGINES);
	CHECK(nr_seen < MAX_SEEN);
	counted[nr_seen] = count(interval->owner, interval->engine + 1, C32);
	seen[nr_seen++] = *interval;
}

/* at 1100 ticks it is between 1000998 and 1001003 ns */
static void setup_seen(void)
{
	setup(32, 1000);
	clock_read(1100, 1001000);
	reports->interval = note;
	nr_seen = 0;
}

static u64 ns_of(u64 ticks)
{
	return 1001003 - (1100 - ticks) * 10;
}

static void check_seen(unsigned int i, unsigned int engine, struct gpu_account *owner,
		       u64 begin, u64 end, u64 c32)
{
	CHECK(i < nr_seen);
	CHECK_EQ(seen[i].engine, engine);
	CHECK(seen[i].owner == owner);
	CHECK_EQ(seen[i].begin, ns_of(begin));
	CHECK_EQ(seen[i].end, ns_of(end));
	CHECK_EQ(seen[i].delta[C32], c32);
}

/* from one report of an engine to its next; the first of each ends none */
static void interval_of_each_report(void)
{
	setup_seen();
	report(0, NUMBER(0), 1010, 100);
	report(1, NUMBER(1), 1015, 500);
	CHECK_EQ(nr_seen, 0);
	report(0, NUMBER(1), 1020, 107);
	report(0, 0, 1030, 110);
	report(1, NUMBER(2), 1040, 600);
	report(0, NUMBER(0), 1050, 111);
	CHECK_EQ(nr_seen, 4);
	check_seen(0, 0, ctx[0], 1010, 1020, 7);
	check_seen(1, 0, ctx[1], 1020, 1030, 3);
	check_seen(2, 1, ctx[1], 1015, 1040, 100);
	check_seen(3, 0, device, 1030, 1050, 1);	/* it ran none */
	/* it is told when it has been counted */
	CHECK_EQ(counted[0], 7);
	CHECK_EQ(counted[1], 3);
	CHECK_EQ(counted[2], 100);
	CHECK_EQ(counted[3], 11);
	CHECK_EQ(lost(), 0);
	teardown();
}

/* also one in which nothing was counted */
static void interval_without_advance(void)
{
	setup_seen();
	report(0, NUMBER(0), 1010, 100);
	report(0, NUMBER(1), 1020, 100);
	report(0, NUMBER(1), 1020, 100);
	report(0, 0, 1030, 100);
	CHECK_EQ(nr_seen, 3);
	check_seen(0, 0, ctx[0], 1010, 1020, 0);
	check_seen(1, 0, ctx[1], 1020, 1020, 0);
	check_seen(2, 0, ctx[1], 1020, 1030, 0);
	CHECK_EQ(nr_found, 3);
	CHECK_EQ(found_time, ns_of(1020));
	for (unsigned int c = 0; c < NR_NATIVE; c++)
		CHECK_EQ(count(device, 0, c), 0);
	CHECK_EQ(lost(), 0);
	teardown();
}

/* by how much each counter has advanced, in the unit's order, over its end */
static void interval_of_all_counters(void)
{
	setup_seen();
	sequence = 1;
	report_values(0, NUMBER(0), 1010, 0xfffffff0, 0xffffffffffULL, ~0ULL, 1);
	sequence = 2;
	report_values(0, NUMBER(0), 1020, 16, 5, 9, 0);
	sequence = 3;
	report_values(0, NUMBER(0), 1030, 16, 6, 9, 0);
	CHECK_EQ(nr_seen, 2);
	check_seen(0, 0, ctx[0], 1010, 1020, 32);
	CHECK_EQ(seen[0].delta[C40], 6);
	CHECK_EQ(seen[0].delta[C64], 10);
	CHECK_EQ(seen[0].delta[C1], 1);
	check_seen(1, 0, ctx[0], 1020, 1030, 0);
	CHECK_EQ(seen[1].delta[C40], 1);
	CHECK_EQ(seen[1].delta[C64], 0);
	CHECK_EQ(seen[1].delta[C1], 0);
	CHECK_EQ(count(ctx[0], 1, C32), 32);
	CHECK_EQ(count(ctx[0], 1, C40), 7);
	teardown();
}

/* whose it was is not known; when it was is */
static void interval_with_a_gap(void)
{
	setup_seen();
	report(0, NUMBER(0), 1010, 100);
	report(1, NUMBER(1), 1010, 100);
	sequence++;	/* one is missing */
	report(0, NUMBER(1), 1030, 120);
	report(0, NUMBER(1), 1040, 125);
	report(1, NUMBER(1), 1050, 101);
	report(1, NUMBER(1), 1060, 103);
	CHECK_EQ(nr_seen, 4);
	check_seen(0, 0, device, 1010, 1030, 20);
	check_seen(1, 0, ctx[1], 1030, 1040, 5);
	check_seen(2, 1, device, 1010, 1050, 1);
	check_seen(3, 1, ctx[1], 1050, 1060, 2);
	CHECK_EQ(lost(), 1);
	teardown();
}

/* it is the device's; and a loss only if something could not be given to it */
static void interval_of_an_unknown_context(void)
{
	setup_seen();
	report(0, NUMBER(77), 1010, 100);
	report(0, NUMBER(77), 1020, 100);
	CHECK_EQ(lost(), 0);
	report(0, NUMBER(0), 1030, 103);
	CHECK_EQ(lost(), 1);
	CHECK_EQ(nr_seen, 2);
	check_seen(0, 0, device, 1010, 1020, 0);
	check_seen(1, 0, device, 1020, 1030, 3);
	CHECK_EQ(counted[1], 3);
	teardown();
}

/* those that are as good as missing end none; the next one ends it */
static void no_interval_of_a_damaged_report(void)
{
	setup_seen();
	report(0, NUMBER(0), 1020, 100);
	report(0, NUMBER(0), 1101, 110);	/* from the future */
	report(NR_ENGINES, NUMBER(0), 1030, 500);
	CHECK_EQ(nr_seen, 0);
	report(0, NUMBER(1), 1040, 130);
	report(0, NUMBER(1), 1050, 131);
	CHECK_EQ(nr_seen, 2);
	check_seen(0, 0, device, 1020, 1040, 30);
	check_seen(1, 0, ctx[1], 1040, 1050, 1);
	CHECK_EQ(lost(), 2);
	teardown();
}

/* when the clock has jumped, it is when they were read; a round later it is right */
static void interval_over_a_jump(void)
{
	setup_seen();
	report(0, NUMBER(0), 1010, 100);
	clock_read(5000, 1002000);
	CHECK_EQ(lost(), 1);
	report(0, NUMBER(0), 4990, 110);
	clock_read(5100, 1003000);
	report(0, NUMBER(0), 5050, 115);
	CHECK_EQ(nr_seen, 2);
	CHECK(seen[0].owner == ctx[0]);
	CHECK_EQ(seen[0].begin, ns_of(1010));
	CHECK_EQ(seen[0].end, 1002003);
	CHECK_EQ(seen[0].delta[C32], 10);
	CHECK_EQ(seen[1].begin, 1002003);
	CHECK_EQ(seen[1].end, 1003003 - 500);
	CHECK_EQ(seen[1].delta[C32], 5);
	teardown();
}

/* who asks later hears of the intervals that end from then on, and of all of those */
static void asked_for_later(void)
{
	setup_seen();
	reports->interval = NULL;
	report(0, NUMBER(0), 1010, 100);
	report(0, NUMBER(1), 1020, 110);
	CHECK_EQ(nr_seen, 0);
	reports->interval = note;
	report(0, NUMBER(2), 1030, 111);
	reports->interval = NULL;
	report(0, NUMBER(2), 1040, 112);
	CHECK_EQ(nr_seen, 1);
	check_seen(0, 0, ctx[1], 1020, 1030, 1);
	CHECK_EQ(count(ctx[2], 1, C32), 1);
	teardown();
}

static const struct unit_test tests[] = {
	TEST(first_report),
	TEST(owner_is_named_before),
	TEST(counters_are_apart),
	TEST(two_engines_interleaved),
	TEST(unknown_context),
	TEST(unknown_context_that_did_nothing),
	TEST(context_born_later),
	TEST(context_of_a_round_before),
	TEST(wrap_of_32_bits),
	TEST(wrap_of_40_bits),
	TEST(wrap_of_64_bits),
	TEST(wrap_of_one_bit),
	TEST(many_wraps),
	TEST(gap_of_one),
	TEST(gap_concerns_all_engines),
	TEST(gap_before_the_first_of_an_engine),
	TEST(gap_at_the_start),
	TEST(gap_at_the_end),
	TEST(gap_of_many),
	TEST(gap_across_the_end_of_the_numbers),
	TEST(old_numbers),
	TEST(duplicate),
	TEST(report_of_an_unknown_engine),
	TEST(from_the_future),
	TEST(older_than_the_last),
	TEST(older_than_the_last_of_a_round_before),
	TEST(out_of_time_twice),
	TEST(first_times),
	TEST(wrap_of_the_clock_of_16_bits),
	TEST(wrap_of_the_clock_of_32_bits),
	TEST(wrap_of_the_clock_of_56_bits),
	TEST(wrap_of_the_clock_of_63_bits),
	TEST(wrap_of_the_clock_of_64_bits),
	TEST(only_the_clocks_width_counts),
	TEST(clocks_differ_a_little),
	TEST(clock_jumps),
	TEST(clock_read_twice),
	TEST(clock_read_slowly),
	TEST(jump_forward),
	TEST(jump_back),
	TEST(jump_to_the_beginning),
	TEST(jump_without_reports),
	TEST(jump_back_less_than_a_round),
	TEST(interval_of_each_report),
	TEST(interval_without_advance),
	TEST(interval_of_all_counters),
	TEST(interval_with_a_gap),
	TEST(interval_of_an_unknown_context),
	TEST(no_interval_of_a_damaged_report),
	TEST(interval_over_a_jump),
	TEST(asked_for_later),
};

int main(void)
{
	return unit_main(tests, ARRAY_SIZE(tests));
}
