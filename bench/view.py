#!/usr/bin/env python3
"""How fast a page of nsq-view is: bench/view.py PAGE prints seconds until it is open, and milliseconds for a redraw.

A redraw is one step of a hundred random zooms, until its pixels are there.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/browser"))
from chromium import Page  # noqa: E402

ZOOMS = """(() => {
    const canvas = document.getElementById("rows").getContext("2d"), times = [];
    let seed = 7;
    nsq.view(0, nsq.length);
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
    for (let i = 0; i < 100; i++) {
        const { from, to } = nsq.state, x = random(), at = from + (to - from) * x, length = (to - from) * (i % 20 < 10 ? 1 / 1.6 : 1.6);
        nsq.view(at - length * x, at + length * (1 - x));
        const begin = performance.now();
        nsq.draw(nsq.state);
        canvas.getImageData(0, 0, 1, 1);
        times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b);
})()"""

with Page(width=1400, height=900) as page:
    begin = time.monotonic()
    page.open(sys.argv[1])
    page.js("nsq.ready.then(() => true)")
    opened = time.monotonic() - begin
    times = page.js(ZOOMS)
    print(f"open {opened:.2f} s, redraw median {times[50]:.1f} ms, 90th percentile {times[90]:.1f} ms")
    for error in page.errors:
        print("error in the page:", error)
    sys.exit(bool(page.errors))
