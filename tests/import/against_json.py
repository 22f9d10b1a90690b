"""Compare an import with a second reading of the trace it was made from.

    against_json.py TRACE.json[.gz] IMPORT.sqlite

Every kernel, copy, set, call, range and operator with its times, place and numbers.  Prints what differs, then the counts.
"""
import collections
import decimal
import gzip
import json
import sqlite3
import sys

WORK = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "set", "Memset": "set"}
CALLS = {"cuda_runtime": 0, "Runtime": 0, "cuda_driver": 1}
RANGES = {"cpu_op", "Operator", "user_annotation"}


def events(path):
    data = open(path, "rb").read()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return [e for e in json.loads(text, parse_float=decimal.Decimal)["traceEvents"] if e.get("ph") == "X"]


def ns(microseconds):
    return int((decimal.Decimal(microseconds) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def expected(path):
    rows = collections.defaultdict(collections.Counter)
    timed = events(path)
    zero = min(ns(e["ts"]) for e in timed)
    for e in timed:
        start, args, category = ns(e["ts"]) - zero, e.get("args", {}), e.get("cat")
        times = (start, start + ns(e.get("dur", 0)))
        if category in WORK:
            kind = WORK[category]
            place = (args.get("device", 0), args.get("context", 0), args.get("stream", 0), args.get("correlation"))
            own = (e["name"], *(args.get("grid") or [None] * 3), *(args.get("block") or [None] * 3),
                   args.get("registers per thread"), args.get("shared memory")) if kind == "kernel" else (args.get("bytes"),)
            rows[kind][times + place + own] += 1
        elif category in CALLS:
            rows["call"][times + (CALLS[category], e["name"], args.get("correlation"))] += 1
        elif category in RANGES:
            rows["range"][times + (e["name"],)] += 1
    return rows


def imported(path):
    db = sqlite3.connect(path)
    place = "start, end, deviceId, contextId, streamId, correlationId, "
    queries = {
        "kernel": f"SELECT {place} s.value, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, dynamicSharedMemory "
                  "FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id = demangledName",
        "copy": f"SELECT {place} bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY",
        "set": f"SELECT {place} bytes FROM CUPTI_ACTIVITY_KIND_MEMSET",
        "call": "SELECT start, end, eventClass, s.value, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds s ON s.id = nameId",
        "range": "SELECT start, end, s.value FROM NVTX_EVENTS JOIN StringIds s ON s.id = textId WHERE eventType = 59 AND domainId IN (0, 1)",
    }
    rows = {kind: collections.Counter(db.execute(q)) for kind, q in queries.items()}
    plain = collections.Counter()
    for (start, end, name), count in rows["range"].items():
        plain[start, end, name.rpartition(", sizes = ")[0] or name] += count
    rows["range"] = plain
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"):
        starts = [r[0] for r in db.execute(f"SELECT start FROM {table} ORDER BY rowid")]
        assert starts == sorted(starts), f"{table} is not in the order of time"
    return rows


if __name__ == "__main__":
    want, got = expected(sys.argv[1]), imported(sys.argv[2])
    bad = 0
    for kind in ("kernel", "copy", "set", "call", "range"):
        for sign, rows in (("-", want[kind] - got[kind]), ("+", got[kind] - want[kind])):
            bad += len(rows)
            for row in list(rows)[:5]:
                print(sign, kind, *row)
    print(*(f"{sum(want[kind].values())} {kind}s" for kind in ("kernel", "copy", "set", "call", "range")), f"{bad} differ", sep=", ")
    sys.exit(bool(bad))
