#!/usr/bin/env python3
"""Runs a tool on a terminal, and prints each line of progress that differs from the last, without its seconds.

    progress.py [--answer FILE] COMMAND...

--answer: what is seen is appended to the file, so that a stand-in for nsys can wait until it was shown.
"""
import os
import pty
import re
import sys

words = sys.argv[1:]
answer = None
if words[0] == "--answer":
    answer, words = words[1], words[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(words[0], words)
rest, last = b"", ""
while True:
    try:
        read = os.read(terminal, 65536)
    except OSError:
        read = b""
    if not read:
        break
    # a line ends where it is wiped to its end, not with the next one
    *lines, rest = (rest + read).split(b"\x1b[K")
    for line in lines:
        text = re.split(rb"[\r\n]", line)[-1].decode(errors="replace")
        seen = re.fullmatch(r"(nsq-\w+: .*), \d+ s", text)
        if seen and seen.group(1) != last:
            last = seen.group(1)
            print(last)
            if answer:
                with open(answer, "a") as to:
                    to.write(last + "\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
