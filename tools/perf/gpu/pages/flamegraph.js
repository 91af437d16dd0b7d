// SPDX-License-Identifier: GPL-2.0
/*
 * Zoom and search of a flame graph. Frames are in the document, the caller before its
 * callees, each with its place and value; zooming gives them new places in percent.
 */
"use strict";
(() => {
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const svg = document.getElementById("flamegraph");
const details = document.getElementById("details");
const header = document.getElementById("header");
const total = Number(svg.dataset.total);
const row = Number(svg.dataset.row);
const margin = Number(svg.dataset.margin);
const text_margin = 4;
const narrow = 4;

const frames = [...document.querySelectorAll("#frames g")].map((g) => {
	const title = g.querySelector("title").textContent;
	const cut = title.indexOf("\n");

	return {
		g,
		rect: g.querySelector("rect"),
		text: g.querySelector("text"),
		name: title.slice(0, cut),
		value_text: title.slice(cut + 1),
		x: Number(g.dataset.x),
		value: Number(g.dataset.v),
		depth: Number(g.dataset.d),
		y: Number(g.querySelector("rect").getAttribute("y")),
		shown: true,
		hit: false,
	};
});
const frame_of = new Map(frames.map((frame) => [frame.g, frame]));
let zoomed = frames[0];
let current = null;
let char_width = 7.25;

function parts(value)
{
	return total ? value / total : 0;
}

/* ---- layout ---- */

function measure()
{
	const probe = document.createElementNS(SVG, "text");
	const sample = "mmmmmmmmmm";

	probe.textContent = sample;
	document.getElementById("frames").append(probe);
	char_width = probe.getComputedTextLength() / sample.length || char_width;
	probe.remove();
}

function label(frame, width)
{
	const room = Math.floor((width - 2 * text_margin) / char_width);
	const chars = room < frame.name.length ? [...frame.name] : null;
	let text = frame.name;

	if (chars && room < chars.length)
		text = room < 3 ? "" : chars.slice(0, room - 2).join("") + "..";
	if (!text) {
		frame.text?.remove();
		frame.text = null;
		return;
	}
	if (!frame.text) {
		frame.text = document.createElementNS(SVG, "text");
		frame.text.setAttribute("y", frame.y + row - 5);
		frame.g.append(frame.text);
	}
	frame.text.setAttribute("dx", text_margin);
	if (frame.text.textContent !== text)
		frame.text.textContent = text;
}

/* Where a frame is while @zoomed has all of the width: [x, width] in 0..1, or null. */
function place(frame)
{
	const from = zoomed.x, to = zoomed.x + zoomed.value, end = frame.x + frame.value;

	if (frame.depth < zoomed.depth)
		return frame.x <= from && end >= to ? [0, 1] : null;
	if (frame.x < from || end > to)
		return null;
	if (!zoomed.value)
		return frame === zoomed ? [0, 1] : null;
	return [(frame.x - from) / zoomed.value, frame.value / zoomed.value];
}

function layout()
{
	const inner = 100 - 2 * margin;
	const pixels = svg.clientWidth || svg.getBoundingClientRect().width;

	for (const frame of frames) {
		const at = place(frame);

		frame.shown = at !== null;
		frame.g.style.display = at ? "" : "none";
		if (!at)
			continue;
		frame.g.classList.toggle("ancestor", frame.depth < zoomed.depth);
		frame.rect.setAttribute("x", (margin + at[0] * inner).toFixed(5) + "%");
		frame.rect.setAttribute("width", (at[1] * inner).toFixed(5) + "%");
		frame.g.classList.toggle("narrow", at[1] * inner / 100 * pixels < narrow);
		label(frame, at[1] * inner / 100 * pixels);
		frame.text?.setAttribute("x", (margin + at[0] * inner).toFixed(5) + "%");
	}
}

function zoom(frame)
{
	zoomed = frame;
	reset.hidden = zoomed === frames[0];
	layout();
	describe(current ?? zoomed);
}

function describe(frame)
{
	const text = frame === frames[0] ? "Total: " + frame.value_text.replace(/, [^,]*$/, "") :
					   frame.name + ": " + frame.value_text;
	let of_zoomed = "";

	if (zoomed !== frames[0] && zoomed.value && frame.depth > zoomed.depth)
		of_zoomed = ", " + (100 * frame.value / zoomed.value).toFixed(2) +
			    " % of " + zoomed.name;
	details.textContent = text + of_zoomed;
}

/* ---- search ---- */

function pattern(text)
{
	try {
		input.classList.remove("bad");
		return new RegExp(text, "i");
	} catch {
		/* not (yet) a regular expression: the text as it is */
		input.classList.add("bad");
		return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
	}
}

/* The share is that of the frames' union: a hit in a hit counts once. */
function search(text)
{
	const regexp = text ? pattern(text) : null;
	let nr = 0, value = 0, covered = -1;

	input.classList.toggle("bad", input.classList.contains("bad") && !!text);
	for (const frame of frames) {
		frame.hit = regexp !== null && regexp.test(frame.name);
		frame.g.classList.toggle("hit", frame.hit);
		nr += frame.hit;
		/* callees come behind their caller, and their callers' siblings behind them */
		if (frame.hit && frame.x >= covered) {
			value += frame.value;
			covered = frame.x + frame.value;
		}
	}
	matched.textContent = !text ? "" : !nr ? "no match" :
		`${nr} ${nr === 1 ? "frame" : "frames"}, ${(100 * parts(value)).toFixed(2)} %`;
}

/* ---- by keyboard ---- */

function focus(frame)
{
	current?.g.classList.remove("current");
	current = frame;
	current?.g.classList.add("current");
	current?.g.scrollIntoView?.({ block: "nearest" });
	describe(current ?? zoomed);
}

function contains(frame, other)
{
	return other.x >= frame.x && other.x + other.value <= frame.x + frame.value;
}

/* the frame above, below or beside the current one */
function neighbour(key)
{
	const from = current ?? zoomed, shown = frames.filter((frame) => frame.shown);
	const at = (depth) => shown.filter((frame) => frame.depth === depth);
	const beside = at(from.depth);

	switch (key) {
	case "ArrowUp":
		/* the widest of its callees */
		return at(from.depth + 1).filter((frame) => contains(from, frame))
			.sort((a, b) => b.value - a.value)[0];
	case "ArrowDown":
		return at(from.depth - 1).find((frame) => contains(frame, from));
	case "ArrowLeft":
		return beside[beside.indexOf(from) - 1];
	default:
		return beside[beside.indexOf(from) + 1];
	}
}

function next_hit(back)
{
	const hits = frames.filter((frame) => frame.hit && frame.shown);
	const at = hits.indexOf(current);

	if (hits.length)
		focus(hits[(at + (back ? (at < 0 ? 0 : -1) : 1) + hits.length) % hits.length]);
}

function clear()
{
	if (document.activeElement === input)
		input.blur();
	if (input.value) {
		input.value = "";
		search("");
	} else {
		focus(null);
		zoom(frames[0]);
	}
}

function on_key(event)
{
	const find = event.key === "f" && (event.ctrlKey || event.metaKey);

	if (find || (event.key === "/" && document.activeElement !== input)) {
		input.focus();
		input.select();
	} else if (event.key === "Escape") {
		clear();
	} else if (document.activeElement === input) {
		if (event.key === "Enter")
			next_hit(event.shiftKey);
		return;
	} else if (event.ctrlKey || event.metaKey || event.altKey) {
		return;
	} else if (event.key.startsWith("Arrow")) {
		focus(neighbour(event.key) ?? current);
	} else if (event.key === "Enter" && document.activeElement !== reset) {
		if (current)
			zoom(current);
	} else if (event.key === "0" || event.key === "Home") {
		focus(null);
		zoom(frames[0]);
	} else if (event.key === "n" || event.key === "N") {
		next_hit(event.key === "N");
	} else {
		return;
	}
	event.preventDefault();
}

/* ---- controls: only where there is a script to serve them ---- */

function element(name, attributes, parent)
{
	const node = document.createElementNS(HTML, name);

	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	parent.append(node);
	return node;
}

const holder = document.createElementNS(SVG, "foreignObject");
const controls = element("div", { class: "controls" }, holder);
const matched = element("span", { id: "matched", role: "status" }, controls);
const reset = element("button", { id: "reset", type: "button", title: "Escape or 0" }, controls);
const input = element("input", {
	id: "search", type: "search", placeholder: "Search ( / )", "aria-label": "Search",
	title: "Text or a regular expression. Enter or n: the next hit; Escape: clear",
	autocomplete: "off", spellcheck: "false",
}, controls);

reset.textContent = "Reset zoom";
reset.hidden = true;
holder.setAttribute("x", "30%");
holder.setAttribute("y", 8);
holder.setAttribute("width", (70 - margin) + "%");
holder.setAttribute("height", 34);
header.append(holder);

reset.addEventListener("click", () => {
	focus(null);
	zoom(frames[0]);
});
input.addEventListener("input", () => search(input.value));
svg.addEventListener("click", (event) => {
	const frame = frame_of.get(event.target.closest?.("#frames g"));

	if (frame) {
		focus(null);
		zoom(frame);
	}
});
svg.addEventListener("mouseover", (event) => {
	const frame = frame_of.get(event.target.closest?.("#frames g"));

	describe(frame ?? current ?? zoomed);
});
document.addEventListener("keydown", on_key);
window.addEventListener("resize", layout);
/* the header stays in sight */
window.addEventListener("scroll", () =>
	header.setAttribute("transform", `translate(0, ${window.scrollY})`));

measure();
layout();
/* the outermost frames are at the bottom */
window.scrollTo(0, document.documentElement.scrollHeight);
})();
