// Lanes of events: finding events, and drawing them as one line of pixels.  Events of a lane do not overlap, except in a
// crowded one.  A line takes time in proportion to its pixels, not to the events.
"use strict";

{
	const BLOCK = 64;

	// The first index from lo on for which the sorted array is more than x, or at least x.
	function above(array, x, lo = 0) {
		let hi = array.length;
		while (lo < hi) {
			const mid = lo + hi >>> 1;
			if (array[mid] > x)
				hi = mid;
			else
				lo = mid + 1;
		}
		return lo;
	}

	function least(array, x, lo = 0) {
		let hi = array.length;
		for (let step = 1; lo + step < hi; step *= 2)           // it is often near
			if (array[lo + step] >= x) {
				hi = lo + step;
				break;
			}
		while (lo < hi) {
			const mid = lo + hi >>> 1;
			if (array[mid] >= x)
				hi = mid;
			else
				lo = mid + 1;
		}
		return lo;
	}

	// A crowded lane knows when the last of the events up to each one ends.
	nsq.crowd = lane => {
		let last = -Infinity;
		lane.last = lane.end.map(t => last = Math.max(last, t));
	};

	// The first event that is not over at a time; one without length is where it starts.
	function firstAt(lane, time) {
		let i = above(lane.last ?? lane.end, time);
		while (i > 0 && lane.start[i - 1] === time && lane.end[i - 1] === time)
			i--;
		return i;
	}

	// For each block of events, which colour has the most time, and how much time they all have.
	function blocksOf(lane) {
		const n = Math.floor(lane.start.length / BLOCK), colour = new Uint16Array(n), time = new Float64Array(n);
		const most = new Float64Array(n);
		for (let b = 0; b < n; b++) {
			const sum = tally(lane, b * BLOCK, (b + 1) * BLOCK);
			colour[b] = sum.colour;
			most[b] = sum.most;
			time[b] = sum.time;
		}
		return { colour, time, most };
	}

	const weight = new Float64Array(1 << 16);         // by colour
	const met = [];

	function weigh(colour, time) {
		if (!weight[colour])
			met.push(colour);
		weight[colour] += time + 1;             // so that an event without length counts
	}

	function heaviest(time) {
		let colour = 0, most = 0;
		for (const c of met) {
			if (weight[c] > most) {
				most = weight[c];
				colour = c;
			}
			weight[c] = 0;
		}
		met.length = 0;
		return { colour, most, time };
	}

	// How long an event takes, or several that became one.
	const timeOf = (lane, i) => (lane.end[i] - lane.start[i]) * (lane.share ? lane.share[i] : 1);

	function tally(lane, i, j) {
		let time = 0;
		for (; i < j; i++) {
			const t = timeOf(lane, i);
			time += t;
			weigh(lane.colour[i], t);
		}
		return heaviest(time);
	}

	// The same for many events: blocks count as a whole.
	function survey(lane, i, j) {
		if (j - i < 2 * BLOCK)
			return tally(lane, i, j);
		const blocks = lane.blocks ??= blocksOf(lane);
		let time = 0;
		const one = k => {
			time += timeOf(lane, k);
			weigh(lane.colour[k], timeOf(lane, k));
		};
		for (; i % BLOCK; i++)
			one(i);
		for (; i + BLOCK <= j; i += BLOCK) {
			time += blocks.time[i / BLOCK];
			weigh(blocks.colour[i / BLOCK], blocks.most[i / BLOCK]);
		}
		for (; i < j; i++)
			one(i);
		return heaviest(time);
	}

	// Draw the lane's events between two times into a line of pixels.  What is shorter than two pixels shares them: the
	// colour with the most time wins, and the less of a pixel is covered, the paler it is, but never invisible.
	// wide(i, x0, x1) is told of each event that is long enough for a text; seen[colour] becomes 1 for those that show.
	nsq.raster = (lane, from, to, line, shades, steps, wide, seen) => {
		const { start, end, colour } = lane, n = start.length, width = line.length, scale = width / (to - from);
		let drawn = 0;          // of a crowded lane: how far
		for (let i = firstAt(lane, from); i < n && start[i] < to;) {
			const x0 = (start[i] - from) * scale, x1 = (end[i] - from) * scale;
			if (lane.last && x0 < 0 && x1 <= 0) {
				i++;
				continue;
			}
			if (x1 - x0 >= 2) {
				const left = Math.max(0, Math.floor(x0)), a = Math.max(drawn, left), b = Math.min(width, Math.max(left + 1, Math.floor(x1)));
				const gap = b - a >= 4 && x1 < width ? 1 : 0;           // to the next
				line.fill(shades[lane.share ? Math.max(1, Math.round(lane.share[i] * steps)) : steps][colour[i]], a, b - gap);
				if (seen)
					seen[colour[i]] = 1;
				if (b - a > 24 && wide)
					wide(i, a, b - 1);
				if (lane.last)
					drawn = Math.max(a, b);
				i++;
				continue;
			}
			const x = Math.max(0, Math.floor(x0));
			let j = Math.max(i + 1, least(start, from + (x + 1) / scale, i));
			if (j - 1 > i && (end[j - 1] - start[j - 1]) * scale >= 2)
				j--;
			const sum = survey(lane, i, j), step = Math.min(steps, Math.round(sum.time * scale * steps));
			if (x < width)
				line[x] = shades[step][sum.colour];
			if (seen)
				seen[sum.colour] = 1;
			if (x + 1 < width && (end[j - 1] - from) * scale >= x + 1.5)
				line[x + 1] = shades[steps >> 1][colour[j - 1]];
			i = j;
		}
	};

	// The lowest and the highest value of a counter between two times; null: it has none there.
	nsq.valuesIn = ({ start, end, value }, from, to) => {
		let low = Infinity, high = -Infinity;
		for (let i = firstAt({ start, end }, from); i < start.length && start[i] < to; i++) {
			low = Math.min(low, value[i]);
			high = Math.max(high, value[i]);
		}
		return low > high ? null : [low, high];
	};

	// The highest value of a counter in each pixel; NaN where there is none.
	nsq.rasterCounter = (counter, from, to, heights) => {
		const { start, end, value } = counter, width = heights.length, per = (to - from) / width;
		let i = firstAt(counter, from);
		heights.fill(NaN);
		for (let x = 0; x < width && i < start.length; x++) {
			const a = from + x * per, b = a + per;
			while (i < end.length && end[i] <= a && start[i] < a)
				i++;
			for (let k = i; k < start.length && start[k] < b; k++)
				if (!(heights[x] >= value[k]))
					heights[x] = value[k];
		}
	};

	// The last event of a crowded lane that is open at a time; -1: none.
	function openAt(lane, time) {
		let i = above(lane.start, time) - 1;
		while (i >= 0 && lane.end[i] <= time)
			i = lane.last[i] > time ? i - 1 : -1;
		return i;
	}

	// The event of a lane at a time, or the nearest within reach; -1: none.
	nsq.eventAt = (lane, time, reach) => {
		const open = lane.last ? openAt(lane, time) : -1;
		if (open >= 0)
			return open;
		const i = Math.min(firstAt(lane, time), lane.start.length - 1), distance = k =>
			k < 0 || k >= lane.start.length ? Infinity : Math.max(lane.start[k] - time, time - lane.end[k], 0);
		const best = [i, i - 1, i + 1].sort((a, b) => distance(a) - distance(b))[0];
		return distance(best) <= reach ? best : -1;
	};

	// Some events of a lane: those for which is(i) says so.
	nsq.filter = (lane, is) => {
		let n = 0;
		for (let i = 0; i < lane.start.length; i++)
			n += Boolean(is(i));
		const out = { start: new Float64Array(n), end: new Float64Array(n), colour: new Uint16Array(n), at: new Uint32Array(n) };
		for (let i = 0, k = 0; k < n; i++)
			if (is(i)) {
				out.start[k] = lane.start[i];
				out.end[k] = lane.end[i];
				out.colour[k] = lane.colour[i];
				out.at[k++] = i;
			}
		if (lane.last)
			nsq.crowd(out);
		return out;
	};

	Object.assign(nsq, { above, least, firstAt });
}
