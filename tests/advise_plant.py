"""A copy of a trace with a fault in its steps: advise_plant.py IN OUT WHAT [NS or FACTOR]

Time is inserted where the GPU is idle and the main thread in no CUDA call, once in each range `step N`, and everything that
comes later is later:
  malloc   in a call of cudaMalloc
  sync     in a call of cudaDeviceSynchronize that was open when the GPU ran dry
  load     in a call of cuModuleLoadData, in `step 3` alone
  copy     in which a copy from pageable memory runs
  mallocs, loads, copies
           the same, and at the same time, from the middle on, in a call of another thread or a copy of another stream
  other3   in a call of some other kind, in `step 3` alone
  malloc3, copy3
           in `step 3` alone
  long     `step 3` takes FACTOR times as long, whatever it does
  squeeze  all idle time of the GPU is taken out
  at       at the moments on standard input instead, whatever goes on
"""
import bisect
import shutil
import sqlite3
import sys

from plant import K, union


def tables(db):
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')]
        yield name, [c for c in ("start", "end") if c in columns]


def move(db, later):
    db.create_function("later", 1, lambda t: None if t is None else later(t))
    for name, columns in list(tables(db)):
        for column in columns:
            db.execute(f'UPDATE "{name}" SET {column} = later({column})')


def work_of(db):
    have = {name for name, _ in tables(db)}
    return [row for t in ("KERNEL", "MEMCPY", "MEMSET") if K + t in have
            for row in db.execute(f"SELECT start, end, correlationId FROM {K}{t}")]


def ranges(db):
    return db.execute("""SELECT start, end, globalTid, coalesce(text, value) AS name FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
        WHERE eventType = 59 AND name GLOB 'step [0-9]*' ORDER BY start""").fetchall()


def moments(db, where):
    """In each step the first moment at which the GPU runs dry, though its next work comes later from a thread in no call."""
    work, calls = work_of(db), db.execute(f"SELECT start, end, globalTid, correlationId FROM {K}RUNTIME").fetchall()
    launch = {c[3]: c for c in calls}
    busy = union((a, b) for a, b, _ in work)
    first = {}
    for a, b, c in work:
        if a not in first or launch[c][0] < launch[first[a]][0]:
            first[a] = c
    out = []
    for start, end, tid, name in ranges(db):
        for (_, dry), (b, _) in zip(busy, busy[1:]):
            call = launch[first[b]]
            if where(name) and start + 5000 < dry < end and call[2] == tid and call[0] > dry + 500 and not any(
                    c[2] == tid and c[0] < dry + 500 and c[1] > dry - 2000 for c in calls):
                out.append((dry, tid))
                break
        else:
            assert not where(name) or start == ranges(db)[0][0], "no moment in " + name
    return out


def insert(db, at, ns):
    points = sorted(m for m, _ in at)
    move(db, lambda t: t + ns * bisect.bisect_left(points, t))
    return [(m + ns * i, tid) for i, (m, tid) in enumerate(sorted(at))]


def name_id(db, name):
    db.execute("INSERT INTO StringIds SELECT max(id) + 1, ? FROM StringIds", (name,))
    return db.execute("SELECT max(id) FROM StringIds").fetchone()[0]


def add_calls(db, name, spans):
    of, corr = name_id(db, name), db.execute(f"SELECT max(correlationId) FROM {K}RUNTIME").fetchone()[0]
    for i, (a, b, tid) in enumerate(spans, 1):
        db.execute(f"""INSERT INTO {K}RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
            VALUES (?, ?, 0, ?, ?, ?, 0)""", (a, b, tid, corr + i, of))
    return corr + 1


def spans(at, ns, twice):
    return [(m, m + ns, tid) for m, tid in at] + [(m + ns // 2, m + ns, tid + 1) for m, tid in at if twice]


def plant(db, what, ns):
    once, twice = what[-1] == "3" or what[:4] == "load", what[-1] == "s"
    what = {"copies": "copy"}.get(what, what.rstrip("3s"))
    at = insert(db, moments(db, lambda n: not once or n == "step 3"), ns)
    if what == "malloc":
        add_calls(db, "cudaMalloc_v3020", spans(at, ns, twice))
    elif what == "other":
        add_calls(db, "cuKernelGetFunction", spans(at, ns, twice))
    elif what == "load":
        add_calls(db, "cuModuleLoadData", spans(at, ns, twice))
    elif what == "sync":
        add_calls(db, "cudaDeviceSynchronize_v3020", [(m - 1000, m + ns, tid) for m, tid in at])
    else:
        corr = add_calls(db, "cudaMemcpyAsync_v3020", [(m - 1500, m + ns, tid) for m, tid in at])
        for i, (m, tid) in enumerate(at):
            db.execute(f"""INSERT INTO {K}MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind,
                srcKind, dstKind) SELECT ?, ?, deviceId, contextId, streamId, ?, globalPid, 4096, 1, 0, 2 FROM {K}KERNEL LIMIT 1""",
                       (m, m + ns, corr + i))
        if twice:
            db.execute(f"CREATE TEMP TABLE more AS SELECT * FROM {K}MEMCPY WHERE correlationId >= ?", (corr,))
            db.execute("UPDATE more SET streamId = streamId + 1000, start = (start + end) / 2")
            db.execute(f"INSERT INTO {K}MEMCPY SELECT * FROM more")


def stretch(db, factor):
    """The time from the first work of step 3 to that of step 4."""
    launched = {}
    for a, b, c in work_of(db):
        launched[c] = min(a, launched.get(c, a))
    edges = []
    for start, end, tid, name in ranges(db):
        if name in ("step 3", "step 4"):
            edges.append(min(launched[c] for (c,) in db.execute(f"""SELECT correlationId FROM {K}RUNTIME WHERE start >= ? AND start < ?""",
                                                              (start, end)) if c in launched))
    a, b = edges
    move(db, lambda t: t if t <= a else a + (t - a) * factor if t <= b else t + (b - a) * (factor - 1))


def squeeze(db):
    busy = union((a, b) for a, b, _ in work_of(db))
    ends, gone = [b for _, b in busy], [0]
    for (_, b), (a, _) in zip(busy, busy[1:]):
        gone.append(gone[-1] + a - b)

    def later(t):
        i = bisect.bisect_right(ends, t)        # stretches that have ended
        if i == len(busy):
            return t - gone[-1]
        inside = t - (ends[i - 1] if i else t)
        return t - gone[max(i - 1, 0)] - min(inside, gone[i] - gone[i - 1] if i else 0)

    move(db, later)


def main():
    source, path, what = sys.argv[1:4]
    size = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    shutil.copyfile(source, path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    if what == "squeeze":
        squeeze(db)
    elif what == "long":
        stretch(db, size)
    elif what == "at":
        insert(db, [(int(line), None) for line in sys.stdin], size)
    else:
        plant(db, what, size)
    db.commit()


main()
