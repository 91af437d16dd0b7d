// SPDX-License-Identifier: GPL-2.0
/*
 * A frame is 16 ms; of each:
 *
 *	alpha		submits at 1 ms, runs from 2 to 6 ms on engine 0; waits from 1.5 to
 *			6.1 ms
 *	beta's thread	submits at 3 ms, runs from 6 to 10 ms on engine 0, which was alpha's
 *			until then; its first thread waits from 4 to 10.05 ms
 *	beta, compute	submits at 5 ms, runs from 5.2 to 9.2 ms on engine 1, which was busy
 *			with it for 3 ms only
 *
 * Once: a job that was submitted before the record began, of which it is not known when
 * it began to run; one whose submission is not in the record; a submission whose end is
 * not; work of the kernel's; and a program whose name is no UTF-8. A wait has its sample
 * twice.
 */
#include <string.h>

#include "known.h"

#define US	1000ULL
#define MS	1000000ULL
#define START	(5000 * MS)
#define FRAME	(16 * MS)
#define DEV	128

struct thread {
	uint32_t pid;
	uint32_t tid;
	const char *comm;
};

static const struct thread alpha = { 100, 100, "alpha" };
static const struct thread beta = { 200, 200, "beta" };
static const struct thread beta_worker = { 200, 201, "beta-worker" };
static const struct thread odd = { 300, 300, "o\xff<dd>&\"" };

/* client and context; its fences are of the context 1000 + ctx */
struct context {
	uint64_t client;
	uint64_t ctx;
	uint32_t pid;
};

static const struct context alphas = { 0xa1fa000000000001, 1, 100 };
static const struct context betas = { 0xbe7a000000000002, 2, 200 };
static const struct context compute = { 0xbe7a000000000002, 3, 200 };
static const struct context odds = { 0x0dd0000000000003, 4, 300 };
static const struct context kernels = { 0, 0, 0 };

struct teller {
	int (*fn)(void *arg, const struct stream_sample *sample);
	void *arg;
};

static struct gpu_pmu_sample payload(const struct context *context, uint64_t seqno, int kind)
{
	return (struct gpu_pmu_sample){
		.version = GPU_PMU_SAMPLE_VERSION,
		.kind = kind,
		.engine = GPU_PMU_SAMPLE_NO_ENGINE,
		.dev = DEV,
		.pid = context->pid,
		.client = context->client,
		.ctx = context->ctx,
		.fence_context = 1000 + context->ctx,
		.fence_seqno = seqno,
	};
}

static void tell(const struct teller *teller, const struct gpu_pmu_sample *gpu, uint64_t time,
		 const struct thread *thread, uint32_t stack)
{
	const struct stream_sample sample = {
		.event = "gpu/jobs/u",
		.time = time,
		.period = 1,
		.pid = thread->pid,
		.tid = thread->tid,
		.cpu = thread->tid % 2,
		.comm = thread->comm,
		.stack = stack,
		.gpu = gpu,
	};

	teller->fn(teller->arg, &sample);
}

static void submit(const struct teller *teller, const struct context *context, uint64_t seqno,
		   const struct thread *thread, uint32_t stack, uint64_t time)
{
	struct gpu_pmu_sample gpu = payload(context, seqno, GPU_PMU_SAMPLE_JOB);

	gpu.submit = time;
	tell(teller, &gpu, time, thread, stack);
}

static void wait_for(const struct teller *teller, const struct context *context, uint64_t seqno,
		     const struct thread *thread, uint32_t stack, uint64_t begin, uint64_t end)
{
	struct gpu_pmu_sample gpu = payload(context, seqno, GPU_PMU_SAMPLE_WAIT);

	gpu.begin = begin;
	gpu.end = end;
	tell(teller, &gpu, end, thread, stack);
}

/* found out by the flush, by whoever runs then */
static void done(const struct teller *teller, const struct context *context, uint64_t seqno,
		 unsigned int engine, uint64_t submit, uint64_t begin, uint64_t end, uint64_t busy,
		 uint64_t flags)
{
	static const struct thread idle = { 0, 0, "" };
	struct gpu_pmu_sample gpu = payload(context, seqno, GPU_PMU_SAMPLE_DONE);

	gpu.engine = engine;
	gpu.submit = submit;
	gpu.begin = begin;
	gpu.end = end;
	gpu.busy = busy;
	gpu.flags = flags;
	tell(teller, &gpu, end + MS, &idle, STACK_NONE);
}

static void frame(const struct teller *teller, const uint32_t *stack, uint64_t seqno, uint64_t at)
{
	submit(teller, &alphas, seqno, &alpha, stack[0], at + MS);
	submit(teller, &betas, seqno, &beta_worker, stack[5], at + 3 * MS);
	submit(teller, &compute, seqno, &beta, stack[1], at + 5 * MS);
	wait_for(teller, &alphas, seqno, &alpha, stack[2], at + 1500 * US, at + 6100 * US);
	done(teller, &alphas, seqno, 0, at + MS, at + 2 * MS, at + 6 * MS, 4 * MS, 0);
	wait_for(teller, &betas, seqno, &beta, stack[3], at + 4 * MS, at + 10050 * US);
	wait_for(teller, &betas, seqno, &beta, stack[3], at + 4 * MS, at + 10050 * US);
	done(teller, &compute, seqno, 1, at + 5 * MS, at + 5200 * US, at + 9200 * US, 3 * MS, 0);
	done(teller, &betas, seqno, 0, at + 3 * MS, at + 6 * MS, at + 10 * MS, 4 * MS, 0);
}

void known__samples(struct stacks *stacks, unsigned int frames,
		    int (*fn)(void *arg, const struct stream_sample *sample), void *arg)
{
	const struct teller teller = { .fn = fn, .arg = arg };
	uint64_t once = START + 11 * MS, end = START + frames * FRAME;
	uint32_t stack[KNOWN_STACKS];

	for (unsigned int i = 0; i < KNOWN_STACKS; i++)
		stack[i] = known__stack(stacks, i);
	submit(&teller, &odds, 1, &odd, stack[4], START);
	done(&teller, &alphas, 1, 0, START - 3 * MS, 0, START + 900 * US, 500 * US,
	     GPU_PMU_SAMPLE_EARLIER);
	done(&teller, &odds, 1, 0, START, START + 950 * US, START + 1050 * US, 100 * US, 0);
	for (unsigned int i = 0; i < frames; i++)
		frame(&teller, stack, i + 2, START + i * FRAME);
	done(&teller, &kernels, 1, 0, once, once, once + 2 * MS, 2 * MS, 0);
	submit(&teller, &odds, 2, &odd, stack[4], end);
}
