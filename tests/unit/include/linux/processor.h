/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_PROCESSOR_H
#define _UNIT_LINUX_PROCESSOR_H

void cpu_relax(void); /* kernel.c */

#endif /* _UNIT_LINUX_PROCESSOR_H */
