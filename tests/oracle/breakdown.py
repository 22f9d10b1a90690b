"""The seconds of a run by kind of work, computed plainly: breakdown TRACE SECONDS RULES.json ENGINE MODEL [kernels]

Prints category and elapsed ns, or with `kernels` category, name and elapsed ns, sorted.  Work of a process and GPU is
taken in order of start; its elapsed time is what none before it covers.  SECONDS counts once for each process and GPU; 0:
from the first to the last event of the trace.
"""
import collections
import json
import re

from .trace import Trace

COPY = {"h2d": "Host-to-Device", "d2h": "Device-to-Host", "d2d": "Device-to-Device"}


def full_name(w):
    return {"copy": f"[CUDA memcpy {COPY.get(w.copy)}]", "set": "[CUDA memset]"}.get(w.kind, w.full)


def main(argv):
    path, seconds, rules, engine, model = argv[:5]
    trace, patterns = Trace(path), list(json.load(open(rules))[engine][model].items())
    elapsed, until = collections.Counter(), {}
    for w in sorted(trace.works, key=lambda w: (w.start, -w.end)):
        lane = w.proc, w.gpu
        begin = max(w.start, until.get(lane, w.start))
        until[lane] = max(w.end, until.get(lane, w.end))
        kind = next((label for pattern, label in patterns if re.search(pattern, full_name(w))), "-")
        elapsed[kind, w.name] += max(0, w.end - begin)
    ns = round(float(seconds) * 1e9) or trace.span[1] - trace.span[0]
    elapsed["non-gpu", "non-gpu"] = ns * len(until) - sum(elapsed.values())
    lines = collections.Counter()
    for (kind, name), t in elapsed.items():
        lines[f"{kind}\t{name}" if len(argv) > 5 else kind] += t
    print("\n".join(sorted(f"{line}\t{t}" for line, t in lines.items())))
