// SPDX-License-Identifier: GPL-2.0
/*
 * perf gpu top in a terminal.
 */
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf-gpu.h"
#include "stat/signals.h"
#include "top/top.h"

static const char keys[] =
	"q quit  b busy  j jobs  w wait  p pid  c clients/contexts  arrows scroll  space now";

/* from calm to full */
enum { PAIR_LOW = 1, PAIR_MIDDLE, PAIR_HIGH };

/**
 * struct screen - what is to be seen
 * @top:	of what
 * @first:	the first line of the table that is seen
 */
struct screen {
	struct top *top;
	unsigned int first;
};

static void draw_bar(int y, int x, int width, double share)
{
	int full = share >= 1 ? width : share * width + 0.5;
	int pair = share < 0.5 ? PAIR_LOW : share < 0.85 ? PAIR_MIDDLE : PAIR_HIGH;

	mvaddch(y, x, '[');
	attron(COLOR_PAIR(pair) | A_BOLD);
	for (int i = 0; i < width; i++)
		addch(i < full ? '|' : ' ');
	attroff(COLOR_PAIR(pair) | A_BOLD);
	printw("] %5.1f %%", 100 * share);
}

/* the device is said in front of its first engine; returns the next line */
static int draw_engines(const struct top *top, int y)
{
	int width = COLS - 30 < 60 ? COLS - 30 : 60;
	char text[128], name[40];
	unsigned int dev = 0;

	for (unsigned int i = 0; i < top->engines.nr && y < LINES - 2; i++) {
		const struct view_line *line = &top->engines.line[i];
		double share;

		/* behind the engines: others, and the total */
		if (line->kind >= VIEW_OTHERS)
			break;
		share = top__engine(top, line, name, sizeof(name));
		if (line->dev != dev) {
			dev = line->dev;
			top__device_text(top, dev, text, sizeof(text));
			mvaddnstr(y++, 0, text, COLS);
		}
		mvprintw(y, 2, "%-12.12s", name);
		if (width > 4)
			draw_bar(y, 15, width, share);
		y++;
	}
	return y;
}

static int draw_table(struct screen *screen, int y)
{
	unsigned int room = LINES - 2 > y ? LINES - 2 - y : 0;
	unsigned int lines = top__lines(screen->top);
	struct table table = {};
	char line[512];
	int err;

	/* a client that goes may leave the view behind the end */
	if (screen->first + room > lines)
		screen->first = lines > room ? lines - room : 0;
	if (room > lines)
		room = lines;
	/* what is not seen costs nothing: there may be thousands */
	err = top__table(screen->top, screen->first, room, &table);
	if (err)
		goto out;
	table__line(&table, 0, line, sizeof(line));
	attron(A_REVERSE);
	mvprintw(y, 0, "%-*.*s", COLS, COLS, line);
	attroff(A_REVERSE);
	for (unsigned int i = 0; i < room; i++) {
		table__line(&table, 1 + i, line, sizeof(line));
		mvaddnstr(++y, 0, line, COLS);
	}
out:
	table__free(&table);
	return err;
}

static int draw(struct screen *screen)
{
	char text[160];
	int err;

	erase();
	top__summary(screen->top, text, sizeof(text));
	attron(A_BOLD);
	mvprintw(0, 0, "perf gpu top: ");
	attroff(A_BOLD);
	addnstr(text, COLS > 14 ? COLS - 14 : 0);
	/* in the line that is empty else */
	if (top__missing(screen->top))
		mvaddnstr(1, 0, top__missing(screen->top), COLS);
	err = draw_table(screen, draw_engines(screen->top, 2) + 1);
	attron(A_DIM);
	mvaddnstr(LINES - 1, 0, keys, COLS > 0 ? COLS - 1 : 0);
	attroff(A_DIM);
	refresh();
	return err;
}

enum action { NOTHING, AGAIN, LOOK, QUIT };

static enum action handle_key(struct screen *screen, int key)
{
	struct top *top = screen->top;

	for (unsigned int i = 0; i < TOP_SORTS; i++) {
		if (key != top_sort_names[i][0])
			continue;
		top->sort = i;
		return AGAIN;
	}
	switch (key) {
	case 'q':
		return QUIT;
	case 'c':
		top->contexts = !top->contexts;
		return AGAIN;
	case ' ':
		return LOOK;
	case KEY_UP:
		screen->first -= screen->first > 0;
		return AGAIN;
	case KEY_DOWN:
		screen->first++;
		return AGAIN;
	case KEY_PPAGE:
		screen->first -= screen->first < 10 ? screen->first : 10;
		return AGAIN;
	case KEY_NPAGE:
		screen->first += 10;
		return AGAIN;
	case KEY_RESIZE:
		return AGAIN;
	default:
		return NOTHING;
	}
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* until it is time, a key asks for a look, or it is over; *signal: by which */
static enum action wait_for(struct screen *screen, int signals, long long until, int *signal,
			    int *err)
{
	struct pollfd polls[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	enum action action;
	long long left;
	int key;

	while ((left = until - now_ms()) > 0) {
		/* a new size of the window comes as a signal, and then as a key */
		if (poll(polls, ARRAY_SIZE(polls), left) < 0 && errno != EINTR) {
			*err = -errno;
			return QUIT;
		}
		*signal = signals__read(signals);
		if (*signal == SIGCHLD)
			*signal = 0;
		if (*signal || polls[0].revents & (POLLHUP | POLLERR))
			return QUIT;
		while ((key = getch()) != ERR) {
			action = handle_key(screen, key);
			if (action == LOOK || action == QUIT)
				return action;
			if (action == AGAIN)
				*err = top__arrange(screen->top) ?: draw(screen);
			if (*err)
				return QUIT;
		}
	}
	return LOOK;
}

/* the first look takes one delay; the signal that has come before, or 0 */
static int wait_for_first(int signals, long long until)
{
	struct pollfd polls = { .fd = signals, .events = POLLIN };
	long long left;
	int signal;

	/* keys wait until there is something that they can change */
	while ((left = until - now_ms()) > 0) {
		poll(&polls, 1, left);
		signal = signals__read(signals);
		if (signal && signal != SIGCHLD)
			return signal;
	}
	return 0;
}

static void screen_begin(void)
{
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_LOW, COLOR_GREEN, -1);
	init_pair(PAIR_MIDDLE, COLOR_YELLOW, -1);
	init_pair(PAIR_HIGH, COLOR_RED, -1);
}

int top__screen(struct top *top, int signals, unsigned int iterations)
{
	struct screen screen = { .top = top };
	SCREEN *terminal = newterm(NULL, stdout, stdin);
	int signal = 0, err = 0;
	long long next;

	if (!terminal)
		return -ENOTTY;
	screen_begin();
	/* before there is anything to show: a first look takes one delay */
	mvaddstr(0, 0, "perf gpu top: ...");
	refresh();
	next = now_ms() + top->delay_ms;
	for (unsigned int i = 0; !err && (!iterations || i < iterations); i++) {
		enum action action;

		if (!i) {
			signal = wait_for_first(signals, next);
			if (signal)
				break;
		} else {
			action = wait_for(&screen, signals, next, &signal, &err);
			if (action == QUIT)
				break;
		}
		next = now_ms() + top->delay_ms;
		err = top__look(top) ?: draw(&screen);
	}
	endwin();
	delscreen(terminal);
	return err ?: signal;
}
