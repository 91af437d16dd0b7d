// SPDX-License-Identifier: GPL-2.0
/*
 * Each way in which perf stat opens events gives the right number, not a multiple
 * of it. The truth is arithmetic: the client is told how many jobs to submit; and,
 * system-wide, the stock tracepoint in the same run.
 */
#include <sys/syscall.h>

#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>

#include "harness.h"

#include "client.h"
#include "perf.h"

#define CLIENT	"build/clients/gpu-client"
#define SUBMIT	"virtio_gpu:virtio_gpu_cmd_queue"
#define TRUTH	" -e " SUBMIT " --filter 'type == 0x207' "
#define ALL	"-e gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/,gpu/queue-wait/,gpu/lost/ "

FIXTURE(mode)
{
	struct perf_stat stat;
};

/*
 * jobs: what gpu/jobs/ and gpu/jobs-done/ must be, summed over all lines; lines:
 * how many there must be of each; truth: the tracepoint is there, too
 */
FIXTURE_VARIANT(mode)
{
	const char *args;
	unsigned int jobs;
	unsigned int lines;
	bool truth;
};

#define MODE(_name, _jobs, _lines, _truth, _args)	\
	FIXTURE_VARIANT_ADD(mode, _name)		\
	{						\
		.args = _args,				\
		.jobs = _jobs,				\
		.lines = _lines,			\
		.truth = _truth,			\
	}

MODE(program, 20, 1, false, ALL CLIENT " -n 20");
MODE(system_wide, 20, 1, true, "-a " ALL TRUTH CLIENT " -n 20");
MODE(no_aggregation, 20, 2, true, "-a -A " ALL TRUTH CLIENT " -n 20");
MODE(one_cpu, 20, 1, true, "-C 1 " ALL TRUTH "taskset -c 1 " CLIENT " -n 20");
MODE(per_socket, 20, 1, true, "-a --per-socket " ALL TRUTH CLIENT " -n 20");
MODE(per_core, 20, 2, true, "-a --per-core " ALL TRUTH CLIENT " -n 20");
MODE(threads, 80, 1, false, ALL CLIENT " -n 10 -t 8");
MODE(children, 80, 1, false, ALL CLIENT " -n 10 -f 8");
MODE(children_with_threads, 60, 1, false, ALL CLIENT " -n 5 -f 4 -t 3");
MODE(twice, 20, 2, false,
     "-e gpu/jobs/ -e gpu/jobs/ -e gpu/jobs-done/ -e gpu/jobs-done/ "
     CLIENT " -n 10");
MODE(twice_system_wide, 20, 2, false,
     "-a -e gpu/jobs/ -e gpu/jobs/ -e gpu/jobs-done/ -e gpu/jobs-done/ "
     CLIENT " -n 10");
MODE(group, 20, 1, false, "-e '{gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/}' "
     CLIENT " -n 20");
MODE(group_system_wide, 20, 1, false,
     "-a -e '{gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/}' " CLIENT " -n 20");
MODE(group_of_software_events, 20, 1, false,
     "-e '{task-clock,gpu/jobs/,gpu/jobs-done/}' " CLIENT " -n 20");
MODE(weak_group_with_threads, 80, 1, false,
     "-e '{gpu/jobs/,gpu/jobs-done/}:W' " CLIENT " -n 10 -t 8");
/* the client submits in a thread: without inheritance that is not counted */
MODE(no_inherit, 0, 1, false, "-i " ALL CLIENT " -n 20");
MODE(engine_by_index, 20, 1, false,
     "-e gpu/jobs,engine=1/ -e gpu/jobs-done,engine=1/ " CLIENT " -n 20");
MODE(device_by_minor, 20, 1, true,
     "-a -e gpu/jobs,dev=128/ -e gpu/jobs-done,dev=128/ " TRUTH CLIENT " -n 20");

FIXTURE_SETUP(mode)
{
	ASSERT_EQ(0, perf_stat_run(&self->stat, "%s", variant->args));
}

FIXTURE_TEARDOWN(mode)
{
}

/* the engine and device terms are a part of the printed name */
static uint64_t jobs_of(const struct perf_stat *stat, const char *name)
{
	char plain[32], terms[32];

	snprintf(plain, sizeof(plain), "gpu/%s/", name);
	snprintf(terms, sizeof(terms), "gpu/%s,", name);
	return perf_stat_sum(stat, plain) + perf_stat_sum(stat, terms);
}

TEST_F_TIMEOUT(mode, right_number, 120)
{
	struct perf_stat *stat = &self->stat;

	EXPECT_EQ(0, stat->status);
	EXPECT_TRUE(perf_stat_counted(stat));
	EXPECT_EQ(variant->jobs, jobs_of(stat, "jobs"));
	EXPECT_EQ(variant->jobs, jobs_of(stat, "jobs-done"));
	EXPECT_EQ(variant->lines, perf_stat_lines(stat, "gpu/jobs/") +
				  perf_stat_lines(stat, "gpu/jobs,"));
	EXPECT_EQ(0, perf_stat_sum(stat, "gpu/lost/"));
	if (variant->truth)
		EXPECT_EQ(variant->jobs, perf_stat_sum(stat, SUBMIT));
	if (!__test_passed(_metadata))
		perf_stat_dump(stat);
}

FIXTURE(perf)
{
	struct perf_stat stat;
};

FIXTURE_SETUP(perf)
{
}

FIXTURE_TEARDOWN(perf)
{
}

/* three runs: the mean is each run's number, so the noise is 0 */
TEST_F_TIMEOUT(perf, repeated_runs, 120)
{
	ASSERT_EQ(0, perf_stat_run(&self->stat, "-r 3 " ALL CLIENT " -n 10"));
	EXPECT_EQ(10, perf_stat_sum(&self->stat, "gpu/jobs/"));
	EXPECT_EQ(10, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	EXPECT_NE(NULL, strstr(self->stat.text, "gpu/jobs/;0.00%"))
		perf_stat_dump(&self->stat);
}

#define CONTROL		"/tmp/counting.control"
#define ANSWER		"/tmp/counting.answer"

/*
 * Counting begins late, when its program says so and has the answer that it has begun: all
 * events have what comes then, and nothing of what was before.
 */
TEST_F_TIMEOUT(perf, delayed, 120)
{
	ASSERT_EQ(0, shell("rm -f " CONTROL " " ANSWER "; mkfifo " CONTROL " " ANSWER));
	ASSERT_EQ(0, perf_stat_run(&self->stat, "-a -D -1 --control fifo:" CONTROL "," ANSWER " "
				   ALL TRUTH "sh -c '" CLIENT " -n 20 && echo enable >" CONTROL
				   " && read answer <" ANSWER " && " CLIENT " -n 40'"));
	EXPECT_EQ(0, self->stat.status);
	EXPECT_EQ(40, perf_stat_sum(&self->stat, "gpu/jobs/"));
	EXPECT_EQ(40, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	EXPECT_EQ(40, perf_stat_sum(&self->stat, SUBMIT));
	EXPECT_EQ(0, perf_stat_sum(&self->stat, "gpu/lost/"));
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/* a process that runs already, with threads that were there before perf came */
TEST_F_TIMEOUT(perf, attached, 120)
{
	struct client client;

	ASSERT_EQ(0, client_start(&client, "-t 8 -n 10"));
	EXPECT_EQ(0, perf_stat_run(&self->stat, ALL "-p %d " CLIENT_GO,
				   client.pid, client.pid));
	EXPECT_TRUE(perf_stat_counted(&self->stat));
	EXPECT_EQ(80, perf_stat_sum(&self->stat, "gpu/jobs/"));
	EXPECT_EQ(80, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	EXPECT_EQ(0, client_end(&client));
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/* the same, with a line for each thread: each has submitted as many */
TEST_F_TIMEOUT(perf, attached_per_thread, 120)
{
	struct client client;
	unsigned int i, threads = 0;

	ASSERT_EQ(0, client_start(&client, "-t 8 -n 10"));
	EXPECT_EQ(0, perf_stat_run(&self->stat,
				   "-e gpu/jobs/,gpu/jobs-done/ --per-thread -p %d " CLIENT_GO,
				   client.pid, client.pid));
	EXPECT_EQ(80, perf_stat_sum(&self->stat, "gpu/jobs/"));
	EXPECT_EQ(80, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	for (i = 0; i < self->stat.nr; i++)
		threads += self->stat.line[i].value == 10;
	EXPECT_EQ(16, threads);
	EXPECT_EQ(0, client_end(&client));
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/* opened by a process for an exec that a child of it then does */
TEST_F_TIMEOUT(perf, enabled_by_a_childs_exec, 60)
{
	struct perf_event_attr attr = {
		.type = gpu_pmu_type(),
		.size = sizeof(attr),
		.config = GPU_PMU_EVENT_JOBS_DONE,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
	};
	int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	ASSERT_LE(0, event);
	ASSERT_EQ(0, shell(CLIENT " -n 30; exit $?"));
	usleep(50000);
	EXPECT_EQ(30, gpu_event_read(event));
}

/* intervals add up */
TEST_F_TIMEOUT(perf, intervals, 120)
{
	ASSERT_EQ(0, perf_stat_run(&self->stat, "-I 100 " ALL CLIENT
				   " -n 20 -u 30000"));
	EXPECT_GT(perf_stat_lines(&self->stat, "gpu/jobs/"), 3);
	EXPECT_EQ(20, perf_stat_sum(&self->stat, "gpu/jobs/"));
	EXPECT_EQ(20, perf_stat_sum(&self->stat, "gpu/jobs-done/"));
	if (!__test_passed(_metadata))
		perf_stat_dump(&self->stat);
}

/*
 * A cgroup's jobs are those of its tasks. What the device tells later is no cgroup's number,
 * and says so.
 */
#define CGROUPS		"/sys/fs/cgroup"
#define CGROUP		"counting"
/* whichever of these the kernel has */
#define CONTROLLER	"$(grep -ow -e pids -e memory " CGROUPS "/cgroup.controllers | head -n 1)"

FIXTURE(cgroup)
{
	struct perf_stat stat;
	struct client inside;
	struct client outside;
};

/*
 * In a cgroup2 that nobody has set up, perf_event comes to the children only together with
 * another controller.
 */
FIXTURE_SETUP(cgroup)
{
	ASSERT_EQ(0, shell("echo +" CONTROLLER " >" CGROUPS "/cgroup.subtree_control && "
			   "mkdir " CGROUPS "/" CGROUP));
	ASSERT_EQ(0, client_start_by(&self->inside, "echo $$ >" CGROUPS "/" CGROUP "/cgroup.procs "
				     "&& exec", "-n 12"));
	ASSERT_EQ(0, client_start(&self->outside, "-n 7"));
}

FIXTURE_TEARDOWN(cgroup)
{
	EXPECT_EQ(0, client_end(&self->inside));
	EXPECT_EQ(0, client_end(&self->outside));
	EXPECT_EQ(0, shell("rmdir " CGROUPS "/" CGROUP " && "
			   "echo -" CONTROLLER " >" CGROUPS "/cgroup.subtree_control"));
}

/* there is a line that says a number; none: it says that there is no number */
static bool has_number(const struct perf_stat *stat, const char *event)
{
	for (unsigned int i = 0; i < stat->nr; i++)
		if (!strncmp(stat->line[i].event, event, strlen(event)))
			return stat->line[i].counted;
	return false;
}

TEST_F_TIMEOUT(cgroup, has_what_its_tasks_do, 120)
{
	static const char *const its_own[] = { "gpu/jobs/", "gpu/waits/", "gpu/wait-time/" };
	static const char *const others[] = { "gpu/jobs-done/", "gpu/gpu-busy/",
					      "gpu/queue-wait/", "gpu/lost/" };
	struct perf_stat *stat = &self->stat;
	unsigned int i;

	/* -G is for the events in front of it */
	ASSERT_EQ(0, perf_stat_run(stat, "-a -e gpu/jobs/,gpu/waits/,gpu/wait-time/ "
				   "-e gpu/jobs-done/,gpu/gpu-busy/,gpu/queue-wait/,gpu/lost/ "
				   "-G " CGROUP " " TRUTH "sh -c '" CLIENT_GO "; " CLIENT_GO "'",
				   self->inside.pid, self->outside.pid));
	EXPECT_EQ(0, stat->status);
	EXPECT_EQ(12, perf_stat_sum(stat, "gpu/jobs/"));
	EXPECT_EQ(12 + 7, perf_stat_sum(stat, SUBMIT));
	EXPECT_EQ(8, stat->nr);
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(has_number(stat, its_own[i]));
	for (i = 0; i < 4; i++)
		EXPECT_FALSE(has_number(stat, others[i]));
	EXPECT_NE(NULL, strstr(stat->text, "<not counted>;;gpu/jobs-done/"));
	if (!__test_passed(_metadata))
		perf_stat_dump(stat);
}

TEST_HARNESS_MAIN
