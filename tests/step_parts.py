"""What the steps of a trace consist of, put together from what the tools say of each step, as share/conventions/diff.md defines it.

    step_parts.py TRACE [OPTION OF NSQ-WINDOW...]    # a table: pid rank amount_ns part window trace
"""
import subprocess
import sys


def table(*command, given=None):
    text = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
    head, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(head, row)) for row in rows], text


def of(trace, *choice):
    """{(pid, rank, window): {part: amount}}"""
    steps, windows = table("nsq-window", "-q", "--pick", "all", *choice, trace)
    parts = {}

    def add(row, part, amount):
        of_step = parts.setdefault((row["pid"], row["rank"], row["window"]), {})
        of_step[part] = of_step.get(part, 0) + int(amount)

    for row in steps:
        add(row, "step", row["dur_ns"])
    for row in table("nsq-ledger", "-q", "--by", "owner", given=windows)[0]:
        add(row, row["owner"], row["dur_ns"])
    for row in table("nsq-overlap", "-q", given=windows)[0]:
        add(row, "exposed", row["exposed_ns"])
    for row in table("nsq-api", "-q", "--launch", given=windows)[0]:
        add(row, "launches", row["launches"])
    return parts


def write(f, parts, windows, trace, longer=None):
    """Those windows as a table; one part may be 5 % longer than it was."""
    for window in windows:
        for part, amount in parts[window].items():
            amount = round(amount * 1.05) if part == longer else amount
            print(*window[:2], amount, part, window[2], trace, sep="\t", file=f)


def header(f):
    print("pid", "rank", "amount_ns", "part", "window", "trace", sep="\t", file=f)


if __name__ == "__main__":
    header(sys.stdout)
    found = of(*sys.argv[1:])
    write(sys.stdout, found, found, sys.argv[1])
