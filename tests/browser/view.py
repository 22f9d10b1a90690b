"""nsq-view's page in a real browser: view.py [few] CHECK FOLDER TRACE...

Each check makes a page of the traces in FOLDER and compares what it says with what the tools say.  It prints what is
wrong, and nothing else.  With "few" it looks at fewer events and selections.
"""
import json
import os
import random
import re
import subprocess
import sys

from chromium import Page

wrong = 0
few = False


def much(n):
    """How many of n to look at."""
    return max(2, n // 6) if few else n


def fail(*what):
    global wrong
    wrong += 1
    if wrong <= 20:
        print(*what)


def same(expected, actual, *about):
    if expected != actual:
        fail(*about, "expected", repr(expected)[:300], "actual", repr(actual)[:300])


def tool(*args, stdin=None):
    """The rows of a tool, as dicts."""
    run = subprocess.run([args[0], "-q", "-f", "jsonl", *map(str, args[1:])], input=stdin, capture_output=True, text=True, errors="surrogateescape")
    if run.returncode:
        raise RuntimeError(f"{args}: exit {run.returncode}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def make(folder, *args, stdin=None):
    page = os.path.join(folder, "page.html")
    tool("nsq-view", "--force", "-o", page, *args, stdin=stdin)
    return page


def opened(file, **more):
    page = Page(file, **more)
    page.js("nsq.ready.then(() => true)")
    return page


def end(page):
    page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for error in page.errors:
        fail("error in the page:", error)
    page.__exit__()


def settle(page):
    page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


# ---- what the link asks for

def link(folder, *traces):
    file = make(folder, *traces)
    page = opened(file)
    start, length = int(page.js("String(nsq.start)")), page.js("nsq.length")
    same([None, None], page.js("[nsq.state.found, nsq.state.selection]"), "no link")
    same("", page.js("location.hash"), "no link")
    page.key("f")
    settle(page)
    same(f"#from={start}&to={start + length}", page.js("location.hash"), "the whole is not what it opens with")
    end(page)
    a, b = start + length // 3, start + length // 2
    asked = f"#from={a}&to={b}&find=e.%5Ba-z%5D&select={a + 1000}..{b - 1001}"
    page = opened(file, link=asked)
    same([a - start, b - start], page.js("[nsq.state.from, nsq.state.to]"), "from and to")
    same("e.[a-z]", page.js("document.getElementById('find').value"), "find")
    same([a + 1000 - start, b - 1001 - start], page.js("[nsq.state.selection.a, nsq.state.selection.b]"), "select")
    settle(page)
    same(True, page.js("document.getElementById('selection').textContent.includes('-w %d..%d')" % (a + 1000, b - 1001)), "the panel")
    same(asked, page.js("location.hash"), "the link stays")
    page.js("nsq.view(1000, 2000)")
    settle(page)
    same(f"#from={start + 1000}&to={start + 2000}&find=e.%5Ba-z%5D&select={a + 1000}..{b - 1001}", page.js("location.hash"), "the link follows")
    # what is chosen, open and scrolled to comes back
    page.js("document.querySelectorAll('#labels [aria-expanded]')[1].click(); document.getElementById('case').click(); nsq.jump()")
    page.js("void (document.getElementById('scroll').scrollTop = 77)")
    settle(page)
    now = "[location.hash, nsq.rows.map(r => r.label), document.getElementById('scroll').scrollTop, nsq.details(nsq.state.chosen).start, nsq.state.exact]"
    left = page.js(now)
    same([77, True], [left[2], left[4]], "scrolled, case matters")
    end(page)
    page = opened(file, link=left[0])
    settle(page)
    same(left, page.js(now), "all of it comes back")
    page.js(f"void (location.hash = '#from={a}&to={b}')")
    settle(page)
    same([a - start, b - start, None, None], page.js("[nsq.state.from, nsq.state.to, nsq.state.found, nsq.state.selection]"), "a new link")
    end(page)
    # whatever the numbers are, the page stays within the trace, draws, and goes on
    numbers = ("-1", "0.5", "1e1", "0x1", "", "x", "99999999999999999999", "9" * 400, "NaN", "Infinity", "constructor", "-0", " 1")
    odd = ["#find=%", "#select=..", "#nothing", "#from=5&to=3", "#event=0", "#event=0.0", "#event=0.0.0.0", "#__proto__=1&event=__proto__.0.0"]
    odd += [form % n for n in numbers for form in ("#event=0.0.%s", "#event=0.%s.0", "#event=%s.0.0", "#from=%s&to=1", f"#from={a}&to=%s", "#y=%s", "#rows=%s",
                                                   "#select=%s..1", f"#select={a}..%s")]
    page = opened(file)
    page.js("void (window.broken = [], onerror = text => { window.broken.push(text); })")
    last = page.js("nsq.traces.flatMap(t => [...t.tracks, ...t.counters]).length") - 1
    for link in odd + [f"#event={last}.0.0", f"#event={last + 1}.0.0"]:
        page.js(f"void (location.hash = {json.dumps(link)})")
        settle(page)
        state = page.js("""[nsq.state.from >= 0 && nsq.state.to <= nsq.length && nsq.state.from < nsq.state.to,
            !nsq.state.selection || nsq.state.selection.a < nsq.state.selection.b, !nsq.state.chosen || nsq.details(nsq.state.chosen).start >= 0, broken.splice(0)]""")
        same([True, True, True, []], state, link)
    end(page)


# ---- search

def changed(page, does):
    """Do something that starts a search, and wait for what it finds."""
    page.js(f"(before => {{ {does}; return new Promise(done => (function wait() {{ nsq.state.found === before ? setTimeout(wait, 5) : done(); }})()); }})(nsq.state.found)")


KINDS = {"OS call": "os"}


def search(folder, *traces):
    for trace in traces:
        page = opened(make(folder, trace))
        texts = ("e", "^cuda", "nccl|gemm", "[Ss]tep", "memcpy", "^mem", "nothing like this", "_kernel$", "Synchronize",
                 "\\d+", "[^\\w]", "step\\s\\d", "\\b[Kk]ernel", "e\\b", "\\bmem", "\\Bmem", "(a|e){0,2}$", "e{2}", "^[a-f[\\]]",
                 "(?:nccl|cuda)(?!Dev)", "(?<!cuda)Launch", "(?i)STEP", "([a-z])\\1", ".{20,}", "^.{1,3}$", "a+?$", "((u|e)(n|m)){1}", "[A-Z]{3,5}",
                 "\\.", "s$|^m", "[a\\-][0-9]", "\\S+\\s\\W", "|", "^k..s", "s....$", "a{", "^b", "\u2603")
        for text in texts[::3] if few else texts:
            expected = {}
            for row in by_name(text, tool("nsq-find", text, trace)):
                expected[row["kind"]] = expected.get(row["kind"], 0) + 1
            page.js(f"nsq.search({json.dumps(text)}, true)")
            counts = {KINDS.get(kind, kind): n for kind, n in page.js("nsq.state.found.counts").items()}
            same(expected, counts, trace, text)
            same(f"{sum(expected.values())} found", page.js("document.getElementById('count').textContent"), trace, text)
        either = sum(1 for row in by_name("(?i)cuda|step", tool("nsq-find", "[Cc][Uu][Dd][Aa]|[Ss][Tt][Ee][Pp]", trace)))
        page.js("nsq.search('CUDA|sTEP', false)")
        same(f"{either} found, any case", page.js("document.getElementById('count').textContent"), trace, "any case")
        changed(page, "document.getElementById('case').click()")
        same([True, "true"], page.js("[nsq.state.found.count < %d, document.getElementById('case').getAttribute('aria-pressed')]" % max(either, 1)), "Aa: case matters")
        end(page)


def by_name(text, rows):
    """nsq-find looks at the demangled names of kernels, too, which a page does not hold."""
    return [row for row in rows if row["kind"] != "kernel" or re.search(text, row["name"])]


def refused(folder, trace):
    """What is no regular expression to nsq-find is none here either; that, and one that takes too long, hides nothing."""
    page = opened(make(folder, trace))
    page.js("nsq.view(0, nsq.length)")
    settle(page)
    pixels = "document.getElementById('rows').toDataURL()"
    before = page.js(pixels)
    for text in ("(", "[a", "a{2,1}", "*a", "a|*", "(+)", "\\", "[b-a]", "x)|e", "(?<=a", "(a+)+$"):
        code = subprocess.run(["nsq-find", "-q", text, trace], capture_output=True, text=True).returncode
        same(2, code, "nsq-find refuses", text)
        page.js(f"nsq.search({json.dumps(text)}).then(() => nsq.jump())")
        settle(page)
        same(["takes too long" if text == "(a+)+$" else "not a regular expression", "true", None], page.js("[document.getElementById('count').textContent, document.getElementById('find').getAttribute('aria-invalid'), nsq.state.chosen]"), text)
        same(before, page.js(pixels), "nothing is dimmed", text)
    same([True, None], page.js("(first => nsq.search('step').then(() => Promise.all([nsq.state.found.count > 0, first])))(nsq.search('(a+)+$'))"), "a search ends the one before")
    page.js("nsq.search('e')")
    same("false", page.js("document.getElementById('find').getAttribute('aria-invalid')"), "and then one that is")
    end(page)


def hits(folder, trace):
    """n and p go through all matches in order of time."""
    text = "[Ss]tep|^nvjet"
    expected = sorted(int(row["start_ns"]) for row in tool("nsq-find", text, trace))
    page = opened(make(folder, trace))
    page.js(f"nsq.search({json.dumps(text)}).then(() => {{ nsq.view(0, nsq.length); document.getElementById('rows').focus(); }})")
    now = "nsq.clock(nsq.state.chosen.lane.start[nsq.state.chosen.i])"
    for i, start in enumerate(expected[:40]):
        page.key("n")
        same(str(start), page.js(now), "n", i)
        same(f"{i + 1} of {len(expected)}", page.js("document.getElementById('count').textContent"), "count", i)
        same(True, page.js("(c => c.lane.end[c.i] >= nsq.state.from && c.lane.start[c.i] <= nsq.state.to)(nsq.state.chosen)"), "in sight", i)
    for i in range(min(39, len(expected) - 1), 0, -1):
        page.key("p")
        same(str(expected[i - 1]), page.js(now), "p", i)
    page.key("p")
    same(str(expected[-1]), page.js(now), "p goes round")
    page.key("n")
    same(str(expected[0]), page.js(now), "n goes round")
    end(page)


def ties(folder, trace):
    """Matches at one moment are visited one by one."""
    page = opened(make(folder, trace))
    page.js("nsq.view(0, nsq.length); document.getElementById('rows').focus(); nsq.search('.')")
    count = page.js("nsq.state.found.count")
    now = "(({ lane, i }) => [nsq.traces[0].tracks.indexOf(lane.track), lane.track.lanes.indexOf(lane), i])(nsq.state.chosen)"
    for key, numbers in (("n", range(1, count + 1)), ("p", range(count, 0, -1))):
        page.js("nsq.choose(null)")
        seen = set()
        for number in numbers:
            page.js("nsq.jump(%s)" % ("true" if key == "p" else "false"))
            seen.add(tuple(page.js(now)))
            same(f"{number} of {count}", page.js("document.getElementById('count').textContent"), key)
        same(count, len(seen), key)
    end(page)


# ---- details, by a click

def click(page, track, event):
    """Zoom to an event and click on it; what the page then says about it."""
    page.js(f"""(() => {{
        const track = {track}, lane = track.lanes.find(l => l.event ? l.event.includes({event}) : true), i = lane.event ? lane.event.indexOf({event}) : {event};
        nsq.choose({{ lane, i }});
        const length = Math.max(20, (lane.end[i] - lane.start[i]) * 3), middle = (lane.start[i] + lane.end[i]) / 2;
        nsq.view(middle - length / 2, middle + length / 2);
        nsq.state.chosen = null;
        window.wanted = {{ lane, i }};
    }})()""")
    settle(page)
    x, y = page.js("""(() => {
        const { lane, i } = wanted, box = document.getElementById("rows").getBoundingClientRect(), row = nsq.rowOf(lane.track), s = nsq.state;
        return [box.left + ((lane.start[i] + lane.end[i]) / 2 - s.from) / (s.to - s.from) * nsq.width,
            box.top + row.y - document.getElementById("scroll").scrollTop + (row.track.lanes.indexOf(lane) + .5) * row.level];
    })()""")
    page.click(x, y)
    return page.js("""(() => {
        const d = nsq.state.chosen && nsq.details(nsq.state.chosen);
        return d && { ...d, ranges: nsq.ranges(d.path ?? 0), text: document.getElementById("details").textContent };
    })()""")


def tid(text):
    return int(text.split()[0]) if text else None


def work_details(page, trace):
    rows = {}
    for row in tool("nsq-sql", "select * from kernels", trace):
        key = (row["pid"], row["gpu"], row["ctx"], row["stream"], row["start_ns"], row["end_ns"])
        rows.setdefault(key, []).append(row)
    found = {(row["pid"], row["gpu"], row["stream"], row["start_ns"], row["end_ns"]): row for row in tool("nsq-find", "--kind", "kernel,graph,copy,set", ".", trace)}
    copies = {(row["pid"], row["stream"], row["start_ns"], row["end_ns"]): row for row in tool("nsq-mem", "--each", trace)}
    tracks = page.js("nsq.traces[0].tracks.map((t, i) => [t.kind, t.n, i])")
    for kind, n, number in [t for t in tracks if t[0] == "work"]:
        for event in random.sample(range(n), min(n, much(6))):
            d = click(page, f"nsq.traces[0].tracks[{number}]", event)
            if not d:
                fail("nothing at", number, event)
                continue
            pid, where = int(d["process"].split(",")[0]), (d["gpu"], d["ctx"], d["stream"], int(d["start"]), int(d["end"]))
            if d["kind"] in ("kernel", "graph"):
                match = [r for r in rows.get((pid, *where), []) if r["name"] == d["name"]]
                if len(match) != 1:
                    fail("no such kernel", d)
                    continue
                row = match[0]
                same(row["launch_ns"], d["launch"] and int(d["launch"]), "launch", d)
                same(row["nvtx"], d["ranges"][-1] if d["ranges"] else None, "range", d)
                same([row["grid"], row["block"]], [d["grid"], d["block"]], "grid and block", d)
                same(row["full"], d["full"], "full name", d)
            else:
                row = copies[(pid, d["stream"], int(d["start"]), int(d["end"]))]
                same([row["bytes"], row["launch_ns"]], [d["bytes"], d["launch"] and int(d["launch"])], "copy", d)
            row = found[(pid, d["gpu"], d["stream"], int(d["start"]), int(d["end"]))]
            same([row["kind"], row["dur_ns"], row["tid"]], [d["kind"], d["dur"], tid(d["thread"])], "found", d)
            same(True, d["name"] in d["text"] and str(d["stream"]) in d["text"], "shown", d)


def thread_details(page, trace):
    rows = {}
    for row in tool("nsq-find", "--kind", "call,range,mark,os", "", trace):
        rows.setdefault((row["kind"], row["pid"], row["tid"], row["start_ns"], row["end_ns"]), []).append(row)
    tracks = page.js("nsq.traces[0].tracks.map((t, i) => [t.kind, t.n, i])")
    for kind, n, number in [t for t in tracks if t[0] not in ("work", "idle", "projected", "exposed", "findings")]:
        for event in random.sample(range(n), min(n, much(4))):
            d = click(page, f"nsq.traces[0].tracks[{number}]", event)
            if not d:
                fail("nothing at", kind, number, event)
                continue
            key = (KINDS.get(d["kind"], d["kind"]), int(d["process"].split(",")[0]), tid(d["thread"]), int(d["start"]), int(d["end"]))
            match = [r for r in rows.get(key, []) if r["name"] == d["name"]]
            if not match:
                fail("no such event", key, d["name"])
            elif kind != "startend":
                same(True, (d["ranges"][-1] if d["ranges"] else None) in [r["nvtx"] for r in match], "range", d, match[0])


def gap_details(page, trace, *how):
    rows = {(row["pid"], row["gpu"], row["start_ns"], row["end_ns"]): row for row in tool("nsq-gaps", "--each", "--min", "0", "-w", "0..", *how, trace)}
    tracks = page.js("nsq.traces[0].tracks.map((t, i) => [t.kind, t.n, i])")
    for kind, n, number in [t for t in tracks if t[0] == "idle"]:
        for event in random.sample(range(n), min(n, much(12))):
            d = click(page, f"nsq.traces[0].tracks[{number}]", event)
            if not d:
                fail("no gap at", event)
                continue
            row = rows.get((int(d["process"].split(",")[0]), d["gpu"], int(d["start"]), int(d["end"])))
            if not row:
                fail("no such gap", d)
                continue
            same([row[k] for k in ("dur_ns", "cause", "synced", "api", "nvtx", "prev", "next")],
                 [d[k] for k in ("dur", "cause", "synced", "api", "nvtx", "prev", "next")], "gap")


def details(folder, *traces):
    for trace in traces:
        page = opened(make(folder, trace), width=1100, height=700)
        work_details(page, trace)
        thread_details(page, trace)
        gap_details(page, trace)
        end(page)


def captured(folder, trace):
    """What replays ran, and the gaps between, are in the ranges around the capture too."""
    page = opened(make(folder, "--captured", trace))
    rows = {(row["stream"], row["start_ns"]): row["nvtx"] for row in tool("nsq-kernels", "--work", "all", "--each", "--captured", trace)}
    plain = {(row["stream"], row["start_ns"]): row["nvtx"] for row in tool("nsq-kernels", "--work", "all", "--each", trace)}
    found = 0
    for n, number in page.js("nsq.traces[0].tracks.flatMap((t, i) => t.kind === 'work' ? [[t.n, i]] : [])"):
        for event in random.sample(range(n), min(n, much(12))):
            d = click(page, f"nsq.traces[0].tracks[{number}]", event)
            key = d["stream"], int(d["start"])
            same(rows[key], d["ranges"][-1] if d["ranges"] else None, "range", d)
            same(True, all(name in d["text"] for name in d["ranges"]), "shown", d)
            found += rows[key] != plain[key]
    same(True, found > much(5) - 1, "replays", found)
    gap_details(page, trace, "--captured")
    end(page)


def cut_details(folder, trace):
    """What windows cut is described whole; of each kind the longest is cut, at both ends and in the middle."""
    events = [row for row in tool("nsq-find", "", trace) if row["dur_ns"] > 3]
    copies = {(row["stream"], row["start_ns"], row["end_ns"]): row for row in tool("nsq-mem", "--each", trace)}
    cuts = 0
    for kind in {row["kind"] for row in events}:
        row = max((row for row in events if row["kind"] == kind), key=lambda row: row["dur_ns"])
        third = row["dur_ns"] // 3
        page = opened(make(folder, "-w", f"{row['start_ns'] + 1}..{row['start_ns'] + third}", "-w", f"{row['end_ns'] - third}..{row['end_ns'] - 2}", trace))
        for number, missing in page.js("nsq.traces[0].tracks.flatMap((t, i) => t.cuts && !['projected', 'exposed'].includes(t.kind) ? [[i, t.cuts.n]] : [])"):
            for k in range(min(missing, much(6))):
                d = click(page, f"nsq.traces[0].tracks[{number}]", page.js(f"(t => (nsq.whole(t.lanes[0], 0), [...t.missing.keys()][{k}]))(nsq.traces[0].tracks[{number}])"))
                found = [e for e in events if (e["kind"], e["name"], e["start_ns"], e["end_ns"]) == (KINDS.get(d["kind"], d["kind"]), d["name"], int(d["start"]), int(d["end"]))]
                same(True, len(found) > 0 and found[0]["dur_ns"] == d["dur"] and d["shown"] < d["dur"], "whole", d)
                same(True, "of it: a window cuts it" in d["text"], "says so", d)
                if "lag" in d:
                    same(found[0]["launch_ns"] and found[0]["start_ns"] - found[0]["launch_ns"], d["lag"], "launched", d)
                if d["kind"] == "copy":
                    gbps = copies[(d["stream"], int(d["start"]), int(d["end"]))]["gbps"]
                    same(True, f"{gbps:.2f} GB/s" in d["text"], "speed", gbps, d)
                cuts += 1
        end(page)
    same(True, cuts > much(20), "how many were cut", cuts)


# ---- the sums of a selection

def page_sums(page, a, b):
    """By pid and GPU: busy, idle, idle by cause, kernels with their count and total."""
    said = page.js(f"""(() => {{
        const sums = nsq.sums(nsq.offset("{a}"), nsq.offset("{b}")), plain = list => list.map(k => [nsq.names[k.name], k.count, k.total]);
        return {{ lanes: sums.lanes.map(l => [l.pid, l.gpu, l.busy, l.idle, l.causes, plain(l.kernels), nsq.names[l.trace.path]]), all: plain(sums.kernels) }};
    }})()""")
    return said


def compare(page, a, b, traces, windows):
    """windows: the arguments that ask the tools about the same time."""
    said = page_sums(page, a, b)
    gaps = {(r["trace"], str(r["pid"]), r["gpu"]): r for r in tool("nsq-gaps", *windows, *traces)}
    causes = {}
    for r in tool("nsq-gaps", "--by", "cause", *windows, *traces):
        causes.setdefault((r["trace"], str(r["pid"]), r["gpu"]), {})[r["cause"]] = r["idle_ns"]
    kernels, everywhere = {}, {}
    for r in tool("nsq-kernels", "--by", "pid,gpu,name", *windows, *traces):
        kernels.setdefault((r["trace"], str(r["pid"]), r["gpu"]), {})[r["name"]] = [r["count"], r["total_ns"]]
        sum_of = everywhere.setdefault(r["name"], [0, 0])
        sum_of[0] += r["count"]
        sum_of[1] += r["total_ns"]
    same(sorted(gaps), sorted((l[6], l[0], l[1]) for l in said["lanes"]), "processes and GPUs", a, b)
    for pid, gpu, busy, idle, by_cause, top, trace in said["lanes"]:
        key = (trace, pid, gpu)
        if key not in gaps:
            continue
        same([gaps[key]["busy_ns"], gaps[key]["idle_ns"]], [busy, idle], "busy and idle", key, a, b)
        same(causes.get(key, {}), by_cause, "causes", key, a, b)
        same(kernels.get(key, {}), {name: [count, total] for name, count, total in top}, "kernels", key, a, b)
        same(sorted((-total for _, _, total in top)), [-total for _, _, total in top], "order", key)
    same(everywhere, {name: [count, total] for name, count, total in said["all"]}, "all kernels", a, b)


def span_of(traces):
    rows = tool("nsq-gaps", *traces)
    return max(r["start_ns"] for r in rows), min(r["end_ns"] for r in rows)


def sums(folder, *traces):
    for trace in traces:
        page = opened(make(folder, trace))
        first, last = span_of([trace])
        for i in range(much(20)):
            length = int((last - first) ** random.random()) + 1         # long and short ones
            a = random.randrange(first, last - length + 1)
            compare(page, a, a + length, [trace], ["-w", f"{a}..{a + length}"])
        end(page)


TABLES = "[...document.querySelectorAll('#selection table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))"


def printed(page, a, b):
    """Select a time, run the commands that the panel prints, and compare all that it says with what they say."""
    page.js(f"nsq.select({a}, {b})")
    settle(page)
    about = page.js("document.getElementById('title').textContent"), a, b, page.js("document.getElementById('selection').textContent")
    said, lines = page.js("[nsq.sums(nsq.state.selection.a, nsq.state.selection.b).lanes.length, [...document.querySelectorAll('#selection code')].map(e => e.textContent)]")
    if not said:
        same(["The page holds no GPU time here.", []], [page.js("document.querySelector('#selection p').textContent"), page.js(TABLES)], *about)
        return
    rows = {"nsq-gaps": [], "nsq-kernels": []}
    for line in lines:
        run = subprocess.run(["bash", "-c", line + " -q -f jsonl"], capture_output=True, text=True)
        same([0, []], [run.returncode, [l for l in run.stderr.splitlines() if ": warning: " not in l]], line)
        rows[line.split()[0]] += [json.loads(row) for row in run.stdout.splitlines()]
    lanes, causes, kernels = {}, {}, {}
    for r in rows["nsq-gaps"]:
        lane = lanes.setdefault((r["trace"], str(r["pid"]), r["gpu"]), [r["busy_ns"], 0, {}])
        lane[1] += r["idle_ns"]
        lane[2][r["cause"]] = r["idle_ns"]
        causes[r["cause"]] = causes.get(r["cause"], 0) + r["idle_ns"]
    for r in rows["nsq-kernels"]:
        k = kernels.setdefault(r["name"], [0, 0])
        k[0] += r["count"]
        k[1] += r["total_ns"]
    said = page.js("""(({ lanes, kernels }) => [lanes.map(l => [nsq.names[l.trace.path], l.pid, l.gpu, l.busy, l.idle, l.causes]),
        kernels.map(k => [nsq.names[k.name], k.count, k.total])])(nsq.sums(nsq.state.selection.a, nsq.state.selection.b))""")
    same(lanes, {(path, pid, gpu): [busy, idle, by] for path, pid, gpu, busy, idle, by in said[0] if idle}, "busy and idle", *about)
    same(kernels, {name: [count, total] for name, count, total in said[1]}, "kernels", *about)
    # what is shown are these numbers
    time, total = sum(l[3] + l[4] for l in said[0]), sum(t for _, t in kernels.values())
    share = lambda part, of: f"{100 * part / of:.2f} %" if of else "-"
    numbers = [n for l in said[0] for n in l[3:5]] + list(causes.values()) + [t for _, t in kernels.values()]
    text = dict(zip(numbers, page.js(f"{json.dumps(numbers)}.map(nsq.duration)")))
    (busy, by_cause, by_name) = page.js(TABLES)
    near = lambda shown, part, of: shown == share(part, of) or abs(float(shown[:-2]) - 100 * part / of) < .0051
    same([[pid, str(gpu), text[b], text[i]] for _, pid, gpu, b, i, _ in said[0]], [[r[0].split(",")[0], *r[1:4]] for r in busy], "the table of idle time", *about)
    same(sorted([c, text[n]] for c, n in causes.items()), sorted(r[:2] for r in by_cause), "the table of causes", *about)
    same([], [r for r in by_cause if not near(r[2], causes[r[0]], time)], "shares of causes", time, *about)
    same(12 if len(kernels) > 12 else len(kernels), len(by_name), "kernels listed", *about)
    same([], [r for r in by_name if [str(kernels[r[0]][0]), text[kernels[r[0]][1]]] != r[1:3] or not near(r[3], kernels[r[0]][1], total)], "the table of kernels", *about)


def stretches(page, n):
    """The whole page; both of its edges; around the windows of a lane; any."""
    length = page.js("nsq.length")
    edges = sorted(set(page.js("nsq.traces.flatMap(t => t.lanes.flatMap(l => l.windows.flat())).filter(x => x > 0 && x < nsq.length)")))
    yield 0, length
    yield 0, max(1, length // 20)
    yield length - max(1, length // 20), length
    for at in random.sample(edges, min(n, len(edges))):
        yield max(0, at - random.randrange(1, length // 10)), min(length, at + random.randrange(1, length // 10))
    for _ in range(n):
        size = int(length ** random.random()) + 1
        a = random.randrange(0, length - size + 1)
        yield a, a + size


def commands(folder, *traces):
    """The sums of a selection are what the commands beside them print, whatever the page is of; with few, another page of each trace."""
    for n, trace in enumerate(traces):
        whole = tool("nsq-gaps", "-w", "0..1000s", trace)
        first, last = whole[0]["start_ns"], whole[0]["end_ns"]
        third = (last - first) // 3
        steps = subprocess.run(["nsq-window", "-q", "--pick", "all", trace], capture_output=True, text=True).stdout
        few_steps = "".join(steps.splitlines(True)[:4])
        pages = [([trace], None), (["--adopt", "--captured", "--comm", "gemm|nvjet", trace], None), (["-w", f"{first + third}..{last - third}", "-w", f"{last - third // 2}..{last - third // 3}", trace], None),
                 (["-p", str(whole[-1]["pid"]), "-g", str(whole[-1]["gpu"]), trace], None)]
        pages += [([], few_steps)] * (few_steps.count("\n") > 1)
        for args, stdin in pages[n::len(traces)] if few else pages:
            page = opened(make(folder, *args, stdin=stdin))
            for a, b in stretches(page, 1 if few else 6):
                printed(page, a, b)
            end(page)


def commands_together(folder, *traces):
    """The same of several traces, one of which has a name that a shell must have quoted."""
    odd = os.path.join(folder, "it's a run.sqlite")
    os.symlink(os.path.abspath(traces[0]), odd)
    for how in ([], ["--clock", "own"]):
        page = opened(make(folder, *how, odd, *traces[1:]))
        for a, b in stretches(page, 1 if few else 6):
            printed(page, a, b)
        end(page)


def many_windows(folder, trace):
    """More windows than one reads: the command names some of them, and does not run with these alone."""
    page = opened(make(folder, *(word for i in range(9) for word in ("-w", f"{20 + 5 * i}ms..{21 + 5 * i}ms")), trace))
    page.js("nsq.select(0, nsq.length)")
    settle(page)
    same("The page holds 9.000 ms of this time; the sums are over that.", page.js("document.querySelector('#selection p').textContent"), "of what the sums are")
    line = page.js("document.querySelector('#selection code').textContent")
    same([4, True, True], [line.count("-w "), "(and 5 more windows)" in line, subprocess.run(["bash", "-c", line], capture_output=True).returncode > 0], line)
    end(page)


def once(folder, trace):
    """The sums are taken when the selection changes, once a frame."""
    page = opened(make(folder, trace))
    page.js("window.taken = 0; (sums => { nsq.sums = (a, b) => (taken++, sums(a, b)); })(nsq.sums); nsq.select(0, nsq.length); nsq.search('^cuda')")
    settle(page)
    same(1, page.js("taken"), "a selection")
    for _ in range(5):
        page.js("nsq.jump()")
        settle(page)
    page.js("nsq.view(1000, 2000); nsq.choose(null)")
    settle(page)
    same(1, page.js("taken"), "what is chosen or in view does not matter")
    page.js("for (let i = 1; i < 50; i++) nsq.select(i, nsq.length)")
    settle(page)
    same([2, True], page.js("[taken, document.getElementById('selection').textContent.includes(`-w ${nsq.clock(49)}..`)]"), "many in a frame")
    page.js("nsq.select(0, 0)")
    settle(page)
    same([True, 2], page.js("[document.getElementById('selection').hidden, taken]"), "none")
    page.js("nsq.select(49, nsq.length)")
    settle(page)
    same([False, True], page.js("[document.getElementById('selection').hidden, document.getElementById('selection').textContent.includes(`-w ${nsq.clock(49)}..`)]"), "and again")
    end(page)


def beyond(folder, *traces):
    """The page shows OS calls before and after all CUDA and NVTX events; idle time ends where it does for nsq-gaps."""
    for trace in traces:
        page = opened(make(folder, trace))
        first, last = (int(page.js(f"nsq.clock({at})")) for at in ("0", "nsq.length"))
        whole = tool("nsq-gaps", "-w", "0..1000s", trace)[0]
        same(True, first < whole["start_ns"] and whole["end_ns"] < last, "reaches beyond", trace)
        compare(page, first, last, [trace], ["-w", f"{first}..{last}"])
        for i in range(much(20)):
            a = random.randrange(first, whole["end_ns"])
            b = random.randrange(max(a, whole["start_ns"]) + 1, last)
            compare(page, a, b, [trace], ["-w", f"{a}..{b}"])
        for a, b in ((first, whole["start_ns"]), (whole["end_ns"], last)):
            same([], page_sums(page, a, b)["lanes"], "outside", trace)
        gap_details(page, trace)
        end(page)


def crowd(folder, trace):
    page = opened(make(folder, trace))
    same([], page.js("""nsq.traces[0].tracks.flatMap(t => t.lanes).filter(l => l.last).flatMap(lane => {
        const wrong = [];
        for (let k = 0; k < 2000; k++) {
            const time = (k + .5) * nsq.length / 2000, i = nsq.eventAt(lane, time, 0), open = [...lane.start.keys()].filter(j => lane.start[j] <= time && lane.end[j] > time);
            if (open.length ? i !== open.at(-1) : i >= 0)
                wrong.push([time, i, open.length]);
        }
        return wrong.slice(0, 3);
    })"""), "under the pointer")
    # its line has colour where something is open, and nowhere else
    same([], page.js("""nsq.traces[0].tracks.flatMap(t => t.lanes).filter(l => l.last).flatMap(lane => {
        const wrong = [], shades = Array.from({ length: 9 }, () => new Uint32Array(nsq.colour.list.length).fill(7));
        for (const [from, to] of [[0, nsq.length], [2000, 3000], [1900, 30000], [22300, 22400]]) {
            const line = new Uint32Array(500), near = new Uint8Array(502), sure = new Uint8Array(502), x = t => (t - from) / (to - from) * 500;
            lane.start.forEach((s, i) => {
                if (x(lane.end[i]) > 0 && x(s) < 500) {
                    near.fill(1, Math.max(0, Math.floor(x(s))), Math.ceil(x(lane.end[i])) + 1);
                    sure.fill(1, Math.max(0, Math.ceil(x(s))), Math.floor(x(lane.end[i])) - 1);
                }
            });
            nsq.raster(lane, from, to, line, shades, 8, null);
            for (let p = 0; p < 500; p++)
                if (line[p] ? !near[p] : sure[p] && !(line[p - 1] && line[p + 1]))
                    wrong.push([from, to, p, line[p]]);
        }
        return wrong.slice(0, 3);
    })"""), "pixels")
    same([1] * 50, page.js("""(() => {
        const lane = { start: Float64Array.of(0, 10), end: Float64Array.of(100, 11), colour: Uint16Array.of(1, 2) }, line = new Uint32Array(50);
        nsq.crowd(lane);
        nsq.raster(lane, 50, 100, line, Array.from({ length: 9 }, () => Uint32Array.of(0, 1, 2)), 8, null);
        return [...line];
    })()"""), "what is over is not drawn")
    same(True, page.js("Math.max(...nsq.rows.map(r => r.height)) <= 32 * 18 + 2"), "rows are no higher than a screen")
    titles = page.js("[...document.querySelectorAll('#labels > *')].map(e => e.title).filter(t => t.includes('share the last'))")
    same(3, len(titles), titles)
    end(page)


CLOCK = "(e => [e.hidden, e.textContent])(document.getElementById('clock'))"


def together(folder, *traces):
    """Several traces in one page, each on its own clock; then on one."""
    page = opened(make(folder, "--clock", "own", *traces))
    first, last = span_of(traces)
    for i in range(much(6)):
        a = random.randrange(first, last - 2)
        b = random.randrange(a + 1, last)
        compare(page, a, b, traces, ["-w", f"{a}..{b}"])
    same(len(traces), page.js("nsq.rows.filter(r => !r.depth).length"), "a section for each trace")
    same([False, "each trace is drawn on its own clock"], page.js(CLOCK), "said")
    end(page)
    page = opened(make(folder, *traces))
    ahead = [int(x) for x in page.js("nsq.traces.map(t => t.ahead.toString())")]
    rows = {trace: tool("nsq-gaps", trace)[0] for trace in traces}
    first = max(rows[t]["start_ns"] + by for t, by in zip(traces, ahead))
    last = min(rows[t]["end_ns"] + by for t, by in zip(traces, ahead))
    for i in range(much(6) if any(ahead) else 0):
        a = random.randrange(first, last - 2)
        b = random.randrange(a + 1, last)
        lanes = {l[6]: l[2:4] for l in page_sums(page, a, b)["lanes"]}
        for t, by in zip(traces, ahead):
            row = tool("nsq-gaps", "-w", f"{a - by}..{b - by}", t)[0]
            same([row["busy_ns"], row["idle_ns"]], lanes[t], "on one clock", t, a, b)
        page.js(f"nsq.select(nsq.offset('{a}'), nsq.offset('{b}'))")
        settle(page)
        same([f"{ask} -w {a - by}..{b - by} {t}" for t, by in zip(traces, ahead) for ask in ("nsq-gaps --by cause", "nsq-kernels")],
             page.js("[...document.querySelectorAll('#selection code')].map(e => e.textContent)"), "the windows of each")
    end(page)


def windows(folder, trace):
    """Several windows: only what is in them is shown, and counted."""
    asked = subprocess.run(["nsq-window", "-q", "--pick", "all", trace], capture_output=True, text=True, check=True).stdout
    rows = tool("nsq-window", "--pick", "all", trace)
    page = opened(make(folder, stdin=asked))
    total = {(r["trace"], str(r["pid"]), r["gpu"]): [r["busy_ns"], r["idle_ns"]] for r in tool("nsq-gaps", "--merge", stdin=asked)}
    said = page_sums(page, 0, 1 << 60)
    same(total, {(l[6], l[0], l[1]): [l[2], l[3]] for l in said["lanes"]}, "whole")
    kernels = {}
    for r in tool("nsq-kernels", "--merge", "--by", "pid,name", stdin=asked):
        kernels.setdefault(str(r["pid"]), {})[r["name"]] = [r["count"], r["total_ns"]]
    same(kernels, {l[0]: {name: [count, total] for name, count, total in l[5]} for l in said["lanes"]}, "kernels")
    first, last = min(r["start_ns"] for r in rows), max(r["end_ns"] for r in rows)
    for i in range(much(8)):
        a = random.randrange(first, last - 2)
        b = random.randrange(a + 1, last)
        cut = "pid\tstart_ns\tend_ns\ttrace\n" + "".join(f"{r['pid']}\t{max(a, r['start_ns'])}\t{min(b, r['end_ns'])}\t{r['trace']}\n"
                                                       for r in rows if max(a, r["start_ns"]) < min(b, r["end_ns"]))
        if cut.count("\n") == 1:
            continue
        expected = {str(r["pid"]): [r["busy_ns"], r["idle_ns"]] for r in tool("nsq-gaps", "--merge", stdin=cut)}
        same(expected, {l[0]: [l[2], l[3]] for l in page_sums(page, a, b)["lanes"]}, a, b)
    end(page)


def cuts(folder, trace):
    """Two windows that cut the longest kernel twice, then the longest gap, then any."""
    first, last = span_of([trace])
    kernel = max(tool("nsq-kernels", "--each", trace), key=lambda r: r["dur_ns"])
    gap = max((r for r in tool("nsq-gaps", "--each", trace) if r["cause"] != "edge"), key=lambda r: r["dur_ns"])
    cut = [(r["start_ns"] - 1000, r["start_ns"] + r["dur_ns"] // 3, r["end_ns"] - r["dur_ns"] // 3, r["end_ns"] + 1000) for r in (kernel, gap)]
    for a, b, c, d in cut + [sorted(random.sample(range(first, last), 4)) for _ in range(2)]:
        asked = ["-w", f"{a}..{b}", "-w", f"{c}..{d}"]
        page = opened(make(folder, *asked, trace))
        compare(page, a, d, [trace], ["--merge", *asked])
        middle = random.randrange(a, b), random.randrange(c + 1, d + 1)
        compare(page, *middle, [trace], ["--merge", "-w", f"{middle[0]}..{b}", "-w", f"{c}..{middle[1]}"])
        end(page)


# ---- counters

def counters(folder, metrics, allocs):
    page = opened(make(folder, metrics))
    said = {name: [n, most] for name, n, most in page.js("nsq.traces[0].counters.map(c => [nsq.names[c.name], c.n, c.most])")}
    same([100], sorted(set(page.js("nsq.traces[0].counters.filter(c => /%\\]$/.test(nsq.names[c.name])).map(c => c.top)"))), "the axis of percentages")
    same({r["metric"]: [r["samples"], r["max"]] for r in tool("nsq-metrics", metrics)}, {n: [v[0], round(v[1], 2)] for n, v in said.items()}, "metrics")
    expected = [(r["start_ns"], r["end_ns"], r["value"]) for r in tool("nsq-metrics", "--each", "-m", "^SMs Active", metrics)]
    actual = page.js("(c => [...c.start].map((s, i) => [nsq.clock(s), nsq.clock(c.end[i]), c.value[i]]))(nsq.traces[0].counters.find(c => /^SMs Active/.test(nsq.names[c.name])))")
    same(expected[1:], [(int(s), int(e), v) for s, e, v in actual][1:], "samples")
    end(page)
    page = opened(make(folder, allocs))
    said = page.js("nsq.traces[0].counters.map(c => [nsq.names[c.name], c.most, c.value.at(-1), c.n])")
    rows = tool("nsq-mem", "--usage", allocs)
    same(sorted([r["kind"], r["peak_bytes"], r["end_bytes"]] for r in rows), sorted(c[:3] for c in said), "memory")
    end(page)
    first, last = span_of([allocs])
    for i in range(4):
        a = random.randrange(first + (last - first) // 4, last - 1000)
        b = a + 10 ** (3 + i)           # also so short that nothing is allocated in it
        page = opened(make(folder, "-w", f"{a}..{b}", allocs))
        said = page.js("nsq.traces[0].counters.map(c => [nsq.names[c.name], c.most, c.value.at(-1)])")
        rows = tool("nsq-mem", "--usage", "-w", f"{a}..{b}", allocs)
        same(sorted([r["kind"], r["peak_bytes"], r["end_bytes"]] for r in rows), sorted(said), "memory in a window")
        end(page)


def values(folder, metrics, allocs):
    """Pointing at a curve says what it is there, and a click says it of the sample."""
    for trace, kinds in ((metrics, (("SMs Active [Throughput %]", "SMs Active", "%"), ("GPC Clock Frequency [MHz]", "GPC Clock Frequency", "MHz"))), (allocs, (("device", "device memory", "B"),))):
        page = opened(make(folder, trace))
        for name, label, unit in kinds:
            if unit == "B":
                samples = page.js(f"(c => [...c.start].map((s, i) => [Number(nsq.clock(s)), Number(nsq.clock(c.end[i])), c.value[i]]))(nsq.traces[0].counters.find(c => nsq.names[c.name] === {json.dumps(name)}))")
            else:
                samples = [[r["start_ns"], r["end_ns"], r["value"]] for r in tool("nsq-metrics", "--each", "-m", "^" + label, trace) if r["metric"] == name]
            same(True, len(samples) > 3, "samples of", name)
            start, many = int(page.js("String(nsq.start)")), 0
            for zoom in (1, 100, 2000):
                middle = random.choice(samples[1:])[0] - start
                page.js(f"nsq.choose(null); nsq.view({middle} - nsq.length / {zoom} / 3, {middle} + nsq.length / {zoom} / 3)")
                settle(page)
                box = page.js(f"""(row => {{ document.getElementById("scroll").scrollTop = row.y - 100; const b = document.getElementById("rows").getBoundingClientRect();
                    return [b.left, b.top + row.y - document.getElementById("scroll").scrollTop + row.height / 2, nsq.width]; }})(nsq.rows.find(r => r.label === {json.dumps(label)}))""")
                settle(page)
                for x in (box[2] // 2, box[2] // 3, box[2] // 2 + 60):
                    page.mouse("mouseMoved", box[0] + x, box[1])
                    tip, a, b = page.js(f"[document.getElementById('tip').hidden ? null : document.getElementById('tip').textContent, nsq.timeAt({x}), nsq.timeAt({x + 1})]")
                    there = [v for s, e, v in samples if s - start < b and (e - start > a or s == e and s - start >= a)]
                    if not there:
                        continue
                    text = lambda v: page.js(f"nsq.bytes({v})") if unit == "B" else f"{round(v, 2):g} {unit}" if v < 1e6 else None
                    expected = text(max(there)) if min(there) == max(there) else f"{text(min(there))} to {text(max(there))}"
                    many += min(there) < max(there)
                    same(f"{label} · {expected}", tip, name, zoom, x)
                    page.click(box[0] + x, box[1])
                    d = page.js("nsq.state.chosen && { ...nsq.details(nsq.state.chosen), text: document.getElementById('details').textContent }")
                    same(True, [int(d["start"]), int(d["end"])] in [s[:2] for s in samples] or int(d["start"]) == samples[0][1], "the sample", d)
                    same(True, text(next(v for s, e, v in samples if e == int(d["end"]))) == d["value"] and d["value"] in d["text"], "its value", d)
            same(True, many > 0 or unit == "B", "several in a pixel", name)
        page.js("document.getElementById('close').click()")
        end(page)


# ---- pixels

RASTER = """(() => {
    // lanes of random events, dense and sparse; each must leave a pixel, and no pixel may be without an event near
    let seed = SEED;
    const random = () => (seed = seed * 16807 % 2147483647) / 2147483647, wrong = [];
    const shades = Array.from({ length: 9 }, () => new Uint32Array(nsq.colour.list.length).fill(7));
    for (let round = 0; round < 300; round++) {
        const n = 1 + Math.floor(random() * 400), start = new Float64Array(n), end = new Float64Array(n), far = 10 ** (random() * 7);
        for (let i = 0, t = 0; i < n; i++) {
            start[i] = t += Math.floor(random() ** 4 * far);
            end[i] = t += random() < .1 ? 0 : Math.floor(random() ** 4 * far / 3);
        }
        const lane = { start, end, colour: new Uint16Array(n).fill(1) }, whole = end[n - 1] + 1, length = Math.max(10, whole * random() ** 3);
        const from = (whole - length) * random(), to = from + length, width = 50 + Math.floor(random() * 500), line = new Uint32Array(width);
        nsq.raster(lane, from, to, line, shades, 8, null);
        const x = (t, more) => Math.floor((t - from) / (to - from) * width + more), near = new Uint8Array(width + 2);
        for (let i = 0; i < n; i++) {
            if (start[i] >= to || end[i] < from || (end[i] === from && start[i] < from))
                continue;
            const a = Math.max(0, x(start[i], -1e-6)), b = Math.min(width - 1, Math.max(a, x(end[i], 1e-6)));
            let seen = 0;
            for (let p = a; p <= b; p++) {
                seen += line[p] === 7;
                near[p] = 1;
            }
            if (!seen)
                wrong.push(`invisible: round ${round} event ${i} of ${n}`);
            if (b - a > 4 && seen < b - a - 2)
                wrong.push(`not whole: round ${round} event ${i}: ${seen} of ${b - a}`);
        }
        for (let p = 0; p < width; p++)
            if (line[p] && !near[p])
                wrong.push(`nothing there: round ${round} pixel ${p}`);
    }
    return wrong.slice(0, 5);
})()"""

DOMINANT = """(() => {
    // a pixel has the colour of most of its time, also where blocks of events count as a whole
    const n = 100000, start = new Float64Array(n), end = new Float64Array(n), colour = new Uint16Array(n);
    for (let i = 0; i < n; i++) {
        start[i] = i * 100;
        colour[i] = i % 3 === 0 ? 2 : 1;
        end[i] = start[i] + (colour[i] === 2 ? 90 : 20);
    }
    const shades = Array.from({ length: 9 }, (_, k) => Uint32Array.from(nsq.colour.list, (c, i) => 100 * i + k)), out = [];
    for (const width of [10, 137, 1000]) {
        const line = new Uint32Array(width);
        nsq.raster({ start, end, colour }, 0, n * 100, line, shades, 8, null);
        out.push([...new Set(line)].every(v => v === 203 || v === 204));        // colour 2, 43 % covered
    }
    return out;
})()"""


def pixels(folder, trace):
    page = opened(make(folder, trace))
    for seed in (1, 77, 4711):
        same([], page.js(RASTER.replace("SEED", str(seed))), "pixels, seed", seed)
    same([True, True, True], page.js(DOMINANT), "two thirds of the events have less than half of the time")
    # what stands in the canvas is that line: the stream's row has colour exactly where its work is
    picture = page.js("""(() => {
        nsq.view(0, nsq.length);
        nsq.draw(nsq.state);
        const row = nsq.rows.find(r => r.track?.kind === "work"), canvas = document.getElementById("rows"), { lanes } = row.track, scale = canvas.width / nsq.length;
        const pixels = canvas.getContext("2d").getImageData(0, row.y + Math.floor(row.level / 2), canvas.width, 1).data, { start, end } = lanes[0], out = [0, 0];
        const covered = new Uint8Array(canvas.width + 1);
        for (let i = 0; i < start.length; i++)
            covered.fill(1, Math.floor(start[i] * scale), Math.floor(end[i] * scale) + 1);
        for (let x = 0; x < canvas.width; x++) {
            const white = pixels[4 * x] + pixels[4 * x + 1] + pixels[4 * x + 2] === 765;
            out[0] += !white;
            out[1] += !white && !covered[x];
        }
        return out;
    })()""")
    same(True, picture[0] > 50, "the row is drawn", picture)
    same(0, picture[1], "nothing where nothing is")
    far = page.js("""(({ shade, steps }) => [0, steps / 2, steps].map(k => 255 - (shade[k][nsq.colour.cause] & 255)))(nsq.shades("#ffffff", "#000000"))""")
    same(True, 0 < far[0] < .3 * far[2] and far[1] < .7 * far[2], "what is hardly covered is pale", far)
    # a process that does nothing here has no row; one that works on no GPU is closed, however many there are
    same([[0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 3]], page.js("""(([trace]) => {
        const open = () => nsq.tree().tree[0].children.flatMap((row, i) => "works" in row && row.open ? [i] : []), idle = { pid: "1", rank: -1 };
        trace.processes.push(...Array(20).fill(idle));
        const out = [open()], calls = trace.tracks.find(t => t.kind === "calls");
        for (let i = 0; i < 20; i++) {
            trace.tracks.push({ ...calls, thread: trace.threads.length });
            trace.threads.push({ ...trace.threads[0], process: trace.processes.push(idle) - 1 });
        }
        out.push(open());
        trace.lanes.forEach(lane => { lane.process ||= 1; });
        return [...out, open()];
    })(nsq.traces)"""), "open when the page opens")
    end(page)


def home(folder, *traces):
    """It opens on the typical step, that of the late rank if one is late, or on the busy part; and goes back there."""
    view = lambda page: page.js("[nsq.state.from, nsq.state.to]")
    for several in (traces[:1], traces):
        late = [r for r in tool("nsq-advise", *several) if r["kind"] == "late"]
        page = opened(make(folder, *several), height=500)
        pid = str(late[0]["pid"]) if late else page.js("nsq.traces[0].processes[0].pid")
        (step,) = [w for w in tool("nsq-window", "--period", *several) if str(w["pid"]) == pid]
        ahead = {name: int(by) for name, by in page.js("nsq.traces.map(t => [nsq.names[t.path], t.ahead.toString()])")}[step["trace"]]
        a, b = (step[column] + ahead - int(page.js("String(nsq.start)")) for column in ("start_ns", "end_ns"))
        margin = (b - a) / 10
        same([round(a - margin), round(b + margin)], [round(t) for t in view(page)], "the typical step of", pid)
        if late:
            top, bottom = page.js(f"""(row => [nsq.yOf(row.children[0]), nsq.yOf(nsq.rows.findLast(r => r.parent === row.children[0]))])(nsq.rows.find(r => r.works && r.label.includes("pid {pid}")))""")
            same(True, 0 <= top and bottom < page.js("document.getElementById('scroll').clientHeight") and page.js("document.getElementById('scroll').scrollTop") > 0, "the late rank is in sight", top, bottom)
        same([[f"rank {r['rank']} · late · pid {r['pid']}" for r in late], pid],
             page.js("[nsq.rows.filter(r => r.works && r.label.includes('late')).map(r => r.label), nsq.stepped().row.trace.processes[nsq.stepped().row.process].pid]"), "which has its steps in the ruler")
        same("", page.js("location.hash"), "that needs no link")
        page.key("t")
        settle(page)
        who = f"rank {late[0]['rank']}, " if late else ""
        same(True, page.js("document.querySelector('#selection h2').textContent").startswith(f"{who}step "), "whose step is selected")
        same([late[0]["rank"] if late else page.js("nsq.traces[0].processes[0].rank"), True], page.js("""(({ row }) => [row.trace.processes[row.process].rank, nsq.yOf(row.children[0]) >= 0 &&
            nsq.yOf(nsq.rows.findLast(r => r.parent === row.children[0])) < document.getElementById("scroll").clientHeight])(nsq.stepped())"""), "and it is in sight")
        page.key("Escape")
        page.js("void (document.getElementById('scroll').scrollTop = 0)")
        settle(page)
        same(page.js("nsq.traces[0].processes[0].pid"), page.js("nsq.stepped().row.trace.processes[nsq.stepped().row.process].pid"), "out of sight, the ruler has the steps of the topmost")
        if late:
            same([f"rank{i}" for i in range(4)], page.js("nsq.rows.filter(r => !r.depth).map(r => r.label)"), "what tells the traces apart")
        end(page)
    same(True, bool(late), "a rank is late")


def home_closed(folder, trace, pid, other):
    """Of many processes, the one whose step the page opens with may be closed."""
    page = opened(make(folder, trace))
    same([pid, True, False], page.js("(row => [row.trace.processes[row.process].pid, row.steps.some(s => s.typical && s.a >= nsq.state.from && s.b <= nsq.state.to), row.open])(nsq.stepped().row)"), "the typical step")
    same([1, True], page.js("(rows => [rows.filter(r => r.open).length, rows.filter(r => !r.works).every(r => !r.open)])(nsq.rows.filter(r => r.process !== undefined))"), "and only the first that works is open")
    end(page)
    # of a few, those that do not work on a GPU
    page = opened(make(folder, other))
    same([[True, True], [False, False]], page.js("nsq.rows.filter(r => r.process !== undefined).map(r => [Boolean(r.works), r.open]).sort().reverse()"), "a process without work is closed")
    end(page)


def home_busy(folder, trace, start, end_):
    page = opened(make(folder, trace))
    a, b = page.js("[Number(nsq.clock(nsq.state.from)), Number(nsq.clock(nsq.state.to))]")
    length = page.js("nsq.length")
    near = length / 100
    same(True, abs(a - int(start)) < near and abs(b - int(end_)) < near, "the busy part", a, b, length)
    end(page)


STRIPED = """nsq.rows.filter(r => ["work", "ranges", "calls"].includes(r.track?.kind)).map(row => {
    const canvas = document.getElementById("rows"), words = new Uint32Array(canvas.getContext("2d").getImageData(0, nsq.yOf(row), canvas.width, row.height).data.buffer);
    const pixel = (nsq.state.to - nsq.state.from) / nsq.width, at = x => new Set(Array.from({ length: row.height }, (_, k) => words[k * canvas.width + x])).size > 1;
    return [row.track.kind, Array.from({ length: nsq.width }, (_, x) => row.track.lanes.some(l => nsq.eventAt(l, nsq.timeAt(x + .5), 2 * pixel) >= 0) ? null : at(x))];
})"""


def hatch(folder, trace):
    """What is outside the windows is hatched and nothing else is: outside the GPU sides in the rows of GPUs, outside the CPU sides in those of threads."""
    steps = subprocess.run(["nsq-window", "-q", "--pick", "all", trace], capture_output=True, text=True).stdout.splitlines(True)
    picked = [tool("nsq-window", "--pick", "all", trace)[i] for i in (1, 3)]
    for stdin, args in (("".join(steps[i] for i in (0, 2, 4)), ()), (None, (trace,))):
        page = opened(make(folder, *args, stdin=stdin))
        page.js("nsq.view(0, nsq.length)")
        settle(page)
        start, length, width = int(page.js("String(nsq.start)")), page.js("nsq.length"), page.js("nsq.width")
        met = {True: 0, False: 0}
        for kind, striped in page.js(STRIPED):
            sides = [(r["start_ns"], r["end_ns"]) if kind == "work" else (r["cpu_start_ns"], r["cpu_end_ns"]) for r in picked] if stdin else [(start, start + length)]
            for x, is_striped in enumerate(striped):
                a, b = (start + (x + more) * length / width for more in (-1, 2))
                inside, outside = any(s <= a and b <= e for s, e in sides), all(b <= s or e <= a for s, e in sides)
                if is_striped is not None and (inside or outside):
                    met[outside] += 1
                    same(outside, is_striped, "hatched", kind, x, sides)
        same([True, stdin is not None], [met[False] > 50, met[True] > 50], "how many pixels", met)
        end(page)


def texts(folder, trace):
    """No text is wider than its event, whatever its letters; what fits is whole."""
    page = opened(make(folder, trace))
    page.js("""CanvasRenderingContext2D.prototype.fillText = (fill => function (text, x, y) {
        if (this.canvas.id === "rows")
            texts.push([text, x, y, this.measureText(text).width]);
        return fill.apply(this, arguments);
    })(CanvasRenderingContext2D.prototype.fillText)""")
    drawn = whole = idle = 0
    for start, length in [(0, 20000), *((5000 * i, 5000) for i in range(9)), (1000, 1000)]:
        said = page.js(f"""(() => {{
            window.texts = [];
            Object.assign(nsq.state, {{ from: {start}, to: {start + length} }});
            nsq.draw(nsq.state);
            const scale = nsq.width / {length}, lanes = nsq.rows.flatMap(row => (row.track?.lanes ?? []).map((lane, k) => [row.y + k * row.level, row.level, lane]));
            return texts.map(([text, x, y, width]) => {{
                const [, , lane] = lanes.find(([top, height]) => top <= y && y < top + height), at = t => (t - {start}) * scale, i = lane.end.findIndex(end => at(end) > x);
                return lane.finding ? null : [text, width, Math.min(at(lane.end[i]), nsq.width) - x, lane.track.kind === "idle" ? nsq.colour.causes[lane.colour[i] - nsq.colour.cause] : nsq.names[lane.name[i]]];
            }}).filter(Boolean);
        }})()""")
        for text, width, room, name in said:
            drawn += 1
            whole += text == name
            idle += name == "unknown"
            same(True, width <= room and name.startswith(text.rstrip("…")), text, width, room, name)
            same(True, text == name or width > room - 25, "shorter than it must be", text, width, room)
    same(True, drawn > 40 and whole > 5 and drawn - whole > 5 and idle > 5, "how many", drawn, whole, idle)
    end(page)


# ---- keys, buttons, mouse

def keys(folder, trace):
    page = opened(make(folder, trace))
    view = lambda: page.js("[nsq.state.from, nsq.state.to]")
    length = page.js("nsq.length")
    page.js("document.getElementById('rows').focus()")
    home = view()
    page.key("f")
    page.key("Home")
    same(home, view(), "Home goes to what the page opened with")
    page.key("f")
    page.key("+")
    a, b = view()
    same(True, a > 0 and b < length and abs((a + b) / 2 - length / 2) < 1, "+ zooms in about the middle")
    page.key("ArrowRight")
    c, d = view()
    same(True, c > a and abs((d - c) - (b - a)) < 1, "right moves")
    page.key("ArrowLeft")
    same([round(a), round(b)], [round(x) for x in view()], "left moves back")
    page.key("-")
    same([0, length], view(), "- zooms out")
    page.key("+")
    page.key("f")
    same([0, length], view(), "f shows all")
    page.key("+")
    page.key("0")
    same([0, length], view(), "0 shows all")
    page.key("ArrowDown")
    settle(page)
    down = page.js("document.getElementById('scroll').scrollTop")
    same(True, down > 0, "down scrolls")
    page.key("ArrowUp")
    settle(page)
    same(0, page.js("document.getElementById('scroll').scrollTop"), "up scrolls back")
    page.key("/")
    same("find", page.js("document.activeElement.id"), "/ goes to the search")
    for letter in "fn":
        page.key(letter)
    same(["fn", [0, length]], [page.js("document.getElementById('find').value"), view()], "letters are typed there")
    page.key("Escape")
    same("rows", page.js("document.activeElement.id"), "Escape leaves the search")
    page.key("Escape")
    same(["", None], page.js("[document.getElementById('find').value, nsq.state.found]"), "and then clears it")
    page.js("document.getElementById('find').focus(); nsq.search('gemm|nvjet')")
    page.until("nsq.state.found !== null")          # a worker looks for it
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    same(["rows", True], page.js("[document.activeElement.id, document.getElementById('count').textContent.startsWith('1 of')]"), "Enter goes to the first match, and leaves the search")
    said = page.js("nsq.details(nsq.state.chosen)")
    page.key("l")
    call = page.js("nsq.details(nsq.state.chosen)")
    same([said["launch"], "call", said["thread"]], [call["start"], call["kind"], call["thread"]], "l goes to the call that launched it")
    same([[said["start"]], True], [page.js("nsq.state.links.arrows.map(a => nsq.details(a.to).start)"),
         page.js("document.getElementById('details').textContent.includes(%s)" % json.dumps("launches" + said["name"]))], "of which the page says what it launches")
    page.key("l")
    same(said["start"], page.js("nsq.details(nsq.state.chosen).start"), "and back")
    # a range: its GPU side is selected, the CPU side is one key away
    page.js("nsq.search('')")
    cpu = page.js("""(t => { const i = t.lanes[1].name.findIndex((_, i) => nsq.linksOf({ lane: t.lanes[1], i }).others.length); nsq.choose({ lane: t.lanes[1], i });
        return [t.lanes[1].start[i], t.lanes[1].end[i]]; })(nsq.traces[0].tracks.find(t => t.kind === "ranges"))""")
    chosen = "(c => [c.lane.track.kind, nsq.names[c.lane.name[c.i]], nsq.state.selection.a, nsq.state.selection.b])(nsq.state.chosen)"
    kind, name, *gpu = page.js(chosen)
    start = int(page.js("String(nsq.start)"))
    window = [w for w in tool("nsq-window", "-m", "^" + name.replace("(", ".").replace(")", ".") + "$", "--pick", "all", "--skip", "0", trace) if w["cpu_start_ns"] == start + cpu[0]]
    same(["ranges", [start + t for t in gpu]], [kind, [window[0]["start_ns"], window[0]["end_ns"]]], "a range selects its GPU side, that of nsq-window")
    page.key("c")
    same(["ranges", name, *cpu], page.js(chosen), "c selects its CPU side")
    page.key("c")
    same(["projected", name, *gpu], page.js(chosen), "and back, to the row under the GPU")
    same(cpu, page.js("(({ arrows: [{ from: { lane, i } }] }) => [lane.start[i], lane.end[i]])(nsq.state.links)"), "with an arrow from the CPU side")
    page.js("nsq.choose(null)")
    # steps: { and } walk, t is the typical one
    page.js("void (document.getElementById('scroll').scrollTop = 0)")
    settle(page)
    pid = page.js("nsq.traces[0].processes[0].pid")
    steps, (typical,) = tool("nsq-window", "-p", pid, "--pick", "all", "--skip", "0", trace), [w for w in tool("nsq-window", trace) if str(w["pid"]) == pid]
    chosen = "nsq.state.selection && Number(nsq.clock(nsq.state.selection.a))"
    page.key("0")
    page.key("}")
    page.key("}")
    same(steps[1]["start_ns"], page.js(chosen), "} goes to the next step")
    page.key("{")
    same(steps[0]["start_ns"], page.js(chosen), "{ goes back")
    page.key("t")
    settle(page)
    same([typical["start_ns"], True], [page.js(chosen), page.js("document.getElementById('selection').textContent.includes('the typical one')")], "t goes to the typical one")
    page.key("Escape")
    page.key("?")
    same(True, page.js("document.getElementById('about').open"), "? shows the keys")
    page.key("Escape")
    same([False, True], page.js("[document.getElementById('about').open, document.getElementById('panel').hidden]"), "Escape hides them")
    page.key("?")
    was = view()
    page.key("w")
    same(was, view(), "other keys wait")
    page.key("?")
    same(False, page.js("document.getElementById('about').open"), "so does ?")
    page.key("j")
    one = page.js("nsq.details(nsq.state.chosen).start")
    page.key(".")
    two = page.js("nsq.details(nsq.state.chosen).start")
    same(True, int(two) > int(one), ". goes to the next event")
    page.key(",")
    same(one, page.js("nsq.details(nsq.state.chosen).start"), ", goes back")
    kind = page.js("nsq.rows.indexOf(nsq.rowOf(nsq.state.chosen.lane.track))")
    page.key("j")
    same(True, page.js("nsq.rows.indexOf(nsq.rowOf(nsq.state.chosen.lane.track))") > kind, "j goes down")
    page.key("k")
    same(kind, page.js("nsq.rows.indexOf(nsq.rowOf(nsq.state.chosen.lane.track))"), "k goes up")
    page.key("m")
    same(page.js("(c => [c.lane.start[c.i], c.lane.end[c.i]])(nsq.state.chosen)"), page.js("[nsq.state.selection.a, nsq.state.selection.b]"), "m selects the event")
    page.key("z")
    a, b = view()
    same(True, page.js("(s => nsq.state.from <= s.a && s.b <= nsq.state.to && nsq.state.to - nsq.state.from < nsq.length / 2)(nsq.state.selection)"), "z zooms to it")
    for _ in range(3):
        page.key(".")
    end_of = page.js("(c => c.lane.end[c.i])(nsq.state.chosen)")
    page.key("]")
    same(end_of, page.js("nsq.state.selection.b"), "] ends the selection at the event")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", modifiers=8)
    same(True, page.js("nsq.state.selection.b") > end_of, "shift and right move its end")
    page.key("Escape")
    page.key("Escape")
    same([None, None], page.js("[nsq.state.chosen, nsq.state.selection]"), "Escape lets go")
    a, b = view()
    page.key("m")
    same([round(a), round(b)], page.js("[nsq.state.selection.a, nsq.state.selection.b]"), "m selects what is in view")
    page.key("f")
    page.key("w")
    page.key("w")
    a, b = view()
    same(True, 0 < a < b < length, "w zooms in")
    page.key("d")
    same(True, view()[0] > a, "d moves right")
    page.key("a")
    same(round(a), round(view()[0]), "a moves back")
    page.key("s")
    page.key("s")
    same([0, length], view(), "s zooms out")
    end(page)


def findings(folder, trace):
    """x goes from finding to finding, what to fix first first, and a click explains one."""
    rows = tool("nsq-advise", trace)
    page = opened(make(folder, trace))
    page.js("document.getElementById('rows').focus()")
    seen = []
    for row in rows:
        page.key("x")
        settle(page)
        seen.append(page.js("document.getElementById('details').textContent"))
        same([True] * 3, [row[column] in seen[-1] for column in ("finding", "advice", "evidence")], row, seen[-1])
        same(True, page.js("(({ lane, i }) => lane.start[i] >= nsq.state.from && lane.end[i] <= nsq.state.to)(nsq.state.chosen)"), "in sight")
    x, y = page.js("""(({ lane, i }) => { const b = document.getElementById("rows").getBoundingClientRect(), p = nsq.placeOf(lane);
        return [b.left + (lane.start[i] - nsq.state.from) / (nsq.state.to - nsq.state.from) * nsq.width, b.top + p.y + 5 - document.getElementById("scroll").scrollTop]; })(nsq.state.chosen)""")
    page.key("x")
    page.key("X")
    page.js("nsq.choose(null)")
    page.click(x, y)
    same(seen[-1], page.js("document.getElementById('details').textContent"), "a click explains")
    same(True, len(rows) > 2, "findings", len(rows))
    end(page)


def thinned(folder, trace):
    """A page that does not hold all: it says so where that is, sums of everything are right, and the typical step is whole."""
    page = opened(make(folder, "--most", "6000", trace))
    settle(page)
    same(True, page.js("document.getElementById('thinned').textContent.includes(' events, those of at least ')"), "says so")
    gap = tool("nsq-gaps", "-w", "{}..{}".format(*span_of([trace])), trace)[0]
    first, last = span_of([trace])
    sums = page.js(f"(({{ lanes: [l], kernels }}) => [l.busy, l.idle, kernels.reduce((n, k) => n + k.count, 0)])(nsq.sums({first} - Number(nsq.start), {last} - Number(nsq.start)))")
    same(True, abs(sums[0] - gap["busy_ns"]) < 1000 and abs(sums[1] - gap["idle_ns"]) < 1000, "busy and idle", sums, gap)
    same(sum(1 for _ in tool("nsq-kernels", "--each", trace)), sums[2], "kernels")
    number, event = page.js("nsq.traces[0].tracks.flatMap((t, k) => t.kind === 'work' ? t.lanes.flatMap(l => { const i = (l.count ?? []).findIndex(n => n > 5); return i < 0 ? [] : [[k, l.event ? l.event[i] : i]]; }) : [])[0]")
    d = click(page, f"nsq.traces[0].tracks[{number}]", event)
    same(True, "× kernel, not kept one by one" in d["text"] and f"nsq-view -w {d['start']}..{d['end']} -o part.html" in d["text"], d["text"])
    page.js("nsq.search('.')")
    same(True, page.js("document.getElementById('count').textContent.endsWith(' found of those kept, any case') && nsq.state.found.count < nsq.thinned.whole / 2"), "search")
    (typical,) = tool("nsq-window", trace)
    expected = len(tool("nsq-kernels", "--each", "-w", f"{typical['start_ns']}..{typical['end_ns']}", trace))
    same(expected, page.js(f"nsq.sums({typical['start_ns']} - Number(nsq.start), {typical['end_ns']} - Number(nsq.start)).kernels.reduce((n, k) => n + (k.name ? k.count : 1e9), 0)"), "the typical step")
    end(page)


def mouse(folder, trace):
    page = opened(make(folder, trace))
    page.js("nsq.view(0, nsq.length)")
    box = page.js("(b => [b.left, b.top, b.width])(document.getElementById('rows').getBoundingClientRect())")
    x, y = box[0] + box[2] / 4, box[1] + 60
    page.mouse("mouseMoved", x, y)
    at = "nsq.timeAt(%f)" % (box[2] / 4)
    before = page.js(at)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=60)
    page.until("document.getElementById('scroll').scrollTop > 0")
    same([0, page.js("nsq.length")], page.js("[nsq.state.from, nsq.state.to]"), "the wheel scrolls and does not zoom")
    page.js("void (document.getElementById('scroll').scrollTop = 0)")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
    settle(page)
    same(True, page.js("nsq.state.to - nsq.state.from < nsq.length * .6"), "with Ctrl it zooms in")
    same(True, abs(page.js(at) - before) < 2, "about the pointer")
    length = page.js("nsq.state.to - nsq.state.from")
    for more in ({"deltaX": 80, "deltaY": 0}, {"deltaX": 0, "deltaY": 80, "modifiers": 8}):
        left = page.js("nsq.state.from")
        page.mouse("mouseWheel", x, y, **more)
        settle(page)
        same([True, True], [page.js("nsq.state.from") > left, abs(page.js("nsq.state.to - nsq.state.from") - length) < 1], "sideways or with shift it moves in time", more)
    middle = page.js("nsq.state.from")
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x - 50, y, button="left", buttons=1)
    page.mouse("mouseReleased", x - 50, y, button="left", clickCount=1)
    same(True, abs(page.js("nsq.state.from - %f" % middle) / page.js("nsq.state.to - nsq.state.from") - 50 / box[2]) < .001, "a drag moves what is under it")
    same(None, page.js("nsq.state.chosen"), "and chooses nothing")
    a, b = page.js("[nsq.timeAt(100), nsq.timeAt(220)]")
    page.mouse("mousePressed", box[0] + 100, y, button="left", clickCount=1, modifiers=8)
    page.mouse("mouseMoved", box[0] + 220, y, button="left", buttons=1, modifiers=8)
    page.mouse("mouseReleased", box[0] + 220, y, button="left", clickCount=1, modifiers=8)
    same([round(a), round(b)], page.js("[nsq.state.selection.a, nsq.state.selection.b]"), "shift and drag select")
    page.js("document.getElementById('close').click()")
    same(True, page.js("document.getElementById('panel').hidden"), "the panel closes")
    page.js("document.getElementById('fit').click()")
    same([0, page.js("nsq.length")], page.js("[nsq.state.from, nsq.state.to]"), "fit")
    end(page)


def place_of(page, event):
    """Where the middle of an event is on the screen; event: an expression for { lane, i }, all of which is in view."""
    return page.js(f"""(({{ lane, i }}) => {{
        const box = document.getElementById("rows").getBoundingClientRect(), p = nsq.placeOf(lane), x = t => (t - nsq.state.from) / (nsq.state.to - nsq.state.from) * nsq.width;
        return [box.left + (x(lane.start[i]) + x(lane.end[i])) / 2, box.top + p.y + p.height / 2];
    }})({event})""")


WIDEST = "(lane => ({ lane, i: [...lane.start.keys()].filter(i => lane.start[i] >= nsq.state.from && lane.end[i] <= nsq.state.to).sort((a, b) => lane.end[b] - lane.start[b] - lane.end[a] + lane.start[a])[0] }))(nsq.rows.find(r => r.track?.kind === 'work').track.lanes[0])"


def pointer(folder, trace):
    """A line with the time follows the pointer; a double click zooms to an event, also where the panel that the first one opens would cover it."""
    page = opened(make(folder, trace))
    left, top = page.js("(b => [b.left, b.top])(document.getElementById('rows').getBoundingClientRect())")
    line = "(e => [e.hidden, parseFloat(e.style.left), e.textContent])(document.getElementById('line'))"
    for x in (10, 300, 900):
        page.mouse("mouseMoved", left + x, top + 30)
        hidden, at, text = page.js(line)
        same([False, left + x], [hidden, at], "the line is under the pointer")
        time, pixel = int(page.js(f"nsq.clock(nsq.timeAt({x}))")), page.js("(nsq.state.to - nsq.state.from) / nsq.width")
        same(True, text.endswith(" ms") and abs(float(text[:-3]) * 1e6 - time) <= pixel, "and says the time", text, time)
    page.mouse("mouseMoved", left + 300, 5)
    same(True, page.js(line)[0], "it leaves with the pointer")
    for height in (800, 420):
        page.look(1200, height)
        settle(page)
        page.key("Home")
        page.js("nsq.choose(null); void (document.getElementById('scroll').scrollTop = 0)")
        settle(page)
        event = page.js(f"window.wanted = {WIDEST}; [wanted.lane.start[wanted.i], wanted.lane.end[wanted.i]]")
        x, y = place_of(page, "wanted")
        page.mouse("mouseMoved", x, y)
        for n in (1, 2):
            page.mouse("mousePressed", x, y, button="left", clickCount=n)
            page.mouse("mouseReleased", x, y, button="left", clickCount=n)
        bottom, panel = page.js("['line', 'panel'].map(id => document.getElementById(id).getBoundingClientRect()).map((b, i) => i ? b.top : b.bottom)")
        same(True, bottom <= panel + 1, "the line ends above the panel", bottom, panel)
        a, b = page.js("[nsq.state.from, nsq.state.to]")
        same([True, True], [a < event[0] and event[1] < b and b - a < 1.3 * (event[1] - event[0]), page.js("nsq.state.chosen.i === wanted.i")], "a double click zooms to the event", event, a, b)
    end(page)


def typed(page, box, text):
    """Type into a box, in place of what is there, and wait for the rows to change."""
    page.js(f"window.before = nsq.rows; document.getElementById('{box}').focus(); document.getElementById('{box}').select()")
    page.call("Input.insertText", text=text)
    page.until("nsq.rows !== before")
    settle(page)


def some_rows(folder, trace):
    """Rows are filtered, hidden and pinned, and the link knows."""
    page = opened(file := make(folder, trace), height=500)
    paths, top = "nsq.rows.map(r => r.path)", "document.getElementById('scroll').scrollTop"
    all_rows = page.js(paths)
    typed(page, "filter", "STREAM \\d")
    some = page.js(paths)
    leaves = page.js("nsq.rows.filter(r => r.track).map(r => r.label)")
    same([True, [r for r in all_rows if "stream 7" in r]], [all(l.startswith("stream ") for l in leaves), [r for r in some if "stream 7" in r]], "the filter keeps rows that match, in any case", leaves)
    same(["pid 911", "GPU 0", "GPU 0 · stream 7"], some, "and what they are in")
    link = page.js("location.hash")
    page.js("document.getElementById('case').click()")
    page.until("nsq.rows.length === 0")
    page.js("document.getElementById('case').click()")
    page.until("nsq.rows.length > 0")
    typed(page, "filter", "nothing like this")
    same([[], "no row matches"], [page.js(paths), page.js("document.getElementById('filter').title")], "no row")
    typed(page, "filter", "(")
    same([all_rows, "true", "not a regular expression"], [page.js(paths), *page.js("(e => [e.getAttribute('aria-invalid'), e.title])(document.getElementById('filter'))")], "what is none keeps all")
    typed(page, "filter", "")
    # the next match is in a row that is shown
    page.js("nsq.search('e', false)")
    typed(page, "filter", "CUDA calls")
    page.js("document.getElementById('rows').focus()")
    for _ in range(5):
        page.key("n")
        same("calls", page.js("nsq.state.chosen.lane.track.kind"), "n stays in the rows that are shown")
    same(True, " hidden" in page.js("document.getElementById('count').textContent"), "and says how many are elsewhere")
    page.js("document.getElementById('close').click(); nsq.search('')")
    typed(page, "filter", "")
    # hidden by its button, under the pointer by a key; a pinned row stays where it is
    box = "(b => [b.left + b.width / 2, b.top + b.height / 2])([...document.querySelectorAll('#labels > *')].find(e => e.textContent.startsWith('idle')).querySelector('.tools button:last-child').getBoundingClientRect())"
    x, y = page.js("(b => [b.left + 20, b.top + b.height / 2])([...document.querySelectorAll('#labels > *')].find(e => e.textContent.startsWith('idle')).getBoundingClientRect())")
    page.mouse("mouseMoved", x, y)
    page.click(*page.js(box))
    same([1, "show 1 hidden row"], [len(all_rows) - len(page.js(paths)), page.js("document.getElementById('unhide').textContent")], "a row is hidden")
    place = "(row => [nsq.yOf(row), row.y])(nsq.rows.find(r => r.track?.kind === 'work'))"
    x, y = place_of(page, "{ lane: nsq.rows.find(r => r.track?.kind === 'work').track.lanes[0], i: 0 }")
    page.mouse("mouseMoved", page.js("document.getElementById('rows').getBoundingClientRect().left") + 200, y)
    page.key("P")
    settle(page)
    same([0, 0], page.js(place), "P pins the row under the pointer")
    picture = "[...document.getElementById('rows').getContext('2d').getImageData(0, 0, nsq.width, 18).data].join()"
    before = page.js(picture)
    page.js("void (document.getElementById('scroll').scrollTop = 40)")
    settle(page)
    same([[0, 0], True, before], [page.js(place), page.js(top) > 0, page.js(picture)], "it does not scroll")
    same(1, page.js("document.querySelectorAll('#pins > *').length"), "nor does its name")
    event = page.js(f"(e => nsq.details(e).start)({WIDEST})")
    page.click(*place_of(page, WIDEST))
    same(event, page.js("nsq.details(nsq.state.chosen).start"), "a click there chooses what is there")
    now = [page.js(paths), page.js("location.hash"), page.js("nsq.stuck")]
    end(page)
    page = opened(file, height=500, link=now[1])
    same(now, [page.js(paths), page.js("location.hash"), page.js("nsq.stuck")], "the link restores what is hidden and pinned")
    page.js("document.getElementById('unhide').click(); document.querySelector('#pins .tools button').click()")
    same(sorted(all_rows), sorted(page.js(paths)), "all is shown again")
    end(page)
    page = opened(file, height=500, link=link)
    same(some, page.js(paths), "and what is filtered")
    end(page)


def folds(folder, trace):
    """Of several processes, deep rows are closed, and threads in a row of their own; what is chosen in them is shown."""
    page = opened(make(folder, trace))
    row = "nsq.rows.find(r => r.track?.kind === 'projected')"
    deep = page.js(f"{row}.track.lanes.length")
    label = "[...document.querySelectorAll('#labels .name')].find(e => e.textContent.startsWith('ranges on GPU'))"
    same([True, 4, f"ranges on GPU +{deep - 4}", "false"], [deep > 6, page.js(f"{row}.levels"), *page.js(f"(e => [e.textContent, e.getAttribute('aria-expanded')])({label})")], "closed")
    page.js(label + ".click()")
    same([deep, "ranges on GPU"], [page.js(f"{row}.levels"), page.js(label + ".textContent")], "open")
    same(True, page.js("nsq.rows.some(r => / threads$/.test(r.label) && !r.open)"), "threads are closed")
    for kind, lane in (("ranges", 5), ("calls", 0), ("projected", 6)):
        page.js(f"nsq.choose({{ lane: nsq.traces[0].tracks.filter(t => t.kind === '{kind}' && t.lanes.length > {lane}).at(-1).lanes[{lane}], i: 3 }})")
        settle(page)
        same(True, page.js("""(({ lane }) => { const row = nsq.rowOf(lane.track), p = nsq.placeOf(lane); return row?.track.lanes.indexOf(lane) < row?.levels && p.height === row.level &&
            p.y >= 0 && p.y + p.height <= document.getElementById("scroll").clientHeight; })(nsq.state.chosen)"""), "in sight", kind)
    end(page)


def highlight(folder, trace):
    """A click on the legend highlights a class: the others are dimmed."""
    page = opened(make(folder, trace))
    page.js("""(e => nsq.zoomTo(e))(window.wanted = """ + WIDEST + """)""")
    settle(page)
    colour = "(() => { const p = nsq.placeOf(wanted.lane), c = document.getElementById('rows').getContext('2d'); return [...c.getImageData(nsq.width * .85, p.y + 3, 1, 1).data].slice(0, 3); })()"
    label = page.js("nsq.colour.list[wanted.lane.colour[wanted.i]].label")
    own, full = page.js(colour), page.js("[1, 3, 5].map(i => parseInt(nsq.colour.list[wanted.lane.colour[wanted.i]].hex.slice(i, i + 2), 16))")
    same(full, own, "its colour")
    press = "[...document.querySelectorAll('#legend button')].find(b => %s).click()"
    page.js(press % f"b.textContent === {json.dumps(label)}")
    settle(page)
    same([full, "true"], [page.js(colour), page.js(f"[...document.querySelectorAll('#legend button')].find(b => b.textContent === {json.dumps(label)}).getAttribute('aria-pressed')")], "what is highlighted keeps it")
    hash_ = page.js("location.hash")
    same(True, f"class=category%20{label}" in hash_, "the link has it", hash_)
    page.js(press % f"b.textContent === {json.dumps(label)}")
    page.js(press % f"b.textContent !== {json.dumps(label)}")
    settle(page)
    same(True, page.js(colour) != full, "the others are dimmed")
    page.key("Escape")
    settle(page)
    same([full, None], [page.js(colour), page.js("nsq.state.lit")], "Escape ends it")
    page.js(f"void (location.hash = {json.dumps(hash_)})")
    settle(page)
    same(label, page.js("nsq.colour.list[nsq.state.lit.colour].label"), "the link restores it")
    end(page)


def layers(folder, trace):
    """Help is above all else, the panel below the timeline, the selection behind the events; severities differ in shape."""
    page = opened(make(folder, trace))
    strip = "[...document.getElementById('rows').getContext('2d').getImageData(0, 0, nsq.width, 300).data]"
    before = page.js(f"[nsq.width, document.getElementById('rows').getBoundingClientRect().top, {strip}.join()]")
    page.js("nsq.select(0, 1000)")          # out of sight
    settle(page)
    same(before, page.js(f"[nsq.width, document.getElementById('rows').getBoundingClientRect().top, {strip}.join()]"), "the panel moves nothing")
    bottom, panel = page.js("[document.getElementById('scroll').getBoundingClientRect().bottom, document.getElementById('panel').getBoundingClientRect().top]")
    same(True, panel >= bottom - 1, "and is below", bottom, panel)
    page.mouse("mousePressed", 600, panel, button="left", clickCount=1)
    page.mouse("mouseMoved", 600, panel - 100, button="left", buttons=1)
    page.mouse("mouseReleased", 600, panel - 100, button="left", clickCount=1)
    page.js("document.getElementById('grip').focus()")
    page.key("ArrowDown")
    same(round(panel) - 70, round(page.js("document.getElementById('panel').getBoundingClientRect().top")), "its edge can be dragged, and moved by keys")
    page.js("document.getElementById('rows').focus()")
    changed, on, off = page.js(f"""(() => {{
        const before = {strip};
        nsq.select(nsq.state.from + 1, nsq.state.to - 1);
        nsq.draw(nsq.state);
        const after = {strip}, white = p => before[4 * p] + before[4 * p + 1] + before[4 * p + 2] === 765, row = nsq.rows.find(r => r.track?.kind === "work"), out = [0, 0, 0];
        for (let p = 0; p < before.length / 4; p++)
            out[white(p) ? 2 : 1] += [0, 1, 2].some(k => before[4 * p + k] !== after[4 * p + k]);
        const middle = (nsq.yOf(row) + 9) * nsq.width;
        for (let p = middle; p < middle + nsq.width; p++)
            out[0] += !white(p) && [0, 1, 2].some(k => before[4 * p + k] !== after[4 * p + k]);
        return out;
    }})()""")
    same([0, True, True], [changed, off > 1000, on < off / 100], "the selection is behind the events", changed, on, off)
    page.key("?")
    dialog = page.js("(b => [b.left, b.top, b.right, b.bottom])(document.getElementById('about').getBoundingClientRect())")
    points = [(x, y) for x in (dialog[0] + 9, sum(dialog[::2]) / 2, dialog[2] - 9) for y in (dialog[1] + 9, sum(dialog[1::2]) / 2, dialog[3] - 9)]
    same([], [p for p in points if not page.js(f"document.getElementById('about').contains(document.elementFromPoint({p[0]}, {p[1]}))")], "help is on top")
    same(True, dialog[0] >= 0 and dialog[2] <= 1200 and dialog[1] >= 0 and dialog[3] <= 800, "all of it", dialog)
    page.key("Escape")
    severities = [line.split("\t")[1] for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/glossary.tsv")) if line.startswith("severity\t")]
    same([sorted(severities), len(severities)], page.js("[Object.keys(nsq.shapes).sort(), new Set(Object.values(nsq.shapes).map(s => JSON.stringify(s))).size]"), "a shape for each severity")
    page.js("document.getElementById('close').click(); nsq.view(0, nsq.length)")
    settle(page)
    for severity, share in page.js("""nsq.findings.map(({ severity, mark: { lane, i } }) => {
        const x = Math.round((lane.start[i] - nsq.state.from) / (nsq.state.to - nsq.state.from) * nsq.width), context = document.getElementById("rows").getContext("2d"), path = new Path2D();
        const data = context.getImageData(x - 6, nsq.placeOf(lane).y + 3, 12, 12).data, hex = nsq.colour.list[lane.colour[i]].hex, rgb = [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));
        for (const [right, down] of nsq.shapes[severity])
            path.lineTo(12 * right, 12 * down);
        let right = 0;
        for (let p = 0; p < 144; p++)
            right += context.isPointInPath(path, p % 12 + .5, Math.floor(p / 12) + .5) === [0, 1, 2].every(k => Math.abs(data[4 * p + k] - rgb[k]) < 60);
        return [severity, right / 144];
    })"""):
        same(True, share > .8, "the shape of", severity, share)
    end(page)


def table(folder, trace):
    """The table lists the longest events of the rows that are shown in the time in view; it and the timeline follow each other."""
    page = opened(file := make(folder, trace), width=1400)
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    cells = "[...document.querySelectorAll('#events tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    filled = "document.querySelector('#events table') && document.querySelectorAll('#events tbody tr').length"
    page.js("nsq.only('stream')")
    page.until("nsq.rows.every(r => r.kept)")
    page.key("e")
    page.until(filled)

    def expected():
        a, b = (int(x) for x in page.js("[nsq.clock(Math.ceil(nsq.state.from)), nsq.clock(Math.floor(nsq.state.to))]"))
        rows = [r for r in tool("nsq-find", "--kind", "kernel,graph,copy,set", "", trace) if r["start_ns"] < b and r["end_ns"] > a]
        return sorted(rows, key=lambda r: -r["dur_ns"])

    def listed():
        lines = page.js("nsq.copied()").split("\n")[1:-1]
        return [(n, int(start), int(dur)) for n, _, start, dur in (line.split("\t") for line in lines)]

    want = expected()
    same([r["dur_ns"] for r in want[:1000]], [dur for _, _, dur in listed()], "those of nsq-find, the longest first")
    same(sorted((r["name"], r["start_ns"], r["dur_ns"]) for r in want), sorted(listed()), "all of them") if len(want) <= 1000 else None
    same(f"{len(want)} events in view.Copy", page.js("document.querySelector('#events p').textContent"), "says how many")
    page.js("nsq.view(0, nsq.length)")
    page.until(f"({filled}) === 1000")
    want = expected()
    thousands = lambda n: page.js(f"nsq.thousands({n})")
    same([f"The longest 1 000 of {thousands(len(want))} events in view; {thousands(len(want) - 1000)} more are shorter: zoom, search or filter rows to see them.Copy", [r["dur_ns"] for r in want[:1000]]],
         [page.js("document.querySelector('#events p').textContent"), [dur for _, _, dur in listed()]], "of many, the longest 1 000")
    said, every = page.js("""nsq.only("").then(() => [nsq.eventsInView(nsq.state), nsq.rows.filter(r => r.track && !["counter", "findings"].includes(r.track.kind)).flatMap(r => r.track.lanes)
        .flatMap(lane => Array.from(lane.start, (start, i) => lane.end[i] - start)).sort((x, y) => y - x)]).then(([{ list, count }, all]) => [[list.map(e => e.duration), count], [all.slice(0, 1000), all.length]])""")
    same([every, True], [said, every[1] > 8000], "also of all rows")
    page.js("nsq.only('stream')")
    page.until(f"document.querySelector('#events p').textContent.includes('{thousands(len(want))}')")
    # sorted by its heads
    for column, key in (("name", lambda r: r[0]), ("start", lambda r: r[1]), ("duration", lambda r: -r[2])):
        head = f"[...document.querySelectorAll('#events th button')].find(b => b.textContent === '{column}')"
        page.js(head + ".click()")
        same([True, True], [listed() == sorted(listed(), key=key), page.js(head + ".parentElement.getAttribute('aria-sort') !== null")], "sorted by", column)
        page.js(head + ".click()")
        same(True, [key(r) for r in listed()] == sorted((key(r) for r in listed()), reverse=True), "and the other way", column)
    # a row chooses its event, an event marks its row
    name, start, dur = listed()[7]
    page.js("document.querySelectorAll('#events tbody tr')[7].click()")
    same([name, str(start), dur], page.js("(d => [d.name, d.start, d.dur])(nsq.details(nsq.state.chosen))"), "a row chooses its event")
    marked = "[...document.querySelectorAll('#events tr[aria-selected=true]')].map(r => r.line.clock)"
    settle(page)
    same([str(start)], page.js(marked), "which is marked")
    short = want[-1]
    page.js(f"""(t => {{ for (const lane of t.flatMap(x => x.lanes)) for (let i = 0; i < lane.start.length; i++)
        if (nsq.clock(lane.start[i], lane.track.trace) === "{short['start_ns']}" && lane.end[i] - lane.start[i] === {short['dur_ns']}) nsq.choose({{ lane, i }}); }})(nsq.traces[0].tracks.filter(t => t.kind === "work"))""")
    page.until("document.querySelector('#events tr[aria-selected=true]')?.line.clock === '%d'" % short["start_ns"])
    top, bottom, high, low = page.js("(r => (s => [r.top, r.bottom, s.top, s.bottom])(document.getElementById('events').getBoundingClientRect()))(document.querySelector('#events tr[aria-selected=true]').getBoundingClientRect())")
    same(True, high <= top and bottom <= low + 1, "a short event has a row too, in sight", top, bottom, high, low)
    page.js("document.querySelector('#events tr[aria-selected=true]').focus()")
    before = page.js("nsq.details(nsq.state.chosen).start")
    page.key("ArrowDown")
    same([True, True], page.js(f"[nsq.details(nsq.state.chosen).start !== '{before}', document.activeElement.line.event.i === nsq.state.chosen.i]"), "arrows go from row to row")
    page.js("[...document.querySelectorAll('#events button')].find(b => b.textContent === 'Copy').click()")
    page.until("[...document.querySelectorAll('#events button')].some(b => b.textContent === 'Copied')")
    text = page.js("navigator.clipboard.readText()").replace("\r\n", "\n")
    same(page.js("nsq.copied()"), text, "Copy copies it")
    same(["name\trow\tstart_ns\tdur_ns", 1001, True], [text.split("\n")[0], text.count("\n"), all(line.count("\t") == 3 for line in text.split("\n")[:-1])], "as tab-separated values")
    # of a search, the matches
    page.js("nsq.search('gemm|nvjet|Kernel2', true)")
    page.until("document.querySelector('#events p').textContent.includes('matches')")
    named = [r for r in want if any(n in r["name"] for n in ("gemm", "nvjet", "Kernel2"))]
    same([r["dur_ns"] for r in named[:1000]], sorted((dur for _, _, dur in listed()), reverse=True), "matches")
    hash_ = page.js("location.hash")
    same(True, "&table=1" in hash_, hash_)
    end(page)
    page = opened(file, link=hash_)
    page.until(filled)
    page.js("document.getElementById('close').click()")
    settle(page)
    same(True, page.js("document.getElementById('events').hidden"), "the link restores it, and it closes")
    end(page)


def fingers(folder, trace):
    page = opened(make(folder, trace), width=380, height=740)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    box = page.js("(b => [b.left, b.top, b.width])(document.getElementById('rows').getBoundingClientRect())")

    def touch(kind, *points):
        page.call("Input.dispatchTouchEvent", type="touch" + kind, touchPoints=[{"x": box[0] + x, "y": box[1] + 60, "id": i} for i, x in points])
        settle(page)

    view = lambda: page.js("[nsq.state.from, nsq.state.to]")
    page.js("nsq.view(0, nsq.length)")
    length = page.js("nsq.length")
    touch("Start", (0, 80))
    touch("Start", (0, 80), (1, 160))
    touch("Move", (0, 60), (1, 200))
    a, b = view()
    same(True, abs((b - a) / length - 80 / 140) < .02, "a pinch zooms", (b - a) / length)
    touch("End", (1, 200))          # those that go
    touch("Move", (0, 40))
    touch("Move", (0, 20))
    c, d = view()
    same(True, abs((d - c) - (b - a)) < 1 and 19 / box[2] < (c - a) / (b - a) < 41 / box[2], "the finger that is left moves", a, b, c, d)
    touch("End")
    same(None, page.js("nsq.state.chosen"), "and chooses nothing")
    page.js("document.getElementById('select').click()")
    same("true", page.js("document.getElementById('select').getAttribute('aria-pressed')"), "pressed")
    before, (a, b) = view(), page.js("[nsq.timeAt(50), nsq.timeAt(150)]")
    touch("Start", (0, 50))
    touch("Move", (0, 100))
    touch("Move", (0, 150))
    touch("End")
    same([[round(a), round(b)], before], [page.js("[nsq.state.selection.a, nsq.state.selection.b]"), view()], "with the button Select one finger selects")
    page.js("document.getElementById('select').click(); document.getElementById('close').click()")
    touch("Start", (0, 50))
    touch("Move", (0, 100))
    touch("End")
    same([None, True], [page.js("nsq.state.selection"), view() != before], "and without it moves again")
    touch("Start", (0, 80))
    touch("Start", (0, 80), (1, 160))
    touch("End", (1, 160))
    touch("End")
    same(None, page.js("nsq.state.chosen"), "nor do two fingers that touch and go")
    end(page)


# ---- for everybody

def access(folder, trace):
    page = opened(make(folder, trace))
    unnamed = page.js("""[...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter(e =>
        !(e.getAttribute("aria-label") || e.textContent.trim())).map(e => e.outerHTML)""")
    same([], unnamed, "without a name")
    seen = []
    for _ in range(14):             # by Tab alone one gets to the search, the buttons, the timeline and its branches
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        page.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        seen.append(page.js("document.activeElement.id || document.activeElement.tagName"))
        same(True, page.js("parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"), "focus is visible on", seen[-1])
    same([], [i for i in ("find", "next", "previous", "in", "out", "fit", "help", "rows", "BUTTON") if i not in seen], "not reached")
    page.js("document.querySelector('#labels [aria-expanded]').focus()")
    was = page.js("nsq.rows.length")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    page.call("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
    same(["false", True], page.js(f"[document.activeElement.getAttribute('aria-expanded'), nsq.rows.length < {was}]"), "Enter closes a branch")
    page.js("nsq.search('e')")
    same("status", page.js("document.getElementById('count').getAttribute('role')"), "counts are announced")
    end(page)


def phone(folder, *traces):
    for trace in traces:
        page = opened(make(folder, trace), width=380, height=740)
        page.js("nsq.search('e').then(() => { nsq.jump(); nsq.select(0, nsq.length); document.getElementById('list').click(); })")
        page.until("document.querySelectorAll('#events tr').length > 1")
        page.js("document.getElementById('help').click()")
        settle(page)
        same([380, 0], page.js("[document.documentElement.scrollWidth, document.scrollingElement.scrollTop]"), "sideways", trace)
        outside = page.js("""[...document.querySelectorAll("header *, #top *, #panel *, #about, #about *, #rows")].filter(e => e.getClientRects().length &&
            (e.getBoundingClientRect().right > 380.5 || e.getBoundingClientRect().left < -.5)).map(e => e.id || e.tagName)""")
        same([], outside, "outside", trace)
        same(True, page.js("document.getElementById('rows').getBoundingClientRect().height > 200"), "room for the timeline", trace)
        page.js("void (document.getElementById('panel').scrollTop = 1000)")
        settle(page)
        same(True, page.js("(p => (c => c.top >= p.top && c.bottom <= p.bottom)(document.getElementById('close').getBoundingClientRect()))(document.getElementById('panel').getBoundingClientRect())"), "the panel can be closed", trace)
        end(page)


def themes(folder, trace):
    file = make(folder, trace)
    backs = []
    for dark in (False, True):
        page = opened(file, dark=dark)
        settle(page)
        backs.append(page.js("""[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
            [...document.getElementById("rows").getContext("2d").getImageData(5, 5, 1, 1).data].join()]"""))
        end(page)
    same(["rgb(255, 255, 255)", "255,255,255,255"], [backs[0][0], backs[0][2]], "light")
    same(["rgb(12, 15, 19)", "12,15,19,255"], [backs[1][0], backs[1][2]], "dark")
    same(True, backs[0][1] != backs[1][1], "texts")


def contrast(folder, trace):
    """Every colour stands out from its background, also after it changes; chips follow."""
    def light(hex_):
        parts = [int(hex_[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        return sum(w * (x / 12.92 if x <= .04045 else ((x + .055) / 1.055) ** 2.4) for w, x in zip((.2126, .7152, .0722), parts))

    page = opened(make(folder, trace))
    page.js("nsq.select(0, nsq.length); document.getElementById('help').click()")
    settle(page)
    chips = "[...document.querySelectorAll('#legend .chip, #selection .chip, #about .chip')].map(e => e.style.background)"
    before = page.js(chips)
    for scheme, back, least in (("light", "#ffffff", 2.5), ("dark", "#0c0f13", 3)):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        settle(page)
        for kind, label, hex_ in page.js("nsq.colour.list.map(c => [c.kind, c.label, c.hex])"):
            a, b = sorted((light(hex_), light(back)))
            if kind != "range" and (b + .05) / (a + .05) < least:
                fail(scheme, kind, label, hex_, (b + .05) / (a + .05))
            if kind == "range" and (b + .05) / (a + .05) < 1.4:
                fail(scheme, kind, label, hex_, (b + .05) / (a + .05))
    after = page.js(chips)
    same(True, len(before) == len(after) > 20 and all(x != y for x, y in zip(before, after)), "chips", before[:3], after[:3])
    end(page)


def colours(folder, trace):
    """A category has one colour, and no two categories the same; without rules, kernels have those of their owners."""
    glossary = {line.split("\t")[1]: line.split("\t")[2].split("/") for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../share/glossary.tsv"))}
    page = opened(make(folder, trace))
    said = page.js("nsq.colour.list.filter(c => c.kind === 'category').map(c => [c.label, c.light, c.dark])")
    same([[word, *glossary[word]] for word, _, _ in said], said, "owners")
    same(True, {"matmul", "pointwise", "move"} <= {word for word, _, _ in said} or len(said) < 5, said)
    end(page)
    page = opened(make(folder, "--categories", "llm", trace))
    said = page.js("nsq.colour.list.filter(c => c.kind === 'category').map(c => [c.label, c.hex])")
    same(len(said), len({hex_ for _, hex_ in said}), "distinct", said)
    same({r["category"] or "other" for r in tool("nsq-kernels", "--by", "category", "--work", "all", trace)} | {"other"}, {label for label, _ in said}, "categories")
    expected = {r["category"] or "other": r["count"] for r in tool("nsq-kernels", "--by", "category", "--work", "all", trace)}
    actual = page.js("""(() => { const n = {}; for (const t of nsq.traces[0].tracks.filter(t => t.kind === "work")) for (const l of t.lanes)
        for (const c of l.colour) n[nsq.colour.list[c].label] = (n[nsq.colour.list[c].label] ?? 0) + 1; return n; })()""")
    same(expected, actual, "events by category")
    end(page)


def legend(folder, trace):
    """It lists the colours that can be seen, and no others."""
    page = opened(make(folder, "--categories", "llm", trace))
    page.js("nsq.view(0, nsq.length)")
    settle(page)
    said = "[...document.querySelectorAll('#legend > *')].map(e => e.textContent)"
    listed, titles = page.js(said), ("Findings", "Kernels", "Idle", "CUDA calls")
    same(list(titles), [t for t in listed if t in titles], "titles")
    same({r["severity"] for r in tool("nsq-advise", trace)}, set(listed[1:listed.index("Kernels")]), "severities")
    categories = {r["category"] or "other" for r in tool("nsq-kernels", "--by", "category", "--work", "all", trace)}
    same(categories, set(listed[listed.index("Kernels") + 1:listed.index("Idle")]), "categories")
    # one kernel in sight
    page.js("(t => nsq.view(t.lanes[0].start[5] + 1, t.lanes[0].end[5] - 1))(nsq.traces[0].tracks.find(t => t.kind === 'work'))")
    settle(page)
    listed = page.js(said)
    category = page.js("(t => nsq.colour.list[t.lanes[0].colour[5]].label)(nsq.traces[0].tracks.find(t => t.kind === 'work'))")
    listed = listed[listed.index("Kernels") + 1:] + ["Idle"]
    same([category], listed[:next(i for i, t in enumerate(listed) if t in titles)], "one kernel")
    chips = page.js("[...document.querySelectorAll('#legend .chip')].map(e => [getComputedStyle(e).backgroundColor, e.parentElement.textContent])")
    same(True, len(chips) > 0 and all(c != "rgba(0, 0, 0, 0)" for c, _ in chips), chips)
    end(page)


def many(folder, trace, rules):
    """However many categories there are, causes and classes are what they were."""
    page = opened(make(folder, "--categories", rules, trace))
    categories = {r["category"] for r in tool("nsq-kernels", "--by", "category", "--categories", rules, trace)}
    same(categories | {"other"}, set(page.js("nsq.colour.list.filter(c => c.kind === 'category').map(c => c.label)")), "categories")
    first, last = span_of([trace])
    compare(page, first, last, [trace], [])
    kinds = page.js("""nsq.traces[0].tracks.map(t => [t.kind, [...new Set(t.lanes.flatMap(l => [...l.colour]))].map(c => nsq.colour.list[c].kind)])""")
    for kind, of in kinds:
        same([{"work": "category", "calls": "call", "ranges": "range", "projected": "range", "marks": "mark", "os": "os", "findings": "finding"}.get(kind, kind)], sorted(set(of)), kind)
    # a pixel of a thousand events has the colour with the most time, whichever number it has
    said = page.js("""nsq.colour.list.map((_, c) => {
        const n = 1000, start = Float64Array.from({ length: n }, (_, i) => 10 * i), line = new Uint32Array(2), at = i => i % 2 ? c : 0;
        const lane = { start, end: start.map((t, i) => t + (i % 2 ? 8 : 1)), colour: Uint16Array.from(start, (_, i) => at(i)) };
        nsq.raster(lane, 0, 10 * n, line, Array.from({ length: 9 }, () => Uint32Array.from(nsq.colour.list, (_, k) => k)), 8, null);
        return [...line].every(x => x === c);
    })""")
    same([], [i for i, right in enumerate(said) if not right], "pixels")
    end(page)


def hostile(folder, trace):
    """Names from a trace are text, whatever they say."""
    page = opened(make(folder, trace))
    for text in ("</script", "onerror", "^bad", "line"):
        page.js(f"nsq.search({json.dumps(text)}).then(() => {{ nsq.jump(); nsq.select(0, nsq.length); }})")
        settle(page)
        same(True, page.js("nsq.state.found.count > 0"), text)
        same(True, page.js(f"document.getElementById('details').textContent.includes({json.dumps(text.strip('^'))})"), "shown", text)
        page.js("nsq.state.table = true; nsq.choose(nsq.state.chosen)")
        page.until("nsq.copied().includes(%s)" % json.dumps(text.strip("^")))
    same(["undefined", 0, 12], page.js("[typeof hacked, document.querySelectorAll('img, iframe').length, document.scripts.length]"), "nothing runs")
    same("bad\ufffd\ufffdbytes", page.js("nsq.names.find(n => n.startsWith('bad'))"), "invalid UTF-8")
    end(page)


if __name__ == "__main__":
    random.seed(15)
    few = sys.argv[1] == "few"
    check, *about = sys.argv[2 if few else 1:]
    globals()[check](*about)
    if wrong > 20:
        print("and", wrong - 20, "more")
    sys.exit(wrong > 0)
