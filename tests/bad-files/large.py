#!/usr/bin/env python3
"""Traces that cost much if the time grows with the square of what is in them.

    large.py collectives N DIR       DIR/0.sqlite and DIR/1.sqlite: N equal collectives and a last one that differs; rank 1 lacks one
    large.py schemas N DIR           DIR/0.sqlite: N payload schemas, and payloads with 200,000 headers that have none
"""
import os
import sqlite3
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "nccl"))
from generate import IDS, KERNELS, SCHEMAS, TABLES  # noqa: E402


def begin(path, rank):
    c = sqlite3.connect(path)
    c.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    c.executescript(TABLES)
    c.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, name) for name, i in IDS.items()])
    c.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000000, '', '')")
    for _, (schema, entries) in SCHEMAS.items():
        c.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, ?, ?, 0, ?, ?, '', 0, ?)",
                      [(schema, i, kind, name, at or 0) for i, (name, kind, at) in enumerate(entries)])
    tid = thread(rank)
    c.execute("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (0, 75, 'NCCL', ?, 1)", (tid,))
    return c


def thread(rank):
    return (100 + rank) << 24 | (100 + rank)


def collectives(path, rank, n, lacks):
    c, pid = begin(path, rank), (100 + rank) << 24
    ranges, calls, kernels = [], [], []
    for i in range(n + 1):
        t = 1000000 + i * 10000
        payload = struct.pack("<QQQQ", 1, 5, 24, 32) + struct.pack("<QQQ", 7, 4096 if i < n else 8192, 0)
        if i == lacks:
            continue
        ranges.append((t, t + 3000, IDS["ncclAllReduce"], thread(rank), payload))
        calls.append((t + 1000, t + 1500, thread(rank), i + 1, IDS["cudaLaunchKernelExC_v11060"]))
        kernels.append((t + 2000 + rank * 100, t + 8000, rank, i + 1, pid, IDS[KERNELS["allreduce"]], IDS[KERNELS["allreduce"]]))
    c.executemany("INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId, binaryData) VALUES (?, ?, 59, ?, ?, 1, ?)", ranges)
    c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)", calls)
    c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, NULL, 7, ?, ?, ?, ?, NULL, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, 0)", kernels)
    c.commit()
    c.close()


def schemas(path, n):
    c = begin(path, 0)
    c.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (0, ?, 0, 0, 18, 'NCCL communicator ID', '', 0, 0)",
                  [(1000 + i,) for i in range(n)])
    payload = struct.pack("<Q", 1000) + struct.pack("<QQQ", 999, 8, 0) * 1000
    c.executemany("INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId, binaryData) VALUES (?, ?, 59, ?, ?, 1, ?)",
                  [(1000 * i, 1000 * i + 500, IDS["ncclAllReduce"], thread(0), payload) for i in range(200)])
    c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, ?, 1, ?, 0, NULL)", (thread(0), IDS["cudaLaunchKernelExC_v11060"]))
    c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (300, 400, 0, 1, NULL, 7, 1, ?, ?, ?, NULL, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, 0)",
              (100 << 24, IDS[KERNELS["allreduce"]], IDS[KERNELS["allreduce"]]))
    c.commit()
    c.close()


what, size, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if what == "collectives":
    collectives(folder + "/0.sqlite", 0, size, -1)
    collectives(folder + "/1.sqlite", 1, size, size // 2)
else:
    schemas(folder + "/0.sqlite", size)
