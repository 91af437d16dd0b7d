// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <linux/gpu_pmu.h>

#include "stat/metric.h"
#include "perf-gpu.h"

#define NS_PER_S	1e9

static const char percent[] = "%";
static const char per_second[] = "/s";

enum metric_kind {
	METRIC_RATE,		/* by the second */
	METRIC_SHARE,		/* ns: of the time */
	METRIC_MEAN,		/* by another event's count */
	METRIC_NONE,
};

/* of the events that are more than a number of things that happened */
static const struct metric_of {
	unsigned int event;
	enum metric_kind kind;
	unsigned int by;
	const char *unit;
} metrics[] = {
	{ GPU_PMU_EVENT_GPU_BUSY, METRIC_SHARE, 0, percent },
	{ GPU_PMU_EVENT_QUEUE_WAIT, METRIC_MEAN, GPU_PMU_EVENT_JOBS, "ns/job" },
	{ GPU_PMU_EVENT_WAIT_TIME, METRIC_MEAN, GPU_PMU_EVENT_WAITS, "ns/wait" },
	{ GPU_PMU_EVENT_LOST, METRIC_NONE, 0, "" },
};

static const struct metric_of *metric_of(const struct event *event)
{
	static const struct metric_of rate = { 0, METRIC_RATE, 0, per_second };

	for (size_t m = 0; m < ARRAY_SIZE(metrics); m++)
		if (metrics[m].event == event__id(event))
			return &metrics[m];
	return &rate;
}

/* the count of an event of the same terms */
static const struct view_count *find_by(const struct events *events,
					const struct view_line *line,
					const struct event *like, unsigned int id)
{
	const __u64 rest = ~GPU_PMU_CONFIG_EVENT_MASK;

	for (unsigned int i = 0; i < events->nr; i++) {
		const struct event *event = &events->event[i];

		if (event__id(event) == id &&
		    (event->config[0] & rest) == (like->config[0] & rest) &&
		    event->config[1] == like->config[1] &&
		    event->config[2] == like->config[2])
			return &line->count[i];
	}
	return NULL;
}

bool metric__get(struct metric *metric, const struct events *events,
		 const struct view_line *line, unsigned int i, double seconds)
{
	const struct event *event = &events->event[i];
	const struct metric_of *of = metric_of(event);
	const struct view_count *by;

	if (!line->count[i].counted || seconds <= 0)
		return false;
	metric->unit = of->unit;
	metric->value = line->count[i].value;
	switch (of->kind) {
	case METRIC_RATE:
		metric->value /= seconds;
		return true;
	case METRIC_SHARE:
		metric->value *= 100 / (seconds * NS_PER_S);
		return true;
	case METRIC_MEAN:
		by = find_by(events, line, event, of->by);
		if (!by || !by->counted || by->value <= 0)
			return false;
		metric->value /= by->value;
		return true;
	default:
		return false;
	}
}

static bool is_mean(const char *unit)
{
	return !strncmp(unit, "ns/", 3);
}

char *metric__text(char text[2 * NUMBER_SIZE], const struct metric *metric)
{
	char number[NUMBER_SIZE];

	if (metric->unit == percent)
		snprintf(text, 2 * NUMBER_SIZE, "%.1f %% of the time", metric->value);
	else if (is_mean(metric->unit))
		snprintf(text, 2 * NUMBER_SIZE, "%s per %s",
			 number__time(number, metric->value), metric->unit + 3);
	else
		number__short(text, metric->value, metric->unit);
	return text;
}

const char *metric__head(const struct event *event)
{
	const struct metric_of *of = metric_of(event);

	if (of->kind == METRIC_NONE)
		return NULL;
	/* a time has its unit in the cell */
	return is_mean(of->unit) ? of->unit + 2 : of->unit;
}

char *metric__cell(char text[NUMBER_SIZE], const struct metric *metric)
{
	if (metric->unit == percent)
		snprintf(text, NUMBER_SIZE, "%.1f", metric->value);
	else if (is_mean(metric->unit))
		number__time(text, metric->value);
	else
		number__short(text, metric->value, "");
	return text;
}
