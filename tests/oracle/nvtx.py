"""nsq-nvtx."""
import re

from .measure import is_in, length, mean, pct, percentile
from .names import fold, is_kernel_or_graph, stage_rule
from .trace import inner_first
from .windows import row_at, row_of, works_in


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
