# SPDX-License-Identifier: GPL-2.0
# What must hold, of lines as for table.awk: who is above a limit fails. Some are not reached
# on a kernel (series); what it is there is in missed[], with a little room, and may be no more.
BEGIN {
	FS = "\t"
	missed["6.12", "a record in a flush: 3 times its memcpy"] = 330
	missed["6.12", "4096 clients of perf gpu top, in a terminal: the same"] = 50e6
	missed["6.12", "read() of a group of 8: the same"] = 2260
	# the flush is in it, and its timer, which runs 200 times a second
	missed["6.12", "all in, counted: as both tracepoints, refgpu"] = 2750
	missed["6.12", "all in, counted: as both tracepoints, virtio"] = 3000
	missed["6.12", "all in, recorded: 1.1 times both tracepoints, virtio"] = 4800
	missed["6.12", "a flush of 4096 contexts, 1 events, a report each 1000 us"] = 290e3
	missed["6.1", "read() of a group of 8: the same"] = 2235
	missed["6.1", "a record in a flush: 3 times its memcpy"] = 330
	missed["6.1", "4096 clients of perf gpu top, in a terminal: the same"] = 50e6
	missed["6.1", "perf stat, jobs: as perf stat of a tracepoint, virtio"] = 435
	missed["6.1", "perf record, jobs: 1.1 times that of a tracepoint, refgpu"] = 1780
	missed["6.1", "perf record, jobs: 1.1 times that of a tracepoint, virtio"] = 1800
}
$1 == "new" {
	cost[$2, $3, $4] = $5
	nr_reports[$3, $4] = $6
	if ($3 == "a flush, by contexts and events")
		flushes[++nr_flushes] = $4
}
function of(gpu, row, what)
{
	if (!((gpu, row, what) in cost) || cost[gpu, row, what] !~ /^[0-9]+$/) {
		printf "  NOT MEASURED  %s, %s, %s\n", gpu, row, what
		bad = 1
		return 0
	}
	return cost[gpu, row, what]
}
function more(gpu, row, what)
{
	return of(gpu, row, what) - of(gpu, row, "loaded, no event")
}
# what a report costs: between two periods, in a row of cases that are named so
function report(row, name, from, to,	few, many)
{
	from = name "a report each " from " us"
	to = name "a report each " to " us"
	few = of("refgpu", row, from)
	many = of("refgpu", row, to)
	if (nr_reports[row, to] <= nr_reports[row, from]) {
		printf "  NOT MEASURED  %s: %d reports, and %d\n", row, nr_reports[row, from],
		       nr_reports[row, to]
		bad = 1
		return 0
	}
	return (many - few) / (nr_reports[row, to] - nr_reports[row, from])
}
# of how much longer a time a flush was
function longer(what, than)
{
	if (!nr_reports[flush, than])
		return 0
	return nr_reports[flush, what] / nr_reports[flush, than]
}
# what 1023 events more cost
function events(contexts,	reports)
{
	reports = " events, a report each 1000 us"
	contexts = contexts " contexts, "
	return of("refgpu", flush, contexts 1024 reports) - of("refgpu", flush, contexts 1 reports)
}
function limit(name, value, most,	known)
{
	known = (series, name) in missed ? missed[series, name] : most
	if (known < most)
		known = most
	printf "  %-6s %-66s %10.1f %12.1f %12s\n",
	       value <= most ? "ok" : value <= known ? "misses" : "FAILS", name, value, most,
	       (known > most) ? sprintf("%.1f", known) : ""
	if (value > known)
		bad = 1
}
END {
	printf "%-75s %10s %12s %12s\n", "What is aimed at", "it is", "at most", "today below"
	submit = "a submission"
	done = "a completion"
	job = "a job, all in"
	limit("loaded and idle, a submission: more than without, virtio",
	      0 - more("virtio", submit, "module absent"), 0)
	limit("loaded and idle, a completion: more than without, virtio",
	      0 - more("virtio", done, "module absent"), 0)
	limit("loaded and idle, a submission: more than without, refgpu",
	      0 - more("refgpu", submit, "module absent"), 0)
	limit("loaded and idle, a completion: more than without, refgpu",
	      0 - more("refgpu", done, "module absent"), 0)
	split("refgpu virtio", gpus, " ")
	for (i = 1; i <= 2; i++) {
		gpu = gpus[i]
		one = more(gpu, submit, "perf stat, jobs")
		limit("perf stat, jobs: as perf stat of a tracepoint, " gpu, one,
		      more(gpu, submit, "  perf stat, tracepoint"))
		limit("a completion: as a tracepoint that is counted, " gpu,
		      more(gpu, done, "jobs-done of the task"),
		      more(gpu, done, "  a tracepoint, on the CPU"))
		limit("all in, counted: as both tracepoints, " gpu,
		      more(gpu, job, "perf stat -a, jobs-done"),
		      more(gpu, job, "  perf stat -a, both tracepoints"))
		limit("all in, recorded: 1.1 times both tracepoints, " gpu,
		      more(gpu, job, "perf record -a, jobs-done"),
		      1.1 * more(gpu, job, "  perf record -a, both tracepoints"))
		limit("64 events of another context: twice one, " gpu,
		      more(gpu, submit, "of another context, 64"), 2 * one)
		limit("64 events of another task: twice one, " gpu,
		      more(gpu, submit, "of another task, 64"), 2 * one)
		if (gpu == "refgpu")
			limit("64 events of another engine: twice one",
			      more(gpu, submit, "jobs of another engine, 64"), 2 * one)
		limit("perf record, jobs: 1.1 times that of a tracepoint, " gpu,
		      more(gpu, submit, "perf record, jobs"),
		      1.1 * more(gpu, submit, "  perf record, tracepoint"))
		limit("the same with a user stack by dwarf, " gpu,
		      more(gpu, submit, "perf record, jobs, dwarf"),
		      1.1 * more(gpu, submit, "  perf record, tracepoint, dwarf"))
	}
	# the cheapest of perf's own
	limit("read() of an event: as one of context-switches", of("refgpu", "read()", "gpu-busy"),
	      of("refgpu", "read()", "  context-switches"))
	limit("read() of a group of 8: the same",
	      of("refgpu", "read() of a group of 8", "gpu-busy"),
	      of("refgpu", "read() of a group of 8", "  context-switches"))
	row = "a flush, by records"
	few = (of("refgpu", row, "1000 records") - of("refgpu", row, "100 records")) / 900
	each = (of("refgpu", row, "10000 records") - of("refgpu", row, "1000 records")) / 9000
	copy = of("refgpu", row, "  memcpy of 10000 records") / 10000
	limit("a record in a flush: 3 times its memcpy", each, 3 * copy)
	limit("a record of 10000: as one of 1000, and a tenth", each, 1.1 * few)
	row = "a refresh of all clients"
	limit("4096 clients of /dev/gpu_pmu: a tenth of their fdinfo",
	      of("refgpu", row, "4096 clients, /dev/gpu_pmu"),
	      of("refgpu", row, "  4096 clients, fdinfo") / 10)
	# the table says why, if it was not measured
	top = cost["refgpu", row, "4096 clients, perf gpu top, in a terminal"]
	if (top ~ /^[0-9]+$/)
		limit("4096 clients of perf gpu top, in a terminal: the same", top,
		      of("refgpu", row, "  4096 clients, fdinfo") / 10)
	# it grows with reports, as much for the last of them as for the first
	row = "a flush, by reports of the hardware"
	flush = "a flush, by contexts and events"
	each = report(row, "", 1000, 20)
	limit("a report of the hardware, in a flush", each, 400)
	limit("one of 10000: as one of 2000, and a tenth", report(row, "", 100, 20),
	      1.1 * report(row, "", 1000, 100))
	limit("one with 4096 contexts, 1024 events: as with 1 and 1, and a tenth",
	      report(flush, "4096 contexts, 1024 events, ", 1000, 20), 1.1 * each)
	# and not with contexts times events
	limit("1023 events more, with 4096 contexts: as with 1, and a tenth", events(4096),
	      1.1 * events(1))
	# contexts that did nothing must not change it; a flush that had more reports was of a
	# longer time
	for (i = 1; i <= nr_flushes; i++) {
		what = flushes[i]
		if (what ~ /^1 contexts, / || what in was)
			continue
		was[what]
		alone = what
		sub(/^[0-9]+ contexts, /, "1 contexts, ", alone)
		if (("refgpu", flush, alone) in cost)
			limit("a flush of " what, of("refgpu", flush, what),
			      of("refgpu", flush, alone) * longer(what, alone) * 1.1)
	}
	exit bad
}
