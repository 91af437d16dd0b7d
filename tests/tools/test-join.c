// SPDX-License-Identifier: GPL-2.0
/* Samples as they would come, and what they must add up to. */
#include <string.h>

#include "report/join.h"
#include "test.h"

static struct stacks *stacks;
static struct join *join;
static uint64_t now;

static void setup(uint32_t outstanding)
{
	now = 1000;
	stacks = stacks__new();
	join = join__new(stacks, outstanding);
}

static void teardown(void)
{
	join__delete(join);
	stacks__delete(stacks);
}

/* stacks are said not to be whole */
static bool cut;

/* "main" calls a function of that name */
static uint32_t stack_of(const char *function)
{
	uint32_t caller = stacks__push(stacks, STACK_NONE, stacks__name(stacks, "main"));

	return stacks__push(stacks, caller, stacks__name(stacks, function));
}

/* of process @pid, which has the client of that number and one context in it */
static void say(const struct gpu_pmu_sample *gpu, uint32_t pid, uint32_t stack)
{
	struct stream_sample sample = {
		.event = "gpu/test/",
		.time = now++,
		.period = 1,
		.pid = pid,
		.tid = pid,
		.comm = pid == 7 ? "seven" : "other",
		.stack = stack,
		.cut = cut,
		.gpu = gpu,
	};

	CHECK_EQ(0, join__sample(join, &sample));
}

static void job(uint32_t pid, uint64_t seqno, uint32_t stack)
{
	struct gpu_pmu_sample gpu = {
		.version = 1, .kind = GPU_PMU_SAMPLE_JOB, .dev = 128, .pid = pid,
		.client = pid, .ctx = 1, .fence_context = pid, .fence_seqno = seqno,
		.submit = 100,
	};

	say(&gpu, pid, stack);
}

static struct gpu_pmu_sample done_sample(uint32_t pid, uint64_t seqno, uint64_t latency,
					 uint64_t busy)
{
	return (struct gpu_pmu_sample){
		.version = 1, .kind = GPU_PMU_SAMPLE_DONE, .dev = 128, .pid = pid,
		.engine = pid % 2, .client = pid, .ctx = 1, .fence_context = pid,
		.fence_seqno = seqno, .submit = 100, .begin = 100 + latency,
		.end = 100 + latency + busy, .busy = busy,
	};
}

static void done(uint32_t pid, uint64_t seqno, uint64_t latency, uint64_t busy)
{
	struct gpu_pmu_sample gpu = done_sample(pid, seqno, latency, busy);

	say(&gpu, 0, STACK_NONE);
}

static void wait_for(uint32_t pid, uint64_t begin, uint64_t end, uint32_t stack)
{
	struct gpu_pmu_sample gpu = {
		.version = 1, .kind = GPU_PMU_SAMPLE_WAIT, .dev = 128, .pid = pid,
		.engine = GPU_PMU_SAMPLE_NO_ENGINE, .begin = begin, .end = end,
	};

	say(&gpu, pid, stack);
}

static uint64_t charged(enum join_weight weight, uint32_t stack)
{
	const uint64_t *selves;

	CHECK_EQ(0, join__selves(join, weight, &selves));
	return selves[stack];
}

static uint64_t charged_to_all(enum join_weight weight)
{
	const uint64_t *selves;
	uint64_t sum = 0;

	CHECK_EQ(0, join__selves(join, weight, &selves));
	for (uint32_t i = 0; i <= stacks__nr(stacks); i++)
		sum += selves[i];
	return sum;
}

/* what has no stack, by the reason that is given for it */
static uint64_t charged_to(enum join_weight weight, const char *reason)
{
	return charged(weight, stacks__push(stacks, STACK_NONE, stacks__name(stacks, reason)));
}

static void time_goes_to_the_stack_that_submitted(void)
{
	const struct join_sums *sums;
	uint32_t f, g;

	setup(100);
	f = stack_of("f");
	g = stack_of("g");
	job(7, 1, f);
	job(7, 2, g);
	job(8, 1, f);
	done(8, 1, 5, 1000);
	done(7, 2, 10, 200);
	done(7, 1, 20, 30);
	join__end(join);
	CHECK_EQ(1030, charged(JOIN_GPU, f));
	CHECK_EQ(200, charged(JOIN_GPU, g));
	CHECK_EQ(2, charged(JOIN_JOBS, f));
	CHECK_EQ(1, charged(JOIN_JOBS, g));
	CHECK_EQ(0, charged(JOIN_WAIT, f));
	sums = join__sums(join);
	CHECK_EQ(3, sums->jobs);
	CHECK_EQ(3, sums->done);
	CHECK_EQ(3, sums->joined);
	CHECK_EQ(1230, sums->busy);
	CHECK_EQ(1230, sums->joined_busy);
	CHECK_EQ(0, sums->unfinished);
	CHECK_EQ(5, sums->last - sums->first);
	teardown();
}

static void contexts_and_engines_have_their_own(void)
{
	const struct join_context *contexts;
	const struct join_engine *engines;
	uint32_t nr;

	setup(100);
	job(7, 1, stack_of("f"));
	job(7, 2, stack_of("f"));
	job(8, 1, STACK_NONE);
	done(7, 1, 100, 1000);
	done(7, 2, 300, 50);
	done(8, 1, 7, 1);
	contexts = join__contexts(join, &nr);
	CHECK_EQ(2, nr);
	CHECK_EQ(7, contexts[0].pid);
	CHECK_STR("seven", stacks__name_of(stacks, contexts[0].comm));
	CHECK_EQ(2, contexts[0].jobs);
	CHECK_EQ(2, contexts[0].done);
	CHECK_EQ(1050, contexts[0].busy);
	CHECK_EQ(2, contexts[0].latency.nr);
	CHECK_EQ(400, contexts[0].latency.sum);
	CHECK_EQ(300, contexts[0].latency.max);
	CHECK_EQ(8, contexts[1].client);
	CHECK_EQ(1, contexts[1].busy);
	engines = join__engines(join, &nr);
	CHECK_EQ(2, nr);
	CHECK_EQ(1, engines[0].engine);
	CHECK_EQ(1050, engines[0].busy);
	CHECK_EQ(0, engines[1].engine);
	CHECK_EQ(7, engines[1].latency.max);
	CHECK_EQ(1, charged_to(JOIN_GPU, "(no stack)"));
	CHECK_EQ(1051, charged_to_all(JOIN_GPU));
	teardown();
}

static void what_is_missing_is_said(void)
{
	struct gpu_pmu_sample gpu;
	const struct join_sums *sums;

	setup(100);
	job(7, 1, stack_of("f"));
	job(7, 2, stack_of("f"));
	done(7, 2, 1, 10);
	/* no submission */
	done(7, 99, 1, 500);
	gpu = done_sample(7, 98, 1, 40);
	gpu.flags = GPU_PMU_SAMPLE_EARLIER;
	gpu.begin = 0;
	say(&gpu, 0, STACK_NONE);
	/* a clock that went back */
	gpu = done_sample(7, 97, 1, 3);
	gpu.begin = gpu.submit - 1;
	say(&gpu, 0, STACK_NONE);
	join__lost(join, 12);
	join__lost(join, 1);
	join__end(join);
	sums = join__sums(join);
	CHECK_EQ(1, sums->unfinished);
	CHECK_EQ(2, sums->unknown);
	CHECK_EQ(503, sums->unknown_busy);
	CHECK_EQ(1, sums->earlier);
	CHECK_EQ(40, sums->earlier_busy);
	CHECK_EQ(2, sums->no_start);
	CHECK_EQ(13, sums->lost);
	CHECK_EQ(553, sums->busy);
	CHECK_EQ(503, charged_to(JOIN_GPU, "(not joined)"));
	CHECK_EQ(40, charged_to(JOIN_GPU, "(submitted earlier)"));
	CHECK_EQ(sums->busy, charged_to_all(JOIN_GPU));
	teardown();
}

static void jobs_that_are_too_many_are_forgotten(void)
{
	const struct join_sums *sums;

	setup(3);
	for (uint64_t i = 1; i <= 5; i++)
		job(7, i, stack_of("f"));
	for (uint64_t i = 1; i <= 5; i++)
		done(7, i, 1, 10);
	job(7, 6, stack_of("f"));
	join__end(join);
	sums = join__sums(join);
	CHECK_EQ(6, sums->jobs);
	CHECK_EQ(2, sums->evicted);
	CHECK_EQ(3, sums->joined);
	CHECK_EQ(2, sums->unknown);
	CHECK_EQ(3, sums->unfinished);
	CHECK_EQ(50, charged_to_all(JOIN_GPU));
	CHECK_EQ(6, charged_to_all(JOIN_JOBS));
	teardown();
}

static void a_wait_goes_to_the_stack_that_waited(void)
{
	const struct join_waiter *waiters;
	uint32_t nr, w;

	setup(100);
	w = stack_of("w");
	wait_for(7, 1000, 1500, w);
	wait_for(7, 1600, 1700, w);
	wait_for(8, 1000, 3000, STACK_NONE);
	CHECK_EQ(600, charged(JOIN_WAIT, w));
	CHECK_EQ(2000, charged_to(JOIN_WAIT, "(no stack)"));
	CHECK_EQ(3, join__sums(join)->waits);
	CHECK_EQ(2600, join__sums(join)->wait_time);
	waiters = join__waiters(join, &nr);
	CHECK_EQ(2, nr);
	CHECK_EQ(7, waiters[0].pid);
	CHECK_EQ(2, waiters[0].time.nr);
	CHECK_EQ(500, waiters[0].time.max);
	CHECK_EQ(600, waiters[0].time.sum);
	teardown();
}

/* several events of one file, or wait-time's sample for each ms */
static void what_is_said_twice_counts_once(void)
{
	const struct join_sums *sums;
	uint32_t f;

	setup(100);
	f = stack_of("f");
	job(7, 1, f);
	job(7, 1, f);
	done(7, 1, 1, 10);
	done(7, 1, 1, 10);
	for (unsigned int i = 0; i < 20; i++)
		wait_for(7, 1000 + i % 3, 21000, f);
	wait_for(7, 20999, 22000, f);
	sums = join__sums(join);
	CHECK_EQ(1, sums->jobs);
	CHECK_EQ(1, sums->done);
	CHECK_EQ(2, sums->waits);
	CHECK_EQ(1 + 1 + 19, sums->twice);
	CHECK_EQ(10, charged(JOIN_GPU, f));
	CHECK_EQ(1, charged(JOIN_JOBS, f));
	CHECK_EQ(20000 + 1001, charged(JOIN_WAIT, f));
	teardown();
}

static void stacks_that_are_not_whole_are_counted(void)
{
	setup(100);
	cut = true;
	job(7, 1, stack_of("f"));
	/* said twice */
	job(7, 1, stack_of("f"));
	wait_for(7, 1000, 1500, stack_of("f"));
	wait_for(7, 1000, 1500, stack_of("f"));
	cut = false;
	job(7, 2, stack_of("f"));
	done(7, 1, 1, 10);
	CHECK_EQ(2, join__sums(join)->cut);
	teardown();
}

static void a_job_without_a_fence_is_a_job(void)
{
	struct gpu_pmu_sample gpu = done_sample(7, 0, 1, 10);

	setup(100);
	gpu.kind = GPU_PMU_SAMPLE_JOB;
	gpu.fence_context = 0;
	say(&gpu, 7, stack_of("f"));
	say(&gpu, 7, stack_of("f"));
	gpu.kind = GPU_PMU_SAMPLE_DONE;
	say(&gpu, 7, STACK_NONE);
	say(&gpu, 7, STACK_NONE);
	join__end(join);
	CHECK_EQ(2, join__sums(join)->jobs);
	CHECK_EQ(2, join__sums(join)->nameless);
	CHECK_EQ(2, join__sums(join)->done);
	CHECK_EQ(20, charged_to(JOIN_GPU, "(not joined)"));
	CHECK_EQ(0, join__sums(join)->unfinished);
	teardown();
}

static void other_kinds_are_passed_over(void)
{
	struct gpu_pmu_sample gpu = done_sample(7, 1, 1, 10);

	setup(100);
	gpu.kind = GPU_PMU_SAMPLE_REPORT;
	say(&gpu, 7, STACK_NONE);
	gpu.kind = 0;
	say(&gpu, 7, STACK_NONE);
	gpu.kind = 0xffff;
	say(&gpu, 7, STACK_NONE);
	CHECK_EQ(1, join__sums(join)->reports);
	CHECK_EQ(0, join__sums(join)->done);
	CHECK_EQ(0, charged_to_all(JOIN_GPU));
	teardown();
}

static void thousands_of_contexts_are_told_apart(void)
{
	enum { NR = 5000 };
	const struct join_context *contexts;
	uint64_t busy = 0;
	uint32_t nr;

	setup(100);
	for (unsigned int round = 0; round < 3; round++) {
		for (uint32_t i = 1; i <= NR; i++) {
			job(i, round + 1, STACK_NONE);
			done(i, round + 1, i, i);
		}
	}
	contexts = join__contexts(join, &nr);
	CHECK_EQ(NR, nr);
	for (uint32_t i = 0; i < nr; i++) {
		CHECK_EQ(3, contexts[i].done);
		CHECK_EQ(3 * contexts[i].client, contexts[i].busy);
		busy += contexts[i].busy;
	}
	CHECK_EQ(join__sums(join)->busy, busy);
	CHECK_EQ(3ULL * NR * (NR + 1) / 2, busy);
	teardown();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(time_goes_to_the_stack_that_submitted),
		TEST(contexts_and_engines_have_their_own),
		TEST(what_is_missing_is_said),
		TEST(jobs_that_are_too_many_are_forgotten),
		TEST(a_wait_goes_to_the_stack_that_waited),
		TEST(what_is_said_twice_counts_once),
		TEST(stacks_that_are_not_whole_are_counted),
		TEST(a_job_without_a_fence_is_a_job),
		TEST(other_kinds_are_passed_over),
		TEST(thousands_of_contexts_are_told_apart),
	};

	return TESTS_RUN(tests);
}
