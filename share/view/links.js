// What belongs together: a call and the work that it launched.
"use strict";

{
	// The events of a track, level by level, for which f says so.
	const pick = (tracks, f) => tracks.flatMap(track => track.lanes.flatMap(lane => {
		const out = [], test = f(track);
		for (let i = 0; i < lane.start.length; i++)
			if (test(lane, i, lane.event ? lane.event[i] : i))
				out.push({ lane, i });
		return out;
	}));

	// The event that begins at a time, also where a window cuts it: the first of its line that is not over by then.
	const beginsAt = (lanes, time) => lanes.map(lane => ({ lane, i: nsq.firstAt(lane, time) }))
		.find(({ lane, i }) => i < lane.start.length && nsq.whole(lane, i).start === time) ?? null;

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

	// What an event is linked to: { from, to } of each arrow, of which the event is one end; others: the other ends.
	nsq.linksOf = chosen => {
		const kind = chosen?.lane.track.kind, call = kind === "work" ? callOf(chosen) : null, work = kind === "calls" ? workOf(chosen) : [];
		return { arrows: call ? [{ from: call, to: chosen }] : work.map(to => ({ from: chosen, to })), others: call ? [call] : work };
	};
}
