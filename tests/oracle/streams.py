"""nsq-streams and nsq-setup."""
import sys

from .depends import Dependencies, links
from .measure import busy_time, length, one_of, pct, size
from .names import is_comm, is_kernel_or_graph, purpose_rule, stream_of
from .nvtx import ranges_in
from .windows import groups, row_of, works_in


def streams(trace, windows, opts):
    for window in windows:
        for (proc, gpu, ctx, stream), works in groups(works_in(trace, window, opts), stream_of):
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
                     streams=len({stream_of(w) for w in works}), ranges=len(ranges_in(trace, window, opts)),
                     launched_pct=pct(sum(bool(w.call) for w in made), len(made)) if trace.calls else "-", mesh=mesh, run=run,
                     process=trace.process_names[window.proc])


def event_waits(trace, least=10000):
    """The work that waits for an event while it is ready: by stream and that of the event, how much and how long, from the
    first work of its process on."""
    sums = {}
    for w in trace.works:
        if w.call is None or w.line is None or w.call.replays:
            continue
        before = w.line.works[w.pos - 1] if w.pos else None
        ready = max(min(w.start, w.call.end), before.end if before else 0)
        from_ns = max(ready, min(x.start for x in w.process.works))
        events = [e for e in links(w)[1] if e.line is not w.line and ready < e.end and e.start <= w.start]
        until = min(w.start, max((e.end for e in events), default=0))
        if events and until - ready >= least:
            behind = max(events, key=lambda e: e.end)
            key = w.proc & 0xffffff, w.stream, behind.stream
            sums[key] = [x + y for x, y in zip(sums.get(key, [0, 0]), [1, until - from_ns])]
    return sums


def main(args):
    """TRACE: pid stream behind waits wait_ns of the streams that wait for events."""
    sys.setrecursionlimit(10 ** 6)
    for key, of in sorted(event_waits(Dependencies(args[0])).items()):
        print(*key, *of, sep="\t")
