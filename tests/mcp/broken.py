"""broken.py SEED N COMMAND...: send a server N lines that are broken in some way, and a ping after every tenth, which it must
answer.  Every line that it writes must be a message."""
import json, queue, random, subprocess, sys, threading

seed, n, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
draw = random.Random(seed)

def message(**params):
    return {"jsonrpc": "2.0", "id": draw.choice([1, "a", 1.5, -1, 2**70, "\u00e9", None, [], {}]),
            "method": draw.choice(["ping", "tools/list", "tools/call", "initialize", "server/discover", "x", "", 3,
                                   "notifications/cancelled"]), "params": params}

def odd():
    return draw.choice([None, True, 0, -1, 1e308, "", "r1", "r99999999999999999999", "..", "/", "\n", "a\nb\n", "x" * 5000, [], {},
                        [[]], [None], ["run.sqlite"], {"a": {"b": []}}, "\ud800", "\x7f\x1b[2J", "%s%n", "--", "-", "run.sqlite"])

KEYS = ["name", "arguments", "cursor", "protocolVersion", "_meta", "requestId"]
ARGUMENTS = ["traces", "windows", "tables", "by", "rows", "each", "output", "query", "expr", "regex", "max_bytes", "format", "wall",
             "categories", "topic", "name", "", "a=b", "-w", "pid"]
TOOLS = ["nsq_setup", "nsq_sql", "nsq_gate", "nsq_plot", "nsq_help", "nsq_recipe", "nsq_traces", "nsq_find", "nsq_report", "nsq_", "x"]

def line():
    kind = draw.randrange(8)
    if kind == 0:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(40)))
    if kind == 1:
        return b"[" * draw.choice([1, 10, 1000, 100000]) + b"]" * draw.choice([0, 1, 1000])
    m = message(**{k: odd() for k in draw.sample(KEYS, 3)})
    if kind == 2 and draw.random() < 0.3:               # a call, with arguments that are hardly any; mostly refused at once
        m = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": draw.choice(TOOLS), "arguments": {k: odd() for k in draw.sample(ARGUMENTS, draw.randrange(4))}}}
    if kind == 3:
        m = [m] * draw.randrange(4)             # which is no message
    text = bytearray(json.dumps(m, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass"))
    for _ in range(draw.choice([0, 0, 1, 3])):
        at = draw.randrange(len(text))
        what = draw.randrange(3)
        if what == 0:
            text[at] = draw.randrange(256)
        elif what == 1:
            del text[at:at + draw.randrange(1, 20)]
        else:
            text[at:at] = draw.choice([b"\\u0000", b"\0", b"\\", b'"', b"\xff", b"\xed\xa0\x80", b"{" * 50, b"1e999"])
        text = text or bytearray(b" ")
    return bytes(text) + draw.choice([b"", b"\r", b"  "])

server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
answers = queue.SimpleQueue()           # read as they come: a server whose answers nobody reads reads nothing either

def read():
    for answer in server.stdout:
        answers.put(answer)
    answers.put(b"")

threading.Thread(target=read, daemon=True).start()

def ping(i):
    server.stdin.write(b'{"jsonrpc":"2.0","id":"ping %d","method":"ping"}\n' % i)
    server.stdin.flush()
    while True:
        answer = answers.get()
        if not answer:
            sys.exit(f"seed {seed}: the server ended at line {i} with {server.wait()}")
        found = json.loads(answer.decode("utf-8"))
        for one in found if isinstance(found, list) else [found]:
            assert one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one), answer
        if isinstance(found, dict) and found["id"] == f"ping {i}":
            return

for i in range(n):
    for part in line().split(b"\n"):
        server.stdin.write(part + b"\n")
    if i % 10 == 0:
        ping(i)
server.stdin.write(b'"' + b"x" * (17 << 20) + b'"\n')
ping(n)
server.stdin.close()
while answers.get():
    pass
sys.exit(server.wait(30))
