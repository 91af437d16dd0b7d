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
	outfile->fd = fd;
	if (!fchmod(fd, 0666 & ~mask))
		return 0;
	err = -errno;
	close(fd);
	outfile__abort(outfile);
	return err;
}

/* all of it, as stdio takes less for an error; and the first error, which stdio does not keep */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
	struct outfile *outfile = cookie;
	size_t done = 0;
	ssize_t nr;

	while (done < size) {
		nr = write(outfile->fd, data + done, size - done);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0) {
			outfile->err = outfile->err ?: -errno;
			break;
		}
		done += nr;
	}
	return done;
}

static int stream_close(void *cookie)
{
	const struct outfile *outfile = cookie;

	return outfile->fd == STDOUT_FILENO ? 0 : close(outfile->fd);
}

static int open_stream(struct outfile *outfile)
{
	const cookie_io_functions_t functions = { .write = stream_write, .close = stream_close };
	int err = 0;

	outfile->file = fopencookie(outfile, "w", functions);
	if (!outfile->file) {
		err = -errno;
		stream_close(outfile);
		outfile__abort(outfile);
	}
	return err;
}

int outfile__open(struct outfile *outfile, const char *path)
{
	int err = 0;

	*outfile = (struct outfile){ .path = path, .fd = STDOUT_FILENO };
	if (strcmp(path, "-") && is_special(path)) {
		outfile->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (outfile->fd < 0)
			err = -errno;
	} else if (strcmp(path, "-")) {
		err = open_temporary(outfile);
	}
	return err ?: open_stream(outfile);
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

int outfile__why(const struct outfile *outfile, int err)
{
	return outfile->err ?: err;
}

int outfile__commit(struct outfile *outfile)
{
	int err = file__close(outfile->file);

	err = outfile__why(outfile, err);
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
