"""The critical path by plain search, to compare nsq-path with: path.py TRACE... [--each] [-w A..B] [-p PID] [--ranks] [--kinds]

--kinds sums by kind alone.  Which collectives belong together is nsq-nccl's word."""
import bisect
import subprocess

from .depends import Dependencies, deeply, links, replayed, the_window, waiting_call, window_args


class Walk:
    """The chain of one process's window [A,B), from its end to its beginning."""

    def __init__(self, p, A, B, ranks=None):
        self.p, self.A, self.top, self.shift, self.ranks, self.out, self.home = p, A, B, 0, ranks, [], p
        self.before = None                       # on the common clock: calls that ended later have been followed, or passed
        self.B = B
        self.run()
        self.check()

    def charge(self, a, kind, name='-', work=None, tid='-'):
        """The time from a (on the clock of the process the walk is in) to where the walk stands is of this kind."""
        a = max(a + self.shift, self.A)
        if a < self.top:
            self.out.append((a - self.shift, self.top - self.shift, kind, name, work, tid, self.p, self.shift))
            self.top = a

    def run(self):
        p, B = self.p, self.B
        running = [w for w in p.works if w.start < B <= w.end]
        later = [w for w in p.works if w.start >= B]
        if running:
            X = max(running, key=lambda w: (w.end, w.start, -w.order))
        elif later:
            X = min(later, key=lambda w: (w.start, w.call is None, w.call.start if w.call else 0))
            X = self.step(X)                     # from its start; the part after B is cut off
        else:
            X = max(p.works, key=lambda w: (w.end, w.start, -w.order))
            self.charge(X.end, 'cpu')
        while X is not None and self.top > self.A:
            X = self.step(self.ran(X))
        self.p, self.shift = self.home, 0
        self.charge(-1 << 62, 'unresolved')      # before the trace of another rank begins
        assert self.top <= self.A

    def ran(self, X):
        """Charge the work itself; with --ranks communication from the last arrival on, then the rank that was last."""
        if self.ranks and X.part == 'comm':
            hop = self.ranks.get((X.process, X.start, X.ctx, X.stream))
            if hop:
                wait, L = hop
                self.charge(X.start + wait, X.part, X.name, X)
                self.shift += X.start + wait - L.start
                self.p = L.process
                return L
        self.charge(X.start, X.part, X.name, X)
        return X

    def step(self, X):
        """From X at its start: charge the time to what goes on, and return that work (None: the beginning)."""
        p, t = self.p, X.start
        if X.call is None:
            return self.unknown(X)
        prev, events, missing = links(X)
        cand = []                                # (end, -order, what), the first of equals

        def offer(end, start, order, what):
            end = min(end, t)
            if start < t:
                cand.append((end, -order, what))

        node = replayed(X)
        if node:
            offer(node.end, node.start, 0, node)
        if prev:
            offer(prev.end, prev.start, 1, prev)
        for e in events:
            offer(e.end, e.start, 2, e)
        if X.blocking:
            offer(X.call.start, X.call.start, 3, X.call)
        else:
            offer(X.call.end, X.call.start, 3, X.call)
        if not cand:                             # the call began after the work did (clocks)
            return self.unknown(X)
        end, order, what = max(cand, key=lambda c: c[:2])
        kind = ('inferred', 'stream', 'event', 'dispatch')[-order]
        if missing or (p.lost and kind in ('dispatch', 'stream')) or (p.blind and kind == 'stream'):
            kind = 'unresolved'
        if what is not X.call:
            self.charge(end, kind)
            return what
        self.charge(end, kind, X.call.base if kind == 'dispatch' else '-', None, X.call.tid)
        w = waiting_call(p, X.call, None if self.before is None else self.before - self.shift)
        if w is None:
            self.charge(self.p.lo, 'cpu', '-', None, X.call.tid)
            return None
        c, W, e = w
        self.before = c.end + self.shift
        self.charge(c.end, 'cpu', '-', None, X.call.tid)
        self.charge(e, 'sync', c.base, None, c.tid)
        return W

    def unknown(self, X):
        """Nothing is known: unresolved back to the process's last end before t."""
        i = bisect.bisect_right(self.p.ends, X.start)
        while i and self.p.byend[i - 1].start >= X.start:
            i -= 1
        if not i:
            self.charge(self.p.lo, 'unresolved')
            return None
        self.charge(self.p.byend[i - 1].end, 'unresolved')
        return self.p.byend[i - 1]

    def check(self):
        t = self.B
        for a, b, kind, name, work, tid, p, shift in self.out:
            assert a < b and b + shift == t, (a, b, shift, t)
            t = a + shift
        assert t == self.A, (t, self.A)


def matched(traces):
    """{(process, start, ctx, stream) of a comm kernel: (wait, the kernel of the last rank)} as nsq-nccl matches them."""
    text = subprocess.run(['nsq-nccl', '-q', '--each', '-f', 'tsv'] + [t.path for t in traces], stdout=subprocess.PIPE, universal_newlines=True).stdout
    lines = [l.split('\t') for l in text.splitlines()]
    if not lines:
        return {}
    rows = [dict(zip(lines[0], l)) for l in lines[1:]]
    find, ops, messages, utc = {}, {}, {}, {}
    for t in traces:
        utc[t.path] = t.utc
    for t in traces:
        for p in t.workers():
            for w in p.works:
                if w.part == 'comm':
                    find[t.path, p.pid, w.start, w.ctx, w.stream] = w
    for r in rows:
        w = find.get((r['trace'], int(r['pid'].split(':')[0]), int(r['start_ns']), int(r['ctx']), int(r['stream'])))
        if w is None or r['wait_ns'] == '-':
            continue
        r['w'] = w
        if r['seq'] == '-':                      # sends and receives: by the arrival, below
            messages.setdefault((r['comm'], r['rank'] if r['rank'] != '-' else r['pid']), []).append(r)
        else:
            ops.setdefault((r['comm'], int(r['seq'])), []).append(r)
    out = {}
    for (comm, own), mine in messages.items():
        for r in mine:
            # of the kernels of the one that was last, that which starts, by UTC, when the wait ends
            theirs = [q for q in messages.get((comm, r['last']), []) if r['last'] != own]
            w, wait = r['w'], int(r['wait_ns'])
            if theirs:
                L = min(theirs, key=lambda q: abs(q['w'].start + utc[q['trace']] - w.start - wait - utc[r['trace']]))['w']
                out[w.process, w.start, w.ctx, w.stream] = (wait, L)
    for op in ops.values():
        for r in op:
            if r['wait_ns'] == '-' or r['last'] == '-':
                continue
            L = sorted((q['w'] for q in op if (q['rank'] if q['rank'] != '-' else q['pid']) == r['last']), key=lambda w: w.start)
            own = r['rank'] if r['rank'] != '-' else r['pid']
            if L and r['last'] != own:
                w = r['w']
                out[w.process, w.start, w.ctx, w.stream] = (int(r['wait_ns']), L[0])
    return out


def run(argv):
    paths, win, pid, flags = window_args(argv)
    traces = [Dependencies(p) for p in paths]
    for t in traces:
        for p in t.workers():
            p.lo = t.span[0]
    ranks = matched(traces) if '--ranks' in flags else None
    each = '--each' in flags
    print('\t'.join(('pid start_ns end_ns gpu ctx stream tid dur_ns kind name' if each else 'pid start_ns end_ns dur_ns edges kind name').split()))
    for tr in traces:
        for p in tr.workers():
            if pid is not None and p.pid != pid:
                continue
            A, B = the_window(tr, p, win)
            w = Walk(p, A, B, ranks)
            if each:
                for a, b, kind, name, work, tid, q, shift in reversed(w.out):
                    g = (work.gpu, work.ctx, work.stream) if work else ('-', '-', '-')
                    print(q.pid, a, b, *g, tid, b - a, kind, name, sep='\t')
                continue
            sums = {}
            for a, b, kind, name, work, tid, q, shift in w.out:
                s = sums.setdefault((kind, '-' if '--kinds' in flags else name), [0, 0])
                s[0] += b - a
                s[1] += 1
            assert sum(s[0] for s in sums.values()) == B - A
            for (kind, name), (d, n) in sorted(sums.items(), key=lambda s: (-s[1][0], s[1][1], s[0])):
                print(p.pid, A, B, d, n, kind, name, sep='\t')


def main(argv):
    return deeply(lambda: run(argv))
