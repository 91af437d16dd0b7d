// SPDX-License-Identifier: GPL-2.0
/*
 * A module that warns when it is loaded, for tests/vm/selftest.  The function's
 * name is one of tests/vm/known-warnings if known=1, which must not help.
 */
#include <linux/module.h>

static bool known;
module_param(known, bool, 0);

/* Named like the stock kernel's, in a module of ours. */
static noinline void drm_mm_takedown(void)
{
	WARN(1, "warn: as drm_mm_takedown\n");
}

static noinline void unknown_function(void)
{
	WARN(1, "warn: as nobody knows\n");
}

static int __init warn_init(void)
{
	if (known)
		drm_mm_takedown();
	else
		unknown_function();
	return 0;
}
module_init(warn_init);

static void __exit warn_exit(void)
{
}
module_exit(warn_exit);

MODULE_DESCRIPTION("Warns when loaded");
MODULE_LICENSE("GPL");
