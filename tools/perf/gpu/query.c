// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "query.h"

int contexts__get(struct contexts *contexts, int fd)
{
	struct gpu_pmu_contexts arg = { .fd = fd };
	struct gpu_pmu_context_info *info = NULL, *more;
	int err, dev = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC);
	unsigned int room;

	if (dev < 0)
		return -errno;
	do {
		/* a few more than there were: clients come at any time */
		room = arg.nr + 16;
		more = reallocarray(info, room, sizeof(*info));
		if (!more) {
			err = -ENOMEM;
			break;
		}
		info = more;
		arg.nr = room;
		arg.infos = (uintptr_t)info;
		err = ioctl(dev, GPU_PMU_IOCTL_CONTEXTS, &arg) ? -errno : 0;
	} while (!err && arg.nr > room);
	close(dev);

	if (err) {
		free(info);
		return err;
	}
	contexts->nr = arg.nr;
	contexts->info = info;
	return 0;
}

void contexts__put(struct contexts *contexts)
{
	free(contexts->info);
}

const char *query__strerror(int err, char *text, size_t size)
{
	switch (-err) {
	case ENOENT:
		return "there is no /dev/gpu_pmu: load the module with 'modprobe gpu_pmu'";
	case EACCES:
		return "only root (CAP_PERFMON) may see all clients; '-p PID' shows those of a process of yours";
	case ENODEV:
		return "no source of GPU events covers this device's driver";
	case ENOTTY:
		return "that is not a DRM file";
	case EBADF:
		return "that is not an open file";
	default:
		snprintf(text, size, "%s", strerror(-err));
		return text;
	}
}

/* TODO(K): devices, engines, events, usages */
