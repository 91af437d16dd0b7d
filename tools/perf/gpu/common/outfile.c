// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
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

int outfile__reserve(struct outfile *outfile, const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int fd, err;

	*outfile = (struct outfile){ .path = path };
	if (!strcmp(path, "-")) {
		outfile->file = stdout;
		return 0;
	}
	fd = open(path, flags | O_EXCL, 0666);
	outfile->made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, flags, 0666);
	outfile->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (outfile->file)
		return 0;
	err = -errno;
	if (fd >= 0)
		close(fd);
	outfile__abort(outfile);
	return err;
}

int outfile__begin(struct outfile *outfile)
{
	int fd = fileno(outfile->file);
	struct stat st;

	outfile->made = false;
	/* what is no file of its own has nothing in it; and standard output is as it was given */
	if (outfile->file == stdout || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fd, 0) ? -errno : 0;
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
	if (outfile->made)
		unlink(outfile->path);
	outfile->made = false;
	free(outfile->temporary);
	outfile->temporary = NULL;
}
