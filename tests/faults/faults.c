// SPDX-License-Identifier: GPL-2.0
/*
 * usage: faults [alloc | FAULT | ENTRY]...
 *
 * Calls each entry point under each of the faults (all of them, and "alloc": each
 * allocation of an entry fails once, until there is no other one), or only those that
 * are named. Prints a line for
 * each cell: entry, fault, outcome, separated by tabs; an outcome that is wrong begins
 * with "BAD". The status is not 0 if there is one.
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

/* the entry as it is, to show that what went before has left no trace */
static bool entry_works(const struct entry *entry, const char *fault)
{
	char text[96] = "";
	const char *wrong;
	struct bench b;
	int err;

	err = entry->prepare(&b) ?: entry->call(&b);
	wrong = err ? NULL : bench_verify(&b, text, sizeof(text));
	if (!err && !wrong)
		wrong = bench_verify_waits(&b, false, text, sizeof(text));
	bench_clear(&b);
	if (err)
		cell_bad(entry, fault, "afterwards: %s", strerror(-err));
	else if (wrong)
		cell_bad(entry, fault, "afterwards: %s %s", text, wrong);
	return !err && !wrong;
}

/* how often each errno was the answer */
struct answers {
	unsigned int nr;
	struct {
		int err;
		unsigned int times;
	} answer[16];
};

static void answers_add(struct answers *answers, int err)
{
	unsigned int i;

	for (i = 0; i < answers->nr; i++)
		if (answers->answer[i].err == err)
			break;
	if (i == 16)
		return;
	if (i == answers->nr)
		answers->answer[answers->nr++].err = err;
	answers->answer[i].times++;
}

static void answers_print(const struct answers *answers, char *text, size_t size)
{
	size_t used = 0;

	for (unsigned int i = 0; i < answers->nr && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s x %u", i ? ", " : "",
				 answers->answer[i].err ?
				 strerrorname_np(-answers->answer[i].err) : "no matter",
				 answers->answer[i].times);
	if (!answers->nr)
		snprintf(text, size, "allocates nothing");
}

/* one allocation after the other; whether there was an nth one */
static int alloc_nth(const struct entry *entry, unsigned int nth, struct answers *answers)
{
	char text[96] = "";
	const char *wrong;
	struct bench b;
	bool failed;
	int err;

	err = entry->prepare(&b) ?: fail_arm(nth);
	if (err) {
		bench_clear(&b);
		cell_bad(entry, "alloc", "number %u: preparing: %s", nth, strerror(-err));
		return -1;
	}
	err = entry->call(&b);
	failed = fail_disarm();
	/* what succeeded in spite of it works, or says what it has lost */
	wrong = err ? NULL : bench_verify(&b, text, sizeof(text));
	bench_clear(&b);
	if (wrong) {
		cell_bad(entry, "alloc", "number %u: %s %s", nth, text, wrong);
		return -1;
	}
	if (!failed && err) {
		cell_bad(entry, "alloc", "number %u, which there is not: %s", nth, strerror(-err));
		return -1;
	}
	if (failed)
		answers_add(answers, err);
	return failed;
}

static void alloc_sweep(const struct entry *entry)
{
	struct answers answers = {};
	char text[256];
	int64_t start = refgpu_now();
	unsigned int nth;
	int err, more = 0;

	if (!fail_is_there()) {
		cell(entry, "alloc", "n/a: this kernel injects no faults");
		return;
	}
	err = fail_below(entry->function);
	if (err) {
		cell_bad(entry, "alloc", "%s: %s", entry->function, strerror(-err));
		return;
	}
	/* what is made once, and kept, is there already */
	if (!entry_works(entry, "alloc"))
		return;
	for (nth = 1; nth <= ALLOCATIONS_MAX; nth++) {
		more = alloc_nth(entry, nth, &answers);
		if (more <= 0)
			break;
	}
	printf("# %u allocations: %ld ms\n", nth - 1, (refgpu_now() - start) / 1000000);
	if (more < 0)
		return;
	if (more)
		cell_bad(entry, "alloc", "there is no end of it");
	else if (entry_works(entry, "alloc")) {
		answers_print(&answers, text, sizeof(text));
		cell(entry, "alloc", text);
	}
}

static void fault_run(const struct entry *entry, const struct fault *fault)
{
	const char *wrong = NULL, *reason;
	char text[96] = "", outcome[128];
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
		snprintf(outcome, sizeof(outcome), "n/a: %s", reason);
		bench_clear(&b);
		cell(entry, fault->name, outcome);
		return;
	}
	err = entry->call(&b);
	if (!err)
		wrong = bench_verify_waits(&b, fault->blinds, text, sizeof(text));
	fault->end();
	if (!err && !wrong)
		wrong = bench_verify(&b, text, sizeof(text));
	bench_clear(&b);
	if (wrong) {
		cell_bad(entry, fault->name, "%s %s", text, wrong);
	} else if (entry_works(entry, fault->name)) {
		snprintf(outcome, sizeof(outcome), "%s", err ? strerrorname_np(-err) :
			 text[0] ? text : "done");
		cell(entry, fault->name, outcome);
	}
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
	if (wanted("alloc", argc, argv))
		alloc_sweep(entry);
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
			if (wanted("alloc", argc, argv))
				cell(entry, "alloc", "n/a: no such device here");
			continue;
		}
		entry_run(entry, argc, argv);
	}
	return bad ? 1 : 0;
}
