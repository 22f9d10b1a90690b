"""nsq-diff once more, from the definitions and by the shortest way: diff.py BEFORE.tsv AFTER.tsv [OF [BY,...]]

Compares every row, and the order of the rows, with what nsq-diff says.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from oracle import rank_test  # noqa: E402

MEASURES = "period_ns dur_ns idle_ns exposed_ns gpu_ns total_ns elapsed_ns busy_ns".split()
KEYS = "ctx stream comm op bytes part class category stage purpose cause kind src dst domain phase call owner where producer thread nvtx name path".split()
FOLDED = {"thread", "nvtx", "name", "path"}
ALPHA, MIN_PCT = 0.05, 1


def read(path):
    lines = open(path).read().split("\n")[:-1]
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]], head


def pid_of(text):
    return tuple(int(n) for n in text.split(":")) if text != "-" else (-1,)


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def tell(rows, ranked):
    """What each (trace, pid) is called; and how many without a rank each trace has."""
    procs = {}
    for r in rows:
        if r.get("rank", "-") != "-" and ranked:
            procs[r["trace"], r["pid"]] = ("rank", r["rank"])
        else:
            procs.setdefault((r["trace"], r["pid"]), None)
    counts = set()
    for trace in {t for t, _ in procs}:
        plain = sorted((p for t, p in procs if t == trace and procs[t, p] is None), key=pid_of)
        for i, p in enumerate(plain):
            procs[trace, p] = ("process", i)
        if plain:
            counts.add(len(plain))
    return procs, counts


def samples(rows, of, keys, procs, gpu):
    """{(scope, key): {(trace, pid, window): sum}} and {scope: windows}."""
    sums, places, windows = {}, {}, {}
    for r in rows:
        proc = (r["trace"], r["pid"])
        scope = (procs[proc], r["gpu"] if gpu else "-")
        key = tuple(re.sub("[0-9]+", "#", r[k]) if k in FOLDED else r[k] for k in keys)
        window = proc + (r["window"],)
        windows.setdefault(proc, set()).add(window)
        places.setdefault(scope, set()).add(proc)
        of_key = sums.setdefault((scope, key), {})
        of_key[window] = of_key.get(window, 0) + float(r[of])
    return sums, {s: set().union(*(windows[p] for p in ps)) for s, ps in places.items()}


def sample_list(sums, windows, several):
    by_trace = {}
    for w in windows:
        by_trace.setdefault(w[0], []).append(sums.get(w, 0))
    if several:
        return [lower_median(v) for v in by_trace.values()]
    return [x for v in by_trace.values() for x in v]


def change(row, time):
    before, after, delta = row["m"][0], row["m"][1], row["delta"]
    if not row["v"][0] or (not row["there"][0] and after != 0):
        return "new"
    if not row["v"][1] or (not row["there"][1] and before != 0):
        return "gone"
    if not row["reach"]:
        return "unsure"
    small = before != 0 and abs(100 * delta / before) < MIN_PCT
    if delta == 0 or small or row["adjusted"] >= ALPHA:
        return "same"
    return {(True, True): "slower", (True, False): "faster", (False, True): "more", (False, False): "less"}[time, delta > 0]


def show(x):
    return "-" if x is None else "%.15g" % x


def main():
    (before, head), (after, _) = read(sys.argv[1]), read(sys.argv[2])
    of = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] else next(m for m in MEASURES if m in head)
    by = sys.argv[4].split(",") if len(sys.argv) > 4 else None
    sides = [[r for r in rows if r[of] != "-"] for rows in (before, after)]
    keys = [k for k in (by or KEYS) if k in head and k not in ("rank", "gpu", of)]
    if not by:
        alike = {k: {r[k] for r in sides[0] if r[k] != "-"} == {r[k] for r in sides[1] if r[k] != "-"}
                 for k in ("gpu", "ctx", "stream", "comm") if k in head}
        keys = [k for k in keys if alike.get(k, True) and not (k == "name" and "purpose" in head) and
                not (k == "bytes" and "bus_gbps" not in head)]
    gpu = "gpu" in by if by else alike.get("gpu", False)
    ranked = (not by or "rank" in by) and all(any(r["rank"] != "-" for r in rows) for rows in sides)
    told = [tell(rows, ranked) for rows in sides]
    if not (told[0][1] == told[1][1] and len(told[0][1]) == 1 and max(told[0][1]) > 1) or (by and "process" not in by):
        for procs, _ in told:
            for p, name in procs.items():
                procs[p] = name if name[0] == "rank" else ("process", "-")
    data = [samples(rows, of, keys, procs, gpu) for rows, (procs, _) in zip(sides, told)]
    rows = []
    for scope, key in sorted(set(data[0][0]) | set(data[1][0]), key=repr):
        windows = [d[1].get(scope, set()) for d in data]
        several = all(len({w[0] for w in ws}) > 1 for ws in windows)
        v = [sample_list(d[0].get((scope, key), {}), ws, several) for d, ws in zip(data, windows)]
        m = [lower_median(x) if x else None for x in v]
        rows.append({"scope": scope, "key": key, "v": v, "m": m, "delta": (m[1] or 0) - (m[0] or 0),
                     "there": [(scope, key) in d[0] for d in data]})
    tested = [r for r in rows if r["v"][0] and r["v"][1]]
    ps = [rank_test.p_of(*r["v"]) for r in tested]
    for i, (r, adjusted) in enumerate(zip(tested, rank_test.holm(ps))):
        least = rank_test.separated(len(r["v"][0]), len(r["v"][1]))
        r["adjusted"] = adjusted
        r["reach"] = rank_test.holm(ps[:i] + [least] + ps[i + 1:])[i] < ALPHA
    expected = {}
    for r in rows:
        (kind, label), at = r["scope"]
        b = r["m"][0]
        cells = [len(r["v"][0]), len(r["v"][1]), show(b), show(r["m"][1]), show(r["delta"]),
                 "%.2f" % (100 * r["delta"] / abs(b)) if b else "-", "%.3g" % r["adjusted"] if "adjusted" in r else "-",
                 change(r, of.endswith("_ns"))]
        key = (label if kind == "rank" else "-", at, label if kind == "process" else "-") + r["key"]
        expected[tuple(map(str, key))] = list(map(str, cells))
    compare(expected, keys)


def compare(expected, keys):
    options = [o for name, value in zip(("--of", "--by"), sys.argv[3:]) if value for o in (name, value)]
    text = subprocess.run(["nsq-diff", "-q", *options, *sys.argv[1:3]], capture_output=True, text=True, check=True).stdout
    head, *rows = [line.split("\t") for line in text.splitlines()]
    found = {}
    for row in (dict(zip(head, r)) for r in rows):
        cells = [row[c] for c in "n_before n_after before after delta delta_pct p_value change".split()]
        found[tuple([row["rank"], row["gpu"], row.get("process", "-")] + [row[k] for k in keys])] = cells
    for key in sorted(set(found) | set(expected)):
        if found.get(key) != expected.get(key):
            sys.exit(f"{key}: nsq-diff says {found.get(key)}, expected {expected.get(key)}")
    deltas = [abs(float(r[head.index("delta")])) for r in rows]
    if len(found) != len(rows) or deltas != sorted(deltas, reverse=True):
        sys.exit("a key stands twice, or the rows are not in order")
    print(len(rows), "rows agree")


main()
