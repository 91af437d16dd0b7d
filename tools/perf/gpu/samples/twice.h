/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that say what another one has said: several events of a file sample the same
 * job or wait, and wait-time tells of a long wait each millisecond. Pure.
 */
#ifndef PERF_GPU_TWICE_H
#define PERF_GPU_TWICE_H

#include <stdbool.h>

#include "samples/stream.h"

struct twice;

/* NULL: no memory */
struct twice *twice__new(void);
void twice__delete(struct twice *twice);

/* has it been said? It is asked once for each sample, in their order; no memory: it has not */
bool twice__is(struct twice *twice, const struct stream_sample *sample);

#endif /* PERF_GPU_TWICE_H */
