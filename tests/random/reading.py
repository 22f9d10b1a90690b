"""A trace read with brute force: share/conventions in Python, as literal and as slow as that.

Nothing here is shared with the tools.  Places marked TODAY follow what the tools do now where the
contract will change; places marked TIE decide what the conventions leave open, as the tools do.
"""
import re
import sqlite3
from collections import namedtuple

# n tells apart what is otherwise the same.
Work = namedtuple("Work", "kind proc gpu ctx stream start end corr name full bytes copy src dst n")
Call = namedtuple("Call", "proc tid start end corr name n")
Range = namedtuple("Range", "type proc tid start end name domain nccl domain_id n")
COPY = {1: "h2d", 3: "h2d", 2: "d2h", 4: "d2h", 5: "d2d", 6: "d2d", 7: "d2d", 8: "d2d", 9: "h2h", 10: "p2p",
        11: "um_h2d", 12: "um_d2h", 13: "um_d2d"}
MEMORY = {0: "pageable", 1: "pinned", 2: "device", 5: "device", 3: "array", 4: "managed", 6: "managed"}
CLASSES = [("launch", "Launch"), ("sync", "Synchronize"), ("memory", "Mem|Malloc|Free|HostAlloc|HostRegister"),
           ("graph", "Graph|Capture"), ("event", "Event"), ("stream", "Stream"),
           ("module", "Module|Library|Kernel|Func")]


# ---- names

def fold(name):
    return re.sub("[0-9]+", "#", name)


def base_name(call):
    return re.sub("(_v[0-9]+|_ptsz|_ptds)+$", "", call)


def call_class(call):
    return "mpi" if call.startswith("MPI_") else next((label for label, words in CLASSES if re.search(words, call)), "other")


def is_comm(work):
    return work.kind == "kernel" and work.name.lower().startswith("nccl") or work.copy == "p2p"


def is_compute(work):
    return work.kind == "graph" or work.kind == "kernel" and not is_comm(work)


def is_kernel_or_graph(work):
    return work.kind in ("kernel", "graph")


def work_class(work):
    return "comm" if is_comm(work) else {"graph": "graph", "copy": "copy", "set": "copy"}.get(work.kind, "compute")


def stage_rule(name):
    """The last stageN_f, _b or _w of a name that no letter or digit follows."""
    found = [m.group(1) for m in re.finditer("(?=(stage[0-9]+_[fbw])([^a-zA-Z0-9]|$))", name)]
    return found[-1] if found else None


def purpose_rule(name):
    if re.search("stage[24]([^0-9]|$)", name):
        return "ep_a2a"
    if re.search("stage1([^0-9]|$)", name):
        return "cp_ring"
    return "pp_p2p" if re.search("(^|[^a-zA-Z0-9])p2p([^a-zA-Z0-9]|$)", name) else None


# ---- time

def length(start, end, parts):
    """How much of [start,end) lies in the parts of a window."""
    return sum(max(0, min(end, b) - max(start, a)) for a, b in parts)


def union(parts):
    """The same time in as few stretches as possible."""
    out = []
    for a, b in sorted(parts):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        elif a < b:
            out.append((a, b))
    return out


def is_in(event, parts, inside):
    s, e = event.start, event.end
    if s == e:
        return any(a <= s < b for a, b in parts)
    if inside:
        return any(a <= s and e <= b for a, b in parts)
    return any(s < b and e > a for a, b in parts)


def clipped(event, parts):
    """From the first moment of the event in the window to the last."""
    if event.start == event.end:
        return event.start, event.end
    cuts = [(max(event.start, a), min(event.end, b)) for a, b in parts if event.start < b and event.end > a]
    return cuts[0][0], cuts[-1][1]


def moments(events, parts):
    """Stretches of the parts between which nothing begins or ends: (first moment, length)."""
    points = sorted({t for e in events for t in (e.start, e.end)} | {t for part in parts for t in part})
    for a, b in zip(points, points[1:]):
        if any(p <= a < q for p, q in parts):
            yield a, b - a


def runs(works, t):
    return any(w.start <= t < w.end for w in works)


def busy_time(works, parts):
    return sum(ns for t, ns in moments(works, parts) if runs(works, t))


def reach(start, end):
    """Where an event ends for the span of a trace or a process: one of no length just after its start, so that
    it is in that span.  (A range that was never closed ends there too.)"""
    return start + 1 if end is None or end == start else end


# ---- numbers

def percentile(values, p):
    return sorted(values)[-(-p * len(values) // 100) - 1] if values else "-"


def mean(values):
    return (2 * sum(values) + len(values)) // (2 * len(values))


def pct(part, whole):
    return "%.2f" % (100.0 * part / whole) if whole else "-"


# ---- the trace

class Trace:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.strings = dict(self.query("SELECT id, value FROM StringIds"))
        self.works = [w._replace(n=n) for n, w in enumerate(self.read_works()) if w.start >= 0]
        self.calls = [Call(tid >> 24, tid & 0xffffff, start, end, corr or 0, self.strings[name], n)
                      for start, end, tid, corr, name, n in self.query(
                          "SELECT start, end, globalTid, correlationId, nameId, rowid FROM CUPTI_ACTIVITY_KIND_RUNTIME")
                      if start >= 0]
        self.mpi = [Call(tid >> 24, tid & 0xffffff, start, start if end is None else end, 0, self.strings[name], 0)
                    for (table,) in self.query("SELECT name FROM sqlite_master WHERE name LIKE 'MPI%EVENTS'")
                    for start, end, tid, name in self.query(f"SELECT start, end, globalTid, textId FROM {table}") if start >= 0]
        self.nvtx = [(start, end, kind, tid, text if text is not None else self.strings.get(text_id), domain)
                     for start, end, kind, tid, text, text_id, domain in self.query(
                         "SELECT start, end, eventType, globalTid, text, textId, domainId FROM NVTX_EVENTS")]
        self.domains = {(tid >> 24, domain): name for _, _, kind, tid, name, domain in self.nvtx if kind == 75}
        threads = {(c.proc, c.tid) for c in self.calls} | {(e[3] >> 24, e[3] & 0xffffff) for e in self.nvtx if e[0] >= 0 and e[2] not in (75, 76)}
        self.mpi_known = [c for c in self.mpi if (c.proc, c.tid) in threads]
        self.ranges = self.read_ranges()
        self.names = dict(self.query("SELECT globalPid >> 24, name FROM PROCESSES"))
        self.procs = sorted({p for p, _, _ in self.spans()}, key=lambda p: (p & 0xffffff, p))
        self.launch_of = {w: self.find_launch(w) for w in self.works}
        self.around_cache = {}
        self.span = self.span_of(None)
        self.calls_span = (min([self.span[0]] + [c.start for c in self.mpi_known]),
                           max([self.span[1]] + [reach(c.start, c.end) for c in self.mpi_known])) if self.span else None
        self.stream_class = {self.stream(w): self.classify(self.stream(w)) for w in self.works}

    def query(self, sql):
        return self.db.execute(sql).fetchall()

    def read_works(self):
        place = "globalPid >> 24, deviceId, contextId, streamId, start, end, ifnull(correlationId, 0)"
        for row in self.query(f"SELECT {place}, shortName, demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL"):
            yield Work("kernel", *row[:7], self.strings[row[7]], self.strings[row[8]], 0, "-", "-", "-", 0)
        for row in self.query(f"SELECT {place}, graphId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
            yield Work("graph", *row[:7], f"graph {row[7]}", f"graph {row[7]}", 0, "-", "-", "-", 0)
        for row in self.query(f"SELECT {place}, bytes, copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY"):
            kind = COPY.get(row[8], "unknown")
            name = f"memcpy {kind}"
            yield Work("copy", *row[:7], name, name, row[7], kind, MEMORY.get(row[9], "unknown"),
                       MEMORY.get(row[10], "unknown"), 0)
        for row in self.query(f"SELECT {place}, bytes, memKind FROM CUPTI_ACTIVITY_KIND_MEMSET"):
            yield Work("set", *row[:7], "memset", "memset", row[7], "memset", "-", MEMORY.get(row[8], "unknown"), 0)

    def spans(self):
        """(process, start, end) of every event from 0 on."""
        out = [(e.proc, e.start, reach(e.start, e.end)) for e in self.works + self.calls]
        return out + [(tid >> 24, start, start if end is None and kind not in (59, 60) else reach(start, end))
                      for start, end, kind, tid, _, _ in self.nvtx if start >= 0 and kind not in (75, 76)]

    def span_of(self, proc):
        mine = [(s, e) for p, s, e in self.spans() if proc in (None, p)]
        return (min(s for s, _ in mine), max(e for _, e in mine)) if mine else None

    def read_ranges(self):
        """Push/pop and start/end ranges; one that was never closed ends with its process."""
        out = []
        for start, end, kind, tid, name, domain in self.nvtx:
            if kind in (59, 60) and start >= 0:
                proc = tid >> 24
                end = self.span_of(proc)[1] if end is None else end
                created = self.domains.get((proc, domain))
                out.append(Range(kind, proc, tid & 0xffffff, start, end, name, created or "-", created == "NCCL",
                                 domain, len(out)))
        return out

    def rank(self, proc):
        labels = sorted((start, name) for start, _, _, tid, name, _ in self.nvtx
                        if tid >> 24 == proc and start >= 0 and name and re.match("rank=[0-9]+;", name))
        parts = [part.strip() for part in labels[0][1][5:].split(";")] if labels else []
        return (parts + ["-"] * 3)[:3]

    def gpu_span(self, proc=None):
        mine = [w for w in self.works if proc in (None, w.proc)]
        return (min(w.start for w in mine), max(reach(w.start, w.end) for w in mine)) if mine else None

    # ---- what belongs to what

    @staticmethod
    def stream(work):
        return work.proc, work.gpu, work.ctx, work.stream

    def classify(self, stream):
        """Over the whole trace."""
        on_it = [w for w in self.works if self.stream(w) == stream]
        if any(is_compute(w) for w in on_it):
            return "compute"
        return "comm" if any(w.kind == "kernel" for w in on_it) else "copy"

    def find_launch(self, work):
        """The call of the same process with the same id that starts first; at equal starts that of the lowest
        thread.  Id 0 joins nothing."""
        mine = [c for c in self.calls if c.proc == work.proc and c.corr == work.corr and c.corr != 0]
        return min(mine, key=lambda c: (c.start, c.tid, -c.end)) if mine else None

    def open_ranges(self, proc, tid, moment):
        """Push/pop ranges of a thread that are open, innermost first."""
        mine = [r for r in self.ranges if r.type == 59 and r.proc == proc and r.tid == tid
                and r.start <= moment < r.end]
        return sorted(mine, key=inner_first)

    def around(self, work, adopt):
        """The ranges around a piece of work, innermost first."""
        if (work, adopt) not in self.around_cache:
            self.around_cache[work, adopt] = self.find_around(work, adopt)
        return self.around_cache[work, adopt]

    def find_around(self, work, adopt):
        call = self.launch_of[work]
        if not call:
            return []
        own, main = self.open_ranges(call.proc, call.tid, call.start), work.proc & 0xffffff
        if adopt and call.tid != main:
            own = own + self.open_ranges(call.proc, main, call.start)
        return own

    def label(self, work, rule, adopt):
        """The innermost range that the rule matches gives it, else the innermost outside NCCL's domain."""
        around = self.around(work, adopt)
        labels = [rule(r.name) for r in around if rule(r.name)]
        users = [fold(r.name) for r in around if not r.nccl]
        return (labels + users + ["-"])[0]

    def nvtx_of(self, work, adopt):
        around = self.around(work, adopt)
        return around[0].name if around else "-"


def inner_first(r):
    """TIE: of ranges with the same times the one whose name comes last is the inner, then by domain."""
    return -r.start, r.end, [-ord(c) for c in r.name] + [0], -r.domain_id, r.n


def begun_order(w):
    """Which work begun earlier.  TIE: at equal starts by end, stream, kind, name and id."""
    kinds = ["kernel", "graph", "copy", "set"]
    return w.start, w.end, w.ctx, w.stream, kinds.index(w.kind), w.name, w.corr, w.n


# ---- windows

# gpu, cpu: lists of stretches; proc None: all; device None: all; name: of rows about it, each: of its events
Window = namedtuple("Window", "proc gpu cpu name each device")
Ask = namedtuple("Ask", "a b cpu pid name device")     # a window asked for; None where nothing is said


class Options:
    """What the command line says beside the windows."""

    def __init__(self, merge=False, inside=False, pid=None, gpu=None, adopt=False):
        self.merge, self.inside, self.pid, self.gpu, self.adopt = merge, inside, pid, gpu, adopt


def cut(part, to):
    return max(part[0], to[0]), min(part[1], to[1])


def default_part(trace, proc, default):
    if default == "trace":
        return trace.span
    if default == "calls":
        return trace.calls_span
    if default == "all work":
        return trace.gpu_span()
    return trace.span_of(proc) if default == "events" or not trace.gpu_span(proc) else trace.gpu_span(proc)


def procs_of(trace, ask, asked, opts, default):
    """The processes for which a window is answered; None: all together.  TODAY a process without GPU work that
    -p names is answered by the tools whose default window is its events."""
    pids = {pid for pid in (ask.pid, opts.pid) if pid is not None}
    if len(pids) > 1:
        return []
    if not pids and default in ("trace", "calls", "all work"):
        return [None]
    mine = [p for p in trace.procs if not pids or p & 0xffffff in pids]
    if ask.pid is None and (default == "work" or asked and not pids and default in ("events", "work or events")):
        return [p for p in mine if trace.gpu_span(p)]
    return mine


def resolve(trace, asks, opts, default):
    """The windows that a tool answers.  default: trace, calls (MPI's, too), all work, work, events, or work or events."""
    out, span = [], trace.calls_span if default == "calls" else trace.span
    for ask in asks if asks is not None else [Ask(None, None, None, None, "-", None)]:
        devices = {d for d in (ask.device, opts.gpu) if d is not None}
        if len(devices) > 1 or not devices <= {w.gpu for w in trace.works}:
            continue
        for proc in procs_of(trace, ask, asks is not None, opts, default):
            whole = default_part(trace, proc, default) or (0, 0)
            gpu = cut((whole[0] if ask.a is None else ask.a, whole[1] if ask.b is None else ask.b), span)
            cpu = cut(ask.cpu, span) if ask.cpu else gpu
            if gpu[0] < gpu[1] and cpu[0] < cpu[1]:
                out.append(Window(proc, [gpu], [cpu], window_name(ask), ask.name, min(devices, default=None)))
    return merged(out) if opts.merge else out


def window_name(ask):
    """A CPU side that differs is written into the name."""
    if not ask.cpu or ask.cpu == (ask.a, ask.b):
        return ask.name
    return f"{ask.name}{'' if re.search('#[0-9]+$', ask.name) else '#0'}@{ask.cpu[0]}..{ask.cpu[1]}"


def common(names):
    names = set(names)
    return names.pop() if len(names) == 1 else "-"


def merged(windows):
    out = []
    for key in dict.fromkeys((w.proc, w.device) for w in windows):
        mine = [w for w in windows if (w.proc, w.device) == key]
        out.append(Window(key[0], union([p for w in mine for p in w.gpu]), union([p for w in mine for p in w.cpu]),
                          common(w.name for w in mine), common(w.each for w in mine), key[1]))
    return out


def works_in(trace, window, opts):
    return [w for w in trace.works if window.proc in (None, w.proc) and window.device in (None, w.gpu)
            and is_in(w, window.gpu, opts.inside)]


def size(parts):
    return sum(b - a for a, b in parts)


# ---- rows

def shown_pid(trace, proc):
    """PID, or PID:N where another process has the same one."""
    if proc is None:
        return "-"
    pid = proc & 0xffffff
    return pid if sum(p & 0xffffff == pid for p in trace.procs) == 1 else f"{pid}:{proc >> 24 & 0xffff}"


def row_of(trace, window, proc, **cells):
    """A row that holds for the whole window."""
    head = {"pid": shown_pid(trace, proc), "rank": "-" if proc is None else trace.rank(proc)[0],
            "start_ns": window.gpu[0][0], "end_ns": window.gpu[-1][1], "window": window.name,
            "gpu": "-" if window.device is None else window.device}
    return {**head, **cells}


def row_at(trace, window, event, parts, **cells):
    """A row of one event, a window of its own."""
    start, end = clipped(event, parts)
    return {**row_of(trace, window, event.proc), "start_ns": start, "end_ns": end, "window": window.each, "gpu": "-", **cells}


def groups(items, key):
    out = {}
    for item in items:
        out.setdefault(tuple(key(item)), []).append(item)
    return out.items()


# ---- nsq-kernels

def elapsed(trace, work, listed, parts):
    """The time of a work that no listed work of its process and GPU begun earlier covers."""
    earlier = [v for v in listed if (v.proc, v.gpu) == (work.proc, work.gpu) and begun_order(v) < begun_order(work)
               and v.end > work.start]
    return sum(ns for t, ns in moments(earlier + [work], parts)
               if work.start <= t < work.end and not runs(earlier, t))


KERNEL_KEYS = {
    "pid": lambda tr, w, o: {"pid": shown_pid(tr, w.proc), "rank": tr.rank(w.proc)[0]},
    "gpu": lambda tr, w, o: {"gpu": w.gpu},
    "stream": lambda tr, w, o: {"pid": shown_pid(tr, w.proc), "rank": tr.rank(w.proc)[0], "gpu": w.gpu, "ctx": w.ctx,
                                "stream": w.stream},
    "nvtx": lambda tr, w, o: {"nvtx": fold(tr.nvtx_of(w, o.adopt))},
    "name": lambda tr, w, o: {"class": work_class(w), "name": w.name},
    "full": lambda tr, w, o: {"class": work_class(w), "name": w.full},
    "kind": lambda tr, w, o: {"kind": w.copy}, "src": lambda tr, w, o: {"src": w.src},
    "dst": lambda tr, w, o: {"dst": w.dst},
}


def key_cells(trace, work, by, opts):
    cells = {}
    for key in by:
        cells.update(KERNEL_KEYS[key](trace, work, opts))
    return cells


def kernels(trace, windows, opts, by=("name",), all_work=False, match=""):
    for window in windows:
        listed = [w for w in trace.works if all_work or is_kernel_or_graph(w)]
        chosen = [w for w in works_in(trace, window, opts) if w in listed and re.search(match, w.name)]
        total = sum(length(w.start, w.end, window.gpu) for w in chosen)
        for key, works in groups(chosen, lambda w: key_cells(trace, w, by, opts).items()):
            times = [length(w.start, w.end, window.gpu) for w in works]
            yield {**row_of(trace, window, window.proc), "count": len(works), "total_ns": sum(times),
                   "pct": pct(sum(times), total),
                   "elapsed_ns": sum(elapsed(trace, w, listed, window.gpu) for w in works),
                   "mean_ns": mean(times), "p50_ns": percentile(times, 50), "p90_ns": percentile(times, 90),
                   "p99_ns": percentile(times, 99), "min_ns": min(times), "max_ns": max(times), **dict(key)}


def launch_ns(trace, work):
    return trace.launch_of[work].start if trace.launch_of[work] else "-"


def kernels_each(trace, windows, opts):
    for window in windows:
        for w in works_in(trace, window, opts):
            if is_kernel_or_graph(w):
                yield row_at(trace, window, w, window.gpu, gpu=w.gpu, ctx=w.ctx, stream=w.stream,
                             launch_ns=launch_ns(trace, w), dur_ns=length(w.start, w.end, window.gpu),
                             **{"class": work_class(w)}, nvtx=trace.nvtx_of(w, opts.adopt), name=w.name)


# ---- nsq-mem

def rate(size_bytes, ns):
    """Two decimals; of a rate below 0.005, two figures."""
    x = size_bytes / ns if ns else 0
    return "-" if not ns else "%.2f" % x if x >= 0.005 or not x else "%.*f" % (1 - int(("%.1e" % x)[4:]), x)


def mem(trace, windows, opts, by=("kind", "src", "dst")):
    for window in windows:
        chosen = [w for w in works_in(trace, window, opts) if not is_kernel_or_graph(w)]
        for key, works in groups(chosen, lambda w: key_cells(trace, w, by, opts).items()):
            times = [length(w.start, w.end, window.gpu) for w in works]
            moved = sum(w.bytes for w in works)
            yield {**row_of(trace, window, window.proc), "count": len(works), "bytes": moved, "total_ns": sum(times),
                   "p50_ns": percentile(times, 50), "max_ns": max(times),
                   "gbps": rate(moved, sum(w.end - w.start for w in works)), **dict(key)}


def mem_each(trace, windows, opts):
    for window in windows:
        for w in works_in(trace, window, opts):
            if not is_kernel_or_graph(w):
                yield row_at(trace, window, w, window.gpu, gpu=w.gpu, ctx=w.ctx, stream=w.stream,
                             launch_ns=launch_ns(trace, w), dur_ns=length(w.start, w.end, window.gpu), bytes=w.bytes,
                             gbps=rate(w.bytes, w.end - w.start), kind=w.copy, src=w.src, dst=w.dst,
                             nvtx=trace.nvtx_of(w, opts.adopt))


# ---- nsq-api

CALL_KEYS = {
    "name": lambda tr, c: {"class": call_class(c.name), "name": base_name(c.name)},
    "class": lambda tr, c: {"class": call_class(c.name)},
    "thread": lambda tr, c: {"tid": c.tid, "pid": shown_pid(tr, c.proc), "rank": tr.rank(c.proc)[0]},
    "pid": lambda tr, c: {"pid": shown_pid(tr, c.proc), "rank": tr.rank(c.proc)[0]},
}


def calls_in(trace, window, opts):
    return [c for c in trace.calls + trace.mpi_known if window.proc in (None, c.proc) and is_in(c, window.cpu, opts.inside)]


def api(trace, windows, opts, by=("name",), only=None):
    for window in windows:
        chosen = [c for c in calls_in(trace, window, opts) if only in (None, call_class(c.name))]
        total = sum(length(c.start, c.end, window.cpu) for c in chosen)
        for key, calls in groups(chosen, lambda c: [cell for k in by for cell in CALL_KEYS[k](trace, c).items()]):
            times = [length(c.start, c.end, window.cpu) for c in calls]
            yield ({**row_of(trace, window, window.proc), "count": len(calls), "total_ns": sum(times),
                         "pct": pct(sum(times), total), "mean_ns": mean(times), "p50_ns": percentile(times, 50),
                         "p90_ns": percentile(times, 90), "min_ns": min(times), "max_ns": max(times),
                         **dict(key)})


def api_each(trace, windows, opts):
    for window in windows:
        for c in calls_in(trace, window, opts):
            yield row_at(trace, window, c, window.cpu, tid=c.tid, dur_ns=length(c.start, c.end, window.cpu),
                         **{"class": call_class(c.name)}, name=base_name(c.name))


def api_launch(trace, windows, opts):
    for window in windows:
        for proc in trace.procs:
            calls = [c for c in calls_in(trace, window, opts) if c.proc == proc and call_class(c.name) == "launch"]
            if not calls:
                continue
            launched = {c: [w for w in trace.works if trace.launch_of[w] == c and is_kernel_or_graph(w)] for c in calls}
            api_times = [length(c.start, c.end, window.cpu) for c in calls]
            queue = [min(w.start for w in works) - c.end for c, works in launched.items() if works]
            latency = [min(w.start for w in works) - c.start for c, works in launched.items() if works]
            times = [w.end - w.start for works in launched.values() for w in works if w.kind == "kernel"]
            yield row_of(
                trace, window, proc, launches=len(calls),
                launches_per_s="%.2f" % (len(calls) / (size(window.cpu) / 1e9)),
                api_p50_ns=percentile(api_times, 50), api_p90_ns=percentile(api_times, 90),
                api_p99_ns=percentile(api_times, 99),
                queue_p50_ns=percentile(queue, 50), queue_p90_ns=percentile(queue, 90),
                queue_p99_ns=percentile(queue, 99),
                latency_p50_ns=percentile(latency, 50), latency_p99_ns=percentile(latency, 99),
                kernel_p50_ns=percentile(times, 50), kernel_p90_ns=percentile(times, 90),
                kernel_p99_ns=percentile(times, 99), small_pct=pct(sum(t < 10000 for t in times), len(times)))


# ---- nsq-nvtx

def ranges_in(trace, window, opts):
    return [r for r in trace.ranges if window.proc in (None, r.proc) and is_in(r, window.cpu, opts.inside)]


def gpu_works(trace, window, opts):
    return [w for w in works_in(trace, window, opts) if is_kernel_or_graph(w)]


def cpu_cells(ranges, window):
    times = [length(r.start, r.end, window.cpu) for r in ranges]
    return {"count": len(times), "cpu_ns": sum(times), "mean_ns": mean(times) if times else "-",
            "p50_ns": percentile(times, 50), "p90_ns": percentile(times, 90), "max_ns": max(times, default="-")}


def gpu_cells(own, incl, window):
    def total(works):
        return sum(length(w.start, w.end, window.gpu) for w in works)
    return {"kernels": len(own), "gpu_ns": total(own), "gpu_incl_ns": total(incl)}


NO_GPU = {"kernels": "-", "gpu_ns": "-", "gpu_incl_ns": "-"}


def nvtx(trace, windows, opts, exact=False, match=""):
    """By domain and name.  The key says start/end ranges apart, which have no GPU columns."""
    def key(r):
        return r.domain, r.name if exact else fold(r.name), r.type
    for window in windows:
        ranges, works = ranges_in(trace, window, opts), gpu_works(trace, window, opts)
        around = {w: trace.around(w, opts.adopt) for w in works}
        keys = {key(r) for r in ranges} | {key(r) for w in works for r in around[w]}
        allowed = {key(r) for r in trace.ranges if re.search(match, r.name)}
        matching = [r for r in ranges if re.search(match, r.name)]
        for k in keys & allowed:
            own = [w for w in works if around[w] and key(around[w][0]) == k and re.search(match, around[w][0].name)]
            incl = [w for w in works if any(key(r) == k and re.search(match, r.name) for r in around[w])]
            mine = [r for r in matching if key(r) == k]
            if mine or own or any(length(w.start, w.end, window.gpu) for w in incl):     # TIE: a row of nothing but 0
                yield row_of(trace, window, window.proc, **cpu_cells(mine, window),
                             **(NO_GPU if k[2] == 60 else gpu_cells(own, incl, window)), domain=k[0], name=k[1])
        none = [w for w in works if not around[w]]
        if none and not match:
            yield row_of(trace, window, window.proc, **cpu_cells([], window), **gpu_cells(none, none, window),
                         domain="-", name="-")


def rule_label(trace, work, rule, adopt):
    """Of the innermost range that the rule matches."""
    return next((rule(r.name) for r in trace.around(work, adopt) if rule(r.name)), "-")


def is_outermost(trace, r, rule):
    """Is no range of the same label around it?"""
    return not any(rule(x.name) == rule(r.name) for x in outer_ranges(trace, r))


def nvtx_phases(trace, windows, opts, rule=stage_rule):
    for window in windows:
        works = gpu_works(trace, window, opts)
        ranges = [r for r in ranges_in(trace, window, opts) if r.type == 59 and is_outermost(trace, r, rule)]
        for label in {rule(r.name) for r in trace.ranges if rule(r.name)} | {"-"}:
            own = [w for w in works if rule_label(trace, w, rule, opts.adopt) == label]
            incl = [w for w in works if any(rule(r.name) == label for r in trace.around(w, opts.adopt))]
            mine = [r for r in ranges if rule(r.name) == label]
            if mine or own or any(length(w.start, w.end, window.gpu) for w in incl):
                yield row_of(trace, window, window.proc, **cpu_cells(mine, window),
                             **gpu_cells(own, own if label == "-" else incl, window), phase=label)


def outer_ranges(trace, r):
    """The ranges of its thread around a range when it opened, innermost first."""
    return [x for x in trace.open_ranges(r.proc, r.tid, r.start) if x is not r and inner_first(r) < inner_first(x)]


def nvtx_each(trace, windows, opts):
    for window in windows:
        works = gpu_works(trace, window, opts)
        around = {w: trace.around(w, opts.adopt) for w in works}
        for r in ranges_in(trace, window, opts):
            own = [w for w in works if around[w] and around[w][0] is r]
            incl = [w for w in works if any(x is r for x in around[w])]
            yield row_at(trace, window, r, window.cpu, tid=r.tid,
                         depth=len(outer_ranges(trace, r)) if r.type == 59 else 0,
                         dur_ns=length(r.start, r.end, window.cpu), domain=r.domain, name=r.name,
                         **(gpu_cells(own, incl, window) if r.type == 59 else NO_GPU))


def parent_of(trace, r, adopt):
    """The range that was open when it opened, innermost; of other threads, when adopting, the main one's."""
    outer = outer_ranges(trace, r)
    if not outer and adopt and r.tid != r.proc & 0xffffff:
        outer = trace.open_ranges(r.proc, r.proc & 0xffffff, r.start)
    return outer[0] if outer else None


def path_of(trace, r, adopt):
    """(domain, name) from the outermost range on."""
    if r.type == 60:
        return ((r.domain, fold(r.name), 60),)
    up = parent_of(trace, r, adopt)
    return (path_of(trace, up, adopt) if up else ()) + ((r.domain, fold(r.name), 59),)


def path_shown(names):
    """Of more than 32 names the first 16 and the last."""
    if len(names) > 32:
        names = names[:16] + [f"({len(names) - 32} more)"] + names[-16:]
    return " > ".join(names)


def nvtx_tree(trace, windows, opts):
    paths = {id(r): path_of(trace, r, opts.adopt) for r in trace.ranges}
    for window in windows:
        ranges, works = ranges_in(trace, window, opts), gpu_works(trace, window, opts)
        inner = {w: trace.around(w, opts.adopt)[:1] for w in works}
        at = {w: paths[id(inner[w][0])] if inner[w] else () for w in works}
        total = sum(length(w.start, w.end, window.gpu) for w in works)
        shown = {paths[id(r)][:n + 1] for r in ranges for n in range(len(paths[id(r)]))}
        shown |= {at[w][:n + 1] for w in works for n in range(len(at[w]))} | {at[w] for w in works}
        for path in shown:
            mine = [r for r in ranges if paths[id(r)] == path]
            own = [w for w in works if at[w] == path]
            incl = [w for w in works if at[w][:len(path)] == path] if path else own
            gpu = NO_GPU if path and path[-1][2] == 60 else gpu_cells(own, incl, window)
            yield row_of(trace, window, window.proc, depth=max(0, len(path) - 1), **cpu_cells(mine, window), **gpu,
                         gpu_pct="-" if gpu is NO_GPU else pct(gpu["gpu_incl_ns"], total),
                         domain=path[-1][0] if path else "-", name=path[-1][1] if path else "-",
                         path=path_shown([name for _, name, _ in path]) or "-")


# ---- nsq-overlap

def stage_of(trace, work, opts):
    """Communication on a compute stream keeps its label, behind `serial:`."""
    serial = "serial:" if trace.stream_class[trace.stream(work)] == "compute" else ""
    return serial + trace.label(work, stage_rule, opts.adopt)


def hidden(trace, work, window):
    """The part of a communication kernel beside compute of its process and GPU, in the window."""
    compute = [w for w in trace.works if is_compute(w) and (w.proc, w.gpu) == (work.proc, work.gpu)]
    return sum(ns for t, ns in moments(compute + [work], window.gpu)
               if work.start <= t < work.end and runs(compute, t))


def overlap(trace, windows, opts, by="stage"):
    keys = {"stage": lambda w: {"stage": stage_of(trace, w, opts)}, "name": lambda w: {"name": w.name},
            "stream": lambda w: {"ctx": w.ctx, "stream": w.stream}}
    for window in windows:
        comms = [w for w in works_in(trace, window, opts) if is_comm(w)]
        for key, works in groups(comms, lambda w: {"gpu": w.gpu, **keys[by](w)}.items()):
            both = [(length(w.start, w.end, window.gpu), hidden(trace, w, window)) for w in works]
            comm, hid = sum(ns for ns, _ in both), sum(h for _, h in both)
            shares = [100.0 * h / ns for ns, h in both if ns]
            yield row_of(trace, window, window.proc, kernels=len(works), comm_ns=comm, hidden_ns=hid,
                         exposed_ns=comm - hid, overlap_pct=pct(hid, comm),
                         min_pct="%.2f" % min(shares) if shares else "-",
                         max_pct="%.2f" % max(shares) if shares else "-", **dict(key))


def overlap_each(trace, windows, opts):
    for window in windows:
        for w in works_in(trace, window, opts):
            if is_comm(w):
                ns, hid = length(w.start, w.end, window.gpu), hidden(trace, w, window)
                yield row_at(trace, window, w, window.gpu, gpu=w.gpu, ctx=w.ctx, stream=w.stream, dur_ns=ns,
                             hidden_ns=hid, exposed_ns=ns - hid, overlap_pct=pct(hid, ns),
                             stage=stage_of(trace, w, opts), name=w.name)


def gpus_of(trace, window, opts):
    return sorted({w.gpu for w in trace.works if w.proc == window.proc and window.device in (None, w.gpu)})


def overlap_total(trace, windows, opts):
    for window in windows:
        for gpu in gpus_of(trace, window, opts):
            works = [w for w in works_in(trace, window, opts) if w.gpu == gpu]
            compute, comm = [w for w in works if is_compute(w)], [w for w in works if is_comm(w)]
            copies = [w for w in works if not is_kernel_or_graph(w) and not is_comm(w)]
            at = [(ns, runs(compute, t), runs(comm, t), runs(copies, t)) for t, ns in moments(works, window.gpu)]

            def total(wanted):
                return sum(ns for ns, *kinds in at if wanted(*kinds))
            both, comm_ns = total(lambda x, y, z: x and y), total(lambda x, y, z: y)
            yield row_of(trace, window, window.proc, gpu=gpu, compute_ns=total(lambda x, y, z: x), comm_ns=comm_ns,
                         copy_ns=total(lambda x, y, z: z), both_ns=both,
                         compute_only_ns=total(lambda x, y, z: x and not y),
                         comm_only_ns=total(lambda x, y, z: y and not x),
                         copy_only_ns=total(lambda x, y, z: z and not x and not y),
                         idle_ns=total(lambda x, y, z: not (x or y or z)), overlap_pct=pct(both, comm_ns))


# ---- nsq-gaps

class Gap:
    """An idle stretch [a,b) of a process's GPU, whole, whatever the window.  before, after: is there
    earlier and later work?"""

    def __init__(self, trace, works, a, b):
        self.works = works
        self.before, self.after = a is not None, b is not None
        self.start = trace.span[0] if a is None else a
        self.end = trace.span[1] if b is None else b
        self.nexts = [w for w in works if w.start == b and w.end > b]
        launches = [trace.launch_of[w] for w in self.nexts if trace.launch_of[w]]
        self.call = min(launches, key=launched_first) if launches else None
        self.nexts = [w for w in self.nexts if trace.launch_of[w] == self.call]

    def prev(self):
        ended = [w for w in self.works if w.end == self.start and w.start < w.end] if self.before else []
        return {w.name for w in ended if w.start == max(v.start for v in ended)} or {"-"}

    def next(self):
        return {w.name for w in self.nexts} or {"-"}


def launched_first(call):
    """TIE: of calls that start at once the longer, then the lower thread."""
    return call.start, -call.end, call.tid


def find_gaps(trace, works):
    """All stretches without work, the unbounded ones at either end too."""
    busy = union([(w.start, w.end) for w in works if w.end > w.start])
    edges = [None] + [t for part in busy for t in part] + [None]
    return [Gap(trace, works, edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]


def thread_state(trace, gap, t):
    """What the launching thread does before the launch: the class of the outermost call it is in."""
    open_calls = [c for c in trace.calls if (c.proc, c.tid) == (gap.call.proc, gap.call.tid) and c.start <= t < c.end]
    if not open_calls:
        return "host"
    outermost = min(open_calls, key=lambda c: (c.start, -c.end))
    kind = call_class(outermost.name)
    return kind if kind in ("sync", "memory") else "api"


def synced(trace, gap):
    """Is a synchronizing call of the launching thread, or one of the main thread that ends by the launch, open at the
    beginning of the gap, before the launch?"""
    return bool(gap.before and gap.call) and gap.start < gap.call.start and any(
        call_class(c.name) == "sync" and c.start <= gap.start < c.end and c.proc == gap.call.proc and
        (c.tid == gap.call.tid or (c.tid == c.proc & 0xffffff and c.end <= gap.call.start)) for c in trace.calls)


def just_synced(trace, gap):
    """Or did an outermost one of the launching thread end up to 20us before, and begin after what ended there was launched?
    TIE: of what ended there the one that started last, then by stream, kind and name."""
    ended = [w for w in gap.works if w.end == gap.start and w.start < w.end] if gap.before and gap.call else []
    launch = trace.launch_of[max(ended, key=lambda w: (w.start, w.ctx, w.stream, ["kernel", "graph", "copy", "set"].index(w.kind),
                                                       w.name))] if ended else None
    own = [c for c in trace.calls if gap.call and (c.proc, c.tid) == (gap.call.proc, gap.call.tid)]
    return bool(launch) and gap.start < gap.call.start and any(
        call_class(c.name) == "sync" and gap.start - 20000 < c.end <= gap.start and launch.start < c.start and
        not any(o is not c and o.start <= c.start < o.end and c.end <= o.end for o in own) for c in own)


def without_launch(trace, gap):
    """A migration, or work whose launch is unknown.  TIE: of several the one that ends first, then by stream, kind
    and name."""
    first = min(gap.nexts, key=lambda w: (w.end, w.ctx, w.stream, ["kernel", "graph", "copy", "set"].index(w.kind),
                                          w.name))
    return "um" if first.copy in ("um_h2d", "um_d2h", "um_d2d") else "unknown"


def after_launch(trace, gap):
    """Did the work that ends the gap only wait for its stream's turn?  Copies and sets count among the work before it also where
    gaps are those between kernels.  (No stream waits for an event in these traces.)"""
    first = min(gap.nexts, key=begun_order)
    before = [w for w in trace.works if trace.stream(w) == trace.stream(first) and begun_order(w) < begun_order(first)]
    known = first.ctx != "-" and first.stream != "-"
    return "turnaround" if known and before and max(before, key=begun_order).end == gap.start else "queued"


def causes(trace, gap, parts):
    """How much of each cause lies in the parts."""
    whole = length(gap.start, gap.end, parts)
    if not gap.before or not gap.after:
        return {"edge": whole}
    if not gap.call:
        return {without_launch(trace, gap): whole}
    out = {}
    for t, ns in moments([gap] + [c for c in trace.calls if c.proc == gap.call.proc],
                         [p for p in (cut(p, (gap.start, gap.end)) for p in parts) if p[0] < p[1]]):
        cause = after_launch(trace, gap) if t >= gap.call.end and t >= gap.call.start else \
            "launch" if t >= gap.call.start else thread_state(trace, gap, t)
        out[cause] = out.get(cause, 0) + ns
    return out


def main_cause(trace, gap):
    order = ["turnaround", "queued", "launch", "sync", "memory", "api", "host", "um", "unknown", "edge"]
    parts = causes(trace, gap, [(gap.start, gap.end)])
    if not gap.before or not gap.after:
        return "edge"
    return min(parts, key=lambda cause: (-parts[cause], order.index(cause)))


def gap_api(trace, gap):
    """Names of the call with the most time in the part that the cause names: the launch, or before it an outermost
    call of that class; TIE: any of several."""
    cause = main_cause(trace, gap)
    if cause == "launch":
        return {base_name(gap.call.name)}
    if cause not in ("sync", "memory", "api"):
        return {"-"}
    mine = [c for c in trace.calls if (c.proc, c.tid) == (gap.call.proc, gap.call.tid)]
    outer = [c for c in mine if not any(c != d and d.start <= c.start and c.end <= d.end for d in mine)]
    times = [(length(c.start, c.end, [(gap.start, min(gap.end, gap.call.start))]), base_name(c.name)) for c in outer
             if (call_class(c.name) if call_class(c.name) in ("sync", "memory") else "api") == cause]
    best = max((ns for ns, _ in times), default=0)
    return {name for ns, name in times if ns == best > 0} or {"-"}


def gap_nvtx(trace, gap):
    """The launching thread's innermost range that holds more than half of the gap."""
    mine = [r for r in trace.ranges if gap.call and r.type == 59 and (r.proc, r.tid) == (gap.call.proc, gap.call.tid)]
    holding = [r for r in mine if 2 * length(r.start, r.end, [(gap.start, gap.end)]) > gap.end - gap.start]
    return min(holding, key=inner_first).name if holding else "-"


def one_of(names):
    return next(iter(names)) if len(names) == 1 else None


def lanes(trace, windows, opts, kernels_only):
    for window in windows:
        for gpu in gpus_of(trace, window, opts):
            works = [w for w in trace.works if (w.proc, w.gpu) == (window.proc, gpu)
                     and (not kernels_only or is_kernel_or_graph(w))]
            found = [(g, length(g.start, g.end, window.gpu)) for g in find_gaps(trace, works)]
            yield window, gpu, busy_time(works, window.gpu), [(g, ns) for g, ns in found if ns]


def sum_cells(window, busy, found):
    """Of pairs: idle time, and whether it is in a synced gap."""
    idle = [ns for ns, _ in found if ns]
    return {"busy_ns": busy, "idle_ns": sum(idle), "idle_pct": pct(sum(idle), size(window.gpu)), "gaps": len(idle),
            "max_ns": max(idle, default=0), "synced_ns": sum(ns for ns, waited in found if waited)}


def gaps(trace, windows, opts, by=(), kernels_only=False):
    for window, gpu, busy, found in lanes(trace, windows, opts, kernels_only):
        parts = []
        for gap, ns in found:
            shares = causes(trace, gap, window.gpu) if "cause" in by else {"": ns}
            parts += [((cause, fold(gap_nvtx(trace, gap)) if "nvtx" in by else ""), (share, synced(trace, gap)))
                      for cause, share in shares.items() if share]
        for key, mine in [((("", ""),), parts)] if not by else groups(parts, lambda part: [part[0]]):
            cells = {name: value for name, value in zip(("cause", "nvtx"), key[0]) if name in by}
            yield row_of(trace, window, window.proc, gpu=gpu,
                         **sum_cells(window, busy, [found for _, found in mine]), **cells)


def gaps_each(trace, windows, opts, least=1000):
    for window, gpu, _, found in lanes(trace, windows, opts, False):
        for gap, ns in found:
            if ns >= least:
                start, end = clipped(gap, window.gpu)
                yield {**row_of(trace, window, window.proc), "start_ns": start, "end_ns": end,
                       "window": window.each, "gpu": gpu, "dur_ns": ns,
                       "cause": main_cause(trace, gap), "synced": int(synced(trace, gap)),
                       "api": one_of(gap_api(trace, gap)), "nvtx": gap_nvtx(trace, gap),
                       "prev": one_of(gap.prev()), "next": one_of(gap.next())}


def gaps_by_gpu(trace, windows, opts):
    for window in windows:
        mine = [w for w in trace.works if window.proc in (None, w.proc) and window.device in (None, w.gpu)]
        for gpu in sorted({w.gpu for w in mine}):
            works = [w for w in mine if w.gpu == gpu]
            idle = [(length(g.start, g.end, window.gpu), synced(trace, g)) for g in find_gaps(trace, works)]
            yield row_of(trace, window, window.proc, gpu=gpu, **sum_cells(window, busy_time(works, window.gpu), idle))


# ---- nsq-ledger

OWNERS = [("matmul", "gemm|nvjet"), ("optimizer", "multi_tensor|adam"), ("reduction", "norm|softmax|reduce|gather|sort"),
          ("pointwise", "elementwise|copy|fill")]       # as far as the names of these traces need them


def owner_of_work(w):
    if is_comm(w):
        return "comm"
    if is_kernel_or_graph(w):
        return "graph" if w.kind == "graph" else next((owner for name in (w.name, w.full) for owner, words in OWNERS
                                                       if re.search(words, name)), "compute")
    return "copy.pageable" if w.kind == "copy" and "pageable" in (w.src, w.dst) else "copy.um" if w.copy.startswith("um_") else "copy"


def says_data(name):
    words = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(w.lower() in ("data", "batch", "loader", "dataloader", "fetch", "prefetch", "collate") for w in words)


def owner_of_idle(trace, gap, t, adopt):
    """(owner, where, call) of a moment of a gap.  There are no steps in these traces, so no stretch before a copy is data."""
    if not gap.before or not gap.after:
        return "edge", "-", "-"
    if not gap.call:
        return without_launch(trace, gap), "-", "-"
    moment = min(t, gap.call.start)
    around = [r for r in trace.open_ranges(gap.call.proc, gap.call.tid, moment) if not r.nccl]
    if not around and adopt:
        around = [r for r in trace.open_ranges(gap.call.proc, gap.call.proc & 0xffffff, moment) if not r.nccl]
    where, call = fold(around[0].name) if around else "-", None
    if t >= gap.call.start:
        owner = after_launch(trace, gap) if t >= gap.call.end else "launch"
        call = gap.call if owner == "launch" else None
    else:
        owner = thread_state(trace, gap, t)
        opened = [c for c in trace.calls if (c.proc, c.tid) == (gap.call.proc, gap.call.tid) and c.start <= t < c.end]
        call = min(opened, key=lambda c: (c.start, -c.end)) if opened else None
        if owner in ("memory", "api"):
            owner = "alloc" if re.search("Malloc|Free|Alloc|HostRegister", call.name) else \
                "load" if re.search("Module|Library|FuncGet", call.name) else "api"
        launching = {id(r) for w in trace.works if is_kernel_or_graph(w) and trace.launch_of[w]
                     for r in trace.around(w, adopt)}
        own = [r for r in trace.open_ranges(gap.call.proc, around[0].tid, moment) if not r.nccl] if around else []
        if owner == "host" and any(says_data(r.name) and id(r) not in launching for r in own):
            owner = "data"
        waits = [c for c in trace.mpi if (c.proc, c.tid) == (gap.call.proc, gap.call.tid) and c.start <= t < c.end]
        if owner == "host" and waits:
            owner, call = "mpi", min(waits, key=lambda c: (c.start, -c.end, c.name))
    return "sync" if synced(trace, gap) or just_synced(trace, gap) else owner, where, base_name(call.name) if call else "-"


def ledger(trace, windows, opts, by=("owner", "where")):
    for window in windows:
        for gpu in gpus_of(trace, window, opts):
            works = [w for w in trace.works if w.proc == window.proc and w.gpu == gpu]
            gaps_there, sums = find_gaps(trace, works), {}
            same_proc = [e for e in trace.works + trace.calls + trace.mpi + trace.ranges if e.proc == window.proc]
            for t, ns in moments(same_proc, window.gpu):
                at = [w for w in works if w.start <= t < w.end]
                at = [w for w in at if is_compute(w)] or [w for w in at if is_comm(w)] or at
                if at:
                    w = min(at, key=begun_order)
                    around = [r for r in trace.around(w, opts.adopt) if not r.nccl] if trace.launch_of[w] else []
                    row, event = (owner_of_work(w), fold(around[0].name) if around else "-", w.name), (0, w)
                else:
                    gap = next(g for g in gaps_there if (not g.before or g.start <= t) and (not g.after or t < g.end))
                    row, event = owner_of_idle(trace, gap, t, opts.adopt), (1, gap)
                key = tuple(v for v, name in zip(row, ("owner", "where", "name")) if name in by)
                sums.setdefault(key, [0, set()])
                sums[key][0] += ns
                sums[key][1].add((event[0], id(event[1])))
            for key, (ns, events) in sums.items():
                yield row_of(trace, window, window.proc, gpu=gpu, dur_ns=ns, pct=pct(ns, size(window.gpu)),
                             count=len(events), **dict(zip(by, key)))


# ---- nsq-streams, nsq-setup

def streams(trace, windows, opts):
    for window in windows:
        for (proc, gpu, ctx, stream), works in groups(works_in(trace, window, opts), trace.stream):
            comms = [w for w in works if w.kind == "kernel" and is_comm(w)]
            labels = {trace.label(w, purpose_rule, opts.adopt) for w in comms}
            times = {}
            for w in works:
                if is_kernel_or_graph(w):
                    times[w.name] = times.get(w.name, 0) + length(w.start, w.end, window.gpu)
            busy = busy_time(works, window.gpu)
            yield row_of(trace, window, proc, gpu=gpu, ctx=ctx, stream=stream,
                         **{"class": trace.stream_class[proc, gpu, ctx, stream]},
                         kernels=sum(w.kind == "kernel" for w in works), comm_kernels=len(comms),
                         copies=sum(not is_kernel_or_graph(w) for w in works), busy_ns=busy,
                         busy_pct=pct(busy, size(window.gpu)),
                         purpose="-" if not labels else labels.pop() if len(labels) == 1 else "mixed",
                         name=one_of({n for n in times if times[n] == max(times.values())} or {"-"}))


def setup(trace, windows, opts):
    for window in windows:
        works, (_, mesh, run) = works_in(trace, window, opts), trace.rank(window.proc)
        made = [w for w in works if not (w.kind == "copy" and w.copy.startswith("um_"))]    # migrations have no launch
        yield row_of(trace, window, window.proc, gpus=",".join(map(str, sorted({w.gpu for w in works}))) or "-",
                     kernels=sum(w.kind == "kernel" for w in works), comm_kernels=sum(w.kind == "kernel" and is_comm(w) for w in works),
                     streams=len({trace.stream(w) for w in works}), ranges=len(ranges_in(trace, window, opts)),
                     launched_pct=pct(sum(bool(trace.launch_of[w]) for w in made), len(made)) if trace.calls else "-", mesh=mesh, run=run,
                     process=trace.names[window.proc])


# ---- nsq-window

Step = namedtuple("Step", "range work start end")


def steps_of(trace, window, opts, match, asked, cpu):
    """The chosen ranges of a process by their start on the CPU, with their projection on the GPU."""
    out = []
    for r in trace.ranges:
        if r.proc == window.proc and re.search(match, r.name):
            work = [w for w in trace.works if w.proc == r.proc and window.device in (None, w.gpu) and trace.launch_of[w]
                    and r.start <= trace.launch_of[w].start < r.end]
            on_gpu = work and not cpu
            step = Step(r, work, min(w.start for w in work) if on_gpu else r.start,
                        max(w.end for w in work) if on_gpu else r.end)
            if not asked or is_in(step, window.gpu, opts.inside):
                out.append(step)
    return sorted(out, key=lambda s: (s.range.start, -s.range.end, s.range.name))   # TIE: longer first, then name


def following(steps, i, cpu):
    """The next range that starts later and has the same side."""
    side = [bool(s.work) and not cpu for s in steps]
    return next((s for k, s in enumerate(steps) if k > i and side[k] == side[i] and s.start > steps[i].start), None)


def window_tool(trace, windows, opts, match, asked=True, cpu=False, period=False):
    for window in windows:
        steps = steps_of(trace, window, opts, match, asked, cpu)
        for i, s in enumerate(steps):
            after, end, cpu_end = following(steps, i, cpu), s.end, s.range.end
            if period and not after:
                continue
            if period:
                end = after.start
                cpu_end = after.range.start if after.range.start > s.range.start else cpu_end
            yield {**row_of(trace, window, window.proc), "start_ns": s.start, "end_ns": end, "dur_ns": end - s.start,
                   "cpu_start_ns": s.range.start, "cpu_end_ns": cpu_end, "work": len(s.work), "index": i,
                   "period_ns": after.start - s.start if after else "-", "count": len(steps),
                   "side": "gpu" if s.work and not cpu else "cpu", "rule": "match", "name": s.range.name, "gpu": "-",
                   "window": window_name(Ask(s.start, end, (s.range.start, cpu_end), None, f"{s.range.name}#{i}", None))}


def window_list(trace, windows, opts, asked=True):
    for window in windows:
        steps = steps_of(trace, window, opts, "", asked, False)
        for (name,), mine in groups(steps, lambda s: [fold(s.range.name)]):
            work = {id(w): w for s in mine for w in s.work}.values()
            yield row_of(trace, window, window.proc, count=len(mine), work=len(work), name=name, gpu="-",
                         gpu_ns=sum(w.end - w.start for w in work if is_kernel_or_graph(w)))
