// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/text.h"
#include "samples/progress.h"

#define FIRST_NS	500000000ULL
#define EACH_NS		100000000ULL
#define CLEAR_LINE	"\r\033[K"
/* of a terminal that does not say how wide it is */
#define WIDTH_USUAL	80

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void progress__begin(struct progress *progress, const char *command, const char *input, bool on)
{
	progress->command = command;
	progress->input = input;
	progress->on = on && isatty(STDERR_FILENO);
	progress->shown = false;
	progress->next = now() + FIRST_NS;
}

/* it may become another one at any time */
static unsigned int terminal_width(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : WIDTH_USUAL;
}

/* of the next character, moved behind it; rather too many than too few */
static unsigned int next_columns(const char **text)
{
	return text__next(text) < 0x1100 ? 1 : 2;
}

static unsigned int columns(const char *text)
{
	unsigned int nr = 0;

	while (*text)
		nr += next_columns(&text);
	return nr;
}

/* its end says more than its beginning */
static void input_show(const char *input, unsigned int room)
{
	unsigned int nr = columns(input);

	if (nr > room) {
		while (nr > room - 3)
			nr -= next_columns(&input);
		fputs("...", stderr);
	}
	while (*input)
		text__show_next(stderr, &input);
}

/* the last column stays free: the cursor is there */
static void line_show(const char *command, const char *input, const char *how_far)
{
	unsigned int width = terminal_width() - 1;
	unsigned int others = strlen(command) + strlen(": reading : ") + strlen(how_far);

	fputs(CLEAR_LINE, stderr);
	/* there is to be something of the name */
	if (width < others + 4) {
		fprintf(stderr, "%.*s", (int)width, how_far);
		return;
	}
	fprintf(stderr, "%s: reading ", command);
	input_show(input, width - others);
	fprintf(stderr, ": %s", how_far);
}

void progress__show(struct progress *progress, int permille, uint64_t samples)
{
	char how_far[64];
	uint64_t time;

	if (!progress->on)
		return;
	time = now();
	if (time < progress->next)
		return;
	progress->next = time + EACH_NS;
	progress->shown = true;
	if (permille < 0)
		snprintf(how_far, sizeof(how_far), "%" PRIu64 " samples", samples);
	else
		snprintf(how_far, sizeof(how_far), "%3d %%, %" PRIu64 " samples", permille / 10,
			 samples);
	line_show(progress->command, progress->input, how_far);
}

void progress__end(struct progress *progress)
{
	if (progress->shown)
		fputs(CLEAR_LINE, stderr);
	progress->shown = false;
}
