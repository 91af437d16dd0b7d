// SPDX-License-Identifier: GPL-2.0
#include "load.h"

const char * const load_counter_names[LOAD_NR_COUNTERS] = {
	"gpu-cycles", "shader-active", "mem-read-bytes", "mem-write-bytes", "l3-misses",
};

uint64_t load_random(struct load_random *random, uint64_t limit)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % limit;
}

void load_count(const struct drm_refgpu_cmd *cmd, struct load_counts *counts)
{
	switch (cmd->op) {
	case REFGPU_OP_SPIN:
		counts->v[LOAD_ACTIVE] += cmd->n;
		/* fallthrough */
	case REFGPU_OP_WAIT:
		counts->v[LOAD_CYCLES] += cmd->n;
		break;
	case REFGPU_OP_COPY:
		counts->v[LOAD_READ] += cmd->n;
		/* fallthrough */
	case REFGPU_OP_FILL:
		counts->v[LOAD_WRITE] += cmd->n;
		counts->v[LOAD_MISSES] += cmd->n / REFGPU_BYTES_PER_MISS;
		counts->v[LOAD_CYCLES] += (cmd->n + REFGPU_BYTES_PER_CYCLE - 1) /
					  REFGPU_BYTES_PER_CYCLE;
		break;
	case REFGPU_OP_TIMESTAMP:
		counts->v[LOAD_CYCLES]++;
		break;
	}
}

static uint64_t random_bytes(struct load_random *random, const struct load_mix *mix,
			     const struct refgpu_buffer *bo)
{
	uint64_t max = mix->max_cycles * REFGPU_BYTES_PER_CYCLE;

	return 1 + load_random(random, max < bo->size ? max : bo->size);
}

void load_job(struct load_random *random, const struct load_mix *mix,
	      const struct refgpu_buffer *bo, struct refgpu_batch *batch,
	      struct load_counts *counts)
{
	unsigned int first = batch->nr, nr = 1 + load_random(random, mix->max_cmds);
	uint64_t n;

	while (batch->nr < first + nr) {
		unsigned int op = load_random(random, 5);

		if (!(mix->ops & 1U << op))
			continue;
		switch (op) {
		case REFGPU_OP_SPIN:
			refgpu_spin(batch, 1 + load_random(random, mix->max_cycles));
			break;
		case REFGPU_OP_WAIT:
			refgpu_wait(batch, 1 + load_random(random, mix->max_cycles));
			break;
		case REFGPU_OP_FILL:
			n = (random_bytes(random, mix, bo) + 3) & ~3ULL;
			refgpu_fill(batch, bo, load_random(random, (bo->size - n) / 4 + 1) * 4,
				    n, load_random(random, UINT32_MAX));
			break;
		case REFGPU_OP_COPY:
			n = random_bytes(random, mix, bo);
			refgpu_copy(batch, bo, load_random(random, bo->size - n + 1),
				    bo, load_random(random, bo->size - n + 1), n);
			break;
		case REFGPU_OP_TIMESTAMP:
			refgpu_timestamp(batch, bo, load_random(random, bo->size / 8) * 8);
			break;
		}
		load_count(&batch->cmds[batch->nr - 1], counts);
	}
	counts->jobs++;
}
