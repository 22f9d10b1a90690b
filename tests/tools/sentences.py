"""The numbers in the sentences of a report, compared with its tables, from the folder that the report was made in.

    sentences.py DIR            prints what differs, and exits 1
    sentences.py --alter DIR    changes each of the numbers; prints those where that is not noticed, and how many there are

A claim is a pattern and what its numbers must be, from the tables of report.json or from a command that they name.  What
a claim has checked is taken out of the sentence; a number that is left, nothing explains, and that is wrong, too.
"""
import functools
import json
import os
import re
import subprocess
import sys

PARTS = {"computation": "compute_only_ns", "computation and communication at once": "both_ns", "communication alone": "comm_only_ns",
         "copies alone": "copy_only_ns", "idle": "idle_ns"}
NUMBER = r"([0-9]+(?:\.[0-9]+)?)"


def close(said, value, scale=1e6):
    """Is a number what the value would be printed as, with so many digits?  A share may be of a mean that was rounded."""
    digits = len(said.partition(".")[2])
    return abs(float(said) - value / scale) <= ROUGH.get(said, 0.5001 * 10 ** -digits)


ROUGH = {}      # numbers of milliseconds that were written in seconds, and how far they may be off


def in_ms(text):
    """Times in milliseconds, whatever unit they were written in, with the same digits."""
    def converted(m):
        digits, factor = len(m[1].partition(".")[2]), {"ns": 1e-6, "us": 1e-3, "s": 1e3}[m[2]]
        said = f"{float(m[1]) * factor:.{max(0, digits + {'ns': 6, 'us': 3, 's': -3}[m[2]])}f}"
        if m[2] == "s":
            ROUGH[said] = 0.5001 * 10 ** (3 - digits)
        return said + " ms"
    return re.sub(r"\b([0-9]+(?:\.[0-9]+)?) (ns|us|s)\b", converted, text)


class Report:
    def __init__(self, report):
        self.traces, self.findings = report["traces"], report["findings"]["rows"] if report["findings"] else []
        self.tables = {name: t["rows"] for name, t in {**report["tables"], "steps": report["steps"] or {"rows": []}}.items()}
        self.commands = {name: t["command"] for name, t in report["tables"].items()}
        self.small = self.ask(report["findings"]["command"] + " --min-pct 0 -q -f tsv") if report["findings"] else []
        self.wrong, self.command = [], report["command"]

    def rows(self, name):
        return self.tables.get(name, [])

    def claim(self, ok, *what):
        if not ok:
            self.wrong.append(" ".join(map(str, what)))

    def verdicts(self):
        """Of each process: its row, the mean length of a step, and what it does in that, all in nanoseconds."""
        for v in self.rows("verdict"):
            yield v, v["step_ns"]

    @staticmethod
    @functools.cache
    def ask(command):
        text = subprocess.run(["bash", "-c", command], capture_output=True, text=True, errors="replace").stdout
        head, *rows = [line.split("\t") for line in text.splitlines()] or [[]]
        return [dict(zip(head, row)) for row in rows]

    def merged(self, tool):
        """What a tool says of all steady steps together."""
        return self.ask(re.sub(r" \| nsq-kernels --merge\b", f" | {tool} --merge -q -f tsv", self.commands["step_kernels"]))

    def of_process(self, kind, v):
        """What the findings of a kind would recover for the process, however little: all, and the largest."""
        ns = [int(f["recover_ns"]) for f in self.small if f["kind"] == kind and f["recover_ns"] != "-" and
              (f["pid"], f["trace"]) == (str(v["pid"]), v["trace"])]
        return [sum(ns), max(ns, default=0)]


# ---- claims: each takes the report, the match and the sentence, and says whether the numbers are right


def verdict(r, said, values):
    """The number is one of the values of some process, and the share after it is of its mean step."""
    return any(close(said[1], value) and (said[2] is None or close(said[2], 100 * value / mean, 1) or abs(float(said[2]) - 100 * value / mean) < 0.51)
               for v, mean in r.verdicts() for value in values(v))


def busy(r, m):
    return verdict(r, m, lambda v: [v["busy_ns"]])


def needs(r, m):
    return verdict(r, m, lambda v: [v["cpu_ns"]])


def idle(r, m):
    rows = {(x["pid"], x["trace"]): x for x in r.merged("nsq-overlap --total")} if "communicates" in m[0] else {}

    def values(v):
        x = rows.get((str(v["pid"]), v["trace"]))
        return [(int(x["idle_ns"]) + int(x["comm_only_ns"])) / v["steps"]] if x else [v["idle_ns"]]
    return verdict(r, m, values)


def copies(r, m):
    """The time of a mean step in which nothing but copies runs: as the verdict and nsq-overlap have it."""
    rows = {(x["pid"], x["trace"]): int(x["copy_only_ns"]) for x in r.merged("nsq-overlap --total")}
    return any(close(m[1], v["copy_ns"]) and close(m[1], rows.get((str(v["pid"]), v["trace"]), 0) / v["steps"]) for v, _ in r.verdicts() if v["steps"])


def both(r, m):
    """How busy the GPU is, and what fixing a finding would save, in percent."""
    return any(abs(float(m[1]) - 100 * v["busy_ns"] / mean) < 0.51 and any(abs(float(m[3]) - 100 * ns / mean) < 0.51 for ns in r.of_process(m[2], v))
               for v, mean in r.verdicts())


def saves(r, m):
    """What a finding saves; one about the GPU's work only what the CPU does not need."""
    return any(close(m[2], ns) for v, _ in r.verdicts() for ns in r.of_process(m[1], v)) or \
        "only" in m[0] and any(close(m[2], v["step_ns"] - v["cpu_ns"]) for v, _ in r.verdicts())


def saves_that(r, m):
    return verdict(r, m, lambda v: r.of_process("late", v))


def which_steps(r, m):
    return any(m[1] in f["finding"] for f in r.findings if f["kind"] == "late")


def surplus(r, m):
    return any(m[0] in f["finding"] for f in r.findings if f["kind"] == "late")


def others(r, m):
    return int(m[1]) == len(r.rows("verdict")) - 1


def some_others(r, m):
    known = [v for v in r.rows("verdict") if v["bound"] not in (None, "-")]
    return int(m[1]) == len(known) - 1 and int(m[2]) == len(r.rows("verdict")) - 1


def takes(r, m):
    return any(close(m[1], t["end_ns"] - t["start_ns"]) for t in r.rows("typical_step"))


def part(r, m):
    return any(close(m[1], 100 * s[PARTS[m[2]]] / (s["end_ns"] - s["start_ns"]), 1) for s in r.rows("typical_step_split"))


def one_of(r, m):
    return any(int(m[1]) == s["count"] for s in r.rows("steps"))


def mean(r, m):
    return any(close(m[1], ns) for _, ns in r.verdicts())


def begins(r, m):
    return any(close(m[1] or m[2], t["start_ns"]) for t in r.rows("typical_step"))


def recover(r, m):
    """Of one finding, of the worst of several, or of all of one process."""
    by = {}
    for f in r.findings:
        by.setdefault((f["kind"], f["pid"], f["trace"]), []).append((f["recover_ns"] or 0, f["recover_pct"] or 0))
    sums = [p for v in by.values() for p in v + [(sum(x for x, _ in v), sum(y for _, y in v))]]
    return any(close(m[1], ns) and abs(float(m[2]) - pct) < 0.1 for ns, pct in sums)


def places(r, m):
    kinds = [f["kind"] for f in r.findings]
    return int(m[1]) in map(kinds.count, kinds)


def who(r, m):
    return any(m[2] == str(p[{"process": "pid", "rank": "rank"}[m[1].lower()]]) for p in r.rows("processes"))


def gpu(r, m):
    return any(int(m[1]) == s["gpu"] for s in r.rows("streams"))


def alike(r, m):
    return int(m[1]) in (len(r.rows("verdict")), len(r.traces))


def longest(r, m):
    """Of the processes of all traces together, or of one of them."""
    of = [t["trace"] for t in {(t["pid"], t["trace"]): t for t in r.rows("typical_step")}.values()]
    return int(m[1]) in (len(of), *map(of.count, of))


def tally(r, m):
    """Of the ranks, without the one that the sentence is about."""
    bounds = [v["bound"] for v in r.rows("verdict")]
    return all(bounds.count(bound) - int(n) in (0, 1) for n, bound in re.findall("([0-9]+) ([a-z]+)-bound", m[0]))


def least(r, m):
    return m[1] == (re.findall(r"--min-pct ([0-9.]+)", r.command) or ["2"])[0]


SHARE = rf" ms(?: of (?:a step|the run))?(?: \({NUMBER} %\))?"
CLAIMS = [
    (rf"busy for {NUMBER}{SHARE}", busy), (rf"CPU (?:itself )?needs {NUMBER}{SHARE}", needs),
    (rf", the GPU {NUMBER} ms(?: \({NUMBER} %\))?", busy),
    (rf", {NUMBER} ms of it only with copies", copies),
    (rf"is idle(?: or only communicates)? for {NUMBER}{SHARE}", idle),
    (rf"busy for {NUMBER} % of the (?:step|run); fixing '([a-z]+)' saves at most {NUMBER} %", both),
    (rf"fixing (?:only )?'([a-z]+)' saves at most {NUMBER} ms(?: per step)?", saves),
    (rf"fixing that saves at most {NUMBER}{SHARE}", saves_that), (r"in ([0-9]+ of [0-9]+ steps(?: \(steps? [0-9, ]+\))?)", which_steps),
    (rf"[0-9]+ more (?:kernels?|copy|copies|calls?) \(.*?, {NUMBER} ms\)|that take longer \(.*?, by {NUMBER} ms\)", surplus),
    (r"so are the other ([0-9]+) (?:ranks|processes)", others),
    (r"so (?:are|is) ([0-9]+) of the other ([0-9]+) (?:ranks|processes)", some_others),
    (rf" takes \*\*{NUMBER} ms\*\*", takes), (rf"{NUMBER} % ({'|'.join(sorted(PARTS, key=len, reverse=True))})", part),
    (r"one of ([0-9]+) steps", one_of), (rf"mean of these steps is \*\*{NUMBER} ms\*\*", mean), (rf"which begins at {NUMBER} ms|on the GPU, at {NUMBER} ms", begins),
    (rf"worth at most \*\*{NUMBER} ms\*\* of (?:a step|the run) \({NUMBER} %\)", recover), (rf": {NUMBER} ms \({NUMBER} %\)$", recover),
    (r"(?:in|at the worst of) ([0-9]+) places", places), (r"\b([Pp]rocess|[Rr]ank) ([0-9]+(?::[0-9]+)?)", who), (r"\bGPU ([0-9]+)", gpu),
    (r"nsys gives ([0-9]+) warnings?:", lambda r, m: int(m[1]) == sum(f["key"] == "suspicious.diagnostic" for f in r.rows("facts"))),
    (r"All ([0-9]+) are alike: .* less than 5 % of a step", alike), (r"the longest of ([0-9]+)", longest),
    (r"(?:the other (?:ranks|processes)|others): ([0-9]+ [a-z]+-bound(?:, )?)+", tally), (r"is worth ([0-9.]+) % of a step or more", least),
]


def sentences(markdown):
    """The lines that are no table, fold, note, or what stands below a table, which report.py compares itself."""
    for line in re.sub(r"^### Notes\n(?:.*\n)*?(?=^#|\Z)", "", markdown, flags=re.M).split("\n"):
        if not line.strip().startswith(("|", "<", "#", "`nsq-")) and "`tables/" not in line and "report.json: " not in line:
            yield line


def plain(line):
    """A name in code is a word; a link is its text; the number of a finding is none."""
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    line = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", lambda m: m[2] if re.fullmatch("[a-z]+", m[2]) else "name", line)
    return in_ms(re.sub(r"\\([\W_])", r"\1", re.sub(r"^ *([0-9]+\.|-) ", "", line)))


def wrong(report, markdown):
    r = Report(report)
    texts = [t[0].upper() + t[1:] for f in r.findings for t in [f["finding"].partition(": ")[2], f["advice"], f["finding"].partition(": ")[0]] if t]
    texts += [t[0].lower() + t[1:] for t in texts] + [f["value"] for f in r.rows("facts") if f["key"].startswith("suspicious.") and f["value"]]
    texts = list(map(in_ms, texts))
    for line in map(plain, sentences(markdown)):
        left = line
        for text in sorted(texts, key=len, reverse=True) if "To do: " in line or "Careful" in line else []:
            left = left.replace(text, "")               # what the tables say in words
        for pattern, holds in CLAIMS:
            for m in re.finditer(pattern, left):
                r.claim(holds(r, m), "not what the tables say:", m[0], "in:", line)
            left = re.sub(pattern, "", left)
        r.claim(not re.search("[0-9]", re.sub(r"[A-Za-z_'.@#-]\S*[0-9]\S*", "", left)), "nothing explains the numbers left in:", left.strip(), "of:", line)
    return r.wrong


def altered(markdown):
    """(what it is, the page with another first digit) for every number of a sentence."""
    for line in dict.fromkeys(sentences(markdown)):
        shown = re.sub(r"`[^`]*`|\([^)]*#[^)]*\)|^ *[0-9]+\. ", lambda m: "~" * len(m[0]), line)
        for m in re.finditer(r"[0-9]+(\.[0-9]+)?", shown):
            digit = "3" if m[0][0] == "7" else "7"
            yield line[:m.end()], markdown.replace(line, line[:m.start()] + digit + line[m.start() + 1:])


def main(alter, folder):
    with open(os.path.join(folder, "report.json")) as f, open(os.path.join(folder, "report.md")) as g:
        report, markdown = json.load(f), g.read()
    if alter:
        tried = [(what, wrong(report, page)) for what, page in altered(markdown)]
        print(*[f"not noticed: {what}" for what, found in tried if not found], f"{len(tried)} numbers", sep="\n")
        return 0
    found = wrong(report, markdown)
    print("\n".join(found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] == "--alter", sys.argv[-1]))
