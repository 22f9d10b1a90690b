"""Compares a report with the tools whose answers it shows: report.py DIR, from the folder it was made in.

Every file of tables/ is what its command prints as CSV, and every table of report.json the same.  Every row of a table of
report.md is a row of the command above it, in its order, and holds where the line above it says.  What the summary says
in words is computed again.  The tables of report.html hold the same rows.  Prints what differs, and exits 1.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

folder = sys.argv[1]
wrong = []
CUT, END = 60, 19      # characters of a name, and of its end


def check(ok, *what):
    if not ok:
        wrong.append(" ".join(str(w) for w in what))


def run_all(commands):
    """What each command prints if its last tool writes CSV; all by one shell."""
    with tempfile.TemporaryDirectory() as to:
        script = "set -o pipefail\n"
        for i, command in enumerate(commands):
            *before, last = command.split("| ")
            last = re.sub(r"^nsq-[a-z]+", r"\g<0> -q -f csv", last)
            script += f"{'| '.join([*before, last])} > {to}/{i}; echo $?\n"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, errors="replace")
        printed = [open(f"{to}/{i}", "rb").read() for i in range(len(commands))]
    for code, command in zip(done.stdout.split(), commands):
        # of several traces one may lack what the others have
        check(code == "0" or (code == "3" and len(report["traces"]) > 1), "exit", code, command, done.stderr[:200])
    return dict(zip(commands, printed))


def read(name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


# ---- report.json and tables/

report = json.loads(read("report.json"))
as_written = json.loads(read("report.json"), parse_int=str, parse_float=str)     # numbers to the last digit
check(report["format"] == "nsq-report" and report["version"] == 1, "format or version")
there = sorted(os.path.relpath(os.path.join(at, f), folder) for at, _, files in os.walk(folder) for f in files)
check(there == sorted(report["files"]), "files", there, report["files"])
tables = {**report["tables"], **{k: report[k] for k in ("findings", "steps") if report[k]}}
written = {**as_written["tables"], **{k: as_written[k] for k in ("findings", "steps") if report[k]}}
outputs, exact = {}, {}
printed = run_all([t["command"] for t in tables.values()])
for name, t in tables.items():
    check(t["csv"] == f"tables/{name}.csv", "csv of", name)
    check(read(t["csv"]) == printed[t["command"]], name + ".csv is not what its command prints:", t["command"])
    lines = list(csv.reader(io.StringIO(read(t["csv"]).decode(errors="replace"), newline="")))
    check(lines[0] == [c["name"] for c in t["columns"]], "columns of", name)
    exact[name] = [dict(zip(lines[0], line)) for line in lines[1:]]
    check([{k: "-" if v is None else v for k, v in r.items()} for r in written[name]["rows"]] == exact[name], name, "in report.json is not", t["csv"])
    outputs[t["command"]] = name

# ---- report.md


def spans(line):
    """The code spans of a line."""
    found = []
    for fence, text in re.findall(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", line):
        padded = text.startswith(" ") and text.endswith(" ") and text.strip(" ")
        found.append(text[1:-1] if padded else text)
    return found


def cells(line):
    parts = [p.strip() for p in re.split(r"(?<!\\)\|", line)[1:-1]]
    return [spans(p)[0].replace("\\|", "|") if p.startswith("`") else p for p in parts]


def shown(value):
    """A value of jsonl as a page shows it: what is not printable as \\xNN."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return "".join(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode()) for c in value)
    return str(value)


def cut(text):
    return text if len(text) <= CUT else text[:CUT - 1 - END] + "…" + text[-END:]


md = read("report.md").decode()
lines = md.split("\n")
check(len(lines) - 1 <= 120, "report.md has", len(lines) - 1, "lines")
text = re.sub(r"\\([\\`*_\[\]<>&|#~$@])", r"\1", md)
md_tables = []
for i, line in enumerate(lines):
    if not re.fullmatch(r"(\|-+:?)+\|", line):
        continue
    header, above, rows = cells(lines[i - 1]), lines[i - 3], []
    while lines[i + 1 + len(rows)].startswith("|"):
        rows.append(cells(lines[i + 1 + len(rows)]))
    check(all(len(r) == len(header) for r in rows), "cells of", above)
    md_tables.append((header, above, rows))

for header, above, rows in md_tables:
    commands = [s for s in spans(above) if s.startswith("nsq-")]
    check(commands and commands[0] in outputs, "no command of a table:", above)
    name = outputs[commands[0]]
    from_tool = tables[name]["rows"]
    idle = tables[outputs[commands[1]]]["rows"] if len(commands) > 1 else []
    at = 0
    for row in rows:
        want = dict(zip(header, row))
        check(not idle or "comm_only_ns" in want, "parts of a step:", header)
        while at < len(from_tool):
            r, e = from_tool[at], exact[name][at]
            causes = {"idle." + i["cause"]: i["idle_ns"] for i in idle
                      if all(i[k] == r[k] for k in ("trace", "pid", "gpu", "start_ns", "end_ns"))}
            have = {c: shown(causes.get(c, 0)) if c.startswith("idle.") else cut(shown(r[c])) if isinstance(r[c], str) else e[c]
                    for c in header}
            at += 1
            if have == want:
                break
        else:
            check(False, "no such row of", commands[0], want)
            break
        if idle:
            parts = [int(want[c]) for c in ("compute_only_ns", "both_ns", "comm_only_ns", "copy_only_ns", "idle_ns") if c in want]
            check(sum(parts) == r["end_ns"] - r["start_ns"], "the parts shown do not add up to the step", want)
            check(sum(int(v) for c, v in want.items() if c.startswith("idle.")) == parts[-1], "nor the causes to the idle time", want)
        for word, column in (("Process", "pid"), ("rank", "rank"), ("GPU", "gpu")):
            said = re.search(rf"(?:^|, ){word} ([^,;` ]+)[,;:]", above)
            check(not said or said[1] == e[column], word, "of", above)
        said = re.search(r"(\d+)\.\.(\d+) ns[;:]", above)
        check(said or "start_ns" in header or "end_ns" in header, "no window is said above", header)
        check(not said or (said[1], said[2]) == (e["start_ns"], e["end_ns"]), "window of", above)
    said = re.search(r"; (\d+) of (\d+) rows", above)
    check(((int(said[1]), int(said[2])) if said else (len(rows), len(rows))) == (len(rows), len(from_tool)), "how many rows:", above)

# ---- what the summary says in words


def human(ns):
    units = ["ns", "us", "ms", "s"]
    d, u = abs(ns), 0
    while u < 3 and d >= (999.9995 if u else 1000):
        d, u = d / 1000, u + 1
    return f"{d:.{3 if u else 0}f} {units[u]}"


def between(values):
    return human(min(values)) if min(values) == max(values) else f"{human(min(values))} to {human(max(values))}"


def of(name, traces):
    return [r for r in (tables[name]["rows"] if name in tables else []) if r["trace"] in traces]


many = len(report["traces"]) > 3
for traces in [report["traces"]] if many else [[t] for t in report["traces"]]:
    steps = of("steps", traces)
    followed = [s for s in steps if s["period_p50_ns"] is not None] or steps
    has_steps = any(t["rule"] != "process" for t in of("typical_step", traces))
    if followed and not has_steps:
        check("none were found; what follows is about the whole of " + ("each process." if len(followed) > 1 else "the process.") in text, "no steps", traces)
    elif followed:
        measure = "period" if followed[0]["period_p50_ns"] is not None else "dur"
        words = "median period " if measure == "period" else "median length "
        check(words + between([s[measure + "_p50_ns"] for s in followed]) in text, "steps", traces)
        if measure == "period":
            check(", p90 " + between([s["period_p90_ns"] for s in followed]) + "." in text, "p90 of the steps", traces)
        counts = [s["count"] for s in followed]
        check((f"{min(counts)} × " if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} × ") in text, "count of steps", traces)
    rule = {(t["trace"], t["pid"], t["start_ns"]): t["rule"] for t in of("typical_step", traces)}
    split = [s for s in of("typical_step_split", traces)
             if set(rule.values()) == {"process"} or rule[s["trace"], s["pid"], s["start_ns"]] != "process"]
    if split:
        lost = {(f["trace"], f["pid"]) for f in (report["findings"]["rows"] if report["findings"] else []) if f["kind"] == "lost"}
        split = [s for s in split if (s["trace"], s["pid"]) not in lost] or split
        s = max(split, key=lambda s: s["end_ns"] - s["start_ns"])
        length = s["end_ns"] - s["start_ns"]
        parts = [("compute_only_ns", "compute"), ("both_ns", "compute and communication at once"), ("comm_only_ns", "exposed communication"),
                 ("copy_only_ns", "copies alone")]
        check(sum(s[p] for p, _ in parts) + s["idle_ns"] == length, "the parts of a step do not add up")
        words = "".join(f"{100 * s[p] / length:.1f} % {w}, " for p, w in parts if 100 * s[p] / length >= .05)
        words += f"{100 * s['idle_ns'] / length:.1f} % idle"
        why = [(i["cause"], i["idle_ns"]) for i in of("typical_step_idle", traces)
               if all(i[k] == s[k] for k in ("trace", "pid", "gpu", "start_ns", "end_ns"))]
        check(sum(ns for _, ns in why) == s["idle_ns"], "the causes do not add up to the idle time")
        why = [f"{cause} {100 * ns / length:.1f} %" for cause, ns in why if 100 * ns / length >= .05]
        words += f" ({', '.join(why)})" if why else ""
        synced = sum(100 * o["dur_ns"] / length for o in of("typical_step_ledger", traces)
                     if o["owner"] == "sync" and all(o[k] == s[k] for k in ("trace", "pid", "gpu", "start_ns", "end_ns")))
        words += f"; {synced:.1f} % of the step is idle because the CPU had waited for the GPU (sync)." if synced >= .05 else "."
        check(human(length) + " in " in text and words in text, "split of a step:", words)
    ranges = [r for r in of("ranges", traces) if r["gpu_ns"] is not None]
    total = sum(r["gpu_ns"] for r in ranges)
    if total:
        none = sum(r["gpu_ns"] for r in ranges if r["name"] is None and r["count"] == 0)
        check(f"{100 * (total - none) / total:.1f} % of the GPU time was launched inside" in text, "coverage", traces)
    for f in of("facts", traces):
        if f["key"].startswith("missing."):
            check(f"{f['key'][8:]} (`{f['value']}`)" in text, f["key"])
found = report["findings"]["rows"] if report["findings"] else []
items = re.findall(r"^\d+\. .*$", text, flags=re.M)
said = re.search(r"^(\d+) findings?.*?(?:, (\d+) of which are below)?(?:; what they would save may be added up[^:`]*)?: ", text, flags=re.M)
check(not found or (said and int(said[1]) == len(found) and int(said[2] or said[1]) == len(items)), "how many findings", said and said[0], len(items))
check(not items or items[0].startswith("1. ") and len(items) >= min(len(found), len(report["traces"]), 8), "findings", len(items))
at = 0
for item in items:
    while at < len(found) and not (found[at]["evidence"] in item and shown(found[at]["finding"]).partition(":")[2][-40:] in item):
        at += 1
    check(at < len(found), "no such finding, or not in order:", item)
    f = found[min(at, len(found) - 1)]
    at += 1
    check(f"{f['start_ns']}..{f['end_ns']} ns" in item and shown(f["advice"]) in item, "finding", f["finding"])
    several = f["pid"] is None and sum(t in f["evidence"].split() for t in report["traces"]) > 1
    check(len(report["traces"]) == 1 or several or f" of `{cut(f['trace'])}`, " in item, "the trace of a finding:", item)
    check(f["where"] is None or f"** in `{cut(f['where'])}`" in item or "`" in f["where"], "where it is:", item)
    if f["recover_ns"] is not None:
        whole = not any(t["rule"] != "process" for t in of("typical_step", [f["trace"]]))
        check(f", worth at most {human(f['recover_ns'])} of {'the whole' if whole else 'a step'} ({f['recover_pct']:.2f} %)" in item, "what it would win:", f["finding"])

# ---- report.html


class Tables(HTMLParser):
    """The tables, by the first command of the paragraph above them."""

    def __init__(self):
        super().__init__()
        self.tables, self.cell, self.command, self.inside = {}, None, "", []

    def handle_starttag(self, tag, attrs):
        self.inside.append(tag)
        if tag == "div" and ("class", "text") in attrs:
            self.command = ""
        elif tag == "code" and "details" in self.inside:
            self.first = not self.command
        elif tag == "table":
            self.rows = self.tables[self.command] = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.rows[-1][-1] += data
        elif self.inside[-1:] == ["code"] and "details" in self.inside and self.first:
            self.command += data


html = Tables()
html.feed(read("report.html").decode())
for header, above, rows in md_tables:
    page = html.tables.get([s for s in spans(above) if s.startswith("nsq-")][0])
    check(page, "report.html has no table of", above)
    if not page:
        continue
    both = [c for c in header if c in page[0]]
    have = [[cut(shown(r[page[0].index(c)])).replace("\\x0a", "\n") for c in both] for r in page[1:]]
    for row in rows:
        want = [v.replace("\\x0a", "\n") for c, v in zip(header, row) if c in both]
        check(any("�" in "".join(h) or h == want for h in have), "report.html lacks", want, "of", above)

for w in wrong:
    print(w[:600])
sys.exit(bool(wrong))
