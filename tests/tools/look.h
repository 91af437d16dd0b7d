/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /dev/gpu_pmu could tell, for those who keep it in rows.
 */
#ifndef TESTS_TOOLS_LOOK_H
#define TESTS_TOOLS_LOOK_H

#include "stat/rows.h"

#define ALL_ENGINES	GPU_PMU_SAMPLE_NO_ENGINE
#define ENDED		GPU_PMU_USAGE_ENDED
#define KERNEL		GPU_PMU_USAGE_KERNEL

/* an entry of a look; as many values as rows have */
int look_tell(struct rows *rows, const struct gpu_pmu_usage *who, const __u64 *values);
/* one that is known, but has not worked */
int look_idle(struct rows *rows, const struct gpu_pmu_usage *who);
/* the newest row of this id, or NULL */
struct row *look_row(const struct rows *rows, __u64 id);
unsigned int look_nr_rows(const struct rows *rows);

#endif /* TESTS_TOOLS_LOOK_H */
