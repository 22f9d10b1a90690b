"""What a page of nsq-view holds: reader.py PAGE FOLDER writes it as TSV, for comparison with what the tools list.

Shares no code with nsq: it reads the two blocks of data as lib/picture/view_page.h describes them.
"""
import base64
import json
import os
import re
import sys
import zlib
from functools import cache

text = open(sys.argv[1], encoding="utf-8").read()
block = {name: re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', text, re.S).group(1) for name in ("tracks", "bytes")}
page = json.loads(block["tracks"])
data = zlib.decompress(base64.b64decode(block["bytes"], validate=True), 31)
folder = sys.argv[2]


def numbers(column, n):
    return [column["is"]] * n if "is" in column else numbers_at(column["at"], n)


@cache
def numbers_at(at, n):
    out = []
    for _ in range(n):
        x, at, shift = data[at], at + 1, 0
        while x >> shift > 127:
            x -= 128 << shift
            shift += 7
            x, at = x | data[at] << shift, at + 1
        out.append(x)
    return out


def signed(x):
    return -(x + 1) // 2 if x % 2 else x // 2


names = ["-"] + data[page["names"]["at"]:].decode("utf-8", "replace").split("\0")[:page["names"]["n"]]
paths = numbers(page["paths"], 2 * page["paths"]["n"])
category = [0] + numbers(page["categories"], page["categories"]["n"])


def innermost(path):
    return names[paths[2 * path - 1]] if path else "-"


def ranges(path):
    return ranges(paths[2 * path - 2]) + [names[paths[2 * path - 1]]] if path else []


def spans(track, start):
    if "spans" not in track:
        t, out = int(start), []
        for delta, dur in zip(numbers(track["columns"]["start"], track["n"]), numbers(track["columns"]["dur"], track["n"])):
            t += signed(delta)
            out.append((t, t + dur))
        track["spans"] = out
    return track["spans"]


def shown(x):
    return "-" if x is None else x


def work(trace, track):
    column = {name: numbers(track["columns"][name], track["n"]) for name in track["columns"]}
    for i, (a, b) in enumerate(spans(track, trace["own"])):
        s = trace["streams"][column["stream"][i]]
        launch = column["launch"][i]
        thread = column["thread"][i]
        yield ("work", trace["processes"][s["process"]]["pid"], s["gpu"], shown(s["ctx"]), shown(s["stream"]), a, b,
               a - signed(launch - 1) if launch else "-", trace["threads"][thread - 1]["tid"] if thread else "-",
               ("kernel", "graph", "copy", "set")[column["kind"][i]], column["bytes"][i] - 1 if column["bytes"][i] else "-",
               names[category[column["full"][i]]], innermost(column["path"][i]), names[column["name"][i]], " > ".join(ranges(column["path"][i])) or "-")


def events(trace, track):
    column = {name: numbers(track["columns"][name], track["n"]) for name in track["columns"]}
    thread = trace["threads"][track["thread"]]
    for i, (a, b) in enumerate(spans(track, trace["own"])):
        yield (track["kind"], trace["processes"][thread["process"]]["pid"], thread["tid"], a, b, column["level"][i],
               innermost(column["path"][i]), names[column["name"][i]])


def level_by_level(track, start):
    """Events of one level must not overlap, but for those that crowd the last of 32; ranges nest."""
    until, crowded = {}, 0
    for (a, b), level in zip(spans(track, start), numbers(track["columns"].get("level", {"is": 0}), track["n"])):
        if a < until.get(level, a) and level == 31:
            crowded += 1
        elif a < until.get(level, a):
            print("overlap in", track["kind"], a, b, "level", level)
        until[level] = b if level < 31 else max(b, until.get(level, b))
        if level > 31:
            print("level", level)
    if track["kind"] != "ranges" and crowded != track.get("crowded", 0):
        print(crowded, "crowd", track["kind"], "not", track.get("crowded", 0))


def on_gpu(trace, track):
    """Ranges on the GPU, with the thread that has their CPU side and where that begins; and exposed communication."""
    column = {name: numbers(track["columns"][name], track["n"]) for name in track["columns"]}
    pid, gpu = trace["processes"][track["process"]]["pid"], trace["lanes"][track["lane"]]["gpu"]
    for i, (a, b) in enumerate(spans(track, trace["own"])):
        thread = column["thread"][i] if "thread" in column else 0
        cpu = (trace["threads"][thread - 1]["tid"], a - signed(column["cpu"][i])) if thread else ("-", "-")
        yield (track["kind"], pid, gpu, a, b, *cpu, names[column["name"][i]])


rows = []
for trace in page["traces"]:
    trace["own"] = int(trace["start"]) - int(trace["ahead"])      # on the clock of the trace
    rows.append(("traces", names[trace["path"]].split("/")[-1], trace["ahead"]))
    for track in trace["tracks"]:
        level_by_level(track, trace["own"])
        if track["kind"] == "work":
            rows += work(trace, track)
        elif track["kind"] in ("projected", "exposed"):
            rows += on_gpu(trace, track)
        elif track["kind"] != "idle":
            rows += events(trace, track)
        rows.append(("tracks", track["kind"], track["n"], track.get("streams", 1)))
        counts, busy = (numbers(track["columns"].get(name, {"is": 0}), track["n"]) for name in ("count", "busy"))
        rows += [("together", track["kind"], a, b, n or 1, t if n else b - a, "several" if n else "-") for (a, b), n, t in zip(spans(track, trace["own"]), counts, busy)]
    rows += [("counters", counter["gpu"], names[counter["name"]], counter["n"]) for counter in trace["counters"]]
for kind in ("steps", "findings"):
    for item in page.get(kind, [None])[1:]:
        trace = page["traces"][item["trace"]]
        own = trace["own"]
        if kind == "steps":
            rows.append((kind, item["pid"], own + item["at"][0], item["number"], names[item["name"]], "typical" if item["typical"] else "-", own + item["at"][1]))
        else:
            rows.append((kind, item["pid"], item["gpu"], item["severity"], names[item["kind"]], item.get("recover", "-"), names[item["finding"]],
                         names[item["evidence"]], names[item["advice"]], own + item["at"][0], own + item["at"][1], item.get("per", "-"), item.get("shown", "-")))
rows.append(("clock", names[page["clock"]]))
lines = {kind: [] for kind in ("counters", "clock", "traces", "work", "calls", "ranges", "startend", "marks", "os", "projected", "exposed", "steps",
                               "findings", "tracks", "together")}
for kind, *cells in rows:
    lines[kind].append("\t".join(map(str, cells)) + "\n")
for kind in lines:
    with open(os.path.join(folder, kind), "w", encoding="utf-8") as f:
        f.writelines(sorted(lines[kind]))
