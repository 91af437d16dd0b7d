// SPDX-License-Identifier: GPL-2.0
/*
 * What the user does: pan and zoom, select, search, hide contexts.
 */

const $ = (id) => document.getElementById(id);
const canvas = $("canvas");
const picture = new Picture(canvas);
const NARROWEST = 20;	/* ns */
const CLICK = 4;	/* pixels that a click may move */

let frame = 0;

function redraw()
{
	frame ||= requestAnimationFrame(() => {
		frame = 0;
		picture.draw();
	});
}

function make(name, properties, ...children)
{
	const node = Object.assign(document.createElement(name), properties);

	node.append(...children);
	return node;
}

function count(nr, what)
{
	return `${nr.toLocaleString("en")} ${what}${nr === 1 ? "" : "s"}`;
}

/* ---- the part of the time that is seen ---- */

function look(from, to)
{
	const all = bounds.max - bounds.min, spare = all * .02;

	if (from === -Infinity) {
		from = bounds.min - spare;
		to = bounds.max + spare;
	}
	const span = Math.min(Math.max(to - from, NARROWEST), all + 2 * spare);
	const middle = (from + to) / 2;
	const left = Math.min(Math.max(middle - span / 2, bounds.min - spare), bounds.max + spare - span);

	picture.view.from = left;
	picture.view.to = left + span;
	redraw();
}

function zoom(factor, x)
{
	const { from, to } = picture.view;
	const at = x !== undefined && x >= GUTTER ? picture.time(x) : (from + to) / 2;

	look(at - (at - from) * factor, at + (to - at) * factor);
}

function pan(share)
{
	const { from, to } = picture.view, by = (to - from) * share;

	look(from + by, to + by);
}

function scroll(by)
{
	const most = Math.max(0, picture.tracks_height - (picture.height - AXIS));

	picture.view.scroll = Math.min(Math.max(picture.view.scroll + by, 0), most);
	redraw();
}

function show_all()
{
	look(-Infinity, Infinity);
}

/* so that it is in sight; in the middle if it was not */
function reveal(item)
{
	const { begin, end } = kinds[item.kind], at = picture.lane_of[item.kind][item.id];
	const { from, to } = picture.view, margin = (to - from) * .05;

	if (begin[item.id] < from + margin || end[item.id] > to - margin) {
		const span = Math.max(to - from, (end[item.id] - begin[item.id]) * 1.2);
		const middle = (begin[item.id] + end[item.id]) / 2;

		look(middle - span / 2, middle + span / 2);
	}
	if (at) {
		const top = at[0].y - picture.view.scroll;

		if (top < 0 || top + at[0].height > picture.height - AXIS)
			scroll(top - (picture.height - AXIS - at[0].height) / 2);
	}
}

function zoom_to_selected()
{
	let from = Infinity, to = -Infinity;

	for (const { kind, id } of picture.selected) {
		from = Math.min(from, kinds[kind].begin[id]);
		to = Math.max(to, kinds[kind].end[id]);
	}
	if (to >= from)
		look(from - (to - from) * .15 - 50, to + (to - from) * .15 + 50);
}

/* ---- details ---- */

function run_rows(run)
{
	const begin = runs.begin[run], submit = runs.submit[run], rows = [];
	const ran = runs.end[run] - begin, busy = runs.busy[run], sub = runs.sub[run];

	rows.push(["Engine", `${device_label(contexts[runs.context[run]].dev)}, ${engine_label(runs.engine[run])}`]);
	if (!Number.isNaN(submit))
		rows.push(["Submitted", moment(submit) + (sub >= 0 ? ` by ${thread_label(subs.thread[sub])}` : "") +
			   (runs.earlier[run] ? " (before the record began)" : "")]);
	rows.push(["Began", Number.isNaN(begin) ? "not known" :
		   moment(begin) + (Number.isNaN(submit) ? "" : `, ${duration(begin - submit)} later`)]);
	rows.push(["Ended", moment(runs.end[run]) + (Number.isNaN(begin) ? "" : `, ${duration(ran)} later`)]);
	rows.push(["Engine busy with it", duration(busy) + (busy < ran ?
		   `, ${(100 * busy / ran).toFixed(1)} % of that: it was preempted, or behind other work` : "")]);
	return rows;
}

function waiter_rows(sub)
{
	const rows = [];

	for (let wait = wait_of[sub]; wait >= 0 && rows.length < 8; wait = next_wait[wait])
		rows.push(["Waited for by", `${thread_label(waits.thread[wait])}, ` +
			   duration(waits.end[wait] - waits.begin[wait])]);
	return rows;
}

function wait_rows(wait)
{
	const sub = waits.sub[wait], run = sub < 0 ? -1 : run_of[sub];
	const rows = [
		["Began", moment(waits.begin[wait])],
		["Ended", `${moment(waits.end[wait])}, ${duration(waits.end[wait] - waits.begin[wait])} later`],
	];

	if (run >= 0) {
		const late = waits.end[wait] - runs.end[run];

		rows.push(["Job ended", `${moment(runs.end[run])}, ${duration(late)} ` +
			   (late < 0 ? "after the wait" : "before the wait did")]);
	}
	return rows;
}

const titles = {
	run: (id) => `Job of ${contexts[runs.context[id]].label}`,
	job: (id) => `Job of ${contexts[runs.context[id]].label}`,
	sub: (id) => `Submission by ${thread_label(subs.thread[id])}`,
	wait: (id) => `${thread_label(waits.thread[id])} waits for the GPU`,
};

function detail_rows({ kind, id })
{
	const { fences, context, sub } = kinds[kind];
	const rows = [["Fence", fence_label(fences, id)]];

	if (kind === "sub")
		rows.push(["Submitted", moment(subs.time[id]) + (subs.cpu[id] >= 0 ? ` on CPU ${subs.cpu[id]}` : "")]);
	if (kind === "wait")
		rows.push(...wait_rows(id));
	if (kind !== "run" && kind !== "job" && context[id] >= 0)
		rows.push(["Context", contexts[context[id]].label]);
	if (kind === "run" || kind === "job")
		rows.push(...run_rows(id));
	else if (kind === "sub" && run_of[id] >= 0)
		rows.push(...run_rows(run_of[id]));
	else if (kind === "sub")
		rows.push(["Ended", "not in this record"]);
	if (kind !== "wait" && sub[id] >= 0)
		rows.push(...waiter_rows(sub[id]));
	return rows;
}

function show_details(item)
{
	const panel = $("panel");

	panel.replaceChildren();
	panel.classList.toggle("empty", !item);
	if (!item) {
		panel.append(make("p", { className: "hint", textContent:
			"Click on a run, a wait or a submission to see its times and its stack. " +
			"Drag to go along; turn the wheel to zoom. Press ? for the keys." }));
		return;
	}
	const colour = make("i");
	const table = make("table");
	const list = make("ol");
	const stack = stack_names(kinds[item.kind].stack[item.id]);

	colour.style.background = colour_of(kinds[item.kind].context[item.id]);
	for (const [name, value] of detail_rows(item))
		table.append(make("tr", {}, make("th", { textContent: name }), make("td", { textContent: value })));
	for (const name of stack)
		list.append(make("li", { textContent: name, className: found.regexp?.test(name) ? "hit" : "" }));
	panel.append(make("div", {}, make("h2", {}, colour, titles[item.kind](item.id)), table),
		     make("div", {}, make("h2", { textContent: item.kind === "wait" ? "Waits in" : "Submitted from" }),
			  stack.length ? list : make("p", { className: "hint", textContent: "No stack in this record." })));
	panel.scrollTop = 0;
}

function select(item)
{
	picture.selected = item ? related(item) : [];
	show_details(item);
	redraw();
}

/* the item before (-1) or after (1) the selected one */
function step_selected(by)
{
	const [item] = picture.selected, at = item && picture.lane_of[item.kind][item.id];

	if (!at)
		return;
	const lane = at[1], id = lane.id[lane.id.indexOf(item.id) + by];

	if (id !== undefined) {
		select({ kind: item.kind, id });
		reveal({ kind: item.kind, id });
	}
}

/* ---- search ---- */

const found = { regexp: null, items: [], at: -1 };

function pattern(text)
{
	try {
		return new RegExp(text, "i");
	} catch {
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
	}
}

/* of each stack: has it such a function? A caller has a lower number. */
function match_stacks(regexp)
{
	const name = data.names.map((text) => regexp.test(text));
	const stack = new Uint8Array(data.callers.length);

	for (let i = 1; i < stack.length; i++)
		stack[i] = name[data.frames[i]] || stack[data.callers[i]];
	return stack;
}

function search(text)
{
	const hits = { run: null, job: null, sub: null, wait: null };

	found.regexp = text ? pattern(text) : null;
	found.items = [];
	found.at = -1;
	if (!text) {
		picture.set_hits(null);
		show_found();
		return;
	}
	const in_stack = match_stacks(found.regexp);
	const in_context = contexts.map((context) => found.regexp.test(context.label));
	const in_thread = threads.map((_, i) => found.regexp.test(thread_label(i)));
	const fence = /^\d+(:\d+)?$/.test(text) ? text : null;

	for (const kind of ["run", "sub", "wait"]) {
		const { nr, stack, context, thread, fences } = kinds[kind];

		hits[kind] = new Uint8Array(nr);
		for (let i = 0; i < nr; i++) {
			const hit = in_stack[Math.max(stack[i], 0)] ||
				(context[i] >= 0 && in_context[context[i]]) ||
				(thread[i] >= 0 && in_thread[thread[i]]) ||
				(fence && (fence === String(fences.seqno[i]) ||
					   fence === fence_label(fences, i)));

			hits[kind][i] = hit ? 1 : 0;
			if (hit)
				found.items.push({ kind, id: i });
		}
	}
	hits.job = hits.run;
	found.items.sort((a, b) => kinds[a.kind].begin[a.id] - kinds[b.kind].begin[b.id]);
	picture.set_hits(hits);
	show_found();
}

function show_found()
{
	const nr = found.items.length;

	$("matches").textContent = !found.regexp ? "" : !nr ? "not found" :
		found.at < 0 ? `${nr.toLocaleString("en")} found` :
		`${(found.at + 1).toLocaleString("en")} of ${nr.toLocaleString("en")}`;
	$("previous").disabled = $("next").disabled = !nr;
	redraw();
}

function step_found(by)
{
	const nr = found.items.length;

	/* what is hidden is passed over */
	for (let tried = 0; tried < nr; tried++) {
		found.at = found.at < 0 ? (by > 0 ? 0 : nr - 1) : (found.at + by + nr) % nr;
		const item = found.items[found.at];

		if (!picture.lane_of[item.kind][item.id])
			continue;
		select(item);
		reveal(item);
		break;
	}
	show_found();
}

/* ---- pointer ---- */

let drag = null;

function tip_text(item)
{
	const { begin, end, sub } = kinds[item.kind], { kind, id } = item;
	const lines = [titles[kind](id)];

	if (kind === "run" || kind === "job") {
		const ran = runs.end[id] - runs.begin[id];

		lines.push(Number.isNaN(ran) ? "runs: it is not known since when" : `runs ${duration(ran)}`);
		if (runs.begin[id] >= runs.submit[id])
			lines.push(`queued ${duration(runs.begin[id] - runs.submit[id])}`);
		if (runs.busy[id] < ran)
			lines.push(`engine busy with it ${duration(runs.busy[id])}: preempted, or behind other work`);
	} else if (kind === "wait") {
		lines.push(duration(end[id] - begin[id]));
	} else if (sub[id] >= 0 && run_of[sub[id]] < 0) {
		lines.push("its end is not in this record");
	}
	const stack = stack_names(kinds[kind].stack[id]);

	if (stack.length)
		lines.push((kind === "wait" ? "in " : "from ") + stack.slice(0, 4).join(" ← ") +
			   (stack.length > 4 ? " ← …" : ""));
	return lines.join("\n");
}

function show_tip(item, x, y)
{
	const tip = $("tip");

	tip.hidden = !item;
	if (!item)
		return;
	tip.textContent = tip_text(item);
	tip.style.left = `${Math.max(4, Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
	tip.style.top = `${y + 18 + tip.offsetHeight < window.innerHeight ? y + 18 : y - tip.offsetHeight - 12}px`;
}

function at_pointer(event)
{
	const box = canvas.getBoundingClientRect();

	return { x: event.clientX - box.left, y: event.clientY - box.top };
}

canvas.addEventListener("pointerdown", (event) => {
	if (event.button !== 0)
		return;
	drag = { ...at_pointer(event), ...picture.view, moved: false };
	canvas.setPointerCapture(event.pointerId);
	canvas.focus({ preventScroll: true });
});

canvas.addEventListener("pointermove", (event) => {
	const { x, y } = at_pointer(event);

	picture.pointer = { x, y };
	if (drag) {
		drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > CLICK;
		if (drag.moved) {
			const by = (drag.x - x) / (picture.width - GUTTER) * (drag.to - drag.from);

			show_tip(null);
			canvas.style.cursor = "grabbing";
			look(drag.from + by, drag.to + by);
			scroll(drag.scroll + drag.y - y - picture.view.scroll);
		}
	} else {
		picture.hovered = picture.find(x, y);
		canvas.style.cursor = picture.hovered ? "pointer" : "default";
		show_tip(picture.hovered, event.clientX, event.clientY);
	}
	redraw();
});

canvas.addEventListener("pointerup", (event) => {
	const { x, y } = at_pointer(event);

	if (drag && !drag.moved)
		select(picture.find(x, y));
	drag = null;
	canvas.style.cursor = "default";
});

canvas.addEventListener("pointercancel", () => {
	drag = null;
});

canvas.addEventListener("pointerleave", () => {
	picture.pointer = picture.hovered = null;
	show_tip(null);
	redraw();
});

canvas.addEventListener("wheel", (event) => {
	const { x } = at_pointer(event), lines = event.deltaMode === 1 ? 20 : 1;
	const across = event.deltaX * lines, down = event.deltaY * lines;

	event.preventDefault();
	if (x < GUTTER)
		scroll(down);
	else if (event.shiftKey || Math.abs(across) > Math.abs(down))
		pan((across || down) / (picture.width - GUTTER));
	else
		zoom(Math.exp(Math.min(Math.max(down, -200), 200) * .002), x);
}, { passive: false });

/* ---- keys ---- */

const at_hand = () => picture.pointer?.x;
const keys = {
	w: () => zoom(.8, at_hand()), "+": () => zoom(.8, at_hand()), "=": () => zoom(.8, at_hand()),
	s: () => zoom(1.25, at_hand()), "-": () => zoom(1.25, at_hand()),
	a: () => pan(-.1), ArrowLeft: () => pan(-.1),
	d: () => pan(.1), ArrowRight: () => pan(.1),
	ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40),
	PageUp: () => scroll(-picture.height / 2), PageDown: () => scroll(picture.height / 2),
	0: show_all, Home: show_all,
	f: zoom_to_selected,
	",": () => step_selected(-1), ".": () => step_selected(1),
	n: () => step_found(1), N: () => step_found(-1),
	"/": () => $("search").select(),
	"?": () => $("keys").showModal(),
	Escape: clear,
};

function clear()
{
	if (picture.selected.length) {
		select(null);
	} else {
		$("search").value = "";
		search("");
	}
}

document.addEventListener("keydown", (event) => {
	const typing = event.target === $("search"), { key } = event;

	if ($("keys").open)
		return;
	if ((event.ctrlKey || event.metaKey) && key === "f") {
		$("search").select();
	} else if (event.ctrlKey || event.metaKey || event.altKey) {
		return;
	} else if (typing && key === "Enter") {
		step_found(event.shiftKey ? -1 : 1);
	} else if (typing && key === "Escape") {
		$("search").value = "";
		search("");
		canvas.focus();
	} else if (typing || !Object.hasOwn(keys, key)) {
		return;
	} else {
		keys[key]();
	}
	event.preventDefault();
});

/* ---- the rest of the page ---- */

function show_head()
{
	const notes = [], asides = [];
	const note = (list, nr, what, text) => nr && list.push(`${count(nr, what)} ${text}`);

	document.title = $("title").textContent = data.title;
	$("summary").textContent = [
		count(runs.nr, "run"), count(waits.nr, "wait"), count(subs.nr, "submission"),
		duration(bounds.max - bounds.min),
	].join(" · ");
	if (data.partial)
		notes.push("The reading of the record was interrupted: this is its beginning");
	note(notes, data.lost, "record", "lost by perf");
	note(notes, data.left_out, "later item", "left out: there were too many");
	note(asides, data.outside, "item", "outside of the time that was asked for");
	note(asides, data.unknown_begin, "run", "with an unknown begin");
	note(asides, data.earlier, "run", "submitted before the record began");
	note(asides, data.unjoined, "run", "without a submission in the record");
	$("notes").hidden = !notes.length;
	$("notes").textContent = notes.join(" · ");
	$("asides").textContent = asides.join(" · ");
}

function show_legend()
{
	contexts.forEach((context) => {
		const colour = make("i"), button = make("button", { type: "button" }, colour, context.label);

		colour.style.background = context.colour;
		button.setAttribute("aria-pressed", "true");
		button.title = "Hide or show";
		button.addEventListener("click", () => {
			context.hidden = !context.hidden;
			button.setAttribute("aria-pressed", String(!context.hidden));
			picture.hovered = null;
			picture.relayout();
			scroll(0);
		});
		$("contexts").append(button);
	});
}

/* a canvas is empty when its size has changed: it is drawn at once */
function on_resize()
{
	picture.resize();
	scroll(0);
	picture.draw();
}

for (const [id, action] of Object.entries({
	previous: () => step_found(-1), next: () => step_found(1),
	in: () => zoom(.6), out: () => zoom(1 / .6), all: show_all,
	help: () => $("keys").showModal(),
}))
	$(id).addEventListener("click", action);
$("tools").addEventListener("submit", (event) => event.preventDefault());
$("search").addEventListener("input", (event) => search(event.target.value));
new ResizeObserver(on_resize).observe($("stage"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	picture.read_theme();
	redraw();
});

show_head();
show_legend();
show_details(null);
show_found();
picture.read_theme();
picture.resize();
show_all();
picture.draw();

/* for whoever looks from outside: what is shown, and where */
window.timeline = {
	view: () => ({ ...picture.view }),
	bounds: () => ({ ...bounds }),
	tracks: () => picture.tracks.map((track) => ({
		label: track.heading ?? [track.label, track.detail].filter(Boolean).join(", "),
		heading: !!track.heading,
		top: AXIS + track.y - picture.view.scroll,
		height: track.height,
		items: Object.fromEntries(track.lanes.map((lane) => [lane.kind, lane.nr])),
	})),
	place: (kind, id) => picture.place({ kind, id }),
	colours: () => contexts.map(({ label, colour }) => ({ label, colour })),
	selected: () => picture.selected.map((item) => ({ ...item })),
	found: () => found.items.length,
};
