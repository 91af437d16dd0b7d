/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is there when it is whole: until then it has another name. Or one that grows as it
 * is read, and is what it was until that begins.
 */
#ifndef PERF_GPU_OUTFILE_H
#define PERF_GPU_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct outfile - a file that is being written
 * @file:	to write to
 * @path:	its name
 * @temporary:	its name until it is whole; NULL if that is @path, or there is none
 * @made:	it was not there, and nothing has begun yet
 * @fd:		of @file
 * @err:	a negative errno: why it could not be written, when that was first tried
 */
struct outfile {
	FILE *file;
	const char *path;
	char *temporary;
	bool made;
	int fd;
	int err;
};

/* "-" is standard output; what is no regular file is written to at once. 0 or a negative errno */
int outfile__open(struct outfile *outfile, const char *path);
/*
 * Likewise, with its name at once; what is in it stays until outfile__begin() empties it. Where it
 * comes not to that, outfile__abort() leaves no file that was not there. 0 or a negative errno.
 */
int outfile__reserve(struct outfile *outfile, const char *path);
int outfile__begin(struct outfile *outfile);
/*
 * Why has something that was written to it failed? @err, of who noticed, if that was not the file:
 * stdio tells that it failed, and not why. Not of a file that was reserved.
 */
int outfile__why(const struct outfile *outfile, int err);
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
