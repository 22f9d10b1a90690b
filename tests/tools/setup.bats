# nsq-setup: who is in this trace, and what was captured?
load ../helper
load ../small-traces

# who TRACE WINDOWS: the counts of each process in its window; WINDOWS selects pid, a, b.
who() {
	ask "$1" "WITH w AS ($2), mine AS (SELECT l.*, w.a AS wa, w.b AS wb FROM launched l JOIN w USING (pid)
			WHERE l.a < w.b AND l.b > w.a)
		SELECT w.pid, w.a, w.b, coalesce((SELECT group_concat(gpu) FROM (SELECT DISTINCT gpu FROM mine m WHERE m.pid = w.pid ORDER BY gpu)), '-'),
		(SELECT count(*) FROM mine m WHERE m.pid = w.pid AND kind = 'kernel'),
		(SELECT count(*) FROM mine m WHERE m.pid = w.pid AND comm),
		(SELECT count(*) FROM (SELECT DISTINCT gpu, ctx, stream FROM mine m WHERE m.pid = w.pid)),
		(SELECT count(*) FROM ranges r WHERE r.pid = w.pid AND r.a < w.b AND r.b > w.a),
		(SELECT iif(count(*), printf('%.2f', 100.0 * sum(launch IS NOT NULL) / count(*)), '-') FROM mine m
			WHERE m.pid = w.pid AND name IS NOT 'migration')
		FROM w ORDER BY w.pid"
}

WHO='pid start_ns end_ns gpus kernels comm_kernels streams ranges launched_pct'

# bats test_tags=more
@test "every process of every fixture is counted as SQL counts" {
	for t in $(some_or_all "$DUALPIPE" "$COPIES" "$NODES" "$FIXTURES/collectives-rank0.sqlite"); do
		run --separate-stderr nsq-setup -q "$t"
		[ "$status" -eq 0 ]
		same "$(who "$t" 'SELECT pid, a, b FROM procs')" "$(col $WHO <<<"$output")"
	done
}

@test "in a window only what touches it is counted" {
	answers nsq-setup -w 100ms..200ms "$DUALPIPE"
	same "$(who "$DUALPIPE" 'SELECT pid, 100000000 AS a, 200000000 AS b FROM procs')" "$(col $WHO <<<"$output")"
}

@test "the setup label gives rank, mesh and run" {
	answers nsq-setup "$DUALPIPE"
	same "$(sql "$DUALPIPE" "SELECT globalTid >> 24 & 0xffffff, text FROM NVTX_EVENTS WHERE text GLOB 'rank=[0-9]*;*' AND start >= 0 ORDER BY 1" |
			sed -E 's/rank=([0-9]+); ([^;]*); /\1\t\2\t/')" \
		"$(col pid rank mesh run <<<"$output")"
	same 4 "$(count <<<"$output")"
}

@test "the first label at or after time 0 counts; one before it does not" {
	t=$(change "$DUALPIPE" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT -9, -8, 59, 'rank=7; old; x=1', globalTid, 0 FROM NVTX_EVENTS WHERE text LIKE 'rank=0;%';
		INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT end + 9, end + 10, 59, 'rank=8; late; x=1', globalTid, 0 FROM NVTX_EVENTS WHERE text LIKE 'rank=0;%';
		INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT start - 9, start - 8, 59, 'rank=nine; no label', globalTid, 0 FROM NVTX_EVENTS WHERE text LIKE 'rank=0;%'")
	same "0" "$(nsq-setup -p 693 "$t" | col rank)"
}

@test "a label may be a mark or a registered string, and its run may be missing" {
	t=$(change "$COMPILE" "INSERT INTO StringIds SELECT max(id) + 1, 'rank=12; pp=0/1' FROM StringIds;
		INSERT INTO NVTX_EVENTS (start, eventType, textId, globalTid, domainId) SELECT 20000000, 34, (SELECT max(id) FROM StringIds), globalTid, 0 FROM NVTX_EVENTS LIMIT 1")
	answers nsq-setup "$t"
	same "12${TAB}pp=0/1${TAB}-" "$(col rank mesh run <<<"$output")"
	same 12 "$(nsq-streams "$t" | col rank)"
}

@test "without a label rank, mesh and run are missing" {
	same "-${TAB}-${TAB}-" "$(nsq-setup "$COMPILE" | col rank mesh run)"
}

@test "the name of the process comes from the table of processes" {
	same "$(sql "$COPIES" "SELECT name FROM PROCESSES WHERE globalPid >> 24 & 0xffffff = 475")" "$(nsq-setup "$COPIES" | col process)"
}

@test "work without a launch is counted, and lowers launched_pct" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 1 WHERE copyKind = 11")
	same 11 "$(ask "$t" "SELECT count(*) FROM launched WHERE launch IS NULL")"
	same "92.50" "$(nsq-setup "$t" | col launched_pct)"
	same "suspicious.unlaunched${TAB}9 of 120 pieces of GPU work have no launching call in the trace" \
		"$(nsq-setup --facts "$t" | where key suspicious.unlaunched | col key value)"
}

@test "launches are joined within their own process only" {
	# without the calls of one process its work has no launch, though the ids occur in the others
	t=$(change "$DUALPIPE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid >> 24 & 0xffffff = 693")
	[ "$(ask "$t" "SELECT count(*) FROM work w WHERE pid = 693 AND EXISTS (SELECT 1 FROM calls c WHERE c.corr = w.corr)")" -gt 100 ]
	same "0.00
100.00
100.00
100.00" "$(nsq-setup -q "$t" | col launched_pct)"
}

@test "two GPUs are listed with commas, and -g keeps one" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 3 WHERE streamId = 36")
	answers nsq-setup "$t"
	same "$(who "$t" 'SELECT pid, a, b FROM procs')" "$(col $WHO <<<"$output")"
	same "0,3" "$(col gpus <<<"$output" | sort -u)"
	answers nsq-setup -g 3 -p 693 "$t"
	same "3${TAB}8${TAB}8${TAB}1" "$(col gpus kernels comm_kernels streams <<<"$output")"
}

@test "a process without GPU work has a row" {
	t=$(change "$DUALPIPE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff = 694;
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE globalPid >> 24 & 0xffffff = 694")
	run --separate-stderr nsq-setup -q "$t"
	same "$(who "$t" 'SELECT pid, a, b FROM procs')" "$(col $WHO <<<"$output")"
	same "-${TAB}0${TAB}-" "$(where pid 694 <<<"$output" | col gpus kernels launched_pct)"
	# but a window without a pid is for the processes with GPU work
	same "693
695
696" "$(nsq-setup -q -w 100ms..200ms "$t" | col pid)"
}

@test "domains that come and go do not lengthen a process" {
	t=$(change "$COPIES" "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId)
		SELECT 5, 75, 'early', globalTid, 90 FROM NVTX_EVENTS WHERE eventType = 59 UNION ALL SELECT 1 << 50, 76, NULL, globalTid, 90 FROM NVTX_EVENTS WHERE eventType = 59")
	for tool in nsq-setup nsq-nvtx nsq-api nsq-threads; do same "$($tool -q "$COPIES" | cut -f1-5)" "$($tool -q "$t" | cut -f1-5)"; done
}

@test "--comm says which kernels communicate" {
	same "$(ask "$COPIES" "SELECT count(*) FROM work WHERE name = 'reduce_rows'")" \
		"$(nsq-setup --comm '^reduce_' "$COPIES" | col comm_kernels)"
}

@test "events lost in capture are warned of, under -q, too" {
	holds "$(nsq-setup "$DDP" 2>&1 >/dev/null)" "process 1085" "lost" "--cuda-flush-interval"
	answers nsq-setup -q "$DDP"
	holds "$(nsq-setup --facts "$DDP" | where key suspicious.lost | col value)" "1085" "--cuda-flush-interval=100"
}

@test "--facts: every table with its number of rows; those that only list an enumeration are counted" {
	answers nsq-setup --facts "$COPIES"
	local expected all
	all=$(sql "$COPIES" "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	expected=$(grep -v '^ENUM_' <<<"$all" | while read -r table; do echo "table.$table$TAB$(sql "$COPIES" "SELECT count(*) FROM \"$table\"")"; done)
	same "$expected" "$(col key value <<<"$output" | grep '^table\.')"
	same "$(wc -l <<<"$expected") of $(wc -l <<<"$all") are listed, without those of enumerations (ENUM_*)" "$(where key tables <<<"$output" | col value)"
	fails 2 "unknown option '--all'" -- nsq-setup --facts --all "$COPIES"
}

@test "--facts: versions, host, GPU and duration are those of the trace" {
	answers nsq-setup --facts "$COPIES"
	fact() { where key "$1" <<<"$output" | col value; }
	same "$(sql "$COPIES" "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_VERSION'")" "$(fact nsys.version)"
	same "$(sql "$COPIES" "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'")" "$(fact nsys.schema)"
	same "$(sql "$COPIES" "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'")" "$(fact host.name)"
	same "$(sql "$COPIES" "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'NvDriverVersion'")" "$(fact host.driver)"
	same "$(sql "$COPIES" "SELECT name FROM TARGET_INFO_GPU WHERE id = 0")" "$(fact gpu.0.name)"
	same "$(sql "$COPIES" "SELECT smCount FROM TARGET_INFO_GPU WHERE id = 0")" "$(fact gpu.0.sms)"
	same "$(sql "$COPIES" "SELECT totalMemory FROM TARGET_INFO_GPU WHERE id = 0")" "$(fact gpu.0.memory_bytes)"
	same "$(sql "$COPIES" "SELECT duration FROM ANALYSIS_DETAILS")" "$(fact capture.duration_ns)"
}

@test "--facts: what nsys did in the program, each nanosecond of a thread once, and by kind" {
	t=$(change "$COPIES" "DELETE FROM PROFILER_OVERHEAD; INSERT INTO StringIds SELECT max(id) + 1, 'flush' FROM StringIds;
		INSERT INTO PROFILER_OVERHEAD (start, end, globalTid, nameId, returnValue) SELECT a, b, tid, iif(k, id, 0), 0 FROM (SELECT max(id) AS id FROM StringIds),
		(SELECT 100 AS a, 200 AS b, 1 AS tid, 1 AS k UNION ALL SELECT 120, 150, 1, 1 UNION ALL SELECT 190, 230, 1, 1 UNION ALL SELECT 120, 130, 2, 1)")
	answers nsq-setup --facts "$t"
	same "overhead.kind${TAB}180 ns in 4: flush overhead.ns${TAB}140" "$(col key value <<<"$output" | grep '^overhead' | xargs -d '\n')"
	t=$(change "$COPIES" "DROP TABLE PROFILER_OVERHEAD")
	same "" "$(nsq-setup --facts "$t" | col key | grep '^overhead')"
}

@test "--facts: how a trace was captured" {
	answers nsq-setup --facts "$COPIES"
	same "Cuda NvtxEvents OSRuntime,true" "$(for key in traced memory_usage; do where key "capture.$key" <<<"$output" | col value; done | paste -sd,)"
	t=$(change "$COPIES" "DROP TABLE META_DATA_CAPTURE")
	same "capture.traced${TAB}Cuda NvtxEvents OSRuntime" "$(nsq-setup --facts "$t" | col key value | grep 'traced\|memory_usage\|graphs')"
}

@test "--facts: what was not captured is named with the flag that captures it" {
	t=$(change "$COPIES" "$(drop_tables "$COPIES" 'NVTX_*')" "$(drop_tables "$COPIES" 'CUPTI_*')" "DROP TABLE OSRT_API")
	answers nsq-setup --facts "$t"
	same "nsys profile --trace=cuda" "$(where key missing.cuda <<<"$output" | col value)"
	same "nsys profile --trace=nvtx" "$(where key missing.nvtx <<<"$output" | col value)"
	same "nsys profile --trace=osrt" "$(where key missing.osrt <<<"$output" | col value)"
	same "" "$(nsq-setup --facts "$COPIES" | where key missing.osrt | col value)"
	same "nsys profile --gpu-metrics-devices=all" "$(where key missing.gpu_metrics <<<"$output" | col value)"
	same "" "$(nsq-setup --facts "$FIXTURES/train-metrics.sqlite" | where key missing.gpu_metrics | col value)"
	same "nsys profile --cuda-memory-usage=true" "$(nsq-setup -q --facts "$DDP" | where key missing.memory_usage | col value)"
	same "" "$(where key missing.memory_usage <<<"$output" | col value)"
	# not where it was asked for, and is not there all the same
	t=$(change "$COPIES" "DROP TABLE CUDA_GPU_MEMORY_USAGE_EVENTS")
	same "asked for, but nsys recorded none, or the export left out CUDA_GPU_MEMORY_USAGE_EVENTS" "$(nsq-setup --facts "$t" | where key missing.memory_usage | col value)"
}

@test "--facts: that nothing is suspicious is said where nothing is, and only there" {
	suspicious() { nsq-setup --facts "$1" | col key value | grep ^suspicious; }
	same 1 "$(suspicious "$COMPILE" | grep -c "^suspicious${TAB}nothing")"
	same 0 "$(suspicious "$COMPILE" | grep -c "^suspicious\." || true)"
	for t in "$DDP" "$WHOLE" "$(change "$COMPILE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId % 2")"; do
		same 0 "$(suspicious "$t" | grep -c "^suspicious${TAB}" || true)"
		[ "$(suspicious "$t" | wc -l)" -ge 1 ]
	done
}

@test "--facts: the command line of the capture is joined in order" {
	t=$(change "$COPIES" "DELETE FROM META_DATA_CAPTURE WHERE name LIKE 'PROCESS_0:%';
		INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT_10', 'last'), ('PROCESS_0:ARGUMENT_2', 'b'),
		('PROCESS_0:COMMAND', 'train'), ('PROCESS_0:ARGUMENT_1', 'a')")
	same "train a b last" "$(nsq-setup --facts "$t" | where key capture.command | col value)"
}

@test "options without effect in the mode are refused" {
	for option in "--pid 1" "--gpu 0" "-w 0.." "--merge" "--inside" "-n 3"; do
		fails 2 "has no effect" "'--facts'" -- nsq-setup --facts $option "$COPIES"
	done
}

# counts LAUNCHES KERNELS: a trace of one process with so many.
counts() {
	made "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) INSERT INTO R SELECT i * 10, i * 10 + 5, $P5 + 5, i, 2 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) INSERT INTO K SELECT i * 10 + 6, i * 10 + 8, 0, 1, 7, i, $P5, 1, 1 FROM n"
}

@test "events were lost where launches outnumber kernels by more than half, and by a hundred" {
	# more than half as many again, at the limit: 300 for 200, 301 for 201 (whose half is 100)
	answers nsq-setup "$(counts 300 200)"
	holds "$(nsq-setup "$(counts 301 200)" 2>&1 >/dev/null)" "301" "200"
	answers nsq-setup "$(counts 301 201)"
	holds "$(nsq-setup "$(counts 302 201)" 2>&1 >/dev/null)" "302" "201"
	# a hundred more, at the limit
	answers nsq-setup "$(counts 109 10)"
	holds "$(nsq-setup "$(counts 110 10)" 2>&1 >/dev/null)" "110" "10"
	# a host function is launched, too, but runs on the CPU
	t=$(counts 110 10)
	sqlite3 "$t" "INSERT INTO StringIds VALUES (99, 'cudaLaunchHostFunc_v10000'); UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 99 WHERE correlationId = 110"
	answers nsq-setup "$t"
}

@test "--facts: the GPUs are stated wherever the column of their id stands" {
	t=$(made "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER); INSERT INTO TARGET_INFO_GPU VALUES (3, 'H200', 132)")
	same "gpu.3.name${TAB}H200,gpu.3.sms${TAB}132," "$(nsq-setup --facts "$t" | col key value | grep ^gpu | tr '\n' ',')"
}
