"""The rank test once more, by definition: rank_test PROGRAM compares it with what the program says.

Small samples: every way to choose which of the values are 'before' is tried.  Larger ones: sums of ranks are counted with
whole numbers.  Ties, or more than twenty a side: the normal distribution of Python's statistics module.
"""
import itertools
import math
import random
import statistics
import subprocess


def u_of(before, after):
    """Pairs of which the one before is larger; equal ones count half."""
    return sum((x > y) + (x == y) / 2 for x in before for y in after)


def all_choices(before, after):
    """p from every choice, which U being as far from the middle as ours or farther counts."""
    both = before + after
    middle = len(before) * len(after) / 2
    far = abs(u_of(before, after) - middle)
    hits = total = 0
    for chosen in itertools.combinations(range(len(both)), len(before)):
        rest = [both[i] for i in range(len(both)) if i not in chosen]
        hits += abs(u_of([both[i] for i in chosen], rest) - middle) >= far - 1e-9
        total += 1
    return hits / total


def rank_sums(n, k):
    """How often each sum occurs among the choices of k of the ranks 1..n."""
    ways = [{} for _ in range(k + 1)]
    ways[0][0] = 1
    for rank in range(1, n + 1):
        for size in range(min(rank, k), 0, -1):
            for total, count in ways[size - 1].items():
                ways[size][total + rank] = ways[size].get(total + rank, 0) + count
    return ways[k]


def counted(before, after):
    na, nb = len(before), len(after)
    u = u_of(before, after)
    low = min(u, na * nb - u)
    sums = rank_sums(na + nb, na)
    least = na * (na + 1) // 2
    hits = sum(count for total, count in sums.items() if total - least <= low)
    return min(1, 2 * hits / math.comb(na + nb, na))


def normal(before, after):
    na, nb = len(before), len(after)
    n = na + nb
    both = before + after
    ties = sum(t ** 3 - t for t in (both.count(v) for v in set(both)))
    variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)))
    if variance <= 0:
        return 1
    z = max(0, abs(u_of(before, after) - na * nb / 2) - 0.5) / math.sqrt(variance)
    return 2 * (1 - statistics.NormalDist().cdf(z)) if z < 6 else math.erfc(z / math.sqrt(2))


def p_of(before, after):
    distinct = len(set(before + after)) == len(before + after)
    if not distinct or max(len(before), len(after)) > 20:
        return normal(before, after)
    return all_choices(before, after) if len(before + after) <= 10 else counted(before, after)


def holm(ps):
    """Smallest first; each times the number left, never less than the one before."""
    adjusted, most = [0] * len(ps), 0
    for done, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        most = max(most, min(1, (len(ps) - done) * ps[i]))
        adjusted[i] = most
    return adjusted


def separated(na, nb):
    return p_of([float(i) for i in range(na)], [float(na + i) for i in range(nb)])


def make(rng):
    cases = []
    for na, nb in [(1, 1), (2, 3), (4, 4), (5, 5), (3, 7), (8, 8), (20, 20), (20, 21), (20, 3), (1, 30), (30, 30), (12, 60)]:
        for shift in (0, 1, 3, 40):
            for digits in (0, 9):
                values = [round(rng.gauss(50, 3), digits) for _ in range(na + nb)]
                cases.append((values[:na], [v + shift for v in values[na:]]))
    for _ in range(40):           # few samples that nearly differ
        na, nb = rng.randint(3, 6), rng.randint(3, 6)
        cases.append(([rng.gauss(0, 1) for _ in range(na)], [rng.gauss(2, 1) for _ in range(nb)]))
    cases.append(([5.0] * 6, [5.0] * 6))
    cases.append(([5.0] * 6, [6.0] * 6))
    return cases


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-12)


def check(program, alpha, cases):
    text = "".join(" ".join(map(repr, b)) + " | " + " ".join(map(repr, a)) + "\n" for b, a in cases)
    said = subprocess.run([program, str(alpha)], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(said) == len(cases), (len(said), len(cases))
    ps = [p_of(b, a) for b, a in cases]
    least = [separated(len(b), len(a)) for b, a in cases]
    adjusted = holm(ps)
    for i, ((before, after), line) in enumerate(zip(cases, said)):
        p, lowest, mb, ma, corrected, reach = map(float, line.split())
        ours = holm(ps[:i] + [least[i]] + ps[i + 1:])[i] < alpha
        assert close(p, ps[i]), (before, after, p, ps[i])
        assert close(lowest, least[i]), (before, after, lowest, least[i])
        assert close(corrected, adjusted[i]), (before, after, corrected, adjusted[i])
        assert (mb, ma) == tuple(float(f"{statistics.median_low(v):g}") for v in (before, after)), (before, after, mb, ma)
        assert bool(reach) == ours, (i, before, after, alpha, reach, ours)


def main(argv):
    rng = random.Random(11)
    cases = make(rng)
    check(argv[0], 0.05, cases)
    for _ in range(400):          # few comparisons at a time, so that alpha is in reach of some and not of others
        check(argv[0], rng.choice((0.05, 0.1, 0.3, 0.01)), rng.sample(rng.choice((cases, cases[-42:])), rng.randint(1, 8)))
    print(len(cases), "cases agree")
