"""How far apart colors of different kinds are in a page: apart.py PAGE prints pairs that are less than 7.5 apart (CIEDE2000).

A word has one color whatever it is about, severities are marks in a row of their own, and greys say that nothing is known or drawn."""
import itertools
import json
import math
import re
import sys

page = json.loads(re.search(r'id="tracks">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S).group(1))
SOFT = .42      # share/view/colours.js: ranges are paler


def rgb(text):
    return [int(text[i:i + 2], 16) for i in (1, 3, 5)]


def lab(color):
    r, g, b = ((x / 255 / 12.92 if x / 255 <= .04045 else ((x / 255 + .055) / 1.055) ** 2.4) for x in color)
    f = lambda t: t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116
    x, y, z = f((.4124 * r + .3576 * g + .1805 * b) / .95047), f(.2126 * r + .7152 * g + .0722 * b), f((.0193 * r + .1192 * g + .9505 * b) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, two):
    (l1, a1, b1), (l2, a2, b2) = one, two
    c = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grey = 1 + .5 * (1 - math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)))
    a1, a2 = a1 * grey, a2 * grey
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians((h2 - h1 + 180) % 360 - 180) / 2)
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + h2) / 2 + (0 if abs(h1 - h2) <= 180 else 180 if h1 + h2 < 360 else -180)
    cos = lambda degrees: math.cos(math.radians(degrees))
    t = 1 - .17 * cos(h - 30) + .24 * cos(2 * h) + .32 * cos(3 * h + 6) - .2 * cos(4 * h - 63)
    sl, sc, sh = 1 + .015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2), 1 + .045 * c, 1 + .015 * c * t
    turn = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + turn * dc * dh)


for side, back in ((1, (255, 255, 255)), (2, (12, 15, 19))):
    colors = [(kind, row[0], rgb(row[side])) for kind, rows in page["colours"].items() for row in rows if kind != "range"]
    colors += [("range", row[0], [round(x * SOFT + y * (1 - SOFT)) for x, y in zip(rgb(row[side + 0]), back)]) for row in page["colours"]["range"]]
    for (kind, word, one), (other, name, two) in itertools.combinations(colors, 2):
        if word == name or "finding" in (kind, other) or {word, name} <= {"unknown", "other"} or word == "edge":
            continue
        if {kind, other} - {"category", "other"} and kind != other and distance(lab(one), lab(two)) < 7.5:
            print(kind, word, other, name, round(distance(lab(one), lab(two)), 1))
