/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ctrl-C and the like: it is enough, and what there is by then is to be said.
 */
#ifndef PERF_GPU_STOP_H
#define PERF_GPU_STOP_H

/* the signal that came, or 0 */
extern volatile int stop_signal;

/* from now on; the second one ends the program as it would have */
void stop__catch(void);

#endif /* PERF_GPU_STOP_H */
