#!/usr/bin/env python3
"""The rows of a table as windows, given together and one by one: pairs.py [--alone] TOOL... < TABLE

Each tool (with its options, in one word) answers for the table what it answers for the rows one by one, each with its
trace and in a table of its own that says in columns what the row says: the GPU, and the CPU side that its name holds.
Rows that cite one window are asked once.
Each row of an answer but nsq-window's carries the window of the row that it answers.  Prints what is not so, or else how
many rows there were; with --alone, what one tool answers row by row, under one header.
"""
import re
import subprocess
import sys


def run(command, arguments, table):
    ended = subprocess.run(command.split() + ["-q"] + arguments, input=table, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{command}: exit {ended.returncode}: {ended.stderr}")
    return [line.split("\t") for line in ended.stdout.splitlines()]


def without_window(table):
    window = table[0].index("window")
    return [row[:window] + row[window + 1:] for row in table]


def alone(tool, header, rows):
    out, asked = [], set()
    for row in rows:
        cell = dict(zip(header, row))
        cpu = re.search(r"#[0-9]+@([0-9]+)\.\.([0-9]+)$", cell["window"])
        window = [cell["pid"], cell["start_ns"], cell["end_ns"], cell["gpu"], *(cpu.groups() if cpu else "--")]
        if (*window, cell["window"], cell["trace"]) in asked:
            continue
        asked.add((*window, cell["window"], cell["trace"]))
        got = run(tool, ["-w", "-", cell["trace"]], "pid,start_ns,end_ns,gpu,cpu_start_ns,cpu_end_ns\n" + ",".join(window) + "\n")
        out += got[1:] if out else got
    return out


def main():
    text = sys.stdin.read()
    header, *rows = [line.split("\t") for line in text.splitlines()]
    windows, n = {row[header.index("window")] for row in rows}, 0
    if sys.argv[1] == "--alone":
        print("\n".join("\t".join(row) for row in alone(sys.argv[2], header, rows)))
        return
    for tool in sys.argv[1:]:
        together, single = run(tool, [], text), alone(tool, header, rows)
        if without_window(together) != without_window(single):
            differ = next(i for i, pair in enumerate(zip(together + [None], single + [None])) if pair[0] is None or pair[1] is None or
                          without_window([together[0], pair[0]]) != without_window([single[0], pair[1]]))
            sys.exit(f"{tool}, row {differ}:\n  together: {together[differ:differ + 1]}\n  alone: {single[differ:differ + 1]}")
        strange = {row[together[0].index("window")] for row in together[1:]} - windows
        if strange and tool != "nsq-window":
            sys.exit(f"{tool}: windows that were not given: {strange}")
        n += len(together) - 1
    print(n)


main()
