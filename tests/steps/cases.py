#!/usr/bin/env python3
"""What is taken for a step: a rule on a program that has it, on one that nearly has it, and on a healthy one.

A program is a list: words of make.Run.work, (NAME, PROGRAM) inside a range, (N, PROGRAM) repeated; %d in a name counts.  Expected are
the rule, how many steps there are, and their folded name.  All are asked in one call.
"""
import os
import re
import subprocess
import sys
import tempfile

import make

NSQ = os.environ.get("NSQ_BIN", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bin")) + "/nsq-window"

STEPS = (4, [("step %d", "a b c")])
TOKEN, PREFILL = "e a b n s d2h", "e p f f n s d2h"
LAYERS, LONG = "q k v " * 6, "a b c d e f g i j k l m n o p q r s t u"
DECODE, PROMPT = "e " + "q k " * 4 + "s", "e p " + "Q R K P " * 5 + "s"        # a token and a prompt, each with layers
TUNING = "t1 t2*9 t3*5 t1 t4*7 a*3 t5*30 b t6*4 t6*2"

WHAT = [
    # ---- annotated: how often, and work in each
    ("three are enough", [(3, [("phase %d", "a b")])], "iteration 3 phase #"),
    ("two are not", [(2, [("phase %d", "a b")])], "process"),
    ("each launches work", [(3, [("phase %d", "a*9 b")]), ("phase %d", "")], "repeat 3 a"),
    ("a set is work", [(3, [("phase %d", "a*9 b")]), ("phase %d", "set")], "iteration 4 phase #"),

    # ---- a part taken for the whole
    ("80 % by count and time", [(3, [("phase %d", "a b c d"), "x"])], "iteration 3 phase #"),
    ("71 % are a part", [(5, [("phase %d", "a b"), "x"])], "repeat 5 a"),
    ("80 % by time alone is a part", [(6, [("phase %d", "a*9 b*9"), "x"])], "repeat 6 a"),
    ("80 % by count alone is a part", [(4, [("phase %d", "a b c d"), "x*9"])], "repeat 4 a"),
    ("what is before the first and after the last is no part", ["x x x", (4, [("phase %d", "a b")]), "x x x"], "iteration 4 phase #"),
    ("half of all kernel time", ["x*6", (4, [("phase %d", "a b")]), "x*2"], "iteration 4 phase #"),
    ("less than half of it", ["x*6", (4, [("phase %d", "a b")]), "x*3"], "process"),
    ("a step may stand between others: half by time", [(4, [("decode step", "a*4 b*4"), "x*8"])], "iteration 4 decode step"),
    ("less than half", [(4, [("decode step", "a*4 b*4"), "x*9 x*3"])], "repeat 4 a"),
    ("not where it says a part too", [(4, [("decode layer", "a*4 b*4"), "x*8"])], "repeat 4 a"),
    ("whole graphs count by time alone", [(4, [("phase %d", "graph1*20"), "x x"])], "iteration 4 phase #"),

    # ---- which name
    ("a step before its longer surroundings", [(4, [("outer %d", [("step %d", "a b c d"), "wait"])])], "iteration 4 step #"),
    ("decode steps, not the requests", [(3, [("request %d", [(5, [("decode step", "a b c")])])])], "iteration 15 decode step"),
    ("of steps the most frequent", [(3, [("batch %d", [(2, [("iteration %d", "a b c")])])])], "iteration 6 iteration #"),
    ("what says both comes after steps", [(3, [("step %d", [(2, [("decode layer", "a b c")])])])], "iteration 3 step #"),
    ("but before the rest", [(3, [("phase %d", [(2, [("decode layer", "a b c")])])])], "iteration 6 decode layer"),
    ("a part after all others", [(3, [("phase %d", [("forward", "a b c"), "wait"])])], "iteration 3 phase #"),
    ("of parts the longest", [(3, [("epoch %d", [(2, [("layer %d", "a b c")])])])], "iteration 3 epoch #"),
    ("of others the longest", [(3, [("outer %d", [(2, [("inner", "a b c")])])])], "iteration 3 outer #"),
    ("words: camelCase", [(3, [("xx %d", [("TrainStep", "a b c"), "wait"])])], "iteration 3 TrainStep"),
    ("words: capitals", [(3, [("xx %d", [("GPUStep%d", "a b c"), "wait"])])], "iteration 3 GPUStep#"),
    ("words: snake_case", [(3, [("xx %d", [("train_step_%d", "a b c"), "wait"])])], "iteration 3 train_step_#"),
    ("words: a part of a word is none", [(3, [("xx %d", [("timestep %d", "a b c"), "wait"])])], "iteration 3 xx #"),
    ("words: another form is another word", [(3, [("xx %d", [("steps %d", "a b c"), "wait"])])], "iteration 3 xx #"),

    # ---- warm-up
    ("warm-up is left out", [("Warm-Up", [(9, [("step %d", "a*9 b*9")])]), (3, [("phase %d", "a b")])], "iteration 3 phase #"),
    ("without it, it is not", [("start", [(9, [("step %d", "a*9 b*9")])]), (3, [("phase %d", "a b")])], "iteration 9 step #"),
    ("unless nothing remains", [("warmup", [(4, [("step %d", "a b")])])], "iteration 4 step #"),
    ("repeats begin after it", [("warm up", [(9, "x y*9")]), (4, "a b")], "repeat 4 a"),

    # ---- repeats: stretches
    ("three stretches, the last one open", [(3, "a b c")], "repeat 3 a"),
    ("the last is not whole", [(3, "a b c"), "a b"], "repeat 3 a"),
    ("two are not enough", [(2, "a b c"), "a b"], "process"),
    ("a kernel and a copy to the host", [(5, "a d2h")], "repeat 5 a"),
    ("a loop whose result nobody fetches", [(9, "a")], "process"),
    ("nor one with a copy from the host", [(9, "a h2d")], "process"),
    ("a single graph that is fetched", [(5, "graph1 d2h")], "repeat 5 graph #"),
    ("graphs are told by their ids", [(4, "graph1 graph2")], "repeat 4 graph #"),
    ("migrations are left out", [(3, "a um b"), "a b um um"], "repeat 4 a"),
    ("work without a launch stands by its start", [(4, "a b c")], "repeat 4 a", False),
    ("steps begin before the anchor", [(5, "set h2d a b")], "repeat 5 a"),
    ("of equally long ones the first launched", ["x*0.1 b*0.1", (5, "z a b")], "repeat 5 b"),

    # ---- repeats: agreement
    ("one of ten pieces more", [(5, "a b c d e f g h i j"), "a b c d e f g h i j k", (2, "a b c d e f g h i j")], "repeat 8 a"),
    ("two more, but all others agree", [(5, "a b c d e f g h i j"), "a b c d e f g h i j k l", (2, "a b c d e f g h i j")], "repeat 8 a"),
    ("two of eight disagree", [(2, ["a b c d", "a b c d x*0.1", "a b c d", "a b c d"])], "process"),
    ("two of twenty disagree", [(2, [(5, "a b c d"), "a b c d x*0.1", (4, "a b c d")])], "repeat 20 a"),
    ("those before and after are no steps", [(2, "a x*0.1"), (6, "a b c d"), (3, "a*0.1 x*0.1 x*0.1")], "repeat 6 a"),
    ("80 % of the kernel time", ["x*6", (6, "a*2 b*2")], "repeat 6 a"),
    ("less", ["x*7", (6, "a*2 b*2")], "process"),
    ("no two alike: the median of each piece", [" ".join("a b c d e f g h i j k l m n o p q r s t".split() + ["z%d" % i]) for i in range(6)],
     "repeat 6 a"),

    # ---- repeats: not a part, not several
    ("the longest sequence", [(4, "x a b a b")], "repeat 4 x"),
    ("grids tell kernels apart", [(4, "a:1 b a:2 b a:3*9 b")], "repeat 4 a"),
    ("where they do not, names do", ["a:1 b", "a:2 b", "a:3 b", "a:4 b"], "repeat 4 a"),
    ("two steps are not one", [(4, "a:1 b c a:2 b c")], "repeat 8 a"),
    ("a layer and the head", [(6, LAYERS + "h*9")], "repeat 5 h"),
    ("a layer with a head that is a tenth of it, but takes longer", [(6, [(3, LONG), "h*60"])], "repeat 5 h"),
    ("a layer with one that does not", [(6, [(3, LONG), "h"])], "repeat 18 a"),
    ("an even layer is taken for a step", [(4, LAYERS)], "repeat 24 q"),
    ("not where a range says that it is a part", [("forward", [(4, LAYERS)])], "process"),
    ("a range that holds two says nothing", [(6, [("block", [(2, "a b c")])])], "iteration 6 block"),
    ("tokens, not the generation", [(6, [PREFILL, (9, TOKEN)])], "repeat 59 e"),
    ("tokens that nobody fetches", [(6, [PREFILL.replace("d2h", ""), (9, TOKEN.replace("d2h", ""))])], "repeat 5 p"),

    # ---- tokens inside requests
    ("tokens that the host copies in", [(6, [PROMPT + " h2d", (5, DECODE + " h2d")])], "repeat 30 e"),
    ("or waits for", [(6, [PROMPT + " sync", (5, DECODE + " sync")])], "repeat 30 e"),
    ("one that it does not see", [(6, [PROMPT + " h2d", (4, DECODE + " h2d"), DECODE])], "repeat 5 p"),
    ("tokens that it never sees", [(6, [PROMPT, (5, DECODE)])], "repeat 5 p"),
    ("what holds no layers is one", [(6, [PROMPT + " h2d", (9, "e q k s h2d")])], "repeat 5 p"),
    ("two layers between others are too few", [(6, [PROMPT + " h2d", (7, "e " + "q k " * 3 + "s h2d")])], "repeat 5 p"),
    ("but a graph holds them", [(6, [PROMPT, (5, "e graph1*20 s")])], "repeat 25 graph #"),
    ("half of the kernel time", [(6, [PROMPT.replace("p", "p*27") + " h2d", (5, DECODE + " h2d")])], "repeat 30 e"),
    ("less than half", [(6, [PROMPT.replace("p", "p*29") + " h2d", (5, DECODE + " h2d")])], "repeat 5 p"),
    ("two prompts among six stretches", [(6, [PROMPT + " h2d", PROMPT.replace("p", "") + " h2d", (4, DECODE + " h2d")])], "repeat 5 p"),
    ("one thread launches nine tenths", [(6, [PROMPT + " h2d @2 e q @1" + " k" + DECODE[5:] + " h2d", (4, DECODE + " h2d")])], "repeat 30 e"),
    ("a second thread: micro-batches", [(6, [PROMPT + " h2d @2", DECODE + " h2d @1", (4, DECODE + " h2d")])], "repeat 5 p"),

    # ---- the optimizer
    ("micro-batches that add up gradients", [(6, [(4, LONG), "FusedAdam FusedAdam"])], "repeat 5 FusedAdam"),
    ("no optimizer, so micro-batches", [(6, [(4, LONG), "y z"])], "repeat 24 a"),
    ("each has its optimizer", [(6, [(4, LONG + " sgd_step")])], "repeat 24 a"),
    ("micro-batches with an optimizer", [(6, [(3, "e a b d2h"), "e a b d2h o p"])], "repeat 5 o"),

    # ---- repeats: after code was loaded
    ("compilation precedes the steps", [TUNING, "load", (5, "a b c")], "repeat 5 a"),
    ("without it nothing is found", [TUNING, (5, "a b c")], "process"),
]

# Periods in us of steps, all of it work, or (period, work); which are steady; what is said.
STEADY = [
    ("nothing to leave out but the last", [40] * 9, "0-7", "skipped the last step (no next step to end it); --skip 0 keeps it"),
    ("the first", [90] + [40] * 8, "1-7", "skipped step 0 (warm-up"),
    ("the first two, one after the other", [90, 60] + [40] * 7, "2-7", "skipped steps 0 to 1 (warm-up"),
    ("the second is long, but not the first", [40, 90] + [40] * 7, "0-7", "skipped the last step"),
    ("1.2 times is not long", [48] + [40] * 8, "0-7", "skipped the last step"),
    ("a third of them", [(90, 40)] * 3 + [40] * 6, "3-7", "skipped steps 0 to 2"),
    ("more than a third: another phase", [90] * 4 + [40] * 6, "0-8", "skipped the last step"),
    ("phases that come again", [90, 40, 40, 40] * 3, "1-10", "skipped step 0"),
    ("three steps", [90, 40, 40], "1-1", "skipped step 0"),

    # ---- a long warm-up: the same work, only slower
    ("half of them, slowly", [(90, 40)] * 4 + [40] * 5, "4-7", "skipped steps 0 to 3 (warm-up"),
    ("with a little more work", [(90, 50)] * 4 + [40] * 5, "4-7", "skipped steps 0 to 3 (warm-up"),
    ("with more work: another phase", [(90, 54)] * 4 + [40] * 5, "0-7", "skipped the last step"),
    ("more than half", [(90, 40)] * 5 + [40] * 5, "0-8", "skipped the last step"),

    # ---- a trend
    ("steps get shorter", [90, 86, 80, 75, 70, 64, 61, 55, 50, 44, 40], "0-9", "steps get shorter (88.5 to 47.5 us)"),
    ("steps get longer", [40, 44, 50, 55, 61, 64, 70, 75, 80, 86, 90], "0-9", "steps get longer (42.5 to 83.5 us)"),
    ("seven are too few", [90, 80, 70, 60, 54, 47, 40, 40], "0-6", "skipped the last step"),
    ("less than 1.3 times", [50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40], "0-9", "skipped the last step"),
    ("the same work, slower and slower", [(p, 40) for p in (40, 44, 50, 55, 61, 64, 70, 75, 80, 86, 90)], "0-9", "skipped the last step"),
    ("up and down", [40, 90, 50, 80, 44, 86, 60, 64, 55, 70, 75], "0-9", "skipped the last step"),
    ("one long step at the end", [40] * 9 + [400, 40], "0-9", "skipped the last step"),
]


def play(run, program, counts, launched=True):
    if isinstance(program, str):
        return run.work(program, launched)
    if isinstance(program, tuple) and isinstance(program[0], int):
        program = [program[1]] * program[0]
    if isinstance(program, tuple):
        name = program[0]
        counts[name] = counts.get(name, -1) + 1
        with run.range(name % counts[name] if "%" in name else name):
            play(run, program[1], counts, launched)
        return None
    for part in program:
        play(run, part, counts, launched)
    return None


def ask(*args):
    out = subprocess.run([NSQ, *args], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in out.stdout.splitlines()]
    return [dict(zip(lines[0], row)) for row in lines[1:]], out.stderr


def fold(name):
    return "".join("#" if c.isdigit() else c for c in name).replace("##", "#")


def check_what(folder):
    paths = []
    for i, (title, program, want, *launched) in enumerate(WHAT):
        run = make.Run()
        play(run, program, {}, *launched)
        paths.append(os.path.join(folder, f"{i}.sqlite"))
        run.write(paths[-1])
    rows, _ = ask("-q", "--pick", "first", "--skip", "0", *paths)
    found = {r["trace"]: " ".join([r["rule"]] + ([r["count"], fold(r["name"])] if r["rule"] != "process" else [])) for r in rows}
    return [f"{title}: want {want}, have {found[path]}" for path, (title, _, want, *_) in zip(paths, WHAT) if found[path] != want]


def check_steady(folder):
    wrong = []
    for i, (title, periods, want, said) in enumerate(STEADY):
        run = make.Run()
        for n, us in enumerate(periods):
            period, busy = us if isinstance(us, tuple) else (us, us)
            with run.range(f"step {n + 100}"):
                run.work(f"a*{busy}")
            run.now = run.gpu = run.gpu + 1000 * (period - busy)
        path = os.path.join(folder, f"s{i}.sqlite")
        run.write(path)
        first, last = map(int, want.split("-"))
        rows, notes = ask("-v", "--pick", "all", path)
        have = [int(r["index"]) for r in rows]
        same, _ = ask("--steady", "--pick", "all", "-m", "step", path)
        every, _ = ask("--skip", "0", "--pick", "all", path)
        said = re.sub(r"steps? [0-9]+( to [0-9]+)?", lambda m: re.sub("[0-9]+", lambda k: str(int(k[0]) + 100), m[0]), said)
        count = ask("--stats", path)[0][0]["count"]
        typical = ask(path)[0][0]
        median = sorted(int(r["period_ns"]) for r in rows)[(len(rows) - 1) // 2]
        if have != list(range(first, last + 1)) or said not in notes or [int(r["index"]) for r in same] != have or \
                len(every) != len(periods) or [int(r["number"]) for r in rows] != [n + 100 for n in have] or int(count) != len(have) or int(typical["period_ns"]) != median:
            wrong.append(f"{title}: want {want}, have {have}; {notes}")
    return wrong


def check_long(folder):
    """With --period, a window is said to hold more than its range only where it does."""
    wrong = []
    for title, inside, between, idle, said in [("a range itself is long", 400, 1, 0, False), ("work follows a range", 40, 400, 0, True),
                                               ("a range is long on the CPU alone", 40, 1, 80, False)]:
        run = make.Run()
        for n in range(9):
            with run.range(f"step {n}"):
                run.work(f"a*{inside if n == 4 else 40}" + " wait" * (idle if n == 4 else 0))
            run.work(f"z*{between if n == 4 else 1}")
        path = os.path.join(folder, f"long{inside}-{idle}.sqlite")
        run.write(path)
        _, notes = ask("-m", "step", "--period", "--pick", "all", path)
        if ("1 of 8 periods" in notes) != said or ("over three times" in notes) != said:
            wrong.append(f"{title}: {notes}")
    return wrong


with tempfile.TemporaryDirectory() as where:
    problems = check_what(where) + check_steady(where) + check_long(where)
print("\n".join(problems), end="\n" if problems else "")
sys.exit(bool(problems))
