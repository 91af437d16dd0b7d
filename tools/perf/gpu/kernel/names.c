// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "kernel/names.h"

int names__get(struct names *names)
{
	int err;

	*names = (struct names){};
	err = devices__get(&names->devices);
	if (err)
		return err;
	names->engines = calloc(names->devices.nr + 1, sizeof(*names->engines));
	if (!names->engines) {
		devices__put(&names->devices);
		names->devices = (struct devices){};
		return -ENOMEM;
	}
	/* a device may have gone: then its engines have no names */
	for (unsigned int i = 0; i < names->devices.nr; i++)
		if (engines__get(&names->engines[i], names->devices.info[i].dev))
			names->engines[i] = (struct engines){};
	return 0;
}

void names__put(struct names *names)
{
	for (unsigned int i = 0; i < names->devices.nr; i++)
		engines__put(&names->engines[i]);
	free(names->engines);
	devices__put(&names->devices);
	*names = (struct names){};
}

static int device_place(const struct names *names, unsigned int dev)
{
	for (unsigned int i = 0; i < names->devices.nr; i++)
		if (names->devices.info[i].dev == dev)
			return i;
	return -1;
}

const struct gpu_pmu_device_info *names__device(const struct names *names, unsigned int dev)
{
	int place = device_place(names, dev);

	return place < 0 ? NULL : &names->devices.info[place];
}

const char *names__engine(const struct names *names, unsigned int dev, unsigned int engine)
{
	int place = device_place(names, dev);

	if (place < 0 || engine >= names->engines[place].nr)
		return NULL;
	return names->engines[place].info[engine].name;
}
