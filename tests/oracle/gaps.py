"""nsq-gaps: stretches of a process's GPU without work, and what the launching thread did in them."""
from .measure import busy_time, clipped, cut, length, moments, one_of, pct, size, union
from .names import base_name, begun_order, call_class, fold, is_kernel_or_graph, stream_of
from .trace import inner_first
from .windows import gpus_of, groups, row_of


class Gap:
    """An idle stretch [a,b) of a process's GPU, whole, whatever the window.  before, after: is there
    earlier and later work?"""

    def __init__(self, trace, works, a, b):
        self.works = works
        self.before, self.after = a is not None, b is not None
        self.start = trace.span[0] if a is None else a
        self.end = trace.span[1] if b is None else b
        self.nexts = [w for w in works if w.start == b and w.end > b]
        launches = [w.call for w in self.nexts if w.call]
        self.call = min(launches, key=launched_first) if launches else None
        self.nexts = [w for w in self.nexts if w.call == self.call]

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
    launch = max(ended, key=lambda w: (w.start, w.ctx, w.stream, ["kernel", "graph", "copy", "set"].index(w.kind),
                                       w.name)).call if ended else None
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
    before = [w for w in trace.works if stream_of(w) == stream_of(first) and begun_order(w) < begun_order(first)]
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
