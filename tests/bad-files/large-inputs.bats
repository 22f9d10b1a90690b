# Time, memory and output grow with what is given, not with its square.  What is asked here takes well below a second, or,
# if it grew with the square, more than the limit of processor time.
load ../helper
load ../small-traces

setup() {
	TINY=$BATS_TEST_TMPDIR/tiny.sqlite
	make_tiny "$TINY"
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

# within SECONDS COMMAND...: run it with so much processor time.
within() { (ulimit -t "$1"; shift; exec "$@"); }

# bats test_tags=slow
@test "a report of many traces takes memory for each, not for each with each" {
	if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer takes memory of its own"; fi
	seq -f '%g.sqlite' 200 | xargs sh -c 'tee "$@" < "$0" > /dev/null' "$TINY"
	run python3 - $(seq -f '%g.sqlite' 200) <<-'END'
		import resource, subprocess, sys
		subprocess.run(["nsq-report", "-q", "-j", "1", "-o", "r"] + sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
		mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
		print("ok" if mb < 40 else "%.0f MB" % mb)
	END
	same ok "$output"
	same 200 "$(jq '.traces | length' r/report.json)"
}

# bats test_tags=long
@test "many equal collectives, and a rank that lacks one" {
	python3 "$TESTS/bad-files/large.py" collectives 20000 .
	run --separate-stderr within 3 nsq-nccl -q 0.sqlite 1.sqlite
	same 0 "$status"
	same "20000 1 19999 1 " "$(col count <<<"$output" | tr '\n' ' ')"
}

# bats test_tags=slow
@test "many processes, whose correlation ids lie far apart" {
	sqlite3 "$TINY" "CREATE TEMP TABLE p AS WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p WHERE i < 16000) SELECT 2 * i AS i, i << 24 AS id FROM p;
		INSERT INTO p SELECT i + 400000, id FROM p;
		DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE NVTX_EVENTS;
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 9000 + i AS start, 9001 + i AS end, 0 AS deviceId, 1 AS contextId, 7 AS streamId,
			i AS correlationId, id AS globalPid, 1 AS shortName FROM p;
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT 8000 + i AS start, 8001 + i AS end, id + 1 AS globalTid, i AS correlationId, 1 AS nameId FROM p;
		CREATE TABLE NVTX_EVENTS AS SELECT 7999 + i AS start, 8002 + i AS end, 59 AS eventType, 'r' AS text, id + 1 AS globalTid, 0 AS domainId FROM p"
	for tool in setup streams threads; do
		within 3 nsq-$tool -q "$TINY" > $tool
		[ "$(wc -l < $tool)" -ge 16000 ]
	done
	if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer takes memory of its own"; fi
	(ulimit -v 800000; nsq-setup -q -j 2 "$TINY") | cmp - setup
}

# bats test_tags=slow
@test "many processes that communicate: conclusions" {
	sqlite3 "$TINY" "CREATE TEMP TABLE k AS WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 15999) SELECT i, (1 + i % 4000) << 24 AS id FROM k;
		DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE NVTX_EVENTS;
		INSERT INTO StringIds VALUES (9001, 'ncclDevKernel_AllReduce_Sum_f32'), (9002, 'gemm'), (9003, 'cudaLaunchKernel'), (9004, 'cudaStreamSynchronize');
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT i * 1000 + 800 AS start, i * 1000 + 1700 AS end, 0 AS deviceId, 1 AS contextId, 7 AS streamId,
			i AS correlationId, id AS globalPid, 9001 + i / 4000 % 2 AS shortName FROM k;
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT i * 1000 + 100 AS start, i * 1000 + 150 AS end, id + 1 AS globalTid, i AS correlationId, 9003 AS nameId FROM k
			UNION ALL SELECT i * 1000 + 200, i * 1000 + 1760, id + 1, 100000 + i, 9004 FROM k;
		CREATE TABLE NVTX_EVENTS AS SELECT i * 1000 + 90 AS start, i * 1000 + 900 AS end, 59 AS eventType, 'r' AS text, id + 1 AS globalTid, 0 AS domainId FROM k"
	run --separate-stderr within 3 nsq-advise --verdict "$TINY"
	same "0 4000" "$status $(count <<<"$output")"
	run --separate-stderr within 3 nsq-ledger -q "$TINY"
	same 0 "$status"
	run --separate-stderr within 3 nsq-kernels -q --by stream,nvtx "$TINY"
	same 0 "$status"
	run --separate-stderr within 3 nsq-view -q "$TINY"
	same 0 "$status"
}

# bats test_tags=slow
@test "one long kernel beside many short ones: conclusions, and windows that it reaches into" {
	sqlite3 "$TINY" "CREATE TEMP TABLE k AS WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 255999) SELECT i, i / 16 AS step FROM k;
		DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE NVTX_EVENTS;
		INSERT INTO StringIds VALUES (9001, 'ncclDevKernel_AllReduce_Sum_f32'), (9002, 'gemm'), (9003, 'cudaLaunchKernel');
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL AS SELECT i * 1000 + 800 AS start, i * 1000 + 1700 AS end, 0 AS deviceId, 1 AS contextId, 7 AS streamId,
			i + 1 AS correlationId, 10 << 24 AS globalPid, 9002 AS shortName FROM k UNION ALL SELECT 300, 192000300, 0, 1, 8, 0, 10 << 24, 9001;
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT i * 1000 + 100 AS start, i * 1000 + 150 AS end, 10 << 24 | 10 AS globalTid, i + 1 AS correlationId, 9003 AS nameId FROM k
			UNION ALL SELECT 10, 20, 10 << 24 | 10, 0, 9003;
		CREATE TABLE NVTX_EVENTS AS SELECT min(i) * 1000 + 90 AS start, max(i) * 1000 + 180 AS end, 59 AS eventType, 'step' AS text, 10 << 24 | 10 AS globalTid, 0 AS domainId FROM k GROUP BY step"
	run --separate-stderr within 3 nsq-advise --verdict "$TINY"
	same "0 1" "$status $(count <<<"$output")"
	nsq-window -q --pick all --skip 0 "$TINY" > windows
	within 3 nsq-ledger -q -w windows "$TINY" > ledger
	same "12000 16000" "$(col owner < ledger | grep -c comm) $(col owner < ledger | grep -c matmul)"
	within 3 nsq-kernels -q -w windows "$TINY" > kernels
	same "12000 16000" "$(col name < kernels | grep -c ncclDev) $(col name < kernels | grep -c gemm)"
}

@test "many payload schemas" {
	python3 "$TESTS/bad-files/large.py" schemas 50000 .
	run --separate-stderr within 3 nsq-nccl -q 0.sqlite
	same 0 "$status"
	same 1 "$(count <<<"$output")"
}

@test "rules look at the first 16 KB of a name, and at a name of that length once" {
	long() {
		sqlite3 "$TINY" "DELETE FROM NVTX_EVENTS WHERE eventType = 59; INSERT INTO NVTX_EVENTS VALUES (50, 9999, 59, NULL, NULL, NULL,
			$1, 10 << 24 | 10, NULL, NULL, 0)"
		run --separate-stderr within 5 nsq-overlap -q "$TINY"
		same 0 "$status"
		col pid stage <<<"$output" | awk -F '\t' '$1 == 10 { print (length($2) > 50 ? "long" : $2) }'
	}
	stages="replace(hex(zeroblob(25000)), '00', 'stage1_')"         # 175,000 characters, nowhere a stage
	same long "$(long "$stages")"
	same stage3_b "$(long "'stage3_b ' || $stages")"
	same stage3_b "$(long "substr($stages, 1, 16000) || '.stage3_b'")"
	same long "$(long "$stages || '.stage3_b'")"
	# where '.*' begins an expression, what is found stays what it was
	printf '%s\n' ".*b(.)${TAB}dot \\1" > rules
	printf '%s\n' ".*x|b(.)${TAB}choice \\1" > choice
	sqlite3 "$TINY" "UPDATE NVTX_EVENTS SET text = 'ab1' || char(10) || 'b2b3 c' WHERE eventType = 59"
	same "dot 3" "$(nsq-nvtx -q --phases rules "$TINY" | col phase | grep dot)"
	same "choice 1" "$(nsq-nvtx -q --phases choice "$TINY" | col phase | grep choice)"
}

@test "ranges in each other: a path of more than 32 names has the first 16 and the last 16" {
	sqlite3 "$TINY" "INSERT INTO NVTX_EVENTS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
		SELECT 100000 + i, 200000 - i, 59, NULL, NULL, NULL, 'r' || i, 10 << 24 | 10, NULL, NULL, 0 FROM n"
	nsq-nvtx -q --tree --exact "$TINY" > tree
	[ "$(wc -c < tree)" -lt 1500000 ]
	path() { col depth path < tree | awk -F '\t' -v d="$1" '$1 == d && $2 ~ /^r0/ { print $2 }'; }
	names() { seq -s ' > ' -f 'r%g' "$1" "$2"; }
	same "$(names 0 31)" "$(path 31)"
	same "$(names 0 15) > (1 more) > $(names 17 32)" "$(path 32)"
	same "$(names 0 15) > (2968 more) > $(names 2984 2999)" "$(path 2999)"
}

# bats test_tags=slow
@test "the depths of ranges in each other" {
	sqlite3 "$TINY" "INSERT INTO NVTX_EVENTS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 79999)
		SELECT 100000 + i, 300000 - i, 59, NULL, NULL, NULL, 'r', 10 << 24 | 10, NULL, NULL, 0 FROM n"
	run --separate-stderr within 3 nsq-nvtx -q --each -m '^r$' "$TINY"
	same 0 "$status"
	same "0 79999 80000" "$(col depth <<<"$output" | awk 'NR == 1 { first = $1 } END { print first, $1, NR }')"
	# one that crosses its outer range, one of no length, and one that starts where another ends
	sqlite3 "$TINY" "DELETE FROM NVTX_EVENTS WHERE eventType = 59; INSERT INTO NVTX_EVENTS SELECT column1, column2, 59, NULL, NULL, NULL,
		column3, 10 << 24 | 10, NULL, NULL, 0 FROM (VALUES (10, 50, 'a'), (20, 80, 'b'), (30, 30, 'c'), (30, 40, 'd'), (50, 60, 'e'), (85, 90, 'f'))"
	same "a 0 b 1 c 3 d 2 e 1 f 0 " "$(nsq-nvtx -q --each -m "^.$" "$TINY" | col name depth | sort | tr '\t\n' '  ')"
}

@test "many columns of one name" {
	printf 'a\n1\n' > t
	query="select $(printf '1 as x, %.0s' $(seq 1990)) 2 as \"X:3\" from t"
	run --separate-stderr within 3 nsq-sql -q "$query" t
	same "0 x x:1 x:2 x:3 x:1989 X:3:1" "$status $(head -1 <<<"${lines[0]}" | awk -F '\t' '{ print $1, $2, $3, $4, $1990, $1991 }')"
}

@test "a histogram of the smallest numbers there are" {
	for numbers in "4.9e-324 1" "4.9e-324 1e-310 5" "5e-324 1e-320" "1e-308 1e300"; do
		tr ' ' '\n' <<<"x $numbers" > t
		run --separate-stderr within 3 nsq-plot -q -k hist --x x -f svg t
		same 0 "$status"
		lacks "$output" nan inf
		[ "${#output}" -lt 100000 ]
	done
}
