/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf record has recorded, as perf script prints it.
 */
#ifndef TESTS_SELFTESTS_SCRIPT_H
#define TESTS_SELFTESTS_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/gpu_pmu.h>

#define SCRIPT_SAMPLES_MAX	4096

/* what perf record --switch-events tells of a thread is a sample, too, only of script_dump() */
#define SCRIPT_SLEEPS		"switch: sleeps"
#define SCRIPT_PREEMPTED	"switch: preempted"
#define SCRIPT_RUNS		"switch: runs"

struct script_sample {
	char event[64];
	pid_t pid;
	pid_t tid;
	uint64_t time;
	uint64_t period;
	/*
	 * From the inner function to the outer one, each with a blank behind it: those of
	 * the programs of ours, from the first one of those that stacks.c names.
	 */
	char chain[128];
	bool kernel;			/* the kernel's addresses are among them */
	char trace[160];		/* of a tracepoint; only of script_dump() */
	struct gpu_pmu_sample gpu;	/* of an event of ours; only of script_dump() */
};

struct script {
	int status;		/* of perf script */
	unsigned int nr;
	unsigned long lost;	/* how much the records say that was lost where they are */
	unsigned long lost_samples;	/* the same, in all; only of script_dump() */
	unsigned int throttled;	/* how often perf took no more; only of script_dump() */
	unsigned int broken;	/* what could not be understood */
	struct script_sample sample[SCRIPT_SAMPLES_MAX];
};

/* events, times and chains; file: a perf.data. NULL: no memory */
struct script *script_read(const char *file);
/* events, times and raw data: no chains */
struct script *script_dump(const char *file);
void script_free(struct script *script);
/*
 * Leaves out what perf has written twice: the same in all that was read of it. wait-time has many
 * of these of its own. perf's own clock may stand still for a tick, where the TSC is unstable:
 * what has neither raw data nor a tracepoint's text to tell it by is recorded by another clock.
 */
void script_unique(struct script *script);

/* samples of an event; modifiers behind its name do not matter */
unsigned int script_count(const struct script *script, const char *event);
bool script_is(const struct script_sample *sample, const char *event);

#endif /* TESTS_SELFTESTS_SCRIPT_H */
