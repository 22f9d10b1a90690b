#!/usr/bin/env python3
"""Runs commands under a pseudo-terminal and prints what of a name reached it.

    terminal.py poison [FROM TO]...    copies of traces, every name of which ends in what a terminal must not get
    terminal.py plant [FROM TO]...     copies of traces, every text of which ends so, in every table
    terminal.py run < COMMANDS         each line an exit code and a shell command; prints those that leak, and how many ran
    terminal.py modes WIDTHS N TRACE...  every tool in each Nth mode of modes.tsv, and those that are not there, on terminals so
                                       wide (60,80,200); prints which one crashes, leaks or is wider, and how many ran

A command has the terminal as standard output and standard error.  What the program itself sends there, the line that
shows how far it is, is taken out first.
"""
import concurrent.futures
import fcntl
import os
import pty
import re
import shlex
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unicodedata

# ESC sequences (CSI, OSC), C1 as a byte and in UTF-8, DEL, BEL, backspace, a lone CR, and an order of characters turned round
POISON = b"\x1b[2J\x1b]0;x\x07\x9b7m\xc2\x9b\xc2\x85\x7f\x08\r\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa7\xd8\x9c\xf3\xa0\x81\x81"

NAMES = [("StringIds", "value", "id in (select shortName from CUPTI_ACTIVITY_KIND_KERNEL union select demangledName from CUPTI_ACTIVITY_KIND_KERNEL)"),
         ("StringIds", "value", "id in (select nameId from ThreadNames)"),
         ("StringIds", "value", "id in (select textId from NVTX_EVENTS)"),
         ("NVTX_EVENTS", "text", "text is not null and domainId is not null"),
         ("PROCESSES", "name", "1"), ("TARGET_INFO_GPU", "name", "1"), ("TARGET_INFO_GPU_METRICS", "metricName", "1"),
         ("TARGET_INFO_SYSTEM_ENV", "value", "1"), ("ANALYSIS_FILE", "filename", "1")]

END = b"\0end\0"
LEAVE = b"\x1b[?1l\x1b>"          # the end of nsq-tui's screen, on an xterm

PROGRESS = re.compile(rb"\r(nsq-[a-z]+: [^\x00-\x1f\x7f]+, \d+ s)?\x1b\[K")

# What may stand on a terminal: tabs, line ends, and UTF-8 without controls and without what hides or turns.
SAFE = re.compile("[\t\n -~\u00a1-\u00ac\u00ae-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u180a\u1810-\u200a\u2010-\u2027"
                  "\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufefe\uff00-\uff9f\uffa1-\uffef\ufffc\ufffd\U00010000-\U0001bc9f]*")


def texts(copy):
    """Every column that holds texts.  Keys of facts stay what they are: without them nobody looks at the values."""
    for (table,) in copy.execute("select name from sqlite_master where type = 'table'").fetchall():
        for _, column, *_ in copy.execute(f'pragma table_info("{table}")').fetchall():
            if not (column == "name" and table.startswith(("META_DATA_", "TARGET_INFO_SYSTEM_ENV"))):
                yield table, column, f"typeof(\"{column}\") = 'text'"


def poison(fixture, to, which):
    with sqlite3.connect(f"file:{fixture}?immutable=1", uri=True) as source, sqlite3.connect(to) as copy:
        copy.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        source.backup(copy)
        for table, column, where in which(copy):
            try:
                copy.execute(f'update "{table}" set "{column}" = "{column}" || cast(? as text) where {where}', (POISON,))
            except sqlite3.OperationalError:
                pass            # this trace has no such table


def shown(command, columns=80):
    """What the terminal gets, and the exit code.  nsq-tui is left with a place copied; its screen is not looked at."""
    keys = b"yq" if "nsq-tui" in command else b""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST   # no CR before LF that is the terminal's own
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    child = subprocess.Popen(["bash", "-c", command], stdin=slave if keys else subprocess.DEVNULL, stdout=slave, stderr=slave)
    # The end is what we write: Linux may tell that the last writer is gone before it hands over what was written.
    ended = threading.Thread(target=lambda: (child.wait(), os.write(slave, END)))
    ended.start()
    got = bytearray()
    while not got.endswith(END):
        got += os.read(master, 65536)
        if keys and b"quit" in got:
            os.write(master, keys)
            keys = b""
    ended.join()
    os.close(slave)
    os.close(master)
    return bytes(got.removesuffix(END)).split(LEAVE)[-1], child.returncode


def leaks(got):
    text = PROGRESS.sub(b"", got).decode("utf-8", "surrogateescape")
    at = SAFE.match(text).end()
    return text[max(0, at - 40):at + 20] if at < len(text) else None


def run():
    ran = leaked = 0
    for line in sys.stdin.buffer.read().splitlines():
        expected, command = os.fsdecode(line).split(" ", 1)
        got, code = shown(command)
        leak = leaks(got)
        ran += 1
        if leak is not None or not got:
            leaked += 1
            print(f"{len(got)} bytes, {ascii(leak)}: {ascii(command)}")
        elif code != int(expected):
            print(f"exit {code}, not {expected}: {ascii(command)}: {got[-200:]}")
    print(f"{leaked} of {ran} commands leak")


# What modes.tsv has not: tools of tables and of commands, pages, texts for people.  $t is the trace, $d a folder to write to.
OTHERS = ["nsq-advise -f table", "nsq-threads --stacks", "nsq-threads --stacks -f table", "nsq-find .", "nsq-ledger --merge",
          "nsq-gate 'count >= 0' -f table kernels", "nsq-plot -f text kernels", "nsq-plot kernels", "nsq-plot -f text ledger",
          "nsq-plot -f svg gaps", "nsq-sql -f table 'select * from t' t=kernels", "nsq-diff kernels kernels",
          "nsq-sql 'select * from kernels'", "nsq-sql 'select * from raw.StringIds'", "nsq-sql --schema",
          "nsq-diff $t", "nsq-diff -f tsv $t", "nsq-capture --again", "nsq-capture --ncu-for kernels",
          "nsq-report --force -o $d/report", "nsq-view --force -o $d/view.html", "nsq-export --force -o $d/export.json",
          "nsq-slice --force -o $d/slice.sqlite", "nsq-map --keep $d/map 'nsq-kernels {}'", "nsq recipe who", "nsq recipe train-phases",
          "TERM=xterm setsid --ctty --wait nsq-tui"]


def commands(trace, folder):
    """Shell commands, and whether their lines fit the terminal."""
    q = shlex.quote(trace)
    with open(os.path.join(os.path.dirname(__file__), "..", "modes.tsv")) as modes:
        for tool, args, _ in [line.rstrip("\n").split("\t") for line in modes if line.startswith("nsq-")]:
            yield f"{tool} {args} {q}", "-f tsv" not in args
            if tool in ("nsq-setup", "nsq-kernels", "nsq-nvtx"):
                yield from ((f"{tool} -f {f} {args} {q}", False) for f in ("tsv", "csv", "jsonl", "md"))
    for other in OTHERS:
        made = re.sub(r"\$[td]", lambda m: q if m[0] == "$t" else folder, other)
        fits = not re.search("--stacks|-f (tsv|svg)|nsq-(capture|tui)|recipe", other)       # not folded stacks, nor what is pasted
        if made.split()[-1].split("=")[-1] in ("kernels", "ledger", "gaps"):
            made = re.sub(r"(kernels|ledger|gaps)(?= |$)", lambda m: f"<(nsq-{m[0]} -q -f tsv {q} 2> /dev/null)", made)
            yield made, fits
        else:
            yield f"{made} {q}", fits


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def wrong(command, columns, fits):
    got, code = shown(command, columns)
    leak = leaks(got)
    if leak is not None:
        return ascii(leak)
    if not 0 <= code <= 4 or not got:
        return f"exit {code}, {len(got)} bytes"
    lines = PROGRESS.sub(b"", got).decode().split("\n") if fits else []
    return next((ascii(line) for line in lines if width(line) > columns and " " in line.strip()), None)


def modes(widths, every, traces):
    ran = 0
    os.environ["NO_COLOR"] = "1"
    os.environ.pop("COLUMNS", None)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        asked = []
        for i, (trace, columns) in enumerate((t, w) for t in traces for w in widths):
            asked += [(c, columns, pool.submit(wrong, c, columns, fits)) for c, fits in list(commands(trace, f"{folder}/{i}"))[::every]]
            os.mkdir(f"{folder}/{i}")
        for command, columns, problem in asked:
            ran += 1
            if problem.result():
                print(f"{columns}: {ascii(command)}: {problem.result()}")
    print(f"{ran} looked at")


if __name__ == "__main__":
    if sys.argv[1] in ("poison", "plant"):
        for fixture, to in zip(sys.argv[2::2], sys.argv[3::2]):
            poison(fixture, to, texts if sys.argv[1] == "plant" else lambda _: NAMES)
    elif sys.argv[1] == "modes":
        modes([int(w) for w in sys.argv[2].split(",")], int(sys.argv[3]), sys.argv[4:])
    else:
        run()
