"""What work depends on, and what calls waited for: what stalls.py and path.py search through."""
import bisect
import sys
import threading

from .names import base_name
from .trace import Trace

NONE = 4294967295
TELLS = ('cudaStreamWaitEvent', 'cuStreamWaitEvent')


# Places in the order of calls of a process: of what a call waits for, what it launches, and what it records.

def waits_at(call):
    return call.order, 0


def launches_at(call):
    return call.order, 1


def records_at(call):
    return call.order, 2


class Wait:         # a stream was told to wait
    def __init__(self, call, ctx, record, line):
        self.call, self.ctx, self.record, self.line = call, ctx, record, line


class Record:
    def __init__(self, row, line):
        self.call, self.line, self.memo, self.eventid, self.syncid = row.call, line, None, row.event, row.sync


class Line:         # a stream: a context and a number, of a process
    def __init__(self):
        self.works, self.waits, self.loose = [], [], []
        self.asked = []     # where it was asked what the stream had been given, and when: work without a launch has a place from then on

    def finish(self):
        self.works.sort(key=lambda w: (w.call.order, w.start, w.order))
        for i, w in enumerate(self.works):
            w.pos = i
        self.waits.sort(key=lambda w: w.call.order)
        self.loose.sort(key=lambda w: w.order)
        self.places, self.left, best = [], [], None
        for call in dict.fromkeys(w.call for w in self.works):
            # whoever comes after a replay comes after all of it
            best = latest([w for w in call.work if call.replays or w.line is self] + [best])
            self.places.append(launches_at(call))
            self.left.append(best)
        moments = sorted([(launches_at(w.call), w.start) for w in self.works] + self.asked)
        self.moments, self.reached, top = [at for at, _ in moments], [], -1
        for _, moment in moments:
            top = max(top, moment)
            self.reached.append(top)

    def before(self, at, moment):
        """Of all work that the stream had been given by then the one that ends last.  Work without a launch is there if it starts
        before the moment, or before one that the stream came to earlier."""
        i = bisect.bisect_left(self.moments, at)
        moment = max(moment, self.reached[i - 1] if i else moment)
        i = bisect.bisect_left(self.places, at)
        return latest([w for w in self.loose if w.start < moment] + ([self.left[i - 1]] if i else []))

    def since(self, at):
        """The waits told by then, after the last launch."""
        given = [launches_at(w.call) for w in self.works[:self.number(at)][-1:]]
        return [w for w in self.waits if waits_at(w.call) < at and not (given and waits_at(w.call) < given[0])]

    def number(self, at):
        if not hasattr(self, 'given'):
            self.given = [launches_at(w.call) for w in self.works]
        return bisect.bisect_left(self.given, at)


class Process:
    def __init__(self, key):
        self.key, self.pid = key, key & 0xffffff
        self.works, self.calls, self.lines, self.lost = [], [], {}, False
        self.waits, self.records, self.syncrows = [], [], []
        self.calls_of, self.ctxgpus = {}, {}

    def line(self, ctx, stream):
        """None: it is not known which stream that is."""
        if ctx in (None, NONE) or stream in (None, NONE):
            return None
        return self.lines.setdefault((ctx, stream), Line())


def latest(works):
    """Of several, the one that ends last; at equal ends the first in order of work."""
    works = [w for w in works if w is not None]
    return max(works, key=lambda w: (w.end, -w.order)) if works else None


def relay(line, at, moment):
    """What is complete when everything told to this stream by then is: (work that ends last, whether some wait has no record)."""
    if line is None:
        return None, True
    waits = [meant(w, at) for w in line.since(at)]
    return latest([line.before(at, moment)] + [w for w, _ in waits]), any(missing for _, missing in waits)


def relay_record(r):
    if r.memo is None:
        r.memo = relay(r.line, records_at(r.call), r.call.start)
    return r.memo


def meant(w, at):
    """What a wait means for one who asks at a place: its record.  One that comes after the wait, which calls of several threads can,
    is known from then on, unless the stream has been given work in between; until then it is what the record's stream had to do."""
    if w.record is None:
        return None, True
    if records_at(w.record.call) < waits_at(w.call):
        return relay_record(w.record)
    then = relay(w.record.line, waits_at(w.call), w.call.start)
    between = w.line and w.line.number(records_at(w.record.call)) > w.line.number(waits_at(w.call))
    if records_at(w.record.call) < at and not between:
        work, missing = relay_record(w.record)
        return latest([work, then[0]]), missing
    return then


def links(w):
    """(previous work of the stream, what each wait since means, whether something is missing)."""
    if w.line is None:
        return None, [], True
    if w.call is None:
        return None, [], False
    here = w.line.works[w.pos - 1] if w.pos else None
    prev = w.line.before(launches_at(w.call), w.start)
    if prev is not None and prev.start > w.start:
        prev = here             # calls of several threads can be out of order
    elif here is not None and here.call is w.call:
        prev = latest([prev, here])
    waits = [] if here is not None and here.call is w.call else [meant(x, launches_at(w.call)) for x in w.line.since(launches_at(w.call))]
    return prev, [x for x, _ in waits if x is not None], any(missing for _, missing in waits)


def replayed(w):
    """The node of the same replay that ended last before it, and started before it."""
    if w.call is None or not w.call.replays:
        return None
    done = [n for n in w.call.work if n.start < w.start and n.end <= w.start]
    return max(done, key=lambda n: (n.end, n.start, n.order)) if done else None


def producer(w):
    """Of all these the one that ends last; nothing waits for what starts after it."""
    prev, events, missing = links(w)
    order = [replayed(w), prev, latest([e for e in events if e.start <= w.start])]
    order = [c for c in order if c is not None and c.start <= w.start]
    return max(order, key=lambda c: c.end) if order else None, missing     # the first of equals


class Dependencies(Trace):
    """A trace whose processes know their streams.  Each piece of work has its process, its part (comm compute graph copy), its
    stream (line), its place there (pos) and in the order of work (order); each call what it launched (work) and waited for (syncs)."""

    def __init__(self, path):
        super().__init__(path)
        self.processes = {}
        for k in self.calls:
            k.base, k.work, k.syncs = base_name(k.name), [], []
            k.replays = 'GraphLaunch' in k.base
            self.process(k.proc).calls.append(k)
        for w in self.works:
            self.add_work(w)
        for row in self.records:
            if row.call:                # without a call it has no place in its stream
                p = self.process(row.call.proc)
                p.records.append(Record(row, p.line(row.ctx, row.stream)))
        for row in self.syncs:
            if row.call:
                row.call.syncs.append(row)
                self.process(row.call.proc).syncrows.append(row)
        self.has_ids = any(row.sync not in (None, NONE) for row in self.syncs + self.records if row.call)
        self.nccl_threads = {(r.proc, r.tid) for r in self.ranges if r.nccl}
        for p in self.processes.values():
            self.finish(p)

    def process(self, proc):
        return self.processes.setdefault(proc, Process(proc))

    def add_work(self, w):
        w.process, w.line, w.pos = self.process(w.proc), None, None
        w.part = {'kernel': 'comm' if w.name[:4].lower() == 'nccl' else 'compute', 'graph': 'graph'}.get(w.kind, 'copy')
        w.migration = w.copy.startswith('um_')
        if w.migration:
            w.call = None       # the driver makes them
        w.blocking = bool(w.kind == 'copy' and w.call) and 'Memcpy' in w.call.base and (
            'Async' not in w.call.base or 'pageable' in (w.src, w.dst))
        w.process.works.append(w)

    def finish(self, p):
        p.calls.sort(key=lambda k: (k.start, k.end, k.tid))
        for i, k in enumerate(p.calls):
            k.order = i
        # The order of work, by which ties are broken.
        p.works.sort(key=lambda w: (w.gpu, w.start, w.end, *(-1 if x is None else x for x in (w.ctx, w.stream)),
                                    ('compute', 'graph', 'copy').index(w.part.replace('comm', 'compute')), w.name == 'memset', w.name,
                                    w.corr, w.node or 0))
        for i, w in enumerate(p.works):
            w.order = i
        for w in p.works:
            w.line = None if w.migration else p.line(w.ctx, w.stream)
            if w.call is not None:
                w.call.work.append(w)
            if w.line is not None:
                (w.line.loose if w.call is None else w.line.works).append(w)
        for k in p.calls:
            p.calls_of.setdefault(k.tid, []).append(k)
        self.join_waits(p)
        for l in p.lines.values():
            l.finish()
        self.count_unseen(p)
        # the contexts of a GPU
        for w in p.works:
            p.ctxgpus.setdefault(w.ctx, set()).add(w.gpu)
        # lost events, conventions.md
        kernels = sum(w.part != 'copy' for w in p.works)
        launches = sum('Launch' in k.base for k in p.calls)
        silent = [tid for proc, tid in self.nccl_threads if proc == p.key and tid not in p.calls_of]
        p.lost = bool(silent) or (launches - kernels >= 100 and launches > 1.5 * kernels)
        p.byend = sorted(p.works, key=lambda w: (w.end, w.start, -w.gpu, w.order))
        p.ends = [w.end for w in p.byend]

    def join_waits(self, p):
        """Waits and their records."""
        bysync, byevent = {}, {}
        for r in sorted(p.records, key=lambda r: r.call.order):
            if r.syncid is not None and r.syncid != NONE:
                bysync.setdefault(r.syncid, []).append(r)
            byevent.setdefault(r.eventid, []).append(r)
            if r.line:
                r.line.asked.append((records_at(r.call), r.call.start))

        def find(row):
            if self.has_ids:
                c = bysync.get(row.sync, ()) if row.sync not in (None, 0, NONE) else ()
            else:
                c = [r for r in byevent.get(row.event, ()) if r.call.order < row.call.order]
            if not c:
                return None
            b = [r for r in c if r.call.order < row.call.order]
            return b[-1] if b else c[0]

        for row in p.syncrows:
            k = row.call
            if k.base in TELLS or k.base in ('cudaEventSynchronize', 'cuEventSynchronize'):
                w = Wait(k, row.ctx, find(row), p.line(row.ctx, row.stream) if k.base in TELLS else None)
                if w.record and w.record.line and w.record.call.order > k.order:
                    w.record.line.asked.append((waits_at(k), k.start))
                if w.line:
                    w.line.waits.append(w)
                if k.base in TELLS:
                    p.waits.append(w)
            elif k.base in ('cudaStreamSynchronize', 'cuStreamSynchronize') and p.line(row.ctx, row.stream):
                p.line(row.ctx, row.stream).asked.append((waits_at(k), k.start))
        p.find_record = find

    def count_unseen(self, p):
        """Calls that tell a stream to wait without a row to say for what; in a capture there is none."""
        p.unseen, seen = 0, 0
        for calls in p.calls_of.values():
            depth = 0
            for k in calls:
                if k.base in ('cudaStreamBeginCapture', 'cuStreamBeginCapture', 'cudaStreamBeginCaptureToGraph', 'cuStreamBeginCaptureToGraph'):
                    depth += 1
                elif k.base in ('cudaStreamEndCapture', 'cuStreamEndCapture'):
                    depth = max(0, depth - 1)
                elif k.base in TELLS:
                    seen += bool(k.syncs)
                    p.unseen += not k.syncs and not depth
        p.blind = seen < p.unseen

    def workers(self):
        return sorted((p for p in self.processes.values() if p.works), key=lambda p: (p.pid, p.key))


# --- what the CPU waited for (nsq-path's second bullet; nsq-stalls' sync_wait) ---

DEVICE = ('cudaDeviceSynchronize', 'cuCtxSynchronize', 'cudaThreadSynchronize', 'cudaFree')
SLACK = 20000


def waited(p, c):
    """The work that call c waited for, and when that counts as ended; None for no wait."""
    def inside():
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end)
        return p.byend[hi - 1] if hi > lo else None

    w = None
    if c.base in DEVICE:
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end + SLACK)
        before = [x for x in p.byend[lo:hi] if (x.start < c.start and not x.migration if x.call is None else x.call.order < c.order)]
        w = before[-1] if before else None
    elif c.base in ('cudaStreamSynchronize', 'cuStreamSynchronize', 'cudaEventSynchronize', 'cuEventSynchronize'):
        work, missing = None, True
        for row in c.syncs[:1]:
            if 'Stream' in c.base:
                work, missing = relay(p.line(row.ctx, row.stream), waits_at(c), c.start)
            else:
                work, missing = meant(Wait(c, None, p.find_record(row), None), (len(p.calls), 0))
        if work is not None and c.start < work.end <= c.end + SLACK:
            w = work
        elif missing:
            w = inside()
    else:
        own = [x for x in c.work if x.blocking and c.start < x.end <= c.end]
        w = max(own, key=lambda x: (x.end, -x.start, -x.order)) if own else None
    return (w, min(w.end, c.end)) if w else None


def waiting_call(p, launch, before=None):
    """The latest call that ended before this launch call began, on its thread or the main one, that waited: (call, work, end).  With
    before, it ended before that, too."""
    best = None
    for tid in dict.fromkeys((launch.tid, p.pid)):
        if not hasattr(p, 'byendcalls'):
            p.byendcalls, p.waitmemo = {}, {}
        if tid not in p.byendcalls:
            l = sorted((k for k in p.calls_of.get(tid, ()) if candidate(k)), key=lambda k: (k.end, k.start))
            p.byendcalls[tid] = (l, [k.end for k in l])
        l, ends = p.byendcalls[tid]
        i = bisect.bisect_right(ends, launch.start)
        while i:
            i -= 1
            k = l[i]
            if k is launch or (before is not None and k.end >= before):
                continue
            if id(k) not in p.waitmemo:
                p.waitmemo[id(k)] = waited(p, k)
            if p.waitmemo[id(k)]:
                if best is None or k.end > best[0].end:
                    best = (k,) + p.waitmemo[id(k)]
                break
    return best


def candidate(k):
    return k.base in DEVICE or 'Synchronize' in k.base or any(w.blocking for w in k.work)


def window_args(argv):
    """(traces, window or None, pid or None, set of flags)"""
    traces, win, pid, flags = [], None, None, set()
    i = 0
    while i < len(argv):
        a = argv[i]
        if a == '-w':
            i += 1
            x, y = argv[i].split('..')
            win = (int(x) if x else None, int(y) if y else None)
        elif a == '-p':
            i += 1
            pid = int(argv[i])
        elif a.startswith('--'):
            flags.add(a)
        else:
            traces.append(a)
        i += 1
    return traces, win, pid, flags


def the_window(tr, p, win):
    a, b = min(w.start for w in p.works), max(max(w.end, w.start + 1) for w in p.works)     # an event of no length is seen, too
    if win:
        a = win[0] if win[0] is not None else a
        b = win[1] if win[1] is not None else b
        a, b = max(a, tr.span[0]), min(b, tr.span[1])
    return a, b


def deeply(fn):
    """Calls a function that may recurse as deep as a chain of work is long; the exit status."""
    sys.setrecursionlimit(10 ** 6)
    threading.stack_size(512 << 20)
    rc = []

    def go():
        try:
            fn()
            rc.append(0)
        except BrokenPipeError:
            rc.append(0)
    t = threading.Thread(target=go)
    t.start()
    t.join()
    return 0 if rc else 1
