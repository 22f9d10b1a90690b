// The rows of the timeline: traces, processes, their GPUs and threads, as a tree whose branches can be closed.
"use strict";

{
	const HEIGHT = { head: 22, work: 18, idle: 14, exposed: 14, findings: 18, projected: 16, ranges: 16, startend: 16, calls: 14, marks: 14, os: 14, mpi: 14, counter: 30 };
	const LABEL = { idle: "idle", ranges: "ranges", startend: "start/end ranges", calls: "CUDA calls", marks: "marks", os: "OS calls", mpi: "MPI calls" };
	const USUAL = /^(GR Active|SMs Active|SM Issue|Tensor|DRAM|PCIe|NVLink|GPC Clock)/;        // metrics to begin with
	const FOLDED = 4;       // lines that a deep row keeps when it is closed
	const STUCK = .6;       // of the height: pinned rows beyond it scroll with the others

	const events = tracks => tracks.reduce((sum, track) => sum + track.n, 0);

	// windows: outside them there is nothing to see; null: its rows have their own.
	function head(label, title, windows, children, open, preview) {
		return { label, title, windows, children: children.filter(Boolean), open, preview };
	}

	function row(track, windows, label, title) {
		const crowd = track.crowded ? `; ${track.crowded} events find no free line and share the last` : "";
		return { label, title: (title ?? label) + crowd, track, windows, level: HEIGHT[track.kind], deep: track.lanes.length > FOLDED + 1 };
	}

	// How many lines of a row are shown.
	const lines = row => row.deep && !row.open ? FOLDED : row.track.lanes.length;

	function streamRow(trace, track) {
		const s = trace.streams[track.stream], lane = trace.lanes[track.lane];
		if (track.streams)
			return row(track, lane.windows, `${track.streams} streams`, `${track.streams} streams with little work`);
		const contexts = new Set(trace.streams.filter(o => o.process === s.process && o.gpu === lane.gpu).map(o => o.ctx));
		return row(track, lane.windows, `stream ${s.stream ?? "-"}` + (contexts.size > 1 ? ` ctx ${s.ctx ?? "-"}` : ""),
			`stream ${s.stream ?? "-"} of context ${s.ctx ?? "-"} on GPU ${lane.gpu}`);
	}

	nsq.counterName = counter => counter.bytes ? `${nsq.names[counter.name]} memory` : nsq.names[counter.name].replace(/ \[.*\]$/, "");

	function counterRow(counter) {
		const { trace, process } = counter;
		return row(counter, process < 0 ? trace.windows : trace.processes[process].windows, nsq.counterName(counter),
			counter.bytes ? `${nsq.names[counter.name]} memory, allocated` : nsq.names[counter.name]);
	}

	function gpuRows(trace, process, lane) {
		const of = trace.tracks.filter(t => t.lane === lane), { gpu, windows } = trace.lanes[lane];
		const memory = trace.counters.filter(c => c.process === process && c.gpu === gpu);
		const one = (kind, label, title) => of.filter(t => t.kind === kind).map(t => row(t, windows, label, title));
		return of.length && head(`GPU ${gpu}`, `GPU ${gpu}`, windows,
			[...one("findings", "findings", "what nsq-advise found, each where it shows most; x goes to the next"),
				...of.filter(t => t.kind === "work").map(t => streamRow(trace, t)),
				...one("exposed", "exposed comm", "communication that no compute of the process on this GPU hides"),
				...one("idle", "idle", "idle time of the process on this GPU, by cause"),
				...one("projected", "ranges on GPU", "the GPU side of ranges: from the first to the last work launched in them"),
				...memory.map(counterRow)],
			true, of.filter(t => t.kind === "work").flatMap(t => t.lanes).slice(0, 1));
	}

	function threadRows(trace, thread, open) {
		const of = trace.tracks.filter(t => t.thread === thread), { tid, name, process } = trace.threads[thread], { windows } = trace.processes[process];
		const title = `thread ${tid}` + (name ? ` ${nsq.names[name]}` : "");
		return of.length && head(name ? `${tid} ${nsq.names[name]}` : title, title, windows, of.map(t => row(t, windows, LABEL[t.kind])), open, of.map(t => t.lanes[0]));
	}

	const works = (trace, process) => trace.tracks.some(t => t.kind === "work" && trace.lanes[t.lane].process === process);

	// Does nsq-advise find that the others wait for it?
	const isLate = (trace, process) => nsq.findings.some(f => nsq.names[f.kind] === "late" && nsq.traces[f.trace] === trace && f.process === process);

	// Of a process that is alone, the threads with many of its ranges and calls are open; the others only hint at what is in them.  Of
	// several that work on GPUs, so that these stand below each other, all threads are in one closed branch.
	function processRows(trace, process, alone) {
		const { pid, rank, name, lost } = trace.processes[process], late = isLate(trace, process);
		const lanes = trace.lanes.map((lane, i) => lane.process === process ? i : -1).filter(i => i >= 0);
		const threads = trace.threads.map((t, i) => t.process === process ? i : -1).filter(i => i >= 0);
		const busy = i => events(trace.tracks.filter(t => t.thread === i && t.kind !== "os"));
		const many = threads.reduce((sum, i) => sum + busy(i), 0) / 10, gpus = lanes.map(i => gpuRows(trace, process, i)).filter(Boolean);
		const apart = alone || !gpus.length, cpus = threads.map(i => threadRows(trace, i, apart && many > 0 && busy(i) >= many)).filter(Boolean), n = cpus.length;
		const children = [...gpus, ...apart || n < 2 ? cpus : [head(`${n} threads`, `${n} threads`, cpus[0].windows, cpus, false, cpus[0].preview)]];
		const who = rank >= 0 ? `rank ${rank}` : `pid ${pid}`, label = who + (late ? " · late" : "") + (rank >= 0 ? ` · pid ${pid}` : "") + (lost ? " · events lost" : "");
		return n + gpus.length && Object.assign(head(label, label + (name ? ` · ${nsq.names[name]}` : "") + (late ? "; the others wait for it" : ""), null, children, false,
			children[0].preview), { steps: trace.steps[process], works: works(trace, process), late, who, process, trace });
	}

	// Metrics belong to a GPU, not to a process.  There are dozens; those that most people look for come first.
	function metricRows(trace) {
		const of = trace.counters.filter(c => c.process < 0), gpus = [...new Set(of.map(c => c.gpu))];
		return gpus.map(gpu => {
			const all = of.filter(c => c.gpu === gpu), first = all.filter(c => c.bytes || USUAL.test(nsq.names[c.name]));
			const rest = all.filter(c => !first.includes(c));
			return head(`GPU ${gpu} metrics`, `metrics of GPU ${gpu}`, null, [...first.map(counterRow),
				rest.length && head(`${rest.length} more`, `${rest.length} more metrics`, null, rest.map(counterRow), !first.length, [])], true, []);
		});
	}

	// What tells paths apart: the last parts, if these differ, from the first word that does, and without an ending that all have.
	function shortPaths(paths) {
		const last = paths.map(path => path.replace(/.*\//, "")), names = new Set(last).size < last.length ? paths : last, [first] = names, ending = /\.\w+$/.exec(first)?.[0] ?? "";
		let same = 0;
		while (names.length > 1 && same < first.length && names.every(name => name[same] === first[same]))
			same++;
		const from = first.slice(0, same).search(/[^-_./ ]*$/), cut = names.every(name => name.endsWith(ending)) ? ending.length : 0;
		return names.map(name => name.slice(from, name.length - cut) || name);
	}

	// Processes that do not work on a GPU are closed if others do; of many that do, all but the first and the one that keeps the others
	// waiting.
	function traceRows(trace, label, alone) {
		const shown = trace.processes.map((p, i) => processRows(trace, i, alone)).filter(Boolean), working = shown.filter(row => row.works), main = working.length ? working : shown;
		for (const row of shown)
			row.open = main.includes(row) && (main.length <= 16 || row === main[0] || row.late);
		return head(label, nsq.names[trace.path], null, [...shown, ...metricRows(trace)], true, []);
	}

	// The rows as a tree; all: from top to bottom; leaf: by track, its row.  A deep row is closed unless one process has the page.  The
	// path of a row names what it is in, but not the only trace or process; inward is the path the other way round.
	nsq.tree = () => {
		const alone = nsq.traces.flatMap(trace => trace.processes.filter((_, i) => works(trace, i))).length < 2;
		const labels = shortPaths(nsq.traces.map(trace => nsq.names[trace.path])), tree = nsq.traces.map((trace, i) => traceRows(trace, labels[i], alone)), all = [], leaf = new Map();
		const processes = tree.flatMap(trace => trace.children).filter(row => row.process !== undefined).length;
		const said = node => node && (node.process === undefined || processes > 1) && (node.parent || tree.length > 1);
		const meet = (node, parent) => {
			node.open = node.deep ? alone : Boolean(node.open);
			Object.assign(node, { parent, usually: node.open, hidden: false, pinned: false, kept: true, levels: node.track ? lines(node) : 0,
				path: said(parent) ? `${parent.path} · ${node.label}` : node.label, inward: said(parent) ? `${node.label} · ${parent.inward}` : node.label });
			all.push(node);
			node.steps?.forEach(step => { step.row = node; });
			if (node.track)
				leaf.set(node.track, node);
			node.children?.forEach(child => meet(child, node));
		};
		tree.forEach(trace => meet(trace, null));
		return { tree, all, leaf };
	};

	// Keep the rows that match, what is in them and what they are in; matches: by row, in the order of all; null: keep every row.
	nsq.keepRows = (tree, matches) => {
		let i = 0;
		const visit = (node, inside) => {
			const own = !matches || inside || Boolean(matches[i]);
			i++;
			const below = (node.children ?? []).map(child => visit(child, own)).some(Boolean);
			Object.assign(node, { kept: own || below, wanted: !own && below });
			return node.kept;
		};
		tree.forEach(node => visit(node, false));
	};

	// The rows that are shown, from top to bottom, each with its place.  Pinned ones come first; as many of them as there is room
	// for are stuck: they do not scroll.
	nsq.layout = (tree, all, room) => {
		const out = [];
		let y = 0, stuck = 0;
		const place = (node, depth, pinned) => {
			const height = node.track ? node.level * lines(node) + 2 : HEIGHT.head, fits = pinned && stuck === y && y + height <= STUCK * room;
			out.push(Object.assign(node, { y, depth, height, levels: node.track ? lines(node) : 0, stuck: fits }));
			y += height;
			stuck = fits ? y : stuck;
			if (node.children && (node.open || node.wanted))
				node.children.forEach(child => add(child, depth + 1, pinned));
		};
		const add = (node, depth, pinned) => !node.hidden && !node.pinned && node.kept && place(node, depth, pinned);
		all.filter(node => node.pinned).forEach(node => place(node, 0, true));
		// the name of a single trace stands in the title
		(tree.length > 1 ? tree : tree[0].children).forEach(node => add(node, 0, false));
		return { rows: out, height: y, stuck };
	};
}
