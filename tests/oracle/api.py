"""nsq-api."""
from .measure import is_in, length, mean, pct, percentile, size
from .names import base_name, call_class, is_kernel_or_graph
from .windows import groups, row_at, row_of, shown_pid


CALL_KEYS = {
    "name": lambda tr, c: {"class": call_class(c.name), "name": base_name(c.name)},
    "class": lambda tr, c: {"class": call_class(c.name)},
    "thread": lambda tr, c: {"tid": c.tid, "pid": shown_pid(tr, c.proc), "rank": tr.rank(c.proc)[0]},
    "pid": lambda tr, c: {"pid": shown_pid(tr, c.proc), "rank": tr.rank(c.proc)[0]},
}


def calls_in(trace, window, opts):
    return [c for c in trace.calls + trace.mpi_known if window.proc in (None, c.proc) and is_in(c, window.cpu, opts.inside)]


def api(trace, windows, opts, by=("name",), only=None):
    for window in windows:
        chosen = [c for c in calls_in(trace, window, opts) if only in (None, call_class(c.name))]
        total = sum(length(c.start, c.end, window.cpu) for c in chosen)
        for key, calls in groups(chosen, lambda c: [cell for k in by for cell in CALL_KEYS[k](trace, c).items()]):
            times = [length(c.start, c.end, window.cpu) for c in calls]
            yield ({**row_of(trace, window, window.proc), "count": len(calls), "total_ns": sum(times),
                         "pct": pct(sum(times), total), "mean_ns": mean(times), "p50_ns": percentile(times, 50),
                         "p90_ns": percentile(times, 90), "min_ns": min(times), "max_ns": max(times),
                         **dict(key)})


def api_each(trace, windows, opts):
    for window in windows:
        for c in calls_in(trace, window, opts):
            yield row_at(trace, window, c, window.cpu, tid=c.tid, dur_ns=length(c.start, c.end, window.cpu),
                         **{"class": call_class(c.name)}, name=base_name(c.name))


def api_launch(trace, windows, opts):
    for window in windows:
        for proc in trace.procs:
            calls = [c for c in calls_in(trace, window, opts) if c.proc == proc and call_class(c.name) == "launch"]
            if not calls:
                continue
            launched = {c: [w for w in trace.works if w.call == c and is_kernel_or_graph(w)] for c in calls}
            api_times = [length(c.start, c.end, window.cpu) for c in calls]
            queue = [min(w.start for w in works) - c.end for c, works in launched.items() if works]
            latency = [min(w.start for w in works) - c.start for c, works in launched.items() if works]
            times = [w.end - w.start for works in launched.values() for w in works if w.kind == "kernel"]
            yield row_of(
                trace, window, proc, launches=len(calls),
                launches_per_s="%.2f" % (len(calls) / (size(window.cpu) / 1e9)),
                api_p50_ns=percentile(api_times, 50), api_p90_ns=percentile(api_times, 90),
                api_p99_ns=percentile(api_times, 99),
                queue_p50_ns=percentile(queue, 50), queue_p90_ns=percentile(queue, 90),
                queue_p99_ns=percentile(queue, 99),
                latency_p50_ns=percentile(latency, 50), latency_p99_ns=percentile(latency, 99),
                kernel_p50_ns=percentile(times, 50), kernel_p90_ns=percentile(times, 90),
                kernel_p99_ns=percentile(times, 99), small_pct=pct(sum(t < 10000 for t in times), len(times)))
