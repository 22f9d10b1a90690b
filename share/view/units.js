// Times and sizes as people read them.
"use strict";

{
	const UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
	const unitOf = ns => UNITS.findLast(([size]) => Math.abs(ns) >= size) ?? UNITS[0];

	// A length: "4.057 ms".
	nsq.duration = ns => {
		const [size, unit] = unitOf(ns);
		return size === 1 ? `${ns} ns` : `${(ns / size).toFixed(3)} ${unit}`;
	};

	// A moment, in nanoseconds of the page's clock or of a trace's own: the page's start may be past what a number holds exactly.
	nsq.clock = (offset, trace) => (nsq.start + BigInt(Math.round(offset)) - (trace?.ahead ?? 0n)).toString();
	nsq.offset = clock => Number(BigInt(clock) - nsq.start);

	// A moment as the line under the pointer says it: in milliseconds, as exactly as pixels of so many nanoseconds tell.
	nsq.moment = (offset, pixel) => {
		const digits = nsq.clock(offset).padStart(7, "0"), places = Math.min(6, Math.max(0, Math.ceil(6 - Math.log10(Math.max(pixel, 1)))));
		return `${digits.slice(0, -6)}${places ? `.${digits.slice(-6).slice(0, places)}` : ""} ms`;
	};

	nsq.bytes = n => {
		const units = ["B", "KiB", "MiB", "GiB", "TiB"], k = n ? Math.min(4, Math.floor(Math.log2(Math.abs(n)) / 10)) : 0;
		return k ? `${(n / 1024 ** k).toFixed(1)} ${units[k]}` : `${n} B`;
	};

	// A value of a counter.  The unit of a metric is in its name: "SMs Active [Throughput %]".
	nsq.unitOf = counter => {
		const unit = /\[([^\]]*)\]$/.exec(nsq.names[counter.name])?.[1] ?? "";
		return unit.includes("%") ? "%" : unit;
	};
	nsq.value = (counter, value) => counter.bytes ? nsq.bytes(value) : `${+value.toFixed(2)} ${nsq.unitOf(counter)}`.trim();

	nsq.thousands = n => n.toString().replace(/\B(?=(\d{3})+$)/g, " ");

	// Round times for a ruler, some pixels apart, on the trace's clock: [offset, text].  Where they are close together,
	// the first says where they are, and the others how much later.
	nsq.ticks = (from, to, width) => {
		const least = (to - from) / Math.max(2, width / 90), ten = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
		const step = Math.max(1, [1, 2, 5, 10].find(k => k * ten >= least) * ten), big = BigInt(step);
		const first = (nsq.start + BigInt(Math.ceil(from)) + big - 1n) / big * big, out = [];
		const [size, unit] = UNITS.findLast(([s]) => step >= s / 10) ?? UNITS[0];
		for (let t = first; Number(t - nsq.start) <= to; t += big)
			out.push([Number(t - nsq.start), label(t, first, step, size, unit)]);
		return out;
	};

	function label(t, first, step, size, unit) {
		const places = Math.max(0, Math.ceil(Math.log10(size / step)));
		const whole = Number(t) / size;
		if (t === first || whole < 1e5)
			return `${whole.toFixed(places)} ${unit}`;
		return `+${(Number(t - first) / size).toFixed(places)} ${unit}`;
	}
}
