"""A copy of a trace in which something takes longer, and all that comes after it is later: plant.py IN OUT WHAT FACTOR

WHAT is the short name of a kernel, whose every run is made longer by the factor; or host: the times during which the GPU
is idle, no thread is in a CUDA call and no kernel that was launched waits to run.  Time itself is stretched there, for everything that goes on meanwhile.
"""
import bisect
import shutil
import sqlite3
import sys

K = "CUPTI_ACTIVITY_KIND_"


def union(spans):
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        elif b > a:
            out.append([a, b])
    return out


def between(spans):
    return [(a[1], b[0]) for a, b in zip(spans, spans[1:])]


def chosen(db, tables, what):
    if what != "host":
        return db.execute(f"SELECT start, end FROM {K}KERNEL JOIN StringIds ON id = shortName WHERE value = ?", (what,)).fetchall()
    taken = []
    for table in ("KERNEL", "MEMCPY", "MEMSET", "RUNTIME"):
        if K + table in tables:
            taken += db.execute(f"SELECT start, end FROM {K}{table}").fetchall()
        if K + table in tables and table != "RUNTIME":
            taken += db.execute(f"SELECT r.start, w.start FROM {K}{table} w JOIN {K}RUNTIME r USING (correlationId)").fetchall()
    return between(union(taken))


def main():
    source, path, what, factor = sys.argv[1:]
    shutil.copyfile(source, path)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    tables = {}
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')]
        tables[name] = [c for c in ("start", "end") if c in columns]
    spans = union(chosen(db, tables, what))
    starts, before = [a for a, _ in spans], [0]
    for a, b in spans:
        before.append(before[-1] + b - a)

    def later(t):
        i = bisect.bisect_right(starts, t or 0)
        return t and t + round((float(factor) - 1) * (before[i - 1] + min(t, spans[i - 1][1]) - spans[i - 1][0])) if i else t

    db.create_function("later", 1, later)
    for name, columns in tables.items():
        for column in columns:
            db.execute(f'UPDATE "{name}" SET {column} = later({column})')
    db.commit()
    print(len(spans), "stretches")


if __name__ == "__main__":
    main()
