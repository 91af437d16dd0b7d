// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/drm.h"
#include "kernel/obstacle.h"
#include "perf-gpu.h"

#define PMU		"/sys/bus/event_source/devices/gpu"
#define QUERY		"/dev/gpu_pmu"

#define NO_SETTING	INT_MIN

/* ---- what is so here ---- */

static int setting(const char *path)
{
	FILE *file = fopen(path, "re");
	int value;

	if (!file)
		return NO_SETTING;
	if (fscanf(file, "%d", &value) != 1)
		value = NO_SETTING;
	fclose(file);
	return value;
}

static int paranoid(void)
{
	return setting("/proc/sys/kernel/perf_event_paranoid");
}

static int ptrace_scope(void)
{
	return setting("/proc/sys/kernel/yama/ptrace_scope");
}

/* the kernel asks for capabilities over the first user namespace */
static bool in_first_user_namespace(void)
{
	unsigned long inside, outside, length = 0;
	FILE *file = fopen("/proc/self/uid_map", "re");
	bool first;

	if (!file)
		return true;	/* a kernel without user namespaces */
	first = fscanf(file, "%lu %lu %lu", &inside, &outside, &length) == 3 &&
		length == 4294967295UL;
	fclose(file);
	return first;
}

static bool capable(unsigned int capability)
{
	unsigned long long effective = 0;
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	fclose(file);
	return effective >> capability & 1 && in_first_user_namespace();
}

bool obstacle__privileged(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}

/* PROC_PID_INIT_INO: what the first pid namespace is known by */
#define FIRST_PID_NAMESPACE	0xeffffffcUL

static bool in_pid_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_PID_NAMESPACE;
}

/* of a pid namespace that we are not in */
static bool proc_is_foreign(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) < 0 || atoi(self) != getpid();
}

static bool process_is_others(int pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid != geteuid();
}

static bool module_is_loaded(void)
{
	return !access(PMU, F_OK);
}

/* ---- sentences ---- */

__attribute__((format(printf, 3, 4)))
static const char *say(char *text, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, size, fmt, args);
	va_end(args);
	return text;
}

static const char *say_no_module(char *text, size_t size)
{
	return say(text, size,
		   "the module gpu_pmu is not loaded: load it with 'modprobe gpu_pmu' as root");
}

static const char *say_no_process(int pid, char *text, size_t size)
{
	if (proc_is_foreign())
		return say(text, size,
			   "/proc shows the processes of another pid namespace: mount it anew in this one ('unshare --mount-proc')");
	if (in_pid_namespace())
		return say(text, size,
			   "No such process as %d in this pid namespace: give the pid that it has here, or run perf gpu outside of the container",
			   pid);
	return say(text, size, "No such process: %d", pid);
}

static const char *say_not_yours(int pid, char *text, size_t size)
{
	if (process_is_others(pid))
		return say(text, size,
			   "process %d is another user's, or has other privileges than you: run perf gpu as root (CAP_PERFMON)",
			   pid);
	return say(text, size,
		   "process %d has other privileges than you: run perf gpu as root (CAP_PERFMON)",
		   pid);
}

/* the drivers that have a source of events, and the module that it is in */
static const struct source {
	const char *driver;
	const char *module;
} sources[] = {
	{ "virtio_gpu", "gpu_pmu_virtio" },
	{ "refgpu", "refgpu" },
};

static const struct source *source_of(const char *driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(driver, sources[i].driver))
			return &sources[i];
	return NULL;
}

static bool source_is_loaded(const struct source *source)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", source->module);
	return !access(path, F_OK);
}

/* those that nobody tells of, and that have this source, or none; false: there are none */
static bool uncovered_names(const struct drm_nodes *nodes, const struct source *source,
			    char names[256])
{
	size_t at = 0;

	names[0] = '\0';
	for (unsigned int i = 0; i < nodes->nr && at < 256; i++) {
		const struct drm_node *node = &nodes->node[i];

		if (!node->covered && source_of(node->driver) == source)
			at += snprintf(names + at, 256 - at, "%s%s at %s", at ? ", " : "",
				       node->driver, node->bus);
	}
	return at;
}

/* the devices that nobody tells of; NULL: there are none */
static const char *say_uncovered(const struct drm_nodes *nodes, char *text, size_t size)
{
	const char *and = "";
	char names[256];
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources) && at < size; i++) {
		const struct source *source = &sources[i];

		if (!uncovered_names(nodes, source, names))
			continue;
		at += snprintf(text + at, size - at,
			       source_is_loaded(source) ?
			       "%sno source of GPU events covers %s, though the module %s is loaded: the kernel's log says why ('dmesg')" :
			       "%sno source of GPU events covers %s: load it with 'modprobe %s' as root",
			       and, names, source->module);
		and = "; ";
	}
	if (at < size && uncovered_names(nodes, NULL, names))
		at += snprintf(text + at, size - at,
			       "%sthere is no source of GPU events for %s yet: a driver can become one, see gpu-pmu-provider.rst",
			       and, names);
	return at ? text : NULL;
}

/* of those that are there none is covered */
static const char *say_no_source(char *text, size_t size)
{
	struct drm_nodes nodes;

	if (drm_nodes__get(&nodes))
		nodes = (struct drm_nodes){};
	if (!say_uncovered(&nodes, text, size))
		say(text, size,
		    "there is no GPU here: no driver has made a device in /dev/dri, load the GPU's");
	drm_nodes__put(&nodes);
	return text;
}

/* pid: that it is about, 0: none; all: it is about the whole machine */
static const char *say_refused(int pid, bool all, char *text, size_t size)
{
	int level = paranoid();

	if (obstacle__privileged() || level == NO_SETTING)
		goto filtered;
	if (level >= 3)
		return say(text, size,
			   "kernel.perf_event_paranoid is %d, which leaves perf to root (CAP_PERFMON): set it to 2 ('sysctl kernel.perf_event_paranoid=2' as root), and everyone can count their own processes",
			   level);
	if (all && level > 0)
		return say(text, size,
			   "kernel.perf_event_paranoid is %d, which leaves the whole machine to root (CAP_PERFMON): count a command, or a process of yours with -p PID",
			   level);
	if (pid)
		return say_not_yours(pid, text, size);
filtered:
	return say(text, size,
		   "perf_event_open() is refused, though not by kernel.perf_event_paranoid: a container's seccomp filter or a security module does that, and has to allow it");
}

/* pid: 0 is this process, -1 all of a processor; 0 or a negative errno */
static int dummy_open(int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* the first one of the processes that no event can be opened on: its place; or their number */
static unsigned int first_refused(const struct obstacle_target *target, int *err)
{
	unsigned int i;

	*err = 0;
	for (i = 0; i < target->nr_pids; i++) {
		*err = dummy_open(target->pid[i], -1);
		if (*err)
			break;
	}
	return i;
}

/* which process a refusal is about; 0: it is about none */
static int culprit(const struct obstacle_target *target)
{
	unsigned int i = 0;
	int err;

	if (target->nr_pids > 1)
		i = first_refused(target, &err) % target->nr_pids;
	return target->nr_pids ? target->pid[i] : 0;
}

const char *obstacle__of_open(int err, const char *event,
			      const struct obstacle_target *target, char *text, size_t size)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return say_refused(culprit(target), target->all, text, size);
	case ESRCH:
		return say_no_process(culprit(target), text, size);
	case ENODEV:
		if (!module_is_loaded())
			return say_no_module(text, size);
		return say_no_source(text, size);
	case ENOENT:
		if (!module_is_loaded())
			return say_no_module(text, size);
		return say(text, size, "event '%s': the file has no such context", event);
	case ENODATA:
		return say(text, size,
			   "event '%s': no device here counts that, 'perf gpu list' shows what there is",
			   event);
	case EOPNOTSUPP:
		return say(text, size,
			   "event '%s' cannot be counted that way: a counter of the hardware's own needs -a or a context, a sample of what the GPU did has no callchain",
			   event);
	case EBUSY:
		return say(text, size,
			   "event '%s': someone else uses what it needs: kernel.ftrace_enabled must be 1, and a GPU's counter unit free",
			   event);
	case EMFILE:
		return say(text, size,
			   "event '%s': too many are open: raise 'ulimit -n', or gpu_pmu's parameter max_user_events",
			   event);
	case ENOSPC:
		return say(text, size,
			   "event '%s': a task can have 64 of these open on a CPU, and has: close some",
			   event);
	case ENXIO:
		return say(text, size,
			   "event '%s': there is no such engine, 'perf gpu list' shows those of each device",
			   event);
	case EXDEV:
		return say(text, size, "event '%s': fd is a file of another device than dev",
			   event);
	case EINVAL:
		return say(text, size,
			   "event '%s': there is no such event, or its terms make no sense: 'perf gpu list' shows what there is",
			   event);
	default:
		return say(text, size, "event '%s': %s", event, strerror(-err));
	}
}

/* of kernel.yama.ptrace_scope, 1 to 3 */
static const char *ptrace_way_out(int scope)
{
	return scope == 3 ? "only a new boot undoes that" :
	       "run perf gpu as root, or set it to 0 ('sysctl kernel.yama.ptrace_scope=0' as root)";
}

/* files are taken over as a debugger would: that is more than to count */
static const char *say_no_ptrace(int pid, char *text, size_t size)
{
	int scope = ptrace_scope();

	if (process_is_others(pid))
		return say_not_yours(pid, text, size);
	if (scope < 1 || scope > 3)
		return say_not_yours(pid, text, size);
	return say(text, size,
		   "process %d may not be looked into: kernel.yama.ptrace_scope is %d, %s", pid,
		   scope, ptrace_way_out(scope));
}

const char *obstacle__of_process(int err, int pid, char *text, size_t size)
{
	switch (-err) {
	case ENOENT:
		if (!module_is_loaded())
			return say_no_module(text, size);
		return say(text, size,
			   "process %d has no GPU open that has a source of events: 'perf gpu list' shows those that have",
			   pid);
	case EACCES:
	case EPERM:
		return say_no_ptrace(pid, text, size);
	case ESRCH:
		return say_no_process(pid, text, size);
	case EINVAL:
		return say(text, size, "%d is not a process: it may be one of its threads",
			   pid);
	default:
		return say(text, size, "process %d: %s", pid, strerror(-err));
	}
}

const char *obstacle__of_query(int err, char *text, size_t size)
{
	switch (-err) {
	case ENOENT:
	case ENXIO:
		if (module_is_loaded())
			return say(text, size,
				   "there is no " QUERY " here, though the module is loaded: a container has to be given it ('--device " QUERY "')");
		return say_no_module(text, size);
	case EACCES:
		if (access(QUERY, R_OK))
			return say(text, size,
				   QUERY " may not be opened: its mode should be 0666, as the module makes it");
		/* fallthrough */
	case EPERM:
		return say(text, size,
			   "only root (CAP_PERFMON) may see all clients: '-p PID' shows those of a process of yours");
	case ENODEV:
		return say_no_source(text, size);
	case ENOTTY:
		return say(text, size, "that is not a DRM file");
	case EBADF:
		return say(text, size, "that is not an open file");
	case EMFILE:
		return say(text, size,
			   "too many files are open: raise 'ulimit -n', or end some perf gpu that runs");
	default:
		return say(text, size, "%s", strerror(-err));
	}
}

/* ---- before anything has failed ---- */

/* the text of the sentence is made here already */
static int covered(char *text, size_t size)
{
	struct drm_nodes nodes;
	int err = drm_nodes__get(&nodes);
	unsigned int i;

	if (err) {
		say(text, size, "%s", strerror(-err));
		return err;
	}
	err = drm_nodes__cover(&nodes);
	if (err) {
		obstacle__of_query(err, text, size);
		goto out;
	}
	err = -ENODEV;
	for (i = 0; i < nodes.nr; i++)
		if (nodes.node[i].covered)
			err = 0;
	if (err)
		say_no_source(text, size);
out:
	drm_nodes__put(&nodes);
	return err;
}

int obstacle__check(const struct obstacle_target *target, char *text, size_t size)
{
	int err = 0;

	if (!module_is_loaded()) {
		say_no_module(text, size);
		return -ENOENT;
	}
	if (target->all)
		err = dummy_open(-1, sched_getcpu());
	else if (!target->nr_pids)
		err = dummy_open(0, -1);
	else
		first_refused(target, &err);
	if (err) {
		obstacle__of_open(err, "dummy", target, text, size);
		return err;
	}
	return covered(text, size);
}

static const char *limit_paranoid(char *text, size_t size)
{
	int level = paranoid();

	if (obstacle__privileged())
		return NULL;
	if (level == NO_SETTING)
		return say(text, size,
			   "this kernel has no perf events: it takes one with CONFIG_PERF_EVENTS");
	if (level >= 3)
		return say_refused(0, false, text, size);
	if (level > 0)
		return say(text, size,
			   "kernel.perf_event_paranoid is %d: you can count your own processes; for the whole machine, and what others do, run perf gpu as root (CAP_PERFMON)",
			   level);
	return NULL;
}

static const char *limit_ptrace(char *text, size_t size)
{
	int scope = ptrace_scope();

	if (scope <= 0 || (capable(CAP_SYS_PTRACE) && scope < 3))
		return NULL;
	return say(text, size,
		   "kernel.yama.ptrace_scope is %d: files of a process that runs already can be taken over by %s: %s",
		   scope, scope == 3 ? "nobody" : "root alone", ptrace_way_out(scope));
}

static const char *limit_namespace(char *text, size_t size)
{
	if (proc_is_foreign())
		return say_no_process(0, text, size);
	if (!in_pid_namespace())
		return NULL;
	return say(text, size,
		   "this is a pid namespace: processes outside of it have pid 0 here, and cannot be named: to see these run perf gpu outside of it");
}

static const char *limit_devices(char *text, size_t size)
{
	const char *said = NULL;
	struct drm_nodes nodes;

	if (drm_nodes__get(&nodes))
		return NULL;
	if (!drm_nodes__cover(&nodes))
		said = say_uncovered(&nodes, text, size);
	drm_nodes__put(&nodes);
	return said;
}

const char *obstacle__limit(unsigned int i, char *text, size_t size)
{
	static const char *(* const limits[])(char *text, size_t size) = {
		limit_devices, limit_paranoid, limit_ptrace, limit_namespace,
	};
	unsigned int k, nr = 0;

	for (k = 0; k < ARRAY_SIZE(limits); k++)
		if (limits[k](text, size) && nr++ == i)
			return text;
	return NULL;
}
