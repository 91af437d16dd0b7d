/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_BITS_H
#define _UNIT_LINUX_BITS_H

#define BIT(nr)	(1UL << (nr))

#endif /* _UNIT_LINUX_BITS_H */
