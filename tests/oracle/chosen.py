"""nsq-window -m: the ranges that the user chooses."""
import re
from collections import namedtuple

from .measure import is_in
from .names import fold, is_kernel_or_graph
from .windows import Ask, groups, row_of, window_name


Step = namedtuple("Step", "range work start end")


def steps_of(trace, window, opts, match, asked, cpu):
    """The chosen ranges of a process by their start on the CPU, with their projection on the GPU."""
    out = []
    for r in trace.ranges:
        if r.proc == window.proc and re.search(match, r.name):
            work = [w for w in trace.works if w.proc == r.proc and window.device in (None, w.gpu) and w.call
                    and r.start <= w.call.start < r.end]
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
