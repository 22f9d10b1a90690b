# nsq-threads: what do the CPU threads do?
load ../helper

# The reading in Python shares nothing with nsq but the definitions.
reading() { oracle threads "$@" | sort; }

# own: a table without its first five columns but pid, start and end, and without the last two, sorted.
own() { rows | awk -F '\t' -v OFS='\t' '{ NF -= 2; print }' | cut -f1,3,4,6- | sort; }

# windows TRACE PID SEED: five windows of the process, with CPU sides elsewhere.
windows() {
	sql "$1" "WITH s(a, b) AS (SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start >= 0),
		n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
		SELECT $2, a + i * $3 % 7 * (b - a) / 9, a + (i * $3 % 7 + i) * (b - a) / 9,
			a + i * $3 % 5 * (b - a) / 11, a + (i * $3 % 5 + 6 - i) * (b - a) / 11 FROM s, n" |
		cat <(table 'pid start_ns end_ns cpu_start_ns cpu_end_ns') -
}

# bats test_tags=more,long
@test "threads, OS calls and samples are those of the reading, in every fixture that has the tables" {
	for t in $(some_or_all "$COPIES" "$SCHED" "$SAMPLES"); do
		echo "$t"
		same "$(reading threads "$t")" "$(nsq-threads -q "$t" | own)"
	done
	for t in $(first_few 1 "$COPIES" "$SCHED" "$SAMPLES"); do same "$(reading os "$t")" "$(nsq-threads -q --os "$t" | own)"; done
	for t in $(first_few 1 "$SAMPLES" "$SCHED"); do same "$(reading samples "$t")" "$(nsq-threads -q --samples "$t" | own)"; done
}

# bats test_tags=slow
@test "in windows the CPU side counts, cut or with --inside whole, each alone or merged" {
	for t in "$SCHED 557" "$SAMPLES 577" "$COPIES 475"; do
		for seed in 3 4; do
			windows $t $seed > "$BATS_TEST_TMPDIR/w"
			for flags in "" --inside --merge "--merge --inside"; do
				more || [ "$seed ${t% *}" = "3 $SCHED" ] || [ "$seed $flags" = "4 --merge" ] || continue
				for mode in threads os samples; do
					[ "$mode ${t% *}" != "samples $COPIES" ] || continue
					expected=$(reading $flags $mode "${t% *}" "$BATS_TEST_TMPDIR/w")
					[ -n "$expected$flags" ]
					same "$expected" "$(nsq-threads -q $(sed 's/^threads$//; s/^./--&/' <<<"$mode") $flags \
						-w "$BATS_TEST_TMPDIR/w" "${t% *}" | own)"
				done
			done
		done
	done
}

@test "running and waiting by SQL: from switch to switch" {
	same "$(sql "$SCHED" "WITH s AS (SELECT globalTid & 0xffffff AS tid, isSchedIn AS a, start,
			lead(start) OVER w - start AS ns FROM SCHED_EVENTS WINDOW w AS (PARTITION BY globalTid ORDER BY start))
		SELECT tid, sum(ns) FILTER (WHERE a), count(ns) FILTER (WHERE NOT a),
			coalesce(max(ns) FILTER (WHERE NOT a), '-') FROM s GROUP BY tid ORDER BY tid")" \
		"$(nsq-threads "$SCHED" | col tid run_ns waits max_wait_ns | grep -v "^0$TAB")"
	same "$(sql "$SCHED" "SELECT globalTid & 0xffffff, count(*) FROM COMPOSITE_EVENTS GROUP BY 1 ORDER BY 1")" \
		"$(nsq-threads "$SCHED" | col tid samples | grep -v "${TAB}0$")"
}

@test "the default window is the span of all events of the process, those of the CPU included" {
	same "$(sql "$SCHED" "SELECT (SELECT min(start) FROM SCHED_EVENTS), (SELECT max(end) FROM OSRT_API)")" \
		"$(nsq-threads "$SCHED" | col start_ns end_ns | sort -u)"
	for mode in --os --samples; do
		same "$(nsq-threads "$SCHED" | col start_ns end_ns | sort -u)" "$(nsq-threads -q $mode "$SCHED" | col start_ns end_ns | sort -u)"
	done
	# a range that was never closed still ends where the other tools end it
	t=$(change "$SCHED" "UPDATE NVTX_EVENTS SET end = NULL WHERE eventType = 59 AND end = 83140997")
	same "$(nsq-nvtx -q --each "$t" | where start_ns 66128172 | col dur_ns)" "$(nsq-threads "$t" | where tid 557 | col nvtx_ns)"
}

# small SQL: a trace of one process, pid 9, with one call at 1000..1100 that launched nothing, and what the SQL adds.
small() {
	local t=$BATS_TEST_TMPDIR/small.sqlite
	rm -f "$t"
	sqlite3 "$t" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1, 'cudaFree'), (2, 'f'), (3, 'g'), (4, 'lib.so'), (5, '0x10'), (6, 'poll');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1100, 9 << 24 | 9, 1, 1);
		CREATE TABLE SCHED_EVENTS (start, cpu, isSchedIn, globalTid);
		CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start, cpu, threadState, globalTid, cpuCycles);
		CREATE TABLE SAMPLING_CALLCHAINS (id, symbol, module, unresolved, stackDepth);
		CREATE TABLE OSRT_API (start, end, globalTid, nameId); $1"
	echo "$t"
}

@test "a thread that is switched off first ran before; one that is switched on last runs to the end of its process" {
	t=$(small "INSERT INTO SCHED_EVENTS VALUES (1010, 0, 0, 9 << 24 | 9), (1030, 0, 1, 9 << 24 | 9),
		(1015, 0, 1, 9 << 24 | 7), (-5, 0, 1, 9 << 24 | 7)")
	same "$(table '7 85 85.00 0 -' '9 80 80.00 1 20')" "$(nsq-threads "$t" | col tid run_ns run_pct waits max_wait_ns)"
	# not before its process began, nor after it ended, though the trace is longer
	sqlite3 "$t" "INSERT INTO OSRT_API VALUES (500, 2000, 8 << 24 | 8, 6)"
	same "$(table '7 85 5.67' '9 80 5.33')" \
		"$(table 'pid start_ns end_ns' '9 500 2000' | nsq-threads -q -w - "$t" | col tid run_ns run_pct)"
}

@test "a thread with nothing but a mark, a start/end range or an OS call has a row" {
	t=$(small "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId); INSERT INTO NVTX_EVENTS VALUES
		(1010, NULL, 34, 'm', 9 << 24 | 1, NULL, 0), (1020, 1030, 60, 'r', 9 << 24 | 2, NULL, 0);
		INSERT INTO OSRT_API VALUES (1040, 1040, 9 << 24 | 3, 6)")
	same "$(table '1 0 0 0' '2 0 0 0' '3 0 0 0' '9 100 0 0')" "$(nsq-threads "$t" | col tid cuda_ns os_ns nvtx_ns)"
	same 2 "$(table 'pid start_ns end_ns' '9 1025 1026' | nsq-threads -w - "$t" | col tid | grep -vx 9)"
	same 1 "$(table 'pid start_ns end_ns' '9 1010 1010' | nsq-threads -w - "$t" | col tid | grep -vx 9)"
}

@test "a switch to where the thread already is changes nothing, and of two at one moment the one that does comes first" {
	t=$(small "INSERT INTO SCHED_EVENTS VALUES (1010, 0, 1, 9 << 24 | 9), (1020, 0, 1, 9 << 24 | 9),
		(1030, 0, 0, 9 << 24 | 9), (1035, 0, 0, 9 << 24 | 9), (1050, 0, 1, 9 << 24 | 9), (1060, 0, 0, 9 << 24 | 9),
		(1070, 0, 0, 9 << 24 | 9), (1070, 0, 1, 9 << 24 | 9)")
	# on 1010..1030 and 1050..1060; at 1070 on and off at once: waits 20, 10
	same "$(table '9 30 2 20')" "$(nsq-threads "$t" | col tid run_ns waits max_wait_ns)"
	t=$(small "INSERT INTO SCHED_EVENTS VALUES (1010, 0, 1, 9 << 24 | 9), (1040, 0, 0, 9 << 24 | 9),
		(1040, 1, 1, 9 << 24 | 9), (1060, 1, 0, 9 << 24 | 9)")
	same "$(table '9 50 1 0')" "$(nsq-threads "$t" | col tid run_ns waits max_wait_ns)"
}

@test "a wait counts in every window that it touches, with its time there; a thread without switches has -" {
	t=$(small "INSERT INTO SCHED_EVENTS VALUES (1000, 0, 1, 9 << 24 | 9), (1010, 0, 0, 9 << 24 | 9), (1090, 0, 1, 9 << 24 | 9),
		(1100, 0, 0, 9 << 24 | 9); INSERT INTO OSRT_API VALUES (1020, 1030, 9 << 24 | 5, 6), (1025, 1060, 9 << 24 | 5, 6)")
	same "$(table '5 - - - - 40' '9 0 0.00 1 40 0')" \
		"$(table 'pid start_ns end_ns' '9 1020 1060' | nsq-threads -w - "$t" | col tid run_ns run_pct waits max_wait_ns os_ns)"
	same "$(table '5 - 10')" \
		"$(table 'pid start_ns end_ns' '9 1020 1058' | nsq-threads -w - --inside "$t" | col tid waits os_ns)"
	# a long call is there though shorter ones began later and ended before
	sqlite3 "$t" "INSERT INTO OSRT_API VALUES (1001, 1090, 9 << 24 | 4, 6)" \
		"WITH n(i) AS (SELECT 1002 UNION ALL SELECT i + 1 FROM n WHERE i < 1042) INSERT INTO OSRT_API SELECT i, i, 9 << 24 | 4, 6 FROM n"
	same "$(table '4 20')" "$(table 'pid start_ns end_ns' '9 1065 1085' | nsq-threads -q -w - "$t" | col tid os_ns | grep -v ^9)"
	# a thread with nothing in the window has no row
	same "$(printf '%s\n' 4 9)" "$(table 'pid start_ns end_ns' '9 1061 1080' | nsq-threads -w - "$t" | col tid)"
}

# bats test_tags=more,slow
@test "rows in any order, at one moment, and longer than two seconds" {
	n=$(if more; then echo 70000; else echo 7000; fi)
	t=$(small "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $n - 1) INSERT INTO StringIds SELECT i + 10, 'os ' || i FROM n;
		INSERT INTO OSRT_API SELECT 1000 + k / 3 * 5, 1000 + k / 3 * 5 + CASE k % 1000 WHEN 7 THEN 2147483640 + k / 1000 ELSE k * 11 % 40 END,
			9 << 24 | 5 + k % 3, k + 10 FROM (SELECT (id - 10) * 7919 % $n AS k FROM StringIds WHERE id >= 10);
		INSERT INTO SCHED_EVENTS SELECT 1000 + k / 6 * 4, 0, k / 3 % 2, 9 << 24 | 5 + k % 3 FROM
			(SELECT (id - 10) * 7919 % $n AS k FROM StringIds WHERE id >= 10);
		INSERT INTO COMPOSITE_EVENTS SELECT id, 1000 + k, 0, 1, 9 << 24 | 5 + k % 3, 1 FROM
			(SELECT id, (id - 10) * 7919 % $n AS k FROM StringIds WHERE id >= 10)")
	table 'pid start_ns end_ns' '9 5000 5030' '9 1000000000 1000000001' > "$BATS_TEST_TMPDIR/w"
	for mode in threads os; do
		for w in "" "$BATS_TEST_TMPDIR/w"; do
			expected=$(reading $mode "$t" $w)
			[ -n "$expected" ]
			for j in 1 4; do
				same "$expected" "$(nsq-threads -q -j $j $(sed 's/^threads$//; s/^./--&/' <<<"$mode") ${w:+-w $w} "$t" | own)"
			done
		done
	done
}

# bats test_tags=slow
@test "OS calls of more names than 16 bits can number" {
	t=$(small "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69999) INSERT INTO StringIds SELECT i + 10, 'os ' || i FROM n;
		INSERT INTO OSRT_API SELECT 1000 + k * 50, 1000 + k * 50 + k % 40, 9 << 24 | 5 + k % 3, k + 10
			FROM (SELECT (id - 10) * 7919 % 70000 AS k FROM StringIds WHERE id >= 10)")
	sql "$t" "SELECT value, 1, end - start FROM OSRT_API JOIN StringIds ON id = nameId" | sort > "$BATS_TEST_TMPDIR/named"
	for j in 1 4; do nsq-threads -q -j $j --os "$t" | col name count total_ns | sort | cmp "$BATS_TEST_TMPDIR/named"; done
}

@test "in a sample a function counts once, the innermost entry is its own, and a module stands for what has no symbol" {
	t=$(small "INSERT INTO COMPOSITE_EVENTS VALUES (1, 1010, 0, 1, 9 << 24 | 9, 1), (2, 1020, 0, 1, 9 << 24 | 9, 1),
			(3, 1030, 0, 1, 9 << 24 | 7, 1), (4, 1040, 0, 1, 9 << 24 | 9, 1);
		INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 2, 4, 0, 0), (1, 3, 4, 0, 1), (1, 2, 4, 0, 2),
			(2, 5, 4, 1, 5), (2, 2, 4, 0, 7), (2, 3, 4, 0, 9), (3, 3, 4, 0, 1), (3, 5, 4, 1, 0)")
	same "$(table '3 75.00 0.00 g lib.so' '2 50.00 50.00 lib.so lib.so' '2 50.00 25.00 f lib.so' '1 25.00 25.00 - -')" \
		"$(nsq-threads --samples "$t" | col samples pct self_pct name module)"
	same "$(table '2 100.00 50.00 f lib.so' '2 100.00 0.00 g lib.so' '1 50.00 50.00 lib.so lib.so')" \
		"$(nsq-threads --samples -w 1005..1025 -p 9 "$t" | col samples pct self_pct name module)"
}

@test "entries of chains may come in any order, and several at one depth" {
	t=$(small "INSERT INTO COMPOSITE_EVENTS VALUES (5, 1010, 0, 1, 9 << 24 | 9, 1), (6, 1020, 0, 1, 9 << 24 | 9, 1), (8, 1030, 0, 1, 9 << 24 | 9, 1);
		INSERT INTO SAMPLING_CALLCHAINS VALUES (6, 3, 4, 0, 1), (5, 2, 4, 0, 0), (5, 2, 4, 0, 1), (5, 3, 4, 0, 0), (6, 2, 4, 0, 0)")
	same "$(printf '%s\n' '- 1' 'f;g;f 1' 'g;f 1')" "$(nsq-threads -q --stacks "$t" | sort)"
}

@test "threads-samples: 1253 samples, the leaf of each is one row's own" {
	same 1253 "$(nsq-threads "$SAMPLES" | sum samples)"
	same "100" "$(nsq-threads --samples "$SAMPLES" | col self_pct | awk '{ s += $1 } END { printf "%.0f\n", s }')"
	same "$(sql "$SAMPLES" "SELECT count(DISTINCT c.id) FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = c.symbol
		WHERE s.value = 'main' AND NOT unresolved")" "$(nsq-threads --samples "$SAMPLES" | where name main | col samples)"
	same "$(sql "$SAMPLES" "SELECT count(DISTINCT c.id), count(DISTINCT c.id) FILTER (WHERE stackDepth = 0)
			FROM SAMPLING_CALLCHAINS c JOIN StringIds m ON m.id = c.module WHERE unresolved AND m.value LIKE '%libc.so.6'" |
		awk -F '\t' -v OFS='\t' '{ print $1, sprintf("%.2f", 100 * $2 / 1253) }')" \
		"$(nsq-threads --samples "$SAMPLES" | where name /path/libc.so.6 | col samples self_pct)"
}

@test "OS calls by SQL: count, total and longest of each name, longest total first" {
	same "$(sql "$SAMPLES" "SELECT count(*), sum(end - start), max(end - start), value FROM OSRT_API JOIN StringIds ON id = nameId
		GROUP BY value ORDER BY 2 DESC, 1")" "$(nsq-threads --os "$SAMPLES" | col count total_ns max_ns name)"
}

@test "what was not captured is -, and a line on stderr says how to get it" {
	mentions "threads-copies.sqlite' holds no context switches or CPU samples; nsq capture --again says how" \
		-- nsq-threads "$COPIES"
	same "-" "$(col run_ns run_pct waits max_wait_ns samples <<<"$output" | tr '\t' '\n' | sort -u)"
	lacks "$(col cuda_ns os_ns nvtx_ns <<<"$output")" "-"
	t=$(change "$SCHED" "$(drop_tables "$SCHED" 'CUPTI_*')" "$(drop_tables "$SCHED" 'NVTX_*')")
	mentions "no CUDA events or NVTX events; nsq capture --again says how" -- nsq-threads "$t"
	same "-" "$(col cuda_ns nvtx_ns <<<"$output" | tr '\t' '\n' | sort -u)"
	same "$(nsq-threads "$SCHED" | col tid run_ns os_ns)" "$(col tid run_ns os_ns <<<"$output")"
}

@test "exit 3 names the flag where the table is missing" {
	fails 3 "torch-compile.sqlite' holds no OS calls" "nsys profile --trace=cuda,nvtx,osrt" -- nsq-threads --os "$COMPILE"
	fails 3 "threads-copies.sqlite' holds no CPU samples" "nsys profile --sample=process-tree" -- nsq-threads --samples "$COPIES"
	t=$(change "$SCHED" "$(drop_tables "$SCHED" 'CUPTI_*')" "$(drop_tables "$SCHED" 'NVTX_*')" \
		"DROP TABLE OSRT_API; DROP TABLE SCHED_EVENTS; DROP TABLE COMPOSITE_EVENTS")
	fails 3 "holds no CUDA events or NVTX events or OS calls or context switches or CPU samples" \
		"nsys profile --trace=cuda,nvtx,osrt --cpuctxsw=process-tree --sample=process-tree" -- nsq-threads "$t"
	mentions "have no call chains" "--backtrace" -- nsq-threads --samples "$SCHED"
	same "$(table '32 100.00 100.00 - -')" "$(col samples pct self_pct name module <<<"$output")"
}

@test "a window without a pid is for each process with GPU work; a GPU restricts no threads" {
	same "$(nsq-setup -q -w 230ms..235ms "$DUALPIPE" | col pid)" "$(nsq-threads -q -w 230ms..235ms "$DUALPIPE" | col pid | uniq)"
	fails 2 "'--gpu' has no effect here: calls and threads do not belong to a GPU" -- nsq-threads -g 0 "$SCHED"
	same "$(table 'pid start_ns end_ns gpu' '557 40000000 50000000 -' | nsq-threads -w - "$SCHED" | without gpu)" \
		"$(table 'pid start_ns end_ns gpu' '557 40000000 50000000 0' | nsq-threads -w - "$SCHED" | without gpu)"
}

@test "a process with nothing but events of the CPU has rows" {
	t=$(change "$SCHED" "INSERT INTO SCHED_EVENTS (start, cpu, isSchedIn, globalTid) VALUES (40000000, 0, 1, 5 << 24 | 6),
		(40000500, 0, 0, 5 << 24 | 6)")
	same "$(table '5 40000000 40000501 6 500 99.80')" \
		"$(nsq-threads -p 5 "$t" | col pid start_ns end_ns tid run_ns run_pct)"
}
