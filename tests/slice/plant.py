"""Plants a secret in every text and blob column of a trace, and looks for them: plant.py plant FROM TO | find SLICE [KEPT...]

plant: TO is a copy of FROM in which every table has, besides its rows, one more with a secret in each column that holds
       texts or blobs, strings that no event uses, a table and a column of a later nsys, secrets in the rows that are there
       where nothing of them may stay (host, user, command, uuid), and rows deleted that leave theirs in free pages.
find:  prints each secret whose bytes are in the file, but those that begin with a word of KEPT.
"""
import os, re, shutil, sqlite3, sys

NAMED = {"Hostname": "HOST", "EXPORT_HOST": "HOST", "EXPORT_USER": "USER", "DEVICE_DISPLAY_NAME": "HOST",
         "PROCESS_0:COMMAND": "COMMAND", "PROCESS_0:ARGUMENT_0": "COMMAND", "EXPORT_PARAM_INPUT_PATH_ABS": "PATH"}


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
    c.execute("create table gone (note text)")
    c.execute("insert into gone values ('SECRET-free-page')")
    c.execute("drop table gone")
    c.commit()


def find(path, kept):
    data = open(path, "rb").read()
    met = set(re.findall(rb"SECRET-[A-Za-z0-9_:=.-]*|GPU-5ec2e7aa|10\.20\.30\.40|02:42:ac:11", data))
    met |= {m.decode("utf-16-le").encode() for m in re.findall("SECRET-".encode("utf-16-le"), data)}
    for m in sorted(met):
        if not any(m.decode().startswith("SECRET-" + k) for k in kept):
            print(m.decode())


if sys.argv[1] == "plant":
    plant(*sys.argv[2:4])
else:
    find(sys.argv[2], sys.argv[3:])
