// The panel: the event that was chosen, the sums of the selection, keys and colours.  What a trace says is only ever
// put into the page as text.
"use strict";

{
	const $ = id => document.getElementById(id);
	const CHIP = "chip", TOP = 12, LINKS = 5, COMMANDS = 8;

	function element(tag, ...content) {
		const e = document.createElement(tag);
		e.append(...content.filter(c => c !== null && c !== undefined));
		return e;
	}

	function chip(hex) {
		const e = element("span");
		e.className = CHIP;
		e.style.background = hex;
		return e;
	}

	function list(pairs) {
		const dl = element("dl");
		for (const [name, value] of pairs)
			if (value !== null && value !== undefined && value !== "")
				dl.append(element("dt", name), element("dd", value));
		return dl;
	}

	function table(header, lines) {
		return element("table", element("thead", element("tr", ...header.map(h => element("th", h)))),
			element("tbody", ...lines.map(cells => element("tr", ...cells.map(c => element("td", c))))));
	}

	const text = number => number ? nsq.names[number] : null;

	function threadOf(trace, number) {
		const { tid, name } = trace.threads[number];
		return `${tid}` + (name ? ` ${nsq.names[name]}` : "");
	}

	function processOf(trace, number) {
		const { pid, rank, name } = trace.processes[number];
		return `${pid}` + (rank >= 0 ? `, rank ${rank}` : "") + (name ? `, ${nsq.names[name]}` : "");
	}

	function rangesAround(number) {
		const names = nsq.ranges(number);
		return names.length ? element("ol", ...names.map((name, i) => element("li", `${"› ".repeat(Math.min(1, i))}${name}`))) : null;
	}

	// What there is to say about an event: values for tests, from which the panel is made.
	nsq.details = ({ lane, i }) => {
		const { track } = lane, { trace } = track, e = lane.event ? lane.event[i] : i, get = name => track.get(name, e);
		const { start, end, cut } = nsq.whole(lane, i);
		if (track.kind === "counter")
			return { kind: track.bytes ? "memory" : "metric", name: nsq.counterName(track), value: nsq.value(track, track.value[i]), start: nsq.clock(start, trace),
				end: nsq.clock(end, trace), dur: end - start, shown: null, gpu: track.gpu, process: track.process < 0 ? null : processOf(trace, track.process),
				trace: nsq.names[trace.path] };
		if (lane.count?.[i])
			return severalDetails(lane, i, e, start, end);
		const out = { kind: nsq.kindOf(track, e), name: nsq.names[lane.name[i]], start: nsq.clock(start, trace), end: nsq.clock(end, trace), dur: end - start,
			shown: cut ? lane.end[i] - lane.start[i] : null, process: processOf(trace, track.process), trace: nsq.names[trace.path] };
		if (track.kind === "work")
			return workDetails(out, trace, lane, i, get, start);
		if (track.kind === "findings")
			return Object.assign(out, { kind: `finding, ${lane.finding[i].severity}`, gpu: trace.lanes[track.lane].gpu, finding: lane.finding[i] });
		if (track.kind === "projected" || track.kind === "exposed")
			return Object.assign(out, { gpu: trace.lanes[track.lane].gpu, path: get("path"), domain: text(get("domain")) });
		if (track.kind === "idle")
			return gapDetails(out, trace, track, get("gap"));
		return Object.assign(out, { thread: threadOf(trace, track.thread), path: get("path"), domain: text(get("domain")),
			class: track.kind === "calls" ? nsq.colour.classes[get("class")] : null });
	};

	function severalDetails(lane, i, e, start, end) {
		const { track } = lane, { trace } = track, path = nsq.names[trace.path];
		return { kind: nsq.kindOf(track, e), name: nsq.several(lane, i), start: nsq.clock(start, trace), end: nsq.clock(end, trace), dur: end - start, shown: null,
			process: processOf(trace, track.process), trace: path, together: Math.round((end - start) * lane.share[i]),
			longest: track.kind === "idle" ? nsq.colour.list[lane.colour[i]].label : nsq.names[lane.name[i]],
			see: `nsq-view -w ${nsq.clock(start, trace)}..${nsq.clock(end, trace)} -o part.html ${path}` };
	}

	function workDetails(out, trace, lane, i, get, start) {
		const launch = get("launch"), at = launch ? lane.start[i] - nsq.signed(launch - 1) : 0, s = trace.streams[get("stream")];
		return Object.assign(out, { full: text(get("full")), category: nsq.colour.list[lane.colour[i]].label,
			launch: launch ? nsq.clock(at, trace) : null, lag: launch ? start - at : null,
			thread: launch ? threadOf(trace, get("thread") - 1) : null, gpu: s.gpu, ctx: s.ctx, stream: s.stream, path: get("path"),
			grid: text(get("grid")), block: text(get("block")), bytes: get("bytes") ? get("bytes") - 1 : null });
	}

	function gapDetails(out, trace, track, gap) {
		const { gaps } = trace, get = name => gaps.get(name, gap);
		return Object.assign(out, { kind: "idle", name: `idle: ${nsq.colour.causes[get("cause")]}`, start: nsq.clock(gaps.start[gap], trace), end: nsq.clock(gaps.end[gap], trace),
			dur: gaps.end[gap] - gaps.start[gap], shown: null, gpu: trace.lanes[track.lane].gpu, cause: nsq.colour.causes[get("cause")],
			synced: get("synced"), api: text(get("api")), nvtx: text(get("nvtx")), prev: text(get("prev")), next: text(get("next")) });
	}

	const LINKED = { calls: "launches", work: "launched by", ranges: "GPU side", projected: "CPU side" };

	// The other ends of an event's links, each to go to.
	function buttons(others, go) {
		const more = others.length > LINKS ? `and ${others.length - LINKS} more` : null;
		return others.length ? element("div", ...others.slice(0, LINKS).map(other => {
			const { start, end } = nsq.whole(other.lane, other.i), b = element("button", other.lane.count?.[other.i] ? nsq.several(other.lane, other.i) :
				`${nsq.names[other.lane.name[other.i]]}, ${nsq.duration(end - start)}`);
			b.type = "button";
			b.addEventListener("click", () => go(other));
			return b;
		}), more) : null;
	}

	nsq.showDetails = (chosen, others, go) => {
		const section = $("details"), d = chosen && nsq.details(chosen);
		section.hidden = !d;
		if (!d)
			return;
		const colour = d.cause ? nsq.colour.cause + nsq.colour.causes.indexOf(d.cause) : chosen.lane.value ? nsq.colour.counter : chosen.lane.colour[chosen.i];
		section.replaceChildren(element("h2", chip(nsq.colour.list[colour].hex), element("span", d.name)), list([
			...(d.finding ? [["found", text(d.finding.finding)], ["would save", d.finding.recover === undefined ? null : `${nsq.duration(d.finding.recover)} ${d.finding.per}, ${d.finding.pct} %`],
				["advice", text(d.finding.advice)], ["evidence", element("code", text(d.finding.evidence))]] : []),
			["kind", d.kind + (d.class ? `, ${d.class}` : "")], [nsq.by, d.category], ["value", d.value], [d.finding ? "marked" : "duration", d.finding && !d.dur ? null : nsq.duration(d.dur) + (d.finding?.shown ? `: ${d.finding.shown}` : "")],
			["in the page", d.shown === null ? null : `${nsq.duration(d.shown)} of it: a window cuts it`], ["start", `${nsq.thousands(d.start)} ns`], ["end", `${nsq.thousands(d.end)} ns`],
			["together", d.together === undefined ? null : nsq.duration(d.together)], ["the longest", d.longest], ["all of them", d.see && element("code", d.see)],
			["launched", d.launch && `${nsq.thousands(d.launch)} ns (${nsq.duration(Math.abs(d.lag))} ${d.lag < 0 ? "after" : "before"} its start)`],
			[LINKED[chosen.lane.track.kind], buttons(others, go)],
			["cause", d.cause && d.cause + (d.synced ? ", after a synchronization" : "")], ["call", d.api], ["range", d.nvtx],
			["previous work", d.prev], ["next work", d.next],
			["process", d.process], ["thread", d.thread], ["GPU", d.gpu === undefined ? null : `${d.gpu}`],
			["stream", d.stream === undefined ? null : `${d.stream ?? "-"} of context ${d.ctx ?? "-"}`],
			["ranges", d.path ? rangesAround(d.path) : null], ["domain", d.domain], ["grid", d.grid], ["block", d.block],
			["bytes", d.bytes === null || d.bytes === undefined ? null : `${nsq.bytes(d.bytes)}` + (d.dur ? `, ${(d.bytes / d.dur).toFixed(2)} GB/s` : "")],
			["full name", d.full && d.full !== d.name ? d.full : null],
			["trace", nsq.traces.length > 1 ? d.trace : null],
		]));
		$("status").textContent = `${d.kind} ${d.name}, ${d.value ?? nsq.duration(d.dur)}`;
	};

	const percent = (part, whole) => whole ? `${(100 * part / whole).toFixed(2)} %` : "-";

	function kernelTable(kernels) {
		const total = kernels.reduce((sum, k) => sum + k.total, 0);
		return table(["kernel", "count", "total", "share"], kernels.slice(0, TOP).map(k =>
			[element("span", chip(nsq.colour.list[k.colour].hex), k.name ? nsq.names[k.name] : "not kept one by one"), `${k.count}`, nsq.duration(k.total), percent(k.total, total)]));
	}

	// Whose kernels to list: those of all processes together, or of one on one GPU.
	function chooser(sums, show) {
		const label = l => (l.rank >= 0 ? `rank ${l.rank}, ` : "") + `pid ${l.pid}, GPU ${l.gpu}`;
		const select = element("select", ...[["all processes", -1], ...sums.lanes.map((l, i) => [label(l), i])].map(([name, value]) => {
			const option = element("option", name);
			option.value = value;
			return option;
		}));
		select.setAttribute("aria-label", "Kernels of");
		select.addEventListener("change", () => show(+select.value));
		return sums.lanes.length > 1 ? select : null;
	}

	// What the sums are of, and the commands that print them; more than the two of one process would push the sums out of sight.
	function asked({ a, b }, lanes) {
		const commands = nsq.commands(lanes), more = Math.max(0, commands.length - COMMANDS), part = lanes.some(({ inside: [[x, y]] }) => x > a || y < b);
		const box = element("details", element("summary", "Commands that print these sums"), ...commands.slice(0, COMMANDS).map(command => element("code", command)),
			more ? element("p", `and ${more} more, for other processes`) : null);
		box.open = commands.length <= 2;
		return [part ? element("p", "The page holds GPU time for a part of this; the sums are of that part.") : null, box];
	}

	const SIDES = { gpu: "GPU side of the range", cpu: "CPU side of the range" };
	let summed = null;      // the selection whose sums are in the panel

	nsq.showSelection = selection => {
		const section = $("selection");
		if (selection && summed?.a === selection.a && summed.b === selection.b)
			return;
		summed = selection && { ...selection };
		if (!selection)
			return;
		const { a, b } = selection, sums = nsq.sums(a, b), kernels = element("div");
		const show = i => kernels.replaceChildren(kernelTable(i < 0 ? sums.kernels : sums.lanes[i].kernels));
		const causes = {};
		for (const lane of sums.lanes)
			for (const [cause, ns] of Object.entries(lane.causes))
				causes[cause] = (causes[cause] ?? 0) + ns;
		const time = sums.lanes.reduce((sum, l) => sum + l.busy + l.idle, 0);
		show(-1);
		const { step } = selection, what = step ? `${/\d/.test(step.name) ? "" : `Step ${step.number}: `}${step.name}${step.typical ? ", the typical one" : ""}` : SIDES[selection.side] ?? "Selection";
		const title = element("h2", `${what}: ${nsq.duration(b - a)}`);
		section.replaceChildren(...(sums.lanes.length ? [title, ...asked(selection, sums.lanes),
			nsq.thinned ? element("p", "About: the page does not hold all events one by one; these commands are exact.") : null,
			element("h3", "GPU busy and idle"),
			table(["process", "GPU", "busy", "idle", "idle"], sums.lanes.map(l => [l.rank >= 0 ? `${l.pid}, rank ${l.rank}` : `${l.pid}`, `${l.gpu}`,
				nsq.duration(l.busy), nsq.duration(l.idle), percent(l.idle, l.busy + l.idle)])),
			element("h3", "Idle by cause"),
			table(["cause", "time", "share"], Object.entries(causes).sort((x, y) => y[1] - x[1]).map(([cause, ns]) =>
				[element("span", chip(nsq.colour.list[nsq.colour.cause + nsq.colour.causes.indexOf(cause)].hex), cause), nsq.duration(ns), percent(ns, time)])),
			element("h3", "Kernels"), chooser(sums, show), kernels] : [title, element("code", `-w ${nsq.clock(a)}..${nsq.clock(b)}`),
			element("p", "The page holds no GPU time here.")]).filter(Boolean));
	};

	// The colours in sight, by what they are about.
	const LEGEND = [["Kernels", "category"], ["Idle", "idle"], ["CUDA calls", "call"]];
	let explained = "";

	nsq.showLegend = seen => {
		const key = nsq.colour.list.filter((_, i) => seen[i]).map(c => c.kind + c.label + c.hex).join();
		if (key === explained)
			return;
		explained = key;
		$("legend").replaceChildren(...LEGEND.flatMap(([title, kind]) => {
			const chips = nsq.colour.list.filter((c, i) => seen[i] && c.kind === kind).map(c => element("span", chip(c.hex), c.label));
			return chips.length ? [element("b", title), ...chips] : [];
		}));
	};

	const KEYS = [
		["wheel, w s, + -", "zoom"], ["drag, a d, ← →", "move in time"], ["↑ ↓", "scroll"], ["f 0", "show everything"],
		["/", "search"], ["n p", "next and previous match"], ["click", "details of an event"], [". ,", "next and previous event of the row"],
		["j k", "event in the row below, above"], ["l", "from a call to its work, or back"], ["c", "CPU side of a range instead of its GPU side"], ["x X", "next and previous finding"],
		["{ }", "previous and next step"], ["t", "the typical step"], ["z", "zoom to the event or selection"], ["shift drag, Select", "select a time"],
		["m", "select the event, or what is in view"], ["[ ]", "the selection begins, ends here"], ["shift ← →", "move its end"], ["Escape", "close, deselect"],
	];

	nsq.showHelp = shown => {
		const section = $("about"), of = kind => nsq.colour.list.filter(c => c.kind === kind);
		section.hidden = !shown;
		$("help").setAttribute("aria-expanded", shown);
		if (!shown)
			return;
		const chips = kind => {
			const div = element("div", ...of(kind).map(c => element("span", chip(c.hex), c.label)));
			div.className = "chips";
			return div;
		};
		section.replaceChildren(element("h2", "Keys"), list(KEYS.map(([key, does]) => [element("kbd", key), does])),
			element("h3", "Kernels"), chips("category"), element("h3", "Idle"), chips("idle"), element("h3", "CUDA calls"), chips("call"),
			element("p", `Made by nsq-view ${nsq.version}. Times of events are nanoseconds of their trace's clock.`),
			...(nsq.clockWords ? [element("p", `Clocks: ${nsq.clockWords}.`)] : []));
	};
}
