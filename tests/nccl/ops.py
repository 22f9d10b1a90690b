#!/usr/bin/env python3
"""Traces of a few operations that are written out.

    ops.py OUTDIR < OPERATIONS

A line is one kernel: TRACE PID RANK OP COMM START END, blanks between them, # before a comment.  TRACE becomes
OUTDIR/TRACE.sqlite; RANK - has no label; OP is NAME:BYTES as in AllReduce:1024, or several with + between them: a
group, in which a NAME alone has no payload; COMM is a number.  A process is on GPU number 0, 1, ... of its trace.
"""
import argparse
import os
import sys

from generate import Writer


def members(ops, comm):
    parts = [op.split(":") for op in ops.split("+")]
    return [("nccl" + p[0], comm, int(p[1]), 0) if len(p) > 1 else ("nccl" + p[0],) for p in parts]


def main():
    out, traces = sys.argv[1], {}
    for line in sys.stdin:
        words = line.split("#")[0].split()
        if words:
            trace, pid, rank, ops, comm, start, end = words
            work = (int(start), int(end), "other", int(comm), members(ops, int(comm)))
            traces.setdefault(trace, {}).setdefault((int(pid), rank), []).append(work)
    for trace, procs in traces.items():
        path = os.path.join(out, trace + ".sqlite")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        w = Writer(path, "host", 1700000000000000000)
        w.schemas()
        for gpu, ((pid, rank), work) in enumerate(procs.items()):
            o = argparse.Namespace(unlabelled=rank == "-", created=False)
            marks = [min(x[0] for x in work) - 50000, max(x[1] for x in work)]
            w.rank(gpu if rank == "-" else int(rank), 8, work, marks, o, [], pid)
        w.close()


main()
