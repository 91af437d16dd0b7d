/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A gpu-client that runs beside the test: it has opened its files, and submits
 * when it is told to.
 */
#ifndef TESTS_SELFTESTS_CLIENT_H
#define TESTS_SELFTESTS_CLIENT_H

#include <sys/types.h>

struct client {
	pid_t pid;
	int in;			/* a byte: begin; closed: exit */
	char said[32];		/* the file that it writes "ready", then "done" to */
};

/* a command that tells client PID to begin, and returns when it is done */
#define CLIENT_GO	"tests/selftests/client-go %d"

/* 0 or a negative errno */
int client_start(struct client *client, const char *args);
int client_start_as(struct client *client, unsigned int uid, const char *args);
/* by a shell's words, which exec the client's own */
int client_start_by(struct client *client, const char *by, const char *args);
int client_go(struct client *client);
int client_wait(struct client *client, const char *word);
int client_end(struct client *client);

#endif /* TESTS_SELFTESTS_CLIENT_H */
