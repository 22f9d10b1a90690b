#!/usr/bin/env python3
"""A second reading of share/conventions.md, in plain Python: a trace as objects, what work depends on, what calls waited for.
It shares nothing with the library, and takes its time: stalls.py and others answer with it what the tools should."""
import bisect
import re
import sqlite3
import sys
import threading

NONE = 4294967295
SUFFIX = re.compile(r'(_v[0-9]+|_ptsz|_ptds)+$')
COPY = {1: 'h2d', 3: 'h2d', 2: 'd2h', 4: 'd2h', 5: 'd2d', 6: 'd2d', 7: 'd2d', 8: 'd2d', 9: 'h2h', 10: 'p2p', 11: 'um_h2d', 12: 'um_d2h', 13: 'um_d2d'}


class Call:
    __slots__ = ('start', 'end', 'tid', 'corr', 'name', 'proc', 'work', 'syncs')


class Work:
    __slots__ = ('start', 'end', 'gpu', 'ctx', 'stream', 'corr', 'kind', 'name', 'node', 'call', 'proc', 'blocking', 'migration',
                 'line', 'pos', 'order', 'copykind', 'rowid')

    @property
    def launch(self):
        return self.call.start


class Wait:         # a stream was told to wait
    __slots__ = ('t', 'record', 'ctx', 'gpu', 'line')


class Record:
    __slots__ = ('t', 'line', 'memo', 'eventid', 'syncid')


class Line:         # a stream: a context and a number, of a process
    def __init__(self):
        self.works, self.launches, self.waits, self.waittimes, self.loose = [], [], [], [], []

    def finish(self):
        """In order of launch.  Work without a launch stands before the first launched work that starts after it."""
        launched = sorted(self.works, key=lambda w: (w.launch, w.start, w.end, w.corr, w.rowid))
        loose = sorted(self.loose, key=lambda w: (w.start, w.end, w.rowid))
        self.works = []
        for w in launched:
            while loose and loose[0].start < w.start:
                loose[0].order = w.launch
                self.works.append(loose.pop(0))
            w.order = w.launch
            self.works.append(w)
        self.launches = [w.order for w in self.works]
        for i, w in enumerate(self.works):
            w.pos = i
        self.waits.sort(key=lambda w: w.t)
        self.waittimes = [w.t for w in self.waits]

    def since(self, prev, t):
        """The waits told after prev was launched (None: ever) and before t.  A prev without a launch comes after those that were
        told before what follows it."""
        while prev and prev.call is None:
            prev = self.works[prev.pos - 1] if prev.pos else None
        lo = bisect.bisect_left(self.waittimes, prev.order) if prev else 0
        return self.waits[lo:bisect.bisect_left(self.waittimes, t)]

    def before(self, t):
        i = bisect.bisect_left(self.launches, t)
        return self.works[i - 1] if i else None


class Process:
    def __init__(self, key):
        self.key, self.pid = key, key & 0xffffff
        self.works, self.calls, self.lines, self.lost, self.rank = [], [], {}, False, '-'
        self.waits, self.records, self.syncrows, self.replays = [], [], [], {}
        self.threads = {}

    def line(self, ctx, stream):
        return self.lines.setdefault((ctx, stream), Line())


def relay(line, t, busy=()):
    """What is complete when everything told to this stream before t is: (set of works, whether some wait has no record)."""
    prev = line.before(t)
    return gather(prev, line.since(prev, t), busy)


def gather(prev, waits, busy=()):
    out, missing = ({prev} if prev else set()), False
    for w in waits:
        if w.record is None:
            missing = True
            continue
        s, m = relay_record(w.record, busy) if w.record.t < w.t else relay(w.record.line, w.t, busy)
        out |= s
        missing |= m
    return out, missing


def relay_record(r, busy=()):
    if r.memo is None:
        if r in busy:       # a circle (clocks): nothing new
            return set(), False
        r.memo = relay(r.line, r.t, busy + (r,))
    return r.memo


def links(w):
    """(previous work of the stream, works relayed by the waits since, whether a wait has no record)."""
    if w.call is None:
        return None, set(), False
    prev = w.line.works[w.pos - 1] if w.pos else None
    s, m = gather(None, w.line.since(prev, w.launch))
    return prev, s - {prev, w}, m


def latest(works):
    """Of several, the one that ends last; at equal ends that of the lower GPU, then the one that starts first."""
    return max(works, key=lambda w: (w.end, -w.gpu, -w.start, -w.ctx, -w.stream)) if works else None


def producer(w):
    """Of the previous work of its stream and that of each event, the one that ends last; nothing waits for what starts after it."""
    if w.call is None:
        return None, False
    prev = w.line.works[w.pos - 1] if w.pos else None
    waits = [gather(None, [x]) for x in w.line.since(prev, w.launch)]
    missing = any(m for s, m in waits)
    best = latest([c for c in map(latest, (s for s, m in waits)) if c is not None and c.start <= w.start])
    if prev is not None and prev.start <= w.start and (best is None or prev.end >= best.end):
        best = prev
    return best, missing


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
            p.calls.sort(key=lambda k: (k.start, k.tid, k.end))
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
            w.start, w.end, w.gpu, w.ctx, w.stream, w.corr, w.kind, w.name, w.node = s, max(s, e if e is not None else s), dev, ctx if ctx is not None else 0, st if st is not None else 0, corr, kind, name, node
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
            r.t, r.line, r.memo, r.eventid, r.syncid = k.start, p.line(ctx or 0, st or 0), None, ev, sync
            p.records.append(r)
        for s, e, dev, ctx, st, corr, g, ev, sync in self.rows('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'start', 'end', 'deviceId', 'contextId', 'streamId', 'correlationId', 'globalPid', 'eventId', 'eventSyncId'):
            if s is None or s < 0:
                continue
            p = self.proc(g)
            k = self.call(p, corr)
            if k is None:
                continue
            row = (k, dev, ctx or 0, st, ev, sync if sync is not None and sync != NONE else None)
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
        for w in p.works:
            if w.call is not None:
                w.line = p.line(w.ctx, w.stream)
                w.line.works.append(w)
                w.call.work.append(w)
            elif not w.migration:
                w.line = p.line(w.ctx, w.stream)
                w.line.loose.append(w)
            if w.call is not None:
                if w.node:
                    p.replays.setdefault(id(w.call), []).append(w)
        p.calls_of = {}
        for k in p.calls:
            p.calls_of.setdefault(k.tid, []).append(k)
        # waits and their records
        bysync, byevent = {}, {}
        for r in sorted(p.records, key=lambda r: r.t):
            if r.syncid is not None and r.syncid != NONE:
                bysync.setdefault(r.syncid, []).append(r)
            byevent.setdefault(r.eventid, []).append(r)
        waits = [row for row in p.syncrows if row[0].name in ('cudaStreamWaitEvent', 'cuStreamWaitEvent')]
        has = hasany = self.has_ids

        def find(row, has):
            k, dev, ctx, st, ev, sync = row
            if has:
                c = bysync.get(sync, ()) if sync else ()
            else:
                c = [r for r in byevent.get(ev, ()) if r.t < k.start]
            if not c:
                return None
            b = [r for r in c if r.t < k.start]
            return b[-1] if b else c[0]

        for row in waits:
            w = Wait()
            w.t, w.ctx, w.gpu, w.record = row[0].start, row[2], row[1], find(row, has)
            w.line = p.line(row[2], row[3])
            w.line.waits.append(w)
            p.waits.append(w)
        p.find_record = lambda row: find(row, hasany)
        for l in p.lines.values():
            l.finish()
        # the contexts of a GPU
        p.ctxgpus = {}
        for w in p.works:
            p.ctxgpus.setdefault(w.ctx, set()).add(w.gpu)
        # lost events, conventions.md
        kernels = sum(w.kind != 'copy' for w in p.works)
        launches = sum('Launch' in k.name for k in p.calls)
        silent = [t for t in self.ncclthreads.get(p.key, ()) if t not in p.calls_of]
        p.lost = bool(silent) or (launches - kernels >= 100 and launches > 1.5 * kernels)
        p.byend = sorted(p.works, key=lambda w: (w.end, w.start))
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
    def last(works, slack):
        ok = [w for w in works if c.start < w.end <= c.end + slack]
        return max(ok, key=lambda w: (w.end, w.start, -w.rowid)) if ok else None

    def inside():
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end)
        return p.byend[hi - 1] if hi > lo else None

    w = None
    if c.name in DEVICE:
        lo, hi = bisect.bisect_right(p.ends, c.start), bisect.bisect_right(p.ends, c.end + SLACK)
        w = last([x for x in p.byend[lo:hi] if (x.start if x.call is None else x.launch) < c.start], SLACK)
    elif c.name in ('cudaStreamSynchronize', 'cuStreamSynchronize', 'cudaEventSynchronize', 'cuEventSynchronize'):
        known = None
        for row in c.syncs:
            if 'Stream' in c.name:
                if row[3] is not None and row[3] != NONE:
                    known = relay(p.line(row[2], row[3]), c.start)
            else:
                r = p.find_record(row)
                if r is not None:
                    known = relay_record(r) if r.t < c.start else relay(r.line, c.start)
        if known is None:
            w = inside()
        else:
            w = latest(known[0])
            if w is not None and not c.start < w.end <= c.end + SLACK:
                w = None
            if w is None and known[1]:
                w = inside()
    else:
        own = [x for x in c.work if x.blocking and x.kind == 'copy']
        if own:
            w = last(own, 0)
    return (w, min(w.end, c.end)) if w else None


def waiting_call(p, launch):
    """The latest call that ended before this launch call began, on its thread or the main one, that waited: (call, work, end)."""
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
            if k is launch:
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
