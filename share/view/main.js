// The state of the view, and what mouse, keys, buttons and the link do to it.
"use strict";

{
	const $ = id => document.getElementById(id);
	const rows = $("rows"), scroll = $("scroll"), map = $("map");
	const STEP = 1.25, PAN = .15;

	// from, to: what is in view; selection: { a, b }; chosen: { lane, i }; links: what that is linked to; text: what is searched for;
	// found: what nsq.find found; exact: case matters; only: which rows are shown; lit: the colour that is highlighted; table: is it shown?
	const state = { from: 0, to: nsq.length, selection: null, chosen: null, links: nsq.linksOf(null), text: "", found: null, exact: false, only: "", lit: null, table: false };
	let tree, all, leaf, home, waiting = false, linked = "", pointer = null;        // home: what the page opens with; pointer: { x, y } in the rows

	// ---- drawing, once a frame

	function redraw() {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			nsq.showSelection(state.selection);
			nsq.draw(state);
			nsq.showEvents(state);
			writeLink();
		});
	}

	function labelOf(row) {
		const opens = row.children || row.deep, e = nsq.element("div"), tools = nsq.element("span"), more = row.deep && !row.open ? ` +${row.track.lanes.length - row.levels}` : "";
		const name = opens ? nsq.button(row.pinned ? row.inward : row.label, () => toggle(row)) : nsq.element("span", row.pinned ? row.inward : row.label);
		const tool = (text, title, act) => Object.assign(nsq.button(text, act), { title, tabIndex: -1 });
		name.append(more);
		name.className = "name";
		e.tabIndex = -1;                // a finger that touches it brings up what can be done with it
		e.title = row.pinned ? `${row.path}: ${row.title}` : row.title;
		Object.assign(e.style, { top: `${row.y}px`, height: `${row.height}px` });
		e.style.setProperty("--depth", row.depth);
		e.classList.toggle("top", !row.depth && !row.pinned);
		if (opens) {
			name.setAttribute("aria-expanded", row.open);
			name.setAttribute("aria-label", row.title);
		}
		tools.className = "tools";
		tools.append(tool(row.pinned ? "unpin" : "pin", "Keep this row on top (P)", () => pin(row)), tool("hide", "Hide this row (h)", () => hide(row)));
		e.append(name, tools);
		return e;
	}

	function layout() {
		const { rows: list, height, stuck } = nsq.layout(tree, all, scroll.clientHeight), shown = new Set(list), hidden = all.filter(row => row.hidden).length;
		Object.assign(nsq, { rows: list, stuck });
		nsq.yOf = row => row.stuck ? row.y : row.y - scroll.scrollTop;         // on the screen
		nsq.rowOf = track => shown.has(leaf.get(track)) ? leaf.get(track) : undefined;
		nsq.placeOf = lane => {
			let row = leaf.get(lane.track);
			const k = row.track.lanes.indexOf(lane);
			if (shown.has(row) && k < row.levels)
				return { y: nsq.yOf(row) + k * row.level, height: row.level };
			while (row && !shown.has(row))
				row = row.parent;
			return row && { y: nsq.yOf(row), height: row.height };
		};
		$("labels").style.height = `${height}px`;
		$("labels").replaceChildren(...list.filter(row => !row.stuck).map(labelOf));
		$("pins").replaceChildren(...list.filter(row => row.stuck).map(labelOf));
		$("pins").style.setProperty("--stuck", `${stuck}px`);
		$("unhide").hidden = !hidden;
		$("unhide").textContent = `show ${hidden} hidden row${hidden > 1 ? "s" : ""}`;
		redraw();
	}

	function toggle(row) {
		row.open = !row.open;
		layout();
		[...$("pins").children, ...$("labels").children][nsq.rows.indexOf(row)]?.firstChild.focus();
	}

	function pin(row) {
		row.pinned = !row.pinned;
		layout();
	}

	function hide(row) {
		Object.assign(row, { hidden: true, pinned: false });
		layout();
	}

	function unhide() {
		all.forEach(row => { row.hidden = false; });
		layout();
	}

	// The row that a key is about: that under the pointer, or else of what is chosen.
	const rowAt = y => nsq.rows.find(row => row.stuck === y < nsq.stuck && nsq.yOf(row) <= y && y < nsq.yOf(row) + row.height);
	const rowMeant = () => pointer ? rowAt(pointer.y) : state.chosen && nsq.rowOf(state.chosen.lane.track);

	const named = nsq.matcher(() => all.map(row => row.path));

	async function filter(text) {
		state.only = text;
		if ($("filter").value !== text)
			$("filter").value = text;
		const matches = text ? await named(text, state.exact) : null, none = typeof matches === "string";
		if (matches === undefined || text !== state.only)
			return;
		nsq.keepRows(tree, none ? null : matches);
		const problem = none ? matches : tree.some(row => row.kept) ? "" : "no row matches";
		$("filter").setAttribute("aria-invalid", Boolean(problem));
		$("filter").title = problem || "Show only rows whose name matches (r)";
		layout();
	}

	// Open what a track is in, and bring it into sight.
	function reveal(lane) {
		const row = leaf.get(lane.track), k = row.track.lanes.indexOf(lane);
		if (!nsq.rowOf(lane.track) || k >= row.levels) {
			for (let node = row; node; node = node.parent)
				Object.assign(node, { hidden: false, open: node !== row || node.open || k >= node.levels });
			if (!row.kept)
				filter("");
			layout();
		}
		const place = nsq.placeOf(lane), bottom = scroll.clientHeight;
		if (!row.stuck && place && (place.y < nsq.stuck || place.y + place.height > bottom))
			scroll.scrollTop += place.y < nsq.stuck ? place.y - nsq.stuck - 20 : Math.min(place.y - nsq.stuck, place.y + place.height - bottom + 20);
	}

	// Where to scroll to, from there, for the GPU rows of a process to be in sight.
	function scrollTo(process, from) {
		const { y, children } = process, last = nsq.rows.findLast(row => row === children[0] || row.parent === children[0]) ?? process;
		return nsq.rows.includes(process) ? Math.round(Math.min(y - nsq.stuck, Math.max(from, last.y + last.height - scroll.clientHeight))) : from;
	}

	// A canvas that changes its size is empty, so it is drawn at once.
	function resized() {
		if (all.some(row => row.pinned))        // some of them may fit no longer
			layout();
		nsq.resize();
		nsq.draw(state);
		placeLine();
	}

	// ---- what is in view

	function view(from, to) {
		const length = Math.min(Math.max(to - from, 10), nsq.length);
		from = Math.min(Math.max(from, 0), nsq.length - length);
		Object.assign(state, { from, to: from + length });
		redraw();
	}

	const timeAt = x => state.from + (state.to - state.from) * x / nsq.width;

	function zoom(factor, x = pointer?.x ?? nsq.width / 2) {
		const at = timeAt(x), length = Math.min(Math.max((state.to - state.from) * factor, 10), nsq.length);
		view(at - length * x / nsq.width, at + length * (1 - x / nsq.width));
	}

	nsq.zoomTo = ({ lane, i }) => goTo(lane.start[i], lane.end[i]);

	const pan = share => view(state.from + share * (state.to - state.from), state.to + share * (state.to - state.from));

	// Show a stretch of time with something around it.
	function goTo(a, b) {
		const margin = Math.max((b - a) * .1, 5);
		view(a - margin, b + margin);
	}

	// ---- the panel

	// It is below the timeline, which keeps its place.
	function panel() {
		const was = $("panel").hidden;
		nsq.showDetails(state.chosen, state.links.others, choose);
		$("selection").hidden = !state.selection;
		$("list").setAttribute("aria-pressed", state.table);
		$("panel").hidden = !state.chosen && !state.selection && !state.table;
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
		if ([$("find"), $("filter")].includes(document.activeElement))
			rows.focus();
		else if ($("about").open)
			$("about").close();
		else if (state.chosen)
			choose(null);
		else if (state.selection)
			state.selection = null;
		else if (state.table)
			state.table = false;
		else if (state.lit)
			state.lit = null;
		else if (state.text)
			find("");
		else if (state.only)
			filter("");
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

	// The next match in a row that is neither hidden nor filtered out.
	function nextHit(back) {
		const out = row => row && (row.hidden || !row.kept || out(row.parent));
		const lanes = new Map([...state.found?.lanes ?? []].filter(([lane, hits]) => hits.at.length && !out(leaf.get(lane.track)))), found = { lanes };
		const sum = [...lanes.values()].reduce((n, hits) => n + hits.at.length, 0), { chosen } = state, rest = state.found ? state.found.count - sum : 0;
		if (!sum)
			return;
		const at = chosen && lanes.has(chosen.lane) ? { ...chosen, time: chosen.lane.start[chosen.i] } : { time: back ? state.to : state.from - 1, lane: lanes.keys().next().value, i: 0 };
		const hit = nsq.nextHit(found, at, back) ?? nsq.nextHit(found, { ...at, time: back ? Infinity : -1 }, back);
		choose({ lane: hit.lane, i: hit.i });
		$("count").textContent = `${number(lanes, hit)} of ${sum}${rest ? `, ${rest} hidden` : ""}`;
	}

	// Which of the matches it is, in order of time.
	function number(lanes, hit) {
		let n = 1, above = true;        // lanes above that of the hit come first
		for (const [lane, hits] of lanes) {
			above &&= lane !== hit.lane;
			n += lane === hit.lane ? nsq.least(hits.at, hit.i) : above ? nsq.above(hits.start, hit.time) : nsq.least(hits.start, hit.time);
		}
		return n;
	}

	// Highlight a colour of the legend, or no longer.
	nsq.light = colour => {
		state.lit = state.lit?.colour === colour ? null : nsq.colouredAs(colour);
		redraw();
	};

	// ---- the event under the pointer, and those beside one

	function eventAt(x, y) {
		const row = rowAt(y), lane = row?.track?.lanes[Math.min(row.levels - 1, Math.floor((y - nsq.yOf(row)) / row.level))], reach = lane?.finding ? 7 : 3;
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
		const lanes = nsq.rows.flatMap(row => row.track?.lanes.slice(0, row.levels) ?? []), first = Math.max(0, lanes.findIndex(lane => lane.track.kind === "work"));
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

	// The process whose steps are in the ruler: that of what is chosen, or else of the selected step, or the one whose step the page opened
	// with, if it is in sight, or the topmost that has some.
	nsq.stepped = () => {
		const track = state.chosen?.lane.track, of = all.filter(row => row.steps?.length);
		const seen = of.filter(row => nsq.rows.includes(row) && nsq.yOf(row) + row.height > 0 && nsq.yOf(row) < scroll.clientHeight);
		const row = of.find(r => r.trace === track?.trace && r.process === track.process) ?? state.selection?.step?.row ?? seen.find(r => r === home.row) ?? seen[0] ?? of[0];
		return row && { row, several: of.length > 1 };
	};
	nsq.stepsOf = () => nsq.stepped()?.row.steps ?? [];

	// The first that is not over at a time.
	nsq.stepAt = (steps, time) => nsq.above(steps.map(s => s.b), time);

	function selectStep(step) {
		select(step.a, step.b);
		Object.assign(state.selection, { step });
	}

	function toStep(step) {
		if (!step)
			return;
		goTo(step.a, step.b);
		selectStep(step);
		scroll.scrollTop = scrollTo(step.row, scroll.scrollTop);
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
		const parts = [], which = f => all.flatMap((row, i) => f(row) ? [i] : []).join(".");
		if (state.from !== home.from || state.to !== home.to)
			parts.push(`from=${nsq.clock(state.from)}`, `to=${nsq.clock(state.to)}`);
		if (state.text)
			parts.push(`find=${encodeURIComponent(state.text)}`);
		if (state.selection)
			parts.push(`select=${nsq.clock(state.selection.a)}..${nsq.clock(state.selection.b)}`);
		if (state.exact)
			parts.push("case=1");
		if (state.chosen)
			parts.push(`event=${eventName(state.chosen)}`);
		if (state.only)
			parts.push(`only=${encodeURIComponent(state.only)}`);
		if (state.lit)
			parts.push(`class=${encodeURIComponent(className(state.lit.colour))}`);
		if (state.table)
			parts.push("table=1");
		for (const [key, rows] of [["rows", which(row => row.open !== row.usually)], ["hide", which(row => row.hidden)], ["pin", which(row => row.pinned)]])
			if (rows)
				parts.push(`${key}=${rows}`);
		if (Math.round(scroll.scrollTop) !== home.y)
			parts.push(`y=${Math.round(scroll.scrollTop)}`);
		const link = parts.length ? `#${parts.join("&")}` : "";
		if (link === linked)
			return;
		linked = link;
		history.replaceState(null, "", link || location.pathname);
	}

	const className = i => `${nsq.colour.list[i].kind} ${nsq.colour.list[i].label}`;

	// A text of the link; "": it was cut.
	function decoded(text) {
		try {
			return decodeURIComponent(text ?? "");
		} catch {
			return "";
		}
	}

	function readLink() {
		const given = Object.fromEntries(location.hash.slice(1).split("&").map(part => part.split("=", 2)));
		const time = text => /^\d+$/.test(text ?? "") ? nsq.offset(text) : NaN;
		const from = time(given.from), to = time(given.to), [a, b] = (given.select ?? "").split("..").map(time), lit = decoded(given.class);
		linked = location.hash;
		if (from < to)
			view(from, to);
		else if (a < b)
			goTo(a, b);
		else
			view(home.from, home.to);
		const exact = given.case === "1", searched = find(decoded(given.find), exact), kept = filter(decoded(given.only));
		for (const [key, act] of [["rows", (row, is) => { row.open = row.usually !== is; }], ["hide", (row, is) => { row.hidden = is; }], ["pin", (row, is) => { row.pinned = is; }]]) {
			const some = new Set((given[key] ?? "").split("."));
			all.forEach((row, i) => act(row, some.has(String(i))));
		}
		layout();
		const colour = lit ? nsq.colour.list.findIndex((_, i) => className(i) === lit) : -1;
		state.lit = colour >= 0 ? nsq.colouredAs(colour) : null;
		state.table = given.table === "1";
		state.chosen = eventNamed(given.event ?? "");
		state.links = nsq.linksOf(state.chosen);
		select(a < b ? a : 0, a < b ? b : 0);
		scroll.scrollTop = count(given.y) >= 0 ? count(given.y) : home.y;
		return Promise.all([searched, kept]);
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
		follows(event, p);
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

	let clicks = [null, null];      // the events under the last two clicks

	function click({ x, y }) {
		clicks = [clicks[1], eventAt(x, y)];
		choose(clicks[1]);
	}

	// To the event of the first click, also where that has scrolled it away.
	rows.addEventListener("dblclick", () => {
		const [event] = clicks;
		if (!event)
			return;
		choose(event);
		nsq.zoomTo(event);
	});

	function release(event) {
		fingers.delete(event.pointerId);
		rows.classList.remove("grab");
		if (drag && !drag.moved && event.type === "pointerup" && !fingers.size)
			click(drag);
		const [left] = fingers.values();        // of a pinch: it may go on moving, but it is no click
		drag = left ? { ...left, moved: true, select: null } : null;
	}
	rows.addEventListener("pointerup", release);
	rows.addEventListener("pointercancel", release);
	rows.addEventListener("pointerleave", () => { $("tip").hidden = $("line").hidden = true; pointer = null; });

	// A line through all rows says the time under the pointer.
	function follows(event, p) {
		const line = $("line");
		pointer = p;
		line.hidden = false;
		line.style.left = `${event.clientX}px`;
		placeLine();
		line.firstChild.textContent = nsq.moment(timeAt(p.x), (state.to - state.from) / nsq.width);
		line.classList.toggle("right", p.x > nsq.width - 110);
	}

	function placeLine() {
		const { top } = $("ruler").getBoundingClientRect();
		Object.assign($("line").style, { top: `${top}px`, height: `${scroll.getBoundingClientRect().bottom - top}px` });
	}

	function hover(event, p) {
		const found = eventAt(p.x, p.y), tip = $("tip");
		tip.hidden = !found;
		if (!found)
			return;
		tip.textContent = found.lane.value ? counterTip(found, p.x) : eventTip(found);
		tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
		tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
	}

	function eventTip({ lane, i }) {
		const { start, end, cut } = nsq.whole(lane, i);
		return `${nsq.nameOf(lane, i)} · ${nsq.duration(end - start)}${cut ? ", cut" : ""}`;
	}

	// What the curve shows there: where a pixel has several values, from the lowest to the highest.
	function counterTip({ lane: counter, i }, x) {
		const left = Math.floor(x), [low, high] = nsq.valuesIn(counter, timeAt(left), timeAt(left + 1)) ?? [counter.value[i], counter.value[i]];
		return `${nsq.counterName(counter)} · ${low < high ? `${nsq.value(counter, low)} to ` : ""}${nsq.value(counter, high)}`;
	}

	// The wheel scrolls, which the browser does.
	rows.addEventListener("wheel", event => {
		const by = event.deltaMode ? 30 : 1, sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (!event.ctrlKey && !event.metaKey && !sideways)
			return;
		event.preventDefault();
		if (event.ctrlKey || event.metaKey)
			zoom(STEP ** (event.deltaY * by / 100), at(event).x);
		else
			pan((event.deltaX || event.deltaY) * by / nsq.width);
	}, { passive: false });

	$("ruler").addEventListener("click", event => {
		const box = $("ruler").getBoundingClientRect(), time = timeAt(event.clientX - box.left), steps = nsq.stepsOf(), step = steps[nsq.stepAt(steps, time)];
		if (event.clientY - box.top >= 22 && step?.a <= time)
			selectStep(step);
	});

	function mapTo(event) {
		if (!event.buttons)
			return;
		const middle = (event.clientX - map.getBoundingClientRect().left) / nsq.width * nsq.length, half = (state.to - state.from) / 2;
		view(middle - half, middle + half);
	}
	map.addEventListener("pointerdown", event => { map.setPointerCapture(event.pointerId); mapTo(event); });
	map.addEventListener("pointermove", mapTo);

	// The panel is as high as its upper edge is dragged, or moved by keys.
	const grow = by => {
		$("panel").style.setProperty("--panel", `${$("panel").offsetHeight + by}px`);
		resized();
	};
	$("grip").addEventListener("pointerdown", event => $("grip").setPointerCapture(event.pointerId));
	$("grip").addEventListener("pointermove", event => { if (event.buttons) grow($("panel").getBoundingClientRect().top - event.clientY); });
	$("grip").addEventListener("keydown", event => {
		if (!/^Arrow(Up|Down)$/.test(event.key))
			return;
		event.stopPropagation();
		grow(event.key === "ArrowUp" ? 30 : -30);
	});

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
		f: () => view(0, nsq.length), 0: () => view(0, nsq.length), Home: () => { view(home.from, home.to); scroll.scrollTop = home.y; },
		n: () => nextHit(false), p: () => nextHit(true),
		".": () => step(1), ",": () => step(-1), j: () => nextRow(1), k: () => nextRow(-1),
		m: () => select(span().a, span().b), l: follow, c: otherSide,
		x: () => nextFinding(1), X: () => nextFinding(-1), "}": () => walk(1), "{": () => walk(-1), t: () => toStep(nsq.stepsOf().find(s => s.typical)),
		"[": () => select(span().a, Math.max(state.selection?.b ?? span().b, span().a + 1)),
		"]": () => select(Math.min(state.selection?.a ?? span().a, span().b - 1), span().b),
		z: () => { const s = chosenSpan() ?? state.selection; if (s) goTo(s.a, s.b); },
		"/": () => { $("find").focus(); $("find").select(); },
		r: () => { $("filter").focus(); $("filter").select(); },
		P: () => { if (rowMeant()) pin(rowMeant()); }, h: () => { if (rowMeant()) hide(rowMeant()); }, H: unhide,
		e: () => { state.table = !state.table; panel(); },
		"?": () => $("about").open ? $("about").close() : nsq.showHelp(),
		Escape: escape,
	};

	addEventListener("keydown", event => {
		const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
		if (event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== "Escape") || ($("about").open && !["?", "Escape"].includes(event.key)) || !(event.key in keys))
			return;
		event.preventDefault();
		keys[event.key](event);
	});

	$("find").addEventListener("input", () => find($("find").value));
	$("case").addEventListener("click", () => { find($("find").value, !state.exact); filter(state.only); });
	$("filter").addEventListener("input", () => filter($("filter").value));
	$("filter").addEventListener("keydown", event => { if (event.key === "Enter") rows.focus(); });
	$("unhide").addEventListener("click", unhide);
	$("list").addEventListener("click", keys.e);
	$("search").addEventListener("submit", async event => {
		event.preventDefault();
		if ($("find").value !== state.text || !state.found)
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
	$("close").addEventListener("click", () => { choose(null); Object.assign(state, { selection: null, table: false }); panel(); rows.focus(); });
	scroll.addEventListener("scroll", redraw);
	$("legend").addEventListener("wheel", event => { $("legend").scrollLeft += event.deltaY; }, { passive: true });
	addEventListener("hashchange", () => { if (location.hash !== linked) readLink(); });

	// ---- begin

	// The shortest stretch with nearly all of the work, if it is much shorter than the time from the first work to the last; or else that.
	const BINS = 512, NEARLY = .95;
	function busyPart() {
		const bins = new Float64Array(BINS), size = nsq.length / BINS;
		for (const lane of nsq.traces.flatMap(trace => trace.tracks).filter(track => track.kind === "work").flatMap(track => track.lanes))
			for (let i = 0; i < lane.start.length; i++)
				for (let t = lane.start[i], k = Math.floor(t / size); k < BINS && t < lane.end[i]; t = ++k * size)
					bins[k] += Math.min(lane.end[i], (k + 1) * size) - t;
		const sum = bins.reduce((x, y) => x + y, 0), first = bins.findIndex(x => x > 0), last = bins.findLastIndex(x => x > 0) + 1;
		let best = [first, last];
		for (let a = first, b = first, held = 0; a < last; held -= bins[a++]) {
			while (b < last && held < NEARLY * sum)
				held += bins[b++];
			if (held >= NEARLY * sum && b - a < best[1] - best[0])
				best = [a, b];
		}
		const [a, b] = best[1] - best[0] < (last - first) / 2 ? best : [first, last];
		return sum ? { a: a * size, b: b * size } : { a: 0, b: nsq.length };
	}

	// What the page opens with: the GPU side of the typical step, that of the late rank if there is one, or else the busy part; row: whose
	// step it is.
	function homeOf() {
		const shown = ({ trace, process }, a, b) => trace.lanes.some(lane => lane.process === process && lane.windows.some(([x, y]) => x < b && y > a));
		const typical = row => row.steps.find(({ a, b, typical: is }) => is && shown(row, a, b));
		const row = all.filter(r => r.works && typical(r)).sort((x, y) => y.late - x.late)[0], step = row && typical(row);
		const { a, b } = step ?? busyPart(), margin = (b - a) * (step ? .1 : .02), from = Math.max(0, a - margin), to = Math.min(nsq.length, b + margin);
		return { from, to, row, y: 0 };
	}


	async function begin() {
		await nsq.open();
		({ tree, all, leaf } = nsq.tree());
		home = homeOf();
		$("title").textContent = nsq.traces.map(t => nsq.names[t.path].replace(/.*\//, "")).join(", ");
		$("title").title = $("title").textContent;
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
		view(home.from, home.to);
		Object.assign(home, { from: state.from, to: state.to, y: home.row ? scrollTo(home.row, 0) : 0 });
		const searched = readLink();
		nsq.draw(state);
		new ResizeObserver(resized).observe(scroll);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
			nsq.newTheme();
			nsq.showSelection(null);
			layout();
			panel();
			if ($("about").open)
				nsq.showHelp();
		});
		Object.assign(nsq, { state, view, select, choose, search: find, jump: nextHit, pick: eventAt, timeAt, only: filter, opened: performance.now() });
		await searched;
	}

	nsq.ready = begin();
	nsq.ready.catch(problem => {
		$("title").textContent = `This browser cannot show the timeline: ${problem.message}`;
		console.error(problem);
	});
}
