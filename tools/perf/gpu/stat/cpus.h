/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processors that there are.
 */
#ifndef PERF_GPU_CPUS_H
#define PERF_GPU_CPUS_H

/* all: *nr of them, to be freed; 0 or a negative errno */

/* "0-3,5"; @text is written to */
int cpus__parse(char *text, int **cpus, unsigned int *nr);
/* those that are online */
int cpus__online(int **cpus, unsigned int *nr);

#endif /* PERF_GPU_CPUS_H */
