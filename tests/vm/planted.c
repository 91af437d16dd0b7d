// SPDX-License-Identifier: GPL-2.0
/*
 * A module that does wrong when it is loaded, for tests/vm/selftest: "bug" says what.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

static char *bug = "";
module_param(bug, charp, 0);

/* Named like a function of the stock kernel that is known to warn; in a module of ours. */
static noinline void drm_mm_takedown(void)
{
	WARN(1, "planted: as drm_mm_takedown\n");
}

static noinline void leak(void)
{
	/* nobody holds it */
	memset(kmalloc(4000, GFP_KERNEL), 0x5a, 4000);
}

static noinline void use_after_free(void)
{
	char *memory = kmalloc(100, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	kfree(memory);
	pr_info("planted: %d\n", READ_ONCE(memory[50]));
}

static noinline void lock_order(void)
{
	static DEFINE_MUTEX(first);
	static DEFINE_MUTEX(second);

	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

/* a reference to a module that nobody gives back */
static noinline void reference(void)
{
	if (!__symbol_get("gpu_pmu_device_register"))
		pr_err("planted: gpu_pmu is not there\n");
}

static int counter;

static int race(void *unused)
{
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		counter++;
		barrier();
		if (!(i % 64))
			cond_resched();
	}
	return 0;
}

static noinline void unmarked(void)
{
	struct task_struct *other = kthread_create(race, NULL, "planted");

	if (IS_ERR(other))
		return;
	get_task_struct(other);
	wake_up_process(other);
	race(NULL);
	kthread_stop(other);
	put_task_struct(other);
}

static const struct {
	const char *name;
	void (*plant)(void);
} bugs[] = {
	{ "warning", drm_mm_takedown },
	{ "leak", leak },
	{ "use-after-free", use_after_free },
	{ "lock-order", lock_order },
	{ "reference", reference },
	{ "data-race", unmarked },
};

static int __init planted_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		if (!strcmp(bug, bugs[i].name)) {
			bugs[i].plant();
			return 0;
		}
	return -EINVAL;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("Does wrong when loaded");
MODULE_LICENSE("GPL");
