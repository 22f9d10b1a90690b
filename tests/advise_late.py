"""Copies of the traces of a job in which one rank comes later to its collectives: advise_late.py NS RANK FOLDER TRACE...

In each step the rank comes NS later to the first collective of each kind and communicator that all its processes took part
in.  The others' kernels last so much longer, and everything that comes later is later, in all traces.
"""
import bisect
import csv
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))


def kernels(traces):
    """By communicator and number: who took part when, by rank."""
    out = subprocess.run([sys.executable, HERE + "/nccl/reading.py", "--each"] + traces, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=True).stdout
    ops = defaultdict(dict)
    for row in csv.DictReader(out.splitlines(), delimiter="\t"):
        if row["seq"] != "-" and row["wait_ns"] != "-":
            ops[row["comm"], int(row["seq"]), row["op"]][int(row["rank"])] = (int(row["start_ns"]), int(row["end_ns"]), int(row["ranks"]))
    return {k: v for k, v in ops.items() if len(v) == next(iter(v.values()))[2]}


def steps(trace):
    out = subprocess.run(["nsq-window", "-q", "--pick", "all", trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(int(r["start_ns"]), int(r["end_ns"])) for r in csv.DictReader(out.splitlines(), delimiter="\t")]


def main():
    ns, late, folder, traces = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    ops = kernels(traces)
    ranks = range(len(traces))
    offset = {}                         # a rank's clock against that of the late one
    for r in ranks:
        apart = sorted(v[r][1] - v[late][1] for v in ops.values() if r in v and late in v)
        offset[r] = apart[len(apart) // 2]
    points = {r: [] for r in ranks}
    for a, b in steps(traces[late]):
        met = set()
        for (comm, _, op), of in sorted(ops.items(), key=lambda kv: kv[1].get(late, (0,))):
            if late not in of or not a <= of[late][0] < b or (comm, op) in met:
                continue
            met.add((comm, op))
            for r in ranks:             # just before the late one's start, and just before the others' end
                points[r].append(of[late][0] if r == late else of[r][1] - 1 if r in of else of[late][0] + offset[r])
    for r in ranks:
        path = os.path.join(folder, os.path.basename(traces[r]))
        shutil.copyfile(traces[r], path)
        db = sqlite3.connect(path)
        at = sorted(points[r])
        db.create_function("later", 1, lambda t: None if t is None else t + ns * bisect.bisect_right(at, t))
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            have = [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')]
            for column in {"start", "end"} & set(have):
                db.execute(f'UPDATE "{name}" SET {column} = later({column})')
        db.commit()


main()
