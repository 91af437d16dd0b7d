/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_TYPES_H
#define _TEST_LINUX_TYPES_H

#include_next <linux/types.h>

#include <stdbool.h>
#include <stddef.h>

typedef __u32 u32;
typedef __u64 u64;

#endif /* _TEST_LINUX_TYPES_H */
