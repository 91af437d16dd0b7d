/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#define static_assert(expr)	_Static_assert(expr, #expr)

#endif /* _UNIT_LINUX_COMPILER_H */
