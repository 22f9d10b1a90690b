"""nsq-kernels."""
import re

from .measure import length, mean, moments, pct, percentile, runs
from .names import begun_order, fold, is_kernel_or_graph, work_class
from .windows import groups, row_at, row_of, shown_pid, works_in


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
    "path": lambda tr, w, o: {"path": " > ".join(fold(r.name) for r in reversed(tr.around(w, o.adopt))) or "-"},
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
        chosen = [w for w in works_in(trace, window, opts) if w in listed and (re.search(match, w.name) or re.search(match, w.full or ""))]
        total = sum(length(w.start, w.end, window.gpu) for w in chosen)
        for key, works in groups(chosen, lambda w: key_cells(trace, w, by, opts).items()):
            times = [length(w.start, w.end, window.gpu) for w in works]
            yield {**row_of(trace, window, window.proc), "count": len(works), "total_ns": sum(times),
                   "pct": pct(sum(times), total),
                   "elapsed_ns": sum(elapsed(trace, w, listed, window.gpu) for w in works),
                   "mean_ns": mean(times), "p50_ns": percentile(times, 50), "p90_ns": percentile(times, 90),
                   "p99_ns": percentile(times, 99), "min_ns": min(times), "max_ns": max(times), **dict(key)}


def launch_ns(trace, work):
    return work.call.start if work.call else "-"


def kernels_each(trace, windows, opts):
    for window in windows:
        for w in works_in(trace, window, opts):
            if is_kernel_or_graph(w):
                yield row_at(trace, window, w, window.gpu, gpu=w.gpu, ctx=w.ctx, stream=w.stream,
                             launch_ns=launch_ns(trace, w), dur_ns=length(w.start, w.end, window.gpu),
                             **{"class": work_class(w)}, nvtx=trace.nvtx_of(w, opts.adopt), name=w.name)
