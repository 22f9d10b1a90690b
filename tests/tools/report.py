"""Compares a report with the tools whose answers it shows: report.py DIR, from the folder it was made in.

Every file of tables/ is what its command prints as CSV, and every table of report.json the same.  Every table of report.md
has the rows that the template asks for of the command that is folded away below it, with three significant figures, and
holds where the line there says.  What is said in words is computed again.  The tables of report.html are the same.  Every other command
that is shown works.  Prints what differs, and exits 1.
"""
import csv
import fnmatch
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

import sentences

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
            *before, last = re.split(r"\| (?=nsq-)", command)
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
    return [spans(p)[0].replace("\\|", "|") if p.startswith("`") else plain(p) for p in parts]


def plain(markdown):
    return html.unescape(re.sub(r"\\([\\`*_\[\]<>&|#~$@])", r"\1", markdown))


def shown(value):
    """A value of jsonl as a page shows it: what is not printable as \\xNN."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return "".join(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode()) for c in value)
    return str(value)


def cut(text):
    return text if len(text) <= CUT else text[:CUT - 1 - END] + "…" + text[-END:]


def figures(v, most):
    """Three significant figures, with at most so many decimals."""
    decimals, full = 0, 99.95
    while decimals < most and abs(v) < full:
        decimals, full = decimals + 1, full / 10
    return f"{v:.{decimals}f}"


def amount(v, unit):
    step, *names = {"ns": (1000, "ns", "us", "ms", "s"), "bytes": (1024, "B", "KiB", "MiB", "GiB", "TiB"),
                    "GB/s": (1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")}[unit]
    v, k = v * (1e9 if unit == "GB/s" else 1), 0
    while k + 1 < len(names) and abs(v) >= 999.5:
        v, k = v / step, k + 1
    return f"{figures(v, 3) if k else f'{v:.0f}'} {names[k]}"


def time(ns):
    return amount(ns, "ns")


UNITS = {"ns": ("_ns", ""), "%": ("_pct", " (%)"), "GB/s": ("_gbps", ""), "bytes": ("_bytes", "")}


def short(text):
    """As a reader elsewhere sees it: paths of traces, and of the folder, are base names, unless two are the same."""
    given = report["traces"] if len({os.path.basename(t) for t in report["traces"]}) == len(set(report["traces"])) else []
    to = re.search(r" -o (\S+)", report["command"])
    for path in [*([to[1].strip("'")] if to else []), *given]:
        if "/" in path and os.path.basename(path):
            text = text.replace(path, os.path.basename(path))
    return text


template = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/report/template.md")).read()
glossary = [line.split("\t") for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/glossary.tsv")).read().splitlines()]
words = {word: meaning for column, word, _, meaning in glossary if column == "owner"}
blocks = {}
for block in re.findall(r"^```nsq-(?:.*\n)*?```$", template, flags=re.M):
    settings = dict(re.findall(r"^([a-z]+): (.*)$", block, flags=re.M))
    blocks[settings["csv"]] = settings


def titles(name):
    """The columns of a table by their titles."""
    titled = {}
    units = {c["name"]: c["unit"] if c["type"] != "text" else None for c in tables[name]["columns"]}
    for word in ["rank", "pid=process", "gpu=GPU", *blocks[name]["columns"].split(), "trace"]:
        column, _, title = word.partition("=")
        if column not in units:
            continue
        ending, unit = UNITS.get(units[column], ("", ""))
        text = title or column.removesuffix(ending)
        titled["share (%)" if text == "pct" else text.replace("_", " ") + unit] = column
    if "explain" in blocks[name]:
        titled["meaning"] = None
    return titled


def page_cell(name, row, column):
    """How a cell of a row is shown, of which both the values and what is written are known."""
    value, written = row
    if column is None:
        return words.get(value[blocks[name]["explain"]], "")
    unit = next(c["unit"] for c in tables[name]["columns"] if c["name"] == column)
    unit = value["unit"] if unit == "unit" else unit
    number = isinstance(value[column], (int, float))
    if number and unit in ("ns", "bytes", "GB/s"):
        return amount(float(written[column]), unit)
    if number and next(c["type"] for c in tables[name]["columns"] if c["name"] == column) != "integer":
        return figures(float(written[column]), 2)
    if column == "trace" and value[column]:
        return cut(shown(short(value[column])))
    return cut(shown(value[column])) if isinstance(value[column], str) or value[column] is None else written[column]


def value_of(text):
    m = re.fullmatch(r"(-?[0-9.]+)(?: ([kMGT]?)B/s)?", text)
    return float(m[1]) * {None: 1, "": 1e-9, "k": 1e-6, "M": 1e-3, "G": 1, "T": 1e3}[m[2]] if m else None


def are_shown(name, rows, wanted):
    """Rates and shares are rounded once for the table and once for the page."""
    flat = [list(sum(r, [])) for r in (rows, wanted)]
    return [len(r) for r in rows] == [len(r) for r in wanted] and all(
        a == b or (None not in (value_of(a), value_of(b)) and ("." in b or "B/s" in b) and abs(value_of(a) - value_of(b)) <= 0.011 + 0.009 * abs(value_of(b)))
        for a, b in zip(*flat))


def same_window(a, b):
    return all(a[k] == b[k] for k in ("trace", "pid", "start_ns", "end_ns"))


typical = tables["typical_step"]["rows"] if "typical_step" in tables else []
lost = {(f["trace"], f["pid"]) for f in (report["findings"]["rows"] if report["findings"] else []) if f["kind"] == "lost"}


def longest(traces):
    """The longest typical step, of processes that lost no events if there are any."""
    of = [t for t in typical if t["trace"] in traces]
    of = [t for t in of if t["rule"] != "process"] or of
    of = [t for t in of if (t["trace"], t["pid"]) not in lost] or of
    return max(of, key=lambda t: t["end_ns"] - t["start_ns"], default=None)


drawn = longest(report["traces"])


def rows_shown(name):
    """The rows that the template asks for."""
    how, all_rows = blocks[name], list(zip(tables[name]["rows"], exact[name]))
    if how.get("only") == "drawn":
        all_rows = [r for r in all_rows if drawn and same_window(r[0], drawn)]
        all_rows = [r for r in all_rows if r[0]["gpu"] == all_rows[0][0]["gpu"]]
    elif how.get("only") == "trace" and drawn:
        all_rows = [r for r in all_rows if r[0]["trace"] == drawn["trace"]]
    if "keys" in how:
        all_rows = [r for r in all_rows if any(fnmatch.fnmatchcase(r[0]["key"], k) for k in how["keys"].split())]
    most, by, worst = int(how.get("rows", len(all_rows))), how.get("by"), how.get("worst")
    ranked = sorted(range(len(all_rows)), key=lambda i: -(all_rows[i][0][by or worst] or 0)) if by or worst else range(len(all_rows))
    chosen = list(ranked)[:most]
    return [all_rows[i] for i in (sorted(chosen) if worst else chosen)], len(tables[name]["rows"])


md = read("report.md").decode()
lines = md.split("\n")
text = plain(md)
check("{{" not in md, "a word of the template was left")
md_tables, folded = [], []
for i, line in enumerate(lines):
    if line.strip().startswith("<details><summary>nsq-"):
        folded.append(spans(lines[i + 2])[-1])
        tools = " | ".join(re.findall(r"(?:^|\| )(nsq-[a-z]+)", folded[-1]))
        check(line.strip() == f"<details><summary>{tools}</summary>" and lines[i + 4].strip() == "</details>", "a fold:", line)
    if not re.fullmatch(r"(\|-+:?)+\|", line):
        continue
    header, rows = cells(lines[i - 1]), []
    while lines[i + 1 + len(rows)].startswith("|"):
        rows.append(cells(lines[i + 1 + len(rows)]))
    check(all(len(r) == len(header) for r in rows), "cells of", header)
    bars = [r.pop(header.index("")) for r in rows] if "" in header else []
    header = [h for h in header if h]
    md_tables.append((header, rows, lines[i + 4 + len(rows)], bars, lines[i - 3]))

outputs = {short(command): name for command, name in outputs.items()}
for header, rows, below, bars, scope in md_tables:
    command = spans(below)[-1]
    check(command in outputs, "no command of a table:", below)
    name = outputs[command]
    want, n = rows_shown(name)
    longest_bar = max((row[0][blocks[name]["bar"]] for row in want), default=0) if bars else 0
    check(all(abs(len(b) - 20 * row[0][blocks[name]["bar"]] / longest_bar) <= 1.1 for b, row in zip(bars, want)), "the bars of", name, bars)
    check(bool(bars) == ("bar" in blocks[name]), "bars of", name)
    check("of" not in blocks[name] or scope.startswith((blocks[name]["of"], blocks[name].get("whole", "-"))), "what", name, "is of:", scope)
    titled = titles(name)
    check(all(h in titled for h in header), name, "has other columns:", header)
    check(are_shown(name, rows, [[page_cell(name, row, titled[h]) for h in header] for row in want]), name, "shows", rows, "not", want and [[page_cell(name, row, titled.get(h)) for h in header] for row in want])
    of = f"of the first {n} rows, which" if f" -n {n} " in command else f"of {n} rows, all of which"
    check(f"{len(want)} {of} are in `tables/{name}.csv`" in below if len(want) < n else f"all rows, with more columns, are in `tables/{name}.csv`" in below,
          "how many rows:", below)
    said = re.search(r"([0-9.]+) (\w+) to ([0-9.]+) \w+; ", below)
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[said[2]] if said else 1
    check(not said or all(abs(float(said[k]) - r[of] / scale) <= 0.501 * 10 ** -len(said[k].partition(".")[2])
                          for r, _ in want for k, of in ((1, "start_ns"), (3, "end_ns"))), "window of", below)
# two traces may have nothing to compare, and the evidence of nsq-advise names a trace like an option as it is
others = [c for c in folded if c not in outputs and not c.startswith(("nsq-report ", "nsq-diff ")) and " -t.sqlite" not in c]
evidence = {short(f["evidence"]): f["evidence"] for f in report["findings"]["rows"]} if report["findings"] else {}
run_all(dict.fromkeys(evidence.get(c, c) for c in others))

# ---- what is said in words

for traces in [report["traces"]] if len(report["traces"]) > 3 else [[t] for t in report["traces"]]:
    step = longest(traces)
    if not step:
        continue
    length = step["end_ns"] - step["start_ns"]
    s = next(s for s in tables["typical_step_split"]["rows"] if same_window(s, step))
    parts = [("compute_only_ns", "computation"), ("both_ns", "computation and communication at once"), ("comm_only_ns", "communication alone"),
             ("copy_only_ns", "copies alone"), ("idle_ns", "idle")]
    check(sum(s[p] for p, _ in parts) == length, "the parts of a step do not add up")
    said = ", ".join(f"{100 * s[p] / length:.1f} % {w}" for p, w in parts if 100 * s[p] / length >= .05)
    check(f" takes **{time(length)}** (" in text and f"): {said}." in text, "a typical step:", time(length), said)
for f in tables["facts"]["rows"]:
    check(f["key"] not in ("host.name", "capture.command") or "--keep" in report["command"], "the facts say", f["key"])

kinds = {}
for f in report["findings"]["rows"] if report["findings"] else []:
    kinds.setdefault((f["kind"], f["finding"].partition(":")[0], f["advice"]), []).append(f)
items = re.findall(r"^(\d+)\. (.*)$", text, flags=re.M)
check(len(items) == min(len(kinds), 8), "how many findings", len(items), len(kinds))
for (number, item), group in zip(items, kinds.values()):
    worst = max(group, key=lambda f: f["recover_ns"] or 0)
    one = len({(f["pid"], f["trace"]) for f in group}) == 1
    ns, pct = (sum(f[k] or 0 for f in group) if one else worst[k] or 0 for k in ("recover_ns", "recover_pct"))
    check(shown(worst["advice"]) in item and shown(worst["finding"]).partition(":")[2][3:][-40:] in item, "finding", number, item)
    win = re.search(r"worth at most \*\*([0-9.]+ \w+)\*\* of (?:a step|the run) \(([0-9.]+) %\)", item)
    check(not ns or win and win[1] == time(ns) and abs(float(win[2]) - pct) < .0501 + .005 * len(group), "what it would win:", time(ns), pct, item)
    check(len(group) == 1 or f" {len(group)} places" in item, "how many places", item)
    check(len(group) > 1 or worst["where"] is None or f"** (`{worst['kind']}`) in `{cut(worst['where'])}`" in item or "`" in worst["where"], "where it is:", item)
    check(short(worst["evidence"]) in folded, "evidence of", item)
check(not re.search(r"\]\((?!http)", md), "a link that breaks elsewhere")

wrong += sentences.wrong(report, md)

# ---- report.html


PLAIN = set("html head meta title style body main h1 h2 h3 p ul ol li strong em a code bdi details summary table thead tbody tr th td figure div svg".split())


class Tables(HTMLParser):
    """The tables; and is there any tag, or attribute of one, that a name may have brought?"""

    def __init__(self):
        super().__init__()
        self.tables, self.cell, self.code, self.drawn = [], None, False, False

    def handle_starttag(self, tag, attrs):
        self.drawn |= tag == "svg"
        known = tag in PLAIN and all(k in ("align", "class", "start") or (k == "href" and re.match(r"(tables/[a-z_]+\.csv|view\.html#[a-zA-Z0-9=&%-]*)$", v)) for k, v in attrs)
        check(self.drawn or tag in ("html", "meta") or known, "a strange tag", tag, attrs)
        check(tag != "bdi" or self.code, "a name that is no code")
        check(not self.code or tag == "bdi", "a name that is not isolated")
        self.code = tag == "code"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.cell = True

    def handle_endtag(self, tag):
        self.drawn &= tag != "svg"
        if tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.tables[-1][-1][-1] += data


page = Tables()
page.feed(read("report.html").decode())
check(page.tables == [[header, *rows] for header, rows, *_ in md_tables], "the tables of report.html are others:", page.tables, md_tables)
check(all(c in html.unescape(read("report.html").decode()) for c in folded if c.isprintable()), "report.html lacks a command")

for w in wrong:
    print(w[:600])
sys.exit(bool(wrong))
