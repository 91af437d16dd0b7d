// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/gpu_pmu.h>

#include "record-check.h"

#define PMU_TYPE	"/sys/bus/event_source/devices/gpu/type"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static int setting(const char *path, int fallback)
{
	FILE *file = fopen(path, "re");
	int value = fallback;

	if (file && fscanf(file, "%d", &value) != 1)
		value = fallback;
	if (file)
		fclose(file);
	return value;
}

bool record_check__privileged(void)
{
	unsigned long long effective = 0;
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	if (file)
		fclose(file);
	return effective & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);
}

/* what perf will open, to see what the kernel says */
static int try(int type, int pid, bool all)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = GPU_PMU_EVENT_JOBS,
		.disabled = 1,
		.exclude_kernel = !record_check__privileged(),
	};
	int fd = syscall(SYS_perf_event_open, &attr, all ? -1 : pid, all ? sched_getcpu() : -1,
			 -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void say_refused(int pid, bool all, char *text, size_t size)
{
	int level = setting(PARANOID, 0);

	if (record_check__privileged())
		snprintf(text, size, "perf_event_open() is refused: a container's filter or a security module does that");
	else if (level >= 3)
		snprintf(text, size, "kernel.perf_event_paranoid is %d, which leaves perf to root (CAP_PERFMON): set it to 2 ('sysctl kernel.perf_event_paranoid=2' as root), and everyone can record their own processes",
			 level);
	else if (all)
		snprintf(text, size, "the whole machine is for root (CAP_PERFMON) to record: record a command, or a process of yours with -p PID");
	else
		snprintf(text, size, "process %d is another user's, or has other privileges than you: run perf gpu as root (CAP_PERFMON)",
			 pid);
}

int record_check__obstacle(int pid, bool all, char *text, size_t size)
{
	int type = setting(PMU_TYPE, -1), err;

	if (type < 0) {
		snprintf(text, size, "the module gpu_pmu is not loaded: load it with 'modprobe gpu_pmu' as root");
		return -ENOENT;
	}
	err = try(type, pid, all);
	switch (-err) {
	case 0:
		break;
	case EACCES:
	case EPERM:
		say_refused(pid, all, text, size);
		break;
	case ESRCH:
		snprintf(text, size, "there is no process %d", pid);
		break;
	case ENODEV:
		snprintf(text, size, "there is no GPU here that has a source of events: 'perf gpu list' shows what there is");
		break;
	default:
		snprintf(text, size, "the event jobs cannot be opened: %s", strerror(-err));
	}
	return err;
}
