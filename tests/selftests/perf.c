// SPDX-License-Identifier: GPL-2.0
/* See perf.h. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "perf.h"

#define FIELDS_MAX	16

static int wait_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int field_split(char *text, char **field)
{
	int nr = 0;

	while (nr < FIELDS_MAX && (field[nr] = strsep(&text, ";")))
		nr++;
	return nr;
}

/* does a field name an event? perf adds modifiers behind the name */
static bool field_is_event(const char *field)
{
	return strchr(field, '/') || strchr(field, ':');
}

/*
 * [time;][where;[nr;]]value;unit;event;run;percent;... where perf puts blanks in
 * front of some.
 */
static bool line_parse(char *text, bool interval, struct perf_line *line)
{
	char *field[FIELDS_MAX], *end;
	int nr = field_split(text, field), i, first = interval;

	memset(line, 0, sizeof(*line));
	for (i = 2; i < nr; i++)
		if (field_is_event(field[i]))
			break;
	if (i >= nr)
		return false;
	snprintf(line->event, sizeof(line->event), "%s", field[i]);
	if (interval)
		line->time = strtod(field[0], NULL);
	if (i - 2 > first)
		snprintf(line->where, sizeof(line->where), "%s", field[first]);
	line->value = strtoull(field[i - 2], &end, 10);
	line->counted = end != field[i - 2];
	return true;
}

int perf_stat_run_as(struct perf_stat *stat, const char *prefix, const char *fmt, ...)
{
	char args[2048], command[2304], text[4096];
	bool interval;
	size_t used = 0;
	va_list ap;
	FILE *out;
	int err = 0;

	va_start(ap, fmt);
	vsnprintf(args, sizeof(args), fmt, ap);
	va_end(ap);
	interval = strstr(args, "-I ");
	memset(stat, 0, sizeof(*stat));
	/* what the program prints is of no interest, what perf prints is */
	snprintf(command, sizeof(command),
		 "LC_ALL=C %sperf stat -x ';' --log-fd 9 %s 9>&1 >/dev/null", prefix, args);
	out = popen(command, "r");
	if (!out)
		return -errno;
	while (fgets(text, sizeof(text), out)) {
		text[strcspn(text, "\n")] = 0;
		used += snprintf(stat->text + used, sizeof(stat->text) - used, "%s\n",
				 text);
		if (used >= sizeof(stat->text))
			used = sizeof(stat->text) - 1;
		if (stat->nr == PERF_LINES_MAX)
			err = -E2BIG;
		else if (line_parse(text, interval, &stat->line[stat->nr]))
			stat->nr++;
	}
	stat->status = wait_status(pclose(out));
	return err;
}

/* "gpu/jobs/" is the event of the lines "gpu/jobs/" and "gpu/jobs/u" */
static bool line_is(const struct perf_line *line, const char *event)
{
	return !strncmp(line->event, event, strlen(event));
}

uint64_t perf_stat_sum(const struct perf_stat *stat, const char *event)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < stat->nr; i++)
		if (line_is(&stat->line[i], event))
			sum += stat->line[i].value;
	return sum;
}

unsigned int perf_stat_lines(const struct perf_stat *stat, const char *event)
{
	unsigned int lines = 0;

	for (unsigned int i = 0; i < stat->nr; i++)
		lines += line_is(&stat->line[i], event);
	return lines;
}

bool perf_stat_counted(const struct perf_stat *stat)
{
	for (unsigned int i = 0; i < stat->nr; i++)
		if (!stat->line[i].counted)
			return false;
	return stat->nr;
}

void perf_stat_dump(const struct perf_stat *stat)
{
	fprintf(stderr, "# perf's status is %d, it said:\n%s", stat->status, stat->text);
}

int shell(const char *fmt, ...)
{
	char command[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return wait_status(system(command));
}

int shell_line(char *line, size_t size, const char *fmt, ...)
{
	char command[2048], rest[256];
	va_list ap;
	FILE *out;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	out = popen(command, "r");
	if (!out)
		return -1;
	if (!fgets(line, size, out))
		line[0] = 0;
	line[strcspn(line, "\n")] = 0;
	while (fgets(rest, sizeof(rest), out))
		;
	return wait_status(pclose(out));
}

unsigned int gpu_pmu_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/gpu/type", "r");
	unsigned int type = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u", &type) != 1)
		type = 0;
	fclose(file);
	return type;
}

unsigned int gpu_event_id(const char *name)
{
	unsigned int id = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/gpu/events/%s", name);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "event=%x", &id) != 1)
		id = 0;
	fclose(file);
	return id;
}

void gpu_event_attr(struct perf_event_attr *attr, const struct gpu_config *config)
{
	*attr = (struct perf_event_attr) {
		.type = gpu_pmu_type(),
		.size = sizeof(*attr),
		.config = (uint64_t)config->event << GPU_PMU_CONFIG_EVENT_SHIFT |
			  (uint64_t)config->engine << GPU_PMU_CONFIG_ENGINE_SHIFT |
			  (uint64_t)config->dev << GPU_PMU_CONFIG_DEV_SHIFT,
		.config1 = config->fd,
		.config2 = config->ctx,
	};
}

int gpu_event_open(const struct gpu_config *config, pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr;
	int fd;

	gpu_event_attr(&attr, config);
	attr.disabled = group < 0;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int gpu_event_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int gpu_event_disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

/* a count that cannot be read is no small number */
uint64_t gpu_event_read(int fd)
{
	uint64_t count;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : UINT64_MAX;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return -errno;
	done = write(fd, text, strlen(text));
	close(fd);
	return done < 0 ? -EIO : 0;
}

int paranoid_set(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", level);
	return write_file("/proc/sys/kernel/perf_event_paranoid", text);
}

int become_uid(unsigned int uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

int become_user(void)
{
	return become_uid(1000);
}

int become_namespace_root(unsigned int uid)
{
	char map[32];
	int err = become_uid(uid);

	if (err)
		return err;
	if (unshare(CLONE_NEWUSER))
		return -errno;
	/* else its files in /proc are root's */
	prctl(PR_SET_DUMPABLE, 1);
	snprintf(map, sizeof(map), "0 %u 1", uid);
	err = write_file("/proc/self/setgroups", "deny");
	if (!err)
		err = write_file("/proc/self/uid_map", map);
	if (!err)
		err = write_file("/proc/self/gid_map", map);
	return err ?: getuid() ? -EINVAL : 0;
}

bool has_output(void)
{
	return !shell("ls -d /sys/class/drm/card0-* >/dev/null 2>&1");
}

int console_calm(void)
{
	int err = write_file("/sys/class/graphics/fbcon/cursor_blink", "0");

	return err == -ENOENT ? 0 : err; /* no console, no cursor */
}
