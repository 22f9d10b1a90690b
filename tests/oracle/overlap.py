"""nsq-overlap."""
from .measure import length, moments, pct, runs
from .names import is_comm, is_compute, is_kernel_or_graph, stage_rule, stream_of
from .windows import groups, gpus_of, row_at, row_of, works_in


def stage_of(trace, work, opts):
    """Communication on a compute stream keeps its label, behind `serial:`."""
    serial = "serial:" if trace.stream_class[stream_of(work)] == "compute" else ""
    return serial + trace.label(work, stage_rule, opts.adopt)


def hidden(trace, work, window):
    """The part of a communication kernel beside compute of its process and GPU, in the window."""
    compute = [w for w in trace.works if is_compute(w) and (w.proc, w.gpu) == (work.proc, work.gpu)]
    return sum(ns for t, ns in moments(compute + [work], window.gpu)
               if work.start <= t < work.end and runs(compute, t))


def overlap(trace, windows, opts, by="stage"):
    keys = {"stage": lambda w: {"stage": stage_of(trace, w, opts)}, "name": lambda w: {"name": w.name},
            "stream": lambda w: {"ctx": w.ctx, "stream": w.stream}}
    for window in windows:
        comms = [w for w in works_in(trace, window, opts) if is_comm(w)]
        for key, works in groups(comms, lambda w: {"gpu": w.gpu, **keys[by](w)}.items()):
            both = [(length(w.start, w.end, window.gpu), hidden(trace, w, window)) for w in works]
            comm, hid = sum(ns for ns, _ in both), sum(h for _, h in both)
            shares = [100.0 * h / ns for ns, h in both if ns]
            yield row_of(trace, window, window.proc, kernels=len(works), comm_ns=comm, hidden_ns=hid,
                         exposed_ns=comm - hid, overlap_pct=pct(hid, comm),
                         min_pct="%.2f" % min(shares) if shares else "-",
                         max_pct="%.2f" % max(shares) if shares else "-", **dict(key))


def overlap_each(trace, windows, opts):
    for window in windows:
        for w in works_in(trace, window, opts):
            if is_comm(w):
                ns, hid = length(w.start, w.end, window.gpu), hidden(trace, w, window)
                yield row_at(trace, window, w, window.gpu, gpu=w.gpu, ctx=w.ctx, stream=w.stream, dur_ns=ns,
                             hidden_ns=hid, exposed_ns=ns - hid, overlap_pct=pct(hid, ns),
                             stage=stage_of(trace, w, opts), name=w.name)


def overlap_total(trace, windows, opts):
    for window in windows:
        for gpu in gpus_of(trace, window, opts):
            works = [w for w in works_in(trace, window, opts) if w.gpu == gpu]
            compute, comm = [w for w in works if is_compute(w)], [w for w in works if is_comm(w)]
            copies = [w for w in works if not is_kernel_or_graph(w) and not is_comm(w)]
            at = [(ns, runs(compute, t), runs(comm, t), runs(copies, t)) for t, ns in moments(works, window.gpu)]

            def total(wanted):
                return sum(ns for ns, *kinds in at if wanted(*kinds))
            both, comm_ns = total(lambda x, y, z: x and y), total(lambda x, y, z: y)
            yield row_of(trace, window, window.proc, gpu=gpu, compute_ns=total(lambda x, y, z: x), comm_ns=comm_ns,
                         copy_ns=total(lambda x, y, z: z), both_ns=both,
                         compute_only_ns=total(lambda x, y, z: x and not y),
                         comm_only_ns=total(lambda x, y, z: y and not x),
                         copy_only_ns=total(lambda x, y, z: z and not x and not y),
                         idle_ns=total(lambda x, y, z: not (x or y or z)), overlap_pct=pct(both, comm_ns))
