// SPDX-License-Identifier: GPL-2.0
/*
 * make-perf-data: a perf.data as perf gpu record leaves it, of as many samples as one
 * likes, without a GPU: submissions with stacks by frame pointers, their completions,
 * and waits. What it must add up to is printed, by arithmetic.
 *
 * Stacks are of functions of this very program, so that there are symbols to be found.
 */
#include <errno.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/gpu_pmu.h>

static const char usage[] =
"usage: make-perf-data NR FILE\n"
"\n"
"Writes NR samples: for each 4 jobs their submissions and completions, and 2 waits.\n"
"Prints: 'jobs N done N waits N busy NS wait-time NS'\n";

#define THREADS		8
#define DEPTH		12
#define STACKS		512
/* jobs that are under way when the next one is submitted */
#define UNDER_WAY	16
/* samples from one of perf's rounds to the next */
#define ROUND		2048
#define JOB_NS		50000ULL
#define FIRST_PID	1000
#define TYPE		11	/* of the PMU: any number that perf has no name for */

/* ---- functions to be on stacks ---- */

#define FUNCTION(n)							\
	__attribute__((noipa, used)) static int layer_##n(int x)	\
	{								\
		return x * 3 + 7 * n + (x >> 3);			\
	}
#define FUNCTIONS(m, n)	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
FUNCTIONS(FUNCTION, 1)
FUNCTIONS(FUNCTION, 2)
FUNCTIONS(FUNCTION, 3)
FUNCTIONS(FUNCTION, 4)

#define ADDRESS(n)	(uintptr_t)layer_##n,
static const uintptr_t functions[] = {
	FUNCTIONS(ADDRESS, 1) FUNCTIONS(ADDRESS, 2) FUNCTIONS(ADDRESS, 3) FUNCTIONS(ADDRESS, 4)
};

#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

/* ---- events ---- */

enum { EVENT_JOBS, EVENT_DONE, EVENT_WAIT, EVENTS };

static const struct {
	const char *name;
	uint64_t config;
	bool stack;
} events[EVENTS] = {
	[EVENT_JOBS] = { "gpu/jobs,period=1/", GPU_PMU_EVENT_JOBS, true },
	[EVENT_DONE] = { "gpu/jobs-done,period=1,call-graph=no/", GPU_PMU_EVENT_JOBS_DONE, false },
	[EVENT_WAIT] = { "gpu/wait-time,period=1/", GPU_PMU_EVENT_WAIT_TIME, true },
};

static uint64_t id_of(int event)
{
	return event + 1;
}

static struct perf_event_attr attr_of(int event)
{
	return (struct perf_event_attr){
		.type = TYPE,
		.size = sizeof(struct perf_event_attr),
		.config = events[event].config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
			(events[event].stack ? PERF_SAMPLE_CALLCHAIN : 0),
		.read_format = PERF_FORMAT_ID,
		.inherit = 1,
		.mmap = 1,
		.comm = 1,
		.task = 1,
		.sample_id_all = 1,
		.mmap2 = 1,
	};
}

/* ---- writing ---- */

static FILE *file;
static uint64_t written;

static void put(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size) {
		perror("make-perf-data");
		exit(1);
	}
	written += size;
}

static void put_u64(uint64_t number)
{
	put(&number, sizeof(number));
}

static void put_u32(uint32_t low, uint32_t high)
{
	put(&low, sizeof(low));
	put(&high, sizeof(high));
}

/* text with its NUL, in as many bytes as are said */
static void put_text(const char *text, size_t size)
{
	char bytes[4096] = "";

	strncpy(bytes, text, sizeof(bytes) - 1);
	put(bytes, size);
}

static size_t text_size(const char *text)
{
	return (strlen(text) + 1 + 7) / 8 * 8;
}

static void put_header(uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header header = { .type = type, .misc = misc, .size = size };

	put(&header, sizeof(header));
}

/* behind records that are no samples: whose, when, where, of which event */
#define SAMPLE_ID_SIZE	32

static void put_sample_id(uint32_t pid, uint64_t time)
{
	put_u32(pid, pid);
	put_u64(time);
	put_u32(0, 0);
	put_u64(id_of(EVENT_JOBS));
}

static void put_comm(uint32_t pid)
{
	char comm[16];

	snprintf(comm, sizeof(comm), "client-%u", pid - FIRST_PID);
	put_header(PERF_RECORD_COMM, 0, 8 + 8 + 16 + SAMPLE_ID_SIZE);
	put_u32(pid, pid);
	put_text(comm, 16);
	put_sample_id(pid, 1);
}

/* where this program's code is mapped */
struct text {
	uintptr_t begin;
	uintptr_t end;
	uint64_t offset;
	char path[4096];
};

static int text_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct text *text = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X))
			continue;
		text->begin = (info->dlpi_addr + phdr->p_vaddr) & ~4095UL;
		text->end = (info->dlpi_addr + phdr->p_vaddr + phdr->p_memsz + 4095) & ~4095UL;
		text->offset = phdr->p_offset & ~4095UL;
	}
	/* the program itself is the first one */
	return 1;
}

static void put_mmap(uint32_t pid, const struct text *text)
{
	put_header(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
		   8 + 8 + 24 + 24 + 8 + text_size(text->path) + SAMPLE_ID_SIZE);
	put_u32(pid, pid);
	put_u64(text->begin);
	put_u64(text->end - text->begin);
	put_u64(text->offset);
	put_u32(0, 0);
	put_u64(0);
	put_u64(0);
	put_u32(5, 2);	/* r-x, private */
	put_text(text->path, text_size(text->path));
	put_sample_id(pid, 2);
}

/* ---- samples ---- */

static uint64_t samples, now = 1000000000;

/* functions from the innermost one on, the same for the same number */
static uintptr_t frame_of(uint32_t stack, unsigned int level)
{
	/* the outer ones are common to many */
	uint32_t from = level >= DEPTH - 2 ? 0 : stack >> (level / 2);

	return functions[(from * 7 + level * 5) % NR_FUNCTIONS] + 4;
}

#define RAW_SIZE	((sizeof(struct gpu_pmu_sample) + 4 + 7) / 8 * 8 - 4)

static void put_sample(int event, uint32_t pid, uint64_t period, uint32_t stack,
		       const struct gpu_pmu_sample *gpu)
{
	bool has_stack = events[event].stack;
	char padding[8] = "";
	uint32_t raw_size = RAW_SIZE;

	put_header(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
		   8 + 6 * 8 + (has_stack ? 8 + 8 * (DEPTH + 1) : 0) + 4 + RAW_SIZE);
	put_u64(id_of(event));
	put_u64(has_stack ? frame_of(stack, 0) : 0);
	put_u32(pid, pid);
	put_u64(now);
	put_u32(pid % 4, 0);
	put_u64(period);
	if (has_stack) {
		put_u64(DEPTH + 1);
		put_u64(PERF_CONTEXT_USER);
		for (unsigned int i = 0; i < DEPTH; i++)
			put_u64(frame_of(stack, i));
	}
	put(&raw_size, sizeof(raw_size));
	put(gpu, sizeof(*gpu));
	put(padding, RAW_SIZE - sizeof(*gpu));
	if (!(++samples % ROUND))
		put_header(68 /* PERF_RECORD_FINISHED_ROUND */, 0, 8);
}

struct sums {
	uint64_t jobs, done, waits, busy, wait_time;
};

static struct gpu_pmu_sample job_of(uint64_t number)
{
	uint32_t thread = number % THREADS;

	return (struct gpu_pmu_sample){
		.version = GPU_PMU_SAMPLE_VERSION,
		.kind = GPU_PMU_SAMPLE_JOB,
		.engine = thread % 2,
		.dev = 128,
		.pid = FIRST_PID + thread,
		.client = 0x1000 + thread,
		.ctx = 1,
		.fence_context = 10 + thread,
		.fence_seqno = number / THREADS + 1,
		.submit = 1000000000 + number * JOB_NS,
	};
}

static void put_job(uint64_t number, struct sums *sums)
{
	struct gpu_pmu_sample gpu = job_of(number);

	now = gpu.submit + 100;
	put_sample(EVENT_JOBS, gpu.pid, 1, number * 31 % STACKS, &gpu);
	sums->jobs++;
}

static void put_done(uint64_t number, struct sums *sums)
{
	struct gpu_pmu_sample gpu = job_of(number);

	gpu.kind = GPU_PMU_SAMPLE_DONE;
	gpu.begin = gpu.submit + number % 1000 * 100;
	gpu.busy = 1000 + number % 977;
	gpu.end = gpu.begin + gpu.busy;
	put_sample(EVENT_DONE, 0, 1, 0, &gpu);
	sums->done++;
	sums->busy += gpu.busy;
}

/* of the thread that has just submitted */
static void put_wait(uint64_t number, struct sums *sums)
{
	struct gpu_pmu_sample gpu = job_of(number);
	uint64_t time = 2000 + number % 499;

	gpu.kind = GPU_PMU_SAMPLE_WAIT;
	gpu.engine = GPU_PMU_SAMPLE_NO_ENGINE;
	gpu.begin = gpu.submit + 200;
	gpu.submit = 0;
	gpu.end = gpu.begin + time;
	now = gpu.end;
	put_sample(EVENT_WAIT, gpu.pid, time, number * 17 % STACKS, &gpu);
	sums->waits++;
	sums->wait_time += time;
}

static void put_data(uint64_t nr, const struct text *text, struct sums *sums)
{
	for (uint32_t pid = FIRST_PID; pid < FIRST_PID + THREADS; pid++) {
		put_comm(pid);
		put_mmap(pid, text);
	}
	for (uint64_t job = 0; samples < nr; job++) {
		put_job(job, sums);
		if (job >= UNDER_WAY && samples < nr)
			put_done(job - UNDER_WAY, sums);
		if (job % 2 && samples < nr)
			put_wait(job, sums);
	}
	put_header(68, 0, 8);
}

/* ---- the file ---- */

struct section {
	uint64_t offset;
	uint64_t size;
};

struct header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

#define FEATURE_EVENT_DESC	12
#define NAME_SIZE		64

static void put_event_desc(void)
{
	put_u32(EVENTS, sizeof(struct perf_event_attr));
	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = attr_of(i);

		put(&attr, sizeof(attr));
		put_u32(1, NAME_SIZE);
		put_text(events[i].name, NAME_SIZE);
		put_u64(id_of(i));
	}
}

static void put_file(uint64_t nr, const struct text *text, struct sums *sums)
{
	struct header header = {
		.magic = "PERFILE2",
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.features = { 1ULL << FEATURE_EVENT_DESC },
	};
	struct section desc;

	put(&header, sizeof(header));
	for (int i = 0; i < EVENTS; i++)
		put_u64(id_of(i));
	header.attrs = (struct section){ written, EVENTS * sizeof(struct file_attr) };
	for (int i = 0; i < EVENTS; i++) {
		struct file_attr attr = {
			.attr = attr_of(i),
			.ids = { sizeof(header) + 8 * i, 8 },
		};

		put(&attr, sizeof(attr));
	}
	header.data.offset = written;
	put_data(nr, text, sums);
	header.data.size = written - header.data.offset;
	desc.offset = written + sizeof(desc);
	desc.size = 8 + EVENTS * (sizeof(struct perf_event_attr) + 8 + NAME_SIZE + 8);
	put(&desc, sizeof(desc));
	put_event_desc();
	rewind(file);
	put(&header, sizeof(header));
}

int main(int argc, char **argv)
{
	unsigned long long nr = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	struct text text = {};
	struct sums sums = {};
	ssize_t size;

	if (!nr) {
		fputs(usage, stderr);
		return 2;
	}
	size = readlink("/proc/self/exe", text.path, sizeof(text.path) - 1);
	dl_iterate_phdr(text_find, &text);
	file = fopen(argv[2], "w");
	if (size < 0 || !text.end || !file) {
		perror("make-perf-data");
		return 1;
	}
	setvbuf(file, NULL, _IOFBF, 1 << 20);
	put_file(nr, &text, &sums);
	if (fclose(file)) {
		perror("make-perf-data");
		return 1;
	}
	printf("jobs %lu done %lu waits %lu busy %lu wait-time %lu\n", sums.jobs, sums.done,
	       sums.waits, sums.busy, sums.wait_time);
	return 0;
}
