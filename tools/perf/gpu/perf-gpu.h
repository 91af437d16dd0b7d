/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_GPU_H
#define PERF_GPU_H

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* subcommands: exit status; 1: it could not, in one sentence, 2: wrong usage */
int cmd_attach(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_top(int argc, char **argv);

#endif /* PERF_GPU_H */
