"""What nsq-advise should say would be won, by the definitions of share/conventions/advise.md: advise_oracle.py WHAT TRACE < STEPS

STEPS is the table of nsq-window.  Everything is found by trying every event, without code of nsq.  Prints nanoseconds.
"""
import csv
import re
import sqlite3
import sys
from bisect import bisect_left, bisect_right

from plant import K, union

ALLOCATING = "Malloc|MemAlloc|Free|HostAlloc|HostRegister|HostUnregister|MemCreate|MemMap$|MemUnmap|MemRelease|MemSetAccess"
LOADING = "ModuleLoad|ModuleUnload|LibraryLoad|LibraryUnload|LinkCreate|LinkAdd|LinkComplete"


def median(values):
    return sorted(values)[(len(values) - 1) // 2]


def meeting(spans, a, b):
    """Those of spans, which are in order and apart from each other, that have time in a..b."""
    return spans[bisect_right(spans, a, key=lambda s: s[1]):bisect_left(spans, b, key=lambda s: s[0])]


def clip(spans, a, b):
    return sum(max(0, min(y, b) - max(x, a)) for x, y in meeting(spans, a, b))


def load(path, pid):
    db = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
    have = {n for (n,) in db.execute("SELECT name FROM sqlite_master")}
    work = []
    for kind in ("KERNEL", "MEMCPY", "MEMSET"):
        if K + kind in have:
            extra = "shortName, 0, 0" if kind == "KERNEL" else "0, srcKind, dstKind" if kind == "MEMCPY" else "0, -1, -1"
            work += [(kind,) + row for row in db.execute(
                f"SELECT start, end, correlationId, {extra} FROM {K}{kind} WHERE globalPid >> 24 & 0xffffff = ? AND start >= 0", (pid,))]
    calls = db.execute(f"""SELECT start, end, globalTid, correlationId, value FROM {K}RUNTIME JOIN StringIds ON id = nameId
        WHERE globalTid >> 24 & 0xffffff = ? AND start >= 0 ORDER BY start, end DESC""", (pid,)).fetchall()
    names = dict(db.execute("SELECT id, value FROM StringIds"))
    return work, calls, names


def gaps(work):
    busy = union((w[1], w[2]) for w in work)
    return [(x[1], y[0]) for x, y in zip(busy, busy[1:])]


def judged(work, calls, steps):
    """By step: idle time by the part of the gap it is in, and the synced time."""
    launch = {}
    for c in calls:
        launch.setdefault(c[3], c)
    at = {}
    for w in work:
        call = launch.get(w[3])
        if call and (w[1] not in at or call[0] < at[w[1]][0]):
            at[w[1]] = call
    threads = {}
    for c in calls:                     # the outermost ones
        mine = threads.setdefault(c[2], [])
        if not mine or c[0] >= mine[-1][1]:
            mine.append(c)
    every = {tid: union(c[:2] for c in calls if c[2] == tid and "Synchronize" in c[4]) for tid in threads}
    idle_of = gaps(work)
    for s in steps:
        part = {"sync": 0, "memory": 0, "other": 0, "queued": 0, "synced": 0}
        for x, y in meeting(idle_of, s[0], s[1]):
            call = at[y]
            a, b = max(x, s[0]), min(y, s[1])
            part["queued"] += clip([(max(x, call[1]), y)], a, b)
            idle = b - a
            before = min(y, call[0])
            for c in meeting(threads[call[2]], x, before):
                if c is not call:
                    name = c[4]
                    kind = "other" if "Launch" in name else "sync" if "Synchronize" in name else \
                        "memory" if re.search("Mem|Malloc|Free|HostAlloc|HostRegister", name) else "other"
                    if kind != "other":
                        part[kind] += clip([(c[0], min(c[1], before))], a, b)
            part["other"] += idle
            if x < call[0] and meeting(every[call[2]], x, x + 1):
                part["synced"] += idle
        part["other"] -= part["sync"] + part["memory"] + part["queued"]
        yield part


def in_idle(work, calls, steps, names):
    idle_of, called = gaps(work), union((c[0], c[1]) for c in calls if re.search(names, c[4]))
    for s in steps:
        idle = [(max(x, s[0]), min(y, s[1])) for x, y in meeting(idle_of, s[0], s[1])]
        yield sum(clip(idle, a, b) for a, b in called)


def one(what, path, pid, steps):
    work, calls, names = load(path, pid)
    n, what = len(steps), {"mallocs": "malloc", "loads": "load", "copies": "copy"}.get(what, what)
    if what == "malloc":
        return median(list(in_idle(work, calls, steps, ALLOCATING)))
    if what == "load":
        return sum(in_idle(work, calls, steps, LOADING)) // n
    if what == "sync":
        return median([p["synced"] for p in judged(work, calls, steps)])
    if what == "memory":
        return median([p["memory"] for p in judged(work, calls, steps)])
    if what == "host":
        return median([p["other"] for p in judged(work, calls, steps)])
    if what == "graph":
        return median([p["other"] + p["queued"] for p in judged(work, calls, steps)])
    if what == "copy":
        kernels = union((w[1], w[2]) for w in work if w[0] == "KERNEL")
        pageable = union((w[1], w[2]) for w in work if w[0] == "MEMCPY" and 0 in w[5:7])
        return median([sum(min(b, s[1]) - max(a, s[0]) - clip(kernels, max(a, s[0]), min(b, s[1]))
                           for a, b in pageable if a < s[1] and b > s[0]) for s in steps])
    if what == "alone":
        kernels, copies = (union((w[1], w[2]) for w in work if (w[0] == "KERNEL") == k) for k in (True, False))
        return median([sum(min(b, s[1]) - max(a, s[0]) - clip(kernels, max(a, s[0]), min(b, s[1]))
                           for a, b in copies if a < s[1] and b > s[0]) for s in steps])
    if what == "long":
        lengths = [b - a for a, b in steps]
        return (max(lengths) - median(lengths) - list(in_idle(work, calls, steps, LOADING))[lengths.index(max(lengths))]) // n
    if what == "compute":
        compute = union((w[1], w[2]) for w in work if w[0] == "KERNEL" and not names[w[4]].lower().startswith("nccl"))
        return median([clip(compute, *s) for s in steps])
    raise SystemExit("what is '%s'?" % what)


def main():
    what, path = sys.argv[1:]
    steps = {}
    for row in csv.DictReader(sys.stdin, delimiter="\t"):
        steps.setdefault(int(row["pid"]), []).append((int(row["start_ns"]), int(row["end_ns"])))
    if what == "stages":
        each = [one("compute", path, pid, s) for pid, s in steps.items()]
        print(max(each) - sum(each) // len(each))
    else:
        print(max(one(what, path, pid, s) for pid, s in steps.items()))


main()
