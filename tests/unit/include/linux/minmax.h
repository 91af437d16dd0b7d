/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MINMAX_H
#define _UNIT_LINUX_MINMAX_H

/* as in the kernel, the types have to be the same: else the comparison warns */
#define max(a, b) ({				\
	__typeof__(a) _a = (a);			\
	__typeof__(b) _b = (b);			\
						\
	(void)(&_a == &_b);			\
	_a > _b ? _a : _b; })

#define min(a, b) ({				\
	__typeof__(a) _a = (a);			\
	__typeof__(b) _b = (b);			\
						\
	(void)(&_a == &_b);			\
	_a < _b ? _a : _b; })

#endif /* _UNIT_LINUX_MINMAX_H */
