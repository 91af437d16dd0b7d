// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/gpu_pmu: what there is, and what clients and contexts have used; who is told,
 * and that nobody who comes and goes is missed.
 */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"

#include "look.h"
#include "perf.h"
#include "virtgpu.h"

#define RENDER_MINOR	128

/* places of the values */
enum { JOBS, DONE, BUSY, WAIT };

static const __u64 events[LOOK_VALUES] = {
	[JOBS] = GPU_PMU_EVENT_JOBS,
	[DONE] = GPU_PMU_EVENT_JOBS_DONE,
	[BUSY] = GPU_PMU_EVENT_GPU_BUSY,
	[WAIT] = GPU_PMU_EVENT_QUEUE_WAIT,
};

/* as long as it is open, what clients do is counted */
static int keep_counting(bool whole)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };

	return gpu_event_open(&config, whole ? -1 : 0, whole ? 0 : -1, -1);
}

/* a client: it opens a file, submits, and exits */
static int client_run(unsigned int jobs)
{
	int fd = virtgpu_open();

	return fd < 0 || virtgpu_run(fd, jobs);
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* looks until a process' only client is told as ended; that row, or NULL */
static const struct look_row *look_for_end(struct look *look, pid_t pid)
{
	const struct look_row *row;

	for (unsigned int ms = 0; ms < 10000; ms++) {
		if (look_at(look, -1) || look_clients(look, pid, &row) != 1)
			return NULL;
		if (row->flags & GPU_PMU_USAGE_ENDED)
			return row;
		usleep(1000);
	}
	return NULL;
}

FIXTURE(usage)
{
	int counting;
	struct look *look;
};

FIXTURE_SETUP(usage)
{
	self->counting = keep_counting(true);
	ASSERT_LE(0, self->counting);
	self->look = look_open(events);
	ASSERT_NE(NULL, self->look);
	ASSERT_EQ(0, look_at(self->look, -1));
}

FIXTURE_TEARDOWN(usage)
{
	look_close(self->look);
	close(self->counting);
}

#define CLIENTS	6

/* one after the other: the next one gets the address of the one before */
TEST_F_TIMEOUT(usage, clients_that_ended_are_told, 60)
{
	struct look *look = self->look;
	const struct look_row *row;
	pid_t pid[CLIENTS];
	__u64 client[CLIENTS];
	bool told[CLIENTS] = {};
	unsigned int i, k, left;

	for (i = 0; i < CLIENTS; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			prctl(PR_SET_NAME, "renamed");
			_exit(client_run(i + 1));
		}
		ASSERT_EQ(0, wait_for(pid[i]));
	}
	do {
		ASSERT_EQ(0, look_at(look, -1));
		EXPECT_EQ(0, look->missed);
		left = 0;
		for (i = 0; i < CLIENTS; i++) {
			/* it is there until it was told that it is not */
			if (!look_clients(look, pid[i], &row)) {
				EXPECT_TRUE(told[i]);
				continue;
			}
			left++;
			ASSERT_EQ(1, look_clients(look, pid[i], &row));
			EXPECT_EQ(i + 1, row->value[JOBS]);
			EXPECT_EQ(i + 1, row->value[DONE]);
			EXPECT_LT(0, row->value[BUSY]);
			EXPECT_STREQ("renamed", row->comm);
			EXPECT_EQ(RENDER_MINOR, row->dev);
			told[i] = row->flags & GPU_PMU_USAGE_ENDED;
			client[i] = row->client;
			for (k = 0; k < i; k++)
				EXPECT_NE(client[k], client[i]);
		}
		usleep(1000);
	} while (left);
}

/* its context has all of its jobs, and goes with it */
TEST_F_TIMEOUT(usage, contexts_are_told_with_their_clients, 60)
{
	const struct look_row *client, *context;
	struct look *look = self->look;
	int fd = virtgpu_open();
	uint64_t ctx;
	__u64 id;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 5));
	ASSERT_EQ(0, virtgpu_context(fd, &ctx));
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_EQ(1, look_clients(look, getpid(), &client));
	id = client->client;
	context = look_find(look, id, ctx);
	ASSERT_NE(NULL, context);
	EXPECT_EQ(5, client->value[JOBS]);
	EXPECT_EQ(5, context->value[JOBS]);
	EXPECT_EQ(5, context->value[DONE]);
	EXPECT_EQ(0, context->flags);

	/* at once, and until nothing of them can come any more */
	close(fd);
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_NE(NULL, look_find(look, id, ctx));
	do {
		client = look_find(look, id, 0);
		context = look_find(look, id, ctx);
		ASSERT_NE(NULL, client);
		EXPECT_EQ(GPU_PMU_USAGE_ENDED, client->flags);
		EXPECT_EQ(5, client->value[JOBS]);
		if (context) {
			EXPECT_EQ(GPU_PMU_USAGE_ENDED, context->flags);
			EXPECT_EQ(5, context->value[JOBS]);
		}
		usleep(1000);
		ASSERT_EQ(0, look_at(look, -1));
	} while (look_find(look, id, 0));
	EXPECT_EQ(NULL, look_find(look, id, ctx));
}

/* a client that is in the middle of one long job: the same numbers, several times */
static bool runs_long(struct look *look, pid_t pid)
{
	unsigned int same = 0;
	__u64 jobs = 0;

	for (unsigned int ms = 0; ms < 20000 && same < 4; ms += 20) {
		const struct look_row *row;

		usleep(20000);
		if (look_at(look, -1) || look_clients(look, pid, &row) != 1)
			continue;
		same = row->value[JOBS] > row->value[DONE] && row->value[JOBS] == jobs ?
		       same + 1 : 0;
		jobs = row->value[JOBS];
	}
	return same == 4;
}

/* it is killed in a job: all that the GPU does for it is told */
TEST_F_TIMEOUT(usage, killed_in_a_job, 120)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_GPU_BUSY };
	int whole = gpu_event_open(&config, -1, 0, -1);
	__u64 others = 0, before = 0, busy = 0;
	const struct look_row *row = NULL;
	struct look *look = self->look;
	pid_t pid;

	ASSERT_LE(0, whole);
	ASSERT_EQ(0, gpu_event_enable(whole));
	ASSERT_EQ(0, look_at(look, -1));
	for (unsigned int i = 0; i < look->nr; i++)
		before += look->row[i].ctx ? 0 : look->row[i].value[BUSY];
	pid = fork();
	if (!pid) {
		execl("build/clients/gl-long", "gl-long", "6000", NULL);
		_exit(127);
	}
	EXPECT_TRUE(runs_long(look, pid));
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
	do {
		usleep(1000);
		ASSERT_EQ(0, look_at(look, -1));
		if (!look_clients(look, pid, &row))
			break;
		EXPECT_LE(busy, row->value[BUSY]);
		busy = row->value[BUSY];
	} while (true);
	ASSERT_EQ(0, gpu_event_disable(whole));
	ASSERT_EQ(0, look_at(look, -1));
	for (unsigned int i = 0; i < look->nr; i++)
		others += look->row[i].ctx ? 0 : look->row[i].value[BUSY];
	EXPECT_EQ(others - before + busy, gpu_event_read(whole));
	close(whole);
}

/* the same process, again and again: each time it is another client */
TEST_F_TIMEOUT(usage, many_in_one_process, 60)
{
	struct look *look = self->look;
	__u64 jobs = 0;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		int fd = virtgpu_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, virtgpu_run(fd, 2));
		close(fd);
	}
	ASSERT_EQ(0, look_at(look, -1));
	for (i = 0; i < look->nr; i++) {
		const struct look_row *row = &look->row[i];

		if (row->pid != (__u32)getpid() || row->ctx)
			continue;
		EXPECT_EQ(2, row->value[JOBS]);
		EXPECT_EQ(row, look_find(look, row->client, 0));
		jobs += row->value[JOBS];
	}
	EXPECT_EQ(40, jobs);
}

/* what has ended is told when there is room for all, and not forgotten before */
TEST_F_TIMEOUT(usage, room_too_small, 60)
{
	struct look *look = self->look, *other = look_open(events);
	const struct look_row *row = NULL;
	unsigned int nr;
	pid_t pid;

	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, look_at(other, -1));
	pid = fork();
	if (!pid)
		_exit(client_run(4));
	ASSERT_EQ(0, wait_for(pid));
	ASSERT_NE(NULL, look_for_end(other, pid));
	do {
		usleep(1000);
		ASSERT_EQ(0, look_at(other, -1));
	} while (look_clients(other, pid, &row));
	for (unsigned int i = 0; i < 20; i++) {
		ASSERT_EQ(0, look_with_room(look, -1, i & 1));
		ASSERT_LE(3, look->nr);
	}
	nr = look->nr;
	ASSERT_EQ(0, look_with_room(look, -1, nr));
	EXPECT_EQ(nr, look->nr);
	ASSERT_EQ(1, look_clients(look, pid, &row));
	EXPECT_EQ(4, row->value[JOBS]);
	EXPECT_EQ(GPU_PMU_USAGE_ENDED, row->flags);
	ASSERT_EQ(0, look_at(look, -1));
	EXPECT_EQ(0, look_clients(look, pid, &row));
	look_close(other);
}

/* each reader has its own past; who has never looked at all has none */
TEST_F_TIMEOUT(usage, each_reader_is_told, 60)
{
	struct look *other = look_open(events), *late;
	const struct look_row *row;
	pid_t pid;

	ASSERT_NE(NULL, other);
	ASSERT_EQ(0, look_at(other, -1));
	pid = fork();
	if (!pid)
		_exit(client_run(3));
	ASSERT_EQ(0, wait_for(pid));
	row = look_for_end(self->look, pid);
	ASSERT_NE(NULL, row);
	/* what the host still has to do for it is its own, too: then it is over */
	do {
		EXPECT_EQ(3, row->value[JOBS]);
		usleep(1000);
		ASSERT_EQ(0, look_at(self->look, -1));
	} while (look_clients(self->look, pid, &row));

	late = look_open(events);
	ASSERT_NE(NULL, late);
	ASSERT_EQ(0, look_at(late, -1));
	EXPECT_EQ(0, look_clients(late, pid, &row));

	ASSERT_EQ(0, look_at(other, -1));
	ASSERT_EQ(1, look_clients(other, pid, &row));
	EXPECT_EQ(3, row->value[JOBS]);
	EXPECT_EQ(GPU_PMU_USAGE_ENDED, row->flags);
	look_close(other);
	look_close(late);
}

/* the same numbers as perf has in the same run, to the nanosecond */
TEST_F_TIMEOUT(usage, equals_perf_stat, 60)
{
	struct look *look = self->look;
	struct perf_stat stat;
	__u64 sum[4] = {};

	ASSERT_EQ(0, perf_stat_run(&stat,
				   "-e gpu/jobs/,gpu/jobs-done/,gpu/gpu-busy/,gpu/queue-wait/ "
				   "build/clients/gpu-client -n 7 -t 3"));
	ASSERT_EQ(0, look_at(look, -1));
	for (unsigned int i = 0; i < look->nr; i++)
		if (!strcmp(look->row[i].comm, "gpu-client") && !look->row[i].ctx)
			for (unsigned int k = 0; k < 4; k++)
				sum[k] += look->row[i].value[k];
	EXPECT_EQ(0, stat.status);
	EXPECT_EQ(21, sum[JOBS]);
	EXPECT_EQ(sum[JOBS], perf_stat_sum(&stat, "gpu/jobs/"));
	EXPECT_EQ(sum[DONE], perf_stat_sum(&stat, "gpu/jobs-done/"));
	EXPECT_EQ(sum[BUSY], perf_stat_sum(&stat, "gpu/gpu-busy/"));
	EXPECT_EQ(sum[WAIT], perf_stat_sum(&stat, "gpu/queue-wait/"));
	if (!__test_passed(_metadata))
		perf_stat_dump(&stat);
}

/* the device's busy time is its clients' and the kernel's: also in a look */
TEST_F_TIMEOUT(usage, the_parts_sum_to_the_whole, 60)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS_DONE };
	int whole = gpu_event_open(&config, -1, 0, -1), fd = virtgpu_open();
	struct look *look = self->look;
	__u64 jobs = 0;

	ASSERT_LE(0, whole);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, look_at(look, -1));
	for (unsigned int i = 0; i < look->nr; i++)
		if (!look->row[i].ctx)
			jobs -= look->row[i].value[DONE];
	ASSERT_EQ(0, gpu_event_enable(whole));
	ASSERT_EQ(0, virtgpu_run(fd, 9));
	ASSERT_EQ(0, client_run(2));
	ASSERT_EQ(0, gpu_event_disable(whole));
	ASSERT_EQ(0, look_at(look, -1));
	for (unsigned int i = 0; i < look->nr; i++)
		if (!look->row[i].ctx)
			jobs += look->row[i].value[DONE];
	EXPECT_EQ(11, jobs);
	EXPECT_EQ(11, gpu_event_read(whole));
	close(whole);
	close(fd);
}

TEST_F_TIMEOUT(usage, by_engine, 60)
{
	const struct look_row *row = NULL;
	struct look *look = self->look;
	int fd = virtgpu_open();
	unsigned int i, nr = 0;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 6));
	look->flags = GPU_PMU_USAGES_ENGINES;
	ASSERT_EQ(0, look_at(look, fd));
	/* client and context; virtio-gpu has one engine */
	EXPECT_EQ(4, look->nr);
	for (i = 0; i < look->nr; i++) {
		row = &look->row[i];
		EXPECT_EQ(6, row->value[DONE]);
		EXPECT_EQ(look_find(look, row->client, row->ctx)->value[BUSY],
			  row->value[BUSY]);
		nr += row->engine == 0;
	}
	EXPECT_EQ(2, nr);
	close(fd);
}

/* ---- who is told ---- */

/* how many entries are this process' own; -1: others are of one that is still there */
static int own_entries(const struct look *look)
{
	int nr = 0;

	for (unsigned int i = 0; i < look->nr; i++) {
		if (look->row[i].pid == (__u32)getpid())
			nr++;
		/* the kernel may still know this user's client of the test before */
		else if (!kill(look->row[i].pid, 0) || errno != ESRCH)
			return -1;
	}
	return nr;
}

/* everything that this user is told of is its own; whether it may count or not */
static int user_sees(struct __test_metadata *_metadata, bool counts, bool namespace)
{
	const struct look_row *row = NULL;
	struct look *look;
	int counting, fd;

	EXPECT_EQ(0, namespace ? become_namespace_root(1000) : become_user());
	counting = keep_counting(false);
	EXPECT_EQ(counts ? 0 : -EACCES, counting < 0 ? counting : 0);
	look = look_open(events);
	EXPECT_NE(NULL, look);
	fd = virtgpu_open();
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, virtgpu_run(fd, 3));
	EXPECT_EQ(0, look_at(look, -1));
	EXPECT_EQ(2, own_entries(look));
	EXPECT_EQ(1, look_clients(look, getpid(), &row));
	EXPECT_EQ(3, row->value[JOBS]);
	EXPECT_EQ(0, row->flags);
	return !__test_passed(_metadata);
}

FIXTURE(users)
{
	int counting;
	struct look *look;
};

FIXTURE_VARIANT(users)
{
	int paranoid;
	bool counts;
	bool namespace;
};

FIXTURE_VARIANT_ADD(users, may_count) { .paranoid = 2, .counts = true };
FIXTURE_VARIANT_ADD(users, may_not_count) { .paranoid = 3 };
FIXTURE_VARIANT_ADD(users, root_of_a_namespace) {
	.paranoid = 2, .counts = true, .namespace = true
};

FIXTURE_SETUP(users)
{
	self->counting = keep_counting(true);
	ASSERT_LE(0, self->counting);
	self->look = look_open(events);
	ASSERT_NE(NULL, self->look);
	ASSERT_EQ(0, look_at(self->look, -1));
	ASSERT_EQ(0, paranoid_set(variant->paranoid));
}

FIXTURE_TEARDOWN(users)
{
	look_close(self->look);
	close(self->counting);
}

TEST_F_TIMEOUT(users, are_told_of_their_own, 60)
{
	const struct look_row *row;
	int fd = virtgpu_open();
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 2));
	pid = fork();
	if (!pid)
		_exit(user_sees(_metadata, variant->counts, variant->namespace));
	EXPECT_EQ(0, wait_for(pid));
	ASSERT_EQ(0, look_at(self->look, -1));
	ASSERT_EQ(1, look_clients(self->look, pid, &row));
	EXPECT_EQ(3, row->value[JOBS]);
	ASSERT_EQ(1, look_clients(self->look, getpid(), &row));
	EXPECT_EQ(2, row->value[JOBS]);
	close(fd);
}

/* it may ask, but nobody counts */
TEST(nothing_is_told_while_nobody_may_count)
{
	struct look *look = look_open(events);
	int fd = virtgpu_open();

	ASSERT_NE(NULL, look);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, paranoid_set(3));
	ASSERT_EQ(0, become_user());
	ASSERT_EQ(-EACCES, keep_counting(false));
	ASSERT_EQ(0, virtgpu_run(fd, 2));
	ASSERT_EQ(0, look_at(look, -1));
	EXPECT_EQ(0, look->nr);
	look_close(look);
	close(fd);
}

/* processes of this and that user: may uid 1000 attach to it? */
struct opener {
	unsigned int uid;
	unsigned int euid;
	bool dumpable;
	int attach;
};

static int become_opener(const struct opener *opener)
{
	if (setgroups(0, NULL) || setresgid(1000, 1000, 1000) ||
	    setresuid(opener->uid, opener->euid, opener->uid))
		return -errno;
	return prctl(PR_SET_DUMPABLE, opener->dumpable) ? -errno : 0;
}

static pid_t opener_start(const struct opener *opener, int ready, int end)
{
	pid_t pid = fork();
	char c;

	if (!pid)
		_exit(become_opener(opener) || client_run(1) || write(ready, "", 1) != 1 ||
		      read(end, &c, 1) != 1);
	return pid;
}

#define OPENERS	4

/* whom it may attach to is perf's; whom it is told of are those of the same uid and euid */
static int viewer_sees(struct __test_metadata *_metadata, const struct opener *viewer,
		       const struct opener *openers, const pid_t *pids)
{
	const struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };
	struct look *look = look_open(events);
	const struct look_row *row;
	int i, event;

	EXPECT_EQ(0, become_opener(viewer));
	EXPECT_EQ(0, look_at(look, -1));
	for (i = 0; i < OPENERS; i++) {
		event = gpu_event_open(&config, pids[i], -1, -1);
		EXPECT_EQ(openers[i].attach, event < 0 ? event : 0) {
			TH_LOG("uid %u, euid %u", openers[i].uid, openers[i].euid);
		}
		EXPECT_EQ(viewer->uid == openers[i].uid && viewer->euid == openers[i].euid,
			  look_clients(look, pids[i], &row)) {
			TH_LOG("uid %u, euid %u, dumpable %d", openers[i].uid, openers[i].euid,
			       openers[i].dumpable);
		}
	}
	EXPECT_EQ(-EACCES, virtgpu_contexts(-1, NULL, 0));
	return !__test_passed(_metadata);
}

TEST_F_TIMEOUT(usage, of_a_user_who_is_another_in_part, 60)
{
	static const struct opener openers[OPENERS] = {
		{ 1000, 1000, true, 0 },
		{ 1000, 1000, false, -EACCES },
		{ 1000, 1001, true, -EACCES },
		{ 1001, 1000, true, -EACCES },
	};
	static const struct opener viewers[] = {
		{ .uid = 1000, .euid = 1000 }, { .uid = 1000, .euid = 1001 },
	};
	int ready[2], end[2], i;
	pid_t pids[OPENERS], pid;
	char c;

	ASSERT_EQ(0, paranoid_set(2));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe2(end, O_CLOEXEC));
	for (i = 0; i < OPENERS; i++) {
		pids[i] = opener_start(&openers[i], ready[1], end[0]);
		ASSERT_EQ(1, read(ready[0], &c, 1));
	}
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid)
			_exit(viewer_sees(_metadata, &viewers[i], openers, pids));
		EXPECT_EQ(0, wait_for(pid));
	}
	for (i = 0; i < OPENERS; i++) {
		EXPECT_EQ(1, write(end[1], "", 1));
		EXPECT_EQ(0, wait_for(pids[i]));
	}
}

/* who holds the file may know, whoever has opened it */
TEST_F_TIMEOUT(usage, by_file_whoever_opened_it, 60)
{
	const struct look_row *row = NULL;
	int fd = virtgpu_open();
	pid_t pid, parent = getpid();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 2));
	pid = fork();
	if (!pid) {
		if (become_user() || look_at(self->look, fd))
			_exit(1);
		_exit(self->look->nr != 2 || !look_clients(self->look, parent, &row) ||
		      row->value[JOBS] != 2);
	}
	EXPECT_EQ(0, wait_for(pid));
	close(fd);
}

/* the kernel's work is nobody's but an administrator's to see */
TEST_F(usage, the_kernel_is_told)
{
	struct look *look = self->look;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < look->nr; i++) {
		if (!(look->row[i].flags & GPU_PMU_USAGE_KERNEL))
			continue;
		EXPECT_EQ(0, look->row[i].client);
		EXPECT_EQ(0, look->row[i].pid);
		nr++;
	}
	EXPECT_EQ(1, nr);
}

/* a child of another pid namespace; uid 0: it may see all, 1000: what is its own there */
static int namespace_sees(unsigned int uid, int ready, int go)
{
	const struct look_row *row;
	struct look *look;
	char c;
	int fd;

	if (uid && become_user())
		return 1;
	if (keep_counting(false) < 0)
		return 2;
	look = look_open(events);
	fd = virtgpu_open();
	if (!look || fd < 0 || virtgpu_run(fd, 4) || look_at(look, -1))
		return 3;
	if (getpid() != 1 || look_clients(look, 1, &row) != 1 || row->value[JOBS] != 4)
		return 4;
	/* of all others: nothing, or nothing but that they are there */
	if (uid && look->nr != 2)
		return 5;
	if (!uid && look_clients(look, 0, &row) < 2)
		return 6;
	for (unsigned int i = 0; i < look->nr; i++)
		if (look->row[i].pid > 1)
			return 7;
	if (write(ready, "", 1) != 1 || read(go, &c, 1) != 0)
		return 8;
	return 0;
}

TEST_F_TIMEOUT(usage, pid_namespace, 60)
{
	static const unsigned int uids[] = { 0, 1000 };
	const struct look_row *row = NULL;
	int outside[2], ready[2], go[2];
	pid_t user, pid;
	char c;

	ASSERT_EQ(0, paranoid_set(2));
	/* one of uid 1000 that is not in the namespace, and one of root */
	ASSERT_EQ(0, pipe(outside));
	user = fork();
	if (!user) {
		close(outside[1]);
		_exit(become_user() || client_run(1) || read(outside[0], &c, 1));
	}
	close(outside[0]);
	ASSERT_LE(0, virtgpu_open());
	ASSERT_EQ(0, client_run(1));

	for (unsigned int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pipe(ready));
		ASSERT_EQ(0, pipe(go));
		pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
		ASSERT_LE(0, pid);
		if (!pid) {
			close(ready[0]);
			close(go[1]);
			_exit(namespace_sees(uids[i], ready[1], go[0]));
		}
		close(ready[1]);
		close(go[0]);
		EXPECT_EQ(1, read(ready[0], &c, 1));
		/* from outside, it is there with the pid that it has here */
		ASSERT_EQ(0, look_at(self->look, -1));
		EXPECT_EQ(1, look_clients(self->look, pid, &row));
		if (row)
			EXPECT_EQ(4, row->value[JOBS]);
		close(go[1]);
		close(ready[0]);
		EXPECT_EQ(0, wait_for(pid));
	}
	close(outside[1]);
	EXPECT_EQ(0, wait_for(user));
}

/* ---- as long as someone counts ---- */

TEST(nothing_is_known_while_nobody_counts)
{
	struct look *look = look_open(events);
	const struct look_row *row;
	int fd = virtgpu_open();

	ASSERT_NE(NULL, look);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, virtgpu_run(fd, 2));
	ASSERT_EQ(0, look_at(look, -1));
	EXPECT_EQ(0, look_clients(look, getpid(), &row));
	ASSERT_EQ(0, look_at(look, fd));
	EXPECT_EQ(0, look->nr);
	look_close(look);
	close(fd);
}

/* the last event is closed under a reader: all end, and begin anew */
TEST(counts_begin_anew_with_the_first_event)
{
	struct look *look = look_open(events);
	int counting = keep_counting(true), fd = virtgpu_open();
	const struct look_row *row;

	ASSERT_NE(NULL, look);
	ASSERT_LE(0, counting);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_EQ(0, virtgpu_run(fd, 5));
	close(counting);
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_EQ(1, look_clients(look, getpid(), &row));
	EXPECT_EQ(5, row->value[JOBS]);
	EXPECT_EQ(GPU_PMU_USAGE_ENDED, row->flags);

	counting = keep_counting(true);
	ASSERT_LE(0, counting);
	ASSERT_EQ(0, virtgpu_run(fd, 3));
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_EQ(1, look_clients(look, getpid(), &row));
	EXPECT_EQ(3, row->value[JOBS]);
	EXPECT_EQ(0, row->flags);
	close(counting);
	close(fd);
	look_close(look);
}

/* it is open in a program that has looked, and so the module stays */
TEST(a_reader_holds_the_module)
{
	struct look *look = look_open(events);

	ASSERT_NE(NULL, look);
	ASSERT_EQ(0, look_at(look, -1));
	ASSERT_EQ(0, shell("rmmod gpu_pmu_virtio"));
	ASSERT_EQ(0, look_at(look, -1));
	EXPECT_NE(0, shell("rmmod gpu_pmu 2>/dev/null"));
	look_close(look);
	EXPECT_EQ(0, shell("rmmod gpu_pmu"));
	EXPECT_EQ(0, shell("modprobe gpu_pmu"));
}

/* ---- refusals ---- */

static int usages(const struct gpu_pmu_usages *arg)
{
	struct gpu_pmu_usages copy = *arg;
	int query = open("/dev/gpu_pmu", O_RDONLY), err;

	if (query < 0)
		return -errno;
	err = ioctl(query, GPU_PMU_IOCTL_USAGES, &copy) ? -errno : 0;
	close(query);
	return err;
}

static int infos(unsigned long request, unsigned int dev, unsigned int nr, void *infos)
{
	struct gpu_pmu_infos arg = { .dev = dev, .nr = nr, .infos = (uintptr_t)infos };
	int query = open("/dev/gpu_pmu", O_RDONLY), err;

	if (query < 0)
		return -errno;
	err = ioctl(query, request, &arg) ? -errno : (int)arg.nr;
	close(query);
	return err;
}

#define BAD	((void *)8)

TEST(refusals)
{
	static const __u64 one = GPU_PMU_EVENT_JOBS;
	static const struct {
		__u64 event;
		int err;
	} wrong[] = {
		{ 0, -EINVAL },
		{ GPU_PMU_EVENT_REPORTS + 1, -EINVAL },
		{ GPU_PMU_EVENT_NATIVE, -EINVAL },
		{ 1ULL << 32 | GPU_PMU_EVENT_JOBS, -EINVAL },
		{ 1ULL << 63, -EINVAL },
		{ GPU_PMU_EVENT_LOST, -ENOENT },
		{ GPU_PMU_EVENT_REPORTS, -ENOENT },
		{ GPU_PMU_EVENT_WAITS, 0 },
		{ GPU_PMU_EVENT_WAIT_TIME, 0 },
	};
	char room[4096];
	const struct gpu_pmu_usages good = {
		.fd = -1,
		.nr_events = 1,
		.events = (uintptr_t)&one,
		.nr = 4,
		.usages = (uintptr_t)room,
	};
	struct gpu_pmu_usages arg;
	int fd = open("/dev/null", O_RDONLY), query = open("/dev/gpu_pmu", O_RDONLY);

#define REFUSED(_err, ...) do {							\
	arg = good;								\
	__VA_ARGS__;								\
	EXPECT_EQ(_err, usages(&arg));						\
} while (0)
	REFUSED(0, );
	REFUSED(-EINVAL, arg.flags = GPU_PMU_USAGES_TORN);
	REFUSED(-EINVAL, arg.flags = 1U << 31);
	REFUSED(-EINVAL, arg.nr_events = 0);
	REFUSED(-EINVAL, arg.nr_events = GPU_PMU_USAGES_EVENTS_MAX + 1);
	REFUSED(-EINVAL, arg.nr_events = ~0U);
	REFUSED(-EFAULT, arg.events = (uintptr_t)BAD);
	REFUSED(-EFAULT, arg.usages = (uintptr_t)BAD);
	REFUSED(-EBADF, arg.fd = 999);
	REFUSED(-EBADF, arg.fd = -2);
	REFUSED(-ENOTTY, arg.fd = fd);
	REFUSED(0, arg.nr = 0; arg.usages = (uintptr_t)BAD);
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		REFUSED(wrong[i].err, arg.events = (uintptr_t)&wrong[i].event);

	EXPECT_EQ(-1, ioctl(query, GPU_PMU_IOCTL_USAGES, BAD));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(query, GPU_PMU_IOCTL_EVENTS, BAD));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(query, _IO('G', 0xef), 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-EINVAL, infos(GPU_PMU_IOCTL_DEVICES, RENDER_MINOR, 0, NULL));
	EXPECT_EQ(-EFAULT, infos(GPU_PMU_IOCTL_DEVICES, 0, 1, BAD));
	EXPECT_EQ(-ENODEV, infos(GPU_PMU_IOCTL_ENGINES, 0, 0, NULL));
	EXPECT_EQ(-ENODEV, infos(GPU_PMU_IOCTL_ENGINES, RENDER_MINOR + 9, 0, NULL));
	EXPECT_EQ(-ENODEV, infos(GPU_PMU_IOCTL_EVENTS, RENDER_MINOR + 9, 0, NULL));
	EXPECT_EQ(0, infos(GPU_PMU_IOCTL_EVENTS, RENDER_MINOR, 0, NULL));
	close(fd);
	close(query);
}

/* a user can have so many readers, and no more; root is not counted */
TEST(too_many_readers)
{
	static const __u64 one = GPU_PMU_EVENT_JOBS;
	struct gpu_pmu_usages arg;
	pid_t pid = fork();
	int i, err, query;

	if (pid) {
		EXPECT_EQ(0, wait_for(pid));
		return;
	}
	EXPECT_EQ(0, become_user());
	for (i = 0; i < 66; i++) {
		arg = (struct gpu_pmu_usages){ .fd = -1, .nr_events = 1,
					       .events = (uintptr_t)&one };
		query = open("/dev/gpu_pmu", O_RDONLY);
		EXPECT_LE(0, query);
		err = ioctl(query, GPU_PMU_IOCTL_USAGES, &arg) ? -errno : 0;
		EXPECT_EQ(i < 64 ? 0 : -EMFILE, err);
	}
	_exit(!__test_passed(_metadata));
}

/* ---- what there is ---- */

TEST(lists_what_there_is)
{
	struct gpu_pmu_device_info device[2] = {};
	struct gpu_pmu_engine_info engine[2] = {};
	struct gpu_pmu_event_info event[16] = {};
	char line[128];
	int nr;

	ASSERT_EQ(1, infos(GPU_PMU_IOCTL_DEVICES, 0, 2, device));
	EXPECT_EQ(RENDER_MINOR, device[0].dev);
	EXPECT_EQ(1, device[0].nr_engines);
	EXPECT_EQ(0, device[0].nr_counters);
	EXPECT_STREQ("virtio_gpu", device[0].driver);
	ASSERT_EQ(0, shell_line(line, sizeof(line),
				"basename $(readlink /sys/class/drm/renderD128/device)"));
	EXPECT_STREQ(line, device[0].bus);
	/* none fits, and none is written */
	EXPECT_EQ(1, infos(GPU_PMU_IOCTL_DEVICES, 0, 0, BAD));
	ASSERT_EQ(1, infos(GPU_PMU_IOCTL_ENGINES, RENDER_MINOR, 2, engine));
	EXPECT_NE(0, engine[0].name[0]);

	nr = infos(GPU_PMU_IOCTL_EVENTS, 0, 16, event);
	EXPECT_EQ(7, nr);
	for (int i = 0; i < nr; i++) {
		EXPECT_EQ(event[i].event, gpu_event_id(event[i].name));
		EXPECT_NE(0, event[i].desc[0]);
		line[0] = 0;
		shell_line(line, sizeof(line),
			   "cat /sys/bus/event_source/devices/gpu/events/%s.unit 2>/dev/null",
			   event[i].name);
		EXPECT_STREQ(line, event[i].unit);
	}
}

TEST_HARNESS_MAIN
