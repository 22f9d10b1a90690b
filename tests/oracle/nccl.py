"""A second reading of what nsq-nccl answers: plain, slow, and written without looking at the tool.

    nccl [--each | --last | --by K,...] [--clock utc|ends|none] [--merge] [--inside]
         [-w A..B | -w FILE | -w -]... TRACE...

It prints TSV with the tool's columns.  Everything is found by trying: shifts one after the other, every pair of
kernels, every interval.  Notes go to standard error and are not meant to agree with the tool's word for word.
"""
import argparse
import json
import re
import struct
import sys
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

from .measure import union
from .names import is_compute
from .trace import Trace

NEEDS_ALL = {"allreduce", "allgather", "reducescatter", "alltoall"}   # cannot end before the last arrives
P2P = {"send", "recv"}
SLACK = 200000       # ns by which the clocks of two traces may differ after the ends of collectives aligned them
TYPES = {1: "<b", 2: "<B", 3: "<h", 4: "<H", 5: "<i", 6: "<I", 7: "<q", 8: "<Q", 9: "<q", 10: "<Q", 11: "<b", 12: "<B",
         13: "<h", 14: "<H", 15: "<i", 16: "<I", 17: "<q", 18: "<Q", 22: "<Q", 23: "<Q"}


def note(text):
    print("oracle: " + text, file=sys.stderr)


def median(values):
    return sorted(values)[(len(values) + 1) // 2 - 1]


# ---------------------------------------------------------------------------------------------- reading a trace

class Kernel:
    """A communication kernel; op is its operation, or None."""

    def __init__(self, process, w):
        self.process, self.start, self.end, self.gpu, self.ctx, self.stream, self.name = process, w.start, w.end, w.gpu, w.ctx, w.stream, w.name
        self.call, self.launch = w.call, w.call.start if w.call else None

    op = None
    first = True          # of its operation
    last = None           # the process that arrives last before its end
    arrival = None        # when, on the kernel's own clock


class Process:
    def __init__(self, trace, key):
        self.trace, self.key, self.pid, self.rank = trace, key, key & 0xffffff, trace.rank(key)[0]
        self.kernels, self.ops, self.span = [], [], trace.gpu_span(key)
        self.computed, self.compute_streams = {}, set()

    def __repr__(self):
        return self.rank if self.rank != "-" else str(self.pid)


class Op:
    """One operation of one process: a range of NCCL's domain, or a whole group of them."""
    def __init__(self, process, members):
        self.process, self.kernels, self.seq, self.peers = process, [], None, []
        names = [m["name"] for m in members]
        kinds = set(names)
        self.p2p = kinds <= P2P
        if kinds == P2P:
            self.name = "sendrecv"
        else:
            self.name = "+".join(dict.fromkeys(names))
        self.members = members
        comms = {m["comm"] for m in members}
        self.comm = comms.pop() if len(comms) == 1 else None if None in comms else "mixed"
        self.comms = {m["comm"] for m in members} - {None}
        if any(m["bytes"] is None for m in members):
            self.bytes = None
        else:
            def total(which):
                return sum(m["bytes"] for m in members if m["name"] in which)
            self.bytes = total(kinds - P2P) + max(total({"send"}), total({"recv"}))

    start = property(lambda s: min(k.start for k in s.kernels))       # when the process arrives
    end = property(lambda s: max(k.end for k in s.kernels))


class JobTrace(Trace):
    """One trace of a job, with its processes, their kernels and operations."""

    def __init__(self, path, index):
        super().__init__(path)
        self.index, self.processes = index, {}
        for w in self.works:
            if w.proc not in self.processes:
                self.processes[w.proc] = Process(self, w.proc)
            p = self.processes[w.proc]
            if is_compute(w):
                p.computed.setdefault(w.gpu, []).append((w.start, w.end))
                p.compute_streams.add((w.gpu, w.ctx, w.stream))
            elif w.kind == "kernel":
                p.kernels.append(Kernel(p, w))
        for p in self.processes.values():
            p.computed = {gpu: union(times) for gpu, times in p.computed.items()}
            make_operations(self, p)

    def fields(self, r):
        """What the payload of a range says."""
        if r.event.binary is not None:
            return read_payload(r.event.binary, self.payload_schemas, r.domain_id)
        return read_json(r.event.json) if r.event.json else {}


def read_payload(blob, schemas, domain):
    """The blob: a count, then for each payload its schema, size and offset from the blob's start; 8 bytes each."""
    if isinstance(blob, str):
        blob = blob.encode("latin-1", "replace")
    fields = {}
    if len(blob) < 8:
        return fields
    for i in range(min(struct.unpack_from("<Q", blob)[0], len(blob) // 24)):
        if len(blob) < 8 + 24 * (i + 1):
            break
        schema, size, offset = struct.unpack_from("<QQQ", blob, 8 + 24 * i)
        payload = blob[offset:offset + size]
        for name, kind, at in schemas.get((domain, schema)) or []:
            form = TYPES.get(kind)
            if form and at + struct.calcsize(form) <= len(payload):
                fields[name] = struct.unpack_from(form, payload, at)[0]
    return fields


def read_json(text):
    try:
        return {k: int(v, 0) if isinstance(v, str) else v for k, v in json.loads(text).items()}
    except ValueError:
        return {}


# ---------------------------------------------------------------------------------------------- operations

def member(trace, r):
    """A range of NCCL's domain as one operation; comm and bytes are None where the payload does not say."""
    f = trace.fields(r)
    comm = f.get("NCCL communicator ID")
    return {"name": re.sub("nccl", "", r.name or "-", flags=re.I).lower(),
            "comm": None if comm is None else "%016x" % (comm & (1 << 64) - 1),
            "bytes": f.get("Message size [bytes]"), "peer": f.get("Peer rank"),
            "size": f.get("No. of ranks"), "rank": f.get("Rank")}


def make_operations(trace, process):
    """Give each kernel its operation, and the process its operations in order of launch."""
    process.created = {}                                    # comm -> (size, own rank), where captured
    owners = defaultdict(list)                              # thread -> [(range, members)] that launch
    for (proc, tid), ranges in trace.ranges_of.items():
        if proc != process.key:
            continue
        depth, group = 0, []
        for r in sorted(ranges, key=lambda r: (r.start, -r.end)):
            if not r.nccl:
                continue
            m = member(trace, r)
            if r.name == "ncclGroupStart":
                depth += 1
            elif r.name == "ncclGroupEnd":
                depth = max(0, depth - 1)
                if depth == 0:
                    owners[tid].append((r, group))
                    group = []
            elif m["size"] is not None:
                if m["comm"] is not None and m["rank"] is not None:
                    process.created.setdefault(m["comm"], (m["size"], m["rank"]))
            elif depth > 0:
                group.append(m)
            else:
                owners[tid].append((r, [m]))
    made = {}
    for k in process.kernels:
        around = [(r.start, -r.end, i) for i, (r, members) in enumerate(owners[k.call.tid])
                  if r.start <= k.launch < r.end and members] if k.call else []
        if around:
            where = (k.call.tid, max(around)[2])
            if where not in made:
                made[where] = Op(process, owners[where[0]][where[1]][1])
            k.op = made[where]
            k.op.kernels.append(k)
    for op in made.values():
        op.kernels.sort(key=lambda k: (k.start, k.end, k.gpu, k.ctx, k.stream))
        for k in op.kernels:
            k.first = k is op.kernels[0]
        op.launch = min((k.launch, k.start) for k in op.kernels)
    process.ops = sorted(made.values(), key=lambda o: o.launch)


# ---------------------------------------------------------------------------------------------- clocks and matching

def all_processes(traces):
    return [t.processes[k] for t in traces for k in sorted(t.processes, key=lambda k: (k & 0xffffff, k))]


def provisional_clocks(traces, processes):
    """Clocks good enough to tell which operations may be the same: of all pairs of ends of like operations of two
    traces, the difference that most of them share; the true one recurs, those of wrong pairs scatter.  Steps of one
    length make wrong ones recur too, so what the traces state needs only two thirds of the most."""
    ends = defaultdict(list)
    for p in processes:
        for op in p.ops:
            if op.name in NEEDS_ALL and op.comm not in (None, "mixed"):
                ends[p.trace.index, op.comm, op.name, op.bytes].append(op.end)
    guess = [(t.utc - traces[0].utc) if t.utc is not None and traces[0].utc is not None else 0 for t in traces]

    def difference(a, b):
        """(how sure, difference): sure is its support over that of the next best."""
        votes = sorted(x - y for key in ends if key[0] == a for x in ends[key] for y in ends.get((b,) + key[1:], []))
        utc = guess[b] - guess[a]

        def near(v):
            return votes[bisect_left(votes, v - SLACK):bisect_right(votes, v + SLACK)]

        support = {v: sum(1 / (1 + abs(v - w) / 30000) for w in near(v)) for v in votes}
        order = sorted(support, key=lambda v: (-support[v], abs(v - utc)))
        beside = [v for v in order if abs(v - utc) <= 2 * SLACK]    # the clocks as the traces state them
        if not order:
            return 0, None
        best = beside[0] if beside and 3 * support[beside[0]] >= 2 * support[order[0]] else order[0]
        other = max((support[v] for v in order if abs(v - best) > 2 * SLACK), default=0.5)
        return support[best] / other, median(near(best))

    clock = {}
    pairs = {(a, b): difference(a, b) for a in range(len(traces)) for b in range(len(traces)) if a != b}
    while len(clock) < len(traces):                         # the surest first
        sure, a, b = max(((pairs[a, b][0], -a, -b) for a in clock for b in range(len(traces)) if b not in clock),
                         default=(0, 0, 0))
        if sure > 0:
            clock[-b] = clock[-a] + pairs[-a, -b][1]
        else:
            root = min(set(range(len(traces))) - set(clock))
            clock[root] = guess[root]
    return [clock[i] for i in range(len(traces))]


def breadth_first(traces, difference, guess):
    """Clocks relative to the first trace: from trace to trace by what difference(a, b) says, most shared first."""
    known, todo = {}, []
    for root in range(len(traces)):
        if root in known:
            continue
        known[root] = guess[root]
        todo = [root]
        while todo:
            a = todo.pop(0)
            found = [(b,) + difference(a, b) for b in range(len(traces)) if b not in known]
            for b, shift, n in sorted((f for f in found if f[2]), key=lambda f: (-f[2], f[0])):
                if b not in known:
                    known[b] = known[a] + shift
                    todo.append(b)
    return [known[i] for i in range(len(traces))]


def overlap(ops, clock):
    """How long all of them run at once; negative: the gap between the first end and the last start."""
    def at(op, t):
        return t + clock[op.process.trace.index]
    return min(at(o, o.end) for o in ops) - max(at(o, o.start) for o in ops)


def fit(mine, others, clock, allowed):
    """The shift d by which mine[i] is others[i + d]: no pair is one that is not allowed, more than half of them overlap
    in time; of several, that with most pairs that do.  None: there is none."""
    best = None
    for d in range(min(others) - len(mine) + 1, max(others) + 1):
        pairs = [(mine[i], others[i + d]) for i in range(len(mine)) if i + d in others]
        if not pairs or not all(allowed(a, b) for a, b in pairs):
            continue
        best = better(best, d, [[a] + b for a, b in pairs], clock)
    return best and best[-1]


def better(best, d, pairs, clock):
    """The better of two shifts: what was best, and d."""
    together = [overlap(ops, clock) for ops in pairs]
    score = (sum(1 for t in together if t > 0), len(pairs), sum(t for t in together), -abs(d), d)
    good = 2 * sum(1 for t in together if t > -SLACK) > len(pairs)
    return score if good and (best is None or score > best) else best


def match_collectives(processes, clock):
    """Sets of op.same: the operations of all processes that are one collective."""
    by_comm = defaultdict(lambda: defaultdict(list))
    for p in processes:
        for op in p.ops:
            for comm in op.comms:
                if not op.p2p:
                    by_comm[comm][p].append(op)             # a mixed group holds its place in each communicator
    for comm in sorted(by_comm):
        clusters = []                                       # number -> operations
        for p in processes:
            mine = by_comm[comm].get(p)
            if not mine:
                continue
            for n, op in enumerate(mine):
                if op.comm == comm:
                    op.seq = n

            def allowed(a, b):
                return all((o.name, o.bytes) == (a.name, a.bytes) and o.comm == a.comm for o in b) and \
                    (a.name not in NEEDS_ALL or overlap([a] + b, clock) > -SLACK)

            for cluster in clusters:
                d = fit(mine, cluster, clock, allowed)
                if d is not None:
                    for i, op in enumerate(mine):
                        cluster.setdefault(i + d, []).append(op)
                    break
            else:
                clusters.append({i: [op] for i, op in enumerate(mine)})
        if len(clusters) > 1:
            note("communicator %s: no shift makes all its processes agree: %s" % (comm, " | ".join(
                ",".join(sorted({repr(o.process) for ops in c.values() for o in ops})) for c in clusters)))
        for cluster in clusters:
            zero = min(cluster)
            for n, ops in cluster.items():
                for op in ops:
                    if op.comm == comm:
                        op.seq = n - zero
                        if len(ops) > 1:
                            op.same = ops


def ranks_in(comm, members, processes):
    """process -> its rank in the communicator, {} if unknown."""
    if all(comm in p.created for p in members):
        return {p: p.created[comm][1] for p in members}
    sizes = {p.created[comm][0] for p in processes if comm in p.created}
    if len(members) == 2 and sizes <= {2}:
        peers = [{m["peer"] for op in p.ops for m in op.members if m["comm"] == comm and m["name"] in P2P}
                 for p in members]
        if all(len(x) <= 1 for x in peers) and peers[0] | peers[1] <= {0, 1} and not peers[0] & peers[1]:
            second = peers[0] == {1} or peers[1] == {0}
            return {members[0]: 0 if second else 1, members[1]: 1 if second else 0}
    labelled = [p for p in processes if p.rank != "-"]
    if labelled and set(labelled) == set(members) and len({p.rank for p in labelled}) == len(labelled):
        return {p: int(p.rank) for p in members}
    return {}


def match_p2p(processes, clock):
    """Fills op.peers with the operations of other processes that hold the other ends of op's sends and receives."""
    ends = defaultdict(lambda: defaultdict(list))           # comm -> (process, direction, peer) -> operations
    on = defaultdict(list)
    for p in processes:
        for op in p.ops:
            for comm in op.comms:
                if p not in on[comm]:
                    on[comm].append(p)
            for m in op.members:
                if m["name"] in P2P and m["comm"] is not None and m["peer"] is not None:
                    ends[m["comm"]][p, m["name"], m["peer"]].append((op, m))
    for comm in sorted(ends):
        rank = ranks_in(comm, on[comm], processes)
        who = {r: p for p, r in rank.items()}
        if not rank:
            note("communicator %s: whose rank is whose is not known, sends and receives stay unmatched" % comm)
        for (p, direction, peer), sends in ends[comm].items():
            if direction != "send" or p not in rank or peer not in who:
                continue
            q = who[peer]
            recvs = ends[comm].get((q, "recv", rank[p]), [])
            if not recvs or q is p:
                continue
            d = fit_p2p(sends, recvs, clock)
            if d is None:
                note("communicator %s: sends of %s to %s do not fit" % (comm, p, q))
                continue
            for i, (op, _) in enumerate(sends):
                if 0 <= i + d < len(recvs):
                    other = recvs[i + d][0]
                    op.peers.append(other)
                    other.peers.append(op)


def fit_p2p(sends, recvs, clock):
    """As fit, of single messages: a receive cannot end before its send begins."""
    best = None
    for d in range(1 - len(sends), len(recvs)):
        pairs = [(sends[i], recvs[i + d]) for i in range(len(sends)) if 0 <= i + d < len(recvs)]
        if any(a[1]["bytes"] != b[1]["bytes"] or b[0].end + clock[b[0].process.trace.index] + SLACK
               < a[0].start + clock[a[0].process.trace.index] for a, b in pairs):
            continue
        best = better(best, d, [[a[0], b[0]] for a, b in pairs], clock)
    return best and best[-1]


def together(op):
    """All operations that op waits for, itself included; one per process."""
    return op.same if op.same else [op] + list(dict.fromkeys(op.peers)) if op.peers else []


Op.same = None


def final_clocks(traces, processes, choice):
    """Each trace's clock relative to the first one's, as the contract says."""
    utc = [(t.utc - traces[0].utc) if t.utc is not None and traces[0].utc is not None else 0 for t in traces]
    if choice == "none":
        return [0] * len(traces)
    if len(traces) > 1:
        for t in traces:
            if t.utc is None:
                note("%s has no TARGET_INFO_SESSION_START_TIME" % t.path)
    if choice == "utc":
        return utc
    collectives = {id(op.same): op.same for p in processes for op in p.ops if op.same and op.name in NEEDS_ALL}
    broken = sum(1 for ops in collectives.values() if overlap(ops, utc) < 0)
    hosts = {t.host for t in traces}
    if choice is None and not broken and len(hosts) <= 1:
        return utc
    note("%d of %d collectives end before the last arrives, hosts %s" % (broken, len(collectives), sorted(map(str, hosts))))

    def difference(a, b):
        ends = []
        for ops in collectives.values():
            x = [o.end for o in ops if o.process.trace.index == a]
            y = [o.end for o in ops if o.process.trace.index == b]
            if x and y:
                ends.append(max(x) - max(y))
        return (median(ends), len(ends)) if ends else (None, 0)

    clock = breadth_first(traces, difference, utc)
    for t, c, u in zip(traces, clock, utc):
        note("%s: clock %d, %+d ns beside utc" % (t.path, c, c - u))
    return clock


def find_last(processes, clock):
    for p in processes:
        for op in p.ops:
            everyone = together(op)
            if len({o.process for o in everyone}) < 2:
                continue
            op.matched = True
            op.is_last = all(o.start + clock[o.process.trace.index] <= op.start + clock[p.trace.index]
                             for o in everyone)
            own = clock[p.trace.index]
            for k in op.kernels:
                arrivals = [(o.start + clock[o.process.trace.index] - own, o.process) for o in everyone
                            if o.process is not p]
                k.arrival, k.last = k.start, p
                for at, who in arrivals:
                    if at < k.end and at > k.arrival:
                        k.arrival, k.last = at, who


Op.matched = False
Op.is_last = False


# ---------------------------------------------------------------------------------------------- windows and rows

class Window:
    def __init__(self, process, pieces, name="-", gpu=None):
        self.process, self.name, self.gpu = process, name, gpu
        self.pieces = union(pieces)
        self.start, self.end = self.pieces[0][0], self.pieces[-1][1]

    def has(self, k, inside):
        if self.gpu is not None and k.gpu != self.gpu:
            return False
        if inside:
            return any(a <= k.start and k.end <= b for a, b in self.pieces)
        return any(k.start < b and k.end > a or k.start == k.end and a <= k.start < b for a, b in self.pieces)

    def part(self, a, b):
        return sum(max(0, min(b, y) - max(a, x)) for x, y in self.pieces)


def minus(a, b, covered):
    """[a, b) without the covered intervals, which are sorted and apart."""
    out = []
    for x, y in covered:
        if y > a and x < b:
            if x > a:
                out.append((a, x))
            a = max(a, y)
    if a < b:
        out.append((a, b))
    return out


class Row:
    """What --each shows of one kernel in one window."""
    def __init__(self, w, k, comm_ranks):
        p, op = k.process, k.op
        pieces = [(max(a, k.start), min(b, k.end)) for a, b in w.pieces if a <= k.end and b >= k.start]
        self.k, self.w, self.op = k, w, op
        self.start, self.end = pieces[0][0], pieces[-1][1]
        self.dur = w.part(k.start, k.end)
        self.exposed = sum(w.part(a, b) for a, b in minus(k.start, k.end, p.computed.get(k.gpu, [])))
        self.matched = k.last is not None
        self.wait = w.part(k.start, k.arrival) if self.matched else None
        self.transfer = w.part(k.arrival, k.end) if self.matched else None
        self.comm = op.comm if op and op.comm else "-"
        self.ranks = comm_ranks.get(self.comm, "-")
        self.opname = op.name if op else kernel_operation(k.name)
        self.bytes = "-" if not op or op.bytes is None else op.bytes if k.first else 0
        self.seq = op.seq if op and op.seq is not None else "-"
        self.whole = sum(x.end - max(x.start, x.arrival) for x in (op.kernels if op else [k])) if self.matched else 0
        self.moved = None                                   # bytes times factor, said of the first kernel
        if self.matched and self.bytes != "-" and k.first:
            self.moved = self.bytes * factor(self.opname, self.ranks)


def kernel_operation(name):
    m = re.match(r"nccl[A-Za-z0-9]*Kernel_([A-Za-z]+)", name)
    return m.group(1).lower() if m else "-"


def factor(op, n):
    if op == "allreduce":
        return 2 * (n - 1) / n
    return n - 1 if op in NEEDS_ALL else 1


def rate(moved, ns):
    if moved is None or ns == 0:
        return "-"
    x = moved / ns
    if 0 < x < 0.005:                                       # two figures
        places = 3
        while float("%.*f" % (places, x)) < 10 ** (1 - places):
            places += 1
        return "%.*f" % (places, x)
    return "%.2f" % x


def stage(row):
    """nsq-overlap's: the built-in rule on the ranges from the innermost outwards, else the innermost, folded."""
    k = row.k
    around = k.process.trace.open_ranges(k.call.proc, k.call.tid, k.launch) if k.call else []
    label = next((m.group(1) for m in (re.match(r".*(stage[0-9]+_[fbw])([^A-Za-z0-9].*)?$", r.name, re.S)
                                       for r in around) if m), None)
    if label is None:
        label = next((re.sub("[0-9]+", "#", r.name) for r in around if not r.nccl), "-")
    return ("serial:" if (k.gpu, k.ctx, k.stream) in k.process.compute_streams else "") + label


def windows_of(traces, specs, merge):
    """Windows in the order given, per trace."""
    out = []
    for t in traces:
        mine = [t.processes[k] for k in sorted(t.processes, key=lambda k: (k & 0xffffff, k)) if t.processes[k].span]
        first, final = t.span
        found = []
        if specs is None:
            found = [Window(p, [p.span]) for p in mine]
        for a, b, pid, gpu, name, trace in specs or []:
            if trace is not None and trace != t.path:
                continue
            for p in mine:
                a0 = first if a is None else max(a, first)
                b0 = final if b is None else min(b, final)
                if (pid is None or pid == p.pid) and a0 < b0:
                    found.append(Window(p, [(a0, b0)], name, gpu))
        if merge:
            merged = []
            for p in mine:
                of_p = [w for w in found if w.process is p]
                if of_p:
                    names = {w.name for w in of_p}
                    merged.append(Window(p, [x for w in of_p for x in w.pieces],
                                         names.pop() if len(names) == 1 else "-", of_p[0].gpu))
            found = merged
        out += found
    return out


def read_specs(options):
    specs = []
    for text in options:
        m = re.fullmatch(r"([0-9]*)\.\.([0-9]*)", text)
        if m:
            specs.append((int(m[1]) if m[1] else None, int(m[2]) if m[2] else None, None, None, "-", None))
            continue
        lines = (sys.stdin if text == "-" else open(text)).read().splitlines()
        head = lines[0].split("\t")
        for line in lines[1:]:
            row = dict(zip(head, line.split("\t")))
            def number(c):
                return None if row.get(c, "-") == "-" else int(row[c])
            trace = row.get("trace", "-")
            specs.append((int(row["start_ns"]), int(row["end_ns"]), number("pid"), number("gpu"),
                          row.get("window", "-"), None if trace == "-" else trace))
    return specs or None


# ---------------------------------------------------------------------------------------------- answers

def pid_of(p):
    same = [q for q in p.trace.processes.values() if q.pid == p.pid and q.span]
    return "%d:%d" % (p.pid, p.key >> 24) if len(same) > 1 else str(p.pid)


def emit(rows):
    for r in rows:
        print("\t".join(str(x).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for x in r))


def dash(x):
    return "-" if x is None else x


def by_columns(row):
    return [(0, x, "") if isinstance(x, (int, float)) else (1, 0, str(x)) for x in row]


def each(windows, rows_of):
    emit([("pid rank start_ns end_ns gpu ctx stream launch_ns dur_ns wait_ns transfer_ns exposed_ns bus_gbps comm seq "
           "ranks op bytes last name window trace").split()])
    for w in windows:
        out = []
        for r in rows_of[w]:
            k = r.k
            out.append([pid_of(w.process), w.process.rank, r.start, r.end, k.gpu, k.ctx, k.stream, dash(k.launch), r.dur,
                        dash(r.wait), dash(r.transfer), r.exposed, rate(r.moved, r.whole), r.comm, r.seq, r.ranks,
                        r.opname, r.bytes, repr(k.last) if r.matched else "-", k.name, w.name, w.process.trace.path])
        out.sort(key=lambda o: (o[2], by_columns(o)))
        emit(out)


def sums(windows, rows_of, keys):
    """keys None: comm, op and bytes.  --by stage and pid add no column for pid."""
    shown = [k for k in ("comm", "op", "bytes", "stage") if k in (keys or ["comm", "op", "bytes"])]
    head, tail = [], []
    for k in shown:
        (tail if k == "stage" else head).extend(["comm", "ranks"] if k == "comm" else [k])
    emit([["pid", "rank", "start_ns", "end_ns", "gpu"] + head +
          "count total_ns wait_ns transfer_ns exposed_ns p50_ns max_ns bus_gbps".split() + tail + ["window", "trace"]])
    for w in windows:
        groups = defaultdict(list)
        for r in rows_of[w]:
            bytes_ = "-" if not r.op or r.op.bytes is None else r.op.bytes      # of the whole operation
            value = {"comm": r.comm, "op": r.opname, "bytes": bytes_}
            if "stage" in shown:
                value["stage"] = stage(r)
            groups[r.k.gpu, tuple((value[k], r.ranks) if k == "comm" else (value[k],) for k in shown)].append(r)
        out = []
        for (gpu, key), rs in groups.items():
            total = sum(r.dur for r in rs)
            wait = sum(r.wait or 0 for r in rs)
            good = [r for r in rs if r.moved is not None]
            moved = sum(r.moved for r in good) if good else None
            ops = Counter()
            for r in rs:
                ops[id(r.op) if r.op else id(r.k)] += r.dur
            first = [x for name, k in zip(shown, key) for x in k if name != "stage"]
            last = [x for name, k in zip(shown, key) for x in k if name == "stage"]
            out.append([pid_of(w.process), w.process.rank, w.start, w.end, gpu] + first +
                       [len(ops), total, wait, total - wait, sum(r.exposed for r in rs), median(list(ops.values())),
                        max(ops.values()), rate(moved, sum(r.whole for r in good))] + last + [w.name, w.process.trace.path])
        at = 6 + len(head)
        out.sort(key=lambda o: (-o[at], by_columns(o)))
        emit(out)
    loose = sum(1 for w in windows for r in rows_of[w] if not r.matched)
    if loose:
        note("%d kernels unmatched" % loose)


def steps_of(windows):
    """window -> number of the step: the n-th window of each process if all have equally many, else the n-th of a name,
    its CPU side left out."""
    numbers, seen, out = {}, Counter(), {}
    equal = len(set(Counter(w.process for w in windows).values())) <= 1
    for w in windows:
        name = "" if equal else re.sub(r"@[0-9]+\.\.[0-9]+$", "", w.name) if re.match(r".*#[0-9]+@", w.name) else w.name
        step = (name, seen[w.process, name])
        seen[w.process, name] += 1
        out[w] = numbers.setdefault(step, len(numbers))
    return out


def last(windows, rows_of):
    emit(["pid rank start_ns end_ns gpu ops last_ops caused_ns wait_ns transfer_ns comm_ns window trace".split()])
    caused, step = Counter(), steps_of(windows)
    for w in windows:
        for r in rows_of[w]:
            if r.matched and r.k.last is not w.process:
                caused[r.k.last, step[w]] += r.wait
    out = []
    for w in windows:
        rs = rows_of[w]
        ops = {id(r.op) if r.op else id(r.k): r.op for r in rs}
        gpus = {r.k.gpu for r in rs}
        comm, wait = sum(r.dur for r in rs), sum(r.wait or 0 for r in rs)
        out.append([step[w], [pid_of(w.process), w.process.rank, w.start, w.end, gpus.pop() if len(gpus) == 1 else "-",
                    len(ops), sum(1 for op in ops.values() if op and op.is_last), caused[w.process, step[w]], wait,
                    comm - wait, comm, w.name, w.process.trace.path]])
    out.sort(key=lambda o: (o[0], -o[1][7], by_columns(o[1])))
    emit(o[1] for o in out)


def main(argv):
    a = argparse.ArgumentParser()
    a.add_argument("--each", action="store_true")
    a.add_argument("--last", action="store_true")
    a.add_argument("--by")
    a.add_argument("--clock", choices=["utc", "ends", "none"])
    a.add_argument("--merge", action="store_true")
    a.add_argument("--inside", action="store_true")
    a.add_argument("-w", action="append", default=[])
    a.add_argument("traces", nargs="+")
    o = a.parse_args(argv)
    traces = [JobTrace(path, i) for i, path in enumerate(o.traces)]
    processes = all_processes(traces)
    clock = provisional_clocks(traces, processes)
    match_collectives(processes, clock)
    match_p2p(processes, clock)
    find_last(processes, final_clocks(traces, processes, o.clock))
    seen, size = defaultdict(set), {}
    for p in processes:
        for op in p.ops:
            for comm in op.comms:
                seen[comm].add(p)
        for comm, (n, _) in p.created.items():
            size[comm] = n
    comm_ranks = {c: size.get(c, len(s)) for c, s in seen.items()}
    windows = windows_of(traces, read_specs(o.w), o.merge)
    rows_of = {w: [Row(w, k, comm_ranks) for k in w.process.kernels if w.has(k, o.inside)] for w in windows}
    if o.each:
        each(windows, rows_of)
    elif o.last:
        last(windows, rows_of)
    else:
        sums(windows, rows_of, o.by.split(",") if o.by else None)
