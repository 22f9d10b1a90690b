# Rows read from the pages of a file are those that the library reads.  A copy in UTF-16 holds the same
# rows and is left to the library.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/pages" \
		"$TESTS/schemas/rows-read-from-pages.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lm -lpthread
}

# in_pages TRACE: the tables and rows of a trace that its pages hold as the library reads them.
in_pages() { "$BATS_FILE_TMPDIR/pages" "$1"; }

# counted TRACE: the tables and rows there are.
counted() {
	local tables
	tables=$(sql "$1" "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")
	printf '%s %s\n' "$(wc -l <<<"$tables")" "$(sed 's/.*/SELECT count(*) FROM "&";/' <<<"$tables" | sqlite3 "file:$1?immutable=1" | awk '{ n += $1 } END { print n }')"
}

# bats test_tags=more
@test "every row of every table of every fixture is the library's" {
	for t in $(some_or_all "$DUALPIPE" "$SAMPLES" "$FIXTURES/train-metrics.sqlite"); do
		same "$(counted "$t")" "$(in_pages "$t")"
	done
}

# to_library TRACE: a copy that is not read from its pages.
to_library() {
	local copy=$BATS_TEST_TMPDIR/${1##*/}
	{ echo "PRAGMA encoding = 'UTF-16le';"; sqlite3 "file:$1?immutable=1" .dump; } | sqlite3 "$copy"
	same "UTF-16le" "$(sqlite3 "$copy" "PRAGMA encoding")"
	printf '%s\n' "$copy"
}

# bats test_tags=more
@test "both ways give the same tables, in every mode, on every fixture" {
	for t in $(some_or_all "$COPIES"); do
		copy=$(to_library "$t")
		while read -r command; do
			same "$($command -q "$t" 2>&1 | grep -v ": warning: " | without trace)" "$($command -q "$copy" 2>&1 | grep -v ": warning: " | without trace)"
		done <<-END
			nsq-setup
			nsq-window --pick all -m .
			nsq-streams
			nsq-overlap --each
			nsq-overlap --total
			nsq-gaps --each --min 0
			nsq-nvtx --each
			nsq-kernels --work all --each --full
			nsq-api --each
			nsq-mem --each
		END
	done
}

# bats test_tags=long
@test "rows of every shape: long texts, row ids, NULL, large and negative numbers, deleted rows" {
	t=$BATS_TEST_TMPDIR/shapes.sqlite
	sqlite3 "$t" <<-END
		PRAGMA page_size = 512;
		CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
		CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
		INSERT INTO StringIds VALUES (7, 'seven'), (9000000000, printf('%.*c', 3000, 'x'));
		WITH RECURSIVE r(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM r WHERE k < 3000)
		INSERT INTO NVTX_EVENTS SELECT k * k * k * 1000, k * k * k * 1000 + (k % 5) * 100, 59,
			CASE k % 4 WHEN 0 THEN printf('%.*c', k, 'a' ) WHEN 1 THEN 'short ' || k END,
			281474993488641, CASE k % 4 WHEN 2 THEN 7 WHEN 3 THEN 9000000000 END, CASE k % 3 WHEN 0 THEN NULL ELSE 0 END FROM r;
		DELETE FROM NVTX_EVENTS WHERE rowid % 7 = 3;
		INSERT INTO NVTX_EVENTS VALUES (-5, 5, 59, 'before', 281474993488641, NULL, 0), (-300, -70000, -9000000, x'00ff', -3000000000, 1.5, -9000000000000000),
			(9223372036854775807, -9223372036854775807, 127, '', 128, 32767, 32768), (-128, -129, -32768, 'x', -32769, 8388607, 8388608), (-5, 5, 59, 'before', 281474993488641, NULL, 0), (NULL, 5, 59, 'no start', 281474993488641, NULL, 0);
		CREATE TABLE wide (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
		WITH RECURSIVE r(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM r WHERE k < 500)
		INSERT INTO wide (a, n, u, x) SELECT nullif(k % 3, 0), CASE WHEN k < 200 THEN NULL WHEN k % 5 THEN 300 * k END, nullif(k / 200, 0),
			CASE WHEN k > 400 THEN 'text' ELSE nullif(k / 300, 0) END FROM r;
		CREATE TABLE narrow AS SELECT a, b, c, n FROM wide;
		CREATE TABLE texts (a, b, c, d, e);
		WITH RECURSIVE r(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM r WHERE k < 40)
		INSERT INTO texts SELECT k, printf('%.*c', 60 + k, 'x'), printf('%.*c', 70 + k, 'y'), printf('%.*c', 80 + k, 'z'), 9 FROM r;
	END
	same "$(counted "$t")" "$(in_pages "$t")"
	sqlite3 "$t" "DELETE FROM NVTX_EVENTS WHERE typeof(text) = 'blob' OR typeof(textId) = 'real' OR eventType = 127"
	copy=$BATS_TEST_TMPDIR/copy.sqlite
	{ echo "PRAGMA encoding = 'UTF-16le';"; sqlite3 "$t" .dump; } | sqlite3 "$copy"
	same "$(nsq-nvtx -q --each "$t" | without trace)" "$(nsq-nvtx -q --each "$copy" | without trace)"
	same "$(sql "$t" "SELECT count(*) FROM NVTX_EVENTS WHERE start >= 0")" "$(nsq-nvtx -q --each "$t" | awk 'END { print NR - 1 }')"
}

@test "a table that is not plain is left to the library" {
	cp "$TESTS/fixtures/threads-copies.sqlite" "$BATS_TEST_TMPDIR/t.sqlite"
	t=$BATS_TEST_TMPDIR/t.sqlite
	sqlite3 "$t" "CREATE TABLE k AS SELECT rowid AS n, * FROM CUPTI_ACTIVITY_KIND_KERNEL" \
		"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL" \
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (n INTEGER, start REAL, end TEXT, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, PRIMARY KEY (n)) WITHOUT ROWID" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT n, start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName FROM k"
	same "$(nsq-kernels -q --each "$TESTS/fixtures/threads-copies.sqlite" | without trace)" "$(nsq-kernels -q --each "$t" | without trace)"
	sqlite3 "$t" "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL" "ALTER TABLE k RENAME TO CUPTI_ACTIVITY_KIND_KERNEL" \
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN later INTEGER DEFAULT 5"
	same "$(nsq-kernels -q --each "$TESTS/fixtures/threads-copies.sqlite" | without trace)" "$(nsq-kernels -q --each "$t" | without trace)"
}

@test "the program that compares is sanitized if the tools are" {
	sanitized() { if grep -q __asan_init "$1"; then echo yes; else echo no; fi; }
	same "$(sanitized "$NSQ_BIN/nsq-setup")" "$(sanitized "$BATS_FILE_TMPDIR/pages")"
}
