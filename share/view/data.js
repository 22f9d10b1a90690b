// The events of the page as arrays: times in nanoseconds from its start, exact up to 2^53, so that every sum is exact.
"use strict";

{
	// The text is as large as all else together, so it does not stay.
	function take(id) {
		const element = document.getElementById(id), text = element.textContent.trim();
		element.remove();
		return text;
	}

	function bytesOf(base64) {
		if (Uint8Array.fromBase64)
			return Uint8Array.fromBase64(base64);
		const s = atob(base64), out = new Uint8Array(s.length);
		for (let i = 0; i < s.length; i++)
			out[i] = s.charCodeAt(i);
		return out;
	}

	async function unpack(packed) {
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}

	const page = JSON.parse(take("tracks"));
	let bytes, categoryOf, path, names;

	// A column: one value for all, or numbers of seven bits a byte.
	function numbers(column, n, Type) {
		const out = new Type(n);
		if ("is" in column)
			return out.fill(column.is);
		for (let i = 0, at = column.at; i < n; i++) {
			let b = bytes[at++], x = b & 127;
			for (let m = 128; b > 127; m *= 128) {
				b = bytes[at++];
				x += (b & 127) * m;
			}
			out[i] = x;
		}
		return out;
	}

	const signed = x => x % 2 ? -(x + 1) / 2 : x / 2;

	// A name is shown beside other words, which it may neither hide nor turn round.
	const HIDES = /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
	const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
	const isolated = text => RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
	const shown = text => isolated(text.replace(HIDES, "\ufffd"));

	// Names, numbered from 1 (0 is none), as they are shown and as they are.
	function namesOf({ at, n }) {
		const texts = ["-"], plain = ["-"], decoder = new TextDecoder();
		for (let i = 0; i < n; i++) {
			const end = bytes.indexOf(0, at), text = decoder.decode(bytes.subarray(at, end));
			texts.push(shown(text));
			plain.push(text);
			at = end + 1;
		}
		return { texts, plain };
	}

	// Where the other columns of a track are decoded when somebody looks at one of its events.
	function later(track) {
		const seen = {};
		track.column = name => seen[name] ??= numbers(track.columns[name] ?? { is: 0 }, track.n, Float64Array);
		track.get = (name, i) => name in track.columns ? track.column(name)[i] : 0;
	}

	// When an event began and ended, also where windows cut it.
	function whole(lane, i) {
		const { track } = lane, e = lane.event ? lane.event[i] : i;
		if (track.cuts && !track.missing) {
			const { n, columns } = track.cuts, [event, before, after] = ["event", "before", "after"].map(name => numbers(columns[name], n, Float64Array));
			track.missing = new Map(Array.from(event, (at, k) => [at, [before[k], after[k]]]));
		}
		const [before, after] = track.missing?.get(e) ?? [0, 0];
		return { start: lane.start[i] - before, end: lane.end[i] + after, cut: before + after > 0 };
	}

	function times(track, shift) {
		const start = numbers(track.columns.start, track.n, Float64Array);
		const end = numbers(track.columns.dur, track.n, Float64Array);
		for (let i = 0, t = shift; i < track.n; i++) {
			t += signed(start[i]);
			start[i] = t;
			end[i] += t;
		}
		return { start, end };
	}

	// What colour an event has: a category of kernels, a cause of idleness, a class of calls, a name of ranges.
	const colours = {
		work: (track, n) => numbers(track.columns.full, n, Uint32Array).map(full => categoryOf[full]),
		idle: (track, n) => numbers(track.columns.cause, n, Uint16Array).map(c => nsq.colour.cause + c),
		calls: (track, n) => numbers(track.columns.class, n, Uint16Array).map(c => nsq.colour.call + c),
		ranges: (track, n) => numbers(track.columns.name, n, Uint32Array).map(name => nsq.colour.ofRange[name]),
		startend: (track, n) => colours.ranges(track, n),
		projected: (track, n) => colours.ranges(track, n),
		exposed: (track, n) => new Uint16Array(n).fill(nsq.colour.exposed),
		marks: (track, n) => new Uint16Array(n).fill(nsq.colour.mark),
		os: (track, n) => new Uint16Array(n).fill(nsq.colour.os),
		mpi: (track, n) => new Uint16Array(n).fill(nsq.colour.exposed),
	};

	// The events of one level do not overlap, so they are sorted by their ends too; only those that crowd the last may.
	function lanesOf(all, level, n) {
		let levels = 0;
		for (let i = 0; i < n; i++)
			levels = Math.max(levels, level[i] + 1);
		if (levels === 1)
			return [{ ...all, event: null }];
		const count = new Array(levels).fill(0);
		for (let i = 0; i < n; i++)
			count[level[i]]++;
		const columns = Object.keys(all).filter(column => all[column]);
		const lanes = count.map(c => ({ ...Object.fromEntries(columns.map(column => [column, new all[column].constructor(c)])), event: new Uint32Array(c) }));
		count.fill(0);
		for (let i = 0; i < n; i++) {
			const lane = lanes[level[i]], k = count[level[i]]++;
			for (const column of columns)
				lane[column][k] = all[column][i];
			lane.event[k] = i;
		}
		return lanes;
	}

	function openTrack(trace, track) {
		const n = track.n, all = times(track, trace.shift);
		all.name = numbers(track.columns.name ?? { is: 0 }, n, Uint32Array);
		all.colour = Uint16Array.from(colours[track.kind](track, n));
		if ("at" in (track.columns.count ?? {})) {              // several events that became one: how many, and which share of its time they take
			const busy = numbers(track.columns.busy, n, Float64Array);
			all.count = numbers(track.columns.count, n, Uint32Array);
			all.share = Float64Array.from(busy, (t, i) => all.count[i] ? Math.min(1, t / Math.max(1, all.end[i] - all.start[i])) : 1);
		}
		track.trace = trace;
		later(track);
		track.lanes = lanesOf(all, numbers(track.columns.level ?? { is: 0 }, n, Uint32Array), n);
		track.kinds = track.kind === "work" ? numbers(track.columns.kind, n, Uint8Array) : null;
		if (track.crowded)
			nsq.crowd(track.lanes.at(-1));
		for (const lane of track.lanes)
			lane.track = track;
	}

	function openCounter(trace, counter) {
		Object.assign(counter, times(counter, trace.shift), { trace, kind: "counter" });
		counter.value = numbers(counter.columns.value, counter.n, Float64Array).map(x => signed(x) / counter.per);
		counter.most = counter.value.reduce((a, b) => Math.max(a, b), 0);
		counter.top = nsq.unitOf(counter) === "%" ? Math.max(100, counter.most) : counter.most;         // of its axis
		counter.lanes = [counter];      // it has one, itself
		counter.track = counter;
	}

	// A row of marks under each GPU of a process with findings.
	function openFindings(trace, findings) {
		for (const f of findings) {
			f.process = trace.processes.findIndex(p => p.pid === f.pid);
			f.lane = trace.lanes.findIndex(lane => lane.process === f.process && lane.gpu === f.gpu);
			f.at = f.at.map(t => t + trace.shift);
		}
		trace.lanes.forEach((lane, number) => {
			const here = findings.filter(f => f.lane === number).sort((a, b) => a.at[0] - b.at[0]), n = here.length;
			if (!n || !trace.tracks.some(t => t.lane === number))
				return;
			const track = { kind: "findings", process: lane.process, lane: number, n, trace, columns: {} }, column = (Type, f) => Type.from(here, f);
			const on = { start: column(Float64Array, f => f.at[0]), end: column(Float64Array, f => f.at[1]), name: column(Uint32Array, f => f.title),
				colour: column(Uint16Array, f => nsq.colour.finding + nsq.colour.severities.indexOf(f.severity)), event: null, track, finding: here };
			here.forEach((f, i) => { f.mark = { lane: on, i }; });
			nsq.crowd(on);
			later(track);
			trace.tracks.push(Object.assign(track, { lanes: [on] }));
		});
	}

	// By process: its steps.
	function openSteps(trace, steps) {
		const times = ({ at: [a, b], number, name, typical }) => ({ a: a + trace.shift, b: b + trace.shift, number, name: names[name], typical: typical > 0 });
		trace.steps = trace.processes.map(({ pid }) => steps.filter(s => s.pid === pid).map(times));
	}

	function openTrace(trace) {
		trace.shift = Number(BigInt(trace.start) - nsq.start);
		trace.ahead = BigInt(trace.ahead);
		for (const held of [trace, ...trace.lanes, ...trace.processes])
			held.windows = held.windows.map(([a, b]) => [a + trace.shift, b + trace.shift]);
		trace.tracks.forEach(track => openTrack(trace, track));
		trace.counters.forEach(counter => openCounter(trace, counter));
		Object.assign(trace.gaps, times(trace.gaps, trace.shift));
		later(trace.gaps);
	}

	// The names of the ranges around something, the outermost first.
	nsq.ranges = number => {
		const out = [];
		for (; number; number = path[2 * number - 2])
			out.unshift(names[path[2 * number - 1]]);
		return out;
	};

	nsq.open = async () => {
		bytes = await unpack(bytesOf(take("bytes")));
		const { texts, plain } = namesOf(page.names);
		names = texts;
		path = numbers(page.paths, 2 * page.paths.n, Uint32Array);
		const by = table => numbers(table, table.n, Uint32Array);
		nsq.colour = nsq.colours(page.colours, by(page.categories), by(page.ranges), names);
		categoryOf = nsq.colour.ofName;
		Object.assign(nsq, { names, by: page.by, plainNames: plain, clockWords: page.clock ? names[page.clock] : null });
		const of = (list, i) => (list ?? []).filter(x => x?.trace === i);
		page.traces.forEach((trace, i) => {
			openTrace(trace);
			openSteps(trace, of(page.steps, i));
			openFindings(trace, of(page.findings, i));
		});
		nsq.findings = (page.findings ?? []).filter(f => f?.mark);               // what to fix first comes first
	};

	Object.assign(nsq, { signed, whole, start: BigInt(page.start), length: page.length, version: page.version, adopt: page.adopt > 0, traces: page.traces,
		thinned: page.cell ? { cell: page.cell, whole: page.whole, zones: page.zones > 0 } : null });
}
