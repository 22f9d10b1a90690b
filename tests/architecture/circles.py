"""The circles of lib/: python3 circles.py BUILD prints a line for each set of headers that include one another in a
circle, and for each set of files that call one another in a circle (their objects in BUILD say so)."""
import collections, glob, os, re, subprocess, sys


def included():
    """By header: those that it includes."""
    uses = collections.defaultdict(set)
    for path in glob.glob("lib/*/*.h"):
        uses[path[4:-2]] = set(re.findall(r'^#include "([\w/]+)\.h"', open(path).read(), re.M))
    return uses


def called(build):
    """By file: those that define a symbol that it uses."""
    objects = glob.glob(build + "/lib/*/*.o")
    lines = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True, check=True).stdout.splitlines()
    home, wanted = {}, []
    for line in lines:
        path, symbol, kind = re.match(r"(.*): (\S+) (\S)", line).groups()
        module = os.path.splitext(path)[0].split("/lib/", 1)[1]
        if kind == "U":
            wanted.append((module, symbol))
        elif kind in "TDBRC":
            home[symbol] = module
    uses = collections.defaultdict(set)
    for module, symbol in wanted:
        if symbol in home:
            uses[module].add(home[symbol])
    return uses


def reached(uses, start):
    seen, left = set(), [start]
    while left:
        for other in uses.get(left.pop(), ()):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def circles(uses):
    reach = {m: reached(uses, m) for m in list(uses)}
    return {frozenset(o for o in reach[m] if m in reach.get(o, ())) for m in reach if m in reach[m]}


if __name__ == "__main__":
    found = circles(included()) | circles(called(sys.argv[1]))
    print("\n".join(sorted(" ".join(sorted(c)) for c in found if len(c) > 1)))
