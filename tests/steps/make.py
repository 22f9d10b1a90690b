"""Small traces whose steps are known: a program that launches work, as a table of the trace.

    run = Run()
    with run.range("step 0"):
        run.work("gemm gemm norm d2h")
    run.write("/tmp/x.sqlite")

A word of work() is a kernel, `name:GRID` one of another grid, `name*N` one that takes N us (1 if not said), `h2d d2h d2d` a copy,
`set` a memory set, `graph1` a whole graph, `load` a call that loads a module, `sync` one that synchronizes, `wait` 5 us in which
nothing is called.  `@2` and `@1` go on to another thread and back.
"""
import contextlib
import os
import random
import sqlite3

COPIES = {"h2d": 1, "d2h": 2, "d2d": 8, "um": 11}
K = "CUPTI_ACTIVITY_KIND_"


class Run:
    def __init__(self, pid=5):
        self.now, self.gpu, self.corr = 1000, 1000, 0
        self.rows = {"KERNEL": [], "MEMCPY": [], "MEMSET": [], "GRAPH_TRACE": [], "RUNTIME": [], "NVTX": []}
        self.names = {}
        self.tid = pid << 24 | pid
        self.pid = pid << 24

    def process(self, pid):
        """What follows is done by another process, at the same time."""
        self.tid, self.pid, self.now, self.gpu = pid << 24 | pid, pid << 24, 1000, 1000

    def text(self, name):
        return self.names.setdefault(name, len(self.names) + 1)

    def call(self, name, corr=None):
        self.rows["RUNTIME"].append((self.now, self.now + 1000, self.tid, corr or 0, self.text(name)))
        self.now += 2000

    def piece(self, word, launched=True):
        name, _, us = word.partition("*")
        name, _, grid = name.partition(":")
        at = self.now
        self.corr += 1
        if launched:
            self.call("cudaMemcpyAsync" if name in COPIES else "cudaGraphLaunch" if name.startswith("graph") else "cudaLaunchKernel", self.corr)
        start = max(at + 500, self.gpu)
        end = self.gpu = start + int(float(us or 1) * 1000)
        where = (start, end, 0, 1, 7, self.corr if launched else self.corr + 10**6, self.pid)
        if name in COPIES:
            self.rows["MEMCPY"].append(where + (64, COPIES[name]))
        elif name == "set":
            self.rows["MEMSET"].append(where + (64,))
        elif name.startswith("graph"):
            self.rows["GRAPH_TRACE"].append(where + (int(name[5:]),))
        else:
            self.rows["KERNEL"].append(where + (self.text(name), self.text(name), int(grid or 1), 1, 1, 32, 1, 1))

    def work(self, words, launched=True):
        for word in words.split():
            if word == "load":
                self.call("cuModuleLoadData")
            elif word == "sync":
                self.call("cudaStreamSynchronize")
            elif word[0] == "@":
                self.tid = self.pid | (self.pid >> 24) + int(word[1]) - 1
            elif word == "wait":
                self.now += 5000
            else:
                self.piece(word, launched)

    @contextlib.contextmanager
    def range(self, name, wait=False):
        """With wait it closes when its work is done."""
        start = self.now
        yield
        self.now = max(self.now, self.gpu) + 1000 if wait else self.now
        self.rows["NVTX"].append((start, self.now, 59, name, self.tid, None, 0))
        self.now += 100

    def write(self, path, shuffled=None):
        """shuffled: a seed for another order of rows, which changes nothing."""
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path)
        db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        common = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER"
        tables = {"KERNEL": common + ", demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
                  "blockX INTEGER, blockY INTEGER, blockZ INTEGER", "MEMCPY": common + ", bytes INTEGER, copyKind INTEGER",
                  "MEMSET": common + ", bytes INTEGER", "GRAPH_TRACE": common + ", graphId INTEGER",
                  "RUNTIME": "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
                  "NVTX": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER"}
        db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, n) for n, i in self.names.items()])
        for name, columns in tables.items():
            rows = list(self.rows[name])
            if shuffled is not None:
                random.Random(shuffled).shuffle(rows)
            if rows or name != "GRAPH_TRACE":
                table = "NVTX_EVENTS" if name == "NVTX" else K + name
                db.execute(f"CREATE TABLE {table} ({columns})")
                if rows:
                    db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.commit()
        db.close()
