#!/usr/bin/env python3
"""nsq-window against the second reading of its rules.

    compare.py TRACE...             of these traces
    compare.py --random N [FIRST]   of random programs, seeds FIRST (1) to FIRST + N - 1
"""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import make  # noqa: E402
from oracle.measure import union  # noqa: E402
from oracle.names import is_comm  # noqa: E402
from oracle.steps import Steps, annotated, repeats, steady  # noqa: E402
from oracle.trace import Trace  # noqa: E402

NSQ = os.environ.get("NSQ_BIN", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bin")) + "/nsq-window"


def ask(path, *options):
    out = subprocess.run([NSQ, "-v", *options, path], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in out.stdout.splitlines()]
    return [dict(zip(lines[0], row)) for row in lines[1:]], out.stderr


def number(text):
    return None if text == "-" else int(text)


def expected(path):
    """Rows of rule, pid, where it begins and ends on the CPU (repeats: where it begins, on the CPU and the GPU, and how many pieces)."""
    t = Steps(path)
    if any(name.startswith("forward chunk ") and " backward chunk" in name for name in (r.name for r in t.named)):
        return None, []
    pid = lambda p: str(p & 0xffffff)
    taken, names = annotated(t)
    if taken:
        return {("iteration", pid(p), a, b) for p, v in taken.items() for a, b in v} | \
            {("process", pid(p)) for p in t.working if p not in taken}, names
    found = {p: repeats(t, p) for p in t.pids}
    return {("repeat", pid(p), s[0].at, min(w.start for w in s), len(s), f[1]) for p, f in found.items() if f for s in f[0]} | \
        {("process", pid(p)) for p in t.working if not found.get(p)}, []


def got(path):
    rows, said = ask(path, "--pick", "all", "--skip", "0")
    result = set()
    for r in rows:
        key = {"iteration": (int(r["cpu_start_ns"]), int(r["cpu_end_ns"])),
               "repeat": (int(r["cpu_start_ns"]), int(r["start_ns"]), int(r["work"]), r["name"])}.get(r["rule"], ())
        result.add((r["rule"], r["pid"]) + key)
    return rows, result, said


def check_steady(path, rows):
    """The steady steps of all processes, as nsq-window shows them by default."""
    of, busy, t = {}, {}, Trace(path)
    for r in rows:
        if r["rule"] != "process":
            of.setdefault(r["pid"], []).append(number(r["period_ns"]))
            a, b = int(r["start_ns"]), int(r["end_ns"]) if r["period_ns"] == "-" else int(r["start_ns"]) + int(r["period_ns"])
            mine = [w for w in t.works if str(w.proc & 0xffffff) == r["pid"] and not is_comm(w) and w.start < b and w.end > a]
            busy.setdefault(r["pid"], []).append(sum(y - x for gpu in {w.gpu for w in mine} for x, y in union(
                [(max(w.start, a), min(w.end, b)) for w in mine if w.gpu == gpu])))
    if len({len(v) for v in of.values()}) == 1:
        summed = [None if None in p else sum(p) for p in zip(*of.values())]
        of, busy = {pid: summed for pid in of}, {pid: [sum(b) for b in zip(*busy.values())] for pid in of}
    want = {(pid, str(i)) for pid, v in of.items() for i in steady(v, busy[pid])}
    have = {(r["pid"], r["index"]) for r in ask(path, "--pick", "all")[0] if r["rule"] != "process"}
    return [] if want == have else [f"steady: {sorted(want ^ have)[:4]}"]


def compare(path):
    want, names = expected(path)
    rows, have, said = got(path)
    wrong = check_steady(path, rows)
    if want is not None and want != have:
        wrong.append(f"want {len(want)} {sorted(want - have)[:3]}, have {len(have)} {sorted(have - want)[:3]}")
    if len(names) > 1 and f"'{names[1]}'" not in said or (len(names) == 1 and "the next best" in said):
        wrong.append(f"runner-up of {names[:3]}: {said}")
    return wrong


def sentence(r, depth=0):
    """Words of a random program."""
    out = []
    for _ in range(r.randint(1, 5)):
        what = r.random()
        if what < 0.25 and depth < 3:
            out += sentence(r, depth + 1) * r.randint(2, 6)
        else:
            out.append(r.choice(["a", "b", "c", "d", "a:2", "b:2", "e", "d2h", "h2d", "set", "graph1"] if what < 0.95 else ["load", "wait", "um", "sync", "sync", "@2", "@1"]) +
                       r.choice(["", "", "", "*3", "*2"]))
    return out


def random_run(seed):
    r = random.Random(seed)
    run = make.Run()
    for pid in range(5, 5 + r.choice([1, 1, 1, 2])):
        run.process(pid)
        body, layer, noise = sentence(r), sentence(r), r.choice([0, 0, 0.02])
        names = r.choice([[], [], [], [], [], [], ["step %d"], ["request", "decode step"], ["Layer%d", "runIter_%d"], ["warm-up", "step %d"]])
        with run.range("Warmup") if r.random() < 0.2 else make.contextlib.nullcontext():
            run.work(" ".join(sentence(r)), launched=r.random() < 0.9)
        for i in range(r.randint(2, 9)):
            words = [w for w in body + layer * r.choice([1] * 9 + [2]) if r.random() > noise]
            one = lambda name: name % i if "%" in name else name
            with run.range(one(names[0]), wait=r.random() < 0.3) if names else make.contextlib.nullcontext():
                if len(names) > 1:
                    run.work(" ".join(layer))
                    for _ in range(r.randint(1, 3)):
                        with run.range(one(names[1])):
                            run.work(" ".join(body))
                else:
                    run.work(" ".join(words), launched=r.random() < 0.97)
            if r.random() < 0.1:
                run.work(" ".join(sentence(r)))
    return run


def main(args):
    bad, kinds = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        if args[0] == "--random":
            first = int(args[2]) if len(args) > 2 else 1
            paths = range(first, first + int(args[1]))
        else:
            paths = args
        for p in paths:
            path = p
            if isinstance(p, int):
                path = os.path.join(folder, "x.sqlite")
                random_run(p).write(path, shuffled=p)
            wrong = compare(path)
            for r in {r["rule"] for r in got(path)[0]} if isinstance(p, int) else ():
                kinds[r] = kinds.get(r, 0) + 1
            if wrong:
                bad += 1
                print(f"{p}:", *wrong, sep="\n\t")
    print("traces by rule:", " ".join(f"{k}={kinds[k]}" for k in sorted(kinds)))
    return bad > 0


sys.exit(main(sys.argv[1:]))
