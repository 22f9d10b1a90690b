#!/usr/bin/env python3
"""What nsq-threads and nsq-find should say of a trace, read plainly and slowly, without nsq.

    reading.py MODE TRACE [WINDOWS]          MODE: threads os samples, or find:REGEX, at:TIME, at:start, at:end

WINDOWS is a TSV with a header: start_ns end_ns pid, and perhaps cpu_start_ns cpu_end_ns; without it the window is each
process's span (threads) or the trace's (find).  --inside and --merge as in nsq.  Prints the tool's own columns and
what stands before them, sorted as text; nothing depends on the order of rows in the trace.
"""
import csv
import re
import sqlite3
import sys
from math import ceil

NAMES = {1: "h2d", 3: "h2d", 2: "d2h", 4: "d2h", 5: "d2d", 6: "d2d", 7: "d2d", 8: "d2d", 9: "h2h", 10: "p2p",
         11: "um_h2d", 12: "um_d2h", 13: "um_d2d"}
WORK = {"KERNEL": "kernel", "GRAPH_TRACE": "graph", "MEMCPY": "copy", "MEMSET": "set"}


class Trace:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds"))
        have = {r[0] for r in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.cuda = any(n.startswith("CUPTI_ACTIVITY_KIND_") for n in have)
        self.nvtx = "NVTX_EVENTS" in have
        self.has = have
        self.calls = self.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start", "end", "globalTid", "nameId", "correlationId")
        self.os = self.rows("OSRT_API", "start", "end", "globalTid", "nameId")
        self.switches = self.rows("SCHED_EVENTS", "start", "globalTid", "isSchedIn")
        self.samples = self.rows("COMPOSITE_EVENTS", "start", "globalTid", "id")
        self.read_work()
        self.read_nvtx()
        self.read_names()
        self.read_chains()

    def rows(self, table, *columns):
        """Those of a table that start at or after 0."""
        if table not in self.has:
            return []
        there = {r[1] for r in self.db.execute("PRAGMA table_info(%s)" % table)}
        want = ", ".join('"%s"' % c if c in there else "NULL" for c in columns)
        where = " WHERE start >= 0" if "start" in there else ""
        return self.db.execute("SELECT %s FROM %s%s" % (want, table, where)).fetchall()

    def read_work(self):
        launch = {}
        for start, _, tid, _, corr in self.calls:
            key = tid >> 24, corr
            if corr and (key not in launch or (start, tid) < launch[key]):
                launch[key] = start, tid
        self.work = []
        for table, kind in WORK.items():
            for s, e, gpu, stream, pid, corr, short, graph, copy in self.rows(
                    "CUPTI_ACTIVITY_KIND_" + table, "start", "end", "deviceId", "streamId", "globalPid", "correlationId",
                    "shortName", "graphId", "copyKind"):
                name = {"kernel": self.strings.get(short), "graph": "graph %s" % graph, "set": "memset",
                        "copy": "memcpy " + NAMES.get(copy, "unknown")}[kind]
                self.work.append((kind, s, max(s, e), pid >> 24, gpu, stream, name, launch.get((pid >> 24, corr))))

    def read_nvtx(self):
        self.ranges, self.crossing, self.marks, self.spans = [], [], [], {}
        events = [e for e in self.rows("NVTX_EVENTS", "start", "end", "eventType", "globalTid", "text", "textId") if e[2] not in (75, 76)]
        widen, last = self.widen, {}
        for p, s, e in [(w[3], w[1], w[2]) for w in self.work] + [(c[2] >> 24, c[0], c[1]) for c in self.calls]:
            widen(p, s, e)
        for s, e, what, tid, *_ in events:      # definitions have no length
            widen(tid >> 24, s, s if e is None else e, 0 if e is None and what not in (34, 59, 60) else 1)
        # where a range that was never closed ends: marks have no length here, and events of the CPU do not count
        for p, s, e in [(w[3], w[1], w[2]) for w in self.work] + [(c[2] >> 24, c[0], c[1]) for c in self.calls]:
            last[p] = max(last.get(p, 0), s + 1, e)
        for s, e, what, tid, *_ in events:
            end = s if e is None and what not in (59, 60) else max(s + 1, e or 0)
            last[tid >> 24] = max(last.get(tid >> 24, 0), end)
        for s, e, what, tid, text, text_id in events:
            name = text if text is not None else self.strings.get(text_id)
            end = max(s, last[tid >> 24] if e is None else e)
            if what == 59:
                self.ranges.append((s, end, tid, name))
            elif what == 60:
                self.crossing.append((s, end, tid, name))
            elif what == 34:
                self.marks.append((s, s, tid, name))
        for s, e, tid, _ in self.os:
            widen(tid >> 24, s, e)
        for s, tid, _ in self.switches + self.samples:
            widen(tid >> 24, s, s)
        self.by_thread = {}
        for r in self.ranges:
            self.by_thread.setdefault(r[2], []).append(r)

    def widen(self, process, start, end, least=1):
        a, b = self.spans.get(process, (start, start + least))
        self.spans[process] = min(a, start), max(b, end, start + least)

    def read_names(self):
        self.thread = {}
        named = {}
        for tid, name in self.rows("ThreadNames", "globalTid", "nameId"):
            text = self.strings.get(name)
            if text is not None:
                self.thread[tid] = max(self.thread.get(tid, ""), text)
        if self.nvtx:
            for s, tid, text, text_id in self.db.execute(
                    "SELECT start, globalTid, text, textId FROM NVTX_EVENTS WHERE eventType = 39"):
                name = text if text is not None else self.strings.get(text_id)
                named[tid] = max(named.get(tid, (s, name)), (s, name))
        self.thread.update({tid: name for tid, (_, name) in named.items()})

    def read_chains(self):
        self.chains = {}
        for chain, depth, symbol, module, unresolved in self.rows(
                "SAMPLING_CALLCHAINS", "id", "stackDepth", "symbol", "module", "unresolved"):
            module = self.strings.get(module)
            name = module if unresolved else self.strings.get(symbol)
            self.chains.setdefault(chain, []).append((depth, name, module))

    def stretches(self, tid):
        """When a thread runs and when it waits: lists of (start, end)."""
        runs, waits, on, since = [], [], None, None
        for when, going in sorted((s, i) for s, t, i in self.switches if t == tid):
            if on is None:
                on = not going
                since = self.spans[tid >> 24][0] if on else None
            if bool(going) == on:
                continue
            if since is not None:
                (runs if on else waits).append((since, when))
            on, since = bool(going), when
        if on:
            runs.append((since, self.spans[tid >> 24][1]))
        return runs, waits


class Window:
    def __init__(self, process, gpu, cpu, inside):
        self.process, self.gpu, self.cpu, self.inside = process, gpu, cpu, inside

    def has(self, side, s, e):
        if self.inside:
            return any(a <= s and e <= b and (e > s or s < b) for a, b in side)
        return any(s < b and (e > a or s == e >= a) for a, b in side)

    def time(self, side, s, e):
        return sum(max(0, min(b, e) - max(a, s)) for a, b in side)

    def clip(self, side, s, e):
        parts = [(a, b) for a, b in side if s < b and (e > a or s == e >= a)]
        return max(s, parts[0][0]), min(e, parts[-1][1])


def union(events):
    """Disjoint intervals that cover the same."""
    out = []
    for a, b in sorted(events):
        if out and a <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], b)
        else:
            out.append((a, b))
    return out


def pid(process):
    return process & 0xffffff


def pct(a, b):
    return "%.2f" % (100.0 * a / b) if b else "-"


def shown(cells):
    text = ("-" if c is None else str(c) for c in cells)
    print("\t".join(t.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for t in text))


def threads(t, w):
    length = sum(b - a for a, b in w.cpu)
    tids = set()
    for rows in (t.calls, t.os, t.ranges, t.crossing, t.marks):
        tids |= {r[2] for r in rows}
    tids |= {r[1] for r in t.switches + t.samples}
    for tid in sorted(x for x in tids if x >> 24 == w.process):
        def mine(rows):
            return [(r[0], max(r[0], r[1])) for r in rows if r[2] == tid and w.has(w.cpu, r[0], max(r[0], r[1]))]

        def covered(rows):
            return sum(w.time(w.cpu, a, b) for a, b in union(mine(rows)))
        runs, waits = t.stretches(tid)
        known = bool(runs)
        runs, waits = ([x for x in l if w.has(w.cpu, *x)] for l in (runs, waits))
        samples = [s for s, g, _ in t.samples if g == tid and w.has(w.cpu, s, s)]
        if not any((runs, waits, samples, mine(t.calls), mine(t.os), mine(t.ranges), mine(t.crossing), mine(t.marks))):
            continue
        run = sum(w.time(w.cpu, a, b) for a, b in runs)
        shown([pid(w.process), w.gpu[0][0], w.gpu[-1][1], tid & 0xffffff] +
              ([run, pct(run, length), len(waits), max((w.time(w.cpu, a, b) for a, b in waits), default=None)]
               if known else [None] * 4) +
              [len(samples) if "COMPOSITE_EVENTS" in t.has else None, covered(t.calls) if t.cuda else None,
               covered(t.os) if "OSRT_API" in t.has else None, covered(t.ranges) if t.nvtx else None, t.thread.get(tid)])


def os_calls(t, w):
    by = {}
    for s, e, tid, name in t.os:
        if tid >> 24 == w.process and w.has(w.cpu, s, max(s, e)):
            by.setdefault(t.strings.get(name), []).append(w.time(w.cpu, s, e))
    for name, times in by.items():
        times.sort()
        shown([pid(w.process), w.gpu[0][0], w.gpu[-1][1], len(times), sum(times), times[ceil(.5 * len(times)) - 1],
               times[(90 * len(times) + 99) // 100 - 1], times[-1], name])


def samples(t, w):
    total, anywhere, leaf = 0, {}, {}
    for s, tid, chain in t.samples:
        if tid >> 24 != w.process or not w.has(w.cpu, s, s):
            continue
        total += 1
        entries = sorted(t.chains.get(chain, [(0, None, None)]), key=lambda x: (x[0], x[1] or "", x[2] or ""))
        for f in {e[1:] for e in entries}:
            anywhere[f] = anywhere.get(f, 0) + 1
        leaf[entries[0][1:]] = leaf.get(entries[0][1:], 0) + 1
    for f, n in anywhere.items():
        shown([pid(w.process), w.gpu[0][0], w.gpu[-1][1], n, pct(n, total), pct(leaf.get(f, 0), total), *f])


def innermost(t, tid, moment, but=None):
    open_then = [r for r in t.by_thread.get(tid, []) if r[0] <= moment < r[1] and r is not but]
    return max(open_then, key=lambda r: (r[0], -r[1]))[3] if open_then else None


def around_range(t, r):
    """The innermost range that holds the start of another, and is not inside it."""
    outer = [o for o in t.by_thread[r[2]] if o is not r and o[0] <= r[0] < o[1] and (o[0] < r[0] or o[1] > r[1])]
    return max(outer, key=lambda o: (o[0], -o[1]))[3] if outer else None


def find(t, w, name, at):
    def rows(side, s, e, inner):
        if name is not None and (inner[-1] is None or not re.search(name, inner[-1])):
            return
        if at is None:
            if w.has(side, s, e):
                a, b = w.clip(side, s, e)
                yield a, b, w.time(side, s, e)
            return
        when = {"start": side[0][0], "end": side[-1][1]}.get(at)
        if when is None:
            when = int(at)
            if not any(a <= when < b for a, b in side):
                return
        if (s <= when < e or s == e == when) and (not w.inside or w.has(side, s, e)):
            yield s, e, e - s

    def cpu(kind, events, around):
        for r in events:
            s, e, tid, text = r
            if w.process in (None, tid >> 24):
                for a, b, dur in rows(w.cpu, s, max(s, e), (text,)):
                    shown([pid(tid >> 24), a, b, None, kind, dur, None, tid & 0xffffff, None, around(r), text])

    for kind, s, e, process, gpu, stream, text, launch in t.work:
        if w.process in (None, process):
            for a, b, dur in rows(w.gpu, s, e, (text,)):
                shown([pid(process), a, b, gpu, kind, dur, stream] +
                      ([launch[1] & 0xffffff, launch[0], innermost(t, launch[1], launch[0])] if launch else [None] * 3) + [text])
    strip = re.compile(r"(_v[0-9]+|_ptsz|_ptds)+$")

    def there(r):
        return innermost(t, r[2], r[0])
    cpu("call", [(s, e, tid, None if n not in t.strings else strip.sub("", t.strings[n])) for s, e, tid, n, _ in t.calls],
        there)
    cpu("range", t.ranges, lambda r: around_range(t, r))
    cpu("range", t.crossing, there)
    cpu("mark", t.marks, there)
    cpu("os", [(s, e, tid, t.strings.get(n)) for s, e, tid, n in t.os], there)


def main():
    flags = {a for a in sys.argv[1:] if a.startswith("--")}
    mode, path, *table = (a for a in sys.argv[1:] if not a.startswith("--"))
    t = Trace(path)
    inside = "--inside" in flags
    finding = mode.split(":")[0] in ("find", "at")
    windows = []
    if table:
        for r in csv.DictReader(open(table[0]), delimiter="\t"):
            process = next((p for p in t.spans if str(pid(p)) == r["pid"]), None)
            side = (int(r["start_ns"]), int(r["end_ns"]))
            windows.append(Window(process, [side], [(int(r["cpu_start_ns"]), int(r["cpu_end_ns"]))] if "cpu_start_ns" in r
                                  else [side], inside))
        if "--merge" in flags:
            windows = [Window(p, union(x for w in windows if w.process == p for x in w.gpu),
                              union(x for w in windows if w.process == p for x in w.cpu), inside)
                       for p in dict.fromkeys(w.process for w in windows)]
    elif finding:
        whole = [(min(a for a, _ in t.spans.values()), max(b for _, b in t.spans.values()))]
        windows = [Window(None, whole, whole, inside)]
    else:
        windows = [Window(p, [s], [s], inside) for p, s in t.spans.items()]
    for w in windows:
        if finding:
            what, value = mode.split(":", 1)
            find(t, w, value if what == "find" else None, value if what == "at" else None)
        else:
            {"threads": threads, "os": os_calls, "samples": samples}[mode](t, w)


main()
