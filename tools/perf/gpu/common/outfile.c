// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/outfile.h"

/* is there something that another file cannot take the place of? */
static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

static int open_temporary(struct outfile *outfile)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	if (asprintf(&outfile->temporary, "%s.XXXXXX", outfile->path) < 0) {
		outfile->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkstemp(outfile->temporary);
	if (fd < 0) {
		err = -errno;
		free(outfile->temporary);
		outfile->temporary = NULL;
		return err;
	}
	outfile->file = fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
	if (outfile->file)
		return 0;
	err = -errno;
	close(fd);
	outfile__abort(outfile);
	return err;
}

int outfile__open(struct outfile *outfile, const char *path)
{
	*outfile = (struct outfile){ .path = path };
	if (!strcmp(path, "-"))
		outfile->file = stdout;
	else if (is_special(path))
		outfile->file = fopen(path, "w");
	else
		return open_temporary(outfile);
	return outfile->file ? 0 : -errno;
}

int file__flush(FILE *file)
{
	if (fflush(file))
		return -errno;
	/* it was seen by nobody, and stdio has not kept why */
	return ferror(file) ? -EIO : 0;
}

int file__close(FILE *file)
{
	int err = file__flush(file);

	if (file != stdout && fclose(file) && !err)
		err = -errno;
	return err;
}

int outfile__commit(struct outfile *outfile)
{
	int err = file__close(outfile->file);

	outfile->file = NULL;
	if (!err && outfile->temporary && rename(outfile->temporary, outfile->path))
		err = -errno;
	if (!err) {
		free(outfile->temporary);
		outfile->temporary = NULL;
	}
	outfile__abort(outfile);
	return err;
}

void outfile__abort(struct outfile *outfile)
{
	if (outfile->file && outfile->file != stdout)
		fclose(outfile->file);
	outfile->file = NULL;
	if (outfile->temporary)
		unlink(outfile->temporary);
	free(outfile->temporary);
	outfile->temporary = NULL;
}
