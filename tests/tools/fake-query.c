// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake-query.h"

static const struct fake_device *fakes;
static unsigned int nr_fakes;
static int fakes_err;

void fake_devices(const struct fake_device *device, unsigned int nr, int err)
{
	fakes = device;
	nr_fakes = nr;
	fakes_err = err;
}

int devices__get(struct devices *devices)
{
	if (fakes_err)
		return fakes_err;
	devices->nr = nr_fakes;
	devices->info = calloc(nr_fakes + 1, sizeof(*devices->info));
	for (unsigned int i = 0; i < nr_fakes; i++)
		devices->info[i] = fakes[i].info;
	return 0;
}

void devices__put(struct devices *devices)
{
	free(devices->info);
}

int engines__get(struct engines *engines, unsigned int dev)
{
	for (unsigned int i = 0; i < nr_fakes; i++) {
		if (fakes[i].info.dev != dev)
			continue;
		if (fakes[i].err)
			return fakes[i].err;
		engines->nr = fakes[i].info.nr_engines;
		engines->info = calloc(engines->nr + 1, sizeof(*engines->info));
		memcpy(engines->info, fakes[i].engine, engines->nr * sizeof(*engines->info));
		return 0;
	}
	return -ENODEV;
}

void engines__put(struct engines *engines)
{
	free(engines->info);
}
