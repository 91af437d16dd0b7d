// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the whole machine: CPUs, drivers and modules come and go, settings
 * change, the simulated hardware does wrong. For root; one at a time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "ops.h"

static long file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	long ret;

	if (fd < 0)
		return -errno;
	ret = outcome(write(fd, text, strlen(text)));
	close(fd);
	return ret;
}

static void pause_ms(unsigned int ms)
{
	const struct timespec nap = { .tv_nsec = ms * 1000000L };

	nanosleep(&nap, NULL);
}

long op_cpu_switch(struct fuzzer *f, struct rnd *r)
{
	static const char path[] = "/sys/devices/system/cpu/cpu1/online";
	long ret;

	f->worker->shared->cpu_switches++;
	ret = file_write(path, "0");
	pause_ms(rnd_below(r, 40));
	file_write(path, "1");
	return ret;
}

/* whoever opens its files is nobody in particular */
static void render_nodes_open_to_all(void)
{
	DIR *dir = opendir("/dev/dri");
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "renderD", 7))
			fchmodat(dirfd(dir), entry->d_name, 0666, 0);
	closedir(dir);
}

static long driver_rebind(const char *driver, const char *device, unsigned int pause)
{
	char path[128];
	long ret;

	snprintf(path, sizeof(path), "%s/unbind", driver);
	ret = file_write(path, device);
	pause_ms(pause);
	snprintf(path, sizeof(path), "%s/bind", driver);
	file_write(path, device);
	render_nodes_open_to_all();
	return ret;
}

long op_refgpu_rebind(struct fuzzer *f, struct rnd *r)
{
	const char *device = rnd_of(r, "refgpu.0", "refgpu.0", "refgpu.1");

	(void)f;
	return driver_rebind("/sys/bus/platform/drivers/refgpu", device, rnd_below(r, 20));
}

/*
 * That driver is not made for it: it uses its queues when they are gone, if a file is closed,
 * and its memory, if a sync file is. So it is done while nobody has one.
 */
void virtgpu_rebind(struct shared *shared)
{
	struct op_stats *stats = &shared->part[PART_VIRTGPU_REBIND];
	static const char driver[] = "/sys/bus/virtio/drivers/virtio_gpu";
	struct dirent *entry;
	char name[32] = "";
	int anchor;
	DIR *dir = opendir(driver);

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, "virtio", 6))
			snprintf(name, sizeof(name), "%.31s", entry->d_name);
	closedir(dir);
	if (!name[0])
		return;
	anchor = event_anchor();
	stats->calls++;
	stats->done += driver_rebind(driver, name, 10) >= 0;
	if (anchor >= 0)
		close(anchor);
}

static long module_load(const struct options *options, const char *name, const char *args)
{
	char path[256];
	long ret;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.ko", options->modules, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = outcome(syscall(SYS_finit_module, fd, args, 0));
	close(fd);
	return ret;
}

static const struct {
	const char *name;
	const char *args;
} modules[] = {
	{ "gpu_pmu", "flush_us=20000" },
	{ "gpu_pmu_virtio", "" },
	/* as seldom as flushes: its hardware is simulated by the same CPUs */
	{ "refgpu", "devices=2 counters_period_us=20000 timeslice_us=20000" },
};

#define MODULES	(sizeof(modules) / sizeof(modules[0]))

/* it may have gone, and not have come again: then it comes now */
static long module_unload(const char *name)
{
	long ret = outcome(syscall(SYS_delete_module, name, O_NONBLOCK));

	return ret == -ENOENT ? 0 : ret;
}

/* it is refused while it is in use: so it is tried often, and seldom done */
long op_module_reload(struct fuzzer *f, struct rnd *r)
{
	const struct options *options = f->worker->options;
	unsigned int which = rnd_below(r, MODULES);
	long ret;

	if (!options->modules)
		return -ENOENT;
	ret = module_unload(modules[which].name);
	if (ret)
		return ret;
	pause_ms(rnd_below(r, 10));
	ret = module_load(options, modules[which].name, modules[which].args);
	render_nodes_open_to_all();
	if (f->cover)
		symbols_load(f->worker->shared);
	return ret;
}

void modules_reload(const struct options *options, struct shared *shared)
{
	struct op_stats *stats = &shared->op[op_by_name("module_reload")];
	unsigned int i, patience;

	if (!options->modules)
		return;
	/* the last ones first: they use the first; what was closed may still be on its way */
	for (i = MODULES; i; i--)
		for (patience = 50; patience && module_unload(modules[i - 1].name); patience--)
			pause_ms(10);
	for (i = 0; i < MODULES; i++) {
		stats->calls++;
		stats->done += !module_load(options, modules[i].name, modules[i].args);
	}
	render_nodes_open_to_all();
}

#define PARAMETERS	"/sys/module/gpu_pmu/parameters/"

long op_parameter_set(struct fuzzer *f, struct rnd *r)
{
	long ret;

	(void)f;
	switch (rnd_below(r, 3)) {
	case 0:
		ret = file_write(PARAMETERS "flush_us",
				 rnd_of(r, "100", "1000", "5000", "100000", "99", "1000001"));
		/* a machine that does nothing else tells nothing */
		pause_ms(rnd_below(r, 100));
		file_write(PARAMETERS "flush_us", "20000");
		return ret;
	case 1:
		return file_write(PARAMETERS "max_user_events",
				  rnd_of(r, "1024", "1024", "0", "10"));
	default:
		return file_write(PARAMETERS "fifo_samples",
				  rnd_of(r, "256", "16", "17", "2048", "15", "x"));
	}
}

long op_sysctl_set(struct fuzzer *f, struct rnd *r)
{
	(void)f;
	switch (rnd_below(r, 3)) {
	case 0:
		return file_write("/proc/sys/kernel/perf_event_paranoid",
				  rnd_of(r, "2", "2", "2", "1", "0", "-1", "3"));
	case 1:
		file_write("/proc/sys/kernel/ftrace_enabled", "0");
		pause_ms(rnd_below(r, 10));
		return file_write("/proc/sys/kernel/ftrace_enabled", "1");
	default:
		return file_write("/proc/sys/kernel/perf_event_max_sample_rate",
				  rnd_of(r, "100000", "1000", "10"));
	}
}

#define REFGPU	"/sys/kernel/debug/refgpu/refgpu.%u/%s"

long op_refgpu_fault(struct fuzzer *f, struct rnd *r)
{
	static const char * const faults[] = { "torn", "burst", "late", "jump", "hang" };
	char path[128], name[32], value[24];

	(void)f;
	snprintf(name, sizeof(name), "fault/%s", faults[rnd_below(r, 5)]);
	snprintf(path, sizeof(path), REFGPU, (unsigned int)rnd_below(r, 2), name);
	snprintf(value, sizeof(value), "%lu",
		 rnd_one_in(r, 2) ? 0 : 1 + rnd_below(r, rnd_one_in(r, 3) ? 100000 : 10));
	return file_write(path, value);
}

/* the unit is then in use by someone else */
long op_refgpu_debugfs_open(struct fuzzer *f, struct rnd *r)
{
	const char *name = rnd_of(r, "counters/reports", "jobs", "state");
	char path[128];

	snprintf(path, sizeof(path), REFGPU, (unsigned int)rnd_below(r, 2), name);
	return slot_put(&f->worker->slots, SLOT_FILE, r,
			outcome(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
}

long op_refgpu_debugfs_use(struct fuzzer *f, struct rnd *r)
{
	char path[128], buffer[4096];
	int fd;

	switch (rnd_below(r, 4)) {
	case 0:
		fd = slot_take(&f->worker->slots, SLOT_FILE, r);
		return fd < 0 ? -ENOENT : outcome(close(fd));
	case 1:
		snprintf(path, sizeof(path), REFGPU, (unsigned int)rnd_below(r, 2),
			 rnd_of(r, "counters/trigger", "counters/status"));
		return file_write(path, "3");
	case 2:
		snprintf(path, sizeof(path), REFGPU, (unsigned int)rnd_below(r, 2),
			 rnd_of(r, "counters/size", "counters/period"));
		return file_write(path, rnd_of(r, "4096", "262144", "0", "1", "12500", "62500"));
	default:
		fd = slot_any(&f->worker->slots, SLOT_FILE, r);
		return outcome(read(fd, buffer, sizeof(buffer)));
	}
}
