"""nsq-gaps: stretches of a process's GPU without work, and who owns them."""
import re

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


def of_thread(events, call):
    return [e for e in events if (e.proc, e.tid) == (call.proc, call.tid)]


def outermost(calls):
    """Of a thread: those that are in no other."""
    return [c for c in calls if not any(o is not c and o.start <= c.start < o.end and c.end <= o.end for o in calls)]


def synced(trace, gap):
    """Had the CPU waited for the GPU when the gap began?  Migrations, unknown launches and edges are never synced."""
    return bool(gap.before and gap.call) and gap.start < gap.call.start and (in_wait(trace, gap) or after_wait(trace, gap))


def in_wait(trace, gap):
    """Was a synchronizing call of the launching thread open then, or one of the main thread that ends by the launch?"""
    return any(call_class(c.name) == "sync" and c.start <= gap.start < c.end and c.proc == gap.call.proc and
               (c.tid == gap.call.tid or (c.tid == c.proc & 0xffffff and c.end <= gap.call.start)) for c in trace.calls)


def after_wait(trace, gap):
    """Had one of the launching thread ended up to 20us before, and was what its process ended then launched before that call?
    TIE: of what ended then the one that started last, then by stream, kind and name; only outermost calls count."""
    ended = [w for w in gap.works if w.end == gap.start and w.start < w.end and w.proc == gap.call.proc]
    launch = max(ended, key=lambda w: (w.start, w.ctx, w.stream, ["kernel", "graph", "copy", "set"].index(w.kind), w.name)).call \
        if ended else None
    return bool(launch) and any(call_class(c.name) == "sync" and gap.start - 20000 < c.end <= gap.start and launch.start < c.start
                                for c in outermost(of_thread(trace.calls, gap.call)))


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


def ranges_at(trace, gap, t, adopt):
    """The ranges around a moment of a gap, innermost first: those of the launching thread, or with adopt of the main thread."""
    main, moment = gap.call.proc & 0xffffff, min(t, gap.call.start)
    around = [r for r in trace.open_ranges(gap.call.proc, gap.call.tid, moment) if not r.nccl]
    return around or [r for r in trace.open_ranges(gap.call.proc, main, moment) if not r.nccl and adopt]


def says_data(name):
    words = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(w.lower() in ("data", "batch", "loader", "dataloader", "fetch", "prefetch", "collate") for w in words)


def launching_ranges(trace, adopt):
    """Those in which a kernel is launched."""
    return {id(r) for w in trace.works if is_kernel_or_graph(w) and w.call for r in trace.around(w, adopt)}


def chosen_steps(trace, proc, match):
    """The ranges that are the steps, each up to the next, as (start, end)."""
    found = sorted([r for r in trace.ranges if r.proc == proc and re.search(match, r.name)], key=lambda r: (r.start, -r.end, r.name))
    return [(r.start, after.start if after else r.end) for r, after in zip(found, found[1:] + [None])]


def comes_before_copy(trace, gap, t, match):
    """Is the thread between two calls that are further apart than a tenth of the step, and does the next that launches anything
    copy to the device, after work that was no copy to the host?  TIE: nothing before an MPI call is, nor before the first
    CUDA call; work of a call of no length belongs to the next outermost one."""
    step = [(a, b) for a, b in chosen_steps(trace, gap.call.proc, match) if a <= t]
    cuda, mpi = outermost(of_thread(trace.calls, gap.call)), of_thread(trace.mpi, gap.call)
    before, after = [c for c in cuda if c.end <= t], [c for c in cuda if c.start > t]
    if not step or not before or not after or any(c.end > t and c.start < min(d.start for d in after) for c in mpi):
        return False
    apart = min(c.start for c in after) - max(c.end for c in before + mpi if c.end <= t)
    made = sorted((w for w in trace.works if w.call and (w.call.proc, w.call.tid) == (gap.call.proc, gap.call.tid)),
                  key=lambda w: (w.call.start, begun_order(w)))
    into = [[w for w in made if c is min((d for d in cuda if d.end > w.call.start), key=lambda d: d.start, default=None)] for c in cuda]
    last = max((c.start, works[-1].copy) for c, works in zip(cuda, into) if works and c in before) if any(
        works and c in before for c, works in zip(cuda, into)) else (0, "-")
    first = min(((c.start, works) for c, works in zip(cuda, into) if works and c in after), key=lambda x: x[0], default=(0, []))[1]
    return 10 * apart > step[-1][1] - step[-1][0] and last[1] != "d2h" and any(w.copy == "h2d" for w in first)


def owner_outside_calls(trace, gap, t, adopt, match):
    """data, mpi or host, and the MPI call."""
    around, mpi = ranges_at(trace, gap, t, adopt), [c for c in of_thread(trace.mpi, gap.call) if c.start <= t < c.end]
    if any(says_data(r.name) and id(r) not in launching_ranges(trace, adopt) for r in around):
        return "data", None
    inside_step = around and (not match or not any(around[0].start <= a < around[0].end
                                                   for a, _ in chosen_steps(trace, gap.call.proc, match)))
    if match and not inside_step and comes_before_copy(trace, gap, t, match):
        return "data", None
    return ("mpi", min(mpi, key=lambda c: (c.start, -c.end, c.name))) if mpi else ("host", None)


def owner_of_idle(trace, gap, t, adopt=False, match=None):
    """Who owns a moment of a gap, and the call that it lies in.  match: the ranges that are the steps; None: there are none."""
    if not gap.before or not gap.after:
        return "edge", None
    if not gap.call:
        return without_launch(trace, gap), None
    if t >= gap.call.start:
        return (after_launch(trace, gap), None) if t >= gap.call.end else ("launch", gap.call)
    opened = [c for c in outermost(of_thread(trace.calls, gap.call)) if c.start <= t < c.end]
    if not opened:
        return owner_outside_calls(trace, gap, t, adopt, match)
    call = min(opened, key=lambda c: (c.start, -c.end))
    return ("sync" if call_class(call.name) == "sync" else "alloc" if re.search("Malloc|Free|Alloc|HostRegister", call.name) else
            "load" if re.search("Module|Library|FuncGet", call.name) else "api"), call


def owned(trace, gap, parts, adopt=False, match=None):
    """(owner, call, time) of each stretch of the gap in the parts."""
    if not gap.before or not gap.after or not gap.call:
        return [(*owner_of_idle(trace, gap, gap.start), length(gap.start, gap.end, parts))]
    events = [gap] + [e for e in trace.calls + trace.mpi + trace.ranges if e.proc == gap.call.proc]
    return [(*owner_of_idle(trace, gap, t, adopt, match), ns) for t, ns in moments(
        events, [p for p in (cut(p, (gap.start, gap.end)) for p in parts) if p[0] < p[1]])]


def added(pairs):
    out = {}
    for key, ns in pairs:
        out[key] = out.get(key, 0) + ns
    return out


def causes(trace, gap, parts, adopt=False, match=None):
    """How much of each cause lies in the parts."""
    return added((owner, ns) for owner, _, ns in owned(trace, gap, parts, adopt, match))


def main_cause(trace, gap, adopt=False, match=None):
    order = "turnaround queued launch sync alloc load api data mpi host um unknown edge".split()
    parts = causes(trace, gap, [(gap.start, gap.end)], adopt, match)
    return min(parts, key=lambda cause: (-parts[cause], order.index(cause)))


def gap_api(trace, gap, adopt=False, match=None):
    """Names of the call with the most time in the part that the cause names; TIE: any of several."""
    cause = main_cause(trace, gap, adopt, match)
    times = added((call, ns) for owner, call, ns in owned(trace, gap, [(gap.start, gap.end)], adopt, match)
                  if owner == cause and call and owner != "mpi")
    return {base_name(call.name) for call, ns in times.items() if ns == max(times.values())} or {"-"}


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


def gaps(trace, windows, opts, by=(), kernels_only=False, match=None):
    for window, gpu, busy, found in lanes(trace, windows, opts, kernels_only):
        parts = []
        for gap, ns in found:
            shares = causes(trace, gap, window.gpu, opts.adopt, match) if "cause" in by else {"": ns}
            parts += [((cause, fold(gap_nvtx(trace, gap)) if "nvtx" in by else ""), (share, synced(trace, gap)))
                      for cause, share in shares.items() if share]
        for key, mine in [((("", ""),), parts)] if not by else groups(parts, lambda part: [part[0]]):
            cells = {name: value for name, value in zip(("cause", "nvtx"), key[0]) if name in by}
            yield row_of(trace, window, window.proc, gpu=gpu,
                         **sum_cells(window, busy, [found for _, found in mine]), **cells)


def gaps_each(trace, windows, opts, least=1000, match=None):
    for window, gpu, _, found in lanes(trace, windows, opts, False):
        for gap, ns in found:
            if ns >= least:
                start, end = clipped(gap, window.gpu)
                yield {**row_of(trace, window, window.proc), "start_ns": start, "end_ns": end,
                       "window": window.each, "gpu": gpu, "dur_ns": ns,
                       "cause": main_cause(trace, gap, opts.adopt, match), "synced": int(synced(trace, gap)),
                       "api": one_of(gap_api(trace, gap, opts.adopt, match)), "nvtx": gap_nvtx(trace, gap),
                       "prev": one_of(gap.prev()), "next": one_of(gap.next())}


def gaps_by_gpu(trace, windows, opts):
    for window in windows:
        mine = [w for w in trace.works if window.proc in (None, w.proc) and window.device in (None, w.gpu)]
        for gpu in sorted({w.gpu for w in mine}):
            works = [w for w in mine if w.gpu == gpu]
            idle = [(length(g.start, g.end, window.gpu), synced(trace, g)) for g in find_gaps(trace, works)]
            yield row_of(trace, window, window.proc, gpu=gpu, **sum_cells(window, busy_time(works, window.gpu), idle))
