// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU client whose number of jobs is known: see usage().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtgpu.h"

struct options {
	unsigned int jobs;
	unsigned int threads;
	unsigned int children;
	unsigned int pause_us;
	int wait_stdin;
	int fd;			/* inherited, or -1: open one */
};

static const char usage[] =
	"usage: gpu-client [-n JOBS] [-t THREADS] [-f CHILDREN] [-u US] [-i] [-F FD]\n"
	"Submits JOBS (1) GPU jobs in each of THREADS (1) threads of each of CHILDREN\n"
	"processes (0: in this one), each thread with a DRM file of its own, US\n"
	"microseconds after one another. -i: waits for a byte on stdin before it begins,\n"
	"when its files are open, and for the end of stdin before it exits. -F: submits on\n"
	"this DRM file, which it inherited.\n";

static void die(const char *what, int err)
{
	fprintf(stderr, "gpu-client: %s: %s\n", what, strerror(-err));
	exit(1);
}

static pthread_barrier_t opened, go;

static void *client(void *arg)
{
	const struct options *o = arg;
	int fd = o->fd >= 0 ? o->fd : virtgpu_open(), err;

	if (fd < 0)
		die(VIRTGPU_RENDER_NODE, fd);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&go);
	for (unsigned int i = 0; i < o->jobs; i++) {
		err = virtgpu_run(fd, 1);
		if (err)
			die("submit", err);
		if (o->pause_us)
			usleep(o->pause_us);
	}
	if (o->fd < 0)
		close(fd);
	return NULL;
}

static void run(struct options *o)
{
	pthread_t thread[o->threads];
	char c;

	pthread_barrier_init(&opened, NULL, o->threads + 1);
	pthread_barrier_init(&go, NULL, o->threads + 1);
	for (unsigned int i = 0; i < o->threads; i++) {
		int err = pthread_create(&thread[i], NULL, client, o);

		if (err)
			die("thread", -err);
	}
	pthread_barrier_wait(&opened);
	if (o->wait_stdin && (puts("ready"), fflush(stdout), read(0, &c, 1)) != 1)
		die("stdin", -EPIPE);
	pthread_barrier_wait(&go);
	for (unsigned int i = 0; i < o->threads; i++)
		pthread_join(thread[i], NULL);
	if (o->wait_stdin) {
		puts("done");
		fflush(stdout);
		while (read(0, &c, 1) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	struct options o = { .jobs = 1, .threads = 1, .fd = -1 };
	int opt, status, failed = 0;

	while ((opt = getopt(argc, argv, "n:t:f:u:iF:")) != -1) {
		switch (opt) {
		case 'n':
			o.jobs = atoi(optarg);
			break;
		case 't':
			o.threads = atoi(optarg);
			break;
		case 'f':
			o.children = atoi(optarg);
			break;
		case 'u':
			o.pause_us = atoi(optarg);
			break;
		case 'i':
			o.wait_stdin = 1;
			break;
		case 'F':
			o.fd = atoi(optarg);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind != argc || !o.threads) {
		fputs(usage, stderr);
		return 2;
	}

	if (!o.children) {
		run(&o);
		return 0;
	}
	for (unsigned int i = 0; i < o.children; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork", -errno);
		if (!pid) {
			run(&o);
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
