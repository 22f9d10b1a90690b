// Search: a regular expression of the browser over the names of all events.
"use strict";

{
	const KINDS = { ranges: "range", startend: "range", projected: "range on the GPU", exposed: "exposed communication", findings: "finding", calls: "call", marks: "mark", os: "OS call", mpi: "MPI call" };
	const TWINS = { projected: 1, exposed: 1 };
	const WORK = ["kernel", "graph", "copy", "set"];

	// What the worker runs: the first message has the names, each other one an expression to try on all of them.
	const tries = () => {
		let names = null;
		onmessage = ({ data }) => {
			if (!names) {
				names = data;
				return;
			}
			postMessage(null);      // it begins now
			const re = new RegExp(data.source, data.flags);
			postMessage(Uint8Array.from(names, (name, i) => i && re.test(name) ? 1 : 0));
		};
	};

	const LONGEST = 1000;           // milliseconds
	let worker = null, stop = null;

	// Which names match; null: that would take too long, undefined: another search began.  An expression may take for ever, and only
	// a worker can be ended.
	const matching = (source, flags) => new Promise(done => {
		let timer = 0;
		stop?.();
		stop = answer => {
			worker.terminate();
			worker = null;
			end(answer);
		};
		const end = answer => {
			clearTimeout(timer);
			stop = null;
			done(answer);
		};
		if (!worker) {
			const url = URL.createObjectURL(new Blob([`(${tries})()`], { type: "text/javascript" }));
			worker = new Worker(url);
			URL.revokeObjectURL(url);
			worker.postMessage(nsq.plainNames);
		}
		worker.onmessage = ({ data }) => {
			if (data)
				end(data);
			else
				timer = setTimeout(() => stop(null), LONGEST);
		};
		worker.postMessage({ source, flags });
	});

	function isExpression(source, flags) {
		try {
			return Boolean(new RegExp(source, flags));
		} catch {
			return false;
		}
	}

	// What several events are called that became one.
	nsq.several = (lane, i) => {
		const kind = nsq.kindOf(lane.track, lane.event ? lane.event[i] : i);
		return `${nsq.thousands(lane.count[i])} × ${kind === "idle" ? "idle time" : kind}, not kept one by one`;
	};

	nsq.kindOf = (track, event) => track.kinds ? WORK[track.kinds[event]] : KINDS[track.kind] ?? track.kind;

	// The matching events of each lane (also: of those that only repeat others), and how many there are of each kind; undefined:
	// another search began.  problem: why there are none.  exact: case matters, unless the text begins with (?i).
	nsq.find = async (text, exact) => {
		const source = text.replace(/^\(\?i\)/, ""), flags = exact && source === text ? "s" : "si";
		const matches = isExpression(source, flags) && await matching(source, flags);
		if (matches === undefined)
			return undefined;
		if (!matches)
			return { problem: matches === null ? "takes too long" : "not a regular expression", lanes: new Map(), also: new Map(), counts: {}, count: 0 };
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
		return { lanes, also, counts, count };
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
