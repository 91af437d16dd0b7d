// SPDX-License-Identifier: GPL-2.0
/*
 * usage: faults [FAULT | ENTRY]...
 *
 * Calls each entry point under each of the faults, or only those that are named; the last
 * two are "no slab" and "no page": each allocation of an entry fails once, until there is
 * no other one. Prints a line for each cell: entry, fault, outcome, separated by tabs; an
 * outcome that is wrong begins with "BAD". The status is not 0 if there is one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"

/* an entry that allocates more often than this is not understood */
#define ALLOCATIONS_MAX	400

static unsigned int bad;

static void cell(const struct entry *entry, const char *fault, const char *outcome)
{
	printf("%s\t%s\t%s\n", entry->name, fault, outcome);
}

__attribute__((format(printf, 3, 4)))
static void cell_bad(const struct entry *entry, const char *fault, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("%s\t%s\tBAD: %s\n", entry->name, fault, text);
	bad++;
}

static const char *verify_all(struct bench *b, char *text, size_t size)
{
	return bench_verify(b, text, size) ?: bench_verify_waits(b, false, text, size);
}

/* the entry as it is, to show that what went before has left no trace */
static bool entry_works(const struct entry *entry, const char *fault)
{
	char text[96] = "";
	const char *wrong;
	struct bench b;
	int err;

	err = entry->prepare(&b) ?: entry->call(&b);
	wrong = err ? NULL : verify_all(&b, text, sizeof(text));
	bench_clear(&b);
	if (err)
		cell_bad(entry, fault, "afterwards: %s", strerror(-err));
	else if (wrong)
		cell_bad(entry, fault, "afterwards: %s %s", text, wrong);
	return !err && !wrong;
}

#define ANSWERS		16

/* how often each was what came of it: an errno, or what the events say */
struct answers {
	unsigned int nr;
	struct {
		char text[24];
		unsigned int times;
	} answer[ANSWERS];
};

static void answers_add(struct answers *answers, const char *text)
{
	unsigned int i;

	for (i = 0; i < answers->nr; i++)
		if (!strcmp(answers->answer[i].text, text))
			break;
	if (i == ANSWERS)
		return;
	if (i == answers->nr)
		snprintf(answers->answer[answers->nr++].text, sizeof(answers->answer[0].text),
			 "%s", text);
	answers->answer[i].times++;
}

static unsigned int answers_times(const struct answers *answers, const char *text)
{
	for (unsigned int i = 0; i < answers->nr; i++)
		if (!strcmp(answers->answer[i].text, text))
			return answers->answer[i].times;
	return 0;
}

static void answers_print(const struct answers *answers, char *text, size_t size)
{
	size_t used = 0;

	for (unsigned int i = 0; i < answers->nr && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s x %u", i ? ", " : "",
				 answers->answer[i].text, answers->answer[i].times);
	if (!answers->nr)
		snprintf(text, size, "allocates none");
}

/* one allocation after the other; whether there was an nth one */
static int alloc_nth(const struct entry *entry, const char *kind, unsigned int nth,
		     struct answers *answers)
{
	const char *wrong, *answer;
	char text[96] = "";
	struct bench b;
	bool failed;
	int err, last;

	err = entry->prepare(&b) ?: fail_arm(nth);
	if (err) {
		bench_clear(&b);
		cell_bad(entry, kind, "number %u: preparing: %s", nth, strerror(-err));
		return -1;
	}
	err = entry->call(&b);
	failed = fail_disarm();
	last = err;
	if (failed && err && entry->again)
		last = entry->call(&b);
	/* what succeeded in spite of it works, or says what it has lost */
	wrong = last ? NULL : verify_all(&b, text, sizeof(text));
	bench_clear(&b);
	if (wrong) {
		cell_bad(entry, kind, "number %u: %s %s", nth, text, wrong);
		return -1;
	}
	if (last && (!failed || last != err || entry->again)) {
		cell_bad(entry, kind, "number %u%s: %s", nth,
			 failed ? ", then again" : ", which there is not", strerror(-last));
		return -1;
	}
	answer = err ? strerrorname_np(-err) : b.short_of ? "lost" : text[0] ? text : "done";
	if (failed)
		answers_add(answers, answer);
	return failed;
}

static void alloc_sweep(const struct entry *entry, unsigned int kind)
{
	const char *name = fail_kinds[kind];
	struct answers answers = {};
	char text[256];
	int64_t start = refgpu_now();
	unsigned int nth, enomem;
	int err, more = 0;

	if (!fail_is_there()) {
		cell(entry, name, "n/a: this kernel injects no faults");
		return;
	}
	err = fail_below(kind, entry->function);
	if (err) {
		cell_bad(entry, name, "%s: %s", entry->function, strerror(-err));
		return;
	}
	/* what is made once, and kept, is there already */
	if (!entry_works(entry, name))
		return;
	for (nth = 1; nth <= ALLOCATIONS_MAX; nth++) {
		more = alloc_nth(entry, name, nth, &answers);
		if (more <= 0)
			break;
	}
	printf("# %u allocations: %ld ms\n", nth - 1, (refgpu_now() - start) / 1000000);
	if (more < 0)
		return;
	answers_print(&answers, text, sizeof(text));
	enomem = answers_times(&answers, "ENOMEM");
	if (more)
		cell_bad(entry, name, "there is no end of it");
	else if (kind == FAIL_SLAB && enomem < entry->enomem)
		cell_bad(entry, name, "%s: not %u of ENOMEM: some did not fail", text,
			 entry->enomem);
	else if (entry_works(entry, name))
		cell(entry, name, text);
}

/* an outcome, which may be a bad one */
static void cell_reason(const struct entry *entry, const char *fault, const char *reason)
{
	cell(entry, fault, reason);
	bad += !strncmp(reason, "BAD", 3);
}

static void fault_run(const struct entry *entry, const struct fault *fault)
{
	/* who opens the first event has nobody who could say that something is lost */
	bool during = fault->floods && !entry->first && !entry->unbound;
	bool counts = during && !entry->counts_all;
	const char *wrong = NULL, *reason;
	char text[96] = "";
	uint64_t lost = keeper_lost();
	struct bench b;
	int err;

	err = entry->prepare(&b);
	if (err) {
		cell_bad(entry, fault->name, "preparing: %s", strerror(-err));
		bench_clear(&b);
		return;
	}
	reason = fault->begin();
	if (reason) {
		bench_clear(&b);
		cell_reason(entry, fault->name, reason);
		return;
	}
	/* it is full before, and still is afterwards */
	if (during && !keeper_loses(lost))
		wrong = "the ring is not full";
	err = wrong ? 0 : entry->call(&b);
	if (!err && !wrong)
		wrong = bench_verify_waits(&b, fault->blinds, text, sizeof(text));
	if (!err && !wrong && counts)
		wrong = bench_verify(&b, text, sizeof(text));
	if (!wrong && during && !keeper_loses(keeper_lost()))
		wrong = "and the ring was not full to the end";
	fault->end();
	if (!err && !wrong && !counts)
		wrong = bench_verify(&b, text, sizeof(text));
	bench_clear(&b);
	if (wrong)
		cell_bad(entry, fault->name, "%s %s", text, wrong);
	else if (entry_works(entry, fault->name))
		cell(entry, fault->name, err ? strerrorname_np(-err) : text[0] ? text : "done");
}

static bool is_entry(const char *name)
{
	for (unsigned int i = 0; i < nr_entries; i++)
		if (!strcmp(name, entries[i].name))
			return true;
	return false;
}

/* a fault, or an entry: is it among the arguments, or is none of its kind? */
static bool wanted(const char *name, int argc, char **argv)
{
	bool entry = is_entry(name), others = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], name))
			return true;
		others |= is_entry(argv[i]) == entry;
	}
	return !others;
}

static void entry_run(const struct entry *entry, int argc, char **argv)
{
	int64_t start = refgpu_now();
	int err = entry->first ? 0 : keeper_open();

	if (err)
		cell_bad(entry, "none", "an event beside it: %s", strerror(-err));
	for (unsigned int k = 0; k < nr_faults; k++)
		if (wanted(faults[k].name, argc, argv))
			fault_run(entry, &faults[k]);
	for (unsigned int k = 0; k < 2; k++)
		if (wanted(fail_kinds[k], argc, argv))
			alloc_sweep(entry, k);
	keeper_close();
	printf("# %s: %ld ms\n", entry->name, (refgpu_now() - start) / 1000000);
}

int main(int argc, char **argv)
{
	int err = flood_start();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (err) {
		fprintf(stderr, "faults: cannot begin: %s\n", strerror(-err));
		return 1;
	}
	for (unsigned int i = 0; i < nr_entries; i++) {
		const struct entry *entry = &entries[i];

		if (!wanted(entry->name, argc, argv))
			continue;
		if (entry->there && !entry->there()) {
			for (unsigned int k = 0; k < nr_faults; k++)
				if (wanted(faults[k].name, argc, argv))
					cell(entry, faults[k].name, "n/a: no such device here");
			for (unsigned int k = 0; k < 2; k++)
				if (wanted(fail_kinds[k], argc, argv))
					cell(entry, fail_kinds[k], "n/a: no such device here");
			continue;
		}
		entry_run(entry, argc, argv);
	}
	return bad ? 1 : 0;
}
