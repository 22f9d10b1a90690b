// Search: a regular expression over the names of all events, as nsq-find takes it.
"use strict";

{
	const KINDS = { ranges: "range", startend: "range", projected: "range on the GPU", exposed: "exposed communication", findings: "finding", calls: "call", marks: "mark", os: "OS call", mpi: "MPI call" };
	const TWINS = { projected: 1, exposed: 1 };
	const WORK = ["kernel", "graph", "copy", "set"];

	// An expression, or null if the text is none.
	function pattern(text, exact) {
		try {
			return nsq.posix(text, exact);
		} catch {
			return null;
		}
	}

	// What several events are called that became one.
	nsq.several = (lane, i) => {
		const kind = nsq.kindOf(lane.track, lane.event ? lane.event[i] : i);
		return `${nsq.thousands(lane.count[i])} × ${kind === "idle" ? "idle time" : kind}, not kept one by one`;
	};

	nsq.kindOf = (track, event) => track.kinds ? WORK[track.kinds[event]] : KINDS[track.kind] ?? track.kind;

	// The matching events of each lane (also: of those that only repeat others), and how many there are of each kind; null: nothing
	// is searched for.  problem: the text is no
	// regular expression, and there are none.  exact: case matters.
	nsq.find = (text, exact) => {
		if (!text)
			return null;
		const re = pattern(text, exact);
		if (!re)
			return { text, problem: true, lanes: new Map(), also: new Map(), counts: {}, count: 0 };
		const matches = Uint8Array.from(nsq.byteNames, (name, i) => i && re.test(name) ? 1 : 0);
		const lanes = new Map(), also = new Map(), counts = {};
		let count = 0;
		for (const track of nsq.traces.flatMap(t => t.tracks).filter(t => !["idle", "findings"].includes(t.kind)))
			for (const lane of track.lanes) {
				const hits = nsq.filter(lane, matches);
				(track.kind in TWINS ? also : lanes).set(lane, hits);
				if (track.kind in TWINS)
					continue;
				count += hits.at.length;
				for (const i of hits.at) {
					const kind = nsq.kindOf(track, lane.event ? lane.event[i] : i);
					counts[kind] = (counts[kind] ?? 0) + 1;
				}
			}
		return { text, lanes, also, counts, count };
	};

	// The match after (or before) a place { time, lane, i }, by start, then from top to bottom.
	nsq.nextHit = (found, place, back) => {
		const order = new Map([...found.lanes.keys()].map((lane, i) => [lane, i]));
		const later = (a, b) => a.time - b.time || order.get(a.lane) - order.get(b.lane) || a.i - b.i;
		let best = null;
		for (const [lane, hits] of found.lanes) {
			let k = nsq.least(hits.start, place.time);
			if (!back)
				while (k < hits.start.length && later({ time: hits.start[k], lane, i: hits.at[k] }, place) <= 0)
					k++;
			else
				for (k = Math.min(nsq.above(hits.start, place.time), hits.start.length) - 1; k >= 0 && later({ time: hits.start[k], lane, i: hits.at[k] }, place) >= 0;)
					k--;
			if (k < 0 || k >= hits.start.length)
				continue;
			const hit = { time: hits.start[k], lane, i: hits.at[k] };
			if (!best || (later(hit, best) < 0) !== Boolean(back))
				best = hit;
		}
		return best;
	};
}
