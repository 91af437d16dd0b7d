/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MATH64_H
#define _UNIT_LINUX_MATH64_H

#include <linux/types.h>

/* as in the kernel, the divisor is cut to 32 bits */
static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif /* _UNIT_LINUX_MATH64_H */
