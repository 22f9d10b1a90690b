#!/usr/bin/env python3
"""Small programs, healthy and not, that run on an imagined CPU and GPU: what nsq-advise must, and must not, say of each.

    cases.py DIR          a trace for each case in DIR
    cases.py --list       name, kinds expected (most recoverable first, - for none) and kinds that must not appear, tab-separated

A program is a function of a machine whose calls take 4us, and whose streams run what they are given in order.
"""
import sqlite3
import sys

SCHEMA = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
	nameId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
	streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL,
	gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
	streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER,
	dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
	correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER,
	domainId INTEGER);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT, smCount INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', '0000:0a:00.0', 'GPU-1', 132);
"""
PID, US, MS = 77, 1000, 1000000
BF16, FP32, TF32, FP64 = "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN", "ampere_sgemm_128x64_nn", \
    "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_stage3_warpsize2x2x1_tensor16x8x8_kernel", "volta_dgemm_64x64_nn"
SOFTMAX, LOG_SOFTMAX = (f"void softmax_warp_forward<float, float, float, (int)10, (bool){log}, (bool)0>(T2 *, const T1 *)" for log in (0, 1))
CAST = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)>(int)"
ADD, NORM, NCCL = "vectorized_elementwise_kernel", "vectorized_layer_norm_kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


class Machine:
    def __init__(self):
        self.now, self.free, self.calls, self.corr = 10 * MS, {}, {}, 0
        self.rows = {"RUNTIME": [], "KERNEL": [], "MEMCPY": [], "NVTX": [], "MPI": [], "SCHED": []}
        self.names, self.open, self.thread = {}, [], PID

    def name(self, text):
        return self.names.setdefault(text, len(self.names) + 1)

    def call(self, name, ns=4 * US):
        self.corr += 1
        self.rows["RUNTIME"].append((self.now, self.now + ns, PID << 24 | self.thread, self.corr, self.name(name)))
        self.now += ns
        return self.corr

    def host(self, ns):
        self.now += ns

    def sleep(self, ns, works=None):
        """The thread leaves its CPU; or another one works meanwhile, of this process or of another."""
        self.rows["SCHED"] += [(self.now, 0, PID << 24 | self.thread), (self.now + ns, 1, PID << 24 | self.thread)]
        if works:
            self.rows["SCHED"] += [(self.now, 1, works), (self.now + ns, 0, works)]
        self.now += ns

    def push(self, name):
        self.open.append((self.now, name, self.thread))
        self.now += 1

    def pop(self):
        start, name, thread = self.open.pop()
        self.now += 1
        self.rows["NVTX"].append((start, self.now, 59, name, PID << 24 | thread, None, 0))

    def run(self, stream, ns, ready=None):
        start = max((self.now if ready is None else ready) + 2 * US, self.free.get(stream, 0) + 1 * US)
        self.free[stream] = start + ns
        return start

    def kernel(self, name, ns, stream=7, blocks=100, corr=None, ready=None, call=4 * US):
        corr = self.call("cudaLaunchKernel", call) if corr is None else corr
        start = self.run(stream, ns, ready)
        self.rows["KERNEL"].append((start, start + ns, 0, 1, stream, corr, PID << 24, self.name(name), self.name(name), blocks, 1, 1, 128, 1, 1, 0))

    def graph(self, kernels, stream=7, blocks=100):
        corr = self.call("cudaGraphLaunch", 10 * US)
        for name, ns in kernels:
            self.kernel(name, ns, stream, blocks, corr=corr)

    def copy(self, ns, size, pageable=False, out=False, stream=7):
        blocks = pageable
        self.corr += 1
        corr, called = self.corr, self.now
        start = self.run(stream, ns)
        end = start + ns if blocks else called + 4 * US
        self.rows["RUNTIME"].append((called, end, PID << 24 | self.thread, corr, self.name("cudaMemcpyAsync")))
        self.now = end
        kinds = (2, 0 if pageable else 1) if out else (0 if pageable else 1, 2)
        self.rows["MEMCPY"].append((start, start + ns, 0, 1, stream, corr, PID << 24, size, 2 if out else 1) + kinds)

    def migration(self, ns, stream=7):
        """The driver moves a page that the CPU touches, which waits for it; no call launches that."""
        start = self.run(stream, ns)
        self.corr += 1
        self.rows["MEMCPY"].append((start, start + ns, 0, 1, stream, self.corr, PID << 24, 1 << 16, 12, 4, 1))
        self.now = start + ns

    def sync(self, name="cudaStreamSynchronize"):
        end = max(self.now, max(self.free.values(), default=0)) + 3 * US
        self.call(name, end - self.now)

    def mpi(self, name, ns, thread=PID):
        self.rows["MPI"].append((self.now, self.now + ns, PID << 24 | thread, self.name(name)))
        self.now += ns

    def library(self, domain, name, ns):
        """A call of a library that NVTX ranges of a domain of its own tell of."""
        if not any(row[2] == 75 for row in self.rows["NVTX"]):
            self.rows["NVTX"].append((0, None, 75, domain, PID << 24 | PID, None, 1))
        self.rows["NVTX"].append((self.now, self.now + ns, 59, name, PID << 24 | PID, None, 1))
        self.now += ns

    def write(self, path):
        db = sqlite3.connect(path)
        db.executescript(SCHEMA)
        if self.rows["MPI"]:
            db.execute("CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER)")
        if self.rows["SCHED"]:
            db.execute("CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, isSchedIn INTEGER, globalTid INTEGER)")
        for table, rows in self.rows.items():
            table = {"NVTX": "NVTX_EVENTS", "MPI": "MPI_COLLECTIVES_EVENTS", "SCHED": "SCHED_EVENTS"}.get(table) or "CUPTI_ACTIVITY_KIND_" + table
            if rows:
                db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, n) for n, i in self.names.items()])
        db.commit()


def layers(m, n=12, ns=200 * US, product=BF16, host=0):
    """Products with one pointwise kernel between, in a range each."""
    m.push("forward")
    for _ in range(n):
        m.host(host)
        m.kernel(product, ns)
        m.kernel(ADD, 20 * US)
    m.pop()


# ---- the programs: what a step does

def healthy(m, i):
    layers(m)


def tf32(m, i):
    layers(m, product=TF32)


def fp64(m, i):
    layers(m, product=FP64)


def fp32(m, i):
    layers(m, product=FP32)


def fp32_of_slow_cpu(m, i):
    """Products that tensor cores would shorten, in a step that the CPU needs anyway."""
    layers(m, product=FP32, host=250 * US)


def refills(m, i):
    """After a wait the CPU has to get ahead again, but it would be without the wait."""
    layers(m)
    m.push("log")
    m.sync()
    m.host(1 * MS)
    m.pop()
    m.push("embed")
    m.kernel(ADD, 10 * US)
    m.host(300 * US)
    m.pop()


def fp32_then_sync(m, i):
    """The same with a CPU that only works after a wait."""
    layers(m, product=FP32)
    m.sync()
    m.host(1 * MS)


def gemv(m, i):
    layers(m, product="gemv2T_kernel_val")


def replayed(m, i):
    """Short kernels of a graph: launching them costs nothing."""
    m.graph([(ADD, 5 * US)] * 200)


def one_by_one(m, i):
    for _ in range(200):
        m.kernel(ADD, 5 * US)
        m.host(6 * US)


def one_by_one_with(m, long, short, host, pause=0, graph=0):
    """In one range, kernels of over and of under 10us, with code before each."""
    m.push("tail")
    for ns in [12 * US] * long + [9 * US] * short:
        m.host(host)
        m.kernel(ADD, ns)
    m.host(pause or graph)
    m.graph([(ADD, 9 * US)] * 2) if graph else m.kernel(ADD, 9 * US)
    m.pop()


def ten_small(m, i):
    """Half of ten kernels are short."""
    one_by_one_with(m, 5, 4, 60 * US)


def nine_small(m, i):
    one_by_one_with(m, 0, 8, 60 * US)


def mostly_not_small(m, i):
    one_by_one_with(m, 6, 3, 60 * US)


def small_and_90_us(m, i):
    one_by_one_with(m, 0, 20, 90 * US)


def small_and_110_us(m, i):
    """No launch takes that long: the CPU does something else."""
    one_by_one_with(m, 0, 20, 110 * US)


def small_then_pause(m, i):
    """Small kernels are no reason for a pause of over a millisecond."""
    one_by_one_with(m, 0, 20, 10 * US, pause=2 * MS)


def small_then_graph(m, i):
    """Nor for one before a graph, whose kernels are not launched one by one."""
    one_by_one_with(m, 0, 20, 10 * US, graph=900 * US)


def small_but_hidden(m, i):
    """Short kernels while a long one runs on another stream."""
    m.kernel(BF16, 3 * MS, stream=8)
    for _ in range(100):
        m.kernel(ADD, 5 * US)


def sync_and_late(m, i):
    """A wait, then CPU work before the next launch."""
    layers(m)
    m.push("log")
    m.sync()
    m.host(1 * MS)
    m.pop()


def sync_of_slow_cpu(m, i):
    """The CPU is slower than the GPU; a wait after each layer changes nothing."""
    m.push("forward")
    for _ in range(20):
        m.host(150 * US)
        m.kernel(BF16, 20 * US)
        m.sync("cudaDeviceSynchronize")
    m.pop()


def calls_of_slow_cpu(m, i):
    """The same, where the CPU spends its time in calls."""
    for _ in range(20):
        m.call("cudaEventRecord", 150 * US)
        m.kernel(BF16, 20 * US)
        m.sync()


def queued_after_sync(m, i):
    """A kernel that its stream holds back, after a wait."""
    layers(m)
    m.sync()
    m.kernel(BF16, 200 * US, stream=8, ready=m.now + 900 * US)
    m.sync()


def queued(m, i):
    """The same without a wait: it was launched in time."""
    layers(m)
    m.kernel(BF16, 200 * US, stream=8, ready=m.free[7] + 900 * US)
    m.sync()


def sync_at_end(m, i):
    """A wait at the end of each step, as a benchmark has it; the next launch follows at once."""
    layers(m, n=40)
    m.sync()


def slow_python(m, i):
    m.push("forward")
    for _ in range(20):
        m.host(300 * US)
        m.kernel(BF16, 60 * US)
    m.pop()


def pauses(m, ns):
    m.push("plan")
    for _ in range(12):
        m.host(250 * US)
        m.kernel(BF16, 60 * US)
    m.host(ns)
    m.kernel(BF16, 60 * US)
    m.pop()


def pauses_mostly_short(m, i):
    """The GPU waits for 2.2 ms in short pauses, and for less in a long one."""
    pauses(m, 1800 * US)


def pauses_mostly_long(m, i):
    pauses(m, 2700 * US)


def loader(m, i):
    """Fetching a batch takes longer than computing with it."""
    m.push("next batch")
    m.host(5 * MS)
    m.pop()
    layers(m)


def sync_before_loader(m, i):
    """The loader would keep up, were it not for the wait before it."""
    m.push("next batch")
    m.host(2 * MS)
    m.pop()
    layers(m)
    m.sync()


def prefetched(m, i):
    """The loader works while the GPU does."""
    layers(m, n=20)
    m.push("next batch")
    m.host(1 * MS)
    m.pop()


def unnamed_loader(m, i):
    """In no range, before a copy to the device."""
    m.host(5 * MS)
    m.copy(20 * US, 1 << 20)
    layers(m)


def logger(m, i):
    """The same time in a range that says otherwise: not data."""
    m.push("write log")
    m.host(5 * MS)
    m.pop()
    m.copy(20 * US, 1 << 20)
    layers(m)


def mallocs(m, i):
    m.push("housekeeping")
    m.sync("cudaFree")      # waits for the device
    m.call("cudaMalloc", 1 * MS)
    m.pop()
    layers(m)


def pins(m, i):
    """Memory of the host is registered in every step."""
    m.sync("cudaFree")
    m.call("cuMemHostRegister_v2", 1 * MS)
    layers(m)


def mallocs_ahead(m, i):
    """Allocations while the GPU has work."""
    layers(m)
    m.call("cudaMallocAsync", 300 * US)


def loads(m, i):
    layers(m)
    m.call("cuModuleLoadData", 5 * MS)


def pageable(m, i):
    m.push("next batch")
    m.copy(1 * MS, 1 << 26, pageable=True)
    m.pop()
    layers(m)


def scalar(m, i):
    """A number is fetched now and then: microseconds."""
    layers(m, n=40)
    m.copy(2 * US, 4, pageable=True, out=True)


def pinned_beside(m, i):
    layers(m)
    m.copy(1 * MS, 1 << 26, stream=9)


def pinned_alone(m, i):
    layers(m)
    m.copy(1 * MS, 1 << 26)


def copies_more(m, i):
    """More than the compute of a step can hide."""
    layers(m)
    m.copy(3 * MS, 1 << 27)


def migrates(m, i):
    """The CPU reads managed memory after the last kernel, page by page, which takes longer than the pages move."""
    layers(m)
    m.sync()
    for _ in range(100):
        m.host(50 * US)
        m.migration(10 * US)


def migrates_beside(m, i):
    """The same while kernels run."""
    layers(m)
    for _ in range(20):
        m.host(10 * US)
        m.migration(10 * US, 9)


def chain(m, i):
    m.push("mlp")
    for _ in range(4):
        m.kernel(BF16, 200 * US)
        for _ in range(6):
            m.kernel(ADD, 60 * US)
    m.pop()


def pairs(m, i):
    m.push("mlp")
    for _ in range(8):
        m.kernel(BF16, 200 * US)
        m.kernel(ADD, 60 * US)
        m.kernel(ADD, 60 * US)
    m.pop()


def long_now_and_then(m, i):
    layers(m)
    if i % 5 == 4:
        m.push("save")
        m.host(40 * MS)
        m.pop()


def one_is_longer(m, ns):
    layers(m)
    m.sync()
    m.host(ns)


def mean_8_pct_longer(m, i):
    """A single long step, by which the mean is longer than the median."""
    one_is_longer(m, 2350 * US if i == 5 else 0)


def mean_12_pct_longer(m, i):
    one_is_longer(m, 3550 * US if i == 5 else 0)


def uneven(m, i):
    """Steps of two lengths, as batches have them."""
    layers(m, n=12 if i % 2 else 14)


def two_sizes(m, i):
    """Five of twelve steps have twice as much to do: that is how they are."""
    layers(m, n=24 if i % 5 in (1, 3) else 12)


def starts_with_more(m, i):
    """The first five have twice as much to do, and wait for longer: the others are judged."""
    layers(m, n=24 if i < 5 else 12, ns=(200 + i) * US)
    m.sync()
    m.host(3 * MS if i < 5 else 1 * MS)


def starts_slowly(m, i):
    """The first steps take longer: they are not judged by."""
    layers(m)
    m.host(5 * MS if i < 5 else 0)


def ends_slowly(m, i):
    """The last two steps do, too: the end is no part of the loop."""
    layers(m)
    m.host(40 * MS if i in (9, 10) else 0)


def ends_and_saves(m, i):
    """The same, and one between: it counts."""
    layers(m)
    m.host(40 * MS if i in (4, 10) else 0)


GROWING = (10, 11, 12, 13, 14, 15, 16, 24, 17, 26, 19, 20)


def grows(m, i):
    """Each step has more to do than the last, more or less: none of them is a long one."""
    layers(m, n=GROWING[i])


def grows_not(m, i):
    """The same steps in another order: two of them are."""
    layers(m, n=GROWING[i * 7 % 12])


def more_to_do(m, i):
    """Now and then a step computes more, and nothing would be saved by doing it elsewhere."""
    layers(m, n=36 if i % 5 == 4 else 12)


def requests(m, i):
    """A request's prefill between two decode steps, with the pauses of its launches."""
    layers(m)
    if i % 4 == 3:
        m.pop()
        m.push("prefill")
        for _ in range(14):
            m.host(300 * US)
            m.kernel(BF16, 100 * US)


def saves_before_request(m, i):
    """One step saves, and two have a request behind them: only the first is long, and only by the time of saving."""
    layers(m)
    if i == 4:
        m.push("save")
        m.sync()
        m.host(5 * MS)
        m.pop()
    if i in (4, 8):
        m.pop()
        m.push("prefill")
        for _ in range(30):
            m.kernel(BF16, 250 * US)


def pause_before_copy(m, i):
    """The batch comes behind the step's range, and sometimes late: it launches no more than usual."""
    layers(m)
    m.pop()
    m.push("fetch")
    m.host(40 * MS if i % 5 == 4 else 0)
    m.kernel(ADD, 20 * US)
    m.kernel(ADD, 20 * US)


def save_between(m, i):
    """Saving behind the step's range copies and computes nothing."""
    layers(m)
    m.pop()
    m.push("save")
    if i % 5 == 4:
        for _ in range(20):
            m.copy(2 * MS, 1 << 26, pageable=True, out=True)


def slow_log(m, i):
    """A few kernels behind the step's range, and much Python between them."""
    layers(m)
    m.pop()
    m.push("log")
    if i % 5 == 4:
        for _ in range(4):
            m.kernel(ADD, 20 * US)
            m.host(10 * MS)


def hidden_comm(m, i):
    layers(m)
    m.kernel(NCCL, 1 * MS, stream=20)
    layers(m)


def exposed_comm(m, i):
    layers(m)
    m.push("backward")
    m.kernel(NCCL, 2 * MS)
    m.pop()


def comm_beyond_compute(m, i):
    """Less is computed than what could hide all of the communication."""
    layers(m, n=4)
    m.push("backward")
    m.kernel(NCCL, 3 * MS)
    m.pop()


def main_work(m, name, ns, idle=0):
    """10 ms of work, so many of them copies or communication."""
    m.kernel(BF16, 10 * MS - ns)
    m.kernel(NCCL, ns) if name == NCCL else m.copy(ns, 1 << 26)
    m.sync()
    m.host(idle)


def copies_45_pct(m, i):
    main_work(m, "copy", 4500 * US)


def copies_55_pct(m, i):
    main_work(m, "copy", 5500 * US)


def copies_45_pct_and_idle(m, i):
    main_work(m, "copy", 4500 * US, 2 * MS)


def copies_55_pct_and_idle(m, i):
    main_work(m, "copy", 5500 * US, 2 * MS)


def comm_45_pct(m, i):
    main_work(m, NCCL, 4500 * US)


def comm_55_pct(m, i):
    main_work(m, NCCL, 5500 * US)


def idle_9_pct(m, i):
    main_work(m, "copy", 1 * MS, 950 * US)


def idle_11_pct(m, i):
    main_work(m, "copy", 1 * MS, 1200 * US)


def unlaunched(m, ns):
    """The launch of a kernel is not in the trace, so nobody knows why the GPU was idle before."""
    layers(m)
    m.sync()
    m.host(ns)
    m.kernel(BF16, 200 * US, corr=10 ** 6 + len(m.rows["KERNEL"]))
    m.sync()


def unknown_for_1_7_pct(m, i):
    unlaunched(m, 45 * US)


def unknown_for_2_2_pct(m, i):
    unlaunched(m, 60 * US)


def sync_by_a_fast_clock(m, i):
    """The clock of the CPU is 6us behind: it seems to wait no longer when the GPU still works."""
    layers(m)
    m.push("log")
    m.call("cudaStreamSynchronize", max(m.free.values()) - 6 * US - m.now)
    m.host(1 * MS)
    m.pop()


def host_after_sync(m, i):
    """A wait, a short kernel, then slow code: what the GPU lacks then is not due to the wait."""
    layers(m)
    m.sync()
    m.kernel(ADD, 8 * US)
    m.push("log")
    m.host(1 * MS)
    m.pop()


def waits_for_collectives(m, i):
    """The CPU waits for each of four collectives, and works before it launches the next."""
    layers(m)
    m.push("backward")
    for _ in range(4):
        m.kernel(NCCL, 1 * MS)
        m.sync()
        m.host(1 * MS)
    m.pop()


def waits_for_last_collective(m, i):
    """It waits for one, which the optimizer needs anyway, and works a little."""
    layers(m)
    m.push("backward")
    m.kernel(NCCL, 2 * MS)
    m.sync()
    m.host(300 * US)
    m.pop()
    m.push("optimizer")
    m.kernel(ADD, 200 * US)
    m.pop()


def few_collectives(m, i):
    """A flag and a norm: two small ones."""
    layers(m, n=20)
    for _ in range(2):
        m.kernel(NCCL, 15 * US, blocks=1)


def collectives(m, n, ns=40 * US, blocks=1):
    layers(m)
    m.push("backward")
    for _ in range(n):
        m.kernel(NCCL, ns, blocks=blocks)
    m.pop()


def collectives_20(m, i):
    collectives(m, 20)


def collectives_21(m, i):
    collectives(m, 21)


def collectives_of_two_blocks(m, i):
    """They are too large to be called tiny."""
    collectives(m, 30, blocks=2)


def collectives_of_half_a_ms(m, i):
    """So long that the trace, which has no sizes, does not say that they are tiny."""
    collectives(m, 30, ns=500 * US)


def many_collectives(m, i):
    collectives(m, 60)


def backward_thread(m, i):
    """Half of the kernels are launched by a thread without ranges, in a range of the main thread."""
    layers(m)
    m.push("backward")
    m.thread = PID + 1
    for _ in range(20):
        m.kernel(BF16, 200 * US)
    m.thread = PID
    m.pop()


def bare_for(m, tenths):
    for k in range(10):
        if k >= tenths:
            m.push("forward")
        m.kernel(BF16, 200 * US)
        if k >= tenths:
            m.pop()


def bare_for_40_pct(m, i):
    bare_for(m, 4)


def bare_for_60_pct(m, i):
    bare_for(m, 6)


def bare(m, i):
    for _ in range(20):
        m.kernel(BF16, 200 * US)


def evaluates(m, i):
    """Evaluation by kernels behind the step's range, now and then: another phase, no long step."""
    layers(m)
    if i % 4 == 3:
        m.pop()
        m.push("evaluate")
        for _ in range(3):
            layers(m)


def short_data(m, i):
    """Many small kernels, and a batch that takes no time to fetch: the launches are to blame, not the data."""
    m.push("next batch")
    m.host(30 * US)
    m.pop()
    one_by_one(m, i)


def compiled(m, i):
    """A compiled step: the batch copied in, one graph, a fused optimizer."""
    m.copy(10 * US, 1 << 20)
    m.graph([(BF16, 60 * US), (ADD, 8 * US)] * 40)
    m.kernel("multi_tensor_apply_kernel", 60 * US)


def fp32_head(m, i):
    """A small product in fp32, on purpose."""
    layers(m)
    m.push("head")
    m.kernel(FP32, 40 * US)
    m.pop()


def hidden_python(m, i):
    """Slow Python that a full queue hides: the CPU is ahead by more than it takes."""
    layers(m, n=20)
    m.push("bookkeeping")
    m.host(2 * MS)
    m.pop()


def full_queue(m, i):
    """The CPU is so far ahead that launches wait for room in the queue."""
    m.push("forward")
    for _ in range(12):
        m.kernel(BF16, 220 * US, call=200 * US)
    m.pop()


def decode(m, i):
    """A token: a graph, a sample, and the number copied back, which the next token needs."""
    m.graph([(BF16, 20 * US), (ADD, 4 * US)] * 40 + [("argmax_kernel", 6 * US)])
    m.copy(2 * US, 8, pageable=True, out=True)


def decode_eager(m, i):
    """A token, launched kernel by kernel: the launches are to blame, not the number copied back."""
    for _ in range(30):
        m.kernel(BF16, 4 * US)
        m.host(6 * US)
        m.kernel(ADD, 4 * US)
        m.host(6 * US)
    m.kernel("argmax_kernel", 6 * US)
    m.copy(2 * US, 8, pageable=True, out=True)


def layers_of_a_graph(m, i):
    """Only what a replay runs repeats: a call launches forty of what is then taken for steps."""
    m.graph([(BF16, 20 * US), (ADD, 4 * US)] * 40)
    m.host(20 * US)


def mpi_waits(m, i):
    """The GPU waits for other processes: nothing that the CPU does would be faster by itself."""
    layers(m)
    m.host(2500 * US)
    m.mpi("MPI_Allreduce", 2 * MS)


def mpi_synced(m, i):
    """The same, after waiting for the result that is sent."""
    layers(m)
    m.sync()
    m.mpi("MPI_Allreduce", 2 * MS)


def mpi_elsewhere(m, i):
    """Another thread waits, while the one that launches computes."""
    layers(m)
    m.host(2500 * US)
    m.mpi("MPI_Allreduce", 2 * MS, PID + 1)


def mpi_ranges(m, i):
    """MPI calls as older nsys writes them, before a copy of what they received."""
    m.library("MPI", "MPI_Recv", 5 * MS)
    m.copy(20 * US, 1 << 20)
    layers(m)


def mpi_ranges_beside(m, i):
    """The same, while the GPU works."""
    m.library("MPI", "MPI_Recv", 1 * MS)
    m.copy(20 * US, 1 << 20)
    layers(m)


def mpi_sends_result(m, i):
    """What the CPU did before it called MPI was not reading what is copied after that."""
    m.host(5 * MS)
    m.library("MPI", "MPI_Send", 10 * US)
    m.copy(20 * US, 1 << 20)
    layers(m)


def reads_after_mpi(m, i):
    """But what it does after that may be."""
    m.library("MPI", "MPI_Send", 10 * US)
    m.host(5 * MS)
    m.copy(20 * US, 1 << 20)
    layers(m)


def other_domain(m, i):
    """A domain of another name says nothing of MPI."""
    m.library("MPIX", "MPI_Recv", 5 * MS)
    m.copy(20 * US, 1 << 20)
    layers(m)


def few_kernels(m, i):
    """A run of five kernels: what is between them happens once."""
    for _ in range(5):
        m.kernel(BF16, 200 * US)
        m.host(5 * MS)


def kernels_once(m, i):
    """Thirty, but none of them twice."""
    for k in range(30):
        m.kernel(f"kernel_{k}", 200 * US)
        m.host(5 * MS)


def kernels_again(m, i):
    """The same, each three times, in another order each time, so that nothing repeats."""
    for k in sorted(range(90), key=lambda k: k * k * 7919 % 9973):
        m.kernel(f"kernel_{k % 30}", 200 * US)
        m.host(5 * MS)


def waits_without_steps(m, i):
    """A wait after each kernel, and CPU work that takes longer than the kernel: only a part of the idle time is due to the wait."""
    for k in sorted(range(90), key=lambda k: k * k * 7919 % 9973):
        m.kernel(f"kernel_{k % 30}", 100 * US)
        m.sync()
        m.host(150 * US)


def kernels_of_a_kind(m, n):
    for _ in range(n):
        m.host(1 * MS)
        m.kernel(BF16, 500 * US)


def kernels_19(m, i):
    kernels_of_a_kind(m, 19)


def kernels_20(m, i):
    kernels_of_a_kind(m, 20)


def few_copies(m, i):
    """Copies say what they cost, however few they are."""
    for _ in range(5):
        m.kernel(BF16, 5 * MS)
        m.copy(4 * MS, 1 << 26)
        m.host(5 * MS)


def few_long_copies(m, i):
    """Its compute could hide three quarters of the copies."""
    for _ in range(5):
        m.kernel(BF16, 3 * MS)
        m.copy(4 * MS, 1 << 26)


def camera(m, i, period=40 * MS, wait=None):
    """A frame every 40 ms, for which the thread sleeps."""
    until = (i + 1) * period + 10 * MS
    layers(m)
    m.sync()
    (wait or m.sleep)(until - m.now)


def camera_of_threads(m, i):
    """Another thread reads the camera."""
    camera(m, i, wait=lambda ns: m.sleep(ns, works=PID << 24 | PID + 1))


def camera_copies(m, i):
    """The same with copies that take a fifth of the time, which nobody waits for."""
    m.copy(8 * MS, 1 << 26)
    camera(m, i)


def loop_of_20_hz(m, i):
    camera(m, i, 50 * MS)


def camera_and_busy(m, i):
    """The GPU has enough to do between two frames to be what the steps wait for."""
    m.copy(28 * MS, 1 << 26)
    camera(m, i)


def sleeps_a_little(m, i):
    """The GPU is idle for a moment, as it always is."""
    layers(m, n=40)
    m.sync()
    m.sleep(300 * US)


def busy_loop_of_20_hz(m, i):
    """The same time, but the thread works."""
    m.sleep(1 * MS)
    camera(m, i, 50 * MS, wait=m.host)


def server(m, i):
    """It waits for a request, now longer and now shorter, and copies it to the GPU."""
    m.sleep((20 + 7 * i % 12) * MS)
    for _ in range(30):
        m.copy(3 * US, 1 << 10)
    layers(m)
    m.sync()


def server_without_ranges(m, i):
    m.sleep(20 * MS)
    m.copy(20 * US, 1 << 20)
    m.kernel(NORM, 100 * US)
    for _ in range(12):
        m.kernel(BF16, 200 * US)
        m.kernel(ADD, 20 * US)
    m.sync()


def busy_server(m, i):
    """It parses each request for as long."""
    m.sleep(1 * MS)
    m.push("parse")
    m.host(20 * MS)
    m.pop()
    layers(m)
    m.sync()


def stage(m, i):
    """It waits for its input, which another process with a GPU of its own makes."""
    m.push("receive")
    m.sleep(5 * MS)
    m.pop()
    layers(m)


def half_asleep(m, i):
    """A part of the time it waits for something; the code beside it counts as before."""
    m.push("log")
    m.sleep(4 * MS)
    m.host(3 * MS)
    m.pop()
    layers(m)


def interpreter_is_held(m, i):
    """Another thread works, so this one cannot."""
    m.push("forward")
    for _ in range(12):
        m.sleep(2 * MS, works=PID << 24 | PID + 1)
        m.kernel(BF16, 200 * US)
    m.pop()


def workers_fetch(m, i):
    """Another process prepares the batch, and this one waits for it."""
    m.sleep(5 * MS, works=PID + 1 << 24 | PID + 1)
    m.copy(20 * US, 1 << 20)
    layers(m)


def waits_for_batch(m, i):
    """A range says what it waits for."""
    m.push("next batch")
    m.sleep(5 * MS)
    m.pop()
    layers(m)


def busy_until_40(m, i):
    """Steps as long as a camera's, in which the thread works."""
    m.sleep(1 * MS)
    camera(m, i, wait=m.host)


def sleeps_often(m, i):
    """Many short sleeps: somebody else's answers, not a clock."""
    for _ in range(8):
        m.kernel(BF16, 200 * US)
        m.sleep(4700 * US)
    m.host((i + 1) * 40 * MS + 10 * MS - m.now)


NO_STEPS = (few_kernels, kernels_once, kernels_again, kernels_19, kernels_20, waits_without_steps, few_copies, few_long_copies)       # the program runs once
def attends(m, between, n=4):
    """Two products, and between them what is given."""
    m.push("attention")
    for _ in range(n):
        m.kernel(BF16, 200 * US)
        for name in between:
            m.kernel(name, 60 * US)
        m.kernel(BF16, 200 * US)
        m.kernel(NORM, 20 * US)
    m.pop()


def attention_by_hand(m, i):
    attends(m, [ADD, CAST, SOFTMAX, ADD])


def attention_of_64_pieces(m, i):
    attends(m, [ADD] * 32 + [SOFTMAX] + [ADD] * 31, n=1)


def attention_of_65_pieces(m, i):
    """More than attention has: something else happens between the products, too."""
    attends(m, [ADD] * 32 + [SOFTMAX] + [ADD] * 32, n=1)


def attention_fused(m, i):
    m.push("attention")
    for _ in range(4):
        m.kernel(BF16, 200 * US)
        m.kernel("flash_fwd_kernel", 100 * US)
        m.kernel(BF16, 200 * US)
    m.pop()


def loss(m, i):
    attends(m, [LOG_SOFTMAX, ADD])


def router(m, i):
    """The softmax of a mixture of experts, whose best are picked."""
    attends(m, [SOFTMAX, "gatherTopK", ADD])


def classifier(m, i):
    """A softmax whose result the host gets, and the next batch."""
    m.kernel(BF16, 200 * US)
    m.kernel(SOFTMAX, 60 * US)
    m.copy(1 * US, 8, out=True)
    m.kernel(BF16, 200 * US)


def rows(m, blocks, ns=200 * US):
    m.push("normalize")
    for _ in range(6):
        m.kernel(BF16, 200 * US)
        m.kernel(NORM, ns, blocks=blocks)
    m.pop()


def half_filled(m, i):
    rows(m, 66)


def more_than_half_filled(m, i):
    rows(m, 67)


def filled(m, i):
    rows(m, 132)


def brief_and_unfilled(m, i):
    m.graph([(NORM, 9 * US)] * 40, blocks=2)


def unfilled_now_and_then(m, i):
    """What a framework's own kernels waste."""
    layers(m)
    m.kernel(NORM, 80 * US, blocks=2)


def rows_beside(m, ns):
    m.push("normalize")
    for _ in range(6):
        m.kernel(NORM, 200 * US, blocks=2)
        m.kernel(BF16, ns, stream=8)
        m.sync()
    m.pop()


def unfilled_for_a_tenth(m, i):
    layers(m)
    m.kernel(NORM, 300 * US, blocks=2)


def unfilled_beside_others(m, i):
    rows_beside(m, 110 * US)


def unfilled_beside_little(m, i):
    rows_beside(m, 90 * US)


def fp32_unfilled(m, i):
    """Its flaw is that it does not fill the GPU: more blocks first."""
    layers(m)
    m.kernel(FP32, 2 * MS, blocks=2)


def unaligned(m, i):
    layers(m, product="cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1")


def unaligned_tf32(m, i):
    layers(m, product="cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align2")


def aligned_tf32(m, i):
    layers(m, product="cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4")


def aligned(m, i):
    layers(m, product="ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn")


def unaligned_fp64(m, i):
    """Elements of 8 bytes: two of them are a whole access, and one is half of it."""
    layers(m, product="cutlass_80_tensorop_d884gemm_32x64_16x4_nt_align1")


def unaligned_simt(m, i):
    """Without tensor cores all are so."""
    layers(m, product="cutlass_80_simt_sgemm_128x256_8x4_nt_align1")


def moves(m, ns):
    m.push("mlp")
    for _ in range(8):
        m.kernel(BF16, 200 * US)
        m.kernel(CAST, ns)
    m.pop()


def casts_often(m, i):
    moves(m, 40 * US)


def casts_now_and_then(m, i):
    moves(m, 30 * US)


def casts_in_a_chain(m, i):
    """Fusing the chain removes them."""
    m.push("mlp")
    for _ in range(4):
        m.kernel(BF16, 100 * US)
        for name in (CAST, ADD, CAST, ADD, ADD):
            m.kernel(name, 60 * US)
    m.pop()


def chain_of_casts(m, i):
    """Most of the chain only moves data, and the two kernels that compute are no chain."""
    m.push("mlp")
    for _ in range(4):
        m.kernel(BF16, 100 * US)
        for name in (CAST, ADD, CAST, ADD, CAST):
            m.kernel(name, 60 * US)
    m.pop()


def few_casts_in_a_row(m, i):
    """Too few to be a finding of their own, so the chain counts."""
    m.push("mlp")
    for _ in range(3):
        m.kernel(CAST, 40 * US)
    for _ in range(8):
        m.kernel(BF16, 200 * US)
    m.pop()


def chain_around_a_flaw(m, i):
    """A kernel with another flaw neither belongs to the chain nor ends it."""
    m.push("mlp")
    for _ in range(4):
        m.kernel(BF16, 200 * US)
        m.kernel(ADD, 60 * US)
        m.kernel(ADD, 60 * US, blocks=2)
        m.kernel(ADD, 60 * US)
        m.kernel(ADD, 60 * US)
    m.pop()


# ---- what idle time is about: each rule where it applies, where it nearly does, and in a healthy program

def captures(m, i):
    """A graph is captured and instantiated anew in every step."""
    m.push("prepare")
    m.sync()
    m.call("cudaStreamBeginCapture", 20 * US)
    m.host(400 * US)
    m.call("cudaStreamEndCapture", 50 * US)
    m.call("cudaGraphInstantiate", 600 * US)
    m.pop()
    m.graph([(BF16, 200 * US)] * 10)


def instantiates(m, i):
    """Only the graph's instantiation is in the step."""
    m.push("prepare")
    m.sync()
    m.call("cudaGraphInstantiate", 600 * US)
    m.pop()
    m.graph([(BF16, 200 * US)] * 10)


def refills_after_making(m, i):
    """The CPU would be ahead if it made no graphs: what it does after that only delays launches."""
    layers(m, n=4)
    m.push("prepare")
    m.sync()
    m.call("cudaGraphInstantiate", 1 * MS)
    m.pop()
    m.push("embed")
    m.kernel(ADD, 10 * US)
    m.host(300 * US)
    m.pop()


def captures_a_little(m, i):
    """The same call, a small part of what the CPU does."""
    slow_python(m, i)
    m.call("cudaGraphInstantiate", 150 * US)


def captures_among_code(m, ns):
    m.push("prepare")
    for _ in range(8):
        m.host(200 * US)
        m.call("cudaGraphInstantiate", ns)
        m.kernel(BF16, 20 * US, call=30 * US)
    m.pop()


def captures_a_fifth(m, i):
    """Whatever else the range does, it makes graphs."""
    captures_among_code(m, 65 * US)


def captures_less_than_a_fifth(m, i):
    captures_among_code(m, 45 * US)


def captured_before(m, i):
    """Graphs are made in the first step, which is warm-up, and replayed."""
    if i == 0:
        m.call("cudaGraphInstantiate", 9 * MS)
    m.graph([(BF16, 200 * US)] * 10)


def copy_pieces(m, n, size, out=False):
    m.push("load")
    m.sync()
    for _ in range(n):
        m.host(30 * US)
        m.copy(2 * US, size, pageable=True, out=out)
    m.pop()
    layers(m)


def small_copies(m, i):
    copy_pieces(m, 20, 1024)


def fewer_small_copies(m, i):
    copy_pieces(m, 19, 1024)


def larger_copies(m, i):
    copy_pieces(m, 20, 65536)


def scalars(m, i):
    copy_pieces(m, 20, 256, out=True)


def small_copies_back(m, i):
    copy_pieces(m, 20, 257, out=True)


def held_copy(m, size):
    """A copy to the host that ends long before its call does."""
    m.push("read")
    for _ in range(4):
        m.copy(2 * US, size, pageable=True, out=True)
        m.rows["RUNTIME"][-1] = m.rows["RUNTIME"][-1][:1] + (m.now + 500 * US,) + m.rows["RUNTIME"][-1][2:]
        m.host(500 * US)
    m.pop()
    layers(m, n=40)


def scalar_held(m, i):
    """At most 256 bytes: the program waits for a number."""
    held_copy(m, 256)


def data_held(m, i):
    held_copy(m, 257)


def starts_late(m, i):
    """The driver holds work back, long after its launch call has returned."""
    layers(m)
    m.kernel(BF16, 200 * US, ready=m.free[7] + 1100 * US)
    m.sync()


def starts_late_after_sync(m, i):
    """The same after a wait, which it is not due to."""
    layers(m)
    m.sync()
    m.kernel(BF16, 200 * US, ready=m.now + 3 * MS)
    m.sync()


def camera_starts_late(m, i):
    """A frame that the driver holds back until the screen is ready."""
    camera(m, i, wait=lambda ns: m.sleep(ns))
    m.kernel(BF16, 200 * US, ready=m.now + 4 * MS)
    m.sync()


def starts_rather_late(m, i):
    layers(m)
    m.kernel(BF16, 200 * US, ready=m.free[7] + 900 * US)
    m.sync()


def starts_late_by(m, ns):
    """The CPU works for 1.47 ms, and then waits for work that starts late."""
    m.push("plan")
    for _ in range(12):
        m.host(120 * US)
        m.kernel(BF16, 20 * US)
    m.pop()
    m.sync()
    m.kernel(BF16, 20 * US, ready=m.now + ns)
    m.sync()


def cpu_54_pct(m, i):
    starts_late_by(m, 1200 * US)


def cpu_45_pct(m, i):
    starts_late_by(m, 1700 * US)


def slow_calls(m, ns):
    """Launch calls that each take 20us longer than without a profiler."""
    for _ in range(10):
        m.host(ns)
        m.kernel(BF16, 20 * US, call=22 * US)


def profiler_4_pct(m, i):
    slow_calls(m, 478 * US)


def profiler_6_pct(m, i):
    slow_calls(m, 312 * US)


def first_launches(m, i):
    """Every launch loads its kernel."""
    for k in range(10):
        m.kernel(f"kernel {i} {k}", 20 * US, call=120 * US)


def short_first_launches(m, i):
    for k in range(10):
        m.kernel(f"kernel {i} {k}", 20 * US, call=80 * US)


def slow_launches(m, i):
    """As slow, but of kernels that were loaded long ago."""
    for k in range(10):
        m.kernel(f"kernel {k}", 20 * US, call=120 * US)


def compiles(m, i):
    m.push("autotune matmul")
    m.sync()
    m.host(2 * MS)
    m.pop()
    layers(m)


def tunes(m, i):
    """The same in a range that does not say so."""
    m.push("adjust matmul")
    m.sync()
    m.host(2 * MS)
    m.pop()
    layers(m)


def mostly_allocates(m, i):
    """In one range, code between allocations is part of allocating."""
    for _ in range(20):
        m.push("housekeeping")
        m.host(90 * US)
        m.call("cudaMalloc", 110 * US)
        m.pop()
        m.kernel(BF16, 30 * US)


def mostly_runs(m, i):
    for _ in range(20):
        m.push("housekeeping")
        m.host(150 * US)
        m.call("cudaMalloc", 90 * US)
        m.pop()
        m.kernel(BF16, 30 * US)


NO_RANGES = (decode, decode_eager, layers_of_a_graph, server_without_ranges)      # the steps are found by their kernels

CASES = [       # program, kinds expected, kinds that must not appear
    (healthy, "-", ""), (tf32, "-", ""), (fp64, "-", ""), (fp32, "tensor", ""), (fp32_of_slow_cpu, "tensor", "small"),
    (fp32_then_sync, "tensor", "host"), (refills, "sync", "host"), (gemv, "-", ""),
    (replayed, "-", "small"), (one_by_one, "small", "host launch"), (small_but_hidden, "-", "small"),
    (ten_small, "small", "host"), (nine_small, "host", "small"), (mostly_not_small, "host", "small"), (small_and_90_us, "small", "host"), (small_and_110_us, "host", "small"),
    (small_then_pause, "host", ""), (small_then_graph, "host", ""),
    (sync_and_late, "sync", "host small"), (sync_of_slow_cpu, "host", "small"), (calls_of_slow_cpu, "launch", "host"), (queued_after_sync, "sync", "turnaround"), (queued, "-", "sync turnaround"), (sync_at_end, "-", ""), (slow_python, "host", "small sync"), (pauses_mostly_short, "host", ""), (pauses_mostly_long, "host", ""),
    (loader, "data", "host"), (sync_before_loader, "sync", "data"), (prefetched, "-", ""), (unnamed_loader, "data", "host"), (logger, "host", "data"),
    (mallocs, "alloc", ""), (pins, "alloc", ""), (mallocs_ahead, "-", ""), (loads, "load", "launch small"), (pageable, "pageable", "copy"), (scalar, "-", ""),
    (pinned_beside, "-", ""), (pinned_alone, "copy", "pageable"), (copies_more, "copy", "pageable"), (migrates, "host", "copy"), (migrates_beside, "-", "um host"), (chain, "fuse", ""), (pairs, "-", "fuse"),
    (long_now_and_then, "long", ""), (two_sizes, "-", "long"), (starts_slowly, "-", "long host"), (ends_slowly, "-", "long host"),
    (ends_and_saves, "long", "host"), (more_to_do, "long", "host"), (grows, "-", "long"), (grows_not, "long", ""), (requests, "-", "long"), (pause_before_copy, "long", ""), (save_between, "long", ""), (slow_log, "long", ""), (saves_before_request, "long", "host"), (starts_with_more, "sync", "long"), (mean_8_pct_longer, "long", ""), (mean_12_pct_longer, "long", ""), (uneven, "-", ""), (hidden_comm, "-", "comm"), (exposed_comm, "comm", "tiny"), (comm_beyond_compute, "comm", ""),
    (copies_45_pct, "copy", "comm"), (copies_55_pct, "copy", "comm"), (copies_45_pct_and_idle, "copy", ""), (copies_55_pct_and_idle, "copy", ""), (comm_45_pct, "-", "copy"), (comm_55_pct, "-", "copy"),
    (idle_9_pct, "copy", ""), (idle_11_pct, "sync", ""), (unknown_for_1_7_pct, "-", "unknown"), (unknown_for_2_2_pct, "-", ""), (cpu_54_pct, "host", ""), (cpu_45_pct, "turnaround", ""), (profiler_4_pct, "host", ""), (profiler_6_pct, "host", ""),
    (few_collectives, "-", "tiny"), (sync_by_a_fast_clock, "sync", "host"), (host_after_sync, "host", "sync"),
    (waits_for_collectives, "sync", "host"), (waits_for_last_collective, "sync", "host"), (many_collectives, "tiny", ""), (collectives_20, "comm", "tiny"), (collectives_21, "tiny", ""), (collectives_of_two_blocks, "comm", "tiny"), (collectives_of_half_a_ms, "comm", "tiny"), (backward_thread, "-", "unannotated"), (bare, "-", ""), (bare_for_40_pct, "-", "unannotated"), (bare_for_60_pct, "-", ""),
    (evaluates, "-", "long"), (short_data, "small", "data host launch"), (compiled, "-", "small launch host"), (fp32_head, "-", "tensor"),
    (hidden_python, "-", "host data"), (full_queue, "-", "launch small host"), (decode, "-", "sync long small pageable"),
    (decode_eager, "small", "sync pageable long"), (layers_of_a_graph, "-", "long"),
    (mpi_waits, "-", "host sync"), (mpi_synced, "-", "host sync"), (mpi_elsewhere, "host", ""),
    (mpi_ranges, "-", "data host"), (mpi_ranges_beside, "-", "data host"), (mpi_sends_result, "host", "data"), (reads_after_mpi, "data", "host"),
    (other_domain, "host", "data"),
    (few_kernels, "-", "host launch small sync"), (kernels_once, "-", "host launch small sync"), (kernels_again, "host", "little"), (kernels_19, "-", "host launch small sync"), (kernels_20, "host", "little"), (waits_without_steps, "sync", "little"),
    (few_copies, "copy", "host launch"), (few_long_copies, "copy", "host launch"),
    (camera, "-", "host data little"), (camera_of_threads, "-", "host"), (camera_copies, "copy", "host"), (camera_and_busy, "copy", "host"), (sleeps_a_little, "-", "paced"), (busy_until_40, "host", "paced"),
    (loop_of_20_hz, "-", "host sync data"), (busy_loop_of_20_hz, "host", "paced"), (server, "-", "host sync data smallcopy"), (server_without_ranges, "-", "host sync data"),
    (busy_server, "host", "sync"), (stage, "-", "host sync data"), (sleeps_often, "-", "host"), (half_asleep, "host", ""),
    (interpreter_is_held, "host", "paced"), (workers_fetch, "data", "paced"), (waits_for_batch, "data", "paced"),
    (attention_by_hand, "attention", "move fuse"), (attention_of_64_pieces, "attention", "fuse"), (attention_of_65_pieces, "fuse", "attention"), (attention_fused, "-", "attention"),
    (loss, "-", "attention"), (router, "-", "attention"), (classifier, "-", "attention"),
    (half_filled, "fill", ""), (more_than_half_filled, "-", "fill"), (filled, "-", "fill"), (brief_and_unfilled, "-", "fill"),
    (unfilled_now_and_then, "-", "fill"), (unfilled_for_a_tenth, "fill", ""), (unfilled_beside_others, "sync", "fill"), (unfilled_beside_little, "fill", ""), (fp32_unfilled, "fill", "tensor"),
    (unaligned, "align", "fuse"), (unaligned_tf32, "align", "fuse"), (aligned_tf32, "-", "align"), (aligned, "-", "align"), (unaligned_fp64, "-", "align"),
    (unaligned_simt, "tensor", "align"),
    (casts_often, "move", "fuse"), (casts_now_and_then, "-", "move"), (casts_in_a_chain, "fuse", "move"), (chain_of_casts, "move", "fuse"),
    (captures, "capture", "host launch sync"), (instantiates, "capture", "sync launch"), (refills_after_making, "capture", "host"), (captures_a_little, "host", ""), (captures_a_fifth, "capture", "host sync launch"), (captures_less_than_a_fifth, "host", ""), (captured_before, "-", "capture"),
    (small_copies, "smallcopy", "sync pageable host"), (fewer_small_copies, "host", "smallcopy"), (larger_copies, "host", "smallcopy"),
    (scalars, "host", "smallcopy"), (small_copies_back, "smallcopy", ""), (scalar_held, "sync", "pageable"), (data_held, "pageable", "sync"),
    (starts_late, "turnaround", "sync host"), (starts_rather_late, "-", "turnaround"), (starts_late_after_sync, "turnaround", "sync host"), (camera_starts_late, "-", "turnaround host"),
    (first_launches, "load", "small launch"), (short_first_launches, "launch", "load"), (slow_launches, "launch", ""),
    (compiles, "load", "sync host"), (tunes, "sync", "load"), (mostly_allocates, "alloc", "host"), (mostly_runs, "host", "alloc"),
    (few_casts_in_a_row, "fuse", "move"), (chain_around_a_flaw, "fuse", ""),
]


def main():
    if sys.argv[1] == "--list":
        for program, kinds, never in CASES:
            print(program.__name__, kinds, never or "-", sep="\t")
        return
    for program, _, _ in CASES:
        if sys.argv[2:] and program.__name__ not in sys.argv[2:]:
            continue
        m = Machine()
        for i in range(1 if program in NO_STEPS else 12):
            if program not in NO_RANGES + NO_STEPS:
                m.push(f"step {i}")
            program(m, i)
            if program not in NO_RANGES + NO_STEPS:
                m.pop()
            m.host(5 * US)
        m.write(f"{sys.argv[1]}/{program.__name__}.sqlite")


if __name__ == "__main__":
    main()
