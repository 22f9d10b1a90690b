#!/usr/bin/env python3
"""Runs commands under a pseudo-terminal and prints what of a name reached it.

    terminal.py poison [FROM TO]...    copies of traces, every name of which ends in what a terminal must not get
    terminal.py run < COMMANDS         each line an exit code and a shell command; prints those that leak, and how many ran

A command has the terminal as standard output and standard error.  What the program itself sends there, the line that
shows how far it is, is taken out first.
"""
import os
import pty
import re
import sqlite3
import subprocess
import sys
import termios
import threading

# ESC sequences (CSI, OSC), C1 as a byte and in UTF-8, DEL, BEL, backspace, a lone CR, and an order of characters turned round
POISON = b"\x1b[2J\x1b]0;x\x07\x9b7m\xc2\x9b\x7f\x08\r\xe2\x80\xae\xe2\x81\xa7\xd8\x9c\xf3\xa0\x81\x81"

NAMES = [("StringIds", "value", "id in (select shortName from CUPTI_ACTIVITY_KIND_KERNEL union select demangledName from CUPTI_ACTIVITY_KIND_KERNEL)"),
         ("StringIds", "value", "id in (select nameId from ThreadNames)"),
         ("StringIds", "value", "id in (select textId from NVTX_EVENTS)"),
         ("NVTX_EVENTS", "text", "text is not null and domainId is not null"),
         ("PROCESSES", "name", "1"), ("TARGET_INFO_GPU", "name", "1"), ("TARGET_INFO_GPU_METRICS", "metricName", "1"),
         ("TARGET_INFO_SYSTEM_ENV", "value", "1"), ("ANALYSIS_FILE", "filename", "1")]

END = b"\0end\0"

PROGRESS = re.compile(rb"\r(nsq-[a-z]+: [^\x00-\x1f\x7f]+, \d+ s)?\x1b\[K")

# What may stand on a terminal: tabs, line ends, and UTF-8 without controls and without what hides or turns.
SAFE = re.compile("[\t\n -~\u00a1-\u00ac\u00ae-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u180a\u1810-\u200a\u2010-\u2027"
                  "\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufefe\uff00-\uff9f\uffa1-\uffef\ufffc\ufffd\U00010000-\U0001bc9f]*")


def poison(fixture, to):
    with sqlite3.connect(f"file:{fixture}?immutable=1", uri=True) as source, sqlite3.connect(to) as copy:
        copy.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        source.backup(copy)
        for table, column, where in NAMES:
            try:
                copy.execute(f'update "{table}" set "{column}" = "{column}" || cast(? as text) where {where}', (POISON,))
            except sqlite3.OperationalError:
                pass            # this trace has no such table


def shown(command):
    """What the terminal gets, and the exit code."""
    master, slave = pty.openpty()
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST   # no CR before LF that is the terminal's own
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    child = subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    # The end is what we write: Linux may tell that the last writer is gone before it hands over what was written.
    ended = threading.Thread(target=lambda: (child.wait(), os.write(slave, END)))
    ended.start()
    got = bytearray()
    while not got.endswith(END):
        got += os.read(master, 65536)
    ended.join()
    os.close(slave)
    os.close(master)
    return bytes(got.removesuffix(END)), child.returncode


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


if __name__ == "__main__":
    if sys.argv[1] == "poison":
        for fixture, to in zip(sys.argv[2::2], sys.argv[3::2]):
            poison(fixture, to)
    else:
        run()
