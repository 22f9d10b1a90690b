"""Reads the pictures of nsq-plot back and compares them with the tables they are of; shares no code with nsq.

    plot.py bars SVG TABLE VALUE[,VALUE...] COLUMN,...     every mark has the length of the sum of its rows, to a pixel
    plot.py timeline SVG TABLE                             every stretch of two pixels or more is where its row is
    plot.py line SVG TABLE X Y                             the line goes through the rows
    plot.py extremes SVG TABLE Y                           the line goes as far up and down as the rows do
    plot.py scales SVG                                     pixels per unit of the ticks below each panel
    plot.py hist SVG TABLE COLUMN                          every bar counts the rows between its edges
    plot.py colors SVG...                                  "name color" of every legend
    plot.py dark SVG...                                    the same with the colors on a dark background
    plot.py contrast BACK COLOR...                         ten times the least contrast of the colors to a background
    plot.py apart COLOR...                                 how far apart the two closest are, with and without color blindness
    plot.py wellformed SVG...                              XML without script, links or foreign elements

A mark is known by its <title>: the names of its panel, bar and category, joined by " · ", and its amount.
"""
import csv
import math
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict

SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "%": 1, "": 1}


def rows_of(table):
    with open(table, newline="", encoding="utf-8", errors="replace") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def number(element, name):
    return float(element.get(name))


class Picture:
    def __init__(self, file):
        self.root = ET.parse(file).getroot()
        assert self.root.tag == SVG + "svg" and self.root.get("role") == "img" and self.root.find(SVG + "title").text
        self.marks = [r for r in self.root.iter(SVG + "rect") if r.get("class") == "mark"]
        self.texts = [t for t in self.root.iter(SVG + "text")]
        self.lines = [l for l in self.root.iter(SVG + "line")]

    def title(self, mark):
        return mark.find(SVG + "title").text

    def scales(self, down):
        """The ticks of each panel, as (place, text): of the axis below it, or of the one beside it."""
        groups = defaultdict(list)
        for line in self.lines:
            x1, y1, x2, y2 = (number(line, n) for n in ("x1", "y1", "x2", "y2"))
            if down and x1 == x2:
                text = [t for t in self.texts if t.get("text-anchor") == "middle" and abs(number(t, "x") - x1) < 0.02 and
                        0 < number(t, "y") - max(y1, y2) < 24]
                groups[(y1, y2)] += [(x1, t.text) for t in text]
            elif not down and y1 == y2:
                text = [t for t in self.texts if t.get("text-anchor") == "end" and abs(number(t, "y") - 3.84 - y1) < 0.02]
                groups[y1 // 1000] += [(y1, t.text) for t in text]
        return [part for points in groups.values() for part in apart_where_smaller(sorted(points))]


def apart_where_smaller(points):
    """Panels beside each other have their ticks in one line: where the numbers begin again there is another one."""
    parts, rising = [], len(points) > 1 and float(points[0][1]) < float(points[1][1])
    for at, text in points:
        if not re.fullmatch(r"-?[0-9.e+]+", text):
            continue
        if not parts or (rising and float(text) <= float(parts[-1][-1][1])):
            parts.append([])
        parts[-1].append((at, text))
    return [p for p in parts if len(p) > 1]


def unit_of(picture, below):
    """What the title of the axis of values says in brackets."""
    said = [m.group(1) for t in picture.texts if t.get("class") == "quiet" for m in [re.search(r"\((\S+)\)$", t.text or "")] if m and m.group(1) in UNITS]
    return UNITS[said[0]] if said else 1


def pixels(points, unit):
    """Place of zero and pixels per unit of the column, from the two outermost ticks."""
    points = sorted((float(text), at) for at, text in points)
    (a, x), (b, y) = points[0], points[-1]
    per = (y - x) / (b - a)
    return x - a * per, per / unit


def shown(row, column):
    value = row[column]
    if column == "window":
        value = re.sub(r"@[0-9.]+$", "", value)
        return value.split("#")[-1] if "#" in value else value
    if column == "trace":
        return re.sub(r"\.sqlite$", "", value.split("/")[-1])
    return {"pid": "pid ", "rank": "rank ", "gpu": "GPU ", "stream": "stream "}.get(column, "") + value


def bars(file, table, values, columns):
    picture, rows = Picture(file), rows_of(table)
    sums = defaultdict(float)
    for row in rows:
        for value in values:
            if row[value] == "-":
                continue
            names = [shown(row, c) for c in columns if c] + ([re.sub("_(ns|bytes|pct)$", "", value).replace("_", " ")] if len(values) > 1 else [])
            names = [n for i, n in enumerate(names) if not i or n != names[i - 1]]
            sums[" · ".join(names)] += float(row[value])
    unit = unit_of(picture, True)
    upright = not picture.scales(True)
    places = [pixels(points, unit) for points in picture.scales(not upright)]
    assert places, "no axis has two ticks"
    seen = set()
    for mark in picture.marks:
        name = picture.title(mark).rsplit(": ", 1)[0]
        assert name in sums, f"'{name}' is no sum of rows; there are {list(sums)[:5]}"
        length = number(mark, "height" if upright else "width")
        assert any(abs(abs(sums[name] * per) - length) <= 1 for _, per in places), (name, sums[name], length, places)
        seen.add(name)
    missing = [n for n in sums if n not in seen]
    assert not missing, f"not drawn: {missing[:5]}"
    print(len(seen), "bars")


def timeline(file, table):
    picture, rows = Picture(file), rows_of(table)
    unit = unit_of(picture, True)
    (points,) = picture.scales(True)
    zero, per = pixels(points, unit)
    boxes = sorted((number(m, "x"), number(m, "x") + number(m, "width")) for m in picture.marks if " at " in picture.title(m))
    want = sorted((zero + float(r["start_ns"]) * per, zero + float(r["end_ns"]) * per) for r in rows)
    long = [w for w in want if w[1] - w[0] >= 1]
    assert len(boxes) == len(long), (len(boxes), len(long))
    for got, due in zip(boxes, long):
        assert abs(got[0] - due[0]) <= 1 and abs(got[1] - due[1]) <= 1, (got, due)
    events = sum(int(m.group(1)) for k in picture.marks for m in [re.search(r"(\d+) events?, ", picture.title(k))] if m)
    covered = sum(number(m, "width") * float(m.get("fill-opacity", 1)) for m in picture.marks)
    busy = sum(b - a for a, b in want)
    print(len(boxes), "stretches,", events, "events in specks of", len(want) - len(long), "drawn", f"{100 * covered / busy:.0f} %")


def line(file, table, x, y):
    picture, rows = Picture(file), [r for r in rows_of(table) if r[y] != "-"]
    (path,) = [e for e in picture.root.iter(SVG + "polyline")]
    points = [tuple(map(float, p.split(","))) for p in path.get("points").split()]
    unit = unit_of(picture, False)
    (across,), (up,) = picture.scales(True), picture.scales(False)
    xs, ys = pixels(across, 1), pixels(up, unit)
    want = sorted((xs[0] + float(r[x]) * xs[1], ys[0] + float(r[y]) * ys[1]) for r in rows)
    assert len(points) == len(want)
    for got, due in zip(points, want):
        assert abs(got[0] - due[0]) <= 1 and abs(got[1] - due[1]) <= 1, (got, due)
    print(len(points), "points")


def extremes(file, table, y):
    picture, values = Picture(file), [float(r[y]) for r in rows_of(table)]
    heights = [float(p.split(",")[1]) for e in picture.root.iter(SVG + "polyline") for p in e.get("points").split()]
    (up,) = picture.scales(False)
    zero, per = pixels(up, unit_of(picture, False))
    for got, due in ((max(heights), min(values)), (min(heights), max(values))):
        assert abs(got - zero - due * per) <= 1, (got, due)
    print(len(heights), "points")


def scales(file):
    for points in Picture(file).scales(True):
        print(round(pixels(points, 1)[1], 3))


def hist(file, table, column):
    picture, values = Picture(file), [float(r[column]) for r in rows_of(table) if r[column] != "-"]
    counted = 0
    (up,) = picture.scales(False)
    _, per = pixels(up, 1)
    for mark in picture.marks:
        rest = re.search(r"^(\S+) (\S+) or more: (\d+) rows$", picture.title(mark))
        if rest:
            assert sum(v >= float(rest[1]) * UNITS[rest[2]] for v in values) == int(rest[3]), rest[0]
            assert abs(number(mark, "height") - abs(per) * int(rest[3])) <= 1
            counted += int(rest[3])
            continue
        said = re.search(r"^(\S+) ?(\S*) to (\S+) ?(\S*): (\d+) rows$", picture.title(mark))
        assert abs(number(mark, "height") - abs(per) * int(said[5])) <= 1
        counted += int(said[5])
        lo, hi = float(said[1]) * UNITS[said[2]], float(said[3]) * UNITS[said[4]]
        less, more = (sum(lo * (1 - e) <= v < hi * (1 + e) for v in values) for e in (-0.006, 0.006))    # edges are written with three digits
        assert less <= int(said[5]) <= more, (said[0], less, more)
    assert counted == len(values), (counted, len(values))
    print(counted, "rows in", len(picture.marks), "bars")


def legend(file):
    root = ET.parse(file).getroot()
    swatches = [r for r in root.iter(SVG + "rect") if r.get("class") == "swatch"]
    texts = list(root.iter(SVG + "text"))
    for s in swatches:
        beside = [t for t in texts if abs(number(t, "x") - number(s, "x") - 20) < 0.1 and abs(number(t, "y") - number(s, "y") - 9.84) < 2]
        yield (beside[0].find(SVG + "title").text if len(beside[0]) else beside[0].text), s.get("fill")


# Machado, Oliveira and Fernandes 2009, severity 1
BLIND = {"protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
         "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
         "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}


def lab(color, matrix):
    rgb = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    r, g, b = (min(1, max(0, sum(a * c for a, c in zip(row, rgb)))) for row in matrix)
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def dark(file):
    """A rule of the style gives each color another one there."""
    style = ET.parse(file).getroot().find(SVG + "style").text
    other = dict(re.findall(r'\[fill="(#\w{6})"\] \{ fill: (#\w{6}); \}', style.split("prefers-color-scheme: dark", 1)[1]))
    assert other == dict(re.findall(r'\[stroke="(#\w{6})"\] \{ stroke: (#\w{6}); \}', style))
    return [(name, other[color]) for name, color in legend(file)]


def contrast(back, *colors):
    def light(color):
        rgb = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    return min(max(light(c), light(back)) / min(light(c), light(back)) for c in colors)


def apart(colors):
    return min(math.dist(lab(a, m), lab(b, m)) for m in BLIND.values() for i, a in enumerate(colors) for b in colors[:i])


def wellformed(file):
    allowed = {SVG + t for t in ("svg", "title", "desc", "style", "rect", "text", "line", "polyline", "circle")}
    for e in ET.parse(file).getroot().iter():
        assert e.tag in allowed, e.tag
        for name, value in e.attrib.items():
            assert not name.startswith("on") and "href" not in name and "url(" not in value, (name, value)


def answer(what, *args):
    if what == "bars":
        bars(args[0], args[1], args[2].split(","), args[3].split(","))
    elif what in ("timeline", "line", "extremes", "scales", "hist"):
        globals()[what](*args)
    elif what in ("colors", "dark"):
        for file in args:
            for name, color in legend(file) if what == "colors" else dark(file):
                print(name, color)
    elif what == "contrast":
        print(int(contrast(*args) * 10))
    elif what == "apart":
        print(int(apart(args)))
    else:
        for file in args:
            wellformed(file)


questions = [[]]
for word in sys.argv[1:]:
    if word == "--":
        questions.append([])
    else:
        questions[-1].append(word)
for question in questions:
    answer(*question)
