/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LINUX_MINMAX_H
#define _TEST_LINUX_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))

#endif /* _TEST_LINUX_MINMAX_H */
