"""nsq-streams and nsq-setup."""
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
