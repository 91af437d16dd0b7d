// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-report: the reading of a counter unit. The input is a story: engines count,
 * change hands and write reports, of which some get lost, torn or damaged, or come
 * again; contexts come and go; and the unit's clock runs a little wrong, wraps, and
 * jumps. What is true is known here in whole, and the reports hold of it what their
 * widths let them. After each reading:
 *
 *  - what a device has counted is, of each engine, what it truly counted between the
 *    first and the last report that was read, to the last digit;
 *  - what no context has, and what each of them has, adds up to that;
 *  - a context has no more than it truly counted, and no less if nothing was lost;
 *  - each counter is the model's, and "lost" as well (see log.h).
 *
 * Built for libFuzzer, or with -DSTANDALONE to make its inputs up by itself.
 * FUZZ_TRACE=1 in the environment tells the story.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/limits.h>

#include "../../drivers/perf/gpu/report.h"
#include "../unit/unit.h"
#include "log.h"
#include "tale.h"

#define NR_NUMBERS	6
#define NR_SLOTS	(GPU_NR_COUNTERS + LOG_COUNTERS + 2)
#define MAX_WRITTEN	64
#define MAX_STEPS	400
#define NUMBERS		0xffffffffULL	/* a report has: there is no 0 */
#define MARGIN		2048		/* ticks: how wrong a time may be told */

/* ---- the unit ---- */

static struct gpu_pmu_counter counters[LOG_COUNTERS];
static struct gpu_pmu_unit unit;
static u8 slot_of[LOG_COUNTERS];
static struct gpu_reports *reports;
static struct log truth;	/* what is to come of it */

static u64 mask(unsigned int width)
{
	return ~0ULL >> (64 - width);
}

/* ---- contexts ---- */

static struct owner {
	int number;
	u64 born;
	struct gpu_account *account;
	u64 counted[LOG_ENGINES][LOG_COUNTERS];	/* truly, up to a report */
} owner[LOG_OWNERS];
static int nr_owners;
static int who_is[NR_NUMBERS];	/* an owner, or LOG_NOBODY */
static struct gpu_account *all, *device;

static int owner_at(int number, u64 time)
{
	int who = who_is[number];

	return who != LOG_NOBODY && owner[who].born <= time ? who : LOG_NOBODY;
}

static u64 ctx_of(int number)
{
	return (number + 1) * 0x0101010101010101ULL;
}

static struct gpu_account *find(struct gpu_reports *from, u64 ctx, u64 time)
{
	int number = (int)(ctx & 0xff) - 1, who;

	HOLD(from == reports, "not these");
	HOLD(number >= 0 && number < NR_NUMBERS && ctx == ctx_of(number), "%llx", ctx);
	who = owner_at(number, time);
	return who == LOG_NOBODY ? NULL : owner[who].account;
}

static struct gpu_account *account_new(struct gpu_account *up)
{
	size_t size = sizeof(struct gpu_account) +
		      gpu_account_bytes(truth.nr_engines, NR_SLOTS);
	struct gpu_account *account = malloc(size);

	memset(account, 0x5a, size);
	gpu_account_init(account, up, truth.nr_engines, NR_SLOTS);
	return account;
}

/* ---- what is true ---- */

static bool clean;		/* all that was written was read as it was */
static bool changed;		/* contexts came or went: by when is told too roughly */

/* the unit's clock counts what has elapsed, from a base that jumps */
static u64 elapsed, base, rest;
static int drift;		/* it is slow, right or fast */
static u64 jump;		/* since the last reading; 0: none */
static u64 read_at;		/* when that was, of @elapsed, */
static u64 read_took;		/* and how long, ticks */

static struct engine {
	int number;		/* that it runs, or LOG_NOBODY */
	int who;		/* that is, or LOG_NOBODY */
	bool has_written;
	u64 total[LOG_COUNTERS];
	u64 since[LOG_COUNTERS];	/* the last report that was written */
	u64 origin[LOG_COUNTERS];	/* at the first one that was written, */
	u64 first[LOG_COUNTERS];	/* and at the first one that was read */
} engine[LOG_ENGINES];

static struct log_entry written[MAX_WRITTEN];
static unsigned int nr_written;
static u64 next_place, read_place;
static u32 first_number;

static u64 clock_now(void)
{
	return base + elapsed;
}

/* the oldest time that something could still be compared with, or come from */
static u64 oldest(void)
{
	u64 time = read_at;

	for (unsigned int i = 0; i < nr_written; i++)
		if (written[i].elapsed < time)
			time = written[i].elapsed;
	for (unsigned int e = 0; e < truth.nr_engines; e++) {
		const struct log_entry *last = log_last(&truth, e);

		if (last && last->elapsed < time)
			time = last->elapsed;
	}
	return time;
}

/* how far off it is, of which only the clock's width is seen */
static u64 jump_size(void)
{
	u64 up = jump & mask(unit.clock_width), down = -jump & mask(unit.clock_width);

	return up < down ? up : down;
}

/* is it more than the clocks may differ in that time? */
static bool jump_shows(u64 ticks)
{
	return jump_size() > ticks / 128 + read_took + 512;
}

/* no further than the clock can tell: that is the unit's promise */
static void pass(u64 ns)
{
	u64 most = mask(unit.clock_width) - 2 * MARGIN, ticks;

	ticks = (rest + ns) / unit.tick_ns;
	if (elapsed - oldest() + ticks + ticks / 1024 > most)
		return;
	if (jump && !jump_shows(elapsed - read_at + ticks))
		return;
	unit_clock += ns;
	rest = (rest + ns) % unit.tick_ns;
	elapsed += ticks + (s64)(ticks / 2048) * drift;
}

static void step_jump(void)
{
	if (jump)
		return;
	jump = (u64)(s64)(s16)(byte() << 8 | byte()) * (1 + byte());
	if (!jump_shows(elapsed - read_at)) {
		jump = 0;
		return;
	}
	base += jump;
	trace("the clock jumps by %lld", (s64)jump);
}

/* less than it takes to come around, since the last report that was read */
static void count(struct engine *eng, unsigned int c)
{
	const struct log_entry *last = log_last(&truth, eng - engine);
	u64 room = mask(counters[c].width), delta;

	if (last)
		room -= eng->total[c] - last->total[c];
	else if (eng->has_written)
		room -= eng->total[c] - eng->origin[c];
	switch (pick(4)) {
	case 0:
		delta = room;
		break;
	case 1:
		delta = (u64)byte() << pick(57);
		break;
	default:
		delta = byte();
	}
	if (delta > room)
		delta = room;
	eng->total[c] += delta;
	eng->since[c] += delta;
}

static void step_count(struct engine *eng)
{
	unsigned int which = byte();

	for (unsigned int c = 0; c < truth.nr_counters; c++)
		if (which >> c & 1)
			count(eng, c);
}

/* a report says where it stands, and who is next */
static void step_write(struct engine *eng, int number)
{
	struct log_entry *e = &written[nr_written];

	if (nr_written == MAX_WRITTEN ||
	    truth.nr_entries + 2 * nr_written + 8 > LOG_ENTRIES)
		return;
	memset(e, 0, sizeof(*e));
	e->place = next_place++;
	e->engine = eng - engine;
	e->number = number;
	e->elapsed = elapsed;
	e->stamp = clock_now();
	memcpy(e->total, eng->total, sizeof(e->total));
	nr_written++;
	trace("engine %u: report %llu at %llu, then %d", e->engine, e->place,
	      e->stamp, number);

	if (eng->has_written && eng->who != LOG_NOBODY)
		for (unsigned int c = 0; c < truth.nr_counters; c++)
			owner[eng->who].counted[e->engine][c] += eng->since[c];
	if (!eng->has_written)
		memcpy(eng->origin, eng->total, sizeof(eng->origin));
	memset(eng->since, 0, sizeof(eng->since));
	eng->has_written = true;
	eng->number = number;
	eng->who = number == LOG_NOBODY ? LOG_NOBODY : who_is[number];
}

/* there was no room for them: as many as numbers can tell */
static void step_burst(void)
{
	u64 most = S32_MAX, nr;

	if (next_place - read_place >= most)
		return;
	most -= next_place - read_place;
	nr = pick(4) ? 1 + pick(3) : (u64)(byte() + 1) << pick(24);
	if (pick(16) == 0 || nr > most)
		nr = most;
	next_place += nr;
	clean &= !nr;
	trace("%llu are lost", nr);
}

static void step_context(int number)
{
	if (who_is[number] != LOG_NOBODY) {
		trace("context %d of number %d ends", who_is[number], number);
		who_is[number] = LOG_NOBODY;
		changed = true;
	} else if (nr_owners < LOG_OWNERS) {
		trace("context %d of number %d is born", nr_owners, number);
		memset(&owner[nr_owners], 0, sizeof(owner[0]));
		owner[nr_owners].number = number;
		owner[nr_owners].born = tale_step ? unit_clock : 0;
		owner[nr_owners].account = account_new(device);
		who_is[number] = nr_owners++;
		changed |= tale_step;
	}
}

/* ---- what must hold ---- */

static u64 slot(struct gpu_account *account, unsigned int s, unsigned int c)
{
	return gpu_account_slot(account, s)[slot_of[c]];
}

static void check_sums(struct gpu_account *account)
{
	for (unsigned int c = 0; c < truth.nr_counters; c++) {
		u64 sum = 0;

		for (unsigned int e = 0; e < truth.nr_engines; e++)
			sum += slot(account, e + 1, c);
		HOLD(slot(account, 0, c) == sum, "counter %u", c);
	}
}

static void check_device(unsigned int e, unsigned int c)
{
	const struct log_entry *last = log_last(&truth, e);
	u64 sum = truth.sum[LOG_OWNERS][e][c], has = slot(device, e + 1, c);

	for (int i = 0; i < nr_owners; i++)
		sum += slot(owner[i].account, e + 1, c);
	HOLD(has == sum, "engine %u counter %u: %llu, not %llu", e, c, has, sum);
	HOLD(has == (last ? last->total[c] - engine[e].first[c] : 0),
	     "engine %u counter %u: %llu, is at %llu, was at %llu", e, c, has,
	     last ? last->total[c] : 0, engine[e].first[c]);
	HOLD(slot(all, e + 1, c) == has, "engine %u counter %u: %llu", e, c, has);
}

static void check_owner(int who, unsigned int e, unsigned int c)
{
	u64 has = slot(owner[who].account, e + 1, c);

	HOLD(has == truth.sum[who][e][c], "context %d engine %u counter %u: %llu, not %llu",
	     who, e, c, has, truth.sum[who][e][c]);
	if (changed)
		return;
	HOLD(has <= owner[who].counted[e][c] || counters[c].width > 40,
	     "context %d engine %u counter %u: %llu, truly %llu", who, e, c, has,
	     owner[who].counted[e][c]);
	HOLD(has == owner[who].counted[e][c] || !clean,
	     "context %d engine %u counter %u: %llu, truly %llu", who, e, c, has,
	     owner[who].counted[e][c]);
}

static void check(void)
{
	u64 lost = gpu_account_slot(device, 0)[GPU_COUNTER_LOST];

	HOLD(lost == truth.lost, "%llu, not %llu", lost, truth.lost);
	HOLD(gpu_account_slot(all, 0)[GPU_COUNTER_LOST] == lost, "%llu", lost);
	for (unsigned int e = 0; e < truth.nr_engines; e++) {
		for (unsigned int c = 0; c < truth.nr_counters; c++) {
			check_device(e, c);
			for (int i = 0; i < nr_owners; i++)
				check_owner(i, e, c);
		}
	}
	for (int i = 0; i < nr_owners; i++)
		check_sums(owner[i].account);
	check_sums(device);
	check_sums(all);
}

/* ---- the reading ---- */

static struct gpu_clock_pair read_clock(void)
{
	/* with a jump to be seen, it is read quickly */
	unsigned int slow = jump ? 0 : pick(12);
	struct gpu_clock_pair pair;

	pair.before = unit_clock;
	pass((u64)pick(16) << slow);
	pair.ticks = clock_now() & mask(unit.clock_width);
	read_at = elapsed;
	pass((u64)pick(16) << slow);
	pair.after = unit_clock;
	read_took = (pair.after - pair.before) / unit.tick_ns;
	return pair;
}

static void tell(struct log_entry *e, const struct gpu_clock_pair *pair)
{
	struct gpu_pmu_report report = {
		.engine = e->engine,
		.ctx = e->number == LOG_NOBODY ? 0 : ctx_of(e->number),
		/* the bits above its width may be anything */
		.time = e->stamp,
		.sequence = (first_number - 1 + e->place) % NUMBERS + 1,
	};
	bool is_first = e->engine < truth.nr_engines && !log_last(&truth, e->engine);

	for (unsigned int c = 0; c < truth.nr_counters; c++)
		report.value[c] = e->total[c] & mask(counters[c].width);
	e->time = truth.jumps ? pair->after :
		  pair->after - (read_at - e->elapsed) * unit.tick_ns;
	trace("engine %u: report %llu is read, time %llu%s", e->engine, e->place,
	      e->stamp & mask(unit.clock_width), e->forged ? ", not its own" : "");
	if (is_first)
		memcpy(engine[e->engine].first, e->total, sizeof(e->total));
	log_read(&truth, e);
	gpu_reports_add(reports, &report);
	read_place = e->place;
	clean &= !e->forged;
}

/* it says a time that cannot be; if it can be compared with something */
static void forge(struct log_entry *e)
{
	const struct log_entry *last = log_last(&truth, e->engine);
	u64 off = 1 + (byte() << pick(3)) % (MARGIN / 2);

	if (truth.jumps) {
		e->stamp = byte() * off;	/* and there none is compared */
		clean = false;
		return;
	}
	if (!last || !log_is_clocked(&truth, e->engine))
		return;
	e->stamp = pick(2) ? base + read_at + off : last->stamp - off;
	e->forged = true;
}

/* one that was read comes again */
static void tell_again(const struct gpu_clock_pair *pair)
{
	const struct log_entry *last;
	struct log_entry e;

	if (!truth.nr_entries)
		return;
	e = truth.entry[truth.nr_entries - 1 - pick(truth.nr_entries)];
	if (e.engine >= truth.nr_engines || e.forged || e.refused ||
	    next_place - e.place > S32_MAX - 4 * MAX_WRITTEN)
		return;
	last = log_last(&truth, e.engine);
	/* it is the engine's last one, and nothing has happened to its clock; or */
	if (e.place != last->place) {
		/* it is older, and one can see that */
		if (e.place > last->place || !log_is_clocked(&truth, e.engine) ||
		    read_at - e.elapsed > mask(unit.clock_width) - MARGIN ||
		    base + e.elapsed != e.stamp || e.elapsed >= last->elapsed)
			return;
		e.forged = true;
	} else if (!truth.jumps && base + e.elapsed != e.stamp) {
		return;
	}
	clean = false;
	trace("again:");
	tell(&e, pair);
}

/* if it is torn, do the next ones still have numbers that are ahead? */
static bool room_for_numbers(void)
{
	return next_place - read_place <= S32_MAX - 4 * MAX_WRITTEN;
}

static void step_read(bool harm)
{
	struct gpu_clock_pair pair = read_clock();

	trace("%u are read; the clock is %llu%s", nr_written, pair.ticks,
	      jump ? ", it has jumped" : "");
	gpu_reports_clock(reports, &pair);
	if (jump)
		log_jump(&truth);
	jump = 0;
	for (unsigned int i = 0; i < nr_written; i++) {
		struct log_entry *e = &written[i];
		unsigned int what = harm ? pick(32) : 31;

		if (what < 2 && room_for_numbers()) {
			trace("report %llu is torn", e->place);
			clean = false;
			continue;
		}
		if (what == 2)
			forge(e);
		if (what == 3) {
			e->engine = truth.nr_engines + pick(3);
			clean = false;
		}
		tell(e, &pair);
		if (what == 4)
			tell_again(&pair);
	}
	nr_written = 0;
	gpu_reports_settle(reports);
	log_round_over(&truth);
	check();
}

/* ---- the story ---- */

static void begin(void)
{
	static const u8 widths[] = { 1, 5, 32, 40, 63, 64 };
	static const u8 clock_widths[] = { 16, 20, 32, 40, 56, 64 };
	static const u16 ticks[] = { 1, 10, 52, 1000 };
	static const u32 numbers[] = { 1, 0xfffffff0, 0x7ffffff0, 12345 };
	struct gpu_clock_pair pair;
	size_t size;

	unit_clock = (1ULL << 42) + byte();
	log_init(&truth, 1 + pick(LOG_ENGINES), 1 + pick(LOG_COUNTERS), owner_at);
	unit.counters = counters;
	unit.nr_counters = truth.nr_counters;
	unit.tick_ns = ticks[pick(ARRAY_SIZE(ticks))];
	unit.clock_width = clock_widths[pick(ARRAY_SIZE(clock_widths))];
	for (unsigned int c = 0; c < truth.nr_counters; c++) {
		counters[c].width = widths[pick(ARRAY_SIZE(widths))];
		slot_of[c] = GPU_NR_COUNTERS + 1 + (c + 2) % LOG_COUNTERS;
	}
	memset(engine, 0, sizeof(engine));
	for (unsigned int e = 0; e < truth.nr_engines; e++) {
		engine[e].number = LOG_NOBODY;
		engine[e].who = LOG_NOBODY;
		for (unsigned int c = 0; c < truth.nr_counters; c++)
			engine[e].total[c] = pick(2) ? -(u64)byte() : byte();
	}
	nr_written = 0;
	next_place = 0;
	read_place = 0;
	first_number = numbers[pick(ARRAY_SIZE(numbers))];
	clean = true;
	changed = false;
	drift = (int)pick(3) - 1;
	elapsed = 1ULL << 40;
	read_at = elapsed;
	base = pick(2) ? -elapsed - byte() : byte();
	rest = 0;
	jump = 0;

	all = account_new(NULL);
	device = account_new(all);
	nr_owners = 0;
	for (int i = 0; i < NR_NUMBERS; i++) {
		who_is[i] = LOG_NOBODY;
		if (i < NR_NUMBERS - 2)
			step_context(i);
	}

	size = sizeof(*reports) + truth.nr_engines * sizeof(reports->engine[0]);
	reports = calloc(1, size);
	reports->unit = &unit;
	reports->slot = slot_of;
	reports->account = device;
	reports->find = find;
	reports->nr_engines = truth.nr_engines;
	reports->sequence = first_number - 1;
	pair = read_clock();
	gpu_reports_clock(reports, &pair);
}

static void finish(void)
{
	for (unsigned int e = 0; e < truth.nr_engines; e++)
		step_write(&engine[e], LOG_NOBODY);
	step_read(false);
	for (int i = 0; i < nr_owners; i++)
		free(owner[i].account);
	free(device);
	free(all);
	free(reports);
}

static void one_step(bool harm)
{
	unsigned int what = byte(), how = byte();
	struct engine *eng = &engine[how % truth.nr_engines];
	int number = (int)((how >> 2) % (NR_NUMBERS + 1)) - 1;

	if (what & 0x80)
		pass(how);
	switch (what & 0x1f) {
	case 0 ... 5:
		step_write(eng, number);
		break;
	case 6 ... 7:	/* it goes on with what it runs */
		step_write(eng, eng->number);
		break;
	case 8 ... 15:
		step_count(eng);
		break;
	case 16 ... 19:
		pass((u64)byte() << pick(30));
		break;
	case 20 ... 23:
		step_read(harm);
		break;
	case 24:
		if (number >= 0 && (how & 3) == 0)
			step_context(number);
		break;
	case 25:
		if (harm && (how & 1))
			step_jump();
		break;
	case 26:
		if (harm && (how & 1))
			step_burst();
		break;
	case 27:	/* as sync does */
		for (unsigned int e = 0; e < truth.nr_engines; e++)
			step_write(&engine[e], engine[e].number);
		step_read(harm);
		break;
	default:
		step_count(eng);
		step_write(eng, number);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	bool harm;

	tale_begin(data, size);
	harm = pick(4);
	begin();
	while (!tale_over() && tale_step++ < MAX_STEPS)
		one_step(harm);
	finish();
	return 0;
}
