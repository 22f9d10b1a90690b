"""Traces whose b-trees are wrong: pages.py endless FROM TO TABLE | mutate SEED SECONDS BIN TRACE...

endless: TO is a copy of FROM in which the table has an inner page whose children are all the same page, and so on for six
         levels: more rows than anybody can read, from a file of some kB.  With TABLE sqlite_master, the schema itself.
mutate:  changes pages of the traces at random, asks the tools about them for that long, and prints each run that crashed,
         took over 20 seconds or left a file without its name behind; exits 1 if there was one.  The same seed makes the same files.
"""
import os, random, shutil, sqlite3, struct, subprocess, sys, tempfile, time

LEVELS = 6
MODES = [line.split() for line in """setup --facts
window --pick all
kernels --by nvtx
kernels -w 5ms..20ms
nvtx --tree
gaps --by cause --each
stalls
nccl --each
api --launch
mem --usage
mem --by kind,call
metrics --by stage
threads --stacks
ledger
advise
find .
slice
slice --check
slice -w 5ms..20ms -o OUT.sqlite
export -o OUT.json
sql --schema
sql --timeout 5 select(count(*)),sum(length(x.name))from(kernels)x""".splitlines()]


def size_of(data):
    size = struct.unpack(">H", data[16:18])[0]
    return 65536 if size == 1 else size


def inner(size, child, offset=0):
    """An inner page of a table that names its child as often as it can; its header begins at the offset."""
    n = (size - 12 - offset) // 7
    cells = struct.pack(">IB", child, 0x7f) * n
    at = size - len(cells)
    head = struct.pack(">BHHHBI", 5, 0, n, at, 0, child) + b"".join(struct.pack(">H", at + 5 * i) for i in range(n))
    return head + bytes(at - offset - len(head)) + cells


def endless(source, to, table):
    shutil.copyfile(source, to)
    c = sqlite3.connect(to)
    root = 1 if table == "sqlite_master" else c.execute("select rootpage from sqlite_master where name = ?", (table,)).fetchone()[0]
    c.close()
    data = bytearray(open(to, "rb").read())
    size, first = size_of(data), 100 if root == 1 else 0
    pages, leaf = len(data) // size, bytes(data[(root - 1) * size:root * size])
    data[(root - 1) * size + first:root * size] = inner(size, pages + 1, first)
    for i in range(1, LEVELS):
        data += inner(size, pages + 1 + i)
    if first:                           # the first page has less room: its header goes before its cells
        n = struct.unpack(">H", leaf[103:105])[0]
        leaf = leaf[100:108 + 2 * n] + bytes(100) + leaf[108 + 2 * n:]
    data += leaf
    data[28:32] = struct.pack(">I", len(data) // size)
    data[24:28] = data[92:96]
    open(to, "wb").write(data)


def change(r, d, size):
    """Change one thing of a page; what does not fit the page that is drawn changes nothing."""
    pages = len(d) // size
    for _ in range(20):                 # prefer pages of b-trees
        p = r.randrange(pages)
        o, h = p * size, p * size + (100 if p == 0 else 0)
        if d[h] in (2, 5, 10, 13):
            break
    n, head = struct.unpack(">H", d[h + 3:h + 5])[0], 12 if d[h] in (2, 5) else 8
    pointer = h + head + 2 * r.randrange(max(1, min(n, size // 4)))
    cell = o + struct.unpack(">H", (d[pointer:pointer + 2] + b"\0\0")[:2])[0]
    page = r.choice([0, 1, p + 1, pages, pages + 1, 0xffffffff, r.randrange(pages) + 1])

    def put(at, form, value):
        if at + struct.calcsize(form) <= len(d):
            struct.pack_into(form, d, at, value)

    what = r.choice("byte pointer cells type child cell varint swap copy cut head zero free".split())
    if what == "byte":
        d[r.randrange(len(d))] = r.randrange(256)
    elif what == "pointer":
        put(pointer, ">H", r.choice([0, 1, head, size - 1, 65535, r.randrange(65536)]))
    elif what == "cells":
        put(h + 3, ">H", r.choice([0, 1, n + 1 & 65535, 65535, r.randrange(65536)]))
    elif what == "type":
        d[h] = r.choice([0, 2, 5, 10, 13, 255])
    elif what == "child":
        put(r.choice([h + 8, cell]), ">I", page)
    elif what == "cell":
        put(cell + r.randrange(16), ">B", r.randrange(256))
    elif what == "varint":
        v = r.choice([b"\xff" * 9, b"\xff\xff\xff\xff\x7f", b"\x81\0", b"\x83\xff\x7f", b"\x90\x80\x80\0", b"\0"])
        at = cell + r.randrange(20)
        d[at:at + len(v)] = v[:max(0, len(d) - at)]
    elif what in ("swap", "copy") and p and pages > 2:
        q = r.randrange(1, pages)
        mine, other = bytes(d[o:o + size]), bytes(d[q * size:(q + 1) * size])
        d[q * size:(q + 1) * size] = mine
        d[o:o + size] = other if what == "swap" else mine
    elif what == "cut" and pages > 4:
        del d[r.randrange(3, pages) * size:]
        put(28, ">I", len(d) // size)
    elif what == "head":
        d[r.choice([16, 17, 18, 19, 20, 21, 28, 31, 44, 47, 56, 59])] = r.randrange(256)
    elif what == "zero":
        at = r.randrange(len(d) - 64)
        d[at:at + 64] = bytes(64)
    elif what == "free":
        put(h + r.choice([1, 5]), ">H", r.randrange(65536))


def mutate(seed, seconds, tools, traces):
    r = random.Random(seed)
    whole = [open(t, "rb").read() for t in traces]
    until, runs, bad = time.time() + seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "t.sqlite")
        while time.time() < until:
            data = bytearray(r.choice(whole))
            size = size_of(data)
            for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
                change(r, data, size)
            open(trace, "wb").write(data)
            for mode in r.sample(MODES, 3):
                args = [a.replace("OUT", folder + "/out") for a in mode]
                try:
                    p = subprocess.run([os.path.join(tools, "nsq-" + args[0]), *args[1:], trace], capture_output=True, timeout=20)
                    rc, err = p.returncode, p.stderr
                except subprocess.TimeoutExpired:
                    rc, err = "over 20 s", b""
                runs += 1
                left = set(os.listdir(folder)) - {"t.sqlite"}
                wrong = rc not in (0, 1, 2, 3) or b"AddressSanitizer" in err or b"runtime error" in err or \
                    any(not n.startswith("out.") for n in left)
                if wrong:
                    bad += 1
                    kept = f"bad-{seed}-{bad}.sqlite"
                    shutil.copyfile(trace, kept)
                    print(kept, " ".join(mode), rc, sorted(left), err.decode(errors="replace")[-300:], flush=True)
                for n in left:
                    os.unlink(os.path.join(folder, n))
    print(runs, "runs,", bad, "bad")
    return bad > 0


if sys.argv[1] == "endless":
    endless(*sys.argv[2:5])
else:
    sys.exit(mutate(int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5:]))
