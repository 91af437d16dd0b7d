/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the pages that are the same in each: the files of this folder, as they
 * are. Each ends with a NUL.
 */
#ifndef PERF_GPU_PAGES_H
#define PERF_GPU_PAGES_H

extern const char page_flamegraph_css[];
extern const char page_flamegraph_js[];
extern const char page_timeline_css[];
extern const char page_timeline_html[];
extern const char page_timeline_js[];

#endif /* PERF_GPU_PAGES_H */
