# Of a large trace only what happens in the windows is loaded, if its tables are in order of time: the answers are those
# of the whole trace.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/part" \
		"$TESTS/library/part.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lcsv -lm -lpthread
	generate > "$BATS_FILE_TMPDIR/all.sqlite.sql"
	sqlite3 "$BATS_FILE_TMPDIR/base.sqlite" < "$BATS_FILE_TMPDIR/all.sqlite.sql"
}

setup() {
	PART=$BATS_FILE_TMPDIR/part T=$BATS_TEST_TMPDIR/t.sqlite
}

# Twelve seconds of two processes, which launch a kernel each millisecond on two streams each, a copy now and then, in
# ranges; some last longer than others; small pages, so that there are many of them.
generate() {
	cat <<-'END'
		PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
		CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
		INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel'), (3, 'cudaMemcpyAsync'), (4, 'relu'), (5, 'void gemm<1>()');
		CREATE TABLE n (i INTEGER PRIMARY KEY);
		WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 12000) INSERT INTO n SELECT i FROM r;
		CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, pad TEXT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT);
		CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT, callchainId INT, pad TEXT);
		CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, rangeId INT, category INT, color INT, text TEXT, globalTid INT, endGlobalTid INT, textId INT, domainId INT);
		INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 1000000 + i * 7919 % 50000, i * 1000000 + 600000 + i * 7919 % 300000 + (i % 50 = 25) * 1900000, i % 2, 1, 7 + i / 2 % 2, i,
			100 + i % 2 << 24, 5, CASE WHEN i % 3 THEN 1 ELSE 4 END, printf('%90d', 0) FROM n;
		INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT i * 1000000 + 50, i * 1000000 + 90000, i % 2, 1, 9, 20000 + i, 100 + i % 2 << 24, i, 1 + i % 2 FROM n WHERE i % 10 = 0;
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM (SELECT i * 1000000 - 400000 - i % 5 * 10000000 * (i > 100) AS s, i * 1000000 - 390000 - i % 5 * 10000000 * (i > 100) + (i % 50 = 25) * 2000000, 0,
			(100 + i % 2 << 24) + 100 + i % 2, i, 2, 0, NULL, printf('%90d', 0) FROM n UNION ALL SELECT i * 1000000 - 300000, i * 1000000 - 200000, 0, (100 + i % 2 << 24) + 100 + i % 2, 20000 + i, 3, 0, NULL, printf('%90d', 0)
			FROM n WHERE i % 10 = 0) ORDER BY s;
		INSERT INTO NVTX_EVENTS SELECT * FROM (SELECT 500000 AS s, 600000, 59, 0, 0, 0, 'rank=' || p || '; a; b', (100 + p << 24) + 100 + p, 0, NULL, 0 FROM (SELECT 0 AS p UNION ALL SELECT 1)
			UNION ALL SELECT i * 1000000 - 500000, i * 1000000 + 3000000 + (i % 40 = 0) * 10000000, 59, 0, 0, 0, 'step ' || (i / 4), (100 + i / 4 % 2 << 24) + 100 + i / 4 % 2, 0, NULL, 0 FROM n WHERE i % 4 = 0) ORDER BY s;
		COMMIT;
	END
}

# change SQL: a trace with this difference.
change() { cp "$BATS_FILE_TMPDIR/base.sqlite" "$T"; sqlite3 "$T" "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; $1"; }

# order TABLE ORDER: SQL that makes its rows lie like that.
order() { echo "CREATE TABLE x AS SELECT * FROM $1 ORDER BY $2; DELETE FROM $1; INSERT INTO $1 SELECT * FROM x; DROP TABLE x;"; }
reorder() { change "$(order "$@")"; }

KERNELS=CUPTI_ACTIVITY_KIND_KERNEL CALLS=CUPTI_ACTIVITY_KIND_RUNTIME

# answered WINDOWS LINE...: what is said of the windows of the trace.
answered() { same "$2" "$("$PART" "$T" $1)"; }

@test "tables in order of time are read up to the windows, which are answered as by the whole trace" {
	T=$BATS_FILE_TMPDIR/base.sqlite
	answered "0..20ms 6s..6.01s 6.0003s..6.0004s 11.99s..13s" "0..20ms: part, 20
6s..6.01s: part, 11
6.0003s..6.0004s: part, 1
11.99s..13s: part, 13"
	answered 20s..21s "20s..21s: whole, 0"
}

@test "later pages are not read: one that is damaged is not noticed, unless the whole trace is asked about" {
	base=$BATS_FILE_TMPDIR/base.sqlite
	for table in $KERNELS $CALLS; do
		cp "$base" "$T"
		truncate -s 32M "$T"    # of a smaller trace all is read; the sample is one of n / 512 pages
		page=$(sqlite3 "$T" "WITH p AS (SELECT pageno, row_number() OVER (ORDER BY path) - 1 AS i, count(*) OVER () AS n FROM dbstat WHERE name = '$table'
			AND pagetype = 'leaf') SELECT pageno FROM p WHERE i > n * 3 / 4 AND n / 512 > 1 AND i % (n / 512) = 1 LIMIT 1")
		printf '\377' | dd of="$T" bs=1 seek=$(((page - 1) * 512)) conv=notrunc status=none
		run nsq-kernels "$T"
		same 1 "$status"
		holds "$output" "cannot read $table"
		for tool in kernels api mem; do
			same "$(nsq-$tool -w 6s..6.01s "$base" 2>&1 | sed "s|$base|$T|")" "$(nsq-$tool -w 6s..6.01s "$T" 2>&1)"
		done
	done
}

# Two ranges a page: of these pages, one of two is in the sample, and the first 256 are read anyway.
PADDED="UPDATE NVTX_EVENTS SET text = text || printf('%150d', 0) WHERE text GLOB 'step*'"

@test "of NVTX events before the window only a sample is read, unless ranks are shown: a damaged page is not noticed" {
	change "$PADDED"
	truncate -s 32M "$T"
	page=$(sqlite3 "$T" "WITH p AS (SELECT pageno, row_number() OVER (ORDER BY path) - 1 AS i, count(*) OVER () AS n FROM dbstat WHERE name = 'NVTX_EVENTS'
		AND pagetype = 'leaf') SELECT pageno FROM p WHERE i > 300 AND n BETWEEN 1024 AND 1535 AND i % 2 = 1 LIMIT 1")
	cp "$T" "$T.whole"
	printf '\377' | dd of="$T" bs=1 seek=$(((page - 1) * 512)) conv=notrunc status=none
	for tool in kernels mem; do
		same "$(nsq-$tool -w 6s..6.01s "$T.whole" 2>&1 | sed "s|$T.whole|$T|")" "$(nsq-$tool -w 6s..6.01s "$T" 2>&1)"
		for more in "--by pid" "--by stream" "-p 100" --each; do
			run nsq-$tool $more -w 6s..6.01s "$T"
			same 1 "$status"
			holds "$output" "cannot read NVTX_EVENTS"
		done
	done
}

# bats test_tags=slow
@test "a rank is found wherever its label is before the window, and so is the name of NCCL's domain" {
	for row in 601 602 603 604; do
		change "$PADDED; UPDATE NVTX_EVENTS SET start = (SELECT start FROM NVTX_EVENTS WHERE rowid = $row) + 1, end = 6000000000 WHERE text GLOB 'rank=0*';
			$(order NVTX_EVENTS start)"
		whole=$(nsq-mem --by pid,kind -w 6s..6.02s "$T" 2>&1)
		holds "$whole" "100	0	6000000000"
		truncate -s 32M "$T"
		same "$whole" "$(nsq-mem --by pid,kind -w 6s..6.02s "$T" 2>&1)"
		change "$PADDED; INSERT INTO NVTX_EVENTS SELECT start + 1, NULL, 75, 0, 0, 0, 'NCCL', (100 << 24) + 100, 0, NULL, 5 FROM NVTX_EVENTS WHERE rowid = $row;
			INSERT INTO NVTX_EVENTS SELECT i * 1000000, i * 1000000 + 500, 59, 0, 0, 0, 'ncclAllReduce', (100 << 24) + 109, 0, NULL, 5 FROM n WHERE i > 7000 AND i % 50 = 0;
			$(order NVTX_EVENTS start)"
		answered 6s..6.01s "6s..6.01s: whole, 11"
	done
}

# bats test_tags=slow
@test "rows that are a little out of order are found" {
	change "$(order $KERNELS "start + (correlationId IN (6002, 6006)) * 50000000")
		$(order $CALLS "start + (correlationId IN (6002, 6006)) * 50000000")"
	answered 6s..6.01s "6s..6.01s: part, 11"
}

# bats test_tags=slow
@test "when a trace begins and ends is known exactly, even if its first and last rows are not the first and last" {
	change "DROP TABLE NVTX_EVENTS; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM $CALLS WHERE correlationId > 20000;
		$(order $KERNELS "start + (correlationId < 5) * 50000000 - (correlationId BETWEEN 11995 AND 12000) * 50000000")
		$(order $CALLS "start + (correlationId < 5) * 53000000 - (correlationId BETWEEN 11995 AND 12000) * 50000000")"
	same "4ms..20ms: part
11.98s..11.995s: part" "$("$PART" "$T" 4ms..20ms 11.98s..11.995s | cut -d, -f1)"
}

# bats test_tags=slow
@test "a table in another order is looked at to its end: by process, backwards from its middle on, with a run at its end" {
	for by in "globalPid, start" "CASE WHEN correlationId > 6000 THEN 20000 - correlationId ELSE correlationId END" "correlationId % 200 = 4, start"; do
		reorder $KERNELS "$by"
		same "6s..6.01s: part
2s..2.01s: part" "$("$PART" "$T" 6s..6.01s 2s..2.01s | cut -d, -f1)"
	done
	# a few rows behind others that are out of order, and at the end of the table
	change "$(order $KERNELS "CASE WHEN correlationId BETWEEN 6002 AND 6007 THEN 8504 WHEN correlationId BETWEEN 9000 AND 9999 THEN 19000 - correlationId ELSE correlationId END")"
	answered 6s..6.01s "6s..6.01s: part, 11"
	reorder $KERNELS "CASE WHEN correlationId BETWEEN 6002 AND 6007 THEN 11960 ELSE correlationId END"
	answered 6s..6.01s "6s..6.01s: part, 11"
	reorder $CALLS "globalTid, start"
	answered 6s..6.01s "6s..6.01s: part, 11"
}

@test "a table in order of ends, in which what is around the window comes after it; times at the end of their range" {
	change "UPDATE $CALLS SET end = start + 4000000000 * (correlationId = 5000) + 10000; $(order $CALLS end)"
	answered 6s..6.01s "6s..6.01s: part, 11"
	change "INSERT INTO $KERNELS SELECT 9223372036854775806, 9223372036854775807, 0, 1, 7, 30000, 100 << 24, 5, 1, ''"
	answered 6s..6.01s "6s..6.01s: part, 11"
}

@test "work that a call after the window launched needs the whole trace, for the range around that call" {
	change "UPDATE $CALLS SET start = 11900000000, end = 11900000001 WHERE correlationId = 6005"
	answered 6s..6.01s "6s..6.01s: some, 11"
}

# bats test_tags=slow
@test "what a sample counts by chance is no loss: small processes that launch in bursts" {
	python3 - "$T" <<-'END'
		import random, sqlite3, sys
		random.seed(3)
		c = sqlite3.connect(sys.argv[1])
		c.executescript("""PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
			CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel');
			CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, pad TEXT);
			CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT, returnValue INT, callchainId INT, pad TEXT)""")
		at = [(i * 100000, 100) for i in range(1, 140001)]
		for p in range(8):
		    for b in range(100):
		        t = random.randrange(1, 140000) * 100000
		        at += [(t + k * 700 + p, 101 + p) for k in range(10)]
		at = [(t, p, i) for i, (t, p) in enumerate(sorted(at))]
		c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 1, 1, ?)", sorted((t + 5000, t + 9000, i, p << 24, " " * 90) for t, p, i in at))
		c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 2, 0, NULL, ?)", [(t, t + 300, (p << 24) + p, i, " " * 90) for t, p, i in at])
		c.commit()
	END
	same "" "$(nsq-kernels -w 6s..6.01s "$T" 2>&1 > /dev/null)"
}

# bats test_tags=slow
@test "what began long before the window and lasts is in it: a kernel, a call, a range" {
	change "UPDATE $KERNELS SET end = 8000000000 WHERE correlationId = 3; UPDATE $CALLS SET end = 8000000000 WHERE correlationId = 7;
		UPDATE NVTX_EVENTS SET end = 8000000000 WHERE rowid = 4"
	answered 6s..6.01s "6s..6.01s: part, 12"
	holds "$(nsq-find -q . -w 6s..6.01s "$T")" gemm cudaLaunchKernel "step 1"
}

# bats test_tags=slow
@test "a range that never ends, and work whose launch is not found before it, need the whole trace" {
	change "UPDATE NVTX_EVENTS SET end = NULL WHERE rowid = 4"
	answered 6s..6.01s "6s..6.01s: some, 11"
	change "UPDATE $CALLS SET start = 9000000000, end = 9000000001 WHERE correlationId = 6005; CREATE TABLE x AS SELECT * FROM $CALLS ORDER BY start;
		DELETE FROM $CALLS; INSERT INTO $CALLS SELECT * FROM x"
	answered 6s..6.01s "6s..6.01s: some, 11"
}

# The table of copies has so few pages that all of them are the sample, which then tells which to read.
@test "of a small table, too, what began long before the window and lasts is in it, in whatever order the table is" {
	copies=CUPTI_ACTIVITY_KIND_MEMCPY
	for by in start "globalPid, start" "CASE WHEN start > 5000000000 THEN 20000000000 - start ELSE start END" "correlationId IN (26000, 26010), start" \
		"start - (correlationId = 29000) * 4000000000" end; do
		change "UPDATE $copies SET end = 8000000000 WHERE correlationId IN (20010, 24000); UPDATE $copies SET start = 7000000000, end = 1000000000 WHERE correlationId = 27000;
			$(order $copies "$by")"
		whole=$(nsq-mem -w 6s..6.01s "$T" 2>&1)
		same 3 "$(cut -f6 <<< "$whole" | tail -1)"
		truncate -s 32M "$T"
		same "$whole" "$(nsq-mem -w 6s..6.01s "$T" 2>&1)"
	done
}

@test "a small table is a sample of itself: a thread of few NCCL ranges that made no call is not missed" {
	change "INSERT INTO NVTX_EVENTS SELECT 0, NULL, 75, 0, 0, 0, 'NCCL', (100 << 24) + 100, 0, NULL, 5 UNION ALL
		SELECT i * 1000000, i * 1000000 + 500, 59, 0, 0, 0, 'ncclAllReduce', (100 << 24) + 100 + i, 0, NULL, 5 FROM n WHERE i IN (2010, 8010);
		$(order NVTX_EVENTS start)"
	answered 6s..6.01s "6s..6.01s: whole, 11"
}

# bats test_tags=slow
@test "events that were lost at another time are warned of: the sample shows them, and then the whole trace is read" {
	change "DELETE FROM $KERNELS WHERE globalPid = 100 << 24 AND correlationId % 4 AND start > 7000000000"
	answered 6s..6.01s "6s..6.01s: part, 11"
	change "DELETE FROM $KERNELS WHERE globalPid = 100 << 24 AND start > 7000000000"
	answered 6s..6.01s "6s..6.01s: whole, 11"
	change "INSERT INTO NVTX_EVENTS SELECT * FROM (SELECT 0 AS s, NULL, 75, 0, 0, 0, 'NCCL', (100 << 24) + 100, 0, NULL, 5 UNION ALL
		SELECT 11999000000 + i, 11999000500 + i, 59, 0, 0, 0, 'ncclAllReduce', (100 << 24) + 109, 0, NULL, 5 FROM n WHERE i < 40)"
	answered 6s..6.01s "6s..6.01s: whole, 11"
}
