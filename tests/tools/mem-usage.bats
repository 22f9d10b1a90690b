# nsq-mem --usage: how much memory is allocated, and where is the peak?
load ../helper
load ../small-traces

ALLOCS=$FIXTURES/train-allocs.sqlite
EVENTS=CUDA_GPU_MEMORY_USAGE_EVENTS
MEASURES="peak_bytes peak_ns end_bytes allocs frees bytes_allocated"

# used TRACE KINDS A B: what a row says of the memory whose memKind is one of KINDS, by a running sum in SQL: what is
# live when the window begins, and after all events of each moment in it.
used() {
	sql "$1" "WITH e AS (SELECT start AS t, sum(iif(memoryOperationType = 0, bytes, -bytes)) AS d FROM $EVENTS WHERE memKind IN ($2) AND start >= 0 GROUP BY 1),
		live AS (SELECT t, sum(d) OVER (ORDER BY t) AS v FROM e),
		seen AS (SELECT $3 AS t, v FROM (SELECT v FROM live WHERE t <= $3 ORDER BY t DESC LIMIT 1) UNION ALL SELECT t, v FROM live WHERE t > $3 AND t < $4)
		SELECT (SELECT max(v) FROM seen), (SELECT t FROM seen ORDER BY v DESC, t LIMIT 1), (SELECT v FROM seen ORDER BY t DESC LIMIT 1),
			(SELECT count(*) FROM $EVENTS WHERE memKind IN ($2) AND memoryOperationType = 0 AND start > 0 AND start >= $3 AND start < $4),
			(SELECT count(*) FROM $EVENTS WHERE memKind IN ($2) AND memoryOperationType = 1 AND start > 0 AND start >= $3 AND start < $4),
			(SELECT coalesce(sum(bytes), 0) FROM $EVENTS WHERE memKind IN ($2) AND memoryOperationType = 0 AND start > 0 AND start >= $3 AND start < $4)"
}

@test "device memory: 861 allocations and 861 frees after time 0, the peak and when it is reached" {
	answers nsq-mem --usage "$ALLOCS"
	same "444 0 1622077008 21312209 605711880 861 861 11225378787" "$(where kind device <<<"$output" | col pid gpu $MEASURES | tr '\t' ' ')"
	same "device pinned static" "$(col kind <<<"$output" | paste -sd ' ')"
}

# bats test_tags=long
@test "every kind of memory by a running sum in SQL, over the trace and in windows" {
	read -r a b < <(nsq-mem --usage "$ALLOCS" | col start_ns end_ns | sort -u)
	t0=$(sql "$ALLOCS" "SELECT start FROM $EVENTS WHERE start > 30000000 AND memoryOperationType = 0 ORDER BY start LIMIT 1")
	for w in $a..$b 20000000..30000000 21312209..21312210 21312210..40000000 $t0..50000000 $((t0 + 1))..50000000 99900000..99930000; do
		nsq-mem --usage -w "$w" "$ALLOCS" > "$BATS_TEST_TMPDIR/got"
		while read -r kind kinds; do
			same "$(used "$ALLOCS" "$kinds" "${w%..*}" "${w#*..}")" "$(where kind "$kind" < "$BATS_TEST_TMPDIR/got" | col $MEASURES)"
		done <<-END
			device 2
			pinned 1
			static 5,6
		END
	done
}

@test "the range of the allocation that made the peak, by its call" {
	# the innermost range of the calling thread when the call begins, in SQL
	range_at() {
		sql "$ALLOCS" "SELECT coalesce((SELECT coalesce(n.text, (SELECT value FROM StringIds WHERE id = n.textId)) FROM NVTX_EVENTS n
				WHERE n.globalTid = $2 AND n.eventType = 59 AND n.start <= r.start AND n.end > r.start ORDER BY n.start DESC LIMIT 1), '-')
			FROM $EVENTS e JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = e.correlationId AND r.globalTid >> 24 = e.globalPid >> 24
			WHERE e.start = $1 ORDER BY r.start LIMIT 1"
	}
	# the autograd thread has no ranges of its own; the main thread is in backward
	same "-" "$(range_at 21312209 r.globalTid)"
	same "-" "$(nsq-mem --usage "$ALLOCS" | where kind device | col nvtx)"
	same "backward" "$(range_at 21312209 "(r.globalTid >> 24 << 24 | (r.globalTid >> 24 & 0xffffff))")"
	same "backward" "$(nsq-mem --usage --adopt "$ALLOCS" | where kind device | col nvtx)"
	# windows whose peak the main thread makes, in one call
	for i in 1 2 3 4 5 6 7 8; do echo "$((13000000 + i * 800000)) $((13800000 + i * 800000))"; done > "$BATS_TEST_TMPDIR/w"
	{ echo "start_ns end_ns"; cat "$BATS_TEST_TMPDIR/w"; } | tr ' ' '\t' | nsq-mem -q --usage -w - "$ALLOCS" | where kind device | col peak_ns nvtx > "$BATS_TEST_TMPDIR/got"
	while IFS=$TAB read -r at nvtx; do
		want=$(range_at "$at" r.globalTid)
		same "${want:--}" "$nvtx"
	done < "$BATS_TEST_TMPDIR/got"
	[ "$(cut -f2 "$BATS_TEST_TMPDIR/got" | sort -u | grep -cx 'attention\|mlp\|forward')" -ge 2 ]
}

@test "what is stamped 0 precedes the capture: it is the balance, in neither allocs nor frees" {
	answers nsq-mem --usage "$FIXTURES/train.sqlite"
	same "1791282696 1791282696 0 0 0 device
12 12 0 0 0 pinned
14108 14108 0 0 0 static" "$(col peak_bytes end_bytes allocs frees bytes_allocated kind <<<"$output" | tr '\t' ' ')"
	# the peak is there from the start of the window on, and nothing in it made it
	same "$(col start_ns <<<"$output")" "$(col peak_ns <<<"$output")"
	same "-" "$(col nvtx <<<"$output" | sort -u)"
	same "50331648 device
16777216 pinned
16777216 managed" "$(nsq-mem --usage "$COPIES" | col peak_bytes kind | tr '\t' ' ')"
}

@test "allocations are calls, so the CPU side of a window chooses them; rows cite the GPU side" {
	nsq-window -q --pick 1 "$ALLOCS" > "$BATS_TEST_TMPDIR/w"
	read -r a b ca cb < <(col start_ns end_ns cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w")
	[ "$a" != "$ca" ]
	nsq-mem --usage < "$BATS_TEST_TMPDIR/w" > "$BATS_TEST_TMPDIR/got"
	same "$(used "$ALLOCS" 2 "$ca" "$cb")" "$(where kind device < "$BATS_TEST_TMPDIR/got" | col $MEASURES)"
	same "$a${TAB}$b" "$(col start_ns end_ns < "$BATS_TEST_TMPDIR/got" | sort -u)"
}

@test "--merge: the CPU sides are merged by themselves" {
	w=$(table "start_ns end_ns cpu_start_ns cpu_end_ns" "50000000 70000000 20000000 21000000" "60000000 80000000 30000000 31000000")
	both=$(nsq-mem -q --usage --merge -w - "$ALLOCS" <<<"$w" | where kind device | col allocs frees bytes_allocated)
	same "$(sql "$ALLOCS" "SELECT sum(memoryOperationType = 0), sum(memoryOperationType = 1), sum(iif(memoryOperationType = 0, bytes, 0)) FROM $EVENTS
		WHERE memKind = 2 AND (start >= 20000000 AND start < 21000000 OR start >= 30000000 AND start < 31000000)")" "$both"
}

# allocated SQL: a trace with these rows in the table A: start pid gpu bytes kind freed corr.
allocated() {
	made "CREATE TABLE A (start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, correlationId INTEGER);
		INSERT INTO R VALUES (50, 900, $P5 | 5, 1, 2), (50, 900, $P6 | 6, 1, 2); $1; ALTER TABLE A RENAME TO $EVENTS"
}

@test "events of one time are added up before the sum is looked at" {
	t=$(allocated "INSERT INTO A VALUES (0, $P5, 0, 100, 2, 0, 1), (100, $P5, 0, 50, 2, 0, 2), (100, $P5, 0, 70, 2, 1, 3), (200, $P5, 0, 30, 2, 0, 4), (200, $P5, 0, 5, 2, 0, 5)")
	# what is stamped 0 is not counted even where the window begins there
	sqlite3 "$t" "INSERT INTO ${K}RUNTIME VALUES (0, 10, $P5 | 5, 99, 2)"
	same "100 0 100 0 0 0" "$(nsq-mem -q --usage -w 0..90 "$t" | col $MEASURES | tr '\t' ' ')"
	# 100, then 80 and not 150, then 115
	same "115 200 115 3 1 85" "$(nsq-mem -q --usage "$t" | col $MEASURES | tr '\t' ' ')"
	same "100 50 80 1 1 50" "$(nsq-mem -q --usage -w 50..200 "$t" | col $MEASURES | tr '\t' ' ')"
	# what was live before the window's first moment is not, where events change it right there
	same "80 100 80 1 1 50" "$(nsq-mem -q --usage -w 100..200 "$t" | col $MEASURES | tr '\t' ' ')"
	same "80 101 80 0 0 0" "$(nsq-mem -q --usage -w 101..200 "$t" | col $MEASURES | tr '\t' ' ')"
	# of merged windows, what happens between them is added up, but neither counted nor looked at
	same "115 200 115 2 0 35" "$(nsq-mem -q --usage --merge -w 50..90 -w 200..300 "$t" | col $MEASURES | tr '\t' ' ')"
	same "100 50 80 0 0 0" "$(nsq-mem -q --usage --merge -w 50..90 -w 150..190 "$t" | col $MEASURES | tr '\t' ' ')"
}

@test "rows by process, GPU and kind: device, pinned, managed, static, then the rest" {
	t=$(allocated "INSERT INTO A VALUES (100, $P6, 1, 1, 2, 0, 1), (100, $P5, 1, 2, 2, 0, 1), (100, $P5, 0, 3, 0, 0, 1), (100, $P5, 0, 4, 1, 0, 1), (100, $P5, 0, 5, 2, 0, 1),
		(100, $P5, 0, 6, 3, 0, 1), (100, $P5, 0, 7, 4, 0, 1), (100, $P5, 0, 8, 5, 0, 1), (100, $P5, 0, 9, 6, 0, 1), (100, $P5, 0, 10, 7, 0, 1), (100, $P5, 0, 11, 99, 0, 1)")
	same "5 0 5 device
5 0 4 pinned
5 0 7 managed
5 0 17 static
5 0 6 array
5 0 3 pageable
5 0 21 unknown
5 1 2 device
6 1 1 device" "$(nsq-mem -q --usage "$t" | col pid gpu peak_bytes kind | tr '\t' ' ')"
	same "6 1 1" "$(nsq-mem -q --usage -p 6 "$t" | col pid gpu peak_bytes | tr '\t' ' ')"
	sqlite3 "$t" "INSERT INTO ${K}KERNEL VALUES (100, 200, 0, 1, 7, 9, $P5, 1, 1), (100, 200, 1, 1, 7, 9, $P5, 1, 1)"
	same "5 1 2 device
6 1 1 device" "$(nsq-mem -q --usage -g 1 "$t" | col pid gpu peak_bytes kind | tr '\t' ' ')"
}

@test "the range: of several allocations of one time that of the largest, of its own process, of its first call" {
	t=$(allocated "INSERT INTO R VALUES (60, 70, $P5 | 5, 7, 2), (80, 90, $P5 | 5, 7, 2), (61, 71, $P6 | 6, 7, 2), (62, 64, $P5 | 8, 8, 2);
		INSERT INTO N VALUES (60, 75, 59, 'mine 1', $P5 | 5, NULL, 0), (76, 95, 59, 'later', $P5 | 5, NULL, 0), (60, 75, 59, 'theirs', $P6 | 6, NULL, 0), (60, 75, 59, 'worker', $P5 | 8, NULL, 0);
		INSERT INTO A VALUES (100, $P5, 0, 30, 2, 0, 7), (100, $P5, 0, 20, 2, 0, 8), (100, $P5, 0, 10, 2, 0, 1), (300, $P6, 0, 20, 2, 0, 7), (400, $P6, 0, 20, 2, 0, 77)")
	same "mine 1
-" "$(nsq-mem -q --usage "$t" | col nvtx)"
	same "mine 1
theirs" "$(nsq-mem -q --usage -w 0..350 "$t" | col nvtx)"
}

@test "allocations before 0 are left out, those of no bytes are counted, and what is neither is mentioned" {
	t=$(allocated "INSERT INTO A VALUES (-5, $P5, 0, 100, 2, 0, 1), (100, $P5, 0, 0, 2, 0, 1), (150, $P5, 0, 0, 2, 1, 1), (200, $P5, 0, 5, 2, 2, 1)")
	sqlite3 "$t" "INSERT INTO $EVENTS VALUES (250, $P5, 0, -7, 2, 0, 1)"
	mentions "2 memory events" "neither allocations nor frees" -- nsq-mem --usage "$t"
	same "0 50 0 1 1 0" "$(col $MEASURES <<<"$output" | tr '\t' ' ')"
}

@test "without allocations: exit 3 names the flag; options without effect" {
	fails 3 "$DDP" "nsys profile --cuda-memory-usage=true" -- nsq-mem --usage "$DDP"
	t=$(change "$ALLOCS" "$(drop_tables "$ALLOCS" 'CUPTI_*')")
	fails 3 "CUDA" -- nsq-mem --usage "$t"
	fails 2 "'--by'" "'--usage'" -- nsq-mem --usage --by kind "$ALLOCS"
	fails 2 "'--each'" "'--usage'" -- nsq-mem --usage --each "$ALLOCS"
}
