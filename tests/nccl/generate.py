#!/usr/bin/env python3
"""Traces of a job of N ranks that never ran, for speed and for random tests of nsq-nccl.

    generate.py N OUTDIR [--steps S] [--compute K] [--seed X] [--processes P] [--missing M] [--cut C]
                [--offset NS] [--hosts H] [--created] [--unlabelled] [--no-p2p]

Each step of each rank computes (K kernels), reduces with its neighbour (communicators of two), gathers over the world,
reduces twice in one group over the world beside a compute kernel, sends to the next rank and receives from the one before, and every fourth
step broadcasts.  One rank, by chance, is late in a step.  A collective ends for all ranks 100 us to 300 us after the
last has come.  OUTDIR/rank-NNNN.sqlite holds P ranks (1), on a clock of its own; OUTDIR/truth.tsv says of each kernel
left: rank, start_ns, op, comm, wait_ns, last, as if all ranks were there (of a broadcast only the start), and number:
its collective's in the communicator, from 0.

--missing: so many ranks are not written.  --cut: a third of the ranks lose up to C of their first or last operations.
--offset: utcEpochNs is wrong by up to so much.  --hosts: so many host names.  --created: communicators are created
in the trace.  --unlabelled: no setup labels.
"""
import argparse
import os
import random
import sqlite3
import struct
from collections import Counter

TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL,
    nameEnum INTEGER NOT NULL, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
    launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
    gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
    blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
    localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
    sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
    callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
    category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
    domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER,
    int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER,
    numEntries INTEGER, payloadSize INTEGER, alignTo INTEGER);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL,
    flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
"""
ID, SIZE, PEER = ("NCCL communicator ID", 18, None), ("Message size [bytes]", 22, 8), ("Peer rank", 5, 16)
ROOT, OP = ("Root", 5, 16), ("Reduction operation", 16777236, 16)
SCHEMAS = {"ncclAllGather": (4, [ID, SIZE]), "ncclAllReduce": (5, [ID, SIZE, OP]), "ncclBroadcast": (6, [ID, SIZE, ROOT]),
           "ncclReduceScatter": (7, [ID, SIZE, OP]), "ncclAlltoAll": (8, [ID, SIZE]),
           "ncclGather": (12, [ID, SIZE, ROOT]), "ncclScatter": (13, [ID, SIZE, ROOT]), "ncclReduce": (14, [ID, SIZE, ROOT]),
           "ncclSend": (9, [ID, SIZE, PEER]), "ncclRecv": (10, [ID, SIZE, PEER]),
           "ncclCommInitRankConfig": (11, [ID, ("No. of ranks", 5, 8), ("Rank", 5, 12), ("CUDA device", 5, 16)])}
KERNELS = {"compute": "ampere_gemm", "allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
           "allgather": "ncclDevKernel_AllGather_RING_LL", "sendrecv": "ncclDevKernel_SendRecv",
           "reducescatter": "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "alltoall": "ncclDevKernel_SendRecv",
           "broadcast": "ncclDevKernel_Broadcast_RING_LL", "other": "ncclDevKernel_Generic"}
NAMES = list(KERNELS.values()) + list(SCHEMAS) + ["ncclGroupStart", "ncclGroupEnd", "cudaLaunchKernelExC_v11060"]
IDS = {name: i + 1 for i, name in enumerate(NAMES)}
SPACE = 20000           # ns between the kernels of a rank, at least: a launch with its ranges fits in


def run(n, steps, computes, p2p, chance):
    """The job on one clock.  work[rank]: (start, end, kind, comm, members, wait, last, number)."""
    world = chance.getrandbits(64)
    pair = [chance.getrandbits(64) for _ in range((n + 1) // 2)]
    now = [100000000 + chance.randrange(200000) for _ in range(n)]
    work, marks, made = [[] for _ in range(n)], [[] for _ in range(n)], Counter()

    def collective(kind, comm, ranks, members, needs_all=True):
        starts = {r: now[r] + SPACE + chance.randrange(1000) for r in ranks}
        finish = max(starts.values()) + 100000 + chance.randrange(200000)
        last = max(ranks, key=lambda r: starts[r])
        for r in ranks:
            end = finish + chance.randrange(1000) if needs_all else starts[r] + 50000 + chance.randrange(1000)
            work[r].append((starts[r], end, kind, comm, members(r), starts[last] - starts[r] if needs_all else None,
                            last if needs_all else None, made[comm]))
            now[r] = end
        made[comm] += 1

    def ring():
        starts = [now[r] + SPACE + chance.randrange(1000) for r in range(n)]
        for r in range(n):
            near = sorted({r, (r + 1) % n, (r - 1) % n}, key=lambda q: starts[q])
            end = starts[near[-1]] + 60000 + chance.randrange(1000)
            work[r].append((starts[r], end, "sendrecv", world, [("ncclSend", world, 1 << 18, (r + 1) % n),
                            ("ncclRecv", world, 1 << 18, (r - 1) % n)], starts[near[-1]] - starts[r], near[-1],
                            None))
            now[r] = end

    for step in range(steps):
        late = chance.randrange(n)
        for r in range(n):
            marks[r].append(now[r])
            for _ in range(computes):
                start = now[r] + SPACE + chance.randrange(5000)
                now[r] = start + 30000 + chance.randrange(20000)
                work[r].append((start, now[r], "compute", None, [], None, None, None))
            now[r] += chance.randrange(200000, 900000) if r == late else 0
        for i, comm in enumerate(pair):
            ranks = [r for r in (2 * i, 2 * i + 1) if r < n]
            collective("allreduce", comm, ranks, lambda r: [("ncclAllReduce", comm, 1 << 20, 0)])
        collective("allgather", world, range(n), lambda r: [("ncclAllGather", world, 1 << 16, None)])
        collective("allreduce", world, range(n), lambda r: [("ncclAllReduce", world, 1 << 22, 0),
                                                            ("ncclAllReduce", world, 1 << 12, 0)])
        for r in range(n):                                  # a compute kernel beside it
            start = work[r][-1][0] + SPACE + chance.randrange(20000)
            work[r].append((start, start + 20000 + chance.randrange(40000), "compute", None, [], None, None, None))
        if p2p and n > 1:
            ring()
        if step % 4 == 0:
            collective("broadcast", world, range(n), lambda r: [("ncclBroadcast", world, 1 << 14, 0)], False)
    for r in range(n):
        marks[r].append(now[r])
    return world, pair, work, marks


def payload(name, comm, *fields):
    schema, entries = SCHEMAS[name]
    if name == "ncclCommInitRankConfig":
        data = struct.pack("<Qiiii", comm, *fields, 0, 0)
    elif len(entries) == 2:
        data = struct.pack("<QQ", comm, fields[0])
    else:
        data = struct.pack("<QQii", comm, fields[0], fields[1], 0)
    return struct.pack("<4Q", 1, (1 << 24) + schema, len(data), 32) + data


class Writer:
    def __init__(self, path, host, utc):
        if os.path.exists(path):
            os.remove(path)
        self.db = sqlite3.connect(path)
        self.db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + TABLES)
        self.many("StringIds", [(i, name) for name, i in IDS.items()])
        self.many("META_DATA_EXPORT", [("EXPORT_SCHEMA_VERSION", "3.20.3"), ("EXPORT_SCHEMA_VERSION_MAJOR", "3"),
                                       ("EXPORT_SCHEMA_VERSION_MINOR", "20"), ("EXPORT_SCHEMA_VERSION_MICRO", "3")])
        self.many("TARGET_INFO_SESSION_START_TIME", [(utc, "", "")])
        self.many("TARGET_INFO_SYSTEM_ENV", [(1 << 48, "Local (CLI)", "Hostname", 619, host)])

    def many(self, table, rows):
        rows = list(rows)
        if rows:
            self.db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(rows[0]))), rows)

    def schemas(self):
        self.many("NVTX_PAYLOAD_SCHEMAS", [(1, (1 << 24) + s, None, 1, None, len(e), 16 if len(e) == 2 else 24, None)
                                           for s, e in SCHEMAS.values()])
        self.many("NVTX_PAYLOAD_SCHEMA_ENTRIES", [(1, (1 << 24) + s, i, None, kind, name, None, None, at)
                                                  for s, e in SCHEMAS.values() for i, (name, kind, at) in enumerate(e)])

    def rank(self, r, n, work, marks, o, comms, pid=None):
        """Rows of one process; pid 1000 + r unless it is given, one thread, GPU r modulo 8.  A member of a group that is
        only a name has no payload; with o.plain none has.  A ninth field of work is the range around it."""
        pid = pid or 1000 + r
        tid = (1 << 48) + (pid << 24) + pid
        kernels, calls, events = [], [], []
        plain = getattr(o, "plain", False)

        def event(start, end, kind, text, name, domain, blob=None):
            events.append((start, end, kind, None, None, None, text, tid, None, name and IDS[name], domain) +
                          (None,) * 8 + (blob,))

        event(-1000, None, 75, "NCCL", None, 1)
        if not o.unlabelled:
            event(marks[0] - 50000, marks[0] - 49000, 59, getattr(o, "label", "rank=%d; dp=%d/%d" % (r, r, n)), None, 0)
        if o.created:
            for i, (comm, size, mine) in enumerate(comms):
                event(marks[0] - 40000 + 2000 * i, marks[0] - 39000 + 2000 * i, 59, None, "ncclCommInitRankConfig", 1,
                      payload("ncclCommInitRankConfig", comm, size, mine))
        for step, (a, b) in enumerate(zip(marks, marks[1:])):
            event(a, b - 1, 59, "step %d" % step, None, 0)
        for corr, (start, end, kind, comm, members, *more) in enumerate(work, 1):
            launch = start - 6000
            if len(more) > 3 and more[3]:
                event(launch - 1500, launch + 5500, 59, more[3], None, 0)
            name = IDS[KERNELS[kind]]
            kernels.append((start, end, r % 8, 1, None, 7 if kind != "allreduce" else 24, corr, tid >> 24 << 24, name, name,
                            None, 1, 0, 32, 8, 1, 1, 128, 1, 1, 0, 0, 0, 0, corr, None, None, None))
            calls.append((launch, launch + 4000, 0, tid, corr, IDS[NAMES[-1]], 0, None))
            at, step = launch - 8000, 1000
            if len(members) > 1:
                event(at, at + 500, 59, None, "ncclGroupStart", 1)
                for m in members:
                    at += step
                    event(at, at + 500, 59, None, m[0], 1, payload(*m) if len(m) > 1 and not plain else None)
                event(launch - 1000, launch + 5000, 59, None, "ncclGroupEnd", 1)
            elif members:
                event(launch - 1000, launch + 5000, 59, None, members[0][0], 1,
                      None if plain else payload(*members[0]))
        self.many("CUPTI_ACTIVITY_KIND_KERNEL", kernels)
        self.many("CUPTI_ACTIVITY_KIND_RUNTIME", calls)
        self.many("NVTX_EVENTS", events)

    def close(self):
        self.db.commit()
        self.db.close()


def cut(work, most, chance):
    """Without up to so many of the first or of the last operations; compute stays."""
    gone = chance.randrange(1, most + 1)
    comm = [w for w in work if w[2] != "compute"]
    drop = {id(w) for w in (comm[:gone] if chance.random() < 0.5 else comm[-gone:])}
    return [w for w in work if id(w) not in drop]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("n", type=int)
    a.add_argument("out")
    for name, default in (("steps", 20), ("compute", 10), ("seed", 1), ("processes", 1), ("missing", 0), ("cut", 0),
                          ("offset", 0), ("hosts", 1)):
        a.add_argument("--" + name, type=int, default=default)
    for name in ("created", "unlabelled", "no-p2p"):
        a.add_argument("--" + name, action="store_true")
    o = a.parse_args()
    chance = random.Random(o.seed)
    os.makedirs(o.out, exist_ok=True)
    world, pair, work, marks = run(o.n, o.steps, o.compute, not o.no_p2p, chance)
    missing = set(chance.sample(range(o.n), o.missing))
    with open(os.path.join(o.out, "truth.tsv"), "w") as truth:
        print("rank\tstart_ns\top\tcomm\twait_ns\tlast\tnumber", file=truth)
        for first in range(0, o.n, o.processes):
            ranks = [r for r in range(first, min(first + o.processes, o.n)) if r not in missing]
            begun = chance.randrange(50000000)
            wrong = chance.randrange(-o.offset, o.offset + 1)
            if not ranks:
                continue
            w = Writer(os.path.join(o.out, "rank-%04d.sqlite" % first), "host%d" % (first * o.hosts // o.n),
                       1700000000000000000 + begun + wrong)
            for r in ranks:
                mine = [(x[0] - begun, x[1] - begun) + x[2:] for x in work[r]]
                if o.cut and chance.random() < 1 / 3:
                    mine = cut(mine, o.cut, chance)
                two = [q for q in (r // 2 * 2, r // 2 * 2 + 1) if q < o.n]
                w.schemas()
                w.rank(r, o.n, mine, [m - begun for m in marks[r]], o, [(world, o.n, r), (pair[r // 2], len(two), r % 2)])
                for x in mine:
                    if x[2] != "compute":
                        print(r, x[0], x[2], "%016x" % x[3], *("-" if y is None else y for y in x[5:]), sep="\t", file=truth)
            w.close()


if __name__ == "__main__":
    main()
