"""What nsq-threads and nsq-find should say of a trace, read plainly and slowly, without nsq.

    threads MODE   TRACE [WINDOWS]          MODE: threads os samples, or find:REGEX, at:TIME, at:start, at:end

WINDOWS is a TSV with a header: start_ns end_ns pid, and perhaps cpu_start_ns cpu_end_ns; without it the window is each
process's span (threads) or the trace's (find).  --inside and --merge as in nsq.  Prints the tool's own columns and
what stands before them, sorted as text; nothing depends on the order of rows in the trace.
"""
import csv
import re
from math import ceil

from .measure import pct, union
from .names import base_name
from .trace import CUPTI, DOMAIN, DOMAIN_END, MARK, PUSH_POP, START_END, Range, Trace, ending



class Threads(Trace):
    """A trace with the span of each process, events of the CPU included."""

    def __init__(self, path):
        super().__init__(path)
        self.cpu_spans = {}
        for e in self.works + self.calls + self.os_calls:
            self.widen(e.proc, e.start, e.end)
        for e in self.nvtx:                     # definitions have no length
            if e.start >= 0 and e.kind not in (DOMAIN, DOMAIN_END):
                self.widen(e.proc, e.start, ending(e.start, e.end), 0 if e.end is None and e.kind not in (MARK, PUSH_POP, START_END) else 1)
        for when, tid, _ in self.switches + self.samples:
            self.widen(tid >> 24, when, when)
        self.pushed = [r for r in self.ranges if r.type == PUSH_POP]
        self.crossing = [r for r in self.ranges if r.type == START_END]
        self.points = [Range(e, e.start, "-", 0) for e in self.marks]

    def widen(self, process, start, end, least=1):
        a, b = self.cpu_spans.get(process, (start, start + least))
        self.cpu_spans[process] = min(a, start), max(b, end, start + least)

    def stretches(self, tid):
        """When a thread runs and when it waits: lists of (start, end)."""
        runs, waits, on, since = [], [], None, None
        for when, going in sorted((s, i) for s, t, i in self.switches if t == tid):
            if on is None:
                on = not going
                since = self.cpu_spans[tid >> 24][0] if on else None
            if bool(going) == on:
                continue
            if since is not None:
                (runs if on else waits).append((since, when))
            on, since = bool(going), when
        if on:
            runs.append((since, self.cpu_spans[tid >> 24][1]))
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


def pid(process):
    return process & 0xffffff


def shown(cells):
    text = ("-" if c is None else str(c) for c in cells)
    print("\t".join(t.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for t in text))


def threads(t, w):
    length = sum(b - a for a, b in w.cpu)
    tids = {e.proc << 24 | e.tid for e in t.calls + t.os_calls + t.ranges + t.points} | {r[1] for r in t.switches + t.samples}
    for tid in sorted(x for x in tids if x >> 24 == w.process):
        def mine(events):
            return [(e.start, e.end) for e in events if e.proc << 24 | e.tid == tid and w.has(w.cpu, e.start, e.end)]

        def covered(rows):
            return sum(w.time(w.cpu, a, b) for a, b in union(mine(rows)))
        runs, waits = t.stretches(tid)
        known = bool(runs)
        runs, waits = ([x for x in l if w.has(w.cpu, *x)] for l in (runs, waits))
        samples = [s for s, g, _ in t.samples if g == tid and w.has(w.cpu, s, s)]
        if not any((runs, waits, samples, mine(t.calls), mine(t.os_calls), mine(t.ranges), mine(t.points))):
            continue
        run = sum(w.time(w.cpu, a, b) for a, b in runs)
        shown([pid(w.process), w.gpu[0][0], w.gpu[-1][1], tid & 0xffffff] +
              ([run, pct(run, length), len(waits), max((w.time(w.cpu, a, b) for a, b in waits), default=None)]
               if known else [None] * 4) +
              [len(samples) if t.has("COMPOSITE_EVENTS") else None, covered(t.calls) if any(n.startswith(CUPTI) for n in t.tables) else None,
               covered(t.os_calls) if t.has("OSRT_API") else None, covered(t.pushed) if t.has("NVTX_EVENTS") else None,
               t.thread_names.get(tid)])


def os_calls(t, w):
    by = {}
    for c in t.os_calls:
        if c.proc == w.process and w.has(w.cpu, c.start, c.end):
            by.setdefault(c.name, []).append(w.time(w.cpu, c.start, c.end))
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


def innermost(t, e):
    """The range of its thread that is open when a call, a mark or a start/end range begins."""
    return next((r.name for r in t.open_ranges(e.proc, e.tid, e.start)), None)


def around_range(t, r):
    """The innermost range that holds the start of another, and is not inside it."""
    return next((o.name for o in t.open_ranges(r.proc, r.tid, r.start) if o is not r and (o.start < r.start or o.end > r.end)), None)


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

    def cpu(kind, events, around, name=lambda e: e.name):
        for e in events:
            if w.process in (None, e.proc):
                for a, b, dur in rows(w.cpu, e.start, e.end, (name(e),)):
                    shown([pid(e.proc), a, b, None, kind, dur, None, e.tid, None, around(t, e), name(e)])

    for e in t.works:
        if w.process in (None, e.proc):
            for a, b, dur in rows(w.gpu, e.start, e.end, (e.name,)):
                shown([pid(e.proc), a, b, e.gpu, e.kind, dur, e.stream] +
                      ([e.call.tid, e.call.start, innermost(t, e.call)] if e.call else [None] * 3) + [e.name])
    cpu("call", t.calls, innermost, lambda c: base_name(c.name))
    cpu("range", t.pushed, around_range)
    cpu("range", t.crossing, innermost)
    cpu("mark", t.points, innermost)
    cpu("os", t.os_calls, innermost)


def main(argv):
    flags = {a for a in argv if a.startswith("--")}
    mode, path, *table = (a for a in argv if not a.startswith("--"))
    t = Threads(path)
    inside = "--inside" in flags
    finding = mode.split(":")[0] in ("find", "at")
    windows = []
    if table:
        for r in csv.DictReader(open(table[0]), delimiter="\t"):
            process = next((p for p in t.cpu_spans if str(pid(p)) == r["pid"]), None)
            side = (int(r["start_ns"]), int(r["end_ns"]))
            windows.append(Window(process, [side], [(int(r["cpu_start_ns"]), int(r["cpu_end_ns"]))] if "cpu_start_ns" in r
                                  else [side], inside))
        if "--merge" in flags:
            windows = [Window(p, union(x for w in windows if w.process == p for x in w.gpu),
                              union(x for w in windows if w.process == p for x in w.cpu), inside)
                       for p in dict.fromkeys(w.process for w in windows)]
    elif finding:
        whole = [(min(a for a, _ in t.cpu_spans.values()), max(b for _, b in t.cpu_spans.values()))]
        windows = [Window(None, whole, whole, inside)]
    else:
        windows = [Window(p, [s], [s], inside) for p, s in t.cpu_spans.items()]
    for w in windows:
        if finding:
            what, value = mode.split(":", 1)
            find(t, w, value if what == "find" else None, value if what == "at" else None)
        else:
            {"threads": threads, "os": os_calls, "samples": samples}[mode](t, w)
