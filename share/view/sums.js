// What happens between two times: busy, idle and the kernels with the most time, as nsq-gaps and nsq-kernels count.
"use strict";

{
	// The parts of the windows of a GPU's work between two times.
	function parts(lane, a, b) {
		return lane.windows.map(([x, y]) => [Math.max(x, a), Math.min(y, b)]).filter(([x, y]) => x < y);
	}

	// Call f for each event of a lane in the parts, once, with its time in them.
	function each(lane, inside, f) {
		if (lane.last)
			return eachOfCrowd(lane, inside, f);
		let last = -1, time = 0;
		const flush = () => { if (last >= 0) f(last, time); };
		for (const [a, b] of inside)
			for (let i = nsq.firstAt(lane, a); i < lane.start.length && lane.start[i] < b; i++) {
				const t = Math.min(b, lane.end[i]) - Math.max(a, lane.start[i]);
				if (i !== last) {
					flush();
					last = i;
					time = 0;
				}
				time += t;
			}
		flush();
	}

	// The same where events overlap: one that is open across two parts is not the last of the first.
	function eachOfCrowd(lane, inside, f) {
		const from = inside[0]?.[0], to = inside.at(-1)?.[1];
		for (let i = nsq.firstAt(lane, from); i < lane.start.length && lane.start[i] < to; i++) {
			const s = lane.start[i], e = lane.end[i], with_it = inside.filter(([a, b]) => s < b && (e > a || (s === e && s >= a)));
			if (with_it.length)
				f(i, with_it.reduce((sum, [a, b]) => sum + Math.min(b, e) - Math.max(a, s), 0));
		}
	}

	// By name.  Sums are kept in arrays, since there may be millions of kernels.
	function kernelsOf(tracks, inside) {
		const count = new Uint32Array(nsq.names.length), total = new Float64Array(nsq.names.length), colour = new Uint16Array(nsq.names.length);
		for (const track of tracks.filter(t => t.kind === "work"))
			for (const lane of track.lanes)
				each(lane, inside, (i, time) => {
					if (track.kinds[lane.event ? lane.event[i] : i] > 1)            // copies and sets
						return;
					const several = lane.count?.[i], name = several ? 0 : lane.name[i];          // these have no name
					colour[name] = lane.colour[i];
					count[name] += several || 1;
					total[name] += several ? Math.round(time * lane.share[i]) : time;
				});
		const out = new Map();
		count.forEach((n, name) => n && out.set(name, { name, colour: colour[name], count: n, total: total[name] }));
		return out;
	}

	// One process on one GPU.  Idle parts are all the time in the windows without work.
	function ofLane(trace, number, a, b) {
		const lane = trace.lanes[number], inside = parts(lane, a, b), { pid, rank } = trace.processes[lane.process];
		const tracks = trace.tracks.filter(t => t.lane === number), time = new Float64Array(nsq.colour.list.length), causes = {};
		const length = inside.reduce((sum, [x, y]) => sum + y - x, 0), met = new Set();
		for (const { lanes: [parts] } of tracks.filter(t => t.kind === "idle"))
			each(parts, inside, (i, t) => {
				time[parts.colour[i]] += parts.count?.[i] ? Math.round(t * parts.share[i]) : t;
				met.add(parts.colour[i]);
			});
		for (const colour of met)
			causes[nsq.colour.list[colour].label] = time[colour];
		const idle = time.reduce((sum, t) => sum + t, 0);
		return { trace, lane: number, pid, rank, gpu: lane.gpu, busy: length - idle, idle, causes, kernels: kernelsOf(tracks, inside) };
	}

	const top = kernels => [...kernels.values()].sort((x, y) => y.total - x.total || (nsq.names[x.name] < nsq.names[y.name] ? -1 : 1));

	nsq.sums = (a, b) => {
		const lanes = nsq.traces.flatMap(trace => trace.lanes.map((lane, i) => lane.windows.length ? ofLane(trace, i, a, b) : null)).filter(Boolean);
		const all = new Map();
		for (const lane of lanes) {
			for (const [name, k] of lane.kernels) {
				const sum = all.get(name) ?? { ...k, count: 0, total: 0 };
				sum.count += k.count;
				sum.total += k.total;
				all.set(name, sum);
			}
			lane.kernels = top(lane.kernels);
		}
		return { lanes, kernels: top(all) };
	};
}
