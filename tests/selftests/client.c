// SPDX-License-Identifier: GPL-2.0
/* See client.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../slowdown.h"
#include "client.h"

#define CLIENT		"build/clients/gpu-client"
#define PATIENCE_MS	60000

static void client_exec(int in, const char *by, const char *args)
{
	char command[512], said[32];
	int out;

	snprintf(said, sizeof(said), "/tmp/client.%d", getpid());
	out = open(said, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	if (out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	snprintf(command, sizeof(command), "%s " CLIENT " -i %s", by, args);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

/* start a client and wait until its files are open */
int client_start(struct client *client, const char *args)
{
	return client_start_by(client, "exec", args);
}

int client_start_as(struct client *client, unsigned int uid, const char *args)
{
	char by[80];

	snprintf(by, sizeof(by), "exec setpriv --reuid %u --regid %u --clear-groups --", uid,
		 uid);
	return client_start_by(client, by, args);
}

int client_start_by(struct client *client, const char *by, const char *args)
{
	int pipefd[2];

	if (pipe2(pipefd, O_CLOEXEC))
		return -errno;
	client->pid = fork();
	if (client->pid < 0)
		return -errno;
	if (!client->pid)
		client_exec(pipefd[0], by, args);
	close(pipefd[0]);
	client->in = pipefd[1];
	snprintf(client->said, sizeof(client->said), "/tmp/client.%d", client->pid);
	return client_wait(client, "ready");
}

int client_go(struct client *client)
{
	return write(client->in, "\n", 1) == 1 ? 0 : -errno;
}

/* wait until it has said a word */
int client_wait(struct client *client, const char *word)
{
	char text[64];

	for (int ms = 0; ms < PATIENCE_MS * (int)slowdown(); ms += 10) {
		FILE *file = fopen(client->said, "r");
		size_t nr = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

		if (file)
			fclose(file);
		text[nr] = 0;
		if (strstr(text, word))
			return 0;
		usleep(10000);
	}
	return -ETIMEDOUT;
}

/* let it exit */
int client_end(struct client *client)
{
	int status;

	close(client->in);
	if (waitpid(client->pid, &status, 0) != client->pid)
		return -errno;
	unlink(client->said);
	return status ? -ECHILD : 0;
}
