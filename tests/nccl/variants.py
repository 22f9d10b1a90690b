#!/usr/bin/env python3
"""Altered copies of traces, for trying nsq-nccl on what does not fit.

    variants.py NAME [--which I] [--count K] [--ns N] [--at BYTES] [--op RANGE] SRC... OUTDIR

Every SRC is copied to OUTDIR under its own name; of those, --which (from 0, default 1) is altered unless NAME says
that all are.  variants.py without arguments lists the names.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from oracle.nccl import read_payload  # noqa: E402
from oracle.trace import Trace  # noqa: E402

SIZES = {5: 4, 6: 4, 15: 4, 16: 4, 17: 8, 18: 8, 22: 8}     # other types (enums): 4
VARIANTS = {}


def variant(f):
    VARIANTS[f.__name__.replace("_", "-")] = f
    return f


def opened(path):
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    db.row_factory = sqlite3.Row
    return db


def nccl_ranges(db):
    """The ranges of NCCL's domain from time 0 on, by start: rowid, start, end, name, globalTid, binaryData."""
    return db.execute("""SELECT e.rowid AS id, e.start, e.end, coalesce(e.text, s.value) AS name, e.globalTid,
        e.binaryData FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId
        WHERE e.eventType = 59 AND e.start >= 0 AND EXISTS (SELECT 1 FROM NVTX_EVENTS d WHERE d.eventType = 75
        AND d.text = 'NCCL' AND d.domainId = e.domainId AND d.globalTid >> 24 = e.globalTid >> 24)
        ORDER BY e.start""").fetchall()


def comm_kernels(db):
    """Communication kernels in order of launch: id, start, end, call (rowid), launch, tid and their innermost range."""
    rows = db.execute("""SELECT k.rowid AS id, k.start, k.end, r.rowid AS call, r.start AS launch, r.end AS launched,
        r.globalTid FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
        AND r.globalTid >> 24 = k.globalPid >> 24 WHERE s.value LIKE 'nccl%' ORDER BY r.start""").fetchall()
    ranges, out = nccl_ranges(db), []
    for k in rows:
        around = [r for r in ranges if r["globalTid"] == k["globalTid"] and r["start"] <= k["launch"] < r["end"]]
        out.append((k, around[-1] if around else None))
    return out


def delete(db, table, ids):
    db.executemany("DELETE FROM %s WHERE rowid = ?" % table, [(i,) for i in ids])


def drop_operations(db, gone):
    """Takes kernels (as of comm_kernels) with their calls; gone(start, end) says which NCCL ranges go with them."""
    kernels = [k for k, r in comm_kernels(db) if r and gone(r["start"], r["end"])]
    delete(db, "CUPTI_ACTIVITY_KIND_KERNEL", [k["id"] for k in kernels])
    delete(db, "CUPTI_ACTIVITY_KIND_RUNTIME", [k["call"] for k in kernels])
    delete(db, "NVTX_EVENTS", [r["id"] for r in nccl_ranges(db) if gone(r["start"], r["end"])])


def rewrite_payloads(db, change, name=None):
    """change(schema, payload) -> (schema, payload) of every NCCL range, or of those with that name."""
    for r in nccl_ranges(db):
        if r["binaryData"] is None or name and r["name"] != name:
            continue
        blob = r["binaryData"]
        count, schema, size, at = struct.unpack_from("<4Q", blob)
        new_schema, payload = change(schema, blob[at:at + size])
        db.execute("UPDATE NVTX_EVENTS SET binaryData = ? WHERE rowid = ?",
                   (struct.pack("<4Q", count, new_schema, len(payload), 32) + payload, r["id"]))


def schema_of(db, name):
    return next(struct.unpack_from("<4Q", r["binaryData"])[1] for r in nccl_ranges(db)
                if r["name"] == name and r["binaryData"] is not None)


# ------------------------------------------------------------------------------------------------ one trace

@variant
def plain(db, o):
    """nothing: copies that can be written to"""


@variant
def moved(db, o):
    """utcEpochNs is --ns (5 ms) too late"""
    db.execute("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + ?", (o.ns,))


@variant
def no_start_time(db, o):
    """without the table that holds utcEpochNs"""
    db.execute("DROP TABLE TARGET_INFO_SESSION_START_TIME")


@variant
def cut_first(db, o):
    """without its first --count operations: kernels, calls and ranges"""
    until = comm_kernels(db)[o.count - 1][1]["end"]
    drop_operations(db, lambda start, end: end <= until)


@variant
def cut_last(db, o):
    """without its last --count operations"""
    since = comm_kernels(db)[-o.count - 1][1]["end"]
    drop_operations(db, lambda start, end: start >= since)


@variant
def cut_middle(db, o):
    """without one operation, number --count: as if it had been lost"""
    kernels = comm_kernels(db)
    since, until = kernels[o.count - 1][1]["end"], kernels[o.count][1]["end"]
    drop_operations(db, lambda start, end: start >= since and end <= until)


@variant
def sizes_altered(db, o):
    """the message size of every third --op (ncclAllReduce) is doubled: no shift fits"""
    n = [0]

    def change(schema, payload):
        n[0] += 1
        if n[0] % 3:
            return schema, payload
        return schema, payload[:8] + struct.pack("<Q", 2 * struct.unpack_from("<Q", payload, 8)[0]) + payload[16:]
    rewrite_payloads(db, change, o.op)


@variant
def payload_short(db, o):
    """the payloads of --op end after --at bytes (12: the communicator is there, the size is not; 4: neither)"""
    for r in nccl_ranges(db):
        if r["name"] == o.op and r["binaryData"] is not None:
            db.execute("UPDATE NVTX_EVENTS SET binaryData = ? WHERE rowid = ?", (r["binaryData"][:32 + o.at], r["id"]))


@variant
def header_short(db, o):
    """the payloads of --op end inside their header, after --at bytes"""
    for r in nccl_ranges(db):
        if r["name"] == o.op and r["binaryData"] is not None:
            db.execute("UPDATE NVTX_EVENTS SET binaryData = ? WHERE rowid = ?", (r["binaryData"][:o.at], r["id"]))


@variant
def no_schema(db, o):
    """the schema of --op is not in the trace"""
    for table in ("NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"):
        db.execute("DELETE FROM %s WHERE schemaId = ?" % table, (schema_of(db, o.op),))


@variant
def no_schemas(db, o):
    """without the tables of schemas"""
    for table in ("NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"):
        db.execute("DROP TABLE " + table)


@variant
def schema_disagrees(db, o):
    """the schema of --op has two entries 1 that disagree"""
    db.execute("""INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, type, name, offset)
        SELECT DISTINCT domainId, schemaId, idx, 5, name, 16 FROM NVTX_PAYLOAD_SCHEMA_ENTRIES
        WHERE schemaId = ? AND idx = 1""", (schema_of(db, o.op),))


@variant
def schema_repeated(db, o):
    """every entry stands there twice, in agreement"""
    db.execute("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES SELECT * FROM NVTX_PAYLOAD_SCHEMA_ENTRIES")


@variant
def fields_reordered(db, o):
    """schemas and payloads list their fields the other way round, under other schema ids"""
    layout = {}
    for schema, in db.execute("SELECT DISTINCT schemaId FROM NVTX_PAYLOAD_SCHEMA_ENTRIES").fetchall():
        fields = db.execute("""SELECT DISTINCT idx, type, coalesce(offset, 0) AS at FROM NVTX_PAYLOAD_SCHEMA_ENTRIES
            WHERE schemaId = ? ORDER BY idx DESC""", (schema,)).fetchall()
        at, moves = 0, []
        for idx, (old_idx, kind, old_at) in enumerate(fields):
            size = SIZES.get(kind, 4)
            at = (at + size - 1) // size * size
            moves.append((old_idx, idx, old_at, at, size))
            at += size
        layout[schema] = (moves, (at + 7) // 8 * 8)
    for schema, (moves, size) in layout.items():
        for old_idx, idx, old_at, at, _ in moves:
            db.execute("""UPDATE NVTX_PAYLOAD_SCHEMA_ENTRIES SET idx = ?, offset = ?, schemaId = ?
                WHERE schemaId = ? AND idx = ?""", (idx, at or None, schema + 500, schema, old_idx))
        db.execute("UPDATE NVTX_PAYLOAD_SCHEMAS SET schemaId = ?, payloadSize = ? WHERE schemaId = ?",
                   (schema + 500, size, schema))

    def change(schema, payload):
        moves, size = layout[schema]
        out = bytearray(size)
        for _, _, old_at, at, n in moves:
            out[at:at + n] = payload[old_at:old_at + n]
        return schema + 500, bytes(out)
    rewrite_payloads(db, change)


@variant
def graph(db, o):
    """its last --count operations are nodes of CUDA graphs: launched by cudaGraphLaunch, in no NCCL range"""
    db.execute("INSERT INTO StringIds VALUES (900000, 'cudaGraphLaunch_v10000')")
    kernels = comm_kernels(db)
    since = kernels[-o.count - 1][1]["end"]
    for n, (k, r) in enumerate(kernels[-o.count:]):
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 900000 WHERE rowid = ?", (k["call"],))
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = ? WHERE rowid = ?", (1000 + n, k["id"]))
    delete(db, "NVTX_EVENTS", [r["id"] for r in nccl_ranges(db) if r["start"] >= since])


# ------------------------------------------------------------------------------------------------ all traces

def for_all(f):
    f.all = True
    return f


@variant
@for_all
def hosts(db, o):
    """every trace (all) names another host"""
    db.execute("UPDATE TARGET_INFO_SYSTEM_ENV SET value = ? WHERE name = 'Hostname'", ("host%d" % o.index,))


@variant
@for_all
def hosts_moved(db, o):
    """every trace (all) names another host, and --which is --ns too late"""
    hosts(db, o)
    if o.index == o.which:
        moved(db, o)


@variant
@for_all
def two_comms(db, o):
    """the receives of a group (all) are on a communicator of their own"""
    rewrite_payloads(db, lambda schema, payload: (schema, struct.pack("<Q", 0x1234) + payload[8:]), "ncclRecv")


@variant
@for_all
def several_kernels(db, o):
    """operations that are a group already and all of --op, which become one, (all) have two kernels"""
    names = {value: id for id, value in db.execute("SELECT id, value FROM StringIds")}
    corr = db.execute("SELECT max(correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()[0]
    for k, r in comm_kernels(db):
        if r is None or r["name"] not in (o.op, "ncclGroupEnd"):
            continue
        if r["name"] == o.op:
            db.execute("UPDATE NVTX_EVENTS SET end = ? WHERE rowid = ?", (k["launch"] - 20, r["id"]))
            for name, start, end in (("ncclGroupStart", r["start"] - 10, r["start"] - 5),
                                     ("ncclGroupEnd", k["launch"] - 10, r["end"])):
                insert_like(db, "NVTX_EVENTS", r["id"], start=start, end=end, textId=names[name], binaryData=None)
        corr += 1
        middle = (k["start"] + k["end"]) // 2
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = ? WHERE rowid = ?", (middle, k["id"]))
        insert_like(db, "CUPTI_ACTIVITY_KIND_KERNEL", k["id"], start=middle, end=k["end"], correlationId=corr)
        insert_like(db, "CUPTI_ACTIVITY_KIND_RUNTIME", k["call"], start=k["launched"], end=k["launched"] + 100,
                    correlationId=corr)


def insert_like(db, table, rowid, **changed):
    row = dict(db.execute("SELECT * FROM %s WHERE rowid = ?" % table, (rowid,)).fetchone(), **changed)
    db.execute("INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join('"%s"' % c for c in row), ", ".join("?" * len(row))),
               list(row.values()))


@variant
@for_all
def shuffled(db, o):
    """the rows of every table (all) stand in another order"""
    chance = random.Random(o.index)
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMAS",
                  "NVTX_PAYLOAD_SCHEMA_ENTRIES", "TARGET_INFO_SYSTEM_ENV", "PROCESSES"):
        rows = [tuple(r) for r in db.execute("SELECT * FROM " + table)]
        chance.shuffle(rows)
        db.execute("DELETE FROM " + table)
        if rows:
            db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(rows[0]))), rows)


@variant
@for_all
def no_labels(db, o):
    """no process (all) says which rank it is"""
    db.execute("DELETE FROM NVTX_EVENTS WHERE text LIKE 'rank=%'")


@variant
@for_all
def no_payloads(db, o):
    """no range (all) has a payload"""
    db.execute("UPDATE NVTX_EVENTS SET binaryData = NULL")


@variant
@for_all
def default_domain(db, o):
    """NCCL's domain (all) is the default one, and the other way round"""
    for table in "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES":
        db.execute("UPDATE %s SET domainId = 1 - domainId WHERE domainId IN (0, 1)" % table)


@variant
@for_all
def json_texts(db, o):
    """payloads (all) are JSON, as nsys 2026 writes them: every third a registered string; odd ids are in quotes"""
    schemas = Trace(db).payload_schemas
    rows = db.execute("""SELECT rowid AS id, domainId, binaryData FROM NVTX_EVENTS WHERE binaryData NOT NULL""").fetchall()
    first = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone()[0]
    for i, row in enumerate(rows):
        fields = read_payload(row["binaryData"], schemas, row["domainId"])
        text = json.dumps({k: hex(v) if k.endswith("ID") and v % 2 else v for k, v in fields.items()})
        if i % 3:
            db.execute("UPDATE NVTX_EVENTS SET binaryData = NULL, jsonText = ? WHERE rowid = ?", (text, row["id"]))
        else:
            db.execute("INSERT INTO StringIds VALUES (?, ?)", (first + i, text))
            db.execute("UPDATE NVTX_EVENTS SET binaryData = NULL, jsonTextId = ? WHERE rowid = ?", (first + i, row["id"]))
    db.execute("DELETE FROM NVTX_PAYLOAD_SCHEMA_ENTRIES")


@variant
def json_cut(db, o):
    """the JSON (of json-texts) of one trace ends too early"""
    json_texts(db, o)
    db.execute("UPDATE NVTX_EVENTS SET jsonText = substr(jsonText, 1, length(jsonText) - 1)")


@variant
@for_all
def smaller(db, o):
    """without the tables (all) that nsq has no use for here"""
    for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table.startswith(("ENUM_", "ANALYSIS_", "META_DATA_CAPTURE", "PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_SYNC",
                             "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "NVTX_PAYLOAD_ENUM", "ProcessStreams")):
            db.execute('DROP TABLE "%s"' % table)


# ------------------------------------------------------------------------------------------------ sets of traces

def merge(sources, out):
    """one trace, merged.sqlite, with the processes of all, on the clock of the first"""
    target = os.path.join(out, "merged.sqlite")
    shutil.copyfile(sources[0], target)
    os.chmod(target, 0o644)
    db = opened(target)
    utc = "SELECT utcEpochNs FROM %sTARGET_INFO_SESSION_START_TIME"
    for n, source in enumerate(sources[1:], 1):
        db.execute("ATTACH ? AS other", (source,))
        later = db.execute(utc % "other.").fetchone()[0] - db.execute(utc % "main.").fetchone()[0]
        base = n * 10000000
        db.execute("INSERT INTO main.StringIds SELECT id + ?, value FROM other.StringIds", (base,))
        for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "PROCESSES", "ThreadNames",
                      "NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES", "TARGET_INFO_CUDA_CONTEXT_INFO"):
            columns = [r[1] for r in db.execute("PRAGMA main.table_info(%s)" % table)]
            chosen = []
            for c in columns:
                if c in ("start", "end") and table != "PROCESSES":
                    chosen.append('"%s" + %d' % (c, later))
                elif c in ("shortName", "demangledName", "mangledName", "nameId", "textId"):
                    chosen.append('"%s" + %d' % (c, base))
                else:
                    chosen.append('"%s"' % c)
            db.execute("INSERT INTO main.%s SELECT %s FROM other.%s" % (table, ", ".join(chosen), table))
        db.commit()
        db.execute("DETACH other")
    db.close()


def main():
    a = argparse.ArgumentParser(epilog="; ".join("%s: %s" % (n, f.__doc__) for n, f in VARIANTS.items()) +
                                "; leave-out: without --which; merge: " + merge.__doc__)
    a.add_argument("name", choices=list(VARIANTS) + ["leave-out", "merge"])
    a.add_argument("--which", type=int, default=1)
    a.add_argument("--count", type=int, default=5)
    a.add_argument("--ns", type=int, default=5000000)
    a.add_argument("--at", type=int, default=12)
    a.add_argument("--op", default="ncclAllReduce")
    a.add_argument("sources", nargs="+")
    a.add_argument("out")
    o = a.parse_args(sys.argv[1:] or ["-h"])
    os.makedirs(o.out, exist_ok=True)
    if o.name == "merge":
        return merge(o.sources, o.out)
    o.which %= len(o.sources)
    for o.index, source in enumerate(o.sources):
        if o.name == "leave-out" and o.index == o.which:
            continue
        target = os.path.join(o.out, os.path.basename(source))
        shutil.copyfile(source, target)
        os.chmod(target, 0o644)
        f = VARIANTS.get(o.name)
        if f and (o.index == o.which or hasattr(f, "all")):
            db = opened(target)
            f(db, o)
            db.commit()
            if o.name == "smaller":
                db.execute("VACUUM")
            db.close()


main()
