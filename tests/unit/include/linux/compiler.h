/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#define static_assert(expr)	_Static_assert(expr, #expr)

#define likely(expr)	__builtin_expect(!!(expr), 1)

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)

#endif /* _UNIT_LINUX_COMPILER_H */
