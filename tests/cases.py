#!/usr/bin/env python3
"""Runs commands and judges how they end, many in one process.

Standard input has a case on each line, cells separated by tabs:

    CODE  PART  COMMAND  ARGUMENT...

The command exits CODE.  If that is not 0, it prints nothing on stdout, and on stderr one line that begins with its name
and holds PART; if it is 0, it says nothing on stderr, or such a line where there is a PART.  Warnings do not count.  An argument is empty
where its cell is.  With --stdout FILE, that is where stdout goes.  With --survives, a line is a command alone, words
separated by blanks, which ends with a code of 0 to 3 and without an error of UBSan.  Prints what is not so; exits 1 if
anything was not, and 2 if there was no case.
"""
import os
import subprocess
import sys


def complaint(code, part, command, stdout):
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE)
    said = "".join(line for line in ended.stderr.decode(errors="replace").splitlines(True) if ": warning: " not in line)
    if ended.returncode != code:
        return f"exit {ended.returncode}, expected {code}: {said}"
    if code and ended.stdout:
        return f"on stdout: {ended.stdout[:200]}"
    if not code and not part:
        return f"on stderr: {said}" if said else None
    if said.count("\n") != 1 or not said.startswith(os.path.basename(command[0]) + ": ") or part not in said:
        return f"expected one line with: {part}\n  on stderr: {said}"
    return None


def died(command):
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    said = ended.stderr.decode(errors="replace")
    return None if ended.returncode in range(4) and "runtime error" not in said else f"exit {ended.returncode}: {said}"


def main():
    survives = sys.argv[1:] == ["--survives"]
    stdout = open(sys.argv[2], "wb") if sys.argv[1:2] == ["--stdout"] else None
    bad = n = 0
    for n, line in enumerate(sys.stdin, 1):
        if survives:
            command = line.split()
            wrong = died(command)
        else:
            code, part, *command = line.rstrip("\n").split("\t")
            wrong = complaint(int(code), part, command, stdout)
        if wrong:
            print(f"{' '.join(command)}\n  {wrong}")
            bad += 1
    sys.exit(2 if not n else 1 if bad else 0)


main()
