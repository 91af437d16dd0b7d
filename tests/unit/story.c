// SPDX-License-Identifier: GPL-2.0
/*
 * One device, for tests of the accounting. See story.h.
 */
#include <stdlib.h>
#include <string.h>

#include "story.h"

struct gpu_account *all, *device, *kernel, *client[2], *ctx[3];
struct gpu_account *scope[NR_SCOPES];
struct gpu_engine engine[NR_ENGINES];
struct gpu_ring ring;
struct gpu_ledger ledger;

unsigned int nr_released;
struct gpu_account *released;
u64 completed_when_released;

static struct gpu_record slots[NR_SLOTS];
static struct gpu_job *jobs, *nodes;

static struct gpu_account *account_new(struct gpu_account *up, unsigned int nr)
{
	struct gpu_account *account;

	account = malloc(sizeof(*account) + gpu_account_bytes(nr, GPU_NR_COUNTERS));
	memset(account, 0xa5, sizeof(*account) + gpu_account_bytes(nr, GPU_NR_COUNTERS));
	gpu_account_init(account, up, nr, GPU_NR_COUNTERS);
	return account;
}

void setup(unsigned int nr_jobs)
{
	all = account_new(NULL, NR_ENGINES - 1);
	device = account_new(all, NR_ENGINES);
	kernel = account_new(device, NR_ENGINES);
	client[0] = account_new(device, NR_ENGINES);
	client[1] = account_new(device, NR_ENGINES);
	ctx[0] = account_new(client[0], NR_ENGINES);
	ctx[1] = account_new(client[0], NR_ENGINES);
	ctx[2] = account_new(client[1], NR_ENGINES);
	for (int i = 0; i < NR_SCOPES; i++)
		scope[i] = account_new(NULL, 0);

	memset(slots, 0, sizeof(slots));
	gpu_ring_init(&ring, slots, NR_SLOTS);
	/* as large as it is: a job too far is the address sanitizer's */
	jobs = calloc(nr_jobs, sizeof(*jobs));
	memset(engine, 0xa5, sizeof(engine));
	nodes = calloc(nr_jobs, sizeof(*nodes));
	memset(&ledger, 0xa5, sizeof(ledger));
	gpu_ledger_init(&ledger, device, engine, NR_ENGINES, jobs, nr_jobs, nodes,
			nr_jobs);
	nr_released = 0;
	released = NULL;
	unit_clock = 0;
}

/* a list that is damaged may have no end */
unsigned int list_length(const struct list_head *head)
{
	const struct list_head *entry;
	unsigned int nr = 0;

	for (entry = head->next; entry != head && nr < 10000; entry = entry->next)
		nr++;
	return nr;
}

/* with nothing outstanding, all room is back, and nobody is named any more */
void teardown(unsigned int nr_jobs)
{
	struct gpu_account *accounts[] = {
		all, device, kernel, client[0], client[1], ctx[0], ctx[1], ctx[2],
	};

	gpu_ledger_forget(&ledger, ~0U);
	CHECK_EQ(ledger.outstanding, 0);
	CHECK_EQ(list_length(&ledger.free), nr_jobs);
	CHECK_EQ(list_length(&ledger.free_nodes), nr_jobs);
	CHECK_EQ(list_length(&ledger.staged), 0);
	for (int i = 0; i < NR_ENGINES; i++)
		CHECK(!engine[i].running);
	for (unsigned int i = 0; i < ARRAY_SIZE(accounts); i++) {
		CHECK_EQ(accounts[i]->jobs, 0);
		free(accounts[i]);
	}
	for (int i = 0; i < NR_SCOPES; i++) {
		CHECK_EQ(scope[i]->jobs, 0);
		free(scope[i]);
	}
	free(jobs);
	free(nodes);
}

void note_release(struct gpu_account *account)
{
	nr_released++;
	released = account;
	completed_when_released = completed(account);
}

void push_scoped(u64 time, enum gpu_record_type type, unsigned int flags,
		 unsigned int eng, struct gpu_account *owner, u64 key,
		 unsigned int first_scope, unsigned int nr_scopes)
{
	struct gpu_record rec = {
		.type = type,
		.engine = eng,
		.owner = owner,
		.key = key,
		.flags = flags,
		.nr_scopes = nr_scopes,
	};

	for (unsigned int i = 0; i < nr_scopes; i++)
		rec.scope[i] = scope[first_scope + i];
	unit_clock = time;
	gpu_ring_push(&ring, &rec);
}

/* what finds a full ring; its own content does not matter any more */
void overflow(unsigned int nr)
{
	while (nr--)
		gpu_ring_lose(&ring);
}

void flush(u64 now)
{
	unit_clock = now;
	gpu_ledger_flush(&ledger, &ring, now);
}
