/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests that need the reference GPU, beside the machine's own.
 */
#ifndef TESTS_SELFTESTS_WITH_REFGPU_H
#define TESTS_SELFTESTS_WITH_REFGPU_H

/* a number in /proc/sys/kernel, or -1 */
int sysctl_number(const char *name);

/* the driver is loaded, these tests are run, and it is unloaded; what main() returns */
int with_refgpu(int argc, char **argv, int (*tests)(int argc, char **argv));

#endif /* TESTS_SELFTESTS_WITH_REFGPU_H */
