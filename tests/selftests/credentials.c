// SPDX-License-Identifier: GPL-2.0
/*
 * Who may count what: each refusal has its errno; and what an event was bound to
 * when it was opened stays what it counts.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <drm.h>
#include <virtgpu_drm.h>

#include <linux/gpu_pmu.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>

#include "harness.h"

#include "perf.h"
#include "virtgpu.h"

#define RENDER_MINOR	128

static const struct gpu_config any_jobs = { .event = GPU_PMU_EVENT_JOBS };

/* ---- config words that make no sense, or name what is not there ---- */

/* stands for what is known at run time only */
enum fd_kind { FD_NONE, FD_DRM, FD_FILE, FD_CLOSED, FD_KERNEL };
enum ctx_kind { CTX_NONE, CTX_OWN, CTX_WRONG };

FIXTURE(refusal)
{
	int drm;
	int file;
	uint64_t ctx;
};

FIXTURE_VARIANT(refusal)
{
	uint64_t config;
	uint64_t config1_high;
	enum fd_kind fd;
	enum ctx_kind ctx;
	int err;
};

#define CONFIG(event, engine, dev) \
	((uint64_t)(event) | (uint64_t)(engine) << 16 | (uint64_t)(dev) << 32)

#define REFUSAL(_name, _err, _config, ...)		\
	FIXTURE_VARIANT_ADD(refusal, _name)		\
	{						\
		.err = _err,				\
		.config = _config,			\
		__VA_ARGS__				\
	}

REFUSAL(nothing_wrong, 0, CONFIG(1, 0, 0));
REFUSAL(nothing_wrong_with_fd, 0, CONFIG(1, 0, 0), .fd = FD_DRM);
REFUSAL(nothing_wrong_with_ctx, 0, CONFIG(1, 0, 0), .fd = FD_DRM, .ctx = CTX_OWN);
REFUSAL(nothing_wrong_with_all, 0, CONFIG(3, 1, RENDER_MINOR), .fd = FD_DRM,
	.ctx = CTX_OWN);
REFUSAL(kernel, 0, CONFIG(1, 0, 0), .fd = FD_KERNEL);
REFUSAL(no_event, -EINVAL, CONFIG(0, 0, 0));
REFUSAL(unknown_event, -EINVAL, CONFIG(0x9, 0, 0));
REFUSAL(far_unknown_event, -EINVAL, CONFIG(0xffff, 0, 0));
REFUSAL(reserved_24, -EINVAL, CONFIG(1, 0, 0) | 1ULL << 24);
REFUSAL(reserved_31, -EINVAL, CONFIG(1, 0, 0) | 1ULL << 31);
REFUSAL(reserved_48, -EINVAL, CONFIG(1, 0, 0) | 1ULL << 48);
REFUSAL(reserved_63, -EINVAL, CONFIG(1, 0, 0) | 1ULL << 63);
REFUSAL(reserved_in_config1, -EINVAL, CONFIG(1, 0, 0), .fd = FD_DRM,
	.config1_high = 1);
REFUSAL(ctx_of_nobody, -EINVAL, CONFIG(1, 0, 0), .ctx = CTX_OWN);
REFUSAL(engine_of_waits, -EINVAL, CONFIG(GPU_PMU_EVENT_WAITS, 1, 0));
REFUSAL(engine_of_wait_time, -EINVAL, CONFIG(GPU_PMU_EVENT_WAIT_TIME, 1, 0), .fd = FD_DRM);
REFUSAL(engine_of_lost, -EINVAL, CONFIG(GPU_PMU_EVENT_LOST, 1, 0));
REFUSAL(closed_fd, -EBADF, CONFIG(1, 0, 0), .fd = FD_CLOSED);
REFUSAL(other_file, -ENOTTY, CONFIG(1, 0, 0), .fd = FD_FILE);
REFUSAL(wrong_ctx, -ENOENT, CONFIG(1, 0, 0), .fd = FD_DRM, .ctx = CTX_WRONG);
REFUSAL(wrong_engine, -ENXIO, CONFIG(1, 2, 0));
REFUSAL(wrong_engine_of_fd, -ENXIO, CONFIG(1, 2, 0), .fd = FD_DRM);
REFUSAL(last_engine, -ENXIO, CONFIG(1, 0xff, 0));
REFUSAL(wrong_dev, -ENODEV, CONFIG(1, 0, RENDER_MINOR + 9));
REFUSAL(primary_minor_is_no_dev, -ENODEV, CONFIG(1, 0, 1));
REFUSAL(dev_of_another_fd, -EXDEV, CONFIG(1, 0, RENDER_MINOR + 9), .fd = FD_DRM);
REFUSAL(kernel_has_no_ctx, -ENOENT, CONFIG(1, 0, 0), .fd = FD_KERNEL,
	.ctx = CTX_OWN);

FIXTURE_SETUP(refusal)
{
	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
	ASSERT_EQ(0, virtgpu_context(self->drm, &self->ctx));
	self->file = open("/dev/null", O_RDWR);
	ASSERT_LE(0, self->file);
}

FIXTURE_TEARDOWN(refusal)
{
}

static int open_raw(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	attr->type = gpu_pmu_type();
	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

TEST_F(refusal, has_its_errno)
{
	const unsigned int fds[] = {
		[FD_NONE] = 0,
		[FD_DRM] = self->drm,
		[FD_FILE] = self->file,
		[FD_CLOSED] = 999,
		[FD_KERNEL] = GPU_PMU_FD_KERNEL,
	};
	const uint64_t ctxs[] = {
		[CTX_NONE] = 0,
		[CTX_OWN] = self->ctx,
		[CTX_WRONG] = self->ctx + 1000,
	};
	struct perf_event_attr attr = {
		.config = variant->config,
		.config1 = variant->config1_high << 32 | fds[variant->fd],
		.config2 = ctxs[variant->ctx],
		.exclude_kernel = 1,
	};
	int task = open_raw(&attr, 0, -1), cpu = open_raw(&attr, -1, 0);

	/* a task event and a CPU event alike */
	EXPECT_EQ(variant->err, task < 0 ? task : 0);
	EXPECT_EQ(variant->err, cpu < 0 ? cpu : 0);
}

/* newer kernels have one more word, and this PMU nothing to read there; older ones refuse it */
TEST(config3_is_reserved)
{
	struct {
		struct perf_event_attr attr;
		uint64_t config3;
	} longer = {
		.attr = {
			.type = gpu_pmu_type(),
			.size = sizeof(longer),
			.config = CONFIG(1, 0, 0),
			.exclude_kernel = 1,
		},
	};
	int fd;

	_Static_assert(sizeof(longer.attr) == 128, "it is the word behind that of 6.1");
	fd = syscall(SYS_perf_event_open, &longer, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, fd);
	close(fd);
	longer.config3 = 1;
	ASSERT_EQ(-1, syscall(SYS_perf_event_open, &longer, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
	EXPECT_TRUE(errno == EINVAL || errno == E2BIG);
}

/* another client's context is not one's own, though both are real */
TEST(context_of_another_file)
{
	int one = virtgpu_open(), two = virtgpu_open();
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };

	ASSERT_LE(0, one);
	ASSERT_LE(0, two);
	config.fd = one;
	ASSERT_EQ(0, virtgpu_context(two, &config.ctx));
	EXPECT_EQ(-ENOENT, gpu_event_open(&config, 0, -1, -1));
	config.fd = two;
	EXPECT_LE(0, gpu_event_open(&config, 0, -1, -1));
}

/* ---- what this PMU cannot do for an event ---- */

TEST(modes_that_make_no_sense)
{
	struct perf_event_attr attr = {
		.config = GPU_PMU_EVENT_GPU_BUSY,
		.exclude_kernel = 1,
	}, odd;

	odd = attr;
	odd.sample_period = 1000;
	EXPECT_EQ(-EOPNOTSUPP, open_raw(&odd, 0, -1));
	odd = attr;
	odd.exclude_user = 1;
	EXPECT_EQ(-EOPNOTSUPP, open_raw(&odd, 0, -1));
	odd = attr;
	odd.inherit = 1;
	odd.inherit_stat = 1;
	EXPECT_EQ(-EOPNOTSUPP, open_raw(&odd, 0, -1));
	EXPECT_LE(0, open_raw(&attr, 0, -1));
}

/* ---- a user without privileges ---- */

/* what virtgpu_contexts() is for contexts */
static int fences(int fd, struct gpu_pmu_fence_info *infos, unsigned int room)
{
	struct gpu_pmu_contexts arg = { .fd = fd, .nr = room, .infos = (uintptr_t)infos };
	int dev = open("/dev/gpu_pmu", O_RDONLY | O_CLOEXEC), err;

	if (dev < 0)
		return -errno;
	err = ioctl(dev, GPU_PMU_IOCTL_FENCES, &arg) ? -errno : (int)arg.nr;
	close(dev);
	return err;
}

FIXTURE(user)
{
	int drm;
	uint64_t ctx;
	int paranoid;
};

FIXTURE_SETUP(user)
{
	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
	ASSERT_EQ(0, virtgpu_context(self->drm, &self->ctx));
	ASSERT_EQ(0, paranoid_set(2));
}

FIXTURE_TEARDOWN(user)
{
}

TEST_F(user, counts_own_work)
{
	int task, view;
	struct gpu_config config = {
		.event = GPU_PMU_EVENT_JOBS,
		.fd = self->drm,
		.ctx = self->ctx,
	};

	ASSERT_EQ(0, become_user());
	task = gpu_event_open(&any_jobs, 0, -1, -1);
	view = gpu_event_open(&config, 0, -1, -1);
	ASSERT_LE(0, task);
	ASSERT_LE(0, view);
	ASSERT_EQ(0, gpu_event_enable(task));
	ASSERT_EQ(0, gpu_event_enable(view));
	ASSERT_EQ(0, virtgpu_run(self->drm, 7));
	ASSERT_EQ(0, gpu_event_disable(task));
	ASSERT_EQ(0, gpu_event_disable(view));
	EXPECT_EQ(7, gpu_event_read(task));
	EXPECT_EQ(7, gpu_event_read(view));
}

TEST_F(user, not_system_wide)
{
	struct gpu_config kernel = {
		.event = GPU_PMU_EVENT_GPU_BUSY,
		.fd = GPU_PMU_FD_KERNEL,
	};

	ASSERT_EQ(0, become_user());
	EXPECT_EQ(-EACCES, gpu_event_open(&any_jobs, -1, 0, -1));
	EXPECT_EQ(-EACCES, gpu_event_open(&kernel, 0, -1, -1));
	EXPECT_EQ(-EACCES, virtgpu_contexts(-1, NULL, 0));
	EXPECT_EQ(-EACCES, fences(-1, NULL, 0));
}

/* whatever it may do there, and whoever it is here */
static void check_namespace_root(struct __test_metadata *_metadata, int drm, unsigned int uid)
{
	struct gpu_config kernel = {
		.event = GPU_PMU_EVENT_GPU_BUSY,
		.fd = GPU_PMU_FD_KERNEL,
	};
	pid_t root = getppid();

	ASSERT_EQ(0, become_namespace_root(uid));
	EXPECT_EQ(-EACCES, gpu_event_open(&any_jobs, -1, 0, -1));
	EXPECT_EQ(-EACCES, gpu_event_open(&kernel, 0, -1, -1));
	EXPECT_EQ(-EACCES, gpu_event_open(&any_jobs, root, -1, -1));
	EXPECT_EQ(-EACCES, virtgpu_contexts(-1, NULL, 0));
	EXPECT_EQ(-EACCES, fences(-1, NULL, 0));
	/* as a user may, of what it holds */
	EXPECT_LE(0, gpu_event_open(&any_jobs, 0, -1, -1));
	EXPECT_EQ(1, virtgpu_contexts(drm, NULL, 0));
}

TEST_F(user, root_of_a_namespace)
{
	check_namespace_root(_metadata, self->drm, 1000);
}

TEST_F(user, root_of_a_namespace_that_root_has_made)
{
	check_namespace_root(_metadata, self->drm, 0);
}

/* without exclude_kernel, which the perf tool adds after this very errno */
TEST_F(user, not_the_kernel)
{
	struct perf_event_attr attr = { .config = GPU_PMU_EVENT_JOBS };

	ASSERT_EQ(0, become_user());
	EXPECT_EQ(-EACCES, open_raw(&attr, 0, -1));
	attr.exclude_kernel = 1;
	EXPECT_LE(0, open_raw(&attr, 0, -1));
}

TEST_F(user, not_another_users_task)
{
	struct gpu_config config = {
		.event = GPU_PMU_EVENT_JOBS,
		.fd = self->drm,
		.ctx = self->ctx,
	};
	pid_t root = getppid();

	ASSERT_EQ(0, become_user());
	EXPECT_EQ(-EACCES, gpu_event_open(&any_jobs, root, -1, -1));
	/* not even for a context that may be counted: the task is another matter */
	EXPECT_EQ(-EACCES, gpu_event_open(&config, root, -1, -1));
}

TEST_F(user, nothing_at_paranoid_3)
{
	ASSERT_EQ(0, paranoid_set(3));
	EXPECT_LE(0, gpu_event_open(&any_jobs, 0, -1, -1)); /* root may */
	ASSERT_EQ(0, become_user());
	EXPECT_EQ(-EACCES, gpu_event_open(&any_jobs, 0, -1, -1));
}

/* it can be someone else afterwards, too */
static int act_as(unsigned int uid)
{
	return setresuid(-1, 0, -1) || setresuid(uid, uid, 0) ? -errno : 0;
}

/* the flush looks at each event: a user alone cannot make it long */
TEST_F_TIMEOUT(user, has_a_number_of_events, 60)
{
	struct rlimit files = { 4096, 4096 };
	struct gpu_config view = { .event = GPU_PMU_EVENT_GPU_BUSY, .fd = self->drm };
	const struct gpu_config task = { .event = GPU_PMU_EVENT_GPU_BUSY };
	int nr, fd;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, act_as(1000));
	for (nr = 0; (fd = gpu_event_open(&task, 0, -1, -1)) >= 0; nr++)
		;
	EXPECT_EQ(-ENOSPC, fd);
	EXPECT_EQ(64, nr);
	/* what a user has on a task is not in another's way */
	ASSERT_EQ(0, act_as(0));
	EXPECT_LE(0, gpu_event_open(&task, 0, -1, -1));
	ASSERT_EQ(0, act_as(1000));
	EXPECT_EQ(-ENOSPC, gpu_event_open(&task, 0, -1, -1));
	for (; (fd = gpu_event_open(&view, 0, -1, -1)) >= 0; nr++)
		;
	EXPECT_EQ(-EMFILE, fd);
	EXPECT_EQ(1024, nr);
	/* and with all of them on, a job is a job, and nothing is lost */
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	ASSERT_EQ(0, virtgpu_run(self->drm, 5));
}

static int open_sampled(int drm)
{
	struct perf_event_attr attr = {
		.config = GPU_PMU_EVENT_JOBS_DONE,
		.config1 = drm,
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	return open_raw(&attr, 0, -1);
}

/* each completion looks at each event that has samples of it */
TEST_F_TIMEOUT(user, has_a_number_of_sampled_events, 60)
{
	const struct gpu_config view = { .event = GPU_PMU_EVENT_JOBS_DONE, .fd = self->drm };
	int nr, fd, last = -1;
	char cpu[16];

	ASSERT_EQ(0, shell_line(cpu, sizeof(cpu),
				"sed s/.*-// /sys/devices/system/cpu/possible"));
	ASSERT_EQ(0, act_as(1000));
	for (nr = 0; (fd = open_sampled(self->drm)) >= 0; nr++)
		last = fd;
	EXPECT_EQ(-EMFILE, fd);
	EXPECT_EQ(64 + 2 * (atoi(cpu) + 1), nr);
	EXPECT_LE(0, gpu_event_open(&view, 0, -1, -1));
	/* a user's number is not another's, and root has none */
	ASSERT_EQ(0, act_as(1001));
	EXPECT_LE(0, open_sampled(self->drm));
	ASSERT_EQ(0, act_as(0));
	EXPECT_LE(0, open_sampled(self->drm));
	ASSERT_EQ(0, act_as(1000));
	EXPECT_EQ(-EMFILE, open_sampled(self->drm));
	close(last);
	EXPECT_LE(0, open_sampled(self->drm));
	EXPECT_EQ(-EMFILE, open_sampled(self->drm));
}

/* as a user with subordinate ids does: 0 is the user itself, the others are its own, too */
static pid_t namespace_begin(void)
{
	int to_parent[2], to_child[2];
	char map[64], byte = 0;
	pid_t pid;

	if (pipe(to_parent) || pipe(to_child))
		return -errno;
	pid = fork();
	if (!pid) {
		if (become_user() || unshare(CLONE_NEWUSER) || write(to_parent[1], "", 1) != 1 ||
		    read(to_child[0], &byte, 1) != 1)
			_exit(1);
		return 0;
	}
	if (pid < 0 || read(to_parent[0], &byte, 1) != 1)
		return -EIO;
	snprintf(map, sizeof(map), "/proc/%d/uid_map", pid);
	if (shell("printf '0 1000 1\\n1 100000 9\\n' >%s", map) || write(to_child[1], "", 1) != 1)
		return -EIO;
	return pid;
}

/* whoever has made the namespace pays for all that are in it; root's containers are apart */
TEST_F_TIMEOUT(user, has_no_more_with_more_ids, 60)
{
	pid_t pid = namespace_begin();
	int fd, status;

	ASSERT_LE(0, pid);
	if (pid) {
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		return;
	}
	while ((fd = open_sampled(self->drm)) >= 0)
		;
	EXPECT_EQ(-EMFILE, fd);
	EXPECT_EQ(0, setresuid(1, 1, 1));
	EXPECT_EQ(-EMFILE, open_sampled(self->drm));
	_exit(!__test_passed(_metadata));
}

/* its 64 events find no room for all of its own jobs; others' events miss none */
TEST_F_TIMEOUT(user, does_not_take_anothers_room, 60)
{
	const struct gpu_config busy = { .event = GPU_PMU_EVENT_GPU_BUSY };
	const struct gpu_config done = { .event = GPU_PMU_EVENT_JOBS_DONE };
	int all = gpu_event_open(&done, -1, 0, -1), status, i;
	pid_t pid;

	ASSERT_LE(0, all);
	ASSERT_EQ(0, gpu_event_enable(all));
	pid = fork();
	if (!pid) {
		if (become_user())
			_exit(1);
		for (i = 0; i < 64; i++)
			gpu_event_enable(gpu_event_open(&busy, 0, -1, -1));
		for (i = 0; i < 200; i++)
			if (virtgpu_submit(self->drm) < 0)
				_exit(1);
		_exit(virtgpu_run(self->drm, 1) ? 1 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, virtgpu_run(self->drm, 1));
	ASSERT_EQ(0, gpu_event_disable(all));
	EXPECT_EQ(202, gpu_event_read(all));
}

#define AS_USER	"setpriv --reuid 1000 --regid 1000 --clear-groups -- "

TEST_F_TIMEOUT(user, stock_perf_for_its_own_program, 60)
{
	struct perf_stat stat;

	ASSERT_EQ(0, perf_stat_run_as(&stat, AS_USER,
				      "-e gpu/jobs/,gpu/gpu-busy/ "
				      "build/clients/gpu-client -n 9"));
	EXPECT_EQ(0, stat.status);
	EXPECT_EQ(9, perf_stat_sum(&stat, "gpu/jobs/u"));
	EXPECT_GT(perf_stat_sum(&stat, "gpu/gpu-busy/u"), 0);
	if (!__test_passed(_metadata))
		perf_stat_dump(&stat);
}

/* ---- an event stays with the client that it was opened for ---- */

FIXTURE(binding)
{
	int drm;
	int event;
};

FIXTURE_SETUP(binding)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };

	self->drm = virtgpu_open();
	ASSERT_LE(0, self->drm);
	config.fd = self->drm;
	self->event = gpu_event_open(&config, 0, -1, -1);
	ASSERT_LE(0, self->event);
	ASSERT_EQ(0, gpu_event_enable(self->event));
	ASSERT_EQ(0, virtgpu_run(self->drm, 3));
}

FIXTURE_TEARDOWN(binding)
{
}

TEST_F(binding, number_is_reused_by_another_client)
{
	int other = virtgpu_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(self->drm, dup2(other, self->drm));	/* closes the first */
	ASSERT_EQ(0, virtgpu_run(self->drm, 5));
	ASSERT_EQ(0, gpu_event_disable(self->event));
	EXPECT_EQ(3, gpu_event_read(self->event));
}

/* the driver gives the same context id to the next client at once */
TEST_F(binding, context_id_is_reused_by_another_client)
{
	uint64_t ctx, again;
	int other, round;

	ASSERT_EQ(0, virtgpu_context(self->drm, &ctx));
	close(self->drm);
	for (round = 0; round < 100; round++) {
		other = virtgpu_open();
		ASSERT_LE(0, other);
		ASSERT_EQ(0, virtgpu_context(other, &again));
		ASSERT_EQ(ctx, again);
		ASSERT_EQ(0, virtgpu_run(other, 1));
		close(other);
	}
	ASSERT_EQ(0, gpu_event_disable(self->event));
	EXPECT_EQ(3, gpu_event_read(self->event));
}

TEST_F(binding, duplicate_is_the_same_client)
{
	int copy = dup(self->drm);

	close(self->drm);
	ASSERT_EQ(0, virtgpu_run(copy, 4));
	ASSERT_EQ(0, gpu_event_disable(self->event));
	EXPECT_EQ(7, gpu_event_read(self->event));
}

/* whoever holds the fd submits to it, and it counts */
TEST_F(binding, child_submits)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(virtgpu_run(self->drm, 4) ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, gpu_event_disable(self->event));
	EXPECT_EQ(7, gpu_event_read(self->event));
}

/*
 * The file is exchanged under the ioctl that submits, in the moment when the kernel
 * reads the command: what is submitted is the first file's, what the system call
 * says is the second one's. The first one's context must not become the second's:
 * its id is the next client's.
 */
struct exchange {
	int number;
	int second;
	int faults;
	void *page;
};

static void *exchange_at_fault(void *arg)
{
	struct exchange *x = arg;
	struct uffd_msg msg;
	struct uffdio_zeropage zero = { .range = { .len = getpagesize() } };

	if (read(x->faults, &msg, sizeof(msg)) != sizeof(msg))
		return NULL;
	dup2(x->second, x->number);
	zero.range.start = (uintptr_t)x->page;
	ioctl(x->faults, UFFDIO_ZEROPAGE, &zero);
	return x;
}

static int fault_page(struct exchange *x)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	x->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (x->faults < 0 || ioctl(x->faults, UFFDIO_API, &api))
		return -errno;
	x->page = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)x->page;
	reg.range.len = getpagesize();
	return ioctl(x->faults, UFFDIO_REGISTER, &reg) ? -errno : 0;
}

TEST(file_exchanged_under_the_ioctl)
{
	struct exchange x = {};
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };
	struct drm_virtgpu_execbuffer job = { .size = 4, .fence_fd = -1 };
	int first = virtgpu_open(), second = virtgpu_open(), other, mine, theirs;
	uint64_t ctx, again;
	pthread_t thread;
	void *exchanged;
	int err;

	ASSERT_LE(0, first);
	ASSERT_LE(0, second);
	/* both contexts are there before anyone looks */
	ASSERT_EQ(0, virtgpu_run(first, 1));
	ASSERT_EQ(0, virtgpu_run(second, 1));
	ASSERT_EQ(0, virtgpu_context(first, &ctx));
	config.fd = second;
	mine = gpu_event_open(&config, 0, -1, -1);
	ASSERT_LE(0, mine);
	ASSERT_EQ(0, gpu_event_enable(mine));

	x.number = dup(first);
	x.second = second;
	err = fault_page(&x);
	if (err == -ENOSYS)
		SKIP(return, "this kernel has no userfaultfd");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, pthread_create(&thread, NULL, exchange_at_fault, &x));
	job.command = (uintptr_t)x.page;
	ASSERT_EQ(0, ioctl(x.number, DRM_IOCTL_VIRTGPU_EXECBUFFER, &job));
	ASSERT_EQ(0, pthread_join(thread, &exchanged));
	ASSERT_NE(NULL, exchanged);
	close(first);

	other = virtgpu_open();
	ASSERT_EQ(0, virtgpu_context(other, &again));
	ASSERT_EQ(ctx, again);
	config.fd = other;
	theirs = gpu_event_open(&config, 0, -1, -1);
	ASSERT_LE(0, theirs);
	ASSERT_EQ(0, gpu_event_enable(theirs));
	ASSERT_EQ(0, virtgpu_run(other, 40));
	ASSERT_EQ(0, gpu_event_disable(mine));
	ASSERT_EQ(0, gpu_event_disable(theirs));
	EXPECT_EQ(0, gpu_event_read(mine));
	EXPECT_EQ(40, gpu_event_read(theirs));
}

static void fd_send(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	if (sendmsg(sock, &msg, 0) != 1)
		_exit(1);
}

static int fd_receive(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(sock, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* a client gives its fd away over a socket: the receiver may count the client */
TEST(fd_passed_over_a_socket)
{
	struct gpu_config config = { .event = GPU_PMU_EVENT_JOBS };
	int sock[2], event, status, drm;
	char byte = 0;
	pid_t pid;

	ASSERT_EQ(0, paranoid_set(2));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork();
	if (!pid) {
		drm = virtgpu_open();
		if (drm < 0)
			_exit(1);
		fd_send(sock[1], drm);
		if (read(sock[1], &byte, 1) != 1 || virtgpu_run(drm, 6))
			_exit(1);
		_exit(0);
	}
	drm = fd_receive(sock[0]);
	ASSERT_LE(0, drm);
	ASSERT_EQ(0, become_user());
	config.fd = drm;
	ASSERT_EQ(0, virtgpu_context(drm, &config.ctx));
	event = gpu_event_open(&config, 0, -1, -1);
	ASSERT_LE(0, event);
	ASSERT_EQ(0, gpu_event_enable(event));
	ASSERT_EQ(1, write(sock[0], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, gpu_event_disable(event));
	EXPECT_EQ(6, gpu_event_read(event));
}

/* ---- /dev/gpu_pmu ---- */

TEST(contexts_of_a_fd)
{
	struct gpu_pmu_context_info info = {};
	int fd = virtgpu_open(), file = open("/dev/null", O_RDONLY);

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, virtgpu_contexts(fd, &info, 1));
	EXPECT_NE(0, info.ctx);
	EXPECT_EQ(RENDER_MINOR, info.dev);
	EXPECT_EQ(getpid(), info.pid);
	EXPECT_STREQ("virtio_gpu", info.driver);
	EXPECT_STREQ("credentials", info.comm);
	EXPECT_EQ(1, virtgpu_contexts(fd, NULL, 0));	/* how many? */
	EXPECT_EQ(-EFAULT, virtgpu_contexts(fd, NULL, 1));
	EXPECT_EQ(-EBADF, virtgpu_contexts(999, &info, 1));
	EXPECT_EQ(-EBADF, virtgpu_contexts(-2, &info, 1));
	EXPECT_EQ(-ENOTTY, virtgpu_contexts(file, &info, 1));
}

/* virtio_gpu does not tell it: it is known of a context that works under an event */
TEST_F(user, fences_of_a_file_that_is_held)
{
	const struct gpu_config busy = { .event = GPU_PMU_EVENT_GPU_BUSY };
	int file = open("/dev/null", O_RDONLY), counting = gpu_event_open(&busy, -1, 0, -1);
	struct gpu_pmu_fence_info info = {};

	ASSERT_LE(0, counting);
	ASSERT_EQ(0, become_user());
	EXPECT_EQ(0, fences(self->drm, &info, 1));
	ASSERT_EQ(0, virtgpu_run(self->drm, 1));
	EXPECT_EQ(1, fences(self->drm, &info, 1));
	EXPECT_EQ(self->ctx, info.ctx);
	EXPECT_EQ(RENDER_MINOR, info.dev);
	EXPECT_NE(0, info.fence_context);
	EXPECT_EQ(-EACCES, fences(-1, &info, 1));
	EXPECT_EQ(-EFAULT, fences(self->drm, NULL, 1));
	EXPECT_EQ(-EBADF, fences(999, &info, 1));
	EXPECT_EQ(-EBADF, fences(-2, &info, 1));
	EXPECT_EQ(-ENOTTY, fences(file, &info, 1));
}

TEST(contexts_of_everyone)
{
	struct gpu_pmu_context_info infos[64] = {};
	int fds[5], i, nr, mine = 0, before = virtgpu_contexts(-1, NULL, 0);

	ASSERT_LE(0, before);
	for (i = 0; i < 5; i++) {
		fds[i] = virtgpu_open();
		ASSERT_LE(0, fds[i]);
	}
	nr = virtgpu_contexts(-1, infos, 64);
	EXPECT_EQ(before + 5, nr);
	for (i = 0; i < nr; i++)
		mine += infos[i].pid == (unsigned int)getpid();
	EXPECT_EQ(5, mine);
	/* too little room: what there is of it is filled, and the answer is whole */
	memset(infos, 0, sizeof(infos));
	EXPECT_EQ(before + 5, virtgpu_contexts(-1, infos, 2));
	EXPECT_NE(0, infos[1].dev);
	EXPECT_EQ(0, infos[2].dev);
}

TEST_HARNESS_MAIN
