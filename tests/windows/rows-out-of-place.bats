# A window has all that happens in it, wherever the rows of that lie in their tables: nsys mostly writes them in order of
# time, but nothing says so.
load ../helper

setup_file() {
	generate > "$BATS_FILE_TMPDIR/all.sql"
	sqlite3 "$BATS_FILE_TMPDIR/base.sqlite" < "$BATS_FILE_TMPDIR/all.sql"
	truncate -s 32M "$BATS_FILE_TMPDIR/base.sqlite"
}

setup() {
	BASE=$BATS_FILE_TMPDIR/base.sqlite T=$BATS_TEST_TMPDIR/t.sqlite
}

# Twelve seconds of two processes, which launch a kernel each millisecond on two streams each, a copy now and then, in
# ranges; some last longer than others; small pages, so that there are many of them, and a
# file as large as traces are.
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

# order TABLE ORDER: SQL that makes its rows lie like that.
order() { echo "CREATE TABLE x AS SELECT * FROM $1 ORDER BY $2; DELETE FROM $1; INSERT INTO $1 SELECT * FROM x; DROP TABLE x;"; }

# change TRACE SQL: the trace of setup_file with this difference.
change() {
	cp "$BASE" "$1"
	sqlite3 "$1" "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; $2"
	truncate -s '>32M' "$1"
}

# told TRACE: what the tools say of a window.
told() {
	for tool in kernels "kernels --by nvtx" "kernels --each" mem "mem --by pid,kind" api "api --each" "find ." streams; do
		nsq-$tool -w 6.002s..6.0071s "$1" 2>&1 | sed "s|$1|t|g"
	done
}

KERNELS=CUPTI_ACTIVITY_KIND_KERNEL COPIES=CUPTI_ACTIVITY_KIND_MEMCPY CALLS=CUPTI_ACTIVITY_KIND_RUNTIME

@test "nsq-kernels -w finds kernels whose rows lie among much later ones" {
	for at in 9001 9011 9021; do
		change "$T" "$(order $KERNELS "CASE WHEN correlationId BETWEEN 6004 AND 6006 THEN $at ELSE correlationId END")"
		same "gemm relu" "$(nsq-kernels -w 6.0051s..6.0061s "$T" | cut -f17 | sed 1d | sort | xargs)"
	done
}

# bats test_tags=more,long
@test "in whatever order the rows of a table lie, its windows are answered alike" {
	want=$(told "$BASE") n=0
	for by in "globalPid, start" "end" "start DESC" "CASE WHEN start > 6005000000 THEN 20000000000 - start ELSE start END" \
		"correlationId % 200 = 4, start" "start + (correlationId % 4 = 2) * 50000000" "correlationId * 7919 % 12007"; do
		more || [ $((n++ % 4)) = 0 ] || continue
		change "$T" "$(for t in $KERNELS $COPIES $CALLS; do order $t "${by//globalPid/$([ $t = $CALLS ] && echo globalTid || echo globalPid)}"; done)"
		same "$want" "$(told "$T")"
	done
	change "$T" "$(order NVTX_EVENTS "start DESC")"
	same "$want" "$(told "$T")"
}

@test "what began long before the window and lasts is in it: a kernel, a copy, a call, a range" {
	longer="UPDATE $KERNELS SET end = 8000000000 WHERE correlationId = 3; UPDATE $COPIES SET end = 8000000000 WHERE correlationId = 20010;
		UPDATE $CALLS SET end = 8000000000 WHERE correlationId = 7; UPDATE NVTX_EVENTS SET end = 8000000000 WHERE rowid = 4;"
	change "$T" "$longer"
	want=$(told "$T")
	holds "$want" "kernel	5100000" "copy	5100000" "call	5100000" "range	5100000"
	change "$T" "$longer $(for t in $KERNELS $COPIES $CALLS NVTX_EVENTS; do order $t end; done)"
	same "$want" "$(told "$T")"
}
