// SPDX-License-Identifier: GPL-2.0
/*
 * A user without privileges, at perf_event_paranoid 2, tries to see what is not its own:
 * addresses of the kernel, and the registers, stack, client, context and process of another
 * user who works on the same CPU and the same engine. As root, in a machine that has the
 * modules loaded.
 */
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>
#include <linux/gpu_pmu.h>

#include "refgpu.h"
#include "ring.h"
#include "tap.h"

#define MS_CYCLES	12500ULL
#define ROUNDS		30
#define RECORD_MAX	65536
#define VICTIM_UID	1001

/* what the victim has in its registers and on its stack, and nobody else has */
#define MARKER		0x5ec2e75ec2e75ec2ULL

/* what the victim says of itself, and the attacker's parent of the attacker */
static struct shared {
	pid_t attacker;		/* in the initial pid namespace */
	pid_t victim;
	uint64_t victim_client;
	unsigned int submitted;
	bool stop;
} *shared;

static struct refgpu gpu;

/* as the one who asks may know it */
static uint64_t client_id(void)
{
	struct gpu_pmu_context_info infos[4] = {};
	struct gpu_pmu_contexts args = { .fd = gpu.fd, .nr = 4, .infos = (uintptr_t)infos };
	int query = open("/dev/gpu_pmu", O_RDWR | O_CLOEXEC);

	CHECK_EQ(ioctl(query, GPU_PMU_IOCTL_CONTEXTS, &args), 0);
	CHECK(args.nr > 0 && infos[0].client);
	close(query);
	return infos[0].client;
}

static struct drm_refgpu_submit job(const struct drm_refgpu_cmd *cmd, uint32_t ctx, uint32_t sync)
{
	return (struct drm_refgpu_submit) {
		.ctx = ctx, .cmds = (uintptr_t)cmd, .nr_cmds = 1, .out_sync = sync,
	};
}

static struct drm_syncobj_wait wait_for(const uint32_t *sync)
{
	return (struct drm_syncobj_wait) {
		.handles = (uintptr_t)sync, .count_handles = 1, .timeout_nsec = INT64_MAX,
	};
}

/* ---- the victim ---- */

#define MARKED_REGS	"rbx", "r12", "r13", "r14", "r15"

/* an ioctl with the marker in all registers that it leaves free */
static long marked_ioctl(unsigned long request, void *arg)
{
	register uint64_t r8 __asm__("r8") = MARKER;
	register uint64_t r9 __asm__("r9") = MARKER;
	register uint64_t r10 __asm__("r10") = MARKER;
	long ret = SYS_ioctl;

	__asm__ volatile("mov %%r8, %%rbx; mov %%r8, %%r12; mov %%r8, %%r13;"
			 "mov %%r8, %%r14; mov %%r8, %%r15; syscall"
			 : "+a"(ret)
			 : "D"((long)gpu.fd), "S"(request), "d"(arg), "r"(r8), "r"(r9), "r"(r10)
			 : MARKED_REGS, "rcx", "r11", "cc", "memory");
	return ret;
}

/* for the flush to come by */
static void marked_spin(uint64_t turns)
{
	__asm__ volatile("mov %1, %%rbx; mov %1, %%r12; mov %1, %%r13; mov %1, %%r14;"
			 "mov %1, %%r15; mov %1, %%r8; mov %1, %%r9; mov %1, %%r10;"
			 "1: dec %0; jnz 1b"
			 : "+c"(turns) : "a"(MARKER)
			 : MARKED_REGS, "r8", "r9", "r10", "cc");
}

static void victim_run(uint32_t ctx, uint32_t sync)
{
	const struct drm_refgpu_cmd cmd = { .op = REFGPU_OP_SPIN, .n = MS_CYCLES / 4 };
	uint64_t stack[512];
	unsigned int i;

	for (i = 0; i < 512; i++)
		stack[i] = MARKER;
	__asm__ volatile("" : : "r"(stack) : "memory");
	while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
		struct drm_refgpu_submit args = job(&cmd, ctx, sync);
		struct drm_syncobj_wait wait = wait_for(&sync);

		CHECK_EQ(marked_ioctl(DRM_IOCTL_REFGPU_SUBMIT, &args), 0);
		marked_spin(200000);
		CHECK_EQ(marked_ioctl(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
		__atomic_add_fetch(&shared->submitted, 1, __ATOMIC_RELEASE);
	}
	CHECK_EQ(stack[511], MARKER);
}

static void victim(bool unused)
{
	uint32_t ctx = 0;
	unsigned int i;

	(void)unused;
	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	/* numbers that are not those of a client that has few */
	for (i = 0; i < 9; i++)
		CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &ctx), 0);
	CHECK_EQ(setgroups(0, NULL), 0);
	CHECK_EQ(setresgid(VICTIM_UID, VICTIM_UID, VICTIM_UID), 0);
	CHECK_EQ(setresuid(VICTIM_UID, VICTIM_UID, VICTIM_UID), 0);
	shared->victim = getpid();
	shared->victim_client = client_id();
	victim_run(ctx, refgpu_sync(&gpu));
	refgpu_close(&gpu);
}

/* ---- what the attacker gets ---- */

#define REGS_64		0xff0fffULL	/* all but segments that are none */
#define NR_REGS		20
#define REG_SP		PERF_REG_X86_SP	/* those before it are all there */

#define TYPE_LATER	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |	\
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |	\
			 PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |	\
			 PERF_SAMPLE_TRANSACTION)
#define TYPE_HERE	(TYPE_LATER | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |	\
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR)

static const struct source {
	const char *name;
	unsigned int event;
	unsigned int kind;
	bool by_fd;
	uint64_t type;
} sources[] = {
	{ "jobs", GPU_PMU_EVENT_JOBS, GPU_PMU_SAMPLE_JOB, false, TYPE_HERE },
	{ "waits", GPU_PMU_EVENT_WAITS, GPU_PMU_SAMPLE_WAIT, false, TYPE_HERE },
	{ "wait-time", GPU_PMU_EVENT_WAIT_TIME, GPU_PMU_SAMPLE_WAIT, false, TYPE_HERE },
	{ "jobs-done of a task", GPU_PMU_EVENT_JOBS_DONE, GPU_PMU_SAMPLE_DONE, false, TYPE_LATER },
	{ "jobs-done of a file", GPU_PMU_EVENT_JOBS_DONE, GPU_PMU_SAMPLE_DONE, true, TYPE_LATER },
	{ "reports", GPU_PMU_EVENT_REPORTS, GPU_PMU_SAMPLE_REPORT, true, TYPE_LATER },
};

enum { JOBS, WAITS, WAIT_TIME, DONE_TASK, DONE_FILE, REPORTS, NR_SOURCES };

#define STACK_BYTES	1024

/* a system call, and the stack that it was made with */
struct call {
	uint64_t sp;
	uint8_t stack[STACK_BYTES];
};

/* what the attacker is, and has done */
struct self {
	uint64_t client;
	uint64_t fence_context;
	uint32_t ctx;
	bool namespace;
	struct round {
		uint64_t fence_seqno;
		struct call submit;
		struct call wait;
	} rounds[ROUNDS];
};

/* the stack is copied right before the call */
static long noted_ioctl(struct call *call, unsigned long request, void *arg)
{
	long ret;

	__asm__ volatile("mov %%rsp, (%[call]); lea 8(%[call]), %%rdi; mov %%rsp, %%rsi;"
			 "mov %[words], %%ecx; cld; rep movsq;"
			 "mov %[fd], %%edi; mov %[request], %%rsi; mov %[nr], %%eax; syscall"
			 : "=&a"(ret)
			 : [call]"r"(call), [words]"i"(STACK_BYTES / 8), [fd]"r"(gpu.fd),
			   [request]"r"(request), "d"(arg), [nr]"i"(SYS_ioctl)
			 : "rdi", "rsi", "rcx", "r11", "cc", "memory");
	return ret;
}

/* of the job that a sample is about */
static const struct call *call_of(const struct self *self, const struct gpu_pmu_sample *payload)
{
	const struct round *round;

	for (round = self->rounds; round < self->rounds + ROUNDS; round++)
		if (round->fence_seqno == payload->fence_seqno)
			return payload->kind == GPU_PMU_SAMPLE_JOB ? &round->submit : &round->wait;
	return NULL;
}

static struct perf_event_attr attr_of(const struct source *source)
{
	const struct gpu_config config = {
		.event = source->event, .fd = source->by_fd ? gpu.fd : 0,
	};
	struct perf_event_attr attr;

	gpu_event_attr(&attr, &config);
	attr.sample_period = 1;
	attr.sample_type = source->type;
	attr.sample_regs_user = source->type & PERF_SAMPLE_REGS_USER ? REGS_64 : 0;
	attr.sample_regs_intr = source->type & PERF_SAMPLE_REGS_INTR ? REGS_64 : 0;
	attr.sample_stack_user = source->type & PERF_SAMPLE_STACK_USER ? STACK_BYTES : 0;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/* the last page are errors, and marks in a callchain */
static bool is_kernel_address(uint64_t word)
{
	return word >= 0xffff800000000000ULL && word < (uint64_t)-4096;
}

/*
 * Words that lie as those in the kernel do, and look like an address of it. A client's id is
 * any number.
 */
static unsigned int kernel_addresses(const uint8_t *at, size_t size, uint64_t client)
{
	unsigned int nr = 0;
	uint64_t word;

	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		nr += is_kernel_address(word) && word != client;
	}
	return nr;
}

/* what is told of the work: it is the attacker's own */
static struct gpu_pmu_sample payload_check(const struct self *self, const struct source *source,
					   const uint8_t *raw, size_t size)
{
	struct gpu_pmu_sample payload;
	uint32_t tid;

	CHECK(size >= sizeof(payload));
	memcpy(&payload, raw, sizeof(payload));
	memcpy(&tid, raw + sizeof(tid), sizeof(tid));
	CHECK_EQ(tid, shared->attacker);
	CHECK_EQ(payload.kind, source->kind);
	CHECK_EQ(payload.client, self->client);
	CHECK_EQ(payload.ctx, source->kind == GPU_PMU_SAMPLE_WAIT ? 0 : self->ctx);
	CHECK_EQ(payload.fence_context,
		 source->kind == GPU_PMU_SAMPLE_REPORT ? 0 : self->fence_context);
	/* of later samples there is no number in another namespace; of a report there is none */
	if (source->kind == GPU_PMU_SAMPLE_REPORT ||
	    (source->kind == GPU_PMU_SAMPLE_DONE && self->namespace))
		CHECK_EQ(payload.pid, 0);
	else
		CHECK_EQ(payload.pid, getpid());
	CHECK_EQ(kernel_addresses(raw, size, self->client), 0);
	return payload;
}

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
};

static uint64_t take(struct cursor *cursor)
{
	uint64_t word = 0;

	CHECK(cursor->at + sizeof(word) <= cursor->end);
	memcpy(&word, cursor->at, sizeof(word));
	CHECK(!is_kernel_address(word));
	cursor->at += sizeof(word);
	return word;
}

static void skip(struct cursor *cursor, size_t bytes)
{
	CHECK(bytes <= (size_t)(cursor->end - cursor->at));
	cursor->at += bytes;
}

static void take_regs(struct cursor *cursor, uint64_t *regs)
{
	unsigned int i;

	CHECK_EQ(take(cursor), PERF_SAMPLE_REGS_ABI_64);
	for (i = 0; i < NR_REGS; i++)
		regs[i] = take(cursor);
	CHECK(regs[REG_SP] > 0);
}

/* to the byte the user's own */
static void stack_check(struct cursor *cursor, const struct call *call, uint64_t sp)
{
	uint64_t size = take(cursor);
	const uint8_t *stack = cursor->at;

	CHECK_EQ(size, STACK_BYTES);
	skip(cursor, size);
	CHECK_EQ(take(cursor), STACK_BYTES);
	CHECK(call && sp == call->sp && !memcmp(stack, call->stack, STACK_BYTES));
}

static void sample_check(const struct self *self, const struct source *source,
			 const struct perf_event_header *header)
{
	static const uint64_t marker = MARKER;
	struct cursor cursor = {
		(const uint8_t *)(header + 1), (const uint8_t *)header + header->size,
	};
	uint64_t user[NR_REGS], any[NR_REGS], nr;
	struct gpu_pmu_sample payload;
	uint32_t ids[2], size;

	CHECK(!memmem(header, header->size, &marker, sizeof(marker)));
	CHECK(!memmem(header, header->size, &shared->victim_client, sizeof(uint64_t)));
	CHECK_EQ(header->misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
	take(&cursor);			/* ip */
	memcpy(ids, cursor.at, sizeof(ids));
	take(&cursor);
	CHECK_EQ(ids[0], getpid());
	CHECK_EQ(ids[1], gettid());
	skip(&cursor, 8);		/* time: any number */
	take(&cursor);			/* address */
	take(&cursor);			/* CPU */
	take(&cursor);			/* period */
	if (source->type & PERF_SAMPLE_CALLCHAIN)
		for (nr = take(&cursor); nr; nr--)
			take(&cursor);
	memcpy(&size, cursor.at, sizeof(size));
	payload = payload_check(self, source, cursor.at + sizeof(size), size);
	skip(&cursor, sizeof(size) + size);
	if (source->type & PERF_SAMPLE_REGS_USER)
		take_regs(&cursor, user);
	if (source->type & PERF_SAMPLE_STACK_USER)
		stack_check(&cursor, call_of(self, &payload), user[REG_SP]);
	take(&cursor);			/* weight */
	take(&cursor);			/* data source */
	take(&cursor);			/* transaction */
	if (source->type & PERF_SAMPLE_REGS_INTR) {
		take_regs(&cursor, any);
		CHECK(!memcmp(user, any, sizeof(any)));
	}
	CHECK(cursor.at == cursor.end);
}

/* how many samples */
static unsigned int ring_check(struct ring *ring, const struct self *self,
			       const struct source *source)
{
	static union {
		struct perf_event_header header;
		uint8_t bytes[RECORD_MAX];
	} record;
	unsigned int nr = 0, before = tap_failed;

	while (ring_record(ring, &record, sizeof(record))) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		sample_check(self, source, &record.header);
		nr++;
	}
	if (tap_failed != before)
		printf("# those were of %s\n", source->name);
	CHECK_EQ(ring->lost, 0);
	CHECK_EQ(ring->throttled, 0);
	return nr;
}

/* ---- what the attacker does not get ---- */

#define MINE	0
#define NOBODY	(-1)
#define THEIRS	1		/* stands for the victim's pid */

static const struct refusal {
	const char *what;
	unsigned int source;
	int whose;
	uint64_t more;		/* sample_type */
	enum { USER, KERNEL } side;
	unsigned int fd;
	int err;
} refusals[] = {
	{ "the kernel's side", JOBS, MINE, 0, KERNEL, 0, EACCES },
	{ "physical addresses", JOBS, MINE, PERF_SAMPLE_PHYS_ADDR, USER, 0, EACCES },
	{ "a CPU", JOBS, NOBODY, 0, USER, 0, EACCES },
	{ "the waits on a CPU", WAITS, NOBODY, 0, USER, 0, EACCES },
	{ "a device", DONE_TASK, NOBODY, 0, USER, 0, EACCES },
	{ "its reports", REPORTS, NOBODY, 0, USER, 0, EACCES },
	{ "the victim's jobs", JOBS, THEIRS, 0, USER, 0, EACCES },
	{ "its waits", WAIT_TIME, THEIRS, 0, USER, 0, EACCES },
	{ "its completions", DONE_TASK, THEIRS, 0, USER, 0, EACCES },
	{ "the kernel's work", DONE_FILE, MINE, 0, USER, GPU_PMU_FD_KERNEL, EACCES },
	{ "whoever the flush meets: registers", DONE_FILE, MINE, PERF_SAMPLE_REGS_INTR, USER, 0,
	  EOPNOTSUPP },
	{ "its user's registers", DONE_FILE, MINE, PERF_SAMPLE_REGS_USER, USER, 0, EOPNOTSUPP },
	{ "its stack", REPORTS, MINE, PERF_SAMPLE_STACK_USER, USER, 0, EOPNOTSUPP },
	{ "its callchain", REPORTS, MINE, PERF_SAMPLE_CALLCHAIN, USER, 0, EOPNOTSUPP },
};

static uint64_t device(void)
{
	struct stat st = {};

	CHECK_EQ(fstat(gpu.fd, &st), 0);
	return (uint64_t)minor(st.st_rdev) << GPU_PMU_CONFIG_DEV_SHIFT;
}

static void refused(const struct refusal *refusal)
{
	pid_t pid = refusal->whose == THEIRS ? shared->victim : refusal->whose;
	struct source source = sources[refusal->source];
	struct perf_event_attr attr;
	int fd, err;

	source.type |= refusal->more;
	source.by_fd &= pid >= 0;
	attr = attr_of(&source);
	attr.exclude_kernel = refusal->side != KERNEL;
	attr.exclude_callchain_kernel = 1;
	if (refusal->fd) {
		attr.config |= device();
		attr.config1 = refusal->fd;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	err = fd < 0 ? errno : 0;
	if (err != refusal->err) {
		tap_failed++;
		printf("# %s: errno is %d, expected %d\n", refusal->what, err, refusal->err);
	}
	if (fd >= 0)
		close(fd);
}

/* ---- the attacker ---- */

static void spin_and_wait(struct self *self, struct round *round, uint32_t sync)
{
	const struct drm_refgpu_cmd cmd = { .op = REFGPU_OP_SPIN, .n = 2 * MS_CYCLES };
	unsigned int seen = __atomic_load_n(&shared->submitted, __ATOMIC_ACQUIRE);
	struct drm_refgpu_submit args = job(&cmd, self->ctx, sync);
	struct drm_syncobj_wait wait = wait_for(&sync);

	CHECK_EQ(noted_ioctl(&round->submit, DRM_IOCTL_REFGPU_SUBMIT, &args), 0);
	self->fence_context = args.fence_context;
	round->fence_seqno = args.fence_seqno;
	CHECK_EQ(noted_ioctl(&round->wait, DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0);
	/* the victim has had its turn */
	while (__atomic_load_n(&shared->submitted, __ATOMIC_ACQUIRE) == seen)
		sched_yield();
}

static void attack(struct self *self)
{
	unsigned int i, nr[NR_SOURCES], victims;
	struct ring rings[NR_SOURCES];
	uint64_t counts[NR_SOURCES];
	uint32_t sync = refgpu_sync(&gpu);
	int err;

	for (i = 0; i < NR_SOURCES; i++) {
		struct perf_event_attr attr = attr_of(&sources[i]);

		/* 6.1 lets a user ask for the kernel's side of the callchain: it is not there */
		err = ring_open_attr(&rings[i], &attr, 0, -1, 64);
		attr.exclude_callchain_kernel = 1;
		if (err == -EACCES)
			err = ring_open_attr(&rings[i], &attr, 0, -1, 64);
		CHECK_EQ(err, 0);
		if (err)
			return;
		CHECK_EQ(gpu_event_enable(rings[i].fd), 0);
	}
	/* the victim has no number in another namespace */
	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]) && !self->namespace; i++)
		refused(&refusals[i]);
	victims = shared->submitted;
	for (i = 0; i < ROUNDS; i++)
		spin_and_wait(self, &self->rounds[i], sync);
	victims = shared->submitted - victims;
	for (i = 0; i < NR_SOURCES; i++)
		CHECK_EQ(gpu_event_disable(rings[i].fd), 0);
	for (i = 0; i < NR_SOURCES; i++) {
		counts[i] = gpu_event_read(rings[i].fd);
		nr[i] = ring_check(&rings[i], self, &sources[i]);
		ring_close(&rings[i]);
	}
	CHECK(victims >= ROUNDS);
	CHECK_EQ(nr[JOBS], ROUNDS);
	CHECK_EQ(nr[DONE_TASK], ROUNDS);
	CHECK_EQ(nr[DONE_FILE], ROUNDS);
	/* a wait can come too late; each one is there twice */
	CHECK(nr[WAITS] > 0);
	CHECK_EQ(nr[WAITS], counts[WAITS]);
	CHECK_EQ(nr[WAIT_TIME], nr[WAITS]);
	CHECK(nr[REPORTS] > 0);
	CHECK_EQ(nr[REPORTS], counts[REPORTS]);
	printf("# %u jobs, %u waits and %u reports; the other user's jobs: %u\n", nr[JOBS],
	       nr[WAITS], nr[REPORTS], victims);
}

/* in a process of its own */
static void attacker(bool namespace)
{
	static struct self self;

	CHECK_EQ(refgpu_open(&gpu, 0), 0);
	CHECK_EQ(refgpu_context(&gpu, REFGPU_PRIORITY_NORMAL, &self.ctx), 0);
	self.namespace = namespace;
	CHECK_EQ(become_user(), 0);
	self.client = client_id();
	while (!__atomic_load_n(&shared->submitted, __ATOMIC_ACQUIRE) ||
	       !__atomic_load_n(&shared->attacker, __ATOMIC_ACQUIRE))
		sched_yield();
	CHECK(self.client != shared->victim_client);
	attack(&self);
	refgpu_close(&gpu);
}

/* its pid, in the caller's namespace */
static pid_t start(void (*run)(bool), bool arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		tap_failed = 0;
		run(arg);
		fflush(stdout);
		_exit(tap_failed != 0);
	}
	return pid;
}

static void end(pid_t pid)
{
	int status = -1;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void attacker_start(bool namespace)
{
	pid_t pid;

	if (namespace)
		CHECK_EQ(unshare(CLONE_NEWPID), 0);
	pid = start(attacker, namespace);
	__atomic_store_n(&shared->attacker, pid, __ATOMIC_RELEASE);
	end(pid);
}

static void on_cpu0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* the attacker's parent is another one, too: it is its children who are in the new namespace */
static void nothing_is_told(bool namespace)
{
	pid_t other;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	CHECK(shared != MAP_FAILED);
	CHECK_EQ(paranoid_set(2), 0);
	on_cpu0();
	other = start(victim, false);
	end(start(attacker_start, namespace));
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELEASE);
	end(other);
	munmap(shared, sizeof(*shared));
}

static void of_another_user(void)
{
	nothing_is_told(false);
}

static void to_another_namespace(void)
{
	nothing_is_told(true);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(of_another_user),
		TEST(to_another_namespace),
	};

	return tap_main(tests, sizeof(tests) / sizeof(tests[0]));
}
