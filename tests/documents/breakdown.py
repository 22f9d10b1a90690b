#!/usr/bin/env python3
"""The seconds of a run by kind of work, computed plainly: breakdown.py TRACE SECONDS RULES.json ENGINE MODEL [kernels]

Prints category and elapsed ns, or with `kernels` category, name and elapsed ns, sorted.  Work of a process and GPU is
taken in order of start; its elapsed time is what none before it covers.  SECONDS counts once for each process and GPU; 0:
from the first to the last event of the trace.
"""
import collections
import json
import re
import sqlite3
import sys

trace, seconds, rules, engine, model = sys.argv[1:6]
db = sqlite3.connect(f"file:{trace}?immutable=1", uri=True)
patterns = list(json.load(open(rules))[engine][model].items())
tables = {name for name, in db.execute("SELECT name FROM sqlite_master")}
K = "CUPTI_ACTIVITY_KIND_"
COPY = {1: ("memcpy h2d", "Host-to-Device"), 2: ("memcpy d2h", "Device-to-Host"), 8: ("memcpy d2d", "Device-to-Device")}

work = []
for full, name, *rest in db.execute(f"""SELECT d.value, s.value, globalPid, deviceId, start, end FROM {K}KERNEL k
        JOIN StringIds d ON d.id = demangledName JOIN StringIds s ON s.id = shortName WHERE start >= 0"""):
    work.append((*rest, full, name))
if K + "MEMCPY" in tables:
    for kind, *rest in db.execute(f"SELECT copyKind, globalPid, deviceId, start, end FROM {K}MEMCPY WHERE start >= 0"):
        work.append((*rest, f"[CUDA memcpy {COPY[kind][1]}]", COPY[kind][0]))
if K + "MEMSET" in tables:
    for rest in db.execute(f"SELECT globalPid, deviceId, start, end FROM {K}MEMSET WHERE start >= 0"):
        work.append((*rest, "[CUDA memset]", "memset"))

elapsed, until = collections.Counter(), {}
for pid, gpu, start, end, full, name in sorted(work, key=lambda w: (w[2], -w[3])):
    begin = max(start, until.get((pid, gpu), start))
    until[pid, gpu] = max(end, until.get((pid, gpu), end))
    kind = next((label for pattern, label in patterns if re.search(pattern, full)), "-")
    elapsed[kind, name] += max(0, end - begin)

ns = round(float(seconds) * 1e9)
if not ns:
    spans = [db.execute(f"SELECT min(start), max(end) FROM {t} WHERE start >= 0").fetchone()
             for t in (K + "KERNEL", K + "MEMCPY", K + "MEMSET", K + "RUNTIME", "NVTX_EVENTS") if t in tables]
    ns = max(b for _, b in spans if b) - min(a for a, _ in spans if a is not None)
elapsed["non-gpu", "non-gpu"] = ns * len(until) - sum(elapsed.values())

if len(sys.argv) > 6:
    lines = [f"{kind}\t{name}\t{t}" for (kind, name), t in elapsed.items()]
else:
    kinds = collections.Counter()
    for (kind, _), t in elapsed.items():
        kinds[kind] += t
    lines = [f"{kind}\t{t}" for kind, t in kinds.items()]
print("\n".join(sorted(lines)))
