// SPDX-License-Identifier: GPL-2.0
/*
 * The engine's arithmetic: by hand, and on random loads against a model that
 * goes from tick to tick, knows nothing of lists, and has no next event.
 */
#include <stdlib.h>
#include <string.h>
#include <drm/refgpu_drm.h>

#include "engine.h"
#include "tap.h"

#define MAX_EVENTS	20000
#define MAX_QUEUES	6
#define MAX_JOBS	40
#define MAX_CMDS	4
#define SLICE		7

enum event_type { START, END, CHANGE };

struct event {
	int type;
	u64 tick;
	int a;		/* job; or queue that leaves */
	int b;		/* error; or queue that comes */
};

struct log {
	unsigned int nr;
	struct event events[MAX_EVENTS];
};

struct job {
	int queue;
	u64 submit;
	unsigned int nr_cmds;
	struct refgpu_cmd cmds[MAX_CMDS];
};

/* at this tick, after what happens by itself and before the submissions */
struct cancel {
	u64 tick;
	int queue;
};

struct load {
	unsigned int nr_queues, nr_jobs, nr_cancels;
	unsigned int priority[MAX_QUEUES];
	struct job jobs[MAX_JOBS];
	struct cancel cancels[MAX_QUEUES];
	u64 end;
};

static void log_add(struct log *log, int type, u64 tick, int a, int b)
{
	if (log->nr == MAX_EVENTS)
		abort();
	log->events[log->nr++] = (struct event) { type, tick, a, b };
}

/* the engine under test */

static struct log engine_log;
static struct refgpu_engine engine;
static struct refgpu_queue queues[MAX_QUEUES];
static struct refgpu_work works[MAX_JOBS];

static int queue_index(const struct refgpu_queue *queue)
{
	return queue ? queue - queues : -1;
}

static void on_start(struct refgpu_engine *e, struct refgpu_work *work)
{
	CHECK_EQ(work->started, e->now);
	log_add(&engine_log, START, e->now, work - works, 0);
}

static void on_end(struct refgpu_engine *e, struct refgpu_work *work)
{
	CHECK_EQ(work->ended, e->now);
	log_add(&engine_log, END, e->now, work - works, work->error);
}

static void on_change(struct refgpu_engine *e, struct refgpu_queue *from,
		      struct refgpu_queue *to)
{
	log_add(&engine_log, CHANGE, e->now, queue_index(from), queue_index(to));
}

static const struct refgpu_engine_ops ops = { on_start, on_end, on_change };

static void engine_setup(u64 now)
{
	engine_log.nr = 0;
	refgpu_engine_init(&engine, &ops, 0, now, SLICE);
}

static void advance_randomly(u64 to)
{
	while (engine.now < to && rand() % 2)
		refgpu_engine_advance(&engine, engine.now + 1 + rand() % (to - engine.now));
	refgpu_engine_advance(&engine, to);
}

static void engine_run_load(struct load *load)
{
	unsigned int i, k, c = 0;

	engine_setup(0);
	for (i = 0; i < load->nr_queues; i++)
		refgpu_queue_init(&queues[i], load->priority[i], i + 1);
	for (i = 0; i <= load->nr_jobs; i++) {
		u64 tick = i < load->nr_jobs ? load->jobs[i].submit : load->end;

		for (; c < load->nr_cancels && load->cancels[c].tick <= tick; c++) {
			advance_randomly(load->cancels[c].tick);
			refgpu_engine_cancel(&engine, &queues[load->cancels[c].queue], -1, -2);
		}
		advance_randomly(tick);
		if (i == load->nr_jobs)
			break;
		k = load->jobs[i].queue;
		refgpu_work_init(&works[i], &queues[k], load->jobs[i].cmds,
				 load->jobs[i].nr_cmds);
		refgpu_engine_submit(&engine, &works[i]);
	}
}

/* the naive model */

struct naive_queue {
	int jobs[MAX_JOBS];		/* those that it has, the first one runs */
	unsigned int nr;
	u64 left;			/* of its slice */
	u64 counters[REFGPU_NR_COUNTERS];
};

static struct log naive_log;
static struct naive_queue naive[MAX_QUEUES];
static int naive_order[MAX_QUEUES];	/* queues that wait, first come first */
static unsigned int naive_waiting;
static int naive_running;
static u64 naive_slice_end;
static unsigned int naive_cmd[MAX_JOBS];
static u64 naive_done[MAX_JOBS];
static bool naive_started[MAX_JOBS];
static bool naive_stuck;

static void naive_insert(unsigned int at, int queue)
{
	memmove(&naive_order[at + 1], &naive_order[at],
		(naive_waiting - at) * sizeof(naive_order[0]));
	naive_order[at] = queue;
	naive_waiting++;
}

static void naive_remove(int queue)
{
	unsigned int i;

	for (i = 0; i < naive_waiting && naive_order[i] != queue; i++)
		;
	if (i == naive_waiting)
		return;
	naive_waiting--;
	memmove(&naive_order[i], &naive_order[i + 1],
		(naive_waiting - i) * sizeof(naive_order[0]));
}

static void naive_pick(const struct load *load, u64 now)
{
	const unsigned int *priority = load->priority;
	int best = -1, from = naive_running;
	unsigned int i;

	for (i = 0; i < naive_waiting; i++)
		if (best < 0 || priority[naive_order[i]] > priority[best])
			best = naive_order[i];

	if (from >= 0 && naive[from].nr) {
		bool stays = naive_stuck || best < 0 || priority[best] < priority[from] ||
			     (priority[best] == priority[from] && now < naive_slice_end);

		if (stays)
			goto start;
		if (priority[best] > priority[from] && now < naive_slice_end) {
			naive[from].left = naive_slice_end - now;
			naive_insert(0, from);
		} else {
			naive_insert(naive_waiting, from);
		}
	}
	if (from < 0 && best < 0)
		return;
	naive_stuck = false;
	naive_running = best;
	log_add(&naive_log, CHANGE, now, from, best);
	if (best < 0)
		return;
	naive_remove(best);
	naive_slice_end = now + (naive[best].left ? naive[best].left : SLICE);
	naive[best].left = 0;
start:
	if (!naive_started[naive[naive_running].jobs[0]]) {
		naive_started[naive[naive_running].jobs[0]] = true;
		log_add(&naive_log, START, now, naive[naive_running].jobs[0], 0);
	}
}

static void naive_end(struct naive_queue *queue, u64 now, int error)
{
	log_add(&naive_log, END, now, queue->jobs[0], error);
	queue->nr--;
	memmove(&queue->jobs[0], &queue->jobs[1], queue->nr * sizeof(queue->jobs[0]));
}

static void naive_tick(struct load *load)
{
	struct naive_queue *queue;
	struct refgpu_cmd *cmd;
	u64 from, to, done;
	int job;

	if (naive_running < 0)
		return;
	queue = &naive[naive_running];
	job = queue->jobs[0];
	cmd = &load->jobs[job].cmds[naive_cmd[job]];
	done = naive_done[job]++;

	queue->counters[REFGPU_GPU_CYCLES]++;
	switch (cmd->op) {
	case REFGPU_OP_SPIN:
		queue->counters[REFGPU_SHADER_ACTIVE]++;
		break;
	case REFGPU_OP_COPY:
	case REFGPU_OP_FILL:
		from = done * 16;
		to = from + 16 < cmd->n ? from + 16 : cmd->n;
		queue->counters[REFGPU_MEM_WRITE] += to - from;
		if (cmd->op == REFGPU_OP_COPY)
			queue->counters[REFGPU_MEM_READ] += to - from;
		for (; from < to; from++)
			if (from % 64 == 63)
				queue->counters[REFGPU_L3_MISSES]++;
		done = done * 16 + 16 < cmd->n ? 0 : cmd->n - 1;
		break;
	case REFGPU_OP_TIMESTAMP:
		done = cmd->n - 1;
		break;
	case REFGPU_OP_HANG:
		naive_stuck = true;
		return;
	}
	if (done + 1 == cmd->n || cmd->op == REFGPU_OP_TIMESTAMP) {
		naive_cmd[job]++;
		naive_done[job] = 0;
	}
}

static void naive_run_load(struct load *load)
{
	unsigned int i = 0, c = 0;
	u64 now;

	memset(naive, 0, sizeof(naive));
	memset(naive_cmd, 0, sizeof(naive_cmd));
	memset(naive_done, 0, sizeof(naive_done));
	memset(naive_started, 0, sizeof(naive_started));
	naive_log.nr = 0;
	naive_waiting = 0;
	naive_running = -1;
	naive_stuck = false;

	for (now = 0; ; now++) {
		struct naive_queue *queue;

		if (naive_running >= 0) {
			queue = &naive[naive_running];
			if (naive_cmd[queue->jobs[0]] == load->jobs[queue->jobs[0]].nr_cmds)
				naive_end(queue, now, 0);
			naive_pick(load, now);
		}
		for (; c < load->nr_cancels && load->cancels[c].tick == now; c++) {
			int k = load->cancels[c].queue, error = -1;

			if (k == naive_running)
				naive_stuck = false;
			for (; naive[k].nr; error = -2)
				naive_end(&naive[k], now, error);
			naive_remove(k);
			naive_pick(load, now);
		}
		for (; i < load->nr_jobs && load->jobs[i].submit == now; i++) {
			queue = &naive[load->jobs[i].queue];
			if (!queue->nr) {
				queue->left = 0;
				naive_insert(naive_waiting, load->jobs[i].queue);
			}
			queue->jobs[queue->nr++] = i;
			naive_pick(load, now);
		}
		if (now == load->end)
			break;
		naive_tick(load);
	}
}

static struct refgpu_cmd random_cmd(bool hang)
{
	struct refgpu_cmd cmd = { .op = rand() % 5 };

	if (hang)
		return (struct refgpu_cmd) { .op = REFGPU_OP_HANG };
	cmd.n = 1 + rand() % 30;
	if (cmd.op == REFGPU_OP_FILL || cmd.op == REFGPU_OP_COPY)
		cmd.n = 1 + rand() % 500;
	return cmd;
}

static void random_load(struct load *load)
{
	unsigned int i, k;
	u64 tick = 0;

	memset(load, 0, sizeof(*load));
	load->nr_queues = 1 + rand() % MAX_QUEUES;
	load->nr_jobs = 1 + rand() % MAX_JOBS;
	load->nr_cancels = rand() % 3;
	for (i = 0; i < load->nr_queues; i++)
		load->priority[i] = rand() % REFGPU_NR_PRIORITIES;
	for (i = 0; i < load->nr_jobs; i++) {
		struct job *job = &load->jobs[i];

		tick += rand() % 3 ? rand() % 20 : 0;
		job->submit = tick;
		job->queue = rand() % load->nr_queues;
		job->nr_cmds = 1 + rand() % MAX_CMDS;
		for (k = 0; k < job->nr_cmds; k++)
			job->cmds[k] = random_cmd(!(rand() % 100));
	}
	load->end = tick + (rand() % 2 ? rand() % 100 : 10000);
	for (i = 0, tick = 0; i < load->nr_cancels; i++) {
		tick += rand() % 100;
		load->cancels[i].tick = tick;
		load->cancels[i].queue = rand() % load->nr_queues;
	}
	while (load->nr_cancels && load->cancels[load->nr_cancels - 1].tick > load->end)
		load->nr_cancels--;
}

static void random_loads(void)
{
	u64 sum[REFGPU_NR_COUNTERS];
	static struct load load;
	unsigned int seed, i, k;

	for (seed = 1; seed <= 20000 && !tap_failed; seed++) {
		srand(seed);
		random_load(&load);
		naive_run_load(&load);
		engine_run_load(&load);

		CHECK_EQ(engine_log.nr, naive_log.nr);
		for (i = 0; i < engine_log.nr && !tap_failed; i++)
			CHECK(!memcmp(&engine_log.events[i], &naive_log.events[i],
				      sizeof(struct event)));
		memset(sum, 0, sizeof(sum));
		for (i = 0; i < load.nr_queues; i++)
			for (k = 0; k < REFGPU_NR_COUNTERS; k++) {
				CHECK_EQ(queues[i].counters.v[k], naive[i].counters[k]);
				sum[k] += naive[i].counters[k];
			}
		for (k = 0; k < REFGPU_NR_COUNTERS; k++)
			CHECK_EQ(engine.counters.v[k], sum[k]);
		if (tap_failed)
			printf("# seed %u\n", seed);
	}
}

static void submit(unsigned int i, unsigned int queue, struct refgpu_cmd *cmds,
		   unsigned int nr)
{
	refgpu_work_init(&works[i], &queues[queue], cmds, nr);
	refgpu_engine_submit(&engine, &works[i]);
}

static void one_job(void)
{
	struct refgpu_cmd cmds[] = {
		{ .op = REFGPU_OP_SPIN, .n = 100 },
		{ .op = REFGPU_OP_TIMESTAMP },
		{ .op = REFGPU_OP_COPY, .n = 1000 },
		{ .op = REFGPU_OP_WAIT, .n = 50 },
	};

	engine_setup(1000);
	refgpu_queue_init(&queues[0], 1, 1);
	CHECK_EQ(refgpu_engine_next(&engine), REFGPU_NEVER);
	submit(0, 0, cmds, 4);
	CHECK_EQ(refgpu_engine_next(&engine), 1000 + 100 + 1 + 63 + 50);
	refgpu_engine_advance(&engine, 1000000);
	CHECK_EQ(works[0].started, 1000);
	CHECK_EQ(works[0].ended, 1214);
	CHECK_EQ(cmds[1].stamp, 1100);
	CHECK_EQ(queues[0].counters.v[REFGPU_GPU_CYCLES], 214);
	CHECK_EQ(queues[0].counters.v[REFGPU_SHADER_ACTIVE], 100);
	CHECK_EQ(queues[0].counters.v[REFGPU_MEM_READ], 1000);
	CHECK_EQ(queues[0].counters.v[REFGPU_MEM_WRITE], 1000);
	CHECK_EQ(queues[0].counters.v[REFGPU_L3_MISSES], 15);
	CHECK_EQ(refgpu_engine_next(&engine), REFGPU_NEVER);
}

static void slices(void)
{
	struct refgpu_cmd a = { .op = REFGPU_OP_SPIN, .n = 20 };
	struct refgpu_cmd b = { .op = REFGPU_OP_SPIN, .n = 20 };

	engine_setup(0);
	refgpu_queue_init(&queues[0], 1, 1);
	refgpu_queue_init(&queues[1], 1, 2);
	submit(0, 0, &a, 1);
	submit(1, 1, &b, 1);
	refgpu_engine_advance(&engine, 1000);
	/* 7 a 7 b 7 a 7 b 6 a 6 b */
	CHECK_EQ(works[0].ended, 34);
	CHECK_EQ(works[1].started, 7);
	CHECK_EQ(works[1].ended, 40);
	CHECK_EQ(engine.preemptions, 4);
	CHECK_EQ(engine.changes, 7);
}

static void priority(void)
{
	struct refgpu_cmd a = { .op = REFGPU_OP_SPIN, .n = 20 };
	struct refgpu_cmd b = { .op = REFGPU_OP_SPIN, .n = 20 };

	engine_setup(0);
	refgpu_queue_init(&queues[0], 0, 1);
	refgpu_queue_init(&queues[1], 2, 2);
	submit(0, 0, &a, 1);
	refgpu_engine_advance(&engine, 5);
	submit(1, 1, &b, 1);
	refgpu_engine_advance(&engine, 1000);
	CHECK_EQ(works[1].started, 5);
	CHECK_EQ(works[1].ended, 25);
	CHECK_EQ(works[0].ended, 40);
	CHECK_EQ(engine.preemptions, 1);
}

static void hang(void)
{
	struct refgpu_cmd a[] = {
		{ .op = REFGPU_OP_SPIN, .n = 20 },
		{ .op = REFGPU_OP_HANG },
	};
	struct refgpu_cmd b = { .op = REFGPU_OP_SPIN, .n = 20 };

	engine_setup(0);
	refgpu_queue_init(&queues[0], 0, 1);
	refgpu_queue_init(&queues[1], 2, 2);
	submit(0, 0, a, 2);
	refgpu_engine_advance(&engine, 25);
	CHECK_EQ(engine.stuck_since, 20);
	submit(1, 1, &b, 1);
	refgpu_engine_advance(&engine, 1000);
	CHECK_EQ(works[1].started, REFGPU_NEVER);
	refgpu_engine_cancel(&engine, &queues[0], -1, -2);
	CHECK_EQ(works[0].error, -1);
	CHECK_EQ(works[0].ended, 1000);
	CHECK_EQ(works[1].started, 1000);
	refgpu_engine_advance(&engine, 2000);
	CHECK_EQ(works[1].ended, 1020);
	CHECK_EQ(works[1].error, 0);
}

static void unplug(void)
{
	struct refgpu_cmd cmds[4];
	unsigned int i;

	engine_setup(0);
	for (i = 0; i < 4; i++) {
		cmds[i] = (struct refgpu_cmd) { .op = REFGPU_OP_SPIN, .n = 20 };
		refgpu_queue_init(&queues[i], i % 3, i + 1);
		submit(i, i, &cmds[i], 1);
	}
	refgpu_engine_advance(&engine, 3);
	refgpu_engine_cancel_all(&engine, -3);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(works[i].error, -3);
		CHECK_EQ(works[i].ended, 3);
	}
	CHECK_EQ(engine.counters.v[REFGPU_GPU_CYCLES], 3);
	CHECK(!engine.running);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(one_job), TEST(slices), TEST(priority), TEST(hang), TEST(unplug),
		TEST(random_loads),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
