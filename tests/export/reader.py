#!/usr/bin/env python3
"""What a file of Chrome trace events holds, as lines to compare with what the tools say.

    reader.py FILE.json[.gz] [FOLDER]

Into the folder go the files work, details, copies, calls, ranges, arrows, metrics, memory, tracks, processes and
asynchronous, each sorted.  The file is first judged as Perfetto takes it: every event is complete and well formed; on each track the complete events,
in order of time, then as they stand in the file, nest or are disjoint; each arrow has one start and one end, inside a
slice of its track, that of the start being a call and that of the end the work that it launched; what is asynchronous
begins and ends once; everything stands on a track with one name.  Exits 1 with a line for the first thing wrong.
"""
import bisect
import collections
import gzip
import json
import re
import sys


def die(text):
    print(text)
    sys.exit(1)


class Time(str):
    """A number with a point, as it is written."""

    def ns(self):
        if not re.fullmatch(r"\d+\.\d\d\d", self):
            die(f"not microseconds with three decimals: {self}")
        return int(self.replace(".", ""))


def read(path):
    raw = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    text = raw.decode("utf-8")          # strictly
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text):
        die("control characters")
    if re.search(r"(?<!\\)(\\\\)*\\u", text):
        die("an escape of the form \\u, at which Perfetto gives up in some events")
    if text.count("\n") != text.count("\n{") + 2 + text.startswith("\n"):
        die("not one event a line")
    whole = json.loads(text, parse_float=Time)
    if list(whole)[:2] != ["displayTimeUnit", "traceEvents"] or list(whole)[2:] not in ([], ["metadata"]):
        die(f"members {list(whole)}")
    return whole["traceEvents"]


MEMBERS = {
    "M": ["ph", "pid", "tid", "name", "args"],
    "X": ["ph", "pid", "tid", "ts", "dur", "cat", "name", "args"],
    "b": ["ph", "pid", "tid", "ts", "id", "cat", "name", "args"],
    "e": ["ph", "pid", "tid", "ts", "id", "cat", "name"],
    "s": ["ph", "pid", "tid", "ts", "id", "cat", "name"],
    "f": ["ph", "pid", "tid", "ts", "id", "bp", "cat", "name"],
    "C": ["ph", "pid", "tid", "ts", "name", "args"],
    "i": ["ph", "pid", "tid", "ts", "s", "cat", "name", "args"],
}


class Export:
    def __init__(self, path):
        self.events = read(path)
        self.process, self.thread = {}, {}
        self.by_track, self.starts = collections.defaultdict(list), collections.defaultdict(list)
        asynchronous, arrows = {}, collections.defaultdict(list)
        self.work, self.calls, self.ranges, self.counters = [], [], [], []
        self.others = {cat: [] for cat in ("idle", "exposed", "projected", "os", "mark", "finding")}
        for e in self.events:
            if list(e) != MEMBERS.get(e["ph"]):
                die(f"members {e}")
            if e["ph"] == "M":
                self.name(e)
                continue
            e["start"] = e["ts"].ns()
            if e["pid"] not in self.process:
                die(f"a process without a name: {e}")
            if e["ph"] == "X":
                e["end"] = e["start"] + e["dur"].ns()
                self.by_track[e["pid"], e["tid"]].append(e)
                self.sort(e)
            elif e["ph"] == "b":
                if e["id"] in asynchronous:
                    die(f"begun twice: {e}")
                asynchronous[e["id"]] = e
            elif e["ph"] == "e":
                b = asynchronous.get(e["id"])
                if not b or "end" in b or any(b[k] != e[k] for k in ("pid", "tid", "cat", "name")) or e["start"] < b["start"]:
                    die(f"ends what did not begin: {e}")
                b["end"] = e["start"]
                self.sort(b)
            elif e["ph"] == "i":
                if e["s"] != "t" or e["cat"] not in ("mark", "finding"):
                    die(f"no mark: {e}")
                self.others[e["cat"]].append(e)
            elif e["ph"] in "sf":
                arrows[e["id"]].append(e)
            else:
                self.counters.append(e)
        for b in asynchronous.values():
            if "end" not in b:
                die(f"never ends: {b}")
        self.asynchronous = list(asynchronous.values())
        for key, track in self.by_track.items():
            if key not in self.thread:
                die(f"a track without a name: {key}")
            self.nest(track)
        self.arrows = [self.arrow(a) for a in arrows.values()]

    def name(self, e):
        names, key = (self.process, e["pid"]) if e["name"].startswith("process_") else (self.thread, (e["pid"], e["tid"]))
        if e["name"].endswith("_name"):
            if key in names:
                die(f"named twice: {e}")
            names[key] = e["args"]["name"]
        elif not e["name"].endswith("_sort_index") or key not in names or type(e["args"]["sort_index"]) is not int:
            die(f"unknown: {e}")

    def sort(self, e):
        {"call": self.calls, "range": self.ranges, **self.others}.get(e["cat"], self.work).append(e)

    def nest(self, track):
        stack = []
        for e in sorted(track, key=lambda e: e["start"]):       # stable, as Perfetto's
            while stack and stack[-1]["end"] <= e["start"]:
                stack.pop()
            if stack and e["end"] > stack[-1]["end"]:
                die(f"crosses: {stack[-1]} {e}")
            stack.append(e)
            self.starts[e["pid"], e["tid"], e["start"]].append(e)
        track.sort(key=lambda e: e["start"])

    def last_before(self, e):
        """The slice of the track that began last."""
        track = self.by_track.get((e["pid"], e["tid"]), [])
        i = bisect.bisect_right(track, e["start"], key=lambda s: s["start"])
        return track[i - 1] if i else None

    def arrow(self, ends):
        if [e["ph"] for e in ends] != ["s", "f"] or ends[0]["start"] > ends[1]["start"] or ends[1]["bp"] != "e":
            die(f"not the two ends of an arrow: {ends}")
        calls = [s for s in self.starts[ends[0]["pid"], ends[0]["tid"], ends[0]["start"]] if s["cat"] == "call"]
        work = self.last_before(ends[1])
        if (not work or work["cat"] in ("call", "range") or not (ends[1]["start"] < work["end"] or ends[1]["start"] == work["start"])
                or not any(whole(c)[0] == work["args"].get("launch_ns") for c in calls)):
            die(f"leads from no call to the work it launched: {ends} {calls} {work}")
        return work

    def home(self, e):
        """pid and trace, as the name of the process says."""
        found = re.search(r"\(pid (\d+(?::\d+)?) of (.*)\)$", self.process[e["pid"]])
        return found.groups() if found else ("-", re.sub("^GPUs of ", "", self.process[e["pid"]]))


def whole(e):
    return e["args"].get("start_ns", e["start"]), e["args"].get("end_ns", e["end"])


def cell(v):
    return "-" if v is None else str(v).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


class Lines:
    def __init__(self):
        self.of = collections.defaultdict(list)

    def add(self, what, *cells):
        self.of[what].append("\t".join(cell(c) for c in cells) + "\n")


def memory(t, lines):
    places = {}
    for e in t.counters:
        if "bytes" in e["args"]:
            gpu, kind = re.fullmatch(r"GPU (\d+) (.*) memory", e["name"]).groups()
            places.setdefault((*t.home(e), gpu, kind), []).append((e["start"], e["args"]["bytes"]))
    for key, values in places.items():
        if values != sorted(values, key=lambda v: v[0]) or len({at for at, _ in values}) < len(values):
            die(f"memory out of order: {key}")
        lines.add("memory", *key, max(v for _, v in values), values[-1][1])


def describe(t):
    lines = Lines()
    for e in t.work:
        a = e["args"]
        lines.add("work", *t.home(e), e["start"], e["end"], a.get("gpu"), a.get("ctx"), a.get("stream"), a.get("launch_ns"),
                  e["cat"], a.get("nvtx"), e["name"])
        lines.add("details", *t.home(e), *whole(e), a.get("correlation"), a.get("grid"), a.get("block"), a.get("category") or a.get("owner"), e["name"])
        if e["cat"] == "copy":
            lines.add("copies", *t.home(e), e["start"], e["end"], a.get("bytes"), a.get("src"), a.get("dst"), a.get("nvtx"))
    for e in t.calls:
        lines.add("calls", *t.home(e), e["start"], e["end"], e["tid"] & 0xffffff, e["args"]["class"], e["name"])
    for e in t.ranges:
        lines.add("ranges", *t.home(e), e["start"], e["end"], e["tid"] & 0xffffff, e["args"].get("domain"), e["name"])
    tids = {tid: re.sub(".* ", "", t.thread[pid, tid]) for pid, tid in t.thread}
    for cat in ("idle", "exposed"):
        for e in t.others[cat]:
            lines.add(cat, *t.home(e), e["start"], e["end"], e["name"], e["args"].get("cause"), e["args"].get("gap_ns"))
    for e in t.others["projected"]:
        lines.add("projected", t.home(e)[0], *whole(e), e["args"]["cpu_tid"], e["args"]["cpu_start_ns"], e["name"])
    for e in t.others["os"]:
        lines.add("os", t.home(e)[0], *whole(e), re.sub(r"^OS calls of | \(.*", "", t.thread[e["pid"], e["tid"]]), e["name"])
    for e in t.others["mark"]:
        lines.add("marks", t.home(e)[0], e["start"], e["tid"] & 0xffffff, e["name"])
    for e in t.others["finding"]:
        a = e["args"]
        lines.add("findings", t.home(e)[0], a["gpu"], a["severity"], a["kind"], a.get("recover_ns"), a["finding"], a["evidence"], a["advice"], e["start"], e["name"])
    for e in t.arrows:
        lines.add("arrows", *t.home(e), e["start"], e["name"])
    for e in t.counters:
        if "value" in e["args"]:
            gpu, name = re.fullmatch(r"GPU (\d+) (.*)", e["name"]).groups()
            lines.add("metrics", t.home(e)[1], e["start"], gpu, "%.2f" % float(e["args"]["value"]), name)
    memory(t, lines)
    for (pid, tid), track in t.by_track.items():
        lines.add("tracks", t.process[pid], t.thread[pid, tid], len(track))
    for pid, name in t.process.items():
        lines.add("processes", pid, name)
    for e in t.asynchronous:
        lines.add("asynchronous", *t.home(e), *whole(e), e["cat"], e["name"])
    return lines.of


WHAT = "idle exposed projected os marks findings work details copies calls ranges arrows metrics memory tracks processes asynchronous".split()


def main():
    lines = describe(Export(sys.argv[1]))
    for what in WHAT if len(sys.argv) > 2 else []:
        with open(f"{sys.argv[2]}/{what}", "w") as f:
            f.writelines(sorted(lines[what]))


main()
