// SPDX-License-Identifier: GPL-2.0
/* See trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "trace.h"

#define TRACING	"/sys/kernel/tracing/"

static void write_text(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | flags);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd))
		die("%s to %s: %s", text, path, strerror(errno));
}

void trace_setup(const char *const *functions)
{
	write_text(TRACING "tracing_on", "0", 0);
	write_text(TRACING "set_ftrace_filter", "", O_TRUNC);
	for (; *functions; functions++)
		write_text(TRACING "set_ftrace_filter", *functions, O_APPEND);
	write_text(TRACING "options/funcgraph-tail", "1", 0);
	write_text(TRACING "current_tracer", "function_graph", 0);
}

void trace_clear(void)
{
	write_text(TRACING "trace", "0", O_TRUNC);
}

void trace_on(bool on)
{
	write_text(TRACING "tracing_on", on ? "1" : "0", 0);
}

void trace_end(void)
{
	trace_on(false);
	write_text(TRACING "current_tracer", "nop", 0);
	write_text(TRACING "set_ftrace_filter", "", O_TRUNC);
}

/* a line of the trace says how long a function took: ns, or 0 if it does not */
static double line_duration(const char *line)
{
	const char *at = strstr(line, " us");

	if (!at)
		return 0;
	while (at > line && strchr("0123456789.", at[-1]))
		at--;
	return strtod(at, NULL) * 1000;
}

/* "|  NAME [MODULE]();" or with a tail: "|  } /" "* NAME [MODULE] *" "/" */
static bool line_function(const char *line, char *name, size_t size)
{
	const char *at = strchr(line, '|');

	if (!at)
		return false;
	at += strspn(at, "| }/*");
	snprintf(name, size, "%.*s", (int)strcspn(at, " ();"), at);
	return *name;
}

void trace_read(bool (*what)(void *arg, const char *function, double ns), void *arg)
{
	FILE *file = fopen(TRACING "trace", "r");
	char line[256], name[64];
	double ns;

	if (!file)
		die("trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		ns = line_duration(line);
		if (line_function(line, name, sizeof(name)) && !what(arg, name, ns))
			break;
	}
	fclose(file);
}
