"""Plants secrets in a trace, and looks for them: plant.py plant FROM TO | every KIND FROM TO | find SLICE [KEPT...]

plant: TO is a copy of FROM in which every table has, besides its rows, one more with a secret in each column that holds
       texts or blobs, strings that no event uses, a table and a column of a later nsys, secrets in the rows that are there
       where nothing of them may stay (host, user, command, uuid, folders of paths), rows deleted that leave theirs in free
       pages, and comments, types, constraints and further statements in the text of its schema.
every: TO is a copy of FROM in which each table has, for each of its columns, one more row that is like its first but for a
       secret in that column: as a text, as a blob, or, if KIND is nul, after the value and a NUL.
find:  prints each secret whose bytes are in the file, but those that begin with a word of KEPT.
"""
import os, re, shutil, sqlite3, sys

NAMED = {"Hostname": "HOST", "EXPORT_HOST": "HOST", "EXPORT_USER": "USER", "DEVICE_DISPLAY_NAME": "HOST",
         "PROCESS_0:COMMAND": "COMMAND", "PROCESS_0:ARGUMENT_0": "COMMAND", "EXPORT_PARAM_INPUT_PATH_ABS": "PATH"}


# Paths as they are met in names of programs, threads and modules: of these only x may stay.
PATHS = """/home/SECRET-a/b c/x|/home/SECRET-a b/c/x|C:\\Users\\SECRET-a b\\c\\x|SECRET-a/b/x|-I/SECRET-a/b/x|@/SECRET-a/b/x|`/SECRET-a/b/x`|
$HOME/SECRET-a/x|SECRET-a@SECRET-host:/b/x|https://SECRET-a:pw@SECRET-host/b/x|#/SECRET-a/x|%/SECRET-a/x|../SECRET-a/x|./SECRET-a b/x|
file:/SECRET-a/x|y/SECRET-a/x|.cache/SECRET-a/x|/b(SECRET-a)/x|/[SECRET-a]/x|/data/b;SECRET-a/c/x|+/SECRET-a/x|*/SECRET-a/x|
\\\\SECRET-host\\SECRET-a\\x|/b\u00a0SECRET-a/x|/b\tSECRET-a/x|"/SECRET-a/b/x"|/SECRET-a/|/SECRET-a/..|{/SECRET-a}/b,c/x|~/SECRET-a/x""".replace("\n", "").split("|")


def columns(c, table):
    return [(r[1], r[2].upper(), r[3], r[5]) for r in c.execute(f'pragma table_info("{table}")')]


def plant(source, to):
    shutil.copyfile(source, to)
    c = sqlite3.connect(to)
    c.execute("pragma secure_delete = off")
    tables = [t for (t,) in c.execute("select name from sqlite_master where type = 'table'")]
    for table in tables:
        cols = columns(c, table)
        texts = [n for n, kind, _, _ in cols if "TEXT" in kind or "BLOB" in kind]
        if not texts:
            continue
        # a row that refers to nothing: far from every window, of a process that does nothing
        values = [f"SECRET-{table}-{n}" if n in texts else 1 << 60 if n in ("start", "end", "timestamp") else
                  (1 << 40) + i for i, (n, *_) in enumerate(cols)]
        c.execute(f'insert into "{table}" values ({",".join("?" * len(cols))})', values)
        numbers = [n for n, kind, _, key in cols if kind == "INTEGER" and not key and n not in ("start", "end")]
        if numbers and table.startswith("CUPTI_"):      # SQLite lets a column of numbers hold a text
            c.execute(f'update "{table}" set "{numbers[-1]}" = ? where rowid = (select min(rowid) from "{table}")',
                      (f"SECRET-number-{table}",))
    c.execute("insert into StringIds values (1 << 50, 'SECRET-string-token=hf_abcdefghijklmnopqrstuv')")
    c.execute("update TARGET_INFO_GPU set uuid = 'GPU-5ec2e7aa-1111-4222-8333-' || printf('%012d', id)")
    for table in ("META_DATA_EXPORT", "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV"):
        for name, what in NAMED.items():
            c.execute(f"update {table} set value = ? where name = ?", (f"SECRET-{what}-{name}", name))
        c.execute(f"insert into {table} ({'globalVid, devStateName, nameEnum, ' if 'ENV' in table else ''}name, value) values "
                  f"({'1, 1, 1, ' if 'ENV' in table else ''}'ENV:HF_TOKEN', 'SECRET-ENV-token')")
    for table, name, value in (("TARGET_INFO_SYSTEM_ENV", "NicInfo", "SECRET-MAC 02:42:ac:11:00:02 SECRET-IP 10.20.30.40"),
                               ("TARGET_INFO_SYSTEM_ENV", "NvDriverVersion", "SECRET-driver")):
        c.execute(f"update {table} set value = ? where name = ?", (value, name))
    c.execute("insert into StringIds values ((1 << 50) + 1, '/SECRET-home/ann/pt_main_thread')")
    c.execute("update ThreadNames set nameId = (1 << 50) + 1 where rowid = (select min(rowid) from ThreadNames)")
    c.execute("update PROCESSES set name = '/SECRET-home/ann/bin/' || name where name like 'p%'")
    c.execute("alter table CUPTI_ACTIVITY_KIND_RUNTIME add column arguments text")
    c.execute("update CUPTI_ACTIVITY_KIND_RUNTIME set arguments = 'SECRET-new-column'")
    c.execute("create table FUTURE_EVENTS (start integer, note text)")
    c.execute("insert into FUTURE_EVENTS values (5, 'SECRET-new-table')")
    (process,), (thread,) = (c.execute(f"select {i} from {t} where {i} not null").fetchone() for t, i in
                             (("PROCESSES", "globalPid"), ("ThreadNames", "globalTid")))
    for i, path in enumerate(PATHS):
        c.execute("insert into StringIds values ((1 << 50) + 2 + ?, ?)", (i, path))
        c.execute("insert into ThreadNames (nameId, globalTid) values ((1 << 50) + 2 + ?, ?)", (i, thread))
        for arguments in "", " --key=SECRET-argument", " SECRET-argument KEY=SECRET-value":
            c.execute("insert into PROCESSES (globalPid, pid, name) values (?, 1, ?)", (process, path + arguments))
    c.execute("create table gone (note text)")
    c.execute("insert into gone values ('SECRET-free-page')")
    c.execute("drop table gone")
    c.execute("pragma writable_schema = on")
    for table, sql in c.execute("select name, sql from sqlite_master where type = 'table'").fetchall():
        sql = sql.replace("(", "( /* SECRET-comment */ ", 1)
        sql = re.sub(r" TEXT(?=[ ,)])", " TEXT_SECRET_TYPE CONSTRAINT SECRET_NAME CHECK (1)", sql, count=1)
        c.execute("update sqlite_master set sql = ? where name = ?",
                  (sql + "; CREATE TABLE SECRET_TABLE (SECRET_COLUMN) -- SECRET-comment", table))
    c.execute("pragma schema_version = 9999")
    c.commit()


def every(kind, source, to):
    shutil.copyfile(source, to)
    c = sqlite3.connect(to)
    for (table,) in c.execute("select name from sqlite_master where type = 'table'").fetchall():
        cols = columns(c, table)
        keys = max(key for *_, key in cols)
        names = [f'"{n}"' for n, _, _, key in cols if keys > 1 or not key]
        last = next((f'"{n}"' for n, *_, key in cols if key > 1 and key == keys), None)    # to tell rows of one key apart
        for i, name in enumerate(names):
            secret = f"SECRET-{table}.{name[1:-1]}"
            value = "?" if kind != "nul" else f"{name} || char(0) || ?"
            row = [value if n == name else f"{n} + 1000000 + {i}" if n == last else n for n in names]
            c.execute(f'insert into "{table}" ({",".join(names)}) select {",".join(row)} from "{table}" '
                      f'where {name} not null limit 1', (secret.encode() if kind == "blob" else secret,))
    c.commit()


def find(path, kept):
    data = open(path, "rb").read()
    met = set(re.findall(rb"SECRET[A-Za-z0-9_:=.-]*|GPU-5ec2e7aa|10\.20\.30\.40|02:42:ac:11", data))
    met |= {m.decode("utf-16-le").encode() for m in re.findall("SECRET-".encode("utf-16-le"), data)}
    for m in sorted(met):
        if not any(m.decode().startswith("SECRET-" + k) for k in kept):
            print(m.decode())


if sys.argv[1] == "plant":
    plant(*sys.argv[2:4])
elif sys.argv[1] == "every":
    every(*sys.argv[2:5])
else:
    find(sys.argv[2], sys.argv[3:])
