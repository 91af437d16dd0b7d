// SPDX-License-Identifier: GPL-2.0
#include "stat/polls.h"

unsigned int polls__drop(struct pollfd *polls, unsigned int nr, short ended)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (polls[i].revents & ended)
			polls[i].fd = -1;
		left += polls[i].fd >= 0;
	}
	return left;
}
