/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_HASH_H
#define _UNIT_LINUX_HASH_H

#include <linux/types.h>

/* multiply by 2^64 / phi, keep the highest bits */
static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * 0x61c8864680b583ebULL >> (64 - bits);
}

#endif /* _UNIT_LINUX_HASH_H */
