"""Compare an import with the table that torch itself printed of the same run.

    torch_table.py IMPORT.sqlite TABLE.txt

Prints a line for each name whose count or total differs by more than the table's rounding, then how many were compared.
"""
import collections
import re
import sqlite3
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
WIDTH = 90      # of the table's names
KINDS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
MEMORY = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed"}


def duration(text):
    """Nanoseconds, and half of the last digit."""
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", text).groups()
    return float(number) * UNITS[unit], 0.5 * UNITS[unit] * 10 ** -len(number.partition(".")[2])


def table(path):
    """Rows: name, total on the CPU, own time on the GPU, calls."""
    lines = open(path, encoding="utf-8").read().split("\n")
    head = re.split(r" {2,}", lines[1].strip())
    at = {name: i for i, name in enumerate(head)}
    for line in lines[3:]:
        if line.startswith("---"):
            return
        cells = re.split(r" {2,}", line.strip())
        yield cells[0], cells[at["CPU total"]], cells[at["Self CUDA"]], int(cells[at["# of Calls"]])


def work(db):
    """By name: count and total of kernels, copies and sets."""
    rows = collections.defaultdict(lambda: [0, 0])
    for name, ns in db.execute("SELECT s.value, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id = demangledName"):
        rows[name][0] += 1
        rows[name][1] += ns
    for kind, src, dst, ns in db.execute("SELECT copyKind, srcKind, dstKind, end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY"):
        row = rows[f"Memcpy {KINDS[kind]} ({MEMORY[src]} -> {MEMORY[dst]})"]
        row[0] += 1
        row[1] += ns
    for kind, ns in db.execute("SELECT memKind, end - start FROM CUPTI_ACTIVITY_KIND_MEMSET"):
        row = rows[f"Memset ({MEMORY[kind]})"]
        row[0] += 1
        row[1] += ns
    return rows


class Node:
    def __init__(self, name, start, end):
        self.name, self.start, self.end, self.children, self.dropped = name, start, end, [], False


def forest(db):
    """Ranges and calls of each thread as trees.  torch leaves out an event that is the only child of one of its name."""
    by_thread = collections.defaultdict(list)
    ranges = ("SELECT globalTid, s.value, start, end FROM NVTX_EVENTS n JOIN StringIds s ON s.id = n.textId WHERE eventType = 59 AND "
              "domainId NOT IN (SELECT d.domainId FROM NVTX_EVENTS d JOIN StringIds t ON t.id = d.textId WHERE d.eventType = 75 AND t.value = 'NCCL')")
    calls = "SELECT globalTid, s.value, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds s ON s.id = nameId"
    for query in (ranges, calls):
        for thread, name, start, end in db.execute(query):
            by_thread[thread].append(Node(name.partition(", sizes = ")[0], start, end))
    for nodes in by_thread.values():
        nodes.sort(key=lambda n: (n.start, -n.end))
        stack = []
        for node in nodes:
            while stack and stack[-1].end <= node.start:
                stack.pop()
            if stack:
                stack[-1].children.append(node)
            stack.append(node)
        for node in nodes:
            while len(node.children) == 1 and node.children[0].name == node.name:
                node.children[0].dropped = True
                node.children = node.children[0].children
    return [n for nodes in by_thread.values() for n in nodes if not n.dropped]


def compare(db, path):
    gpu, cpu, compared, bad = work(db), collections.defaultdict(lambda: [0, 0]), 0, []
    for node in forest(db):
        cpu[node.name][0] += 1
        cpu[node.name][1] += node.end - node.start
    for name, cpu_total, gpu_total, calls in table(path):
        on_cpu = duration(cpu_total)[0] > 0
        rows, (want, slack) = (cpu, duration(cpu_total)) if on_cpu else (gpu, duration(gpu_total))
        cut = name[:WIDTH - 3] if name.endswith("...") else None
        ours = [v for k, v in rows.items() if (k.strip().startswith(cut) if cut else k.strip() == name)]
        if not ours and not on_cpu and name in cpu:
            continue            # how long a range reaches on the GPU, which is no piece of work
        if not ours and name == "Activity Buffer Request":
            continue            # what the profiler itself does
        compared += 1
        # names that were cut may stand for several
        if not any(count == calls and abs(total - want) <= slack + 1 for count, total in ours):
            bad.append(f"{name}\t{calls}\t{want}\t{ours}")
    return bad, compared


if __name__ == "__main__":
    differences, number = compare(sqlite3.connect(sys.argv[1]), sys.argv[2])
    print(*differences, sep="\n", end="\n" if differences else "")
    print(f"{number} names compared, {len(differences)} differ")
    sys.exit(bool(differences))
