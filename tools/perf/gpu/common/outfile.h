/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is there when it is whole: until then it has another name.
 */
#ifndef PERF_GPU_OUTFILE_H
#define PERF_GPU_OUTFILE_H

#include <stdio.h>

/**
 * struct outfile - a file that is being written
 * @file:	to write to
 * @path:	its name
 * @temporary:	its name until it is whole; NULL if that is @path, or there is none
 */
struct outfile {
	FILE *file;
	const char *path;
	char *temporary;
};

/* "-" is standard output; what is no regular file is written to at once. 0 or an errno */
int outfile__open(struct outfile *outfile, const char *path);
/* it is whole; 0 or a negative errno */
int outfile__commit(struct outfile *outfile);
/* it will not be; does nothing after outfile__commit(), or if it was not opened */
void outfile__abort(struct outfile *outfile);

/*
 * What is written ends here: 0, or the negative errno of what could not be, now or before.
 * Standard output stays open.
 */
int file__flush(FILE *file);
int file__close(FILE *file);

#endif /* PERF_GPU_OUTFILE_H */
