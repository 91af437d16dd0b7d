# SPDX-License-Identifier: GPL-2.0
# What tests/bench/tables prints, of lines "GPU<tab>row<tab>case<tab>instructions".
BEGIN {
	FS = "\t"
	none = "loaded, no event"
	absent = "module absent"
}
{
	cost[$1, $2, $3] = $4
}
function has(gpu, row, what)
{
	return (gpu, row, what) in cost && cost[gpu, row, what] ~ /^[0-9]+$/
}
# ".": it was not measured, as there is no such thing
function is(gpu, row, what)
{
	return has(gpu, row, what) ? cost[gpu, row, what] : "."
}
function more(gpu, row, what, than)
{
	if (!has(gpu, row, what) || !has(gpu, row, than))
		return "."
	return cost[gpu, row, what] - cost[gpu, row, than]
}
# in thousands
function thousands(value)
{
	return value == "." ? value : sprintf("%.0f", value / 1000)
}

# ---- tables, of cells that are kept until all are known ----

function start()
{
	nr_lines = nr_cells = 0
}
function cells(text,	parts, i)
{
	nr_cells = split(text, parts, "|")
	for (i = 1; i <= nr_cells; i++)
		cell[nr_lines, i] = parts[i]
	nr_lines++
}
function rule(width,	i, k, text)
{
	for (i = 1; i <= nr_cells; i++) {
		for (k = 0; k < width[i]; k++)
			text = text "="
		text = text (i < nr_cells ? "  " : "")
	}
	print text
}
# the first line is the head; the first column is text, and the others are numbers
function show(	width, i, n, text)
{
	for (n = 0; n < nr_lines; n++)
		for (i = 1; i <= nr_cells; i++)
			if (length(cell[n, i]) > width[i])
				width[i] = length(cell[n, i])
	rule(width)
	for (n = 0; n < nr_lines; n++) {
		text = sprintf("%-" width[1] "s", cell[n, 1])
		for (i = 2; i <= nr_cells; i++)
			text = text sprintf("  %" width[i] "s", cell[n, i])
		sub(/ +$/, "", text)
		print text
		if (!n)
			rule(width)
	}
	rule(width)
	print ""
}

# ---- tables of both GPUs, and a peer on each ----

function pair(name, row, what, peer)
{
	cells(name "|" (what ? more("refgpu", row, what, none) : "") "|" \
	      (what ? more("virtio", row, what, none) : "") "|" \
	      (peer ? more("refgpu", row, peer, none) : "") "|" \
	      (peer ? more("virtio", row, peer, none) : ""))
}
function pairs(name, row)
{
	start()
	cells(name "|refgpu|virtio-gpu|peer, refgpu|peer, virtio")
	if (has("refgpu", row, absent))
		cells("module loaded, no event (against no module)|" more("refgpu", row, none, absent) \
		      "|" more("virtio", row, none, absent) "||")
}
function submissions(	row, n, i)
{
	row = "a submission"
	pairs(row, row)
	pair("counted once: ``perf stat -e gpu/jobs/``", row, "perf stat, jobs",
	     "  perf stat, tracepoint")
	pair("``gpu-busy`` of the task", row, "gpu-busy of the task, 1")
	pair("``gpu-busy`` of the device", row, "gpu-busy of the device, 1")
	pair("``gpu-busy`` of the context", row, "gpu-busy of the context, 1")
	split("8 64", n, " ")
	for (i = 1; i <= 2; i++) {
		pair(n[i] " of ``jobs`` of the task", row, "jobs of the task, " n[i],
		     "  a tracepoint of the task, " n[i])
		pair(n[i] " of ``gpu-busy`` of the task", row, "gpu-busy of the task, " n[i])
	}
	pair("64 of the device", row, "gpu-busy of the device, 64")
	pair("64 of the context", row, "gpu-busy of the context, 64")
	pair("64 of another context", row, "of another context, 64")
	pair("64 of another task", row, "of another task, 64")
	pair("64 of another engine: ``jobs``", row, "jobs of another engine, 64")
	pair("64 of another engine: ``gpu-busy``", row, "of another engine, 64")
	pair("sampled: ``perf record -e gpu/jobs/``", row, "perf record, jobs",
	     "  perf record, tracepoint")
	pair("the same with a stack by frame pointers", row, "perf record, jobs, fp",
	     "  perf record, tracepoint, fp")
	pair("the same with a stack by dwarf", row, "perf record, jobs, dwarf",
	     "  perf record, tracepoint, dwarf")
	pair("``bpftrace``, a count by key", row, "", "  bpftrace, count by key")
	pair("``trace-cmd record``", row, "", "  trace-cmd")
	show()
}
function completions(	row)
{
	row = "a completion"
	pairs(row, row)
	pair("counted: ``jobs-done`` of the task", row, "jobs-done of the task",
	     "  a tracepoint, on the CPU")
	pair("64 of ``gpu-busy`` of the task", row, "gpu-busy of the task, 64")
	pair("``perf stat -a``", row, "perf stat -a, jobs-done", "  perf stat -a, tracepoint")
	pair("``perf record -a``, sampled in the flush", row, "perf record -a, jobs-done",
	     "  perf record -a, tracepoint")
	pair("``bpftrace``, a count by key", row, "", "  bpftrace, count by key")
	pair("``trace-cmd record``", row, "", "  trace-cmd")
	show()
}
function all_in(	row, n, i)
{
	row = "a job, all in"
	pairs(row, row)
	pair("counted: ``perf stat -a``; both tracepoints", row, "perf stat -a, jobs-done",
	     "  perf stat -a, both tracepoints")
	split("1 64", n, " ")
	for (i = 1; i <= 2; i++) {
		pair(n[i] " of ``gpu-busy`` of the device", row, "gpu-busy of the device, " n[i])
		pair(n[i] " of ``gpu-busy`` of the task", row, "gpu-busy of the task, " n[i])
	}
	pair("sampled: ``perf record -a``; both tracepoints", row, "perf record -a, jobs-done",
	     "  perf record -a, both tracepoints")
	row = "the same time without a job"
	pair("of it, without a job: ``gpu-busy`` of the device", row, "gpu-busy of the device, 1")
	pair("of it, without a job: ``gpu-busy`` of the task", row, "gpu-busy of the task, 1")
	pair("of it, without a job: ``perf stat -a``", row, "perf stat -a, jobs-done")
	pair("of it, without a job: ``perf record -a``", row, "perf record -a, jobs-done")
	show()
}
function waits(	row, n, i)
{
	row = "a wait"
	pairs("a wait: to block, and to go on", row)
	split("1 8 64", n, " ")
	for (i = 1; i <= 3; i++) {
		pair(n[i] " of ``jobs``; a tracepoint elsewhere", row, "jobs of the task, " n[i],
		     "  a tracepoint elsewhere, " n[i])
		pair(n[i] " of ``gpu-busy`` of the task", row, "gpu-busy of the task, " n[i])
	}
	pair("``waits``; the tracepoints of begin and end", row, "waits", "  wait_start and wait_end")
	pair("``perf stat -e dma_fence_wait_end``", row, "", "  perf stat, wait_end")
	pair("``perf record -e gpu/waits/``", row, "perf record, waits", "  perf record, wait_end")
	pair("``bpftrace``, a count by key", row, "", "  bpftrace, count by key")
	pair("``trace-cmd record``", row, "", "  trace-cmd")
	show()
}

# ---- others, on refgpu ----

function call(name, row, before, what, after, than)
{
	cells(name "|" one_call(row, before, what, "gpu-busy", after, than) "|" \
	      one_call(row, before, what, "  a tracepoint", after, than) "|" \
	      one_call(row, before, what, "  task-clock", after, than) "|" \
	      one_call(row, before, what, "  context-switches", after, than))
}
function one_call(row, before, what, event, after, than,	of)
{
	if (before)
		event = (event ~ /^ / ? "  " : "") before substr(event, event ~ /^ / ? 3 : 1)
	of = event after
	return than ? more("refgpu", row, of, than) : is("refgpu", row, of)
}
function calls(	op, i)
{
	start()
	cells("a call|an event of us|tracepoint|task-clock|context-switches")
	call("read()", "read()")
	call("read() of a group of 8", "read() of a group of 8")
	split("open close", op, " ")
	for (i = 1; i <= 2; i++) {
		call(op[i] ", the only event", op[i] " an event", "", "", ", the only one")
		call(op[i] ", beside one", op[i] " an event", "", "", ", beside one")
		cells(op[i] ", a context's event beside 250 others|" \
		      is("refgpu", op[i] " an event", "gpu-busy of a context, beside 250") "|||")
	}
	call("a child that inherits 8, from fork to its end", "a child, from fork to its end",
	     "inherits ", "", ", 8", "no event")
	show()
}
function refresh(name, what,	nr, i, text, indent)
{
	split("1 100 1000 4096", nr, " ")
	indent = what == "fdinfo" ? "  " : ""
	for (i = 1; i <= 4; i++)
		text = text "|" thousands(is("refgpu", "a refresh of all clients",
				     indent nr[i] " clients, " what))
	cells(name text)
}
function refreshes()
{
	start()
	cells("a refresh of all clients, in thousands|1 client|100 clients|1000|4096")
	refresh("``/dev/gpu_pmu``, two events", "/dev/gpu_pmu")
	refresh("their fdinfo: open, read, close", "fdinfo")
	refresh("``perf gpu top`` in a terminal of 50 lines", "perf gpu top, in a terminal")
	refresh("``perf gpu top -n``: all lines", "perf gpu top -n, all lines")
	refresh("``perf gpu stat -a --per-client -I 1000``", "perf gpu stat -I")
	show()
}
function flush(name, row, before, divisor,	nr, i, text, last)
{
	split("0 1 100 1000 10000", nr, " ")
	for (i = 1; i <= 5; i++)
		text = text "|" is("refgpu", row, before nr[i] " records")
	last = more("refgpu", row, before "10000 records", before "1000 records")
	cells(name text "|" (last == "." ? last : sprintf("%.0f", last / 9000)))
}
function flushes()
{
	start()
	cells("a flush, in portions, all together|0|1|100|1000|10000|each")
	flush("records, jobs one after the other", "a flush, by records", "")
	flush("records, thousands of jobs outstanding", "a flush, by records of a burst", "")
	flush("their memcpy", "a flush, by records", "  memcpy of ")
	show()
}
END {
	printf "A submission itself takes %s on refgpu and %s on virtio-gpu.\n\n",
	       is("refgpu", "a submission", none), is("virtio", "a submission", none)
	submissions()
	completions()
	all_in()
	waits()
	calls()
	refreshes()
	flushes()
}
