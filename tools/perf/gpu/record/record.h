/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of stock perf record that perf gpu record stands for. Pure.
 */
#ifndef PERF_GPU_RECORD_H
#define PERF_GPU_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct record_here - what matters of this machine and this user
 * @privileged:	may see what others do (CAP_PERFMON)
 * @cpus:	how many processors perf has a buffer for
 * @mlock_kb:	kernel.perf_event_mlock_kb
 * @memlock:	RLIMIT_MEMLOCK, in bytes
 */
struct record_here {
	bool privileged;
	unsigned int cpus;
	uint64_t mlock_kb;
	uint64_t memlock;
};

/**
 * struct record_options - what was asked for
 * @perf:	the perf to run
 * @pids:	"PID[,PID...]", or NULL
 * @all:	the whole machine
 * @output:	the file, or NULL: perf.data
 * @call_graph:	as perf record takes it ("dwarf,8192"), or NULL: no stacks
 * @extra:	options for perf record, NULL at the end; or NULL
 * @command:	what to run, NULL at the end; or NULL
 */
struct record_options {
	const char *perf;
	const char *pids;
	bool all;
	const char *output;
	const char *call_graph;
	char **extra;
	char **command;
};

/* "fp", "dwarf", "dwarf,SIZE": is that what it takes? */
bool record__is_call_graph(const char *text);

/* how large perf's buffer is to be on each CPU, in KiB; 0: leave it to perf */
unsigned int record__buffer_kb(const struct record_here *here);

/* NULL at the end; to be freed by record__free(). NULL: no memory */
char **record__command(const struct record_options *options, const struct record_here *here);
void record__free(char **command);

#endif /* PERF_GPU_RECORD_H */
