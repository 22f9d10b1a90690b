// The rows of the timeline: traces, processes, their GPUs and threads, as a tree whose branches can be closed.
"use strict";

{
	const HEIGHT = { head: 22, work: 18, idle: 14, exposed: 14, findings: 18, projected: 16, ranges: 16, startend: 16, calls: 14, marks: 14, os: 14, mpi: 14, counter: 30 };
	const LABEL = { idle: "idle", ranges: "ranges", startend: "start/end ranges", calls: "CUDA calls", marks: "marks", os: "OS calls", mpi: "MPI calls" };
	const USUAL = /^(GR Active|SMs Active|SM Issue|Tensor|DRAM|PCIe|NVLink|GPC Clock)/;        // metrics to begin with

	const events = tracks => tracks.reduce((sum, track) => sum + track.n, 0);

	function head(label, title, children, open, preview) {
		return { label, title, children: children.filter(Boolean), open, preview, height: HEIGHT.head };
	}

	function row(track, label, title) {
		const height = HEIGHT[track.kind], crowd = track.crowded ? `; ${track.crowded} events find no free line and share the last` : "";
		return { label, title: (title ?? label) + crowd, track, height: track.lanes ? height * track.lanes.length + 2 : height, level: height };
	}

	function streamRow(trace, track) {
		if (track.streams)
			return row(track, `${track.streams} streams`, `${track.streams} streams with little work`);
		const s = trace.streams[track.stream], lane = trace.lanes[track.lane];
		const contexts = new Set(trace.streams.filter(o => o.process === s.process && o.gpu === lane.gpu).map(o => o.ctx));
		return row(track, `stream ${s.stream ?? "-"}` + (contexts.size > 1 ? ` ctx ${s.ctx ?? "-"}` : ""),
			`stream ${s.stream ?? "-"} of context ${s.ctx ?? "-"} on GPU ${lane.gpu}`);
	}

	nsq.counterName = counter => counter.bytes ? `${nsq.names[counter.name]} memory` : nsq.names[counter.name].replace(/ \[.*\]$/, "");

	function counterRow(counter) {
		return row(counter, nsq.counterName(counter), counter.bytes ? `${nsq.names[counter.name]} memory, allocated` : nsq.names[counter.name]);
	}

	function gpuRows(trace, process, lane) {
		const of = trace.tracks.filter(t => t.lane === lane), gpu = trace.lanes[lane].gpu;
		const memory = trace.counters.filter(c => c.process === process && c.gpu === gpu);
		const one = (kind, label, title) => of.filter(t => t.kind === kind).map(t => row(t, label, title));
		return of.length && head(`GPU ${gpu}`, `GPU ${gpu}`,
			[...one("findings", "findings", "what nsq-advise found, each where it shows most; x goes to the next"),
				...of.filter(t => t.kind === "work").map(t => streamRow(trace, t)),
				...one("exposed", "exposed comm", "communication that no compute of the process on this GPU hides"),
				...one("idle", "idle", "idle time of the process on this GPU, by cause"),
				...one("projected", "ranges on GPU", "the GPU side of ranges: from the first to the last work launched in them"),
				...memory.map(counterRow)],
			true, of.filter(t => t.kind === "work").flatMap(t => t.lanes).slice(0, 1));
	}

	function threadRows(trace, thread, open) {
		const of = trace.tracks.filter(t => t.thread === thread), { tid, name } = trace.threads[thread];
		const title = `thread ${tid}` + (name ? ` ${nsq.names[name]}` : "");
		return of.length && head(name ? `${tid} ${nsq.names[name]}` : title, title, of.map(t => row(t, LABEL[t.kind])), open, of.map(t => t.lanes[0]));
	}

	// Of each process the threads with many of its ranges and calls are open, the others only hint at what is in them.
	function processRows(trace, process) {
		const { pid, rank, name, lost } = trace.processes[process];
		const lanes = trace.lanes.map((lane, i) => lane.process === process ? i : -1).filter(i => i >= 0);
		const threads = trace.threads.map((t, i) => t.process === process ? i : -1).filter(i => i >= 0);
		const busy = i => events(trace.tracks.filter(t => t.thread === i && t.kind !== "os"));
		const many = threads.reduce((sum, i) => sum + busy(i), 0) / 10;
		const children = [...lanes.map(i => gpuRows(trace, process, i)), ...threads.map(i => threadRows(trace, i, many > 0 && busy(i) >= many))];
		const label = (rank >= 0 ? `rank ${rank} · pid ${pid}` : `pid ${pid}`) + (lost ? " · events lost" : "");
		return children.some(Boolean) && Object.assign(head(label, label + (name ? ` · ${nsq.names[name]}` : ""), children, false,
			children.filter(Boolean)[0].preview), { steps: trace.steps[process], works: trace.tracks.some(t => t.kind === "work" && lanes.includes(t.lane)) });
	}

	// Metrics belong to a GPU, not to a process.  There are dozens; those that most people look for come first.
	function metricRows(trace) {
		const of = trace.counters.filter(c => c.process < 0), gpus = [...new Set(of.map(c => c.gpu))];
		return gpus.map(gpu => {
			const all = of.filter(c => c.gpu === gpu), first = all.filter(c => c.bytes || USUAL.test(nsq.names[c.name]));
			const rest = all.filter(c => !first.includes(c));
			return head(`GPU ${gpu} metrics`, `metrics of GPU ${gpu}`, [...first.map(counterRow),
				rest.length && head(`${rest.length} more`, `${rest.length} more metrics`, rest.map(counterRow), !first.length, [])], true, []);
		});
	}

	// Of many processes only the first that works on a GPU is open.
	function traceRows(trace) {
		const shown = trace.processes.map((p, i) => processRows(trace, i)).filter(Boolean), first = shown.find(row => row.works);
		for (const row of shown)
			row.open = shown.length <= 16 || row === first;
		const path = nsq.names[trace.path];
		return head(path.replace(/.*\//, ""), path, [...shown, ...metricRows(trace)], true, []);
	}

	// The rows as a tree; branches: those that can be closed, from top to bottom; leaf: by track, its row.
	nsq.tree = () => {
		const tree = nsq.traces.map(traceRows), branches = [], leaf = new Map();
		const meet = (node, parent) => {
			node.parent = parent;
			node.usually = node.open;
			if (node.track)
				leaf.set(node.track, node);
			else
				branches.push(node);
			node.children?.forEach(child => meet(child, node));
		};
		tree.forEach(trace => meet(trace, null));
		return { tree, branches, leaf };
	};

	// The rows that are open, from top to bottom, each with its place.
	nsq.layout = tree => {
		const out = [];
		let y = 0;
		const add = (node, depth) => {
			out.push(Object.assign(node, { y, depth }));
			y += node.height;
			if (node.open)
				node.children.forEach(child => add(child, depth + 1));
		};
		// the name of a single trace stands in the title
		tree.forEach(trace => tree.length > 1 ? add(trace, 0) : trace.children.forEach(child => add(child, 0)));
		return { rows: out, height: y };
	};
}
