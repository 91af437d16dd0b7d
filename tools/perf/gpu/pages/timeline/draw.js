// SPDX-License-Identifier: GPL-2.0
/*
 * Drawing. What is narrower than a pixel is merged with its neighbours, found by binary
 * search: the work is that of the pixels, not of the items.
 */

const GUTTER = 190, AXIS = 28;
/* at a greater width an item is drawn as itself */
const WIDE = 1.5;
/* of merged items, at most so many are asked whose they are */
const ASKED = 32;
/* with no more runs than that in sight, the way of each is drawn */
const FLOWS_MAX = 120;
/* what is not found, while there is a search */
const DIM = 0.16;

const DARK = "#14171a", LIGHT = "#ffffff";
/* and what is well read on it */
const PALETTE = [
	["#3b7ff0", LIGHT], ["#f5a524", DARK], ["#17b26a", DARK], ["#e5484d", LIGHT],
	["#8e5cf0", LIGHT], ["#22b8cf", DARK], ["#ec4899", LIGHT], ["#94b81f", DARK],
	["#d9601a", LIGHT], ["#0f8f82", LIGHT], ["#a44bc4", LIGHT], ["#6478f0", LIGHT],
];
const KERNEL_COLOUR = "#8b949e";

/* the kernel's is grey; the golden angle keeps apart those that the palette has not */
function make_colours()
{
	let nr = 0;

	for (const context of contexts) {
		context.ink = DARK;
		if (context.who === "kernel")
			context.colour = KERNEL_COLOUR;
		else if (nr < PALETTE.length)
			[context.colour, context.ink] = PALETTE[nr++];
		else
			context.colour = `hsl(${(nr++ * 137.5) % 360} 60% 55%)`;
	}
}
make_colours();

function colour_of(context)
{
	return context < 0 ? KERNEL_COLOUR : contexts[context].colour;
}

class Picture {
	constructor(canvas)
	{
		this.canvas = canvas;
		this.g = canvas.getContext("2d");
		this.patterns = new Map();
		this.view = { from: bounds.min, to: bounds.max, scroll: 0 };
		this.selected = [];
		this.hovered = null;
		this.pointer = null;
		this.hits = null;
		this.relayout();
	}

	/* after contexts were hidden or shown */
	relayout()
	{
		Object.assign(this, make_tracks());
		this.set_hits(this.hits);
	}

	/* @hits: per kind, an array that says of each item if it was found; or null */
	set_hits(hits)
	{
		this.hits = hits;
		for (const track of this.tracks) {
			for (const lane of track.lanes) {
				lane.hits = null;
				if (!hits)
					continue;
				lane.hits = new Int32Array(lane.nr + 1);
				for (let i = 0; i < lane.nr; i++)
					lane.hits[i + 1] = lane.hits[i] + hits[lane.kind][lane.id[i]];
			}
		}
	}

	resize()
	{
		const { clientWidth, clientHeight } = this.canvas;

		this.ratio = window.devicePixelRatio || 1;
		this.width = clientWidth;
		this.height = clientHeight;
		this.canvas.width = Math.round(clientWidth * this.ratio);
		this.canvas.height = Math.round(clientHeight * this.ratio);
	}

	read_theme()
	{
		const style = getComputedStyle(document.documentElement);

		this.theme = {};
		for (const name of ["paper", "paper-2", "paper-3", "line", "ink", "faint", "ring", "mark"])
			this.theme[name] = style.getPropertyValue(`--${name}`).trim();
		this.patterns.clear();
	}

	/* ---- places ---- */

	x(time)
	{
		return GUTTER + (time - this.view.from) / (this.view.to - this.view.from) *
			(this.width - GUTTER);
	}

	time(x)
	{
		return this.view.from + (x - GUTTER) / (this.width - GUTTER) *
			(this.view.to - this.view.from);
	}

	/* top of a lane */
	top(track, lane)
	{
		return AXIS + track.y + lane.y - this.view.scroll;
	}

	/* the middle of an item, or null if it is hidden */
	place(item)
	{
		const at = this.lane_of[item.kind][item.id];
		const { begin, end } = kinds[item.kind];

		return at ? {
			x: this.x((begin[item.id] + end[item.id]) / 2),
			y: this.top(...at) + at[1].height / 2,
		} : null;
	}

	/* the item at a place, or near it */
	find(x, y)
	{
		if (x < GUTTER || y < AXIS)
			return null;
		const inside = y - AXIS + this.view.scroll;
		const track = this.tracks.find((t) => inside >= t.y && inside < t.y + t.height);
		const lane = track?.lanes.find((l) => inside >= track.y + l.y - 1 &&
						      inside < track.y + l.y + l.height + 1);

		if (!lane)
			return null;
		const near = this.time(x + 4) - this.time(x), time = this.time(x);
		let best = -1, distance = near;

		for (let i = lower(lane.reach, time - near); i < lane.nr && lane.begin[i] <= time + near; i++) {
			const away = Math.max(lane.begin[i] - time, time - lane.end[i], 0);

			/* of several at the same place, the last one lies on top */
			if (away <= distance) {
				best = lane.id[i];
				distance = away;
			}
		}
		return best < 0 ? null : { kind: lane.kind, id: best };
	}

	/* ---- items ---- */

	/* stripes: the CPU waits for that */
	stripes(colour)
	{
		let pattern = this.patterns.get(colour);

		if (pattern)
			return pattern;
		const size = 6, tile = document.createElement("canvas");
		const g = tile.getContext("2d");

		tile.width = size * this.ratio;
		tile.height = size * this.ratio;
		g.scale(this.ratio, this.ratio);
		g.globalAlpha = .3;
		g.fillStyle = colour;
		g.fillRect(0, 0, size, size);
		g.globalAlpha = 1;
		g.strokeStyle = colour;
		g.lineWidth = 2;
		g.beginPath();
		for (const shift of [-size, 0, size]) {
			g.moveTo(shift - 1, size + 1);
			g.lineTo(shift + size + 1, -1);
		}
		g.stroke();
		pattern = this.g.createPattern(tile, "repeat");
		pattern.setTransform(new DOMMatrix().scale(1 / this.ratio));
		this.patterns.set(colour, pattern);
		return pattern;
	}

	draw_item(lane, i, y, x0, x1)
	{
		const { g } = this, id = lane.id[i], colour = colour_of(kinds[lane.kind].context[id]);
		const left = Math.max(x0, GUTTER - 4), right = Math.min(x1, this.width + 4);
		/* a line of the paper between neighbours */
		const width = Math.max(right - left - (right - left > 4 ? 1 : 0), 1);
		const alpha = lane.hits && !this.hits[lane.kind][id] ? DIM : 1;

		g.globalAlpha = alpha;
		g.fillStyle = colour;
		switch (lane.kind) {
		case "run":
			this.draw_run(id, left, y, width, lane.height, alpha);
			this.draw_label(id, left, y, width, lane.height, alpha);
			break;
		case "job":
			this.draw_job(lane, i, y, left, width, alpha);
			break;
		case "wait":
			g.fillStyle = this.stripes(colour);
			g.fillRect(left, y, width, lane.height);
			break;
		case "sub":
			g.fillRect(Math.round(x0) - 1, y, 2, lane.height);
			break;
		}
	}

	/* as high as the engine was busy with it, if that was not all of the time */
	draw_run(id, left, y, width, height, alpha)
	{
		const { g } = this, share = runs.busy[id] / (runs.end[id] - runs.from[id]);

		if (share < 1) {
			g.globalAlpha = alpha * .35;
			g.fillRect(left, y, width, height);
			y += height * (1 - share);
			height *= share;
		}
		g.globalAlpha = alpha;
		g.fillRect(left, y, width, height);
	}

	/* queued until it begins, then it runs; in the last lane others may be queued, too */
	draw_job(lane, i, y, left, width, alpha)
	{
		const { g } = this, right = left + width;
		const begin = Math.min(Math.max(this.x(runs.from[lane.id[i]]), left), right);
		const queued = i ? Math.max(left, Math.min(this.x(lane.reach[i - 1]), begin)) : left;

		g.globalAlpha = alpha * .35;
		g.fillRect(queued, y, begin - queued, lane.height);
		g.globalAlpha = alpha;
		if (right > begin)
			g.fillRect(begin, y, right - begin, lane.height);
	}

	draw_label(id, left, y, width, height, alpha)
	{
		const { g } = this, x = Math.max(left, GUTTER) + 5, room = left + width - x - 4;

		if (room < 30)
			return;
		const { who, label, ink } = contexts[runs.context[id]];
		const text = [`${label}: ${duration(runs.end[id] - runs.from[id])}`, label, who]
			.find((choice) => this.text_width(choice) <= room);

		if (!text)
			return;
		const pale = runs.busy[id] < .6 * (runs.end[id] - runs.from[id]);

		g.globalAlpha = alpha;
		g.fillStyle = pale ? this.theme.ink : ink;
		g.fillText(text, x, y + height / 2 + 1);
	}

	text_width(text)
	{
		/* durations differ, the width of digits does not */
		const key = text.replace(/\d/g, "0");
		let width = this.widths.get(key);

		if (width === undefined) {
			width = this.g.measureText(key).width;
			this.widths.set(key, width);
		}
		return width;
	}

	/*
	 * The items [i, j), which are all in one pixel: the more of it they have, the
	 * darker it is. Contexts share its height as they share the time.
	 */
	draw_merged(lane, i, j, y, x)
	{
		const { g } = this, points = lane.kind === "sub", nr = j - i;
		const per_pixel = (this.view.to - this.view.from) / (this.width - GUTTER);
		const share = points ? 1 : Math.min(1, (lane.busy[j] - lane.busy[i]) / per_pixel);
		const found = !lane.hits || lane.hits[j] > lane.hits[i];

		g.globalAlpha = (.35 + .65 * share) * (found ? 1 : DIM);
		if (lane.only !== null) {
			g.fillStyle = colour_of(lane.only);
			g.fillRect(x, y, points ? 1.5 : 1, lane.height);
			return;
		}
		const { context } = kinds[lane.kind], lengths = new Map();
		let sum = 0;

		for (let k = 0; k < Math.min(nr, ASKED); k++) {
			/* anywhere: an even step would beat with what is periodic */
			const at = i + (nr <= ASKED ? k : (Math.imul(k + 1, 2654435761) >>> 0) % nr);
			const of = context[lane.id[at]], length = lane.end[at] - lane.begin[at] || 1;

			lengths.set(of, (lengths.get(of) ?? 0) + length);
			sum += length;
		}
		for (const of of lengths.size > 1 ? [...lengths.keys()].sort((a, b) => a - b) : lengths.keys()) {
			const height = lengths.get(of) / sum * lane.height;

			g.fillStyle = colour_of(of);
			g.fillRect(x, y, points ? 1.5 : 1, height);
			y += height;
		}
	}

	draw_lane(lane, y)
	{
		const { from, to } = this.view;
		let i = lower(lane.reach, from);

		while (i < lane.nr && lane.begin[i] <= to) {
			const x0 = this.x(lane.begin[i]), x1 = this.x(lane.end[i]);

			if (x1 < GUTTER - 2) {
				i++;
				continue;
			}
			if (x1 - x0 >= WIDE) {
				this.draw_item(lane, i++, y, x0, x1);
				continue;
			}
			const pixel = Math.floor(x0);
			let j = lower(lane.begin, this.time(pixel + 1), i + 1, lane.nr);

			/* only the last one may reach further */
			if (j > i + 1 && this.x(lane.end[j - 1]) - this.x(lane.begin[j - 1]) >= WIDE)
				j--;
			if (j === i + 1 && lane.kind === "sub")
				this.draw_item(lane, i, y, x0, x1);
			else
				this.draw_merged(lane, i, j, y, pixel);
			i = j;
		}
	}

	/* ---- what lies over and under the items ---- */

	/* the distance of the axis' marks: 1, 2 or 5 of something */
	step()
	{
		const least = (this.view.to - this.view.from) / Math.max(1, (this.width - GUTTER) / 110);
		const power = Math.pow(10, Math.floor(Math.log10(least)));

		return Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least));
	}

	draw_axis()
	{
		const { g, theme } = this, { from, to } = this.view, step = this.step();
		const first = Math.ceil(from / step) * step;
		const [unit, scale] = units.find((entry) => step >= entry[1]) ?? units[3];
		/* far from the start, the marks count from a round time, which the corner tells */
		const round = Math.pow(10, Math.ceil(Math.log10(to - from)) + 1);
		const base = Math.abs(to) >= 10 * round ? Math.floor(from / round) * round : 0;
		const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));

		g.globalAlpha = 1;
		g.fillStyle = theme.paper;
		g.fillRect(0, 0, this.width, AXIS);
		g.fillStyle = theme.line;
		g.fillRect(0, AXIS - 1, this.width, 1);
		g.fillStyle = theme.faint;
		for (let time = first, k = 0; time <= to && k < 1000; k++, time = first + k * step) {
			const x = Math.round(this.x(time));
			const text = `${((time - base) / scale).toFixed(digits)} ${unit}`;

			g.fillStyle = theme.line;
			g.fillRect(x, AXIS - 6, 1, 6);
			g.fillStyle = theme.faint;
			if (x + 4 + this.text_width(text) + 8 < this.width)
				g.fillText((base ? "+" : "") + text, x + 4, AXIS / 2);
		}
		g.fillStyle = theme.paper;
		g.fillRect(0, 0, GUTTER, AXIS - 1);
		g.fillStyle = theme.faint;
		g.fillText(base ? trim(moment(base).slice(0, -2)) + " s" : "", 12, AXIS / 2);
	}

	draw_grid()
	{
		const { g, theme } = this, { from, to } = this.view, step = this.step();

		g.globalAlpha = 1;
		g.fillStyle = theme["paper-3"];
		for (let k = Math.ceil(from / step), n = 0; k * step <= to && n < 1000; k++, n++)
			g.fillRect(Math.round(this.x(k * step)), AXIS, 1, this.height - AXIS);
	}

	clip_text(text, room)
	{
		if (this.g.measureText(text).width <= room)
			return text;
		while (text.length > 1 && this.g.measureText(text + "…").width > room)
			text = text.slice(0, -1);
		return text + "…";
	}

	/* what lies under the items of a track */
	draw_row(track, y)
	{
		const { g, theme } = this;

		g.globalAlpha = 1;
		if (track.heading) {
			g.fillStyle = theme["paper-2"];
			g.fillRect(0, y, this.width, track.height - 1);
		}
		g.fillStyle = theme[track.heading ? "line" : "paper-3"];
		g.fillRect(0, y + track.height - 1, this.width, 1);
	}

	draw_name(track, y)
	{
		const { g, theme } = this, middle = y + track.height / 2;

		g.globalAlpha = 1;
		if (track.heading) {
			g.fillStyle = theme.ink;
			g.font = this.bold;
			g.fillText(track.heading, 12, middle);
			g.font = this.font;
			return;
		}
		g.fillStyle = theme.line;
		g.fillRect(GUTTER - 1, y, 1, track.height);
		if (track.context >= 0) {
			g.fillStyle = colour_of(track.context);
			g.fillRect(12, y + 7, 3, track.height - 15);
		}
		const left = track.context >= 0 ? 23 : 12, room = GUTTER - left - 8;

		g.fillStyle = theme.ink;
		g.fillText(this.clip_text(track.label, room), left, middle - (track.detail ? 7 : 0));
		if (track.detail) {
			g.fillStyle = theme.faint;
			g.fillText(this.clip_text(track.detail, room), left, middle + 8);
		}
	}

	/* from one item's edge to another's */
	draw_arrow(from, to, x0, x1, colour, alpha, width, dashed)
	{
		const { g } = this, a = this.lane_of[from.kind][from.id], b = this.lane_of[to.kind][to.id];

		if (!a || !b)
			return;
		const down = a[0].y < b[0].y;
		const y0 = this.top(...a) + (down ? a[1].height : 0);
		const y1 = this.top(...b) + (down ? 0 : b[1].height);
		const bend = (y1 - y0) / 2, head = down ? -5 : 5;

		if (Math.max(x0, x1) < GUTTER || Math.min(x0, x1) > this.width)
			return;
		g.globalAlpha = alpha;
		g.strokeStyle = g.fillStyle = colour;
		g.lineWidth = width;
		g.setLineDash(dashed ? [4, 3] : []);
		g.beginPath();
		g.moveTo(x0, y0);
		g.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 + head);
		g.stroke();
		g.setLineDash([]);
		g.beginPath();
		g.moveTo(x1, y1);
		g.lineTo(x1 - 3.5, y1 + head * 1.4);
		g.lineTo(x1 + 3.5, y1 + head * 1.4);
		g.fill();
	}

	/* from the submission to the run, and from there to who waits for it */
	draw_way(sub, strong)
	{
		const run = run_of[sub], { theme } = this;

		if (run < 0)
			return;
		const kind = this.lane_of.run[run] ? "run" : "job", to = { kind, id: run };
		const colour = strong ? theme.ink : colour_of(subs.context[sub]);
		const alpha = strong ? .9 : .5, width = strong ? 1.6 : 1;

		this.draw_arrow({ kind: "sub", id: sub }, to, this.x(subs.time[sub]),
				this.x(runs.from[run]), colour, alpha, width, false);
		if (!strong)
			return;
		for (let wait = wait_of[sub]; wait >= 0; wait = next_wait[wait])
			this.draw_arrow(to, { kind: "wait", id: wait }, this.x(runs.end[run]),
					this.x(waits.end[wait]), colour, alpha, width, true);
	}

	draw_ways()
	{
		const { from, to } = this.view, ids = [];

		for (const track of this.tracks) {
			for (const lane of track.lanes) {
				if (lane.kind !== "run")
					continue;
				const first = lower(lane.reach, from);
				const end = lower(lane.begin, to, first);

				if (ids.length + end - first > FLOWS_MAX)
					return;
				ids.push(...lane.id.subarray(first, end));
			}
		}
		for (const id of ids) {
			if (runs.sub[id] >= 0)
				this.draw_way(runs.sub[id], false);
		}
	}

	draw_outline(item, colour)
	{
		const at = this.lane_of[item.kind][item.id];
		const { begin, end } = kinds[item.kind];

		if (!at)
			return;
		const x0 = Math.max(this.x(begin[item.id]), GUTTER - 4);
		const x1 = Math.min(this.x(end[item.id]), this.width + 4);
		const width = Math.max(x1 - x0, 3);

		if (x1 < GUTTER - 2 || x0 > this.width)
			return;
		this.g.globalAlpha = 1;
		this.g.strokeStyle = colour;
		this.g.lineWidth = 2;
		this.g.strokeRect((x1 - x0 < 3 ? (x0 + x1) / 2 - 1.5 : x0) - 1, this.top(...at) - 1,
				  width + 1, at[1].height + 2);
	}

	draw_pointer()
	{
		const { g, theme } = this;

		if (!this.pointer || this.pointer.x < GUTTER)
			return;
		const text = moment(this.time(this.pointer.x)), width = g.measureText(text).width + 10;
		const left = Math.min(this.pointer.x + 1, this.width - width);

		g.globalAlpha = .5;
		g.fillStyle = theme.faint;
		g.fillRect(this.pointer.x, AXIS, 1, this.height - AXIS);
		g.globalAlpha = 1;
		g.fillStyle = theme.ink;
		g.fillRect(left, 4, width, AXIS - 9);
		g.fillStyle = theme.paper;
		g.fillText(text, left + 5, AXIS / 2);
	}

	draw()
	{
		const { g, theme } = this;

		this.font = '12px system-ui, "DejaVu Sans", sans-serif';
		this.bold = '600 12px system-ui, "DejaVu Sans", sans-serif';
		this.widths ??= new Map();
		g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		g.font = this.font;
		g.textBaseline = "middle";
		g.globalAlpha = 1;
		g.fillStyle = theme.paper;
		g.fillRect(0, 0, this.width, this.height);
		this.draw_grid();

		const seen = this.tracks.filter((track) => {
			const y = AXIS + track.y - this.view.scroll;

			return y < this.height && y + track.height > AXIS;
		});

		for (const track of seen)
			this.draw_row(track, AXIS + track.y - this.view.scroll);
		g.save();
		g.beginPath();
		g.rect(GUTTER, AXIS, this.width - GUTTER, this.height - AXIS);
		g.clip();
		for (const track of seen) {
			for (const lane of track.lanes)
				this.draw_lane(lane, this.top(track, lane));
		}
		this.draw_ways();
		for (const item of this.selected)
			this.draw_outline(item, theme.ink);
		if (this.hovered)
			this.draw_outline(this.hovered, theme.ring);
		for (const item of [this.selected[0], this.hovered]) {
			const sub = item ? kinds[item.kind].sub[item.id] : -1;

			if (sub >= 0)
				this.draw_way(sub, true);
		}
		g.restore();

		for (const track of seen)
			this.draw_name(track, AXIS + track.y - this.view.scroll);
		this.draw_axis();
		this.draw_pointer();
	}
}
