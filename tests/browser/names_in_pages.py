#!/usr/bin/env python3
"""Looks at pages in Chromium: names_in_pages.py FILE...

Each page works under its policy, which lets it load nothing, and each name that turns the order of characters turns none but
its own.  Prints what is wrong.
"""
import sys
from pathlib import Path

from chromium import Page

POLICY = "document.querySelector('meta[http-equiv=Content-Security-Policy]')?.content ?? ''"
# What a page that was tricked would do first; a policy that holds refuses it.
LOADS = """(async () => {
	const image = await new Promise(done => {
		const i = new Image();
		i.onload = () => done("an image");
		i.onerror = () => done("");
		i.src = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
	});
	return image || await fetch("data:,x").then(() => "a file", () => "");
})()"""
# Elements in the flow of a line that hold a character that turns others, and do not keep it to themselves; the same in a text
# that stands beside other words.
TURNS = """(() => {
	const turns = /[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c]/, bad = [];
	for (let walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), text; (text = walk.nextNode());) {
		const of = text.parentElement;
		if (turns.test(text.data) && !/^(script|style)$/i.test(of.tagName) &&
		    (!/isolate/.test(getComputedStyle(of).unicodeBidi) || of.childNodes.length > 1 || of.closest("svg")))
			bad.push(of.tagName + " " + text.data);
	}
	return bad.concat(turns.test(document.title) ? ["the title"] : []);
})()"""


def wrong(page, file):
    policy = page.js(POLICY)
    if "default-src 'none'" not in policy:
        yield f"the policy is '{policy}'"
    # what was refused of the page before may be told late
    yield from (e for e in page.errors if "data:,x" not in e and "data:image/gif;base64,R0lG" not in e)
    yield from (f"loads {what}" for what in [page.js(LOADS)] if what)
    yield from (f"turns others: {what!a}" for what in page.js(TURNS))
    if "plot" in file or "result" in file:
        page.js("document.querySelector('rect.hit, rect.mark').dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))")
        if page.js("document.getElementById('tip').textContent") == "":
            yield "pointing shows nothing"


bad = 0
for name in sys.argv[1:]:
    with Page(name) as shown:
        for what in wrong(shown, Path(name).name):
            print(f"{name}: {what}")
            bad = 1
sys.exit(bad)
