// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf.h"
#include "with-refgpu.h"

int sysctl_number(const char *name)
{
	char line[16];

	return shell_line(line, sizeof(line), "cat /proc/sys/kernel/%s", name) ? -1 : atoi(line);
}

static int setup(void)
{
	struct utsname name;

	uname(&name);
	return shell("modprobe -a gpu-sched drm_shmem_helper && "
		     "insmod build/%s/refgpu.ko && chmod 666 /dev/dri/renderD*", name.release);
}

/* in a child: the harness does not return */
static int run(int argc, char **argv, int (*tests)(int argc, char **argv))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		exit(tests(argc, argv));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

int with_refgpu(int argc, char **argv, int (*tests)(int argc, char **argv))
{
	int restrict_before = sysctl_number("kptr_restrict"), status;

	/* what perf may not know of the kernel it does not read at each record */
	if (setup() || shell("echo 2 >/proc/sys/kernel/kptr_restrict")) {
		fprintf(stderr, "# %s: refgpu cannot be loaded\n", program_invocation_short_name);
		return 1;
	}
	status = run(argc, argv, tests);
	if (shell("echo %d >/proc/sys/kernel/kptr_restrict; rmmod refgpu", restrict_before))
		status = 1;
	return status;
}
