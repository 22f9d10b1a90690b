"""The ranges around work by brute force, with those around the capture of CUDA graphs: captured.py WHAT[,WHAT...] TRACE [adopt]

WHAT is a table that a tool prints with --captured, less its other columns; of several, each row begins with its name:
    names     kernels gpu_ns gpu_incl_ns name          nsq-nvtx --exact
    paths     kernels gpu_ns path                      nsq-nvtx --tree --exact
    ranges    start_ns tid kernels gpu_ns gpu_incl_ns  nsq-nvtx --each
    each      start_ns stream nvtx                     nsq-kernels --each
    around    start_ns stream ranges                   the details of nsq-view's page, outermost first
    stages    start_ns stream stage                    nsq-overlap --each --comm ., with the rule ^(s.*)<TAB>\\1
    gaps      start_ns nvtx                            nsq-gaps --each --min 0
    captures  how many kernels are led back, and how many are not

captured.py make TRACE SEED writes a trace of a few threads, ranges that cross, graphs whose nodes are cloned again and
again, in circles, or by nobody, and kernels and copies that replay them.
"""
import os
import random
import re
import sqlite3
import sys

K = "CUPTI_ACTIVITY_KIND_"


def rows(db, query):
    return [dict(r) for r in db.execute(query)]


def first_creation(nodes, process, node):
    met = set()
    while node not in met:
        met.add(node)
        mine = [n for n in nodes if n["globalTid"] >> 24 == process and n["graphNodeId"] == node]
        clones = [n for n in mine if n["originalGraphNodeId"] not in (None, 0, node)]
        if not clones:
            if not mine:
                return None
            first = min(mine, key=lambda n: (n["start"], n["globalTid"]))
            return first if first["start"] >= 0 else None
        node = min(clones, key=lambda n: (n["start"], n["originalGraphNodeId"]))["originalGraphNodeId"]
    return None


class Trace:
    def __init__(self, path, adopt):
        db = sqlite3.connect(path)
        db.row_factory = sqlite3.Row
        self.adopt = adopt
        tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
        self.ranges = rows(db, "SELECT start, end, globalTid, ifnull(text, (SELECT value FROM StringIds WHERE id = textId)) name "
                           "FROM NVTX_EVENTS WHERE eventType = 59 AND start >= 0")
        for i, r in enumerate(self.ranges):
            r["id"] = i
        self.of_thread = {}
        for r in self.ranges:
            self.of_thread.setdefault(r["globalTid"], []).append(r)
        self.calls = {}
        for c in rows(db, f"SELECT * FROM {K}RUNTIME ORDER BY start"):
            self.calls.setdefault((c["globalTid"] >> 24, c["correlationId"]), c)
        self.nodes = rows(db, "SELECT * FROM CUDA_GRAPH_NODE_EVENTS") if "CUDA_GRAPH_NODE_EVENTS" in tables else []
        self.kernels = rows(db, f"SELECT * FROM {K}KERNEL WHERE start >= 0")
        self.work = self.kernels + [w for t in ("MEMCPY", "MEMSET") if K + t in tables
                                    for w in rows(db, f"SELECT * FROM {K}{t} WHERE start >= 0")]
        self.creation, self.first_start = {}, {}
        for w in self.work:
            self.find_ranges(w)
            call = id(w["call"])
            self.first_start[call] = min(w["start"], self.first_start.get(call, w["start"]))

    def open_at(self, thread, moment):
        found = [r for r in self.of_thread.get(thread, ()) if r["start"] <= moment < r["end"]]
        return sorted(found, key=lambda r: (-r["start"], r["end"]))

    def find_ranges(self, w):
        process = w["globalPid"] >> 24
        w["call"] = self.calls.get((process, w["correlationId"]))
        launched = []
        if w["call"]:
            thread, main = w["call"]["globalTid"], process << 24 | process & 0xffffff
            launched = self.open_at(thread, w["call"]["start"])
            if self.adopt and thread != main:
                launched += self.open_at(main, w["call"]["start"])
        w["first"] = None
        if w["graphNodeId"]:
            key = process, w["graphNodeId"]
            if key not in self.creation:
                self.creation[key] = first_creation(self.nodes, *key)
            w["first"] = self.creation[key]
        inside = self.open_at(w["first"]["globalTid"], w["first"]["start"]) if w["first"] else []
        w["inside"] = [r for r in inside if r["id"] not in {x["id"] for x in launched}]
        w["around"] = w["inside"] + launched

    # A range stands below those that were open when it started; with adopt, below the main thread's too.
    def path_of_range(self, r):
        def chain(r):
            held = [x for x in self.of_thread[r["globalTid"]] if x["id"] != r["id"] and
                    (x["start"], -x["end"], x["id"]) < (r["start"], -r["end"], r["id"]) and x["end"] > r["start"]]
            up = max(held, key=lambda x: (x["start"], -x["end"], x["id"]), default=None)
            main = r["globalTid"] >> 24 << 24 | r["globalTid"] >> 24 & 0xffffff
            if not up and self.adopt and r["globalTid"] != main:
                up = (self.open_at(main, r["start"]) or [None])[0]
            return (chain(up) if up else []) + [r["name"]]
        return chain(r)

    def path(self, w):
        launched = w["around"][len(w["inside"]):]
        names = (self.path_of_range(launched[0]) if launched else []) + [r["name"] for r in reversed(w["inside"])]
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
            ns = w["end"] - w["start"]
            yield (w["around"][0]["name"] if w["around"] else "-", 1, ns, 0)
            for name in {r["name"] for r in w["around"]} or {"-"}:
                yield name, 0, 0, ns
    return [(*v, k) for k, v in added(parts()).items()]


def paths(t):
    return [(*v, k) for k, v in added((t.path(w), 1, w["end"] - w["start"]) for w in t.kernels).items()]


def ranges(t):
    own = added((r["id"], 1, w["end"] - w["start"]) for w in t.kernels for r in w["around"][:1])
    incl = added((r["id"], w["end"] - w["start"]) for w in t.kernels for r in w["around"])
    return [(r["start"], r["globalTid"] & 0xffffff, *own.get(r["id"], [0, 0]), *incl.get(r["id"], [0])) for r in t.ranges]


def each(t):
    return [(w["start"], w["streamId"], w["around"][0]["name"] if w["around"] else "-") for w in t.kernels]


def around(t):
    return [(w["start"], w["streamId"], " > ".join(r["name"] for r in reversed(w["around"])) or "-") for w in t.work]


def stages(t):
    def stage(w):
        found = [r["name"] for r in w["around"]]
        return next((n for n in found if n.startswith("s")), re.sub("[0-9]+", "#", found[0]) if found else "-")
    return [(w["start"], w["streamId"], stage(w)) for w in t.kernels]


# For each process and GPU: stretches without work, and the range of each.
def gaps(t):
    out = []
    lanes = {(w["globalPid"], w["deviceId"]) for w in t.work}
    for lane in lanes:
        work = sorted((w for w in t.work if (w["globalPid"], w["deviceId"]) == lane and w["end"] > w["start"]), key=lambda w: w["start"])
        until = work[0]["end"]
        for w in work:
            if w["start"] > until:
                out.append((until, gap_range(t, until, min((x for x in work if x["start"] == w["start"]), key=lambda x: x["call"]["start"]))))
            until = max(until, w["end"])
    return out


def gap_range(t, a, w):
    b = w["start"]
    if w["inside"] and t.first_start[id(w["call"])] < b:
        return w["inside"][0]["name"]
    held = [r for r in t.of_thread.get(w["call"]["globalTid"], ()) if 2 * (min(b, r["end"]) - max(a, r["start"])) > b - a]
    return max(held, key=lambda r: (r["start"], -r["end"]))["name"] if held else "-"


def captures(t):
    graph = [w for w in t.kernels if w["graphNodeId"]]
    return [(sum(bool(w["first"]) for w in graph), sum(not w["first"] for w in graph))]


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


def main():
    what, path, *rest = sys.argv[1:]
    if what == "make":
        return make(path, int(rest[0]))
    what, trace = what.split(","), Trace(path, rest == ["adopt"])
    for name in what:
        for row in sorted("\t".join(map(str, r)) for r in globals()[name](trace)):
            print(row if len(what) == 1 else name + "\t" + row)


main()
