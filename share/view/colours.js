// Colours: one for each owner of kernels, cause of idleness and class of calls, those of share/glossary.tsv.  They differ in
// lightness as well as in hue, since not everybody sees all hues; names and details say what a colour means.
"use strict";

const nsq = {};         // the only global name: what the scripts share, and what tests call

{
	const parse = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
	const unparse = rgb => `#${rgb.map(x => x.toString(16).padStart(2, "0")).join("")}`;
	const pack = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;           // as canvas pixels lie in memory
	const mix = (a, b, share) => a.map((x, i) => Math.round(x * share + b[i] * (1 - share)));

	const SOFT = .42;       // ranges are large, and stand behind what matters

	// One list for all.  given: what the page says (lib/picture/view_page.c); of: by name of a kernel, its category's name,
	// both numbered from 1; hues: by name of a range, its colour.
	nsq.colours = (given, of, hues, names) => {
		const list = [], first = {}, at = new Map(), ofName = new Uint16Array(names.length), ofRange = new Uint16Array(names.length);
		const add = (kind, colours) => {
			first[kind] = list.length;
			for (const [label, light, dark] of colours)
				list.push({ label: String(label), kind, light, dark });
		};
		const categories = given.category.map(([name, ...rest]) => [names[name], ...rest]).sort(([a], [b]) => a < b ? -1 : 1);
		add("category", [...given.other, ...categories]);
		categories.forEach(([label], i) => at.set(label, i + 1));
		of.forEach((label, i) => { ofName[i + 1] = label ? at.get(names[label]) : 0; });
		for (const kind of ["idle", "call", "range", "mark", "os", "counter", "exposed", "finding"])
			add(kind, given[kind]);
		hues.forEach((hue, i) => { ofRange[i + 1] = first.range + hue; });
		ofRange[0] = first.range;
		return { list, ofName, ofRange, cause: first.idle, call: first.call, mark: first.mark, os: first.os, counter: first.counter, exposed: first.exposed, finding: first.finding, severities: given.finding.map(([word]) => word),
			causes: given.idle.map(([word]) => word), classes: given.call.map(([word]) => word) };
	};

	// Take the colours for a light background or a dark one.
	nsq.wear = (dark, back) => {
		for (const c of nsq.colour.list) {
			const own = dark ? c.dark : c.light;
			c.hex = c.kind === "range" ? unparse(mix(parse(own), parse(back), SOFT)) : own;
		}
	};

	// Each colour in shades from nearly the background to itself, for pixels that events cover in part; in full, for what
	// was searched for; and dimmed, for what is beside it.
	const SHADES = 8;
	nsq.shades = (back, select) => {
		const ground = parse(back), shade = [], dim = [];
		for (let k = 0; k <= SHADES; k++) {
			shade.push(Uint32Array.from(nsq.colour.list, c => pack(mix(parse(c.hex), ground, 0.25 + 0.75 * k / SHADES))));
			dim.push(Uint32Array.from(nsq.colour.list, c => pack(mix(mix([128, 128, 128], parse(c.hex), 0.7), ground, 0.25))));
		}
		return { shade, dim, full: shade.map(() => shade[SHADES]), steps: SHADES, ground: pack(ground),
			selected: pack(mix(parse(select), ground, .16)), edge: pack(parse(select)) };
	};

	// A severity has a shape as well as a colour: the corners, in a square of which each side is 1.
	nsq.shapes = {
		untrusted: [[.17, 0], [.5, .33], [.83, 0], [1, .17], [.67, .5], [1, .83], [.83, 1], [.5, .67], [.17, 1], [0, .83], [.33, .5], [0, .17]],
		high: [[0, 0], [1, 0], [.5, 1]],
		medium: [[.5, 0], [1, .5], [.5, 1], [0, .5]],
		low: [[.3, .1], [.7, .1], [.9, .3], [.9, .7], [.7, .9], [.3, .9], [.1, .7], [.1, .3]],
		info: [[.33, 0], [.67, 0], [.67, 1], [.33, 1]],
	};

	// Is text on the colour easier to read in black?
	nsq.isLight = hex => {
		const [r, g, b] = parse(hex);
		return 0.299 * r + 0.587 * g + 0.114 * b > 125;
	};
}
