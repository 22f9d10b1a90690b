#!/usr/bin/env python3
"""Looks at what commands write to terminals of several widths, many in one process.

    terminal.py tables WIDTH... < COMMANDS      a table a line: a command as in the shell
    terminal.py texts WIDTH... < COMMANDS       a text: a help, a page
    terminal.py screens < COMMANDS              what is seen of each command, stderr behind stdout; a line has a width first

A table on a terminal is compared with the one in a pipe (-f tsv): no line is wider than the terminal; every column is in
the header, in the caption, or named in a note; every number is whole, and every text, or both its ends.  A text has the
same words as in a pipe.  Prints what is not so, and how many were looked at.
"""
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import threading
import unicodedata


def width(text):
    return len(text) if text.isascii() else sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# Sent after the command ended.  Without it the end would be the last writer's closing the terminal, and Linux may say so
# before it hands over what was written just before.
END = b"\0end\0"


def read_all(fd, to):
    while not to.endswith(END):
        to += os.read(fd, 65536)
    os.close(fd)


def seen(written):
    """Without the lines that were wiped: a tool that takes more than a second shows how far it is."""
    return re.sub(r"[^\n]*\r\x1b\[K", "", written)


def on_terminal(command, columns):
    """What the two terminals, of stdout and of stderr, get."""
    ends, readers, got = [], [], (bytearray(), bytearray())
    for to in got:
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        mode = termios.tcgetattr(slave)
        mode[1] &= ~termios.OPOST
        termios.tcsetattr(slave, termios.TCSANOW, mode)
        ends.append(slave)
        readers.append(threading.Thread(target=read_all, args=(master, to), daemon=True))
        readers[-1].start()
    env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    code = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=ends[0], stderr=ends[1], env=env).wait()
    for slave, reader in zip(ends, readers):
        os.write(slave, END)
        reader.join()
        os.close(slave)
    return code, *(seen(to.removesuffix(END).decode()) for to in got)


def in_pipe(command):
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return ended.returncode, ended.stdout.decode(errors="backslashreplace")


def is_number(text):
    return re.fullmatch(r"-|-?\d+(\.\d+)?(:\d+)?", text) is not None


def escaped(cell):
    """As it is shown: what TSV escapes is a byte that is not printable, but for the backslash."""
    cell = re.sub(r"\\([tnr\\])", lambda m: {"t": r"\x09", "n": r"\x0a", "r": r"\x0d", "\\": "\\"}[m[1]], cell)
    return "".join(c if ord(c) >= 32 and ord(c) != 127 else f"\\x{ord(c):02x}" for c in cell)


def is_shown(cell, as_what):
    parts = as_what.split("…")
    return cell == as_what or (len(parts) > 1 and not is_number(cell) and
                               re.fullmatch(".*".join(map(re.escape, parts)), cell, re.DOTALL) is not None)


def columns_of(header):
    """Where each name begins and ends, in columns of the screen."""
    return [(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+", header)]


def part_of(line, begin, end):
    """The text between two columns of the screen."""
    if line.isascii():
        return line[begin:end]
    out, at = "", 0
    for c in line:
        if begin <= at < end or (at == end and out and not width(c)):
            out += c
        at += width(c)
    return out


def cells_of(line, places, is_text):
    """A number ends where its header does, a text begins there and ends before the next column."""
    cells = []
    for i, (name, begin, end) in enumerate(places):
        if is_text[name]:
            after = places[i + 1] if i + 1 < len(places) else (None, 10**6, 10**6)
            if after[0] is None or is_text[after[0]]:
                cells.append(part_of(line, begin, after[1]).rstrip())
            else:               # a number stands before the end of its header, and no blank is in it
                rest = part_of(line, begin, after[2])
                cells.append(rest.rsplit("  ", 1)[0].rstrip() if "  " in rest else rest)
        else:
            cells.append(part_of(line, 0, end).split(" ")[-1])
    return cells


def wrong_with_table(command, columns):
    code, tsv = in_pipe(command + ["-f", "tsv"])
    here, screen, said = on_terminal(command + ["-f", "table"], columns)
    if here != code:
        return f"exit {here}, in a pipe {code}: {said}"
    if not tsv:
        return None
    for line in (screen + said).splitlines():
        if width(line) > columns and " " in line.strip():
            return f"{width(line)} columns: {line}"
    names, *rows = [line.split("\t") for line in tsv.split("\n")[:-1]]
    rows = [[escaped(c) for c in row] for row in rows]
    by = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    about = [line.split("\t") for line in in_pipe(command + ["--columns", "-f", "tsv"])[1].splitlines()]
    is_text = {row[0]: row[1] == "text" for row in about}
    lines = screen.splitlines()
    said = re.sub(r"\n +", " ", said)
    too_few = re.search(r"columns are too few for ([^;]*);", said)
    left_out = too_few.group(1).split() if too_few else []
    if not rows or (len(rows) == 1 and len(lines) == len(names)):       # no row, or a column a line
        shown = [tuple(re.split(r"  +", line, maxsplit=1)) for line in lines] if rows else []
        for (name, cell), expected in zip(shown, names):
            if name != expected or not is_shown(by[name][0], cell):
                return f"{expected}: {cell}, not {by[expected][0]}"
        return None if rows or " ".join(lines).split() == names else f"no header: {screen}"
    caption, header = {}, None
    for n, line in enumerate(lines):
        words = line.split()
        captioned = len(words) == 2 and words[0] in names and all(is_shown(c, words[1]) for c in by[words[0]])        # "bound gpu"
        if all(word in names for word in words) and not captioned:
            header = n
            break
        for item in line.split(" · "):
            name, _, value = item.partition(" ")
            if name not in names or not all(is_shown(c, value) for c in by[name]):
                return f"caption: {item}"
            caption[name] = value
    if header is None:
        return f"no header: {screen}"
    places = columns_of(lines[header])
    for name in names:
        if [name in caption, name in (p[0] for p in places), name in left_out].count(True) != 1:
            return f"{name} is not in one place: caption {list(caption)}, header {lines[header]}, left out {left_out}"
    for line, row in zip(lines[header + 1:], rows):
        for (name, *_), cell in zip(places, cells_of(line, places, is_text)):
            if not is_shown(row[names.index(name)], cell):
                return f"{name}: '{cell}', not '{row[names.index(name)]}': {line}"
    return None if len(lines) - header - 1 == len(rows) else f"{len(lines) - header - 1} rows, not {len(rows)}"


def wrong_with_text(command, columns):
    code, text = in_pipe(command)
    here, screen, said = on_terminal(command, columns)
    if here != code:
        return f"exit {here}, in a pipe {code}"
    for line in screen.splitlines():
        if width(line.expandtabs()) > columns and " " in line.strip():
            return f"{width(line)} columns: {line}"
    words = [w for w in screen.split() if w != "\\"], [w for w in text.split() if w != "\\"]
    return next((f"'{a}', in a pipe '{b}'" for a, b in zip(*words) if a != b), None if len(words[0]) == len(words[1]) else "words are lost")


def main():
    what = sys.argv[1]
    if what == "screens":
        for line in sys.stdin:
            columns, *command = shlex.split(line)
            sys.stdout.write("".join(on_terminal(command, int(columns))[1:]))
        return
    wrong = {"tables": wrong_with_table, "texts": wrong_with_text}[what]
    looked = 0
    for line in sys.stdin:
        for columns in map(int, sys.argv[2:]):
            problem = wrong(shlex.split(line), columns)
            looked += 1
            if problem:
                print(f"{columns}: {line.strip()}: {problem}")
    print(f"{looked} looked at")


main()
