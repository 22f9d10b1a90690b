// What belongs together: a call and the work that it launched, the CPU side of a range and its GPU side.
"use strict";

{
	// The events of a track, level by level, for which f says so.
	const pick = (tracks, f) => tracks.flatMap(track => track.lanes.flatMap(lane => {
		const out = [], test = f(track);
		for (let i = 0; i < lane.start.length; i++)
			if (!lane.count?.[i] && test(lane, i, lane.event ? lane.event[i] : i))
				out.push({ lane, i });
		return out;
	}));

	// The event that begins at a time, also where a window cuts it: the first of its line that is not over by then; or else those
	// that became one and may hold it.
	const beginsAt = (lanes, time) => {
		const at = lanes.map(lane => ({ lane, i: nsq.firstAt(lane, time) })).filter(({ lane, i }) => i < lane.start.length);
		return at.find(({ lane, i }) => !lane.count?.[i] && nsq.whole(lane, i).start === time) ?? at.find(({ lane, i }) => lane.count?.[i] && lane.start[i] <= time) ?? null;
	};

	// The call that launched a piece of work, or null: it is not in the page.
	function callOf({ lane, i }) {
		const { track } = lane, get = name => track.get(name, lane.event ? lane.event[i] : i), launch = get("launch");
		const calls = launch && track.trace.tracks.find(t => t.kind === "calls" && t.thread === get("thread") - 1);
		return calls ? beginsAt(calls.lanes, lane.start[i] - nsq.signed(launch - 1)) : null;
	}

	// The work that a call launched.
	function workOf({ lane, i }) {
		const { trace, thread, process } = lane.track, time = nsq.whole(lane, i).start;
		return pick(trace.tracks.filter(t => t.kind === "work" && t.process === process), track => {
			const launch = track.column("launch"), by = track.column("thread");
			return (on, k, e) => by[e] === thread + 1 && launch[e] > 0 && on.start[k] - nsq.signed(launch[e] - 1) === time;
		}).sort((a, b) => a.lane.start[a.i] - b.lane.start[b.i]);
	}

	// The CPU side of a range that was chosen by its GPU side, or null: it is not in the page.
	function cpuOf({ lane, i }) {
		const { track } = lane, get = name => track.get(name, lane.event ? lane.event[i] : i), thread = get("thread");
		const on = thread && track.trace.tracks.find(t => t.kind === "ranges" && t.thread === thread - 1)?.lanes[get("depth")];
		const time = lane.start[i] - nsq.signed(get("cpu"));
		for (let k = on ? nsq.least(on.start, time) : 0; on && on.start[k] === time; k++)
			if (on.name[k] === lane.name[i] && !on.count?.[k])
				return { lane: on, i: k };
		return null;
	}

	// The GPU sides of a range, one for each GPU.
	function gpuOf({ lane, i }) {
		const { trace, thread, process, lanes } = lane.track, depth = lanes.indexOf(lane);
		return pick(trace.tracks.filter(t => t.kind === "projected" && t.process === process), track => {
			const by = track.column("thread"), level = track.column("depth"), cpu = track.column("cpu");
			return (on, k, e) => by[e] === thread + 1 && level[e] === depth && on.start[k] - nsq.signed(cpu[e]) === lane.start[i] && on.name[k] === lane.name[i];
		});
	}

	// What an event is linked to: from, to: of arrows, of which the event is one end; others: the other ends.
	nsq.linksOf = chosen => {
		if (chosen?.lane.count?.[chosen.i])
			return { others: [], arrows: [] };
		const to = { work: callOf, projected: cpuOf }[chosen?.lane.track.kind], from = { calls: workOf, ranges: gpuOf }[chosen?.lane.track.kind];
		const others = (to ? [to(chosen)] : from ? from(chosen) : []).filter(Boolean);
		return { others, arrows: others.map(other => to ? { from: other, to: chosen } : { from: chosen, to: other }) };
	};

	// Both sides of a range, each as a stretch of time; null: it is none, or launched nothing that is in the page.
	nsq.sidesOf = (chosen, { others }) => {
		const hull = of => ({ a: Math.min(...of.map(({ lane, i }) => lane.start[i])), b: Math.max(...of.map(({ lane, i }) => lane.end[i])) });
		const { kind } = chosen.lane.track;
		return kind === "projected" ? { gpu: hull([chosen]), cpu: others.length ? hull(others) : null } :
			kind === "ranges" && others.length ? { gpu: hull(others), cpu: hull([chosen]) } : null;
	};
}
