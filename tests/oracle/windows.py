"""The windows that a tool answers, and the cells that every row about one has."""
import re
from collections import namedtuple

from .measure import clipped, cut, is_in, union


# gpu, cpu: lists of stretches; proc None: all; device None: all; name: of rows about it, each: of its events
Window = namedtuple("Window", "proc gpu cpu name each device")
Ask = namedtuple("Ask", "a b cpu pid name device")     # a window asked for; None where nothing is said


class Options:
    """What the command line says beside the windows."""

    def __init__(self, merge=False, inside=False, pid=None, gpu=None, adopt=False):
        self.merge, self.inside, self.pid, self.gpu, self.adopt = merge, inside, pid, gpu, adopt


def default_part(trace, proc, default):
    if default == "trace":
        return trace.span
    if default == "calls":
        return trace.calls_span
    if default == "all work":
        return trace.gpu_span()
    return trace.span_of(proc) if default == "events" or not trace.gpu_span(proc) else trace.gpu_span(proc)


def procs_of(trace, ask, asked, opts, default):
    """The processes for which a window is answered; None: all together.  TODAY a process without GPU work that
    -p names is answered by the tools whose default window is its events."""
    pids = {pid for pid in (ask.pid, opts.pid) if pid is not None}
    if len(pids) > 1:
        return []
    if not pids and default in ("trace", "calls", "all work"):
        return [None]
    mine = [p for p in trace.procs if not pids or p & 0xffffff in pids]
    if ask.pid is None and (default == "work" or asked and not pids and default in ("events", "work or events")):
        return [p for p in mine if trace.gpu_span(p)]
    return mine


def resolve(trace, asks, opts, default):
    """The windows that a tool answers.  default: trace, calls (MPI's, too), all work, work, events, or work or events."""
    out, span = [], trace.calls_span if default == "calls" else trace.span
    for ask in asks if asks is not None else [Ask(None, None, None, None, "-", None)]:
        devices = {d for d in (ask.device, opts.gpu) if d is not None}
        if len(devices) > 1 or not devices <= {w.gpu for w in trace.works}:
            continue
        for proc in procs_of(trace, ask, asks is not None, opts, default):
            whole = default_part(trace, proc, default) or (0, 0)
            gpu = cut((whole[0] if ask.a is None else ask.a, whole[1] if ask.b is None else ask.b), span)
            cpu = cut(ask.cpu, span) if ask.cpu else gpu
            if gpu[0] < gpu[1] and cpu[0] < cpu[1]:
                out.append(Window(proc, [gpu], [cpu], window_name(ask), ask.name, min(devices, default=None)))
    return merged(out) if opts.merge else out


def window_name(ask):
    """A CPU side that differs is written into the name."""
    if not ask.cpu or ask.cpu == (ask.a, ask.b):
        return ask.name
    return f"{ask.name}{'' if re.search('#[0-9]+$', ask.name) else '#0'}@{ask.cpu[0]}..{ask.cpu[1]}"


def common(names):
    names = set(names)
    return names.pop() if len(names) == 1 else "-"


def merged(windows):
    out = []
    for key in dict.fromkeys((w.proc, w.device) for w in windows):
        mine = [w for w in windows if (w.proc, w.device) == key]
        out.append(Window(key[0], union([p for w in mine for p in w.gpu]), union([p for w in mine for p in w.cpu]),
                          common(w.name for w in mine), common(w.each for w in mine), key[1]))
    return out


def works_in(trace, window, opts):
    return [w for w in trace.works if window.proc in (None, w.proc) and window.device in (None, w.gpu)
            and is_in(w, window.gpu, opts.inside)]


def shown_pid(trace, proc):
    """PID, or PID:N where another process has the same one."""
    if proc is None:
        return "-"
    pid = proc & 0xffffff
    return pid if sum(p & 0xffffff == pid for p in trace.procs) == 1 else f"{pid}:{proc >> 24 & 0xffff}"


def row_of(trace, window, proc, **cells):
    """A row that holds for the whole window."""
    head = {"pid": shown_pid(trace, proc), "rank": "-" if proc is None else trace.rank(proc)[0],
            "start_ns": window.gpu[0][0], "end_ns": window.gpu[-1][1], "window": window.name,
            "gpu": "-" if window.device is None else window.device}
    return {**head, **cells}


def row_at(trace, window, event, parts, **cells):
    """A row of one event, a window of its own."""
    start, end = clipped(event, parts)
    return {**row_of(trace, window, event.proc), "start_ns": start, "end_ns": end, "window": window.each, "gpu": "-", **cells}


def groups(items, key):
    out = {}
    for item in items:
        out.setdefault(tuple(key(item)), []).append(item)
    return out.items()


def gpus_of(trace, window, opts):
    return sorted({w.gpu for w in trace.works if w.proc == window.proc and window.device in (None, w.gpu)})
