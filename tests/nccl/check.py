#!/usr/bin/env python3
"""nsq-nccl against jobs whose course is known: generate.py makes them, and truth.tsv says who waited for whom.

    check.py [--seeds A..B]

Operations of one communicator and number are one collective in truth too, whatever was cut out of the captures and
however wrong their clocks are.  Where all ranks are there, waits and the last rank are those of truth: to 3 us where
clocks were aligned by ends, and where UTC is a little wrong but contradicts nothing, to twice its error.
"""
import argparse
import collections
import csv
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def draw(chance):
    """Options of generate.py."""
    options = {"ranks": chance.choice([2, 3, 4, 5, 8]), "steps": chance.choice([6, 10, 20])}
    flags = []
    if chance.random() < .3:
        flags += ["--processes", "2"]
    if chance.random() < .5:
        flags += ["--cut", str(chance.choice([1, 3, 6, 12]))]
    if chance.random() < .5:
        flags += ["--offset", str(chance.choice([50000, 900000, 5000000, 40000000]))]
    if chance.random() < .3:
        flags += ["--hosts", str(chance.choice([2, 3]))]
    if chance.random() < .3 and options["ranks"] > 2:
        flags += ["--missing", "1"]
    flags += [f for f in ("--created", "--unlabelled", "--no-p2p") if chance.random() < .25]
    return options, flags


def check(seed):
    chance = random.Random(seed)
    options, flags = draw(chance)
    bad, loose = [], 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, HERE + "/generate.py", str(options["ranks"]), folder, "--seed", str(seed),
                        "--steps", str(options["steps"])] + flags, check=True, stdout=subprocess.DEVNULL)
        traces = sorted(folder + "/" + f for f in os.listdir(folder) if f.endswith(".sqlite"))
        truth = {}
        for row in csv.DictReader(open(folder + "/truth.tsv"), delimiter="\t"):
            truth[row["rank"], row["start_ns"]] = row
        run = subprocess.run(["nsq-nccl", "--each"] + traces, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
        rows = list(csv.DictReader(run.stdout.splitlines(), delimiter="\t"))
        close = 3000
        if "--offset" in flags and " shifted by " not in run.stderr:
            close += 2 * int(flags[flags.index("--offset") + 1])
        missing = "--missing" in flags or "--cut" in flags
        numbers = collections.defaultdict(set)
        if len(rows) != len(truth):
            bad.append("%d rows for %d kernels" % (len(rows), len(truth)))
        for r in rows:
            t = truth.get((r["rank"], r["start_ns"])) if r["rank"] != "-" else None
            if t is None:
                found = [v for (rank, start), v in truth.items() if start == r["start_ns"] and r["rank"] in ("-", rank)]
                if len(found) != 1:
                    continue
                t = found[0]
            loose += r["wait_ns"] == "-"
            if r["seq"] != "-" and r["last"] != "-":
                numbers[r["comm"], r["seq"]].add(t["number"])
            if r["wait_ns"] == "-" or t["wait_ns"] == "-":
                continue
            wait, real = int(r["wait_ns"]), int(t["wait_ns"])
            if (not missing and abs(wait - real) > close) or (missing and wait > real + close):
                bad.append("wait %d for %d: %s" % (wait, real, r))
            if close == 3000 and "--offset" not in flags and "--hosts" not in flags and not missing and r["rank"] != "-" and \
                    r["last"] != t["last"] and wait != real:
                bad.append("last %s for %s: %s" % (r["last"], t["last"], r))
        bad += ["collective %s is %s" % (k, v) for k, v in numbers.items() if len(v) > 1]
    return options, flags, len(rows), loose, bad


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--seeds", default="1..20")
    a.add_argument("-v", action="store_true")
    args = a.parse_args()
    first, last = map(int, args.seeds.split(".."))
    failed = 0
    for seed in range(first, last + 1):
        options, flags, rows, loose, bad = check(seed)
        if args.v or bad:
            print("seed %d: %s %s: %d rows, %d loose, %d bad" % (seed, options, " ".join(flags), rows, loose, len(bad)))
        for b in bad[:3]:
            print("   ", b)
        failed += bool(bad)
    print("%d of %d jobs wrong" % (failed, last - first + 1))
    sys.exit(failed > 0)


main()
