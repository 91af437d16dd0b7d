// SPDX-License-Identifier: GPL-2.0
/* See lab.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab.h"

static const char *modules_folder;

/* a laboratory that does not work says nothing of what it is to examine */
static void die(const char *what, const char *which, int err)
{
	printf("Bail out! %s %s: %s\n", what, which, strerror(-err));
	fflush(stdout);
	exit(1);
}

void lab_pin(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("stay on", "CPU 0", -errno);
}

void lab_unpin(void)
{
	cpu_set_t cpus;

	memset(&cpus, 0xff, sizeof(cpus));
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

void lab_modules(const char *folder)
{
	modules_folder = folder;
}

int lab_load(const char *name, const char *args)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s.ko", modules_folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, args, 0) ? -errno : 0;
	close(fd);
	return ret;
}

int lab_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

bool lab_loaded(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK);
}

int lab_reload(const char *pmu_args, const char *refgpu_args)
{
	int ret = 0;

	if (lab_loaded("refgpu"))
		ret = lab_unload("refgpu");
	if (!ret && lab_loaded("gpu_pmu"))
		ret = lab_unload("gpu_pmu");
	if (!ret)
		ret = lab_load("gpu_pmu", pmu_args);
	if (!ret)
		ret = lab_load("refgpu", refgpu_args);
	return ret;
}

int lab_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

void lab_read(const char *path, char *text, unsigned int size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (n < 0)
		die("read", path, -errno);
	close(fd);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static void write_number(const char *path, uint64_t value)
{
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%lu", value);
	ret = lab_write(path, text);
	if (ret)
		die("write", path, ret);
}

void lab_param(const char *module, const char *name, unsigned int value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", module, name);
	write_number(path, value);
}

void lab_set(const char *name, uint64_t value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/refgpu/refgpu.0/%s", name);
	write_number(path, value);
}

static int debugfs_open(const char *name)
{
	int fd = device_file(0, name, O_RDONLY);

	if (fd < 0)
		die("open", name, fd);
	return fd;
}

uint64_t lab_get(const char *name)
{
	int fd = debugfs_open(name);
	char text[32] = "";

	if (read(fd, text, sizeof(text) - 1) < 0)
		die("read", name, -errno);
	close(fd);
	return strtoull(text, NULL, 0);
}

uint64_t lab_state(const char *key)
{
	FILE *file = fdopen(debugfs_open("state"), "r");
	uint64_t value = UINT64_MAX;
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ' ')
			value = strtoull(line + strlen(key), NULL, 10);
	fclose(file);
	return value;
}

uint64_t lab_reports(void)
{
	FILE *file = fdopen(debugfs_open("state"), "r");
	uint64_t written = 0, lost = 0;
	char line[256];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "reports %lu", &written) != 1)
			sscanf(line, "lost %lu", &lost);
	fclose(file);
	return written + lost;
}

int lab_event(unsigned int event, const struct gpu_config *where)
{
	int fd = meter_try(event, *where, -1, 0), ret;

	if (fd < 0)
		return fd;
	ret = gpu_event_enable(fd);
	if (ret)
		die("enable", event_names[event], ret);
	return fd;
}

uint64_t lab_final(int fd)
{
	gpu_event_disable(fd);
	return gpu_event_read(fd);
}

void lab_scope_open(struct lab_scope *scope, const struct gpu_config *where,
		    unsigned int mask)
{
	struct window window;
	unsigned int i;
	int ret;

	scope->nr = 0;
	for (i = 0; i < EVENT_NR; i++)
		if (mask & 1U << i)
			scope->meter[scope->nr++] = (struct meter) {
				.event = i, .config = *where, .pid = -1,
			};
	ret = meters_open(scope->meter, scope->nr);
	if (!ret)
		ret = meters_on(scope->meter, scope->nr, &window);
	if (ret)
		die("events of", "a scope", ret);
}

void lab_scope_peek(struct lab_scope *scope, struct tally *values)
{
	unsigned int i;

	*values = (struct tally) {};
	meters_read(scope->meter, scope->nr);
	for (i = 0; i < scope->nr; i++)
		values->v[scope->meter[i].event] = scope->meter[i].value;
}

void lab_scope_read(struct lab_scope *scope, struct tally *values)
{
	struct window window;

	meters_off(scope->meter, scope->nr, &window);
	lab_scope_peek(scope, values);
}

void lab_scope_close(struct lab_scope *scope)
{
	meters_close(scope->meter, scope->nr);
	scope->nr = 0;
}

#define LOG_LINES	4096

void lab_log_read(int fd, uint64_t hw_id, unsigned int engine, struct lab_log *log)
{
	static struct job_line lines[LOG_LINES];
	int nr = job_lines(fd, lines, LOG_LINES), i;

	if (nr < 0)
		die("read", "all of a job log", -EIO);
	*log = (struct lab_log) {};
	for (i = 0; i < nr; i++) {
		const struct job_line *line = &lines[i];
		bool ran = line->started != UINT64_MAX;

		if (line->hw_id != hw_id || line->engine != engine)
			continue;
		log->ended++;
		if (ran)
			log->run += (line->ended - line->started) * TICK_NS;
		/* one that never ran has only waited */
		log->wait += ((ran ? line->started : line->ended) - line->submitted) * TICK_NS;
	}
}
