"""Looks at the page of a report in a browser: report_page.py report.html; prints what is wrong, and exits 1."""
import sys

from chromium import Page

wrong = []


def check(ok, *what):
    if not ok:
        wrong.append(" ".join(str(w) for w in what))


# The contrast of the text of each element that has any with what is behind it, the least of all.
CONTRAST = """(() => {
    const level = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b }
    const clear = c => c === 'transparent' || /, 0\\)$/.test(c)
    const behind = e => { while (e && clear(getComputedStyle(e).backgroundColor)) e = e.parentElement; return getComputedStyle(e || document.body).backgroundColor }
    let least = 99
    for (const e of document.querySelectorAll('h1, h2, h3, p, li, code, summary, th, td, strong, a')) {
        const a = level(getComputedStyle(e).color), b = level(behind(e))
        least = Math.min(least, (Math.max(a, b) + .05) / (Math.min(a, b) + .05))
    }
    return least
})()"""

# How many boxes are wider than the page, and which of them do not show that by a shade at their right edge, which paper
# that moves along with what is in the box hides once the end is reached.
SHADES = """(() => {
    const found = { wider: 0, wrong: [] }
    for (const e of document.querySelectorAll('table')) {
        const s = getComputedStyle(e), layers = s.backgroundAttachment.split(', ').map((a, i) => a + ' ' + s.backgroundPositionX.split(', ')[i])
        found.wider += e.scrollWidth > e.clientWidth
        if (layers.join() !== 'local 0%,local 100%,scroll 0%,scroll 100%' || !s.backgroundImage.includes(getComputedStyle(document.body).backgroundColor) ||
                [...e.querySelectorAll('.back')].some(b => getComputedStyle(b).fill !== 'none'))
            found.wrong.push(e.textContent.slice(0, 20))
    }
    return found
})()"""

# A picture is drawn for a screen and for a phone; the page shows the one that fits.
ONE_PICTURE = """[...document.querySelectorAll('figure')].every(f => {
    const shown = [...f.querySelectorAll('svg')].map(s => s.getBoundingClientRect()).filter(r => r.width > 0)
    return shown.length === 1 && shown[0].right <= innerWidth
})"""

for width, dark in ((1200, False), (1200, True), (380, False), (380, True)):
    with Page(sys.argv[1], width=width, height=900, dark=dark) as page:
        how = f"{width} px, {'dark' if dark else 'light'}:"
        check(not page.errors, how, page.errors)
        check(page.js("document.documentElement.scrollWidth") <= width, how, "the page is wider than the window")
        check(page.js(CONTRAST) >= 4.5, how, "contrast", page.js(CONTRAST))
        pictures = page.js("[...document.querySelectorAll('figure svg')].map(s => s.querySelectorAll('.mark, .line').length)")
        check(len(pictures) >= 3 and all(pictures), how, "pictures", pictures)
        check(page.js("[...document.querySelectorAll('table')].every(e => getComputedStyle(e).overflowX === 'auto')"), how, "what is wide scrolls")
        check(page.js(ONE_PICTURE), how, "each figure shows one of its pictures, whole")
        hints = page.js(SHADES)
        check(not hints["wrong"], how, "no hint that it goes on, or one where it does not:", hints["wrong"])
        check(width > 380 or hints["wider"] >= 5, how, "nothing is wider than the page", hints)
        check(page.js("parseFloat(getComputedStyle(document.querySelector('td')).fontSize)") >= 12, how, "small print")
        # commands are folded away, and open on a click
        check(page.js("[...document.querySelectorAll('details code')].every(c => !c.checkVisibility({contentVisibilityAuto: true}))"), how, "commands are folded")
        check(page.js("(() => { const d = document.querySelector('details'); d.querySelector('summary').click(); "
                      "return d.open && d.querySelector('code').getBoundingClientRect().height > 10 })()"), how, "a command opens")
        check(page.js("document.querySelector('script') === null && !/https?:\\/\\/(?!www\\.w3\\.org)/.test(document.documentElement.outerHTML)"), how, "no script, no address")
        check(page.js("[...document.querySelectorAll('h2')].slice(0, 2).map(h => h.textContent).join()").startswith("What to do next"), how, "order")

for w in wrong:
    print(w)
sys.exit(bool(wrong))
