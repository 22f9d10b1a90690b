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

	// One process on one GPU, in those parts of its windows.  Idle parts are all the time in the windows without work.
	function ofLane(trace, number, inside) {
		const lane = trace.lanes[number], { pid, rank } = trace.processes[lane.process];
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
		return { trace, lane: number, pid, rank, gpu: lane.gpu, inside, busy: length - idle, idle, causes, kernels: kernelsOf(tracks, inside) };
	}

	const top = kernels => [...kernels.values()].sort((x, y) => y.total - x.total || (nsq.names[x.name] < nsq.names[y.name] ? -1 : 1));

	nsq.sums = (a, b) => {
		const lanes = nsq.traces.flatMap(trace => trace.lanes.map((lane, i) => ofLane(trace, i, parts(lane, a, b))).filter(lane => lane.inside.length));
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

	// ---- how the tools are asked for them

	const WINDOWS = 4;
	const quoted = path => /^[\w./][\w.,:=@%+/-]*$/.test(path) ? path : `'${path.replace(/^-/, "./-").replaceAll("'", "'\\''")}'`;

	// The parts of a lane that were summed, as arguments.  A command with too many of them does not run, so that none answers with less.
	function windows({ trace, inside }) {
		const some = inside.slice(0, WINDOWS).map(([a, b]) => `-w ${nsq.clock(a, trace)}..${nsq.clock(b, trace)}`), more = inside.length - some.length;
		return (inside.length > 1 ? "--merge " : "") + some.join(" ") + (more ? ` (and ${more} more windows)` : "");
	}

	// The commands that print the same sums.  They name processes and GPUs unless all of the trace's were summed over the same time.
	nsq.commands = lanes => {
		const asked = new Map();        // for the arguments, the traces
		for (const trace of nsq.traces) {
			const here = lanes.filter(l => l.trace === trace), when = here.map(windows), alike = here.length === trace.lanes.length && new Set(when).size === 1;
			(alike ? here.slice(0, 1) : here).forEach(({ pid, gpu }, i) => {
				const args = alike ? when[i] : `-p ${pid} -g ${gpu} ${when[i]}`;
				asked.set(args, [...asked.get(args) ?? [], quoted(nsq.names[trace.path])]);
			});
		}
		return [...asked].flatMap(([args, paths]) => [`nsq-gaps --by cause${nsq.adopt ? " --adopt" : ""}`, "nsq-kernels"].map(tool => `${tool} ${args} ${paths.join(" ")}`));
	};
}
