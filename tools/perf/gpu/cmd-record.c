// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "perf-gpu.h"

int cmd_record(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fprintf(stderr, "perf gpu record: not written yet\n");
	return 1;
}
