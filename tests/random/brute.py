#!/usr/bin/env python3
"""Compare the tools with a brute-force reading of random traces.

    tests/random/brute.py --seeds 100          seeds 1 to 100
    tests/random/brute.py --seconds 300        as many as fit into that time, from seed 1 on; with --seeds
                                               no more than those
    tests/random/brute.py --seed 7 --keep DIR  one seed again; the trace and windows stay in DIR
    tests/random/brute.py --seeds 100 --stats  how often the hard cases occur, without comparing

The tools are found in $NSQ_BIN, or on PATH.  Exit 1 at the first seed with a difference (--all: go on).
"""
import argparse
import collections
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import generate  # noqa: E402
from oracle.api import api, api_each, api_launch  # noqa: E402
from oracle.chosen import window_list, window_tool  # noqa: E402
from oracle.gaps import find_gaps, gaps, gaps_by_gpu, gaps_each, in_wait, main_cause, synced  # noqa: E402
from oracle.kernels import kernels, kernels_each  # noqa: E402
from oracle.ledger import ledger  # noqa: E402
from oracle.mem import mem, mem_each  # noqa: E402
from oracle.nvtx import nvtx, nvtx_each, nvtx_phases, nvtx_tree, path_shown  # noqa: E402
from oracle.overlap import overlap, overlap_each, overlap_total  # noqa: E402
from oracle.streams import setup, streams  # noqa: E402
from oracle.trace import Trace  # noqa: E402
from oracle.windows import Ask, Options, resolve  # noqa: E402

# ---- what is compared: tool, arguments, the reading, its default window, and what orders the rows

Case = collections.namedtuple("Case", "tool args read default order allows")


def case(tool, args, read, default, order, allows="merge inside gpu"):
    return Case(tool, args.split(), read, default, order.split(), allows.split())


def using(function, **fixed):
    return lambda trace, windows, opts, **more: function(trace, windows, opts, **fixed, **more)


TIMES = "-total_ns"
CASES = [
    case("kernels", "", kernels, "trace", TIMES),
    case("kernels", "--full", using(kernels, by=("full",)), "trace", TIMES),
    case("kernels", "--work all --by name,gpu", using(kernels, by=("name", "gpu"), all_work=True),
         "trace", TIMES),
    case("kernels", "-m e", using(kernels, match="e"), "trace", TIMES),
    case("kernels", "--by pid", using(kernels, by=("pid",)), "trace", TIMES),
    case("kernels", "--by nvtx", using(kernels, by=("nvtx",)), "trace", TIMES, "merge inside gpu adopt"),
    case("kernels", "--by stream", using(kernels, by=("stream",)), "trace", TIMES),
    case("kernels", "--each", kernels_each, "trace", "pid rank start_ns", "merge inside gpu adopt"),
    case("mem", "", mem, "trace", TIMES),
    case("mem", "--by pid,gpu,nvtx", using(mem, by=("pid", "gpu", "nvtx")), "trace", TIMES,
         "merge inside gpu adopt"),
    case("mem", "--each", mem_each, "trace", "pid rank start_ns", "merge inside gpu adopt"),
    case("api", "", api, "calls", TIMES, "merge inside"),
    case("api", "--by class", using(api, by=("class",)), "calls", TIMES, "merge inside"),
    case("api", "--by thread --class sync", using(api, by=("thread",), only="sync"), "calls", TIMES,
         "merge inside"),
    case("api", "--by pid", using(api, by=("pid",)), "calls", TIMES, "merge inside"),
    case("api", "--each", api_each, "calls", "pid rank start_ns", "merge inside"),
    case("api", "--launch", api_launch, "trace", "pid", "merge inside"),
    case("nvtx", "", nvtx, "trace", "-gpu_ns -cpu_ns", "merge inside gpu adopt"),
    case("nvtx", "--exact", using(nvtx, exact=True), "trace", "-gpu_ns -cpu_ns", "merge inside gpu adopt"),
    case("nvtx", "-m step.1|stage|op", using(nvtx, match="step.1|stage|op"), "trace", "-gpu_ns -cpu_ns",
         "merge inside gpu adopt"),
    case("nvtx", "--phases stages", nvtx_phases, "trace", "-gpu_ns -cpu_ns", "merge inside gpu adopt"),
    case("nvtx", "--each", nvtx_each, "trace", "pid rank start_ns", "merge inside gpu adopt"),
    case("nvtx", "--tree", nvtx_tree, "trace", "", "merge inside gpu adopt"),
    case("overlap", "", overlap, "work", "gpu -exposed_ns", "merge inside gpu adopt"),
    case("overlap", "--by stream", using(overlap, by="stream"), "work", "gpu -exposed_ns"),
    case("overlap", "--by name", using(overlap, by="name"), "work", "gpu -exposed_ns"),
    case("overlap", "--each", overlap_each, "work", "start_ns", "merge inside gpu adopt"),
    case("overlap", "--total", overlap_total, "work", "gpu", "merge gpu"),
    case("gaps", "", gaps, "work", "gpu -idle_ns", "merge gpu"),
    case("gaps", "--work kernels", using(gaps, kernels_only=True), "work", "gpu -idle_ns", "merge gpu"),
    case("gaps", "-m none --by cause", using(gaps, by=("cause",)), "work", "gpu -idle_ns", "merge gpu adopt"),
    case("gaps", "-m step --by cause", using(gaps, by=("cause",), match="step"), "work", "gpu -idle_ns", "merge gpu adopt"),
    case("gaps", "--by nvtx", using(gaps, by=("nvtx",)), "work", "gpu -idle_ns", "merge gpu"),
    case("gaps", "-m none --by cause,nvtx --work kernels", using(gaps, by=("cause", "nvtx"), kernels_only=True), "work",
         "gpu -idle_ns", "merge gpu"),
    case("gaps", "--by gpu", gaps_by_gpu, "all work", "gpu -idle_ns", "merge gpu"),
    case("gaps", "-m none --each --min 1ns", using(gaps_each, least=1), "work", "-dur_ns", "merge gpu adopt"),
    case("gaps", "-m step --each", using(gaps_each, match="step"), "work", "-dur_ns", "merge gpu adopt"),
    case("ledger", "-m none --by owner", using(ledger, by=("owner",)), "work", "gpu -dur_ns", "merge gpu asked"),
    case("ledger", "-m step --by owner", using(ledger, by=("owner",), match="step"), "work", "gpu -dur_ns", "merge gpu adopt asked"),
    case("ledger", "-m none --by owner,where,name", using(ledger, by=("owner", "where", "name")), "work",
         "gpu -dur_ns", "merge gpu adopt asked"),
    case("streams", "", streams, "work", "gpu ctx stream", "merge inside gpu adopt"),
    case("setup", "", setup, "events", ""),
    case("window", "-m step --pick all", using(window_tool, match="step"), "work or events", "start_ns"),
    case("window", "-m stage|nccl --pick all --period", using(window_tool, match="stage|nccl", period=True),
         "work or events", "start_ns"),
    case("window", "-m op|f --pick all --cpu", using(window_tool, match="op|f", cpu=True), "work or events",
         "start_ns"),
    case("window", "--list", window_list, "work or events", "name"),
]
DROPS_WINDOWS = {"window"}      # whose answer without a window does not depend on the default one


# ---- windows and options to ask for

class Asking:
    """Random windows and options for one command."""

    def __init__(self, rng, trace, chosen, folder, number):
        self.rng, self.trace, self.args, self.asks = rng, trace, [], None
        allows = chosen.allows
        merge = "merge" in allows and rng.random() < 0.3
        self.opts = Options(merge=merge, inside="inside" in allows and rng.random() < (0.4 if merge else 0.3),
                            pid=rng.choice([p & 0xffffff for p in trace.procs]) if rng.random() < 0.15 else None,
                            gpu=self.some_gpu() if "gpu" in allows and rng.random() < 0.15 else None,
                            adopt="adopt" in allows and rng.random() < 0.5)
        self.last = None
        way = rng.choice(["none", "specs", "table", "table", "table"])
        if (self.opts.merge or "asked" in allows) and way == "none":
            way = "table"
        if way == "specs":
            self.specs()
        elif way == "table":
            self.table(os.path.join(folder, f"windows{number}.tsv"))
        self.args += ["--merge"] * self.opts.merge + ["--inside"] * self.opts.inside + ["--adopt"] * self.opts.adopt
        self.args += ["-p", str(self.opts.pid)] if self.opts.pid is not None else []
        self.args += ["-g", str(self.opts.gpu)] if self.opts.gpu is not None else []

    def some_gpu(self):
        gpus = sorted({w.gpu for w in self.trace.works})
        return self.rng.choice(gpus) if gpus else None

    def part(self):
        """A stretch that begins in the trace, most often where something begins or ends.  Windows to be merged
        are short, so that there are holes between them, and some touch."""
        low, high = self.trace.span
        times = sorted({t for _, s, e in self.trace.spans for t in (s, e)})
        a = min(self.rng.choice([self.rng.choice(times), self.rng.randint(low, high)]), high - 1)
        later = [t for t in times if t > a] + [high]
        if self.opts.merge and self.rng.random() < 0.7:
            if self.last in times and self.last < high and self.rng.random() < 0.4:
                a = self.last                            # where another ends
            self.last = self.rng.choice([t for t in times if t > a][:3] or [high + 1])
            return a, self.last
        return a, self.rng.choice([self.rng.choice(later), a + self.rng.randint(1, 10), high + 5, high])

    def specs(self):
        self.asks = []
        for _ in range(self.rng.randint(1, 4)):
            a, b = self.part()
            hide = self.rng.random()
            a, b = (None, b) if hide < 0.15 and b > self.trace.span[0] else (a, None) if hide < 0.3 else (a, b)
            self.asks.append(Ask(a, b, None, None, "-", None))
            self.args += ["-w", f"{'' if a is None else a}..{'' if b is None else b}"]

    def table(self, path):
        """Some windows have a CPU side of their own, or a process."""
        self.asks = []
        pids = sorted({p & 0xffffff for p in self.trace.procs})
        both = self.rng.random() < 0.5
        agree = self.opts.merge and self.rng.random() < 0.5
        for number in range(self.rng.randint(3, 8) if self.opts.merge else self.rng.randint(1, 6)):
            gpu = self.part()
            cpu = self.part() if both and self.rng.random() < 0.6 else gpu if both else None
            pid = self.rng.choice(pids) if self.rng.random() < 0.4 else None
            device = self.some_gpu() if self.rng.random() < 0.2 else None
            self.asks.append(Ask(*gpu, cpu, pid, "same#0" if agree else self.rng.choice([f"w#{number}", f"w#{number}", "x"]),
                                 device))
        if not self.opts.merge:
            self.asks.append(Ask(*self.trace.span, self.trace.span if both else None, None, "all#0", None))
        with open(path, "w") as out:
            names = ["pid", "start_ns", "end_ns"] + ["cpu_start_ns", "cpu_end_ns"] * both + ["gpu", "window"]
            print(*names, sep="\t", file=out)
            for ask in self.asks:
                print("-" if ask.pid is None else ask.pid, ask.a, ask.b, *(ask.cpu if both else ()),
                      "-" if ask.device is None else ask.device, ask.name, sep="\t", file=out)
        self.asks = list(dict.fromkeys(self.asks))       # a window that two rows cite is asked about once
        self.args += ["-w", path]


# ---- comparing

def parse(text):
    lines = text.splitlines()
    names = lines[0].split("\t") if lines else []
    return names, [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def cell(row, name):
    return str(row.get(name, f"no column {name}"))


def fits(expected, actual):
    return all(value is None or str(value) == cell(actual, name) for name, value in expected.items())


def differences(expected, actual):
    """Rows of each side without a counterpart on the other; those that say least are matched last."""
    missing, left = [], list(actual)
    for row in sorted(expected, key=lambda r: sum(v is None for v in r.values())):
        match = next((i for i, other in enumerate(left) if fits(row, other)), None)
        if match is None:
            missing.append(row)
        else:
            del left[match]
    return missing, left


def value_of(text):
    if re.fullmatch("[0-9]+:[0-9]+", text):              # PID:N
        pid, above = text.split(":")
        return 0, int(pid) + int(above) / (1 << 20), ""
    try:
        return 0, float(text), ""
    except ValueError:
        return 1, 0, text.encode()


def before(one, two, keys):
    """Does the first row stand rightly before the second?  Where a value is missing in one of them, any order is."""
    for name, way in keys:
        a, b = value_of(one[name]), value_of(two[name])
        if a != b:
            return "-" in (one[name], two[name]) or (a < b) == (way > 0)
    return True


def disorder(names, rows, order, told_by):
    """The first row that should stand before the one above it: the table's order, then all columns.  told_by:
    the columns that tell one window from the next."""
    keys = [(name.lstrip("-"), -1 if name.startswith("-") else 1) for name in order] + [(name, 1) for name in names]
    for one, two in zip(rows, rows[1:]):
        if order and all(one[name] == two[name] for name in told_by) and not before(one, two, keys):
            return two
    return None


def tree_disorder(rows):
    """The first row of a tree that is not depth first, or has more inclusive time than the sibling before it."""
    above = []                                           # from the outermost: the row last met of each depth
    for row in rows:
        depth = int(row["depth"])
        if above and (above[0]["window"], above[0]["pid"]) != (row["window"], row["pid"]):
            above = []
        if depth > len(above) or row["path"] != path_shown([r["name"] for r in above[:depth]] + [row["name"]]):
            return row
        if depth < len(above) and value_of(above[depth]["gpu_incl_ns"]) < value_of(row["gpu_incl_ns"]) \
                and "-" not in (above[depth]["gpu_incl_ns"], row["gpu_incl_ns"]):
            return row
        above[depth:] = [row]
    return None


def window_disorder(rows, windows):
    """The first row of a window that stands before those of an earlier one."""
    place = {name: i for i, window in reversed(list(enumerate(windows))) for name in (window.name, window.each)}
    for one, two in zip(rows, rows[1:]):
        if place[cell(one, "window")] > place[cell(two, "window")]:
            return two
    return None


def out_of_order(chosen, asking, windows, names, rows):
    """Only where the names of the windows tell them apart."""
    single = len({w.each for w in windows}) == len(asking.asks or [0]) and not asking.opts.merge
    if chosen.tool == "window" or not (len(windows) < 2 or single):
        return None
    # a pid of several processes makes a window of each
    several = len({p & 0xffffff for p in asking.trace.procs}) < len(asking.trace.procs)
    told_by = ["window"] if chosen.default in ("trace", "calls") and not several else ["window", "pid"]
    wrong = tree_disorder(rows) if "--tree" in chosen.args else disorder(names, rows, chosen.order, told_by)
    return wrong if wrong is not None or several else window_disorder(rows, windows)


def show(rows, names):
    for row in rows[:12]:
        print("   ", " ".join(f"{n}={row[n]}" for n in row if n != "trace"))
    if len(rows) > 12:
        print(f"    ... and {len(rows) - 12} more")


def binary(tool):
    return os.path.join(os.environ["NSQ_BIN"], f"nsq-{tool}") if os.environ.get("NSQ_BIN") else f"nsq-{tool}"


def check(trace, path, chosen, asking):
    """Run one command and compare; false when it differs."""
    command = [binary(chosen.tool), *chosen.args, *asking.args, "-f", "tsv", "-q", path]
    windows = resolve(trace, asking.asks, asking.opts, chosen.default)
    more = {"asked": asking.asks is not None} if chosen.tool in DROPS_WINDOWS else {}
    expected = list(chosen.read(trace, windows, asking.opts, **more))
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    names, rows = parse(done.stdout)
    missing, extra = differences(expected, rows)
    wrong = out_of_order(chosen, asking, windows, names, rows)
    if done.returncode == 0 and not missing and not extra and wrong is None:
        return True
    print("command:", shlex.join(command))
    if done.returncode:
        print(f"  exit {done.returncode}: {done.stderr.strip()}")
    print("  expected, but not printed:") if missing else None
    show(missing, names)
    print("  printed, but not expected:") if extra else None
    show(extra, names)
    if wrong is not None:
        print("  out of order:")
        show([wrong], names)
    return False


IDLE = set("launch sync alloc load api data mpi host queued turnaround um unknown edge".split())


def account(command, time, owner):
    """The idle time and synced time of each owner in each window, as a tool prints it."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    rows = sorted((row["window"], row["start_ns"], row["end_ns"], row["pid"], row["gpu"], row[owner], row[time], row["synced_ns"])
                  for row in parse(done.stdout)[1] if row[owner] in IDLE)
    return rows if done.returncode == 0 else [done.stderr]


def check_account(path, match, asking):
    """nsq-gaps and nsq-ledger give the same idle time to the same owners."""
    args = ["-m", match, *asking.args, "-f", "tsv", "-q", path]
    one = account([binary("gaps"), "--by", "cause", *args], "idle_ns", "cause")
    two = account([binary("ledger"), "--by", "owner", *args], "dur_ns", "owner")
    if one != two:
        print("nsq-gaps --by cause and nsq-ledger --by owner differ:", shlex.join(args))
        for row in sorted(set(one) ^ set(two)):
            print("   ", "gaps" if row in one else "ledger", *row)
    return one == two


def check_seed(seed, folder, same_pid, loop, each_case):
    """All comparisons of one seed; false when one differs."""
    path = os.path.join(folder, f"random{seed}.sqlite")
    if os.path.exists(path):
        os.remove(path)
    generate.Generator(seed, same_pid, loop).make().write(path)
    trace = Trace(path)
    rng = random.Random(seed * 7919)
    picked = list(CASES) if each_case else rng.sample(CASES, 3 if len(trace.works) > 200 else 13)
    always = [["overlap", "overlap --each", "streams", "nvtx --phases stages"],
              ["gaps -m none --by cause", "gaps -m step --by cause", "gaps -m none --each --min 1ns"],
              ["ledger -m step --by owner", "ledger -m none --by owner,where,name"], ["nvtx --tree", "nvtx --each", "nvtx --phases stages"]]
    for group in always[:1] if len(trace.works) > 200 else always:
        picked.append(rng.choice([c for c in CASES if " ".join([c.tool, *c.args]) in group]))
    if len(trace.works) > 200:
        picked.append(rng.choice([c for c in CASES if c.tool == "window"]))
    good = True
    for number, chosen in enumerate(picked):
        good &= check(trace, path, chosen, Asking(rng, trace, chosen, folder, number))
    windows = case("ledger", "", None, "work", "", "merge gpu adopt asked")
    good &= check_account(path, rng.choice(["none", "step"]), Asking(rng, trace, windows, folder, len(picked)))
    if not good:
        print(f"seed {seed} differs; to repeat: tests/random/brute.py --seed {seed} --keep DIR")
    return good


# ---- how hard the traces are

def statistics(trace):
    """How often the hard cases occur in a trace."""
    pushed = [r for r in trace.ranges if r.type == 59]
    pairs = [(r, s) for r in pushed for s in pushed if (r.proc, r.tid) == (s.proc, s.tid) and r is not s]
    calls = collections.Counter((c.proc, c.corr) for c in trace.calls)
    shared = collections.Counter((w.proc, w.corr) for w in trace.works)
    lanes = {(w.proc, w.gpu) for w in trace.works}
    yield "works", len(trace.works)
    yield "calls", len(trace.calls)
    yield "ranges", len(trace.ranges)
    yield "processes", len(trace.procs)
    yield "processes and GPUs", len(lanes)
    yield "crossing ranges", sum(r.start < s.start < r.end < s.end for r, s in pairs)
    yield "ranges of equal start", sum(r.start == s.start for r, s in pairs) // 2
    yield "ranges that end where another starts", sum(r.end == s.start for r, s in pairs)
    yield "ranges of no length", sum(r.start == r.end for r in trace.ranges)
    yield "ranges never closed", sum(e.end is None for e in trace.nvtx if e.kind in (59, 60) and e.start >= 0)
    yield "events before 0", trace.query("SELECT sum(n) FROM (" + " UNION ALL ".join(
        f"SELECT count(*) AS n FROM {table} WHERE start < 0" for table in (
            "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY",
            "NVTX_EVENTS")) + ")")[0][0]
    yield "works of equal start on a GPU", sum(v.start == w.start and (v.proc, v.gpu) == (w.proc, w.gpu)
                                               for v in trace.works for w in trace.works if v.n < w.n)
    yield "works of no length", sum(w.start == w.end for w in trace.works)
    yield "works without a launch", sum(not w.call for w in trace.works)
    yield "works that share a call", sum(n for key, n in shared.items() if n > 1)
    yield "ids of several calls", sum(n > 1 for key, n in calls.items() if key[1])
    yield "launches at the start of a range", sum(c.start == r.start and (c.proc, c.tid) == (r.proc, r.tid)
                                                  for c in trace.calls for r in pushed)
    yield "launches at the end of a range", sum(c.start == r.end and (c.proc, c.tid) == (r.proc, r.tid)
                                                for c in trace.calls for r in pushed)
    yield "works that --adopt moves", sum(trace.around(w, True) != trace.around(w, False) for w in trace.works)
    yield "calls inside calls", sum(c != d and c.start <= d.start and d.end <= c.end
                                    and (c.proc, c.tid) == (d.proc, d.tid) for c in trace.calls for d in trace.calls)
    for lane in lanes:
        for gap in find_gaps(trace, [w for w in trace.works if (w.proc, w.gpu) == lane]):
            yield "gaps: " + main_cause(trace, gap, match="step"), 1
            yield "synced gaps", int(synced(trace, gap))
            yield "gaps soon after a wait", int(synced(trace, gap) and not in_wait(trace, gap))


def print_statistics(seeds, folder, same_pid, loop):
    total = collections.Counter()
    for seed in seeds:
        path = os.path.join(folder, f"stats{seed}.sqlite")
        generate.Generator(seed, same_pid, loop).make().write(path)
        for name, n in statistics(Trace(path)):
            total[name] += n
        os.remove(path)
    for name, n in total.items():
        print(f"{n:8} {name}")


def main():
    say = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    say.add_argument("--seed", type=int)
    say.add_argument("--seeds", type=int)
    say.add_argument("--first", type=int, default=1)
    say.add_argument("--seconds", type=float)
    say.add_argument("--keep", metavar="DIR")
    say.add_argument("--stats", action="store_true")
    say.add_argument("--all", action="store_true", help="go on after a difference")
    say.add_argument("--each-case", action="store_true", help="every mode of every tool for each seed")
    say.add_argument("--same-pid", action="store_true", help="two processes may have one pid")
    say.add_argument("--loop", action="store_true", help="one process copies, computes and waits in steps")
    args = say.parse_args()
    end = time.time() + args.seconds if args.seconds else None
    count = args.seeds or (10 ** 9 if end else 100)
    seeds = [args.seed] if args.seed is not None else range(args.first, args.first + count)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        if args.stats:
            print_statistics(seeds, folder, args.same_pid, args.loop)
            return 0
        good, count = True, 0
        for seed in seeds:
            if end and time.time() > end or not (good or args.all):
                break
            good &= check_seed(seed, folder, args.same_pid, args.loop, args.each_case)
            count += 1
            if not args.keep:
                for name in os.listdir(folder):
                    os.remove(os.path.join(folder, name))
        print(f"{count} random traces compared")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
