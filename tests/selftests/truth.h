/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stock tracepoints say: the jobs and the busy time of each context of a
 * virtio-gpu device, from "perf record -a -e virtio_gpu:*". Written apart from
 * what it is to judge: no line, and no data structure, is shared.
 */
#ifndef TESTS_SELFTESTS_TRUTH_H
#define TESTS_SELFTESTS_TRUTH_H

#include <stdint.h>

#define TRUTH_CTX_MAX	64

/* by the context id that the device was told; 0: none */
struct truth {
	uint64_t jobs[TRUTH_CTX_MAX];
	uint64_t busy[TRUTH_CTX_MAX];
	uint64_t all_jobs;
	uint64_t all_busy;
	unsigned int unpaired;	/* responses whose command was not seen */
};

#define TRUTH_RECORD	"perf record -q -a -m 1M -o %s -e virtio_gpu:virtio_gpu_cmd_queue " \
			"-e virtio_gpu:virtio_gpu_cmd_response -- "

/* 0 or a negative errno; file: a perf.data */
int truth_read(struct truth *truth, const char *file);

#endif /* TESTS_SELFTESTS_TRUTH_H */
