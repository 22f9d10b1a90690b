// The panel: the event that was chosen and the sums of the selection; keys and colours.  What a trace says is only ever
// put into the page as text.
"use strict";

{
	const $ = id => document.getElementById(id);
	const TOP = 12, LINKS = 5, COMMANDS = 8;

	function element(tag, ...content) {
		const e = document.createElement(tag);
		e.append(...content.filter(c => c !== null && c !== undefined));
		return e;
	}

	// A colour of the list; that of a severity in its shape.
	function chip({ hex, kind, label }) {
		const e = element("span");
		e.className = "chip";
		e.style.background = hex;
		if (kind === "finding")
			e.style.clipPath = `polygon(${nsq.shapes[label].map(([x, y]) => `${100 * x}% ${100 * y}%`).join()})`;
		return e;
	}

	function button(text, act) {
		const b = element("button", text);
		b.type = "button";
		b.addEventListener("click", act);
		return b;
	}

	function list(pairs) {
		const dl = element("dl");
		for (const [name, value] of pairs)
			if (value !== null && value !== undefined && value !== "")
				dl.append(element("div", element("dt", name), element("dd", value)));
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
		return { kind: nsq.kindOf(track, e), name: nsq.nameOf(lane, i), start: nsq.clock(start, trace), end: nsq.clock(end, trace), dur: end - start, shown: null,
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
			const { start, end } = nsq.whole(other.lane, other.i);
			return button(`${nsq.nameOf(other.lane, other.i)}${other.lane.count?.[other.i] ? "" : `, ${nsq.duration(end - start)}`}`, () => go(other));
		}), more) : null;
	}

	nsq.showDetails = (chosen, others, go) => {
		const section = $("details"), d = chosen && nsq.details(chosen);
		section.hidden = !d;
		if (!d)
			return;
		const colour = d.cause ? nsq.colour.cause + nsq.colour.causes.indexOf(d.cause) : chosen.lane.value ? nsq.colour.counter : chosen.lane.colour[chosen.i];
		section.replaceChildren(element("h2", chip(nsq.colour.list[colour]), element("span", d.name)), list([
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
			[element("span", chip(nsq.colour.list[k.colour]), k.name ? nsq.names[k.name] : "not kept one by one"), `${k.count}`, nsq.duration(k.total), percent(k.total, total)]));
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

	// The commands that print the sums; more than the two of one process would push the sums out of sight.
	function asked(lanes) {
		const commands = nsq.commands(lanes), more = Math.max(0, commands.length - COMMANDS);
		const box = element("details", element("summary", "Commands that print these sums"), ...commands.slice(0, COMMANDS).map(command => element("code", command)),
			more ? element("p", `and ${more} more, for other processes`) : null);
		box.open = commands.length <= 2;
		return box;
	}

	// How much of a selection the sums are of, where the page does not hold all of it.
	function partly({ a, b }, lanes) {
		const held = [...new Set(lanes.map(({ inside }) => inside.reduce((sum, [x, y]) => sum + y - x, 0)))].sort((x, y) => x - y);
		return held[0] === b - a ? null : element("p", `The page holds ${held.length > 1 ? `${nsq.duration(held[0])} to ` : ""}${nsq.duration(held.at(-1))} of this time${held.length > 1 ? ", depending on the GPU" : ""}; the sums are over that.`);
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
		const { step } = selection, what = step ? `${nsq.stepped().several ? `${step.row.who}, ` : ""}${/\d/.test(step.name) ? "" : `Step ${step.number}: `}${step.name}${step.typical ? ", the typical one" : ""}` : SIDES[selection.side] ?? "Selection";
		const title = element("h2", `${what}: ${nsq.duration(b - a)}`), blocks = element("div",
			element("div", asked(sums.lanes), element("h3", "GPU busy and idle"),
				table(["process", "GPU", "busy", "idle", "share"], sums.lanes.map(l => [l.rank >= 0 ? `${l.pid}, rank ${l.rank}` : `${l.pid}`, `${l.gpu}`,
					nsq.duration(l.busy), nsq.duration(l.idle), percent(l.idle, l.busy + l.idle)]))),
			element("div", element("h3", "Idle by cause"),
				table(["cause", "time", "share"], Object.entries(causes).sort((x, y) => y[1] - x[1]).map(([cause, ns]) =>
					[element("span", chip(nsq.colour.list[nsq.colour.cause + nsq.colour.causes.indexOf(cause)]), cause), nsq.duration(ns), percent(ns, time)]))),
			element("div", element("h3", "Kernels"), chooser(sums, show), kernels));
		blocks.className = "blocks";
		section.replaceChildren(...(sums.lanes.length ? [title, partly(selection, sums.lanes),
			nsq.thinned ? element("p", "About: the page does not hold all events one by one; these commands are exact.") : null, blocks] :
			[title, element("code", `-w ${nsq.clock(a)}..${nsq.clock(b)}`), element("p", "The page holds no GPU time here.")]).filter(Boolean));
	};

	// The colours in sight, by what they are about; a click highlights one.
	const LEGEND = [["Findings", "finding"], ["Kernels", "category"], ["Idle", "idle"], ["CUDA calls", "call"]];
	let explained = "";

	nsq.showLegend = (seen, lit) => {
		const listed = nsq.colour.list.map((c, i) => [c, i]).filter(([c, i]) => seen[i] || lit?.colour === i), key = listed.map(([c, i]) => c.hex + i).join() + lit?.colour;
		if (key === explained)
			return;
		explained = key;
		$("legend").replaceChildren(...LEGEND.flatMap(([title, kind]) => {
			const chips = listed.filter(([c]) => c.kind === kind).map(([c, i]) => {
				const b = button(chip(c), () => nsq.light(i));
				b.append(c.label);
				b.setAttribute("aria-pressed", lit?.colour === i);
				return b;
			});
			return chips.length ? [element("b", title), ...chips] : [];
		}));
	};

	const KEYS = [
		["Move", [["Ctrl wheel|w|s|+|-", "zoom"], ["drag|Shift wheel|a|d|←|→", "move in time"], ["wheel|↑|↓", "scroll"], ["double click|z", "zoom to the event or selection"],
			["f|0", "show everything"], ["Home", "what the page opened with"], ["t", "the typical step"], ["{|}", "previous and next step"]]],
		["Find", [["/", "search"], ["n|p", "next and previous match"], ["x|X", "next and previous finding"], ["click", "details of an event"],
			[".|,", "next and previous event of the row"], ["j|k", "event in the row below, above"], ["l", "from a call to its work, or back"]]],
		["Select", [["Shift drag", "select a time"], ["m", "select the event, or what is in view"], ["[|]", "the selection begins, ends here"], ["Shift ←|Shift →", "move its end"],
			["c", "CPU side of a range instead of its GPU side"], ["e", "table of the events in view"]]],
		["Rows", [["r", "show only some rows"], ["P", "pin the row of the event or the pointer"], ["h", "hide it"], ["H", "show all hidden rows"], ["Escape", "close, deselect"]]],
	];

	nsq.showHelp = () => {
		const of = kind => nsq.colour.list.filter(c => c.kind === kind);
		const chips = kind => {
			const div = element("div", ...of(kind).map(c => element("span", chip(c), c.label)));
			div.className = "chips";
			return div;
		};
		const keys = element("div", ...KEYS.map(([title, some]) => element("div", element("h3", title), list(some.map(([of, does]) => [element("span", ...of.split("|").map(key => element("kbd", key))), does])))));
		keys.className = "blocks";
		$("about").replaceChildren(button("Close", () => $("about").close()), element("h2", "Keys"), keys,
			...LEGEND.flatMap(([title, kind]) => [element("h3", title), chips(kind)]),
			element("p", "Time outside the windows of the page is hatched. A click on a colour of the legend highlights it."),
			element("p", `Made by nsq-view ${nsq.version}. Times of events are nanoseconds of their trace's clock.`),
			...(nsq.clockWords ? [element("p", `Clocks: ${nsq.clockWords}.`)] : []));
		$("about").showModal();
	};

	Object.assign(nsq, { element, button, chip });
}
