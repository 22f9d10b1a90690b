# nsq-api: what does the CPU spend on CUDA calls?
load ../helper
load ../accounting
load ../small-traces

# base: the name in the first cell without its version and variant suffixes.
base() { awk -F '\t' -v OFS='\t' '{ while (sub(/(_v[0-9]+|_ptsz|_ptds)$/, "", $1)) ; print }'; }

# classed: adds the class of the name in the first cell as the last cell.
classed() {
	awk -F '\t' -v OFS='\t' '
		function class(n) {
			if (n ~ /Launch/) return "launch"
			if (n ~ /Synchronize/) return "sync"
			if (n ~ /Mem|Malloc|Free|HostAlloc|HostRegister/) return "memory"
			if (n ~ /Graph|Capture/) return "graph"
			if (n ~ /Event/) return "event"
			if (n ~ /Stream/) return "stream"
			if (n ~ /Module|Library|Kernel|Func/) return "module"
			return "other"
		} { print $0, class($1) }'
}

# bats test_tags=more
@test "counts, totals and extremes are those of cuda_api_sum, name by name, in every fixture" {
	check() {
		local got
		got=$(nsq-api -q "$1" | col name count total_ns min_ns max_ns | sort)
		[ -n "$got" ]
		same "$(golden "$2" cuda_api_sum 'SELECT "Name", "Num Calls", "Total Time (ns)", "Min (ns)", "Max (ns)" FROM g' | base |
			awk -F '\t' -v OFS='\t' '!($1 in n) { n[$1] = 0; min[$1] = $4; max[$1] = $5 }
				{ n[$1] += $2; t[$1] += $3 } $4 + 0 < min[$1] + 0 { min[$1] = $4 } $5 + 0 > max[$1] + 0 { max[$1] = $5 }
				END { for (k in n) print k, n[k], sprintf("%.0f", t[k]), min[k], max[k] }' | sort)" "$got"
	}
	every check
	# names do coincide: this one is in the reports with a suffix
	holds "$(cat "$TESTS/golden/decode-graph-nodes/cuda_api_sum.csv")" "cudaGraphLaunch_v"
}

@test "names lose every suffix of version and variant, one after the other, and names that coincide are one row" {
	t=$(change "$COPIES" "UPDATE StringIds SET value = 'cudaMemcpyAsync_ptsz_v3020' WHERE value LIKE 'cudaMemcpyAsync_v%'" \
		"UPDATE StringIds SET value = 'cudaMemcpyAsync_v2_ptds' WHERE value LIKE 'cudaMemsetAsync_v%'" \
		"UPDATE StringIds SET value = 'cuda_v2Thing_vX' WHERE value LIKE 'cudaDeviceSynchronize_v%'")
	same "$(ask "$t" "SELECT name, 1, b - a FROM calls" | base | added 1)" "$(nsq-api "$t" | col name count total_ns | sort)"
	same "$(ask "$COPIES" "SELECT count(*) FROM calls WHERE name LIKE 'cudaMemcpyAsync%' OR name LIKE 'cudaMemsetAsync%'")" \
		"$(nsq-api "$t" | where name cudaMemcpyAsync | col count)"
	same 14 "$(nsq-api "$t" | where name cuda_v2Thing_vX | col count)"
}

@test "by definition: a call that starts before 0 is left out" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -7, end = 900000 WHERE rowid IN (1, 2, 3)")
	same "$(sql "$t" "SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start >= 0")" \
		"$(nsq-api "$t" | sum count total_ns)"
	same "$(sql "$COPIES" "SELECT count(*) - 3 FROM CUPTI_ACTIVITY_KIND_RUNTIME")" "$(nsq-api "$t" | sum count)"
}

# bats test_tags=more
@test "means, percentiles by nearest rank and extremes are those of awk, in every fixture" {
	check() {
		same "$(ask "$1" "SELECT name, b - a FROM calls" | base | measured | cut -f1-6,8-9)" \
			"$(nsq-api -q "$1" | col name count total_ns mean_ns p50_ns p90_ns min_ns max_ns | sort)"
	}
	every check
}

# bats test_tags=more
@test "class is that of the first word that matches, in every fixture" {
	check() {
		same "$(ask "$1" "SELECT DISTINCT name FROM calls" | base | sort -u | classed)" "$(nsq-api -q "$1" | col name class | sort)"
	}
	every check
	# names that hold several words, and none
	t=$(change "$COPIES" "UPDATE StringIds SET value = 'cuGraphKernelLaunchSynchronize' WHERE value LIKE 'cudaMemcpyAsync_v%'" \
		"UPDATE StringIds SET value = 'cuMemGraphEvent' WHERE value LIKE 'cudaLaunchKernel_v%'" \
		"UPDATE StringIds SET value = 'cuStreamCaptureEvent' WHERE value LIKE 'cudaMemsetAsync_v%'" \
		"UPDATE StringIds SET value = 'cuStreamEventFunc' WHERE value LIKE 'cudaDeviceSynchronize_v%'" \
		"UPDATE StringIds SET value = 'cuHostRegisterStream' WHERE value LIKE 'cudaStreamSynchronize_v%'" \
		"UPDATE StringIds SET value = 'cuFuncStream' WHERE value LIKE 'cudaStreamCreateWithFlags_v%'")
	same "cuGraphKernelLaunchSynchronize launch;cuMemGraphEvent memory;cuStreamCaptureEvent graph;cuStreamEventFunc event;cuHostRegisterStream memory;cuFuncStream stream" \
		"$(for n in cuGraphKernelLaunchSynchronize cuMemGraphEvent cuStreamCaptureEvent cuStreamEventFunc cuHostRegisterStream cuFuncStream; do
			nsq-api "$t" | where name "$n" | col name class | tr '\t' ' '; done | paste -sd ';')"
}

@test "pct is the share of all rows, which come longest total first" {
	nsq-api "$DDP" | col total_ns pct > "$BATS_TEST_TMPDIR/pct"
	cut -f1 "$BATS_TEST_TMPDIR/pct" | sort -c -nr
	awk -F '\t' '{ sum += $1; t[NR] = $1; p[NR] = $2 }
		END { for (i = 1; i <= NR; i++) if (sprintf("%.2f", 100.0 * t[i] / sum) != p[i]) { print i, t[i], p[i]; bad = 1 }
			exit bad || NR < 5 }' "$BATS_TEST_TMPDIR/pct"
}

# bats test_tags=more
@test "--class: the calls of one class, by name, by thread and each" {
	for t in $(first_few 1 "$COPIES" "$DDP"); do
		for class in sync launch memory other; do
			want=$(ask "$t" "SELECT name, b - a FROM calls" | base | classed | awk -F '\t' -v OFS='\t' -v c="$class" '$3 == c { print $1, 1, $2 }')
			same "$(added 1 <<<"$want")" "$(nsq-api --class "$class" "$t" | col name count total_ns | sort)"
			same "$(added 1 <<<"$want")" "$(nsq-api --class "$class" --each "$t" | col name dur_ns | sed "s/$TAB/&1&/" | added 1)"
		done
	done
	fails 2 "'waiting'" "sync" -- nsq-api --class waiting "$COPIES"
}

# bats test_tags=more
@test "--by class, thread, pid and their crossings: the same calls, summed in SQL" {
	for t in $(first_few 2 "$COPIES" "$DUALPIPE" "$DDP"); do
		same "$(ask "$t" "SELECT name, b - a FROM calls" | base | classed | awk -F '\t' -v OFS='\t' '{ print $3, 1, $2 }' | added 1)" \
			"$(nsq-api --by class "$t" | col class count total_ns | sort)"
		same "$(ask "$t" "SELECT pid, count(*), sum(b - a), min(b - a), max(b - a) FROM calls GROUP BY pid ORDER BY 3 DESC")" \
			"$(nsq-api --by pid "$t" | col pid count total_ns min_ns max_ns)"
		same "$(ask "$t" "SELECT pid, tid, count(*), sum(b - a) FROM calls GROUP BY proc, tid ORDER BY 4 DESC")" \
			"$(nsq-api --by thread "$t" | col pid tid count total_ns)"
		same "$(ask "$t" "SELECT name, pid, tid, 1, b - a FROM calls" | base | added 3)" \
			"$(nsq-api --by thread,name "$t" | col name pid tid count total_ns | sort)"
	done
	fails 2 "'stream'" -- nsq-api --by stream "$COPIES"
}

@test "--by: the keys give the columns, the measures stay" {
	measures="count total_ns pct mean_ns p50_ns p90_ns min_ns max_ns"
	while IFS='|' read -r by before after; do
		echo "--by $by"
		same "$(tr -s ' ' <<<"pid rank start_ns end_ns gpu $before $measures $after window trace")" \
			"$(nsq-api --by "$by" "$COPIES" | head -1 | tr '\t' ' ')"
	done <<-'END'
		name||class name
		class||class
		thread|tid|thread
		pid||
		thread,name|tid|class thread name
	END
}

@test "--by thread: who calls, with the names of the threads" {
	same "$(sql "$COPIES" "SELECT DISTINCT t.globalTid & 0xffffff, value FROM ThreadNames t JOIN StringIds ON id = nameId
			WHERE globalTid IN (SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME)" | sort)" \
		"$(nsq-api --by thread "$COPIES" | col tid thread | sort)"
	# what NVTX calls a thread wins, whatever the time of that definition; one without a name has -
	t=$(change "$COPIES" "DELETE FROM ThreadNames WHERE globalTid & 0xffffff IN (475, 493)" \
		"UPDATE NVTX_EVENTS SET start = -1 WHERE eventType = 39")
	same "475 -,493 loader,494 worker" "$(nsq-api --by thread "$t" | col tid thread | sort | tr '\t' ' ' | paste -sd ,)"
	same "loader${TAB}cudaStreamSynchronize" "$(nsq-api --class sync --by thread,name "$COPIES" | col thread name | head -1)"
}

@test "--each: one row per call, as SQL says" {
	for t in "$COPIES" "$DUALPIPE"; do
		same "$(ask "$t" "SELECT name, pid, a, b, tid, b - a FROM calls" | base | classed | sort)" \
			"$(nsq-api --each "$t" | col name pid start_ns end_ns tid dur_ns class | sort)"
	done
	nsq-api --each -p 693 "$DUALPIPE" | col start_ns | sort -c -n
}

# whys TRACE: the start of each call that is long for a reason, and the reason.
whys() { nsq-api -q --each "$1" | col start_ns why | grep -v -- '-$'; }

@test "--each: why a launch takes over 100 us: a full queue, code that is loaded, a first launch, a lock" {
	# 1,100 kernels of 1 ms each are launched on stream 7, 1 us apart, then one that finds 1,097 that have not ended, and has
	# to wait; then a new one on stream 8, which is empty.  The next four calls are not long enough, or nobody holds a lock; two
	# threads hold locks during the last.
	t=$(made "INSERT INTO S VALUES (6, 'cuModuleLoadData'), (7, 'cudaFree'), (8, 'add');
		INSERT INTO R WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1099) SELECT 1000 * i, 1000 * i + 500, $P5 + 5, i + 1, 2 FROM n;
		INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1099) SELECT 2000 + 1000000 * i, 1002000 + 1000000 * i, 0, 1, 7, i + 1, $P5, 1, 1 FROM n;
		INSERT INTO R VALUES (2000000, 2100001, $P5 + 5, 2001, 2), (3000000, 3100001, $P5 + 5, 2002, 2),
			(4000000, 4100001, $P5 + 5, 2003, 2), (4010000, 4090000, $P5 + 5, 2004, 6), (5000000, 5100001, $P5 + 5, 2005, 2),
			(5010000, 5070000, $P5 + 6, 2006, 7), (6000000, 6100001, $P5 + 5, 2007, 2), (6010000, 6070000, $P5 + 6, 2008, 3),
			(7000000, 7100001, $P5 + 5, 2009, 2), (7010000, 7050000, $P5 + 6, 2010, 7), (8000000, 8100000, $P5 + 5, 2011, 2),
			(8010000, 8090000, $P5 + 6, 2012, 7), (9000000, 9100001, $P5 + 5, 2013, 2), (9010000, 9090000, $P6 + 6, 2014, 7),
			(10000000, 10100001, $P5 + 5, 2015, 2), (10060000, 10090000, $P5 + 6, 2016, 7), (10010000, 10040000, $P5 + 7, 2017, 7);
		INSERT INTO K VALUES (2000000000, 2000000100, 0, 1, 7, 2001, $P5, 1, 1), (2000000200, 2000000300, 0, 1, 8, 2002, $P5, 8, 8)")
	same "2000000 queue;3000000 first;4000000 load;5000000 lock;10000000 lock" "$(whys "$t" | tr '\t' ' ' | paste -sd ';')"
	# one call fewer is in the queue, and the kernel was launched before
	t=$(change "$t" "DELETE FROM ${K}RUNTIME WHERE correlationId <= 102" "UPDATE ${K}KERNEL SET demangledName = 1 WHERE correlationId = 2002")
	same "4000000 load;5000000 lock;10000000 lock" "$(whys "$t" | tr '\t' ' ' | paste -sd ';')"
}

# bats test_tags=long
@test "--each: the reasons of long launches are those of a second reading" {
	unpack() { xz -dc "$FIXTURES/faults/$1.sqlite.xz" > "$BATS_TEST_TMPDIR/$1.sqlite"; }
	unpack fp32
	for t in "$EAGER" "$BATS_TEST_TMPDIR/fp32.sqlite"; do
		same "$(oracle api "$t" | sort)" "$(whys "$t" | sort)"
	done
	same "121 queue 1 first" "$(whys "$BATS_TEST_TMPDIR/fp32.sqlite" | cut -f2 | sort | uniq -c | sort -rn | xargs)"
	same 11 "$(whys "$EAGER" | grep -c first)"
}

@test "-w, -p and --inside: a call counts where it touches the window, with the part inside" {
	read -r a b <<<"$(ask "$COPIES" "SELECT a + (b - a) / 3, b + 3000000 FROM calls ORDER BY b - a DESC LIMIT 1")"
	same "$(ask "$COPIES" "SELECT name, 1, min(b, $b) - max(a, $a) FROM calls WHERE a < $b AND b > $a" | base | added 1)" \
		"$(nsq-api -w "$a..$b" "$COPIES" | col name count total_ns | sort)"
	same "$(ask "$COPIES" "SELECT name, 1, b - a FROM calls WHERE a >= $a AND b <= $b" | base | added 1)" \
		"$(nsq-api --inside -w "$a..$b" "$COPIES" | col name count total_ns | sort)"
	same "$(ask "$COPIES" "SELECT max(a, $a), min(b, $b), min(b, $b) - max(a, $a) FROM calls WHERE a < $b AND b > $a ORDER BY 1, 2")" \
		"$(nsq-api --each -w "$a..$b" "$COPIES" | col start_ns end_ns dur_ns | sort -n)"
	same "$(ask "$DUALPIPE" "SELECT count(*), sum(b - a) FROM calls WHERE pid = 695")" "$(nsq-api -p 695 "$DUALPIPE" | sum count total_ns)"
}

# launch_facts TRACE PID A B: the columns of LAUNCH, below,
# of the calls of class launch of a process that touch [A,B).
launch_facts() {
	local calls queues latencies kernels in="c.pid = $2 AND c.name LIKE '%Launch%' AND c.a < $4 AND c.b > $3"
	# the call that launched each kernel or graph is the first of its correlation id
	calls=$(ask "$1" "SELECT min(b, $4) - max(a, $3) FROM calls c WHERE $in" | sort -n)
	queues=$(ask "$1" "SELECT min(w.a) - c.b FROM launched w CROSS JOIN calls c ON c.proc = w.proc AND c.corr = w.corr
		AND c.a = w.launch AND c.tid = w.tid WHERE $in AND w.$KERNELS GROUP BY c.rowid" | sort -n)
	latencies=$(ask "$1" "SELECT min(w.a) - c.a FROM launched w CROSS JOIN calls c ON c.proc = w.proc AND c.corr = w.corr
		AND c.a = w.launch AND c.tid = w.tid WHERE $in AND w.$KERNELS GROUP BY c.rowid" | sort -n)
	kernels=$(ask "$1" "SELECT w.b - w.a FROM launched w CROSS JOIN calls c ON c.proc = w.proc AND c.corr = w.corr
		AND c.a = w.launch AND c.tid = w.tid WHERE $in AND w.kind = 'kernel'" | sort -n)
	awk -v OFS='\t' -v ns=$(($4 - $3)) '
		function rank(which, p) { return n[which] ? x[which, int((p * n[which] + 99) / 100)] : "-" }
		FNR == 1 { which++ } { x[which, ++n[which]] = $1 } which == 4 && $1 < 10000 { small++ }
		END { print n[1], sprintf("%.2f", n[1] / (ns / 1e9)), rank(1, 50), rank(1, 90), rank(1, 99), rank(2, 50), rank(2, 90), rank(2, 99),
			rank(3, 50), rank(3, 99), rank(4, 50), rank(4, 90), rank(4, 99), n[4] ? sprintf("%.2f", 100.0 * small / n[4]) : "-" }' \
		<(cat <<<"$calls") <(cat <<<"$queues") <(cat <<<"$latencies") <(cat <<<"$kernels")
}

LAUNCH='launches launches_per_s api_p50_ns api_p90_ns api_p99_ns queue_p50_ns queue_p90_ns queue_p99_ns
	latency_p50_ns latency_p99_ns kernel_p50_ns kernel_p90_ns kernel_p99_ns small_pct'

# bats test_tags=more
@test "--launch: rate, call and queue times, latency and small kernels of each process, recomputed, in every fixture" {
	check() {
		local out pid
		out=$(nsq-api -q --launch "$1")
		same "$(ask "$1" "SELECT DISTINCT pid FROM calls WHERE name LIKE '%Launch%' ORDER BY pid")" "$(col pid <<<"$out")"
		read -r a b <<<"$(ask "$1" "SELECT min(a), max(b) FROM procs")"
		for pid in $(col pid <<<"$out"); do
			same "$(launch_facts "$1" "$pid" "$a" "$b")" "$(where pid "$pid" <<<"$out" | col $LAUNCH)"
		done
	}
	every check
}

@test "calls of two seconds and more have their own length, whichever thread reads them, and count in percentiles" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = start + 2147483646 + rowid % 7 + rowid % 3 * 4294967296
		WHERE rowid % 5 < 2")
	want=$(sql "$t" "SELECT start, end, end - start FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start >= 0" | sort)
	for j in 1 4; do
		same "$want" "$(nsq-api -q -j $j --each "$t" | col start_ns end_ns dur_ns | sort)"
	done
	# queues are long and negative then
	read -r a b <<<"$(ask "$t" "SELECT min(a), max(b) FROM procs")"
	same "$(launch_facts "$t" 693 "$a" "$b")" "$(nsq-api -q --launch "$t" | where pid 693 | col $LAUNCH)"
	same "$(nsq-api -q --each "$t" | col name dur_ns | sort -t "$TAB" -k1,1 -k2,2n | awk -F '\t' -v OFS='\t' '
			function rank(p) { return x[int((p * n + 99) / 100)] }
			function row() { if (n) print name, rank(50), rank(90), x[1], x[n]; n = 0 }
			$1 != name { row() } { name = $1; x[++n] = $2 } END { row() }')" \
		"$(nsq-api -q -n 99 "$t" | col name p50_ns p90_ns min_ns max_ns | sort)"
}

@test "--kernels: the launches of each kernel are those of a query, and their medians those of --launch of a trace with that kernel alone" {
	train=$FIXTURES/train.sqlite
	want() { sql "$1" "SELECT s.value, count(*), sum(r.end - r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
		JOIN StringIds s ON s.id = k.shortName JOIN StringIds n ON n.id = r.nameId WHERE n.value LIKE '%Launch%' GROUP BY 1"; }
	out=$(nsq-api -q --kernels "$train")
	same "$(want "$train" | sort)" "$(col kernel launches total_ns <<<"$out" | sort)"
	same "$(col total_ns <<<"$out" | sort -rn)" "$(col total_ns <<<"$out")"
	kernel=$(col kernel <<<"$out" | head -1)
	t=$(change "$train" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE shortName NOT IN (SELECT id FROM StringIds WHERE value = '$kernel')" \
		"DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId NOT IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	medians='api_p50_ns api_p90_ns queue_p50_ns queue_p90_ns latency_p50_ns kernel_p50_ns'
	same "$(nsq-api -q --launch "$t" | col $medians)" "$(where kernel "$kernel" <<<"$out" | col $medians)"
}

@test "--launch: in a window, of one process" {
	for w in "200000000 210000000" "36000000 230000000"; do
		set -- $w
		same "$(launch_facts "$NODES" 516 "$1" "$2")" "$(nsq-api --launch -p 516 -w "$1..$2" "$NODES" | col $LAUNCH)"
	done
}

@test "--launch: the queue may be negative, where the kernel starts before its call has returned" {
	[ "$(ask "$COMPILE" "SELECT sum(w.a < c.b) > 0 FROM launched w CROSS JOIN calls c ON w.proc = c.proc AND w.corr = c.corr")" -eq 1 ]
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = (SELECT k.start + 500 FROM CUPTI_ACTIVITY_KIND_KERNEL k
		WHERE k.correlationId = CUPTI_ACTIVITY_KIND_RUNTIME.correlationId) WHERE correlationId IN
		(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	same "-500$TAB-500" "$(nsq-api --launch "$t" | col queue_p50_ns queue_p90_ns)"
}

@test "--launch: small is under 10us, not 10us itself" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 9999 + rowid % 2")
	same "$(sql "$t" "SELECT printf('%.2f', 100.0 * sum(end - start < 10000) / count(*)) FROM CUPTI_ACTIVITY_KIND_KERNEL")" \
		"$(nsq-api --launch "$t" | col small_pct)"
	same "50.00" "$(nsq-api --launch "$t" | col small_pct)"
}

@test "a window's CPU side is what nsq-api takes, its GPU side what it cites" {
	windows=$(nsq-window "$DUALPIPE")
	answers nsq-api --by pid -w - "$DUALPIPE" <<<"$windows"
	same "$(col pid start_ns end_ns window <<<"$windows")" "$(col pid start_ns end_ns window <<<"$output")"
	while IFS=$TAB read -r pid a b; do
		same "$(ask "$DUALPIPE" "SELECT count(*), sum(min(b, $b) - max(a, $a)) FROM calls WHERE pid = $pid AND a < $b AND b > $a")" \
			"$(where pid "$pid" <<<"$output" | col count total_ns)"
	done < <(col pid cpu_start_ns cpu_end_ns <<<"$windows")
	# without the CPU columns the name holds it; without either it is the GPU side
	same "$output" "$(nsq-api --by pid <<<"$(without cpu_start_ns cpu_end_ns <<<"$windows")")"
	answers nsq-api --by pid <<<"$(without cpu_start_ns cpu_end_ns window <<<"$windows")"
	while IFS=$TAB read -r pid a b; do
		same "$(ask "$DUALPIPE" "SELECT count(*) FROM calls WHERE pid = $pid AND a < $b AND b > $a")" "$(where pid "$pid" <<<"$output" | col count)"
	done < <(col pid start_ns end_ns <<<"$windows")
}

@test "options without effect in the mode are refused" {
	fails 2 "'--by'" "'--each'" -- nsq-api --each --by name "$COPIES"
	fails 2 "'--by'" "'--launch'" -- nsq-api --launch --by thread "$COPIES"
	fails 2 "'--class'" "'--launch'" -- nsq-api --launch --class launch "$COPIES"
	fails 2 "'--each'" "'--launch'" -- nsq-api --launch --each "$COPIES"
	fails 2 "'--gpu'" -- nsq-api -g 0 "$COPIES"
}
