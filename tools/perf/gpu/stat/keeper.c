// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stat/cpus.h"
#include "stat/keeper.h"
#include "stat/target.h"

static int keep(struct keeper *keeper, int fd)
{
	int *more;

	if (fd < 0)
		return -errno;
	more = reallocarray(keeper->fd, keeper->nr + 1, sizeof(*more));
	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	keeper->fd = more;
	more[keeper->nr++] = fd;
	return 0;
}

static int open_event(struct keeper *keeper, const struct event *event, pid_t pid, int cpu)
{
	struct perf_event_attr attr;

	event__attr(event, &attr);
	attr.disabled = 0;
	return keep(keeper, syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
				    PERF_FLAG_FD_CLOEXEC));
}

/* 1: it has, 0: it has not, or a negative errno */
static int device_has(unsigned int dev, unsigned int id)
{
	struct gpu_events events;
	int err, has = 0;

	err = gpu_events__get(&events, dev);
	if (err)
		return err;
	/* its reports are counted where it has anything to report */
	has = id == GPU_PMU_EVENT_REPORTS && events.nr;
	for (unsigned int i = 0; i < events.nr; i++)
		has |= events.info[i].event == id;
	gpu_events__put(&events);
	return has;
}

static int keep_client(struct keeper *keeper, const struct event *event, unsigned int dev)
{
	struct event mine = *event;
	char path[40];
	int fd, err;

	snprintf(path, sizeof(path), "/dev/dri/renderD%u", dev);
	fd = open(path, O_RDWR | O_CLOEXEC);
	err = keep(keeper, fd);
	if (err)
		return err;
	mine.config[0] = (__u64)event__id(event) << GPU_PMU_CONFIG_EVENT_SHIFT |
			 (__u64)dev << GPU_PMU_CONFIG_DEV_SHIFT;
	mine.config[1] = (__u64)fd << GPU_PMU_CONFIG1_FD_SHIFT;
	mine.config[2] = 0;
	return open_event(keeper, &mine, 0, -1);
}

int keeper__native(struct keeper *keeper, const struct event *event,
		   const struct names *names)
{
	unsigned int kept = 0;
	int has, err = 0;

	for (unsigned int i = 0; !err && i < names->devices.nr; i++) {
		unsigned int dev = names->devices.info[i].dev;

		if (event__dev(event) && event__dev(event) != dev)
			continue;
		has = device_has(dev, event__id(event));
		if (has > 0) {
			err = keep_client(keeper, event, dev);
			kept++;
		}
	}
	return err ?: kept ? 0 : -ENODATA;
}

int keeper__event(struct keeper *keeper, const struct event *event)
{
	unsigned int nr;
	int *cpus, err;

	err = cpus__online(&cpus, &nr);
	if (err)
		return err;
	err = open_event(keeper, event, -1, cpus[0]);
	free(cpus);
	if (err == -EACCES || err == -EPERM)
		err = open_event(keeper, event, 0, -1);
	return err;
}

void keeper__close(struct keeper *keeper)
{
	for (unsigned int i = 0; i < keeper->nr; i++)
		close(keeper->fd[i]);
	free(keeper->fd);
	*keeper = (struct keeper){};
}
