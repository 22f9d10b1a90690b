"""The page of nsq-plot in headless Chromium: hovering, the table, copying, no errors, nothing loaded.

    plot_page.py PAGE.html TABLE.tsv [dark]

Prints what it found; an assertion that fails says what is wrong.
"""
import csv
import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import FONTS, Page


def main():
    with Page(sys.argv[1], width=1100, height=900, dark="dark" in sys.argv) as page:
        rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[2], encoding="utf-8")]
        assert page.js("[...document.querySelector('table').rows].map(r => [...r.cells].map(c => c.dataset.is ?? c.textContent))") == rows
        # an amount has three figures and the unit that fits, and its column's name none
        for name, value, shown in page.js("[...document.querySelectorAll('td[data-is]')].slice(0, 500).map(c => "
                                          "[c.closest('table').rows[0].cells[c.cellIndex].textContent, c.dataset.is, c.textContent])"):
            number, unit = shown.split(" ")
            scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}.get(unit)
            assert not name.endswith(("_ns", "_bytes")), name
            assert scale is None or abs(float(number) * scale - float(value)) <= 0.006 * float(value) + 0.5, (value, shown)

        # pointing at a mark shows what it says, in the view; pointing elsewhere nothing
        marks = page.js("""[...document.querySelectorAll('.mark')].map(m => { const b = m.getBoundingClientRect();
            return { says: m.dataset.says, x: b.x + b.width / 2, y: b.y + b.height / 2, w: b.width, h: b.height } })""")
        seen = 0
        for mark in [m for m in marks if m["w"] > 4 and m["h"] > 4 and m["y"] < 880][:10]:
            page.mouse("mouseMoved", mark["x"], mark["y"])
            tip = page.js("(() => { const b = tip.getBoundingClientRect(); return { text: tip.textContent, hidden: tip.hidden, "
                          "in: b.left >= 0 && b.right <= innerWidth && b.top >= 0 && b.bottom <= innerHeight } })()")
            assert tip == {"text": mark["says"], "hidden": False, "in": True}, (tip, mark)
            assert ":" in mark["says"]
            seen += 1
        assert seen
        page.mouse("mouseMoved", 1, 1)
        assert page.js("tip.hidden")

        # what is copied is the table as CSV
        copied = page.js("csv(document.querySelector('table'))")
        assert list(csv.reader(io.StringIO(copied))) == rows
        page.js("globalThis.held = ''; document.addEventListener('copy', e => { held = document.activeElement.value }, true); "
                "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject() } }); 0")
        box = page.js("(() => { const b = document.querySelector('caption button'); b.scrollIntoView({ block: 'center' }); "
                      "const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()")
        page.click(*box)
        assert page.until("held") == copied
        page.until("document.querySelector('caption button').textContent === 'Copied'")

        # colors of the theme
        back = page.js("getComputedStyle(document.querySelector('.back')).fill")
        assert back == ("rgb(20, 24, 29)" if "dark" in sys.argv else "rgb(255, 255, 255)"), back
        assert page.js("document.scripts.length") == 1
        assert page.js("document.title")
        assert not page.errors, page.errors
    # on a telephone the same marks, all of it in view, in letters of nearly the usual size; never none or two pictures
    for width in (380, 719, 720, 721):
        with Page(sys.argv[1], width=width, height=740, dark="dark" in sys.argv) as page:
            shown = page.js("[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect()).filter(r => r.width)"
                            ".map(r => [r.left, r.right])")
            assert len(shown) == 1 and shown[0][0] >= 0, (width, shown)
            if width == 380:
                assert shown[0][1] <= 380, shown
                assert page.js("document.documentElement.scrollWidth") == 380
                assert page.js("document.querySelector('.narrow text:not(.title)').getBoundingClientRect().height") >= 11
                for font in FONTS:
                    out = page.js("(font => { document.body.append(Object.assign(document.createElement('style'), "
                                  "{ textContent: `svg { font-family: '${font}', sans-serif }` })); "
                                  "return [...document.querySelectorAll('.narrow text')].filter(t => t.getBoundingClientRect().right > 380 || "
                                  "t.getBoundingClientRect().left < 0).map(t => t.textContent) })(" + repr(font) + ")")
                    assert out == [], (font, out)
                assert page.js("document.querySelector('.narrow').querySelectorAll('.mark').length") > 0
            assert not page.errors, page.errors
    print(seen, "marks pointed at,", len(rows) - 1, "rows")


main()
