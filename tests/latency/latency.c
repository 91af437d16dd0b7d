// SPDX-License-Identifier: GPL-2.0
/*
 * For how long the modules keep interrupts off, at worst: what a user without privileges
 * can bring about. Runs in a virtual machine in which a nanosecond is an instruction;
 * ftrace says how long the functions took that have interrupts off, less what the
 * simulated hardware did in them.
 *
 * With the argument "irqsoff" it is the kernel's tracer of that name that says it: of all
 * that has interrupts off, and with what the simulated hardware does.
 *
 * Prints a line for each case: what it was, events, tasks, jobs, and for each of the
 * sections the longest, in ns; or from the tracer one for all, where it was, and apart from
 * the others those in which the simulated hardware writes its reports.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "perf.h"
#include "refgpu.h"
#include "../slowdown.h"

#define TRACING		"/sys/kernel/tracing/"
#define FLUSH_US	"/sys/module/gpu_pmu/parameters/flush_us"
#define REPORT_PERIOD	"/sys/module/refgpu/parameters/counters_period_us"
#define REPORT_US	1000

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("latency: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("\n", stderr);
	va_end(args);
	exit(1);
}

static void set(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		die("%s: %s", path, strerror(errno));
}

#define EVENTS_MAX	3000

/* what a user does */
struct work {
	const char *name;
	const char *event;
	unsigned int events;
	unsigned int period;
	unsigned int tasks;	/* that inherit the events, which are off */
	unsigned int jobs;	/* that end between two flushes */
	unsigned int files;	/* each with CONTEXTS; then the events are closed */
	unsigned int readers;	/* of USAGES, who are to be told of each that ends */
	unsigned int report_us;	/* between two reports of an engine, if not the usual */
	bool own;		/* the events are those of the task that submits */
	bool often;		/* the flush comes as often as it usually does */
};

#define BUSY	"gpu-busy"
#define CONTEXTS	4096
#define READERS		64
#define RUNS		12500000	/* a second of the GPU's clock */

static const struct work works[] = {
	{ .name = "one event, nothing to do", .event = BUSY, .events = 1 },
	{ .name = "a full ring", .event = BUSY, .events = 1, .jobs = 1000 },
	{ .name = "all events that a user may have", .event = BUSY, .events = EVENTS_MAX },
	{ .name = "... and a full ring", .event = BUSY, .events = EVENTS_MAX, .jobs = 1000 },
	{ .name = "... of the task that submits", .event = BUSY, .events = EVENTS_MAX,
	  .jobs = 1000, .own = true },
	{ .name = "all sampled ones, and a full ring", .event = "jobs-done",
	  .events = EVENTS_MAX, .period = 1, .jobs = 1000 },
	{ .name = "... of the task that submits", .event = "jobs-done",
	  .events = EVENTS_MAX, .period = 1, .jobs = 1000, .own = true },
	{ .name = "events of many tasks, and off", .event = BUSY, .events = EVENTS_MAX,
	  .tasks = 20 },
	{ .name = "... of more tasks", .event = BUSY, .events = EVENTS_MAX, .tasks = 60 },
	{ .name = "a full report buffer", .event = "gpu-cycles", .events = 1, .jobs = 10,
	  .report_us = 10 },
	{ .name = "... as it is when the task comes", .event = "gpu-cycles", .events = 1,
	  .jobs = 10, .report_us = 10, .own = true, .often = true },
	{ .name = "... all events that a user may have", .event = "gpu-cycles",
	  .events = EVENTS_MAX, .jobs = 10, .report_us = 10 },
	{ .name = "... all sampled ones", .event = "reports", .events = EVENTS_MAX,
	  .period = 1, .jobs = 10, .report_us = 10 },
	{ .name = "the last event of 20480 contexts", .event = BUSY, .events = 1, .files = 5 },
	{ .name = "... of which 64 files are to tell", .event = BUSY, .events = 1, .files = 5,
	  .readers = READERS },
	{ .name = "... of 1000 jobs that run", .event = BUSY, .events = 1, .files = 1,
	  .jobs = 1000 },
};

static int event_open(const struct work *work, pid_t pid, int drm)
{
	const struct gpu_config config = {
		.event = gpu_event_id(work->event), .fd = drm,
	};
	struct perf_event_attr attr;

	gpu_event_attr(&attr, &config);
	attr.exclude_kernel = 1;
	attr.sample_period = work->period;
	attr.sample_type = work->period ? PERF_SAMPLE_RAW : 0;
	attr.inherit = work->tasks > 0;
	attr.disabled = work->tasks > 0;
	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
}

static void contexts_make(unsigned int files)
{
	struct refgpu gpu;
	uint32_t ctx;

	for (unsigned int i = 0; i < files; i++) {
		if (refgpu_open(&gpu, 0))
			die("a file: %s", strerror(errno));
		for (unsigned int k = 0; k < CONTEXTS; k++)
			if (refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx))
				die("a context: %s", strerror(errno));
	}
}

static void readers_make(unsigned int readers)
{
	static const __u64 event = GPU_PMU_EVENT_JOBS;

	for (unsigned int i = 0; i < readers; i++) {
		struct gpu_pmu_usages arg = {
			.fd = -1, .nr_events = 1, .events = (uintptr_t)&event,
		};
		int query = open("/dev/gpu_pmu", O_RDONLY);

		if (query < 0 || ioctl(query, GPU_PMU_IOCTL_USAGES, &arg))
			die("a reader: %s", strerror(errno));
	}
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* one byte says go, one is the answer */
static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		die("pipe: %s", strerror(errno));
}

static void hear(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		die("the other process is gone");
}

static void work_do(const struct work *work, int in, int out, unsigned int *opened)
{
	struct rlimit files = { 4096, 4096 };
	struct refgpu_batch batch = {};
	int last = -1;
	pid_t pid = 0;
	struct refgpu gpu;
	unsigned int i;
	uint32_t ctx;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setrlimit(RLIMIT_NOFILE, &files) || become_user() || refgpu_open(&gpu, 0) ||
	    refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx))
		die("a client: %s", strerror(errno));
	/* or its children would be somebody else's */
	prctl(PR_SET_DUMPABLE, 1);
	/* whose events are not switched with every sleep of this process */
	if (!work->tasks && !work->own)
		pid = sleeper();
	contexts_make(work->files);
	for (i = 0; i < work->events; i++) {
		int fd = event_open(work, pid, gpu.fd);

		if (fd < 0)
			break;
		last = fd;
	}
	readers_make(work->readers);
	/* up to the limit, if there is one for these */
	if (!i || (i < work->events && errno != EMFILE))
		die("%s, event %u: %s", work->name, i, strerror(errno));
	if (i == EVENTS_MAX)
		die("%s: there is no limit", work->name);
	*opened = i;
	for (i = 0; i < work->tasks; i++)
		sleeper();
	tell(out);
	hear(in);
	for (i = 0; i < work->jobs; i++) {
		refgpu_spin(&batch, work->files ? RUNS : 1);
		if (refgpu_submit(&gpu, ctx, i & 1, &batch, 0, 0))
			die("submit");
	}
	/* it comes back when all of it is known */
	if (work->own)
		usleep(250000);
	if (work->files)
		close(last);
	tell(out);
	hear(in);
	exit(0);
}

/* a line of the trace says how long a function took: ns, or 0 if it does not */
static double line_duration(char *line)
{
	char *at = strstr(line, " us");

	if (!at)
		return 0;
	while (at > line && strchr("0123456789.", at[-1]))
		at--;
	return strtod(at, NULL) * 1000;
}

/*
 * What has interrupts off, and in which column that is. What perf switches at once is one
 * section: its functions' times are summed up from one call of gpu_events_batch() on.
 */
enum { TIMER, BATCH, SAMPLES, SWITCH, CLOSE, NR_SECTIONS };

static const struct {
	const char *function;
	unsigned int section;
} sections[] = {
	{ "flush_tick", TIMER },
	{ "flush_batch", BATCH },
	{ "cpu_drain_self", SAMPLES },
	{ "cpu_drain_asked", SAMPLES },
	{ "gpu_event_add", SWITCH },
	{ "gpu_event_del", SWITCH },
	{ "gpu_ledger_forget", CLOSE },
	{ "contexts_end", CLOSE },
	{ "clients_end", CLOSE },
};

#define NR_FUNCTIONS	(sizeof(sections) / sizeof(sections[0]))

/* which of them a line of the trace is about, or NR_FUNCTIONS */
static unsigned int line_function(const char *line)
{
	unsigned int i;

	for (i = 0; i < NR_FUNCTIONS; i++)
		if (strstr(line, sections[i].function))
			break;
	return i;
}

/* a function is a line "name() {", lines of what it calls, "}"; or one line if that is none */
static void longest_sections(double longest[NR_SECTIONS])
{
	FILE *file = fopen(TRACING "trace", "r");
	double hardware = 0, switched = 0, duration;
	unsigned int function, section;
	char line[256];

	if (!file)
		die("trace: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		duration = line_duration(line);
		if (strstr(line, "gpu_events_batch")) {
			switched = 0;
		} else if (strstr(line, "pmu_sync")) {
			hardware += duration;
		} else {
			function = line_function(line);
			if (function == NR_FUNCTIONS)
				continue;
			if (strchr(line, '{')) {
				hardware = 0;
				continue;
			}
			if (strstr(line, "();"))
				hardware = 0;
			section = sections[function].section;
			duration -= hardware;
			if (section == SWITCH) {
				switched += duration;
				duration = switched;
			}
			if (duration > longest[section])
				longest[section] = duration;
		}
	}
	fclose(file);
}

static bool irqsoff;

static void trace_begin(void)
{
	if (irqsoff) {
		set(TRACING "tracing_max_latency", "0");
		set(TRACING "current_tracer", "irqsoff");
	} else {
		set(TRACING "trace", "0");
	}
	set(TRACING "tracing_on", "1");
}

/* the tracer's is one of the first two, for all that the kernel does */
static void trace_end(double longest[NR_SECTIONS], bool reports, char *where, size_t size)
{
	char line[64];

	set(TRACING "tracing_on", "0");
	where[0] = 0;
	if (!irqsoff) {
		longest_sections(longest);
		return;
	}
	if (shell_line(line, sizeof(line), "cat " TRACING "tracing_max_latency") ||
	    shell_line(where, size, "sed -n 's/^#  *=> *\\(started\\|ended\\) at: */ /p' "
				    TRACING "trace | tr -d '\n'"))
		die("no tracer");
	longest[reports] = strtod(line, NULL) * 1000;
	set(TRACING "current_tracer", "nop");
}

static void work_measure(const struct work *work)
{
	unsigned int *opened = mmap(NULL, sizeof(*opened), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int to[2], from[2], status;
	double longest[NR_SECTIONS] = {};
	char where[256], text[16];
	pid_t pid;

	if (opened == MAP_FAILED)
		die("memory: %s", strerror(errno));

	if (pipe(to) || pipe(from))
		die("pipe: %s", strerror(errno));
	/* on the tracer's kernel the simulated hardware would else take all of the time */
	snprintf(text, sizeof(text), "%u", (work->report_us ?: REPORT_US) *
		 (irqsoff ? slowdown() : 1));
	set(REPORT_PERIOD, text);
	pid = fork();
	if (!pid) {
		close(to[1]);
		close(from[0]);
		work_do(work, to[0], from[1], opened);
	}
	close(to[0]);
	close(from[1]);
	hear(from[0]);
	/* one flush is to see all of it */
	if (!work->often)
		set(FLUSH_US, "200000");
	usleep(250000);
	trace_begin();
	tell(to[1]);
	hear(from[0]);
	usleep(450000);
	trace_end(longest, work->report_us, where, sizeof(where));
	set(FLUSH_US, "5000");
	printf("%s\t%u\t%u\t%u", work->name, *opened, work->tasks, work->jobs);
	for (unsigned int i = 0; i < (irqsoff ? 2 : NR_SECTIONS); i++)
		printf("\t%.0f", longest[i]);
	printf("%s\n", where);
	fflush(stdout);
	tell(to[1]);
	close(to[1]);
	close(from[0]);
	waitpid(pid, &status, 0);
	/* its children hold the events for a moment longer */
	usleep(500000);
	if (status)
		die("%s: status %d", work->name, status);
}

static void tracer_choose(bool tracer)
{
	irqsoff = tracer;
	if (tracer ?
	    shell("cd " TRACING " && echo 0 >tracing_on && echo 0 >options/function-trace") :
	    shell("cd " TRACING " && echo 0 >tracing_on && echo 16384 >buffer_size_kb && "
		  "for f in flush_tick flush_batch cpu_drain_self cpu_drain_asked gpu_event_add "
		  "gpu_event_del gpu_events_batch pmu_sync gpu_ledger_forget contexts_end* "
		  "clients_end*; do "
		  "echo \"$f\" >>set_ftrace_filter || exit 1; done && "
		  "echo 1 >options/funcgraph-tail && echo function_graph >current_tracer"))
		die("this kernel has no such tracer");
}

int main(int argc, char **argv)
{
	tracer_choose(argc > 1 && !strcmp(argv[1], "irqsoff"));
	if (paranoid_set(2))
		die("perf_event_paranoid");
	for (unsigned int i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		work_measure(&works[i]);
	return 0;
}
