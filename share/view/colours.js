// Colours: one for each category of kernels, cause of idleness and class of calls, and the same in every page.  They
// differ in lightness as well as in hue, since not everybody sees all hues; names and details say what a colour means.
"use strict";

const nsq = {};         // the only global name: what the scripts share, and what tests call

{
	// The words that nsq-plot knows have its colours (lib/picture/plot_colors.c).
	const categories = {
		gemm: "#0072b2", attn: "#e69f00", nccl: "#d55e00", comm: "#d55e00", moe_gemm: "#1d4a55", moe: "#cc79a7", norm: "#8fd175", softmax: "#1d4a55",
		optimizer: "#8f1d33", reduce: "#cc79a7", triton: "#5b3fc4", elementwise: "#56b4e9", graph: "#5b3fc4", copy: "#009e73",
		conv: "#44aa99", rope: "#88ccee", embedding: "#c8b45a", quant: "#aa4499", sample: "#8c8c2e", kv_cache: "#117733",
	};
	const more = ["#b07aa1", "#76b7b2", "#bab0ac", "#9c755f", "#d7b5a6", "#499894", "#86bcb6", "#d37295"];
	const none = "#6b737c";
	const causes = { queued: "#56b4e9", launch: "#e69f00", sync: "#cc79a7", memory: "#8fd175", api: "#d55e00", host: "#8f1d33", um: "#5b3fc4",
		unknown: "#6b737c", edge: "#c4cad1" };
	const classes = { launch: "#e69f00", sync: "#cc79a7", memory: "#8fd175", graph: "#5b3fc4", event: "#56b4e9", stream: "#1d4a55", module: "#8f1d33",
		other: "#6b737c" };
	const ranges = ["#8fa8c8", "#a9b98c", "#c9a98f", "#a99bc4", "#8fbcb6", "#c49bb0", "#b8b08a", "#9aaab4"];

	const parse = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
	const pack = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;           // as canvas pixels lie in memory
	const mix = (a, b, share) => a.map((x, i) => Math.round(x * share + b[i] * (1 - share)));

	// One list for all.  of: by name of a kernel, its category's name, both numbered from 1.
	nsq.colours = (of, names) => {
		const list = [{ hex: none, label: "other", kind: "category" }], at = new Map();
		let extra = 0;
		for (const label of [...new Set(of)].filter(Boolean).map(name => names[name]).sort()) {
			at.set(label, list.length);
			list.push({ hex: categories[label] ?? more[extra++ % more.length], label, kind: "category" });
		}
		const ofName = new Uint16Array(names.length);
		of.forEach((label, i) => { ofName[i + 1] = label ? at.get(names[label]) : 0; });
		const add = (kind, table) => {
			const first = list.length;
			for (const [label, hex] of Object.entries(table))
				list.push({ hex, label, kind });
			return first;
		};
		const cause = add("idle", causes), call = add("call", classes), range = add("range", Object.fromEntries(ranges.entries()));
		const mark = add("mark", { mark: "#cc79a7" }), os = add("os", { "OS call": "#b3a68c" });
		const counter = add("counter", { counter: "#5b8def" });
		return { list, ofName, cause, call, range, ranges: ranges.length, mark, os, counter, causes: Object.keys(causes),
			classes: Object.keys(classes) };
	};

	// Each colour in shades from nearly the background to itself, for pixels that events cover in part; in full, for what
	// was searched for; and dimmed, for what is beside it.
	const SHADES = 8;
	nsq.shades = back => {
		const ground = parse(back), shade = [], dim = [];
		for (let k = 0; k <= SHADES; k++) {
			shade.push(Uint32Array.from(nsq.colour.list, c => pack(mix(parse(c.hex), ground, 0.45 + 0.55 * k / SHADES))));
			dim.push(Uint32Array.from(nsq.colour.list, c => pack(mix(mix([128, 128, 128], parse(c.hex), 0.7), ground, 0.25))));
		}
		return { shade, dim, full: shade.map(() => shade[SHADES]), steps: SHADES, ground: pack(ground) };
	};

	// Is text on the colour easier to read in black?
	nsq.isLight = hex => {
		const [r, g, b] = parse(hex);
		return 0.299 * r + 0.587 * g + 0.114 * b > 125;
	};
}
