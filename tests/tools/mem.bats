# nsq-mem: what moves, how fast?
load ../helper
load ../accounting

# kinds: NVIDIA's name of an operation in the first cell becomes nsq's kind.
kinds() {
	sed -e 's/^\[CUDA memcpy Unified Host-to-Device\]/um_h2d/; s/^\[CUDA memcpy Unified Device-to-Host\]/um_d2h/' \
		-e 's/^\[CUDA memcpy Host-to-Device\]/h2d/; s/^\[CUDA memcpy Device-to-Host\]/d2h/' \
		-e 's/^\[CUDA memcpy Device-to-Device\]/d2d/; s/^\[CUDA memset\]/memset/'
}

# Copies and sets of a trace, in SQL: pid gpu ctx stream a b bytes kind src dst corr proc.
moves() {
	local mem="CASE %s WHEN 0 THEN 'pageable' WHEN 1 THEN 'pinned' WHEN 2 THEN 'device' WHEN 3 THEN 'array' WHEN 4 THEN 'managed'
		WHEN 5 THEN 'device' WHEN 6 THEN 'managed' ELSE 'unknown' END"
	if [ -n "$(sql "$1" "SELECT 1 FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_MEMCPY'")" ]; then
		echo "SELECT globalPid >> 24 & 0xffffff AS pid, deviceId AS gpu, contextId AS ctx, streamId AS stream, start AS a, end AS b, bytes,
			CASE copyKind WHEN 1 THEN 'h2d' WHEN 3 THEN 'h2d' WHEN 2 THEN 'd2h' WHEN 4 THEN 'd2h' WHEN 5 THEN 'd2d' WHEN 6 THEN 'd2d'
			WHEN 7 THEN 'd2d' WHEN 8 THEN 'd2d' WHEN 9 THEN 'h2h' WHEN 10 THEN 'p2p' WHEN 11 THEN 'um_h2d' WHEN 12 THEN 'um_d2h'
			WHEN 13 THEN 'um_d2d' ELSE 'unknown' END AS kind, ${mem/\%s/srcKind} AS src, ${mem/\%s/dstKind} AS dst,
			correlationId AS corr, globalPid >> 24 AS proc FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE start >= 0 UNION ALL"
	fi
	echo "SELECT globalPid >> 24 & 0xffffff AS pid, deviceId AS gpu, contextId AS ctx, streamId AS stream, start AS a, end AS b, bytes,
		'memset' AS kind, '-' AS src, ${mem/\%s/memKind} AS dst, correlationId AS corr, globalPid >> 24 AS proc
		FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE start >= 0"
}

# bats test_tags=more
@test "--by kind: counts, totals and longest are those of cuda_gpu_mem_time_sum, row by row, in every fixture" {
	check() {
		local got
		got=$(nsq-mem -q --by kind "$1" | col kind count total_ns max_ns | sort)
		[ -n "$got" ]
		same "$(golden "$2" cuda_gpu_mem_time_sum 'SELECT "Operation", "Count", "Total Time (ns)", "Max (ns)" FROM g' | kinds | sort)" "$got"
		# the shortest, which only --each shows
		same "$(golden "$2" cuda_gpu_mem_time_sum 'SELECT "Operation", "Min (ns)", "Max (ns)" FROM g' | kinds | sort)" \
			"$(nsq-mem -q --each "$1" | col kind dur_ns | measured | cut -f1,8,9)"
	}
	every check
}

# bats test_tags=more
@test "--by kind: bytes are those of cuda_gpu_mem_size_sum, in MB to three decimals, in every fixture" {
	check() {
		same "$(golden "$2" cuda_gpu_mem_size_sum 'SELECT "Operation", "Count", "Total (MB)" FROM g' | kinds | sort)" \
			"$(nsq-mem -q --by kind "$1" | col kind count bytes | awk -F '\t' -v OFS='\t' '{ print $1, $2, sprintf("%.3f", $3 / 1e6) }' | sort)"
		same "$(golden "$2" cuda_gpu_mem_size_sum 'SELECT "Operation", "Min (MB)", "Max (MB)" FROM g' | kinds | sort)" \
			"$(nsq-mem -q --each "$1" | col kind bytes | measured | awk -F '\t' -v OFS='\t' '{ print $1, sprintf("%.3f", $8 / 1e6), sprintf("%.3f", $9 / 1e6) }')"
	}
	every check
}

@test "by definition: a copy or set that starts before 0 is left out" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = -9 WHERE rowid = 1" "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = -1 WHERE rowid < 4")
	same "$(sql "$t" "SELECT count(*), sum(bytes), sum(b - a) FROM ($(moves "$t"))")" "$(nsq-mem "$t" | sum count bytes total_ns)"
	same "$(sql "$COPIES" "SELECT count(*) - 4 FROM ($(moves "$COPIES"))")" "$(nsq-mem "$t" | sum count)"
}

# bats test_tags=more
@test "kind, source and destination; bytes, times and rate, recomputed in every fixture" {
	check() {
		same "$(sql "$1" "SELECT kind, src, dst, count(*), sum(bytes), sum(b - a), max(b - a), printf('%.*f',
					CASE WHEN sum(bytes) AND 1.0 * sum(bytes) / sum(b - a) < 0.005 THEN 1 - floor(log10(1.0 * sum(bytes) / sum(b - a))) ELSE 2 END,
					1.0 * sum(bytes) / sum(b - a))
				FROM ($(moves "$1")) GROUP BY kind, src, dst ORDER BY 6 DESC")" \
			"$(nsq-mem -q "$1" | col kind src dst count bytes total_ns max_ns gbps)"
		same "$(sql "$1" "SELECT kind || '/' || src || '/' || dst, b - a FROM ($(moves "$1"))" | measured | cut -f1,5)" \
			"$(nsq-mem -q "$1" | col kind src dst p50_ns | sed "s,$TAB,/,; s,$TAB,/," | sort)"
	}
	every check
}

# bats test_tags=long
@test "a rate below 0.005 GB/s has as many decimals as it takes to show two figures" {
	while read -r bytes ns rate; do
		t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = $bytes, start = 40000000, end = 40000000 + $ns WHERE copyKind = 2")
		same "$rate $rate" "$(nsq-mem -q "$t" | where kind d2h | col gbps) $(nsq-mem -q --each "$t" | where kind d2h | col gbps)"
		same "$rate" "$(nsq-mem -q -f csv --by kind "$t" | awk -F , '$12 == "d2h" { print $11 }')"
	done <<-END
		5 1000 0.01
		5000 1000000 0.01
		4999 1000000 0.0050
		1234 1000000 0.0012
		996 1000000 0.0010
		4 1000000 0.0000040
		0 1000000 0.00
	END
}

@test "pageable copies stand beside pinned ones, and are slower" {
	answers nsq-mem "$COPIES"
	read -r pageable pinned <<<"$(where kind h2d <<<"$output" | col src gbps | sort | cut -f2 | paste -sd ' ')"
	same "pageable,pinned" "$(where kind h2d <<<"$output" | col src | sort | paste -sd ,)"
	awk -v a="$pageable" -v b="$pinned" 'BEGIN { exit !(a * 3 < b) }'
}

@test "unified memory migrations are rows of their own" {
	same "$(sql "$COPIES" "SELECT 'um_h2d', count(*), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11 UNION ALL
			SELECT 'um_d2h', count(*), sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 12")" \
		"$(nsq-mem "$COPIES" | col kind count bytes | grep ^um_)"
}

# bats test_tags=more
@test "a set has no source: src is -" {
	check() { same "-" "$(nsq-mem -q --each "$1" | where kind memset | col src | sort -u)"; }
	every check
	same "" "$(nsq-mem --each "$COPIES" | where src - | col kind | grep -v memset)"
}

@test "every copy kind and memory kind has its name" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = rowid % 15, srcKind = rowid % 9, dstKind = (rowid + 4) % 9" \
		"UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET memKind = rowid % 8")
	same "$(sql "$t" "SELECT a, b, kind, src, dst FROM ($(moves "$t")) ORDER BY 1, 2, 3")" \
		"$(nsq-mem --each "$t" | col start_ns end_ns kind src dst | sort -t "$TAB" -k1,1n -k2,2n -k3,3)"
	same "d2d,d2h,h2d,h2h,memset,p2p,um_d2d,um_d2h,um_h2d,unknown" "$(nsq-mem --by kind "$t" | col kind | sort | paste -sd ,)"
}

@test "--by pid, gpu, stream and their crossings with kind: the same copies, summed in SQL" {
	for t in "$COPIES" "$DDP"; do
		all=$(moves "$t")
		same "$(sql "$t" "SELECT pid, count(*), sum(bytes), sum(b - a) FROM ($all) GROUP BY pid ORDER BY 4 DESC")" \
			"$(nsq-mem --by pid "$t" | col pid count bytes total_ns)"
		same "$(sql "$t" "SELECT gpu, count(*), sum(bytes), sum(b - a) FROM ($all) GROUP BY gpu ORDER BY 4 DESC")" \
			"$(nsq-mem --by gpu "$t" | col gpu count bytes total_ns)"
		same "$(sql "$t" "SELECT pid, gpu, ctx, stream, count(*), sum(bytes), sum(b - a) FROM ($all) GROUP BY proc, gpu, ctx, stream" | sort)" \
			"$(nsq-mem --by stream "$t" | col pid gpu ctx stream count bytes total_ns | sort)"
		same "$(sql "$t" "SELECT pid, kind, count(*), sum(bytes), sum(b - a) FROM ($all) GROUP BY proc, kind" | sort)" \
			"$(nsq-mem --by pid,kind "$t" | col pid kind count bytes total_ns | sort)"
	done
	fails 2 "'name'" -- nsq-mem --by name "$COPIES"
}

@test "--by src and dst, and their crossings with pid: the same copies, summed in SQL" {
	for t in "$COPIES" "$DUALPIPE"; do
		all=$(moves "$t")
		for keys in src dst pid,src pid,src,dst src,dst; do
			same "$(sql "$t" "SELECT $keys, count(*), sum(bytes), sum(b - a) FROM ($all) GROUP BY $keys" | sort)" \
				"$(nsq-mem --by "$keys" "$t" | col ${keys//,/ } count bytes total_ns | sort)"
		done
		same "$(nsq-mem "$t")" "$(nsq-mem --by kind,src,dst "$t")"
	done
	holds "$(nsq-mem --by src,dst --columns | col name | paste -sd ' ')" "gbps src dst window trace"
}

@test "--by nvtx and --each: the innermost range around the launch" {
	for t in "$COPIES" "$NODES"; do
		same "$(ask "$t" "SELECT coalesce($INNERMOST, '-'), 1, b - a FROM launched l WHERE $MOVES" | fold_cell 1 | added 1)" \
			"$(nsq-mem --by nvtx "$t" | col nvtx count total_ns | sort)"
		same "$(ask "$t" "SELECT pid, a, b, gpu, ctx, stream, coalesce(launch, '-'), b - a, coalesce($INNERMOST, '-') FROM launched l WHERE $MOVES" | sort)" \
			"$(nsq-mem --each "$t" | col pid start_ns end_ns gpu ctx stream launch_ns dur_ns nvtx | sort)"
	done
}

@test "--each: bytes, rate and kinds of each copy, by start" {
	answers nsq-mem --each "$COPIES"
	same "$(sql "$COPIES" "SELECT a, b, b - a, bytes, printf('%.2f', 1.0 * bytes / (b - a)), kind, src, dst FROM ($(moves "$COPIES")) ORDER BY a, b")" \
		"$(col start_ns end_ns dur_ns bytes gbps kind src dst <<<"$output")"
}

@test "in a window times are cut, bytes are whole, and the rate is that of the whole copy" {
	read -r a b bytes <<<"$(sql "$COPIES" "SELECT start, end, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY end - start DESC LIMIT 1")"
	answers nsq-mem -w $((a + 1000))..$((a + 5000)) "$COPIES"
	same "1$TAB$bytes${TAB}4000${TAB}4000${TAB}4000$TAB$(awk -v n="$bytes" -v d=$((b - a)) 'BEGIN { printf "%.2f", n / d }')" \
		"$(col count bytes total_ns p50_ns max_ns gbps <<<"$output")"
	answers nsq-mem --each -w $((a + 1000))..$((a + 5000)) "$COPIES"
	same "$((a + 1000))$TAB$((a + 5000))${TAB}4000$TAB$bytes" "$(col start_ns end_ns dur_ns bytes <<<"$output")"
	mentions "nothing was copied" -- nsq-mem --inside -w $((a + 1000))..$((a + 5000)) "$COPIES"
	same "$(sql "$COPIES" "SELECT kind, src, count(*), sum(bytes), sum(min(b, 51700000) - max(a, 33100000)) FROM ($(moves "$COPIES"))
			WHERE a < 51700000 AND b > 33100000 GROUP BY kind, src, dst" | sort)" \
		"$(nsq-mem -w 33.1ms..51.7ms "$COPIES" | col kind src count bytes total_ns | sort)"
}

@test "a copy of no length has no rate, and takes part" {
	t=$(change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind != 2" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = start")
	same "1${TAB}16777216${TAB}0${TAB}-" "$(nsq-mem --by kind "$t" | where kind d2h | col count bytes total_ns gbps)"
}

@test "rows come longest total first" {
	nsq-mem "$COPIES" | col total_ns | sort -c -nr
	nsq-mem --by stream,kind "$COPIES" | col total_ns | sort -c -nr
}

@test "--by: the keys give the columns, the measures stay" {
	while IFS='|' read -r by before after; do
		echo "--by $by"
		same "$(tr -s ' ' <<<"pid rank start_ns end_ns gpu $before count bytes total_ns p50_ns max_ns gbps $after window trace")" \
			"$(nsq-mem --by "$by" "$COPIES" | head -1 | tr '\t' ' ')"
	done <<-'END'
		kind||kind
		pid||
		gpu||
		stream|ctx stream|
		nvtx||nvtx
		stream,kind,nvtx|ctx stream|kind nvtx
	END
	fails 2 "'--by'" "'--each'" -- nsq-mem --each --by kind "$COPIES"
	fails 2 "'--adopt'" -- nsq-mem --adopt "$COPIES"
}

@test "-m: only copies and sets whose kind, src and dst match, in sums and each" {
	where() { sql "$COPIES" "SELECT kind, src, dst, count(*), sum(b - a) FROM ($(moves "$COPIES")) WHERE $1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"; }
	got() { nsq-mem -q "$@" "$COPIES" | col kind src dst count total_ns | sort; }
	same "$(where "src = 'pageable' OR dst = 'pageable'")" "$(got -m pageable)"
	same "$(where "dst = 'pageable'")" "$(got -m 'pageable$')"
	same "$(where "kind = 'memset'")" "$(got -m '^memset - device$')"
	same "$(where 1)" "$(got -m .)"
	same "$(sql "$COPIES" "SELECT count(*) FROM ($(moves "$COPIES")) WHERE kind = 'h2d' AND src = 'pageable'")" "$(nsq-mem -q --each -m '^h2d pageable' "$COPIES" | count)"
	mentions "no copy or set has such a kind" -- nsq-mem -m nowhere "$COPIES"
	fails 2 "'-m'" -- nsq-mem -m '(' "$COPIES"
}

@test "--each: the call that made a copy, and the one that waited for it, by SQL; --by call adds the former up" {
	# what is waited for here: the device, a stream, or the copy by its own call
	for t in "$COPIES" "$NODES"; do
		same "$(sql "$t" "WITH r AS (SELECT r.*, value AS name, globalTid >> 24 AS p FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds ON id = nameId),
			c AS (SELECT start, end, contextId AS x, streamId AS s, correlationId AS k, globalPid >> 24 AS p, srcKind = 0 OR dstKind = 0 AS slow, copyKind IN (1, 2, 3, 4, 9) AS host
				FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT start, end, contextId, streamId, correlationId, globalPid >> 24, 0, 0 FROM CUPTI_ACTIVITY_KIND_MEMSET),
			l AS (SELECT c.*, r.start AS ls, r.end - r.start AS dur, r.name FROM c LEFT JOIN r ON r.p = c.p AND r.correlationId = k)
			SELECT start, coalesce(replace(replace(replace(name, '_v3020', ''), '_v10000', ''), '_v2', ''), '-'), coalesce(dur, '-'), coalesce(
				iif(host AND name LIKE '%Memcpy%' AND name NOT LIKE '%Async%', dur || char(9) || substr(name, 1, instr(name || '_v', '_v') - 1), NULL),
				(SELECT (r.end - r.start) || char(9) || substr(r.name, 1, instr(r.name || '_v', '_v') - 1) FROM r
				WHERE r.p = l.p AND r.start < l.end AND r.end >= l.end - 20000 AND (
					(r.name LIKE 'cudaDeviceSync%' AND l.ls < r.start) OR
					(r.name LIKE 'cudaStreamSync%' AND l.ls < r.start AND (x, s) IN (SELECT contextId, streamId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y
						WHERE y.correlationId = r.correlationId AND y.globalPid >> 24 = r.p)) OR
					(r.correlationId = k AND r.end >= l.end AND name LIKE '%Memcpy%' AND (slow OR name NOT LIKE '%Async%')))
				ORDER BY r.end LIMIT 1), '-' || char(9) || '-') FROM l ORDER BY 1, 3")" "$(nsq-mem -q --each "$t" | col start_ns call call_ns wait_ns waiter | sort -n -k 1,1 -k 3,3)"
		same "$(nsq-mem -q --each "$t" | col call dur_ns | awk -F '\t' -v OFS='\t' '{ n[$1]++; s[$1] += $2 } END { for (c in n) print c, n[c], s[c] }' | sort)" \
			"$(nsq-mem -q --by call "$t" | col call count total_ns | sort)"
	done
	same "-" "$(nsq-mem --each -m um_ "$COPIES" | col call call_ns wait_ns waiter | tr '\t' '\n' | sort -u)"
}

@test "a synchronization waited for the copies on its stream, or before its event, that ended at most 20us after it" {
	t=$BATS_TEST_TMPDIR/event.sqlite
	sqlite3 "$t" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1, 'cudaMemcpyAsync'), (2, 'cudaEventRecord'), (3, 'cudaEventSynchronize'), (4, 'cudaStreamSynchronize');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1100, 9 << 24 | 9, 1, 1), (1200, 1210, 9 << 24 | 9, 2, 2), (1300, 1400, 9 << 24 | 9, 3, 1),
			(1500, 1600, 9 << 24 | 9, 4, 1), (1700, 900000, 9 << 24 | 8, 5, 3), (1800, 490000, 9 << 24 | 7, 6, 4);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000, 500000, 0, 1, 7, 1, 9 << 24, 8, 1, 1, 2), (600000, 700000, 0, 1, 7, 3, 9 << 24, 8, 1, 1, 2),
			(2000, 500000, 0, 1, 8, 4, 9 << 24, 8, 2, 2, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, correlationId, globalPid, eventId, eventSyncId);
		INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 2, 9 << 24, 3, 1);
		CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, streamId, correlationId, globalPid, syncType, eventId, eventSyncId);
		INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1700, 900000, 0, 1, 4294967295, 5, 9 << 24, 1, 3, 1),
			(1800, 490000, 0, 1, 8, 6, 9 << 24, 3, 0, 4294967295)"
	same "$(table '7 1000 898300' '7 1300 -' '8 1500 488200')" "$(nsq-mem -q --each "$t" | col stream launch_ns wait_ns | sort)"
	# a record that is not in the trace tells nothing
	t=$(change "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT")
	same "$(table '7 -' '7 -' '8 488200')" "$(nsq-mem -q --each "$t" | col stream wait_ns | sort)"
	t=$(change "$t" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = 479999 WHERE nameId = 4")
	same "-" "$(nsq-mem -q --each "$t" | col wait_ns | sort -u)"
}

@test "a copy to or from the host by a call without Async is waited for by that call, even if it ends later" {
	# each ends 30us after its call; behind them a copy to the host waits for a kernel's time
	t=$BATS_TEST_TMPDIR/own.sqlite
	sqlite3 "$t" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		INSERT INTO StringIds VALUES (1, 'cudaMemcpy2D_v3020'), (2, 'cudaMemcpyAsync_v3020'), (3, 'cudaMemcpy_v3020');
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10000, 9 << 24 | 9, 1, 1), (50000, 60000, 9 << 24 | 9, 2, 2), (100000, 110000, 9 << 24 | 9, 3, 3),
			(150000, 160000, 9 << 24 | 9, 4, 3), (161000, 19000000, 9 << 24 | 9, 5, 3);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5000, 40000, 0, 1, 7, 1, 9 << 24, 8, 1, 0, 2), (55000, 162000, 0, 1, 7, 2, 9 << 24, 8, 1, 0, 2),
			(162000, 163000, 0, 1, 7, 3, 9 << 24, 8, 8, 2, 2), (163000, 190000, 0, 1, 7, 4, 9 << 24, 8, 1, 0, 2), (18000000, 18990000, 0, 1, 7, 5, 9 << 24, 8, 2, 2, 0)"
	same "$(table '0 h2d 10000 cudaMemcpy2D' '50000 h2d 18839000 cudaMemcpy' '100000 d2d 18839000 cudaMemcpy' '150000 h2d 10000 cudaMemcpy' '161000 d2h 18839000 cudaMemcpy')" \
		"$(nsq-mem -q --each "$t" | col launch_ns kind wait_ns waiter)"
	# three show one wait, so nothing adds it up
	holds "$(nsq-mem -q --each "$t" | nsq-plot --kind bars -x kind -y wait_ns -f text 2>&1)" "cannot be added up"
	lacks "$(nsq-mem -q --each "$t" | nsq-plot --kind bars -x kind -y call_ns -f text 2>&1)" "cannot be added up"
}

@test "--faults: page faults on unified memory by range, of the kernel that runs on the GPU or of the main thread" {
	answers nsq-mem --faults "$COPIES"
	same "$(sql "$COPIES" "SELECT 'cpu', count(*), '-' FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS UNION ALL
		SELECT 'gpu', sum(numberOfPageFaults), sum(end - start) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS")" "$(col kind count total_ns <<<"$output")"
	# in a kernel, a copy after it and nothing; the main thread in a range, and in none
	IFS=$TAB read -r a b nvtx < <(nsq-kernels -q --each "$COPIES" | col start_ns end_ns nvtx | awk -F '\t' '$3 != "-" && $2 > $1 + 1000 { print; exit }')
	nvtx=$(sed 's/[0-9][0-9]*/#/g' <<< "$nvtx")
	t=$(change "$COPIES" "DELETE FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS WHERE rowid > 5; UPDATE CUDA_UM_CPU_PAGE_FAULT_EVENTS SET start = 40000000 + rowid * 1000000;
		INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT 42500000, 44500000, 59, 'touch 7', globalPid | (globalPid >> 24 & 0xffffff), 0
			FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS LIMIT 1;
		INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS SELECT $a + ($b - $a) / 2, $b + 5, globalPid, deviceId, address, 3, 1 FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS LIMIT 1")
	[ -n "$nvtx" ]
	same "cpu${TAB}2${TAB}touch #
cpu${TAB}3${TAB}-
gpu${TAB}1${TAB}-
gpu${TAB}3$TAB$nvtx" "$(nsq-mem -q --faults "$t" | col kind count nvtx | sort)"
	same "cpu${TAB}1" "$(nsq-mem -q --faults -w 40500000..41500000 "$t" | col kind count)"
	same "gpu gpu" "$(nsq-mem -q --faults -g 0 "$t" | col kind | xargs)"
	holds "$(nsq-mem --faults "$COMPILE" 2>&1 >/dev/null)" "no page fault" "--cuda-um-gpu-page-faults=true"
}
