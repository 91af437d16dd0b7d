// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU client whose stacks are known: see usage. main() calls f(), g() and w(); f()
 * submits a job, g() has h() do it, w() waits for the jobs that are under way; with -d it is
 * deep() that does, many calls further in.
 *
 * It is built twice. stacks-fp has frame pointers, and makes libdrm's system calls
 * itself, from code that has them too: a chain by frame pointers misses no function.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "refgpu.h"
#include "virtgpu.h"

#define MS_CYCLES	12500		/* of refgpu's clock */
#define SHORT_CYCLES	100
#define PATIENCE_NS	60000000000LL

/* neither inlined nor cloned, and its caller does not know what it does */
#define FUNCTION	static __attribute__((noipa)) void
/* in its caller's frame */
#define INLINE		static inline __attribute__((always_inline)) void

/* what w() waits for a job by */
enum wait_by {
	WAIT_BY_BUFFER,
	WAIT_BY_SYNCOBJ,
	WAIT_BY_FILE,
	WAIT_BY_NR,
};

static const char *const wait_names[WAIT_BY_NR] = { "buffer", "syncobj", "file" };

struct options {
	unsigned int f;
	unsigned int g;
	unsigned int w;
	unsigned int wait_ms;
	unsigned int jobs;
	unsigned int threads;
	unsigned int children;
	unsigned int depth;
	bool virtio;
	bool wait_stdin;
	bool moves;
	enum wait_by wait_by;
};

/* one for each thread, with a DRM file of its own */
struct client {
	const struct options *options;
	uint64_t cycles;
	struct refgpu gpu;
	struct refgpu_buffer bo;
	struct refgpu_batch batch;
	uint32_t ctx;
	uint32_t sync;		/* of the last job */
	int virtio;
	uint32_t handle;	/* virtio: of a buffer that jobs use, or 0 */
	int fence;		/* virtio: of the last job, or -1 */
};

static const char usage[] =
	"usage: stacks [-f N] [-g N] [-w N] [-m MS] [-t THREADS] [-c CHILDREN] [-v] [-i] [-M]\n"
	"              [-d DEPTH] [-W buffer|syncobj|file] [-n N]\n"
	"In each of THREADS threads (0: in main()) of each of CHILDREN processes (0: in this\n"
	"one), calls f() and g() N (0) times each. After the first -w (0) calls of f() calls\n"
	"w(), and has each of these jobs take MS (1) milliseconds. -v: virtio-gpu, and not\n"
	"refgpu; these jobs are as long as they can be there, the others take no time. -i: says\n"
	"\"ready\" when all files are open, and waits for a line on stdin. -M: goes to another CPU\n"
	"before each call of f(). -d: from DEPTH calls of deep(), one inside the other. -W: what\n"
	"w() waits for: the job's buffer, its syncobj or a sync file; there is no syncobj with -v,\n"
	"and a sync file if nothing is said. -n: calls f() N (1) times before each call of w().\n";

static void die(const char *what, int err)
{
	fprintf(stderr, "stacks: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void check(const char *what, int err)
{
	if (err < 0)
		die(what, err);
}

#ifdef STACKS_FP
/* instead of libdrm's */
int drmIoctl(int fd, unsigned long request, void *arg)
{
	long ret;

	do {
		__asm__ volatile("syscall" : "=a"(ret)
				 : "0"(16L /* ioctl */), "D"((long)fd), "S"(request), "d"(arg)
				 : "rcx", "r11", "memory");
	} while (ret == -EINTR || ret == -EAGAIN);
	if (ret >= 0)
		return ret;
	errno = -ret;
	return -1;
}
#endif

INLINE submit(struct client *c)
{
	if (c->options->virtio) {
		if (c->fence >= 0)
			close(c->fence);
		c->fence = virtgpu_submit_nops(c->virtio, c->handle,
					       c->cycles == SHORT_CYCLES ? 1 : VIRTGPU_NOPS_MAX);
		check("submit", c->fence);
		return;
	}
	refgpu_spin(&c->batch, c->cycles);
	refgpu_fill(&c->batch, &c->bo, 0, 4, 0);
	check("submit", refgpu_submit(&c->gpu, c->ctx, 0, &c->batch, 0, c->sync));
}

FUNCTION f(struct client *c)
{
	submit(c);
}

FUNCTION h(struct client *c)
{
	submit(c);
}

FUNCTION g(struct client *c)
{
	h(c);
}

INLINE file_wait(struct client *c)
{
	int fence = c->fence;

	c->fence = -1;
	if (!c->options->virtio &&
	    drmSyncobjExportSyncFile(c->gpu.fd, c->sync, &fence))
		die("sync file", -errno);
	check("wait", virtgpu_wait(fence));
}

FUNCTION w(struct client *c)
{
	switch (c->options->wait_by) {
	case WAIT_BY_BUFFER:
		check("wait", c->options->virtio ? virtgpu_buffer_wait(c->virtio, c->handle) :
		      refgpu_buffer_wait(&c->gpu, &c->bo, PATIENCE_NS));
		break;
	case WAIT_BY_SYNCOBJ:
		check("wait", refgpu_sync_wait(&c->gpu, c->sync, PATIENCE_NS));
		break;
	default:
		file_wait(c);
	}
}

static void client_open(struct client *c, const struct options *o)
{
	c->options = o;
	c->fence = -1;
	if (o->virtio) {
		c->virtio = virtgpu_open();
		check(VIRTGPU_RENDER_NODE, c->virtio);
		if (o->wait_by == WAIT_BY_BUFFER)
			check("buffer", virtgpu_buffer(c->virtio, &c->handle));
		return;
	}
	check("refgpu", refgpu_open(&c->gpu, 0));
	check("context", refgpu_context(&c->gpu, REFGPU_PRIORITY_NORMAL, &c->ctx));
	check("buffer", refgpu_buffer(&c->gpu, 4096, &c->bo));
	c->sync = refgpu_sync(&c->gpu);
	check("syncobj", c->sync ? 0 : -ENOMEM);
}

/* of the last job: 0 if it is not over, negative if it went wrong */
static int job_status(struct client *c)
{
	struct pollfd fence = { .fd = c->fence, .events = POLLIN };

	if (!c->options->virtio)
		return refgpu_sync_status(&c->gpu, c->sync);
	/* it was waited for, and closed */
	if (c->fence < 0)
		return 1;
	return poll(&fence, 1, 0) < 0 ? -errno : fence.revents;
}

/*
 * Leave no job behind: what becomes of it would be in no record. And 6.12's drm_sched may
 * put an entity back in its queue that ends while it has jobs, and trip over it when it
 * is gone. Asked for, and not waited for: this is to be no wait.
 */
static void client_close(struct client *c)
{
	int status;

	if (!(c->options->f + c->options->g))
		return;
	while (!(status = job_status(c)))
		usleep(1000);
	check("last job", status);
}

/* to another one than the last time */
INLINE move(unsigned int i)
{
	unsigned int cpu = i % sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	check("CPU", sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0);
	if (sched_getcpu() != (int)cpu)
		die("CPU", -EINVAL);
}

INLINE client_work(struct client *c)
{
	const struct options *o = c->options;

	for (unsigned int i = 0; i < o->f; i++) {
		if (o->moves)
			move(i);
		c->cycles = i < o->w ? o->wait_ms * MS_CYCLES : SHORT_CYCLES;
		f(c);
		for (unsigned int k = 1; i < o->w && k < o->jobs; k++)
			f(c);
		if (i < o->w)
			w(c);
	}
	c->cycles = SHORT_CYCLES;
	for (unsigned int i = 0; i < o->g; i++)
		g(c);
}

FUNCTION work(struct client *c)
{
	client_work(c);
}

/* a small frame, so that many fit into perf's copy of the stack; no loop, as it comes back */
FUNCTION deep(struct client *c, unsigned int depth)
{
	if (depth > 1)
		deep(c, depth - 1);
	else
		work(c);
	__asm__ volatile("");
}

INLINE client_run(struct client *c)
{
	if (c->options->depth)
		deep(c, c->options->depth);
	else
		client_work(c);
}

static pthread_barrier_t opened, go;

static void *thread_main(void *arg)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		die("memory", -ENOMEM);
	client_open(c, arg);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&go);
	client_run(c);
	client_close(c);
	return NULL;
}

static void wait_to_go(const struct options *o)
{
	if (!o->wait_stdin)
		return;
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		die("stdin", -EPIPE);
}

static void threads_run(struct options *o)
{
	pthread_t thread[o->threads];

	pthread_barrier_init(&opened, NULL, o->threads + 1);
	pthread_barrier_init(&go, NULL, o->threads + 1);
	for (unsigned int i = 0; i < o->threads; i++)
		check("thread", -pthread_create(&thread[i], NULL, thread_main, o));
	pthread_barrier_wait(&opened);
	wait_to_go(o);
	pthread_barrier_wait(&go);
	for (unsigned int i = 0; i < o->threads; i++)
		pthread_join(thread[i], NULL);
}

/* returns in the children; the parent exits when they have */
static void children_start(unsigned int nr)
{
	int status, failed = 0;

	if (!nr)
		return;
	for (unsigned int i = 0; i < nr; i++) {
		pid_t pid = fork();

		check("fork", pid < 0 ? -errno : 0);
		if (!pid)
			return;
	}
	while (wait(&status) > 0)
		failed |= status;
	exit(failed ? 1 : 0);
}

/* WAIT_BY_NR: by nothing */
static enum wait_by wait_by_parse(const char *name)
{
	enum wait_by by;

	for (by = 0; by < WAIT_BY_NR; by++)
		if (!strcmp(name, wait_names[by]))
			break;
	return by;
}

static bool options_parse(int argc, char **argv, struct options *o)
{
	int opt;

	while ((opt = getopt(argc, argv, "f:g:w:m:n:t:c:d:viMW:")) != -1) {
		switch (opt) {
		case 'f':
			o->f = atoi(optarg);
			break;
		case 'g':
			o->g = atoi(optarg);
			break;
		case 'w':
			o->w = atoi(optarg);
			break;
		case 'm':
			o->wait_ms = atoi(optarg);
			break;
		case 'n':
			o->jobs = atoi(optarg);
			break;
		case 't':
			o->threads = atoi(optarg);
			break;
		case 'c':
			o->children = atoi(optarg);
			break;
		case 'd':
			o->depth = atoi(optarg);
			break;
		case 'v':
			o->virtio = true;
			o->wait_by = WAIT_BY_FILE;
			break;
		case 'M':
			o->moves = true;
			break;
		case 'W':
			o->wait_by = wait_by_parse(optarg);
			break;
		case 'i':
			o->wait_stdin = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc && o->w <= o->f && o->wait_by < WAIT_BY_NR &&
	       !(o->virtio && o->wait_by == WAIT_BY_SYNCOBJ);
}

int main(int argc, char **argv)
{
	static struct client client;
	struct options o = { .wait_ms = 1, .jobs = 1 };

	if (!options_parse(argc, argv, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	children_start(o.children);
	if (o.threads) {
		threads_run(&o);
		return 0;
	}
	client_open(&client, &o);
	wait_to_go(&o);
	client_run(&client);
	client_close(&client);
	return 0;
}
