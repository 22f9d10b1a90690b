"""nsq-api."""
from .measure import is_in, length, mean, pct, percentile, size
from .names import CLASSES, base_name, call_class, is_kernel_or_graph, stream_of
from .trace import Trace
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


LONG_NS, QUEUED = 100000, 1000
CLASS_NUMBER = {label: n for n, label in enumerate([c for c, _ in CLASSES] + ["other", "mpi"])}


def long_why(trace):
    """Why launch calls of over 100 us take that long, by call."""
    launched = {}
    for w in trace.works:
        if w.call is not None:
            launched.setdefault(w.call, []).append(w)
    order = sorted(launched, key=lambda c: (c.start, -c.end, c.tid, CLASS_NUMBER[call_class(c.name)], c.name))
    met, ends, why = set(), {}, {}
    for c in order:
        new = {(c.proc, w.full) for w in launched[c] if w.kind == "kernel"} - met
        met |= new
        full = False
        for stream in {stream_of(w) for w in launched[c]}:
            before = ends.setdefault(stream, [])
            full |= len(before) >= QUEUED and before[-QUEUED] > c.start
            before.append(max(w.end for w in launched[c] if stream_of(w) == stream))
        if new or full:
            why[c] = "queue" if full else "first"
    reasons = {}
    for c in trace.calls:
        if call_class(c.name) == "launch" and c.end - c.start > LONG_NS:
            inside = any(call_class(o.name) == "module" and o.tid == c.tid and o.proc == c.proc and c.start <= o.start and o.end <= c.end
                         for o in trace.calls)
            reasons[c] = "queue" if why.get(c) == "queue" else "load" if inside else why.get(c) or ("lock" if held(trace, c) else "-")
    return reasons


def held(trace, call):
    """Are other threads in calls that can hold a lock, for at least half of the call?"""
    moments = [(max(o.start, call.start), min(o.end, call.end)) for o in trace.calls
               if o.proc == call.proc and o.tid != call.tid and o.start < call.end and o.end > call.start
               and call_class(o.name) != "sync" and "Memcpy" not in o.name]
    covered, until = 0, call.start
    for start, end in sorted(moments):
        covered += max(0, end - max(start, until))
        until = max(until, end)
    return 2 * covered >= call.end - call.start


def api_each(trace, windows, opts):
    why = long_why(trace)
    for window in windows:
        for c in calls_in(trace, window, opts):
            yield row_at(trace, window, c, window.cpu, tid=c.tid, dur_ns=length(c.start, c.end, window.cpu),
                         **{"class": call_class(c.name)}, why=why.get(c, "-"), name=base_name(c.name))


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


def main(args):
    """TRACE: when each launch starts that is long for a reason, and why."""
    for call, why in long_why(Trace(args[0])).items():
        if why != "-":
            print(call.start, why, sep="\t")
