/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stock tracepoints say: the jobs and the busy time of each context of a
 * virtio-gpu device, from "perf record -a -e virtio_gpu:*". Written apart from
 * what it is to judge: no line, and no data structure, is shared.
 *
 * Each that listens to a tracepoint looks at the clock for itself, one after the other, as
 * they came. So who comes between two others looks between them: what it says is between
 * what can be said by theirs, however long a machine stands still in between.
 */
#ifndef TESTS_SELFTESTS_TRUTH_H
#define TESTS_SELFTESTS_TRUTH_H

#include <stdint.h>

#define TRUTH_CTX_MAX	64

/* busy time, in ns */
struct truth_busy {
	uint64_t least;
	uint64_t most;
};

/* by the context id that the device was told; 0: none */
struct truth {
	uint64_t jobs[TRUTH_CTX_MAX];
	struct truth_busy busy[TRUTH_CTX_MAX];
	uint64_t all_jobs;
	struct truth_busy all_busy;
	unsigned int unpaired;	/* commands and responses without the other one */
};

#define TRUTH_RECORD	"perf record -q -a -k mono -m 1M -o %s " \
			"-e virtio_gpu:virtio_gpu_cmd_queue " \
			"-e virtio_gpu:virtio_gpu_cmd_response -- "

/* what a perf.data says; 0 or a negative errno */
int truth_read(struct truth *truth, const char *file);

/*
 * The same by two recordings, for who listens between them. ftrace is the first, from
 * truth_trace_start(), to truth_trace_stop(); it forgets what was until truth_trace_clear().
 * -EILSEQ: the two have not seen the same.
 */
int truth_read_between(struct truth *truth, const char *file);
int truth_trace_start(void);
int truth_trace_clear(void);
void truth_trace_stop(void);

#endif /* TESTS_SELFTESTS_TRUTH_H */
