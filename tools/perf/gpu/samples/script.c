// SPDX-License-Identifier: GPL-2.0
/* See script.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf-gpu.h"
#include "samples/lines.h"
#include "samples/script.h"

#define DLFILTER	"perf-gpu-dlfilter.so"
/* no offset from a symbol means less than a line: they tell where a name ends, see wire.c */
#define FIELDS		"ip,sym,symoff,dso"
#define PIPE_SIZE	(1 << 20)
#define BUFFER_SIZE	(1 << 18)
#define PATIENCE_MS	200

/**
 * struct script - a perf script that runs
 * @pid:	the process
 * @out:	its standard output
 * @err:	what it says on standard error
 * @lines:	its output
 * @buffer:	of @lines
 */
struct script {
	pid_t pid;
	int out;
	int err;
	struct lines lines;
	char buffer[BUFFER_SIZE + 1];
};

const char *script__perf(void)
{
	const char *perf = getenv("PERF");

	return perf && *perf ? perf : "perf";
}

/* beside this program, or where "make install" puts it */
static int dlfilter_find(char path[PATH_MAX])
{
	static const char *const places[] = { "", "../lib/perf-gpu/" };
	char self[PATH_MAX], *slash;
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size < 0)
		return -errno;
	self[size] = '\0';
	slash = strrchr(self, '/');
	slash[1] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (snprintf(path, PATH_MAX, "%s%s%s", self, places[i], DLFILTER) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (!access(path, R_OK))
			return 0;
	}
	return -ENOENT;
}

/* does not return */
static void child(const struct script_options *options, char *dlfilter, int out, int err)
{
	char *argv[24], max_stack[16];
	int argc = 0;

	/* Ctrl-C at a terminal is for us: we say when it is enough */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	argv[argc++] = (char *)script__perf();
	argv[argc++] = "script";
	argv[argc++] = "-i";
	argv[argc++] = (char *)options->input;
	argv[argc++] = "--dlfilter";
	argv[argc++] = dlfilter;
	argv[argc++] = "--show-lost-events";
	argv[argc++] = "-F";
	argv[argc++] = FIELDS;
	/* it is 127 if perf is not told: what is further out would be missing, without a word */
	snprintf(max_stack, sizeof(max_stack), "%u", options->max_stack);
	argv[argc++] = "--max-stack";
	argv[argc++] = max_stack;
	if (!options->inlined)
		argv[argc++] = "--no-inline";
	if (options->force)
		argv[argc++] = "-f";
	argv[argc] = NULL;
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int script__open(struct script **where, const struct script_options *options)
{
	struct script *script = malloc(sizeof(*script));
	char dlfilter[PATH_MAX];
	int out[2] = { -1, -1 }, err = script ? dlfilter_find(dlfilter) : -ENOMEM;

	if (err)
		goto fail;
	script->lines = (struct lines){ .buffer = script->buffer, .room = BUFFER_SIZE };
	script->err = memfd_create("perf-script-stderr", MFD_CLOEXEC);
	if (script->err < 0 || pipe2(out, O_CLOEXEC)) {
		err = -errno;
		goto fail_fds;
	}
	/* it may be smaller: that is slower, and no more */
	fcntl(out[0], F_SETPIPE_SZ, PIPE_SIZE);
	/* whoever ignores it is not told with what a child has ended: nor would perf be */
	signal(SIGCHLD, SIG_DFL);
	script->pid = fork();
	if (script->pid < 0) {
		err = -errno;
		goto fail_fds;
	}
	if (!script->pid)
		child(options, dlfilter, out[1], script->err);
	close(out[1]);
	script->out = out[0];
	*where = script;
	return 0;

fail_fds:
	if (script->err >= 0)
		close(script->err);
	if (out[0] >= 0) {
		close(out[0]);
		close(out[1]);
	}
fail:
	free(script);
	return err;
}

/* 0: more has come, or none will */
static int fill(struct script *script)
{
	struct pollfd poller = { .fd = script->out, .events = POLLIN };
	ssize_t got;
	size_t size;
	int ready;
	char *at;

	ready = poll(&poller, 1, PATIENCE_MS);
	if (ready <= 0)
		return !ready || errno == EINTR ? -EAGAIN : -errno;
	at = lines__room(&script->lines, &size);
	got = read(script->out, at, size);
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	lines__put(&script->lines, got);
	return 0;
}

int script__line(struct script *script, char **line)
{
	int err;

	while (!(*line = lines__next(&script->lines))) {
		if (script->lines.over)
			return 0;
		err = fill(script);
		if (err)
			return err;
	}
	return 1;
}

/* the first line that is no warning; perf says what is wrong first, and then more */
static void said_read(int fd, char *said, size_t size)
{
	char text[2048], *line, *rest = text;
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	said[0] = '\0';
	if (got <= 0)
		return;
	text[got] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (*line && strncmp(line, "WARNING", 7) && strncmp(line, "Warning", 7)) {
			snprintf(said, size, "%s", line);
			return;
		}
	}
}

int script__close(struct script *script, bool kill_it, char *said, size_t size)
{
	int status;

	/* what is not read any more must not keep it from ending */
	close(script->out);
	if (kill_it)
		kill(script->pid, SIGKILL);
	while (waitpid(script->pid, &status, 0) < 0 && errno == EINTR)
		;
	said_read(script->err, said, size);
	close(script->err);
	free(script);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
