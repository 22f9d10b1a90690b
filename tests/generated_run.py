"""A run made up for tests of nsq-diff: steps of a few kernels, of which every time is a little different.

    generated_run.py OUT.sqlite [steps=60] [seed=1] [gemm=1.0] [host=1.0] [speed=1.0] [noise=0.02] [ranks=1]

gemm, host and speed are factors: of the time of one kernel, of what the CPU does between two steps, of all times.  One step in thirty is
twice as slow, as happens on real machines.
"""
import random
import sqlite3
import sys

SCHEMA = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
	correlationId INTEGER, nameId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
	demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
	textId INTEGER, domainId INTEGER);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'flash_fwd'), (3, 'layer_norm'), (4, 'ncclDevKernel_AllReduce'),
	(8, 'cudaLaunchKernel'), (9, 'cudaStreamSynchronize');
"""
GEMM, FLASH, NORM, NCCL, LAUNCH, SYNC = 1, 2, 3, 4, 8, 9
LENGTH = {GEMM: 60000, FLASH: 40000, NORM: 8000, NCCL: 30000}
STEP = [NORM, GEMM, FLASH, GEMM, NORM, GEMM, GEMM, NCCL] * 2


class Rank:
    """One process: its CPU and its GPU, which the CPU runs ahead of."""

    def __init__(self, db, number, options):
        self.db, self.options = db, options
        self.rng = random.Random(options["seed"] * 1000 + number)
        self.pid = (100 + number) << 24
        self.cpu, self.gpu, self.calls = 1000, 0, 0
        if options["ranks"] > 1:
            self.range(500, 600, f"rank={number}; dp={number}/{int(options['ranks'])}; none")

    def about(self, ns):
        return max(1, round(ns * self.rng.gauss(1, self.options["noise"]) * self.slow * self.options["speed"]))

    def range(self, start, end, name):
        self.db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)", (start, end, name, self.tid()))

    def tid(self):
        return self.pid | self.pid >> 24

    def call(self, length, name):
        self.calls += 1
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)",
                        (self.cpu, self.cpu + length, self.tid(), self.calls, name))
        self.cpu += length

    def launch(self, kernel):
        start = max(self.cpu + self.about(5000), self.gpu + self.about(1000))
        factor = self.options["gemm"] if kernel == GEMM else 1
        self.gpu = start + self.about(LENGTH[kernel] * factor)
        self.call(self.about(4000), LAUNCH)
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?)",
                        (start, self.gpu, self.calls, self.pid, kernel, kernel))

    def step(self, number):
        self.slow = 2 if self.rng.random() < 1 / 30 else 1
        begin = self.cpu
        for kernel in STEP:
            self.launch(kernel)
        self.call(max(1000, self.gpu - self.cpu + self.about(2000)), SYNC)
        self.range(begin, self.cpu, f"step {number}")
        self.cpu += self.about(200000 * self.options["host"])


def make(path, **options):
    options = {"steps": 60, "seed": 1, "gemm": 1.0, "host": 1.0, "speed": 1.0, "noise": 0.02, "ranks": 1, **options}
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    for number in range(int(options["ranks"])):
        rank = Rank(db, number, options)
        for step in range(int(options["steps"])):
            rank.step(step)
    db.commit()
    db.close()


if __name__ == "__main__":
    make(sys.argv[1], **{name: float(value) for name, value in (a.split("=") for a in sys.argv[2:])})
