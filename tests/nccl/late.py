#!/usr/bin/env python3
"""Jobs of four ranks on imagined machines, of whom one is late, or nobody is, or it only looks so.

    late.py DIR           a trace for each job in DIR, with NCCL's payloads
    late.py --list        name; rank that is late (- for nobody), cause, where; share of its steps in percent, and how late in each

A rank is a machine of advise/cases.py.  A collective ends for all 200us after the last has come.
"""
import os
import random
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "advise")]
from cases import ADD, BF16, MS, NCCL, SCHEMA, US, Machine  # noqa: E402
from generate import SCHEMAS, TABLES, payload  # noqa: E402

RANKS, STEPS, PAYLOADS = 4, 12, "NVTX_PAYLOAD"


class Rank(Machine):
    def __init__(self, number):
        super().__init__()
        self.number, self.from_step = number, 0
        self.host(number * 30 * US)

    def range(self, name, **what):
        """A range with so much compute, time on the CPU, or a copy in it."""
        self.push(name)
        self.host(what.get("host", 0))
        for _ in range(what.get("kernels", 0)):
            self.kernel(BF16, what.get("each", 200 * US))
            self.kernel(ADD, 20 * US)
        for _ in range(what.get("spins", 0)):
            self.kernel("spin_kernel", what["spin"])
        if "copy" in what:
            self.copy(what["copy"], 1 << 20, pageable=what.get("pageable", False))
        self.pop()


class Job:
    def __init__(self, program):
        self.ranks, self.chance = [Rank(r) for r in range(RANKS)], random.Random(program.__name__)
        self.shared = False
        for i in range(STEPS):
            for r in self.ranks:
                r.push("step %d" % i)
            program(self, i)
            for r in self.ranks:
                r.pop()

    def each(self, late, **what):
        """forward of all ranks, with more of some kind on one."""
        for r in self.ranks:
            r.range("forward", **{**dict(kernels=10), **(what if r.number == late else {})})

    def reduce(self, ranks=range(RANKS), comm=1, where="backward", ns=200 * US, size=1 << 20, blocks=8, calls=None):
        """calls: by rank, its call of NCCL and the peer, if it is not ncclAllReduce."""
        at = {}
        for n in ranks:
            r = self.ranks[n]
            r.push(where)
            before = r.now
            corr = r.call("cudaLaunchKernelExC")
            name, peer = (calls or {}).get(n, ("ncclAllReduce", 0))
            r.rows["NVTX"].append((before - 1, r.now + 1, 59, name, r.thread, None, 1, payload(name, comm, size, peer)))
            at[n] = (r.run(24, 0, max(r.now, r.free.get(7, 0))), corr)
            r.pop()
        end = max(start for start, _ in at.values()) + ns
        for n, (start, corr) in at.items():
            r = self.ranks[n]
            r.free[7] = r.free[24] = end
            r.rows["KERNEL"].append((start, end, 0, 1, 24, corr, 0, r.name(NCCL), r.name(NCCL), blocks, 1, 1, 128, 1, 1, 0))

    def sync(self):
        for r in self.ranks:
            r.sync()

    def write(self, path):
        db = sqlite3.connect(path)
        db.executescript(SCHEMA + "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;" +
                         "".join(s + ";" for s in TABLES.split(";") if PAYLOADS in s) + "DELETE FROM TARGET_INFO_GPU;"
                         "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER)")
        texts = {}
        for r in self.ranks:
            process = (1000 + r.number) << 24
            device = 0 if self.shared else r.number
            from_ns = min((row[0] for row in r.rows["NVTX"] if row[3] == "step %d" % r.from_step), default=0)
            ids = {i: texts.setdefault(n, len(texts) + 1) for n, i in r.names.items()}
            keep = {t: [row for row in rows if row[0] >= from_ns] for t, rows in r.rows.items()}
            db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", [
                (a, b, process | 1000 + r.number, corr, ids[name]) for a, b, _, corr, name in keep["RUNTIME"]])
            corrs = {row[3] for row in keep["RUNTIME"]}
            db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%s)" % ",".join("?" * 16), [
                (k[0], k[1], device, 1, k[4], k[5], process, ids[k[7]], ids[k[8]]) + k[9:] for k in keep["KERNEL"] if k[5] in corrs])
            db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (%s)" % ",".join("?" * 11), [
                (c[0], c[1], device) + c[3:6] + (process,) + c[7:] for c in keep["MEMCPY"]])
            events = [n[:4] + (process | 1000 + r.number,) + n[5:] + (None,) * (8 - len(n)) for n in keep["NVTX"]]
            events += [(0, None, 75, "NCCL", process, None, 1, None), (0, 1, 59, "rank=%d; dp=%d/4" % (r.number, r.number),
                       process | 1000 + r.number, None, 0, None)]
            db.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?,?)", events)
            db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1,?,NULL,1,NULL,?,?,NULL)", [
                ((1 << 24) + s, len(e), 16 if len(e) == 2 else 24) for s, e in SCHEMAS.values()] if r.number == 0 else [])
            db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,?,?,NULL,?,?,NULL,NULL,?)", [
                ((1 << 24) + s, i, kind, name, at) for s, e in SCHEMAS.values() for i, (name, kind, at) in enumerate(e)] if r.number == 0 else [])
            db.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, ?, ?)", (device, device, 1000 + r.number))
            if device == r.number:
                db.execute("INSERT INTO TARGET_INFO_GPU VALUES (?, 'NVIDIA H200', ?, ?, 132)", (device, "0000:%02x:00.0" % device, "GPU-%d" % device))
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, n) for n, i in texts.items()])
        db.commit()
        db.close()


# ---- jobs: a step of each

def even(job, i):
    """Nobody is late: kernels differ a little, and who comes last is chance."""
    for r in job.ranks:
        r.range("forward", kernels=10, each=200 * US + job.chance.randrange(8 * US))
    job.reduce()


def computes_more(job, i):
    job.each(2, kernels=15)
    job.reduce()


def computes_more_sometimes(job, i):
    job.each(2 if i % 4 == 3 else -1, kernels=20)
    job.reduce()


def cpu(job, i):
    """The CPU of one works before its step's first launch, so that all of it lies in the window of the step before."""
    for r in job.ranks:
        r.range("tokenize", host=1 * MS if r.number == 1 else 0)
    job.each(-1)
    job.reduce()
    job.sync()


def cpu_sometimes(job, i):
    for r in job.ranks:
        r.range("tokenize", host=1 * MS if r.number == 1 and i % 4 == 2 else 0)
    job.each(-1)
    job.reduce()
    job.sync()


def copies(job, i):
    for r in job.ranks:
        if r.number == 3:
            r.range("load", copy=800 * US, pageable=True)
    job.each(-1)
    job.reduce()


def once(job, i):
    """One step in twelve: nothing that could be mended."""
    job.each(2 if i == 5 else -1, kernels=20)
    job.reduce()


def nearly(job, i):
    """Late by 4 % of the step."""
    job.each(2, each=209 * US)
    job.reduce()


def just(job, i):
    """Late by 8 %."""
    job.each(2, each=220 * US)
    job.reduce()


def nearly_sends(job, i):
    """Rank 2 has 8 % more to do, and rank 3, to which it sends, 4 %: it is late by 4 %, which counts once."""
    for r in job.ranks:
        r.range("forward", kernels=10, each={2: 220, 3: 211}.get(r.number, 200) * US)
    for a in (0, 2):
        job.reduce([a, a + 1], calls={a: ("ncclSend", a + 1), a + 1: ("ncclRecv", a)})


def chain(job, i):
    """Rank 0 keeps rank 1 waiting, which is late therefore when it meets rank 2, and so on."""
    job.each(0, kernels=15)
    for a in range(RANKS - 1):
        job.reduce([a, a + 1], comm=10 + a)


def hidden(job, i):
    """Rank 1 computes more too, but rank 2 most: nobody waits for rank 1."""
    for r in job.ranks:
        r.range("forward", kernels={1: 13, 2: 18}.get(r.number, 10))
    job.reduce()


def less(job, i):
    """Rank 3 computes more in one range and as much less in another: it arrives with the others."""
    for r in job.ranks:
        r.range("embed", kernels=8 if r.number == 3 else 2)
        r.range("forward", kernels=4 if r.number == 3 else 10)
    job.reduce()


def stages(job, i):
    """Ranks do different things that take as long."""
    for r in job.ranks:
        r.range("stage " + "abcd"[r.number], kernels=10)
    job.reduce()


def slow_link(job, i):
    """One leaves a collective later than the others, and so is last at the next, without doing more."""
    job.each(-1)
    job.reduce()
    job.ranks[1].free[7] += 500 * US
    job.ranks[1].rows["KERNEL"][-1] = (job.ranks[1].rows["KERNEL"][-1][0], job.ranks[1].free[7]) + job.ranks[1].rows["KERNEL"][-1][2:]


def turns(job, i):
    """One GPU for all: how many turns of the others a kernel lasts is chance, and so is who comes last."""
    job.shared = True
    for r in job.ranks:
        r.range("forward", kernels=9)
        r.range("forward", kernels=1, each=200 * US + job.chance.choice([0, 0, 1, 2]) * MS)
    job.reduce()


def turns_and_late(job, i):
    """The same, and one runs a long kernel that the others do not have in every third step."""
    turns(job, i)
    if i % 3 == 1:
        job.ranks[1].range("forward", spins=1, spin=35 * MS)
    job.reduce()


def cut(job, i):
    """The captures of the others begin two steps later, and steps differ: they must not be compared with those before."""
    for r in job.ranks:
        r.from_step = 0 if r.number == 0 else 2
        r.range("forward", kernels=(12 if i % 3 == 0 else 10) + (2 if r.number == 0 and i % 4 == 3 else 0))
    job.reduce()


def fuses_more(job, i):
    """Pointwise kernels that could be one; the late rank has twice as many."""
    for r in job.ranks:
        r.push("mlp")
        for _ in range(8 if r.number == 2 else 4):
            r.kernel(BF16, 20 * US)
            for _ in range(6):
                r.kernel(ADD, 60 * US)
        r.pop()
    job.reduce()


def late_and_saves(job, i):
    """A rank is late in two steps, and in one of them all ranks save: that step alone is long."""
    computes_more_sometimes(job, i)
    for r in job.ranks:
        r.sync()
        r.range("save", host=20 * MS if i == 7 else 0)


def tiny_by_size(job, i):
    job.each(-1)
    for _ in range(21):
        job.reduce(size=65535, blocks=1)


def small_by_size(job, i):
    """Nothing but their sizes says that these are not tiny."""
    job.each(-1)
    for _ in range(21):
        job.reduce(size=65536, blocks=1)


JOBS = [        # program; who is late, by what and where; in how many steps of a hundred, by how many nanoseconds in each
    (even,), (computes_more, 2, "gpu", "forward", "100.00", 1110000), (computes_more_sometimes, 2, "gpu", "forward", "18.18", 2220000),
    (cpu, 1, "host", "tokenize", "90.91", 1000000), (cpu_sometimes, 1, "host", "tokenize", "27.27", 1000000),
    (copies, 3, "copy.pageable", "load", "100.00", 800000), (once,), (nearly,), (nearly_sends,), (just, 2, "gpu", "forward", "100.00", 200000),
    (chain, 0, "gpu", "forward", "100.00", 920000), (hidden, 2, "gpu", "forward", "100.00", 1110000), (less,), (stages,),
    (slow_link,), (turns,), (turns_and_late, 1, "gpu", "forward", "36.36", 35000000), (cut, 0, "gpu", "forward", "18.18", 444000),
    (fuses_more, 2, "gpu", "mlp", "100.00", 1548000), (late_and_saves, 2, "gpu", "forward", "18.18", 2220000), (tiny_by_size,), (small_by_size,),
]


def main():
    for program, *truth in JOBS:
        if sys.argv[1] == "--list":
            print(program.__name__, *(truth or "-----"), sep="\t")
        elif not sys.argv[2:] or program.__name__ in sys.argv[2:]:
            Job(program).write(os.path.join(sys.argv[1], program.__name__ + ".sqlite"))


if __name__ == "__main__":
    main()
