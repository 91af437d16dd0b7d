// SPDX-License-Identifier: GPL-2.0
/*
 * The flame graph of one weight.
 */
#include "flamegraph.h"
#include "report.h"

int report__flamegraph(FILE *out, const struct report *report)
{
	const struct report_weight *weight = &report_weights[report->weight];
	const uint64_t *selves;
	int err = join__selves(report->join, report->weight, &selves);

	if (err)
		return err;
	return flamegraph__write(out, report->stacks, selves, stacks__nr(report->stacks),
				 weight->title, weight->unit);
}
