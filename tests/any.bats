# Any trace that exists: the schemas of other versions of nsys, odd rows, and files that mean harm.
# Most traces here are the little one of fuzz/tiny.sql, changed.
load helper

setup_file() {
	sqlite3 -batch "$BATS_FILE_TMPDIR/tiny.sqlite" < "$BATS_TEST_DIRNAME/fuzz/tiny.sql" >/dev/null
}
setup() { TINY=$BATS_FILE_TMPDIR/tiny.sqlite; }

K=CUPTI_ACTIVITY_KIND_

MODES=(nsq-setup nsq-window "nsq-window --list" nsq-streams nsq-overlap "nsq-overlap --each" "nsq-overlap --total" nsq-gaps
	"nsq-gaps --each" nsq-nvtx "nsq-nvtx --tree" nsq-kernels "nsq-kernels --by category" "nsq-kernels --each" nsq-api
	"nsq-api --launch" nsq-mem)

# expected MODE: what it says of TINY, asked once.
expected() {
	local f=$TINY.${1// /_}
	[ -e "$f" ] || $1 -q "$TINY" | without trace > "$f"
	cat "$f"
}

# unchanged TRACE: every tool says of it what it says of TINY.
unchanged() {
	local mode
	for mode in "${MODES[@]}"; do
		run --separate-stderr $mode -q "$1"
		same "0 " "$status $stderr" || { echo "$mode"; return 1; }
		same "$(expected "$mode")" "$(without trace <<<"$output")" || { echo "$mode"; return 1; }
	done
}

# survives TRACE: every tool ends in time with one of the codes 0 to 3, not by a signal.
survives() {
	local mode rc
	for mode in "${MODES[@]}" "nsq-setup --facts" "nsq-kernels --full"; do
		rc=0
		timeout 20 $mode "$1" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" || rc=$?
		[ $rc -le 3 ] || { echo "$mode: exit $rc: $(cat "$BATS_TEST_TMPDIR/err")"; return 1; }
	done
}

@test "metadata under either name, or none" {
	t=$(change "$TINY" "ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA")
	unchanged "$t"
	same "3.13.2 2024.1.1" "$(nsq-setup --facts "$t" | awk -F '\t' '$1 ~ /^nsys/ { print $2 }' | xargs)"
	t=$(change "$TINY" "DROP TABLE META_DATA_EXPORT; DROP TABLE META_DATA_CAPTURE; DROP TABLE TARGET_INFO_GPU; DROP TABLE ANALYSIS_DETAILS")
	unchanged "$t"
	answers nsq-setup --facts "$t"
}

@test "strings in StringIds, or in any table of id and value, keyed or not" {
	unchanged "$(change "$TINY" "ALTER TABLE StringIds RENAME TO STRINGS")"
	unchanged "$(change "$TINY" "CREATE TABLE names (id INTEGER, value TEXT); INSERT INTO names SELECT * FROM StringIds ORDER BY id DESC; DROP TABLE StringIds")"
	unchanged "$(change "$TINY" "CREATE TABLE s (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID; INSERT INTO s SELECT * FROM StringIds; DROP TABLE StringIds; ALTER TABLE s RENAME TO StringIds")"
}

@test "kernels in CONCURRENT_KERNEL, and tables with a version in their name" {
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}CONCURRENT_KERNEL")"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}CONCURRENT_KERNEL_V2")"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}KERNEL_V3; ALTER TABLE ${K}MEMCPY RENAME TO ${K}MEMCPY_V2;
		ALTER TABLE ${K}RUNTIME RENAME TO ${K}RUNTIME_V10; ALTER TABLE ${K}GRAPH_TRACE RENAME TO ${K}GRAPH_TRACE_V2; ALTER TABLE ${K}MEMSET RENAME TO ${K}MEMSET_V2;
		ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V2; ALTER TABLE PROCESSES RENAME TO PROCESSES_V2; ALTER TABLE ThreadNames RENAME TO ThreadNames_V2")"
}

@test "NVTX names as text, or as textId, or both" {
	all_ids="INSERT INTO StringIds SELECT 100 + rowid, text FROM NVTX_EVENTS WHERE text IS NOT NULL;
		UPDATE NVTX_EVENTS SET textId = 100 + rowid, text = NULL WHERE text IS NOT NULL;"
	unchanged "$(change "$TINY" "$all_ids")"
	unchanged "$(change "$TINY" "$all_ids ALTER TABLE NVTX_EVENTS DROP COLUMN text")"
	unchanged "$(change "$TINY" "UPDATE NVTX_EVENTS SET text = (SELECT value FROM StringIds WHERE id = textId) WHERE textId; ALTER TABLE NVTX_EVENTS DROP COLUMN textId")"
	# text counts where both are there
	unchanged "$(change "$TINY" "UPDATE NVTX_EVENTS SET textId = 1 WHERE text IS NOT NULL")"
}

@test "NVTX without domains" {
	t=$(change "$TINY" "ALTER TABLE NVTX_EVENTS DROP COLUMN domainId")
	answers nsq-nvtx "$t"
	same "$(nsq-nvtx "$TINY" | without trace domain)" "$(without trace domain <<<"$output")"
	survives "$t"
}

@test "kernels without context, graph node, or columns that nobody reads" {
	t=$(change "$TINY" "ALTER TABLE ${K}KERNEL DROP COLUMN contextId")
	answers nsq-kernels "$t"
	same "$(nsq-kernels "$TINY" | without trace)" "$(without trace <<<"$output")"
	same 0 "$(nsq-streams "$t" | where class comm | col ctx | sort -u)"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL DROP COLUMN graphNodeId; ALTER TABLE ${K}KERNEL DROP COLUMN gridX")"
}

@test "work without globalPid belongs to the one process that made calls" {
	one="DELETE FROM ${K}KERNEL WHERE globalPid >> 24 = 20; DELETE FROM ${K}RUNTIME WHERE globalTid >> 24 = 20; DELETE FROM NVTX_EVENTS WHERE globalTid >> 24 = 20;"
	t=$(change "$TINY" "$one")
	mv "$t" "$BATS_TEST_TMPDIR/one.sqlite"
	TINY=$BATS_TEST_TMPDIR/one.sqlite
	cp "$TINY" "$BATS_TEST_TMPDIR/two.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/two.sqlite" "ALTER TABLE ${K}KERNEL DROP COLUMN globalPid; ALTER TABLE ${K}MEMCPY DROP COLUMN globalPid;
		ALTER TABLE ${K}MEMSET DROP COLUMN globalPid; ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN globalPid"
	unchanged "$BATS_TEST_TMPDIR/two.sqlite"
}

@test "graphs by graphId or graphExecId" {
	unchanged "$(change "$TINY" "ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN graphExecId")"
	t=$(change "$TINY" "ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN graphId")
	same "graph 4" "$(nsq-kernels "$t" | where class graph | col name)"
}

@test "rows in any order" {
	unchanged "$(change "$TINY" "$(shuffling "$TINY")")"
}

@test "of several calls with one correlation id the first launched the work" {
	t=$(change "$TINY" "INSERT INTO ${K}RUNTIME VALUES (90, 95, 0, 10 << 24 | 11, 1, 5, 0), (700, 710, 0, 10 << 24 | 11, 2, 5, 0)")
	same "90 200" "$(nsq-kernels --each -p 10 "$t" | col start_ns launch_ns | awk '$1 == 1000 || $1 == 1500 { print $2 }' | xargs)"
}

@test "a range never closed ends with its process" {
	same "900" "$(nsq-nvtx --exact "$TINY" | where name "step 2" | col cpu_ns)"
	t=$(change "$TINY" "UPDATE NVTX_EVENTS SET end = NULL WHERE eventType IN (59, 60)")
	survives "$t"
	same "9850" "$(nsq-nvtx --exact "$t" | where name "forward chunk 0 (phase0) backward chunk 1 (phase1)" | col cpu_ns)"
}

@test "work before 0, of no length, and that ends before it starts" {
	unchanged "$(change "$TINY" "INSERT INTO ${K}KERNEL VALUES (-500, 100, 0, 1, 7, 1, 10 << 24, 2, 1, NULL, 1); INSERT INTO NVTX_EVENTS SELECT -5, 99999, 59, rangeId, category, color, 'early', globalTid, endGlobalTid, NULL, 0 FROM NVTX_EVENTS LIMIT 1")"
	same "6 0" "$(nsq-kernels "$TINY" | where name gemm | col count min_ns | tr '\t' ' ')"
	t=$(change "$TINY" "UPDATE ${K}KERNEL SET end = start - 100 WHERE start = 5000")
	same "6 3200" "$(nsq-kernels "$t" | where name gemm | col count total_ns | tr '\t' ' ')"
	survives "$t"
}

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
		UPDATE ${K}GRAPH_TRACE SET globalPid = globalPid $high; UPDATE NVTX_EVENTS SET globalTid = globalTid $high; UPDATE PROCESSES SET globalPid = globalPid $high; UPDATE ThreadNames SET globalTid = globalTid $high")"
}

@test "missing ENUM tables, and columns and tables that others added" {
	t=$(change "$COPIES" "$(drop_tables "$COPIES" 'ENUM_*')")
	for mode in nsq-mem nsq-api nsq-kernels; do
		same "$($mode -q "$COPIES" | without trace)" "$($mode -q "$t" | without trace)"
	done
	unchanged "$(change "$TINY" "CREATE TABLE notes (id INTEGER, value TEXT, x); INSERT INTO notes VALUES (1, 'wrong', 1); ALTER TABLE ${K}KERNEL ADD COLUMN mine TEXT DEFAULT 'x';
		CREATE TABLE \"a \"\"strange\"\" name\" (x); CREATE VIEW v AS SELECT * FROM notes; CREATE INDEX i ON ${K}KERNEL (start); CREATE INDEX j ON StringIds (value)")"
	same "0" "$(nsq-setup --facts "$t" >/dev/null 2>&1; echo $?)"
}

@test "columns of the wrong type do no harm" {
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = 'soon', streamId = 1.5, shortName = 'x'; UPDATE NVTX_EVENTS SET text = x'00ff00', globalTid = NULL;
		UPDATE ${K}RUNTIME SET nameId = 7.9e300, correlationId = 'many'; UPDATE StringIds SET value = 5 WHERE id = 3")"
	survives "$(change "$TINY" "DROP TABLE StringIds")"
	survives "$(change "$TINY" "DELETE FROM StringIds")"
	survives "$(change "$TINY" "DROP TABLE ${K}KERNEL; CREATE TABLE ${K}KERNEL (x)")"
	survives "$(change "$TINY" "DROP TABLE NVTX_EVENTS; CREATE TABLE NVTX_EVENTS (start)")"
	survives "$(change "$TINY" "DROP TABLE ${K}RUNTIME; CREATE TABLE ${K}RUNTIME (end, start)")"
}

@test "times near the ends of int64" {
	max=9223372036854775807
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET end = $max; UPDATE ${K}RUNTIME SET end = $max; UPDATE NVTX_EVENTS SET end = $max WHERE end")"
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = $max, end = $max; UPDATE ${K}RUNTIME SET start = $max - 1, end = $max; UPDATE ${K}MEMCPY SET bytes = $max")"
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = -$max - 1, end = $max; UPDATE ${K}RUNTIME SET start = -$max - 1; UPDATE ${K}MEMSET SET bytes = -$max - 1")"
	survives "$(change "$TINY" "UPDATE ${K}KERNEL SET start = 0, end = -$max - 1, correlationId = -$max - 1; UPDATE ${K}RUNTIME SET correlationId = $max - rowid; UPDATE NVTX_EVENTS SET start = $max, end = -$max - 1")"
}

# shown MODE FORMAT: what the terminal is sent, less the carriage returns that it adds.
shown() { script -qec "$1 -f $2 '$t' 2>&1" /dev/null < /dev/null | tr -d '\r'; }

@test "names with escape sequences are not sent to a terminal, in any format" {
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	evil="'a' || char(27) || ']0;title' || char(7) || char(155) || '31m' || char(13) || char(10) || char(9) || char(127) || CAST(x'9b41ff' AS TEXT)"
	t=$(change "$TINY" "UPDATE StringIds SET value = $evil || value; UPDATE NVTX_EVENTS SET text = $evil || text WHERE eventType = 59;
		UPDATE PROCESSES SET name = $evil; UPDATE TARGET_INFO_GPU SET name = $evil; ALTER TABLE ANALYSIS_DETAILS RENAME TO \"evil$(printf '\033')[m\"")
	for mode in nsq-kernels nsq-nvtx nsq-setup "nsq-setup --facts" "nsq-gaps --each" nsq-streams; do
		for f in tsv csv jsonl table md; do
			shown "$mode" $f > "$BATS_TEST_TMPDIR/out"
			[ -s "$BATS_TEST_TMPDIR/out" ]
			! LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\xbf]|\xff' "$BATS_TEST_TMPDIR/out"
		done
	done
	# into a pipe the bytes are those of the trace
	nsq-kernels "$t" | LC_ALL=C grep -qaP '\x1b\]0;title'
	nsq-kernels -f jsonl "$t" | jq -e . > /dev/null
}

@test "huge strings" {
	t=$(change "$TINY" "UPDATE StringIds SET value = value || hex(zeroblob(4000000)); UPDATE NVTX_EVENTS SET text = text || hex(zeroblob(1000000)) WHERE eventType = 59")
	for mode in nsq-kernels "nsq-nvtx -f table" "nsq-gaps --each" "nsq-window -m step"; do
		timeout 20 $mode "$t" > "$BATS_TEST_TMPDIR/out"
	done
	same 8000004 "$(nsq-kernels "$t" | col name | head -1 | wc -c | awk '{ print $1 - 1 }')"
}

@test "a million streams" {
	t=$(change "$TINY" "INSERT INTO ${K}KERNEL SELECT 10000 + value, 10010 + value, value % 3, value % 7, value, 1, 10 << 24, 2, 1, NULL, 1 FROM generate_series(1, 1000000)" 2>/dev/null) ||
		t=$(change "$TINY" "INSERT INTO ${K}KERNEL WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT 10000 + i, 10010 + i, i % 3, i % 7, i, 1, 10 << 24, 2, 1, NULL, 1 FROM n")
	timeout 30 nsq-streams "$t" > "$BATS_TEST_TMPDIR/out"
	same 1000006 "$(wc -l < "$BATS_TEST_TMPDIR/out")"
	timeout 20 nsq-setup "$t" > "$BATS_TEST_TMPDIR/out"
	timeout 20 nsq-overlap --total "$t" > "$BATS_TEST_TMPDIR/out"
}

# circle TABLE: the B-tree of the table gets an inner page all of whose children are that page's own next
# level, twenty levels deep, each twice: a million times a million rows from a file of some kB.
circle() {
	python3 - "$1" "$2" <<-'EOF'
		import struct, sys
		path, root = sys.argv[1], int(sys.argv[2])
		db = bytearray(open(path, "rb").read())
		size = struct.unpack(">H", db[16:18])[0]
		pages = len(db) // size
		leaf = bytes(db[(root - 1) * size:root * size])
		def inner(child):
		    cells = b"".join(struct.pack(">IB", child, 0x7f) for _ in range(40))
		    at = size - len(cells)
		    head = struct.pack(">BHHHBI", 5, 0, 40, at, 0, child) + b"".join(struct.pack(">H", at + 5 * i) for i in range(40))
		    return head + bytes(at - len(head)) + cells
		levels = 12
		db[(root - 1) * size:root * size] = inner(pages + 1)
		for i in range(1, levels):
		    db += inner(pages + 1 + i)
		db += leaf
		db[28:32] = struct.pack(">I", len(db) // size)
		db[24:28] = db[92:96]
		open(path, "wb").write(db)
	EOF
}

@test "pages in a circle, or shared so that a small file has endless rows" {
	for table in ${K}KERNEL NVTX_EVENTS ${K}RUNTIME StringIds; do
		t=$(change "$TINY" "")
		circle "$t" "$(sql "$t" "SELECT rootpage FROM sqlite_master WHERE name = '$table'")"
		for mode in nsq-kernels nsq-nvtx nsq-api; do
			rc=0
			timeout 10 $mode "$t" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" || rc=$?
			[ $rc -le 1 ] || { echo "$table $mode $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
		done
	done
}

@test "a view that never ends is not asked" {
	t=$(change "$TINY" "CREATE VIEW CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start FROM n;
		DROP TABLE ThreadNames; CREATE VIEW ThreadNames AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS globalTid, i AS nameId FROM n")
	survives "$t"
}

@test "what the fuzzer found stays fixed" {
	make -s -C "$TESTS/.." build/fuzz
	for kind in trace rules windows spec; do
		[ -d "$TESTS/fuzz/cases/$kind" ] || continue
		"$TESTS/../build/fuzz" $kind "$TINY" "$TESTS/fuzz/cases/$kind"/* /dev/null 2> "$BATS_TEST_TMPDIR/err"
	done
}

@test "every tool on the public traces, compared with SQL (tests/corpus)" {
	corpus=$TESTS/../../shared/corpus
	[ -d "$corpus" ] || skip "no ../shared/corpus beside the repository; tests/corpus DIR runs on any folder"
	# a part of them here, each version of the schema once; make corpus runs all
	mkdir "$BATS_TEST_TMPDIR/some"
	for x in "$corpus"/*.xz; do v=${x##*/}; ln -sf "$x" "$BATS_TEST_TMPDIR/some/${v%%_*}.sqlite.xz"; done
	run "$TESTS/corpus" "$BATS_TEST_TMPDIR/some"
	echo "$output"
	same 0 "$status"
}
