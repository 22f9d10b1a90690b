"""Damaged and hostile files for nsq-import, and what it should do with each.

    hostile.py FOLDER       writes them there, and list.tsv: file, exit code, kernels imported, what stderr says
"""
import gzip
import json
import os
import sys

from made import event, kernel, launch, whole

ONE = [launch(10, 5, 1), kernel("k", 20, 10, 1)]
TEXT = json.dumps(whole(ONE + [launch(40, 5, 2), kernel("k2", 50, 10, 2)]), indent=1).encode()
PLAIN = json.dumps(whole(ONE)).encode()


def raw(*events):
    """Events as they are, besides two whole ones."""
    return b'{"schemaVersion": 1, "traceEvents": [' + b", ".join([json.dumps(e).encode() for e in ONE] + list(events)) + b"]}"


def one(fields):
    return b'{"ph": "X", "cat": "kernel", "name": "x", "pid": 0, "tid": 7, "ts": 60, "dur": 1, "args": {"device": 0, "stream": 7}' + fields + b"}"


def timed(ts, dur):
    return b'{"ph": "X", "cat": "kernel", "name": "x", "pid": 0, "tid": 7, "ts": %s, "dur": %s, "args": {"device": 0, "stream": 7}}' % (ts, dur)


def named(name):
    return b'{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7, "ts": 60, "dur": 1, "args": {"device": 0, "stream": 7}}' % name


PACKED = gzip.compress(TEXT, mtime=0)
BROKEN = bytearray(gzip.compress(b" " * 100000 + json.dumps(whole(ONE * 4000)).encode(), mtime=0))
BROKEN[len(BROKEN) // 2:len(BROKEN) // 2 + 64] = b"\xff" * 64

# name, bytes, exit code, kernels (- if none is written), stderr
CASES = [
    ("whole", TEXT, 0, 2, ""),
    ("whole.gz", PACKED, 0, 2, ""),
    ("two.gz", gzip.compress(TEXT[:300]) + gzip.compress(TEXT[300:]), 0, 2, ""),
    ("mark", b"\xef\xbb\xbf" + TEXT, 0, 2, ""),
    ("cut", TEXT[:TEXT.rindex(b'"k2"')], 0, 1, "is cut off at byte"),
    ("cut-between", TEXT[:TEXT.rindex(b"]") - 2], 0, 2, "is cut off at byte"),
    ("cut-in-text", TEXT[:TEXT.rindex(b"k2")], 0, 1, "the 3 events before are imported"),
    ("cut.gz", gzip.compress(os.urandom(0) + json.dumps(whole(ONE * 4000)).encode(), mtime=0)[:-400], 0, None, "is cut off at byte"),
    ("broken.gz", bytes(BROKEN), 0, None, "at byte"),
    ("tail", TEXT[:-1] + b"] garbage", 0, 2, "is damaged at byte"),
    ("no-commas", PLAIN.replace(b"}, {", b"} {"), 0, 1, ""),
    ("empty-list", b'{"traceEvents": []}', 1, None, "is no trace of torch.profiler"),
    ("cut-early", b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ca', 1, None, "no event can be read"),
    ("chrome", b'{"traceEvents": [{"ph": "X", "cat": "v8", "name": "x", "ts": 1, "dur": 1, "pid": 1, "tid": 1}]}', 1, None, "is no trace of torch.profiler"),
    ("array", b'[{"ph": "X", "cat": "kernel", "name": "x", "ts": 1, "dur": 1}]', 1, None, "is no trace of torch.profiler"),
    ("object", b'{"a": 1}', 1, None, "is no trace of torch.profiler"),
    ("not-a-list", b'{"traceEvents": {"ph": "X"}}', 1, None, "is no trace of torch.profiler"),
    ("nothing", b"", 1, None, "is no trace of torch.profiler"),
    ("binary", bytes(range(256)) * 10, 1, None, "is no trace of torch.profiler"),
    ("cpu-only", json.dumps(whole([event("cpu_op", "aten::add", 1, 2), event("user_annotation", "step", 1, 5)])).encode(), 3, None,
     "has no GPU work, only 1 operators and 1 ranges"),
    ("deep", raw(one(b', "x": ' + b"[" * 100000 + b"]" * 100000)), 0, 1, "unreadable events left out: 1"),
    ("deep-objects", raw(one(b', "x": ' + b'{"a":' * 100000 + b"1" + b"}" * 100000)), 0, 1, "unreadable events left out: 1"),
    ("deep-member", b'{"x": ' + b"[" * 3000000 + b"]" * 3000000 + b', "traceEvents": [' + json.dumps(ONE)[1:-1].encode() + b"]}", 0, 1, None),
    ("unclosed", b'{"traceEvents": [' + json.dumps(ONE)[1:-1].encode() + b", " + b"[" * 1000000, 0, 1, "is cut off at byte"),
    ("long-name", raw(named(b"x" * 1000000)), 0, 2, ""),
    ("too-long", raw(named(b"x" * (17 << 20)), one(b"")), 0, 2, "unreadable events left out: 1"),
    ("nan", raw(one(b', "y": NaN, "z": -Infinity, "w": inf')), 0, 2, ""),
    ("nan-time", raw(timed(b"NaN", b"1"), timed(b"1", b"inf")), 0, 1, "events with impossible times left out: 2"),
    ("negative", raw(timed(b"-5", b"1"), timed(b"70", b"-1")), 0, 1, "events with impossible times left out: 2"),
    ("huge", raw(timed(b"1e300", b"1"), timed(b"9" * 400, b"1"), timed(b"70", b"9223372036854775807")), 0, 1, "events with impossible times left out: 3"),
    ("exponent", raw(timed(b"7e1", b"1.5E0")), 0, 2, ""),
    ("text-times", raw(timed(b'"70.5"', b'"1"')), 0, 2, ""),
    ("no-times", raw(b'{"ph": "X", "cat": "kernel", "name": "x", "pid": 0, "tid": 7}'), 0, 1, "events with impossible times left out: 1"),
    ("odd-types", raw(b'{"ph": "X", "cat": "kernel", "name": ["x"], "pid": {}, "tid": null, "ts": 60, "dur": 1, "args": [1]}', b"17", b"null", b'"kernel"',
                      b'{"ph": "X", "cat": "gpu_memcpy", "name": 5, "pid": "", "tid": "a/b", "ts": 61, "args": {"bytes": -1e30, "device": "x"}}'), 0, 2, None),
    ("big-numbers", raw(one(b', "args": {"device": 9223372036854775807, "stream": -9223372036854775808, "correlation": 1e300, '
                            b'"grid": [1e9, "x", 18446744073709551616], "context": 99999999999999999999}')), 0, 1, "unreadable events left out: 1"),
    ("twice", raw(one(b', "ts": 70, "name": "y", "cat": "kernel"')), 0, 2, ""),
    ("two-lists", PLAIN[:-1] + b', "traceEvents": [' + json.dumps(kernel("z", 70, 1, 9)).encode() + b"]}", 0, 2, ""),
    ("utf8", raw(named("µ\u2028\u202e😀".encode()), named(b"\xff\xfe\xc0\x80\xed\xa0\x80"), named(b"a\x01\x1b[31mb\nc"), named(b"\xe2\x82")), 0, 5, ""),
    ("escapes", raw(named(b"a\\nb\\u0000c\\t\\ud83d\\ude00"), named(b"\\ud800"), named(b"\\q")), 0, 2, "unreadable events left out: 2"),
    ("two-unreadable", raw(named(b"\\q"), named(b"x" * (17 << 20))), 0, 1, f"left out: 2, the first at byte {raw(b'').index(b'}, ]') + 3}"),
    ("sql", raw(named(b"'; DROP TABLE StringIds; --"), named(b'\\"; .quit')), 0, 3, ""),
    ("many-threads", raw(*[json.dumps(launch(i, 1, i, call="c") | {"pid": i * 70000001, "tid": -i}).encode() for i in range(3000)]), 0, 1, ""),
    ("many-gpus", b'{"deviceProperties": [' + b", ".join([b'{"id": 1}'] * 100000) + b"], " + PLAIN[1:], 0, 1, ""),
    ("long-list", raw(one(b', "x": [' + b"0," * 1500000 + b"0]")), 0, 2, ""),
    ("syncs", raw(*[b'{"ph": "X", "cat": "cuda_sync", "name": %s, "pid": 0, "tid": -1, "ts": 60, "dur": 1, "args": {"stream": %s, "correlation": %s, '
                    b'"wait_on_stream": %s, "wait_on_cuda_event_record_corr_id": %s, "wait_on_cuda_event_id": %s}}' % v for v in (
                        (b'"Event Sync"', b"-1", b"1", b"-1", b"-1", b"9"), (b"7", b"-9223372036854775808", b"-1", b"1e30", b"1", b"null"),
                        (b'"Stream Wait Event"', b"7", b"1", b"7", b"1", b"2"), (b'"Stream Wait Event"', b"7", b"1", b"7", b"1", b"2"))]), 0, 1, ""),
    ("base", b'{"baseTimeNanoseconds": 99999999999999999999999, "distributedInfo": {"rank": 1e99}, "deviceProperties": "x", ' + PLAIN[1:], 0, 1, ""),
    ("gpus", b'{"deviceProperties": [1, null, {"id": "x", "name": 7, "warpSize": 0, "maxThreadsPerMultiprocessor": 1}], ' + PLAIN[1:], 0, 1, ""),
    ("long-key", b'{"' + b"k" * 5000000 + b'": 1, ' + PLAIN[1:], 0, 1, None),
]

if __name__ == "__main__":
    with open(os.path.join(sys.argv[1], "list.tsv"), "w", encoding="utf-8") as index:
        for name, data, code, kernels, words in CASES:
            name = name.replace(".gz", ".json.gz") if name.endswith(".gz") else name + ".json"
            with open(os.path.join(sys.argv[1], name), "wb") as f:
                f.write(data)
            index.write(f"{name}\t{code}\t{'-' if kernels is None else kernels}\t{words if words else '-' if words is None else ''}\n")
