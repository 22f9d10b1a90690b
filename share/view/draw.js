// Drawing: the rows that are in sight as pixels, their texts, the ruler and the map of the whole.
"use strict";

{
	const $ = id => document.getElementById(id);
	const rows = $("rows"), ruler = $("ruler"), map = $("map"), scroll = $("scroll");
	const TEXT = "11px system-ui, sans-serif", KEPT = 20000, ARROWS = 200, RULER = 22;

	let theme = null, image = null, mapped = null, seen = null, clip = null;        // clip: the lines of the image that are drawn into

	const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

	nsq.newTheme = () => {
		theme = { back: css("--back"), row: css("--row"), text: css("--text"), quiet: css("--quiet"), line: css("--line"),
			choose: css("--choose"), select: css("--select") };
		nsq.wear(matchMedia("(prefers-color-scheme: dark)").matches, theme.back);
		Object.assign(theme, nsq.shades(theme.back, theme.select), { hatch: hatchOf(theme.quiet) });
		mapped = null;
	};

	// Diagonal lines, as what is outside the windows looks.
	function hatchOf(colour) {
		const tile = document.createElement("canvas"), context = tile.getContext("2d");
		tile.width = tile.height = 8;
		context.strokeStyle = colour;
		context.globalAlpha = .4;
		context.beginPath();
		for (const x of [-8, 0, 8]) {
			context.moveTo(x - 1, 9);
			context.lineTo(x + 9, -1);
		}
		context.stroke();
		return rows.getContext("2d", { alpha: false }).createPattern(tile, "repeat");
	}

	// A canvas as large as its place, in device pixels.
	function fit(canvas, width, height) {
		const ratio = devicePixelRatio || 1, w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
		if (canvas.width !== w || canvas.height !== h) {
			canvas.width = w;
			canvas.height = h;
			canvas.style.width = `${width}px`;
			canvas.style.height = `${height}px`;
		}
		const context = canvas.getContext("2d", { alpha: false });
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		return context;
	}

	nsq.resize = () => {
		const width = Math.max(40, scroll.clientWidth - $("labels").offsetWidth);
		fit(rows, width, scroll.clientHeight);
		fit(ruler, width, ruler.clientHeight);
		fit(map, width, map.clientHeight);
		nsq.width = width;
		mapped = null;
		image = new ImageData(rows.width, rows.height);
		image.words = new Uint32Array(image.data.buffer);
		image.line = new Uint32Array(rows.width);
		image.back = new Uint32Array(rows.width);
		image.heights = new Float64Array(rows.width);
	};

	// Copy a line of pixels to the rows of the image from y to y + height.
	function paste(line, y, height) {
		const first = Math.max(clip.from, y), last = Math.min(clip.to, y + height);
		for (let k = first; k < last; k++)
			image.words.set(line, k * rows.width);
	}

	function drawLane(state, lane, y, height, texts) {
		const { line } = image, { from, to } = state, found = state.found?.problem ? state.lit : state.found ?? state.lit, hits = found?.hits(lane);
		line.set(image.back);
		const wide = texts && ((i, a, b) => texts.push({ lane, i, a, b, y, height }));
		nsq.raster(lane, from, to, line, found ? theme.dim : theme.shade, theme.steps, found ? null : wide, seen);
		if (hits)
			nsq.raster(hits, from, to, line, theme.full, theme.steps, texts && ((i, a, b) => texts.push({ lane, i: hits.at[i], a, b, y, height })));
		paste(line, y, height);
	}

	function drawCounter(state, counter, y, height) {
		const { heights, words } = image, base = theme.shade[3][nsq.colour.counter], edge = theme.shade[theme.steps][nsq.colour.counter];
		const scale = (height - 2) / (counter.top || 1);
		nsq.rasterCounter(counter, state.from, state.to, heights);
		for (let x = 0; x < heights.length; x++) {
			const tall = Math.max(1, Math.round(heights[x] * scale));
			for (let k = 0; k < tall; k++) {
				const line = y + height - 1 - k;
				if (line >= clip.from && line < clip.to)
					words[line * rows.width + x] = k === tall - 1 ? edge : base;
			}
		}
	}

	function drawRow(state, row, ratio, texts) {
		const top = nsq.yOf(row), y = Math.round(top * ratio), px = n => Math.round(n * ratio);
		if (row.track?.kind === "findings")
			return;                         // drawn as marks, above all else
		if (row.track?.kind === "counter")
			drawCounter(state, row.track, y + px(2), px(row.height - 4));
		else if (row.track)
			row.track.lanes.slice(0, row.levels).forEach((lane, k) => {
				const a = Math.round((top + k * row.level) * ratio);
				if (a < clip.to && a + px(row.level) > clip.from)
					drawLane(state, lane, a + px(1), px(row.level - 2), row.level >= 14 ? texts : null);
			});
		else if (!row.open && !row.wanted)      // what is inside, as a hint
			row.preview.slice(0, 3).forEach((lane, k, all) => drawLane(state, lane, y + px(4 + k * 14 / all.length), px(14 / all.length) - 1, null));
	}

	const widths = new Map();       // of texts in the font of events

	function widthOf(context, text) {
		let width = widths.get(text);
		if (width === undefined) {
			if (widths.size > KEPT)
				widths.clear();
			widths.set(text, width = context.measureText(text).width);
		}
		return width;
	}

	// As much of a name as there is room for; "": less than two characters of it.
	function shortened(context, name, room) {
		const width = widthOf(context, name);
		if (width <= room)
			return name;
		let n = Math.min(name.length - 1, Math.ceil(name.length * room / width) + 2);
		while (n > 1 && widthOf(context, name.slice(0, n) + "…") > room)
			n--;
		return n > 1 ? name.slice(0, n) + "…" : "";
	}

	function drawTexts(context, texts, ratio) {
		context.font = TEXT;
		context.textBaseline = "middle";
		for (const { lane, i, a, b, y, height } of texts) {
			const name = nsq.textOf(lane, i), text = name && shortened(context, name, (b - a) / ratio - 6);
			if (!text)
				continue;
			context.fillStyle = nsq.isLight(nsq.colour.list[lane.colour[i]].hex) ? "#000" : "#fff";
			context.fillText(text, a / ratio + 3, (y + height / 2) / ratio + .5);
		}
	}

	const place = (state, time) => (time - state.from) / (state.to - state.from) * nsq.width;

	// What is behind the events: the background, and the selection.
	function drawBack(state, ratio) {
		const { back, words } = image;
		back.fill(theme.ground);
		if (state.selection) {
			const [a, b] = [state.selection.a, state.selection.b].map(t => Math.round(place(state, t) * ratio));
			back.fill(theme.selected, Math.max(0, a), Math.max(0, b));
			for (const x of [a, b - 1])
				if (x >= 0)
					back.fill(theme.edge, x, x + 1);
		}
		for (let at = 0; at < words.length; at += rows.width)
			words.set(back, at);
	}

	// Where on the screen nothing can be seen, since it is outside all of these windows: [from, to], in pixels.
	function outside(windows, state) {
		const out = [];
		let at = state.from;
		for (let i = 0; i <= windows.length && at < state.to; i++) {
			const [a, b] = windows[i] ?? [nsq.length, nsq.length], x0 = Math.ceil(place(state, at)), x1 = Math.min(nsq.width, Math.floor(place(state, a)));
			if (x1 > x0)
				out.push([x0, x1]);
			at = Math.max(at, b);
		}
		return out;
	}

	function drawHatch(context, state, visible) {
		const known = new Map();
		context.fillStyle = theme.hatch;
		for (const row of visible.filter(r => r.windows)) {
			if (!known.has(row.windows))
				known.set(row.windows, outside(row.windows, state));
			for (const [a, b] of known.get(row.windows))
				context.fillRect(a, nsq.yOf(row), b - a, row.height);
		}
	}

	function drawChosen(context, state, visible) {
		const { chosen } = state, row = chosen && nsq.rowOf(chosen.lane.track), k = row?.track.lanes.indexOf(chosen.lane);
		if (!visible.includes(row) || k >= row.levels)
			return;
		const a = place(state, chosen.lane.start[chosen.i]), b = place(state, chosen.lane.end[chosen.i]);
		const x0 = Math.max(-3, a), x1 = Math.min(nsq.width + 3, Math.max(b, a + 2));
		context.strokeStyle = theme.choose;
		context.lineWidth = 2;
		context.strokeRect(x0, nsq.yOf(row) + k * row.level + 1, x1 - x0, row.level - 2);
	}

	// A shape above the place of a finding, and its title as far as the next one leaves room.
	function drawFindings(context, state, visible) {
		context.font = TEXT;
		context.textBaseline = "middle";
		for (const row of visible.filter(r => r.track?.kind === "findings")) {
			const { track: { lanes: [lane] }, height } = row, at = Array.from(lane.start, t => place(state, t));
			at.forEach((x, i) => {
				const high = nsq.yOf(row) + 3, next = at.find((other, k) => k > i && other > x + 12) ?? nsq.width;
				if (x < -6 || x > nsq.width + 6)
					return;
				seen[lane.colour[i]] = 1;
				context.fillStyle = nsq.colour.list[lane.colour[i]].hex;
				context.beginPath();
				for (const [right, down] of nsq.shapes[lane.finding[i].severity])
					context.lineTo(x - 6 + 12 * right, high + 12 * down);
				context.fill();
				context.fillRect(x, high + height - 6, Math.max(1, place(state, lane.end[i]) - x), 2);
				if (at[i + 1] > x + 12 || i + 1 === at.length) {
					context.fillStyle = theme.text;
					context.fillText(shortened(context, nsq.names[lane.name[i]], next - x - 20), x + 9, high + 6);
				}
			});
		}
	}

	// The steps of a process under the ruler: every other one shaded, the typical one told.
	function drawSteps(context, state) {
		const steps = nsq.stepsOf(), { row, several } = nsq.stepped() ?? {}, y = RULER, height = ruler.clientHeight - RULER;
		context.font = "10px system-ui, sans-serif";
		context.textBaseline = "middle";
		for (let i = nsq.stepAt(steps, state.from); i < steps.length && steps[i].a < state.to; i++) {
			const { a, b, number, name, typical } = steps[i], x0 = place(state, a), x1 = place(state, b);
			context.fillStyle = typical ? theme.select : theme.quiet;
			context.globalAlpha = typical ? .8 : i % 2 ? .18 : .34;
			context.fillRect(x0, y, Math.max(typical ? 3 : .5, x1 - x0 - (x1 - x0 > 4)), height);
			context.globalAlpha = 1;
			context.fillStyle = typical ? theme.back : theme.text;
			if (x1 - x0 > 14)
				context.fillText(shortened(context, `${typical && several ? `${row.who}, ` : ""}${typical ? "typical: " : ""}${/\d/.test(name) || x1 - x0 < 60 ? "" : `${name} `}${/\d/.test(name) && x1 - x0 > 60 ? name : number}`,
					Math.min(x1, nsq.width) - Math.max(x0, 0) - 6), Math.max(x0, 0) + 3, y + height / 2 + .5);
		}
	}

	// From each call to the work that it launched.  Where a row is closed, to the branch that it is in; where it is hidden, to nowhere.
	function drawArrows(context, state) {
		context.strokeStyle = context.fillStyle = theme.choose;
		context.lineWidth = 1.5;
		for (const { from, to } of state.links.arrows.slice(0, ARROWS)) {
			const a = nsq.placeOf(from.lane), b = nsq.placeOf(to.lane), down = b?.y > a?.y;
			if (!a || !b)
				continue;
			const x0 = place(state, from.lane.start[from.i]), x1 = place(state, to.lane.start[to.i]);
			const y0 = a.y + (down ? a.height : 0), y1 = b.y + (down ? 0 : b.height), bend = Math.max(20, Math.abs(y1 - y0) / 2) * (down ? 1 : -1);
			context.beginPath();
			context.moveTo(x0, y0);
			context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
			context.stroke();
			context.beginPath();
			context.moveTo(x1, y1);
			context.lineTo(x1 - 4, y1 + (down ? -7 : 7));
			context.lineTo(x1 + 4, y1 + (down ? -7 : 7));
			context.fill();
		}
	}

	// The highest value, where the curve that reaches it cannot strike it through.
	function drawCounterTexts(context, visible) {
		context.font = "10px system-ui, sans-serif";
		context.textBaseline = "top";
		for (const row of visible.filter(r => r.track?.kind === "counter")) {
			const { track } = row, y = nsq.yOf(row), of = track.top > track.most ? ` of ${nsq.value(track, track.top)}` : "", text = `max ${nsq.value(track, track.most)}${of}`;
			context.fillStyle = theme.back;
			context.globalAlpha = .85;
			context.fillRect(1, y + 2, context.measureText(text).width + 4, 13);
			context.globalAlpha = 1;
			context.fillStyle = theme.text;
			context.fillText(text, 3, y + 4);
		}
	}

	// The rows that scroll, then those that do not, over them.
	function drawRows(state) {
		const context = rows.getContext("2d"), ratio = rows.width / nsq.width, height = scroll.clientHeight, px = y => Math.round(y * ratio);
		const groups = [false, true].map(stuck => ({ stuck, from: stuck ? 0 : nsq.stuck, to: stuck ? nsq.stuck : height, texts: [] }));
		drawBack(state, ratio);
		seen = new Uint8Array(nsq.colour.list.length);
		for (const group of groups) {
			clip = { from: px(group.from), to: Math.min(rows.height, px(group.to)) };
			group.rows = nsq.rows.filter(row => row.stuck === group.stuck && nsq.yOf(row) + row.height > group.from && nsq.yOf(row) < group.to);
			for (const row of group.rows)
				drawRow(state, row, ratio, group.texts);
		}
		context.putImageData(image, 0, 0);
		for (const { rows: visible, from, to, texts } of groups) {
			context.save();
			context.beginPath();
			context.rect(0, from, nsq.width, to - from);
			context.clip();
			drawHatch(context, state, visible);
			drawTexts(context, texts, ratio);
			drawCounterTexts(context, visible);
			drawFindings(context, state, visible);
			context.fillStyle = theme.line;
			for (const row of visible.filter(r => !r.depth))
				context.fillRect(0, nsq.yOf(row), nsq.width, 1);
			drawChosen(context, state, visible);
			context.restore();
		}
		if (nsq.stuck) {
			context.fillStyle = theme.quiet;
			context.fillRect(0, nsq.stuck - 1, nsq.width, 1);
		}
		drawArrows(context, state);
	}

	function drawRuler(state) {
		const context = ruler.getContext("2d"), height = ruler.clientHeight;
		context.fillStyle = theme.back;
		context.fillRect(0, 0, nsq.width, height);
		if (state.selection) {
			const [a, b] = [state.selection.a, state.selection.b].map(t => Math.round(place(state, t)));
			context.fillStyle = theme.select;
			context.globalAlpha = .16;
			context.fillRect(a, 0, b - a, height);
			context.globalAlpha = 1;
			for (const x of [a, b - 1])
				context.fillRect(x, 0, 1, height);
		}
		context.font = TEXT;
		context.textBaseline = "middle";
		for (const [time, text] of nsq.ticks(state.from, state.to, nsq.width)) {
			const x = place(state, time);
			context.fillStyle = theme.quiet;
			context.fillRect(Math.round(x), 0, 1, 5);
			context.fillStyle = theme.text;
			if (x < nsq.width - 40)
				context.fillText(text, x + 4, RULER / 2 + 1);
		}
		drawSteps(context, state);
	}

	// The whole at a glance: for each GPU of a process its work, then a frame around what is in view.
	function drawMap(state) {
		const context = map.getContext("2d"), height = map.clientHeight;
		if (!mapped) {
			const lanes = nsq.traces.flatMap(t => t.lanes.map(({ windows }, i) => ({ windows, tracks: t.tracks.filter(k => k.lane === i && k.kind === "work") })));
			const shown = lanes.filter(({ tracks }) => tracks.length).slice(0, map.height);
			mapped = Object.assign(new ImageData(map.width, map.height), { outside: shown.map(({ windows }) => outside(windows, { from: 0, to: nsq.length })) });
			const words = new Uint32Array(mapped.data.buffer).fill(theme.ground), line = new Uint32Array(map.width);
			shown.forEach(({ tracks }, k) => {
				line.fill(theme.ground);
				for (const lane of tracks.flatMap(t => t.lanes))
					nsq.raster(lane, 0, nsq.length, line, theme.shade, theme.steps, null);
				for (let y = Math.floor(k * map.height / shown.length); y < Math.floor((k + 1) * map.height / shown.length); y++)
					words.set(line, y * map.width);
			});
		}
		context.putImageData(mapped, 0, 0);
		context.fillStyle = theme.hatch;
		mapped.outside.forEach((parts, k, { length }) => {
			for (const [a, b] of parts)
				context.fillRect(a, k * height / length, b - a, height / length);
		});
		const a = state.from / nsq.length * nsq.width, b = Math.max(a + 4, state.to / nsq.length * nsq.width);
		context.fillStyle = theme.back;
		context.globalAlpha = .6;
		context.fillRect(0, 0, a, height);
		context.fillRect(b, 0, nsq.width - b, height);
		context.globalAlpha = 1;
		context.strokeStyle = theme.text;
		context.lineWidth = 1;
		context.strokeRect(a + .5, .5, Math.max(1, b - a - 1), height - 1);
	}

	nsq.draw = state => {
		drawRows(state);
		drawRuler(state);
		drawMap(state);
		nsq.showLegend(seen, state.lit);
	};
}
