"""Do texts of pictures overlap, or leave the picture?  As headless Chromium lays them out.

    plot_texts.py FILE.svg...       prints a line for each that does, and exits 1 if there is one

Each picture is laid out as in Arial, in a wide font, and where none of the fonts that it names is there.
All pictures are shown in one page, forty at a time, each in its own size.
"""
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import FONTS, Page

LOOK = """
((font) => {
	const said = [];
	document.getElementById("font").textContent = "svg { font-family: '" + font + "', sans-serif }";
	for (const svg of document.querySelectorAll("svg")) {
		const all = svg.getBoundingClientRect();
		const name = svg.id + " in " + font + ": ";
		const texts = [...svg.querySelectorAll("text")].map(t => ({ text: t.firstChild.textContent, box: t.getBoundingClientRect() }));
		texts.sort((a, b) => a.box.top - b.box.top);
		texts.forEach((a, i) => {
			if (a.box.left < all.left - .5 || a.box.right > all.right + .5 || a.box.top < all.top - .5 || a.box.bottom > all.bottom + .5)
				said.push(name + "'" + a.text + "' leaves the picture");
			for (let k = i + 1; k < texts.length && texts[k].box.top < a.box.bottom; k++) {
				const b = texts[k];
				const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
				const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
				if (wide > .5 && high > 2)
					said.push(name + "'" + a.text + "' and '" + b.text + "' overlap by " + wide.toFixed(1) + " x " + high.toFixed(1));
			}
		});
	}
	return said;
})"""

# Letters have the same width in fonts that are not there, and another in each that is.
WIDTHS = """(fonts => {
	const pen = document.createElement("canvas").getContext("2d");
	return fonts.map(f => { pen.font = "100px '" + f + "', monospace"; return Math.round(pen.measureText("nsq draws").width) });
})"""


def show(page, files):
    html = ["<!DOCTYPE html><meta charset=utf-8><style id=font></style>"]
    for file in files:
        svg = Path(file).read_text(encoding="utf-8")
        html.append(re.sub("<svg ", f'<svg id="{Path(file).name}" style="display:block" ', svg, count=1))
    with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8") as f:
        f.write("\n".join(html))
        f.flush()
        page.open(f.name)
    widths = page.js(f"{WIDTHS}({FONTS})")
    assert len(set(widths)) == len(FONTS), f"the fonts {FONTS[:2]} are not there (share/deps test installs them): {widths}"
    return page.errors + [line for font in FONTS for line in page.js(f"{LOOK}('{font}')")]


def main():
    files, said = sys.argv[1:], []
    with Page(width=1000) as page:
        for start in range(0, len(files), 40):
            said += show(page, files[start:start + 40])
    print("\n".join(said), end="")
    sys.exit(len(said) > 0)


main()
