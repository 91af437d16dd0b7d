// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "perf-gpu.h"

int cmd_top(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fprintf(stderr, "perf gpu top: not written yet\n");
	return 1;
}
