/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A timeline as a page of HTML that needs nothing but a browser.
 */
#ifndef PERF_GPU_TIMELINE_PAGE_H
#define PERF_GPU_TIMELINE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

struct items;
struct stacks;

/**
 * page__write() - write the page
 * @out:	where to
 * @items:	what it shows
 * @stacks:	their stacks
 * @title:	of the page
 * @partial:	the record was not read to its end
 *
 * Return: 0 or a negative errno.
 */
int page__write(FILE *out, const struct items *items, const struct stacks *stacks,
		const char *title, bool partial);

#endif /* PERF_GPU_TIMELINE_PAGE_H */
