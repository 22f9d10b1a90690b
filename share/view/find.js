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
			postMessage(Uint8Array.from(names, name => re.test(name) ? 1 : 0));
		};
	};

	const LONGEST = 1000;           // milliseconds

	function isExpression(source, flags) {
		try {
			return Boolean(new RegExp(source, flags));
		} catch {
			return false;
		}
	}

	// A function that tries an expression on all of some texts.  It says which match; a text: why none can be; undefined: it was asked
	// again meanwhile.  exact: case matters, unless the expression begins with (?i).  An expression may take for ever, and only a worker
	// can be ended.
	nsq.matcher = textsOf => {
		let worker = null, stop = null;
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
				worker.postMessage(textsOf());
			}
			worker.onmessage = ({ data }) => {
				if (data)
					end(data);
				else
					timer = setTimeout(() => stop("takes too long"), LONGEST);
			};
			worker.postMessage({ source, flags });
		});
		return async (text, exact) => {
			const source = text.replace(/^\(\?i\)/, ""), flags = exact && source === text ? "s" : "si";
			return isExpression(source, flags) ? matching(source, flags) : "not a regular expression";
		};
	};

	// What several events are called that became one.
	function several(lane, i) {
		const kind = nsq.kindOf(lane.track, lane.event ? lane.event[i] : i);
		return `${nsq.thousands(lane.count[i])} × ${kind === "idle" ? "idle time" : kind}, not kept one by one`;
	}

	// What stands in an event, idle time's cause; and what it is called where its row is not beside it.
	nsq.textOf = (lane, i) => lane.count?.[i] ? several(lane, i) : lane.track.kind === "idle" ? nsq.colour.list[lane.colour[i]].label : lane.name[i] ? nsq.names[lane.name[i]] : "";
	nsq.nameOf = (lane, i) => `${lane.track.kind === "idle" && !lane.count?.[i] ? "idle, " : ""}${nsq.textOf(lane, i) || "-"}`;

	nsq.kindOf = (track, event) => track.kinds ? WORK[track.kinds[event]] : KINDS[track.kind] ?? track.kind;

	const named = nsq.matcher(() => nsq.plainNames);

	// The matching events of each lane (also: of those that only repeat others), and how many there are of each kind; undefined:
	// another search began.  problem: why there are none.
	nsq.find = async (text, exact) => {
		const matches = await named(text, exact), lanes = new Map(), also = new Map(), counts = {}, hits = lane => lanes.get(lane) ?? also.get(lane);
		if (matches === undefined)
			return undefined;
		if (typeof matches === "string")
			return { problem: matches, lanes, counts, count: 0, hits };
		matches[0] = 0;                 // the name of what has none
		let count = 0;
		for (const track of nsq.traces.flatMap(t => t.tracks).filter(t => !["idle", "findings"].includes(t.kind)))
			for (const lane of track.lanes) {
				const { name, count: several } = lane, found = nsq.filter(lane, i => matches[name[i]] && !several?.[i]);
				(track.kind in TWINS ? also : lanes).set(lane, found);
				if (track.kind in TWINS)
					continue;
				count += found.at.length;
				for (const i of found.at) {
					const kind = nsq.kindOf(track, lane.event ? lane.event[i] : i);
					counts[kind] = (counts[kind] ?? 0) + 1;
				}
			}
		return { lanes, counts, count, hits };
	};

	// The events of one colour, to be looked at as those of a search are.
	nsq.colouredAs = colour => {
		const lanes = new Map();
		return { colour, hits: lane => {
			if (!lanes.has(lane))
				lanes.set(lane, nsq.filter(lane, i => lane.colour[i] === colour));
			return lanes.get(lane);
		} };
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
