/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands beside a count: a share of the time, a mean, or a rate. Pure.
 */
#ifndef PERF_GPU_METRIC_H
#define PERF_GPU_METRIC_H

#include <stdbool.h>

#include "stat/number.h"
#include "stat/view.h"

/**
 * struct metric - what an event's count comes to
 * @value:	the number
 * @unit:	its unit, as programs read it
 */
struct metric {
	double value;
	const char *unit;
};

/* of the event of this place, in some seconds; false: there is none */
bool metric__get(struct metric *metric, const struct events *events,
		 const struct view_line *line, unsigned int i, double seconds);
/* for people: "11.2 % of the time" */
char *metric__text(char text[2 * NUMBER_SIZE], const struct metric *metric);
/* in a column of their own: its head, NULL: an event has none; and "11.2" */
const char *metric__head(const struct event *event);
char *metric__cell(char text[NUMBER_SIZE], const struct metric *metric);

#endif /* PERF_GPU_METRIC_H */
