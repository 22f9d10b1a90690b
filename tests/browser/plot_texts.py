"""Do texts of pictures overlap, or leave the picture?  As headless Chromium lays them out.

    plot_texts.py FILE.svg...       prints a line for each that does, and exits 1 if there is one

All pictures are opened in one page, each in a frame of its own size.
"""
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import Page

LOOK = """
(() => {
	const said = [];
	for (const svg of document.querySelectorAll("svg")) {
		const all = svg.getBoundingClientRect();
		const texts = [...svg.querySelectorAll("text")].map(t => ({ text: t.firstChild.textContent, box: t.getBoundingClientRect() }));
		texts.sort((a, b) => a.box.top - b.box.top);
		texts.forEach((a, i) => {
			if (a.box.left < all.left - .5 || a.box.right > all.right + .5 || a.box.top < all.top - .5 || a.box.bottom > all.bottom + .5)
				said.push(svg.id + ": '" + a.text + "' leaves the picture");
			for (let k = i + 1; k < texts.length && texts[k].box.top < a.box.bottom; k++) {
				const b = texts[k];
				const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
				const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
				if (wide > .5 && high > 2)
					said.push(svg.id + ": '" + a.text + "' and '" + b.text + "' overlap by " + wide.toFixed(1) + " x " + high.toFixed(1));
			}
		});
	}
	return said;
})()
"""


def main():
    bad = 0
    for start in range(0, len(sys.argv) - 1, 40):
        page = ["<!DOCTYPE html><meta charset=utf-8>"]
        for file in sys.argv[1 + start:41 + start]:
            svg = Path(file).read_text(encoding="utf-8")
            page.append(re.sub("<svg ", f'<svg id="{Path(file).name}" style="display:block" ', svg, count=1))
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as f:
            f.write("\n".join(page))
            f.flush()
            with Page(f.name, width=1000) as shown:
                said = shown.errors + shown.js(LOOK)
        for line in said:
            print(line)
        bad += len(said)
    sys.exit(bad > 0)


main()
