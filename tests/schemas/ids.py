#!/usr/bin/env python3
"""Numbers of a trace that point at something, or at nothing: no tool may crash, whatever they are.

    ids.py [--all | --each N] TINY SCHEMA FIXTURE...

A copy of TINY gets the tables and columns of the fixtures and of SCHEMA (share/schema/nsys.tsv) that it lacks.  Then each
column of integers, one at a time, is given a number: where it is NULL the id of a string, and in every other row numbers
that no array reaches.  Prints which tool ends by a signal or with an unknown code, and how many ran.  --all: more columns,
numbers and tools; --each: every Nth column only.
"""
import concurrent.futures
import os
import sqlite3
import subprocess
import sys
import tempfile

TIMES = {"start", "end", "timestamp", "rawTimestamp", "duration"}        # extreme-values.bats has these
VALID = "1 + rowid % 11"        # ids of strings of TINY
NUMBERS = [-1, 0xffffffff, 1 << 31, 1 << 40]
READ = ("CUPTI_ACTIVITY_KIND_", "NVTX_", "OSRT_", "SAMPLING_", "ThreadNames", "GPU_METRICS", "TARGET_INFO_GPU", "CUDA_")
TOOLS = ["nsq-export -o {}.json", "nsq-advise"]
MORE = ["nsq-ledger", "nsq-setup", "nsq-threads --samples", "nsq-mem --usage", "nsq-nccl", "nsq-nvtx --captured", "nsq-view -o {}.html", "nsq-kernels --each",
        "nsq-metrics --by nvtx", "nsq-find .", "nsq-slice -o {}.sqlite", "nsq-api --each", "nsq-stalls --each", "nsq-path --each", "nsq-mfu --each"]


def columns(db, table):
    return {row[1]: row[2] for row in db.execute(f'PRAGMA main.table_info("{table}")')}


def complete(db, schema, fixtures):
    """Ten rows of each table that the trace lacks, and every column, NULL."""
    for fixture in fixtures:
        db.execute("ATTACH ? AS f", (f"file:{fixture}?immutable=1",))
        for table, sql in db.execute("SELECT name, sql FROM f.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall():
            if not columns(db, table) or not db.execute(f'SELECT 1 FROM main."{table}"').fetchone():
                db.execute(f'DROP TABLE IF EXISTS main."{table}"')
                db.execute(sql)
                db.execute(f'INSERT INTO main."{table}" SELECT * FROM f."{table}" LIMIT 10')
        db.commit()
        db.execute("DETACH f")
    has = {}
    with open(schema) as lines:
        for kind, name, *rest in (line.rstrip("\n").split("\t") for line in lines if "\t" in line):
            if kind == "table":
                table, has = name, columns(db, name)
            elif kind in ("column", "like") and has and name not in has:
                db.execute(f'ALTER TABLE "{table}" ADD COLUMN "{name}" {rest[0] if rest else "INTEGER"}')


def died(path, number, table, column, tools):
    """The tools that crash when a column has that number."""
    with tempfile.TemporaryDirectory() as folder:
        trace, out = f"{folder}/t.sqlite", []
        with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as source, sqlite3.connect(trace) as db:
            db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            source.backup(db)
            where = f'"{column}" IS NULL' if number == VALID else "rowid % 2"
            if not db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = {number} WHERE {where}').rowcount:
                return 0, []
            db.commit()
        for tool in tools:
            ended = subprocess.run([*tool.replace("{}", f"{folder}/out").split(), trace], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
            if ended.returncode not in range(4) or b"runtime error" in ended.stderr:
                out.append(f"{table}.{column} = {number}: {tool}: exit {ended.returncode} {ended.stderr[-300:].decode(errors='replace')}")
        return len(tools), out


def main():
    every = sys.argv[1] == "--all"
    nth = int(sys.argv[2]) if sys.argv[1] == "--each" else 1
    tiny, schema, *fixtures = sys.argv[1 + every + 2 * (sys.argv[1] == "--each"):]
    numbers, tools = [VALID, *NUMBERS] if every else [VALID, 0xffffffff], TOOLS + MORE if every else TOOLS
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        whole = f"{folder}/whole.sqlite"
        with sqlite3.connect(f"file:{tiny}?immutable=1", uri=True) as source, sqlite3.connect(f"file:{whole}", uri=True) as db:
            source.backup(db)
            complete(db, schema, fixtures)
            db.commit()
            tables = [t for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'") if not t.startswith("ENUM_")]
            ids = [(t, c) for t in tables for c, of in columns(db, t).items() if of.upper() == "INTEGER" and c not in TIMES and
                   (every or (c.endswith(("Id", "Name", "symbol", "module")) and t.startswith(READ)))]
        asked = [pool.submit(died, whole, number, *at, tools) for at in ids[::nth] for number in numbers]
        print(f"{sum(a.result()[0] for a in asked)} looked at", *(line for a in asked for line in a.result()[1]), sep="\n")


main()
