"""Stretches of time as lists of (start, end), and numbers as the tables print them."""



def length(start, end, parts):
    """How much of [start,end) lies in the parts of a window."""
    return sum(max(0, min(end, b) - max(start, a)) for a, b in parts)


def union(parts):
    """The same time in as few stretches as possible."""
    out = []
    for a, b in sorted(parts):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        elif a < b:
            out.append((a, b))
    return out


def is_in(event, parts, inside):
    s, e = event.start, event.end
    if s == e:
        return any(a <= s < b for a, b in parts)
    if inside:
        return any(a <= s and e <= b for a, b in parts)
    return any(s < b and e > a for a, b in parts)


def clipped(event, parts):
    """From the first moment of the event in the window to the last."""
    if event.start == event.end:
        return event.start, event.end
    cuts = [(max(event.start, a), min(event.end, b)) for a, b in parts if event.start < b and event.end > a]
    return cuts[0][0], cuts[-1][1]


def moments(events, parts):
    """Stretches of the parts between which nothing begins or ends: (first moment, length)."""
    points = sorted({t for e in events for t in (e.start, e.end)} | {t for part in parts for t in part})
    for a, b in zip(points, points[1:]):
        if any(p <= a < q for p, q in parts):
            yield a, b - a


def runs(works, t):
    return any(w.start <= t < w.end for w in works)


def busy_time(works, parts):
    return sum(ns for t, ns in moments(works, parts) if runs(works, t))


def percentile(values, p):
    return sorted(values)[-(-p * len(values) // 100) - 1] if values else "-"


def mean(values):
    return (2 * sum(values) + len(values)) // (2 * len(values))


def pct(part, whole):
    return "%.2f" % (100.0 * part / whole) if whole else "-"


def one_of(names):
    return next(iter(names)) if len(names) == 1 else None


def cut(part, to):
    return max(part[0], to[0]), min(part[1], to[1])


def size(parts):
    return sum(b - a for a, b in parts)
