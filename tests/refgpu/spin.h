/* SPDX-License-Identifier: GPL-2.0 */
/* A file of the reference GPU, its contexts, and jobs that spin; all checked. */
#ifndef _TESTS_REFGPU_SPIN_H
#define _TESTS_REFGPU_SPIN_H

#include "refgpu.h"
#include "tap.h"

static struct refgpu gpu;

static uint32_t context(uint32_t priority)
{
	uint32_t ctx = 0;

	CHECK_EQ(refgpu_context(&gpu, priority, &ctx), 0);
	return ctx;
}

/* a spin, and the syncobj that it signals */
static uint32_t spin(uint32_t ctx, unsigned int engine, uint64_t cycles)
{
	struct refgpu_batch batch = {};
	uint32_t out = refgpu_sync(&gpu);

	refgpu_spin(&batch, cycles);
	CHECK_EQ(refgpu_submit(&gpu, ctx, engine, &batch, 0, out), 0);
	return out;
}

static void wait_for(uint32_t sync)
{
	CHECK_EQ(refgpu_sync_wait(&gpu, sync, 60000000000L), 0);
	refgpu_sync_free(&gpu, sync);
}

static void run(uint32_t ctx, unsigned int engine, uint64_t cycles)
{
	wait_for(spin(ctx, engine, cycles));
}

static void stop(uint32_t ctx)
{
	CHECK_EQ(refgpu_context_destroy(&gpu, ctx), 0);
}

/* it runs until its context is destroyed */
static uint32_t spin_forever(uint32_t priority, unsigned int engine)
{
	uint32_t ctx = context(priority);

	refgpu_sync_free(&gpu, spin(ctx, engine, REFGPU_MAX_CYCLES));
	return ctx;
}

#endif /* _TESTS_REFGPU_SPIN_H */
