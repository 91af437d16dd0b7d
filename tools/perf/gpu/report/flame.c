// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph of one weight.
 */
#include <errno.h>

#include "flamegraph.h"
#include "report.h"

/* the page is a part of its own, and may be left out of a build */
extern typeof(flamegraph__write) flamegraph__write __attribute__((weak));

int report__flamegraph(FILE *out, const struct report *report)
{
	const struct report_weight *weight = &report_weights[report->weight];
	const uint64_t *selves;
	int err = join__selves(report->join, report->weight, &selves);

	if (err)
		return err;
	if (!flamegraph__write)
		return -EOPNOTSUPP;
	return flamegraph__write(out, report->stacks, selves, stacks__nr(report->stacks),
				 weight->title, weight->unit);
}
