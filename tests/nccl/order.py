#!/usr/bin/env python3
"""nsq-nccl on jobs without NCCL's payloads: what it matches by order must be what is one in truth.

    order.py [--seeds A..B] [--shifted] [-v] [--keep DIR]

A seed decides everything: the mesh (tensor, data and pipeline parallel, replicas that never meet), what a step does, whether
ranges tell operations apart, how long they and the compute between them take and how much that varies, who is late, what the
captures lack, labels, hosts, clocks that are wrong, how many processes a trace has.  Rows of one seq must be one collective
in truth, and all of it that the captures hold.  --shifted: all captures lack a step, some the first and some the last, and
steps are more alike, so that captures of different stretches look the same.  The last line says how many of the operations that have a partner were matched.
"""
import argparse
import collections
import csv
import os
import random
import subprocess
import sys
import tempfile

from generate import Writer

RANGES = {"allreduce": "ncclAllReduce", "allgather": "ncclAllGather", "reducescatter": "ncclReduceScatter",
          "alltoall": "ncclAlltoAll", "broadcast": "ncclBroadcast"}


def log_uniform(chance, a, b):
    return a * (b / a) ** chance.random()


class Job:
    def __init__(self, chance):
        self.chance = chance
        self.tp, self.dp, self.pp = chance.choice([(1, 2, 1), (1, 3, 1), (1, 4, 1), (1, 8, 1), (2, 1, 1), (2, 2, 1), (2, 2, 1),
                                                   (2, 4, 1), (4, 2, 1), (4, 1, 1), (2, 3, 1), (2, 2, 2), (1, 2, 2), (2, 1, 2),
                                                   (1, 4, 2), (4, 1, 2), (2, 1, 4), (4, 4, 1)])
        self.copies = chance.choice([1, 1, 1, 1, 2])            # replicas that never meet
        self.n = self.tp * self.dp * self.pp * self.copies
        self.steps, self.layers = chance.choice([3, 6, 10, 20]), chance.choice([1, 2, 4])
        self.micro = chance.choice([1, 2, 4]) if self.pp > 1 else 1
        self.named = chance.random() < .75
        self.kinds = {"layer": chance.choice(["allreduce", "allreduce", "allgather", "alltoall"]),
                      "grads": chance.choice(["allreduce", "allreduce", "reducescatter"]), "norm": "allreduce"}
        self.norm = chance.random() < .5
        self.buckets = chance.choice([1, 2, 4])
        self.transfer = {k: log_uniform(chance, 2e4, 3e6) for k in self.kinds}
        self.compute = log_uniform(chance, 2e4, 1e6)
        self.varies = log_uniform(chance, .002, 1)
        self.end_noise = log_uniform(chance, 1e4, 2e5) if chance.random() < .25 else log_uniform(chance, 200, 5000)
        self.gap = log_uniform(chance, 2000, 50000)
        self.late = chance.randrange(self.n) if chance.random() < .6 else None
        self.late_by = log_uniform(chance, 1e4, 2e6)
        self.skew = log_uniform(chance, 1e3, 5e7)               # how far apart ranks begin
        self.comms = {}

    def place(self, r):
        """Where a rank is: replica, pipeline stage, data, tensor."""
        return (r // (self.tp * self.dp * self.pp), r // (self.tp * self.dp) % self.pp, r // self.tp % self.dp, r % self.tp)

    def group(self, r, kind):
        copy, pp, dp, tp = self.place(r)
        mine = {"layer": lambda q: q[:3] == (copy, pp, dp), "grads": lambda q: q[:2] == (copy, pp) and q[3] == tp,
                "norm": lambda q: q[0] == copy}[kind]
        return tuple(q for q in range(self.n) if mine(self.place(q)))

    def program(self, r):
        """What a rank does: ("compute",), (kind, group), ("p2p", direction, peer)."""
        copy, pp, dp, tp = self.place(r)
        far = self.tp * self.dp
        for step in range(self.steps):
            for phase in (1, -1):
                for _ in range(self.micro):
                    if 0 <= pp - phase < self.pp:
                        yield ("p2p", "ncclRecv", r - phase * far)
                    for _ in range(self.layers):
                        yield ("compute",)
                        if self.tp > 1:
                            yield ("layer", self.group(r, "layer"))
                    if 0 <= pp + phase < self.pp:
                        yield ("p2p", "ncclSend", r + phase * far)
            for _ in range(self.buckets if self.dp > 1 else 0):
                yield ("compute",)
                yield ("grads", self.group(r, "grads"))
            if self.norm:
                yield ("norm", self.group(r, "norm"))

    def vary(self, x):
        return x * self.chance.lognormvariate(0, self.varies)

    def run(self):
        """work[rank] as in generate.py: start, end, kind, comm, members, wait, last, number, place."""
        chance = self.chance
        programs = [list(self.program(r)) for r in range(self.n)]
        at, now = [0] * self.n, [1e8 + chance.random() * self.skew for _ in range(self.n)]
        work, ready, sent, made = [[] for _ in range(self.n)], {}, {}, collections.Counter()

        def advance(r):
            while at[r] < len(programs[r]):
                op = programs[r][at[r]]
                if op[0] == "compute":
                    extra = self.vary(self.late_by / self.layers) if r == self.late else 0
                    start = now[r] + 2000 + chance.random() * 1000
                    now[r] = start + max(10000, self.vary(self.compute)) + extra
                    work[r].append((int(start), int(now[r]), "compute", None, [], None, None, None, None))
                elif op[0] == "p2p":
                    if not self.message(r, op, now, sent, work, programs, at):
                        return
                else:
                    ready.setdefault((op, made[op, r]), {})[r] = now[r] + self.gap + chance.random() * 1000
                    if len(ready[op, made[op, r]]) < len(op[1]):
                        return
                    self.meet(op, ready.pop((op, made[op, r])), made, now, work, at)
                    return [q for q in op[1]]
                at[r] += 1

        waiting = list(range(self.n))
        while waiting:
            r = waiting.pop()
            more = advance(r)
            waiting += more or []
            if at[r] < len(programs[r]) and programs[r][at[r]][0] == "p2p":
                peer = programs[r][at[r]][2]
                if (r, peer) in sent or (peer, r) in sent:
                    pass
            waiting += self.woken
            self.woken = []
        assert all(a == len(p) for a, p in zip(at, programs)), (at, [len(p) for p in programs])
        return work

    woken = []

    def message(self, r, op, now, sent, work, programs, at):
        """A send or receive ends when the other side has come; True if it has."""
        _, name, peer = op
        pair = (r, peer) if name == "ncclSend" else (peer, r)
        other = sent.get(pair)
        mine = now[r] + 20000
        if other is None:
            sent[pair] = (r, mine, name)
            return False
        if other[0] == r:
            return False
        del sent[pair]
        end = max(mine, other[1]) + 20000
        world = self.comm("world")
        for who, start, what, to in ((r, mine, name, peer), (peer, other[1], other[2], r)):
            work[who].append((int(start), int(end + self.chance.random() * 500), "sendrecv", world,
                              [(what, world, 4096, to)], None, None, None, "pipeline" if self.named else None))
            now[who] = end + 1000
        at[peer] += 1
        self.woken = [peer]
        return True

    def comm(self, key):
        return self.comms.setdefault(key, self.chance.getrandbits(64))

    def meet(self, op, starts, made, now, work, at):
        kind, group = op
        if len(group) == 1:                             # NCCL runs no kernel that waits
            for r in group:
                at[r] += 1
                made[op, r] += 1
            return
        finish = max(starts.values()) + self.vary(self.transfer[kind])
        comm, number = self.comm(op), made[op, group[0]]
        for r in group:
            end = finish + self.chance.random() * self.end_noise
            name = self.kinds[kind]
            work[r].append((int(starts[r]), int(end), name, comm, [(RANGES[name], comm, 1 << 16, 0)], None, None, number,
                            kind if self.named else None))
            now[r] = end
            at[r] += 1
            made[op, r] += 1


def write(job, chance, out, shifted):
    """Traces without payloads.  Returns truth, (trace, start) -> (comm, number), of those that need all ranks."""
    class options:
        created, plain, unlabelled = False, True, chance.random() < .15
    work, truth = job.run(), {}
    several, partly = chance.random() < .4, chance.random() < .3
    per_trace = chance.choice([1, 1, 1, 2, job.n])
    wrong = 0 if chance.random() < .3 else log_uniform(chance, 1e3, 1e5) if chance.random() < .8 else 4e7
    cut = chance.choice([0, 0, 1, 3, 12, 40])
    gone = {chance.randrange(job.n)} if chance.random() < .1 and job.n > 2 else set()
    lacks_first = [True, False] + [chance.random() < .5 for _ in range(job.n)] if shifted else []
    for first in range(0, job.n, per_trace):
        ranks = [r for r in range(first, min(first + per_trace, job.n)) if r not in gone]
        begun = chance.randrange(50000000)
        if not ranks:
            continue
        name = "rank-%04d.sqlite" % first
        off = chance.uniform(-1e9, 1e9) if several else chance.uniform(-wrong, wrong)
        w = Writer(os.path.join(out, name), "host%d" % (first if several else 0), int(1.7e18 + begun + off))
        for r in ranks:
            mine = [(x[0] - begun, x[1] - begun) + x[2:] for x in work[r]]
            if shifted:
                comm = [x for x in mine if x[2] != "compute"]
                k = len(comm) // job.steps
                drop = {id(x) for x in (comm[:k] if lacks_first[first // per_trace] else comm[-k:])}
                mine = [x for x in mine if id(x) not in drop]
            elif cut and chance.random() < 1 / 3:
                comm = [x for x in mine if x[2] != "compute"]
                k = chance.randrange(1, cut + 1)
                drop = {id(x) for x in (comm[:k] if chance.random() < .5 else comm[-k:])}
                mine = [x for x in mine if id(x) not in drop]
            copy, pp, dp, tp = job.place(r)
            options.label = "rank=%d; pp=%d/%d dp=%d/%d" % (r, pp, job.pp, dp, job.dp)
            options.label += "" if partly else " tp=%d/%d rep=%d/%d" % (tp, job.tp, copy, job.copies)
            if not mine:
                continue
            w.rank(r, job.n, mine, [mine[0][0] - 60000, mine[-1][1] + 1000], options, [])
            truth.update({(name, str(1000 + r), str(x[0])): (x[3], x[7]) for x in mine if x[7] is not None})
        w.close()
    return truth


def check(seed, keep, shifted):
    chance = random.Random(seed)
    job = Job(chance)
    job.varies *= .1 if shifted else 1
    with tempfile.TemporaryDirectory() as out:
        truth = write(job, chance, keep or out, shifted)
        traces = sorted((keep or out) + "/" + f for f in os.listdir(keep or out) if f.endswith(".sqlite"))
        run = subprocess.run(["nsq-nccl", "--each"] + traces, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    size = collections.Counter(truth.values())
    seq, answered, said = collections.defaultdict(list), 0, run.stderr
    for row in csv.DictReader(run.stdout.splitlines(), delimiter="\t"):
        key = truth.get((os.path.basename(row["trace"]), row["pid"], row["start_ns"]))
        if row["wait_ns"] != "-":
            answered += 1
            seq[row["seq"]].append(key)
    bad = [(k, len(set(v)), len(v), size[v[0]]) for k, v in seq.items() if len(set(v)) > 1 or None in v or len(v) != size[v[0]]]
    return job, bad, answered, sum(v for v in size.values() if v > 1), said


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--seeds", default="1..20")
    a.add_argument("--keep")
    a.add_argument("--shifted", action="store_true")
    a.add_argument("-v", action="store_true")
    args = a.parse_args()
    first, last = map(int, args.seeds.split(".."))
    wrong = answered = of = some = 0
    for seed in range(first, last + 1):
        job, bad, yes, all_, said = check(seed, args.keep, args.shifted)
        wrong += bool(bad)
        answered += yes
        of += all_
        some += yes > 0
        if args.v or bad:
            print("seed %d: tp %d dp %d pp %d copies %d, %d of %d matched%s" %
                  (seed, job.tp, job.dp, job.pp, job.copies, yes, all_, ", %d WRONG: %s" % (len(bad), bad[:3]) if bad else ""))
            if args.v:
                print("    " + said.replace("\n", "\n    ").rstrip())
    print("%d of %d jobs wrong; %d of %d operations matched, in %d jobs" % (wrong, last - first + 1, answered, of, some))
    sys.exit(wrong > 0)


main()
