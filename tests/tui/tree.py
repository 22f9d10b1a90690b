"""tree.py TRACE OPTION...: reads a screen of 200 columns that shows the tree of ranges, and compares its rows with those of
nsq-nvtx --tree and nsq-kernels --each with these options.  Prints what differs, then how many rows were compared."""
import collections
import re
import subprocess
import sys

CELLS = [("gpu", 0, 10), ("share", 10, 18), ("bar", 18, 29), ("own", 29, 40), ("kernels", 40, 49), ("cpu", 49, 60),
         ("cpu_own", 60, 71), ("count", 71, 79), ("name", 79, 200)]


def rows(command):
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n")[:-1]
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def amount(ns):
    ns = int(ns)
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 1000)):
        if ns >= size:
            return "%.3f %s" % (ns / size, unit)
    return "%d ns" % ns


def read_screen():
    lines = sys.stdin.read().split("\n")
    head = next(i for i, line in enumerate(lines) if "range or kernel" in line)
    for line in lines[head + 1:lines.index("", head)]:
        row = {name: line[a:b].strip() for name, a, b in CELLS}
        if row["count"]:
            yield row, (len(line[80:]) - len(line[80:].lstrip("▸▾ "))) // 2 - 1


def main():
    trace, options = sys.argv[1], sys.argv[2:]
    seen = [(row, re.sub("^[▸▾] ", "", row["name"]), depth) for row, depth in read_screen()]
    ranges = [(row["gpu"], row["share"], row["own"], row["kernels"], row["cpu"], row["count"], name)
              for row, name, _ in seen if row["cpu"]]
    tool = [(amount(r["gpu_incl_ns"]), r["gpu_pct"] + "%", amount(r["gpu_ns"]), r["kernels"], amount(r["cpu_ns"]), r["count"],
             r["name"]) for r in rows(["nsq-nvtx", "-q", "--tree"] + options + [trace])]
    for mine, theirs in zip(ranges, tool):
        if mine != theirs:
            print("%s, nsq-nvtx %s" % (mine, theirs))
    if len(ranges) != len(tool):
        print("%d rows of ranges, nsq-nvtx %d" % (len(ranges), len(tool)))
    each = collections.defaultdict(lambda: [0, 0])
    for r in rows(["nsq-kernels", "-q", "--each"] + options + [trace]):
        sums = each[re.sub("[0-9]+", "#", r["nvtx"]), r["name"]]
        sums[0] += 1
        sums[1] += int(r["dur_ns"])
    above, kernels = {}, 0
    for row, name, depth in seen:
        if row["cpu"]:
            above[depth] = name
        elif row["gpu"]:
            kernels += 1
            count, ns = each[above[depth - 1], name]
            if (row["count"], row["gpu"]) != (str(count), amount(ns)):
                print("%s in %s: %s in %s, nsq-kernels %d %d" % (name, above, row["count"], row["gpu"], count, ns))
    if kernels != len([1 for n, _ in each.values() if n]):
        print("%d rows of kernels, nsq-kernels %d" % (kernels, len(each)))
    print("%d ranges, %d kernels" % (len(ranges), kernels))


main()
