#!/usr/bin/env python3
"""A second reading of share/conventions, in plain Python: a trace as objects, what work depends on, what calls waited for.
It shares nothing with the library, and takes its time: stalls.py and others answer with it what the tools should."""
import bisect
import re
import sqlite3
import sys
import threading

NONE = 4294967295
SUFFIX = re.compile(r'(_v[0-9]+|_ptsz|_ptds)+$')
TELLS = ('cudaStreamWaitEvent', 'cuStreamWaitEvent')
COPY = {1: 'h2d', 3: 'h2d', 2: 'd2h', 4: 'd2h', 5: 'd2d', 6: 'd2d', 7: 'd2d', 8: 'd2d', 9: 'h2h', 10: 'p2p', 11: 'um_h2d', 12: 'um_d2h', 13: 'um_d2d'}


class Call:
    __slots__ = ('start', 'end', 'tid', 'corr', 'name', 'proc', 'work', 'syncs', 'n')

    # Places in the order of calls: of what the call waits for, what it launches, and what it records.
    @property
    def waits_at(self):
        return self.n, 0

    @property
    def launches_at(self):
        return self.n, 1

    @property
    def records_at(self):
        return self.n, 2

    @property
    def replays(self):
        return 'GraphLaunch' in self.name


class Work:
    __slots__ = ('start', 'end', 'gpu', 'ctx', 'stream', 'corr', 'kind', 'name', 'node', 'call', 'proc', 'blocking', 'migration',
                 'line', 'pos', 'copykind', 'rowid')


class Wait:         # a stream was told to wait
    __slots__ = ('call', 'record', 'ctx', 'line')


class Record:
    __slots__ = ('call', 'line', 'memo', 'eventid', 'syncid')


class Line:         # a stream: a context and a number, of a process
    def __init__(self):
        self.works, self.waits, self.loose = [], [], []
        self.asked = []     # where it was asked what the stream had been given, and when: work without a launch has a place from then on

    def finish(self):
        self.works.sort(key=lambda w: (w.call.n, w.start, w.rowid))
        for i, w in enumerate(self.works):
            w.pos = i
        self.waits.sort(key=lambda w: w.call.n)
        self.loose.sort(key=lambda w: w.rowid)
        self.places, self.left, best = [], [], None
        for call in dict.fromkeys(w.call for w in self.works):
            # whoever comes after a replay comes after all of it
            best = latest([w for w in call.work if call.replays or w.line is self] + [best])
            self.places.append(call.launches_at)
            self.left.append(best)
        moments = sorted([(w.call.launches_at, w.start) for w in self.works] + self.asked)
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
        given = [w.call.launches_at for w in self.works[:self.number(at)][-1:]]
        return [w for w in self.waits if w.call.waits_at < at and not (given and w.call.waits_at < given[0])]

    def number(self, at):
        if not hasattr(self, 'given'):
            self.given = [w.call.launches_at for w in self.works]
        return bisect.bisect_left(self.given, at)


class Process:
    def __init__(self, key):
        self.key, self.pid = key, key & 0xffffff
        self.works, self.calls, self.lines, self.lost, self.rank = [], [], {}, False, '-'
        self.waits, self.records, self.syncrows = [], [], []
        self.threads = {}

    def line(self, ctx, stream):
        """None: it is not known which stream that is."""
        if ctx in (None, NONE) or stream in (None, NONE):
            return None
        return self.lines.setdefault((ctx, stream), Line())


def latest(works):
    """Of several, the one that ends last; at equal ends the first in order of work."""
    works = [w for w in works if w is not None]
    return max(works, key=lambda w: (w.end, -w.rowid)) if works else None


def relay(line, at, moment):
    """What is complete when everything told to this stream by then is: (work that ends last, whether some wait has no record)."""
    if line is None:
        return None, True
    waits = [meant(w, at) for w in line.since(at)]
    return latest([line.before(at, moment)] + [w for w, _ in waits]), any(missing for _, missing in waits)


def relay_record(r):
    if r.memo is None:
        r.memo = relay(r.line, r.call.records_at, r.call.start)
    return r.memo


def meant(w, at):
    """What a wait means for one who asks at a place: its record.  One that comes after the wait, which calls of several threads can,
    is known from then on, unless the stream has been given work in between; until then it is what the record's stream had to do."""
    if w.record is None:
        return None, True
    if w.record.call.records_at < w.call.waits_at:
        return relay_record(w.record)
    then = relay(w.record.line, w.call.waits_at, w.call.start)
    between = w.line and w.line.number(w.record.call.records_at) > w.line.number(w.call.waits_at)
    if w.record.call.records_at < at and not between:
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
    prev = w.line.before(w.call.launches_at, w.start)
    if prev is not None and prev.start > w.start:
        prev = here             # calls of several threads can be out of order
    elif here is not None and here.call is w.call:
        prev = latest([prev, here])
    waits = [] if here is not None and here.call is w.call else [meant(x, w.call.launches_at) for x in w.line.since(w.call.launches_at)]
    return prev, [x for x, _ in waits if x is not None], any(missing for _, missing in waits)


def replayed(w):
    """The node of the same replay that ended last before it, and started before it."""
    if w.call is None or not w.call.replays:
        return None
    done = [n for n in w.call.work if n.start < w.start and n.end <= w.start]
    return max(done, key=lambda n: (n.end, n.start, n.rowid)) if done else None


def producer(w):
    """Of all these the one that ends last; nothing waits for what starts after it."""
    prev, events, missing = links(w)
    order = [replayed(w), prev, latest([e for e in events if e.start <= w.start])]
    order = [c for c in order if c is not None and c.start <= w.start]
    return max(order, key=lambda c: c.end) if order else None, missing     # the first of equals


class Trace:
    def __init__(self, path):
        self.path, self.procs = path, {}
        self.db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        self.db.text_factory = lambda b: b.decode('utf-8', 'replace')
        self.tables = {r[0] for r in self.db.execute("select name from sqlite_master where type='table'")}
        self.names = {}
        if 'StringIds' in self.tables:
            self.names = dict(self.db.execute('select id, value from StringIds'))
        self.lo, self.hi = None, None
        self.load_calls()
        self.load_work()
        self.load_sync()
        self.load_nvtx()
        self.has_ids = any(row[5] is not None for p in self.procs.values() for row in p.syncrows) or any(
            r.syncid not in (None, NONE) for p in self.procs.values() for r in p.records)
        for p in self.procs.values():
            self.finish(p)

    def rows(self, table, *cols):
        """Rows of the wanted columns; None for a column the table has not."""
        if table not in self.tables:
            return []
        have = {r[1] for r in self.db.execute('pragma table_info("%s")' % table)}
        sel = ', '.join('"%s"' % c if c in have else 'NULL' for c in cols)
        return self.db.execute('select %s from "%s"' % (sel, table))

    def proc(self, gid):
        k = (gid or 0) >> 24
        if k not in self.procs:
            self.procs[k] = Process(k)
        return self.procs[k]

    def span(self, a, b):
        self.lo = a if self.lo is None else min(self.lo, a)
        self.hi = b if self.hi is None else max(self.hi, b)

    def load_calls(self):
        for s, e, g, c, n in self.rows('CUPTI_ACTIVITY_KIND_RUNTIME', 'start', 'end', 'globalTid', 'correlationId', 'nameId'):
            if s is None or s < 0:
                continue
            k = Call()
            k.start, k.end, k.tid, k.corr, k.name, k.work, k.syncs = s, max(s, e if e is not None else s), (g or 0) & 0xffffff, c, SUFFIX.sub('', self.names.get(n, '-')), [], []
            k.proc = self.proc(g)
            k.proc.calls.append(k)
            self.span(k.start, k.end)
        for p in self.procs.values():
            p.calls.sort(key=lambda k: (k.start, k.end, k.tid))
            for i, k in enumerate(p.calls):
                k.n = i
            p.bycorr = {}
            for k in p.calls:
                if k.corr:
                    p.bycorr.setdefault(k.corr, k)

    def call(self, p, corr):
        return getattr(p, 'bycorr', {}).get(corr) if corr else None

    def load_work(self):
        n = 0

        def add(s, e, dev, ctx, st, corr, g, kind, name, node=None, **kw):
            nonlocal n
            if s is None or s < 0:
                return
            w = Work()
            n += 1
            w.rowid = n
            w.start, w.end, w.gpu, w.ctx, w.stream, w.corr, w.kind, w.name, w.node = s, max(s, e if e is not None else s), dev, ctx, st, corr, kind, name, node
            w.proc, w.blocking, w.migration, w.line, w.pos, w.copykind = self.proc(g), False, False, None, None, kw.get('copykind')
            w.call = self.call(w.proc, corr)
            if kind == 'copy' and w.copykind is not None:
                w.migration = w.copykind in (11, 12, 13)
                if w.call is not None:
                    w.blocking = 'Memcpy' in w.call.name and ('Async' not in w.call.name or 0 in (kw['src'], kw['dst']))
            if w.migration:
                w.call = None       # the driver makes them
            w.proc.works.append(w)
            self.span(w.start, max(w.end, w.start + 1))

        base = ('start', 'end', 'deviceId', 'contextId', 'streamId', 'correlationId', 'globalPid')
        for r in self.rows('CUPTI_ACTIVITY_KIND_KERNEL', *base, 'shortName', 'graphNodeId'):
            name = self.names.get(r[7], '-')
            add(*r[:7], 'comm' if name[:4].lower() == 'nccl' else 'compute', name, r[8])
        for r in self.rows('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', *base, 'graphId'):
            add(*r[:7], 'graph', 'graph %s' % r[7])
        for r in self.rows('CUPTI_ACTIVITY_KIND_MEMCPY', *base, 'graphNodeId', 'copyKind', 'srcKind', 'dstKind'):
            add(*r[:7], 'copy', 'memcpy ' + COPY.get(r[8], 'unknown'), r[7], copykind=r[8], src=r[9], dst=r[10])
        for r in self.rows('CUPTI_ACTIVITY_KIND_MEMSET', *base, 'graphNodeId'):
            add(*r[:7], 'copy', 'memset', r[7])

    def load_sync(self):
        for dev, ctx, st, corr, g, ev, sync in self.rows('CUPTI_ACTIVITY_KIND_CUDA_EVENT', 'deviceId', 'contextId', 'streamId', 'correlationId', 'globalPid', 'eventId', 'eventSyncId'):
            p = self.proc(g)
            k = self.call(p, corr)
            if k is None:
                continue            # it has no place in its stream
            r = Record()
            r.call, r.line, r.memo, r.eventid, r.syncid = k, p.line(ctx, st), None, ev, sync
            p.records.append(r)
        for s, e, dev, ctx, st, corr, g, ev, sync in self.rows('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'start', 'end', 'deviceId', 'contextId', 'streamId', 'correlationId', 'globalPid', 'eventId', 'eventSyncId'):
            if s is None or s < 0:
                continue
            p = self.proc(g)
            k = self.call(p, corr)
            if k is None:
                continue
            row = (k, dev, ctx, st, ev, sync if sync is not None and sync != NONE else None)
            k.syncs.append(row)
            p.syncrows.append(row)

    def load_nvtx(self):
        domains, first = {}, {}
        self.ncclthreads = {}
        rows = list(self.rows('NVTX_EVENTS', 'start', 'end', 'eventType', 'text', 'textId', 'globalTid', 'domainId'))
        for s, e, ty, text, tid, g, dom in rows:
            name = text if text is not None else self.names.get(tid)
            if ty == 75 and name == 'NCCL':
                domains.setdefault((g or 0) >> 24, set()).add(dom)
        for s, e, ty, text, tid, g, dom in rows:
            if s is None or s < 0 or g is None or ty in (75, 33, 39):
                continue
            self.span(s, e if e is not None else s)
            k = g >> 24
            if ty in (59, 60) and dom in domains.get(k, ()):
                self.ncclthreads.setdefault(k, set()).add(g & 0xffffff)
            if (text or tid) and k in self.procs:
                name = text if text is not None else self.names.get(tid)
                m = name and re.match(r'rank=([0-9]+);', name)
                if m and (k not in first or (s,) < first[k][:1]):
                    first[k] = (s, m.group(1))
        for k, v in first.items():
            self.procs[k].rank = v[1]

    def finish(self, p):
        # The order of work, by which ties are broken.
        p.works.sort(key=lambda w: (w.gpu, w.start, w.end, *(-1 if x is None else x for x in (w.ctx, w.stream)),
                                    ('compute', 'graph', 'copy').index(w.kind.replace('comm', 'compute')), w.name == 'memset', w.name,
                                    w.corr or 0, w.node or 0))
        for i, w in enumerate(p.works):
            w.rowid = i
        for w in p.works:
            w.line = None if w.migration else p.line(w.ctx, w.stream)
            if w.call is not None:
                w.call.work.append(w)
            if w.line is not None:
                (w.line.loose if w.call is None else w.line.works).append(w)
        p.calls_of = {}
        for k in p.calls:
            p.calls_of.setdefault(k.tid, []).append(k)
        # waits and their records
        bysync, byevent = {}, {}
        for r in sorted(p.records, key=lambda r: r.call.n):
            if r.syncid is not None and r.syncid != NONE:
                bysync.setdefault(r.syncid, []).append(r)
            byevent.setdefault(r.eventid, []).append(r)
            if r.line:
                r.line.asked.append((r.call.records_at, r.call.start))

        def find(row):
            k, dev, ctx, st, ev, sync = row
            if self.has_ids:
                c = bysync.get(sync, ()) if sync else ()
            else:
                c = [r for r in byevent.get(ev, ()) if r.call.n < k.n]
            if not c:
                return None
            b = [r for r in c if r.call.n < k.n]
            return b[-1] if b else c[0]

        for row in p.syncrows:
            k = row[0]
            if k.name in TELLS or k.name in ('cudaEventSynchronize', 'cuEventSynchronize'):
                w = Wait()
                w.call, w.ctx, w.record = k, row[2], find(row)
                w.line = p.line(row[2], row[3]) if k.name in TELLS else None
                if w.record and w.record.line and w.record.call.n > k.n:
                    w.record.line.asked.append((k.waits_at, k.start))
                if w.line:
                    w.line.waits.append(w)
                if k.name in TELLS:
                    p.waits.append(w)
            elif k.name in ('cudaStreamSynchronize', 'cuStreamSynchronize') and p.line(row[2], row[3]):
                p.line(row[2], row[3]).asked.append((k.waits_at, k.start))
        p.find_record = find
        for l in p.lines.values():
            l.finish()
        # calls that tell a stream to wait without a row to say for what; in a capture there is none
        p.unseen, seen = 0, 0
        for calls in p.calls_of.values():
            depth = 0
            for k in calls:
                if k.name in ('cudaStreamBeginCapture', 'cuStreamBeginCapture', 'cudaStreamBeginCaptureToGraph', 'cuStreamBeginCaptureToGraph'):
                    depth += 1
                elif k.name in ('cudaStreamEndCapture', 'cuStreamEndCapture'):
                    depth = max(0, depth - 1)
                elif k.name in TELLS:
                    seen += bool(k.syncs)
                    p.unseen += not k.syncs and not depth
        p.blind = seen < p.unseen
        # the contexts of a GPU
        p.ctxgpus = {}
        for w in p.works:
            p.ctxgpus.setdefault(w.ctx, set()).add(w.gpu)
        # lost events, conventions.md
        kernels = sum(w.kind != 'copy' for w in p.works)
        launches = sum('Launch' in k.name for k in p.calls)
        silent = [t for t in self.ncclthreads.get(p.key, ()) if t not in p.calls_of]
        p.lost = bool(silent) or (launches - kernels >= 100 and launches > 1.5 * kernels)
        p.byend = sorted(p.works, key=lambda w: (w.end, w.start, -w.gpu, w.rowid))
        p.ends = [w.end for w in p.byend]

    @property
    def works(self):
        return any(p.works for p in self.procs.values())

    def workers(self):
        return sorted((p for p in self.procs.values() if p.works), key=lambda p: (p.pid, p.key))


# --- what the CPU waited for (nsq-path's second bullet; nsq-stalls' sync_wait) ---

DEVICE = ('cudaDeviceSynchronize', 'cuCtxSynchronize', 'cudaThreadSynchronize', 'cudaFree')
SLACK = 20000


def waited(p, c):
    """The work that call c waited for, and when that counts as ended; None for no wait."""
    def inside():
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end)
        return p.byend[hi - 1] if hi > lo else None

    w = None
    if c.name in DEVICE:
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end + SLACK)
        before = [x for x in p.byend[lo:hi] if (x.start < c.start and not x.migration if x.call is None else x.call.n < c.n)]
        w = before[-1] if before else None
    elif c.name in ('cudaStreamSynchronize', 'cuStreamSynchronize', 'cudaEventSynchronize', 'cuEventSynchronize'):
        work, missing = None, True
        for row in c.syncs[:1]:
            if 'Stream' in c.name:
                work, missing = relay(p.line(row[2], row[3]), c.waits_at, c.start)
            else:
                x = Wait()
                x.call, x.record, x.line = c, p.find_record(row), None
                work, missing = meant(x, (len(p.calls), 0))
        if work is not None and c.start < work.end <= c.end + SLACK:
            w = work
        elif missing:
            w = inside()
    else:
        own = [x for x in c.work if x.blocking and c.start < x.end <= c.end]
        w = max(own, key=lambda x: (x.end, -x.start, -x.rowid)) if own else None
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
    return k.name in DEVICE or 'Synchronize' in k.name or any(w.blocking for w in k.work)


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
        a, b = max(a, tr.lo), min(b, tr.hi)
    return a, b


def main(fn):
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
    sys.exit(0 if rc else 1)
