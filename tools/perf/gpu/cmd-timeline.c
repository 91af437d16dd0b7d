// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "perf-gpu.h"

int cmd_timeline(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fprintf(stderr, "perf gpu timeline: not written yet\n");
	return 1;
}
