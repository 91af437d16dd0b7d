/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's harness for tests. Its time limits are for a stock kernel: on one that is
 * slower by design they are as many times as long. That of a test which has none of its own
 * is for a host that is busy.
 */
#ifndef TESTS_SELFTESTS_HARNESS_H
#define TESTS_SELFTESTS_HARNESS_H

#include <unistd.h>

#include "../slowdown.h"

#define alarm(seconds)	alarm((seconds) * slowdown())
#include "kselftest_harness.h"
#undef alarm
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	120

#endif /* TESTS_SELFTESTS_HARNESS_H */
