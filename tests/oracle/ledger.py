"""nsq-ledger: every nanosecond of a process's GPU has an owner."""
import re

from .gaps import after_launch, find_gaps, just_synced, synced, thread_state, without_launch
from .measure import moments, pct, size
from .names import base_name, begun_order, fold, is_comm, is_compute, is_kernel_or_graph
from .windows import gpus_of, row_of


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
        launching = {id(r) for w in trace.works if is_kernel_or_graph(w) and w.call
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
                    around = [r for r in trace.around(w, opts.adopt) if not r.nccl] if w.call else []
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
