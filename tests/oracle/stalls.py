"""What nsq-stalls should print, by plain search.

    stalls.py TRACE [--each | --by part | --by producer] [-w A..B]     prints it: pid start_ns end_ns gpu, then its columns but
                                                                        for stage and nvtx; the order of rows is not nsq's
    stalls.py --check BIN TRACE...                                      compares that with BIN/nsq-stalls, in all modes and in windows
"""
import collections
import contextlib
import io
import subprocess

from .depends import Dependencies, deeply, producer, the_window, waiting_call, window_args


def issue(n):
    """When it had been issued: its call has ended, or other work of its replay runs."""
    t = n.call.end
    if n.call.replays:
        t = min([t] + [w.start for w in n.call.work])
    return t


def cut(a, b, A, B):
    return max(0, min(b, B) - max(a, A))


class Stretch:
    """A stretch [a,b) without compute, of the whole trace, as pieces: (from, to, part, producer)."""

    def __init__(self, a, b, nxt, p):
        self.a, self.b, self.next, self.pieces, self.sync_end = a, b, nxt, [], None
        if nxt is None:
            self.pieces = [(a, b, 'starved', None)]
            return
        if nxt.call is None:
            self.pieces = [(a, b, 'unresolved', None)]
            return
        t = min(max(a, issue(nxt)), b)
        if t > a:
            self.pieces.append((a, t, 'starved', None))
            w = waiting_call(p, nxt.call)
            if w:
                self.sync_end = min(w[2], t)
        self.follow(t, p)

    def follow(self, t, p):
        """A nanosecond that several producers cover goes to the one nearest to next."""
        free, missing, at = [(t, self.b)] if t < self.b else [], False, self.next
        while free:
            P, m = producer(at)
            missing |= m or at.call is None
            if P is None:
                break
            left = []
            for x, y in free:
                u, v = max(x, P.start), min(y, P.end)
                if u < v:
                    self.pieces.append((u, v, 'blocked_' + ('compute' if P.part == 'graph' else P.part), P))
                    left += [q for q in ((x, u), (v, y)) if q[0] < q[1]]
                else:
                    left.append((x, y))
            free = left
            if P.start <= t:
                break
            at = P
        for x, y in free:
            self.pieces.append((x, y, 'unresolved' if missing or p.lost or p.blind else 'stalled', None))

    def cut(self, A, B):
        """(part, producer, time, time of it in which the thread waited) inside a window."""
        for x, y, part, by in self.pieces:
            ns = cut(x, y, A, B)
            if ns:
                until = self.sync_end if part == 'starved' and self.sync_end is not None else x
                yield part, by, ns, cut(x, min(y, until), A, B)


def stretches(p, gpu, A, B):
    comp = sorted((w for w in p.works if w.gpu == gpu and w.part in ('compute', 'graph') and w.end > w.start), key=lambda w: (w.start, w.end))
    starters = {}
    for w in comp:
        starters.setdefault(w.start, []).append(w)
    end, out = min(A, 0), []
    for w in comp:
        if w.start > end:
            out.append((end, w.start))
        end = max(end, w.end)
    out.append((end, max(end, B)))
    for a, b in out:
        if cut(a, b, A, B) > 0:
            c = starters.get(b, ())
            n = min(c, key=lambda w: (w.call is None, w.call.start if w.call else 0, w.end, w.ctx or 0, w.stream or 0)) if c else None
            yield Stretch(a, b, n, p)


PARTS = ('starved', 'blocked_comm', 'blocked_copy', 'blocked_compute', 'stalled', 'unresolved')


def measures(pieces, length, pct):
    of = {k: sum(ns for part, _, ns, _ in pieces if part == k) for k in PARTS}
    absent = sum(of.values())
    blocked = sum(v for k, v in of.items() if k.startswith('blocked'))
    return [absent, '%.2f' % (100.0 * absent / length) if length else '-', of['starved'], sum(s for _, _, _, s in pieces), blocked,
            of['blocked_comm'], of['blocked_copy'], of['stalled'], of['unresolved'], pct]


def each(p, gpu, A, B):
    for s in stretches(p, gpu, A, B):
        pieces, by = list(s.cut(A, B)), {}
        for part, w, ns, _ in pieces:
            if w is not None:
                by[w] = by.get(w, 0) + ns       # in order from next backwards
        most = max(by.values()) if by else 0
        m = measures(pieces, 1, '-')
        a, b = max(s.a, A), min(s.b, B)
        assert m[0] == b - a
        print(p.pid, a, b, gpu, m[0], m[2], m[4], m[7], m[8], next((w.name for w in by if by[w] == most), '-'),
              s.next.name if s.next else '-', sep='\t')


def sums(p, gpu, A, B, by):
    ws = [w for w in p.waits if gpu in p.ctxgpus.get(w.ctx, ())]
    told = len(ws) + p.unseen
    pct = '%.2f' % (100.0 * sum(w.record is not None for w in ws) / told) if told else '-'
    rows = {} if by else {(): []}
    for s in stretches(p, gpu, A, B):
        for piece in s.cut(A, B):
            key = {'part': piece[0], 'producer': piece[1].name if piece[1] else '-', None: ()}[by]
            rows.setdefault(key, []).append(piece)
    for key, pieces in rows.items():
        print(p.pid, A, B, gpu, *measures(pieces, B - A, pct), *([key] if by else []), sep='\t')


def answer(tr, by, win):
    """The rows of a mode: each, a key, or None for sums."""
    if by == 'each':
        print(*'pid start_ns end_ns gpu dur_ns starved_ns blocked_ns stalled_ns unresolved_ns producer next'.split(), sep='\t')
    else:
        print(*('pid start_ns end_ns gpu absent_ns absent_pct starved_ns sync_wait_ns blocked_ns blocked_comm_ns blocked_copy_ns stalled_ns '
                'unresolved_ns resolved_pct'.split() + ([by] if by else [])), sep='\t')
    for p in tr.workers():
        A, B = the_window(tr, p, win)
        for gpu in sorted({w.gpu for w in p.works}):
            if by == 'each':
                each(p, gpu, A, B)
            else:
                sums(p, gpu, A, B, by)


def differences(bin, path, by, tr, win):
    """Lines that only one of the two prints."""
    mode = [] if not by else ['--each'] if by == 'each' else ['--by', by]
    if win:
        mode += ['-w', '%d..%d' % win]
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        answer(tr, by, win)
    head, *want = [line.split('\t') for line in text.getvalue().splitlines()]
    done = subprocess.run([bin + '/nsq-stalls', '-q'] + mode + [path], capture_output=True, text=True)
    if done.returncode and (done.returncode != 3 or tr.works):
        yield 'nsq-stalls', ('exit', str(done.returncode))
    names, *rows = [line.split('\t') for line in done.stdout.splitlines()] or [head]
    got = [[row[names.index(c)].partition(':')[0] if c == 'pid' else row[names.index(c)] for c in head] for row in rows]
    got, want = (collections.Counter(map(tuple, rows)) for rows in (got, want))
    for who, rows in ('nsq-stalls', got - want), ('expected', want - got):
        for row in sorted(rows):
            yield who, row


def check(bin, traces):
    bad = 0
    for path in traces:
        tr = Dependencies(path)
        a, b = tr.span or (0, 0)
        thirds = [(a + (b - a) * k // 7, a + (b - a) * (k + 2) // 7) for k in (1, 4)]
        for by, win in [(m, None) for m in (None, 'each', 'part', 'producer')] + [('each', w) for w in thirds if w[0] < w[1]]:
            for who, row in list(differences(bin, path, by, tr, win))[:3]:
                print(path, by or 'sums', win or '', who, *row)
                bad += 1
    print('%d traces compared' % len(traces))
    return bad


def run(argv):
    by = None
    if argv[0] == '--check':
        if check(argv[1], argv[2:]):
            raise SystemExit(1)
        return
    if '--by' in argv:
        i = argv.index('--by')
        by = argv[i + 1]
        del argv[i:i + 2]
    traces, win, pid, flags = window_args(argv)
    answer(Dependencies(traces[0]), 'each' if '--each' in flags else by, win)


def main(argv):
    return deeply(lambda: run(argv))
