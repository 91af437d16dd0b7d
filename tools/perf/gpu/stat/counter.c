// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stat/counter.h"
#include "stat/cpus.h"

static int places_of_threads(struct places *places, const struct target *target)
{
	for (unsigned int i = 0; i < target->nr_pids; i++) {
		pid_t *tids, *more;
		unsigned int nr;
		int err = process__threads(target->pid[i], &tids, &nr);

		if (err)
			return err;
		more = reallocarray(places->pid, places->nr_pids + nr, sizeof(*more));
		if (!more) {
			free(tids);
			return -ENOMEM;
		}
		memcpy(more + places->nr_pids, tids, nr * sizeof(*tids));
		places->pid = more;
		places->nr_pids += nr;
		free(tids);
	}
	return 0;
}

/* a list of one: -1 */
static int *anywhere(unsigned int *nr)
{
	int *one = malloc(sizeof(*one));

	*nr = !!one;
	if (one)
		*one = -1;
	return one;
}

int places__of_target(struct places *places, const struct target *target)
{
	int err;

	*places = (struct places){};
	if (target->kind == TARGET_ALL) {
		places->pid = anywhere(&places->nr_pids);
		err = places->pid ? cpus__online(&places->cpu, &places->nr_cpus) : -ENOMEM;
	} else {
		places->cpu = anywhere(&places->nr_cpus);
		err = places->cpu ? places_of_threads(places, target) : -ENOMEM;
	}
	if (err)
		places__free(places);
	return err;
}

void places__free(struct places *places)
{
	free(places->pid);
	free(places->cpu);
	*places = (struct places){};
}

int counter__open(struct counter *counter, const struct event *event,
		  const struct target *target, const struct places *places)
{
	struct perf_event_attr attr;
	int fd, err = 0;

	*counter = (struct counter){
		.event = event,
		.fd = calloc(places->nr_pids * places->nr_cpus, sizeof(int)),
	};
	if (!counter->fd)
		return -ENOMEM;
	event__attr(event, &attr);
	attr.inherit = target->kind != TARGET_ALL;
	attr.enable_on_exec = target->kind == TARGET_COMMAND;
	for (unsigned int i = 0; i < places->nr_pids * places->nr_cpus; i++) {
		fd = syscall(SYS_perf_event_open, &attr, places->pid[i / places->nr_cpus],
			     places->cpu[i % places->nr_cpus], -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0) {
			counter->fd[counter->nr++] = fd;
			continue;
		}
		err = -errno;
		/* a thread may end, and a processor go away, in the meantime */
		if (err != -ESRCH && !(err == -ENODEV && counter->nr && !attr.inherit))
			goto failed;
	}
	if (counter->nr)
		return 0;
failed:
	counter__close(counter);
	return err;
}

int counter__enable(const struct counter *counter)
{
	for (unsigned int i = 0; i < counter->nr; i++)
		if (ioctl(counter->fd[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

int counter__read(const struct counter *counter, __u64 *value, bool *counted)
{
	struct {
		__u64 value;
		__u64 enabled;
		__u64 running;
	} got;

	*value = 0;
	*counted = false;
	for (unsigned int i = 0; i < counter->nr; i++) {
		if (read(counter->fd[i], &got, sizeof(got)) != sizeof(got))
			return errno ? -errno : -EIO;
		*value += got.value;
		*counted |= got.running != 0;
	}
	return 0;
}

void counter__close(struct counter *counter)
{
	for (unsigned int i = 0; i < counter->nr; i++)
		close(counter->fd[i]);
	free(counter->fd);
	*counter = (struct counter){};
}
