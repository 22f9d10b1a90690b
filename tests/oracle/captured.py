"""The ranges around work by brute force, with those around the capture of CUDA graphs: captured WHAT[,WHAT...] TRACE [adopt]

WHAT is a table that a tool prints with --captured, less its other columns; of several, each row begins with its name:
    names     kernels gpu_ns gpu_incl_ns name          nsq-nvtx --exact
    paths     kernels gpu_ns path                      nsq-nvtx --tree --exact
    ranges    start_ns tid kernels gpu_ns gpu_incl_ns  nsq-nvtx --each
    each      start_ns stream nvtx                     nsq-kernels --each
    around    start_ns stream ranges                   the details of nsq-view's page, outermost first
    stages    start_ns stream stage                    nsq-overlap --each --comm ., with the rule ^(s.*)<TAB>\\1
    gaps      start_ns nvtx                            nsq-gaps --each --min 0
    captures  how many kernels are led back, and how many are not

captured make TRACE SEED writes a trace of a few threads, ranges that cross, graphs whose nodes are cloned again and
again, in circles, or by nobody, and kernels and copies that replay them.
"""
import os
import random
import re
import sqlite3

from .trace import PUSH_POP, Trace, inner_first

K = "CUPTI_ACTIVITY_KIND_"


def first_creation(nodes, process, node):
    met = set()
    while node not in met:
        met.add(node)
        mine = [n for n in nodes if n.proc == process and n.node == node]
        clones = [n for n in mine if n.original not in (None, 0, node)]
        if not clones:
            if not mine:
                return None
            first = min(mine, key=lambda n: (n.start, n.tid))
            return first if first.start >= 0 else None
        node = min(clones, key=lambda n: (n.start, n.original)).original
    return None


class Captured(Trace):
    """Each piece of work has first, the creation of its node; held, the ranges around it, and inside, those of them around that creation."""

    def __init__(self, path, adopt):
        super().__init__(path)
        self.adopt, self.creation, self.first_start = adopt, {}, {}
        self.kernels = [w for w in self.works if w.kind == "kernel"]
        self.pushed = [r for r in self.ranges if r.type == PUSH_POP]
        for w in self.works:
            self.find_ranges(w)
            self.first_start[w.call] = min(w.start, self.first_start.get(w.call, w.start))

    def find_ranges(self, w):
        launched, w.first = self.around(w, self.adopt), None
        if w.node:
            if (w.proc, w.node) not in self.creation:
                self.creation[w.proc, w.node] = first_creation(self.graph_nodes, w.proc, w.node)
            w.first = self.creation[w.proc, w.node]
        inside = self.open_ranges(w.proc, w.first.tid, w.first.start) if w.first else []
        w.inside = [r for r in inside if r not in launched]
        w.held = w.inside + launched

    # A range stands below those that were open when it started; with adopt, below the main thread's too.
    def path_of_range(self, r):
        def chain(r):
            held = [x for x in self.open_ranges(r.proc, r.tid, r.start) if inner_first(r) < inner_first(x)]
            main = r.proc & 0xffffff
            if not held and self.adopt and r.tid != main:
                held = self.open_ranges(r.proc, main, r.start)
            return (chain(held[0]) if held else []) + [r.name]
        return chain(r)

    def path_of_work(self, w):
        launched = w.held[len(w.inside):]
        names = (self.path_of_range(launched[0]) if launched else []) + [r.name for r in reversed(w.inside)]
        return " > ".join(names) or "-"


def added(pairs):
    sums = {}
    for key, *numbers in pairs:
        old = sums.get(key, [0] * len(numbers))
        sums[key] = [a + b for a, b in zip(old, numbers)]
    return sums


def names(t):
    def parts():
        for w in t.kernels:
            ns = w.end - w.start
            yield (w.held[0].name if w.held else "-", 1, ns, 0)
            for name in {r.name for r in w.held} or {"-"}:
                yield name, 0, 0, ns
    return [(*v, k) for k, v in added(parts()).items()]


def paths(t):
    return [(*v, k) for k, v in added((t.path_of_work(w), 1, w.end - w.start) for w in t.kernels).items()]


def ranges(t):
    own = added((r, 1, w.end - w.start) for w in t.kernels for r in w.held[:1])
    incl = added((r, w.end - w.start) for w in t.kernels for r in w.held)
    return [(r.start, r.tid, *own.get(r, [0, 0]), *incl.get(r, [0])) for r in t.pushed]


def each(t):
    return [(w.start, w.stream, w.held[0].name if w.held else "-") for w in t.kernels]


def around(t):
    return [(w.start, w.stream, " > ".join(r.name for r in reversed(w.held)) or "-") for w in t.works]


def stages(t):
    def stage(w):
        found = [r.name for r in w.held]
        return next((n for n in found if n.startswith("s")), re.sub("[0-9]+", "#", found[0]) if found else "-")
    return [(w.start, w.stream, stage(w)) for w in t.kernels]


# For each process and GPU: stretches without work, and the range of each.
def gaps(t):
    out = []
    for lane in {(w.proc, w.gpu) for w in t.works}:
        work = sorted((w for w in t.works if (w.proc, w.gpu) == lane and w.end > w.start), key=lambda w: w.start)
        until = work[0].end
        for w in work:
            if w.start > until:
                out.append((until, gap_range(t, until, min((x for x in work if x.start == w.start), key=lambda x: x.call.start))))
            until = max(until, w.end)
    return out


def gap_range(t, a, w):
    b = w.start
    if w.inside and t.first_start[w.call] < b:
        return w.inside[0].name
    held = [r for r in t.ranges_of.get((w.proc, w.call.tid), ()) if 2 * (min(b, r.end) - max(a, r.start)) > b - a]
    return min(held, key=inner_first).name if held else "-"


def captures(t):
    graph = [w for w in t.kernels if w.node]
    return [(sum(bool(w.first) for w in graph), sum(not w.first for w in graph))]


def make(path, seed):
    rnd = random.Random(seed)
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    for sql in ("StringIds (id INTEGER PRIMARY KEY, value TEXT)",
                f"{K}KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, graphNodeId)",
                f"{K}MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, graphNodeId)",
                f"{K}RUNTIME (start, end, globalTid, correlationId, nameId)",
                "NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId)",
                "CUDA_GRAPH_NODE_EVENTS (start, end, eventClass, globalTid, nameId, graphNodeId, originalGraphNodeId)"):
        db.execute("CREATE TABLE " + sql)
    db.execute("INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaGraphLaunch')")
    processes = [(1 << 24 | pid) << 24 for pid in (5, 6)[:rnd.randint(1, 2)]]
    threads = [p | tid for p in processes for tid in (p >> 24 & 0xffffff, 77, 78)[:rnd.randint(1, 3)]]
    now = iter(range(1000, 10 ** 9, 7))
    for thread in threads:
        used = set()
        for i in range(rnd.randint(0, 12)):
            a = rnd.randint(0, 500)
            b = a + rnd.choice((rnd.randint(1, 40), rnd.randint(1, 700)))
            if (a, b) not in used:          # of two alike nobody knows which is inside
                used.add((a, b))
                db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)",
                           (a, b, rnd.choice("st") + rnd.choice("uvwxyz") + str(rnd.randint(0, 3)), thread))
    ids = {p: [rnd.randint(1, 9) << 32 | i for i in range(rnd.randint(0, 14))] for p in processes}
    for p in processes:
        for node in ids[p]:
            for _ in range(rnd.choice((0, 1, 1, 1, 2, 2, 3))):
                origin = rnd.choice((None, None, 0, node, *ids[p], 12345))
                at = rnd.choice((rnd.randint(-100, 300), rnd.randint(0, 300)))
                db.execute("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (?, ?, 77, ?, 2, ?, ?)",
                           (at, at, rnd.choice([t for t in threads if t >> 24 == p >> 24]), node, origin))
    for corr in range(1, rnd.randint(2, 14)):
        thread = rnd.choice(threads)
        p = thread >> 24 << 24
        at = 3 * rnd.randint(40, 200) + corr % 3       # no two calls at one time
        while db.execute(f"SELECT 1 FROM {K}RUNTIME WHERE start = ?", (at,)).fetchone():
            at += 1
        db.execute(f"INSERT INTO {K}RUNTIME VALUES (?, ?, ?, ?, 2)", (at, at + rnd.randint(1, 30), thread, corr))
        for _ in range(rnd.randint(1, 9)):
            a = next(now)
            node = rnd.choice([None, 999] + ids[p] * 2)
            if rnd.random() < 0.2:
                db.execute(f"INSERT INTO {K}MEMCPY VALUES (?, ?, 0, 1, 7, ?, ?, 8, 1, ?)", (a, a + rnd.randint(1, 12), corr, p, node))
            else:
                db.execute(f"INSERT INTO {K}KERNEL VALUES (?, ?, 0, 1, ?, ?, ?, 1, 1, ?)",
                           (a, a + rnd.randint(1, 12), rnd.randint(7, 8), corr, p, node))
    db.commit()


def main(argv):
    what, path, *rest = argv
    if what == "make":
        return make(path, int(rest[0]))
    what, trace = what.split(","), Captured(path, rest == ["adopt"])
    for name in what:
        for row in sorted("\t".join(map(str, r)) for r in globals()[name](trace)):
            print(row if len(what) == 1 else name + "\t" + row)
