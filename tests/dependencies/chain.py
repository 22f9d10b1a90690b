#!/usr/bin/env python3
"""Makes a small trace from a few lines, for tests of who waited for whom:

    chain.py OUT.sqlite < lines

    pid N                                   what follows is of process N (5)
    call TID NAME START END ID              an API call; ID is its correlation id
    kernel STREAM NAME START END ID [node=N] [gpu=N] [ctx=N]
    copy STREAM START END ID [kind=N] [src=N] [dst=N] [node=N] [gpu=N] [ctx=N]
    set STREAM START END ID
    graph STREAM GRAPH START END ID         a whole graph
    record STREAM ID SYNC                   an event recorded by call ID; SYNC is its eventSyncId
    wait STREAM ID SYNC                     a stream told to wait by call ID
    sync STREAM ID                          the row of a stream synchronization
    await ID SYNC                           that of an event synchronization
    range TID NAME START END                a push/pop range
    rank TID N START                        a setup label
    nccl TID OP COMM START END [peer=N]     a range of NCCL: ncclAllReduce, ncclSend ..., on communicator COMM
    utc N                                   when the capture began
    # ...                                   a comment

ID - is none.  The names of calls get a version, as nsys writes them.
"""
import os
import sqlite3
import sys

NONE = 4294967295
TABLES = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,
    globalPid INTEGER, eventId INTEGER, eventSyncId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
    streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER, eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER,
    domainId INTEGER, binaryData TEXT);
"""
PAYLOADS = """
CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER,
    numEntries INTEGER, payloadSize INTEGER, alignTo INTEGER);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL,
    flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
"""


def main():
    db = sqlite3.connect(sys.argv[1])
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA journal_mode = OFF")
    db.executescript(TABLES)
    names, pid, payloads = {}, 5, False

    def name(text):
        return names.setdefault(text, len(names) + 1)

    def insert(table, *row):
        db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)

    for line in sys.stdin:
        words = [w for w in line.split() if "=" not in w]
        more = dict(w.split("=") for w in line.split() if "=" in w)
        if not words or words[0].startswith("#"):
            continue
        kind, w = words[0], [None if x == "-" else int(x) if x.lstrip("-").isdigit() else x for x in words[1:]]
        gpu, ctx = int(more.get("gpu", 0)), int(more.get("ctx", 1))
        if kind == "pid":
            pid = w[0]
        elif kind == "call":
            insert("CUPTI_ACTIVITY_KIND_RUNTIME", w[2], w[3], pid << 24 | w[0], w[4], name(w[1] + "_v3020"))
        elif kind == "kernel":
            insert("CUPTI_ACTIVITY_KIND_KERNEL", w[2], w[3], gpu, ctx, w[0], w[4], pid << 24, name(w[1]), name(w[1]),
                   more.get("node"))
        elif kind == "copy":
            insert("CUPTI_ACTIVITY_KIND_MEMCPY", w[1], w[2], gpu, ctx, w[0], w[3], pid << 24, 4096, int(more.get("kind", 1)),
                   int(more.get("src", 1)), int(more.get("dst", 2)), more.get("node"))
        elif kind == "set":
            insert("CUPTI_ACTIVITY_KIND_MEMSET", w[1], w[2], gpu, ctx, w[0], w[3], pid << 24, 64, 2)
        elif kind == "graph":
            insert("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", w[2], w[3], gpu, ctx, w[0], w[4], pid << 24, w[1], w[1])
        elif kind == "record":
            insert("CUPTI_ACTIVITY_KIND_CUDA_EVENT", gpu, ctx, w[0], w[1], pid << 24, 1, w[2])
        elif kind == "wait":
            insert("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 0, 0, gpu, ctx, w[0], w[1], pid << 24, 2, 1, w[2])
        elif kind == "sync":
            insert("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 0, 0, gpu, ctx, w[0], w[1], pid << 24, 2, NONE, NONE)
        elif kind == "await":
            insert("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 0, 0, gpu, ctx, NONE, w[0], pid << 24, 1, 1, w[1])
        elif kind == "range":
            insert("NVTX_EVENTS", w[2], w[3], 59, w[1], pid << 24 | w[0], None, 0, None)
        elif kind == "rank":
            insert("NVTX_EVENTS", w[2], w[2], 59, "rank=%d; dp=%d/2" % (w[1], w[1]), pid << 24 | w[0], None, 0, None)
        elif kind == "nccl":
            sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../nccl")
            import generate             # takes longer than most traces
            insert("NVTX_EVENTS", -1, None, 75, "NCCL", pid << 24 | w[0], None, 1, None)
            insert("NVTX_EVENTS", w[3], w[4], 59, None, pid << 24 | w[0], name(w[1]), 1,
                   generate.payload(w[1], w[2], 1024, int(more.get("peer", 0))))
            payloads = True
        elif kind == "utc":
            db.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT)")
            insert("TARGET_INFO_SESSION_START_TIME", w[0], "", "")
        else:
            sys.exit("chain.py: what is '%s'?" % line.strip())
    if payloads:
        db.executescript(PAYLOADS)
        schemas = generate.SCHEMAS.values()
        for s, e in schemas:
            insert("NVTX_PAYLOAD_SCHEMAS", 1, (1 << 24) + s, None, 1, None, len(e), 16 if len(e) == 2 else 24, None)
        for s, i, (text, code, at) in ((s, i, entry) for s, e in schemas for i, entry in enumerate(e)):
            insert("NVTX_PAYLOAD_SCHEMA_ENTRIES", 1, (1 << 24) + s, i, None, code, text, None, None, at)
    for text, number in names.items():
        insert("StringIds", number, text)
    db.commit()


main()
