/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_KTIME_H
#define _UNIT_LINUX_KTIME_H

#include <linux/types.h>

u64 ktime_get_ns(void); /* kernel.c */

#endif /* _UNIT_LINUX_KTIME_H */
