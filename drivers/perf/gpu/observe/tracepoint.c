// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of a module that may come and go, found by name.
 *
 * DRM drivers do not export their tracepoints. The tracepoint core tells of
 * each module that has some when it comes (and of those that are there
 * already, when one begins to listen) and when it goes: so the pointers are
 * known, and valid, without holding the module. Listening costs nothing; only
 * gpu_probes_attach() makes the tracepoints call.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

static void probes_drop(struct gpu_probes *probes, struct gpu_probe *probe)
{
	if (probes->attached)
		tracepoint_probe_unregister(probe->tp, probe->func, NULL);
	probe->tp = NULL;
}

static void probes_found(struct gpu_probes *probes, struct tracepoint *tp)
{
	unsigned int i;

	for (i = 0; i < probes->nr; i++) {
		struct gpu_probe *probe = &probes->probe[i];

		if (probe->tp || strcmp(tp->name, probe->name))
			continue;
		if (probes->attached &&
		    WARN_ON_ONCE(tracepoint_probe_register(tp, probe->func, NULL)))
			continue;
		probe->tp = tp;
	}
}

static int probes_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct gpu_probes *probes = container_of(nb, struct gpu_probes, nb);
	const struct tp_module *tp_mod = data;
	struct module *mod = tp_mod->mod;
	unsigned int i;

	if (strcmp(mod->name, probes->module))
		return NOTIFY_DONE;

	mutex_lock(&probes->lock);
	if (action == MODULE_STATE_COMING) {
		for (i = 0; i < mod->num_tracepoints; i++)
			probes_found(probes,
				     tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]));
	} else if (action == MODULE_STATE_GOING) {
		for (i = 0; i < probes->nr; i++)
			if (probes->probe[i].tp)
				probes_drop(probes, &probes->probe[i]);
	}
	mutex_unlock(&probes->lock);
	return NOTIFY_DONE;
}

static void probes_found_builtin(struct tracepoint *tp, void *data)
{
	probes_found(data, tp);
}

/**
 * gpu_probes_init() - begin to look out for the tracepoints
 * @probes:	with @module, @probe and @nr set
 *
 * Context: process, sleeps.
 * Return: 0 or a negative errno.
 */
int gpu_probes_init(struct gpu_probes *probes)
{
	mutex_init(&probes->lock);
	probes->attached = false;
	mutex_lock(&probes->lock);
	for_each_kernel_tracepoint(probes_found_builtin, probes);
	mutex_unlock(&probes->lock);
	probes->nb.notifier_call = probes_notify;
	return register_tracepoint_module_notifier(&probes->nb);
}

/**
 * gpu_probes_exit() - the mirror of gpu_probes_init()
 * @probes:	the tracepoints, detached
 */
void gpu_probes_exit(struct gpu_probes *probes)
{
	unregister_tracepoint_module_notifier(&probes->nb);
	mutex_destroy(&probes->lock);
}

/**
 * gpu_probes_attach() - have the probes called
 * @probes:	the tracepoints
 *
 * All, or none of them.
 *
 * Context: process, sleeps.
 * Return: 0, -EOPNOTSUPP a tracepoint does not exist, or why it cannot be probed.
 */
int gpu_probes_attach(struct gpu_probes *probes)
{
	struct gpu_probe *probe;
	unsigned int i;
	int err = 0;

	mutex_lock(&probes->lock);
	for (i = 0; i < probes->nr; i++) {
		probe = &probes->probe[i];
		err = -EOPNOTSUPP;
		if (probe->tp)
			err = tracepoint_probe_register(probe->tp, probe->func, NULL);
		if (err)
			goto err_registered;
	}
	probes->attached = true;
	mutex_unlock(&probes->lock);
	return 0;

err_registered:
	while (i--) {
		probe = &probes->probe[i];
		tracepoint_probe_unregister(probe->tp, probe->func, NULL);
	}
	mutex_unlock(&probes->lock);
	tracepoint_synchronize_unregister();
	return err;
}

/**
 * gpu_probes_detach() - have them not called, and wait until none is running
 * @probes:	the tracepoints, attached
 *
 * Context: process, sleeps.
 */
void gpu_probes_detach(struct gpu_probes *probes)
{
	unsigned int i;

	mutex_lock(&probes->lock);
	for (i = 0; i < probes->nr; i++)
		if (probes->probe[i].tp)
			tracepoint_probe_unregister(probes->probe[i].tp,
						    probes->probe[i].func, NULL);
	probes->attached = false;
	mutex_unlock(&probes->lock);
	tracepoint_synchronize_unregister();
}
