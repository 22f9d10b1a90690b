"""nsq-mem."""
from .kernels import key_cells, launch_ns
from .measure import length, percentile
from .names import is_kernel_or_graph
from .windows import groups, row_at, row_of, works_in


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
