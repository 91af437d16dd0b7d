/* SPDX-License-Identifier: GPL-2.0 */
/* What drivers/perf/gpu uses of the kernel's header. */
#ifndef UNIT_LINUX_LIMITS_H
#define UNIT_LINUX_LIMITS_H

#include_next <linux/limits.h>

#define S32_MAX		0x7fffffff
#define U32_MAX		0xffffffffU

#endif /* UNIT_LINUX_LIMITS_H */
