// The table of the events in view: the longest of those that the rows show, or of what was searched for or highlighted there.
"use strict";

{
	const $ = id => document.getElementById(id);
	const { element, button } = nsq;
	const MOST = 1000;

	// The longest so far: a list that is cut when it is four times as long as it may be.
	class Longest {
		list = [];
		count = 0;
		least = -1;

		add(lane, i, duration) {
			this.count++;
			if (duration <= this.least)
				return;
			this.list.push({ lane, i, duration });
			if (this.list.length >= 4 * MOST)
				this.cut();
		}

		cut() {
			this.list.sort((x, y) => y.duration - x.duration);
			if (this.list.length > MOST) {
				this.list.length = MOST;
				this.least = this.list[MOST - 1].duration;
			}
			return this.list;
		}
	}

	const isChosen = ({ chosen }, lane, i) => chosen?.lane === lane && chosen.i === i;

	// The events between the two times of the state, the chosen one among them whatever its length, and how many there are.
	nsq.eventsInView = state => {
		const longest = new Longest(), only = state.found?.problem ? state.lit : state.found ?? state.lit;
		let chosen = null;
		for (const row of nsq.rows.filter(r => r.track && !["counter", "findings"].includes(r.track.kind)))
			for (const lane of row.track.lanes.slice(0, row.levels)) {
				const of = only ? only.hits(lane) : lane;
				for (let k = of ? nsq.firstAt(of, state.from) : 0; k < of?.start.length && of.start[k] < state.to; k++) {
					const i = of.at ? of.at[k] : k;
					if (of.last && of.end[k] <= state.from && of.end[k] > of.start[k])
						continue;
					longest.add(lane, i, of.end[k] - of.start[k]);
					if (isChosen(state, lane, i))
						chosen = { lane, i, duration: of.end[k] - of.start[k] };
				}
			}
		const list = longest.cut();
		if (chosen && !list.some(({ lane, i }) => isChosen(state, lane, i)))
			list[list.length - (list.length === MOST)] = chosen;
		return { list, count: longest.count };
	};

	// What stands in a row: values by which it is sorted, and the texts that are shown and copied.
	function lineOf(event) {
		const { lane, i } = event, { start, end } = nsq.whole(lane, i), { trace } = lane.track;
		return { event, colour: nsq.colour.list[lane.colour[i]], name: nsq.nameOf(lane, i), row: nsq.rowOf(lane.track).path, start, length: end - start, clock: nsq.clock(start, trace) };
	}

	const COLUMNS = [["name", "name"], ["row", "row"], ["start", "start"], ["length", "duration"]];
	const FALLS = { length: true };         // at first, the longest is on top
	let by = "length", falls = true, lines = [], shown = [], count = 0, marked = null;

	function order() {
		const sign = falls ? -1 : 1;
		lines.sort((x, y) => sign * (x[by] < y[by] ? -1 : x[by] > y[by] ? 1 : 0));
	}

	// As a table to paste: times in nanoseconds of the trace's clock.  No name may begin another cell.
	nsq.copied = () => ["name\trow\tstart_ns\tdur_ns", ...lines.map(l => [l.name, l.row, l.clock, l.length].map(cell => `${cell}`.replace(/[\t\r\n]+/g, " ")).join("\t"))].join("\n") + "\n";

	async function copy(done) {
		const text = nsq.copied();
		try {
			await navigator.clipboard.writeText(text);
		} catch {                       // a page that was not loaded from a file or over TLS
			const area = element("textarea", text);
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		done.textContent = "Copied";
		setTimeout(() => { done.textContent = "Copy"; }, 1500);
	}

	function headOf([key, title], state) {
		const th = element("th", button(title, () => {
			falls = by === key ? !falls : Boolean(FALLS[key]);
			by = key;
			fill(state);
			$("events").querySelector("th[aria-sort] button").focus();
		}));
		if (key === by)
			th.setAttribute("aria-sort", falls ? "descending" : "ascending");
		return th;
	}

	function bodyOf(line) {
		const tr = element("tr", element("td", nsq.chip(line.colour), line.name), ...[line.row, `${nsq.thousands(line.clock)} ns`, nsq.duration(line.length)].map(c => element("td", c)));
		tr.tabIndex = -1;
		tr.line = line;
		return tr;
	}

	function fill(state) {
		const copies = button("Copy", () => copy(copies)), what = state.found && !state.found.problem ? "matches" : state.lit ? `events of ${nsq.colour.list[state.lit.colour].label}` : "events";
		copies.title = "Copy these rows, as tab-separated values";
		order();
		shown = lines.map(bodyOf);
		const said = lines.length < count ? `The longest ${nsq.thousands(lines.length)} of ${nsq.thousands(count)} ${what} in view; ${nsq.thousands(count - lines.length)} more are shorter: zoom, search or filter rows to see them.` :
			`${nsq.thousands(count)} ${what} in view.`;
		const words = element("p", said, copies), table = element("table", element("thead", element("tr", ...COLUMNS.map(c => headOf(c, state)))), element("tbody", ...shown));
		$("events").replaceChildren(words, table);
		mark(state);
	}

	// The row of the chosen event; that, or the first, is where Tab leads.
	function mark(state) {
		marked = state.chosen;
		for (const tr of shown) {
			const is = isChosen(state, tr.line.event.lane, tr.line.event.i);
			tr.setAttribute("aria-selected", is);
			tr.tabIndex = -1;
			if (is)
				tr.scrollIntoView({ block: "nearest" });
		}
		const at = shown.find(tr => tr.getAttribute("aria-selected") === "true") ?? shown[0];
		if (at)
			at.tabIndex = 0;
	}

	// What the table is of; the same again is not made anew.
	const about = state => [state.from, state.to, state.found, state.lit, nsq.rows];
	let made = [], timer = 0;
	const PAUSE = 120;      // milliseconds without a change

	nsq.showEvents = state => {
		const now = about(state);
		$("events").hidden = !state.table;
		clearTimeout(timer);
		if (!state.table)
			return;
		if (now.every((x, i) => x === made[i])) {
			if (state.chosen === marked)
				return;
			mark(state);
			if (!state.chosen || lines.some(l => isChosen(state, l.event.lane, l.event.i)))
				return;
		}
		timer = setTimeout(() => {
			const { list, count: n } = nsq.eventsInView(state);
			made = now;
			count = n;
			lines = list.map(lineOf);
			fill(state);
		}, made.length ? PAUSE : 0);
	};

	const lineAt = target => target.closest?.("tbody tr")?.line;

	$("events").addEventListener("click", event => lineAt(event.target) && nsq.choose(lineAt(event.target).event));
	$("events").addEventListener("dblclick", event => lineAt(event.target) && nsq.zoomTo(lineAt(event.target).event));
	$("events").addEventListener("keydown", event => {
		const at = shown.indexOf(event.target), to = shown[at + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
		if (at < 0 || (!to && event.key !== "Enter"))
			return;
		event.preventDefault();
		event.stopPropagation();
		if (!to)
			return nsq.zoomTo(event.target.line.event);
		nsq.choose(to.line.event);
		to.focus();
	});
}
