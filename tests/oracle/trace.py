"""One trace, read with plain queries: work, calls, ranges, synchronization, processes and names.

    t = Trace("run.sqlite")
    t.works[0].call.start       # when the first piece of work was launched
    t.ranges, t.calls, t.rank(t.procs[0])

A table is read when it is first asked for; one that is missing has no rows.  Only this module knows the tables of nsys.
A process is known by the upper bits of its global ids (proc); its pid is proc & 0xffffff.
"""
import re
import sqlite3
from collections import namedtuple
from functools import cached_property

from .names import fold, is_compute, stream_of

CUPTI = "CUPTI_ACTIVITY_KIND_"
COPY = {1: "h2d", 3: "h2d", 2: "d2h", 4: "d2h", 5: "d2d", 6: "d2d", 7: "d2d", 8: "d2d", 9: "h2h", 10: "p2p",
        11: "um_h2d", 12: "um_d2h", 13: "um_d2d"}
MEMORY = {0: "pageable", 1: "pinned", 2: "device", 5: "device", 3: "array", 4: "managed", 6: "managed"}
MARK, THREAD_NAME, PUSH_POP, START_END, DOMAIN, DOMAIN_END = 34, 39, 59, 60, 75, 76       # types of NVTX events

PLACE = ("globalPid", "deviceId", "contextId", "streamId", "start", "end", "correlationId", "graphNodeId")
Event = namedtuple("Event", "start end kind proc tid name domain binary json")         # of NVTX; end None: never closed
Sync = namedtuple("Sync", "call gpu ctx stream event sync")           # what a call waits for; sync: the record, by its id
Record = namedtuple("Record", "call ctx stream event sync")           # of an event on a stream
Node = namedtuple("Node", "start proc tid node original")             # a node of a graph is created, or cloned


class Work:
    """GPU work.  kind: kernel graph copy set; call: the launch, or None; n: its number in the trace."""
    grid = block = None
    bytes, copy, src, dst = 0, "-", "-", "-"

    def __init__(self, kind, place, name, full=None):
        proc, self.gpu, self.ctx, self.stream, self.start, end, corr, self.node = place
        self.kind, self.proc, self.end, self.corr = kind, (proc or 0) >> 24, ending(self.start, end), corr or 0
        self.name, self.full = name, full or name


class Call:
    """A call of CUDA or MPI.  n: its number in the trace."""

    def __init__(self, proc, tid, start, end, corr, name, n):
        self.proc, self.tid, self.start, self.end, self.corr, self.name, self.n = proc, tid, start, end, corr, name, n


class Range:
    """Of NVTX, with the event that it comes from.  domain: its name, or -; one that was never closed ends with its process."""

    def __init__(self, event, end, domain, n):
        self.event, self.type, self.proc, self.tid, self.start, self.name = event, event.kind, event.proc, event.tid, event.start, event.name
        self.end, self.domain, self.domain_id, self.nccl, self.n = end, domain, event.domain, domain == "NCCL", n


def ending(start, end):
    return start if end is None else max(start, end)


def reach(start, end):
    """Where an event ends for the span of a trace or a process: one of no length just after its start, so that
    it is in that span.  (A range that was never closed ends there too.)"""
    return start + 1 if end is None or end == start else end


def inner_first(r):
    """Innermost first.  TIE: of ranges with the same times the one whose name comes last is the inner, then by domain."""
    return -r.start, r.end, [-ord(c) for c in r.name or ""] + [0], -(r.domain_id or 0), r.n


def short_name(short, full):
    """Kernels of CUTLASS and xmma whose function says nothing are called by the first argument of their template."""
    vague = re.match(r".*?\b(?:cutlass|xmma)\w*::(?:\w+::)*(?:Kernel2?|kernel|device_kernel)<(?:[\w:]*enable_\w+<)*([\w:]+)", full or "")
    if short not in ("Kernel", "Kernel2", "kernel", "device_kernel") or not vague:
        return short
    words = vague[1].split("::")
    return "::".join(words[-3:-1]) if words[-1] == "Kernel_traits" else words[-1]


class Trace:
    def __init__(self, path):
        """A file, or a database that is open."""
        self.path, self.db = path, path
        if not isinstance(path, sqlite3.Connection):
            self.db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
            self.db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.tables = {name for name, in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = dict(self.rows("StringIds", "id", "value"))
        self.around_cache = {}

    # ---- rows

    def query(self, sql):
        return self.db.execute(sql).fetchall()

    def rows(self, table, *columns, early=False):
        """The columns of a table, None for those it does not have.  Rows that start before 0 are left out, unless early."""
        if table not in self.tables:
            return []
        have = {r[1] for r in self.query(f'PRAGMA table_info("{table}")')}
        where = " WHERE start >= 0" if "start" in have and not early else ""
        return self.query("SELECT %s FROM \"%s\"%s" % (", ".join(f'"{c}"' if c in have else "NULL" for c in columns), table, where))

    def has(self, *tables):
        return any(t in self.tables for t in tables)

    # ---- work and calls

    @cached_property
    def works(self):
        """As the tables have them: kernels, whole graphs, copies, sets."""
        out, text, place = [], self.strings, len(PLACE)
        for row in self.rows(CUPTI + "KERNEL", *PLACE, "shortName", "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"):
            w = Work("kernel", row[:place], short_name(text.get(row[place], "-"), text.get(row[place + 1])), text.get(row[place + 1]))
            w.grid, w.block = row[place + 2:place + 5], row[place + 5:]
            out.append(w)
        for row in self.rows(CUPTI + "GRAPH_TRACE", *PLACE, "graphId"):
            out.append(Work("graph", row[:place], f"graph {row[place]}"))
        for row in self.rows(CUPTI + "MEMCPY", *PLACE, "bytes", "copyKind", "srcKind", "dstKind"):
            kind = COPY.get(row[place + 1], "unknown")
            w = Work("copy", row[:place], f"memcpy {kind}")
            w.bytes, w.copy, w.number = row[place], kind, row[place + 1]
            w.src, w.dst = (MEMORY.get(m, "unknown") for m in row[place + 2:])
            out.append(w)
        for row in self.rows(CUPTI + "MEMSET", *PLACE, "bytes", "memKind"):
            w = Work("set", row[:place], "memset")
            w.bytes, w.copy, w.dst = row[place], "memset", MEMORY.get(row[place + 1], "unknown")
            out.append(w)
        for n, w in enumerate(out):
            w.n, w.call = n, self.launch(w.proc, w.corr)
        return out

    @cached_property
    def calls(self):
        return [Call((tid or 0) >> 24, (tid or 0) & 0xffffff, start, ending(start, end), corr or 0, self.strings.get(name, "-"), n)
                for n, (start, end, tid, corr, name) in enumerate(
                    self.rows(CUPTI + "RUNTIME", "start", "end", "globalTid", "correlationId", "nameId"))]

    def launch(self, proc, corr):
        """The call of a process with that id that starts first; at equal starts that of the lowest thread.  Id 0 joins nothing."""
        return self.first_calls.get((proc, corr)) if corr else None

    @cached_property
    def first_calls(self):
        first = {}
        for c in sorted(self.calls, key=lambda c: (c.start, c.tid, -c.end)):
            first.setdefault((c.proc, c.corr), c)
        return first

    @cached_property
    def mpi(self):
        return [Call(tid >> 24, tid & 0xffffff, start, ending(start, end), 0, self.strings[name], 0)
                for table in sorted(self.tables) if re.fullmatch("MPI.*EVENTS", table)
                for start, end, tid, name in self.rows(table, "start", "end", "globalTid", "textId")]

    @cached_property
    def mpi_known(self):
        """Those of threads that have other events, too."""
        threads = {(c.proc, c.tid) for c in self.calls} | {(e.proc, e.tid) for e in self.nvtx if e.start >= 0 and e.kind not in (DOMAIN, DOMAIN_END)}
        return [c for c in self.mpi if (c.proc, c.tid) in threads]

    @cached_property
    def calls_span(self):
        """The trace's, with MPI's calls."""
        each = [self.span] * bool(self.span) + [(c.start, reach(c.start, c.end)) for c in self.mpi_known]
        return (min(a for a, _ in each), max(b for _, b in each)) if self.span else None

    @cached_property
    def syncs(self):
        return [Sync(self.launch((g or 0) >> 24, corr), gpu, ctx, stream, event, sync) for gpu, ctx, stream, corr, g, event, sync, _ in self.rows(
            CUPTI + "SYNCHRONIZATION", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "eventId", "eventSyncId", "start")]

    @cached_property
    def records(self):
        return [Record(self.launch((g or 0) >> 24, corr), ctx, stream, event, sync) for ctx, stream, corr, g, event, sync in self.rows(
            CUPTI + "CUDA_EVENT", "contextId", "streamId", "correlationId", "globalPid", "eventId", "eventSyncId", early=True)]

    @cached_property
    def graph_nodes(self):
        return [Node(start, tid >> 24, tid & 0xffffff, node, original) for start, tid, node, original in self.rows(
            "CUDA_GRAPH_NODE_EVENTS", "start", "globalTid", "graphNodeId", "originalGraphNodeId", early=True)]

    # ---- NVTX

    @cached_property
    def nvtx(self):
        """All events, names of threads and domains among them, also those before 0."""
        return [Event(-1 if start is None else start, end, kind, (tid or 0) >> 24, (tid or 0) & 0xffffff, text if text is not None else self.strings.get(text_id), domain,
                      binary, json if json is not None else self.strings.get(json_id))
                for start, end, kind, tid, text, text_id, domain, binary, json, json_id in self.rows(
                    "NVTX_EVENTS", "start", "end", "eventType", "globalTid", "text", "textId", "domainId", "binaryData", "jsonText",
                    "jsonTextId", early=True)]

    @cached_property
    def domains(self):
        return {(e.proc, e.domain): e.name for e in self.nvtx if e.kind == DOMAIN}

    @cached_property
    def ranges(self):
        """Push/pop and start/end ranges."""
        out = []
        for e in self.nvtx:
            if e.kind in (PUSH_POP, START_END) and e.start >= 0:
                end = self.span_of(e.proc)[1] if e.end is None else max(e.start, e.end)
                out.append(Range(e, end, self.domains.get((e.proc, e.domain)) or "-", len(out)))
        return out

    @cached_property
    def marks(self):
        return [e for e in self.nvtx if e.kind == MARK and e.start >= 0]

    @cached_property
    def ranges_of(self):
        """Push/pop ranges by thread."""
        out = {}
        for r in self.ranges:
            if r.type == PUSH_POP:
                out.setdefault((r.proc, r.tid), []).append(r)
        return out

    @cached_property
    def payload_schemas(self):
        """(domain, schema) -> [(name, type, offset)], or None where its entries disagree."""
        entries, out = {}, {}
        for domain, schema, place, kind, name, offset in self.rows(
                "NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId", "schemaId", "idx", "type", "name", "offset"):
            entries.setdefault((domain, schema), {}).setdefault(place, set()).add((name, kind, offset or 0))
        for key, at in entries.items():
            out[key] = None if any(len(e) > 1 for e in at.values()) else [next(iter(at[i])) for i in sorted(at)]
        return out

    # ---- what the system said

    @cached_property
    def os_calls(self):
        return [Call(tid >> 24, tid & 0xffffff, start, ending(start, end), 0, self.strings.get(name), n) for n, (start, end, tid, name) in
                enumerate(self.rows("OSRT_API", "start", "end", "globalTid", "nameId"))]

    @cached_property
    def switches(self):
        """(when, global thread, does it go on a CPU)"""
        return self.rows("SCHED_EVENTS", "start", "globalTid", "isSchedIn")

    @cached_property
    def samples(self):
        """(when, global thread, id of its call chain)"""
        return self.rows("COMPOSITE_EVENTS", "start", "globalTid", "id")

    @cached_property
    def chains(self):
        """id -> [(depth, name, module)]"""
        out = {}
        for chain, depth, symbol, module, unresolved in self.rows(
                "SAMPLING_CALLCHAINS", "id", "stackDepth", "symbol", "module", "unresolved"):
            module = self.strings.get(module)
            out.setdefault(chain, []).append((depth, module if unresolved else self.strings.get(symbol), module))
        return out

    @cached_property
    def thread_names(self):
        """By global thread; what the program said comes before what the system knows."""
        system, own = {}, {}
        for tid, name in self.rows("ThreadNames", "globalTid", "nameId"):
            if name in self.strings:
                system[tid] = max(system.get(tid, ""), self.strings[name])
        for e in self.nvtx:
            if e.kind == THREAD_NAME:
                tid = e.proc << 24 | e.tid
                own[tid] = max(own.get(tid, (e.start, e.name)), (e.start, e.name))
        return {**system, **{tid: name for tid, (_, name) in own.items()}}

    @cached_property
    def utc(self):
        """When the trace began."""
        return next((ns for ns, in self.rows("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")), None)

    @cached_property
    def host(self):
        return next((v for n, v in self.rows("TARGET_INFO_SYSTEM_ENV", "name", "value") if n == "Hostname"), None)

    # ---- processes

    @cached_property
    def spans(self):
        """(process, start, end) of every event from 0 on."""
        out = [(e.proc, e.start, reach(e.start, e.end)) for e in self.works + self.calls]
        return out + [(e.proc, e.start, e.start if e.end is None and e.kind not in (PUSH_POP, START_END) else reach(e.start, e.end))
                      for e in self.nvtx if e.start >= 0 and e.kind not in (DOMAIN, DOMAIN_END)]

    @cached_property
    def process_spans(self):
        out = {}
        for proc, start, end in self.spans:
            a, b = out.get(proc, (start, end))
            out[proc] = min(a, start), max(b, end)
        return out

    def span_of(self, proc):
        return self.process_spans.get(proc)

    @cached_property
    def span(self):
        """From the first event to the end of the last; None: there is none."""
        each = self.process_spans.values()
        return (min(a for a, _ in each), max(b for _, b in each)) if each else None

    @cached_property
    def procs(self):
        return sorted(self.process_spans, key=lambda p: (p & 0xffffff, p))

    @cached_property
    def process_names(self):
        return {g >> 24: name for g, name in self.rows("PROCESSES", "globalPid", "name")}

    @cached_property
    def labels(self):
        """By process, the texts of its first label: rank, mesh and run."""
        out = {}
        for e in self.nvtx:
            if e.start >= 0 and e.name and re.match("rank=[0-9]+;", e.name):
                out[e.proc] = min(out.get(e.proc, (e.start, e.name)), (e.start, e.name))
        return {p: [part.strip() for part in name[5:].split(";")] for p, (_, name) in out.items()}

    def rank(self, proc):
        return (self.labels.get(proc, []) + ["-"] * 3)[:3]

    def gpu_span(self, proc=None):
        mine = [w for w in self.works if proc in (None, w.proc)]
        return (min(w.start for w in mine), max(reach(w.start, w.end) for w in mine)) if mine else None

    # ---- what belongs to what

    def open_ranges(self, proc, tid, moment):
        """Push/pop ranges of a thread that are open, innermost first."""
        return sorted((r for r in self.ranges_of.get((proc, tid), ()) if r.start <= moment < r.end), key=inner_first)

    def around(self, work, adopt=False):
        """The ranges around a piece of work, innermost first; with adopt those of the main thread come after its own."""
        if (work, adopt) not in self.around_cache:
            call, main = work.call, work.proc & 0xffffff
            own = self.open_ranges(call.proc, call.tid, call.start) if call else []
            if call and adopt and call.tid != main:
                own += self.open_ranges(call.proc, main, call.start)
            self.around_cache[work, adopt] = own
        return self.around_cache[work, adopt]

    def label(self, work, rule, adopt):
        """The innermost range that the rule matches gives it, else the innermost outside NCCL's domain."""
        around = self.around(work, adopt)
        labels = [rule(r.name) for r in around if rule(r.name)]
        users = [fold(r.name) for r in around if not r.nccl]
        return (labels + users + ["-"])[0]

    def nvtx_of(self, work, adopt):
        around = self.around(work, adopt)
        return around[0].name if around else "-"

    @cached_property
    def stream_class(self):
        """What a stream is, over the whole trace."""
        out = {}
        for w in self.works:
            kind = "compute" if is_compute(w) else "comm" if w.kind == "kernel" else "copy"
            out[stream_of(w)] = min(kind, out.get(stream_of(w), kind), key=["compute", "comm", "copy"].index)
        return out
