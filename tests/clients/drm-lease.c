// SPDX-License-Identifier: GPL-2.0
/*
 * Run several programs that each want to be DRM master, such as kmscube, on one
 * device at the same time.
 *
 * usage: drm-lease DEVICE PRELOAD COMMAND...
 *
 * Leases a connector and a CRTC of DEVICE (/dev/dri/card0) to each COMMAND, a
 * shell command line, and runs them all.  PRELOAD, a path to drm-lease-open.so,
 * makes an open() of DEVICE in COMMAND give the lease.  A lease is a DRM file of
 * its own: to the driver each COMMAND is a client of its own.
 *
 * A COMMAND's stdin is a pipe that nobody writes to: kmscube ends when it can
 * read, as it can from /dev/null.
 *
 * The status is 0 if all ended with 0, else that of one that did not.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>
#include <xf86drmMode.h>

/* A CRTC of @connector's that no lease in @taken (a bit for each index) has. */
static int crtc__find(int fd, const drmModeRes *res, const drmModeConnector *connector,
		      unsigned int taken)
{
	for (int i = 0; i < connector->count_encoders; i++) {
		drmModeEncoder *encoder = drmModeGetEncoder(fd, connector->encoders[i]);
		unsigned int possible;

		if (!encoder)
			err(1, "encoder %u", connector->encoders[i]);
		possible = encoder->possible_crtcs & ~taken;
		drmModeFreeEncoder(encoder);

		for (int crtc = 0; crtc < res->count_crtcs; crtc++)
			if (possible & 1u << crtc)
				return crtc;
	}
	return -1;
}

/* Without DRM_CLIENT_CAP_UNIVERSAL_PLANES set, a CRTC's planes come with it. */
static int lease__create(int fd, const drmModeRes *res, int *next_connector,
			 unsigned int *taken)
{
	while (*next_connector < res->count_connectors) {
		uint32_t id = res->connectors[(*next_connector)++];
		drmModeConnector *connector = drmModeGetConnector(fd, id);
		uint32_t objects[2], lessee;
		int crtc, lease;

		if (!connector)
			err(1, "connector %u", id);
		crtc = crtc__find(fd, res, connector, *taken);
		if (connector->connection != DRM_MODE_CONNECTED)
			crtc = -1;
		drmModeFreeConnector(connector);
		if (crtc < 0)
			continue;

		objects[0] = id;
		objects[1] = res->crtcs[crtc];
		lease = drmModeCreateLease(fd, objects, 2, 0, &lessee);
		if (lease < 0)
			errx(1, "no lease of connector %u: error %d", id, -lease);
		*taken |= 1u << crtc;
		return lease;
	}
	errx(1, "more commands than connected connectors");
}

static pid_t command__start(const char *command, int lease, int input, const char *device,
			    const char *preload)
{
	char number[16];
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;

	snprintf(number, sizeof(number), "%d", lease);
	if (dup2(input, STDIN_FILENO) < 0 || fcntl(lease, F_SETFD, 0) < 0 ||
	    setenv("DRM_LEASE_FD", number, 1) || setenv("DRM_LEASE_DEVICE", device, 1) ||
	    setenv("LD_PRELOAD", preload, 1))
		err(1, "%s", command);
	execl("/bin/sh", "sh", "-c", command, NULL);
	err(127, "/bin/sh");
}

int main(int argc, char **argv)
{
	int next_connector = 0, status = 0, running, fd, input[2];
	unsigned int taken = 0;
	const char *device, *preload;
	drmModeRes *res;

	if (argc < 4)
		errx(2, "usage: drm-lease DEVICE PRELOAD COMMAND...");
	device = argv[1];
	preload = argv[2];

	fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", device);
	res = drmModeGetResources(fd);
	if (!res)
		err(1, "%s: no outputs", device);
	if (pipe2(input, O_CLOEXEC))
		err(1, "pipe");

	for (int i = 3; i < argc; i++) {
		int lease = lease__create(fd, res, &next_connector, &taken);

		command__start(argv[i], lease, input[0], device, preload);
		close(lease);
	}
	drmModeFreeResources(res);

	for (running = argc - 3; running; running--) {
		int one;

		if (wait(&one) < 0)
			err(1, "wait");
		if (one)
			status = WIFEXITED(one) ? WEXITSTATUS(one) : 128 + WTERMSIG(one);
	}
	return status;
}
