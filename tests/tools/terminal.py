#!/usr/bin/env python3
"""Looks at what commands write to terminals of several widths, many in one process.

    terminal.py tables WIDTH... < COMMANDS      a table a line: a command as in the shell; and with --raw
    terminal.py texts WIDTH... < COMMANDS       a text: a help, a page
    terminal.py screens < COMMANDS              what is seen of each command, stderr behind stdout; a line has a width first

A table on a terminal is compared with the one in a pipe (-f tsv): no line is wider than the terminal; every column is in
the header, in the caption, or named in a note, unless no row has a value; every amount has three figures and the unit that
its column has; moments that differ are written differently; every text is there, or both its ends.  With --raw every column
is there, and every number is whole.  A text has the same words as in a pipe.  Prints what is not so, and how many were
looked at.  All of it is so in a UTF-8 locale and in C.
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


AMOUNTS = {"ns": {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9},
           "bytes": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40},
           "GB/s": {"B/s": 1e-9, "kB/s": 1e-6, "MB/s": 1e-3, "GB/s": 1, "TB/s": 1e3}}
NUMBER = r"-?\d+(?:\.\d+)?"
MOMENTS = {"start_ns", "end_ns", "launch_ns", "cpu_start_ns", "cpu_end_ns", "peak_ns"}


def is_amount(cell, unit, as_what, moment):
    """Is it the number of the cell, in one of the units of its unit, with three figures?"""
    if cell == "-" or as_what == "-":
        return cell == as_what
    m = re.fullmatch(f"({NUMBER})(?: (\\S+))?", as_what)
    scale = AMOUNTS.get(unit, {None: 1}).get(m[2]) if m else None
    if scale is None:
        return False
    decimals = len(m[1].partition(".")[2])
    figures = len(m[1].lstrip("-0.").replace(".", "")) if float(m[1]) else 3
    right = moment or figures >= 3 or (scale == 1 and unit in AMOUNTS) or (unit not in AMOUNTS and decimals <= 2)
    return right and abs(float(cell) - float(m[1]) * scale) <= (0.5 * 10**-decimals * scale + 0.005 * (unit not in ("ns", "bytes"))) * 1.001


class Shown:
    """How the cells of a table are to look: with --raw as they are, else with units."""

    def __init__(self, names, rows, about, raw):
        self.raw, self.names, self.rows = raw, names, rows
        self.is_text = {row[0]: row[1] == "text" for row in about}
        self.unit = {row[0]: row[2] for row in about}
        cut = {name: re.sub("_(ns|bytes|gbps)$", "", name) for name in names}
        often = [*cut.values(), *names]
        self.called = {} if raw else {short: name for name, short in cut.items() if short and often.count(short) == 1 + (short == name)}
        self.left = set() if raw else {name for i, name in enumerate(names) if all(row[i] == "-" for row in rows) or self.unit_only(name)}

    def unit_only(self, name):
        return name == "unit" and all(row[self.names.index(name)] in AMOUNTS for row in self.rows)

    def name(self, shown):
        return self.called.get(shown, shown)

    def cell_is(self, name, row, as_what):
        cell = row[self.names.index(name)]
        unit = self.unit.get(name)
        unit = row[self.names.index("unit")] if unit == "unit" else unit
        if self.raw or self.is_text[name] or (unit in (None, "-") and is_shown(cell, as_what)):
            return is_shown(cell, as_what) or (not self.raw and name == "trace" and is_shown(os.path.basename(cell), as_what)) or (
                not self.raw and name == "unit" and cell in AMOUNTS and as_what == "-")
        return is_amount(cell, unit, as_what, name in MOMENTS)


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
            else:               # a number stands before the end of its header, and no two blanks are in it
                rest = part_of(line, begin, after[2]).rstrip()
                cells.append(rest.rsplit("  ", 1)[0].rstrip() if "  " in rest else rest)
        else:
            cells.append(part_of(line, 0, end).rstrip().rsplit("  ", 1)[-1].lstrip())
    return cells


def wrong_with_table(command, columns):
    return wrong_with_shown(command, columns, True) or wrong_with_shown(command, columns, False)


def wrong_with_shown(command, columns, raw):
    code, tsv = in_pipe(command + ["-f", "tsv"])
    here, screen, said = on_terminal(command + ["-f", "table"] + ["--raw"] * raw, columns)
    if here != code:
        return f"exit {here}, in a pipe {code}: {said}"
    if not tsv:
        return None
    for line in (screen + said).splitlines():
        if width(line) > columns and " " in line.strip():
            return f"{width(line)} columns: {line}"
    names, *rows = [line.split("\t") for line in tsv.split("\n")[:-1]]
    rows = [[escaped(c) for c in row] for row in rows]
    about = [line.split("\t") for line in in_pipe(command + ["--columns", "-f", "tsv"])[1].splitlines()]
    how = Shown(names, rows, about, raw)
    lines = screen.splitlines()
    said = re.sub(r"\n +", " ", said)
    too_few = re.search(r"columns are too few for ([^;]*);", said)
    left_out = [how.name(word) for word in too_few.group(1).split()] if too_few else []
    if not rows:
        return None if [how.name(word) for word in " ".join(lines).split()] == names else f"no header: {screen}"
    if len(rows) == 1 and len(lines) == len(names) - len(how.left) and len(lines) > 2:       # a column a line
        for line, expected in zip(lines, (name for name in names if name not in how.left)):
            name, cell = re.split(r"  +", line, maxsplit=1)
            if how.name(name) != expected or not how.cell_is(expected, rows[0], cell):
                return f"{expected}: {cell}, not {rows[0][names.index(expected)]}"
        return None
    caption, header = {}, None
    for n, line in enumerate(lines):
        words = line.split()
        captioned = len(words) == 2 and how.name(words[0]) in names and all(how.cell_is(how.name(words[0]), row, words[1]) for row in rows)        # "bound gpu"
        if all(how.name(word) in names for word in words) and not captioned:
            header = n
            break
        for item in line.split(" · "):
            name, _, value = item.partition(" ")
            name = how.name(name)
            if name not in names or not all(how.cell_is(name, row, value) for row in rows):
                return f"caption: {item}"
            caption[name] = value
    if header is None:
        return f"no header: {screen}"
    places = [(how.name(name), begin, end) for name, begin, end in columns_of(lines[header])]
    for name in names:
        if [name in caption, name in (p[0] for p in places), name in left_out, name in how.left].count(True) != 1:
            return f"{name} is not in one place: caption {list(caption)}, header {lines[header]}, left out {left_out}"
    moments = {name: {} for name in MOMENTS}
    for line, row in zip(lines[header + 1:], rows):
        for (name, *_), cell in zip(places, cells_of(line, places, how.is_text)):
            raw_cell = row[names.index(name)]
            if not how.cell_is(name, row, cell):
                return f"{name}: '{cell}', not '{raw_cell}': {line}"
            if name in MOMENTS and moments[name].setdefault(cell, raw_cell) != raw_cell:
                return f"{name}: '{cell}' is both {raw_cell} and {moments[name][cell]}"
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
            os.environ["LC_ALL"] = ["C.UTF-8", "C"][(looked + looked // len(sys.argv[2:])) % 2]
            problem = wrong(shlex.split(line), columns)
            looked += 1
            if problem:
                print(f"{columns}: {line.strip()}: {problem}")
    print(f"{looked} looked at")


main()
