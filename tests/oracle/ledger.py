"""nsq-ledger: every nanosecond of a process's GPU has an owner."""
import re

from .gaps import find_gaps, owner_of_idle, ranges_at, synced
from .measure import moments, pct, size
from .names import base_name, begun_order, fold, is_comm, is_compute, is_kernel_or_graph
from .windows import gpus_of, row_of


OWNERS = [("matmul", "gemm|nvjet"), ("optimizer", "multi_tensor|adam"), ("move", "gather|CatArray"), ("reduction", "norm|softmax|reduce|index|sort"),
          ("pointwise", "elementwise|copy|fill")]       # as far as the names of these traces need them
MOVES = "_copy_kernel_cuda|FillFunctor|index_(copy_)?kernel_impl"


def owner_of_work(w):
    if is_comm(w):
        return "comm"
    if is_kernel_or_graph(w):
        owner = "graph" if w.kind == "graph" else next((owner for name in (w.name, w.full) for owner, words in OWNERS
                                                        if re.search(words, name)), "compute")
        return "move" if owner in ("pointwise", "reduction") and re.search(MOVES, w.full) else owner
    return "copy.pageable" if w.kind == "copy" and "pageable" in (w.src, w.dst) else "copy.um" if w.copy.startswith("um_") else "copy"


def row_of_idle(trace, gap, t, adopt, match):
    """owner, where and name of a moment of a gap."""
    owner, call = owner_of_idle(trace, gap, t, adopt, match)
    around = ranges_at(trace, gap, t, True) if gap.call and gap.before and gap.after else []
    return owner, fold(around[0].name) if around else "-", base_name(call.name) if call else "-"


def ledger(trace, windows, opts, by=("owner", "where"), match=None):
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
                    around = [r for r in trace.around(w, True) if not r.nccl] if w.call else []
                    row, event = (owner_of_work(w), fold(around[0].name) if around else "-", w.name), (0, w)
                else:
                    gap = next(g for g in gaps_there if (not g.before or g.start <= t) and (not g.after or t < g.end))
                    row, event = row_of_idle(trace, gap, t, opts.adopt, match), (1, gap)
                key = tuple(v for v, name in zip(row, ("owner", "where", "name")) if name in by)
                sums.setdefault(key, [0, 0, set()])
                sums[key][0] += ns
                sums[key][1] += ns if not at and synced(trace, gap) else 0
                sums[key][2].add((event[0], id(event[1])))
            for key, (ns, waited, events) in sums.items():
                yield row_of(trace, window, window.proc, gpu=gpu, dur_ns=ns, pct=pct(ns, size(window.gpu)),
                             synced_ns=waited, count=len(events), **dict(zip(by, key)))
