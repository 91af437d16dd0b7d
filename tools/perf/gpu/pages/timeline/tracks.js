// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks: what is drawn in which row. A track has lanes; the items of a lane are in
 * order of their begin, and next to each other, but in the last lane of a track that
 * has too many side by side.
 */

const LANES_MAX = { run: 6, job: 16, sub: 1, wait: 2 };
/* of a lane, if there are so many of its kind; with more, the next one */
const LANE_HEIGHTS = {
	run: [[1, 26], [3, 20], [Infinity, 14]],
	job: [[4, 11], [8, 7], [Infinity, 4]],
	sub: [[Infinity, 11]],
	wait: [[Infinity, 14]],
};
const LANE_GAP = { run: 2, job: 1, sub: 2, wait: 2 }, TRACK_PAD = 6, HEADING = 26, TRACK_MIN = 36;

/* the first index from @from on, before @to, whose value is not below @value */
function lower(array, value, from = 0, to = array.length)
{
	while (from < to) {
		const mid = (from + to) >>> 1;

		if (array[mid] < value)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* @ids in order of their begin; they mostly are already */
function in_order(ids, begin)
{
	for (let i = 1; i < ids.length; i++) {
		if (begin[ids[i]] < begin[ids[i - 1]])
			return ids.sort((a, b) => begin[a] - begin[b]);
	}
	return ids;
}

/**
 * One of so many @lanes. It has of each of its items: id, begin, end; reach, the latest
 * end so far; and busy, the sum of the lengths before it, or of what the engine did. hits is how many before it were found; only,
 * the context that all are of, or null.
 */
function make_lane(kind, ids, lanes)
{
	const { begin, end, context } = kinds[kind];
	const lane = {
		kind,
		nr: ids.length,
		id: Int32Array.from(ids),
		begin: Float64Array.from(ids, (id) => begin[id]),
		end: Float64Array.from(ids, (id) => end[id]),
		reach: new Float64Array(ids.length),
		busy: new Float64Array(ids.length + 1),
		hits: null,
		only: ids.every((id) => context[id] === context[ids[0]]) ? context[ids[0]] : null,
		y: 0,
		height: LANE_HEIGHTS[kind].find(([most]) => lanes <= most)[1],
	};
	let reach = -Infinity;

	for (let i = 0; i < lane.nr; i++) {
		reach = Math.max(reach, lane.end[i]);
		lane.reach[i] = reach;
		lane.busy[i + 1] = lane.busy[i] +
			(kind === "run" ? runs.busy[lane.id[i]] : lane.end[i] - lane.begin[i]);
	}
	return lane;
}

function make_lanes(kind, ids)
{
	const { begin, end } = kinds[kind];
	const rows = [], ends = [];

	for (const id of in_order(ids, begin)) {
		let row = 0;

		while (row < ends.length && ends[row] > begin[id] && row < LANES_MAX[kind] - 1)
			row++;
		(rows[row] ??= []).push(id);
		ends[row] = Math.max(ends[row] ?? -Infinity, end[id]);
	}
	return rows.map((row) => make_lane(kind, row, rows.length));
}

/* @ids of all items that are not hidden, by what @key says of them */
function group(kind, key)
{
	const groups = new Map(), { nr, context } = kinds[kind];

	for (let i = 0; i < nr; i++) {
		if (context[i] >= 0 && contexts[context[i]].hidden)
			continue;
		const at = key(i);
		const ids = groups.get(at);

		if (ids)
			ids.push(i);
		else
			groups.set(at, [i]);
	}
	return groups;
}

function make_track(label, detail, context, ...lanes)
{
	const track = { label, detail, context, lanes: lanes.flat(), y: 0, height: 0 };
	let y = 0;

	for (const lane of track.lanes) {
		lane.y = y;
		y += lane.height + LANE_GAP[lane.kind];
	}
	/* with little in it, it has that in its middle */
	track.height = Math.max(y + 2 * TRACK_PAD, TRACK_MIN);
	for (const lane of track.lanes)
		lane.y += (track.height - y) / 2;
	return track;
}

function device_tracks(dev, by_engine, by_context)
{
	const tracks = [{ heading: `GPU ${device_label(dev)}`, height: HEADING, lanes: [] }];

	for (const [key, ids] of [...by_engine].sort((a, b) => a[0] - b[0])) {
		if (contexts[runs.context[ids[0]]].dev === dev)
			tracks.push(make_track(engine_label(runs.engine[ids[0]]), "", -1,
					       make_lanes("run", ids)));
	}
	contexts.forEach((context, i) => {
		const ids = by_context.get(i);

		if (context.dev === dev && ids)
			tracks.push(make_track(context.who, context.what, i,
					       make_lanes("job", ids)));
	});
	return tracks;
}

function thread_tracks(by_submitter, by_waiter)
{
	const order = threads.map((_, i) => i).sort((a, b) =>
		threads[a].pid - threads[b].pid || threads[a].tid - threads[b].tid);
	const tracks = [];

	for (const i of order) {
		const submitted = by_submitter.get(i), waited = by_waiter.get(i);
		const { pid, tid, comm } = threads[i];

		if (submitted || waited)
			tracks.push(make_track(`${comm || "?"} ${pid}`,
					       pid === tid ? "" : `thread ${tid}`, -1,
					       make_lanes("sub", submitted ?? []),
					       make_lanes("wait", waited ?? [])));
	}
	if (tracks.length)
		tracks.unshift({ heading: "CPU threads", height: HEADING, lanes: [] });
	return tracks;
}

/**
 * All tracks of what is not hidden, from top to bottom.
 * Return: { tracks, tracks_height, lane_of }; lane_of[kind][id] is [track, lane], or undefined
 */
function make_tracks()
{
	/* what never ran, as far as is known, is on no engine */
	const ran = (i) => runs.end[i] > runs.from[i];
	const by_engine = group("run", (i) => ran(i) ?
		contexts[runs.context[i]].dev * 0x10000 + runs.engine[i] : -Infinity);
	const by_context = group("job", (i) => runs.context[i]);
	const tracks = [];

	by_engine.delete(-Infinity);
	for (const dev of devices)
		tracks.push(...device_tracks(dev, by_engine, by_context));
	tracks.push(...thread_tracks(group("sub", (i) => subs.thread[i]),
				     group("wait", (i) => waits.thread[i])));

	const lane_of = { run: [], job: [], sub: [], wait: [] };
	let y = 0;

	for (const track of tracks) {
		track.y = y;
		y += track.height;
		for (const lane of track.lanes) {
			const place = [track, lane];

			for (const id of lane.id)
				lane_of[lane.kind][id] = place;
		}
	}
	return { tracks, tracks_height: y, lane_of };
}
