// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/refgpu/refgpu.N: the counter unit for tests, and faults.
 *
 *	state			what engines did so far
 *	jobs			hears of jobs while it is open; a line for each that ended:
 *				hw H engine E fence C:S submitted T started T ended T
 *				error E; ticks. The end of the file is what there is
 *	counters/size, period	for the next start; bytes, ticks (0: no period)
 *	counters/reports	runs the unit while it is open; to be read in whole
 *				reports; the end of the file is what there is by now
 *	counters/trigger	write: have a report of each engine written
 *	counters/status		the register; write: clear these bits
 *	fault/			numbers, see struct refgpu_oa_faults, and:
 *	fault/hang		that many jobs to come hang
 *
 * To unplug the device is not here: write its name to the driver's "unbind", in sysfs.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <drm/drm_drv.h>

#include "refgpu.h"

static struct dentry *debugfs_root;

static int state_show(struct seq_file *m, void *unused)
{
	struct refgpu_device *rdev = m->private;
	struct refgpu_engine engines[REFGPU_MAX_ENGINES];
	unsigned int i, k;
	unsigned long irq;
	u64 resets, lost, reports;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	for (i = 0; i < rdev->nr_rings; i++)
		engines[i] = rdev->rings[i].engine;
	resets = rdev->resets;
	lost = rdev->oa.lost;
	reports = rdev->oa.written;
	raw_spin_unlock_irqrestore(&rdev->lock, irq);

	for (i = 0; i < rdev->nr_rings; i++) {
		seq_printf(m, "%s changes %llu preemptions %llu counters",
			   rdev->rings[i].name, engines[i].changes,
			   engines[i].preemptions);
		for (k = 0; k < REFGPU_NR_COUNTERS; k++)
			seq_printf(m, " %llu", engines[i].counters.v[k]);
		seq_putc(m, '\n');
	}
	seq_printf(m, "resets %llu\nreports %llu\nlost %llu\njobs %d\n", resets, reports,
		   lost, atomic_read(&rdev->nr_jobs));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int reports_open(struct inode *inode, struct file *file)
{
	struct refgpu_device *rdev = inode->i_private;
	int ret;

	ret = refgpu_counters_acquire(rdev, rdev->oa_size);
	if (ret)
		return ret;
	ret = refgpu_counters_start(rdev, rdev->oa_period);
	if (ret) {
		refgpu_counters_release(rdev);
		return ret;
	}
	/* an open file may stay when the folder goes */
	drm_dev_get(&rdev->drm);
	file->private_data = rdev;
	return stream_open(inode, file);
}

static int reports_release(struct inode *inode, struct file *file)
{
	struct refgpu_device *rdev = file->private_data;

	refgpu_counters_release(rdev);
	drm_dev_put(&rdev->drm);
	return 0;
}

/* is it there, or given up because the next one is? */
static bool report_is_due(const struct refgpu_report *reports, u32 nr, u32 i, u32 end)
{
	u32 next = (i + 1) & (nr - 1);

	/* these pair with the unit's smp_store_release() */
	if (smp_load_acquire(&reports[i].sequence))
		return true;
	return next != end && READ_ONCE(reports[next].sequence);
}

static ssize_t reports_read(struct file *file, char __user *to, size_t bytes, loff_t *pos)
{
	struct refgpu_device *rdev = file->private_data;
	struct refgpu_report *reports, report;
	u32 size, end, nr, i;
	size_t done = 0;

	reports = refgpu_counters_buffer(rdev, &size);
	nr = size / sizeof(report);
	end = refgpu_counters_tail(rdev) / sizeof(report);
	i = refgpu_counters_head(rdev) / sizeof(report);

	while (i != end && done + sizeof(report) <= bytes &&
	       report_is_due(reports, nr, i, end)) {
		report = reports[i];
		if (copy_to_user(to + done, &report, sizeof(report)))
			return -EFAULT;
		memset(&reports[i], 0, sizeof(report));
		i = (i + 1) & (nr - 1);
		refgpu_counters_set_head(rdev, i * sizeof(report));
		done += sizeof(report);
	}
	return done;
}

static const struct file_operations reports_fops = {
	.owner = THIS_MODULE,
	.open = reports_open,
	.release = reports_release,
	.read = reports_read,
};

/* a job that has ended */
struct job_line {
	struct refgpu_job_info info;
	u64 submitted;
	u64 started;
	u64 ended;
	int error;
};

#define JOB_LINES	16384

/**
 * struct job_log - an open "jobs"
 * @listener:	hears of them
 * @rdev:	the device
 * @nr:		jobs in @lines, ended or not, in order of submission
 * @lost:	jobs that found no place there
 * @lines:	the jobs
 */
struct job_log {
	struct refgpu_listener listener;
	struct refgpu_device *rdev;
	unsigned int nr;
	unsigned int lost;
	struct job_line lines[JOB_LINES];
};

#define to_job_log(l)	container_of(l, struct job_log, listener)

/* the newest ones are the most likely to be asked for */
static struct job_line *job_log_find(struct job_log *log, const struct refgpu_job_info *info)
{
	unsigned int i = log->nr;

	while (i--)
		if (log->lines[i].info.fence_context == info->fence_context &&
		    log->lines[i].info.fence_seqno == info->fence_seqno)
			return &log->lines[i];
	return NULL;
}

static void job_log_submit(struct refgpu_listener *listener,
			   const struct refgpu_job_info *info, u64 ticks)
{
	struct job_log *log = to_job_log(listener);

	if (log->nr == JOB_LINES)
		log->lost++;
	else
		log->lines[log->nr++] = (struct job_line) {
			.info = *info,
			.submitted = ticks,
			.started = REFGPU_NEVER,
			.ended = REFGPU_NEVER,
		};
}

static void job_log_run(struct refgpu_listener *listener,
			const struct refgpu_job_info *info, u64 ticks)
{
	struct job_line *line = job_log_find(to_job_log(listener), info);

	if (line && line->started == REFGPU_NEVER)
		line->started = ticks;
}

static void job_log_end(struct refgpu_listener *listener,
			const struct refgpu_job_info *info, u64 started, u64 ticks,
			int error)
{
	struct job_line *line = job_log_find(to_job_log(listener), info);

	if (!line)
		return;
	/* never, if it was told otherwise: a reader will notice */
	if (line->started != started)
		line->started = REFGPU_NEVER;
	line->ended = ticks;
	line->error = error;
}

static const struct refgpu_job_ops job_log_ops = {
	.submit = job_log_submit,
	.run = job_log_run,
	.end = job_log_end,
};

static int jobs_show(struct seq_file *m, void *unused)
{
	struct job_log *log = m->private;
	struct refgpu_device *rdev = log->rdev;
	unsigned int nr, lost, i;
	unsigned long irq;

	raw_spin_lock_irqsave(&rdev->lock, irq);
	refgpu_hw_sync(rdev);
	refgpu_hw_kick(rdev);
	nr = log->nr;
	lost = log->lost;
	raw_spin_unlock_irqrestore(&rdev->lock, irq);

	for (i = 0; i < nr; i++) {
		const struct job_line *line = &log->lines[i];

		if (line->ended != REFGPU_NEVER)
			seq_printf(m, "hw %u engine %u fence %llu:%llu submitted %llu started %lld ended %llu error %d\n",
				   line->info.hw_id, line->info.engine,
				   line->info.fence_context, line->info.fence_seqno,
				   line->submitted, line->started, line->ended,
				   line->error);
	}
	seq_printf(m, "lost %u\n", lost);
	return 0;
}

static int jobs_open(struct inode *inode, struct file *file)
{
	struct refgpu_device *rdev = inode->i_private;
	struct job_log *log;
	int ret;

	log = vzalloc(sizeof(*log));
	if (!log)
		return -ENOMEM;
	log->rdev = rdev;
	log->listener.ops = &job_log_ops;
	ret = single_open(file, jobs_show, log);
	if (ret) {
		vfree(log);
		return ret;
	}
	drm_dev_get(&rdev->drm);
	refgpu_listen(rdev, &log->listener);
	return 0;
}

static int jobs_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct job_log *log = m->private;

	refgpu_unlisten(log->rdev, &log->listener);
	drm_dev_put(&log->rdev->drm);
	vfree(log);
	return single_release(inode, file);
}

static const struct file_operations jobs_fops = {
	.owner = THIS_MODULE,
	.open = jobs_open,
	.release = jobs_release,
	.read = seq_read,
	.llseek = seq_lseek,
};

static int trigger_set(void *data, u64 value)
{
	struct refgpu_device *rdev = data;

	refgpu_counters_trigger(rdev);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(trigger_fops, NULL, trigger_set, "%llu\n");

static int status_get(void *data, u64 *value)
{
	*value = refgpu_counters_status(data);
	return 0;
}

static int status_set(void *data, u64 value)
{
	refgpu_counters_clear_status(data, value);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(status_fops, status_get, status_set, "%llu\n");

static int burst_get(void *data, u64 *value)
{
	struct refgpu_device *rdev = data;

	*value = READ_ONCE(rdev->oa.faults.burst);
	return 0;
}

static int burst_set(void *data, u64 value)
{
	struct refgpu_device *rdev = data;

	return refgpu_oa_burst(&rdev->oa, value);
}
DEFINE_DEBUGFS_ATTRIBUTE(burst_fops, burst_get, burst_set, "%llu\n");

/**
 * refgpu_debugfs_init() - the folder of all devices
 */
void refgpu_debugfs_init(void)
{
	debugfs_root = debugfs_create_dir("refgpu", NULL);
}

/**
 * refgpu_debugfs_fini() - the mirror of refgpu_debugfs_init()
 */
void refgpu_debugfs_fini(void)
{
	debugfs_remove(debugfs_root);
}

/**
 * refgpu_debugfs_add() - the folder of a device
 * @rdev:	the device
 * @name:	of the folder
 */
void refgpu_debugfs_add(struct refgpu_device *rdev, const char *name)
{
	struct refgpu_oa_faults *faults = &rdev->oa.faults;
	struct dentry *dir;

	rdev->oa_size = 256 << 10;
	rdev->oa_period = NSEC_PER_MSEC / REFGPU_TICK_NS;

	rdev->debugfs = debugfs_create_dir(name, debugfs_root);
	debugfs_create_file("state", 0400, rdev->debugfs, rdev, &state_fops);
	debugfs_create_file("jobs", 0400, rdev->debugfs, rdev, &jobs_fops);

	dir = debugfs_create_dir("counters", rdev->debugfs);
	debugfs_create_u32("size", 0600, dir, &rdev->oa_size);
	debugfs_create_u32("period", 0600, dir, &rdev->oa_period);
	debugfs_create_file("reports", 0400, dir, rdev, &reports_fops);
	debugfs_create_file_unsafe("trigger", 0200, dir, rdev, &trigger_fops);
	debugfs_create_file_unsafe("status", 0600, dir, rdev, &status_fops);

	dir = debugfs_create_dir("fault", rdev->debugfs);
	debugfs_create_u32("torn", 0600, dir, &faults->torn);
	debugfs_create_file_unsafe("burst", 0600, dir, rdev, &burst_fops);
	debugfs_create_u32("late", 0600, dir, &faults->late);
	debugfs_create_u32("jump", 0600, dir, &faults->jump);
	debugfs_create_atomic_t("hang", 0600, dir, &rdev->hang);
}

/**
 * refgpu_debugfs_remove() - the mirror of refgpu_debugfs_add()
 * @rdev:	the device
 */
void refgpu_debugfs_remove(struct refgpu_device *rdev)
{
	debugfs_remove(rdev->debugfs);
}
