# Values at their limits: very large ids and times, wrong types, huge strings, very many streams, and
# rows in any order.  Each trace is the small one of fuzz/tiny.sql, changed.
load ../helper
load ../small-traces

setup_file() { make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"; }
setup() { TINY=$BATS_FILE_TMPDIR/tiny.sqlite; }

# bats test_tags=more
@test "rows in any order" {
	unchanged "$(change "$TINY" "$(shuffling "$TINY")")"
}

# bats test_tags=more
@test "work before 0, of no length, and that ends before it starts" {
	unchanged "$(change "$TINY" "INSERT INTO ${K}KERNEL VALUES (-500, 100, 0, 1, 7, 1, 10 << 24, 2, 1, NULL, 1); INSERT INTO NVTX_EVENTS SELECT -5, 99999, 59, rangeId, category, color, 'early', globalTid, endGlobalTid, NULL, 0 FROM NVTX_EVENTS LIMIT 1")"
	same "6 0" "$(nsq-kernels "$TINY" | where name gemm | col count min_ns | tr '\t' ' ')"
	t=$(change "$TINY" "UPDATE ${K}KERNEL SET end = start - 100 WHERE start = 5000")
	same "6 3200" "$(nsq-kernels "$t" | where name gemm | col count total_ns | tr '\t' ' ')"
	survives "$t"
}

# bats test_tags=more
@test "ids above 2^31, and above 2^63 in the high half of global ids" {
	big=$((1 << 40))
	t=$(change "$TINY" "UPDATE ${K}KERNEL SET streamId = streamId + $big, contextId = contextId + $big, correlationId = correlationId + $big, demangledName = demangledName + $big, shortName = shortName + $big;
		UPDATE ${K}RUNTIME SET correlationId = correlationId + $big; UPDATE ${K}MEMCPY SET correlationId = correlationId + $big; UPDATE ${K}MEMSET SET correlationId = correlationId + $big; UPDATE ${K}GRAPH_TRACE SET correlationId = correlationId + $big;
		INSERT INTO StringIds SELECT id + $big, value FROM StringIds WHERE id < 5")
	answers nsq-kernels "$t"
	same "$(nsq-kernels "$TINY" | without trace)" "$(without trace <<<"$output")"
	same "$(nsq-setup "$TINY" | col kernels launched_pct)" "$(nsq-setup "$t" | col kernels launched_pct)"
	same "$((big + 13))" "$(nsq-streams -p 10 "$t" | where class comm | col stream)"
	# a machine id makes the global ids negative
	high="| (-1 << 56)"
	unchanged "$(change "$TINY" "UPDATE ${K}KERNEL SET globalPid = globalPid $high; UPDATE ${K}RUNTIME SET globalTid = globalTid $high; UPDATE ${K}MEMCPY SET globalPid = globalPid $high; UPDATE ${K}MEMSET SET globalPid = globalPid $high;
		UPDATE ${K}GRAPH_TRACE SET globalPid = globalPid $high; UPDATE NVTX_EVENTS SET globalTid = globalTid $high; UPDATE PROCESSES SET globalPid = globalPid $high; UPDATE ThreadNames SET globalTid = globalTid $high;
		UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET globalPid = globalPid $high;
		UPDATE OSRT_API SET globalTid = globalTid $high; UPDATE SCHED_EVENTS SET globalTid = globalTid $high; UPDATE COMPOSITE_EVENTS SET globalTid = globalTid $high")"
}

# bats test_tags=more
@test "columns of the wrong type do no harm" {
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = 'soon', streamId = 1.5, shortName = 'x'; UPDATE NVTX_EVENTS SET text = x'00ff00', globalTid = NULL;
		UPDATE ${K}RUNTIME SET nameId = 7.9e300, correlationId = 'many'; UPDATE StringIds SET value = 5 WHERE id = 3")"
	survives "$(change "$TINY" "DROP TABLE StringIds")"
	more || return 0
	survives "$(change "$TINY" "DELETE FROM StringIds")"
	survives "$(change "$TINY" "DROP TABLE ${K}KERNEL; CREATE TABLE ${K}KERNEL (x)")"
	survives "$(change "$TINY" "DROP TABLE NVTX_EVENTS; CREATE TABLE NVTX_EVENTS (start)")"
	survives "$(change "$TINY" "DROP TABLE ${K}RUNTIME; CREATE TABLE ${K}RUNTIME (end, start)")"
}

# bats test_tags=more,long
@test "times near the ends of int64" {
	max=9223372036854775807
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET end = $max; UPDATE ${K}RUNTIME SET end = $max; UPDATE NVTX_EVENTS SET end = $max WHERE end")"
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = $max, end = $max; UPDATE ${K}RUNTIME SET start = $max - 1, end = $max; UPDATE ${K}MEMCPY SET bytes = $max")"
	# several of them in a step
	{
		echo "nsq-advise $(change "$FIXTURES/train.sqlite" "UPDATE ${K}RUNTIME SET end = $max WHERE rowid % 3")"
		echo "nsq-advise $(change "$FIXTURES/dualpipe-pp2ep2.sqlite" "UPDATE ${K}KERNEL SET end = $max WHERE rowid % 4 = 0")"
	} | python3 "$TESTS/cases.py" --survives
	more || return 0
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = -$max - 1, end = $max; UPDATE ${K}RUNTIME SET start = -$max - 1; UPDATE ${K}MEMSET SET bytes = -$max - 1")"
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = 0, end = -$max - 1, correlationId = -$max - 1; UPDATE ${K}RUNTIME SET correlationId = $max - rowid; UPDATE NVTX_EVENTS SET start = $max, end = -$max - 1")"
}

@test "shares of a metric that are no percentages" {
	for value in 9223372036854775807 -9223372036854775808 9e307; do
		t=$(change "$FIXTURES/train-metrics.sqlite" "UPDATE GPU_METRICS SET value = $value")
		nsq-advise -q --min-pct 0 -f jsonl "$t" > "$BATS_TEST_TMPDIR/found"
		same 0 "$(jq -r 'select(.recover_pct > 100) | .finding' "$BATS_TEST_TMPDIR/found" | wc -l)"
	done
}

# bats test_tags=slow
@test "huge strings" {
	t=$(change "$TINY" "UPDATE StringIds SET value = value || hex(zeroblob(1000000)); UPDATE NVTX_EVENTS SET text = text || hex(zeroblob(300000)) WHERE eventType = 59")
	for mode in nsq-kernels "nsq-nvtx -f table" "nsq-gaps --each" "nsq-window -m step"; do
		timeout 300 $mode "$t" > "$BATS_TEST_TMPDIR/out"
	done
	same 2000004 "$(nsq-kernels "$t" | col name | head -1 | wc -c | awk '{ print $1 - 1 }')"
}

# bats test_tags=more
@test "very many streams" {
	n=70000
	if more; then n=1000000; fi
	t=$(change "$TINY" "INSERT INTO ${K}KERNEL WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $n) SELECT 10000 + i, 10010 + i, i % 3, i % 7, i, 1, 10 << 24, 2, 1, NULL, 1 FROM n")
	timeout 300 nsq-streams "$t" > "$BATS_TEST_TMPDIR/out"
	same $((n + 6)) "$(wc -l < "$BATS_TEST_TMPDIR/out")"
	timeout 300 nsq-setup "$t" > "$BATS_TEST_TMPDIR/out"
	timeout 300 nsq-overlap --total "$t" > "$BATS_TEST_TMPDIR/out"
}

# While there are few of these, they are kept in 16 bits: see base/narrow.h, the kinds of calls (order_calls.c), and outermost calls.  A second
# thread allocates for 30 ns and launches after each 2200 kernels of the first.
# bats test_tags=slow
@test "more than 65536 names of calls, of kernels and of ranges, and as many calls between those of another thread" {
	name="char(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676 % 26, 97 + i / 17576 % 26)"
	t=$(made "CREATE TABLE I AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000) SELECT i FROM n;
		INSERT INTO S SELECT 100 + i, 'cuLaunch' || $name FROM I UNION ALL SELECT 200100 + i, 'gemm_' || i FROM I; INSERT INTO S VALUES (6, 'cudaMalloc');
		INSERT INTO N SELECT 1000 * i - 10, 1000 * i + 150, 59, $name, $P5 + 5, NULL, 0 FROM I;
		INSERT INTO R SELECT 1000 * i, 1000 * i + 100, $P5 + 5, 2 * i, 100 + i FROM I;
		INSERT INTO K SELECT 1000 * i + 200, 1000 * i + 700, 0, 1, 7, 2 * i, $P5, 200100 + i, 200100 + i FROM I;
		DELETE FROM I WHERE i % 2200 < 2199;
		INSERT INTO R SELECT 1000 * i + 710, 1000 * i + 740, $P5 + 6, 0, 6 FROM I UNION ALL SELECT 1000 * i + 750, 1000 * i + 760, $P5 + 6, 2 * i + 1, 2 FROM I;
		INSERT INTO K SELECT 1000 * i + 800, 1000 * i + 900, 0, 1, 7, 2 * i + 1, $P5, 1, 1 FROM I; DROP TABLE I")
	nsq-ledger -q -w .. -j 1 --by owner,where,name "$t" > "$BATS_TEST_TMPDIR/ledger"
	same "$(cksum < "$BATS_TEST_TMPDIR/ledger")" "$(nsq-ledger -q -w .. -j 3 --by owner,where,name "$t" | cksum)"
	same 120000 "$(where owner matmul < "$BATS_TEST_TMPDIR/ledger" | col where | grep -v '^-' | sort -u | wc -l)"
	same 120001 "$(where owner matmul < "$BATS_TEST_TMPDIR/ledger" | col name | sort -u | wc -l)"
	same $((54 * 30)) "$(where owner alloc < "$BATS_TEST_TMPDIR/ledger" | sum dur_ns)"
	same 119999 "$(where owner launch < "$BATS_TEST_TMPDIR/ledger" | col name | grep -c cuLaunch)"
	same 120002 "$(nsq-api -q "$t" | col name | sort -u | wc -l)"
}

@test "ranges of more than 65536 threads" {
	t=$(made "CREATE TABLE I AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT i FROM n;
		INSERT INTO N SELECT 1000 * i, 1000 * i + 10, 59, 'a', $P5 + i, NULL, 0 FROM I; DROP TABLE I")
	same 70000 "$(nsq-nvtx --each -q "$t" | col tid | sort -u | wc -l)"
}

@test "work that waits for what is more than 65536 pieces of work before it on its GPU" {
	t=$(made "CREATE TABLE I AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) SELECT i FROM n; INSERT INTO S VALUES (6, 'long'), (7, 'last');
		INSERT INTO K SELECT 1000 * i, 1000 * i + 500, 0, 1, 7, i, $P5, 1, 1 FROM I; INSERT INTO R SELECT 1000 * i - 50, 1000 * i - 10, $P5 + 5, i, 2 FROM I;
		INSERT INTO K VALUES (10, 80000000, 0, 1, 8, 100000, $P5, 6, 6), (80000100, 80000200, 0, 1, 8, 100001, $P5, 7, 7);
		INSERT INTO R VALUES (1, 5, $P5 + 5, 100000, 2), (6, 9, $P5 + 5, 100001, 2); DROP TABLE I")
	same "compute long 79900000 stream - 100 compute last 100" "$(nsq-path --each -q -w 100us.. "$t" | col kind name dur_ns | xargs)"
}

# ids_survive [--all]: says which tool crashes at which number.
ids_survive() { python3 "$TESTS/schemas/ids.py" "$@" "$TINY" "$TESTS/../share/schema/nsys.tsv" "$FIXTURES"/{train-allocs,threads-samples,graph-capture}.sqlite; }

# bats test_tags=more,long
@test "an id points at a string, or at nothing: payloads of any domain, names, schemas" {
	ids_survive --each "$(if more; then echo 1; else echo 30; fi)" > "$BATS_TEST_TMPDIR/got"
	same "" "$(tail -n +2 "$BATS_TEST_TMPDIR/got")"
	[ "$(grep -o '^[0-9]* looked at$' "$BATS_TEST_TMPDIR/got" | grep -o '^[0-9]*')" -ge $(if more; then echo 150; else echo 4; fi) ]
}

# bats test_tags=slow
@test "so does every other number, in every table that nsys writes" {
	same "" "$(ids_survive --all | tail -n +2)"
}
