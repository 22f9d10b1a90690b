// The state of the view, and what mouse, keys, buttons and the link do to it.
"use strict";

{
	const $ = id => document.getElementById(id);
	const rows = $("rows"), scroll = $("scroll"), map = $("map");
	const STEP = 1.25, PAN = .15;

	// from, to: what is in view; selection: { a, b }; chosen: { lane, i }; links: what that is linked to; text: what is searched for;
	// found: what nsq.find found; exact: case matters.
	const state = { from: 0, to: nsq.length, selection: null, chosen: null, links: nsq.linksOf(null), text: "", found: null, exact: false, help: false };
	let tree, branches, leaf, waiting = false, linked = "", pointer = null;

	// ---- drawing, once a frame

	function redraw() {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			nsq.showSelection(state.selection);
			nsq.draw(state);
			writeLink();
		});
	}

	function labelOf(row) {
		const e = document.createElement(row.children ? "button" : "div");
		e.textContent = row.label;
		e.title = row.title;
		Object.assign(e.style, { top: `${row.y}px`, height: `${row.height}px`, paddingLeft: `${.4 + .55 * row.depth}rem` });
		e.classList.toggle("top", !row.depth);
		if (row.children) {
			e.type = "button";
			e.setAttribute("aria-expanded", row.open);
			e.setAttribute("aria-label", row.title);
			e.addEventListener("click", () => toggle(row));
		}
		return e;
	}

	function layout() {
		const { rows: list, height } = nsq.layout(tree);
		nsq.rows = list;
		const shown = new Set(list);
		nsq.rowOf = track => shown.has(leaf.get(track)) ? leaf.get(track) : undefined;
		nsq.placeOf = lane => {
			let row = leaf.get(lane.track);
			if (shown.has(row))
				return { y: row.y + row.track.lanes.indexOf(lane) * row.level, height: row.level };
			while (!shown.has(row))
				row = row.parent;
			return row;
		};
		$("labels").style.height = `${Math.max(height, scroll.clientHeight)}px`;
		$("labels").replaceChildren(...list.map(labelOf));
	}

	function toggle(row) {
		row.open = !row.open;
		layout();
		[...$("labels").children][nsq.rows.indexOf(row)].focus();
		redraw();
	}

	// Open what a track is in, and bring it into sight.
	function reveal(lane) {
		if (!nsq.rowOf(lane.track)) {
			for (let node = leaf.get(lane.track).parent; node; node = node.parent)
				node.open = true;
			layout();
		}
		const { y, height } = nsq.placeOf(lane);
		if (y < scroll.scrollTop || y + height > scroll.scrollTop + scroll.clientHeight)
			scroll.scrollTop = y - scroll.clientHeight / 3;
	}

	// A canvas that changes its size is empty, so it is drawn at once.
	function resized() {
		nsq.resize();
		nsq.draw(state);
	}

	// ---- what is in view

	function view(from, to) {
		const length = Math.min(Math.max(to - from, 10), nsq.length);
		from = Math.min(Math.max(from, 0), nsq.length - length);
		Object.assign(state, { from, to: from + length });
		redraw();
	}

	const timeAt = x => state.from + (state.to - state.from) * x / nsq.width;

	function zoom(factor, x = pointer ?? nsq.width / 2) {
		const at = timeAt(x), length = Math.min(Math.max((state.to - state.from) * factor, 10), nsq.length);
		view(at - length * x / nsq.width, at + length * (1 - x / nsq.width));
	}

	const pan = share => view(state.from + share * (state.to - state.from), state.to + share * (state.to - state.from));

	// Show a stretch of time with something around it.
	function goTo(a, b) {
		const margin = Math.max((b - a) * .1, 5);
		view(a - margin, b + margin);
	}

	// ---- the panel

	function panel() {
		const was = $("panel").hidden;
		nsq.showDetails(state.chosen, state.links.others, choose);
		nsq.showHelp(state.help);
		$("selection").hidden = !state.selection;
		$("panel").hidden = !state.chosen && !state.selection && !state.help;
		if ($("panel").hidden !== was)
			resized();
		redraw();
	}

	// Choosing a range selects its GPU side, or with side "cpu" that.
	function choose(chosen, side = "gpu") {
		state.chosen = chosen;
		state.links = nsq.linksOf(chosen);
		const time = chosen && nsq.sidesOf(chosen, state.links)?.[side];
		if (time)
			state.selection = { ...time, side };
		else if (state.selection?.side)
			state.selection = null;
		panel();
		if (!chosen)
			return;
		reveal(chosen.lane);
		const a = chosen.lane.start[chosen.i], b = chosen.lane.end[chosen.i], length = state.to - state.from;
		if (b < state.from || a > state.to)
			view((a + b - length) / 2, (a + b + length) / 2);
	}

	function select(a, b) {
		const [x, y] = [a, b].map(t => Math.min(Math.max(Math.round(t), 0), nsq.length)).sort((p, q) => p - q);
		state.selection = x < y ? { a: x, b: y } : null;
		panel();
	}

	function escape() {
		if (document.activeElement === $("find"))
			rows.focus();
		else if (state.help)
			state.help = false;
		else if (state.chosen)
			choose(null);
		else if (state.selection)
			state.selection = null;
		else if (state.text)
			find("");
		panel();
	}

	// ---- search

	async function find(text, exact = state.exact) {
		Object.assign(state, { text, exact });
		$("find").value = text;
		$("find").placeholder = `Find (regex, ${exact ? "case matters" : "any case"})`;
		$("case").setAttribute("aria-pressed", exact);
		const found = text ? await nsq.find(text, exact) : null;
		if (found === undefined || text !== state.text || exact !== state.exact)
			return;                 // another search began
		state.found = found;
		$("find").setAttribute("aria-invalid", Boolean(found?.problem));
		$("count").textContent = found?.problem ?? (found ? `${found.count} found${nsq.thinned ? " of those kept" : ""}${exact ? "" : ", any case"}` : "");
		$("count").title = Object.entries(found?.counts ?? {}).map(([kind, n]) => `${kind} ${n}`).join(", ");
		redraw();
	}

	function nextHit(back) {
		if (!state.found?.count)
			return;
		const { chosen, found } = state, at = chosen && found.lanes.has(chosen.lane) ? { ...chosen, time: chosen.lane.start[chosen.i] } :
			{ time: back ? state.to : state.from - 1, lane: found.lanes.keys().next().value, i: 0 };
		const hit = nsq.nextHit(found, at, back) ?? nsq.nextHit(found, { ...at, time: back ? Infinity : -1 }, back);
		choose({ lane: hit.lane, i: hit.i });
		$("count").textContent = `${number(hit)} of ${state.found.count}`;
	}

	// Which of the matches it is, in order of time.
	function number(hit) {
		let n = 1, above = true;        // lanes above that of the hit come first
		for (const [lane, hits] of state.found.lanes) {
			above &&= lane !== hit.lane;
			n += lane === hit.lane ? nsq.least(hits.at, hit.i) : above ? nsq.above(hits.start, hit.time) : nsq.least(hits.start, hit.time);
		}
		return n;
	}

	// ---- the event under the pointer, and those beside one

	function laneAt(y) {
		const row = nsq.rows.find(r => r.y <= y && y < r.y + r.height);
		return row?.track?.lanes?.[Math.min(row.track.lanes.length - 1, Math.floor((y - row.y) / row.level))];
	}

	function eventAt(x, y) {
		const lane = laneAt(y + scroll.scrollTop), reach = lane?.finding ? 7 : 3;
		const i = lane ? nsq.eventAt(lane, timeAt(x), reach * (state.to - state.from) / nsq.width) : -1;
		return i < 0 ? null : { lane, i };
	}

	function step(by) {
		if (!state.chosen)
			return nextRow(1);
		const { lane, i } = state.chosen;
		if (i + by >= 0 && i + by < lane.start.length)
			choose({ lane, i: i + by });
	}

	// The nearest event in the row below or above; at first, of work.
	function nextRow(by) {
		const lanes = nsq.rows.flatMap(row => row.track?.lanes ?? []), first = Math.max(0, lanes.findIndex(lane => lane.track.kind === "work"));
		const at = state.chosen ? lanes.indexOf(state.chosen.lane) + by : first;
		const middle = state.chosen ? Math.max(state.from, state.chosen.lane.start[state.chosen.i]) : (state.from + state.to) / 2;
		if (at >= 0 && at < lanes.length)
			choose({ lane: lanes[at], i: nsq.eventAt(lanes[at], middle, Infinity) });
	}

	// From a call to its work or from a range to its other side, and back.
	function follow() {
		if (state.links.others.length)
			choose(state.links.others[0]);
	}

	// Of a range, the CPU side instead of the GPU side, and back.
	function otherSide() {
		const to = state.selection?.side === "gpu" ? "cpu" : "gpu", { chosen, links: { others } } = state;
		if (!chosen || !nsq.sidesOf(chosen, state.links)?.[to])
			return;
		choose((chosen.lane.track.kind === "projected") === (to === "gpu") ? chosen : others[0], to);
	}

	// ---- findings and steps

	function nextFinding(by) {
		const n = nsq.findings.length, at = nsq.findings.findIndex(({ mark: { lane, i } }) => state.chosen?.lane === lane && state.chosen.i === i);
		if (!n)
			return;
		const { mark, at: [a, b] } = nsq.findings[at < 0 ? (by > 0 ? 0 : n - 1) : (at + by + n) % n], around = Math.max(2 * (b - a), nsq.length / 2000, 20);
		view(a - around, b + around);
		choose(mark);
	}

	// The steps in the ruler: those of the process of what is chosen, or else of the topmost that has some.
	nsq.stepsOf = () => {
		const track = state.chosen?.lane.track, own = track?.trace.steps[track.process] ?? [];
		const first = nsq.rows.find(row => row.y + row.height > scroll.scrollTop && row.steps?.length)?.steps;
		return own.length ? own : first ?? nsq.traces.flatMap(trace => trace.steps).find(steps => steps.length) ?? [];
	};

	// The first that is not over at a time.
	nsq.stepAt = (steps, time) => nsq.above(steps.map(s => s.b), time);

	function toStep(step) {
		if (!step)
			return;
		goTo(step.a, step.b);
		select(step.a, step.b);
		Object.assign(state.selection, { step });
	}

	function walk(by) {
		const steps = nsq.stepsOf(), now = steps.indexOf(state.selection?.step), middle = (state.from + state.to) / 2;
		toStep(steps[now >= 0 ? now + by : nsq.stepAt(steps, state.to - state.from < nsq.length ? middle : by > 0 ? 0 : nsq.length - 1)]);
	}

	// ---- the link: what is in view, so that it can be sent to somebody

	const count = text => /^\d+$/.test(text ?? "") ? Number(text) : NaN;
	const tracks = () => nsq.traces.flatMap(trace => [...trace.tracks, ...trace.counters]);
	const eventName = ({ lane, i }) => [tracks().indexOf(lane.track), lane.track.lanes.indexOf(lane), i].join(".");

	function eventNamed(text) {
		const [track, level, i] = text.split(".").map(count), lane = tracks()[track]?.lanes?.[level];
		return i < lane?.start.length ? { lane, i } : null;
	}

	function writeLink() {
		const parts = [], toggled = branches.flatMap((row, i) => row.open === row.usually ? [] : [i]);
		if (state.from > 0 || state.to < nsq.length)
			parts.push(`from=${nsq.clock(state.from)}`, `to=${nsq.clock(state.to)}`);
		if (state.text)
			parts.push(`find=${encodeURIComponent(state.text)}`);
		if (state.selection)
			parts.push(`select=${nsq.clock(state.selection.a)}..${nsq.clock(state.selection.b)}`);
		if (state.exact)
			parts.push("case=1");
		if (state.chosen)
			parts.push(`event=${eventName(state.chosen)}`);
		if (toggled.length)
			parts.push(`rows=${toggled.join(".")}`);
		if (scroll.scrollTop > 0)
			parts.push(`y=${Math.round(scroll.scrollTop)}`);
		const link = parts.length ? `#${parts.join("&")}` : "";
		if (link === linked)
			return;
		linked = link;
		history.replaceState(null, "", link || location.pathname);
	}

	function readLink() {
		const given = Object.fromEntries(location.hash.slice(1).split("&").map(part => part.split("=", 2)));
		const time = text => /^\d+$/.test(text ?? "") ? nsq.offset(text) : NaN;
		const from = time(given.from), to = time(given.to), [a, b] = (given.select ?? "").split("..").map(time);
		const toggled = new Set((given.rows ?? "").split("."));
		linked = location.hash;
		view(from < to ? from : 0, from < to ? to : nsq.length);
		let text = "";
		try {
			text = decodeURIComponent(given.find ?? "");
		} catch {}                      // a link that was cut
		const searched = find(text, given.case === "1");
		branches.forEach((row, i) => { row.open = row.usually !== toggled.has(String(i)); });
		layout();
		state.chosen = eventNamed(given.event ?? "");
		state.links = nsq.linksOf(state.chosen);
		select(a < b ? a : 0, a < b ? b : 0);
		scroll.scrollTop = count(given.y) || 0;
		return searched;
	}

	// ---- mouse and fingers

	const selecting = () => $("select").getAttribute("aria-pressed") === "true";
	const fingers = new Map();
	let drag = null;

	const at = event => {
		const box = rows.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	};

	rows.addEventListener("pointerdown", event => {
		const p = at(event);
		rows.setPointerCapture(event.pointerId);
		fingers.set(event.pointerId, p);
		drag = { ...p, moved: false, select: event.shiftKey || selecting() ? timeAt(p.x) : null };
		$("tip").hidden = true;
	});

	rows.addEventListener("pointermove", event => {
		const p = at(event);
		if (!fingers.has(event.pointerId))
			return hover(event, p);
		const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1], before = fingers.get(event.pointerId);
		fingers.set(event.pointerId, p);
		drag.moved ||= Math.hypot(p.x - drag.x, p.y - drag.y) > 3;
		if (other)
			zoom(Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(p.x - other.x)), (p.x + other.x) / 2);
		else if (drag.select !== null && drag.moved)
			select(drag.select, timeAt(p.x));
		else if (drag.moved) {
			rows.classList.add("grab");
			pan((before.x - p.x) / nsq.width);
			scroll.scrollTop += before.y - p.y;
		}
	});

	function release(event) {
		fingers.delete(event.pointerId);
		rows.classList.remove("grab");
		if (drag && !drag.moved && event.type === "pointerup" && !fingers.size)
			choose(eventAt(drag.x, drag.y));
		const [left] = fingers.values();        // of a pinch: it may go on moving, but it is no click
		drag = left ? { ...left, moved: true, select: null } : null;
	}
	rows.addEventListener("pointerup", release);
	rows.addEventListener("pointercancel", release);
	rows.addEventListener("pointerleave", () => { $("tip").hidden = true; pointer = null; });

	function hover(event, p) {
		pointer = p.x;
		const found = eventAt(p.x, p.y), tip = $("tip");
		tip.hidden = !found;
		if (!found)
			return;
		tip.textContent = found.lane.value ? counterTip(found, p.x) : eventTip(found);
		tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
		tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
	}

	function eventTip({ lane, i }) {
		const name = lane.count?.[i] ? nsq.several(lane, i) : lane.track.kind === "idle" ? `idle, ${nsq.colour.list[lane.colour[i]].label}` : nsq.names[lane.name[i]];
		const { start, end, cut } = nsq.whole(lane, i);
		return `${name} · ${nsq.duration(end - start)}${cut ? ", cut" : ""}`;
	}

	// What the curve shows there: where a pixel has several values, from the lowest to the highest.
	function counterTip({ lane: counter, i }, x) {
		const left = Math.floor(x), [low, high] = nsq.valuesIn(counter, timeAt(left), timeAt(left + 1)) ?? [counter.value[i], counter.value[i]];
		return `${nsq.counterName(counter)} · ${low < high ? `${nsq.value(counter, low)} to ` : ""}${nsq.value(counter, high)}`;
	}

	rows.addEventListener("wheel", event => {
		event.preventDefault();
		const { x } = at(event), by = event.deltaMode ? event.deltaY * 30 : event.deltaY;
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			pan((event.deltaX || event.deltaY) / nsq.width);
		else
			zoom(STEP ** (by / 100), x);
	}, { passive: false });

	$("ruler").addEventListener("click", event => {
		const box = $("ruler").getBoundingClientRect(), time = timeAt(event.clientX - box.left), steps = nsq.stepsOf(), step = steps[nsq.stepAt(steps, time)];
		if (event.clientY - box.top < 22 || !step || step.a > time)
			return;
		select(step.a, step.b);
		Object.assign(state.selection, { step });
	});

	function mapTo(event) {
		if (!event.buttons)
			return;
		const middle = (event.clientX - map.getBoundingClientRect().left) / nsq.width * nsq.length, half = (state.to - state.from) / 2;
		view(middle - half, middle + half);
	}
	map.addEventListener("pointerdown", event => { map.setPointerCapture(event.pointerId); mapTo(event); });
	map.addEventListener("pointermove", mapTo);

	// ---- keys

	function selectTo(by) {
		const { a, b } = state.selection ?? { a: state.from, b: state.to };
		select(a, Math.max(a + 1, b + by * (state.to - state.from) / 20));
	}

	const chosenSpan = () => state.chosen ? { a: state.chosen.lane.start[state.chosen.i], b: state.chosen.lane.end[state.chosen.i] } : null;
	const span = () => chosenSpan() ?? { a: state.from, b: state.to };

	const keys = {
		ArrowLeft: e => e.shiftKey ? selectTo(-1) : pan(-PAN),
		ArrowRight: e => e.shiftKey ? selectTo(1) : pan(PAN),
		ArrowUp: () => { scroll.scrollTop -= 60; },
		ArrowDown: () => { scroll.scrollTop += 60; },
		"+": () => zoom(1 / STEP ** 2), "=": () => zoom(1 / STEP ** 2), "-": () => zoom(STEP ** 2),
		w: () => zoom(1 / STEP), s: () => zoom(STEP), a: () => pan(-PAN), d: () => pan(PAN),
		f: () => view(0, nsq.length), 0: () => view(0, nsq.length),
		n: () => nextHit(false), p: () => nextHit(true),
		".": () => step(1), ",": () => step(-1), j: () => nextRow(1), k: () => nextRow(-1),
		m: () => select(span().a, span().b), l: follow, c: otherSide,
		x: () => nextFinding(1), X: () => nextFinding(-1), "}": () => walk(1), "{": () => walk(-1), t: () => toStep(nsq.stepsOf().find(s => s.typical)),
		"[": () => select(span().a, Math.max(state.selection?.b ?? span().b, span().a + 1)),
		"]": () => select(Math.min(state.selection?.a ?? span().a, span().b - 1), span().b),
		z: () => { const s = chosenSpan() ?? state.selection; if (s) goTo(s.a, s.b); },
		"/": () => { $("find").focus(); $("find").select(); },
		"?": () => { state.help = !state.help; panel(); },
		Escape: escape,
	};

	addEventListener("keydown", event => {
		const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
		if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape") || !(event.key in keys))
			return;
		event.preventDefault();
		keys[event.key](event);
	});

	$("find").addEventListener("input", () => find($("find").value));
	$("case").addEventListener("click", () => find($("find").value, !state.exact));
	$("search").addEventListener("submit", async event => {
		event.preventDefault();
		await find($("find").value);
		if (state.found?.problem)
			return;
		nextHit(false);
		rows.focus();
	});
	$("next").addEventListener("click", () => nextHit(false));
	$("previous").addEventListener("click", () => nextHit(true));
	$("in").addEventListener("click", () => zoom(1 / STEP ** 2));
	$("out").addEventListener("click", () => zoom(STEP ** 2));
	$("fit").addEventListener("click", () => view(0, nsq.length));
	$("select").addEventListener("click", () => $("select").setAttribute("aria-pressed", !selecting()));
	$("help").addEventListener("click", keys["?"]);
	$("close").addEventListener("click", () => { choose(null); Object.assign(state, { selection: null, help: false }); panel(); rows.focus(); });
	scroll.addEventListener("scroll", redraw);
	addEventListener("hashchange", () => { if (location.hash !== linked) readLink(); });

	// ---- begin

	async function begin() {
		await nsq.open();
		({ tree, branches, leaf } = nsq.tree());
		$("title").textContent = nsq.traces.map(t => nsq.names[t.path].replace(/.*\//, "")).join(", ");
		document.title = `${$("title").textContent} - nsq-view`;
		$("clock").hidden = !nsq.clockWords;
		$("clock").textContent = $("clock").title = nsq.clockWords ?? "";
		$("thinned").hidden = !nsq.thinned;
		$("thinned").textContent = $("thinned").title = nsq.thinned ? `Of ${nsq.thousands(nsq.thinned.whole)} events, those of at least ${nsq.duration(nsq.thinned.cell)}` +
			`${nsq.thinned.zones ? " and those of the typical steps" : ""} are kept one by one; shorter neighbours are drawn together, and a click says how to see them.` : "";
		$("ruler").classList.toggle("steps", nsq.traces.some(trace => trace.steps.some(steps => steps.length)));
		nsq.newTheme();
		layout();
		nsq.resize();
		const searched = readLink();
		nsq.draw(state);
		new ResizeObserver(resized).observe(scroll);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { nsq.newTheme(); nsq.showSelection(null); panel(); });
		Object.assign(nsq, { state, view, select, choose, search: find, jump: nextHit, pick: eventAt, timeAt, opened: performance.now() });
		await searched;
	}

	nsq.ready = begin();
	nsq.ready.catch(problem => {
		$("title").textContent = `This browser cannot show the timeline: ${problem.message}`;
		console.error(problem);
	});
}
