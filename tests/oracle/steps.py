"""A second reading of the rules of steps, from share/conventions, in the plainest way: it tries everything and shares no code with nsq.

    t = Steps(path)
    annotated(t)        {pid: [(start, end)]} of the ranges taken, or None, and the folded names in order of preference
    repeats(t, pid)     [(first launch, pieces)] of the steps, and the name of the anchor, or None
    steady(periods, busy)       the indices of the steady steps, periods None where there is none
"""
import re
from collections import Counter
from fractions import Fraction

from .names import fold, is_kernel_or_graph
from .trace import PUSH_POP, Trace

STEP = set("step iter iteration decode token batch frame".split())
PART = set("layer block attention attn mlp expert stage forward backward optimizer micro epoch request run".split())
WHOLE = set("forward backward step iter iteration layer block".split())


def words(name):
    return {w.lower() for part in re.split(r"[^A-Za-z\x80-\uffff]+", name)
            for w in re.findall(r"[A-Z]+(?![a-z\x80-\uffff])|[A-Z]?[a-z\x80-\uffff]+", part)}


def warm(name):
    return re.search(r"warm.?up", name, re.I | re.S)


class Steps(Trace):
    """A trace without what belongs to its warm-up.  Each piece of work has at, when it is launched (else starts), and key, its name."""

    def __init__(self, path):
        super().__init__(path)
        self.loads = {}
        for c in self.calls:
            if re.search("ModuleLoad|LibraryLoad", c.name):
                self.loads[c.proc] = max(self.loads.get(c.proc, 0), c.start)
        for w in self.works:
            w.at = w.call.start if w.call else w.start
            w.key = f"copy {w.number}" if w.kind == "copy" else w.name
        self.named = [r for r in self.ranges if r.type == PUSH_POP and not r.nccl and r.name]
        self.working = sorted({w.proc for w in self.works})
        self.leave_out_warm_up()

    def leave_out_warm_up(self):
        spans = [r for r in self.named if warm(r.name)]
        inside = lambda e: any(e.proc == r.proc and r.start <= e.start < r.end for r in spans)
        rest = [w for w in self.works if not (w.call and inside(w.call))]
        if any(is_kernel_or_graph(w) for w in rest):
            self.works = rest
            self.named = [r for r in self.named if not inside(r)]
        self.pids = sorted({w.proc for w in self.works} | {r.proc for r in self.named})


def time(w):
    return w.end - w.start if is_kernel_or_graph(w) else 0


def annotated(t):
    by_name = {}
    for r in t.named:
        if not warm(fold(r.name)):
            by_name.setdefault(fold(r.name), []).append((r.proc, r.start, -r.end))
    total = sum(time(w) for w in t.works)
    whole_graphs = any(w.kind == "graph" for w in t.works)
    good = []
    for name, found in by_name.items():
        found.sort()
        each = Counter(p for p, _, _ in found)
        if min(each.values()) < 3 or any(x[0] == y[0] and y[1] < -x[2] for x, y in zip(found, found[1:])):
            continue
        launched = lambda w, p, a, b: w.proc == p and w.call is not None and a <= w.call.start < b
        held = [[w for w in t.works if launched(w, p, a, -b)] for p, a, b in found]
        if not all(held):
            continue
        during = [w for h in held for w in h if is_kernel_or_graph(w)]
        spans = {p: (min(a for q, a, _ in found if q == p), max(-b for q, _, b in found if q == p)) for p in each}
        between = [w for w in t.works if is_kernel_or_graph(w) and any(launched(w, p, a, b) for p, (a, b) in spans.items())]
        took, of = sum(time(w) for w in during), sum(time(w) for w in between)
        step, part = bool(words(name) & STEP), bool(words(name) & PART)
        most = 10 * took >= 8 * of and (whole_graphs or 10 * len(during) >= 8 * len(between))
        if 2 * took < total or not (most or (step and not part and 2 * took >= of)):
            continue
        kind = 1 if step and part else 0 if step else 3 if part else 2
        cpu = sum(-b - a for _, a, b in found)
        good.append((kind, -len(found) if step else 0, -cpu, name, found))
    good.sort(key=lambda g: g[:4])
    if not good:
        return None, []
    taken = {}
    for p, a, b in good[0][4]:
        taken.setdefault(p, []).append((a, -b))
    return taken, [g[3] for g in good]


def commonest(parts):
    seen = Counter(tuple(p) for p in parts)
    most = max(seen.values())
    return next(list(p) for p in parts if seen[tuple(p)] == most), most


def wanted(parts):
    common, n = commonest(parts)
    near = [Counter(p) for p in parts if 10 * abs(len(p) - len(common)) <= len(common)]
    if 2 * n >= len(parts):
        return common, Counter(common)
    return common, Counter({k: sorted(c[k] for c in near)[(len(near) - 1) // 2] for k in set().union(*near)})


def differ(a, b, of=lambda k: True):
    return sum(abs(a[k] - b[k]) for k in set(a) | set(b) if of(k))


def agreement(parts, may=lambda i: True):
    """Which of the parts, lists of keys, agree; and the commonest."""
    common, want = wanted(parts)
    return common, want, [10 * abs(len(p) - len(common)) <= len(common) and may(i) and
                          10 * differ(Counter(p), want) <= len(common) for i, p in enumerate(parts)]


def enough(agree, n):
    return 10 * agree >= 9 * n or agree >= n - 1


def may_be(part):
    kernels = sum(is_kernel_or_graph(w) for w in part)
    return kernels >= 2 or (kernels == 1 and any(w.key == "copy 2" for w in part))


def updates(w):
    return w.kind == "kernel" and re.search("multi_tensor_apply|adam|sgd|optimizer", w.key, re.I)


def falls_apart(part):
    trains = any(updates(w) for w in part)
    for name in {w.key for w in part if is_kernel_or_graph(w)}:
        at = [i for i, w in enumerate(part) if is_kernel_or_graph(w) and w.key == name]
        if len(at) < 2:
            continue
        twice = part + part
        parts = [twice[a:b] for a, b in zip(at, at[1:] + [at[0] + len(part)])]
        if trains and not all(any(updates(w) for w in p) for p in parts):
            continue
        common, want, agrees = agreement([[w.key for w in p] for p in parts], lambda i: may_be(parts[i]))
        times = sorted(sum(time(w) for w in p) for p in parts)
        if all(agrees) and Fraction(times[-1]) <= Fraction(12, 10) * times[(len(times) - 1) // 2]:
            return True
        more = lambda p: len(p) > len(common) and all(Counter(w.key for w in p)[k] >= n for k, n in want.items())
        if sum(agrees) >= 2 and enough(sum(agrees), len(parts)) and all(any(w.key == "copy 2" for w in p) for p in parts) and \
                not any(more(p) for p, a in zip(parts, agrees) if not a):
            return True
    return False


def layers_in(part):
    """Does the stretch repeat something itself?"""
    for name in {w.key for w in part if is_kernel_or_graph(w)}:
        at = [i for i, w in enumerate(part) if is_kernel_or_graph(w) and w.key == name]
        if len(at) < 4:
            continue
        parts = [part[a:b] for a, b in zip(at, at[1:])]
        agrees = agreement([[w.key for w in p] for p in parts], lambda i: may_be(parts[i]))[2]
        good = [p for p, a in zip(parts, agrees) if a and sum(is_kernel_or_graph(w) for w in p) >= 2]
        if len(good) >= 3 and 2 * sum(time(w) for p in good for w in p) >= sum(time(w) for w in part):
            return True
    return False


def token_anchor(t, work, start, length, before):
    """The name at which the repeat work[start:start + length], read as a circle, falls into tokens, or None."""
    part = work[start:start + length]
    kernels = [w for w in part if is_kernel_or_graph(w)]
    threads = Counter(w.call.tid for w in kernels if w.call)
    if 10 * max(threads.values(), default=0) < 9 * len(kernels):
        return None
    until = work[start + length].at if start + length < len(work) else float("inf")
    syncs = [c.start for c in t.calls if c.proc == part[0].proc and "Synchronize" in c.name and "Launch" not in c.name]
    before_part = [work[start - 1] if start else None] + part
    graphs = [w.kind == "graph" or bool(w.call and "GraphLaunch" in w.call.name and not (p and p.call is w.call)) for p, w in zip(before_part, part)]
    seen = [w.key in ("copy 1", "copy 2") or graph or any(w.at <= s < end for s in syncs)
            for w, graph, end in zip(part, graphs, [w.at for w in part[1:]] + [until])]
    best = None
    for name in {w.key for w in kernels}:
        at = [i for i, w in enumerate(part) if is_kernel_or_graph(w) and w.key == name]
        if len(at) < 3:
            continue
        twice, seen_twice, cuts = part + part, seen + seen, list(zip(at, at[1:] + [at[0] + length]))
        parts = [twice[a:b] for a, b in cuts]
        common, _, agrees = agreement([[w.key for w in p] for p in parts], lambda i: may_be(parts[i]))
        held = sum(time(w) for p, a in zip(parts, agrees) if a for w in p)
        first, (a, b) = next((p, c) for p, c in zip(parts, cuts) if [w.key for w in p] == common)
        if sum(agrees) < 2 or not enough(sum(agrees), len(parts)) or 2 * held < sum(time(w) for w in part) or \
                not all(any(seen_twice[x:y]) for x, y in cuts) or not (any((graphs + graphs)[a:b]) or layers_in(first)):
            continue
        found = (-len(common), min((i + before) % length for i in at), name)
        best = min(best, found) if best else found
    return best and best[2]


def try_anchor(work, keys, kernel_keys, anchor, total, ranges):
    at = [i for i, k in enumerate(keys) if k == anchor]
    if at and updates(work[at[0]]):
        at = [i for i in at if not i or work[i - 1].key != work[i].key]
    if len(at) < 3:
        return None
    parts = [list(range(a, b)) for a, b in zip(at, at[1:])]
    common, want, agrees = agreement([[keys[i] for i in p] for p in parts], lambda n: may_be([work[i] for i in parts[n]]))
    kernels = sum(k in kernel_keys for k in common)
    first = next(p for p in parts if [keys[i] for i in p] == common)
    if not may_be([work[i] for i in first]):
        return None
    opened, seen = [], 0
    for i in range(at[-1], len(keys)):
        kernel = keys[i] in kernel_keys
        if seen == kernels and (kernel or len(opened) >= len(common)):
            break
        seen += kernel
        opened.append(i)
    if seen == kernels and 10 * differ(Counter(keys[i] for i in opened), want, lambda k: k in kernel_keys) <= kernels:
        parts.append(opened)
        agrees.append(True)
        open_end = True
    else:
        open_end = False
    good = [i for i, a in enumerate(agrees) if a]
    if len(good) < 3 or not enough(len(good), good[-1] - good[0] + 1):
        return None
    if 10 * sum(time(work[i]) for n in good for i in parts[n]) < 8 * total:
        return None
    if falls_apart([work[i] for i in first]):
        return None
    steps = parts[good[0]:good[-1] + 1]
    for a, b in ranges:
        if sum(a <= work[p[0]].at and work[p[-1]].at < b for p in steps) >= 3:
            return None
    before, start = 0, steps[0][0]
    while before < len(common) and before < start and keys[start - before - 1] == common[len(common) - before - 1]:
        before += 1
    return len(common), at[0], [(p[0] - before, p[-1] + 1 - before) for p in steps], work[at[0]].key, first[0], before


def repeats(t, pid, outer=False):
    everything = sorted((w for w in t.works if w.proc == pid and w.key not in ("copy 11", "copy 12", "copy 13")),
                        key=lambda w: (w.at, w.start))
    ranges = [(r.start, r.end) for r in t.named if r.proc == pid and words(r.name) & WHOLE]
    later = [w for w in everything if w.at > t.loads[pid]] if pid in t.loads else []
    for work in (everything, later):
        for key in (lambda w: (w.key, w.grid), lambda w: (w.key,)):
            keys = [key(w) for w in work]
            kernel_keys = {k for k, w in zip(keys, work) if is_kernel_or_graph(w)}
            total = sum(time(w) for w in work)
            found = [try_anchor(work, keys, kernel_keys, k, total, ranges) for k in kernel_keys]
            best = min((f for f in found if f), key=lambda f: (-f[0], f[1]), default=None)
            if best:
                length, _, cuts, name, start, before = best
                inner = None if outer else token_anchor(t, work, start, length, before % length)
                if inner:
                    at = [i for i in range(cuts[0][0], cuts[-1][1]) if is_kernel_or_graph(work[i]) and work[i].key == inner]
                    cuts, name = list(zip(at, at[1:] + [cuts[-1][1]])), inner
                return [work[a:b] for a, b in cuts], name
    return None


def rank_correlation(v):
    """With the order of the values; equal ones share their mean rank."""
    ranks = [sum(y < x for y in v) + (sum(y == x for y in v) - 1) / 2 for x in v]
    middle = (len(v) - 1) / 2
    own = sum((r - middle) ** 2 for r in ranks)
    both = sum((r - middle) * (i - middle) for i, r in enumerate(ranks))
    return both / (own * sum((i - middle) ** 2 for i in range(len(v)))) ** 0.5 if own else 0


def direction(v):
    r, first, last = rank_correlation(v), v[:len(v) // 5], v[-(len(v) // 5):]
    return 1 if r > 0.8 and 10 * sum(last) > 13 * sum(first) else -1 if r < -0.8 and 13 * sum(last) < 10 * sum(first) else 0


def trend(periods, busy):
    have = [i for i, p in enumerate(periods) if p is not None]
    if len(have) < 8:
        return 0
    way = direction([periods[i] for i in have])
    return way if way and way == direction([busy[i] for i in have]) else 0


def steady(periods, busy):
    """Of one process, or of several with equally many steps: lists of their periods, and of how long compute and copies run in each."""
    n = len(periods)
    if all(p is None for p in periods):
        return list(range(n))
    if trend(periods, busy):
        return list(range(n - (periods[-1] is None)))
    lead = 0
    while lead < n - 1 and periods[lead] is not None:
        later = sorted(p for p in periods[lead + 1:] if p is not None)
        if not later or not 10 * periods[lead] > 13 * later[(len(later) - 1) // 2]:
            break
        lead += 1
    if 3 * lead > n:
        later = sorted(busy[lead:])
        same = all(10 * b <= 13 * later[(len(later) - 1) // 2] for b in busy[:lead])
        lead = lead if same and 2 * lead <= sum(p is not None for p in periods) else 0
    return list(range(lead, n - (periods[-1] is None)))
