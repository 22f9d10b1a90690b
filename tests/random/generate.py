"""Small random traces: SQLite exports in the schema of a recent nsys, full of hard cases.

Times are few, so that equal starts and ends, touching intervals and intervals of no length are
frequent.  Ranges of one thread cross.  API calls of one thread nest, as calls do.  Correlation ids
repeat in each process, are shared by several works or several calls, or are missing.  With loop there
is one more process, which copies, computes and waits as programs do.
"""
import random
import sqlite3

SCHEMA = """
PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.1.1'), ('EXPORT_SCHEMA_VERSION', '3.13.2');
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
	eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
	returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
	globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
	category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
	domainId INTEGER);
"""

PUSH_POP, START_END, MARK, DOMAIN, THREAD_NAME = 59, 60, 34, 75, 39

CALLS = ["cudaLaunchKernel_v7000", "cudaLaunchKernel_v7000", "cuLaunchKernelEx_ptsz", "cudaGraphLaunch_v10000",
         "cudaStreamSynchronize_v3020", "cudaDeviceSynchronize_v3020", "cudaEventSynchronize",
         "cudaMemcpyAsync_v3020_ptsz", "cudaMalloc_v3020", "cudaHostAlloc", "cudaFree_v3020", "cudaFree_v3020",
         "cudaGraphInstantiate", "cudaEventRecord_v3020", "cudaStreamCreate", "cuModuleLoadData", "cudaGetDevice_v3020"]
COMPUTE = [("gemm", "void gemm<float, 128>(float*)"), ("gemm", "void gemm<half, 64>(half*)"),
           ("softmax", "softmax(float*)"), ("Xnccl", "Xnccl()")]
COMM = [("ncclDevKernel_AllReduce", "ncclDevKernel_AllReduce(void*)"), ("NCCL_send", "NCCL_send()"),
        ("ncclDevKernel_SendRecv", "ncclDevKernel_SendRecv(int)")]
RANGES = ["step 1", "step 2", "step 10", "layer1.stage2_f", "layer12.stage4_b", "a_stage1_b_b_stage3_w.x",
          "ncclAllReduce", "forward", "p2p", "op7", "next batch", "getData"]
DOMAINS = ["NCCL", "app", "NCCL2"]
MPI = ["MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"]


class Generator:
    """One random trace.  `same_pid`: two processes may have one pid and differ above it.  `loop`: see above."""

    def __init__(self, seed, same_pid=False, loop=False):
        self.rng = random.Random(seed)
        self.seed = seed
        self.same_pid = same_pid
        self.loop = loop
        self.big = seed % 20 == 7                     # now and then more events than the tools keep in one block
        self.span = 900 if self.big else self.rng.choice([8, 14, 30, 60])
        self.unit = self.rng.choice([1, 1, 500, 5000])   # with the large, gaps of 1 us and kernels of 10 us
        self.length = self.rng.choice([3, 6, 15])
        self.nested = self.rng.random() < 0.35        # no ranges cross
        self.names = self.rng.sample(RANGES, 5)       # few, so that ranges of one name stand in each other
        self.mpi_rng, self.calls_of_mpi = random.Random(f"mpi {seed}"), []
        self.tables = self.mpi_rng.randint(1, 4)      # of MPI calls
        self.strings = {}
        self.rows = {}

    def some(self, small, large):
        return self.rng.randint(small, large) * (40 if self.big else 1)

    def chance(self, p):
        return self.rng.random() < p

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings) + 1)

    def add(self, table, row):
        self.rows.setdefault(table, []).append(row)

    def times(self):
        """A random interval, now and then one that begins before 0."""
        start = self.rng.randint(0, self.span)
        if self.chance(0.03):
            start = -self.rng.randint(1, 4)
        length = self.rng.choice([0, 1, self.rng.randint(1, self.length), self.rng.randint(1, self.length)])
        return start * self.unit, (start + length) * self.unit

    def make(self):
        above = self.rng.choice([0, 0, 1, 0x7f]) << 24    # of the ids of all processes, above the pid
        for number in range(self.rng.choice([1, 2, 2, 3])):
            pid = 10 * (number + 1)
            if self.same_pid and number and self.chance(0.7):
                pid, above = 10, above + (1 << 24)
            self.process(above | pid, pid)
        if self.loop:
            self.steps(above | 40, random.Random(f"loop {self.seed}"))
        return self

    def process(self, proc, pid):
        rng = self.rng
        tids = rng.sample([pid, pid + 1, pid + 2], rng.randint(1, 3))
        if self.chance(0.6) and pid not in tids:
            tids[0] = pid                                        # the main thread
        self.add("PROCESSES", (proc << 24, pid, f"python{pid}"))
        self.mpi(proc, tids + [pid + 5])
        calls = self.calls(proc, tids)
        if self.chance(0.9):
            self.works(proc, calls)
        if self.chance(0.95):
            self.annotations(proc, tids)

    # ---- API calls

    def calls(self, proc, tids):
        """Calls nest on their thread.  Some share an id, some have none."""
        made = []
        for number in range(self.some(3, 14)):
            tid, (start, end) = self.rng.choice(tids), self.times()
            end += self.rng.choice([0, 0, self.rng.randint(1, self.length)]) * self.unit
            corr = self.rng.choice([0, None]) if self.chance(0.05) else number + 1
            if made and self.chance(0.25):                       # a call inside another
                tid, outer, until, _ = self.rng.choice(made)
                start, end = min(outer + self.unit, until), until
            if made and self.chance(0.2):                        # the id of another call
                _, other, _, corr = self.rng.choice(made)
                if self.chance(0.5):                             # and its start
                    start, end = other, other + max(0, end - start)
            if all(t != tid or nests(start, end, s, e) and not (s == start and c == corr) for t, s, e, c in made):
                made.append((tid, start, end, corr))
        for tid, start, end, corr in made:
            self.add("CUPTI_ACTIVITY_KIND_RUNTIME", (start, end, 0, proc << 24 | tid, corr,
                                                     self.string(self.rng.choice(CALLS)), 0, None))
        return made

    def mpi(self, proc, tids):
        """MPI calls, which may cross; some of a thread that does nothing else.  They draw numbers of their own, so that the
        rest of the trace does not depend on them."""
        kept, self.rng = self.rng, self.mpi_rng
        for _ in range(self.rng.randint(0, 8)):
            start, end = self.times()
            end += self.rng.randint(0, self.length) * self.unit
            self.calls_of_mpi.append((self.rng.choice(MPI[:self.tables]), start, None if self.chance(0.05) else end,
                                      proc << 24 | self.rng.choice(tids), self.rng.choice(["MPI_Wait", "MPI_Bcast"])))
        self.rng = kept

    # ---- a program

    def steps(self, proc, rng):
        """Steps of copies, kernels and waits with pauses between them, launched by one of two threads.  A wait ends some time
        before or after the work that it waits for, since the clocks of CPU and GPU differ."""
        now, busy, corr, unit = 0, 0, 0, self.unit
        self.add("PROCESSES", (proc << 24, 40, "loop"))
        for number in range(rng.randint(2, 5)):
            begin, tid = now, proc << 24 | 40 + (rng.random() < 0.2)
            for _ in range(rng.randint(2, 7)):
                now += rng.choice([0, 1, 1, 4, 9]) * unit
                kind, start = rng.choice(["in", "in", "out", "kernel", "kernel", "wait", "wait", "record", "mpi"]), now
                now += rng.choice([1, 1, 2]) * unit
                name = {"kernel": "cudaLaunchKernel_v7000", "wait": "cudaStreamSynchronize_v3020", "record": "cudaEventRecord"}
                if kind == "wait":
                    now = max(now, busy + rng.randint(-5, 2) * unit)
                if kind == "mpi":
                    self.calls_of_mpi.append((MPI[0], start, now, tid, "MPI_Wait"))
                    continue
                corr += 1
                self.add("CUPTI_ACTIVITY_KIND_RUNTIME", (start, now, 0, tid, corr, self.string(name.get(kind, "cudaMemcpyAsync_v3020")), 0, None))
                if kind in ("in", "out", "kernel"):
                    start = max(busy, start + rng.randint(1, 3) * unit)
                    busy = start + rng.randint(1, 4) * unit
                    head = (start, busy, 0, 1, None, rng.choice([7, 7, 13]), corr, proc << 24)
                    if kind == "kernel":
                        self.add("CUPTI_ACTIVITY_KIND_KERNEL", (*head, self.string("gemm"), self.string("gemm"), None))
                    else:
                        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", (*head, 64, 1 if kind == "in" else 2, 1, 2))
            if rng.random() < 0.9:
                self.add("NVTX_EVENTS", (begin, now, PUSH_POP, None, None, None, f"step {number}", tid, None, None, 0))

    # ---- GPU work

    def works(self, proc, calls):
        rng = self.rng
        gpus = rng.sample([0, 1, 3], rng.randint(1, 2))
        streams = [(gpu, rng.choice([1, 2]), rng.choice([7, 13, 14, 15])) for gpu in gpus for _ in range(3)]
        self.work(proc, streams[0], (0, self.unit), 1)           # one of some length
        sparse = self.chance(0.5)                                # more of the time is idle
        for _ in range(self.some(2, 6) if sparse else self.some(4, 14)):
            start, end = self.times()
            corr = rng.choice([0, None, 99])
            if calls and self.chance(0.85):
                _, launch, _, corr = rng.choice(calls)
                if sparse or self.chance(0.5):                   # soon after its launch
                    start = launch + rng.randint(0, 3) * self.unit
                    end = start + rng.randint(0, self.length // 2) * self.unit
            near = [s for _, s, _, _ in calls if start <= s <= end + 3 * self.unit]
            if near and self.chance(0.4):
                end = max(near)                                  # where a call starts
            self.work(proc, rng.choice(streams), (start, end), corr)

    def work(self, proc, stream, times, corr):
        rng = self.rng
        gpu, ctx, number = stream
        if self.unit > 1 and self.chance(0.1):
            times = times[0], times[0] + 10000                   # just not small
        head = (*times, gpu, ctx, None, number, corr, proc << 24)
        kind = rng.choice(["compute", "compute", "comm", "comm", "graph", "copy", "copy", "set"])
        if number >= 14 and kind in ("compute", "graph"):
            kind = "comm"                                        # a stream where all kernels communicate
        size = rng.choice([64, 4096, 999999])
        if kind in ("compute", "comm"):
            short, full = rng.choice(COMPUTE if kind == "compute" else COMM)
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", (*head, self.string(full), self.string(short), None))
        elif kind == "graph":
            self.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", (*head, rng.choice([3, 4]), 9))
        elif kind == "copy":
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", (*head, size, rng.randint(0, 14), rng.randint(0, 7),
                                                    rng.randint(0, 7)))
        else:
            self.add("CUPTI_ACTIVITY_KIND_MEMSET", (*head, 0, size, None, rng.choice([2, 2, 4])))

    # ---- NVTX

    def nvtx(self, start, end, kind, name, tid, end_tid=None, domain=0):
        text, text_id = (name, None) if self.chance(0.5) else (None, self.string(name))
        self.add("NVTX_EVENTS", (start, end, kind, None, None, None, text, tid, end_tid, text_id, domain))

    def annotations(self, proc, tids):
        rng = self.rng
        names = dict(zip(rng.sample([1, 2, 3], 2), DOMAINS[:2] if self.chance(0.8) else DOMAINS[1:]))
        for domain, name in names.items():
            self.nvtx(rng.choice([-5, 0, 2]) * self.unit, None, DOMAIN, name, proc << 24 | tids[0], domain=domain)
        if self.chance(0.5):
            self.nvtx(-3, None, THREAD_NAME, "main", proc << 24 | tids[0])
        self.label(proc << 24 | tids[0])
        self.pushed(proc, tids)
        for _ in range(self.rng.randint(0, 3)):
            start, end = self.times()
            self.nvtx(start, None if self.chance(0.1) else end, START_END, rng.choice(self.names),
                      proc << 24 | rng.choice(tids), proc << 24 | rng.choice(tids), rng.choice([0, 1, 2]))
        for _ in range(self.rng.randint(0, 2)):
            self.nvtx(self.times()[0], None, MARK, "here", proc << 24 | rng.choice(tids))

    def label(self, tid):
        """The setup label; what stands before 0, or later, or is written in another way, is none."""
        rank = self.rng.randint(0, 9)
        self.nvtx(-1, None, MARK, "rank=77; old; old", tid)
        self.nvtx(0, None, MARK, "rank of this is 66; no; no", tid)
        if self.chance(0.7):
            self.nvtx(1, None, MARK, f"rank={rank}; pp=1/2 dp=0/1; mbs=1 seq={rank}", tid)
            self.nvtx(2, None, MARK, "rank=88; late; late", tid)

    def pushed(self, proc, tids):
        """Push/pop ranges, which may cross; of two with the same times nothing says which is the inner,
        so there are none on one thread."""
        taken = []
        for _ in range(self.some(2, 14) * (3 if self.nested and not self.big else 1)):
            tid, (start, end) = self.rng.choice(tids + tids[:1]), self.times()
            if self.chance(0.6):
                end += self.rng.randint(0, self.span // 2) * self.unit   # most hold something
            if self.chance(0.08):
                end = None
            last = 10 ** 9 if end is None else end
            if all(t != tid or (s, e) != (start, last) and (not self.nested or nests(start, last, s, e))
                   for t, s, e in taken) and not (end is None and any(e == 10 ** 9 and s == start and t == tid
                                                                      for t, s, e in taken)):
                taken.append((tid, start, last))
                self.nvtx(start, end, PUSH_POP, self.rng.choice(self.names), proc << 24 | tid,
                          domain=self.rng.choice([0, 0, 1, 2, 3]))

    def write(self, path):
        db = sqlite3.connect(path)
        db.executescript(SCHEMA + "".join(f"CREATE TABLE {table} (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, "
                                          "textId INTEGER);" for table in MPI[:self.tables]))
        for table, *times, tid, name in self.calls_of_mpi:
            db.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", (*times, tid, self.string(name)))
        self.rows["StringIds"] = [(number, text) for text, number in self.strings.items()]
        for table in sorted(self.rows):
            rows = self.rows[table]
            self.rng.shuffle(rows)
            db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)
        db.commit()
        db.close()


def nests(start, end, s, e):
    """Two intervals, not the same, that do not cross: apart, or one inside the other."""
    apart = end <= s or e <= start
    return (start, end) != (s, e) and (apart or start <= s and e <= end or s <= start and end <= e)
