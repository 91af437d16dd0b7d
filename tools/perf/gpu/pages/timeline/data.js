// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a timeline: what page.c has written, as arrays, and who belongs to whom.
 * All times are ns since the first sample; an index of -1 is nobody.
 */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/* each number of a column is the difference to the one before */
function running_sum(column)
{
	const sums = new Float64Array(column.length);
	let sum = 0;

	for (let i = 0; i < column.length; i++)
		sums[i] = sum += column[i];
	return sums;
}

/* each number is how long before @end that was; -1: it is not known */
function before(end, column)
{
	return Float64Array.from(column, (length, i) => length < 0 ? NaN : end[i] - length);
}

const subs = {
	nr: data.submissions.nr,
	time: running_sum(data.submissions.time),
	line: data.submissions.line,
	seqno: data.submissions.seqno,
	thread: Int32Array.from(data.submissions.thread),
	context: Int32Array.from(data.submissions.context),
	stack: Int32Array.from(data.submissions.stack),
	cpu: data.submissions.cpu,
};

const runs = {
	nr: data.runs.nr,
	end: running_sum(data.runs.end),
	busy: Float64Array.from(data.runs.busy),
	line: data.runs.line,
	seqno: data.runs.seqno,
	context: Int32Array.from(data.runs.context),
	sub: Int32Array.from(data.runs.submission),
	engine: Int32Array.from(data.runs.engine),
	earlier: Uint8Array.from(data.runs.earlier),
};
runs.begin = before(runs.end, data.runs.begin);
runs.submit = before(runs.end, data.runs.submit);
/* where it is drawn: if its begin is not known, the latest that it can be */
runs.from = runs.begin.map((begin, i) => Number.isNaN(begin) ? runs.end[i] - runs.busy[i] : begin);

const waits = {
	nr: data.waits.nr,
	end: running_sum(data.waits.end),
	line: data.waits.line,
	seqno: data.waits.seqno,
	thread: Int32Array.from(data.waits.thread),
	context: Int32Array.from(data.waits.context),
	sub: Int32Array.from(data.waits.submission),
	stack: Int32Array.from(data.waits.stack),
};
waits.begin = before(waits.end, data.waits.begin).map((begin, i) =>
	Number.isNaN(begin) ? waits.end[i] : begin);

/* of a submission: its job, and the first that waits for it; of a wait: the next one */
const run_of = new Int32Array(subs.nr).fill(-1);
const wait_of = new Int32Array(subs.nr).fill(-1);
const next_wait = new Int32Array(waits.nr).fill(-1);

for (let i = 0; i < runs.nr; i++) {
	const sub = runs.sub[i];

	if (sub < 0)
		continue;
	run_of[sub] = i;
	/* its sample is written by the task, which may have been held up on the way there */
	if (runs.submit[i] < subs.time[sub])
		subs.time[sub] = runs.submit[i];
}
for (let i = waits.nr - 1; i >= 0; i--) {
	const sub = waits.sub[i];

	if (sub >= 0) {
		next_wait[i] = wait_of[sub];
		wait_of[sub] = i;
	}
}

/* ---- names ---- */

const contexts = data.contexts, threads = data.threads;
const devices = [...new Set(contexts.map((context) => context.dev))].sort((a, b) => a - b);

/* a process is called as its first thread */
const process_names = new Map(threads.filter(({ pid, tid }) => pid === tid)
	.map(({ pid, comm }) => [pid, comm]));

for (const context of contexts) {
	const several = devices.length > 1 ? ` on renderD${context.dev}` : "";

	context.who = process_names.get(context.pid) || context.comm ||
		(context.pid || context.client !== "0" ? "process" : "kernel");
	if (context.pid)
		context.who += ` ${context.pid}`;
	context.what = context.ctx ? `context ${context.ctx}` : "";
	/* a program may have the device open several times */
	const clients = [...new Set(contexts.filter(({ pid, dev }) =>
		pid === context.pid && dev === context.dev).map(({ client }) => client))];

	if (clients.length > 1)
		context.what += `${context.what ? ", " : ""}client ${clients.indexOf(context.client) + 1}`;
	context.label = context.who + (context.what ? `, ${context.what}` : "") + several;
	context.hidden = false;
}

function device_label(dev)
{
	return dev ? `renderD${dev}` : "unknown device";
}

function engine_label(engine)
{
	return engine < 0 ? "no engine" : `engine ${engine}`;
}

function thread_label(thread)
{
	const { pid, tid, comm } = threads[thread];

	return `${comm || "?"} ${pid}` + (pid === tid ? "" : `, thread ${tid}`);
}

function fence_label(items, i)
{
	return items.line[i] < 0 ? "not known" : `${data.lines[items.line[i]][1]}:${items.seqno[i]}`;
}

/* function names of a stack, the innermost first */
function stack_names(stack)
{
	const names = [];

	for (; stack > 0; stack = data.callers[stack])
		names.push(data.names[data.frames[stack]]);
	return names;
}

/* ---- times ---- */

const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

function trim(text)
{
	return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function duration(ns)
{
	const size = Math.abs(ns);
	const [unit, scale] = units.find((entry) => size >= entry[1]) ?? units[3];

	return `${(ns / scale).toFixed(scale === 1 ? 0 : 3)} ${unit}`;
}

/* to the ns, since the first sample */
function moment(ns)
{
	return `${(ns / 1e9).toFixed(9)} s`;
}

/* ---- items: a kind and an index; the same job is shown by a track of its engine (run),
 * and by one of its context (job) ----
 */

const own = Int32Array.from({ length: subs.nr }, (_, i) => i);
const sub_stack = runs.sub.map((sub) => sub < 0 ? 0 : subs.stack[sub]);
const sub_thread = runs.sub.map((sub) => sub < 0 ? -1 : subs.thread[sub]);
const kinds = {
	run: {
		nr: runs.nr, begin: runs.from, end: runs.end, context: runs.context,
		stack: sub_stack, thread: sub_thread, sub: runs.sub, fences: runs,
	},
	sub: {
		nr: subs.nr, begin: subs.time, end: subs.time, context: subs.context,
		stack: subs.stack, thread: subs.thread, sub: own, fences: subs,
	},
	wait: {
		nr: waits.nr, begin: waits.begin, end: waits.end, context: waits.context,
		stack: waits.stack, thread: waits.thread, sub: waits.sub, fences: waits,
	},
};
kinds.job = {
	...kinds.run,
	begin: runs.from.map((from, i) => runs.submit[i] < from ? runs.submit[i] : from),
};

/* what belongs together: the submission, its job, and those that wait for it */
function related(item)
{
	const sub = kinds[item.kind].sub[item.id];
	const items = [item];

	if (item.kind === "job" || item.kind === "run")
		items.push({ kind: item.kind === "job" ? "run" : "job", id: item.id });
	if (sub < 0)
		return items;
	if (item.kind !== "sub")
		items.push({ kind: "sub", id: sub });
	if (run_of[sub] >= 0 && item.kind !== "run" && item.kind !== "job")
		items.push({ kind: "run", id: run_of[sub] }, { kind: "job", id: run_of[sub] });
	for (let wait = wait_of[sub]; wait >= 0; wait = next_wait[wait]) {
		if (item.kind !== "wait" || item.id !== wait)
			items.push({ kind: "wait", id: wait });
	}
	return items;
}

/* from the first to the last that there is to see */
const bounds = (() => {
	let min = Infinity, max = -Infinity;

	for (const { nr, begin, end } of Object.values(kinds)) {
		for (let i = 0; i < nr; i++) {
			min = Math.min(min, begin[i]);
			max = Math.max(max, end[i]);
		}
	}
	if (min === Infinity)
		return { min: 0, max: 1e6 };
	return { min, max: Math.max(max, min + 1e3) };
})();
