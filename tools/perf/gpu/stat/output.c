// SPDX-License-Identifier: GPL-2.0
#include <linux/gpu_pmu.h>

#include "common/outfile.h"
#include "stat/output.h"

int output__flush(struct output *output)
{
	int err = file__flush(output->file);

	output->err = output->err ?: err;
	return output->err;
}

void output__begin(struct output *output)
{
	output->ops->begin(output);
	output__flush(output);
}

void output__interval(struct output *output, const struct output_part *part)
{
	output->ops->interval(output, part);
	output->intervals++;
	output__flush(output);
}

void output__end(struct output *output, const struct output_end *end)
{
	output->ops->end(output, end);
	output__flush(output);
}

const char *output__kind(const struct view_line *line)
{
	static const char * const kinds[] = {
		[VIEW_CLIENT] = "client",
		[VIEW_CONTEXT] = "context",
		[VIEW_NO_CONTEXT] = "no-context",
		[VIEW_ENGINE] = "engine",
		[VIEW_OTHERS] = "others",
		[VIEW_TOTAL] = "total",
	};

	return line->kernel ? "kernel" : kinds[line->kind];
}

const char *output__engine(const struct names *names, const struct view_line *line,
			   char text[40])
{
	const char *name;

	if (line->engine == GPU_PMU_SAMPLE_NO_ENGINE)
		return "";
	name = names__engine(names, line->dev, line->engine);
	snprintf(text, 40, name ? "%s" : "%.0s%u", name ?: "", line->engine);
	return text;
}
