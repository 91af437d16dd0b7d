// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>

#include "perf-gpu.h"
#include "samples/stop.h"

volatile int stop_signal;

static void stop(int signal)
{
	stop_signal = signal;
}

void stop__catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	/* a write that waits for its reader goes on: stdio would drop what is in its buffer */
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND | SA_RESTART };
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		/* whoever runs us in the background may have said that they mean nothing */
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
