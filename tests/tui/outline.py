"""outline.py DRIVER TRACE [OPTION...]: is every row of the tree of ranges what nsq-nvtx and nsq-kernels say, and are parts
the whole?  Options: --adopt, --captured, -p PID, -w A..B; first --crossing, if ranges may be open longer than those
around them, whose single ones then have other work than what is below them by name.  Prints what differs, then "compared"."""
import collections
import re
import subprocess
import sys

COLUMNS = ("kind depth state count cpu_ns mean_ns p50_ns p90_ns max_ns kernels gpu_ns gpu_incl_ns cpu_own_ns parent_ns "
           "start_ns tid domain name path").split()


def rows(command, columns=None):
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, errors="surrogateescape").stdout
    lines = said.split("\n")[:-1]
    if columns is None:
        columns, lines = lines[0].split("\t"), lines[1:]
    return [dict(zip(columns, line.split("\t"))) for line in lines]


def fold(name):
    return re.sub("[0-9]+", "#", name)


def number(cell):
    return 0 if cell == "-" else int(cell)


def read_tree(driver, trace, options):
    words, with_value = [], {"-p": "pid", "-w": "window"}
    for option in options:
        words.append(with_value.get(option) or option.lstrip("-"))
    first = [w for w in words if w in ("adopt", "captured")]
    rest = [w for w in words if w not in ("adopt", "captured")]
    tree = rows([driver, trace] + first + rest + ["tree", "each", "runs", "ranges", "print"], COLUMNS)
    for row in tree:
        row["below"] = []
    above = []
    for row in tree:
        depth = int(row["depth"])
        del above[depth:]
        row["above"] = above[-1] if above else None
        if above:
            above[-1]["below"].append(row)
        above.append(row)
    return tree


def differ(what, mine, theirs):
    for row in (mine - theirs).keys():
        print("%s only in the tree: %s" % (what, row))
    for row in (theirs - mine).keys():
        print("%s not in the tree: %s" % (what, row))


def compare_sums(tree, tool):
    same = "depth count cpu_ns mean_ns p50_ns p90_ns max_ns kernels gpu_ns gpu_incl_ns domain".split()
    ranges = [row for row in tree if row["kind"] == "ranges"]
    mine = [[row[c] for c in same] + [fold(row["name"])] for row in ranges]
    theirs = [[row[c] for c in same] + [row["name"]] for row in tool]
    for a, b in zip(mine, theirs):
        if a != b:
            print("ranges differ: %s, nsq-nvtx %s" % (a, b))
            break
    if len(mine) != len(theirs):
        print("%d rows of ranges, nsq-nvtx %d" % (len(mine), len(theirs)))
    for row, other in zip(ranges, tool):
        if re.sub("[0-9]+", "#", row["path"]) != re.sub("[0-9]+", "#", other["path"]):
            print("paths differ: %s, nsq-nvtx %s" % (row["path"], other["path"]))


def compare_parts(tree, plain, whole):
    for row in tree:
        kinds = collections.defaultdict(list)
        for part in row["below"]:
            kinds[part["kind"]].append(part)
        gpu = sum(number(r["gpu_incl_ns"]) for k in ("ranges", "kernels", "range", "run") for r in kinds[k])
        if row["kind"] == "ranges":
            own = sum(number(r["gpu_incl_ns"]) for r in kinds["kernels"])
            count = sum(number(r["count"]) for r in kinds["kernels"])
            if (own, count, gpu) != tuple(number(row[c]) for c in ("gpu_ns", "kernels", "gpu_incl_ns")):
                print("parts are not the whole: %s" % row["path"])
            cpu = number(row["cpu_ns"]) - sum(number(r["cpu_ns"]) for r in kinds["ranges"])
            if row["cpu_own_ns"] != "-" and (number(row["cpu_own_ns"]) < 0 or plain and cpu != number(row["cpu_own_ns"])):
                print("own CPU time of '%s' is %s, not %d" % (row["path"], row["cpu_own_ns"], cpu))
        elif row["kind"] == "kernels" and number(row["count"]) > 1:
            if (number(row["count"]), number(row["gpu_incl_ns"])) != (len(kinds["run"]), gpu):
                print("runs are not all of '%s'" % row["path"])
        elif row["kind"] == "each":
            if number(row["count"]) != len(row["below"]):
                print("each is not all of '%s'" % row["path"])
            if whole and gpu != number(row["above"]["gpu_incl_ns"]):
                print("each of '%s' has %d ns on the GPU, all have %s" % (row["path"], gpu, row["above"]["gpu_incl_ns"]))
        elif row["kind"] == "range" and row["state"][0] == "o" and whole and gpu != number(row["gpu_incl_ns"]):
            print("parts of '%s' at %s have %d ns" % (row["path"], row["start_ns"], gpu))


def compare_kernels(tree, each):
    mine, theirs = collections.Counter(), collections.Counter()
    for row in tree:
        if row["kind"] == "kernels":
            key = fold(row["above"]["name"]), row["name"]
            mine[key + ("ns",)] += number(row["gpu_incl_ns"])
            mine[key + ("count",)] += number(row["count"])
    for row in each:
        if row["class"] != "copy":
            key = fold(row["nvtx"]), row["name"]
            theirs[key + ("ns",)] += int(row["dur_ns"])
            theirs[key + ("count",)] += 1
    differ("kernels", mine, theirs)


def compare_each(tree, each):
    same = "tid depth kernels gpu_ns gpu_incl_ns domain name".split()
    mine = collections.Counter()
    for row in tree:
        if row["kind"] in ("range", "startend") and row["above"]["kind"] == "each":
            mine[tuple([row["cpu_ns"]] + [row[c] for c in same if c != "depth"])] += 1
        elif row["kind"] == "ranges" and row["count"] == "1":
            mine[tuple([row["cpu_ns"]] + [row[c] for c in same if c != "depth" and c != "tid"])] += 1
    theirs = collections.Counter()
    for row in each:
        theirs[tuple([row["dur_ns"]] + [row[c] for c in same if c != "depth"])] += 1
    for row, n in list(theirs.items()):             # one that is alone at its place is there without its thread
        alone = (row[0],) + row[2:]
        while n > mine[row] and mine[alone] > 0:
            mine[alone] -= 1
            n -= 1
        theirs[row] = n
    differ("single ranges", +mine, +theirs)


def main():
    crossing = sys.argv[3:4] == ["--crossing"]
    driver, trace, options = sys.argv[1], sys.argv[2], sys.argv[3 + crossing:]
    tree = read_tree(driver, trace, options)
    tool = rows(["nsq-nvtx", "-q", "--tree"] + options + [trace])
    whole = not crossing and not {"--captured", "-w"} & set(options)        # else ranges may be outside what their work is in
    compare_sums(tree, tool)
    compare_parts(tree, whole and "--adopt" not in options, whole)
    compare_kernels(tree, rows(["nsq-kernels", "-q", "--each"] + options + [trace]))
    if "-w" not in options and not crossing:
        compare_each(tree, rows(["nsq-nvtx", "-q", "--each"] + options + [trace]))
    print("compared" if tree else "no rows")


main()
