/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ctrl-C and its like end what runs with a valid output, and then end us.
 */
#ifndef PERF_GPU_SIGNALS_H
#define PERF_GPU_SIGNALS_H

/*
 * A file that is readable when SIGINT, SIGTERM, SIGHUP or SIGCHLD has come, which are held
 * back from now on; or a negative errno.
 */
int signals__open(void);
/* the next signal, or 0 */
int signals__read(int fd);
/* end as if it had not been held back, so that who has started us can tell */
void signals__die(int signal);
/* in a child, before its exec: as if signals__open() had not been called */
void signals__release(void);

#endif /* PERF_GPU_SIGNALS_H */
